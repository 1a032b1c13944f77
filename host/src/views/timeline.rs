//! Timeline of functions of all cores for Perfetto and Chrome: a JSON array of begin and end events
//!
//! The time axis counts instructions of all cores in the order of replay, one per microsecond; for a trace with time
//! stamps it is in clock cycles. The output is written as a stream.

use super::stack::functions::Functions;
use super::stack::shown::Shown;
use super::stack::{Change, Stack};
use crate::contexts::{ContextProgram, Selection};
use crate::symbols::Symbols;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use serde::Serialize;
use serde_json::json;
use std::io::Write;

/// Bytes of events that are written at once; more only by one event.
const MAX_TEXT: usize = 1 << 16;

/// An event of the file: a function begins or ends.
#[derive(Serialize)]
struct Event<'a> {
    ph: &'static str,
    pid: u8,
    tid: usize,
    ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

/// A writer of a timeline.
pub struct Timeline<'a> {
    functions: Functions,
    image: Option<Image>,
    stacks: Vec<Stack>,
    shown: Shown,
    /// Functions that each core is in.
    depths: Vec<usize>,
    /// Stack pointer of each core at its next event, where it is known.
    pointers: Vec<Option<u64>>,
    depth: usize,
    cycles: bool,
    now: u64,
    /// Changes of the current event.
    changes: Vec<Change>,
    /// What was not yet written to `out`.
    text: Vec<u8>,
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
        image: Option<Image>,
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
        let functions = Functions::new(symbols);
        let (stacks, depths) = (vec![Stack::default(); cores.into()], vec![0; cores.into()]);
        let pointers = vec![None; cores.into()];
        let shown = Shown::new(cores);
        let (changes, text) = (Vec::new(), Vec::new());
        Ok(Self {
            functions,
            image,
            stacks,
            shown,
            depths,
            pointers,
            depth,
            cycles,
            now: 0,
            changes,
            text,
            out,
            error: None,
        })
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(self, programs: Vec<ContextProgram>) -> Self {
        Self { functions: self.functions.with_contexts(programs), ..self }
    }

    /// Shows functions only while a core is in these contexts.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { shown: self.shown.only(selection), ..self }
    }

    /// Completes the timeline.
    ///
    /// # Errors
    /// The first error of `out`.
    pub fn finish(self) -> std::io::Result<()> {
        match self.error {
            Some(e) => Err(e),
            None => {
                self.out.write_all(&self.text)?;
                writeln!(self.out, "\n]")
            }
        }
    }
}

impl RetireSink for Timeline<'_> {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        if self.cycles {
            self.now = e.cycle;
        }
        let mut changes = std::mem::take(&mut self.changes);
        let (sp, before) = (self.pointers[core].take(), self.stacks[core].context());
        self.stacks[core].event(e, sp, &mut self.functions, self.image.as_ref(), |change| changes.push(change));
        self.shown.select(e.hart, before, self.stacks[core].context(), &mut changes);
        for change in changes.drain(..) {
            let depth = &mut self.depths[core];
            let (ph, name) = match change {
                Change::Enter(function) => {
                    *depth += 1;
                    if *depth > self.depth {
                        continue;
                    }
                    ("B", Some(self.functions.name(function)))
                }
                Change::Leave => {
                    *depth -= 1;
                    if *depth >= self.depth {
                        continue;
                    }
                    ("E", None)
                }
                Change::Retired(count) => {
                    self.now += if self.cycles { 0 } else { u64::from(count) };
                    continue;
                }
                Change::Switch(_) => continue,
            };
            let event = Event { ph, pid: 0, tid: core, ts: self.now, name };
            self.text.extend_from_slice(b",\n");
            let written = serde_json::to_writer(&mut self.text, &event).map_err(std::io::Error::from);
            self.error = self.error.take().or(written.err());
        }
        self.changes = changes;
        if self.text.len() > MAX_TEXT {
            if self.error.is_none() {
                self.error = self.out.write_all(&self.text).err();
            }
            self.text.clear();
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.pointers[usize::from(hart)] = Some(sp);
    }
}
