//! Runs that are traced with control flow and load values, and executed again from both traces

use crate::data_log::{difference, Log};
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, Note, RetireSink};
use sim::params::{named_set, TraceParams};
use sim::replay::Events;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::replay::{Replay, ReplayError};
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::system::System;

struct All<'a>(&'a mut Recorder, &'a mut Log, &'a mut System);

impl RetireSink for All<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
        self.1.event(e);
        self.2.event(e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.0.data(d);
        self.1.data(d);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.note(hart, note);
    }
}

/// A traced run.
pub struct Traced {
    pub params: CfiatParams,
    pub words: Vec<u32>,
    pub stats: CfiatStats,
    pub flow: TraceParams,
    pub flow_words: Vec<u32>,
    pub log: Log,
}

/// Runs and traces a program.
pub fn trace(program: &Program, config: MachineConfig, instructions: u64, sizes: Sizes) -> Traced {
    let harts = config.harts;
    let mut machine = Machine::new(program, config).unwrap();
    let params = CfiatParams::new(harts, machine.ram(), sizes);
    let mut recorder = Recorder::new(&params).unwrap();
    let flow = TraceParams::tr(named_set("small").unwrap().params).with(|p| p.cores = harts);
    let mut system = System::new(&flow).unwrap();
    let mut log = Log::default();
    let limits = Limits { instructions, ..Limits::default() };
    let summary = machine.run(&mut All(&mut recorder, &mut log, &mut system), limits).unwrap();
    recorder.finish();
    system.finish(summary.cycles);
    log.0.resize(harts.into(), Vec::new());
    Traced {
        params,
        words: recorder.drain().collect(),
        stats: *recorder.stats(),
        flow,
        flow_words: system.drain().collect(),
        log: log.without_trap_causes(),
    }
}

/// The control flow from the trace.
pub fn flow(program: &Program, traced: &Traced) -> Vec<FlowEvent> {
    let image = Image::new(program);
    let words = traced.flow_words.iter().copied();
    let mut events: Vec<FlowEvent> = Vec::new();
    sim::replay::Replay::new(&image, &traced.flow, words).unwrap().run(&mut Events(&mut events)).unwrap();
    events
}

/// Executes the cores again.
pub fn replay(
    program: &Program,
    params: &CfiatParams,
    events: &[FlowEvent],
    words: &[u32],
) -> (Log, Result<(), ReplayError>) {
    let mut log = Log(vec![Vec::new(); params.cores.into()]);
    let end = Replay::new(params, program, words.iter().copied()).and_then(|mut replay| {
        events.iter().try_for_each(|e| replay.event(e, &mut log))?;
        replay.finish()
    });
    (log.without_trap_causes(), end)
}

/// Executes the cores again, and compares everything with the run.
pub fn assert_replays(program: &Program, traced: &Traced, what: &str) {
    let (log, end) = replay(program, &traced.params, &flow(program, traced), &traced.words);
    if let Some(difference) = difference(&traced.log, &log) {
        panic!("{what}: {difference}; {end:?}");
    }
    end.unwrap_or_else(|e| panic!("{what}: {e}"));
}
