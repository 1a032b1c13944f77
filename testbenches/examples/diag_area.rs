//! Gates, LUTs and clock rate of the diagnosis circuits
//!
//! Each circuit on its own, with its ports as pins: NAND2 equivalents without memory, then iCE40 HX8K and ECP5.
//! Generators and nodes include their network interface. A generator has more ports than a package has pins: its inputs
//! come from a shift register, which is not counted, and its outputs are combined into one pin. The longest path of
//! each goes to standard error.
//!
//! `cargo run --release -p testbenches --example diag_area`, optionally followed by names of circuits

use fpga::gates::{count, Library};
use fpga::place::{few_pins, place, Device};
use fpga::soc::core::CoreKind;
use fpga::soc::diag::placed;
use fpga::soc::top::{Host, Output, SocConfig};
use hdl::diag::chip::{DiagChip, DiagParams};
use hdl::diag::client::{generator, node, All, CoreRingPortIn, Generators, RingPortIn};
use hdl::diag::framer::Framer;
use hdl::diag::generator::crossing::CoreCrossing;
use hdl::diag::generator::full::calls::Calls;
use hdl::diag::generator::full::control::Control;
use hdl::diag::generator::full::log::Log;
use hdl::diag::generator::full::outbox::Outbox;
use hdl::diag::generator::full::registers::Registers;
use hdl::diag::generator::full::slots::Slots;
use hdl::diag::generator::full::stack::Stack;
use hdl::diag::generator::full::word::Word;
use hdl::diag::generator::master::MasterObserver;
use hdl::diag::generator::observer::Observer;
use hdl::diag::generator::window::Window;
use hdl::diag::line::Line;
use hdl::diag::node::trace::TraceNode;
use hdl::diag::processor::core::Core;
use hdl::noc::router::Router;
use hdl::verilog::{write, Style};
use hdl::widget::slot::{Part, Slot};
use rust_hdl::prelude::*;
use sim::diag::node::NodeKind;
use sim::diag::packet::HOST;
use sim::diag::trigger::GeneratorParams;
use sim::params::{Platform, TraceParams};

/// Verilog of a single circuit.
fn verilog(mut block: impl Block) -> Result<String, Box<dyn std::error::Error>> {
    block.connect_all();
    Ok(write(&block, &Style::default())?.text)
}

/// Verilog of a chip.
fn chip(params: &DiagParams) -> Result<String, Box<dyn std::error::Error>> {
    verilog(DiagChip::new(params)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let seat = |kind| verilog(Slot::<RingPortIn>::new(node(kind).expect("a circuit")));
    let of = |params: GeneratorParams| verilog(Slot::new(generator(&params, 0, false)));
    let wide = |params| {
        verilog(Slot::new(
            All::generator(&GeneratorParams { xlen: 64, ..params }, 0, false) as Box<dyn Part<CoreRingPortIn<64>>>
        ))
    };
    let windows = || verilog(Slot::new(generator(&GeneratorParams::FULL, 0, true)));
    let held = GeneratorParams { stalls: true, ..GeneratorParams::FULL };
    let twelve = GeneratorParams { slots: 12, ..GeneratorParams::FULL };
    let rvfi = TraceParams::new(Platform::RV32, "tr_e:small".parse()?);
    let small = DiagParams {
        cores: 1,
        generator: GeneratorParams::LITE,
        outside: Vec::new(),
        nodes: vec![NodeKind::Count(64)],
        windows: false,
        masters: 0,
        clocked: 0,
    };
    let paper = DiagParams {
        cores: 4,
        generator: GeneratorParams::FULL,
        outside: Vec::new(),
        nodes: vec![NodeKind::Machine(16), NodeKind::Aggregate(256)],
        windows: false,
        masters: 0,
        clocked: 0,
    };
    let (output, host) = (Output::Uart { divisor: 25 }, Host::Starts);
    let soc = SocConfig { log2_ram: 15, output, host, ..SocConfig::simulated(CoreKind::Picorv32, 4) };
    let both: &[Device] = &[Device::Hx8k, Device::Ecp5];
    type Make<'a> = Box<dyn Fn() -> Result<String, Box<dyn std::error::Error>> + 'a>;
    let circuits: Vec<(&str, Make, &[Device])> = vec![
        ("router", Box::new(|| verilog(Router::new(3, 0, false))), both),
        ("router of the host", Box::new(|| verilog(Router::new(HOST, 1, true))), both),
        ("router of a node", Box::new(|| verilog(Router::new(3, 2, false))), both),
        ("lite generator, 12 slots", Box::new(|| of(GeneratorParams::LITE)), both),
        ("full generator, 16 slots", Box::new(|| of(GeneratorParams::FULL)), both),
        ("full generator, 12 slots", Box::new(|| of(twelve)), both),
        ("full generator that stalls, 16 slots", Box::new(|| of(held)), both),
        ("full generator with windows, 16 slots", Box::new(windows), both),
        // more block RAMs than an HX8K has
        ("RV64: full generator, 16 slots", Box::new(|| wide(GeneratorParams::FULL)), &[Device::Ecp5]),
        ("RV64: lite generator, 12 slots", Box::new(|| wide(GeneratorParams::LITE)), both),
        ("generator of a bus master, 4 slots", Box::new(|| of(GeneratorParams::MASTER)), both),
        ("slots of the full generator", Box::new(|| verilog(Slots::<32>::new(16, 4))), both),
        ("log of the full generator", Box::new(|| verilog(Log::<32>::new(16, 4))), both),
        ("registers of the full generator", Box::new(|| verilog(Registers::<32>::new())), both),
        ("stack of the full generator", Box::new(|| verilog(Stack::new())), both),
        ("calls of the full generator", Box::new(|| verilog(Calls::<32>::new(16))), both),
        ("word of the full generator", Box::new(|| verilog(Word::new())), both),
        ("control of the full generator", Box::new(|| verilog(Control::<32>::new(4))), both),
        ("outbox of the full generator", Box::new(|| verilog(Outbox::new(0))), both),
        ("window of a generator", Box::new(|| verilog(Window::new())), both),
        ("crossing of a core with its own clock", Box::new(|| verilog(CoreCrossing::new())), both),
        ("observer of a bus master", Box::new(|| verilog(MasterObserver::<32, 4>::new())), both),
        ("observer", Box::new(|| verilog(Observer::<32, 4>::new(&rvfi))), both),
        ("counters, 64", Box::new(|| seat(NodeKind::Count(64))), both),
        ("aggregate, 256 entries", Box::new(|| seat(NodeKind::Aggregate(256))), both),
        ("machine, 16 states", Box::new(|| seat(NodeKind::Machine(16))), both),
        ("filter, 8 rules", Box::new(|| seat(NodeKind::Filter(8))), both),
        ("pair, 16 contexts", Box::new(|| seat(NodeKind::Pair(16))), both),
        ("histogram, 4 keys", Box::new(|| seat(NodeKind::Histogram(4))), both),
        ("log, 32 events", Box::new(|| seat(NodeKind::Log(32))), both),
        ("tick, 8 nodes", Box::new(|| seat(NodeKind::Tick(8))), both),
        ("processor", Box::new(|| seat(NodeKind::Processor(16))), both),
        ("core of the processor", Box::new(|| verilog(Core::new())), both),
        ("framer", Box::new(|| verilog(Framer::new())), both),
        ("line, frames of the host", Box::new(|| verilog(Line::new())), both),
        ("trace node, 64 words", Box::new(|| verilog(TraceNode::new())), both),
        ("chip: 1 lite generator, counters", Box::new(|| chip(&small)), both),
        ("chip: 4 full generators, machine, aggregate", Box::new(|| chip(&paper)), &[Device::Ecp5]),
        ("SoC: 4 picorv32 and that chip", Box::new(|| Ok(placed(&soc, &paper)?)), &[Device::Ecp85]),
    ];
    println!("| circuit | NAND2 | memory bits | device | LUT4 | FF | carry | block RAM | LUT RAM | cells | MHz |");
    println!("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, make, devices) in &circuits {
        if !only.is_empty() && !only.iter().any(|o| name.starts_with(o.as_str())) {
            continue;
        }
        let verilog = make()?;
        // cores and RAM from elsewhere are not counted
        let gates = if name.starts_with("SoC") {
            "| |".to_string()
        } else {
            let gates = count(&verilog, &Library::named("nand2")?)?;
            format!("{:.0} | {} |", gates.gates, gates.memory_bits)
        };
        for device in *devices {
            let many = name.contains("generator")
                || name.starts_with("core")
                || name.starts_with("crossing")
                || name.starts_with("observer");
            let (text, added) = if many { few_pins(&verilog) } else { (verilog.clone(), 0) };
            let p = place(&text, *device, 1, 50)?;
            let mut r = p.resources;
            r.flip_flops -= added;
            println!(
                "| {name} | {gates} {} | {} | {} | {} | {} | {} | {} | {:.1} |",
                device.name(),
                r.lut4,
                r.flip_flops,
                r.carry,
                r.block_ram,
                r.lut_ram,
                p.cells,
                p.fmax_mhz
            );
            if let Some(path) = &p.longest_path {
                eprintln!("{name}, {}: {}", device.name(), path.text());
            }
        }
    }
    Ok(())
}
