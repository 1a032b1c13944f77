//! Measured trace systems of one core: size and clock rate by scheme
//!
//! The table `circuits.csv` is made by `tools/circuit-table`: each row is a system with a FIFO of 16 entries, an ingress for RVFI
//! and native registers, without time stamps, counted and placed by `goshawk gates`.

use serde::Deserialize;

const TABLE: &str = include_str!("../circuits.csv");

/// Gates that a bit of memory counts as, the rule of the papers.
const GATES_PER_MEMORY_BIT: f64 = 1.5;

/// An FPGA family whose measurements the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice iCE40 HX8K.
    Hx8k,
    /// Lattice ECP5.
    Ecp5,
}

/// A trace system of one core, measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Circuit {
    /// Name of the scheme, as `--scheme` takes it.
    pub scheme: String,
    /// Logic with flip-flops, in NAND2 equivalents.
    pub nand2: u64,
    /// Bits of memory.
    pub memory_bits: u64,
    hx8k_lut4: u64,
    hx8k_block_ram: u64,
    hx8k_mhz: f64,
    ecp5_lut4: u64,
    ecp5_block_ram: u64,
    ecp5_mhz: f64,
}

/// FPGA resources and clock rate of a circuit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// 4-input LUTs after synthesis.
    pub lut4: u64,
    /// Block RAMs.
    pub block_ram: u64,
    /// Highest clock rate after place and route with seed 1, MHz.
    pub mhz: f64,
}

impl Circuit {
    /// NAND2 equivalents with 1.5 for each bit of memory.
    pub fn with_memory(&self) -> u64 {
        self.nand2 + (GATES_PER_MEMORY_BIT * self.memory_bits as f64).round() as u64
    }

    /// Size and clock rate on a family.
    pub fn on(&self, family: Family) -> Placed {
        match family {
            Family::Hx8k => Placed { lut4: self.hx8k_lut4, block_ram: self.hx8k_block_ram, mhz: self.hx8k_mhz },
            Family::Ecp5 => Placed { lut4: self.ecp5_lut4, block_ram: self.ecp5_block_ram, mhz: self.ecp5_mhz },
        }
    }

    /// Whether the scheme is a ratified protocol.
    pub fn is_standard(&self) -> bool {
        ["etrace", "ntrace"].iter().any(|protocol| self.scheme.starts_with(protocol))
    }
}

/// All rows of the table, in its order.
///
/// # Panics
/// Never: a test reads the table.
pub fn circuits() -> Vec<Circuit> {
    let mut table = csv::Reader::from_reader(TABLE.as_bytes());
    table.deserialize().collect::<Result<_, _>>().expect("circuits.csv has the columns of `Circuit`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::measure::SchemeSpec;

    #[test]
    fn each_row_is_a_scheme_with_a_size_and_a_rate() {
        let rows = circuits();
        for row in &rows {
            SchemeSpec::parse(&row.scheme).unwrap();
            assert!(row.nand2 > 1_000 && row.memory_bits > 100, "{row:?}");
            for placed in [Family::Hx8k, Family::Ecp5].map(|family| row.on(family)) {
                assert!(placed.lut4 > 300 && placed.lut4 < row.nand2 && (20.0..400.0).contains(&placed.mhz), "{row:?}");
            }
            assert_eq!(rows.iter().filter(|other| other.scheme == row.scheme).count(), 1, "{}", row.scheme);
        }
        for named in sim::scheme::follow::sizes::NAMED_SETS {
            let scheme = format!("follow:{}", named.name);
            assert!(rows.iter().any(|row| row.scheme == scheme), "{scheme} is not in the table");
        }
    }
}
