//! `hdl/src/diag/generator/lite.rs` against the golden generator, clock by clock
//!
//! Instructions with random addresses, many of them those of slots; the ring accepts events in random cycles, and for
//! long periods not at all. In each cycle, there is an event if the golden generator has one, with the same reported
//! losses.

use crate::diag_harness::{check_verilog, result, set_write, shuffled};
use hdl::diag::generator::lite::Lite;
use rust_hdl::prelude::*;
use sim::diag::generator::{Generator, ObservedInsn};
use sim::diag::packet::Event;
use sim::diag::registers;
use sim::diag::trigger::{GeneratorParams, Slot, Trigger};
use sim::stimulus::{long, Source};
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

const CORE: u8 = 5;

fn slots(s: &mut Source, params: &GeneratorParams) -> Vec<Slot> {
    let slot = |s: &mut Source| Slot {
        // several slots may have the same address
        trigger: Trigger::Pc(0x8000_0000 | s.below(12) << 1),
        event: s.bits(8) as u8,
        dest: s.bits(6) as u8,
        captures: Vec::new(),
        stamped: s.percent(50),
        yields: s.percent(50),
    };
    (0..s.below(u64::from(params.slots) + 1)).map(|_| slot(s)).collect()
}

/// Plays random instructions. Returns the number of events, of events that reported losses, and of events lost before
/// the queue.
fn play(params: GeneratorParams, seed: u64, clocks: u64) -> [u64; 3] {
    let d = Driver::new(Lite::<32>::new(&params, CORE), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(seed));
    let mut golden = Generator::new(params, CORE);
    let mut writes = Vec::new();
    let mut held: Option<(u8, Event)> = None;
    let mut yields = false;
    // events that were in the FIFO before this cycle
    let (mut there, mut popped, mut sums) = (0, 0, [0_u64; 3]);
    for clock in 0..clocks {
        let reset = clock == 0 || s.per_64k(15);
        let phase = clock * 8 / clocks;
        let hits = [5, 30, 100, 60, 10, 100, 3, 50][phase as usize];
        let takes = [100, 60, 100, 2, 10, 10, 30, 50][phase as usize];
        let among = if s.percent(hits) { 12 } else { 400 };
        let pc = 0x8000_0000 | (s.below(among) as u32) << 1;
        // nothing retires while slots are set
        let write = writes.pop();
        let valid = write.is_none() && s.percent(if phase == 2 { 100 } else { 80 });
        let ready = s.percent(takes);
        let now = s.bits(32) as u32;
        let noise = s.bits(32);
        let found = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.valid.next = valid;
                    u.pc.next = u64::from(pc).to_bits();
                    u.now.next = u64::from(now).to_bits();
                    set_write(&mut u.write, write, noise);
                    u.result.ready.next = ready;
                },
                |u| (result(&u.result), u.result.valid.val() && u.yields.val()),
            )
            .unwrap();
        if clock > 0 {
            assert_eq!(found, (held, held.is_some() && yields), "{} slots, seed {seed}, clock {clock}", params.slots);
        }
        if reset {
            golden = Generator::new(params, CORE);
            (held, there, popped) = (None, 0, 0);
            writes.clear();
            continue;
        }
        if ready && held.is_some() {
            held = None;
        } else if held.is_none() && there > 0 {
            yields = golden.yields().unwrap();
            held = golden.pop();
            popped += 1;
            sums[0] += 1;
            sums[1] += u64::from(held.unwrap().1.lost > 0);
        }
        let losses = golden.counts().0;
        there = golden.counts().1 - popped;
        golden.clock(valid.then_some(&ObservedInsn {
            cycle: now.into(),
            pc: pc.into(),
            insn: 0x13,
            len: 4,
            ..ObservedInsn::default()
        }));
        sums[2] += golden.counts().0.queue - losses.queue;
        // new slots only when nothing waits: a queued event is sent with the slot's target at that time
        if writes.is_empty() && golden.is_idle() && held.is_none() && s.percent(20) {
            let new = slots(&mut s, &params);
            golden.set(new.clone()).unwrap();
            writes = shuffled(&mut s, registers::lite(&new, 32));
            writes.reverse();
        }
    }
    if seed == 1 || long() {
        check_verilog(&d, seed as u32);
    }
    sums
}

#[test]
fn lite_generators_do_what_the_golden_one_does() {
    let small = GeneratorParams { slots: 16, queue: 2, ..GeneratorParams::LITE };
    let large = GeneratorParams { slots: 3, queue: 7, ..GeneratorParams::LITE };
    let runs = [play(GeneratorParams::LITE, 1, 24_000), play(small, 2, 12_000), play(large, 3, 12_000)];
    println!("events, that told losses, lost before the queue: {runs:?}");
    let sum = |i: usize| runs.iter().map(|r| r[i]).sum::<u64>();
    assert!(sum(0) > 2_000 && sum(1) > 200 && sum(2) > 20, "{runs:?}");
}

#[test]
fn lite_generators_pass_the_static_gates() {
    emit_checked(&mut Lite::<32>::new(&GeneratorParams::LITE, CORE)).unwrap();
}
