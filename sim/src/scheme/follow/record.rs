//! Messages of the scheme, and their bits
//!
//! The head of a message, escapes and time stamps are those of [`super::super::fields`], with [`Runs`] as code. The target of a mispredicted
//! indirect branch has fields of its own:
//!
//! | target | fields in order |
//! | --- | --- |
//! | of the other table | `1 1` |
//! | in the dictionary | `1`, a 0 if there is a prediction of the other table, and the slot |
//! | any other | `0`, `chunked(difference; 7, 4)`, and a sign bit |
//!
//! The difference is that to the address of the branch, without the bits that are always 0.

use super::predictor::Question;
use super::runs::Runs;
use crate::bits::{BitReader, BitWriter};
use crate::chunk::{self, Chunks};
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Escape, Kind, Message, Report};
use crate::platform::Platform;
use crate::scheme::fields::{self, Field, Writer};
use crate::scheme::Encode;

/// Chunks of the difference between a target and its branch.
pub const DIFFERENCE: Chunks = Chunks::new(7, 4);

/// A mispredicted target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Byte address.
    pub address: u64,
    /// How it is sent.
    pub form: Form,
}

/// How a target is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is the prediction of the other table.
    Other,
    /// Slot of the dictionary.
    Slot {
        /// The slot, and its width in bits.
        slot: u8,
        /// Width in bits.
        bits: u32,
        /// The other table has a prediction, which is wrong.
        other: bool,
    },
    /// Difference to the address of the branch.
    Difference {
        /// Address of the branch.
        pc: u64,
    },
}

impl Form {
    /// The form of `target`, which is not the prediction; `question` is `None` in the warm-up.
    pub fn of(question: Option<&Question<'_>>, target: u64, pc: u64) -> Self {
        let Some((question, slot)) = question.and_then(|q| Some((q, q.slot(target)?))) else {
            return Self::Difference { pc };
        };
        match question.other() {
            Some(other) if other == target => Self::Other,
            other => Self::Slot { slot, bits: question.slot_bits(), other: other.is_some() },
        }
    }
}

/// A message of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A mispredicted outcome after `count` reported branches, this one included.
    Outcome {
        /// bCnt.
        count: u64,
    },
    /// A mispredicted target.
    Target {
        /// bCnt.
        count: u64,
        /// TA.
        target: Target,
    },
    /// A conditional indirect branch: `None` if it was not taken.
    ConditionalIndirect {
        /// bCnt.
        count: u64,
        /// TA.
        target: Option<Target>,
    },
    /// An escape message.
    Escape(Escape),
}

impl Record {
    /// The record as a message, for listings and statistics.
    pub fn body(&self) -> Body {
        match *self {
            Self::Outcome { count } => Body::Outcome { count },
            Self::Target { count, target } => Body::Target { count, target: target.address },
            Self::ConditionalIndirect { count, target: None } => Body::NotTaken { count },
            Self::ConditionalIndirect { count, target: Some(target) } => Body::Taken { count, target: target.address },
            Self::Escape(escape) => Body::Escape(escape),
        }
    }
}

impl Report for Record {
    fn kind(&self) -> Kind {
        self.body().kind()
    }

    fn is_resync(&self) -> bool {
        self.body().is_resync()
    }
}

/// Writes the messages of all cores.
#[derive(Clone, Debug)]
pub struct Coder {
    fields: Writer<Runs>,
    addresses: Addresses,
}

/// Width of addresses, and their bits that are always 0.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    bits: u32,
    align: u8,
}

impl Addresses {
    /// Addresses of a platform.
    pub fn new(platform: &Platform) -> Self {
        Self { bits: platform.address_bits(), align: platform.align }
    }

    fn write(self, target: Target, out: &mut BitWriter) {
        match target.form {
            Form::Other => out.push(0b11, 2),
            Form::Slot { slot, bits, other } => {
                out.push(1, 1 + u32::from(other));
                out.push(slot.into(), bits);
            }
            Form::Difference { pc } => {
                let (difference, negative) =
                    fields::difference(pc >> self.align, target.address >> self.align, self.bits);
                out.push(0, 1);
                chunk::write(difference, DIFFERENCE, out);
                out.push(negative.into(), 1);
            }
        }
    }

    /// Reads the target of the indirect branch at `pc`, which is not as predicted.
    ///
    /// # Errors
    /// The bits end early, or are never sent.
    pub fn read<I: Iterator<Item = u32>>(
        self,
        question: Option<&Question<'_>>,
        pc: u64,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        let mut take = |bits| input.take(bits).ok_or(CodingError::Truncated);
        if take(1)? == 0 {
            let difference = chunk::read(DIFFERENCE, Field::DiffTa.name(), self.bits, input)?;
            let negative = input.take(1).ok_or(CodingError::Truncated)? == 1;
            if difference == 0 && negative {
                return Err(CodingError::NegativeZero);
            }
            let pc = pc >> self.align;
            let target = if negative { pc.wrapping_sub(difference) } else { pc.wrapping_add(difference) };
            let target = (target & u64::MAX >> (64 - self.bits)) << self.align;
            return if question.is_some_and(|q| q.slot(target).is_some()) {
                Err(CodingError::Redundant("the address of a target that is in the dictionary"))
            } else {
                Ok(target)
            };
        }
        let question = question.ok_or(CodingError::Redundant("a slot of the dictionary in the warm-up"))?;
        let other = question.other();
        let target = match other {
            Some(other) if take(1)? == 1 => return Ok(other),
            _ => question.in_slot(take(question.slot_bits())? as u8),
        };
        if target == question.predicted() || other == Some(target) || question.slot(target).is_none() {
            return Err(CodingError::Redundant("the slot of a target that is predicted, or in another slot"));
        }
        Ok(target)
    }
}

impl Coder {
    /// State at the beginning of a stream.
    pub fn new(platform: &Platform) -> Self {
        Self { fields: Writer::new(platform, Runs::new(platform.cores)), addresses: Addresses::new(platform) }
    }
}

impl Encode<Record> for Coder {
    fn encode(&mut self, message: &Message<Record>, out: &mut BitWriter) {
        let (head, target) = match message.body {
            Record::Target { count, target } => (Body::Outcome { count }, Some(target)),
            Record::ConditionalIndirect { count, target: Some(target) } => (Body::Outcome { count }, Some(target)),
            _ => (message.body.body(), None),
        };
        self.fields.encode(&Message { core: message.core, diff_cc: message.diff_cc, body: head }, out);
        if let Record::ConditionalIndirect { target: Some(_), .. } = message.body {
            out.push(1, 1);
        }
        if let Some(target) = target {
            self.addresses.write(target, out);
        }
    }

    fn flush(&mut self, out: &mut BitWriter) {
        self.fields.flush(out);
    }

    fn count_lengths(&mut self) {
        self.fields.count_lengths();
    }

    fn lengths(&self) -> Option<&FieldLengths> {
        self.fields.lengths()
    }
}
