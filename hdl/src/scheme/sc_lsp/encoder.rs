//! Encoder of the scheme `sc-lsp`: turns event entries into the fields of their records, and these into slices with a coder
//!
//! It replaces [`crate::scheme::tr::encoder::Encoder`], with the same ports. Every field except the time stamp has a
//! fixed width.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)".
//!
//! # Ports
//! As [`crate::scheme::tr::encoder`]; the entries are those of [`super::entry`].
//!
//! # Timing
//! One field per cycle, as long as the coder takes them. The core index is sent with the first field after the time stamp; in a system
//! with wide slices ([`crate::spine::slices`]), so is a short time stamp.
//!
//! Golden model: [`sim::scheme::sc_lsp::record`].

use super::fields::{RecordField, RecordFields};
use crate::scheme::tr::coder::chunked::Chunked;
use crate::spine::front_port::EncoderPort;
use crate::spine::slices::stamp;
use crate::spine::stamp::Stamp;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::{Coding, TraceParams};
use sim::scheme::sc_lsp::StreamCacheParams;

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct StreamEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    fields: RecordFields<W>,
    coder: Chunked<W>,
    stamps: Fixed<Bit>,
    stamp: Stamp,
    // position in the record; at its beginning, whether its time stamp was sent; which records of the entry were
    step: DFF<RecordField>,
    time_sent: DFF<Bit>,
    past_run: DFF<Bit>,
    past_pre: DFF<Bit>,
    past_marker: DFF<Bit>,
    // fields of the entry that were read before
    known: DFF<Bit>,
    upper: DFF<Bit>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    take: Signal<Local, Bit>,
    none: Fixed<Bits<W>>,
    sync: Fixed<Bit>,
}

impl<const W: usize> StreamEncoder<W> {
    /// The encoder for `params`, without extras.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or their scheme is not `sc-lsp`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`StreamEncoder::new`], with `extras`.
    ///
    /// # Panics
    /// As [`StreamEncoder::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        // the only numbers are time stamps
        let times = StreamCacheParams::DIFF_CC;
        let coding = Coding { b_cnt: times, diff_ta: times, diff_cc: times, i_cnt: times };
        let coder = Chunked::new(&coding, params).with_long_fields();
        let stamps = stamp(params, &extras).is_some();
        Self {
            fields: RecordFields::new(params, &extras),
            coder,
            stamps: Fixed::new(stamps),
            stamp: when(stamps, || Stamp::new(params, &extras)),
            sync: Fixed::new(extras.sync),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for StreamEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, time_sent, past_run, past_pre, past_marker, known, upper, pre, post);
        clock!(self, clock, coder, stamp);

        // the field
        self.fields.step.next = self.step.q.val();
        self.fields.time_sent.next = self.time_sent.q.val();
        self.fields.past_run.next = self.past_run.q.val();
        self.fields.past_pre.next = self.past_pre.q.val();
        self.fields.past_marker.next = self.past_marker.q.val();
        self.fields.known.next = self.known.q.val();
        self.fields.upper.next = self.upper.q.val();
        self.fields.pre.next = self.pre.q.val();
        self.fields.post.next = self.post.q.val();
        self.fields.word.next = self.port.entry.word.val();
        self.fields.cc.next = self.port.entry.cc.val();
        self.fields.resync_pc.next = self.port.entry.resync_pc.val();

        // to the coder; no address is sent as a difference
        self.coder.port.minus.next = self.none.val();
        self.coder.port.no_difference.next = false;
        self.coder.port.reset.next = self.port.reset.val();
        self.coder.port.valid.next = self.port.entry.have.val();
        self.coder.port.kind.next = self.fields.kind.val();
        self.coder.port.size.next = self.fields.size.val();
        self.coder.port.value.next = self.fields.value.val();
        self.coder.port.zero.next = false;
        self.coder.port.lead.next = self.fields.lead.val();
        self.coder.port.core.next = self.port.entry.core.val();
        self.coder.port.taken.next = self.port.bits.ready.val();
        self.port.bits.valid.next = self.coder.port.have.val();
        self.port.bits.count.next = self.coder.port.count.val();
        self.port.bits.data.next = self.coder.port.data.val();
        self.port.bits.busy.next = self.coder.port.busy.val();

        // next field, next record, or next entry
        self.take.next = self.port.entry.have.val() & self.coder.port.ready.val();
        self.port.entry.field.next = self.fields.own_field.val();
        if self.take.val() {
            self.port.entry.field.next = self.fields.next_field.val();
            self.step.d.next = self.fields.next_step.val();
            self.time_sent.d.next = self.fields.is_time.val();
            self.known.d.next = self.fields.new_known.val();
            self.upper.d.next = self.fields.new_upper.val();
            self.pre.d.next = self.fields.new_pre.val();
            self.post.d.next = self.fields.new_post.val();
            if self.fields.over.val() {
                self.past_run.d.next = self.fields.rest.val();
                self.past_pre.d.next =
                    self.fields.rest.val() & (!self.fields.run.val() | (self.step.q.val() != RecordField::Begin));
                self.past_marker.d.next =
                    self.fields.rest.val() & (self.past_marker.q.val() | self.fields.marks.val()) & self.sync.val();
            }
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

        self.port.entry.done.next = self.take.val() & self.fields.over.val() & !self.fields.rest.val();
        self.port.entry.ends.next = self.fields.ends.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;
        if self.sync.val() {
            self.port.entry.again.next = self.take.val() & self.fields.marks.val() & !self.port.entry.core.val().any();
            self.port.entry.uses_resync_pc.next = self.past_marker.q.val();
        }
        if self.port.reset.val() {
            self.step.d.next = RecordField::Begin;
            self.time_sent.d.next = false;
            self.past_run.d.next = false;
            self.past_pre.d.next = false;
            self.past_marker.d.next = false;
        }
    }
}

part!(StreamEncoder<W>, EncoderPort<W>, "encoder");
