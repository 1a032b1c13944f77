//! Schemes by name

use super::baseline::Baseline;
use super::etrace::Etrace;
use super::stream::{Shared, Stream};
use super::{Platform, TraceScheme};
use crate::baseline::{self, etrace};
use crate::params::{named_set, Chunks, Coding, ParamError, PredictorParams, Scheme, TraceParams};
use crate::stream_cache::StreamCacheParams;
use retire::image::Image;
use serde::{Deserialize, Serialize};

/// What kind of thing a scheme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// T-raptor.
    Tr,
    /// Nexus-like, chunked or in groups of 6 bits.
    Nexus,
    /// Stream cache.
    ScLsp,
    /// A compressor in software, which knows no time.
    Baseline,
    /// One predictor for all cores, which makes no stream.
    Shared,
}

/// A scheme by name, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeSpec {
    /// As it was given.
    pub name: String,
    /// What makes the stream.
    kind: Kind,
    /// Parameters; those of the platform are filled in by [`SchemeSpec::params`]. Of compressors only the
    /// platform is looked at.
    params: TraceParams,
}

/// What makes a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A trace system of the scheme in the parameters.
    System,
    /// One predictor for all cores: none.
    Shared,
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
        "scheme `{0}` is not known: tr_e:SET, tr_b:SET, tr(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2):SET, nx_b, nexs, \
         sc-lsp:rbase-32x4, tslz(256x12,9), edmtf(192,4), gzip-9, zstd-19, xz-9, etrace+ir8+bp512+jtc64 and shared:SET are"
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

/// A predictor set by name or as `gshare/RAS/iBTB`, with its `tr_e` coding.
pub fn parse_set(text: &str) -> Result<(PredictorParams, Coding), ParamError> {
    let mut parts = text.split('+');
    let base = parts.next().unwrap_or_default();
    let numbers: Vec<_> = base.split('/').map(str::parse::<u16>).collect();
    let (mut predictor, tr_e) = match numbers[..] {
        [Ok(gshare), Ok(ras), Ok(ibtb)] => {
            let byte =
                |field, v: u16, right| u8::try_from(v).map_err(|_| ParamError::Range { field, value: v.into(), right });
            let p = PredictorParams::sizes(
                gshare,
                byte("ras", ras, "0, 8, 16 or 32")?,
                byte("ibtb", ibtb, "0, 16, 32 or 64")?,
            );
            (p, if ras == 0 && ibtb == 0 { Coding::TR_E_SHORT } else { Coding::TR_E })
        }
        _ => named_set(base).map(|s| (s.predictor, s.tr_e))?,
    };
    for option in parts {
        let number = |prefix: &str| option.strip_prefix(prefix).and_then(|n| n.parse::<u8>().ok());
        if let Some(shift) = number("shift") {
            predictor.pc_shift = shift;
        } else if let Some(upper) = number("upper") {
            predictor.upper_bits = upper;
        } else {
            return Err(ParamError::UnknownSet(text.to_string()));
        }
    }
    predictor.check()?;
    Ok((predictor, tr_e))
}

/// Chunk sizes as `bcnt=2,1;icnt=2,2`; fields left out are those of `coding`.
pub fn parse_coding(fields: &str, mut coding: Coding) -> Option<Coding> {
    for field in fields.split(';') {
        let (name, value) = field.trim().split_once('=')?;
        let (first, next) = value.split_once(',')?;
        let chunks = Chunks::new(first.trim().parse().ok()?, next.trim().parse().ok()?);
        *match name.trim() {
            "bcnt" => &mut coding.b_cnt,
            "diffta" => &mut coding.diff_ta,
            "diffcc" => &mut coding.diff_cc,
            "icnt" => &mut coding.i_cnt,
            _ => return None,
        } = chunks;
    }
    Some(coding)
}

impl SchemeSpec {
    /// The scheme of that name, see the table above.
    pub fn parse(name: &str) -> Result<Self, SchemeError> {
        let unknown = || SchemeError::Unknown(name.to_string());
        let legal = |source| SchemeError::Params { name: name.to_string(), source };
        // the Nexus-like schemes have no predictors; what stands there is not looked at
        let none = PredictorParams::sizes(256, 0, 0);
        let (head, tail) = match name.rsplit_once(':') {
            Some((head, tail)) => (head, Some(tail)),
            None => (name, None),
        };
        let inner = |kind: &str| head.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')');
        let set = || tail.ok_or_else(unknown).and_then(|t| parse_set(t).map_err(legal));
        let chunks = |fields, others| parse_coding(fields, others).ok_or_else(unknown);
        let nexus = |scheme| TraceParams { scheme, ..TraceParams::tr(none, Coding::TR_B) };
        let mut kind = Kind::System;
        let params = match (head, tail) {
            ("tr_e", _) => set().map(|(p, tr_e)| TraceParams::tr(p, tr_e))?,
            ("tr_b", _) => TraceParams::tr(set()?.0, Coding::TR_B),
            ("shared", _) => {
                kind = Kind::Shared;
                set().map(|(p, tr_e)| TraceParams::tr(p, tr_e))?
            }
            ("sc-lsp", Some(shape)) => TraceParams::sc_lsp(StreamCacheParams::named(shape).map_err(legal)?),
            ("nx_b", None) => nexus(Scheme::NxB(Coding::TR_B)),
            ("nexs", None) => nexus(Scheme::NexS),
            _ => {
                if let Some(fields) = inner("tr") {
                    let (p, tr_e) = set()?;
                    TraceParams::tr(p, chunks(fields, tr_e)?)
                } else if tail.is_some() {
                    return Err(unknown());
                } else if let Some(fields) = inner("nx_b") {
                    nexus(Scheme::NxB(chunks(fields, Coding::TR_B)?))
                } else {
                    let compressor = name.parse().map(Kind::Baseline).ok();
                    kind = compressor.or_else(|| name.parse().map(Kind::Etrace).ok()).ok_or_else(unknown)?;
                    TraceParams::tr(none, Coding::TR_B)
                }
            }
        };
        params.check().map_err(legal)?;
        Ok(Self { name: name.to_string(), kind, params })
    }

    /// What it is.
    pub fn family(&self) -> Family {
        match (&self.kind, &self.params.scheme) {
            (Kind::Shared, _) => Family::Shared,
            (Kind::Baseline(_) | Kind::Etrace(_), _) => Family::Baseline,
            (Kind::System, Scheme::Tr(_)) => Family::Tr,
            (Kind::System, Scheme::ScLsp(_)) => Family::ScLsp,
            (Kind::System, Scheme::NxB(_) | Scheme::NexS) => Family::Nexus,
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

    /// All parameters on a platform.
    pub fn params(&self, platform: &Platform) -> TraceParams {
        let Platform { cores, xlen, align, timestamps } = *platform;
        TraceParams { cores, xlen, align, timestamps, ..self.params }
    }

    /// Bits of state of all cores on a platform: predictors or stream cache.
    pub fn state_bits(&self, platform: &Platform) -> u64 {
        let params = self.params(platform);
        let each = match &params.scheme {
            Scheme::Tr(_) => params.predictor.state_bits(params.address_bits()),
            Scheme::ScLsp(sc) => sc.state_bits(params.address_bits()),
            Scheme::NxB(_) | Scheme::NexS => 0,
        };
        match self.kind {
            Kind::Baseline(_) | Kind::Etrace(_) => 0,
            Kind::Shared => u64::from(each),
            Kind::System => u64::from(each) * u64::from(platform.cores),
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
        let params = self.params(platform);
        params.check()?;
        Ok(match &self.kind {
            Kind::System => Box::new(Stream::new(params, keep)?),
            Kind::Shared => Box::new(Shared::new(&params)),
            Kind::Baseline(compressor) => Box::new(Baseline::new(*compressor, params, keep)),
            Kind::Etrace(options) => Box::new(Etrace::new(*options, params, keep, image)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_parameters_they_say() {
        let p = |name: &str| SchemeSpec::parse(name).unwrap().params;
        assert_eq!(p("tr_e:small"), TraceParams::tr(named_set("small").unwrap().predictor, Coding::TR_E));
        assert_eq!(p("tr_e:s0").scheme, Scheme::Tr(Coding::TR_E_SHORT));
        assert_eq!(p("tr_e:256/0/0"), p("tr_e:s0"));
        assert_eq!(p("tr(bcnt=8,8;diffta=16,16;diffcc=8,8;icnt=8,8):m4"), p("tr_b:m4"));
        assert_eq!(p("tr_e:m4+shift2+upper12").predictor.pc_shift, 2);
        assert_eq!(p("tr_e:m4+shift2+upper12").predictor.upper_bits, 12);
        assert_eq!(p("nx_b").scheme, Scheme::NxB(Coding::TR_B));
        let family = |name: &str| SchemeSpec::parse(name).unwrap().family();
        let names =
            ["tr_b:m4", "tr(bcnt=1,1):s0", "nexs", "sc-lsp:rbase-32x4", "shared:large", "edmtf(192,4)", "etrace+ir8"];
        let [a, b, c, d, e] = [Family::Tr, Family::Nexus, Family::ScLsp, Family::Shared, Family::Baseline];
        assert_eq!(names.map(family), [a, a, b, c, d, e, e]);
        assert_eq!(p("sc-lsp:rbase-32x4").stream_cache().unwrap().entries(), 128);
        let spec = SchemeSpec::parse("tr(bcnt=1,1):m4").unwrap();
        assert_eq!((spec.encoding(), spec.set()), ("tr(bcnt=1,1)", "m4"));
    }

    #[test]
    fn what_is_no_scheme_is_refused_with_the_right_forms() {
        for bad in ["", "tr_e", "tr_x:small", "tr():m4", "tr(bcnt=1):m4", "nx_b:m4", "sc-lsp", "foo", "tr(bcnt=1,1)"] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.starts_with(&format!("scheme `{bad}` is not known")), "{e}");
        }
        for (bad, why) in [
            ("tr_e:huge", "parameter set `huge`"),
            ("tr_e:300/8/0", "gshare = 300"),
            ("tr_e:512/300/0", "ras = 300"),
            ("tr(bcnt=0,1):m4", "b_cnt chunk = 0"),
            ("sc-lsp:rbase-3x3", "stream cache `rbase-3x3`"),
        ] {
            let e = SchemeSpec::parse(bad).unwrap_err().to_string();
            assert!(e.contains(why), "{e}");
        }
    }
}
