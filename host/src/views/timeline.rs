//! Timeline of functions of all cores for Perfetto and Chrome: a JSON array of begin and end events
//!
//! The time axis counts instructions of all cores in the order of replay, one per microsecond; for a trace with time
//! stamps it is in clock cycles. The output is written as a stream.

use super::stack::{Change, Functions, Stack};
use crate::symbols::Symbols;
use retire::{FlowEvent, RetireSink};
use serde_json::json;
use std::io::Write;

/// A writer of a timeline.
pub struct Timeline<'a> {
    functions: Functions,
    stacks: Vec<Stack>,
    depth: usize,
    cycles: bool,
    now: u64,
    out: &'a mut dyn Write,
    error: Option<std::io::Error>,
}

impl<'a> Timeline<'a> {
    /// Starts the timeline; functions deeper than `depth` are omitted. `cycles`: events have cycles.
    ///
    /// # Errors
    /// `out` failed.
    pub fn new(
        symbols: Symbols,
        cores: u8,
        depth: usize,
        cycles: bool,
        out: &'a mut dyn Write,
    ) -> std::io::Result<Self> {
        write!(out, "[")?;
        for core in 0..cores {
            let comma = if core == 0 { "" } else { "," };
            let name = json!({ "ph": "M", "pid": 0, "tid": core, "name": "thread_name", "args": { "name": format!("core {core}") } });
            write!(out, "{comma}\n{name}")?;
        }
        let stacks = vec![Stack::default(); cores.into()];
        Ok(Self { functions: Functions::new(symbols), stacks, depth, cycles, now: 0, out, error: None })
    }

    /// Completes the timeline.
    ///
    /// # Errors
    /// The first error of `out`.
    pub fn finish(self) -> std::io::Result<()> {
        match self.error {
            Some(e) => Err(e),
            None => writeln!(self.out, "\n]"),
        }
    }
}

impl RetireSink for Timeline<'_> {
    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        self.now = if self.cycles { e.cycle } else { self.now + u64::from(e.count) };
        let mut depth = self.stacks[core].frames().len();
        let mut changes = Vec::new();
        self.stacks[core].event(e, &mut self.functions, |change| changes.push(change));
        for change in changes {
            let event = match change {
                Change::Enter(function) => {
                    depth += 1;
                    let name = self.functions.name(function);
                    json!({ "ph": "B", "pid": 0, "tid": core, "ts": self.now, "name": name })
                }
                Change::Leave => {
                    depth -= 1;
                    json!({ "ph": "E", "pid": 0, "tid": core, "ts": self.now })
                }
            };
            let shown = match change {
                Change::Enter(_) => depth <= self.depth,
                Change::Leave => depth < self.depth,
            };
            if shown && self.error.is_none() {
                self.error = write!(self.out, ",\n{event}").err();
            }
        }
    }
}
