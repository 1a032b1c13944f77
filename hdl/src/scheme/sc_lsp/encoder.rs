//! Encoder of the scheme `sc-lsp`: event entries to the bits of their records, one a clock
//!
//! Takes the place of [`crate::scheme::tr::encoder::Encoder`]: the ports are the same. Every field has a fixed
//! width: it is loaded into one shift register and sent from its low end.
//!
//! # Source
//! `docs/stream.md`, "Messages (scheme `sc-lsp`)".
//!
//! # Ports
//! As [`crate::scheme::tr::encoder`]; the entries are those of [`super::entry`].
//!
//! # Timing
//! Clocks a record: its bits, two for each field (one for each further chunk of a time); three an entry. One predicted stream of `base` takes seven.
//!
//! Golden model: [`sim::scheme::sc_lsp::record`].

use crate::scheme::sc_lsp::entry::{NO_RUN, POST_INDEX, POST_MISS_START};
use crate::spine::entry::{CONTROL_OVERFLOW, PRE_CONTROL, PRE_EXCEPTION, PRE_SYNC};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::ports::{DataBitOut, ReadIn};
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::StreamCacheParams;

/// The field being sent, or what is done between records.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RecordStep {
    Idle,
    Fetch,
    Time,
    Core,
    Run,
    Escape,
    Instructions,
    Open,
    Address,
    Stream,
    Start,
    End,
}

/// How far the field is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RecordPhase {
    /// Its word is being read.
    Wait,
    /// It goes into the shift register.
    Load,
    /// It is sent.
    Send,
    /// After a chunk of a time: whether another one follows.
    Connect,
}

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct StreamEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub entry: ReadIn<W>,
    pub bits: DataBitOut,
    // where it is
    step: DFF<RecordStep>,
    phase: DFF<RecordPhase>,
    next_step: Signal<Local, RecordStep>,
    first_step: Signal<Local, RecordStep>,
    begin_step: Signal<Local, RecordStep>,
    // field being sent
    v: DFF<Bits<W>>,
    left: DFF<Bits<6>>,
    less: Signal<Local, Bits<6>>,
    zero: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<W>>,
    size: Signal<Local, Bits<6>>,
    // the entry
    kinds: DFF<Bits<28>>,
    word_low: Signal<Local, Bits<28>>,
    second: DFF<Bit>,
    run_left: DFF<Bit>,
    pre_left: DFF<Bit>,
    post_left: DFF<Bit>,
    value: Signal<Local, Bits<10>>,
    upper: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    run: Signal<Local, Bits<8>>,
    run_size: Signal<Local, Bits<4>>,
    pre: Signal<Local, Bits<2>>,
    post: Signal<Local, Bits<2>>,
    fetched_run: Signal<Local, Bits<4>>,
    fetched_pre: Signal<Local, Bits<2>>,
    fetched_post: Signal<Local, Bits<2>>,
    exception: Signal<Local, Bit>,
    sync: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    missed: Signal<Local, Bit>,
    asked: Signal<Local, Bit>,
    code: Signal<Local, Bits<4>>,
    in_run: Signal<Local, Bit>,
    in_pre: Signal<Local, Bit>,
    rest: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    run_wide: Signal<Local, Bits<W>>,
    code_wide: Signal<Local, Bits<W>>,
    value_wide: Signal<Local, Bits<W>>,
    flag_wide: Signal<Local, Bits<W>>,
    core_wide: Signal<Local, Bits<W>>,
    one_wide: Fixed<Bits<W>>,
    // constants of the parameters: sizes are one less than the bits
    many: Fixed<Bit>,
    timed: Fixed<Bit>,
    cc_first_size: Fixed<Bits<6>>,
    cc_next_size: Fixed<Bits<6>>,
    register: Fixed<Bit>,
    ti_size: Fixed<Bits<6>>,
    index_size: Fixed<Bits<6>>,
    miss_size: Fixed<Bits<6>>,
    flag_size: Fixed<Bits<6>>,
    exception_size: Fixed<Bits<6>>,
    escape_size: Fixed<Bits<6>>,
    address_size: Fixed<Bits<6>>,
    low_size: Fixed<Bits<6>>,
    count_size: Fixed<Bits<6>>,
    length_at: Fixed<Bits<5>>,
    code_at: Fixed<Bits<5>>,
    k_exception: Fixed<Bits<2>>,
    k_sync: Fixed<Bits<2>>,
    k_control: Fixed<Bits<2>>,
    k_overflow: Fixed<Bits<2>>,
    k_index: Fixed<Bits<2>>,
    k_start: Fixed<Bits<2>>,
    no_run: Fixed<Bits<4>>,
    code_sync: Fixed<Bits<4>>,
    code_overflow: Fixed<Bits<4>>,
    code_stop: Fixed<Bits<4>>,
    f_count: Fixed<Bits<2>>,
    f_instructions: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
    one: Fixed<Bits<6>>,
}

impl<const W: usize> StreamEncoder<W> {
    /// The circuit for `params`.
    ///
    /// # Panics
    /// When `params` are refused by their check, or their scheme is not `sc-lsp`.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        let address = params.address_bits();
        let (index, length) = (sc.index_bits(), u32::from(sc.sl_bits));
        let bits = |n: u32| Fixed::of(n - 1);
        let two = |v: u8| Fixed::of(v);
        let four = Fixed::<Bits<4>>::of::<u64>;
        Self {
            one_wide: Fixed::new(1.into()),
            many: Fixed::new(params.cores > 1),
            timed: Fixed::new(params.timestamps),
            cc_first_size: bits(StreamCacheParams::DIFF_CC.first.into()),
            cc_next_size: bits(StreamCacheParams::DIFF_CC.next.into()),
            register: Fixed::new(sc.upper_bits != 0),
            ti_size: bits(params.ti_bits().max(1)),
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
            k_exception: two(PRE_EXCEPTION),
            k_sync: two(PRE_SYNC),
            k_control: two(PRE_CONTROL),
            k_overflow: two(CONTROL_OVERFLOW),
            k_index: two(POST_INDEX),
            k_start: two(POST_MISS_START),
            no_run: four(NO_RUN.into()),
            code_sync: four(1),
            code_overflow: four(1 | 1 << 1),
            code_stop: four(1 | 2 << 1),
            f_count: two(FIELD_COUNT),
            f_instructions: two(FIELD_INSTRUCTIONS),
            f_pc: two(FIELD_PC),
            f_target: two(FIELD_TARGET),
            one: Fixed::new(1.into()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for StreamEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, phase, v, left, kinds, second, run_left, pre_left, post_left);
        self.entry.done.next = false;

        // the entry: bcnt, then pre and post
        self.word_low.next = self.entry.word.val().get_bits::<28>(0);
        self.fetched_run.next = self.word_low.val().get_bits::<4>(20);
        self.fetched_pre.next = self.word_low.val().get_bits::<2>(24);
        self.fetched_post.next = self.word_low.val().get_bits::<2>(26);
        self.value.next = self.kinds.q.val().get_bits::<10>(0);
        self.upper.next = self.kinds.q.val().get_bit(10);
        self.known.next = self.kinds.q.val().get_bit(11);
        self.run.next = self.kinds.q.val().get_bits::<8>(12);
        self.run_size.next = self.kinds.q.val().get_bits::<4>(20);
        self.pre.next = self.kinds.q.val().get_bits::<2>(24);
        self.post.next = self.kinds.q.val().get_bits::<2>(26);
        self.exception.next = self.pre.val() == self.k_exception.val();
        self.sync.next = self.pre.val() == self.k_sync.val();
        self.control.next = self.pre.val() == self.k_control.val();
        self.overflow.next = self.control.val() & (self.post.val() == self.k_overflow.val());
        self.entry.ends.next = self.control.val() & !self.overflow.val();
        self.asked.next = (self.post.val() == self.k_start.val()) & !self.pre.val().any();
        self.hit.next = (self.post.val() == self.k_start.val()) & self.pre.val().any();
        self.missed.next = self.post.val() != self.k_index.val();
        self.code.next = self.code_stop.val();
        if self.overflow.val() {
            self.code.next = self.code_overflow.val();
        }
        if self.sync.val() {
            self.code.next = self.code_sync.val();
        }
        if self.exception.val() {
            self.code.next = 0.into();
        }
        // which of its records: predicted streams, then escape, then stream
        self.in_run.next = self.run_left.q.val();
        self.in_pre.next = self.pre_left.q.val() & !self.run_left.q.val();
        self.rest.next = (self.run_left.q.val() & (self.pre_left.q.val() | self.post_left.q.val()))
            | (self.pre_left.q.val() & self.post_left.q.val());
        self.first_step.next = RecordStep::Stream;
        if self.in_pre.val() {
            self.first_step.next = RecordStep::Escape;
        }
        if self.in_run.val() {
            self.first_step.next = RecordStep::Run;
        }

        self.begin_step.next = RecordStep::Core;
        if self.timed.val() {
            self.begin_step.next = RecordStep::Time;
        }

        self.run_wide.next = bit_cast::<W, 8>(self.run.val());
        self.code_wide.next = bit_cast::<W, 4>(self.code.val());
        self.value_wide.next = bit_cast::<W, 10>(self.value.val());
        self.flag_wide.next = 0.into();
        if self.upper.val() & self.asked.val() & self.register.val() {
            self.flag_wide.next = self.one_wide.val();
        }
        self.core_wide.next = bit_cast::<W, 4>(self.entry.core.val());

        // of each step: its bits, how many but one, the step after it
        self.entry.field.next = self.f_count.val();
        self.loaded.next = self.entry.word.val();
        self.size.next = self.address_size.val();
        self.next_step.next = RecordStep::End;
        match self.step.q.val() {
            RecordStep::Time => {
                // the later records of an entry are of the same cycle
                self.loaded.next = 0.into();
                if !self.second.q.val() {
                    self.loaded.next = bit_cast::<W, 32>(self.entry.cc.val());
                }
                self.size.next = self.cc_first_size.val();
                self.next_step.next = RecordStep::Core;
            }
            RecordStep::Core => {
                self.loaded.next = self.core_wide.val();
                self.size.next = self.ti_size.val();
                self.next_step.next = self.first_step.val();
            }
            RecordStep::Run => {
                self.loaded.next = bit_cast::<W, W>(self.run_wide.val() << 1) | self.one_wide.val();
                self.size.next = bit_cast::<6, 4>(self.run_size.val());
            }
            RecordStep::Escape => {
                self.loaded.next = self.code_wide.val() << self.code_at.val();
                self.size.next = self.escape_size.val();
                self.next_step.next = RecordStep::Instructions;
                if self.exception.val() {
                    self.size.next = self.exception_size.val();
                }
                if self.sync.val() {
                    self.next_step.next = RecordStep::Address;
                }
            }
            RecordStep::Instructions => {
                self.entry.field.next = self.f_instructions.val();
                self.size.next = self.count_size.val();
                if !self.known.val() {
                    self.next_step.next = RecordStep::Open;
                } else if self.exception.val() | self.overflow.val() {
                    self.next_step.next = RecordStep::Address;
                }
            }
            RecordStep::Open => {
                self.entry.field.next = self.f_target.val();
                if self.exception.val() | self.overflow.val() {
                    self.next_step.next = RecordStep::Address;
                }
            }
            RecordStep::Address => {
                self.entry.field.next = self.f_pc.val();
                if self.overflow.val() {
                    self.size.next = self.count_size.val();
                }
            }
            RecordStep::Stream => {
                self.loaded.next = self.value_wide.val() << 1;
                self.size.next = self.index_size.val();
                if self.missed.val() {
                    self.loaded.next = bit_cast::<W, W>(self.value_wide.val() << self.length_at.val())
                        | bit_cast::<W, W>(self.flag_wide.val() << self.code_at.val());
                    self.size.next = self.miss_size.val();
                }
                if self.asked.val() {
                    if self.register.val() {
                        self.size.next = self.flag_size.val();
                    }
                    self.next_step.next = RecordStep::Start;
                }
                if self.hit.val() {
                    self.loaded.next = self.one_wide.val();
                    self.size.next = 0.into();
                }
            }
            RecordStep::Start => {
                self.entry.field.next = self.f_target.val();
                if self.upper.val() & self.register.val() {
                    self.size.next = self.low_size.val();
                }
            }
            _ => {
                self.next_step.next = RecordStep::Idle;
            }
        }

        self.less.next = self.left.q.val() - self.one.val();
        self.zero.next = !self.left.q.val().any();
        self.more.next = self.v.q.val().any();
        self.bits.data.next = self.v.q.val().get_bit(0);
        self.bits.valid.next = self.phase.q.val() == RecordPhase::Send;
        if self.phase.q.val() == RecordPhase::Connect {
            self.bits.data.next = self.more.val();
            self.bits.valid.next = true;
        }
        match self.phase.q.val() {
            RecordPhase::Wait => {
                self.phase.d.next = RecordPhase::Load;
                match self.step.q.val() {
                    RecordStep::Idle => {
                        self.phase.d.next = RecordPhase::Wait;
                        if self.entry.have.val() {
                            self.step.d.next = RecordStep::Fetch;
                        }
                    }
                    RecordStep::Fetch => {
                        self.phase.d.next = RecordPhase::Wait;
                        self.kinds.d.next = self.word_low.val();
                        self.run_left.d.next = self.fetched_run.val() != self.no_run.val();
                        self.pre_left.d.next = self.fetched_pre.val().any();
                        self.post_left.d.next =
                            self.fetched_post.val().any() & (self.fetched_pre.val() != self.k_control.val());
                        self.second.d.next = false;
                        self.step.d.next = self.begin_step.val();
                    }
                    RecordStep::Core => {
                        // no core index where there is one core
                        if self.many.val() {
                            self.phase.d.next = RecordPhase::Load;
                        } else {
                            self.phase.d.next = RecordPhase::Wait;
                            self.step.d.next = self.first_step.val();
                        }
                    }
                    RecordStep::End => {
                        self.phase.d.next = RecordPhase::Wait;
                        self.run_left.d.next = false;
                        if !self.run_left.q.val() {
                            self.pre_left.d.next = false;
                        }
                        self.second.d.next = true;
                        if self.rest.val() {
                            self.step.d.next = self.begin_step.val();
                        } else {
                            self.entry.done.next = true;
                            self.step.d.next = RecordStep::Idle;
                        }
                    }
                    _ => {}
                }
            }
            RecordPhase::Load => {
                self.v.d.next = self.loaded.val();
                self.left.d.next = self.size.val();
                self.phase.d.next = RecordPhase::Send;
            }
            RecordPhase::Send => {
                if self.bits.ready.val() {
                    self.left.d.next = self.less.val();
                    self.v.d.next = self.v.q.val() >> 1;
                    if self.zero.val() {
                        self.step.d.next = self.next_step.val();
                        self.phase.d.next = RecordPhase::Wait;
                        if self.step.q.val() == RecordStep::Time {
                            self.step.d.next = RecordStep::Time;
                            self.phase.d.next = RecordPhase::Connect;
                        }
                    }
                }
            }
            RecordPhase::Connect => {
                if self.bits.ready.val() {
                    self.left.d.next = self.cc_next_size.val();
                    self.phase.d.next = RecordPhase::Send;
                    if !self.more.val() {
                        self.step.d.next = self.next_step.val();
                        self.phase.d.next = RecordPhase::Wait;
                    }
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = RecordStep::Idle;
            self.phase.d.next = RecordPhase::Wait;
        }
    }
}
