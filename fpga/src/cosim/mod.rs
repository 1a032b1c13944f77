//! Co-simulation: runs the emitted Verilog, Verilated, on the test vectors of a bench
//!
//! rust-hdl simulates Rust and emits Verilog, and the two can differ. So every block's Verilog is run on the same
//! inputs as its simulation.
//!
//! # One cycle
//! Inputs are set while the clock is low, outputs are sampled, then comes the rising edge, as in
//! [`hdl::drive::Driver::cycle`] of the rust-hdl simulation. Registers start at their initial values, everything else
//! at 0 or, with [`Cosim::with_random_state`], at random bits.
//!
//! # Speed
//! A build takes a second or more. Programs are cached in the target folder by content, so a rerun needs no build.
//! [`Cosim::run`] streams up to 30 million cycles a second for a narrow top module. [`Session::step`] exchanges one
//! vector at a time, for stimulus that depends on outputs: some 20,000 cycles a second.

pub(crate) mod build;
mod session;
pub mod tools;
pub mod trace;

pub use hdl::drive::{sample, Dir, Interface, Port};
pub use session::Session;

use hdl::verilog::{write, Style, Unsupported, Written};
use std::path::PathBuf;
use tools::ToolError;

/// Error of a co-simulation.
#[derive(Debug, thiserror::Error)]
pub enum CosimError {
    /// Verilator or the compiler is missing or failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// The Verilog writer refuses the circuit.
    #[error("Verilog: {0}")]
    Unsupported(#[from] Unsupported),
    /// A file or a pipe failed.
    #[error("co-simulation: {0}")]
    Io(#[from] std::io::Error),
    /// The port list is wrong.
    #[error("port `{port}`: {what}")]
    Port {
        /// Name of the port.
        port: String,
        /// What is wrong and what would be right.
        what: String,
    },
    /// A vector does not fit the ports.
    #[error("cycle {cycle}: {what}")]
    Vector {
        /// Cycle, from 0.
        cycle: u64,
        /// What is wrong and what would be right.
        what: String,
    },
    /// The Verilated program ended early.
    #[error("the Verilated program ended with {status} after {cycles} cycles")]
    Ended {
        /// Exit status.
        status: String,
        /// Cycles whose outputs arrived.
        cycles: u64,
    },
    /// The trace harness failed.
    #[error("the Verilated trace system ended with {status}: {message}")]
    Harness {
        /// Exit status.
        status: String,
        /// What it printed.
        message: String,
    },
    /// Verilog and rust-hdl simulation differ.
    #[error("cycle {cycle}, output `{port}`: the Verilog gives {verilog:#x}, rust-hdl {rust:#x}\ninputs: {inputs}")]
    Different {
        /// Cycle, from 0.
        cycle: u64,
        /// Output port.
        port: String,
        /// Its value in the Verilog.
        verilog: u128,
        /// Its value in the rust-hdl simulation.
        rust: u128,
        /// Inputs of that cycle, by name.
        inputs: String,
    },
}

/// A Verilated top module that can be run any number of times.
#[derive(Clone, Debug)]
pub struct Cosim {
    program: PathBuf,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    init_seed: u32,
}

impl Cosim {
    /// Builds the first module of `verilog`, or finds it in the cache. `interface` must name all inputs; outputs that
    /// it omits are ignored.
    pub fn build(verilog: &str, interface: &Interface) -> Result<Self, CosimError> {
        for p in &interface.ports {
            let wrong = |what: &str| CosimError::Port { port: p.name.clone(), what: what.into() };
            if !(1..=128).contains(&p.width) {
                return Err(wrong(&format!("{} bits, expected 1 to 128", p.width)));
            }
            if interface.ports.iter().filter(|q| q.name == p.name).count() > 1 {
                return Err(wrong("listed twice"));
            }
        }
        let header = build::ports_header(interface.clock.as_deref(), &interface.ports);
        let main = include_str!("../../verilator/vectors.cpp");
        let program = build::build(&[("top.v", verilog), ("ports.h", &header), ("main.cpp", main)])?;
        let of = |dir| interface.ports.iter().filter(|p| p.dir == dir).cloned().collect();
        Ok(Self { program, inputs: of(Dir::Input), outputs: of(Dir::Output), init_seed: 0 })
    }

    /// Emits and builds a rust-hdl block whose `connect_all` was called, as [`hdl::drive::Driver`] does. rust-hdl's writer takes seconds
    /// for a whole system: use [`Cosim::of_system`].
    ///
    /// # Panics
    /// If rust-hdl cannot emit the block at all; call `check_all` before.
    pub fn of_block(block: &impl rust_hdl::prelude::Block) -> Result<Self, CosimError> {
        Self::build(&rust_hdl::prelude::generate_verilog(block), &Interface::of(block))
    }

    /// Builds the Verilog that users get of a block whose `connect_all` was called. Ports have the order and the names of
    /// [`Interface::of`]. With `initial`, registers start with the values that they have now; otherwise, as memories and their outputs, at 0
    /// or with random bits.
    pub fn of_system(block: &impl rust_hdl::prelude::Block, initial: bool) -> Result<Self, CosimError> {
        Self::of_changed_system(block, initial, |text| text.into())
    }

    /// As [`Cosim::of_system`], of the text that `change` returns, for benches that are judged by what changes they find.
    pub fn of_changed_system(
        block: &impl rust_hdl::prelude::Block,
        initial: bool,
        change: impl FnOnce(&str) -> String,
    ) -> Result<Self, CosimError> {
        let written = write(block, &Style { initial, ..Style::default() })?;
        let own = Interface::of(block);
        let pin = |port: &str| {
            let pin = written.pins.iter().find(|pin| pin.source == port);
            let missing = || CosimError::Port { port: port.into(), what: "not in the Verilog".into() };
            Ok::<_, CosimError>(pin.ok_or_else(missing)?.name.clone())
        };
        let port = |p: &Port| Ok::<_, CosimError>(Port { name: pin(&p.name)?, ..p.clone() });
        let ports = own.ports.iter().map(port).collect::<Result<_, _>>()?;
        let clock = own.clock.as_deref().map(pin).transpose()?;
        let built = Self::build(&change(&written.text), &Interface { clock, ports })?;
        let of = |dir| own.ports.iter().filter(|p| p.dir == dir).cloned().collect();
        Ok(Self { inputs: of(Dir::Input), outputs: of(Dir::Output), ..built })
    }

    /// Builds the Verilog of a block that users get, with its pin names. In the text that rust-hdl itself emits, each
    /// block is a single `always`, in which Verilator sees combinational loops that do not exist.
    pub fn of_written(written: &Written) -> Result<Self, CosimError> {
        let (mut clock, mut ports) = (None, Vec::new());
        for pin in &written.pins {
            let dir = if pin.output { Dir::Output } else { Dir::Input };
            match pin.name.as_str() {
                "clock" => clock = Some(pin.name.clone()),
                name => ports.push(Port { name: name.into(), width: pin.width as u16, dir }),
            }
        }
        Self::build(&written.text, &Interface { clock, ports })
    }

    /// The same top module, but registers and memories without an initial value start with random bits from `seed` (0:
    /// zeros, as built). A circuit that clears its state must behave the same with any seed.
    pub fn with_random_state(mut self, seed: u32) -> Self {
        self.init_seed = seed;
        self
    }

    /// Input ports, in the order of an input vector.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// Output ports, in the order of an output vector.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Index of the output `name` in an output vector.
    pub fn output(&self, name: &str) -> Result<usize, CosimError> {
        let found = self.outputs.iter().position(|p| p.name == name);
        found.ok_or_else(|| CosimError::Port { port: name.into(), what: "not an output of this top".into() })
    }

    /// An input vector with the named values, 0 elsewhere.
    pub fn vector(&self, values: &[(&str, u128)]) -> Result<Vec<u128>, CosimError> {
        let mut vector = vec![0; self.inputs.len()];
        for (name, value) in values {
            let i = self.inputs.iter().position(|p| p.name == *name);
            let missing = || CosimError::Port { port: (*name).into(), what: "not an input of this top".into() };
            vector[i.ok_or_else(missing)?] = *value;
        }
        Ok(vector)
    }

    /// Runs the vectors of `inputs`, one per cycle, from reset, and calls `each` with the cycle and its outputs.
    /// Another thread draws from `inputs` while outputs arrive, so memory use is bounded. Returns the number of cycles.
    pub fn run<I>(&self, inputs: I, each: impl FnMut(u64, &[u128])) -> Result<u64, CosimError>
    where
        I: IntoIterator<Item = Vec<u128>> + Send,
    {
        session::stream(self, inputs, each)
    }

    /// [`Cosim::run`] with everything in memory.
    pub fn run_all(&self, inputs: &[Vec<u128>]) -> Result<Vec<Vec<u128>>, CosimError> {
        let mut outputs = Vec::with_capacity(inputs.len());
        self.run(inputs.iter().cloned(), |_, o| outputs.push(o.to_vec()))?;
        Ok(outputs)
    }

    /// Starts a run that is stepped cycle by cycle.
    pub fn session(&self) -> Result<Session, CosimError> {
        Session::start(self)
    }
}
