//! Translated blocks

use crate::code::{self, Piece};
use crate::machine::{Flow, Machine};
use crate::x86;
use iced_x86::{
    CC_a, CC_ae, CC_e, CC_g, CC_ge, CC_ne, Decoder, DecoderOptions, Formatter, IntelFormatter, MemorySizeOptions,
};
use retire::code::CodeBlock;

/// The disassembled instructions of a block, a line each: those of QEMU, `text`, without their encodings and with single spaces;
/// of x86-64 in Intel's syntax, which QEMU does not write. Nothing if QEMU was not asked.
pub(super) fn disassembled(machine: Machine, text: &str, start: u64, codes: &[&[u8]], state: u32) -> Vec<String> {
    let one_line = |words: std::str::SplitWhitespace<'_>| words.collect::<Vec<_>>().join(" ");
    match machine {
        _ if text.is_empty() => Vec::new(),
        Machine::X86 => intel(start, codes, state),
        Machine::Riscv32 | Machine::Riscv64 => {
            let words = text.lines().map(|line| {
                let mut words = line.split_whitespace();
                words.next();
                words
            });
            words.map(one_line).collect()
        }
        Machine::Aarch64 | Machine::Arm => text.lines().map(str::split_whitespace).map(one_line).collect(),
    }
}

/// x86-64 instructions as the thesis prints them: `mov dword ptr [rsp+rax*1+0x1dc], 0x0`, `jnz 0x40058a`.
fn intel(start: u64, codes: &[&[u8]], state: u32) -> Vec<String> {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_branch_leading_zeros(false);
    options.set_show_branch_size(false);
    options.set_rip_relative_addresses(true);
    options.set_always_show_scale(true);
    options.set_memory_size_options(MemorySizeOptions::Always);
    options.set_cc_e(CC_e::z);
    options.set_cc_ne(CC_ne::nz);
    options.set_cc_ae(CC_ae::nb);
    options.set_cc_a(CC_a::nbe);
    options.set_cc_ge(CC_ge::nl);
    options.set_cc_g(CC_g::nle);
    let (bits, base) = x86::mode(state, start);
    let mut pc = start.wrapping_sub(base);
    let lines = codes.iter().map(|code| {
        let mut line = String::new();
        formatter.format(&Decoder::with_ip(bits, code, pc, DecoderOptions::NONE).decode(), &mut line);
        pc = pc.wrapping_add(code.len() as u64);
        line
    });
    lines.collect()
}

/// A translated block.
pub(super) struct Block {
    pub(super) start: u64,
    /// Offset of each instruction from `start`; at the end the length.
    pub(super) offsets: Vec<u16>,
    pub(super) flow: Flow,
    /// Cause of the trap that its last instruction is made for, see [`Machine::enters`].
    pub(super) enters: Option<u8>,
    pub(super) text: Vec<String>,
    pub(super) code: Vec<u8>,
}

impl Block {
    /// A block that was not announced.
    pub(super) fn unknown() -> Self {
        Self { start: 0, offsets: vec![0], flow: Flow::Sequential, enters: None, text: Vec::new(), code: Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn pc(&self, place: usize) -> u64 {
        self.start.wrapping_add(self.offsets[place].into())
    }

    pub(super) fn end(&self) -> u64 {
        self.pc(self.count())
    }

    /// Whether the block, executed to its end, continues at `next`.
    #[inline]
    pub(super) fn leads_to(&self, next: u64) -> bool {
        match self.flow {
            Flow::Sequential => next == self.end(),
            Flow::Conditional(to) => next == to || next == self.end(),
            Flow::Jump(to) | Flow::Call(to) => next == to,
            Flow::Indirect(_) | Flow::ConditionalIndirect(_) => true,
        }
    }

    /// Index of the instruction at `pc`, from index `from` on.
    pub(super) fn place(&self, pc: u64, from: usize) -> Option<usize> {
        (from..self.count()).find(|place| self.pc(*place) == pc)
    }

    /// Its instructions of `piece`, for recordings.
    pub(super) fn recorded(&self, Piece { from, end, returns, .. }: Piece) -> CodeBlock {
        let offsets = &self.offsets[from..=end];
        CodeBlock {
            start: self.pc(from),
            sizes: offsets.windows(2).map(|w| (w[1] - w[0]) as u8).collect(),
            bytes: self.code[usize::from(offsets[0])..usize::from(offsets[end - from])].to_vec(),
            flow: code::flow(self.flow, returns).filter(|_| end == self.count()),
        }
    }

    pub(super) fn text(&self, place: usize) -> &str {
        self.text.get(place).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_is_in_the_syntax_of_intel_as_the_thesis_prints_it() {
        // bytes as assembled by GNU as
        let codes: [&[u8]; 8] = [
            &[0xc7, 0x84, 0x24, 0xdc, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x8b, 0x84, 0x24, 0xdc, 0x01, 0x00, 0x00],
            &[0x88, 0x94, 0x04, 0xc0, 0x01, 0x00, 0x00],
            &[0x0f, 0xb6, 0x84, 0x04, 0xc0, 0x01, 0x00, 0x00],
            &[0x48, 0x8b, 0x02],
            &[0x75, 0xfe],
            &[0xe8, 0x00, 0x01, 0x00, 0x00],
            &[0xc3],
        ];
        let lines = disassembled(Machine::X86, "anything", 0x40_0000, &codes, 0);
        let right = [
            "mov dword ptr [rsp+0x1dc], 0x0",
            "mov eax, dword ptr [rsp+0x1dc]",
            "mov byte ptr [rsp+rax*1+0x1c0], dl",
            "movzx eax, byte ptr [rsp+rax*1+0x1c0]",
            "mov rax, qword ptr [rdx]",
            "jnz 0x400024",
            "call 0x40012b",
            "ret",
        ];
        assert_eq!(lines, right);
        assert!(disassembled(Machine::X86, "", 0, &codes, 0).is_empty());
    }

    #[test]
    fn lines_of_qemu_lose_encodings_and_extra_spaces() {
        assert_eq!(disassembled(Machine::Riscv64, "4501    li   a0,0\n", 0, &[&[1, 0x45]], 0), ["li a0,0"]);
        assert_eq!(disassembled(Machine::Aarch64, "mov  x0,  #1\n", 0, &[&[0; 4]], 0), ["mov x0, #1"]);
    }
}
