//! Coder of the scheme: runs of branches in an adaptive Rice code, all other numbers in chunks
//!
//! A run becomes raw fields of at most four bits for [`Chunked`], which all other fields pass to unchanged. What [`Chunked`] receives of a
//! field depends on its kind, which is stable until the field is taken, and not on the step of its run.
//!
//! # Source
//! As in the golden model; `docs/reference/stream.md`, "Messages (scheme `follow`)".
//!
//! # Ports
//! As in [`crate::scheme::tr::coder`], with the kind [`NEAR`](crate::scheme::tr::coder::chunked::NEAR). `start`: the header is repeated. `trace_end`: the last message of this core is taken.
//! `next_core`: `core` in the next cycle.
//!
//! # Timing
//! A run takes a cycle, k to shift it by k, one for each four bits before and after; beyond 12 ones, a cycle for each one of the Golomb code. The mean of
//! a core is in a register with one core, in a memory of one word per core with more.
//!
//! Golden model: [`sim::scheme::follow::runs`].

use crate::scheme::tr::coder::chunked::Chunked;
use crate::scheme::tr::coder::{CoderIn, COUNT, RAW};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::follow::record::DIFFERENCE;
use sim::scheme::follow::runs::Runs as Golden;

/// The part of a run that is sent next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RunStep {
    /// No run: other fields pass.
    Idle,
    /// Shifts the run and its mean, until the mean is 1.
    Shift,
    /// Sends ones, and a zero.
    Ones,
    /// Sends the ones of a Golomb code, and a zero.
    Golomb,
    /// Sends the bits below the highest one of it.
    Below,
    /// Sends the low bits of the run.
    Low,
}

/// A coder for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Runs<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: CoderIn<W>,
    pub start: Signal<In, Bit>,
    pub trace_end: Signal<In, Bit>,
    pub next_core: Signal<In, Bits<4>>,
    chunked: Chunked<W>,
    step: DFF<RunStep>,
    // what is left of the run; its mean, shifted, then what is left of a Golomb code; bits to send
    v: DFF<Bits<24>>,
    m: DFF<Bits<24>>,
    k: DFF<Bits<5>>,
    below: DFF<Bits<5>>,
    fours: DFF<Bits<2>>,
    lead: DFF<Bit>,
    // the mean of each core, xor the first one
    own_mean: DFF<Bits<28>>,
    means: Mem<4, 28>,
    known: DFF<Bits<16>>,
    known_at: Signal<Local, Bits<16>>,
    this_core: Signal<Local, Bits<16>>,
    stored: Signal<Local, Bits<28>>,
    mean: Signal<Local, Bits<28>>,
    smaller: Signal<Local, Bits<28>>,
    learned: Signal<Local, Bits<28>>,
    run: Signal<Local, Bits<24>>,
    is_count: Signal<Local, Bit>,
    is_one: Signal<Local, Bit>,
    four_ones: Signal<Local, Bit>,
    escapes: Signal<Local, Bit>,
    successor: Signal<Local, Bits<24>>,
    left: Signal<Local, Bits<5>>,
    left_less_one: Signal<Local, Bits<5>>,
    size: Signal<Local, Bits<6>>,
    bits: Signal<Local, Bits<4>>,
    sends: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    many: Fixed<Bit>,
    first_mean: Fixed<Bits<28>>,
    run_mask: Fixed<Bits<24>>,
    mean_mask: Fixed<Bits<28>>,
    k_raw: Fixed<Bits<3>>,
    k_count: Fixed<Bits<3>>,
    one_24: Fixed<Bits<24>>,
    four_24: Fixed<Bits<24>>,
    one_16: Fixed<Bits<16>>,
    one_5: Fixed<Bits<5>>,
    four_5: Fixed<Bits<5>>,
    one_2: Fixed<Bits<2>>,
    cores: Fixed<Bits<16>>,
}

impl<const W: usize> Runs<W> {
    /// The coder for systems of `params`.
    ///
    /// # Panics
    /// When the addresses of `params` have more than W bits.
    pub fn new(params: &TraceParams) -> Self {
        let many = params.cores > 1;
        // a run has at most `count_bits` bits; its mean is never larger than the longest run, and has four bits of fraction
        let mean_bits = usize::from(params.count_bits) + 4;
        Self {
            chunked: Chunked::new(&Golden::CHUNKS, params).with_differences(DIFFERENCE),
            means: Mem::new((params.ti_bits() as usize).max(1), if many { mean_bits } else { 0 }),
            many: Fixed::new(many),
            first_mean: Fixed::of(16_u64 << 4),
            run_mask: Fixed::of((1u64 << params.count_bits) - 1),
            mean_mask: Fixed::of((1u64 << mean_bits) - 1),
            k_raw: Fixed::of(RAW),
            k_count: Fixed::of(COUNT),
            one_24: Fixed::of(1_u64),
            four_24: Fixed::of(4_u64),
            one_16: Fixed::of(1_u64),
            one_5: Fixed::of(1_u64),
            four_5: Fixed::of(4_u64),
            one_2: Fixed::of(1_u64),
            cores: Fixed::of((1u64 << params.cores) - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Runs<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, v, m, k, below, fours, lead, own_mean, known);
        clock!(self, clock, chunked, means);

        self.run.next = self.port.value.val().get_bits::<24>(0) & self.run_mask.val();
        if self.port.zero.val() {
            self.run.next = 0.into();
        }
        self.is_count.next = self.port.kind.val() == self.k_count.val();

        // the mean of this core
        self.means.raddr.next = self.next_core.val();
        self.this_core.next = self.one_16.val() << self.port.core.val();
        self.known_at.next = self.known.q.val() & self.this_core.val();
        self.stored.next = self.own_mean.q.val();
        if self.many.val() {
            self.stored.next = 0.into();
            if self.known_at.val().any() {
                self.stored.next = self.means.rdata.val();
            }
        }
        self.mean.next = self.stored.val() ^ self.first_mean.val();
        self.smaller.next = self.mean.val() - (self.mean.val() >> 4);
        self.learned.next = (bit_cast::<28, 28>(self.smaller.val() + bit_cast::<28, 24>(self.run.val()))
            ^ self.first_mean.val())
            & self.mean_mask.val();

        // what is sent
        self.is_one.next = !self.m.q.val().get_bits::<23>(1).any();
        self.four_ones.next = self.v.q.val().get_bits::<22>(2).any();
        self.escapes.next = self.fours.q.val().all();
        self.successor.next = self.v.q.val() + self.one_24.val();
        self.left.next = self.k.q.val();
        if self.step.q.val() == RunStep::Below {
            self.left.next = self.below.q.val();
        }
        self.left_less_one.next = self.left.val() - self.one_5.val();
        self.sends.next = false;
        self.ends.next = false;
        // size of the field less one, and its bits
        self.size.next = 3.into();
        self.bits.next = 15.into();
        match self.step.q.val() {
            RunStep::Ones => {
                self.sends.next = !self.escapes.val();
                if !self.four_ones.val() {
                    self.size.next = bit_cast::<6, 2>(self.v.q.val().get_bits::<2>(0));
                    match self.v.q.val().get_bits::<2>(0).index() {
                        0 => self.bits.next = 0.into(),
                        1 => self.bits.next = 1.into(),
                        2 => self.bits.next = 3.into(),
                        _ => self.bits.next = 7.into(),
                    }
                    self.ends.next = !self.k.q.val().any();
                }
            }
            RunStep::Golomb => {
                self.sends.next = true;
                self.size.next = 0.into();
                self.bits.next = 1.into();
                if self.is_one.val() {
                    self.bits.next = 0.into();
                    self.ends.next = !self.below.q.val().any() & !self.k.q.val().any();
                }
            }
            RunStep::Idle => {}
            RunStep::Shift => {}
            _ => {
                self.sends.next = true;
                self.bits.next = self.v.q.val().get_bits::<4>(0);
                if !self.left.val().get_bits::<3>(2).any() {
                    self.size.next = bit_cast::<6, 5>(self.left_less_one.val());
                    match self.left.val().get_bits::<2>(0).index() {
                        1 => self.bits.next = bit_cast::<4, 1>(self.v.q.val().get_bits::<1>(0)),
                        2 => self.bits.next = bit_cast::<4, 2>(self.v.q.val().get_bits::<2>(0)),
                        _ => self.bits.next = bit_cast::<4, 3>(self.v.q.val().get_bits::<3>(0)),
                    }
                }
                // 1 to 4 bits are left
                if self.left.val() <= self.four_5.val() {
                    self.ends.next = (self.step.q.val() == RunStep::Low) | !self.k.q.val().any();
                }
            }
        }

        // to the coder of chunks
        self.chunked.port.reset.next = self.port.reset.val();
        self.chunked.port.valid.next = self.port.valid.val();
        self.chunked.port.kind.next = self.port.kind.val();
        self.chunked.port.size.next = self.port.size.val();
        self.chunked.port.value.next = self.port.value.val();
        self.chunked.port.zero.next = self.port.zero.val();
        self.chunked.port.minus.next = self.port.minus.val();
        self.chunked.port.no_difference.next = self.port.no_difference.val();
        self.chunked.port.lead.next = self.port.lead.val();
        self.chunked.port.core.next = self.port.core.val();
        self.chunked.port.taken.next = self.port.taken.val();
        if self.is_count.val() {
            self.chunked.port.valid.next = self.sends.val();
            self.chunked.port.kind.next = self.k_raw.val();
            self.chunked.port.size.next = self.size.val();
            self.chunked.port.value.next = bit_cast::<W, 4>(self.bits.val());
            self.chunked.port.zero.next = false;
            self.chunked.port.lead.next = self.lead.q.val();
        }
        self.sent.next = self.sends.val() & self.chunked.port.ready.val();
        self.done.next = self.sent.val() & self.ends.val();
        self.port.ready.next = self.chunked.port.ready.val();
        if self.is_count.val() {
            self.port.ready.next = self.done.val();
        }
        self.port.have.next = self.chunked.port.have.val();
        self.port.count.next = self.chunked.port.count.val();
        self.port.data.next = self.chunked.port.data.val();
        self.port.busy.next = self.chunked.port.busy.val();

        if self.sent.val() {
            self.lead.d.next = false;
        }
        match self.step.q.val() {
            RunStep::Idle => {
                self.v.d.next = self.run.val();
                self.m.d.next = self.mean.val().get_bits::<24>(4);
                self.k.d.next = 0.into();
                self.below.d.next = 0.into();
                self.fours.d.next = 0.into();
                self.lead.d.next = self.port.lead.val();
                if self.port.valid.val() & self.is_count.val() {
                    self.step.d.next = RunStep::Shift;
                }
            }
            RunStep::Shift => {
                if self.is_one.val() {
                    self.step.d.next = RunStep::Ones;
                } else {
                    self.m.d.next = self.m.q.val() >> 1;
                    self.v.d.next = self.v.q.val() >> 1;
                    self.k.d.next = self.k.q.val() + self.one_5.val();
                }
            }
            RunStep::Ones => {
                if self.escapes.val() {
                    self.m.d.next = self.successor.val();
                    self.v.d.next = self.successor.val();
                    self.step.d.next = RunStep::Golomb;
                } else if self.sent.val() {
                    if self.four_ones.val() {
                        self.v.d.next = self.v.q.val() - self.four_24.val();
                        self.fours.d.next = self.fours.q.val() + self.one_2.val();
                    } else {
                        self.v.d.next = self.run.val();
                        self.step.d.next = RunStep::Low;
                    }
                }
            }
            RunStep::Golomb => {
                if self.sent.val() {
                    self.m.d.next = self.m.q.val() >> 1;
                    if !self.is_one.val() {
                        self.below.d.next = self.below.q.val() + self.one_5.val();
                    } else if self.below.q.val().any() {
                        self.step.d.next = RunStep::Below;
                    } else {
                        self.v.d.next = self.run.val();
                        self.step.d.next = RunStep::Low;
                    }
                }
            }
            RunStep::Below => {
                if self.sent.val() {
                    self.v.d.next = self.v.q.val() >> 4;
                    self.below.d.next = self.below.q.val() - self.four_5.val();
                    if self.left.val() <= self.four_5.val() {
                        self.v.d.next = self.run.val();
                        self.step.d.next = RunStep::Low;
                    }
                }
            }
            RunStep::Low => {
                if self.sent.val() {
                    self.v.d.next = self.v.q.val() >> 4;
                    self.k.d.next = self.k.q.val() - self.four_5.val();
                }
            }
        }
        self.means.we.next = false;
        self.means.waddr.next = self.port.core.val();
        self.means.wdata.next = self.learned.val();
        if self.done.val() {
            self.step.d.next = RunStep::Idle;
            if self.run.val().any() {
                self.own_mean.d.next = self.learned.val();
                self.means.we.next = self.many.val();
                self.known.d.next = (self.known.q.val() | self.this_core.val()) & self.cores.val();
            }
        }
        // the next trace of this core begins with the first mean
        if self.trace_end.val() {
            self.own_mean.d.next = 0.into();
            self.known.d.next = self.known.q.val() & !self.this_core.val();
        }
        if self.start.val() | self.port.reset.val() {
            self.own_mean.d.next = 0.into();
            self.known.d.next = 0.into();
        }
        if self.port.reset.val() {
            self.step.d.next = RunStep::Idle;
        }
    }
}
