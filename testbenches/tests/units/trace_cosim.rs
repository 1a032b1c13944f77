//! The trace-system harness: every beat arrives in its cycle, every word comes out in order

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use sim::beats::{Retired, Writer};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use std::io::BufWriter;
use std::path::Path;

/// A stand-in for a trace system: for each beat, a word `pc ^ rol(next_pc) ^ rol(insn)` with the core in the low bits;
/// and before each change of cycle, a word with the cycle. The FIFO may overflow.
fn stand_in(cores: usize, depth: usize) -> String {
    let mut ports = String::new();
    let mut pushes = String::new();
    for i in 0..cores {
        ports.push_str(&format!(
            "input c{i}$valid, input c{i}$intr, input [31:0] c{i}$pc_rdata, input [31:0] c{i}$pc_wdata, input [31:0] c{i}$insn,\n"
        ));
        pushes.push_str(&format!(
            "if (c{i}$valid) begin\n mem[head % {depth}] = (c{i}$pc_rdata ^ {{c{i}$pc_wdata[15:0], c{i}$pc_wdata[31:16]}} ^ {{c{i}$insn[7:0], c{i}$insn[31:8]}}) \
             + {{c{i}$intr, 31'd{i}}};\n head = head + 1;\n if (head - tail >= {depth}) lost[{i}] = 1;\n end\n"
        ));
    }
    format!(
        "module top(input clock, input reset,\n{ports}input [2:0] addr, input write, input [31:0] wdata, output reg [31:0] rdata,\n\
         output valid, input ready, output [31:0] data);\n\
         reg enable; reg [7:0] clear; reg [31:0] head, tail; reg [31:0] mem [0:{depth}-1]; reg [15:0] lost;\n\
         wire active = enable && clear == 0;\n\
         assign valid = head != tail;\nassign data = mem[tail % {depth}];\n\
         always @(posedge clock) begin\n\
         if (valid && ready) tail = tail + 1;\n\
         if (active) begin\n{pushes}end\n\
         if (clear != 0) clear = clear - 1;\n\
         rdata <= addr == 3 ? {{29'd0, !enable && head == tail, active, clear == 0}} : addr == 4 ? {{16'd0, lost}} : 32'd0;\n\
         if (write && addr == 2) enable = wdata[0];\n\
         if (reset) begin enable = 0; clear = 99; head = 0; tail = 0; lost = 0; end\n\
         end\nendmodule\n"
    )
}

fn ports(cores: usize) -> TracePorts {
    TracePorts::rvfi(cores, 32, |i, name| format!("c{i}${name}"), |name| name.trim_start_matches("bus_").into())
}

fn word(r: &Retired) -> u32 {
    let mixed = r.pc as u32 ^ (r.next_pc as u32).rotate_left(16) ^ r.insn.rotate_right(8);
    mixed.wrapping_add(u32::from(r.trapped) << 31 | u32::from(r.hart))
}

fn write(path: &Path, cores: u8, beats: &[Retired]) {
    let mut w = Writer::new(BufWriter::new(std::fs::File::create(path).unwrap()), cores, 32).unwrap();
    beats.iter().for_each(|b| w.push(b).unwrap());
    w.finish().unwrap();
}

#[test]
fn every_beat_comes_out_once_in_order_with_and_without_stalls() {
    let (dir, cores) = (tempfile::tempdir().unwrap(), 3);
    let beats = record(&Model::new(&Shape::rv32(3)), &Config::new(3, 3), 20_000).retired;
    let file = dir.path().join("beats");
    write(&file, 3, &beats);
    let want: Vec<u32> = beats.iter().map(word).collect();
    let last = beats.last().unwrap().cycle;
    let cosim = TraceCosim::build(&stand_in(cores, 1 << 16), &ports(cores)).unwrap();
    let run = |options| {
        let mut got = Vec::new();
        let summary = cosim.run(&file, &options, |w| got.push(w)).unwrap();
        assert!(got == want, "{options:?}: {} words, {} wanted", got.len(), want.len());
        assert_eq!((summary.beats, summary.words, summary.overflow), (20_000, 20_000, 0));
        summary
    };
    let plain = TraceOptions::default();
    let s = run(plain);
    assert_eq!(s.stop, last + 1);
    assert!(s.start > 99 + 4);
    assert_eq!(run(TraceOptions { gap: 7, ..plain }).stop, last + 8);
    let clocks = beats.iter().map(|b| b.cycle).collect::<std::collections::BTreeSet<_>>().len() as u64;
    assert_eq!(run(TraceOptions { idle_limit: 0, ..plain }).stop, clocks);
    assert_eq!(run(TraceOptions { idle_limit: 0, idle_after_beat: 2, ..plain }).stop, 3 * clocks - 2);
    let stalled = run(TraceOptions { stall_seed: 5, ..plain });
    assert_eq!(stalled.stop, s.stop);
    assert!(stalled.cycles > s.cycles);
}

#[test]
fn an_overflow_is_reported_with_its_core() {
    let dir = tempfile::tempdir().unwrap();
    let beat = |cycle| Retired { cycle, hart: 1, trapped: false, len: 4, pc: cycle, next_pc: cycle + 4, insn: 0x13 };
    let beats: Vec<Retired> = (0..200).map(beat).collect();
    let file = dir.path().join("beats");
    write(&file, 2, &beats);
    let cosim = TraceCosim::build(&stand_in(2, 16), &ports(2)).unwrap();
    let options = TraceOptions { stall_seed: 1, ..TraceOptions::default() };
    assert_eq!(cosim.run(&file, &options, |_| ()).unwrap().overflow, 2);
    assert_eq!(cosim.run(&file, &TraceOptions::default(), |_| ()).unwrap().overflow, 0);
}

#[test]
fn a_wrong_beat_file_is_an_error_that_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let cosim = TraceCosim::build(&stand_in(2, 16), &ports(2)).unwrap();
    let beat = Retired { cycle: 0, hart: 0, trapped: false, len: 4, pc: 0, next_pc: 4, insn: 0x13 };
    let file = dir.path().join("beats");
    let fails = |text: &str| {
        let e = cosim.run(&file, &TraceOptions::default(), |_| ()).unwrap_err().to_string();
        assert!(e.contains(text), "{e}");
    };
    write(&file, 3, &[beat]);
    fails("header does not fit this system");
    write(&file, 2, &[beat, beat]);
    fails("beat 1: core 0 twice in a cycle");
    write(&file, 2, &[beat]);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 4]).unwrap();
    fails("cut inside a record");
    std::fs::remove_file(&file).unwrap();
    fails("No such file");
}

#[test]
#[ignore = "a measurement: cargo test -p testbenches --release --test units trace_cosim:: -- --ignored --nocapture"]
fn speed_on_the_stand_in() {
    let dir = tempfile::tempdir().unwrap();
    let start = std::time::Instant::now();
    let beats = record(&Model::new(&Shape::rv32(3)), &Config::new(4, 3), 5_000_000).retired;
    println!("made 5 M beats in {:.2} s", start.elapsed().as_secs_f64());
    let file = dir.path().join("beats");
    write(&file, 4, &beats);
    let cosim = TraceCosim::build(&stand_in(4, 1 << 16), &ports(4)).unwrap();
    let start = std::time::Instant::now();
    let s = cosim.run(&file, &TraceOptions { idle_limit: 0, ..Default::default() }, |_| ()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:.2} M cycles/s, {:.2} M instructions/s",
        s.cycles as f64 / seconds / 1e6,
        s.beats as f64 / seconds / 1e6
    );
}
