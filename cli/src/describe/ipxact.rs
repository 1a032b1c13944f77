//! Ports, registers and files in IP-XACT (IEEE 1685-2014)

use super::VERILOG;
use super::{System, VERSION};
use crate::ports::Port;
use sim::regs::RegAccess;
use std::fmt::Write;

/// The smallest address range of a bus, bytes.
const WINDOW: u32 = 4096;

/// A bus of the top module: port prefix, bus type, and signals with the names of ARM's or OpenCores' definitions.
struct Bus {
    prefix: &'static str,
    name: &'static str,
    vlnv: [&'static str; 3],
    abstraction: &'static str,
    master: bool,
    /// Ports whose signal name is not the port's name in capitals.
    other: &'static [(&'static str, &'static str)],
}

/// Buses that have a published definition.
const BUSES: [Bus; 5] = [
    Bus {
        prefix: "s_apb_",
        name: "registers",
        vlnv: ["amba.com", "AMBA4", "APB4"],
        abstraction: "APB4_rtl",
        master: false,
        other: &[("psel", "PSELx")],
    },
    Bus {
        prefix: "s_axil_",
        name: "registers",
        vlnv: ["amba.com", "AMBA4", "AXI4-Lite"],
        abstraction: "AXI4-Lite_rtl",
        master: false,
        other: &[],
    },
    Bus {
        prefix: "m_axi_",
        name: "words",
        vlnv: ["amba.com", "AMBA4", "AXI4"],
        abstraction: "AXI4_rtl",
        master: true,
        other: &[],
    },
    Bus {
        prefix: "m_axis_",
        name: "words",
        vlnv: ["amba.com", "AMBA4", "AXI4Stream"],
        abstraction: "AXI4Stream_rtl",
        master: true,
        other: &[],
    },
    Bus {
        prefix: "m_atb_",
        name: "words",
        vlnv: ["amba.com", "AMBA4", "ATB"],
        abstraction: "ATB_rtl",
        master: true,
        other: &[],
    },
];

impl Bus {
    /// The signal of `port`.
    fn signal(&self, port: &str) -> Option<String> {
        let own = port.strip_prefix(self.prefix)?;
        let other = self.other.iter().find(|o| o.0 == own);
        Some(other.map_or_else(|| own.to_uppercase(), |o| o.1.to_string()))
    }
}

/// Text with XML escapes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An element that contains text.
fn leaf(name: &str, text: impl std::fmt::Display) -> String {
    format!("<ipxact:{name}>{}</ipxact:{name}>", escaped(&text.to_string()))
}

/// `component.xml`.
pub(super) fn text(system: &System) -> String {
    let ports = system.ports();
    let mut s = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    s.push_str(
        "<ipxact:component xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014 \
         http://www.accellera.org/XMLSchema/IPXACT/1685-2014/index.xsd\">\n",
    );
    let of = [("vendor", "goshawk"), ("library", "trace"), ("name", system.name()), ("version", VERSION)];
    of.iter().for_each(|(name, text)| s.push_str(&format!("  {}\n", leaf(name, text))));
    interfaces(&mut s, &ports);
    registers(&mut s, system);
    model(&mut s, system, &ports);
    let _ = writeln!(
        s,
        "  <ipxact:fileSets>\n    <ipxact:fileSet>\n      {}\n      <ipxact:file>\n        {}\n        {}\n      \
         </ipxact:file>\n    </ipxact:fileSet>\n  </ipxact:fileSets>",
        leaf("name", "rtl"),
        leaf("name", VERILOG),
        leaf("fileType", "verilogSource")
    );
    let _ = writeln!(
        s,
        "  {}\n</ipxact:component>",
        leaf("description", format!("Goshawk trace system: {}", system.map.line))
    );
    s
}

fn interfaces(s: &mut String, ports: &[Port]) {
    let there: Vec<_> = BUSES.iter().filter(|b| ports.iter().any(|p| p.name.starts_with(b.prefix))).collect();
    if there.is_empty() {
        return;
    }
    s.push_str("  <ipxact:busInterfaces>\n");
    for bus in there {
        let [vendor, library, name] = bus.vlnv;
        let vlnv = |kind: &str, name: &str| {
            format!("<ipxact:{kind} vendor=\"{vendor}\" library=\"{library}\" name=\"{name}\" version=\"r0p0_0\"/>")
        };
        let _ = writeln!(
            s,
            "    <ipxact:busInterface>\n      {}\n      {}\n      <ipxact:abstractionTypes>\n        \
             <ipxact:abstractionType>\n          {}\n          <ipxact:portMaps>",
            leaf("name", bus.name),
            vlnv("busType", name),
            vlnv("abstractionRef", bus.abstraction)
        );
        for (port, signal) in ports.iter().filter_map(|p| Some((p, bus.signal(&p.name)?))) {
            let _ = writeln!(
                s,
                "            <ipxact:portMap><ipxact:logicalPort>{}</ipxact:logicalPort><ipxact:physicalPort>{}\
                 </ipxact:physicalPort></ipxact:portMap>",
                leaf("name", signal),
                leaf("name", &port.name)
            );
        }
        let mode = match bus.master {
            true => "<ipxact:master/>",
            false => "<ipxact:slave><ipxact:memoryMapRef memoryMapRef=\"registers\"/></ipxact:slave>",
        };
        let _ = writeln!(
            s,
            "          </ipxact:portMaps>\n        </ipxact:abstractionType>\n      </ipxact:abstractionTypes>\n      \
             {mode}\n    </ipxact:busInterface>"
        );
    }
    s.push_str("  </ipxact:busInterfaces>\n");
}

fn registers(s: &mut String, system: &System) {
    let _ = writeln!(
        s,
        "  <ipxact:memoryMaps>\n    <ipxact:memoryMap>\n      {}\n      <ipxact:addressBlock>\n        {}\n        {}\n        \
         {}\n        {}\n        {}",
        leaf("name", "registers"),
        leaf("name", "registers"),
        leaf("baseAddress", 0),
        leaf("range", (4u32 << system.map.addr_bits).max(WINDOW)),
        leaf("width", 32),
        leaf("usage", "register")
    );
    for reg in &system.map.registers {
        let _ = writeln!(
            s,
            "        <ipxact:register>\n          {}\n          {}\n          {}\n          {}\n          {}",
            leaf("name", &reg.name),
            leaf("description", reg.doc),
            leaf("addressOffset", format!("'h{:x}", reg.offset)),
            leaf("size", 32),
            leaf("access", reg.access().map_or("read-write", access))
        );
        for field in &reg.fields {
            let _ = writeln!(
                s,
                "          <ipxact:field>\n            {}\n            {}\n            {}\n            \
                 <ipxact:resets><ipxact:reset>{}</ipxact:reset></ipxact:resets>\n            {}\n            {}",
                leaf("name", field.name),
                leaf("description", field.doc),
                leaf("bitOffset", field.lsb),
                leaf("value", format!("'h{:x}", field.reset)),
                leaf("bitWidth", field.bits),
                leaf("access", access(field.access))
            );
            if field.access == RegAccess::W1c {
                let _ = writeln!(s, "            {}", leaf("modifiedWriteValue", "oneToClear"));
            }
            s.push_str("          </ipxact:field>\n");
        }
        s.push_str("        </ipxact:register>\n");
    }
    s.push_str("      </ipxact:addressBlock>\n    </ipxact:memoryMap>\n  </ipxact:memoryMaps>\n");
}

fn access(access: RegAccess) -> &'static str {
    match access {
        RegAccess::Ro | RegAccess::ReadNext => "read-only",
        RegAccess::Rw | RegAccess::W1c => "read-write",
        RegAccess::Once => "write-only",
    }
}

fn model(s: &mut String, system: &System, ports: &[Port]) {
    let _ = writeln!(
        s,
        "  <ipxact:model>\n    <ipxact:views>\n      <ipxact:view>\n        {}\n        {}\n        {}\n      \
         </ipxact:view>\n    </ipxact:views>\n    <ipxact:instantiations>\n      <ipxact:componentInstantiation>\n        \
         {}\n        {}\n        {}\n        <ipxact:fileSetRef>{}</ipxact:fileSetRef>\n      \
         </ipxact:componentInstantiation>\n    </ipxact:instantiations>\n    <ipxact:ports>",
        leaf("name", "rtl"),
        leaf("envIdentifier", ":*Synthesis:"),
        leaf("componentInstantiationRef", "verilog"),
        leaf("name", "verilog"),
        leaf("language", "verilog"),
        leaf("moduleName", system.name()),
        leaf("localName", "rtl")
    );
    for port in ports {
        let vector = match port.bits {
            1 => String::new(),
            bits => format!(
                "<ipxact:vectors><ipxact:vector>{}{}</ipxact:vector></ipxact:vectors>",
                leaf("left", bits - 1),
                leaf("right", 0)
            ),
        };
        let _ = writeln!(
            s,
            "      <ipxact:port>{}<ipxact:wire>{}{vector}</ipxact:wire></ipxact:port>",
            leaf("name", &port.name),
            leaf("direction", if port.output { "out" } else { "in" })
        );
    }
    s.push_str("    </ipxact:ports>\n  </ipxact:model>\n");
}
