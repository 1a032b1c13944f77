//! All static gates of a circuit in one call
//!
//! Co-simulation, the last gate, needs stimulus: see [`crate::driver::Driver::check_verilog`].

use crate::driver::{check, DriverError};
use crate::lint::{lint, Finding};
use crate::verilog::{verilator_lint, yosys_check, VerilogError};
use rust_hdl::prelude::{generate_verilog, Block};

/// Which gate a circuit did not pass.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// rust-hdl's `check_all`.
    #[error("check_all: {0}")]
    Check(#[from] DriverError),
    /// The lint over the syntax tree.
    #[error("lint: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Lint(Vec<Finding>),
    /// yosys or Verilator.
    #[error(transparent)]
    Verilog(#[from] VerilogError),
}

/// Connects `block`, then `check_all`, lint, emission, yosys and Verilator lint; the Verilog.
pub fn emit_checked(block: &mut impl Block) -> Result<String, GateError> {
    block.connect_all();
    check(block)?;
    let findings = lint(block);
    if !findings.is_empty() {
        return Err(GateError::Lint(findings));
    }
    let verilog = generate_verilog(block);
    yosys_check(&verilog)?;
    verilator_lint(&verilog)?;
    Ok(verilog)
}
