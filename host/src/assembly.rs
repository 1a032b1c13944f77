//! Instructions as text, and their memory accesses

use crate::missing::csr_name;
use riscv_isa::{decode_compressed, decode_full, Compressed, Instruction, Target, Xlen};

/// Names of the integer registers in the calling convention (ABI).
pub const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// Replaces register numbers in operands by ABI names.
fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('x') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let word = rest[..at].bytes().next_back().is_some_and(|b| b.is_ascii_alphanumeric());
        let number = rest[at + 1..at + 1 + digits].parse().ok().filter(|n: &usize| !word && *n < 32);
        out.push_str(&rest[..at]);
        match number {
            Some(n) => out.push_str(REGISTERS[n]),
            None => out.push_str(&rest[at..at + 1 + digits]),
        }
        rest = &rest[at + 1 + digits..];
    }
    out + rest
}

/// Name of a CSR; its number if it has none.
pub fn csr_text(number: u16) -> String {
    csr_name(number).unwrap_or_else(|| format!("0x{number:03x}"))
}

/// A decoder of RISC-V instructions for display; an instruction that it cannot decode has no text.
#[derive(Clone, Debug)]
pub struct Assembly {
    target: Target,
    /// Whether the code is of RISC-V.
    decodes: bool,
}

impl Assembly {
    /// Creates a decoder for addresses of `xlen` bits, with all extensions that a core may have.
    pub fn new(xlen: u8) -> Self {
        let xlen = if xlen == 64 { Xlen::Rv64 } else { Xlen::Rv32 };
        let base = Target { xlen, privileged: true, m: true, a: true, f: true, d: true, ..Target::default() };
        let target = Target { c: true, zicsr: true, zifencei: true, ..base };
        Self { target, decodes: true }
    }

    /// As [`Assembly::new`]; where the code is not of RISC-V, nothing is decoded.
    pub fn of(xlen: u8, riscv: bool) -> Self {
        Self { decodes: riscv, ..Self::new(xlen) }
    }

    fn decode(&self, bits: u32, len: u8) -> Option<Instruction> {
        let whole = match len {
            2 => Instruction::from(decode_compressed(bits as u16, &self.target)),
            _ => decode_full(bits, &self.target),
        };
        (whole != Instruction::UNIMP).then_some(whole)
    }

    /// The instruction with its operands in assembler syntax; targets are relative to it. CSRs have their names.
    pub fn text(&self, bits: u32, len: u8) -> Option<String> {
        if !self.decodes {
            return None;
        }
        if len == 2 {
            let short = decode_compressed(bits as u16, &self.target);
            return (short != Compressed::UNIMP).then(|| named(&short.to_string()));
        }
        let text = named(&self.decode(bits, len)?.to_string());
        // major opcode SYSTEM, with an operation on a CSR
        if bits & 0x7f != 0x73 || bits >> 12 & 3 == 0 {
            return Some(text);
        }
        let number = (bits >> 20) as u16;
        Some(text.replacen(&format!(", {number}, "), &format!(", {}, ", csr_text(number)), 1))
    }

    /// How a load, store or atomic computes its address.
    pub fn access(&self, bits: u32, len: u8) -> Option<Access> {
        use Instruction as I;
        let (base, offset, atomic) = match self.decode(bits, len)? {
            I::LB { rs1, offset, .. }
            | I::LH { rs1, offset, .. }
            | I::LW { rs1, offset, .. }
            | I::LBU { rs1, offset, .. }
            | I::LHU { rs1, offset, .. }
            | I::LWU { rs1, offset, .. }
            | I::LD { rs1, offset, .. }
            | I::SB { rs1, offset, .. }
            | I::SH { rs1, offset, .. }
            | I::SW { rs1, offset, .. }
            | I::SD { rs1, offset, .. }
            | I::FLW { rs1, offset, .. }
            | I::FLD { rs1, offset, .. }
            | I::FSW { rs1, offset, .. }
            | I::FSD { rs1, offset, .. } => (rs1, offset, false),
            // major opcode AMO: the address is the value of the register
            _ if len == 4 && bits & 0x7f == 0x2f => (bits >> 15 & 31, 0, true),
            _ => return None,
        };
        Some(Access { base: base as u8, offset, atomic })
    }
}

/// The address computation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Base register, 0 to 31.
    pub base: u8,
    /// Offset, bytes.
    pub offset: i32,
    /// Whether it is an atomic, whose address must be aligned.
    pub atomic: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_read_as_in_the_manual() {
        // encoded by hand from the unprivileged ISA, chapters 2, 8 and 27
        let rv32 = Assembly::new(32);
        for (bits, len, text) in [
            (0x00ad_a283, 4, Some("lw t0, 10(s11)")),
            (0x0000_8067, 4, Some("jalr zero, 0(ra)")),
            (0x3020_0073, 4, Some("mret")),
            // CSRs: named, without a name, and with an immediate operand of the same number
            (0x3400_1573, 4, Some("csrrw a0, mscratch, zero")),
            (0x7c00_1073, 4, Some("csrrw zero, 0x7c0, zero")),
            (0x0030_d573, 4, Some("csrrwi a0, fcsr, 1")),
            (0x0031_d1f3, 4, Some("csrrwi gp, fcsr, 3")),
            (0x4501, 2, Some("c.li a0, 0")),
            (0x0000, 2, None),
            (0xffff_ffff, 4, None),
        ] {
            assert_eq!(rv32.text(bits, len).as_deref(), text, "{bits:08x}");
        }
    }

    #[test]
    fn accesses_name_register_and_offset() {
        let rv32 = Assembly::new(32);
        let of = |base, offset, atomic| Some(Access { base, offset, atomic });
        assert_eq!(rv32.access(0xff85_2583, 4), of(10, -8, false), "lw a1, -8(a0)");
        assert_eq!(rv32.access(0x00b5_0423, 4), of(10, 8, false), "sb a1, 8(a0)");
        assert_eq!(rv32.access(0x4512, 2), of(2, 4, false), "c.lwsp a0, 4(sp)");
        assert_eq!(rv32.access(0x00b5_252f, 4), of(10, 0, true), "amoadd.w a0, a1, (a0)");
        assert_eq!(rv32.access(0x0000_0013, 4), None, "nop");
    }
}
