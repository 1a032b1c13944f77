//! Copy of stack words: those stored through `sp`
//!
//! A word is known from a store through `sp` until another store overwrites it. There are sixteen entries, selected by
//! bits 5:2 of the address. The tags of even and odd entries are in two memories, because one store may touch one of
//! each.
//!
//! # Source
//! Original to this project.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: all words become unknown |
//! | `head`, `advance` | in | , 1 | the oldest instruction; it leaves the log |
//! | `forget` | in | 1 | the oldest instruction is the first after a reset: all words were unknown before it |
//! | `request`, `at` | in | 1, 32 | read request; address of the word |
//! | `word` | out | 32 | the entry at bits 5:2 of `at`, one cycle later |
//! | `valid_entries` | out | 16 | valid entries |
//! | `even`, `odd` | out | 28 | tags of the even and the odd entry, one cycle after `request`: address 31:6, 1:0 |
//!
//! # Timing
//! All outputs come from registers.
//!
//! Golden model: `sim::diag::full`.

use super::ports::HeadIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A copy of stack words.
#[derive(LogicBlock, Default)]
pub struct Stack {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub head: HeadIn<32>,
    pub advance: Signal<In, Bit>,
    pub forget: Signal<In, Bit>,
    pub request: Signal<In, Bit>,
    pub at: Signal<In, Bits<32>>,
    pub word: Signal<Out, Bits<32>>,
    pub valid_entries: Signal<Out, Bits<16>>,
    pub even: Signal<Out, Bits<28>>,
    pub odd: Signal<Out, Bits<28>>,
    words: Mem<4, 32>,
    tag_even: Mem<3, 28>,
    tag_odd: Mem<3, 28>,
    there_: DFF<Bits<16>>,
    there_1: Signal<Local, Bits<16>>,
    store_tag: Signal<Local, Bits<28>>,
    store_bytes: Signal<Local, Bits<32>>,
    store_end: Signal<Local, Bits<32>>,
    push: Signal<Local, Bit>,
    touch: Signal<Local, Bit>,
    is_odd: Signal<Local, Bit>,
    end_odd: Signal<Local, Bit>,
    touch_even: DFF<Bit>,
    touch_odd: DFF<Bit>,
    even_at: DFF<Bits<3>>,
    odd_at: DFF<Bits<3>>,
    even_tag: DFF<Bits<26>>,
    odd_tag: DFF<Bits<26>>,
    even_wanted: Signal<Local, Bits<28>>,
    odd_wanted: Signal<Local, Bits<28>>,
    even_entry: Signal<Local, Bits<4>>,
    odd_entry: Signal<Local, Bits<4>>,
    invalidate_even: Signal<Local, Bit>,
    invalidate_odd: Signal<Local, Bit>,
    one: Fixed<Bits<4>>,
    _places: usize,
}

impl Stack {
    /// A copy in which no word is known.
    pub fn new() -> Self {
        Self {
            words: Mem::new(4, 32),
            tag_even: Mem::new(3, 28),
            tag_odd: Mem::new(3, 28),
            one: Fixed::of(1u64),
            _places: 16,
            ..Default::default()
        }
    }
}

impl Logic for Stack {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there_, touch_even, touch_odd, even_at, odd_at, even_tag, odd_tag);
        clock!(self, clock, words, tag_even, tag_odd);
        self.push.next = self.advance.val() & self.head.store.val() & self.head.through_sp.val();
        self.touch.next = self.advance.val() & self.head.store.val() & !self.head.through_sp.val();
        self.store_bytes.next = 0.into();
        if self.head.size.val() == 1 {
            self.store_bytes.next = 1.into();
        }
        if self.head.size.val() == 2 {
            self.store_bytes.next = 3.into();
        }
        self.store_end.next = self.head.address.val() + self.store_bytes.val();
        self.is_odd.next = self.head.address.val().get_bit(2);
        self.end_odd.next = self.store_end.val().get_bit(2);
        self.store_tag.next = (bit_cast::<28, 26>(self.head.address.val().get_bits::<26>(6)) << 2)
            | bit_cast::<28, 2>(self.head.address.val().get_bits::<2>(0));
        self.words.we.next = self.push.val();
        self.words.waddr.next = self.head.address.val().get_bits::<4>(2);
        self.words.wdata.next = self.head.stored.val();
        self.words.raddr.next = self.at.val().get_bits::<4>(2);
        self.tag_even.we.next = self.push.val() & !self.is_odd.val();
        self.tag_even.waddr.next = self.head.address.val().get_bits::<3>(3);
        self.tag_even.wdata.next = self.store_tag.val();
        self.tag_odd.we.next = self.push.val() & self.is_odd.val();
        self.tag_odd.waddr.next = self.head.address.val().get_bits::<3>(3);
        self.tag_odd.wdata.next = self.store_tag.val();

        // words that another store touches are looked up first, and invalidated one cycle later
        self.touch_even.d.next = self.touch.val() & (!self.is_odd.val() | !self.end_odd.val());
        self.touch_odd.d.next = self.touch.val() & (self.is_odd.val() | self.end_odd.val());
        self.even_at.d.next = self.head.address.val().get_bits::<3>(3);
        self.even_tag.d.next = self.head.address.val().get_bits::<26>(6);
        if self.is_odd.val() {
            self.even_at.d.next = self.store_end.val().get_bits::<3>(3);
            self.even_tag.d.next = self.store_end.val().get_bits::<26>(6);
        }
        self.odd_at.d.next = self.store_end.val().get_bits::<3>(3);
        self.odd_tag.d.next = self.store_end.val().get_bits::<26>(6);
        if self.is_odd.val() {
            self.odd_at.d.next = self.head.address.val().get_bits::<3>(3);
            self.odd_tag.d.next = self.head.address.val().get_bits::<26>(6);
        }
        self.tag_even.raddr.next = self.head.address.val().get_bits::<3>(3);
        if self.is_odd.val() {
            self.tag_even.raddr.next = self.store_end.val().get_bits::<3>(3);
        }
        self.tag_odd.raddr.next = self.store_end.val().get_bits::<3>(3);
        if self.is_odd.val() {
            self.tag_odd.raddr.next = self.head.address.val().get_bits::<3>(3);
        }
        if self.request.val() {
            self.tag_even.raddr.next = self.at.val().get_bits::<3>(3);
            self.tag_odd.raddr.next = self.at.val().get_bits::<3>(3);
        }
        self.even_wanted.next = bit_cast::<28, 26>(self.even_tag.q.val()) << 2;
        self.odd_wanted.next = bit_cast::<28, 26>(self.odd_tag.q.val()) << 2;
        self.invalidate_even.next = self.touch_even.q.val() & (self.tag_even.rdata.val() == self.even_wanted.val());
        self.invalidate_odd.next = self.touch_odd.q.val() & (self.tag_odd.rdata.val() == self.odd_wanted.val());
        self.even_entry.next = bit_cast::<4, 3>(self.even_at.q.val()) << 1;
        self.odd_entry.next = (bit_cast::<4, 3>(self.odd_at.q.val()) << 1) | self.one.val();
        self.there_1.next = self.there_.q.val();
        if self.forget.val() {
            self.there_1.next = 0.into();
        }
        for i in 0..self._places {
            if (self.invalidate_even.val() & (self.even_entry.val() == i.to_bits::<4>()))
                | (self.invalidate_odd.val() & (self.odd_entry.val() == i.to_bits::<4>()))
            {
                self.there_1.next = self.there_1.val().replace_bit(i, false);
            }
            // a store through sp in this cycle takes precedence
            if self.push.val() & (self.head.address.val().get_bits::<4>(2) == i.to_bits::<4>()) {
                self.there_1.next = self.there_1.val().replace_bit(i, true);
            }
        }
        self.there_.d.next = self.there_1.val();
        if self.head.drop_all.val() {
            self.there_.d.next = 0.into();
        }

        self.word.next = self.words.rdata.val();
        self.valid_entries.next = self.there_.q.val();
        self.even.next = self.tag_even.rdata.val();
        self.odd.next = self.tag_odd.rdata.val();
        if self.reset.val() {
            self.there_.d.next = 0.into();
            self.touch_even.d.next = false;
            self.touch_odd.d.next = false;
        }
    }
}
