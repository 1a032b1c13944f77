//! Target predictor with a return address stack for returns, and an iBTB for all other indirect branches
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1.
//!
//! # Ports
//! As in [`super::TargetIn`].
//!
//! # Timing
//! Latency 2, or 1 with the stack alone. Clearing takes 64 cycles: every set of the buffer is cleared twice, since instructions may still
//! be in the pipeline when it begins, and the stack is emptied by popping while `live` is 0.
//!
//! Golden model: [`sim::scheme::tr::target::ras_ibtb`].

use super::ibtb::Ibtb;
use super::ras::Ras;
use super::TargetIn;
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::ras_ibtb::RasIbtbSizes;

/// A return address stack and an iBTB, for targets of less than W bits.
#[derive(crate::LogicBlock, Default)]
pub struct RasIbtb<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: TargetIn<W>,
    ras: Ras<W>,
    ibtb: Ibtb<W>,
    /// Cycles since `clear`; the top bit: all is cleared.
    cleared: DFF<Bits<7>>,
    done: Signal<Local, Bit>,
    target_2: DFF<Bits<W>>,
    pop_2: DFF<Bit>,
    pop_3: DFF<Bit>,
    hit_3: DFF<Bit>,
    one: Fixed<Bits<7>>,
    /// There is no buffer, so the stack's result need not wait for it.
    alone: Fixed<Bit>,
}

impl<const W: usize> RasIbtb<W> {
    /// The predictor for `sizes`, for targets of `address_bits` bits; higher bits are ignored.
    ///
    /// # Panics
    /// As [`Ras::new`] and [`Ibtb::new`].
    pub fn new(sizes: &RasIbtbSizes, address_bits: usize) -> Self {
        Self {
            ras: Ras::new(sizes.ras, address_bits),
            ibtb: Ibtb::new(sizes, address_bits),
            one: Fixed::new(1.into()),
            alone: Fixed::new(sizes.ibtb == 0),
            ..Default::default()
        }
    }
}

impl<const W: usize> Part<TargetIn<W>> for RasIbtb<W> {
    fn name(&self) -> &'static str {
        "ras_ibtb"
    }
    fn latency(&self) -> usize {
        if self.alone.val() {
            1
        } else {
            2
        }
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut TargetIn<W> {
        &mut self.port
    }
}

impl<const W: usize> Logic for RasIbtb<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cleared, target_2, pop_2, pop_3, hit_3);
        clock!(self, clock, ras, ibtb);
        self.done.next = self.cleared.q.val().get_bit(6);
        if !self.done.val() {
            self.cleared.d.next = self.cleared.q.val() + self.one.val();
        }
        if self.port.clear.val() {
            self.cleared.d.next = 0.into();
        }
        self.port.ready.next = self.done.val();
        self.target_2.d.next = self.port.target.val();

        self.ras.clear.next = self.port.clear.val();
        self.ras.live.next = self.port.live.val();
        self.ras.push.next = self.port.push.val();
        self.ras.pop.next = self.port.pop.val();
        self.ras.link.next = self.port.link.val();
        self.ras.target.next = self.target_2.q.val();

        self.ibtb.live.next = self.port.live.val();
        self.ibtb.lookup.next = self.port.lookup.val();
        self.ibtb.branch.next = self.port.branch.val();
        self.ibtb.taken.next = self.port.taken.val();
        self.ibtb.hash.next = self.port.hash.val();
        self.ibtb.target.next = self.target_2.q.val();
        self.ibtb.sweep.next = !self.done.val();
        self.ibtb.index.next = self.cleared.q.val().get_bits::<5>(0);

        self.pop_2.d.next = self.port.pop.val();
        self.pop_3.d.next = self.pop_2.q.val();
        self.hit_3.d.next = self.ras.hit.val();
        self.port.hit.next = self.ibtb.hit.val();
        if self.pop_3.q.val() {
            self.port.hit.next = self.hit_3.q.val();
        }
        if self.alone.val() {
            self.port.hit.next = self.pop_2.q.val() & self.ras.hit.val();
        }
    }
}
