//! Where a thread continued, and what has retired then

use super::operand::Operands;
use super::{Expander, Hart, Origin, Pending, Sink};
use crate::code::Piece;
use crate::layout;
use crate::machine::Flow;
use retire::{DataEvent, FlowEvent, FlowKind};

impl<S: Sink> Expander<'_, S> {
    /// The thread continues at `next`.
    #[inline]
    pub(super) fn reach(&mut self, next: u64) {
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
        } else if let Some(cause) = block.enters {
            self.enter(pending, cause);
        } else if let Some(place) = block.place(next, pending.from) {
            self.retire(pending, place, None);
        } else {
            self.unexplained(pending, false, 0);
        }
    }

    /// The last instruction of a block retires and leads to a handler, which is an exception before the next instruction.
    fn enter(&mut self, pending: Pending, cause: u8) {
        let block = &self.blocks[pending.block as usize];
        let (count, end) = (block.count(), block.end());
        self.retire(Pending { trapped: true, ..pending }, count, None);
        self.threads[self.thread].trap = Some((end, false, cause));
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
    pub(super) fn signal(&mut self, signal: u8, caused: bool, pc: u64) -> Result<(), String> {
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
                let is_last = inside == Some(count - 1);
                match block.enters {
                    // QEMU says where the instruction is
                    Some(cause) if caused && cause == signal && is_last => {
                        self.enter(pending, cause);
                        self.threads[self.thread].next = Some(pc);
                        return Ok(());
                    }
                    // its handler is interrupted before it begins
                    Some(cause) if !caused && inside.is_none() && pc != block.end() => {
                        self.enter(pending, cause);
                        self.threads[self.thread].next = Some(pc);
                        return Ok(());
                    }
                    _ => {}
                }
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

    pub(super) fn syscall(&mut self, kind: u32) -> Result<(), String> {
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
            self.sink.event(&Origin { thread, text: "", operand: 0, direct: begin }, &event);
        }
        if starts {
            *state = Hart { started: true, thread, next: begin, context: state.context, ..Hart::default() };
            self.max_busy = self.max_busy.max(hart + 1);
            let event = FlowEvent { hart, kind: FlowKind::Start, len: 0, count: 0, pc: begin, target: begin, cycle };
            self.sink.event(&Origin { thread, text: "", operand: 0, direct: begin }, &event);
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
            self.sink.event(&Origin { thread, text: "", operand: 0, direct: begin }, &event);
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
        let data = &self.threads[self.thread].data;
        let mut operands = Operands::new(self.machine);
        for (i, datum) in data.iter().enumerate().filter(|(_, d)| (from..to).contains(&d.place)) {
            let operand = operands.size(&data[i..]);
            let cycle = at + (datum.place - from) as u64 + 1;
            let event = DataEvent { hart, kind: datum.kind, pc: block.pc(datum.place), cycle };
            self.sink.data(&Origin { thread, text: block.text(datum.place), operand, direct: 0 }, &event);
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
        self.sink.event(&Origin { thread, text: block.text(to - 1), operand: 0, direct }, &event);
    }

    /// A pending system call that does not return retires.
    pub(super) fn end_call(&mut self) {
        if let Some(pending) = self.threads[self.thread].pending.take().filter(|p| p.called) {
            let count = self.blocks[pending.block as usize].count();
            self.retire(pending, count, None);
        }
    }
}
