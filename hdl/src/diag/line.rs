//! Line: frames of bytes from the host to packets for the ring, and requests to send lost frames again, both ways
//!
//! Packets for the host pass through it to the framer; requests are inserted between two packets, even if the framer has
//! no room. A packet of the host for the host does not go to the ring: if its operation is 4, the host requests frames
//! from the framer, and gets a request in return.
//!
//! # Source
//! Original to this project; frames and requests: crate `diag`, modules `link` and `line`; their bytes: `sim::diag::frame`. The CRC over a
//! frame and its check bytes is 0.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: waits for frame 0, clears the counters |
//! | `valid` | in | 1 | a byte is present |
//! | `octet` | in | 8 | the byte |
//! | `ready` | out | 1 | the byte is taken at this edge, if `valid` |
//! | `put` | out | | packets from the host, to its router |
//! | `got` | in | | packets for the host, from its router |
//! | `say` | out | | these packets and requests, to the framer |
//! | `status` | out | 1 | what is at `say` is a request |
//! | `can_begin` | in | 1 | 0: only requests go to the framer |
//! | `newest` | in | 8 | number of the next new frame of the framer |
//! | `again` | out | 1 | 1 for one cycle: the host expects frame `expected` of the framer |
//! | `expected`, `hold` | out | 8, 1 | with `again`: bits 7:0 and 8 of the packet's register address |
//!
//! # Timing
//! One byte per cycle. While a packet goes to the router, one word per cycle, no byte is accepted; on a link without
//! flow control, a frame that arrives then is broken and is requested again. A packet for the host passes one cycle
//! after it arrives, with one cycle between two packets. A request reports the state in the cycle before its first
//! word.
//!
//! Golden model: `diag::line::FrameReceiver`.

use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::frame::{POLYNOMIAL, START};
use sim::diag::packet::{Op, HOST};

/// The part of a frame that comes next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum LineState {
    Start,
    Length,
    Number,
    Low,
    High,
    SumLow,
    SumHigh,
    Put,
}

/// The source of the packet that goes to the framer.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ToFramerState {
    Free,
    Through,
    Ask,
}

/// A receiver of frames.
#[derive(LogicBlock, Default)]
pub struct Line {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub octet: Signal<In, Bits<8>>,
    pub ready: Signal<Out, Bit>,
    pub put: PacketOut,
    pub got: PacketIn,
    pub say: PacketOut,
    pub status: Signal<Out, Bit>,
    pub can_begin: Signal<In, Bit>,
    pub newest: Signal<In, Bits<8>>,
    pub again: Signal<Out, Bit>,
    pub expected: Signal<Out, Bits<8>>,
    pub hold: Signal<Out, Bit>,

    state: DFF<LineState>,
    words: Mem<4, 16>,
    // words of the frame minus one; index of the word that is received or sent
    last: DFF<Bits<4>>,
    at: DFF<Bits<4>>,
    next_at: Signal<Local, Bits<4>>,
    after: Signal<Local, Bits<4>>,
    number: DFF<Bits<8>>,
    low: DFF<Bits<8>>,
    // the length field of the packet matches the frame
    fits: DFF<Bit>,
    // it is for the host, with operation 4 and this register address
    for_host: DFF<Bit>,
    requests: DFF<Bit>,
    wanted: DFF<Bits<8>>,
    want_hold: DFF<Bit>,
    sum: DFF<Bits<16>>,
    folded: Signal<Local, Bits<16>>,
    odd: Signal<Local, Bit>,
    counted: Signal<Local, Bits<4>>,
    stated_length: Signal<Local, Bits<4>>,
    begins: Signal<Local, Bit>,
    length: Signal<Local, Bit>,

    awaited: DFF<Bits<8>>,
    broken: DFF<Bits<16>>,
    out_of_order: DFF<Bits<16>>,
    request_pending: DFF<Bit>,

    // packets to the framer
    to_framer_state: DFF<ToFramerState>,
    left: DFF<Bits<5>>,
    through: DFF<Bit>,
    request_number: DFF<Bits<8>>,
    request_broken: DFF<Bits<16>>,
    request_strays: DFF<Bits<16>>,
    request_newest: DFF<Bits<8>>,

    start: Fixed<Bits<8>>,
    polynomial: Fixed<Bits<16>>,
    request: Fixed<Bits<16>>,
    request_op: Fixed<Bits<16>>,
    request_code: Fixed<Bits<4>>,
    one: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    one_8: Fixed<Bits<8>>,
    one_16: Fixed<Bits<16>>,
}

impl Line {
    /// A receiver that waits for frame 0.
    pub fn new() -> Self {
        let host = u64::from(HOST);
        Self {
            words: Mem::new(4, 16),
            start: Fixed::of(u64::from(START)),
            polynomial: Fixed::of(u64::from(POLYNOMIAL)),
            request: Fixed::of(3 << 12 | host << 6 | host),
            request_op: Fixed::of(0x8000u64 | (Op::Error as u64) << 12),
            request_code: Fixed::of(8 | Op::Error as u64),
            one: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            one_8: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Line {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            last,
            at,
            number,
            low,
            fits,
            for_host,
            requests,
            wanted,
            want_hold,
            sum,
            awaited,
            broken,
            out_of_order,
            request_pending
        );
        dff_setup!(self, clock, to_framer_state, left, through);
        dff_setup!(self, clock, request_number, request_broken, request_strays, request_newest);
        clock!(self, clock, words);

        // the CRC updated with this byte, lowest bit first
        self.folded.next = self.sum.q.val();
        for i in 0..8 {
            self.odd.next = self.folded.val().get_bit(0) ^ self.octet.val().get_bit(i);
            self.folded.next = self.folded.val() >> 1;
            if self.odd.val() {
                self.folded.next = self.folded.val() ^ self.polynomial.val();
            }
        }

        // packets to the framer
        self.say.valid.next =
            (self.to_framer_state.q.val() == ToFramerState::Ask) | (self.through.q.val() & self.got.valid.val());
        self.status.next = self.to_framer_state.q.val() == ToFramerState::Ask;
        self.say.word.next = self.got.word.val();
        self.got.ready.next = self.through.q.val() & self.say.ready.val();
        match self.to_framer_state.q.val() {
            ToFramerState::Free => {
                self.left.d.next = bit_cast::<5, 4>(self.got.word.val().get_bits::<4>(12)) + self.one_5.val();
                if self.request_pending.q.val() {
                    self.to_framer_state.d.next = ToFramerState::Ask;
                    self.left.d.next = 4.into();
                    self.request_pending.d.next = false;
                    self.request_number.d.next = self.awaited.q.val();
                    self.request_broken.d.next = self.broken.q.val();
                    self.request_strays.d.next = self.out_of_order.q.val();
                    self.request_newest.d.next = self.newest.val();
                } else if self.got.valid.val() & self.can_begin.val() {
                    self.to_framer_state.d.next = ToFramerState::Through;
                    self.through.d.next = true;
                }
            }
            ToFramerState::Through => {
                if self.got.valid.val() & self.say.ready.val() {
                    self.left.d.next = self.left.q.val() - self.one_5.val();
                    if !self.left.q.val().any() {
                        self.to_framer_state.d.next = ToFramerState::Free;
                        self.through.d.next = false;
                    }
                }
            }
            ToFramerState::Ask => {
                self.say.word.next = bit_cast::<16, 8>(self.request_newest.q.val());
                if self.left.q.val() == 4 {
                    self.say.word.next = self.request.val();
                }
                if self.left.q.val() == 3 {
                    self.say.word.next = self.request_op.val() | bit_cast::<16, 8>(self.request_number.q.val());
                }
                if self.left.q.val() == 2 {
                    self.say.word.next = self.request_broken.q.val();
                }
                if self.left.q.val() == 1 {
                    self.say.word.next = self.request_strays.q.val();
                }
                if self.say.ready.val() {
                    self.left.d.next = self.left.q.val() - self.one_5.val();
                    if !self.left.q.val().any() {
                        self.to_framer_state.d.next = ToFramerState::Free;
                    }
                }
            }
        }

        // bytes from the host
        self.begins.next = self.octet.val() == self.start.val();
        self.length.next = (self.octet.val() >= 2) & (self.octet.val() <= 16);
        self.counted.next = self.octet.val().get_bits::<4>(0) - self.one.val();
        self.stated_length.next = self.octet.val().get_bits::<4>(4) + self.one.val();
        self.after.next = self.at.q.val() + self.one.val();
        self.next_at.next = self.at.q.val();
        self.ready.next = self.state.q.val() != LineState::Put;
        self.put.valid.next = self.state.q.val() == LineState::Put;
        self.put.word.next = self.words.rdata.val();
        self.words.we.next = (self.state.q.val() == LineState::High) & self.valid.val();
        self.words.waddr.next = self.at.q.val();
        self.words.wdata.next = (bit_cast::<16, 8>(self.octet.val()) << 8) | bit_cast::<16, 8>(self.low.q.val());
        self.again.next = false;
        self.expected.next = self.wanted.q.val();
        self.hold.next = self.want_hold.q.val();
        if self.valid.val() {
            match self.state.q.val() {
                LineState::Start => {
                    self.sum.d.next = 0.into();
                    if self.begins.val() {
                        self.state.d.next = LineState::Length;
                    }
                }
                LineState::Length => {
                    self.state.d.next = LineState::Start;
                    if self.length.val() {
                        self.state.d.next = LineState::Number;
                    }
                    self.sum.d.next = self.folded.val();
                    if self.begins.val() {
                        self.state.d.next = LineState::Length;
                        self.sum.d.next = 0.into();
                    }
                    self.last.d.next = self.counted.val();
                    self.next_at.next = 0.into();
                }
                LineState::Number => {
                    self.state.d.next = LineState::Low;
                    self.number.d.next = self.octet.val();
                    self.sum.d.next = self.folded.val();
                }
                LineState::Low => {
                    self.state.d.next = LineState::High;
                    self.low.d.next = self.octet.val();
                    self.sum.d.next = self.folded.val();
                }
                LineState::High => {
                    self.state.d.next = LineState::Low;
                    self.sum.d.next = self.folded.val();
                    if !self.at.q.val().any() {
                        self.fits.d.next = self.stated_length.val() == self.last.q.val();
                        self.for_host.d.next =
                            self.octet.val().get_bits::<4>(0).all() & self.low.q.val().get_bits::<2>(6).all();
                    }
                    if self.at.q.val() == 1 {
                        self.wanted.d.next = self.low.q.val();
                        self.want_hold.d.next = self.octet.val().get_bit(0);
                        self.requests.d.next = self.octet.val().get_bits::<4>(4) == self.request_code.val();
                    }
                    self.next_at.next = self.after.val();
                    if self.at.q.val() == self.last.q.val() {
                        self.state.d.next = LineState::SumLow;
                        self.next_at.next = 0.into();
                    }
                }
                LineState::SumLow => {
                    self.state.d.next = LineState::SumHigh;
                    self.sum.d.next = self.folded.val();
                }
                LineState::SumHigh => {
                    self.state.d.next = LineState::Start;
                    self.sum.d.next = 0.into();
                    if self.folded.val().any() {
                        self.request_pending.d.next = true;
                        if !self.broken.q.val().all() {
                            self.broken.d.next = self.broken.q.val() + self.one_16.val();
                        }
                    } else if self.number.q.val() != self.awaited.q.val() {
                        self.request_pending.d.next = true;
                        if !self.out_of_order.q.val().all() {
                            self.out_of_order.d.next = self.out_of_order.q.val() + self.one_16.val();
                        }
                    } else {
                        self.awaited.d.next = self.awaited.q.val() + self.one_8.val();
                        if self.fits.q.val() & !self.for_host.q.val() {
                            self.state.d.next = LineState::Put;
                        }
                        if self.fits.q.val() & self.for_host.q.val() & self.requests.q.val() {
                            self.again.next = true;
                            self.request_pending.d.next = true;
                        }
                    }
                }
                _ => {}
            }
        }
        if self.state.q.val() == LineState::Start {
            self.sum.d.next = 0.into();
        }
        if (self.state.q.val() == LineState::Put) & self.put.ready.val() {
            self.next_at.next = self.after.val();
            if self.at.q.val() == self.last.q.val() {
                self.state.d.next = LineState::Start;
            }
        }
        self.at.d.next = self.next_at.val();
        self.words.raddr.next = self.next_at.val();

        if self.reset.val() {
            self.state.d.next = LineState::Start;
            self.awaited.d.next = 0.into();
            self.broken.d.next = 0.into();
            self.out_of_order.d.next = 0.into();
            self.request_pending.d.next = false;
            self.wanted.d.next = 0.into();
            self.want_hold.d.next = false;
            self.to_framer_state.d.next = ToFramerState::Free;
            self.through.d.next = false;
        }
    }
}
