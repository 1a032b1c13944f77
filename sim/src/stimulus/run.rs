//! Executes a synthetic program on several cores at once
//!
//! Produces the retire stream twice: as every retired instruction ([`Retired`], the content of an RVFI port) and as the
//! [`FlowEvent`]s that describe the same.

use super::program::{BranchPattern, Model, Op};
use super::Source;
use retire::{FlowEvent, FlowKind};

/// Behaviour of the cores.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seed of everything random.
    pub seed: u64,
    /// Cores, 1 to 16. They run the same program, each on a path of its own.
    pub cores: u8,
    /// Number of 100 cycles in which a core that is not waiting retires. 1 to 100.
    pub retire_percent: u8,
    /// Probability per instruction, in 1/65,536, that the core waits for up to 5,000 cycles.
    pub wait_per_64k: u16,
    /// Probability per instruction, in 1/65,536, that a trap precedes it.
    pub trap_per_64k: u16,
    /// Probability per return, in percent, that it skips one to three callers, as `longjmp` does.
    pub long_return_percent: u8,
}

impl Config {
    /// `cores` cores that retire in 60 % of the cycles, with a trap every 650 instructions and occasional waits.
    pub fn new(cores: u8, seed: u64) -> Self {
        Self { seed, cores, retire_percent: 60, wait_per_64k: 4, trap_per_64k: 100, long_return_percent: 2 }
    }
}

/// One retired instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Cycle in which it retires.
    pub cycle: u64,
    /// Core.
    pub hart: u8,
    /// Set on the first instruction after one or more traps (RVFI `intr`).
    pub trapped: bool,
    /// 2 or 4 bytes.
    pub len: u8,
    /// Address.
    pub pc: u64,
    /// Address of the next instruction. A trap that follows does not change it.
    pub next_pc: u64,
    /// Encoding; 16 bits if the length is 2 bytes.
    pub insn: u32,
}

/// One retired instruction with its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instruction.
    pub retired: Retired,
    /// `Start` or `Trap` before it.
    pub before: Option<FlowEvent>,
    /// Its own event, if it is a control-flow instruction.
    pub event: Option<FlowEvent>,
}

#[derive(Clone, Debug)]
struct Hart {
    source: Source,
    at: u32,
    stack: Vec<u32>,
    epc: Vec<u32>,
    /// Per instruction, how often in a row a loop branch was taken.
    loops: Vec<u16>,
    /// Per instruction, the last target of an indirect branch.
    chosen: Vec<u8>,
    deep: usize,
    count: u32,
    started: bool,
    wait: u64,
}

/// An endless iterator over the instructions of all cores, in commit order.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    model: &'a Model,
    config: Config,
    harts: Vec<Hart>,
    cycle: u64,
    hart: usize,
}

/// Bounds of the call stack and of the trap stack: beyond them the oldest entry is dropped.
const MAX_STACK: usize = 256;
const MAX_TRAPS: usize = 4;

impl<'a> Run<'a> {
    /// Starts all cores at the program's entry, up to 40 cycles apart.
    pub fn new(model: &'a Model, config: &Config) -> Self {
        let mut source = Source::seeded(config.seed);
        let n = model.code.len();
        let harts = (0..config.cores)
            .map(|_| Hart {
                wait: source.below(40),
                source: source.split(),
                at: model.entry,
                stack: Vec::new(),
                epc: Vec::new(),
                loops: vec![0; n],
                chosen: vec![0; n],
                deep: 12,
                count: 0,
                started: false,
            })
            .collect();
        Self { model, config: config.clone(), harts, cycle: 0, hart: 0 }
    }

    /// Ends the run: the `Stop` events of all cores.
    pub fn stop(self) -> Vec<FlowEvent> {
        let (model, cycle) = (self.model, self.cycle);
        let stop = |(hart, h): (usize, Hart)| {
            let pc = model.code[h.at as usize].pc;
            FlowEvent { hart: hart as u8, kind: FlowKind::Stop, len: 0, count: h.count, pc, target: pc, cycle }
        };
        self.harts.into_iter().enumerate().map(stop).collect()
    }
}

impl Iterator for Run<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.harts.is_empty() {
            return None;
        }
        loop {
            let (cycle, hart) = (self.cycle, self.hart);
            self.hart += 1;
            if self.hart == self.harts.len() {
                self.hart = 0;
                self.cycle += 1;
            }
            let h = &mut self.harts[hart];
            if h.wait > 0 {
                h.wait -= 1;
            } else if h.source.percent(self.config.retire_percent.max(1)) {
                return Some(h.retire(self.model, &self.config, hart as u8, cycle));
            }
        }
    }
}

impl Hart {
    fn retire(&mut self, model: &Model, config: &Config, hart: u8, cycle: u64) -> Step {
        let event = |kind, len, count, pc, target| FlowEvent { hart, kind, len, count, pc, target, cycle };
        let mut before = None;
        if !self.started {
            self.started = true;
            let pc = model.code[self.at as usize].pc;
            before = Some(event(FlowKind::Start, 0, 0, pc, pc));
        } else if self.source.per_64k(config.trap_per_64k) {
            let pc = model.code[self.at as usize].pc;
            let kind = self.trap(model);
            before = Some(event(kind, 0, self.count, pc, model.code[self.at as usize].pc));
            self.count = 0;
        }
        if self.source.per_64k(config.wait_per_64k) {
            self.wait = self.source.between(1, 5_000);
        }
        let trapped = matches!(before, Some(FlowEvent { kind: FlowKind::Trap { .. }, .. }));
        let insn = &model.code[self.at as usize];
        let kind = self.go(model, config);
        let next_pc = model.code[self.at as usize].pc;
        self.count += 1;
        let event = kind.map(|kind| {
            let taken = next_pc != insn.pc.wrapping_add(insn.len.into());
            let kind = if let FlowKind::Conditional { .. } = kind { FlowKind::Conditional { taken } } else { kind };
            event(kind, insn.len, std::mem::take(&mut self.count), insn.pc, next_pc)
        });
        let retired = Retired { cycle, hart, trapped, len: insn.len, pc: insn.pc, next_pc, insn: insn.bits };
        Step { retired, before, event }
    }

    /// One trap, rarely two or three before the first instruction; returns the kind of the last one.
    fn trap(&mut self, model: &Model) -> FlowKind {
        loop {
            let sequential = model.code[self.at as usize].op == Op::Sequential;
            // an `ecall` is an instruction of its own that does not retire: only a sequential one is skipped
            let interrupt = self.source.percent(60);
            if self.epc.len() == MAX_TRAPS {
                self.epc.remove(0);
            }
            self.epc.push(self.at + u32::from(!interrupt && sequential));
            self.at = model.handlers[usize::from(interrupt)];
            let cause = if interrupt { *self.source.pick(&[3, 7, 11]) } else { *self.source.pick(&[2, 5, 11, 13]) };
            if !self.source.percent(10) {
                return FlowKind::Trap { interrupt, cause };
            }
        }
    }

    fn push(&mut self) {
        if self.stack.len() == MAX_STACK {
            self.stack.remove(0);
        }
        self.stack.push(self.at + 1);
    }

    /// Chooses a target: often the same as last time, else the next, else any.
    fn choose(&mut self, targets: &[u32]) -> u32 {
        let last = usize::from(self.chosen[self.at as usize]);
        let i = match self.source.below(10) {
            0..=5 => last,
            6..=7 => last + 1,
            _ => self.source.below(targets.len() as u64) as usize,
        } % targets.len();
        self.chosen[self.at as usize] = i as u8;
        targets[i]
    }

    /// Advances; returns the kind of this instruction's event, with `taken` left false.
    fn go(&mut self, model: &Model, config: &Config) -> Option<FlowKind> {
        let at = self.at as usize;
        let (kind, next) = match &model.code[at].op {
            Op::Sequential => (None, self.at + 1),
            Op::Branch { target, pattern } => {
                let taken = match *pattern {
                    BranchPattern::Percent(p) => self.source.percent(p),
                    BranchPattern::Loop(n) => {
                        self.loops[at] = (self.loops[at] + 1) % n.max(1);
                        self.loops[at] != 0
                    }
                    BranchPattern::Deep => {
                        let end = self.stack.len() >= self.deep;
                        if end {
                            self.deep = self.source.between(2, 70) as usize;
                        }
                        end
                    }
                };
                (Some(FlowKind::Conditional { taken: false }), if taken { *target } else { self.at + 1 })
            }
            Op::Jump(target) => (Some(FlowKind::Jump), *target),
            Op::Call(target) => {
                self.push();
                (Some(FlowKind::Call), *target)
            }
            Op::IndirectJump(targets) => (Some(FlowKind::IndirectJump), self.choose(targets)),
            Op::IndirectCall(targets) => {
                let next = self.choose(targets);
                self.push();
                (Some(FlowKind::IndirectCall), next)
            }
            Op::Return => {
                if self.source.percent(config.long_return_percent) {
                    let keep = self.stack.len().saturating_sub(self.source.between(1, 3) as usize).max(2);
                    self.stack.truncate(keep);
                }
                (Some(FlowKind::Return), self.stack.pop().unwrap_or(model.entry))
            }
            Op::CoSwap(function) => {
                // main must not lose its frame: below depth 2 this is a call
                let next = if self.stack.len() < 2 { *function } else { self.stack.pop().unwrap_or(*function) };
                self.push();
                (Some(FlowKind::CoSwap), next)
            }
            Op::TrapReturn => (Some(FlowKind::TrapReturn), self.epc.pop().unwrap_or(model.entry)),
        };
        self.at = next;
        kind
    }
}

/// A complete run in memory.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Every retired instruction, in commit order.
    pub retired: Vec<Retired>,
    /// The same run as events, including each `Stop`.
    pub events: Vec<FlowEvent>,
}

/// Runs until all cores together have retired `instructions`.
pub fn record(model: &Model, config: &Config, instructions: usize) -> Recording {
    let mut run = Run::new(model, config);
    let mut recording = Recording::default();
    for step in run.by_ref().take(instructions) {
        recording.events.extend(step.before.into_iter().chain(step.event));
        recording.retired.push(step.retired);
    }
    recording.events.extend(run.stop());
    recording
}

#[cfg(test)]
mod tests {
    use super::super::program::Shape;
    use super::*;

    #[test]
    fn events_and_instructions_tell_the_same_story() {
        for (shape, cores) in [(Shape::rv32(5), 1), (Shape::rv32(6), 4), (Shape::rv64(7), 3)] {
            let model = Model::new(&shape);
            let r = record(&model, &Config::new(cores, 9), 60_000);
            let commit = |c: u64, h: u8| (c, h);
            assert!(r.retired.windows(2).all(|w| commit(w[0].cycle, w[0].hart) < commit(w[1].cycle, w[1].hart)));
            for hart in 0..cores {
                let mut insns = r.retired.iter().filter(|i| i.hart == hart);
                let mut pc = 0;
                for e in r.events.iter().filter(|e| e.hart == hart) {
                    // `count` instructions in sequence from `pc` on, the last one at `e.pc`
                    let retires = e.len != 0;
                    for k in 1..=e.count {
                        let i = insns.next().unwrap();
                        assert_eq!(i.pc, pc);
                        pc = pc.wrapping_add(i.len.into());
                        if retires && k == e.count {
                            assert_eq!((i.pc, i.len, i.next_pc, i.cycle), (e.pc, e.len, e.target, e.cycle));
                            let taken = e.target != e.fall_through();
                            assert!(!matches!(e.kind, FlowKind::Conditional { taken: t } if t != taken));
                        } else {
                            assert_eq!(i.next_pc, pc);
                        }
                    }
                    if !retires && e.kind != FlowKind::Start {
                        assert_eq!(e.pc, pc);
                    }
                    pc = e.target;
                }
                assert_eq!(insns.next(), None);
            }
        }
    }

    #[test]
    fn a_run_has_every_kind_of_event_and_deep_recursion() {
        let model = Model::new(&Shape::rv32(5));
        let mut run = Run::new(&model, &Config::new(2, 1));
        let mut kinds = std::collections::BTreeSet::new();
        let mut deepest = 0;
        let mut same_clock = 0;
        let mut places = std::collections::BTreeSet::new();
        let mut last = 0;
        for _ in 0..300_000 {
            let s = run.next().unwrap();
            deepest = deepest.max(run.harts.iter().map(|h| h.stack.len()).max().unwrap());
            same_clock += u32::from(s.retired.cycle == last);
            last = s.retired.cycle;
            places.insert(s.retired.pc);
            for e in s.before.into_iter().chain(s.event) {
                kinds.insert(format!("{:?}", e.kind).split(' ').next().unwrap().to_string());
            }
        }
        let want = "Call CoSwap Conditional IndirectCall IndirectJump Jump Return Start Trap TrapReturn";
        assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), want);
        assert!(deepest > 32 && deepest < MAX_STACK, "{deepest}");
        assert!(same_clock > 1000);
        assert!(places.len() > model.code.len() / 2, "{} of {}", places.len(), model.code.len());
    }
}
