//! Files for FuseSoC (CAPI2)

use super::flows::WAIVERS;
use super::{System, VERILOG, VERSION};
use crate::testbench::FILE as BENCH;
use crate::vectors::sessions::{SCRIPT, WORDS};
use std::fmt::Write;

/// `fusesoc.core`: target `default` for designs that depend on it, `lint` for Verilator, and `sim`, which plays the
/// vectors in Icarus, if there is a bench.
pub(super) fn text(system: &System) -> String {
    let name = system.name();
    let mut s =
        format!("CAPI=2:\n\nname: ::{name}:{VERSION}\ndescription: \"Goshawk trace system: {}\"\n", system.map.line);
    let _ = write!(s, "\nfilesets:\n  rtl:\n    files:\n      - {VERILOG}\n    file_type: verilogSource\n");
    let _ = write!(s, "  waivers:\n    files:\n      - {WAIVERS}: {{file_type: vlt}}\n");
    // on a bus, the bench is that of the inner system
    let bench = system.file(BENCH).and_then(|text| text.split_once("\nmodule ")?.1.split([';', ' ']).next());
    if bench.is_some() {
        let _ = write!(s, "  bench:\n    files:\n      - {BENCH}: {{file_type: verilogSource}}\n");
        for vectors in ["beats.txt", "words.hex", SCRIPT, WORDS].into_iter().filter(|name| system.file(name).is_some())
        {
            let _ = writeln!(s, "      - {vectors}: {{file_type: user, copyto: {vectors}}}");
        }
    }
    let _ = write!(s, "\ntargets:\n  default:\n    filesets: [rtl]\n    toplevel: {name}\n");
    let _ = write!(
        s,
        "  lint:\n    default_tool: verilator\n    filesets: [rtl, waivers]\n    toplevel: {name}\n    \
         tools:\n      verilator:\n        mode: lint-only\n        verilator_options: [-Wall]\n"
    );
    if let Some(top) = bench {
        let _ = write!(s, "  sim:\n    default_tool: icarus\n    filesets: [rtl, bench]\n    toplevel: {top}\n");
    }
    s
}
