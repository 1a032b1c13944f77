//! Front port: the ports of every front end and of every encoder
//!
//! # Front end
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `control` | in | | to the spine, see [`super::ports`] |
//! | `go` | out | 1 | this cycle is traced: for the ingress adapter, which responds one cycle later |
//! | `open` | out | 1 | an instruction that retires in this cycle belongs to the trace: it is reported or lost |
//! | `beat` | in | | its beats, see [`crate::ingress::beat`] |
//! | `entry` | out | | event entries, see [`super::entry`] |
//! | `more`, `step`, `lag` | in | 24, 32, 8 | with [`super::Extras::retire`]: instructions before that of a beat, cycles since the beat before, and delay of the beat; they come as many cycles after the beat as the front end's [`Part::latency`](crate::widget::slot::Part::latency) |
//! | `timestamp` | in | 32 | with [`super::Extras::time_input`]: the time of this cycle; otherwise 0 |
//! | `entering` | in | 10 | with [`super::Extras::retire`]: `more` of the current beat |
//!
//! # Encoder
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: idle, no message is partly sent |
//! | `time_enable` | in | 1 | messages have a time; 0 only with [`super::Extras::time_input`] |
//! | `entry` | in | | the entry that is next, see [`super::ports`] |
//! | `bits` | out | | slices of its messages, see [`super::ports`] |

use super::ports::{ControlIn, EntryOut, ReadIn, SliceOut};
use crate::ingress::beat::BeatIn;
use rust_hdl::prelude::*;

/// The ports of a front end, except its clock.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct FrontPort<const W: usize> {
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub go: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub beat: BeatIn<W>,
    pub entry: EntryOut<W>,
    pub more: Signal<In, Bits<24>>,
    pub step: Signal<In, Bits<32>>,
    pub lag: Signal<In, Bits<8>>,
    pub entering: Signal<In, Bits<10>>,
    pub timestamp: Signal<In, Bits<32>>,
}

/// The ports of an encoder, except its clock.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct EncoderPort<const W: usize> {
    pub reset: Signal<In, Bit>,
    pub time_enable: Signal<In, Bit>,
    pub entry: ReadIn<W>,
    pub bits: SliceOut,
}
