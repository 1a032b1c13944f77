//! Port bundles of the diagnosis NoC
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`HopOut`] | router, next router | a word on the ring |
//! | [`PacketOut`] | client, router, and router, client | a packet, word by word |
//! | [`FateOut`] | router, client | what became of packets |
//!
//! # Hop
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `valid` | 1 | a word is there |
//! | `word` | 16 | it: the token, or a word of a packet |
//!
//! # Packet
//! The length is in the first word (`sim::diag::packet`).
//!
//! | port | dir of the sender | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `valid` | out | 1 | a word is there, and stays until `ready` |
//! | `word` | out | 16 | it; not defined while `valid` is 0 |
//! | `ready` | in | 1 | it is taken at this edge, if `valid` |
//!
//! # Fate
//! Each is 1 for one clock.
//!
//! | port | meaning |
//! | --- | --- |
//! | `delivered` | the packet was taken by its destination, or was to all |
//! | `absent` | no node has its destination's address |
//! | `again` | its destination had no room: it is sent again |
//! | `malformed` | a packet was not sent: longer than a packet is, or to an address that is no node's |
//! | `missed` | a packet to all went by for which there was no room here |

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
    /// What became of packets.
    FateOut "FateIn" FateIn
    { delivered: Bit, absent: Bit, again: Bit, malformed: Bit, missed: Bit, }
    { }
);
