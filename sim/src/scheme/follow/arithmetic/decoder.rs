//! The decoder: words to decisions, escapes and plain bits
//!
//! It holds what is left of the code above the lower end of the interval, in units of A. Doublings are made before the next decision, when their bits are
//! there: so a core waits for its next word between two decisions, or inside a target or an escape, which are read again from their beginning.

use super::probability::{Probability, HALF};
use crate::bits::BitReader;
use crate::message::CodingError;

/// Doublings before the first decision.
const FIRST: u32 = 11;
/// Words of plain bits that the longest fields fit.
const AHEAD: usize = 8;

/// State of a decoder. The bytes of the words are its caller's.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    /// A.
    size: u32,
    /// The code above C.
    value: u32,
    /// Doublings that are due.
    due: u32,
    /// The byte that is read, its bits that are left, and the index of the next one.
    byte: u8,
    left: u32,
    next: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { size: HALF, value: 0, due: FIRST, byte: 0, left: 0, next: 0 }
    }
}

impl Decoder {
    /// Number of bytes read so far.
    pub fn read(&self) -> usize {
        self.next
    }

    /// The first `bytes` bytes, all of which were read, are removed.
    pub fn forget(&mut self, bytes: usize) {
        self.next -= bytes;
    }

    /// Whether an escape is next. `None`: more bytes are needed, as in all that follows.
    #[inline]
    pub fn is_escape(&mut self, bytes: &[u8]) -> Option<bool> {
        self.settle(bytes)?;
        Some(self.value + 1 >= self.size)
    }

    /// Takes the escape that is next.
    pub fn escape(&mut self) {
        (self.size, self.value, self.due) = (HALF, 0, FIRST);
    }

    /// Decodes whether a prediction is right.
    #[inline]
    pub fn decide(&mut self, probability: &mut Probability, bytes: &[u8]) -> Option<bool> {
        self.settle(bytes)?;
        let width = probability.width();
        self.size -= width + 1;
        let likely = self.value < self.size;
        let right = likely == probability.is_likely(true);
        if !likely {
            self.value -= self.size;
            self.size = width;
        }
        if self.size < HALF {
            self.due = self.size.leading_zeros() - HALF.leading_zeros();
            self.size <<= self.due;
            probability.learn(likely);
        }
        Some(right)
    }

    /// Decodes one plain bit.
    fn plain(&mut self, bytes: &[u8]) -> Option<bool> {
        self.settle(bytes)?;
        self.size = HALF;
        self.shift(bytes)?;
        let bit = self.value >= HALF;
        self.value -= if bit { HALF } else { 0 };
        Some(bit)
    }

    /// Reads fields in plain bits, after a bit that is `known` already, and returns their value. `None`: more bytes are needed, and nothing is taken.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn fields<T>(
        &mut self,
        bytes: &[u8],
        known: Option<bool>,
        read: impl FnOnce(&mut BitReader<std::array::IntoIter<u32, AHEAD>>) -> Result<T, CodingError>,
    ) -> Result<Option<T>, CodingError> {
        let mut words = [0; AHEAD];
        let mut ahead = *self;
        let (mut first, mut found) = (known, 0);
        while found < 32 * AHEAD {
            let Some(bit) = first.take().or_else(|| ahead.plain(bytes)) else { break };
            words[found / 32] |= u32::from(bit) << (found % 32);
            found += 1;
        }
        let mut input = BitReader::new(words.into_iter());
        let value = read(&mut input);
        let used = input.position() as usize;
        if found < 32 * AHEAD && (value.is_err() || used > found) {
            return Ok(None);
        }
        let value = value?;
        for _ in usize::from(known.is_some())..used {
            self.plain(bytes);
        }
        Ok(Some(value))
    }

    /// Makes the doublings that are due.
    #[inline]
    fn settle(&mut self, bytes: &[u8]) -> Option<()> {
        while self.due > 0 {
            self.shift(bytes)?;
            self.due -= 1;
        }
        Some(())
    }

    #[inline]
    fn shift(&mut self, bytes: &[u8]) -> Option<()> {
        if self.left == 0 {
            let before = std::mem::replace(&mut self.byte, *bytes.get(self.next)?);
            self.next += 1;
            self.left = 8;
            if before == 0xff {
                // its top bit is a carry
                self.value += u32::from(self.byte >> 7);
                self.left = 7;
            }
        }
        self.left -= 1;
        self.value = self.value << 1 | u32::from(self.byte >> self.left & 1);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoder::Encoder;
    use super::super::probability::START;
    use super::*;
    use proptest::prelude::*;

    /// One step of a code.
    #[derive(Clone, Debug)]
    enum Step {
        Decision(usize, bool),
        Fields(Vec<bool>),
        Flush,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            2000 => (0usize..64, 0u32..1000).prop_map(|(context, x)| Step::Decision(context, x >= 1 << (context % 10))),
            20 => prop::collection::vec(any::<bool>(), 0..100).prop_map(Step::Fields),
            20 => Just(Step::Fields(vec![true; 90])),
            5 => Just(Step::Flush),
        ];
        prop::collection::vec(step, 0..4000)
    }

    fn encode(steps: &[Step]) -> Vec<u32> {
        let (mut encoder, mut p) = (Encoder::default(), START);
        for step in steps {
            match step {
                Step::Decision(context, right) => _ = encoder.decide(&mut p[*context], *right),
                Step::Fields(bits) => {
                    encoder.escape();
                    bits.iter().for_each(|bit| encoder.plain(*bit));
                }
                Step::Flush => encoder.flush(),
            }
        }
        encoder.flush();
        encoder.words().collect()
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(steps in steps()) {
            let bytes: Vec<u8> = encode(&steps).iter().flat_map(|word| word.to_le_bytes()).collect();
            let (mut decoder, mut p) = (Decoder::default(), START);
            let mut rest = &bytes[..];
            for step in &steps {
                match step {
                    Step::Decision(context, right) => {
                        prop_assert_eq!(decoder.is_escape(rest), Some(false));
                        prop_assert_eq!(decoder.decide(&mut p[*context], rest), Some(*right));
                    }
                    Step::Fields(bits) => {
                        prop_assert_eq!(decoder.is_escape(rest), Some(true));
                        decoder.escape();
                        for bit in bits {
                            prop_assert_eq!(decoder.plain(rest), Some(*bit));
                        }
                    }
                    Step::Flush => {
                        prop_assert!(decoder.settle(rest).is_some());
                        rest = &rest[decoder.read().next_multiple_of(4)..];
                        decoder = Decoder::default();
                    }
                }
            }
            prop_assert!(decoder.settle(rest).is_some());
            prop_assert_eq!(rest.len(), decoder.read().next_multiple_of(4));
            prop_assert!(rest[decoder.read()..].iter().all(|b| *b == 0));
        }
    }

    /// A carry over bytes of all ones: the code stays below each interval's end.
    #[test]
    fn runs_of_ones_carry() {
        let mut ones = vec![Step::Fields(vec![true; 200])];
        ones.extend([Step::Decision(0, false), Step::Decision(1, false), Step::Fields(vec![true; 40])]);
        let words = encode(&ones);
        assert!(words.iter().any(|w| w.to_le_bytes().contains(&0xff)), "{words:x?}");
        // after all ones, the top bit is a carry, which leaves the next three 0
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert!(bytes.windows(2).all(|w| w[0] != 0xff || w[1] <= 0x8f), "{bytes:x?}");
    }

    #[test]
    fn a_likely_decision_costs_little_and_an_even_one_a_bit() {
        let cost = |right: &dyn Fn(usize) -> bool| {
            let steps: Vec<_> = (0..32_000).map(|i| Step::Decision(0, right(i))).collect();
            encode(&steps).len() * 32
        };
        assert!(cost(&|_| true) < 200, "{}", cost(&|_| true));
        let random = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9).wrapping_add(0x7f4a).count_ones() % 2 == 0;
        let even = cost(&random);
        assert!((31_000..37_000).contains(&even), "{even}");
    }
}
