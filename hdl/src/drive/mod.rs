//! A driver for rust-hdl circuits without threads
//!
//! rust-hdl's own `Simulation` hands the circuit from thread to thread, some 24 context switches a
//! clock. This driver does what it does, settle after each clock edge, in the calling thread: the same
//! results every time, up to a thousand times faster, and the circuit's fields in reach.
//!
//! # One cycle
//! | step | what happens |
//! | --- | --- |
//! | 1 | the bench sets inputs: `d.uut.x.next = ..` |
//! | 2 | clock low, settle: outputs now answer to the inputs, before the edge |
//! | 3 | the bench may look at the outputs (this is what co-simulation samples) |
//! | 4 | clock high, settle: registers have their new values |
//!
//! [`Driver::clock`] does 2 and 4, [`Driver::cycle`] all four.
//!
//! A driver made with [`Driver::recording`] keeps what went in and came out ([`Driver::record`]), so that a bench
//! can hold the emitted Verilog to it.

mod ports;
mod vcd;

pub use ports::{mask, sample, Dir, Interface, Port};

use self::vcd::VcdSink;
use rust_hdl::core::check_error::CheckError;
use rust_hdl::prelude::*;
use std::io::Write;

/// Picoseconds of one clock cycle in a VCD: low for the first half.
pub const CYCLE_PS: u64 = 10_000;

/// Sweeps after which a circuit that still changes is called a loop.
const MAX_SWEEPS: usize = 200;

/// Why a circuit cannot be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// `check_all` refused the circuit.
    #[error("{0}")]
    Check(String),
    /// It never comes to rest.
    #[error("cycle {cycle}: combinational loop through {signals}; every loop needs a register")]
    Loop {
        /// Clock cycles done before.
        cycle: u64,
        /// The signals that still change, at most eight.
        signals: String,
    },
    /// The VCD could not be written.
    #[error("vcd: {0}")]
    Vcd(#[from] std::io::Error),
}

/// A circuit with its clock.
pub struct Driver<T: Block> {
    /// The circuit: set inputs through `.next`, read outputs through `.val()`.
    pub uut: T,
    set_clock: fn(&mut T, bool),
    cycles: u64,
    vcd: Option<VcdSink>,
    /// Inputs and outputs of each cycle.
    record: Option<Vec<(Vec<u128>, Vec<u128>)>>,
}

impl<T: Block> Driver<T> {
    /// Connects, checks and settles `uut` with its clock low. `set_clock` drives its clock input:
    /// `|u, c| u.clock.next = c.into()`, or `|_, _| ()` for a circuit without one.
    pub fn new(uut: T, set_clock: fn(&mut T, bool)) -> Result<Self, DriverError> {
        Self::start(uut, set_clock, None)
    }

    /// As [`Driver::new`], with every signal of the hierarchy written to `vcd`, buffered, from the
    /// state before the first cycle on. See [`Driver::finish_vcd`].
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

    /// Keeps the ports' values of every cycle from now on, some 16 bytes a port and cycle. Call it
    /// before the first cycle.
    pub fn recording(mut self) -> Self {
        self.record = Some(Vec::new());
        self
    }

    /// Inputs and outputs of every cycle, in the order of [`Interface::of`]; empty unless it is recording.
    pub fn record(&self) -> &[(Vec<u128>, Vec<u128>)] {
        self.record.as_deref().unwrap_or_default()
    }

    /// Sweeps until nothing changes: outputs then answer to the inputs just set.
    pub fn settle(&mut self) -> Result<(), DriverError> {
        if simulate(&mut self.uut, MAX_SWEEPS) {
            Ok(())
        } else {
            Err(DriverError::Loop { cycle: self.cycles, signals: changing(&mut self.uut) })
        }
    }

    /// One clock cycle with the inputs as they are.
    pub fn clock(&mut self) -> Result<(), DriverError> {
        self.low()?;
        self.high()
    }

    /// One clock cycle: sets inputs, samples outputs before the rising edge, then the edge.
    pub fn cycle<R>(&mut self, set: impl FnOnce(&mut T), sample: impl FnOnce(&T) -> R) -> Result<R, DriverError> {
        set(&mut self.uut);
        self.low()?;
        let outputs = sample(&self.uut);
        self.high()?;
        Ok(outputs)
    }

    /// First half of a cycle: clock low, settled. Only for benches that need to look between the
    /// halves and then decide; [`Driver::high`] must follow.
    pub fn low(&mut self) -> Result<(), DriverError> {
        self.edge(false, self.cycles * CYCLE_PS)?;
        if let Some(record) = &mut self.record {
            record.push(sample(&self.uut));
        }
        Ok(())
    }

    /// Second half of a cycle: the rising edge.
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

    /// Clock cycles done.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Ends the VCD and reports what went wrong with it, if anything did. Without a VCD, does nothing.
    pub fn finish_vcd(&mut self) -> Result<(), DriverError> {
        match self.vcd.take() {
            Some(vcd) => Ok(vcd.finish(self.cycles * CYCLE_PS)?),
            None => Ok(()),
        }
    }
}

/// `check_all` on a connected circuit, its answer in one line and in a fixed order.
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

/// Names of signals that a further sweep still changes.
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
