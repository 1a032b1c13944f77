//! Return addresses: a ring without a depth
//!
//! # Source
//! As in the golden model; the two words of each position are those of [`crate::scheme::tr::target::ras`].
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: the position at power-up; the addresses are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: word `at` becomes 0; `push` must be 0 |
//! | `push`, `pop` | in | 1 | S2 | operation of the instruction; both: pop, then push |
//! | `link` | in | W | S2 | address to push |
//! | `top` | out | W | S3 | the newest address before the operation |
//!
//! # Timing
//! One instruction per cycle. Reads and writes happen in the same stage, so that every write is complete when the next instruction reads.
//! Only pop-then-push would read and write one word at once: so each position has two words, and a bit that selects the valid one.
//!
//! Golden model: [`sim::scheme::follow::stack`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A ring of at most 64 addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Stack<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub push: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub link: Signal<In, Bits<W>>,
    pub top: Signal<Out, Bits<W>>,
    position: DFF<Bits<6>>,
    second: DFF<Bits<64>>,
    moved: Signal<Local, Bits<64>>,
    own: Signal<Local, Bits<64>>,
    own_second: Signal<Local, Bit>,
    other_second: Signal<Local, Bit>,
    above: Signal<Local, Bits<6>>,
    above_moved: Signal<Local, Bits<64>>,
    write_position: Signal<Local, Bits<6>>,
    write_second: Signal<Local, Bit>,
    words: Mem<7, W>,
    mask: Fixed<Bits<6>>,
    one: Fixed<Bits<6>>,
    one_64: Fixed<Bits<64>>,
}

impl<const W: usize> Stack<W> {
    /// A ring of 2^`log2` addresses of `address_bits` bits.
    ///
    /// # Panics
    /// Unless 1 <= `log2` <= 6 and 1 <= `address_bits` <= W.
    pub fn new(log2: usize, address_bits: usize) -> Self {
        assert!((1..=6).contains(&log2), "log2 = {log2} is outside 1..=6");
        Self {
            words: Mem::new(log2 + 1, address_bits),
            mask: Fixed::of((1u64 << log2) - 1),
            one: Fixed::of(1u64),
            one_64: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Stack<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, position, second);
        clock!(self, clock, words);
        self.above.next = (self.position.q.val() + self.one.val()) & self.mask.val();
        self.moved.next = self.second.q.val() >> self.position.q.val();
        self.above_moved.next = self.second.q.val() >> self.above.val();
        self.own_second.next = self.moved.val().get_bit(0);
        self.other_second.next = !self.own_second.val();
        self.own.next = self.one_64.val() << self.position.q.val();

        self.write_position.next = self.above.val();
        self.write_second.next = self.above_moved.val().get_bit(0);
        if self.push.val() & self.pop.val() {
            self.write_position.next = self.position.q.val();
            self.write_second.next = self.other_second.val();
            self.second.d.next = self.second.q.val() ^ self.own.val();
        } else if self.push.val() {
            self.position.d.next = self.above.val();
        } else if self.pop.val() {
            self.position.d.next = (self.position.q.val() - self.one.val()) & self.mask.val();
        }
        if self.clear.val() {
            self.position.d.next = 0.into();
            self.second.d.next = 0.into();
        }
        self.words.raddr.next =
            (bit_cast::<7, 6>(self.position.q.val()) << 1) | bit_cast::<7, 1>(self.own_second.val().into());
        self.words.we.next = self.push.val() | self.sweep.val();
        self.words.waddr.next =
            (bit_cast::<7, 6>(self.write_position.val()) << 1) | bit_cast::<7, 1>(self.write_second.val().into());
        self.words.wdata.next = self.link.val();
        if self.sweep.val() {
            self.words.waddr.next = self.at.val().get_bits::<7>(0);
            self.words.wdata.next = 0.into();
        }
        self.top.next = self.words.rdata.val();
    }
}
