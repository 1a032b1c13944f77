//! The diagnosis processor at packet level: slots, packets that its program sends, aborted handlers
//!
//! [`Processor::run`] works on each event as far as possible and returns the number of cycles.

use super::core::{Core, End, Space};
use super::recording::{interrupt, Recorded};
use super::{
    CONTROL, FAULT, KIND, LIMIT, LOST_AT, MAX_LOST, MEMORY, NO_EVENT, RAM_BYTES, READABLE, SLOTS, SLOTS_AT, TOO_LONG,
    TRIP_EVENT, UNIT, WATCHDOG,
};
use crate::diag::packet::{Args, Body, Event, Op, Packet, HOST, MAX_WORDS};
use crate::platform::ParamError;
use retire::elf::Program;
use std::collections::VecDeque;

/// The content of a slot.
#[derive(Clone, Debug)]
struct Held {
    slot: usize,
    /// Second word of the packet.
    second: u32,
    /// The response to a flush.
    answer: Option<Packet>,
}

/// The golden model of the diagnosis processor.
#[derive(Clone, Debug)]
pub struct Processor {
    address: u8,
    core: Core,
    space: Space,
    queue: VecDeque<Held>,
    held: Option<Held>,
    running: bool,
    waits: bool,
    watchdog: u16,
    /// Cycles of the current handler.
    ran: u32,
    free: usize,
    handled: u32,
    trips: u16,
    full: u16,
    dropped: u16,
    unreported: u64,
}

impl Processor {
    /// A processor at an address, in its reset state.
    pub fn new(address: u8) -> Self {
        Self {
            address,
            core: Core::default(),
            space: Space::default(),
            queue: VecDeque::new(),
            held: None,
            running: false,
            waits: false,
            watchdog: LIMIT,
            ran: 0,
            free: 0,
            handled: 0,
            trips: 0,
            full: 0,
            dropped: 0,
            unreported: 0,
        }
    }

    /// Watchdog limit of a handler, cycles.
    pub fn limit(&self) -> u32 {
        UNIT * if self.watchdog == 0 { 1 << 16 } else { u32::from(self.watchdog) }
    }

    /// Whether it is running.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Moves it to another address.
    pub fn set_address(&mut self, address: u8) {
        self.address = address;
    }

    /// Whether it has nothing to do.
    pub fn is_waiting(&self) -> bool {
        !self.running || (self.waits && self.queue.is_empty())
    }

    /// Whether a slot is free.
    pub fn has_free_slot(&self) -> bool {
        self.queue.len() + usize::from(self.held.is_some()) < SLOTS
    }

    /// Counts a packet that found all slots full.
    pub fn refuse(&mut self) {
        self.full = self.full.saturating_add(1);
    }

    /// Lost events that no result has reported yet.
    pub fn unreported(&self) -> u64 {
        self.unreported
    }

    /// Aborted handlers.
    pub fn trips(&self) -> u16 {
        self.trips
    }

    /// Events dropped while it was not running.
    pub fn dropped(&self) -> u16 {
        self.dropped
    }

    /// Records what the core executes, from here on; `program` was loaded and nothing of it has been executed yet.
    pub fn record(&mut self, program: &Program) -> Result<(), ParamError> {
        self.core.record(program)
    }

    /// Ends the recording, if there is one.
    pub fn recorded(&mut self) -> Option<Recorded> {
        self.core.recorded()
    }

    /// Content of its memory.
    pub fn ram(&self) -> &[u8] {
        &self.space.ram
    }

    /// Reads a register.
    pub fn register(&self, at: u16) -> u16 {
        let used = (self.queue.len() + usize::from(self.held.is_some())) as u16;
        match at {
            0 => KIND,
            1 => SLOTS as u16,
            2 => used << 8 | u16::from(self.waits) << 1 | u16::from(self.running),
            3 => RAM_BYTES as u16,
            4 => self.handled as u16,
            5 => (self.handled >> 16) as u16,
            6 => self.trips,
            7 => self.full,
            8 => self.dropped,
            _ => 0,
        }
    }

    /// Writes a register.
    pub fn write(&mut self, at: u16, word: u16) {
        match at {
            CONTROL => {
                self.queue.clear();
                (self.held, self.ran, self.free) = (None, 0, 0);
                (self.handled, self.trips, self.full, self.dropped) = (0, 0, 0, 0);
                (self.running, self.waits) = (word & 1 == 1, false);
                self.core.reset();
            }
            WATCHDOG => self.watchdog = word,
            _ if at >= MEMORY && !self.running => {
                let at = 2 * usize::from(at - MEMORY);
                self.space.ram[at..at + 2].copy_from_slice(&word.to_le_bytes());
            }
            _ => {}
        }
    }

    /// Takes a packet and returns the response, except to a flush, which is answered when the program is done with it.
    pub fn take(&mut self, words: &[u16]) -> Option<Packet> {
        let Packet { src, body, .. } = Packet::parse(words).ok()?;
        let (op, addr, data) = match body {
            Body::Event(event) => {
                self.unreported += u64::from(event.lost);
                if self.running {
                    let stamp = u32::from(event.time.is_some()) << 14;
                    let second = stamp | u32::from(event.core) << 8 | u32::from(event.id);
                    let first = second << 16 | u32::from(event.lost.min(MAX_LOST)) << LOST_AT | u32::from(src);
                    let mut slot = [first, event.time.unwrap_or(0), 0, 0, 0, 0, 0, 0];
                    slot[2..2 + event.args.len()].copy_from_slice(&event.args);
                    self.push(slot, None);
                } else {
                    self.dropped = self.dropped.saturating_add(1);
                    self.unreported += 1;
                }
                return None;
            }
            Body::Control { op, addr, data } => (op, addr, data),
        };
        let answer = |op, words: &[u16]| Some(Packet::control(self.address, src, op, addr, words));
        let count = data.first().copied().unwrap_or(0);
        match op {
            Op::Read if count > 0 && addr < READABLE && count <= READABLE - addr => {
                let words: Vec<u16> = (addr..addr + count).map(|a| self.register(a)).collect();
                answer(Op::ReadData, &words)
            }
            Op::Write if addr >= CONTROL && !data.is_empty() => {
                let done = answer(Op::Written, &[]);
                for (n, word) in data.iter().enumerate() {
                    self.write(addr.wrapping_add(n as u16) & 0xfff, *word);
                }
                done
            }
            Op::Read | Op::Write => answer(Op::Error, &[]),
            Op::Flush => {
                let number = data.get(..1).unwrap_or_default();
                let done = Packet::control(self.address, HOST, Op::Flush, 0, number);
                if !self.running {
                    return Some(done);
                }
                let second = 0xc000 | u32::from(addr);
                self.push([second << 16 | u32::from(src), 0, count.into(), 0, 0, 0, 0, 0], Some(done));
                None
            }
            Op::ReadData | Op::Written | Op::Error | Op::Time | Op::Trace => None,
        }
    }

    fn push(&mut self, words: [u32; 8], answer: Option<Packet>) {
        self.space.slots[self.free] = words;
        self.core.stored(self.free, &words);
        self.queue.push_back(Held { slot: self.free, second: words[0] >> 16, answer });
        self.free = (self.free + 1) % SLOTS;
    }

    /// The packet with the count of events lost before it, if it is an event that has room for it.
    pub fn reported(&mut self, mut packet: Packet) -> Packet {
        if let Body::Event(e) = &mut packet.body {
            if e.id != TRIP_EVENT && e.words() < MAX_WORDS {
                e.lost = self.unreported.min(u16::MAX.into()) as u16;
                self.unreported -= u64::from(e.lost);
            }
        }
        packet
    }

    /// Runs until the core waits for an event or is stopped, or for one event (`one`). Appends the packets that it
    /// sends; returns the cycles.
    pub fn run(&mut self, time: u32, one: bool, out: &mut Vec<Packet>) -> u64 {
        let (mut clocks, mut begun) = (0, false);
        while self.running {
            let next = self.queue.front().filter(|_| !(one && begun)).map(|h| SLOTS_AT + 32 * h.slot as u32);
            (self.space.next, self.space.time) = (next, time.wrapping_add(clocks as u32));
            self.waits = false;
            // if the limit was lowered meanwhile, it is reached when the count has wrapped around
            let left = self.limit().wrapping_sub(self.ran) & 0x7f_ffff;
            match self.core.step(&mut self.space, left) {
                End::Retired(n) => {
                    clocks += u64::from(n);
                    self.ran += n;
                    if next.is_some() && self.space.next.is_none() {
                        self.release(out);
                        self.held = self.queue.pop_front();
                        self.ran = 1;
                        begun = true;
                    }
                    if let Some(args) = self.space.sent {
                        out.push(self.event(args));
                    }
                }
                End::Waits => {
                    self.release(out);
                    self.waits = true;
                    break;
                }
                End::Fault(n) => {
                    clocks += u64::from(n) + 1;
                    self.end(FAULT, out);
                }
                End::Limit => {
                    clocks += u64::from(left) + 1;
                    self.end(TOO_LONG, out);
                }
            }
        }
        clocks
    }

    /// The program releases its slot.
    fn release(&mut self, out: &mut Vec<Packet>) {
        if let Some(held) = self.held.take() {
            self.handled = self.handled.wrapping_add(1);
            out.extend(held.answer);
        }
    }

    /// Aborts the handler.
    fn end(&mut self, cause: u32, out: &mut Vec<Packet>) {
        let held = self.held.take();
        let second = held.as_ref().map_or(NO_EVENT, |h| h.second);
        let args = Args::of(&[self.core.pc(), cause << 16 | second]);
        out.push(Packet::event(self.address, HOST, Event { id: TRIP_EVENT, args, ..Event::default() }));
        match held {
            Some(held) => out.extend(held.answer),
            // events in slots stay there
            None => {
                self.running = false;
                out.extend(self.queue.iter_mut().filter_map(|h| h.answer.take()));
            }
        }
        self.trips = self.trips.saturating_add(1);
        self.ran = 0;
        self.core.restart(interrupt(cause));
    }

    fn event(&self, args: u32) -> Packet {
        let words = &self.space.send;
        let (dest, second) = ((words[0] >> 6 & 63) as u8, words[0] >> 16);
        let event = Event {
            id: second as u8,
            core: (second >> 8 & 15) as u8,
            time: (second >> 14 & 1 == 1).then_some(words[1]),
            args: Args::of(&words[2..2 + args as usize]),
            ..Event::default()
        };
        Packet::event(self.address, dest, event)
    }
}

/// Register writes that load a program and start it; `watchdog`: in units of [`UNIT`] cycles.
pub fn start(image: &[u8], watchdog: u16) -> Vec<(u16, u16)> {
    let mut writes = vec![(CONTROL, 0), (WATCHDOG, watchdog)];
    for (n, half) in image.chunks(2).enumerate() {
        let word = u16::from(half[0]) | u16::from(half.get(1).copied().unwrap_or(0)) << 8;
        writes.push((MEMORY + n as u16, word));
    }
    writes.push((CONTROL, 1));
    writes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::processor::{SEND_AT, TIME_AT};

    /// lui x1, 0x30; lw x2, 0(x1); lw x3, 8(x2); beq x3, x0, 0; lui x4, 0x20; lui x5, 0x210; addi x5, x5, -0x40;
    /// sw x5, 0(x4); sw x3, 8(x4); addi x6, x0, 1; sw x6, 0(x1); jal x0, -40
    const SENDS: [u32; 12] = [
        0x0003_00b7,
        0x0000_a103,
        0x0081_2183,
        0x0001_8063,
        0x0002_0237,
        0x0021_02b7,
        0xfc02_8293,
        0x0052_2023,
        0x0032_2423,
        0x0010_0313,
        0x0060_a023,
        0xfd9f_f06f,
    ];

    fn loaded(words: &[u32], watchdog: u16) -> Processor {
        let mut p = Processor::new(20);
        let image: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        start(&image, watchdog).iter().for_each(|w| p.write(w.0, w.1));
        p
    }

    fn event(arg: u32, lost: u16) -> Vec<u16> {
        Packet::event(2, 20, Event { id: 9, core: 3, lost, args: Args::of(&[arg]), ..Event::default() }).to_words()
    }

    #[test]
    fn a_program_sends_what_was_worked_by_hand() {
        let (mut p, mut out) = (loaded(&SENDS, 1), Vec::new());
        assert_eq!(p.take(&event(7, 4)), None);
        // lui; a load; a load, branch, 3 of 3, 2 stores, one of 3, a store, a jump; a load that waits
        assert_eq!(p.run(0, false, &mut out), 3 + 5 + 5 + 3 + 9 + 8 + 3 + 4 + 3);
        let to_host =
            |id, args: &[u32]| Packet::event(20, HOST, Event { id, args: Args::of(args), ..Event::default() });
        assert_eq!(out, [to_host(0x20, &[7])]);
        let Body::Event(e) = p.reported(out.remove(0)).body else { panic!() };
        assert_eq!((e.lost, p.unreported(), p.register(4), p.register(2)), (4, 0, 1, 3));
        // an argument of 0 makes it hang: the branch to itself lasts until cycle 64
        p.take(&event(0, 0));
        p.take(&event(8, 0));
        assert!(p.take(&Packet::control(HOST, 20, Op::Flush, 0, &[5]).to_words()).is_none());
        p.run(0, false, &mut out);
        let flushed = Packet::control(20, HOST, Op::Flush, 0, &[5]);
        let hung = to_host(TRIP_EVENT, &[12, TOO_LONG << 16 | 0x309]);
        assert_eq!(out, [hung, to_host(0x20, &[8]), to_host(0x20, &[5]), flushed]);
        let read = p.take(&Packet::control(HOST, 20, Op::Read, 4, &[5]).to_words()).unwrap();
        assert_eq!(read, Packet::control(20, HOST, Op::ReadData, 4, &[3, 0, 1, 0, 0]));
    }

    #[test]
    fn a_slot_has_the_number_of_events_lost_before_it() {
        for (lost, shown) in [(0, 0), (1, 1), (1023, 1023), (1024, 1023), (u16::MAX, 1023)] {
            let mut p = loaded(&SENDS, 1);
            p.take(&event(7, lost));
            // source 2, event 9 of core 3
            assert_eq!(p.space.slots[0], [0x0309_0002 | shown << 6, 0, 7, 0, 0, 0, 0, 0]);
            assert_eq!(p.unreported(), u64::from(lost));
        }
    }

    #[test]
    fn a_program_that_cannot_begin_is_stopped() {
        let (mut p, mut out) = (loaded(&[0], 1), Vec::new());
        p.run(0, false, &mut out);
        assert!(!p.is_running() && p.trips() == 1 && out.len() == 1);
        assert_eq!(p.take(&event(7, 2)), None);
        assert_eq!((p.dropped(), p.unreported(), p.take(&event(1, 0))), (1, 3, None));
        let flush = Packet::control(HOST, 20, Op::Flush, 0, &[]).to_words();
        assert_eq!(p.take(&flush), Some(Packet::control(20, HOST, Op::Flush, 0, &[])));
        assert_eq!((SEND_AT, TIME_AT), (0x2_0000, 0x3_0004));
    }
}
