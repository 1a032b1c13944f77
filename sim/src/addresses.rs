//! Address ranges: which addresses the cores of a chip can have, if not all of the `xlen` bits vary
//!
//! A system that is built for fewer address bits needs fewer flip-flops; its stream is the same, bit for bit.

use crate::platform::ParamError;
use crate::stimulus::program::Shape;

/// The address bits that vary, if fewer than `xlen`.
///
/// | `xlen` | `base` | the bits above the low `bits` |
/// | --- | --- | --- |
/// | 32, 64 | some | bits that are 1 in `base` may be 0 or 1, all others are 0 |
/// | 32 | none | 0 |
/// | 64 | none | all equal to the highest low bit, as in the virtual addresses of Sv39 and Sv48 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Number of low bits that vary. 16..=31, for `xlen` 64 22..=63.
    pub bits: u8,
    /// Optional base address: start of a second range of 2^`bits` bytes in addition to that at 0; a multiple of 2^`bits`.
    pub base: Option<u64>,
}

/// A mask of `bits` ones.
const fn ones(bits: u8) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Addresses {
    /// Rejects values that no circuit supports.
    pub fn check(&self, xlen: u8) -> Result<(), ParamError> {
        let refuse = |ok, value: u32, right| ParamError::unless(ok, "address bits", value, right);
        match xlen {
            64 => refuse((22..=63).contains(&self.bits), self.bits.into(), "22 to 63")?,
            _ => refuse((16..=31).contains(&self.bits), self.bits.into(), "16 to 31")?,
        }
        let base = self.base.unwrap_or_default();
        let aligned = base & ones(self.bits) == 0 && base & !ones(xlen) == 0;
        let low = (base & 0xffff_ffff) as u32;
        ParamError::unless(aligned, "address base", low, "a multiple of 2^bits below 2^xlen")
    }

    /// Mask of the bits that are copies of the highest low bit.
    pub fn copies(&self, xlen: u8) -> u64 {
        match self.base {
            None if xlen == 64 => !ones(self.bits),
            _ => 0,
        }
    }

    /// Mask of the bits that are stored.
    pub fn mask(&self) -> u64 {
        ones(self.bits) | self.base.unwrap_or_default()
    }

    /// The address that a circuit reconstructs for `address`.
    pub fn narrow(&self, address: u64, xlen: u8) -> u64 {
        let copied = if address >> (self.bits - 1) & 1 == 1 { self.copies(xlen) } else { 0 };
        address & self.mask() | copied
    }

    /// Places synthetic programs in these addresses.
    pub fn shape(&self, shape: Shape) -> Shape {
        let (base, bits, xlen) = (self.base.unwrap_or_default(), self.bits, shape.xlen);
        let mut regions = vec![base + 0x1000];
        if bits >= 22 {
            // as far apart as possible
            regions.push(self.narrow(base + (1 << (bits - 1)), xlen));
        }
        if base != 0 && bits >= 22 {
            regions.push(0x2000);
        }
        regions.sort_unstable();
        Shape { regions, ..shape }
    }
}

impl std::fmt::Display for Addresses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.bits)?;
        self.base.map_or(Ok(()), |base| write!(f, "@{base:#x}"))
    }
}

impl std::str::FromStr for Addresses {
    type Err = String;

    /// `24`, or `24@0x80000000`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (bits, base) = text.split_once('@').map_or((text, None), |(bits, base)| (bits, Some(base)));
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let base = base.map(|b| number(b).ok_or(())).transpose();
        match (bits.parse(), base) {
            (Ok(bits), Ok(base)) => Ok(Self { bits, base }),
            _ => Err("expected BITS or BITS@BASE, as 24 or 24@0x80000000".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::program::Model;

    fn of(text: &str) -> Addresses {
        text.parse().unwrap()
    }

    #[test]
    fn upper_bits_are_zero_those_of_the_base_or_copies() {
        assert_eq!(of("24").narrow(0x8112_3456, 32), 0x0012_3456);
        assert_eq!(of("24@0x80000000").narrow(0x8112_3456, 32), 0x8012_3456);
        assert_eq!(of("24@0x80000000").narrow(0x0112_3456, 32), 0x0012_3456);
        assert_eq!(of("39").narrow(0x7f_1234_5678, 64), 0xffff_ffff_1234_5678);
        assert_eq!(of("39").narrow(0x3f_1234_5678, 64), 0x3f_1234_5678);
        assert_eq!(of("39@0").narrow(0x7f_1234_5678, 64), 0x7f_1234_5678);
        assert_eq!(of("24@2147483648").to_string(), "24@0x80000000");
    }

    #[test]
    fn invalid_ranges_are_rejected() {
        let say = |text: &str, xlen| of(text).check(xlen).unwrap_err().to_string();
        assert_eq!(say("15", 32), "address bits = 15, expected 16 to 31");
        assert_eq!(say("32", 32), "address bits = 32, expected 16 to 31");
        assert_eq!(say("64", 64), "address bits = 64, expected 22 to 63");
        assert_eq!(say("24@0x80100000", 32), "address base = 2148532224, expected a multiple of 2^bits below 2^xlen");
        for bad in ["", "x", "24@", "24@0xg", "@8"] {
            assert!(bad.parse::<Addresses>().unwrap_err().contains("24@0x80000000"), "{bad}");
        }
        assert!(of("24@0x80000000").check(32).is_ok() && of("39").check(64).is_ok());
    }

    #[test]
    fn programs_lie_in_the_range() {
        for (text, xlen) in [("16", 32), ("22", 32), ("24@0x80000000", 32), ("31", 32), ("22", 64), ("39", 64)] {
            let (addresses, rv) = (of(text), if xlen == 64 { Shape::rv64(1) } else { Shape::rv32(1) });
            addresses.check(xlen).unwrap();
            let model = Model::new(&addresses.shape(rv));
            assert!(model.code.len() > 500, "{text}");
            let outside = model.code.iter().find(|i| addresses.narrow(i.pc, xlen) != i.pc);
            assert!(outside.is_none(), "{text}: {outside:x?}");
        }
    }
}
