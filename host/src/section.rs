//! A section of a run: from the first time that a core reaches an address until one reaches another
//!
//! The straight instructions between two events are not divided, as this needs their lengths: a section begins with those
//! that contain the first address, and ends with those that contain the last. The entry of a function is nearly always the target of
//! a call, so that the section begins exactly there. An address within an instruction counts as that of the instruction.

use crate::progress::Progress;
use crate::run::Run;
use crate::HostError;
use retire::code::{Change, Code};
use retire::{Context, DataEvent, FlowEvent, FlowKind, NullSink, RetireSink};
use std::collections::HashSet;

/// An address, and how the user named it, such as `` `--from main` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The address.
    pub address: u64,
    /// Option and value.
    pub text: String,
}

/// Where a section begins and ends; `None`: with the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The first address.
    pub from: Option<Bound>,
    /// The last address, looked for after the first.
    pub to: Option<Bound>,
}

impl Bounds {
    /// Whether the section is the whole run.
    pub fn are_open(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
}

/// What a section contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Instructions of each hart before the section.
    pub skipped: Vec<u64>,
    /// Instructions of the section, all harts.
    pub instructions: u64,
    /// Last cycle of the section.
    pub cycles: u64,
    /// Whether a core reached [`Bounds::to`].
    pub ended: bool,
}

impl Extent {
    /// The code of a recording for its section: changes before it have taken place.
    pub fn code(&self, code: Code) -> Code {
        let mut changes: Vec<Change> = Vec::new();
        for (hart, skipped) in self.skipped.iter().enumerate() {
            let of = || code.changes.iter().filter(|change| usize::from(change.hart) == hart);
            let start = |change: &Change| code.blocks.get(change.block as usize).map(|block| block.start);
            // the last change of each address counts
            let mut seen = HashSet::new();
            let before = of().filter(|change| change.retired <= *skipped);
            let mut before: Vec<Change> = before.copied().collect();
            before.reverse();
            before.retain(|change| seen.insert(start(change)));
            before.reverse();
            changes.extend(before.into_iter().map(|change| Change { retired: 0, ..change }));
            let later = of().filter(|change| change.retired > *skipped);
            changes.extend(later.map(|change| Change { retired: change.retired - skipped, ..*change }));
        }
        Code { changes, ..code }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    After,
}

/// Position of a hart.
#[derive(Clone, Debug)]
struct Position {
    started: bool,
    /// Address after its last event, and the cycle of that event.
    next: u64,
    cycle: u64,
    context: Context,
    retired: u64,
    /// A change of context that belongs to the event that follows.
    held: Option<FlowEvent>,
    /// Data since its last event, before the section.
    data: Vec<DataEvent>,
}

/// The extent of a section of `run`.
///
/// # Errors
/// The run cannot be read, or no core reaches the first address.
fn find(run: &Run<'_>, bounds: &Bounds, progress: &dyn Progress) -> Result<Extent, HostError> {
    let mut section = Section::new(NullSink, bounds, run.harts);
    run.report_to(&mut section, progress)?;
    Ok(section.finish(&run.name())?.1)
}

/// The code that a section of `run` needs, of a recording that carries code; `whole` is that of the run.
///
/// # Errors
/// The run cannot be read, or no core reaches the first address.
pub fn code_of(
    run: &Run<'_>,
    whole: Option<Code>,
    bounds: &Bounds,
    progress: &dyn Progress,
) -> Result<Option<Code>, HostError> {
    Ok(match whole {
        Some(whole) if !whole.changes.is_empty() && !bounds.are_open() => {
            Some(find(run, bounds, progress)?.code(whole))
        }
        whole => whole,
    })
}

/// A sink that passes a section on.
pub struct Section<'b, S> {
    sink: S,
    bounds: &'b Bounds,
    state: State,
    harts: Vec<Position>,
    extent: Extent,
}

impl<'b, S: RetireSink> Section<'b, S> {
    /// The section of a run with `harts` harts.
    pub fn new(sink: S, bounds: &'b Bounds, harts: u8) -> Self {
        let position = Position {
            started: false,
            next: 0,
            cycle: 0,
            context: Context::RESET,
            retired: 0,
            held: None,
            data: Vec::new(),
        };
        let state = if bounds.from.is_none() { State::Inside } else { State::Before };
        let extent = Extent { skipped: vec![0; harts.into()], ..Extent::default() };
        Self { sink, bounds, state, harts: vec![position; harts.into()], extent }
    }

    /// The sink, and what it received. `run` is the name of the run.
    ///
    /// # Errors
    /// No core reaches the first address.
    pub fn finish(self, run: &str) -> Result<(S, Extent), HostError> {
        match (self.state, &self.bounds.from) {
            (State::Before, Some(from)) => {
                let (text, address) = (&from.text, from.address);
                Err(HostError::Other(format!("{run}: {text}: no core executes an instruction at 0x{address:08x}")))
            }
            _ => Ok((self.sink, self.extent)),
        }
    }

    /// Whether the instructions of `e` contain the one at `bound`.
    fn reaches(&self, e: &FlowEvent, bound: &Bound) -> bool {
        let first = self.harts[usize::from(e.hart)].next;
        match e.kind.retires() {
            true => (first..=e.pc).contains(&bound.address),
            false => e.count > 0 && (first..e.pc).contains(&bound.address),
        }
    }

    fn pass(&mut self, e: &FlowEvent) {
        self.extent.instructions += u64::from(e.count);
        self.extent.cycles = e.cycle;
        self.sink.event(e);
    }

    /// Starts all harts that have started in the run, before the event `e`.
    fn begin(&mut self, e: &FlowEvent) {
        self.state = State::Inside;
        let cycle = |position: &Position| (position.cycle + 1).min(e.cycle);
        let mut started: Vec<usize> = (0..self.harts.len()).filter(|hart| self.harts[*hart].started).collect();
        started.sort_by_key(|hart| (cycle(&self.harts[*hart]), *hart));
        let mut data = Vec::new();
        for hart in started {
            let position = &mut self.harts[hart];
            self.extent.skipped[hart] = position.retired;
            data.append(&mut position.data);
            let (pc, context, cycle) = (position.next, position.context, cycle(position));
            let event = |kind| FlowEvent { hart: hart as u8, kind, len: 0, count: 0, pc, target: pc, cycle };
            if context != Context::RESET {
                self.pass(&event(FlowKind::Context { context, alone: false }));
            }
            self.pass(&event(FlowKind::Start));
        }
        data.sort_by_key(|d| d.cycle);
        data.iter().for_each(|d| self.sink.data(d));
    }

    /// Stops all harts after an event of cycle `cycle`.
    fn end(&mut self, cycle: u64) {
        self.state = State::After;
        self.extent.ended = true;
        for hart in (0..self.harts.len()).filter(|hart| self.harts[*hart].started).collect::<Vec<_>>() {
            let pc = self.harts[hart].next;
            let (hart, kind) = (hart as u8, FlowKind::Stop);
            self.pass(&FlowEvent { hart, kind, len: 0, count: 0, pc, target: pc, cycle });
        }
    }
}

impl<S: RetireSink> RetireSink for Section<'_, S> {
    const WANTS_DATA: bool = S::WANTS_DATA;

    fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        if let FlowKind::Context { alone: false, .. } = e.kind {
            self.harts[hart].held = Some(*e);
            return;
        }
        if self.state == State::After {
            return;
        }
        let mut passed = *e;
        let was_before = self.state == State::Before;
        if was_before && self.bounds.from.as_ref().is_some_and(|from| self.reaches(e, from)) {
            self.begin(e);
        }
        let address = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.address);
        let is_last = self.state == State::Inside
            && self.bounds.to.as_ref().is_some_and(|to| self.reaches(e, to))
            // from the second time on, if both are the same
            && !(was_before && address(&self.bounds.from) == address(&self.bounds.to));
        let held = self.harts[hart].held.take();
        let position = &mut self.harts[hart];
        if is_last && !e.kind.retires() {
            // what would follow is outside
            (passed.kind, passed.target) = (FlowKind::Stop, e.pc);
            position.started = false;
        } else {
            for e in held.iter().chain([e]) {
                if let FlowKind::Context { context, .. } = e.kind {
                    position.context = context;
                }
            }
            (position.started, position.next) = (!matches!(e.kind, FlowKind::Stop), e.target);
        }
        position.cycle = e.cycle;
        position.retired += u64::from(e.count);
        position.data.clear();
        if self.state == State::Inside {
            if let Some(held) = held.filter(|_| passed.kind == e.kind) {
                self.pass(&held);
            }
            self.pass(&passed);
            if is_last {
                self.end(e.cycle);
            }
        }
    }

    fn data(&mut self, data: &DataEvent) {
        match self.state {
            State::Before => self.harts[usize::from(data.hart)].data.push(*data),
            State::Inside => self.sink.data(data),
            State::After => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::code::CodeBlock;

    fn bound(address: u64) -> Option<Bound> {
        Some(Bound { address, text: format!("`--from 0x{address:x}`") })
    }

    fn e(hart: u8, kind: FlowKind, count: u32, pc: u64, target: u64, cycle: u64) -> FlowEvent {
        FlowEvent { hart, kind, len: if kind.retires() { 4 } else { 0 }, count, pc, target, cycle }
    }

    const TRAP: FlowKind = FlowKind::Trap { interrupt: true, cause: 7 };

    fn context(id: u32, alone: bool) -> FlowKind {
        FlowKind::Context { context: Context::new(0, id), alone }
    }

    fn run() -> Vec<FlowEvent> {
        vec![
            e(0, FlowKind::Start, 0, 0x100, 0x100, 0),
            e(1, FlowKind::Start, 0, 0x100, 0x100, 0),
            e(0, FlowKind::Call, 3, 0x108, 0x200, 3),
            e(1, FlowKind::Jump, 5, 0x110, 0x300, 5),
            e(0, context(2, true), 0, 0x200, 0x200, 5),
            e(0, FlowKind::Return, 2, 0x204, 0x10c, 6),
            e(1, context(3, false), 0, 0x304, 0x400, 8),
            e(1, TRAP, 1, 0x304, 0x400, 8),
            e(0, FlowKind::Jump, 4, 0x118, 0x100, 10),
            e(1, FlowKind::Stop, 1, 0x404, 0x404, 11),
            e(0, FlowKind::Stop, 0, 0x100, 0x100, 11),
        ]
    }

    fn section(from: Option<u64>, to: Option<u64>) -> Result<(Vec<FlowEvent>, Extent), HostError> {
        let bounds = Bounds { from: from.and_then(bound), to: to.and_then(bound) };
        let mut section = Section::new(Vec::new(), &bounds, 2);
        run().iter().for_each(|e| section.event(e));
        section.finish("run")
    }

    #[test]
    fn without_bounds_it_is_the_whole_run() {
        let (events, extent) = section(None, None).unwrap();
        assert_eq!(events, run());
        assert_eq!(extent, Extent { skipped: vec![0, 0], instructions: 16, cycles: 11, ended: false });
    }

    #[test]
    fn it_begins_at_the_entry_of_a_function_in_the_contexts_of_the_harts() {
        let (events, extent) = section(Some(0x204), None).unwrap();
        let mut right = vec![
            // hart 0 after its call and its change of context, hart 1 after its jump
            e(0, context(2, false), 0, 0x200, 0x200, 6),
            e(0, FlowKind::Start, 0, 0x200, 0x200, 6),
            e(1, FlowKind::Start, 0, 0x300, 0x300, 6),
        ];
        right.extend(&run()[5..]);
        assert_eq!((events, extent.skipped, extent.instructions), (right, vec![3, 5], 8));
    }

    #[test]
    fn a_trap_with_a_change_of_context_is_not_divided() {
        // within the instructions before the trap
        let (events, _) = section(Some(0x300), None).unwrap();
        let right = [
            e(1, FlowKind::Start, 0, 0x300, 0x300, 6),
            e(0, context(2, false), 0, 0x10c, 0x10c, 7),
            e(0, FlowKind::Start, 0, 0x10c, 0x10c, 7),
        ];
        assert_eq!(events[..3], right);
        assert_eq!(events[3..], run()[6..]);
        // the trap comes after the last instruction
        let (events, extent) = section(None, Some(0x300)).unwrap();
        let right = [e(1, FlowKind::Stop, 1, 0x304, 0x304, 8), e(0, FlowKind::Stop, 0, 0x10c, 0x10c, 8)];
        assert_eq!(events[..6], run()[..6]);
        assert_eq!((&events[6..], extent.ended, extent.cycles), (&right[..], true, 8));
    }

    #[test]
    fn the_end_is_looked_for_after_the_beginning() {
        let (events, _) = section(Some(0x200), Some(0x10c)).unwrap();
        assert_eq!(events[events.len() - 3].kind, FlowKind::Jump);
        assert!(events[events.len() - 2..].iter().all(|e| e.kind == FlowKind::Stop && e.cycle == 10));
        // the same address: until the next time
        let (events, extent) = section(Some(0x100), Some(0x100)).unwrap();
        assert_eq!(extent.instructions, 8);
        assert_eq!(events.iter().filter(|e| e.kind == FlowKind::Stop).count(), 2);
        let error = section(Some(0x208), None).map(|s| s.1).unwrap_err().to_string();
        assert_eq!(error, "run: `--from 0x208`: no core executes an instruction at 0x00000208");
    }

    #[test]
    fn code_changes_before_the_section_have_taken_place() {
        let block = |start| CodeBlock { start, sizes: vec![4], bytes: vec![0; 4], flow: None };
        let change = |hart, retired, block| Change { hart, retired, block };
        let code = Code {
            blocks: vec![block(0x100), block(0x100), block(0x200), block(0x100)],
            changes: vec![change(0, 2, 1), change(0, 5, 2), change(0, 7, 3), change(0, 20, 0), change(1, 9, 1)],
        };
        let extent = Extent { skipped: vec![7, 9], ..Extent::default() };
        let right = vec![change(0, 0, 2), change(0, 0, 3), change(0, 13, 0), change(1, 0, 1)];
        assert_eq!(extent.code(code).changes, right);
    }
}
