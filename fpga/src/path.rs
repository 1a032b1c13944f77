//! Longest path of a placed and routed circuit, by block
//!
//! nextpnr reports the path cell by cell. Yosys names a cell after the wire that it drives, followed by its kind:
//! `log.length_TRELLIS_FF_Q_3` drives `log.length`, in block `log`.

use serde::Serialize;
use serde_json::Value;

/// Separators between the name of a wire and the kind of the cell.
const KINDS: [&str; 11] = [
    "_SB_",
    "_TRELLIS_",
    "_LUT4_",
    "_PFUMX_",
    "_L6MUX21_",
    "_CCU2C_",
    "_DP16KD_",
    "_MULT18X18D_",
    "$",
    "_LC_",
    "_RAM_",
];

/// The longest path from register to register.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LongestPath {
    /// Register or memory at which it starts.
    pub from: String,
    /// Register or memory at which it ends.
    pub to: String,
    /// Delay of cells, ns.
    pub logic_ns: f64,
    /// Delay of routing, ns.
    pub routing_ns: f64,
    /// Number of cells.
    pub cells: usize,
    /// Blocks in path order, each with the delay of its cells and of the routing to them, ns.
    pub blocks: Vec<(String, f64)>,
}

impl LongestPath {
    /// Reads it from nextpnr's report; `None` if no register feeds another.
    pub fn of(report: &Value) -> Option<Self> {
        let steps = steps(report)?;
        let end = |step: Option<&Value>| Some(wire(step?["to"]["cell"].as_str()?).to_string());
        let mut path = Self { from: end(steps.first())?, to: end(steps.last())?, ..Self::default() };
        path.cells = critical_path(report).len();
        for step in steps {
            let (Some(ns), Some(cell)) = (step["delay"].as_f64(), step["to"]["cell"].as_str()) else { continue };
            *(if step["type"] == "routing" { &mut path.routing_ns } else { &mut path.logic_ns }) += ns;
            let block = wire(cell).rsplit_once('.').map_or("top", |w| w.0);
            match path.blocks.last_mut() {
                Some(last) if last.0 == block => last.1 += ns,
                _ => path.blocks.push((block.to_string(), ns)),
            }
        }
        Some(path)
    }

    /// The path in one line of text.
    pub fn text(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(|(b, ns)| format!("{b} {ns:.1}")).collect();
        let (logic, routing) = (self.logic_ns, self.routing_ns);
        format!(
            "{:.1} ns ({logic:.1} in cells, {routing:.1} between them), {} cells, {} to {}; by block, ns: {}",
            logic + routing,
            self.cells,
            self.from,
            self.to,
            blocks.join(", ")
        )
    }
}

/// The wire after which a cell is named; for a cell of a larger memory, that memory.
fn wire(cell: &str) -> &str {
    let end = KINDS.iter().filter_map(|k| cell.find(k)).filter(|at| *at > 0).min();
    let mut name = &cell[..end.unwrap_or(cell.len())];
    while let Some((memory, _)) = name.rsplit_once('.').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())) {
        name = memory;
    }
    name
}

/// The slowest path from a clock to the same clock.
fn steps(report: &Value) -> Option<&Vec<Value>> {
    let mut paths = report["critical_paths"].as_array()?.iter();
    paths.find(|p| p["from"] == p["to"])?["path"].as_array()
}

/// Cells of the slowest path.
pub(crate) fn critical_path(report: &Value) -> Vec<String> {
    let cells = steps(report).into_iter().flatten().filter_map(|s| s["to"]["cell"].as_str());
    let mut cells: Vec<String> = cells.map(str::to_string).collect();
    cells.dedup();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_is_reported_by_block() {
        let step = |kind: &str, delay: f64, cell: &str| json!({ "type": kind, "delay": delay, "to": { "cell": cell } });
        let report = json!({ "critical_paths": [
            { "from": "<async>", "to": "posedge clock", "path": [step("source", 1.0, "pin")] },
            { "from": "posedge clock", "to": "posedge clock", "path": [
                step("clk-to-q", 0.5, "log.flags.mem.0.1"),
                step("routing", 1.0, "log.length_LUT4_A_1"),
                step("logic", 0.25, "log.length_LUT4_A_1"),
                step("routing", 2.0, "calls.found$CCU2_COMB0"),
                step("routing", 1.5, "lost_before_SB_DFFE_Q"),
                step("setup", 0.25, "lost_before_SB_DFFE_Q"),
            ] },
        ] });
        let path = LongestPath::of(&report).unwrap();
        assert_eq!((path.from.as_str(), path.to.as_str()), ("log.flags.mem", "lost_before"));
        assert_eq!((path.logic_ns, path.routing_ns, path.cells), (1.0, 4.5, 4));
        let blocks: Vec<(&str, f64)> = path.blocks.iter().map(|b| (b.0.as_str(), b.1)).collect();
        assert_eq!(blocks, [("log.flags", 0.5), ("log", 1.25), ("calls", 2.0), ("top", 1.75)]);
        assert_eq!(
            path.text(),
            "5.5 ns (1.0 in cells, 4.5 between them), 4 cells, log.flags.mem to lost_before; by block, ns: log.flags 0.5, log 1.2, calls 2.0, top 1.8"
        );
        assert_eq!(LongestPath::of(&json!({ "critical_paths": [] })), None);
    }
}
