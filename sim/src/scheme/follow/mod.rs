//! Small predictors, one of which follows the past: a message for each misprediction, its run in an adaptive code
//!
//! | module | contents |
//! | --- | --- |
//! | `sizes` | sizes, named sets, names |
//! | `hash` | hash of an address, the history and its folds |
//! | `bimodal`, `tagged`, `tables` | counters by address, with tags by address and history, and both together |
//! | `loops` | loops with a constant number of iterations |
//! | `past` | the outcomes after the last point at which the path was the same |
//! | `context` | which of them is believed |
//! | `dictionary`, `last`, `path`, `stack`, `targets` | targets of indirect branches |
//! | `predictor` | all of one core, as encoder and replay run them |
//! | `runs`, `record` | messages as bits |
//! | `model`, `replay` | front end of one core; the decoder |
//! | `arithmetic` | the same predictors with an arithmetic coder |
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)"; why: `docs/maintainers/decisions/0036-follow.md`.

pub mod arithmetic;
pub mod bimodal;
pub mod context;
pub mod dictionary;
pub mod hash;
pub mod last;
pub mod loops;
pub mod model;
pub mod past;
pub mod path;
pub mod predictor;
pub mod record;
pub mod replay;
pub mod runs;
pub mod sizes;
pub mod stack;
pub mod tables;
pub mod tagged;
pub mod targets;

pub use arithmetic::ArithmeticParams;

use super::{Family, Scheme, WARM_UP_MARGIN};
use crate::platform::{ParamError, Platform};
use sizes::Sizes;

/// Parameters of the scheme: the sizes of the predictors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FollowParams(pub Sizes);

impl Scheme for FollowParams {
    const FAMILY: Family = Family::Follow;
    const CODE: u8 = 4;
    const PREDICTS: bool = true;
    type Front = model::Front;
    type Coder = record::Coder;
    type Replay<'a> = replay::Replay;

    fn forms() -> Vec<&'static str> {
        vec!["follow:m"]
    }

    fn blocks() -> Vec<&'static str> {
        vec![
            "tables",
            "tagged",
            "bimodal",
            "loops",
            "past",
            "contexts",
            "target_predictor",
            "target_tables",
            "return_stack",
            "messages",
        ]
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        (head == "follow").then_some(Sizes::set(tail?).map(Self))
    }

    fn name(&self) -> String {
        format!("follow:{}", self.0.name())
    }

    fn set(&self) -> Option<String> {
        self.0.named().map(Into::into)
    }

    fn canonical(&self, platform: &Platform) -> String {
        format!("follow {} {}", self.0.canonical(), platform.canonical())
    }

    fn infers(&self) -> bool {
        self.0.inferable
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        platform.check_inferable(self.0.inferable)?;
        self.0.check()
    }

    fn state_bits(&self, platform: &Platform) -> u32 {
        self.0.state_bits(platform.address_bits())
    }

    fn warm_up(&self) -> u32 {
        self.0.largest() + WARM_UP_MARGIN
    }

    fn front(&self, platform: &Platform) -> Self::Front {
        model::Front::new(&self.0, platform)
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        record::Coder::new(platform)
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(&self.0, platform)
    }
}
