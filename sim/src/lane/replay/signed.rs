//! What the signatures in messages confirm of a hart

use super::PathError;
use crate::lane::signature::Signature;
use retire::Context;

/// What the signatures say of a hart.
#[derive(Clone, Debug)]
pub struct Signed {
    pub signature: Signature,
    /// It is that of the core, unless the path is wrong: every instruction since a restart was followed.
    pub known: bool,
    /// The marker of a resync was read, and its sync was not; what it carries, and the instructions that it counts.
    pub marker: Option<(Option<u16>, u64)>,
    /// Instructions that a signature confirmed, and those before the stretch that none has confirmed yet.
    pub confirmed: u64,
    pub since: u64,
}

impl Signed {
    /// Compares what a message carries, after `instructions` of the core.
    pub fn check(&mut self, sent: Option<u16>, instructions: u64) -> Result<(), PathError> {
        let path = self.signature.value();
        let Some(sent) = sent.filter(|_| self.known) else { return Ok(()) };
        let stretch = instructions - self.since;
        if sent != path {
            return Err(PathError::Signature { sent, path, instructions: stretch });
        }
        self.confirmed += stretch;
        self.since = instructions;
        Ok(())
    }

    /// A sync at `pc`, after `instructions`; `goes_on` behind a gap whose beginning is known.
    pub fn sync(&mut self, pc: u64, goes_on: bool, context: Option<Context>, instructions: u64) {
        if !goes_on || !self.known {
            self.signature.restart();
            self.since = instructions;
            self.known = true;
        }
        self.signature.begin(pc);
        self.signature.context(context);
        if self.marker.take().is_some() {
            self.signature.entered();
        }
    }
}
