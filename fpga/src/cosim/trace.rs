//! Co-simulation of whole trace systems, fast: a beat file in, trace words out
//!
//! The harness of [`super`] moves every port every cycle through a pipe. This one reads
//! [`sim::beats`] inside the Verilated program and gives back only trace words, some million cycles a
//! second, so that millions of instructions for every parameter set are affordable.
//!
//! # Protocol
//! Four cycles of reset; `sync` if it is asked for; `control.enable` = 1; wait for `status.active`; the beats, with the first clock
//! of the file in the cycle after `active` was read; `gap` cycles; `control.enable` = 0; wait for
//! `status.idle`; read `overflow`. Words are taken whenever valid and ready are both 1.

use super::build::{build, member};
use super::CosimError;
use crate::records::WORDS;
use sim::regs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ports of one core's ingress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorePorts {
    /// 1 bit: an instruction retires (RVFI `valid`).
    pub valid: String,
    /// 1 bit: it is the first after a trap (RVFI `intr`).
    pub trapped: String,
    /// xlen bits: its address (RVFI `pc_rdata`).
    pub pc: String,
    /// xlen bits: where it goes (RVFI `pc_wdata`).
    pub next_pc: String,
    /// 32 bits: the instruction (RVFI `insn`).
    pub insn: String,
}

/// Ports of a trace system, by their names in the Verilog. Inputs that are not named stay 0.
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
    /// Register bus: 1 writes.
    pub bus_write: String,
    /// Register bus: data in.
    pub bus_wdata: String,
    /// Register bus: data out, one cycle after the address.
    pub bus_rdata: String,
    /// A trace word is there.
    pub valid: String,
    /// It is taken.
    pub ready: String,
    /// The word, 32 bits.
    pub data: String,
}

impl TracePorts {
    /// Ports of `cores` cores with RVFI ingress. `core` names a core's port from its index and one of
    /// `valid`, `intr`, `pc_rdata`, `pc_wdata`, `insn`; `system` names the others from one of `clock`,
    /// `reset`, `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata`, `valid`, `ready`, `data`. No name for
    /// `reset` (an empty one): there is none.
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

    /// `system.h` for the harness.
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

/// How a beat file is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// Clocks without any beat are cut down to so many in a row: functional traces do not see them.
    pub idle_limit: u64,
    /// So many idle clocks are put after each clock with a beat: a slower core, or time for the encoder.
    pub rest: u64,
    /// Clocks between the last beat and the end of tracing.
    pub gap: u64,
    /// Not 0: the sink's ready stalls by a pattern from this seed, open and shut for 1 to 16 clocks, now
    /// and then 64.
    pub stall_seed: u64,
    /// Not 0: registers and memories without an initial value start with random bits from this seed.
    pub init_seed: u32,
    /// Not 0: what is written to register `sync` before.
    pub sync: u32,
    /// Not 0: the sink takes no more than a word in so many clocks.
    pub clocks_a_word: u64,
}

impl Default for TraceOptions {
    /// The file as it is, ready always, from a state of zeros.
    fn default() -> Self {
        Self { idle_limit: u64::MAX, rest: 0, gap: 0, stall_seed: 0, init_seed: 0, sync: 0, clocks_a_word: 0 }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// Clock cycles in all.
    pub cycles: u64,
    /// Cycle that is clock 0 of the beat file.
    pub start: u64,
    /// Clock, counted as in the beat file, of the write that ended tracing; it differs from the file's
    /// clocks where `idle_limit` or `rest` changed them.
    pub stop: u64,
    /// Instructions retired.
    pub beats: u64,
    /// Trace words.
    pub words: u64,
    /// The overflow register at the end, one bit a core.
    pub overflow: u32,
}

/// A Verilated trace system.
#[derive(Clone, Debug)]
pub struct TraceCosim {
    program: PathBuf,
}

impl TraceCosim {
    /// Builds the first module of `verilog`, or finds it built.
    pub fn build(verilog: &str, ports: &TracePorts) -> Result<Self, CosimError> {
        let main = include_str!("../../verilator/trace.cpp");
        let program = build(&[("top.v", verilog), ("system.h", &ports.header()), ("main.cpp", main), WORDS])?;
        Ok(Self { program })
    }

    /// Plays the beat file and gives every trace word to `each`, in order; memory stays bounded.
    pub fn run(
        &self,
        beats: &Path,
        options: &TraceOptions,
        mut each: impl FnMut(u32),
    ) -> Result<TraceSummary, CosimError> {
        let TraceOptions { idle_limit, rest, gap, stall_seed, init_seed, sync, clocks_a_word } = *options;
        let numbers = [idle_limit, rest, gap, stall_seed, init_seed.into(), sync.into(), clocks_a_word];
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
        // standard error is some lines at most: it cannot fill its pipe while words are read
        let mut said = String::new();
        child.stderr.take().ok_or_else(lost)?.read_to_string(&mut said)?;
        let status = child.wait()?;
        let summary = said.lines().find_map(|l| l.strip_prefix("summary ")).and_then(summary);
        match summary {
            Some(summary) if status.success() => Ok(summary),
            _ => Err(CosimError::Harness { status: status.to_string(), said: said.trim().into() }),
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
