//! Golden model of the memory port: writes trace words to a range of the system's memory, cycle by cycle
//!
//! # Source
//! ARM IHI 0022 (AXI4): A3.2, handshakes; A3.4.1, bursts, which must not cross a 4 KiB boundary; A3.4.4, responses.
//! The rules of the range are this project's: `docs/reference/buses.md`, "Words into memory". Registers: [`crate::regs::MEMORY_REGS`].
//!
//! # Behaviour
//! Words are queued in a FIFO of [`FIFO_DEPTH`] entries. A burst begins when the FIFO has enough words for it: [`BURST`], or fewer
//! before a 4 KiB boundary or the end of the range. It also begins, with the words that are there, if no word came for
//! [`FLUSH_CYCLES`] cycles, or if the port is being disabled. There is one burst at a time: a cycle to compute it, its address, its
//! words, its response.

use std::collections::VecDeque;

/// Depth of the FIFO, words.
pub const FIFO_DEPTH: usize = 32;
/// Maximum words per burst.
pub const BURST: u32 = 16;
/// Cycles without a new word after which the FIFO is written out.
pub const FLUSH_CYCLES: u32 = 64;
/// Words between two boundaries that a burst must not cross.
pub const PAGE: u32 = 1024;

/// Mask of a word count in 2^32 bytes.
const WORDS: u32 = (1 << 30) - 1;

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Returns to the state at power-up; all other inputs are ignored.
    pub reset: bool,
    /// Number of a register in [`crate::regs::MEMORY_REGS`].
    pub addr: u32,
    /// Write strobe for the register.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// The trace word that is offered.
    pub word: Option<u32>,
    /// AWREADY.
    pub address_ready: bool,
    /// WREADY.
    pub data_ready: bool,
    /// BRESP, if BVALID.
    pub response: Option<u32>,
}

/// Outputs in one cycle; they depend on registers only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Value of the register that was addressed at the previous edge.
    pub rdata: u32,
    /// An offered word is accepted.
    pub ready: bool,
    /// AWADDR and AWLEN, if AWVALID.
    pub address: Option<(u32, u32)>,
    /// WDATA and WLAST, if WVALID.
    pub data: Option<(u32, bool)>,
    /// BREADY.
    pub response_ready: bool,
    /// The interrupt output.
    pub interrupt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No burst in progress.
    #[default]
    Wait,
    Address,
    Data,
    Response,
}

/// State of the memory port. Counts and offsets are in words.
#[derive(Clone, Debug, Default)]
pub struct MemoryPort {
    base: u32,
    size: u32,
    watermark: u32,
    stop: bool,
    discard: bool,
    running: bool,
    closing: bool,
    response: u32,
    // bit 0: watermark, 1: full, 2: error
    flags: u32,
    offset: u32,
    wraps: u32,
    // words written since the last watermark
    since: u32,
    idle_cycles: u32,
    // the maximum length of the next burst is valid
    limit_valid: bool,
    // part of a memory sink
    of_sink: bool,
    phase: Phase,
    address: u32,
    length: u32,
    left: u32,
    queue: VecDeque<u32>,
    read_data: u32,
}

impl MemoryPort {
    /// The port inside a memory sink ([`crate::tci::memory_sink`]). It continues at the pointer when it is enabled; a write of the pointer
    /// makes it and the number of wraps 0; it discards words while it is not running.
    pub fn of_sink() -> Self {
        Self { of_sink: true, ..Self::default() }
    }

    /// Outputs of this cycle.
    pub fn outputs(&self) -> Outputs {
        let word = self.queue.front().copied().unwrap_or_default();
        Outputs {
            rdata: self.read_data,
            ready: if self.running { !self.closing && self.queue.len() < FIFO_DEPTH } else { self.discards() },
            address: (self.phase == Phase::Address).then_some((self.address << 2, self.length.wrapping_sub(1))),
            data: (self.phase == Phase::Data).then_some((word, self.left == 1)),
            response_ready: self.phase == Phase::Response,
            interrupt: self.flags != 0,
        }
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        if i.reset {
            let read_data = self.read(i.addr);
            *self = Self { read_data, of_sink: self.of_sink, ..Self::default() };
            return;
        }
        let before = self.clone();
        let taken = i.word.filter(|_| before.outputs().ready);
        self.read_data = before.read(i.addr);

        // words
        self.idle_cycles = if taken.is_some() { 0 } else { (before.idle_cycles + 1).min(FLUSH_CYCLES) };
        if before.running {
            self.queue.extend(taken);
        } else if before.discards() {
            self.queue.clear();
        }

        // registers; a burst below may change them again
        if i.write && i.addr == 4 {
            self.flags &= !i.wdata;
        }
        if i.write && i.addr == 2 && before.running && i.wdata & 1 == 0 {
            self.closing = true;
        }
        if i.write && !before.running {
            self.program(i);
        }

        self.limit_valid = before.running && before.phase == Phase::Wait;
        match before.phase {
            Phase::Wait if before.running && before.limit_valid => self.begin(&before),
            Phase::Wait => {}
            Phase::Address if i.address_ready => self.phase = Phase::Data,
            Phase::Data if i.data_ready => {
                self.queue.pop_front();
                self.left = before.left - 1;
                if before.left == 1 {
                    self.phase = Phase::Response;
                }
            }
            Phase::Response => i.response.into_iter().for_each(|code| self.end(code)),
            Phase::Address | Phase::Data => {}
        }
    }

    /// Whether words are discarded while the port is not running.
    fn discards(&self) -> bool {
        self.discard || self.of_sink
    }

    /// A register write while the port is not running.
    fn program(&mut self, i: &Inputs) {
        match i.addr {
            0 => self.base = i.wdata >> 2,
            1 => self.size = i.wdata >> 2,
            7 => self.watermark = i.wdata >> 2,
            2 => {
                (self.stop, self.discard) = (i.wdata & 2 != 0, i.wdata & 4 != 0);
                if i.wdata & 1 != 0 && self.size != 0 {
                    self.running = true;
                    (self.since, self.response, self.idle_cycles) = (0, 0, 0);
                    if !self.of_sink {
                        (self.offset, self.wraps) = (0, 0);
                    }
                }
            }
            5 if self.of_sink => (self.offset, self.wraps) = (0, 0),
            _ => {}
        }
    }

    /// Begins a burst of the words in the FIFO, if one is due.
    fn begin(&mut self, before: &Self) {
        let place = (before.base + before.offset) & WORDS;
        let limit = BURST.min(PAGE - place % PAGE).min(before.size - before.offset);
        let held = before.queue.len() as u32;
        if held >= limit || held > 0 && (before.idle_cycles == FLUSH_CYCLES || before.closing) {
            self.phase = Phase::Address;
            self.address = place;
            self.length = held.min(limit);
            self.left = self.length;
        } else if before.closing && held == 0 {
            self.halt();
        }
    }

    /// Takes the response of the burst.
    fn end(&mut self, code: u32) {
        self.phase = Phase::Wait;
        if code != 0 {
            self.response = code;
            self.flags |= 4;
            self.halt();
            return;
        }
        self.offset += self.length;
        self.since = (self.since + self.length) & WORDS;
        if self.watermark != 0 && self.since >= self.watermark {
            self.since = 0;
            self.flags |= 1;
        }
        if self.offset == self.size {
            self.offset = 0;
            self.wraps = self.wraps.wrapping_add(1);
            if self.stop {
                self.flags |= 2;
                self.halt();
            }
        }
    }

    fn halt(&mut self) {
        self.running = false;
        self.closing = false;
    }

    fn read(&self, addr: u32) -> u32 {
        match addr {
            0 => self.base << 2,
            1 => self.size << 2,
            2 => u32::from(self.running && !self.closing) | u32::from(self.stop) << 1 | u32::from(self.discard) << 2,
            3 => u32::from(self.running) | self.response << 4,
            4 => self.flags,
            5 => self.offset << 2,
            6 => self.wraps,
            _ => self.watermark << 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port with a range of `size` bytes at `base`, enabled by writing `control`.
    fn enabled(base: u32, size: u32, control: u32) -> MemoryPort {
        let mut port = MemoryPort::default();
        for (addr, wdata) in [(0, base), (1, size), (2, control)] {
            port.step(&Inputs { addr, write: true, wdata, ..Inputs::default() });
        }
        port
    }

    /// Bursts while `words` come in, one per cycle, and for `more` cycles after: address, words, and the cycle of the address.
    fn bursts(port: &mut MemoryPort, words: u32, more: u32) -> Vec<(u32, Vec<u32>, u32)> {
        let mut made: Vec<(u32, Vec<u32>, u32)> = Vec::new();
        let mut left = (1..=words).collect::<VecDeque<u32>>();
        for clock in 0..words + more {
            let out = port.outputs();
            made.extend(out.address.map(|(at, _)| (at, Vec::new(), clock)));
            if let (Some((word, _)), Some(burst)) = (out.data, made.last_mut()) {
                burst.1.push(word);
            }
            let word = left.front().copied();
            let all = Inputs { addr: 3, address_ready: true, data_ready: true, response: Some(0), ..Inputs::default() };
            port.step(&Inputs { word, ..all });
            if out.ready {
                left.pop_front();
            }
        }
        made
    }

    #[test]
    fn bursts_end_at_4_kib_and_the_rest_is_written_when_nothing_comes() {
        let mut port = enabled(0xff8, 64, 1);
        // the first word is taken in cycle 0, the second in 1, two are queued in cycle 2, the address is valid in 3; the third
        // word is taken in cycle 2, and 64 cycles later the rest is due
        assert_eq!(bursts(&mut port, 3, 80), [(0xff8, vec![1, 2], 3), (0x1000, vec![3], 68)]);
        assert_eq!((port.read(5), port.read(6), port.read(3)), (12, 0, 1));
    }

    #[test]
    fn a_full_range_wraps_or_stops() {
        let mut port = enabled(0x100, 20, 1);
        let made = bursts(&mut port, 7, 80);
        let right = [(0x100, vec![1, 2, 3, 4, 5]), (0x100, vec![6, 7])];
        assert_eq!(made.into_iter().map(|(at, words, _)| (at, words)).collect::<Vec<_>>(), right);
        assert_eq!((port.read(5), port.read(6), port.read(4)), (8, 1, 0));

        let mut port = enabled(0x100, 20, 3);
        let made = bursts(&mut port, 7, 80);
        assert_eq!(made.into_iter().map(|(at, words, _)| (at, words)).collect::<Vec<_>>(), right[..1]);
        assert_eq!((port.read(5), port.read(6), port.read(4), port.read(3)), (0, 1, 2, 0));
        // the words that were queued go to the next range
        port.step(&Inputs { addr: 2, write: true, wdata: 1, ..Inputs::default() });
        assert_eq!(bursts(&mut port, 0, 80)[0].1, [6, 7]);
    }

    #[test]
    fn an_error_stops_the_port_at_the_start_of_the_burst() {
        let mut port = enabled(0x40, 0x100, 1);
        assert_eq!(bursts(&mut port, 16, 24).len(), 1);
        for clock in 0..40 {
            let all = Inputs { addr: 3, address_ready: true, data_ready: true, response: Some(2), ..Inputs::default() };
            port.step(&Inputs { word: Some(clock), ..all });
        }
        assert_eq!((port.read(5), port.read(4), port.read(3)), (64, 4, 0x20));
        assert!(!port.outputs().ready && port.outputs().interrupt);
    }

    #[test]
    fn it_is_programmed_only_while_it_is_not_running() {
        let mut port = enabled(0x40, 0x100, 1);
        for addr in [0, 1, 7] {
            port.step(&Inputs { addr, write: true, wdata: 0x5550, ..Inputs::default() });
        }
        assert_eq!((port.read(0), port.read(1), port.read(7)), (0x40, 0x100, 0));
        assert_eq!(enabled(0x40, 0, 1).read(3), 0);
        assert_eq!(enabled(0x40, 3, 1).read(3), 0);
    }
}
