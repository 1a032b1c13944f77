//! A profile as `pprof` and what understands its files read it: protocol buffers, gzip
//!
//! A sample a stack; its value is instructions. A location is a function: the stacks are of functions, not of lines.
//!
//! # Source
//! `profile.proto` of github.com/google/pprof, message `perftools.profiles.Profile`; the wire format of protocol buffers.

use flate2::{write::GzEncoder, Compression};
use std::io::{self, Write};

/// A message of protocol buffers, as it is written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.0.push(v as u8 | 0x80);
            v >>= 7;
        }
        self.0.push(v as u8);
    }

    /// A field of wire type 0.
    fn number(mut self, field: u64, v: u64) -> Self {
        self.varint(field << 3);
        self.varint(v);
        self
    }

    /// A field of wire type 2: text, or a message.
    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// A repeated number, packed.
    fn packed(self, field: u64, numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut all = Self::default();
        numbers.into_iter().for_each(|n| all.varint(n));
        self.bytes(field, &all.0)
    }
}

/// Places of the fixed texts in the table of strings. Place 0 is the empty one; functions follow.
const INSTRUCTIONS: u64 = 1;
const COUNT: u64 = 2;
const FIRST: u64 = 3;

/// Writes stacks of functions, each from the inside out, with the instructions in them.
pub struct Pprof<W: Write>(GzEncoder<W>);

impl<W: Write> Pprof<W> {
    /// Begins it, with the names of all functions by number.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new<'a>(out: W, functions: impl Iterator<Item = &'a str>) -> io::Result<Self> {
        let mut out = GzEncoder::new(out, Compression::default());
        let value = Message::default().number(1, INSTRUCTIONS).number(2, COUNT);
        let head = Message::default().bytes(1, &value.0).bytes(11, &value.0).number(12, 1);
        let head = ["", "instructions", "count"].iter().fold(head, |head, text| head.bytes(6, text.as_bytes()));
        out.write_all(&head.0)?;
        for (i, name) in (0u64..).zip(functions) {
            let function = Message::default().number(1, i + 1).number(2, FIRST + i).number(3, FIRST + i);
            let line = Message::default().number(1, i + 1);
            let location = Message::default().number(1, i + 1).bytes(4, &line.0);
            let all = Message::default().bytes(5, &function.0).bytes(4, &location.0).bytes(6, name.as_bytes());
            out.write_all(&all.0)?;
        }
        Ok(Self(out))
    }

    /// A stack of functions by number, the innermost first.
    ///
    /// # Errors
    /// Those of the output.
    pub fn sample(&mut self, stack: impl IntoIterator<Item = u32>, instructions: u64) -> io::Result<()> {
        let ids = stack.into_iter().map(|f| u64::from(f) + 1);
        let sample = Message::default().packed(1, ids).packed(2, [instructions]);
        self.0.write_all(&Message::default().bytes(2, &sample.0).0)
    }

    /// Ends it.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<()> {
        self.0.finish().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes worked by hand from the wire format: field 1 as a number is 08, field 4 as bytes 22, 300 is ac 02.
    #[test]
    fn messages_are_those_worked_by_hand() {
        let m = Message::default().number(1, 300).bytes(4, b"ab").packed(2, [1, 300]).number(12, 1);
        assert_eq!(m.0, [0x08, 0xac, 0x02, 0x22, 2, b'a', b'b', 0x12, 3, 1, 0xac, 0x02, 0x60, 1]);
    }
}
