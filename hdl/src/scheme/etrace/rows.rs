//! Rows of a table that each synchronization resets: predictors, jump target cache
//!
//! A row has the number of an epoch, of one bit. A synchronization changes the epoch, and a row of the other epoch reads 0. Each traced
//! instruction that does not use the table, and does not begin with a synchronization, brings one row to the current epoch. A
//! synchronization that comes before the last row does not change the epoch: until the next one, the table is not used.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, sections 4.1.2 and 4.1.3: tables are reset by a synchronization.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | the trace has ended, or reset: all rows are cleared, one per cycle |
//! | `ready` | out | 1 | they are |
//! | `step` | in | 1 | S2: an instruction is traced in this cycle |
//! | `begins` | in | 1 | it begins with a synchronization |
//! | `uses` | in | 1 | it uses the table |
//! | `index` | in | 12 | row that it uses; higher bits than those of the table are ignored |
//! | `on` | out | 1 | S3: the table is used |
//! | `row` | out | W | S3: the row; 0 since the synchronization |
//! | `value` | in | W | S3: its new content, if `uses` was 1 |
//!
//! # Timing
//! Latency 1 cycle, one instruction per cycle. A row that is read while it is written is forwarded.
//!
//! Golden model: [`sim::baseline::etrace::Clearing`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// At most 4096 rows of at most W - 1 bits.
#[derive(LogicBlock, Default)]
pub struct Rows<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub step: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub uses: Signal<In, Bit>,
    pub index: Signal<In, Bits<12>>,
    pub on: Signal<Out, Bit>,
    pub row: Signal<Out, Bits<W>>,
    pub value: Signal<In, Bits<W>>,
    // the epoch is the lowest bit
    rows: Mem<12, W>,
    // S2: the next row to be cleared; above the last one: all are clear
    at: DFF<Bits<13>>,
    swept: DFF<Bit>,
    is_on: DFF<Bit>,
    epoch: DFF<Bit>,
    is_clear: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    index_2: Signal<Local, Bits<12>>,
    // S3
    index_3: DFF<Bits<12>>,
    write_3: DFF<Bit>,
    use_3: DFF<Bit>,
    sweep_3: DFF<Bit>,
    same_3: DFF<Bit>,
    last_write: DFF<Bits<W>>,
    read: Signal<Local, Bits<W>>,
    kept: Signal<Local, Bits<W>>,
    updated: Signal<Local, Bits<W>>,
    count: Fixed<Bits<13>>,
    one: Fixed<Bits<13>>,
    mask: Fixed<Bits<12>>,
}

impl<const W: usize> Rows<W> {
    /// 2^`log2` rows of `bits` bits.
    ///
    /// # Panics
    /// Unless `log2` is 1 to 12 and `bits` less than W.
    pub fn new(log2: u8, bits: usize) -> Self {
        assert!((1..=12).contains(&log2), "log2 = {log2} is outside 1..=12");
        Self {
            rows: Mem::new(log2.into(), bits + 1),
            count: Fixed::of(1u16 << log2),
            one: Fixed::of(1u8),
            mask: Fixed::of((1u16 << log2) - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Rows<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, swept, is_on, epoch, index_3, write_3, use_3, sweep_3, same_3, last_write);
        self.rows.clock.next = self.clock.val();

        // S2
        self.is_clear.next = self.at.q.val() == self.count.val();
        self.clears.next =
            !self.swept.q.val() | (self.step.val() & !self.begins.val() & !self.uses.val() & !self.is_clear.val());
        if self.clears.val() {
            self.at.d.next = self.at.q.val() + self.one.val();
            if self.is_clear.val() {
                self.at.d.next = self.at.q.val();
                self.swept.d.next = true;
            }
        }
        if self.step.val() & self.begins.val() {
            self.is_on.d.next = self.is_clear.val();
            if self.is_clear.val() {
                self.epoch.d.next = !self.epoch.q.val();
                self.at.d.next = 0.into();
            }
        }
        if self.clear.val() {
            self.at.d.next = 0.into();
            self.swept.d.next = false;
            self.is_on.d.next = false;
            self.epoch.d.next = false;
        }
        self.index_2.next = self.index.val() & self.mask.val();
        if self.clears.val() {
            self.index_2.next = self.at.q.val().get_bits::<12>(0) & self.mask.val();
        }
        self.rows.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.use_3.d.next = self.step.val() & self.uses.val();
        self.sweep_3.d.next = !self.swept.q.val();
        self.write_3.d.next = (self.step.val() & self.uses.val()) | self.clears.val();
        self.same_3.d.next = (self.index_2.val() == self.index_3.q.val()) & self.write_3.q.val();
        self.ready.next = self.swept.q.val();

        // S3
        self.read.next = self.rows.rdata.val();
        if self.same_3.q.val() {
            self.read.next = self.last_write.q.val();
        }
        self.kept.next = 0.into();
        if self.read.val().get_bit(0) == self.epoch.q.val() {
            self.kept.next = self.read.val() >> 1;
        }
        self.on.next = self.is_on.q.val();
        self.row.next = self.kept.val();
        self.updated.next = self.kept.val() << 1;
        if self.use_3.q.val() {
            self.updated.next = self.value.val() << 1;
        }
        if self.sweep_3.q.val() {
            self.updated.next = 0.into();
        }
        self.last_write.d.next = self.updated.val() | bit_cast::<W, 1>(self.epoch.q.val().into());
        self.rows.we.next = self.write_3.q.val();
        self.rows.waddr.next = self.index_3.q.val();
        self.rows.wdata.next = self.updated.val() | bit_cast::<W, 1>(self.epoch.q.val().into());
    }
}
