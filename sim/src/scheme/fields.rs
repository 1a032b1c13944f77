//! Messages as fields: the fields of each branch message, and their order
//!
//! Shared by T-raptor and the chunked Nexus-like scheme. A [`Code`] defines the bits of each field.
//!
//! # Source
//! Paper 000 section 4, table 3 and figure 7; paper 002 section 4 and table 2 (taken bit). Field order and escape
//! kinds: `docs/reference/stream.md`.

use super::Encode;
use crate::bits::{BitReader, BitWriter};
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Escape, Message};
use crate::platform::Platform;
use retire::Context;

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `diffCC`.
    DiffCc,
    /// Ti.
    Core,
    /// `bCnt`, or SL in a Nexus-like scheme; 0 is the escape.
    Count,
    /// `|diffTA|`; also used for every other address difference.
    DiffTa,
    /// Sign of the address difference.
    Sign,
    /// Whether a conditional indirect branch was taken.
    Taken,
    /// The kind of an escape message.
    Kind,
    /// `iCnt`.
    ICnt,
    /// Number of lost instructions; encoded like `iCnt`.
    Lost,
    /// Privilege mode and address space.
    Context,
    /// Signature of the control flow.
    Signature,
}

impl Field {
    /// Name of the field in error messages.
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiffCc => "diffCC",
            Self::Core => "Ti",
            Self::Count => "bCnt",
            Self::DiffTa => "|diffTA|",
            Self::Sign => "sign",
            Self::Taken => "taken",
            Self::Kind => "kind",
            Self::ICnt => "iCnt",
            Self::Lost => "lost",
            Self::Context => "context",
            Self::Signature => "signature",
        }
    }
}

/// A code that maps fields to bits and back.
///
/// It may keep state from field to field and from message to message if writer and reader do the same. A message need not
/// end at a whole bit: what is held back is written with a later message, or at [`Code::flush`].
pub trait Code {
    /// Appends a number.
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter);
    /// Appends a field of fixed width, `bits` bits.
    fn bits(&mut self, field: Field, value: u64, bits: u32, out: &mut BitWriter);
    /// Ends the stream: appends what was held back.
    fn flush(&mut self, out: &mut BitWriter);
    /// Reads a number of at most `bits` bits.
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError>;
    /// Reads a field of fixed width.
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError>;
    /// Reads what [`Code::flush`] appended.
    fn read_flush<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<(), CodingError>;
}

const SYNC: u64 = 0;
const RESYNC: u64 = 1;
const STOP: u64 = 2;
const PROGRESS: u64 = 3;
const OVERFLOW: u64 = 4;
const CONTEXT: u64 = 5;

/// Previous address of each core, without its always-zero bits: PTA.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    bits: u32,
    align: u8,
    previous: Vec<u64>,
}

impl Addresses {
    pub(super) fn new(platform: &Platform) -> Self {
        Self { bits: platform.address_bits(), align: platform.align, previous: vec![0; usize::from(platform.cores)] }
    }

    /// Clears PTA at a sync.
    pub(super) fn forget(&mut self, core: u8) {
        self.previous[usize::from(core)] = 0;
    }

    /// Sets PTA to `address`; returns the old and the new value, both without the always-zero bits.
    pub(super) fn replace(&mut self, core: u8, address: u64) -> (u64, u64) {
        let address = address >> self.align & self.mask();
        (std::mem::replace(&mut self.previous[usize::from(core)], address), address)
    }

    /// Sets PTA to `of(PTA)`; returns the result as a byte address.
    #[inline]
    pub(super) fn update(&mut self, core: u8, of: impl FnOnce(u64) -> u64) -> u64 {
        let mask = self.mask();
        let previous = &mut self.previous[usize::from(core)];
        *previous = of(*previous) & mask;
        *previous << self.align
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Returns `|a - PTA|` and its sign, modulo the address width; sets PTA.
    fn difference(&mut self, core: u8, address: u64) -> (u64, bool) {
        let (previous, address) = self.replace(core, address);
        difference(previous, address, self.bits)
    }
}

/// Returns `|to - from|` and its sign, modulo 2^`bits`.
pub(super) fn difference(from: u64, to: u64, bits: u32) -> (u64, bool) {
    let mask = u64::MAX >> (64 - bits);
    let diff = to.wrapping_sub(from) & mask;
    let negative = diff >> (bits - 1) & 1 == 1;
    (if negative { diff.wrapping_neg() & mask } else { diff }, negative)
}

/// Writes the messages of all cores.
#[derive(Clone, Debug)]
pub struct Writer<C> {
    platform: Platform,
    addresses: Addresses,
    code: C,
    /// Only on request: counting costs a sixth of the speed.
    lengths: Option<Box<FieldLengths>>,
}

impl<C: Code> Writer<C> {
    /// State at the beginning of a stream.
    pub fn new(platform: &Platform, code: C) -> Self {
        Self { platform: *platform, addresses: Addresses::new(platform), code, lengths: None }
    }

    /// As [`Writer::new`], for a scheme whose turns identify the core.
    pub(super) fn in_turns(platform: &Platform, code: C) -> Self {
        Self { platform: Platform { cores: 1, ..*platform }, ..Self::new(platform, code) }
    }

    /// Appends a field of fixed width outside a message.
    pub(super) fn bits(&mut self, field: Field, value: u64, bits: u32, out: &mut BitWriter) {
        self.code.bits(field, value, bits, out);
    }

    #[inline]
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
        if let Some(lengths) = &mut self.lengths {
            count(lengths, field, value);
        }
        self.code.number(field, value, out);
    }

    #[inline]
    fn address(&mut self, core: u8, address: u64, out: &mut BitWriter) {
        let (diff, negative) = self.addresses.difference(core, address);
        self.number(Field::DiffTa, diff, out);
        self.code.bits(Field::Sign, negative.into(), 1, out);
    }

    #[cold]
    fn escape(&mut self, core: u8, escape: Escape, out: &mut BitWriter) {
        self.number(Field::Count, 0, out);
        let (kind, bits) = match escape {
            Escape::Exception { .. } => (0, 1),
            Escape::Sync { .. } => (1 | SYNC << 1, 4),
            Escape::Resync { .. } => (1 | RESYNC << 1, 4),
            Escape::Overflow { .. } => (1 | OVERFLOW << 1, 4),
            Escape::Stop { .. } => (1 | STOP << 1, 4),
            Escape::Progress { .. } => (1 | PROGRESS << 1, 4),
            Escape::Context { .. } => (1 | CONTEXT << 1, 4),
        };
        self.code.bits(Field::Kind, kind, bits, out);
        self.number(Field::ICnt, escape.i_cnt(), out);
        if let Escape::Exception { context: Some(context), .. }
        | Escape::Sync { context: Some(context), .. }
        | Escape::Context { context, .. } = escape
        {
            self.code.bits(Field::Context, context.0.into(), self.platform.context_bits(), out);
        }
        match escape {
            Escape::Exception { target, .. } => self.address(core, target, out),
            Escape::Sync { pc, .. } => {
                self.addresses.forget(core);
                self.address(core, pc, out);
            }
            Escape::Overflow { lost, .. } => self.number(Field::Lost, lost, out),
            Escape::Resync { .. } => self.number(Field::Lost, 0, out),
            Escape::Stop { .. } | Escape::Progress { .. } | Escape::Context { .. } => {}
        }
        if let Some(signature) = escape.signature() {
            self.code.bits(Field::Signature, signature.into(), self.platform.signature.into(), out);
        }
    }
}

#[inline(never)]
fn count(lengths: &mut FieldLengths, field: Field, value: u64) {
    match field {
        Field::Count => lengths.b_cnt.add(value),
        Field::DiffTa => lengths.diff_ta.add(value),
        Field::DiffCc => lengths.diff_cc.add(value),
        Field::ICnt | Field::Lost => lengths.i_cnt.add(value),
        Field::Core | Field::Sign | Field::Taken | Field::Kind | Field::Context | Field::Signature => {}
    }
}

impl<C: Code> Encode<Body> for Writer<C> {
    fn encode(&mut self, message: &Message, out: &mut BitWriter) {
        let core = message.core;
        if self.platform.timestamps {
            self.number(Field::DiffCc, message.diff_cc, out);
        }
        if self.platform.ti_bits() > 0 {
            self.code.bits(Field::Core, core.into(), self.platform.ti_bits(), out);
        }
        match message.body {
            Body::Outcome { count } | Body::Stream { length: count, target: None } => {
                self.number(Field::Count, count, out);
            }
            Body::Target { count, target } | Body::Stream { length: count, target: Some(target) } => {
                self.number(Field::Count, count, out);
                self.address(core, target, out);
            }
            Body::NotTaken { count } => {
                self.number(Field::Count, count, out);
                self.code.bits(Field::Taken, 0, 1, out);
            }
            Body::Taken { count, target } => {
                self.number(Field::Count, count, out);
                self.code.bits(Field::Taken, 1, 1, out);
                self.address(core, target, out);
            }
            Body::Escape(escape) => self.escape(core, escape, out),
            Body::Hits { .. } | Body::Index { .. } | Body::Descriptor { .. } => {
                unreachable!("the records of sc-lsp have a separate coder")
            }
            Body::Turn { .. } | Body::Word { .. } => unreachable!("turns and words have separate coders"),
        }
    }

    fn flush(&mut self, out: &mut BitWriter) {
        self.code.flush(out);
    }

    fn count_lengths(&mut self) {
        self.lengths.get_or_insert_default();
    }

    fn lengths(&self) -> Option<&FieldLengths> {
        self.lengths.as_deref()
    }
}

/// The head of a message: the fields that can be read without the program. Whether the reported branch is direct or
/// indirect is not in the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch is reported. If it is indirect, its target must be read next.
    Count {
        /// Core index Ti.
        core: u8,
        /// Cycles since the previous message of this core.
        diff_cc: u64,
        /// bCnt, or SL in the Nexus-like schemes.
        count: u64,
    },
    /// A complete escape message.
    Escape(Message),
}

/// Reads the messages of all cores.
#[derive(Clone, Debug)]
pub struct Reader<C> {
    platform: Platform,
    addresses: Addresses,
    code: C,
}

impl<C: Code> Reader<C> {
    /// State at the beginning of a stream.
    pub fn new(platform: &Platform, code: C) -> Self {
        Self { platform: *platform, addresses: Addresses::new(platform), code }
    }

    /// As [`Reader::new`], for a scheme whose turns identify the core; used with [`Reader::head_of`].
    pub(super) fn in_turns(platform: &Platform, code: C) -> Self {
        Self::new(platform, code)
    }

    /// Reads a field of fixed width outside a message.
    pub(super) fn bits<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        self.code.read_bits(field, bits, input)
    }

    /// Reads the head of the next message.
    #[inline(always)]
    pub fn head<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<Head, CodingError> {
        let (core, diff_cc, count) = self.begin(input)?;
        self.head_after(core, diff_cc, count, input)
    }

    /// Reads the beginning of the next message: core, cycles, and the count, which is 0 for an escape message.
    #[inline(always)]
    pub(super) fn begin<I: Iterator<Item = u32>>(
        &mut self,
        input: &mut BitReader<I>,
    ) -> Result<(u8, u64, u64), CodingError> {
        let diff_cc = self.diff_cc(input)?;
        let p = &self.platform;
        let core = self.code.read_bits(Field::Core, p.ti_bits(), input)?;
        if core >= p.cores.into() {
            return Err(CodingError::Core { found: core, cores: p.cores });
        }
        Ok((core as u8, diff_cc, self.count(input)?))
    }

    /// Reads the head of a message that is known to be of `core`.
    pub(super) fn head_of<I: Iterator<Item = u32>>(
        &mut self,
        core: u8,
        input: &mut BitReader<I>,
    ) -> Result<Head, CodingError> {
        let diff_cc = self.diff_cc(input)?;
        let count = self.count(input)?;
        self.head_after(core, diff_cc, count, input)
    }

    #[inline(always)]
    fn diff_cc<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<u64, CodingError> {
        let p = &self.platform;
        if p.timestamps {
            self.code.read_number(Field::DiffCc, p.cc_bits.into(), input)
        } else {
            Ok(0)
        }
    }

    #[inline(always)]
    fn count<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<u64, CodingError> {
        self.code.read_number(Field::Count, self.platform.count_bits.into(), input)
    }

    /// The head with this beginning.
    #[inline(always)]
    fn head_after<I: Iterator<Item = u32>>(
        &mut self,
        core: u8,
        diff_cc: u64,
        count: u64,
        input: &mut BitReader<I>,
    ) -> Result<Head, CodingError> {
        if count != 0 {
            return Ok(Head::Count { core, diff_cc, count });
        }
        Ok(Head::Escape(self.escape_message(core, diff_cc, input)?))
    }

    /// Reads the escape message with this beginning.
    #[inline(always)]
    pub(super) fn escape_message<I: Iterator<Item = u32>>(
        &mut self,
        core: u8,
        diff_cc: u64,
        input: &mut BitReader<I>,
    ) -> Result<Message, CodingError> {
        Ok(Message { core, diff_cc, body: Body::Escape(self.escape(core, input)?) })
    }

    #[cold]
    #[inline(never)]
    fn escape<I: Iterator<Item = u32>>(&mut self, core: u8, input: &mut BitReader<I>) -> Result<Escape, CodingError> {
        let width = self.platform.count_bits.into();
        let kind = match self.code.read_bits(Field::Kind, 1, input)? {
            0 => None,
            _ => Some(self.code.read_bits(Field::Kind, 3, input)?),
        };
        let most = if self.platform.context.is_some() { CONTEXT } else { OVERFLOW };
        if let Some(kind) = kind.filter(|kind| *kind > most) {
            return Err(CodingError::Kind(kind));
        }
        let i_cnt = self.code.read_number(Field::ICnt, width, input)?;
        let mut context = None;
        if let (None | Some(SYNC | CONTEXT), bits @ 1..) = (kind, self.platform.context_bits()) {
            context = Some(Context(self.code.read_bits(Field::Context, bits, input)? as u32));
        }
        Ok(match kind {
            None => Escape::Exception { i_cnt, target: self.target(core, input)?, context },
            Some(SYNC) => {
                self.addresses.forget(core);
                Escape::Sync { i_cnt, pc: self.target(core, input)?, context }
            }
            Some(kind @ (RESYNC | OVERFLOW)) => {
                let lost = self.code.read_number(Field::Lost, width, input)?;
                // a resync has no lost instructions, an overflow has some
                if (kind == RESYNC) != (lost == 0) {
                    return Err(CodingError::Kind(kind));
                }
                match kind {
                    RESYNC => Escape::Resync { i_cnt, signature: self.signature(input)? },
                    _ => Escape::Overflow { i_cnt, lost },
                }
            }
            Some(STOP) => Escape::Stop { i_cnt, signature: self.signature(input)? },
            Some(CONTEXT) => Escape::Context { i_cnt, context: context.unwrap_or(Context::RESET) },
            Some(_) => Escape::Progress { i_cnt, signature: self.signature(input)? },
        })
    }

    /// Reads a signature, if messages carry one.
    fn signature<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<Option<u16>, CodingError> {
        match self.platform.signature {
            0 => Ok(None),
            bits => Ok(Some(self.code.read_bits(Field::Signature, bits.into(), input)? as u16)),
        }
    }

    /// Reads the target that follows a head, for an indirect branch of `core`.
    #[inline(always)]
    pub fn target<I: Iterator<Item = u32>>(&mut self, core: u8, input: &mut BitReader<I>) -> Result<u64, CodingError> {
        let bits = self.platform.address_bits();
        let diff = self.code.read_number(Field::DiffTa, bits, input)?;
        let negative = self.code.read_bits(Field::Sign, 1, input)? == 1;
        if diff == 0 && negative {
            return Err(CodingError::NegativeZero);
        }
        Ok(self.addresses.update(core, |pta| if negative { pta.wrapping_sub(diff) } else { pta.wrapping_add(diff) }))
    }

    /// Reads the taken bit that follows a head, for a conditional indirect branch.
    #[inline]
    pub fn taken<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<bool, CodingError> {
        self.code.read_bits(Field::Taken, 1, input).map(|b| b == 1)
    }

    /// The code, for a scheme that resets it.
    pub(super) fn code(&mut self) -> &mut C {
        &mut self.code
    }

    /// Reads what follows the last message.
    pub fn flush<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<(), CodingError> {
        self.code.read_flush(input)
    }
}
