//! Every instruction of RV32IMAC behaves as in the unprivileged ISA, including corner cases
//!
//! Expected values are derived from the ISA manual, not taken from a run.

use crate::rv32_support::*;

const MIN: u32 = 0x8000_0000;
const ONES: u32 = u32::MAX;
const CORNERS: [u32; 9] = [0, 1, 2, 31, 0x7fff_ffff, MIN, 0x8000_0001, ONES, 0x1234_5678];

/// One register-register instruction: `funct7`, `funct3`, and its meaning in 128-bit arithmetic.
type Meaning = (&'static str, u32, u32, fn(u32, u32) -> u32);

fn wide(v: u32) -> i128 {
    i128::from(v as i32)
}

const REGISTER: [Meaning; 18] = [
    ("add", 0, 0, |a, b| (wide(a) + wide(b)) as u32),
    ("sub", 0x20, 0, |a, b| (wide(a) - wide(b)) as u32),
    ("sll", 0, 1, |a, b| (u64::from(a) << (b % 32)) as u32),
    ("slt", 0, 2, |a, b| (wide(a) < wide(b)).into()),
    ("sltu", 0, 3, |a, b| (a < b).into()),
    ("xor", 0, 4, |a, b| (a | b) & !(a & b)),
    ("srl", 0, 5, |a, b| (u64::from(a) >> (b % 32)) as u32),
    ("sra", 0x20, 5, |a, b| (wide(a) >> (b % 32)) as u32),
    ("or", 0, 6, |a, b| !(!a & !b)),
    ("and", 0, 7, |a, b| !(!a | !b)),
    ("mul", 1, 0, |a, b| (wide(a) * wide(b)) as u32),
    ("mulh", 1, 1, |a, b| ((wide(a) * wide(b)) >> 32) as u32),
    ("mulhsu", 1, 2, |a, b| ((wide(a) * i128::from(b)) >> 32) as u32),
    ("mulhu", 1, 3, |a, b| ((u128::from(a) * u128::from(b)) >> 32) as u32),
    ("div", 1, 4, |a, b| if b == 0 { ONES } else { (wide(a) / wide(b)) as u32 }),
    ("divu", 1, 5, |a, b| if b == 0 { ONES } else { (u128::from(a) / u128::from(b)) as u32 }),
    ("rem", 1, 6, |a, b| if b == 0 { a } else { (wide(a) % wide(b)) as u32 }),
    ("remu", 1, 7, |a, b| if b == 0 { a } else { (u128::from(a) % u128::from(b)) as u32 }),
];

#[test]
fn register_instructions_follow_the_manual_at_every_pair_of_corners() {
    for (name, f7, f3, meaning) in REGISTER {
        for a in CORNERS {
            for b in CORNERS {
                let found = eval(a, b, &[r(f7, f3, T2, T0, T1)]);
                assert_eq!(found, meaning(a, b), "{name} of 0x{a:x} and 0x{b:x}");
            }
        }
    }
}

#[test]
fn division_by_zero_and_overflow_give_the_values_of_the_table() {
    let div = |f3, a, b| eval(a, b, &[r(1, f3, T2, T0, T1)]);
    assert_eq!([4, 5, 6, 7].map(|f3| div(f3, 7, 0)), [ONES, ONES, 7, 7]);
    assert_eq!((div(4, MIN, ONES), div(6, MIN, ONES)), (MIN, 0));
    assert_eq!((div(4, -7i32 as u32, 2), div(6, -7i32 as u32, 2)), (-3i32 as u32, -1i32 as u32));
}

#[test]
fn immediate_instructions_extend_the_sign_of_twelve_bits() {
    let imm = |f3, a, v| eval(a, 0, &[i(0x13, f3, T2, T0, v)]);
    assert_eq!(imm(0, 1, -2048), (-2047i32) as u32); // addi
    assert_eq!(imm(0, ONES, 2047), 2046);
    assert_eq!((imm(2, MIN, -1), imm(2, 5, -1)), (1, 0)); // slti
    assert_eq!((imm(3, 5, -1), imm(3, ONES, -1), imm(3, 0, 1)), (1, 0, 1)); // sltiu: imm as unsigned
    assert_eq!(imm(4, 0x0f0f, -1), 0xffff_f0f0); // xori
    assert_eq!(imm(6, 1, -2048), 0xffff_f801); // ori
    assert_eq!(imm(7, 0xabcd_ef12, -256), 0xabcd_ef00); // andi
    assert_eq!((imm(1, 3, 31), imm(1, 3, 0)), (MIN, 3)); // slli
    assert_eq!((imm(5, MIN, 31), imm(5, MIN, 0)), (1, MIN)); // srli
    assert_eq!((imm(5, MIN, 0x400 | 31), imm(5, 0x4000_0000, 0x400 | 30)), (ONES, 1)); // srai
    assert_eq!(eval(0, 0, &[lui(T2, 0xffff_f000)]), 0xffff_f000);
    // after three `li` of two instructions each
    assert_eq!(eval(0, 0, &[auipc(T2, 0x7000_0000)]), BASE.wrapping_add(24).wrapping_add(0x7000_0000));
}

#[test]
fn x0_reads_zero_after_every_kind_of_write() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, 7).put(&[sw(T0, S0, 4)]);
    let writes = [
        addi(ZERO, T0, 1),
        lui(ZERO, 0x1000),
        auipc(ZERO, 0x1000),
        r(1, 0, ZERO, T0, T0),
        lw(ZERO, S0, 4),
        jal(ZERO, 4),
        csrr(ZERO, MSTATUS),
        amo(0, ZERO, S0, T0),
    ];
    for w in writes {
        asm.put(&[w, sw(ZERO, S0, 0)]);
    }
    // the amo writes its own sum
    let mut expected = vec![0; writes.len() + 1];
    expected[writes.len() - 1] = 7;
    assert_eq!(asm.exit().run().out(), expected);
}

#[test]
fn loads_extend_and_stores_cut() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(S1, DATA + 0x100).li(T0, 0x80ff_7f81).put(&[sw(T0, S1, 0)]);
    for (f3, offset) in [(0, 0), (0, 1), (4, 0), (4, 2), (1, 0), (1, 2), (5, 2), (2, 0), (1, 1), (5, 1)] {
        asm.put(&[load(f3, T1, S1, offset)]).out(T1);
    }
    // sb and sh do not change the other bytes; a word crosses a word boundary
    asm.li(T0, 0xaabb_ccdd).put(&[store(0, T0, S1, 3), lw(T1, S1, 0)]).out(T1);
    asm.put(&[store(1, T0, S1, 1), lw(T1, S1, 0)]).out(T1);
    asm.put(&[sw(ZERO, S1, 4), sw(T0, S1, 2), lw(T1, S1, 0)]).out(T1).put(&[lw(T1, S1, 4)]).out(T1);
    asm.put(&[lw(T1, S1, 2)]).out(T1).put(&[addi(S1, S1, 0x7f), lw(T1, S1, -0x7f + 4)]).out(T1);
    let expected = [
        0xffff_ff81,
        0x7f,
        0x81,
        0xff,
        0x7f81,
        0xffff_80ff,
        0x80ff,
        0x80ff_7f81,
        0xffff_ff7f,
        0xff7f,
        0xddff_7f81,
        0xddcc_dd81,
        0xccdd_dd81,
        0x0000_aabb,
        0xaabb_ccdd,
        0x0000_aabb,
    ];
    assert_eq!(asm.exit().run().out(), expected);
}

#[test]
fn branches_compare_signed_and_unsigned() {
    let taken = |f3, a, b| eval(a, b, &[addi(T2, ZERO, 1), branch(f3, T0, T1, 8), addi(T2, ZERO, 0)]);
    for a in CORNERS {
        for b in CORNERS {
            let signed = (a as i32).cmp(&(b as i32));
            let unsigned = a.cmp(&b);
            let expected =
                [a == b, a != b, signed.is_lt(), signed.is_ge(), unsigned.is_lt(), unsigned.is_ge()].map(u32::from);
            assert_eq!([0, 1, 4, 5, 6, 7].map(|f3| taken(f3, a, b)), expected, "0x{a:x} and 0x{b:x}");
        }
    }
}

#[test]
fn jumps_link_the_next_instruction_and_drop_bit_0() {
    // after three `li`: BASE + 24
    assert_eq!(eval(0, 0, &[jal(T2, 8), addi(T2, ZERO, 0)]), BASE + 28);
    assert_eq!(eval(BASE + 33, 0, &[jalr(T2, T0, 0), addi(T2, ZERO, 0)]), BASE + 28);
    // rd = rs1: the target is the old value
    assert_eq!(eval(BASE, 0, &[addi(T2, T0, 36), jalr(T2, T2, 0), addi(T2, ZERO, 0)]), BASE + 32);
}

#[test]
fn atomics_give_the_old_value_and_store_the_new_one() {
    let cases: [Meaning; 9] = [
        ("amoswap", 1, 0, |_, b| b),
        ("amoadd", 0, 0, |a, b| (wide(a) + wide(b)) as u32),
        ("amoxor", 4, 0, |a, b| (a | b) & !(a & b)),
        ("amoand", 12, 0, |a, b| !(!a | !b)),
        ("amoor", 8, 0, |a, b| !(!a & !b)),
        ("amomin", 16, 0, |a, b| if wide(a) < wide(b) { a } else { b }),
        ("amomax", 20, 0, |a, b| if wide(a) > wide(b) { a } else { b }),
        ("amominu", 24, 0, |a, b| if a < b { a } else { b }),
        ("amomaxu", 28, 0, |a, b| if a > b { a } else { b }),
    ];
    for (name, f5, _, meaning) in cases {
        for a in CORNERS {
            for b in CORNERS {
                for ordering in 0..4 {
                    let insn = amo(f5, T2, S0, T1) | ordering << 25;
                    let log = Asm::new().li(S0, DATA).li(T0, a).li(T1, b).out(T0).put(&[insn]).out(T2).exit().run();
                    assert_eq!(log.out(), [a, meaning(a, b), a], "{name} of 0x{a:x} and 0x{b:x}");
                }
            }
        }
    }
    // rd is also the operand
    let log = Asm::new().li(S0, DATA).li(T0, 5).li(T1, 9).out(T0).put(&[amo(0, T1, S0, T1)]).out(T1).exit().run();
    assert_eq!(log.out(), [5, 14, 5]);
}

#[test]
fn sc_succeeds_once_and_only_with_its_reservation() {
    let run = |body: &[u32]| {
        let mut asm = Asm::new();
        asm.li(S0, DATA).li(S1, DATA + 64).li(T0, 1).put(body).out(T2);
        asm.exit().run().out()
    };
    assert_eq!(run(&[sc(T2, S1, T0)]), [1]); // no reservation
    assert_eq!(run(&[lr(T1, S1), sc(T2, S1, T0)]), [0]);
    assert_eq!(run(&[lr(T1, S1), sc(T2, S1, T0), sc(T2, S1, T0)]), [1]); // used up
    assert_eq!(run(&[lr(T1, S1), addi(A0, S1, 4), sc(T2, A0, T0), sc(A1, S1, T0)]), [1]); // another word
    assert_eq!(run(&[lr(T1, S1), addi(A0, S1, 4), sc(A1, A0, T0), sc(T2, S1, T0)]), [1]); // lost to a failed one
    assert_eq!(run(&[lr(T1, S1), sw(T0, S1, 4), sc(T2, S1, T0)]), [0]); // a store elsewhere
    assert_eq!(run(&[lr(T1, S1), addi(A0, S1, 4), lr(T1, A0), sc(T2, S1, T0)]), [1]); // the latest one counts
                                                                                      // a failed sc stores nothing
    assert_eq!(run(&[sw(ZERO, S1, 0), sc(T2, S1, T0), lw(T2, S1, 0)]), [0]);
    assert_eq!(run(&[sw(ZERO, S1, 0), lr(T1, S1), sc(T2, S1, T0), lw(T2, S1, 0)]), [1]);
}

#[test]
fn code_written_by_the_program_runs_after_fence_i() {
    // calls a function that returns 1, rewrites it to return 2, fences, calls it again; also with 16-bit code
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(S1, BASE + 0x100);
    asm.put(&[jalr(RA, S1, 0)]).out(A0);
    asm.li(T0, addi(A0, ZERO, 2)).put(&[sw(T0, S1, 0), FENCE_I, jalr(RA, S1, 0)]).out(A0);
    asm.li(T0, 0x4515).put(&[store(1, T0, S1, 0), addi(T0, ZERO, 1), store(1, T0, S1, 2), FENCE_I]); // c.li a0, 5; c.nop
    asm.put(&[jalr(RA, S1, 0)]).out(A0);
    // the other half of an instruction that has been decoded already
    asm.li(T0, addi(A0, ZERO, 9)).put(&[sw(T0, S1, 0), FENCE_I, jalr(RA, S1, 0)]).out(A0);
    asm.put(&[addi(T0, ZERO, 0xb0), store(1, T0, S1, 2), FENCE_I, jalr(RA, S1, 0)]).out(A0);
    asm.exit().org(0x100).put(&[addi(A0, ZERO, 1), jalr(ZERO, RA, 0)]);
    assert_eq!(asm.run().out(), [1, 2, 5, 9, 11]);
}

/// Encodings from `riscv64-unknown-elf-as -march=rv32imac`; t0 = x5, s0 = x8, s1 = x9, a0 = x10.
#[test]
fn compressed_instructions_do_what_their_long_forms_do() {
    // s0 = output, s1 = data with 0x8765_4321, a0 = 0xf000_000f, a1 = 0x0f0f_0f0f; result in a0
    let run = |halves: &[u16]| {
        let mut asm = Asm::new();
        asm.li(S0, DATA).li(S1, DATA + 64).li(SP, DATA + 64).li(A0, 0x8765_4321).put(&[sw(A0, S1, 4)]);
        asm.li(A0, 0xf000_000f).li(A1, 0x0f0f_0f0f);
        for h in halves {
            asm.half(*h);
        }
        asm.out(A0).exit().run().out()[0]
    };
    assert_eq!(run(&[0x0028]), DATA + 64 + 8); // c.addi4spn a0, sp, 8
    assert_eq!(run(&[0x40c8]), 0x8765_4321); // c.lw a0, 4(s1)
    assert_eq!(run(&[0xc0cc, 0x40c8]), 0x0f0f_0f0f); // c.sw a1, 4(s1); c.lw
    assert_eq!(run(&[0x157d]), 0xf000_000e); // c.addi a0, -1
    assert_eq!(run(&[0x557d]), ONES); // c.li a0, -1
    assert_eq!(run(&[0x757d]), 0xffff_f000); // c.lui a0, 0xfffff
    assert_eq!(run(&[0x717d, 0x850a]), DATA + 64 - 16); // c.addi16sp -16; c.mv a0, sp
    assert_eq!(run(&[0x8111]), 0x0f00_0000); // c.srli a0, 4
    assert_eq!(run(&[0x8511]), 0xff00_0000); // c.srai a0, 4
    assert_eq!(run(&[0x8919]), 6); // c.andi a0, 6
    assert_eq!(run(&[0x8d0d]), 0xf000_000fu32.wrapping_sub(0x0f0f_0f0f)); // c.sub a0, a1
    assert_eq!(run(&[0x8d2d]), 0xff0f_0f00); // c.xor
    assert_eq!(run(&[0x8d4d]), 0xff0f_0f0f); // c.or
    assert_eq!(run(&[0x8d6d]), 0x0000_000f); // c.and
    assert_eq!(run(&[0x0512]), 0x0000_00f0); // c.slli a0, 4
    assert_eq!(run(&[0x4512]), 0x8765_4321); // c.lwsp a0, 4(sp)
    assert_eq!(run(&[0xc22e, 0x4512]), 0x0f0f_0f0f); // c.swsp a1, 4(sp)
    assert_eq!(run(&[0x852e]), 0x0f0f_0f0f); // c.mv a0, a1
    assert_eq!(run(&[0x952e]), 0xff0f_0f1e); // c.add a0, a1
    assert_eq!(run(&[0xa011, 0x557d]), 0xf000_000f); // c.j .+4 over c.li
    assert_eq!(run(&[0x2011, 0x557d, 0x8506]), BASE + 54); // c.jal .+4; c.li; c.mv a0, ra
    assert_eq!(run(&[0xc111, 0x557d]), ONES); // c.beqz a0, .+4: not taken
    assert_eq!(run(&[0xe111, 0x557d]), 0xf000_000f); // c.bnez a0, .+4: taken
    assert_eq!(run(&[0x0001]), 0xf000_000f); // c.nop
}
