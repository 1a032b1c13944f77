//! Files for the flows of a chip: file lists, waivers of lint messages, constraints of the clock crossing

use super::{System, VERILOG, VERSION};
use crate::testbench::FILE as BENCH;

/// What crosses between the clocks of [`hdl::bus::crossing`]: purpose, first register, register that receives it (or any of the
/// clock: the words leave by wires), and whether it goes to `port_clock`.
const PATHS: [(&str, &str, Option<&str>, bool); 3] = [
    ("number of written words, in Gray code", "written_gray", Some("written_near"), true),
    ("number of read words, in Gray code", "read_gray", Some("read_near"), false),
    ("words, which do not change while they are read", "slot", None, true),
];

/// A message of lint tools that is intended.
struct Intended {
    why: &'static str,
    /// Rule of `verilator -Wall`.
    verilator: &'static str,
    /// Rules of SpyGlass.
    spyglass: &'static str,
    /// Rules of the linter of Vivado; it has none about the names of files.
    vivado: &'static [&'static str],
}

const INTENDED: [Intended; 2] = [
    Intended {
        why: "all modules are in one file, so that a system is one file",
        verilator: "DECLFILENAME",
        spyglass: "STARC05-1.1.1.1",
        vivado: &[],
    },
    Intended {
        why: "ports and register bits that only some options use are the same with all options",
        verilator: "UNUSEDSIGNAL",
        spyglass: "W240 W528",
        vivado: &["ASSIGN-6", "ASSIGN-10"],
    },
];

/// File list for simulators and synthesis.
pub(super) const LIST: &str = "files.f";
/// Waivers for Verilator.
pub(super) const WAIVERS: &str = "lint.vlt";
/// Waivers for SpyGlass.
pub(super) const SPYGLASS: &str = "lint.swl";
/// Waivers for Vivado.
pub(super) const VIVADO: &str = "lint.xdc";
/// Constraints of the clock crossing.
pub(super) const CONSTRAINTS: &str = "crossing.sdc";

/// `files.f`: paths are relative to its folder, as `-F` of Verilator, VCS, Xcelium and Questa takes them.
pub(super) fn list(system: &System) -> String {
    format!("// {}: {}\n{VERILOG}\n", system.name(), system.map.line)
}

/// `Bender.yml`: the sources, and with target `test` the bench.
pub(super) fn bender(system: &System) -> String {
    let mut s = format!(
        "# {}\npackage:\n  name: {}\n\nsources:\n  - files:\n      - {VERILOG}\n",
        system.map.line,
        system.name()
    );
    if system.file(BENCH).is_some() {
        s.push_str(&format!("  - target: test\n    files:\n      - {BENCH}\n"));
    }
    s
}

/// `lint.vlt`: the messages of `verilator -Wall` that are intended.
pub(super) fn waivers(system: &System) -> String {
    let mut s = format!(
        "// Intended messages of `verilator --lint-only -Wall` for {} {VERSION}\n`verilator_config\n",
        system.name()
    );
    for Intended { why, verilator, .. } in &INTENDED {
        s.push_str(&format!("// {why}\nlint_off -rule {verilator} -file \"*{VERILOG}\"\n"));
    }
    s
}

/// `lint.swl`: the same for SpyGlass.
pub(super) fn spyglass(system: &System) -> String {
    let mut s =
        format!("# Intended messages of SpyGlass for {} {VERSION}: read_file -type waiver {SPYGLASS}\n", system.name());
    for Intended { why, spyglass, .. } in &INTENDED {
        s.push_str(&format!("waive -file {{*{VERILOG}}} -rule {{{spyglass}}} -comment {{{why}}}\n"));
    }
    s
}

/// `lint.xdc`: the same for the linter of Vivado.
pub(super) fn vivado(system: &System) -> String {
    let mut s = format!(
        "# Intended messages of `synth_design -lint` of Vivado for {} {VERSION}: read_xdc {VIVADO}\n",
        system.name()
    );
    for Intended { why, vivado, .. } in &INTENDED {
        for id in *vivado {
            s.push_str(&format!("create_waiver -type LINT -id {id} -rtl_file {{*{VERILOG}}} -description {{{why}}}\n"));
        }
    }
    s
}

/// `crossing.sdc`: what crosses between the clocks of the system and of its words, each path shorter than a period of the
/// clock that receives it.
pub(super) fn constraints(system: &System) -> String {
    let mut s = format!(
        "# Constraints of the clock crossing of {} (--port-clock), to read after the clocks are defined\n\
         #\n\
         # goshawk_path                         instance, with a slash at its end; empty if it is the top module\n\
         # goshawk_clock, goshawk_port_clock    names of the clocks at the ports `clock` and `port_clock`\n\
         # goshawk_period, goshawk_port_period  their periods, in the time unit of the tool\n\
         # goshawk_options                      {{-datapath_only}} in Vivado, {{-ignore_clock_latency}} in Design Compiler\n\
         #\n\
         # The clocks must not be in asynchronous groups (set_clock_groups): a group has precedence over these delays.\n\
         foreach {{name value}} {{\n    goshawk_path {{}} goshawk_clock clock goshawk_port_clock port_clock\n    \
         goshawk_period 10.0 goshawk_port_period 10.0 goshawk_options {{}}\n}} {{\n    \
         if {{![info exists $name]}} {{ set $name $value }}\n}}\n",
        system.name()
    );
    for (what, from, to, leaves) in PATHS {
        let port = if leaves { "port_" } else { "" };
        let cells = |register: &str| format!("[get_cells ${{goshawk_path}}crossing/{register}_reg*]");
        let first = if to.is_some() { cells(from) } else { cells(&format!("{from}*")) };
        let to = to.map_or_else(|| format!("[get_clocks $goshawk_{port}clock]"), cells);
        s.push_str(&format!(
            "\n# {what}\nset_max_delay {{*}}$goshawk_options $goshawk_{port}period \\\n    -from {first} \\\n    -to {to}\n"
        ));
    }
    s
}
