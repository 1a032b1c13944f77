//! An event entry as plain numbers: what benches push, and compare

use hdl::spine::entry::*;

/// One entry, with the fields of [`hdl::spine::entry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// `PRE_*`.
    pub pre: u8,
    /// `POST_*`, or `CONTROL_*` with [`PRE_CONTROL`].
    pub post: u8,
    /// iCnt.
    pub icnt: u32,
    /// bCnt, SL or lost.
    pub bcnt: u32,
    /// ETA or PC, `align` low bits dropped.
    pub pc: u64,
    /// TA, `align` low bits dropped.
    pub target: u64,
    /// diffCC.
    pub cc: u32,
    /// Context, and above it whether it changes without an exception.
    pub context: u32,
    /// PC of the sync of a resync that is told past the entry, `align` low bits dropped.
    pub landing: u64,
}

impl Entry {
    /// The entry with every field that no message of it uses set to 0, so that entries compare.
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
        let full = Entry { pre: 0, post: 0, icnt: 1, bcnt: 2, pc: 3, target: 4, cc: 5, context: 6, landing: 0 };
        let outcome = Entry { post: POST_OUTCOME, ..full };
        assert_eq!(outcome.used(), Entry { post: POST_OUTCOME, bcnt: 2, cc: 5, ..Entry::default() });
        let both = Entry { pre: PRE_EXCEPTION, post: POST_TARGET, ..full };
        assert_eq!(both.used(), both);
        let overflow = Entry { pre: PRE_CONTROL, post: CONTROL_OVERFLOW, ..full };
        assert_eq!(overflow.used(), Entry { pc: 0, target: 0, context: 0, ..overflow });
    }
}
