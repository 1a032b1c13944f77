//! Encoder: turns event entries into the fields of their messages, and these into slices with a coder
//!
//! # Source
//! `docs/reference/stream.md`; paper 000 section 4, table 3 and figure 7.
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! One field per cycle and one more cycle per entry, as long as the coder takes them. While one field is sent, the word of the next one
//! is read, and after the last field of an entry the first one of the next is ready. The type of an entry goes from its first
//! word to registers, while the coder may still send the one before. So no decision depends on block RAM, except whether a time
//! stamp is short. The core index is sent with the first field after `diffCC`; in a system with wide slices ([`crate::spine::slices`]),
//! so is a short `diffCC`.
//!
//! # Addresses
//! PTA is stored as its complement: in a register with one core, in a memory of one word per core with
//! more. It is written when the coder has taken the address that replaces it.
//!
//! Golden model: [`sim::scheme::fields::Writer`].

use super::coder::CoderIn;
use super::fields::{FieldStep, Fields};
use super::parts::Parts;
use crate::spine::front_port::EncoderPort;
use crate::spine::slices::{stamp, Slices};
use crate::spine::stamp::Stamp;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct Encoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    fields: Fields<W>,
    coder: Slot<CoderIn<W>>,
    stamps: Fixed<Bit>,
    stamp: Stamp,
    // step and kinds of the message; in the first step `time_sent`: the time stamp was sent, `second`: this is the entry's second message
    step: DFF<FieldStep>,
    time_sent: DFF<Bit>,
    second: DFF<Bit>,
    // the message is the sync of a resync
    third: DFF<Bit>,
    // the next four-bit field of a signature
    part: DFF<Bits<2>>,
    with_signature: Fixed<Bit>,
    one_2: Fixed<Bits<2>>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    reads_kinds: Signal<Local, Bit>,
    kinds: Signal<Local, Bits<W>>,
    kinds_at: Fixed<Bits<5>>,
    take: Signal<Local, Bit>,
    // what follows the field that a coder of digits takes: computed before the coder takes it
    then_field: DFF<Bits<2>>,
    then_done: DFF<Bit>,
    then: Signal<Local, Bits<2>>,
    done: Signal<Local, Bit>,
    narrow: Fixed<Bit>,
    // complement of PTA
    pta: Mem<4, W>,
    own_pta: DFF<Bits<W>>,
    known: Signal<Local, Bits<W>>,
    many: Fixed<Bit>,
    sync: Fixed<Bit>,
    mask: Fixed<Bits<W>>,
}

impl<const W: usize> Encoder<W> {
    /// The encoder for `params` with `extras`, which consists of `parts`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`.
    pub fn with(params: &TraceParams, extras: Extras, parts: &Parts) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let bits = u64::from(params.address_bits());
        assert!(bits <= W as u64, "address_bits = {bits} is outside 1..={W}");
        let many = params.cores > 1;
        let (stamps, slices) = (stamp(params, &extras).is_some(), Slices::of(params, &extras));
        Self {
            fields: Fields::new(params, &extras),
            sync: Fixed::new(extras.sync),
            with_signature: Fixed::new(params.signature > 0),
            one_2: Fixed::of(1u8),
            coder: parts.coder(params, &extras),
            pta: Mem::new((params.ti_bits() as usize).max(1), if many { bits as usize } else { 0 }),
            kinds_at: Fixed::of(params.count_bits),
            many: Fixed::new(many),
            narrow: Fixed::new(slices == Slices::Narrow),
            stamps: Fixed::new(stamps),
            stamp: when(stamps, || Stamp::new(params, &extras)),
            mask: Fixed::of(u64::MAX >> (64 - bits)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Encoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, time_sent, second, third, part, pre, post, own_pta, then_field, then_done);
        clock!(self, clock, coder, pta, stamp);

        // the first word contains the type of the entry; registers keep it for the later fields
        self.reads_kinds.next = self.step.q.val() == FieldStep::Open;
        self.kinds.next = self.port.entry.word.val() >> self.kinds_at.val();
        if self.reads_kinds.val() & self.port.entry.have.val() {
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

        // to the coder; at a sync no address is subtracted
        self.known.next = self.own_pta.q.val();
        if self.many.val() {
            self.known.next = self.pta.rdata.val();
        }
        self.coder.port.minus.next = self.known.val();
        if self.fields.sync.val() {
            self.coder.port.minus.next = self.mask.val();
        }
        self.coder.port.no_difference.next = self.fields.sync.val();
        self.coder.port.reset.next = self.port.reset.val();
        self.coder.port.valid.next = self.port.entry.have.val() & !self.reads_kinds.val();
        self.coder.port.kind.next = self.fields.kind.val();
        self.coder.port.size.next = self.fields.size.val();
        self.coder.port.lead.next = self.fields.lead.val();
        self.coder.port.value.next = self.fields.value.val();
        self.coder.port.zero.next = self.fields.zero.val();
        self.coder.port.core.next = self.port.entry.core.val();
        self.coder.port.taken.next = self.port.bits.ready.val();
        self.port.bits.valid.next = self.coder.port.have.val();
        self.port.bits.count.next = self.coder.port.count.val();
        self.port.bits.data.next = self.coder.port.data.val();
        self.port.bits.busy.next = self.coder.port.busy.val();

        // next field, or next entry: from registers where the coder takes fields cycles after the last step
        self.then_field.d.next = self.fields.next_field.val();
        self.then_done.d.next = self.fields.last.val();
        self.then.next = self.fields.next_field.val();
        self.done.next = self.fields.last.val();
        if self.narrow.val() {
            self.then.next = self.then_field.q.val();
            self.done.next = self.then_done.q.val();
        }
        self.take.next = self.port.entry.have.val() & self.coder.port.ready.val() & !self.reads_kinds.val();
        self.port.entry.field.next = self.fields.own_field.val();
        self.pta.raddr.next = self.port.entry.core.val();
        self.pta.waddr.next = self.port.entry.core.val();
        self.pta.wdata.next = !self.port.entry.word.val() & self.mask.val();
        self.pta.we.next = false;
        if self.take.val() {
            self.port.entry.field.next = self.then.val();
            self.step.d.next = self.fields.next_step.val();
            self.pre.d.next = self.fields.new_pre.val();
            self.post.d.next = self.fields.new_post.val();
            self.time_sent.d.next = self.fields.is_time.val();
            self.second.d.next = (self.second.q.val() | self.fields.again.val()) & !self.fields.last.val();
            self.third.d.next =
                (self.third.q.val() | self.fields.marks.val()) & !self.fields.last.val() & self.sync.val();
            if self.step.q.val() == FieldStep::Address {
                self.pta.we.next = self.many.val();
                self.own_pta.d.next = !self.port.entry.word.val() & self.mask.val();
            }
        }
        if self.with_signature.val() & self.fields.signs.val() {
            // a signature is not an address
            self.pta.we.next = false;
            self.own_pta.d.next = self.own_pta.q.val();
        }
        self.part.d.next = self.part.q.val();
        if !self.fields.signs.val() {
            self.part.d.next = 0.into();
        } else if self.take.val() {
            self.part.d.next = self.part.q.val() + self.one_2.val();
        }
        // a short time stamp is sent with the next field
        self.stamp.reset.next = self.port.reset.val();
        self.stamp.field_taken.next = self.take.val() & self.fields.stamped.val();
        self.stamp.cycles.next = self.fields.stamp.val();
        self.stamp.slice_taken.next = self.coder.port.have.val() & self.port.bits.ready.val();
        self.stamp.count.next = self.coder.port.count.val();
        self.stamp.data.next = self.coder.port.data.val();
        self.port.bits.high.next = 0.into();
        if self.stamps.val() {
            self.port.bits.count.next = self.stamp.all.val();
            self.port.bits.data.next = self.stamp.slice.val().get_bits::<8>(0);
            self.port.bits.high.next = self.stamp.slice.val().get_bits::<8>(8);
        }

        self.port.entry.done.next = self.take.val() & self.done.val();
        self.port.entry.ends.next = self.fields.ends.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;
        if self.sync.val() {
            self.port.entry.again.next = self.take.val() & self.fields.marks.val() & !self.port.entry.core.val().any();
        }
        if self.port.reset.val() {
            self.step.d.next = FieldStep::Open;
            self.time_sent.d.next = false;
            self.second.d.next = false;
            self.third.d.next = false;
        }
    }
}

part!(Encoder<W>, EncoderPort<W>, "encoder");
