//! What every trace scheme has in common, and schemes by name
//!
//! A [`SchemeSpec`] says in words and numbers what is to be run; [`SchemeSpec::build`] makes a
//! [`TraceScheme`] of it for one platform. Events are pushed in batches, so the dynamic call costs nothing
//! beside the work. A new scheme is one arm in [`SchemeSpec::parse`] and one implementation.
//!
//! | name | scheme |
//! | --- | --- |
//! | `tr_e:SET`, `tr_b:SET` | T-raptor with a predictor set, see [`crate::params::NAMED_SETS`] |
//! | `tr(bcnt=2,1;diffta=3,4;diffcc=4,2;icnt=2,2):SET` | the same in other chunk sizes; fields left out are those of `tr_e` |
//! | `nx_b`, `nx_b(...)`, `nexs` | Nexus-like |
//! | `sc-lsp:rbase-32x4` | stream cache: variant, sets, ways |
//! | `tslz(256x12,9)`, `edmtf(192,4)`, `gzip-9`, `zstd-19`, `xz-9`, ... | baselines, see [`crate::baseline`] |
//! | `etrace`, `etrace+ir8+bp512+jtc64`, ... | RISC-V E-Trace, see [`crate::baseline::etrace`]; needs the program |
//! | `shared:SET` | one predictor for all cores: misprediction rates and no stream |
//!
//! A SET is a name or `gshare/RAS/iBTB`, and may be followed by `+shiftN` (PC shift) and `+upper12`.

use crate::analysis::FieldLengths;
use crate::baseline::{self, etrace, Encoded, Harts};
use crate::golden::core::Rates;
use crate::golden::shared::SharedRates;
use crate::golden::system::{StreamStats, System};
use crate::params::{named_set, Chunks, Coding, ParamError, PredictorParams, Scheme, TraceParams};
use crate::replay::image::Image;
use crate::replay::{Events, Replay};
use crate::retire::{FlowEvent, FlowKind, RetireSink};
use crate::stream_cache::StreamCacheParams;
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// What a scheme was asked to do, measured on the stream itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Length of the stream, bits; `None` where a scheme makes none.
    pub bits: Option<u64>,
    /// Messages by kind.
    pub stats: StreamStats,
    /// Predictions, all cores.
    pub rates: Rates,
    /// Lengths of the fields, where the scheme has chunked ones.
    pub lengths: Option<FieldLengths>,
}

/// One scheme at work on one run.
pub trait TraceScheme: Send {
    /// The next events, in global commit order.
    fn push(&mut self, events: &[FlowEvent]);
    /// Bits sent so far; `None` where that is not known before the end.
    fn bits(&self) -> Option<u64>;
    /// The run ends in `cycle`.
    ///
    /// # Errors
    /// When the scheme could not do its work, in words.
    fn finish(&mut self, cycle: u64) -> Result<Measured, String>;
    /// Decodes the finished stream with the program; `None` where no stream is made, or it was not kept.
    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>>;
}

/// What a platform adds to a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// Cores.
    pub cores: u8,
    /// Address width, bits.
    pub xlen: u8,
    /// Address bits that are always 0.
    pub align: u8,
    /// Time-stamped streams.
    pub timestamps: bool,
}

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
    /// What it is.
    pub family: Family,
    /// Which one, of the compressors.
    pub baseline: Option<baseline::Params>,
    /// Its modes, of E-Trace.
    pub etrace: Option<etrace::Options>,
    /// Parameters; those of the platform are filled in by [`SchemeSpec::params`]. Of baselines only the
    /// platform is looked at.
    pub params: TraceParams,
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
        let mut family = Family::Tr;
        let (mut found, mut modes) = (None, None);
        let params = match head {
            "tr_e" => set().map(|(p, tr_e)| TraceParams::tr(p, tr_e))?,
            "tr_b" => TraceParams::tr(set()?.0, Coding::TR_B),
            "shared" => {
                family = Family::Shared;
                set().map(|(p, tr_e)| TraceParams::tr(p, tr_e))?
            }
            "sc-lsp" => TraceParams::sc_lsp(StreamCacheParams::named(tail.ok_or_else(unknown)?).map_err(legal)?),
            "nx_b" if tail.is_none() => {
                TraceParams { scheme: Scheme::NxB(Coding::TR_B), ..TraceParams::tr(none, Coding::TR_B) }
            }
            "nexs" if tail.is_none() => TraceParams { scheme: Scheme::NexS, ..TraceParams::tr(none, Coding::TR_B) },
            _ => {
                if let Some(fields) = inner("tr") {
                    let (p, tr_e) = set()?;
                    TraceParams::tr(p, parse_coding(fields, tr_e).ok_or_else(unknown)?)
                } else if let (Some(fields), None) = (inner("nx_b"), tail) {
                    let coding = parse_coding(fields, Coding::TR_B).ok_or_else(unknown)?;
                    TraceParams { scheme: Scheme::NxB(coding), ..TraceParams::tr(none, coding) }
                } else if let (Ok(known), None) = (name.parse(), tail) {
                    (family, found) = (Family::Baseline, Some(known));
                    TraceParams::tr(none, Coding::TR_B)
                } else if let (Ok(known), None) = (name.parse(), tail) {
                    (family, modes) = (Family::Baseline, Some(known));
                    TraceParams::tr(none, Coding::TR_B)
                } else {
                    return Err(unknown());
                }
            }
        };
        params.check().map_err(legal)?;
        family = match params.scheme {
            Scheme::NxB(_) | Scheme::NexS => Family::Nexus,
            Scheme::ScLsp(_) => Family::ScLsp,
            Scheme::Tr(_) => family,
        };
        Ok(Self { name: name.to_string(), family, baseline: found, etrace: modes, params })
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
        match self.family {
            Family::Baseline => 0,
            Family::Shared => u64::from(each),
            _ => u64::from(each) * u64::from(platform.cores),
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
        if self.family == Family::Shared {
            return Ok(Box::new(Shared(SharedRates::new(&params))));
        }
        if let Some(options) = self.etrace {
            return Ok(Box::new(Etrace::new(options, params, keep, image)));
        }
        if let Some(compressor) = self.baseline {
            return Ok(Box::new(Baseline::new(compressor, params, keep)));
        }
        let mut system = System::new(&params)?;
        system.count_lengths();
        Ok(Box::new(Stream { system, params, kept: keep.then(Kept::default) }))
    }
}

/// Words of a stream that is kept in memory while it is small, then in a file without a name.
#[derive(Default)]
struct Kept {
    words: Vec<u32>,
    file: Option<std::fs::File>,
    error: Option<std::io::Error>,
    total: u64,
}

/// Most words in memory: 4 MiB.
const IN_MEMORY: usize = 1 << 20;

impl Kept {
    fn add(&mut self, words: &[u32]) {
        self.total += words.len() as u64;
        self.words.extend_from_slice(words);
        if self.words.len() > IN_MEMORY && self.error.is_none() {
            self.error = self.spill().err();
        }
        if self.error.is_some() {
            self.words.clear();
        }
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let bytes: Vec<u8> = self.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        file.write_all(&bytes)?;
        self.words.clear();
        self.file = Some(file);
        Ok(())
    }

    /// Hands all words to `decode`.
    fn read<T>(&self, decode: impl FnOnce(&mut dyn Iterator<Item = u32>) -> Result<T, String>) -> Result<T, String> {
        let failed = |e: &std::io::Error| format!("temporary file of the stream: {e}");
        if let Some(e) = &self.error {
            return Err(failed(e));
        }
        let Some(mut file) = self.file.as_ref() else {
            return decode(&mut self.words.iter().copied());
        };
        file.seek(SeekFrom::Start(0)).map_err(|e| failed(&e))?;
        let (mut reader, mut error) = (BufReader::with_capacity(1 << 16, file), None);
        let in_file = self.total - self.words.len() as u64;
        let mut from_file = (0..in_file).map_while(|_| {
            let mut word = [0; 4];
            error = reader.read_exact(&mut word).err();
            error.is_none().then(|| u32::from_le_bytes(word))
        });
        let result = decode(&mut from_file.by_ref().chain(self.words.iter().copied()));
        error.map_or(result, |e| Err(failed(&e)))
    }
}

/// Every scheme that makes a `GSHK` stream.
struct Stream {
    system: System,
    params: TraceParams,
    /// The stream, where it is to be verified.
    kept: Option<Kept>,
}

impl Stream {
    fn drain(&mut self) {
        let words = self.system.drain();
        if let Some(kept) = &mut self.kept {
            kept.add(words.as_slice());
        }
    }
}

impl TraceScheme for Stream {
    fn push(&mut self, events: &[FlowEvent]) {
        events.iter().for_each(|e| self.system.event(e));
        self.drain();
    }

    fn bits(&self) -> Option<u64> {
        Some(self.system.bits())
    }

    fn finish(&mut self, cycle: u64) -> Result<Measured, String> {
        self.system.finish(cycle);
        self.drain();
        let mut rates = Rates::default();
        self.system.rates().into_iter().for_each(|r| rates += r);
        Ok(Measured {
            bits: Some(self.system.stats().bits),
            stats: self.system.stats().clone(),
            rates,
            lengths: self.system.field_lengths().cloned(),
        })
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        let kept = self.kept.as_ref()?;
        if kept.total * 32 != self.system.bits() {
            return Some(Err(format!("{} words, but {} bits were reported", kept.total, self.system.bits())));
        }
        let mut digest = FlowDigest::new(self.params.cores);
        let run = kept.read(|words| {
            let replay = Replay::new(image, &self.params, words).map_err(|e| e.to_string())?;
            replay.run(&mut Events(&mut digest)).map_err(|e| e.to_string())?;
            Ok(())
        });
        Some(run.map(|()| digest))
    }
}

/// Rates of one predictor for all cores.
struct Shared(SharedRates);

impl TraceScheme for Shared {
    fn push(&mut self, events: &[FlowEvent]) {
        events.iter().for_each(|e| self.0.event(e));
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        Ok(Measured { rates: self.0.rates(), ..Measured::default() })
    }

    fn verify(&self, _: &Image) -> Option<Result<FlowDigest, String>> {
        None
    }
}

/// A compressor in software, one coder a hart.
struct Baseline {
    compressor: baseline::Params,
    params: TraceParams,
    /// Until the run ends.
    coders: Option<std::io::Result<Harts>>,
    keep: bool,
    encoded: Vec<Encoded>,
}

impl Baseline {
    fn new(compressor: baseline::Params, params: TraceParams, keep: bool) -> Self {
        let coders = Some(Harts::new(&compressor, params.cores, params.xlen, params.align));
        Self { compressor, params, coders, keep, encoded: Vec::new() }
    }
}

impl TraceScheme for Baseline {
    fn push(&mut self, events: &[FlowEvent]) {
        if let Some(Ok(coders)) = &mut self.coders {
            events.iter().for_each(|e| coders.event(e));
        }
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        let coders = self.coders.take().ok_or("the run ended twice")?;
        let encoded = coders.and_then(Harts::finish).map_err(|e| e.to_string())?;
        let mut measured = Measured { bits: Some(encoded.iter().map(|e| e.bits).sum()), ..Measured::default() };
        measured.rates.instructions = encoded.iter().map(|e| e.stats.instructions).sum();
        if self.keep {
            self.encoded = encoded;
        }
        Ok(measured)
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        let TraceParams { cores, xlen, align, .. } = self.params;
        if self.encoded.is_empty() {
            return None;
        }
        let mut digest = FlowDigest::new(cores);
        let told = baseline::verify(&self.encoded, &self.compressor, xlen, align, image, &mut digest);
        Some(told.map(|()| digest).map_err(|e| e.to_string()))
    }
}

/// E-Trace, one encoder a hart.
struct Etrace<'a> {
    options: etrace::Options,
    params: TraceParams,
    encoders: Result<Vec<etrace::Encoder<'a>>, String>,
    keep: bool,
    encoded: Vec<Encoded>,
    /// The last two events of each hart: what no packet tells of them is taken from here.
    last: Vec<[Option<FlowEvent>; 2]>,
}

impl<'a> Etrace<'a> {
    fn new(options: etrace::Options, params: TraceParams, keep: bool, image: Option<&'a Image>) -> Self {
        let encoders =
            image.ok_or_else(|| "E-Trace needs the program, not a recording".to_string()).and_then(|image| {
                let each = (0..params.cores).map(|_| etrace::Encoder::new(options, image, params.xlen));
                each.collect::<Result<_, _>>().map_err(|e| e.to_string())
            });
        let last = vec![[None; 2]; usize::from(params.cores)];
        Self { options, params, encoders, keep, encoded: Vec::new(), last }
    }

    fn push_all(&mut self, events: &[FlowEvent]) -> Result<(), String> {
        let Ok(encoders) = &mut self.encoders else { return Ok(()) };
        for e in events {
            let hart = usize::from(e.hart);
            encoders[hart].push(e).map_err(|e| e.to_string())?;
            self.last[hart] = [self.last[hart][1], Some(*e)];
        }
        Ok(())
    }

    /// Decodes one hart; its last two events are completed as [`etrace::same`] allows.
    fn decode(&self, hart: u8, image: &Image, digest: &mut FlowDigest) -> Result<(), String> {
        let encoded = &self.encoded[usize::from(hart)];
        let mut held = Held { digest, events: [None; 2] };
        etrace::decode(encoded, self.options, self.params.xlen, hart, image, &mut held).map_err(|e| e.to_string())?;
        let events: Vec<FlowEvent> = held.events.into_iter().flatten().collect();
        let went_in: Vec<FlowEvent> = self.last[usize::from(hart)].into_iter().flatten().collect();
        let told = if etrace::same(&events, &went_in) { went_in } else { events };
        told.iter().for_each(|e| digest.event(e));
        Ok(())
    }
}

/// Hands on all events but the last two.
struct Held<'a> {
    digest: &'a mut FlowDigest,
    events: [Option<FlowEvent>; 2],
}

impl RetireSink for Held<'_> {
    fn event(&mut self, e: &FlowEvent) {
        if let [Some(oldest), _] = self.events {
            self.digest.event(&oldest);
        }
        self.events = [self.events[1], Some(*e)];
    }
}

impl TraceScheme for Etrace<'_> {
    fn push(&mut self, events: &[FlowEvent]) {
        if let Err(e) = self.push_all(events) {
            self.encoders = Err(e);
        }
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        let encoders = std::mem::replace(&mut self.encoders, Err("the run ended twice".into()))?;
        let ended: Result<Vec<Encoded>, _> = encoders.into_iter().map(etrace::Encoder::finish).collect();
        let encoded = ended.map_err(|e| e.to_string())?;
        let mut measured = Measured { bits: Some(encoded.iter().map(|e| e.bits).sum()), ..Measured::default() };
        measured.rates.instructions = encoded.iter().map(|e| e.stats.instructions).sum();
        if self.keep {
            self.encoded = encoded;
        }
        Ok(measured)
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        if self.encoded.is_empty() {
            return None;
        }
        let mut digest = FlowDigest::new(self.params.cores);
        let run = (0..self.params.cores).try_for_each(|hart| self.decode(hart, image, &mut digest));
        Some(run.map(|()| digest))
    }
}

/// A 64-bit digest of each hart's control flow: equal for two streams of which [`FlowEvent::same_flow`] holds
/// event by event, whatever the order of the harts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowDigest {
    harts: Vec<(u64, u64)>,
}

impl FlowDigest {
    /// Of `harts` harts that did nothing yet.
    pub fn new(harts: u8) -> Self {
        Self { harts: vec![(0, 0); usize::from(harts)] }
    }

    /// Events of all harts.
    pub fn events(&self) -> u64 {
        self.harts.iter().map(|h| h.1).sum()
    }

    /// All harts in one number.
    pub fn value(&self) -> u64 {
        self.harts.iter().fold(0, |h, hart| mix(mix(h, hart.0), hart.1))
    }
}

/// One step of the digest (the multiply-rotate of FxHash, with a fold so that high bits come down).
fn mix(hash: u64, value: u64) -> u64 {
    let h = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    h ^ h >> 32
}

impl RetireSink for FlowDigest {
    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        let kind: u64 = match e.kind {
            FlowKind::Start => 0,
            FlowKind::Conditional { taken } => 1 + u64::from(taken),
            FlowKind::Jump => 3,
            FlowKind::Call => 4,
            FlowKind::IndirectJump => 5,
            FlowKind::IndirectCall => 6,
            FlowKind::Return => 7,
            FlowKind::CoSwap => 8,
            FlowKind::TrapReturn => 9,
            FlowKind::ConditionalIndirect { taken } => 10 + u64::from(taken),
            FlowKind::Trap { .. } => 12,
            FlowKind::Gap { lost } => 13 | u64::from(lost) << 8,
            FlowKind::Stop => 14,
        };
        let (hash, events) = &mut self.harts[usize::from(e.hart)];
        *events += 1;
        *hash = mix(*hash, kind ^ u64::from(e.len) << 40 ^ u64::from(e.count).rotate_left(48));
        *hash = mix(mix(*hash, e.pc), e.target);
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
        let family = |name: &str| SchemeSpec::parse(name).unwrap().family;
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

    #[test]
    fn a_kept_stream_comes_back_from_memory_and_from_the_file() {
        for total in [0u32, 5, IN_MEMORY as u32 + 1, 2 * IN_MEMORY as u32 + 99] {
            let words: Vec<u32> = (0..total).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let mut kept = Kept::default();
            words.chunks(70_000).for_each(|c| kept.add(c));
            assert_eq!(kept.file.is_some(), total as usize > IN_MEMORY);
            assert_eq!(kept.read(|w| Ok(w.collect::<Vec<_>>())), Ok(words));
        }
    }

    #[test]
    fn the_digest_sees_any_change_but_cycles_causes_and_the_order_of_harts() {
        let e = |hart, pc| FlowEvent { hart, kind: FlowKind::Jump, len: 4, count: 3, pc, target: pc + 8, cycle: pc };
        let digest = |events: &[FlowEvent]| {
            let mut d = FlowDigest::new(2);
            events.iter().for_each(|e| d.event(e));
            d
        };
        let (a, b, c) = (e(0, 16), e(1, 32), e(0, 64));
        let right = digest(&[a, b, c]);
        assert_eq!(right, digest(&[b, a, FlowEvent { cycle: 9, ..c }]));
        for other in [
            digest(&[c, b, a]),
            digest(&[a, b]),
            digest(&[a, b, FlowEvent { count: 4, ..c }]),
            digest(&[a, b, FlowEvent { len: 2, ..c }]),
            digest(&[a, b, FlowEvent { target: 0, ..c }]),
            digest(&[a, b, FlowEvent { kind: FlowKind::Call, ..c }]),
            digest(&[a, b, FlowEvent { hart: 1, ..c }]),
        ] {
            assert_ne!(right, other);
            assert_ne!(right.value(), other.value());
        }
        assert_eq!(right.events(), 3);
    }
}
