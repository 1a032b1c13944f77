//! Call stacks of cores, from their calls, returns and traps

use crate::symbols::Symbols;
use retire::{FlowEvent, FlowKind};
use std::collections::HashMap;

/// Functions by number; each name is stored once.
#[derive(Debug, Default)]
pub struct Functions {
    symbols: Symbols,
    names: Vec<String>,
    numbers: HashMap<u64, u32>,
}

impl Functions {
    /// Creates the table for the symbols of a program.
    pub fn new(symbols: Symbols) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// Number of the function that contains `pc`; an address without a symbol is a function of its own.
    pub fn of(&mut self, pc: u64) -> u32 {
        let start = self.symbols.at(pc).map_or(pc, |(_, offset)| pc - offset);
        if let Some(number) = self.numbers.get(&start) {
            return *number;
        }
        let name = self.symbols.at(pc).map_or_else(|| format!("0x{pc:08x}"), |(name, _)| name.to_string());
        let number = self.names.len() as u32;
        self.names.push(name);
        self.numbers.insert(start, number);
        number
    }

    /// Name of a function.
    pub fn name(&self, function: u32) -> &str {
        &self.names[function as usize]
    }

    /// All names, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether `pc` is the start of a function.
    pub fn begins(&self, pc: u64) -> bool {
        self.symbols.at(pc).is_some_and(|(_, offset)| offset == 0)
    }
}

/// A function that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of the function.
    pub function: u32,
    /// Return address.
    pub back: u64,
    /// Whether it is the handler of a trap.
    pub handler: bool,
}

/// A change of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A function was entered.
    Enter(u32),
    /// The innermost function was left.
    Leave,
}

/// Maximum depth; deeper calls are attributed to the last frame.
const DEEPEST: usize = 1 << 12;

/// The call stack of one core.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
}

impl Stack {
    /// The frames, outermost first.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn enter(&mut self, frame: Frame, change: &mut impl FnMut(Change)) {
        if self.frames.len() < DEEPEST {
            self.frames.push(frame);
            change(Change::Enter(frame.function));
        }
    }

    fn leave(&mut self, to: usize, change: &mut impl FnMut(Change)) {
        while self.frames.len() > to {
            self.frames.pop();
            change(Change::Leave);
        }
    }

    /// Handles an event of the core. `change` is called for functions left and entered, in order.
    pub fn event(&mut self, e: &FlowEvent, functions: &mut Functions, mut change: impl FnMut(Change)) {
        let change = &mut change;
        let kind = match e.kind {
            FlowKind::ConditionalIndirect { how, taken: true } => how.into(),
            kind => kind,
        };
        match kind {
            FlowKind::Start | FlowKind::Gap { .. } => {
                self.leave(0, change);
                let function = functions.of(e.target);
                self.enter(Frame { function, back: 0, handler: false }, change);
            }
            FlowKind::Call | FlowKind::IndirectCall => {
                let function = functions.of(e.target);
                self.enter(Frame { function, back: e.fall_through(), handler: false }, change);
            }
            FlowKind::Trap { .. } => {
                let function = functions.of(e.target);
                self.enter(Frame { function, back: e.pc, handler: true }, change);
            }
            FlowKind::Return | FlowKind::CoSwap => {
                // returns to the frame with that return address: this may leave several frames, or none if no frame has
                // it
                let found = self.frames.iter().rposition(|f| f.back == e.target && !f.handler);
                let lowest = self.frames.iter().rposition(|f| f.handler).map_or(0, |at| at + 1);
                if let Some(at) = found.filter(|at| *at >= lowest && *at > 0) {
                    self.leave(at, change);
                }
            }
            FlowKind::TrapReturn => {
                if let Some(at) = self.frames.iter().rposition(|f| f.handler) {
                    self.leave(at, change);
                }
            }
            FlowKind::Jump | FlowKind::IndirectJump => {
                // a tail call replaces the function
                let function = functions.of(e.target);
                if let Some(top) = self.frames.last().copied().filter(|t| t.function != function) {
                    if functions.begins(e.target) {
                        self.leave(self.frames.len() - 1, change);
                        self.enter(Frame { function, ..top }, change);
                    }
                }
            }
            FlowKind::Conditional { .. } | FlowKind::ConditionalIndirect { .. } | FlowKind::Context { .. } => {}
            FlowKind::Stop => self.leave(0, change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: FlowKind, pc: u64, target: u64) -> FlowEvent {
        FlowEvent { hart: 0, kind, len: 4, count: 1, pc, target, cycle: 0 }
    }

    #[test]
    fn calls_returns_and_traps_make_the_stack() {
        let mut functions = Functions::default();
        let mut stack = Stack::default();
        let mut told = Vec::new();
        for (kind, pc, target) in [
            (FlowKind::Start, 0, 0x100),
            (FlowKind::Call, 0x100, 0x200),
            (FlowKind::Call, 0x200, 0x300),
            (FlowKind::Trap { interrupt: true, cause: 7 }, 0x304, 0x400),
            (FlowKind::Call, 0x400, 0x500),
            (FlowKind::Return, 0x500, 0x404),
            (FlowKind::TrapReturn, 0x404, 0x304),
            // 0x300 was left by a longjmp: the return to 0x104 leaves both
            (FlowKind::Return, 0x304, 0x104),
        ] {
            stack.event(&event(kind, pc, target), &mut functions, |c| told.push(c));
        }
        use Change::{Enter, Leave};
        assert_eq!(told, [Enter(0), Enter(1), Enter(2), Enter(3), Enter(4), Leave, Leave, Leave, Leave]);
        assert_eq!(stack.frames().len(), 1);
        stack.event(&event(FlowKind::Return, 0x104, 0x9999), &mut functions, |_| panic!("it returns to nobody"));
    }
}
