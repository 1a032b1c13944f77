//! Addresses and encodings of a synthetic program

use super::insn::{Insn, Op};
use super::Source;

/// Gives every instruction its address (the first of each region keeps its own) and its encoding. A 2-byte instruction
/// that cannot reach its target becomes a 4-byte one.
pub(super) fn place(code: &mut [Insn], source: &mut Source, xlen: u8) {
    let bases: Vec<u64> = code.iter().map(|i| i.pc).collect();
    loop {
        for i in 0..code.len() {
            let next = i.checked_sub(1).map(|p| code[p].pc.wrapping_add(code[p].len.into()));
            code[i].pc = match next {
                Some(next) if bases[i] == bases[i - 1] => next,
                _ => bases[i],
            };
        }
        let long: Vec<usize> = (0..code.len()).filter(|&i| code[i].len == 2 && !short_fits(code, i, xlen)).collect();
        if long.is_empty() {
            break;
        }
        for i in long {
            code[i].len = 4;
        }
    }
    for i in 0..code.len() {
        code[i].bits = encode(code, i, source);
    }
}

fn offset(code: &[Insn], i: usize, target: u32) -> i64 {
    code[target as usize].pc.wrapping_sub(code[i].pc) as i64
}

fn short_fits(code: &[Insn], i: usize, xlen: u8) -> bool {
    let within = |t: u32, reach: i64| (-reach..reach).contains(&offset(code, i, t));
    match &code[i].op {
        Op::Branch { target, .. } => within(*target, 1 << 8),
        Op::Jump(t) => within(*t, 1 << 11),
        Op::Call(t) => xlen == 32 && within(*t, 1 << 11),
        Op::TrapReturn => false,
        _ => true,
    }
}

/// Field `v[high:low]`, moved to bit `to`.
fn field(v: i64, high: u32, low: u32, to: u32) -> u32 {
    ((v as u64 >> low) as u32 & ((1 << (high - low + 1)) - 1)) << to
}

fn encode(code: &[Insn], i: usize, s: &mut Source) -> u32 {
    let short = code[i].len == 2;
    let to = |t: u32| offset(code, i, t);
    let jalr = |rd: u32, rs1: u32| 0x67 | rd << 7 | rs1 << 15;
    let c_jr = |link: u32, rs1: u32| 0x8002 | link << 12 | rs1 << 7;
    match &code[i].op {
        // c.addi a0, n (n > 0); addi, xor, lw, sw with random fields
        Op::Sequential if short => 0x0501 | (s.between(1, 31) as u32) << 2,
        Op::Sequential => (s.bits(25) as u32) << 7 & !(7 << 12) | *s.pick(&[0x0000_0013, 0x0000_2003, 0x0000_2023]),
        Op::Branch { target, .. } if short => {
            let o = to(*target);
            let funct3 = 6 + s.bits(1) as u32; // c.beqz, c.bnez a0
            let fields = field(o, 8, 8, 12) | field(o, 4, 3, 10) | field(o, 7, 6, 5) | field(o, 2, 1, 3);
            1 | funct3 << 13 | 2 << 7 | fields | field(o, 5, 5, 2)
        }
        Op::Branch { target, .. } => {
            let o = to(*target);
            let funct3 = *s.pick(&[0, 1, 4, 5, 6, 7]);
            let registers = (s.bits(10) as u32) << 15;
            let fields = field(o, 12, 12, 31) | field(o, 10, 5, 25) | field(o, 4, 1, 8) | field(o, 11, 11, 7);
            0x63 | funct3 << 12 | registers | fields
        }
        Op::Jump(t) if short => c_j(5, to(*t)),
        Op::Call(t) if short => c_j(1, to(*t)),
        Op::Jump(t) => jal(0, to(*t)),
        Op::Call(t) => jal(*s.pick(&[1, 5]), to(*t)),
        Op::IndirectJump(_) if short => c_jr(0, 15),
        Op::IndirectJump(_) => jalr(0, 15),
        Op::IndirectCall(_) if short => c_jr(1, 15),
        Op::IndirectCall(_) => *s.pick(&[jalr(1, 15), jalr(5, 14), jalr(1, 1)]),
        Op::Return if short => c_jr(0, *s.pick(&[1, 5])),
        Op::Return => *s.pick(&[jalr(0, 1), jalr(0, 5), jalr(7, 1)]),
        Op::CoSwap(_) if short => c_jr(1, 5),
        Op::CoSwap(_) => *s.pick(&[jalr(1, 5), jalr(5, 1)]),
        Op::TrapReturn => *s.pick(&[0x3020_0073, 0x1020_0073]),
    }
}

fn jal(rd: u32, o: i64) -> u32 {
    0x6f | rd << 7 | field(o, 20, 20, 31) | field(o, 10, 1, 21) | field(o, 11, 11, 20) | field(o, 19, 12, 12)
}

fn c_j(funct3: u32, o: i64) -> u32 {
    let high = field(o, 11, 11, 12) | field(o, 4, 4, 11) | field(o, 9, 8, 9) | field(o, 10, 10, 8);
    let low = field(o, 6, 6, 7) | field(o, 7, 7, 6) | field(o, 3, 1, 3) | field(o, 5, 5, 2);
    1 | funct3 << 13 | high | low
}
