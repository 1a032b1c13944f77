//! The predictors of `follow` with an arithmetic coder: how sure the predictors are decides how many bits a branch takes
//!
//! Every conditional and every indirect branch is a decision: whether its prediction is right. Each core has a code of its own, so the stream is a
//! sequence of words of the cores. It has no time stamps, because decisions wait in the coder. The order between cores is that of the words.
//!
//! | module | contents |
//! | --- | --- |
//! | this one | the parameters |
//! | `probability` | probabilities of decisions by context |
//! | `encoder`, `decoder` | decisions, escapes and plain bits as words, and back |
//! | `words` | words in the stream, and the fields of an escape message |
//! | `front`, `replay` | front end of one core; the decoder |
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)"; why: `docs/maintainers/decisions/0045-arithmetic.md`.

pub mod decoder;
pub mod encoder;
pub mod front;
pub mod probability;
pub mod replay;
pub mod words;

use super::context;
use super::sizes::Sizes;
use super::FollowParams;
use crate::platform::{ParamError, Platform};
use crate::scheme::{Family, Scheme};

/// The option of a set that selects this coder.
const OPTION: &str = "arithmetic";

/// Bits of the encoder of one core: A, C, the bits left of a byte, the byte before, and the bytes of a word with their number.
const ENCODER_BITS: u32 = 12 + 24 + 4 + 9 + 24 + 2;
/// Bits of a probability.
const PROBABILITY_BITS: u32 = 7;

/// Parameters of the scheme: the sizes of the predictors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArithmeticParams(pub Sizes);

impl Scheme for ArithmeticParams {
    const FAMILY: Family = Family::FollowArithmetic;
    const CODE: u8 = 7;
    const PREDICTS: bool = true;
    type Front = front::Front;
    type Coder = words::Coder;
    type Replay<'a> = replay::Replay<'a>;

    fn forms() -> Vec<&'static str> {
        vec!["follow:m+arithmetic"]
    }

    fn blocks() -> Vec<&'static str> {
        Vec::new()
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        let (options, others): (Vec<_>, Vec<_>) = tail?.split('+').partition(|option| *option == OPTION);
        (head == "follow" && !options.is_empty()).then(|| Sizes::set(&others.join("+")).map(Self))
    }

    fn name(&self) -> String {
        format!("follow:{}+{OPTION}", self.0.name())
    }

    fn canonical(&self, platform: &Platform) -> String {
        format!("follow {} {OPTION} {}", self.0.canonical(), platform.canonical())
    }

    fn infers(&self) -> bool {
        self.0.inferable
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        platform.check_inferable(self.0.inferable)?;
        ParamError::unless(!platform.timestamps, "timestamps", 1, "none with +arithmetic")?;
        self.0.check()
    }

    fn state_bits(&self, platform: &Platform) -> u32 {
        let contexts = PROBABILITY_BITS * probability::CONTEXTS as u32;
        self.0.state_bits(platform.address_bits()) - context::COUNTER_BITS * context::CONTEXTS as u32
            + contexts
            + ENCODER_BITS
    }

    fn warm_up(&self) -> u32 {
        FollowParams(self.0).warm_up()
    }

    fn front(&self, platform: &Platform) -> Self::Front {
        front::Front::new(&self.0, platform)
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        words::Coder::new(platform)
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(&self.0, platform)
    }
}
