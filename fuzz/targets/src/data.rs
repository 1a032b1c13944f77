//! Streams of the schemes that record data: the words are the bytes

use crate::{bytes, words};
use retire::elf::Program;
use retire::{DataEvent, FlowEvent, Note, NullSink, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::cfiat::{self, CfiatParams};
use sim::scheme::inputs::{self, InputsParams};
use std::sync::LazyLock;

/// Small, so that most of the time is spent in the decoder.
const RAM: u32 = 1 << 20;
/// Instructions of a seed.
const INSTRUCTIONS: u64 = 3_000;
/// Instructions that are replayed: a stream of many is slow, and no fault.
const MOST: u64 = 50_000;

struct Fixed {
    program: Program,
    inputs: InputsParams,
    cfiat: CfiatParams,
    events: Vec<FlowEvent>,
}

fn machine(program: &Program) -> Machine {
    let config = MachineConfig { harts: 2, ram_bytes: RAM, ..MachineConfig::default() };
    Machine::new(program, config).expect("the program runs")
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    let info = programs::find("irq").expect("the program is there");
    let program = info.load().expect("the program is right");
    let mut m = machine(&program);
    let inputs = InputsParams::new(2, 32, m.ram(), "inputs:64".parse().expect("a scheme"));
    let cfiat = CfiatParams::new(2, m.ram(), "cfiat:1k".parse().expect("a scheme"));
    let mut events = Vec::new();
    m.run(&mut events, Limits { instructions: INSTRUCTIONS, ..Limits::default() }).expect("it runs");
    Fixed { program, inputs, cfiat, events }
});

/// Replays a recording.
pub(crate) fn inputs(data: &[u8]) {
    let fixed = &*FIXED;
    let words: Vec<u32> = words(data).collect();
    let Ok(Ok(mut replay)) = inputs::replay::Replay::new(&fixed.inputs, &fixed.program, words) else { return };
    for _ in 0..MOST {
        if !matches!(replay.step(&mut NullSink), Ok(Some(_))) {
            break;
        }
    }
    let _ = replay.stretches();
}

/// A recording of a program of two cores.
pub(crate) fn inputs_seeds() -> Vec<Vec<u8>> {
    let fixed = &*FIXED;
    let mut recorder = inputs::Recorder::new(&fixed.inputs, &fixed.program).expect("the parameters are right");
    let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
    machine(&fixed.program).run(&mut recorder, limits).expect("it runs");
    recorder.finish();
    vec![bytes(recorder.drain())]
}

/// Sends the values of a run whose events are right.
pub(crate) fn cfiat(data: &[u8]) {
    let fixed = &*FIXED;
    let Ok(mut replay) = cfiat::replay::Replay::new(&fixed.cfiat, &fixed.program, words(data)) else { return };
    for e in &fixed.events {
        if replay.event(e, &mut NullSink).is_err() {
            return;
        }
    }
    let _ = replay.finish();
}

/// Both sinks of a run.
struct Values(cfiat::Recorder);

impl RetireSink for Values {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        self.0.data(d);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.note(hart, note);
    }
}

/// The values of a program of two cores.
pub(crate) fn cfiat_seeds() -> Vec<Vec<u8>> {
    let fixed = &*FIXED;
    let mut values = Values(cfiat::Recorder::new(&fixed.cfiat).expect("the parameters are right"));
    let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
    machine(&fixed.program).run(&mut values, limits).expect("it runs");
    values.0.finish();
    vec![bytes(values.0.drain())]
}
