//! Golden model of the RAM sink: its memory and its registers, cycle by cycle
//!
//! # Behaviour
//! Words are stored while the sink is active and enabled, and discarded otherwise: they are taken in every cycle, so that an encoder
//! can be disabled whatever the state of the sink is. The memory is read only while the sink is not enabled. A write of a register
//! takes effect after the word of the same cycle.

use super::ram_map::register;
use super::{Facts, SRAM_BYTES};

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Makes the sink inactive; all other inputs are ignored.
    pub reset: bool,
    /// Word address in the page.
    pub addr: u32,
    /// Write strobe.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// A read of `addr` is done in this cycle, for which `ram_data` advances the read pointer.
    pub read: bool,
    /// A word of the trace, if there is one.
    pub word: Option<u32>,
}

/// State of the sink.
#[derive(Clone, Debug)]
pub struct RamSink {
    facts: Facts,
    memory: Vec<u32>,
    active: bool,
    enable: bool,
    stop_on_wrap: bool,
    /// Pointers, in words.
    wp: usize,
    wrap: bool,
    rp: usize,
    read_data: u32,
}

impl RamSink {
    /// A sink at power-up, with zeros in its memory.
    ///
    /// # Panics
    /// If the size of the memory is not a power of two in [`SRAM_BYTES`].
    pub fn new(facts: Facts) -> Self {
        let bytes = facts.sink.sram();
        assert!(
            SRAM_BYTES.contains(&bytes) && bytes.is_power_of_two(),
            "sram = {bytes} is no power of two in {SRAM_BYTES:?}"
        );
        Self {
            facts,
            memory: vec![0; bytes as usize / 4],
            active: false,
            enable: false,
            stop_on_wrap: false,
            wp: 0,
            wrap: false,
            rp: 0,
            read_data: 0,
        }
    }

    /// Value of the register that was addressed at the previous edge.
    pub fn rdata(&self) -> u32 {
        self.read_data
    }

    /// The words of the trace in the order in which they were stored; the first may be inside a message if the memory wrapped.
    pub fn trace(&self) -> Vec<u32> {
        let (newer, older) = self.memory.split_at(self.wp);
        if self.wrap {
            [older, newer].concat()
        } else {
            newer.to_vec()
        }
    }

    fn next(&self, pointer: usize) -> usize {
        (pointer + 1) % self.memory.len()
    }

    /// The word that a value for a pointer selects.
    fn pointer(&self, wdata: u32) -> usize {
        (wdata / 4) as usize % self.memory.len()
    }

    fn read(&self, addr: u32) -> u32 {
        let constants = |name: &str| register(name).reset(&self.facts);
        let at = |name: &str| u32::from(register(name).offset) == 4 * addr;
        let bit = |field: &str, value: bool| if value { register("ram_control").field(field).mask() } else { 0 };
        if at("ram_control") {
            let written =
                bit("active", self.active) | bit("enable", self.enable) | bit("stop_on_wrap", self.stop_on_wrap);
            return constants("ram_control") | written;
        }
        if at("ram_wp_low") {
            return (self.wp as u32) << 2 | u32::from(self.wrap);
        }
        if at("ram_rp_low") {
            return (self.rp as u32) << 2;
        }
        if at("ram_data") {
            return if self.enable { 0 } else { self.memory[self.rp] };
        }
        ["ram_impl", "ram_limit_low"].into_iter().find(|name| at(name)).map_or(0, constants)
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        let at = |name: &str| u32::from(register(name).offset) == 4 * i.addr;
        // in reset the memory does not answer
        self.read_data = if i.reset && at("ram_data") { 0 } else { self.read(i.addr) };
        let enabled = self.enable;
        if let Some(word) = i.word.filter(|_| enabled) {
            self.memory[self.wp] = word;
            self.wp = self.next(self.wp);
            if self.wp == 0 {
                self.wrap = true;
                self.enable = !self.stop_on_wrap;
            }
        }
        if i.read && !enabled && at("ram_data") {
            self.rp = self.next(self.rp);
        }
        if i.write && at("ram_control") {
            let bit = |field| i.wdata & register("ram_control").field(field).mask() != 0;
            if self.active {
                // a full memory stays disabled in the cycle in which it fills
                self.enable = bit("enable") && (self.enable || !enabled);
                self.stop_on_wrap = bit("stop_on_wrap");
            }
            self.active = bit("active");
        }
        if i.write && self.active && !enabled {
            if at("ram_wp_low") {
                (self.wp, self.wrap) = (self.pointer(i.wdata), false);
            }
            if at("ram_rp_low") {
                self.rp = self.pointer(i.wdata);
            }
        }
        if i.reset {
            self.active = false;
        }
        if !self.active {
            (self.enable, self.stop_on_wrap, self.wp, self.wrap, self.rp) = (false, false, 0, false, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: u32 = 0x000;
    const WP: u32 = 0x020;
    const RP: u32 = 0x028;
    const DATA: u32 = 0x040;

    fn sink() -> RamSink {
        RamSink::new(Facts { cores: 1, sink: crate::tci::Sink::Sram(256), ..Facts::default() })
    }

    fn write(s: &mut RamSink, offset: u32, wdata: u32) {
        s.step(&Inputs { addr: offset / 4, write: true, wdata, ..Inputs::default() });
    }

    fn read(s: &mut RamSink, offset: u32) -> u32 {
        s.step(&Inputs { addr: offset / 4, read: true, ..Inputs::default() });
        s.rdata()
    }

    fn store(s: &mut RamSink, words: std::ops::Range<u32>) {
        for word in words {
            s.step(&Inputs { word: Some(word), ..Inputs::default() });
        }
    }

    /// As the specification has a tool read a memory of its own.
    fn dump(s: &mut RamSink) -> Vec<u32> {
        let wp = read(s, WP);
        let (first, words) = if wp & 1 == 1 { (wp & !3, 64) } else { (0, wp / 4) };
        write(s, RP, first);
        (0..words).map(|_| read(s, DATA)).collect()
    }

    fn started(control: u32) -> RamSink {
        let mut s = sink();
        for value in [0, 1, control] {
            write(&mut s, CONTROL, value);
        }
        s
    }

    #[test]
    fn words_are_read_in_the_order_in_which_they_were_stored() {
        let mut s = started(3);
        store(&mut s, 0..10);
        assert_eq!((read(&mut s, CONTROL), read(&mut s, WP), read(&mut s, DATA)), (0xb, 0x28, 0));
        write(&mut s, CONTROL, 1);
        store(&mut s, 90..95);
        assert_eq!(dump(&mut s), (0..10).collect::<Vec<_>>());
        assert_eq!(s.trace(), (0..10).collect::<Vec<_>>());
        // another trace follows
        write(&mut s, CONTROL, 3);
        store(&mut s, 10..12);
        write(&mut s, CONTROL, 1);
        assert_eq!(dump(&mut s), (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn a_wrapped_memory_has_its_oldest_word_at_the_write_pointer() {
        let mut s = started(3);
        store(&mut s, 0..100);
        write(&mut s, CONTROL, 1);
        assert_eq!(read(&mut s, WP), 36 * 4 + 1);
        assert_eq!(dump(&mut s), (36..100).collect::<Vec<_>>());
        assert_eq!(read(&mut s, RP), 36 * 4, "all words were read once");
        write(&mut s, WP, 1);
        assert_eq!(read(&mut s, WP), 0, "a write makes wrap 0");
    }

    #[test]
    fn a_full_memory_stops() {
        let mut s = started(0x103);
        store(&mut s, 0..63);
        assert_eq!(read(&mut s, CONTROL), 0x10b);
        store(&mut s, 63..70);
        assert_eq!((read(&mut s, CONTROL), read(&mut s, WP)), (0x109, 1));
        assert_eq!(dump(&mut s), (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn inactive_nothing_can_be_written() {
        let mut s = sink();
        for (offset, value) in [(CONTROL, 0x102), (WP, 8), (RP, 8)] {
            write(&mut s, offset, value);
        }
        assert_eq!((read(&mut s, CONTROL), read(&mut s, WP), read(&mut s, RP)), (8, 0, 0));
        write(&mut s, CONTROL, 0x103);
        assert_eq!(read(&mut s, CONTROL), 9, "the word that activates writes nothing else");
        assert_eq!((read(&mut s, 4), read(&mut s, 0x18), read(&mut s, 0x10)), (0x1901, 0xfc, 0));
    }
}
