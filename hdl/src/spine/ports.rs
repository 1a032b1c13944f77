//! Port bundles of the spine
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`ControlOut`] | spine, front end | when to trace; state of the trace |
//! | [`DecisionOut`] | trace state machine, messages of a front end | decision about an instruction, see [`super::trace_fsm`] |
//! | [`EntryOut`] | front end, event FIFO | an event entry, see [`super::entry`] |
//! | [`ReadOut`] | encoder, event FIFOs | the next entry, field by field |
//! | [`SliceOut`] | encoder, packer | bits of messages, up to 15 per cycle |
//! | [`WordsOut`] | packer, outside | trace words |
//! | [`BusOut`] | outside, registers | register bus |
//!
//! # Control
//! | port | dir of a front end | meaning |
//! | --- | --- | --- |
//! | `enable` | in | 1: trace, once `ready` is 1; 0: end the trace with a stop message |
//! | `full` | in | fewer than two entries are free by the event FIFO's registered count |
//! | `no_credit` | in | no entry of the event FIFO is left to reserve, see [`super::credits`] |
//! | `below_watermark` | in | enough entries are free to continue after a gap |
//! | `stop_go` | in | all cores of the system are `stop_ready`: send the stop message now |
//! | `due` | in | a resync is due at the next control-flow instruction |
//! | `after_header` | in | the header was repeated, and no sync has followed: the next sync is for decoders that start there |
//! | `header_repeated` | in | the header is repeated: times count from this cycle |
//! | `lead_lag` | in | with several retired per cycle: `lag` of core 0 |
//! | `ready` | out | the predictors are in their reset state, tracing can begin |
//! | `stop_ready` | out | tracing has ended, and all other messages are sent |
//! | `lost` | out | instructions are being lost |
//! | `loses` | out | one is lost in this cycle |
//! | `lag` | out | with several retired per cycle: delay, in cycles, of the beat at the stage where resyncs are decided |
//! | `almost_full` | out | with several retired per cycle: the retire queue holds two words or more |
//! | `more` | out | with several retired per cycle: number of further instructions that `counted` represents, and those of `loses`, these later by the cycles from that stage to the last one |
//! | `take`, `give_back` | out | an entry of the event FIFO is reserved, released |
//! | `counted` | out | an instruction retires, and is not lost |
//! | `discontinuity` | out | a traced instruction does not follow from the one before |
//! | `resynced`, `synced` | out | a resync is sent; a resync or another sync is |
//!
//! # Read
//! | port | dir of the encoder | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `have` | in | 1 | an entry is valid, its first field is at `word`, and it stays until `done` |
//! | `core` | in | 4 | its core, Ti |
//! | `field` | out | 2 | the field to read next, see [`super::event_fifo`]; with `done` the first one of the next entry |
//! | `word` | in | W | the field selected at the last edge |
//! | `cc`, `hist` | in | 32 | `cc` and `hist` of the entry |
//! | `resync_pc` | in | W | PC of the core's oldest resync, see [`super::resync_pc`] |
//! | `done` | out | 1 | remove the entry; the next one may be valid in the next cycle |
//! | `ends` | out | 1 | with `done`: it was a stop message |
//! | `uses_resync_pc` | out | 1 | with `done`: `resync_pc` was sent |
//! | `again` | out | 1 | the last bit of a marker of core 0 is taken: the header follows |
//!
//! # Pieces
//! | port | dir of the encoder | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `valid` | out | 1 | bits are valid, and stay until `ready` |
//! | `count` | out | 4 | their number, 1 to [`Slices::max_bits`](super::slices::Slices::max_bits) |
//! | `data` | out | 8 | the bits, the first one lowest; 0 above `count` |
//! | `high` | out | 8 | bits above the lower eight of a wide slice; else 0 |
//! | `busy` | out | 1 | bits of removed entries are still to come |
//! | `ready` | in | 1 | the bits are taken at this edge if `valid` |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Control of a front end, and state of its trace.
    ControlOut "ControlIn" ControlIn
    { enable: Bit, full: Bit, no_credit: Bit, below_watermark: Bit, stop_go: Bit, due: Bit, after_header: Bit, header_repeated: Bit, lead_lag: Bits<8>, }
    {
        ready: Bit,
        stop_ready: Bit,
        lost: Bit,
        loses: Bit,
        more: Bits<10>,
        almost_full: Bit,
        lag: Bits<8>,
        take: Bit,
        give_back: Bit,
        counted: Bit,
        resynced: Bit,
        synced: Bit,
        discontinuity: Bit,
    }
);

bundle!(
    /// The decision about the instruction of this cycle: from the trace state machine to the block that makes its entries.
    DecisionOut "DecisionIn" DecisionIn
    {
        beat: Bit,
        sync: Bit,
        restart_sync: Bit,
        exception: Bit,
        send: Bit,
        drop: Bit,
        overflow: Bit,
        stop: Bit,
        resync: Bit,
        restart: Bit,
        losing: Bit,
        tracing: Bit,
    }
    { needs_message: Bit, flow: Bit, }
);

bundle!(
    /// An event entry.
    EntryOut "EntryIn" EntryIn<W>
    {
        push: Bit,
        pre: Bits<2>,
        post: Bits<2>,
        icnt: Bits<24>,
        context_value: Bits<19>,
        bcnt: Bits<24>,
        pc: Bits<W>,
        target: Bits<W>,
        resync_pc: Bits<W>,
        cc: Bits<32>,
        hist: Bits<32>,
    }
    {}
);

bundle!(
    /// The next entry, field by field.
    ReadOut "ReadIn" ReadIn<W>
    { have: Bit, core: Bits<4>, word: Bits<W>, cc: Bits<32>, hist: Bits<32>, resync_pc: Bits<W>, }
    { field: Bits<2>, done: Bit, ends: Bit, again: Bit, uses_resync_pc: Bit, }
);

bundle!(
    /// Bits of messages.
    SliceOut "SliceIn" SliceIn
    { valid: Bit, count: Bits<4>, data: Bits<8>, high: Bits<8>, busy: Bit, }
    { ready: Bit, }
);

bundle!(
    /// Trace words.
    WordsOut "WordsIn" WordsIn
    { valid: Bit, data: Bits<32>, }
    { ready: Bit, }
);

bundle!(
    /// Register bus: `rdata` follows `addr` by one cycle.
    BusOut "BusIn" BusIn
    { addr: Bits<3>, write: Bit, wdata: Bits<32>, }
    { rdata: Bits<32>, }
);
