//! The functions that each core is in, from its calls, returns and traps
//!
//! A [`Stack`] follows one core. The function on top always is the one that the instructions are in, by their addresses. Where a return, or
//! an indirect jump out of the function, fits no caller, the core has unwound frames (`longjmp`, an exception) or runs on
//! another stack (a coroutine, a task of an operating system): the stack that it leaves is kept, and comes back when
//! the core goes on where that stack would. Callers are distinguished by the addresses that calls return to; where the source
//! knows registers, from the stack pointer too, and then recursion and tasks that wait at the same place are not confused.
//!
//! | file | what is there |
//! | --- | --- |
//! | `mod.rs` | frames, and what is reported of them |
//! | [`functions`] | functions by number |
//! | `flow.rs` | what each kind of event does |
//! | `contexts.rs` | stacks that wait |
//! | [`follower`] | the stacks of all cores, and calls as numbers |
//! | [`shown`] | what is shown of them where contexts are selected |

mod contexts;
mod flow;
pub mod follower;
pub mod functions;
pub mod shown;
#[cfg(test)]
mod tests;

use contexts::Waiting;
use functions::Function;
use retire::image::Position;

/// A function that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: Function,
    /// Address that it returns to; 0 where nobody called it.
    pub back: u64,
    /// Stack pointer when it was called, where it is known.
    pub sp: Option<u64>,
    /// How it was entered.
    pub entry: Entry,
}

/// Kind of entry into a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The trace, or a task, begins in it.
    Root,
    /// It was called.
    Call,
    /// It handles an interrupt: the interrupted code goes on at [`Frame::back`].
    Interrupt,
    /// It handles an exception: the code goes on at [`Frame::back`] or after the instruction there.
    Exception,
}

impl Frame {
    /// Whether it handles a trap.
    pub fn handler(&self) -> bool {
        matches!(self.entry, Entry::Interrupt | Entry::Exception)
    }
}

/// Change of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// This number of instructions retired in the function on top.
    Retired(u32),
    /// A function, by its number, was entered.
    Enter(u32),
    /// The function on top was left.
    Leave,
    /// All functions were left; those of another stack follow. Stacks are numbered from 0 in the order in which they began.
    Switch(u32),
}

/// Frames that are reported. Of deeper ones, only the innermost is reported.
pub const DEEPEST: usize = 1 << 12;

/// Frames that are kept: more than the stack of any program has room for.
const MOST: usize = 1 << 20;

/// The stack of one core.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
    /// The next instruction.
    position: Position,
    /// Its stack pointer, where it is known.
    sp: Option<u64>,
    /// Address space of the code, where the trace reports it.
    space: u32,
    /// Context of the next instruction if one was reported, and that of the instruction after the next event.
    context: Option<retire::Context>,
    next: Option<retire::Context>,
    /// Number of this stack, and of the next new one.
    number: u32,
    fresh: u32,
    waiting: Waiting,
}

impl Stack {
    /// Frames, the outermost first.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Context of the next instruction, of a trace with contexts.
    pub fn context(&self) -> retire::Context {
        self.context.unwrap_or(retire::Context::RESET)
    }

    fn enter(&mut self, frame: Frame, change: &mut impl FnMut(Change)) {
        if self.frames.len() >= DEEPEST {
            change(Change::Leave);
        }
        if self.frames.len() < MOST {
            self.frames.push(frame);
        } else if let Some(top) = self.frames.last_mut() {
            top.function = frame.function;
        }
        change(Change::Enter(frame.function.number));
    }

    /// Leaves all frames but the first `to`.
    fn leave(&mut self, to: usize, change: &mut impl FnMut(Change)) {
        let selection = |frames: usize| frames.min(DEEPEST);
        let before = self.frames.len();
        if to >= before {
            return;
        }
        self.frames.truncate(to);
        // of many deep frames one is reported
        let one = usize::from(to >= DEEPEST);
        for _ in 0..selection(before) - selection(to) + one {
            change(Change::Leave);
        }
        if let Some(top) = self.frames.last().filter(|_| one == 1) {
            change(Change::Enter(top.function.number));
        }
    }

    /// The code on top is that of another function, which returns to the same caller.
    fn replace(&mut self, function: Function, change: &mut impl FnMut(Change)) {
        let Some(top) = self.frames.last_mut() else { return };
        if top.function.number != function.number {
            change(Change::Leave);
            change(Change::Enter(function.number));
        }
        top.function = function;
    }

    /// Leaves all frames for those of another stack.
    fn switch(&mut self, number: u32, frames: Vec<Frame>, change: &mut impl FnMut(Change)) {
        self.leave(0, change);
        self.number = number;
        change(Change::Switch(number));
        for frame in frames {
            self.enter(frame, change);
        }
    }
}
