//! Runs that are recorded and replayed, and compared in all retired instructions

pub use crate::data_log::{difference, Item, Log};
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, Note, NullSink, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::model::InputsStats;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};

/// A sink for both a recorder and a log.
pub struct Both<'a>(pub &'a mut Recorder, pub &'a mut Log);

impl RetireSink for Both<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
        self.1.event(e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.0.data(d);
        self.1.data(d);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.note(hart, note);
    }

    fn master(&mut self, store: &MasterStore) {
        self.0.master(store);
    }
}

/// A recorded run.
pub struct Recorded {
    pub params: InputsParams,
    pub words: Vec<u32>,
    pub stats: InputsStats,
    pub log: Log,
    pub uart: Vec<u8>,
}

/// Runs and records a program.
pub fn record(program: &Program, config: MachineConfig, instructions: u64, sizes: Sizes) -> Recorded {
    record_from(program, config, 0, instructions, sizes).0
}

/// Runs a program, and records it after so many instructions of all harts; also returns the machine at the end.
pub fn record_from(
    program: &Program,
    config: MachineConfig,
    skip: u64,
    instructions: u64,
    sizes: Sizes,
) -> (Recorded, Machine) {
    let harts = config.harts;
    let mut machine = Machine::new(program, config).unwrap();
    let params = InputsParams::new(harts, program.xlen, machine.ram(), sizes);
    let mut recorder = Recorder::new(&params, program).unwrap();
    if sizes.known > 0 {
        machine.run(&mut NullSink, Limits { instructions: skip, ..Limits::default() }).unwrap();
        recorder.begin(machine.memory(), machine.states());
    }
    let mut log = Log::default();
    let limits = Limits { instructions, ..Limits::default() };
    let summary = machine.run(&mut Both(&mut recorder, &mut log), limits).unwrap();
    recorder.finish();
    let (words, stats) = (recorder.drain().collect(), *recorder.stats());
    (Recorded { params, words, stats, log, uart: summary.uart }, machine)
}

/// The log without CSRs whose value is unknown until a register takes it: if none does, replay does not report it.
pub fn known(log: &Log) -> Log {
    let later = |item: &Item| {
        matches!(
            item,
            Item::Data(_, DataKind::Csr { csr: 0x300 | 0x304 | 0x340..=0x343 | 0xb02 | 0xb82 | 0xc02 | 0xc82, .. })
        )
    };
    Log(log.0.iter().map(|items| items.iter().filter(|i| !later(i)).cloned().collect()).collect())
}

/// Replays, and compares everything with the run.
pub fn assert_replays(program: &Program, recorded: &Recorded, what: &str) {
    let mut replay = Replay::new(&recorded.params, program, recorded.words.clone()).unwrap().unwrap();
    let mut log = Log::default();
    let end = replay.run(&mut log, |_| false);
    if let Some(difference) = difference(&recorded.log, &log) {
        panic!("{what}: {difference}; {end:?}");
    }
    end.unwrap_or_else(|e| panic!("{what}: {e}"));
}
