//! Delay line: the input, delayed by a number of cycles chosen at run time
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | 1: clears the line to 0 |
//! | `from` | in | W | input |
//! | `to` | out | W | the input, delayed |

use super::each::each;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A delay line of W bits.
#[derive(LogicBlock, Default)]
pub struct Delay<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub from: Signal<In, Bits<W>>,
    pub to: Signal<Out, Bits<W>>,
    stage: Vec<DFF<Bits<W>>>,
    tail: Signal<Local, Bits<W>>,
    _stages: usize,
}

impl<const W: usize> Delay<W> {
    /// A delay line of `clocks` cycles.
    pub fn new(clocks: usize) -> Self {
        Self { stage: each(clocks), _stages: clocks, ..Default::default() }
    }
}

impl<const W: usize> Logic for Delay<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.tail.next = self.from.val();
        for i in 0..self._stages {
            self.stage[i].clock.next = self.clock.val();
            self.stage[i].d.next = self.tail.val();
            if self.clear.val() {
                self.stage[i].d.next = 0.into();
            }
            self.tail.next = self.stage[i].q.val();
        }
        self.to.next = self.tail.val();
    }
}
