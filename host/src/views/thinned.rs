//! Functions, tasks, traps and gaps of all cores over time, thinned to a bounded number of spans
//!
//! Calls that last at least [`Thinned::width`] are kept one by one, with their exact times. Shorter ones that follow one another at the
//! same depth are merged to spans of up to twice the width, which have the name of the longest and their number. The width is doubled
//! whenever there are more than [`Shape::most`] spans, so the size of the result depends neither on the length of the run nor on its number of calls.

mod part;

pub use part::{Part, Rows};

use super::stack::functions::Functions;
use super::stack::shown::Shown;
use super::stack::{Change, Stack};
use super::tasks::Tasks;
use crate::contexts::{ContextProgram, Selection};
use crate::symbols::Symbols;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, FlowKind, MasterStore, RetireSink};
use std::collections::BTreeMap;

/// Key of the tracks on which functions are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Core.
    #[default]
    Core,
    /// Task, or stack.
    Task,
    /// Address space.
    Process,
}

/// Limits of a thinned timeline, its unit of time, and what functions are kept by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Times are those of events, in cycles, not numbers of instructions.
    pub cycles: bool,
    /// Maximum depth of stacks, in functions.
    pub depth: usize,
    /// Maximum number of spans, of all rows.
    pub most: usize,
    /// Key of the tracks on which functions are kept.
    pub by: By,
}

/// A call, or several short ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// When the first began.
    pub start: u64,
    /// When the last ended.
    pub end: u64,
    /// What the longest is: a function, task or address space by number, the cause of a trap, the instructions of a gap.
    pub name: u32,
    /// Number of calls.
    pub calls: u32,
    longest: u64,
}

impl Span {
    fn new(start: u64, end: u64, name: u32) -> Self {
        Self { start, end, name, calls: 1, longest: end.saturating_sub(start) }
    }

    /// Whether it is too short to be kept alone.
    fn is_short(&self, width: u64) -> bool {
        self.calls > 1 || self.longest < width
    }
}

/// Spans one after the other.
#[derive(Clone, Debug, Default)]
pub struct Row(Vec<Span>);

impl Row {
    /// The spans, by time.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Adds a span; returns the number of spans that this makes more.
    fn push(&mut self, span: Span, width: u64) -> usize {
        if let Some(last) = self.0.last_mut().filter(|last| last.is_short(width) && span.is_short(width)) {
            if span.start.saturating_sub(last.end) < width && span.end.saturating_sub(last.start) <= 2 * width {
                if span.longest > last.longest {
                    (last.name, last.longest) = (span.name, span.longest);
                }
                (last.end, last.calls) = (span.end.max(last.end), last.calls.saturating_add(span.calls));
                return 0;
            }
        }
        self.0.push(span);
        1
    }

    fn thin(&mut self, width: u64) {
        for span in std::mem::take(&mut self.0) {
            self.push(span, width);
        }
        self.0.shrink_to_fit();
    }
}

/// The rows of one core: functions, tasks, address spaces, traps and gaps.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Functions by depth, of each task or address space by its number where they are kept by those, else of 0.
    pub functions: BTreeMap<u32, Vec<Row>>,
    /// Tasks, or stacks by number.
    pub tasks: Row,
    /// Address spaces by number.
    pub spaces: Row,
    /// Traps: spans without length, whose name is the cause, and [`INTERRUPT`] of interrupts.
    pub traps: Row,
    /// Gaps: lost instructions, 0 where unknown.
    pub gaps: Row,
    stack: Stack,
    /// Stack pointer at the next event, where it is known.
    pointer: Option<u64>,
    /// Functions that it is in: number and time of entry.
    open: Vec<(u32, u64)>,
    /// Its task, and since when.
    task: (u32, u64),
    /// Address space, and since when.
    space: (u32, u64),
    /// Task or address space that its functions are those of. A task changes where the stack does, not within the scheduler.
    owner: u32,
    /// Time of its last event.
    last: u64,
}

/// Added to the cause of a trap that is an interrupt.
pub const INTERRUPT: u32 = 1 << 8;

/// Name of the cause of a trap.
pub fn cause_name(cause: u32) -> String {
    match cause.checked_sub(INTERRUPT) {
        None => crate::fault::cause_name(cause as u8).to_string(),
        Some(3) => "software interrupt".into(),
        Some(7) => "timer interrupt".into(),
        Some(11) => "external interrupt".into(),
        Some(n) => format!("interrupt {n}"),
    }
}

impl Track {
    fn rows(&mut self) -> impl Iterator<Item = &mut Row> {
        self.functions.values_mut().flatten().chain([
            &mut self.tasks,
            &mut self.spaces,
            &mut self.traps,
            &mut self.gaps,
        ])
    }

    fn leave(&mut self, now: u64, width: u64, deepest: usize) -> usize {
        let Some((name, start)) = self.open.pop() else { return 0 };
        let depth = self.open.len();
        if depth >= deepest {
            return 0;
        }
        let rows = self.functions.entry(self.owner).or_default();
        if rows.len() <= depth {
            rows.resize_with(depth + 1, Row::default);
        }
        rows[depth].push(Span::new(start, now, name), width)
    }

    fn run(&mut self, task: u32, now: u64, width: u64, shown: bool) -> usize {
        follow(&mut self.tasks, &mut self.task, task, now, width, shown)
    }

    fn enter_space(&mut self, space: u32, now: u64, width: u64, shown: bool) -> usize {
        follow(&mut self.spaces, &mut self.space, space, now, width, shown)
    }
}

/// From `now` on `next` is in force; what was before is a span of `row` if it was shown.
fn follow(row: &mut Row, state: &mut (u32, u64), next: u32, now: u64, width: u64, shown: bool) -> usize {
    let (before, since) = std::mem::replace(state, (next, now));
    if now <= since || !shown {
        return 0;
    }
    row.push(Span::new(since, now, before), width)
}

/// Follows all cores.
pub struct Thinned {
    functions: Functions,
    image: Option<Image>,
    tracks: Vec<Track>,
    shown: Shown,
    shape: Shape,
    /// Tasks by name; without them, stacks by number take their place.
    tasks: Option<Tasks>,
    now: u64,
    width: u64,
    /// Number of spans, of all rows.
    spans: usize,
    /// Number of traps by cause.
    causes: BTreeMap<u32, u64>,
    /// Whether there are several stacks, and address spaces, in any context.
    several: (bool, bool),
}

impl Thinned {
    /// At the beginning. `tasks`: of the same run, at its beginning too.
    pub fn new(symbols: Symbols, image: Option<Image>, cores: u8, shape: Shape, tasks: Option<Tasks>) -> Self {
        Self {
            functions: Functions::new(symbols),
            image,
            tracks: vec![Track::default(); cores.into()],
            shown: if shape.by == By::Process { Shown::new(cores).by_space() } else { Shown::new(cores) },
            shape,
            tasks,
            now: 0,
            width: 0,
            spans: 0,
            causes: BTreeMap::new(),
            several: (false, false),
        }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(self, programs: Vec<ContextProgram>) -> Self {
        Self { functions: self.functions.with_contexts(programs), ..self }
    }

    /// Keeps functions, tasks, address spaces and traps only of these contexts. Gaps are kept: what was lost can be of any context.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { shown: self.shown.only(selection), ..self }
    }

    /// Ends all spans.
    #[must_use]
    pub fn finish(mut self) -> Self {
        for (track, core) in self.tracks.iter_mut().zip(0..) {
            let end = if self.shape.cycles { track.last } else { self.now };
            let shown = self.shown.is_shown(core);
            while !track.open.is_empty() {
                track.leave(end, self.width, self.shape.depth);
            }
            track.run(track.task.0, end, self.width, shown);
            track.enter_space(track.space.0, end, self.width, shown);
        }
        self
    }

    /// The cores.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Length of the time axis.
    pub fn length(&self) -> u64 {
        self.now
    }

    /// Calls that are shorter may be merged.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Number of traps by cause, with [`INTERRUPT`] of interrupts.
    pub fn causes(&self) -> &BTreeMap<u32, u64> {
        &self.causes
    }

    /// Names of tasks by number, where they have names.
    pub fn tasks(&self) -> Option<impl Iterator<Item = &str>> {
        self.tasks.as_ref().map(Tasks::names)
    }

    /// Whether the run has several stacks, also if only one of them is in a selected context.
    pub fn has_stacks(&self) -> bool {
        self.several.0
    }

    /// Whether the run has address spaces.
    pub fn has_spaces(&self) -> bool {
        self.several.1
    }

    /// Whether control blocks of tasks are known, or stacks take their place.
    pub fn tasks_are_known(&self) -> bool {
        self.tasks.as_ref().is_none_or(Tasks::are_known)
    }

    /// What is kept.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Name of a function by its number.
    pub fn name(&self, function: u32) -> &str {
        self.functions.name(function)
    }

    fn thin(&mut self) {
        // wider than the time axis, each row is one span
        while self.spans > self.shape.most && self.width <= self.now {
            self.width = (2 * self.width).max(1);
            self.spans = 0;
            for row in self.tracks.iter_mut().flat_map(Track::rows) {
                row.thin(self.width);
                self.spans += row.0.len();
            }
        }
    }
}

impl RetireSink for Thinned {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let running = self.tasks.as_ref().map(|tasks| tasks.running(e.hart) as u32);
        let (Shape { cycles, depth, by, .. }, width) = (self.shape, self.width);
        let track = &mut self.tracks[usize::from(e.hart)];
        if cycles {
            self.now = self.now.max(e.cycle);
        }
        let mut changes = Vec::new();
        let (sp, before) = (track.pointer.take(), track.stack.context());
        track.stack.event(e, sp, &mut self.functions, self.image.as_ref(), |change| changes.push(change));
        let (after, shown) = (track.stack.context(), self.shown.is_shown(e.hart));
        self.several.0 |= changes.iter().any(|change| matches!(change, Change::Switch(1..)));
        self.several.1 |= after.id() > 0;
        self.shown.select(e.hart, before, after, &mut changes);
        for change in changes {
            match change {
                Change::Retired(count) => self.now += if cycles { 0 } else { u64::from(count) },
                Change::Enter(function) => track.open.push((function, self.now)),
                Change::Leave => {
                    self.spans += track.leave(self.now, width, depth);
                }
                Change::Switch(space) if by == By::Process => track.owner = space,
                Change::Switch(number) => {
                    if by == By::Task {
                        track.owner = running.unwrap_or(number);
                    }
                    if running.is_none() {
                        self.spans += track.run(number, self.now, width, shown);
                    }
                }
            }
        }
        if let Some(task) = running.filter(|task| track.task.0 != *task) {
            self.spans += track.run(task, self.now, width, shown);
        }
        if shown != self.shown.is_shown(e.hart) {
            self.spans += track.run(track.task.0, self.now, width, shown);
            self.spans += track.enter_space(after.id(), self.now, width, shown);
        } else if before.id() != after.id() {
            self.spans += track.enter_space(after.id(), self.now, width, shown);
        }
        match e.kind {
            // a trap is of the context before it
            FlowKind::Trap { interrupt, cause } if shown => {
                let cause = u32::from(cause) + if interrupt { INTERRUPT } else { 0 };
                *self.causes.entry(cause).or_default() += 1;
                self.spans += track.traps.push(Span::new(self.now, self.now, cause), width);
            }
            FlowKind::Gap { lost } => {
                let start = if cycles { track.last } else { self.now };
                self.spans += track.gaps.push(Span::new(start, self.now, lost), width);
            }
            _ => {}
        }
        track.last = self.now;
        self.thin();
    }

    fn data(&mut self, d: &DataEvent) {
        if let Some(tasks) = &mut self.tasks {
            tasks.data(d);
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.tracks[usize::from(hart)].pointer = Some(sp);
    }

    fn master(&mut self, store: &MasterStore) {
        if let Some(tasks) = &mut self.tasks {
            tasks.master(store);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(width: u64, spans: &[(u64, u64, u32)]) -> Vec<(u64, u64, u32, u32)> {
        let mut row = Row::default();
        for (start, end, name) in spans {
            row.push(Span::new(*start, *end, *name), width);
        }
        row.0.iter().map(|s| (s.start, s.end, s.name, s.calls)).collect()
    }

    #[test]
    fn short_calls_that_follow_one_another_are_merged_under_the_longest() {
        let all = [(0, 2, 1), (3, 6, 2), (7, 8, 3), (10, 30, 4), (31, 32, 5), (50, 51, 6)];
        assert_eq!(row(0, &all).len(), 6);
        let merged = [(0, 8, 2, 3), (10, 30, 4, 1), (31, 32, 5, 1), (50, 51, 6, 1)];
        assert_eq!(row(10, &all), merged);
    }

    #[test]
    fn widening_gives_what_that_width_gives_from_the_start() {
        let all: Vec<_> = (0..200u64).map(|n| (n * 10, n * 10 + n % 9, (n % 7) as u32)).collect();
        let mut row = Row::default();
        for (start, end, name) in &all {
            row.push(Span::new(*start, *end, *name), 0);
        }
        let calls = |row: &Row| row.0.iter().map(|s| s.calls).sum::<u32>();
        for width in [1, 2, 4, 8, 16] {
            let before = row.0.len();
            row.thin(width);
            assert!(row.0.len() <= before);
            assert_eq!(calls(&row), 200, "no call is lost");
            assert!(row.0.windows(2).all(|w| w[0].end <= w[1].start));
        }
        // each merged span is up to 32 long, which three calls fit in
        assert!((200 / 3..=100).contains(&row.0.len()), "{}", row.0.len());
    }

    #[test]
    fn a_long_run_has_a_bounded_number_of_spans() {
        const MOST: usize = 1_000;
        let shape = Shape { cycles: false, depth: 8, most: MOST, by: By::Core };
        let mut thinned = Thinned::new(Symbols::default(), None, 1, shape, None);
        let mut total = 0;
        for n in 0..100_000u64 {
            let kind = FlowKind::Trap { interrupt: true, cause: 7 };
            let count = 1 + (n % 3) as u32;
            total += u64::from(count);
            let event = FlowEvent { hart: 0, len: 4, pc: 0, target: 4, cycle: 0, count, kind };
            thinned.event(&event);
        }
        let thinned = thinned.finish();
        let spans: usize = thinned.tracks.clone().iter_mut().flat_map(Track::rows).map(|r| r.0.len()).sum();
        assert!(spans <= MOST + shape.depth && thinned.width() > 0, "{spans}, {}", thinned.width());
        assert_eq!((thinned.length(), thinned.causes()[&(INTERRUPT + 7)]), (total, 100_000));
        let traps: u32 = thinned.tracks()[0].traps.spans().iter().map(|s| s.calls).sum();
        assert_eq!(traps, 100_000);
    }
}
