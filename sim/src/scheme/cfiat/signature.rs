//! The check of all values of a core, in a 32-bit feedback register
//!
//! As that of [`inputs`](crate::scheme::inputs::signature), over values only: what a core does follows from them. But the
//! register makes five steps a word. A wrong value in the cache is loaded again and again, also as its bytes, which brings
//! the same difference to lower places: with one step a word, a byte of it eight words later met the difference of the first
//! load and took it away.

/// CRC-32, reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// Steps of the register a word. In so few words that they do not reach the feedback, no number of steps is one of whole bytes.
const STEPS: u32 = 5;

/// What the lowest bits make when they are shifted out.
const FED_BACK: [u32; 1 << STEPS] = {
    let mut table = [0; 1 << STEPS];
    let mut low = 0;
    while low < table.len() {
        let (mut value, mut step) = (low as u32, 0);
        while step < STEPS {
            value = value >> 1 ^ if value & 1 == 1 { POLYNOMIAL } else { 0 };
            step += 1;
        }
        table[low] = value;
        low += 1;
    }
    table
};

/// Signature of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(u32);

impl Default for Signature {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Signature {
    /// A value; two words where it is wider than one.
    #[inline]
    pub fn add(&mut self, value: u64, size: u8) {
        self.word(value as u32);
        if size > 4 {
            self.word((value >> 32) as u32);
        }
    }

    #[inline]
    fn word(&mut self, word: u32) {
        let low = self.0 as usize & (FED_BACK.len() - 1);
        self.0 = self.0 >> STEPS ^ FED_BACK[low] ^ word;
    }

    /// What it is now.
    pub fn value(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ones, step by step: 0x92477cdf, 0xa49b3d4f, 0xbff51d87, 0xb2420de3, 0xb49985d1; and the word 1 added.
    #[test]
    fn words_worked_by_hand() {
        let mut s = Signature::default();
        s.add(1, 4);
        assert_eq!(s.value(), 0xb499_85d0);
        // two words: 0xe81c4f0e behind the first, 0x57459344 behind the second, and that added
        s.add(0x2_0000_0000, 8);
        assert_eq!(s.value(), 0x5745_9346);
    }

    /// A bit that is wrong in a loaded word, and again in one of its bytes some words later.
    #[test]
    fn a_wrong_bit_is_not_taken_away_by_a_byte_of_its_word() {
        for (bit, byte, later) in
            (0..32u32).flat_map(|bit| (0..4).flat_map(move |byte| (1..200).map(move |l| (bit, byte, l))))
        {
            let Some(place) = bit.checked_sub(8 * byte) else { continue };
            let of = |wrong: bool| {
                let mut s = Signature::default();
                s.add(u64::from(wrong) << bit, 4);
                (1..later).for_each(|_| s.add(0, 4));
                s.add(u64::from(wrong) << place, 4);
                s.value()
            };
            assert_ne!(of(true), of(false), "bit {bit}, {byte} bytes up, {later} words later");
        }
    }
}
