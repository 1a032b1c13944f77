//! Golden model of the first half of trace funnel and PIB sink: the bytes of whole messages, from words
//!
//! # Behaviour
//! The lowest byte of a word is the first. Idle bytes between messages are dropped: what comes after has its own. The limits of messages are
//! known at any time, also while bytes are discarded. A message whose first byte was not stored, or during which storing ended, is
//! discarded as a whole. A byte of a message can be read two cycles after the last one of the message was written: one in which the
//! memory still has the old byte, and one in which it is read.

use super::Facts;

/// Bytes that a funnel input or the sink can hold: more than two messages of the longest kind, 33 bytes of E-Trace with the number of a core.
pub const DEPTH: usize = 64;

/// How a protocol marks its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// E-Trace: the first byte has the length in bits 4:0, without this byte and this number of others; 0 is idle.
    Length {
        /// Bytes with the number of the core, 0 or 1.
        source: u8,
    },
    /// N-Trace: the last byte has 3 in bits 1:0; 0xff after a message is idle.
    EndMarks,
    /// Formats of the vendor: a word is a message. There is no idle byte.
    Words,
}

impl Framing {
    /// That of a system.
    pub fn of(facts: &Facts) -> Self {
        match facts.protocol.format {
            0 => Self::Length { source: u8::from(facts.sources() > 1) },
            1 => Self::EndMarks,
            _ => Self::Words,
        }
    }

    /// The idle byte; `None` where every byte may be part of a message.
    pub const fn idle(self) -> Option<u8> {
        match self {
            Self::Length { .. } => Some(0),
            Self::EndMarks => Some(0xff),
            Self::Words => None,
        }
    }
}

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// The next byte is the first of a word and of a message; nothing is stored.
    pub reset: bool,
    /// Nothing is stored.
    pub clear: bool,
    /// Bytes are stored; otherwise they are discarded.
    pub store: bool,
    /// Words wait.
    pub hold: bool,
    /// A word, if there is one.
    pub word: Option<u32>,
}

/// A byte of a message, and whether it is the last one.
pub type MessageByte = (u8, bool);

/// State: the bytes, and where the input is.
#[derive(Clone, Debug)]
pub struct Messages {
    framing: Framing,
    lane: u8,
    /// Bytes of the message that are to come; with end marks 1 inside a message. 0: the next byte is the first of a message.
    left: u8,
    storing: bool,
    /// Bytes of whole messages.
    whole: std::collections::VecDeque<MessageByte>,
    /// How many of them can be read.
    readable: usize,
    /// The first bytes of a message whose last one has not come.
    part: Vec<u8>,
}

/// What a byte at the input is.
struct Place {
    first: bool,
    last: bool,
    idle: bool,
    left: u8,
}

impl Messages {
    /// Nothing, before the first byte of a message.
    pub fn new(framing: Framing) -> Self {
        Self { framing, lane: 0, left: 0, storing: false, whole: Default::default(), readable: 0, part: Vec::new() }
    }

    /// How messages are marked.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The byte to be read, if there is one. Others of its message follow in the next cycles.
    pub fn head(&self) -> Option<MessageByte> {
        self.whole.front().copied().filter(|_| self.readable > 0)
    }

    /// Whether no byte of a message is stored.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.part.is_empty()
    }

    /// Whether the byte at the input is the last one of its word.
    pub fn at_last_byte(&self) -> bool {
        self.lane == 3
    }

    fn byte(&self, word: u32) -> u8 {
        word.to_le_bytes()[usize::from(self.lane)]
    }

    fn place(&self, byte: u8) -> Place {
        let first = self.left == 0;
        match self.framing {
            Framing::Words => Place { first: self.lane == 0, last: self.lane == 3, idle: false, left: 0 },
            Framing::EndMarks => {
                let (last, idle) = (byte & 3 == 3, first && byte == 0xff);
                Place { first, last, idle, left: u8::from(!last) }
            }
            Framing::Length { source } if first => {
                let length = byte & 31;
                let idle = length == 0;
                Place { first, last: false, idle, left: if idle { 0 } else { length + source } }
            }
            Framing::Length { .. } => Place { first, last: self.left == 1, idle: false, left: self.left - 1 },
        }
    }

    fn stores(&self, i: &Inputs, place: &Place) -> bool {
        i.store && !place.idle && (place.first || self.storing)
    }

    /// Whether a byte is taken at the next edge.
    pub fn takes(&self, i: &Inputs) -> bool {
        let full = self.whole.len() + self.part.len() == DEPTH;
        i.word.is_some_and(|word| !i.hold && (!full || !self.stores(i, &self.place(self.byte(word)))))
    }

    /// Takes a rising edge of the clock; `took`: the byte to be read is taken.
    pub fn step(&mut self, i: &Inputs, took: bool) {
        let takes = self.takes(i);
        let whole = self.whole.len();
        if took {
            self.whole.pop_front();
        }
        self.readable = whole - usize::from(took);
        if let (Some(word), true) = (i.word, takes) {
            let byte = self.byte(word);
            let place = self.place(byte);
            let stores = self.stores(i, &place);
            if !place.idle {
                self.storing = stores;
            }
            if stores {
                self.part.push(byte);
                if place.last {
                    let last = self.part.len() - 1;
                    self.whole.extend(self.part.drain(..).enumerate().map(|(n, byte)| (byte, n == last)));
                }
            }
            (self.left, self.lane) = (place.left, (self.lane + 1) % 4);
        }
        if !i.store {
            self.part.clear();
            self.storing = false;
        }
        if i.reset || i.clear {
            self.whole.clear();
            self.part.clear();
            (self.readable, self.storing) = (0, false);
        }
        if i.reset {
            (self.left, self.lane) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What leaves after words, with everything stored.
    fn out(framing: Framing, words: &[u32]) -> Vec<MessageByte> {
        let mut m = Messages::new(framing);
        let mut got = Vec::new();
        for &word in words {
            for _ in 0..4 {
                got.extend(m.head());
                m.step(&Inputs { store: true, word: Some(word), ..Inputs::default() }, m.head().is_some());
            }
        }
        for _ in 0..64 {
            got.extend(m.head());
            m.step(&Inputs { store: true, ..Inputs::default() }, m.head().is_some());
        }
        got
    }

    #[test]
    fn idle_bytes_are_dropped_and_messages_stay_whole() {
        // the message of the specification's example, between idle bytes, then the first byte of another one
        let got = out(Framing::EndMarks, &[0xd070_ffff, 0xfff8_1d1d, 0x0070_ffff]);
        let bytes = [(0x70, false), (0xd0, false), (0x1d, false), (0x1d, false), (0xf8, false), (0xff, true)];
        assert_eq!(got, bytes);
    }

    #[test]
    fn a_length_does_not_count_the_source() {
        let got = out(Framing::Length { source: 1 }, &[0x0703_4200, 0x4000_0041]);
        assert_eq!(got, [(0x42, false), (0x03, false), (0x07, false), (0x41, true)]);
    }

    #[test]
    fn a_message_is_stored_as_a_whole_or_not_at_all() {
        let mut m = Messages::new(Framing::Words);
        for (word, store) in [(0x0403_0201_u32, [true, true, false, true]), (0x0807_0605, [true; 4])] {
            for store in store {
                m.step(&Inputs { store, word: Some(word), ..Inputs::default() }, false);
            }
        }
        assert_eq!(m.whole.len(), 4);
        assert_eq!(m.whole[0], (5, false));
    }
}
