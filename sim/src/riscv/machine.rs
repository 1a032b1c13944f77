//! The machine: schedules the harts and interrupts, and ends the run

use super::any_sink::{AnySink, Erased};
use super::code::{bits, CodeCache};
use super::csr::MTI;
use super::hart::{Break, Hart, Shared, State};
use super::input::Input;
use super::isa::{Isa, Unmodelled};
use super::memory::{Memory, DEVICES, RAM_BASE};
use super::semihosting::UnsupportedCall;
use super::state::CoreState;
use super::timing::{Caches, Timing};
use retire::elf::Program;
use retire::{Note, RetireSink};
use std::ops::Range;
use std::sync::Arc;

/// Cycles between two checks whether all harts only jump to themselves.
const DEADLOCK_CHECK_CYCLES: u64 = 1 << 16;
/// `j .` in both sizes.
const J_SELF: u32 = 0x0000_006f;
const C_J_SELF: u16 = 0xa001;

/// Configuration of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineConfig {
    /// Harts. 1..=8.
    pub harts: u8,
    /// RAM, bytes. 64 KiB to 1 GiB.
    pub ram_bytes: u32,
    /// Clock cycles per `mtime` tick, at least 1.
    pub mtime_divider: u64,
    /// When instructions retire.
    pub timing: Timing,
    /// 0: all harts start in cycle 0. Otherwise it seeds the start cycle of each, 0 to 255.
    pub seed: u64,
    /// What the UART receives, and calls to the host read.
    pub input: Arc<[u8]>,
    /// Whether stores to segments of the program without write permission are refused.
    pub read_only: bool,
}

impl Default for MachineConfig {
    fn default() -> Self {
        Self {
            harts: 1,
            ram_bytes: 16 << 20,
            mtime_divider: 10,
            timing: Timing::default(),
            seed: 0,
            input: Arc::default(),
            read_only: false,
        }
    }
}

/// Error of building or running a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A setting is out of range.
    #[error("{field} = {value}, expected {right}")]
    Config {
        /// Field.
        field: &'static str,
        /// Given value.
        value: u64,
        /// Valid values.
        right: &'static str,
    },
    /// The timing model is invalid.
    #[error("timing: {0}")]
    Timing(String),
    /// A program for another machine.
    #[error("the ELF is RV{0}; the built-in simulator runs RV32 and RV64")]
    WrongIsa(u8),
    /// A segment outside RAM.
    #[error("the ELF needs 0x{start:x} to 0x{end:x}; RAM is 0x{base:x} to 0x{top:x}")]
    OutsideRam {
        /// First byte of the segment.
        start: u64,
        /// Byte after it.
        end: u64,
        /// First byte of RAM.
        base: u64,
        /// Byte after RAM.
        top: u64,
    },
    /// Segments are to be read-only, and all can be written.
    #[error("no segment of the ELF is without write permission, so none can be read-only")]
    AllWritable,
    /// RAM at the address of the ELF would cover a device.
    #[error(
        "the ELF begins at 0x{start:x}; RAM there, 0x{base:x} to 0x{top:x}, would cover the device at 0x{device:x}"
    )]
    Covers {
        /// First byte of the lowest segment.
        start: u64,
        /// First byte of RAM.
        base: u64,
        /// Byte after RAM.
        top: u64,
        /// First byte of the device.
        device: u32,
    },
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of all harts.
    pub instructions: u64,
    /// Clock cycles.
    pub cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { instructions: u64::MAX, cycles: u64::MAX }
    }
}

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program ended with this code.
    Finished(u32),
    /// A limit was reached.
    Limit,
    /// All harts wait or jump to themselves, and no interrupt can occur.
    Deadlock,
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// How it ended.
    pub exit: Exit,
    /// Instructions retired, by hart.
    pub instructions: Vec<u64>,
    /// Clock cycles.
    pub cycles: u64,
    /// Bytes written to the UART.
    pub uart: Vec<u8>,
    /// Calls to the host that the machine does not support.
    pub unanswered: Vec<UnsupportedCall>,
}

/// A machine with a loaded program.
#[derive(Clone, Debug)]
pub struct Machine {
    harts: Vec<Hart>,
    memory: Memory,
    code: CodeCache,
    caches: Caches,
    timing: Timing,
    /// Exit code of the program, once it has ended.
    ended: Option<u32>,
}

impl MachineConfig {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), MachineError> {
        let config = |field, value: u64, right, ok: bool| {
            if ok {
                Ok(())
            } else {
                Err(MachineError::Config { field, value, right })
            }
        };
        config("harts", self.harts.into(), "1 to 8", (1..=8).contains(&self.harts))?;
        let ram = self.ram_bytes;
        config("ram_bytes", ram.into(), "64 KiB to 1 GiB", (64 << 10..=1 << 30).contains(&ram))?;
        config("mtime_divider", self.mtime_divider, "1 and above", self.mtime_divider > 0)?;
        self.timing.check().map_err(MachineError::Timing)
    }
}

/// Base of RAM: [`RAM_BASE`] for a program that fits in there, otherwise the MiB in which the program begins.
fn ram_base(program: &Program, ram_bytes: u32) -> Result<u64, MachineError> {
    let usual = u64::from(RAM_BASE);
    let inside = |base: u64| {
        let top = base + u64::from(ram_bytes);
        program.segments.iter().find(|s| s.addr < base || s.addr.saturating_add(s.mem_size) > top)
    };
    let (Some(_), Some(start)) = (inside(usual), program.segments.iter().map(|s| s.addr).min()) else {
        return Ok(usual);
    };
    let base = if start < usual || start >= usual + u64::from(ram_bytes) { start >> 20 << 20 } else { usual };
    let top = base.saturating_add(u64::from(ram_bytes));
    if let Some(s) = inside(base).or(program.segments.first().filter(|_| top > 1 << 32)) {
        return Err(MachineError::OutsideRam { start: s.addr, end: s.addr.saturating_add(s.mem_size), base, top });
    }
    match DEVICES.iter().find(|(first, last)| base <= u64::from(*last) && u64::from(*first) < top) {
        Some((device, _)) => Err(MachineError::Covers { start, base, top, device: *device }),
        None => Ok(base),
    }
}

/// Where the segments of `program` without write permission are loaded.
fn read_only(program: &Program) -> Result<Vec<Range<u64>>, MachineError> {
    let read_only = program.segments.iter().filter(|s| !s.writable);
    let ranges: Vec<_> = read_only.map(|s| s.addr..s.addr + s.mem_size).collect();
    if ranges.is_empty() {
        return Err(MachineError::AllWritable);
    }
    Ok(ranges)
}

/// The cycle in which a hart starts: a byte of SplitMix64 of the seed and the hart, so that the harts of a machine, and
/// those of machines with neighbouring seeds, start independently of each other.
///
/// # Source
/// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17; the
/// constants are variant 13 of its 64-bit finalizer.
fn start_cycle(seed: u64, hart: u8) -> u64 {
    if seed == 0 {
        return 0;
    }
    let gamma = 0x9e37_79b9_7f4a_7c15_u64;
    // two rounds: in a single one, seed + gamma with hart 0 would be the same as seed with hart 1
    let of_seed = mix(seed.wrapping_mul(gamma));
    mix(of_seed.wrapping_add(gamma.wrapping_mul(u64::from(hart) + 1))) >> 56
}

/// Finalizer of SplitMix64.
fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Machine {
    /// Loads `program` and places RAM around it.
    pub fn new(program: &Program, config: MachineConfig) -> Result<Self, MachineError> {
        config.check()?;
        if !matches!(program.xlen, 32 | 64) {
            return Err(MachineError::WrongIsa(program.xlen));
        }
        let isa = Isa::all(program.xlen);
        let harts = usize::from(config.harts);
        let base = ram_base(program, config.ram_bytes)?;
        let mut memory =
            Memory::new(base as u32, config.ram_bytes, harts, config.mtime_divider).with_tohost(program.tohost);
        memory.input = Input::new(Arc::clone(&config.input));
        for s in &program.segments {
            let offset = (s.addr - base) as usize;
            memory.ram[offset..offset + s.data.len()].copy_from_slice(&s.data);
        }
        if config.read_only {
            memory = memory.with_read_only(read_only(program)?);
        }
        Ok(Self {
            harts: (0..config.harts).map(|h| Hart::new(h, isa, program.entry, start_cycle(config.seed, h))).collect(),
            code: CodeCache::new(base as u32, config.ram_bytes, isa),
            caches: Caches::new(&config.timing, config.harts),
            memory,
            timing: config.timing,
            ended: None,
        })
    }

    /// Calls `execute` for the results of the instructions that `which` matches, with their bits and operands.
    #[must_use]
    pub fn with_unmodelled(mut self, which: Unmodelled, execute: fn(u32, [u64; 2]) -> u64) -> Self {
        let (base, bytes) = self.ram();
        let isa = Isa { unmodelled: Some(which), ..self.code.isa() };
        self.code = CodeCache::new(base, bytes, isa);
        self.memory.unmodelled = Some(execute);
        self
    }

    /// Base address and size of RAM, in bytes.
    pub fn ram(&self) -> (u32, u32) {
        (self.memory.ram_base, self.memory.ram.len() as u32)
    }

    /// Parts of RAM where stores are refused.
    pub fn read_only(&self) -> &[Range<u64>] {
        &self.memory.read_only
    }

    /// Current content of RAM.
    pub fn memory(&self) -> &[u8] {
        &self.memory.ram
    }

    /// Current state of each hart.
    pub fn states(&self) -> Vec<CoreState> {
        let state = |h: &Hart| {
            let mut registers = [0; 32];
            registers[1..].copy_from_slice(&h.regs[1..32]);
            let fcsr = u64::from(h.csrs.frm) << 5 | u64::from(h.csrs.fflags);
            CoreState { pc: h.at.pc, registers, mtvec: h.csrs.mtvec, floats: h.floats, fcsr, retired: h.at.instret }
        };
        self.harts.iter().map(state).collect()
    }

    /// Runs to the end of the program or to a limit. A further call continues, with a new `Start` of each hart; the
    /// summary counts from the beginning.
    pub fn run<S: RetireSink>(&mut self, sink: &mut S, limits: Limits) -> Result<RunSummary, MachineError> {
        let exit = match self.ended {
            Some(code) => Exit::Finished(code),
            None if self.timing.caches => self.schedule_with_caches(sink, S::WANTS_DATA, limits),
            None if self.code.isa().rv64 => self.schedule::<S, false, true>(sink, limits),
            None => self.schedule::<S, false, false>(sink, limits),
        };
        let running = self.harts.iter().filter(|h| h.state == State::Running).map(|h| h.at.cycle).max();
        let cycles = running.unwrap_or_else(|| self.harts.iter().map(|h| h.at.cycle).max().unwrap_or(0));
        for h in &mut self.harts {
            if let Some(stop) = h.stop(cycles) {
                sink.event(&stop);
            }
        }
        if let Exit::Finished(code) = exit {
            self.ended = Some(code);
        }
        Ok(RunSummary {
            exit,
            instructions: self.harts.iter().map(|h| h.at.instret).collect(),
            cycles,
            uart: self.memory.uart.clone(),
            unanswered: self.memory.unanswered.clone(),
        })
    }

    /// Whether every hart that does not wait jumps to itself. Unless a timer is due, nothing will then change: only
    /// harts send interrupts to each other.
    fn is_stuck(&self) -> bool {
        let in_place = |h: &Hart| match bits(&self.memory, h.at.pc) {
            Ok(insn) => insn == J_SELF || insn as u16 == C_J_SELF,
            Err(_) => false,
        };
        let running = |h: &&Hart| h.state == State::Running;
        self.harts
            .iter()
            .filter(running)
            .all(|h| h.pending.is_none() && h.interrupt(&self.memory).is_none() && in_place(h))
    }

    /// [`Machine::schedule`] with the timing model, which takes much longer than a call of the sink.
    fn schedule_with_caches(&mut self, sink: &mut dyn AnySink, wants_data: bool, limits: Limits) -> Exit {
        match (wants_data, self.code.isa().rv64) {
            (false, false) => self.schedule::<_, true, false>(&mut Erased::<false>(sink), limits),
            (false, true) => self.schedule::<_, true, true>(&mut Erased::<false>(sink), limits),
            (true, false) => self.schedule::<_, true, false>(&mut Erased::<true>(sink), limits),
            (true, true) => self.schedule::<_, true, true>(&mut Erased::<true>(sink), limits),
        }
    }

    /// Wakes, interrupts and runs harts in the order of their cycles.
    fn schedule<S: RetireSink, const CACHES: bool, const RV64: bool>(&mut self, sink: &mut S, limits: Limits) -> Exit {
        let mut left = limits.instructions;
        // cycle of the latest change that can wake a hart
        let mut now = 0;
        // cycle of the next deadlock check
        let mut look = 0;
        loop {
            self.wake(now);
            let running = self.harts.iter().filter(|h| h.state == State::Running);
            let (first, alone) = (running.clone().map(|h| (h.at.cycle, h.index)).min(), running.count() == 1);
            let timer = self.next_timer();
            let Some((cycle, i)) = first else {
                match timer {
                    Some((at, h)) if at <= limits.cycles => self.wake_hart(h, at),
                    Some(_) => return Exit::Limit,
                    None => return Exit::Deadlock,
                }
                continue;
            };
            let i = usize::from(i);
            // the timer of a sleeping hart fires first
            if let Some((at, h)) = timer.filter(|(at, h)| self.harts[*h].state == State::Waiting && *at <= cycle) {
                self.wake_hart(h, at);
                continue;
            }
            if cycle >= limits.cycles || left == 0 {
                return Exit::Limit;
            }
            let copies = self.memory.dma.next();
            if copies.is_some_and(|at| at <= cycle) {
                if let Some(store) = self.memory.copy_word().filter(|_| S::WANTS_DATA) {
                    sink.master(&store);
                }
                continue;
            }
            if let Some(cause) = self.harts[i].interrupt(&self.memory) {
                if S::WANTS_DATA {
                    let retired = self.harts[i].at.instret;
                    sink.note(i as u8, &Note::Interrupt { cause: cause as u8, retired });
                }
                self.harts[i].trap(true, cause, 0);
                self.harts[i].at.cycle += 1;
                continue;
            }
            if cycle >= look {
                if timer.is_none() && copies.is_none() && self.is_stuck() {
                    return Exit::Deadlock;
                }
                look = cycle.saturating_add(DEADLOCK_CHECK_CYCLES);
            }
            let bound = timer.map_or(limits.cycles, |(at, _)| at.max(cycle + 1).min(limits.cycles)).min(look);
            let bound = copies.map_or(bound, |at| bound.min(at));
            let mut shared = Shared { memory: &mut self.memory, caches: &mut self.caches, timing: &self.timing };
            let hart = &mut self.harts[i];
            let (i, end) = if hart.must_single() {
                let before = hart.at.instret;
                let kind = (S::WANTS_DATA, CACHES, RV64);
                let end = hart.first(&mut shared, &mut self.code, sink, kind);
                left -= hart.at.instret - before;
                (i, end.err().unwrap_or(Break::Bound))
            } else if alone {
                let before = hart.at.instret;
                let end = hart.run::<S, CACHES, RV64>(&mut shared, &mut self.code, bound, left, sink);
                left -= hart.at.instret - before;
                (i, end)
            } else {
                match CACHES || !S::WANTS_EVENTS {
                    true => self.interleave::<S, CACHES, RV64>(cycle, bound, &mut left, sink),
                    false => self.interleave_for(cycle, bound, &mut left, sink, (S::WANTS_DATA, RV64)),
                }
            };
            let hart = &mut self.harts[i];
            match end {
                Break::Bound => {}
                Break::Interrupts => now = now.max(hart.at.cycle),
                Break::FenceI => self.code.clear(),
                Break::Wait => hart.state = State::Waiting,
                Break::Trap(cause, tval) => {
                    if S::WANTS_DATA && matches!(cause, 5 | 7) {
                        let retired = hart.at.instret;
                        sink.note(hart.index, &Note::AccessFault { cause: cause as u8, retired });
                    }
                    hart.trap(false, cause, tval);
                    hart.at.cycle += 1 + if CACHES { u64::from(self.timing.redirect) } else { 0 };
                }
                Break::Exit(code) => return Exit::Finished(code),
                // a machine answers every access itself
                Break::Input => {}
            }
        }
    }

    /// [`Machine::interleave`] without the timing model for a sink of any type, `kind`: whether it wants data, and whether the harts
    /// are RV64. Several harts take longer than a call of the sink.
    fn interleave_for(
        &mut self,
        cycle: u64,
        bound: u64,
        left: &mut u64,
        sink: &mut dyn AnySink,
        kind: (bool, bool),
    ) -> (usize, Break) {
        match kind {
            (false, false) => self.interleave::<_, false, false>(cycle, bound, left, &mut Erased::<false>(sink)),
            (false, true) => self.interleave::<_, false, true>(cycle, bound, left, &mut Erased::<false>(sink)),
            (true, false) => self.interleave::<_, false, false>(cycle, bound, left, &mut Erased::<true>(sink)),
            (true, true) => self.interleave::<_, false, true>(cycle, bound, left, &mut Erased::<true>(sink)),
        }
    }

    /// Runs the running harts from `cycle` on, one instruction at a time, in the order of cycle and index, until
    /// `bound` or until something happens; returns what happened, and to which hart.
    fn interleave<S: RetireSink, const CACHES: bool, const RV64: bool>(
        &mut self,
        mut cycle: u64,
        bound: u64,
        left: &mut u64,
        sink: &mut S,
    ) -> (usize, Break) {
        for h in &mut self.harts {
            h.attention = h.pending.is_some() || h.interrupt(&self.memory).is_some();
        }
        let mut shared = Shared { memory: &mut self.memory, caches: &mut self.caches, timing: &self.timing };
        while cycle < bound {
            let mut next = u64::MAX;
            for hart in self.harts.iter_mut().filter(|h| h.state == State::Running) {
                if hart.at.cycle == cycle {
                    if hart.attention || *left == 0 {
                        return (hart.index.into(), Break::Bound);
                    }
                    match hart.single::<S, Memory, CACHES, false, RV64>(&mut shared, &mut self.code, sink) {
                        Ok(()) => *left -= 1,
                        Err(end) => {
                            *left -= u64::from(!matches!(end, Break::Trap(..)));
                            return (hart.index.into(), end);
                        }
                    }
                }
                next = next.min(hart.at.cycle);
            }
            cycle = next;
        }
        (0, Break::Bound)
    }

    /// Wakes harts whose `wfi` has ended by `now`.
    fn wake(&mut self, now: u64) {
        for i in 0..self.harts.len() {
            let h = &self.harts[i];
            let by = now.max(h.at.cycle);
            if h.state == State::Waiting && h.mip(by, &self.memory) & h.csrs.mie != 0 {
                self.wake_hart(i, by);
            }
        }
    }

    fn wake_hart(&mut self, hart: usize, at: u64) {
        let h = &mut self.harts[hart];
        h.state = State::Running;
        h.at.cycle = h.at.cycle.max(at);
    }

    /// The earliest enabled timer that has not fired, and its hart.
    fn next_timer(&self) -> Option<(u64, usize)> {
        self.harts
            .iter()
            .enumerate()
            .filter(|(_, h)| h.csrs.mie & MTI != 0 && h.state != State::Locked)
            .map(|(i, h)| (self.memory.timer_cycle(i), i, h))
            .filter(|(at, _, h)| *at != u64::MAX && *at > h.at.cycle)
            .map(|(at, i, _)| (at, i))
            .min()
    }
}
