//! Fields: selects the field of an event entry that the encoder sends next, and the one after it
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | | the field |
//! | `time_sent` | in | 1 | the time stamp of the record was sent |
//! | `past_run`, `past_pre` | in | 1 | the entry's predicted streams, its first escape message were sent |
//! | `past_marker` | in | 1 | the marker of its resync was sent |
//! | `known`, `upper`, `pre`, `post` | in | 1, 1, 2, 2 | fields of the entry, see [`super::entry`]; the first step reads them itself |
//! | `word` | in | W | the word of the entry |
//! | `cc` | in | 32 | `cc` of the entry |
//! | `resync_pc` | in | W | PC of its resync |
//! | `kind`, `size`, `value`, `lead` | out | | the field, see [`crate::scheme::tr::coder`] |
//! | `stamped`, `stamp` | out | 1, 6 | the time stamp of the record is sent with the field; the time stamp, one chunk |
//! | `own_field`, `next_field` | out | 2 | entry fields that contain the word, and the word of the next field |
//! | `next_step` | out | | the next field |
//! | `is_time` | out | 1 | the field is the time stamp |
//! | `over` | out | 1 | it is the last field of the record |
//! | `rest` | out | 1 | the entry has another record |
//! | `run` | out | 1 | the record is that of predicted streams |
//! | `new_known` .. `new_post` | out | 1, 1, 2, 2 | `known` .. `post` for the next step |
//! | `marks` | out | 1 | it is the last field of a marker |
//! | `ends` | out | 1 | it is a stop message |
//!
//! # Timing
//! Combinational. No output depends on whether the coder takes the field.
//!
//! Golden model: [`sim::scheme::sc_lsp::record`].

use super::entry::{CONTROL_EXCEPTION_RESYNC, LENGTH_BITS, NO_RUN, POST_INDEX, POST_MISS_START};
use crate::scheme::tr::coder::{CYCLES, RAW};
use crate::spine::entry::{CONTROL_OVERFLOW, CONTROL_RESYNC, COUNT_PORT_BITS, PRE_CONTROL, PRE_EXCEPTION, PRE_SYNC};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::slices::stamp;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A field of a record. The first one comes after the time stamp, if that is sent.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RecordField {
    /// The first fields, all in the entry's first word.
    Begin,
    /// iCnt.
    Instructions,
    /// SA of the stream that an escape message interrupts.
    Open,
    /// ETA or PC; instructions lost; 0 of a marker.
    Address,
    /// SA of a stream.
    Start,
    /// Pending predicted streams, in the first message after a repeated header.
    Waiting,
    /// The signature of a stop or a marker: its low bits, then those above them.
    Signature,
    SignatureHigh,
}

/// A selector of the fields of an entry; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct RecordFields<const W: usize> {
    pub step: Signal<In, RecordField>,
    pub time_sent: Signal<In, Bit>,
    pub past_run: Signal<In, Bit>,
    pub past_pre: Signal<In, Bit>,
    pub past_marker: Signal<In, Bit>,
    pub known: Signal<In, Bit>,
    pub upper: Signal<In, Bit>,
    pub pre: Signal<In, Bits<2>>,
    pub post: Signal<In, Bits<2>>,
    pub word: Signal<In, Bits<W>>,
    pub cc: Signal<In, Bits<32>>,
    pub resync_pc: Signal<In, Bits<W>>,
    pub kind: Signal<Out, Bits<3>>,
    pub size: Signal<Out, Bits<6>>,
    pub value: Signal<Out, Bits<W>>,
    pub lead: Signal<Out, Bit>,
    pub stamped: Signal<Out, Bit>,
    pub stamp: Signal<Out, Bits<6>>,
    pub own_field: Signal<Out, Bits<2>>,
    pub next_field: Signal<Out, Bits<2>>,
    pub next_step: Signal<Out, RecordField>,
    pub is_time: Signal<Out, Bit>,
    pub over: Signal<Out, Bit>,
    pub rest: Signal<Out, Bit>,
    pub run: Signal<Out, Bit>,
    pub new_known: Signal<Out, Bit>,
    pub new_upper: Signal<Out, Bit>,
    pub new_pre: Signal<Out, Bits<2>>,
    pub new_post: Signal<Out, Bits<2>>,
    pub marks: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    cycles: Signal<Local, Bits<32>>,
    short_time: Signal<Local, Bit>,
    // the entry
    begins: Signal<Local, Bit>,
    first: Signal<Local, Bits<28>>,
    its_known: Signal<Local, Bit>,
    its_upper: Signal<Local, Bit>,
    its_pre: Signal<Local, Bits<2>>,
    its_post: Signal<Local, Bits<2>>,
    number: Signal<Local, Bits<W>>,
    streak: Signal<Local, Bits<W>>,
    run_size: Signal<Local, Bits<4>>,
    exception: Signal<Local, Bit>,
    sync: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    // a resync, and one after an exception; its marker; its sync
    resync: Signal<Local, Bit>,
    after_exception: Signal<Local, Bit>,
    marker: Signal<Local, Bit>,
    uses_resync_pc: Signal<Local, Bit>,
    own_form: Signal<Local, Bit>,
    // it carries a signature, the last field of it
    signs: Signal<Local, Bit>,
    streak_all: Signal<Local, Bits<W>>,
    hit: Signal<Local, Bit>,
    missed: Signal<Local, Bit>,
    sends_start: Signal<Local, Bit>,
    has_pc: Signal<Local, Bit>,
    code: Signal<Local, Bits<4>>,
    flag: Signal<Local, Bits<W>>,
    // the record, and whether another one follows
    in_run: Signal<Local, Bit>,
    in_pre: Signal<Local, Bit>,
    streams: Signal<Local, Bit>,
    another: Signal<Local, Bit>,
    // constants from the parameters; sizes are the number of bits less one
    sync_built: Fixed<Bit>,
    one_wide: Fixed<Bits<W>>,
    many: Fixed<Bit>,
    timed: Fixed<Bit>,
    stamps: Fixed<Bit>,
    above_stamp: Fixed<Bits<32>>,
    register: Fixed<Bit>,
    counted: Fixed<Bit>,
    with_signature: Fixed<Bit>,
    high_signature: Fixed<Bit>,
    wait_size: Fixed<Bits<6>>,
    index_size: Fixed<Bits<6>>,
    miss_size: Fixed<Bits<6>>,
    flag_size: Fixed<Bits<6>>,
    exception_size: Fixed<Bits<6>>,
    escape_size: Fixed<Bits<6>>,
    address_size: Fixed<Bits<6>>,
    low_size: Fixed<Bits<6>>,
    count_size: Fixed<Bits<6>>,
    signature_size: Fixed<Bits<6>>,
    rest_size: Fixed<Bits<6>>,
    rest_at: Fixed<Bits<5>>,
    length_at: Fixed<Bits<5>>,
    code_at: Fixed<Bits<5>>,
    c_raw: Fixed<Bits<3>>,
    c_cycles: Fixed<Bits<3>>,
    k_exception: Fixed<Bits<2>>,
    k_sync: Fixed<Bits<2>>,
    k_control: Fixed<Bits<2>>,
    k_overflow: Fixed<Bits<2>>,
    k_resync: Fixed<Bits<2>>,
    k_exception_resync: Fixed<Bits<2>>,
    k_index: Fixed<Bits<2>>,
    k_start: Fixed<Bits<2>>,
    no_run: Fixed<Bits<4>>,
    code_sync: Fixed<Bits<4>>,
    code_overflow: Fixed<Bits<4>>,
    code_resync: Fixed<Bits<4>>,
    code_stop: Fixed<Bits<4>>,
    f_count: Fixed<Bits<2>>,
    f_instructions: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
}

impl<const W: usize> RecordFields<W> {
    /// The selector for records of `params` in systems with `extras`.
    ///
    /// # Panics
    /// When the scheme of `params` is not `sc-lsp`.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        let (address, stamp) = (params.address_bits(), stamp(params, extras));
        let (index, length) = (sc.index_bits(), u32::from(sc.sl_bits));
        let signature = usize::from(params.signature);
        let bits = |n: u32| Fixed::of(n - 1);
        let two = |v: u8| Fixed::of(v);
        let four = Fixed::<Bits<4>>::of::<u64>;
        Self {
            sync_built: Fixed::new(extras.sync),
            stamps: Fixed::new(stamp.is_some()),
            above_stamp: Fixed::of(u32::MAX << stamp.map_or(0, |s| s.first)),
            one_wide: Fixed::new(1.into()),
            many: Fixed::new(params.cores > 1),
            timed: Fixed::new(params.timestamps),
            register: Fixed::new(sc.upper_bits != 0),
            counted: Fixed::new(sc.run_bits != 0),
            with_signature: Fixed::new(signature > 0),
            high_signature: Fixed::new(signature > LENGTH_BITS),
            signature_size: bits(signature.clamp(1, LENGTH_BITS) as u32),
            rest_size: bits(signature.saturating_sub(LENGTH_BITS).max(1) as u32),
            rest_at: Fixed::of(COUNT_PORT_BITS as u64),
            wait_size: bits(u32::from(sc.run_bits).max(1)),
            index_size: bits(1 + index),
            miss_size: bits(1 + index + length),
            flag_size: bits(2 + index + length),
            exception_size: bits(2 + index + length),
            escape_size: bits(5 + index + length),
            address_size: bits(address),
            low_size: bits(address - u32::from(sc.upper_bits)),
            count_size: bits(params.count_bits.into()),
            length_at: Fixed::of(1 + index),
            code_at: Fixed::of(1 + index + length),
            c_raw: Fixed::of(RAW),
            c_cycles: Fixed::of(CYCLES),
            k_exception: two(PRE_EXCEPTION),
            k_sync: two(PRE_SYNC),
            k_control: two(PRE_CONTROL),
            k_overflow: two(CONTROL_OVERFLOW),
            k_resync: two(CONTROL_RESYNC),
            k_exception_resync: two(CONTROL_EXCEPTION_RESYNC),
            k_index: two(POST_INDEX),
            k_start: two(POST_MISS_START),
            no_run: four(NO_RUN.into()),
            code_sync: four(1),
            code_overflow: four(1 | 4 << 1),
            code_resync: four(1 | 1 << 1),
            code_stop: four(1 | 2 << 1),
            f_count: two(FIELD_COUNT),
            f_instructions: two(FIELD_INSTRUCTIONS),
            f_pc: two(FIELD_PC),
            f_target: two(FIELD_TARGET),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for RecordFields<W> {
    #[hdl_gen]
    fn update(&mut self) {
        // the entry; its first word is bcnt, then pre and post
        self.begins.next = self.step.val() == RecordField::Begin;
        self.first.next = self.word.val().get_bits::<28>(0);
        self.number.next = bit_cast::<W, 10>(self.first.val().get_bits::<10>(0));
        self.streak.next = bit_cast::<W, 8>(self.first.val().get_bits::<8>(12));
        self.run_size.next = self.first.val().get_bits::<4>(20);
        self.its_known.next = self.known.val();
        self.its_upper.next = self.upper.val();
        self.its_pre.next = self.pre.val();
        self.its_post.next = self.post.val();
        if self.begins.val() {
            self.its_upper.next = self.first.val().get_bit(10);
            self.its_known.next = self.first.val().get_bit(11);
            self.its_pre.next = self.first.val().get_bits::<2>(24);
            self.its_post.next = self.first.val().get_bits::<2>(26);
        }
        self.exception.next = self.its_pre.val() == self.k_exception.val();
        self.sync.next = self.its_pre.val() == self.k_sync.val();
        self.control.next = self.its_pre.val() == self.k_control.val();
        self.overflow.next = self.control.val() & (self.its_post.val() == self.k_overflow.val());
        // a resync is a marker, or an exception and a marker, and then a sync
        self.resync.next = false;
        self.after_exception.next = false;
        self.uses_resync_pc.next = false;
        self.marker.next = false;
        self.own_form.next = false;
        if self.sync_built.val() {
            self.after_exception.next = self.control.val() & (self.its_post.val() == self.k_exception_resync.val());
            self.resync.next =
                self.after_exception.val() | (self.control.val() & (self.its_post.val() == self.k_resync.val()));
            self.uses_resync_pc.next = self.resync.val() & self.past_marker.val();
            self.marker.next =
                self.resync.val() & !self.past_marker.val() & (!self.after_exception.val() | self.past_pre.val());
            if self.after_exception.val() & !self.past_pre.val() {
                self.exception.next = true;
            }
            if self.uses_resync_pc.val() {
                self.sync.next = true;
            }
            // only the first message after the header has its own form
            self.own_form.next =
                self.its_upper.val() & (self.exception.val() | self.control.val()) & !self.past_pre.val();
            if self.own_form.val() {
                self.its_known.next = false;
            }
            if self.after_exception.val() & self.past_pre.val() {
                self.its_known.next = true;
            }
        }
        self.signs.next = false;
        if self.with_signature.val() {
            self.signs.next = self.marker.val() | (self.control.val() & !self.overflow.val() & !self.resync.val());
        }
        self.has_pc.next = self.exception.val() | self.overflow.val() | self.marker.val();
        self.sends_start.next = (self.its_post.val() == self.k_start.val()) & !self.its_pre.val().any();
        self.hit.next = (self.its_post.val() == self.k_start.val()) & self.its_pre.val().any();
        self.missed.next = self.its_post.val() != self.k_index.val();
        self.code.next = self.code_stop.val();
        if self.overflow.val() {
            self.code.next = self.code_overflow.val();
        }
        if self.marker.val() {
            self.code.next = self.code_resync.val();
        }
        if self.sync.val() {
            self.code.next = self.code_sync.val();
        }
        if self.exception.val() {
            self.code.next = 0.into();
        }
        self.flag.next = 0.into();
        if self.its_upper.val() & self.sends_start.val() & self.register.val() {
            self.flag.next = self.one_wide.val();
        }

        // the current record: predicted streams, then escape, then stream
        self.in_run.next = (self.run_size.val() != self.no_run.val()) & !self.past_run.val() & !self.own_form.val();
        self.in_pre.next = self.its_pre.val().any() & (!self.past_pre.val() | self.resync.val());
        self.streams.next = self.its_post.val().any() & !self.control.val();
        self.another.next = self.in_pre.val() & self.streams.val();
        if self.begins.val() & self.in_run.val() {
            self.another.next = self.in_pre.val() | self.streams.val();
        } else if self.resync.val() {
            self.another.next = !self.uses_resync_pc.val();
        }
        // number of pending predicted streams: the entry contains it less one
        self.streak_all.next = 0.into();
        if self.sync_built.val() & (self.run_size.val() != self.no_run.val()) {
            self.streak_all.next = self.streak.val() + self.one_wide.val();
        }

        // the later records of an entry are from the same cycle
        self.cycles.next = self.cc.val();
        if self.past_run.val() | self.past_pre.val() {
            self.cycles.next = 0.into();
        }
        self.short_time.next = self.stamps.val() & !(self.cycles.val() & self.above_stamp.val()).any();
        self.stamp.next = self.cycles.val().get_bits::<6>(0);

        // each step: its field, the entry field that contains it, and the one for the next field
        self.kind.next = self.c_raw.val();
        self.value.next = self.word.val();
        self.size.next = self.address_size.val();
        self.own_field.next = self.f_count.val();
        self.next_field.next = self.f_count.val();
        self.next_step.next = RecordField::Begin;
        self.over.next = true;
        self.is_time.next = false;
        self.lead.next = false;
        self.stamped.next = false;
        match self.step.val() {
            RecordField::Begin => {
                if self.timed.val() & !self.time_sent.val() & !self.short_time.val() {
                    self.is_time.next = true;
                    self.kind.next = self.c_cycles.val();
                    self.value.next = bit_cast::<W, 32>(self.cycles.val());
                    self.over.next = false;
                } else {
                    self.lead.next = self.many.val();
                    self.stamped.next = self.short_time.val() & !self.time_sent.val();
                    if self.in_run.val() {
                        self.value.next = bit_cast::<W, W>(self.streak.val() << 1) | self.one_wide.val();
                        self.size.next = bit_cast::<6, 4>(self.run_size.val());
                    } else if self.in_pre.val() {
                        self.value.next = bit_cast::<W, 4>(self.code.val()) << self.code_at.val();
                        self.size.next = self.escape_size.val();
                        self.next_step.next = RecordField::Instructions;
                        self.next_field.next = self.f_instructions.val();
                        self.over.next = false;
                        if self.exception.val() {
                            self.size.next = self.exception_size.val();
                        }
                        if self.own_form.val() & self.counted.val() {
                            self.next_step.next = RecordField::Waiting;
                            self.next_field.next = self.f_count.val();
                        }
                        if self.sync.val() {
                            self.next_step.next = RecordField::Address;
                            self.next_field.next = self.f_pc.val();
                        }
                    } else if self.hit.val() {
                        self.value.next = self.one_wide.val();
                        self.size.next = 0.into();
                    } else if self.missed.val() {
                        self.value.next = bit_cast::<W, W>(self.number.val() << self.length_at.val())
                            | bit_cast::<W, W>(self.flag.val() << self.code_at.val());
                        self.size.next = self.miss_size.val();
                        if self.sends_start.val() {
                            if self.register.val() {
                                self.size.next = self.flag_size.val();
                            }
                            self.next_step.next = RecordField::Start;
                            self.next_field.next = self.f_target.val();
                            self.over.next = false;
                        }
                    } else {
                        self.value.next = self.number.val() << 1;
                        self.size.next = self.index_size.val();
                    }
                }
            }
            RecordField::Waiting => {
                self.value.next = self.streak_all.val();
                self.size.next = self.wait_size.val();
                self.next_step.next = RecordField::Instructions;
                self.next_field.next = self.f_instructions.val();
                self.over.next = false;
            }
            RecordField::Instructions => {
                self.own_field.next = self.f_instructions.val();
                if self.after_exception.val() & self.marker.val() {
                    self.value.next = self.one_wide.val();
                }
                self.size.next = self.count_size.val();
                if !self.its_known.val() {
                    self.next_step.next = RecordField::Open;
                    self.next_field.next = self.f_target.val();
                    self.over.next = false;
                } else if self.has_pc.val() {
                    self.next_step.next = RecordField::Address;
                    self.next_field.next = self.f_pc.val();
                    self.over.next = false;
                } else if self.signs.val() {
                    self.next_step.next = RecordField::Signature;
                    self.over.next = false;
                }
            }
            RecordField::Open => {
                self.own_field.next = self.f_target.val();
                if self.has_pc.val() {
                    self.next_step.next = RecordField::Address;
                    self.next_field.next = self.f_pc.val();
                    self.over.next = false;
                } else if self.signs.val() {
                    self.next_step.next = RecordField::Signature;
                    self.over.next = false;
                }
            }
            RecordField::Address => {
                self.own_field.next = self.f_pc.val();
                if self.overflow.val() {
                    self.size.next = self.count_size.val();
                }
                if self.marker.val() {
                    self.value.next = 0.into();
                    self.size.next = self.count_size.val();
                }
                if self.uses_resync_pc.val() {
                    self.value.next = self.resync_pc.val();
                }
                if self.signs.val() {
                    self.next_step.next = RecordField::Signature;
                    self.over.next = false;
                }
            }
            RecordField::Signature => {
                if self.with_signature.val() {
                    self.value.next = self.number.val();
                    self.size.next = self.signature_size.val();
                    if self.high_signature.val() {
                        self.next_step.next = RecordField::SignatureHigh;
                        self.next_field.next = self.f_instructions.val();
                        self.over.next = false;
                    }
                }
            }
            RecordField::SignatureHigh => {
                if self.high_signature.val() {
                    self.own_field.next = self.f_instructions.val();
                    self.value.next = self.word.val() >> self.rest_at.val();
                    self.size.next = self.rest_size.val();
                }
            }
            RecordField::Start => {
                self.own_field.next = self.f_target.val();
                if self.its_upper.val() & self.register.val() {
                    self.size.next = self.low_size.val();
                }
            }
        }
        self.rest.next = self.another.val();
        self.run.next = self.in_run.val();
        self.new_known.next = self.its_known.val();
        self.new_upper.next = self.its_upper.val();
        self.new_pre.next = self.its_pre.val();
        self.new_post.next = self.its_post.val();
        self.marks.next = self.marker.val() & (self.step.val() == RecordField::Address);
        if self.with_signature.val() {
            self.marks.next = self.marker.val() & self.over.val() & (self.step.val() != RecordField::Begin);
        }
        self.ends.next = self.control.val() & !self.overflow.val() & !self.resync.val();
    }
}
