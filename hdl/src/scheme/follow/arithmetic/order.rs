//! Order: which word is sent next, and the bits before it
//!
//! Words are sent in the order of the requests that completed them, whichever coder finishes first. A word may be sent when no other core has
//! an older request. The cores are asked in turn.
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no word is partly sent |
//! | `have`, `busy`, `known` | in | 16 | bit i: core i has a word, a request that is not finished, and the number of the oldest one |
//! | `numbers[i]` | in | 9 | that number |
//! | `octets[i]` | in | 8 | the next byte of its word |
//! | `header` | in | 1 | the header is repeated |
//! | `marked`, `stopped` | in | 16 | bit i: core i begins a code with a sync; it has stopped |
//! | `core` | out | 4 | the core whose word is sent |
//! | `takes`, `last` | out | 1 | its byte is taken; it is the last one of the word |
//! | `valid`, `count`, `data` | out | 1, 4, 8 | bits of the stream |
//! | `ready` | in | 1 | they are taken |
//! | `sends` | out | 1 | a word is partly sent |
//!
//! # Timing
//! A word takes a cycle for the bits before it, and one for each byte. A core is asked every N cycles.

use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The order of the words of N cores.
#[derive(LogicBlock, Default)]
pub struct Order {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub have: Signal<In, Bits<16>>,
    pub busy: Signal<In, Bits<16>>,
    pub known: Signal<In, Bits<16>>,
    pub numbers: Vec<Signal<In, Bits<9>>>,
    pub octets: Vec<Signal<In, Bits<8>>>,
    pub header: Signal<In, Bit>,
    pub marked: Signal<In, Bits<16>>,
    pub stopped: Signal<In, Bits<16>>,
    pub core: Signal<Out, Bits<4>>,
    pub takes: Signal<Out, Bit>,
    pub last: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    pub count: Signal<Out, Bits<4>>,
    pub data: Signal<Out, Bits<8>>,
    pub ready: Signal<In, Bit>,
    pub sends: Signal<Out, Bit>,
    _cores: usize,
    // the core that is asked; what of its word was sent: nothing, the bits before it, bytes
    asked: DFF<Bits<4>>,
    part: DFF<Bits<3>>,
    // cores that have had no sync since the header was repeated; that have, but not its first word
    waiting: DFF<Bits<16>>,
    synced: DFF<Bits<16>>,
    number: Signal<Local, Bits<9>>,
    octet: Signal<Local, Bits<8>>,
    older: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    turn: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    this_core: Signal<Local, Bits<16>>,
    flagged: Signal<Local, Bits<16>>,
    first_bits: Signal<Local, Bits<8>>,
    ages: Vec<Signal<Local, Bits<9>>>,
    sync: Fixed<Bit>,
    half: Fixed<Bits<9>>,
    followers: Fixed<Bits<16>>,
    last_core: Fixed<Bits<4>>,
    ti_bits: Fixed<Bits<4>>,
    one_3: Fixed<Bits<3>>,
    four: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    one_16: Fixed<Bits<16>>,
    eight: Fixed<Bits<4>>,
}

impl Order {
    /// The order for `cores` cores, with numbers of `number_bits` bits; with `sync` the header can be repeated.
    ///
    /// # Panics
    /// Unless there are 2 to 16 cores.
    pub fn new(cores: usize, number_bits: usize, sync: bool) -> Self {
        assert!((2..=16).contains(&cores), "cores = {cores} is outside 2..=16");
        Self {
            numbers: each(cores),
            octets: each(cores),
            ages: each(cores),
            _cores: cores,
            sync: Fixed::new(sync),
            half: Fixed::of(1u64 << (number_bits - 1)),
            followers: Fixed::of((1u64 << cores) - 2),
            last_core: Fixed::of(cores as u64 - 1),
            ti_bits: Fixed::of(u64::from(cores.next_power_of_two().trailing_zeros())),
            one_3: Fixed::of(1u8),
            four: Fixed::of(4u8),
            one_4: Fixed::of(1u8),
            one_16: Fixed::of(1u8),
            eight: Fixed::of(8u8),
            ..Default::default()
        }
    }
}

impl Logic for Order {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked, part, waiting, synced);

        // the core that is asked: it has a word, and no other one has an older request
        self.number.next = 0.into();
        self.octet.next = 0.into();
        for i in 0..self._cores {
            if self.asked.q.val() == i.to_bits() {
                self.number.next = self.numbers[i].val();
                self.octet.next = self.octets[i].val();
            }
        }
        self.older.next = false;
        for k in 0..self._cores {
            self.ages[k].next = self.numbers[k].val() - self.number.val();
            if self.busy.val().get_bit(k)
                & (self.asked.q.val() != k.to_bits())
                & (!self.known.val().get_bit(k) | (self.ages[k].val() & self.half.val()).any())
            {
                self.older.next = true;
            }
        }
        self.this_core.next = self.one_16.val() << self.asked.q.val();
        self.offers.next = (self.have.val() & self.this_core.val()).any() & !self.older.val();
        self.sends.next = self.part.q.val().any();
        self.turn.next = self.sends.val() | self.offers.val();
        if !self.turn.val() {
            self.asked.d.next = self.asked.q.val() + self.one_4.val();
            if self.asked.q.val() == self.last_core.val() {
                self.asked.d.next = 0.into();
            }
        }

        // its number, whether a code begins with the word if that must be said, and its bytes
        self.waits.next = (self.waiting.q.val() & self.this_core.val()).any() & self.sync.val();
        self.begins.next = (self.synced.q.val() & self.this_core.val()).any();
        self.first_bits.next = bit_cast::<8, 4>(self.asked.q.val());
        if self.begins.val() & self.waits.val() {
            self.first_bits.next = bit_cast::<8, 4>(self.asked.q.val())
                | (bit_cast::<8, 1>(self.begins.val().into()) << bit_cast::<8, 4>(self.ti_bits.val()));
        }
        self.valid.next = self.turn.val();
        self.data.next = self.octet.val();
        self.count.next = self.eight.val();
        if !self.sends.val() {
            self.data.next = self.first_bits.val();
            self.count.next = self.ti_bits.val();
            if self.waits.val() {
                self.count.next = self.ti_bits.val() + self.one_4.val();
            }
        }
        self.core.next = self.asked.q.val();
        self.last.next = self.part.q.val() == self.four.val();
        self.takes.next = self.sends.val() & self.ready.val();
        self.done.next = self.takes.val() & self.last.val();
        if self.turn.val() & self.ready.val() {
            self.part.d.next = self.part.q.val() + self.one_3.val();
        }
        if self.done.val() {
            self.part.d.next = 0.into();
        }

        // after a repeated header; what one core does must not hide what another one does in the same cycle
        self.flagged.next = 0.into();
        if self.done.val() & self.begins.val() {
            self.flagged.next = self.this_core.val();
        }
        self.synced.d.next = (self.synced.q.val() | (self.marked.val() & self.waiting.q.val())) & !self.flagged.val();
        self.waiting.d.next = self.waiting.q.val() & !self.stopped.val() & !self.flagged.val();
        if self.header.val() {
            self.waiting.d.next = self.followers.val();
            self.synced.d.next = 0.into();
        }
        if self.reset.val() {
            self.asked.d.next = 0.into();
            self.part.d.next = 0.into();
            self.waiting.d.next = 0.into();
            self.synced.d.next = 0.into();
        }
    }
}
