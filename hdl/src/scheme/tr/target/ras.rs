//! RAS: return address stack
//!
//! A circular stack in RAM. A call pushes the address after it, a return pops and is compared with the popped
//! address. A push on a full stack overwrites the oldest entry; an empty stack predicts nothing.
//!
//! # Source
//! Paper 000 section 5, paper 003 section 4.3; the pop-then-push case: RISC-V unprivileged ISA,
//! "Unconditional Jumps".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | S2 | 1: back to the position at power-up; the stack is emptied by `live` |
//! | `live` | in | 1 | S2 | 0: the stack is being emptied, which takes r cycles |
//! | `push`, `pop` | in | 1 | S2 | operation of the instruction; both: pop, then push; `push` only with `live` |
//! | `link` | in | W | S2 | address to push |
//! | `target` | in | W | S3 | actual target of the instruction that was in S2 one cycle ago |
//! | `hit` | out | 1 | S3 | the stack was not empty, and its top was `target` |
//!
//! # Timing
//! One instruction per cycle, of any type. `hit` is combinational from `target` and the memory.
//!
//! # Area
//! * Reads and writes happen in the same stage, so every write is complete when the next instruction reads.
//!   Only pop-then-push would read and write one word in one cycle. So each level has two words, and a bit per
//!   level (`bank`, a shift register that moves with the stack) selects the valid one;
//!   pop-then-push switches to the other.
//! * There is no count of entries. A word has a valid bit. A popped word is invalidated in the
//!   next cycle, in the level above the top, where a push would write: a push makes this unnecessary.
//!   (If a pop-then-push takes the write port, the invalidation stays pending.) A stack is empty if all its
//!   words are invalid. Then the position of the top does not matter, so a pop from an empty stack may
//!   move it. Emptying is popping r times.
//!
//! Golden model: [`sim::scheme::tr::target::ras`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;

/// A return address stack, for addresses of less than W bits.
#[derive(crate::LogicBlock, Default)]
pub struct Ras<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub link: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub hit: Signal<Out, Bit>,
    // S2
    top: DFF<Bits<5>>,
    bank: DFF<Bits<32>>,
    popped: DFF<Bit>,
    do_push: Signal<Local, Bit>,
    do_pop: Signal<Local, Bit>,
    swap: Signal<Local, Bit>,
    top_bank: Signal<Local, Bit>,
    other_bank: Signal<Local, Bit>,
    write_bank: Signal<Local, Bit>,
    above: Signal<Local, Bits<5>>,
    below: Signal<Local, Bits<5>>,
    write_slot: Signal<Local, Bits<5>>,
    words: Mem<6, W>,
    // S3
    want: Signal<Local, Bits<W>>,
    // r ones; valid bit and address bits of a word
    levels: Fixed<Bits<32>>,
    word: Fixed<Bits<W>>,
    valid: Fixed<Bits<W>>,
}

impl<const W: usize> Ras<W> {
    /// A stack of `size` entries (0, 8, 16 or 32) of `address_bits` bits; higher bits of `link` and
    /// `target` are ignored.
    ///
    /// # Panics
    /// For another size, or unless `address_bits` < W: the valid bit is stored with the address.
    pub fn new(size: u8, address_bits: usize) -> Self {
        assert!(matches!(size, 0 | 8 | 16 | 32), "size = {size} is outside 0, 8, 16 or 32");
        assert!((1..W).contains(&address_bits), "address_bits = {address_bits} is outside 1..{W}");
        let slot_bits = if size == 0 { 1 } else { size.trailing_zeros() as usize };
        let word_bits = if size == 0 { 0 } else { address_bits + 1 };
        Self {
            words: Mem::new(slot_bits + 1, word_bits),
            levels: Fixed::of((1u64 << size) - 1),
            word: Fixed::new(Bits::<W>::mask() >> (W - address_bits - 1) as u64),
            valid: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Ras<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, top, bank, popped);
        self.words.clock.next = self.clock.val();

        // S2
        self.do_push.next = self.push.val();
        self.do_pop.next = self.pop.val() | !self.live.val();
        self.swap.next = self.do_push.val() & self.do_pop.val();
        self.top_bank.next = self.bank.q.val().get_bit(0);
        self.other_bank.next = !self.top_bank.val();
        self.above.next = self.top.q.val() + 1;
        self.below.next = self.top.q.val() - 1;
        self.write_slot.next = self.above.val();
        self.write_bank.next = false;
        if self.swap.val() {
            self.write_slot.next = self.top.q.val();
            self.write_bank.next = self.other_bank.val();
            self.bank.d.next = self.bank.q.val().replace_bit(0, self.other_bank.val());
        } else if self.do_push.val() {
            self.top.d.next = self.above.val();
            self.bank.d.next = (self.bank.q.val() << 1) & self.levels.val();
        } else if self.do_pop.val() {
            self.top.d.next = self.below.val();
            self.bank.d.next = self.bank.q.val() >> 1;
        }
        // any position will do, but it must be a known one: otherwise unknown values persist in simulation
        if self.clear.val() {
            self.top.d.next = 0.into();
            self.bank.d.next = 0.into();
        }
        self.popped.d.next = (self.do_pop.val() & !self.do_push.val()) | (self.popped.q.val() & self.swap.val());

        self.words.raddr.next =
            (bit_cast::<6, 5>(self.top.q.val()) << 1) | bit_cast::<6, 1>(self.top_bank.val().into());
        self.words.waddr.next =
            (bit_cast::<6, 5>(self.write_slot.val()) << 1) | bit_cast::<6, 1>(self.write_bank.val().into());
        self.words.we.next = self.do_push.val() | self.popped.q.val();
        self.words.wdata.next = self.link.val() << 1;
        if self.do_push.val() {
            self.words.wdata.next = (self.link.val() << 1) | self.valid.val();
        }

        // S3
        self.want.next = ((self.target.val() << 1) | self.valid.val()) & self.word.val();
        self.hit.next = self.words.rdata.val() == self.want.val();
    }
}
