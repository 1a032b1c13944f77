//! Messages of bus masters that are not cores: their stores to RAM, which cannot be re-executed
//!
//! All of them share one index after those of the cores, `Ti` = N. A store ends the episodes that it conflicts with, like a
//! core's store, and is sent at once: replay performs it at the position of its message.
//!
//! `docs/reference/stream.md` has the fields of each message. The two-bit kinds are written as they are sent, least
//! significant bit first. Words have 32 bits. Word numbers have 28 bits, which is enough for the 1 GiB that RAM can have; `words further` counts from the word after the last one, the first time
//! from word 0. Values are 32-bit numbers, with 0 in bytes that are not stored. The signature covers the stores that were
//! sent, see [`Masters::add`].

use super::message::{read_value, write_value};
use super::signature::step;
use crate::bits::{BitReader, BitWriter};
use crate::chunk::{self, Chunks};
use crate::message::CodingError;
use retire::MasterStore;

const PLACE: Chunks = Chunks::new(2, 4);
const STOP: Chunks = Chunks::new(8, 8);
/// Bits of a word number.
pub const WORD_BITS: u32 = 28;
const WORDS: u32 = (1 << WORD_BITS) - 1;
/// Kinds, in the positions of those of core messages: a store of a word, a store of some bytes, and the stop.
const WHOLE: u64 = 0;
const PART: u64 = 1;
const END: u64 = 3;

/// A message of the bus masters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MasterMessage {
    /// A store; its cycle is not recorded.
    Store(MasterStore),
    /// The stop.
    Stop {
        /// Total number of stores.
        stores: u32,
        /// Signature of the stores.
        signature: u32,
    },
}

/// State for writing or reading the messages of the masters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masters {
    /// First byte of RAM.
    base: u32,
    /// Number of the word after the last one.
    next_word: u32,
    value: u32,
    /// Number of stores so far.
    pub stores: u32,
    /// Signature of the stores.
    pub signature: u32,
}

impl Masters {
    /// State before the first message; RAM begins at `base`.
    pub fn new(base: u32) -> Self {
        Self { base, next_word: 0, value: 0, stores: 0, signature: u32::MAX }
    }

    /// Counts a store and adds it to the signature. The word is that of a core's store, with the mask in the top bits.
    pub fn add(&mut self, store: &MasterStore) {
        self.stores = self.stores.wrapping_add(1);
        let word = store.addr as u32 ^ store.value.rotate_left(16) ^ u32::from(store.mask) << WORD_BITS;
        self.signature = step(self.signature, word);
        self.next_word = (store.addr as u32 >> 2).wrapping_add(1) & WORDS;
        self.value = store.value;
    }

    /// Appends a store, without its `Ti`.
    pub fn store(&mut self, store: &MasterStore, out: &mut BitWriter) {
        // as a signed number of 28 bits
        let further = ((store.addr as u32 >> 2).wrapping_sub(self.next_word) << 4) as i32 >> 4;
        let further = ((further << 1 ^ further >> 31) as u32) & WORDS;
        if store.mask == 0xf {
            out.push(WHOLE, 2);
            chunk::write(further.into(), PLACE, out);
        } else {
            out.push(PART, 2);
            chunk::write((further << 4 | u32::from(store.mask)).into(), PLACE, out);
        }
        write_value(store.value.into(), self.value.into(), 32, out);
        self.add(store);
    }

    /// Appends the stop, without its `Ti`.
    pub fn stop(&self, out: &mut BitWriter) {
        out.push(END, 2);
        chunk::write(self.stores.into(), STOP, out);
        out.push(self.signature.into(), 32);
    }

    /// Reads a message that [`Masters::store`] or [`Masters::stop`] appended.
    ///
    /// # Errors
    /// The stream ends; the mask is empty; the kind is not defined.
    pub fn read<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<MasterMessage, CodingError> {
        let kind = input.take(2).ok_or(CodingError::Truncated)?;
        let (further, mask) = match kind {
            WHOLE => (chunk::read(PLACE, "words further", WORD_BITS, input)? as u32, 0xf),
            PART => {
                let both = chunk::read(PLACE, "words further", 32, input)? as u32;
                (both >> 4, (both & 0xf) as u8)
            }
            END => {
                let stores = chunk::read(STOP, "stores", 32, input)? as u32;
                let signature = input.take(32).ok_or(CodingError::Truncated)? as u32;
                return Ok(MasterMessage::Stop { stores, signature });
            }
            _ => return Err(CodingError::MasterKind),
        };
        if mask == 0 {
            return Err(CodingError::MasterKind);
        }
        let word = self.next_word.wrapping_add(further >> 1 ^ (further & 1).wrapping_neg()) & WORDS;
        let value = read_value(self.value.into(), 32, input)? as u32;
        // RAM begins at a multiple of 4096 and has at most 1 GiB
        let offset = word.wrapping_sub(self.base >> 2) & WORDS;
        let addr = u64::from(self.base) + (u64::from(offset) << 2);
        let store = MasterStore { addr, value, mask, cycle: 0 };
        self.add(&store);
        Ok(MasterMessage::Store(store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use bitvec::prelude::*;
    use proptest::prelude::*;

    const BASE: u32 = 0x8000_0000;

    fn bits(stores: &[MasterStore]) -> BitVec {
        let (mut coder, mut w) = (Masters::new(BASE), BitWriter::new());
        stores.iter().for_each(|s| coder.store(s, &mut w));
        let len = w.len() as usize;
        w.pad();
        as_bits(w.words())[..len].iter().by_vals().collect()
    }

    fn store(addr: u64, value: u32, mask: u8) -> MasterStore {
        MasterStore { addr, value, mask, cycle: 0 }
    }

    /// Word 2 of RAM, 5; then the next one, 5 again; then byte 1 of word 2, 0x100.
    #[test]
    fn messages_worked_by_hand() {
        let stores = [store(0x8000_0008, 5, 15), store(0x8000_000c, 5, 15), store(0x8000_0008, 0x100, 2)];
        // 2 further: zigzag 4 = 100, in chunks of 2 and 4: 00 1, 1000 0. 5: zigzag 10 = 1010: 0101 0
        assert_eq!(bits(&stores[..1]), bitvec![0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0]);
        // 0 further, the same value
        assert_eq!(bits(&stores[..2])[15..], bitvec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        // 2 back: zigzag 3; 3 << 4 | 2 = 11_0010: 01 1, 0011 0. 0x100 - 5 = 251: zigzag 502 = 1_1111_0110: 0110 1, 1111 1, 1000 0
        let third = bitvec![1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0];
        assert_eq!(bits(&stores)[25..], third);
        let (mut coder, mut w) = (Masters::new(BASE), BitWriter::new());
        coder.stop(&mut w);
        assert_eq!(w.len(), 2 + 9 + 32);
        coder.add(&stores[0]);
        // all ones shifted, the polynomial, and the word added
        assert_eq!(coder.signature, 0x7fff_ffff ^ 0xedb8_8320 ^ 0x8000_0008 ^ 0x0005_0000 ^ 0xf000_0000);
    }

    #[test]
    fn invalid_messages_are_rejected() {
        let read = |word: u32| Masters::new(BASE).read(&mut BitReader::new([word, 0].into_iter()));
        assert_eq!(read(2), Err(CodingError::MasterKind));
        // a store of some bytes with an empty mask
        assert_eq!(read(1), Err(CodingError::MasterKind));
        assert_eq!(Masters::new(BASE).read(&mut BitReader::new([].into_iter())), Err(CodingError::Truncated));
    }

    proptest! {
        #[test]
        fn stores_come_back(
            base in prop::sample::select(vec![0u32, BASE, 0x2001_0000, 0xc000_0000]),
            stores in prop::collection::vec((0u64..1 << 28, any::<u32>(), 1u8..16), 1..40)
        ) {
            let stores: Vec<MasterStore> = stores.into_iter().map(|(word, value, mask)| {
                let s = store(u64::from(base) + 4 * word, value, mask);
                MasterStore { value: value & s.bits(), ..s }
            }).collect();
            let (mut coder, mut w) = (Masters::new(base), BitWriter::new());
            stores.iter().for_each(|s| coder.store(s, &mut w));
            coder.stop(&mut w);
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            let (mut back, mut r) = (Masters::new(base), BitReader::new(words.into_iter()));
            for s in &stores {
                prop_assert_eq!(back.read(&mut r), Ok(MasterMessage::Store(*s)));
            }
            let (stores, signature) = (coder.stores, coder.signature);
            prop_assert_eq!(back.read(&mut r), Ok(MasterMessage::Stop { stores, signature }));
            prop_assert_eq!(back, coder);
        }
    }
}
