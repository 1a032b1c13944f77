//! Stamp: a time of one chunk before the piece of the field behind it
//!
//! Stands beside the coder of a broad system ([`super::pieces`]): a time that one chunk holds is no field of its own, but goes in one
//! clock with the core index and the first piece of the field.
//!
//! # Source
//! `docs/reference/stream.md`, "Chunked numbers": the connect bit behind its only chunk is 0.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: none waits |
//! | `comes` | in | 1 | the coder takes a field behind a time of one chunk; its first piece is there a clock later |
//! | `cycles` | in | 6 | the time; 0 above its chunk |
//! | `goes` | in | 1 | a piece of the coder is taken |
//! | `count`, `data` | in | 4, 8 | the piece |
//! | `all`, `piece` | out | 4, 16 | it, behind the time if that waits |
//!
//! # Timing
//! The piece goes through in the same clock.
//!
//! Golden model: [`sim::chunk::write`].

use super::pieces::stamp;
use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The time that waits.
#[derive(LogicBlock, Default)]
pub struct Stamp {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub comes: Signal<In, Bit>,
    pub cycles: Signal<In, Bits<6>>,
    pub goes: Signal<In, Bit>,
    pub count: Signal<In, Bits<4>>,
    pub data: Signal<In, Bits<8>>,
    pub all: Signal<Out, Bits<4>>,
    pub piece: Signal<Out, Bits<16>>,
    waits: DFF<Bit>,
    held: DFF<Bits<6>>,
    behind: Signal<Local, Bits<16>>,
    mask: Fixed<Bits<6>>,
    chunk: Fixed<Bits<4>>,
    at: Fixed<Bits<4>>,
}

impl Stamp {
    /// For the times of systems of `params` with `extras`.
    ///
    /// # Panics
    /// When their times are fields of their own.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        let time = stamp(params, extras).unwrap_or_else(|| panic!("times are fields of their own"));
        Self {
            mask: Fixed::of((1u8 << time.first) - 1),
            chunk: Fixed::of(time.first + 1),
            at: Fixed::of(time.first + 1),
            ..Default::default()
        }
    }
}

impl Logic for Stamp {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, held);
        if self.goes.val() {
            self.waits.d.next = false;
        }
        if self.comes.val() {
            self.waits.d.next = true;
            self.held.d.next = self.cycles.val() & self.mask.val();
        }
        if self.reset.val() {
            self.waits.d.next = false;
        }
        self.behind.next = bit_cast::<16, 8>(self.data.val()) << self.at.val();
        self.all.next = self.count.val();
        self.piece.next = bit_cast::<16, 8>(self.data.val());
        if self.waits.q.val() {
            self.all.next = self.count.val() + self.chunk.val();
            self.piece.next = self.behind.val() | bit_cast::<16, 6>(self.held.q.val());
        }
    }
}
