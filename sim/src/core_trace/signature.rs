//! Signature of a core's control flow: a CRC over its targets
//!
//! Trace system and decoder compute it in the same way, and some messages carry it. If the decoder's path differs from the
//! core's, so does the value: this detects messages that were corrupted but still fit the program. One word is entered per
//! instruction that changes the flow, so a circuit takes one step per cycle.
//!
//! # Source
//! `docs/reference/stream.md`, "Signature"; the choice of a CRC and of these words: `docs/maintainers/decisions/0034-signature.md`. CRC-16 has the
//! polynomial of ITU-T V.41, x^16 + x^12 + x^5 + 1, CRC-8 that of ITU-T I.432.1, x^8 + x^2 + x + 1.

use crate::platform::Platform;
use retire::Context;

/// Signature of one core.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// 8 or 16.
    bits: u8,
    align: u8,
    mask: u64,
    state: u16,
    /// Address whose word was entered last, if its instruction is the first after a trap, a sync or a context change.
    first: Option<u64>,
}

/// The 16-bit polynomial, without its highest term.
const POLY_16: u16 = 0x1021;
/// The 8-bit polynomial, without its highest term.
const POLY_8: u16 = 0x07;

/// Each byte times x^`bits` modulo the polynomial.
const fn table(bits: u32, poly: u16) -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut state = (byte as u16) << (bits - 8);
        let mut n = 0;
        while n < 8 {
            let top = state >> (bits - 1) & 1;
            state = (state << 1 ^ if top == 1 { poly } else { 0 }) & (u16::MAX >> (16 - bits));
            n += 1;
        }
        table[byte] = state;
        byte += 1;
    }
    table
}

static TABLE_16: [u16; 256] = table(16, POLY_16);
static TABLE_8: [u16; 256] = table(8, POLY_8);

impl Signature {
    /// State before the first instruction; `None` if the stream has no signatures.
    pub fn of(platform: &Platform) -> Option<Self> {
        let bits = platform.signature;
        (bits > 0).then(|| Self {
            bits,
            align: platform.align,
            mask: u64::MAX >> (64 - platform.xlen),
            state: Self::ones(bits),
            first: None,
        })
    }

    const fn ones(bits: u8) -> u16 {
        u16::MAX >> (16 - bits)
    }

    /// Returns to the state before the first instruction.
    pub fn restart(&mut self) {
        self.state = Self::ones(self.bits);
        self.first = None;
    }

    /// Multiplies the state by x^`bits` and adds `word`.
    #[inline]
    fn step(&mut self, word: u16) {
        let s = self.state;
        let advanced = if self.bits == 16 {
            let half = s << 8 ^ TABLE_16[usize::from(s >> 8)];
            half << 8 ^ TABLE_16[usize::from(half >> 8)]
        } else {
            TABLE_8[usize::from(s & 0xff)]
        };
        self.state = advanced ^ word;
    }

    /// Folds a number to a word: the xor of its parts. A single wrong bit remains a single wrong bit.
    #[inline]
    fn fold(&self, number: u64) -> u16 {
        let half = (number ^ number >> 32) as u32;
        let low = (half ^ half >> 16) as u16;
        if self.bits == 16 {
            low
        } else {
            (low ^ low >> 8) & 0xff
        }
    }

    /// Word of an address of the platform, without the always-zero bits.
    #[inline]
    fn word(&self, address: u64) -> u16 {
        self.fold((address & self.mask) >> self.align)
    }

    /// Enters the instruction at `pc`: the first after a sync, a trap or a context change.
    pub fn begin(&mut self, pc: u64) {
        self.step(self.word(pc));
        self.first = Some(pc);
    }

    /// Enters the `target` of the control-flow instruction at `pc`. If that is the first instruction, its target replaces it.
    #[inline]
    pub fn flow(&mut self, pc: u64, target: u64) {
        let word = self.word(target);
        if self.first.take() == Some(pc) {
            self.state ^= self.word(pc) ^ word;
        } else {
            self.step(word);
        }
    }

    /// Whether the instruction at `pc` replaces the word that was entered last.
    pub fn is_first(&self, pc: u64) -> bool {
        self.first == Some(pc)
    }

    /// Keeps the word of the first instruction, even if that changes the flow.
    pub fn keep_first(&mut self) {
        self.first = None;
    }

    /// Enters the `count` of a message: the instructions before the one that it is sent with.
    pub fn count(&mut self, count: u64) {
        self.state ^= self.fold(count);
    }

    /// Enters the `context` of a message.
    pub fn context(&mut self, context: Option<Context>) {
        if let Some(Context(context)) = context {
            self.state ^= self.fold(context.into());
        }
    }

    /// The value that a message carries.
    pub fn value(&self) -> u16 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bits: u8) -> Signature {
        Signature::of(&Platform { signature: bits, ..Platform::RV32 }).unwrap()
    }

    /// The remainder of a long division, bit by bit.
    fn divided(words: &[u16], bits: u32, poly: u32) -> u16 {
        let mut state = (1u32 << bits) - 1;
        for word in words {
            for _ in 0..bits {
                state <<= 1;
                if state >> bits == 1 {
                    state ^= 1 << bits | poly;
                }
            }
            state ^= u32::from(*word);
        }
        state as u16
    }

    #[test]
    fn it_is_the_remainder_of_a_division_by_the_polynomial() {
        let targets = [0x8000_0000u64, 0x8000_1234, 0x0001_fffe, 0, 0x8000_1234];
        let words: Vec<u16> = targets.iter().map(|t| (t >> 1 ^ t >> 17) as u16).collect();
        let mut wide = of(16);
        let mut narrow = of(8);
        for target in targets {
            wide.flow(4, target);
            narrow.flow(4, target);
        }
        assert_eq!(wide.value(), divided(&words, 16, 0x1021));
        let folded: Vec<u16> = words.iter().map(|w| (w ^ w >> 8) & 0xff).collect();
        assert_eq!(narrow.value(), divided(&folded, 8, 0x07));
        // a word of zeros after the initial value: 0x1d0f is the published value for CRC-16, all ones and 16 zeros
        let mut zeros = of(16);
        zeros.flow(4, 0);
        assert_eq!(zeros.value(), 0x1d0f);
    }

    #[test]
    fn a_first_instruction_that_is_control_flow_is_one_step() {
        let mut both = of(16);
        both.begin(0x100);
        both.flow(0x100, 0x200);
        let mut one = of(16);
        one.flow(0x100, 0x200);
        assert_eq!(both.value(), one.value());
        // after a resync it is a step of its own
        let (mut other, mut two) = (of(16), of(16));
        other.begin(0x100);
        other.keep_first();
        other.flow(0x100, 0x200);
        two.flow(0, 0x100);
        two.flow(0, 0x200);
        assert_eq!(other.value(), two.value());
    }

    #[test]
    fn a_single_wrong_word_is_always_detected() {
        for bits in [8, 16] {
            let run = |wrong: u64| {
                let mut s = of(bits);
                (0..40u64).for_each(|i| s.flow(4, if i == 9 { wrong } else { 0x40 * i }));
                s.value()
            };
            let right = run(0x240);
            assert!((0..31).all(|bit| run(0x240 ^ 2 << bit) != right));
        }
    }
}
