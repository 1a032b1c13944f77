//! Documentation of a generated trace system's ports: a table, and an instance to copy
//!
//! Names, directions and widths are read from the emitted Verilog, so they match the circuit.

use hdl::verilog::Style;
use std::fmt::Write;

/// Name of the file.
pub const FILE: &str = "ports.md";

/// Descriptions of ports, by name without the core number, and what an instance connects them to.
const MEANINGS: [Meaning; 36] = [
    ("clock", "all signals are sampled and change at its rising edge", "clk"),
    ("reset", "synchronous, active high, at least one cycle", "reset"),
    ("rvfi_valid", "1: the other signals describe an instruction that retires or traps", "core@_rvfi_valid"),
    ("rvfi_insn", "instruction bits; a 2-byte instruction is in the low half", "core@_rvfi_insn"),
    (
        "rvfi_trap",
        "1: the instruction traps; it does not retire, and the next one that retires is the first of a handler",
        "core@_rvfi_trap",
    ),
    ("rvfi_intr", "1: first instruction of a trap handler", "core@_rvfi_intr"),
    ("rvfi_pc_rdata", "instruction address", "core@_rvfi_pc_rdata"),
    ("rvfi_pc_wdata", "address of the next instruction; the handler's address for a trap", "core@_rvfi_pc_wdata"),
    ("retire_valid", "1: an instruction retires", "core@_valid"),
    ("retire_insn", "instruction bits; a 2-byte instruction is in the low half", "core@_insn"),
    ("retire_pc", "instruction address", "core@_pc"),
    ("itype", "termination type, 4-bit `itype` of the E-Trace specification", "core@_itype"),
    (
        "iaddr",
        "address of the first instruction; for a trap without an instruction, the address at which the hart would have continued",
        "core@_iaddr",
    ),
    ("iretire", "number of halfwords that retire; 0: none", "core@_iretire"),
    ("ilastsize", "size of the last instruction; 0: 2 bytes, 1: 4 bytes", "core@_ilastsize"),
    ("icount", "number of instructions; ignored without the C extension", "core@_icount"),
    (
        "context_id",
        "address space number in the low 16 bits, used with contexts and with a filter by address space; otherwise ignored",
        "core@_context",
    ),
    ("trigger", "not used", "4'd0"),
    ("halted", "1: the hart is in debug mode; the next instruction starts as after a trap", "core@_halted"),
    ("hart_reset", "1: the hart is in reset; the next instruction starts as after a trap", "core@_reset"),
    ("cause", "not used", "5'd0"),
    ("tval", "not used", "{XLEN{1'b0}}"),
    ("privilege", "privilege mode, used with contexts and with a filter; otherwise ignored", "core@_privilege"),
    ("hide", "1: instructions that retire in this cycle are not traced (docs/how-to/filters.md)", "core@_hide"),
    ("mode", "privilege mode of the instruction, `rvfi_mode`", "core@_rvfi_mode"),
    ("space", "address space number of the instruction, for example the ASID of `satp`; the low bits that `--context` names are reported (docs/how-to/contexts.md)", "core@_asid"),
    (
        "stall",
        "1: stall the core: half of its FIFO is used, or its queue fills (docs/explanation/trace-module.md); if ignored, instructions can be lost",
        "core@_stall",
    ),
    ("filter_first", "lowest address that is traced (docs/how-to/filters.md)", "core@_filter_first"),
    ("filter_last", "highest address that is traced", "core@_filter_last"),
    (
        "filter_space",
        "address space number that is traced, in the bits that are 1 in `filter_mask`",
        "core@_filter_space",
    ),
    ("filter_mask", "0: all address spaces are traced", "core@_filter_mask"),
    (
        "allow_modes",
        "bit m: instructions of privilege mode m may be traced, if register `control` selects them (docs/how-to/filters.md)",
        "core@_allow_modes",
    ),
    ("bus_addr", "register number (registers.md)", "bus_addr"),
    ("bus_write", "1: write `bus_wdata` to the register at this edge", "bus_write"),
    ("bus_wdata", "data to write", "bus_wdata"),
    ("bus_rdata", "content of the register selected by `bus_addr` at the previous edge", "bus_rdata"),
];
/// Ports of the trace words.
const WORDS: [Meaning; 3] = [
    ("valid", "1: `data` has a trace word; it stays until `ready`", "trace_valid"),
    ("ready", "1: the word is taken at this edge if `valid`", "trace_ready"),
    ("data", "trace word, in stream order", "trace_data"),
];

/// Prefixes of ports of standard buses, with the standard.
const BUSES: [(&str, &str); 20] = [
    ("s_apb_paddr", "byte address of a register; bits 1:0 are ignored"),
    ("s_apb_pstrb", "4'b1111 in a write; another value gives PSLVERR"),
    ("s_apb_pprot", "bit 0: privileged, bit 1: not secure; checked as `--writes` selects, otherwise ignored"),
    ("s_axil_wstrb", "4'b1111; another value gives SLVERR"),
    ("s_axil_awprot", "bit 0: privileged, bit 1: not secure; checked as `--writes` selects, otherwise ignored"),
    ("s_axil_arprot", "ignored"),
    ("s_apb_", "AMBA APB4, registers (docs/reference/buses.md)"),
    ("s_axil_", "AMBA AXI4-Lite, registers (docs/reference/buses.md)"),
    ("wb_", "Wishbone B4, registers (docs/reference/buses.md)"),
    ("m_axi_", "AMBA AXI4, trace words into memory (docs/reference/buses.md)"),
    ("memory_irq", "interrupt: a bit of `memory_interrupt`, with `--control tci` of `goshawk_ram_events`, is 1 (docs/reference/buses.md)"),
    ("m_axis_", "AMBA AXI4-Stream, trace words (docs/reference/buses.md)"),
    ("m_atb_atid", "AMBA ATB, ID of the word: field `id` of `atb_control` (docs/reference/tci.md)"),
    ("m_atb_", "AMBA ATB, trace words (docs/reference/buses.md)"),
    ("trc_clk", "TRC_CLK of the pins for a trace probe: parallel modes (docs/reference/tci.md)"),
    (
        "trc_data",
        "TRC_DATA of the pins for a trace probe, from bit 0 on as many as the mode uses; serial modes: bit 0 (docs/reference/tci.md)",
    ),
    ("byte_", "trace words as bytes (docs/reference/buses.md)"),
    ("jtag_", "test access port, IEEE 1149.1 (docs/reference/buses.md)"),
    (
        "bus_read",
        "1: the register at `bus_addr` is read, in the cycle of the address or in the next one (docs/reference/tci.md)",
    ),
    ("allow", "1: tracing may start and continue; synchronous to `clock` (docs/how-to/security.md)"),
];
/// Ports of a second clock.
const CROSSING: [(&str, &str); 2] = [
    ("port_clock", "clock of the trace words"),
    ("port_reset", "synchronous to `port_clock`; high together with `reset` over an edge of both"),
];

/// Name of a port without the core number, its description, and what an instance connects it to.
pub type Meaning = (&'static str, &'static str, &'static str);

/// A port of the emitted module.
pub struct Port {
    /// Name in Verilog.
    pub name: String,
    /// Whether it is an output.
    pub output: bool,
    /// Width, bits.
    pub bits: u32,
}

impl Port {
    /// The name without the core number, and that number.
    fn base(&self) -> (&str, Option<u32>) {
        let numbered = self.name.rsplit_once('_').and_then(|(base, n)| Some((base, n.parse().ok()?)));
        numbered.map_or((&self.name, None), |(base, n)| (base, Some(n)))
    }

    /// For a core that retires several per cycle: the port without its channel or block number, and that number;
    /// `rvfi1_insn` has 1.
    fn channel(&self) -> Option<(String, &str)> {
        let base = self.base().0;
        let (rest, prefix) = base
            .strip_prefix("rvfi")
            .map(|rest| (rest, "rvfi_"))
            .or_else(|| Some((base.strip_prefix("block")?, "")))?;
        let (number, port) = rest.split_once('_')?;
        number.parse::<u8>().ok()?;
        Some((format!("{prefix}{port}"), number))
    }

    /// Its description, and its connection; `own` precedes the descriptions common to all systems.
    fn meaning(&self, own: &[Meaning]) -> (&'static str, &str) {
        let base = self.channel().map_or_else(|| self.base().0.to_string(), |(port, _)| port);
        let of = |list: &[Meaning]| list.iter().find(|m| m.0 == base).map(|m| (m.1, m.2));
        let named =
            |&(name, meaning): &(&str, &'static str)| (self.name == name).then_some((meaning, self.name.as_str()));
        let begins = |&(name, meaning): &(&str, &'static str)| {
            self.name.starts_with(name).then_some((meaning, self.name.as_str()))
        };
        let of_buses = || CROSSING.iter().find_map(named).or_else(|| BUSES.iter().find_map(begins));
        of(own).or_else(|| of(&MEANINGS)).or_else(|| of(&WORDS)).or_else(of_buses).unwrap_or_default()
    }
}

/// The ports of the module `name`, in their order.
pub fn ports(verilog: &str, name: &str) -> Vec<Port> {
    let head = format!("module {name} (\n");
    let body = verilog.split_once(&head).and_then(|(_, rest)| rest.split_once(");")).map_or("", |(body, _)| body);
    let port = |line: &str| {
        let mut words = line.trim().trim_end_matches(',').split_whitespace();
        let output = words.next()? == "output";
        let words: Vec<&str> = words.filter(|w| *w != "wire" && *w != "reg").collect();
        let width = words.iter().find_map(|w| w.strip_prefix('[')?.split(':').next()?.parse::<u32>().ok());
        Some(Port { name: words.last()?.to_string(), output, bits: width.map_or(1, |msb| msb + 1) })
    };
    body.lines().filter_map(port).collect()
}

/// The table and the instance for the system in `verilog`.
pub fn markdown(verilog: &str, style: &Style, xlen: u8) -> String {
    markdown_with(verilog, style, xlen, "trace", &[])
}

/// As [`markdown`], with the name of the instance and additional descriptions.
pub fn markdown_with(verilog: &str, style: &Style, xlen: u8, instance: &str, own: &[Meaning]) -> String {
    let ports = ports(verilog, &style.name);
    let cores = ports.iter().filter_map(|p| p.base().1).max().map_or(0, |last| last + 1);
    let mut text = format!("# Ports of `{}`\n\n", style.name);
    let _ = writeln!(text, "`i` is the number of a core, 0 to {}.\n", cores.saturating_sub(1));
    if ports.iter().any(|p| p.channel().is_some()) {
        text.push_str("Of the instructions of one cycle, the older is in the channel with the lower number: `rvfi0` or `block0` is the oldest.\n\n");
    }
    text.push_str("| port | dir | bits | meaning |\n| --- | --- | ---: | --- |\n");
    for port in ports.iter().filter(|p| p.base().1.is_none_or(|core| core == 0)) {
        let (base, core) = port.base();
        let (dir, i) = (if port.output { "out" } else { "in" }, if core.is_some() { "_i" } else { "" });
        let _ = writeln!(text, "| `{base}{i}` | {dir} | {} | {} |", port.bits, port.meaning(own).0);
    }
    if text.contains("docs/") {
        text.push_str("\nPages in `docs/` are those of Goshawk's repository.\n");
    }
    let _ = writeln!(text, "\n## An instance\n\n```verilog\n{} {instance} (", style.name);
    for (i, port) in ports.iter().enumerate() {
        let core = port.base().1.map_or(String::new(), |n| n.to_string());
        let to = port.meaning(own).1.replace('@', &core).replace("XLEN", &xlen.to_string());
        let to = match port.channel() {
            Some((port, n)) if port.starts_with("rvfi") => to.replacen("_rvfi_", &format!("_rvfi{n}_"), 1),
            Some((_, n)) => to.replacen('_', &format!("_block{n}_"), 1),
            None => to,
        };
        let _ = writeln!(text, "    .{}({to}){}", port.name, if i + 1 < ports.len() { "," } else { "" });
    }
    text.push_str(");\n```\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::emit::{emit_as, Ingress, SystemOptions};
    use hdl::spine::Extras;
    use sim::params::{Platform, TraceParams};
    use std::collections::HashSet;

    #[test]
    fn every_port_has_a_meaning_and_every_meaning_a_port() {
        let mut named = HashSet::new();
        for ingress in [Ingress::Rvfi, Ingress::Etrace, Ingress::Blocks, Ingress::PcChain] {
            let filter = ingress == Ingress::Rvfi;
            let platform = Platform { cores: 2, context: filter.then_some(4), ..Platform::RV32 };
            let params = TraceParams::new(platform, "tr_e:s0".parse().unwrap());
            let style = Style { name: "acme".into(), initial: true };
            let blocks = ingress == Ingress::Blocks;
            let retire = blocks.then_some(hdl::spine::Retire { per_cycle: 1, log2_words: 3 });
            let extras = Extras { stall: !blocks, filter, range: filter, space: filter, retire, ..Extras::default() };
            let options = SystemOptions { ingress, extras, ..SystemOptions::default() };
            let verilog = emit_as(&params, &options, &style).unwrap();
            let found = ports(&verilog, "acme");
            assert!(found.len() > 10, "{} ports", found.len());
            for port in &found {
                assert!(!port.meaning(&[]).0.is_empty(), "{} has no meaning", port.name);
                named.insert(port.base().0.to_string());
            }
        }
        let all = MEANINGS.iter().chain(&WORDS).map(|m| m.0.to_string()).collect();
        assert_eq!(named, all);
    }

    #[test]
    fn channels_of_several_instructions_a_clock_are_connected_each() {
        let params = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, "tr_e:s0".parse().unwrap());
        let style = Style { name: "acme".into(), initial: true };
        let retire = Some(hdl::spine::Retire { per_cycle: 4, log2_words: 3 });
        let extras = Extras { retire, ..Extras::default() };
        let verilog = emit_as(&params, &SystemOptions { extras, ..SystemOptions::default() }, &style).unwrap();
        let found = ports(&verilog, "acme");
        assert_eq!(found.iter().filter(|p| p.channel().is_some_and(|c| c.1 == "3")).count(), 12);
        assert!(found.iter().all(|p| !p.meaning(&[]).0.is_empty()));
        let text = markdown(&verilog, &style, 32);
        assert!(text.contains("| `rvfi3_insn_i` | in | 32 | instruction bits"), "{text}");
        assert!(text.contains("    .rvfi2_trap_1(core1_rvfi2_trap),\n"), "{text}");
        let retire = Some(hdl::spine::Retire { per_cycle: 2, log2_words: 3 });
        let options = SystemOptions {
            ingress: Ingress::Blocks,
            extras: Extras { retire, ..Extras::default() },
            fifo_address_bits: 4,
        };
        let text = markdown(&emit_as(&params, &options, &style).unwrap(), &style, 32);
        assert!(text.contains("| `block1_iretire_i` | in | 4 | number of halfwords"), "{text}");
        assert!(text.contains("    .block1_itype_1(core1_block1_itype),\n"), "{text}");
    }

    #[test]
    fn ports_of_buses_have_meanings() {
        use hdl::bus::wrap::{Buses, RegisterBus, WordPort};
        use sim::tci::{Facts, Sink};
        let params = TraceParams::new(Platform::RV32, "tr_e:s0".parse().unwrap());
        let style = Style { name: "acme".into(), initial: true };
        // every word port, and every register bus at least once
        for (registers, words) in RegisterBus::ALL.into_iter().cycle().zip(WordPort::ALL) {
            let registers = if words.works_with(registers) { registers } else { RegisterBus::Jtag };
            let options = SystemOptions::default();
            let locked = Buses { registers, words, crossing: words.crosses(), locked: true, ..Buses::default() };
            let buses = match words {
                WordPort::Sram | WordPort::Pib => {
                    let sink = if words == WordPort::Pib { Sink::Pib } else { Sink::Sram(1024) };
                    let tci = Facts { sink, ..hdl::options::facts(&params, &options) };
                    Buses { registers: RegisterBus::Native, locked: false, tci: Some(tci), ..locked }
                }
                _ => locked,
            };
            let verilog = hdl::emit::emit_on(&params, &options, &style, buses).unwrap();
            let found = ports(&verilog, "acme");
            assert!(found.len() > 12, "{} ports", found.len());
            for port in &found {
                assert!(!port.meaning(&[]).0.is_empty(), "{} has no meaning", port.name);
            }
        }
    }

    /// A port of a part that nothing is connected to would be one of the system.
    #[test]
    fn ports_of_systems_with_a_funnel_have_meanings() {
        use hdl::options::SystemOf;
        use options::GivenOptions;
        let systems =
            [("native", "sram"), ("apb", "axi4-memory"), ("axi-lite", "atb"), ("wishbone", "pib"), ("apb", "bytes")];
        for (bus, port) in systems {
            let common =
                [("scheme", "ntrace"), ("cores", "3"), ("ingress", "etrace"), ("control", "tci"), ("funnel", "")];
            let own = [("bus", bus), ("port", port), ("stall", ""), ("timestamps", "")];
            let all = common.iter().chain(&own);
            let given = all.fold(GivenOptions::default(), |given, (name, value)| given.with(name, value));
            // the words of all may leave with a clock of their own
            let given = if port == "bytes" { given.with("port-clock", "") } else { given };
            let system = given.system().unwrap();
            let verilog = hdl::emit::emit_on(&*system.circuit, &system.options, &system.style, system.buses).unwrap();
            let found = ports(&verilog, &system.style.name);
            assert!(found.len() > 30, "{} ports", found.len());
            for port in &found {
                assert!(!port.meaning(&[]).0.is_empty(), "{} has no meaning", port.name);
            }
        }
    }

    #[test]
    fn the_table_and_the_instance_of_a_small_module() {
        let verilog = "module t (\n    input  wire        clock,\n    input  wire [31:0] rvfi_insn_0,\n    \
                       input  wire [31:0] rvfi_insn_1,\n    output wire        valid\n);\n";
        let text = markdown(verilog, &Style { name: "t".into(), initial: true }, 32);
        assert!(text.contains("| `rvfi_insn_i` | in | 32 | instruction bits"), "{text}");
        assert!(text.contains("    .rvfi_insn_1(core1_rvfi_insn),\n    .valid(trace_valid)\n);"), "{text}");
        assert_eq!(text.matches("\n| `").count(), 3);
    }
}
