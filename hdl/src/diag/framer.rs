//! Framer: packets for the host as frames on a byte link, each with length, sequence number and CRC
//!
//! # Source
//! Original to this project; the frame: `sim::diag::frame`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts a frame; the next frame has number 0 |
//! | `got` | in | | packets, from a router |
//! | `valid` | out | 1 | a byte is present; holds until `ready` |
//! | `octet` | out | 8 | the byte |
//! | `ready` | in | 1 | the byte is taken at this edge, if `valid` |
//!
//! # Timing
//! One byte per cycle; a frame has five bytes more than its words. It begins two cycles after its first word is
//! present.
//!
//! Golden model: `diag::link::FrameWriter`.

use crate::noc::ports::PacketIn;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::diag::frame::{POLYNOMIAL, START};

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

/// A framer of packets.
#[derive(LogicBlock, Default)]
pub struct Framer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub valid: Signal<Out, Bit>,
    pub octet: Signal<Out, Bits<8>>,
    pub ready: Signal<In, Bit>,
    state: DFF<FrameState>,
    number: DFF<Bits<8>>,
    sum: DFF<Bits<16>>,
    // words of the packet after this one
    left: DFF<Bits<5>>,
    length: Signal<Local, Bits<5>>,
    now: Signal<Local, Bits<8>>,
    folded: Signal<Local, Bits<16>>,
    odd: Signal<Local, Bit>,
    start: Fixed<Bits<8>>,
    polynomial: Fixed<Bits<16>>,
    one: Fixed<Bits<5>>,
    two: Fixed<Bits<5>>,
    one_8: Fixed<Bits<8>>,
}

impl Framer {
    /// A framer that is idle.
    pub fn new() -> Self {
        Self {
            start: Fixed::of(u64::from(START)),
            polynomial: Fixed::of(u64::from(POLYNOMIAL)),
            one: Fixed::of(1u64),
            two: Fixed::of(2u64),
            one_8: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Framer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, number, sum, left);
        self.length.next = bit_cast::<5, 4>(self.got.word.val().get_bits::<4>(12)) + self.two.val();

        self.now.next = self.start.val();
        match self.state.q.val() {
            FrameState::Length => {
                self.now.next = bit_cast::<8, 5>(self.length.val());
            }
            FrameState::Number => {
                self.now.next = self.number.q.val();
            }
            FrameState::Low => {
                self.now.next = self.got.word.val().get_bits::<8>(0);
            }
            FrameState::High => {
                self.now.next = self.got.word.val().get_bits::<8>(8);
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

        if self.ready.val() {
            match self.state.q.val() {
                FrameState::Start => {
                    self.state.d.next = FrameState::Length;
                    self.sum.d.next = 0.into();
                    self.left.d.next = self.length.val();
                }
                FrameState::Length => {
                    self.state.d.next = FrameState::Number;
                    self.sum.d.next = self.folded.val();
                }
                FrameState::Number => {
                    self.state.d.next = FrameState::Low;
                    self.sum.d.next = self.folded.val();
                    self.number.d.next = self.number.q.val() + self.one_8.val();
                }
                FrameState::Low => {
                    self.state.d.next = FrameState::High;
                    self.sum.d.next = self.folded.val();
                }
                FrameState::High => {
                    self.state.d.next = FrameState::Low;
                    self.sum.d.next = self.folded.val();
                    self.left.d.next = self.left.q.val() - self.one.val();
                    if self.left.q.val() == self.one.val() {
                        self.state.d.next = FrameState::SumLow;
                    }
                }
                FrameState::SumLow => {
                    self.state.d.next = FrameState::SumHigh;
                }
                FrameState::SumHigh => {
                    self.state.d.next = FrameState::Idle;
                }
                _ => {}
            }
        }
        if (self.state.q.val() == FrameState::Idle) & self.got.valid.val() {
            self.state.d.next = FrameState::Start;
        }

        // a router that shows a packet holds all of its words
        self.valid.next = self.state.q.val() != FrameState::Idle;
        self.octet.next = self.now.val();
        self.got.ready.next = (self.state.q.val() == FrameState::High) & self.ready.val();
        if self.reset.val() {
            self.state.d.next = FrameState::Idle;
            self.number.d.next = 0.into();
            self.sum.d.next = 0.into();
            self.left.d.next = 0.into();
        }
    }
}
