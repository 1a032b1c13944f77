//! `hdl/src/diag/generator/full/{generator,slots,log,registers,stack,calls,word,wide_word,control,outbox}.rs` and
//! `hdl/src/diag/generator/observer.rs` against the golden generator, clock by clock
//!
//! Instructions that hit slots, calls, stores and traps, as random as a core may produce them; the ring accepts events
//! in random cycles, and for long periods not at all; resets, new slots, and a time that jumps ahead. Then cases worked
//! by hand: recursion, preempted threads, `longjmp`, several triggers in one cycle, arguments on the stack.

use crate::diag_harness::{check_verilog, result, set_seen, set_write, shuffled};
use hdl::diag::generator::full::{Full, WideFull};
use hdl::diag::generator::observer::Observer;
use hdl::sweep::Ports;
use rust_hdl::prelude::*;
use sim::diag::full::{Full as Golden, STALL_SKID};
use sim::diag::generator::{Access, ObservedInsn};
use sim::diag::packet::Event;
use sim::diag::registers;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use sim::stimulus::hits::{slots, Hits};
use sim::stimulus::{long, rounds, Source};
use testbenches::driver::Driver;
use testbenches::gates::{emit_checked, emit_checked_system};

const CORE: u8 = 5;

/// A full event generator, of a core of 32 or 64 bits.
trait Generator: Block + Ports + Sized {
    fn with(params: &GeneratorParams) -> Self;
    fn clock(&mut self) -> &mut Signal<In, Clock>;
    fn drive(
        &mut self,
        reset: bool,
        seen: (Option<&ObservedInsn>, u64),
        write: Option<(u16, u16)>,
        ready: bool,
        noise: u64,
    );
    /// The event at the output, whether it yields, and whether the core must wait.
    fn found(&self) -> ((Option<(u8, Event)>, bool), bool);
    fn checked(self);
}

macro_rules! generator {
    ($full:ident) => {
        impl Generator for $full {
            fn with(params: &GeneratorParams) -> Self {
                Self::new(params, CORE)
            }

            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }

            fn drive(
                &mut self,
                reset: bool,
                (seen, now): (Option<&ObservedInsn>, u64),
                write: Option<(u16, u16)>,
                ready: bool,
                noise: u64,
            ) {
                self.reset.next = reset;
                set_seen(&mut self.seen, seen, now, noise);
                set_write(&mut self.write, write, noise);
                self.result.ready.next = ready;
            }

            fn found(&self) -> ((Option<(u8, Event)>, bool), bool) {
                let yields = self.result.valid.val() && self.yields.val();
                ((result(&self.result), yields), self.holds.val())
            }

            fn checked(mut self) {
                emit_checked_system(&mut self).unwrap();
            }
        }
    };
}
generator!(Full);
generator!(WideFull);

struct Bench<G: Generator> {
    d: Driver<G>,
    golden: Golden,
    params: GeneratorParams,
    noise: Source,
    name: String,
}

impl<G: Generator> Bench<G> {
    fn new(params: GeneratorParams, name: String) -> Self {
        let d = Driver::new(G::with(&params), |u, c| u.clock().next = c.into()).unwrap().recording();
        let mut bench = Self { d, golden: Golden::new(params, CORE), params, noise: Source::seeded(7), name };
        bench.clock(true, None, 0, None, false);
        bench
    }

    /// Runs one cycle; returns the event at the output.
    fn clock(
        &mut self,
        reset: bool,
        seen: Option<&ObservedInsn>,
        now: u64,
        write: Option<(u16, u16)>,
        ready: bool,
    ) -> Option<(u8, Event)> {
        let noise = self.noise.bits(48);
        let found = self.d.cycle(|u| u.drive(reset, (seen, now), write, ready, noise), |u| u.found()).unwrap();
        if self.d.cycles() > 1 {
            let want = ((self.golden.result(), self.golden.yields()), self.golden.holds());
            assert_eq!(found, want, "{}, clock {}", self.name, self.d.cycles() - 1);
        }
        let found = found.0 .0;
        if reset {
            self.golden = Golden::new(self.params, CORE);
        } else {
            self.golden.clock(seen, ready);
        }
        found
    }

    /// Sets the slots; `stalls`: the core is held instead of losing events.
    fn set_stalling(&mut self, slots: &[Slot], now: u64, stalls: bool) {
        let writes = registers::full(slots, self.params.xlen);
        for write in if stalls { registers::stalling(writes) } else { writes } {
            self.clock(false, None, now, Some(write), false);
        }
        self.golden.set(slots).unwrap();
        self.golden.set_stalls(stalls);
    }

    fn set(&mut self, slots: &[Slot], now: u64) {
        self.set_stalling(slots, now, false);
    }
}

/// Plays random instructions. Returns the number of events, of events that reported losses, of events lost because
/// instructions came too fast, of times the log was dropped, and of entries with unknown values.
fn play<G: Generator>(params: GeneratorParams, seed: u64, clocks: u64) -> [u64; 5] {
    let mut s = Source::seeded(seed);
    let mut b = Bench::<G>::new(params, format!("{} bits, seed {seed}", params.xlen));
    let mut program = Hits::new(&mut s, params.xlen);
    let mut writes: Vec<(u16, u16)> = Vec::new();
    let mut new = Vec::new();
    let (mut now, mut sums) = (0xffff_ff00, [0; 5]);
    let mut quiet = 0;
    // resets of the core, in some of the runs
    let firsts = if matches!(seed % 8, 5 | 7) { 1_000 } else { 0 };
    for clock in 0..clocks {
        let phase = (clock * 8 / clocks) as usize;
        let (retires, takes) = ([3, 100, 6, 12, 2, 30, 4, 8][phase], [100, 60, 100, 2, 10, 90, 30, 50][phase]);
        let reset = s.per_64k(6);
        if quiet == 0 && s.per_64k(60) {
            quiet = s.below(400);
        }
        quiet -= u64::from(quiet > 0);
        let write = writes.pop();
        let seen = (write.is_none() && quiet == 0 && s.percent(retires))
            .then(|| ObservedInsn { first: firsts > 0 && s.per_64k(firsts), ..program.next(&mut s, now) });
        let ready = s.percent(takes);
        let before = (b.golden.overload, b.golden.log_drops, b.golden.uncertain);
        let found = b.clock(reset, seen.as_ref(), now, write, ready);
        now += 1;
        if reset {
            writes.clear();
            continue;
        }
        sums[0] += u64::from(found.is_some() && ready);
        sums[1] += u64::from(found.is_some_and(|f| ready && f.1.lost > 0));
        sums[2] += b.golden.overload - before.0;
        sums[3] += b.golden.log_drops - before.1;
        sums[4] += b.golden.uncertain - before.2;
        if write.is_some() && writes.is_empty() {
            b.golden.set(&new).unwrap();
        }
        // new slots only when nothing waits: an instruction in the log keeps the hits of the old slots
        if writes.is_empty() && b.golden.is_idle() {
            if s.per_64k(300) {
                new = slots(&mut s, &params);
                writes = shuffled(&mut s, registers::full(&new, params.xlen));
                writes.reverse();
            } else if s.percent(10) {
                now += s.below(1 << 31);
            }
        }
    }
    if seed == 1 || long() {
        check_verilog(&b.d, seed as u32);
    }
    sums
}

#[test]
fn full_generators_do_what_the_golden_one_does() {
    plays::<Full>(GeneratorParams::FULL);
}

/// The same for a core of 64 bits: addresses and values that differ in the upper half only are others.
#[test]
fn full_generators_of_64_bits_do_what_the_golden_one_does() {
    plays::<WideFull>(WIDE);
}

const WIDE: GeneratorParams = GeneratorParams { xlen: 64, ..GeneratorParams::FULL };

fn plays<G: Generator>(full: GeneratorParams) {
    let small = GeneratorParams { slots: 7, wide: 1, returns: 3, ..full };
    let times = rounds(1, 20);
    let mut runs = Vec::new();
    for seed in 1..=8 * times {
        let params = if seed % 3 == 0 { small } else { full };
        runs.push(play::<G>(params, seed, if seed == 1 { 16_000 } else { 8_000 }));
    }
    println!("events, that told losses, lost by haste, logs given up, entries not known: {runs:?}");
    let sum = |i: usize| runs.iter().map(|r| r[i]).sum::<u64>();
    // with 64 bits, few trap returns are to an entry: another upper half is another address
    let entries = sum(4) > 3 || full.xlen == 64;
    assert!(sum(0) > 100 && sum(1) > 20 && sum(2) > 100 && sum(3) > 10 && entries, "{runs:?}");
}

/// A core that waits when it is held, a few instructions later; between, it is not held, and loses events; and resets.
#[test]
fn generators_that_stall_do_what_the_golden_one_does() {
    stalling::<Full>(GeneratorParams { stalls: true, ..GeneratorParams::FULL });
    stalling::<WideFull>(GeneratorParams { stalls: true, ..WIDE });
}

fn stalling<G: Generator>(params: GeneratorParams) {
    let (mut s, mut now, mut waits, mut last) = (Source::seeded(11), 1, 0, 0);
    let mut b = Bench::<G>::new(params, "stalls".into());
    let mut program = Hits::new(&mut s, params.xlen);
    for round in 0..rounds(6, 60) {
        let (stalls, new) = (round % 3 != 2, slots(&mut s, &params));
        b.set_stalling(&new, now, stalls);
        let (lost, mut skid, takes) = (b.golden.overload, 0, *s.pick(&[2, 10, 60]));
        for clock in 0..2_000 {
            let held = b.golden.holds();
            skid = if held { skid } else { s.below(STALL_SKID as u64 + 1) };
            let goes = clock < 1_200 && s.percent(95) && (!held || skid > 0);
            skid -= u64::from(goes && held);
            waits += u64::from(held);
            let seen = goes.then(|| program.next(&mut s, now));
            let ready = clock >= 1_200 || s.percent(takes);
            b.clock(false, seen.as_ref(), now, None, ready);
            now += 1;
        }
        last = b.golden.overload - lost;
        assert!(!stalls || last == 0, "round {round}: {last} lost");
        if s.percent(30) {
            b.clock(true, None, now, None, false);
        }
        // an instruction in the log keeps the hits of the old slots
        while !b.golden.is_idle() {
            b.clock(false, None, now, None, true);
        }
    }
    assert!(waits > 1_000 && last > 0, "{waits} {last}");
    check_verilog(&b.d, 11);
    G::with(&params).checked();
}

/// A core whose instructions are worked by hand.
struct Core {
    b: Bench<Full>,
    now: u64,
    events: Vec<Event>,
}

impl Core {
    fn new(slots: &[Slot]) -> Self {
        let mut c = Self { b: Bench::new(GeneratorParams::FULL, "by hand".into()), now: 1, events: Vec::new() };
        c.b.set(slots, 0);
        c
    }

    /// Retires an instruction; the next one follows 200 cycles later.
    fn step(&mut self, seen: ObservedInsn) -> u64 {
        let at = self.now;
        let seen = ObservedInsn { cycle: at, ..seen };
        for clock in 0..200 {
            let found = self.b.clock(false, (clock == 0).then_some(&seen), self.now, None, true);
            self.events.extend(found.map(|f| f.1));
            self.now += 1;
        }
        at
    }

    fn plain(&mut self, pc: u64) -> u64 {
        self.step(ObservedInsn { pc, next_pc: pc + 4, insn: 0x13, len: 4, ..ObservedInsn::default() })
    }

    fn set(&mut self, rd: u8, value: u64) {
        self.step(ObservedInsn {
            pc: 0x10,
            next_pc: 0x14,
            insn: 0x13,
            len: 4,
            rd: Some((rd, value)),
            ..ObservedInsn::default()
        });
    }

    fn call(&mut self, pc: u64, to: u64) {
        self.step(ObservedInsn {
            pc,
            next_pc: to,
            insn: 0xef,
            len: 4,
            rd: Some((1, pc + 4)),
            ..ObservedInsn::default()
        });
    }

    fn back(&mut self, pc: u64, to: u64) -> u64 {
        self.step(ObservedInsn { pc, next_pc: to, insn: 0x8067, len: 4, ..ObservedInsn::default() })
    }

    fn args(&self) -> Vec<Vec<u32>> {
        self.events.iter().map(|e| e.args.to_vec()).collect()
    }
}

fn slot(trigger: Trigger, event: u8, captures: &[Capture]) -> Slot {
    Slot { trigger, event, dest: 63, captures: captures.to_vec(), stamped: false, yields: false }
}

const F: u64 = 0x400;
const ENTRY: [Capture; 3] = [Capture::EntryRegister(10), Capture::Elapsed, Capture::Register(10)];

#[test]
fn each_recursive_return_reports_its_own_arguments() {
    let mut c = Core::new(&[slot(Trigger::Return(F), 1, &ENTRY)]);
    let mut want = Vec::new();
    let mut at = Vec::new();
    for depth in 0..6 {
        c.set(2, 0x9000 - 16 * depth);
        c.set(10, 100 + depth);
        c.call(if depth == 0 { 0x20 } else { F + 8 }, F);
        at.push(c.plain(F));
    }
    for depth in (0..6).rev() {
        c.set(2, 0x9000 - 16 * depth);
        c.set(10, depth);
        let end = c.back(F + 40, if depth == 0 { 0x24 } else { F + 12 });
        want.push([100 + depth, end - at[depth as usize], depth].map(|w| w as u32).to_vec());
    }
    assert_eq!(c.args(), want);
}

#[test]
fn preempted_threads_and_longjmp_are_distinguished() {
    let mut c = Core::new(&[slot(Trigger::Return(F), 1, &ENTRY[..1])]);
    // two threads in the same function, called from the same place; the first to enter is the first to return
    for (sp, arg) in [(0x9000, 1), (0xa000, 2)] {
        c.set(2, sp);
        c.set(10, arg);
        c.call(0x20, F);
        c.plain(F);
    }
    for sp in [0x9000, 0xa000] {
        c.set(2, sp);
        c.back(F + 40, 0x24);
    }
    assert_eq!(c.args(), [[1], [2]]);
    // a jump out of the third call; other code then reaches its return address, also by a return, but from elsewhere
    c.set(10, 3);
    c.call(0x20, F);
    c.plain(F);
    c.step(ObservedInsn { pc: F + 8, next_pc: 0x24, insn: 0x13, len: 4, ..ObservedInsn::default() });
    c.set(2, 0xa040);
    c.back(0x80, 0x24);
    assert_eq!(c.events.len(), 2);
    // the same caller calls again: only that call returns
    c.set(2, 0xa000);
    c.set(10, 4);
    c.call(0x20, F);
    c.plain(F);
    c.back(F + 40, 0x24);
    assert_eq!(c.args(), [[1], [2], [4]]);
}

#[test]
fn all_triggers_of_one_cycle_are_reported() {
    // address, return and trap return at one instruction, which is the first after a trap; two data accesses
    let mut slots = vec![slot(Trigger::Return(F), 0, &[])];
    slots.extend((1..12).map(|n| slot(Trigger::Pc(F + 40), n, &[Capture::Register(10)])));
    slots.push(slot(Trigger::Trap { interrupt: Some(true), cause: Some(7) }, 12, &[Capture::Cause, Capture::Pc]));
    let all = Trigger::Data { first: 0x101, last: 0x102, loads: true, stores: true, value: None };
    slots.push(slot(all, 13, &[Capture::Address, Capture::Value]));
    slots.push(slot(Trigger::Data { first: 0, last: !0, loads: false, stores: true, value: Some(9) }, 14, &[]));
    let mut c = Core::new(&slots);
    c.set(2, 0x9000);
    c.set(10, 77);
    c.call(0x20, F);
    c.plain(F);
    assert_eq!(c.events, []);
    let trap = Some((true, 7, 0x1234));
    c.step(ObservedInsn { pc: F + 40, next_pc: 0x24, insn: 0x8067, len: 4, trap, ..ObservedInsn::default() });
    let ids: Vec<u8> = c.events.iter().map(|e| e.id).collect();
    assert_eq!(ids, [12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(c.events[0].args[..], [0x8000_0007, 0x1234]);
    assert_eq!(c.events[12].args[..], [77]);
    c.events.clear();
    let access = |store, value| Some(Access { addr: 0x100, size: 4, value, store });
    let accesses = [access(false, 8), access(true, 9)];
    c.step(ObservedInsn {
        pc: 0x30,
        next_pc: 0x34,
        insn: 0x2f,
        len: 4,
        rd: Some((5, 8)),
        accesses,
        ..ObservedInsn::default()
    });
    let ids: Vec<u8> = c.events.iter().map(|e| e.id).collect();
    assert_eq!(ids, [13, 13, 14]);
    assert_eq!(c.args()[..2], [[0x100, 8], [0x100, 9]]);
}

#[test]
fn arguments_on_the_stack_are_those_that_were_passed() {
    let captures = [Capture::EntryStack(0), Capture::EntryStack(2), Capture::EntryRegister(11)];
    let mut c = Core::new(&[slot(Trigger::Return(F), 1, &captures), slot(Trigger::Pc(F), 2, &[Capture::Stack(0)])]);
    c.set(2, 0x9000);
    c.set(11, 5);
    let store = |insn, addr, value| {
        let accesses = [None, Some(Access { addr, size: 4, value, store: true })];
        ObservedInsn { pc: 0x14, next_pc: 0x18, insn, len: 4, accesses, ..ObservedInsn::default() }
    };
    c.step(store(0x1_2023, 0x9000, 41));
    c.step(store(0x1_2423, 0x9008, 42));
    c.call(0x20, F);
    c.plain(F);
    // changes by the function to its frame and arguments have no effect
    c.set(11, 6);
    c.step(store(0x1_2023, 0x9000, 0));
    c.back(F + 40, 0x24);
    assert_eq!(c.args(), [vec![41], vec![41, 42, 5]]);
    // the second word is overwritten by another store and becomes unknown: each return is counted as lost at the entry
    c.step(store(0x4_2023, 0x9008, 9));
    c.call(0x20, F);
    c.plain(F);
    c.back(F + 40, 0x24);
    c.plain(F);
    assert_eq!(c.args()[2..], [vec![0], vec![0]]);
    assert_eq!(c.events.iter().map(|e| e.lost).collect::<Vec<_>>(), [0, 0, 1, 1]);
}

/// RVFI of random instructions, and what the observer must show.
#[test]
fn observers_see_what_retires() {
    observes::<32, 4>();
    observes::<64, 8>();
}

fn observes<const W: usize, const M: usize>() {
    let xlen = W as u8;
    let platform = sim::params::Platform { xlen, ..sim::params::Platform::RV32 };
    let params = sim::params::TraceParams::new(platform, "tr_e:small".parse().unwrap());
    let d = Driver::new(Observer::<W, M>::new(&params), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(3));
    let mut program = Hits::new(&mut s, xlen);
    let mut want: Option<(ObservedInsn, u64)> = None;
    let (mut came, mut trapped) = (0, false);
    let mut traps = 0;
    for clock in 0..20_000u64 {
        let mut seen = program.next(&mut s, clock);
        seen.trap = None;
        if seen.accesses.iter().flatten().any(|a| a.addr & (u64::from(a.size) - 1) != 0) {
            seen.accesses = [None; 2];
            seen.insn = 0x13;
        }
        // there is no reset: the first instruction counts as a trap
        let (valid, trap) = (clock == 0 || s.percent(50), clock == 0 || s.percent(5));
        let intr = s.percent(5);
        let cause = s.bits(8);
        let found = d
            .cycle(
                |u| {
                    let word = |w: u64| w.to_bits::<W>();
                    u.now.next = (clock & 0xffff_ffff).to_bits();
                    u.reset.next = clock == 0;
                    u.pins.cause.next = cause.to_bits();
                    u.pins.rvfi.valid.next = valid;
                    u.pins.rvfi.trap.next = trap;
                    u.pins.rvfi_intr.next = intr;
                    u.pins.rvfi.insn.next = u64::from(seen.insn).to_bits();
                    u.pins.rvfi_pc_rdata.next = word(seen.pc);
                    u.pins.rvfi_pc_wdata.next = word(seen.next_pc);
                    let (rd, value) = seen.rd.unwrap_or_default();
                    u.pins.rvfi.rd_addr.next = u64::from(rd).to_bits();
                    u.pins.rvfi.rd_wdata.next = word(value);
                    let [load, store] = seen.accesses;
                    let any = load.or(store);
                    let (addr, size) = any.map_or((0, 1), |a| (a.addr, a.size));
                    // as in picorv32: the aligned word, and the byte lanes in it
                    let low = M as u64 - 1;
                    let (shift, mask) = (addr & low, ((1u64 << size) - 1) << (addr & low));
                    let lanes =
                        |a: Option<Access>| a.map_or(0x5555_5555_5555_5555 >> (64 - W), |a| a.value << (8 * shift));
                    u.pins.rvfi.mem_addr.next = word(addr & !low);
                    u.pins.rvfi.mem_rmask.next = if load.is_some() { mask } else { 0 }.to_bits();
                    u.pins.rvfi.mem_wmask.next = if store.is_some() { mask } else { 0 }.to_bits();
                    u.pins.rvfi.mem_rdata.next = word(lanes(load));
                    u.pins.rvfi.mem_wdata.next = word(lanes(store));
                },
                |u| {
                    let p = &u.seen;
                    let n = |b: Bits<W>| b.to_u64();
                    let of = |there: bool, value, store| {
                        let (addr, size) = (n(p.addr.val()), 1 << p.size.val().to_u64());
                        there.then_some(Access { addr, size, value, store })
                    };
                    let seen = ObservedInsn {
                        cycle: p.now.val().to_u64(),
                        pc: n(p.pc.val()),
                        next_pc: n(p.target.val()),
                        trap: p.trap.val().then(|| {
                            let cause = p.cause.val().to_u64();
                            (cause >> 8 == 1, cause as u8, n(p.came.val()))
                        }),
                        rd: p.sets.val().then(|| (p.rd.val().to_u64() as u8, n(p.value.val()))),
                        accesses: [
                            of(p.load.val(), n(p.loaded.val()), false),
                            of(p.store.val(), n(p.stored.val()), true),
                        ],
                        ..ObservedInsn::default()
                    };
                    let kind = (p.call.val(), p.back.val(), p.xret.val(), p.through_sp.val());
                    p.valid.val().then_some((seen, kind))
                },
            )
            .unwrap();
        if clock > 1 {
            let want = want.map(|(w, _)| {
                use retire::isa::{flow, Flow, Indirect::*};
                let f = flow(w.insn, xlen);
                let call = matches!(f, Flow::Jump { call: true, .. } | Flow::Indirect(Call | CoSwap));
                let back = matches!(f, Flow::Indirect(Return | CoSwap));
                let sp = sim::diag::shadow::stores_word_through_sp(w.insn, w.len, xlen);
                (ObservedInsn { insn: 0, len: 0, ..w }, (call, back, f == Flow::TrapReturn, sp))
            });
            assert_eq!(found, want, "clock {clock}");
        }
        want = None;
        if valid {
            if !trap {
                if intr || trapped {
                    seen.trap = Some((!trapped, cause as u8, came));
                    traps += 1;
                }
                want = Some((seen, clock));
            }
            came = if trap { seen.pc } else { seen.next_pc };
            trapped = trap;
        }
    }
    assert!(traps > 300, "{traps}");
    check_verilog(&d, 3);
}

#[test]
fn full_generators_pass_the_static_gates() {
    emit_checked_system(&mut Full::new(&GeneratorParams::FULL, CORE)).unwrap();
    let params = sim::params::TraceParams::new(sim::params::Platform::RV32, "tr_e:small".parse().unwrap());
    emit_checked(&mut Observer::<32, 4>::new(&params)).unwrap();
}
