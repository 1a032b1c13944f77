//! Receiver of an expanded run

use retire::code::{Change, CodeBlock};
use retire::{DataEvent, FlowEvent};

/// Thread and instruction of an event or a datum.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Thread number, in order of creation.
    pub thread: u32,
    /// Text of the instruction; empty if not requested.
    pub text: &'a str,
    /// Of a datum: size in bytes of the operand that begins with it, 16 or 32 if QEMU reports it in parts of 8; 0 for the
    /// other parts.
    pub operand: u8,
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
