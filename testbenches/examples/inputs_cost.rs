//! What record systems take, beside a flow trace system of the set `small` and the filter of load values
//!
//! NAND2 of the library `nand2`, bits of memory, and on HX8K and ECP5 cells and clock rate. Four cores, or as many as are said,
//! with event FIFOs of 16 places, by sizes of the tables; the filter is one core's, by itself: it is in no system yet. Behind
//! `--gates` nothing is placed. Those with more ports than the devices have pins are behind a shift register that is not counted.
//! `cargo run --release -p testbenches --example inputs_cost -- [CORES] [--gates] [SCHEME...]`: those that begin so, of all

use fpga::gates::{count, Library};
use fpga::place::{few_pins, place, Device};
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::cfiat::filter::Filter;
use hdl::scheme::inputs::system::InputsSystem;
use hdl::verilog::{write, Style};
use rust_hdl::prelude::Block;
use sim::params::{Platform, TraceParams};
use sim::scheme::inputs::InputsParams;

const LOG2_FIFO: u8 = 4;
const RAM: (u32, u32) = (0x8000_0000, 1 << 24);

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let devices: &[Device] = match words.iter().position(|w| w == "--gates") {
        Some(at) => {
            words.remove(at);
            &[]
        }
        None => &[Device::Hx8k, Device::Ecp5],
    };
    let cores = match words.first().and_then(|n| n.parse().ok()) {
        Some(cores) => {
            words.remove(0);
            cores
        }
        None => 4,
    };
    let row = |name: &str, verilog: &dyn Fn() -> String| {
        if words.is_empty() || words.iter().any(|w| name.starts_with(w.as_str())) {
            row(name, devices, &verilog());
        }
    };
    println!("| {cores} cores | NAND2 | flip-flops | memory bits | HX8K: LUT4, block RAM, MHz | ECP5: LUT4, block RAM, MHz |");
    println!("| --- | ---: | ---: | ---: | --- | --- |");
    for name in ["inputs:256", "inputs:512", "inputs:1024", "inputs:512+last1", "inputs:256+known4096"] {
        let p = InputsParams::new(cores, 32, RAM, name.parse().expect("a scheme"));
        row(name, &|| verilog(InputsSystem::new(&p, LOG2_FIFO.into())));
    }
    let mut p = TraceParams::new(Platform::RV32, "tr_e:small".parse().expect("a scheme"));
    p.cores = cores;
    let options = SystemOptions { log2_fifo: LOG2_FIFO, ..SystemOptions::default() };
    row("tr_e:small", &|| emit(&p, &options).expect("a circuit"));
    for name in ["cfiat:4k", "cfiat:16k", "cfiat:32k"] {
        let sizes = name.parse().expect("a scheme");
        row(&format!("{name}, filter of one core"), &|| verilog(Filter::new(&sizes)));
    }
}

fn verilog(mut block: impl Block) -> String {
    block.connect_all();
    write(&block, &Style::default()).expect("Verilog").text
}

fn row(name: &str, devices: &[Device], verilog: &str) {
    let r = count(verilog, &Library::nand2()).expect("yosys");
    let flip_flops: u64 = r.blocks.iter().map(|b| b.flip_flops).sum();
    print!("| `{name}` | {:.0} | {flip_flops} | {} |", r.gates, r.memory_bits);
    let (text, _) = few_pins(verilog);
    for device in devices {
        match place(&text, *device, 1, 60) {
            Ok(p) => print!(" {}, {}, {:.1} |", p.resources.lut4, p.resources.block_ram, p.fmax_mhz),
            // what does not fit says so at its end
            Err(e) => print!(" {} |", e.to_string().lines().last().unwrap_or_default()),
        }
    }
    println!();
}
