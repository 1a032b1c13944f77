//! Encoder: event entries to the bits of their messages, one a clock
//!
//! A field is loaded into one shift register and sent from its low end, with a connect bit after each
//! chunk. All fields reach it through the adder that makes differences of addresses. The magnitude of a
//! negative one is made as its bits are sent: after the first 1 each is inverted.
//!
//! # Source
//! `docs/stream.md`; paper 000 section 4, table 3 and figure 7.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: idle, nothing half sent |
//! | `entry` | in | | the entry that is next, see [`crate::spine::ports`] |
//! | `bits` | out | | its bits |
//!
//! # Timing
//! Clocks a message: its bits, two for each field (the first: one), none for the sign of an address; three an entry. An outcome message of `tr_e` with a small count takes eight.
//!
//! # Addresses
//! PTA is kept in a memory, one word a core; it is read all the time and written when an address has been
//! loaded.
//!
//! Golden model: [`sim::scheme::fields::Writer`].

use crate::scheme::tr::parts::Parts;
use crate::spine::entry::{
    CONTROL_OVERFLOW, POST_NONE, POST_PROGRESS, POST_TARGET, PRE_CONTROL, PRE_EXCEPTION, PRE_SYNC,
};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::ports::{DataBitOut, ReadIn};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The field being sent, or what is done between messages.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum EncoderStep {
    Idle,
    Fetch,
    Time,
    Core,
    Count,
    Kind,
    Instructions,
    Lost,
    Address,
    Sign,
    End,
}

/// How far the field is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum EncoderPhase {
    /// Its word is being read.
    Wait,
    /// It goes into the shift register.
    Load,
    /// It is sent.
    Send,
}

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct Encoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub entry: ReadIn<W>,
    pub bits: DataBitOut,
    // where it is
    step: DFF<EncoderStep>,
    phase: DFF<EncoderPhase>,
    next_step: Signal<Local, EncoderStep>,
    first_step: Signal<Local, EncoderStep>,
    // field being sent
    v: DFF<Bits<W>>,
    left: DFF<Bits<5>>,
    size: Signal<Local, Bits<5>>,
    size_next: Signal<Local, Bits<5>>,
    less: Signal<Local, Bits<5>>,
    zero: Signal<Local, Bit>,
    raw: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<W>>,
    special: Signal<Local, Bits<4>>,
    from_word: Signal<Local, Bit>,
    from_cc: Signal<Local, Bit>,
    keep: Signal<Local, Bits<W>>,
    shift: Signal<Local, Bit>,
    // address
    negative: DFF<Bit>,
    seen: DFF<Bit>,
    flip: Signal<Local, Bit>,
    flips: Signal<Local, Bits<W>>,
    address: Signal<Local, Bit>,
    differ: Signal<Local, Bit>,
    base: Signal<Local, Bits<W>>,
    inverse: DFF<Bits<W>>,
    sum: Signal<Local, Bits<W>>,
    sign: Signal<Local, Bit>,
    pta: Mem<4, W>,
    // message
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    second: DFF<Bit>,
    kinds: Signal<Local, Bits<W>>,
    exception: Signal<Local, Bit>,
    sync: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    progress: Signal<Local, Bit>,
    target: Signal<Local, Bit>,
    escape: Signal<Local, Bit>,
    has_pc: Signal<Local, Bit>,
    // constants of the parameters
    timed: Fixed<Bit>,
    many: Fixed<Bit>,
    sign_bit: Fixed<Bits<W>>,
    mask: Fixed<Bits<W>>,
    count_mask: Fixed<Bits<W>>,
    kinds_at: Fixed<Bits<5>>,
    ti_left: Fixed<Bits<5>>,
    b_first: Fixed<Bits<5>>,
    b_next: Fixed<Bits<5>>,
    t_first: Fixed<Bits<5>>,
    t_next: Fixed<Bits<5>>,
    c_first: Fixed<Bits<5>>,
    c_next: Fixed<Bits<5>>,
    i_first: Fixed<Bits<5>>,
    i_next: Fixed<Bits<5>>,
    k_exception: Fixed<Bits<2>>,
    k_sync: Fixed<Bits<2>>,
    k_control: Fixed<Bits<2>>,
    k_none: Fixed<Bits<2>>,
    k_target: Fixed<Bits<2>>,
    k_progress: Fixed<Bits<2>>,
    k_overflow: Fixed<Bits<2>>,
    f_count: Fixed<Bits<2>>,
    f_instructions: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
    one: Fixed<Bits<5>>,
    one_w: Fixed<Bits<W>>,
    kind_left: Fixed<Bits<5>>,
    kind_sync: Fixed<Bits<4>>,
    kind_overflow: Fixed<Bits<4>>,
    kind_stop: Fixed<Bits<4>>,
    kind_progress: Fixed<Bits<4>>,
}

impl<const W: usize> Encoder<W> {
    /// The circuit for `params`; their scheme must be a chunked one.
    ///
    /// # Panics
    /// When `params` are refused by their check, or are for `nexs`, which has no circuit.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let coding = Parts::of(params).unwrap_or_else(|e| panic!("{e}")).coding;
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        Self {
            pta: Mem::new((params.ti_bits() as usize).max(1), bits as usize).in_block(),
            timed: Fixed::new(params.timestamps),
            many: Fixed::new(params.cores > 1),
            sign_bit: Fixed::of(1u64 << (bits - 1)),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            count_mask: Fixed::of((1u64 << params.count_bits) - 1),
            kinds_at: Fixed::of(u64::from(params.count_bits)),
            ti_left: Fixed::of(u64::from(params.ti_bits()).max(1) - 1),
            b_first: Fixed::of(coding.b_cnt.first),
            b_next: Fixed::of(coding.b_cnt.next),
            t_first: Fixed::of(coding.diff_ta.first),
            t_next: Fixed::of(coding.diff_ta.next),
            c_first: Fixed::of(coding.diff_cc.first),
            c_next: Fixed::of(coding.diff_cc.next),
            i_first: Fixed::of(coding.i_cnt.first),
            i_next: Fixed::of(coding.i_cnt.next),
            k_exception: Fixed::of(PRE_EXCEPTION),
            k_sync: Fixed::of(PRE_SYNC),
            k_control: Fixed::of(PRE_CONTROL),
            k_none: Fixed::of(POST_NONE),
            k_target: Fixed::of(POST_TARGET),
            k_progress: Fixed::of(POST_PROGRESS),
            k_overflow: Fixed::of(CONTROL_OVERFLOW),
            f_count: Fixed::of(FIELD_COUNT),
            f_instructions: Fixed::of(FIELD_INSTRUCTIONS),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            one: Fixed::of(1u8),
            one_w: Fixed::of(1u8),
            kind_left: Fixed::of(3u8),
            kind_sync: Fixed::of(1u8),
            kind_overflow: Fixed::of(1u8 | 1 << 1),
            kind_stop: Fixed::of(1u8 | 2 << 1),
            kind_progress: Fixed::of(1u8 | 3 << 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Encoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, phase, v, left, negative, seen, inverse, pre, post, second);
        self.pta.clock.next = self.clock.val();
        self.entry.done.next = false;

        // what the message is; `pre` is taken away when it has been sent
        self.exception.next = self.pre.q.val() == self.k_exception.val();
        self.sync.next = self.pre.q.val() == self.k_sync.val();
        self.control.next = self.pre.q.val() == self.k_control.val();
        self.overflow.next = self.control.val() & (self.post.q.val() == self.k_overflow.val());
        self.entry.ends.next = self.control.val() & !self.overflow.val();
        self.progress.next = self.post.q.val() == self.k_progress.val();
        self.target.next = self.post.q.val() == self.k_target.val();
        self.has_pc.next = self.exception.val() | self.sync.val();
        self.escape.next = self.pre.q.val().any() | self.progress.val();
        self.first_step.next = EncoderStep::Count;
        if self.many.val() {
            self.first_step.next = EncoderStep::Core;
        }
        if self.timed.val() {
            self.first_step.next = EncoderStep::Time;
        }

        // of each step: chunk sizes (of a raw field, its bits but one), the step after it, its field
        self.raw.next = false;
        self.keep.next = self.count_mask.val();
        self.differ.next = false;
        self.address.next = false;
        self.size.next = self.b_first.val();
        self.size_next.next = self.b_next.val();
        self.next_step.next = EncoderStep::End;
        self.entry.field.next = self.f_count.val();
        self.from_word.next = false;
        self.from_cc.next = false;
        self.special.next = 0.into();
        match self.step.q.val() {
            EncoderStep::Time => {
                self.from_cc.next = !self.second.q.val();
                self.size.next = self.c_first.val();
                self.size_next.next = self.c_next.val();
                self.next_step.next = EncoderStep::Count;
                if self.many.val() {
                    self.next_step.next = EncoderStep::Core;
                }
            }
            EncoderStep::Core => {
                self.raw.next = true;
                self.special.next = self.entry.core.val();
                self.size.next = self.ti_left.val();
                self.next_step.next = EncoderStep::Count;
            }
            EncoderStep::Count => {
                self.from_word.next = !self.escape.val();
                if self.escape.val() {
                    self.next_step.next = EncoderStep::Kind;
                } else if self.target.val() {
                    self.next_step.next = EncoderStep::Address;
                }
            }
            EncoderStep::Kind => {
                self.raw.next = true;
                self.size.next = self.kind_left.val();
                self.special.next = self.kind_progress.val();
                if self.control.val() {
                    self.special.next = self.kind_stop.val();
                }
                if self.overflow.val() {
                    self.special.next = self.kind_overflow.val();
                }
                if self.sync.val() {
                    self.special.next = self.kind_sync.val();
                }
                if self.exception.val() {
                    self.special.next = 0.into();
                    self.size.next = 0.into();
                }
                self.next_step.next = EncoderStep::Instructions;
            }
            EncoderStep::Instructions => {
                self.entry.field.next = self.f_instructions.val();
                self.from_word.next = true;
                self.size.next = self.i_first.val();
                self.size_next.next = self.i_next.val();
                if self.has_pc.val() {
                    self.next_step.next = EncoderStep::Address;
                }
                if self.overflow.val() {
                    self.next_step.next = EncoderStep::Lost;
                }
            }
            EncoderStep::Lost => {
                self.from_word.next = true;
                self.size.next = self.i_first.val();
                self.size_next.next = self.i_next.val();
            }
            EncoderStep::Address => {
                self.entry.field.next = self.f_target.val();
                if self.has_pc.val() {
                    self.entry.field.next = self.f_pc.val();
                }
                self.from_word.next = true;
                self.size.next = self.t_first.val();
                self.size_next.next = self.t_next.val();
                self.keep.next = self.mask.val();
                self.address.next = true;
                self.differ.next = !self.sync.val();
                self.next_step.next = EncoderStep::Sign;
            }
            EncoderStep::Sign => {
                self.raw.next = true;
            }
            _ => {
                self.next_step.next = EncoderStep::Idle;
            }
        }

        // word - PTA; where PTA does not count, ~0 + 1 leaves the word as it is. Kinds share their word with a
        // count.
        self.base.next = 0.into();
        if self.differ.val() {
            self.base.next = self.pta.rdata.val();
        }
        self.inverse.d.next = !self.base.val();
        self.sum.next = self.entry.word.val() + self.inverse.q.val() + self.one_w.val();
        self.sign.next = (self.sum.val() & self.sign_bit.val()).any();
        self.kinds.next = self.entry.word.val() >> self.kinds_at.val();
        self.loaded.next = bit_cast::<W, 4>(self.special.val());
        if self.from_word.val() {
            self.loaded.next = self.sum.val() & self.keep.val();
        }
        if self.from_cc.val() & self.timed.val() {
            self.loaded.next = bit_cast::<W, 32>(self.entry.cc.val());
        }
        self.pta.raddr.next = self.entry.core.val();
        self.pta.waddr.next = self.entry.core.val();
        self.pta.wdata.next = self.entry.word.val();
        self.pta.we.next = self.address.val() & (self.phase.q.val() == EncoderPhase::Load);

        // the field being sent, and what is left of it
        self.less.next = self.left.q.val() - self.one.val();
        self.zero.next = !self.left.q.val().any();
        self.flip.next = self.negative.q.val() & self.seen.q.val();
        self.flips.next = 0.into();
        if self.flip.val() {
            self.flips.next = self.mask.val();
        }
        self.more.next = (self.v.q.val() ^ self.flips.val()).any();
        self.bits.data.next = self.v.q.val().get_bit(0) ^ self.flip.val();
        if self.zero.val() & !self.raw.val() {
            self.bits.data.next = self.more.val();
        }
        if self.step.q.val() == EncoderStep::Sign {
            self.bits.data.next = self.negative.q.val();
        }
        self.bits.valid.next = self.phase.q.val() == EncoderPhase::Send;

        self.shift.next = false;
        match self.phase.q.val() {
            EncoderPhase::Wait => {
                self.phase.d.next = EncoderPhase::Load;
                match self.step.q.val() {
                    EncoderStep::Idle => {
                        self.phase.d.next = EncoderPhase::Wait;
                        self.second.d.next = false;
                        if self.entry.have.val() {
                            self.step.d.next = EncoderStep::Fetch;
                        }
                    }
                    EncoderStep::Fetch => {
                        self.pre.d.next = self.kinds.val().get_bits::<2>(0);
                        self.post.d.next = self.kinds.val().get_bits::<2>(2);
                        self.step.d.next = self.first_step.val();
                    }
                    EncoderStep::End => {
                        self.phase.d.next = EncoderPhase::Wait;
                        if self.has_pc.val() & (self.post.q.val() != self.k_none.val()) {
                            self.pre.d.next = 0.into();
                            self.second.d.next = true;
                            self.step.d.next = self.first_step.val();
                        } else {
                            self.entry.done.next = true;
                            self.step.d.next = EncoderStep::Idle;
                        }
                    }
                    _ => {}
                }
            }
            EncoderPhase::Load => {
                self.v.d.next = self.loaded.val();
                self.left.d.next = self.size.val();
                self.negative.d.next = self.sign.val() & self.address.val();
                self.seen.d.next = false;
                self.phase.d.next = EncoderPhase::Send;
            }
            EncoderPhase::Send => {
                if self.bits.ready.val() {
                    self.left.d.next = self.less.val();
                    if self.zero.val() {
                        self.left.d.next = self.size_next.val();
                        if self.raw.val() | !self.more.val() {
                            self.step.d.next = self.next_step.val();
                            self.phase.d.next = EncoderPhase::Wait;
                            if self.step.q.val() == EncoderStep::Address {
                                // the sign needs neither word nor loading
                                self.left.d.next = 0.into();
                                self.phase.d.next = EncoderPhase::Send;
                            }
                        }
                    } else {
                        self.shift.next = true;
                    }
                }
            }
        }
        if self.shift.val() {
            self.v.d.next = self.v.q.val() >> 1;
            if self.negative.q.val() {
                self.v.d.next = (self.v.q.val() >> 1) | self.sign_bit.val();
            }
            self.seen.d.next = self.seen.q.val() | self.v.q.val().get_bit(0);
        }
        if self.reset.val() {
            self.step.d.next = EncoderStep::Idle;
            self.phase.d.next = EncoderPhase::Wait;
        }
    }
}
