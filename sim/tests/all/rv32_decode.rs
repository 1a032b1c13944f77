//! The decoder of the built-in simulator agrees with the `riscv-isa` crate
//!
//! Every 16-bit encoding, and 32-bit ones of every opcode. Where the crate (0.3.1) differs from the manual, the
//! manual's tables apply: see [`compressed_by_the_manual`].

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use riscv_isa::{decode_le_bytes, Instruction, Target, Xlen};
use sim::riscv::decode::{Code, Op, SINK};
use sim::riscv::Isa;

fn decode(insn: u32) -> Op {
    sim::riscv::decode::decode(insn, Isa::RV32IMAC)
}

fn target() -> Target {
    Target {
        xlen: Xlen::Rv32,
        privileged: true,
        m: true,
        a: true,
        c: true,
        zifencei: true,
        zicsr: true,
        ..Target::default()
    }
}

/// The crate's decoding in its debug form, corrected where it differs from the manual.
fn theirs(insn: u32) -> (String, u8) {
    let (decoded, len) = decode_le_bytes(&insn.to_le_bytes(), &target()).expect("four bytes are enough");
    let mut text = format!("{decoded:?}");
    // the order bits of atomics do not matter here
    if let Some(at) = text.find(", rl:") {
        text.replace_range(at.., " }");
    }
    let name = text.split(' ').next().unwrap_or_default();
    let text = match name {
        // the crate has its own names for CSR numbers and immediates
        n if n.starts_with("CSR") => {
            format!("{n} rd {} rs1 {} csr {}", insn >> 7 & 31, insn >> 15 & 31, insn >> 20)
        }
        // the 20 bits, not the value
        "LUI" | "AUIPC" => match decoded {
            Instruction::LUI { rd, imm } | Instruction::AUIPC { rd, imm } => {
                format!("{name} {{ rd: {rd}, imm: {} }}", imm << 12)
            }
            _ => text,
        },
        "FENCE" => "FENCE".into(),
        // "implementations shall ignore" reserved modes, registers and sets of a fence
        "UNIMP" if insn & 0x707f == 0x0f => "FENCE".into(),
        _ => text,
    };
    if len == 2 {
        return (compressed_by_the_manual(insn & 0xffff, text), 2);
    }
    (text, len as u8)
}

/// Corrections from the tables "RVC Instruction Listings" where the crate differs.
fn compressed_by_the_manual(insn: u32, text: String) -> String {
    let name = text.split(' ').next().unwrap_or_default();
    let (rd, rest) = (insn >> 7 & 31, insn >> 2 & 31);
    let reserved = match (insn & 3, insn >> 13) {
        (0, 0) => insn >> 5 & 0xff == 0,                       // c.addi4spn of 0
        (1, 3) => insn >> 12 & 1 == 0 && rest == 0,            // c.lui and c.addi16sp of 0
        (1, 4) => insn >> 10 & 7 == 7,                         // RV64 or reserved, including the crate's "c.and"
        (2, 2) => rd == 0,                                     // c.lwsp to x0
        (2, 4) => insn >> 12 & 1 == 0 && rd == 0 && rest == 0, // c.jr to x0
        _ => false,
    };
    match (insn & 3, insn >> 13) {
        _ if reserved || ["FLW", "FSW", "FLD", "FSD"].contains(&name) => "UNIMP".into(),
        // c.and has bit 12 clear
        (1, 4) if insn >> 10 & 7 == 3 && insn >> 5 & 3 == 3 => {
            let (rd, rs2) = ((insn >> 7 & 7) + 8, (insn >> 2 & 7) + 8);
            format!("AND {{ rd: {rd}, rs1: {rd}, rs2: {rs2} }}")
        }
        // a hint: c.nop with an immediate, which the crate drops
        (1, 0) if rd == 0 => {
            let imm = (((insn >> 12 & 1) << 5 | rest) << 26) as i32 >> 26;
            format!("ADDI {{ rd: 0, rs1: 0, imm: {imm} }}")
        }
        _ => text,
    }
}

/// This simulator's decoding in the same form.
fn ours(insn: u32) -> (String, u8) {
    let Op { code, rd, rs1, rs2, imm, len, .. } = decode(insn);
    let rd = if rd == SINK { 0 } else { rd };
    let name = format!("{code:?}").to_uppercase();
    let text = match code {
        Code::Undecoded | Code::Illegal => "UNIMP".into(),
        Code::Lui | Code::Auipc => format!("{name} {{ rd: {rd}, imm: {} }}", imm as u32),
        Code::Jal => format!("JAL {{ rd: {rd}, offset: {imm} }}"),
        Code::Jalr | Code::Lb | Code::Lh | Code::Lw | Code::Lbu | Code::Lhu => {
            format!("{name} {{ rd: {rd}, rs1: {rs1}, offset: {imm} }}")
        }
        Code::Beq | Code::Bne | Code::Blt | Code::Bge | Code::Bltu | Code::Bgeu | Code::Sb | Code::Sh | Code::Sw => {
            format!("{name} {{ rs1: {rs1}, rs2: {rs2}, offset: {imm} }}")
        }
        Code::Slli | Code::Srli | Code::Srai => format!("{name} {{ rd: {rd}, rs1: {rs1}, shamt: {imm} }}"),
        Code::Addi | Code::Slti | Code::Sltiu | Code::Xori | Code::Ori | Code::Andi => {
            format!("{name} {{ rd: {rd}, rs1: {rs1}, imm: {imm} }}")
        }
        Code::FenceI => "FENCE_I".into(),
        Code::Fence | Code::Ecall | Code::Ebreak | Code::Wfi | Code::Mret => name,
        _ => {
            // the crate prints CSR numbers in its own form: compare registers and operation
            if name.starts_with("CSR") {
                format!("{name} rd {rd} rs1 {rs1} csr {imm}")
            } else if code == Code::Lr {
                format!("LR_W {{ rd: {rd}, rs1: {rs1} }}")
            } else if code == Code::Sc || name.starts_with("AMO") {
                format!("{name}_W {{ rd: {rd}, rs1: {rs1}, rs2: {rs2} }}")
            } else {
                format!("{name} {{ rd: {rd}, rs1: {rs1}, rs2: {rs2} }}")
            }
        }
    };
    (text, len)
}

fn compare(insn: u32, differing: &mut Vec<String>) {
    let (found, expected) = (ours(insn), theirs(insn));
    if found != expected {
        differing.push(format!("0x{insn:08x}: {found:?}, riscv-isa {expected:?}"));
    }
}

#[test]
fn all_compressed_encodings_agree_with_riscv_isa() {
    let mut differing = Vec::new();
    for insn in (0..=0xffff).filter(|i| i & 3 != 3) {
        compare(insn, &mut differing);
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing[..differing.len().min(20)].join("\n"));
}

#[test]
fn full_encodings_agree_with_riscv_isa() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut differing = Vec::new();
    let mut legal = 0;
    for opcode in (0..128).filter(|o| o & 3 == 3 && o & 0x1f != 0x1f) {
        for _ in 0..20_000 {
            let mut insn: u32 = rng.random::<u32>() & !0x7f | opcode;
            // random upper fields are mostly illegal: use zero or one bit of funct7, no rs2, no rs1
            match rng.random_range(0..4) {
                0 => insn &= 0x01ff_ffff,
                1 => insn = insn & 0x01ff_ffff | 0x4000_0000,
                2 => insn = insn & 0x01ff_ffff | 0x0200_0000,
                _ => {}
            }
            if rng.random_range(0..4) == 0 {
                insn &= !0x01f0_0000;
            }
            compare(insn, &mut differing);
            legal += u32::from(decode(insn).code != Code::Illegal);
        }
    }
    for insn in [0x0000_0073, 0x0010_0073, 0x1050_0073, 0x3020_0073, 0x1020_0073, 0x1200_0073, 0x0000_100f, 0x0ff0_000f]
    {
        compare(insn, &mut differing);
    }
    assert!(legal > 100_000, "{legal} legal encodings");
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing[..differing.len().min(20)].join("\n"));
}
