//! Time stamp prefix: a time stamp of one chunk, in one slice with the next field
//!
//! Used with the coder of a system with wide slices ([`super::slices`]). A time stamp that fits one chunk is not a field of its own:
//! it is sent in one cycle with the core index and the first slice of the field.
//!
//! # Source
//! `docs/reference/stream.md`, "Chunked numbers": the connect bit after its only chunk is 0.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no time stamp waits |
//! | `field_taken` | in | 1 | the coder takes a field after a time stamp of one chunk; its first slice follows one cycle later |
//! | `cycles` | in | 6 | the time stamp; 0 above its chunk |
//! | `slice_taken` | in | 1 | a slice of the coder is taken |
//! | `count`, `data` | in | 4, 8 | the slice |
//! | `all`, `slice` | out | 4, 16 | the slice, after the time stamp if one waits |
//!
//! # Timing
//! Combinational from `count` and `data` to `all` and `slice`.
//!
//! Golden model: [`sim::chunk::write`].

use super::slices::stamp;
use super::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The prefix with the waiting time stamp.
#[derive(LogicBlock, Default)]
pub struct Stamp {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub field_taken: Signal<In, Bit>,
    pub cycles: Signal<In, Bits<6>>,
    pub slice_taken: Signal<In, Bit>,
    pub count: Signal<In, Bits<4>>,
    pub data: Signal<In, Bits<8>>,
    pub all: Signal<Out, Bits<4>>,
    pub slice: Signal<Out, Bits<16>>,
    time_waits: DFF<Bit>,
    held: DFF<Bits<6>>,
    after_stamp: Signal<Local, Bits<16>>,
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
        dff_setup!(self, clock, time_waits, held);
        if self.slice_taken.val() {
            self.time_waits.d.next = false;
        }
        if self.field_taken.val() {
            self.time_waits.d.next = true;
            self.held.d.next = self.cycles.val() & self.mask.val();
        }
        if self.reset.val() {
            self.time_waits.d.next = false;
        }
        self.after_stamp.next = bit_cast::<16, 8>(self.data.val()) << self.at.val();
        self.all.next = self.count.val();
        self.slice.next = bit_cast::<16, 8>(self.data.val());
        if self.time_waits.q.val() {
            self.all.next = self.count.val() + self.chunk.val();
            self.slice.next = self.after_stamp.val() | bit_cast::<16, 6>(self.held.q.val());
        }
    }
}
