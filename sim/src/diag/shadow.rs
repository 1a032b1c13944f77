//! Copy of a core's registers and of the top of its stack, from retired instructions
//!
//! A register is known once it has been written. A stack word is known if it was stored through the stack pointer;
//! these words are kept in a direct-mapped table by address. Callers pass the arguments that do not fit in registers in
//! this way.
//!
//! # Source
//! Paper 004 section 4.1: register write-back is observed; stores relative to the stack pointer recreate the frame.

/// A copy of registers and stack words.
#[derive(Clone, Debug)]
pub struct Shadow {
    registers: [u32; 32],
    known: u32,
    stack: Vec<Option<(u32, u32)>>,
}

/// Whether a store instruction addresses memory through `sp` (x2): `sw rs2, imm(sp)` and its compressed form.
pub fn stores_word_through_sp(insn: u32, len: u8) -> bool {
    if len == 2 {
        // c.swsp: funct3 110, op 10
        return insn & 0xe003 == 0xc002;
    }
    // opcode STORE, width of a word, rs1 = x2
    insn & 0x7f == 0x23 && insn >> 12 & 7 == 2 && insn >> 15 & 31 == 2
}

impl Shadow {
    /// A copy in which nothing is known; it keeps `words` stack words, a power of two or 0.
    pub fn new(words: u8) -> Self {
        Self { registers: [0; 32], known: 1, stack: vec![None; words.into()] }
    }

    /// A register is written.
    #[inline]
    pub fn write(&mut self, rd: u8, value: u32) {
        let rd = usize::from(rd & 31);
        if rd != 0 {
            self.registers[rd] = value;
            self.known |= 1 << rd;
        }
    }

    /// A word is stored through the stack pointer.
    pub fn push(&mut self, addr: u32, value: u32) {
        let words = self.stack.len();
        if words > 0 {
            self.stack[(addr >> 2) as usize & (words - 1)] = Some((addr, value));
        }
    }

    /// Any other store: the stack words that it touches become unknown.
    pub fn touch(&mut self, first: u32, last: u32) {
        let words = self.stack.len();
        if words > 0 {
            for addr in [first & !3, last & !3] {
                let entry = &mut self.stack[(addr >> 2) as usize & (words - 1)];
                if entry.is_some_and(|(a, _)| a == addr) {
                    *entry = None;
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
    pub fn register(&self, r: u8) -> Option<u32> {
        (self.known >> (r & 31) & 1 == 1).then(|| self.registers[usize::from(r & 31)])
    }

    /// The word at `sp + 4 * n`, if known.
    pub fn stack(&self, n: u8) -> Option<u32> {
        let addr = self.register(2)?.wrapping_add(4 * u32::from(n));
        let at = (addr >> 2) as usize & self.stack.len().checked_sub(1)?;
        self.stack[at].and_then(|(a, value)| (a == addr).then_some(value))
    }
}
