//! Coder with exponential Golomb codes: one bit per cycle
//!
//! This is the smallest example of a coder. Systems with the messages of many cores use [`super::chunked`].
//!
//! # Source
//! As in the golden model; `docs/reference/stream.md`, "Exponential Golomb codes".
//!
//! # Ports
//! As in [`super::CoderIn`].
//!
//! # Timing
//! A number in order k takes one cycle for each of its bits, k, and two. An address takes two more, and one for its sign. A field of
//! fixed width takes one for each bit; a core index one.
//!
//! Golden model: [`sim::scheme::tr::coder::golomb`].

use super::{CoderIn, ADDRESS, COUNT, CYCLES, RAW};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::tr::coder::golomb::Orders;

/// The state of the coder.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum GolombStep {
    /// Waits for a field.
    Idle,
    /// Subtracts the last address.
    Subtract,
    /// Adds 2^k to the magnitude, or to the field, which makes w.
    Add,
    /// Shifts w by k.
    Skip,
    /// Sends a one for each bit of w above its lowest k except one, then a zero.
    Ones,
    /// Sends the bits of w below its highest.
    Low,
    /// Sends the sign of an address.
    Sign,
}

/// A coder that writes exponential Golomb codes.
#[derive(crate::LogicBlock, Default)]
pub struct Golomb<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: CoderIn<W>,
    step: DFF<GolombStep>,
    // the field, then w without a bit above W; bits that are still to be sent
    v: DFF<Bits<W>>,
    left: DFF<Bits<7>>,
    // w without its lowest bit, shifted
    above: DFF<Bits<W>>,
    skip: DFF<Bits<4>>,
    order: DFF<Bits<4>>,
    power: DFF<Bits<W>>,
    address: DFF<Bit>,
    negative: DFF<Bit>,
    lead: DFF<Bit>,
    core: DFF<Bits<4>>,
    new_order: Signal<Local, Bits<4>>,
    raw: Signal<Local, Bit>,
    is_address: Signal<Local, Bit>,
    difference: Signal<Local, Bits<W>>,
    below: Signal<Local, Bit>,
    plain: Signal<Local, Bits<W>>,
    w: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bit>,
    next_bit: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    k_raw: Fixed<Bits<3>>,
    k_count: Fixed<Bits<3>>,
    k_address: Fixed<Bits<3>>,
    k_cycles: Fixed<Bits<3>>,
    b_order: Fixed<Bits<4>>,
    t_order: Fixed<Bits<4>>,
    c_order: Fixed<Bits<4>>,
    i_order: Fixed<Bits<4>>,
    ti_bits: Fixed<Bits<4>>,
    mask: Fixed<Bits<W>>,
    sign_bit: Fixed<Bits<W>>,
    top_bit: Fixed<Bits<W>>,
    one_w: Fixed<Bits<W>>,
    one_4: Fixed<Bits<4>>,
    one_7: Fixed<Bits<7>>,
}

impl<const W: usize> Golomb<W> {
    /// The coder for codes of these orders, in systems of `params`.
    ///
    /// # Panics
    /// When the addresses of `params` have more than W bits.
    pub fn new(orders: &Orders, params: &TraceParams) -> Self {
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        Self {
            k_raw: Fixed::of(RAW),
            k_count: Fixed::of(COUNT),
            k_address: Fixed::of(ADDRESS),
            k_cycles: Fixed::of(CYCLES),
            b_order: Fixed::of(orders.b_cnt),
            t_order: Fixed::of(orders.diff_ta),
            c_order: Fixed::of(orders.diff_cc),
            i_order: Fixed::of(orders.i_cnt),
            ti_bits: Fixed::of(params.ti_bits()),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            sign_bit: Fixed::of(1u64 << (bits - 1)),
            top_bit: Fixed::of(1u64 << (W - 1)),
            one_w: Fixed::of(1u8),
            one_4: Fixed::of(1u8),
            one_7: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl<const W: usize> Part<CoderIn<W>> for Golomb<W> {
    fn name(&self) -> &'static str {
        "golomb"
    }
    fn latency(&self) -> usize {
        3
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut CoderIn<W> {
        &mut self.port
    }
}

impl<const W: usize> Logic for Golomb<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, v, left, above, skip, order, power, address, negative, lead, core);

        // the order of a field, and whether it has none
        self.new_order.next = self.i_order.val();
        if self.port.kind.val() == self.k_count.val() {
            self.new_order.next = self.b_order.val();
        }
        if self.port.kind.val() == self.k_cycles.val() {
            self.new_order.next = self.c_order.val();
        }
        if self.port.kind.val() == self.k_address.val() {
            self.new_order.next = self.t_order.val();
        }
        self.raw.next = self.port.kind.val() == self.k_raw.val();
        self.is_address.next = self.port.kind.val() == self.k_address.val();

        // a - b is a + ~b + 1; |a| is a, or ~a + 1
        self.difference.next = (self.v.q.val() + self.port.minus.val() + self.one_w.val()) & self.mask.val();
        self.below.next = (self.difference.val() & self.sign_bit.val()).any();
        self.plain.next = self.v.q.val();
        self.w.next = self.plain.val() + self.power.q.val();
        if self.negative.q.val() {
            self.plain.next = !self.v.q.val() & self.mask.val();
            self.w.next = self.plain.val() + self.power.q.val() + self.one_w.val();
        }
        // the addend has no top bit: so the sum has one more bit if the top bit of the field is cleared
        self.carry.next = (self.plain.val() & self.top_bit.val()).any() & !(self.w.val() & self.top_bit.val()).any();

        // one bit per cycle; the core index first
        self.sends.next = false;
        self.next_bit.next = self.v.q.val().get_bit(0);
        match self.step.q.val() {
            GolombStep::Ones => {
                self.sends.next = true;
                self.next_bit.next = self.above.q.val().any();
            }
            GolombStep::Low => {
                self.sends.next = true;
            }
            GolombStep::Sign => {
                self.sends.next = true;
                self.next_bit.next = self.negative.q.val();
            }
            _ => {}
        }
        self.port.have.next = self.sends.val();
        self.port.count.next = self.one_4.val();
        self.port.data.next = bit_cast::<8, 1>(self.next_bit.val().into());
        self.sent.next = self.sends.val() & self.port.taken.val() & !self.lead.q.val();
        if self.lead.q.val() {
            self.port.count.next = self.ti_bits.val();
            self.port.data.next = bit_cast::<8, 4>(self.core.q.val());
            if self.sends.val() & self.port.taken.val() {
                self.lead.d.next = false;
            }
        }
        self.port.busy.next = self.step.q.val() != GolombStep::Idle;

        self.port.ready.next = false;
        match self.step.q.val() {
            GolombStep::Idle => {
                self.v.d.next = self.port.value.val();
                if self.port.zero.val() {
                    self.v.d.next = 0.into();
                }
                self.order.d.next = self.new_order.val();
                self.skip.d.next = self.new_order.val();
                self.power.d.next = self.one_w.val() << bit_cast::<W, 4>(self.new_order.val());
                self.left.d.next = bit_cast::<7, 6>(self.port.size.val());
                self.address.d.next = self.is_address.val();
                self.negative.d.next = false;
                self.lead.d.next = self.port.lead.val();
                self.core.d.next = self.port.core.val();
                if self.port.valid.val() {
                    self.port.ready.next = !self.is_address.val();
                    self.step.d.next = GolombStep::Add;
                    if self.raw.val() {
                        self.step.d.next = GolombStep::Low;
                    }
                    if self.is_address.val() {
                        self.step.d.next = GolombStep::Subtract;
                    }
                }
            }
            GolombStep::Subtract => {
                self.port.ready.next = true;
                self.v.d.next = self.difference.val();
                self.negative.d.next = self.below.val();
                self.step.d.next = GolombStep::Add;
            }
            GolombStep::Add => {
                self.v.d.next = self.w.val();
                self.above.d.next = self.w.val() >> 1;
                if self.carry.val() {
                    self.above.d.next = (self.w.val() >> 1) | self.top_bit.val();
                }
                // one bit less, as in a field of fixed width
                self.left.d.next = bit_cast::<7, 4>(self.order.q.val()) - self.one_7.val();
                self.step.d.next = GolombStep::Skip;
            }
            GolombStep::Skip => {
                self.skip.d.next = self.skip.q.val() - self.one_4.val();
                if self.skip.q.val().any() {
                    self.above.d.next = self.above.q.val() >> 1;
                } else {
                    self.step.d.next = GolombStep::Ones;
                }
            }
            GolombStep::Ones => {
                if self.sent.val() {
                    self.above.d.next = self.above.q.val() >> 1;
                    if self.next_bit.val() {
                        self.left.d.next = self.left.q.val() + self.one_7.val();
                    } else if !self.left.q.val().all() {
                        self.step.d.next = GolombStep::Low;
                    } else if self.address.q.val() {
                        self.step.d.next = GolombStep::Sign;
                    } else {
                        self.step.d.next = GolombStep::Idle;
                    }
                }
            }
            GolombStep::Low => {
                if self.sent.val() {
                    self.v.d.next = self.v.q.val() >> 1;
                    self.left.d.next = self.left.q.val() - self.one_7.val();
                    if !self.left.q.val().any() {
                        self.step.d.next = GolombStep::Idle;
                        if self.address.q.val() {
                            self.step.d.next = GolombStep::Sign;
                        }
                    }
                }
            }
            GolombStep::Sign => {
                if self.sent.val() {
                    self.step.d.next = GolombStep::Idle;
                }
            }
        }
        if self.port.reset.val() {
            self.step.d.next = GolombStep::Idle;
            self.lead.d.next = false;
        }
    }
}
