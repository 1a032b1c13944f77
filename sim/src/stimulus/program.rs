//! Synthetic programs: real RISC-V code with realistic control flow
//!
//! A [`Model`] is a code image (an [`retire::elf::Program`]) and the behaviour of each instruction: branches with a
//! bias or a loop count, switches and indirect calls with a few targets, nested and recursive calls, trap handlers,
//! functions in distant regions. [`super::run`] executes it.

pub use super::insn::{BranchPattern, Insn, Op};
use super::Source;
use retire::elf::{Program, Segment};

/// Parameters of a [`Model`].
#[derive(Clone, Debug)]
pub struct Shape {
    /// Seed of everything random.
    pub seed: u64,
    /// 32 or 64.
    pub xlen: u8,
    /// Includes 2-byte instructions.
    pub compressed: bool,
    /// Ordinary functions, including main. At least 2.
    pub functions: u16,
    /// Code regions, ascending; at least 1 MB apart if calls between them must be indirect.
    pub regions: Vec<u64>,
}

impl Shape {
    /// RV32 with C, 40 functions in three regions that differ in their upper address bits.
    pub fn rv32(seed: u64) -> Self {
        Self {
            seed,
            xlen: 32,
            compressed: true,
            functions: 40,
            regions: vec![0x0001_0000, 0x2000_0000, 0x8000_0000, 0xffe0_0000],
        }
    }

    /// As [`Shape::rv32`] for 64-bit addresses.
    pub fn rv64(seed: u64) -> Self {
        let regions = vec![0x0001_0000, 0x8000_0000, 0x3f_ff80_0000, 0xffff_ffe0_0000_0000];
        Self { xlen: 64, regions, ..Self::rv32(seed) }
    }
}

/// A synthetic program.
#[derive(Clone, Debug)]
pub struct Model {
    /// All instructions; those of a function are contiguous.
    pub code: Vec<Insn>,
    /// The same code as an image for replay.
    pub program: Program,
    /// Index of the first instruction of main, which never returns.
    pub entry: u32,
    /// Indices of the first instruction of the exception and of the interrupt handler.
    pub handlers: [u32; 2],
}

/// An instruction before it has an address; targets are (function, block).
enum Draft {
    Sequential,
    Branch { block: usize, pattern: BranchPattern },
    Jump { block: usize },
    Call { function: usize },
    IndirectJump { blocks: Vec<usize> },
    IndirectCall { functions: Vec<usize> },
    Return,
    CoSwap { function: usize },
    TrapReturn,
}

type Block = Vec<Draft>;

impl Model {
    /// The program of the given shape.
    ///
    /// # Panics
    /// If the shape has fewer than two functions or no region.
    pub fn new(shape: &Shape) -> Self {
        assert!(shape.functions >= 2, "functions = {} is less than 2", shape.functions);
        let mut source = Source::seeded(shape.seed);
        let functions = draft(shape, &mut source);
        let last = functions.len() - 1;
        let regions: Vec<u64> = functions.iter().map(|_| *source.pick(&shape.regions)).collect();

        // flat list, in region order, with the index of every block
        let mut flat = Vec::new();
        let mut starts = vec![Vec::new(); functions.len()];
        let mut order: Vec<usize> = (0..functions.len()).collect();
        order.sort_by_key(|&f| regions[f]);
        let mut functions: Vec<_> = functions.into_iter().map(Some).collect();
        for f in order {
            for block in functions[f].take().into_iter().flatten() {
                starts[f].push(flat.len() as u32);
                flat.extend(block.into_iter().map(|d| (f, d)));
            }
        }
        let entry_of = |f: usize| starts[f][0];
        let mut code: Vec<Insn> = flat
            .into_iter()
            .map(|(f, d)| {
                let at = |blocks: &[usize]| blocks.iter().map(|&b| starts[f][b]).collect();
                let op = match d {
                    Draft::Sequential => Op::Sequential,
                    Draft::Branch { block, pattern } => Op::Branch { target: starts[f][block], pattern },
                    Draft::Jump { block } => Op::Jump(starts[f][block]),
                    Draft::Call { function } if regions[function] == regions[f] => Op::Call(entry_of(function)),
                    Draft::Call { function } => Op::IndirectCall(vec![entry_of(function)]),
                    Draft::IndirectJump { blocks } => Op::IndirectJump(at(&blocks)),
                    Draft::IndirectCall { functions } => {
                        Op::IndirectCall(functions.iter().map(|&g| entry_of(g)).collect())
                    }
                    Draft::Return => Op::Return,
                    Draft::CoSwap { function } => Op::CoSwap(entry_of(function)),
                    Draft::TrapReturn => Op::TrapReturn,
                };
                let len = if shape.compressed && source.percent(55) { 2 } else { 4 };
                Insn { pc: regions[f], len, bits: 0, op }
            })
            .collect();
        super::layout::place(&mut code, &mut source, shape.xlen);
        let program = image(&code, shape, entry_of(0));
        Self { program, entry: entry_of(0), handlers: [entry_of(last - 1), entry_of(last)], code }
    }
}

impl Model {
    /// `instructions` control-flow instructions one after the other, each of which goes anywhere among them; the last two are the
    /// handlers. A core that runs them has an event in every clock in which it retires.
    ///
    /// # Panics
    /// When there are fewer than 8 or more than 512 instructions, or the shape has no region.
    pub fn dense(shape: &Shape, instructions: u32) -> Self {
        assert!((8..=512).contains(&instructions), "instructions = {instructions} is outside 8..=512");
        let mut source = Source::seeded(shape.seed);
        let base = *source.pick(&shape.regions);
        let handlers = [instructions - 2, instructions - 1];
        let mut code: Vec<Insn> = (0..instructions)
            .map(|i| {
                let any = |s: &mut Source| s.below(handlers[0].into()) as u32;
                let several = |s: &mut Source| (0..s.between(1, 4)).map(|_| any(s)).collect();
                let op = match source.below(100) {
                    _ if i >= handlers[0] => Op::TrapReturn,
                    // nothing goes on into a handler
                    _ if i + 1 == handlers[0] => Op::Jump(0),
                    0..=44 => {
                        let pattern = BranchPattern::Percent(*source.pick(&[5, 50, 80, 95]));
                        Op::Branch { target: any(&mut source), pattern }
                    }
                    45..=54 => Op::Jump(any(&mut source)),
                    55..=64 => Op::Call(any(&mut source)),
                    65..=74 => Op::IndirectJump(several(&mut source)),
                    75..=82 => Op::IndirectCall(several(&mut source)),
                    83..=94 => Op::Return,
                    _ => Op::CoSwap(any(&mut source)),
                };
                let len = if shape.compressed && source.percent(55) { 2 } else { 4 };
                Insn { pc: base, len, bits: 0, op }
            })
            .collect();
        super::layout::place(&mut code, &mut source, shape.xlen);
        let program = image(&code, shape, 0);
        Self { program, entry: 0, handlers, code }
    }
}

impl Model {
    /// Gives the instruction with this index the encoding `bits`, of the same length.
    pub fn encode(&mut self, index: usize, bits: u32) {
        let insn = &mut self.code[index];
        insn.bits = bits;
        let (pc, len) = (insn.pc, usize::from(insn.len));
        let code = self.program.segments.iter_mut().find_map(|s| {
            let at = usize::try_from(pc.checked_sub(s.addr)?).ok()?;
            s.data.get_mut(at..at + len)
        });
        if let Some(code) = code {
            code.copy_from_slice(&bits.to_le_bytes()[..len]);
        }
    }
}

/// Function 0 is main, then ordinary ones that call only later ones, two recursive ones, and at last
/// the handlers for exceptions and interrupts.
fn draft(shape: &Shape, s: &mut Source) -> Vec<Vec<Block>> {
    let ordinary = usize::from(shape.functions);
    let callable = ordinary + 2;
    let mut all: Vec<Vec<Block>> = (0..ordinary).map(|f| function(f, callable, s)).collect();
    for f in ordinary..callable {
        all.push(recursive(f, s));
    }
    for _ in 0..2 {
        let mut blocks = vec![run(s, 6), run(s, 4), run(s, 3)];
        blocks[0].push(Draft::Branch { block: 2, pattern: BranchPattern::Percent(70) });
        blocks[1].push(Draft::Call { function: callable - 3 });
        blocks[2].push(Draft::TrapReturn);
        all.push(blocks);
    }
    all
}

/// 0 to `most` sequential instructions.
fn run(s: &mut Source, most: u64) -> Block {
    (0..s.between(0, most)).map(|_| Draft::Sequential).collect()
}

fn function(f: usize, callable: usize, s: &mut Source) -> Vec<Block> {
    let blocks = s.between(3, 12) as usize;
    let later = |s: &mut Source| f + 1 + s.below((callable - f - 1).min(9) as u64) as usize;
    (0..blocks)
        .map(|b| {
            let mut block = run(s, 10);
            let ahead = |s: &mut Source| s.between(b as u64 + 1, blocks as u64 - 1) as usize;
            if b == blocks - 1 {
                block.push(if f == 0 { Draft::Jump { block: 0 } } else { Draft::Return });
                return block;
            }
            match s.below(100) {
                0..=34 => {
                    let pattern = BranchPattern::Percent(*s.pick(&[2, 5, 20, 50, 80, 95, 98]));
                    block.push(Draft::Branch { block: ahead(s), pattern });
                }
                35..=49 => {
                    // only a loop without calls may be long: others would keep a run in one corner
                    let back = s.below(b as u64 + 1).min(2) as usize;
                    let times = if back == 0 { *s.pick(&[3, 5, 8, 17, 40]) } else { *s.pick(&[2, 3]) };
                    block.push(Draft::Branch { block: b - back, pattern: BranchPattern::Loop(times) });
                }
                50..=57 => block.push(Draft::Jump { block: ahead(s) }),
                58..=69 => block.push(Draft::Call { function: later(s) }),
                70..=76 => {
                    let functions = (0..s.between(1, 6)).map(|_| later(s)).collect();
                    block.push(Draft::IndirectCall { functions });
                }
                77..=84 => {
                    let blocks = (0..s.between(2, 6)).map(|_| ahead(s)).collect();
                    block.push(Draft::IndirectJump { blocks });
                }
                85..=87 => block.push(Draft::CoSwap { function: later(s) }),
                _ => {}
            }
            block
        })
        .collect()
}

/// Calls itself until the stack is deep, then returns from all levels.
fn recursive(f: usize, s: &mut Source) -> Vec<Block> {
    let mut blocks = vec![run(s, 4), run(s, 3), run(s, 3)];
    blocks[0].push(Draft::Branch { block: 2, pattern: BranchPattern::Deep });
    blocks[1].push(Draft::Call { function: f });
    blocks[2].push(Draft::Return);
    blocks
}

fn image(code: &[Insn], shape: &Shape, entry: u32) -> Program {
    let mut segments: Vec<Segment> = Vec::new();
    for insn in code {
        let bytes = &insn.bits.to_le_bytes()[..insn.len.into()];
        match segments.last_mut() {
            Some(s) if s.addr.wrapping_add(s.mem_size) == insn.pc => {
                s.data.extend_from_slice(bytes);
                s.mem_size += bytes.len() as u64;
            }
            _ => segments.push(Segment::code(insn.pc, bytes.to_vec())),
        }
    }
    let mut build_id = b"model".to_vec();
    build_id.extend_from_slice(&shape.seed.to_le_bytes());
    Program {
        xlen: shape.xlen,
        compressed: shape.compressed,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: code[entry as usize].pc,
        segments,
        build_id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::isa::{flow, length, Flow, Indirect};

    #[test]
    fn every_encoding_decodes_to_its_behaviour() {
        for (seed, xlen, compressed) in [(1, 32, true), (2, 32, false), (3, 64, true), (4, 64, false)] {
            let base = if xlen == 32 { Shape::rv32(seed) } else { Shape::rv64(seed) };
            let m = Model::new(&Shape { compressed, ..base });
            assert!(compressed || m.code.iter().all(|i| i.len == 4));
            let to = |i: &Insn, t: u32| m.code[t as usize].pc.wrapping_sub(i.pc) as i64 as i32;
            for i in &m.code {
                assert_eq!(length(i.bits as u16), i.len);
                let want = match &i.op {
                    Op::Sequential => Flow::Sequential,
                    Op::Branch { target, .. } => Flow::Conditional { offset: to(i, *target) },
                    Op::Jump(t) => Flow::Jump { offset: to(i, *t), call: false },
                    Op::Call(t) => Flow::Jump { offset: to(i, *t), call: true },
                    Op::IndirectJump(_) => Flow::Indirect(Indirect::Jump),
                    Op::IndirectCall(_) => Flow::Indirect(Indirect::Call),
                    Op::Return => Flow::Indirect(Indirect::Return),
                    Op::CoSwap(_) => Flow::Indirect(Indirect::CoSwap),
                    Op::TrapReturn => Flow::TrapReturn,
                };
                assert_eq!(flow(i.bits, xlen), want, "seed {seed}, pc {:#x}, insn {:#x}", i.pc, i.bits);
            }
        }
    }

    #[test]
    fn a_dense_program_has_an_event_at_every_instruction() {
        let m = Model::dense(&Shape::rv32(3), 256);
        for i in &m.code {
            assert_eq!(length(i.bits as u16), i.len);
            assert_ne!(flow(i.bits, 32), Flow::Sequential, "pc {:#x}", i.pc);
        }
        let config = super::super::run::Config::new(2, 1);
        let run = super::super::run::Run::new(&m, &config);
        assert!(run.take(5_000).all(|step| step.event.is_some_and(|e| e.count == 1)));
    }

    #[test]
    fn a_program_has_every_kind_of_branch_and_all_regions() {
        let m = Model::new(&Shape::rv32(7));
        let has = |f: fn(&Op) -> bool| m.code.iter().any(|i| f(&i.op));
        assert!(has(|o| matches!(o, Op::Branch { pattern: BranchPattern::Loop(_), .. })));
        assert!(has(|o| matches!(o, Op::Branch { pattern: BranchPattern::Deep, .. })));
        assert!(has(|o| matches!(o, Op::Jump(_))) && has(|o| matches!(o, Op::Call(_))));
        assert!(has(|o| matches!(o, Op::IndirectJump(t) if t.len() > 1)));
        assert!(has(|o| matches!(o, Op::IndirectCall(t) if t.len() > 1)));
        assert!(has(|o| matches!(o, Op::CoSwap(_))) && has(|o| matches!(o, Op::TrapReturn)));
        assert_eq!(m.program.segments.len(), 4);
        let text: usize = m.program.segments.iter().map(|s| s.data.len()).sum();
        assert_eq!(text, m.code.iter().map(|i| usize::from(i.len)).sum::<usize>());
    }
}
