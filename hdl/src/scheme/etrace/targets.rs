//! Jump target cache: the targets of reported jumps, direct-mapped by their low address bits
//!
//! A row has the upper bits of a target, and a bit that says that it has one.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, section 4.1.3, "Jump target cache mode".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear`, `ready`, `step`, `begins` | | 1 | as in [`super::rows`] |
//! | `jumped` | in | 1 | S2: an indirect jump that is reported leads to the instruction |
//! | `pc` | in | W | its address |
//! | `hit` | out | 1 | S3: after such a jump: the cache has the address |
//!
//! # Timing
//! Latency 1 cycle, one instruction per cycle.
//!
//! Golden model: `sim::baseline::etrace`, its tables.

use super::rows::Rows;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A cache of targets, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Targets<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub step: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub jumped: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub hit: Signal<Out, Bit>,
    rows: Rows<W>,
    // S3: the row of the target
    entry: DFF<Bits<W>>,
    address: Fixed<Bits<W>>,
    index_bits: Fixed<Bits<4>>,
    valid: Fixed<Bits<W>>,
}

impl<const W: usize> Targets<W> {
    /// 2^`log2` targets of `address_bits` bits.
    ///
    /// # Panics
    /// Unless `log2` is 1 to 8 and `address_bits` less than W.
    pub fn new(log2: u8, address_bits: usize) -> Self {
        assert!((1..=8).contains(&log2), "log2 = {log2} is outside 1..=8");
        Self {
            rows: Rows::new(log2, address_bits - usize::from(log2) + 1),
            address: Fixed::new(Bits::<W>::mask() >> (W - address_bits) as u64),
            index_bits: Fixed::of(log2),
            valid: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Targets<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, entry);
        clock!(self, clock, rows);

        // S2
        self.rows.clear.next = self.clear.val();
        self.ready.next = self.rows.ready.val();
        self.rows.step.next = self.step.val();
        self.rows.begins.next = self.begins.val();
        self.rows.uses.next = self.jumped.val();
        self.rows.index.next = self.pc.val().get_bits::<12>(0);
        self.entry.d.next = (((self.pc.val() & self.address.val()) >> self.index_bits.val()) << 1) | self.valid.val();

        // S3
        self.rows.value.next = self.entry.q.val();
        self.hit.next = self.rows.on.val() & (self.rows.row.val() == self.entry.q.val());
    }
}
