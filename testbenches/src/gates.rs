//! All static checks of a circuit in one call
//!
//! The last check, co-simulation, needs stimulus: see [`crate::driver::CheckVerilog::check_verilog`].

use crate::driver::{check, DriverError};
use crate::lint::{lint, Finding};
use crate::verilog::{verilator_lint, verilator_lint_system, yosys_check, yosys_check_flat, VerilogError};
use hdl::verilog::{write, Style, Unsupported};
use rust_hdl::prelude::{generate_verilog, Block};

/// Error of a check that a circuit did not pass.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// rust-hdl's `check_all`.
    #[error("check_all: {0}")]
    Check(#[from] DriverError),
    /// The lint over the syntax tree.
    #[error("lint: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Lint(Vec<Finding>),
    /// The Verilog writer.
    #[error("Verilog: {0}")]
    Unsupported(#[from] Unsupported),
    /// yosys or Verilator.
    #[error(transparent)]
    Verilog(#[from] VerilogError),
}

/// Connects `block`, runs `check_all` and the lint, emits it, runs yosys and Verilator's lint. Returns the Verilog.
pub fn emit_checked(block: &mut impl Block) -> Result<String, GateError> {
    check_syntax_tree(block)?;
    let verilog = generate_verilog(block);
    yosys_check(&verilog)?;
    verilator_lint(&verilog)?;
    Ok(verilog)
}

/// As [`emit_checked`] for whole systems, with the Verilog that users get: yosys also finds loops in the flattened
/// circuit.
pub fn emit_checked_system(block: &mut impl Block) -> Result<String, GateError> {
    check_syntax_tree(block)?;
    let style = Style { name: "top".into(), ..Style::default() };
    let verilog = write(block, &style)?.text;
    yosys_check_flat(&verilog)?;
    verilator_lint_system(&verilog)?;
    Ok(verilog)
}

/// Connects `block`, runs `check_all` and the lint.
fn check_syntax_tree(block: &mut impl Block) -> Result<(), GateError> {
    block.connect_all();
    check(block)?;
    let findings = lint(block);
    if !findings.is_empty() {
        return Err(GateError::Lint(findings));
    }
    Ok(())
}
