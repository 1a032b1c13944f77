//! Semihosting: an `ebreak` between two marks asks the host, and goes on behind it
//!
//! | register | at the call | behind it |
//! | --- | --- | --- |
//! | `a0` | operation | result, see [`result`] |
//! | `a1` | its argument, or the address of a block of words of the address width | the same |
//!
//! | operation | number | argument | what the machine does |
//! | --- | ---: | --- | --- |
//! | `SYS_WRITEC` | 3 | address of a byte | prints it |
//! | `SYS_WRITE0` | 4 | address of bytes up to a 0 | prints them |
//! | `SYS_WRITE` | 5 | block: handle (any), address, length | prints so many bytes |
//! | `SYS_EXIT` | 24 | RV32: reason; RV64: block: reason, code | ends: reason `0x20026` is code 0 or the block's, any other 1 |
//! | `SYS_EXIT_EXTENDED` | 32 | block: reason, code | ends as `SYS_EXIT` of RV64 |
//!
//! What the result is follows from the operation alone, so that cores can be executed again without a word from the host.
//! The `ebreak` retires as any other instruction; it makes no exception.
//!
//! # Source
//! RISC-V Semihosting, version 1.0: the marks; Arm's "Semihosting for AArch32 and AArch64": the operations.

use super::bus::Bus;
use super::code::bits;
use super::memory::{Effect, Memory};

/// `slli x0, x0, 0x1f` in front of the call.
const ENTRY: u32 = 0x01f0_1013;
/// `srai x0, x0, 7` behind it.
const LEAVE: u32 = 0x4070_5013;

const WRITEC: u64 = 0x03;
const WRITE0: u64 = 0x04;
const WRITE: u64 = 0x05;
const EXIT: u64 = 0x18;
const EXIT_EXTENDED: u64 = 0x20;
/// `ADP_Stopped_ApplicationExit`: the program ended as it should.
const APPLICATION_EXIT: u64 = 0x2_0026;

/// Whether the `ebreak` of four bytes at `pc` is a call.
#[cold]
pub fn is_call(memory: &impl Bus, pc: u64) -> bool {
    let at = |addr: u64| bits(memory, addr).ok();
    at(pc.wrapping_sub(4)) == Some(ENTRY) && at(pc) == Some(0x0010_0073) && at(pc.wrapping_add(4)) == Some(LEAVE)
}

/// What the host answers: 0, or -1 where it does not know the operation.
pub fn result(operation: u64) -> u64 {
    match operation {
        WRITEC | WRITE0 | WRITE | EXIT | EXIT_EXTENDED => 0,
        _ => u64::MAX,
    }
}

impl Memory {
    /// Does what the operation says. Bytes outside RAM are not printed.
    pub(super) fn ask_host(&mut self, operation: u64, argument: u64, rv64: bool) -> Effect {
        let word = |memory: &mut Self, i: u64| {
            if rv64 {
                memory.load::<8>(argument.wrapping_add(8 * i), 0).unwrap_or(0)
            } else {
                memory.load::<4>(argument.wrapping_add(4 * i), 0).unwrap_or(0)
            }
        };
        let code = |reason: u64, code: u64| Effect::Exit(if reason == APPLICATION_EXIT { code as u32 } else { 1 });
        match operation {
            WRITEC => self.print(argument, 1, false),
            WRITE0 => self.print(argument, u64::MAX, true),
            WRITE => {
                let (start, length) = (word(self, 1), word(self, 2));
                self.print(start, length, false);
            }
            EXIT if !rv64 => return code(argument, 0),
            EXIT | EXIT_EXTENDED => return code(word(self, 0), word(self, 1)),
            _ => {}
        }
        Effect::None
    }

    /// Prints bytes of RAM from `start` on, at most `length`, up to a 0 where that ends them.
    fn print(&mut self, start: u64, length: u64, to_zero: bool) {
        let Some(bytes) = self.offset::<1>(start).and_then(|at| self.ram.get(at..)) else { return };
        let bytes = &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        let end = if to_zero { bytes.iter().position(|b| *b == 0) } else { None };
        self.uart.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
    }
}
