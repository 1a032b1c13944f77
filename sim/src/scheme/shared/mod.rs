//! T-raptor with one set of predictors that all cores share, in the order in which their instructions retire
//!
//! A decoder can only follow such predictors if it knows that order, so the stream includes it. Cores take turns: a message
//! belongs to the core whose turn it is. Each turn ends with a message that gives its length and the next core
//! ([`Body::Turn`](crate::message::Body)). These messages encode the order; all others are mispredictions and escapes.
//!
//! | module | contents |
//! | --- | --- |
//! | this one | the parameters |
//! | `turns` | encoding of turns, for both sides |
//! | `coder` | messages and turns as bits |
//! | `replay` | the decoder |
//!
//! The golden model of a core is that of [`tr`](super::tr); its predictors are handed to the core whose turn it is
//! ([`Cores`](super::cores::Cores)). At each turn the counts of a core restart after the last control-flow instruction of
//! its previous turn.
//!
//! The start of a core clears nothing, because the other cores keep what they have learnt. There are no resyncs, since a
//! decoder that begins in the middle would have to know the predictors; and no contexts.
//!
//! # Source
//! Paper 003 section 3 (figure 3.3) and 6.3: shared T-raptor. The paper describes no decoder for it.

pub mod coder;
pub mod replay;
pub mod turns;

use super::fields::{Reader, Writer};
use super::tr::model::Front;
use super::tr::TrParams;
use super::{Family, Scheme};
use crate::platform::{ParamError, Platform};

/// Suffix of the names of this scheme.
const SUFFIX: &str = "+shared";

/// Parameters of shared T-raptor: those of T-raptor, with the predictors once for all cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedParams(pub TrParams);

impl Scheme for SharedParams {
    const FAMILY: Family = Family::TrShared;
    // it has no circuit; its messages are those of T-raptor
    const CODE: u8 = 0;
    const PREDICTS: bool = true;
    const TURNS: bool = true;
    type Front = Front;
    type Coder = coder::Coder;
    type Replay<'a> = replay::Replay;

    fn forms() -> Vec<&'static str> {
        vec!["tr_e:SET+shared"]
    }

    fn blocks() -> Vec<&'static str> {
        Vec::new()
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        TrParams::parse(head, tail?.strip_suffix(SUFFIX)).map(|params| params.map(Self))
    }

    fn name(&self) -> String {
        self.0.name() + SUFFIX
    }

    fn predictors(&self) -> Option<(TrParams, bool)> {
        Some((self.0, true))
    }

    fn infers(&self) -> bool {
        self.0.inferable
    }

    fn canonical(&self, platform: &Platform) -> String {
        format!("shared {}", self.0.canonical(platform))
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        platform.without_context()?;
        self.0.check(platform)
    }

    fn state_bits(&self, platform: &Platform) -> u32 {
        Scheme::state_bits(&self.0, platform)
    }

    fn warm_up(&self) -> u32 {
        self.0.warm_up()
    }

    fn front(&self, platform: &Platform) -> Self::Front {
        Front::new(&self.0, platform).shared()
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        coder::Coder::new(platform, Writer::in_turns(platform, self.0.coder.code()))
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(&self.0, platform, Reader::in_turns(platform, self.0.coder.code()))
    }
}
