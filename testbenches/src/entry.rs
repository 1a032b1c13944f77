//! An event entry as plain numbers, to be pushed and compared by benches

use hdl::spine::entry::*;

/// An event entry, with the fields of [`hdl::spine::entry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// `PRE_*`.
    pub pre: u8,
    /// `POST_*`, or `CONTROL_*` with [`PRE_CONTROL`].
    pub post: u8,
    /// iCnt.
    pub icnt: u32,
    /// bCnt, SL or the number of lost instructions.
    pub bcnt: u32,
    /// ETA or PC, without the lowest `align` bits.
    pub pc: u64,
    /// TA, without the lowest `align` bits.
    pub target: u64,
    /// diffCC.
    pub cc: u32,
    /// Context, and above it a flag for a change without an exception.
    pub context: u32,
    /// PC of the sync of a resync that does not pass through the entry, without the lowest `align` bits.
    pub resync_pc: u64,
}

impl Entry {
    /// Sets every field to 0 that no message of the entry uses, so that entries can be compared.
    pub fn used(self) -> Self {
        let control = self.pre == PRE_CONTROL;
        let overflow = control && self.post == CONTROL_OVERFLOW;
        let behind = self.pre == PRE_EXCEPTION && self.post == POST_RESYNC;
        let resync = behind || (control && self.post == CONTROL_RESYNC);
        let counts_branches = behind || (!control && matches!(self.post, POST_OUTCOME | POST_TARGET));
        Self {
            icnt: if self.pre != PRE_NONE || self.post == POST_PROGRESS { self.icnt } else { 0 },
            bcnt: if counts_branches || overflow { self.bcnt } else { 0 },
            pc: if matches!(self.pre, PRE_EXCEPTION | PRE_SYNC) { self.pc } else { 0 },
            context: if resync || matches!(self.pre, PRE_EXCEPTION | PRE_SYNC) { self.context } else { 0 },
            target: if resync || (!control && self.post == POST_TARGET) { self.target } else { 0 },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_fields_do_not_count() {
        let full = Entry { pre: 0, post: 0, icnt: 1, bcnt: 2, pc: 3, target: 4, cc: 5, context: 6, resync_pc: 0 };
        let outcome = Entry { post: POST_OUTCOME, ..full };
        assert_eq!(outcome.used(), Entry { post: POST_OUTCOME, bcnt: 2, cc: 5, ..Entry::default() });
        let both = Entry { pre: PRE_EXCEPTION, post: POST_TARGET, ..full };
        assert_eq!(both.used(), both);
        let overflow = Entry { pre: PRE_CONTROL, post: CONTROL_OVERFLOW, ..full };
        assert_eq!(overflow.used(), Entry { pc: 0, target: 0, context: 0, ..overflow });
    }
}
