//! Random programs and random walks through them: paths that a simulator would hardly take
//!
//! A program is random code of jumps, branches, calls and returns. A walk takes random outcomes, targets and traps, so
//! that every message kind and every corner case of the predictors occurs.

pub mod damage;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::{Program, Segment};
use retire::image::{ExitKind, Image};
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind};

/// Start of the code.
pub const BASE: u64 = 0x8000_0000;

/// Random code of `slots` halfwords that ends with a jump to itself.
pub fn program(seed: u64, slots: usize) -> Program {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut code: Vec<u16> = Vec::new();
    while code.len() < slots {
        let word = |w: u32, code: &mut Vec<u16>| code.extend([w as u16, (w >> 16) as u16]);
        // an even offset, in halfwords, within the code and a limited distance
        let here = code.len() as i64;
        let to = rng.random_range(0..slots as i64).clamp(here - 100, here + 100) - here;
        let offset = (2 * to) as u32;
        match rng.random_range(0..20) {
            0..5 => code.push(0x0001),                  // c.nop
            5..8 => word(0x0000_0013, &mut code),       // nop
            8..13 => word(branch(offset), &mut code),   // beq x0, x0
            13 => word(jal(0, offset), &mut code),      // j
            14 | 15 => word(jal(1, offset), &mut code), // jal ra
            16 => code.push(0x8082),                    // ret
            17 => code.push(0x9782),                    // c.jalr a5
            18 => word(0x0002_80e7, &mut code),         // jalr ra, 0(t0): co-swap
            _ => match rng.random_range(0..3) {
                0 => code.push(0x8782),            // c.jr a5
                1 => word(0x3020_0073, &mut code), // mret
                _ => word(0x0000_8067, &mut code), // ret
            },
        }
    }
    code.push(0xa001); // c.j .
    let data: Vec<u8> = code.iter().flat_map(|h| h.to_le_bytes()).collect();
    Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: BASE,
        segments: vec![Segment::code(BASE, data)],
        build_id: seed.to_le_bytes().to_vec(),
    }
}

fn branch(o: u32) -> u32 {
    0x63 | (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7
}

fn jal(rd: u32, o: u32) -> u32 {
    0x6f | rd << 7 | (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12
}

struct Walker {
    pc: u64,
    since: u32,
    stack: Vec<u64>,
}

/// At least `events` events of a walk of `harts` harts, in global commit order, including stops.
pub fn walk(image: &Image, slots: usize, harts: u8, seed: u64, events: usize) -> Vec<FlowEvent> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = Vec::new();
    let mut cycle = 0;
    let anywhere = |rng: &mut ChaCha8Rng| BASE + 2 * rng.random_range(0..slots as u64);
    let mut walkers: Vec<Walker> = (0..harts).map(|_| Walker { pc: 0, since: 0, stack: Vec::new() }).collect();
    for (hart, w) in walkers.iter_mut().enumerate() {
        w.pc = anywhere(&mut rng);
        cycle += rng.random_range(0..3);
        out.push(event(hart as u8, FlowKind::Start, 0, 0, w.pc, w.pc, cycle));
    }
    while out.len() < events {
        let hart = rng.random_range(0..harts);
        let w = &mut walkers[usize::from(hart)];
        cycle += if rng.random_ratio(1, 500) { rng.random_range(0..90_000) } else { rng.random_range(0..9) };
        // global commit order: within one cycle by hart, and each hart once
        if out.last().is_some_and(|e: &FlowEvent| e.cycle == cycle && e.hart >= hart) {
            cycle += 1;
        }
        let (count, exit) = image.run(w.pc).expect("walks stay in the code");
        if rng.random_ratio(1, 60) || exit.kind == ExitKind::End {
            // a trap, somewhere in the run
            let n = rng.random_range(0..count.max(1));
            let pc = image.skip(w.pc, n).expect("inside the run");
            let target = anywhere(&mut rng);
            let kind = FlowKind::Trap { interrupt: rng.random(), cause: 3 };
            out.push(event(hart, kind, 0, w.since + n, pc, target, cycle));
            (w.pc, w.since) = (target, 0);
            continue;
        }
        let link = exit.pc + u64::from(exit.len);
        let any = if rng.random_ratio(3, 4) { BASE + 2 * rng.random_range(0..6) } else { anywhere(&mut rng) };
        let popped = |w: &mut Walker, rng: &mut ChaCha8Rng| match w.stack.pop() {
            Some(link) if rng.random_ratio(9, 10) => link,
            _ => any,
        };
        let (kind, target) = match exit.kind {
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => {
                w.stack.push(link);
                (FlowKind::Call, exit.target)
            }
            ExitKind::Conditional => {
                // mostly biased by address; a branch to its fall-through is never taken
                let bias = exit.pc >> 3 & 1 == 1;
                let taken = (rng.random_ratio(1, 8) ^ bias) && exit.target != link;
                (FlowKind::Conditional { taken }, if taken { exit.target } else { link })
            }
            ExitKind::Indirect(_, kind) => {
                let target = match kind {
                    FlowKind::Return => popped(w, &mut rng),
                    FlowKind::CoSwap => {
                        let t = popped(w, &mut rng);
                        w.stack.push(link);
                        t
                    }
                    FlowKind::IndirectCall => {
                        w.stack.push(link);
                        any
                    }
                    _ => any,
                };
                (kind, target)
            }
            ExitKind::ConditionalIndirect(_) => unreachable!("no instruction of RISC-V is one"),
            ExitKind::End => unreachable!("taken as a trap above"),
        };
        // a branch may lead out of the code; a walk must not, so it traps instead
        if image.run(target).is_none() {
            let to = anywhere(&mut rng);
            let pc = w.pc;
            out.push(event(hart, FlowKind::Trap { interrupt: true, cause: 7 }, 0, w.since, pc, to, cycle));
            (w.pc, w.since) = (to, 0);
            continue;
        }
        out.push(event(hart, kind, exit.len, w.since + count, exit.pc, target, cycle));
        (w.pc, w.since) = (target, 0);
    }
    for (hart, w) in walkers.iter().enumerate() {
        out.push(event(hart as u8, FlowKind::Stop, 0, w.since, w.pc, w.pc, cycle));
    }
    out
}

fn event(hart: u8, kind: FlowKind, len: u8, count: u32, pc: u64, target: u64, cycle: u64) -> FlowEvent {
    FlowEvent { hart, kind, len, count, pc, target, cycle }
}

/// Random valid parameters of the schemes T-raptor and Nexus-like: sizes, chunk sizes and cores.
pub fn params(rng: &mut impl Rng, cores: u8) -> sim::params::TraceParams {
    use sim::params::{Chunks, Coding, NexusParams, TrParams, TraceParams};
    let pick = |rng: &mut dyn Rng, of: &[u16]| of[rng.next_u32() as usize % of.len()];
    let chunks = |rng: &mut dyn Rng| Chunks::new((rng.next_u32() % 16 + 1) as u8, (rng.next_u32() % 16 + 1) as u8);
    let coding = Coding { b_cnt: chunks(rng), diff_ta: chunks(rng), diff_cc: chunks(rng), i_cnt: chunks(rng) };
    let (pc_shift, upper_bits) = (pick(rng, &[0, 1, 2, 4]) as u8, pick(rng, &[0, 12]) as u8);
    let sizes = TrParams::sizes(
        pick(rng, &[256, 512, 1024, 2048, 4096]),
        pick(rng, &[0, 8, 16, 32]) as u8,
        pick(rng, &[0, 16, 32, 64]) as u8,
    );
    let mut p = match rng.next_u32() % 4 {
        0 => TraceParams::nexus(NexusParams::NxB(coding)),
        1 => TraceParams::nexus(NexusParams::NexS),
        _ => TraceParams::tr(TrParams { pc_shift, upper_bits, ..sizes.coded(coding) }),
    };
    p.cores = cores;
    p.timestamps = rng.random();
    p.count_bits = 16;
    p.cc_bits = pick(rng, &[16, 32]) as u8;
    p
}

/// The walk of a machine with conditional indirect branches: replaces some of the branches.
pub fn with_conditional_indirects(events: &mut [FlowEvent]) {
    let hows = [Indirect::Jump, Indirect::Return, Indirect::Call];
    for e in events {
        let how = hows[(e.pc >> 2) as usize % 3];
        e.kind = match (e.kind, e.pc >> 1 & 3) {
            (FlowKind::Conditional { taken }, 0 | 1) => FlowKind::ConditionalIndirect { how, taken },
            (FlowKind::IndirectJump | FlowKind::IndirectCall | FlowKind::Return, 0..=2) => {
                FlowKind::ConditionalIndirect { how, taken: e.target != e.fall_through() }
            }
            (kind, _) => kind,
        };
    }
}
