//! Encodes a run to a trace file with the golden model

use crate::contradiction::Contradictions;
use crate::progress::Progress;
use crate::run::{Run, RunTotals};
use crate::section::{self, Bounds, Extent, Section};
use crate::{HostError, TOOL};
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use sim::system::System;
use std::path::Path;

/// Options of a trace.
#[derive(Clone, Debug)]
pub struct Request {
    /// Parameters.
    pub params: TraceParams,
    /// Name of the parameter set, if it has one.
    pub set: Option<String>,
    /// Whether the user gave `align`; otherwise the run determines it, and `params` has the maximum.
    pub fixed_align: bool,
    /// Synchronisation period.
    pub sync_period: Option<SyncPeriod>,
    /// The section of the run that is traced.
    pub bounds: Bounds,
}

impl Request {
    /// A trace of a whole run without synchronisation, with the given `align`.
    pub fn new(params: TraceParams) -> Self {
        Self { params, set: None, fixed_align: true, sync_period: None, bounds: Bounds::default() }
    }
}

/// Result of tracing a run.
pub struct Encoded {
    /// The model in its final state.
    pub system: System,
    /// The run.
    pub reported: RunTotals,
    /// Parameters of the trace.
    pub params: TraceParams,
    /// The section that was traced, if not the whole run.
    pub extent: Option<Extent>,
}

/// Writes the words of a golden model to a file as they are made; keeps the first error.
struct ToFile {
    system: System,
    writer: TraceWriter,
    error: Option<retire::file::FileError>,
    events: u32,
    /// OR of all targets: bits that the stream drops must be 0.
    targets: u64,
    /// Mask of target bits that must be 0; if one is not, the rest of the run is useless.
    low: u64,
    /// OR of all contexts.
    contexts: u32,
    /// Of a recording without code.
    contradictions: Option<Contradictions>,
}

impl ToFile {
    fn drain(&mut self) {
        let words = self.system.drain();
        if self.error.is_none() {
            self.error = self.writer.write(words).err();
        }
    }
}

impl RetireSink for ToFile {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        if let Some(contradictions) = &mut self.contradictions {
            contradictions.event(event);
        }
        self.targets |= event.target;
        if self.targets & self.low != 0 {
            return;
        }
        if let FlowKind::Context { context, .. } = event.kind {
            self.contexts |= context.0;
        }
        self.system.event(event);
        self.events = self.events.wrapping_add(1);
        if self.events % 4096 == 0 {
            self.drain();
        }
    }
}

/// Traces `run` into the file at `path`.
pub fn to_file(run: &Run<'_>, request: &Request, path: &Path, progress: &dyn Progress) -> Result<Encoded, HostError> {
    let mut params = request.params;
    params.check_period(request.sync_period)?;
    let (code, contradictions) = run.code()?;
    let code = section::code_of(run, code, &request.bounds, progress)?;
    loop {
        let info = run.info();
        let info = TraceInfo {
            tool: TOOL.into(),
            params,
            set: request.set.clone(),
            build_id: info.build_id,
            program: info.program,
        };
        let low = (1 << params.align) - 1;
        let system = run.encoder(&params, code.as_ref())?.sync_every(&params, request.sync_period);
        let writer = match &code {
            Some(code) => TraceWriter::create_with_code(path, &info, code)?,
            None => TraceWriter::create(path, &info)?,
        };
        let sink = ToFile {
            system,
            writer,
            error: None,
            events: 0,
            targets: 0,
            low,
            contexts: 0,
            contradictions: contradictions.clone(),
        };
        let (mut sink, reported, extent) = match request.bounds.are_open() {
            true => {
                let mut sink = sink;
                let reported = run.report_to(&mut sink, progress)?;
                (sink, reported, None)
            }
            false => {
                let mut section = Section::new(sink, &request.bounds, run.harts);
                let whole = run.report_to(&mut section, progress)?;
                let (sink, extent) = section.finish(&run.name())?;
                let cycles = if extent.ended { extent.cycles } else { whole.cycles };
                (sink, RunTotals { instructions: extent.instructions, cycles, ..whole }, Some(extent))
            }
        };
        if let Some(what) = sink.contradictions.take().and_then(Contradictions::found) {
            let elf = run.input.named().map_or("", |named| &named.name);
            return Err(HostError::Other(format!(
                "{}: {what}; {elf} is another program, or its code changed during the run (`--memory`, `--patches`). Without \
                 `--elf`, code is learned from the recording",
                run.name()
            )));
        }
        run.check_jumps(&sink.system)?;
        let zeros = sink.targets.trailing_zeros();
        if zeros < params.align.into() {
            if request.fixed_align {
                let (program, align) = (run.name(), params.align);
                return Err(HostError::Other(format!(
                    "{program}: has branch targets of which only {zeros} low bits are 0; --align {align} drops {align}, \
                     expected `--align {zeros}`"
                )));
            }
            params.align = zeros as u8;
            continue;
        }
        sink.system.finish(reported.cycles);
        sink.drain();
        let width = 64 - sink.targets.leading_zeros();
        if width > params.xlen.into() {
            return Err(HostError::Other(format!(
                "{}: has branch targets of {width} bits, but its addresses have {}",
                run.name(),
                params.xlen
            )));
        }
        let contexts = Context(sink.contexts);
        if params.context.is_some() && params.reported(contexts) != contexts {
            let (bits, right) = (params.context.unwrap_or(0), 32 - contexts.id().leading_zeros());
            return Err(HostError::Other(format!(
                "{}: has address space numbers of {right} bits, but `--context {bits}` reports {bits}; expected `--context \
                 {right}`",
                run.name()
            )));
        }
        if let Some(e) = sink.error {
            return Err(e.into());
        }
        sink.writer.finish()?;
        return Ok(Encoded { system: sink.system, reported, params, extent });
    }
}
