//! General-purpose compressors over the serialised streams
//!
//! A stream is one byte SL (1 to 254; 255 encodes a longer one and is followed by SL in 4 bytes), then SA
//! in `xlen / 8` bytes if it is not known. SL = 0 is the escape: a byte 1 (trap) or 2 (stop), SL in 4
//! bytes, SA if it is not known, and for a trap the handler's address. All numbers are little-endian.
//!
//! # Source
//! Paper 001 equation 1 (5 bytes with SA, 1 byte without) and section III.D; paper 002 section 5.3.

pub use super::compressors::Compressor;
use super::compressors::{pack, unpack, Packing};
use super::{BaselineError, Coder};
use retire::image::Image;
use retire::stream::{End, Stream, Walker};

pub(super) struct General {
    /// The bytes so far, if they are not compressed.
    plain: Vec<u8>,
    packed: Option<Box<dyn Packing + Send>>,
    buffer: Vec<u8>,
    address_bytes: usize,
    error: Option<std::io::Error>,
}

impl General {
    pub(super) fn new(compressor: Compressor, xlen: u8) -> std::io::Result<Self> {
        let (packed, buffer) = (pack(compressor)?, Vec::with_capacity(1 << 16));
        Ok(Self { plain: Vec::new(), packed, buffer, address_bytes: usize::from(xlen / 8), error: None })
    }

    fn flush(&mut self) {
        match &mut self.packed {
            None => self.plain.extend_from_slice(&self.buffer),
            Some(packed) => self.error = self.error.take().or(packed.write_all(&self.buffer).err()),
        }
        self.buffer.clear();
    }
}

impl Coder for General {
    #[inline]
    fn stream(&mut self, s: &Stream) {
        let out = &mut self.buffer;
        match s.end {
            End::Branch if s.length < 255 => out.push(s.length as u8),
            End::Branch => out.push(255),
            End::Trap { .. } => out.extend([0, 1]),
            End::Stop => out.extend([0, 2]),
        }
        if s.end != End::Branch || s.length >= 255 {
            out.extend(s.length.to_le_bytes());
        }
        if !s.known {
            out.extend(&s.start.to_le_bytes()[..self.address_bytes]);
        }
        if let End::Trap { target } = s.end {
            out.extend(&target.to_le_bytes()[..self.address_bytes]);
        }
        if out.len() > (1 << 16) - 32 {
            self.flush();
        }
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<(Vec<u8>, u64)> {
        self.flush();
        if let Some(e) = self.error {
            return Err(e);
        }
        let bytes = match self.packed {
            None => self.plain,
            Some(packed) => packed.finish()?,
        };
        let bits = 8 * bytes.len() as u64;
        Ok((bytes, bits))
    }
}

/// Reader of numbers from the serialised streams.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn number(&mut self, size: usize) -> Result<u64, BaselineError> {
        let b = self.bytes.get(self.at..self.at + size).ok_or(BaselineError::Truncated(8 * self.at as u64))?;
        self.at += size;
        Ok(b.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }
}

pub(super) fn decode(
    bytes: &[u8],
    compressor: Compressor,
    xlen: u8,
    image: &Image,
) -> Result<Vec<Stream>, BaselineError> {
    let plain = unpack(compressor, bytes)?;
    let address_bytes = usize::from(xlen / 8);
    let mut input = Bytes { bytes: &plain, at: 0 };
    let mut walker = Walker::new(image);
    let mut streams = Vec::new();
    while input.at < plain.len() {
        let at = 8 * input.at as u64;
        let first = input.number(1)?;
        let kind = if first == 0 { input.number(1)? } else { 0 };
        if kind > 2 || (first == 0 && kind == 0) {
            let what = format!("escape {kind} (of the uncompressed data) is not defined; 1 and 2 are");
            return Err(BaselineError::Content { bit: at, what });
        }
        let length = if first == 0 || first == 255 { input.number(4)? } else { first } as u32;
        let start = if walker.known().is_none() { input.number(address_bytes)? } else { 0 };
        let end = match kind {
            0 => End::Branch,
            1 => End::Trap { target: input.number(address_bytes)? },
            _ => End::Stop,
        };
        streams.push(walker.take(start, length, end)?);
    }
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_serialised_as_worked_by_hand() {
        let mut g = General::new(Compressor::None, 32).unwrap();
        let s = |start, length, known, end| Stream { start, length, known, end };
        g.stream(&s(0x8000_0104, 6, false, End::Branch));
        g.stream(&s(0x100, 255, true, End::Branch));
        g.stream(&s(0x400, 2, false, End::Trap { target: 0x801 }));
        g.stream(&s(0x801, 0, true, End::Stop));
        let (bytes, bits) = Box::new(g).finish().unwrap();
        let want = [
            6, 0x04, 0x01, 0x00, 0x80, // SL, SA
            255, 255, 0, 0, 0, // long SL
            0, 1, 2, 0, 0, 0, 0x00, 0x04, 0, 0, 0x01, 0x08, 0, 0, // escape, trap, SL, SA, ETA
            0, 2, 0, 0, 0, 0, // escape, stop, SL
        ];
        assert_eq!((bytes.as_slice(), bits), (want.as_slice(), 8 * want.len() as u64));
    }
}
