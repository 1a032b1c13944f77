//! Slots that yield, on the whole chip: what is counted on the chip does not wait for what is printed
//!
//! Each core has a slot for a counter and one for the host, which yields, and retires at random. The link carries few of
//! the printed events: they are refused, withdrawn and sent again, and lost when the link queue is full. Every counted
//! event is in the counter. Printed events arrive in order, and with the reported losses they add up.

use crate::diag_chip::Bench;
use crate::diag_harness::check_verilog;
use hdl::diag::chip::DiagParams;
use sim::diag::chip::FIRST_NODE;
use sim::diag::node::{count, NodeKind, Target};
use sim::diag::packet::{Event, Packet, HOST};
use sim::diag::registers;
use sim::diag::trigger::{GeneratorParams, Slot, Trigger};
use sim::stimulus::{rounds, Source};

const CORES: usize = 2;
const COUNTED: u32 = 0x100;
const PRINTED: u32 = 0x104;

/// What happened, and what the host got, by core.
#[derive(Default, Debug)]
struct Sums {
    counted: [u64; CORES],
    printed: [u64; CORES],
    rows: [u64; CORES],
    arrived: [u64; CORES],
    lost: [u64; CORES],
}

/// Runs; the printed events yield or not.
fn play(generator: GeneratorParams, yields: bool, seed: u64) -> Sums {
    let params = DiagParams {
        cores: CORES as u8,
        generator,
        outside: Vec::new(),
        nodes: vec![NodeKind::Count(64)],
        windows: false,
        masters: 0,
        clocked: 0,
    };
    // a byte in about 8 cycles: a link of 50 Mbit/s at 50 MHz
    let mut bench = Bench::new(&params, seed, 12);
    let slot = |pc: u32, event, dest, yields| Slot {
        trigger: Trigger::Pc(u64::from(pc)),
        event,
        dest,
        captures: Vec::new(),
        stamped: event == 2,
        yields,
    };
    let slots = [slot(COUNTED, 1, FIRST_NODE, false), slot(PRINTED, 2, HOST, yields)];
    for core in 0..CORES as u8 {
        bench.set(core, &if generator.lite { registers::lite(&slots, 32) } else { registers::full(&slots, 32) });
    }
    let rule = count::Rule { event: 1, first: 0, by_core: true, threshold: 0, to: Target { dest: HOST, id: 128 } };
    bench.set(FIRST_NODE, &registers::count(&[rule]));

    let (mut s, mut sums) = (Source::seeded(seed), Sums::default());
    let retire = |bench: &mut Bench, sums: &mut Sums, pcs: [Option<u32>; CORES]| {
        for (core, pc) in pcs.into_iter().enumerate() {
            sums.counted[core] += u64::from(pc == Some(COUNTED));
            sums.printed[core] += u64::from(pc == Some(PRINTED));
        }
        bench.clock(false, &pcs.map(|pc| pc.map(|pc| (pc, pc + 4))));
    };
    let clocks = rounds(5_000, 100_000);
    for clock in 0..clocks {
        // far more printed events than the link carries, then so few that the queue empties
        let [counted, printed] = if clock % 2_500 < 2_000 { [600, 2_000] } else { [600, 20] };
        let pcs = [(); CORES].map(|()| match () {
            () if s.per_64k(counted) => Some(COUNTED),
            () if s.per_64k(printed) => Some(PRINTED),
            () => s.percent(20).then(|| *s.pick(&[0x102, 0x106, 0x200, 0x1000_0100])),
        });
        retire(&mut bench, &mut sums, pcs);
    }
    bench.idle(6_000);
    // one more event of each reports the losses
    retire(&mut bench, &mut sums, [Some(PRINTED); CORES]);
    bench.idle(1_000);
    retire(&mut bench, &mut sums, [Some(COUNTED); CORES]);
    bench.idle(1_000);
    let events: Vec<Event> = bench.arrived.drain(..).filter_map(|p| p.as_event().copied()).collect();
    bench.flush(FIRST_NODE);
    let rows: Vec<Event> = bench.arrived.iter().filter_map(Packet::as_event).copied().collect();
    for row in rows {
        assert_eq!((row.id, row.args.len()), (128, 2), "{row:?}");
        sums.rows[row.args[0] as usize] += u64::from(row.args[1]);
    }
    let mut times = [0; CORES];
    for event in events {
        let (core, time) = (usize::from(event.core), event.time.unwrap());
        assert_eq!(event.id, 2);
        assert!(time > times[core], "core {core}: the event of cycle {time} after that of {}", times[core]);
        assert!(event.lost == 0 || event.yielded == yields, "{event:?}");
        times[core] = time;
        sums.arrived[core] += 1;
        sums.lost[core] += u64::from(event.lost);
    }
    println!("yields {yields}, seed {seed}: {sums:?}");
    if yields {
        check_verilog(&bench.d, seed as u32);
    }
    sums
}

fn counts_do_not_wait(generator: GeneratorParams) {
    let sums = play(generator, true, 41);
    assert_eq!(sums.rows, sums.counted);
    for core in 0..CORES {
        assert_eq!(sums.arrived[core] + sums.lost[core], sums.printed[core], "core {core}: {sums:?}");
        assert!(sums.arrived[core] > 20 && sums.lost[core] > 20, "core {core}: {sums:?}");
    }
    // the link is too slow: without the queue, counts are lost
    let sums = play(generator, false, 41);
    assert!((0..CORES).all(|core| sums.rows[core] < sums.counted[core]), "{sums:?}");
}

#[test]
fn lite_generators_count_every_event_while_printed_ones_are_lost() {
    counts_do_not_wait(GeneratorParams::LITE);
}

#[test]
fn full_generators_count_every_event_while_printed_ones_are_lost() {
    counts_do_not_wait(GeneratorParams::FULL);
}
