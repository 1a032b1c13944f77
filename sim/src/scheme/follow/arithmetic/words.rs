//! The stream: words of the cores, in the order in which they are complete
//!
//! A word is `Ti`, with several cores, and 32 bits of the code of that core. The words of a core up to its next sync, once the header was repeated, have one bit
//! before the word: 1 in the word with which the code after the sync begins, so that a decoder that begins at the header knows where that is.

use crate::bits::{BitReader, BitWriter};
use crate::chunk;
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Escape, Kind, Message, Report};
use crate::platform::Platform;
use crate::scheme::fields::{Code, Field};
use crate::scheme::follow::runs::Runs;
use crate::scheme::Encode;

/// A word of the code of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Four bytes, from the low end.
    pub word: u32,
    /// After a repeated header and up to the sync: whether the code begins with this word.
    pub begins: Option<bool>,
    /// The escape message with which the code ends in this word.
    pub ends: Option<Escape>,
}

impl Report for Record {
    fn kind(&self) -> Kind {
        self.ends.map_or(Kind::Word, |escape| Body::Escape(escape).kind())
    }

    fn is_resync(&self) -> bool {
        matches!(self.ends, Some(Escape::Resync { .. }))
    }
}

/// Writes the words of all cores.
#[derive(Clone, Debug)]
pub struct Coder {
    ti_bits: u32,
}

impl Coder {
    pub(super) fn new(platform: &Platform) -> Self {
        Self { ti_bits: platform.ti_bits() }
    }
}

impl Encode<Record> for Coder {
    fn encode(&mut self, message: &Message<Record>, out: &mut BitWriter) {
        let Record { word, begins, .. } = message.body;
        out.push(message.core.into(), self.ti_bits);
        if let Some(begins) = begins {
            out.push(begins.into(), 1);
        }
        out.push(word.into(), 32);
    }

    // each core ends its own code
    fn flush(&mut self, _: &mut BitWriter) {}

    // no field has a length of its own
    fn count_lengths(&mut self) {}

    fn lengths(&self) -> Option<&FieldLengths> {
        None
    }
}

/// Least number of plain bits of a sync, with several cores. With the 11 doublings of the escape before them, they complete the first word of the
/// code. So that word is sent with the sync, before any later header.
pub const SYNC_BITS: u64 = 33;
/// Zeros that follow a sync of fewer bits, until it has [`SYNC_BITS`].
pub const SYNC_ZEROS: u32 = 8;

/// Whether the code of a core ends with this escape message, so that the next word begins a new one.
pub fn ends(escape: &Escape) -> bool {
    match escape {
        Escape::Resync { .. } | Escape::Overflow { .. } | Escape::Stop { .. } | Escape::Progress { .. } => true,
        Escape::Exception { .. } | Escape::Sync { .. } | Escape::Context { .. } => false,
    }
}

/// The fields of an escape message without the run that says that it is one.
#[derive(Clone, Copy, Debug)]
pub struct EscapeFields;

impl Code for EscapeFields {
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
        if field != Field::Count {
            chunk::write(value, Runs::chunks(field), out);
        }
    }

    fn bits(&mut self, _: Field, value: u64, bits: u32, out: &mut BitWriter) {
        out.push(value, bits);
    }

    fn flush(&mut self, _: &mut BitWriter) {}

    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        match field {
            Field::Count => Ok(0),
            _ => chunk::read(Runs::chunks(field), field.name(), bits, input),
        }
    }

    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        input.take(bits).ok_or(CodingError::Truncated)
    }

    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        Ok(())
    }
}
