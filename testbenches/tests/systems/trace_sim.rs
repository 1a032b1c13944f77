//! Whole trace systems in the rust-hdl simulation send the words of the golden model

use hdl::emit::SystemOptions;
use hdl::trace_sim::{compare, Comparison, Play};
use programs::load;
use retire::FlowEvent;
use sim::params::{named_set, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::rounds;

fn run(name: &str, params: &TraceParams, instructions: u64, pace: u64) -> Comparison {
    let program = load(name).unwrap();
    let config = MachineConfig { harts: params.cores, ..MachineConfig::default() };
    let mut events: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions, ..Limits::default() };
    Machine::new(&program, config).unwrap().run(&mut events, limits).unwrap();
    let play = Play { options: SystemOptions::default(), pace, vcd: None, progress: &|_| () };
    compare(params, &program, &events, play).unwrap()
}

fn check(name: &str, params: &TraceParams, instructions: u64, pace: u64) {
    let c = run(name, params, instructions, pace);
    assert_eq!((c.summary.beats, c.summary.overflow), (instructions, 0), "{name}: {}", params.canonical());
    assert!(c.golden.len() > 10, "{name}: {} words", c.golden.len());
    let word = |words: &[u32], i: usize| words.get(i).map(|w| format!("0x{w:08x}"));
    if let Some(i) = c.difference() {
        let (circuit, golden) = (word(&c.circuit, i), word(&c.golden, i));
        panic!(
            "{name}: word {i} of {}: circuit {circuit:?}, golden {golden:?}: {}",
            c.golden.len(),
            params.canonical()
        );
    }
}

fn params(set: &str, cores: u8, timestamps: bool) -> TraceParams {
    let named = named_set(set).unwrap();
    TraceParams::tr(named.params).with(|p| (p.cores, p.timestamps) = (cores, timestamps))
}

#[test]
fn functional_systems_send_what_the_model_sends() {
    check("fft", &params("small", 4, false), rounds(4_000, 20_000), 2);
    check("fsm", &params("large", 1, false), rounds(4_000, 20_000), 1);
}

#[test]
fn time_stamped_systems_send_what_the_model_sends() {
    check("qsort", &params("small", 2, true), rounds(4_000, 20_000), 2);
    check(
        "irq",
        &params("medium", 1, true).with(|p| p.flow = "tr_b:medium".parse().unwrap()),
        rounds(4_000, 20_000),
        3,
    );
}

#[test]
fn a_difference_is_found() {
    let mut c = run("fft", &params("small", 1, false), 2000, 1);
    assert_eq!(c.difference(), None);
    c.circuit[5] ^= 1;
    assert_eq!(c.difference(), Some(5));
    c.circuit.truncate(4);
    assert_eq!(c.difference(), Some(4));
}
