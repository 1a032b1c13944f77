//! Holds a recorded run of the SoC to what its cores did: replay, console, memory, and the golden model

use super::run::Run;
use super::top::RAM_BASE;
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use sim::platform::ParamError;
use sim::scheme::inputs::model::InputsStats;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::scheme::inputs::InputsParams;

/// What the comparison found: replay and run are equal.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Instructions that replay executed, by core.
    pub instructions: Vec<u64>,
    /// Registers, loads and stores that were compared.
    pub data: u64,
    /// Control-flow events that were compared.
    pub events: u64,
    /// What the stream is made of, as the golden model says.
    pub stats: InputsStats,
    /// The words are those of the golden model.
    pub golden: bool,
}

/// Why a recorded run is not the run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be replayed.
    #[error("the run cannot be replayed: {0}")]
    Replay(#[from] InputsError),
    /// Impossible parameters.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// The run was not of a SoC that records.
    #[error("the run has no data; the scheme inputs is needed")]
    NoData,
    /// It replays to something else.
    #[error("core {core}, {what} {at}: replay says {replayed}, the core did {done}")]
    Different {
        /// Core.
        core: u8,
        /// Event, or datum.
        what: &'static str,
        /// Which of the core, from 0.
        at: usize,
        /// From the trace.
        replayed: String,
        /// From the log.
        done: String,
    },
    /// RAM is another one at the end.
    #[error("at the end 0x{addr:08x} holds 0x{replayed:02x} in replay, 0x{done:02x} in the SoC")]
    Memory {
        /// First byte that differs.
        addr: u64,
        /// In replay.
        replayed: u8,
        /// In the SoC.
        done: u8,
    },
    /// The console is another one.
    #[error("replay prints {replayed} bytes; the SoC printed {done}, or others")]
    Console {
        /// In replay.
        replayed: usize,
        /// In the SoC.
        done: usize,
    },
}

/// What the cores did, with how far replay is.
struct Compare {
    data: Vec<Vec<(u32, DataKind)>>,
    events: Vec<Vec<FlowEvent>>,
    at: Vec<(usize, usize)>,
    console: Vec<u8>,
    wrong: Option<RecordError>,
}

fn say<T: std::fmt::LowerHex>(pc: Option<T>, what: impl std::fmt::Debug) -> String {
    pc.map_or_else(|| "nothing more".into(), |pc| format!("{what:x?} at 0x{pc:08x}"))
}

impl Compare {
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
            let done = say(right.map(|r| r.pc), right.map(|r| (r.kind, r.target, r.count)));
            self.differs(e.hart, "event", at, say(Some(e.pc), (e.kind, e.target, e.count)), done);
        }
    }

    fn data(&mut self, d: &DataEvent) {
        // of a CSR the register tells
        if matches!(d.kind, DataKind::Csr { .. }) {
            return;
        }
        let (core, at) = (usize::from(d.hart), self.at[usize::from(d.hart)].1);
        self.at[core].1 += 1;
        let right = self.data[core].get(at).copied();
        if right != Some((d.pc as u32, d.kind)) {
            let done = say(right.map(|r| r.0), right.map(|r| r.1));
            self.differs(d.hart, "datum", at, say(Some(d.pc), d.kind), done);
        }
        if let DataKind::Store { addr, value, .. } = d.kind {
            // byte 0 of the console's word, as the devices take it
            if addr >> 30 & 3 != 2 && addr & 0x0f10_0003 == 0 {
                self.console.push(value as u8);
            }
        }
    }
}

/// Replays the words of `run` with `program`, and compares every event, register, load and store of every core, the
/// console and RAM at the end with what the SoC did.
///
/// # Errors
/// The first difference.
pub fn check(params: &InputsParams, program: &Program, run: &Run) -> Result<Recorded, RecordError> {
    let log = run.data.as_ref().ok_or(RecordError::NoData)?;
    let cores = usize::from(params.cores);
    let mut compare = Compare {
        data: vec![Vec::new(); cores],
        events: vec![Vec::new(); cores],
        at: vec![(0, 0); cores],
        console: Vec::new(),
        wrong: None,
    };
    for e in &run.events {
        compare.events[usize::from(e.hart)].push(*e);
    }
    for s in &log.steps {
        compare.data[usize::from(s.core)].extend(s.data().map(|d| (s.pc, d)));
    }
    let mut replay = Replay::new(params, program, run.words.as_slice())??;
    let end = replay.run(&mut compare, |c| c.wrong.is_some());
    // what differs says more than the check that found it
    if let Some(wrong) = compare.wrong {
        return Err(wrong);
    }
    end?;
    for (core, (events, data)) in compare.at.iter().enumerate() {
        for (what, at, all) in
            [("event", *events, compare.events[core].len()), ("datum", *data, compare.data[core].len())]
        {
            if at < all {
                let (replayed, done) = ("nothing more".into(), format!("{} more", all - at));
                return Err(RecordError::Different { core: core as u8, what, at, replayed, done });
            }
        }
    }
    if compare.console != run.console {
        return Err(RecordError::Console { replayed: compare.console.len(), done: run.console.len() });
    }
    let bytes = params.ram_bytes as usize;
    let ram = log.ram(program, RAM_BASE, bytes);
    let replayed = replay.memory(params.ram_base, bytes).unwrap_or_default();
    if let Some(i) = (0..bytes).find(|&i| replayed.get(i) != Some(&ram[i])) {
        let replayed = replayed.get(i).copied().unwrap_or_default();
        return Err(RecordError::Memory { addr: RAM_BASE + i as u64, replayed, done: ram[i] });
    }
    let (words, stats) = log.golden(params, program)?;
    Ok(Recorded {
        instructions: (0..params.cores).map(|c| replay.retired(c)).collect(),
        data: compare.at.iter().map(|a| a.1 as u64).sum(),
        events: compare.at.iter().map(|a| a.0 as u64).sum(),
        stats,
        golden: words == run.words,
    })
}
