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
//! * **a thread switch on the hart**, or untraced code in between: an interrupt with cause 0.
//! * **system call**: an ordinary instruction, which retires when the call is made.

use crate::code::{self, Piece, Versions};
use crate::harts::Harts;
use crate::layout;
use crate::machine::{Flow, Machine};
use crate::memory::Memory;
use crate::words::Entry;
use retire::code::{Change, CodeBlock};
use retire::{Context, DataEvent, DataKind, FlowEvent, FlowKind};
use serde::Serialize;

/// Normalises the spaces of a disassembled instruction, and removes the encoding that QEMU's RISC-V disassembler puts
/// first.
fn one_line(machine: Machine, text: &str) -> String {
    let bits = usize::from(matches!(machine, Machine::Riscv32 | Machine::Riscv64));
    text.split_whitespace().skip(bits).collect::<Vec<_>>().join(" ")
}

/// Thread and instruction of an event or a datum.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Thread number, in order of creation.
    pub thread: u32,
    /// Text of the instruction; empty if not requested.
    pub text: &'a str,
    /// Target of a direct branch, taken or not; for all other events, where control went.
    pub direct: u64,
}

/// A receiver of the expanded run.
pub trait Sink {
    /// Receives the next event.
    fn event(&mut self, of: &Origin<'_>, event: &FlowEvent);
    /// Receives the next datum, which precedes the event of its instruction.
    fn data(&mut self, of: &Origin<'_>, data: &DataEvent);
    /// A block was translated: address, sizes of its instructions, code.
    fn block(&mut self, start: u64, sizes: &[u8], code: &[u8]) {
        let _ = (start, sizes, code);
    }
    /// Instructions of a thread retire: `count` of the block at `start`, beginning with the one with index `from`.
    fn instructions(&mut self, thread: u32, start: u64, from: usize, count: usize) {
        let _ = (thread, start, from, count);
    }
    /// Whether it takes the code that retires.
    fn wants_code(&self) -> bool {
        false
    }
    /// Receives the next block of code that retires, before its first instruction.
    fn code_block(&mut self, block: &CodeBlock) {
        let _ = block;
    }
    /// Receives a change between blocks of code that have the same start.
    fn code_change(&mut self, change: Change) {
        let _ = change;
    }
    /// Whether it needs no more events.
    fn is_full(&self) -> bool {
        false
    }
}

/// A sink that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreAll;

impl Sink for IgnoreAll {
    fn event(&mut self, _: &Origin<'_>, _: &FlowEvent) {}
    fn data(&mut self, _: &Origin<'_>, _: &DataEvent) {}
}

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

struct Block {
    start: u64,
    /// Offset of each instruction from `start`; at the end the length.
    offsets: Vec<u16>,
    flow: Flow,
    text: Vec<String>,
    code: Vec<u8>,
}

impl Block {
    /// A block that was not announced.
    fn unknown() -> Self {
        Self { start: 0, offsets: vec![0], flow: Flow::Sequential, text: Vec::new(), code: Vec::new() }
    }

    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn pc(&self, place: usize) -> u64 {
        self.start.wrapping_add(self.offsets[place].into())
    }

    fn end(&self) -> u64 {
        self.pc(self.count())
    }

    /// Whether the block, executed to its end, continues at `next`.
    #[inline]
    fn leads_to(&self, next: u64) -> bool {
        match self.flow {
            Flow::Sequential => next == self.end(),
            Flow::Conditional(to) => next == to || next == self.end(),
            Flow::Jump(to) | Flow::Call(to) => next == to,
            Flow::Indirect(_) | Flow::ConditionalIndirect(_) => true,
        }
    }

    /// Index of the instruction at `pc`, from index `from` on.
    fn place(&self, pc: u64, from: usize) -> Option<usize> {
        (from..self.count()).find(|place| self.pc(*place) == pc)
    }

    /// Its instructions of `piece`, for recordings.
    fn recorded(&self, Piece { from, end, returns, .. }: Piece) -> CodeBlock {
        let offsets = &self.offsets[from..=end];
        CodeBlock {
            start: self.pc(from),
            sizes: offsets.windows(2).map(|w| (w[1] - w[0]) as u8).collect(),
            bytes: self.code[usize::from(offsets[0])..usize::from(offsets[end - from])].to_vec(),
            flow: code::flow(self.flow, returns).filter(|_| end == self.count()),
        }
    }

    fn text(&self, place: usize) -> &str {
        self.text.get(place).map_or("", String::as_str)
    }
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
    /// An expander for so many harts; at most `limit` instructions, after `skip`.
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
        let place = (n + code).div_ceil(4) * 4;
        let text = String::from_utf8_lossy(&bytes[place..place + text]);
        let text = text.lines().map(|l| one_line(self.machine, l)).collect();
        self.sink.block(start, sizes, &rest[..code]);
        let code = if self.code.is_some() { rest[..code].to_vec() } else { Vec::new() };
        if self.blocks.len() <= number as usize {
            self.blocks.resize_with(number as usize + 1, Block::unknown);
        }
        self.blocks[number as usize] = Block { start, offsets, flow, text, code };
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

    /// The thread continues at `next`.
    #[inline]
    fn reach(&mut self, next: u64) {
        let thread = &mut self.threads[self.thread];
        let Some(pending) = thread.pending.take() else {
            if let Some(before) = thread.next.replace(next) {
                if before != next && thread.trap.is_none() {
                    thread.trap = Some((before, false, 0));
                    self.out.unexplained += 1;
                }
            }
            return;
        };
        thread.next = Some(next);
        let block = &self.blocks[pending.block as usize];
        let count = block.count();
        if pending.returns || block.leads_to(next) {
            self.retire(pending, count, Some(next));
        } else if let Some(place) = block.place(next, pending.from) {
            self.retire(pending, place, None);
        } else {
            self.unexplained(pending, false, 0);
        }
    }

    /// No rule explains where the thread continued: a trap, before the branch at the end of the block if there is one.
    fn unexplained(&mut self, pending: Pending, interrupt: bool, cause: u8) {
        let block = &self.blocks[pending.block as usize];
        let to = block.count() - usize::from(block.flow != Flow::Sequential);
        let pc = block.pc(to);
        self.retire(Pending { trapped: true, ..pending }, to, None);
        self.threads[self.thread].trap = Some((pc, interrupt, cause));
        self.out.unexplained += 1;
    }

    /// A handler begins; the thread was interrupted at `pc`.
    fn signal(&mut self, signal: u8, caused: bool, pc: u64) -> Result<(), String> {
        if self.threads.is_empty() {
            return Err("a signal before the first thread".into());
        }
        self.out.signals += 1;
        let thread = &mut self.threads[self.thread];
        match thread.pending.take() {
            Some(pending) => {
                let block = &self.blocks[pending.block as usize];
                let count = block.count();
                let inside = block.place(pc, pending.from);
                // a caused signal at the start of a block that leads to itself is a fault
                let whole = pending.returns || block.leads_to(pc);
                match inside.filter(|_| caused || !whole) {
                    Some(place) => self.retire(Pending { trapped: true, ..pending }, place, None),
                    None if whole => self.retire(pending, count, Some(pc)),
                    None => self.unexplained(pending, !caused, signal),
                }
                self.threads[self.thread].trap.get_or_insert((pc, !caused, signal));
            }
            None => {
                // after another signal, or in untraced code: the address of the first one counts
                let from = thread.trap.map_or(pc, |(from, ..)| from);
                thread.trap = thread.next.map(|_| (from, !caused, signal));
            }
        }
        let thread = &mut self.threads[self.thread];
        thread.outside = false;
        // any address serves: the handler's follows
        if thread.trap.is_some() {
            thread.next = Some(pc);
        }
        Ok(())
    }

    fn syscall(&mut self, kind: u32) -> Result<(), String> {
        let Some(thread) = self.threads.get_mut(self.thread) else {
            return Err("a system call before the first thread".into());
        };
        self.out.exec |= kind == layout::EXEC;
        if let Some(mut pending) = thread.pending.take() {
            let last = self.blocks[pending.block as usize].count() - 1;
            self.retire(pending, last, None);
            pending.from = pending.from.max(last);
            pending.called = true;
            pending.returns = kind == layout::SIGRETURN;
            self.threads[self.thread].pending = Some(pending);
        }
        Ok(())
    }

    /// Instructions of a block retire, up to index `to`; `next`: it is executed to its end and continues there.
    #[inline]
    fn retire(&mut self, pending: Pending, to: usize, next: Option<u64>) {
        let from = pending.from;
        let left = self.limit - self.out.instructions;
        let wanted = to.saturating_sub(from);
        if wanted == 0 {
            return;
        }
        let count = wanted.min(usize::try_from(left).unwrap_or(usize::MAX));
        let to = from + count;
        let thread = self.thread as u32;
        let hart = self.harts.of(thread);
        let block = &self.blocks[pending.block as usize];
        let begin = block.pc(from);
        let state = &mut self.state[usize::from(hart)];
        let cycle = self.out.instructions + 1;
        let starts = !state.started;
        let traps =
            starts || state.thread != thread || state.trap.is_some() || self.threads[self.thread].trap.is_some();
        if std::mem::replace(&mut state.context, pending.context) != pending.context {
            let kind = FlowKind::Context { context: pending.context, alone: !traps };
            let count = if traps { 0 } else { std::mem::take(&mut state.count) };
            let event = FlowEvent { hart, kind, len: 0, count, pc: begin, target: begin, cycle };
            self.sink.event(&Origin { thread, text: "", direct: begin }, &event);
        }
        if starts {
            *state = Hart { started: true, thread, next: begin, context: state.context, ..Hart::default() };
            self.max_busy = self.max_busy.max(hart + 1);
            let event = FlowEvent { hart, kind: FlowKind::Start, len: 0, count: 0, pc: begin, target: begin, cycle };
            self.sink.event(&Origin { thread, text: "", direct: begin }, &event);
            self.threads[self.thread].trap = None;
        } else if state.thread != thread {
            self.out.switches += 1;
            state.trap.get_or_insert((state.next, true, 0));
            state.thread = thread;
            self.threads[self.thread].trap = None;
        }
        if let Some(trap) = self.threads[self.thread].trap.take() {
            let from = state.trap.map_or(trap.0, |t| t.0);
            state.trap = Some((from, trap.1, trap.2));
        }
        if let Some((pc, interrupt, cause)) = state.trap.take() {
            let kind = FlowKind::Trap { interrupt, cause };
            let count = std::mem::take(&mut state.count);
            let event = FlowEvent { hart, kind, len: 0, count, pc, target: begin, cycle };
            self.sink.event(&Origin { thread, text: "", direct: begin }, &event);
        }
        if let Some(versions) = &mut self.code {
            // no event follows where it continues inside the block: only what ran is straight code
            let end = if pending.trapped || count < wanted { block.count() } else { to };
            let piece = Piece { block: pending.block, from, end, returns: pending.returns };
            let code = || self.blocks[pending.block as usize].recorded(piece);
            versions.retires(piece, end == block.count(), (hart, state.retired), code, self.sink);
        }
        let block = &self.blocks[pending.block as usize];
        self.sink.instructions(thread, block.start, from, count);
        let at = self.out.instructions;
        for datum in self.threads[self.thread].data.iter().filter(|d| (from..to).contains(&d.place)) {
            let cycle = at + (datum.place - from) as u64 + 1;
            let event = DataEvent { hart, kind: datum.kind, pc: block.pc(datum.place), cycle };
            self.sink.data(&Origin { thread, text: block.text(datum.place), direct: 0 }, &event);
        }
        self.out.instructions += count as u64;
        if self.out.by_thread.len() <= self.thread {
            self.out.by_thread.resize(self.thread + 1, 0);
        }
        self.out.by_thread[self.thread] += count as u64;
        state.count += count as u32;
        state.retired += count as u64;
        state.next = block.pc(to);
        let Some(next) = next.filter(|_| to == block.count()) else { return };
        let pc = block.pc(to - 1);
        let taken = next != block.end();
        let kind = match block.flow {
            _ if pending.returns => FlowKind::TrapReturn,
            Flow::Sequential => return,
            Flow::Conditional(_) => FlowKind::Conditional { taken },
            Flow::Jump(_) => FlowKind::Jump,
            Flow::Call(_) => FlowKind::Call,
            Flow::Indirect(kind) => kind,
            Flow::ConditionalIndirect(how) => FlowKind::ConditionalIndirect { how, taken },
        };
        state.next = next;
        let len = (block.offsets[to] - block.offsets[to - 1]) as u8;
        let count = std::mem::take(&mut state.count);
        let event = FlowEvent { hart, kind, len, count, pc, target: next, cycle: self.out.instructions };
        let direct = block.flow.direct().unwrap_or(next);
        self.sink.event(&Origin { thread, text: block.text(to - 1), direct }, &event);
    }

    /// A pending system call that does not return retires.
    fn end_call(&mut self) {
        if let Some(pending) = self.threads[self.thread].pending.take().filter(|p| p.called) {
            let count = self.blocks[pending.block as usize].count();
            self.retire(pending, count, None);
        }
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
            self.sink.event(&Origin { thread: state.thread, text: "", direct: pc }, &event);
        }
        self.out
    }
}
