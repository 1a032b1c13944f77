//! Messages of the scheme, and their bits
//!
//! The head of a message, escapes and time stamps are those of [`super::super::fields`], with [`Runs`] as code. The fields of the target
//! of a mispredicted indirect branch are in `docs/reference/stream.md`, "Messages (scheme `follow`)". Its difference is that to the address of
//! the branch, without the bits that are always 0.

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

/// Form in which a target is sent.
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

    /// Appends the fields of a target.
    pub(super) fn write(self, target: Target, out: &mut BitWriter) {
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
        let slot = match other {
            Some(other) if take(1)? == 1 => return Ok(other),
            _ => take(question.slot_bits())? as u8,
        };
        let target = question.in_slot(slot);
        if target == question.predicted() || other == Some(target) || question.slot(target) != Some(slot) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use crate::scheme::follow::predictor::Predictor;
    use crate::scheme::follow::sizes::Sizes;
    use retire::isa::Indirect;

    /// The mean of the runs is 16, 15, 14, 13, 12, 12, 11: k = 4, then 3.
    #[test]
    fn messages_are_those_worked_by_hand() {
        let target = |form| Target { address: 0x90, form };
        let slot = |other| target(Form::Slot { slot: 5, bits: 4, other });
        let escape = Escape::Sync { i_cnt: 0, pc: 0x10, context: None };
        let lines = [
            (Record::Escape(escape), "0 0000 1 000 00 0 000 1 1000 0 0"),
            (Record::Outcome { count: 5 }, "0 1010"),
            (Record::Target { count: 2, target: target(Form::Other) }, "0 010 1 1"),
            (Record::Target { count: 1, target: slot(true) }, "0 100 1 0 1010"),
            (Record::Target { count: 1, target: slot(false) }, "0 100 1 1010"),
            // 0x48 - 0x80 is -56
            (Record::Target { count: 1, target: target(Form::Difference { pc: 0x100 }) }, "0 100 0 0001110 0 1"),
            (Record::ConditionalIndirect { count: 1, target: None }, "0 100 0"),
            (Record::ConditionalIndirect { count: 1, target: Some(target(Form::Other)) }, "0 100 1 1 1"),
        ];
        let (mut coder, mut out) = (Coder::new(&Platform::RV32), BitWriter::new());
        for (body, _) in lines {
            coder.encode(&Message { core: 0, diff_cc: 0, body }, &mut out);
        }
        let want: String = lines.iter().flat_map(|(_, line)| line.chars()).filter(|c| *c != ' ').collect();
        assert_eq!(out.len(), want.len() as u64);
        out.pad();
        let got: String = as_bits(out.words()).iter().take(want.len()).map(|b| if *b { '1' } else { '0' }).collect();
        assert_eq!(got, want);
    }

    /// After a jump to 0x500, 0x24 and 0x26.
    fn question(ask: impl FnOnce(&Question<'_>)) {
        let mut p = Predictor::new(&Sizes::set("m+paths0").unwrap(), &Platform::RV32);
        for target in [0x500, 0x24, 0x26] {
            _ = p.indirect(Indirect::Jump, 0x100, 0, false, |_| Ok::<_, ()>(target));
        }
        _ = p.indirect(Indirect::Jump, 0x100, 0, false, |question| {
            ask(&question.unwrap());
            Ok::<_, ()>(0)
        });
    }

    #[test]
    fn a_target_has_one_form_and_all_others_are_refused() {
        let addresses = Addresses::new(&Platform::RV32);
        let bits = |target: Target| {
            let mut out = BitWriter::new();
            addresses.write(target, &mut out);
            out.pad();
            out.drain().collect::<Vec<u32>>()
        };
        question(|q| {
            assert_eq!((q.predicted(), q.other()), (0x26, None));
            let read = |t| addresses.read(Some(q), 0x100, &mut BitReader::new(bits(t).into_iter()));
            for address in [0x24, 0x500, 0x2_0000, 0x100] {
                let form = Form::of(Some(q), address, 0x100);
                assert_eq!(matches!(form, Form::Slot { .. }), matches!(address, 0x24 | 0x500), "{address:#x}");
                assert_eq!(read(Target { address, form }), Ok(address));
            }
            let slot = |address| Form::Slot { slot: q.slot(address).unwrap(), bits: 4, other: false };
            assert!(matches!(read(Target { address: 0x26, form: slot(0x26) }), Err(CodingError::Redundant(_))));
            let difference = Target { address: 0x24, form: Form::Difference { pc: 0x100 } };
            assert!(matches!(read(difference), Err(CodingError::Redundant(_))));
            // in the warm-up, no target is in the dictionary
            let read = |t| addresses.read(None, 0x100, &mut BitReader::new(bits(t).into_iter()));
            assert_eq!(read(difference), Ok(0x24));
            assert!(matches!(read(Target { address: 0x24, form: slot(0x24) }), Err(CodingError::Redundant(_))));
        });
    }
}
