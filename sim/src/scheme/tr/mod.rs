//! T-raptor: a message for each mispredicted outcome or target of a branch
//!
//! | module | contents |
//! | --- | --- |
//! | this one | parameters, names, named sets |
//! | `outcome`, `target`, `coder` | predictors and coders, one file each |
//! | `model` | front end of one core |
//! | `replay` | the decoder |
//! | `descriptor` | the output format of `mcfTRaptor` |
//! | `shared` | rates of one predictor for all cores; its stream is a separate scheme, [`shared`](super::shared) |
//!
//! # Source
//! Papers 000 and 002. `mcfTRaptor` sets: paper 000 section 5; T-raptor sets: paper 002 section 5.1.

pub mod coder;
pub mod descriptor;
pub mod model;
pub mod outcome;
pub mod replay;
pub mod shared;
pub mod target;

use super::fields::{Reader, Writer};
use super::{Family, Scheme, INFERABLE, WARM_UP_MARGIN};
use crate::platform::{ParamError, Platform};
use coder::chunked::Coding;
use coder::{Coder, CoderParams};
use outcome::gshare::GshareSizes;
use outcome::OutcomeParams;
use target::ras_ibtb::RasIbtbSizes;
use target::TargetParams;

/// Parameters of T-raptor that determine its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrParams {
    /// Outcome predictor.
    pub outcome: OutcomeParams,
    /// Target predictor.
    pub target: TargetParams,
    /// Coder of the messages.
    pub coder: CoderParams,
    /// s: right shift of the PC in all index and tag hashes, in bits. 0..=4.
    pub pc_shift: u8,
    /// Upper target bits that are stored once, in a last-value register, instead of in every entry of the target predictor. 0
    /// (off) or 12.
    pub upper_bits: u8,
    /// Jumps whose register the instruction before them loads are direct, see [`crate::inference`]. RISC-V only.
    pub inferable: bool,
}

const SHIFT: u8 = 1;

impl TrParams {
    /// A set with the papers' sizes in `tr_e`, with the RISC-V PC shift and no upper-address register.
    pub const fn sizes(gshare: u16, ras: u8, ibtb: u8) -> Self {
        Self {
            outcome: OutcomeParams::Gshare(GshareSizes { counters: gshare }),
            target: TargetParams::RasIbtb(RasIbtbSizes { ras, ibtb }),
            coder: CoderParams::Chunked(Coding::tr_e(ras != 0 || ibtb != 0)),
            pc_shift: SHIFT,
            upper_bits: 0,
            inferable: false,
        }
    }

    /// The same predictors with these chunk sizes.
    pub const fn coded(self, coding: Coding) -> Self {
        Self { coder: CoderParams::Chunked(coding), ..self }
    }

    /// A predictor set by name or as `gshare/RAS/iBTB`, in `tr_e`.
    pub fn set(text: &str) -> Result<Self, ParamError> {
        let mut parts = text.split('+');
        let base = parts.next().unwrap_or_default();
        let sizes = || {
            let (outcome, target) = base.split_once('/')?;
            Some((OutcomeParams::parse(outcome)?, TargetParams::parse(target)?))
        };
        let mut params = match sizes() {
            Some((outcome, target)) => {
                let target = target?;
                let coder = CoderParams::Chunked(Coding::tr_e(target.predicts()));
                Self { outcome, target, coder, pc_shift: SHIFT, upper_bits: 0, inferable: false }
            }
            None => named_set(base).map(|s| s.params)?,
        };
        for option in parts {
            let number = |prefix: &str| option.strip_prefix(prefix).and_then(|n| n.parse::<u8>().ok());
            if let Some(shift) = number("shift") {
                params.pc_shift = shift;
            } else if let Some(upper) = number("upper") {
                params.upper_bits = upper;
            } else if option == INFERABLE {
                params.inferable = true;
            } else {
                return Err(ParamError::UnknownSet(text.to_string()));
            }
        }
        params.check_sizes().map(|()| params)
    }

    /// The text that [`TrParams::set`] reads: the name of the set if it has one.
    pub fn set_name(&self) -> String {
        let named = NAMED_SETS.iter().find(|s| (s.params.outcome, s.params.target) == (self.outcome, self.target));
        let mut name = match named {
            Some(set) => set.name.to_string(),
            None => format!("{}/{}", self.outcome.name(), self.target.name()),
        };
        if self.pc_shift != SHIFT {
            name += &format!("+shift{}", self.pc_shift);
        }
        if self.upper_bits != 0 {
            name += &format!("+upper{}", self.upper_bits);
        }
        if self.inferable {
            name += &format!("+{INFERABLE}");
        }
        name
    }

    fn check_sizes(&self) -> Result<(), ParamError> {
        self.outcome.check()?;
        self.target.check()?;
        ParamError::unless(self.pc_shift <= 4, "pc_shift", self.pc_shift.into(), "0 to 4")?;
        ParamError::unless(matches!(self.upper_bits, 0 | 12), "upper_bits", self.upper_bits.into(), "0 or 12")
    }

    /// Bits of predictor state, for addresses of `address_bits` significant bits: what the papers'
    /// 1.5 gates per bit rule counts. Tables, BHR, PIR, RAS pointer and count, LRU and valid bits.
    pub fn state_bits(&self, address_bits: u32) -> u32 {
        let upper = u32::from(self.upper_bits);
        self.outcome.state_bits() + self.target.state_bits(address_bits - upper) + upper
    }
}

impl Scheme for TrParams {
    const FAMILY: Family = Family::Tr;
    const CODE: u8 = 0;
    const PREDICTS: bool = true;
    type Front = model::Front;
    type Coder = Writer<Coder>;
    type Replay<'a> = replay::Replay;

    fn forms() -> Vec<&'static str> {
        CoderParams::FORMS.concat()
    }

    fn blocks() -> Vec<&'static str> {
        [OutcomeParams::BLOCKS, &TargetParams::BLOCKS.concat(), &["messages"]].concat()
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        // a coder name identifies this scheme, even if the set is missing or unknown
        CoderParams::parse(head, true)?;
        // a shared set of predictors is a separate scheme
        if tail?.ends_with("+shared") {
            return None;
        }
        Some(Self::set(tail?).and_then(|params| {
            let coder = CoderParams::parse(head, params.target.predicts()).unwrap_or(params.coder);
            coder.check().map(|()| Self { coder, ..params })
        }))
    }

    fn name(&self) -> String {
        format!("{}:{}", self.coder.name(self.target.predicts()), self.set_name())
    }

    fn set(&self) -> Option<String> {
        Some(self.set_name()).filter(|name| !name.contains('/'))
    }

    fn needs_call_types(&self) -> bool {
        !matches!(self.target, TargetParams::RasIbtb(sizes) if sizes.ras == 0 && sizes.ibtb == 0)
    }

    fn predictors(&self) -> Option<(TrParams, bool)> {
        Some((*self, false))
    }

    fn infers(&self) -> bool {
        self.inferable
    }

    fn is_serial(&self) -> bool {
        self.coder.is_serial()
    }

    fn chunks(&self) -> Option<Coding> {
        match self.coder {
            CoderParams::Chunked(coding) => Some(coding),
            _ => None,
        }
    }

    fn with_default_chunks(&self) -> Self {
        self.chunks().map_or(*self, |_| self.coded(Coding::TR_E))
    }

    fn canonical(&self, platform: &Platform) -> String {
        format!(
            "{} {} shift={} upper={}{} {} {}",
            self.outcome.canonical(),
            self.target.canonical(),
            self.pc_shift,
            self.upper_bits,
            if self.inferable { " inferable" } else { "" },
            self.coder.canonical(),
            platform.canonical()
        )
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        self.check_sizes()?;
        platform.check_inferable(self.inferable)?;
        self.coder.check()
    }

    fn state_bits(&self, platform: &Platform) -> u32 {
        TrParams::state_bits(self, platform.address_bits())
    }

    fn warm_up(&self) -> u32 {
        self.outcome.clear_clocks().max(self.target.clear_clocks()) + WARM_UP_MARGIN
    }

    fn front(&self, platform: &Platform) -> Self::Front {
        model::Front::new(self, platform)
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        Writer::new(platform, self.coder.code())
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(self, platform, Reader::new(platform, self.coder.code()))
    }
}

/// A predictor set that the papers name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSet {
    /// Name as in the papers, lower case.
    pub name: &'static str,
    /// Its sizes, with variable encoding (`tr_e`).
    pub params: TrParams,
}

const fn set(name: &'static str, gshare: u16, ras: u8, ibtb: u8) -> NamedSet {
    NamedSet { name, params: TrParams::sizes(gshare, ras, ibtb) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_sets_are_legal_and_distinct_by_name() {
        for s in NAMED_SETS {
            s.params.check(&Platform::RV32).unwrap();
            assert_eq!(named_set(s.name).unwrap(), s);
        }
    }

    #[test]
    fn state_bits_are_those_worked_by_hand() {
        // 512 counters and a 9-bit BHR; 8 x 31 bits, 3-bit pointer, 4-bit count
        assert_eq!(named_set("small").unwrap().params.state_bits(31), 1024 + 9 + 248 + 7);
        // 12 bits once instead of in 8 entries
        assert_eq!(TrParams::set("small+upper12").unwrap().state_bits(31), 1024 + 9 + 8 * 19 + 7 + 12);
    }

    #[test]
    fn illegal_sizes_say_what_would_be_right() {
        let say = |text: &str| TrParams::set(text).unwrap_err().to_string();
        assert_eq!(say("500/8/0"), "gshare = 500, expected 256, 512, 1024, 2048 or 4096");
        assert_eq!(say("512/300/0"), "ras = 300, expected 0, 8, 16 or 32");
        assert_eq!(say("small+shift5"), "pc_shift = 5, expected 0 to 4");
        assert!(say("small+left2").starts_with("predictor set `small+left2` is not known"));
    }
}
