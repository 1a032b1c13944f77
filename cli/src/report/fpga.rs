//! `goshawk report fpga`: resources of SoCs and trace systems in FPGAs and gates, as page, Markdown and JSON

use super::write;
use crate::files::OutputPath;
use crate::output::{plural, Object};
use crate::{Failure, Status};
use ::report::figure::{Axis, Figure, Series, Style};
use ::report::page::{Column, Page, Table};
use retire::file::input;
use serde_json::{json, Value};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Write a page with sizes, clock rates and critical paths of SoCs and trace systems
///
/// The files are the output of `goshawk soc build --json` and `goshawk gates --json`, in any order; a file may hold
/// several objects. SoCs that were built with --compare show the cost of tracing.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk soc build --board colorlight_i5 --set medium --compare --json >i5.json\n  \
    goshawk gates --set medium --library nangate45 --place ecp5 --json >medium.json\n  \
    goshawk report fpga i5.json medium.json -o fpga.html --markdown fpga.md"
)]
pub struct Args {
    /// Output of `goshawk soc build --json` and `goshawk gates --json`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// HTML page to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Markdown file to write, with the tables
    #[arg(long, value_name = "FILE")]
    markdown: Option<OutputPath>,
    /// Print one JSON object, which contains all tables
    #[arg(long)]
    json: bool,
}

/// Maximum size of a results file, bytes.
const MAX_SIZE: u64 = 1 << 28;

/// Reads the results of `soc build` and of `gates` from the files.
fn read(files: &[PathBuf]) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let (mut socs, mut gates) = (Vec::new(), Vec::new());
    for path in files {
        let text = input::text(path, MAX_SIZE, "a JSON file of results")?;
        let wrong = |what: String| Failure::Other(format!("{}: {what}", path.display()));
        let mut any = false;
        for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
            let value = value.map_err(|e| {
                wrong(format!(
                    "is not JSON ({e}); expected the output of `goshawk soc build --json` or `goshawk gates --json`"
                ))
            })?;
            any = true;
            match value["command"].as_str() {
                Some("soc build") => socs.push(value),
                Some("gates") => gates.push(value),
                other => {
                    let found = other.unwrap_or("none");
                    return Err(wrong(format!("command is {found}; expected results of `soc build` and `gates`")));
                }
            }
        }
        if !any {
            return Err(wrong(
                "is empty; expected the output of `goshawk soc build --json` or `goshawk gates --json`".into(),
            ));
        }
    }
    Ok((socs, gates))
}

fn table(id: &str, columns: Vec<Column>, rows: Vec<Vec<Value>>) -> Table {
    Table { id: id.into(), columns, rows }
}

/// `part` of `whole` in percent, or null.
fn share(part: &Value, whole: &Value) -> Value {
    match (part.as_f64(), whole.as_f64()) {
        (Some(p), Some(w)) if w > 0.0 => json!(100.0 * p / w),
        _ => Value::Null,
    }
}

fn more(a: &Value, b: &Value) -> Value {
    a.as_i64().zip(b.as_i64()).map_or(Value::Null, |(a, b)| json!(a - b))
}

/// The set, or the parameters if they have no name; empty without tracing.
fn set(result: &Value) -> Value {
    let p = &result["parameters"];
    if p["set"].is_string() {
        p["set"].clone()
    } else {
        p["canonical"].clone()
    }
}

fn soc_table(socs: &[Value]) -> Table {
    let columns = vec![
        Column::words("board"),
        Column::words("device"),
        Column::words("cores"),
        Column::words("set"),
        Column::numbers("LUT4", 0),
        Column::numbers("% of device", 1),
        Column::numbers("flip-flops", 0),
        Column::numbers("block RAM", 0),
        Column::numbers("MHz asked", 1),
        Column::numbers("MHz reached", 1),
        Column::words("timing"),
        Column::words("trace on critical path"),
        Column::numbers("LUT4 without", 0),
        Column::numbers("MHz without", 1),
        Column::numbers("LUT4 added", 0),
        Column::numbers("% of the cores", 1),
        Column::numbers("seed", 0),
    ];
    let rows = socs.iter().map(|s| {
        let (b, without) = (&s["built"], &s["without_trace"]);
        let cores = s["soc"]["cores"].as_u64().unwrap_or(0);
        let added = more(&b["resources"]["lut4"], &without["resources"]["lut4"]);
        let core = s["core_alone"]["lut4"].as_u64().map_or(Value::Null, |l| json!(l * cores));
        vec![
            b["board"].clone(),
            b["device"].clone(),
            json!(format!("{cores} {}", s["soc"]["core"].as_str().unwrap_or("?"))),
            set(s),
            b["resources"]["lut4"].clone(),
            share(&b["resources"]["lut4"], &b["device_luts"]),
            b["resources"]["flip_flops"].clone(),
            b["resources"]["block_ram"].clone(),
            b["clock_mhz"].clone(),
            b["fmax_mhz"].clone(),
            json!(if s["timing_met"] == true { "met" } else { "NOT met" }),
            json!(if b["trace_on_critical_path"] == true { "yes" } else { "no" }),
            without["resources"]["lut4"].clone(),
            without["fmax_mhz"].clone(),
            added.clone(),
            share(&added, &core),
            b["seed"].clone(),
        ]
    });
    table("socs", columns, rows.collect())
}

fn block_table(socs: &[Value]) -> Table {
    let columns = vec![
        Column::words("board"),
        Column::words("part"),
        Column::numbers("LUT4", 0),
        Column::numbers("flip-flops", 0),
    ];
    let rows = socs.iter().flat_map(|s| {
        let board = s["built"]["board"].clone();
        let blocks = s["built"]["blocks"].as_object().into_iter().flatten();
        blocks.map(move |(name, c)| vec![board.clone(), json!(name), c["lut4"].clone(), c["flip_flops"].clone()])
    });
    table("parts", columns, rows.collect())
}

fn path_table(socs: &[Value]) -> Table {
    let columns = vec![Column::words("board"), Column::words("critical path"), Column::numbers("cells", 0)];
    let rows = socs.iter().map(|s| {
        let cells: Vec<&str> =
            s["built"]["critical_path"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut through: Vec<String> =
            cells.iter().filter(|c| !c.starts_with('$')).map(|c| place_of(c).to_owned()).collect();
        through.dedup();
        vec![s["built"]["board"].clone(), json!(through.join(" > ")), json!(cells.len())]
    });
    table("paths", columns, rows.collect())
}

/// Hierarchical location of a cell: its first three names, without the suffixes of Yosys and nextpnr.
fn place_of(cell: &str) -> &str {
    let three = cell.match_indices('.').nth(2).map_or(cell, |(at, _)| &cell[..at]);
    let made = ["_SB_", "_TRELLIS_", "_LUT4", "_CCU2C", "_PFUMX", "_L6MUX", "_LC", "$q"];
    made.iter().filter_map(|m| three.find(m)).min().map_or(three, |at| &three[..at])
}

fn gate_table(gates: &[Value]) -> Table {
    let columns = vec![
        Column::words("set"),
        Column::words("library"),
        Column::words("block"),
        Column::numbers("NAND2 equivalents", 0),
        Column::numbers("flip-flops", 0),
        Column::numbers("memory bits", 0),
    ];
    let rows = gates.iter().flat_map(|g| {
        let (all, input) = (&g["gates"], g["input"].clone());
        let of = move |block: Value, g: &Value, library: &Value| {
            let n = |k: &str| g[k].clone();
            vec![input.clone(), library.clone(), block, n("gates"), n("flip_flops"), n("memory_bits")]
        };
        let total = of(json!("all"), all, &all["library"]);
        let blocks =
            all["blocks"].as_array().into_iter().flatten().map(move |b| of(b["block"].clone(), b, &all["library"]));
        std::iter::once(total).chain(blocks.collect::<Vec<_>>())
    });
    table("gates", columns, rows.collect())
}

fn place_table(gates: &[Value]) -> Table {
    let columns = vec![
        Column::words("set"),
        Column::words("device"),
        Column::words("block"),
        Column::numbers("LUT4", 0),
        Column::numbers("flip-flops", 0),
        Column::numbers("block RAM", 0),
        Column::numbers("MHz", 1),
        Column::numbers("seed", 0),
    ];
    let mut rows = Vec::new();
    for g in gates {
        for p in g["place"].as_array().into_iter().flatten() {
            let row = |block: Value, r: &Value, mhz: &Value| {
                let n = |k: &str| r[k].clone();
                let (lut4, ff, ram) = (n("lut4"), n("flip_flops"), n("block_ram"));
                vec![g["input"].clone(), p["device"].clone(), block, lut4, ff, ram, mhz.clone(), p["seed"].clone()]
            };
            rows.push(row(json!("all"), &p["resources"], &p["fmax_mhz"]));
            for b in p["blocks"].as_array().into_iter().flatten() {
                rows.push(row(b[0].clone(), &b[1], &Value::Null));
            }
        }
    }
    table("place", columns, rows)
}

/// Bars with and without tracing, by board; boards without a result for the latter have one bar.
fn bars(id: &str, title: &str, y: &str, socs: &[Value], value: impl Fn(&Value) -> Option<f64>) -> Figure {
    let names = socs.iter().map(|s| s["built"]["board"].as_str().unwrap_or("?").to_string());
    let of = |key: &str| -> Vec<(f64, f64)> {
        socs.iter().enumerate().filter_map(|(i, s)| Some((i as f64, value(&s[key])?))).collect()
    };
    Figure {
        id: id.into(),
        title: title.into(),
        x: Axis::names("", names.collect()),
        y: Axis::numbers(y),
        series: vec![
            Series::new("with trace modules", Style::Bars, of("built")),
            Series::new("without", Style::Bars, of("without_trace")),
        ],
    }
}

/// Whether a part belongs to a group.
type Takes = fn(&str) -> bool;

/// LUT4s by part, stacked, a bar for each board.
fn parts_figure(socs: &[Value]) -> Figure {
    let groups: [(&str, Takes); 4] = [
        ("cores", |p| p.starts_with("core_")),
        ("trace modules (per core)", |p| p.starts_with("trace.core")),
        ("trace back end (shared)", |p| p.starts_with("trace.") && !p.starts_with("trace.core")),
        ("bus, devices, serial line, rest", |p| !p.starts_with("core_") && !p.starts_with("trace.")),
    ];
    let sum = |s: &Value, take: Takes| -> f64 {
        let blocks = s["built"]["blocks"].as_object().into_iter().flatten();
        blocks.filter(|(n, _)| take(n)).filter_map(|(_, c)| c["lut4"].as_f64()).sum()
    };
    let names = socs.iter().map(|s| s["built"]["board"].as_str().unwrap_or("?").to_string());
    let series = groups.map(|(name, take)| {
        Series::new(name, Style::Stack, socs.iter().enumerate().map(|(i, s)| (i as f64, sum(s, take))).collect())
    });
    Figure {
        id: "parts-figure".into(),
        title: "LUT4s by part".into(),
        x: Axis::names("", names.collect()),
        y: Axis::numbers("LUT4"),
        series: series.to_vec(),
    }
}

/// One table as Markdown.
fn markdown(t: &Table) -> String {
    let cell = |c: &Column, v: &Value| match (c.digits, v) {
        (_, Value::Null) => String::new(),
        (Some(d), v) => v.as_f64().map_or_else(String::new, |f| format!("{f:.*}", usize::from(d))),
        (None, Value::String(s)) => s.replace('|', "\\|"),
        (None, v) => v.to_string(),
    };
    let mut s = String::new();
    let line = |s: &mut String, cells: Vec<String>| {
        let _ = writeln!(s, "| {} |", cells.join(" | "));
    };
    line(&mut s, t.columns.iter().map(|c| c.title.clone()).collect());
    line(&mut s, t.columns.iter().map(|c| if c.digits.is_some() { "---:" } else { "---" }.into()).collect());
    for row in &t.rows {
        line(&mut s, t.columns.iter().zip(row).map(|(c, v)| cell(c, v)).collect());
    }
    s
}

/// Tools and versions in the results, each once.
fn tools(socs: &[Value], gates: &[Value]) -> String {
    let built = socs.iter().flat_map(|s| s["built"]["tools"].as_array().into_iter().flatten());
    let counted = gates.iter().map(|g| &g["gates"]["tool"]);
    let placed = gates.iter().flat_map(|g| g["place"].as_array().into_iter().flatten()).map(|p| &p["nextpnr"]);
    let own = socs.iter().chain(gates).map(|r| &r["tool"]);
    let mut all: Vec<&str> = own.chain(built).chain(counted).chain(placed).filter_map(Value::as_str).collect();
    all.sort_unstable();
    all.dedup();
    all.join(", ")
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let (socs, gates) = read(&args.files)?;
    let tools = tools(&socs, &gates);
    let sections = [
        (
            "SoCs on boards",
            "Synthesis, place and route; without: the same SoC without trace modules; % of the cores: LUT4s that \
          tracing adds, of those of the cores synthesised alone.",
            soc_table(&socs),
        ),
        (
            "Parts of the SoCs",
            "LUT4s and flip-flops by what their output is called in the flattened netlist.",
            block_table(&socs),
        ),
        ("Critical paths", "The cells on the path, from register to register.", path_table(&socs)),
        (
            "Trace systems, placed without cores",
            "One trace system with raw ports; block by block as synthesised.",
            place_table(&gates),
        ),
        (
            "Trace systems in gates",
            "NAND2 equivalents of the named standard-cell library; memory bits apart.",
            gate_table(&gates),
        ),
    ];
    let mut page = Page::new("FPGA and gate report");
    let mut text = format!("# FPGA and gate report\n\nTools: {tools}.\n");
    page.facts(&[("tools", tools.clone())]);
    for (heading, says, table) in sections.iter().filter(|s| !s.2.rows.is_empty()) {
        page.heading(heading).text(says);
        if table.id == "socs" {
            let lut = |b: &Value| b["resources"]["lut4"].as_f64();
            page.figure(&bars("lut-figure", "LUT4s with and without trace modules", "LUT4", &socs, lut));
            page.figure(&bars("mhz-figure", "Highest clock rate", "MHz", &socs, |b| b["fmax_mhz"].as_f64()));
        }
        if table.id == "parts" {
            page.figure(&parts_figure(&socs));
        }
        page.table(table);
        let _ = write!(text, "\n## {heading}\n\n{says}\n\n{}", markdown(table));
    }
    write(&args.output, |file| page.write(file))?;
    if let Some(path) = &args.markdown {
        write(path, |file| file.write_all(text.as_bytes()))?;
    }
    if args.json {
        let mut object = Object::new("report fpga", &args.output.display().to_string()).with("tools", tools.into());
        for (_, _, table) in &sections {
            object = object.with(&table.id, json!(table));
        }
        object.print(out)?;
        return Ok(Status::Done);
    }
    let (socs, gates) = (plural(socs.len() as u64, "SoC"), plural(gates.len() as u64, "trace system"));
    writeln!(out, "{socs} and {gates} in {}", args.output.display())?;
    Ok(Status::Done)
}
