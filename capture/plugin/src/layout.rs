//! The memory that plugin and front end share: a page of control, then a ring of 32-bit words
//!
//! The front end makes and owns it, so that a guest that is killed loses nothing. Words of the ring, in the order in
//! which the guest's threads did what they tell:
//!
//! | word | then | |
//! | --- | --- | --- |
//! | bit 31 is 0 | | the thread begins block number `word` |
//! | [`BLOCK`], words that follow | number, start (2), instructions + 65536 x state, bytes of code, bytes of text; sizes, code and text, padded | a block was translated |
//! | [`THREAD`], thread | | the words that follow are of this thread |
//! | [`AHEAD`] | number of a block | the thread's next block; others run before it |
//! | [`SIGNAL`], signal + 256 if the thread caused it | pc (2) | a handler begins; at pc the thread was interrupted |
//! | [`SYSCALL`], [`ORDINARY`] and the like | | the last instruction of the block calls the system |
//! | [`ACCESS`], instruction + size + kind | address (2), value (2) | an instruction of the block loads or stores |
//! | [`EXIT`], thread | | it has ended |
//! | [`BEGIN`] | instructions (2) | so many were skipped; here tracing begins |
//! | [`LEAVE`] | number of a block | the thread goes to a block that is not traced: of another image, or of no routine that is wanted |

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// First word of the control page.
pub const MAGIC: u64 = u64::from_le_bytes(*b"GSHKCAP\x01");
/// Bytes before the ring.
pub const CONTROL_BYTES: usize = 4096;
/// Words that are worth taking; a fraction of the ring.
pub const ENOUGH: u64 = 1 << 17;
/// Pieces of code that can be traced alone.
pub const MOST_PIECES: usize = 128;

/// This word is no block.
pub const ESCAPE: u32 = 1 << 31;
/// A translated block.
pub const BLOCK: u32 = 0;
/// Another thread tells.
pub const THREAD: u32 = 1;
/// Where the thread will go on.
pub const AHEAD: u32 = 2;
/// A handler begins.
pub const SIGNAL: u32 = 3;
/// A system call begins.
pub const SYSCALL: u32 = 4;
/// A load, a store or both.
pub const ACCESS: u32 = 5;
/// A thread has ended.
pub const EXIT: u32 = 6;
/// Skipping is over.
pub const BEGIN: u32 = 7;
/// The thread leaves what is traced.
pub const LEAVE: u32 = 8;

/// The block that the thread has begun is in another context than what it told before: mode in bits 1:0, above them the ASID.
pub const CONTEXT: u32 = 9;

/// Of [`BLOCK`]: instructions; above them the state of the processor, which only 32-bit ARM has: bit 0 Thumb, bits 15:8
/// ITSTATE.
pub const INSTRUCTIONS: u32 = (1 << 16) - 1;

/// Bits of an escape's argument.
pub const ARGUMENT: u32 = (1 << 24) - 1;

/// A word that begins an escape.
pub const fn escape(kind: u32, argument: u32) -> u32 {
    ESCAPE | kind << 24 | (argument & ARGUMENT)
}

/// Of [`SIGNAL`]: the thread's own instruction caused it.
pub const CAUSED: u32 = 1 << 8;

/// Of [`SYSCALL`]: any that returns behind its instruction.
pub const ORDINARY: u32 = 0;
/// Of [`SYSCALL`]: returns to where a signal came.
pub const SIGRETURN: u32 = 1;
/// Of [`SYSCALL`]: another program takes the place of this one, if it succeeds.
pub const EXEC: u32 = 2;
/// Of [`SYSCALL`]: the process ends.
pub const EXIT_ALL: u32 = 3;

/// Of [`ACCESS`]: bits of the instruction's place in its block.
pub const PLACE_BITS: u32 = 12;
/// Of [`ACCESS`]: where log2 of the size stands.
pub const SIZE_SHIFT: u32 = 12;
/// Of [`ACCESS`]: it loads.
pub const LOADS: u32 = 1 << 16;
/// Of [`ACCESS`]: it stores; with [`LOADS`] an atomic, and the value is the new one.
pub const STORES: u32 = 1 << 17;

/// Flag: loads and stores are wanted.
pub const WANT_DATA: u32 = 1;
/// Flag: blocks carry the text of their instructions.
pub const WANT_TEXT: u32 = 2;
/// Flag: only what is in the image of the program.
pub const OWN_IMAGE: u32 = 4;
/// Flag: threads run as the host lets them.
pub const FREE: u32 = 8;
/// Flag: the quantum varies.
pub const JITTER: u32 = 16;

/// Flag: contexts of a whole machine are wanted.
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
    /// For the jitter.
    pub seed: u64,
    /// Instructions of a turn.
    pub quantum: u32,
    /// [`WANT_DATA`] and the like.
    pub flags: u32,
    /// Address that the ELF gives its lowest code; where that is loaded, the plugin knows.
    pub code: u64,
    /// Pieces of code that are traced, from and up to, in addresses of the ELF.
    pub pieces: [[u64; 2]; MOST_PIECES],
    /// How many; 0: all code is traced.
    pub piece_count: u64,
    /// The front end wants no more.
    pub stop: AtomicU32,
    /// 1: the plugin is at work; above: what it lacks, see [`NO_REGISTERS`].
    pub state: AtomicU32,
    /// Turns that ended with others waiting.
    pub switches: AtomicU64,
    /// Turns that were taken from a thread that made no progress.
    pub steals: AtomicU64,
    /// Threads so far.
    pub threads: AtomicU64,
    /// Most threads that lived at one time.
    pub most_alive: AtomicU32,
    /// 1 while a writer waits for room, and is to be woken when half of the ring is free.
    pub full: AtomicU32,
    /// 1 while the front end waits for [`ENOUGH`] words.
    pub asleep: AtomicU32,
    /// Not 0: [`Written::head`] says what is written, not the cursor: nothing is traced yet, or any more.
    pub hidden: AtomicU32,
    /// Where the guest's process has the ring.
    pub base: AtomicU64,
    /// What the writer counts.
    pub written: Written,
    /// Words read since the beginning.
    pub tail: Line,
}

const _: () = assert!(std::mem::size_of::<Control>() <= CONTROL_BYTES);

/// What who writes without the lock reads and writes at each block, in a cache line of its own.
///
/// Code that the plugin makes QEMU generate knows these places.
#[repr(C, align(128))]
pub struct Written {
    /// Address in the guest's process behind the last word that was written; always at the end of an entry.
    pub cursor: AtomicU64,
    /// Instructions that may be executed without the lock.
    pub left: AtomicI64,
    /// The processor that writes without it, or [`NOBODY`].
    pub gate: AtomicU32,
    /// Where [`Control::hidden`] is set, words written since the beginning.
    pub head: AtomicU64,
    /// Instructions that were executed when none of `left` is left.
    pub until: AtomicU64,
}

impl Written {
    /// Instructions of the blocks that were begun, whether traced or not.
    #[inline(always)]
    pub fn executed(&self) -> u64 {
        self.until.load(Relaxed).wrapping_sub(self.left.load(Relaxed) as u64)
    }
}

/// Of [`Written::gate`].
pub const NOBODY: u32 = u32::MAX;

/// A counter in a cache line of its own.
#[repr(C, align(128))]
pub struct Line(pub AtomicU64);

/// Of [`Control::state`]: at work.
pub const READY: u32 = 1;
/// Of [`Control::state`]: QEMU does not show registers, so the place a signal came at is not known.
pub const NO_REGISTERS: u32 = 2;
