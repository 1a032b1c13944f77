//! Parameters of an N-Trace encoder, by the names of the control fields

use super::super::Fault;
use serde::Deserialize;

/// Parameters: control fields of the RISC-V Trace Control Interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// Width of SRC, bits. 0..=12.
    #[serde(rename = "trTeSrcBits")]
    pub source_bits: u8,
    /// Addresses are extended from their highest bit.
    #[serde(rename = "trTeInstExtendAddrMSB")]
    pub extend_address_msb: bool,
    /// Targets of jumps that an instruction before them determines are not reported.
    #[serde(rename = "trTeInstEnSequentialJump")]
    pub sequential_jump: bool,
    /// Direct jumps are reported as taken branches.
    #[serde(rename = "trTeInstEnAllJumps")]
    pub all_jumps: bool,
}

impl Parameters {
    /// Refuses values out of range.
    ///
    /// # Errors
    /// The parameter, its value and its range.
    pub fn check(&self) -> Result<(), Fault> {
        match self.source_bits {
            0..=12 => Ok(()),
            bits => Err(Fault::Value { what: "trTeSrcBits", value: bits.into(), right: "0 to 12" }),
        }
    }
}
