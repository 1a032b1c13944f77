//! Checks a recorded run of the SoC against what its cores did: replay, console, memory, and the golden model

use super::data::DataLog;
use super::run::Run;
use super::top::RAM_BASE;
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::platform::ParamError;
use sim::scheme::inputs::model::InputsStats;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::scheme::inputs::InputsParams;

/// Result of a comparison in which replay and run are equal.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Instructions executed by replay, by core.
    pub instructions: Vec<u64>,
    /// Registers, loads and stores compared.
    pub data: u64,
    /// Control-flow events compared.
    pub events: u64,
    /// Statistics of the stream from the golden model.
    pub stats: InputsStats,
    /// Whether the words equal those of the golden model.
    pub golden: bool,
}

/// Error of a recording that does not match the run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be replayed.
    #[error("the run cannot be replayed: {0}")]
    Replay(#[from] InputsError),
    /// The parameters are invalid.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// The run was not of a SoC that records.
    #[error("the run has no data; the scheme inputs records them")]
    NoData,
    /// The program, or the run, was over before.
    #[error("the run ended before the recording started")]
    NotBegun,
    /// The replayed event or datum differs.
    #[error("core {core}, {what} {at}: replay says {replayed}, the core did {done}")]
    Different {
        /// Core.
        core: u8,
        /// `event` or `datum`.
        what: &'static str,
        /// Index of the core's event or datum, from 0.
        at: usize,
        /// From the trace.
        replayed: String,
        /// From the log.
        done: String,
    },
    /// The final content of RAM differs.
    #[error("at the end 0x{addr:08x} holds 0x{replayed:02x} in replay, 0x{done:02x} in the SoC")]
    Memory {
        /// First byte that differs.
        addr: u64,
        /// Its value in replay.
        replayed: u8,
        /// Its value in the SoC.
        done: u8,
    },
    /// The console output differs.
    #[error("replay prints {replayed} bytes; the SoC printed {done}, or others")]
    Console {
        /// Bytes in replay.
        replayed: usize,
        /// Bytes in the SoC.
        done: usize,
    },
}

/// What the cores did, and the progress of replay.
pub(super) struct Compare {
    data: Vec<Vec<(u32, DataKind)>>,
    events: Vec<Vec<FlowEvent>>,
    /// Events and data replayed so far, by core.
    at: Vec<(usize, usize)>,
    /// Bytes stored to the console.
    pub console: Vec<u8>,
    /// The first difference.
    pub wrong: Option<RecordError>,
}

fn describe<T: std::fmt::LowerHex>(pc: Option<T>, what: impl std::fmt::Debug) -> String {
    pc.map_or_else(|| "nothing more".into(), |pc| format!("{what:x?} at 0x{pc:08x}"))
}

impl Compare {
    /// Expects what each core did from cycle `start_cycle` on.
    pub fn new(run: &Run, log: &DataLog, start_cycle: u64, cores: usize) -> Self {
        let mut data = vec![Vec::new(); cores];
        for s in log.steps.iter().filter(|s| s.cycle >= start_cycle) {
            data[usize::from(s.core)].extend(s.data().map(|d| (s.pc, d)));
        }
        let events = events(run, log, start_cycle, cores);
        Self { data, events, at: vec![(0, 0); cores], console: Vec::new(), wrong: None }
    }

    /// Checks that replay reached the end of all events and data.
    pub fn check_complete(&self) -> Result<(), RecordError> {
        for (core, (events, data)) in self.at.iter().enumerate() {
            for (what, at, all) in
                [("event", *events, self.events[core].len()), ("datum", *data, self.data[core].len())]
            {
                if at < all {
                    let (replayed, done) = ("nothing more".into(), format!("{} more", all - at));
                    return Err(RecordError::Different { core: core as u8, what, at, replayed, done });
                }
            }
        }
        Ok(())
    }

    /// Events and data compared, of all cores.
    pub fn compared(&self) -> (u64, u64) {
        self.at.iter().fold((0, 0), |(events, data), at| (events + at.0 as u64, data + at.1 as u64))
    }

    fn differs(&mut self, core: u8, what: &'static str, at: usize, replayed: String, done: String) {
        self.wrong.get_or_insert(RecordError::Different { core, what, at, replayed, done });
    }
}

impl RetireSink for Compare {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let (core, at) = (usize::from(e.hart), self.at[usize::from(e.hart)].0);
        self.at[core].0 += 1;
        let right = self.events[core].get(at).copied();
        if !right.is_some_and(|r| r.same_flow(e)) {
            let done = describe(right.map(|r| r.pc), right.map(|r| (r.kind, r.target, r.count)));
            self.differs(e.hart, "event", at, describe(Some(e.pc), (e.kind, e.target, e.count)), done);
        }
    }

    fn data(&mut self, d: &DataEvent) {
        // a CSR read is compared as its register
        if matches!(d.kind, DataKind::Csr { .. }) {
            return;
        }
        let (core, at) = (usize::from(d.hart), self.at[usize::from(d.hart)].1);
        self.at[core].1 += 1;
        let right = self.data[core].get(at).copied();
        if right != Some((d.pc as u32, d.kind)) {
            let done = describe(right.map(|r| r.0), right.map(|r| r.1));
            self.differs(d.hart, "datum", at, describe(Some(d.pc), d.kind), done);
        }
        if let DataKind::Store { addr, value, .. } = d.kind {
            // byte 0 of the console's word, as the devices decode it
            if addr >> 30 & 3 != 2 && addr & 0x0f10_0003 == 0 {
                self.console.push(value as u8);
            }
        }
    }
}

/// Events of each core after a cycle. If a core was already running, they begin with a start at that cycle.
fn events(run: &Run, log: &DataLog, start_cycle: u64, cores: usize) -> Vec<Vec<FlowEvent>> {
    let mut all = vec![Vec::new(); cores];
    let mut before = vec![0u64; cores];
    for s in log.steps.iter().filter(|s| s.cycle < start_cycle) {
        before[usize::from(s.core)] += 1;
    }
    // instructions covered by the events so far
    let mut covered = vec![0u64; cores];
    for e in &run.events {
        let core = usize::from(e.hart);
        covered[core] += u64::from(e.count);
        if before[core] == 0 {
            all[core].push(*e);
        } else if covered[core] > before[core] || e.cycle >= start_cycle {
            let mut e = *e;
            if all[core].is_empty() {
                let first = log.steps.iter().find(|s| s.cycle >= start_cycle && usize::from(s.core) == core);
                let pc = first.map_or(e.pc, |s| s.pc.into());
                // a stop without an instruction before it gives no start
                if first.is_some() {
                    all[core].push(FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc, target: pc, ..e });
                }
                e.count = (covered[core] - before[core]) as u32;
            }
            // a trap before the first instruction is part of the start
            let start = all[core].len() == 1 && e.count == 0 && matches!(e.kind, FlowKind::Trap { .. });
            let nothing = e.kind == FlowKind::Stop && all[core].is_empty();
            if !(start || nothing) {
                all[core].push(e);
            }
        }
    }
    all
}

/// Replays the words of `run` with `program`. Compares every event, register, load and store of every core, the
/// console, and the final content of RAM with those of the SoC.
///
/// # Errors
/// The first difference.
pub fn check(params: &InputsParams, program: &Program, run: &Run) -> Result<Recorded, RecordError> {
    let log = run.data.as_ref().ok_or(RecordError::NoData)?;
    let cores = usize::from(params.cores);
    let start_cycle = log.start_cycle.ok_or(RecordError::NotBegun)?;
    let mut compare = Compare::new(run, log, start_cycle, cores);
    let mut replay = Replay::new(params, program, run.words.as_slice())??;
    let end = replay.run(&mut compare, |c| c.wrong.is_some());
    // a difference is more informative than the error that ended replay
    if let Some(wrong) = compare.wrong {
        return Err(wrong);
    }
    end?;
    compare.check_complete()?;
    // output from before the recording is not replayed
    if start_cycle == 0 && compare.console != run.console || !run.console.ends_with(&compare.console) {
        return Err(RecordError::Console { replayed: compare.console.len(), done: run.console.len() });
    }
    let bytes = params.ram_bytes as usize;
    let ram = log.ram(program, RAM_BASE, bytes, u64::MAX);
    for (i, done) in ram.into_iter().enumerate() {
        // if the recording starts in the middle, some bytes stay unknown
        match replay.memory(params.ram_base + i as u32, 1) {
            Some(&[replayed]) if replayed != done => {
                return Err(RecordError::Memory { addr: RAM_BASE + i as u64, replayed, done });
            }
            None if params.sizes.known == 0 => {
                return Err(RecordError::Memory { addr: RAM_BASE + i as u64, replayed: 0, done });
            }
            _ => {}
        }
    }
    let (words, stats) = log.golden(params, program)?;
    let (events, data) = compare.compared();
    Ok(Recorded {
        instructions: (0..params.cores).map(|c| replay.retired(c)).collect(),
        data,
        events,
        stats,
        golden: words == run.words,
    })
}
