//! The state signature that replay computes on the way to its sink

use crate::scheme::inputs::signature::Signature;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// A sink that forwards the output of a hart and adds it to the signature.
pub(super) struct SigningSink<'a, S> {
    pub sink: &'a mut S,
    pub signature: &'a mut Signature,
    /// The signature at the event where a check was due.
    pub due: Option<u32>,
}

impl<S: RetireSink> RetireSink for SigningSink<'_, S> {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        if self.signature.event(e) {
            self.due = Some(self.signature.value());
        }
        self.sink.event(e);
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        self.signature.data(&d.kind);
        if S::WANTS_DATA {
            self.sink.data(d);
        }
    }

    #[inline]
    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.sink.stack_pointer(hart, sp);
    }

    #[inline]
    fn note(&mut self, hart: u8, note: &Note) {
        if S::WANTS_DATA {
            self.sink.note(hart, note);
        }
    }

    #[inline]
    fn master(&mut self, store: &MasterStore) {
        if S::WANTS_DATA {
            self.sink.master(store);
        }
    }
}
