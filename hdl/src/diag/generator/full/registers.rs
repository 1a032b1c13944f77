//! Copy of the core's registers, as of the oldest instruction in the log
//!
//! # Source
//! Original to this project: paper 004 copies the register file when a trigger hits; this copy is updated by instructions as they leave the
//! log.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: all registers become unknown |
//! | `head`, `advance` | in | , 1 | the oldest instruction; it leaves the log |
//! | `written` | in | 32 | registers that instructions in the log write; unknown once these are dropped |
//! | `forget` | in | 1 | the oldest instruction is the first after a reset: all registers were unknown before it |
//! | `number` | in | 5 | register to read |
//! | `word` | out | W | its value, one cycle later |
//! | `known` | out | 32 | registers whose value is known |
//! | `ra`, `sp` | out | W | values of `x1`, `x2` |
//!
//! # Timing
//! All outputs come from registers.
//!
//! Golden model: `sim::diag::full`.

use super::ports::HeadIn;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A copy of the register file, of registers of W bits.
#[derive(LogicBlock, Default)]
pub struct Registers<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub head: HeadIn<W>,
    pub advance: Signal<In, Bit>,
    pub written: Signal<In, Bits<32>>,
    pub forget: Signal<In, Bit>,
    pub number: Signal<In, Bits<5>>,
    pub word: Signal<Out, Bits<W>>,
    pub known: Signal<Out, Bits<32>>,
    pub ra: Signal<Out, Bits<W>>,
    pub sp: Signal<Out, Bits<W>>,
    words: Mem<5, W>,
    known_: DFF<Bits<32>>,
    known_1: Signal<Local, Bits<32>>,
    not_written: Signal<Local, Bits<32>>,
    ra_: DFF<Bits<W>>,
    sp_: DFF<Bits<W>>,
    _registers: usize,
}

impl<const W: usize> Registers<W> {
    /// A copy in which no register is known.
    pub fn new() -> Self {
        Self { words: Mem::new(5, W), _registers: 32, ..Default::default() }
    }
}

impl<const W: usize> Logic for Registers<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, known_, ra_, sp_);
        clock!(self, clock, words);
        self.words.raddr.next = self.number.val();
        self.words.we.next = self.advance.val() & self.head.sets.val();
        self.words.waddr.next = self.head.rd.val();
        self.words.wdata.next = self.head.value.val();
        self.known_1.next = self.known_.q.val();
        if self.forget.val() {
            self.known_1.next = 0.into();
        }
        if self.advance.val() & self.head.sets.val() {
            for i in 0..self._registers {
                if self.head.rd.val() == i.to_bits::<5>() {
                    self.known_1.next = self.known_1.val().replace_bit(i, true);
                }
            }
            if self.head.rd.val() == 1 {
                self.ra_.d.next = self.head.value.val();
            }
            if self.head.rd.val() == 2 {
                self.sp_.d.next = self.head.value.val();
            }
        }
        self.not_written.next = !self.written.val();
        self.known_.d.next = self.known_1.val();
        if self.head.drop_all.val() {
            self.known_.d.next = self.known_.q.val() & self.not_written.val();
        }
        self.word.next = self.words.rdata.val();
        self.known.next = self.known_.q.val();
        self.ra.next = self.ra_.q.val();
        self.sp.next = self.sp_.q.val();
        if self.reset.val() {
            self.known_.d.next = 0.into();
        }
    }
}
