//! Chunks with connect bits for one core: differences four bits a clock, in the register that sends them
//!
//! The same bits as [`super::chunked`] of few gates and more clocks. An address goes round in its shift register once:
//! four bits of the difference come in at its top for four of the address, which go into the register of the one before.
//! A negative difference goes round once more.
//!
//! # Source
//! Paper 000 section 4 and figure 7; `docs/stream.md`, "Chunked numbers".
//!
//! # Ports
//! Those of [`super::CoderIn`]; `minus`, `lead` and `core` do not count. The address before is kept here.
//!
//! # Timing
//! A field is taken, then a clock of nothing, then a piece a clock: a chunk and what follows it. An address of A bits takes
//! A / 4 clocks more, rounded up, and as many again if its difference is negative. `ready` is of registers.
//!
//! Golden model: [`sim::scheme::tr::coder::chunked`].

use super::{CoderIn, ADDRESS, COUNT, CYCLES, RAW};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::params::{Coding, TraceParams};

/// Most address bits: ten clocks for a difference.
const MOST_BITS: u32 = 40;

/// What the coder does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum SerialState {
    /// It waits for a field.
    Idle,
    /// An address goes round: what comes in is the difference.
    Subtract,
    /// A negative difference does: what comes in is its magnitude.
    Negate,
    /// What is behind the first piece is not known yet.
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
    // the field, or what is left of it; its chunk and the next ones, bits but one
    v: DFF<Bits<W>>,
    size: DFF<Bits<2>>,
    again: DFF<Bits<2>>,
    raw: DFF<Bit>,
    address: DFF<Bit>,
    negative: DFF<Bit>,
    // the piece is the last one
    ends: DFF<Bit>,
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
    // the piece
    bits: Signal<Local, Bits<3>>,
    shift: Signal<Local, Bits<3>>,
    sign: Signal<Local, Bit>,
    behind: Signal<Local, Bits<8>>,
    own: Signal<Local, Bits<8>>,
    extra: Signal<Local, Bits<3>>,
    rest: Signal<Local, Bits<W>>,
    next_bits: Signal<Local, Bits<3>>,
    reach: Signal<Local, Bits<4>>,
    further: Signal<Local, Bit>,
    // constants of the parameters; sizes are bits but one
    k_raw: Fixed<Bits<3>>,
    k_count: Fixed<Bits<3>>,
    k_address: Fixed<Bits<3>>,
    k_cycles: Fixed<Bits<3>>,
    b_first: Fixed<Bits<2>>,
    b_next: Fixed<Bits<2>>,
    t_first: Fixed<Bits<2>>,
    t_next: Fixed<Bits<2>>,
    c_first: Fixed<Bits<2>>,
    c_next: Fixed<Bits<2>>,
    i_first: Fixed<Bits<2>>,
    i_next: Fixed<Bits<2>>,
    // no chunk is a single bit
    no_ones: Fixed<Bit>,
    two: Fixed<Bits<3>>,
    one: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    turns: Fixed<Bits<4>>,
    top_at: Fixed<Bits<6>>,
    top_mask: Fixed<Bits<4>>,
    top_bit: Fixed<Bits<4>>,
}

/// Whether the coder does for systems of `params` with these chunks.
pub fn fits(coding: &Coding, params: &TraceParams) -> bool {
    let chunks = [coding.b_cnt, coding.diff_ta, coding.diff_cc, coding.i_cnt];
    params.cores == 1 && params.address_bits() <= MOST_BITS && chunks.iter().all(|c| c.first <= 4 && c.next <= 4)
}

impl<const W: usize> Serial<W> {
    /// The circuit for chunks of these sizes, in systems of `params`.
    ///
    /// # Panics
    /// Unless it [`fits`], and W is at least the width of an address in whole digits.
    pub fn new(coding: &Coding, params: &TraceParams) -> Self {
        assert!(fits(coding, params), "one core, chunks and addresses of at most 4 and {MOST_BITS} bits");
        let bits = params.address_bits();
        let (turns, top) = (bits.div_ceil(4), (bits - 1) % 4);
        assert!(4 * turns as usize <= W, "address_bits = {bits} do not fit W = {W}");
        let size = |bits: u8| Fixed::of(bits - 1);
        let chunks = [coding.b_cnt, coding.diff_ta, coding.diff_cc, coding.i_cnt];
        Self {
            k_raw: Fixed::of(RAW),
            k_count: Fixed::of(COUNT),
            k_address: Fixed::of(ADDRESS),
            k_cycles: Fixed::of(CYCLES),
            b_first: size(coding.b_cnt.first),
            b_next: size(coding.b_cnt.next),
            t_first: size(coding.diff_ta.first),
            t_next: size(coding.diff_ta.next),
            c_first: size(coding.diff_cc.first),
            c_next: size(coding.diff_cc.next),
            i_first: size(coding.i_cnt.first),
            i_next: size(coding.i_cnt.next),
            no_ones: Fixed::new(chunks.iter().all(|c| c.first > 1 && c.next > 1)),
            two: Fixed::of(2u8),
            one: Fixed::of(1u8),
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
        dff_setup!(self, clock, state, v, size, again, raw, address, negative, ends, pta, fresh, turn, carry);

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

        // the piece: a chunk, the connect bit, behind the last one of an address the sign
        self.bits.next = bit_cast::<3, 2>(self.size.q.val()) + self.one.val();
        // a single bit that is no chunk is 0, with nothing behind it
        self.shift.next = self.bits.val();
        if self.no_ones.val() {
            self.shift.next = self.bits.val() | self.two.val();
        }
        self.sign.next = self.ends.q.val() & self.address.q.val();
        self.behind.next = 0.into();
        if !self.ends.q.val() {
            self.behind.next = 1.into();
        }
        if self.sign.val() & self.negative.q.val() {
            self.behind.next = 2.into();
        }
        match self.shift.val().index() {
            1 => {
                self.rest.next = self.v.q.val() >> 1;
                self.own.next = bit_cast::<8, 1>(self.low.val().get_bits::<1>(0)) | (self.behind.val() << 1);
            }
            2 => {
                self.rest.next = self.v.q.val() >> 2;
                self.own.next = bit_cast::<8, 2>(self.low.val().get_bits::<2>(0)) | (self.behind.val() << 2);
            }
            3 => {
                self.rest.next = self.v.q.val() >> 3;
                self.own.next = bit_cast::<8, 3>(self.low.val().get_bits::<3>(0)) | (self.behind.val() << 3);
            }
            _ => {
                self.rest.next = self.v.q.val() >> 4;
                self.own.next = bit_cast::<8, 4>(self.low.val()) | (self.behind.val() << 4);
            }
        }
        self.extra.next = 1.into();
        if self.raw.q.val() {
            self.extra.next = 0.into();
        }
        if self.sign.val() {
            self.extra.next = 2.into();
        }
        self.port.have.next = self.state.q.val() == SerialState::Send;
        self.port.data.next = self.own.val();
        self.port.count.next = bit_cast::<4, 3>(self.bits.val()) + bit_cast::<4, 3>(self.extra.val());
        self.port.busy.next = self.state.q.val() != SerialState::Idle;

        // what is behind the next piece; behind the first one before it is sent. What follows from it goes as far as the
        // packer: it is known a clock before
        self.next_bits.next = bit_cast::<3, 2>(self.again.q.val()) + self.one.val();
        self.reach.next = bit_cast::<4, 3>(self.bits.val()) + bit_cast::<4, 3>(self.next_bits.val());
        if self.state.q.val() == SerialState::Look {
            self.reach.next = bit_cast::<4, 3>(self.bits.val());
        }
        match self.reach.val().index() {
            1 => self.further.next = (self.v.q.val() >> 1).any(),
            2 => self.further.next = (self.v.q.val() >> 2).any(),
            3 => self.further.next = (self.v.q.val() >> 3).any(),
            4 => self.further.next = (self.v.q.val() >> 4).any(),
            5 => self.further.next = (self.v.q.val() >> 5).any(),
            6 => self.further.next = (self.v.q.val() >> 6).any(),
            7 => self.further.next = (self.v.q.val() >> 7).any(),
            _ => self.further.next = (self.v.q.val() >> 8).any(),
        }

        self.port.ready.next = self.state.q.val() == SerialState::Idle;
        match self.state.q.val() {
            SerialState::Idle => {
                self.v.d.next = self.port.value.val();
                if self.port.zero.val() {
                    self.v.d.next = 0.into();
                }
                self.size.d.next = self.i_first.val();
                self.again.d.next = self.i_next.val();
                if self.port.kind.val() == self.k_count.val() {
                    self.size.d.next = self.b_first.val();
                    self.again.d.next = self.b_next.val();
                }
                if self.port.kind.val() == self.k_cycles.val() {
                    self.size.d.next = self.c_first.val();
                    self.again.d.next = self.c_next.val();
                }
                if self.port.kind.val() == self.k_address.val() {
                    self.size.d.next = self.t_first.val();
                    self.again.d.next = self.t_next.val();
                }
                if self.port.kind.val() == self.k_raw.val() {
                    self.size.d.next = self.port.size.val().get_bits::<2>(0);
                }
                self.raw.d.next = self.port.kind.val() == self.k_raw.val();
                self.address.d.next = self.port.kind.val() == self.k_address.val();
                self.fresh.d.next = self.port.fresh.val();
                self.carry.d.next = true;
                self.turn.d.next = 0.into();
                if self.port.valid.val() {
                    self.state.d.next = SerialState::Look;
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
                    self.state.d.next = SerialState::Look;
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
                    self.state.d.next = SerialState::Look;
                }
            }
            SerialState::Look => {
                self.ends.d.next = self.raw.q.val() | !self.further.val();
                self.state.d.next = SerialState::Send;
            }
            SerialState::Send => {
                if self.port.taken.val() {
                    self.v.d.next = self.rest.val();
                    self.ends.d.next = self.raw.q.val() | !self.further.val();
                    self.size.d.next = self.again.q.val();
                    if self.ends.q.val() {
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
