//! Golden model of the memory port: trace words into a range of a system's memory, clock by clock
//!
//! # Source
//! ARM IHI 0022 (AXI4): A3.2, handshakes; A3.4.1, bursts, which do not cross a border of 4 KiB; A3.4.4, responses.
//! The rules of the range are this project's: `docs/reference/buses.md`, "Words into memory". Registers: [`crate::regs::MEMORY_REGS`].
//!
//! # What it does
//! Words wait in a queue of [`PLACES`]. A burst begins when as many wait as fit it: [`BURST`], or fewer before a border of
//! 4 KiB or the end of the range; or when no word came for [`QUIET`] clocks, or the port is being disabled, with what
//! is there. There is one burst at a time: a clock to reckon it, its address, its words, its response.

use std::collections::VecDeque;

/// Words that wait, at most.
pub const PLACES: usize = 32;
/// Words of a burst, at most.
pub const BURST: u32 = 16;
/// Clocks without a word after which what waits is written.
pub const QUIET: u32 = 64;
/// Words between two borders that a burst does not cross.
pub const PAGE: u32 = 1024;

/// All bits of a count of words in 2^32 bytes.
const WORDS: u32 = (1 << 30) - 1;

/// What comes in, in a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Back to the state at power-up; all else does not count.
    pub reset: bool,
    /// Number of a register in [`crate::regs::MEMORY_REGS`].
    pub addr: u32,
    /// It is written.
    pub write: bool,
    /// With that.
    pub wdata: u32,
    /// A trace word is offered.
    pub word: Option<u32>,
    /// AWREADY.
    pub address_ready: bool,
    /// WREADY.
    pub data_ready: bool,
    /// BRESP, while BVALID.
    pub response: Option<u32>,
}

/// What goes out in a clock; of registers alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The register that was named at the edge before.
    pub rdata: u32,
    /// An offered word is taken.
    pub ready: bool,
    /// AWADDR and AWLEN, while AWVALID.
    pub address: Option<(u32, u32)>,
    /// WDATA and WLAST, while WVALID.
    pub data: Option<(u32, bool)>,
    /// BREADY.
    pub response_ready: bool,
    /// The interrupt.
    pub interrupt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No burst is under way.
    #[default]
    Wait,
    Address,
    Data,
    Response,
}

/// The port. Counts and places are words.
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
    // written since the last watermark
    since: u32,
    quiet: u32,
    // what a burst may be at most is known
    settled: bool,
    phase: Phase,
    address: u32,
    length: u32,
    left: u32,
    queue: VecDeque<u32>,
    answer: u32,
}

impl MemoryPort {
    /// What it gives in this clock.
    pub fn outputs(&self) -> Outputs {
        let word = self.queue.front().copied().unwrap_or_default();
        Outputs {
            rdata: self.answer,
            ready: if self.running { !self.closing && self.queue.len() < PLACES } else { self.discard },
            address: (self.phase == Phase::Address).then_some((self.address << 2, self.length.wrapping_sub(1))),
            data: (self.phase == Phase::Data).then_some((word, self.left == 1)),
            response_ready: self.phase == Phase::Response,
            interrupt: self.flags != 0,
        }
    }

    /// The rising edge.
    pub fn step(&mut self, i: &Inputs) {
        if i.reset {
            let answer = self.read(i.addr);
            *self = Self { answer, ..Self::default() };
            return;
        }
        let before = self.clone();
        let taken = i.word.filter(|_| before.outputs().ready);
        self.answer = before.read(i.addr);

        // words
        self.quiet = if taken.is_some() { 0 } else { (before.quiet + 1).min(QUIET) };
        if before.running {
            self.queue.extend(taken);
        } else if before.discard {
            self.queue.clear();
        }

        // registers, before what a burst changes
        if i.write && i.addr == 4 {
            self.flags &= !i.wdata;
        }
        if i.write && i.addr == 2 && before.running && i.wdata & 1 == 0 {
            self.closing = true;
        }
        if i.write && !before.running {
            self.program(i);
        }

        self.settled = before.running && before.phase == Phase::Wait;
        match before.phase {
            Phase::Wait if before.running && before.settled => self.begin(&before),
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

    /// A write while it is not running.
    fn program(&mut self, i: &Inputs) {
        match i.addr {
            0 => self.base = i.wdata >> 2,
            1 => self.size = i.wdata >> 2,
            7 => self.watermark = i.wdata >> 2,
            2 => {
                (self.stop, self.discard) = (i.wdata & 2 != 0, i.wdata & 4 != 0);
                if i.wdata & 1 != 0 && self.size != 0 {
                    self.running = true;
                    (self.offset, self.wraps, self.since, self.response, self.quiet) = (0, 0, 0, 0, 0);
                }
            }
            _ => {}
        }
    }

    /// A burst of what waited, if it is time for one.
    fn begin(&mut self, before: &Self) {
        let place = (before.base + before.offset) & WORDS;
        let limit = BURST.min(PAGE - place % PAGE).min(before.size - before.offset);
        let held = before.queue.len() as u32;
        if held >= limit || held > 0 && (before.quiet == QUIET || before.closing) {
            self.phase = Phase::Address;
            self.address = place;
            self.length = held.min(limit);
            self.left = self.length;
        } else if before.closing && held == 0 {
            self.halt();
        }
    }

    /// The burst is answered.
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

    /// A port with a range of `size` bytes at `base` that is enabled by `control`.
    fn enabled(base: u32, size: u32, control: u32) -> MemoryPort {
        let mut port = MemoryPort::default();
        for (addr, wdata) in [(0, base), (1, size), (2, control)] {
            port.step(&Inputs { addr, write: true, wdata, ..Inputs::default() });
        }
        port
    }

    /// Bursts while `words` come in, one a clock, and for `more` clocks behind: address, words, and the clock of the address.
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
        // the first word is taken in clock 0, the second in 1, two wait in clock 2, the address is there in 3; the third
        // word is taken in clock 2, 64 clocks later the rest is due
        assert_eq!(bursts(&mut port, 3, 80), [(0xff8, vec![1, 2], 3), (0x1000, vec![3], 68)]);
        assert_eq!((port.read(5), port.read(6), port.read(3)), (12, 0, 1));
    }

    #[test]
    fn a_range_is_gone_round_or_ends() {
        let mut port = enabled(0x100, 20, 1);
        let made = bursts(&mut port, 7, 80);
        let right = [(0x100, vec![1, 2, 3, 4, 5]), (0x100, vec![6, 7])];
        assert_eq!(made.into_iter().map(|(at, words, _)| (at, words)).collect::<Vec<_>>(), right);
        assert_eq!((port.read(5), port.read(6), port.read(4)), (8, 1, 0));

        let mut port = enabled(0x100, 20, 3);
        let made = bursts(&mut port, 7, 80);
        assert_eq!(made.into_iter().map(|(at, words, _)| (at, words)).collect::<Vec<_>>(), right[..1]);
        assert_eq!((port.read(5), port.read(6), port.read(4), port.read(3)), (0, 1, 2, 0));
        // what waited goes into the next range
        port.step(&Inputs { addr: 2, write: true, wdata: 1, ..Inputs::default() });
        assert_eq!(bursts(&mut port, 0, 80)[0].1, [6, 7]);
    }

    #[test]
    fn an_error_ends_it_where_the_burst_began() {
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
