//! Comparison of two executions of one program: finds for each core the first difference
//!
//! Both are replayed at once and compared by core, since the order of the cores differs between runs. Events that one
//! execution is ahead are queued, as many as that order differs.
//!
//! Of selected contexts, the control-flow instructions are compared, each with the number of instructions since the one before it in
//! its context. Traps are not: an interrupt that comes elsewhere, and what runs in other contexts meanwhile, is no difference.

use super::source::{Missing, Replayed};
use crate::contexts::{Contexts, Selection};
use crate::progress::{Progress, Quiet};
use crate::HostError;
use retire::{Context, FlowEvent, RetireSink};
use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

/// Number of events passed on at once.
const BLOCK: usize = 1 << 12;

/// An event, and the context of its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event.
    pub event: FlowEvent,
    /// The context.
    pub context: Context,
}

/// The first difference of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Core.
    pub core: u8,
    /// Instructions that both retired before it.
    pub instructions: u64,
    /// Event of the first execution; `None`: it had ended.
    pub first: Option<Step>,
    /// Event of the second execution.
    pub second: Option<Step>,
}

/// Takes the events that are compared.
trait Take {
    fn take(&mut self, step: Step);
}

/// Passes on the events of selected contexts.
struct Selected<'a, S> {
    sink: S,
    selection: &'a Selection,
    contexts: Contexts,
    /// Instructions before traps, of each core and context.
    counts: HashMap<(u8, Context), u32>,
}

impl<'a, S> Selected<'a, S> {
    fn new(sink: S, selection: &'a Selection, cores: u8) -> Self {
        Self { sink, selection, contexts: Contexts::new(cores), counts: HashMap::new() }
    }
}

impl<S: Take> RetireSink for Selected<'_, S> {
    fn event(&mut self, e: &FlowEvent) {
        let context = self.contexts.pass(e);
        if self.selection.is_all() {
            return self.sink.take(Step { event: *e, context });
        }
        if !self.selection.has(context) {
            return;
        }
        let before = self.counts.entry((e.hart, context)).or_insert(0);
        let count = before.saturating_add(e.count);
        *before = if e.kind.retires() { 0 } else { count };
        if e.kind.retires() {
            self.sink.take(Step { event: FlowEvent { count, ..*e }, context });
        }
    }
}

/// Sends events in blocks until the receiver is closed.
struct Sender {
    block: Vec<Step>,
    to: SyncSender<Vec<Step>>,
    closed: bool,
}

impl Sender {
    fn flush(&mut self) {
        self.closed |= self.to.send(std::mem::take(&mut self.block)).is_err();
    }
}

impl Take for Sender {
    fn take(&mut self, step: Step) {
        self.block.push(step);
        if self.block.len() == BLOCK {
            self.flush();
        }
    }
}

/// Compares its events with received ones.
struct Compare {
    from: Receiver<Vec<Step>>,
    waiting: Vec<VecDeque<Step>>,
    instructions: Vec<u64>,
    differences: Vec<Option<Difference>>,
}

impl Compare {
    fn next(&mut self, core: usize) -> Option<Step> {
        while self.waiting[core].is_empty() {
            for step in self.from.recv().ok()? {
                let core = usize::from(step.event.hart);
                if self.differences[core].is_none() {
                    self.waiting[core].push_back(step);
                }
            }
        }
        self.waiting[core].pop_front()
    }
}

impl Take for Compare {
    fn take(&mut self, step: Step) {
        let e = &step.event;
        let core = usize::from(e.hart);
        if self.differences[core].is_some() {
            return;
        }
        let second = self.next(core);
        if second.is_some_and(|s| s.context == step.context && s.event.same_flow(e)) {
            self.instructions[core] += u64::from(e.count);
            return;
        }
        let instructions = self.instructions[core];
        self.differences[core] = Some(Difference { core: e.hart, instructions, first: Some(step), second });
        self.waiting[core].clear();
    }
}

/// Result of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// The first difference of each core whose executions differ. Where damage ends an execution is no difference.
    pub differences: Vec<Difference>,
    /// What is missing of the first execution, and of the second.
    pub missing: [Missing; 2],
}

/// Compares two executions in the selected contexts.
///
/// # Errors
/// The beginning of one cannot be replayed, or the numbers of cores differ.
pub fn diff(
    first: Replayed,
    second: Replayed,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<Comparison, HostError> {
    let cores = first.cores();
    if second.cores() != cores {
        let (a, b) = (cores, second.cores());
        return Err(HostError::Other(format!("the first has {a} cores, the second {b}, expected as many")));
    }
    let (to, from) = sync_channel(4);
    std::thread::scope(|scope| {
        let replay = scope.spawn(move || {
            let sender = Sender { block: Vec::new(), to, closed: false };
            let mut selected = Selected::new(sender, selection, cores);
            let replay = second.report_until(&mut selected, &Quiet, |s| s.sink.closed);
            selected.sink.flush();
            replay
        });
        let count = usize::from(cores);
        let compare = Compare {
            from,
            waiting: vec![VecDeque::new(); count],
            instructions: vec![0; count],
            differences: vec![None; count],
        };
        let mut selected = Selected::new(compare, selection, cores);
        let all_parted = |c: &Compare| c.differences.iter().all(Option::is_some);
        let of_first = first.report_until(&mut selected, progress, |s| all_parted(&s.sink))?;
        let mut compare = selected.sink;
        if !all_parted(&compare) {
            for core in 0..count {
                if compare.differences[core].is_none() {
                    let instructions = compare.instructions[core];
                    compare.differences[core] = compare.next(core).map(|step| Difference {
                        core: core as u8,
                        instructions,
                        first: None,
                        second: Some(step),
                    });
                }
            }
        }
        let Compare { from, differences, .. } = compare;
        drop(from);
        let of_second = match replay.join() {
            Ok(replay) => replay?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let known = |d: &Difference| {
            (d.first.is_some() || of_first.damage.is_none()) && (d.second.is_some() || of_second.damage.is_none())
        };
        let differences = differences.into_iter().flatten().filter(known).collect();
        Ok(Comparison { differences, missing: [of_first, of_second] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::FlowKind;

    impl Take for Vec<Step> {
        fn take(&mut self, step: Step) {
            self.push(step);
        }
    }

    fn steps(selection: &Selection, events: &[(FlowKind, u32, u64)]) -> Vec<Step> {
        let mut selected = Selected::new(Vec::new(), selection, 1);
        for (kind, count, pc) in events {
            selected.event(&FlowEvent {
                hart: 0,
                kind: *kind,
                len: 4,
                count: *count,
                pc: *pc,
                target: pc + 8,
                cycle: 0,
            });
        }
        selected.sink
    }

    #[test]
    fn an_interrupt_elsewhere_is_no_difference_in_a_context() {
        let of = |privilege, alone| FlowKind::Context { context: Context::new(privilege, 2), alone };
        let trap = FlowKind::Trap { interrupt: true, cause: 7 };
        let interrupted = |count| {
            let handler =
                [(of(1, false), 0, 0), (trap, count, 0x100), (FlowKind::TrapReturn, 7, 0x8000), (of(0, true), 0, 0)];
            [
                &[(of(0, true), 0, 0)],
                &handler[..],
                &[(FlowKind::Jump, 5 - count, 0x110)],
                &[(FlowKind::Return, 2, 0x200)],
            ]
            .concat()
        };
        let user = Selection { spaces: vec![2], modes: vec![0] };
        let found = steps(&user, &interrupted(1));
        assert_eq!(
            found.iter().map(|step| (step.event.pc, step.event.count)).collect::<Vec<_>>(),
            [(0x110, 5), (0x200, 2)]
        );
        assert!(found.iter().all(|step| step.context == Context::new(0, 2)));
        assert_eq!(found, steps(&user, &interrupted(3)));
        // of all, nothing is left out
        assert_eq!(steps(&Selection::default(), &interrupted(3)).len(), interrupted(3).len());
    }
}
