//! Size and speed of the standard bus ports, alone and in a trace system
//!
//! NAND2 of the library `nand2`, bits of memory, and cells and clock rate on HX8K and ECP5: blocks on their own, then
//! systems of the set `small` with one core and event FIFOs of depth 16. With `--gates` nothing is placed. All inputs
//! come from a shift register, which is not counted. The crossing has two clocks; the slower one is reported.
//!
//! `cargo run --release -p testbenches --example ports_cost -- [--gates]`

mod cost;

use cost::{head, row, verilog};
use fpga::place::Device;
use hdl::bus::apb::Apb;
use hdl::bus::atb::Atb;
use hdl::bus::atb_bridge::AtbBridge;
use hdl::bus::axi_lite::AxiLite;
use hdl::bus::components::Components;
use hdl::bus::crossing::Crossing;
use hdl::bus::funnel::Funnel;
use hdl::bus::jtag::port::{Jtag, JtagWords};
use hdl::bus::memory::MemoryPort;
use hdl::bus::memory_sink::MemorySink;
use hdl::bus::octets::Octets;
use hdl::bus::packets::Packets;
use hdl::bus::pib::sink::PibSink;
use hdl::bus::ram_sink::RamSink;
use hdl::bus::tci::Tci;
use hdl::bus::wishbone::Wishbone;
use hdl::bus::wrap::{Buses, RegisterBus, WordPort};
use hdl::bus::Writers;
use hdl::emit::{emit_on, SystemOptions};
use hdl::options::SystemOf;
use hdl::verilog::Style;
use options::GivenOptions;
use sim::params::{Platform, TraceParams};
use sim::tci::{Facts, Protocol, Sink};

fn main() {
    let devices: &[Device] = if std::env::args().any(|a| a == "--gates") { &[] } else { &[Device::Hx8k, Device::Ecp5] };
    head("port");
    row("apb", devices, &verilog(Apb::<3, 12>::new(Writers::default(), false)));
    row("axi-lite", devices, &verilog(AxiLite::<3, 12>::new(Writers::default(), false)));
    row("wishbone", devices, &verilog(Wishbone::<3, 10>::new(false)));
    row("atb", devices, &verilog(Atb::new()));
    row("axi-stream", devices, &verilog(Packets::new()));
    row("bytes", devices, &verilog(Octets::new()));
    row("axi4-memory", devices, &verilog(MemoryPort::new()));
    row("jtag", devices, &verilog(Jtag::<3>::new()));
    row("jtag, with words", devices, &verilog(JtagWords::<3>::new()));
    row("--port-clock", devices, &verilog(Crossing::<32>::new()));
    let least = Facts { protocol: Protocol::ntrace(0, 0), cores: 1, ..Facts::default() };
    row("tci, n-trace", devices, &verilog(Tci::new(&least)));
    let times = Protocol { time_bits: 32, ..least.protocol };
    row("tci, n-trace with time stamps", devices, &verilog(Tci::new(&Facts { protocol: times, ..least })));
    let most = Facts {
        protocol: Protocol::vendor(true),
        sync: true,
        stall: true,
        filter: true,
        lost: true,
        check: true,
        sink: Sink::None,
        ..least
    };
    row("tci, all options", devices, &verilog(Tci::new(&most)));
    row("tci, atb bridge", devices, &verilog(AtbBridge::new(&least)));
    row("tci, memory sink", devices, &verilog(MemorySink::new(&least)));
    row("tci, pib sink, n-trace", devices, &verilog(PibSink::new(&least)));
    let etrace = Facts { protocol: Protocol::etrace(0), ..least };
    row("tci, pib sink, e-trace", devices, &verilog(PibSink::new(&etrace)));
    row("tci, pib sink, vendor", devices, &verilog(PibSink::new(&most)));
    row("tci, ram sink of 4 KiB", devices, &verilog(RamSink::new(&Facts { sink: Sink::Sram(4096), ..least })));
    for inputs in [2, 4, 8] {
        let facts = Facts { protocol: Protocol::ntrace(0, 2), funnel: inputs, ..least };
        row(&format!("tci, funnel of {inputs}"), devices, &verilog(Funnel::new(&facts)));
        row(&format!("tci, pages of {inputs} encoders, funnel and sink"), devices, &verilog(pages(&facts)));
        let timed = Facts { protocol: Protocol { time_bits: 32, ..facts.protocol }, ..facts };
        row(&format!("tci, funnel of {inputs} with time stamps"), devices, &verilog(Funnel::new(&timed)));
    }
    standard_systems(devices);
    let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().expect("a scheme"));
    let options = SystemOptions { fifo_address_bits: 4, ..SystemOptions::default() };
    for (registers, words) in [
        (RegisterBus::Native, WordPort::Native),
        (RegisterBus::Apb, WordPort::AxiStream),
        (RegisterBus::AxiLite, WordPort::Atb),
        (RegisterBus::AxiLite, WordPort::Memory),
    ] {
        let buses = Buses { registers, words, ..Buses::default() };
        let text = emit_on(&params, &options, &Style::default(), buses).expect("a circuit");
        row(&format!("small, {}, {}", registers.name(), words.name()), devices, &text);
    }
}

/// The split of the register bus for a system with a sink.
fn pages(facts: &Facts) -> Components {
    Components::new(&Facts { sink: Sink::Sram(4096), ..*facts })
}

/// N-Trace on four cores: one encoder for all, and one for each before a funnel.
fn standard_systems(devices: &[Device]) {
    for funnel in ["", "funnel"] {
        let given = [("scheme", "ntrace+ir8"), ("cores", "4"), ("fifo", "16"), ("control", "tci"), ("bus", "apb")];
        let given = given.iter().chain(&[("port", "sram")]);
        let given = given.fold(GivenOptions::default(), |given, (name, value)| given.with(name, value));
        let given = if funnel.is_empty() { given } else { given.with(funnel, "") };
        let system = given.system().expect("a system");
        let text = emit_on(&*system.circuit, &system.options, &system.style, system.buses).expect("a circuit");
        row(
            &format!("ntrace+ir8, 4 cores, apb, sram{}", if funnel.is_empty() { "" } else { ", funnel" }),
            devices,
            &text,
        );
    }
}
