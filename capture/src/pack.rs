//! Compression of the words of a run; [`crate::unpack`] is the inverse
//!
//! Most entries repeat earlier behaviour: the same blocks are followed by the same block, an instruction's next access
//! has the same stride as the one before, and a load returns what was stored. Both sides keep the same tables
//! ([`crate::known`]), so an entry that is as expected is only counted. The rest is small, and is compressed with zstd.
//!
//! For random accesses the processor mispredicts every branch on them, and each misprediction costs as much as twenty
//! operations. So the code of an access is computed without branches; only the check whether it is as expected is a
//! branch.
//!
//! # A frame
//! The lengths of its four columns in bytes (32 bits each), then the columns:
//!
//! | column | |
//! | --- | --- |
//! | codes | one byte each, see below |
//! | words | unexpected blocks, 32 bits; the words of an escape after their count; kinds |
//! | places | addresses: 2, 4 or 8 bytes of difference |
//! | values | 1, 2, 4 or 8 bytes |
//!
//! | code | |
//! | --- | --- |
//! | 0 to 124 | code + 1 entries are as expected |
//! | 125 | a block |
//! | 126 | any words: their count, then the words |
//! | 127 | the kind of the access that follows |
//! | 128 and more | an access: bits 6:4 its address, 3:0 its value |
//!
//! Address: 0 to 2 guesses as in [`PLACES`](crate::known::PLACES), 3 to 5 a difference from the first guess in 2, 4, 8
//! bytes. Value: 0 to 5 guesses as in [`VALUES`](crate::known::VALUES), 6 to 9 the value in 1, 2, 4, 8 bytes, 10 and 11
//! a difference from the last value in 2 or 4 bytes.

use crate::layout::{self, ARGUMENT, ESCAPE};
use crate::prediction_state::{bits, log_size, mask, Access, Position, PredictionState, LAST, PLACES, VALUES};

/// Bytes of codes after which a frame ends; its other columns are several times as long.
const FRAME: usize = 1 << 16;
/// Words after which a frame ends, however few bytes they take: a loop takes next to none, and a frame is unpacked as a
/// whole.
pub(crate) const FRAME_WORDS: usize = 1 << 22;

pub(crate) const BLOCK: u8 = 125;
pub(crate) const WORDS: u8 = 126;
pub(crate) const KIND: u8 = 127;
pub(crate) const ACCESS: u8 = 128;
const MAX_RUN: usize = 125;
/// Words after which packing pauses; a fraction of the ring.
pub(crate) const PORTION: usize = 1 << 17;
/// Words that are packed between two checks of the columns' capacity.
const PACK_WORDS: usize = 1 << 12;
/// Upper byte of the first word of an access.
const ACCESS_HEAD: u32 = layout::escape(layout::ACCESS, 0) >> 24;

/// Bytes of an address, by code.
pub(crate) const ADDRESS_BYTES: [u8; 8] = [0, 0, 0, 2, 4, 8, 0, 0];
/// Bytes of a value, by code.
pub(crate) const VALUE_BYTES: [u8; 16] = [0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 2, 4, 0, 0, 0, 0];
/// First codes of an explicit address, of an explicit value, and of a difference of values.
const PLACE: u8 = PLACES as u8;
const VALUE: u8 = VALUES as u8;
pub(crate) const DIFFERENCE: u8 = VALUE + 4;

/// How many of the difference encodings are too short for it: 2 bytes, and 4.
#[inline]
fn too_short(difference: i64) -> u8 {
    u8::from(difference != i64::from(difference as i16)) + u8::from(difference != i64::from(difference as i32))
}

/// How many of the value encodings are too short for it: 1 byte, 2, and 4.
#[inline]
fn too_short_plain(value: u64) -> u8 {
    u8::from(value > 0xff) + u8::from(value > 0xffff) + u8::from(value > 0xffff_ffff)
}

/// A column of a frame.
#[derive(Default)]
struct Column {
    /// Bytes from `at` on are unused.
    bytes: Vec<u8>,
    at: usize,
}

impl Column {
    /// Reserves space for `more` bytes, and for the excess bytes that [`Column::put`] writes.
    fn reserve(&mut self, more: usize) {
        let need = self.at + more + 8;
        if self.bytes.len() < need {
            self.bytes.resize(need.next_power_of_two(), 0);
        }
    }

    /// Appends the lowest bytes of a word; space must be reserved.
    #[inline]
    fn put(&mut self, word: u64, bytes: usize) {
        self.bytes[self.at..self.at + 8].copy_from_slice(&word.to_le_bytes());
        self.at += bytes;
    }

    fn extend(&mut self, words: &[u32]) {
        self.reserve(4 * words.len());
        words.iter().for_each(|w| self.put((*w).into(), 4));
    }

    fn written(&self) -> &[u8] {
        &self.bytes[..self.at]
    }
}

/// Packs words into frames.
pub(crate) struct Packer {
    known: PredictionState,
    now: Position,
    run: usize,
    /// Words of the frame.
    words: usize,
    columns: [Column; 4],
}

impl Packer {
    /// A packer for a run with or without loads and stores.
    pub(crate) fn new(data: bool) -> Self {
        Self {
            known: PredictionState::new(data),
            now: Position::default(),
            run: 0,
            words: 0,
            columns: Default::default(),
        }
    }

    /// Packs whole entries, and passes frames to `frame`. Invalid words and an incomplete entry are stored unchanged.
    /// Returns the number of words taken: all, or those up to the first end of an entry after [`PORTION`] words.
    pub(crate) fn pack<E>(&mut self, words: &[u32], mut frame: impl FnMut(&[u8]) -> Result<(), E>) -> Result<usize, E> {
        let mut taken = 0;
        while taken < words.len().min(PORTION) {
            for column in &mut self.columns {
                column.reserve(16 * PACK_WORDS);
            }
            let rest = &words[taken..];
            let n = if self.known.data { self.accesses(rest) } else { self.blocks(rest) };
            taken += n;
            self.words += n;
            if self.columns[0].at >= FRAME || self.columns[1].at >= 4 * FRAME || self.words >= FRAME_WORDS {
                self.end(&mut frame)?;
            }
        }
        Ok(taken)
    }

    /// Packs some entries of a run without accesses, and returns their number of words.
    fn blocks(&mut self, words: &[u32]) -> usize {
        let mut at = 0;
        while at < words.len().min(PACK_WORDS) {
            let n = self.known.blocks(&mut self.now, &words[at..]);
            self.run += n;
            at += n;
            let Some(&word) = words.get(at) else { break };
            at += if word & ESCAPE == 0 {
                *self.known.block(self.now) = word;
                self.block(self.run, word);
                self.known.begin_block(&mut self.now, word);
                1
            } else {
                self.others(&words[at..])
            };
        }
        at
    }

    /// Packs some entries of a run with accesses, and returns their number of words.
    fn accesses(&mut self, words: &[u32]) -> usize {
        let (mut at, mut now, mut run) = (0, self.now, self.run);
        while at < words.len().min(PACK_WORDS) {
            let word = words[at];
            let head = self.known.head(now);
            if word & ESCAPE == 0 {
                at += 1;
                let expected = self.known.block(now);
                if *expected == word && head == 0 {
                    run += 1;
                } else {
                    *expected = word;
                    self.block(std::mem::take(&mut run), word);
                }
                self.known.begin_block(&mut now, word);
                continue;
            }
            if let Some(entry) = words[at..].first_chunk::<5>() {
                let access = Access { head: word, address: wide(&entry[1..]), value: wide(&entry[3..]) };
                let expected =
                    head == word && (self.known.matches_common(now, access) || self.known.matches_rare(now, access));
                if expected {
                    run += 1;
                    now.accessed(access);
                    at += 5;
                    continue;
                }
                if word >> 24 == ACCESS_HEAD && word & ARGUMENT != 0 && access.value & !mask(word) == 0 {
                    self.access(std::mem::take(&mut run), now, access);
                    now.accessed(access);
                    at += 5;
                    continue;
                }
            }
            self.run = std::mem::take(&mut run);
            at += self.others(&words[at..]);
        }
        (self.now, self.run) = (now, run);
        at
    }

    /// Packs a block that is not as expected, after `run` entries that were.
    #[inline(never)]
    fn block(&mut self, run: usize, block: u32) {
        self.run = run;
        self.code(BLOCK);
        self.columns[1].put(block.into(), 4);
    }

    /// Packs an access that is not as expected.
    #[inline(always)]
    fn access(&mut self, run: usize, now: Position, access: Access) {
        self.run = run;
        let Access { head, address, value } = access;
        if self.known.head(now) != head {
            self.other_kind(now, head);
        }
        let places = self.known.places(now, head);
        let off = address.wrapping_sub(places[0]) as i64;
        let place = first(places, address, PLACE + too_short(off));
        let held = self.known.memory.value(address, log_size(head));
        self.known.memory.set(address, log_size(head), value);
        let values = self.known.values(now, head, held);
        let how = if value == values[0] { 0 } else { self.value(head, value, values) };
        self.code(ACCESS | place << 4 | how);
        self.columns[2].put(off as u64, ADDRESS_BYTES[usize::from(place % 8)].into());
        self.known.update_missed(now, [place, how], access, held);
    }

    /// The code of a value that does not match the first guess; writes the bytes of the value.
    #[inline(always)]
    fn value(&mut self, head: u32, value: u64, guesses: [u64; VALUES]) -> u8 {
        let difference = signed(value.wrapping_sub(guesses[LAST]), bits(head));
        // a 2-byte difference is shorter than a 4-byte value, a 4-byte one than an 8-byte value
        let (short, plain) = (too_short(difference), too_short_plain(value));
        let differs = short + 1 < plain;
        let code = if differs { DIFFERENCE + short } else { VALUE + plain };
        let reported = if differs { difference as u64 } else { value };
        let how = first(guesses, value, code);
        self.columns[3].put(reported, VALUE_BYTES[usize::from(how % 16)].into());
        how
    }

    #[cold]
    fn other_kind(&mut self, now: Position, head: u32) {
        self.known.set_head(now, head);
        self.code(KIND);
        self.columns[1].put(head.into(), 4);
    }

    /// Stores an entry unchanged.
    #[cold]
    fn others(&mut self, words: &[u32]) -> usize {
        let n = crate::words::length(words[0]).unwrap_or(1).clamp(1, words.len());
        self.code(WORDS);
        let column = &mut self.columns[1];
        column.extend(&[n as u32]);
        column.extend(&words[..n]);
        column.reserve(16 * PACK_WORDS);
        n
    }

    /// Ends the frame.
    pub(crate) fn end<E>(&mut self, mut frame: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.columns[0].reserve(1);
        self.end_run();
        self.words = 0;
        let lengths = self.columns.each_ref().map(|c| (c.at as u32).to_le_bytes());
        if lengths.as_flattened().iter().any(|b| *b != 0) {
            frame(lengths.as_flattened())?;
        }
        for column in &mut self.columns {
            if column.at != 0 {
                frame(column.written())?;
                column.at = 0;
            }
        }
        Ok(())
    }

    #[inline]
    fn end_run(&mut self) {
        if self.run > MAX_RUN {
            self.long_run();
        }
        let run = std::mem::take(&mut self.run);
        self.columns[0].put((run as u64).wrapping_sub(1), usize::from(run > 0));
    }

    #[cold]
    fn long_run(&mut self) {
        let n = (self.run - 1) / MAX_RUN;
        self.run -= n * MAX_RUN;
        let codes = &mut self.columns[0];
        codes.reserve(n);
        (0..n).for_each(|_| codes.put(MAX_RUN as u64 - 1, 1));
        codes.reserve(16 * PACK_WORDS);
    }

    #[inline]
    fn code(&mut self, code: u8) {
        self.end_run();
        self.columns[0].put(code.into(), 1);
    }
}

/// Index of the first guess that is right, otherwise `code`, which is above all indices.
#[inline]
fn first<const N: usize>(guesses: [u64; N], right: u64, code: u8) -> u8 {
    let hits = guesses.iter().rev().fold(0u32, |hits, guess| hits << 1 | u32::from(*guess == right));
    (hits | 1 << code).trailing_zeros() as u8
}

/// The low bits of a difference, sign-extended.
#[inline]
pub(crate) fn signed(difference: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((difference << shift) as i64) >> shift
}

#[inline]
fn wide(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::escape;
    use crate::memory::low;
    use crate::unpack::Unpacker;

    /// Packs words in portions and unpacks them; returns the words and the packed size.
    fn through(words: &[u32], data: bool, portion: usize) -> (Vec<u32>, usize) {
        let (mut packer, mut packed) = (Packer::new(data), Vec::new());
        for mut part in words.chunks(portion) {
            while !part.is_empty() {
                let taken = packer.pack(part, |b| {
                    packed.extend_from_slice(b);
                    Ok::<_, ()>(())
                });
                part = &part[taken.unwrap()..];
            }
        }
        packer
            .end(|b| {
                packed.extend_from_slice(b);
                Ok::<_, ()>(())
            })
            .unwrap();
        let (mut unpacker, mut found, mut rest) = (Unpacker::new(data), Vec::new(), &packed[..]);
        while let Some((lengths, mut body)) = rest.split_first_chunk::<16>() {
            let columns = [0, 1, 2, 3].map(|i| {
                let n = u32::from_le_bytes(*lengths[4 * i..].first_chunk().unwrap()) as usize;
                let (column, behind) = body.split_at(n);
                body = behind;
                column
            });
            unpacker.unpack(columns, &mut found).unwrap();
            rest = body;
        }
        (found, packed.len())
    }

    fn random(x: &mut u64) -> u64 {
        *x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *x >> 20
    }

    /// Blocks with accesses, escapes between them, and invalid words.
    fn some(seed: u64, n: usize) -> Vec<u32> {
        let (mut words, mut x) = (Vec::new(), seed);
        while words.len() < n {
            let block = (random(&mut x) % 9) as u32;
            words.push(block);
            for place in 0..block % 4 {
                let r = random(&mut x);
                let shift = (block + place) & 3;
                let kind = if r & 63 == 0 { 1 + r as u32 % 3 } else { 1 + (block + place) % 3 };
                let address = match r >> 8 & 7 {
                    0 => random(&mut x) << 20,
                    1 => 0x4000_0ffd + (r >> 16 & 7),
                    _ => 0x10000 + 64 * u64::from(block) + 8 * (words.len() as u64 / 40),
                };
                let value = low(if r >> 12 & 3 == 0 { random(&mut x) << 8 | 7 } else { r >> 30 & 0xff }, 1 << shift);
                let head = escape(layout::ACCESS, place | (shift << layout::SIZE_SHIFT) | (kind * layout::LOADS));
                words.extend([head, address as u32, (address >> 32) as u32, value as u32, (value >> 32) as u32]);
            }
            match random(&mut x) % 50 {
                0 => words.push(escape(layout::THREAD, 3)),
                1 => words.extend([escape(layout::BLOCK, 2), u32::MAX, 7]),
                2 => words.push(u32::MAX),
                3 => words.extend([escape(layout::ACCESS, 0), 1, 2, 3, u32::MAX]),
                _ => {}
            }
        }
        words
    }

    #[test]
    fn words_come_back_in_any_portions() {
        for seed in 0..40 {
            let words = some(seed, 4000);
            for data in [false, true] {
                // also if portions cut entries, which the ring never does
                for portion in [usize::MAX, 1000, 7, 1] {
                    assert!(through(&words, data, portion).0 == words, "seed {seed}, data {data}, portion {portion}");
                }
            }
        }
        // several frames
        let words = some(99, 1 << 19);
        assert!(through(&words, true, 1 << 16).0 == words);
    }

    /// The words of an access.
    fn access(kind: u32, shift: u32, address: u64, value: u64) -> [u32; 5] {
        let head = escape(layout::ACCESS, 1 | shift << layout::SIZE_SHIFT | kind);
        let value = low(value, 1 << shift);
        [head, address as u32, (address >> 32) as u32, value as u32, (value >> 32) as u32]
    }

    #[test]
    fn every_length_of_an_address_and_a_value_comes_back() {
        let (mut words, mut x) = (Vec::new(), 7);
        for round in 0..40_000u32 {
            words.push(round % 5);
            let kind = if round & 1 == 0 { layout::LOADS } else { layout::STORES };
            let r = random(&mut x);
            // near a power of 2, from zero and from a fixed number
            let near = |bits: u64| (1u64 << (bits % 64)).wrapping_add(bits >> 6 & 3).wrapping_sub(2);
            let from = |bits: u64| [0u64, 0x7f12_3456_789a][(bits & 1) as usize];
            let address = from(r >> 1).wrapping_add(near(r >> 2));
            let value = from(r >> 17).wrapping_add(near(r >> 18)).wrapping_mul([1, u64::MAX][(r >> 30 & 1) as usize]);
            words.extend(access(kind, (r >> 32) as u32 & 3, address, value));
        }
        assert!(through(&words, true, usize::MAX).0 == words);
    }

    #[test]
    fn guesses_beyond_the_first_are_found() {
        // a histogram: a random index, and the load and store of its counter
        let (mut words, mut counts, mut x) = (Vec::new(), [0u64; 64], 3);
        for i in 0..20_000u64 {
            let key = random(&mut x);
            let count = &mut counts[(key & 63) as usize];
            let at = 0x5000 + 8 * (key & 63);
            words.push(4);
            words.extend(access(layout::LOADS, 2, 0x10_0000 + 4 * i, key));
            words.extend(access(layout::LOADS, 3, at, *count));
            words.extend(access(layout::STORES, 3, at, *count + 1));
            words.extend(access(layout::STORES, 2, 0x80_0000 + 4 * *count, key));
            *count += 1;
        }
        let (found, size) = through(&words, true, usize::MAX);
        assert!(found == words);
        // the key takes 4 bytes, its counter 2, and three codes; with one guess fewer it is a code or two more
        assert!(size < 20_000 * 19 / 2, "{size} bytes");
    }

    #[test]
    fn what_repeats_takes_almost_nothing() {
        let mut words = Vec::new();
        for i in 0..20_000u32 {
            let load = escape(layout::ACCESS, 1 | 3 << layout::SIZE_SHIFT | layout::LOADS);
            let store = escape(layout::ACCESS, 2 | 3 << layout::SIZE_SHIFT | layout::STORES);
            words.extend([5, store, 0x1000 + 8 * i, 0, 3 * i, 0, 6, load, 0x1000 + 8 * i, 0, 3 * i, 0]);
        }
        let (found, size) = through(&words, true, 1 << 14);
        assert!(found == words);
        assert!(size < 1500, "{size} bytes of {}", 4 * words.len());
    }

    #[test]
    fn columns_that_end_early_are_refused() {
        for (codes, blocks) in [(&[BLOCK][..], &[1, 2, 3][..]), (&[WORDS], &[9, 0, 0, 0, 1]), (&[255], &[1, 0, 0, 0])] {
            assert_eq!(Unpacker::new(true).unpack([codes, blocks, &[], &[]], &mut Vec::new()), None);
        }
    }
}
