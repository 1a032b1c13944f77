//! Golden model of the second half of the PIB sink: bytes of messages on the pins
//!
//! # Behaviour
//! The clock is divided by `divider + 1`. With parallel signals, a beat of 1 to 16 bits takes one of these periods, and `TRC_CLK` has an edge
//! at its beginning; centered, it takes two, and the edge is between them. UART: a start bit of 0, eight bits, a stop bit of 1, one
//! period each. Manchester: each bit has two periods; a start bit, the bits of a whole message, and a stop bit.
//!
//! Idle, UART is 1, Manchester 0, and parallel signals have whole idle bytes of the protocol, counted from the first edge of `TRC_CLK` in
//! this mode: a receiver that has seen that edge knows where bytes begin. With 1, 2 and 4 parallel signals of N-Trace,
//! two more come before the first message and between messages after [`ALIGN`] bytes or more, from which every receiver learns it. With 16, a message that ends in the lower half may be followed by the next one, or by an idle byte.
//!
//! Bytes are fetched before they are needed, one in a cycle; the pins are registers.

use super::super::messages::{Framing, MessageByte};

/// Bytes of messages after which idle bytes are due.
pub const ALIGN: u8 = 128;

/// Mode of the pins, `trPibMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// No output.
    #[default]
    Off,
    /// One signal, two levels for each bit.
    Manchester,
    /// One signal, ten bits for each byte.
    Uart,
    /// A clock and one signal.
    Parallel1,
    /// A clock and 2 signals.
    Parallel2,
    /// A clock and 4 signals.
    Parallel4,
    /// A clock and 8 signals.
    Parallel8,
    /// A clock and 16 signals.
    Parallel16,
}

impl Mode {
    /// All modes, with their numbers in the specification.
    pub const ALL: [(u32, Self); 8] = [
        (0, Self::Off),
        (4, Self::Manchester),
        (5, Self::Uart),
        (8, Self::Parallel1),
        (9, Self::Parallel2),
        (10, Self::Parallel4),
        (11, Self::Parallel8),
        (12, Self::Parallel16),
    ];

    /// What the field holds after a write: parallel signals need an idle byte.
    pub fn legal(value: u32, framing: Framing) -> Self {
        let mode = Self::ALL.iter().find(|(number, _)| *number == value).map_or(Self::Off, |(_, mode)| *mode);
        if mode.parallel().is_some() && framing.idle().is_none() {
            return Self::Off;
        }
        mode
    }

    /// `trPibMode`.
    pub fn number(self) -> u32 {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or(0, |(number, _)| *number)
    }

    /// Number of parallel signals.
    pub const fn parallel(self) -> Option<u8> {
        match self {
            Self::Off | Self::Manchester | Self::Uart => None,
            Self::Parallel1 => Some(1),
            Self::Parallel2 => Some(2),
            Self::Parallel4 => Some(4),
            Self::Parallel8 => Some(8),
            Self::Parallel16 => Some(16),
        }
    }

    /// Beats of a byte, or of two with 16 parallel signals; of UART with start and stop bit.
    pub const fn beats(self) -> u8 {
        match self {
            Self::Off | Self::Manchester | Self::Parallel1 => 8,
            Self::Uart => 10,
            Self::Parallel2 => 4,
            Self::Parallel4 => 2,
            Self::Parallel8 | Self::Parallel16 => 1,
        }
    }

    /// The bytes that are repeated for calibration.
    pub const fn pattern(self) -> &'static [u8] {
        match self {
            Self::Off | Self::Manchester | Self::Uart | Self::Parallel1 | Self::Parallel8 => &[0xaa, 0x55, 0x00, 0xff],
            Self::Parallel2 => &[0x66, 0x66, 0xcc, 0x33],
            Self::Parallel4 => &[0x5a, 0x5a, 0xf0, 0x0f],
            Self::Parallel16 => &[0xaa, 0xaa, 0x55, 0x55, 0x00, 0x00, 0xff, 0xff],
        }
    }
}

/// Fields of `trPibControl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Mode of the pins.
    pub mode: Mode,
    /// Edges of the clock are in the middle of a beat.
    pub center: bool,
    /// The pattern for calibration takes the place of messages.
    pub calibrate: bool,
    /// Cycles of a period less one.
    pub divider: u32,
}

/// The pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// `TRC_CLK`.
    pub clk: bool,
    /// `TRC_DATA`.
    pub data: u16,
}

/// State: the pins, and what comes next.
#[derive(Clone, Debug)]
pub struct Pins {
    framing: Framing,
    lines: Lines,
    /// Cycles to the end of the period.
    count: u32,
    /// The second of two periods.
    second: bool,
    level: bool,
    /// Bits that are sent, the lowest first; the beats after this one; whether the byte ends a message.
    shift: u16,
    more: u8,
    ends: bool,
    /// Something is sent; with Manchester the level is 0 in both periods of a stop bit.
    sending: bool,
    stop: bool,
    /// Between the start bit and the stop bit of a message.
    message: bool,
    /// Bytes that come next.
    low: Option<MessageByte>,
    high: Option<u8>,
    /// The byte fetched last is not the last one of its message.
    inside: bool,
    /// Bytes of messages since the idle bytes; `ALIGN` and one more: two and one idle bytes are due.
    since: u8,
    /// Position in the pattern.
    position: u8,
}

impl Pins {
    /// Pins that are 0.
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            lines: Lines::default(),
            count: 0,
            second: false,
            level: false,
            shift: 0,
            more: 0,
            ends: false,
            sending: false,
            stop: false,
            message: false,
            low: None,
            high: None,
            inside: false,
            since: ALIGN,
            position: 0,
        }
    }

    /// The pins.
    pub fn lines(&self) -> Lines {
        self.lines
    }

    /// Whether a byte waits or is being sent.
    pub fn busy(&self) -> bool {
        self.sending || self.low.is_some() || self.position != 0
    }

    fn idle(&self) -> u8 {
        self.framing.idle().unwrap_or_default()
    }

    /// The levels of this cycle, which the pins have in the next one.
    fn levels(&self, mode: Mode) -> Lines {
        let idle = u16::from_le_bytes([self.idle(); 2]);
        let data = match mode.parallel() {
            Some(width) => (if self.sending { self.shift } else { idle }) & (u16::MAX >> (16 - width)),
            None if mode == Mode::Off => 0,
            None if mode == Mode::Uart => u16::from(!self.sending || self.shift & 1 == 1),
            None => u16::from(self.sending && !self.stop && (self.shift & 1 == 1) != self.second),
        };
        Lines { clk: self.level, data }
    }

    /// Another mode, or another place of the edges, was chosen while nothing is sent: the first edge of the clock is that of a byte.
    pub fn restart(&mut self) {
        (self.count, self.second, self.level, self.more) = (0, true, false, 0);
    }

    /// Takes a rising edge of the clock. `off`: all is cleared. `calibrates`: the pattern is sent. Returns whether the byte `head` of a
    /// message is taken.
    pub fn step(&mut self, off: bool, set: &Setting, calibrates: bool, head: Option<MessageByte>) -> bool {
        if off {
            *self = Self::new(self.framing);
            return false;
        }
        let (mode, wide) = (set.mode, set.mode == Mode::Parallel16);
        let parallel = mode.parallel().is_some();
        let halves = parallel && set.center || mode == Mode::Manchester;
        self.lines = self.levels(mode);

        // the period, the beat, and the clock
        let tick = self.count == 0;
        let beat = tick && (!halves || self.second);
        self.count = if tick { set.divider } else { self.count - 1 };
        if tick {
            self.second = halves && !self.second;
            self.level = parallel && self.level != (!set.center || self.second);
        }

        // the next bits
        let mut took = false;
        if beat {
            let starts = mode == Mode::Manchester && !self.message;
            let ready = self.low.filter(|(_, last)| !wide || self.high.is_some() || *last);
            self.stop = false;
            if self.more > 0 {
                self.shift >>= match mode {
                    Mode::Parallel2 => 2,
                    Mode::Parallel4 => 4,
                    _ => 1,
                };
                self.more -= 1;
            } else if self.message && self.ends {
                (self.message, self.stop) = (false, true);
            } else if let (Some((byte, last)), false) = (ready, starts) {
                let high = self.high.unwrap_or(self.idle());
                self.shift = match mode {
                    Mode::Uart => 0x200 | u16::from(byte) << 1,
                    _ => u16::from_le_bytes([byte, high]),
                };
                self.more = mode.beats() - 1;
                (self.ends, self.sending, took) = (last, true, true);
            } else if ready.is_some() {
                // the start bit looks like a bit of 1
                (self.shift, self.ends, self.sending, self.message) = (1, false, true, true);
            } else {
                self.sending = false;
                if parallel {
                    self.more = mode.beats() - 1;
                }
            }
        }
        if took {
            (self.low, self.high) = (None, None);
        }

        // fetch a byte
        let space = if wide && self.low.is_some() { self.high.is_none() } else { self.low.is_none() };
        let pattern = calibrates || self.position != 0;
        let due = self.since >= ALIGN
            && !self.inside
            && self.framing == Framing::EndMarks
            && matches!(mode, Mode::Parallel1 | Mode::Parallel2 | Mode::Parallel4);
        let mut fetched = false;
        let byte = match head {
            _ if !space => None,
            _ if pattern => {
                let bytes = mode.pattern();
                let at = self.position;
                self.position = (at + 1) % bytes.len() as u8;
                Some((bytes[usize::from(at)], self.position == 0))
            }
            Some(_) if due => {
                self.since = if self.since == ALIGN { ALIGN + 1 } else { 0 };
                Some((self.idle(), true))
            }
            Some(head) => {
                fetched = true;
                self.since = (self.since + 1).min(ALIGN);
                self.inside = !head.1;
                Some(head)
            }
            None => None,
        };
        match (byte, self.low) {
            (Some(byte), None) => self.low = Some(byte),
            (Some((byte, _)), Some(_)) => self.high = Some(byte),
            (None, _) => {}
        }
        fetched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: Framing = Framing::EndMarks;

    /// The levels of the first cycles, with all bytes there from the beginning.
    fn sent(framing: Framing, set: Setting, bytes: &[MessageByte], cycles: usize) -> Vec<Lines> {
        let (mut p, mut bytes) = (Pins::new(framing), bytes.iter().copied().peekable());
        let step = |p: &mut Pins, bytes: &mut std::iter::Peekable<_>| {
            if p.step(false, &set, set.calibrate, bytes.peek().copied()) {
                bytes.next();
            }
            p.lines()
        };
        (0..cycles).map(|_| step(&mut p, &mut bytes)).collect()
    }

    fn data(lines: &[Lines]) -> Vec<u16> {
        lines.iter().map(|l| l.data).collect()
    }

    #[test]
    fn uart_sends_a_start_bit_eight_bits_and_a_stop_bit() {
        let set = Setting { mode: Mode::Uart, ..Setting::default() };
        let right = [1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1];
        assert_eq!(data(&sent(Framing::Words, set, &[(0x53, true)], 14)), right);
    }

    /// The figures of the specification: start 10, 0 is 01, 1 is 10, stop 00.
    #[test]
    fn manchester_has_two_levels_for_each_bit() {
        let set = Setting { mode: Mode::Manchester, ..Setting::default() };
        let got = data(&sent(ENDS, set, &[(0x53, true)], 26));
        let first = got.iter().position(|&l| l == 1).unwrap();
        let right = [1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0];
        assert_eq!(got[first..first + right.len()], right);
    }

    /// The wire sequences that the specification prints.
    #[test]
    fn patterns_for_calibration() {
        for (mode, right) in [
            (Mode::Parallel1, vec![0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            (Mode::Parallel2, vec![2, 1, 2, 1, 2, 1, 2, 1, 0, 3, 0, 3, 3, 0, 3, 0, 2]),
            (Mode::Parallel4, vec![0xa, 5, 0xa, 5, 0, 0xf, 0xf, 0, 0xa]),
            (Mode::Parallel8, vec![0xaa, 0x55, 0, 0xff, 0xaa]),
        ] {
            let set = Setting { mode, calibrate: true, ..Setting::default() };
            // after a register, and an idle byte while the first one is fetched
            let first = 1 + usize::from(mode.beats());
            assert_eq!(data(&sent(ENDS, set, &[], 64))[first..first + right.len()], right, "{mode:?}");
        }
        let set = Setting { mode: Mode::Parallel16, calibrate: true, divider: 1, ..Setting::default() };
        let got = data(&sent(ENDS, set, &[], 64));
        let first = got.iter().position(|&d| d == 0xaaaa).unwrap();
        let right = [0xaaaa, 0xaaaa, 0x5555, 0x5555, 0, 0, 0xffff, 0xffff, 0xaaaa];
        assert_eq!(got[first..first + right.len()], right);
    }

    /// As in the specification's figures: an edge at the beginning of each beat, or in its middle.
    #[test]
    fn the_clock_has_one_edge_in_each_beat() {
        let bytes = [(0x11, false), (0x22, false), (0x33, true)];
        for (center, right) in [
            (false, vec![(0x11, true), (0x22, false), (0x33, true), (0xff, false)]),
            (true, vec![(0x11, false), (0x11, true), (0x22, true), (0x22, false), (0x33, false), (0x33, true)]),
        ] {
            let set = Setting { mode: Mode::Parallel8, center, ..Setting::default() };
            let got = sent(ENDS, set, &bytes, 16);
            let first = got.iter().position(|l| l.data == 0x11).unwrap();
            let flips = got[first].clk != right[0].1;
            let got: Vec<_> = got[first..first + right.len()].iter().map(|l| (l.data, l.clk != flips)).collect();
            assert_eq!(got, right);
        }
    }

    #[test]
    fn idle_bytes_show_where_bytes_of_narrow_modes_begin() {
        let bytes: Vec<MessageByte> = (0..300).map(|n| (0x54, n % 3 == 2)).collect();
        let set = Setting { mode: Mode::Parallel4, ..Setting::default() };
        let got = data(&sent(ENDS, set, &bytes, 620));
        let ones: Vec<usize> = (1..got.len()).filter(|&n| got[n] == 0xf && got[n - 1] != 0xf).collect();
        assert_eq!(ones.len(), 3, "between messages: {ones:?}");
        assert_eq!(ones[1] - ones[0], 4 + 2 * 129);
    }
}
