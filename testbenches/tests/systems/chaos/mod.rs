//! Whole trace systems under random conditions: tracing enabled for short or long times, resets, cores that retire in
//! every cycle, a sink that stalls, all drawn at random in every cycle
//!
//! Between two resets, the output is a sequence of complete traces (a reset may cut the last one); each of them matches
//! what its cores retired, and a system that is left alone becomes idle. If losses are counted, their number in
//! register `status` equals that of the gaps in the trace.
//!
//! While tracing is disabled, and from the second cycle after `control` is written with 0 or `allow` is 0, the cores
//! run code at secret addresses, with jumps and traps. None of it is reported or counted as lost, even if a core was
//! losing instructions when the trace ended, or the adapter still holds one when the next trace begins: each trace
//! replays without it and ends at the last instruction before it, and in streams with full addresses its bits do not
//! occur.

mod check;
mod core;
mod play;
mod standard;

use self::check::{check, contains_secret, Seen};
use self::core::Ports;
use self::play::{play, register};
use fpga::cosim::{Cosim, Dir, Interface, Port};
use hdl::bus::wrap::Buses;
use hdl::emit::{build, emit_on, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style, Written};
use retire::image::Image;
use rust_hdl::prelude::*;
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::stimulus::pairs;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;

fn chaos(scheme: &str, cores: u8, timestamps: bool, fifo_address_bits: u8, clocks: usize) {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    (params.cores, params.timestamps) = (cores, timestamps);
    // every second system is built with all extras
    let all = clocks == 40_000;
    // a smaller FIFO fills up before a stalled core has retired what is in flight
    let stall = all && fifo_address_bits >= 4;
    let extras = Extras { sync: all, check: all, session: all, stall, lost: all, ..Extras::default() };
    survives(&params, fifo_address_bits, (Ports::One, extras), clocks);
}

/// Cores that retire several instructions or blocks per cycle.
fn wide_chaos(scheme: &str, cores: u8, timestamps: bool, ports: Ports, log2_words: u8, clocks: usize) {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    (params.cores, params.timestamps) = (cores, timestamps);
    let per_cycle = match ports {
        Ports::One | Ports::Reports => 1,
        Ports::Channels(n) | Ports::Blocks(n) => n,
    };
    let extras = Extras {
        session: true,
        lost: true,
        // blocks do not report where an instruction went
        check: matches!(ports, Ports::Channels(_)),
        sync: true,
        retire: Some(Retire { per_cycle, log2_words }),
        ..Extras::default()
    };
    survives(&params, 4, (ports, extras), clocks);
}

fn survives(params: &TraceParams, fifo_address_bits: u8, (ports, extras): (Ports, Extras), clocks: usize) {
    all_of(params, fifo_address_bits, (ports, extras), clocks, false);
}

/// The same system with a lock in front of it.
fn locked_system(params: &TraceParams, options: &SystemOptions, system: &Written) -> Cosim {
    let text = emit_on(params, options, &Style::default(), Buses { locked: true, ..Buses::default() }).unwrap();
    let port = |name: &str, width, output: bool| Port {
        name: name.into(),
        width,
        dir: if output { Dir::Output } else { Dir::Input },
    };
    let pins = system.pins.iter().filter(|p| p.name != "clock");
    let mut ports: Vec<Port> = pins.map(|p| port(&p.name, p.width as u16, p.output)).collect();
    ports.push(port("allow", 1, false));
    Cosim::build(&text, &Interface { clock: Some("clock".into()), ports }).unwrap()
}

fn all_of(params: &TraceParams, fifo_address_bits: u8, (ports, extras): (Ports, Extras), clocks: usize, locked: bool) {
    let (cores, timestamps) = (params.cores, params.timestamps);
    let place = format!("{}, N = {cores}, time-stamped {timestamps}, {ports:?}", params.flow.name());
    let ingress = match ports {
        Ports::Blocks(_) => Ingress::Blocks,
        Ports::Reports => Ingress::Etrace,
        Ports::One | Ports::Channels(_) => Ingress::Rvfi,
    };
    let options = SystemOptions { ingress, fifo_address_bits, extras };
    let mut top = build(params, &options).unwrap();
    top.connect_all();
    let written = write(&top, &Style::default()).unwrap();
    let cosim = if locked { locked_system(params, &options, &written) } else { Cosim::of_written(&written).unwrap() };
    let outputs = ["valid", "data", "bus_rdata"].map(|name| cosim.output(name).unwrap());
    let [ready, address] =
        ["ready", "bus_addr"].map(|name| cosim.inputs().iter().position(|p| p.name == name).unwrap());
    let fields = REGS.iter().find(|r| r.name == "status").unwrap().fields;
    let [idle, lost] = ["idle", "lost"].map(|name| fields.iter().find(|f| f.name == name).unwrap().lsb);
    // most pairs have 4 bytes each
    let compressed = !params.flow.infers() || cores % 2 == 0;
    let mut model = Model::new(&Shape { compressed, ..Shape::rv32(u64::from(cores)) });
    if params.flow.infers() {
        pairs::insert(&mut model, u64::from(cores));
    }
    let image = Image::new(&model.program);
    let mut all = Seen::default();
    let (mut resets, mut single_cycle_enables, mut counts) = (0, 0, 0);
    for seed in 1..=rounds(3, 30) {
        let p = play(&cosim, params, (ports, extras), &model, seed, clocks);
        let (mut words, mut segments, mut status) = (Vec::new(), Vec::new(), 0);
        // loss counts when the system was idle: segment, words of it, lost
        let mut idles: Vec<(usize, usize, u64)> = Vec::new();
        cosim
            .clone()
            .with_random_state(seed as u32)
            .run(p.vectors.iter().cloned(), |clock, out| {
                let taken = out[outputs[0]] == 1 && p.vectors[clock as usize][ready] == 1;
                words.extend(taken.then_some(out[outputs[1]] as u32));
                if p.resets.binary_search(&clock).is_ok() {
                    segments.push(std::mem::take(&mut words));
                }
                status = out[outputs[2]] as u32;
                let asked = clock.checked_sub(1).map(|before| p.vectors[before as usize][address]);
                let reset = |at: u64| p.resets.binary_search(&at).is_ok();
                // read data belongs to the previous cycle
                if asked == Some(register("status")) && status >> idle & 1 == 1 && !reset(clock) && !reset(clock - 1) {
                    idles.push((segments.len(), words.len(), (status >> lost).into()));
                }
            })
            .unwrap();
        assert_eq!(status >> idle & 1, 1, "{place}, seed {seed}: it never becomes idle, status {status:#x}");
        segments.push(words);
        let whole = params.stream_cache().is_some();
        assert!(
            !whole || !segments.iter().any(|words| contains_secret(words)),
            "{place}, seed {seed}: bits of a secret address"
        );
        let mut from = vec![0; cores.into()];
        let last = segments.len() - 1;
        for (i, words) in segments.iter().enumerate() {
            let seen = check(words, (params, ports, options.warm_up_scale(params)), &image, &p, &mut from, i == last);
            all.traces += seen.traces;
            all.gaps += seen.gaps;
            all.cut += seen.cut;
            all.headers += seen.headers;
            all.instructions += seen.instructions;
            for (_, words, counted) in idles.iter().filter(|idle| extras.lost && idle.0 == i) {
                let told = match seen.lost.iter().find(|(end, _)| end == words) {
                    Some((_, lost)) => *lost,
                    None if *words == 0 => 0,
                    // a trace before a reset, which may be incomplete
                    None => continue,
                };
                assert_eq!(*counted, told, "{place}, seed {seed}: lost up to word {words} of segment {i}");
                counts += usize::from(told > 0);
            }
        }
        resets += last;
        single_cycle_enables += p.single_cycle_enables;
    }
    eprintln!("{place}: {all:?}, {resets} clocks of reset, enabled for one clock {single_cycle_enables} times");
    assert!(all.cut > 0, "{place}: {all:?}");
    assert!(all.traces > 8 && all.gaps > 3 && all.instructions > 1_000, "{place}: {all:?}");
    assert!(!extras.sync || all.headers > 2, "{place}: {all:?}");
    assert!(resets > 10 && single_cycle_enables > 5, "{place}: {resets} resets, {single_cycle_enables} flashes");
    assert!(!extras.lost || counts > 10, "{place}: {counts} times losses were counted");
}

#[test]
fn t_raptor_survives_chaos() {
    chaos("tr_e:small", 1, false, 3, 60_000);
    chaos("tr_e:small", 3, true, 4, 40_000);
    chaos("tr_e:medium", 5, false, 4, 60_000);
    chaos("golomb:m4", 2, false, 3, 40_000);
}

#[test]
fn others_survive_chaos() {
    chaos("nx_b", 6, false, 3, 40_000);
    chaos("sc-lsp:rbase-32x4", 7, false, 4, 40_000);
    chaos("sc-lsp:base-32x4", 1, true, 3, 60_000);
}

#[test]
fn predictors_that_follow_the_past_survive_chaos() {
    chaos("follow:s", 1, false, 3, 60_000);
    chaos("follow:m", 3, true, 4, 40_000);
    wide_chaos("follow:m", 2, true, Ports::Channels(4), 3, 30_000);
    wide_chaos("follow:l", 1, false, Ports::Blocks(2), 3, 30_000);
}

#[test]
fn arithmetic_codes_survive_chaos() {
    chaos("follow:s+arithmetic", 1, false, 3, 60_000);
    chaos("follow:m+arithmetic", 3, false, 4, 40_000);
    wide_chaos("follow:s+arithmetic", 1, false, Ports::Channels(2), 3, 30_000);
    wide_chaos("follow:m+arithmetic", 2, false, Ports::Channels(4), 3, 30_000);
}

#[test]
fn locked_systems_survive_chaos() {
    for (scheme, cores, fifo_address_bits, ports, clocks) in [
        ("tr_e:small", 2, 3, Ports::One, 60_000),
        ("sc-lsp:base-32x4", 1, 3, Ports::One, 60_000),
        ("nx_b", 1, 4, Ports::Channels(4), 40_000),
        ("taken", 2, 3, Ports::Reports, 40_000),
        ("follow:s", 2, 3, Ports::One, 40_000),
    ] {
        let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        params.cores = cores;
        let retire = match ports {
            Ports::Channels(per_cycle) => Some(Retire { per_cycle, log2_words: 3 }),
            _ => None,
        };
        all_of(&params, fifo_address_bits, (ports, Extras { lost: true, retire, ..Extras::default() }), clocks, true);
    }
}

#[test]
fn signatures_survive_chaos() {
    let one = Extras { sync: true, session: true, lost: true, ..Extras::default() };
    let several = |per_cycle| Extras { retire: Some(Retire { per_cycle, log2_words: 3 }), ..one };
    for (scheme, signature, cores, timestamps, (ports, extras)) in [
        ("tr_e:small", 16, 1, false, (Ports::One, one)),
        ("taken", 8, 2, true, (Ports::One, one)),
        ("tr_e:m4", 16, 2, true, (Ports::Channels(4), several(4))),
        ("nx_b", 16, 1, false, (Ports::Blocks(2), several(2))),
        ("follow:m", 16, 2, true, (Ports::One, one)),
        ("sc-lsp:rbase-32x4", 16, 2, true, (Ports::One, one)),
        ("sc-lsp:base-8x8", 8, 1, false, (Ports::Channels(2), several(2))),
    ] {
        let platform = Platform { cores, timestamps, signature, ..Platform::RV32 };
        survives(&TraceParams::new(platform, scheme.parse().unwrap()), 4, (ports, extras), 30_000);
    }
}

#[test]
fn inferable_jumps_survive_chaos() {
    chaos("tr_e:small+inferable", 1, false, 3, 60_000);
    chaos("tr_e:m4+inferable", 3, true, 4, 40_000);
    chaos("follow:m+inferable", 2, false, 3, 40_000);
    chaos("follow:s+inferable+arithmetic", 2, false, 4, 40_000);
    let extras = Extras { sync: true, session: true, lost: true, ..Extras::default() };
    let platform = Platform { signature: 16, ..Platform::RV32 };
    let params = TraceParams::new(platform, "golomb:m4+inferable".parse().unwrap());
    survives(&params, 4, (Ports::One, extras), 30_000);
}

#[test]
fn the_smallest_scheme_survives_chaos() {
    chaos("taken", 2, true, 3, 30_000);
    wide_chaos("taken", 1, true, Ports::Channels(2), 3, 30_000);
}

#[test]
fn several_instructions_a_clock_survive_chaos() {
    wide_chaos("tr_e:small", 1, true, Ports::Channels(2), 2, 40_000);
    wide_chaos("tr_e:small", 1, false, Ports::Channels(4), 3, 40_000);
    wide_chaos("sc-lsp:rbase-32x4", 1, true, Ports::Channels(4), 2, 30_000);
    wide_chaos("sc-lsp:base-8x8", 3, false, Ports::Channels(2), 3, 30_000);
    wide_chaos("nx_b", 1, false, Ports::Channels(4), 3, 40_000);
    wide_chaos("nx_b", 2, true, Ports::Channels(2), 2, 30_000);
    wide_chaos("tr_e:m4", 2, true, Ports::Channels(4), 3, 30_000);
}

#[test]
fn blocks_survive_chaos() {
    wide_chaos("tr_e:m4", 1, false, Ports::Blocks(2), 2, 40_000);
    wide_chaos("nx_b", 2, false, Ports::Blocks(2), 3, 30_000);
    wide_chaos("sc-lsp:rbase-32x4", 1, true, Ports::Blocks(1), 3, 30_000);
    wide_chaos("sc-lsp:base-32x4", 2, false, Ports::Blocks(2), 2, 30_000);
    wide_chaos("tr_e:small", 2, true, Ports::Blocks(1), 4, 40_000);
}

#[test]
fn reports_of_one_instruction_survive_chaos() {
    let of = |scheme: &str, cores, timestamps, sync, clocks| {
        let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        (params.cores, params.timestamps) = (cores, timestamps);
        let extras = Extras { session: true, lost: true, sync, ..Extras::default() };
        survives(&params, 3, (Ports::Reports, extras), clocks);
    };
    of("tr_e:small", 1, true, false, 40_000);
    of("tr_e:m4", 3, false, true, 30_000);
    of("nx_b", 2, false, false, 30_000);
    of("sc-lsp:rbase-32x4", 2, true, true, 30_000);
}
