//! The code of one core: its coder and, with several cores, a queue of requests before it and the bytes of a word after it
//!
//! With one core the bytes are the stream. With several cores a word waits until its turn comes ([`super::order`]): requests have numbers, in
//! the order in which they were made, and a word has the number of the request that completed it.
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: a new code, no request waits |
//! | `valid`, `ready` | in, out | 1 | a request is there; it is taken at this edge |
//! | `kind`, `data`, `count` | in | 2, 8, 4 | the request, see [`super::coder`] |
//! | `number` | in | 9 | its number |
//! | `marked`, `stopped` | out | 1 | from [`super::coder`] |
//! | `busy` | out | 1 | requests are not finished |
//! | `oldest`, `known` | out | 9, 1 | while `busy`: the number of the oldest such request; it is known |
//! | `have` | out | 1 | one core: a byte is there. Several: a word is complete |
//! | `octet` | out | 8 | its next byte: after three of them, the last one |
//! | `last` | in | 1 | several cores: the byte is the last one of the word |
//! | `taken` | in | 1 | the byte is taken |
//!
//! # Timing
//! `ready` does not depend on `valid`.

use super::coder::ArithmeticCoder;
use super::queue::Queue;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Bits of a request without its number.
const REQUEST_BITS: usize = 2 + 8 + 4;

/// The code of a core.
#[derive(LogicBlock, Default)]
pub struct Code {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub kind: Signal<In, Bits<2>>,
    pub data: Signal<In, Bits<8>>,
    pub count: Signal<In, Bits<4>>,
    pub number: Signal<In, Bits<9>>,
    pub marked: Signal<Out, Bit>,
    pub stopped: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub oldest: Signal<Out, Bits<9>>,
    pub known: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub octet: Signal<Out, Bits<8>>,
    pub last: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    coder: ArithmeticCoder,
    queue: Queue,
    many: Fixed<Bit>,
    // numbers of the request in the coder, and of the one that its doublings and bytes belong to
    own_number: DFF<Bits<9>>,
    run_number: DFF<Bits<9>>,
    waits: DFF<Bit>,
    // the first three bytes of a word
    held: DFF<Bits<24>>,
    whole: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    incoming: Signal<Local, Bits<8>>,
    request: Signal<Local, Bits<24>>,
    number_mask: Fixed<Bits<9>>,
}

impl Code {
    /// The code of one of several cores, with requests whose numbers have `number_bits` bits; or of the only one, without numbers.
    pub fn new(number_bits: Option<usize>) -> Self {
        let bits = number_bits.unwrap_or(0);
        assert!(bits <= 9, "number_bits = {bits} is outside 0..=9");
        Self {
            coder: ArithmeticCoder::new(),
            queue: when(number_bits.is_some(), || Queue::new(REQUEST_BITS + bits)),
            many: Fixed::new(number_bits.is_some()),
            number_mask: Fixed::of((1u64 << bits) - 1),
            ..Default::default()
        }
    }
}

impl Logic for Code {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, own_number, run_number, waits, held);
        clock!(self, clock, coder, queue);

        self.coder.reset.next = self.reset.val();
        self.coder.clear.next = false;
        self.marked.next = self.coder.marked.val();
        self.stopped.next = self.coder.stopped.val();

        // requests
        self.queue.reset.next = self.reset.val();
        self.queue.valid.next = self.valid.val();
        self.queue.from.next = bit_cast::<24, 2>(self.kind.val())
            | (bit_cast::<24, 8>(self.data.val()) << 2)
            | (bit_cast::<24, 4>(self.count.val()) << 10)
            | (bit_cast::<24, 9>(self.number.val()) << 14);
        self.queue.taken.next = self.coder.ready.val();
        self.request.next = self.queue.to.val();
        self.coder.valid.next = self.valid.val();
        self.coder.kind.next = self.kind.val();
        self.coder.data.next = self.data.val();
        self.coder.count.next = self.count.val();
        self.ready.next = self.coder.ready.val();
        self.busy.next = self.coder.busy.val();
        if self.many.val() {
            self.coder.valid.next = self.queue.have.val();
            self.coder.kind.next = self.request.val().get_bits::<2>(0);
            self.coder.data.next = self.request.val().get_bits::<8>(2);
            self.coder.count.next = self.request.val().get_bits::<4>(10);
            self.ready.next = self.queue.ready.val();
            self.busy.next = self.coder.busy.val() | self.queue.any.val();
        }

        // the oldest request: in doublings or bytes, or in the coder, or in the queue
        if self.coder.ready.val() {
            self.own_number.d.next = self.request.val().get_bits::<9>(14) & self.number_mask.val();
            self.waits.d.next = self.queue.have.val();
        }
        if self.coder.runs.val() {
            self.run_number.d.next = self.own_number.q.val();
        }
        self.known.next = true;
        self.oldest.next = self.run_number.q.val();
        if self.coder.runs.val() {
            self.oldest.next = self.own_number.q.val();
            if !self.waits.q.val() {
                self.oldest.next = self.request.val().get_bits::<9>(14) & self.number_mask.val();
                self.known.next = self.queue.have.val();
            }
        }
        if self.reset.val() {
            self.waits.d.next = false;
        }

        // bytes, and the word of three of them and the last one
        self.whole.next = self.coder.have.val() & self.coder.last_octet.val();
        self.enters.next = self.coder.have.val() & !self.coder.last_octet.val();
        self.moves.next = self.enters.val() | (self.taken.val() & !self.last.val());
        self.incoming.next = self.coder.octet.val();
        if self.moves.val() {
            self.held.d.next = (self.held.q.val() >> 8) | (bit_cast::<24, 8>(self.incoming.val()) << 16);
        }
        self.have.next = self.coder.have.val();
        self.octet.next = self.coder.octet.val();
        self.coder.taken.next = self.taken.val();
        if self.many.val() {
            self.have.next = self.whole.val();
            if !self.last.val() {
                self.octet.next = self.held.q.val().get_bits::<8>(0);
            }
            self.coder.taken.next = self.enters.val() | (self.taken.val() & self.last.val());
        }
    }
}
