//! Pins of an ingress, and the ports that all adapters have
//!
//! A system is generic over the pins. They determine the adapter; all circuits after it are the same
//! for all pins.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `live` | in | 1 | 1: this cycle is traced |
//! | `open` | in | 1 | an instruction that retires in this cycle may be reported, now or later; 1 where `live` is |
//! | `pins` | in | | pins of the core, see the adapter |
//! | `hide` | in | 1 | with [`Extras::filter`]: all instructions that retire in this cycle are hidden |
//! | `mode`, `space` | in | 2, 16 | privilege mode and address space identifier, where the pins do not contain them: with [`Extras::filter`], or where contexts are reported |
//! | `modes` | in | 4 | with [`Extras::filter`]: bit m: instructions of mode m are reported |
//! | `first`, `last`, `wanted`, `mask` | in | W, W, 16, 16 | with [`Extras::range`], [`Extras::space`]: as in [`super::address_filter`] |
//! | `beat` | out | | a retire beat, see [`super::beat`] |
//! | `more`, `step`, `lag`, `beat_lost`, `almost_full` | out | 10, 8, 8, 1, 1 | as in [`super::compress`]; 0 where one instruction retires per cycle |

use super::beat::BeatOut;
use crate::spine::Extras;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::beats::Retired;
use sim::params::TraceParams;

/// The pins of an ingress.
pub trait Pins<const W: usize>: LogicLink + LogicJoin + Block + Default + 'static {
    /// Code of the ingress in register `status`.
    const CODE: u8;
    /// Whether the privilege mode is an input of its own, outside the pins.
    const MODE: bool = false;
    /// Whether the address space identifier is an input of its own, outside the pins.
    const SPACE: bool = false;
    /// Whether [`Pins::retire`] drives them.
    const DRIVEN: bool = false;

    /// The adapter for these pins.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, W is not `xlen`, or the adapter has no circuit of an extra.
    fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>>;

    /// Drives the pins with the instruction that retires in this cycle, in the first of several channels; `None`: nothing.
    fn retire(&mut self, _: Option<&Retired>) {}
}

/// The ports of an adapter, except its clock.
#[derive(LogicInterface, Default)]
pub struct IngressPort<P: Pins<W>, const W: usize> {
    pub reset: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
    pub open: Signal<In, Bit>,
    pub pins: P,
    pub hide: Signal<In, Bit>,
    pub mode: Signal<In, Bits<2>>,
    pub modes: Signal<In, Bits<4>>,
    pub space: Signal<In, Bits<16>>,
    pub first: Signal<In, Bits<W>>,
    pub last: Signal<In, Bits<W>>,
    pub wanted: Signal<In, Bits<16>>,
    pub mask: Signal<In, Bits<16>>,
    pub beat: BeatOut<W>,
    pub more: Signal<Out, Bits<10>>,
    pub step: Signal<Out, Bits<8>>,
    pub lag: Signal<Out, Bits<8>>,
    pub beat_lost: Signal<Out, Bit>,
    pub almost_full: Signal<Out, Bit>,
}
