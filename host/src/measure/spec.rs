//! Schemes by name, including those that no trace module implements

use super::baseline::Baseline;
use super::etrace::Etrace;
use super::ntrace::Ntrace;
use super::stream::{Shared, Stream};
use super::TraceScheme;
use retire::image::Image;
use sim::core_trace::SyncPeriod;
use sim::params::{ParamError, TraceParams};
use sim::platform::Platform;
use sim::scheme::any::{AnyScheme, SchemeName, TraceOptions};
use sim::scheme::{Family, FlowScheme};

/// A scheme by name, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeSpec {
    /// Name, as given by the user.
    pub name: String,
    /// The scheme.
    scheme: AnyScheme,
    /// Platform settings in the name.
    stated: TraceOptions,
}

/// Error of a scheme name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemeError {
    /// It has none of the forms of the table above.
    #[error(
        "scheme `{0}` is not known; expected one of {forms}; {stated}",
        forms = AnyScheme::forms().join(", "),
        stated = TraceOptions::FORMS
    )]
    Unknown(String),
    /// The scheme does not trace control flow.
    #[error("scheme `{0}` is not measured in a sweep, which traces the control flow; `goshawk stats --scheme {0}` measures it")]
    Data(String),
    /// A set or a size is invalid.
    #[error("scheme `{name}`: {source}{}", more(.source))]
    Params {
        /// Name, as given by the user.
        name: String,
        /// Reason.
        source: ParamError,
    },
}

/// Further valid suffixes of a name with an unknown set.
fn more(source: &ParamError) -> String {
    match source {
        ParamError::UnknownSet(_) | ParamError::UnknownFollowSet(_) | ParamError::UnknownStreamCache(_) => {
            format!("; {}", TraceOptions::FORMS)
        }
        _ => String::new(),
    }
}

impl SchemeSpec {
    /// The scheme of this name; see the table of the module.
    pub fn parse(name: &str) -> Result<Self, SchemeError> {
        let illegal = |source| SchemeError::Params { name: name.to_string(), source };
        let found = name.parse::<SchemeName>().map_err(|e| match e {
            ParamError::UnknownScheme { .. } => SchemeError::Unknown(name.to_string()),
            source => illegal(source),
        })?;
        let SchemeName { scheme, data, stated } = found;
        match scheme {
            AnyScheme::Flow(flow) if data.is_none() => {
                let platform = stated.on(&Platform::RV32);
                flow.check(&platform).map_err(illegal)?;
                let period = stated.sync_period.map(SyncPeriod::new).transpose().map_err(illegal)?;
                TraceParams::new(platform, flow).check_period(period).map_err(illegal)?;
            }
            AnyScheme::Flow(_) | AnyScheme::Inputs(_) | AnyScheme::Cfiat(_) => {
                return Err(SchemeError::Data(name.to_string()));
            }
            AnyScheme::Shared(_) | AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => {}
        }
        Ok(Self { name: name.to_string(), scheme, stated })
    }

    /// The platform, with the settings in the name applied.
    pub fn on(&self, platform: &Platform) -> Platform {
        self.stated.on(platform)
    }

    /// Synchronisation period.
    pub fn sync_period(&self) -> Option<u8> {
        self.stated.sync_period
    }

    /// Family of the scheme.
    pub fn family(&self) -> Family {
        match &self.scheme {
            AnyScheme::Flow(flow) => flow.family(),
            AnyScheme::Shared(_) => Family::Shared,
            AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => Family::Baseline,
            AnyScheme::Inputs(_) | AnyScheme::Cfiat(_) => unreachable!("refused in `parse`"),
        }
    }

    /// Whether it needs the program: a recording of the run is not enough.
    pub fn needs_program(&self) -> bool {
        matches!(self.scheme, AnyScheme::Etrace(_) | AnyScheme::Ntrace(_))
    }

    /// The part of the name before the set: the encoding.
    pub fn encoding(&self) -> &str {
        self.name.rsplit_once(':').map_or(&self.name, |n| n.0)
    }

    /// The set, or the shape of the stream cache; empty if there is none.
    pub fn set(&self) -> &str {
        self.name.rsplit_once(':').map_or("", |n| n.1)
    }

    /// The scheme of the control flow, if a trace module implements it.
    pub fn flow(&self) -> Option<FlowScheme> {
        self.scheme.flow().copied()
    }

    /// Canonical text of everything that affects its output on a platform, except its name.
    pub fn canonical(&self, platform: &Platform) -> String {
        let platform = &self.on(platform);
        self.flow().map_or_else(|| platform.canonical(), |scheme| scheme.canonical(platform))
    }

    /// Refuses platforms that it does not support.
    pub fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        let platform = &self.on(platform);
        platform.check()?;
        self.flow().map_or(Ok(()), |scheme| scheme.check(platform))
    }

    /// Bits of state of all cores on a platform: predictors or stream cache.
    pub fn state_bits(&self, platform: &Platform) -> u64 {
        let platform = &self.on(platform);
        match &self.scheme {
            AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => 0,
            AnyScheme::Shared(set) => set.0.state_bits(platform.address_bits()).into(),
            AnyScheme::Flow(flow) => {
                // predictors that all cores share exist once
                let copies = if flow.takes_turns() { 1 } else { platform.cores };
                u64::from(flow.state_bits(platform)) * u64::from(copies)
            }
            AnyScheme::Inputs(_) | AnyScheme::Cfiat(_) => unreachable!("refused in `parse`"),
        }
    }

    /// Starts the scheme on a run. With `keep` the stream is kept for verification. `image` is the program, if known;
    /// E-Trace, N-Trace and schemes that infer jumps require it.
    pub fn build<'a>(
        &self,
        platform: &Platform,
        keep: bool,
        image: Option<&'a Image>,
    ) -> Result<Box<dyn TraceScheme + 'a>, ParamError> {
        self.check(platform)?;
        let platform = &self.on(platform);
        Ok(match &self.scheme {
            AnyScheme::Flow(scheme) => {
                let period = self.stated.sync_period.map(SyncPeriod::new).transpose()?;
                Box::new(Stream::new(TraceParams::new(*platform, *scheme), period, keep, image)?)
            }
            AnyScheme::Shared(set) => Box::new(Shared::new(&set.0, platform)),
            AnyScheme::Baseline(compressor) => Box::new(Baseline::new(*compressor, *platform, keep)),
            AnyScheme::Etrace(options) => Box::new(Etrace::new(*options, *platform, keep, image)),
            AnyScheme::Ntrace(modes) => Box::new(Ntrace::new(*modes, *platform, keep, image)),
            AnyScheme::Inputs(_) | AnyScheme::Cfiat(_) => unreachable!("refused in `parse`"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::scheme::tr::TrParams;

    #[test]
    fn names_give_the_schemes_they_say() {
        let spec = |name: &str| SchemeSpec::parse(name).unwrap();
        let family = |name: &str| spec(name).family();
        let names = [
            "tr_b:m4",
            "tr(bcnt=1,1):s0",
            "nexs",
            "sc-lsp:rbase-32x4",
            "shared:large",
            "edmtf(192,4)",
            "etrace+ir8",
            "ntrace",
        ];
        let [a, b, c, d, e] = [Family::Tr, Family::Nexus, Family::ScLsp, Family::Shared, Family::Baseline];
        assert_eq!(names.map(family), [a, a, b, c, d, e, e, e]);
        let one = spec("tr(bcnt=1,1):m4");
        assert_eq!((one.encoding(), one.set()), ("tr(bcnt=1,1)", "m4"));
        assert_eq!(spec("tr_e:256/0/0").flow(), spec("tr_e:s0").flow());
        assert_eq!(spec("etrace").flow(), None);
        let small = TrParams::sizes(512, 8, 0).state_bits(31);
        let state = |name| spec(name).state_bits(&Platform { cores: 3, ..Platform::RV32 });
        assert_eq!(
            ["tr_e:small", "shared:small", "nx_b", "xz-9"].map(state),
            [3 * u64::from(small), small.into(), 0, 0]
        );
    }

    #[test]
    fn a_name_says_widths_alignment_and_synchronisation() {
        let platform = Platform { cores: 2, align: 1, ..Platform::RV32 };
        for (name, flow) in [
            ("tr_e:m4+shift2+count18+cc24+align0+sync12", "tr_e:m4+shift2"),
            ("nx_b(bcnt=4,4)+sync12+align0+cc24+count18", "nx_b(bcnt=4,4)"),
            ("nexs+cc24+sync12+count18+align0", "nexs"),
            ("sc-lsp:rbase-32x4+run5+count18+cc24+align0+sync12", "sc-lsp:rbase-32x4+run5"),
        ] {
            let spec = SchemeSpec::parse(name).unwrap();
            assert_eq!(spec.flow(), Some(flow.parse().unwrap()));
            assert_eq!(spec.on(&platform), Platform { count_bits: 18, cc_bits: 24, align: 0, ..platform }, "{name}");
            assert_eq!((spec.sync_period(), spec.name.as_str()), (Some(12), name));
            // without settings, the platform is unchanged
            assert_eq!(SchemeSpec::parse(flow).unwrap().on(&platform), platform);
        }
        for (bad, why) in [
            ("tr_e:m4+count15", "count_bits = 15, expected 16 to 24"),
            ("nx_b+cc33", "cc_bits = 33, expected 16 to 32"),
            ("nexs+align3", "align = 3, expected 0 to 2"),
            ("tr_e:m4+sync9", "sync period = 9, expected 10 to 31"),
            ("tr_e:m4+count18+count20", "+align0 to +align2"),
            ("tr_e:m4+wide3", "+count16 to +count24"),
            ("tr_e:m4+count", "+count16 to +count24"),
            ("sc-lsp:rbase-32x4+count999", "+sync10 to +sync31"),
            ("nx_b+foo1", "+cc16 to +cc32"),
            ("gzip-9+count18", "is not known"),
            ("shared:small+count18", "predictor set `small+count18`"),
        ] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.contains(why), "{bad}: {e}");
        }
    }

    #[test]
    fn unknown_schemes_are_rejected_with_the_valid_forms() {
        for bad in ["", "tr_e", "nx_b:m4", "foo", "shared", "etrace+x"] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.starts_with(&format!("scheme `{bad}` is not known; expected one of tr_e:SET, ")), "{e}");
        }
        for (bad, why) in [("tr_e:300/8/0", "gshare = 300"), ("shared:huge", "predictor set `huge`")] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.starts_with(&format!("scheme `{bad}`: {why}")), "{e}");
        }
    }
}
