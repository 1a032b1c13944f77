//! Encoder of the scheme: turns event entries into requests to the coders of their cores, and sends their words
//!
//! A branch is a request, if its prediction is right. A mispredicted target is followed by its fields in plain bits, an escape message
//! begins with an escape; its fields are those of [`crate::scheme::tr::fields`] from the kind on. A message that ends a code is followed by a flush.
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! One branch per cycle, if its target is predicted. A mispredicted target takes up to 16 cycles more, an escape message about 20. After the
//! marker of core 0 all requests are finished before the header.
//!
//! Golden model: [`sim::scheme::follow::arithmetic::front`].

use super::coder::{CLEARS, DECISION, ESCAPE, FLUSH, MARKS, PLAIN};
use super::codes::Codes;
use super::contexts::IN_DICTIONARY;
use crate::scheme::follow::targets::{DIFFERENCE, OTHER, SLOT};
use crate::scheme::tr::coder::chunked::{Chunked, NEAR};
use crate::scheme::tr::coder::RAW;
use crate::scheme::tr::fields::{FieldStep, Fields};
use crate::spine::entry::{POST_OUTCOME, POST_PROGRESS, POST_TARGET, PRE_CONTROL};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::follow::arithmetic::words::{SYNC_BITS, SYNC_ZEROS};
use sim::scheme::follow::record::DIFFERENCE as CHUNKS;
use sim::scheme::follow::runs::Runs as Golden;
use sim::scheme::follow::sizes::Sizes;

// as many as a request of plain bits has by default
const _: () = assert!(SYNC_ZEROS == 8);

/// What the encoder sends next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Sends {
    /// A branch, or a field of an escape message.
    Fields,
    /// Whether a target is in the dictionary.
    Dictionary,
    /// How it is sent, except that.
    Form,
    /// Its slot.
    Slot,
    /// Its address, of which the difference is sent.
    Difference,
    /// The address of the branch, which is subtracted from it.
    Base,
    /// Zeros after a short sync.
    Zeros,
    /// A flush.
    Flush,
    /// Nothing: all requests before the header are finished first.
    Drain,
}

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct ArithmeticEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    fields: Fields<W>,
    chunked: Chunked<W>,
    codes: Codes,
    step: DFF<FieldStep>,
    second: DFF<Bit>,
    third: DFF<Bit>,
    part: DFF<Bits<2>>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    sends: DFF<Sends>,
    // after a flush: the entry is finished, and the trace of its core
    finishes: DFF<Bit>,
    // plain bits of an escape message, as long as a sync needs zeros after them
    plain_bits: DFF<Bits<6>>,
    has_zeros: Signal<Local, Bit>,
    stops: DFF<Bit>,
    // the entry: its kinds, while its first word is read, and its decision
    opens: Signal<Local, Bit>,
    kinds: Signal<Local, Bits<W>>,
    own_pre: Signal<Local, Bits<2>>,
    own_post: Signal<Local, Bits<2>>,
    is_branch: Signal<Local, Bit>,
    branches: Signal<Local, Bit>,
    is_escape: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    undecided: Signal<Local, Bit>,
    form: DFF<Bits<3>>,
    form_now: Signal<Local, Bits<3>>,
    form_kind: Signal<Local, Bits<2>>,
    moved: Signal<Local, Bits<W>>,
    once: Signal<Local, Bits<W>>,
    twice: Signal<Local, Bits<W>>,
    // the bank of the slot, in its place
    slot_bank: Signal<Local, Bits<W>>,
    pta: Mem<4, W>,
    own_pta: DFF<Bits<W>>,
    known: Signal<Local, Bits<W>>,
    // the core of plain bits, whose entry may be gone; of the request; the request, and what is done
    plain_core: DFF<Bits<4>>,
    core: Signal<Local, Bits<4>>,
    direct: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    data: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<4>>,
    accepted: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    leads: Signal<Local, Bit>,
    many: Fixed<Bit>,
    sync_bits: Fixed<Bits<6>>,
    sync: Fixed<Bit>,
    with_signature: Fixed<Bit>,
    kinds_at: Fixed<Bits<5>>,
    one_2: Fixed<Bits<2>>,
    one_w: Fixed<Bits<W>>,
    mask: Fixed<Bits<W>>,
    low_mask: Fixed<Bits<W>>,
    align: Fixed<Bits<2>>,
    slot_mask: Fixed<Bits<W>>,
    slot_size: Fixed<Bits<6>>,
    slot_shift: Fixed<Bits<5>>,
    slot_shift_twice: Fixed<Bits<5>>,
    bank_shift: Fixed<Bits<5>>,
    bank_shift_twice: Fixed<Bits<5>>,
    bank_bit: Fixed<Bits<W>>,
    in_dictionary: Fixed<Bits<8>>,
    listed: Fixed<Bits<8>>,
    eight: Fixed<Bits<4>>,
    k_control: Fixed<Bits<2>>,
    k_outcome: Fixed<Bits<2>>,
    k_target: Fixed<Bits<2>>,
    k_progress: Fixed<Bits<2>>,
    k_difference: Fixed<Bits<2>>,
    k_slot: Fixed<Bits<2>>,
    k_other: Fixed<Bits<2>>,
    k_decision: Fixed<Bits<2>>,
    k_escape: Fixed<Bits<2>>,
    k_plain: Fixed<Bits<2>>,
    k_flush: Fixed<Bits<2>>,
    d_clears: Fixed<Bits<8>>,
    d_marks: Fixed<Bits<8>>,
    c_raw: Fixed<Bits<3>>,
    c_near: Fixed<Bits<3>>,
    f_count: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
}

impl<const W: usize> ArithmeticEncoder<W> {
    /// The encoder for `params` with `extras`, whose predictors have these sizes.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`.
    pub fn with(params: &TraceParams, extras: Extras, sizes: &Sizes) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        let cores = usize::from(params.cores);
        let many = cores > 1;
        let slot = u64::from(sizes.targets().dictionary);
        let low = W - 1 - usize::from(sizes.upper);
        // in a code, nothing precedes a field
        let alone = params.with(|p| p.cores = 1);
        Self {
            fields: Fields::new(&alone, &extras),
            chunked: Chunked::new(&Golden::CHUNKS, &alone).with_differences(CHUNKS),
            codes: Codes::new(cores, extras.sync),
            many: Fixed::new(many),
            sync_bits: Fixed::of(SYNC_BITS),
            sync: Fixed::new(extras.sync),
            with_signature: Fixed::new(params.signature > 0),
            kinds_at: Fixed::of(params.count_bits),
            one_2: Fixed::of(1u8),
            one_w: Fixed::of(1u8),
            pta: Mem::new((params.ti_bits() as usize).max(1), if many { bits as usize } else { 0 }),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            low_mask: Fixed::new(Bits::<W>::mask() >> (W - low) as u64),
            align: Fixed::of(params.align - 1),
            slot_mask: Fixed::of((1u64 << (slot - 1)) - 1),
            slot_size: Fixed::of(slot - 1),
            slot_shift: Fixed::of(slot - 1),
            slot_shift_twice: Fixed::of(2 * (slot - 1)),
            bank_shift: Fixed::of(slot),
            bank_shift_twice: Fixed::of(2 * slot),
            bank_bit: Fixed::of(1u64 << (slot - 1)),
            in_dictionary: Fixed::of(IN_DICTIONARY),
            listed: Fixed::of(IN_DICTIONARY | 1 << 6),
            eight: Fixed::of(8u8),
            k_control: Fixed::of(PRE_CONTROL),
            k_outcome: Fixed::of(POST_OUTCOME),
            k_target: Fixed::of(POST_TARGET),
            k_progress: Fixed::of(POST_PROGRESS),
            k_difference: Fixed::of(DIFFERENCE),
            k_slot: Fixed::of(SLOT),
            k_other: Fixed::of(OTHER),
            k_decision: Fixed::of(DECISION),
            k_escape: Fixed::of(ESCAPE),
            k_plain: Fixed::of(PLAIN),
            k_flush: Fixed::of(FLUSH),
            d_clears: Fixed::of(CLEARS),
            d_marks: Fixed::of(MARKS),
            c_raw: Fixed::of(RAW),
            c_near: Fixed::of(NEAR),
            f_count: Fixed::of(FIELD_COUNT),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for ArithmeticEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, second, third, part, pre, post, sends, finishes, stops, form);
        dff_setup!(self, clock, own_pta, plain_core, plain_bits);
        clock!(self, clock, chunked, codes, pta);

        self.core.next = self.port.entry.core.val();
        if self.many.val() & self.chunked.port.have.val() {
            self.core.next = self.plain_core.q.val();
        }

        // the first word of an entry contains its kinds; registers keep them for later messages and fields
        self.opens.next = self.step.q.val() == FieldStep::Open;
        self.kinds.next = self.port.entry.word.val() >> self.kinds_at.val();
        self.own_pre.next = self.pre.q.val();
        self.own_post.next = self.post.q.val();
        if self.opens.val() {
            self.own_pre.next = self.kinds.val().get_bits::<2>(0);
            self.own_post.next = self.kinds.val().get_bits::<2>(2);
        }
        self.is_branch.next = !self.own_pre.val().any()
            & ((self.own_post.val() == self.k_outcome.val()) | (self.own_post.val() == self.k_target.val()));
        self.branches.next = (self.sends.q.val() == Sends::Fields)
            & (self.opens.val() | (self.step.q.val() == FieldStep::Count))
            & self.is_branch.val();
        self.is_escape.next =
            (self.sends.q.val() == Sends::Fields) & (self.step.q.val() == FieldStep::Count) & !self.is_branch.val();
        self.right.next = self.port.entry.word.val().get_bit(6);
        self.undecided.next = self.port.entry.word.val().get_bit(7);
        self.form_now.next = self.port.entry.word.val().get_bits::<3>(8);
        self.form_kind.next = self.form.q.val().get_bits::<2>(0);

        self.fields.step.next = self.step.q.val();
        self.fields.time_sent.next = false;
        self.fields.second.next = self.second.q.val();
        self.fields.third.next = self.third.q.val();
        self.fields.part.next = self.part.q.val();
        self.fields.pre.next = self.pre.q.val();
        self.fields.post.next = self.post.q.val();
        self.fields.word.next = self.port.entry.word.val();
        self.fields.cc.next = self.port.entry.cc.val();
        self.known.next = self.own_pta.q.val();
        if self.many.val() {
            self.known.next = self.pta.rdata.val();
        }
        self.chunked.port.minus.next = self.known.val();
        if self.fields.sync.val() {
            self.chunked.port.minus.next = self.mask.val();
        }
        self.chunked.port.no_difference.next = self.fields.sync.val();
        self.chunked.port.reset.next = self.port.reset.val();
        self.chunked.port.valid.next = false;
        self.chunked.port.kind.next = self.fields.kind.val();
        self.chunked.port.size.next = self.fields.size.val();
        self.chunked.port.lead.next = false;
        self.chunked.port.value.next = self.fields.value.val();
        self.chunked.port.zero.next = self.fields.zero.val();
        self.chunked.port.core.next = 0.into();
        self.moved.next = (self.port.entry.word.val() << self.align.val()) & self.low_mask.val();
        self.once.next = self.moved.val() >> self.slot_shift.val();
        self.twice.next = self.moved.val() >> self.slot_shift_twice.val();
        self.slot_bank.next = 0.into();
        if self.form.q.val().get_bit(2) {
            self.once.next = self.moved.val() >> self.bank_shift.val();
            self.twice.next = self.moved.val() >> self.bank_shift_twice.val();
            self.slot_bank.next = self.bank_bit.val();
        }

        self.has_zeros.next = self.plain_bits.q.val() >= self.sync_bits.val();

        // the request: plain bits first, as nothing else follows them before they are taken
        self.direct.next = false;
        self.kind.next = self.k_decision.val();
        self.data.next = self.port.entry.word.val().get_bits::<8>(0);
        self.count.next = self.eight.val();
        self.clears.next =
            self.sync.val() & self.fields.sync.val() & (self.third.q.val() | self.port.entry.word.val().get_bit(11));
        match self.sends.q.val() {
            Sends::Fields => {
                if self.branches.val() {
                    self.direct.next = true;
                } else if self.is_escape.val() {
                    self.direct.next = true;
                    self.kind.next = self.k_escape.val();
                    self.data.next = 0.into();
                    if self.fields.sync.val() {
                        self.data.next = self.d_marks.val();
                        if self.clears.val() {
                            self.data.next = self.d_marks.val() | self.d_clears.val();
                        }
                    }
                } else {
                    self.chunked.port.valid.next = self.port.entry.have.val() & !self.opens.val();
                }
            }
            Sends::Dictionary => {
                self.direct.next = true;
                self.data.next = self.in_dictionary.val();
                if self.form_kind.val() != self.k_difference.val() {
                    self.data.next = self.listed.val();
                }
            }
            Sends::Form => {
                self.chunked.port.valid.next = true;
                self.chunked.port.kind.next = self.c_raw.val();
                self.chunked.port.zero.next = false;
                self.chunked.port.size.next = 0.into();
                self.chunked.port.value.next = 0.into();
                if self.form_kind.val() == self.k_other.val() {
                    self.chunked.port.value.next = self.one_w.val();
                }
            }
            Sends::Slot => {
                self.chunked.port.valid.next = true;
                self.chunked.port.kind.next = self.c_raw.val();
                self.chunked.port.zero.next = false;
                self.chunked.port.size.next = self.slot_size.val();
                self.chunked.port.value.next = ((self.moved.val() ^ self.once.val() ^ self.twice.val())
                    & self.slot_mask.val())
                    | self.slot_bank.val();
            }
            Sends::Difference => {
                self.chunked.port.valid.next = true;
                self.chunked.port.kind.next = self.c_near.val();
                self.chunked.port.zero.next = false;
                self.chunked.port.value.next = self.port.entry.word.val() & self.mask.val();
            }
            Sends::Base => {
                self.chunked.port.valid.next = true;
                self.chunked.port.kind.next = self.c_near.val();
                self.chunked.port.minus.next = !self.port.entry.word.val() & self.mask.val();
            }
            Sends::Zeros => {
                self.direct.next = !self.has_zeros.val();
                self.kind.next = self.k_plain.val();
                self.data.next = 0.into();
            }
            Sends::Flush => {
                self.direct.next = true;
                self.kind.next = self.k_flush.val();
                self.data.next = 0.into();
                if self.stops.q.val() {
                    self.data.next = self.d_marks.val() | self.d_clears.val();
                }
            }
            Sends::Drain => {}
        }
        self.valid.next = self.direct.val() & self.port.entry.have.val() & !self.chunked.port.busy.val();
        if self.chunked.port.have.val() {
            self.valid.next = true;
            self.kind.next = self.k_plain.val();
            self.data.next = self.chunked.port.data.val();
            self.count.next = self.chunked.port.count.val();
        }
        self.chunked.port.taken.next = self.codes.accepts.val();
        self.accepted.next =
            self.direct.val() & self.port.entry.have.val() & !self.chunked.port.busy.val() & self.codes.accepts.val();
        self.take.next = self.chunked.port.valid.val() & self.chunked.port.ready.val();
        if self.take.val() & self.many.val() {
            self.plain_core.d.next = self.port.entry.core.val();
        }
        if self.many.val() {
            if !self.has_zeros.val() & self.codes.accepts.val() & self.valid.val() {
                self.plain_bits.d.next = self.plain_bits.q.val() + bit_cast::<6, 4>(self.count.val());
            }
            if self.is_escape.val() & self.accepted.val() {
                self.plain_bits.d.next = 0.into();
            }
        }

        self.port.entry.field.next = self.f_count.val();
        self.flushes.next = (self.own_pre.val() == self.k_control.val())
            | (!self.own_pre.val().any() & (self.own_post.val() == self.k_progress.val()));
        self.advance.next = false;
        self.done.next = false;
        self.ends.next = false;
        self.again.next = false;
        self.leads.next = !self.port.entry.core.val().any();
        match self.sends.q.val() {
            Sends::Fields => {
                if self.branches.val() {
                    if self.accepted.val() {
                        self.form.d.next = self.form_now.val();
                        if (self.own_post.val() == self.k_target.val()) & !self.right.val() {
                            self.sends.d.next = Sends::Dictionary;
                            self.pre.d.next = self.own_pre.val();
                            self.post.d.next = self.own_post.val();
                            self.step.d.next = FieldStep::Count;
                            if self.undecided.val() {
                                self.sends.d.next = Sends::Difference;
                                self.port.entry.field.next = self.f_target.val();
                            }
                        } else {
                            self.done.next = true;
                        }
                    }
                } else if self.opens.val() {
                    if self.port.entry.have.val() {
                        self.step.d.next = FieldStep::Count;
                        self.pre.d.next = self.own_pre.val();
                        self.post.d.next = self.own_post.val();
                    }
                } else {
                    self.port.entry.field.next = self.fields.own_field.val();
                    self.advance.next = self.take.val() | (self.is_escape.val() & self.accepted.val());
                }
            }
            Sends::Dictionary => {
                if self.accepted.val() {
                    self.sends.d.next = Sends::Form;
                    if self.form_kind.val() == self.k_difference.val() {
                        self.sends.d.next = Sends::Difference;
                        self.port.entry.field.next = self.f_target.val();
                    }
                    if self.form_kind.val() == self.k_slot.val() {
                        self.sends.d.next = Sends::Slot;
                        self.port.entry.field.next = self.f_target.val();
                    }
                }
            }
            Sends::Form => {
                if self.take.val() {
                    if self.form_kind.val() == self.k_other.val() {
                        self.done.next = true;
                    } else {
                        self.sends.d.next = Sends::Slot;
                        self.port.entry.field.next = self.f_target.val();
                    }
                }
            }
            Sends::Slot => {
                self.port.entry.field.next = self.f_target.val();
                self.done.next = self.take.val();
            }
            Sends::Difference => {
                self.port.entry.field.next = self.f_target.val();
                if self.take.val() {
                    self.sends.d.next = Sends::Base;
                    self.port.entry.field.next = self.f_pc.val();
                }
            }
            Sends::Base => {
                self.port.entry.field.next = self.f_pc.val();
                self.done.next = self.take.val();
            }
            Sends::Zeros => {
                self.port.entry.field.next = self.fields.own_field.val();
                if self.has_zeros.val() & !self.chunked.port.busy.val() {
                    self.sends.d.next = Sends::Fields;
                    self.done.next = self.finishes.q.val();
                }
            }
            Sends::Flush => {
                if self.accepted.val() {
                    self.sends.d.next = Sends::Fields;
                    if self.finishes.q.val() {
                        self.done.next = true;
                        self.ends.next = self.stops.q.val();
                    } else if self.leads.val() {
                        self.sends.d.next = Sends::Drain;
                    }
                }
            }
            Sends::Drain => {
                if !self.codes.busy.val() {
                    self.again.next = true;
                    self.sends.d.next = Sends::Fields;
                }
            }
        }
        self.pta.raddr.next = self.port.entry.core.val();
        self.pta.waddr.next = self.port.entry.core.val();
        self.pta.wdata.next = !self.port.entry.word.val() & self.mask.val();
        self.pta.we.next = false;
        self.part.d.next = self.part.q.val();
        if self.advance.val() {
            self.port.entry.field.next = self.fields.next_field.val();
            self.step.d.next = self.fields.next_step.val();
            self.pre.d.next = self.fields.new_pre.val();
            self.post.d.next = self.fields.new_post.val();
            self.second.d.next = (self.second.q.val() | self.fields.again.val()) & !self.fields.last.val();
            self.third.d.next =
                (self.third.q.val() | self.fields.marks.val()) & !self.fields.last.val() & self.sync.val();
            if self.fields.last.val() | self.fields.again.val() {
                if self.flushes.val() {
                    self.sends.d.next = Sends::Flush;
                    self.port.entry.field.next = self.f_count.val();
                    self.finishes.d.next = self.fields.last.val();
                    self.stops.d.next = self.fields.ends.val();
                } else if self.fields.sync.val() & self.many.val() {
                    self.sends.d.next = Sends::Zeros;
                    self.finishes.d.next = self.fields.last.val();
                } else {
                    self.done.next = self.fields.last.val();
                }
            }
            if self.step.q.val() == FieldStep::Address {
                self.pta.we.next = self.many.val();
                self.own_pta.d.next = !self.port.entry.word.val() & self.mask.val();
            }
        }
        if self.with_signature.val() & self.fields.signs.val() {
            self.pta.we.next = false;
            self.own_pta.d.next = self.own_pta.q.val();
        }
        if !self.fields.signs.val() {
            self.part.d.next = 0.into();
        } else if self.take.val() {
            self.part.d.next = self.part.q.val() + self.one_2.val();
        }
        if self.done.val() {
            self.sends.d.next = Sends::Fields;
            self.step.d.next = FieldStep::Open;
            self.port.entry.field.next = self.f_count.val();
            self.second.d.next = false;
            self.third.d.next = false;
        }
        self.port.entry.done.next = self.done.val();
        self.port.entry.ends.next = self.ends.val();
        self.port.entry.again.next = self.again.val();
        self.port.entry.uses_resync_pc.next = false;

        self.codes.reset.next = self.port.reset.val();
        self.codes.core.next = self.core.val();
        self.codes.valid.next = self.valid.val();
        self.codes.kind.next = self.kind.val();
        self.codes.data.next = self.data.val();
        self.codes.count.next = self.count.val();
        self.codes.header.next = self.again.val();
        self.codes.bits_ready.next = self.port.bits.ready.val();
        self.port.bits.valid.next = self.codes.bits_valid.val();
        self.port.bits.count.next = self.codes.bits_count.val();
        self.port.bits.data.next = self.codes.bits_data.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = self.codes.busy.val()
            | self.chunked.port.busy.val()
            | (self.sends.q.val() == Sends::Flush)
            | (self.sends.q.val() == Sends::Drain);
        if self.port.reset.val() {
            self.step.d.next = FieldStep::Open;
            self.sends.d.next = Sends::Fields;
            self.second.d.next = false;
            self.third.d.next = false;
        }
    }
}

part!(ArithmeticEncoder<W>, EncoderPort<W>, "encoder");
