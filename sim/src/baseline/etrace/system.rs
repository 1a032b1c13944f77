//! Golden model of the circuit: one encoder per core, and the words of all
//!
//! An instruction is reported with the next one of its core, or at the end of the trace. The packets of all cores are in the order in
//! which these instructions retire, in a cycle by core; what is reported at the end comes last.

use super::{Encoder, EtraceError, EtraceParams};
use crate::beats::{Expander, Retired};
use retire::elf::Program;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};

/// Packets of a core, and the instructions with which they are reported.
struct Core {
    bytes: Vec<u8>,
    dues: std::iter::Peekable<std::vec::IntoIter<(u64, usize)>>,
    /// Instructions that retired, and bytes that are sent.
    retired: u64,
    sent: usize,
}

impl Core {
    fn retire(&mut self, out: &mut Vec<u8>) {
        self.retired += 1;
        while let Some((_, end)) = self.dues.next_if(|(number, _)| *number <= self.retired) {
            out.extend(&self.bytes[self.sent..end]);
            self.sent = end;
        }
    }
}

/// The changes of context of a core, as a circuit reports them.
struct Contexts {
    bits: Option<u8>,
    now: Context,
    /// Instructions before changes that are not reported.
    more: u32,
}

impl Contexts {
    /// The event in the bits that are reported; `None`: a change that is not.
    fn event(&mut self, e: &FlowEvent) -> Option<FlowEvent> {
        let mut kind = e.kind;
        if let FlowKind::Context { context, alone } = e.kind {
            let low = |bits: u8| Context::new(context.privilege(), context.id() & ((1 << bits) - 1));
            let context = self.bits.map_or(self.now, low);
            if context == self.now {
                self.more += e.count;
                return None;
            }
            self.now = context;
            kind = FlowKind::Context { context, alone };
        }
        Some(FlowEvent { kind, count: e.count + std::mem::take(&mut self.more), ..*e })
    }
}

impl EtraceParams {
    /// The packets of each core for its events, with a filter or without.
    fn encoded(&self, program: &Program, events: &[FlowEvent], filter: bool) -> Result<Vec<Core>, EtraceError> {
        let image = Image::new(program);
        let encoder = |core| Encoder::with_extras(self.options, self.extras(core, filter), &image, self.xlen);
        let mut encoders: Vec<_> = (0..self.cores).map(encoder).collect::<Result<_, _>>()?;
        let contexts = |_| Contexts { bits: self.context, now: Context::RESET, more: 0 };
        let mut contexts: Vec<_> = (0..self.cores).map(contexts).collect();
        for e in events {
            let core = usize::from(e.hart);
            contexts[core].event(e).map_or(Ok(()), |e| encoders[core].push(&e))?;
        }
        let core = |encoder: Encoder<'_>| {
            let (bytes, dues) = encoder.finish_with_dues()?;
            Ok(Core { bytes, dues: dues.into_iter().peekable(), retired: 0, sent: 0 })
        };
        encoders.into_iter().map(core).collect()
    }

    /// Golden model: the bytes that a system without losses sends for the events of cores that run `program`.
    ///
    /// # Errors
    /// E-Trace has no packet for an event, or the events do not fit the program.
    pub fn bytes(&self, program: &Program, events: &[FlowEvent]) -> Result<Vec<u8>, EtraceError> {
        let mut cores = self.encoded(program, events, false)?;
        let (mut out, mut expander) = (Vec::new(), Expander::new(program, self.cores));
        let mut each = |r: &Retired| cores[usize::from(r.hart)].retire(&mut out);
        events.iter().try_for_each(|e| expander.event(e, &mut each))?;
        expander.finish(&mut each)?;
        cores.iter().for_each(|c| out.extend(&c.bytes[c.sent..]));
        Ok(out)
    }

    /// As [`EtraceParams::bytes`]; `order` has the core of each instruction, in the order in which they retire. Without it, those between
    /// two events of a core retire with the second one.
    ///
    /// # Errors
    /// As [`EtraceParams::bytes`].
    pub fn ordered_bytes(
        &self,
        program: &Program,
        events: &[FlowEvent],
        order: impl IntoIterator<Item = u8>,
    ) -> Result<Vec<u8>, EtraceError> {
        Ok(ordered(self.encoded(program, events, false)?, order))
    }

    /// As [`EtraceParams::ordered_bytes`], for a system with a filter: gaps in the events are what it hides, and `order` has the instructions
    /// that are not hidden.
    ///
    /// # Errors
    /// As [`EtraceParams::bytes`].
    pub fn filtered_bytes(
        &self,
        program: &Program,
        events: &[FlowEvent],
        order: impl IntoIterator<Item = u8>,
    ) -> Result<Vec<u8>, EtraceError> {
        Ok(ordered(self.encoded(program, events, true)?, order))
    }
}

/// The packets of all cores, whose instructions retire in this order.
fn ordered(mut cores: Vec<Core>, order: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut out = Vec::new();
    order.into_iter().for_each(|core| cores[usize::from(core)].retire(&mut out));
    cores.iter().for_each(|c| out.extend(&c.bytes[c.sent..]));
    out
}

/// The words in which such a system sends `bytes`: the first byte lowest, and zeros after the last one.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}
