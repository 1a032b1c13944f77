//! Decompression of the words of a run, the inverse of [`crate::pack`]

use crate::pack::{signed, ACCESS, ADDRESS_BYTES, BLOCK, DIFFERENCE, KIND, VALUE_BYTES, WORDS};
use crate::prediction_state::{log_size, mask, Access, Position, PredictionState, LAST};

/// Unpacks frames into words.
pub(crate) struct Unpacker {
    known: PredictionState,
    now: Position,
}

/// The rest of a column.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Takes up to 8 bytes as a number; `None` if there are not enough.
    fn take(&mut self, bytes: u8) -> Option<u64> {
        let (reported, rest) = self.0.split_at_checked(bytes.into())?;
        self.0 = rest;
        (bytes != 0).then(|| reported.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    /// Takes up to 8 bytes as a signed number.
    fn take_signed(&mut self, bytes: u8) -> Option<u64> {
        Some(signed(self.take(bytes)?, 8 * u32::from(bytes)) as u64)
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4).map(|n| n as u32)
    }
}

impl Unpacker {
    /// An unpacker for a run with or without loads and stores.
    pub(crate) fn new(data: bool) -> Self {
        Self { known: PredictionState::new(data), now: Position::default() }
    }

    /// Appends the words of a frame's columns; `None` if they are invalid.
    pub(crate) fn unpack(&mut self, columns: [&[u8]; 4], words: &mut Vec<u32>) -> Option<()> {
        let Self { known, now } = self;
        let [codes, mut blocks, mut places, mut values] = columns.map(Rest);
        for &code in codes.0 {
            match code {
                0..BLOCK => (0..=code).for_each(|_| expected(known, now, words)),
                BLOCK => {
                    let block = blocks.word()?;
                    *known.block(*now) = block;
                    known.begin_block(now, block);
                    words.push(block);
                }
                WORDS => {
                    let n = blocks.word()? as usize;
                    let (reported, rest) = blocks.0.split_at_checked(n.checked_mul(4)?)?;
                    blocks.0 = rest;
                    words.extend(reported.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
                }
                KIND if known.data => known.set_head(*now, blocks.word()?),
                ACCESS.. if known.data => {
                    let (place, how) = (code >> 4 & 7, code & 15);
                    let head = known.head(*now);
                    let guesses = known.places(*now, head);
                    let address = match guesses.get(usize::from(place)) {
                        Some(address) => *address,
                        None => guesses[0].wrapping_add(places.take_signed(ADDRESS_BYTES[usize::from(place)])?),
                    };
                    let held = known.memory.value(address, log_size(head));
                    let guesses = known.values(*now, head, held);
                    let bytes = VALUE_BYTES[usize::from(how)];
                    let value = match guesses.get(usize::from(how)) {
                        Some(value) => *value,
                        None if how < DIFFERENCE => values.take(bytes)?,
                        None => guesses[LAST].wrapping_add(values.take_signed(bytes)?),
                    };
                    let access = Access { head, address, value: value & mask(head) };
                    known.memory.set(address, log_size(head), access.value);
                    known.update_missed(*now, [place, how], access, held);
                    now.accessed(access);
                    push(words, access);
                }
                _ => return None,
            }
        }
        Some(())
    }
}

fn push(words: &mut Vec<u32>, Access { head, address, value }: Access) {
    words.extend([head, address as u32, (address >> 32) as u32, value as u32, (value >> 32) as u32]);
}

#[inline]
fn expected(known: &mut PredictionState, now: &mut Position, words: &mut Vec<u32>) {
    if known.data && known.head(*now) != 0 {
        push(words, known.expected(now));
        return;
    }
    let block = *known.block(*now);
    known.begin_block(now, block);
    words.push(block);
}
