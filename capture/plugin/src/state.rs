//! Processor state at the start of a block that its bytes do not determine: for 32-bit ARM, and whole machines of x86-64
//!
//! # Source
//! Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 3.4.5 (segment descriptors), 10.1.4 (first instruction).
//! Arm ARM for ARMv7-A and ARMv7-R (DDI 0406), A2.5.1 and A2.5.2 (ITSTATE), B1.3.3 (CPSR).

/// Instruction set, and position in an IT block; or mode of x86-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Thumb.
    pub thumb: bool,
    /// ITSTATE; 0 outside an IT block.
    pub it: u8,
    /// Of an x86-64 machine: bits 1:0 are 1, 2 and 3 in code of 16, 32 and 64 bits; bits 13:2 are bits 15:4 of the base of
    /// the code segment. 0: a program of 64 bits without a machine.
    pub x86: u16,
}

impl State {
    /// Encoding in the description of a block: bit 0 Thumb, bits 15:8 ITSTATE; or [`State::x86`].
    pub fn reported(self) -> u32 {
        u32::from(self.thumb) | u32::from(self.it) << 8 | u32::from(self.x86)
    }

    /// The state of an x86-64 machine in this mode, see [`State::x86`].
    #[allow(dead_code)] // only version 1 of the plugin interface
    pub fn of_x86(mode: u16, base: u64) -> Self {
        Self { x86: mode | ((base >> 4 & 0xfff) as u16) << 2, ..Self::default() }
    }

    /// Whether code has 64 bits.
    #[allow(dead_code)] // only version 1 of the plugin interface
    pub fn is_x86_long(self) -> bool {
        self.x86 & 3 == 3
    }

    /// Decodes the CPSR: T is bit 5, ITSTATE bits 15:10 and 26:25.
    pub fn of_cpsr(cpsr: u32) -> Self {
        Self { thumb: cpsr >> 5 & 1 != 0, it: (cpsr >> 8 & 0xfc | cpsr >> 25 & 3) as u8, ..Self::default() }
    }

    /// The instruction at the start of `code`. To check whether an instruction crosses a page, QEMU 7.2 reads it while
    /// it still appends what it reads to the previous one.
    pub fn only(self, code: &[u8]) -> &[u8] {
        match *code {
            // 11101, 11110 and 11111 have a second halfword
            [_, high, ..] if self.thumb => &code[..code.len().min(if high < 0xe8 { 2 } else { 4 })],
            _ => code,
        }
    }

    /// State after an instruction.
    pub fn after(self, code: &[u8]) -> Self {
        let it = match *code {
            // IT, but not a hint with the same encoding
            [low, 0xbf] if self.thumb && low & 15 != 0 => low,
            _ if self.it & 7 == 0 => 0,
            _ => self.it & 0xe0 | self.it << 1 & 0x1f,
        };
        Self { it, ..self }
    }
}
