//! Messages and turns as bits: with several cores, a leading bit distinguishes them; a single core has no turns
//!
//! A 1 is the end of a turn. After a 0 follows a T-raptor message without the core index.

use super::turns::TurnCode;
use crate::bits::BitWriter;
use crate::lengths::FieldLengths;
use crate::message::{Body, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Field, Writer};
use crate::scheme::tr::coder;
use crate::scheme::Encode;

/// Writes the messages of all cores.
#[derive(Clone, Debug)]
pub struct Coder {
    turns: Option<TurnCode>,
    fields: Writer<coder::Coder>,
}

impl Coder {
    pub(super) fn new(platform: &Platform, fields: Writer<coder::Coder>) -> Self {
        let turns = (platform.cores > 1).then(|| TurnCode::new(platform.cores, platform.ti_bits()));
        Self { turns, fields }
    }
}

impl Encode for Coder {
    fn encode(&mut self, message: &Message, out: &mut BitWriter) {
        if let Some(turns) = &mut self.turns {
            if let Body::Turn { length, next } = message.body {
                self.fields.bits(Field::Core, 1, 1, out);
                turns.write(message.core, length, next, |value, bits| self.fields.bits(Field::Core, value, bits, out));
                return;
            }
            self.fields.bits(Field::Core, 0, 1, out);
        }
        self.fields.encode(message, out);
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
