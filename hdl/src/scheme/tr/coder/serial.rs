//! Chunks with connect bits for one core: differences four bits a clock, in the register that sends them
//!
//! The same bits as [`super::chunked`] of few gates and more clocks, without [`super::CYCLES`]. An address goes round in its shift register once:
//! four bits of the difference come in at its top for four of the address, which go into the register of the one before.
//! A negative difference goes round once more.
//!
//! # Source
//! Paper 000 section 4 and figure 7; `docs/stream.md`, "Chunked numbers".
//!
//! # Ports
//! Those of [`super::CoderIn`]; `minus`, `lead` and `core` do not count. The address before is kept here.
//!
//! Pieces have at most four bits: two of a number, a connect bit and a sign.
//!
//! # Timing
//! A field is taken, then a piece a clock: two bits of a number and what stands between or behind them. An address of A bits takes
//! A / 4 clocks more, rounded up, and as many again if its difference is negative. A field that is 0 is one piece, and so
//! is one of kind [`super::RAW`]. `ready` is of registers.
//!
//! Golden model: [`sim::scheme::tr::coder::chunked`].

use super::{CoderIn, ADDRESS, COUNT, RAW};
use crate::spine::pieces::{fits, MOST_BITS};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::params::{Chunks, Coding, TraceParams};

/// What the coder does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum SerialState {
    /// It waits for a field.
    Idle,
    /// An address goes round: what comes in is the difference.
    Subtract,
    /// A negative difference does: what comes in is its magnitude.
    Negate,
    /// A number whose first chunk ends in its first piece: what is behind that is not known yet.
    Look,
    /// Pieces are sent.
    Send,
}

/// The coder.
#[derive(LogicBlock, Default)]
pub struct Serial<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: CoderIn<W>,
    state: DFF<SerialState>,
    // the field, or what is left of it, and which half of its lowest digit is next
    v: DFF<Bits<W>>,
    upper: DFF<Bit>,
    // bits as they are, and how many but one
    raw: DFF<Bit>,
    size: DFF<Bits<2>>,
    address: DFF<Bit>,
    negative: DFF<Bit>,
    // of its chunks: further ones have four bits, all end between two that are sent at once, the first one ends later than there or behind them
    wide: DFF<Bit>,
    odd: DFF<Bit>,
    late: DFF<Bit>,
    begun: DFF<Bit>,
    // there is something above the digit
    more: DFF<Bit>,
    // the address before, as its complement; which digit is next, and what is carried into it
    pta: DFF<Bits<W>>,
    fresh: DFF<Bit>,
    turn: DFF<Bits<4>>,
    carry: DFF<Bit>,
    // a digit of the difference
    low: Signal<Local, Bits<4>>,
    low_not: Signal<Local, Bits<4>>,
    left_term: Signal<Local, Bits<4>>,
    right_term: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<5>>,
    last: Signal<Local, Bit>,
    digit: Signal<Local, Bits<4>>,
    under: Signal<Local, Bit>,
    round: Signal<Local, Bits<W>>,
    passed: Signal<Local, Bits<W>>,
    // the chunks of the next field
    size_of: Signal<Local, Bits<2>>,
    wide_of: Signal<Local, Bit>,
    odd_of: Signal<Local, Bit>,
    late_of: Signal<Local, Bit>,
    // the piece
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    connect: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    one_0: Signal<Local, Bit>,
    one_1: Signal<Local, Bit>,
    one_2: Signal<Local, Bit>,
    one_3: Signal<Local, Bit>,
    piece: Signal<Local, Bits<8>>,
    bits: Signal<Local, Bits<4>>,
    above: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    // constants of the parameters; sizes are bits but one
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
    but_digit: Fixed<Bits<W>>,
    one_4: Fixed<Bits<4>>,
    turns: Fixed<Bits<4>>,
    top_at: Fixed<Bits<6>>,
    top_mask: Fixed<Bits<4>>,
    top_bit: Fixed<Bits<4>>,
}

impl<const W: usize> Serial<W> {
    /// The circuit for chunks of these sizes, in systems of `params`.
    ///
    /// # Panics
    /// Unless it [`fits`], and W is at least the width of an address in whole digits.
    pub fn new(coding: &Coding, params: &TraceParams) -> Self {
        assert!(
            fits(coding, params),
            "one core, no times, further chunks of 2 or 4 bits, addresses of at most {MOST_BITS}"
        );
        let bits = params.address_bits();
        let (turns, top) = (bits.div_ceil(4), (bits - 1) % 4);
        assert!(4 * turns as usize <= W, "address_bits = {bits} do not fit W = {W}");
        // of a 0: a chunk and its connect bit, but one
        let zero = |c: Chunks| Fixed::of(c.first);
        let (wide, odd, late) = (
            |c: Chunks| Fixed::new(c.next == 4),
            |c: Chunks| Fixed::new(c.first % 2 == 1),
            |c: Chunks| Fixed::new(c.first > 2),
        );
        Self {
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
            but_digit: Fixed::of(15u64 ^ (u64::MAX >> (64 - W))),
            one_4: Fixed::of(1u8),
            turns: Fixed::of(turns - 1),
            top_at: Fixed::of(4 * (turns - 1)),
            top_mask: Fixed::of((2u64 << top) - 1),
            top_bit: Fixed::of(1u64 << top),
            ..Default::default()
        }
    }
}

impl<const W: usize> Part<CoderIn<W>> for Serial<W> {
    fn name(&self) -> &'static str {
        "serial"
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

impl<const W: usize> Logic for Serial<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, v, upper, raw, size, address, negative, wide, odd, late, begun, more);
        dff_setup!(self, clock, pta, fresh, turn, carry);

        // a digit: a - b is a + ~b + 1, and -a is ~a + 1; nothing is subtracted behind a sync
        self.low.next = self.v.q.val().get_bits::<4>(0);
        self.low_not.next = !self.low.val();
        self.left_term.next = self.low.val();
        self.right_term.next = self.pta.q.val().get_bits::<4>(0);
        if self.fresh.q.val() {
            self.right_term.next = 15.into();
        }
        if self.state.q.val() == SerialState::Negate {
            self.left_term.next = self.low_not.val();
            self.right_term.next = 0.into();
        }
        self.sum.next = bit_cast::<5, 4>(self.left_term.val())
            + bit_cast::<5, 4>(self.right_term.val())
            + bit_cast::<5, 1>(self.carry.q.val().into());
        self.last.next = self.turn.q.val() == self.turns.val();
        self.digit.next = self.sum.val().get_bits::<4>(0);
        if self.last.val() {
            self.digit.next = self.sum.val().get_bits::<4>(0) & self.top_mask.val();
        }
        self.under.next = (self.sum.val().get_bits::<4>(0) & self.top_bit.val()).any();
        self.round.next = (self.v.q.val() >> 4) | (bit_cast::<W, 4>(self.digit.val()) << self.top_at.val());
        self.passed.next = (self.pta.q.val() >> 4) | (bit_cast::<W, 4>(self.low_not.val()) << self.top_at.val());

        // the piece: two bits, and where a chunk ends, between or behind them, its connect bit; behind the last one the sign
        self.first.next = self.v.q.val().get_bit(0);
        self.second.next = self.v.q.val().get_bit(1);
        self.above.next = self.more.q.val() | self.v.q.val().get_bit(2) | self.v.q.val().get_bit(3);
        if self.upper.q.val() {
            self.first.next = self.v.q.val().get_bit(2);
            self.second.next = self.v.q.val().get_bit(3);
            self.above.next = self.more.q.val();
        }
        // what is behind a digit is known in its second clock: its first piece ends no chunk, or there is a clock before it
        self.steps.next = (self.state.q.val() == SerialState::Send) & self.port.taken.val() & self.upper.q.val();
        self.more.d.next = (self.v.q.val() >> 8).any();
        if !self.steps.val() {
            self.more.d.next = (self.v.q.val() >> 4).any();
        }
        self.closes.next = (self.begun.q.val() | !self.late.q.val()) & !self.raw.q.val();
        if self.wide.q.val() {
            self.closes.next = (self.upper.q.val() == self.late.q.val()) & !self.raw.q.val();
        }
        self.connect.next = self.above.val() | (self.odd.q.val() & self.second.val());
        self.ends.next = self.raw.q.val() | (self.closes.val() & !self.connect.val());
        self.one_0.next = self.first.val();
        self.one_1.next = self.second.val();
        self.one_2.next = self.v.q.val().get_bit(2) & self.raw.q.val();
        self.one_3.next = self.v.q.val().get_bit(3) & self.raw.q.val();
        self.bits.next = 2.into();
        if self.raw.q.val() {
            self.bits.next = bit_cast::<4, 2>(self.size.q.val()) + self.one_4.val();
        }
        if self.closes.val() {
            if self.odd.q.val() {
                self.one_1.next = self.connect.val();
                self.one_2.next = self.negative.q.val();
                if self.connect.val() {
                    self.one_2.next = self.second.val();
                }
                if self.connect.val() | self.address.q.val() {
                    self.bits.next = 3.into();
                }
            } else {
                self.one_2.next = self.connect.val();
                self.one_3.next = self.negative.q.val() & !self.connect.val();
                self.bits.next = 3.into();
                if self.address.q.val() & !self.connect.val() {
                    self.bits.next = 4.into();
                }
            }
        }
        self.piece.next = bit_cast::<8, 1>(self.one_0.val().into())
            | (bit_cast::<8, 1>(self.one_1.val().into()) << 1)
            | (bit_cast::<8, 1>(self.one_2.val().into()) << 2)
            | (bit_cast::<8, 1>(self.one_3.val().into()) << 3);
        self.port.have.next = self.state.q.val() == SerialState::Send;
        self.port.data.next = self.piece.val();
        self.port.count.next = self.bits.val();
        self.port.busy.next = self.state.q.val() != SerialState::Idle;

        // the chunks of the next field
        self.size_of.next = self.i_zero.val();
        self.wide_of.next = self.i_wide.val();
        self.odd_of.next = self.i_odd.val();
        self.late_of.next = self.i_late.val();
        if self.port.kind.val() == self.k_count.val() {
            self.size_of.next = self.b_zero.val();
            self.wide_of.next = self.b_wide.val();
            self.odd_of.next = self.b_odd.val();
            self.late_of.next = self.b_late.val();
        }
        if self.port.kind.val() == self.k_address.val() {
            self.wide_of.next = self.t_wide.val();
            self.odd_of.next = self.t_odd.val();
            self.late_of.next = self.t_late.val();
        }

        self.port.ready.next = self.state.q.val() == SerialState::Idle;
        match self.state.q.val() {
            SerialState::Idle => {
                self.v.d.next = self.port.value.val();
                if self.port.zero.val() {
                    self.v.d.next = self.port.value.val() & self.but_digit.val();
                }
                self.size.d.next = self.size_of.val();
                self.wide.d.next = self.wide_of.val();
                self.odd.d.next = self.odd_of.val();
                self.late.d.next = self.late_of.val();
                self.raw.d.next = self.port.zero.val();
                if self.port.kind.val() == self.k_raw.val() {
                    self.raw.d.next = true;
                    self.size.d.next = self.port.size.val().get_bits::<2>(0);
                }
                self.upper.d.next = false;
                self.begun.d.next = false;
                self.negative.d.next = false;
                self.address.d.next = self.port.kind.val() == self.k_address.val();
                self.fresh.d.next = self.port.fresh.val();
                self.carry.d.next = true;
                self.turn.d.next = 0.into();
                if self.port.valid.val() {
                    self.state.d.next = SerialState::Send;
                    if !self.late_of.val() {
                        self.state.d.next = SerialState::Look;
                    }
                    if self.port.kind.val() == self.k_address.val() {
                        self.state.d.next = SerialState::Subtract;
                    }
                }
            }
            SerialState::Subtract => {
                self.v.d.next = self.round.val();
                self.pta.d.next = self.passed.val();
                self.carry.d.next = self.sum.val().get_bit(4);
                self.turn.d.next = self.turn.q.val() + self.one_4.val();
                if self.last.val() {
                    self.carry.d.next = true;
                    self.turn.d.next = 0.into();
                    self.negative.d.next = self.under.val();
                    self.state.d.next = SerialState::Send;
                    if !self.late.q.val() {
                        self.state.d.next = SerialState::Look;
                    }
                    if self.under.val() {
                        self.state.d.next = SerialState::Negate;
                    }
                }
            }
            SerialState::Negate => {
                self.v.d.next = self.round.val();
                self.carry.d.next = self.sum.val().get_bit(4);
                self.turn.d.next = self.turn.q.val() + self.one_4.val();
                if self.last.val() {
                    self.state.d.next = SerialState::Send;
                    if !self.late.q.val() {
                        self.state.d.next = SerialState::Look;
                    }
                }
            }
            SerialState::Look => self.state.d.next = SerialState::Send,
            SerialState::Send => {
                if self.port.taken.val() {
                    self.begun.d.next = true;
                    self.upper.d.next = !self.upper.q.val();
                    if self.upper.q.val() {
                        self.v.d.next = self.v.q.val() >> 4;
                    }
                    if self.ends.val() {
                        self.state.d.next = SerialState::Idle;
                    }
                }
            }
        }
        if self.port.reset.val() {
            self.state.d.next = SerialState::Idle;
        }
    }
}
