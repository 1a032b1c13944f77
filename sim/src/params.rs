//! Parameters of a trace: platform, control-flow scheme and data scheme; shared by model, circuit, decoder
//! and CLI
//!
//! The parameters of a scheme are in its folder; some of their names are re-exported here.

pub use crate::chunk::Chunks;
use crate::core_trace::SyncPeriod;
pub use crate::platform::{ParamError, Platform};
use crate::scheme::any::{AnyScheme, SchemeName, TraceOptions};
pub use crate::scheme::nexus::NexusParams;
pub use crate::scheme::sc_lsp::StreamCacheParams;
pub use crate::scheme::tr::coder::chunked::Coding;
pub use crate::scheme::tr::{named_set, NamedSet, TrParams, NAMED_SETS};
pub use crate::scheme::{DataScheme, FlowScheme};
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

mod old;

/// Parameters that determine a trace stream: model, circuit and decoder are built from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "old::Stored")]
pub struct TraceParams {
    /// Cores and field widths; its fields can be read as those of the parameters.
    #[serde(flatten)]
    pub platform: Platform,
    /// Control-flow scheme. Files store it by name.
    pub flow: FlowScheme,
    /// Scheme of load values, in a separate stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataScheme>,
}

impl Deref for TraceParams {
    type Target = Platform;

    fn deref(&self) -> &Platform {
        &self.platform
    }
}

impl DerefMut for TraceParams {
    fn deref_mut(&mut self) -> &mut Platform {
        &mut self.platform
    }
}

impl TraceParams {
    /// A scheme on a platform.
    pub const fn new(platform: Platform, flow: FlowScheme) -> Self {
        Self { platform, flow, data: None }
    }

    /// T-raptor on one functional core, RV32 with C.
    pub const fn tr(params: TrParams) -> Self {
        Self::new(Platform::RV32, FlowScheme::Tr(params))
    }

    /// Nexus-like on one functional core, RV32 with C.
    pub const fn nexus(params: NexusParams) -> Self {
        Self::new(Platform::RV32, FlowScheme::Nexus(params))
    }

    /// A stream cache on one functional core, RV32 with C.
    pub const fn sc_lsp(params: StreamCacheParams) -> Self {
        Self::new(Platform::RV32, FlowScheme::ScLsp(params))
    }

    /// These parameters, modified by `change`.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Parses both schemes of a name: control flow, and after a comma the data, `tr_e:small,cfiat:16k`.
    ///
    /// # Errors
    /// The name is that of another kind of scheme, or has options.
    pub fn schemes(name: &str) -> Result<(FlowScheme, Option<DataScheme>), ParamError> {
        let SchemeName { scheme, data, stated } = name.parse()?;
        match scheme {
            AnyScheme::Flow(flow) if stated == TraceOptions::default() => Ok((flow, data)),
            _ => Err(ParamError::UnknownScheme { name: name.into(), forms: FlowScheme::forms().join(", ") }),
        }
    }

    /// The text that [`TraceParams::schemes`] reads.
    pub fn name(&self) -> String {
        self.data.map_or_else(|| self.flow.name(), |data| format!("{},{data}", self.flow.name()))
    }

    /// The same scheme and platform with time stamps.
    pub fn timed(self) -> Self {
        self.with(|p| p.timestamps = true)
    }

    /// The stream cache, if the scheme is `sc-lsp`.
    pub fn stream_cache(&self) -> Option<StreamCacheParams> {
        self.flow.stream_cache()
    }

    /// Bits of state of one core, as the papers count it: of the predictors, or of the stream cache with its
    /// buffers ([`StreamCacheParams::state_bits`]).
    pub fn state_bits(&self) -> u32 {
        self.flow.state_bits(&self.platform)
    }

    /// Rejects parameters that model and circuit do not support.
    pub fn check(&self) -> Result<(), ParamError> {
        self.platform.check()?;
        self.data.iter().try_for_each(|data| {
            self.platform.without_context()?;
            data.check(&self.platform)
        })?;
        self.flow.check(&self.platform)
    }

    /// Rejects a synchronisation period for a scheme without resyncs.
    pub fn check_period(&self, period: Option<SyncPeriod>) -> Result<(), ParamError> {
        let log2 = period.map_or(0, |p| p.instructions().or(p.bytes()).unwrap_or(0).trailing_zeros());
        let right = "none with +shared: a decoder cannot start in the middle of shared predictors";
        ParamError::unless(period.is_none() || !self.flow.takes_turns(), "sync period", log2, right)
    }

    /// All parameters of the control-flow stream on one line, in a fixed order: the input of
    /// [`TraceParams::fingerprint`]. Load values have a separate stream and fingerprint.
    pub fn canonical(&self) -> String {
        self.flow.canonical(&self.platform)
    }

    /// CRC-32 (IEEE) of [`TraceParams::canonical`]: in the stream header and the ID registers, so
    /// that a host never decodes with the wrong parameters.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_lines_hold_what_shapes_the_stream_and_nothing_else() {
        let line = |name: &str| TraceParams::new(Platform::RV32, name.parse().unwrap()).canonical();
        let platform = "timestamps=0 cores=1 xlen=32 align=1 count=20 cc=32";
        assert_eq!(
            line("tr_e:small+shift2"),
            format!("gshare=512 ras=8 ibtb=0 shift=2 upper=0 tr bcnt=3,2 diffta=3,4 diffcc=4,2 icnt=2,2 {platform}")
        );
        assert_eq!(line("nx_b"), format!("nx_b bcnt=8,8 diffta=16,16 diffcc=8,8 icnt=8,8 {platform}"));
        assert_eq!(line("nexs"), format!("nexs {platform}"));
        let sc = "sc-lsp variant=rbase sets=32 ways=4 sl=8 upper=12 hash=>>4 run=8 cores=1 xlen=32 align=1 count=20";
        assert_eq!(line("sc-lsp:rbase-32x4"), sc);
    }

    #[test]
    fn a_name_gives_back_the_scheme_that_it_was_made_from() {
        for name in [
            "tr_e:small",
            "tr_b:m4+shift2+upper12",
            "tr(bcnt=4,1;icnt=1,7):2048/32/0",
            "tr(bcnt=3,2):s0",
            "nx_b",
            "nx_b(diffta=4,4)",
            "nexs",
            "sc-lsp:base-64x2",
            "sc-lsp:rbase-32x4+left2+sl6+upper14+run5",
        ] {
            let scheme: FlowScheme = name.parse().unwrap();
            assert_eq!(scheme.name(), name);
        }
        // the shortest name, whichever name was given
        for (given, name) in
            [("tr_e:512/8/0", "tr_e:small"), ("tr(bcnt=2,1):s0", "tr_e:s0"), ("nx_b(icnt=8,8)", "nx_b")]
        {
            assert_eq!(given.parse::<FlowScheme>().unwrap().name(), name);
        }
    }

    #[test]
    fn unknown_schemes_are_rejected_with_the_valid_forms() {
        let say = |name: &str| name.parse::<FlowScheme>().unwrap_err().to_string();
        for bad in ["", "tr_e", "tr_x:small", "tr():m4", "tr(bcnt=1):m4", "nx_b:m4", "sc-lsp", "foo", "tr(bcnt=1,1)"] {
            assert!(
                say(bad).starts_with(&format!("scheme `{bad}` is not known; expected one of tr_e:SET, ")),
                "{}",
                say(bad)
            );
        }
        assert!(say("tr_e:huge").contains("predictor set `huge`"));
        assert_eq!(say("tr(bcnt=0,1):m4"), "bcnt chunk = 0, expected 1 to 16");
        assert!(say("sc-lsp:rbase-x3").contains("stream cache `rbase-x3`"));
        assert_eq!(say("sc-lsp:rbase-48x4"), "sets = 48, expected a power of two");
        assert!(say("sc-lsp:rbase-32x4+up4").contains("stream cache `rbase-32x4+up4`"));
    }

    #[test]
    fn a_data_scheme_follows_a_comma_and_leaves_the_flow_fingerprint() {
        for name in [
            "tr_e:small,cfiat:16k",
            "tr(bcnt=4,1):s0,cfiat(fah=4,4;value=8,6):1k+gran4",
            "sc-lsp:base-64x2,cfiat:32k",
            "tr_e:m4,cfiat:32k+shared",
        ] {
            let (flow, data) = TraceParams::schemes(name).unwrap();
            let alone = TraceParams::new(Platform::RV32, flow);
            let both = alone.with(|p| p.data = data);
            assert_eq!((both.name(), both.fingerprint()), (name.to_string(), alone.fingerprint()));
            let json = serde_json::to_string(&both).unwrap();
            assert_eq!(serde_json::from_str::<TraceParams>(&json).unwrap(), both, "{json}");
            both.check().unwrap();
        }
        assert_eq!(TraceParams::schemes("tr_e:small").unwrap().1, None);
        let say = |name: &str, cores| match TraceParams::schemes(name) {
            Ok((flow, data)) => {
                let p = TraceParams::new(Platform { cores, ..Platform::RV32 }, flow).with(|p| p.data = data);
                p.check().unwrap_err().to_string()
            }
            Err(e) => e.to_string(),
        };
        assert!(say("cfiat:16k,tr_e:small", 1)
            .starts_with("scheme `cfiat:16k,tr_e:small` is not known; expected one of cfiat, "));
        assert_eq!(say("tr_e:small,cfiat:33k", 1), "bytes = 33792, expected a power of two from 16 to 4194304");
        assert!(
            say("tr_e:small,cfiat:16k+gran4+touched", 1).starts_with("gran = 4, expected 1, which +touched requires")
        );
    }

    #[test]
    fn parameters_of_old_files_are_read_and_those_of_new_ones() {
        let read = |json: &str| serde_json::from_str::<TraceParams>(json).unwrap();
        let old = |scheme: &str| {
            read(&format!(
                r#"{{"predictor":{{"gshare":1024,"ras":16,"ibtb":16,"pc_shift":2,"upper_bits":12}},"scheme":{scheme},
                "timestamps":true,"cores":4,"xlen":64,"align":2,"count_bits":18,"cc_bits":20}}"#
            ))
        };
        let chunks = r#""b_cnt":{"first":3,"next":2},"diff_ta":{"first":3,"next":4},"diff_cc":{"first":4,"next":2},"i_cnt":{"first":2,"next":2}"#;
        let sc = r#"{"scheme":"sc-lsp","variant":"ebase","sets":32,"ways":4,"sl_bits":8,"upper_bits":14,"hash":"left","shift":3,"run_bits":8}"#;
        for (scheme, name) in [
            (format!(r#"{{"scheme":"tr",{chunks}}}"#), "tr_e:medium+shift2+upper12"),
            (format!(r#"{{"scheme":"nx_b",{chunks}}}"#), "nx_b(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2)"),
            (r#"{"scheme":"nex_s"}"#.to_string(), "nexs"),
            (sc.to_string(), "sc-lsp:ebase-32x4+left3"),
        ] {
            let params = old(&scheme);
            assert_eq!(params.flow.name(), name);
            let Platform { timestamps, cores, xlen, align, count_bits, cc_bits, context, signature } = params.platform;
            assert_eq!((context, signature), (None, 0));
            assert_eq!((timestamps, cores, xlen, align, count_bits, cc_bits), (true, 4, 64, 2, 18, 20));
            let new = serde_json::to_string(&params).unwrap();
            assert_eq!(read(&new), params, "{new}");
        }
        insta::assert_snapshot!(
            serde_json::to_string(&TraceParams::tr(TrParams::sizes(512, 8, 0))).unwrap(),
            @r#"{"timestamps":false,"cores":1,"xlen":32,"align":1,"count_bits":20,"cc_bits":32,"flow":"tr_e:small"}"#
        );
    }
}
