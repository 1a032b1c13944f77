//! What record systems take: gates of the library `nand2`, bits of memory
//!
//! Four cores, or as many as are said, with event FIFOs of 16 places, by sizes of the tables; for comparison a flow trace
//! system of the set `small`. `cargo run --release -p testbenches --example inputs_cost -- [CORES]`

use fpga::gates::{count, Library};
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::inputs::system::InputsSystem;
use hdl::verilog::{write, Style};
use rust_hdl::prelude::Block;
use sim::params::{Platform, TraceParams};
use sim::scheme::inputs::InputsParams;

const LOG2_FIFO: u8 = 4;
const RAM: (u32, u32) = (0x8000_0000, 1 << 24);

fn main() {
    let cores = std::env::args().nth(1).map_or(4, |n| n.parse().expect("a number of cores"));
    println!("| {cores} cores | NAND2 | flip-flops | memory bits |");
    println!("| --- | ---: | ---: | ---: |");
    for name in ["inputs:256", "inputs:512", "inputs:1024", "inputs:512+last1"] {
        let p = InputsParams::new(cores, 32, RAM, name.parse().expect("a scheme"));
        let mut system = InputsSystem::new(&p, LOG2_FIFO.into());
        system.connect_all();
        row(name, &write(&system, &Style::default()).expect("Verilog").text);
    }
    let mut p = TraceParams::new(Platform::RV32, "tr_e:small".parse().expect("a scheme"));
    p.cores = cores;
    let options = SystemOptions { log2_fifo: LOG2_FIFO, ..SystemOptions::default() };
    row("tr_e:small", &emit(&p, &options).expect("a circuit"));
}

fn row(name: &str, verilog: &str) {
    let r = count(verilog, &Library::nand2()).expect("yosys");
    let flip_flops: u64 = r.blocks.iter().map(|b| b.flip_flops).sum();
    println!("| `{name}` | {:.0} | {flip_flops} | {} |", r.gates, r.memory_bits);
}
