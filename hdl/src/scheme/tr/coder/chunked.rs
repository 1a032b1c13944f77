//! Coder with chunks and connect bits: sends four bits of a chunk per cycle, with the bits that follow the chunk
//!
//! A field is in a shift register. Its slice is the lower four bits of the chunk, or the rest of it. The connect bit follows the
//! last bits of a chunk, and the sign follows the last chunk of an address. With several cores, the core index precedes the first
//! slice.
//!
//! # Source
//! Paper 000 section 4 and figure 7; `docs/reference/stream.md`, "Chunked numbers".
//!
//! # Ports
//! As in [`super::CoderIn`].
//!
//! # Timing
//! A field is taken with the last slice of the one before. An address takes two or three cycles more: for its
//! difference, for the magnitude of a negative one, and to find its last slice.
//!
//! Golden model: [`sim::scheme::tr::coder::chunked`].

use super::{CoderIn, ADDRESS, COUNT, CYCLES, RAW};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::params::{Chunks, Coding, TraceParams};

/// `kind`: as [`ADDRESS`], in chunks of other sizes; only with [`Chunked::with_differences`]. It is taken twice: first `value`, then `minus`,
/// which is not used before.
pub const NEAR: u8 = 5;

/// A coder that writes chunks with connect bits.
#[derive(crate::LogicBlock, Default)]
pub struct Chunked<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: CoderIn<W>,
    // rest of the field, and of its chunk (number of bits less one); size of the next chunk
    v: DFF<Bits<W>>,
    left: DFF<Bits<6>>,
    next_size: DFF<Bits<4>>,
    raw: DFF<Bit>,
    address: DFF<Bit>,
    negative: DFF<Bit>,
    lead: DFF<Bit>,
    core: DFF<Bits<4>>,
    busy: DFF<Bit>,
    // this is the last slice
    ends: DFF<Bit>,
    // v holds an address; its difference, which is negative; the magnitude of this
    has_address: DFF<Bit>,
    has_negative: DFF<Bit>,
    has_magnitude: DFF<Bit>,
    // the slice
    tail: Signal<Local, Bit>,
    full: Signal<Local, Bits<6>>,
    bits: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<4>>,
    shift: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<W>>,
    connect: Signal<Local, Bit>,
    sign: Signal<Local, Bit>,
    trailing_bits: Signal<Local, Bits<8>>,
    own: Signal<Local, Bits<8>>,
    extra: Signal<Local, Bits<4>>,
    // the next slice
    after_left: Signal<Local, Bits<6>>,
    after_tail: Signal<Local, Bit>,
    after_bits: Signal<Local, Bits<4>>,
    then_tail: Signal<Local, Bit>,
    sent_bits: Signal<Local, Bits<4>>,
    more: Signal<Local, Bit>,
    // the next field
    first: Signal<Local, Bits<6>>,
    next: Signal<Local, Bits<4>>,
    free: Signal<Local, Bit>,
    is_address: Signal<Local, Bit>,
    is_raw: Signal<Local, Bit>,
    new_tail: Signal<Local, Bit>,
    new_bits: Signal<Local, Bits<4>>,
    new_more: Signal<Local, Bit>,
    left_term: Signal<Local, Bits<W>>,
    right_term: Signal<Local, Bits<W>>,
    sum: Signal<Local, Bits<W>>,
    // constants from the parameters; sizes are the number of bits less one
    k_raw: Fixed<Bits<3>>,
    k_count: Fixed<Bits<3>>,
    k_address: Fixed<Bits<3>>,
    k_cycles: Fixed<Bits<3>>,
    b_first: Fixed<Bits<6>>,
    b_next: Fixed<Bits<4>>,
    t_first: Fixed<Bits<6>>,
    t_next: Fixed<Bits<4>>,
    c_first: Fixed<Bits<6>>,
    c_next: Fixed<Bits<4>>,
    i_first: Fixed<Bits<6>>,
    i_next: Fixed<Bits<4>>,
    // for differences
    near: Fixed<Bit>,
    k_near: Fixed<Bits<3>>,
    d_first: Fixed<Bits<6>>,
    d_next: Fixed<Bits<4>>,
    long_lead: Fixed<Bit>,
    // no chunk is longer than a slice; no slice of a chunk is a single bit
    short: Fixed<Bit>,
    no_ones: Fixed<Bit>,
    ti_at: Fixed<Bits<3>>,
    ti_bits: Fixed<Bits<4>>,
    mask: Fixed<Bits<W>>,
    sign_bit: Fixed<Bits<W>>,
    one_w: Fixed<Bits<W>>,
    one_4: Fixed<Bits<4>>,
    two_4: Fixed<Bits<4>>,
    three: Fixed<Bits<6>>,
    four: Fixed<Bits<6>>,
}

impl<const W: usize> Chunked<W> {
    /// The coder for chunks of these sizes in systems of `params`. Raw fields have up to four bits, or are a
    /// context.
    ///
    /// # Panics
    /// When the addresses of `params` have more than W bits.
    pub fn new(coding: &Coding, params: &TraceParams) -> Self {
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        let first = |size: u8| Fixed::of(size - 1);
        let next = |size: u8| Fixed::of(size - 1);
        let chunks = [coding.b_cnt, coding.diff_ta, coding.diff_cc, coding.i_cnt];
        let all = |test: fn(u8) -> bool| chunks.iter().all(|c| test(c.first) && test(c.next));
        let (long_lead, long_fields) = (params.ti_bits() > 3, params.context.is_some());
        Self {
            k_raw: Fixed::of(RAW),
            k_count: Fixed::of(COUNT),
            k_address: Fixed::of(ADDRESS),
            k_cycles: Fixed::of(CYCLES),
            b_first: first(coding.b_cnt.first),
            b_next: next(coding.b_cnt.next),
            t_first: first(coding.diff_ta.first),
            t_next: next(coding.diff_ta.next),
            c_first: first(coding.diff_cc.first),
            c_next: next(coding.diff_cc.next),
            i_first: first(coding.i_cnt.first),
            i_next: next(coding.i_cnt.next),
            long_lead: Fixed::new(long_lead),
            short: Fixed::new(all(|bits| bits <= 4) && !long_lead && !long_fields),
            no_ones: Fixed::new(all(|bits| bits % 4 != 1) && !long_lead && !long_fields),
            ti_at: Fixed::of(params.ti_bits()),
            ti_bits: Fixed::of(params.ti_bits()),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            sign_bit: Fixed::of(1u64 << (bits - 1)),
            one_w: Fixed::of(1u8),
            one_4: Fixed::of(1u8),
            two_4: Fixed::of(2u8),
            three: Fixed::of(3u8),
            four: Fixed::of(4u8),
            ..Default::default()
        }
    }

    /// Allows fields of the kind [`NEAR`], in these chunks.
    pub fn with_differences(mut self, chunks: Chunks) -> Self {
        (self.near, self.k_near) = (Fixed::new(true), Fixed::of(NEAR));
        (self.d_first, self.d_next) = (Fixed::of(chunks.first - 1), Fixed::of(chunks.next - 1));
        self.with_long_fields()
    }

    /// Allows raw fields of more than four bits.
    pub fn with_long_fields(mut self) -> Self {
        (self.short, self.no_ones) = (Fixed::new(false), Fixed::new(false));
        self
    }
}

impl<const W: usize> Part<CoderIn<W>> for Chunked<W> {
    fn name(&self) -> &'static str {
        "chunked"
    }
    fn latency(&self) -> usize {
        1
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut CoderIn<W> {
        &mut self.port
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for Chunked<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            v,
            left,
            next_size,
            raw,
            address,
            negative,
            lead,
            core,
            busy,
            has_address,
            has_negative,
            has_magnitude,
            ends
        );

        // number of bits of the chunk in the slice; at most three with a core index of four bits
        self.tail.next = !self.left.q.val().get_bits::<4>(2).any();
        self.full.next = self.four.val();
        if self.lead.q.val() & self.long_lead.val() {
            self.tail.next = self.left.q.val() < self.three.val();
            self.full.next = self.three.val();
        }
        if self.short.val() {
            self.tail.next = true;
        }
        self.bits.next = self.full.val().get_bits::<4>(0);
        if self.tail.val() {
            self.bits.next = bit_cast::<4, 2>(self.left.q.val().get_bits::<2>(0)) + self.one_4.val();
        }
        self.connect.next = self.tail.val() & !self.raw.q.val();
        self.sign.next = self.ends.q.val() & self.address.q.val();
        self.trailing_bits.next = 0.into();
        if self.connect.val() & !self.ends.q.val() {
            self.trailing_bits.next = 1.into();
        }
        if self.sign.val() & self.negative.q.val() {
            self.trailing_bits.next = 2.into();
        }
        self.low.next = self.v.q.val().get_bits::<4>(0);
        // a slice of a single bit is a whole raw field: no bits follow it, so the shift by 1 can be left out
        self.shift.next = self.bits.val();
        if self.no_ones.val() {
            self.shift.next = self.bits.val() | self.two_4.val();
        }
        match self.shift.val().index() {
            1 => {
                self.rest.next = self.v.q.val() >> 1;
                self.own.next = bit_cast::<8, 1>(self.low.val().get_bits::<1>(0)) | (self.trailing_bits.val() << 1);
            }
            2 => {
                self.rest.next = self.v.q.val() >> 2;
                self.own.next = bit_cast::<8, 2>(self.low.val().get_bits::<2>(0)) | (self.trailing_bits.val() << 2);
            }
            3 => {
                self.rest.next = self.v.q.val() >> 3;
                self.own.next = bit_cast::<8, 3>(self.low.val().get_bits::<3>(0)) | (self.trailing_bits.val() << 3);
            }
            _ => {
                self.rest.next = self.v.q.val() >> 4;
                self.own.next = bit_cast::<8, 4>(self.low.val()) | (self.trailing_bits.val() << 4);
            }
        }
        // one for the connect bit, one for the sign
        self.extra.next = 0.into();
        if self.connect.val() {
            self.extra.next = 1.into();
        }
        if self.sign.val() {
            self.extra.next = 2.into();
        }
        self.port.data.next = self.own.val();
        self.port.count.next = self.bits.val() + self.extra.val();
        if self.lead.q.val() {
            self.port.data.next =
                bit_cast::<8, 8>(self.own.val() << self.ti_at.val()) | bit_cast::<8, 4>(self.core.q.val());
            self.port.count.next = self.bits.val() + self.extra.val() + self.ti_bits.val();
        }
        self.port.have.next = self.busy.q.val();
        self.port.busy.next =
            self.busy.q.val() | self.has_address.q.val() | self.has_negative.q.val() | self.has_magnitude.q.val();
        self.free.next = !self.busy.q.val();

        // the next slice is the last one if no bit is left after its chunk. This is computed one cycle before,
        // because the paths from it reach the event FIFOs
        self.after_left.next = self.left.q.val() - self.full.val();
        if self.tail.val() {
            self.after_left.next = bit_cast::<6, 4>(self.next_size.q.val());
        }
        self.after_tail.next = !self.after_left.val().get_bits::<4>(2).any() | self.short.val();
        self.after_bits.next = self.four.val().get_bits::<4>(0);
        if self.after_tail.val() {
            self.after_bits.next = bit_cast::<4, 2>(self.after_left.val().get_bits::<2>(0)) + self.one_4.val();
        }
        self.then_tail.next = self.tail.val();
        self.sent_bits.next = self.bits.val();
        if self.busy.q.val() & self.port.taken.val() {
            self.v.d.next = self.rest.val();
            self.left.d.next = self.after_left.val();
            self.lead.d.next = false;
            self.busy.d.next = !self.ends.q.val();
            self.free.next = self.ends.q.val();
            self.then_tail.next = self.after_tail.val();
            self.sent_bits.next = self.bits.val() + self.after_bits.val();
        }
        match self.sent_bits.val().index() {
            1 => self.more.next = (self.v.q.val() >> 1).any(),
            2 => self.more.next = (self.v.q.val() >> 2).any(),
            3 => self.more.next = (self.v.q.val() >> 3).any(),
            4 => self.more.next = (self.v.q.val() >> 4).any(),
            5 => self.more.next = (self.v.q.val() >> 5).any(),
            6 => self.more.next = (self.v.q.val() >> 6).any(),
            7 => self.more.next = (self.v.q.val() >> 7).any(),
            _ => self.more.next = (self.v.q.val() >> 8).any(),
        }
        self.ends.d.next = self.then_tail.val() & (self.raw.q.val() | !self.more.val());

        // the next field
        self.first.next = self.i_first.val();
        self.next.next = self.i_next.val();
        if self.port.kind.val() == self.k_count.val() {
            self.first.next = self.b_first.val();
            self.next.next = self.b_next.val();
        }
        if self.port.kind.val() == self.k_cycles.val() {
            self.first.next = self.c_first.val();
            self.next.next = self.c_next.val();
        }
        self.is_address.next = self.port.kind.val() == self.k_address.val();
        if self.is_address.val() {
            self.first.next = self.t_first.val();
            self.next.next = self.t_next.val();
        }
        if self.near.val() {
            if self.port.kind.val() == self.k_near.val() {
                self.is_address.next = true;
                self.first.next = self.d_first.val();
                self.next.next = self.d_next.val();
            }
        }
        self.is_raw.next = self.port.kind.val() == self.k_raw.val();
        if self.is_raw.val() {
            self.first.next = self.port.size.val();
        }

        self.new_tail.next = !self.first.val().get_bits::<4>(2).any() | self.short.val();
        self.new_bits.next = self.four.val().get_bits::<4>(0);
        if self.port.lead.val() & self.long_lead.val() {
            self.new_tail.next = self.first.val() < self.three.val();
            self.new_bits.next = self.three.val().get_bits::<4>(0);
        }
        if self.new_tail.val() {
            self.new_bits.next = bit_cast::<4, 2>(self.first.val().get_bits::<2>(0)) + self.one_4.val();
        }
        match self.new_bits.val().index() {
            1 => self.new_more.next = (self.port.value.val() >> 1).any(),
            2 => self.new_more.next = (self.port.value.val() >> 2).any(),
            3 => self.new_more.next = (self.port.value.val() >> 3).any(),
            _ => self.new_more.next = (self.port.value.val() >> 4).any(),
        }

        // a - b is a + ~b + 1, and -a is ~a + 1
        self.left_term.next = self.v.q.val();
        self.right_term.next = self.port.minus.val();
        if self.has_negative.q.val() {
            self.left_term.next = !self.v.q.val();
            self.right_term.next = 0.into();
        }
        self.sum.next = self.left_term.val() + self.right_term.val() + self.one_w.val();
        // a field can be taken; whether there is one is not asked, as it arrives late
        self.port.ready.next = self.free.val() & !self.is_address.val();
        if self.near.val() {
            self.port.ready.next =
                self.free.val() & (!self.is_address.val() | (self.port.kind.val() == self.k_near.val()));
        }
        if self.has_magnitude.q.val() {
            self.port.ready.next = false;
            self.has_magnitude.d.next = false;
            self.busy.d.next = true;
        } else if self.has_negative.q.val() {
            self.port.ready.next = false;
            self.has_negative.d.next = false;
            self.has_magnitude.d.next = true;
            self.v.d.next = self.sum.val() & self.mask.val();
        } else if self.has_address.q.val() {
            self.port.ready.next = true;
            self.has_address.d.next = false;
            self.negative.d.next = (self.sum.val() & self.sign_bit.val()).any();
            self.has_negative.d.next = (self.sum.val() & self.sign_bit.val()).any();
            self.has_magnitude.d.next = !(self.sum.val() & self.sign_bit.val()).any();
            self.v.d.next = self.sum.val() & self.mask.val();
            if self.near.val() {
                if !self.port.valid.val() {
                    // `minus` is not there yet
                    self.has_address.d.next = true;
                    self.has_negative.d.next = false;
                    self.has_magnitude.d.next = false;
                    self.v.d.next = self.v.q.val();
                }
            }
        } else if self.free.val() & self.port.valid.val() {
            self.v.d.next = self.port.value.val();
            if self.port.zero.val() {
                self.v.d.next = 0.into();
            }
            self.left.d.next = self.first.val();
            self.next_size.d.next = self.next.val();
            self.raw.d.next = self.is_raw.val();
            self.ends.d.next = self.new_tail.val() & (self.is_raw.val() | self.port.zero.val() | !self.new_more.val());
            self.address.d.next = self.is_address.val();
            self.has_address.d.next = self.is_address.val();
            self.busy.d.next = !self.is_address.val();
            self.lead.d.next = self.port.lead.val();
            self.core.d.next = self.port.core.val();
        }
        if self.port.reset.val() {
            self.busy.d.next = false;
            self.has_address.d.next = false;
            self.has_negative.d.next = false;
            self.has_magnitude.d.next = false;
            self.lead.d.next = false;
        }
    }
}
