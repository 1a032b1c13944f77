//! Emitted Verilog does not change unnoticed: two complete systems, and many more by their CRC-32
//!
//! A change of a circuit changes `tests/verilog`, to be reviewed as a diff.

mod kinds;

use hdl::diag::node::tick::Tick;
use hdl::emit::{emit, emit_as, Ingress, SystemOptions};
use hdl::spine::Extras;
use hdl::verilog::{write as write_verilog, Style};
use kinds::kinds;
use rust_hdl::prelude::Block;
use sim::params::{Platform, TraceParams};
use std::fmt::Write;

const RV32: Platform = Platform::RV32;
const RVFI: SystemOptions = SystemOptions { ingress: Ingress::Rvfi, fifo_address_bits: 8, extras: Extras::NONE };

fn verilog(name: &str, platform: &Platform, options: &SystemOptions) -> String {
    let params = TraceParams::new(*platform, name.parse().unwrap());
    emit(&params, options).unwrap()
}

/// The Verilog without the comment at the top, which contains the version.
fn body(verilog: &str) -> &str {
    let end = verilog.find("\nmodule").or_else(|| verilog.find("\n\n")).unwrap_or_default();
    &verilog[end..]
}

/// Variations of the usual system along one axis at a time, and some corners.
fn points() -> Vec<(&'static str, Platform, SystemOptions)> {
    let timed = Platform { timestamps: true, ..RV32 };
    let rv64 = Platform { xlen: 64, ..RV32 };
    let cores = |cores| Platform { cores, ..RV32 };
    let etrace = SystemOptions { ingress: Ingress::Etrace, ..RVFI };
    let fifo = |fifo_address_bits| SystemOptions { fifo_address_bits, ..RVFI };
    let mut points: Vec<_> = [
        "tr_e:small",
        "tr_e:medium",
        "tr_e:large",
        "tr_e:s0",
        "tr_e:m4",
        "tr_b:small",
        "tr_b:large",
        "tr_e:m4+shift3+upper12",
        "tr(bcnt=4,1;diffta=5,3;diffcc=2,5;icnt=1,7):m2",
        "nx_b",
        "sc-lsp:base-32x4",
        "sc-lsp:ebase-32x4",
        "sc-lsp:rbase-32x4",
        "sc-lsp:base-256x1",
        "sc-lsp:rbase-16x8",
    ]
    .into_iter()
    .flat_map(|name| [(name, RV32, RVFI), (name, timed, RVFI)])
    .collect();
    for name in ["tr_e:small", "sc-lsp:rbase-32x4"] {
        points.extend([1, 2, 4].map(|n| (name, cores(n), etrace)));
        points.extend([2, 4, 8].map(|n| (name, cores(n), RVFI)));
        points.extend([(name, rv64, RVFI), (name, Platform { cores: 2, ..rv64 }, etrace)]);
        points.extend([(name, RV32, fifo(3)), (name, cores(4), fifo(5))]);
        points.push((name, Platform { align: 2, ..timed }, etrace));
    }
    points.push(("tr_e:small", cores(3), RVFI));
    points.push(("nx_b", cores(4), etrace));
    let chain = SystemOptions { ingress: Ingress::PcChain, ..RVFI };
    points.extend([("tr_e:small", RV32, chain), ("tr_e:small", Platform { cores: 2, ..rv64 }, chain)]);
    points.push(("sc-lsp:rbase-32x4", Platform { align: 2, ..timed }, chain));
    let extras = Extras { addresses: "24@0x80000000".parse().ok(), stall: true, ..Extras::default() };
    points.push(("tr_e:small", cores(2), SystemOptions { extras, ..RVFI }));
    // contexts
    points.push(("tr_e:small", Platform { context: Some(8), ..cores(2) }, SystemOptions { extras, ..RVFI }));
    points.push(("nx_b", Platform { context: Some(16), timestamps: true, ..rv64 }, RVFI));
    points
}

#[test]
fn the_list_of_verilog_is_as_it_was() {
    let mut list = String::new();
    for (name, p, o) in points() {
        let text = verilog(name, &p, &o);
        let body = body(&text);
        let time = if p.timestamps { " timed" } else { "" };
        let _ = writeln!(
            list,
            "{name} N={} rv{} align {}{time} {} fifo {}: {:08x} {} lines",
            p.cores,
            p.xlen,
            p.align,
            o.ingress.name(),
            o.fifo_address_bits,
            crc32fast::hash(body.as_bytes()),
            body.lines().count(),
        );
    }
    insta::assert_snapshot!(list);
}

#[test]
fn small_systems_are_as_they_were_whole() {
    insta::with_settings!({ snapshot_path => "verilog", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (file, name) in [("small", "tr_e:small"), ("rbase-32x4", "sc-lsp:rbase-32x4")] {
            let text = verilog(name, &RV32, &RVFI);
            insta::assert_binary_snapshot!(&format!("{file}.v"), body(&text).as_bytes().to_vec());
        }
    });
}

#[test]
fn every_module_says_what_it_is() {
    for (name, text) in kinds() {
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate().filter(|(_, l)| l.starts_with("module ") && **l != "module goshawk (")
        {
            let what = "its field has no line in `verilog/blocks.rs`";
            assert!(lines[i - 1].starts_with("// "), "{name}: {line}: {what}");
        }
    }
}

#[test]
fn every_module_has_ports_and_a_body() {
    for (name, p, o) in points() {
        let text = verilog(name, &p, &o);
        for module in text.split("\nmodule ").skip(1) {
            let (header, body) = module.split_once(");\n").unwrap();
            let (title, ports) = header.split_once('(').unwrap();
            assert!(!ports.trim().is_empty(), "{name} {p:?} {o:?}: {title} has no ports");
            let statements = body.split("endmodule").next().unwrap();
            assert!(!statements.trim().is_empty(), "{name} {p:?} {o:?}: {title} is empty");
        }
    }
}

#[test]
fn names_are_plain_and_clocks_are_nets() {
    for (name, p, o) in points() {
        let text = verilog(name, &p, &o);
        assert!(!body(&text).contains('$'), "{name}: a $ in a name");
        let edges = text.lines().filter_map(|l| l.trim().strip_prefix("always @(posedge "));
        assert!(edges.clone().count() > 10 && edges.clone().all(|l| l.starts_with("clock)")), "{name}");
        assert!(!text.contains("clock ="), "{name}: a clock is assigned to");
    }
}

#[test]
fn style_changes_names_and_initial_values_and_nothing_else() {
    let params = TraceParams::new(RV32, "tr_e:small".parse().unwrap());
    let style = Style { name: "acme".into(), initial: false };
    let bare = emit_as(&params, &RVFI, &style).unwrap();
    let full = emit(&params, &RVFI).unwrap();
    assert!(full.contains("initial begin") && !bare.contains("initial"));
    let mut kept = String::new();
    let mut inside = false;
    for line in full.lines() {
        inside |= line == "    initial begin";
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
        inside &= line != "    end";
    }
    let plain = |t: &str| t.replace("goshawk", "acme").replace("\n\n", "\n");
    assert_eq!(plain(&plain(&kept)), plain(&plain(&bare)));
}

/// A next value that reads a signal which changes within the block stays in a combinational block, and its register
/// copies it.
#[test]
fn registers_among_signals_are_taken_over() {
    let mut tick = Tick::new(3);
    tick.connect_all();
    let text = write_verilog(&tick, &Style::default()).unwrap().text;
    for name in
        ["used", "clocks", "count", "due", "stamp", "missed", "number", "sending", "at", "held_stamp", "held_lost"]
    {
        assert!(text.contains(&format!("{name} <= {name}_next;")), "{name} is never taken over:\n{text}");
    }
}
