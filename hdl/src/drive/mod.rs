//! A single-threaded simulator for rust-hdl circuits
//!
//! rust-hdl's own `Simulation` passes the circuit from thread to thread, with some 24 context switches per clock. This
//! driver does the same work, settling the circuit after each clock edge, in the calling thread: deterministic, up to a
//! thousand times faster, and with direct access to the fields of the circuit.
//!
//! # One cycle
//! | step | what happens |
//! | --- | --- |
//! | 1 | the bench sets inputs: `d.uut.x.next = ..` |
//! | 2 | clock low, settle: outputs follow the inputs, before the edge |
//! | 3 | the bench may read the outputs (co-simulation samples here) |
//! | 4 | clock high, settle: registers have their new values |
//!
//! [`Driver::clock`] does steps 2 and 4, [`Driver::cycle`] all four.
//!
//! A driver made with [`Driver::recording`] records all inputs and outputs ([`Driver::record`]), so that a bench can
//! check the emitted Verilog against them.

mod ports;
mod vcd;

pub use ports::{mask, sample, Dir, Interface, Port};

use self::vcd::VcdSink;
use crate::sweep::Ports;
use rust_hdl::core::check_error::CheckError;
use rust_hdl::prelude::*;
use std::io::Write;

/// Length of a clock cycle in a VCD, in picoseconds; the clock is low in the first half.
pub const CYCLE_PS: u64 = 10_000;

/// Limit of sweeps; a circuit that still changes has a combinational loop.
const MAX_SWEEPS: usize = 200;

/// Error of a simulation.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// `check_all` refused the circuit.
    #[error("{0}")]
    Check(String),
    /// The circuit does not settle.
    #[error("cycle {cycle}: combinational loop through {signals}; every loop needs a register")]
    Loop {
        /// Completed clock cycles.
        cycle: u64,
        /// Signals that still change, at most eight.
        signals: String,
    },
    /// The VCD cannot be written.
    #[error("vcd: {0}")]
    Vcd(#[from] std::io::Error),
}

/// A simulator of a circuit and its clock.
pub struct Driver<T: Block> {
    /// The circuit: set inputs through `.next`, read outputs through `.val()`.
    pub uut: T,
    set_clock: fn(&mut T, bool),
    cycles: u64,
    vcd: Option<VcdSink>,
    record: Option<Record<T>>,
}

/// Inputs and outputs of each cycle, and the function that samples them.
struct Record<T> {
    sample: fn(&T) -> (Vec<u128>, Vec<u128>),
    cycles: Vec<(Vec<u128>, Vec<u128>)>,
}

impl<T: Block> Driver<T> {
    /// Connects, checks and settles `uut` with its clock low. `set_clock` drives its clock input:
    /// `|u, c| u.clock.next = c.into()`, or `|_, _| ()` for a circuit without one.
    pub fn new(uut: T, set_clock: fn(&mut T, bool)) -> Result<Self, DriverError> {
        Self::start(uut, set_clock, None)
    }

    /// As [`Driver::new`], and writes every signal of the hierarchy to `vcd`, buffered, from the state before the first
    /// cycle. See [`Driver::finish_vcd`].
    pub fn with_vcd(uut: T, set_clock: fn(&mut T, bool), vcd: impl Write + 'static) -> Result<Self, DriverError> {
        Self::start(uut, set_clock, Some(Box::new(vcd)))
    }

    fn start(mut uut: T, set_clock: fn(&mut T, bool), vcd: Option<Box<dyn Write>>) -> Result<Self, DriverError> {
        uut.connect_all();
        check(&uut)?;
        let mut driver = Self { uut, set_clock, cycles: 0, vcd: None, record: None };
        (driver.set_clock)(&mut driver.uut, false);
        driver.settle()?;
        if let Some(writer) = vcd {
            driver.vcd = Some(VcdSink::new(writer, &driver.uut)?);
        }
        Ok(driver)
    }

    /// Records the values of all ports in every cycle from now on, some 16 bytes per port and cycle. Call it before the
    /// first cycle.
    pub fn recording(mut self) -> Self
    where
        T: Ports,
    {
        self.record = Some(Record { sample: sample::<T>, cycles: Vec::new() });
        self
    }

    /// Recorded inputs and outputs of every cycle, in the order of [`Interface::of`]; empty without recording.
    pub fn record(&self) -> &[(Vec<u128>, Vec<u128>)] {
        self.record.as_ref().map_or(&[], |record| &record.cycles)
    }

    /// Sweeps until nothing changes: outputs then reflect the current inputs.
    pub fn settle(&mut self) -> Result<(), DriverError> {
        if simulate(&mut self.uut, MAX_SWEEPS) {
            Ok(())
        } else {
            Err(DriverError::Loop { cycle: self.cycles, signals: changing(&mut self.uut) })
        }
    }

    /// Runs one clock cycle with the current inputs.
    pub fn clock(&mut self) -> Result<(), DriverError> {
        self.low()?;
        self.high()
    }

    /// Runs one clock cycle: sets inputs, samples outputs before the rising edge, then clocks.
    pub fn cycle<R>(&mut self, set: impl FnOnce(&mut T), sample: impl FnOnce(&T) -> R) -> Result<R, DriverError> {
        set(&mut self.uut);
        self.low()?;
        let outputs = sample(&self.uut);
        self.high()?;
        Ok(outputs)
    }

    /// Runs the first half of a cycle: clock low, settled. Only for benches that must look at outputs between the
    /// halves; [`Driver::high`] must follow.
    pub fn low(&mut self) -> Result<(), DriverError> {
        self.edge(false, self.cycles * CYCLE_PS)?;
        if let Some(record) = &mut self.record {
            record.cycles.push((record.sample)(&self.uut));
        }
        Ok(())
    }

    /// Runs the second half of a cycle: the rising edge.
    pub fn high(&mut self) -> Result<(), DriverError> {
        self.edge(true, self.cycles * CYCLE_PS + CYCLE_PS / 2)?;
        self.cycles += 1;
        Ok(())
    }

    fn edge(&mut self, clock: bool, time_ps: u64) -> Result<(), DriverError> {
        (self.set_clock)(&mut self.uut, clock);
        self.settle()?;
        if let Some(vcd) = &mut self.vcd {
            vcd.change(time_ps, &self.uut)?;
        }
        Ok(())
    }

    /// Completed clock cycles.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Ends the VCD and returns its first error, if any. Does nothing without a VCD.
    pub fn finish_vcd(&mut self) -> Result<(), DriverError> {
        match self.vcd.take() {
            Some(vcd) => Ok(vcd.finish(self.cycles * CYCLE_PS)?),
            None => Ok(()),
        }
    }
}

/// Runs `check_all` on a connected circuit; the error is one line, in a fixed order.
pub fn check(uut: &dyn Block) -> Result<(), DriverError> {
    let (what, mut names) = match check_all(uut) {
        Ok(()) => return Ok(()),
        Err(CheckError::OpenSignal(map)) => ("signals that nothing drives", map.into_values().collect::<Vec<_>>()),
        Err(CheckError::LogicLoops(list)) => ("signals read before they are written", list),
        Err(CheckError::WritesToInputs(list)) => ("inputs that the circuit itself writes", list),
    };
    names.sort_by(|a, b| (&a.path, &a.name).cmp(&(&b.path, &b.name)));
    let names: Vec<String> = names.iter().map(|n| format!("{}${}", n.path, n.name)).collect();
    Err(DriverError::Check(format!("{what}: {}", names.join(", "))))
}

/// Names of signals that change in a further sweep.
fn changing<T: Block>(uut: &mut T) -> String {
    #[derive(Default)]
    struct Changing {
        path: Vec<String>,
        names: Vec<String>,
    }
    impl Probe for Changing {
        fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
            self.path.push(name.into());
        }
        fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
            self.path.push(name.into());
        }
        fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
            if signal.changed() {
                self.names.push(format!("{}${name}", self.path.join("$")));
            }
        }
        fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
            self.path.pop();
        }
        fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
            self.path.pop();
        }
    }
    let mut probe = Changing::default();
    uut.accept("uut", &mut probe);
    probe.names.truncate(8);
    probe.names.join(", ")
}
