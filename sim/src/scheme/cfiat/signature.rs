//! The check of all values of a core, in a 32-bit feedback register
//!
//! As that of [`inputs`](crate::scheme::inputs::signature), over values only: what a core does follows from them.

/// CRC-32, reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;

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
        let feedback = if self.0 & 1 == 1 { POLYNOMIAL } else { 0 };
        self.0 = self.0 >> 1 ^ feedback ^ word;
    }

    /// What it is now.
    pub fn value(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ones: shifted 0x7fffffff, fed back 0x7fffffff ^ 0xedb88320 = 0x92477cdf, and the word 1 added.
    #[test]
    fn one_step_worked_by_hand() {
        let mut s = Signature::default();
        s.add(1, 4);
        assert_eq!(s.value(), 0x9247_7cde);
        // even: 0x4923be6f, and the word added
        s.add(0x2_0000_0000, 8);
        let odd = 0x4923_be6fu32;
        assert_eq!(s.value(), odd >> 1 ^ POLYNOMIAL ^ 2);
    }
}
