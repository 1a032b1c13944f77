//! Encoder: event entries to the bits of their messages, one a clock
//!
//! A field is loaded into one shift register and sent from its low end, with a connect bit after each
//! chunk. Loading takes a clock, an address two: the difference to PTA, then its magnitude.
//!
//! # Source
//! `docs/stream.md`; paper 000 section 4, table 3 and figure 7.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: idle, nothing half sent |
//! | `start` | in | 1 | send the header before the next entry; held until `started` |
//! | `started` | out | 1 | the header begins |
//! | `have` | in | 1 | an entry is at the ports, and stays until `done` |
//! | `core` | in | 4 | its core, Ti |
//! | `pre` .. `cc` | in | | its fields, see [`crate::entry`] |
//! | `done` | out | 1 | the entry's last bit was taken |
//! | `finished` | out | 1 | the stop messages of all cores are sent and the word is filled |
//! | `bit_valid`, `data_bit`, `bit_ready` | | 1 | to the packer |
//! | `aligned` | in | 1 | the packer holds no part of a word |
//! | `idle` | out | 1 | nothing is being sent |
//!
//! # Timing
//! Bits of the fields, and one clock more for each field, two more for an address, two for an entry.
//!
//! Golden model: [`sim::encoding::Encoder`].

use crate::entry::{
    CONTROL_OVERFLOW, POST_NONE, POST_PROGRESS, POST_TARGET, PRE_CONTROL, PRE_EXCEPTION, PRE_NONE, PRE_SYNC,
};
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;
use sim::golden::system::header;
use sim::params::{Chunks, Coding, Scheme, TraceParams};

/// What is loaded next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum EncoderStep {
    Idle,
    Header0,
    Header1,
    Header2,
    Time,
    Core,
    Count,
    Kind,
    Instructions,
    Lost,
    Difference,
    Magnitude,
    Sign,
    End,
    Pad,
}

/// The encoder; `W` is the width of the address ports, 32 or 64.
#[derive(LogicBlock)]
pub struct Encoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub started: Signal<Out, Bit>,
    pub have: Signal<In, Bit>,
    pub core: Signal<In, Bits<4>>,
    pub pre: Signal<In, Bits<2>>,
    pub post: Signal<In, Bits<2>>,
    pub icnt: Signal<In, Bits<24>>,
    pub bcnt: Signal<In, Bits<24>>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub cc: Signal<In, Bits<32>>,
    pub done: Signal<Out, Bit>,
    pub finished: Signal<Out, Bit>,
    pub bit_valid: Signal<Out, Bit>,
    pub data_bit: Signal<Out, Bit>,
    pub bit_ready: Signal<In, Bit>,
    pub aligned: Signal<In, Bit>,
    pub idle: Signal<Out, Bit>,
    // field being sent
    step: DFF<EncoderStep>,
    v: DFF<Bits<W>>,
    left: DFF<Bits<6>>,
    again: DFF<Bits<5>>,
    sending: DFF<Bit>,
    raw: DFF<Bit>,
    connect: DFF<Bit>,
    more: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    // message
    second: DFF<Bit>,
    negative: DFF<Bit>,
    stops: DFF<Bits<5>>,
    first: Signal<Local, Bit>,
    exception: Signal<Local, Bit>,
    sync: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    progress: Signal<Local, Bit>,
    escape: Signal<Local, Bit>,
    address: Signal<Local, Bits<W>>,
    base: Signal<Local, Bits<W>>,
    inverse: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<W>>,
    sum: Signal<Local, Bits<W>>,
    flipped: Signal<Local, Bits<W>>,
    negative_now: Signal<Local, Bit>,
    positive: Signal<Local, Bit>,
    pta: DFF<Bits<W>>,
    ptas: Mem<4, W>,
    first_step: Signal<Local, EncoderStep>,
    // constants of the parameters
    timed: Constant<Bit>,
    many: Constant<Bit>,
    mask: Constant<Bits<W>>,
    sign_bit: Constant<Bits<W>>,
    ti_bits: Constant<Bits<6>>,
    cores: Constant<Bits<5>>,
    header0: Constant<Bits<W>>,
    header1: Constant<Bits<W>>,
    header2: Constant<Bits<W>>,
    b_first: Constant<Bits<6>>,
    b_next: Constant<Bits<5>>,
    t_first: Constant<Bits<6>>,
    t_next: Constant<Bits<5>>,
    c_first: Constant<Bits<6>>,
    c_next: Constant<Bits<5>>,
    i_first: Constant<Bits<6>>,
    i_next: Constant<Bits<5>>,
    k_none: Constant<Bits<2>>,
    k_exception: Constant<Bits<2>>,
    k_sync: Constant<Bits<2>>,
    k_control: Constant<Bits<2>>,
    k_target: Constant<Bits<2>>,
    k_progress: Constant<Bits<2>>,
    k_post_none: Constant<Bits<2>>,
    k_overflow: Constant<Bits<2>>,
    kind_sync: Constant<Bits<W>>,
    kind_overflow: Constant<Bits<W>>,
    kind_stop: Constant<Bits<W>>,
    kind_progress: Constant<Bits<W>>,
    one_w: Constant<Bits<W>>,
    one_6: Constant<Bits<6>>,
    one_5: Constant<Bits<5>>,
    four: Constant<Bits<6>>,
    word: Constant<Bits<6>>,
}

impl<const W: usize> Encoder<W> {
    /// The circuit for `params`; their scheme must be a chunked one.
    ///
    /// # Panics
    /// When `params` are refused by their check, or are for `nexs`, which has no circuit.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let coding: Coding = match params.scheme {
            Scheme::Tr(c) | Scheme::NxB(c) => c,
            Scheme::NexS => panic!("the nexs encoding has no circuit; tr and nx_b have one"),
        };
        let bits = params.address_bits();
        assert!(bits as usize <= W, "address_bits = {bits} is outside 1..={W}");
        let first = |c: Chunks| Constant::new(u64::from(c.first).to_bits::<6>());
        let next = |c: Chunks| Constant::new(u64::from(c.next).to_bits::<5>());
        let wide = |v: u64| Constant::new(v.to_bits::<W>());
        let two = |v: u8| Constant::new(u64::from(v).to_bits::<2>());
        let h = header(params);
        let many = params.cores > 1;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            started: Default::default(),
            have: Default::default(),
            core: Default::default(),
            pre: Default::default(),
            post: Default::default(),
            icnt: Default::default(),
            bcnt: Default::default(),
            pc: Default::default(),
            target: Default::default(),
            cc: Default::default(),
            done: Default::default(),
            finished: Default::default(),
            bit_valid: Default::default(),
            data_bit: Default::default(),
            bit_ready: Default::default(),
            aligned: Default::default(),
            idle: Default::default(),
            step: Default::default(),
            v: Default::default(),
            left: Default::default(),
            again: Default::default(),
            sending: Default::default(),
            raw: Default::default(),
            connect: Default::default(),
            more: Default::default(),
            last: Default::default(),
            second: Default::default(),
            negative: Default::default(),
            stops: Default::default(),
            first: Default::default(),
            exception: Default::default(),
            sync: Default::default(),
            control: Default::default(),
            overflow: Default::default(),
            progress: Default::default(),
            escape: Default::default(),
            address: Default::default(),
            base: Default::default(),
            inverse: Default::default(),
            carry: Default::default(),
            sum: Default::default(),
            flipped: Default::default(),
            negative_now: Default::default(),
            positive: Default::default(),
            pta: Default::default(),
            ptas: Mem::new(4, if many { bits as usize } else { 0 }),
            first_step: Default::default(),
            timed: Constant::new(params.timestamps),
            many: Constant::new(many),
            mask: wide(u64::MAX >> (64 - bits)),
            sign_bit: wide(1 << (bits - 1)),
            ti_bits: Constant::new(u64::from(params.ti_bits()).to_bits::<6>()),
            cores: Constant::new(u64::from(params.cores).to_bits::<5>()),
            header0: wide(h[0].into()),
            header1: wide(h[1].into()),
            header2: wide(h[2].into()),
            b_first: first(coding.b_cnt),
            b_next: next(coding.b_cnt),
            t_first: first(coding.diff_ta),
            t_next: next(coding.diff_ta),
            c_first: first(coding.diff_cc),
            c_next: next(coding.diff_cc),
            i_first: first(coding.i_cnt),
            i_next: next(coding.i_cnt),
            k_none: two(PRE_NONE),
            k_exception: two(PRE_EXCEPTION),
            k_sync: two(PRE_SYNC),
            k_control: two(PRE_CONTROL),
            k_target: two(POST_TARGET),
            k_progress: two(POST_PROGRESS),
            k_post_none: two(POST_NONE),
            k_overflow: two(CONTROL_OVERFLOW),
            // 1, then the code, least significant bit first
            kind_sync: wide(1),
            kind_overflow: wide(1 | 1 << 1),
            kind_stop: wide(1 | 2 << 1),
            kind_progress: wide(1 | 3 << 1),
            one_w: wide(1),
            one_6: Constant::new(1.into()),
            one_5: Constant::new(1.into()),
            four: Constant::new(4.into()),
            word: Constant::new(32.into()),
        }
    }
}

impl<const W: usize> Logic for Encoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, v, left, again, sending, raw, connect, second, negative, stops, pta);
        self.ptas.clock.next = self.clock.val();
        self.ptas.raddr.next = self.core.val();
        self.ptas.waddr.next = self.core.val();
        self.ptas.we.next = false;
        self.started.next = false;
        self.done.next = false;
        self.finished.next = false;

        // which message of the entry, and what it is
        self.first.next = !self.second.q.val();
        self.exception.next = self.first.val() & (self.pre.val() == self.k_exception.val());
        self.sync.next = self.first.val() & (self.pre.val() == self.k_sync.val());
        self.control.next = self.pre.val() == self.k_control.val();
        self.overflow.next = self.control.val() & (self.post.val() == self.k_overflow.val());
        self.progress.next = !self.control.val() & (self.post.val() == self.k_progress.val());
        self.escape.next = (self.first.val() & (self.pre.val() != self.k_none.val())) | self.progress.val();
        self.first_step.next = EncoderStep::Count;
        if self.many.val() {
            self.first_step.next = EncoderStep::Core;
        }
        if self.timed.val() {
            self.first_step.next = EncoderStep::Time;
        }

        // a - PTA, and a - PTA - 1 for the magnitude of a negative one: ~(d - 1) = -d
        self.address.next = self.target.val();
        if self.exception.val() | self.sync.val() {
            self.address.next = self.pc.val();
        }
        self.ptas.wdata.next = self.address.val();
        self.base.next = self.pta.q.val();
        if self.many.val() {
            self.base.next = self.ptas.rdata.val();
        }
        if self.sync.val() {
            self.base.next = 0.into();
        }
        self.inverse.next = !self.base.val();
        self.positive.next = !self.negative.q.val();
        self.carry.next = self.one_w.val();
        if self.step.q.val() == EncoderStep::Magnitude {
            self.carry.next = bit_cast::<W, 1>(self.positive.val().into());
        }
        self.sum.next = self.address.val() + self.inverse.val() + self.carry.val();
        self.negative_now.next = (self.sum.val() & self.sign_bit.val()).any();
        self.flipped.next = self.sum.val();
        if self.negative.q.val() {
            self.flipped.next = !self.sum.val();
        }

        // the field being sent
        self.more.next = self.v.q.val().any();
        self.last.next = self.left.q.val() == self.one_6.val();
        self.data_bit.next = (self.v.q.val() & self.one_w.val()).any();
        if self.connect.q.val() {
            self.data_bit.next = self.more.val();
        }
        self.bit_valid.next = self.sending.q.val();
        if self.sending.q.val() {
            if self.bit_ready.val() {
                if self.connect.q.val() {
                    self.connect.d.next = false;
                    self.left.d.next = bit_cast::<6, 5>(self.again.q.val());
                    if !self.more.val() {
                        self.sending.d.next = false;
                    }
                } else {
                    self.v.d.next = self.v.q.val() >> 1;
                    self.left.d.next = self.left.q.val() - self.one_6.val();
                    if self.last.val() {
                        if self.raw.q.val() {
                            self.sending.d.next = false;
                        } else {
                            self.connect.d.next = true;
                        }
                    }
                }
            }
        } else {
            self.connect.d.next = false;
            self.raw.d.next = true;
            match self.step.q.val() {
                EncoderStep::Idle => {
                    self.second.d.next = false;
                    if self.start.val() {
                        self.started.next = true;
                        self.stops.d.next = 0.into();
                        self.step.d.next = EncoderStep::Header0;
                    } else if self.have.val() {
                        self.step.d.next = self.first_step.val();
                    }
                }
                EncoderStep::Header0 => {
                    self.v.d.next = self.header0.val();
                    self.left.d.next = self.word.val();
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Header1;
                }
                EncoderStep::Header1 => {
                    self.v.d.next = self.header1.val();
                    self.left.d.next = self.word.val();
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Header2;
                }
                EncoderStep::Header2 => {
                    self.v.d.next = self.header2.val();
                    self.left.d.next = self.word.val();
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Idle;
                }
                EncoderStep::Time => {
                    self.v.d.next = 0.into();
                    if self.first.val() {
                        self.v.d.next = bit_cast::<W, 32>(self.cc.val());
                    }
                    self.left.d.next = self.c_first.val();
                    self.again.d.next = self.c_next.val();
                    self.raw.d.next = false;
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Count;
                    if self.many.val() {
                        self.step.d.next = EncoderStep::Core;
                    }
                }
                EncoderStep::Core => {
                    self.v.d.next = bit_cast::<W, 4>(self.core.val());
                    self.left.d.next = self.ti_bits.val();
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Count;
                }
                EncoderStep::Count => {
                    self.v.d.next = bit_cast::<W, 24>(self.bcnt.val());
                    self.left.d.next = self.b_first.val();
                    self.again.d.next = self.b_next.val();
                    self.raw.d.next = false;
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::End;
                    if self.escape.val() {
                        self.v.d.next = 0.into();
                        self.step.d.next = EncoderStep::Kind;
                    } else if self.post.val() == self.k_target.val() {
                        self.step.d.next = EncoderStep::Difference;
                    }
                }
                EncoderStep::Kind => {
                    self.left.d.next = self.four.val();
                    self.v.d.next = self.kind_stop.val();
                    if self.progress.val() {
                        self.v.d.next = self.kind_progress.val();
                    }
                    if self.overflow.val() {
                        self.v.d.next = self.kind_overflow.val();
                    }
                    if self.sync.val() {
                        self.v.d.next = self.kind_sync.val();
                    }
                    if self.exception.val() {
                        self.v.d.next = 0.into();
                        self.left.d.next = self.one_6.val();
                    }
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Instructions;
                }
                EncoderStep::Instructions => {
                    self.v.d.next = bit_cast::<W, 24>(self.icnt.val());
                    self.left.d.next = self.i_first.val();
                    self.again.d.next = self.i_next.val();
                    self.raw.d.next = false;
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::End;
                    if self.exception.val() | self.sync.val() {
                        self.step.d.next = EncoderStep::Difference;
                    }
                    if self.overflow.val() {
                        self.step.d.next = EncoderStep::Lost;
                    }
                }
                EncoderStep::Lost => {
                    self.v.d.next = bit_cast::<W, 24>(self.bcnt.val());
                    self.left.d.next = self.i_first.val();
                    self.again.d.next = self.i_next.val();
                    self.raw.d.next = false;
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::End;
                }
                EncoderStep::Difference => {
                    self.negative.d.next = self.negative_now.val();
                    self.step.d.next = EncoderStep::Magnitude;
                }
                EncoderStep::Magnitude => {
                    self.v.d.next = self.flipped.val() & self.mask.val();
                    self.pta.d.next = self.address.val();
                    self.ptas.we.next = true;
                    self.left.d.next = self.t_first.val();
                    self.again.d.next = self.t_next.val();
                    self.raw.d.next = false;
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::Sign;
                }
                EncoderStep::Sign => {
                    self.v.d.next = bit_cast::<W, 1>(self.negative.q.val().into());
                    self.left.d.next = self.one_6.val();
                    self.sending.d.next = true;
                    self.step.d.next = EncoderStep::End;
                }
                EncoderStep::End => {
                    if self.first.val()
                        & (self.exception.val() | self.sync.val())
                        & (self.post.val() != self.k_post_none.val())
                    {
                        self.second.d.next = true;
                        self.step.d.next = self.first_step.val();
                    } else {
                        self.done.next = true;
                        self.step.d.next = EncoderStep::Idle;
                        if self.control.val() & !self.overflow.val() {
                            self.stops.d.next = self.stops.q.val() + self.one_5.val();
                            self.step.d.next = EncoderStep::Pad;
                        }
                    }
                }
                EncoderStep::Pad => {
                    // after the last stop: zeros until the word is full
                    self.step.d.next = EncoderStep::Idle;
                    if self.stops.q.val() == self.cores.val() {
                        if self.aligned.val() {
                            self.finished.next = true;
                        } else {
                            self.v.d.next = 0.into();
                            self.left.d.next = self.one_6.val();
                            self.sending.d.next = true;
                            self.step.d.next = EncoderStep::Pad;
                        }
                    }
                }
                _ => {
                    self.step.d.next = EncoderStep::Idle;
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = EncoderStep::Idle;
            self.sending.d.next = false;
            self.connect.d.next = false;
        }
        self.idle.next = (self.step.q.val() == EncoderStep::Idle) & !self.sending.q.val();
    }
}
