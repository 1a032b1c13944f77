//! Copy of a core's registers and of the top of its stack, from retired instructions
//!
//! A register is known once it has been written. A stack word, which is as wide as a register, is known if it was stored
//! through the stack pointer; these words are kept in a direct-mapped table by address. Callers pass the arguments that do
//! not fit in registers in this way.
//!
//! # Source
//! Paper 004 section 4.1: register write-back is observed; stores relative to the stack pointer recreate the frame.

/// A copy of registers and stack words.
#[derive(Clone, Debug)]
pub struct Shadow {
    registers: [u64; 32],
    known: u32,
    stack: Vec<Option<(u64, u64)>>,
    /// Width of a register and of a stack word, bytes.
    width: u8,
}

/// Whether an instruction stores a register through `sp` (x2): `sw rs2, imm(sp)`, on RV64 `sd`, and the compressed form.
pub fn stores_word_through_sp(insn: u32, len: u8, xlen: u8) -> bool {
    let wide = xlen == 64;
    if len == 2 {
        // c.swsp: funct3 110, op 10; c.sdsp: funct3 111
        return insn & 0xe003 == if wide { 0xe002 } else { 0xc002 };
    }
    // opcode STORE, width of a word or double word, rs1 = x2
    insn & 0x7f == 0x23 && insn >> 12 & 7 == if wide { 3 } else { 2 } && insn >> 15 & 31 == 2
}

impl Shadow {
    /// A copy in which nothing is known, of a core of `xlen` bits; it keeps `words` stack words, a power of two or 0.
    pub fn new(words: u8, xlen: u8) -> Self {
        Self { registers: [0; 32], known: 1, stack: vec![None; words.into()], width: xlen / 8 }
    }

    /// Entry of the stack word at an address.
    fn entry(&self, addr: u64) -> usize {
        (addr >> self.width.trailing_zeros()) as usize & (self.stack.len() - 1)
    }

    /// A register is written.
    #[inline]
    pub fn write(&mut self, rd: u8, value: u64) {
        let rd = usize::from(rd & 31);
        if rd != 0 {
            self.registers[rd] = value;
            self.known |= 1 << rd;
        }
    }

    /// A word is stored through the stack pointer.
    pub fn push(&mut self, addr: u64, value: u64) {
        if !self.stack.is_empty() {
            let entry = self.entry(addr);
            self.stack[entry] = Some((addr, value));
        }
    }

    /// Any other store: the stack words that it touches become unknown.
    pub fn touch(&mut self, first: u64, last: u64) {
        if !self.stack.is_empty() {
            let within = u64::from(self.width) - 1;
            for addr in [first & !within, last & !within] {
                let entry = self.entry(addr);
                if self.stack[entry].is_some_and(|(a, _)| a == addr) {
                    self.stack[entry] = None;
                }
            }
        }
    }

    /// The `written` registers and the whole stack become unknown.
    pub fn forget(&mut self, written: u32) {
        self.known &= !written | 1;
        self.stack.fill(None);
    }

    /// Value of a register, if known.
    pub fn register(&self, r: u8) -> Option<u64> {
        (self.known >> (r & 31) & 1 == 1).then(|| self.registers[usize::from(r & 31)])
    }

    /// The word at `sp + n * xlen / 8`, if known.
    pub fn stack(&self, n: u8) -> Option<u64> {
        let largest = u64::MAX >> (64 - 8 * self.width);
        let addr = self.register(2)?.wrapping_add(u64::from(self.width) * u64::from(n)) & largest;
        if self.stack.is_empty() {
            return None;
        }
        self.stack[self.entry(addr)].and_then(|(a, value)| (a == addr).then_some(value))
    }
}
