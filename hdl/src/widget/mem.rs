//! Memory with one read and one write port; depth and width are chosen at run time
//!
//! The ports have the widths of the type; the memory inside has those given to the constructor, so that one type serves
//! every parameter set. Maps to block RAM, or to LUT RAM if that is smaller.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `raddr` | in | A | word to read; bits above the address width are ignored |
//! | `rdata` | out | D | the word read at the last edge; bits above the word width are 0 |
//! | `we` | in | 1 | 1: write |
//! | `waddr` | in | A | word to write; as `raddr` |
//! | `wdata` | in | D | word to write; bits above the word width are ignored |
//!
//! # Timing
//! `rdata` follows `raddr` by one cycle. A word that is read in the cycle in which it is written is **undefined**: the
//! memory has the attribute `no_rw_check`, so that synthesis adds no logic for this case, and a reader must get the new
//! word elsewhere. In simulation, such a read returns the complement of the new word, so that a circuit that depends on
//! it fails. Contents at power-up are undefined, too (in simulation, 0): circuits clear what they need.

use crate::LogicBlock;
use rust_hdl::prelude::*;
use std::fmt;

/// The shape of a memory. Its Verilog contains it in the first line, where [`crate::verilog`] finds it: there, all
/// memories of a system are instances of one module with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShape {
    /// Fields that are written together and read one at a time; 1: whole words.
    pub fields: usize,
    /// Bits of a word's address.
    pub address: usize,
    /// Bits of a word, or of one of its fields. 0: there is no memory, and it reads 0.
    pub width: usize,
    /// Clocks: 1, or 2 if words are read with another one than they are written with.
    pub clocks: usize,
    /// Where synthesis puts it.
    pub placement: Placement,
}

/// Kind of memory cells that synthesis is asked to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Synthesis decides; small memories may become flip-flops.
    Auto,
    /// A memory of any size, never flip-flops: LUT RAM if there is any, else block RAM.
    Memory,
    /// Block RAM, whatever the size.
    Block,
}

impl Placement {
    const NAMES: [(Self, &'static str); 3] = [(Self::Auto, "auto"), (Self::Memory, "memory"), (Self::Block, "block")];

    /// The attribute for Yosys, to be written after another attribute.
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::Auto => "",
            Self::Memory => ", ram_block",
            Self::Block => ", ram_style = \"block\"",
        }
    }
}

impl MemoryShape {
    /// The shape in the first line of `verilog`, if it is the text of a memory.
    pub fn of(verilog: &str) -> Option<Self> {
        let mut words = verilog.lines().next()?.strip_prefix("// memory: ")?.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (fields, clocks, address, width) = (number()?, number()?, number()?, number()?);
        let name = words.next()?;
        let (placement, _) = *Placement::NAMES.iter().find(|(_, n)| *n == name)?;
        Some(Self { fields, clocks, address, width, placement })
    }
}

impl fmt::Display for MemoryShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let placement = Placement::NAMES.iter().find(|(p, _)| *p == self.placement).map_or("", |(_, name)| name);
        writeln!(f, "// memory: {} {} {} {} {placement}", self.fields, self.clocks, self.address, self.width)
    }
}

/// 2^`address_bits` words of `width` bits, or none.
#[derive(LogicBlock)]
pub struct Mem<const A: usize, const D: usize> {
    pub clock: Signal<In, Clock>,
    pub raddr: Signal<In, Bits<A>>,
    pub rdata: Signal<Out, Bits<D>>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<D>>,
    _address_bits: usize,
    _width: usize,
    _mask: Bits<D>,
    _placement: Placement,
    _words: Vec<Bits<D>>,
}

impl<const A: usize, const D: usize> Mem<A, D> {
    /// A memory of 2^`address_bits` words of `width` bits. With `width` 0 there is none, and it reads 0.
    ///
    /// # Panics
    /// Unless 1 <= `address_bits` <= A and `width` <= D.
    pub fn new(address_bits: usize, width: usize) -> Self {
        assert!((1..=A).contains(&address_bits), "address_bits = {address_bits} is outside 1..={A}");
        assert!(width <= D, "width = {width} is outside 0..={D}");
        let mask = if width == 0 { Bits::default() } else { Bits::<D>::mask() >> (D - width) as u64 };
        Self {
            _address_bits: address_bits,
            _width: width,
            _mask: mask,
            _placement: Placement::Auto,
            _words: vec![Bits::default(); 1 << address_bits],
            clock: Default::default(),
            raddr: Default::default(),
            rdata: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
        }
    }

    /// Puts the memory in block RAM, whatever its size.
    pub fn in_block(mut self) -> Self {
        self._placement = Placement::Block;
        self
    }

    /// Puts the memory in LUT RAM or block RAM, whatever its size, never in flip-flops.
    pub fn in_memory(mut self) -> Self {
        self._placement = Placement::Memory;
        self
    }
}

impl<const A: usize, const D: usize> Default for Mem<A, D> {
    /// As deep and as wide as its ports.
    fn default() -> Self {
        Self::new(A, D)
    }
}

impl<const A: usize, const D: usize> Logic for Mem<A, D> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let low = self._words.len() - 1;
            let read = self.raddr.val().index() & low;
            self.rdata.next = self._words[read];
            if self.we.val() {
                let write = self.waddr.val().index() & low;
                self._words[write] = self.wdata.val() & self._mask;
                if write == read {
                    self.rdata.next = !self.wdata.val() & self._mask;
                }
            }
        }
    }

    fn connect(&mut self) {
        self.rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let (depth, width, top) = (1 << self._address_bits, self._width, self._address_bits - 1);
        let shape =
            MemoryShape { fields: 1, clocks: 1, address: self._address_bits, width, placement: self._placement };
        if width == 0 {
            return Verilog::Custom(format!("{shape}always @(*) rdata = {D}'d0;\n"));
        }
        let address = |name: &str| if A == 1 { name.to_string() } else { format!("{name}[{top}:0]") };
        let pad = if width < D { format!("{{{}'d0, q}}", D - width) } else { "q".to_string() };
        Verilog::Custom(format!(
            "{shape}(* no_rw_check{style} *) reg [{msb}:0] mem [0:{last}];\n\
             reg [{msb}:0] q;\n\
             always @(posedge clock) q <= mem[{raddr}];\n\
             always @(posedge clock) if (we) mem[{waddr}] <= wdata[{msb}:0];\n\
             always @(*) rdata = {pad};\n",
            style = self._placement.attribute(),
            msb = width - 1,
            last = depth - 1,
            raddr = address("raddr"),
            waddr = address("waddr"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_memory_says_of_itself_is_understood() {
        let Verilog::Custom(text) = Mem::<8, 9>::new(3, 7).in_block().hdl() else { panic!("no text") };
        assert_eq!(
            MemoryShape::of(&text),
            Some(MemoryShape { fields: 1, clocks: 1, address: 3, width: 7, placement: Placement::Block })
        );
        assert_eq!(MemoryShape::of("always @(*) q = d;"), None);
    }
}
