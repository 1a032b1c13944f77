//! Control flow of 32-bit ARM instructions: A32 and Thumb (T32)
//!
//! Nearly every A32 instruction is conditional, and so are Thumb instructions in an IT block. So indirect branches can
//! be conditional, too, and any instruction that writes the pc is a branch. Returns are a convention: a branch to the
//! link register, and a load of the pc from the stack.
//!
//! # Source
//! Arm ARM for ARMv7-A and ARMv7-R (DDI 0406): A5 (A32), A6 (Thumb), B9.3 (BXJ). Returns: Procedure
//! Call Standard for the Arm Architecture, 6.1 and 6.3.

use crate::flow::Flow;
use crate::state::State;
use retire::isa::Indirect;

/// Condition "always".
const ALWAYS: u32 = 14;
const SP: u32 = 13;
const LR: u32 = 14;
const PC: u32 = 15;

/// Inverse of [`State::reported`].
pub fn state(reported: u32) -> State {
    State { thumb: reported & 1 != 0, it: (reported >> 8) as u8, ..State::default() }
}

/// Control flow of `code`, the instruction at `pc`.
pub fn flow(code: &[u8], pc: u64, state: State) -> Flow {
    let half = |at: usize| code.get(at..at + 2).map_or(0, |b| u32::from(u16::from_le_bytes([b[0], b[1]])));
    let (condition, flow) = match (code.len(), state.thumb) {
        // QEMU's page of helpers, for which it provides no code: they return
        (0, _) => (ALWAYS, Flow::Indirect(retire::FlowKind::Return)),
        (2, true) => narrow(half(0), pc),
        (_, true) => wide(half(0), half(2), pc),
        (_, false) => a32(half(0) | half(2) << 16, pc),
    };
    let always = |c: u32| c >= ALWAYS;
    if always(condition) && (state.it == 0 || always(u32::from(state.it) >> 4)) {
        return flow;
    }
    match flow {
        Flow::Jump(to) | Flow::Call(to) => Flow::Conditional(to),
        Flow::Indirect(kind) => Flow::ConditionalIndirect(how(kind)),
        Flow::Sequential | Flow::Conditional(_) | Flow::ConditionalIndirect(_) => flow,
    }
}

fn how(kind: retire::FlowKind) -> Indirect {
    match kind {
        retire::FlowKind::Return => Indirect::Return,
        retire::FlowKind::IndirectCall => Indirect::Call,
        _ => Indirect::Jump,
    }
}

fn indirect(how: Indirect) -> Flow {
    Flow::Indirect(how.into())
}

/// A branch to the address in a register.
fn to_register(register: u32) -> Flow {
    indirect(if register == LR { Indirect::Return } else { Indirect::Jump })
}

/// A branch to a value loaded at `base`; `pops`: several registers are loaded, or the base is updated.
fn loaded(base: u32, pops: bool) -> Flow {
    indirect(if base == SP && pops { Indirect::Return } else { Indirect::Jump })
}

/// `value`, sign-extended from its lowest `bits`, as an offset from `pc`.
fn from(pc: u64, value: u32, bits: u32) -> u64 {
    let offset = ((value << (32 - bits)) as i32) >> (32 - bits);
    (pc as u32).wrapping_add(offset as u32).into()
}

fn a32(insn: u32, pc: u64) -> (u32, Flow) {
    let condition = insn >> 28;
    let (rn, rd, rm) = (insn >> 16 & 15, insn >> 12 & 15, insn & 15);
    let branch = || from(pc + 8, insn << 2 & 0x3ff_ffff, 26);
    if condition == 15 {
        // BLX to Thumb, bit 24 is the halfword; all other unconditional instructions are sequential
        let blx = insn >> 25 & 7 == 5;
        return (
            ALWAYS,
            if blx { Flow::Call(branch().wrapping_add(u64::from(insn >> 23 & 2))) } else { Flow::Sequential },
        );
    }
    let flow = match insn >> 25 & 7 {
        // B, BL
        5 if insn >> 24 & 1 == 0 => Flow::Jump(branch()),
        5 => Flow::Call(branch()),
        // LDM with the pc
        4 if insn >> 20 & 1 == 1 && insn >> 15 & 1 == 1 => loaded(rn, true),
        // LDR of the pc; with bits 25 and 4 it is a media instruction
        2 | 3 if insn >> 20 & 5 == 1 && rd == PC && (insn >> 25 & 1 == 0 || insn >> 4 & 1 == 0) => {
            loaded(rn, insn >> 24 & 1 == 0)
        }
        0 | 1 => return (condition, a32_data(insn, rd, rm)),
        _ => Flow::Sequential,
    };
    (condition, flow)
}

/// Data processing, and other instructions in its encoding space.
fn a32_data(insn: u32, rd: u32, rm: u32) -> Flow {
    match insn & 0x0fff_fff0 {
        // BX, BXJ, BLX
        0x012f_ff10 | 0x012f_ff20 => return to_register(rm),
        0x012f_ff30 => return indirect(Indirect::Call),
        _ => {}
    }
    let immediate = insn >> 25 & 1 == 1;
    let operation = insn >> 21 & 15;
    // multiplications, and loads and stores of other sizes
    let other = !immediate && insn >> 7 & 1 == 1 && insn >> 4 & 1 == 1;
    // comparisons have no result; without S, MSR, MOVW and the like have their encodings
    if other || rd != PC || (8..12).contains(&operation) {
        return Flow::Sequential;
    }
    // MOV of a register, not shifted
    if insn & 0x0fe0_0ff0 == 0x01a0_0000 {
        return to_register(rm);
    }
    indirect(Indirect::Jump)
}

fn narrow(insn: u32, pc: u64) -> (u32, Flow) {
    let register = insn >> 3 & 15;
    let flow = match insn >> 8 {
        // B with a condition; 14 is undefined, 15 is SVC
        0xd0..=0xdd => return (insn >> 8 & 15, Flow::Jump(from(pc + 4, insn << 1 & 0x1ff, 9))),
        0xe0..=0xe7 => Flow::Jump(from(pc + 4, insn << 1 & 0xfff, 12)),
        // BX, BLX
        0x47 if insn >> 7 & 1 == 0 => to_register(register),
        0x47 => indirect(Indirect::Call),
        // ADD and MOV, to the pc
        0x44 if insn & 0x87 == 0x87 => indirect(Indirect::Jump),
        0x46 if insn & 0x87 == 0x87 => to_register(register),
        // POP
        0xbd => indirect(Indirect::Return),
        // CBZ, CBNZ
        0xb1 | 0xb3 | 0xb9 | 0xbb => {
            let offset = insn >> 2 & 0x3e | insn >> 3 & 0x40;
            Flow::Conditional((pc as u32).wrapping_add(4 + offset).into())
        }
        _ => Flow::Sequential,
    };
    (ALWAYS, flow)
}

fn wide(first: u32, second: u32, pc: u64) -> (u32, Flow) {
    let (base, target) = (first & 15, second >> 12);
    let flow = match first >> 11 {
        0b11110 if second >> 15 == 1 => return branches(first, second, pc),
        // LDM, increment after and decrement before, with the pc
        0b11101 if matches!(first & 0xffd0, 0xe890 | 0xe910) && second >> 15 == 1 => loaded(base, true),
        // TBB, TBH
        0b11101 if first & 0xfff0 == 0xe8d0 && second & 0xffe0 == 0xf000 => indirect(Indirect::Jump),
        // LDR of the pc; it pops if it is post-indexed
        0b11111 if first & 0xff70 == 0xf850 && target == PC => {
            loaded(base, first & 0x80 == 0 && second & 0xd00 == 0x900)
        }
        _ => Flow::Sequential,
    };
    (ALWAYS, flow)
}

/// Branches and miscellaneous control.
fn branches(first: u32, second: u32, pc: u64) -> (u32, Flow) {
    let sign = first >> 10 & 1;
    let [j1, j2] = [second >> 13 & 1, second >> 11 & 1];
    // BL, BLX and B: 25-bit offsets; I1 and I2 are derived from J1, J2 and the sign
    let [i1, i2] = [j1, j2].map(|j| (j ^ sign ^ 1) & 1);
    let long = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    let flow = match (second >> 14 & 1, second >> 12 & 1) {
        (1, 1) => Flow::Call(from(pc + 4, long, 25)),
        (1, _) => Flow::Call(from((pc + 4) & !3, long, 25)),
        (_, 1) => Flow::Jump(from(pc + 4, long, 25)),
        _ if first >> 7 & 7 != 7 => {
            let short = sign << 20 | j2 << 19 | j1 << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
            return (first >> 6 & 15, Flow::Jump(from(pc + 4, short, 21)));
        }
        // BXJ
        _ if first & 0xfff0 == 0xf3c0 => to_register(first & 15),
        _ => Flow::Sequential,
    };
    (ALWAYS, flow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::FlowKind;

    const JUMP: Flow = Flow::Indirect(FlowKind::IndirectJump);
    const CALL: Flow = Flow::Indirect(FlowKind::IndirectCall);
    const RETURN: Flow = Flow::Indirect(FlowKind::Return);

    // Words and comments from `objdump -d` of assembled code.
    #[test]
    fn branches_of_a32_are_recognised_by_their_bits() {
        let at = |pc: u64, insn: u32| flow(&insn.to_le_bytes(), pc, State::default());
        assert_eq!(at(0x120b4, 0xeaffffdb), Flow::Jump(0x12028)); // b 12028
        assert_eq!(at(0x12068, 0x1bffffe4), Flow::Conditional(0x12000)); // blne 12000
        assert_eq!(at(0x12068, 0xebffffe4), Flow::Call(0x12000)); // bl 12000
        assert_eq!(at(0x12084, 0xfa00000d), Flow::Call(0x120c0)); // blx 120c0
        assert_eq!(at(0x12084, 0xfb00000d), Flow::Call(0x120c2)); // blx 120c2
        for (insn, right) in [
            (0xe12fff35, CALL),                                        // blx r5
            (0x012fff35, Flow::ConditionalIndirect(Indirect::Call)),   // blxeq r5
            (0xe12fff1e, RETURN),                                      // bx lr
            (0x112fff1e, Flow::ConditionalIndirect(Indirect::Return)), // bxne lr
            (0xe12fff1c, JUMP),                                        // bx ip
            (0x908ff100, Flow::ConditionalIndirect(Indirect::Jump)),   // addls pc, pc, r0, lsl #2
            (0x9791f100, Flow::ConditionalIndirect(Indirect::Jump)),   // ldrls pc, [r1, r0, lsl #2]
            (0x149df004, Flow::ConditionalIndirect(Indirect::Return)), // popne {pc}
            (0xe49df004, RETURN),                                      // pop {pc}
            (0xe5bcf8a0, JUMP),                                        // ldr pc, [ip, #2208]!
            (0x48bd8070, Flow::ConditionalIndirect(Indirect::Return)), // popmi {r4, r5, r6, pc}
            (0xe8bd8070, RETURN),                                      // pop {r4, r5, r6, pc}
            (0xe8bd4070, Flow::Sequential),                            // pop {r4, r5, r6, lr}
            (0xe1a0f00e, RETURN),                                      // mov pc, lr
            (0xe1a0f003, JUMP),                                        // mov pc, r3
            (0xe240f006, JUMP),                                        // sub pc, r0, #6
            (0xe121f000, Flow::Sequential),                            // msr CPSR_c, r0
            (0xe328f101, Flow::Sequential),                            // msr CPSR_f, #0x40000000
            (0xe3500004, Flow::Sequential),                            // cmp r0, #4
            (0xe15ff000, Flow::Sequential),                            // cmp pc, r0
            (0xe5d0f000, Flow::Sequential),                            // ldrb pc, [r0], which no compiler emits
            (0xf5d0f000, Flow::Sequential),                            // pld [r0]
            (0xef000000, Flow::Sequential),                            // svc 0
            (0xe71ff01f, Flow::Sequential),                            // sdiv pc, pc, r0, which no compiler emits
        ] {
            assert_eq!(at(0x8000, insn), right, "{insn:08x}");
        }
    }

    #[test]
    fn branches_of_thumb_are_recognised_by_their_bits() {
        let thumb = State { thumb: true, ..State::default() };
        let at = |pc: u64, halves: &[u16]| {
            let code: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
            flow(&code, pc, thumb)
        };
        assert_eq!(at(0x12140, &[0xe7cc]), Flow::Jump(0x120dc)); // b.n 120dc
        assert_eq!(at(0x120e8, &[0xd80a]), Flow::Conditional(0x12100)); // bhi.n 12100
        assert_eq!(at(0x120f4, &[0xb104]), Flow::Conditional(0x120f8)); // cbz r4, 120f8
        assert_eq!(at(0x120f8, &[0xb910]), Flow::Conditional(0x12100)); // cbnz r0, 12100
        assert_eq!(at(0x10000, &[0xb3f8]), Flow::Conditional(0x10082)); // cbz r0, 10082
        assert_eq!(at(0x120fa, &[0xf7ff, 0xef82]), Flow::Call(0x12000)); // blx 12000
        assert_eq!(at(0x1210c, &[0xf7ff, 0xffd8]), Flow::Call(0x120c0)); // bl 120c0
        assert_eq!(at(0x12122, &[0xf000, 0xb809]), Flow::Jump(0x12138)); // b.w 12138
        assert_eq!(at(0x1089a, &[0xf43f, 0xaeff]), Flow::Conditional(0x1069c)); // beq.w 1069c
        for (halves, right) in [
            (&[0x4770][..], RETURN),               // bx lr
            (&[0x4718], JUMP),                     // bx r3
            (&[0x47a8], CALL),                     // blx r5
            (&[0x46f7], RETURN),                   // mov pc, lr
            (&[0x469f], JUMP),                     // mov pc, r3
            (&[0x4487], JUMP),                     // add pc, r0
            (&[0x46fe], Flow::Sequential),         // mov lr, pc
            (&[0xbd70], RETURN),                   // pop {r4, r5, r6, pc}
            (&[0xbc70], Flow::Sequential),         // pop {r4, r5, r6}
            (&[0xdf00], Flow::Sequential),         // svc 0
            (&[0xde00], Flow::Sequential),         // udf
            (&[0xe8df, 0xf000], JUMP),             // tbb [pc, r0]
            (&[0xe8df, 0xf010], JUMP),             // tbh [pc, r0, lsl #1]
            (&[0xe8bd, 0x8ff0], RETURN),           // ldmia.w sp!, {r4-r11, pc}
            (&[0xe8bd, 0x4001], Flow::Sequential), // ldmia.w sp!, {r0, lr}
            (&[0xe92d, 0x8ff0], Flow::Sequential), // a store, which no compiler emits
            (&[0xf85d, 0xfb04], RETURN),           // ldr.w pc, [sp], #4
            (&[0xf8d1, 0xf008], JUMP),             // ldr.w pc, [r1, #8]
            (&[0xf851, 0xf020], JUMP),             // ldr.w pc, [r1, r0, lsl #2]
            (&[0xf8dc, 0xf8a0], JUMP),             // ldr.w pc, [ip, #2208]
            (&[0xf891, 0xf000], Flow::Sequential), // pld [r1]
            (&[0xf3bf, 0x8f5b], Flow::Sequential), // dmb ish
            (&[0xf3af, 0x8000], Flow::Sequential), // nop.w
            (&[0xf380, 0x8c00], Flow::Sequential), // msr CPSR_s, r0
            (&[0xf004, 0x0007], Flow::Sequential), // and.w r0, r4, #7
        ] {
            assert_eq!(at(0x8000, halves), right, "{halves:04x?}");
        }
    }

    #[test]
    fn instructions_in_an_it_block_have_its_condition() {
        let mut state = State { thumb: true, ..State::default() };
        let mut reported = Vec::new();
        // itte ne; addne r0, #1; addne r0, #1; bxeq lr; bx lr; it eq; beq.n, which is b.n; it al; bxal lr
        for half in [0xbf1au16, 0x3001, 0x3001, 0x4770, 0x4770, 0xbf08, 0xe001, 0xbfe8, 0x4770] {
            let code = half.to_le_bytes();
            reported.push((flow(&code, 0x8000, state), state.it));
            state = state.after(&code);
        }
        let bx = Flow::ConditionalIndirect(Indirect::Return);
        // ITSTATE, shifted as in A2.5.2
        let right = [
            (Flow::Sequential, 0),
            (Flow::Sequential, 0x1a),
            (Flow::Sequential, 0x14),
            (bx, 0x08),
            (RETURN, 0),
            (Flow::Sequential, 0),
            (Flow::Conditional(0x8006), 0x08),
            (Flow::Sequential, 0),
            (RETURN, 0xe8),
        ];
        assert_eq!(reported, right);
        assert_eq!(
            State::of_cpsr(1 << 5 | 0x1a << 8 & 0xfc00 | 2 << 25),
            State { thumb: true, it: 0x1a, ..State::default() }
        );
        assert_eq!(
            super::state(State { thumb: true, it: 0x1a, ..State::default() }.reported()),
            State { thumb: true, it: 0x1a, ..State::default() }
        );
    }
}
