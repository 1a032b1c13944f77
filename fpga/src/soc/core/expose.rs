//! Exposes wires inside a core as ports, with Yosys

use super::CoreError;
use crate::flow::tool::{ToolError, ToolKind};
use retire::file::scratch;

/// Verilog of `top` with its `wires` (hierarchical paths in the flattened core, such as `core.csr.mepc`) as outputs of
/// the same name.
///
/// `files` are written to the folder in which `script` reads and elaborates them.
pub fn exposed(
    yosys: &ToolKind,
    files: &[(String, String)],
    script: &str,
    top: &str,
    wires: &[&str],
) -> Result<String, CoreError> {
    let yosys = yosys.find()?;
    let folder = scratch::Folder::new().map_err(|e| ToolError::Folder(e.to_string()))?;
    let io = |e: std::io::Error| ToolError::Folder(e.to_string());
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).map_err(io)?;
    }
    let wires: String = wires.iter().map(|w| format!(" {top}/w:{w}")).collect();
    let script = format!("{script}; expose{wires}; write_verilog -noattr exposed.v");
    yosys.run(&["-q", "-p", &script], folder.path())?;
    let unwritten = |e| ToolError::Folder(format!("exposed.v, which {} is to write: {e}", yosys.name));
    Ok(std::fs::read_to_string(folder.path().join("exposed.v")).map_err(unwritten)?)
}
