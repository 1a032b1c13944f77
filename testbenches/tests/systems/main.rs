//! Benches of whole trace systems, with real and random programs

mod baselines;
mod blocks;
mod cfiat_harness;
mod cfiat_system;
mod chaos;
mod data_harness;
mod equal;
mod etrace;
mod etrace_modes;
mod etrace_ports;
mod etrace_system;
mod filter;
mod funnel;
mod inputs;
mod inputs_harness;
mod loss;
mod mutants;
mod ntrace;
mod ntrace_ports;
mod ntrace_time;
mod programs;
mod replay;
mod same_verilog;
mod stall;
mod stream_replay;
mod stream_system;
mod stream_wide;
mod synthetic;
mod system;
mod trace_sim;
mod verilator_lint;
mod wide_context;
mod wide_pace;
mod wide_system;

#[allow(dead_code, reason = "the tests of `sim` use the rest")]
#[path = "../../../sim/tests/all/cfiat_support/mod.rs"]
mod cfiat_support;
#[path = "../../../sim/tests/all/data_log/mod.rs"]
mod data_log;
#[path = "../../../hdl/examples/dump/systems.rs"]
mod dump_list;
#[allow(dead_code, reason = "the tests of `sim` use the rest")]
#[path = "../../../sim/tests/all/inputs_support/mod.rs"]
mod inputs_support;
#[allow(dead_code, reason = "the tests of `sim` use the rest")]
#[path = "../../../sim/tests/all/random_programs/mod.rs"]
mod random_programs;
#[allow(dead_code, reason = "the tests of `sim` use the rest")]
#[path = "../../../sim/tests/all/rv32_support/mod.rs"]
mod rv32_support;
