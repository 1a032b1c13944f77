//! Last target by address: direct-mapped table without tags
//!
//! # Source
//! J. K. F. Lee, A. J. Smith, "Branch Prediction Strategies and Branch Target Buffer Design", IEEE Computer 17(1), 1984,
//! pp. 6-22, without the tags: entry `PC[s + log2 n - 1 : s]`, for every indirect branch.
//!
//! # Ports
//! As in [`super::TargetIn`].
//!
//! # Timing
//! Latency 1. S2: the entry is read. S3: `hit`, combinational from the memory; entry written. An entry that is read while
//! its predecessor is being written is forwarded from the predecessor. Clearing takes n cycles, entry by entry; instructions
//! in the pipeline at that time are not written.
//!
//! Golden model: [`sim::scheme::tr::target::last`].

use super::TargetIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::last::LastSizes;
use sim::scheme::tr::target::TargetSizes;

/// A last-target predictor of at most 256 entries, for targets of less than W bits.
#[derive(crate::LogicBlock, Default)]
pub struct Last<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: TargetIn<W>,
    entries: Mem<8, W>,
    // the entry that is cleared; above the last one: none
    at: DFF<Bits<9>>,
    sweeping: Signal<Local, Bit>,
    // S2
    index_2: Signal<Local, Bits<8>>,
    lookup_2: Signal<Local, Bit>,
    // S3; an entry is its valid bit and the target above it
    index_3: DFF<Bits<8>>,
    lookup_3: DFF<Bit>,
    known_3: DFF<Bit>,
    own_3: DFF<Bits<W>>,
    same_3: DFF<Bit>,
    last_3: DFF<Bits<W>>,
    found: Signal<Local, Bits<W>>,
    mask: Fixed<Bits<8>>,
    words: Fixed<Bits<9>>,
    one: Fixed<Bits<9>>,
    valid: Fixed<Bits<W>>,
    entry: Fixed<Bits<W>>,
}

impl<const W: usize> Last<W> {
    /// The predictor for `sizes`, for targets of `address_bits` bits; higher bits are ignored.
    ///
    /// # Panics
    /// When [`TargetSizes::check`] refuses `sizes`, or unless `address_bits` < W: the valid bit is stored with the target.
    pub fn new(sizes: &LastSizes, address_bits: usize) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        assert!((1..W).contains(&address_bits), "address_bits = {address_bits} is outside 1..{W}");
        Self {
            entries: Mem::new(sizes.log2() as usize, address_bits + 1),
            mask: Fixed::of(sizes.entries - 1),
            words: Fixed::of(sizes.entries),
            one: Fixed::new(1.into()),
            valid: Fixed::new(1.into()),
            entry: Fixed::new(Bits::<W>::mask() >> (W - address_bits - 1) as u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Part<TargetIn<W>> for Last<W> {
    fn name(&self) -> &'static str {
        "last"
    }
    fn latency(&self) -> usize {
        1
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut TargetIn<W> {
        &mut self.port
    }
}

impl<const W: usize> Logic for Last<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, index_3, lookup_3, known_3, own_3, same_3, last_3);
        self.entries.clock.next = self.clock.val();
        self.sweeping.next = self.at.q.val() != self.words.val();
        if self.sweeping.val() {
            self.at.d.next = self.at.q.val() + self.one.val();
        }
        if self.port.clear.val() {
            self.at.d.next = 0.into();
        }
        self.port.ready.next = !self.sweeping.val();

        // S2
        self.lookup_2.next = self.port.lookup.val() | self.port.pop.val();
        self.index_2.next = self.port.hash.val().get_bits::<8>(0) & self.mask.val();
        self.entries.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.lookup_3.d.next = self.lookup_2.val();
        self.known_3.d.next = self.lookup_2.val() & !self.sweeping.val();
        self.own_3.d.next = bit_cast::<W, W>(self.port.target.val() << 1) | self.valid.val();
        self.same_3.d.next = (self.index_2.val() == self.index_3.q.val()) & self.lookup_3.q.val();
        self.last_3.d.next = self.own_3.q.val();

        // S3
        self.found.next = self.entries.rdata.val();
        if self.same_3.q.val() {
            self.found.next = self.last_3.q.val() & self.entry.val();
        }
        self.port.hit.next = self.known_3.q.val() & (self.found.val() == (self.own_3.q.val() & self.entry.val()));
        self.entries.we.next = self.lookup_3.q.val() | self.sweeping.val();
        self.entries.waddr.next = self.index_3.q.val();
        self.entries.wdata.next = self.own_3.q.val();
        if self.sweeping.val() {
            self.entries.waddr.next = self.at.q.val().get_bits::<8>(0);
            self.entries.wdata.next = 0.into();
        }
    }
}
