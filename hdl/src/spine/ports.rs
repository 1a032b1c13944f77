//! Port bundles of the spine
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`ControlOut`] | spine, front end | when to trace, and what became of it |
//! | [`VerdictOut`] | life, messages of a front end | what an instruction is due to, see [`super::life`] |
//! | [`EntryOut`] | front end, event FIFO | an event entry, see [`super::entry`] |
//! | [`ReadOut`] | encoder, event FIFOs | the entry that is next, field by field |
//! | [`PieceOut`] | encoder, packer | bits of messages, up to 15 a clock |
//! | [`WordsOut`] | packer, outside | trace words |
//! | [`BusOut`] | outside, registers | register bus |
//!
//! # Control
//! | port | dir of a front end | meaning |
//! | --- | --- | --- |
//! | `enable` | in | 1: trace, from when `ready`; 0: end the trace with a stop message |
//! | `full` | in | fewer than two entries are free by the event FIFO's registered count |
//! | `spent` | in | no place of the event FIFO is left to be taken, see [`super::room`] |
//! | `roomy` | in | there is room to go on behind a gap |
//! | `stop_go` | in | all cores of the system are `stop_ready`: send the stop message now |
//! | `due` | in | at the next control-flow instruction a resync is |
//! | `anew` | in | the header was sent again, and no sync since: the next one is for those who begin there |
//! | `ask` | in | the header is sent again: times count from this clock |
//! | `lead_lag` | in | where several retire a clock: `lag` of core 0 |
//! | `ready` | out | the predictors are in their reset state, tracing can begin |
//! | `stop_ready` | out | tracing has ended, all else is sent |
//! | `lost` | out | instructions are being lost |
//! | `loses` | out | one is lost in this clock |
//! | `lag` | out | where several retire a clock: clocks by which what is there was told late where resyncs are decided |
//! | `crowd` | out | where several retire a clock: two words or more wait in their queue |
//! | `more` | out | where several retire a clock: what `counted` tells of are so many more; so are, as many clocks later as that is before the last stage, those of `loses` |
//! | `take`, `give` | out | a place of the event FIFO is taken, given back |
//! | `counted` | out | an instruction retires, and is not lost |
//! | `broken` | out | a traced instruction does not follow from the one before |
//! | `resynced`, `synced` | out | a resync is sent; that or another sync is |
//!
//! # Read
//! | port | dir of the encoder | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `have` | in | 1 | an entry is there, with `word` its first field, and stays until `done` |
//! | `core` | in | 4 | its core, Ti |
//! | `field` | out | 2 | the field of it that is wanted next, see [`super::event_fifo`]; with `done` the first one |
//! | `word` | in | W | the field that was wanted at the last edge |
//! | `cc` | in | 32 | `cc` of the entry |
//! | `landing` | in | W | where the core's oldest resync went, see [`super::landing`] |
//! | `done` | out | 1 | the entry is done with; the next one may be there in the next clock |
//! | `ends` | out | 1 | with `done`: it was a stop message |
//! | `lands` | out | 1 | with `done`: `landing` was told |
//! | `again` | out | 1 | the last bit of a marker of core 0 is taken: the header follows |
//!
//! # Pieces
//! | port | dir of the encoder | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `valid` | out | 1 | bits are there, and stay until `ready` |
//! | `count` | out | 4 | how many, 1 to [`Pieces::most`](super::pieces::Pieces::most) |
//! | `data` | out | 8 | they, the first one lowest; 0 above |
//! | `high` | out | 8 | of broad pieces those above the lower eight; else 0 |
//! | `busy` | out | 1 | of entries that are done with, bits are still to come |
//! | `ready` | in | 1 | they are taken at this edge if `valid` |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// When a front end is to trace, and what became of it.
    ControlOut "ControlIn" ControlIn
    { enable: Bit, full: Bit, spent: Bit, roomy: Bit, stop_go: Bit, due: Bit, anew: Bit, ask: Bit, lead_lag: Bits<8>, }
    {
        ready: Bit,
        stop_ready: Bit,
        lost: Bit,
        loses: Bit,
        more: Bits<10>,
        crowd: Bit,
        lag: Bits<8>,
        take: Bit,
        give: Bit,
        counted: Bit,
        resynced: Bit,
        synced: Bit,
        broken: Bit,
    }
);

bundle!(
    /// What the instruction of this cycle is due to: from the life of a trace to what makes its entries.
    VerdictOut "VerdictIn" VerdictIn
    {
        beat: Bit,
        sync: Bit,
        fresh: Bit,
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
    { asks: Bit, flow: Bit, }
);

bundle!(
    /// An event entry.
    EntryOut "EntryIn" EntryIn<W>
    {
        push: Bit,
        pre: Bits<2>,
        post: Bits<2>,
        icnt: Bits<24>,
        belongs: Bits<19>,
        bcnt: Bits<24>,
        pc: Bits<W>,
        target: Bits<W>,
        landing: Bits<W>,
        cc: Bits<32>,
    }
    {}
);

bundle!(
    /// The entry that is next, field by field.
    ReadOut "ReadIn" ReadIn<W>
    { have: Bit, core: Bits<4>, word: Bits<W>, cc: Bits<32>, landing: Bits<W>, }
    { field: Bits<2>, done: Bit, ends: Bit, again: Bit, lands: Bit, }
);

bundle!(
    /// Bits of messages.
    PieceOut "PieceIn" PieceIn
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
    /// Register bus: `rdata` answers a clock after `addr`.
    BusOut "BusIn" BusIn
    { addr: Bits<3>, write: Bit, wdata: Bits<32>, }
    { rdata: Bits<32>, }
);
