//! The system that the options describe

use crate::bus::wrap::{Buses, RegisterBus, WordPort};
use crate::bus::Writers;
use crate::emit::{Ingress, SystemOptions};
use crate::scheme::{circuit, Circuit};
use crate::spine::Extras;
use crate::verilog::Style;
use options::GivenOptions;
use options::{find, table};
use sim::params::{Platform, TraceParams};
use sim::regmap::id;
use sim::tci::{Facts, Sink};

/// A trace system with everything needed to emit it.
pub struct System {
    /// The scheme, with all parameters of its stream.
    pub circuit: Box<dyn Circuit>,
    /// Options of the circuit.
    pub options: SystemOptions,
    /// The buses of the chip.
    pub buses: Buses,
    /// The style of the Verilog.
    pub style: Style,
}

impl System {
    /// Number of traced cores.
    pub fn cores(&self) -> u8 {
        match self.buses.tci.map_or(0, |facts| facts.funnel) {
            0 => self.circuit.cores(),
            funnel => funnel,
        }
    }
}

/// The system that options describe.
pub trait SystemOf {
    /// The options of the circuit.
    fn options(&self) -> SystemOptions;
    /// The buses of the chip, without the Trace Control Interface, which depends on the system.
    fn buses(&self) -> Buses;
    /// The style of the Verilog.
    fn style(&self) -> Style;
    /// The system, without checking the rules: options without effect are ignored, and [`Circuit::check`] refuses what
    /// is impossible.
    ///
    /// # Errors
    /// The option as it was typed: parameters that no model honours, or a scheme without a circuit.
    fn system(&self) -> Result<System, String>;
}

impl SystemOf for GivenOptions {
    fn options(&self) -> SystemOptions {
        let ingress = Ingress::ALL.into_iter().find(|i| i.name() == self.value("ingress")).unwrap_or(Ingress::Rvfi);
        let log2 = |name| self.value(name).parse::<u32>().map_or(0, |n| n.trailing_zeros() as u8);
        let per_cycle = self.value("retire").parse().unwrap_or(1);
        let several = per_cycle > 1 || ingress == Ingress::Blocks;
        SystemOptions {
            ingress,
            fifo_address_bits: log2("fifo"),
            extras: Extras {
                sync: self.has("sync"),
                check: self.has("check"),
                zcm: self.has("zcm"),
                session: false,
                stall: self.has("stall"),
                filter: self.has("filter"),
                range: self.has("filter-range"),
                space: self.has("filter-space"),
                lost: self.has("count-lost"),
                registered: self.has("registered-ports"),
                time_input: false,
                source_input: false,
                retire: several.then(|| crate::spine::Retire { per_cycle, log2_words: log2("retire-queue") }),
                itype3: self.value("itype") == "3",
                addresses: self.get("address-bits").and_then(|a| a.parse().ok()),
                ingress: 0,
            },
        }
    }

    fn buses(&self) -> Buses {
        let named = |name| self.value(name);
        Buses {
            registers: RegisterBus::ALL.into_iter().find(|b| b.name() == named("bus")).unwrap_or_default(),
            writers: Writers::ALL.into_iter().find(|w| w.name() == named("writes")).unwrap_or_default(),
            words: WordPort::ALL.into_iter().find(|p| p.name() == named("port")).unwrap_or_default(),
            crossing: self.has("port-clock"),
            locked: self.has("lock"),
            tci: None,
        }
    }

    fn style(&self) -> Style {
        Style { name: self.value("module-name").into(), initial: !self.has("no-initial") }
    }

    fn system(&self) -> Result<System, String> {
        let name = self.scheme()?;
        let (cores, xlen) = (self.value("cores").parse().unwrap_or(1), self.value("xlen").parse().unwrap_or(32));
        let platform = self.platform(&name, (cores, xlen, 1));
        let ram = table::ram(self.value("ram")).unwrap_or_default();
        let funnel = if self.has("funnel") { cores } else { 0 };
        let circuit = circuit(&name, &platform, ram, funnel).map_err(|e| self.refused(&e))?;
        let options = self.options();
        let tci = (self.value("control") == "tci").then(|| {
            let sink = match self.buses().words {
                WordPort::Sram => Sink::Sram(self.value("sram-size").parse().unwrap_or_default()),
                WordPort::Memory => Sink::Memory,
                WordPort::Atb => Sink::Atb,
                WordPort::Pib => Sink::Pib,
                WordPort::Native | WordPort::AxiStream | WordPort::Octets | WordPort::Jtag => Sink::None,
            };
            Facts { sink, funnel, ..facts(&*circuit, &options) }
        });
        Ok(System { circuit, options, buses: Buses { tci, ..self.buses() }, style: self.style() })
    }
}

/// What the registers of the Trace Control Interface say about a system.
pub fn facts(circuit: &dyn Circuit, options: &SystemOptions) -> Facts {
    let Extras { sync, stall, filter, lost, check, .. } = options.extras;
    let (cores, id) = (circuit.cores(), id(circuit.cores(), circuit.code()));
    let (protocol, fingerprint, status) = (circuit.protocol(), circuit.fingerprint(), options.status());
    let debug = options.ingress == Ingress::Etrace;
    Facts {
        protocol,
        cores,
        id,
        fingerprint,
        status,
        sync,
        stall,
        filter,
        lost,
        check,
        debug,
        funnel: 0,
        sink: Sink::None,
    }
}

/// The options that describe such a system; used to check calls of the library against the table.
pub fn describe(params: &TraceParams, options: &SystemOptions) -> GivenOptions {
    let extras = &options.extras;
    let mut given = GivenOptions::default();
    let mut value = |name: &str, value: String| {
        if value != find(name).default {
            given = std::mem::take(&mut given).with(name, &value);
        }
    };
    value("scheme", params.flow.name());
    value("cores", params.cores.to_string());
    value("xlen", params.xlen.to_string());
    value("ingress", options.ingress.name().into());
    value("fifo", options.fifo_depth().to_string());
    if let Some(retire) = extras.retire {
        value("retire", retire.per_cycle.to_string());
        value("retire-queue", (1u32 << retire.log2_words).to_string());
    }
    if extras.itype3 {
        value("itype", "3".into());
    }
    if params.align != Platform::RV32.align {
        value("align", params.align.to_string());
    }
    if let Some(bits) = params.context {
        value("context", bits.to_string());
    }
    value("signature", params.signature.to_string());
    if let Some(addresses) = extras.addresses {
        value("address-bits", addresses.to_string());
    }
    for (name, on) in [
        ("sync", extras.sync),
        ("check", extras.check),
        ("zcm", extras.zcm),
        ("stall", extras.stall),
        ("filter", extras.filter),
        ("filter-range", extras.range),
        ("filter-space", extras.space),
        ("count-lost", extras.lost),
        ("registered-ports", extras.registered),
    ] {
        if on {
            given = given.with(name, "");
        }
    }
    given
}
