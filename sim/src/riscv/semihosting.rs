//! Semihosting: an `ebreak` between two marker instructions calls the host
//!
//! | register | at the call | after it |
//! | --- | --- | --- |
//! | `a0` | operation | result, see [`result`] |
//! | `a1` | its argument, or the address of a block of XLEN-bit words | unchanged |
//!
//! | operation | number | argument | what the machine does |
//! | --- | ---: | --- | --- |
//! | `SYS_WRITEC` | 3 | address of a byte | prints it |
//! | `SYS_WRITE0` | 4 | address of bytes up to a 0 | prints them |
//! | `SYS_WRITE` | 5 | block: handle (any), address, length | prints `length` bytes |
//! | `SYS_EXIT` | 24 | RV32: reason; RV64: block: reason, code | ends: reason `0x20026` gives code 0 or the block's code, any other reason 1 |
//! | `SYS_EXIT_EXTENDED` | 32 | block: reason, code | ends as `SYS_EXIT` of RV64 |
//! | `SYS_OPEN` | 1 | block: name, mode, length | nothing; the handle is 1, the console |
//! | `SYS_CLOSE` | 2 | block: handle | nothing |
//! | `SYS_ISTTY` | 9 | block: handle | nothing; the result is 1: every handle is the console |
//! | `SYS_FLEN` | 12 | block: handle | nothing; the length is 0 |
//! | `SYS_ERRNO` | 19 | | nothing; the result is 5, `EIO` |
//! | `SYS_GET_CMDLINE` | 21 | block | nothing; the result is -1: there are no arguments |
//! | `SYS_READ` | 6 | block: handle (any), address, length | stores input there; the result is the number of bytes that are missing |
//! | `SYS_READC` | 7 | | the result is a byte of input, or -1 |
//! | `SYS_CLOCK` | 16 | | the result is `mtime` in hundredths of a second |
//! | `SYS_TIME` | 17 | | the result is `mtime` in seconds: a run begins in 1970 |
//! | `SYS_ELAPSED` | 48 | address of 64 bits | stores `mtime` there |
//! | `SYS_TICKFREQ` | 49 | | the result is 10,000,000: that of `mtime`, in Hz |
//!
//! C libraries make these calls at their start (newlib's librdimon opens `:tt` three times; both it and picolibc open
//! `:semihosting-features`, which is empty here) and for their output. Any other operation, and `SYS_OPEN` of another
//! file, returns -1 and is recorded ([`UnsupportedCall`]), so that the unsupported calls of a run can be reported.
//!
//! The other results depend only on the operation, so that a run can be executed again without recorded answers of the host.
//! Those of reading and of the time are reported like a read of the CSR `time`, and so recorded; what the host stores
//! to RAM is reported as the stores of a bus master.
//! The `ebreak` retires like any other instruction; it raises no exception.
//!
//! # Source
//! RISC-V Semihosting, version 1.0: the marker instructions; Arm's "Semihosting for AArch32 and AArch64": the
//! operations.

use super::bus::Bus;
use super::code::bits;
use super::memory::{Effect, Memory};

/// `slli x0, x0, 0x1f`, before the call.
const ENTRY: u32 = 0x01f0_1013;
/// `srai x0, x0, 7`, after it.
const LEAVE: u32 = 0x4070_5013;

const OPEN: u64 = 0x01;
const CLOSE: u64 = 0x02;
const WRITEC: u64 = 0x03;
const WRITE0: u64 = 0x04;
const WRITE: u64 = 0x05;
const READ: u64 = 0x06;
const READC: u64 = 0x07;
const ISTTY: u64 = 0x09;
const FLEN: u64 = 0x0c;
const CLOCK: u64 = 0x10;
const TIME: u64 = 0x11;
const ERRNO: u64 = 0x13;
const GET_CMDLINE: u64 = 0x15;
const EXIT: u64 = 0x18;
const EXIT_EXTENDED: u64 = 0x20;
const ELAPSED: u64 = 0x30;
const TICKFREQ: u64 = 0x31;
/// Ticks of `mtime` per second.
const TICKS: u64 = 10_000_000;
/// CSR as whose value an answer from outside is reported: `time`.
pub const ANSWER: u16 = 0xc01;
/// `ADP_Stopped_ApplicationExit`: the program ended normally.
const APPLICATION_EXIT: u64 = 0x2_0026;

/// Whether the 4-byte `ebreak` at `pc` is a call.
#[cold]
pub fn is_call(memory: &impl Bus, pc: u64) -> bool {
    let at = |addr: u64| bits(memory, addr).ok();
    at(pc.wrapping_sub(4)) == Some(ENTRY) && at(pc) == Some(0x0010_0073) && at(pc.wrapping_add(4)) == Some(LEAVE)
}

/// Result of the call, -1 if the operation is not supported; `None` if it comes from outside.
pub fn result(operation: u64) -> Option<u64> {
    Some(match operation {
        READ | READC | CLOCK | TIME | ELAPSED => return None,
        TICKFREQ => TICKS,
        CLOSE | WRITEC | WRITE0 | WRITE | FLEN | EXIT | EXIT_EXTENDED => 0,
        OPEN | ISTTY => 1,
        ERRNO => 5,
        _ => u64::MAX,
    })
}

/// A call to the host that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedCall {
    /// Number of the operation, or of the system call.
    pub operation: u64,
    /// File name of a `SYS_OPEN`.
    pub file: Option<String>,
    /// Whether it is a system call of the host interface (`tohost`).
    pub proxied: bool,
    /// Number of calls.
    pub count: u64,
}

/// Different operations and files that are recorded: bounds the memory that a program can take.
const KEPT: usize = 16;
/// Bytes of a file name that are recorded.
const NAME: usize = 64;

impl UnsupportedCall {
    /// Name of the operation in Arm's document, or of the system call, if it has one.
    pub fn name(&self) -> &'static str {
        match self.operation {
            57 if self.proxied => "close",
            62 if self.proxied => "lseek",
            80 if self.proxied => "fstat",
            214 if self.proxied => "brk",
            1024 if self.proxied => "open",
            _ if self.proxied => "unknown",
            0x01 => "SYS_OPEN",
            0x08 => "SYS_ISERROR",
            0x0a => "SYS_SEEK",
            0x0d => "SYS_TMPNAM",
            0x0e => "SYS_REMOVE",
            0x0f => "SYS_RENAME",
            0x12 => "SYS_SYSTEM",
            0x16 => "SYS_HEAPINFO",
            _ => "unknown",
        }
    }
}

impl Memory {
    /// Performs the operation; returns its answer if that comes from outside. Bytes outside RAM are not printed.
    pub(super) fn semihosting_call(&mut self, operation: u64, argument: u64, rv64: bool, cycle: u64) -> (Effect, u64) {
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
            EXIT if !rv64 => return (code(argument, 0), 0),
            EXIT | EXIT_EXTENDED => return (code(word(self, 0), word(self, 1)), 0),
            READ => {
                let (start, length) = (word(self, 1), word(self, 2));
                let bytes = self.input.take(if self.offset::<1>(start).is_some() { length } else { 0 });
                self.host_store(start, &bytes, cycle);
                return (Effect::None, length - bytes.len() as u64);
            }
            READC => return (Effect::None, self.input.next().map_or(u64::MAX, u64::from)),
            CLOCK => return (Effect::None, self.mtime(cycle) / (TICKS / 100)),
            TIME => return (Effect::None, self.mtime(cycle) / TICKS),
            ELAPSED if self.offset::<8>(argument).is_some() => {
                self.host_store(argument, &self.mtime(cycle).to_le_bytes(), cycle);
            }
            ELAPSED => return (Effect::None, u64::MAX),
            OPEN => {
                let at = word(self, 0);
                let name = self.text(at);
                if !matches!(name, b":tt" | b":semihosting-features") {
                    let name = String::from_utf8_lossy(&name[..name.len().min(NAME)]).into_owned();
                    self.note_unsupported(UnsupportedCall { operation, file: Some(name), proxied: false, count: 1 });
                }
            }
            CLOSE | ISTTY | FLEN | ERRNO | GET_CMDLINE | TICKFREQ => {}
            _ => self.note_unsupported(UnsupportedCall { operation, file: None, proxied: false, count: 1 }),
        }
        (Effect::None, 0)
    }

    /// Bytes of RAM from `start` to the first 0.
    fn text(&self, start: u64) -> &[u8] {
        let bytes = self.offset::<1>(start).and_then(|at| self.ram.get(at..)).unwrap_or(&[]);
        &bytes[..bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len())]
    }

    pub(super) fn note_unsupported(&mut self, call: UnsupportedCall) {
        let same = |u: &&mut UnsupportedCall| UnsupportedCall { count: 1, ..(**u).clone() } == call;
        if let Some(known) = self.unanswered.iter_mut().find(same) {
            known.count += 1;
        } else if self.unanswered.len() < KEPT {
            self.unanswered.push(call);
        }
    }

    /// Prints bytes of RAM from `start` on, at most `length`; with `to_zero` up to the first 0.
    pub(super) fn print(&mut self, start: u64, length: u64, to_zero: bool) {
        let Some(bytes) = self.offset::<1>(start).and_then(|at| self.ram.get(at..)) else { return };
        let bytes = &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        let end = if to_zero { bytes.iter().position(|b| *b == 0) } else { None };
        self.uart.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
    }
}
