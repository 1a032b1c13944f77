//! Description files of a generated system, read by the tools that they are for

use crate::common::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path of a program that `tools/setup` installs with Python packages.
fn installed(name: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin").join(name);
    if own.exists() {
        own
    } else {
        name.into()
    }
}

/// The output of a program, which must succeed.
fn said(program: impl AsRef<Path>, args: &[&str], at: &Path) -> String {
    let program = program.as_ref();
    let done = Command::new(program).args(args).current_dir(at).output();
    let done = done.unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", program.display()));
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{}: {text}", program.display());
    text
}

/// Systems with and without buses, of both kinds.
const SYSTEMS: [&str; 10] = [
    "--set small --cores 2",
    "--set small --bus apb --port axi-stream --module-name probe",
    "--scheme sc-lsp:rbase-32x4 --bus axi-lite --port atb --port-clock",
    "--scheme inputs:256 --cores 2",
    "--scheme cfiat:1k --cores 2",
    "--set small --bus apb --control tci --sync --stall --check",
    "--scheme ntrace --bus axi-lite --control tci --port sram",
    "--scheme etrace --bus apb --control tci --port axi4-memory",
    "--scheme ntrace --bus apb --control tci --port atb --port-clock",
    "--scheme etrace --cores 2 --bus wishbone --control tci --port pib",
];

fn made(place: &Place, options: &str) -> PathBuf {
    place.good(&format!("gen {options} -o out"));
    place.path().join("out")
}

#[test]
fn a_c_program_knows_the_registers() {
    for options in SYSTEMS.into_iter().filter(|options| !options.contains("tci")) {
        let place = Place::new();
        let out = made(&place, options);
        let name = if options.contains("probe") { "PROBE" } else { "GOSHAWK" };
        let text = format!(
            "#include \"registers.h\"\n#include <stdio.h>\nint main(void)\n{{\n\
             uint32_t window[8] = {{{name}_ID_RESET, {name}_PARAMS_RESET}};\n\
             {lower}_write((uintptr_t)window, {name}_CONTROL_OFFSET, {name}_CONTROL_ENABLE_MASK);\n\
             printf(\"%08x %u %u %x\\n\", {lower}_read((uintptr_t)window, {name}_PARAMS_OFFSET),\n\
             (window[0] & {name}_ID_CORES_MASK) >> {name}_ID_CORES_LSB, window[2], {name}_STATUS_IDLE_MASK);\n}}\n",
            lower = name.to_lowercase()
        );
        std::fs::write(out.join("probe.c"), text).unwrap();
        said("cc", &["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "probe.c", "-o", "probe"], &out);
        let cores = if options.contains("--cores 2") { 2 } else { 1 };
        let fingerprint = fingerprint(&out);
        assert_eq!(said(out.join("probe"), &[], &out), format!("{fingerprint:08x} {cores} 1 4\n"), "{options}");
    }
}

fn fingerprint(out: &Path) -> u32 {
    let text = std::fs::read_to_string(out.join("parameters.json")).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let found = read["parameters"]["fingerprint"].as_str().unwrap_or_else(|| panic!("{text}")).to_string();
    u32::from_str_radix(found.trim_start_matches("0x"), 16).unwrap()
}

/// Registers and fields: path, lowest and highest bit, reset value, and who may write; without fields that other tools
/// add.
const TREE: &str = r"
import sys
from systemrdl import RDLCompiler, RDLListener, RDLWalker
from systemrdl.node import FieldNode
from peakrdl_ipxact import IPXACTImporter
def tree(path):
    rdl = RDLCompiler()
    if path.endswith('.xml'):
        IPXACTImporter(rdl).import_file(path)
    else:
        rdl.compile_file(path)
    out = []
    class Take(RDLListener):
        def enter_Field(self, node):
            reg = node.parent
            out.append((reg.inst_name.removesuffix('_reg'), hex(reg.absolute_address), node.inst_name, node.low, node.high,
                        node.get_property('reset'), node.get_property('sw').name, str(node.get_property('onwrite')),
                        node.get_property('desc')))
    RDLWalker().walk(rdl.elaborate().top, Take())
    return out
rdl, xml = tree('registers.rdl'), tree('component.xml')
assert rdl == xml, [p for p in zip(rdl, xml) if p[0] != p[1]]
print(len(rdl), 'fields')
";

#[test]
fn ip_xact_and_system_rdl_say_the_same() {
    for options in SYSTEMS {
        let place = Place::new();
        let out = made(&place, options);
        let text = said(installed("python3"), &["-c", TREE], &out);
        let fields: u32 = text.split_whitespace().next().unwrap().parse().unwrap();
        assert!(fields >= 10, "{options}: {text}");
    }
}

#[test]
fn ip_xact_maps_every_port_of_a_bus() {
    let place = Place::new();
    let out = made(&place, SYSTEMS[1]);
    let text = std::fs::read_to_string(out.join("component.xml")).unwrap();
    let ports = text.matches("<ipxact:port><ipxact:name>").count();
    let verilog = std::fs::read_to_string(out.join("goshawk_trace.v")).unwrap();
    let head = verilog.split_once("module probe (").unwrap().1.split_once(");").unwrap().0;
    assert_eq!(ports, head.lines().filter(|l| l.contains("wire") || l.contains("reg ")).count());
    for (signal, port) in [("PSELx", "s_apb_psel"), ("PWDATA", "s_apb_pwdata"), ("TREADY", "m_axis_tready")] {
        let map = format!(
            "<ipxact:logicalPort><ipxact:name>{signal}</ipxact:name></ipxact:logicalPort><ipxact:physicalPort>\
             <ipxact:name>{port}</ipxact:name>"
        );
        assert!(text.contains(&map), "{signal}");
    }
    assert_eq!(
        text.matches("<ipxact:portMap>").count(),
        head.matches("s_apb_").count() + head.matches("m_axis_").count()
    );
}

#[test]
fn fusesoc_plays_the_vectors() {
    for options in [SYSTEMS[0], SYSTEMS[1], SYSTEMS[3]] {
        let place = Place::new();
        let out = made(&place, options);
        let name = if options.contains("probe") { "probe" } else { "goshawk" };
        let run = |target: &str| {
            let vlnv = format!("::{name}");
            said(installed("fusesoc"), &["--cores-root", ".", "run", "--target", target, &vlnv], &out)
        };
        assert!(run("sim").contains("PASS"), "{options}");
        run("lint");
    }
}

#[test]
fn verilator_reports_nothing_that_is_not_waived() {
    for options in SYSTEMS {
        let place = Place::new();
        let out = made(&place, options);
        let top = if options.contains("probe") { "probe" } else { "goshawk" };
        let lint = ["--lint-only", "-Wall", "--top-module", top];
        assert_eq!(said("verilator", &[&lint[..], &["lint.vlt", "-F", "files.f"]].concat(), &out), "", "{options}");
        // without the waivers there are messages: the list of files is read
        let bare = Command::new("verilator").args(lint).args(["-F", "files.f"]).current_dir(&out).output().unwrap();
        assert!(String::from_utf8_lossy(&bare.stderr).contains("DECLFILENAME"), "{options}");
    }
}

#[test]
fn waivers_of_other_tools_are_commands_of_tcl_with_the_reasons_of_verilators() {
    const RUN: &str = "proc waive {args} {puts [lindex $args end]}\nproc create_waiver {args} {puts [lindex $args end]}\nsource [lindex $argv 0]";
    let place = Place::new();
    let out = made(&place, SYSTEMS[0]);
    std::fs::write(out.join("run.tcl"), RUN).unwrap();
    let verilator = std::fs::read_to_string(out.join("lint.vlt")).unwrap();
    for (file, waivers) in [("lint.swl", 2), ("lint.xdc", 2)] {
        let reasons = said("tclsh", &["run.tcl", file], &out);
        assert_eq!(reasons.lines().count(), waivers, "{file}: {reasons}");
        assert!(reasons.lines().all(|why| verilator.contains(&format!("// {why}\n"))), "{file}: {reasons}");
    }
}

#[test]
fn bender_finds_the_files() {
    const READ: &str = "import sys, yaml\nm = yaml.safe_load(open('Bender.yml'))\n\
        print(m['package']['name'], *[f for s in m['sources'] for f in s['files']])";
    for (options, files) in [(SYSTEMS[1], "goshawk_trace.v goshawk_tb.v"), (SYSTEMS[3], "goshawk_trace.v goshawk_tb.v")]
    {
        let place = Place::new();
        let out = made(&place, options);
        let name = if options.contains("probe") { "probe" } else { "goshawk" };
        assert_eq!(said(installed("python3"), &["-c", READ], &out), format!("{name} {files}\n"), "{options}");
        assert!(files.split(' ').all(|f| out.join(f).exists()), "{options}");
    }
}

/// Commands of SDC that print what they are about, as far as the registers exist: those of `goshawk_crossing` in the
/// Verilog, each a cell `crossing/NAME_reg`.
const SDC: &str = r"
set text [read [open goshawk_trace.v]]
regexp {module goshawk_crossing .*?endmodule} $text text
foreach {all name} [regexp -all -inline {\mreg +(?:\[[0-9:]+\] +)?(\w+);} $text] { lappend cells ${goshawk_path}crossing/${name}_reg }
proc get_clocks name { return clock:$name }
proc get_cells pattern {
    set found [lsearch -all -inline -glob $::cells $pattern]
    if {$found eq {}} { error no-cell:$pattern }
    return $found
}
proc set_max_delay args { puts $args }
source crossing.sdc
";

#[test]
fn constraints_name_the_registers_that_cross() {
    let place = Place::new();
    let out = made(&place, SYSTEMS[2]);
    std::fs::write(out.join("read.tcl"), format!("set goshawk_path soc/trace/\n{SDC}")).unwrap();
    let found = said("tclsh", &["read.tcl"], &out);
    let want = "10.0 -from soc/trace/crossing/written_gray_reg -to soc/trace/crossing/written_near_reg\n\
                10.0 -from soc/trace/crossing/read_gray_reg -to soc/trace/crossing/read_near_reg\n\
                10.0 -from {soc/trace/crossing/slot0_reg soc/trace/crossing/slot1_reg soc/trace/crossing/slot2_reg \
                soc/trace/crossing/slot3_reg} -to clock:port_clock\n";
    assert_eq!(found, want);
    let vivado = "set goshawk_path {}\nset goshawk_options -datapath_only\nset goshawk_port_period 4.0\n";
    std::fs::write(out.join("read.tcl"), format!("{vivado}{SDC}")).unwrap();
    let found = said("tclsh", &["read.tcl"], &out);
    assert!(found.starts_with("-datapath_only 4.0 -from crossing/written_gray_reg"), "{found}");

    let other = Place::new();
    assert!(!made(&other, SYSTEMS[1]).join("crossing.sdc").exists(), "one clock has no crossing");
}

#[test]
fn fusesoc_generates_the_system_that_a_flag_selects() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/fusesoc");
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, place.path().join(path.file_name().unwrap())).unwrap();
    }
    // the generator calls `goshawk` of the PATH
    let command = assert_cmd::cargo::cargo_bin("goshawk");
    let folders = [command.parent().unwrap().to_path_buf(), installed("fusesoc").parent().unwrap().to_path_buf()];
    let rest = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&rest))).unwrap();
    for (flags, port) in [(&[][..], " bus_addr"), (&["--flag", "axi"][..], " m_axis_tdata")] {
        let args = [&["--cores-root", ".", "run", "--target", "lint"], flags, &["::traced"]].concat();
        let done = Command::new(installed("fusesoc")).args(args).env("PATH", &path).current_dir(place.path()).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let build = place.path().join("build/traced_0.1.0/lint-verilator/src");
        let name = if flags.is_empty() { "traced-native_0.1.0" } else { "traced-axi_0.1.0" };
        let text = std::fs::read_to_string(build.join(name).join("goshawk_trace.v")).unwrap();
        let head = text.split_once(");").unwrap().0;
        assert!(head.contains(port), "{name}: {head}");
    }
}

/// Mode 3, running in debug mode, too, enabled, 32 bits; all zeros where messages have no time. It is written where there is a unit.
#[test]
fn a_register_says_which_times_messages_have() {
    for (options, access, value) in [
        ("--scheme ntrace --timestamps", "by field", "0x2000803a"),
        ("--set small --timestamps", "read only", "0x2000803a"),
        ("--scheme ntrace", "read only", "0x00000000"),
        ("--scheme etrace --timestamps", "by field", "0x2000803a"),
        ("--scheme etrace", "read only", "0x00000000"),
    ] {
        let place = Place::new();
        let out = made(&place, &format!("{options} --control tci"));
        let text = std::fs::read_to_string(out.join("registers.md")).unwrap();
        assert!(text.contains(&format!("| `ts_control` | {access} | {value} |")), "{options}: {text}");
    }
}
