//! Lists every retired instruction of a replay, one per line

use crate::check::describe;
use crate::contexts::{ByContext, Contexts};
use crate::filter::Filter;
use crate::symbols::Symbols;
use retire::image::runs::Runs;
use retire::image::{Image, Instruction, Positions};
use retire::{Context, FlowEvent, FlowKind};
use sim::replay::ReplaySink;
use std::io::Write;
use std::rc::Rc;

/// Size of the output buffer, bytes.
const LINES: usize = 1 << 16;

/// Prints instructions, and the traps and gaps between them.
pub struct Listing<'a> {
    code: Rc<ByContext<Image>>,
    contexts: Contexts,
    out: &'a mut dyn Write,
    lines: Vec<u8>,
    /// Lines of runs that were listed before, by context.
    runs: Runs<Context, u8>,
    positions: Positions,
    filter: Filter,
    left: u64,
    symbols: ByContext<Symbols>,
    error: Option<std::io::Error>,
}

/// Converts to eight hexadecimal digits.
#[inline]
fn hex(v: u32) -> [u8; 8] {
    // spread the nibbles to bytes, then convert to digits: add 0x30, and 0x27 more from ten on
    let mut x = u64::from(v);
    x = (x << 16 | x) & 0x0000_ffff_0000_ffff;
    x = (x << 8 | x) & 0x00ff_00ff_00ff_00ff;
    x = (x << 4 | x) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (x + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (x + 0x3030_3030_3030_3030 + letters * 0x27).to_be_bytes()
}

impl<'a> Listing<'a> {
    /// Lists the first `left` instructions that `filter` accepts to `out`.
    pub fn new(image: Image, cores: u8, filter: Filter, left: u64, out: &'a mut dyn Write) -> Self {
        let (positions, contexts) = (Positions::new(cores), Contexts::new(cores));
        let symbols = ByContext::new(Symbols::default(), Vec::new());
        let code = Rc::new(ByContext::new(image, Vec::new()));
        Self {
            code,
            contexts,
            out,
            lines: Vec::new(),
            runs: Runs::default(),
            positions,
            filter,
            left,
            symbols,
            error: None,
        }
    }

    /// Adds programs of contexts.
    #[must_use]
    pub fn with_contexts(mut self, contexts: Vec<(Context, Image)>) -> Self {
        if let Some(code) = Rc::get_mut(&mut self.code) {
            code.extend(contexts);
        }
        self
    }

    /// Adds symbol names to lines.
    #[must_use]
    pub fn with_symbols(self, symbols: ByContext<Symbols>) -> Self {
        Self { symbols, ..self }
    }

    /// Ends a line, with the name of its address if symbols were given.
    #[inline]
    fn end(&mut self, context: Context, pc: u64, compressed: bool) -> std::io::Result<()> {
        if let Some((name, offset)) = self.symbols.get(context).at(pc) {
            let gap = if compressed { 6 } else { 2 };
            write!(self.lines, "{:gap$}{name}", "")?;
            if offset > 0 {
                write!(self.lines, "+0x{offset:x}")?;
            }
        }
        self.lines.push(b'\n');
        Ok(())
    }

    /// Whether no more lines will be written.
    pub fn is_over(&self) -> bool {
        self.error.is_some() || self.left == 0 || self.filter.is_over()
    }

    /// Writes the remaining lines.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.error.take().map_or_else(|| self.flush(), Err)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    fn print(&mut self, context: Context, e: &FlowEvent) -> std::io::Result<()> {
        if self.lines.len() > LINES {
            self.flush()?;
        }
        let from = self.positions.of(e.hart).pc;
        let (run, key) = ((from, e.count, e.hart), context);
        let whole = e.count > 0 && u64::from(e.count) <= self.left;
        let kept = self.runs.get(run, key).filter(|_| whole && self.filter.take_all(e.hart, e.count));
        if let Some(lines) = kept {
            self.lines.extend_from_slice(lines);
            self.left -= u64::from(e.count);
        } else {
            let (begin, left) = (self.lines.len(), self.left);
            if !self.instructions(context, e)? {
                return Ok(());
            }
            if whole && left - self.left == u64::from(e.count) && self.code.get(context).constant().is_some() {
                self.runs.keep(run, key, &self.lines[begin..]);
            }
        }
        if !self.filter.between(e.hart, e.pc) {
            return Ok(());
        }
        match e.kind {
            FlowKind::Trap { .. } => writeln!(self.lines, "{:>4}  trap to 0x{:08x}", e.hart, e.target),
            FlowKind::Gap { lost: 0 } => {
                writeln!(self.lines, "{:>4}  damage: some instructions lost, on at 0x{:08x}", e.hart, e.target)
            }
            FlowKind::Gap { lost } => {
                writeln!(self.lines, "{:>4}  {lost} instructions lost, on at 0x{:08x}", e.hart, e.target)
            }
            _ => Ok(()),
        }
    }
}

impl Listing<'_> {
    /// Lists the instructions of an event one by one; returns whether what is at its end may be listed.
    fn instructions(&mut self, context: Context, e: &FlowEvent) -> std::io::Result<bool> {
        let code = Rc::clone(&self.code);
        let position = self.positions.of(e.hart);
        let mut instructions = code.get(context).instructions(position.pc, position.when).peekable();
        if e.count > 0 && instructions.peek().is_none() {
            // with code learned from a recording, only branches are known
            if self.filter.take_run(e.hart, e.pc, e.count) {
                self.left = self.left.saturating_sub(e.count.into());
                write!(self.lines, "{:>4}  0x{:08x}  {}", e.hart, e.pc, describe(e))?;
                self.end(context, e.pc, false)?;
            }
            return Ok(false);
        }
        let head = [b' ', b' ', if e.hart > 9 { b'1' } else { b' ' }, b'0' + e.hart % 10, b' ', b' ', b'0', b'x'];
        for _ in 0..e.count {
            if self.left == 0 {
                return Ok(false);
            }
            let Some(instruction) = instructions.next() else { break };
            let Instruction { pc, len, bytes } = instruction;
            if !self.filter.take(e.hart, pc) {
                continue;
            }
            match u32::try_from(pc) {
                Ok(low) => {
                    self.lines.extend_from_slice(&head);
                    self.lines.extend_from_slice(&hex(low));
                }
                Err(_) => write!(self.lines, "{:>4}  0x{pc:x}", e.hart)?,
            }
            self.lines.extend_from_slice(b"  ");
            match len {
                2 | 4 => {
                    let digits = hex(instruction.bits());
                    self.lines.extend_from_slice(&digits[if len == 2 { 4 } else { 0 }..]);
                }
                // of another machine: in the order of memory
                _ => bytes.iter().try_for_each(|byte| write!(self.lines, "{byte:02x}"))?,
            }
            self.end(context, pc, len == 2)?;
            self.left -= 1;
        }
        Ok(true)
    }
}

impl ReplaySink for Listing<'_> {
    const EVENTS_ONLY: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let context = self.contexts.pass(e);
        self.filter.at(e);
        // the event after a context switch covers the instructions before it
        if matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            return;
        }
        let wanted = self.filter.wants(e.hart);
        if self.error.is_none() && self.left > 0 && wanted {
            self.error = self.print(context, e).err();
        }
        let next = self.contexts.of(e.hart);
        let listed = self.error.is_none() && self.left > 0 && wanted;
        if context != next && listed && self.filter.between(e.hart, e.pc) {
            self.error = writeln!(self.lines, "{:>4}  context {next}", e.hart).err();
        }
        self.positions.pass(e);
    }
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for i in 0..32 {
            for v in [0x0123_4567u32, 0x89ab_cdef, 0xffff_ffff, 0, 9, 10, 0xa0b9].map(|v| v.rotate_left(i)) {
                assert_eq!(hex(v), format!("{v:08x}").as_bytes());
            }
        }
    }
}
