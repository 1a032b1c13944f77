//! Branch predictors: two bits a row, by address, without history
//!
//! A row has the prediction and the last outcome. The prediction changes when it was wrong twice in a row; at first it is not
//! taken, and changes at once. The last outcome is stored inverted, so that the initial value is 0.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, section 4.1.2, "Branch prediction mode".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear`, `ready`, `step`, `begins` | | 1 | as in [`super::rows`] |
//! | `branch`, `taken` | in | 1 | S2: the instruction is a direct conditional branch; its outcome |
//! | `pc` | in | W | its address |
//! | `on` | out | 1 | S3: outcomes are predicted |
//! | `right` | out | 1 | S3: with `on`: the branch is as predicted |
//!
//! # Timing
//! Latency 1 cycle, one instruction per cycle.
//!
//! Golden model: `sim::baseline::etrace`, its tables.

use super::rows::Rows;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A table of predictors.
#[derive(LogicBlock, Default)]
pub struct Predictors<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub step: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub on: Signal<Out, Bit>,
    pub right: Signal<Out, Bit>,
    rows: Rows<3>,
    taken_3: DFF<Bit>,
    predicted: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    next: Signal<Local, Bit>,
    not_taken: Signal<Local, Bit>,
}

impl<const W: usize> Predictors<W> {
    /// 2^`log2` predictors.
    ///
    /// # Panics
    /// Unless `log2` is 1 to 12.
    pub fn new(log2: u8) -> Self {
        Self { rows: Rows::new(log2, 2), ..Default::default() }
    }
}

impl<const W: usize> Logic for Predictors<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken_3);
        clock!(self, clock, rows);

        // S2
        self.rows.clear.next = self.clear.val();
        self.ready.next = self.rows.ready.val();
        self.rows.step.next = self.step.val();
        self.rows.begins.next = self.begins.val();
        self.rows.uses.next = self.branch.val();
        self.rows.index.next = self.pc.val().get_bits::<12>(0);
        self.taken_3.d.next = self.taken.val();

        // S3
        self.predicted.next = self.rows.row.val().get_bit(1);
        self.last.next = !self.rows.row.val().get_bit(0);
        self.not_taken.next = !self.taken_3.q.val();
        self.next.next = self.predicted.val();
        if self.predicted.val() != self.last.val() {
            self.next.next = self.taken_3.q.val();
        }
        self.rows.value.next =
            (bit_cast::<3, 1>(self.next.val().into()) << 1) | bit_cast::<3, 1>(self.not_taken.val().into());
        self.on.next = self.rows.on.val();
        self.right.next = self.rows.on.val() & (self.predicted.val() == self.taken_3.q.val());
    }
}
