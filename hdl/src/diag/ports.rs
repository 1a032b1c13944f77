//! Port bundles of the diagnosis circuits
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`WriteOut`] | network interface, its client | a register that is written |
//! | [`EventOut`] | network interface, node | an event that arrived, or a flush |
//! | [`ResultOut`] | node or generator, network interface | an event to send |
//!
//! # Write
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `we` | 1 | a register is written, one clock |
//! | `addr` | 12 | which, see `sim::diag::registers` |
//! | `data` | 16 | what |
//!
//! # Event and result
//! All stand from `valid` until the clock of `ready`. Arguments from `count` on are 0.
//!
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `valid` | 1 | there is one |
//! | `flush` | 1 | of an event: there is none, all tables are to be sent and emptied |
//! | `dest` | 6 | of a result: where it goes |
//! | `lost` | 16 | of a result: what its producer lost before it |
//! | `id`, `core` | 8, 4 | which event, of which core |
//! | `stamped`, `stamp` | 1, 32 | it has a time; that |
//! | `count`, `a0` to `a5` | 3, 32 each | arguments |
//! | `ready` | 1 | back: it is done with |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// A register that is written.
    WriteOut "WriteIn" WriteIn
    { we: Bit, addr: Bits<12>, data: Bits<16>, }
    { }
);

bundle!(
    /// An event that arrived, or a flush.
    EventOut "EventIn" EventIn
    {
        valid: Bit,
        flush: Bit,
        id: Bits<8>,
        core: Bits<4>,
        stamped: Bit,
        stamp: Bits<32>,
        count: Bits<3>,
        a0: Bits<32>,
        a1: Bits<32>,
        a2: Bits<32>,
        a3: Bits<32>,
        a4: Bits<32>,
        a5: Bits<32>,
    }
    { ready: Bit, }
);

bundle!(
    /// An event to send.
    ResultOut "ResultIn" ResultIn
    {
        valid: Bit,
        dest: Bits<6>,
        id: Bits<8>,
        core: Bits<4>,
        lost: Bits<16>,
        stamped: Bit,
        stamp: Bits<32>,
        count: Bits<3>,
        a0: Bits<32>,
        a1: Bits<32>,
        a2: Bits<32>,
        a3: Bits<32>,
        a4: Bits<32>,
        a5: Bits<32>,
    }
    { ready: Bit, }
);
