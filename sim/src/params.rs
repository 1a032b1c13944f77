//! Parameters: predictor sizes, encodings and named sets, shared by model, circuit, decoder and CLI
//!
//! # Source
//! `mcfTRaptor` sets: paper 000 section 5; T-raptor sets: paper 002 section 5.1; chunk sizes:
//! paper 000 sections 4 and 5, paper 002 sections 4 and 5.2.

use crate::stream_cache::StreamCacheParams;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Sizes of the predictor structures of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PredictorParams {
    /// p: two-bit counters of the gshare outcome predictor. 256, 512, 1024, 2048 or 4096.
    pub gshare: u16,
    /// r: entries of the return address stack. 0, 8, 16 or 32.
    pub ras: u8,
    /// q: entries of the 2-way indirect branch target buffer. 0, 16, 32 or 64.
    pub ibtb: u8,
    /// s: right shift of the PC in all index and tag hashes, in bits. 0..=4.
    pub pc_shift: u8,
    /// Upper target bits held once, in a last-value register, in place of in every RAS and iBTB
    /// entry. 0 (off) or 12.
    pub upper_bits: u8,
}

impl PredictorParams {
    /// A set of the papers' sizes, with the RISC-V PC shift and no upper-address register.
    pub const fn sizes(gshare: u16, ras: u8, ibtb: u8) -> Self {
        Self { gshare, ras, ibtb, pc_shift: 1, upper_bits: 0 }
    }

    /// log2 p: width of the gshare index and of the BHR, bits.
    pub const fn log2_gshare(&self) -> u32 {
        self.gshare.trailing_zeros()
    }

    /// Sets of the iBTB, q / 2. 0 where there is none.
    pub const fn ibtb_sets(&self) -> u32 {
        self.ibtb as u32 / 2
    }

    /// log2 of the iBTB sets, bits.
    pub const fn log2_ibtb_sets(&self) -> u32 {
        if self.ibtb == 0 {
            0
        } else {
            self.ibtb_sets().trailing_zeros()
        }
    }

    /// w: width of the PIR, bits. 0 where there is no iBTB.
    pub const fn pir_bits(&self) -> u32 {
        if self.ibtb == 0 {
            0
        } else {
            8 + self.log2_ibtb_sets()
        }
    }

    /// Bits of predictor state, for addresses of `address_bits` significant bits: what the papers'
    /// 1.5 gates per bit rule counts. Tables, BHR, PIR, RAS pointer and count, LRU and valid bits.
    pub const fn state_bits(&self, address_bits: u32) -> u32 {
        let low = address_bits - self.upper_bits as u32;
        let gshare = 2 * self.gshare as u32 + self.log2_gshare();
        let ras = if self.ras == 0 { 0 } else { self.ras as u32 * low + 2 * self.ras.trailing_zeros() + 1 };
        // per entry: target, 8 tag bits, valid; per set: LRU
        let ibtb = self.ibtb as u32 * (low + 9) + self.ibtb_sets() + self.pir_bits();
        gshare + ras + ibtb + self.upper_bits as u32
    }

    /// Refuses sizes outside the ranges stated at the fields.
    pub fn check(&self) -> Result<(), ParamError> {
        let one_of = |field, value: u32, right: &'static str, ok: bool| {
            if ok {
                Ok(())
            } else {
                Err(ParamError::Range { field, value, right })
            }
        };
        one_of(
            "gshare",
            self.gshare.into(),
            "256, 512, 1024, 2048 or 4096",
            matches!(self.gshare, 256 | 512 | 1024 | 2048 | 4096),
        )?;
        one_of("ras", self.ras.into(), "0, 8, 16 or 32", matches!(self.ras, 0 | 8 | 16 | 32))?;
        one_of("ibtb", self.ibtb.into(), "0, 16, 32 or 64", matches!(self.ibtb, 0 | 16 | 32 | 64))?;
        one_of("pc_shift", self.pc_shift.into(), "0 to 4", self.pc_shift <= 4)?;
        one_of("upper_bits", self.upper_bits.into(), "0 or 12", matches!(self.upper_bits, 0 | 12))
    }
}

/// Chunk sizes of one field: a first chunk of `first` bits, then chunks of `next` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chunks {
    /// c0: bits of the first chunk. 1..=16.
    pub first: u8,
    /// c1: bits of every later chunk. 1..=16.
    pub next: u8,
}

impl Chunks {
    /// `(c0, c1)` as the papers write it.
    pub const fn new(first: u8, next: u8) -> Self {
        Self { first, next }
    }
}

impl fmt::Display for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.first, self.next)
    }
}

/// Chunk sizes of all variable fields of the T-raptor and Nexus-like messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Coding {
    /// `bCnt`; for `nx_b` the stream length SL.
    pub b_cnt: Chunks,
    /// `|diffTA|`, and every other address difference.
    pub diff_ta: Chunks,
    /// `diffCC`.
    pub diff_cc: Chunks,
    /// `iCnt` of escape messages.
    pub i_cnt: Chunks,
}

impl Coding {
    /// Base encoding of paper 000 figure 7b.
    pub const TR_B: Self = Self {
        b_cnt: Chunks::new(8, 8),
        diff_ta: Chunks::new(16, 16),
        diff_cc: Chunks::new(8, 8),
        i_cnt: Chunks::new(8, 8),
    };
    /// Variable encoding of paper 000 figure 7c with the sizes of its section 5.
    pub const TR_E: Self = Self {
        b_cnt: Chunks::new(3, 2),
        diff_ta: Chunks::new(3, 4),
        diff_cc: Chunks::new(4, 2),
        i_cnt: Chunks::new(2, 2),
    };
    /// `TR_E` with the shorter `bCnt` chunks that paper 002 section 5.2 found for sets without a
    /// target predictor (s0, m0, b0).
    pub const TR_E_SHORT: Self = Self { b_cnt: Chunks::new(2, 1), ..Self::TR_E };

    fn check(&self) -> Result<(), ParamError> {
        for (field, c) in [
            ("b_cnt chunk", self.b_cnt),
            ("diff_ta chunk", self.diff_ta),
            ("diff_cc chunk", self.diff_cc),
            ("i_cnt chunk", self.i_cnt),
        ] {
            for v in [c.first, c.next] {
                if !(1..=16).contains(&v) {
                    return Err(ParamError::Range { field, value: v.into(), right: "1 to 16" });
                }
            }
        }
        Ok(())
    }
}

/// What is sent: which events make a message, and how its fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scheme")]
pub enum Scheme {
    /// T-raptor: mispredictions only.
    Tr(Coding),
    /// Nexus-like: every taken conditional and every indirect, in chunks (paper 000 figure 7a).
    NxB(Coding),
    /// Nexus-like with 6-bit groups behind 2-bit headers (paper 002 section 5.3).
    NexS,
    /// Stream cache and last stream predictor (paper 001).
    #[serde(rename = "sc-lsp")]
    ScLsp(StreamCacheParams),
}

/// Everything that shapes a trace stream: model, circuit and decoder are built from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TraceParams {
    /// Predictor sizes (unused by the Nexus-like schemes).
    pub predictor: PredictorParams,
    /// Messages and their encoding.
    pub scheme: Scheme,
    /// True: every message carries `diffCC`. False: functional, in global commit order.
    pub timestamps: bool,
    /// N: cores. 1..=16.
    pub cores: u8,
    /// Address width of the cores, bits. 32 or 64.
    pub xlen: u8,
    /// Lowest address bits that are always 0 and never sent. 1 with the C extension, 2 without, 0 for
    /// imported traces of machines with instructions at odd addresses.
    pub align: u8,
    /// Width of `iCnt` and `bCnt`, bits. 16..=24. A progress message is due at a control-flow
    /// instruction when the counter's top bit was set before it.
    pub count_bits: u8,
    /// Width of the `diffCC` counter, bits; it stops at its maximum. 16..=32.
    pub cc_bits: u8,
}

impl TraceParams {
    /// One functional core, RV32 with C, of the given predictor and coding.
    pub const fn tr(predictor: PredictorParams, coding: Coding) -> Self {
        Self {
            predictor,
            scheme: Scheme::Tr(coding),
            timestamps: false,
            cores: 1,
            xlen: 32,
            align: 1,
            count_bits: 20,
            cc_bits: 32,
        }
    }

    /// One functional core, RV32 with C, with a stream cache.
    pub const fn sc_lsp(sc: StreamCacheParams) -> Self {
        Self { scheme: Scheme::ScLsp(sc), ..Self::tr(PredictorParams::sizes(256, 0, 0), Coding::TR_E) }
    }

    /// The stream cache, where the scheme is `sc-lsp`.
    pub const fn stream_cache(&self) -> Option<StreamCacheParams> {
        match self.scheme {
            Scheme::ScLsp(sc) => Some(sc),
            Scheme::Tr(_) | Scheme::NxB(_) | Scheme::NexS => None,
        }
    }

    /// Significant bits of an address: what the stream and the tables carry.
    pub const fn address_bits(&self) -> u32 {
        self.xlen as u32 - self.align as u32
    }

    /// Bits of state of one core, as the papers count it: of the predictors, or of a stream cache with its
    /// buffers ([`StreamCacheParams::state_bits`]).
    pub const fn state_bits(&self) -> u32 {
        match self.scheme {
            Scheme::ScLsp(sc) => sc.state_bits(self.address_bits()),
            Scheme::Tr(_) | Scheme::NxB(_) | Scheme::NexS => self.predictor.state_bits(self.address_bits()),
        }
    }

    /// Bits of the core index `Ti`: ceil(log2 N), 0 for one core.
    pub const fn ti_bits(&self) -> u32 {
        (self.cores as u32).next_power_of_two().trailing_zeros()
    }

    /// Refuses what model and circuit cannot honour.
    pub fn check(&self) -> Result<(), ParamError> {
        self.predictor.check()?;
        if let Scheme::Tr(c) | Scheme::NxB(c) = &self.scheme {
            c.check()?;
        }
        let range = |field, value: u8, right, ok: bool| {
            if ok {
                Ok(())
            } else {
                Err(ParamError::Range { field, value: value.into(), right })
            }
        };
        range("cores", self.cores, "1 to 16", (1..=16).contains(&self.cores))?;
        range("xlen", self.xlen, "32 or 64", matches!(self.xlen, 32 | 64))?;
        range("align", self.align, "0 to 2", self.align <= 2)?;
        range("count_bits", self.count_bits, "16 to 24", (16..=24).contains(&self.count_bits))?;
        range("cc_bits", self.cc_bits, "16 to 32", (16..=32).contains(&self.cc_bits))?;
        if let Some(sc) = self.stream_cache() {
            sc.check(self.xlen)?;
        }
        Ok(())
    }

    /// All parameters on one line, in a fixed order: the input of [`TraceParams::fingerprint`].
    pub fn canonical(&self) -> String {
        let p = &self.predictor;
        let scheme = match &self.scheme {
            Scheme::Tr(c) => format!("tr bcnt={} diffta={} diffcc={} icnt={}", c.b_cnt, c.diff_ta, c.diff_cc, c.i_cnt),
            Scheme::NxB(c) => {
                format!("nx_b bcnt={} diffta={} diffcc={} icnt={}", c.b_cnt, c.diff_ta, c.diff_cc, c.i_cnt)
            }
            Scheme::NexS => "nexs".to_string(),
            // no predictor, and a cycle counter only with time stamps: sizes that are not used must not make two
            // names of one stream
            Scheme::ScLsp(sc) => {
                let time = if self.timestamps {
                    format!(" timestamps=1 diffcc={} cc={}", StreamCacheParams::DIFF_CC, self.cc_bits)
                } else {
                    String::new()
                };
                return format!(
                    "{} cores={} xlen={} align={} count={}{time}",
                    sc.canonical(),
                    self.cores,
                    self.xlen,
                    self.align,
                    self.count_bits
                );
            }
        };
        format!(
            "gshare={} ras={} ibtb={} shift={} upper={} {scheme} timestamps={} cores={} xlen={} align={} count={} cc={}",
            p.gshare,
            p.ras,
            p.ibtb,
            p.pc_shift,
            p.upper_bits,
            u8::from(self.timestamps),
            self.cores,
            self.xlen,
            self.align,
            self.count_bits,
            self.cc_bits
        )
    }

    /// CRC-32 (IEEE) of [`TraceParams::canonical`]: in the stream header and the ID registers, so
    /// that a host never decodes with the wrong parameters.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}

/// A predictor set that the papers name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSet {
    /// Name as in the papers, lower case.
    pub name: &'static str,
    /// Its sizes.
    pub predictor: PredictorParams,
    /// Its variable encoding (`tr_e`).
    pub tr_e: Coding,
}

const fn set(name: &'static str, gshare: u16, ras: u8, ibtb: u8) -> NamedSet {
    let tr_e = if ras == 0 && ibtb == 0 { Coding::TR_E_SHORT } else { Coding::TR_E };
    NamedSet { name, predictor: PredictorParams::sizes(gshare, ras, ibtb), tr_e }
}

/// All named sets: mcfTRaptor small, medium, large; T-raptor s0..s4, m0..m4, b0..b4.
pub const NAMED_SETS: [NamedSet; 18] = [
    set("small", 512, 8, 0),
    set("medium", 1024, 16, 16),
    set("large", 4096, 32, 64),
    set("s0", 256, 0, 0),
    set("s1", 256, 8, 0),
    set("s2", 256, 8, 16),
    set("s3", 256, 8, 32),
    set("s4", 256, 8, 64),
    set("m0", 512, 0, 0),
    set("m1", 512, 8, 0),
    set("m2", 512, 8, 16),
    set("m3", 512, 8, 32),
    set("m4", 512, 8, 64),
    set("b0", 1024, 0, 0),
    set("b1", 1024, 8, 0),
    set("b2", 1024, 8, 16),
    set("b3", 1024, 8, 32),
    set("b4", 1024, 8, 64),
];

/// The named set `name`.
pub fn named_set(name: &str) -> Result<NamedSet, ParamError> {
    NAMED_SETS.iter().find(|s| s.name == name).copied().ok_or_else(|| ParamError::UnknownSet(name.to_string()))
}

/// Why parameters were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// A field is outside its range.
    #[error("{field} = {value} is outside {right}")]
    Range {
        /// Field name.
        field: &'static str,
        /// What was asked for.
        value: u32,
        /// What would be right.
        right: &'static str,
    },
    /// No set of that name.
    #[error("parameter set `{0}` is not known: small, medium, large, s0 to s4, m0 to m4, b0 to b4 are, or sizes as gshare/ras/ibtb")]
    UnknownSet(String),
    /// No stream cache of that name.
    #[error("stream cache `{0}` is not known: base, ebase or rbase, then sets x ways of 32 to 1024 entries in 1, 2, 4 or 8 ways, as rbase-32x4, are")]
    UnknownStreamCache(String),
    /// Another scheme where a stream cache is asked for.
    #[error("the scheme is not sc-lsp, which this needs")]
    NotStreamCache,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_sets_are_legal_and_distinct_by_name() {
        for s in NAMED_SETS {
            TraceParams::tr(s.predictor, s.tr_e).check().unwrap();
            assert_eq!(named_set(s.name).unwrap(), s);
        }
    }

    #[test]
    fn state_bits_are_those_worked_by_hand() {
        // 512 counters and a 9-bit BHR; 8 x 31 bits, 3-bit pointer, 4-bit count
        assert_eq!(named_set("small").unwrap().predictor.state_bits(31), 1024 + 9 + 248 + 7);
        // + 16 entries of 31 + 8 + 1 bits, 8 LRU bits, an 11-bit PIR
        assert_eq!(named_set("medium").unwrap().predictor.state_bits(31), 2048 + 10 + 16 * 31 + 9 + 16 * 40 + 8 + 11);
    }

    #[test]
    fn illegal_sizes_say_what_would_be_right() {
        let p = PredictorParams::sizes(500, 8, 0);
        assert_eq!(p.check().unwrap_err().to_string(), "gshare = 500 is outside 256, 512, 1024, 2048 or 4096");
        let mut t = TraceParams::tr(PredictorParams::sizes(512, 8, 0), Coding::TR_E);
        t.cores = 17;
        assert_eq!(t.check().unwrap_err().to_string(), "cores = 17 is outside 1 to 16");
    }

    #[test]
    fn core_index_bits() {
        let mut t = TraceParams::tr(PredictorParams::sizes(512, 8, 0), Coding::TR_E);
        for (n, bits) in [(1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (16, 4)] {
            t.cores = n;
            assert_eq!(t.ti_bits(), bits);
        }
    }
}
