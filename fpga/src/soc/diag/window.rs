//! Checks a trace of the instructions inside a window against the retire log, cut the same way

use super::DiagRun;
use retire::image::Image;
use retire::isa::{flow, Flow, Indirect};
use retire::{FlowEvent, FlowKind};
use serde::Serialize;
use sim::diag::window::{Edges, Window};
use sim::params::TraceParams;
use sim::replay::{Events, Replay, ReplayError};

/// Cycles for which a hidden stretch must last if everything after it is to be traced: while its overflow message is
/// being sent, more instructions are lost.
pub const MIN_HIDDEN_CYCLES: u32 = 16;

/// Addresses that open and close a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Instruction that opens the window.
    pub opens: Option<u64>,
    /// Instruction that closes it.
    pub closes: Option<u64>,
    /// Whether the window closes with the return from the function that opened it.
    pub returns: bool,
}

impl Points {
    /// Number of generator slots that the points take.
    pub fn slots(&self) -> usize {
        usize::from(self.opens.is_some()) + usize::from(self.closes.is_some())
    }
}

/// Result of the comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Inside {
    /// Retired instructions.
    pub retired: u64,
    /// Retired instructions inside a window.
    pub inside: u64,
    /// Number of times that the window opened.
    pub windows: u64,
    /// Instructions inside a window that were traced. None outside are.
    pub traced: u64,
    /// Untraced instructions at the start of a window that opened less than [`MIN_HIDDEN_CYCLES`] cycles after the previous one
    /// closed.
    pub reopened: u64,
    /// Other untraced instructions inside a window.
    pub lost: u64,
    /// Instructions counted in overflow messages: hidden between windows, or lost. After a window that was shorter than
    /// the pipeline, hidden instructions are not counted.
    pub counted: u64,
}

/// Error of a trace that does not match the log.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WindowError {
    /// It cannot be replayed.
    #[error("the trace cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// It reports what is outside of the window.
    #[error("core {core}: 0x{pc:08x} is reported, instruction {place} of the core, which is outside of the window")]
    Outside {
        /// Core.
        core: u8,
        /// Index of the core's instruction, from 0.
        place: usize,
        /// Its address.
        pc: u32,
    },
    /// The replayed instruction differs from the log.
    #[error("core {core}, instruction {place}: replay says {replayed}, the core retired {retired}")]
    Different {
        /// Core.
        core: u8,
        /// Index of the core's instruction, from 0.
        place: usize,
        /// From the trace.
        replayed: String,
        /// From the log.
        retired: String,
    },
}

/// A retired instruction of a core.
#[derive(Clone, Copy, Debug)]
struct CoreInstruction {
    pc: u32,
    npc: u32,
    clock: u32,
    inside: bool,
    traced: bool,
}

/// Instructions that core `core` retired, with the decision of the golden window model.
fn core_instructions(run: &DiagRun, core: u8, points: Points) -> Vec<CoreInstruction> {
    let edges = Edges { opens: points.opens.map(|_| 0), closes: points.closes.map(|_| 1), returns: points.returns };
    let mut window = Window::new(edges);
    let mine = run.retired.iter().filter(|r| r.core == core);
    let each = mine.map(|r| {
        let hit = |point: Option<u64>, bit: u16| if point == Some(r.pc.into()) { bit } else { 0 };
        let (call, back) = match flow(r.insn, 32) {
            Flow::Jump { call, .. } => (call, false),
            Flow::Indirect(Indirect::Call) => (true, false),
            Flow::Indirect(Indirect::Return) => (false, true),
            Flow::Indirect(Indirect::CoSwap) => (true, true),
            _ => (false, false),
        };
        let hidden = window.retire(hit(points.opens, 1) | hit(points.closes, 2), call, back);
        CoreInstruction { pc: r.pc, npc: r.npc, clock: r.clock, inside: !hidden, traced: false }
    });
    each.collect()
}

/// Whether event `e` is right after instruction `at`.
fn fits(core_instructions: &[CoreInstruction], at: usize, e: &FlowEvent) -> bool {
    match e.kind {
        FlowKind::Start => core_instructions.get(at).is_some_and(|l| u64::from(l.pc) == e.pc),
        FlowKind::Trap { .. } => core_instructions.get(at).is_some_and(|l| u64::from(l.pc) == e.target),
        FlowKind::Stop | FlowKind::Context { .. } | FlowKind::Gap { .. } => true,
        _ => {
            let last = at.checked_sub(1).and_then(|i| core_instructions.get(i));
            last.is_some_and(|l| (u64::from(l.pc), u64::from(l.npc)) == (e.pc, e.target))
        }
    }
}

/// Whether the traced events up to the next gap can start at instruction `from`.
fn begins(core_instructions: &[CoreInstruction], from: usize, reported: &[FlowEvent]) -> bool {
    let mut at = from;
    for e in reported {
        let Some(run) = core_instructions.get(at..at + e.count as usize) else { return false };
        at += run.len();
        if !run.iter().all(|l| l.inside) || !fits(core_instructions, at, e) {
            return false;
        }
        if matches!(e.kind, FlowKind::Gap { .. }) {
            break;
        }
    }
    true
}

/// Marks the instructions of a core that the events `reported` cover, and returns the number that is counted as lost.
fn mark(core: u8, core_instructions: &mut [CoreInstruction], reported: &[FlowEvent]) -> Result<u64, WindowError> {
    // the first instruction inside a window
    let mut at = core_instructions.iter().position(|l| l.inside).unwrap_or(core_instructions.len());
    let mut counted = 0;
    for (n, e) in reported.iter().enumerate() {
        let different = |place: usize, right: Option<&CoreInstruction>| WindowError::Different {
            core,
            place,
            replayed: format!("{:?} at 0x{:08x} to 0x{:08x} after {} instructions", e.kind, e.pc, e.target, e.count),
            retired: right.map_or("nothing more".into(), |l| format!("0x{:08x} to 0x{:08x}", l.pc, l.npc)),
        };
        for place in at..at + e.count as usize {
            let Some(l) = core_instructions.get_mut(place) else { return Err(different(place, None)) };
            if !l.inside {
                return Err(WindowError::Outside { core, place, pc: l.pc });
            }
            l.traced = true;
        }
        at += e.count as usize;
        if !fits(core_instructions, at, e) {
            return Err(different(at, core_instructions.get(at)));
        }
        if let FlowKind::Gap { lost } = e.kind {
            counted += u64::from(lost);
            at += lost as usize;
            let rest = &reported[n + 1..];
            // a trace may end in a gap
            if rest.is_empty() {
                break;
            }
            // more instructions than counted, if a window was shorter than the pipeline
            let goes_on =
                |at: &usize| u64::from(core_instructions[*at].pc) == e.target && begins(core_instructions, *at, rest);
            at = (at..core_instructions.len()).find(goes_on).ok_or_else(|| different(at, core_instructions.get(at)))?;
        }
    }
    Ok(counted)
}

/// Replays `words` with the code of `image`, and compares with what the cores retired inside the window of `points`.
pub fn check(
    params: &TraceParams,
    image: &Image,
    run: &DiagRun,
    points: Points,
    words: &[u32],
) -> Result<Inside, WindowError> {
    let mut events: Vec<FlowEvent> = Vec::new();
    Replay::new(image, params, words.iter().copied())?.run(&mut Events(&mut events))?;
    let mut all = Inside::default();
    for core in 0..params.cores {
        let mut core_instructions = core_instructions(run, core, points);
        let reported: Vec<FlowEvent> = events.iter().filter(|e| e.hart == core).copied().collect();
        all.counted += mark(core, &mut core_instructions, &reported)?;
        all.retired += core_instructions.len() as u64;
        // of the open window: cycles since the previous one closed, and whether nothing has been traced since it opened
        let (mut since, mut silent, mut closed) = (u32::MAX, false, None);
        for (i, l) in core_instructions.iter().enumerate() {
            if !l.inside {
                continue;
            }
            let opens = i == 0 || !core_instructions[i - 1].inside;
            if opens {
                (since, silent) = (closed.map_or(u32::MAX, |c| l.clock - c), true);
                all.windows += 1;
            }
            silent &= !l.traced;
            all.inside += 1;
            all.traced += u64::from(l.traced);
            let reopened = silent && since < MIN_HIDDEN_CYCLES;
            all.reopened += u64::from(reopened);
            all.lost += u64::from(!l.traced && !reopened);
            closed = Some(l.clock);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: FlowKind, count: u32, pc: u64, target: u64) -> FlowEvent {
        FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 }
    }

    #[test]
    fn traced_instructions_are_those_inside_the_window() {
        let l = |pc: u32, inside| CoreInstruction { pc, npc: pc + 4, clock: pc, inside, traced: false };
        let log = [l(0, false), l(4, true), l(8, true), l(12, false), l(16, true)];
        let jump = FlowKind::Jump;
        let reported = [
            event(FlowKind::Start, 0, 4, 4),
            event(jump, 2, 8, 12),
            event(FlowKind::Gap { lost: 1 }, 0, 12, 16),
            event(jump, 1, 16, 20),
        ];
        let mut right = log;
        assert_eq!(mark(0, &mut right, &reported).unwrap(), 1);
        assert_eq!(right.map(|l| l.traced), [false, true, true, false, true]);
        // an additional instruction, outside the window; another target; another start; nothing hidden
        let mut more = reported;
        more[1] = event(jump, 3, 12, 16);
        assert!(matches!(mark(0, &mut log.clone(), &more), Err(WindowError::Outside { place: 3, .. })));
        more[1] = event(jump, 2, 8, 20);
        assert!(matches!(mark(0, &mut log.clone(), &more), Err(WindowError::Different { place: 3, .. })));
        assert!(mark(0, &mut log.clone(), &[event(FlowKind::Start, 0, 0, 0)]).is_err());
        more = reported;
        // a lower count; a count beyond the log; replay continues elsewhere
        more[2] = event(FlowKind::Gap { lost: 0 }, 0, 12, 16);
        assert_eq!(mark(0, &mut log.clone(), &more).unwrap(), 0);
        more[2] = event(FlowKind::Gap { lost: 2 }, 0, 12, 16);
        assert!(mark(0, &mut log.clone(), &more).is_err());
        more[2] = event(FlowKind::Gap { lost: 1 }, 0, 12, 20);
        assert!(mark(0, &mut log.clone(), &more).is_err());
    }
}
