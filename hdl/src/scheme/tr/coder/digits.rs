//! Coder with chunks and connect bits for one core: reads four-bit digits from the event FIFO, and sends two bits per cycle
//!
//! It writes the same bits as [`super::chunked`], without [`super::CYCLES`], with fewer gates and more cycles. No register holds a
//! number: the field stays at the port until its last digit is being sent, and a multiplexer selects one digit after the other. The
//! last address is in a memory of digits with two halves, which are swapped with each address: one is read while the new address is
//! written to the other.
//!
//! An address is scanned before it is sent: all of its digits are subtracted, to find the sign and the highest digit that is not 0. If
//! the difference is negative, it is scanned again for the highest digit of the magnitude. The digits are subtracted once more as they
//! are sent. The digits of a negative difference are the complement of address plus complement, `-(a - b) = ~(a + ~b)`: only the carry
//! into the lowest digit differs.
//!
//! # Source
//! Paper 000 section 4 and figure 7; `docs/reference/stream.md`, "Chunked numbers".
//!
//! # Ports
//! As in [`super::CoderIn`]; `minus`, `lead` and `core` are ignored, and only four bits of a [`super::RAW`] field are sent. The last
//! address is stored here.
//!
//! Slices have at most four bits: two of a number, a connect bit and a sign.
//!
//! # Timing
//! | cycle | action |
//! | --- | --- |
//! | 0 | a field is valid; its lowest digit goes to a register |
//! | 1 | a number's digit goes to the output register, if that is empty; the digit of an address of n digits n cycles later, or 2 n + 1 if the difference is negative |
//! | 2 | the first slice is sent, and the next one in each cycle in which a slice is taken |
//!
//! A field is taken one cycle after its highest digit went to the output register. While that digit is sent, the next field
//! is valid, and an address is scanned. `ready` depends on registers. A field that is 0, or [`super::RAW`], is one slice.
//!
//! Golden model: [`sim::scheme::tr::coder::chunked`].

use super::{CoderIn, ADDRESS, COUNT, RAW};
use crate::spine::slices::{fits, MAX_ADDRESS_BITS};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::Part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::{Chunks, Coding, TraceParams};

/// The state of the field at the port.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum DigitState {
    /// There is no field, or its lowest digit is being read.
    Wait,
    /// Scans an address for the sign of its difference and the highest digit; if the difference is negative, twice.
    Scan,
    /// Moves digits to the output register, from the lowest to the highest.
    Send,
    /// The field is taken.
    Take,
}

/// A coder that reads digits.
#[derive(LogicBlock, Default)]
pub struct Digits<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: CoderIn<W>,
    state: DFF<DigitState>,
    // another digit follows the one that is sent
    more: DFF<Bit>,
    // index of the digit that is read; of the one read before: its value, whether a count has more above it, the carry into it
    at: DFF<Bits<4>>,
    digit: DFF<Bits<4>>,
    rest: DFF<Bit>,
    carry: DFF<Bit>,
    // complement of the last address: digit i is at i + 1; the half that contains it
    known: Mem<5, 4>,
    half: DFF<Bit>,
    // a scan is complete, and the difference is negative
    rescan: DFF<Bit>,
    // results of a scan: the highest digit that is not 0, plus one, and the sign
    top: DFF<Bits<4>>,
    negative: DFF<Bit>,
    // output register: valid, a digit, which half of it is next
    sends: DFF<Bit>,
    v: DFF<Bits<4>>,
    upper: DFF<Bit>,
    // raw bits, and their number less one
    raw: DFF<Bit>,
    size: DFF<Bits<2>>,
    address: DFF<Bit>,
    sign: DFF<Bit>,
    // chunks: further ones have four bits; chunks end between the two bits of a slice; a chunk ends in this slice
    wide: DFF<Bit>,
    odd: DFF<Bit>,
    closes: DFF<Bit>,
    // the digit that is read, and the index of the next one
    is_address: Signal<Local, Bit>,
    moved: Signal<Local, Bits<W>>,
    read: Signal<Local, Bits<4>>,
    counted: Signal<Local, Bits<W>>,
    above: Signal<Local, Bit>,
    next_at: Signal<Local, Bits<4>>,
    other: Signal<Local, Bit>,
    // a digit of the difference
    term: Signal<Local, Bits<4>>,
    carry_1: Signal<Local, Bit>,
    carry_2: Signal<Local, Bit>,
    carry_3: Signal<Local, Bit>,
    carry_4: Signal<Local, Bit>,
    carries: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<4>>,
    last: Signal<Local, Bit>,
    mask: Signal<Local, Bits<4>>,
    masked: Signal<Local, Bits<4>>,
    under: Signal<Local, Bit>,
    // the digit that is sent
    load: Signal<Local, Bit>,
    more_digits: Signal<Local, Bit>,
    out_digit: Signal<Local, Bits<4>>,
    is_raw: Signal<Local, Bit>,
    // the slice
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    connect: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    one_0: Signal<Local, Bit>,
    one_1: Signal<Local, Bit>,
    one_2: Signal<Local, Bit>,
    one_3: Signal<Local, Bit>,
    slice: Signal<Local, Bits<8>>,
    bits: Signal<Local, Bits<4>>,
    // constants from the parameters; a number has as many digits as an address; sizes are the number of bits less one
    reach: Fixed<Bit>,
    k_raw: Fixed<Bits<3>>,
    k_count: Fixed<Bits<3>>,
    k_address: Fixed<Bits<3>>,
    b_zero: Fixed<Bits<2>>,
    i_zero: Fixed<Bits<2>>,
    b_wide: Fixed<Bit>,
    b_odd: Fixed<Bit>,
    b_late: Fixed<Bit>,
    t_wide: Fixed<Bit>,
    t_odd: Fixed<Bit>,
    t_late: Fixed<Bit>,
    i_wide: Fixed<Bit>,
    i_odd: Fixed<Bit>,
    i_late: Fixed<Bit>,
    counts: Fixed<Bits<W>>,
    one_4: Fixed<Bits<4>>,
    index_mask: Fixed<Bits<4>>,
    highest: Fixed<Bits<4>>,
    half_at: Fixed<Bits<3>>,
    top_mask: Fixed<Bits<4>>,
    top_bit: Fixed<Bits<4>>,
}

impl<const W: usize> Digits<W> {
    /// The coder for chunks of these sizes, in systems of `params`.
    ///
    /// # Panics
    /// Unless [`fits`] is true for them, and W is at least the width of an address.
    pub fn new(coding: &Coding, params: &TraceParams) -> Self {
        assert!(
            fits(coding, params),
            "one core, no times, further chunks of 2 or 4 bits, addresses of at most {MAX_ADDRESS_BITS}"
        );
        let bits = params.address_bits();
        assert!(bits as usize <= W, "address_bits = {bits} do not fit W = {W}");
        let (digits, top) = (bits.div_ceil(4), (bits - 1) % 4);
        let index_bits = digits.next_power_of_two().trailing_zeros().max(1);
        // bits of a 0, less one: a chunk and its connect bit
        let zero = |c: Chunks| Fixed::of(c.first);
        let (wide, odd, late) = (
            |c: Chunks| Fixed::new(c.next == 4),
            |c: Chunks| Fixed::new(c.first % 2 == 1),
            |c: Chunks| Fixed::new(c.first > 2),
        );
        Self {
            reach: Fixed::new(u32::from(params.count_bits).div_ceil(4) >= digits),
            known: Mem::new(index_bits as usize + 1, 4).in_memory(),
            k_raw: Fixed::of(RAW),
            k_count: Fixed::of(COUNT),
            k_address: Fixed::of(ADDRESS),
            b_zero: zero(coding.b_cnt),
            i_zero: zero(coding.i_cnt),
            b_wide: wide(coding.b_cnt),
            b_odd: odd(coding.b_cnt),
            b_late: late(coding.b_cnt),
            t_wide: wide(coding.diff_ta),
            t_odd: odd(coding.diff_ta),
            t_late: late(coding.diff_ta),
            i_wide: wide(coding.i_cnt),
            i_odd: odd(coding.i_cnt),
            i_late: late(coding.i_cnt),
            counts: Fixed::of(((1u64 << params.count_bits) - 1) & (u64::MAX >> (64 - W))),
            one_4: Fixed::of(1u8),
            index_mask: Fixed::of((1u8 << index_bits) - 1),
            // the index wraps around where there are digits for all of its values
            highest: Fixed::of(if digits.is_power_of_two() { 15 } else { digits - 1 }),
            half_at: Fixed::of(index_bits),
            top_mask: Fixed::of((2u64 << top) - 1),
            top_bit: Fixed::of(1u64 << top),
            ..Default::default()
        }
    }
}

impl<const W: usize> Part<CoderIn<W>> for Digits<W> {
    fn name(&self) -> &'static str {
        "digits"
    }
    fn latency(&self) -> usize {
        2
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut CoderIn<W> {
        &mut self.port
    }
}

impl<const W: usize> Logic for Digits<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, more, at, digit, rest, carry, half, rescan, top, negative);
        dff_setup!(self, clock, sends, v, upper, raw, size, address, sign, wide, odd, closes);
        clock!(self, clock, known);

        // the digit that is read, and the rest of a count above it
        self.is_address.next = self.port.kind.val() == self.k_address.val();
        self.is_raw.next = self.port.zero.val() | (self.port.kind.val() == self.k_raw.val());
        self.counted.next = self.port.value.val() & self.counts.val();
        self.moved.next = 0.into();
        self.above.next = false;
        match self.at.q.val().index() {
            0 => {
                self.moved.next = self.port.value.val();
                self.above.next = (self.counted.val() >> 4).any();
            }
            1 => {
                self.moved.next = self.port.value.val() >> 4;
                self.above.next = (self.counted.val() >> 8).any();
            }
            2 => {
                self.moved.next = self.port.value.val() >> 8;
                self.above.next = (self.counted.val() >> 12).any();
            }
            3 => {
                self.moved.next = self.port.value.val() >> 12;
                self.above.next = (self.counted.val() >> 16).any();
            }
            4 => {
                self.moved.next = self.port.value.val() >> 16;
                self.above.next = (self.counted.val() >> 20).any();
            }
            5 => self.moved.next = self.port.value.val() >> 20,
            6 => self.moved.next = self.port.value.val() >> 24,
            7 => self.moved.next = self.port.value.val() >> 28,
            8 => self.moved.next = self.port.value.val() >> 32,
            _ => self.moved.next = self.port.value.val() >> 36,
        }
        self.read.next = self.moved.val().get_bits::<4>(0);
        self.digit.d.next = self.read.val();
        self.rest.d.next = self.above.val();
        self.next_at.next = bit_cast::<4, 4>(self.at.q.val() + self.one_4.val()) & self.index_mask.val();
        if self.at.q.val() == self.highest.val() {
            self.next_at.next = 0.into();
        }

        // the last address, and the new one that replaces it
        self.other.next = !self.half.q.val();
        self.known.raddr.next =
            bit_cast::<5, 4>(self.next_at.val()) | (bit_cast::<5, 1>(self.half.q.val().into()) << self.half_at.val());
        self.known.waddr.next =
            bit_cast::<5, 4>(self.at.q.val()) | (bit_cast::<5, 1>(self.other.val().into()) << self.half_at.val());
        self.known.wdata.next = !self.digit.q.val();
        self.known.we.next = self.state.q.val() == DigitState::Scan;

        // a digit of the difference, a + ~b + 1; after a sync, or for a number, b is 0
        self.term.next = self.known.rdata.val();
        if self.port.no_difference.val() | !self.is_address.val() {
            self.term.next = 15.into();
        }
        // built of gates, because an FPGA's carry chain is slower for four bits
        self.carry_1.next = (self.digit.q.val().get_bit(0) & self.term.val().get_bit(0))
            | (self.carry.q.val() & (self.digit.q.val().get_bit(0) | self.term.val().get_bit(0)));
        self.carry_2.next = (self.digit.q.val().get_bit(1) & self.term.val().get_bit(1))
            | (self.carry_1.val() & (self.digit.q.val().get_bit(1) | self.term.val().get_bit(1)));
        self.carry_3.next = (self.digit.q.val().get_bit(2) & self.term.val().get_bit(2))
            | (self.carry_2.val() & (self.digit.q.val().get_bit(2) | self.term.val().get_bit(2)));
        self.carry_4.next = (self.digit.q.val().get_bit(3) & self.term.val().get_bit(3))
            | (self.carry_3.val() & (self.digit.q.val().get_bit(3) | self.term.val().get_bit(3)));
        self.carries.next = bit_cast::<4, 1>(self.carry.q.val().into())
            | (bit_cast::<4, 1>(self.carry_1.val().into()) << 1)
            | (bit_cast::<4, 1>(self.carry_2.val().into()) << 2)
            | (bit_cast::<4, 1>(self.carry_3.val().into()) << 3);
        self.sum.next = self.digit.q.val() ^ self.term.val() ^ self.carries.val();
        // a scan reads one digit ahead
        self.last.next = !self.next_at.val().any();
        if self.state.q.val() == DigitState::Scan {
            self.last.next = !self.at.q.val().any();
        }
        self.mask.next = 15.into();
        // the highest digit of a number is only read where numbers have as many digits
        if self.last.val() & (self.is_address.val() | !self.reach.val()) {
            self.mask.next = self.top_mask.val();
        }
        self.masked.next = self.sum.val() & self.mask.val();
        self.under.next = (self.sum.val() & self.top_bit.val()).any();

        // the digit that is sent next
        self.out_digit.next = self.masked.val();
        if self.negative.q.val() {
            self.out_digit.next = self.masked.val() ^ self.mask.val();
        }
        self.more_digits.next = self.rest.q.val() & !self.is_raw.val();
        if self.is_address.val() {
            self.more_digits.next = self.next_at.val() != self.top.q.val();
        }
        self.load.next = (self.state.q.val() == DigitState::Send)
            & !self.rescan.q.val()
            & (!self.sends.q.val() | (self.more.q.val() & self.port.taken.val() & self.upper.q.val()));

        // the slice: two bits; where a chunk ends, between or after them, its connect bit; after the last chunk the sign
        self.first.next = self.v.q.val().get_bit(0);
        self.second.next = self.v.q.val().get_bit(1);
        self.over.next = self.more.q.val() | self.v.q.val().get_bit(2) | self.v.q.val().get_bit(3);
        if self.upper.q.val() {
            self.first.next = self.v.q.val().get_bit(2);
            self.second.next = self.v.q.val().get_bit(3);
            self.over.next = self.more.q.val();
        }
        self.connect.next = self.over.val() | (self.odd.q.val() & self.second.val());
        self.ends.next = self.raw.q.val() | (self.closes.q.val() & !self.connect.val());
        self.one_0.next = self.first.val();
        self.one_1.next = self.second.val();
        self.one_2.next = self.v.q.val().get_bit(2) & self.raw.q.val();
        self.one_3.next = self.v.q.val().get_bit(3) & self.raw.q.val();
        self.bits.next = 2.into();
        if self.raw.q.val() {
            self.bits.next = bit_cast::<4, 2>(self.size.q.val()) + self.one_4.val();
        }
        if self.closes.q.val() {
            if self.odd.q.val() {
                self.one_1.next = self.connect.val();
                self.one_2.next = self.sign.q.val();
                if self.connect.val() {
                    self.one_2.next = self.second.val();
                }
                if self.connect.val() | self.address.q.val() {
                    self.bits.next = 3.into();
                }
            } else {
                self.one_2.next = self.connect.val();
                self.one_3.next = self.sign.q.val() & !self.connect.val();
                self.bits.next = 3.into();
                if self.address.q.val() & !self.connect.val() {
                    self.bits.next = 4.into();
                }
            }
        }
        self.slice.next = bit_cast::<8, 1>(self.one_0.val().into())
            | (bit_cast::<8, 1>(self.one_1.val().into()) << 1)
            | (bit_cast::<8, 1>(self.one_2.val().into()) << 2)
            | (bit_cast::<8, 1>(self.one_3.val().into()) << 3);
        self.port.have.next = self.sends.q.val();
        self.port.data.next = self.slice.val();
        self.port.count.next = self.bits.val();
        self.port.busy.next = self.sends.q.val();

        if self.sends.q.val() & self.port.taken.val() {
            self.upper.d.next = !self.upper.q.val();
            self.closes.d.next = !self.wide.q.val() | !self.closes.q.val();
            if self.upper.q.val() {
                // zeros above the highest digit
                self.v.d.next = 0.into();
            }
            if self.ends.val() {
                self.sends.d.next = false;
            }
        }
        if self.load.val() {
            self.v.d.next = self.out_digit.val();
            if self.port.zero.val() {
                self.v.d.next = 0.into();
            }
            self.upper.d.next = false;
            self.sends.d.next = true;
        }

        // the type of a field goes to registers with its first digit
        if self.state.q.val() == DigitState::Wait {
            self.carry.d.next = true;
            self.top.d.next = 1.into();
            self.negative.d.next = false;
        }
        if (self.state.q.val() == DigitState::Send) & !self.sends.q.val() {
            self.address.d.next = self.is_address.val();
            self.sign.d.next = self.negative.q.val();
            self.raw.d.next = self.is_raw.val();
            self.size.d.next = self.i_zero.val();
            self.wide.d.next = self.i_wide.val();
            self.odd.d.next = self.i_odd.val();
            self.closes.d.next = !self.i_late.val();
            if self.port.kind.val() == self.k_count.val() {
                self.size.d.next = self.b_zero.val();
                self.wide.d.next = self.b_wide.val();
                self.odd.d.next = self.b_odd.val();
                self.closes.d.next = !self.b_late.val();
            }
            if self.is_address.val() {
                self.wide.d.next = self.t_wide.val();
                self.odd.d.next = self.t_odd.val();
                self.closes.d.next = !self.t_late.val();
            }
            if self.is_raw.val() {
                self.closes.d.next = false;
            }
            if self.port.kind.val() == self.k_raw.val() {
                self.size.d.next = self.port.size.val().get_bits::<2>(0);
            }
        }

        self.port.ready.next = self.state.q.val() == DigitState::Take;
        match self.state.q.val() {
            DigitState::Wait => {
                if self.port.valid.val() {
                    self.state.d.next = DigitState::Send;
                    if self.is_address.val() {
                        self.at.d.next = self.next_at.val();
                        self.state.d.next = DigitState::Scan;
                    }
                }
            }
            DigitState::Scan => {
                self.at.d.next = self.next_at.val();
                self.carry.d.next = self.carry_4.val();
                if self.out_digit.val().any() {
                    self.top.d.next = self.at.q.val();
                }
                if !self.at.q.val().any() {
                    self.carry.d.next = !self.negative.q.val();
                    self.at.d.next = 0.into();
                    self.state.d.next = DigitState::Send;
                }
            }
            DigitState::Send => {
                if self.load.val() & !self.more_digits.val() {
                    self.state.d.next = DigitState::Take;
                }
            }
            DigitState::Take => {
                self.at.d.next = 0.into();
                self.half.d.next = self.half.q.val() ^ self.is_address.val();
                self.state.d.next = DigitState::Wait;
            }
        }
        // a negative difference is scanned once more
        self.rescan.d.next = (self.state.q.val() == DigitState::Scan)
            & !self.at.q.val().any()
            & self.under.val()
            & !self.negative.q.val();
        if self.rescan.q.val() {
            self.negative.d.next = true;
            self.carry.d.next = false;
            self.at.d.next = self.next_at.val();
            self.state.d.next = DigitState::Scan;
        }
        if self.load.val() {
            self.at.d.next = self.next_at.val();
            self.carry.d.next = self.carry_4.val();
            self.more.d.next = self.more_digits.val();
        }
        if self.port.reset.val() {
            self.state.d.next = DigitState::Wait;
            self.more.d.next = false;
            self.rescan.d.next = false;
            self.at.d.next = 0.into();
            self.half.d.next = false;
            self.sends.d.next = false;
        }
    }
}
