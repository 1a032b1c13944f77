//! `goshawk recommend`: the scheme with the fewest bits, or the smallest circuit, for a budget

use crate::measured::{measure, TraceArgs};
use crate::output::{count, plural, Left, Object, Right, Table};
use crate::{Failure, Status};
use ::sweep::circuits::{circuits, Circuit, Family, Placed};
use ::sweep::tables::baselines::rows;
use ::sweep::tables::COMPARE;
use serde_json::{json, Value};
use sim::analysis::ratio;
use std::io::Write;

/// Choose the scheme that fits a budget: gates, LUTs, clock rate or bits per instruction
///
/// Measures the traces in every scheme whose circuit fits, and prints the schemes of which no other is both smaller and needs fewer bits. It
/// recommends the one with the fewest bits, or with --max-bits alone the smallest. Sizes are measured values of a system with one
/// core, a FIFO of 16 entries and an RVFI ingress, without time stamps. A bit of memory counts as 1.5 gates. If neither traces nor
/// --max-instructions are given, the first 1,000,000 instructions of each built-in program are measured. Every stream is decoded and compared with its input, unless --no-verify is given.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk recommend --max-gates 18000 firmware.elf\n  \
    goshawk recommend --max-luts 1500 --device hx8k --min-mhz 80 builtin:vm builtin:qsort\n  \
    goshawk recommend --max-gates 12000 program.ret --elf program.elf --json\n  \
    goshawk recommend --max-bits 0.3 builtin:fft\n  \
    goshawk recommend --max-gates 10000 --ratified builtin:fft --max-instructions 200000")]
#[command(group = clap::ArgGroup::new("budget").required(true).multiple(true).args(["max_gates", "max_luts", "max_bits"]))]
pub struct Args {
    #[command(flatten)]
    traces: TraceArgs,
    /// Largest size in NAND2 equivalents, with 1.5 for each bit of memory
    #[arg(help_heading = "Budget", long, value_name = "N")]
    max_gates: Option<u64>,
    /// Largest number of 4-input LUTs on the device of --device
    #[arg(help_heading = "Budget", long, value_name = "N")]
    max_luts: Option<u64>,
    /// Largest number of bits per instruction, over all traces
    #[arg(help_heading = "Budget", long, value_name = "BITS")]
    max_bits: Option<f64>,
    /// Lowest clock rate on the device of --device, MHz [default: any]
    #[arg(help_heading = "Budget", long, value_name = "MHZ")]
    min_mhz: Option<f64>,
    /// FPGA of the LUTs and clock rates
    #[arg(help_heading = "Budget", long, value_enum, default_value = "hx8k")]
    device: DeviceName,
    /// Only the ratified protocols E-Trace and N-Trace
    #[arg(help_heading = "Budget", long)]
    ratified: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum DeviceName {
    /// Lattice iCE40 HX8K
    Hx8k,
    /// Lattice ECP5
    Ecp5,
}

impl DeviceName {
    const fn family(self) -> Family {
        match self {
            Self::Hx8k => Family::Hx8k,
            Self::Ecp5 => Family::Ecp5,
        }
    }
}

/// Instructions of each built-in program where no trace is named.
const DEFAULT_INSTRUCTIONS: u64 = 1_000_000;

/// A circuit that fits the budget of size and rate.
struct Candidate {
    circuit: Circuit,
    placed: Placed,
    /// Bits per instruction over all traces; `None` if a recording has no program for it.
    bits: Option<f64>,
}

impl Candidate {
    /// Whether `other` is at least as good in size and bits and better in one of them.
    fn is_beaten_by(&self, other: &Self) -> bool {
        let (Some(mine), Some(others)) = (self.bits, other.bits) else { return other.bits.is_some() };
        let sizes = (self.circuit.with_memory(), other.circuit.with_memory());
        sizes.1 <= sizes.0 && others <= mine && (sizes.1 < sizes.0 || others < mine)
    }

    fn object(&self, args: &Args, front: bool) -> Value {
        json!({
            "scheme": self.circuit.scheme, "bits_per_instruction": self.bits, "nand2": self.circuit.nand2,
            "memory_bits": self.circuit.memory_bits, "gates_with_memory": self.circuit.with_memory(),
            "lut4": self.placed.lut4, "block_ram": self.placed.block_ram, "mhz": self.placed.mhz,
            "not_beaten": front, "within_bits": self.is_within(args),
        })
    }

    fn is_within(&self, args: &Args) -> bool {
        self.bits.is_some_and(|bits| args.max_bits.is_none_or(|most| bits <= most))
    }
}

/// Why nothing fits, with the nearest circuit.
fn nothing_fits(what: &str, nearest: Option<String>) -> Failure {
    let nearest = nearest.map(|n| format!("; nearest: {n}")).unwrap_or_default();
    Failure::Other(format!("no measured circuit fits {what}{nearest}"))
}

impl Args {
    /// The budget of size and rate, as typed.
    fn limits(&self) -> String {
        let device = match self.device {
            DeviceName::Hx8k => "hx8k",
            DeviceName::Ecp5 => "ecp5",
        };
        let mut limits = Vec::new();
        limits.extend(self.max_gates.map(|n| format!("`--max-gates {n}`")));
        limits.extend(self.max_luts.map(|n| format!("`--max-luts {n} --device {device}`")));
        limits.extend(self.min_mhz.map(|n| format!("`--min-mhz {n} --device {device}`")));
        limits.extend(self.ratified.then(|| "`--ratified`".to_string()));
        limits.join(" with ")
    }

    fn check(&self) -> Result<(), Failure> {
        for (option, value) in [("--max-bits", self.max_bits), ("--min-mhz", self.min_mhz)] {
            if let Some(v) = value.filter(|v| !v.is_finite() || *v <= 0.0) {
                return Err(Failure::Other(format!("`{option} {v}`: expected a number above 0")));
            }
        }
        Ok(())
    }

    /// Circuits within the budget of size and rate.
    ///
    /// # Errors
    /// There is none.
    fn fitting(&self) -> Result<Vec<Candidate>, Failure> {
        let all = circuits().into_iter().filter(|c| !self.ratified || c.is_standard());
        let all: Vec<_> =
            all.map(|circuit| Candidate { placed: circuit.on(self.device.family()), circuit, bits: None }).collect();
        let smallest = all.iter().min_by_key(|c| c.circuit.with_memory()).map(|c| {
            let (size, placed) = (count(c.circuit.with_memory()), c.placed);
            format!(
                "{} has {size} gates with memory, {} LUTs, {:.1} MHz",
                c.circuit.scheme,
                count(placed.lut4),
                placed.mhz
            )
        });
        let fits = |c: &Candidate| {
            self.max_gates.is_none_or(|most| c.circuit.with_memory() <= most)
                && self.max_luts.is_none_or(|most| c.placed.lut4 <= most)
                && self.min_mhz.is_none_or(|least| c.placed.mhz >= least)
        };
        let fitting: Vec<_> = all.into_iter().filter(fits).collect();
        match fitting.is_empty() {
            true => Err(nothing_fits(&self.limits(), smallest)),
            false => Ok(fitting),
        }
    }
}

/// Command that writes a circuit for the cores of the traces.
fn generate(chosen: &Candidate, cores: u8, wide: bool) -> String {
    let cores = if cores > 1 { format!(" --cores {cores}") } else { String::new() };
    let xlen = if wide { " --xlen 64" } else { "" };
    format!("goshawk gen --scheme {}{cores}{xlen} --fifo 16 -o trace", chosen.circuit.scheme)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    args.check()?;
    let mut candidates = args.fitting()?;
    let most = args.traces.inputs.is_empty().then_some(DEFAULT_INSTRUCTIONS);
    let mut plan = args.traces.plan(COMPARE, most)?;
    plan.each(|p| p.encodings = candidates.iter().map(|c| c.circuit.scheme.clone()).collect());
    let (measured, left_out) = measure("recommend", &plan)?;
    let rows = rows(&plan, &measured, &left_out)?;
    let Some((total, each)) = rows.split_last() else {
        return Err(Failure::Other(format!("no trace was measured: {}", left_out.join("; "))));
    };
    for (candidate, (_, bits)) in candidates.iter_mut().zip(&total.bits) {
        candidate.bits = bits.map(|bits| ratio(bits, total.instructions));
    }
    candidates.sort_by_key(|c| c.circuit.with_memory());
    let front: Vec<bool> = candidates.iter().map(|c| !candidates.iter().any(|other| c.is_beaten_by(other))).collect();

    let within = candidates.iter().filter(|c| c.is_within(args));
    let only_bits = args.max_gates.is_none() && args.max_luts.is_none();
    let chosen = match only_bits {
        true => within.min_by_key(|c| c.circuit.with_memory()),
        false => within.min_by(|a, b| a.bits.partial_cmp(&b.bits).expect("bits are finite")),
    };
    let Some(chosen) = chosen else {
        let fewest = candidates.iter().filter(|c| c.bits.is_some());
        let fewest = fewest.min_by(|a, b| a.bits.partial_cmp(&b.bits).expect("bits are finite"));
        let nearest = fewest
            .map(|c| format!("{} needs {:.4} bits per instruction", c.circuit.scheme, c.bits.unwrap_or_default()));
        let bits = args.max_bits.map(|bits| format!("`--max-bits {bits}`")).unwrap_or_default();
        let limits = [bits, args.limits()].into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" with ");
        return Err(nothing_fits(&limits, nearest));
    };

    let wide = measured.points.iter().any(|p| p.platform.xlen == 64);
    let command = generate(chosen, each.iter().map(|row| row.harts).max().unwrap_or(1), wide);
    if args.json {
        let objects: Vec<_> = candidates.iter().zip(&front).map(|(c, front)| c.object(args, *front)).collect();
        Object::new("recommend", &plan.traces.join(" "))
            .with("source", plan.settings.describe().into())
            .with("checked", (!args.traces.no_check).into())
            .with("instructions", total.instructions.into())
            .with("chosen", chosen.circuit.scheme.clone().into())
            .with("generate", command.into())
            .with("candidates", objects.into())
            .with("left_out", json!(left_out))
            .print(out)?;
        return Ok(Status::Done);
    }
    let columns = [
        ("scheme", Left),
        ("bits/instr", Right),
        ("gates with memory", Right),
        ("LUT4", Right),
        ("MHz", Right),
        ("", Left),
    ];
    let mut table = Table::of(&columns);
    for candidate in candidates.iter().zip(&front).filter_map(|(c, front)| front.then_some(c)) {
        let mark = if std::ptr::eq(candidate, chosen) { "chosen" } else { "" };
        table.cells(vec![
            candidate.circuit.scheme.clone(),
            candidate.bits.map_or_else(|| "-".into(), |bits| format!("{bits:.4}")),
            count(candidate.circuit.with_memory()),
            count(candidate.placed.lut4),
            format!("{:.1}", candidate.placed.mhz),
            mark.into(),
        ]);
    }
    table.print(out)?;
    let checked =
        if args.traces.no_check { "streams not decoded" } else { "every stream decoded and equal to the run" };
    let inputs = plural(each.len() as u64, "input");
    let fit = plural(candidates.len() as u64, "fitting circuit");
    writeln!(out, "{inputs}, {} instructions; {fit}; {checked}", count(total.instructions))?;
    left_out.iter().try_for_each(|l| writeln!(out, "left out: {l}"))?;
    if wide {
        writeln!(
            out,
            "sizes and clock rates are those of circuits for 32-bit addresses; with 64 bits they are larger"
        )?;
    }
    writeln!(out, "{command}")?;
    Ok(Status::Done)
}
