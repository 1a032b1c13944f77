//! `hdl/src/top.rs` with `hdl/src/scheme/taken/front.rs`, emitted and under Verilator, against `sim/src/system.rs`: whole trace systems, on real programs

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, SystemOptions};
use hdl::spine::Extras;
use programs::ProgramInfo;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams, NAMED_SETS};
use sim::replay::{Events, Replay};
use sim::stimulus::pairs;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;
use sim::stimulus::run::{record, Config};
use sim::system::{repeated_header, System};
use testbenches::check::{beat_file, check_around_gaps, run};

pub fn ports(cores: usize, xlen: u8) -> TracePorts {
    TracePorts::rvfi(cores, xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into())
}

/// Words of the golden model; `start` is cycle 0 of the run, counted from activation.
fn golden(
    params: &TraceParams,
    program: &Program,
    events: &[FlowEvent],
    [start, stop]: [u64; 2],
    sync: u32,
) -> Vec<u32> {
    let period = (sync > 0).then(|| SyncPeriod::new(sync as u8).unwrap());
    let mut system = System::with_code(params, 0, &Image::new(program)).unwrap().sync_every(params, period);
    for e in events {
        system.event(&FlowEvent { cycle: e.cycle + start, ..*e });
    }
    system.finish(stop + start);
    system.drain().collect()
}

pub fn compare(place: &str, want: &[u32], got: &[u32]) {
    for (i, (w, g)) in want.iter().zip(got).enumerate() {
        assert_eq!(w, g, "{place}: word {i} of {}: golden 0x{w:08x}, Verilog 0x{g:08x}", want.len());
    }
    assert_eq!(want.len(), got.len(), "{place}");
}

/// Cycles from activation to cycle 0 of the beat file, according to `status.active`.
pub const ACTIVATION: u64 = 1;
/// Cycles from the write that ends tracing to the stop messages, according to time stamps.
pub const STOPPING: u64 = 2;

/// A system of `params` under Verilator.
struct Verilated {
    params: TraceParams,
    options: TraceOptions,
    sim: TraceCosim,
}

impl Verilated {
    fn new(params: &TraceParams, options: TraceOptions) -> Self {
        let extras = Extras { sync: options.sync > 0, check: options.sync > 0, ..Extras::default() };
        let verilog = emit(params, &SystemOptions { extras, ..SystemOptions::default() }).unwrap();
        let sim = TraceCosim::build(&verilog, &ports(params.cores.into(), params.xlen)).unwrap();
        Self { params: *params, options, sim }
    }

    /// Runs the Verilog on events and compares its words with the golden model's. Returns the number of instructions.
    fn compare(&self, name: &str, program: &Program, events: &[FlowEvent]) -> u64 {
        let (params, options) = (&self.params, &self.options);
        let place = format!("{name}, {}", params.canonical());
        let (file, beats) = beat_file(program, params, events);
        let mut got = Vec::new();
        let summary = self.sim.run(file.path(), options, |w| got.push(w)).unwrap();
        assert_eq!(summary.overflow, 0, "{place}: the event FIFOs overflowed");
        assert_eq!(summary.beats, beats);
        let want = golden(params, program, events, [ACTIVATION, summary.stop + STOPPING], options.sync);
        compare(&place, &want, &got);
        beats
    }
}

/// Compares the words for the first `instructions` of programs. Returns the number of instructions.
fn cosim(params: &TraceParams, names: &[&str], instructions: u64, options: TraceOptions) -> u64 {
    let verilated = Verilated::new(params, options);
    let compare = |name: &&str| {
        let program = program(name).load().unwrap();
        verilated.compare(name, &program, &run(&program, params.cores, instructions).0)
    };
    names.iter().map(compare).sum()
}

/// Compares the words for `steps` instructions of a synthetic program.
fn cosim_synthetic(params: &TraceParams, steps: usize, options: TraceOptions) {
    let shape = if params.xlen == 64 { Shape::rv64(5) } else { Shape::rv32(5) };
    // most inferable pairs have 4 bytes each
    let compressed = !params.flow.infers() || params.cores == 2;
    let mut model = Model::new(&Shape { compressed, ..shape });
    let mut config = Config::new(params.cores, 5);
    if params.flow.infers() {
        pairs::insert(&mut model, 5);
        config.trap_per_64k = 1_500;
    }
    let recording = record(&model, &config, steps);
    Verilated::new(params, options).compare("synthetic", &model.program, &recording.events);
}

/// The set's parameters, with its own `tr_e` or with `tr_b`.
fn params(set: &str, base: bool, timestamps: bool, cores: u8) -> TraceParams {
    let name = format!("{}:{set}", if base { "tr_b" } else { "tr_e" });
    let mut params = TraceParams::new(Platform::RV32, name.parse().unwrap());
    (params.timestamps, params.cores) = (timestamps, cores);
    params
}

pub fn program(name: &str) -> &'static ProgramInfo {
    programs::find(name).unwrap()
}

/// State machines, traps, indirect calls, and an interpreter.
const MIXED: [&str; 4] = ["fsm", "irq", "qsort", "vm"];

#[test]
fn functional_systems_match_the_golden_model() {
    for (set, base, cores) in [("small", false, 1), ("medium", true, 1), ("large", false, 1), ("small", false, 4)] {
        cosim(&params(set, base, false, cores), &MIXED, rounds(50_000, 100_000), TraceOptions::default());
    }
}

#[test]
fn time_stamped_systems_match_the_golden_model() {
    // the cycles of the file must be those of the system: no pauses
    for (set, base, cores) in [("small", false, 1), ("m4", true, 2)] {
        let names = ["lu", "irq", "matmul"];
        cosim(&params(set, base, true, cores), &names, rounds(50_000, 100_000), TraceOptions::default());
    }
}

#[test]
fn the_smallest_scheme_matches_the_golden_model() {
    for cores in [1, 2] {
        let mut p = TraceParams::new(Platform::RV32, "taken".parse().unwrap());
        p.cores = cores;
        cosim(&p, &["irq", "qsort"], rounds(30_000, 60_000), TraceOptions::default());
    }
    // calls, returns, traps and co-routine swaps in any order; one core only: two send more bits than one port carries
    for timestamps in [false, true] {
        let mut p = TraceParams::new(Platform::RV32, "taken".parse().unwrap());
        p.timestamps = timestamps;
        cosim_synthetic(&p, 30_000, TraceOptions::default());
    }
}

#[test]
fn inferable_jumps_match_the_golden_model() {
    let slow = TraceOptions { idle_limit: 64, idle_after_beat: 7, ..TraceOptions::default() };
    for (scheme, xlen, timestamps, cores, signature, sync) in [
        ("tr_e:small+inferable", 32, false, 1, 0, 0),
        ("tr_e:m4+upper12+inferable", 64, false, 2, 16, 0),
        ("golomb:large+inferable", 32, false, 1, 0, 0),
        ("tr_e:m4+inferable", 32, false, 2, 8, 10),
        ("follow:m+inferable", 32, false, 2, 0, 10),
        ("follow:s+inferable", 64, false, 1, 0, 0),
        ("follow:m+inferable+arithmetic", 32, false, 1, 0, 0),
    ] {
        let platform = Platform { timestamps, cores, xlen, signature, ..Platform::RV32 };
        let p = TraceParams::new(platform, scheme.parse().unwrap());
        cosim_synthetic(&p, rounds(30_000, 100_000) as usize, TraceOptions { sync, ..slow });
    }
}

#[test]
fn predictors_that_follow_the_past_match_the_golden_model() {
    for (scheme, timestamps, cores) in [
        ("follow:s", false, 4),
        ("follow:m", true, 2),
        ("follow:ml", false, 1),
        ("follow:l", true, 1),
        ("follow:m+tagged0+past0", false, 2),
        ("follow:m+loops0+paths0+upper9", true, 1),
    ] {
        let platform = Platform { timestamps, cores, ..Platform::RV32 };
        let p = TraceParams::new(platform, scheme.parse().unwrap());
        cosim(&p, &MIXED, rounds(50_000, 100_000), TraceOptions::default());
    }
}

/// Words of several cores are in the order of the instructions that complete them.
#[test]
fn arithmetic_codes_match_the_golden_model() {
    for (scheme, cores, sync) in [
        ("follow:m+arithmetic", 1, 0),
        ("follow:s+arithmetic", 4, 0),
        ("follow:ml+arithmetic", 1, 11),
        ("follow:m+arithmetic+upper9+loops0", 3, 10),
        ("follow:l+arithmetic+past0", 2, 12),
    ] {
        let p = TraceParams::new(Platform { cores, ..Platform::RV32 }, scheme.parse().unwrap());
        let options = TraceOptions { sync, stall_seed: 1, ..TraceOptions::default() };
        cosim(&p, &MIXED, rounds(50_000, 100_000), options);
    }
}

/// Addresses of 64 bits, contexts, signatures, and traps, calls and co-routine swaps in any order.
#[test]
fn arithmetic_codes_of_synthetic_programs_match_the_golden_model() {
    for (scheme, xlen, cores, signature, sync) in [
        ("follow:m+arithmetic", 32, 1, 0, 0),
        ("follow:s+arithmetic", 64, 1, 16, 0),
        ("follow:l+arithmetic", 32, 1, 8, 13),
    ] {
        let platform = Platform { xlen, cores, signature, ..Platform::RV32 };
        let p = TraceParams::new(platform, scheme.parse().unwrap());
        cosim_synthetic(&p, rounds(30_000, 60_000), TraceOptions { sync, ..TraceOptions::default() });
    }
}

/// One core needs a FIFO of 16 entries, four cores of 32.
#[test]
fn at_full_rate_arithmetic_coders_lose_nothing() {
    for (scheme, cores, log2_depth) in [
        ("follow:s+arithmetic", 1, 4),
        ("follow:m+arithmetic", 1, 4),
        ("follow:l+arithmetic", 1, 4),
        ("follow:m+arithmetic", 4, 5),
    ] {
        let platform = Platform { cores, ..Platform::RV32 };
        let lost = lost_at_full_rate(&TraceParams::new(platform, scheme.parse().unwrap()), log2_depth);
        assert!(lost.is_empty(), "{scheme}, N = {cores}: {}", lost.join(", "));
    }
}

/// Addresses of 64 bits, and traps, calls and co-routine swaps in any order.
#[test]
fn followed_synthetic_programs_match_the_golden_model() {
    for (scheme, xlen, timestamps) in [
        ("follow:m", 32, true),
        ("follow:l+upper9", 32, false),
        ("follow:s+upper16", 64, false),
        ("follow:ml", 64, true),
    ] {
        let platform = Platform { xlen, timestamps, ..Platform::RV32 };
        let p = TraceParams::new(platform, scheme.parse().unwrap());
        cosim_synthetic(&p, rounds(30_000, 60_000), TraceOptions::default());
    }
}

#[test]
fn a_sink_that_stalls_changes_nothing() {
    for seed in 1..4 {
        let options = TraceOptions { stall_seed: seed, ..TraceOptions::default() };
        cosim(&params("small", false, false, 2), &["qsort"], rounds(30_000, 60_000), options);
    }
}

#[test]
fn wide_addresses_and_upper_bits_match_the_golden_model() {
    let mut p = params("medium+upper12", false, false, 1);
    cosim(&p, &["vm"], 100_000, TraceOptions::default());
    p.xlen = 64;
    cosim_synthetic(&p, rounds(50_000, 100_000), TraceOptions::default());
}

#[test]
fn signatures_match_the_golden_model() {
    for (scheme, signature, timestamps, cores, sync) in [
        ("tr_e:small", 16, false, 1, 0),
        ("tr_e:small", 8, false, 1, 11),
        ("tr_e:large", 16, true, 2, 11),
        ("golomb:small", 16, false, 2, 0),
        ("nx_b", 8, false, 1, 10),
        ("taken", 16, false, 1, 11),
        ("follow:m", 16, true, 2, 11),
        ("follow:s", 8, false, 1, 0),
    ] {
        let platform = Platform { signature, timestamps, cores, ..Platform::RV32 };
        let p = TraceParams::new(platform, scheme.parse().unwrap());
        let options = TraceOptions { sync, ..TraceOptions::default() };
        cosim(&p, &["irq", "qsort"], rounds(30_000, 60_000), options);
    }
}

/// The period is counted, core 0 leads and the others follow: the words are the golden model's.
#[test]
fn periodic_synchronisation_matches_the_golden_model() {
    for (scheme, timestamps, cores, sync) in [
        ("tr_e:small", false, 1, 12),
        ("tr_e:small", true, 3, 10),
        ("tr_e:m4+upper12", false, 2, 11),
        ("golomb:m4", true, 1, 13),
        ("nx_b", false, 2, 10),
        ("sc-lsp:rbase-32x4", false, 1, 11),
        ("sc-lsp:ebase-8x8", true, 3, 10),
        ("sc-lsp:base-64x1", false, 2, 12),
        ("follow:s", true, 3, 10),
        ("follow:m", false, 2, 11),
        ("follow:ml", false, 1, 12),
        ("follow:l", true, 1, 12),
    ] {
        let mut p = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        (p.timestamps, p.cores) = (timestamps, cores);
        let options = TraceOptions { sync, ..TraceOptions::default() };
        cosim(&p, &["irq", "vm", "qsort"], rounds(50_000, 100_000), options);
    }
}

/// The period is in bytes. When these have left depends on timing, so the golden model is given the positions of the
/// circuit's resyncs, and the words must be its own. Each header comes after the required number of bytes, and not many
/// more.
#[test]
fn synchronisation_by_bytes_comes_when_they_have_left() {
    let mut all = 0;
    for (scheme, timestamps, cores, bytes) in [
        ("tr_e:small", true, 1, 8),
        ("nx_b", false, 2, 10),
        ("sc-lsp:rbase-32x4", false, 3, 8),
        ("follow:m", true, 2, 8),
    ] {
        let mut p = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        (p.timestamps, p.cores) = (timestamps, cores);
        let extras = Extras { sync: true, ..Extras::default() };
        let verilog = emit(&p, &SystemOptions { extras, ..SystemOptions::default() }).unwrap();
        let sim = TraceCosim::build(&verilog, &ports(cores.into(), 32)).unwrap();
        for name in ["irq", "qsort"] {
            let place = format!("{name}, {}", p.canonical());
            let program = program(name).load().unwrap();
            let (events, _) = run(&program, cores, 60_000);
            let (file, _) = beat_file(&program, &p, &events);
            let mut got = Vec::new();
            let options = TraceOptions { sync: bytes << 8, ..TraceOptions::default() };
            let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
            assert_eq!(summary.overflow, 0, "{place}");
            let head = repeated_header(&p);
            let headers: Vec<usize> = (0..got.len()).filter(|&i| got[i..].starts_with(&head)).collect();
            assert!(!headers.is_empty(), "{place}: no header is sent again");
            all += headers.len();
            let ends: Vec<usize> = headers.iter().map(|&at| events_of_core_0(&program, &p, &got[..at])).collect();
            for pair in std::iter::once(&0).chain(&headers).collect::<Vec<_>>().windows(2) {
                let words = pair[1] - pair[0];
                // words still in FIFOs, and those up to the next control-flow instruction
                let least = 1 << (bytes - 2);
                assert!((least..least + 200).contains(&words), "{place}: {words} words from header to header");
            }
            let mut system = System::new(&p).unwrap().sync_every(&p, Some(SyncPeriod::of_bytes(31).unwrap()));
            let mut seen = 0;
            for e in &events {
                if e.hart == 0 && ends.contains(&seen) {
                    system.request();
                }
                seen += usize::from(e.hart == 0);
                system.event(&FlowEvent { cycle: e.cycle + ACTIVATION, ..*e });
            }
            system.finish(summary.stop + STOPPING + ACTIVATION);
            compare(&place, &system.drain().collect::<Vec<_>>(), &got);
        }
    }
    assert!(all > 20, "{all} headers are too few");
}

/// Events of core 0 before the one at which it made the resync whose marker ends `words`.
fn events_of_core_0(program: &Program, params: &TraceParams, words: &[u32]) -> usize {
    let mut back: Vec<FlowEvent> = Vec::new();
    let image = Image::new(program);
    let cut = Replay::new(&image, params, words.iter().copied()).unwrap().run(&mut Events(&mut back));
    assert!(cut.is_err(), "there is no stop");
    back.iter().filter(|e| e.hart == 0).count()
}

/// Every program on cores that retire together, one instruction per cycle: the words are the golden model's, except of
/// programs that lose messages, which are returned.
fn lost_at_full_rate(params: &TraceParams, fifo_address_bits: u8) -> Vec<String> {
    let verilog = emit(params, &SystemOptions { fifo_address_bits, ..SystemOptions::default() }).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(params.cores.into(), params.xlen)).unwrap();
    let mut lost = Vec::new();
    for info in programs::PROGRAMS {
        let program = info.load().unwrap();
        let (events, _) = run(&program, params.cores, rounds(50_000, 100_000));
        let (file, _) = beat_file(&program, params, &events);
        let mut got = Vec::new();
        let summary = sim.run(file.path(), &TraceOptions::default(), |w| got.push(w)).unwrap();
        if summary.overflow != 0 {
            lost.push(format!("{}: cores {:b}", info.name, summary.overflow));
            continue;
        }
        let place = format!("{}, {}", info.name, params.canonical());
        compare(&place, &golden(params, &program, &events, [ACTIVATION, summary.stop + STOPPING], 0), &got);
    }
    lost
}

/// Event FIFOs of depth 16 carry what the cores send.
#[test]
fn at_full_rate_nothing_is_lost() {
    for (set, timed, cores) in [
        ("small", false, 1),
        ("small", false, 2),
        ("small", false, 4),
        ("large", false, 4),
        ("small", true, 1),
        ("large", true, 1),
        ("s0", false, 1),
        ("s0", true, 4),
    ] {
        let lost = lost_at_full_rate(&params(set, false, timed, cores), 4);
        assert!(lost.is_empty(), "{set}, N = {cores}, timed {timed}: {}", lost.join(", "));
    }
}

#[test]
fn at_full_rate_followers_of_the_past_lose_nothing() {
    let mut all = Vec::new();
    for (scheme, timestamps, cores, fifo_address_bits) in [
        ("follow:s", false, 1, 4),
        ("follow:m", false, 1, 4),
        ("follow:l", false, 1, 4),
        ("follow:m", true, 1, 4),
        ("follow:m", false, 4, 4),
    ] {
        let platform = Platform { timestamps, cores, ..Platform::RV32 };
        let lost = lost_at_full_rate(&TraceParams::new(platform, scheme.parse().unwrap()), fifo_address_bits);
        if !lost.is_empty() {
            all.push(format!("{scheme}, N = {cores}, timed {timestamps}: {}", lost.join(", ")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("; "));
}

/// A system for registered ports, with a register before each RVFI input, sends the same words as the usual system,
/// including times.
#[test]
fn ports_from_registers_make_the_same_words() {
    for (timed, cores) in [(false, 1), (true, 2)] {
        let params = params("small", false, timed, cores);
        let extras = Extras { registered: true, ..Extras::default() };
        let options = SystemOptions { fifo_address_bits: 4, extras, ..SystemOptions::default() };
        let verilog = behind_registers(&emit(&params, &options).unwrap());
        let sim = TraceCosim::build(&verilog, &ports(cores.into(), params.xlen)).unwrap();
        for name in ["fsm", "irq", "bank", "vm"] {
            let program = program(name).load().unwrap();
            let (events, _) = run(&program, cores, 100_000);
            let (file, _) = beat_file(&program, &params, &events);
            let mut got = Vec::new();
            let summary = sim.run(file.path(), &TraceOptions::default(), |w| got.push(w)).unwrap();
            assert_eq!(summary.overflow, 0, "{name}: messages are lost");
            compare(name, &golden(&params, &program, &events, [ACTIVATION, summary.stop + STOPPING], 0), &got);
        }
    }
}

/// The top module of `verilog` inside one of the same name and ports, with a register before every input of `rvfi_*`.
fn behind_registers(verilog: &str) -> String {
    let (head, rest) = verilog.split_once("module goshawk (").unwrap();
    let (list, body) = rest.split_once(");").unwrap();
    let (mut declared, mut joined, mut moved) = (String::new(), Vec::new(), String::new());
    for line in list.lines().map(|l| l.trim().trim_end_matches(',')).filter(|l| !l.is_empty() && !l.starts_with("//")) {
        let name = line.split_whitespace().last().unwrap();
        if line.starts_with("input") && name.starts_with("rvfi_") {
            let range = line.find('[').map_or("", |at| &line[at..=line.find(']').unwrap()]);
            declared += &format!("    reg {range} {name}_q = 0;\n");
            moved += &format!("    always @(posedge clock) {name}_q <= {name};\n");
            joined.push(format!(".{name}({name}_q)"));
        } else {
            joined.push(format!(".{name}({name})"));
        }
    }
    assert!(moved.lines().count() >= 6, "no RVFI ports in {list}");
    // the top module comes first
    let outer = format!(
        "module goshawk ({list});\n{declared}{moved}    goshawk_bare u_bare ({});\nendmodule\n",
        joined.join(", ")
    );
    format!("{head}{outer}\nmodule goshawk_bare ({list});{body}")
}

/// FIFOs of eight entries and four cores that retire without pauses: messages are lost, the stream says so, and the
/// replay is right up to the instruction before each gap and after it.
#[test]
fn replay_goes_on_after_an_overflow() {
    let params = params("small", false, false, 4);
    let info = program("fsm");
    let program = info.load().unwrap();
    let (events, _) = run(&program, 4, 400_000);
    let verilog = emit(&params, &SystemOptions { fifo_address_bits: 3, ..SystemOptions::default() }).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(4, 32)).unwrap();
    let (file, _) = beat_file(&program, &params, &events);
    let mut words = Vec::new();
    let options = TraceOptions { idle_limit: 0, ..TraceOptions::default() };
    let summary = sim.run(file.path(), &options, |w| words.push(w)).unwrap();
    assert_ne!(summary.overflow, 0, "nothing was lost: the test shows nothing");

    let (gaps, _) = check_around_gaps(&Image::new(&program), &params, words.into_iter(), &events);
    assert!(gaps > 4, "{gaps} gaps");
}

/// A sink that accepts a quarter of what is sent: most is lost, the replay is right around each gap, and it contains
/// more than the link would carry with cold tables.
#[test]
fn overload_is_reported_with_warm_tables() {
    for (scheme, timestamps, cores, least) in [
        ("tr_e:large", false, 1, 14),
        ("tr_e:small", true, 2, 10),
        ("sc-lsp:rbase-32x4", false, 2, 10),
        ("follow:m", true, 3, 10),
        // a word that waits stops its coder, and so 14 branches fill the FIFO
        ("follow:m+arithmetic", false, 1, 1),
    ] {
        let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        (params.timestamps, params.cores) = (timestamps, cores);
        let program = program("fsm").load().unwrap();
        let (events, _) = run(&program, cores, 400_000);
        let verilog = emit(&params, &SystemOptions { fifo_address_bits: 4, ..SystemOptions::default() }).unwrap();
        let sim = TraceCosim::build(&verilog, &ports(cores.into(), 32)).unwrap();
        let (file, beats) = beat_file(&program, &params, &events);
        let free = sim.run(file.path(), &TraceOptions::default(), |_| ()).unwrap();
        assert_eq!(free.overflow, 0, "{scheme}: the link is not overloaded by itself");
        let cycles_per_word = 4 * free.stop / free.words;
        let mut words = Vec::new();
        let options = TraceOptions { cycles_per_word, ..TraceOptions::default() };
        let summary = sim.run(file.path(), &options, |w| words.push(w)).unwrap();
        assert_ne!(summary.overflow, 0, "{scheme}: nothing was lost");
        let (gaps, told) = check_around_gaps(&Image::new(&program), &params, words.into_iter(), &events);
        eprintln!("{scheme}: {told} of {beats} instructions, {gaps} gaps");
        assert!(gaps > 20 && 100 * told > least * beats, "{scheme}: {told} of {beats} instructions, {gaps} gaps");
    }
}

/// Every named set, both encodings, functional and time-stamped, one and four cores: 5 million retired instructions
/// each. Takes some hours of Verilator builds; `--long` runs it.
#[test]
#[ignore = "long: hours of Verilator builds"]
fn every_named_set_matches_on_five_million_instructions() {
    // GOSHAWK_SETS selects some of them: "small large"
    let sets = std::env::var("GOSHAWK_SETS").ok();
    for set in NAMED_SETS.iter().filter(|s| sets.as_ref().is_none_or(|l| l.split(' ').any(|n| n == s.name))) {
        for cores in [1, 4] {
            for base in [false, true] {
                for timestamps in [false, true] {
                    let (name, options) = ("strsearch", TraceOptions::default());
                    let start = std::time::Instant::now();
                    let n = cosim(&params(set.name, base, timestamps, cores), &[name], 5_000_000, options);
                    assert!(n >= 5_000_000, "{n} instructions");
                    eprintln!(
                        "{} {}{}, N = {cores}: {name}, {n} instructions, equal, {:.0} s",
                        set.name,
                        if base { "tr_b" } else { "tr_e" },
                        if timestamps { ", time-stamped" } else { "" },
                        start.elapsed().as_secs_f64()
                    );
                }
            }
        }
    }
}
