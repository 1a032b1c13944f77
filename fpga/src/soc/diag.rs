//! A SoC in Verilator with the diagnosis chip at its cores' RVFI ports
//!
//! The SoC is that of [`super::top`], without changes to any wire; the chip is a second module next to it. It accesses
//! core ports that the SoC does not expose by hierarchical path, so this is for simulation. If a core does not show
//! registers and memory, only addresses can be watched. The host's packets go into the chip before the cores start and
//! after they have stopped; its frames leave at the rate of a link. A trace system of the SoC is also next to it, as a
//! node of the ring: the ring configures it, and its words leave in the chip's frames.

use super::core::CoreKind;
use super::emitted::emitted;
use super::image;
use super::log::{Code, Log, LogError};
use super::run::RunError;
use super::top::{ExtraCircuit, Output, Purpose, SocConfig, SocError};
use super::verilate::{build_files, BuildError};
use crate::records::{read_simulation, Words, WORDS};
use hdl::diag::chip::{DiagChip, DiagParams};
use retire::elf::Program;
use retire::file::scratch;
use retire::isa::length;
use retire::{FlowEvent, MasterStore};
use sim::diag::generator::{Access, Generator, ObservedInsn};
use sim::diag::master;
use sim::diag::node::trace::ADDRESS;
use sim::diag::packet::Event;
use sim::diag::trigger::{GeneratorParams, Slot, SlotError};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

mod trace;
pub mod window;

/// A retired instruction, from the core's RVFI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Core.
    pub core: u8,
    /// Cycle of the chip.
    pub clock: u32,
    /// Address.
    pub pc: u32,
    /// Address of the next instruction.
    pub npc: u32,
    /// Encoding as in the program.
    pub insn: u32,
    /// Register that it writes; 0: none.
    pub rd: u8,
    /// Value written to the register.
    pub rd_value: u32,
    /// Masks of the bytes read and written, from `addr` on.
    pub masks: (u8, u8),
    /// Memory address: of the word, or of the first byte.
    pub addr: u32,
    /// Values read and written.
    pub values: (u32, u32),
}

impl Retired {
    /// The instruction as the golden generator sees it; `trap`: address and cause of the last trap before it.
    pub fn seen(&self, trap: Option<(u32, u32)>) -> ObservedInsn {
        let access = |mask: u8, value: u32, store| {
            let (offset, size) = (mask.trailing_zeros(), mask.count_ones());
            let value = value.wrapping_shr(8 * offset) & (u32::MAX >> (32 - 8 * size.clamp(1, 4)));
            let addr = u64::from(self.addr + offset);
            (mask != 0).then_some(Access { addr, size: size as u8, value: value.into(), store })
        };
        ObservedInsn {
            cycle: self.clock.into(),
            pc: self.pc.into(),
            next_pc: self.npc.into(),
            insn: self.insn,
            len: length(self.insn as u16),
            trap: trap.map(|(came, cause)| (cause & 16 != 0, cause as u8 & 15, came.into())),
            rd: (self.rd != 0).then_some((self.rd, self.rd_value.into())),
            accesses: [access(self.masks.0, self.values.0, false), access(self.masks.1, self.values.1, true)],
            first: false,
        }
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct DiagRun {
    /// Retired instructions of all cores, in commit order.
    pub retired: Vec<Retired>,
    /// Bytes of the link, with their cycles.
    pub bytes: Vec<(u32, u8)>,
    /// Cycle of the chip in which the cores started.
    pub start: u32,
    /// Cycles in which the cores ran.
    pub cycles: u64,
    /// Number of stores, and a hash over their cycles, cores, addresses and data.
    pub stores: (u64, u64),
    /// Whether the program exited.
    pub exited: bool,
    /// Stores of the DMA, each with its index in `retired`; cycles are those of the chip.
    pub stores_of_dma: Vec<(usize, MasterStore)>,
    /// Traps taken: core, index in `retired`, address and cause (bit 4: interrupt).
    pub traps: Vec<(u8, usize, u32, u32)>,
}

impl DiagRun {
    /// The control flow of all cores in commit order, as in a trace.
    pub fn flow(&self, program: &Program, cores: u8) -> Result<Vec<FlowEvent>, LogError> {
        let (mut log, mut traps) = (Log::new(program, cores), self.traps.iter().peekable());
        for (n, r) in self.retired.iter().enumerate() {
            while let Some((core, _, mepc, cause)) = traps.next_if(|t| t.1 == n) {
                log.trap(*core, *mepc, *cause);
            }
            log.retired(r.core, u64::from(r.clock - self.start), r.pc, r.npc)?;
        }
        Ok(log.finish(self.cycles)?.0)
    }

    /// The events that golden generators with `slots` send for the retire log and for the stores of the DMA, in commit
    /// order, each with its destination, and the number of lost events. Nothing waits for a full FIFO.
    pub fn events(
        &self,
        cores: u8,
        params: GeneratorParams,
        slots: &[Slot],
    ) -> Result<(Vec<(u8, Event)>, u64), SlotError> {
        let unlimited = |params| GeneratorParams { queue: u8::MAX, fifo: u8::MAX, ..params };
        let mut generators: Vec<Generator> = (0..cores).map(|c| Generator::new(unlimited(params), c)).collect();
        generators.iter_mut().try_for_each(|g| g.set(slots.to_vec()))?;
        let of_master = GeneratorParams { slots: u8::MAX, wide: u8::MAX, ..GeneratorParams::MASTER };
        let mut dma = Generator::new(unlimited(of_master), cores);
        dma.set(master::slots(slots))?;
        let (mut events, mut traps) = (Vec::new(), self.traps.iter().peekable());
        let mut observe = |g: &mut Generator, seen: &ObservedInsn| {
            g.observe(seen);
            while !g.is_idle() {
                g.clock(None);
                events.extend(g.pop());
            }
        };
        let mut stores = self.stores_of_dma.iter().peekable();
        let mut taken = vec![None; usize::from(cores)];
        for (n, r) in self.retired.iter().enumerate() {
            while let Some((_, store)) = stores.next_if(|s| s.0 <= n) {
                observe(&mut dma, &master::observed(store, 32));
            }
            while let Some((core, _, came, cause)) = traps.next_if(|t| t.1 == n) {
                taken[usize::from(*core)] = Some((*came, *cause));
            }
            let core = usize::from(r.core);
            observe(&mut generators[core], &r.seen(taken[core].take()));
        }
        stores.for_each(|(_, store)| observe(&mut dma, &master::observed(store, 32)));
        generators.push(dma);
        Ok((events, generators.iter().map(|g| g.counts().0.total()).sum()))
    }
}

/// Next action of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Send these bytes.
    Bytes(Vec<u8>),
    /// Start the cores.
    Go,
    /// End the run.
    End,
}

/// A SoC with a diagnosis chip.
#[derive(Clone, Debug)]
pub struct DiagSoc {
    config: SocConfig,
    program: PathBuf,
}

const FLOW: [(&str, usize); 6] =
    [("valid", 1), ("insn", 32), ("trap", 1), ("intr", 1), ("pc_rdata", 32), ("pc_wdata", 32)];
const DATA: [(&str, usize); 7] = [
    ("rd_addr", 5),
    ("rd_wdata", 32),
    ("mem_addr", 32),
    ("mem_rmask", 4),
    ("mem_wmask", 4),
    ("mem_rdata", 32),
    ("mem_wdata", 32),
];

/// Wires of the core itself that report traps.
const TRAP: [(&str, usize); 3] = [("retire_trap", 1), ("retire_mepc", 32), ("retire_cause", 5)];

impl DiagSoc {
    /// Builds it below `cache`, or finds it in the cache.
    pub fn build(config: &SocConfig, chip: &DiagParams, cache: &Path) -> Result<Self, BuildError> {
        let needs = |what, needs| BuildError::Soc(SocError::Needs { what, needs });
        check_core(config.core, chip.generator.lite)?;
        if chip.cores != config.cores || !matches!(config.output, Output::Port { .. }) {
            return Err(needs("a diagnosis chip", "a generator for each core, and a SoC with a port"));
        }
        if chip.masters != u8::from(config.dma) {
            return Err(needs("a generator of a bus master", "a SoC with one, a DMA"));
        }
        if chip.clocked > 0 {
            return Err(needs("a core with a separate clock", "another SoC: all cores of this one have its clock"));
        }
        let inner = SocConfig { trace: None, ..config.clone() };
        let soc = inner.verilog_with(Purpose::Simulation, Some(&ExtraCircuit::default()))?;
        let soc = soc.replace("module soc(", "module soc_inner(");
        let windows = chip.windows;
        if windows && config.trace.is_none() {
            return Err(needs("a window", "a trace system"));
        }
        let trace = trace::circuits(config, windows)?;
        let outside = config.trace.map(|_| ADDRESS).into_iter().collect();
        let chip =
            DiagChip::new(&DiagParams { outside, ..chip.clone() }).map_err(|e| SocError::Refused(e.to_string()))?;
        let chip = emitted(chip, "diag_chip").map_err(SocError::Refused)?;
        let top = top(config, windows);
        let text = format!("{soc}{chip}{trace}{top}");
        let header = header(config.cores);
        let files = [
            ("soc.v", text.as_str()),
            ("diag.h", header.as_str()),
            ("main.cpp", include_str!("../../verilator/diag.cpp")),
            WORDS,
        ];
        Ok(Self { config: config.clone(), program: build_files(&files, false, cache)? })
    }

    /// Runs `program`. `before` and `after` are bytes of host frames; those after the run are sent in groups, each when
    /// nothing arrives any more. The link sends one byte per `byte_clocks` cycles.
    pub fn run(
        &self,
        program: &Program,
        before: &[u8],
        after: &[Vec<u8>],
        byte_clocks: u32,
        max_cycles: u64,
    ) -> Result<DiagRun, RunError> {
        let groups = after.iter().map(|g| HostAction::Bytes(g.clone()));
        let mut steps = [HostAction::Bytes(before.to_vec()), HostAction::Go].into_iter().chain(groups);
        self.run_with(program, byte_clocks, max_cycles, &mut |_| steps.next().unwrap_or(HostAction::End))
    }

    /// Runs `program`. `host` is called with what has arrived so far, at the start and whenever nothing arrives any
    /// more, and returns the next action.
    pub fn run_with(
        &self,
        program: &Program,
        byte_clocks: u32,
        max_cycles: u64,
        host: &mut dyn FnMut(&DiagRun) -> HostAction,
    ) -> Result<DiagRun, RunError> {
        image::check_supported(program, self.config.core)?;
        let hex = image::hex(program, self.config.ram_bytes())?;
        let folder = scratch::Folder::new()?;
        let image = folder.path().join("image.hex");
        std::fs::write(&image, hex)?;
        let mut child = Command::new(&self.program)
            .arg(format!("+image={}", image.display()))
            .arg(if max_cycles == 0 { u64::MAX / 2 } else { max_cycles }.to_string())
            .arg(byte_clocks.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let lost = || std::io::Error::other("the simulation has no pipes");
        let mut answers = child.stdin.take().ok_or_else(lost)?;
        let mut run: DiagRun =
            read_simulation(child, move |words| Ok::<_, RunError>(take(words, &mut answers, host).ok()))?;
        let code = Code::new(program);
        for r in &mut run.retired {
            let none = LogError::NoCode { cycle: u64::from(r.clock - run.start), core: r.core, pc: r.pc };
            r.insn = code.insn(r.pc).ok_or(none)?;
        }
        Ok(run)
    }
}

/// Refuses a core that shows no data, unless the generators only use addresses.
fn check_core(core: CoreKind, lite: bool) -> Result<(), SocError> {
    if core.shows_data() || lite {
        return Ok(());
    }
    let needs = "a core that exposes registers and memory, picorv32 or ibex; the others need `--lite`";
    Err(SocError::Needs { what: "a full event generator", needs })
}

/// Ports of the chip for its host: bytes of frames in and out.
const CHIP: [&str; 6] = [
    "input host_valid",
    "input [7:0] host_octet",
    "output host_ready",
    "output valid",
    "output [7:0] octet",
    "input ready",
];

/// The SoC with the chip in it, for synthesis; the top module is `placed`. The chip's packets and the serial line of
/// the console are ports. RAM is not initialised.
pub fn placed(config: &SocConfig, chip: &DiagParams) -> Result<String, SocError> {
    let needs = |what, needs| SocError::Needs { what, needs };
    if config.core != CoreKind::Picorv32 {
        return Err(needs(
            "a placed diagnosis chip",
            "picorv32: of other cores the cause of a trap is for simulation only",
        ));
    }
    if chip.cores != config.cores || !matches!(config.output, Output::Uart { .. }) {
        return Err(needs("a placed diagnosis chip", "a generator for each core, and a SoC with a serial line"));
    }
    let names: Vec<&str> = CHIP.iter().filter_map(|p| p.split_whitespace().last()).collect();
    let list = |names: &[&str]| names.iter().map(|p| format!(".{p}({p})")).collect::<Vec<_>>().join(", ");
    let of_core = |i: u8| {
        let flow = FLOW.iter().map(|(name, _)| name);
        let each = flow.chain(DATA.iter().map(|(name, _)| name));
        let joined: String = each.map(|name| format!(", .rvfi_{name}_{i}(rvfi_{name}_{i})")).collect();
        format!("{joined}, .cause_{i}(8'd0)")
    };
    let joined: String = (0..chip.cores).map(of_core).collect();
    let instance = format!("    diag_chip chip(.clock(clk), .reset(reset), {}{joined});\n", list(&names));
    let chip = DiagChip::new(chip).map_err(|e| SocError::Refused(e.to_string()))?;
    let chip = emitted(chip, "diag_chip").map_err(SocError::Refused)?;
    let more = ExtraCircuit { ports: CHIP.map(String::from).to_vec(), instance };
    let soc = config.verilog_with(Purpose::Synthesis { image: "" }, Some(&more))?;
    Ok(format!(
        "module placed(\n    input clk, input reset, input rx, output tx,\n    {}\n);\n    \
         soc soc(.clk(clk), .reset(reset), .halt(1'b0), .rx(rx), .tx(tx), {});\nendmodule\n{soc}{chip}",
        CHIP.join(",\n    "),
        list(&names)
    ))
}

fn take(
    source: &mut Words,
    answers: &mut impl std::io::Write,
    host: &mut dyn FnMut(&DiagRun) -> HostAction,
) -> std::io::Result<DiagRun> {
    let mut run = DiagRun::default();
    loop {
        let head = source.word()?;
        match head & 15 {
            1 => {
                let (clock, pc, npc, lanes) = (source.word()?, source.word()?, source.word()?, source.word()?);
                run.retired.push(Retired {
                    core: (head >> 4 & 15) as u8,
                    clock,
                    pc,
                    npc,
                    insn: 0,
                    rd: (lanes & 31) as u8,
                    masks: ((lanes >> 8 & 15) as u8, (lanes >> 16 & 15) as u8),
                    rd_value: source.word()?,
                    addr: source.word()?,
                    values: (source.word()?, source.word()?),
                });
            }
            2 => run.bytes.push((source.word()?, source.word()? as u8)),
            7 => {
                let (cycle, addr, value, mask) = (source.word()?, source.word()?, source.word()?, source.word()?);
                let store = MasterStore { addr: addr.into(), value, mask: mask as u8, cycle: cycle.into() };
                run.stores_of_dma.push((run.retired.len(), store));
            }
            5 => run.traps.push(((head >> 4 & 15) as u8, run.retired.len(), source.word()?, source.word()?)),
            6 => {
                let (count, bytes) = match host(&run) {
                    HostAction::Bytes(bytes) => (bytes.len() as u32, bytes),
                    HostAction::Go => (u32::MAX, Vec::new()),
                    HostAction::End => (u32::MAX - 1, Vec::new()),
                };
                answers.write_all(&[&count.to_le_bytes()[..], &bytes].concat())?;
                answers.flush()?;
            }
            3 => run.start = source.word()?,
            4 => {
                (run.cycles, run.stores) = (source.double()?, (source.double()?, source.double()?));
                // counted as in `super::run`, without the cycle in which the cores stop
                run.cycles = run.cycles.saturating_sub(1);
                run.exited = source.word()? != 0;
                return Ok(run);
            }
            other => return Err(std::io::Error::other(format!("record of kind {other}"))),
        }
    }
}

/// The top module with SoC and chip.
fn top(config: &SocConfig, windows: bool) -> String {
    let SocConfig { core, cores, dma, .. } = *config;
    let traced = config.trace.is_some();
    let mut ports = [
        "input clk",
        "input reset",
        "input soc_reset",
        "input halt",
        "output run",
        "output exited",
        "output access",
        "output [3:0] access_master",
        "output [31:0] access_addr",
        "output [31:0] access_wdata",
        "output [3:0] access_wstrb",
    ]
    .map(String::from)
    .to_vec();
    ports.extend(CHIP.map(String::from));
    let (mut body, mut joined) = (String::new(), String::new());
    for i in 0..cores {
        let mut port = |name: &str, bits: usize, from: String| {
            let range = if bits > 1 { format!("[{}:0] ", bits - 1) } else { String::new() };
            ports.push(format!("output {range}{name}_{i}"));
            let _ = writeln!(body, "    assign {name}_{i} = {from};");
        };
        for (name, bits) in FLOW {
            port(&format!("rvfi_{name}"), bits, format!("inner.core_{i}.rvfi_{name}"));
        }
        for (name, bits) in DATA {
            let shown = format!("inner.core_{i}.rvfi_{name}");
            port(&format!("rvfi_{name}"), bits, if core.shows_data() { shown } else { format!("{bits}'d0") });
        }
        for (name, bits) in TRAP {
            port(name, bits, format!("inner.core_{i}.{name}"));
        }
        // RVFI does not report causes
        let _ = write!(
            body,
            "    reg [4:0] last_cause_{i};\n    wire [4:0] cause_{i} = retire_trap_{i} ? retire_cause_{i} : last_cause_{i};\n    \
             always @(posedge clk) last_cause_{i} <= cause_{i};\n"
        );
        for (name, _) in FLOW.iter().chain(&DATA) {
            let _ = write!(joined, ",\n        .rvfi_{name}_{i}(rvfi_{name}_{i})");
        }
        let _ = write!(joined, ",\n        .cause_{i}({{4'd0, cause_{i}[3:0]}})");
    }
    if dma {
        // after the cores on the bus
        let _ = write!(
            joined,
            ",\n        .master_valid_0(access && access_master == 4'd{cores} && access_wstrb != 4'd0), \
             .master_addr_0(access_addr),\n        .master_mask_0(access_wstrb), .master_data_0(access_wdata)"
        );
    }
    if traced {
        body.push_str(&trace::instances(cores, windows));
        joined.push_str(&trace::joined());
    }
    if windows {
        joined.push_str(&trace::hidden(cores));
    }
    format!(
        "module soc(\n    {}\n);\n    soc_inner inner(.clk(clk), .reset(soc_reset), .halt(halt), .run(run), .exited(exited), \
         .access(access),\n        .access_master(access_master), .access_addr(access_addr), .access_wdata(access_wdata), \
         .access_wstrb(access_wstrb));\n{body}    diag_chip chip(.clock(clk), .reset(reset), .host_valid(host_valid), \
         .host_octet(host_octet), .host_ready(host_ready),\n        .valid(valid), .octet(octet), .ready(ready){joined});\n\
         endmodule\n",
        ports.join(",\n    ")
    )
}

fn header(cores: u8) -> String {
    let mut s = format!(
        "#pragma once\n#include <cstdint>\n#define CORES {cores}u\n\
         static inline bool get_retired(Vsoc& t, unsigned core, uint32_t* v) {{\n    switch (core) {{\n"
    );
    for i in 0..cores {
        let _ = writeln!(
            s,
            "    case {i}: v[0] = t.rvfi_pc_rdata_{i}; v[1] = t.rvfi_pc_wdata_{i};\n        \
             v[2] = t.rvfi_rd_addr_{i} | t.rvfi_mem_rmask_{i} << 8 | t.rvfi_mem_wmask_{i} << 16; v[3] = t.rvfi_rd_wdata_{i};\n        \
             v[4] = t.rvfi_mem_addr_{i}; v[5] = t.rvfi_mem_rdata_{i}; v[6] = t.rvfi_mem_wdata_{i};\n        \
             return t.rvfi_valid_{i} && !t.rvfi_trap_{i};"
        );
    }
    s.push_str("    }\n    return false;\n}\n");
    s.push_str(
        "static inline bool get_trap(Vsoc& t, unsigned core, uint32_t& mepc, uint32_t& cause) {\n    switch (core) {\n",
    );
    for i in 0..cores {
        let _ = writeln!(
            s,
            "    case {i}: mepc = t.retire_mepc_{i}; cause = t.retire_cause_{i}; return t.retire_trap_{i};"
        );
    }
    s.push_str("    }\n    return false;\n}\n");
    s
}
