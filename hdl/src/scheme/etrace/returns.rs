//! Return stack of the implicit return mode
//!
//! Each call pushes the address after it, and on a full stack overwrites the oldest entry. A return to the top entry pops it; one to
//! another place leaves the stack unchanged. The stack is empty at each synchronization, in the same cycle.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, section 4.1.1, "Implicit return mode".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | 1 | an instruction is traced in this cycle |
//! | `begins` | in | 1 | it begins with a synchronization: the stack is empty before it |
//! | `push`, `pop` | in | 1 | it is a call, a return; both: neither |
//! | `link`, `target` | in | W | the address after it, that of the next instruction |
//! | `hit` | out | 1 | it is a return to the top entry |
//! | `wrong` | out | 1 | it is a return to another place, and the stack is not empty |
//! | `depth` | out | 6 | entries before it |
//!
//! # Timing
//! One instruction per cycle, and the outputs in its cycle: the top entry is in a register. All entries are in the memory, too, and
//! the one below the top is read in every cycle. It was written before the top, thus never in the cycle in which it is read.
//!
//! Golden model: `sim::baseline::etrace`, its tables.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A return stack, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Returns<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub step: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub link: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub hit: Signal<Out, Bit>,
    pub wrong: Signal<Out, Bit>,
    pub depth: Signal<Out, Bits<6>>,
    entries: DFF<Bits<6>>,
    level: DFF<Bits<5>>,
    top: DFF<Bits<W>>,
    words: Mem<5, W>,
    before: Signal<Local, Bits<6>>,
    calls: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    above: Signal<Local, Bits<5>>,
    next_level: Signal<Local, Bits<5>>,
    address: Fixed<Bits<W>>,
    most: Fixed<Bits<6>>,
    one: Fixed<Bits<6>>,
    one_5: Fixed<Bits<5>>,
}

impl<const W: usize> Returns<W> {
    /// A stack of 2^`log2` entries of `address_bits` bits; higher bits of `link` and `target` are ignored.
    ///
    /// # Panics
    /// Unless `log2` is 1 to 5.
    pub fn new(log2: u8, address_bits: usize) -> Self {
        assert!((1..=5).contains(&log2), "log2 = {log2} is outside 1..=5");
        Self {
            words: Mem::new(log2.into(), address_bits),
            address: Fixed::new(Bits::<W>::mask() >> (W - address_bits) as u64),
            most: Fixed::of(1u8 << log2),
            one: Fixed::of(1u8),
            one_5: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Returns<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, entries, level, top);
        clock!(self, clock, words);

        self.before.next = self.entries.q.val();
        if self.begins.val() {
            self.before.next = 0.into();
        }
        self.depth.next = self.before.val();
        self.calls.next = self.push.val() & !self.pop.val();
        self.returns.next = self.pop.val() & !self.push.val() & self.before.val().any();
        self.equal.next = self.top.q.val() == (self.target.val() & self.address.val());
        self.hit.next = self.returns.val() & self.equal.val();
        self.wrong.next = self.returns.val() & !self.equal.val();

        // the memory uses as many low bits of a place as it has
        self.above.next = self.level.q.val() + self.one_5.val();
        self.next_level.next = self.level.q.val();
        // any place does for an empty stack; but an unknown one stays unknown
        if self.step.val() & self.begins.val() {
            self.above.next = self.one_5.val();
            self.next_level.next = 0.into();
        }
        if self.step.val() {
            self.entries.d.next = self.before.val();
            if self.calls.val() {
                self.next_level.next = self.above.val();
                self.top.d.next = self.link.val() & self.address.val();
                if self.before.val() != self.most.val() {
                    self.entries.d.next = self.before.val() + self.one.val();
                }
            } else if self.hit.val() {
                self.next_level.next = self.level.q.val() - self.one_5.val();
                self.top.d.next = self.words.rdata.val();
                self.entries.d.next = self.before.val() - self.one.val();
            }
        }
        self.level.d.next = self.next_level.val();
        self.words.we.next = self.step.val() & self.calls.val();
        self.words.waddr.next = self.above.val();
        self.words.wdata.next = self.link.val();
        self.words.raddr.next = self.next_level.val() - self.one_5.val();
    }
}
