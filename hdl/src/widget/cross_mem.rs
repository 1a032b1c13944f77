//! Memory written with one clock and read with another
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `wclock`, `we` | in | 1 | 1: write at a rising edge of `wclock` |
//! | `waddr` | in | A | word to write |
//! | `wdata` | in | D | its new value |
//! | `rclock` | in | 1 | rising edge |
//! | `raddr` | in | A | word to read |
//! | `rdata` | out | D | the word read at the last edge of `rclock` |
//!
//! # Timing
//! `rdata` follows `raddr` by one cycle of `rclock`. A word that is written less than one cycle of `rclock` before it is
//! read, or after that, is **undefined**, and so is a word that was never written: the reader must know from a
//! synchronised pointer that it was written. In simulation, a word that is written at the same time as it is read reads as
//! the complement of the new one.

use super::mem::{MemoryShape, Placement};
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// 2^A words of D bits.
#[derive(LogicBlock)]
pub struct CrossMem<const A: usize, const D: usize> {
    pub wclock: Signal<In, Clock>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<D>>,
    pub rclock: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, Bits<D>>,
    _words: Vec<Bits<D>>,
}

impl<const A: usize, const D: usize> Default for CrossMem<A, D> {
    fn default() -> Self {
        Self {
            wclock: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            rclock: Default::default(),
            raddr: Default::default(),
            rdata: Default::default(),
            _words: vec![Bits::default(); 1 << A],
        }
    }
}

impl<const A: usize, const D: usize> Logic for CrossMem<A, D> {
    fn update(&mut self) {
        let (read, write) = (self.raddr.val().index(), self.waddr.val().index());
        let writes = self.wclock.pos_edge() && self.we.val();
        if self.rclock.pos_edge() {
            self.rdata.next = if writes && write == read { !self.wdata.val() } else { self._words[read] };
        }
        if writes {
            self._words[write] = self.wdata.val();
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let shape = MemoryShape { fields: 1, clocks: 2, address: A, width: D, placement: Placement::Memory };
        Verilog::Custom(format!(
            "{shape}(* no_rw_check, ram_block *) reg [{msb}:0] mem [0:{last}];\n\
             reg [{msb}:0] q;\n\
             always @(posedge rclock) q <= mem[raddr];\n\
             always @(posedge wclock) if (we) mem[waddr] <= wdata;\n\
             always @(*) rdata = q;\n",
            msb = D - 1,
            last = (1 << A) - 1,
        ))
    }
}
