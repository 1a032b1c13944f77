//! Where each core is at the end of a run, and since when it has been in the loops there
//!
//! A loop is what a jump or branch backwards within a function makes; the core is in it until it continues outside of
//! its addresses, or the function returns. A call within a loop does not leave it.

use super::stack::follower::Follower;
use super::stack::Change;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind};

/// A loop that a core is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Address of its first instruction.
    pub first: u64,
    /// Address of the last jump or branch back.
    pub last: u64,
    /// Instructions that the core had retired when it first went back.
    pub since: u64,
    /// How often it went back.
    pub rounds: u64,
}

/// A function that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub function: String,
    /// Address of the next instruction; of a function that called another one, of the call.
    pub pc: u64,
    /// Instructions that the core had retired when it was entered.
    pub since: u64,
    /// Loops of the function that it is in, the innermost first.
    pub loops: Vec<Loop>,
}

/// A load in a loop: its instruction, address and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Address of the instruction.
    pub pc: u64,
    /// Address that was read.
    pub addr: u64,
    /// Value that was read.
    pub value: u64,
}

/// Position of a core at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Core.
    pub core: u8,
    /// Address of its next instruction; none if it never retired one.
    pub pc: Option<u64>,
    /// Instructions that it retired.
    pub retired: u64,
    /// It waits for an interrupt (`wfi`).
    pub waits: bool,
    /// Functions that have not returned, the innermost first.
    pub levels: Vec<Level>,
    /// Its last load, if it was in the function that it is in.
    pub load: Option<Loaded>,
}

#[derive(Clone, Debug, Default)]
struct OfFrame {
    since: u64,
    loops: Vec<Loop>,
}

#[derive(Clone, Debug, Default)]
struct Core {
    retired: u64,
    /// Functions, the outermost first.
    frames: Vec<OfFrame>,
    load: Option<Loaded>,
    end: Option<Position>,
}

/// Follows the loops of all cores.
#[derive(Clone, Debug)]
pub struct Loops(Vec<Core>);

/// Functions that are reported.
const LEVELS: usize = 64;

impl OfFrame {
    /// The core is at `pc` in this function.
    fn at(&mut self, pc: u64) {
        while self.loops.last().is_some_and(|l| !(l.first..=l.last).contains(&pc)) {
            self.loops.pop();
        }
    }

    /// The core goes back from `pc` to `target`.
    fn back(&mut self, pc: u64, target: u64, retired: u64) {
        // an inner loop that begins later has ended
        while self.loops.last().is_some_and(|l| l.first > target) {
            self.loops.pop();
        }
        match self.loops.last_mut().filter(|l| l.first == target) {
            Some(l) => {
                l.last = l.last.max(pc);
                l.rounds += 1;
            }
            None => self.loops.push(Loop { first: target, last: pc, since: retired, rounds: 1 }),
        }
    }
}

impl Loops {
    /// At the beginning.
    pub fn new(cores: u8) -> Self {
        Self(vec![Core::default(); cores.into()])
    }

    /// The next event; it is passed on to `follower`.
    pub fn event(&mut self, e: &FlowEvent, follower: &mut Follower) {
        let core = &mut self.0[usize::from(e.hart)];
        core.retired += u64::from(e.count);
        if e.kind == FlowKind::Stop {
            core.end = Some(core.position(e, follower));
        }
        let last = if e.kind.retires() { e.pc } else { e.pc.wrapping_sub(1) };
        if let Some(frame) = core.frames.last_mut().filter(|_| e.count > 0) {
            frame.at(last);
        }
        let retired = core.retired;
        let mut same = true;
        follower.event(e, |change| match change {
            Change::Enter(_) => {
                core.frames.push(OfFrame { since: retired, loops: Vec::new() });
                same = false;
            }
            Change::Leave => {
                core.frames.pop();
                same = false;
            }
            Change::Retired(_) | Change::Switch(_) => {}
        });
        let jumps = matches!(e.kind, FlowKind::Jump | FlowKind::IndirectJump | FlowKind::Conditional { taken: true });
        if let Some(frame) = core.frames.last_mut().filter(|_| same && jumps) {
            if e.target <= e.pc {
                frame.back(e.pc, e.target, retired);
            } else {
                frame.at(e.target);
            }
        }
    }

    /// The next value.
    pub fn data(&mut self, d: &DataEvent) {
        if let DataKind::Load { addr, value, .. } = d.kind {
            self.0[usize::from(d.hart)].load = Some(Loaded { pc: d.pc, addr, value });
        }
    }

    /// Where the cores are at the end.
    pub fn positions(&self) -> Vec<Position> {
        let none = |core| Position { core, pc: None, retired: 0, waits: false, levels: Vec::new(), load: None };
        (0..).zip(&self.0).map(|(core, c)| c.end.clone().unwrap_or_else(|| none(core))).collect()
    }
}

impl Core {
    /// The position of an event that ends the run of the core.
    fn position(&self, e: &FlowEvent, follower: &Follower) -> Position {
        let frames = follower.stack(e.hart).frames();
        let mut pc = e.pc;
        let mut levels = Vec::new();
        for (frame, of) in frames.iter().zip(&self.frames).rev().take(LEVELS) {
            let mut loops = of.clone();
            if levels.is_empty() {
                loops.at(pc);
            }
            loops.loops.reverse();
            let function = follower.name(frame.function.number).to_string();
            levels.push(Level { function, pc, since: of.since, loops: loops.loops });
            pc = follower.caller(frame.back, frame.handler());
        }
        let inside = |l: &Loaded| frames.last().is_some_and(|top| top.function.holds(l.pc));
        let load = self.load.filter(inside);
        Position { core: e.hart, pc: Some(e.pc), retired: self.retired, waits: false, levels, load }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_lasts_until_the_core_continues_outside() {
        let mut frame = OfFrame::default();
        frame.back(0x120, 0x100, 10);
        frame.back(0x118, 0x110, 20);
        frame.back(0x118, 0x110, 30);
        let inner = Loop { first: 0x110, last: 0x118, since: 20, rounds: 2 };
        let outer = Loop { first: 0x100, last: 0x120, since: 10, rounds: 1 };
        assert_eq!(frame.loops, [outer, inner]);
        frame.at(0x11c);
        assert_eq!(frame.loops, [outer]);
        // a branch back from further on belongs to the same loop
        frame.back(0x124, 0x100, 40);
        assert_eq!(frame.loops, [Loop { last: 0x124, rounds: 2, ..outer }]);
        frame.at(0x128);
        assert_eq!(frame.loops, []);
    }
}
