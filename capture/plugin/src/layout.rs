//! Layout of the memory that plugin and front end share: a control page, then a ring of 32-bit words
//!
//! The front end creates and owns it, so that nothing is lost if the guest is killed. Words of the ring, in the order
//! of the guest's execution:
//!
//! | word | further words | meaning |
//! | --- | --- | --- |
//! | bit 31 is 0 | | the thread begins block number `word` |
//! | [`BLOCK`], words that follow | number, start (2), instructions + 65536 x state, bytes of code, bytes of text; sizes, code and text, padded | a block was translated |
//! | [`THREAD`], thread | | the entries that follow are of this thread |
//! | [`AHEAD`] | number of a block | the thread's next block; others run before it |
//! | [`SIGNAL`], signal + 256 if the thread caused it | pc (2) | a handler begins; the thread was interrupted at pc |
//! | [`SYSCALL`], [`ORDINARY`] and the like | | the last instruction of the block makes a system call |
//! | [`ACCESS`], instruction + size + kind | address (2), value (2) | an instruction of the block loads or stores |
//! | [`EXIT`], thread | | the thread has ended |
//! | [`BEGIN`] | instructions (2) | number that was skipped; the trace begins |
//! | [`LEAVE`] | number of a block | the thread continues in a block that is not traced: of another image, or outside the requested routines |

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicU8, Ordering::Relaxed};

/// First word of the control page.
pub const MAGIC: u64 = u64::from_le_bytes(*b"GSHKCAP\x01");
/// Size of the control page before the ring, bytes.
pub const CONTROL_BYTES: usize = 4096;
/// Words for which the front end is woken; a fraction of the ring.
pub const WAKE_WORDS: u64 = 1 << 17;
/// Most code ranges to which a trace can be restricted.
pub const MAX_RANGES: usize = 128;

/// Flag: the word is an escape, not a block.
pub const ESCAPE: u32 = 1 << 31;
/// A translated block.
pub const BLOCK: u32 = 0;
/// The entries that follow are of another thread.
pub const THREAD: u32 = 1;
/// Next block of the thread.
pub const AHEAD: u32 = 2;
/// A handler begins.
pub const SIGNAL: u32 = 3;
/// A system call begins.
pub const SYSCALL: u32 = 4;
/// A load, a store or both.
pub const ACCESS: u32 = 5;
/// A thread has ended.
pub const EXIT: u32 = 6;
/// End of skipping.
pub const BEGIN: u32 = 7;
/// The thread leaves the traced code.
pub const LEAVE: u32 = 8;

/// Context of the block that the thread has begun, if it differs from the last one: mode in bits 1:0, ASID above.
pub const CONTEXT: u32 = 9;

/// In [`BLOCK`]: mask of the number of instructions. Above it is the processor state: of 32-bit ARM, bit 0 Thumb and bits
/// 15:8 ITSTATE; of an x86-64 machine, its mode and the base of its code segment (`State::x86` of the plugin).
pub const INSTRUCTIONS: u32 = (1 << 16) - 1;

/// Mask of an escape's argument.
pub const ARGUMENT: u32 = (1 << 24) - 1;

/// First word of an escape.
pub const fn escape(kind: u32, argument: u32) -> u32 {
    ESCAPE | kind << 24 | (argument & ARGUMENT)
}

/// In [`SIGNAL`]: the thread's own instruction caused it.
pub const CAUSED: u32 = 1 << 8;

/// In [`SYSCALL`]: any call that returns to the next instruction.
pub const ORDINARY: u32 = 0;
/// In [`SYSCALL`]: returns to where a signal was taken.
pub const SIGRETURN: u32 = 1;
/// In [`SYSCALL`]: replaces the program by another, if it succeeds.
pub const EXEC: u32 = 2;
/// In [`SYSCALL`]: ends the process.
pub const EXIT_ALL: u32 = 3;

/// In [`ACCESS`]: width of the instruction's index in its block.
pub const PLACE_BITS: u32 = 12;
/// In [`ACCESS`]: position of log2 of the size.
pub const SIZE_SHIFT: u32 = 12;
/// In [`ACCESS`]: a load.
pub const LOADS: u32 = 1 << 16;
/// In [`ACCESS`]: a store; with [`LOADS`] an atomic, whose value is the new one.
pub const STORES: u32 = 1 << 17;

/// Flag: report loads and stores.
pub const WANT_DATA: u32 = 1;
/// Flag: report the text of instructions with blocks.
pub const WANT_TEXT: u32 = 2;
/// Flag: trace only the image of the program.
pub const OWN_IMAGE: u32 = 4;
/// Flag: threads run as the host schedules them.
pub const FREE: u32 = 8;
/// Flag: vary the quantum.
pub const JITTER: u32 = 16;

/// Flag: report contexts of a whole machine.
pub const CONTEXTS: u32 = 32;

/// The control page.
#[repr(C)]
pub struct Control {
    /// [`MAGIC`].
    pub magic: u64,
    /// Words of the ring, a power of 2.
    pub words: u64,
    /// Instructions to skip.
    pub skip: u64,
    /// Seed of the jitter.
    pub seed: u64,
    /// Instructions per turn.
    pub quantum: u32,
    /// [`WANT_DATA`] and the like.
    pub flags: u32,
    /// Lowest code address according to the ELF; the plugin knows the address at which it is loaded.
    pub code: u64,
    /// Code ranges to trace, start and end, as addresses of the ELF.
    pub ranges: [[u64; 2]; MAX_RANGES],
    /// Number of code ranges; 0: all code is traced.
    pub range_count: u64,
    /// Addresses of the ELF at which the trace starts, after `skip`, and ends; 0: none.
    pub start_at: u64,
    /// As above.
    pub stop_at: u64,
    /// The front end has requested that the trace starts.
    pub start: AtomicU32,
    /// The trace has ended at [`Control::stop_at`].
    pub stopped_at: AtomicU32,
    /// Process of the front end.
    pub owner: u32,
    /// The front end's descriptor of the [`Registry`]; 0: processes are not followed.
    pub registry: u32,
    /// The front end's descriptor of the plugin.
    pub plugin: u32,
    /// The slot of this process in the registry; the first process has none, but [`SLOTS`].
    pub slot: u32,
    /// [`EXITED`] + exit code, when the process ends by itself.
    pub exit: AtomicU32,
    /// The front end needs no more words.
    pub stop: AtomicU32,
    /// 1: the plugin is ready; above: a limitation, see [`NO_REGISTERS`].
    pub state: AtomicU32,
    /// Not 0: the guest has begun; otherwise QEMU could not load it.
    pub begun: AtomicU32,
    /// Turns that ended while other threads waited.
    pub switches: AtomicU64,
    /// Turns that were taken from a thread that made no progress.
    pub steals: AtomicU64,
    /// Threads so far.
    pub threads: AtomicU64,
    /// Most threads at a time.
    pub max_alive: AtomicU32,
    /// 1 while a writer waits for space and must be woken when half of the ring is free.
    pub full: AtomicU32,
    /// 1 while the front end waits for [`WAKE_WORDS`] words.
    pub asleep: AtomicU32,
    /// Not 0: [`Written::head`] holds the number of words, not the cursor: the trace has not begun, or has ended.
    pub hidden: AtomicU32,
    /// Address of the ring in the guest's process.
    pub base: AtomicU64,
    /// Counters of the writer.
    pub written: Written,
    /// Words read since the beginning.
    pub tail: Line,
}

const _: () = assert!(std::mem::size_of::<Control>() <= CONTROL_BYTES);

/// State that the writer without the lock uses at each block, in a cache line of its own.
///
/// Code that the plugin makes QEMU generate uses these offsets.
#[repr(C, align(128))]
pub struct Written {
    /// Address in the guest's process after the last word written; always at the end of an entry.
    pub cursor: AtomicU64,
    /// Instructions left that may be executed without the lock.
    pub left: AtomicI64,
    /// The processor that may write without the lock, or [`NOBODY`].
    pub gate: AtomicU32,
    /// While [`Control::hidden`] is set, words written since the beginning.
    pub head: AtomicU64,
    /// Number of executed instructions at which `left` becomes 0.
    pub until: AtomicU64,
}

impl Written {
    /// Instructions of the blocks that were begun, traced or not.
    #[inline(always)]
    pub fn executed(&self) -> u64 {
        self.until.load(Relaxed).wrapping_sub(self.left.load(Relaxed) as u64)
    }
}

/// Value of [`Written::gate`]: no processor.
pub const NOBODY: u32 = u32::MAX;

/// In [`Control::exit`]: the process has ended by itself.
pub const EXITED: u32 = 1 << 8;

/// Processes that can be followed at a time.
pub const SLOTS: usize = 64;
/// Size of a path, with the zero at its end.
pub const PATH_BYTES: usize = 4096;

/// Processes that are followed: the front end prepares slots with a control page and a ring each, and a child or a
/// program that replaces another takes one.
#[repr(C)]
pub struct Registry {
    /// Folder where QEMU finds files of the guest; empty: none.
    pub root: [u8; PATH_BYTES],
    /// Children for which no slot was free in time; they are not captured.
    pub missed: AtomicU32,
    /// The slots.
    pub slots: [Slot; SLOTS],
}

/// A process, or the place for one.
#[repr(C)]
pub struct Slot {
    /// [`EMPTY`] and the like.
    pub state: AtomicU32,
    /// The front end's descriptor of the control page and ring.
    pub memory: AtomicU32,
    /// The process.
    pub pid: AtomicU32,
    /// The process that created it; itself if it replaced its program.
    pub parent: AtomicU32,
    /// Path of the program if it was replaced; otherwise empty.
    pub path: [AtomicU8; PATH_BYTES],
}

/// State of a slot: the front end must prepare it.
// only the front end uses it
#[allow(dead_code)]
pub const EMPTY: u32 = 0;
/// State of a slot: ready to be taken.
pub const FREE_SLOT: u32 = 1;
/// State of a slot: taken by a process that has not begun.
pub const TAKEN: u32 = 2;
/// State of a slot: the process writes to its ring.
pub const RUNNING: u32 = 3;

/// A counter in a cache line of its own.
#[repr(C, align(128))]
pub struct Line(pub AtomicU64);

/// Value of [`Control::state`]: ready.
pub const READY: u32 = 1;
/// Value of [`Control::state`]: QEMU does not provide registers, so the address at which a signal is taken is unknown.
pub const NO_REGISTERS: u32 = 2;
