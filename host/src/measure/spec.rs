//! Schemes by name, those included that no trace module has

use super::baseline::Baseline;
use super::etrace::Etrace;
use super::stream::{Shared, Stream};
use super::TraceScheme;
use retire::image::Image;
use sim::baseline::{self, etrace};
use sim::params::{ParamError, TraceParams};
use sim::platform::Platform;
use sim::scheme::tr::TrParams;
use sim::scheme::{Family, FlowScheme};

/// A scheme by name, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeSpec {
    /// As it was given.
    pub name: String,
    /// What makes the stream.
    kind: Kind,
}

/// What makes a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A trace system.
    System(FlowScheme),
    /// One predictor for all cores: none.
    Shared(TrParams),
    /// A compressor in software.
    Baseline(baseline::Params),
    /// E-Trace with these modes.
    Etrace(etrace::Options),
}

/// Why a name is no scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemeError {
    /// Not one of the forms above.
    #[error(
        "scheme `{0}` is not known: {forms}, tslz(256x12,9), edmtf(192,4), gzip-9, zstd-19, xz-9, etrace+ir8+bp512+jtc64 \
         and shared:SET are",
        forms = FlowScheme::forms().join(", ")
    )]
    Unknown(String),
    /// A set or a size that is not legal.
    #[error("scheme `{name}`: {source}")]
    Params {
        /// As it was given.
        name: String,
        /// Why not.
        source: ParamError,
    },
}

impl SchemeSpec {
    /// The scheme of that name, see the table above.
    pub fn parse(name: &str) -> Result<Self, SchemeError> {
        let illegal = |source| SchemeError::Params { name: name.to_string(), source };
        let kind = if let Some(scheme) = FlowScheme::find(name) {
            let scheme = scheme.map_err(illegal)?;
            scheme.check(&Platform::RV32).map_err(illegal)?;
            Kind::System(scheme)
        } else if let Some(set) = name.strip_prefix("shared:") {
            Kind::Shared(TrParams::set(set).map_err(illegal)?)
        } else {
            let compressor = name.parse().map(Kind::Baseline).ok();
            let kind = compressor.or_else(|| name.parse().map(Kind::Etrace).ok());
            kind.ok_or_else(|| SchemeError::Unknown(name.to_string()))?
        };
        Ok(Self { name: name.to_string(), kind })
    }

    /// What it is.
    pub fn family(&self) -> Family {
        match &self.kind {
            Kind::System(scheme) => scheme.family(),
            Kind::Shared(_) => Family::Shared,
            Kind::Baseline(_) | Kind::Etrace(_) => Family::Baseline,
        }
    }

    /// Whether it cannot do without the program: a recording of the run is not enough.
    pub fn needs_program(&self) -> bool {
        matches!(self.kind, Kind::Etrace(_))
    }

    /// The part of the name before the set: the encoding.
    pub fn encoding(&self) -> &str {
        self.name.rsplit_once(':').map_or(&self.name, |n| n.0)
    }

    /// The set, or the shape of the stream cache; empty where there is none.
    pub fn set(&self) -> &str {
        self.name.rsplit_once(':').map_or("", |n| n.1)
    }

    /// What tells the control flow, if a trace module could.
    pub fn flow(&self) -> Option<FlowScheme> {
        match self.kind {
            Kind::System(scheme) => Some(scheme),
            Kind::Shared(_) | Kind::Baseline(_) | Kind::Etrace(_) => None,
        }
    }

    /// All that shapes what it does on a platform, but for what its name says.
    pub fn canonical(&self, platform: &Platform) -> String {
        self.flow().map_or_else(|| platform.canonical(), |scheme| scheme.canonical(platform))
    }

    /// Refuses platforms that it cannot honour.
    pub fn check(&self, platform: &Platform) -> Result<(), ParamError> {
        platform.check()?;
        self.flow().map_or(Ok(()), |scheme| scheme.check(platform))
    }

    /// Bits of state of all cores on a platform: predictors or stream cache.
    pub fn state_bits(&self, platform: &Platform) -> u64 {
        match &self.kind {
            Kind::Baseline(_) | Kind::Etrace(_) => 0,
            Kind::Shared(params) => params.state_bits(platform.address_bits()).into(),
            Kind::System(scheme) => u64::from(scheme.state_bits(platform)) * u64::from(platform.cores),
        }
    }

    /// The scheme at the beginning of a run. With `keep` the stream is kept, to be verified. `image` is the
    /// program, where it is known; E-Trace cannot do without.
    pub fn build<'a>(
        &self,
        platform: &Platform,
        keep: bool,
        image: Option<&'a Image>,
    ) -> Result<Box<dyn TraceScheme + 'a>, ParamError> {
        self.check(platform)?;
        Ok(match &self.kind {
            Kind::System(scheme) => Box::new(Stream::new(TraceParams::new(*platform, *scheme), keep)?),
            Kind::Shared(params) => Box::new(Shared::new(params, platform)),
            Kind::Baseline(compressor) => Box::new(Baseline::new(*compressor, *platform, keep)),
            Kind::Etrace(options) => Box::new(Etrace::new(*options, *platform, keep, image)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_schemes_they_say() {
        let spec = |name: &str| SchemeSpec::parse(name).unwrap();
        let family = |name: &str| spec(name).family();
        let names =
            ["tr_b:m4", "tr(bcnt=1,1):s0", "nexs", "sc-lsp:rbase-32x4", "shared:large", "edmtf(192,4)", "etrace+ir8"];
        let [a, b, c, d, e] = [Family::Tr, Family::Nexus, Family::ScLsp, Family::Shared, Family::Baseline];
        assert_eq!(names.map(family), [a, a, b, c, d, e, e]);
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
    fn what_is_no_scheme_is_refused_with_the_right_forms() {
        for bad in ["", "tr_e", "nx_b:m4", "foo", "shared", "etrace+x"] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.starts_with(&format!("scheme `{bad}` is not known: tr_e:SET, ")), "{e}");
        }
        for (bad, why) in [("tr_e:300/8/0", "gshare = 300"), ("shared:huge", "parameter set `huge`")] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.starts_with(&format!("scheme `{bad}`: {why}")), "{e}");
        }
    }
}
