//! Size and speed of the circuits of scheme `follow`, by block
//!
//! NAND2 of the library `nand2`, bits of memory, and cells and clock rate on HX8K and ECP5, for the sizes of the named sets s, m and l.
//! Ports become pins. With `--gates` nothing is placed.
//!
//! `cargo run --release -p testbenches --example follow_cost -- [--gates] [BLOCK...]`; a BLOCK selects all rows whose names begin with it

mod cost;

use cost::{head, row, verilog};
use fpga::place::Device;
use hdl::scheme::follow::arithmetic::coder::ArithmeticCoder;
use hdl::scheme::follow::contexts::Contexts;
use hdl::scheme::follow::late_bimodal::LateBimodal;
use hdl::scheme::follow::loops::Loops;
use hdl::scheme::follow::past::Past;
use hdl::scheme::follow::predictors::Predictors;
use hdl::scheme::follow::runs::Runs;
use hdl::scheme::follow::tables::Tables;
use hdl::scheme::follow::tagged::Tagged;
use hdl::scheme::follow::targets::Targets;
use sim::params::{Platform, TraceParams};
use sim::scheme::follow::sizes::Sizes;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let gates_only = words.iter().position(|w| w == "--gates").map(|at| words.remove(at)).is_some();
    let devices: &[Device] = if gates_only { &[] } else { &[Device::Hx8k, Device::Ecp5] };
    let row = |name: &str, verilog: &dyn Fn() -> String| {
        if words.is_empty() || words.iter().any(|w| name.starts_with(w.as_str())) {
            row(name, devices, &verilog());
        }
    };
    head("block");
    row("bimodal 256", &|| verilog(LateBimodal::new(8)));
    row("tagged table of 32, history of 10", &|| verilog(Tagged::new(5, 10)));
    row("tables s", &|| verilog(Tables::new(8, 1, 4)));
    row("tables m", &|| verilog(Tables::new(8, 2, 5)));
    row("tables l", &|| verilog(Tables::new(10, 3, 6)));
    row("past s", &|| verilog(Past::new(9, 4)));
    row("past m", &|| verilog(Past::new(11, 5)));
    row("past l", &|| verilog(Past::new(12, 7)));
    row("loops m", &|| verilog(Loops::new(2)));
    row("loops l", &|| verilog(Loops::new(3)));
    row("contexts", &|| verilog(Contexts::new(true)));
    // of all 31 address bits, and of 22, without upper ones
    for (name, bits) in [("s", 31), ("m", 31), ("l", 31), ("m", 22)] {
        let sizes = Sizes::set(name).expect("a named set").targets();
        row(&format!("targets {name}, {bits} bits"), &|| verilog(Targets::<32>::new(&sizes, bits)));
    }
    for name in ["s", "m", "l"] {
        let sizes = Sizes::set(name).expect("a named set");
        let params = TraceParams::new(Platform::RV32, format!("follow:{name}").parse().expect("a scheme"));
        row(&format!("predictors {name}"), &|| verilog(Predictors::<32>::new(&sizes, &params, false)));
    }
    row("arithmetic coder", &|| verilog(ArithmeticCoder::new()));
    for cores in [1, 4] {
        let params = TraceParams::new(Platform::RV32, "follow:m".parse().expect("a scheme")).with(|p| p.cores = cores);
        row(&format!("runs, {cores} cores"), &|| verilog(Runs::<32>::new(&params)));
    }
}
