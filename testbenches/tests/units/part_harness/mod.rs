//! Whole systems with a given part of a scheme

use hdl::emit::SystemOptions;
use hdl::trace_sim::{compare, Play};
use retire::FlowEvent;
use sim::params::{Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::rounds;

/// Runs a program on a system of `scheme` in the rust-hdl simulation and compares its words with the golden model's.
pub fn sends_what_the_model_sends(scheme: &str) {
    for (program, cores, timestamps) in [("fft", 2, false), ("irq", 1, true)] {
        sends(scheme, program, cores, timestamps);
    }
}

/// As [`sends_what_the_model_sends`], of one case.
pub fn sends(scheme: &str, program: &str, cores: u8, timestamps: bool) {
    let params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    let params = params.with(|p| (p.cores, p.timestamps) = (cores, timestamps));
    let image = programs::load(program).unwrap();
    let mut events: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions: rounds(2_000, 12_000), ..Limits::default() };
    let config = MachineConfig { harts: cores, ..MachineConfig::default() };
    Machine::new(&image, config).unwrap().run(&mut events, limits).unwrap();
    let play = Play { options: SystemOptions::default(), pace: 3, vcd: None, progress: &|_| () };
    let c = compare(&params, &image, &events, play).unwrap();
    assert_eq!((c.difference(), c.summary.overflow), (None, 0), "{program}: {}", params.canonical());
    assert!(c.golden.len() > 6, "{program}: {} words", c.golden.len());
}
