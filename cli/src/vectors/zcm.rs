//! Instructions of Zcmp and Zcmt in a synthetic program, in place of other 2-byte instructions

use sim::stimulus::program::{Model, Op};
use sim::stimulus::Source;

/// Fields that differ are drawn from this seed.
const SEED: u64 = 3;

/// Makes half of the 2-byte returns and indirect jumps and calls of the program `cm.popret`, `cm.popretz`, `cm.jt` and `cm.jalt`, and a quarter of its
/// 2-byte sequential instructions `cm.push`, `cm.pop`, `cm.mvsa01` and `cm.mva01s`.
pub fn insert(model: &mut Model) {
    let mut source = Source::seeded(SEED);
    for i in (0..model.code.len()).filter(|&i| model.code[i].len == 2).collect::<Vec<_>>() {
        if let Some(bits) = encoding(&model.code[i].op, &mut source) {
            model.encode(i, bits);
        }
    }
    model.program.zcm = true;
}

/// An instruction that does the same, if there is one, and it is drawn.
fn encoding(op: &Op, source: &mut Source) -> Option<u32> {
    // with a list of registers, from `ra` alone to `ra` and `s0` to `s11`, and additional stack
    let stack =
        |funct8: u32, s: &mut Source| funct8 << 8 | (s.between(4, 15) as u32) << 4 | (s.bits(2) as u32) << 2 | 2;
    let table = |index: u64| 0xa002 | (index as u32) << 2;
    match op {
        Op::Sequential if source.percent(25) => Some(match source.below(4) {
            0 => stack(0xb8, source),
            1 => stack(0xba, source),
            // cm.mvsa01 s0, s1 and cm.mva01s s1, s0
            2 => 0xac26,
            _ => 0xace2,
        }),
        Op::Return if source.percent(50) => {
            let funct8 = *source.pick(&[0xbe, 0xbc]);
            Some(stack(funct8, source))
        }
        Op::IndirectJump(_) if source.percent(50) => Some(table(source.between(0, 31))),
        Op::IndirectCall(_) if source.percent(50) => Some(table(source.between(32, 255))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::image::Image;
    use retire::isa::{flow_with, zcm, Flow, Indirect};
    use sim::stimulus::program::Shape;

    #[test]
    fn every_encoding_keeps_the_behaviour_and_is_in_the_program() {
        for (shape, xlen) in [(Shape::rv32(1), 32), (Shape::rv64(1), 64)] {
            let mut model = Model::new(&shape);
            let before = model.code.clone();
            insert(&mut model);
            let image = Image::new(&model.program);
            let mut found = std::collections::BTreeSet::new();
            for (was, insn) in before.iter().zip(&model.code).filter(|(was, insn)| was.bits != insn.bits) {
                let want = match was.op {
                    Op::Sequential => Flow::Sequential,
                    Op::Return => Flow::Indirect(Indirect::Return),
                    Op::IndirectJump(_) => Flow::Indirect(Indirect::Jump),
                    _ => Flow::Indirect(Indirect::Call),
                };
                assert_eq!(flow_with(insn.bits, xlen, true), want, "insn {:#x}", insn.bits);
                assert_eq!(image.instruction(insn.pc), Some((insn.bits, 2)), "pc {:#x}", insn.pc);
                found.insert((zcm(insn.bits).map(|i| format!("{i:?}")), insn.bits >> 8 & 0xfe));
            }
            // push, pop, moves; popret, popretz; jt; jalt of low and high indices
            assert_eq!(found.len(), 8, "{found:x?}");
        }
    }
}
