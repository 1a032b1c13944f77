//! Turns as bits, for both sides
//!
//! The end of a turn has two fields: the core whose turn is next, and the number of control-flow instructions that retired
//! in the turn.
//!
//! | field | bits |
//! | --- | --- |
//! | next | 0: the same core as after this core's previous turn (at first the next higher core); or 1 and Ti |
//! | length | difference to the length of the core's previous turn, folded: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; exponential Golomb code of order k |
//!
//! k adapts: it is the mean length in bits of the last numbers, less one. Equal turns therefore cost two to five bits each,
//! whatever their length. For the alternatives that were tried, see `docs/maintainers/decisions/0028-shared.md`.

use crate::message::CodingError;

/// A bit sink: takes a value and its width.
pub trait Put: FnMut(u64, u32) {}
impl<F: FnMut(u64, u32)> Put for F {}

/// A bit source: returns a value of the given width.
pub trait Take: FnMut(u32) -> Result<u64, CodingError> {}
impl<F: FnMut(u32) -> Result<u64, CodingError>> Take for F {}

/// Maximum width of a number, in bits; no turn is longer.
const WIDEST: u32 = 48;
/// Number of values after which both sums are halved, so that old values lose weight.
const MEMORY: u32 = 32;

/// State of the turn encoding, the same on both sides.
#[derive(Clone, Debug)]
pub struct TurnCode {
    ti_bits: u32,
    /// The core that followed last time, by core.
    next: Vec<u8>,
    /// Length of the previous turn, by core.
    before: Vec<u64>,
    /// Total bits, and count, of the last numbers.
    bits: u32,
    numbers: u32,
}

impl TurnCode {
    /// State at the beginning of a stream with `cores` cores and `ti_bits` bits of core index.
    pub fn new(cores: u8, ti_bits: u32) -> Self {
        let next = (0..cores).map(|core| (core + 1) % cores).collect();
        Self { ti_bits, next, before: vec![0; cores.into()], bits: 0, numbers: 0 }
    }

    fn order(&self) -> u32 {
        self.bits.checked_div(self.numbers).unwrap_or(0).saturating_sub(1)
    }

    fn learn(&mut self, number: u64) {
        self.bits += 64 - number.leading_zeros();
        self.numbers += 1;
        if self.numbers == MEMORY {
            self.bits /= 2;
            self.numbers /= 2;
        }
    }

    /// Writes the end of a turn of `core` after `length` instructions; `next` follows.
    pub fn write(&mut self, core: u8, length: u64, next: u8, mut put: impl Put) {
        let at = usize::from(core);
        if self.next[at] == next {
            put(0, 1);
        } else {
            put(1, 1);
            put(next.into(), self.ti_bits);
        }
        self.next[at] = next;
        let difference = length.wrapping_sub(std::mem::replace(&mut self.before[at], length)) as i64;
        let number = (difference << 1 ^ difference >> 63) as u64;
        let k = self.order();
        let w = number + (1 << k);
        let n = 63 - w.leading_zeros();
        (k..n).for_each(|_| put(1, 1));
        put(0, 1);
        let low = n.min(32);
        put(w & ((1 << low) - 1), low);
        put(w >> low & ((1 << (n - low)) - 1), n - low);
        self.learn(number);
    }

    /// Reads the length of a turn of `core`, and the next core.
    ///
    /// # Errors
    /// The bits end early, or encode a value that is never sent.
    pub fn read(&mut self, core: u8, mut take: impl Take) -> Result<(u64, u8), CodingError> {
        let at = usize::from(core);
        let mut next = self.next[at];
        if take(1)? == 1 {
            let cores = self.next.len();
            let found = take(self.ti_bits)?;
            if found >= cores as u64 {
                return Err(CodingError::Core { found, cores: cores as u8 });
            }
            if found == u64::from(core) || found == u64::from(next) {
                return Err(CodingError::Redundant("the core of a turn that goes on or follows as before"));
            }
            next = found as u8;
        }
        self.next[at] = next;
        let k = self.order();
        let mut n = k;
        while take(1)? == 1 {
            n += 1;
            if n > WIDEST {
                return Err(CodingError::TooWide { field: "turn", bits: WIDEST });
            }
        }
        let low = n.min(32);
        let w = 1 << n | take(low)? | take(n - low)? << low;
        let number = w - (1 << k);
        let difference = (number >> 1) as i64 ^ -((number & 1) as i64);
        let length = self.before[at].wrapping_add(difference as u64);
        if length >> WIDEST != 0 {
            return Err(CodingError::TooWide { field: "turn", bits: WIDEST });
        }
        self.before[at] = length;
        self.learn(number);
        Ok((length, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(code: &mut TurnCode, core: u8, length: u64, next: u8) -> String {
        let mut out = String::new();
        code.write(core, length, next, |value, bits| {
            out.extend((0..bits).map(|i| if value >> i & 1 == 1 { '1' } else { '0' }));
        });
        out
    }

    #[test]
    fn turns_are_those_worked_by_hand() {
        let mut code = TurnCode::new(3, 2);
        // the next higher core; 2 more than 0 folds to 4, in order 0: w = 5 is two ones, a zero, low bits 01
        assert_eq!(bits(&mut code, 0, 2, 1), "0110 10".replace(' ', ""));
        // 4 has 3 bits: k = 2. Next is 0 instead of 2; 0 more than 0
        assert_eq!(bits(&mut code, 1, 0, 0), "1 00 0 00".replace(' ', ""));
        // (3 + 0) / 2 - 1 = 0: one less than 2 is 1, w = 2
        assert_eq!(bits(&mut code, 0, 1, 1), "0 1 0 0".replace(' ', ""));
    }

    #[test]
    fn turns_that_are_never_sent_are_rejected() {
        let read = |bits: &[u64]| {
            let mut bits = bits.iter().copied();
            TurnCode::new(3, 2).read(0, |n| (0..n).map(|i| Ok(bits.next().ok_or(CodingError::Truncated)? << i)).sum())
        };
        assert_eq!(read(&[0, 0]), Ok((0, 1)));
        assert_eq!(read(&[1, 0, 1, 0]), Ok((0, 2)));
        assert!(matches!(read(&[1, 0, 0, 0]), Err(CodingError::Redundant(_))));
        assert!(matches!(read(&[1, 1, 0, 0]), Err(CodingError::Redundant(_))));
        assert_eq!(read(&[1, 1, 1, 0]), Err(CodingError::Core { found: 3, cores: 3 }));
        assert_eq!(read(&[0, 1]), Err(CodingError::Truncated));
        assert_eq!(
            read(&[0; 1].iter().copied().chain([1; 60]).collect::<Vec<_>>()),
            Err(CodingError::TooWide { field: "turn", bits: WIDEST })
        );
        // a length of -1
        assert_eq!(read(&[0, 1, 0, 0]), Err(CodingError::TooWide { field: "turn", bits: WIDEST }));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut rng = 1u64;
        let mut any = |n: u64| {
            rng = rng.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (rng >> 33) % n
        };
        for cores in [2, 3, 8, 16] {
            let ti_bits = u32::from(cores).next_power_of_two().trailing_zeros();
            let (mut writer, mut reader) = (TurnCode::new(cores, ti_bits), TurnCode::new(cores, ti_bits));
            let mut core = 0;
            for _ in 0..2000 {
                let bits = any(45);
                let length = any(1 << bits);
                let next = (core + 1 + any(u64::from(cores) - 1) as u8) % cores;
                let mut bits = Vec::new();
                writer.write(core, length, next, |value, n| bits.extend((0..n).map(|i| value >> i & 1)));
                let mut bits = bits.into_iter();
                let got =
                    reader.read(core, |n| (0..n).map(|i| Ok(bits.next().ok_or(CodingError::Truncated)? << i)).sum());
                assert_eq!((got, bits.next()), (Ok((length, next)), None));
                core = next;
            }
        }
    }
}
