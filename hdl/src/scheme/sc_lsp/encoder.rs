//! Encoder of the scheme `sc-lsp`: event entries to the fields of their records, and through the coder to pieces of bits
//!
//! Takes the place of [`crate::scheme::tr::encoder::Encoder`]: the ports are the same. Every field but the time has a
//! fixed width.
//!
//! # Source
//! `docs/stream.md`, "Messages (scheme `sc-lsp`)".
//!
//! # Ports
//! As [`crate::scheme::tr::encoder`]; the entries are those of [`super::entry`].
//!
//! # Timing
//! A field a clock, for as long as the coder takes them. The core index goes with the first field behind the time; in a broad system
//! ([`crate::spine::pieces`]) so does a short time.
//!
//! Golden model: [`sim::scheme::sc_lsp::record`].

use super::fields::{RecordField, RecordFields};
use crate::scheme::tr::coder::chunked::Chunked;
use crate::spine::pieces::stamp;
use crate::spine::ports::{PieceOut, ReadIn};
use crate::spine::stamp::Stamp;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::{Coding, TraceParams};
use sim::scheme::sc_lsp::StreamCacheParams;

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct StreamEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub entry: ReadIn<W>,
    pub bits: PieceOut,
    fields: RecordFields<W>,
    coder: Chunked<W>,
    stamp: Vec<Stamp>,
    _stamps: usize,
    // where it is: at the beginning of a record, whether its time was sent; which records of the entry were
    step: DFF<RecordField>,
    told: DFF<Bit>,
    past_run: DFF<Bit>,
    past_pre: DFF<Bit>,
    past_marker: DFF<Bit>,
    // what was read of the entry
    known: DFF<Bit>,
    upper: DFF<Bit>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    take: Signal<Local, Bit>,
    none: Fixed<Bits<W>>,
    sync: Fixed<Bit>,
}

impl<const W: usize> StreamEncoder<W> {
    /// The circuit for `params`, without extras.
    ///
    /// # Panics
    /// When `params` are refused by their check, or their scheme is not `sc-lsp`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`StreamEncoder::new`], with `extras`.
    ///
    /// # Panics
    /// As [`StreamEncoder::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        // of numbers there are times only
        let times = StreamCacheParams::DIFF_CC;
        let coding = Coding { b_cnt: times, diff_ta: times, diff_cc: times, i_cnt: times };
        let coder = Chunked::new(&coding, params).with_long_fields();
        let stamps = usize::from(stamp(params, &extras).is_some());
        Self {
            fields: RecordFields::new(params, &extras),
            coder,
            stamp: (0..stamps).map(|_| Stamp::new(params, &extras)).collect(),
            _stamps: stamps,
            sync: Fixed::new(extras.sync),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for StreamEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, told, past_run, past_pre, past_marker, known, upper, pre, post);
        self.coder.clock.next = self.clock.val();

        // the field
        self.fields.step.next = self.step.q.val();
        self.fields.told.next = self.told.q.val();
        self.fields.past_run.next = self.past_run.q.val();
        self.fields.past_pre.next = self.past_pre.q.val();
        self.fields.past_marker.next = self.past_marker.q.val();
        self.fields.known.next = self.known.q.val();
        self.fields.upper.next = self.upper.q.val();
        self.fields.pre.next = self.pre.q.val();
        self.fields.post.next = self.post.q.val();
        self.fields.word.next = self.entry.word.val();
        self.fields.cc.next = self.entry.cc.val();
        self.fields.landing.next = self.entry.landing.val();

        // to the coder; no address is sent as a difference
        self.coder.port.minus.next = self.none.val();
        self.coder.port.fresh.next = false;
        self.coder.port.reset.next = self.reset.val();
        self.coder.port.valid.next = self.entry.have.val();
        self.coder.port.kind.next = self.fields.kind.val();
        self.coder.port.size.next = self.fields.size.val();
        self.coder.port.value.next = self.fields.value.val();
        self.coder.port.zero.next = false;
        self.coder.port.lead.next = self.fields.lead.val();
        self.coder.port.core.next = self.entry.core.val();
        self.coder.port.taken.next = self.bits.ready.val();
        self.bits.valid.next = self.coder.port.have.val();
        self.bits.count.next = self.coder.port.count.val();
        self.bits.data.next = self.coder.port.data.val();
        self.bits.busy.next = self.coder.port.busy.val();

        // on to the next field, the next record, or the next entry
        self.take.next = self.entry.have.val() & self.coder.port.ready.val();
        self.entry.field.next = self.fields.own_field.val();
        if self.take.val() {
            self.entry.field.next = self.fields.next_field.val();
            self.step.d.next = self.fields.next_step.val();
            self.told.d.next = self.fields.is_time.val();
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
        // a short time goes before the field behind it
        self.bits.high.next = 0.into();
        for i in 0..self._stamps {
            self.stamp[i].clock.next = self.clock.val();
            self.stamp[i].reset.next = self.reset.val();
            self.stamp[i].comes.next = self.take.val() & self.fields.stamped.val();
            self.stamp[i].cycles.next = self.fields.stamp.val();
            self.stamp[i].goes.next = self.coder.port.have.val() & self.bits.ready.val();
            self.stamp[i].count.next = self.coder.port.count.val();
            self.stamp[i].data.next = self.coder.port.data.val();
            self.bits.count.next = self.stamp[i].all.val();
            self.bits.data.next = self.stamp[i].piece.val().get_bits::<8>(0);
            self.bits.high.next = self.stamp[i].piece.val().get_bits::<8>(8);
        }

        self.entry.done.next = self.take.val() & self.fields.over.val() & !self.fields.rest.val();
        self.entry.ends.next = self.fields.ends.val();
        self.entry.again.next = false;
        self.entry.lands.next = false;
        if self.sync.val() {
            self.entry.again.next = self.take.val() & self.fields.marks.val() & !self.entry.core.val().any();
            self.entry.lands.next = self.past_marker.q.val();
        }
        if self.reset.val() {
            self.step.d.next = RecordField::Begin;
            self.told.d.next = false;
            self.past_run.d.next = false;
            self.past_pre.d.next = false;
            self.past_marker.d.next = false;
        }
    }
}
