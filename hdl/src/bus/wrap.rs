//! The module that connects a trace system to a chip's buses
//!
//! The wrapper takes the name of the system; the system inside becomes `NAME_system`. It passes through all ports that
//! do not belong to a bus, and keeps `clock` and `reset`: connect an AMBA clock to `clock`, and invert an active-low
//! reset outside.

use super::apb::Apb;
use super::atb::Atb;
use super::atb_bridge::{AtbBridge, AtbWithId};
use super::axi_lite::AxiLite;
use super::crossing::Crossing;
use super::encoders;
use super::jtag::port::{Jtag, JtagWords};
use super::lock::Lock;
use super::memory::MemoryPort;
use super::memory_sink::MemorySink;
use super::octets::Octets;
use super::packets::{AxiStream, Packets};
use super::pages::Pages;
use super::part::Part;
use super::pib::sink::PibSink;
use super::ram_sink::RamSink;
use super::split::Split;
use super::tci::Tci;
use super::wishbone::Wishbone;
use super::{Writers, ATB_BITS, PACKET_BITS};

use crate::verilog::{Style, Unsupported, Written};
use sim::tci::{Facts, Sink};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// Bus of the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegisterBus {
    /// The system's own bus: `bus_*`.
    #[default]
    Native,
    /// `s_apb_*`.
    Apb,
    /// `s_axil_*`.
    AxiLite,
    /// `wb_*`.
    Wishbone,
    /// `jtag_*`: a test access port.
    Jtag,
}

/// Port of the trace words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordPort {
    /// The system's own port: `valid`, `ready`, `data`.
    #[default]
    Native,
    /// `m_axis_*`: `TVALID`, `TREADY`, `TDATA` of 32 bits, `TLAST` with the last word of a trace.
    AxiStream,
    /// `m_atb_*`.
    Atb,
    /// `byte_*`, eight bits wide.
    Octets,
    /// `m_axi_*`: into a memory range. Adds registers after the system's and an interrupt, `memory_irq`.
    Memory,
    /// Through the test access port of [`RegisterBus::Jtag`].
    Jtag,
    /// No port: into a memory that is read through the registers of the RISC-V Trace Control Interface. Its size is in [`Facts`].
    Sram,
    /// `trc_clk`, `trc_data`: the pins of a sink of the RISC-V Trace Control Interface.
    Pib,
}

/// The buses of a trace system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buses {
    /// Bus of the registers.
    pub registers: RegisterBus,
    /// Accesses that may write registers; only for buses with protection bits: [`RegisterBus::protects`].
    pub writers: Writers,
    /// Port of the trace words.
    pub words: WordPort,
    /// Whether trace words leave in a clock domain of their own, with `port_clock` and `port_reset`.
    pub crossing: bool,
    /// Whether nothing is traced unless the input `allow` is 1.
    pub locked: bool,
    /// Properties of the system, if its registers are those of the RISC-V Trace Control Interface.
    pub tci: Option<Facts>,
}

impl RegisterBus {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::Native, Self::Apb, Self::AxiLite, Self::Wishbone, Self::Jtag];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Apb => "apb",
            Self::AxiLite => "axi-lite",
            Self::Wishbone => "wishbone",
            Self::Jtag => "jtag",
        }
    }

    /// Whether the bus has protection bits.
    pub const fn protects(self) -> bool {
        match self {
            Self::Apb | Self::AxiLite => true,
            Self::Native | Self::Wishbone | Self::Jtag => false,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Native => "",
            Self::Apb => "s_apb",
            Self::AxiLite => "s_axil",
            Self::Wishbone => "wb",
            Self::Jtag => "jtag",
        }
    }
}

impl WordPort {
    /// All variants.
    pub const ALL: [Self; 8] =
        [Self::Native, Self::AxiStream, Self::Atb, Self::Octets, Self::Memory, Self::Jtag, Self::Sram, Self::Pib];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::AxiStream => "axi-stream",
            Self::Atb => "atb",
            Self::Octets => "bytes",
            Self::Memory => "axi4-memory",
            Self::Jtag => "jtag",
            Self::Sram => "sram",
            Self::Pib => "pib",
        }
    }

    /// Whether the port has registers: [`sim::regs::MEMORY_REGS`].
    pub const fn has_registers(self) -> bool {
        match self {
            Self::Memory => true,
            Self::Native | Self::AxiStream | Self::Atb | Self::Octets | Self::Jtag | Self::Sram | Self::Pib => false,
        }
    }

    /// Whether the port marks the last word of a trace, for which it needs the `session` signal.
    pub const fn has_packets(self) -> bool {
        match self {
            Self::AxiStream => true,
            Self::Native | Self::Atb | Self::Octets | Self::Memory | Self::Jtag | Self::Sram | Self::Pib => false,
        }
    }

    /// Whether the port may have its own clock. A port that is programmed or read over the register bus uses the clock
    /// of that bus.
    pub const fn crosses(self) -> bool {
        match self {
            Self::Native | Self::AxiStream | Self::Atb | Self::Octets => true,
            Self::Memory | Self::Jtag | Self::Sram | Self::Pib => false,
        }
    }

    /// Whether this port can be combined with registers on `bus`.
    pub fn works_with(self, bus: RegisterBus) -> bool {
        self != Self::Jtag || bus == RegisterBus::Jtag
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Native | Self::Sram => "",
            Self::AxiStream => "m_axis",
            Self::Atb => "m_atb",
            Self::Octets => "byte",
            Self::Memory => "m_axi",
            Self::Jtag => "jtag",
            Self::Pib => "trc",
        }
    }
}

impl Buses {
    /// The style in which the wrapped system is written: its name inside the wrapper.
    pub fn system(self, style: &Style) -> Style {
        let name = if self == Self::default() { style.name.clone() } else { format!("{}_system", style.name) };
        Style { name, ..style.clone() }
    }
}

impl fmt::Display for Buses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.registers != RegisterBus::Native {
            write!(f, ", registers on {}", self.registers.name())?;
        }
        if self.writers != Writers::Any {
            write!(f, ", writes {}", self.writers.name())?;
        }
        if self.words != WordPort::Native {
            write!(f, ", words on {}", self.words.name())?;
        }
        if self.crossing {
            write!(f, ", clocked by port_clock")?;
        }
        if self.locked {
            write!(f, ", while allow")?;
        }
        if self.tci.is_some() {
            write!(f, ", Trace Control Interface 1.0")?;
        }
        Ok(())
    }
}

/// The port of a system with [`Extras::session`](crate::spine::Extras) that is 1 during a session.
const SESSION: &str = "session_0";

/// The text of `system`, written in the style `style`, with the wrapper in front of it if `buses` needs one.
pub(crate) fn wrap(mut system: Written, style: &Style, buses: Buses) -> Result<String, Unsupported> {
    if buses == Buses::default() {
        return Ok(system.text);
    }
    // the system's module comes first in its text
    let (own, inner) = (format!("module {} (", style.name), format!("module {} (", buses.system(style).name));
    system.text = system.text.replacen(&own, &inner, 1);
    let parts = parts(system, style, buses)?;
    let mut text = module(style, buses, &parts);
    for part in parts.into_iter().filter(|part| part.core.is_none_or(|core| core == 0)) {
        text.push('\n');
        text.push_str(&part.written.text);
    }
    Ok(text)
}

fn parts(system: Written, style: &Style, buses: Buses) -> Result<Vec<Part>, Unsupported> {
    let Buses { registers, writers, words, crossing, locked, tci } = buses;
    let adapted = words != WordPort::Native;
    let split = words.has_registers() && tci.is_none();
    let sink = tci.map_or(Sink::None, |facts| facts.sink);
    // the last word is marked, or the ID added, in the system's clock domain, before the crossing
    let marked = if words.has_packets() || sink == Sink::Atb { "marked" } else { "words" };
    // reads of the data register of an SRAM have an effect
    let strobe = sink.sram() > 0;
    if crossing && !words.crosses() {
        return Err(Unsupported(format!("words on {} have no separate clock", words.name())));
    }
    if !words.works_with(registers) {
        return Err(Unsupported(format!(
            "words on {} leave by the port of the registers, which are on {}",
            words.name(),
            registers.name()
        )));
    }
    let fits = match sink {
        Sink::Sram(_) => words == WordPort::Sram,
        Sink::Memory => words == WordPort::Memory,
        Sink::Atb => words == WordPort::Atb,
        Sink::Pib => words == WordPort::Pib,
        Sink::None => !matches!(words, WordPort::Sram | WordPort::Pib) && (words != WordPort::Memory || tci.is_none()),
    };
    if !fits {
        return Err(Unsupported("a sink or bridge has registers of the Trace Control Interface, and its port".into()));
    }
    if tci.is_some() && (locked || registers == RegisterBus::Jtag) {
        return Err(Unsupported(
            "the Trace Control Interface is in place of registers that a lock or a test access port needs".into(),
        ));
    }
    let of_words = |pin: &str| if crossing || adapted { format!("words_{pin}") } else { pin.to_string() };
    let funnel = tci.filter(|facts| facts.funnel > 0);
    let mut parts = match funnel {
        Some(facts) => {
            encoders::check(&facts, words.has_packets())?;
            encoders::parts(&system, style, &facts, of_words)?
        }
        None => vec![Part::new("system", system, |pin| match pin {
            _ if tci.is_some() && pin.starts_with("bus_") => format!("native_{pin}"),
            _ if tci.is_some() && pin.starts_with("stall_") => pin.replacen("stall", "waiting", 1),
            _ if locked && pin.starts_with("bus_") => format!("locked_{pin}"),
            _ if split && pin.starts_with("bus_") => format!("system_{pin}"),
            "valid" | "ready" | "data" => of_words(pin),
            _ => pin.to_string(),
        })],
    };
    let of_bus = |pin: &str| match pin {
        "clock" | "reset" => pin.to_string(),
        "reads_0" => "bus_read".into(),
        _ if pin.starts_with("bus_") || pin.starts_with("words_") => pin.to_string(),
        _ => format!("{}_{pin}", registers.prefix()),
    };
    let bits = match (split, tci) {
        (_, Some(facts)) => facts.addr_bits(),
        (true, None) => 4,
        (false, None) => 3,
    };
    match (registers, bits) {
        (RegisterBus::Native, _) => {}
        (RegisterBus::Apb, 3) => parts.push(Part::of("apb", Apb::<3, 12>::new(writers, false), style, of_bus)?),
        (RegisterBus::Apb, 4) => parts.push(Part::of("apb", Apb::<4, 12>::new(writers, false), style, of_bus)?),
        (RegisterBus::Apb, 11) => parts.push(Part::of("apb", Apb::<11, 13>::new(writers, strobe), style, of_bus)?),
        (RegisterBus::Apb, 14) => parts.push(Part::of("apb", Apb::<14, 16>::new(writers, strobe), style, of_bus)?),
        (RegisterBus::Apb, _) => parts.push(Part::of("apb", Apb::<10, 12>::new(writers, false), style, of_bus)?),
        (RegisterBus::AxiLite, 3) => {
            parts.push(Part::of("axi_lite", AxiLite::<3, 12>::new(writers, false), style, of_bus)?)
        }
        (RegisterBus::AxiLite, 4) => {
            parts.push(Part::of("axi_lite", AxiLite::<4, 12>::new(writers, false), style, of_bus)?)
        }
        (RegisterBus::AxiLite, 11) => {
            parts.push(Part::of("axi_lite", AxiLite::<11, 13>::new(writers, strobe), style, of_bus)?);
        }
        (RegisterBus::AxiLite, 14) => {
            parts.push(Part::of("axi_lite", AxiLite::<14, 16>::new(writers, strobe), style, of_bus)?);
        }
        (RegisterBus::AxiLite, _) => {
            parts.push(Part::of("axi_lite", AxiLite::<10, 12>::new(writers, false), style, of_bus)?)
        }
        (RegisterBus::Wishbone, 3) => parts.push(Part::of("wishbone", Wishbone::<3, 10>::new(false), style, of_bus)?),
        (RegisterBus::Wishbone, 4) => parts.push(Part::of("wishbone", Wishbone::<4, 10>::new(false), style, of_bus)?),
        (RegisterBus::Wishbone, 11) => {
            parts.push(Part::of("wishbone", Wishbone::<11, 11>::new(strobe), style, of_bus)?)
        }
        (RegisterBus::Wishbone, 14) => {
            parts.push(Part::of("wishbone", Wishbone::<14, 14>::new(strobe), style, of_bus)?);
        }
        (RegisterBus::Wishbone, _) => parts.push(Part::of("wishbone", Wishbone::<10, 10>::new(false), style, of_bus)?),
        (RegisterBus::Jtag, 3) if words == WordPort::Jtag => {
            parts.push(Part::of("jtag", JtagWords::<3>::new(), style, of_bus)?);
        }
        (RegisterBus::Jtag, 3) => parts.push(Part::of("jtag", Jtag::<3>::new(), style, of_bus)?),
        (RegisterBus::Jtag, _) => parts.push(Part::of("jtag", Jtag::<4>::new(), style, of_bus)?),
    }
    if let Some(facts) = tci.filter(|_| funnel.is_none()) {
        let pages = facts.sink != Sink::None;
        parts.push(Part::of("tci", Tci::new(&facts), style, |pin| match pin.strip_prefix("out_") {
            Some(signal) => format!("native_bus_{signal}"),
            None if pages && pin.starts_with("bus_") => format!("encoder_{pin}"),
            None => pin.to_string(),
        })?);
        if pages {
            parts.push(Part::of("pages", Pages::new(strobe), style, |pin| {
                match (pin.strip_prefix("low_"), pin.strip_prefix("high_")) {
                    _ if pin == "reads_0" => "bus_read".into(),
                    _ if pin == "high_reads_0" => "sink_bus_read".into(),
                    (Some(signal), _) => format!("encoder_bus_{signal}"),
                    (_, Some(signal)) => format!("sink_bus_{signal}"),
                    _ => pin.to_string(),
                }
            })?);
        }
    }
    if split {
        parts.push(Part::of("split", Split::default(), style, |pin| {
            match (pin.strip_prefix("low_"), pin.strip_prefix("high_")) {
                (Some(signal), _) => format!("system_bus_{signal}"),
                (_, Some(signal)) => format!("memory_bus_{signal}"),
                _ => pin.to_string(),
            }
        })?);
    }
    if locked {
        parts.push(Part::of("lock", Lock::new(), style, |pin| match pin.strip_prefix("out_") {
            Some(signal) => format!("locked_bus_{signal}"),
            None if split && pin.starts_with("bus_") => format!("system_{pin}"),
            None => pin.to_string(),
        })?);
    }
    if words.has_packets() {
        parts.push(Part::of("packets", Packets::new(), style, |pin| match pin.strip_prefix("out_") {
            Some(signal) => format!("{marked}_{signal}"),
            None if pin == "session" => SESSION.into(),
            None => pin.to_string(),
        })?);
    }
    if sink == Sink::Atb {
        let bridge = AtbBridge::new(&tci.unwrap_or_default());
        parts.push(Part::of("atb_bridge", bridge, style, |pin| match pin.strip_prefix("out_") {
            Some(signal) => format!("{marked}_{signal}"),
            None if pin.starts_with("bus_") => format!("sink_{pin}"),
            None => pin.to_string(),
        })?);
    }
    if crossing {
        let net = |pin: &str| match (pin.strip_prefix("out_"), pin.strip_prefix("words_")) {
            (Some(signal), _) if adapted => format!("crossed_{signal}"),
            (Some(signal), _) => signal.to_string(),
            (_, Some(signal)) => format!("{marked}_{signal}"),
            (None, None) => pin.to_string(),
        };
        parts.push(match words {
            _ if words.has_packets() => Part::of("crossing", Crossing::<PACKET_BITS>::new(), style, net)?,
            _ if sink == Sink::Atb => Part::of("crossing", Crossing::<ATB_BITS>::new(), style, net)?,
            _ => Part::of("crossing", Crossing::<32>::new(), style, net)?,
        });
    }
    let of_port = |pin: &str| match (pin, pin.strip_prefix("words_")) {
        (_, Some(signal)) if crossing => format!("crossed_{signal}"),
        (_, Some(signal)) => format!("{marked}_{signal}"),
        ("clock" | "reset", _) if crossing => format!("port_{pin}"),
        ("clock" | "reset", _) => pin.to_string(),
        _ => format!("{}_{pin}", words.prefix()),
    };
    match words {
        WordPort::Native | WordPort::Jtag => {}
        WordPort::AxiStream => parts.push(Part::of("axi_stream", AxiStream::default(), style, of_port)?),
        WordPort::Atb if sink == Sink::Atb => parts.push(Part::of("atb", AtbWithId::new(), style, of_port)?),
        WordPort::Atb => parts.push(Part::of("atb", Atb::new(), style, of_port)?),
        WordPort::Octets => parts.push(Part::of("bytes", Octets::new(), style, of_port)?),
        WordPort::Memory if sink == Sink::Memory => {
            let sink = MemorySink::new(&tci.unwrap_or_default());
            parts.push(Part::of("memory_sink", sink, style, |pin| match pin {
                "irq" => "memory_irq".into(),
                _ if pin.starts_with("bus_") => format!("sink_{pin}"),
                _ => of_port(pin),
            })?);
        }
        WordPort::Memory => parts.push(Part::of("memory", MemoryPort::new(), style, |pin| match pin {
            "irq" => "memory_irq".into(),
            _ if pin.starts_with("bus_") => format!("memory_{pin}"),
            _ => of_port(pin),
        })?),
        WordPort::Sram => {
            parts.push(Part::of("ram_sink", RamSink::new(&tci.unwrap_or_default()), style, |pin| match pin {
                "read" => "sink_bus_read".into(),
                _ if pin.starts_with("bus_") => format!("sink_{pin}"),
                _ => of_port(pin),
            })?);
        }
        WordPort::Pib => {
            parts.push(Part::of("pib_sink", PibSink::new(&tci.unwrap_or_default()), style, |pin| match pin {
                _ if pin.starts_with("bus_") => format!("sink_{pin}"),
                _ => of_port(pin),
            })?);
        }
    }
    Ok(parts)
}

/// The wrapper around `parts`: a net that one part drives and another reads is an internal wire, all others are ports.
fn module(style: &Style, buses: Buses, parts: &[Part]) -> String {
    let pins = || parts.iter().flat_map(|p| p.written.pins.iter().zip(&p.nets));
    let ends = |net: &str, output: bool| pins().any(|(pin, at)| at == net && pin.output == output);
    let (mut ports, mut wires, mut seen) = (Vec::new(), String::new(), BTreeSet::new());
    let is_number = |net: &str| net.starts_with(|c: char| c.is_ascii_digit());
    for (pin, net) in pins().filter(|(_, net)| !is_number(net) && seen.insert((*net).clone())) {
        let range = if pin.width == 1 { String::new() } else { format!("[{}:0] ", pin.width - 1) };
        if ends(net, false) && ends(net, true) {
            let _ = writeln!(wires, "    wire {range:7}{net};");
        } else {
            ports.push(format!("    {} wire {range:7}{net}", if pin.output { "output" } else { "input " }));
        }
    }
    let mut instances = String::new();
    for part in parts {
        let list = part.written.pins.iter().zip(&part.nets).map(|(pin, net)| format!("        .{}({net})", pin.name));
        let list = list.collect::<Vec<_>>().join(",\n");
        let _ = writeln!(instances, "\n    {}_{} {} (\n{list}\n    );", style.name, part.name, part.instance());
    }
    let gap = if wires.is_empty() { "" } else { "\n" };
    format!(
        "// A trace system on its buses: registers {}{}, words {}{}\nmodule {} (\n{}\n);\n{gap}{wires}{instances}endmodule\n",
        buses.registers.name(),
        if buses.tci.is_some() { " (Trace Control Interface)" } else { "" },
        buses.words.name(),
        if buses.crossing { " with a separate clock" } else { "" },
        style.name,
        ports.join(",\n")
    )
}
