//! Fields: selects the field of an event entry that the encoder sends next, and the one after it
//!
//! # Source
//! `docs/reference/stream.md`; paper 000 section 4, table 3 and figure 7.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | | the field |
//! | `time_sent` | in | 1 | the time stamp of the message was sent |
//! | `second` | in | 1 | it is not the entry's first message |
//! | `third` | in | 1 | it is the sync of a resync, after its marker |
//! | `part` | in | 2 | index of a signature's four-bit field |
//! | `pre`, `post` | in | 2 | kinds of the message, see [`crate::spine::entry`] |
//! | `word` | in | W | the word of the entry |
//! | `cc` | in | 32 | `cc` of the entry |
//! | `kind`, `size`, `value`, `zero`, `lead` | out | | the field, see [`super::coder`] |
//! | `stamped`, `stamp` | out | 1, 6 | the time stamp of the message is sent with the field; the time stamp, one chunk |
//! | `own_field`, `next_field` | out | 2 | entry fields that contain the word, and the word of the next field |
//! | `next_step` | out | | the next field |
//! | `last` | out | 1 | it is the last field of the entry |
//! | `is_time` | out | 1 | the field is the time stamp |
//! | `again` | out | 1 | another message follows |
//! | `new_pre`, `new_post` | out | 2 | kinds of the message of the next field |
//! | `sync` | out | 1 | the message is a sync |
//! | `marks` | out | 1 | it is the last field of a marker |
//! | `ends` | out | 1 | it is a stop message |
//! | `signs` | out | 1 | it is a signature: the step is [`FieldStep::Address`], but the field is not an address |
//!
//! # Timing
//! Combinational. No output depends on whether the coder takes the field.
//!
//! Golden model: [`sim::scheme::fields::Writer`].

use super::coder::{ADDRESS, COUNT, CYCLES, INSTRUCTIONS, RAW};
use crate::spine::entry::{
    CONTROL_OVERFLOW, CONTROL_RESYNC, POST_NONE, POST_PROGRESS, POST_RESYNC, POST_TARGET, PRE_CONTROL, PRE_EXCEPTION,
    PRE_SYNC,
};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::slices::{stamp, Slices};
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A field of a message. The first one comes after the time stamp, if that is sent.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FieldStep {
    /// No field: the type of the entry is read.
    Open,
    /// bCnt, 0 in an escape message.
    Count,
    /// Kind of an escape message.
    Kind,
    /// iCnt.
    Instructions,
    /// Instructions lost; the context of an exception, a sync or a change of context.
    Lost,
    /// ETA, PC or TA.
    Address,
}

/// A selector of the fields of an entry; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct Fields<const W: usize> {
    pub step: Signal<In, FieldStep>,
    pub time_sent: Signal<In, Bit>,
    pub second: Signal<In, Bit>,
    pub third: Signal<In, Bit>,
    pub part: Signal<In, Bits<2>>,
    pub pre: Signal<In, Bits<2>>,
    pub post: Signal<In, Bits<2>>,
    pub word: Signal<In, Bits<W>>,
    pub cc: Signal<In, Bits<32>>,
    pub kind: Signal<Out, Bits<3>>,
    pub size: Signal<Out, Bits<6>>,
    pub value: Signal<Out, Bits<W>>,
    pub zero: Signal<Out, Bit>,
    pub lead: Signal<Out, Bit>,
    pub stamped: Signal<Out, Bit>,
    pub stamp: Signal<Out, Bits<6>>,
    pub own_field: Signal<Out, Bits<2>>,
    pub next_field: Signal<Out, Bits<2>>,
    pub next_step: Signal<Out, FieldStep>,
    pub last: Signal<Out, Bit>,
    pub is_time: Signal<Out, Bit>,
    pub again: Signal<Out, Bit>,
    pub new_pre: Signal<Out, Bits<2>>,
    pub new_post: Signal<Out, Bits<2>>,
    pub sync: Signal<Out, Bit>,
    pub marks: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub signs: Signal<Out, Bit>,
    cycles: Signal<Local, Bits<32>>,
    short_time: Signal<Local, Bit>,
    special: Signal<Local, Bits<4>>,
    escape: Signal<Local, Bit>,
    exception: Signal<Local, Bit>,
    synced: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    after_exception: Signal<Local, Bit>,
    third_of: Signal<Local, Bit>,
    has_pc: Signal<Local, Bit>,
    // where messages carry signatures: this message does; the field is its last one
    carries: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    // four bits of the signature
    moved: Signal<Local, Bits<W>>,
    with_signature: Fixed<Bit>,
    last_part: Fixed<Bits<2>>,
    low_four: Fixed<Bits<W>>,
    one: Fixed<Bits<W>>,
    // where contexts are reported
    with_context: Fixed<Bit>,
    above_count: Signal<Local, Bits<W>>,
    context_only: Signal<Local, Bit>,
    count_bits: Fixed<Bits<5>>,
    context_mask: Fixed<Bits<W>>,
    context_size: Fixed<Bits<6>>,
    context_bit: Fixed<Bits<W>>,
    kind_context: Fixed<Bits<W>>,
    // constants from the parameters
    timed: Fixed<Bit>,
    sync_built: Fixed<Bit>,
    many: Fixed<Bit>,
    narrow: Fixed<Bit>,
    stamps: Fixed<Bit>,
    above_stamp: Fixed<Bits<32>>,
    above_kind: Fixed<Bits<W>>,
    mask: Fixed<Bits<W>>,
    no_kinds: Fixed<Bits<W>>,
    c_raw: Fixed<Bits<3>>,
    c_count: Fixed<Bits<3>>,
    c_address: Fixed<Bits<3>>,
    c_cycles: Fixed<Bits<3>>,
    c_instructions: Fixed<Bits<3>>,
    k_exception: Fixed<Bits<2>>,
    k_sync: Fixed<Bits<2>>,
    k_control: Fixed<Bits<2>>,
    k_none: Fixed<Bits<2>>,
    k_target: Fixed<Bits<2>>,
    k_progress: Fixed<Bits<2>>,
    k_overflow: Fixed<Bits<2>>,
    k_resync: Fixed<Bits<2>>,
    k_post_resync: Fixed<Bits<2>>,
    f_count: Fixed<Bits<2>>,
    f_instructions: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
    kind_size: Fixed<Bits<6>>,
    kind_sync: Fixed<Bits<4>>,
    kind_resync: Fixed<Bits<4>>,
    kind_overflow: Fixed<Bits<4>>,
    kind_stop: Fixed<Bits<4>>,
    kind_progress: Fixed<Bits<4>>,
}

impl<const W: usize> Fields<W> {
    /// The selector for messages of `params` in systems with `extras`. A narrow coder reads four bits of the kind of an escape message.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        let (slices, stamp) = (Slices::of(params, extras), stamp(params, extras));
        let (count, context) = (params.count_bits, params.context_bits());
        let with_context = params.context.is_some();
        // bits above a count: kinds, context
        let above = if with_context { u64::MAX << count } else { 15u64 << count };
        // every coder takes raw fields of four bits
        let (signature, narrow) = (params.signature, slices == Slices::Narrow);
        Self {
            with_signature: Fixed::new(signature > 0),
            last_part: Fixed::of((signature / 4).saturating_sub(1)),
            low_four: Fixed::of(15u8),
            one: Fixed::of(1u8),
            with_context: Fixed::new(with_context),
            count_bits: Fixed::of(count),
            context_mask: Fixed::of((1u64 << context) - 1),
            context_size: Fixed::of(context.saturating_sub(1)),
            context_bit: Fixed::of(1u64 << context),
            kind_context: Fixed::of(1u8 | 5 << 1),
            timed: Fixed::new(params.timestamps),
            sync_built: Fixed::new(extras.sync),
            stamps: Fixed::new(stamp.is_some()),
            above_stamp: Fixed::of(u32::MAX << stamp.map_or(0, |s| s.first)),
            many: Fixed::new(params.cores > 1),
            narrow: Fixed::new(narrow),
            above_kind: Fixed::of(u64::MAX >> (64 - W) & !15),
            mask: Fixed::of(u64::MAX >> (64 - params.address_bits())),
            no_kinds: Fixed::of(!above & (u64::MAX >> (64 - W))),
            c_raw: Fixed::of(RAW),
            c_count: Fixed::of(COUNT),
            c_address: Fixed::of(ADDRESS),
            c_cycles: Fixed::of(CYCLES),
            c_instructions: Fixed::of(INSTRUCTIONS),
            k_exception: Fixed::of(PRE_EXCEPTION),
            k_sync: Fixed::of(PRE_SYNC),
            k_control: Fixed::of(PRE_CONTROL),
            k_none: Fixed::of(POST_NONE),
            k_target: Fixed::of(POST_TARGET),
            k_progress: Fixed::of(POST_PROGRESS),
            k_overflow: Fixed::of(CONTROL_OVERFLOW),
            k_resync: Fixed::of(CONTROL_RESYNC),
            k_post_resync: Fixed::of(POST_RESYNC),
            f_count: Fixed::of(FIELD_COUNT),
            f_instructions: Fixed::of(FIELD_INSTRUCTIONS),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            kind_size: Fixed::of(3u8),
            kind_sync: Fixed::of(1u8),
            kind_resync: Fixed::of(1u8 | 1 << 1),
            kind_overflow: Fixed::of(1u8 | 4 << 1),
            kind_stop: Fixed::of(1u8 | 2 << 1),
            kind_progress: Fixed::of(1u8 | 3 << 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Fields<W> {
    #[hdl_gen]
    fn update(&mut self) {
        // the time stamp; 0 for a second message
        self.cycles.next = self.cc.val();
        if self.second.val() {
            self.cycles.next = 0.into();
        }
        self.short_time.next = self.stamps.val() & !(self.cycles.val() & self.above_stamp.val()).any();
        self.stamp.next = self.cycles.val().get_bits::<6>(0);

        // the kind of the message
        self.third_of.next = self.third.val() & self.sync_built.val();
        self.exception.next = self.pre.val() == self.k_exception.val();
        self.synced.next = self.pre.val() == self.k_sync.val();
        self.control.next = self.pre.val() == self.k_control.val();
        self.resync.next = self.control.val() & (self.post.val() == self.k_resync.val()) & self.sync_built.val();
        self.overflow.next = (self.control.val() & (self.post.val() == self.k_overflow.val())) | self.resync.val();
        self.after_exception.next = self.resync.val() & self.second.val();
        self.has_pc.next = self.exception.val() | self.synced.val();
        self.escape.next = self.pre.val().any() | (self.post.val() == self.k_progress.val());
        self.special.next = self.kind_progress.val();
        if self.control.val() {
            self.special.next = self.kind_stop.val();
        }
        if self.overflow.val() {
            self.special.next = self.kind_overflow.val();
        }
        if self.resync.val() {
            self.special.next = self.kind_resync.val();
        }
        if self.synced.val() {
            self.special.next = self.kind_sync.val();
        }
        if self.exception.val() {
            self.special.next = 0.into();
        }

        // each step: its field, the entry field that contains it, and the one for the next field
        self.kind.next = self.c_count.val();
        self.value.next = self.word.val() & self.no_kinds.val();
        self.zero.next = false;
        self.own_field.next = self.f_count.val();
        self.next_field.next = self.f_count.val();
        self.next_step.next = FieldStep::Count;
        self.last.next = false;
        self.is_time.next = false;
        self.again.next = false;
        self.lead.next = false;
        self.stamped.next = false;
        self.size.next = self.kind_size.val();
        match self.step.val() {
            FieldStep::Open => {}
            FieldStep::Count => {
                if self.timed.val() & !self.time_sent.val() & !self.short_time.val() {
                    self.is_time.next = true;
                    self.kind.next = self.c_cycles.val();
                    self.value.next = bit_cast::<W, 32>(self.cc.val());
                    self.zero.next = self.second.val();
                } else {
                    self.lead.next = self.many.val();
                    self.stamped.next = self.short_time.val() & !self.time_sent.val();
                    if self.escape.val() {
                        self.zero.next = true;
                        self.next_step.next = FieldStep::Kind;
                        self.next_field.next = self.f_instructions.val();
                    } else if self.post.val() == self.k_target.val() {
                        self.next_step.next = FieldStep::Address;
                        self.next_field.next = self.f_target.val();
                    } else {
                        self.last.next = true;
                    }
                }
            }
            FieldStep::Kind => {
                self.kind.next = self.c_raw.val();
                self.value.next = bit_cast::<W, 4>(self.special.val());
                if self.narrow.val() {
                    // bits above the kind need not be cleared
                    self.value.next = bit_cast::<W, 4>(self.special.val()) | (self.word.val() & self.above_kind.val());
                }
                if self.exception.val() {
                    self.size.next = 0.into();
                }
                self.own_field.next = self.f_instructions.val();
                self.next_field.next = self.f_instructions.val();
                if self.after_exception.val() {
                    self.next_field.next = self.f_count.val();
                }
                self.next_step.next = FieldStep::Instructions;
            }
            FieldStep::Instructions => {
                self.kind.next = self.c_instructions.val();
                self.own_field.next = self.f_instructions.val();
                if self.after_exception.val() {
                    self.own_field.next = self.f_count.val();
                }
                self.zero.next = self.third_of.val();
                if self.has_pc.val() {
                    self.next_step.next = FieldStep::Address;
                    self.next_field.next = self.f_pc.val();
                    if self.third_of.val() {
                        self.next_field.next = self.f_target.val();
                    }
                } else if self.overflow.val() {
                    self.next_step.next = FieldStep::Lost;
                } else {
                    self.last.next = true;
                }
            }
            FieldStep::Lost => {
                self.kind.next = self.c_instructions.val();
                self.zero.next = self.resync.val();
                self.last.next = !self.resync.val();
                self.again.next = self.resync.val();
            }
            FieldStep::Address => {
                self.kind.next = self.c_address.val();
                self.value.next = self.word.val() & self.mask.val();
                self.own_field.next = self.f_target.val();
                self.last.next = true;
                if self.has_pc.val() {
                    self.own_field.next = self.f_pc.val();
                    if self.third_of.val() {
                        self.own_field.next = self.f_target.val();
                    }
                    if self.post.val() != self.k_none.val() {
                        self.last.next = false;
                        self.again.next = true;
                    }
                }
            }
        }
        if self.with_context.val() {
            // the context is in the word of iCnt, above it
            self.above_count.next = self.word.val() >> self.count_bits.val();
            self.context_only.next = self.exception.val() & (self.above_count.val() & self.context_bit.val()).any();
            if self.context_only.val() & (self.step.val() == FieldStep::Kind) {
                self.value.next = self.kind_context.val();
                self.size.next = self.kind_size.val();
            }
            if self.has_pc.val() & (self.step.val() == FieldStep::Instructions) {
                self.next_step.next = FieldStep::Lost;
                self.next_field.next = self.f_instructions.val();
            }
            if self.has_pc.val() & (self.step.val() == FieldStep::Lost) {
                self.kind.next = self.c_raw.val();
                self.size.next = self.context_size.val();
                self.value.next = self.above_count.val() & self.context_mask.val();
                self.own_field.next = self.f_instructions.val();
                self.last.next = false;
                if self.context_only.val() {
                    self.last.next = self.post.val() == self.k_none.val();
                    self.again.next = self.post.val() != self.k_none.val();
                } else {
                    self.next_step.next = FieldStep::Address;
                    self.next_field.next = self.f_pc.val();
                    if self.third_of.val() {
                        self.next_field.next = self.f_target.val();
                    }
                }
            }
        }
        self.signs.next = false;
        if self.with_signature.val() {
            // after the counts of a stop, a progress message and a marker
            self.carries.next = self.escape.val() & !self.has_pc.val() & (self.resync.val() | !self.overflow.val());
            self.signs.next = self.carries.val() & (self.step.val() == FieldStep::Address);
            if self.after_exception.val() & (self.step.val() == FieldStep::Instructions) {
                // its field contains the signature
                self.value.next = self.one.val();
            }
            if self.carries.val()
                & (((self.step.val() == FieldStep::Instructions) & !self.overflow.val())
                    | (self.step.val() == FieldStep::Lost))
            {
                self.next_step.next = FieldStep::Address;
                self.next_field.next = self.f_count.val();
                self.last.next = false;
                self.again.next = false;
            }
            self.whole.next = self.part.val() == self.last_part.val();
            match self.part.val().index() {
                0 => self.moved.next = self.word.val() & self.low_four.val(),
                1 => self.moved.next = (self.word.val() >> 4) & self.low_four.val(),
                2 => self.moved.next = (self.word.val() >> 8) & self.low_four.val(),
                _ => self.moved.next = (self.word.val() >> 12) & self.low_four.val(),
            }
            if self.signs.val() {
                self.kind.next = self.c_raw.val();
                self.size.next = self.kind_size.val();
                self.value.next = self.moved.val();
                self.own_field.next = self.f_count.val();
                self.next_step.next = FieldStep::Address;
                self.last.next = self.whole.val() & !self.resync.val();
                if self.whole.val() & self.resync.val() {
                    self.again.next = true;
                    self.next_step.next = FieldStep::Count;
                }
            }
        }
        if self.last.val() {
            self.next_step.next = FieldStep::Open;
        }
        // the next message; a resync after an exception is its second and third message, alone it is its first and second
        self.new_pre.next = self.pre.val();
        self.new_post.next = self.post.val();
        if self.again.val() {
            self.new_pre.next = 0.into();
            if self.sync_built.val() & self.exception.val() & (self.post.val() == self.k_post_resync.val()) {
                self.new_pre.next = self.k_control.val();
                self.new_post.next = self.k_resync.val();
            }
            if self.resync.val() {
                self.new_pre.next = self.k_sync.val();
                self.new_post.next = self.k_none.val();
            }
        }
        self.sync.next = self.synced.val();
        self.marks.next = self.resync.val() & (self.step.val() == FieldStep::Lost);
        if self.with_signature.val() {
            self.marks.next = self.resync.val() & self.signs.val() & self.whole.val();
        }
        self.ends.next = self.control.val() & !self.overflow.val();
    }
}
