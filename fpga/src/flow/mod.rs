//! External tools: found, version checked, run in a folder of their own

pub mod tool;

use sim::scheme::FlowScheme;
use std::collections::BTreeMap;
use tool::{Tool, ToolError};

/// Block of a trace system that an emitted module belongs to: `top$core$0$front$gshare$bhr` to `gshare`.
/// rust-hdl emits a module for each instance, named by its path.
pub fn block_of(module: &str) -> &'static str {
    // those of the schemes, and what is around them
    let mut blocks = FlowScheme::blocks();
    blocks.extend(["ingress", "life", "fifo", "merger", "session", "encoder", "packer", "registers"]);
    module.split('$').find_map(|part| blocks.iter().copied().find(|b| part == *b)).unwrap_or("pipeline, wiring")
}

/// Cells of each module as `stat -json` tells them: module, cell type, number.
pub(crate) type Cells = BTreeMap<String, BTreeMap<String, u64>>;

/// Runs a Yosys script on `verilog` (file `top.v`) and returns what its `stat -json` wrote to `file`.
pub(crate) fn yosys_stat(
    yosys: &Tool,
    verilog: &str,
    extra: &[(&str, &str)],
    script: &str,
    file: &str,
) -> Result<serde_json::Value, ToolError> {
    let folder = tempfile::tempdir().map_err(|e| ToolError::Folder(e.to_string()))?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).map_err(|e| ToolError::Folder(e.to_string()))
    };
    write("top.v", verilog)?;
    for (name, text) in extra {
        write(name, text)?;
    }
    yosys.run(&["-q", "-p", script], folder.path())?;
    let text = std::fs::read_to_string(folder.path().join(file)).map_err(|e| ToolError::Folder(e.to_string()))?;
    // the file may hold warnings in front of the object
    let json = text.find('{').map_or("", |at| &text[at..]);
    serde_json::from_str(json).map_err(|e| ToolError::Output { tool: yosys.name.clone(), what: e.to_string() })
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

/// A number of cells: plain, or with its area, as newer versions write it.
fn count(v: &serde_json::Value) -> Option<u64> {
    v.as_u64().or_else(|| v["count"].as_u64()).or_else(|| v["num"].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_belong_to_blocks_by_their_path() {
        assert_eq!(block_of("top$core$0$front$gshare$bhr"), "gshare");
        assert_eq!(block_of("top$spine$fifo$3$kinds"), "fifo");
        assert_eq!(block_of("top$core$0$front$pc_3"), "pipeline, wiring");
        assert_eq!(block_of("top"), "pipeline, wiring");
    }
}
