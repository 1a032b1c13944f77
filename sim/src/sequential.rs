//! Sequentially inferable jumps: the target of an indirect jump whose register the instruction before it loads
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, "Jump classification and target inference"; RISC-V N-Trace 1.0, "Sequential Jump
//! Optimization". The register is loaded by `lui`, `c.lui` or `auipc`; register 0 is never loaded.

use retire::image::{Exit, ExitKind, Image, When};
use retire::isa::Indirect;
use retire::FlowKind;

/// The value that the instruction at `pc` loads, and the register that takes it.
fn loaded(insn: u32, pc: u64) -> Option<(u32, u64)> {
    let rd = insn >> 7 & 31;
    let upper = (insn & 0xffff_f000) as i32;
    match insn & 0x7f {
        _ if rd == 0 => None,
        0x37 => Some((rd, upper as u64)),
        0x17 => Some((rd, pc.wrapping_add(upper as u64))),
        _ if insn & 0xe003 == 0x6001 && rd != 2 => {
            let value = (insn >> 12 & 1) << 17 | (insn >> 2 & 31) << 12;
            // 0 is another instruction
            (value != 0).then_some((rd, (((value << 14) as i32) >> 14) as u64))
        }
        _ => None,
    }
}

/// The register and offset of an indirect jump.
fn used(insn: u32) -> Option<(u32, i32)> {
    match insn & 3 {
        3 if insn & 0x707f == 0x67 => Some((insn >> 15 & 31, (insn as i32) >> 20)),
        2 if insn & 0xe07f == 0x8002 => Some((insn >> 7 & 31, 0)),
        _ => None,
    }
}

/// Target of the indirect jump at `jump` if the instruction before it determines it. All instructions from `from` up to
/// the jump were executed in sequence.
pub(crate) fn target(image: &Image, from: u64, jump: u64) -> Option<u64> {
    let (register, offset) = used(image.instruction(jump)?.0)?;
    [4, 2].into_iter().find_map(|len| {
        let before = jump.checked_sub(len).filter(|pc| *pc >= from)?;
        let (insn, length) = image.instruction(before)?;
        let insn = if length == 2 { insn & 0xffff } else { insn };
        let (_, value) = loaded(insn, before).filter(|(rd, _)| u64::from(length) == len && *rd == register)?;
        // the bytes may be the end of another instruction
        let mut pc = from;
        while pc < before {
            pc += u64::from(image.instruction(pc)?.1);
        }
        (pc == before).then_some(value.wrapping_add(offset as u64))
    })
}

/// Whether the instruction `load`, directly before the jump `jump`, loads its register.
pub(crate) fn is_pair(load: u32, jump: u32) -> bool {
    loaded(load, 0).zip(used(jump)).is_some_and(|((rd, _), (register, _))| rd == register)
}

/// Whether `kind` can be the event of an inferable jump: an indirect jump or call that is not a return.
pub(crate) fn may_be_inferable(kind: FlowKind) -> bool {
    matches!(kind, FlowKind::IndirectJump | FlowKind::IndirectCall)
}

/// As [`target`], for the control-flow instruction `exit` of a core that predicts, which comes in sequence from `from`, where
/// control arrives at `when`. Returns are predicted, and never inferred. Bits of the address are those of `mask`.
#[cold]
pub(crate) fn exit_target(image: &Image, (from, when): (u64, When), exit: &Exit, mask: u64) -> Option<u64> {
    match exit.kind {
        ExitKind::Indirect(Indirect::Jump | Indirect::Call, kind) if may_be_inferable(kind) => {}
        _ => return None,
    }
    let mut before: Option<(u32, u64)> = None;
    for instruction in image.instructions(from, when) {
        if instruction.pc == exit.pc {
            let ((rd, value), (register, offset)) = (before?, used(instruction.bits())?);
            return (rd == register).then_some(value.wrapping_add(offset as u64) & mask & !1);
        }
        before = loaded(instruction.bits(), instruction.pc);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instruction_before_a_jump_gives_its_target() {
        // lui a5, 0x80010; c.lui a4, 8; auipc t0, 0; addi
        assert_eq!(loaded(0x8001_07b7, 0), Some((15, 0xffff_ffff_8001_0000)));
        assert_eq!(loaded(0x6721, 0), Some((14, 0x8000)));
        assert_eq!(loaded(0x777d, 0), Some((14, 0xffff_ffff_ffff_f000))); // c.lui a4, 0xfffff
        assert_eq!(loaded(0x0000_0297, 0x104), Some((5, 0x104)));
        assert_eq!(loaded(0x6105, 0), None); // c.addi16sp
        assert_eq!(loaded(0x0007_0713, 0), None);
        // lui zero, 0x80010; c.lui a4, 0, which is reserved
        assert_eq!(loaded(0x8001_0037, 0), None);
        assert_eq!(loaded(0x6701, 0), None);
        // jalr a5; jalr zero, -4(t0); c.jr a5
        assert_eq!(used(0x0007_80e7), Some((15, 0)));
        assert_eq!(used(0xffc2_8067), Some((5, -4)));
        assert_eq!(used(0x8782), Some((15, 0)));
    }
}
