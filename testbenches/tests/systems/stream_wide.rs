//! `hdl/src/{cores,top}.rs` with `hdl/src/scheme/sc_lsp/{detector,front,records}.rs` against `sim/src/system.rs`, in the
//! rust-hdl simulation; and the Verilog of the same in step with it
//!
//! Stream caches of cores that retire several instructions per cycle: random programs with traps, in any channels, and
//! a sink that stalls. While tracing stays enabled, the words are those of a core that retires one instruction per
//! cycle, also with resyncs. Then tracing goes on and off and there are resets, and the Verilog matches the simulation
//! cycle by cycle (`chaos` shows that it is right then).

use hdl::emit::SystemOptions;
use hdl::ingress::rvfi_wide::{RvfiFourPins, RvfiTwoPins};
use hdl::spine::{Extras, Retire};
use hdl::sweep::Ports;
use hdl::top::System as Circuit;
use retire::RetireSink;
use rust_hdl::prelude::*;
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config, Retired};
use sim::stimulus::{rounds, Source};
use sim::system::System;
use testbenches::driver::{CheckVerilog, Driver};

/// A register write.
type Write = (&'static str, u64);

fn enable(on: bool) -> Write {
    ("control", on.into())
}

/// A system of one core with several channels.
trait Wide: Ports {
    const LANES: u8;
    const XLEN: u8;
    fn make(params: &TraceParams, extras: Extras) -> Self;
    fn set_clock(&mut self, high: bool);
    fn control(&mut self, reset: bool, write: Option<Write>, ready: bool);
    fn set(&mut self, lane: u8, show: Option<Retired>);
    /// The word at the output, and whether the system is idle.
    fn outputs(&self) -> (Option<u32>, u32);
}

fn register(name: &str) -> u64 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

macro_rules! wide {
    ($name:ident, $per_cycle:literal, $([$j:literal $channel:ident])+) => {
        impl<const W: usize> Wide for Circuit<$name<W>, W> {
            const LANES: u8 = $per_cycle;
            const XLEN: u8 = W as u8;
            fn make(params: &TraceParams, extras: Extras) -> Self {
                Self::new(params, 6, extras)
            }
            fn set_clock(&mut self, high: bool) {
                self.clock.next = high.into();
            }
            fn control(&mut self, reset: bool, write: Option<Write>, ready: bool) {
                self.reset.next = reset;
                self.ready.next = ready;
                self.bus_write.next = write.is_some();
                let (name, value) = write.unwrap_or(("status", 0));
                self.bus_addr.next = register(name).to_bits();
                self.bus_wdata.next = value.to_bits();
            }
            fn set(&mut self, lane: u8, show: Option<Retired>) {
                match lane {
                    $($j => {
                        self.pins[0].$channel.valid.next = show.is_some();
                        self.pins[0].$channel.trap.next = false;
                        // noise on unused channels: a call to nowhere
                        let (insn, pc, to, intr) = show
                            .map_or((0x0000_80e7, 0x1234, 0x5678, false), |r| (r.insn, r.pc, r.next_pc, r.trapped));
                        self.pins[0].$channel.insn.next = u64::from(insn).to_bits();
                        self.pins[0].$channel.pc_rdata.next = pc.to_bits();
                        self.pins[0].$channel.pc_wdata.next = to.to_bits();
                        self.pins[0].$channel.intr.next = intr;
                    })+
                    _ => panic!("channel {lane} of {}", $per_cycle),
                }
            }
            fn outputs(&self) -> (Option<u32>, u32) {
                let word = (self.valid.val() && self.ready.val()).then(|| self.data.val().to_u64() as u32);
                (word, self.bus_rdata.val().to_u64() as u32)
            }
        }
    };
}
wide!(RvfiTwoPins, 2, [0 rvfi0] [1 rvfi1]);
wide!(RvfiFourPins, 4, [0 rvfi0] [1 rvfi1] [2 rvfi2] [3 rvfi3]);

/// Cycles until tables are clear, and until everything queued is sent.
const DRAIN_CYCLES: usize = 1_500;

/// Drives a system, with resyncs every 2^`period` instructions; 0: none.
fn drive<T: Wide>(scheme: &str, seed: u64, instructions: usize, period: u8) {
    let platform = Platform { xlen: T::XLEN, ..Platform::RV32 };
    let params = TraceParams::new(platform, scheme.parse().unwrap());
    let retire = Some(Retire { per_cycle: T::LANES, log2_words: 4 });
    let extras = Extras { retire, sync: period > 0, ..Extras::default() };
    let shape = if T::XLEN == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
    let model = Model::new(&shape);
    let first = record(&model, &Config { trap_per_64k: 400, ..Config::new(1, seed) }, instructions);
    let warm_up_scale = SystemOptions { extras, ..SystemOptions::default() }.warm_up_scale(&params);
    let every = (period > 0).then(|| SyncPeriod::new(period).unwrap());
    let mut golden = System::with_warm_up_scale(&params, warm_up_scale).unwrap().sync_every(&params, every);
    first.events.iter().for_each(|e| golden.event(e));
    golden.finish(first.events.last().map_or(0, |e| e.cycle));
    let want: Vec<u32> = golden.drain().collect();

    let place = format!("{scheme}, {} bits, {} a clock", T::XLEN, T::LANES);
    let mut s = Source::seeded(seed);
    let mut d = Driver::new(T::make(&params, extras), |u: &mut T, c| u.set_clock(c)).unwrap().recording();
    let mut words = Vec::new();
    let mut clock = |reset, write, ready, shows: &[Option<Retired>], words: &mut Vec<u32>| {
        let set = |u: &mut T| {
            u.control(reset, write, ready);
            (0..).zip(shows).for_each(|(lane, show)| u.set(lane, *show));
        };
        let (word, status) = d.cycle(set, T::outputs).unwrap();
        words.extend(word);
        status
    };
    let none = vec![None; T::LANES.into()];
    (0..3).for_each(|_| {
        clock(true, None, true, &none, &mut words);
    });
    if period > 0 {
        clock(false, Some(("sync", period.into())), true, &none, &mut words);
    }
    clock(false, Some(enable(true)), true, &none, &mut words);
    (0..DRAIN_CYCLES).for_each(|_| {
        clock(false, None, true, &none, &mut words);
    });
    // some bursts: on average less than one event per cycle, and less than the encoder can send
    let mut left = first.retired.iter();
    let mut lanes_used = [0; 5];
    while left.len() > 0 {
        let rate = if s.percent(12) { 80 } else { 0 };
        let mut shows = none.clone();
        for show in &mut shows {
            *show = if s.percent(rate) { left.next().copied() } else { None };
        }
        lanes_used[shows.iter().flatten().count()] += 1;
        clock(false, None, !s.percent(10), &shows, &mut words);
    }
    (0..DRAIN_CYCLES).for_each(|_| {
        clock(false, None, true, &none, &mut words);
    });
    clock(false, Some(enable(false)), true, &none, &mut words);
    (0..DRAIN_CYCLES).for_each(|_| {
        clock(false, None, true, &none, &mut words);
    });
    let differs = want.iter().zip(&words).position(|(w, g)| w != g);
    assert_eq!(differs, None, "{place}: words differ, of {} and {}", want.len(), words.len());
    assert_eq!(want.len(), words.len(), "{place}");
    assert!(want.len() > instructions / 100 && lanes_used[T::LANES as usize] > 50, "{place}: {lanes_used:?}");

    // anything, in every cycle
    let mut steps = first.retired.iter().cycle();
    let (mut enabled, mut dwell, mut rate, mut told) = (false, 1, 50, Vec::new());
    for _ in 0..rounds(1_500, 30_000) {
        let reset = s.per_64k(40);
        enabled &= !reset;
        dwell -= 1;
        let mut write = None;
        if dwell <= 0 && !reset {
            enabled = !enabled;
            (write, dwell) = (Some(enable(enabled)), *s.pick(&[1_i64, 2, 5, 40, 300, 700]));
            rate = *s.pick(&[0, 10, 60, 100]);
        } else if period > 0 && s.per_64k(300) {
            write = Some(*s.pick(&[("request", 1), ("sync", 10), ("sync", 7 << 8), ("sync", 0)]));
        }
        let mut shows = none.clone();
        for show in &mut shows {
            *show = if s.percent(rate) { steps.next().copied() } else { None };
        }
        clock(reset, write, s.percent(70), &shows, &mut told);
    }
    assert!(told.len() > 30, "{place}: {} words under anything", told.len());
    d.check_system().unwrap_or_else(|e| panic!("{place}: {e}"));
}

#[test]
fn the_rust_hdl_simulation_sends_the_words_of_one_instruction_a_clock() {
    let instructions = rounds(2_000, 20_000);
    drive::<Circuit<RvfiTwoPins<32>, 32>>("sc-lsp:rbase-32x4", 1, instructions, 0);
    drive::<Circuit<RvfiFourPins<32>, 32>>("sc-lsp:ebase-8x8", 2, instructions, 0);
    drive::<Circuit<RvfiFourPins<64>, 64>>("sc-lsp:base-16x2", 3, instructions, 0);
}

#[test]
fn resyncs_are_those_of_one_instruction_a_clock() {
    let instructions = rounds(4_000, 30_000);
    drive::<Circuit<RvfiTwoPins<32>, 32>>("sc-lsp:rbase-16x2", 4, instructions, 10);
    drive::<Circuit<RvfiFourPins<32>, 32>>("sc-lsp:base-8x4", 5, instructions, 11);
}
