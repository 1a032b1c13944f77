//! Scheme names of every kind: the grammar that all commands share
//!
//! A name is a scheme, followed by options:
//!
//! | option | meaning |
//! | --- | --- |
//! | `+count16` to `+count24`, `+cc16` to `+cc32`, `+align0` to `+align2`, `+sync10` to `+sync31` | widths, alignment and synchronisation period of a control-flow trace, in any order, each at most once |
//! | `,cfiat:16k` | load values traced with the control flow |
//!
//! Each command decides which schemes it supports: a `match` on [`AnyScheme`] names every kind.

use super::{cfiat, inputs, DataScheme, FlowScheme};
use crate::baseline::{self, etrace};
use crate::platform::{ParamError, Platform};
use crate::scheme::tr::TrParams;
use crate::standard::ntrace;
use std::fmt;
use std::str::FromStr;

/// A kind of scheme: parses and prints its names.
pub trait Named: Sized + fmt::Display {
    /// Patterns of its names, for help and error messages.
    fn forms() -> Vec<&'static str>;
    /// Parses a name; `None` if it belongs to another kind.
    fn find(name: &str) -> Option<Result<Self, ParamError>>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident($params:ty),)*) => {
        /// A scheme of any kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AnyScheme {
            $($(#[$doc])* $name($params),)*
        }

        impl AnyScheme {
            /// Name patterns of all schemes.
            pub fn forms() -> Vec<&'static str> {
                [$(<$params as Named>::forms(),)*].concat()
            }

            /// Finds the scheme with that name.
            ///
            /// # Errors
            /// No scheme has this name, or its sizes are not supported.
            pub fn find(name: &str) -> Result<Self, ParamError> {
                None$(.or_else(|| <$params as Named>::find(name).map(|p| p.map(Self::$name))))*.unwrap_or_else(|| {
                    Err(ParamError::UnknownScheme { name: name.into(), forms: Self::forms().join(", ") })
                })
            }
        }

        impl fmt::Display for AnyScheme {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$name(params) => params.fmt(f),)* }
            }
        }
    };
}

kinds! {
    /// A control-flow trace.
    Flow(FlowScheme),
    /// A recording of all inputs of the cores.
    Inputs(inputs::params::Sizes),
    /// A trace of load values.
    Cfiat(cfiat::params::Sizes),
    /// Misprediction rates of one predictor that all cores share, without a stream.
    Shared(SharedRatesOf),
    /// A software compressor.
    Baseline(baseline::Params),
    /// RISC-V E-Trace in software.
    Etrace(etrace::Options),
    /// RISC-V N-Trace in software.
    Ntrace(ntrace::Modes),
}

impl AnyScheme {
    /// The scheme of the control flow.
    pub fn flow(&self) -> Option<&FlowScheme> {
        match self {
            Self::Flow(flow) => Some(flow),
            Self::Inputs(_)
            | Self::Cfiat(_)
            | Self::Shared(_)
            | Self::Baseline(_)
            | Self::Etrace(_)
            | Self::Ntrace(_) => None,
        }
    }
}

impl Named for FlowScheme {
    fn forms() -> Vec<&'static str> {
        Self::forms()
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        Self::find(name)
    }
}

impl Named for inputs::params::Sizes {
    fn forms() -> Vec<&'static str> {
        // a wrong name with this prefix gets an error that lists the sizes
        vec!["inputs:SIZES"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        Self::is_name(name).then(|| name.parse())
    }
}

impl Named for cfiat::params::Sizes {
    fn forms() -> Vec<&'static str> {
        vec!["cfiat:SIZES"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        Self::is_name(name).then(|| name.parse())
    }
}

/// Predictors of one set, shared by all cores: `shared:SET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedRatesOf(pub TrParams);

impl fmt::Display for SharedRatesOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shared:{}", self.0.set_name())
    }
}

impl Named for SharedRatesOf {
    fn forms() -> Vec<&'static str> {
        vec!["shared:SET"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        let set = TrParams::set(name.strip_prefix("shared:")?);
        let right = "none with shared:SET, which counts events without their code";
        Some(set.and_then(|set| ParamError::unless(!set.inferable, "inferable", 1, right).map(|()| Self(set))))
    }
}

impl Named for baseline::Params {
    fn forms() -> Vec<&'static str> {
        vec!["tslz(256x12,9)", "edmtf(192,4)", "gzip-9", "zstd-19", "xz-9"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        name.parse().ok().map(Ok)
    }
}

impl Named for etrace::Options {
    fn forms() -> Vec<&'static str> {
        vec!["etrace+ir8+bp512+jtc64"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        name.parse().ok().map(Ok)
    }
}

impl Named for ntrace::Modes {
    fn forms() -> Vec<&'static str> {
        vec!["ntrace+btm+ir8+rh"]
    }

    fn find(name: &str) -> Option<Result<Self, ParamError>> {
        name.parse().ok().map(Ok)
    }
}

/// Options of a control-flow trace that follow the scheme in a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// Width of the instruction and branch counters.
    pub count_bits: Option<u8>,
    /// Width of the cycle counter.
    pub cc_bits: Option<u8>,
    /// Address bits that are always 0.
    pub align: Option<u8>,
    /// log2 of the synchronisation period.
    pub sync_period: Option<u8>,
}

impl TraceOptions {
    /// Pattern of the options, for help and error messages.
    pub const FORMS: &'static str =
        "the scheme of a trace module may be followed by +count16 to +count24, +cc16 to +cc32, +align0 to +align2 and +sync10 to +sync31";

    /// Splits off the options after a control-flow scheme. Any other name is returned unchanged.
    pub fn split(name: &str) -> (&str, Self) {
        let (mut rest, mut stated) = (name, Self::default());
        while let Some((front, word)) = rest.rsplit_once('+') {
            let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
            let field = match &word[..digits] {
                "count" => &mut stated.count_bits,
                "cc" => &mut stated.cc_bits,
                "align" => &mut stated.align,
                "sync" => &mut stated.sync_period,
                _ => break,
            };
            let Ok(value) = word[digits..].parse() else { break };
            if field.replace(value).is_some() {
                break;
            }
            rest = front;
        }
        match FlowScheme::find(rest) {
            Some(_) => (rest, stated),
            None => (name, Self::default()),
        }
    }

    /// The platform with the stated values in place of its own.
    pub fn on(&self, platform: &Platform) -> Platform {
        Platform {
            count_bits: self.count_bits.unwrap_or(platform.count_bits),
            cc_bits: self.cc_bits.unwrap_or(platform.cc_bits),
            align: self.align.unwrap_or(platform.align),
            ..*platform
        }
    }
}

/// A complete scheme name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeName {
    /// The scheme.
    pub scheme: AnyScheme,
    /// Load values traced with it.
    pub data: Option<DataScheme>,
    /// Options in the name.
    pub stated: TraceOptions,
}

impl FromStr for SchemeName {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, ParamError> {
        let comma = name.match_indices(',').find(|(at, _)| DataScheme::is_name(&name[at + 1..]));
        let (front, data) = match comma {
            Some((at, _)) if FlowScheme::find(TraceOptions::split(&name[..at]).0).is_some() => {
                (&name[..at], Some(name[at + 1..].parse()?))
            }
            _ => (name, None),
        };
        let (front, stated) = TraceOptions::split(front);
        let scheme = AnyScheme::find(front)?;
        if let AnyScheme::Flow(_) = scheme {
            stated.on(&Platform::RV32).check()?;
        }
        Ok(Self { scheme, data, stated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_scheme_has_names() {
        for (name, shortest) in [
            ("tr_e:512/8/0", "tr_e:small"),
            ("sc-lsp:rbase-32x4", "sc-lsp:rbase-32x4"),
            ("inputs", "inputs:512"),
            ("cfiat:16k+count24", "cfiat:16k+count24"),
            ("shared:large", "shared:large"),
            ("gzip-9", "gzip-9"),
            ("etrace+ir8", "etrace+ir8"),
            ("ntrace+ir8+rh", "ntrace+ir8+rh"),
        ] {
            let found: SchemeName = name.parse().unwrap();
            assert_eq!(
                (found.scheme.to_string().as_str(), found.data, found.stated),
                (shortest, None, TraceOptions::default())
            );
        }
        assert!("shared:m4+inferable".parse::<SchemeName>().is_err());
        let unknown = "inptus".parse::<SchemeName>().unwrap_err().to_string();
        for form in ["tr_e:SET", "inputs:SIZES", "cfiat:SIZES", "gzip-9", "etrace+ir8", "ntrace+btm"] {
            assert!(unknown.contains(form), "{unknown}");
        }
    }

    #[test]
    fn a_name_includes_widths_and_load_values() {
        let all: SchemeName = "tr_e:small+count18+sync12,cfiat:16k".parse().unwrap();
        assert_eq!(all.scheme, AnyScheme::Flow("tr_e:small".parse().unwrap()));
        assert_eq!(all.data, Some("cfiat:16k".parse().unwrap()));
        assert_eq!(all.stated, TraceOptions { count_bits: Some(18), sync_period: Some(12), ..TraceOptions::default() });
        let say = |name: &str| name.parse::<SchemeName>().unwrap_err().to_string();
        assert_eq!(say("tr_e:small+count30"), "count_bits = 30, expected 16 to 24");
        assert!(say("inputs,cfiat:16k").starts_with("scheme `inputs,cfiat:16k` is not known"));
    }
}
