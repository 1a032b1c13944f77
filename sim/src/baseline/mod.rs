//! Baselines: published and general-purpose compressors of control flow, in software, for comparison
//!
//! Each encodes the [`Stream`]s of one hart and has a decoder, which needs the program (an [`Image`]) to know
//! the targets of direct branches. The papers' baselines are for one core. With several harts each hart has its
//! own coder, and the order of their outputs is not recorded, which would cost a multicore trace extra bits.
//! The modules describe each format to the bit; for what the papers leave open, see `docs/reference/baselines.md`.
//!
//! # Use
//! A [`Params`] can be parsed from its name. [`Harts`] is a sink for the events of a run,
//! [`Harts::finish`] returns each hart's bytes and bits, and [`verify`] decodes them and reports the events again:
//!
//! ```
//! # use retire::{image::Image, FlowEvent, FlowKind, RetireSink};
//! # use sim::baseline::{self, Harts, Params};
//! # let e = |kind, len, count, pc| FlowEvent { hart: 0, kind, len, count, pc, target: 0x100, cycle: 0 };
//! # let mut run = vec![e(FlowKind::Start, 0, 0, 0x100)];
//! # run.extend((0..100).map(|_| e(FlowKind::Conditional { taken: true }, 4, 5, 0x110)));
//! # run.push(e(FlowKind::Stop, 0, 0, 0x100));
//! # let (harts, xlen, align) = (1, 32, 1);
//! # let image = Image::from_events(&run).unwrap();
//! let params: Params = "edmtf(192,4)".parse().unwrap();
//! let mut coder = Harts::new(&params, harts, xlen, align).unwrap();
//! run.iter().for_each(|event| coder.event(event));
//! let encoded = coder.finish().unwrap();
//! let bits: u64 = encoded.iter().map(|e| e.bits).sum();
//! let mut again: Vec<FlowEvent> = Vec::new(); // or any other RetireSink: hart after hart
//! baseline::verify(&encoded, &params, xlen, align, &image, &mut again).unwrap();
//! assert!(again.iter().zip(&run).all(|(found, event)| found.same_flow(event)));
//! # assert!(bits < 500, "{bits}");
//! ```

mod compressors;
pub mod edmtf;
pub mod etrace;
pub mod general;
pub mod tslz;

use crate::bits::BitReader;
use general::Compressor;
use retire::image::Image;
use retire::stream::{self, Detector, NoStream, Stream};
use retire::{FlowEvent, RetireSink};
use std::fmt;
use std::str::FromStr;

/// A baseline compressor and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Params {
    /// Kao et al.'s filter, differences and LZ with a small window.
    Tslz(tslz::Sizes),
    /// Double move-to-front, enhanced.
    Edmtf(edmtf::Sizes),
    /// A general-purpose compressor over the serialised streams.
    General(Compressor),
}

impl Params {
    /// The configurations for which the papers give numbers, and the general-purpose compressors.
    pub const ALL: [Self; 8] = [
        Self::Tslz(tslz::Sizes::W256),
        Self::Tslz(tslz::Sizes::W256_LONG),
        Self::Edmtf(edmtf::Sizes::E192_4),
        Self::General(Compressor::None),
        Self::General(Compressor::Gzip(1)),
        Self::General(Compressor::Gzip(9)),
        Self::General(Compressor::Zstd(19)),
        Self::General(Compressor::Xz(9)),
    ];
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tslz(s) => {
                let (window, longest) = (1u32 << s.window_bits, (1u32 << s.length_bits) + 1);
                write!(f, "tslz({window}x{},{longest})", tslz::SYMBOL_BITS)
            }
            Self::Edmtf(s) => write!(f, "edmtf({},{})", s.first, s.second),
            Self::General(Compressor::None) => write!(f, "sl-ta"),
            Self::General(Compressor::Gzip(level)) => write!(f, "gzip-{level}"),
            Self::General(Compressor::Zstd(level)) => write!(f, "zstd-{level}"),
            Self::General(Compressor::Xz(level)) => write!(f, "xz-{level}"),
        }
    }
}

/// Error of a name that is not a baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("baseline `{0}` is not known; expected tslz(256x12,9), tslz(256x12,129), edmtf(192,4), sl-ta, gzip-1 to 9, zstd-1 to 22 or xz-0 to 9")]
pub struct UnknownBaseline(String);

impl FromStr for Params {
    type Err = UnknownBaseline;

    fn from_str(name: &str) -> Result<Self, UnknownBaseline> {
        let unknown = || UnknownBaseline(name.to_string());
        // without sizes: those of paper 002
        match name {
            "tslz" => return Ok(Self::Tslz(tslz::Sizes::W256)),
            "edmtf" => return Ok(Self::Edmtf(edmtf::Sizes::E192_4)),
            _ => {}
        }
        if let Some(found) = Self::ALL.into_iter().find(|p| p.to_string() == name) {
            return Ok(found);
        }
        let (tool, level) = name.split_once('-').ok_or_else(unknown)?;
        let compressor = match (tool, level.parse().map_err(|_| unknown())?) {
            ("gzip", n @ 1..=9) => Compressor::Gzip(n),
            ("zstd", n @ 1..=22) => Compressor::Zstd(n as i32),
            ("xz", n @ 0..=9) => Compressor::Xz(n),
            _ => return Err(unknown()),
        };
        Ok(Self::General(compressor))
    }
}

/// Counts of a coder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Streams, including those that end in a trap or the stop.
    pub streams: u64,
    /// Instructions in them.
    pub instructions: u64,
    /// Start addresses that had to be sent or looked up.
    pub addresses: u64,
}

/// The output of one hart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The bits, least significant bit of the first byte first; the last byte is padded with zeros.
    pub bytes: Vec<u8>,
    /// Number of bits.
    pub bits: u64,
    /// Counts of the encoded streams.
    pub stats: Stats,
}

/// Error of bits that cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The data end inside a record.
    #[error("bit {0}: the data end inside a record")]
    Truncated(u64),
    /// An invalid record.
    #[error("bit {bit}: {what}")]
    Content {
        /// Bit position.
        bit: u64,
        /// What was found, and what is valid.
        what: String,
    },
    /// The data do not fit the program.
    #[error(transparent)]
    Stream(#[from] NoStream),
    /// The compressor reports an error.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// A compressor for the streams of one hart.
pub(crate) trait Coder {
    /// Encodes the next stream.
    fn stream(&mut self, s: &Stream);
    /// Ends the output.
    fn finish(self: Box<Self>) -> std::io::Result<(Vec<u8>, u64)>;
}

/// Encoder of the events of one hart.
pub struct Encoder {
    detector: Detector,
    coder: Box<dyn Coder + Send>,
    stats: Stats,
}

impl Encoder {
    /// Initial state, for addresses of `xlen` bits (32 or 64) whose lower `align` bits are 0.
    ///
    /// # Errors
    /// The compressor rejects its level, or `sim` was built without the feature `compressors`.
    pub fn new(params: &Params, xlen: u8, align: u8) -> std::io::Result<Self> {
        let coder: Box<dyn Coder + Send> = match *params {
            Params::Tslz(sizes) => Box::new(tslz::Tslz::new(sizes, xlen, align)),
            Params::Edmtf(sizes) => Box::new(edmtf::Edmtf::new(sizes, xlen, align)),
            Params::General(compressor) => Box::new(general::General::new(compressor, xlen)?),
        };
        Ok(Self { detector: Detector::new(), coder, stats: Stats::default() })
    }

    /// Takes the next event of the hart.
    #[inline]
    pub fn push(&mut self, e: &FlowEvent) {
        if let Some(s) = self.detector.event(e) {
            self.stats.streams += 1;
            self.stats.instructions += u64::from(s.length);
            self.stats.addresses += u64::from(!s.known);
            self.coder.stream(&s);
        }
    }

    /// Ends the output.
    pub fn finish(self) -> std::io::Result<Encoded> {
        let (bytes, bits) = self.coder.finish()?;
        Ok(Encoded { bytes, bits, stats: self.stats })
    }
}

/// Decodes the output of an [`Encoder`] with the same parameters.
pub fn decode(
    encoded: &Encoded,
    params: &Params,
    xlen: u8,
    align: u8,
    image: &Image,
) -> Result<Vec<Stream>, BaselineError> {
    match *params {
        Params::Tslz(sizes) => tslz::decode(encoded, sizes, xlen, align, image),
        Params::Edmtf(sizes) => edmtf::decode(encoded, sizes, xlen, align, image),
        // whole bytes only: compressors do not notice if the last byte has lost bits
        Params::General(_) if encoded.bits % 8 != 0 => Err(BaselineError::Truncated(encoded.bits)),
        Params::General(compressor) => general::decode(&encoded.bytes, compressor, xlen, image),
    }
}

/// Decodes the outputs of all harts and reports their events to `sink`, hart after hart.
pub fn verify(
    encoded: &[Encoded],
    params: &Params,
    xlen: u8,
    align: u8,
    image: &Image,
    sink: &mut impl RetireSink,
) -> Result<(), BaselineError> {
    for (hart, e) in encoded.iter().enumerate() {
        let streams = decode(e, params, xlen, align, image)?;
        stream::report(&streams, hart as u8, image, sink)?;
    }
    Ok(())
}

/// A sink with one [`Encoder`] per hart.
pub struct Harts(Vec<Encoder>);

impl Harts {
    /// Encoders for `harts` harts; otherwise as [`Encoder::new`].
    pub fn new(params: &Params, harts: u8, xlen: u8, align: u8) -> std::io::Result<Self> {
        (0..harts).map(|_| Encoder::new(params, xlen, align)).collect::<Result<_, _>>().map(Self)
    }

    /// Ends the outputs and returns them by hart.
    pub fn finish(self) -> std::io::Result<Vec<Encoded>> {
        self.0.into_iter().map(Encoder::finish).collect()
    }
}

impl RetireSink for Harts {
    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.0[usize::from(e.hart)].push(e);
    }
}

/// Converts the output to bytes, filled from the least significant bit; returns them and the number of bits.
fn to_bytes(mut out: crate::bits::BitWriter) -> (Vec<u8>, u64) {
    let bits = out.len();
    out.pad();
    let mut bytes: Vec<u8> = out.drain().flat_map(u32::to_le_bytes).collect();
    bytes.truncate(bits.div_ceil(8) as usize);
    (bytes, bits)
}

/// Reader of the fields of an [`Encoded`], up to its number of bits.
struct Fields<I> {
    reader: BitReader<I>,
    end: u64,
}

fn fields(encoded: &Encoded) -> Fields<impl Iterator<Item = u32> + '_> {
    Fields { reader: BitReader::new(to_words(&encoded.bytes)), end: encoded.bits }
}

impl<I: Iterator<Item = u32>> Fields<I> {
    fn field(&mut self, bits: u32) -> Result<u64, BaselineError> {
        let at = self.position();
        if at + u64::from(bits) > self.end {
            return Err(BaselineError::Truncated(at));
        }
        self.reader.take(bits).ok_or(BaselineError::Truncated(at))
    }

    fn position(&self) -> u64 {
        self.reader.position()
    }

    fn at_end(&self) -> bool {
        self.position() >= self.end
    }
}

/// Converts bytes to words; the last one is padded with zeros.
fn to_words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_back_and_others_refused() {
        for params in Params::ALL {
            assert_eq!(params.to_string().parse(), Ok(params));
        }
        assert_eq!("zstd-3".parse(), Ok(Params::General(Compressor::Zstd(3))));
        let read = |name: &str| name.parse::<Params>().unwrap();
        assert_eq!((read("tslz"), read("edmtf")), (read("tslz(256x12,9)"), read("edmtf(192,4)")));
        for bad in ["", "gzip", "gzip-0", "gzip-10", "zstd-23", "xz--1", "xz-10", "lzma", "lz4-1"] {
            let refused = bad.parse::<Params>().unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("baseline `{bad}` is not known; expected tslz(256x12,9), ")),
                "{refused}"
            );
        }
    }
}
