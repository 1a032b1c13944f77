//! Expansion of blocks to a retire stream
//!
//! A thread's block is *pending* until it is known where the thread continued: at the next block, in a handler, or at
//! the block that it begins in its next turn. Then its instructions retire, with their data and the branch at its end.
//!
//! The address where the thread continued shows how much of the block was executed. If the last instruction leads
//! there: the whole block. If it is inside the block: the instructions before it, since QEMU leaves a block early when
//! a system call is restarted, an instruction is repeated (`rep`), or an instruction faults. Anything else is counted
//! as *unexplained*, and is a trap in the stream.
//!
//! # As a retire stream
//! * **cycle**: instructions of all threads so far, so no two retire in one cycle, and the order is that of the ring.
//! * **signal**: a trap with the signal number as its cause; an interrupt, unless the thread's own instruction caused
//!   it. `rt_sigreturn` is a trap return.
//! * **x86-64 machine**: the cause of a trap is its vector. An instruction that calls a handler (`int`, `syscall`) retires, and
//!   the trap is before the instruction after it, where the handler returns; the cause of `syscall` is that of `int 0x80`.
//! * **a thread switch on the hart**, or untraced code in between: an interrupt with cause 0.
//! * **system call**: an ordinary instruction, which retires when the call is made.

mod block;
mod operand;
mod sink;
mod steps;

pub use self::sink::{IgnoreAll, Origin, Sink};

use self::block::{disassembled, Block};
use crate::code::Versions;
use crate::harts::Harts;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::words::Entry;
use retire::{Context, DataKind, FlowEvent, FlowKind};
use serde::Serialize;

/// Statistics of an expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expanded {
    /// Instructions of all threads.
    pub instructions: u64,
    /// Instructions skipped before the trace.
    pub skipped: u64,
    /// Instructions by thread.
    pub by_thread: Vec<u64>,
    /// Signal handlers entered.
    pub signals: u64,
    /// Thread switches on a hart.
    pub switches: u64,
    /// Changes of control flow that no rule explains.
    pub unexplained: u64,
    /// Atomics whose loaded value was not seen before, and is not reported.
    pub unseen: u64,
    /// Translated blocks.
    pub blocks: u64,
    /// The program executed another one, or tried to.
    pub exec: bool,
}

/// Number of skipped instructions of a trace that starts at a block, whenever that is.
pub const LATE: u64 = u64::MAX;

/// Most numbers of blocks that are left out at a time.
const MAX_GAP: usize = 1 << 22;

#[derive(Clone, Copy)]
struct Pending {
    block: u32,
    /// Instructions that have retired.
    from: usize,
    /// The last instruction returns from a handler.
    returns: bool,
    /// The last instruction has called the system.
    called: bool,
    /// A trap cuts it, which is an event.
    trapped: bool,
    context: Context,
}

#[derive(Clone, Copy)]
struct Datum {
    place: usize,
    kind: DataKind,
}

struct Thread {
    pending: Option<Pending>,
    data: Vec<Datum>,
    /// Address where it continues, if no block is pending.
    next: Option<u64>,
    /// A trap between its last and its next instruction: address, interrupt, cause.
    trap: Option<(u64, bool, u8)>,
    /// It executes code that is not traced.
    outside: bool,
    /// Its current context.
    context: Context,
}

impl Default for Thread {
    fn default() -> Self {
        Self { pending: None, data: Vec::new(), next: None, trap: None, outside: false, context: Context::RESET }
    }
}

#[derive(Clone, Copy)]
struct Hart {
    started: bool,
    thread: u32,
    /// Instructions since its last event, and all.
    count: u32,
    retired: u64,
    /// Address where it would continue.
    next: u64,
    /// A trap before its next instruction: address, interrupt, cause.
    trap: Option<(u64, bool, u8)>,
    /// Its current context.
    context: Context,
}

impl Default for Hart {
    fn default() -> Self {
        Self { started: false, thread: 0, count: 0, retired: 0, next: 0, trap: None, context: Context::RESET }
    }
}

/// Expands entries of the ring into a sink.
pub struct Expander<'a, S> {
    machine: Machine,
    blocks: Vec<Block>,
    threads: Vec<Thread>,
    thread: usize,
    harts: Harts,
    state: Vec<Hart>,
    memory: Memory,
    code: Option<Versions>,
    sink: &'a mut S,
    limit: u64,
    /// Instructions of the next block that are still to be skipped.
    skip: usize,
    to_skip: u64,
    max_busy: u8,
    out: Expanded,
}

impl<'a, S: Sink> Expander<'a, S> {
    /// An expander for `harts` harts; at most `limit` instructions, after `skip`.
    pub fn new(machine: Machine, harts: u8, skip: u64, limit: Option<u64>, sink: &'a mut S) -> Self {
        Self {
            machine,
            blocks: Vec::new(),
            threads: Vec::new(),
            thread: 0,
            harts: Harts::new(harts),
            state: vec![Hart::default(); usize::from(harts.max(1))],
            memory: Memory::new(),
            code: sink.wants_code().then(Versions::default),
            sink,
            limit: limit.unwrap_or(u64::MAX),
            skip: 0,
            to_skip: skip,
            max_busy: 0,
            out: Expanded::default(),
        }
    }

    /// The expander for a whole machine, whose harts are the threads.
    pub fn with_numbers(self) -> Self {
        let harts = Harts::numbered(self.state.len() as u8);
        Self { harts, ..self }
    }

    /// Instructions so far.
    pub fn instructions(&self) -> u64 {
        self.out.instructions
    }

    /// Most harts in use at a time.
    pub fn max_busy(&self) -> u8 {
        self.max_busy
    }

    /// Takes the next entry; false if the sink needs no more.
    #[inline]
    pub fn take(&mut self, entry: Entry<'_>) -> Result<bool, String> {
        match entry {
            Entry::Begin(block) => {
                let start = self.block(block)?.start;
                self.reach(start);
                let from = std::mem::take(&mut self.skip).min(self.blocks[block as usize].count());
                let thread = &mut self.threads[self.thread];
                thread.outside = false;
                let context = thread.context;
                thread.pending = Some(Pending { block, from, returns: false, called: false, trapped: false, context });
                thread.data.clear();
            }
            Entry::Access { .. } if self.threads.is_empty() => return Err("an access before the first thread".into()),
            Entry::Access { place, size, loads, stores, address, value } => {
                self.access(place.into(), size, [loads, stores], address, value);
            }
            Entry::Thread(thread) => {
                self.thread = thread as usize;
                if self.threads.len() <= self.thread {
                    self.threads.resize_with(self.thread + 1, Thread::default);
                }
            }
            Entry::Block { number, start, instructions, state, code, text, rest } => {
                self.learn(number, start, state, [instructions, code, text].map(|n| n as usize), rest)?;
            }
            Entry::Ahead(block) => {
                let start = self.block(block)?.start;
                self.reach(start);
            }
            Entry::Leave(block) => {
                let start = self.block(block)?.start;
                self.reach(start);
                let thread = &mut self.threads[self.thread];
                if let Some(next) = thread.next.filter(|_| !thread.outside) {
                    thread.trap.get_or_insert((next, true, 0));
                    thread.outside = true;
                }
            }
            Entry::Signal { signal, caused, pc } => self.signal(signal, caused, pc)?,
            Entry::Syscall(kind) => self.syscall(kind)?,
            Entry::Exit(thread) => {
                if thread as usize == self.thread && !self.threads.is_empty() {
                    self.end_call();
                    self.threads[self.thread] = Thread::default();
                }
                self.harts.end(thread);
            }
            Entry::Context(context) => {
                let Some(thread) = self.threads.get_mut(self.thread) else {
                    return Err("a context before the first thread".into());
                };
                thread.context = Context(context);
                if let Some(pending) = &mut thread.pending {
                    pending.context = thread.context;
                }
            }
            Entry::Skipped(n) => {
                let is_counted = self.to_skip != LATE;
                self.out.skipped = if is_counted { self.to_skip } else { n };
                self.skip = if is_counted { self.to_skip.saturating_sub(n) as usize } else { 0 };
            }
        }
        Ok(self.out.instructions < self.limit && !self.sink.is_full())
    }

    fn block(&self, number: u32) -> Result<&Block, String> {
        if self.threads.is_empty() {
            return Err("a block before the first thread".into());
        }
        self.blocks
            .get(number as usize)
            .filter(|b| b.count() > 0)
            .ok_or_else(|| format!("block {number} was not announced"))
    }

    fn learn(&mut self, number: u32, start: u64, state: u32, lengths: [usize; 3], rest: &[u32]) -> Result<(), String> {
        let [n, code, text] = lengths;
        let place = number as usize;
        // a child begins some of the blocks that its parent has translated, in any order
        if place > self.blocks.len() + MAX_GAP || self.blocks.get(place).is_some_and(|b| b.count() > 0) {
            return Err(format!("block {number}, where {} is the next", self.blocks.len()));
        }
        let bytes: Vec<u8> = rest.iter().flat_map(|w| w.to_le_bytes()).collect();
        let (sizes, rest) = bytes.split_at(n);
        let mut offsets = vec![0u16];
        for size in sizes {
            let before = offsets[offsets.len() - 1];
            offsets.push(before.saturating_add(u16::from(*size)));
        }
        if usize::from(offsets[n]) != code {
            return Err(format!("instructions of {} bytes in {code} bytes of code", offsets[n]));
        }
        let codes: Vec<&[u8]> = offsets.windows(2).map(|w| &rest[usize::from(w[0])..usize::from(w[1])]).collect();
        let pc = start.wrapping_add(offsets[n - 1].into());
        let flow = self.machine.flow(&codes, pc, state);
        let enters = self.machine.enters(&codes, pc, state);
        let place = (n + code).div_ceil(4) * 4;
        let text = String::from_utf8_lossy(&bytes[place..place + text]);
        let text = disassembled(self.machine, &text, start, &codes, state);
        self.sink.block(start, sizes, &rest[..code]);
        let code = if self.code.is_some() { rest[..code].to_vec() } else { Vec::new() };
        if self.blocks.len() <= number as usize {
            self.blocks.resize_with(number as usize + 1, Block::unknown);
        }
        self.blocks[number as usize] = Block { start, offsets, flow, enters, text, code };
        self.out.blocks += 1;
        Ok(())
    }

    fn access(&mut self, place: usize, size: u8, [loads, stores]: [bool; 2], addr: u64, value: u64) {
        let value = if size < 8 { value & ((1 << (8 * size)) - 1) } else { value };
        let thread = &mut self.threads[self.thread];
        if thread.pending.is_some() {
            if loads && stores {
                match self.memory.get(addr, size) {
                    Some(value) => thread.data.push(Datum { place, kind: DataKind::Load { size, addr, value } }),
                    None => self.out.unseen += 1,
                }
            } else if loads {
                thread.data.push(Datum { place, kind: DataKind::Load { size, addr, value } });
            }
            if stores {
                thread.data.push(Datum { place, kind: DataKind::Store { size, addr, value } });
            }
        }
        self.memory.set(addr, size, value);
    }

    /// Ends the run: a pending system call retires, a pending block does not.
    pub fn finish(mut self) -> Expanded {
        for thread in 0..self.threads.len() {
            self.thread = thread;
            self.end_call();
        }
        let cycle = self.out.instructions;
        for (hart, state) in (0..).zip(&self.state).filter(|(_, s)| s.started) {
            // a trap that no instruction follows is not reported
            let pc = state.trap.map_or(state.next, |(pc, ..)| pc);
            let event = FlowEvent { hart, kind: FlowKind::Stop, len: 0, count: state.count, pc, target: pc, cycle };
            self.sink.event(&Origin { thread: state.thread, text: "", operand: 0, direct: pc }, &event);
        }
        self.out
    }
}
