//! `goshawk compare`: bits per instruction, and size and clock rate of the circuit, of the standard trace protocols and of the project's schemes

use crate::args::{ProgramArgs, Source};
use crate::measured::{measure, TraceArgs};
use crate::output::{count, plural, Left, Object, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use ::sweep::circuits::{circuits, Circuit, Family};
use ::sweep::gates::GateList;
use ::sweep::plan::Plan;
use ::sweep::tables::baselines::{rows, Row};
use ::sweep::tables::{Measured, COMPARE};
use host::input::Input;
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::scheme::inputs::params::Sizes;
use sim::standard::ntrace::Modes;
use std::io::Write;
use std::path::PathBuf;

/// Compare the standard protocols N-Trace and E-Trace with Goshawk's schemes: bits per instruction, gates, LUTs and clock rate
///
/// Sizes and clock rates are measured values of a system with one core, a FIFO of 16 entries and an RVFI ingress, without time stamps, on
/// the FPGA iCE40 HX8K; a bit of memory counts as 1.5 gates. --json also has those on ECP5. Modes without a measured circuit have none. Every stream is decoded and compared with its input, unless --no-verify is given. No trace has time stamps. The
/// scheme `inputs` also records data, the values that the program reads from outside; its stream is not decoded here.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk compare builtin:vm\n  goshawk compare firmware.elf --json\n  \
    goshawk compare builtin:fft builtin:qsort --harts 4 --max-instructions 200000\n  \
    for s in small m4 large; do goshawk gates --set $s --json; done >gates.json\n  \
    goshawk compare vm.ret --elf builtin:vm --gates gates.json")]
pub struct Args {
    #[command(flatten)]
    traces: TraceArgs,
    /// Output of `goshawk gates --json`, for measured gates. May be repeated
    #[arg(long, value_name = "FILE")]
    gates: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A scheme, with its bits by input and in total.
struct Line {
    scheme: String,
    /// Bits per instruction of each input; `None` where it was left out.
    each: Vec<Option<f64>>,
    /// Of all inputs together.
    all: Option<f64>,
    gates: Option<f64>,
    circuit: Option<Circuit>,
}

impl Line {
    /// Least or most bits per instruction of an input.
    fn extreme(&self, of: impl Fn(f64, f64) -> f64) -> Option<f64> {
        self.each.iter().copied().collect::<Option<Vec<_>>>()?.into_iter().reduce(of)
    }

    fn object(&self, base: Option<f64>) -> Value {
        json!({
            "scheme": self.scheme, "bits_per_instruction": self.all, "by_input": self.each,
            "of_ntrace": self.all.zip(base).map(|(a, b)| a / b), "gates": self.gates,
            "circuit": self.circuit.as_ref().map(circuit),
        })
    }
}

/// Size of a circuit, and its clock rate on each family of FPGAs.
fn circuit(c: &Circuit) -> Value {
    let on = |family| {
        let placed = c.on(family);
        json!({ "lut4": placed.lut4, "block_ram": placed.block_ram, "mhz": placed.mhz })
    };
    json!({
        "nand2": c.nand2, "memory_bits": c.memory_bits, "gates_with_memory": c.with_memory(),
        "hx8k": on(Family::Hx8k), "ecp5": on(Family::Ecp5),
    })
}

/// The scheme `inputs`, which only programs have; why an input was left out goes to `left_out`.
fn inputs_line(args: &Args, each: &[Row], left_out: &mut Vec<String>) -> Result<Line, Failure> {
    let sizes = Sizes::default();
    let (mut by_input, mut bits, mut instructions) = (Vec::new(), 0, 0);
    for row in each {
        let recorded = match Input::open(&row.input)?.is_recording() {
            true => Err("it needs a program, since a recording has no values".to_string()),
            false => {
                let source = Source::open(&row.input, &ProgramArgs::default(), &args.traces.machine)?;
                host::inputs::record(&source.run()?, sizes, 0, None, &Bars).map_err(|e| e.to_string())
            }
        };
        match recorded {
            Ok(recorded) => {
                by_input.push(Some(ratio(recorded.stats.bits, recorded.stats.instructions)));
                bits += recorded.stats.bits;
                instructions += recorded.stats.instructions;
            }
            Err(why) => {
                by_input.push(None);
                left_out.push(format!("{sizes} of {}: {why}", row.input));
            }
        }
    }
    let all = by_input.iter().all(Option::is_some).then(|| ratio(bits, instructions));
    Ok(Line { scheme: sizes.to_string(), each: by_input, all, gates: None, circuit: None })
}

/// A line for each scheme of the plan.
fn lines(plan: &Plan, m: &Measured, gates: &GateList, (total, each): (&Row, &[Row])) -> Result<Vec<Line>, Failure> {
    let (schemes, circuits) = (plan.schemes()?, circuits());
    Ok(schemes
        .iter()
        .enumerate()
        .map(|(i, spec)| {
            let of = |row: &Row| row.bits[i].1.map(|bits| ratio(bits, row.instructions));
            let point = m.points.iter().find(|p| p.scheme == spec.name);
            Line {
                scheme: spec.name.clone(),
                each: each.iter().map(of).collect(),
                all: of(total),
                gates: point.and_then(|p| gates.of(p)),
                circuit: circuits.iter().find(|c| c.scheme == spec.name).cloned(),
            }
        })
        .collect())
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let gates = GateList::read(&args.gates)?;
    let plan = args.traces.plan(COMPARE, None)?;
    let (measured, mut left_out) = measure("compare", &plan)?;
    let rows = rows(&plan, &measured, &left_out)?;
    let Some((total, each)) = rows.split_last() else { return Ok(Status::Done) };
    let mut lines = lines(&plan, &measured, &gates, (total, each))?;
    lines.push(inputs_line(args, each, &mut left_out)?);
    let base = lines.iter().find(|l| l.scheme == Modes::BEST.to_string()).and_then(|l| l.all);
    if args.json {
        let inputs: Vec<_> = each
            .iter()
            .map(|r| json!({ "input": r.input, "harts": r.harts, "instructions": r.instructions }))
            .collect();
        Object::new("compare", &plan.traces.join(" "))
            .with("source", plan.settings.describe().into())
            .with("checked", (!args.traces.no_check).into())
            .with("inputs", inputs.into())
            .with("instructions", total.instructions.into())
            .with("schemes", lines.iter().map(|l| l.object(base)).collect::<Vec<_>>().into())
            .with("left_out", json!(left_out))
            .print(out)?;
        return Ok(Status::Done);
    }
    let several = each.len() > 1;
    let mut columns = vec![("scheme", Left), ("bits/instr", Right)];
    if several {
        columns.extend([("least", Right), ("most", Right)]);
    }
    columns.extend([("of N-Trace", Right), ("gates with memory", Right), ("LUT4", Right), ("MHz", Right)]);
    if !args.gates.is_empty() {
        columns.push(("NAND2 a core", Right));
    }
    let mut table = Table::of(&columns);
    let bits = |b: Option<f64>| b.map_or_else(|| "-".into(), |b| format!("{b:.4}"));
    for line in &lines {
        let mut cells = vec![line.scheme.clone(), bits(line.all)];
        if several {
            cells.extend([bits(line.extreme(f64::min)), bits(line.extreme(f64::max))]);
        }
        let share = line.all.zip(base).map(|(a, b)| format!("{:.1} %", 100.0 * a / b));
        cells.push(share.unwrap_or_else(|| "-".into()));
        cells.extend(match &line.circuit {
            Some(c) => {
                let placed = c.on(Family::Hx8k);
                [count(c.with_memory()), count(placed.lut4), format!("{:.1}", placed.mhz)]
            }
            None => ["-"; 3].map(String::from),
        });
        if !args.gates.is_empty() {
            cells.push(line.gates.map_or_else(|| "-".into(), |g| count(g.round() as u64)));
        }
        table.cells(cells);
    }
    table.print(out)?;
    let checked = if args.traces.no_check {
        "not decoded"
    } else {
        "decoded, and equal to what went in, except `inputs`, which is not decoded"
    };
    writeln!(out, "{}, {} instructions; {checked}", plural(each.len() as u64, "input"), count(total.instructions))?;
    writeln!(out, "of N-Trace: of the bits of {}", Modes::BEST)?;
    writeln!(
        out,
        "gates, LUT4 and MHz: of the measured circuit for one core and 32-bit addresses, on HX8K; -: none was measured"
    )?;
    left_out.iter().try_for_each(|l| writeln!(out, "left out: {l}"))?;
    Ok(Status::Done)
}
