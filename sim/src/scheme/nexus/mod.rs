//! Nexus-like: a message for every taken conditional and every indirect branch, with the instructions since the last
//!
//! | module | contents |
//! | --- | --- |
//! | this one | parameters and names |
//! | `model` | front end of one core |
//! | `nexs` | messages in 8-bit units; chunked messages are in [`super::fields`] |
//! | `replay` | the decoder |
//!
//! # Source
//! Paper 000 section 2 and figure 7a (`nx_b`), paper 002 section 5.3 (`nexs`).

pub mod model;
pub mod nexs;
pub mod replay;

use super::fields::Writer;
use super::tr::coder::chunked::{Chunked, Coding};
use super::{Encode, Family, Scheme};
use crate::bits::BitWriter;
use crate::lengths::FieldLengths;
use crate::message::Message;
use crate::platform::{ParamError, Platform};

/// Encoding of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NexusParams {
    /// In chunks (paper 000 figure 7a).
    NxB(Coding),
    /// In groups of 6 bits, each after a 2-bit header (paper 002 section 5.3).
    NexS,
}

impl Scheme for NexusParams {
    const FAMILY: Family = Family::Nexus;
    const CODE: u8 = 1;
    const PREDICTS: bool = false;
    type Front = model::Front;
    type Coder = Coder;
    type Replay<'a> = replay::Replay;

    fn forms() -> Vec<&'static str> {
        vec!["nx_b", "nexs"]
    }

    fn blocks() -> Vec<&'static str> {
        vec!["messages"]
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        let params = match (head, tail) {
            ("nx_b", None) => Self::NxB(Coding::TR_B),
            ("nexs", None) => Self::NexS,
            (_, None) => Self::NxB(Coding::TR_B.with(head.strip_prefix("nx_b(")?.strip_suffix(')')?)?),
            (_, Some(_)) => return None,
        };
        Some(params.check_sizes().map(|()| params))
    }

    fn needs_call_types(&self) -> bool {
        false
    }

    fn name(&self) -> String {
        match self {
            Self::NxB(coding) => coding.difference("nx_b", &Coding::TR_B).unwrap_or_else(|| "nx_b".into()),
            Self::NexS => "nexs".into(),
        }
    }

    fn chunks(&self) -> Option<Coding> {
        match self {
            Self::NxB(coding) => Some(*coding),
            Self::NexS => None,
        }
    }

    fn with_default_chunks(&self) -> Self {
        self.chunks().map_or(*self, |_| Self::NxB(Coding::TR_B))
    }

    fn canonical(&self, platform: &Platform) -> String {
        match self {
            Self::NxB(coding) => format!("nx_b {} {}", coding.sizes(), platform.canonical()),
            Self::NexS => format!("nexs {}", platform.canonical()),
        }
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        match self {
            Self::NxB(_) => {}
            Self::NexS => platform.without_context()?,
        }
        self.check_sizes()
    }

    fn state_bits(&self, _: &Platform) -> u32 {
        0
    }

    // nothing is predicted
    fn warm_up(&self) -> u32 {
        0
    }

    fn front(&self, _: &Platform) -> Self::Front {
        model::Front
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        match self {
            Self::NxB(coding) => Coder::Chunks(Writer::new(platform, Chunked::new(*coding))),
            Self::NexS => Coder::Groups(nexs::Writer::new(platform)),
        }
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(self, platform)
    }
}

impl NexusParams {
    fn check_sizes(&self) -> Result<(), ParamError> {
        match self {
            Self::NxB(coding) => coding.check(),
            Self::NexS => Ok(()),
        }
    }
}

/// Writes the messages of all cores.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one per stream; a box would be one more load per field")]
pub enum Coder {
    /// `nx_b`.
    Chunks(Writer<Chunked>),
    /// `nexs`.
    Groups(nexs::Writer),
}

impl Encode for Coder {
    fn encode(&mut self, message: &Message, out: &mut BitWriter) {
        match self {
            Self::Chunks(w) => w.encode(message, out),
            Self::Groups(w) => w.encode(message, out),
        }
    }

    fn flush(&mut self, out: &mut BitWriter) {
        match self {
            Self::Chunks(w) => w.flush(out),
            Self::Groups(w) => w.flush(out),
        }
    }

    fn count_lengths(&mut self) {
        match self {
            Self::Chunks(w) => w.count_lengths(),
            Self::Groups(w) => w.count_lengths(),
        }
    }

    fn lengths(&self) -> Option<&FieldLengths> {
        match self {
            Self::Chunks(w) => w.lengths(),
            Self::Groups(w) => w.lengths(),
        }
    }
}
