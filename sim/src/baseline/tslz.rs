//! TSLZ: filter, differences, LZ with a small window
//!
//! Three stages: the filter turns control flow into streams; SL and the differences of the start addresses that must be sent
//! become 12-bit symbols; the symbols go through LZ with a sliding window.
//!
//! # Symbols
//! A stream is the symbol SL (1 to 4094; 4095 encodes a longer one, and SL follows in 3 symbols). If SA is not
//! known, `SA - SA'` follows, with SA' the last address that was sent (initially 0), without its `align` low
//! bits, sign-extended, in `ceil((xlen - align) / 12)` symbols. SL = 0 is the escape: a symbol 1 (trap) or 2
//! (stop), SL in 3 symbols, SA as above, and for a trap the handler as an address. Low symbol first.
//!
//! # Tokens
//! `0 symbol` is a literal of 1 + 12 bits. `1 d-1 n-2` is a match: the next n symbols, 2 to 2^b + 1 of them,
//! equal those that start d symbols back; 1 + 8 + b bits. A match may overlap itself. The longest match is
//! used, and the nearest of several longest ones.
//!
//! # Source
//! Paper 002 section 5.3 names the stages and the window of 256 12-bit entries, and no more. For the choices made
//! here, see `docs/reference/baselines.md`.

use super::{fields, to_bytes, BaselineError, Coder, Encoded, Fields};
use crate::bits::BitWriter;
use retire::image::Image;
use retire::stream::{End, Stream, Walker};

/// Width of a window entry, bits.
pub const SYMBOL_BITS: u32 = 12;
/// Symbol that announces a long stream.
const LONG: u16 = (1 << SYMBOL_BITS) - 1;
/// Number of symbols of a long SL.
const LONG_SYMBOLS: u32 = 3;
/// A value that never matches; the initial contents of the window.
const NEVER: u16 = u16::MAX;

/// Sizes of the LZ stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// log2 of the window size in entries. 1..=13.
    pub window_bits: u8,
    /// b: width of a match length, bits. 1..=8.
    pub length_bits: u8,
}

impl Sizes {
    /// 256 entries of 12 bits, matches of 2 to 9 symbols.
    pub const W256: Self = Self { window_bits: 8, length_bits: 3 };
    /// The same window with matches of 2 to 129 symbols: the best b on the built-in programs.
    pub const W256_LONG: Self = Self { window_bits: 8, length_bits: 7 };

    fn window(&self) -> usize {
        1 << self.window_bits
    }

    fn longest(&self) -> u32 {
        (1 << self.length_bits) + 1
    }
}

/// Address state that encoder and decoder share.
#[derive(Clone, Copy, Debug)]
struct Addresses {
    last: u64,
    bits: u32,
    align: u32,
}

impl Addresses {
    fn new(xlen: u8, align: u8) -> Self {
        Self { last: 0, bits: u32::from(xlen - align), align: align.into() }
    }

    fn symbols(&self) -> u32 {
        self.bits.div_ceil(SYMBOL_BITS)
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The difference to the last address, sign-extended.
    fn difference(&mut self, address: u64) -> u64 {
        let address = address >> self.align & self.mask();
        let d = address.wrapping_sub(std::mem::replace(&mut self.last, address));
        let up = 64 - self.bits;
        ((d << up) as i64 >> up) as u64
    }

    fn address(&mut self, difference: u64) -> u64 {
        self.last = self.last.wrapping_add(difference) & self.mask();
        self.last << self.align
    }
}

/// The LZ stage, as a circuit would do it: one symbol at a time, all distances in parallel.
struct Lz {
    sizes: Sizes,
    /// The window, followed by the symbols since it was last moved to the front of the buffer.
    history: Vec<u16>,
    /// For each window position, oldest first: all ones if the match continues there, otherwise 0.
    matching: Vec<u16>,
    next: Vec<u16>,
    length: u32,
    out: BitWriter,
}

impl Lz {
    fn new(sizes: Sizes) -> Self {
        let window = sizes.window();
        let mut history = Vec::with_capacity(1 << 16);
        history.resize(window, NEVER);
        let matching = vec![NEVER; window];
        Self { sizes, history, next: matching.clone(), matching, length: 0, out: BitWriter::new() }
    }

    #[inline]
    fn push(&mut self, symbol: u16) {
        let window = self.sizes.window();
        let recent = &self.history[self.history.len() - window..];
        let mut any = 0;
        for ((next, matching), old) in self.next.iter_mut().zip(&self.matching).zip(recent) {
            *next = if *old == symbol { *matching } else { 0 };
            any |= *next;
        }
        if any == 0 {
            if self.length == 0 {
                self.out.push(u64::from(symbol) << 1, 1 + SYMBOL_BITS);
                return self.append(symbol);
            }
            self.flush();
            return self.push(symbol);
        }
        std::mem::swap(&mut self.matching, &mut self.next);
        self.length += 1;
        self.append(symbol);
        if self.length == self.sizes.longest() {
            self.flush();
        }
    }

    fn append(&mut self, symbol: u16) {
        if self.history.len() == self.history.capacity() {
            let window = self.sizes.window();
            let from = self.history.len() - window;
            self.history.copy_within(from.., 0);
            self.history.truncate(window);
        }
        self.history.push(symbol);
    }

    /// Sends the match.
    fn flush(&mut self) {
        if self.length == 1 {
            let symbol = self.history[self.history.len() - 1];
            self.out.push(u64::from(symbol) << 1, 1 + SYMBOL_BITS);
        } else if self.length > 1 {
            let near = self.matching.iter().rev().position(|a| *a != 0).unwrap_or(0) as u64;
            let window_bits = u32::from(self.sizes.window_bits);
            let length = u64::from(self.length - 2);
            let token = 1 | near << 1 | length << (1 + window_bits);
            self.out.push(token, 1 + window_bits + u32::from(self.sizes.length_bits));
        }
        self.length = 0;
        self.matching.fill(NEVER);
    }
}

pub(super) struct Tslz {
    lz: Lz,
    addresses: Addresses,
}

impl Tslz {
    pub(super) fn new(sizes: Sizes, xlen: u8, align: u8) -> Self {
        Self { lz: Lz::new(sizes), addresses: Addresses::new(xlen, align) }
    }

    #[inline]
    fn number(&mut self, mut value: u64, symbols: u32) {
        for _ in 0..symbols {
            self.lz.push(value as u16 & LONG);
            value = ((value as i64) >> SYMBOL_BITS) as u64;
        }
    }

    fn address(&mut self, address: u64) {
        let d = self.addresses.difference(address);
        self.number(d, self.addresses.symbols());
    }
}

impl Coder for Tslz {
    #[inline]
    fn stream(&mut self, s: &Stream) {
        let long = s.length >= LONG.into();
        match s.end {
            End::Branch if long => self.lz.push(LONG),
            End::Branch => self.lz.push(s.length as u16),
            End::Trap { .. } => self.number(1 << SYMBOL_BITS, 2),
            End::Stop => self.number(2 << SYMBOL_BITS, 2),
        }
        if long || s.end != End::Branch {
            self.number(s.length.into(), LONG_SYMBOLS);
        }
        if !s.known {
            self.address(s.start);
        }
        if let End::Trap { target } = s.end {
            self.address(target);
        }
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<(Vec<u8>, u64)> {
        self.lz.flush();
        Ok(to_bytes(self.lz.out))
    }
}

/// Decoder of tokens to symbols.
struct Symbols<I> {
    bits: Fields<I>,
    sizes: Sizes,
    history: Vec<u16>,
    /// Remaining symbols of the current match, and its distance.
    left: u32,
    distance: usize,
}

impl<I: Iterator<Item = u32>> Symbols<I> {
    fn at_end(&self) -> bool {
        self.left == 0 && self.bits.at_end()
    }

    fn symbol(&mut self) -> Result<u16, BaselineError> {
        if self.left == 0 {
            let bit = self.bits.position();
            if self.bits.field(1)? == 0 {
                let symbol = self.bits.field(SYMBOL_BITS)? as u16;
                self.history.push(symbol);
                return Ok(symbol);
            }
            self.distance = self.bits.field(self.sizes.window_bits.into())? as usize + 1;
            self.left = self.bits.field(self.sizes.length_bits.into())? as u32 + 2;
            if self.distance > self.history.len() {
                let (d, n) = (self.distance, self.history.len());
                let what = format!("a match {d} symbols back, but there are only {n}");
                return Err(BaselineError::Content { bit, what });
            }
        }
        self.left -= 1;
        let symbol = self.history[self.history.len() - self.distance];
        self.history.push(symbol);
        if self.history.len() == 1 << 16 {
            self.history.drain(..(1 << 16) - self.sizes.window());
        }
        Ok(symbol)
    }

    fn number(&mut self, symbols: u32) -> Result<u64, BaselineError> {
        let mut value = 0u64;
        for i in 0..symbols {
            let symbol = u64::from(self.symbol()?);
            value |= symbol << (i * SYMBOL_BITS);
        }
        // the top symbol carries the sign
        let up = 64u32.saturating_sub(symbols * SYMBOL_BITS);
        Ok(((value << up) as i64 >> up) as u64)
    }
}

pub(super) fn decode(
    encoded: &Encoded,
    sizes: Sizes,
    xlen: u8,
    align: u8,
    image: &Image,
) -> Result<Vec<Stream>, BaselineError> {
    let mut input = Symbols { bits: fields(encoded), sizes, history: Vec::new(), left: 0, distance: 0 };
    let mut addresses = Addresses::new(xlen, align);
    let mut walker = Walker::new(image);
    let mut streams = Vec::new();
    while !input.at_end() {
        let bit = input.bits.position();
        let first = input.symbol()?;
        let kind = if first == 0 { input.symbol()? } else { 0 };
        if kind > 2 || (first == 0 && kind == 0) {
            let what = format!("escape {kind} is not defined; 1 and 2 are");
            return Err(BaselineError::Content { bit, what });
        }
        let length = if first == 0 || first == LONG { input.number(LONG_SYMBOLS)? as u32 } else { first.into() };
        let mut address = |input: &mut Symbols<_>| {
            let d = input.number(addresses.symbols())?;
            Ok::<u64, BaselineError>(addresses.address(d))
        };
        let start = if walker.known().is_none() { address(&mut input)? } else { 0 };
        let end = match kind {
            0 => End::Branch,
            1 => End::Trap { target: address(&mut input)? },
            _ => End::Stop,
        };
        streams.push(walker.take(start, length, end)?);
    }
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use super::super::to_words;
    use super::*;
    use crate::bits::BitReader;

    /// Literals and matches of `symbols`: (0, symbol) or (distance, length).
    fn tokens(symbols: &[u16]) -> Vec<(u64, u64)> {
        let mut lz = Lz::new(Sizes::W256);
        symbols.iter().for_each(|s| lz.push(*s));
        lz.flush();
        let (bytes, bits) = to_bytes(lz.out);
        let mut reader = BitReader::new(to_words(&bytes));
        let mut found = Vec::new();
        while reader.position() < bits {
            let take = |r: &mut BitReader<_>, n| r.take(n).unwrap();
            if take(&mut reader, 1) == 0 {
                found.push((0, take(&mut reader, 12)));
            } else {
                let distance = take(&mut reader, 8) + 1;
                found.push((distance, take(&mut reader, 3) + 2));
            }
        }
        found
    }

    #[test]
    fn tokens_are_those_worked_by_hand() {
        assert_eq!(tokens(&[5, 5]), [(0, 5), (0, 5)]); // a match of one symbol is a literal
        assert_eq!(tokens(&[5, 5, 5, 5]), [(0, 5), (1, 3)]); // a match that overlaps itself
        assert_eq!(tokens(&[7; 14]), [(0, 7), (1, 9), (1, 4)]); // the longest match has 9 symbols
        assert_eq!(tokens(&[1, 2, 3, 9, 1, 2, 4]), [(0, 1), (0, 2), (0, 3), (0, 9), (4, 2), (0, 4)]);
        // the nearest of two
        assert_eq!(tokens(&[1, 2, 8, 1, 2, 9, 1, 2]), [(0, 1), (0, 2), (0, 8), (3, 2), (0, 9), (3, 2)]);
    }

    #[test]
    fn a_literal_has_13_bits_and_a_match_12() {
        let mut lz = Lz::new(Sizes::W256);
        lz.push(0xabc);
        assert_eq!(lz.out.len(), 13);
        (0..9).for_each(|_| lz.push(0xabc));
        assert_eq!(lz.out.len(), 25);
        assert_eq!(to_bytes(lz.out).0, [0x78, 0x35, 0xc0, 0x01]);
    }

    #[test]
    fn matches_do_not_reach_behind_the_window() {
        let mut far: Vec<u16> = (0..300).collect();
        far.extend([43, 44, 45]); // 257 back
        assert_eq!(tokens(&far).len(), 303);
        let mut near: Vec<u16> = (0..300).collect();
        near.extend([44, 45, 46]); // 256 back
        assert_eq!(tokens(&near).last(), Some(&(256, 3)));
    }

    #[test]
    fn streams_become_symbols_as_worked_by_hand() {
        let mut t = Tslz::new(Sizes::W256, 32, 1);
        let s = |start, length, known, end| Stream { start, length, known, end };
        t.stream(&s(0x8000_0104, 6, false, End::Branch)); // 6, 0x40000082 as a negative number of 31 bits
        t.stream(&s(0x8000_0100, 5000, false, End::Branch)); // 4095, 5000, -2
        t.stream(&s(0x10, 2, true, End::Trap { target: 0x8000_0102 })); // 0, 1, 2, +1
        let want = [
            6, 0x082, 0x000, 0xfc0, // bit 30 is the sign: 0xfc0000082
            4095, 904, 1, 0, 0xffe, 0xfff, 0xfff, // 5000 = 4096 + 904
            0, 1, 2, 0, 0, 1, 0, 0,
        ];
        let window = t.lz.history.len() - want.len();
        assert_eq!(t.lz.history[window..], want);
    }
}
