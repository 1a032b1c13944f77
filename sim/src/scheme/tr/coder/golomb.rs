//! Exponential Golomb codes, with an order for each field
//!
//! The code of a number v in order k, with `w = v + 2^k` of n + 1 bits: n - k ones, a zero, then the lower n bits of w,
//! least significant first. The first 2^k numbers take k + 1 bits, the next 2^(k+1) take k + 3, and so on. Fields of fixed
//! width are sent unchanged.
//!
//! # Source
//! J. Teuhola, "A Compression Method for Clustered Bit-Vectors", Information Processing Letters 7(6), 1978, pp. 308-311;
//! here with ones instead of zeros in the prefix, like the connect bits of the chunked coder.

use super::CoderSizes;
use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use crate::platform::ParamError;
use crate::scheme::fields::{Code, Field};

/// Orders of all variable fields; in names `golomb(bcnt=2;diffta=4;diffcc=4;icnt=3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Orders {
    /// Of `bCnt`. 0..=15, like all of them.
    pub b_cnt: u8,
    /// Of `|diffTA|`.
    pub diff_ta: u8,
    /// Of `diffCC`.
    pub diff_cc: u8,
    /// Of `iCnt`.
    pub i_cnt: u8,
}

impl Orders {
    /// The default orders, for the name `golomb` alone.
    pub const DEFAULT: Self = Self { b_cnt: 2, diff_ta: 4, diff_cc: 4, i_cnt: 3 };

    fn named(&self) -> [(&'static str, u8); 4] {
        [("bcnt", self.b_cnt), ("diffta", self.diff_ta), ("diffcc", self.diff_cc), ("icnt", self.i_cnt)]
    }
}

impl CoderSizes for Orders {
    type Code = Golomb;
    const SERIAL: bool = true;
    const FORMS: &'static [&'static str] = &["golomb(bcnt=2;diffta=4;diffcc=4;icnt=3):SET"];
    const EXAMPLES: &'static [&'static str] =
        &["golomb", "golomb(bcnt=0;diffta=0;diffcc=0;icnt=0)", "golomb(bcnt=15;diffta=15;diffcc=15;icnt=15)"];

    fn parse(text: &str, _: bool) -> Option<Self> {
        let rest = text.strip_prefix("golomb")?;
        let mut orders = Self::DEFAULT;
        if rest.is_empty() {
            return Some(orders);
        }
        for field in rest.strip_prefix('(')?.strip_suffix(')')?.split(';') {
            let (name, order) = field.split_once('=')?;
            *match name {
                "bcnt" => &mut orders.b_cnt,
                "diffta" => &mut orders.diff_ta,
                "diffcc" => &mut orders.diff_cc,
                "icnt" => &mut orders.i_cnt,
                _ => return None,
            } = order.parse().ok()?;
        }
        Some(orders)
    }

    fn name(&self, _: bool) -> String {
        let other: Vec<_> = self
            .named()
            .iter()
            .zip(Self::DEFAULT.named())
            .filter(|(own, defaults)| *own != defaults)
            .map(|((name, order), _)| format!("{name}={order}"))
            .collect();
        if other.is_empty() {
            "golomb".into()
        } else {
            format!("golomb({})", other.join(";"))
        }
    }

    fn canonical(&self) -> String {
        self.named().iter().fold("golomb".into(), |line, (name, order)| format!("{line} {name}={order}"))
    }

    fn check(&self) -> Result<(), ParamError> {
        for (field, order) in self.named() {
            ParamError::unless(order <= 15, field, order.into(), "0 to 15")?;
        }
        Ok(())
    }

    fn code(&self) -> Golomb {
        Golomb(*self)
    }
}

/// The code of fields as exponential Golomb numbers.
#[derive(Clone, Debug)]
pub struct Golomb(Orders);

impl Golomb {
    #[inline]
    fn order(&self, field: Field) -> u32 {
        u32::from(match field {
            Field::DiffCc => self.0.diff_cc,
            Field::DiffTa => self.0.diff_ta,
            Field::ICnt | Field::Lost => self.0.i_cnt,
            // the others have a fixed width
            Field::Count
            | Field::Core
            | Field::Sign
            | Field::Taken
            | Field::Kind
            | Field::Context
            | Field::Signature => self.0.b_cnt,
        })
    }
}

/// Appends `value`, at most 2^63, in order `k`.
#[inline(never)]
fn write(value: u64, k: u32, out: &mut BitWriter) {
    let w = value + (1 << k);
    let n = 63 - w.leading_zeros();
    (k..n).for_each(|_| out.push(1, 1));
    out.push(0, 1);
    let low = n.min(32);
    out.push(w & ((1 << low) - 1), low);
    out.push((w & ((1 << n) - 1)) >> low, n - low);
}

/// Reads a number of at most `bits` bits in order `k`.
#[inline(never)]
fn read<I: Iterator<Item = u32>>(k: u32, bits: u32, input: &mut BitReader<I>) -> Option<Result<u64, ()>> {
    let mut n = k;
    while input.take(1)? == 1 {
        n += 1;
        // limits the prefix in damaged data: w has at most one bit more than the number
        if n > bits.max(k) || n > 63 {
            return Some(Err(()));
        }
    }
    let low = input.take(n.min(32))?;
    let high = input.take(n - n.min(32))?;
    let value = (1 << n | low | high << 32) - (1 << k);
    Some(if value.checked_shr(bits).unwrap_or(0) == 0 { Ok(value) } else { Err(()) })
}

impl Code for Golomb {
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
        write(value, self.order(field), out);
    }

    fn bits(&mut self, _: Field, value: u64, bits: u32, out: &mut BitWriter) {
        out.push(value, bits);
    }

    fn flush(&mut self, _: &mut BitWriter) {}

    #[inline]
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        let value = read(self.order(field), bits, input).ok_or(CodingError::Truncated)?;
        value.map_err(|()| CodingError::TooWide { field: field.name(), bits })
    }

    #[inline]
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        input.take(bits).ok_or(CodingError::Truncated)
    }

    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use proptest::prelude::*;

    fn bits(value: u64, k: u32) -> String {
        let mut w = BitWriter::new();
        write(value, k, &mut w);
        let n = w.len() as usize;
        w.pad();
        as_bits(w.words())[..n].iter().map(|b| if *b { '1' } else { '0' }).collect()
    }

    #[test]
    fn codes_are_those_worked_by_hand() {
        // order 0: 0 is w = 1; 1 and 2 are w = 10 and 11; 6 is w = 111, and 7 w = 1000
        assert_eq!([0, 1, 2, 6, 7].map(|v| bits(v, 0)), ["0", "100", "101", "11011", "1110000"]);
        // order 2: 0 to 3 in three bits, 4 is w = 1000, 5 is w = 1001
        assert_eq!([0, 1, 3, 4, 5].map(|v| bits(v, 2)), ["000", "010", "011", "10000", "10100"]);
    }

    #[test]
    fn wide_numbers_are_refused() {
        let try_read = |value: u64, k, bits| {
            let mut w = BitWriter::new();
            write(value, k, &mut w);
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            read(k, bits, &mut BitReader::new(words.into_iter()))
        };
        assert_eq!(try_read(255, 2, 8), Some(Ok(255)));
        assert_eq!([try_read(256, 2, 8), try_read(1 << 40, 2, 8)], [Some(Err(())); 2]);
        // a run of ones is bounded, and no value is truncated
        assert_eq!(read(0, 20, &mut BitReader::new([u32::MAX; 3].into_iter())), Some(Err(())));
        assert_eq!(read(0, 63, &mut BitReader::new([u32::MAX].into_iter())), None);
    }

    proptest! {
        #[test]
        fn values_round_trip_in_every_order(v: u64, shift in 1u32..64, k in 0u32..=15) {
            let v = v >> shift;
            let mut w = BitWriter::new();
            write(v, k, &mut w);
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            prop_assert_eq!(read(k, 63, &mut BitReader::new(words.into_iter())), Some(Ok(v)));
        }
    }
}
