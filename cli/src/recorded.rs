//! The files of a record system (scheme `inputs`): Verilog, register map, parameters, test vectors and their bench; and what of
//! them all systems have that take the cores' data
//!
//! The vectors are seeded random ports, at a pace at which no core has to wait, and the words that the golden model makes
//! of them.

use crate::inputs;
use crate::output::{count, TOOL};
use crate::package::{File, VERILOG};
use crate::testbench::{Own, FILE};
use crate::Failure;
use hdl::bus::wrap::Buses;
use hdl::emit::{emit_inputs, SystemOptions};
use hdl::verilog::Style;
use retire::elf::Program;
use retire::MasterStore;
use serde_json::json;
use sim::params::{named_set, TraceParams};
use sim::regmap;
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Access, Beat, Recorder, Reference, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;
use std::fmt::Write;

/// Instructions of all cores together.
pub const INSTRUCTIONS: u32 = 3000;
/// Clocks for each instruction, of all cores, and for each reference.
pub const PACE: u64 = 60;
/// Port of the memory bus in `beats.txt`; those before it are the cores'.
const BUS: u8 = 8;
/// That of bus masters that are no cores.
const MASTER: u8 = 9;

/// A line of `beats.txt`, hex but for the first two.
#[derive(Default)]
pub struct Line {
    cycle: u64,
    port: u8,
    insn: u32,
    pc: u32,
    npc: u32,
    rd: u8,
    value: u32,
    addr: u32,
    masks: u8,
    loaded: u32,
    stored: u32,
    /// 0: an instruction retires; 1, 3: an access is refused, an interrupt taken, with `cause`.
    told: u8,
    cause: u8,
}

impl Line {
    /// Appends it.
    pub fn write(&self, to: &mut String) {
        let l = self;
        let _ = writeln!(
            to,
            "{} {} {:08x} {:08x} {:08x} {:02x} {:08x} {:08x} {:02x} {:08x} {:08x} {:x} {:x}",
            l.cycle, l.port, l.insn, l.pc, l.npc, l.rd, l.value, l.addr, l.masks, l.loaded, l.stored, l.told, l.cause
        );
    }
}

/// A reference, and its line: `insn` the address, `pc` the flags (bit 0 write, 1 changes, 2 again), `npc` the core.
fn reference(s: &mut Source, p: &InputsParams, cycle: u64) -> (Option<Reference>, Line) {
    let near = s.percent(80);
    let addr = if near { p.ram_base + 4 * s.below(64) as u32 } else { (s.bits(32) as u32) & !3 };
    let (core, write, changes, again) = (s.below(p.cores.into()) as u8, s.percent(30), s.percent(70), s.percent(10));
    let ram = p.is_ram(addr.into(), 1);
    let flags = u32::from(write) | u32::from(changes) << 1 | u32::from(again) << 2;
    let line = Line { cycle, port: BUS, insn: addr, pc: flags, npc: core.into(), ..Line::default() };
    let changes = write && (changes || !ram);
    ((write || ram).then_some(Reference { core, addr: addr.into(), changes, again }), line)
}

/// A store of a bus master, and its line: `insn` the address, `pc` the word, `npc` the bytes of it that are stored.
fn store(s: &mut Source, p: &InputsParams, cycle: u64) -> (MasterStore, Line) {
    let addr = p.ram_base + 4 * s.below(64) as u32;
    let (data, mask) = (if s.percent(50) { s.below(3) } else { s.bits(32) } as u32, s.between(1, 15) as u8);
    let mask = if s.percent(70) { 15 } else { mask };
    let word = MasterStore { addr: addr.into(), value: data, mask, cycle };
    let line = Line { cycle, port: MASTER, insn: addr, pc: data, npc: mask.into(), ..Line::default() };
    (MasterStore { value: data & word.bits(), ..word }, line)
}

/// What a core does, and its line.
pub fn beat(s: &mut Source, p: &InputsParams, cycle: u64, port: u8) -> (Beat, Line) {
    let mut l = Line { cycle, port, pc: s.bits(32) as u32 & !3, ..Line::default() };
    l.npc = l.pc + 4;
    let mut r = Retired::default();
    let rd = s.between(1, 31) as u32;
    l.value = if s.percent(70) { s.below(3) as u32 } else { s.bits(32) as u32 };
    let device = 0x1000_0000 + 4 * s.below(5) as u32;
    let addr = if s.percent(50) { p.ram_base + 4 * s.below(64) as u32 } else { device };
    let access = Access { size: 4, addr, value: l.value };
    let mut sets = true;
    l.insn = match s.below(8) {
        0 | 1 => {
            (l.addr, l.masks, l.loaded) = (addr, 0x0f, l.value);
            r.load = Some(access);
            0x2003 | rd << 7
        }
        2 => {
            (l.addr, l.masks, l.stored) = (addr, 0xf0, l.value);
            (r.store, sets) = (Some(access), false);
            0x2023
        }
        3 => {
            r.csr = Some((0x344, l.value));
            0x3440_2073 | rd << 7
        }
        4 => {
            let stored = s.percent(70);
            r.conditional = Some(stored);
            if stored {
                (l.addr, l.masks, l.stored) = (addr, 0xf0, l.value);
                r.store = Some(access);
            }
            0x1800_202f | rd << 7
        }
        5 => {
            l.npc = s.bits(32) as u32 & !3;
            r.flow = Some((l.pc, l.npc));
            0x6f | rd << 7
        }
        6 if s.percent(30) => {
            (l.told, l.cause) = (if s.percent(60) { 3 } else { 1 }, s.bits(4) as u8);
            return (Beat::Trap { interrupt: l.told == 3, cause: l.cause }, l);
        }
        _ => 0x13 | rd << 7,
    };
    if sets {
        l.rd = rd as u8;
        r.register = Some((l.rd, l.value));
    }
    (Beat::Retired(r), l)
}

/// Lines of both vectors.
pub struct Vectors {
    /// `beats.txt`.
    pub beats: String,
    /// `words.hex`.
    pub words: String,
    /// Words.
    pub count: usize,
    /// The clock behind the last line.
    pub stop: u64,
}

impl Vectors {
    /// With what the model sent.
    pub fn new(beats: String, words: &[u32], stop: u64) -> Self {
        let text = words.iter().fold(String::new(), |mut text, w| {
            let _ = writeln!(text, "{w:08x}");
            text
        });
        Self { beats, words: text, count: words.len(), stop }
    }
}

/// What `beats.txt` begins with: what its ports are, and its columns.
pub fn head(ports: &str) -> String {
    format!(
        "// hex but for the decimal cycle and port; the first clock behind the one in which `recording` rises is 0; {ports}\n\
         // cycle port insn pc next_pc rd value addr masks(write,read) loaded stored told(1 refused, 3 interrupt) cause\n"
    )
}

fn vectors(p: &InputsParams) -> Result<Vectors, Failure> {
    // the model clock by clock needs no program
    let (segments, build_id) = (Vec::new(), Vec::new());
    let none = Program { xlen: p.xlen, compressed: true, multiplies: true, entry: 0, segments, build_id, tohost: None };
    let (mut model, mut s) = (Recorder::new(p, &none)?, Source::seeded(1));
    if p.sizes.known > 0 {
        // nothing has retired before
        model.begin(&vec![0; p.ram_bytes as usize], vec![CoreState::default(); p.cores.into()]);
    }
    let mut beats = head(
        "port 8 is the memory bus: address, flags (1 write, 2 changes, 4 again), core; port 9 that of bus masters: address, \
         word, bytes of it",
    );
    let (mut cycle, mut instructions) = (0, 0);
    while instructions < INSTRUCTIONS {
        let mut told = vec![Beat::Idle; p.cores.into()];
        let master = (p.sizes.masters && s.below(4 * PACE) == 0).then(|| {
            let (store, line) = store(&mut s, p, cycle);
            line.write(&mut beats);
            store
        });
        let made = if master.is_none() && s.below(PACE) == 0 {
            let (made, line) = reference(&mut s, p, cycle);
            line.write(&mut beats);
            made
        } else {
            None
        };
        if s.below(PACE) == 0 {
            let core = s.below(p.cores.into()) as u8;
            let (beat, line) = beat(&mut s, p, cycle, core);
            line.write(&mut beats);
            told[usize::from(core)] = beat;
            instructions += 1;
        }
        match master {
            Some(store) => model.clock_master(&store, &told),
            None => model.clock(made.as_ref(), &told),
        }
        cycle += 1;
    }
    model.finish();
    let words: Vec<u32> = model.drain().collect();
    Ok(Vectors::new(beats, &words, cycle))
}

/// What the files of a system are made of.
pub struct System<'a> {
    /// N: cores.
    pub cores: u8,
    /// All parameters on a line, and their number.
    pub canonical: String,
    /// CRC-32 of it.
    pub fingerprint: u32,
    /// What JSON says of them.
    pub parameters: serde_json::Value,
    /// The circuit.
    pub verilog: String,
    /// Test vectors.
    pub vectors: Vectors,
    /// The bench that plays them.
    pub bench: String,
    /// Name of the top module.
    pub style: &'a Style,
}

impl System<'_> {
    /// The files.
    ///
    /// # Errors
    /// None that a user can make.
    pub fn files(self, options: &SystemOptions, buses: Buses) -> Result<Vec<File>, Failure> {
        let lines = count(self.verilog.lines().count() as u64);
        let described = json!({ "tool": TOOL, "fifo_entries": options.fifo_entries(), "parameters": self.parameters });
        // the map is that of any system; what differs is which one it says that it is
        let set = named_set("small").map_err(|e| Failure::Other(e.to_string()))?;
        let other = TraceParams::tr(set.params).with(|o| o.cores = self.cores);
        let (line, number) = (other.canonical(), format!("{:x}", other.fingerprint()));
        let memory = buses.words.has_registers();
        let own = format!("{:x}", self.fingerprint);
        let map = |text: String| text.replace(&line, &self.canonical).replace(&number, &own);
        let v = self.vectors;
        Ok(vec![
            (VERILOG, self.verilog, format!("Verilog, top module `{}`, {lines} lines", self.style.name)),
            ("registers.md", map(regmap::markdown(&other, memory, 0)), "register map".into()),
            ("registers.rdl", map(regmap::systemrdl(&other, memory, 0)), "register map in SystemRDL 2.0".into()),
            ("parameters.json", format!("{described:#}\n"), "all parameters, fingerprint".into()),
            ("beats.txt", v.beats, format!("test vectors: {} instructions in", count(INSTRUCTIONS.into()))),
            ("words.hex", v.words, format!("test vectors: {} words out", count(v.count as u64))),
            (FILE, self.bench, "test bench that plays them".into()),
        ])
    }
}

/// Makes all of them.
///
/// # Errors
/// There is no circuit.
pub fn make(p: &InputsParams, options: &SystemOptions, style: &Style, buses: Buses) -> Result<Vec<File>, Failure> {
    let verilog = emit_inputs(p, options.log2_fifo, style, buses).map_err(|e| Failure::Other(e.to_string()))?;
    let vectors = vectors(p)?;
    let masters = if p.sizes.masters { MASTER_TEXT } else { [""; 4] };
    let with = |i: usize| BUS_TEXT[i].to_string() + masters[i];
    let traps = [("trap_valid", ""), ("trap_interrupt", ""), ("trap_cause", "[3:0] ")];
    let flow = [("rvfi_pc_rdata", "[31:0] "), ("rvfi_pc_wdata", "[31:0] ")];
    let more: Vec<_> = flow.into_iter().chain(traps).collect();
    let bench = bench(p.cores, &more, [0, 1, 2, 3].map(with), &buses.system(style), &vectors);
    let system = System {
        cores: p.cores,
        canonical: p.canonical(),
        fingerprint: p.fingerprint(),
        parameters: inputs::parameters(p),
        verilog,
        vectors,
        bench,
        style,
    };
    system.files(options, buses)
}

/// Ports of a core that all such systems have.
const PORTS: [(&str, &str); 10] = [
    ("rvfi_valid", ""),
    ("rvfi_trap", ""),
    ("rvfi_insn", "[31:0] "),
    ("rvfi_rd_addr", "[4:0] "),
    ("rvfi_rd_wdata", "[31:0] "),
    ("rvfi_mem_addr", "[31:0] "),
    ("rvfi_mem_rmask", "[3:0] "),
    ("rvfi_mem_wmask", "[3:0] "),
    ("rvfi_mem_rdata", "[31:0] "),
    ("rvfi_mem_wdata", "[31:0] "),
];

/// The bench of a system of `cores` whose cores have ports `more`; `own`: what else it connects, declares, sets to nothing and
/// sets.
pub fn bench(cores: u8, more: &[(&str, &str)], own: [String; 4], style: &Style, v: &Vectors) -> String {
    let each = |line: &dyn Fn(u8) -> String| (0..cores).map(line).collect::<String>();
    let all: Vec<_> = PORTS.iter().chain(more).collect();
    let has = |port: &str| more.iter().any(|m| m.0 == port);
    let declared = |i: u8| all.iter().map(|(n, w)| format!("    reg {w}{n}_{i} = 0;\n")).collect::<String>();
    let connected = |i: u8| all.iter().map(|(n, _)| format!("        .{n}_{i}({n}_{i}),\n")).collect::<String>();
    let quiet = |i: u8| {
        let trap = if has("trap_valid") { format!("            trap_valid_{i} = 1'b0;\n") } else { String::new() };
        format!("            rvfi_valid_{i} = 1'b0;\n{trap}")
    };
    let says = |i: u8| {
        let says = [
            ("rvfi_valid", "told == 0"),
            ("rvfi_insn", "insn"),
            ("rvfi_pc_rdata", "pc"),
            ("rvfi_pc_wdata", "next_pc"),
            ("rvfi_rd_addr", "rd"),
            ("rvfi_rd_wdata", "value"),
            ("rvfi_mem_addr", "addr"),
            ("rvfi_mem_rmask", "masks[3:0]"),
            ("rvfi_mem_wmask", "masks[7:4]"),
            ("rvfi_mem_rdata", "loaded"),
            ("rvfi_mem_wdata", "stored"),
            ("trap_valid", "told != 0"),
            ("trap_interrupt", "told == 3"),
            ("trap_cause", "cause"),
        ];
        let there = says.iter().filter(|s| all.iter().any(|p| p.0 == s.0));
        let lines: String = there.map(|(port, what)| format!("                {port}_{i} = {what};\n")).collect();
        format!("            if (port == {i}) begin\n{lines}            end\n")
    };
    Own { text: TEXT, edge: EDGE, fields: 13, take: "says" }
        .fill(style, v.count, v.stop)
        .replace("@PORTS", &(each(&connected) + &own[0]))
        .replace("@SIGNALS", &(each(&declared) + &own[1]))
        .replace("@QUIET", &(each(&quiet) + &own[2]))
        .replace("@SAYS", &(each(&says) + &own[3]))
}

/// The model takes what comes at a pace at which no core waits.
const EDGE: &str = r#"            if (begun && hold !== 1'b0 && failed == 0) begin
                $display("FAIL: the cores are to wait");
                failed = 1;
            end
            begun = recording === 1'b1;
            idle = bus_rdata[@IDLE];
"#;

/// Of the memory bus: ports, signals, what says nothing, what says a reference.
const BUS_TEXT: [&str; 4] = [
    r#"        .mem_valid(mem_valid),
        .mem_core(mem_core),
        .mem_addr(mem_addr),
        .mem_write(mem_write),
        .mem_changes(mem_changes),
        .mem_again(mem_again),
"#,
    r#"    reg mem_valid = 1'b0, mem_write = 1'b0, mem_changes = 1'b0, mem_again = 1'b0;
    reg [2:0] mem_core = 3'd0;
    reg [31:0] mem_addr = 32'd0;
"#,
    r#"            mem_valid = 1'b0;
"#,
    r#"            if (port == 8) begin
                mem_valid = 1'b1;
                mem_addr = insn;
                {mem_again, mem_changes, mem_write} = pc[2:0];
                mem_core = next_pc[2:0];
            end
"#,
];

/// Of bus masters: ports, signals, what says nothing, what says a store.
const MASTER_TEXT: [&str; 4] = [
    r#"        .master_valid_0(master_valid),
        .master_addr_0(master_addr),
        .master_data_0(master_data),
        .master_mask_0(master_mask),
"#,
    r#"    reg master_valid = 1'b0;
    reg [31:0] master_addr = 32'd0, master_data = 32'd0;
    reg [3:0] master_mask = 4'd0;
"#,
    r#"            master_valid = 1'b0;
"#,
    r#"            if (port == 9) begin
                master_valid = 1'b1;
                master_addr = insn;
                master_data = pc;
                master_mask = next_pc[3:0];
            end
"#,
];

const TEXT: &str = r#"// Test bench of the system in goshawk_trace.v: plays beats.txt and compares with words.hex
//
//     iverilog -o tb goshawk_tb.v goshawk_trace.v && vvp tb
//
// It says PASS, or FAIL with what is wrong first.

module @NAME_tb;
    localparam WORDS = @WORDS;
    localparam STOP = @STOP;
    localparam PATIENCE = 4000000;

@BUS    wire valid, recording, hold;
    wire [31:0] data;
@SIGNALS
    @NAME dut (
@PORTS        .recording(recording),
        .hold(hold),
@SYSTEM    // before the latest edge
    reg begun = 1'b0, idle = 1'b0;

@TASKS
    integer beats, fields = 0, cycle, port, skipped;
    reg [31:0] insn, pc, next_pc, value, addr, loaded, stored;
    reg [7:0] masks;
    reg [4:0] rd;
    reg [3:0] told, cause;
    reg [8*512-1:0] comment;

    task next_beat;
        fields = $fscanf(beats, "%d %d %h %h %h %h %h %h %h %h %h %h %h", cycle, port, insn, pc, next_pc, rd, value,
                         addr, masks, loaded, stored, told, cause);
    endtask

    task quiet;
        begin
@QUIET        end
    endtask

    task says;
        begin
@SAYS        end
    endtask

    initial begin
@OPEN        while (!begun && waited < PATIENCE && failed == 0) begin
            tick;
            waited = waited + 1;
        end
        now = 0;
@PLAYendmodule
"#;
