//! Simulates a whole trace system in rust-hdl: instructions in, trace words out
//!
//! The protocol is that of the Verilator harness: four cycles of reset; `control.enable` = 1; wait for `status.active`;
//! instructions; `control.enable` = 0; wait for `status.idle`; read `overflow`. Words are accepted in every cycle.

use crate::any_top::AnyTop;
use crate::drive::{Driver, DriverError};
use crate::emit::{build, EmitError, SystemOptions};
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::beats::{ExpandError, Expander, Retired};
use sim::params::{ParamError, TraceParams};
use sim::regs;
use sim::system::System;
use std::io::Write;

/// Error of a simulation.
#[derive(Debug, thiserror::Error)]
pub enum TraceSimError {
    /// The circuit cannot be simulated.
    #[error("{0}")]
    Driver(#[from] DriverError),
    /// A status bit stays 0.
    #[error("cycle {cycle}: status.{field} is still 0 after {waited} cycles")]
    Waiting {
        /// Clock cycle.
        cycle: u64,
        /// The status bit.
        field: &'static str,
        /// Clock cycles waited.
        waited: u64,
    },
    /// The parameters have no circuit.
    #[error("{0}")]
    Emit(#[from] EmitError),
    /// The parameters are invalid.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// The events do not fit the program.
    #[error("{0}")]
    Expand(#[from] ExpandError),
    /// The ingress is not RVFI, the only one that is driven here.
    #[error("the etrace ingress is not simulated here; rvfi is")]
    Ingress,
    /// Instructions are not in the order of their cycles.
    #[error("an instruction of cycle {found} comes after one of cycle {last}")]
    Order {
        /// Cycle of the instruction.
        found: u64,
        /// Cycle of the instruction before it.
        last: u64,
    },
}

/// Summary of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSimSummary {
    /// Clock cycles in all.
    pub cycles: u64,
    /// Instructions retired.
    pub beats: u64,
    /// The overflow register at the end, one bit per core.
    pub overflow: u32,
}

/// Cycles from the one in which tracing became active to cycle 0 of the instructions: `status` is read one cycle late,
/// and the reaction takes another cycle.
pub const START: u64 = 2;

/// Limit for clearing tables and for sending what is left, in cycles.
const WAIT_LIMIT: u64 = 1 << 22;

fn register(name: &str) -> u8 {
    regs::register(name).addr
}

fn status(field: &str) -> u32 {
    1 << regs::register("status").field(field).lsb
}

/// A running simulation of a trace system.
pub struct TraceSim<F: FnMut(u32)> {
    driver: Driver<AnyTop>,
    each: F,
    cores: usize,
    /// Instructions of the current cycle, by core.
    pending: Vec<Option<Retired>>,
    clock: u64,
    beats: u64,
}

impl<F: FnMut(u32)> TraceSim<F> {
    /// Resets and enables `top`. Every trace word goes to `each`; every signal goes to `vcd`, if given.
    pub fn start(top: AnyTop, cores: usize, vcd: Option<Box<dyn Write>>, each: F) -> Result<Self, TraceSimError> {
        let driver = match vcd {
            Some(vcd) => Driver::with_vcd(top, |t, high| t.clock(high), vcd)?,
            None => Driver::new(top, |t, high| t.clock(high))?,
        };
        let mut sim = Self { driver, each, cores, pending: vec![None; cores], clock: 0, beats: 0 };
        sim.driver.uut.take(true);
        sim.driver.uut.reset(true);
        for _ in 0..4 {
            sim.cycle()?;
        }
        sim.driver.uut.reset(false);
        sim.write("control", 1)?;
        sim.wait("active")?;
        Ok(sim)
    }

    /// Runs one cycle; returns the read data of the register bus.
    fn cycle(&mut self) -> Result<u32, TraceSimError> {
        let (word, read) = self.driver.cycle(|_| (), |t| (t.word(), t.read()))?;
        if let Some(word) = word {
            (self.each)(word);
        }
        Ok(read)
    }

    fn write(&mut self, name: &str, data: u32) -> Result<(), TraceSimError> {
        self.driver.uut.bus(register(name), true, data);
        self.cycle()?;
        self.driver.uut.bus(register("status"), false, 0);
        Ok(())
    }

    fn wait(&mut self, field: &'static str) -> Result<(), TraceSimError> {
        self.driver.uut.bus(register("status"), false, 0);
        // read data follows the address by one cycle
        self.cycle()?;
        for _ in 0..WAIT_LIMIT {
            if self.cycle()? & status(field) != 0 {
                return Ok(());
            }
        }
        Err(TraceSimError::Waiting { cycle: self.driver.cycles(), field, waited: WAIT_LIMIT })
    }

    /// Runs one cycle with the instructions that were collected for it.
    fn flush(&mut self) -> Result<(), TraceSimError> {
        for (core, beat) in self.pending.iter_mut().enumerate() {
            self.driver.uut.retire(core, beat.take().as_ref());
        }
        self.cycle()?;
        self.clock += 1;
        Ok(())
    }

    /// Retires an instruction; instructions come in commit order, and `cycle` counts from the start of tracing.
    pub fn retire(&mut self, beat: &Retired) -> Result<(), TraceSimError> {
        if beat.cycle < self.clock {
            return Err(TraceSimError::Order { found: beat.cycle, last: self.clock });
        }
        while self.clock < beat.cycle {
            self.flush()?;
        }
        if let Some(slot) = self.pending.get_mut(usize::from(beat.hart)) {
            *slot = Some(*beat);
            self.beats += 1;
        }
        Ok(())
    }

    /// Clock cycles so far.
    pub fn cycles(&self) -> u64 {
        self.driver.cycles()
    }

    /// Disables tracing in cycle `stop`, or in the next cycle if that is past, and collects the remaining words. Also
    /// returns the cycle of the write that disabled tracing.
    pub fn finish(mut self, stop: u64) -> Result<(TraceSimSummary, u64), TraceSimError> {
        self.flush()?;
        while self.clock < stop {
            self.flush()?;
        }
        for core in 0..self.cores {
            self.driver.uut.retire(core, None);
        }
        let ended = self.clock;
        self.write("control", 0)?;
        self.wait("idle")?;
        self.driver.uut.bus(register("overflow"), false, 0);
        self.cycle()?;
        let overflow = self.cycle()?;
        self.driver.finish_vcd()?;
        Ok((TraceSimSummary { cycles: self.driver.cycles(), beats: self.beats, overflow }, ended))
    }
}

/// Settings with which a recorded run is played.
pub struct Play<'a> {
    /// Options of the circuit; the ingress is RVFI.
    pub options: SystemOptions,
    /// Cycles of the trace system per cycle of the run, at least 1: models a faster clock, or slower cores.
    pub pace: u64,
    /// Receives every signal, if given.
    pub vcd: Option<Box<dyn Write>>,
    /// Called from time to time with the number of instructions so far.
    pub progress: &'a dyn Fn(u64),
}

/// Limit of consecutive cycles without an instruction in a functional trace, which does not contain time. Queued
/// entries are sent in these cycles.
const IDLE: u64 = 64;

/// The words of the circuit and of the golden model, for the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Summary of the circuit's simulation.
    pub summary: TraceSimSummary,
    /// Words of the circuit.
    pub circuit: Vec<u32>,
    /// Words of the golden model.
    pub golden: Vec<u32>,
}

impl Comparison {
    /// Index of the first word that differs, or that only one of the two has.
    pub fn difference(&self) -> Option<usize> {
        let both = self.circuit.iter().zip(&self.golden).position(|(c, g)| c != g);
        both.or((self.circuit.len() != self.golden.len()).then(|| self.circuit.len().min(self.golden.len())))
    }
}

struct Player<'a> {
    play: Play<'a>,
    params: &'a TraceParams,
    program: &'a Program,
    events: &'a [FlowEvent],
}

impl Player<'_> {
    /// Cycle of the trace system for a cycle of the run.
    fn paced(&self, cycle: u64) -> u64 {
        cycle * self.play.pace.max(1)
    }

    /// Runs both for `cores` cores.
    fn run(mut self, system: AnyTop, cores: usize) -> Result<Comparison, TraceSimError> {
        let mut circuit = Vec::new();
        let vcd = self.play.vcd.take();
        let mut sim = TraceSim::start(system, cores, vcd, |w| circuit.push(w))?;
        let mut expander = Expander::new(self.program, self.params.cores);
        // cycles of the run and of the system for the latest instruction
        let (mut run, mut clock) = (0, 0);
        let (mut beats, mut failed) = (0_u64, None);
        let mut put = |beat: &Retired| {
            let delta = self.paced(beat.cycle - run);
            clock += if self.params.timestamps { delta } else { delta.min(IDLE) };
            run = beat.cycle;
            beats += 1;
            if beats % 1024 == 0 {
                (self.play.progress)(beats);
            }
            if failed.is_none() {
                failed = sim.retire(&Retired { cycle: clock, ..*beat }).err();
            }
        };
        for e in self.events {
            expander.event(e, &mut put)?;
        }
        expander.finish(&mut put)?;
        if let Some(e) = failed {
            return Err(e);
        }
        let stop = self.events.last().map_or(0, |e| self.paced(e.cycle));
        let (summary, ended) = sim.finish(if self.params.timestamps { stop } else { 0 })?;
        let mut golden = System::with_code(self.params, 0, &Image::new(self.program))?;
        for e in self.events {
            golden.event(&FlowEvent { cycle: self.paced(e.cycle) + START, ..*e });
        }
        // `enable` is written in cycle `ended`, is 0 one cycle later, and reaches the cores another cycle later
        golden.finish(ended + START + 2);
        let golden = golden.drain().collect();
        Ok(Comparison { summary, circuit, golden })
    }
}

/// Plays `events`, a run of `program`, on the circuit for `params` and on the golden model.
pub fn compare(
    params: &TraceParams,
    program: &Program,
    events: &[FlowEvent],
    play: Play<'_>,
) -> Result<Comparison, TraceSimError> {
    let top = build(params, &play.options)?;
    if !top.is_rvfi() {
        return Err(TraceSimError::Ingress);
    }
    Player { play, params, program, events }.run(top, usize::from(params.cores))
}
