//! Fields as bits: runs of branches in an adaptive Rice code, all other numbers in chunks
//!
//! A run n (`bCnt`, 0 in an escape) has the parameter k = floor(log2 m), or 0 for m below 1: with q = n >> k, q ones and a zero if q is below 12,
//! otherwise 12 ones and the exponential Golomb code of order 0 of q - 12; then the low k bits of n. m is a mean of the core's runs, with 4
//! bits of fraction: 16 at the beginning of the stream and after each header, and m + (n - m) / 16 after each run that is not 0.
//!
//! # Source
//! R. F. Rice, JPL Publication 79-22 (1979); the mean as in JPEG-LS (ITU-T T.87, annex A); S. W. Golomb, IEEE Trans. Inf. Theory 12(3), 1966.

use crate::bits::{BitReader, BitWriter};
use crate::chunk::{self, Chunks};
use crate::message::CodingError;
use crate::scheme::fields::{Code, Field};
use crate::scheme::tr::coder::chunked::Coding;

/// Ones after which the rest of a run is a Golomb code.
const UNARY: u32 = 12;
/// Fraction bits of the mean, and the shift with which it follows.
const FRACTION: u32 = 4;
/// Mean of a core that has sent nothing.
const START: u64 = 16 << FRACTION;

/// State of the code: the mean of each core.
#[derive(Clone, Debug)]
pub struct Runs {
    means: Vec<u64>,
    /// Core of the message: its index is the field before the run.
    core: usize,
}

impl Runs {
    /// Chunk sizes of all other numbers.
    pub const CHUNKS: Coding = Coding::TR_E;

    /// State at the beginning of a stream.
    pub fn new(cores: u8) -> Self {
        Self { means: vec![START; cores.into()], core: 0 }
    }

    /// Returns to the state at the beginning of a stream.
    pub fn reset(&mut self) {
        self.means.fill(START);
        self.core = 0;
    }

    /// Chunk sizes of a field.
    #[inline]
    pub(super) fn chunks(field: Field) -> Chunks {
        match field {
            Field::DiffCc => Self::CHUNKS.diff_cc,
            Field::DiffTa => Self::CHUNKS.diff_ta,
            Field::ICnt | Field::Lost => Self::CHUNKS.i_cnt,
            Field::Count
            | Field::Core
            | Field::Sign
            | Field::Taken
            | Field::Kind
            | Field::Context
            | Field::Signature => Self::CHUNKS.b_cnt,
        }
    }

    #[inline]
    fn k(&self) -> u32 {
        (self.means[self.core] >> FRACTION).max(1).ilog2()
    }

    #[inline]
    fn learn(&mut self, run: u64) {
        if run > 0 {
            let mean = &mut self.means[self.core];
            *mean = *mean - (*mean >> FRACTION) + run;
        }
    }

    fn read_run<I: Iterator<Item = u32>>(&self, bits: u32, input: &mut BitReader<I>) -> Result<u64, CodingError> {
        let mut take = |bits| input.take(bits).ok_or(CodingError::Truncated);
        let wide = CodingError::TooWide { field: Field::Count.name(), bits };
        let k = self.k();
        let mut q = 0;
        while q < u64::from(UNARY) && take(1)? == 1 {
            q += 1;
        }
        if q == u64::from(UNARY) {
            let mut n = 0;
            while take(1)? == 1 {
                n += 1;
                if n > bits {
                    return Err(wide);
                }
            }
            q += (1 << n | take(n)?) - 1;
        }
        let run = q << k | take(k)?;
        if run >> bits == 0 {
            Ok(run)
        } else {
            Err(wide)
        }
    }
}

impl Code for Runs {
    #[inline]
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
        if field != Field::Count {
            return chunk::write(value, Self::chunks(field), out);
        }
        let k = self.k();
        let q = value >> k;
        if q < UNARY.into() {
            out.push((1 << q) - 1, q as u32 + 1);
        } else {
            out.push((1 << UNARY) - 1, UNARY);
            let w = q - u64::from(UNARY) + 1;
            let n = w.ilog2();
            out.push((1 << n) - 1, n + 1);
            out.push(w & ((1 << n) - 1), n);
        }
        out.push(value & ((1 << k) - 1), k);
        self.learn(value);
    }

    #[inline]
    fn bits(&mut self, field: Field, value: u64, bits: u32, out: &mut BitWriter) {
        if field == Field::Core {
            self.core = value as usize;
        }
        out.push(value, bits);
    }

    // a header or the end of the stream follows
    fn flush(&mut self, _: &mut BitWriter) {
        self.reset();
    }

    #[inline]
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        if field != Field::Count {
            return chunk::read(Self::chunks(field), field.name(), bits, input);
        }
        let run = self.read_run(bits, input)?;
        self.learn(run);
        Ok(run)
    }

    #[inline]
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        let value = input.take(bits).ok_or(CodingError::Truncated)?;
        if field == Field::Core {
            // a core that the system does not have is refused by the caller
            self.core = (value as usize).min(self.means.len() - 1);
        }
        Ok(value)
    }

    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        self.reset();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use proptest::prelude::*;

    fn bits(runs: &mut Runs, run: u64) -> String {
        let mut out = BitWriter::new();
        runs.number(Field::Count, run, &mut out);
        let n = out.len() as usize;
        out.pad();
        as_bits(out.words())[..n].iter().map(|b| if *b { '1' } else { '0' }).collect()
    }

    /// m = 16: k = 4. 5 is `0` and 0101 from the low end; 40 = 2 x 16 + 8. 192 = 12 x 16 is 12 ones, Golomb 0, four zeros; 224 has Golomb 2.
    #[test]
    fn codes_are_those_worked_by_hand() {
        let start = Runs::new(1);
        let code = |run| bits(&mut start.clone(), run);
        assert_eq!(code(5), "01010");
        assert_eq!(code(40), "1100001");
        assert_eq!(code(192), "1111111111110".to_string() + "0000");
        assert_eq!(code(224), "111111111111".to_string() + "101" + "0000");
    }

    #[test]
    fn the_mean_follows_the_runs_of_each_core_and_ignores_escapes() {
        let mut runs = Runs::new(2);
        let mut out = BitWriter::new();
        runs.number(Field::Count, 0, &mut out);
        assert_eq!(runs.means, [256, 256]);
        runs.bits(Field::Core, 1, 1, &mut out);
        runs.number(Field::Count, 100, &mut out);
        // 256 - 16 + 100
        assert_eq!(runs.means, [256, 340]);
        (0..100).for_each(|_| runs.number(Field::Count, 1, &mut out));
        assert_eq!((runs.means[1], runs.k()), (31, 0));
        runs.flush(&mut out);
        assert_eq!(runs.means, [256, 256]);
    }

    #[test]
    fn wide_runs_are_refused() {
        let read = |words: &[u32], bits| Runs::new(1).read_run(bits, &mut BitReader::new(words.iter().copied()));
        assert_eq!(read(&[u32::MAX; 3], 20), Err(CodingError::TooWide { field: "bCnt", bits: 20 }));
        assert_eq!(read(&[u32::MAX], 24), Err(CodingError::Truncated));
        let mut out = BitWriter::new();
        Runs::new(1).number(Field::Count, 1 << 16, &mut out);
        out.pad();
        assert_eq!(read(out.words(), 17), Ok(1 << 16));
        assert_eq!(read(out.words(), 16), Err(CodingError::TooWide { field: "bCnt", bits: 16 }));
    }

    proptest! {
        #[test]
        fn runs_round_trip(runs in prop::collection::vec((0u8..3, 0u64..1 << 24, 0u32..24), 0..200)) {
            let (mut writer, mut out) = (Runs::new(3), BitWriter::new());
            for (core, run, shift) in &runs {
                writer.bits(Field::Core, (*core).into(), 2, &mut out);
                writer.number(Field::Count, run >> shift, &mut out);
            }
            out.pad();
            let words: Vec<u32> = out.drain().collect();
            let (mut reader, mut input) = (Runs::new(3), BitReader::new(words.into_iter()));
            for (core, run, shift) in &runs {
                prop_assert_eq!(reader.read_bits(Field::Core, 2, &mut input), Ok((*core).into()));
                prop_assert_eq!(reader.read_number(Field::Count, 24, &mut input), Ok(run >> shift));
            }
        }
    }
}
