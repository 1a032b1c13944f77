//! Encoder of the scheme: turns event entries into the fields of their messages, and these into slices with a coder
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)".
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! As [`crate::scheme::tr::encoder`], with the same fields except those of a target: its form, then its slot, or its address and
//! that of the branch, which the coder subtracts. A field waits in a register until the coder takes it, while the next one is read; so a
//! field takes two cycles or more, and no path goes from the coder to the event FIFO.
//!
//! Golden model: [`sim::scheme::follow::record::Coder`].

use super::entry::form_at;
use super::runs::Runs;
use super::targets::{DIFFERENCE, OTHER, SLOT_NOT_OTHER};
use crate::scheme::tr::coder::chunked::NEAR;
use crate::scheme::tr::coder::RAW;
use crate::scheme::tr::fields::{FieldStep, Fields};
use crate::spine::entry::POST_TARGET;
use crate::spine::event_fifo::{FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::follow::sizes::Sizes;

/// A field of a target.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum TargetField {
    /// How it is sent.
    Form,
    /// Its slot.
    Slot,
    /// The address, of which the difference is sent.
    Difference,
    /// The address of the branch, which is subtracted from it.
    Base,
}

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct FollowEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    fields: Fields<W>,
    coder: Runs<W>,
    // as in T-raptor's encoder
    step: DFF<FieldStep>,
    time_sent: DFF<Bit>,
    second: DFF<Bit>,
    third: DFF<Bit>,
    part: DFF<Bits<2>>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    reads_kinds: Signal<Local, Bit>,
    kinds: Signal<Local, Bits<W>>,
    kinds_at: Fixed<Bits<5>>,
    // the field is put in the register; the next field, or the next entry, is read after it
    loads: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    reads: DFF<Bit>,
    pops: DFF<Bit>,
    pop_ends: DFF<Bit>,
    // the field that the coder takes
    full: DFF<Bit>,
    kind: DFF<Bits<3>>,
    size: DFF<Bits<6>>,
    value: DFF<Bits<W>>,
    zero: DFF<Bit>,
    lead: DFF<Bit>,
    core: DFF<Bits<4>>,
    no_difference: DFF<Bit>,
    // it is the next PTA; it ends the trace of its core; the header is repeated after it
    is_pta: DFF<Bit>,
    ends: DFF<Bit>,
    marks: DFF<Bit>,
    new_kind: Signal<Local, Bits<3>>,
    new_size: Signal<Local, Bits<6>>,
    new_value: Signal<Local, Bits<W>>,
    new_zero: Signal<Local, Bit>,
    next_core: Signal<Local, Bits<4>>,
    taken: Signal<Local, Bit>,
    // it was taken in the cycle before, and is in the register still
    was_taken: DFF<Bit>,
    // complement of PTA
    pta: Mem<4, W>,
    own_pta: DFF<Bits<W>>,
    known: Signal<Local, Bits<W>>,
    // a target: the field
    target_field: DFF<TargetField>,
    for_target: Signal<Local, Bit>,
    of_target: Signal<Local, Bit>,
    form: Signal<Local, Bits<W>>,
    form_2: Signal<Local, Bits<2>>,
    last_of_target: Signal<Local, Bit>,
    moved: Signal<Local, Bits<W>>,
    once: Signal<Local, Bits<W>>,
    twice: Signal<Local, Bits<W>>,
    // the bank of the slot, in its place
    bank: DFF<Bit>,
    slot_bank: Signal<Local, Bits<W>>,
    many: Fixed<Bit>,
    sync: Fixed<Bit>,
    one_2: Fixed<Bits<2>>,
    one_w: Fixed<Bits<W>>,
    three_w: Fixed<Bits<W>>,
    mask: Fixed<Bits<W>>,
    low_mask: Fixed<Bits<W>>,
    align: Fixed<Bits<2>>,
    form_shift: Fixed<Bits<6>>,
    slot_mask: Fixed<Bits<W>>,
    slot_size: Fixed<Bits<6>>,
    slot_shift: Fixed<Bits<5>>,
    slot_shift_twice: Fixed<Bits<5>>,
    bank_shift: Fixed<Bits<5>>,
    bank_shift_twice: Fixed<Bits<5>>,
    bank_bit: Fixed<Bits<W>>,
    k_target: Fixed<Bits<2>>,
    k_difference: Fixed<Bits<2>>,
    k_not_other: Fixed<Bits<2>>,
    k_other: Fixed<Bits<2>>,
    c_raw: Fixed<Bits<3>>,
    c_near: Fixed<Bits<3>>,
    f_instructions: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
}

impl<const W: usize> FollowEncoder<W> {
    /// The encoder for `params` with `extras`, whose predictors have these sizes.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`.
    pub fn with(params: &TraceParams, extras: Extras, sizes: &Sizes) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        let many = params.cores > 1;
        let slot = u64::from(sizes.targets().dictionary);
        let low = W - 1 - usize::from(sizes.upper);
        Self {
            fields: Fields::new(params, &extras),
            coder: Runs::new(params),
            sync: Fixed::new(extras.sync),
            one_2: Fixed::of(1u8),
            one_w: Fixed::of(1u8),
            three_w: Fixed::of(3u8),
            pta: Mem::new((params.ti_bits() as usize).max(1), if many { bits as usize } else { 0 }),
            kinds_at: Fixed::of(params.count_bits),
            many: Fixed::new(many),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            low_mask: Fixed::new(Bits::<W>::mask() >> (W - low) as u64),
            align: Fixed::of(params.align - 1),
            form_shift: Fixed::of(u64::from(params.count_bits) + form_at(params) as u64),
            slot_mask: Fixed::of((1u64 << (slot - 1)) - 1),
            slot_size: Fixed::of(slot - 1),
            slot_shift: Fixed::of(slot - 1),
            slot_shift_twice: Fixed::of(2 * (slot - 1)),
            bank_shift: Fixed::of(slot),
            bank_shift_twice: Fixed::of(2 * slot),
            bank_bit: Fixed::of(1u64 << (slot - 1)),
            k_target: Fixed::of(POST_TARGET),
            k_difference: Fixed::of(DIFFERENCE),
            k_not_other: Fixed::of(SLOT_NOT_OTHER),
            k_other: Fixed::of(OTHER),
            c_raw: Fixed::of(RAW),
            c_near: Fixed::of(NEAR),
            f_instructions: Fixed::of(FIELD_INSTRUCTIONS),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for FollowEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, time_sent, second, third, part, pre, post, own_pta, target_field);
        dff_setup!(self, clock, reads, pops, pop_ends, bank, full, kind, size, value, zero, lead, core);
        dff_setup!(self, clock, no_difference, is_pta, ends, marks, was_taken);
        clock!(self, clock, coder, pta);

        // the first word contains the type of the entry; registers keep it for the later fields
        self.reads_kinds.next = self.step.q.val() == FieldStep::Open;
        self.kinds.next = self.port.entry.word.val() >> self.kinds_at.val();
        if self.reads_kinds.val() & self.port.entry.have.val() & !self.reads.q.val() {
            self.step.d.next = FieldStep::Count;
            self.pre.d.next = self.kinds.val().get_bits::<2>(0);
            self.post.d.next = self.kinds.val().get_bits::<2>(2);
        }

        // the field
        self.fields.step.next = self.step.q.val();
        self.fields.time_sent.next = self.time_sent.q.val();
        self.fields.second.next = self.second.q.val();
        self.fields.third.next = self.third.q.val();
        self.fields.part.next = self.part.q.val();
        self.fields.pre.next = self.pre.q.val();
        self.fields.post.next = self.post.q.val();
        self.fields.word.next = self.port.entry.word.val();
        self.fields.cc.next = self.port.entry.cc.val();

        // the message of a mispredicted target, and the fields of the target
        self.for_target.next = !self.pre.q.val().any() & (self.post.q.val() == self.k_target.val());
        self.of_target.next = self.for_target.val() & (self.step.q.val() == FieldStep::Address);
        self.form.next = self.port.entry.word.val() >> self.form_shift.val();
        self.form_2.next = self.form.val().get_bits::<2>(0);
        self.moved.next = (self.port.entry.word.val() << self.align.val()) & self.low_mask.val();
        self.once.next = self.moved.val() >> self.slot_shift.val();
        self.twice.next = self.moved.val() >> self.slot_shift_twice.val();
        self.slot_bank.next = 0.into();
        if self.bank.q.val() {
            self.once.next = self.moved.val() >> self.bank_shift.val();
            self.twice.next = self.moved.val() >> self.bank_shift_twice.val();
            self.slot_bank.next = self.bank_bit.val();
        }
        self.last_of_target.next = (self.target_field.q.val() == TargetField::Slot)
            | (self.target_field.q.val() == TargetField::Base)
            | ((self.target_field.q.val() == TargetField::Form) & (self.form_2.val() == self.k_other.val()));
        self.new_kind.next = self.fields.kind.val();
        self.new_size.next = self.fields.size.val();
        self.new_value.next = self.fields.value.val();
        self.new_zero.next = self.fields.zero.val();
        self.port.entry.field.next = self.fields.own_field.val();
        if self.of_target.val() {
            self.new_kind.next = self.c_raw.val();
            match self.target_field.q.val() {
                TargetField::Form => {
                    self.port.entry.field.next = self.f_instructions.val();
                    self.new_size.next = 0.into();
                    self.new_value.next = self.one_w.val();
                    if self.form_2.val() == self.k_difference.val() {
                        self.new_value.next = 0.into();
                    }
                    if self.form_2.val() == self.k_not_other.val() {
                        self.new_size.next = 1.into();
                    }
                    if self.form_2.val() == self.k_other.val() {
                        self.new_size.next = 1.into();
                        self.new_value.next = self.three_w.val();
                    }
                }
                TargetField::Slot => {
                    self.port.entry.field.next = self.f_target.val();
                    self.new_size.next = self.slot_size.val();
                    self.new_value.next = ((self.moved.val() ^ self.once.val() ^ self.twice.val())
                        & self.slot_mask.val())
                        | self.slot_bank.val();
                }
                TargetField::Difference => {
                    self.port.entry.field.next = self.f_target.val();
                    self.new_kind.next = self.c_near.val();
                }
                TargetField::Base => {
                    self.port.entry.field.next = self.f_pc.val();
                    self.new_kind.next = self.c_near.val();
                }
            }
        }

        // next field, or next entry
        self.loads.next =
            self.port.entry.have.val() & !self.reads_kinds.val() & !self.reads.q.val() & !self.full.q.val();
        self.advance.next = self.loads.val() & (!self.of_target.val() | self.last_of_target.val());
        if self.loads.val() & self.of_target.val() {
            self.target_field.d.next = TargetField::Form;
            if self.target_field.q.val() == TargetField::Form {
                self.bank.d.next = self.form.val().get_bit(2);
            }
            if (self.target_field.q.val() == TargetField::Form) & !self.last_of_target.val() {
                self.target_field.d.next = TargetField::Slot;
                if self.form_2.val() == self.k_difference.val() {
                    self.target_field.d.next = TargetField::Difference;
                }
            }
            if self.target_field.q.val() == TargetField::Difference {
                self.target_field.d.next = TargetField::Base;
            }
        }
        if self.advance.val() {
            self.step.d.next = self.fields.next_step.val();
            self.pre.d.next = self.fields.new_pre.val();
            self.post.d.next = self.fields.new_post.val();
            self.time_sent.d.next = self.fields.is_time.val();
            self.second.d.next = (self.second.q.val() | self.fields.again.val()) & !self.fields.last.val();
            self.third.d.next =
                (self.third.q.val() | self.fields.marks.val()) & !self.fields.last.val() & self.sync.val();
        }
        self.part.d.next = self.part.q.val();
        if !self.fields.signs.val() {
            self.part.d.next = 0.into();
        } else if self.loads.val() {
            self.part.d.next = self.part.q.val() + self.one_2.val();
        }
        self.reads.d.next = self.loads.val();
        self.pops.d.next = self.advance.val() & self.fields.last.val();
        self.pop_ends.d.next = self.fields.ends.val();
        self.port.entry.done.next = self.pops.q.val();
        self.port.entry.ends.next = self.pop_ends.q.val();
        self.port.entry.uses_resync_pc.next = false;
        self.port.entry.again.next = false;
        if self.sync.val() {
            self.port.entry.again.next = self.loads.val() & self.fields.marks.val() & !self.port.entry.core.val().any();
        }

        // the field in the register; at a sync no address is subtracted
        self.taken.next = self.full.q.val() & self.coder.port.ready.val();
        if self.taken.val() {
            self.full.d.next = false;
        }
        self.next_core.next = self.core.q.val();
        if self.loads.val() {
            self.full.d.next = true;
            self.kind.d.next = self.new_kind.val();
            self.size.d.next = self.new_size.val();
            self.value.d.next = self.new_value.val();
            self.zero.d.next = self.new_zero.val();
            self.lead.d.next = self.fields.lead.val();
            self.next_core.next = self.port.entry.core.val();
            self.no_difference.d.next = self.fields.sync.val();
            self.is_pta.d.next =
                (self.step.q.val() == FieldStep::Address) & !self.for_target.val() & !self.fields.signs.val();
            self.ends.d.next = self.advance.val() & self.fields.last.val() & self.fields.ends.val();
            self.marks.d.next = self.fields.marks.val() & !self.port.entry.core.val().any() & self.sync.val();
        }
        self.core.d.next = self.next_core.val();
        self.known.next = self.own_pta.q.val();
        if self.many.val() {
            self.known.next = self.pta.rdata.val();
        }
        self.coder.port.minus.next = self.known.val();
        if self.no_difference.q.val() {
            self.coder.port.minus.next = self.mask.val();
        }
        if self.kind.q.val() == self.c_near.val() {
            // after the target, the address of its branch
            self.coder.port.minus.next = !self.value.q.val() & self.mask.val();
        }
        self.coder.port.no_difference.next = self.no_difference.q.val();
        self.coder.port.reset.next = self.port.reset.val();
        self.coder.port.valid.next = self.full.q.val();
        self.coder.port.kind.next = self.kind.q.val();
        self.coder.port.size.next = self.size.q.val();
        self.coder.port.lead.next = self.lead.q.val();
        self.coder.port.value.next = self.value.q.val();
        self.coder.port.zero.next = self.zero.q.val();
        self.coder.port.core.next = self.core.q.val();
        self.coder.next_core.next = self.next_core.val();
        // what the coder reads again at the next field at the earliest changes a cycle later, off the path from the coder
        self.was_taken.d.next = self.taken.val();
        self.coder.trace_end.next = self.was_taken.q.val() & self.ends.q.val();
        self.coder.start.next = self.was_taken.q.val() & self.marks.q.val();
        self.pta.raddr.next = self.next_core.val();
        self.pta.waddr.next = self.core.q.val();
        self.pta.wdata.next = !self.value.q.val() & self.mask.val();
        self.pta.we.next = self.was_taken.q.val() & self.is_pta.q.val() & self.many.val();
        if self.was_taken.q.val() & self.is_pta.q.val() {
            self.own_pta.d.next = !self.value.q.val() & self.mask.val();
        }

        // its bits
        self.coder.port.taken.next = self.port.bits.ready.val();
        self.port.bits.valid.next = self.coder.port.have.val();
        self.port.bits.count.next = self.coder.port.count.val();
        self.port.bits.data.next = self.coder.port.data.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = self.coder.port.busy.val() | self.full.q.val();

        if self.port.reset.val() {
            self.step.d.next = FieldStep::Open;
            self.time_sent.d.next = false;
            self.second.d.next = false;
            self.third.d.next = false;
            self.target_field.d.next = TargetField::Form;
            self.reads.d.next = false;
            self.pops.d.next = false;
            self.full.d.next = false;
            self.was_taken.d.next = false;
        }
    }
}

part!(FollowEncoder<W>, EncoderPort<W>, "encoder");
