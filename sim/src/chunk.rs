//! Chunked numbers: variable-length fields with connect bits
//!
//! # Source
//! Paper 000 section 4 and figure 7, paper 002 section 4 and figure 6: the number is split into a first
//! chunk of c0 bits and further chunks of c1 bits, least significant first. A connect bit follows each chunk;
//! it is 1 if another chunk follows. Leading zero chunks are not sent.

use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Chunk sizes of one field: a first chunk of `first` bits, then chunks of `next` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chunks {
    /// c0: bits of the first chunk. 1..=16.
    pub first: u8,
    /// c1: bits of every further chunk. 1..=16.
    pub next: u8,
}

impl Chunks {
    /// `(c0, c1)` as the papers write it.
    pub const fn new(first: u8, next: u8) -> Self {
        Self { first, next }
    }
}

impl fmt::Display for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.first, self.next)
    }
}

/// Appends `value`.
#[inline]
pub fn write(value: u64, chunks: Chunks, out: &mut BitWriter) {
    let size = u32::from(chunks.first);
    // most numbers fit one chunk
    if value >> size == 0 {
        return out.push(value, size + 1);
    }
    write_more(value, chunks, out);
}

#[inline(never)]
fn write_more(value: u64, chunks: Chunks, out: &mut BitWriter) {
    let mut rest = value;
    let mut size = u32::from(chunks.first);
    loop {
        let chunk = rest & ((1 << size) - 1);
        rest >>= size;
        let connect = u64::from(rest != 0);
        out.push(chunk | connect << size, size + 1);
        if connect == 0 {
            return;
        }
        size = u32::from(chunks.next);
    }
}

/// Number of bits that [`write()`] appends.
pub fn len(value: u64, chunks: Chunks) -> u32 {
    let bits = 64 - value.leading_zeros();
    let more = bits.saturating_sub(u32::from(chunks.first)).div_ceil(u32::from(chunks.next));
    u32::from(chunks.first) + 1 + more * (u32::from(chunks.next) + 1)
}

/// Reads a number of at most `bits` bits; `field` names it in errors.
#[inline]
pub fn read<I: Iterator<Item = u32>>(
    chunks: Chunks,
    field: &'static str,
    bits: u32,
    input: &mut BitReader<I>,
) -> Result<u64, CodingError> {
    let mut value = 0u64;
    let mut at = 0;
    let mut size = u32::from(chunks.first);
    loop {
        let got = input.take(size + 1).ok_or(CodingError::Truncated)?;
        let chunk = got & ((1 << size) - 1);
        if chunk != 0 && (at >= 64 || chunk > u64::MAX >> at) {
            return Err(CodingError::TooWide { field, bits });
        }
        value |= chunk.checked_shl(at).unwrap_or(0);
        if got >> size == 0 {
            if chunk == 0 && at != 0 {
                return Err(CodingError::ZeroChunk(field));
            }
            break;
        }
        at += size;
        // limits the chunks in damaged data: a number of this width has no further chunk
        if at >= bits {
            return Err(CodingError::TooWide { field, bits });
        }
        size = u32::from(chunks.next);
    }
    if bits < 64 && value >> bits != 0 {
        return Err(CodingError::TooWide { field, bits });
    }
    Ok(value)
}

/// Most chunks that [`Layout`] reads at once.
const AT_ONCE: usize = 8;
/// Numbers read with a [`Layout`] have at least this width.
const NARROWEST: u32 = 16;

/// The positions of chunks and connect bits of a field, from which [`Layout::read`] takes a number as a whole: chunk by chunk,
/// each connect bit is a branch that the machine mispredicts.
#[derive(Clone, Debug)]
pub struct Layout {
    sizes: Chunks,
    /// The connect bits of the first [`AT_ONCE`] chunks.
    connect: u64,
    /// Bits of the number that are in chunk i, which is i places higher in the stream.
    chunks: [u64; AT_ONCE],
    /// With fewer buffered bits, a number that does not end in them needs the next word: a number of [`NARROWEST`] bits is not
    /// yet known to be too wide, and it may end in one of the first [`AT_ONCE`] chunks.
    fetch: u32,
}

impl Layout {
    /// That of `sizes`.
    pub const fn new(sizes: Chunks) -> Self {
        let (first, next) = (sizes.first as u32, sizes.next as u32);
        let (mut connect, mut chunks) = (0, [0; AT_ONCE]);
        let (mut chunk, mut at, mut size) = (0, 0, first);
        // a number of at most 63 bits in the stream fits the buffer
        while chunk < AT_ONCE && at + size + (chunk as u32) < 63 {
            chunks[chunk] = ((1 << size) - 1) << at;
            at += size;
            connect |= 1 << (at + chunk as u32);
            chunk += 1;
            size = next;
        }
        let narrowest = first + 1 + (NARROWEST - first).div_ceil(next) * (next + 1);
        let at_once = at + chunk as u32;
        let fetch = if narrowest < at_once { narrowest } else { at_once };
        Self { sizes, connect, chunks, fetch }
    }

    /// As [`read`], for a field of at least 16 bits.
    #[inline(always)]
    pub fn read<I: Iterator<Item = u32>>(
        &self,
        field: &'static str,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        debug_assert!(bits >= NARROWEST);
        let (mut buffer, mut fill) = input.buffered();
        // if no connect bit says that the number ends: 65
        let mut len = (!buffer & self.connect).trailing_zeros() + 1;
        if len > fill && fill < self.fetch.min(32) && input.fetch() {
            (buffer, fill) = input.buffered();
            len = (!buffer & self.connect).trailing_zeros() + 1;
        }
        if len <= fill {
            let stream = buffer & (u64::MAX >> (64 - len));
            // written out: an iterator is not inlined in crates that are built with little optimization, such as cli
            let [a, b, c, d, e, f, g, h] = self.chunks;
            let low = stream & a | stream >> 1 & b | stream >> 2 & c | stream >> 3 & d;
            let value = low | stream >> 4 & e | stream >> 5 & f | stream >> 6 & g | stream >> 7 & h;
            let (first, next) = (u32::from(self.sizes.first) + 1, u32::from(self.sizes.next) + 1);
            let ends_in_zero = len > first && stream >> (len - next) == 0;
            if !ends_in_zero && value >> (bits - 1) >> 1 == 0 {
                input.skip(len);
                return Ok(value);
            }
        }
        self.read_by_chunk(field, bits, input)
    }

    /// Reads a number that is long, wrong, or at the end of the words.
    #[cold]
    #[inline(never)]
    fn read_by_chunk<I: Iterator<Item = u32>>(
        &self,
        field: &'static str,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        read(self.sizes, field, bits, input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use bitvec::prelude::*;
    use proptest::prelude::*;

    fn bits(value: u64, c0: u8, c1: u8) -> BitVec {
        let mut w = BitWriter::new();
        write(value, Chunks::new(c0, c1), &mut w);
        let n = w.len() as usize;
        w.pad();
        as_bits(w.words())[..n].iter().by_vals().collect()
    }

    /// Paper 002 section 4: three-bit chunks, `110` and connect 0 is 3 (least significant bit first);
    /// `110` 1 `010` 0 is `010_011`, 19.
    #[test]
    fn examples_of_paper_002_section_4() {
        assert_eq!(bits(3, 3, 3), bitvec![1, 1, 0, 0]);
        assert_eq!(bits(19, 3, 3), bitvec![1, 1, 0, 1, 0, 1, 0, 0]);
    }

    #[test]
    fn patterns_worked_by_hand() {
        assert_eq!(bits(0, 3, 2), bitvec![0, 0, 0, 0]);
        assert_eq!(bits(7, 3, 2), bitvec![1, 1, 1, 0]);
        // 8 = 01_000: the first chunk is zero, and is sent
        assert_eq!(bits(8, 3, 2), bitvec![0, 0, 0, 1, 1, 0, 0]);
        // 32 = 01_00_000
        assert_eq!(bits(32, 3, 2), bitvec![0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
        assert_eq!(bits(1, 1, 1), bitvec![1, 0]);
        assert_eq!(bits(2, 1, 1), bitvec![0, 1, 1, 0]);
    }

    #[test]
    fn zero_chunks_and_wide_values_are_refused() {
        let try_read = |value: u64, n: u32, bits| {
            let mut w = BitWriter::new();
            w.push(value, n);
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            read(Chunks::new(3, 2), "bCnt", bits, &mut BitReader::new(words.into_iter()))
        };
        // 3 bits of 1, connect, chunk 00, end
        assert_eq!(try_read(0b000_1001, 7, 20), Err(CodingError::ZeroChunk("bCnt")));
        assert_eq!(try_read(0b010_1001, 7, 20), Ok(17));
        assert_eq!(try_read(0b010_1001, 7, 4), Err(CodingError::TooWide { field: "bCnt", bits: 4 }));
        assert_eq!(try_read(0xffff_ffff, 32, 20), Err(CodingError::TooWide { field: "bCnt", bits: 20 }));
    }

    /// Bits that random numbers rarely have: the largest number, a last chunk of zeros, and all eight chunks that are read at once.
    #[test]
    fn the_largest_number_zero_chunks_and_all_chunks_at_once() {
        let words = |value: u64, chunks: Chunks| -> Vec<u32> {
            let mut w = BitWriter::new();
            write(value, chunks, &mut w);
            w.pad();
            w.drain().collect()
        };
        for chunks in [Chunks::new(3, 2), Chunks::new(8, 8), Chunks::new(1, 7)] {
            let mut input = BitReader::new(words(u64::MAX, chunks).into_iter());
            assert_eq!(read(chunks, "v", 64, &mut input), Ok(u64::MAX));
        }
        for chunks in [Chunks::new(2, 2), Chunks::new(3, 3), Chunks::new(4, 2)] {
            for bit in 0..u32::from(chunks.first) + 7 * u32::from(chunks.next) {
                let value = 1 << bit | 1;
                let mut input = BitReader::new(words(value, chunks).into_iter());
                assert_eq!(Layout::new(chunks).read("v", 32, &mut input), Ok(value), "{chunks:?}, bit {bit}");
            }
        }
        // wider than its counter, with zeros below
        for bit in 20..48 {
            let mut input = BitReader::new(words(1 << bit, Chunks::new(8, 8)).into_iter());
            let found = Layout::new(Chunks::new(8, 8)).read("v", 20, &mut input);
            assert_eq!(found, Err(CodingError::TooWide { field: "v", bits: 20 }), "bit {bit}");
        }
        // the last of nine chunks begins at bit 60 and ends beyond bit 63
        for (last, right) in [(0x0f, Ok(0xf << 60)), (0x10, Err(CodingError::TooWide { field: "v", bits: 64 }))] {
            let mut w = BitWriter::new();
            w.push(1 << 4, 5);
            (0..7).for_each(|_| w.push(1 << 8, 9));
            w.push(last, 9);
            w.pad();
            let mut input = BitReader::new(w.drain().collect::<Vec<_>>().into_iter());
            assert_eq!(read(Chunks::new(4, 8), "v", 64, &mut input), right);
        }
        // 3 bits of 1, connect, chunk 00, end, with enough words for the fast path
        let mut input = BitReader::new([0b000_1001, 0].into_iter());
        assert_eq!(Layout::new(Chunks::new(3, 2)).read("v", 20, &mut input), Err(CodingError::ZeroChunk("v")));
    }

    proptest! {
        #[test]
        fn values_round_trip_in_all_chunk_sizes(v: u64, shift in 0u32..64, c0 in 1u8..=16, c1 in 1u8..=16) {
            let (v, chunks) = (v >> shift, Chunks::new(c0, c1));
            let mut w = BitWriter::new();
            write(v, chunks, &mut w);
            prop_assert_eq!(w.len(), u64::from(len(v, chunks)));
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            prop_assert_eq!(read(chunks, "v", 64, &mut BitReader::new(words.into_iter())), Ok(v));
        }

        /// Whole numbers are read as chunk by chunk, in any words: the same values and errors, at the same positions, with
        /// the same words fetched.
        #[test]
        fn a_layout_reads_what_chunks_say(
            words in prop::collection::vec(prop_oneof![any::<u32>(), Just(0), Just(u32::MAX), any::<u32>().prop_map(|w| w | w >> 1)], 0..12),
            c0 in 1u8..=16, c1 in 1u8..=16, bits in 16u32..=64, skipped in 0u32..32,
        ) {
            let chunks = Chunks::new(c0, c1);
            let layout = Layout::new(chunks);
            let mut readers = [(); 2].map(|()| BitReader::new(words.clone().into_iter()));
            readers.iter_mut().for_each(|r| _ = r.take(skipped));
            let [one, other] = &mut readers;
            for _ in 0..200 {
                let value = layout.read("v", bits, one);
                prop_assert_eq!(&value, &read(chunks, "v", bits, other));
                prop_assert_eq!((one.position(), one.buffered()), (other.position(), other.buffered()));
                if value.is_err() {
                    break;
                }
            }
        }
    }
}
