//! The words of a run, packed and unpacked
//!
//! Most entries are what they were at the last time: behind the same blocks comes the same block, an instruction's next
//! access is as far from its last as that was from the one before, and a load finds what was stored. Both sides keep the
//! same tables, so an entry that is as expected is only counted. What is left is small, and goes to zstd.
//!
//! What is expected of an access, its place in the code remembers: one of the ways below, the one that was right when the
//! others were not. `k` is log2 of its size; what was loaded: by any instruction before.
//!
//! | way | address | value of a store |
//! | --- | --- | --- |
//! | 0 | the same step on | the same step on |
//! | 1 | as far from the access before | as far from what was loaded last |
//! | 2 | as far from what was loaded last, times 2^k: an index | as far from what was loaded before that |
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
//! | 144 to 152 | the place's ways are others: that of the address times 3, and that of the value |
//! | 192 and more | an access: bit 5: its kind follows; 4:3: address as expected, or 2, 4, 8 bytes from way 0; 2:0: value |
//!
//! Value: 0 as expected (of a load, what memory had), 1 to 4 of 1, 2, 4, 8 bytes, 5 as at the last time, 6 the same step on, 7 as 5 and 2 bytes.

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
const WAYS: u8 = 144;
const LAST_WAYS: u8 = WAYS + 8;
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
    /// Of address and value.
    ways: [u8; 2],
    address: u64,
    /// By way.
    places: [u64; 3],
    value: u64,
    /// By way.
    steps: [u64; 3],
}

/// What accesses were made before, wherever.
#[derive(Clone, Copy, Default)]
struct Before {
    address: u64,
    /// The last two values that were loaded.
    loaded: [u64; 2],
}

/// What both sides know.
struct Known {
    data: bool,
    next: Vec<u32>,
    slots: Vec<Slot>,
    memory: Shadow,
    before: Before,
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
            before: Before::default(),
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

    /// What is expected of the slot's access, if it is of this kind.
    #[inline]
    fn access(&self, slot: &Slot, kind: u32) -> (u64, u64) {
        let address = slot.place(kind, &self.before, slot.ways[0]);
        let value = if kind & layout::STORES == 0 {
            self.memory.value(address, size(kind))
        } else {
            slot.stored(kind, &self.before, slot.ways[1])
        };
        (address, value)
    }

    /// An access was made, as expected or not; memory knows.
    #[inline]
    fn made(&mut self, kind: u32, address: u64, value: u64, expected: bool) {
        let before = self.before;
        let slot = self.slot();
        if expected {
            // what the ways reckon with is what it was, where they are right
            (slot.address, slot.value) = (address, value);
        } else {
            slot.renew(&before, kind, address, value);
        }
        self.before.address = address;
        if kind & layout::LOADS != 0 {
            self.before.loaded = [value, before.loaded[0]];
        }
        self.place += 1;
    }

    /// What memory had, where an access has found or left `value`.
    #[inline]
    fn remember(&mut self, kind: u32, address: u64, value: u64) -> u64 {
        if kind & layout::STORES != 0 {
            return self.memory.set(address, size(kind), value);
        }
        let had = self.memory.value(address, size(kind));
        if had != value {
            self.memory.set(address, size(kind), value);
        }
        had
    }
}

impl Slot {
    /// From where a way reckons an address.
    #[inline]
    fn from(&self, kind: u32, before: &Before, way: u8) -> u64 {
        match way {
            0 => self.address,
            1 => before.address,
            _ => before.loaded[0] << (kind >> layout::SIZE_SHIFT & 3),
        }
    }

    /// The address that a way expects.
    #[inline]
    fn place(&self, kind: u32, before: &Before, way: u8) -> u64 {
        self.from(kind, before, way).wrapping_add(self.places[usize::from(way).min(2)])
    }

    /// The value that a way expects to be stored.
    #[inline]
    fn stored(&self, kind: u32, before: &Before, way: u8) -> u64 {
        let from = [self.value, before.loaded[0], before.loaded[1]];
        let way = usize::from(way).min(2);
        low(from[way].wrapping_add(self.steps[way]), size(kind))
    }

    /// An access was made.
    #[inline]
    fn renew(&mut self, before: &Before, kind: u32, address: u64, value: u64) {
        self.places = [0, 1, 2].map(|way| address.wrapping_sub(self.from(kind, before, way)));
        self.steps = [self.value, before.loaded[0], before.loaded[1]].map(|from| value.wrapping_sub(from));
        (self.kind, self.address, self.value) = (kind, address, value);
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
        let mut n = 0;
        // an escape never is
        while let Some(&word) = words.get(n).filter(|word| next[place(last)] == **word) {
            n += 1;
            if last == [word; 3] {
                // a loop of one block: as long as it is the same, it is expected
                n += words[n..].iter().position(|next| *next != word).unwrap_or(words.len() - n);
            }
            last = [word, last[0], last[1]];
        }
        *past = last;
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
        let had = self.known.remember(kind, address, value);
        let before = self.known.before;
        let slot = self.known.slot();
        let expected = if kind & layout::STORES == 0 { had } else { slot.stored(kind, &before, slot.ways[1]) };
        let hit = slot.kind == kind && value == expected && slot.place(kind, &before, slot.ways[0]) == address;
        if hit {
            self.hit();
        } else {
            self.other_access(kind, address, value, had);
        }
        self.known.made(kind, address, value, hit);
        true
    }

    /// One that is not as expected; memory had `had`.
    fn other_access(&mut self, kind: u32, address: u64, value: u64, had: u64) {
        let loads = kind & layout::STORES == 0;
        let before = self.known.before;
        let slot = *self.known.slot();
        let place = |way| slot.place(kind, &before, way);
        let stored = |way| slot.stored(kind, &before, way);
        let [mut of_place, mut of_value] = slot.ways;
        if place(of_place) != address {
            of_place = (0..3).find(|way| place(*way) == address).unwrap_or(of_place);
        }
        if !loads && stored(of_value) != value {
            of_value = (0..3).find(|way| stored(*way) == value).unwrap_or(of_value);
        }
        if slot.ways != [of_place, of_value] {
            self.code(WAYS + 3 * of_place + of_value);
            self.known.slot().ways = [of_place, of_value];
        }
        let off = address.wrapping_sub(place(0)) as i64;
        let places = &mut self.columns[2];
        let how_far = if place(of_place) == address {
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
        let expected = if loads { had } else { stored(of_value) };
        let next = low(slot.value.wrapping_add(slot.steps[0]), size(kind));
        let how = if value == expected { 0 } else { self.how([slot.value, next], kind, value) };
        let other = slot.kind != kind;
        self.code(ACCESS | u8::from(other) << 5 | how_far << 3 | how);
        if other {
            self.columns[1].extend_from_slice(&kind.to_le_bytes());
        }
    }

    /// The code of a value that was not expected; what it takes is written. `last`: of the place's last access; `next`: a
    /// step on.
    #[inline]
    fn how(&mut self, [last, next]: [u64; 2], kind: u32, value: u64) -> u8 {
        let size = size(kind);
        let values = &mut self.columns[3];
        if value == low(last, size) {
            return 5;
        }
        if value == next {
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
                WAYS..=LAST_WAYS => self.0.slot().ways = [(code - WAYS) / 3, (code - WAYS) % 3],
                ACCESS.. => {
                    let slot = *self.0.slot();
                    let kind = if code >> 5 & 1 != 0 { blocks.word()? } else { slot.kind };
                    let off = match code >> 3 & 3 {
                        0 => None,
                        1 => Some(i16::from_le_bytes(places.take()?).into()),
                        2 => Some(i32::from_le_bytes(places.take()?).into()),
                        _ => Some(i64::from_le_bytes(places.take()?)),
                    };
                    let before = self.0.before;
                    let address = match off {
                        None => slot.place(kind, &before, slot.ways[0]),
                        Some(off) => slot.place(kind, &before, 0).wrapping_add(off as u64),
                    };
                    let value = match code & 7 {
                        0 if kind & layout::STORES == 0 => self.0.memory.value(address, size(kind)),
                        0 => slot.stored(kind, &before, slot.ways[1]),
                        1 => values.take::<1>()?[0].into(),
                        2 => u16::from_le_bytes(values.take()?).into(),
                        3 => values.word()?.into(),
                        4 => u64::from_le_bytes(values.take()?),
                        5 => slot.value,
                        6 => slot.value.wrapping_add(slot.steps[0]),
                        _ => slot.value.wrapping_add(i16::from_le_bytes(values.take()?) as u64),
                    };
                    self.access(kind, address, low(value, size(kind)), false, words);
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

    fn access(&mut self, kind: u32, address: u64, value: u64, expected: bool, words: &mut Vec<u32>) {
        let head = layout::escape(layout::ACCESS, kind);
        words.extend([head, address as u32, (address >> 32) as u32, value as u32, (value >> 32) as u32]);
        self.0.remember(kind, address, value);
        self.0.made(kind, address, value, expected);
    }

    #[inline]
    fn expected(&mut self, words: &mut Vec<u32>) {
        if self.0.data {
            let slot = *self.0.slot();
            if slot.kind != 0 {
                let (address, value) = self.0.access(&slot, slot.kind);
                return self.access(slot.kind, address, value, true, words);
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
        // of the last access, whose parts others follow from
        let (mut last, mut loaded) = (0u64, 0u64);
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
                    2 => last,
                    3 => 0x7000_0000 + (loaded << shift),
                    _ => 0x10000 + 64 * u64::from(block) + 8 * (words.len() as u64 / 40),
                };
                let value = match r >> 12 & 3 {
                    0 => random(&mut x) << 8 | 7,
                    1 => loaded.wrapping_add(1),
                    _ => r >> 30 & 0xff,
                };
                let value = low(value, 1 << shift);
                (last, loaded) = (address, if kind & 1 != 0 { value } else { loaded });
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
    fn what_follows_from_what_was_loaded_is_expected() {
        let (mut words, mut x) = (Vec::new(), 3);
        let n = 20_000u32;
        let head = |place, size: u32, kind| escape(layout::ACCESS, place | size << layout::SIZE_SHIFT | kind);
        for i in 0..n {
            // a key, an entry of a table by the key, that entry and one, and the key where another table says
            let key = (random(&mut x) & 0xffff) as u32;
            words.push(5);
            words.extend([head(0, 2, layout::LOADS), 0x10_0000 + 4 * i, 0, key, 0]);
            words.extend([head(1, 3, layout::LOADS), 0x200_0000 + 8 * key, 0, i, 0]);
            words.extend([head(2, 3, layout::STORES), 0x200_0000 + 8 * key, 0, i + 1, 0]);
            words.extend([head(3, 2, layout::STORES), 0x400_0000 + 4 * i, 0, key, 0]);
        }
        let (found, size) = through(&words, true, 1 << 14);
        assert!(found == words);
        // two codes and the two values that nobody knows
        assert!(size < 8 * n as usize, "{size} bytes for {n} keys");
    }

    #[test]
    fn columns_that_end_early_are_refused() {
        for (codes, blocks) in [(&[BLOCK][..], &[1, 2, 3][..]), (&[WORDS], &[9, 0, 0, 0, 1]), (&[255], &[1, 0, 0, 0])] {
            assert_eq!(Unpacker::new(true).unpack([codes, blocks, &[], &[]], &mut Vec::new()), None);
        }
    }
}
