//! Descriptions of a generated trace system for design tools: registers for C, files for FuseSoC, Bender and simulators,
//! ports, registers and files for IP-XACT, waivers for lint, and constraints of the clock crossing
//!
//! Registers and fields come from [`sim::regmap`], ports from the emitted Verilog.

mod flows;
mod fusesoc;
mod header;
mod ipxact;

use crate::ports::{ports, Port};
use hdl::bus::wrap::Buses;
use hdl::verilog::Style;
use sim::regmap::Map;

/// Name of the Verilog file.
pub const VERILOG: &str = "goshawk_trace.v";

/// A file: name, text, description.
pub type File = (&'static str, String, String);

/// The properties of a system that its descriptions use.
struct System<'a> {
    /// Style, with the name of the top module.
    pub style: &'a Style,
    /// Its registers.
    pub map: &'a Map,
    /// Its other files.
    pub files: &'a [File],
}

impl System<'_> {
    /// The ports of its top module.
    fn ports(&self) -> Vec<Port> {
        ports(self.file(VERILOG).unwrap_or_default(), &self.style.name)
    }

    /// Name in VLNV and in the texts: that of the top module.
    fn name(&self) -> &str {
        &self.style.name
    }

    /// Text of a file, if it exists.
    fn file(&self, name: &str) -> Option<&str> {
        Some(self.files.iter().find(|f| f.0 == name)?.1.as_str())
    }
}

/// Adds the description files to those of a system with the registers of `map`.
pub fn describe(files: &mut Vec<File>, style: &Style, map: &Map, buses: &Buses) {
    let system = System { style, map, files };
    let mut more = vec![
        ("registers.h", header::text(&system), "register map for C".into()),
        ("fusesoc.core", fusesoc::text(&system), "files and targets for FuseSoC".into()),
        ("Bender.yml", flows::bender(&system), "files for Bender".into()),
        (flows::LIST, flows::list(&system), "file list: -F of Verilator, Questa, VCS and Xcelium".into()),
        (flows::WAIVERS, flows::waivers(&system), "waivers for verilator -Wall".into()),
        (flows::SPYGLASS, flows::spyglass(&system), "waivers for SpyGlass".into()),
        (flows::VIVADO, flows::vivado(&system), "waivers for the linter of Vivado".into()),
        ("component.xml", ipxact::text(&system), "ports, registers and files in IP-XACT".into()),
    ];
    if buses.crossing {
        let what = "constraints between clock and port_clock, in SDC";
        more.push((flows::CONSTRAINTS, flows::constraints(&system), what.into()));
    }
    files.extend(more);
}

/// Version in VLNV.
const VERSION: &str = env!("CARGO_PKG_VERSION");
