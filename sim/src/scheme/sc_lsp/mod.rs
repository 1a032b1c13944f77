//! Stream cache and last stream predictor: the trace scheme `sc-lsp`
//!
//! The instructions of a core are split into streams that end where the flow leaves the straight line. A
//! stream is identified by its start address and length. The stream cache maps this descriptor to an index. The last
//! stream predictor reduces the index to one bit if the same stream followed last time.
//!
//! # Source
//! Paper 001; what it leaves open and the choices made here: `docs/explanation/stream-cache.md`. The bits:
//! `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)".

pub mod cache;
pub mod model;
pub mod params;
pub mod reader;
pub mod record;
pub mod replay;
pub mod tables;

pub use model::{Counts, Front};
pub use params::{Hash, StreamCacheParams, Variant};
pub use record::Record;

use super::{Family, Scheme, WARM_UP_MARGIN};
use crate::platform::{ParamError, Platform};

impl Scheme for StreamCacheParams {
    const FAMILY: Family = Family::ScLsp;
    const CODE: u8 = 2;
    const PREDICTS: bool = false;
    type Front = Front;
    type Coder = record::Writer;
    type Replay<'a> = replay::Replay<'a>;

    fn forms() -> Vec<&'static str> {
        vec!["sc-lsp:rbase-32x4"]
    }

    fn blocks() -> Vec<&'static str> {
        vec!["detector", "stream_cache", "lsp", "records"]
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        match (head, tail) {
            ("sc-lsp", Some(shape)) => Some(Self::shape(shape)),
            _ => None,
        }
    }

    fn name(&self) -> String {
        format!("sc-lsp:{}", self.shape_name())
    }

    fn set(&self) -> Option<String> {
        Self::named(&self.shape_name()).is_ok().then(|| self.shape_name())
    }

    fn stream_cache(&self) -> Option<Self> {
        Some(*self)
    }

    fn canonical(&self, platform: &Platform) -> String {
        // the cycle counter only with time stamps: unused sizes must not give one stream two fingerprints
        let Platform { timestamps, cores, xlen, align, count_bits, cc_bits, .. } = platform;
        let time =
            if *timestamps { format!(" timestamps=1 diffcc={} cc={cc_bits}", Self::DIFF_CC) } else { String::new() };
        let signature = platform.canonical_signature();
        format!("{} cores={cores} xlen={xlen} align={align} count={count_bits}{time}{signature}", self.sizes())
    }

    fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        platform.without_context()?;
        StreamCacheParams::check(self, platform.xlen)
    }

    fn state_bits(&self, platform: &Platform) -> u32 {
        StreamCacheParams::state_bits(self, platform.address_bits())
    }

    fn warm_up(&self) -> u32 {
        self.entries() + WARM_UP_MARGIN
    }

    fn front(&self, platform: &Platform) -> Self::Front {
        Front::new(self, platform)
    }

    fn coder(&self, platform: &Platform) -> Self::Coder {
        record::Writer::new(self, platform)
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        replay::Replay::new(self, platform)
    }
}
