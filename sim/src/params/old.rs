//! Parameters in files: the current format, and the one from before schemes had names

use super::{Coding, DataScheme, FlowScheme, NexusParams, Platform, StreamCacheParams, TrParams, TraceParams};
use crate::scheme::tr::coder::CoderParams;
use crate::scheme::tr::outcome::gshare::GshareSizes;
use crate::scheme::tr::outcome::OutcomeParams;
use crate::scheme::tr::target::ras_ibtb::RasIbtbSizes;
use crate::scheme::tr::target::TargetParams;
use serde::Deserialize;

/// Parameters as a file stores them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Stored {
    Named {
        #[serde(flatten)]
        platform: Platform,
        flow: FlowScheme,
        data: Option<DataScheme>,
    },
    Old {
        predictor: Predictor,
        scheme: Scheme,
        #[serde(flatten)]
        platform: Platform,
    },
}

#[derive(Deserialize)]
pub(super) struct Predictor {
    gshare: u16,
    ras: u8,
    ibtb: u8,
    pc_shift: u8,
    upper_bits: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", tag = "scheme")]
pub(super) enum Scheme {
    Tr(Coding),
    NxB(Coding),
    NexS,
    #[serde(rename = "sc-lsp")]
    ScLsp(StreamCacheParams),
}

impl From<Stored> for TraceParams {
    fn from(stored: Stored) -> Self {
        let (p, scheme, platform) = match stored {
            Stored::Named { platform, flow, data } => return Self { platform, flow, data },
            Stored::Old { predictor, scheme, platform } => (predictor, scheme, platform),
        };
        let flow = match scheme {
            Scheme::Tr(coding) => FlowScheme::Tr(TrParams {
                inferable: false,
                outcome: OutcomeParams::Gshare(GshareSizes { counters: p.gshare }),
                target: TargetParams::RasIbtb(RasIbtbSizes { ras: p.ras, ibtb: p.ibtb }),
                coder: CoderParams::Chunked(coding),
                pc_shift: p.pc_shift,
                upper_bits: p.upper_bits,
            }),
            Scheme::NxB(coding) => FlowScheme::Nexus(NexusParams::NxB(coding)),
            Scheme::NexS => FlowScheme::Nexus(NexusParams::NexS),
            Scheme::ScLsp(sc) => FlowScheme::ScLsp(sc),
        };
        Self::new(platform, flow)
    }
}
