//! The diagnosis processor: a programmable processing node
//!
//! Events that arrive are stored in slots of its memory, in order, and a small RV32I core runs the program's handler
//! for each to completion. The program sends events to the host or to other nodes. A handler that takes too long, or
//! causes a fault, is aborted: only its own event is lost.
//!
//! # Memory of the core
//! | address | content |
//! | --- | --- |
//! | 0 to [`RAM_BYTES`] - 1 | program and data; execution starts at 0 |
//! | [`SLOTS_AT`] + 32 s | slot s, 0 to 15, read-only |
//! | [`SEND_AT`] | the event to send, laid out as a slot, write-only |
//! | [`NEXT_AT`], a load | releases the previous slot and returns the address of the next one; waits until there is one |
//! | [`NEXT_AT`], a store | sends the event at [`SEND_AT`]: bits 2:0 number of arguments, 0 to 6 |
//! | [`TIME_AT`] | a load: cycles since the reset |
//!
//! Little-endian. Memory and slots take accesses of bytes, halfwords and words, the others of words. All other
//! addresses fault, and so do misaligned accesses, instructions outside RV32I, and `fence`, `ecall` and `ebreak`.
//!
//! # A slot
//! | word | bits | meaning |
//! | ---: | --- | --- |
//! | 0 | 5:0 | source; unused in an event to send |
//! | | 15:6 | events that the source lost until this one left it, since the one before; 1023 for more |
//! | | 11:6 | in place of these the destination, of an event to send |
//! | | 23:16, 27:24 | event identifier, core |
//! | | 30 | 1: the event has a time |
//! | | 31 | 1: a flush instead of an event; unused in an event to send |
//! | 1 | | time, or 0 |
//! | 2 to 7 | | arguments, or 0; of a flush, word 2 has its number |
//!
//! # Registers
//! 16 bits each, accessed over the ring. Those up to 8 can be read, those from 2 on can be written.
//!
//! | register | read | write |
//! | ---: | --- | --- |
//! | 0 | kind: 15 | |
//! | 1 | slots: 16 | |
//! | 2 | 0: running, 1: waiting for events, 12:8 slots in use | 0: run; restarts the core, discards events and clears counters |
//! | 3 | bytes of memory | |
//! | 4, 5 | events and flushes handled, low half first | 4: watchdog limit in units of 64 cycles; 0 is 65536 |
//! | 6 | handlers aborted | |
//! | 7 | packets that found all slots full | |
//! | 8 | events dropped while not running | |
//! | 0x800 + n | | bytes 2 n and 2 n + 1 of memory; ignored while running |
//!
//! Counters 6 to 8 saturate at 65535. After a reset the watchdog limit is [`LIMIT`] and the processor does not run.
//!
//! # Clocks
//! An instruction takes three cycles; a store 4, a load 5, a shift 4 and one more per bit position. While the core
//! waits for an event or for space to send, the watchdog does not count. It restarts with each event. When the limit is
//! reached, a memory access takes effect only if it is before that cycle. A program that is aborted while it has no
//! event stops running.
//!
//! Each abort is reported to the host by an event [`TRIP_EVENT`]. Its arguments are the address of the instruction, and
//! the second word of the event's packet (0xffff if there was no event) with the cause in bits 17:16 (1: watchdog, 2:
//! fault).
//!
//! # Source
//! Paper 004 sections 3.6 and 4.2: run to completion, DMA and run queue. Memory map, watchdog and format are this
//! project's.

pub mod core;
pub mod node;
pub mod recording;
pub mod ring_processor;

/// Kind number, register 0.
pub const KIND: u16 = 15;
/// Number of slots.
pub const SLOTS: usize = 16;
/// Size of the memory for program and data, bytes.
pub const RAM_BYTES: u32 = 4096;
/// Address of the first slot.
pub const SLOTS_AT: u32 = 0x1_0000;
/// Address of the event to send.
pub const SEND_AT: u32 = 0x2_0000;
/// Address that takes the next event (load) and sends one (store).
pub const NEXT_AT: u32 = 0x3_0000;
/// Address of the time.
pub const TIME_AT: u32 = 0x3_0004;
/// Watchdog limit after a reset, in units of [`UNIT`] cycles.
pub const LIMIT: u16 = 1024;
/// Cycles of a unit of the watchdog.
pub const UNIT: u32 = 64;
/// Control register.
pub const CONTROL: u16 = 2;
/// Watchdog register.
pub const WATCHDOG: u16 = 4;
/// Number of registers that can be read.
pub const READABLE: u16 = 9;
/// First register of memory.
pub const MEMORY: u16 = 0x800;
/// Identifier of the event that reports an aborted handler.
pub const TRIP_EVENT: u8 = 254;
/// Replaces the second word of a packet if there was no event.
pub const NO_EVENT: u32 = 0xffff;
/// Lowest bit of the count of lost events in the first word of a slot.
pub const LOST_AT: u32 = 6;
/// Greatest count of lost events in a slot.
pub const MAX_LOST: u16 = 1023;
/// Cause: the watchdog.
pub const TOO_LONG: u32 = 1;
/// Cause: a fault.
pub const FAULT: u32 = 2;
