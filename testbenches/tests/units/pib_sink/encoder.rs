//! Words of random messages, as an encoder makes them

use super::probe::Protocol;
use sim::stimulus::Source;

/// Messages of a protocol, of random lengths, and the words that an encoder makes of them.
pub(crate) struct Encoder {
    protocol: Protocol,
    s: Source,
    /// Bytes of messages that are in no word yet.
    pub bytes: Vec<u8>,
    /// All messages.
    pub messages: Vec<Vec<u8>>,
}

impl Encoder {
    pub fn new(protocol: Protocol, seed: u64) -> Self {
        Self { protocol, s: Source::seeded(seed), bytes: Vec::new(), messages: Vec::new() }
    }

    fn message(&mut self) -> Vec<u8> {
        let s = &mut self.s;
        let mut bytes = |n: usize| (0..n).map(|_| s.bits(8) as u8).collect::<Vec<u8>>();
        match self.protocol {
            Protocol::Words => bytes(4),
            Protocol::ETrace { source } => {
                let n = 1 + bytes(1)[0] % 31;
                let mut all = vec![0x40 | n];
                all.extend(bytes(usize::from(n + source)));
                all
            }
            Protocol::NTrace => {
                let length = usize::from(bytes(1)[0] % 37);
                let mut all = bytes(length + 2);
                for byte in &mut all {
                    // 10 is reserved, and 11 is for the end
                    *byte &= if *byte & 2 == 2 { 0xfc } else { 0xff };
                }
                all[0] &= 0xfc;
                all[length + 1] |= 3;
                all
            }
        }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        while self.bytes.len() < 4 {
            let message = self.message();
            self.bytes.extend(&message);
            self.messages.push(message);
            if self.s.percent(5) {
                self.end();
            }
        }
        let word = u32::from_le_bytes([self.bytes[0], self.bytes[1], self.bytes[2], self.bytes[3]]);
        self.bytes.drain(..4);
        word
    }

    /// The end of a trace: idle bytes up to a word.
    pub fn end(&mut self) {
        let idle = if self.protocol == Protocol::NTrace { 0xff } else { 0 };
        while self.bytes.len() % 4 != 0 {
            self.bytes.push(idle);
        }
    }
}
