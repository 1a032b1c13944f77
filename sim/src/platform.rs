//! Platform of a trace system: cores, addresses, counters; the same for every scheme

use retire::Context;
use serde::{Deserialize, Serialize};

/// First header word of every stream: the bytes `G S H K`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"GSHK");
/// Format version.
pub const VERSION: u8 = 1;

/// Parameters of the traced cores, and widths of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Platform {
    /// True: every message carries `diffCC`. False: functional, in global commit order.
    pub timestamps: bool,
    /// N: number of cores. 1..=16.
    pub cores: u8,
    /// Address width of the cores, bits. 32 or 64.
    pub xlen: u8,
    /// Lowest address bits that are always 0 and never sent. 1 with the C extension, 2 without, 0 for
    /// imported traces of machines with instructions at odd addresses.
    pub align: u8,
    /// Width of `iCnt` and `bCnt`, bits. 16..=24. A progress message is due at a control-flow
    /// instruction if the top bit of a counter was set before it.
    #[serde(default = "Platform::count_bits")]
    pub count_bits: u8,
    /// Width of the `diffCC` counter, bits; it saturates. 16..=32.
    #[serde(default = "Platform::cc_bits")]
    pub cc_bits: u8,
    /// Contexts are reported: the privilege mode, and this many low bits of the address space identifier. 0..=16; `None`: not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u8>,
    /// Width of the control-flow signatures, bits. 8 or 16; 0: messages carry none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub signature: u8,
}

// the signature that serde requires
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(bits: &u8) -> bool {
    *bits == 0
}

impl Default for Platform {
    fn default() -> Self {
        Self::RV32
    }
}

impl Platform {
    /// One functional core, RV32 with C.
    pub const RV32: Self = Self {
        timestamps: false,
        cores: 1,
        xlen: 32,
        align: 1,
        count_bits: 20,
        cc_bits: 32,
        context: None,
        signature: 0,
    };

    // defaults if a file has no value
    const fn count_bits() -> u8 {
        Self::RV32.count_bits
    }

    const fn cc_bits() -> u8 {
        Self::RV32.cc_bits
    }

    /// Significant bits of an address, as stored in the stream and the tables.
    #[inline]
    pub const fn address_bits(&self) -> u32 {
        self.xlen as u32 - self.align as u32
    }

    /// Bits of the core index `Ti`: ceil(log2 N), 0 for one core.
    #[inline]
    pub const fn ti_bits(&self) -> u32 {
        (self.cores as u32).next_power_of_two().trailing_zeros()
    }

    /// Bits of a reported context; 0 if contexts are not reported.
    pub const fn context_bits(&self) -> u32 {
        match self.context {
            Some(bits) => 2 + bits as u32,
            None => 0,
        }
    }

    /// The reported part of a context: the low bits of its address space identifier.
    pub const fn reported(&self, context: Context) -> Context {
        Context(context.0 & ((1 << self.context_bits()) - 1))
    }

    /// Rejects contexts, for schemes that cannot report them.
    pub(crate) fn without_context(&self) -> Result<(), ParamError> {
        let bits = self.context.unwrap_or(0).into();
        ParamError::unless(
            self.context.is_none(),
            "context",
            bits,
            "none: only the schemes tr, golomb and nx_b report contexts",
        )
    }

    /// Rejects inferable jumps of machines whose code has instructions at odd addresses.
    pub(crate) fn check_inferable(&self, inferable: bool) -> Result<(), ParamError> {
        let right = "1 or 2 with +inferable, which is for RISC-V";
        ParamError::unless(!inferable || self.align > 0, "align", self.align.into(), right)
    }

    /// Rejects parameters that model and circuit do not support.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u8, right, ok| ParamError::unless(ok, field, value.into(), right);
        range("cores", self.cores, "1 to 16", (1..=16).contains(&self.cores))?;
        range("xlen", self.xlen, "32 or 64", matches!(self.xlen, 32 | 64))?;
        range("align", self.align, "0 to 2", self.align <= 2)?;
        range("count_bits", self.count_bits, "16 to 24", (16..=24).contains(&self.count_bits))?;
        range("cc_bits", self.cc_bits, "16 to 32", (16..=32).contains(&self.cc_bits))?;
        // a word of the event FIFO holds it together with iCnt
        let most = 16.min(self.xlen - self.align - self.count_bits - 3);
        let right = "0 to 16, and the address bits that `count_bits` and 3 more leave";
        range("context", self.context.unwrap_or(0), right, self.context.is_none_or(|bits| bits <= most))?;
        range("signature", self.signature, "0, 8 or 16", matches!(self.signature, 0 | 8 | 16))
    }

    /// All fields, in a fixed order.
    pub fn canonical(&self) -> String {
        let context = self.context.map_or(String::new(), |bits| format!(" context={bits}"));
        let signature = self.canonical_signature();
        format!(
            "timestamps={} cores={} xlen={} align={} count={} cc={}{context}{signature}",
            u8::from(self.timestamps),
            self.cores,
            self.xlen,
            self.align,
            self.count_bits,
            self.cc_bits
        )
    }

    /// The last field of a canonical line; empty if there are no signatures.
    pub(crate) fn canonical_signature(&self) -> String {
        if self.signature == 0 {
            return String::new();
        }
        format!(" signature={}", self.signature)
    }
}

/// Error of invalid parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// A value outside its range.
    #[error("{field} = {value}, expected {right}")]
    Range {
        /// Field name.
        field: &'static str,
        /// Value found.
        value: u32,
        /// Valid values.
        right: &'static str,
    },
    /// No scheme of that form.
    #[error("scheme `{name}` is not known; expected one of {forms}")]
    UnknownScheme {
        /// Name as given.
        name: String,
        /// Valid forms.
        forms: String,
    },
    /// No set of that name.
    #[error("predictor set `{0}` is not known; expected small, medium, large, s0 to s4, m0 to m4 or b0 to b4, or OUTCOME/TARGET, as 512/8/16 (gshare/RAS/iBTB) or bimodal512/last32")]
    UnknownSet(String),
    /// No set of scheme `follow` of that name.
    #[error("set `{0}` of scheme follow is not known; expected s, m, ml or l, optionally followed by +bimodal256, +tagged2x32, +loops4, +past2048, +pointers32, +stack8, +dictionary16, +last16, +paths16, +upper0 and +inferable")]
    UnknownFollowSet(String),
    /// A scheme that infers jumps, and no code to infer them from.
    #[error("scheme `{0}`: infers jumps from the program's code (+inferable), and there is none")]
    NoCode(String),
    /// No stream cache of that name.
    #[error("stream cache `{0}` is not known; expected base, ebase or rbase, then SETSxWAYS of 32 to 1024 entries in 1, 2, 4 or 8 ways, as rbase-32x4, optionally followed by +right4 or +left4, +sl8, +upper12 and +run8")]
    UnknownStreamCache(String),
}

impl ParamError {
    /// Returns [`ParamError::Range`], unless `ok`.
    pub(crate) fn unless(ok: bool, field: &'static str, value: u32, right: &'static str) -> Result<(), Self> {
        if ok {
            Ok(())
        } else {
            Err(Self::Range { field, value, right })
        }
    }

    /// Checks the numbers of a system that may be one of several before a trace funnel.
    pub(crate) fn check_funnel(cores: u8, funnel: u8, source: u8) -> Result<(), Self> {
        let inputs = funnel == 0 || crate::tci::INPUTS.contains(&funnel);
        Self::unless(inputs, "funnel", funnel.into(), "0 or 2 to 8")?;
        Self::unless(funnel == 0 || cores == 1, "cores", cores.into(), "1, before a funnel")?;
        let last = if funnel == 0 { 0 } else { funnel - 1 };
        Self::unless(source <= last, "source", source.into(), "below the number of cores before a funnel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn illegal_platforms_say_what_would_be_right() {
        let say = |p: Platform| p.check().unwrap_err().to_string();
        assert_eq!(say(Platform { cores: 17, ..Platform::RV32 }), "cores = 17, expected 1 to 16");
        assert_eq!(say(Platform { xlen: 16, ..Platform::RV32 }), "xlen = 16, expected 32 or 64");
    }

    #[test]
    fn core_index_bits() {
        for (cores, bits) in [(1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (16, 4)] {
            assert_eq!(Platform { cores, ..Platform::RV32 }.ti_bits(), bits);
        }
    }
}
