//! The codes of all cores: each request goes to the code of its core, and the words leave in the order of requests
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: new codes, no request waits |
//! | `core` | in | 4 | the core of the request |
//! | `valid`, `accepts` | in, out | 1 | a request is there; it is taken at this edge |
//! | `kind`, `data`, `count` | in | 2, 8, 4 | the request, see [`super::coder`] |
//! | `header` | in | 1 | the header is repeated |
//! | `busy` | out | 1 | requests are not finished |
//! | `bits_valid`, `bits_count`, `bits_data` | out | 1, 4, 8 | bits of the stream |
//! | `bits_ready` | in | 1 | they are taken |
//!
//! # Timing
//! `accepts` does not depend on `valid`. With one core its bytes are the stream, as they come; with several, see [`super::order`].

use super::code::Code;
use super::order::Order;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The codes of N cores.
#[derive(LogicBlock, Default)]
pub struct Codes {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub core: Signal<In, Bits<4>>,
    pub valid: Signal<In, Bit>,
    pub accepts: Signal<Out, Bit>,
    pub kind: Signal<In, Bits<2>>,
    pub data: Signal<In, Bits<8>>,
    pub count: Signal<In, Bits<4>>,
    pub header: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    pub bits_valid: Signal<Out, Bit>,
    pub bits_count: Signal<Out, Bits<4>>,
    pub bits_data: Signal<Out, Bits<8>>,
    pub bits_ready: Signal<In, Bit>,
    codes: Vec<Code>,
    order: Order,
    _cores: usize,
    _several: usize,
    // number of the next request, and how many were made since a word waits
    number: DFF<Bits<9>>,
    since: DFF<Bits<7>>,
    late: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    running: Signal<Local, Bits<16>>,
    have: Signal<Local, Bits<16>>,
    marked: Signal<Local, Bits<16>>,
    stopped: Signal<Local, Bits<16>>,
    known: Signal<Local, Bits<16>>,
    many: Fixed<Bit>,
    one_9: Fixed<Bits<9>>,
    one_7: Fixed<Bits<7>>,
    eight: Fixed<Bits<4>>,
}

impl Codes {
    /// The codes of `cores` cores; with `sync` the header can be repeated.
    ///
    /// # Panics
    /// Unless there are 1 to 16 cores.
    pub fn new(cores: usize, sync: bool) -> Self {
        let many = cores > 1;
        // Of each code, up to ten requests are compared: eight wait, one is in the coder, one has bytes left. The oldest one
        // waits while up to 65 others are made: for its word, or its probabilities, which are cleared.
        let number_bits = if cores <= 4 { 8 } else { 9 };
        Self {
            codes: (0..cores).map(|_| Code::new(many.then_some(number_bits))).collect(),
            order: when(many, || Order::new(cores, number_bits, sync)),
            _cores: cores,
            _several: if many { cores } else { 0 },
            many: Fixed::new(many),
            one_9: Fixed::of(1u8),
            one_7: Fixed::of(1u8),
            eight: Fixed::of(8u8),
            ..Default::default()
        }
    }
}

impl Logic for Codes {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number, since);
        clock!(self, clock, order);

        self.late.next = self.many.val() & self.since.q.val().get_bit(6);
        self.open.next = false;
        self.running.next = 0.into();
        self.have.next = 0.into();
        self.marked.next = 0.into();
        self.stopped.next = 0.into();
        self.known.next = 0.into();
        for i in 0..self._cores {
            if self.core.val() == i.to_bits() {
                self.open.next = self.codes[i].ready.val() & !self.late.val();
            }
            self.running.next = self.running.val().replace_bit(i, self.codes[i].busy.val());
            self.have.next = self.have.val().replace_bit(i, self.codes[i].have.val());
            self.marked.next = self.marked.val().replace_bit(i, self.codes[i].marked.val());
            self.stopped.next = self.stopped.val().replace_bit(i, self.codes[i].stopped.val());
            self.known.next = self.known.val().replace_bit(i, self.codes[i].known.val());
        }
        self.accepts.next = self.open.val();
        self.busy.next = self.running.val().any();

        self.number.d.next = self.number.q.val();
        if self.valid.val() & self.open.val() & self.many.val() {
            self.number.d.next = self.number.q.val() + self.one_9.val();
            self.since.d.next = self.since.q.val() + self.one_7.val();
        }
        // only differences count; but an unknown number stays unknown
        if self.reset.val() {
            self.number.d.next = 0.into();
        }
        // so that the numbers that are compared never differ by half of their range
        if !self.have.val().any() {
            self.since.d.next = 0.into();
        }
        for m in 0..self._cores {
            self.codes[m].clock.next = self.clock.val();
            self.codes[m].reset.next = self.reset.val();
            self.codes[m].valid.next = false;
            self.codes[m].kind.next = self.kind.val();
            self.codes[m].data.next = self.data.val();
            self.codes[m].count.next = self.count.val();
            self.codes[m].number.next = self.number.q.val();
            if self.core.val() == m.to_bits() {
                self.codes[m].valid.next = self.valid.val() & !self.late.val();
            }
        }

        // words
        self.order.reset.next = self.reset.val();
        self.order.have.next = self.have.val();
        self.order.busy.next = self.running.val();
        self.order.known.next = self.known.val();
        self.order.header.next = self.header.val();
        self.order.marked.next = self.marked.val();
        self.order.stopped.next = self.stopped.val();
        self.order.ready.next = self.bits_ready.val();
        self.bits_valid.next = self.have.val().any();
        self.bits_count.next = self.eight.val();
        self.bits_data.next = self.codes[0].octet.val();
        for k in 0..self._cores {
            self.codes[k].last.next = true;
            self.codes[k].taken.next = self.bits_ready.val();
            if self.many.val() {
                self.codes[k].last.next = self.order.last.val();
                self.codes[k].taken.next = self.order.takes.val() & (self.order.core.val() == k.to_bits());
            }
        }
        for n in 0..self._several {
            self.order.numbers[n].next = self.codes[n].oldest.val();
            self.order.octets[n].next = self.codes[n].octet.val();
        }
        if self.many.val() {
            self.bits_valid.next = self.order.valid.val();
            self.bits_count.next = self.order.count.val();
            self.bits_data.next = self.order.data.val();
        }
        if self.reset.val() {
            self.since.d.next = 0.into();
        }
    }
}
