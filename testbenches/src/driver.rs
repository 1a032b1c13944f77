//! Single-threaded simulation of circuits, and checks of their Verilog with the same inputs
//!
//! The driver is that of [`hdl::drive`]; every bench of a block ends with [`CheckVerilog::check_verilog`].

use fpga::cosim::{Cosim, CosimError};
pub use hdl::drive::{check, Driver, DriverError, CYCLE_PS};
use rust_hdl::prelude::Block;

/// Checks of emitted Verilog against a recorded simulation.
pub trait CheckVerilog {
    /// Runs the circuit's Verilog with the recorded inputs and compares every output of every cycle. Returns the number
    /// of cycles compared.
    fn check_verilog(&self) -> Result<u64, CosimError>;

    /// As [`CheckVerilog::check_verilog`], with random bits from `seed` in all registers and memories that have no
    /// initial value; for circuits that clear what they need.
    fn check_verilog_from_random(&self, seed: u32) -> Result<u64, CosimError>;

    /// As [`CheckVerilog::check_verilog`], with the Verilog that users get, for whole systems: rust-hdl takes seconds to write the Verilog
    /// of one. All state starts at 0, as in the recorded simulation.
    fn check_system(&self) -> Result<u64, CosimError>;

    /// Runs `cosim`, the circuit with a change or from other values, with the recorded inputs.
    fn check_with(&self, cosim: &Cosim) -> Result<u64, CosimError>;
}

impl<T: Block> CheckVerilog for Driver<T> {
    fn check_verilog(&self) -> Result<u64, CosimError> {
        compare(self.record(), &Cosim::of_block(&self.uut)?)
    }

    fn check_verilog_from_random(&self, seed: u32) -> Result<u64, CosimError> {
        compare(self.record(), &Cosim::of_block(&self.uut)?.with_random_state(seed))
    }

    fn check_system(&self) -> Result<u64, CosimError> {
        compare(self.record(), &Cosim::of_system(&self.uut, false)?)
    }

    fn check_with(&self, cosim: &Cosim) -> Result<u64, CosimError> {
        compare(self.record(), cosim)
    }
}

fn compare(record: &[(Vec<u128>, Vec<u128>)], cosim: &Cosim) -> Result<u64, CosimError> {
    let mut different = None;
    let cycles = cosim.run(record.iter().map(|(inputs, _)| inputs.clone()), |cycle, verilog| {
        let (inputs, rust) = &record[cycle as usize];
        let port = (0..rust.len()).find(|&i| rust[i] != verilog[i]);
        if let (Some(i), None) = (port, &different) {
            let inputs = cosim.inputs().iter().zip(inputs).map(|(p, v)| format!("{} = {v:#x}", p.name));
            different = Some(CosimError::Different {
                cycle,
                port: cosim.outputs()[i].name.clone(),
                verilog: verilog[i],
                rust: rust[i],
                inputs: inputs.collect::<Vec<_>>().join(", "),
            });
        }
    })?;
    different.map_or(Ok(cycles), Err)
}
