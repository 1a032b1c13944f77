//! `goshawk check-port`: checks the trace port of a core

use crate::files::input_name;
use crate::output::{count, plural, Object};
use crate::{Failure, Status};
use host::input::Named;
use host::port::rows::Options as LogOptions;
use host::port::signals::PortKind;
use host::port::{check, Code, Location, Options};
use retire::image::Image;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Check a log of a core's trace port against the rules that a trace system relies on
///
/// The log is a waveform (VCD, FST) of a simulation, or text: a line of signal names, then the hexadecimal values of
/// each clock cycle. Exit code 0: no rule is violated; 1: some are, listed with their first occurrences.
#[derive(clap::Args, Debug)]
#[command(
    name = "check-port",
    after_help = "Examples:\n  goshawk check-port sim.vcd --elf firmware.elf\n  \
        goshawk check-port sim.fst --ingress etrace --scope tb.soc.core0.trace --xlen 64\n  \
        goshawk check-port sim.vcd --signal rvfi_valid=tb.core.valid --clock tb.clk"
)]
pub struct Args {
    /// Log of the port: waveform (VCD, FST) or text
    #[arg(value_name = "FILE")]
    log: PathBuf,
    /// Kind of the port
    #[arg(long, value_enum, value_name = "PORT", default_value = "rvfi")]
    ingress: Port,
    /// Address width of the cores: 32 or 64
    #[arg(long, value_name = "BITS", default_value = "32", value_parser = ["32", "64"])]
    xlen: String,
    /// Hierarchical path of the port, as tb.soc.core0 [default: anywhere]
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// Signal or column with another name in the log. May be repeated
    #[arg(long, value_name = "NAME=PATH", value_parser = name)]
    signal: Vec<(String, String)>,
    /// Clock signal of the port [default: clock or clk, at or above the port]
    #[arg(long, value_name = "PATH")]
    clock: Option<String>,
    /// Program that the core ran, to compare the instructions with: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A port whose log can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Port {
    /// RISC-V Formal Interface
    Rvfi,
    /// Instruction trace ingress port of the RISC-V E-Trace specification, one block per cycle
    Etrace,
    /// Only instructions and their addresses
    PcChain,
}

impl From<Port> for PortKind {
    fn from(port: Port) -> Self {
        match port {
            Port::Rvfi => Self::Rvfi,
            Port::Etrace => Self::Etrace,
            Port::PcChain => Self::PcChain,
        }
    }
}

/// Parses `rvfi_valid=tb.core.valid`.
fn name(text: &str) -> Result<(String, String), String> {
    let (name, place) = text.split_once('=').ok_or("expected NAME=PATH, as rvfi_valid=tb.core.valid")?;
    let known = PortKind::ALL.iter().flat_map(|p| p.signals()).any(|s| s.name == name);
    match known {
        true => Ok((name.to_string(), place.to_string())),
        false => {
            let all: Vec<&str> = PortKind::ALL.iter().flat_map(|p| p.signals()).map(|s| s.name).collect();
            Err(format!("`{name}` is not a signal of a port; expected one of {}", all.join(", ")))
        }
    }
}

fn line(place: &Location, xlen: u8) -> String {
    let digits = usize::from(xlen) / 4;
    let insn = place.insn.map(|i| format!(", insn 0x{i:08x}")).unwrap_or_default();
    let values = if place.values.is_empty() { String::new() } else { format!(": {}", place.values) };
    format!("{}, pc 0x{:0digits$x}{insn}{values}", place.at, place.pc)
}

/// Checks the log and prints what was found.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let xlen = if args.xlen == "64" { 64 } else { 32 };
    let program = args.elf.as_deref().map(Named::open).transpose()?;
    if let Some(named) = program.as_ref().filter(|n| n.program.xlen != xlen) {
        let elf = args.elf.as_deref().unwrap_or_default();
        return Err(Failure::Other(format!("--elf {elf}: is a program of {} bits; --xlen {xlen}", named.program.xlen)));
    }
    let image = program.map(|named| Image::new(&named.program));
    let port = PortKind::from(args.ingress);
    let log = LogOptions { scope: args.scope.clone(), names: args.signal.clone(), clock: args.clock.clone() };
    let report = check(&args.log, &Options { port, xlen, log }, Code(image.as_ref()))?;
    let status = if report.is_clean() { Status::Done } else { Status::Different };
    if args.json {
        let findings: Vec<_> = report
            .findings
            .iter()
            .map(|f| {
                let locations: Vec<_> = f
                    .locations
                    .iter()
                    .map(|p| {
                        json!({
                            "at": p.at, "pc": format!("0x{:x}", p.pc),
                            "insn": p.insn.map(|i| format!("0x{i:08x}")), "values": p.values,
                        })
                    })
                    .collect();
                json!({
                    "found": f.rule.found, "right": f.rule.right, "note": f.rule.note,
                    "count": f.count, "places": locations,
                })
            })
            .collect();
        Object::new("check-port", &args.log.display().to_string())
            .with("ingress", port.name().into())
            .with("clocks", report.clocks.into())
            .with("records", report.records.into())
            .with("retired", report.retired.into())
            .with("traps", report.traps.into())
            .with("clean", report.is_clean().into())
            .with("findings", findings.into())
            .print(out)?;
        return Ok(status);
    }
    let (clocks, retired) = (count(report.clocks), count(report.retired));
    writeln!(out, "{} clocks, {retired} instructions retired, {} traps", clocks, count(report.traps))?;
    if report.findings.is_empty() {
        writeln!(out, "no violation in this log")?;
        return Ok(status);
    }
    for finding in &report.findings {
        let kind = if finding.rule.note { "note" } else { "wrong" };
        writeln!(out, "\n{kind}, {}: {}", plural(finding.count, "time"), finding.rule.found)?;
        writeln!(out, "  right: {}", finding.rule.right)?;
        for place in &finding.locations {
            writeln!(out, "  {}", line(place, xlen))?;
        }
    }
    Ok(status)
}
