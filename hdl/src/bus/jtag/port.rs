//! Port: a test access port to the registers of a trace system, and one that also carries its trace words
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | of the system; resets the whole port |
//! | `tck`, `tms`, `tdi`, `trst_n`, `tdo`, `tdo_enable` | | 1 | pins, see [`super::tap`] |
//! | `bus` | out | | register bus with addresses of A bits |
//! | `words` | in | | trace words, only of [`JtagWords`] |
//!
//! # Timing
//! As its parts.
//!
//! Golden model: [`sim::jtag`].

use super::drain::Drain;
use super::dtm::Dtm;
use super::tap::Tap;
use crate::bus::{MapOut, WordStreamIn};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A test access port to registers only.
#[derive(LogicBlock, Default)]
pub struct Jtag<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub tck: Signal<In, Bit>,
    pub tms: Signal<In, Bit>,
    pub tdi: Signal<In, Bit>,
    pub trst_n: Signal<In, Bit>,
    pub tdo: Signal<Out, Bit>,
    pub tdo_enable: Signal<Out, Bit>,
    pub bus: MapOut<A>,
    tap: Tap,
    dtm: Dtm<A>,
}

impl<const A: usize> Jtag<A> {
    /// A port in its reset state.
    pub fn new() -> Self {
        Self { tap: Tap::new(), dtm: Dtm::new(), ..Default::default() }
    }
}

impl<const A: usize> Logic for Jtag<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tap, dtm);
        self.tap.reset.next = self.reset.val();
        self.dtm.reset.next = self.reset.val();
        self.tap.tck.next = self.tck.val();
        self.tap.tms.next = self.tms.val();
        self.tap.tdi.next = self.tdi.val();
        self.tap.trst_n.next = self.trst_n.val();
        self.tdo.next = self.tap.tdo.val();
        self.tdo_enable.next = self.tap.tdo_enable.val();
        self.dtm.scan.capture.next = self.tap.scan.capture.val();
        self.dtm.scan.shift.next = self.tap.scan.shift.val();
        self.dtm.scan.update.next = self.tap.scan.update.val();
        self.dtm.scan.tdi.next = self.tap.scan.tdi.val();
        self.dtm.scan.ir.next = self.tap.scan.ir.val();
        self.tap.scan.low.next = self.dtm.scan.low.val();
        MapOut::<A>::link(&mut self.bus, &mut self.dtm.bus);
    }
}

/// A test access port to registers and trace words.
#[derive(LogicBlock, Default)]
pub struct JtagWords<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub tck: Signal<In, Bit>,
    pub tms: Signal<In, Bit>,
    pub tdi: Signal<In, Bit>,
    pub trst_n: Signal<In, Bit>,
    pub tdo: Signal<Out, Bit>,
    pub tdo_enable: Signal<Out, Bit>,
    pub bus: MapOut<A>,
    pub words: WordStreamIn<32>,
    tap: Tap,
    dtm: Dtm<A>,
    drain: Drain,
    ir: Fixed<Bits<5>>,
}

impl<const A: usize> JtagWords<A> {
    /// A port in its reset state.
    pub fn new() -> Self {
        Self {
            tap: Tap::new(),
            dtm: Dtm::new(),
            drain: Drain::new(),
            ir: Fixed::of(sim::jtag::WORDS_IR),
            ..Default::default()
        }
    }
}

impl<const A: usize> Logic for JtagWords<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tap, dtm, drain);
        self.tap.reset.next = self.reset.val();
        self.dtm.reset.next = self.reset.val();
        self.drain.reset.next = self.reset.val();
        self.tap.tck.next = self.tck.val();
        self.tap.tms.next = self.tms.val();
        self.tap.tdi.next = self.tdi.val();
        self.tap.trst_n.next = self.trst_n.val();
        self.tdo.next = self.tap.tdo.val();
        self.tdo_enable.next = self.tap.tdo_enable.val();
        self.dtm.scan.capture.next = self.tap.scan.capture.val();
        self.dtm.scan.shift.next = self.tap.scan.shift.val();
        self.dtm.scan.update.next = self.tap.scan.update.val();
        self.dtm.scan.tdi.next = self.tap.scan.tdi.val();
        self.dtm.scan.ir.next = self.tap.scan.ir.val();
        self.drain.scan.capture.next = self.tap.scan.capture.val();
        self.drain.scan.shift.next = self.tap.scan.shift.val();
        self.drain.scan.update.next = self.tap.scan.update.val();
        self.drain.scan.tdi.next = self.tap.scan.tdi.val();
        self.drain.scan.ir.next = self.tap.scan.ir.val();
        self.tap.scan.low.next = self.dtm.scan.low.val();
        if self.tap.scan.ir.val() == self.ir.val() {
            self.tap.scan.low.next = self.drain.scan.low.val();
        }
        MapOut::<A>::link(&mut self.bus, &mut self.dtm.bus);
        WordStreamIn::<32>::link(&mut self.words, &mut self.drain.words);
    }
}
