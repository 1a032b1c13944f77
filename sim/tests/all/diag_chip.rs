//! Generators, nodes and link on one ring: overload, discovery, the time base, flushes

use sim::diag::chip::{Chip, ChipParams, FIRST_NODE, FRAME_BYTES, TICK_EVENT};
use sim::diag::generator::ObservedInsn;
use sim::diag::node::trace::{self, TraceReassembler};
use sim::diag::node::{aggregate, Field, Node, NodeKind, Target};
use sim::diag::packet::{Body, Event, Op, HOST};
use sim::diag::trigger::{Capture, Slot, Trigger};
use sim::stimulus::Source;

const NOP: u32 = 0x13;

fn slot(dest: u8) -> Slot {
    Slot { trigger: Trigger::Pc(0x400), event: 1, dest, captures: vec![Capture::Pc], stamped: true, yields: false }
}

fn hit(cycle: u64) -> ObservedInsn {
    ObservedInsn { cycle, pc: 0x400, next_pc: 0x404, insn: NOP, len: 4, ..ObservedInsn::default() }
}

fn events(chip: &mut Chip) -> Vec<Event> {
    let event = |p: Body| if let Body::Event(e) = p { Some(e) } else { None };
    chip.take_arrived().into_iter().filter_map(|a| event(a.packet.body)).collect()
}

#[test]
fn an_event_every_clock_on_every_core_keeps_the_link_full_and_counts_the_rest() {
    for cores in [1, 4, 16] {
        let mut chip = Chip::new(ChipParams::new(cores));
        for c in 0..cores {
            chip.generator(c).set(vec![slot(HOST)]).unwrap();
        }
        let clocks = 40_000;
        for cycle in 1..=clocks {
            for c in 0..cores {
                chip.observe(c, &hit(cycle));
            }
        }
        chip.advance(clocks);
        let in_time = chip.take_arrived();
        // events have 6 words; the bits of their frames on a 12 Mbit/s link at 50 MHz
        let carried = clocks as f64 * 12.0 / 50.0 / 8.0;
        let frame = (2 * 6 + FRAME_BYTES) as f64;
        let useful = in_time.len() as f64 * frame / carried;
        println!("{cores} cores: {:.3} of the link's time carries events", useful);
        assert!(useful > 0.88, "{cores} cores: {useful}");
        // no core starves
        let by_core = |c: u8| in_time.iter().filter(|a| a.packet.src == c).count();
        let shares: Vec<usize> = (0..cores).map(by_core).collect();
        let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
        assert!(most - least <= 2, "{shares:?}");
        // every event has arrived, or is reported as lost
        chip.drain();
        let all: Vec<Event> = in_time
            .into_iter()
            .filter_map(|a| if let Body::Event(e) = a.packet.body { Some(e) } else { None })
            .chain(events(&mut chip))
            .collect();
        let reported: u64 = all.iter().map(|e| u64::from(e.lost)).sum();
        assert_eq!(all.len() as u64 + reported + chip.unreported(), clocks * u64::from(cores));
    }
}

#[test]
fn every_client_on_the_ring_responds() {
    let mut chip = Chip::new(ChipParams::new(3));
    let found = chip.discover();
    let mut want: Vec<(u8, u16, u16)> = (0..3).map(|c| (c, 1, 16)).collect();
    let nodes = ChipParams::new(3).nodes;
    want.extend(nodes.iter().enumerate().map(|(n, k)| {
        let [kind, capacity] = k.registers();
        (FIRST_NODE + n as u8, kind, capacity)
    }));
    assert_eq!(found, want);
    // no such register; no client at this address
    chip.request(FIRST_NODE, Op::Read, 7, &[2]);
    chip.request(FIRST_NODE, Op::Write, 0, &[2]);
    chip.request(40, Op::Read, 0, &[1]);
    chip.drain();
    let ops: Vec<Op> = chip
        .take_arrived()
        .into_iter()
        .filter_map(|a| if let Body::Control { op, .. } = a.packet.body { Some(op) } else { None })
        .collect();
    assert_eq!(ops, [Op::Error, Op::Error]);
}

#[test]
fn time_is_sent_when_the_upper_half_changes() {
    let mut chip = Chip::new(ChipParams::new(1));
    chip.generator(0).set(vec![slot(HOST)]).unwrap();
    let mut times = Vec::new();
    for cycle in [5, (1 << 31) - 1, (1 << 31) + 7, 3 << 31, (1 << 33) + 9] {
        chip.observe(0, &hit(cycle));
    }
    chip.drain();
    let mut events = Vec::new();
    for a in chip.take_arrived() {
        match a.packet.body {
            Body::Control { op: Op::Time, data, .. } => {
                times.push(u64::from(data[0]) << 31 | u64::from(data[1]) << 32 | u64::from(data[2]) << 48);
            }
            Body::Event(e) => events.push(e.time.unwrap()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(times, [1 << 31, 1 << 32, 3 << 31, 1 << 33]);
    assert_eq!(events, [5, (1 << 31) - 1, (1 << 31) + 7, 1 << 31, 9]);
}

#[test]
fn ticks_flush_the_tables() {
    let mut params = ChipParams::new(2);
    params.nodes = vec![NodeKind::Aggregate(16), NodeKind::Tick(1)];
    let mut chip = Chip::new(params);
    for c in 0..2 {
        chip.generator(c).set(vec![slot(FIRST_NODE)]).unwrap();
    }
    let to = Target { dest: HOST, id: 130 };
    let Node::Aggregate(a) = chip.node(0) else { panic!() };
    a.add(aggregate::Rule { event: 1, key: Field::Core, value: Field::Const(2), to }).unwrap();
    assert!(chip.set_tick(10_000, &[FIRST_NODE]));
    assert!(!chip.set_tick(10_000, &[FIRST_NODE; 2]));
    for n in 1..=100 {
        chip.observe((n % 2) as u8, &hit(n * 350));
    }
    chip.advance(45_000);
    chip.finish();
    let (mut ticks, mut flushed, mut counts) = (0, 0, [0, 0]);
    for a in chip.take_arrived() {
        match a.packet.body {
            Body::Event(e) if e.id == TICK_EVENT => ticks += 1,
            Body::Event(e) => {
                counts[e.args[0] as usize] += e.args[1];
                assert_eq!(e.args[2], 2 * e.args[1]);
            }
            Body::Control { op: Op::Flush, data, .. } => {
                flushed += 1;
                assert_eq!(data, [flushed]);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((ticks, flushed, counts), (4, 4, [50, 50]));
}

#[test]
fn a_trace_is_found_set_and_shares_the_link_with_events() {
    let mut chip = Chip::new(ChipParams { trace: true, ..ChipParams::new(2) });
    assert_eq!(chip.discover().last(), Some(&(trace::ADDRESS, trace::KIND, trace::DEPTH)));
    let set = trace::write(2, 0x0301);
    let Body::Control { op, addr, data } = set.body else { panic!("no write") };
    chip.request(trace::ADDRESS, op, addr, &data);
    chip.request(trace::ADDRESS, Op::Read, addr, &[2]);
    chip.drain();
    let answers: Vec<Body> = chip.take_arrived().into_iter().map(|a| a.packet.body).collect();
    assert_eq!(answers[1], Body::Control { op: Op::ReadData, addr, data: vec![0x0301, 0] });

    chip.generator(0).set(vec![slot(HOST)]).unwrap();
    let start = chip.now();
    for n in 0..400 {
        chip.observe(0, &hit(start + 100 * n));
        assert!(chip.trace(&[n as u32]));
    }
    chip.finish();
    let (mut words, mut reported) = (TraceReassembler::default(), 0);
    for arrived in chip.take_arrived() {
        if !words.take(&arrived.packet) {
            if let Body::Event(e) = arrived.packet.body {
                reported += 1 + u64::from(e.lost);
            }
        }
    }
    assert_eq!((words.words, words.missing), ((0..400).collect(), 0));
    assert_eq!(reported + chip.unreported(), 400);
}

/// A chip with more events than its link of `link_bits` bit/s carries, at the end of its run.
fn overloaded(link_bits: u64, seed: u64) -> Chip {
    let mut s = Source::seeded(seed);
    let mut params = ChipParams { link_bits, ..ChipParams::new(1 + s.below(4) as u8) };
    params.nodes = vec![NodeKind::Aggregate(16), NodeKind::Tick(1)];
    params.trace = s.percent(50);
    let (cores, trace) = (params.cores, params.trace);
    let mut chip = Chip::new(params);
    let to = Target { dest: HOST, id: 130 };
    let Node::Aggregate(a) = chip.node(0) else { panic!() };
    a.add(aggregate::Rule { event: 1, key: Field::Core, value: Field::Const(2), to }).unwrap();
    for c in 0..cores {
        chip.generator(c).set(vec![slot(if s.percent(60) { HOST } else { FIRST_NODE })]).unwrap();
    }
    if s.percent(70) {
        chip.set_tick(1 + s.below(30_000) as u32, &[FIRST_NODE]);
    }
    for n in 1..200 {
        chip.observe(s.below(cores.into()) as u8, &hit(n * 15));
        chip.trace(if trace && n < 60 { &[1] } else { &[] });
    }
    chip
}

#[test]
fn cycles_that_are_skipped_on_a_slow_link_change_nothing() {
    for seed in 0..20 {
        let (mut skips, mut steps) = (overloaded(500_000, seed), overloaded(500_000, seed));
        let end = 600_000;
        skips.advance(end);
        // too few cycles to skip any
        (0..=end).step_by(1000).for_each(|cycle| steps.advance(cycle));
        assert_eq!(
            (skips.take_arrived(), skips.link_bytes()),
            (steps.take_arrived(), steps.link_bytes()),
            "seed {seed}"
        );
    }
}

#[test]
fn a_slow_link_costs_simulated_time() {
    let mut chip = overloaded(1000, 1);
    chip.finish();
    let last = chip.take_arrived().last().map_or(0, |a| a.cycle);
    assert!(last > 300_000_000, "{last}");
}
