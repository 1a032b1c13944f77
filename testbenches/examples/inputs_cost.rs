//! Size and speed of record systems and load-value systems, compared with a flow trace system of the set `small`
//!
//! NAND2 of the library `nand2`, bits of memory, and cells and clock rate on HX8K and ECP5, by table sizes. The default
//! is four cores; event FIFOs have a depth of 16. With `--gates` nothing is placed. Systems with more ports than the
//! devices have pins get their inputs from a shift register, which is not counted.
//!
//! `cargo run --release -p testbenches --example inputs_cost -- [CORES] [--gates] [SCHEME...]`; a SCHEME selects all
//! schemes whose names begin with it

mod cost;

use cost::{head, verilog};
use fpga::place::Device;
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::cfiat::system::CfiatSystem;
use hdl::scheme::inputs::system::InputsSystem;
use sim::params::{Platform, TraceParams};
use sim::scheme::cfiat::CfiatParams;
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
            cost::row(name, devices, &verilog());
        }
    };
    head(&format!("{cores} cores"));
    for name in
        ["inputs:256", "inputs:512", "inputs:1024", "inputs:512+last1", "inputs:256+known4096", "inputs:256+masters"]
    {
        let p = InputsParams::new(cores, 32, RAM, name.parse().expect("a scheme"));
        row(name, &|| verilog(InputsSystem::new(&p, LOG2_FIFO.into())));
    }
    let mut p = TraceParams::new(Platform::RV32, "tr_e:small".parse().expect("a scheme"));
    p.cores = cores;
    let options = SystemOptions { fifo_address_bits: LOG2_FIFO, ..SystemOptions::default() };
    row("tr_e:small", &|| emit(&p, &options).expect("a circuit"));
    for name in ["cfiat:4k", "cfiat:16k", "cfiat:32k", "cfiat:32k+gran4", "cfiat:16k+ways1"] {
        let p = CfiatParams::new(cores, RAM, name.parse().expect("a scheme"));
        row(name, &|| verilog(CfiatSystem::new(&p, LOG2_FIFO.into())));
    }
}
