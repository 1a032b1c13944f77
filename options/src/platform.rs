//! The traced platform that the options describe

use crate::given::GivenOptions;
use sim::params::Platform;
use sim::scheme::any::SchemeName;

impl GivenOptions {
    /// The traced platform. `cores` and `xlen` are given by the caller; `align` is the default without `--align`.
    pub fn platform(&self, name: &SchemeName, (cores, xlen, align): (u8, u8, u8)) -> Platform {
        let stated = name.stated.on(&Platform { cores, xlen, align, ..Platform::RV32 });
        Platform {
            timestamps: self.has("timestamps"),
            align: self.number("align").unwrap_or(stated.align),
            count_bits: self.number("count-bits").unwrap_or(stated.count_bits),
            cc_bits: self.number("cc-bits").unwrap_or(stated.cc_bits),
            context: self.number("context"),
            signature: self.number("signature").unwrap_or_default(),
            ..stated
        }
    }
}
