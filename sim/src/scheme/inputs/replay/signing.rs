//! The state signature that replay computes on the way to its sink
//!
//! Replay itself does not know the type of the sink, so that it is compiled once for all of them.

use crate::riscv::any_sink::AnySink;
use crate::scheme::inputs::signature::Signature;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// A sink, and the caller's question whether to stop.
pub(super) trait Output: AnySink {
    /// Whether the caller wants no instruction after this one; `pc` is the address of the next.
    fn must_stop(&mut self, pc: u64) -> bool;
}

/// A sink with the caller's question.
pub(super) struct Bounded<'a, S, F> {
    pub sink: &'a mut S,
    pub until: F,
}

impl<S: RetireSink, F> RetireSink for Bounded<'_, S, F> {
    const WANTS_DATA: bool = S::WANTS_DATA;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;

    retire::forward!(sink: event, data, stack_pointer, note, master);
}

impl<S: RetireSink, F: FnMut(&mut S, u64) -> bool> Output for Bounded<'_, S, F> {
    #[inline]
    fn must_stop(&mut self, pc: u64) -> bool {
        (self.until)(self.sink, pc)
    }
}

/// An output of any type.
pub(super) struct AnyOutput<'a> {
    pub output: &'a mut dyn Output,
    /// [`RetireSink::WANTS_DATA`] of the sink.
    pub wants_data: bool,
}

/// A sink that forwards the output of a hart and adds it to the signature.
pub(super) struct SigningSink<'a> {
    pub output: &'a mut dyn Output,
    wants_data: bool,
    signature: &'a mut Signature,
    /// The signature at the event where a check was due.
    pub due: Option<u32>,
}

impl<'a> SigningSink<'a> {
    #[inline]
    pub fn new(to: &'a mut AnyOutput<'_>, signature: &'a mut Signature) -> Self {
        Self { output: &mut *to.output, wants_data: to.wants_data, signature, due: None }
    }
}

impl RetireSink for SigningSink<'_> {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        if self.signature.event(e) {
            self.due = Some(self.signature.value());
        }
        self.output.event(e);
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        self.signature.data(&d.kind);
        if self.wants_data {
            self.output.data(d);
        }
    }

    #[inline]
    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.output.stack_pointer(hart, sp);
    }

    #[inline]
    fn note(&mut self, hart: u8, note: &Note) {
        if self.wants_data {
            self.output.note(hart, note);
        }
    }

    #[inline]
    fn master(&mut self, store: &MasterStore) {
        if self.wants_data {
            self.output.master(store);
        }
    }
}
