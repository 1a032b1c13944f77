//! Checks load values of a SoC against what its cores did: the words of the golden model, the memory order, and, if
//! there is a trace of the control flow, the cores executed again

use super::data::DataLog;
use super::record::{Compare, RecordError};
use super::run::Run;
use super::top::SocConfig;
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use sim::platform::ParamError;
use sim::replay::ReplaySink;
use sim::scheme::cfiat::decoder::{Records, StreamError};
use sim::scheme::cfiat::replay::{Replay, ReplayError};
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use std::collections::HashMap;

/// Result of the comparison.
#[derive(Clone, Debug)]
pub struct Valued {
    /// Parameters of the load values.
    pub params: CfiatParams,
    /// Statistics of the golden model for the log.
    pub stats: CfiatStats,
    /// Bits that the SoC sent.
    pub bits: u64,
    /// Records that it sent.
    pub records: u64,
    /// Whether the words equal those of the golden model.
    pub golden: bool,
    /// Result of executing the cores again, if there is a trace of the control flow: instructions by core, events and
    /// data compared.
    pub replayed: Option<(Vec<u64>, u64, u64)>,
}

/// Error of load values that do not match the run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ValueError {
    /// The SoC does not trace them, or nothing ran.
    #[error("the run has no load values")]
    None,
    /// The parameters are invalid.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// The stream is invalid.
    #[error("load values: {0}")]
    Stream(#[from] StreamError),
    /// The order in which cores retire differs from the order of their accesses in memory.
    #[error(
        "cycle {cycle}: core {core} accesses 0x{addr:08x} after a core that retires later, so the order of what retires is \
         not that of memory"
    )]
    Order {
        /// Cycle of the access.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address of the word.
        addr: u32,
    },
    /// The control flow cannot be replayed.
    #[error("the control flow: {0}")]
    Flow(#[from] sim::replay::ReplayError),
    /// The cores cannot be executed again.
    #[error("the run cannot be re-executed: {0}")]
    Replay(#[from] ReplayError),
    /// The replay differs from the run.
    #[error("{0}")]
    Different(#[from] RecordError),
}

/// Executes the cores along the control flow; keeps the first error.
struct Drive {
    replay: Replay,
    compare: Compare,
    error: Option<ReplayError>,
}

impl ReplaySink for Drive {
    fn event(&mut self, e: &FlowEvent) {
        if self.error.is_none() && self.compare.wrong.is_none() {
            self.error = self.replay.event(e, &mut self.compare).err();
        }
    }
}

/// Words and statistics of the golden model for the retired instructions, in order of cycles, then cores.
fn golden(params: &CfiatParams, log: &DataLog) -> Result<(Vec<u32>, CfiatStats), ParamError> {
    let mut model = Recorder::new(params)?;
    let mut steps: Vec<_> = log.steps.iter().collect();
    steps.sort_by_key(|s| (s.cycle, s.core));
    for s in steps {
        let csr = s.csr().map(|(csr, value)| DataKind::Csr { csr, value: value.into() });
        for kind in s.data().chain(csr) {
            model.data(&DataEvent { hart: s.core, kind, pc: s.pc.into(), cycle: s.cycle });
        }
    }
    model.finish();
    let words = model.drain().collect();
    let instructions = log.steps.len() as u64;
    Ok((words, CfiatStats { instructions, ..*model.stats() }))
}

/// Checks that accesses of different cores to a word retire in the order in which the bus completed them.
fn in_order(log: &DataLog) -> Result<(), ValueError> {
    // by core: the cycles in which its accesses retired
    let mut retired: HashMap<u8, std::vec::IntoIter<u64>> = HashMap::new();
    for core in log.steps.iter().map(|s| s.core).collect::<std::collections::BTreeSet<_>>() {
        let own = log.steps.iter().filter(|s| s.core == core && (s.load.is_some() || s.store.is_some()));
        retired.insert(core, own.map(|s| s.cycle).collect::<Vec<_>>().into_iter());
    }
    // by word and core: the last access and the last store
    type Last = Option<(u64, u8)>;
    let mut words: HashMap<u32, HashMap<u8, (Last, Last)>> = HashMap::new();
    for a in &log.accesses {
        let Some(at) = retired.get_mut(&a.core).and_then(Iterator::next) else { continue };
        let (key, store) = ((at, a.core), a.strobes != 0);
        let word = words.entry(a.addr & !3).or_default();
        let before =
            word.iter().filter(|w| *w.0 != a.core).filter_map(|(_, (any, stores))| if store { *any } else { *stores });
        if before.max().is_some_and(|before| before > key) {
            return Err(ValueError::Order { cycle: a.cycle, core: a.core, addr: a.addr });
        }
        let own = word.entry(a.core).or_default();
        own.0 = own.0.max(Some(key));
        if store {
            own.1 = own.1.max(Some(key));
        }
    }
    Ok(())
}

/// Checks the load values of `run` against the golden model. With a trace of the control flow it executes the cores
/// again, and compares every event, register, load and store with theirs.
///
/// # Errors
/// The first difference.
pub fn check(config: &SocConfig, program: &Program, run: &Run) -> Result<Valued, ValueError> {
    let params = config.cfiat().ok_or(ValueError::None)?;
    let log = run.data.as_ref().ok_or(ValueError::None)?;
    let records = Records::read(&params, run.values.iter().copied())?;
    in_order(log)?;
    let (words, stats) = golden(&params, log)?;
    let mut found = Valued {
        params,
        stats,
        bits: 32 * run.values.len() as u64,
        records: records.values(),
        golden: words == run.values,
        replayed: None,
    };
    let Some(flow) = &config.trace else { return Ok(found) };
    let cores = usize::from(params.cores);
    let replay = Replay::new(&params, program, run.values.iter().copied())?.with_profile(config.core.profile());
    let mut drive = Drive { replay, compare: Compare::new(run, log, 0, cores), error: None };
    let image = Image::new(program);
    sim::replay::Replay::new(&image, flow, run.words.iter().copied())?.run(&mut drive)?;
    let Drive { replay, compare, error } = drive;
    if let Some(wrong) = compare.wrong {
        return Err(wrong.into());
    }
    if let Some(e) = error {
        return Err(e.into());
    }
    replay.finish()?;
    compare.check_complete()?;
    if compare.console != run.console {
        let (replayed, done) = (compare.console.len(), run.console.len());
        return Err(RecordError::Console { replayed, done }.into());
    }
    let instructions = (0..params.cores).map(|c| replay.retired(c)).collect();
    let (events, data) = compare.compared();
    found.replayed = Some((instructions, events, data));
    Ok(found)
}
