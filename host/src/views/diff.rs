//! Two executions of one program: for each core the first instruction after which they part
//!
//! Both are replayed at once, and compared by core: the cores of two runs do not meet in the same order. What is ahead in
//! one of them is kept, which is as much as that order differs.

use super::source::Replayed;
use crate::progress::{Progress, Quiet};
use crate::HostError;
use retire::{FlowEvent, RetireSink};
use std::collections::VecDeque;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

/// Events that are handed over at once.
const BLOCK: usize = 1 << 12;

/// Where two executions of a core part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Core.
    pub core: u8,
    /// Instructions that both retired before the event.
    pub instructions: u64,
    /// What the first did; `None`: it had ended.
    pub first: Option<FlowEvent>,
    /// What the second did.
    pub second: Option<FlowEvent>,
}

/// Sends what it is told in blocks, until nobody listens.
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

/// Compares what it is told with what comes.
struct Compare {
    from: Receiver<Vec<FlowEvent>>,
    waiting: Vec<VecDeque<FlowEvent>>,
    instructions: Vec<u64>,
    parted: Vec<Option<Parting>>,
}

impl Compare {
    fn next(&mut self, core: usize) -> Option<FlowEvent> {
        while self.waiting[core].is_empty() {
            for e in self.from.recv().ok()? {
                let core = usize::from(e.hart);
                if self.parted[core].is_none() {
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
        if self.parted[core].is_some() {
            return;
        }
        let second = self.next(core);
        if second.is_some_and(|s| s.same_flow(e)) {
            self.instructions[core] += u64::from(e.count);
            return;
        }
        let instructions = self.instructions[core];
        self.parted[core] = Some(Parting { core: e.hart, instructions, first: Some(*e), second });
        self.waiting[core].clear();
    }
}

/// Where the cores of two executions part; nothing for those that did the same.
///
/// # Errors
/// Either is damaged, or they have not the same number of cores.
pub fn diff(first: Replayed, second: Replayed, progress: &dyn Progress) -> Result<Vec<Parting>, HostError> {
    let cores = first.cores();
    if second.cores() != cores {
        let (a, b) = (cores, second.cores());
        return Err(HostError::Other(format!("the first has {a} cores, the second {b}, expected as many")));
    }
    let (to, from) = sync_channel(4);
    std::thread::scope(|scope| {
        let told = scope.spawn(move || {
            let mut sender = Sender { block: Vec::new(), to, closed: false };
            let told = second.tell_until(&mut sender, &Quiet, |s| s.closed);
            sender.flush();
            told
        });
        let cores = usize::from(cores);
        let mut compare = Compare {
            from,
            waiting: vec![VecDeque::new(); cores],
            instructions: vec![0; cores],
            parted: vec![None; cores],
        };
        let all_parted = |c: &Compare| c.parted.iter().all(Option::is_some);
        first.tell_until(&mut compare, progress, all_parted)?;
        if !all_parted(&compare) {
            for core in 0..cores {
                if compare.parted[core].is_none() {
                    let instructions = compare.instructions[core];
                    compare.parted[core] = compare.next(core).map(|e| Parting {
                        core: core as u8,
                        instructions,
                        first: None,
                        second: Some(e),
                    });
                }
            }
        }
        let Compare { from, parted, .. } = compare;
        drop(from);
        match told.join() {
            Ok(told) => told?.undamaged()?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        Ok(parted.into_iter().flatten().collect())
    })
}
