//! eDMTF: double move-to-front, enhanced
//!
//! A first history table of stream descriptors (SA, SL) maps each stream to its position in the table, and moves it
//! to the front; a second, small table does the same with these positions. Alternating streams
//! have the same position each time, so the second table finds them at its own front.
//! The enhancements: an adaptive counter counts runs of hits at the front of the second table, and the upper
//! bits of an address are omitted if they equal those of the last address that was sent.
//!
//! # Records
//! | record | bits |
//! | --- | --- |
//! | the next n streams are at the front of the second table | `1`, n - 1 in k bits |
//! | position 1 to 3 of the second table | `0`, position in 2 bits |
//! | not in the second table | `0 00`, position in the first table in 8 bits; 192: in neither |
//! | trap or stop | `0 00`, 193, 0 or 1, SL, SA if it is not known, for a trap the handler |
//!
//! The record of a stream in neither table is followed by SL, and by SA if it is not known. SL is
//! `chunked(SL; 8, 8)`. An address is sent without its `align` low bits, as `1` and all but its upper 12 bits, or as
//! `0` and all bits. k and the runs follow paper 001's adaptive counter, [`RunLength`].
//!
//! # Source
//! Paper 002 section 5.3 (two tables, 192 and 4 entries, move-to-front). The DAC 2009 paper that it refers to is
//! known here only from its abstract and a review. For the choices made, see `docs/reference/baselines.md`.

use super::{fields, to_bytes, BaselineError, Coder, Encoded, Fields};
use crate::bits::BitWriter;
use crate::chunk::{self, Chunks};
use crate::run_length::RunLength;
use retire::image::Image;
use retire::stream::{End, Stream, Walker};

/// Sizes of the history tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Number of descriptors in the first table. 4..=254.
    pub first: u8,
    /// Number of positions in the second table: 2 or 4.
    pub second: u8,
}

impl Sizes {
    /// 192 descriptors, 4 positions.
    pub const E192_4: Self = Self { first: 192, second: 4 };

    fn second_bits(&self) -> u32 {
        u32::from(self.second).trailing_zeros()
    }

    fn first_bits(&self) -> u32 {
        32 - (u32::from(self.first) + 1).leading_zeros()
    }
}

/// Chunks of SL in a record.
const SL: Chunks = Chunks::new(8, 8);
/// Upper address bits in the last-value register.
const UPPER: u32 = 12;
/// Maximum width of the run counter, bits.
const MOST: u8 = 12;

/// A move-to-front list.
#[derive(Clone, Debug)]
struct Mtf<T> {
    list: Vec<T>,
    size: usize,
}

impl<T: Copy + PartialEq> Mtf<T> {
    /// Finds `item` and moves it to the front; `None` if it was not in the list and has been inserted.
    #[inline]
    fn find(&mut self, item: T) -> Option<usize> {
        match self.list.iter().position(|i| *i == item) {
            Some(place) => {
                self.touch(place);
                Some(place)
            }
            None => {
                self.insert(item);
                None
            }
        }
    }

    /// Moves the item at `place` to the front.
    #[inline]
    fn touch(&mut self, place: usize) {
        let item = self.list[place];
        self.list.copy_within(..place, 1);
        self.list[0] = item;
    }

    /// Inserts `item` at the front; a full list drops its last item.
    fn insert(&mut self, item: T) {
        self.list.truncate(self.size - 1);
        self.list.insert(0, item);
    }
}

/// State that encoder and decoder share.
struct Tables {
    sizes: Sizes,
    first: Mtf<(u64, u32)>,
    second: Mtf<u8>,
    runs: RunLength,
    upper: u64,
    address_bits: u32,
    align: u32,
}

impl Tables {
    fn new(sizes: Sizes, xlen: u8, align: u8) -> Self {
        Self {
            sizes,
            first: Mtf { list: Vec::with_capacity(sizes.first.into()), size: sizes.first.into() },
            second: Mtf { list: (0..sizes.second).collect(), size: sizes.second.into() },
            runs: RunLength::new(MOST),
            upper: 0,
            address_bits: u32::from(xlen - align),
            align: align.into(),
        }
    }

    fn low_bits(&self) -> u32 {
        self.address_bits - UPPER
    }
}

pub(super) struct Edmtf {
    tables: Tables,
    run: u32,
    out: BitWriter,
}

impl Edmtf {
    pub(super) fn new(sizes: Sizes, xlen: u8, align: u8) -> Self {
        Self { tables: Tables::new(sizes, xlen, align), run: 0, out: BitWriter::new() }
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run > 0 {
            let bits = self.tables.runs.bits();
            self.out.push(1 | u64::from(run - 1) << 1, 1 + bits);
            self.tables.runs.sent(run);
        }
    }

    fn wide(&mut self, value: u64, bits: u32) {
        let low = bits.min(32);
        self.out.push(value & (u64::MAX >> (64 - low)), low);
        self.out.push(value.checked_shr(low).unwrap_or(0), bits - low);
    }

    fn address(&mut self, address: u64) {
        let address = address >> self.tables.align & u64::MAX >> (64 - self.tables.address_bits);
        let low = self.tables.low_bits();
        let known = address >> low == self.tables.upper;
        self.out.push(known.into(), 1);
        if known {
            self.wide(address & u64::MAX >> (64 - low), low);
        } else {
            self.wide(address, self.tables.address_bits);
            self.tables.upper = address >> low;
        }
    }

    /// Writes `0` and a position in the second table, or 0 and a position in the first.
    fn place(&mut self, second: usize, first: u8) {
        self.flush();
        self.out.push((second as u64) << 1, 1 + self.tables.sizes.second_bits());
        if second == 0 {
            self.out.push(first.into(), self.tables.sizes.first_bits());
        }
    }
}

impl Coder for Edmtf {
    #[inline]
    fn stream(&mut self, s: &Stream) {
        let miss = self.tables.sizes.first;
        if s.end != End::Branch {
            self.place(0, miss + 1);
            self.out.push((s.end == End::Stop).into(), 1);
            chunk::write(s.length.into(), SL, &mut self.out);
            if !s.known {
                self.address(s.start);
            }
            if let End::Trap { target } = s.end {
                self.address(target);
            }
            return;
        }
        let first = self.tables.first.find((s.start, s.length)).map_or(miss, |p| p as u8);
        match self.tables.second.find(first) {
            Some(0) => {
                self.run += 1;
                if self.run == self.tables.runs.full() || first == miss {
                    self.flush();
                }
            }
            Some(second) => self.place(second, first),
            None => self.place(0, first),
        }
        if first == miss {
            chunk::write(s.length.into(), SL, &mut self.out);
            if !s.known {
                self.address(s.start);
            }
        }
    }

    fn finish(mut self: Box<Self>) -> std::io::Result<(Vec<u8>, u64)> {
        self.flush();
        Ok(to_bytes(self.out))
    }
}

struct Input<I> {
    bits: Fields<I>,
    tables: Tables,
}

impl<I: Iterator<Item = u32>> Input<I> {
    fn wide(&mut self, bits: u32) -> Result<u64, BaselineError> {
        let low = bits.min(32);
        Ok(self.bits.field(low)? | self.bits.field(bits - low)?.checked_shl(low).unwrap_or(0))
    }

    fn address(&mut self) -> Result<u64, BaselineError> {
        let low = self.tables.low_bits();
        let address = if self.bits.field(1)? == 1 {
            self.wide(low)? | self.tables.upper << low
        } else {
            let all = self.wide(self.tables.address_bits)?;
            self.tables.upper = all >> low;
            all
        };
        Ok(address << self.tables.align)
    }

    fn length(&mut self) -> Result<u32, BaselineError> {
        let bit = self.bits.position();
        let read = chunk::read(SL, "SL", 32, &mut self.bits.reader);
        let length = read.map_err(|e| BaselineError::Content { bit, what: e.to_string() })?;
        // fails if the chunks include padding of the last word
        self.bits.field(0)?;
        Ok(length as u32)
    }

    /// Reads SL, and SA if it is not known.
    fn descriptor(&mut self, walker: &Walker<'_>) -> Result<(u64, u32), BaselineError> {
        let length = self.length()?;
        let start = match walker.known() {
            Some(start) => start,
            None => self.address()?,
        };
        Ok((start, length))
    }
}

pub(super) fn decode(
    encoded: &Encoded,
    sizes: Sizes,
    xlen: u8,
    align: u8,
    image: &Image,
) -> Result<Vec<Stream>, BaselineError> {
    let mut input = Input { bits: fields(encoded), tables: Tables::new(sizes, xlen, align) };
    let mut walker = Walker::new(image);
    let mut streams = Vec::new();
    while !input.bits.at_end() {
        let bit = input.bits.position();
        let content = |what| BaselineError::Content { bit, what };
        let (mut streams_left, place);
        if input.bits.field(1)? == 1 {
            streams_left = input.bits.field(input.tables.runs.bits())? as u32 + 1;
            input.tables.runs.sent(streams_left);
            place = input.tables.second.list[0];
        } else {
            streams_left = 1;
            let second = input.bits.field(sizes.second_bits())? as usize;
            if second > 0 {
                place = input.tables.second.list[second];
                input.tables.second.touch(second);
            } else {
                place = input.bits.field(sizes.first_bits())? as u8;
                if place > sizes.first + 1 {
                    return Err(content(format!("rank {place}, expected 0 to {}", sizes.first + 1)));
                }
                if place == sizes.first + 1 {
                    let stop = input.bits.field(1)? == 1;
                    let (start, length) = input.descriptor(&walker)?;
                    let end = if stop { End::Stop } else { End::Trap { target: input.address()? } };
                    streams.push(walker.take(start, length, end)?);
                    continue;
                }
                input.tables.second.insert(place);
            }
        }
        while streams_left > 0 {
            streams_left -= 1;
            let (start, length) = if place == sizes.first {
                let descriptor = input.descriptor(&walker)?;
                input.tables.first.insert(descriptor);
                descriptor
            } else {
                let found = input.tables.first.list.get(usize::from(place)).copied();
                let found = found.ok_or_else(|| content(format!("rank {place} of the first table is empty")))?;
                input.tables.first.touch(place.into());
                found
            };
            if walker.known().is_some_and(|known| known != start) {
                return Err(content(format!("a stream from 0x{start:08x}, where the program does not lead")));
            }
            streams.push(walker.take(start, length, End::Branch)?);
        }
    }
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use super::super::to_words;
    use super::*;
    use crate::bits::BitReader;

    /// Encodes the streams A, B, C.. of a text, and returns the bits after the first `skip` streams.
    fn bits_of(text: &str, skip: usize) -> String {
        let mut e = Edmtf::new(Sizes::E192_4, 32, 1);
        let mut skipped = 0;
        for (i, c) in text.bytes().enumerate() {
            if i == skip {
                e.flush();
                skipped = e.out.len();
            }
            let start = 0x8000_0000 + 16 * u64::from(c);
            e.stream(&Stream { start, length: 5, known: true, end: End::Branch });
        }
        e.flush();
        let (bytes, bits) = to_bytes(e.out);
        let mut reader = BitReader::new(to_words(&bytes));
        for _ in 0..skipped {
            reader.take(1).unwrap();
        }
        (skipped..bits).map(|_| if reader.take(1).unwrap() == 1 { '1' } else { '0' }).collect()
    }

    #[test]
    fn places_are_those_of_the_published_example() {
        // {ABAC} repeated: positions 1, 2, 1, 2, counted from 0
        let mut table = Mtf { list: vec!['C', 'A', 'B'], size: 192 };
        assert_eq!("ABACABAC".chars().map(|c| table.find(c).unwrap()).collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2, 1, 2]);
        // and in a second table always the position before last
        let mut second = Mtf { list: vec![2u8, 1], size: 4 };
        assert_eq!([1, 2, 1, 2].map(|p| second.find(p).unwrap()), [1, 1, 1, 1]);
    }

    #[test]
    fn records_are_those_worked_by_hand() {
        // the first stream is in neither table: 0, 00, 192 (low bit first), SL 5 in 8 bits and a connect bit
        assert_eq!(bits_of("A", 0), "0".to_string() + "00" + "00000011" + "10100000" + "0");
        // A again is at position 0; the second table is then {192, 0, 1, 2}: position 1
        assert_eq!(bits_of("AA", 1), "010");
        // three more: at the front, counted by a 1-bit counter: a run of 2, then a run of 1
        assert_eq!(bits_of("AAAAA", 2), "1110");
        // A B, then A at position 1: the second table is {192, 0, 1, 2}, and 1 is at its position 2
        assert_eq!(bits_of("ABA", 2), "001");
        // A B A B: position 1 again, now at the front
        assert_eq!(bits_of("ABAB", 3), "10");
    }

    #[test]
    fn full_tables_forget_the_oldest() {
        let mut table = Mtf { list: vec![3, 2, 1], size: 3 };
        assert_eq!((table.find(4), table.list.clone()), (None, vec![4, 3, 2]));
        assert_eq!((table.find(2), table.list.clone()), (Some(2), vec![2, 4, 3]));
    }

    #[test]
    fn upper_bits_are_sent_when_they_change() {
        let mut e = Edmtf::new(Sizes::E192_4, 32, 1);
        e.address(0x8000_0104);
        assert_eq!(e.out.len(), 1 + 31);
        e.address(0x8000_0204);
        assert_eq!(e.out.len(), 1 + 31 + 1 + 19);
    }
}
