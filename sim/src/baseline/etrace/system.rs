//! Golden model of the circuit: one encoder per core, and the words of all
//!
//! An instruction is reported with the next one of its core, or at the end of the trace. The packets of all cores are in the order in
//! which these instructions retire, in a cycle by core; what is reported at the end comes last.

use super::{Encoder, EtraceError, EtraceParams};
use crate::beats::{Expander, Retired};
use retire::elf::Program;
use retire::image::Image;
use retire::FlowEvent;

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

impl EtraceParams {
    /// Golden model: the bytes that a system without losses sends for the events of cores that run `program`.
    ///
    /// # Errors
    /// E-Trace has no packet for an event, or the events do not fit the program.
    pub fn bytes(&self, program: &Program, events: &[FlowEvent]) -> Result<Vec<u8>, EtraceError> {
        let image = Image::new(program);
        let encoder = |core| Encoder::with_extras(self.options, self.extras(core), &image, self.xlen);
        let mut encoders: Vec<_> = (0..self.cores).map(encoder).collect::<Result<_, _>>()?;
        events.iter().try_for_each(|e| encoders[usize::from(e.hart)].push(e))?;
        let core = |encoder: Encoder<'_>| {
            let (bytes, dues) = encoder.finish_with_dues()?;
            Ok(Core { bytes, dues: dues.into_iter().peekable(), retired: 0, sent: 0 })
        };
        let mut cores: Vec<Core> = encoders.into_iter().map(core).collect::<Result<_, EtraceError>>()?;
        let (mut out, mut expander) = (Vec::new(), Expander::new(program, self.cores));
        let mut each = |r: &Retired| cores[usize::from(r.hart)].retire(&mut out);
        events.iter().try_for_each(|e| expander.event(e, &mut each))?;
        expander.finish(&mut each)?;
        cores.iter().for_each(|c| out.extend(&c.bytes[c.sent..]));
        Ok(out)
    }
}

/// The words in which such a system sends `bytes`: the first byte lowest, and zeros after the last one.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}
