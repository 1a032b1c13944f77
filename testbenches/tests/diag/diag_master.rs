//! `hdl/src/diag/generator/master.rs` and the chip's generators of bus masters against golden ones
//!
//! A chip with a core and two bus masters, an odd number of generators: stores of random bytes, by both masters at once,
//! first slowly, as the golden chip has no pipeline, then in every cycle, where events are lost and counted.

use crate::diag_chip::Bench;
use crate::diag_harness::check_verilog;
use hdl::diag::chip::DiagParams;
use hdl::diag::generator::master::MasterObserver;
use retire::MasterStore;
use rust_hdl::prelude::*;
use sim::diag::chip::{Chip, ChipParams, FIRST_NODE};
use sim::diag::generator::Access;
use sim::diag::master::{no_pc, observed, slots};
use sim::diag::node::{count, Node, NodeKind, Target};
use sim::diag::packet::{Body, Op, Packet, HOST};
use sim::diag::registers;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use sim::stimulus::{long, Source};
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

const WATCHED: u64 = 0x8000_0100;
const MASTERS: u8 = 2;

/// A random store to the watched variable or next to it.
fn store(s: &mut Source, cycle: u64) -> MasterStore {
    let addr = WATCHED + 4 * s.below(8) - 8;
    let mask = *s.pick(&[15, 15, 3, 12, 1, 2, 4, 8]);
    MasterStore { addr, value: s.bits(32) as u32, mask, cycle }
}

#[test]
fn observers_of_masters_see_the_stored_bytes() {
    let mut d = Driver::new(MasterObserver::<32, 4>::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(4);
    let mut want = None;
    for cycle in 0..2_000 {
        let (new, valid) = (store(&mut s, cycle), s.percent(70));
        let found = d
            .cycle(
                |u| {
                    u.now.next = cycle.to_bits();
                    u.pins.master_valid.next = valid;
                    u.pins.master_addr.next = new.addr.to_bits();
                    u.pins.master_mask.next = u64::from(new.mask).to_bits();
                    u.pins.master_data.next = u64::from(new.value).to_bits();
                },
                |u| {
                    let word = |b: Bits<32>| b.to_u64();
                    let size = 1 << u.seen.size.val().to_u64();
                    let (addr, value) = (word(u.seen.addr.val()), word(u.seen.stored.val()));
                    let access = Access { addr, size, value, store: u.seen.store.val() };
                    let seen = (word(u.seen.now.val()), word(u.seen.pc.val()), access);
                    u.seen.valid.val().then_some(seen)
                },
            )
            .unwrap();
        if cycle > 1 {
            assert_eq!(found, want, "cycle {cycle}");
        }
        want = valid.then(|| (cycle, no_pc(32), observed(&new, 32).accesses[1].unwrap()));
    }
    check_verilog(&d, 4);
    emit_checked(&mut MasterObserver::<32, 4>::new()).unwrap();
}

/// A chip whose masters' generators send to the host and to counters.
fn bench(seed: u64, takes: u8) -> (Bench, Vec<Slot>, count::Rule) {
    let (nodes, generator) = (vec![NodeKind::Count(64)], GeneratorParams::LITE);
    let params =
        DiagParams { cores: 1, generator, outside: vec![], nodes, windows: false, masters: MASTERS, clocked: 0 };
    let mut bench = Bench::new(&params, seed, takes);
    for (address, want) in [(0, [1, 12]), (1, [1, 4]), (2, [1, 4]), (FIRST_NODE, [3, 64])] {
        let answer = bench.ask(address, Op::Read, 0, &[2]);
        assert_eq!(answer, Packet::control(address, HOST, Op::ReadData, 0, &want));
    }
    let data = |first, last, loads| Trigger::Data { first, last, loads, stores: true, value: None };
    let slot = |trigger, event, dest, captures: &[Capture]| Slot {
        trigger,
        event,
        dest,
        captures: captures.to_vec(),
        stamped: event == 1,
        yields: false,
    };
    let captures = [Capture::Address, Capture::Register(10), Capture::Value, Capture::Pc];
    let all = vec![
        slot(data(WATCHED, WATCHED + 9, true), 1, HOST, &captures),
        slot(data(WATCHED + 6, WATCHED + 7, false), 2, FIRST_NODE, &[]),
    ];
    let slots = slots(&all);
    let rule = count::Rule { event: 2, first: 0, by_core: true, threshold: 0, to: Target { dest: HOST, id: 128 } };
    bench.set(FIRST_NODE, &registers::count(&[rule]));
    for m in 1..=MASTERS {
        bench.set(m, &registers::full(&slots, 32));
    }
    (bench, slots, rule)
}

#[test]
fn stores_of_masters_are_events_on_the_ring() {
    let (mut bench, slots, rule) = bench(9, 80);
    let base = bench.d.cycles() - 1;
    let (nodes, generator) = (vec![NodeKind::Count(64)], GeneratorParams::LITE);
    let params = ChipParams { nodes, generator, masters: MASTERS, link_bits: 1_000_000_000, ..ChipParams::new(1) };
    let mut golden = Chip::new(params);
    (1..=MASTERS).for_each(|m| golden.generator(m).set(slots.clone()).unwrap());
    let Node::Count(node) = golden.node(0) else { panic!("no counters") };
    node.add(rule).unwrap();
    let mut s = Source::seeded(9);
    for clock in 0..8_000 {
        let stores: Vec<_> = (0..MASTERS).map(|_| s.per_64k(200).then(|| store(&mut s, base + clock))).collect();
        for (m, store) in (1..).zip(&stores) {
            store.iter().for_each(|store| golden.observe(m, &observed(store, 32)));
        }
        bench.stores = stores;
        bench.clock(false, &[]);
    }
    bench.stores.clear();
    bench.idle(4_000);
    bench.flush(FIRST_NODE);
    golden.finish();
    let golden: Vec<Packet> = golden.take_arrived().into_iter().map(|a| a.packet).collect();
    for src in [1, 2, FIRST_NODE] {
        let of = |packets: &[Packet]| packets.iter().filter(|p| p.src == src).map(Packet::to_words).collect::<Vec<_>>();
        let (found, want) = (of(&bench.arrived), of(&golden));
        assert!(want.len() >= 2, "{} packets of {src}", want.len());
        assert_eq!(found, want, "packets of {src}");
    }
    if long() {
        check_verilog(&bench.d, 9);
    }
}

#[test]
fn masters_that_store_in_every_cycle_lose_only_counted_events() {
    let (mut bench, ..) = bench(3, 30);
    let mut s = Source::seeded(3);
    let mut stored = [0u64; MASTERS as usize];
    let mut hit = |store: &MasterStore, m: usize| {
        let a = observed(store, 32).accesses[1].unwrap();
        stored[m] += u64::from(a.addr < WATCHED + 10 && a.addr + u64::from(a.size) > WATCHED);
    };
    for clock in 0..3_000 {
        let stores: Vec<_> = (0..MASTERS).map(|_| Some(store(&mut s, clock))).collect();
        stores.iter().enumerate().for_each(|(m, store)| hit(&store.unwrap(), m));
        bench.stores = stores;
        bench.clock(false, &[]);
    }
    bench.stores.clear();
    bench.idle(4_000);
    // one more store of each reports what was lost before
    let last = MasterStore { addr: WATCHED, value: 7, mask: 15, cycle: 0 };
    (0..usize::from(MASTERS)).for_each(|m| hit(&last, m));
    bench.stores = vec![Some(last); MASTERS.into()];
    bench.clock(false, &[]);
    bench.stores.clear();
    bench.idle(4_000);
    for m in 1..=MASTERS {
        let (mut arrived, mut lost, mut last) = (0, 0, 0);
        for packet in bench.arrived.iter().filter(|p| p.src == m) {
            let Body::Event(e) = &packet.body else { continue };
            (arrived, lost) = (arrived + 1, lost + u64::from(e.lost));
            assert!(e.core == m && e.time > Some(last), "{e:?}");
            last = e.time.unwrap();
        }
        // stores to both variables have an event for the counters, too, which may be among the lost ones
        let happened = stored[usize::from(m) - 1];
        println!("master {m}: {happened} stores hit the first trigger, {arrived} events arrived, {lost} were lost");
        // an event of four words takes longer than the log takes to fill: only the last store is sure to arrive
        assert!(arrived > 0 && lost > 1_000 && arrived + lost >= happened, "{happened} {arrived} {lost}");
    }
}
