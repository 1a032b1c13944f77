//! Place and route: LUTs, flip-flops, block RAM and clock rate of a circuit on a device
//!
//! Synthesises, places and routes a single top module; its ports become pins. The clock rate is that of
//! register-to-register paths.

use crate::flow::tool::{ToolError, ToolKind, NEXTPNR_ECP5, NEXTPNR_ICE40, YOSYS};
use crate::flow::{cells, instances, top_of, REST};
use crate::path::{critical_path, LongestPath};
use retire::file::scratch;
use serde::Serialize;
use std::collections::BTreeMap;

/// A device for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// Lattice iCE40 HX8K, package ct256.
    Hx8k,
    /// Lattice ECP5 LFE5U-45F, speed grade 6, package CABGA554: enough pins for a trace module.
    Ecp5,
    /// Lattice ECP5 LFE5U-85F, speed grade 6, package CABGA756: the largest.
    Ecp85,
}

impl Device {
    /// Name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hx8k => "iCE40 HX8K",
            Self::Ecp5 => "ECP5-45F",
            Self::Ecp85 => "ECP5-85F",
        }
    }

    const fn nextpnr(self) -> ToolKind {
        match self {
            Self::Hx8k => NEXTPNR_ICE40,
            Self::Ecp5 | Self::Ecp85 => NEXTPNR_ECP5,
        }
    }
}

/// Cells of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// Four-input LUTs (on ECP5 without those of carry chains, LUT RAM and wide multiplexers).
    pub lut4: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Carry cells: SB_CARRY, or CCU2C of two bits each.
    pub carry: u64,
    /// Block RAMs: SB_RAM40_4K or DP16KD.
    pub block_ram: u64,
    /// 16 x 4 bit LUT RAMs.
    pub lut_ram: u64,
}

impl Resources {
    pub(crate) fn add(&mut self, cell: &str, n: u64) {
        match cell {
            "SB_LUT4" | "LUT4" => self.lut4 += n,
            "SB_CARRY" | "CCU2C" => self.carry += n,
            "DP16KD" => self.block_ram += n,
            "TRELLIS_DPR16X4" => self.lut_ram += n,
            "TRELLIS_FF" => self.flip_flops += n,
            c if c.starts_with("SB_RAM40") => self.block_ram += n,
            c if c.starts_with("SB_DFF") => self.flip_flops += n,
            _ => {}
        }
    }
}

/// Result of place and route.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceReport {
    /// Device.
    pub device: Device,
    /// Synthesis tool and version.
    pub yosys: String,
    /// Place and route tool and version.
    pub nextpnr: String,
    /// Seed of the placement.
    pub seed: u32,
    /// Cells after synthesis, flattened.
    pub resources: Resources,
    /// Logic cells in use after packing: a LUT with its flip-flop and carry (ICESTORM_LC, TRELLIS_COMB).
    pub cells: u64,
    /// Cells by block, from synthesis with hierarchy; most LUTs first.
    pub blocks: Vec<(String, Resources)>,
    /// Highest clock rate, MHz.
    pub fmax_mhz: f64,
    /// Cells on the critical path, from register to register.
    pub critical_path: Vec<String>,
    /// The critical path by block.
    pub longest_path: Option<LongestPath>,
}

/// Places and routes `verilog`, whose top module is the first one, with a target of `target_mhz`.
pub fn place(verilog: &str, device: Device, seed: u32, target_mhz: u32) -> Result<PlaceReport, ToolError> {
    let yosys = YOSYS.find()?;
    let nextpnr = device.nextpnr().find()?;
    let folder = scratch::Folder::new().map_err(|e| ToolError::Folder(e.to_string()))?;
    let path = folder.path();
    let read = |name: &str| -> Result<serde_json::Value, ToolError> {
        let text = std::fs::read_to_string(path.join(name)).map_err(|e| ToolError::Folder(e.to_string()))?;
        let json = text.find('{').map_or("", |at| &text[at..]);
        serde_json::from_str(json).map_err(|e| ToolError::Output { tool: name.to_string(), what: e.to_string() })
    };
    std::fs::write(path.join("top.v"), verilog).map_err(|e| ToolError::Folder(e.to_string()))?;
    let synth = match device {
        Device::Hx8k => "synth_ice40",
        Device::Ecp5 | Device::Ecp85 => "synth_ecp5",
    };
    let top = top_of(verilog);
    // older versions of nextpnr do not know `$scopeinfo` cells, which only hold the origin of other cells
    let script = format!(
        "read_verilog top.v; {synth} -top {top}; delete */t:$scopeinfo; write_json top.json; tee -q -o flat.json stat -json"
    );
    yosys.run(&["-q", "-p", &script], path)?;
    let script = format!("read_verilog top.v; {synth} -top {top} -noflatten; tee -q -o blocks.json stat -json");
    yosys.run(&["-q", "-p", &script], path)?;
    let (freq, seed_text) = (target_mhz.to_string(), seed.to_string());
    let common = ["--json", "top.json", "--freq", &freq, "--seed", &seed_text, "--report", "report.json"];
    let mut args: Vec<&str> = common.to_vec();
    args.extend(["--timing-allow-fail", "-q"]);
    args.extend(match device {
        Device::Hx8k => ["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained", "--asc", "top.asc"],
        Device::Ecp85 => ["--85k", "--package", "CABGA756", "--lpf-allow-unconstrained", "--textcfg", "top.cfg"],
        Device::Ecp5 => ["--45k", "--package", "CABGA554", "--lpf-allow-unconstrained", "--textcfg", "top.cfg"],
    });
    nextpnr.run(&args, path)?;
    let report = read("report.json")?;
    let mut resources = Resources::default();
    for (cell, n) in cells(&read("flat.json")?).into_values().flatten() {
        resources.add(&cell, n);
    }
    let mut blocks: BTreeMap<&str, Resources> = BTreeMap::new();
    let hierarchy = cells(&read("blocks.json")?);
    instances(&hierarchy, top, &mut |block, module, times| {
        let b = blocks.entry(block).or_default();
        hierarchy.get(module).into_iter().flatten().for_each(|(cell, n)| b.add(cell, n * times));
    });
    let mut blocks: Vec<(String, Resources)> = blocks.into_iter().map(|(n, r)| (n.to_string(), r)).collect();
    blocks.sort_by_key(|(_, r)| std::cmp::Reverse(r.lut4));
    let clocks = report["fmax"].as_object().into_iter().flatten();
    let fmax_mhz = clocks.filter_map(|(_, c)| c["achieved"].as_f64()).fold(f64::INFINITY, f64::min);
    Ok(PlaceReport {
        device,
        yosys: yosys.version,
        nextpnr: nextpnr.version,
        seed,
        resources,
        cells: logic_cells(&report).ok_or_else(|| ToolError::Output {
            tool: "nextpnr".into(),
            what: "its report has no logic cells".into(),
        })?,
        blocks,
        fmax_mhz,
        critical_path: critical_path(&report),
        longest_path: LongestPath::of(&report),
    })
}

impl PlaceReport {
    /// Subtracts the flip-flops that [`few_pins`] added from the counts, except from the logic cells.
    pub fn subtract_flip_flops(&mut self, added: u64) {
        let top = self.blocks.iter_mut().find(|b| b.0 == REST).map(|b| &mut b.1);
        for r in std::iter::once(&mut self.resources).chain(top) {
            r.flip_flops = r.flip_flops.saturating_sub(added);
        }
    }
}

/// Puts a shift register before the inputs and combines the outputs in one pin, for a circuit with more ports than the
/// package has pins. Also returns the number of added flip-flops.
pub fn few_pins(verilog: &str) -> (String, u64) {
    let (mut bits, mut ports, mut outputs) = (0, Vec::new(), Vec::new());
    let mut name = "";
    for line in verilog.lines() {
        let words: Vec<&str> = line.trim().trim_end_matches([',', ';']).split_whitespace().collect();
        if let ["module", module, ..] = words[..] {
            name = module.split('(').next().unwrap_or(module);
        }
        let (Some(kind @ ("input" | "output")), Some(port)) = (words.first().copied(), words.last()) else {
            if line.contains(");") {
                break;
            }
            continue;
        };
        let width = words.iter().find_map(|w| w.strip_prefix('[')?.split(':').next()?.parse::<u64>().ok());
        let width = width.map_or(1, |w| w + 1);
        if *port == "clock" {
            ports.push(".clock(clock)".to_string());
        } else if kind == "input" {
            ports.push(format!(".{port}(s[{bits} +: {width}])"));
            bits += width;
        } else {
            ports.push(format!(".{port}(w_{port})"));
            outputs.push((port.to_string(), width));
        }
    }
    let wires: String = outputs.iter().map(|(p, w)| format!("wire [{}:0] w_{p};\n", w - 1)).collect();
    let all: Vec<String> = outputs.iter().map(|(p, _)| format!("^w_{p}")).collect();
    let text = format!(
        "module few_pins(input clock, input d, output reg q);\nreg [{}:0] s;\n{wires}\
         always @(posedge clock) begin s <= {{s, d}}; q <= {}; end\n{name} uut({});\nendmodule\n{verilog}",
        bits - 1,
        all.join(" ^ "),
        ports.join(", ")
    );
    (text, bits + 1)
}

/// Logic cells in use.
fn logic_cells(report: &serde_json::Value) -> Option<u64> {
    let used = |kind: &str| report["utilization"][kind]["used"].as_u64();
    used("ICESTORM_LC").or_else(|| used("TRELLIS_COMB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circuit_of_many_ports_has_few_pins_and_the_same_size() {
        // 300 inputs, more than the package has pins
        let verilog = "module top(\n  input clock,\n  input [299:0] a,\n  output [15:0] q,\n  output any\n);\n\
            reg [15:0] sum;\nalways @(posedge clock) sum <= sum + a[15:0];\nassign q = sum;\nassign any = ^a;\nendmodule\n";
        let (text, added) = few_pins(verilog);
        assert_eq!((top_of(&text), added), ("few_pins", 301));
        let mut r = place(&text, Device::Hx8k, 1, 100).unwrap();
        r.subtract_flip_flops(added);
        assert_eq!(r.resources.flip_flops, 16);
        assert_eq!(r.blocks.iter().map(|b| b.1.flip_flops).sum::<u64>(), 16);
        // the sum, and the parities
        assert!((100..150).contains(&r.resources.lut4), "{r:?}");
    }

    #[test]
    fn a_counter_is_placed_and_routed_on_ice40() {
        let verilog = "module top(input clk, output reg [15:0] q);\n\
            always @(posedge clk) q <= q + 1;\nendmodule\n";
        let r = place(verilog, Device::Hx8k, 1, 100).unwrap();
        assert_eq!(r.resources.flip_flops, 16);
        assert!((15..=17).contains(&r.resources.lut4), "{r:?}");
        // a flip-flop shares the logic cell of its adder; a carry chain starts with additional cells
        assert!((16..=20).contains(&r.cells), "{r:?}");
        assert!((100.0..500.0).contains(&r.fmax_mhz), "{r:?}");
        assert!(!r.critical_path.is_empty());
        let path = r.longest_path.unwrap();
        assert_eq!((path.from.as_str(), path.to.as_str()), ("q", "q"));
        assert_eq!(path.cells, r.critical_path.len());
        // the clock rate corresponds to the delay of the path
        let ns = path.logic_ns + path.routing_ns;
        assert!((ns - 1e3 / r.fmax_mhz).abs() < 0.1, "{path:?}, {} MHz", r.fmax_mhz);
        assert_eq!(r.blocks.iter().map(|b| b.1.flip_flops).sum::<u64>(), 16);
    }
}
