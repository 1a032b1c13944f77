//! Copy of stack words: those stored through `sp`
//!
//! A word is known from a store through `sp` until another store overwrites it. There are sixteen entries, selected by
//! bits 5:2 of the address, or 6:3 of a core of 64 bits. The tags of even and odd entries are in two memories, because one
//! store may touch one of each.
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
//! | `request`, `at` | in | 1, W | read request; address of the word |
//! | `word` | out | W | the entry of `at`, one cycle later |
//! | `valid_entries` | out | 16 | valid entries |
//! | `even`, `odd` | out | 28 or 60 | tags of the even and the odd entry, one cycle after `request`: address 31:6, 1:0, or 63:7, 2:0 |
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

/// A copy for words of `$w` bits, with tags of `$tag` bits: `$line` from bit `$line_at` of the address, and `$low` from bit 0. Bits from
/// `$low` on select an entry, those from `$pair_at` on a pair of entries.
macro_rules! stack {
    ($(#[$doc:meta])* $name:ident, $w:tt, $tag:tt: [$line:tt from $line_at:tt, $low:tt], $pair_at:tt) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            pub head: HeadIn<$w>,
            pub advance: Signal<In, Bit>,
            pub forget: Signal<In, Bit>,
            pub request: Signal<In, Bit>,
            pub at: Signal<In, Bits<$w>>,
            pub word: Signal<Out, Bits<$w>>,
            pub valid_entries: Signal<Out, Bits<16>>,
            pub even: Signal<Out, Bits<$tag>>,
            pub odd: Signal<Out, Bits<$tag>>,
            words: Mem<4, $w>,
            tag_even: Mem<3, $tag>,
            tag_odd: Mem<3, $tag>,
            there_: DFF<Bits<16>>,
            there_1: Signal<Local, Bits<16>>,
            store_tag: Signal<Local, Bits<$tag>>,
            store_bytes: Signal<Local, Bits<$w>>,
            store_end: Signal<Local, Bits<$w>>,
            push: Signal<Local, Bit>,
            touch: Signal<Local, Bit>,
            is_odd: Signal<Local, Bit>,
            end_odd: Signal<Local, Bit>,
            touch_even: DFF<Bit>,
            touch_odd: DFF<Bit>,
            even_at: DFF<Bits<3>>,
            odd_at: DFF<Bits<3>>,
            even_tag: DFF<Bits<$line>>,
            odd_tag: DFF<Bits<$line>>,
            even_wanted: Signal<Local, Bits<$tag>>,
            odd_wanted: Signal<Local, Bits<$tag>>,
            even_entry: Signal<Local, Bits<4>>,
            odd_entry: Signal<Local, Bits<4>>,
            invalidate_even: Signal<Local, Bit>,
            invalidate_odd: Signal<Local, Bit>,
            one: Fixed<Bits<4>>,
            _places: usize,
            // 1 where a store can have a double word
            _doubles: usize,
        }

        impl $name {
            /// A copy in which no word is known.
            pub fn new() -> Self {
                Self {
                    words: Mem::new(4, $w),
                    tag_even: Mem::new(3, $tag),
                    tag_odd: Mem::new(3, $tag),
                    one: Fixed::of(1u64),
                    _places: 16,
                    _doubles: ($w - 32) / 32,
                    ..Default::default()
                }
            }
        }

        impl Logic for $name {
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
                for _double in 0..self._doubles {
                    if self.head.size.val() == 3 {
                        self.store_bytes.next = 7.into();
                    }
                }
                self.store_end.next = self.head.address.val() + self.store_bytes.val();
                self.is_odd.next = self.head.address.val().get_bit($low);
                self.end_odd.next = self.store_end.val().get_bit($low);
                self.store_tag.next = (bit_cast::<$tag, $line>(self.head.address.val().get_bits::<$line>($line_at)) << $low)
                    | bit_cast::<$tag, $low>(self.head.address.val().get_bits::<$low>(0));
                self.words.we.next = self.push.val();
                self.words.waddr.next = self.head.address.val().get_bits::<4>($low);
                self.words.wdata.next = self.head.stored.val();
                self.words.raddr.next = self.at.val().get_bits::<4>($low);
                self.tag_even.we.next = self.push.val() & !self.is_odd.val();
                self.tag_even.waddr.next = self.head.address.val().get_bits::<3>($pair_at);
                self.tag_even.wdata.next = self.store_tag.val();
                self.tag_odd.we.next = self.push.val() & self.is_odd.val();
                self.tag_odd.waddr.next = self.head.address.val().get_bits::<3>($pair_at);
                self.tag_odd.wdata.next = self.store_tag.val();

                // words that another store touches are looked up first, and invalidated one cycle later
                self.touch_even.d.next = self.touch.val() & (!self.is_odd.val() | !self.end_odd.val());
                self.touch_odd.d.next = self.touch.val() & (self.is_odd.val() | self.end_odd.val());
                self.even_at.d.next = self.head.address.val().get_bits::<3>($pair_at);
                self.even_tag.d.next = self.head.address.val().get_bits::<$line>($line_at);
                if self.is_odd.val() {
                    self.even_at.d.next = self.store_end.val().get_bits::<3>($pair_at);
                    self.even_tag.d.next = self.store_end.val().get_bits::<$line>($line_at);
                }
                self.odd_at.d.next = self.store_end.val().get_bits::<3>($pair_at);
                self.odd_tag.d.next = self.store_end.val().get_bits::<$line>($line_at);
                if self.is_odd.val() {
                    self.odd_at.d.next = self.head.address.val().get_bits::<3>($pair_at);
                    self.odd_tag.d.next = self.head.address.val().get_bits::<$line>($line_at);
                }
                self.tag_even.raddr.next = self.head.address.val().get_bits::<3>($pair_at);
                if self.is_odd.val() {
                    self.tag_even.raddr.next = self.store_end.val().get_bits::<3>($pair_at);
                }
                self.tag_odd.raddr.next = self.store_end.val().get_bits::<3>($pair_at);
                if self.is_odd.val() {
                    self.tag_odd.raddr.next = self.head.address.val().get_bits::<3>($pair_at);
                }
                if self.request.val() {
                    self.tag_even.raddr.next = self.at.val().get_bits::<3>($pair_at);
                    self.tag_odd.raddr.next = self.at.val().get_bits::<3>($pair_at);
                }
                self.even_wanted.next = bit_cast::<$tag, $line>(self.even_tag.q.val()) << $low;
                self.odd_wanted.next = bit_cast::<$tag, $line>(self.odd_tag.q.val()) << $low;
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
                    if self.push.val() & (self.head.address.val().get_bits::<4>($low) == i.to_bits::<4>()) {
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
    };
}

stack! {
    /// A copy of stack words.
    Stack, 32, 28: [26 from 6, 2], 3
}
stack! {
    /// A copy of stack words of a core of 64 bits, which are double words.
    WideStack, 64, 60: [57 from 7, 3], 4
}
