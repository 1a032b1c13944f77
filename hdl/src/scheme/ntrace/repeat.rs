//! Repeated history: the last full history of each core, and how often it came
//!
//! The encoder holds back a full history, and counts those that are equal to it.
//!
//! # Source
//! RISC-V N-Trace 1.0, "Optimization Extensions"; the choices: `docs/reference/ntrace.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no history is held |
//! | `core` | in | 4 | the core whose entry is next |
//! | `hist` | in | 32 | history of the entry |
//! | `add` | in | 1 | 1: `hist` is counted if it `merges`, otherwise held in place of the one before |
//! | `clear` | in | 1 | 1: the history of `core` is no longer held |
//! | `merges` | out | 1 | `hist` is equal to the history that is held, and the count is not at its maximum |
//! | `holds` | out | 1 | a history is held |
//! | `held` | out | 32 | it |
//! | `count` | out | 18 | how often it came, 1 to 2^18 - 1 |
//!
//! # Timing
//! `holds` responds in the same cycle. With one core, `merges` comes one cycle after `hist` and after an `add`, and `held` and `count` one cycle
//! after an `add`. With more cores, whose histories are in a memory of one word each, `merges` comes three cycles after an `add` and two after
//! `core`, the others one cycle earlier.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Bits of a full history: 30 outcomes and the stop bit.
const HIST_BITS: usize = 31;
/// Bits of HREPEAT.
const COUNT_BITS: usize = 18;

/// The histories of all cores.
#[derive(LogicBlock, Default)]
pub struct Repeat {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub core: Signal<In, Bits<4>>,
    pub hist: Signal<In, Bits<32>>,
    pub add: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub merges: Signal<Out, Bit>,
    pub holds: Signal<Out, Bit>,
    pub held: Signal<Out, Bits<32>>,
    pub count: Signal<Out, Bits<18>>,
    // whether there is one, by core; with one core bit 0
    any: DFF<Bits<16>>,
    own_held: DFF<Bits<32>>,
    own_count: DFF<Bits<18>>,
    held_mem: Mem<4, 32>,
    count_mem: Mem<4, 32>,
    held_now: Signal<Local, Bits<32>>,
    count_now: Signal<Local, Bits<18>>,
    next_count: Signal<Local, Bits<18>>,
    merging: Signal<Local, Bit>,
    holding: Signal<Local, Bit>,
    own_bit: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    same: DFF<Bit>,
    many: Fixed<Bit>,
    one: Fixed<Bits<18>>,
    one_16: Fixed<Bits<16>>,
}

impl Repeat {
    /// The block for this many cores.
    pub fn new(cores: u8) -> Self {
        const { assert!(COUNT_BITS == 18 && HIST_BITS <= 32, "the widths of the registers") };
        let many = cores > 1;
        let ti_bits = u32::from(cores).next_power_of_two().trailing_zeros() as usize;
        let width = |bits| if many { bits } else { 0 };
        Self {
            held_mem: Mem::new(ti_bits.max(1), width(HIST_BITS)),
            count_mem: Mem::new(ti_bits.max(1), width(COUNT_BITS)),
            many: Fixed::new(many),
            one: Fixed::of(1u8),
            one_16: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for Repeat {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, any, own_held, own_count, same);
        clock!(self, clock, held_mem, count_mem);
        self.held_now.next = self.own_held.q.val();
        self.count_now.next = self.own_count.q.val();
        self.own_bit.next = self.one_16.val();
        if self.many.val() {
            self.own_bit.next = self.one_16.val() << self.core.val();
        }
        if self.many.val() {
            self.held_now.next = self.held_mem.rdata.val();
            self.count_now.next = self.count_mem.rdata.val().get_bits::<18>(0);
        }
        self.holding.next = (self.any.q.val() & self.own_bit.val()).any();
        self.holds.next = self.holding.val();
        // from a register, as it follows the memory of the entries
        self.same.d.next = self.hist.val() == self.held_now.val();
        self.merging.next = self.holding.val() & self.same.q.val() & !self.count_now.val().all();
        self.merges.next = self.merging.val();
        self.held.next = self.held_now.val();
        self.count.next = self.count_now.val();

        self.next_count.next = self.one.val();
        if self.merging.val() {
            self.next_count.next = self.count_now.val() + self.one.val();
        }
        self.held_mem.raddr.next = self.core.val();
        self.held_mem.waddr.next = self.core.val();
        self.held_mem.wdata.next = self.hist.val();
        self.held_mem.we.next = self.add.val() & self.many.val();
        self.count_mem.raddr.next = self.core.val();
        self.count_mem.waddr.next = self.core.val();
        self.count_mem.wdata.next = bit_cast::<32, 18>(self.next_count.val());
        self.count_mem.we.next = self.add.val() & self.many.val();
        if self.add.val() {
            self.own_held.d.next = self.hist.val();
            self.own_count.d.next = self.next_count.val();
            self.any.d.next = self.any.q.val() | self.own_bit.val();
        }
        self.others.next = !self.own_bit.val();
        if self.clear.val() {
            self.any.d.next = self.any.q.val() & self.others.val();
        }
        if self.reset.val() {
            self.any.d.next = 0.into();
        }
    }
}
