//! Control flow of x86-64 instructions: of programs, and of whole machines with code of 16, 32 and 64 bits
//!
//! Addresses are linear: that of an instruction is its offset in the code segment, added to the segment's base. In code of
//! 16 bits, the offset of a jump wraps around at 64 KiB.
//!
//! # Source
//! The crate `iced-x86`; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.

use crate::flow::Flow;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction};
use retire::FlowKind;

/// Cause of a trap by `syscall` or `sysenter`, which have no vector: that of `int 0x80`.
pub const SYSTEM_CALL: u8 = 0x80;

/// Bits of the code, and what is added to an offset in its segment. `state`: as in the plugin's `State::x86`.
pub fn mode(state: u32, pc: u64) -> (u32, u64) {
    match state & 3 {
        1 => {
            let offset = pc.wrapping_sub(u64::from(state >> 2) << 4) & 0xffff;
            (16, pc.wrapping_sub(offset))
        }
        // the base is added to a jump and to its target
        2 => (32, 0),
        _ => (64, 0),
    }
}

fn decode(code: &[u8], pc: u64, state: u32) -> (Instruction, u64) {
    let (bits, base) = mode(state, pc);
    (Decoder::with_ip(bits, code, pc.wrapping_sub(base), DecoderOptions::NONE).decode(), base)
}

/// Control flow of `code`, the instruction at `pc`.
pub fn flow(code: &[u8], pc: u64, state: u32) -> Flow {
    let (insn, base) = decode(code, pc, state);
    let to = base.wrapping_add(insn.near_branch_target());
    let is_machine = state != 0;
    match insn.flow_control() {
        FlowControl::ConditionalBranch => Flow::Conditional(to),
        FlowControl::UnconditionalBranch if insn.is_jmp_far() => Flow::Indirect(FlowKind::IndirectJump),
        FlowControl::UnconditionalBranch => Flow::Jump(to),
        // `syscall` and the like are also classified as calls
        FlowControl::Call if insn.is_call_near() => Flow::Call(to),
        FlowControl::Call if insn.is_call_far() => Flow::Indirect(FlowKind::IndirectCall),
        FlowControl::IndirectBranch => Flow::Indirect(FlowKind::IndirectJump),
        FlowControl::IndirectCall => Flow::Indirect(FlowKind::IndirectCall),
        FlowControl::Return => match insn.code() {
            Code::Retnw | Code::Retnd | Code::Retnq | Code::Retnw_imm16 | Code::Retnd_imm16 | Code::Retnq_imm16 => {
                Flow::Indirect(FlowKind::Return)
            }
            Code::Retfw | Code::Retfd | Code::Retfq | Code::Retfw_imm16 | Code::Retfd_imm16 | Code::Retfq_imm16 => {
                Flow::Indirect(FlowKind::Return)
            }
            // iret, sysret, sysexit, rsm
            _ if is_machine => Flow::Indirect(FlowKind::TrapReturn),
            Code::Sysretd | Code::Sysretq | Code::Sysexitd => Flow::Sequential,
            _ => Flow::Indirect(FlowKind::Return),
        },
        _ => Flow::Sequential,
    }
}

/// The cause of the trap that an instruction of a whole machine is made for, if it is made for one.
pub fn enters(code: &[u8], pc: u64, state: u32) -> Option<u8> {
    if state == 0 {
        return None;
    }
    let (insn, _) = decode(code, pc, state);
    match insn.code() {
        Code::Int1 => Some(1),
        Code::Int3 => Some(3),
        Code::Into => Some(4),
        Code::Int_imm8 => Some(insn.immediate8()),
        Code::Syscall | Code::Sysenter => Some(SYSTEM_CALL),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(mode: u32, base: u32) -> u32 {
        mode | (base >> 4 & 0xfff) << 2
    }

    // Bytes of the GNU assembler, with `.code16`, `.code32` and `.code64`.
    #[test]
    fn code_of_16_bits_wraps_around_in_its_segment() {
        let bios = state(1, 0xf0000);
        // jmp .+3+0x3000 at 0xe000 of a segment at 0xf0000
        assert_eq!(flow(&[0xe9, 0x00, 0x30], 0xfe000, bios), Flow::Jump(0xf1003));
        assert_eq!(flow(&[0xe9, 0xfd, 0xff], 0xfe000, bios), Flow::Jump(0xfe000));
        assert_eq!(flow(&[0x75, 0xfe], 0xf0000, bios), Flow::Conditional(0xf0000));
        // the same in a segment that is no multiple of 64 KiB: the offset is 0xfff0
        assert_eq!(flow(&[0xeb, 0x7e], 0x107ff0, state(1, 0xf8000)), Flow::Jump(0xf8070));
        // the first instruction after a reset: ljmp 0xf000:0xe05b
        let reset = state(1, 0xffff_0000);
        assert_eq!(flow(&[0xea, 0x5b, 0xe0, 0, 0xf0], 0xffff_fff0, reset), Flow::Indirect(FlowKind::IndirectJump));
        // with a prefix an operand has 32 bits: calll .+6
        assert_eq!(flow(&[0x66, 0xe8, 0, 0, 0, 0], 0xf0010, bios), Flow::Call(0xf0016));
    }

    #[test]
    fn instructions_have_other_sizes_in_other_modes() {
        let at = |mode, code: &[u8]| flow(code, 0x8000, state(mode, 0));
        assert_eq!(at(2, &[0xe9, 0xfb, 0xff, 0xff, 0xff]), Flow::Jump(0x8000));
        assert_eq!(at(1, &[0xe9, 0xfd, 0xff]), Flow::Jump(0x8000));
        assert_eq!(at(3, &[0x48, 0xcf]), Flow::Indirect(FlowKind::TrapReturn)); // iretq
        assert_eq!(at(2, &[0x48]), Flow::Sequential); // dec eax
        assert_eq!(at(3, &[0x48, 0x0f, 0x07]), Flow::Indirect(FlowKind::TrapReturn)); // sysretq
        assert_eq!(at(0, &[0x48, 0x0f, 0x07]), Flow::Sequential);
        assert_eq!(at(2, &[0xcb]), Flow::Indirect(FlowKind::Return)); // lret
        assert_eq!(at(2, &[0xff, 0x28]), Flow::Indirect(FlowKind::IndirectJump)); // ljmp *(%eax)
        assert_eq!(at(1, &[0x0f, 0xaa]), Flow::Indirect(FlowKind::TrapReturn)); // rsm
    }

    #[test]
    fn only_machines_enter_handlers() {
        let at = |mode, code: &[u8]| enters(code, 0x8000, state(mode, 0));
        assert_eq!(at(1, &[0xcd, 0x10]), Some(0x10));
        assert_eq!(at(3, &[0xcc]), Some(3));
        assert_eq!(at(3, &[0x0f, 0x05]), Some(SYSTEM_CALL));
        assert_eq!(at(0, &[0x0f, 0x05]), None);
        assert_eq!(at(3, &[0x90]), None);
    }
}
