//! Contexts of instructions: which of them are selected, and what belongs to each
//!
//! A context is a privilege mode and an address space. All views and commands that select processes or privilege modes do so with
//! a [`Selection`], and know the context of an instruction from [`Contexts`]. [`names`] reads names of processes, [`memory`] finds them, [`running`] follows what cores run, in the operating systems that [`kernels`] knows, [`states`] has the states of their tasks, [`counts`]
//! counts branches and messages of those that are selected.

pub mod counts;
pub mod kernels;
pub mod memory;
pub mod names;
pub mod running;
pub mod states;

use crate::input::Named;
use crate::symbols::Symbols;
use crate::HostError;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind, RetireSink};

/// The selected processes and privilege modes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Numbers of address spaces; none: all.
    pub spaces: Vec<u32>,
    /// Privilege modes; none: all.
    pub modes: Vec<u8>,
}

impl Selection {
    /// Whether all contexts are selected.
    pub fn is_all(&self) -> bool {
        self.spaces.is_empty() && self.modes.is_empty()
    }

    /// Whether a context is selected.
    #[inline]
    pub fn has(&self, context: Context) -> bool {
        (self.spaces.is_empty() || self.spaces.contains(&context.id()))
            && (self.modes.is_empty() || self.modes.contains(&context.privilege()))
    }
}

/// The program of a context.
#[derive(Clone, Debug)]
pub struct ContextProgram {
    /// The context.
    pub context: Context,
    /// Names of its functions.
    pub symbols: Symbols,
    /// Its code.
    pub image: Image,
}

/// The contexts of all harts along a run.
#[derive(Clone, Debug)]
pub struct Contexts(Vec<Hart>);

#[derive(Clone, Copy, Debug)]
struct Hart {
    /// Context of the next event's instructions.
    now: Context,
    /// Context after the next event.
    next: Context,
}

impl Contexts {
    /// After reset.
    pub fn new(harts: u8) -> Self {
        Self(vec![Hart { now: Context::RESET, next: Context::RESET }; harts.into()])
    }

    /// Context of the next instruction of a hart.
    #[inline]
    pub fn of(&self, hart: u8) -> Context {
        self.0[usize::from(hart)].now
    }

    /// Takes the next event, and returns the context of its instructions.
    #[inline]
    pub fn pass(&mut self, e: &FlowEvent) -> Context {
        let hart = &mut self.0[usize::from(e.hart)];
        let before = hart.now;
        match e.kind {
            // the event that follows is of the context before
            FlowKind::Context { context, alone: false } => hart.next = context,
            FlowKind::Context { context, alone: true } => (hart.now, hart.next) = (context, context),
            _ => hart.now = hart.next,
        }
        before
    }
}

/// Values of contexts, with one value for all contexts without their own.
#[derive(Clone, Debug)]
pub struct ByContext<T> {
    common: T,
    of: Vec<(Context, T)>,
}

impl<T> ByContext<T> {
    /// The same for all contexts, except those in `of`.
    pub fn new(common: T, of: Vec<(Context, T)>) -> Self {
        Self { common, of }
    }

    /// What all contexts have that have none of their own.
    pub fn common(&self) -> &T {
        &self.common
    }

    /// The contexts with their own.
    pub fn own(&self) -> &[(Context, T)] {
        &self.of
    }

    /// Adds contexts with their own.
    pub fn extend(&mut self, of: Vec<(Context, T)>) {
        self.of.extend(of);
    }

    /// That of a program, by its number; 0 is the common one.
    pub fn program(&self, number: u32) -> &T {
        let own = (number as usize).checked_sub(1).and_then(|at| self.of.get(at));
        own.map_or(&self.common, |(_, own)| own)
    }

    /// That of a context.
    #[inline]
    pub fn get(&self, context: Context) -> &T {
        self.of.iter().find(|(of, _)| *of == context).map_or(&self.common, |(_, own)| own)
    }
}

/// A sink for each program, which gets the events of the contexts that have this program, if they are selected.
///
/// Where a core comes back to a program, the sink first gets an event without instructions, which says where.
#[derive(Debug)]
pub struct Split<S> {
    contexts: Contexts,
    selection: Selection,
    /// Number of the program.
    of: ByContext<usize>,
    sinks: Vec<S>,
    /// Number of the program of each core's last event, and the next address.
    last: Vec<(Option<usize>, u64)>,
}

impl<S> Split<S> {
    /// At the beginning of a run of `cores` cores. `of` says which of `sinks` a context has; the others have the first.
    pub fn new(cores: u8, sinks: Vec<S>, of: Vec<(Context, usize)>, selection: Selection) -> Self {
        let last = vec![(None, 0); cores.into()];
        Self { contexts: Contexts::new(cores), selection, of: ByContext::new(0, of), sinks, last }
    }

    /// The sinks.
    pub fn into_sinks(self) -> Vec<S> {
        self.sinks
    }
}

impl<S: RetireSink> RetireSink for Split<S> {
    fn event(&mut self, e: &FlowEvent) {
        let context = self.contexts.pass(e);
        // the event that follows counts from before
        if matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            return;
        }
        let number = self.selection.has(context).then(|| *self.of.get(context));
        let (last, next) = std::mem::replace(&mut self.last[usize::from(e.hart)], (number, e.target));
        let Some(sink) = number.and_then(|number| self.sinks.get_mut(number)) else { return };
        if last != number {
            let kind = FlowKind::Context { context, alone: true };
            sink.event(&FlowEvent { kind, len: 0, count: 0, pc: next, target: next, ..*e });
        }
        sink.event(e);
    }
}

/// The programs of contexts, as views take them: names of functions, and the code with which a trace is replayed.
///
/// # Errors
/// A program cannot be read.
pub fn programs(names: &[(Context, String)], replays: &[(Context, Image)]) -> Result<Vec<ContextProgram>, HostError> {
    let replay = |context| replays.iter().find(|(of, _)| *of == context).map(|(_, image)| image.clone());
    let mut all = Vec::new();
    for (context, elf) in names {
        let image = match replay(*context) {
            Some(image) => image,
            None => Image::new(&Named::open(elf)?.program),
        };
        all.push(ContextProgram { context: *context, symbols: Symbols::open(elf)?, image });
    }
    // contexts that have memory, but no program
    for (context, image) in replays.iter().filter(|(of, _)| !names.iter().any(|(named, _)| named == of)) {
        all.push(ContextProgram { context: *context, symbols: Symbols::default(), image: image.clone() });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: FlowKind, count: u32, pc: u64, target: u64) -> FlowEvent {
        FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 }
    }

    /// A process at 0x100, a trap to the kernel at 0x8000, and the process again.
    fn walk() -> Vec<FlowEvent> {
        let context = |privilege, alone| FlowKind::Context { context: Context::new(privilege, 7), alone };
        vec![
            event(FlowKind::Start, 0, 0x8000, 0x8000),
            event(FlowKind::TrapReturn, 2, 0x8004, 0x100),
            event(context(0, true), 0, 0x100, 0x100),
            event(FlowKind::Jump, 3, 0x108, 0x200),
            event(context(1, false), 0, 0x8000, 0x8000),
            event(FlowKind::Trap { interrupt: true, cause: 7 }, 1, 0x204, 0x8000),
            event(FlowKind::TrapReturn, 5, 0x8010, 0x204),
            event(context(0, true), 0, 0x204, 0x204),
            event(FlowKind::Return, 4, 0x210, 0x100),
        ]
    }

    #[test]
    fn instructions_before_a_trap_are_of_the_context_before() {
        let mut contexts = Contexts::new(1);
        let (user, kernel) = (Context::new(0, 7), Context::new(1, 7));
        let mut counts = std::collections::BTreeMap::new();
        for e in walk() {
            *counts.entry(contexts.pass(&e)).or_insert(0) += e.count;
        }
        // in the order of the contexts' numbers
        let right = [(Context::RESET, 2), (user, 8), (kernel, 5)];
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), right);
        assert_eq!(contexts.of(0), user);
    }

    #[test]
    fn each_program_gets_its_events_and_where_it_goes_on() {
        let of = vec![(Context::new(0, 7), 1)];
        let mut split = Split::new(1, vec![Vec::new(), Vec::new()], of.clone(), Selection::default());
        walk().iter().for_each(|e| split.event(e));
        let runs = |events: &[FlowEvent]| {
            let (mut next, mut runs) = (0, Vec::new());
            for e in events {
                if e.count > 0 {
                    runs.push((next, e.count));
                }
                next = e.target;
            }
            runs
        };
        let sinks = split.into_sinks();
        assert_eq!(runs(&sinks[0]), [(0x8000, 2), (0x8000, 5)]);
        assert_eq!(runs(&sinks[1]), [(0x100, 3), (0x200, 1), (0x204, 4)]);
        let selection = Selection { spaces: vec![7], modes: vec![1] };
        let mut split = Split::new(1, vec![Vec::new(), Vec::new()], of, selection);
        walk().iter().for_each(|e| split.event(e));
        let sinks = split.into_sinks();
        assert_eq!((runs(&sinks[0]), runs(&sinks[1])), (vec![(0x8000, 5)], vec![]));
    }
}
