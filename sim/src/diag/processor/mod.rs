//! The diagnosis processor: a node whose work is a program
//!
//! Events that arrive are put into slots of its memory, in order, and a small RV32I core runs the program's handler of each to
//! its end. What the program sends goes to the host or to other nodes. A handler that takes too long, or does what the core
//! cannot, is ended: it costs its own event and nothing else.
//!
//! # Memory of the core
//! | address | what |
//! | --- | --- |
//! | 0 to [`RAM_BYTES`] - 1 | program and data; the core begins at 0 |
//! | [`SLOTS_AT`] + 32 s | slot s, 0 to 15, for loads only |
//! | [`SEND_AT`] | the event to send, as in a slot, for stores only |
//! | [`NEXT_AT`] | a load: done with the slot that it gave before; the address of the next one, when there is one |
//! | [`NEXT_AT`], a store | sends what is at [`SEND_AT`]: bits 2:0 number of its arguments, 0 to 6 |
//! | [`TIME_AT`] | a load: clocks since the reset |
//!
//! Low bytes first; memory and slots by bytes, halves and words, the others by words. All else is a fault, and so are addresses
//! that are no multiple of the access's size, instructions that are none of RV32I, `fence`, `ecall` and `ebreak`.
//!
//! # A slot
//! | word | bits | meaning |
//! | ---: | --- | --- |
//! | 0 | 5:0 | source; not of what is sent |
//! | | 11:6 | destination, of what is sent |
//! | | 23:16, 27:24 | event, its core |
//! | | 30 | it has a time |
//! | | 31 | it is a flush, and no event; not of what is sent |
//! | 1 | | time, or 0 |
//! | 2 to 7 | | arguments, or 0; of a flush, word 2 has its number |
//!
//! # Registers
//! 16 bits each, over the ring. Those up to 8 can be read, those from 2 on be written.
//!
//! | register | read | written |
//! | ---: | --- | --- |
//! | 0 | kind: 15 | |
//! | 1 | slots: 16 | |
//! | 2 | 0: it runs, 1: it waits for events, 12:8 slots in use | 0: it runs; starts the core anew, with no events and counters of 0 |
//! | 3 | bytes of memory | |
//! | 4, 5 | events and flushes handled, low half first | 4: the watchdog, in units of 64 clocks; 0 is 65536 |
//! | 6 | handlers ended | |
//! | 7 | packets that found all slots full | |
//! | 8 | events dropped while it did not run | |
//! | 0x800 + n | | bytes 2 n and 2 n + 1 of memory; while it runs, nothing |
//!
//! Counters 6 to 8 stay at 65535. After a reset the watchdog is [`LIMIT`] and the processor does not run.
//!
//! # Clocks
//! Three an instruction; a store takes 4, a load 5, a shift 4 and one more for each place. While the core waits for an event or for
//! room to send, the watchdog does not count. It counts anew with each event. What it does where the limit is reached, it does
//! before that clock only. A program that is ended without an event in hand does not run any more.
//!
//! Of each handler that is ended the host is told: event [`TRIP_EVENT`], its arguments the address of the instruction, and the second
//! word of the event's packet, or 0xffff without an event in hand, with the cause in bits 17:16 (1: the watchdog, 2: a fault).
//!
//! # Source
//! Paper 004 sections 3.6 and 4.2: run to completion, DMA and run queue. Memory map, watchdog and format are ours.

pub mod core;
pub mod node;
pub mod seat;

/// Number of its kind, register 0.
pub const KIND: u16 = 15;
/// Slots.
pub const SLOTS: usize = 16;
/// Bytes of program and data.
pub const RAM_BYTES: u32 = 4096;
/// First slot.
pub const SLOTS_AT: u32 = 0x1_0000;
/// Words to send.
pub const SEND_AT: u32 = 0x2_0000;
/// Takes and sends.
pub const NEXT_AT: u32 = 0x3_0000;
/// The time.
pub const TIME_AT: u32 = 0x3_0004;
/// Watchdog after a reset, in units of [`UNIT`] clocks.
pub const LIMIT: u16 = 1024;
/// Clocks of a unit of the watchdog.
pub const UNIT: u32 = 64;
/// Register: it runs.
pub const CONTROL: u16 = 2;
/// Register: the watchdog.
pub const WATCHDOG: u16 = 4;
/// Registers that can be read.
pub const READABLE: u16 = 9;
/// First register of memory.
pub const MEMORY: u16 = 0x800;
/// Identifier of the event that tells of a handler that was ended.
pub const TRIP_EVENT: u8 = 254;
/// In place of the second word of a packet: there was no event in hand.
pub const NO_EVENT: u32 = 0xffff;
/// Cause: it took too long.
pub const TOO_LONG: u32 = 1;
/// Cause: it did what the core cannot.
pub const FAULT: u32 = 2;
