//! Golden model of the RAM sink that writes to system memory: registers in front of a memory port, cycle by cycle
//!
//! # Behaviour
//! The words are written by the port of [`crate::memory_port`], which this model has inside. The registers of the sink are programmed into the
//! port when it is enabled, one register a cycle; until then words have to wait. The state of the port is polled, a register each
//! cycle. Words are discarded while the sink is not enabled, so that an encoder can always be disabled.

use super::memory_map::register;
use super::Facts;
use crate::memory_port::{Inputs as PortInputs, MemoryPort, Outputs};

/// Words in 4 GiB.
const WORDS: u32 = 1 << 30;

/// Registers of the port.
mod port {
    pub const BASE: u32 = 0;
    pub const SIZE: u32 = 1;
    pub const CONTROL: u32 = 2;
    pub const STATUS: u32 = 3;
    pub const INTERRUPT: u32 = 4;
    pub const POINTER: u32 = 5;
    pub const WRAPS: u32 = 6;
}

/// Registers that are polled, in this order.
const POLLED: [u32; 4] = [port::STATUS, port::POINTER, port::WRAPS, port::INTERRUPT];

/// State of the sink. Addresses are in words.
#[derive(Clone, Debug)]
pub struct MemorySink {
    facts: Facts,
    port: MemoryPort,
    active: bool,
    /// It becomes inactive when the last burst is complete.
    leaving: bool,
    enable: bool,
    stop_on_wrap: bool,
    start: u32,
    limit: u32,
    /// The pointer of the port has to be cleared.
    moved: bool,
    /// Events that have to be cleared in the port.
    clear: u32,
    /// The next write that enables the port.
    step: u8,
    /// The port was enabled, and has not stopped.
    on: bool,
    /// The port may be running.
    running: bool,
    offset: u32,
    wrap: bool,
    events: u32,
    response: u32,
    /// The register to poll next, and the one whose value comes now.
    poll: usize,
    polled: Option<usize>,
    read_data: u32,
}

impl MemorySink {
    /// A sink at power-up.
    pub fn new(facts: Facts) -> Self {
        Self {
            facts,
            port: MemoryPort::of_sink(),
            active: false,
            leaving: false,
            enable: false,
            stop_on_wrap: false,
            start: 0,
            limit: 0,
            moved: false,
            clear: 0,
            step: 0,
            on: false,
            running: false,
            offset: 0,
            wrap: false,
            events: 0,
            response: 0,
            poll: 0,
            polled: None,
            read_data: 0,
        }
    }

    /// Outputs of this cycle; they depend on registers only.
    pub fn outputs(&self) -> Outputs {
        let of_port = self.port.outputs();
        Outputs {
            rdata: self.read_data,
            ready: of_port.ready && !self.starts(),
            interrupt: of_port.interrupt && self.active,
            ..of_port
        }
    }

    /// Whether it is enabled, but its port not yet.
    fn starts(&self) -> bool {
        self.enable && !self.on
    }

    /// Whether it is disabled and empty.
    fn idle(&self) -> bool {
        !self.enable && !self.on && !self.running
    }

    /// Words of the buffer, modulo those of 4 GiB.
    fn size(&self) -> u32 {
        self.limit.wrapping_sub(self.start).wrapping_add(1) % WORDS
    }

    fn read(&self, addr: u32) -> u32 {
        let at = |name: &str| u32::from(register(name).offset) == 4 * addr;
        let constants = |name: &str| register(name).reset(&self.facts);
        let bit = |field: &str, value: bool| if value { register("ram_control").field(field).mask() } else { 0 };
        if at("ram_control") {
            let empty = register("ram_control").field("empty").mask();
            return constants("ram_control") & !empty
                | bit("active", self.active)
                | bit("enable", self.enable)
                | bit("empty", !self.on && !self.running)
                | bit("stop_on_wrap", self.stop_on_wrap);
        }
        if at("ram_impl") {
            return constants("ram_impl");
        }
        if at("ram_start_low") {
            return self.start << 2;
        }
        if at("ram_limit_low") {
            return self.limit << 2;
        }
        if at("ram_wp_low") {
            return self.start.wrapping_add(self.offset) << 2 | u32::from(self.wrap);
        }
        if at("goshawk_ram_events") {
            let response = if self.events & 4 != 0 { self.response << 4 } else { 0 };
            return self.events | response;
        }
        0
    }

    /// The access to the port in this cycle: register and data of a write, if it is one. Updates what has been done.
    fn access(&mut self, before: &Self) -> (u32, Option<u32>) {
        self.polled = None;
        if !before.enable {
            self.step = 0;
        }
        if before.moved {
            self.moved = false;
            return (port::POINTER, Some(0));
        }
        if before.clear != 0 {
            self.clear = 0;
            return (port::INTERRUPT, Some(before.clear));
        }
        let stop = u32::from(before.stop_on_wrap) << 1;
        if before.on && !before.enable {
            self.on = false;
            return (port::CONTROL, Some(stop));
        }
        if before.starts() && !before.running {
            self.step = before.step + 1;
            return match before.step {
                0 => (port::BASE, Some(before.start << 2)),
                1 => (port::SIZE, Some(before.size() << 2)),
                _ => {
                    (self.step, self.on, self.running) = (0, true, true);
                    (port::CONTROL, Some(stop | 1))
                }
            };
        }
        self.polled = Some(before.poll);
        self.poll = (before.poll + 1) % POLLED.len();
        (POLLED[before.poll], None)
    }

    /// Takes the value of the register that was polled in the previous cycle; whether the port has stopped by itself.
    fn take(&mut self, before: &Self) -> bool {
        let value = before.port.outputs().rdata;
        match before.polled {
            Some(0) => {
                self.response = value >> 4 & 3;
                if value & 1 == 0 {
                    self.running = false;
                    if before.on {
                        (self.on, self.enable) = (false, false);
                        return true;
                    }
                }
            }
            Some(1) if !before.moved => self.offset = value >> 2,
            Some(2) if !before.moved => self.wrap = value != 0,
            Some(3) if before.clear == 0 => self.events = value & 6,
            _ => {}
        }
        false
    }

    /// A register write.
    fn write(&mut self, i: &PortInputs, before: &Self, stopped: bool) {
        let at = |name: &str| u32::from(register(name).offset) == 4 * i.addr;
        let bit = |field| i.wdata & register("ram_control").field(field).mask() != 0;
        if at("ram_control") {
            if before.active && !before.leaving {
                let sane = before.limit >= before.start && before.size() != 0;
                self.enable = bit("enable") && sane && !stopped;
                if before.idle() {
                    self.stop_on_wrap = bit("stop_on_wrap");
                }
                if !bit("active") {
                    (self.leaving, self.enable) = (true, false);
                }
            }
            self.active |= bit("active");
        }
        if before.active && before.idle() {
            let (start, limit) = (at("ram_start_low"), at("ram_limit_low"));
            if start {
                self.start = i.wdata >> 2;
            }
            if limit {
                self.limit = i.wdata >> 2;
            }
            if start || limit || at("ram_wp_low") {
                (self.moved, self.offset, self.wrap) = (true, 0, false);
            }
        }
        if at("goshawk_ram_events") {
            self.clear |= i.wdata & 6;
        }
    }

    /// Takes a rising edge of the clock. `addr` of the inputs is a word address in the page.
    pub fn step(&mut self, i: &PortInputs) {
        let before = self.clone();
        self.read_data = before.read(i.addr);
        let stopped = self.take(&before);
        let (addr, wdata) = self.access(&before);
        let word = i.word.filter(|_| !before.starts());
        let write = wdata.is_some();
        self.port.step(&PortInputs { addr, write, wdata: wdata.unwrap_or_default(), word, ..*i });
        if i.write {
            self.write(i, &before, stopped);
        }
        if before.leaving && before.idle() {
            self.active = false;
        }
        if i.reset {
            (self.active, self.on, self.running, self.poll, self.polled) = (false, false, false, 0, None);
        }
        if !self.active {
            (self.leaving, self.enable, self.stop_on_wrap, self.start, self.limit) = (false, false, false, 0, 0);
            (self.moved, self.offset, self.wrap, self.clear, self.events, self.step) = (true, 0, false, 6, 0, 0);
            self.response = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const CONTROL: u32 = 0x000;
    const START: u32 = 0x010;
    const LIMIT: u32 = 0x018;
    const WP: u32 = 0x020;
    const EVENTS: u32 = 0xe00;

    /// A sink, and a memory that takes a word in each cycle and responds at once.
    struct Bench {
        sink: MemorySink,
        memory: BTreeMap<u32, u32>,
        at: u32,
        response: u32,
    }

    impl Bench {
        fn new() -> Self {
            let sink = MemorySink::new(Facts { cores: 1, ..Facts::default() });
            Self { sink, memory: BTreeMap::new(), at: 0, response: 0 }
        }

        /// One cycle; whether the word was taken.
        fn cycle(&mut self, i: &PortInputs) -> bool {
            let o = self.sink.outputs();
            if let Some((at, _)) = o.address {
                self.at = at;
            }
            if let Some((word, _)) = o.data {
                self.memory.insert(self.at, word);
                self.at += 4;
            }
            let response = Some(self.response);
            self.sink.step(&PortInputs { address_ready: true, data_ready: true, response, ..*i });
            o.ready
        }

        fn write(&mut self, offset: u32, wdata: u32) {
            self.cycle(&PortInputs { addr: offset / 4, write: true, wdata, ..PortInputs::default() });
        }

        fn read(&mut self, offset: u32) -> u32 {
            self.cycle(&PortInputs { addr: offset / 4, ..PortInputs::default() });
            self.sink.outputs().rdata
        }

        fn store(&mut self, words: std::ops::Range<u32>) {
            for word in words {
                while !self.cycle(&PortInputs { word: Some(word), ..PortInputs::default() }) {}
            }
        }

        /// A sink with a buffer that was enabled by `control`.
        fn started(start: u32, limit: u32, control: u32) -> Self {
            let mut b = Self::new();
            for (offset, value) in [(CONTROL, 0), (CONTROL, 1), (START, start), (LIMIT, limit), (CONTROL, control)] {
                b.write(offset, value);
            }
            b
        }

        /// Writes `control` and waits until the sink is empty; returns the write pointer.
        fn stopped(&mut self, control: u32) -> u32 {
            self.write(CONTROL, control);
            for _ in 0..200 {
                self.read(CONTROL);
            }
            assert_eq!(self.read(CONTROL) & 8, 8, "empty");
            self.read(WP)
        }

        fn dump(&self, from: u32, words: u32) -> Vec<u32> {
            (0..words).map(|i| self.memory[&(from + 4 * i)]).collect()
        }
    }

    #[test]
    fn words_are_written_from_the_start_on_and_the_next_trace_follows() {
        let mut b = Bench::started(0x1000, 0x10fc, 3);
        b.store(0..10);
        assert_eq!(b.stopped(1), 0x1028);
        b.store(90..95);
        b.write(CONTROL, 3);
        b.store(10..13);
        assert_eq!(b.stopped(1), 0x1034);
        assert_eq!(b.dump(0x1000, 13), (0..13).collect::<Vec<_>>());
        b.write(WP, 0xffff_ffff);
        assert_eq!(b.read(WP), 0x1000, "a write sets the start");
        b.write(CONTROL, 3);
        b.store(50..51);
        assert_eq!(b.stopped(1), 0x1004);
        assert_eq!(b.dump(0x1000, 2), [50, 1]);
    }

    #[test]
    fn a_wrapped_buffer_has_its_oldest_word_at_the_write_pointer() {
        let mut b = Bench::started(0x1000, 0x10fc, 3);
        b.store(0..100);
        assert_eq!(b.stopped(1), 0x1000 + 36 * 4 + 1);
        let words = [b.dump(0x1090, 28), b.dump(0x1000, 36)].concat();
        assert_eq!(words, (36..100).collect::<Vec<_>>());
        assert_eq!(b.memory.keys().copied().collect::<Vec<_>>(), (0x1000..=0x10fc).step_by(4).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_buffer_stops_and_so_does_an_error() {
        let mut b = Bench::started(0x1000, 0x10fc, 0x103);
        b.store(0..100);
        assert_eq!((b.read(CONTROL) & 0x10b, b.stopped(0x101)), (0x109, 0x1001));
        assert_eq!(b.dump(0x1000, 64), (0..64).collect::<Vec<_>>());
        assert_eq!((b.read(EVENTS), b.sink.outputs().interrupt), (2, true));
        b.write(EVENTS, 2);
        b.stopped(1);
        assert_eq!((b.read(EVENTS), b.sink.outputs().interrupt), (0, false));
        b.response = 3;
        b.write(CONTROL, 3);
        b.store(0..40);
        assert_eq!((b.stopped(1), b.read(EVENTS)), (0x1001, 0x34), "the pointer is at the burst that failed");
    }

    #[test]
    fn a_buffer_without_words_is_not_enabled() {
        for (start, limit) in [(0x1000, 0xffc), (0x1000, 0), (0, 0xffff_fffc)] {
            let mut b = Bench::started(start, limit, 3);
            assert_eq!(b.read(CONTROL), 0x19, "{start:x} {limit:x}");
        }
        let mut b = Bench::started(0x1000, 0x1000, 3);
        b.store(7..9);
        assert_eq!((b.stopped(1), b.dump(0x1000, 1)), (0x1001, vec![8]));
    }

    #[test]
    fn it_stays_active_until_the_last_word_is_in_memory() {
        let mut b = Bench::started(0x1000, 0x10fc, 3);
        b.store(0..3);
        b.write(CONTROL, 0);
        assert_eq!(b.read(CONTROL), 0x11);
        for _ in 0..100 {
            b.read(CONTROL);
        }
        assert_eq!((b.read(CONTROL), b.read(START), b.dump(0x1000, 3)), (0x18, 0, vec![0, 1, 2]));
    }
}
