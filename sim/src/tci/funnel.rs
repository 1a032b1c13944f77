//! Golden model of the trace funnel: its registers, and the words of all encoders, cycle by cycle
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace Funnel", "Timestamp Unit".
//!
//! # Behaviour
//! The words of each encoder are taken apart into messages ([`super::messages`]), of which only whole ones leave, byte by byte. After a
//! message, the next one is that of the next encoder that has one, in turn. Their bytes fill the words at the output, the first byte
//! lowest. Idle bytes of the inputs are dropped.
//!
//! Messages pass while the funnel is enabled and their input is not disabled; others are discarded as a whole, so that an encoder can be
//! disabled whatever the state of the funnel is. Messages that are complete in the funnel leave after it was disabled, too; then the last
//! word is filled with idle bytes. A word at the output stays until it is taken.

use super::funnel_map::{register, REGS};
use super::messages::{self, Framing, Messages};
use super::time_unit::TimeUnit;
use super::Facts;

/// Inputs in one cycle.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Returns to the state at power-up; all other inputs are ignored.
    pub reset: bool,
    /// Word address in the page.
    pub addr: u32,
    /// Write strobe.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// A word of each encoder, if there is one; it stays until it is taken.
    pub words: Vec<Option<u32>>,
    /// The word at the output is taken.
    pub ready: bool,
    /// Bit i: core i is in debug mode; for the time stamp unit.
    pub halted: u32,
}

/// State of the funnel.
#[derive(Clone, Debug)]
pub struct Funnel {
    facts: Facts,
    active: bool,
    enable: bool,
    disabled: u32,
    inputs: Vec<Messages>,
    /// The input of the last message, and whether more bytes of it follow.
    input: usize,
    inside: bool,
    /// Bytes of the next word.
    bytes: Vec<u8>,
    word: Option<u32>,
    times: TimeUnit,
    read_data: u32,
}

impl Funnel {
    /// A funnel at power-up.
    pub fn new(facts: Facts) -> Self {
        let inputs = vec![Messages::new(Framing::of(&facts)); facts.funnel.into()];
        Self {
            facts,
            active: false,
            enable: false,
            disabled: 0,
            inputs,
            input: 0,
            inside: false,
            bytes: Vec::new(),
            word: None,
            times: TimeUnit::new(&facts.as_unit()),
            read_data: 0,
        }
    }

    /// Value of the register that was addressed at the previous edge.
    pub fn rdata(&self) -> u32 {
        self.read_data
    }

    /// The word at the output.
    pub fn word(&self) -> Option<u32> {
        self.word
    }

    /// With a time stamp unit, its counter, and whether messages have a time.
    pub fn time(&self) -> Option<(u32, bool)> {
        self.facts.shared_time().then(|| (self.times.counter(), self.times.is_enabled()))
    }

    fn source(&self, i: &Inputs, n: usize) -> messages::Inputs {
        messages::Inputs {
            reset: i.reset,
            clear: false,
            store: self.enable && self.disabled >> n & 1 == 0,
            hold: false,
            word: i.words[n],
        }
    }

    /// Whether the word of encoder `n` is taken at the next edge.
    pub fn takes(&self, i: &Inputs, n: usize) -> bool {
        self.inputs[n].takes(&self.source(i, n)) && self.inputs[n].at_last_byte()
    }

    /// Whether no byte of a message is in its inputs.
    fn is_quiet(&self) -> bool {
        !self.inside && self.inputs.iter().all(Messages::is_empty)
    }

    fn is_empty(&self) -> bool {
        self.is_quiet() && self.bytes.is_empty() && self.word.is_none()
    }

    /// The input whose byte is next.
    fn chosen(&self) -> Option<usize> {
        let has = |n: &usize| self.inputs[*n].head().is_some();
        if self.inside {
            return Some(self.input).filter(has);
        }
        let count = self.inputs.len();
        (self.input + 1..count).chain(0..=self.input).find(has)
    }

    fn read(&self, addr: u32) -> u32 {
        let Some(reg) = REGS.iter().find(|r| u32::from(r.offset) == 4 * addr) else { return 0 };
        let place = |field: &str, value: bool| u32::from(value) << reg.field(field).lsb;
        let active = self.active || !self.is_empty();
        match reg.name {
            "funnel_control" => {
                place("active", active) | place("enable", self.enable) | place("empty", self.is_empty())
            }
            "funnel_dis_input" => self.disabled,
            "funnel_ts_control" if self.facts.shared_time() => {
                let fields = reg.fields.iter().filter(|f| f.access_in(&self.facts) == crate::regs::RegAccess::Ro);
                fields.fold(0, |word, f| word | f.reset_in(&self.facts) << f.lsb)
                    | self.times.word()
                    | place("active", active)
            }
            "funnel_ts_counter_low" => self.times.counter(),
            _ => reg.reset(&self.facts),
        }
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        let read_data = self.read(i.addr);
        let before = self.clone();
        self.read_data = read_data;
        self.pass(&before, i);
        self.write(i, before.active);
        let times = i.write && 4 * i.addr == u32::from(register("funnel_ts_control").offset) && before.active;
        let all = (1 << self.facts.funnel) - 1;
        let clear = !before.active && before.is_empty();
        self.times.step(clear || i.reset, times.then_some(i.wdata), i.halted & all == all);
        if i.reset {
            *self = Self { read_data, inputs: std::mem::take(&mut self.inputs), ..Self::new(self.facts) };
        }
    }

    /// One byte from the inputs to the output.
    fn pass(&mut self, before: &Self, i: &Inputs) {
        if i.ready {
            self.word = None;
        }
        let fits = self.word.is_none();
        let head = |n: usize| before.inputs[n].head().filter(|_| before.bytes.len() < 3 || fits);
        let passes = before.chosen().and_then(|n| Some((n, head(n)?)));
        if let Some((n, (byte, last))) = passes {
            (self.input, self.inside) = (n, !last);
            self.bytes.push(byte);
        } else if !before.enable && before.is_quiet() && !self.bytes.is_empty() && fits {
            self.bytes.resize(4, Framing::of(&self.facts).idle().unwrap_or(0));
        }
        if let [a, b, c, d] = self.bytes[..] {
            self.word = Some(u32::from_le_bytes([a, b, c, d]));
            self.bytes.clear();
        }
        for n in 0..self.inputs.len() {
            let source = before.source(i, n);
            self.inputs[n].step(&source, passes.is_some_and(|p| p.0 == n));
        }
    }

    fn write(&mut self, i: &Inputs, active: bool) {
        let at = |name: &str| i.write && u32::from(register(name).offset) == 4 * i.addr;
        let value = |reg: &str, field: &str| {
            let f = register(reg).field(field);
            (i.wdata & f.mask()) >> f.lsb
        };
        if at("funnel_control") {
            if active {
                self.enable = value("funnel_control", "enable") == 1;
            }
            self.active = value("funnel_control", "active") == 1;
        }
        if at("funnel_dis_input") && active {
            self.disabled = value("funnel_dis_input", "dis_input") & ((1 << self.facts.funnel) - 1);
        }
        if !self.active {
            (self.enable, self.disabled) = (false, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;

    fn funnel(protocol: Protocol) -> Funnel {
        Funnel::new(Facts { protocol, cores: 1, funnel: 2, ..Facts::default() })
    }

    fn write(f: &mut Funnel, offset: u32, wdata: u32) {
        f.step(&Inputs { addr: offset / 4, write: true, wdata, words: vec![None; 2], ..Inputs::default() });
    }

    fn read(f: &mut Funnel, offset: u32) -> u32 {
        f.step(&Inputs { addr: offset / 4, words: vec![None; 2], ..Inputs::default() });
        f.rdata()
    }

    /// Plays words into both inputs, and returns those that leave in `cycles`.
    fn play(f: &mut Funnel, mut words: [Vec<u32>; 2], cycles: usize) -> Vec<u32> {
        let mut out = Vec::new();
        for _ in 0..cycles {
            let i =
                Inputs { words: words.iter().map(|w| w.first().copied()).collect(), ready: true, ..Inputs::default() };
            out.extend(f.word());
            let taken = [f.takes(&i, 0), f.takes(&i, 1)];
            f.step(&i);
            words.iter_mut().zip(taken).filter(|(_, taken)| *taken).for_each(|(w, _)| _ = w.remove(0));
        }
        out
    }

    #[test]
    fn whole_messages_leave_in_turn() {
        // messages of two bytes each; the last one of input 0 is not complete
        let mut f = funnel(Protocol::ntrace(0, 2));
        assert_eq!((read(&mut f, 0), read(&mut f, 4)), (8, 0x801));
        write(&mut f, 0, 1);
        write(&mut f, 0, 3);
        assert_eq!(read(&mut f, 0), 0xb);
        let words = [vec![0x0304_0300, 0x0404_ffff], vec![0x0314_0310, 0x0314_0310]];
        assert_eq!(play(&mut f, words, 30), [0x0300_0310, 0x0304_0314, 0x0314_0310]);
        assert_eq!(read(&mut f, 0) & 15, 3, "not empty: a message has begun");
        write(&mut f, 0, 1);
        assert!(play(&mut f, [vec![], vec![]], 9).is_empty(), "what has left was a whole number of words");
        assert_eq!(read(&mut f, 0), 9);
    }

    #[test]
    fn a_disabled_input_is_discarded_and_the_last_word_is_filled() {
        let mut f = funnel(Protocol::etrace(0));
        for (offset, value) in [(0, 1), (8, 0xffff_ffff), (8, 2), (0, 3)] {
            write(&mut f, offset, value);
        }
        assert_eq!(read(&mut f, 8), 2);
        // a packet of five bytes with the number of a core
        let words = [vec![0x2200_0043, 0x0000_4433], vec![0x2201_0043, 0x0000_4433]];
        assert_eq!(play(&mut f, words, 30), [0x2200_0043]);
        write(&mut f, 0, 0);
        assert_eq!(read(&mut f, 0), 1, "active until all has left");
        assert_eq!(play(&mut f, [vec![], vec![]], 5), [0x33]);
        assert_eq!((read(&mut f, 0), read(&mut f, 8)), (8, 0));
    }

    #[test]
    fn the_unit_is_that_of_the_encoders() {
        let protocol = Protocol { time_bits: 32, ..Protocol::ntrace(0, 2) };
        let mut f = funnel(protocol);
        assert_eq!(read(&mut f, 0x40), 0x2000_802a);
        write(&mut f, 0, 1);
        (0..7).for_each(|_| _ = read(&mut f, 0));
        assert_eq!(read(&mut f, 0x48), 7);
        write(&mut f, 0x40, 0x8006);
        assert_eq!((read(&mut f, 0x48), read(&mut f, 0x40)), (0, 0x2000_802b));
        assert_eq!(f.time(), Some((2, true)));
        write(&mut f, 0x40, 0);
        assert_eq!(f.time(), Some((3, false)));
    }
}
