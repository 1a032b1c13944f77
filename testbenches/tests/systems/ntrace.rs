//! `hdl/src/scheme/ntrace/{front,repeat,records,head,encoder}.rs` in `hdl/src/top.rs`, in rust-hdl and emitted under Verilator, against `sim/src/standard/ntrace/system.rs`: every byte is the model's
//!
//! The decoder of `goshawk import`, which shares no code with the model, returns what retired. When a system loses messages depends on
//! its sink: what the decoder finds around the gaps must have retired, and the model makes the same bytes of it.

use crate::system::{compare, ports, program};
use fpga::cosim::trace::{TraceCosim, TraceOptions};
use hdl::any_top::TraceTop;
use hdl::emit::{emit, Ingress, SystemOptions};
use hdl::ingress::etrace::EtracePins;
use hdl::scheme::ntrace::circuit::{build, platform, system};
use hdl::scheme::ntrace::encoder::NtraceEncoder;
use hdl::scheme::ntrace::ICNT_BITS;
use hdl::spine::entry::*;
use hdl::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC};
use hdl::spine::Extras;
use hdl::trace_sim::TraceSim;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::beats::blocks::itype;
use sim::beats::Expander;
use sim::regs::register;
use sim::standard::ntrace::{Encoder, Modes, NtraceParams, Scan, System, Trace};
use sim::standard::Stream;
use sim::stimulus::long;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use testbenches::check::{beat_file, run};
use testbenches::driver::Driver;
use testbenches::entry::Entry;

/// Programs, and instructions of each: enough for more than its start.
const PROGRAMS: [(&str, u64); 4] = [("irq", 60_000), ("qsort", 1_000_000), ("matmul", 1_000_000), ("fsm", 200_000)];

fn base(cores: u8, xlen: u8) -> NtraceParams {
    NtraceParams::new(cores, xlen, Modes::BASE)
}

/// With a return stack.
fn stack(cores: u8, xlen: u8, returns: u8) -> NtraceParams {
    NtraceParams::new(cores, xlen, Modes { returns, ..Modes::BASE })
}

/// With a message for each taken branch.
fn branches(params: NtraceParams) -> NtraceParams {
    NtraceParams { modes: Modes { btm: true, ..params.modes }, ..params }
}

/// With repeated history.
fn repeated(params: NtraceParams) -> NtraceParams {
    NtraceParams { modes: Modes { repeat: true, ..params.modes }, ..params }
}

/// With periodic synchronization after 2^`log2` instructions.
fn synchronized(params: NtraceParams, log2: u8) -> NtraceParams {
    NtraceParams { modes: Modes { sync: log2, ..params.modes }, ..params }
}

/// The events, with the stops at the end in the order of the cores, as a system sends them.
fn ordered(events: &[FlowEvent]) -> Vec<FlowEvent> {
    let stops = |e: &&FlowEvent| e.kind == FlowKind::Stop;
    let mut last: Vec<FlowEvent> = events.iter().filter(stops).copied().collect();
    last.sort_by_key(|e| e.hart);
    events.iter().filter(|e| !stops(e)).copied().chain(last).collect()
}

fn golden(params: &NtraceParams, image: &Image, events: &[FlowEvent]) -> Vec<u32> {
    let mut system = System::new(params, image).unwrap();
    ordered(events).iter().for_each(|e| system.event(e));
    system.finish()
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// What the decoder finds, by core; and the losses that the stream reports.
pub fn decode(params: &NtraceParams, image: &Image, words: &[u32]) -> (Vec<FlowEvent>, u64) {
    let (p, bytes) = (params.decoder(), bytes(words));
    let mut scan = Scan::new(&p);
    scan.feed(&bytes, true).unwrap();
    let mut trace = Trace::new(&p, params.xlen, &scan.sources, image);
    let mut found: Vec<FlowEvent> = Vec::new();
    trace.feed(&bytes, true, &mut found);
    trace.finish(&mut found);
    let faults: Vec<_> = trace.faults().first.iter().map(|(at, _, why)| format!("byte {at}: {why}")).collect();
    assert_eq!(faults, Vec::<String>::new(), "{}", params.canonical());
    (found, trace.counts().losses)
}

/// What N-Trace reports of an event.
fn reported(e: &FlowEvent) -> FlowEvent {
    match e.kind {
        FlowKind::Trap { .. } => FlowEvent { kind: FlowKind::Trap { interrupt: false, cause: 0 }, ..*e },
        _ => *e,
    }
}

pub fn same(found: &FlowEvent, want: &FlowEvent) -> bool {
    let want = reported(want);
    found.same_flow(&want) && found.kind == want.kind
}

/// The decoder finds what retired.
fn check_decoded(place: &str, params: &NtraceParams, image: &Image, events: &[FlowEvent], words: &[u32]) {
    let (found, losses) = decode(params, image, words);
    assert_eq!(losses, 0, "{place}");
    for hart in 0..params.cores {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (found, want) = (of(&found), of(events));
        let wrong = found.iter().zip(&want).position(|(f, w)| !same(f, w));
        assert_eq!((wrong.map(|i| (found[i], want[i])), found.len()), (None, want.len()), "{place}, hart {hart}");
    }
}

/// Plays `events` on the emitted Verilog, without losses.
fn cosim(params: &NtraceParams, place: &str, program: &Program, events: &[FlowEvent], options: TraceOptions) {
    cosim_of(params, &SystemOptions::default(), place, program, events, options);
}

/// As [`cosim`], for a system with `built`.
fn cosim_of(
    params: &NtraceParams,
    built: &SystemOptions,
    place: &str,
    program: &Program,
    events: &[FlowEvent],
    options: TraceOptions,
) {
    let place = format!("{place}, {}", params.canonical());
    let verilog = emit(params, built).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(params.cores.into(), params.xlen)).unwrap();
    let (file, beats) = beat_file(program, &platform(params), events);
    let mut got = Vec::new();
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    assert_eq!((summary.overflow, summary.beats), (0, beats), "{place}");
    let image = Image::new(program);
    compare(&place, &golden(params, &image, events), &got);
    check_decoded(&place, params, &image, events, &got);
}

/// A random program with traps, calls, returns and co-routine swaps.
fn synthetic(cores: u8, shape: Shape, seed: u64, retire_percent: u8, instructions: usize) -> (Program, Vec<FlowEvent>) {
    let model = Model::new(&shape);
    let config = Config { retire_percent, trap_per_64k: 400, ..Config::new(cores, seed) };
    let events = record(&model, &config, instructions).events;
    (model.program, events)
}

#[test]
fn programs_on_one_core_match_the_model() {
    for (name, instructions) in PROGRAMS {
        let program = program(name).load().unwrap();
        let (events, _) = run(&program, 1, instructions);
        cosim(&base(1, 32), name, &program, &events, TraceOptions::default());
        cosim(&stack(1, 32, 8), name, &program, &events, TraceOptions::default());
        cosim(&synchronized(stack(1, 32, 8), 10), name, &program, &events, TraceOptions::default());
        cosim(&repeated(stack(1, 32, 8)), name, &program, &events, TraceOptions::default());
        if name == "irq" || long() {
            cosim(&branches(stack(1, 32, 8)), name, &program, &events, TraceOptions::default());
        }
    }
}

#[test]
fn a_fifo_of_16_entries_loses_nothing_of_programs() {
    let small = SystemOptions { fifo_address_bits: 4, ..SystemOptions::default() };
    for cores in [1, 4] {
        for (name, instructions) in PROGRAMS {
            let program = program(name).load().unwrap();
            let (events, _) = run(&program, cores, instructions);
            // at the pace of the built-in simulator, and with an instruction in every cycle
            for idle_limit in [u64::MAX, 0] {
                let options = TraceOptions { idle_limit, ..TraceOptions::default() };
                cosim_of(&base(cores, 32), &small, name, &program, &events, options);
            }
        }
    }
}

/// Field `field` of an entry, as the event FIFO has it.
fn word(e: &Entry, field: u8) -> u64 {
    match field {
        FIELD_COUNT => u64::from(e.bcnt) | u64::from(e.pre | e.post << 2) << ICNT_BITS,
        FIELD_INSTRUCTIONS => e.icnt.into(),
        FIELD_PC => e.pc,
        _ => e.target,
    }
}

/// What the encoder sends of `entries` if the next one is always there, and the cycles from the first byte to the last. Its sink is
/// ready in `percent` of the cycles.
fn sends(params: &NtraceParams, entries: &[Entry], percent: u32) -> (Vec<u8>, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let encoder = NtraceEncoder::<32>::new(params);
    let mut d = Driver::new(encoder, |u, c| u.clock.next = c.into()).unwrap();
    let (mut bytes, mut at, mut asked, mut cycles) = (Vec::new(), 0, FIELD_COUNT, 0);
    for _ in 0..1000 * entries.len() {
        let ready = rng.random_ratio(percent, 100);
        let (field, done, busy, data) = d
            .cycle(
                |u| {
                    u.port.bits.ready.next = ready;
                    u.port.entry.have.next = at < entries.len();
                    if let Some(e) = entries.get(at) {
                        u.port.entry.word.next = word(e, asked).to_bits();
                        u.port.entry.cc.next = 0.into();
                        u.port.entry.hist.next = u64::from(e.cc).to_bits();
                    }
                },
                |u| {
                    let (entry, bits) = (&u.port.entry, &u.port.bits);
                    let byte = bits.valid.val().then(|| bits.data.val().to_u64() as u8);
                    (entry.field.val().to_u64() as u8, entry.done.val(), bits.busy.val(), byte)
                },
            )
            .unwrap();
        bytes.extend(data.filter(|_| ready));
        cycles += u64::from(!bytes.is_empty());
        (asked, at) = (field, at + usize::from(done));
        if at == entries.len() && !busy && !done {
            // the cycle that finds that nothing is left
            return (bytes, cycles - 1);
        }
    }
    panic!("the encoder hangs at entry {at}");
}

/// The bytes of entries of full histories, with repeated history.
pub fn sends_histories(histories: &[u32]) -> Vec<u8> {
    let entry = |cc: &u32| Entry { pre: PRE_NONE, post: POST_OUTCOME, cc: *cc, ..Entry::default() };
    sends(&repeated(base(1, 32)), &histories.iter().map(entry).collect::<Vec<_>>(), 100).0
}

/// Messages whose last field has one byte.
fn short_ends(bytes: &[u8]) -> u64 {
    let (mut length, mut found) = (0, 0);
    for mark in bytes.iter().map(|b| b & 3) {
        length += 1;
        found += u64::from(mark == 3 && length == 1);
        length = if mark == 0 { length } else { 0 };
    }
    found
}

#[test]
fn the_encoder_sends_a_byte_in_every_cycle() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut entries = vec![Entry { pre: PRE_SYNC, pc: 0x4000_0000, cc: 1, ..Entry::default() }];
    for _ in 0..400 {
        let (pre, post) =
            [(PRE_NONE, POST_TARGET), (PRE_NONE, POST_OUTCOME), (PRE_EXCEPTION, POST_NONE)][rng.random_range(0..3)];
        let mut bits = |most: u32| rng.random::<u32>() >> rng.random_range(32 - most..32);
        // a history that is reported alone is full
        let stop = if post == POST_OUTCOME { 1 << 31 } else { 1 };
        let (icnt, bcnt, cc) = (bits(22), bits(22), bits(32) | stop);
        let (pc, target) = (u64::from(bits(31)), u64::from(bits(31)));
        entries.push(Entry { pre, post, icnt, bcnt, pc, target, cc, ..Entry::default() });
    }
    let (bytes, cycles) = sends(&base(1, 32), &entries, 100);
    // the last message has no entry after it
    let waits = short_ends(&bytes[..bytes.len() - 1]);
    println!("{} entries, {} bytes, {cycles} cycles", entries.len(), bytes.len());
    assert_eq!(cycles, bytes.len() as u64 + waits);
    assert!(
        0 < waits && waits < entries.len() as u64 / 4,
        "{waits} of {} entries end with a byte alone",
        entries.len()
    );
    assert!(sends(&base(1, 32), &entries, 40).0 == bytes, "the bytes depend on when the sink is ready");
}

#[test]
fn random_programs_on_any_number_of_cores_match_the_model() {
    for (cores, xlen, align) in [(1, 64, 2), (2, 32, 2), (5, 64, 1), (8, 32, 1)] {
        let shape = if xlen == 64 { Shape::rv64(7) } else { Shape::rv32(u64::from(cores)) };
        let shape = Shape { compressed: align == 1, ..shape };
        let (program, events) = synthetic(cores, shape, 3, 10 / cores.min(5), 20_000);
        let params = NtraceParams { align, ..base(cores, xlen) };
        let slow = TraceOptions { idle_after_beat: 2, ..TraceOptions::default() };
        cosim(&params, "synthetic", &program, &events, slow);
        if cores < 3 {
            let returns = if xlen == 64 { 32 } else { 8 };
            cosim(&NtraceParams { align, ..stack(cores, xlen, returns) }, "synthetic", &program, &events, slow);
        }
        for log2 in [0, 4] {
            let params = NtraceParams { align, ..synchronized(branches(base(cores, xlen)), log2) };
            // several bytes for each taken branch of each core
            let slow = TraceOptions { idle_after_beat: 8 * u64::from(cores), ..slow };
            cosim(&params, "synthetic", &program, &events, slow);
            let params = NtraceParams { align, ..synchronized(repeated(stack(cores, xlen, 8)), log2) };
            cosim(&params, "synthetic", &program, &events, slow);
        }
        // every second control-flow instruction, and seldom
        for log2 in [1, 6] {
            let params = NtraceParams { align, ..synchronized(stack(cores, xlen, 8), log2) };
            cosim(&params, "synthetic", &program, &events, slow);
        }
    }
}

#[test]
fn the_simulation_in_rust_hdl_matches_the_model() {
    for params in [
        base(1, 32),
        base(3, 32),
        stack(1, 64, 16),
        synchronized(stack(2, 32, 8), 4),
        branches(base(1, 32)),
        branches(stack(2, 32, 8)),
        synchronized(branches(stack(2, 64, 8)), 2),
        repeated(base(1, 32)),
        synchronized(repeated(stack(3, 64, 8)), 5),
    ] {
        let NtraceParams { cores, xlen, .. } = params;
        let shape = if xlen == 64 { Shape::rv64(2) } else { Shape::rv32(2) };
        let (program, events) = synthetic(cores, shape, 5, 40 / cores, 600);
        let (mut got, mut expander) = (Vec::new(), Expander::new(&program, cores));
        let top = build(&params, &SystemOptions::default()).unwrap();
        let mut sim = TraceSim::start(top, cores.into(), None, |w| got.push(w)).unwrap();
        let mut each = |r: &_| sim.retire(r).unwrap();
        events.iter().for_each(|e| expander.event(e, &mut each).unwrap());
        expander.finish(&mut each).unwrap();
        let (summary, _) = sim.finish(0).unwrap();
        assert_eq!(summary.overflow, 0);
        compare(&params.canonical(), &golden(&params, &Image::new(&program), &events), &got);
    }
}

/// Finds the part of `want` that begins with `found`, at `from` or later; a part may begin inside a run.
fn position(found: &[FlowEvent], want: &[FlowEvent], from: usize) -> Option<usize> {
    let (first, rest) = found.split_first()?;
    (from..want.len()).find(|i| {
        let begins = reported(&want[*i]);
        let whole = FlowEvent { count: first.count, ..begins };
        first.count <= begins.count
            && same(first, &whole)
            && want.len() - i > rest.len()
            && rest.iter().zip(&want[i + 1..]).all(|(f, w)| same(f, w))
    })
}

#[test]
fn a_decoder_begins_in_the_middle_of_a_buffer() {
    let params = synchronized(stack(1, 32, 8), 6);
    let (program, events) = synthetic(1, Shape::rv32(3), 4, 60, 5_000);
    let image = Image::new(&program);
    let words = golden(&params, &image, &events);
    for cut in (1..10).map(|n| n * words.len() / 10) {
        let (found, _) = decode(&params, &image, &words[cut..]);
        assert_eq!(found[0].kind, FlowKind::Start, "from word {cut}");
        let at = position(&found[1..], &events, 0).unwrap_or_else(|| panic!("from word {cut}: did not retire"));
        assert_eq!(at + found.len() - 1, events.len(), "from word {cut}: not up to the end");
        // up to two intervals are missing at the beginning
        let share = events.len() * (words.len() - cut) / words.len();
        assert!(2 * found.len() > share, "from word {cut}: {} of {share} events", found.len());
    }
}

/// Plays `name` on a system whose sink takes a quarter of what is sent.
fn loses_and_continues(params: NtraceParams, fifo_address_bits: u8, name: &str) {
    let cores = params.cores;
    let place = format!("{name}, {}", params.canonical());
    let program = program(name).load().unwrap();
    let (events, _) = run(&program, cores, 60_000);
    let verilog = emit(&params, &SystemOptions { fifo_address_bits, ..SystemOptions::default() }).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(cores.into(), 32)).unwrap();
    let (file, _) = beat_file(&program, &platform(&params), &events);
    let free = sim.run(file.path(), &TraceOptions::default(), |_| ()).unwrap();
    let options = TraceOptions { cycles_per_word: 4 * free.stop / free.words, ..TraceOptions::default() };
    let mut words = Vec::new();
    let summary = sim.run(file.path(), &options, |w| words.push(w)).unwrap();
    assert!(summary.overflow > 0, "{place}: nothing is lost");
    let image = Image::new(&program);
    let (found, losses) = decode(&params, &image, &words);
    assert!(losses > 4, "{place}: {losses} losses");
    for hart in 0..cores {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (found, want) = (of(&found), of(&events));
        let gap = |e: &FlowEvent| matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Start | FlowKind::Stop);
        let mut at = 0;
        for part in found.split(gap).filter(|part| !part.is_empty()) {
            let begins = position(part, &want, at);
            at = begins.unwrap_or_else(|| panic!("{place}, hart {hart}: {:x?} did not retire", part[0])) + part.len();
        }
        // the same bytes of what was found: a gap at the very end has no synchronization after it
        let ends = found.len() - if gap(&found[found.len() - 2]) { 2 } else { 0 };
        let mut encoder = Encoder::new(params.options(hart), 32, &image);
        found[..ends].iter().for_each(|e| encoder.push(e));
        let sent = encoder.bytes();
        if cores == 1 {
            assert_eq!(bytes(&words)[..sent.len()], *sent, "{place}");
        }
    }
}

#[test]
fn losses_are_reported_and_the_rest_comes_back() {
    loses_and_continues(base(1, 32), 3, "vm");
    loses_and_continues(base(1, 32), 4, "irq");
    loses_and_continues(base(3, 32), 3, "fsm");
    loses_and_continues(stack(1, 32, 8), 3, "qsort");
    loses_and_continues(branches(base(1, 32)), 3, "irq");
    loses_and_continues(synchronized(stack(1, 32, 8), 8), 3, "qsort");
    loses_and_continues(synchronized(branches(stack(1, 32, 8)), 6), 3, "irq");
    loses_and_continues(repeated(stack(1, 32, 8)), 3, "qsort");
    loses_and_continues(repeated(base(3, 32)), 3, "fsm");
}

/// Plays one core's instructions at the trace port of E-Trace; a trap has a cycle of its own.
fn reported_at_port(params: &NtraceParams, program: &Program, events: &[FlowEvent]) -> Vec<u32> {
    let (mut expander, mut retired) = (Expander::new(program, 1), Vec::new());
    events.iter().for_each(|e| expander.event(e, &mut |r| retired.push(*r)).unwrap());
    expander.finish(&mut |r| retired.push(*r)).unwrap();
    let top =
        system::<EtracePins<32>, 32>(params, &SystemOptions { ingress: Ingress::Etrace, ..SystemOptions::default() });
    let mut d = Driver::new(top, |t, high| t.clock(high)).unwrap();
    let mut words = Vec::new();
    let control = register("control").addr;
    d.uut.take(true);
    let mut run = |d: &mut Driver<_>, clocks: usize| {
        for _ in 0..clocks {
            words.extend(d.cycle(|_| (), |t: &hdl::top::System<EtracePins<32>, 32>| t.word()).unwrap());
        }
    };
    d.uut.reset(true);
    run(&mut d, 4);
    d.uut.reset(false);
    d.uut.bus(control, true, 1);
    run(&mut d, 1);
    d.uut.bus(control, false, 0);
    // the return stack is emptied
    run(&mut d, 60);
    let show = |d: &mut Driver<hdl::top::System<EtracePins<32>, 32>>, itype: u8, at: u64, halves: u8| {
        let pins = &mut d.uut.pins[0];
        pins.itype.next = u64::from(itype).to_bits();
        pins.iaddr.next = at.to_bits();
        pins.iretire.next = u64::from(halves).to_bits();
        pins.ilastsize.next = halves == 2;
    };
    let mut next = retired[0].pc;
    for (i, r) in retired.iter().enumerate() {
        if r.trapped {
            show(&mut d, 1 + (i as u8 & 1), next, 0);
            run(&mut d, 1);
        }
        show(&mut d, itype(r, 32), r.pc, r.len / 2);
        run(&mut d, 1);
        show(&mut d, 0, 0x4321, 0);
        run(&mut d, 4);
        next = r.next_pc;
    }
    // a jump at the end waits for its target
    show(&mut d, 2, next, 0);
    run(&mut d, 1);
    show(&mut d, 0, 0x4321, 0);
    run(&mut d, 20);
    d.uut.bus(control, true, 0);
    run(&mut d, 1);
    d.uut.bus(control, false, 0);
    run(&mut d, 400);
    words
}

#[test]
fn the_trace_port_of_e_trace_makes_the_words_of_rvfi() {
    for params in [base(1, 32), stack(1, 32, 8), synchronized(stack(1, 32, 8), 3)] {
        let (program, events) = synthetic(1, Shape::rv32(4), 8, 90, 600);
        let got = reported_at_port(&params, &program, &events);
        compare(&params.canonical(), &golden(&params, &Image::new(&program), &events), &got);
    }
}

#[test]
fn a_second_trace_matches_the_model() {
    let params = stack(1, 32, 8);
    let (program, events) = synthetic(1, Shape::rv32(6), 2, 30, 300);
    let top = build(&params, &SystemOptions::default()).unwrap();
    let (mut all, mut words) = (Vec::new(), Vec::new());
    let mut d = Driver::new(top, |t, high| t.clock(high)).unwrap();
    d.uut.take(true);
    let control = register("control").addr;
    for _ in 0..2 {
        let mut run = |d: &mut Driver<_>, clocks: u64| {
            for _ in 0..clocks {
                all.extend(d.cycle(|_| (), |t: &hdl::any_top::AnyTop| t.word()).unwrap());
            }
        };
        d.uut.bus(control, true, 1);
        run(&mut d, 1);
        d.uut.bus(control, false, 0);
        run(&mut d, 60);
        let (mut expander, mut cycle) = (Expander::new(&program, 1), 0);
        let mut each = |r: &sim::beats::Retired| {
            d.uut.retire(0, None);
            run(&mut d, r.cycle - cycle);
            d.uut.retire(0, Some(r));
            run(&mut d, 1);
            cycle = r.cycle + 1;
        };
        events.iter().for_each(|e| expander.event(e, &mut each).unwrap());
        expander.finish(&mut each).unwrap();
        d.uut.retire(0, None);
        d.uut.bus(control, true, 0);
        run(&mut d, 1);
        d.uut.bus(control, false, 0);
        run(&mut d, 400);
        words.extend(golden(&params, &Image::new(&program), &events));
    }
    compare(&params.canonical(), &words, &all);
}

#[test]
fn gates_are_within_their_targets() {
    let stamped = NtraceParams { timestamps: true, ..stack(1, 32, 8) };
    let contexts = NtraceParams { context: Some(8), ..stack(1, 32, 8) };
    for (params, filter, most, most_luts) in [
        (base(1, 32), false, 4_250.0, 650),
        (stack(1, 32, 8), false, 5_000.0, 720),
        (synchronized(stack(1, 32, 8), 10), false, 5_000.0, 800),
        (repeated(stack(1, 32, 8)), false, 5_500.0, 900),
        (stamped, false, 5_900.0, 950),
        (contexts, false, 5_500.0, 900),
        (stack(1, 32, 8), true, 5_000.0, 800),
        (synchronized(branches(stack(1, 32, 8)), 10), false, 5_000.0, 800),
    ] {
        let extras = Extras { filter, ..Extras::default() };
        let options = SystemOptions { fifo_address_bits: 4, extras, ..SystemOptions::default() };
        let verilog = emit(&params, &options).unwrap();
        let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
        let blocks: Vec<_> = report.blocks.iter().map(|b| format!("{} {:.0}", b.block, b.gates)).collect();
        let (gates, bits) = (report.gates, report.memory_bits);
        println!(
            "{}, filter {filter}: {gates:.0} NAND2, {bits} memory bits; {}",
            params.canonical(),
            blocks.join(", ")
        );
        assert!(gates <= most, "{}: {gates:.0} NAND2", params.canonical());
        if long() {
            let placed = fpga::place::place(&verilog, fpga::place::Device::Hx8k, 1, 80).unwrap();
            println!("{placed:?}");
            assert!(placed.resources.lut4 <= most_luts && placed.fmax_mhz >= 80.0, "{}", params.canonical());
        }
    }
}
