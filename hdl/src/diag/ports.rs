//! Port bundles of the diagnosis circuits
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`WriteOut`] | network interface, its client | a register write |
//! | [`EventOut`] | network interface, node | an incoming event or a flush |
//! | [`ResultOut`] | node or generator, network interface | an event to send |
//! | [`SeenOut`] | observer of a core, generator | what the core retires |
//!
//! # Write
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `we` | 1 | write enable, for one cycle |
//! | `addr` | 12 | the register, see `sim::diag::registers` |
//! | `data` | 16 | the value |
//!
//! # Event and result
//! All are stable from `valid` to the cycle of `ready`. Arguments from `count` on are 0.
//!
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `valid` | 1 | there is an event or a flush |
//! | `flush` | 1 | of `EventOut`: a flush: all tables are to be sent and emptied |
//! | `dest` | 6 | of `ResultOut`: the destination address |
//! | `lost` | 16 | of `ResultOut`: events that the producer lost before it |
//! | `id`, `core` | 8, 4 | identifier of the event, and its core |
//! | `stamped`, `stamp` | 1, 32 | whether it has a time stamp; the time stamp |
//! | `count`, `a0` to `a5` | 3, 32 each | arguments |
//! | `ready` | 1 | in the other direction: accepted |

//!
//! # Seen
//! Of a core whose addresses and registers have W bits, 32 or 64.
//!
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `valid` | 1 | an instruction retires |
//! | `first` | 1 | it is the first after a reset of its core: registers, stack and open calls are unknown |
//! | `now` | W | the current cycle, also valid while nothing retires; bits 31:0 count |
//! | `pc`, `target` | W | its address; the address of the next instruction |
//! | `call`, `back`, `xret` | 1 | it is a call; a return; both may be 1; a trap return |
//! | `through_sp` | 1 | it stores a register with `sp` as its base: W bits |
//! | `trap`, `cause`, `came` | 1, 9, W | it is the first after a trap; bit 8: interrupt, bits 7:0: cause; address where it occurred |
//! | `load` to `stored`, `sets`, `rd`, `value` | | see [`crate::ingress::rvfi_data`] |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// A register write.
    WriteOut "WriteIn" WriteIn
    { we: Bit, addr: Bits<12>, data: Bits<16>, }
    { }
);

bundle!(
    /// An incoming event or a flush.
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

bundle!(
    /// Instructions that a core retires.
    SeenOut "SeenIn" SeenIn<W>
    {
        valid: Bit,
        first: Bit,
        now: Bits<W>,
        pc: Bits<W>,
        target: Bits<W>,
        call: Bit,
        back: Bit,
        xret: Bit,
        through_sp: Bit,
        trap: Bit,
        cause: Bits<9>,
        came: Bits<W>,
        load: Bit,
        store: Bit,
        addr: Bits<W>,
        size: Bits<2>,
        loaded: Bits<W>,
        stored: Bits<W>,
        sets: Bit,
        rd: Bits<5>,
        value: Bits<W>,
    }
    { }
);
