//! Signature check of a hart

use super::PathError;
use crate::core_trace::signature::Signature;
use retire::Context;

/// State of the signature check of one hart.
#[derive(Clone, Debug)]
pub struct SignatureCheck {
    pub signature: Signature,
    /// Every instruction since a restart was followed, so the value must match that of the core.
    pub known: bool,
    /// The marker of a resync was read, but not its sync: the signature that it carries, and its instruction count.
    pub marker: Option<(Option<u16>, u64)>,
    /// It is not known whether there was a marker before the sync that is next, or that was last.
    pub maybe_marker: bool,
    /// Instructions that signatures have confirmed; and the instruction count at the last confirmation or restart.
    pub confirmed: u64,
    pub since: u64,
}

impl SignatureCheck {
    /// Compares the signature of a message, after `instructions` of the core.
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

    /// Takes a sync at `pc`, after `instructions`; `continues`: it follows a gap whose beginning is known.
    pub fn sync(&mut self, pc: u64, continues: bool, context: Option<Context>, instructions: u64) {
        if !continues || !self.known {
            self.signature.restart();
            self.since = instructions;
            self.known = true;
        }
        self.signature.begin(pc);
        self.signature.context(context);
        if self.marker.take().is_some() {
            self.signature.keep_first();
        }
    }

    /// Enters the `target` of the control-flow instruction at `pc`. If it is the first one after a sync, the value depends on the marker before.
    #[inline]
    pub fn flow(&mut self, pc: u64, target: u64) {
        if self.maybe_marker {
            self.maybe_marker = false;
            self.known &= !self.signature.is_first(pc);
        }
        self.signature.flow(pc, target);
    }
}
