//! Framer: packets for the host as frames on a byte link, each with length, sequence number and CRC
//!
//! Keeps the last 16 frames, and sends again from the one that the host expects. While it holds frames, `can_begin` is 0 when
//! a new one would replace one that the host may not have. A status is not kept, and is sent even then.
//!
//! # Source
//! Original to this project; the frame: `sim::diag::frame`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts a frame; the next frame has number 0 |
//! | `got` | in | | packets, from the line |
//! | `status` | in | 1 | with `got.valid`: the packet is a status |
//! | `can_begin` | out | 1 | 0: no packet but a status may begin |
//! | `newest` | out | 8 | number of the next new frame |
//! | `again` | in | 1 | 1 for one cycle: the host expects frame `expected` |
//! | `expected` | in | 8 | with `again` |
//! | `hold` | in | 1 | with `again`: 1: frames are held from now on |
//! | `valid` | out | 1 | a byte is present; holds until `ready` |
//! | `octet` | out | 8 | the byte |
//! | `ready` | in | 1 | the byte is taken at this edge, if `valid` |
//!
//! # Timing
//! One byte per cycle; a frame has five bytes more than its words. It begins two cycles after its first word is
//! present. `again` takes effect between two frames.
//!
//! Golden model: `sim::diag::framer`.

use crate::noc::ports::PacketIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::frame::{KEPT, POLYNOMIAL, START};

/// The part of a frame that is sent next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FrameState {
    Idle,
    Start,
    Length,
    Number,
    Low,
    High,
    SumLow,
    SumHigh,
}

/// Source of the words of a frame.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FrameSource {
    /// A new packet.
    New,
    /// The memory: it is sent again.
    Kept,
    /// A status.
    Status,
}

/// A framer of packets.
#[derive(LogicBlock, Default)]
pub struct Framer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub status: Signal<In, Bit>,
    pub can_begin: Signal<Out, Bit>,
    pub newest: Signal<Out, Bits<8>>,
    pub again: Signal<In, Bit>,
    pub expected: Signal<In, Bits<8>>,
    pub hold: Signal<In, Bit>,
    pub valid: Signal<Out, Bit>,
    pub octet: Signal<Out, Bits<8>>,
    pub ready: Signal<In, Bit>,
    state: DFF<FrameState>,
    source: DFF<FrameSource>,
    // number of the frame that is sent, or sent next
    number: DFF<Bits<8>>,
    // number of the oldest kept frame, and of the next new one
    oldest: DFF<Bits<8>>,
    unused: DFF<Bits<8>>,
    holding: DFF<Bit>,
    kept: Signal<Local, Bits<8>>,
    full: Signal<Local, Bit>,
    // what the host expects
    pending: DFF<Bit>,
    wanted: DFF<Bits<8>>,
    want_hold: DFF<Bit>,
    received: Signal<Local, Bits<8>>,

    // 16 words for each frame
    words: Mem<8, 16>,
    sum: DFF<Bits<16>>,
    // index of the word, and of the last one
    at: DFF<Bits<4>>,
    last: DFF<Bits<4>>,
    next_at: Signal<Local, Bits<4>>,
    word: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<5>>,
    now: Signal<Local, Bits<8>>,
    folded: Signal<Local, Bits<16>>,
    odd: Signal<Local, Bit>,
    start: Fixed<Bits<8>>,
    polynomial: Fixed<Bits<16>>,
    one: Fixed<Bits<4>>,
    two: Fixed<Bits<5>>,
    capacity: Fixed<Bits<8>>,
    one_8: Fixed<Bits<8>>,
}

impl Framer {
    /// A framer that is idle.
    pub fn new() -> Self {
        Self {
            start: Fixed::of(u64::from(START)),
            polynomial: Fixed::of(u64::from(POLYNOMIAL)),
            words: Mem::new(8, 16),
            one: Fixed::of(1u64),
            two: Fixed::of(2u64),
            capacity: Fixed::of(u64::from(KEPT)),
            one_8: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Framer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, source, number, oldest, unused, holding, pending, wanted, want_hold, sum, at, last
        );
        clock!(self, clock, words);
        self.kept.next = self.unused.q.val() - self.oldest.q.val();
        self.full.next = self.kept.val() == self.capacity.val();
        self.received.next = self.wanted.q.val() - self.oldest.q.val();
        self.can_begin.next = !self.holding.q.val() | !self.full.val();
        self.newest.next = self.unused.q.val();
        self.word.next = self.got.word.val();
        if self.source.q.val() == FrameSource::Kept {
            self.word.next = self.words.rdata.val();
        }
        self.length.next = bit_cast::<5, 4>(self.word.val().get_bits::<4>(12)) + self.two.val();

        self.now.next = self.start.val();
        match self.state.q.val() {
            FrameState::Length => {
                self.now.next = bit_cast::<8, 5>(self.length.val());
            }
            FrameState::Number => {
                self.now.next = self.number.q.val();
                if self.source.q.val() == FrameSource::Status {
                    self.now.next = self.oldest.q.val();
                }
            }
            FrameState::Low => {
                self.now.next = self.word.val().get_bits::<8>(0);
            }
            FrameState::High => {
                self.now.next = self.word.val().get_bits::<8>(8);
            }
            FrameState::SumLow => {
                self.now.next = self.sum.q.val().get_bits::<8>(0);
            }
            FrameState::SumHigh => {
                self.now.next = self.sum.q.val().get_bits::<8>(8);
            }
            _ => {}
        }
        // the CRC updated with this byte, lowest bit first
        self.folded.next = self.sum.q.val();
        for i in 0..8 {
            self.odd.next = self.folded.val().get_bit(0) ^ self.now.val().get_bit(i);
            self.folded.next = self.folded.val() >> 1;
            if self.odd.val() {
                self.folded.next = self.folded.val() ^ self.polynomial.val();
            }
        }

        self.next_at.next = self.at.q.val();
        if self.ready.val() {
            match self.state.q.val() {
                FrameState::Start => {
                    self.state.d.next = FrameState::Length;
                    self.sum.d.next = 0.into();
                    self.last.d.next = self.word.val().get_bits::<4>(12) + self.one.val();
                }
                FrameState::Length => {
                    self.state.d.next = FrameState::Number;
                    self.sum.d.next = self.folded.val();
                }
                FrameState::Number => {
                    self.state.d.next = FrameState::Low;
                    self.sum.d.next = self.folded.val();
                }
                FrameState::Low => {
                    self.state.d.next = FrameState::High;
                    self.sum.d.next = self.folded.val();
                }
                FrameState::High => {
                    self.state.d.next = FrameState::Low;
                    self.sum.d.next = self.folded.val();
                    self.next_at.next = self.at.q.val() + self.one.val();
                    if self.at.q.val() == self.last.q.val() {
                        self.state.d.next = FrameState::SumLow;
                    }
                }
                FrameState::SumLow => {
                    self.state.d.next = FrameState::SumHigh;
                }
                FrameState::SumHigh => {
                    self.state.d.next = FrameState::Idle;
                    if self.source.q.val() != FrameSource::Status {
                        self.number.d.next = self.number.q.val() + self.one_8.val();
                    }
                }
                _ => {}
            }
        }
        if self.state.q.val() == FrameState::Idle {
            self.next_at.next = 0.into();
            if self.pending.q.val() {
                self.pending.d.next = false;
                self.holding.d.next = self.want_hold.q.val();
                self.number.d.next = self.oldest.q.val();
                if self.received.val() <= self.kept.val() {
                    self.number.d.next = self.wanted.q.val();
                    self.oldest.d.next = self.wanted.q.val();
                }
            } else if self.got.valid.val() & self.status.val() {
                self.state.d.next = FrameState::Start;
                self.source.d.next = FrameSource::Status;
            } else if self.number.q.val() != self.unused.q.val() {
                self.state.d.next = FrameState::Start;
                self.source.d.next = FrameSource::Kept;
            } else if self.got.valid.val() {
                self.state.d.next = FrameState::Start;
                self.source.d.next = FrameSource::New;
                self.unused.d.next = self.unused.q.val() + self.one_8.val();
                if self.full.val() {
                    self.oldest.d.next = self.oldest.q.val() + self.one_8.val();
                }
            }
        }
        self.at.d.next = self.next_at.val();
        if self.again.val() {
            self.pending.d.next = true;
            self.wanted.d.next = self.expected.val();
            self.want_hold.d.next = self.hold.val();
        }

        // a new packet is kept while it is sent
        self.words.we.next =
            (self.state.q.val() == FrameState::High) & self.ready.val() & (self.source.q.val() == FrameSource::New);
        self.words.waddr.next =
            (bit_cast::<8, 4>(self.number.q.val().get_bits::<4>(0)) << 4) | bit_cast::<8, 4>(self.at.q.val());
        self.words.wdata.next = self.got.word.val();
        self.words.raddr.next =
            (bit_cast::<8, 4>(self.number.q.val().get_bits::<4>(0)) << 4) | bit_cast::<8, 4>(self.next_at.val());

        // a router that shows a packet holds all of its words
        self.valid.next = self.state.q.val() != FrameState::Idle;
        self.octet.next = self.now.val();
        self.got.ready.next =
            (self.state.q.val() == FrameState::High) & self.ready.val() & (self.source.q.val() != FrameSource::Kept);
        if self.reset.val() {
            self.state.d.next = FrameState::Idle;
            self.number.d.next = 0.into();
            self.oldest.d.next = 0.into();
            self.unused.d.next = 0.into();
            self.holding.d.next = false;
            self.pending.d.next = false;
            self.sum.d.next = 0.into();
            self.at.d.next = 0.into();
            self.last.d.next = 0.into();
        }
    }
}
