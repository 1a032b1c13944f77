//! Port bundles of the diagnosis NoC
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`HopOut`] | router, next router | a word on the ring |
//! | [`PacketOut`] | client, router, and router, client | a packet, word by word |
//! | [`FateOut`] | router, client | the outcome of packets |
//!
//! # Hop
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `valid` | 1 | a word is present |
//! | `word` | 16 | the word: the token, or a word of a packet |
//!
//! # Packet
//! The first word contains the length (`sim::diag::packet`).
//!
//! | port | dir of the sender | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `valid` | out | 1 | a word is present; holds until `ready` |
//! | `word` | out | 16 | the word; undefined while `valid` is 0 |
//! | `ready` | in | 1 | the word is taken at this edge, if `valid` |
//!
//! # Fate
//! Each is 1 for one cycle.
//!
//! | port | meaning |
//! | --- | --- |
//! | `delivered` | the destination accepted the packet, or the packet was a broadcast |
//! | `absent` | no node has the destination address |
//! | `again` | the destination had no free entry: the packet is sent again, or given back |
//! | `malformed` | a packet was not sent: it is too long, or its destination is not a node's address |
//! | `missed` | a broadcast passed for which there was no free entry here |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// A word on the ring.
    HopOut "HopIn" HopIn
    { valid: Bit, word: Bits<16>, }
    { }
);

bundle!(
    /// A packet, word by word.
    PacketOut "PacketIn" PacketIn
    { valid: Bit, word: Bits<16>, }
    { ready: Bit, }
);

bundle!(
    /// The outcome of packets.
    FateOut "FateIn" FateIn
    { delivered: Bit, absent: Bit, again: Bit, malformed: Bit, missed: Bit, }
    { }
);
