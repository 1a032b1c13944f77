//! A control-flow trace as a sequence of moments: the address of each core, and its call stack
//!
//! A message gives the path of its core up to the reported instruction, and replay handles messages in the order of the
//! stream. So cores alternate by message, and a moment is the number of instructions of all cores in that order. The
//! events of a message are queued while they are stepped through; equal consecutive events, as of a spinning core, are
//! stored once. Checkpoints are taken between messages, when no events are queued.
//!
//! An `ecall` or `ebreak` that traps is a moment of its own: a debugger sees it before the handler. Other exceptions look like
//! interrupts, and belong to the instruction before them.
//!
//! Instructions of contexts that are not selected are passed over: they are no moments.

use super::constant::Constant;
use super::scene::Scene;
use crate::contexts::ContextProgram;
use crate::contexts::{ByContext, Selection};
use crate::input::{InputOptions, Named};
use crate::progress::Progress;
use crate::symbols::Symbols;
use crate::trace::Trace;
use crate::views::lines::Lines;
use crate::views::stack::functions::Functions;
use crate::views::stack::{Frame, Stack};
use crate::HostError;
use retire::image::{Image, Position};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::file::reread::SeekableWords;
use sim::file::TraceInfo;
use sim::replay::{Events, Images, Replay};
use sim::timeline::Seekable;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// `ecall`, `ebreak` and `c.ebreak`.
const CALLS: [(u32, u8); 3] = [(0x73, 4), (0x0010_0073, 4), (0x9002, 2)];

/// Number of messages searched for the first instruction of each core.
const START_SEARCH: usize = 1 << 14;

/// A control-flow trace with its program.
pub struct FlowSession {
    images: ByContext<Image>,
    info: TraceInfo,
    words: SeekableWords,
    symbols: ByContext<Symbols>,
    /// Line tables, if the program has them.
    lines: ByContext<Option<Lines>>,
    constants: ByContext<Constant>,
    selection: Selection,
    path: PathBuf,
}

impl FlowSession {
    /// Opens both, with the programs of contexts. The program must be an ELF, since a debugger shows it; a recording, from which code can be learned,
    /// is not enough.
    ///
    /// # Errors
    /// Either cannot be read, or they do not match.
    pub fn open(
        path: &Path,
        elf: &str,
        input_options: InputOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, HostError> {
        Named::open(elf)?;
        let trace = Trace::open(path, InputOptions { elf: Some(elf), ..input_options }, progress)?;
        let (mut symbols, mut lines, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        for (context, elf) in input_options.contexts {
            symbols.push((*context, Symbols::open(elf)?));
            lines.push((*context, Lines::open(elf).ok()));
            constants.push((*context, Constant::open(elf)?));
        }
        Ok(Self {
            images: ByContext::new(trace.image().clone(), trace.contexts().to_vec()),
            info: trace.info().clone(),
            symbols: ByContext::new(Symbols::open(elf)?.with(input_options.changes.names()?), symbols),
            lines: ByContext::new(Lines::open(elf).ok(), lines),
            constants: ByContext::new(Constant::open(elf)?, constants),
            selection: Selection::default(),
            path: path.to_path_buf(),
            words: trace.reread(),
        })
    }

    /// Whether the trace reports contexts.
    pub fn has_contexts(&self) -> bool {
        self.info.params.context.is_some()
    }

    /// Only instructions of these contexts are moments.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// The trace at its first moment.
    ///
    /// # Errors
    /// The start of the stream does not match the parameters.
    pub fn begin(&self) -> Result<Flow<'_>, HostError> {
        let images = Images { common: self.images.common(), of: self.images.own() };
        let replay = Replay::new(images, &self.info.params, self.words.clone());
        if let Some(e) = self.words.error() {
            return Err(e.into());
        }
        let path = self.path.display().to_string();
        let replay = replay.map_err(|source| HostError::Replay { path, source })?;
        Ok(Flow::new(self, replay))
    }
}

/// State of a core.
#[derive(Clone, Debug, Default)]
struct Core {
    pc: Option<u64>,
    /// Beginning of the current run.
    place: Position,
    retired: u64,
    /// Number of gaps, during which nothing is known.
    gaps: u64,
    cycle: u64,
    stack: Stack,
}

/// Consecutive equal events.
#[derive(Clone, Copy, Debug)]
struct Run {
    event: FlowEvent,
    times: u32,
}

/// Events of the current message.
#[derive(Clone, Debug, Default)]
struct Queue(VecDeque<Run>);

impl RetireSink for Queue {
    fn event(&mut self, e: &FlowEvent) {
        match self.0.back_mut() {
            Some(run) if run.event == *e && run.times < u32::MAX => run.times += 1,
            _ => self.0.push_back(Run { event: *e, times: 1 }),
        }
    }
}

/// State of a moment.
#[derive(Clone, Debug)]
struct State<'a> {
    replay: Replay<'a, SeekableWords>,
    queue: Queue,
    /// Instructions already stepped of the first event.
    done: u32,
    /// Core of the last step.
    last: u8,
    cores: Vec<Core>,
    /// Size of the tables of all cores in bytes.
    tables: usize,
    position: u64,
    over: bool,
    error: Option<String>,
}

/// A moment between two messages, to which one can return.
#[derive(Clone, Debug)]
pub struct FlowCheckpoint<'a>(Box<State<'a>>);

/// Steps through a control-flow trace, instruction by instruction.
pub struct Flow<'a> {
    session: &'a FlowSession,
    functions: Functions,
    state: State<'a>,
    /// Whether a checkpoint is requested, to be taken at the next possible moment.
    wanted: bool,
    kept: Option<FlowCheckpoint<'a>>,
    moved: Vec<u8>,
}

/// First address of each core.
struct Starts(Vec<Option<u64>>);

impl RetireSink for Starts {
    fn event(&mut self, e: &FlowEvent) {
        self.0[usize::from(e.hart)].get_or_insert(e.target);
    }
}

impl<'a> Flow<'a> {
    fn new(session: &'a FlowSession, replay: Replay<'a, SeekableWords>) -> Self {
        // a core that has not started is shown at its first address
        let count = usize::from(session.info.params.cores);
        let mut starts = Events(Starts(vec![None; count]));
        let mut ahead = replay.clone();
        for _ in 0..START_SEARCH {
            if starts.0 .0.iter().all(Option::is_some) || !matches!(ahead.step(&mut starts), Ok(true)) {
                break;
            }
        }
        let params = &session.info.params;
        let tables = count * params.flow.state_bits(&params.platform).div_ceil(8) as usize;
        let cores = starts.0 .0.into_iter().map(|pc| Core { pc, ..Core::default() }).collect();
        let state = State {
            replay,
            queue: Queue::default(),
            done: 0,
            last: 0,
            cores,
            tables,
            position: 0,
            over: false,
            error: None,
        };
        let program = |(context, image): &(retire::Context, Image)| {
            let own = session.symbols.own().iter().find(|(of, _)| of == context);
            let symbols = own.map_or_else(Symbols::default, |(_, symbols)| symbols.clone());
            ContextProgram { context: *context, symbols, image: image.clone() }
        };
        let programs = session.images.own().iter().map(program).collect();
        let functions = Functions::new(session.symbols.common().clone()).with_contexts(programs);
        let mut flow = Self { session, functions, state, wanted: true, kept: None, moved: Vec::new() };
        flow.advance_to_instruction();
        flow
    }

    /// Handles events without instructions, and reads on until there is an instruction.
    fn advance_to_instruction(&mut self) {
        loop {
            match self.state.queue.0.front() {
                Some(run) => {
                    let (event, core) = (run.event, &self.state.cores[usize::from(run.event.hart)]);
                    let steps = event.count > 0 || self.is_call(&event);
                    if steps && self.session.selection.has(core.stack.context()) {
                        return;
                    }
                    let core = &mut self.state.cores[usize::from(event.hart)];
                    core.retired += u64::from(event.count);
                    self.handle_event();
                }
                None if self.state.over || self.state.error.is_some() => return,
                None => self.read(),
            }
        }
    }

    /// Whether an event is the trap of an `ecall` or `ebreak`.
    fn is_call(&self, e: &FlowEvent) -> bool {
        if !matches!(e.kind, FlowKind::Trap { .. }) {
            return false;
        }
        let core = &self.state.cores[usize::from(e.hart)];
        let image = self.session.images.get(core.stack.context());
        let instruction = image.instructions(e.pc, core.place.when.after(e.count.into())).next();
        instruction.is_some_and(|i| CALLS.contains(&(if i.len == 2 { i.bits() & 0xffff } else { i.bits() }, i.len)))
    }

    fn read(&mut self) {
        if std::mem::take(&mut self.wanted) {
            self.kept = Some(FlowCheckpoint(Box::new(self.state.clone())));
        }
        let mut events = Events(std::mem::take(&mut self.state.queue));
        let read = self.state.replay.step(&mut events);
        self.state.queue = events.0;
        // if the file is damaged, that is the reason for a replay error
        match (self.session.words.error(), read) {
            (Some(e), _) => self.state.error = Some(e.to_string()),
            (None, Err(e)) => self.state.error = Some(e.to_string()),
            (None, Ok(more)) => self.state.over = !more,
        }
    }

    /// Handles the first event, after its instructions.
    fn handle_event(&mut self) {
        let Some(run) = self.state.queue.0.front_mut() else { return };
        let e = run.event;
        run.times -= 1;
        if run.times == 0 {
            self.state.queue.0.pop_front();
        }
        self.state.done = 0;
        let core = &mut self.state.cores[usize::from(e.hart)];
        // the event that follows counts from before
        if matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            return core.stack.event(&e, None, &mut self.functions, None, |_| {});
        }
        if core.pc != Some(e.target) && !self.moved.contains(&e.hart) {
            self.moved.push(e.hart);
        }
        core.pc = Some(e.target);
        core.place.pass(&e);
        core.cycle = e.cycle;
        core.gaps += u64::from(matches!(e.kind, FlowKind::Gap { .. }));
        // a stopped core keeps its call stack
        if e.kind != FlowKind::Stop {
            let image = self.session.images.get(core.stack.context());
            core.stack.event(&e, None, &mut self.functions, Some(image), |_| {});
        }
    }

    /// Source lines of an address in a program, innermost inlined function first.
    fn source_lines(lines: Option<&Lines>, at: u64, pc: u64, function: &str) -> Vec<String> {
        let source_lines = lines.map(|l| l.frames(at)).unwrap_or_default();
        let last = source_lines.len().saturating_sub(1);
        let line = |(i, p): (usize, &crate::views::lines::SourceLocation)| {
            let name = if i == last { function } else { &p.function };
            let inlined = if i == last { "" } else { ", inlined" };
            format!("0x{pc:08x} in {name} at {}:{}{inlined}", p.file, p.line)
        };
        match source_lines.is_empty() {
            true => vec![format!("0x{pc:08x} in {function}")],
            false => source_lines.iter().enumerate().map(line).collect(),
        }
    }
}

impl<'a> Seekable for Flow<'a> {
    type Checkpoint = FlowCheckpoint<'a>;
    type Error = String;

    fn position(&self) -> u64 {
        self.state.position
    }

    /// Passes no events to `sink`: a moment has none that it needs.
    fn step(&mut self, _: &mut impl RetireSink) -> Result<Option<u8>, String> {
        self.moved.clear();
        let Some(run) = self.state.queue.0.front() else {
            return self.state.error.clone().map_or(Ok(None), Err);
        };
        let (made, event) = (run.event.hart, run.event);
        self.state.last = made;
        self.state.position += 1;
        // what is left of the event is its exception
        let raised = self.state.done == event.count;
        self.state.done += u32::from(!raised);
        let called = !raised && self.state.done == event.count && self.is_call(&event);
        let core = &mut self.state.cores[usize::from(made)];
        core.retired += u64::from(!raised);
        if called {
            core.pc = Some(event.pc);
        } else if self.state.done == event.count {
            self.handle_event();
        } else {
            let image = self.session.images.get(core.stack.context());
            let Position { pc, when } = core.place;
            core.pc = match image.has_versions() {
                true => image.skip_at(pc, self.state.done, when),
                false => core.pc.and_then(|pc| image.skip(pc, 1)),
            };
        }
        self.advance_to_instruction();
        self.moved.retain(|core| *core != made);
        Ok(Some(made))
    }

    fn checkpoint(&mut self) -> Option<FlowCheckpoint<'a>> {
        let kept = self.kept.take();
        self.wanted = kept.is_none();
        kept
    }

    fn restore(&mut self, to: &FlowCheckpoint<'a>) {
        self.state.clone_from(&to.0);
        (self.wanted, self.kept) = (false, None);
        self.advance_to_instruction();
        self.moved.clear();
    }

    fn moment(checkpoint: &FlowCheckpoint<'a>) -> u64 {
        checkpoint.0.position
    }

    /// Size of the call stacks, and of the scheme's tables, as large as those of a circuit.
    fn own_bytes(checkpoint: &FlowCheckpoint<'a>, _: Option<&FlowCheckpoint<'a>>) -> usize {
        let frames: usize = checkpoint.0.cores.iter().map(|c| c.stack.kept()).sum();
        checkpoint.0.tables
            + frames * size_of::<Frame>()
            + checkpoint.0.cores.len() * size_of::<Core>()
            + size_of::<State<'_>>()
    }
}

impl Scene for Flow<'_> {
    const VALUES: bool = false;

    fn cores(&self) -> u8 {
        self.session.info.params.cores
    }

    fn xlen(&self) -> u8 {
        self.session.info.params.xlen
    }

    #[inline]
    fn pc(&self, core: u8) -> Option<u64> {
        self.state.cores[usize::from(core)].pc
    }

    fn retired(&self, core: u8) -> u64 {
        self.state.cores[usize::from(core)].retired
    }

    fn cycle(&self, core: u8) -> Option<u64> {
        self.session.info.params.timestamps.then(|| self.state.cores[usize::from(core)].cycle)
    }

    #[inline]
    fn moved(&self) -> &[u8] {
        &self.moved
    }

    fn registers(&self, _: u8) -> Option<[u64; 32]> {
        None
    }

    fn csr(&self, _: u8, _: u16) -> Option<u64> {
        None
    }

    fn memory(&self, addr: u64, most: usize) -> Vec<u8> {
        // the code of the moment, of the core that made the last step
        let (State { last, queue, done, cores, .. }, session) = (&self.state, self.session);
        let begun = queue.0.front().filter(|run| run.event.hart == *last).map_or(0, |_| *done);
        let core = &cores[usize::from(*last)];
        let (context, now) = (core.stack.context(), core.place.when.after(begun.into()));
        let read = session.images.get(context).bytes(addr, most, now);
        if read.is_empty() {
            return session.constants.get(context).read(addr, most);
        }
        read
    }

    fn stack(&self, core: u8) -> Option<Vec<String>> {
        let core = &self.state.cores[usize::from(core)];
        let mut lines = Vec::new();
        let Some(pc) = core.pc else { return Some(lines) };
        // the return address of each frame, and the address for its line lookup, which is before it, in the call
        let (mut at, mut pc) = (pc, pc);
        for frame in core.stack.frames().iter().rev() {
            // the innermost function may have run on into the next, which no event says
            let here = Some(pc).filter(|pc| lines.is_empty() && !frame.function.holds(*pc));
            let program = frame.function.program;
            let here = here.and_then(|pc| self.session.symbols.program(program).at(pc)).map(|(name, _)| name);
            let name = here.unwrap_or_else(|| self.functions.name(frame.function.number));
            for place in Self::source_lines(self.session.lines.program(program).as_ref(), at, pc, name) {
                lines.push(format!("#{:<2} {place}", lines.len()));
            }
            if frame.handler() {
                lines.push("    a trap was taken before".into());
            }
            (at, pc) = (if frame.handler() { frame.back } else { frame.back.saturating_sub(1) }, frame.back);
        }
        if core.gaps > 0 {
            lines.push(format!(
                "    {} times instructions were lost: what is outside of these frames may be too",
                core.gaps
            ));
        }
        Some(lines)
    }
}
