//! TAP: test access port controller, clocked by the system clock
//!
//! # Source
//! IEEE 1149.1-2013, clause 6.1, the controller; 7.1, the instruction register.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | as `trst_n`; also clears the sampled pins |
//! | `tck`, `tms`, `tdi` | in | 1 | pins, asynchronous to the clock |
//! | `trst_n` | in | 1 | pin; low: Test-Logic-Reset. Tie to 1 if there is none |
//! | `tdo`, `tdo_enable` | out | 1 | pin and its output enable |
//! | `scan` | out | | actions of data registers, one cycle each: `capture`, `shift` by a bit, `update`; `tdi`; `ir`, the instruction |
//! | `scan_low` | in | 1 | lowest bit of the selected data register |
//!
//! # Timing
//! Pins pass two flip-flops. An edge of TCK takes effect two to three cycles later; TDO changes three to four cycles
//! after the falling edge. TCK must be low and high for at least four cycles each, so its rate is at most one eighth of
//! the clock's. TMS and TDI must be stable for one cycle around its rising edge.
//!
//! Golden model: [`sim::jtag`].

use super::ScanOut;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// States of the TAP controller.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TapState {
    TestLogicReset,
    RunTestIdle,
    SelectDr,
    CaptureDr,
    ShiftDr,
    Exit1Dr,
    PauseDr,
    Exit2Dr,
    UpdateDr,
    SelectIr,
    CaptureIr,
    ShiftIr,
    Exit1Ir,
    PauseIr,
    Exit2Ir,
    UpdateIr,
}

/// The TAP controller with its instruction register.
#[derive(LogicBlock, Default)]
pub struct Tap {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub tck: Signal<In, Bit>,
    pub tms: Signal<In, Bit>,
    pub tdi: Signal<In, Bit>,
    pub trst_n: Signal<In, Bit>,
    pub tdo: Signal<Out, Bit>,
    pub tdo_enable: Signal<Out, Bit>,
    pub scan: ScanOut,
    tck_near: DFF<Bit>,
    tck_here: DFF<Bit>,
    tck_before: DFF<Bit>,
    tms_near: DFF<Bit>,
    tms_here: DFF<Bit>,
    tdi_near: DFF<Bit>,
    tdi_here: DFF<Bit>,
    trst_near: DFF<Bit>,
    trst_here: DFF<Bit>,
    state: DFF<TapState>,
    ir: DFF<Bits<5>>,
    ir_shift: DFF<Bits<5>>,
    out: DFF<Bit>,
    driven: DFF<Bit>,
    rise: Signal<Local, Bit>,
    fall: Signal<Local, Bit>,
    tms_now: Signal<Local, Bit>,
    // next state with TMS 0 and 1
    low: Signal<Local, TapState>,
    high: Signal<Local, TapState>,
    entering: Signal<Local, Bits<5>>,
    idcode: Fixed<Bits<5>>,
    captured: Fixed<Bits<5>>,
    yes: Fixed<Bit>,
}

impl Tap {
    /// A controller in its reset state.
    pub fn new() -> Self {
        Self {
            idcode: Fixed::of(sim::jtag::IDCODE_IR),
            // the standard requires 01 in the lowest bits
            captured: Fixed::of(1u64),
            yes: Fixed::new(true),
            ..Default::default()
        }
    }
}

impl Logic for Tap {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, tck_near, tck_here, tck_before, tms_near, tms_here, tdi_near, tdi_here);
        dff_setup!(self, clock, trst_near, trst_here, state, ir, ir_shift, out, driven);
        self.tck_near.d.next = self.tck.val();
        self.tck_here.d.next = self.tck_near.q.val();
        self.tck_before.d.next = self.tck_here.q.val();
        self.tms_near.d.next = self.tms.val();
        self.tms_here.d.next = self.tms_near.q.val();
        self.tdi_near.d.next = self.tdi.val();
        self.tdi_here.d.next = self.tdi_near.q.val();
        self.trst_near.d.next = !self.trst_n.val();
        self.trst_here.d.next = self.trst_near.q.val();
        self.rise.next = self.tck_here.q.val() & !self.tck_before.q.val();
        self.fall.next = !self.tck_here.q.val() & self.tck_before.q.val();
        self.tms_now.next = self.tms_here.q.val();

        self.low.next = TapState::RunTestIdle;
        self.high.next = TapState::SelectDr;
        match self.state.q.val() {
            TapState::TestLogicReset => {
                self.high.next = TapState::TestLogicReset;
            }
            TapState::SelectDr => {
                self.low.next = TapState::CaptureDr;
                self.high.next = TapState::SelectIr;
            }
            TapState::CaptureDr => {
                self.low.next = TapState::ShiftDr;
                self.high.next = TapState::Exit1Dr;
            }
            TapState::ShiftDr => {
                self.low.next = TapState::ShiftDr;
                self.high.next = TapState::Exit1Dr;
            }
            TapState::Exit1Dr => {
                self.low.next = TapState::PauseDr;
                self.high.next = TapState::UpdateDr;
            }
            TapState::PauseDr => {
                self.low.next = TapState::PauseDr;
                self.high.next = TapState::Exit2Dr;
            }
            TapState::Exit2Dr => {
                self.low.next = TapState::ShiftDr;
                self.high.next = TapState::UpdateDr;
            }
            TapState::SelectIr => {
                self.low.next = TapState::CaptureIr;
                self.high.next = TapState::TestLogicReset;
            }
            TapState::CaptureIr => {
                self.low.next = TapState::ShiftIr;
                self.high.next = TapState::Exit1Ir;
            }
            TapState::ShiftIr => {
                self.low.next = TapState::ShiftIr;
                self.high.next = TapState::Exit1Ir;
            }
            TapState::Exit1Ir => {
                self.low.next = TapState::PauseIr;
                self.high.next = TapState::UpdateIr;
            }
            TapState::PauseIr => {
                self.low.next = TapState::PauseIr;
                self.high.next = TapState::Exit2Ir;
            }
            TapState::Exit2Ir => {
                self.low.next = TapState::ShiftIr;
                self.high.next = TapState::UpdateIr;
            }
            _ => {}
        }

        self.entering.next = self.ir_shift.q.val() >> 1;
        if self.tdi_here.q.val() {
            self.entering.next = (self.ir_shift.q.val() >> 1) | 16;
        }
        if self.rise.val() {
            self.state.d.next = self.low.val();
            if self.tms_now.val() {
                self.state.d.next = self.high.val();
            }
            if self.state.q.val() == TapState::CaptureIr {
                self.ir_shift.d.next = self.captured.val();
            }
            if self.state.q.val() == TapState::ShiftIr {
                self.ir_shift.d.next = self.entering.val();
            }
        }
        if self.fall.val() {
            self.driven.d.next = (self.state.q.val() == TapState::ShiftDr) | (self.state.q.val() == TapState::ShiftIr);
            self.out.d.next = self.scan.low.val();
            if self.state.q.val() == TapState::ShiftIr {
                self.out.d.next = self.ir_shift.q.val().get_bit(0);
            }
            if self.state.q.val() == TapState::UpdateIr {
                self.ir.d.next = self.ir_shift.q.val();
            }
            if self.state.q.val() == TapState::TestLogicReset {
                self.ir.d.next = self.idcode.val();
            }
        }
        self.scan.capture.next = self.rise.val() & (self.state.q.val() == TapState::CaptureDr);
        self.scan.shift.next = self.rise.val() & (self.state.q.val() == TapState::ShiftDr);
        self.scan.update.next = self.fall.val() & (self.state.q.val() == TapState::UpdateDr);
        self.scan.tdi.next = self.tdi_here.q.val();
        self.scan.ir.next = self.ir.q.val();
        self.tdo.next = self.out.q.val();
        self.tdo_enable.next = self.driven.q.val();

        if self.trst_here.q.val() | self.reset.val() {
            self.state.d.next = TapState::TestLogicReset;
            self.ir.d.next = self.idcode.val();
            self.driven.d.next = false;
        }
        if self.reset.val() {
            self.tck_near.d.next = false;
            self.tck_here.d.next = false;
            self.tck_before.d.next = false;
            self.tms_near.d.next = self.yes.val();
            self.tms_here.d.next = self.yes.val();
            self.tdi_near.d.next = false;
            self.tdi_here.d.next = false;
            self.trst_near.d.next = false;
            self.trst_here.d.next = false;
            self.ir_shift.d.next = self.captured.val();
            self.out.d.next = false;
        }
    }
}
