//! `hdl/src/ingress/{compress,rvfi_wide}.rs` against `sim/src/beats/wide.rs`, clock by clock
//!
//! Random programs that retire 0 to 4 instructions per cycle in any of the channels, in bursts of varying density, with
//! traps and interrupts, resets, and tracing that goes on and off. The queues are short, so that some instructions are
//! lost.

use hdl::ingress::beat::BeatOut;
use hdl::ingress::rvfi_wide::{RvfiFour, RvfiTwo};
use hdl::spine::{Extras, Retire};
use hdl::sweep::Ports;
use retire::isa::{flow, Flow, Indirect};
use rust_hdl::prelude::*;
use sim::beats::wide::{Check, Compressor, Row};
use sim::params::{Platform, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Retired, Run};
use sim::stimulus::{rounds, Source};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// The state of a channel in a cycle.
#[derive(Clone, Copy)]
enum Channel {
    Nothing,
    Traps,
    Retires { r: Retired, intr: bool },
}

/// An adapter with several channels.
trait Wide: Ports {
    const LANES: usize;
    const XLEN: u8;
    fn set_clock(&mut self, high: bool);
    fn control(&mut self, reset: bool, live: bool);
    /// Filter inputs: hide everything in this cycle; the address range to trace.
    fn set_filters(&mut self, hide: bool, first: u64, last: u64);
    fn set(&mut self, lane: usize, show: Channel);
    fn outputs(&self) -> BeatOutputs;
}

/// Outputs of an adapter in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BeatOutputs {
    live: bool,
    valid: bool,
    beat_lost: bool,
    count: u64,
    step: u64,
    /// `intr`, `branch`, `taken`, `lookup`, `push`, `pop`, `jump`
    kind: [bool; 7],
    discontinuity: bool,
    hidden: bool,
    addresses: [u64; 3],
}

fn beat_outputs<const W: usize>(beat: &BeatOut<W>, [more, step]: [u64; 2], beat_lost: bool) -> BeatOutputs {
    let taken = beat.branch.val() && beat.taken.val();
    let [intr, branch, lookup, push, pop, jump] =
        [&beat.intr, &beat.branch, &beat.lookup, &beat.push, &beat.pop, &beat.jump].map(|s| s.val());
    BeatOutputs {
        live: beat.live.val(),
        valid: beat.valid.val(),
        beat_lost,
        count: if beat.valid.val() { more + 1 } else { 0 },
        step,
        kind: [intr, branch, taken, lookup, push, pop, jump],
        discontinuity: beat.discontinuity.val(),
        hidden: beat.hide.val(),
        addresses: [beat.pc.val().to_u64(), beat.link.val().to_u64(), beat.target.val().to_u64()],
    }
}

macro_rules! wide {
    ($name:ident, $per_cycle:literal, $([$j:literal $channel:ident])+) => {
        impl<const W: usize> Wide for $name<W> {
            const LANES: usize = $per_cycle;
            const XLEN: u8 = W as u8;
            fn set_clock(&mut self, high: bool) {
                self.clock.next = high.into();
            }
            fn control(&mut self, reset: bool, live: bool) {
                self.port.reset.next = reset;
                self.port.live.next = live;
                self.port.open.next = true;
            }
            fn set_filters(&mut self, hide: bool, first: u64, last: u64) {
                self.port.hide.next = hide;
                self.port.mode.next = 0.into();
                self.port.modes.next = 1.into();
                self.port.first.next = first.to_bits();
                self.port.last.next = last.to_bits();
            }
            fn set(&mut self, lane: usize, show: Channel) {
                match lane {
                    $($j => {
                        self.port.pins.$channel.valid.next = !matches!(show, Channel::Nothing);
                        self.port.pins.$channel.trap.next = matches!(show, Channel::Traps);
                        let (insn, pc, to, intr) = match show {
                            Channel::Retires { r, intr } => (r.insn, r.pc, r.next_pc, intr),
                            // noise that must be ignored: a call to nowhere
                            _ => (0x0000_80e7, 0x1234, 0x5678, false),
                        };
                        self.port.pins.$channel.insn.next = u64::from(insn).to_bits();
                        self.port.pins.$channel.pc_rdata.next = pc.to_bits();
                        self.port.pins.$channel.pc_wdata.next = to.to_bits();
                        self.port.pins.$channel.intr.next = intr;
                    })+
                    _ => panic!("channel {lane} of {}", $per_cycle),
                }
            }
            fn outputs(&self) -> BeatOutputs {
                let numbers = [self.port.more.val().to_u64(), self.port.step.val().to_u64()];
                beat_outputs(&self.port.beat, numbers, self.port.beat_lost.val())
            }
        }
    };
}
wide!(RvfiTwo, 2, [0 rvfi0] [1 rvfi1]);
wide!(RvfiFour, 4, [0 rvfi0] [1 rvfi1] [2 rvfi2] [3 rvfi3]);

/// Whether it is control flow, or the first instruction after a trap.
fn is_event(r: &Retired, xlen: u8) -> bool {
    r.trapped || flow(r.insn, xlen) != Flow::Sequential
}

/// Flags of an instruction in a beat, by the tables of `hdl/src/ingress/beat.rs` and of the unprivileged ISA.
fn kind(r: &Retired, xlen: u8) -> [bool; 7] {
    let taken = r.next_pc != r.pc.wrapping_add(r.len.into());
    let (mut branch, mut lookup, mut push, mut pop, mut jump) = (false, false, false, false, false);
    match flow(r.insn, xlen) {
        Flow::Sequential => {}
        Flow::Conditional { .. } => branch = true,
        Flow::Jump { call, .. } => (jump, push) = (true, call),
        Flow::Indirect(Indirect::Jump) | Flow::TrapReturn => lookup = true,
        Flow::Indirect(Indirect::Call) => (lookup, push) = (true, true),
        Flow::Indirect(Indirect::Return) => pop = true,
        Flow::Indirect(Indirect::CoSwap) => (pop, push) = (true, true),
    }
    // for other instructions, `taken` is ignored
    [r.trapped, branch, branch && taken, lookup, push, pop, jump]
}

struct Seen {
    rows: usize,
    beat_lost: usize,
    lag: u32,
    split: usize,
    discontinuity: usize,
    hidden: usize,
}

/// Drives `uut` for `clocks` cycles and compares its outputs with the model.
fn drive<T: Wide>(uut: T, params: &TraceParams, extras: Extras, seed: u64, clocks: usize) -> Seen {
    let xlen = T::XLEN;
    let (log2_words, check) = (extras.retire.unwrap().log2_words, extras.check);
    let shape = if xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
    let model = Model::new(&Shape { compressed: params.align == 1, ..shape });
    let config = Config { trap_per_64k: 1_500, ..Config::new(1, seed) };
    let mut steps = Run::new(&model, &config).map(|s| s.retired).peekable();
    let mut s = Source::seeded(seed);
    let mut d = Driver::new(uut, |u: &mut T, c| u.set_clock(c)).unwrap().recording();
    // with each event: whether it is a discontinuity
    let mut golden: Compressor<(Retired, bool)> = Compressor::new(log2_words);
    let mut checker = Check::new(xlen);
    // what the channels showed in the previous cycle, and the row at the output now
    let mut came: Vec<(Retired, bool)> = Vec::new();
    let mut row: Option<Row<(Retired, bool)>> = None;
    let (mut hide, mut first, mut last) = (false, 0, u64::MAX >> (64 - xlen));
    let (mut trap_reported, mut was_reset, mut was_live) = (false, true, false);
    let mut seen = Seen { rows: 0, beat_lost: 0, lag: 0, split: 0, discontinuity: 0, hidden: 0 };
    let (mut lag, mut percent, mut phase, mut live) = (0, 50, 0, false);
    for clock in 0..clocks {
        if phase == 0 {
            (percent, phase) = (*s.pick(&[0, 5, 40, 90, 100]), s.between(1, 60));
            live = if clock < 30 { false } else { s.percent(85) };
            if extras.filter {
                // hide some addresses around the PC, or everything
                let pc = steps.peek().map_or(0, |r| r.pc);
                hide = s.percent(20);
                first = if s.percent(50) { 0 } else { pc.saturating_sub(s.below(64)) };
                last = if s.percent(50) { u64::MAX >> (64 - xlen) } else { pc + s.below(64) };
            }
        }
        phase -= 1;
        let reset = clock < 2 || s.per_64k(60);
        let mut shows = vec![Channel::Nothing; T::LANES];
        let mut now = Vec::new();
        for show in &mut shows {
            if !s.percent(percent) {
                continue;
            }
            if steps.peek().is_some_and(|r| r.trapped) && !trap_reported && s.percent(50) {
                (*show, trap_reported) = (Channel::Traps, true);
                continue;
            }
            let mut r = steps.next().unwrap();
            if check && s.per_64k(400) {
                // the core omitted an instruction
                r = steps.next().unwrap();
            }
            if check && s.per_64k(400) && matches!(flow(r.insn, xlen), Flow::Sequential) {
                // for example an `ecall` that retires and shows its handler
                r.next_pc = s.bits(xlen.into()) >> params.align << params.align;
            }
            // signalled by the trap before it, by `intr`, or by both
            let silent = check && !trap_reported && s.percent(40);
            let intr = r.trapped && !silent && (!trap_reported || s.percent(50));
            let announced = intr || trap_reported;
            trap_reported = false;
            *show = Channel::Retires { r, intr };
            let hides = hide || !(first..=last).contains(&r.pc);
            now.push((if check { Retired { trapped: announced, ..r } } else { r }, hides));
        }
        let set = |u: &mut T| {
            u.control(reset, live);
            u.set_filters(hide, first, last);
            shows.iter().enumerate().for_each(|(lane, show)| u.set(lane, *show));
        };
        let got = d.cycle(set, T::outputs).unwrap();
        if let Some(row) = row {
            let place = format!("clock {clock}");
            assert_eq!(
                (got.live, got.valid, got.beat_lost),
                (row.live, row.count > 0, row.beat_lost),
                "{place}: {row:x?}"
            );
            assert_eq!(got.count, u64::from(row.count), "{place}: {row:x?}");
            assert_eq!(got.hidden, row.hidden, "{place}: {row:x?}");
            seen.hidden += usize::from(row.hidden && row.event.is_some());
            // in the cycle after a reset, the value is that of before
            if params.timestamps && !was_reset {
                assert_eq!(got.step, u64::from(lag + 1 - row.lag), "{place}: {row:x?}");
            }
            if let (Some((r, discontinuity)), true) = (row.event, row.live && !row.hidden) {
                // the first traced instruction follows nothing
                assert_eq!(got.discontinuity, discontinuity && was_live, "{place}: {row:x?}");
                seen.discontinuity += usize::from(discontinuity);
                assert_eq!(got.kind, kind(&r, xlen), "{place}: {row:x?}");
                let address = |a: u64| a >> params.align;
                let link = r.pc.wrapping_add(r.len.into()) & (u64::MAX >> (64 - xlen));
                let want = [r.pc, link, r.next_pc].map(address);
                assert_eq!(got.addresses, want, "{place}: {row:x?}");
            } else {
                assert!(!got.discontinuity, "{place}: {got:x?}");
                let beat_lost = row.beat_lost && row.live;
                let quiet = [&got.kind[1..2], &got.kind[3..6]].concat();
                assert!(quiet.iter().all(|k| !k) && got.kind[6] == beat_lost, "{place}: {got:x?}");
            }
            (lag, was_live) = (row.lag, row.live);
            seen.rows += usize::from(row.live && row.event.is_some());
            seen.beat_lost += usize::from(row.beat_lost);
            seen.split += usize::from(!row.live && row.event.is_none() && row.count > 0 && live);
            seen.lag = seen.lag.max(row.lag);
        }
        was_reset = reset;
        if reset {
            golden = Compressor::new(log2_words);
            checker = Check::new(xlen);
            row = Some(Row { live: false, count: 0, event: None, beat_lost: false, lag: 0, hidden: false });
            now.clear();
            trap_reported = false;
        } else {
            let breaks = if check { checker.clock(&came) } else { vec![false; came.len()] };
            let came = came.iter().zip(breaks).map(|((r, hides), discontinuity)| {
                let r = Retired { trapped: r.trapped || discontinuity, ..*r };
                ((r, discontinuity), is_event(&r, xlen), *hides)
            });
            row = Some(golden.with_filter(came, live, 0));
        }
        came = now;
    }
    d.check_verilog().unwrap();
    seen
}

fn params(scheme: &str, xlen: u8, align: u8, timestamps: bool) -> TraceParams {
    TraceParams::new(Platform { xlen, align, timestamps, ..Platform::RV32 }, scheme.parse().unwrap())
}

#[test]
fn beats_of_several_channels_are_those_of_the_model() {
    let clocks = rounds(6_000, 200_000);
    let (mut beat_lost, mut lag) = (0, 0);
    for (seed, log2_words, xlen, align, check, filter) in
        [(1, 2, 32, 1, false, false), (2, 3, 32, 2, true, false), (3, 2, 64, 1, false, true), (4, 2, 32, 1, true, true)]
    {
        let p = params("tr_e:small", xlen, align, true);
        let extras = |per_cycle| Extras {
            check,
            filter,
            range: filter,
            retire: Some(Retire { per_cycle, log2_words }),
            ..Extras::default()
        };
        let seen = if xlen == 64 {
            [
                drive(RvfiTwo::<64>::with(&p, extras(2)), &p, extras(2), seed, clocks),
                drive(RvfiFour::<64>::with(&p, extras(4)), &p, extras(4), seed, clocks),
            ]
        } else {
            [
                drive(RvfiTwo::<32>::with(&p, extras(2)), &p, extras(2), seed, clocks),
                drive(RvfiFour::<32>::with(&p, extras(4)), &p, extras(4), seed, clocks),
            ]
        };
        for s in seen {
            eprintln!(
                "{log2_words}, {xlen}: {} rows, {} gaps, lag {}, {} split, {} do not follow, {} hidden",
                s.rows, s.beat_lost, s.lag, s.split, s.discontinuity, s.hidden
            );
            assert!(s.rows > clocks / 12 && s.split > 5, "{} rows, {} split", s.rows, s.split);
            assert!(!check || s.discontinuity > 8, "{} do not follow", s.discontinuity);
            assert!(!filter || s.hidden > 50, "{} hidden", s.hidden);
            beat_lost += s.beat_lost;
            lag = lag.max(s.lag);
        }
    }
    assert!(beat_lost > 10 && lag > 3, "{beat_lost} gaps, lag {lag}");
}

#[test]
fn adapters_pass_the_static_checks() {
    let p32 = params("tr_e:small", 32, 1, true);
    emit_checked(&mut RvfiTwo::<32>::new(&p32, Retire { per_cycle: 2, log2_words: 3 })).unwrap();
    let p = params("tr_e:small", 64, 2, false);
    emit_checked(&mut RvfiFour::<64>::new(&p, Retire { per_cycle: 4, log2_words: 4 })).unwrap();
    let retire = Some(Retire { per_cycle: 4, log2_words: 3 });
    emit_checked(&mut RvfiFour::<32>::with(
        &p32,
        Extras { check: true, filter: true, space: true, retire, ..Extras::default() },
    ))
    .unwrap();
}
