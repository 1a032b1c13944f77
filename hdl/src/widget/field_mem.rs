//! Memory written one entry at a time and read one field at a time
//!
//! Four fields are written together and read one at a time. The selection costs no logic: block RAM with a write port
//! four times as wide as its read port does it (iCE40, ECP5).
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `raddr` | in | A | entry to read; bits above the address width are ignored |
//! | `field` | in | 2 | the field to read |
//! | `rdata` | out | W | the field read at the last edge; bits above the field width are 0 |
//! | `we` | in | 1 | 1: write |
//! | `waddr` | in | A | entry to write; as `raddr` |
//! | `w0` .. `w3` | in | W | fields to write; bits above the field width are ignored |
//!
//! # Timing
//! `rdata` follows `raddr` and `field` by one cycle. An entry that is read in the cycle in which it is written is
//! **undefined** (in simulation, the complement), as in [`super::mem`], and so is an entry that was never written (in
//! simulation, 0).

use super::mem::{MemoryShape, Placement};
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// 2^`address_bits` entries of four fields of `width` bits, or none.
#[derive(LogicBlock, Default)]
pub struct FieldMem<const A: usize, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub field: Signal<In, Bits<2>>,
    pub rdata: Signal<Out, Bits<W>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub w0: Signal<In, Bits<W>>,
    pub w1: Signal<In, Bits<W>>,
    pub w2: Signal<In, Bits<W>>,
    pub w3: Signal<In, Bits<W>>,
    _address_bits: usize,
    _width: usize,
    _mask: Bits<W>,
    _words: Vec<[Bits<W>; 4]>,
}

impl<const A: usize, const W: usize> FieldMem<A, W> {
    /// A memory of 2^`address_bits` entries of four fields of `width` bits. With `width` 0 there is none, and it reads
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
            _words: vec![[Bits::default(); 4]; 1 << address_bits],
            ..Default::default()
        }
    }
}

impl<const A: usize, const W: usize> Logic for FieldMem<A, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let low = self._words.len() - 1;
            let (read, field) = (self.raddr.val().index() & low, self.field.val().index());
            self.rdata.next = self._words[read][field];
            if self.we.val() {
                let write = self.waddr.val().index() & low;
                let fields = [self.w0.val(), self.w1.val(), self.w2.val(), self.w3.val()];
                self._words[write] = fields.map(|w| w & self._mask);
                if write == read {
                    self.rdata.next = !self._words[write][field] & self._mask;
                }
            }
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let shape = MemoryShape {
            fields: 4,
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
        let writes: String =
            (0..4).map(|i| format!("    mem[{{waddr[{top}:0], 2'd{i}}}] <= w{i}[{msb}:0];\n")).collect();
        Verilog::Custom(format!(
            "{shape}(* no_rw_check *) reg [{msb}:0] mem [0:{last}];\n\
             reg [{msb}:0] q;\n\
             always @(posedge clock) q <= mem[{{raddr[{top}:0], field}}];\n\
             always @(posedge clock) if (we) begin\n{writes}end\n\
             always @(*) rdata = {pad};\n",
            last = (4 << self._address_bits) - 1,
        ))
    }
}
