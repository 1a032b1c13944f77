//! Where the cores of a program are when a run ends early, and why
//!
//! The first run was observed without registers, so the program is run once more, with registers; it does the same
//! again.

use crate::fault::{Fault, FaultObserver};
use crate::input::{Input, Named};
use crate::progress::Progress;
use crate::run::Run;
use crate::symbols::{Objects, Symbols};
use crate::views::loops::{Loops, Position};
use crate::views::stack::follower::Follower;
use crate::views::usage::{Usage, Used};
use crate::HostError;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, Note, RetireSink};
use sim::riscv::Exit;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this code.
    Finished(u32),
    /// At the instruction limit.
    Limit,
    /// In an exception after which no hart can continue.
    Crash,
    /// With every hart waiting or jumping to itself.
    Deadlock,
}

/// What is found of a run that ended early.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    /// The exceptions that stopped the harts, by hart.
    pub faults: Vec<Fault>,
    /// Where each hart is.
    pub positions: Vec<Position>,
    /// Stacks that left their areas.
    pub overflows: Vec<Used>,
}

impl Halt {
    /// How a run with this exit ended: to the simulator, a crash is a deadlock.
    pub fn end(&self, exit: Exit) -> End {
        match exit {
            Exit::Finished(code) => End::Finished(code),
            Exit::Limit => End::Limit,
            Exit::Deadlock if self.faults.is_empty() => End::Deadlock,
            Exit::Deadlock => End::Crash,
        }
    }
}

struct Observer {
    fault: FaultObserver,
    follower: Follower,
    loops: Loops,
    usage: Usage,
    /// Stack pointers at the next events.
    pointers: Vec<u64>,
}

impl RetireSink for Observer {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let sp = std::mem::take(&mut self.pointers[usize::from(e.hart)]);
        self.fault.event(e);
        self.usage.event(e, sp, &self.follower);
        self.loops.event(e, &mut self.follower);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.pointers[usize::from(hart)] = sp;
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        self.fault.data(d);
        self.loops.data(d);
        self.usage.data(d, &self.follower);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.fault.note(hart, note);
    }
}

/// The program of a run.
fn program<'a>(run: &'a Run<'_>) -> Option<&'a Named> {
    match run.input {
        Input::Program(named) => Some(named),
        Input::Recording(..) => None,
    }
}

/// Runs a program with this exit again, and finds where its harts are.
///
/// # Errors
/// The program cannot be run. A recording has no faults and no positions.
pub fn find(run: &Run<'_>, exit: Exit, progress: &dyn Progress) -> Result<Halt, HostError> {
    let Some(named) = program(run) else { return Ok(Halt::default()) };
    let (symbols, objects) = (Symbols::open(&named.name), Objects::open(&named.name));
    let mut observer = Observer {
        fault: FaultObserver::new(named, run)?,
        // a program without symbols may crash, too
        follower: Follower::new(symbols.unwrap_or_default(), Some(Image::new(&named.program)), run.harts),
        loops: Loops::new(run.harts),
        usage: Usage::new(objects.unwrap_or_default(), run.harts),
        pointers: vec![0; run.harts.into()],
    };
    run.report_to(&mut observer, progress)?;
    let mut positions = observer.loops.positions();
    for position in &mut positions {
        position.waits = position.pc.is_some_and(|pc| observer.fault.waits(pc));
    }
    Ok(Halt {
        faults: observer.fault.faults(exit),
        positions,
        overflows: observer.usage.overflows().cloned().collect(),
    })
}
