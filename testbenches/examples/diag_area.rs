//! Gates, LUTs and clock rate of the diagnosis circuits
//!
//! Each by itself, its ports pins: NAND2 equivalents without memory, then iCE40 HX8K and ECP5. A generator or a node is with
//! its network interface. `cargo run --release -p testbenches --example diag_area`, or with names of circuits behind it

use fpga::gates::{count, Library};
use fpga::place::{place, Device};
use hdl::diag::client::{generator, node, SeatIn};
use hdl::diag::generator::observer::Observer;
use hdl::diag::framer::Framer;
use hdl::noc::router::Router;
use hdl::verilog::{write, Style};
use hdl::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;
use sim::params::{Platform, TraceParams};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let seat = |kind| Slot::<SeatIn>::new(node(kind).expect("a circuit"));
    let twelve = GeneratorParams { slots: 12, ..GeneratorParams::FULL };
    let rvfi = TraceParams::new(Platform::RV32, "tr_e:small".parse()?);
    let mut circuits: Vec<(&str, Box<dyn Block>)> = vec![
        ("router", Box::new(Router::new(3, 0, false))),
        ("lite generator, 12 slots", Box::new(Slot::new(generator(&GeneratorParams::LITE, 0)))),
        ("full generator, 16 slots", Box::new(Slot::new(generator(&GeneratorParams::FULL, 0)))),
        ("full generator, 12 slots", Box::new(Slot::new(generator(&twelve, 0)))),
        ("observer", Box::new(Observer::new(&rvfi))),
        ("counters, 64", Box::new(seat(NodeKind::Count(64)))),
        ("aggregate, 256 entries", Box::new(seat(NodeKind::Aggregate(256)))),
        ("machine, 16 states", Box::new(seat(NodeKind::Machine(16)))),
        ("filter, 8 rules", Box::new(seat(NodeKind::Filter(8)))),
        ("pair, 16 contexts", Box::new(seat(NodeKind::Pair(16)))),
        ("histogram, 4 keys", Box::new(seat(NodeKind::Histogram(4)))),
        ("framer", Box::new(Framer::new())),
    ];
    println!("| circuit | NAND2 | memory bits | device | LUT4 | FF | carry | block RAM | LUT RAM | MHz |");
    println!("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, block) in &mut circuits {
        if !only.is_empty() && !only.iter().any(|o| name.starts_with(o.as_str())) {
            continue;
        }
        block.connect_all();
        let verilog = write(&**block, &Style::default())?.text;
        let gates = count(&verilog, &Library::named("nand2")?)?;
        for device in [Device::Hx8k, Device::Ecp5] {
            let p = place(&verilog, device, 1, 50)?;
            let r = p.resources;
            println!(
                "| {name} | {:.0} | {} | {} | {} | {} | {} | {} | {} | {:.1} |",
                gates.gates,
                gates.memory_bits,
                device.name(),
                r.lut4,
                r.flip_flops,
                r.carry,
                r.block_ram,
                r.lut_ram,
                p.fmax_mhz
            );
        }
    }
    Ok(())
}
