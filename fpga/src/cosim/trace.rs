//! Fast co-simulation of whole trace systems: reads a beat file, returns trace words
//!
//! The harness of [`super`] moves every port through a pipe in every cycle. This one reads [`sim::beats`] inside the
//! Verilated program and returns only trace words. It runs some million cycles a second, so millions of instructions
//! can be run for every parameter set.
//!
//! # Protocol
//! Four cycles of reset; a write of `sync` if requested; `control.enable` = 1; wait for `status.active`; the beats,
//! with the first cycle of the file in the cycle after `active` was read; `gap` cycles; `control.enable` = 0; wait for
//! `status.idle`; read `overflow`. A word is transferred whenever valid and ready are both 1.

use super::build::{build, member};
use super::CosimError;
use crate::records::WORDS;
use sim::regs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names of one core's ingress ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorePorts {
    /// 1 bit: an instruction retires (RVFI `valid`).
    pub valid: String,
    /// 1 bit: the instruction is the first after a trap (RVFI `intr`).
    pub trapped: String,
    /// xlen bits: address of the instruction (RVFI `pc_rdata`).
    pub pc: String,
    /// xlen bits: address of the next instruction (RVFI `pc_wdata`).
    pub next_pc: String,
    /// 32 bits: the instruction (RVFI `insn`).
    pub insn: String,
}

/// Names of a trace system's ports in the Verilog. Inputs that are not named stay 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePorts {
    /// Clock.
    pub clock: String,
    /// Synchronous reset, active high, if there is one.
    pub reset: Option<String>,
    /// 32 or 64: width of the addresses.
    pub xlen: u8,
    /// Ingress, by core.
    pub cores: Vec<CorePorts>,
    /// Register bus: address.
    pub bus_addr: String,
    /// Register bus: write enable.
    pub bus_write: String,
    /// Register bus: write data.
    pub bus_wdata: String,
    /// Register bus: read data, one cycle after the address.
    pub bus_rdata: String,
    /// A trace word is valid.
    pub valid: String,
    /// The sink is ready.
    pub ready: String,
    /// The trace word, 32 bits.
    pub data: String,
}

impl TracePorts {
    /// Ports of `cores` cores with RVFI ingress. `core` maps a core's index and one of `valid`, `intr`, `pc_rdata`,
    /// `pc_wdata`, `insn` to a port name; `system` does so for one of `clock`, `reset`, `bus_addr`, `bus_write`,
    /// `bus_wdata`, `bus_rdata`, `valid`, `ready`, `data`. An empty name for `reset` means that there is no reset.
    pub fn rvfi(cores: usize, xlen: u8, core: impl Fn(usize, &str) -> String, system: impl Fn(&str) -> String) -> Self {
        let ports = |i| CorePorts {
            valid: core(i, "valid"),
            trapped: core(i, "intr"),
            pc: core(i, "pc_rdata"),
            next_pc: core(i, "pc_wdata"),
            insn: core(i, "insn"),
        };
        Self {
            clock: system("clock"),
            reset: Some(system("reset")).filter(|r| !r.is_empty()),
            xlen,
            cores: (0..cores).map(ports).collect(),
            bus_addr: system("bus_addr"),
            bus_write: system("bus_write"),
            bus_wdata: system("bus_wdata"),
            bus_rdata: system("bus_rdata"),
            valid: system("valid"),
            ready: system("ready"),
            data: system("data"),
        }
    }

    /// `system.h`, the header that the harness includes.
    fn header(&self) -> String {
        let m = |name: &str| format!("t.{}", member(name));
        let mut idle = String::new();
        let mut beat = String::new();
        for (i, c) in self.cores.iter().enumerate() {
            idle.push_str(&format!("    case {i}: {} = 0; break;\n", m(&c.valid)));
            beat.push_str(&format!(
                "    case {i}: {} = 1; {} = trapped; {} = pc; {} = next_pc; {} = insn; break;\n",
                m(&c.valid),
                m(&c.trapped),
                m(&c.pc),
                m(&c.next_pc),
                m(&c.insn)
            ));
        }
        let register = |name: &str| regs::register(name).addr;
        let status = |name: &str| 1_u32 << regs::register("status").field(name).lsb;
        let defines = [
            ("CORES", self.cores.len() as u32),
            ("WIDE", (self.xlen == 64).into()),
            ("REG_CONTROL", register("control").into()),
            ("REG_STATUS", register("status").into()),
            ("REG_OVERFLOW", register("overflow").into()),
            ("REG_SYNC", register("sync").into()),
            ("STATUS_ACTIVE", status("active")),
            ("STATUS_IDLE", status("idle")),
        ];
        let defines: String = defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        let reset = self.reset.as_deref().map_or_else(String::new, |r| format!("{} = v;", m(r)));
        format!(
            "#include <cstdint>\n{defines}\
             static inline void set_clock(Vtop& t, int v) {{ {clock} = v; }}\n\
             static inline void set_reset(Vtop& t, int v) {{ {reset} }}\n\
             static inline void set_ready(Vtop& t, int v) {{ {ready} = v; }}\n\
             static inline bool get_valid(Vtop& t) {{ return {valid}; }}\n\
             static inline uint32_t get_data(Vtop& t) {{ return {data}; }}\n\
             static inline uint32_t get_rdata(Vtop& t) {{ return {rdata}; }}\n\
             static inline void set_bus(Vtop& t, unsigned addr, uint32_t data, int write) {{\n    \
             {addr} = addr; {wdata} = data; {write} = write;\n}}\n\
             static inline void core_idle(Vtop& t, unsigned core) {{\n    switch (core) {{\n{idle}    }}\n}}\n\
             static inline void core_beat(Vtop& t, unsigned core, int trapped, uint64_t pc, uint64_t next_pc, \
             uint32_t insn) {{\n    switch (core) {{\n{beat}    }}\n}}\n",
            clock = m(&self.clock),
            ready = m(&self.ready),
            valid = m(&self.valid),
            data = m(&self.data),
            rdata = m(&self.bus_rdata),
            addr = m(&self.bus_addr),
            wdata = m(&self.bus_wdata),
            write = m(&self.bus_write),
        )
    }
}

/// Options for playing a beat file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// Longest run of cycles without a beat; longer ones are cut to it. Functional traces do not depend on it.
    pub idle_limit: u64,
    /// Idle cycles inserted after each cycle with a beat: models a slower core, or gives the encoder time.
    pub idle_after_beat: u64,
    /// Cycles between the last beat and the end of tracing.
    pub gap: u64,
    /// Seed of a pattern by which the sink's ready stalls; 0: never. Ready is 1 or 0 for 1 to 16 cycles at a time,
    /// occasionally 64.
    pub stall_seed: u64,
    /// Seed of random bits in registers and memories without an initial value; 0: zeros.
    pub init_seed: u32,
    /// Value written to register `sync` before tracing; 0: none.
    pub sync: u32,
    /// The sink takes at most one word in this many cycles; 0: no limit.
    pub cycles_per_word: u64,
}

impl Default for TraceOptions {
    /// The unchanged file, with ready always 1 and a state of zeros.
    fn default() -> Self {
        Self {
            idle_limit: u64::MAX,
            idle_after_beat: 0,
            gap: 0,
            stall_seed: 0,
            init_seed: 0,
            sync: 0,
            cycles_per_word: 0,
        }
    }
}

/// Summary of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// All clock cycles.
    pub cycles: u64,
    /// Cycle of the run that is cycle 0 of the beat file.
    pub start: u64,
    /// Cycle of the write that ended tracing, counted from `start`; it differs from the beat file's cycles if
    /// `idle_limit` or `idle_after_beat` changed them.
    pub stop: u64,
    /// Instructions retired.
    pub beats: u64,
    /// Trace words received.
    pub words: u64,
    /// Final value of the overflow register, one bit per core.
    pub overflow: u32,
}

/// A Verilated trace system.
#[derive(Clone, Debug)]
pub struct TraceCosim {
    program: PathBuf,
}

impl TraceCosim {
    /// Builds the first module of `verilog`, or finds it in the cache.
    pub fn build(verilog: &str, ports: &TracePorts) -> Result<Self, CosimError> {
        let main = include_str!("../../verilator/trace.cpp");
        let program = build(&[("top.v", verilog), ("system.h", &ports.header()), ("main.cpp", main), WORDS])?;
        Ok(Self { program })
    }

    /// Plays the beat file and passes every trace word to `each`, in order; memory use is bounded.
    pub fn run(
        &self,
        beats: &Path,
        options: &TraceOptions,
        mut each: impl FnMut(u32),
    ) -> Result<TraceSummary, CosimError> {
        let TraceOptions { idle_limit, idle_after_beat, gap, stall_seed, init_seed, sync, cycles_per_word } = *options;
        let numbers = [idle_limit, idle_after_beat, gap, stall_seed, init_seed.into(), sync.into(), cycles_per_word];
        let mut child = Command::new(&self.program)
            .arg(beats)
            .args(numbers.map(|n| n.to_string()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let lost = || std::io::Error::other("the Verilated program has no pipes");
        let mut words = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or_else(lost)?);
        let mut bytes = [0; 4];
        while words.read_exact(&mut bytes).is_ok() {
            each(u32::from_le_bytes(bytes));
        }
        // standard error has a few lines at most, so it cannot fill its pipe while words are read
        let mut message = String::new();
        child.stderr.take().ok_or_else(lost)?.read_to_string(&mut message)?;
        let status = child.wait()?;
        let summary = message.lines().find_map(|l| l.strip_prefix("summary ")).and_then(summary);
        match summary {
            Some(summary) if status.success() => Ok(summary),
            _ => Err(CosimError::Harness { status: status.to_string(), message: message.trim().into() }),
        }
    }
}

fn summary(line: &str) -> Option<TraceSummary> {
    let n: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    match n[..] {
        [cycles, start, stop, beats, words, overflow] => {
            Some(TraceSummary { cycles, start, stop, beats, words, overflow: u32::try_from(overflow).ok()? })
        }
        _ => None,
    }
}
