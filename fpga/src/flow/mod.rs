//! Tool flows: finds external tools, checks their versions, and runs them in temporary folders

pub mod tool;

use retire::file::scratch;
use sim::scheme::FlowScheme;
use std::collections::BTreeMap;
use tool::{Tool, ToolError};

/// The top module of a Verilog text: the first one.
pub fn top_of(verilog: &str) -> &str {
    let start = verilog.lines().find_map(|l| l.trim_start().strip_prefix("module ")).unwrap_or("top");
    start.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').next().unwrap_or("top")
}

/// Name for cells that belong to no block.
pub(crate) const REST: &str = "pipeline, wiring";

/// Block of a trace system that an emitted module belongs to: `goshawk_event_fifo`, or its second form
/// `goshawk_event_fifo_2`, to `fifo`.
pub fn block_of(module: &str) -> &'static str {
    // blocks of the schemes, and those around them
    let mut blocks = FlowScheme::blocks();
    let spine = ["event_fifo", "merger", "trace_framer", "encoder", "packer", "packer_wide", "registers", "credits"];
    blocks.extend(["ingress", "trace_fsm"].into_iter().chain(spine));
    let plain = module.trim_end_matches(|c: char| c.is_ascii_digit());
    let names = [module, plain.strip_suffix('_').unwrap_or(module)];
    let ends = |b: &str| names.iter().any(|n| n.strip_suffix(b).is_some_and(|rest| rest.ends_with('_')));
    // the longest match: a `ras_ibtb` is not an `ibtb`
    match blocks.into_iter().filter(|b| ends(b)).max_by_key(|b| b.len()) {
        Some("event_fifo") => "fifo",
        Some("packer_wide") => "packer",
        found => found.unwrap_or(REST),
    }
}

/// Calls `each` for every instance in `top`, including `top` itself, with its block and module. An instance inside a
/// block belongs to that block, unless it is a block itself.
pub(crate) fn instances(cells: &Cells, top: &str, each: &mut impl FnMut(&'static str, &str, u64)) {
    inside(cells, top, REST, 1, each);
}

fn inside(
    cells: &Cells,
    module: &str,
    block: &'static str,
    times: u64,
    each: &mut impl FnMut(&'static str, &str, u64),
) {
    let block = Some(block_of(module)).filter(|own| *own != REST).unwrap_or(block);
    each(block, module, times);
    for (kind, n) in cells.get(module).into_iter().flatten() {
        let kind = kind.trim_start_matches('\\');
        if cells.contains_key(kind) {
            inside(cells, kind, block, times * n, each);
        }
    }
}

/// Cells of each module, from `stat -json`: module, cell type, number.
pub(crate) type Cells = BTreeMap<String, BTreeMap<String, u64>>;

/// A temporary folder in which tools run, with their files.
pub(crate) struct Run(scratch::Folder);

impl Run {
    /// Creates the folder with these files: name, content.
    pub fn new(files: &[(&str, &str)]) -> Result<Self, ToolError> {
        let folder = scratch::Folder::new().map_err(|e| ToolError::Folder(e.to_string()))?;
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).map_err(|e| ToolError::Folder(e.to_string()))?;
        }
        Ok(Self(folder))
    }

    /// Runs a Yosys script.
    pub fn yosys(&self, yosys: &Tool, script: &str) -> Result<(), ToolError> {
        std::fs::write(self.0.path().join("run.ys"), script.replace("; ", "\n").trim_end_matches(';'))
            .map_err(|e| ToolError::Folder(e.to_string()))?;
        yosys.run(&["-q", "run.ys"], self.0.path())
    }

    /// Text of `file`.
    pub fn text(&self, file: &str) -> Result<String, ToolError> {
        std::fs::read_to_string(self.0.path().join(file)).map_err(|e| ToolError::Folder(e.to_string()))
    }

    /// Content of `file`, parsed as JSON.
    pub fn json(&self, tool: &Tool, file: &str) -> Result<serde_json::Value, ToolError> {
        let text = self.text(file)?;
        // the file may have warnings before the object
        let json = text.find('{').map_or("", |at| &text[at..]);
        let parsed =
            serde_json::from_str(json).or_else(|e| serde_json::from_str(&without_last_commas(json)).map_err(|_| e));
        parsed.map_err(|e| ToolError::Output { tool: tool.name.clone(), what: e.to_string() })
    }
}

/// `json` without commas after the last member of an object, which Yosys before 0.24 prints.
fn without_last_commas(json: &str) -> String {
    let mut parts = json.split(',').peekable();
    let mut out = String::with_capacity(json.len());
    while let Some(part) = parts.next() {
        out.push_str(part);
        if parts.peek().is_some_and(|next| !next.trim_start().starts_with('}')) {
            out.push(',');
        }
    }
    out
}

/// The cells of a `stat -json` object.
pub(crate) fn cells(stat: &serde_json::Value) -> Cells {
    let mut out = Cells::new();
    for (module, m) in stat["modules"].as_object().into_iter().flatten() {
        let list = m["num_cells_by_type"].as_object().into_iter().flatten();
        let cells = list.filter_map(|(k, v)| Some((k.clone(), count(v)?))).collect();
        out.insert(module.trim_start_matches('\\').to_string(), cells);
    }
    out
}

/// A number of cells: a plain number, or, from newer versions, an object with count and area.
fn count(v: &serde_json::Value) -> Option<u64> {
    v.as_u64().or_else(|| v["count"].as_u64()).or_else(|| v["num"].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_belong_to_blocks_by_their_path() {
        assert_eq!(block_of("goshawk_gshare"), "gshare");
        assert_eq!(block_of("goshawk_event_fifo_2"), "fifo");
        assert_eq!(block_of("goshawk_front"), "pipeline, wiring");
        assert_eq!(block_of("goshawk"), "pipeline, wiring");
    }

    #[test]
    fn inner_instances_belong_to_their_block_and_are_counted() {
        let list = |cells: &[(&str, u64)]| cells.iter().map(|(c, n)| (c.to_string(), *n)).collect();
        let cells = Cells::from([
            ("t".to_string(), list(&[("t_core", 2), ("AND", 5)])),
            ("t_core".to_string(), list(&[("t_gshare", 1), ("t_mem", 1)])),
            ("t_gshare".to_string(), list(&[("t_mem", 3)])),
            ("t_mem".to_string(), list(&[])),
        ]);
        let mut seen = Vec::new();
        instances(&cells, "t", &mut |block, module, n| seen.push((block, module.to_string(), n)));
        let right = [(REST, "t", 1), (REST, "t_core", 2), ("gshare", "t_gshare", 2), ("gshare", "t_mem", 6)];
        let mut right: Vec<_> = right.into_iter().map(|(b, m, n)| (b, m.to_string(), n)).collect();
        right.push((REST, "t_mem".into(), 2));
        assert_eq!(seen, right);
    }

    #[test]
    fn a_comma_after_the_last_member_is_accepted() {
        let tool = Tool { name: "yosys".into(), version: "yosys 0.23".into() };
        // what Yosys 0.23 prints without a top module
        let printed = r#"Warning: x
{ "modules": { "\\a": { "num_cells_by_type": { "$add": 1, "$dff": 2 } }
 },

}"#;
        let run = Run::new(&[("stat.json", printed), ("bad.json", "{\"a\": 1,, }")]).unwrap();
        let found = cells(&run.json(&tool, "stat.json").unwrap());
        assert_eq!(found["a"], [("$add".to_string(), 1), ("$dff".to_string(), 2)].into());
        run.json(&tool, "bad.json").unwrap_err();
    }

    #[test]
    fn the_first_module_is_the_top() {
        assert_eq!(top_of("// module of cells\nmodule abc_1 (\n"), "abc_1");
        assert_eq!(top_of("module top(a,b);\nmodule b(c);"), "top");
    }
}
