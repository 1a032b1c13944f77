//! What each kind of event does to a stack

use super::contexts::{Context, Fit};
use super::functions::Functions;
use super::{Change, Entry, Frame, Stack};
use retire::image::{Image, Position};
use retire::{FlowEvent, FlowKind};

/// An exception's handler continues at most this number of bytes after the instruction that raised it: the longest instruction.
const LONGEST: u64 = 15;

/// Whether a frame's stack pointer is `sp`, as far as both are known.
fn same_sp(frame: &Frame, sp: Option<u64>) -> bool {
    frame.sp.zip(sp).is_none_or(|(a, b)| a == b)
}

/// Whether the code of the frame at `at` can run with stack pointer `sp`: below where the function was called, and not below
/// where it called the next. Stacks grow down.
fn may_run(frames: &[Frame], at: usize, sp: Option<u64>) -> bool {
    let Some(sp) = sp else { return true };
    let called = frames.get(at + 1).filter(|f| !f.handler()).and_then(|f| f.sp);
    // where it was called is the caller's, unless it needs no stack when it calls others
    let below = |entry| sp < entry || sp == entry && called.is_none_or(|called| called == entry);
    // the outermost function may have set up its stack itself
    let runs = frames[at].entry == Entry::Root || frames[at].sp.is_none_or(below);
    runs && called.is_none_or(|called| sp >= called)
}

/// The routine that passes an exception on. The code that called it has nothing more to do, so its frame is left: the exception goes
/// to a caller of it.
const PASSES_ON: &str = "_Unwind_Resume";

/// Whether a trap handler that was entered as `frame` says goes back to `target`.
fn goes_back(frame: &Frame, target: u64, sp: Option<u64>) -> bool {
    let reach = if frame.entry == Entry::Exception { LONGEST } else { 0 };
    target.wrapping_sub(frame.back) <= reach && same_sp(frame, sp)
}

/// The innermost frame that returns to `target`.
fn returning(frames: &[Frame], target: u64, sp: Option<u64>) -> Option<usize> {
    let lowest = frames.iter().rposition(Frame::handler).map_or(0, |at| at + 1);
    let fits = |f: &Frame| f.back == target && f.entry == Entry::Call && same_sp(f, sp);
    frames.iter().rposition(fits).filter(|at| *at >= lowest.max(1))
}

/// The innermost frame but the first `skip` of the innermost whose function `target` is in.
fn holding(frames: &[Frame], skip: usize, target: u64, sp: Option<u64>) -> Option<usize> {
    let all = frames.len().saturating_sub(skip);
    (0..all).rev().find(|at| {
        let function = &frames[*at].function;
        function.named && function.holds(target) && may_run(frames, *at, sp)
    })
}

impl Stack {
    /// The next event of the core, `sp` the stack pointer at it where it is known. What happens is reported to `change`, in order. `image`
    /// shows where instructions begin, for those that run from the end of a function into the next.
    pub fn event(
        &mut self,
        e: &FlowEvent,
        sp: Option<u64>,
        functions: &mut Functions,
        image: Option<&Image>,
        mut change: impl FnMut(Change),
    ) {
        let change = &mut change;
        functions.enter(self.context());
        if let FlowKind::Context { context, alone: false } = e.kind {
            // the event that follows is of the context before
            self.next = Some(context);
            return;
        }
        self.run(e, functions, image, change);
        let context = match e.kind {
            FlowKind::Context { context, .. } => Some(context),
            _ => self.next.take(),
        };
        if let Some(context) = context {
            (self.context, self.space) = (Some(context), context.id());
            functions.enter(context);
        }
        self.sp = sp;
        let kind = match e.kind {
            FlowKind::ConditionalIndirect { how, taken: true } => how.into(),
            kind => kind,
        };
        let target = e.target;
        match kind {
            FlowKind::Start => {
                self.waiting.clear();
                self.begin(target, functions, change);
            }
            // what is outside of the function is not known any more
            FlowKind::Gap { .. } => self.begin(target, functions, change),
            FlowKind::Call | FlowKind::IndirectCall => self.call(e, functions, change),
            FlowKind::Trap { interrupt, .. } => {
                let entry = if interrupt { Entry::Interrupt } else { Entry::Exception };
                self.enter(Frame { function: functions.at(target), back: e.pc, sp, entry }, change);
            }
            FlowKind::Return => self.back(target, functions, change),
            FlowKind::CoSwap => {
                // a call through the alternate link register, or a return that links
                if functions.at(target).begins(target) {
                    self.call(e, functions, change);
                } else {
                    self.back(target, functions, change);
                }
            }
            FlowKind::TrapReturn => self.trap_return(target, functions, change),
            FlowKind::Jump | FlowKind::Conditional { .. } => {}
            FlowKind::IndirectJump => self.jump(target, functions, change),
            FlowKind::ConditionalIndirect { .. } => {}
            FlowKind::Context { .. } => {}
            FlowKind::Stop => self.leave(0, change),
        }
        // whatever was found, the code that runs is on top: a jump or branch to another function takes the place of this one.
        // A return from a trap is followed by a change of the context.
        let stays = kind == FlowKind::TrapReturn;
        let program = functions.program();
        let other = |top: &Frame| !top.function.holds(target) || !stays && top.function.program != program;
        if self.frames.last().is_some_and(other) {
            self.replace(functions.at(target), change);
        }
        self.position.pass(e);
    }

    /// The instructions up to an event.
    fn run(
        &mut self,
        e: &FlowEvent,
        functions: &mut Functions,
        image: Option<&Image>,
        change: &mut impl FnMut(Change),
    ) {
        if e.count == 0 {
            return;
        }
        let last = if e.kind.retires() { e.pc } else { e.pc.wrapping_sub(1) };
        let within = |stack: &Self, pc| stack.frames.last().is_none_or(|top| top.function.holds(pc));
        if within(self, last) {
            return change(Change::Retired(e.count));
        }
        let Position { pc, when } = self.position;
        let mut instructions = functions.image().or(image).map(|image| image.instructions(pc, when));
        let mut next = |pc: &u64| {
            let instruction = instructions.as_mut().and_then(Iterator::next);
            Some(instruction.map_or(*pc, |i| i.pc.wrapping_add(i.len.into())))
        };
        let all: Vec<u64> = std::iter::successors(Some(pc), |pc| next(pc)).take(e.count as usize).collect();
        let mut here = 0;
        for pc in all {
            if !within(self, pc) {
                change(Change::Retired(std::mem::take(&mut here)));
                self.replace(functions.at(pc), change);
            }
            here += 1;
        }
        change(Change::Retired(here));
        if !within(self, last) {
            self.replace(functions.at(last), change);
        }
    }

    /// A function that nobody is known to have called.
    fn begin(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        self.leave(0, change);
        let root = Frame { function: functions.at(target), back: 0, sp: self.sp, entry: Entry::Root };
        self.enter(root, change);
    }

    fn call(&mut self, e: &FlowEvent, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        // code that asks for its own address calls the next instruction, and never returns
        if e.target == e.fall_through() && self.frames.last().is_some_and(|top| top.function.holds(e.target)) {
            return;
        }
        let function = functions.at(e.target);
        self.enter(Frame { function, back: e.fall_through(), sp: self.sp, entry: Entry::Call }, change);
    }

    /// An indirect jump that is no return.
    fn jump(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        let Some(top) = self.frames.last() else { return };
        if top.function.holds(target) && may_run(&self.frames, self.frames.len() - 1, self.sp) {
            return;
        }
        let function = functions.at(target);
        // a call at the end of a function takes its place
        let tail = function.begins(target) || !function.named;
        if tail && (top.entry == Entry::Root || same_sp(top, self.sp)) {
            return self.replace(function, change);
        }
        self.back(target, functions, change);
    }

    /// To whoever waits at `target`.
    fn back(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        let (sp, space) = (self.sp, self.space);
        if let Some(at) = returning(&self.frames, target, sp) {
            return self.leave(at, change);
        }
        let waits = self.waiting.take(|c| {
            let at = returning(&c.frames, target, sp).filter(|_| c.trap.is_none())?;
            let fit = Fit {
                sp: sp.is_some() && c.frames[at].sp == sp,
                space: c.space == space,
                innermost: at + 1 == c.frames.len(),
            };
            Some((fit, at))
        });
        if let Some((context, at)) = waits {
            return self.resume(context, at, change);
        }
        // a routine that saves registers for its caller leaves the stack pointer lower than it found it
        if let Some(at) = returning(&self.frames, target, None) {
            return self.leave(at, change);
        }
        if functions.at(target).begins(target) {
            return self.start(target, functions, change);
        }
        self.unwind(target, functions, change);
    }

    /// To a function that has called others, which do not return; to one that nobody is known to wait in, where there is none.
    fn unwind(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        let (sp, space) = (self.sp, self.space);
        let passes_on = self.frames.last().is_some_and(|top| functions.name(top.function.number) == PASSES_ON);
        let left = if passes_on { 2 } else { 0 };
        if let Some(at) = holding(&self.frames, left, target, sp) {
            return self.leave(at + 1, change);
        }
        let waits = self.waiting.take(|c| {
            let at = holding(&c.frames, 0, target, sp)?;
            let fit = Fit {
                sp: sp.is_some() && c.frames[at].sp.is_some(),
                space: c.space == space,
                innermost: at + 1 == c.frames.len(),
            };
            Some((fit, at + 1))
        });
        if let Some((context, frames)) = waits {
            return self.resume(context, frames, change);
        }
        // the outermost function returns to a caller from before the trace
        if self.frames.len() <= 1 {
            return self.begin(target, functions, change);
        }
        self.start(target, functions, change);
    }

    fn trap_return(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        let (sp, space) = (self.sp, self.space);
        let handler = self.frames.iter().rposition(Frame::handler);
        if let Some(at) = handler.filter(|at| goes_back(&self.frames[*at], target, sp)) {
            return self.leave(at, change);
        }
        // another task goes on: this one waits where it was interrupted
        let waits = self.waiting.take(|c| {
            let trap = c.trap.filter(|trap| goes_back(trap, target, sp))?;
            let fit = Fit { sp: sp.is_some() && trap.sp == sp, space: c.space == space, innermost: true };
            Some((fit, c.frames.len()))
        });
        if let Some((context, frames)) = waits {
            self.keep(handler);
            return self.restore(context, frames, change);
        }
        if let Some(at) = handler.filter(|at| *at > 0) {
            let interrupted = &self.frames[at - 1];
            // the handler has moved on the function that it interrupted
            if interrupted.function.named && interrupted.function.holds(target) && same_sp(&self.frames[at], sp) {
                return self.leave(at, change);
            }
            if !functions.at(target).begins(target) {
                if let Some(at) = holding(&self.frames[..at], 0, target, sp) {
                    return self.leave(at + 1, change);
                }
            }
        }
        self.keep(handler);
        self.fresh(target, functions, change);
    }

    /// This stack waits, interrupted by the trap whose handler is its frame `handler`.
    fn keep(&mut self, handler: Option<usize>) {
        let mut frames = self.frames.clone();
        let trap = handler.map(|at| {
            let trap = frames[at];
            frames.truncate(at);
            trap
        });
        if !frames.is_empty() {
            self.waiting.push(Context { number: self.number, frames, trap, space: self.space });
        }
    }

    /// This stack waits, and another goes on in the innermost of its first `frames` frames.
    fn resume(&mut self, context: Context, frames: usize, change: &mut impl FnMut(Change)) {
        self.keep(None);
        self.restore(context, frames, change);
    }

    fn restore(&mut self, mut context: Context, frames: usize, change: &mut impl FnMut(Change)) {
        context.frames.truncate(frames);
        self.switch(context.number, context.frames, change);
    }

    /// This stack waits, and a new one begins.
    fn start(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        self.keep(None);
        self.fresh(target, functions, change);
    }

    fn fresh(&mut self, target: u64, functions: &mut Functions, change: &mut impl FnMut(Change)) {
        self.fresh += 1;
        let root = Frame { function: functions.at(target), back: 0, sp: self.sp, entry: Entry::Root };
        self.switch(self.fresh, vec![root], change);
    }

    /// Frames of this stack and of those that wait.
    pub fn kept(&self) -> usize {
        self.frames.len() + self.waiting.frames()
    }
}
