//! Comparison of two executions of one program: finds for each core the first difference
//!
//! Both are replayed at once and compared by core, since the order of the cores differs between runs. Events that one
//! execution is ahead are queued, as many as that order differs.

use super::source::Replayed;
use crate::progress::{Progress, Quiet};
use crate::HostError;
use retire::{FlowEvent, RetireSink};
use std::collections::VecDeque;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

/// Number of events passed on at once.
const BLOCK: usize = 1 << 12;

/// The first difference of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Core.
    pub core: u8,
    /// Instructions that both retired before it.
    pub instructions: u64,
    /// Event of the first execution; `None`: it had ended.
    pub first: Option<FlowEvent>,
    /// Event of the second execution.
    pub second: Option<FlowEvent>,
}

/// A sink that sends events in blocks until the receiver is closed.
struct Sender {
    block: Vec<FlowEvent>,
    to: SyncSender<Vec<FlowEvent>>,
    closed: bool,
}

impl Sender {
    fn flush(&mut self) {
        self.closed |= self.to.send(std::mem::take(&mut self.block)).is_err();
    }
}

impl RetireSink for Sender {
    fn event(&mut self, e: &FlowEvent) {
        self.block.push(*e);
        if self.block.len() == BLOCK {
            self.flush();
        }
    }
}

/// A sink that compares its events with received ones.
struct Compare {
    from: Receiver<Vec<FlowEvent>>,
    waiting: Vec<VecDeque<FlowEvent>>,
    instructions: Vec<u64>,
    differences: Vec<Option<Difference>>,
}

impl Compare {
    fn next(&mut self, core: usize) -> Option<FlowEvent> {
        while self.waiting[core].is_empty() {
            for e in self.from.recv().ok()? {
                let core = usize::from(e.hart);
                if self.differences[core].is_none() {
                    self.waiting[core].push_back(e);
                }
            }
        }
        self.waiting[core].pop_front()
    }
}

impl RetireSink for Compare {
    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        if self.differences[core].is_some() {
            return;
        }
        let second = self.next(core);
        if second.is_some_and(|s| s.same_flow(e)) {
            self.instructions[core] += u64::from(e.count);
            return;
        }
        let instructions = self.instructions[core];
        self.differences[core] = Some(Difference { core: e.hart, instructions, first: Some(*e), second });
        self.waiting[core].clear();
    }
}

/// The first difference of each core whose executions differ.
///
/// # Errors
/// One is damaged, or the numbers of cores differ.
pub fn diff(first: Replayed, second: Replayed, progress: &dyn Progress) -> Result<Vec<Difference>, HostError> {
    let cores = first.cores();
    if second.cores() != cores {
        let (a, b) = (cores, second.cores());
        return Err(HostError::Other(format!("the first has {a} cores, the second {b}, expected as many")));
    }
    let (to, from) = sync_channel(4);
    std::thread::scope(|scope| {
        let replay = scope.spawn(move || {
            let mut sender = Sender { block: Vec::new(), to, closed: false };
            let replay = second.report_until(&mut sender, &Quiet, |s| s.closed);
            sender.flush();
            replay
        });
        let cores = usize::from(cores);
        let mut compare = Compare {
            from,
            waiting: vec![VecDeque::new(); cores],
            instructions: vec![0; cores],
            differences: vec![None; cores],
        };
        let all_parted = |c: &Compare| c.differences.iter().all(Option::is_some);
        first.report_until(&mut compare, progress, all_parted)?;
        if !all_parted(&compare) {
            for core in 0..cores {
                if compare.differences[core].is_none() {
                    let instructions = compare.instructions[core];
                    compare.differences[core] = compare.next(core).map(|e| Difference {
                        core: core as u8,
                        instructions,
                        first: None,
                        second: Some(e),
                    });
                }
            }
        }
        let Compare { from, differences, .. } = compare;
        drop(from);
        match replay.join() {
            Ok(replay) => replay?.undamaged()?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        Ok(differences.into_iter().flatten().collect())
    })
}
