//! Signature of all values of a core, in a 32-bit feedback shift register
//!
//! Like that of [`inputs`](crate::scheme::inputs::signature), but over values only: they determine everything else. The
//! register makes five steps per word. A wrong value in the cache is loaded repeatedly, also as single bytes, which adds the
//! same difference at lower bit positions. With one step per word, a byte that is loaded eight words later would cancel the
//! difference of the first load.

/// CRC-32, reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// Steps of the register per word. Before a difference reaches the feedback, its shift is never a whole number of bytes.
const STEPS: u32 = 5;

/// Feedback for each value of the bits that are shifted out.
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
    /// Adds a value; two words if it is wider than one.
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

    /// The current signature.
    pub fn value(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ones, step by step: 0x92477cdf, 0xa49b3d4f, 0xbff51d87, 0xb2420de3, 0xb49985d1; then the word 1 is added.
    #[test]
    fn words_worked_by_hand() {
        let mut s = Signature::default();
        s.add(1, 4);
        assert_eq!(s.value(), 0xb499_85d0);
        // two words: 0xe81c4f0e after the first, 0x57459344 after the second, which is then added
        s.add(0x2_0000_0000, 8);
        assert_eq!(s.value(), 0x5745_9346);
    }

    /// A wrong bit in a loaded word, and again in one of its bytes some words later.
    #[test]
    fn a_later_byte_load_does_not_cancel_a_wrong_bit() {
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
