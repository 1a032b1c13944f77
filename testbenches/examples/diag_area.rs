//! Gates, LUTs and clock rate of the diagnosis circuits
//!
//! Each by itself, its ports pins: NAND2 equivalents without memory, then iCE40 HX8K and ECP5. A generator or a node is with
//! its network interface. A generator has more ports than a package has pins: its inputs are a shift register, which is
//! not counted, its outputs go into one pin. `cargo run --release -p testbenches --example diag_area`, or with names of circuits behind it

use fpga::gates::{count, Library};
use fpga::place::{place, Device};
use hdl::diag::client::{generator, node, SeatIn};
use hdl::diag::framer::Framer;
use hdl::diag::generator::observer::Observer;
use hdl::noc::router::Router;
use hdl::verilog::{write, Style};
use hdl::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;
use sim::params::{Platform, TraceParams};

/// The circuit with a shift register before its inputs, and how many flip-flops that has.
fn few_pins(verilog: &str) -> (String, u64) {
    let (mut bits, mut ports, mut outputs) = (0, Vec::new(), Vec::new());
    let mut name = "";
    for line in verilog.lines() {
        let words: Vec<&str> = line.trim().trim_end_matches([',', ';']).split_whitespace().collect();
        if let ["module", module, ..] = words[..] {
            name = module.split('(').next().unwrap_or(module);
        }
        let (Some(kind @ ("input" | "output")), Some(port)) = (words.first().copied(), words.last()) else {
            if line.contains(");") {
                break;
            }
            continue;
        };
        let width = words.iter().find_map(|w| w.strip_prefix('[')?.split(':').next()?.parse::<u64>().ok());
        let width = width.map_or(1, |w| w + 1);
        if *port == "clock" {
            ports.push(".clock(clock)".to_string());
        } else if kind == "input" {
            ports.push(format!(".{port}(s[{bits} +: {width}])"));
            bits += width;
        } else {
            ports.push(format!(".{port}(w_{port})"));
            outputs.push((port.to_string(), width));
        }
    }
    let wires: String = outputs.iter().map(|(p, w)| format!("wire [{}:0] w_{p};\n", w - 1)).collect();
    let all: Vec<String> = outputs.iter().map(|(p, _)| format!("^w_{p}")).collect();
    let text = format!(
        "module few_pins(input clock, input d, output reg q);\nreg [{}:0] s;\n{wires}\
         always @(posedge clock) begin s <= {{s, d}}; q <= {}; end\n{name} uut({});\nendmodule\n{verilog}",
        bits - 1,
        all.join(" ^ "),
        ports.join(", ")
    );
    (text, bits + 1)
}

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
            let (text, added) = if name.contains("generator") { few_pins(&verilog) } else { (verilog.clone(), 0) };
            let p = place(&text, device, 1, 50)?;
            let mut r = p.resources;
            r.flip_flops -= added;
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
