//! Packets of the diagnosis NoC: 2 to 16 words of 16 bits, without sideband signals
//!
//! ```text
//! W0   LEN[15:12] | DEST[11:6] | SRC[5:0]            LEN: words after W1, 0 to 14
//! W1   0 | T[14] | Y[13] | L[12] | CORE[11:8] | ID[7:0]   event
//!      1 | OP[14:12] | ADDR[11:0]                     control
//! L    1: a word follows with the number of events that this producer lost since its last one (saturates at 65,535)
//! Y    1: all of these events yielded to others, on their way off the chip: no table on the chip lacks them. Only with L
//! T    1: a time stamp of 32 bits follows, two words, low word first
//! then the arguments of an event, 32 bits each, low word first; or the data words of a control packet
//! ```
//!
//! | OP | meaning | data words |
//! | ---: | --- | --- |
//! | 0 | read registers from ADDR on | count, 1 to 14 |
//! | 1 | write registers from ADDR on | 1 to 14 |
//! | 2, 3 | response to a read; to a write | of a read 1 to 14 |
//! | 4 | error response: the register does not exist or is read-only | |
//! | 5 | time: the upper bits of the clock, sent when its bit 31 changes; by the golden chip only, no circuit sends it | bit 31, then the upper 32 |
//! | 6 | flush: send the tables to the host, then this packet | its number |
//! | 7 | words of a trace; ADDR: packet number, modulo 4096 | 2, 4, ... 14: 32-bit words, low half first |
//!
//! OP 4 from address 63 to address 63 is a request of one end of the link to the other: ADDR is the number of the next
//! frame that it expects.
//!
//! A number of 64 bits, of a core with 64-bit registers, is two arguments: its lower and its upper half. Each is captured by
//! itself, so that a packet has only the halves that are used.
//!
//! Events may be lost, and are then counted; control packets are never lost. The trigger or node that sends an event
//! defines its arguments.
//!
//! # Source
//! Paper 004 section 3.3 (type identifier and payload, self-contained). The format is this project's.

/// Most words of a packet.
pub const MAX_WORDS: usize = 16;
/// Most arguments of an event.
pub const MAX_ARGS: usize = 6;
/// Address of the host.
pub const HOST: u8 = 63;
/// Address of all nodes.
pub const BROADCAST: u8 = 62;
/// Replaces the destination once the destination has taken the packet ([`super::ring`]).
pub const TAKEN: u8 = 61;
/// Replaces the destination once it has refused the packet.
pub const REFUSED: u8 = 60;
/// Node addresses are below this.
pub const NODES: u8 = 60;

/// Arguments of an event: up to six words of 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Args {
    words: [u32; MAX_ARGS],
    len: u8,
}

impl Args {
    /// The arguments `words`.
    ///
    /// # Panics
    /// If there are more than [`MAX_ARGS`].
    pub fn of(words: &[u32]) -> Self {
        let mut args = Self::default();
        words.iter().for_each(|w| args.push(*w));
        args
    }

    /// Appends an argument.
    ///
    /// # Panics
    /// If there are [`MAX_ARGS`] already.
    pub fn push(&mut self, word: u32) {
        self.words[usize::from(self.len)] = word;
        self.len += 1;
    }
}

impl std::ops::Deref for Args {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.words[..usize::from(self.len)]
    }
}

/// Events with their destinations.
pub type Outbox = Vec<(u8, Event)>;

/// An event, with its captured words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Event {
    /// Identifier of the event.
    pub id: u8,
    /// Core on which it occurred, 0 to 15.
    pub core: u8,
    /// Events that its producer lost since the previous one; saturates at 65,535.
    pub lost: u16,
    /// All lost events yielded to others, in the queue of events that leave the chip. Only if events were lost.
    pub yielded: bool,
    /// Clock cycle, modulo 2^32.
    pub time: Option<u32>,
    /// Captured words.
    pub args: Args,
}

impl Event {
    /// Length of its packet in words.
    pub fn words(&self) -> usize {
        2 + usize::from(self.lost > 0) + 2 * usize::from(self.time.is_some()) + 2 * self.args.len()
    }
}

/// Operation of a control packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Read registers from `addr` on; one word: count, 1 to 14.
    Read,
    /// Write registers from `addr` on; 1 to 14 words.
    Write,
    /// Response to a read.
    ReadData,
    /// Response to a write.
    Written,
    /// Error response: the register does not exist or is read-only.
    Error,
    /// The clock's upper 32 bits, sent when its bit 31 changes.
    Time,
    /// Send the tables to the host, then this packet. One word: its number.
    Flush,
    /// Words of a trace; `addr` is the number of the packet.
    Trace,
}

const OPS: [Op; 8] = [Op::Read, Op::Write, Op::ReadData, Op::Written, Op::Error, Op::Time, Op::Flush, Op::Trace];

/// Content of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// An event: lossy, but losses are counted.
    Event(Event),
    /// A control packet: lossless.
    Control {
        /// Operation.
        op: Op,
        /// First register, 12 bits.
        addr: u16,
        /// Up to 14 words.
        data: Vec<u16>,
    },
}

/// A packet on the diagnosis network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Packet {
    /// Destination: a node, [`HOST`] or [`BROADCAST`].
    pub dest: u8,
    /// Source.
    pub src: u8,
    /// Content.
    pub body: Body,
}

/// Error of parsing words that are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The number of words differs from that in the header.
    #[error("{found} words, but the first says {right}")]
    Length {
        /// Number of words.
        found: usize,
        /// Number of words according to the header.
        right: usize,
    },
    /// More words than a packet has.
    #[error("{0} words; a packet has at most {MAX_WORDS}")]
    Long(usize),
    /// An event's fields do not fill its words.
    #[error("an event with header 0x{0:04x} cannot have {1} words")]
    Event(u16, usize),
}

/// Fields of a packet's first word: total length, destination, source.
pub fn header(word: u16) -> (usize, u8, u8) {
    (usize::from(word >> 12) + 2, (word >> 6 & 63) as u8, (word & 63) as u8)
}

impl Packet {
    /// A packet with an event.
    pub fn event(src: u8, dest: u8, event: Event) -> Self {
        Self { dest, src, body: Body::Event(event) }
    }

    /// A control packet.
    pub fn control(src: u8, dest: u8, op: Op, addr: u16, data: &[u16]) -> Self {
        Self { dest, src, body: Body::Control { op, addr, data: data.to_vec() } }
    }

    /// The words of the packet.
    ///
    /// # Panics
    /// If a control packet has more than 14 data words.
    pub fn to_words(&self) -> Vec<u16> {
        let mut words = vec![0, 0];
        match &self.body {
            Body::Event(e) => {
                let (l, y, t) = (e.lost > 0, e.lost > 0 && e.yielded, e.time.is_some());
                let flags = u16::from(t) << 14 | u16::from(y) << 13 | u16::from(l) << 12;
                words[1] = flags | u16::from(e.core & 15) << 8 | u16::from(e.id);
                if e.lost > 0 {
                    words.push(e.lost);
                }
                for word in e.time.iter().chain(e.args.iter()) {
                    words.extend([*word as u16, (*word >> 16) as u16]);
                }
            }
            Body::Control { op, addr, data } => {
                words[1] = 1 << 15 | (*op as u16) << 12 | (addr & 0xfff);
                words.extend(data);
            }
        }
        assert!(words.len() <= MAX_WORDS, "{} words", words.len());
        words[0] = (words.len() as u16 - 2) << 12 | u16::from(self.dest & 63) << 6 | u16::from(self.src & 63);
        words
    }

    /// Its event, if it is one.
    pub fn as_event(&self) -> Option<&Event> {
        match &self.body {
            Body::Event(event) => Some(event),
            Body::Control { .. } => None,
        }
    }

    /// Parses the packet of `words`.
    pub fn parse(words: &[u16]) -> Result<Self, PacketError> {
        let found = words.len();
        let right = words.first().map_or(2, |w| header(*w).0);
        if found != right || found < 2 {
            return Err(PacketError::Length { found, right });
        }
        if found > MAX_WORDS {
            return Err(PacketError::Long(found));
        }
        let ((_, dest, src), w1) = (header(words[0]), words[1]);
        if w1 >> 15 == 1 {
            let op = OPS[usize::from(w1 >> 12 & 7)];
            return Ok(Self { dest, src, body: Body::Control { op, addr: w1 & 0xfff, data: words[2..].to_vec() } });
        }
        let bad = PacketError::Event(w1, found);
        let mut rest = &words[2..];
        let mut event = Event { id: w1 as u8, core: (w1 >> 8 & 15) as u8, ..Event::default() };
        if w1 >> 12 & 1 == 1 {
            let (lost, others) = rest.split_first().ok_or(bad)?;
            (event.lost, rest) = (*lost, others);
            event.yielded = w1 >> 13 & 1 == 1;
        } else if w1 >> 13 & 1 == 1 {
            return Err(bad);
        }
        let stamped = w1 >> 14 & 1 == 1;
        if rest.len() % 2 != 0 || (stamped && rest.is_empty()) {
            return Err(bad);
        }
        let mut values = rest.chunks(2).map(|w| u32::from(w[0]) | u32::from(w[1]) << 16);
        event.time = if stamped { values.next() } else { None };
        for value in values {
            if event.args.len() == MAX_ARGS {
                return Err(bad);
            }
            event.args.push(value);
        }
        Ok(Self { dest, src, body: Body::Event(event) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_the_words_worked_by_hand() {
        let bare = Event { id: 0x21, core: 3, ..Event::default() };
        assert_eq!(Packet::event(2, HOST, bare).to_words(), [0x0fc2, 0x0321]);
        let args = Args::of(&[0xdead_beef, 1]);
        let full = Event { id: 0x80, core: 0, lost: 5, yielded: false, time: Some(0x1234_5678), args };
        let mut want = [0x7041, 0x5080, 5, 0x5678, 0x1234, 0xbeef, 0xdead, 1, 0];
        assert_eq!(Packet::event(1, 1, full).to_words(), want);
        want[1] = 0x7080;
        assert_eq!(Packet::event(1, 1, Event { yielded: true, ..full }).to_words(), want);
        assert_eq!(Packet::parse(&want), Ok(Packet::event(1, 1, Event { yielded: true, ..full })));
        assert_eq!(full.words(), want.len());
        // each part alone
        let parts =
            [bare, Event { lost: 5, ..bare }, Event { time: Some(0), ..bare }, Event { args: full.args, ..bare }];
        assert_eq!(parts.map(|e| e.words()), [2, 3, 4, 6]);
        assert_eq!(parts.map(|e| Packet::event(1, HOST, e).to_words().len()), [2, 3, 4, 6]);
        // the longest packet there is
        let long = Packet::control(HOST, 1, Op::Write, 0, &[7; 14]);
        assert_eq!((long.to_words().len(), Packet::parse(&long.to_words())), (MAX_WORDS, Ok(long)));
        // the shortest packet there is
        assert_eq!(Packet::parse(&[0x0fc2, 0x0321]), Ok(Packet::event(2, HOST, bare)));
        let read = Packet::control(HOST, 4, Op::Read, 0x200, &[7]);
        assert_eq!(read.to_words(), [0x113f, 0x8200, 7]);
        let flush = Packet::control(5, BROADCAST, Op::Flush, 0, &[9]);
        assert_eq!(flush.to_words(), [0x1f85, 0xe000, 9]);
        let trace = Packet::control(56, HOST, Op::Trace, 0x321, &[0xbeef, 0xdead]);
        assert_eq!(trace.to_words(), [0x2ff8, 0xf321, 0xbeef, 0xdead]);
    }

    #[test]
    fn words_that_are_no_packet_are_refused() {
        assert_eq!(Packet::parse(&[]), Err(PacketError::Length { found: 0, right: 2 }));
        assert_eq!(Packet::parse(&[0x1000, 0]), Err(PacketError::Length { found: 2, right: 3 }));
        // the first word could say one more than there are
        assert_eq!(Packet::parse(&[[0xf000, 0x8000].as_slice(), &[0; 15]].concat()), Err(PacketError::Long(17)));
        // half an argument, losses that yielded without a loss, no word for the lost
        assert!(Packet::parse(&[0x1000, 0, 1]).is_err());
        assert!(Packet::parse(&[0x1000, 0x2000, 1]).is_err());
        assert!(Packet::parse(&[0x0000, 0x1000]).is_err());
        assert!(Packet::parse(&[0xe000, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]).is_err());
    }

    #[test]
    fn random_words_are_refused_or_come_back() {
        let mut s = crate::stimulus::Source::seeded(1);
        for _ in 0..20_000 {
            let len = 2 + s.below(15) as usize;
            let mut words: Vec<u16> = (0..len).map(|_| s.bits(16) as u16).collect();
            words[0] = words[0] & 0xfff | (len as u16 - 2) << 12;
            if let Ok(packet) = Packet::parse(&words) {
                // a lost count of 0 is encoded as no count
                if !matches!(&packet.body, Body::Event(e) if e.lost == 0 && words[1] >> 12 & 1 == 1) {
                    assert_eq!(packet.to_words(), words);
                }
            }
        }
    }
}
