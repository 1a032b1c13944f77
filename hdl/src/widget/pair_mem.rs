//! Memory written two fields at a time and read one field at a time
//!
//! As [`super::field_mem`], with two fields.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `raddr` | in | A | entry to read; bits above the address width are ignored |
//! | `second` | in | 1 | the field to read |
//! | `rdata` | out | W | the field read at the last edge; bits above the field width are 0 |
//! | `we` | in | 1 | 1: write |
//! | `waddr` | in | A | entry to write; as `raddr` |
//! | `w0`, `w1` | in | W | fields to write; bits above the field width are ignored |
//!
//! # Timing
//! As [`super::field_mem`]; an entry that is read in the cycle in which it is written is **undefined**.

use super::mem::{MemoryShape, Placement};
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// 2^`address_bits` entries of two fields of `width` bits, or none.
#[derive(LogicBlock, Default)]
pub struct PairMem<const A: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub second: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub w0: Signal<In, Bits<W>>,
    pub w1: Signal<In, Bits<W>>,
    _address_bits: usize,
    _width: usize,
    _mask: Bits<W>,
    _words: Vec<[Bits<W>; 2]>,
}

impl<const A: usize, const W: usize> PairMem<A, W> {
    /// A memory of 2^`address_bits` entries of two fields of `width` bits. With `width` 0 there is none, and it reads
    /// 0.
    ///
    /// # Panics
    /// Unless 1 <= `address_bits` <= A, A >= 2 and `width` is 0 or 2 <= `width` <= W.
    pub fn new(address_bits: usize, width: usize) -> Self {
        assert!(A >= 2 && (1..=A).contains(&address_bits), "address_bits = {address_bits} is outside 1..={A}");
        assert!(width == 0 || (2..=W).contains(&width), "width = {width} is neither 0 nor in 2..={W}");
        Self {
            _address_bits: address_bits,
            _width: width,
            _mask: if width == 0 { Bits::default() } else { Bits::<W>::mask() >> (W - width) as u64 },
            _words: vec![[Bits::default(); 2]; 1 << address_bits],
            ..Default::default()
        }
    }
}

impl<const A: usize, const W: usize> Logic for PairMem<A, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let low = self._words.len() - 1;
            let (read, second) = (self.raddr.val().index() & low, usize::from(self.second.val()));
            self.rdata.next = self._words[read][second];
            if self.we.val() {
                let write = self.waddr.val().index() & low;
                self._words[write] = [self.w0.val(), self.w1.val()].map(|w| w & self._mask);
                if write == read {
                    self.rdata.next = !self._words[write][second] & self._mask;
                }
            }
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let shape = MemoryShape {
            fields: 2,
            clocks: 1,
            address: self._address_bits,
            width: self._width,
            placement: Placement::Auto,
        };
        if self._width == 0 {
            return Verilog::Custom(format!("{shape}always @(*) rdata = {W}'d0;\n"));
        }
        let (top, msb) = (self._address_bits - 1, self._width - 1);
        let pad = if self._width < W { format!("{{{}'d0, q}}", W - self._width) } else { "q".to_string() };
        Verilog::Custom(format!(
            "{shape}(* no_rw_check *) reg [{msb}:0] mem [0:{last}];\n\
             reg [{msb}:0] q;\n\
             always @(posedge clock) q <= mem[{{raddr[{top}:0], second}}];\n\
             always @(posedge clock) if (we) begin\n    \
             mem[{{waddr[{top}:0], 1'd0}}] <= w0[{msb}:0];\n    \
             mem[{{waddr[{top}:0], 1'd1}}] <= w1[{msb}:0];\nend\n\
             always @(*) rdata = {pad};\n",
            last = (2 << self._address_bits) - 1,
        ))
    }
}
