//! Control: processes the oldest instruction in the log, step by step
//!
//! First, calls that the instruction enters are stored; then calls that it ends are looked up; then its events are
//! built, one captured word after another. If the log is almost full, events that are not built yet are lost.
//!
//! # Source
//! Original to this project; the steps: `sim::diag::full`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts the current instruction |
//! | `head` | in | | the oldest instruction in the log |
//! | `advance` | out | 1 | that instruction leaves the log |
//! | `forget` | out | 1 | that instruction is the first after a reset: registers, stack and open calls are unknown |
//! | `returns`, `entries` | in | 16, 4 | see [`super::slots`] |
//! | `plan_at`, `plan` | out, in | 7, 16 | a word of a slot's plan, see [`super::slots`] |
//! | `ra`, `sp`, `known` | in | W, W, 32 | see [`super::registers`] |
//! | `capture`, `word`, `is_known` | in | 4, W, 1 | the captured word, see [`super::word`] |
//! | `fire`, `of_store`, `request` | out | 1 | the word is for an event, for an event of a store; the word is requested |
//! | `call_op`, `found` | out, in | | open calls, see [`super::ports`] |
//! | `refuses`, `event_draft` | in, out | 1, | event output, see [`super::outbox`] |
//! | `stalls` | in | 1 | an event for which there is no room waits, and the core with it |
//!
//! # Timing
//! An instruction that causes no event takes one cycle, and the first after a reset one more. An event takes 4 cycles, and 2 for each captured word.
//!
//! Golden model: `sim::diag::full`.

use super::ports::{CallMatchIn, CallOpOut, DraftOut, HeadIn};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// State of the control for the oldest instruction.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FullState {
    Look,
    Pick,
    Ask,
    Put,
    Search,
    To,
    Sp,
    Store,
    KeepTo,
    KeepSp,
    KeepTime,
    Open,
    Done,
}

/// Use of the captured words.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FullMode {
    Check,
    Keep,
    Fire,
}

/// The control of a full event generator of a core of W bits.
#[derive(LogicBlock, Default)]
pub struct Control<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub head: HeadIn<W>,
    pub advance: Signal<Out, Bit>,
    pub forget: Signal<Out, Bit>,
    pub returns: Signal<In, Bits<16>>,
    pub entries: Signal<In, Bits<4>>,
    pub plan_at: Signal<Out, Bits<7>>,
    pub plan: Signal<In, Bits<16>>,
    pub ra: Signal<In, Bits<W>>,
    pub sp: Signal<In, Bits<W>>,
    pub known: Signal<In, Bits<32>>,
    pub capture: Signal<In, Bits<4>>,
    pub word: Signal<In, Bits<W>>,
    pub is_known: Signal<In, Bit>,
    pub fire: Signal<Out, Bit>,
    pub of_store: Signal<Out, Bit>,
    pub request: Signal<Out, Bit>,
    pub call_op: CallOpOut<W>,
    pub found: CallMatchIn<W>,
    pub refuses: Signal<In, Bit>,
    pub stalls: Signal<In, Bit>,
    pub event_draft: DraftOut<W>,
    state: DFF<FullState>,
    mode: DFF<FullMode>,
    phase: DFF<Bits<2>>,
    todo: DFF<Bits<16>>,
    stores: DFF<Bits<4>>,
    // what was known before the reset is forgotten
    forgot: DFF<Bit>,
    current: DFF<Bit>,
    by_store: DFF<Bit>,
    slot: DFF<Bits<4>>,
    k: DFF<Bits<3>>,
    k_1: Signal<Local, Bits<3>>,
    candidates: DFF<Bits<16>>,
    at: DFF<Bits<4>>,
    same: DFF<Bit>,
    is_match: Signal<Local, Bit>,
    ended: DFF<Bits<16>>,
    work: Signal<Local, Bit>,
    pool: Signal<Local, Bits<16>>,
    less: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bits<16>>,
    not_rest: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    index: Signal<Local, Bits<4>>,
    not_lowest: Signal<Local, Bits<16>>,
    of_todo: Signal<Local, Bits<16>>,
    plan_slot: Signal<Local, Bits<4>>,
    plan_k: Signal<Local, Bits<3>>,
    over: Signal<Local, Bit>,
    unsure: Signal<Local, Bit>,
    entry: Signal<Local, Bits<4>>,
    cut: Signal<Local, Bit>,
    lost_now: Signal<Local, Bits<9>>,
    one_lost: Signal<Local, Bit>,
    left_hits: Signal<Local, Bits<16>>,
    left_stores: Signal<Local, Bits<4>>,
    one_2: Fixed<Bits<2>>,
    one_3: Fixed<Bits<3>>,
    one_16: Fixed<Bits<16>>,
    _wide: usize,
    _sixteen: usize,
    _four: usize,
}

impl<const W: usize> Control<W> {
    /// The control of a generator with `wide` wide slots.
    pub fn new(wide: u8) -> Self {
        Self {
            one_2: Fixed::of(1u64),
            one_3: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            _wide: wide.into(),
            _sixteen: 16,
            _four: 4,
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Control<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, mode, phase, todo, stores, forgot, current, by_store, slot, k, candidates, at, same,
            ended
        );
        self.work.next = self.head.hits.val().any() | self.head.stores.val().any() | self.found.ends.val();

        // the lowest of the remaining slots, calls or free entries
        self.pool.next = self.todo.q.val() | bit_cast::<16, 4>(self.stores.q.val());
        if self.phase.q.val() == 0 {
            self.pool.next = self.todo.q.val() & self.returns.val();
        }
        if self.state.q.val() == FullState::Search {
            self.pool.next = self.candidates.q.val();
        }
        if self.state.q.val() == FullState::Store {
            self.pool.next = self.found.free.val();
        }
        self.less.next = self.pool.val() - self.one_16.val();
        self.rest.next = self.pool.val() & self.less.val();
        self.not_rest.next = !self.rest.val();
        self.lowest.next = self.pool.val() & self.not_rest.val();
        self.not_lowest.next = !self.lowest.val();
        self.of_todo.next = self.todo.q.val() & self.lowest.val();
        self.index.next = 0.into();
        for i in 0..self._sixteen {
            if self.lowest.val().get_bit(i) {
                self.index.next = self.index.val() | i.to_bits::<4>();
            }
        }

        self.over.next = !self.capture.val().any() | (self.k.q.val() == 6);
        self.k_1.next = self.k.q.val() + self.one_3.val();
        self.unsure.next = false;
        for i in 0..self._wide {
            if self.slot.q.val() == i.to_bits::<4>() {
                self.unsure.next = self.entries.val().get_bit(i) & self.head.resumed.val();
            }
        }
        self.entry.next = self.index.val();
        if !self.found.free.val().any() {
            self.entry.next = self.found.victim.val();
        }
        self.is_match.next = self.same.q.val() & self.found.same_sp.val();

        self.advance.next = false;
        self.forget.next = self.head.shown.val()
            & self.head.first.val()
            & !self.forgot.q.val()
            & (self.state.q.val() == FullState::Look);
        self.lost_now.next = 0.into();
        self.plan_slot.next = self.slot.q.val();
        self.plan_k.next = 1.into();
        self.call_op.read.next = bit_cast::<7, 4>(self.at.q.val()) << 3;
        self.call_op.we.next = false;
        self.call_op.write.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | bit_cast::<7, 3>(self.k.q.val());
        self.call_op.data.next = self.word.val();
        self.call_op.close.next = false;
        self.call_op.evict.next = false;
        self.event_draft.we.next = false;
        self.event_draft.k.next = self.k.q.val();
        self.event_draft.data.next = self.word.val();
        self.event_draft.commit.next = false;
        match self.state.q.val() {
            FullState::Look => {
                self.todo.d.next = self.head.hits.val();
                self.stores.d.next = self.head.stores.val();
                self.current.d.next = false;
                self.phase.d.next = 0.into();
                self.ended.d.next = 0.into();
                if self.head.shown.val() & !self.forget.val() {
                    self.advance.next = !self.work.val();
                    if self.work.val() {
                        self.state.d.next = FullState::Pick;
                    }
                }
            }
            FullState::Pick => {
                self.plan_slot.next = self.index.val();
                self.k.d.next = 1.into();
                if self.phase.q.val() == 0 {
                    if self.pool.val().any() {
                        self.slot.d.next = self.index.val();
                        self.todo.d.next = self.todo.q.val() & self.not_lowest.val();
                        if self.known.val().get_bit(1) & self.known.val().get_bit(2) {
                            self.current.d.next = true;
                            self.mode.d.next = FullMode::Check;
                            self.state.d.next = FullState::Ask;
                        } else {
                            self.lost_now.next = 1.into();
                        }
                    } else {
                        self.phase.d.next = 1.into();
                    }
                } else if self.phase.q.val() == 3 {
                    if self.pool.val().any() {
                        self.slot.d.next = self.index.val();
                        self.current.d.next = true;
                        self.by_store.d.next = !self.of_todo.val().any();
                        if self.of_todo.val().any() {
                            self.todo.d.next = self.todo.q.val() & self.not_lowest.val();
                        } else {
                            self.stores.d.next = self.stores.q.val() & self.not_lowest.val().get_bits::<4>(0);
                        }
                        self.state.d.next = FullState::Open;
                    } else {
                        self.advance.next = true;
                        self.state.d.next = FullState::Look;
                    }
                } else if ((self.phase.q.val() == 1) & self.head.call.val())
                    | ((self.phase.q.val() == 2) & self.head.back.val())
                {
                    self.candidates.d.next = self.found.tag_matches.val();
                    self.state.d.next = FullState::Search;
                } else {
                    self.phase.d.next = self.phase.q.val() + self.one_2.val();
                }
            }
            FullState::Ask => {
                self.plan_k.next = self.k.q.val();
                self.state.d.next = FullState::Put;
                if self.capture.val() != 5 {
                    self.call_op.read.next =
                        (bit_cast::<7, 4>(self.at.q.val()) << 3) | bit_cast::<7, 3>(self.k.q.val());
                }
                if self.over.val() {
                    self.plan_k.next = 0.into();
                    match self.mode.q.val() {
                        FullMode::Check => {
                            self.candidates.d.next = self.found.tag_matches.val() & self.found.same_slot.val();
                            self.state.d.next = FullState::Search;
                        }
                        FullMode::Keep => {
                            self.state.d.next = FullState::KeepTo;
                        }
                        FullMode::Fire => {
                            self.state.d.next = FullState::Done;
                        }
                    }
                }
            }
            FullState::Put => {
                self.plan_k.next = self.k_1.val();
                self.k.d.next = self.k_1.val();
                self.state.d.next = FullState::Ask;
                self.event_draft.we.next = self.mode.q.val() == FullMode::Fire;
                self.call_op.we.next =
                    (self.mode.q.val() == FullMode::Keep) & ((self.capture.val() == 3) | (self.capture.val() == 4));
                if !self.is_known.val() {
                    self.lost_now.next = 1.into();
                    self.current.d.next = false;
                    self.state.d.next = FullState::Pick;
                }
            }
            FullState::Search => {
                self.call_op.read.next = (bit_cast::<7, 4>(self.index.val()) << 3) | 6;
                self.at.d.next = self.index.val();
                self.candidates.d.next = self.rest.val();
                self.state.d.next = FullState::To;
                if !self.pool.val().any() {
                    self.phase.d.next = self.phase.q.val() + self.one_2.val();
                    self.state.d.next = FullState::Pick;
                    if self.phase.q.val() == 0 {
                        self.phase.d.next = 0.into();
                        self.state.d.next = FullState::Store;
                    }
                }
            }
            FullState::To => {
                self.call_op.read.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 7;
                self.same.d.next = self.found.same_to.val();
                self.state.d.next = FullState::Sp;
            }
            FullState::Sp => {
                self.state.d.next = FullState::Search;
                if self.is_match.val() {
                    if self.phase.q.val() == 0 {
                        self.current.d.next = false;
                        self.state.d.next = FullState::Pick;
                    } else {
                        self.call_op.close.next = true;
                    }
                    if self.phase.q.val() == 2 {
                        self.ended.d.next = self.ended.q.val() | self.found.entry_bit.val();
                        for i in 0..self._sixteen {
                            if self.found.slot_at.val() == i.to_bits::<4>() {
                                self.todo.d.next = self.todo.q.val().replace_bit(i, true);
                            }
                        }
                    }
                }
            }
            FullState::Store => {
                self.at.d.next = self.entry.val();
                self.k.d.next = 1.into();
                self.mode.d.next = FullMode::Keep;
                self.state.d.next = FullState::Ask;
                if !self.found.free.val().any() {
                    self.lost_now.next = 1.into();
                    self.call_op.evict.next = true;
                }
            }
            FullState::KeepTo => {
                self.call_op.we.next = true;
                self.call_op.write.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 6;
                self.call_op.data.next = self.ra.val();
                self.state.d.next = FullState::KeepSp;
            }
            FullState::KeepSp => {
                self.call_op.we.next = true;
                self.call_op.write.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 7;
                self.call_op.data.next = self.sp.val();
                self.state.d.next = FullState::KeepTime;
            }
            FullState::KeepTime => {
                self.call_op.we.next = true;
                self.call_op.write.next = bit_cast::<7, 4>(self.at.q.val()) << 3;
                self.call_op.data.next = self.head.stamp.val();
                self.current.d.next = false;
                self.state.d.next = FullState::Pick;
            }
            FullState::Open => {
                self.k.d.next = 1.into();
                self.at.d.next = self.found.ended_at.val();
                self.mode.d.next = FullMode::Fire;
                self.event_draft.k.next = 6.into();
                self.event_draft.data.next = self.head.stamp.val();
                self.event_draft.we.next = !self.refuses.val();
                self.state.d.next = FullState::Ask;
                if self.refuses.val() & self.stalls.val() {
                    self.state.d.next = FullState::Open;
                }
                if (self.refuses.val() & !self.stalls.val()) | self.unsure.val() {
                    self.lost_now.next = 1.into();
                    self.current.d.next = false;
                    self.state.d.next = FullState::Pick;
                }
            }
            FullState::Done => {
                self.event_draft.k.next = 0.into();
                self.event_draft.data.next =
                    bit_cast::<W, 16>(self.plan.val()) | (bit_cast::<W, 3>(self.k.q.val()) << 16);
                self.event_draft.we.next = true;
                self.event_draft.commit.next = true;
                self.current.d.next = false;
                self.state.d.next = FullState::Pick;
            }
        }
        // the log is almost full: events that are not built yet are lost
        self.left_hits.next = self.todo.q.val();
        self.left_stores.next = self.stores.q.val();
        if self.state.q.val() == FullState::Look {
            self.left_hits.next = self.head.hits.val();
            self.left_stores.next = self.head.stores.val();
        }
        // an instruction that causes nothing leaves anyway and may be cut as well: this condition is known early
        self.cut.next = self.head.drop_all.val() | (self.head.almost_full.val() & self.head.shown.val());
        self.one_lost.next = false;
        self.event_draft.dropped.next = 0.into();
        if self.cut.val() {
            self.advance.next = true;
            self.state.d.next = FullState::Look;
            self.event_draft.commit.next = false;
            self.lost_now.next = bit_cast::<9, 1>(self.current.q.val().into());
            if self.state.q.val() == FullState::Look {
                self.lost_now.next = 0.into();
            }
            if self.head.drop_all.val() {
                self.advance.next = false;
                self.lost_now.next = self.head.pending.val();
                self.left_hits.next = 0.into();
                self.left_stores.next = 0.into();
            }
            // the outbox counts dropped calls one cycle later
            self.event_draft.dropped.next = self.found.dropped.val();
            for i in 0..self._sixteen {
                self.one_lost.next = self.left_hits.val().get_bit(i);
                self.lost_now.next = self.lost_now.val() + bit_cast::<9, 1>(self.one_lost.val().into());
            }
            for i in 0..self._four {
                self.one_lost.next = self.left_stores.val().get_bit(i);
                self.lost_now.next = self.lost_now.val() + bit_cast::<9, 1>(self.one_lost.val().into());
            }
        }
        self.forgot.d.next = (self.forgot.q.val() | self.forget.val()) & !self.advance.val();
        if self.head.drop_all.val() {
            self.forgot.d.next = false;
        }
        self.plan_at.next = (bit_cast::<7, 4>(self.plan_slot.val()) << 3) | bit_cast::<7, 3>(self.plan_k.val());
        self.event_draft.lost.next = self.lost_now.val();
        self.event_draft.opens.next =
            (self.state.q.val() == FullState::Open) & !self.head.almost_full.val() & !self.unsure.val();
        self.call_op.looking.next = self.state.q.val() == FullState::Look;
        self.call_op.phase.next = self.phase.q.val();
        self.call_op.slot.next = self.slot.q.val();
        self.call_op.at.next = self.at.q.val();
        self.call_op.ended.next = self.ended.q.val();
        self.call_op.keep.next = self.state.q.val() == FullState::KeepTime;
        self.call_op.cut.next = self.cut.val();
        self.fire.next = self.mode.q.val() == FullMode::Fire;
        self.of_store.next = self.by_store.q.val();
        // not in the cycle in which the instruction is cut: its store looks up stack words
        self.request.next = (self.state.q.val() == FullState::Ask) & !self.cut.val();
        if self.reset.val() {
            self.state.d.next = FullState::Look;
            self.forgot.d.next = false;
        }
    }
}
