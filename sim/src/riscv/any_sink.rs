//! Sinks without their type
//!
//! The interpreter is large, and is compiled once more for each type of sink. Where a sink does not limit the speed, it is
//! reached through a pointer instead.

use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// A [`RetireSink`] of any type.
pub(crate) trait AnySink {
    fn event(&mut self, event: &FlowEvent);
    fn data(&mut self, data: &DataEvent);
    fn stack_pointer(&mut self, hart: u8, sp: u64);
    fn note(&mut self, hart: u8, note: &Note);
    fn master(&mut self, store: &MasterStore);
}

impl<S: RetireSink> AnySink for S {
    fn event(&mut self, event: &FlowEvent) {
        RetireSink::event(self, event);
    }

    fn data(&mut self, data: &DataEvent) {
        RetireSink::data(self, data);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        RetireSink::stack_pointer(self, hart, sp);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        RetireSink::note(self, hart, note);
    }

    fn master(&mut self, store: &MasterStore) {
        RetireSink::master(self, store);
    }
}

/// A sink that is known only by whether it wants data (`DATA`). One that does not want stack pointers ignores them.
pub(crate) struct Erased<'a, const DATA: bool>(pub &'a mut dyn AnySink);

impl<const DATA: bool> RetireSink for Erased<'_, DATA> {
    const WANTS_DATA: bool = DATA;
    const WANTS_STACK_POINTER: bool = true;

    retire::forward!(0: event, data, stack_pointer, note, master);
}
