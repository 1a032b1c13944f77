//! Time stamp prefix: a time stamp of one chunk, in one slice with the next field
//!
//! Used with the coder of a system with wide slices ([`super::pieces`]). A time stamp that fits one chunk is not a field of its own:
//! it is sent in one cycle with the core index and the first slice of the field.
//!
//! # Source
//! `docs/reference/stream.md`, "Chunked numbers": the connect bit after its only chunk is 0.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no time stamp waits |
//! | `comes` | in | 1 | the coder takes a field after a time stamp of one chunk; its first slice follows one cycle later |
//! | `cycles` | in | 6 | the time stamp; 0 above its chunk |
//! | `goes` | in | 1 | a slice of the coder is taken |
//! | `count`, `data` | in | 4, 8 | the slice |
//! | `all`, `piece` | out | 4, 16 | the slice, after the time stamp if one waits |
//!
//! # Timing
//! Combinational from `count` and `data` to `all` and `piece`.
//!
//! Golden model: [`sim::chunk::write`].

use super::pieces::stamp;
use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The prefix with the waiting time stamp.
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
    /// The prefix for the time stamps of systems of `params` with `extras`.
    ///
    /// # Panics
    /// When their time stamps are fields of their own.
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
