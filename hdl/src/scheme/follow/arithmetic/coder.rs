//! Arithmetic coder: decisions, escapes and plain bits to bytes
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: a new code; the probabilities are cleared, too |
//! | `clear` | in | 1 | 1: the probabilities are cleared, in the 64 cycles that follow |
//! | `valid`, `ready` | in, out | 1 | a request is there; it is taken at this edge |
//! | `kind` | in | 2 | [`DECISION`] .. [`FLUSH`] |
//! | `data` | in | 8 | of a decision: its context, then a bit that is 1 if the prediction is right, and one that is 1 if it has no context and learns nothing |
//! | `data`, `count` | in | 8, 4 | plain bits, the first one lowest, 0 above `count`; 1 to 8 of them |
//! | `data` | in | 8 | of an escape or a flush: [`CLEARS`], [`MARKS`] |
//! | `have`, `octet` | out | 1, 8 | a byte, which stays until `taken` |
//! | `last_octet` | out | 1 | it completes a word |
//! | `taken` | in | 1 | it is taken at this edge |
//! | `runs` | out | 1 | no doublings and bytes of a request are left; one may wait |
//! | `busy` | out | 1 | a request is not finished |
//! | `marked`, `stopped` | out | 1 | an escape, a flush with [`MARKS`] is finished |
//!
//! # Timing
//! A request is taken into a register, and its probability is read at the same edge. Then:
//!
//! | request | cycles |
//! | --- | --- |
//! | decision | 1, and 1 for each four doublings |
//! | escape | 1, and 3 for 11 doublings |
//! | plain bits | 1 for each four |
//! | flush | up to 12, and those of its bytes |
//!
//! A byte takes a cycle of its own, and no doublings go past it. As doublings follow each change of a probability, it is read again before its next use.
//! A decision with a context waits while the probabilities are cleared. An escape with [`CLEARS`] clears them in the cycles that follow, a flush after its last byte.
//!
//! What is added to C is added with the doublings, which always follow. A and the doublings left are stored xor their first values, so that power-up is
//! the beginning of a code.
//!
//! Golden model: [`sim::scheme::follow::arithmetic::encoder`].

use super::probabilities::Probabilities;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::follow::arithmetic::encoder::FIRST;
use sim::scheme::follow::arithmetic::probability::HALF;

/// `kind`: a decision.
pub const DECISION: u8 = 0;
/// `kind`: plain bits follow in place of a decision.
pub const ESCAPE: u8 = 1;
/// `kind`: plain bits.
pub const PLAIN: u8 = 2;
/// `kind`: the end of the code.
pub const FLUSH: u8 = 3;

/// `data` of an escape or a flush: the probabilities are cleared after it.
pub const CLEARS: u8 = 1;
/// `data` of an escape: `marked` shows it; of a flush: `stopped` does.
pub const MARKS: u8 = 2;

/// What the coder does in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum CoderState {
    /// The request.
    Run,
    /// Doublings.
    Shift,
    /// A byte leaves C.
    Octet,
    /// The last byte and the zeros after it are sent.
    Fill,
}

/// A coder of one core.
#[derive(LogicBlock, Default)]
pub struct ArithmeticCoder {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub kind: Signal<In, Bits<2>>,
    pub data: Signal<In, Bits<8>>,
    pub count: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub octet: Signal<Out, Bits<8>>,
    pub last_octet: Signal<Out, Bit>,
    pub taken: Signal<In, Bit>,
    pub runs: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub marked: Signal<Out, Bit>,
    pub stopped: Signal<Out, Bit>,
    probabilities: Probabilities,
    // the request
    requested: DFF<Bit>,
    own_kind: DFF<Bits<2>>,
    undecided: Signal<Local, Bit>,
    own_data: DFF<Bits<8>>,
    own_count: DFF<Bits<4>>,
    // A, C, what is still to be added to C, doublings to the next byte
    a: DFF<Bits<12>>,
    c: DFF<Bits<24>>,
    addend: DFF<Bits<12>>,
    left: DFF<Bits<4>>,
    size: Signal<Local, Bits<12>>,
    doublings: Signal<Local, Bits<4>>,
    // a signal of its own: in a longer sum, Verilog inverts the upper bits, too
    not_doublings: Signal<Local, Bits<4>>,
    width: Signal<Local, Bits<12>>,
    less: Signal<Local, Bits<12>>,
    new_size: Signal<Local, Bits<12>>,
    new_doublings: Signal<Local, Bits<4>>,
    undersized: Signal<Local, Bit>,
    reversed: Signal<Local, Bits<12>>,
    plain_addend: Signal<Local, Bits<12>>,
    sum: Signal<Local, Bits<24>>,
    sum_addend: Signal<Local, Bits<12>>,
    wanted: Signal<Local, Bits<3>>,
    steps: Signal<Local, Bits<3>>,
    completes: Signal<Local, Bit>,
    // the byte before, and how many of a word were sent
    last: DFF<Bits<8>>,
    has_last: DFF<Bit>,
    octets: DFF<Bits<2>>,
    carry: Signal<Local, Bit>,
    last_is_ones: Signal<Local, Bit>,
    carried: Signal<Local, Bits<8>>,
    stuffs: Signal<Local, Bit>,
    enough: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    // what is done
    state: DFF<CoderState>,
    flushing: DFF<Bit>,
    missing: DFF<Bits<5>>,
    own: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    escapes: Signal<Local, Bit>,
    sends_plain: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    half: Fixed<Bits<12>>,
    one_12: Fixed<Bits<12>>,
    first_left: Fixed<Bits<4>>,
    one_8: Fixed<Bits<8>>,
    one_2: Fixed<Bits<2>>,
    seven: Fixed<Bits<5>>,
    eight: Fixed<Bits<5>>,
    first_bit: Fixed<Bits<12>>,
    first_two: Fixed<Bits<12>>,
    first_three: Fixed<Bits<12>>,
    k_decision: Fixed<Bits<2>>,
    k_escape: Fixed<Bits<2>>,
    k_plain: Fixed<Bits<2>>,
    k_flush: Fixed<Bits<2>>,
}

impl ArithmeticCoder {
    /// A coder at the beginning of a code.
    pub fn new() -> Self {
        Self {
            probabilities: Probabilities::new(),
            half: Fixed::of(HALF),
            one_12: Fixed::of(1u8),
            first_left: Fixed::of(FIRST),
            one_8: Fixed::of(1u8),
            one_2: Fixed::of(1u8),
            seven: Fixed::of(7u8),
            eight: Fixed::of(8u8),
            first_bit: Fixed::of(8u8),
            first_two: Fixed::of(12u8),
            first_three: Fixed::of(14u8),
            k_decision: Fixed::of(DECISION),
            k_escape: Fixed::of(ESCAPE),
            k_plain: Fixed::of(PLAIN),
            k_flush: Fixed::of(FLUSH),
            ..Default::default()
        }
    }
}

impl Logic for ArithmeticCoder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, requested, own_kind, own_data);
        dff_setup!(self, clock, own_count, a, c, addend, left, last, has_last, octets, state, flushing, missing);
        clock!(self, clock, probabilities);

        self.size.next = self.a.q.val() ^ self.half.val();
        self.doublings.next = self.left.q.val() ^ self.first_left.val();
        self.not_doublings.next = !self.doublings.val();
        self.runs.next = self.state.q.val() == CoderState::Run;

        // what is done in this cycle
        self.own.next = self.runs.val() & self.requested.q.val();
        self.undecided.next = self.own_data.q.val().get_bit(7);
        self.decides.next = self.own.val()
            & (self.own_kind.q.val() == self.k_decision.val())
            & (self.probabilities.ready.val() | self.undecided.val());
        self.escapes.next = self.own.val() & (self.own_kind.q.val() == self.k_escape.val());
        self.sends_plain.next = self.own.val() & (self.own_kind.q.val() == self.k_plain.val());
        self.flushes.next = self.own.val() & (self.own_kind.q.val() == self.k_flush.val());

        // the size of the interval that is chosen
        self.probabilities.situation.next = self.own_data.q.val().get_bits::<6>(0);
        self.probabilities.right.next = self.own_data.q.val().get_bit(6);
        self.probabilities.undecided.next = self.undecided.val();
        self.width.next = self.probabilities.width.val();
        if self.own_kind.q.val() == self.k_escape.val() {
            self.width.next = 0.into();
        }
        self.less.next = self.size.val() + !self.width.val();
        self.new_size.next = self.size.val();
        if self.decides.val() {
            self.new_size.next = self.width.val();
            if self.probabilities.likely.val() {
                self.new_size.next = self.less.val();
            }
        }
        if self.escapes.val() {
            self.new_size.next = self.one_12.val();
        }
        if self.sends_plain.val() {
            self.new_size.next = self.half.val();
        }
        self.addend.d.next = self.addend.q.val();
        if (self.decides.val() & !self.probabilities.likely.val()) | self.escapes.val() {
            self.addend.d.next = self.less.val();
        }

        // doublings: those of the size, or of plain bits, up to the next byte
        self.wanted.next = 0.into();
        if self.sends_plain.val() {
            self.wanted.next = 4.into();
            if !self.own_count.q.val().get_bits::<2>(2).any() {
                self.wanted.next = self.own_count.q.val().get_bits::<3>(0);
            }
        }
        if self.state.q.val() == CoderState::Shift {
            self.wanted.next = 4.into();
            if !self.flushing.q.val() {
                if self.size.val().get_bit(8) {
                    self.wanted.next = 3.into();
                }
                if self.size.val().get_bit(9) {
                    self.wanted.next = 2.into();
                }
                if self.size.val().get_bit(10) {
                    self.wanted.next = 1.into();
                }
            }
        }
        self.steps.next = self.wanted.val();
        if !self.doublings.val().get_bits::<2>(2).any() & (self.doublings.val().get_bits::<3>(0) < self.wanted.val()) {
            self.steps.next = self.doublings.val().get_bits::<3>(0);
        }
        if (self.state.q.val() == CoderState::Shift) & !self.flushing.q.val() {
            match self.steps.val().index() {
                1 => self.new_size.next = self.size.val() << 1,
                2 => self.new_size.next = self.size.val() << 2,
                3 => self.new_size.next = self.size.val() << 3,
                _ => self.new_size.next = self.size.val() << 4,
            }
        }
        self.undersized.next = !self.new_size.val().get_bit(11);
        self.probabilities.learn.next = self.decides.val() & self.undersized.val();
        self.new_doublings.next = self.doublings.val() - bit_cast::<4, 3>(self.steps.val());
        self.completes.next = !self.new_doublings.val().any();
        // plain bits, the first one on top: each is half of its value before its doubling
        self.reversed.next = bit_cast::<12, 1>(self.own_data.q.val().get_bits::<1>(3))
            | (bit_cast::<12, 1>(self.own_data.q.val().get_bits::<1>(2)) << 1)
            | (bit_cast::<12, 1>(self.own_data.q.val().get_bits::<1>(1)) << 2)
            | (bit_cast::<12, 1>(self.own_data.q.val().get_bits::<1>(0)) << 3);
        match self.steps.val().index() {
            1 => self.plain_addend.next = (self.reversed.val() & self.first_bit.val()) << 7,
            2 => self.plain_addend.next = (self.reversed.val() & self.first_two.val()) << 7,
            3 => self.plain_addend.next = (self.reversed.val() & self.first_three.val()) << 7,
            _ => self.plain_addend.next = self.reversed.val() << 7,
        }
        self.sum_addend.next = self.addend.q.val();
        if self.sends_plain.val() {
            self.sum_addend.next = self.plain_addend.val();
        }
        self.sum.next = self.c.q.val();
        if !self.runs.val() | self.sends_plain.val() {
            self.sum.next = self.c.q.val() + bit_cast::<24, 12>(self.sum_addend.val());
        }
        match self.steps.val().index() {
            0 => self.c.d.next = self.sum.val(),
            1 => self.c.d.next = self.sum.val() << 1,
            2 => self.c.d.next = self.sum.val() << 2,
            3 => self.c.d.next = self.sum.val() << 3,
            _ => self.c.d.next = self.sum.val() << 4,
        }
        self.a.d.next = self.new_size.val() ^ self.half.val();
        self.left.d.next = self.new_doublings.val() ^ self.first_left.val();

        // the byte before, with a carry; after a byte of ones, the next one has a bit for it
        self.carry.next = self.c.q.val().get_bit(23);
        self.last_is_ones.next = self.last.q.val().all();
        self.carried.next = self.last.q.val();
        if self.carry.val() & !self.last_is_ones.val() {
            self.carried.next = self.last.q.val() + self.one_8.val();
        }
        self.stuffs.next = self.has_last.q.val() & self.carried.val().all();
        self.enough.next = self.missing.q.val() <= self.eight.val();
        if self.stuffs.val() {
            self.enough.next = self.missing.q.val() <= self.seven.val();
        }
        self.sends.next = ((self.state.q.val() == CoderState::Octet) & self.has_last.q.val())
            | (self.state.q.val() == CoderState::Fill);
        self.octet.next = self.carried.val();
        if self.state.q.val() == CoderState::Fill {
            self.octet.next = 0.into();
            if self.has_last.q.val() {
                self.octet.next = self.last.q.val();
            }
        }
        self.have.next = self.sends.val();
        self.last_octet.next = self.octets.q.val().all();
        self.sent.next = self.sends.val() & self.taken.val();
        self.ends.next = (self.state.q.val() == CoderState::Fill) & self.taken.val() & self.octets.q.val().all();
        if self.sent.val() {
            self.octets.d.next = self.octets.q.val() + self.one_2.val();
        }

        match self.state.q.val() {
            CoderState::Run => {
                if (self.decides.val() & self.undersized.val()) | self.escapes.val() {
                    self.state.d.next = CoderState::Shift;
                }
                if self.sends_plain.val() & self.completes.val() {
                    self.state.d.next = CoderState::Octet;
                }
                if self.flushes.val() {
                    self.state.d.next = CoderState::Shift;
                    self.flushing.d.next = true;
                    // 23 less the doublings left
                    self.missing.d.next = bit_cast::<5, 4>(self.not_doublings.val()) + self.eight.val();
                }
            }
            CoderState::Shift => {
                self.addend.d.next = 0.into();
                if !self.flushing.q.val() & !self.undersized.val() {
                    self.state.d.next = CoderState::Run;
                }
                if self.completes.val() {
                    self.state.d.next = CoderState::Octet;
                }
            }
            CoderState::Octet => {
                if self.sent.val() | !self.has_last.q.val() {
                    self.has_last.d.next = true;
                    self.left.d.next = self.eight.val().get_bits::<4>(0) ^ self.first_left.val();
                    self.last.d.next = self.c.q.val().get_bits::<8>(15);
                    self.c.d.next = bit_cast::<24, 15>(self.c.q.val().get_bits::<15>(0));
                    if self.stuffs.val() {
                        self.left.d.next = self.seven.val().get_bits::<4>(0) ^ self.first_left.val();
                        self.last.d.next = self.c.q.val().get_bits::<8>(16);
                        if !self.last_is_ones.val() {
                            // the carry is in the byte of ones
                            self.last.d.next = bit_cast::<8, 7>(self.c.q.val().get_bits::<7>(16));
                        }
                        self.c.d.next = bit_cast::<24, 16>(self.c.q.val().get_bits::<16>(0));
                    }
                    self.missing.d.next = self.missing.q.val() - self.eight.val();
                    if self.stuffs.val() {
                        self.missing.d.next = self.missing.q.val() - self.seven.val();
                    }
                    self.state.d.next = CoderState::Run;
                    if self.flushing.q.val() | self.undersized.val() {
                        self.state.d.next = CoderState::Shift;
                    }
                    if self.flushing.q.val() & self.enough.val() {
                        self.state.d.next = CoderState::Fill;
                    }
                }
            }
            CoderState::Fill => {
                if self.sent.val() {
                    self.has_last.d.next = false;
                }
                if self.ends.val() {
                    self.state.d.next = CoderState::Run;
                    self.flushing.d.next = false;
                    self.a.d.next = 0.into();
                    self.left.d.next = 0.into();
                    self.c.d.next = 0.into();
                }
            }
        }

        // the request is finished, and the next one is taken
        self.done.next = self.decides.val()
            | self.escapes.val()
            | (self.sends_plain.val() & (bit_cast::<4, 3>(self.steps.val()) == self.own_count.q.val()))
            | self.ends.val();
        if self.sends_plain.val() {
            self.own_count.d.next = self.own_count.q.val() - bit_cast::<4, 3>(self.steps.val());
            match self.steps.val().index() {
                1 => self.own_data.d.next = self.own_data.q.val() >> 1,
                2 => self.own_data.d.next = self.own_data.q.val() >> 2,
                3 => self.own_data.d.next = self.own_data.q.val() >> 3,
                _ => self.own_data.d.next = self.own_data.q.val() >> 4,
            }
        }
        self.free.next = !self.requested.q.val() | self.done.val();
        self.probabilities.next_situation.next = self.own_data.q.val().get_bits::<6>(0);
        if self.free.val() {
            self.probabilities.next_situation.next = self.data.val().get_bits::<6>(0);
            self.requested.d.next = self.valid.val();
            self.own_kind.d.next = self.kind.val();
            self.own_data.d.next = self.data.val();
            self.own_count.d.next = self.count.val();
        }
        self.ready.next = self.free.val();
        self.busy.next = self.requested.q.val() | !self.runs.val();

        self.marked.next = self.escapes.val() & self.own_data.q.val().get_bit(1);
        self.stopped.next = self.ends.val() & self.own_data.q.val().get_bit(1);
        self.probabilities.clear.next = self.clear.val()
            | self.reset.val()
            | ((self.escapes.val() | self.ends.val()) & self.own_data.q.val().get_bit(0));
        if self.reset.val() {
            self.requested.d.next = false;
            self.state.d.next = CoderState::Run;
            self.flushing.d.next = false;
            self.a.d.next = 0.into();
            self.left.d.next = 0.into();
            self.c.d.next = 0.into();
            self.addend.d.next = 0.into();
            self.has_last.d.next = false;
            self.octets.d.next = 0.into();
        }
    }
}
