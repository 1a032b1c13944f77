//! Records and their bits, as described in `docs/reference/load-values.md`
//!
//! `size` is a single 0 for a value as wide as a register, otherwise a 1 and two bits: 0, 1, 2 for 1, 2, 4 bytes; if
//! registers have 4 bytes, 2 is 8 bytes. All fields are sent least significant bit first.

use super::params::Coding;
use super::CfiatParams;
use crate::bits::{BitReader, BitWriter};
use crate::chunk;
use crate::message::CodingError;

/// A record of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A value that the host does not know.
    Value {
        /// Values since the last record of the core that the host knows.
        fah: u32,
        /// Size in bytes: 1, 2, 4, 8.
        size: u8,
        /// Value, zero-extended.
        value: u64,
    },
    /// The core stops.
    Stop {
        /// Known values since the last record.
        fah: u32,
        /// Signature of all values of the core ([`super::signature`]).
        signature: u32,
    },
}

/// Appends a record of `core`.
pub fn write(params: &CfiatParams, core: u8, record: &Record, out: &mut BitWriter) {
    match params.sizes.coding {
        Coding::Fixed => {
            out.push(core.into(), 8);
            let (fah, size) = match *record {
                Record::Value { fah, size, .. } => (fah, size),
                Record::Stop { fah, .. } => (fah, 0),
            };
            out.push(fah.into(), 32);
            out.push(size.into(), 8);
            match *record {
                Record::Value { size, value, .. } => {
                    let bits = 8 * u32::from(size);
                    out.push(value & u64::from(u32::MAX), bits.min(32));
                    if bits > 32 {
                        out.push(value >> 32, 32);
                    }
                }
                Record::Stop { signature, .. } => out.push(signature.into(), 32),
            }
        }
        Coding::Chunks { fah: fah_chunks, value: value_chunks } => {
            out.push(core.into(), params.ti_bits());
            match *record {
                Record::Value { fah, size, value } => {
                    if size == params.xlen / 8 {
                        out.push(0, 1);
                    } else {
                        out.push(1, 1);
                        out.push(u64::from(size.trailing_zeros().min(2)), 2);
                    }
                    chunk::write(fah.into(), fah_chunks, out);
                    chunk::write(value, value_chunks, out);
                }
                Record::Stop { fah, signature } => {
                    out.push(0b111, 3);
                    chunk::write(fah.into(), fah_chunks, out);
                    out.push(signature.into(), 32);
                }
            }
        }
    }
}

/// Reads a record and the index of its core.
pub fn read<I: Iterator<Item = u32>>(
    params: &CfiatParams,
    input: &mut BitReader<I>,
) -> Result<(u8, Record), CodingError> {
    fn take<I: Iterator<Item = u32>>(input: &mut BitReader<I>, bits: u32) -> Result<u64, CodingError> {
        input.take(bits).ok_or(CodingError::Truncated)
    }
    let fixed = params.sizes.coding == Coding::Fixed;
    let core = take(input, if fixed { 8 } else { params.ti_bits() })?;
    if core >= params.cores.into() {
        return Err(CodingError::Core { found: core, cores: params.cores });
    }
    let count = u32::from(params.sizes.count_bits);
    let record = match params.sizes.coding {
        Coding::Fixed => {
            let fah = take(input, 32)?;
            if fah > params.most().into() {
                return Err(CodingError::TooWide { field: "fahCnt", bits: count });
            }
            let fah = fah as u32;
            match take(input, 8)? {
                0 => Record::Stop { fah, signature: take(input, 32)? as u32 },
                size @ (1 | 2 | 4 | 8) => {
                    let low = take(input, 8 * size.min(4) as u32)?;
                    let high = if size == 8 { take(input, 32)? } else { 0 };
                    Record::Value { fah, size: size as u8, value: low | high << 32 }
                }
                size => return Err(CodingError::Kind(size)),
            }
        }
        Coding::Chunks { fah: fah_chunks, value: value_chunks } => {
            let register = params.xlen / 8;
            let size = match take(input, 1)? {
                0 => Some(register),
                _ => match take(input, 2)? {
                    3 => None,
                    2 => Some(12 - register),
                    log2 => Some(1 << log2),
                },
            };
            let fah = chunk::read(fah_chunks, "fahCnt", count, input)? as u32;
            match size {
                None => Record::Stop { fah, signature: take(input, 32)? as u32 },
                Some(size) => {
                    let value = chunk::read(value_chunks, "value", 8 * u32::from(size), input)?;
                    Record::Value { fah, size, value }
                }
            }
        }
    };
    Ok((core as u8, record))
}

#[cfg(test)]
mod tests {
    use super::super::params::Sizes;
    use super::*;
    use crate::bits::as_bits;
    use bitvec::prelude::*;
    use proptest::prelude::*;

    fn params(cores: u8, xlen: u8, name: &str) -> CfiatParams {
        CfiatParams::all_memory(cores, xlen, name.parse().unwrap())
    }

    fn bits(params: &CfiatParams, core: u8, record: Record) -> BitVec {
        let mut w = BitWriter::new();
        write(params, core, &record, &mut w);
        let len = w.len() as usize;
        w.pad();
        as_bits(w.words())[..len].iter().by_vals().collect()
    }

    #[test]
    fn records_worked_by_hand() {
        let p = params(2, 32, "cfiat(fah=2,2;value=4,4):32k");
        let value = |fah, size, value| Record::Value { fah, size, value };
        // core 1; register width; 5 = 01_01: 10 1 10 0; 0x21: 1000 1 0100 0
        let five = bitvec![1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0];
        assert_eq!(bits(&p, 1, value(5, 4, 0x21)), five);
        // core 0; 1 and 01 for 2 bytes; 00 0; 0000 0
        assert_eq!(bits(&p, 0, value(0, 2, 0)), bitvec![0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bits(&p, 0, Record::Stop { fah: 0, signature: 1 })[..8], bitvec![0, 1, 1, 1, 0, 0, 0, 1]);
        // figure 4.36: 0, 2, 0x00000004
        let p = params(2, 32, "cfiat(fixed):32k");
        let mut w = BitWriter::new();
        write(&p, 0, &value(2, 4, 4), &mut w);
        assert_eq!(w.len(), 80);
        w.pad();
        assert_eq!(w.words(), [0x0000_0200, 0x0004_0400, 0]);
    }

    #[test]
    fn invalid_records_are_rejected() {
        let p = params(3, 32, "cfiat(fixed):32k+count8");
        let try_read = |words: Vec<u32>| read(&p, &mut BitReader::new(words.into_iter()));
        assert_eq!(try_read(vec![3, 0, 0]), Err(CodingError::Core { found: 3, cores: 3 }));
        assert_eq!(try_read(vec![0, 3 << 8, 0]), Err(CodingError::Kind(3)));
        assert_eq!(try_read(vec![256 << 8, 4 << 8, 0]), Err(CodingError::TooWide { field: "fahCnt", bits: 8 }));
        assert_eq!(try_read(vec![0]), Err(CodingError::Truncated));
    }

    fn record() -> impl Strategy<Value = Record> {
        let value = |(fah, log2, value): (u32, u32, u64)| Record::Value {
            fah: fah >> 12,
            size: 1 << log2,
            value: value >> (64 - (8 << log2)),
        };
        prop_oneof![
            (any::<u32>(), 0u32..4, any::<u64>()).prop_map(value),
            any::<(u32, u32)>().prop_map(|(fah, signature)| Record::Stop { fah: fah >> 12, signature }),
        ]
    }

    proptest! {
        #[test]
        fn records_round_trip(
            records in prop::collection::vec((0u8..3, record()), 0..40),
            fixed: bool, wide: bool, c in prop::array::uniform4(1u8..=16),
        ) {
            let name = match fixed {
                true => "cfiat(fixed)".into(),
                false => format!("cfiat(fah={},{};value={},{})", c[0], c[1], c[2], c[3]),
            };
            let sizes: Sizes = name.parse().unwrap();
            let p = CfiatParams::all_memory(3, if wide { 64 } else { 32 }, sizes);
            let mut w = BitWriter::new();
            for (core, record) in &records {
                write(&p, *core, record, &mut w);
            }
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            let mut r = BitReader::new(words.into_iter());
            for (core, record) in records {
                prop_assert_eq!(read(&p, &mut r), Ok((core, record)));
            }
        }
    }
}
