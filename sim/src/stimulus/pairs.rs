//! Inferable jumps in a synthetic program: jumps after an instruction that loads their register, as code has them that was linked without
//! relaxation

use super::program::{Model, Op};
use super::Source;

/// Loads of 100 that are made for a jump they precede, of its register and of others.
const PAIRS: u8 = 60;
const OTHERS: u8 = 20;

/// Makes most direct jumps and calls after a sequential instruction indirect, where both have 4 bytes; and most sequential instructions before an indirect jump or call a `lui`, `c.lui` or `auipc` of its register, where its code can reach
/// its target, which is then the only one; and some of them a load of another register, or of its register one instruction earlier. The handler
/// of interrupts begins with a jump of the register that most of the loads have: it is not inferable, although a load may retire before it.
pub fn insert(model: &mut Model, seed: u64) {
    let mut source = Source::seeded(seed);
    let mut loads = [0; 32];
    for jump in 1..model.code.len() {
        let load = jump - 1;
        let by_register = match model.code[jump].op {
            Op::Call(target) => Some((Op::IndirectCall(vec![target]), 0x0000_80e7)),
            Op::Jump(target) => Some((Op::IndirectJump(vec![target]), 0x0003_0067)),
            _ => None,
        };
        let both = model.code[load].op == Op::Sequential && model.code[load].len == 4 && model.code[jump].len == 4;
        if let Some((op, bits)) = by_register.filter(|_| both && source.percent(60)) {
            model.encode(jump, bits);
            model.code[jump].op = op;
        }
        let [before, insn] = [&model.code[load], &model.code[jump]];
        let follows = before.pc.wrapping_add(before.len.into()) == insn.pc;
        let (Op::IndirectJump(targets) | Op::IndirectCall(targets)) = &insn.op else { continue };
        if before.op != Op::Sequential || !follows {
            continue;
        }
        let register = if insn.len == 4 { insn.bits >> 15 & 31 } else { insn.bits >> 7 & 31 };
        let target = *source.pick(targets);
        match source.below(100) as u8 {
            n if n < PAIRS => {
                let Some((load_bits, offset)) = pair(model, load, target, register, &mut source) else { continue };
                model.encode(load, load_bits);
                model.encode(jump, model.code[jump].bits | offset << 20);
                model.code[jump].op = match model.code[jump].op {
                    Op::IndirectCall(_) => Op::IndirectCall(vec![target]),
                    _ => Op::IndirectJump(vec![target]),
                };
                loads[register as usize] += 1;
            }
            n if n < PAIRS + OTHERS && before.len == 4 => {
                let other = register ^ 1 << source.below(4);
                model.encode(load, wide(&mut source, other));
            }
            _ if load > 0 && model.code[load - 1].op == Op::Sequential && model.code[load - 1].len == 4 => {
                let early = wide(&mut source, register);
                model.encode(load - 1, early);
            }
            _ => {}
        }
    }
    let entry = model.handlers[1] as usize;
    // a jump of a link register is a return
    let most = (6..32).max_by_key(|r| loads[*r as usize]).unwrap_or_default();
    if matches!(model.code[entry].op, Op::Sequential | Op::Branch { .. }) && entry + 1 < model.code.len() {
        let by_register = if model.code[entry].len == 4 { 0x67 | most << 15 } else { 0x8002 | most << 7 };
        model.encode(entry, by_register);
        model.code[entry].op = Op::IndirectJump(vec![entry as u32 + 1]);
    }
}

/// `lui` or `auipc` of any number.
fn wide(source: &mut Source, rd: u32) -> u32 {
    (source.bits(20) as u32) << 12 | rd << 7 | *source.pick(&[0x37, 0x17])
}

/// The instruction at index `load` that loads `rd` for a jump directly after it to the instruction `target`, and the offset of that jump.
fn pair(model: &Model, load: usize, target: u32, rd: u32, source: &mut Source) -> Option<(u32, u32)> {
    let (insn, to) = (&model.code[load], model.code[target as usize].pc);
    let short_jump = model.code[load + 1].len == 2;
    let split = |value: u64| {
        // the offset is signed
        let upper = value.wrapping_add(0x800) & !0xfff;
        let wraps = model.program.xlen == 32 || i64::from(upper as i32) == upper as i64;
        (wraps && !(short_jump && value & 0xfff != 0)).then_some((upper as u32, value as u32 & 0xfff))
    };
    if insn.len == 2 {
        let (upper, offset) = split(to)?;
        let field = upper >> 12 & 0x3f;
        let reached = ((upper << 14) as i32) >> 14 == upper as i32 && field != 0;
        return reached.then_some((0x6001 | (field >> 5) << 12 | rd << 7 | (field & 31) << 2, offset));
    }
    let relative = split(to.wrapping_sub(insn.pc)).map(|(upper, offset)| (upper | rd << 7 | 0x17, offset));
    let absolute = split(to).map(|(upper, offset)| (upper | rd << 7 | 0x37, offset));
    if source.percent(50) {
        relative.or(absolute)
    } else {
        absolute.or(relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::Inference;
    use crate::platform::Platform;
    use crate::stimulus::program::Shape;
    use crate::stimulus::run::{record, Config};
    use retire::image::Image;
    use std::collections::BTreeSet;

    #[test]
    fn pairs_lead_where_the_run_goes_and_have_every_load() {
        let (mut loads, mut all) = (BTreeSet::new(), 0);
        for (shape, platform) in [
            (Shape::rv32(1), Platform::RV32),
            (Shape { compressed: false, ..Shape::rv32(2) }, Platform::RV32),
            (Shape::rv64(3), Platform { xlen: 64, ..Platform::RV32 }),
        ] {
            let mut model = Model::new(&shape);
            insert(&mut model, 5);
            let run = record(&model, &Config { trap_per_64k: 3000, ..Config::new(1, 4) }, 60_000);
            assert!(matches!(model.code[model.handlers[1] as usize].op, Op::IndirectJump(_)), "{:?}", model.handlers);
            let mut inference = Inference::new(&platform, &Image::new(&model.program));
            let inferred: Vec<_> = run.events.iter().filter(|e| inference.event(e).kind != e.kind).collect();
            assert_eq!(inference.check(), Ok(()));
            assert!(inferred.len() > 20, "{}", inferred.len());
            all += inferred.len();
            let jumps: BTreeSet<u64> = inferred.iter().map(|e| e.pc).collect();
            // the same jump is also reached in other ways
            assert!(run.events.iter().any(|e| jumps.contains(&e.pc) && e.count == 1));
            for w in model.code.windows(2).filter(|w| jumps.contains(&w[1].pc)) {
                loads.insert(if w[0].len == 2 { w[0].bits & 0xe003 } else { w[0].bits & 0x7f });
            }
        }
        assert!(all > 500, "{all}");
        assert_eq!(loads, BTreeSet::from([0x17, 0x37, 0x6001]));
    }
}
