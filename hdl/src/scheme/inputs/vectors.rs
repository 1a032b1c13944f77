//! Test vectors of a recording system

use crate::scheme::data::{beat, head, DataBench, Line, CYCLES_PER_INSTRUCTION, INSTRUCTIONS};
use retire::elf::Program;
use retire::MasterStore;
use sim::params::ParamError;
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Beat, Recorder, Reference};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;

/// Index of the memory bus in `beats.txt`; lower ones are the cores'.
const BUS: u8 = 8;
/// Index of bus masters other than cores in `beats.txt`.
const MASTER: u8 = 9;

/// Ports of a core that systems of load values do not have.
const PORTS: &[(&str, &str)] = &[
    ("rvfi_pc_rdata", "[31:0] "),
    ("rvfi_pc_wdata", "[31:0] "),
    ("trap_valid", ""),
    ("trap_interrupt", ""),
    ("trap_cause", "[3:0] "),
];

/// A random reference, and its line: `insn` the address, `pc` the flags (bit 0 write, 1 changes, 2 again), `npc` the core.
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

/// A random store of a bus master, and its line: `insn` the address, `pc` the word, `npc` the bytes of it that are stored.
fn store(s: &mut Source, p: &InputsParams, cycle: u64) -> (MasterStore, Line) {
    let addr = p.ram_base + 4 * s.below(64) as u32;
    let (data, mask) = (if s.percent(50) { s.below(3) } else { s.bits(32) } as u32, s.between(1, 15) as u8);
    let mask = if s.percent(70) { 15 } else { mask };
    let word = MasterStore { addr: addr.into(), value: data, mask, cycle };
    let line = Line { cycle, port: MASTER, insn: addr, pc: data, npc: mask.into(), ..Line::default() };
    (MasterStore { value: data & word.bits(), ..word }, line)
}

/// The test vectors for `p`, with the bench's parts for the memory bus and for bus masters.
///
/// # Errors
/// When the model does not support `p`.
pub fn vectors(p: &InputsParams) -> Result<DataBench, ParamError> {
    // a cycle-by-cycle model needs no program
    let (segments, build_id) = (Vec::new(), Vec::new());
    let none = Program {
        xlen: p.xlen,
        compressed: true,
        multiplies: true,
        zcm: false,
        entry: 0,
        segments,
        build_id,
        tohost: None,
    };
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
        let mut event_code = vec![Beat::Idle; p.cores.into()];
        let master = (p.sizes.masters && s.below(4 * CYCLES_PER_INSTRUCTION) == 0).then(|| {
            let (store, line) = store(&mut s, p, cycle);
            line.write(&mut beats);
            store
        });
        let made = if master.is_none() && s.below(CYCLES_PER_INSTRUCTION) == 0 {
            let (made, line) = reference(&mut s, p, cycle);
            line.write(&mut beats);
            made
        } else {
            None
        };
        if s.below(CYCLES_PER_INSTRUCTION) == 0 {
            let core = s.below(p.cores.into()) as u8;
            let (beat, line) = beat(&mut s, p, cycle, core);
            line.write(&mut beats);
            event_code[usize::from(core)] = beat;
            instructions += 1;
        }
        match master {
            Some(store) => model.clock_master(&store, &event_code),
            None => model.clock(made.as_ref(), &event_code),
        }
        cycle += 1;
    }
    model.finish();
    let words: Vec<u32> = model.drain().collect();
    let masters = if p.sizes.masters { MASTER_TEXT } else { [""; 4] };
    let own = [0, 1, 2, 3].map(|i| BUS_TEXT[i].to_string() + masters[i]);
    Ok(DataBench { beats, words, stop: cycle, ports: PORTS, own })
}

/// Verilog for the memory bus: ports, signals, idle values, values of a reference.
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

/// Verilog for bus masters: ports, signals, idle values, values of a store.
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
