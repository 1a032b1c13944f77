//! Compressor: turns beats of up to four instructions per cycle into beats of one event each
//!
//! Connects the adapters of a core that retires several instructions per cycle to its front end, which takes one event
//! per cycle. The instructions of a cycle are queued as one word if they contain an event: control flow, the first
//! instruction after a trap or in a context, or the first that may be traced. A beat represents its event and the sequential
//! instructions before it. Sequential instructions without a later event are sent in a beat of their own once the queue is empty.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | empty the queue |
//! | `go` | in | 1 | the beat sent in this cycle is traced |
//! | `retire_slot[j]` | in | | beats of the instructions of a cycle, in program order; `live` and `discontinuity` are ignored |
//! | `extra[j]` | in | 5 | sequential instructions reported with that of slot j, before it; 0 for an empty slot |
//! | `new_context` | in | 1 | where contexts are reported: the first instruction of this cycle is the first in its context |
//! | `context_value` | in | 18 | the context of all of them, see [`super::context_tracker`] |
//! | `delay` | in | 8 | delay of the instructions in the slots, or of those that come next, in cycles; up to 127 |
//! | `beat` | out | | the beat, see [`super::beat`]; all fields but `live` describe its last instruction |
//! | `more` | out | 10 | number of instructions of the beat, less one |
//! | `step` | out | 8 | cycles from the previous beat's time to this one's |
//! | `beat_lost` | out | 1 | the instructions of the beat are lost: the queue was full |
//! | `almost_full` | out | 1 | two words or more wait |
//! | `queue_delay` | out | 8 | delay of this beat by the queue, in cycles |
//!
//! # Timing
//! A beat comes four cycles after the instructions, three after their own beats, or later while earlier beats are sent. Its time is
//! that of the event: it stops while beats wait, and advances by more than one where cycles without an event follow.
//!
//! A queue of depth 2^k holds 2^k - 1 words. A word that does not fit is lost, with all after it until the queue is empty.
//!
//! Events that arrive late keep their own time, too: while they are delayed, time stops.
//!
//! With the discontinuity check, an instruction must be at `target` of the one before, or at its `link` if that one cannot jump, in
//! the same cycle or across cycles. One that is not, and is not `intr`, is reported as the first after a trap, with `discontinuity`. An
//! instruction that came before `go` was 1 may be traced later, so all are checked; the first traced one is never `discontinuity`.
//!
//! With a filter, a hidden instruction (`hide`) counts as sequential, whatever it is. It is an event only if it is the first hidden
//! one, or the first that may be traced. The first one after hidden instructions is an event, too. A beat contains hidden or
//! other instructions, never both: where those before an event differ from it, they are sent in a beat of their own. So the contents
//! and delays of the queue depend only on the number of hidden instructions.
//!
//! Golden model: [`sim::beats::wide`].

use super::beat::{BeatIn, BeatOut};
use crate::spine::{Extras, Retire};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The compressor, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Compress<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub retire_slot: Vec<BeatIn<W>>,
    pub extra: Vec<Signal<In, Bits<5>>>,
    pub new_context: Signal<In, Bit>,
    pub context_value: Signal<In, Bits<18>>,
    pub delay: Signal<In, Bits<8>>,
    pub beat: BeatOut<W>,
    pub more: Signal<Out, Bits<10>>,
    pub step: Signal<Out, Bits<8>>,
    pub beat_lost: Signal<Out, Bit>,
    pub almost_full: Signal<Out, Bit>,
    pub queue_delay: Signal<Out, Bits<8>>,
    _slots: usize,
    // the queue: a memory for the fields of each slot, and one for those of the word
    pc_words: Vec<Mem<4, W>>,
    target_words: Vec<Mem<4, W>>,
    kind_words: Vec<Mem<4, 14>>,
    words: Mem<4, 22>,
    // where contexts are reported: whether a word's first instruction is the first in its context, and the context
    with_context: Fixed<Bit>,
    context_words: Mem<4, 19>,
    starts_context: Signal<Local, Bit>,
    context_value_2: DFF<Bits<18>>,
    new_context_2: DFF<Bit>,
    write: DFF<Bits<4>>,
    read: DFF<Bits<4>>,
    current: DFF<Bits<4>>,
    have: DFF<Bit>,
    after_write: Signal<Local, Bits<4>>,
    after_read: Signal<Local, Bits<4>>,
    waiting: Signal<Local, Bits<4>>,
    full: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    none: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    address: Signal<Local, Bits<4>>,
    // input
    event: Vec<Signal<Local, Bit>>,
    // target of the instruction before a slot, and whether it is known; the slot does not follow from it
    expected_pc: Vec<Signal<Local, Bits<W>>>,
    expected_pc_2: DFF<Bits<W>>,
    known: Vec<Signal<Local, Bit>>,
    known_2: DFF<Bit>,
    discontinuities: Vec<Signal<Local, Bit>>,
    intr: Vec<Signal<Local, Bit>>,
    // with a filter: whether the instruction before a slot is hidden; whether that slot is, and whether they differ
    previous_hidden: Vec<Signal<Local, Bit>>,
    previous_hidden_2: DFF<Bit>,
    hides: Vec<Signal<Local, Bit>>,
    hidden_changes: Vec<Signal<Local, Bit>>,
    // the same of the last reported beat, and of the current one
    last_sent_hidden: DFF<Bit>,
    differs: Signal<Local, Bit>,
    hidden: Signal<Local, Bit>,
    hide_2: DFF<Bit>,
    filter: Fixed<Bit>,
    some: Vec<Signal<Local, Bit>>,
    total: Vec<Signal<Local, Bits<5>>>,
    since: Vec<Signal<Local, Bits<5>>>,
    any: Signal<Local, Bit>,
    before: Vec<Signal<Local, Bits<5>>>,
    sums: Fixed<Bits<5>>,
    incoming_count: Signal<Local, Bits<5>>,
    tail: Signal<Local, Bits<5>>,
    kind_in: Vec<Signal<Local, Bits<14>>>,
    events: Signal<Local, Bits<4>>,
    first: Signal<Local, Bit>,
    seen: DFF<Bit>,
    // sequential instructions that are not sent yet; during a loss, all instructions
    pending: DFF<Bits<10>>,
    carried: Signal<Local, Bits<10>>,
    gap: DFF<Bit>,
    loses: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    // output
    served: DFF<Bits<4>>,
    unserved: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
    lower: Vec<Signal<Local, Bit>>,
    pick: Vec<Signal<Local, Bit>>,
    picked: Signal<Local, Bits<4>>,
    others: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<4>>,
    preceding_word: Signal<Local, Bits<10>>,
    preceding: Signal<Local, Bits<10>>,
    splits_beat: Signal<Local, Bit>,
    split: DFF<Bit>,
    flush: Signal<Local, Bit>,
    sends_event: Signal<Local, Bit>,
    live: Signal<Local, Bit>,
    pc: Signal<Local, Bits<W>>,
    target: Signal<Local, Bits<W>>,
    kind: Signal<Local, Bits<14>>,
    amount: Signal<Local, Bits<10>>,
    less: Signal<Local, Bits<10>>,
    // time
    now: DFF<Bits<8>>,
    lag: DFF<Bits<8>>,
    age: Signal<Local, Bits<8>>,
    event_time: Signal<Local, Bits<8>>,
    delay_1: DFF<Bits<8>>,
    delay_2: DFF<Bits<8>>,
    late: Signal<Local, Bits<8>>,
    ahead: Signal<Local, Bits<8>>,
    // the beat
    live_2: DFF<Bit>,
    valid_2: DFF<Bit>,
    kind_2: DFF<Bits<8>>,
    pc_2: DFF<Bits<W>>,
    target_2: DFF<Bits<W>>,
    more_2: DFF<Bits<10>>,
    step_2: DFF<Bits<8>>,
    beat_lost_2: DFF<Bit>,
    discontinuity_2: DFF<Bit>,
    length: Signal<Local, Bits<2>>,
    // from the parameters
    queue_mask: Fixed<Bits<4>>,
    compressed: Fixed<Bit>,
    minus: Fixed<Bits<10>>,
    check: Fixed<Bit>,
    before_mask: Fixed<Bits<5>>,
    // bits of the kind that do not depend on the instruction's type
    counts: Fixed<Bits<14>>,
}

impl<const W: usize> Compress<W> {
    /// The compressor of a core of `retire` with `params`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, W is not `xlen`, or `retire` is outside its ranges.
    pub fn new(params: &TraceParams, retire: Retire) -> Self {
        Self::of(params, Extras { retire: Some(retire), ..Extras::default() }, false)
    }

    /// As [`Self::new`], with `extras`, which give the number of slots; with `blocks`, slots may stand for several instructions.
    ///
    /// # Panics
    /// As [`Self::new`]; or when `extras` give no number, or ask for the check with blocks, which report no targets.
    pub fn of(params: &TraceParams, extras: Extras, blocks: bool) -> Self {
        let retire = extras.retire.expect("several instructions a clock");
        assert!(!(extras.check && blocks), "no circuit of the check");
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let (per_cycle, log2) = (usize::from(retire.per_cycle), usize::from(retire.log2_words));
        assert!(per_cycle == 2 || per_cycle == 4, "lanes = {per_cycle} are not 2 or 4");
        assert!((2..=4).contains(&log2), "log2_words = {log2} is outside 2..=4");
        let address = params.address_bits() as usize;
        let kinds = match (extras.filter, blocks) {
            (true, _) => 14,
            (false, true) => 13,
            (false, false) => 10 + usize::from(extras.check),
        };
        Self {
            retire_slot: each(per_cycle),
            _slots: per_cycle,
            pc_words: (0..per_cycle).map(|_| Mem::new(log2, address)).collect(),
            target_words: (0..per_cycle).map(|_| Mem::new(log2, address)).collect(),
            kind_words: (0..per_cycle).map(|_| Mem::new(log2, kinds)).collect(),
            extra: each(per_cycle),
            before: each(per_cycle),
            sums: Fixed::of(if blocks { 31_u64 } else { 7 }),
            words: Mem::new(log2, if params.timestamps { 22 } else { 14 }),
            with_context: Fixed::new(params.context.is_some()),
            context_words: Mem::new(log2, params.context.map_or(0, |_| params.context_bits() as usize + 1)),
            event: each(per_cycle),
            expected_pc: each(per_cycle + 1),
            known: each(per_cycle + 1),
            discontinuities: each(per_cycle),
            intr: each(per_cycle),
            previous_hidden: each(per_cycle + 1),
            hides: each(per_cycle),
            hidden_changes: each(per_cycle),
            filter: Fixed::new(extras.filter),
            check: Fixed::new(extras.check),
            before_mask: Fixed::of(if blocks { 31_u64 } else { 3 }),
            counts: Fixed::of(if blocks { 0x1f00_u64 } else { 0x300 }),
            kind_in: each(per_cycle),
            some: each(per_cycle + 1),
            total: each(per_cycle + 1),
            since: each(per_cycle + 1),
            lower: each(per_cycle + 1),
            pick: each(per_cycle),
            queue_mask: Fixed::of((1_u64 << log2) - 1),
            compressed: Fixed::new(params.align == 1),
            minus: Fixed::of(0x3ff_u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Compress<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, current, have, seen, pending, gap, served, split, now, lag);
        dff_setup!(self, clock, delay_1, delay_2, context_value_2, new_context_2);
        dff_setup!(self, clock, live_2, valid_2, kind_2, pc_2, target_2, more_2, step_2, beat_lost_2, discontinuity_2);
        dff_setup!(self, clock, previous_hidden_2, last_sent_hidden, hide_2, expected_pc_2, known_2);
        clock!(self, clock, words, context_words);

        // the queue
        self.after_write.next = bit_cast::<4, 4>(self.write.q.val() + 1) & self.queue_mask.val();
        self.after_read.next = bit_cast::<4, 4>(self.read.q.val() + 1) & self.queue_mask.val();
        self.full.next = self.after_write.val() == self.read.q.val();
        self.waiting.next = bit_cast::<4, 4>(self.write.q.val() - self.read.q.val()) & self.queue_mask.val();
        self.almost_full.next = (self.waiting.val() >> 1).any();
        self.empty.next = self.write.q.val() == self.read.q.val();
        self.none.next = self.empty.val() & !self.have.q.val();

        // hidden instructions
        self.previous_hidden[0].next = self.previous_hidden_2.q.val();
        for d in 0..self._slots {
            self.hides[d].next = self.retire_slot[d].hide.val() & self.filter.val();
            self.hidden_changes[d].next =
                self.retire_slot[d].valid.val() & (self.hides[d].val() != self.previous_hidden[d].val());
            self.previous_hidden[d + 1].next = self.previous_hidden[d].val();
            if self.retire_slot[d].valid.val() {
                self.previous_hidden[d + 1].next = self.hides[d].val();
            }
            self.previous_hidden_2.d.next = self.previous_hidden[d + 1].val();
        }

        // discontinuities
        for b in 0..self._slots {
            self.discontinuities[b].next = false;
        }
        if self.check.val() {
            self.expected_pc[0].next = self.expected_pc_2.q.val();
            self.known[0].next = self.known_2.q.val();
            for c in 0..self._slots {
                self.discontinuities[c].next = self.retire_slot[c].valid.val()
                    & !self.hides[c].val()
                    & !self.previous_hidden[c].val()
                    & self.known[c].val()
                    & !self.retire_slot[c].intr.val()
                    & (self.retire_slot[c].pc.val() != self.expected_pc[c].val());
                self.expected_pc[c + 1].next = self.expected_pc[c].val();
                self.known[c + 1].next = self.known[c].val();
                if self.retire_slot[c].valid.val() {
                    self.expected_pc[c + 1].next = self.retire_slot[c].link.val();
                    // the next address after an instruction that cannot jump, whatever the port says
                    if self.retire_slot[c].branch.val()
                        | self.retire_slot[c].lookup.val()
                        | self.retire_slot[c].push.val()
                        | self.retire_slot[c].pop.val()
                        | self.retire_slot[c].jump.val()
                    {
                        self.expected_pc[c + 1].next = self.retire_slot[c].target.val();
                    }
                    self.known[c + 1].next = true;
                }
                self.expected_pc_2.d.next = self.expected_pc[c + 1].val();
                self.known_2.d.next = self.known[c + 1].val() & !self.reset.val();
            }
        }

        // input: events, instructions up to a slot, those after the last event
        self.first.next = self.go.val() & !self.seen.q.val();
        self.some[0].next = false;
        self.total[0].next = 0.into();
        self.since[0].next = 0.into();
        self.events.next = 0.into();
        self.any.next = false;
        self.incoming_count.next = 0.into();
        self.tail.next = 0.into();
        for j in 0..self._slots {
            self.intr[j].next = self.retire_slot[j].intr.val() | self.discontinuities[j].val();
            self.event[j].next = self.retire_slot[j].valid.val()
                & (self.hidden_changes[j].val()
                    | (!self.hides[j].val()
                        & (self.intr[j].val()
                            | self.retire_slot[j].branch.val()
                            | self.retire_slot[j].lookup.val()
                            | self.retire_slot[j].pop.val()
                            | self.retire_slot[j].jump.val()
                            | (self.new_context.val() & !self.some[j].val())))
                    | (self.first.val() & !self.some[j].val()));
            self.some[j + 1].next = self.some[j].val() | self.retire_slot[j].valid.val();
            self.total[j + 1].next =
                (self.total[j].val() + self.extra[j].val() + self.retire_slot[j].valid.val()) & self.sums.val();
            self.before[j].next = (self.since[j].val() + self.extra[j].val()) & self.sums.val();
            self.since[j + 1].next = (self.before[j].val() + self.retire_slot[j].valid.val()) & self.sums.val();
            if self.event[j].val() {
                self.since[j + 1].next = 0.into();
            }
            self.events.next = self.events.val().replace_bit(j, self.event[j].val());
            self.any.next = self.some[j + 1].val();
            self.incoming_count.next = self.total[j + 1].val();
            self.tail.next = self.since[j + 1].val();
        }

        // instructions that are not sent yet, with those of this cycle
        self.flush.next = self.none.val() & self.pending.q.val().any();
        self.loses.next = (self.gap.q.val() & !self.none.val()) | (self.events.val().any() & self.full.val());
        // a lost instruction is not the first traced one
        self.seen.d.next = self.go.val() & (self.seen.q.val() | (self.any.val() & !self.loses.val()));
        self.push.next = self.events.val().any() & !self.loses.val();
        self.gap.d.next = self.loses.val();
        self.carried.next = self.pending.q.val();
        if self.flush.val() {
            self.carried.next = 0.into();
        }
        self.pending.d.next = self.carried.val() + bit_cast::<10, 5>(self.tail.val());
        if self.push.val() {
            self.pending.d.next = bit_cast::<10, 5>(self.tail.val());
        }
        if self.loses.val() {
            self.pending.d.next = self.pending.q.val() + bit_cast::<10, 5>(self.incoming_count.val());
        }
        if self.push.val() {
            self.write.d.next = self.after_write.val();
        }
        self.now.d.next = self.now.q.val() + 1;
        self.event_time.next = self.now.q.val() - self.delay.val();
        self.words.we.next = self.push.val();
        self.words.waddr.next = self.write.q.val();
        self.words.wdata.next = bit_cast::<22, 4>(self.events.val())
            | (bit_cast::<22, 10>(self.carried.val()) << 4)
            | (bit_cast::<22, 8>(self.event_time.val()) << 14);

        // the event that is sent
        self.unserved.next = !self.served.q.val();
        self.left.next = self.words.rdata.val().get_bits::<4>(0) & self.unserved.val();
        self.picked.next = 0.into();
        self.lower[0].next = !self.have.q.val();
        self.pc.next = 0.into();
        self.target.next = 0.into();
        self.kind.next = 0.into();
        for k in 0..self._slots {
            self.pick[k].next = self.left.val().get_bit(k) & !self.lower[k].val();
            self.lower[k + 1].next = self.lower[k].val() | self.left.val().get_bit(k);
            self.picked.next = self.picked.val().replace_bit(k, self.pick[k].val());
            if self.pick[k].val() {
                self.pc.next = self.pc_words[k].rdata.val();
                self.target.next = self.target_words[k].rdata.val();
                self.kind.next = self.kind_words[k].rdata.val();
            }
        }
        self.others.next = !self.picked.val();
        self.rest.next = self.left.val() & self.others.val();
        // sequential instructions before it
        self.preceding_word.next = self.words.rdata.val().get_bits::<10>(4);
        if self.served.q.val().any() {
            self.preceding_word.next = 0.into();
        }
        self.preceding.next =
            self.preceding_word.val() + bit_cast::<10, 5>(self.kind.val().get_bits::<5>(8) & self.before_mask.val());
        if self.split.q.val() {
            self.preceding.next = 0.into();
        }
        // if tracing begins at the event, these are sent before it, untraced; if only they or only it is hidden, in a beat of their own
        self.differs.next = self.kind.val().get_bit(13) != self.last_sent_hidden.q.val();
        self.splits_beat.next = self.have.q.val()
            & self.go.val()
            & (!self.live_2.q.val() | self.differs.val())
            & self.preceding.val().any();
        self.sends_event.next = self.have.q.val() & !self.splits_beat.val();
        self.split.d.next = self.splits_beat.val();
        self.live.next = self.go.val()
            & (self.live_2.q.val()
                | self.sends_event.val()
                | (self.none.val() & !self.pending.q.val().any() & !self.any.val()));

        // the next word
        self.served.d.next = self.served.q.val();
        if self.sends_event.val() {
            self.served.d.next = self.served.q.val() | self.picked.val();
            if !self.rest.val().any() {
                self.served.d.next = 0.into();
                self.have.d.next = false;
            }
        }
        self.reads.next = !self.empty.val() & (!self.have.q.val() | (self.sends_event.val() & !self.rest.val().any()));
        self.address.next = self.current.q.val();
        if self.reads.val() {
            self.address.next = self.read.q.val();
            self.read.d.next = self.after_read.val();
            self.have.d.next = true;
        }
        self.current.d.next = self.address.val();
        self.words.raddr.next = self.address.val();
        for i in 0..self._slots {
            self.pc_words[i].clock.next = self.clock.val();
            self.target_words[i].clock.next = self.clock.val();
            self.kind_words[i].clock.next = self.clock.val();
            self.pc_words[i].raddr.next = self.address.val();
            self.target_words[i].raddr.next = self.address.val();
            self.kind_words[i].raddr.next = self.address.val();
            self.pc_words[i].waddr.next = self.write.q.val();
            self.target_words[i].waddr.next = self.write.q.val();
            self.kind_words[i].waddr.next = self.write.q.val();
            self.pc_words[i].we.next = self.push.val();
            self.target_words[i].we.next = self.push.val();
            self.kind_words[i].we.next = self.push.val();
            self.pc_words[i].wdata.next = self.retire_slot[i].pc.val();
            self.target_words[i].wdata.next = self.retire_slot[i].target.val();
            // the link of a 4-byte instruction differs from its address by two, so the lowest bits are equal
            self.kind_in[i].next = 0.into();
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(0, self.intr[i].val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(1, self.retire_slot[i].branch.val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(2, self.retire_slot[i].taken.val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(3, self.retire_slot[i].lookup.val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(4, self.retire_slot[i].push.val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(5, self.retire_slot[i].pop.val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(6, self.retire_slot[i].jump.val());
            self.kind_in[i].next = self.kind_in[i]
                .val()
                .replace_bit(7, self.retire_slot[i].pc.val().get_bit(0) == self.retire_slot[i].link.val().get_bit(0));
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(8, self.before[i].val().get_bit(0));
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(9, self.before[i].val().get_bit(1));
            // at most three single instructions precede one in a word
            self.kind_in[i].next =
                self.kind_in[i].val().replace_bit(10, self.before[i].val().get_bit(2) | self.discontinuities[i].val());
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(11, self.before[i].val().get_bit(3));
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(12, self.before[i].val().get_bit(4));
            if self.hides[i].val() {
                self.kind_in[i].next = self.kind_in[i].val() & self.counts.val();
            }
            self.kind_in[i].next = self.kind_in[i].val().replace_bit(13, self.hides[i].val());
            self.kind_words[i].wdata.next = self.kind_in[i].val();
        }

        // whether it is hidden
        self.hidden.next = self.last_sent_hidden.q.val();
        if self.sends_event.val() {
            self.hidden.next = self.kind.val().get_bit(13);
        }
        if self.flush.val() {
            self.hidden.next = self.previous_hidden_2.q.val();
        }
        self.last_sent_hidden.d.next = self.hidden.val();
        self.hide_2.d.next = self.hidden.val() & self.filter.val();
        if self.flush.val() & self.gap.q.val() {
            // they may be of both kinds
            self.hide_2.d.next = false;
        }

        // context of the beat
        self.starts_context.next = false;
        self.context_value_2.d.next = 0.into();
        self.context_words.raddr.next = self.address.val();
        self.context_words.waddr.next = self.write.q.val();
        self.context_words.we.next = self.push.val();
        self.context_words.wdata.next =
            (bit_cast::<19, 18>(self.context_value.val()) << 1) | bit_cast::<19, 1>(self.new_context.val().into());
        if self.with_context.val() {
            self.starts_context.next =
                self.context_words.rdata.val().get_bit(0) & self.sends_event.val() & !self.served.q.val().any();
            self.context_value_2.d.next = self.context_value_2.q.val();
            if self.sends_event.val() {
                self.context_value_2.d.next = self.context_words.rdata.val().get_bits::<18>(1);
            }
        }
        self.new_context_2.d.next = self.starts_context.val() & self.live.val();

        // time of the beat
        self.age.next = self.now.q.val() - self.words.rdata.val().get_bits::<8>(14);
        self.delay_1.d.next = self.delay.val();
        self.delay_2.d.next = self.delay_1.q.val();
        self.late.next = self.delay_2.q.val();
        if self.have.q.val() {
            self.late.next = self.age.val() - 2;
        }
        self.lag.d.next = self.late.val();
        self.ahead.next = self.lag.q.val() + 1;
        self.step_2.d.next = self.ahead.val() - self.late.val();

        // the beat
        self.live_2.d.next = self.live.val();
        self.valid_2.d.next = self.have.q.val() | self.flush.val();
        self.beat_lost_2.d.next = self.flush.val() & self.gap.q.val();
        self.pc_2.d.next = self.pc.val();
        self.target_2.d.next = self.target.val();
        self.kind_2.d.next = 0.into();
        self.discontinuity_2.d.next = false;
        if self.sends_event.val() & self.live.val() {
            self.kind_2.d.next = self.kind.val().get_bits::<8>(0);
            // discontinuities before the first traced beat are ignored
            self.discontinuity_2.d.next = self.kind.val().get_bit(10) & self.check.val() & self.live_2.q.val();
        }
        self.amount.next = self.preceding.val();
        if !self.have.q.val() {
            self.amount.next = self.pending.q.val();
        }
        self.less.next = 0.into();
        if self.flush.val() | self.splits_beat.val() {
            self.less.next = self.minus.val();
        }
        self.more_2.d.next = self.amount.val() + self.less.val();
        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.current.d.next = 0.into();
            self.have.d.next = false;
            self.seen.d.next = false;
            self.pending.d.next = 0.into();
            self.gap.d.next = false;
            self.served.d.next = 0.into();
            self.split.d.next = false;
            self.new_context_2.d.next = false;
            self.context_value_2.d.next = 0.into();
            self.now.d.next = 0.into();
            self.lag.d.next = 0.into();
            self.delay_1.d.next = 0.into();
            self.delay_2.d.next = 0.into();
            self.live_2.d.next = false;
            self.valid_2.d.next = false;
            self.discontinuity_2.d.next = false;
            self.previous_hidden_2.d.next = false;
            self.last_sent_hidden.d.next = false;
            self.hide_2.d.next = false;
            self.kind_2.d.next = 0.into();
        }

        self.length.next = 1.into();
        if self.kind_2.q.val().get_bit(7) & self.compressed.val() {
            self.length.next = 2.into();
        }
        self.beat.live.next = self.live_2.q.val();
        self.beat.valid.next = self.valid_2.q.val();
        self.beat.intr.next = self.kind_2.q.val().get_bit(0);
        self.beat.discontinuity.next = self.discontinuity_2.q.val();
        self.beat.hide.next = self.hide_2.q.val();
        self.beat.new_context.next = self.new_context_2.q.val();
        self.beat.context_value.next = self.context_value_2.q.val();
        self.beat.branch.next = self.kind_2.q.val().get_bit(1);
        self.beat.taken.next = self.kind_2.q.val().get_bit(2);
        self.beat.lookup.next = self.kind_2.q.val().get_bit(3);
        self.beat.push.next = self.kind_2.q.val().get_bit(4);
        self.beat.pop.next = self.kind_2.q.val().get_bit(5);
        self.beat.inferable.next = false;
        // makes a lost beat look like an instruction that can make a message
        self.beat.jump.next = self.kind_2.q.val().get_bit(6) | (self.beat_lost_2.q.val() & self.live_2.q.val());
        self.beat.pc.next = self.pc_2.q.val();
        self.beat.link.next = self.pc_2.q.val() + bit_cast::<W, 2>(self.length.val());
        self.beat.target.next = self.target_2.q.val();
        self.more.next = self.more_2.q.val();
        self.queue_delay.next = self.lag.q.val();
        self.step.next = self.step_2.q.val();
        self.beat_lost.next = self.beat_lost_2.q.val() & self.valid_2.q.val();
    }
}
