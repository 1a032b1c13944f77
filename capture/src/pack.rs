//! The words of a run, packed and unpacked
//!
//! Most entries are what they were at the last time: behind the same blocks comes the same block, an instruction's next
//! access is as far from its last as that was from the one before, and a load finds what was stored. Both sides keep the
//! same tables, so an entry that is as expected is only counted. What is left is small, and goes to zstd.
//!
//! # A frame
//! Its four columns' lengths in bytes (32 bits each), then the columns:
//!
//! | column | |
//! | --- | --- |
//! | codes | a byte each, below |
//! | words | blocks that were not expected, 32 bits; an escape's words behind their number |
//! | places | addresses: 2, 4 or 8 bytes of difference |
//! | values | 1, 2, 4 or 8 bytes |
//!
//! | code | |
//! | --- | --- |
//! | 0 to 127 | one more entries than that are as expected |
//! | 128 | a block |
//! | 129 | any words: their number, then they |
//! | 192 and more | an access: bit 5: its kind follows; 4:3: address as expected, or 2, 4, 8 bytes; 2:0: value |
//!
//! Value: 0 as memory had it, 1 to 4 of 1, 2, 4, 8 bytes, 5 as at the last time, 6 the same step on, 7 as 5 and 2 bytes.

use crate::layout::{self, ARGUMENT, ESCAPE};
use crate::memory::low;
use crate::shadow::Shadow;

/// Blocks that were expected behind others.
const BLOCKS: usize = 1 << 16;
/// Accesses of blocks, a power of 2.
const SLOTS: usize = 1 << 16;
/// Bytes of codes after which a frame ends; a frame's columns are some times as long.
const FRAME: usize = 1 << 16;

const BLOCK: u8 = 128;
const WORDS: u8 = 129;
const ACCESS: u8 = 192;
const MOST_RUN: u32 = 128;
/// Words after which packing makes a pause; a fraction of the ring.
pub(crate) const PORTION: usize = 1 << 17;
/// First byte of an access.
const ACCESS_HEAD: u32 = layout::escape(layout::ACCESS, 0) >> 24;

/// What an access was at the last time; kind 0: a block began in its place.
#[derive(Clone, Copy, Default)]
struct Slot {
    kind: u32,
    stride: u64,
    address: u64,
    value: u64,
    step: u64,
}

/// What both sides know.
struct Known {
    data: bool,
    next: Vec<u32>,
    slots: Vec<Slot>,
    memory: Shadow,
    /// The last block, and the two before it.
    past: [u32; 3],
    place: u32,
}

impl Known {
    fn new(data: bool) -> Self {
        let slots = if data { SLOTS } else { 1 };
        Self {
            data,
            next: vec![0; BLOCKS],
            slots: vec![Slot::default(); slots],
            memory: Shadow::new(data),
            past: [0; 3],
            place: 0,
        }
    }

    #[inline]
    fn expected(&mut self) -> &mut u32 {
        &mut self.next[place(self.past)]
    }

    #[inline]
    fn slot(&mut self) -> &mut Slot {
        let hash = self.past[0].wrapping_mul(31).wrapping_add(self.place);
        let last = self.slots.len() - 1;
        &mut self.slots[hash as usize & last]
    }

    /// A block began.
    #[inline]
    fn begun(&mut self, block: u32) {
        if self.data {
            self.slot().kind = 0;
        }
        self.past = [block, self.past[0], self.past[1]];
        self.place = 0;
    }

    /// What an access of this kind and address is expected to have as value.
    #[inline]
    fn value(&mut self, kind: u32, address: u64) -> u64 {
        if kind & layout::STORES == 0 {
            return self.memory.value(address, size(kind));
        }
        let slot = self.slot();
        low(slot.value.wrapping_add(slot.step), size(kind))
    }
}

impl Slot {
    /// An access was made.
    #[inline]
    fn renew(&mut self, kind: u32, address: u64, value: u64) {
        *self = Self {
            kind,
            stride: address.wrapping_sub(self.address),
            address,
            value,
            step: value.wrapping_sub(self.value),
        };
    }
}

/// Where it stands what came behind three blocks.
#[inline]
fn place([a, b, c]: [u32; 3]) -> usize {
    let hash = a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca6b).rotate_left(7) ^ c.wrapping_mul(0xc2b2_ae35);
    (hash >> 16) as usize % BLOCKS
}

#[inline]
fn size(kind: u32) -> u8 {
    1 << (kind >> layout::SIZE_SHIFT & 3)
}

fn wide(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// Packs words to frames.
pub(crate) struct Packer {
    known: Known,
    run: u32,
    columns: [Vec<u8>; 4],
}

impl Packer {
    /// Of a run with loads and stores, or without.
    pub(crate) fn new(data: bool) -> Self {
        Self { known: Known::new(data), run: 0, columns: Default::default() }
    }

    /// Packs whole entries, and hands out frames. Words without sense, and an entry that is cut, are kept as they are.
    /// Says how many words it took: all, or after the first that are [`PORTION`] the end of an entry.
    pub(crate) fn pack<E>(&mut self, words: &[u32], mut frame: impl FnMut(&[u8]) -> Result<(), E>) -> Result<usize, E> {
        let mut rest = words;
        loop {
            if !self.known.data {
                rest = &rest[self.expected(rest)..];
            }
            let Some(&word) = rest.first() else { break };
            let n = if word & ESCAPE == 0 {
                self.block(word);
                1
            } else if word >> 24 == ACCESS_HEAD && rest.first_chunk().is_some_and(|entry| self.access(entry)) {
                5
            } else {
                self.others(rest)
            };
            rest = &rest[n..];
            if self.columns[0].len() >= FRAME || self.columns[1].len() >= 4 * FRAME {
                self.end(&mut frame)?;
            }
            if words.len() - rest.len() >= PORTION {
                break;
            }
        }
        Ok(words.len() - rest.len())
    }

    /// Blocks at the front that are as expected, where there are no accesses: how many.
    fn expected(&mut self, words: &[u32]) -> usize {
        let Known { next, past, .. } = &mut self.known;
        let next = &next[..BLOCKS];
        let mut last = *past;
        // an escape never is
        let unlike = words.iter().position(|word| {
            let expected = next[place(last)] == *word;
            if expected {
                last = [*word, last[0], last[1]];
            }
            !expected
        });
        *past = last;
        let n = unlike.unwrap_or(words.len());
        let run = self.run as usize + n;
        self.columns[0].extend(std::iter::repeat_n((MOST_RUN - 1) as u8, run / MOST_RUN as usize));
        self.run = run as u32 % MOST_RUN;
        n
    }

    /// An entry that is kept as it is.
    #[cold]
    fn others(&mut self, words: &[u32]) -> usize {
        let n = crate::words::length(words[0]).unwrap_or(1).clamp(1, words.len());
        self.code(WORDS);
        self.columns[1].extend((n as u32).to_le_bytes());
        self.columns[1].extend(words[..n].iter().flat_map(|w| w.to_le_bytes()));
        n
    }

    /// Ends the frame.
    pub(crate) fn end<E>(&mut self, mut frame: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.end_run();
        let lengths = self.columns.each_ref().map(|c| (c.len() as u32).to_le_bytes());
        if lengths.as_flattened().iter().any(|b| *b != 0) {
            frame(lengths.as_flattened())?;
        }
        for column in &mut self.columns {
            if !column.is_empty() {
                frame(column)?;
                column.clear();
            }
        }
        Ok(())
    }

    #[inline]
    fn end_run(&mut self) {
        if self.run > 0 {
            self.columns[0].push((self.run - 1) as u8);
            self.run = 0;
        }
    }

    #[inline]
    fn hit(&mut self) {
        self.run += 1;
        if self.run == MOST_RUN {
            self.end_run();
        }
    }

    #[inline]
    fn code(&mut self, code: u8) {
        self.end_run();
        self.columns[0].push(code);
    }

    #[inline]
    fn block(&mut self, block: u32) {
        let behind = !self.known.data || self.known.slot().kind == 0;
        let expected = self.known.expected();
        if *expected == block && behind {
            self.hit();
        } else {
            *expected = block;
            self.code(BLOCK);
            self.columns[1].extend_from_slice(&block.to_le_bytes());
        }
        self.known.begun(block);
    }

    /// False: the words are none, or none that can be told so.
    #[inline]
    fn access(&mut self, words: &[u32; 5]) -> bool {
        let (kind, address, value) = (words[0] & ARGUMENT, wide(&words[1..]), wide(&words[3..]));
        if kind == 0 || low(value, size(kind)) != value || !self.known.data {
            return false;
        }
        let before = self.known.memory.set(address, size(kind), value);
        let slot = self.known.slot();
        let Slot { value: last, step, .. } = *slot;
        let other = slot.kind != kind;
        let off = address.wrapping_sub(slot.address).wrapping_sub(slot.stride) as i64;
        slot.renew(kind, address, value);
        self.known.place += 1;
        let next = low(last.wrapping_add(step), size(kind));
        let expected = if kind & layout::STORES != 0 { next } else { before };
        if !other && off == 0 && value == expected {
            self.hit();
        } else {
            let places = &mut self.columns[2];
            let place = if off == 0 {
                0
            } else if let Ok(off) = i16::try_from(off) {
                places.extend_from_slice(&off.to_le_bytes());
                1
            } else if let Ok(off) = i32::try_from(off) {
                places.extend_from_slice(&off.to_le_bytes());
                2
            } else {
                places.extend_from_slice(&off.to_le_bytes());
                3
            };
            let how = self.how([expected, last, next], kind, value);
            self.code(ACCESS | u8::from(other) << 5 | place << 3 | how);
            if other {
                self.columns[1].extend_from_slice(&kind.to_le_bytes());
            }
        }
        true
    }

    /// A value's code; what it takes is written. `last`: of the place's last access; `next`: a step on.
    #[inline]
    fn how(&mut self, [expected, last, next]: [u64; 3], kind: u32, value: u64) -> u8 {
        let size = size(kind);
        let values = &mut self.columns[3];
        let stores = kind & layout::STORES != 0;
        if value == expected {
            return if stores { 6 } else { 0 };
        }
        if value == low(last, size) {
            return 5;
        }
        if !stores && value == next {
            return 6;
        }
        if let Ok(byte) = u8::try_from(value) {
            values.push(byte);
            return 1;
        }
        // narrower than the value itself, which is of 4 bytes and more then
        let off = value.wrapping_sub(last);
        let off = if size < 8 { i64::from(off as i32) } else { off as i64 };
        if let Ok(off) = i16::try_from(off) {
            if size >= 4 {
                values.extend_from_slice(&off.to_le_bytes());
                return 7;
            }
        }
        let (how, bytes) = if value <= u16::MAX.into() {
            (2, 2)
        } else if value <= u32::MAX.into() {
            (3, 4)
        } else {
            (4, 8)
        };
        values.extend_from_slice(&value.to_le_bytes()[..bytes]);
        how
    }
}

/// Unpacks frames to words.
pub(crate) struct Unpacker(Known);

/// Takes what a column has next.
struct Column<'a>(&'a [u8]);

impl Column<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
}

impl Unpacker {
    /// Of a run with loads and stores, or without.
    pub(crate) fn new(data: bool) -> Self {
        Self(Known::new(data))
    }

    /// Appends the words of a frame's columns; `None` where they are none.
    pub(crate) fn unpack(&mut self, columns: [&[u8]; 4], words: &mut Vec<u32>) -> Option<()> {
        let [codes, mut blocks, mut places, mut values] = columns.map(Column);
        for &code in codes.0 {
            match code {
                0..BLOCK => (0..=code).for_each(|_| self.expected(words)),
                BLOCK => {
                    let block = blocks.word()?;
                    *self.0.expected() = block;
                    self.0.begun(block);
                    words.push(block);
                }
                ACCESS.. => {
                    let slot = *self.0.slot();
                    let kind = if code >> 5 & 1 != 0 { blocks.word()? } else { slot.kind };
                    let off = match code >> 3 & 3 {
                        0 => 0,
                        1 => i16::from_le_bytes(places.take()?).into(),
                        2 => i32::from_le_bytes(places.take()?).into(),
                        _ => i64::from_le_bytes(places.take()?),
                    };
                    let address = slot.address.wrapping_add(slot.stride).wrapping_add(off as u64);
                    let value = match code & 7 {
                        0 => self.0.memory.value(address, size(kind)),
                        1 => values.take::<1>()?[0].into(),
                        2 => u16::from_le_bytes(values.take()?).into(),
                        3 => values.word()?.into(),
                        4 => u64::from_le_bytes(values.take()?),
                        5 => slot.value,
                        6 => slot.value.wrapping_add(slot.step),
                        _ => slot.value.wrapping_add(i16::from_le_bytes(values.take()?) as u64),
                    };
                    self.access(kind, address, low(value, size(kind)), words);
                }
                _ => {
                    let n = blocks.word()? as usize;
                    let (told, rest) = blocks.0.split_at_checked(n.checked_mul(4)?)?;
                    blocks.0 = rest;
                    words.extend(told.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
                }
            }
        }
        Some(())
    }

    fn access(&mut self, kind: u32, address: u64, value: u64, words: &mut Vec<u32>) {
        let head = layout::escape(layout::ACCESS, kind);
        words.extend([head, address as u32, (address >> 32) as u32, value as u32, (value >> 32) as u32]);
        self.0.memory.set(address, size(kind), value);
        self.0.slot().renew(kind, address, value);
        self.0.place += 1;
    }

    #[inline]
    fn expected(&mut self, words: &mut Vec<u32>) {
        if self.0.data {
            let slot = *self.0.slot();
            if slot.kind != 0 {
                let address = slot.address.wrapping_add(slot.stride);
                let value = self.0.value(slot.kind, address);
                return self.access(slot.kind, address, value, words);
            }
        }
        let block = *self.0.expected();
        self.0.begun(block);
        words.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::escape;

    /// Packed in portions, unpacked again; and the bytes that it took.
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

    /// Blocks with accesses, escapes between them, and words without sense.
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
                // also where portions cut entries, which the ring never does
                for portion in [usize::MAX, 1000, 7, 1] {
                    assert!(through(&words, data, portion).0 == words, "seed {seed}, data {data}, portion {portion}");
                }
            }
        }
        // frames
        let words = some(99, 1 << 19);
        assert!(through(&words, true, 1 << 16).0 == words);
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
