//! Cores with separate clocks: what is printed is true in the order of what happened, or marked
//!
//! Three cores with three clocks retire what makes events, at random or in bursts. Two of them cross to the clock of the
//! chip through the golden crossing, and are reset at random; the third has the clock of the chip. The oracle has the events in the order in
//! which they happened, whatever their times on the chip.

use crate::oracle::{Happened, POINTS};
use crate::order::{compare, random_layout, random_parts, run_steps, Checked, Step};
use diag::noisy::Noise;
use sim::diag::chip::ChipParams;
use sim::diag::crossing::{Crossing, Edge, LATENCY};
use sim::diag::generator::ObservedInsn;
use sim::stimulus::{rounds, Source};

/// Cores, of which all but the last have a separate clock.
const CORES: usize = 3;
/// A cycle of the chip, in the unit of time of this test.
const CYCLE: u64 = 1024;

/// What a core retires at an edge of its clock; `None`: it is reset.
struct Retired {
    at: u64,
    core: usize,
    insn: Option<ObservedInsn>,
}

/// Random events with the times at which they happen, and what makes them: two instructions write the arguments, the third
/// is the point. `apart`: events are so far from each other that their order is known. A core that is reset before it writes the
/// arguments has these; one that is reset after that has others.
fn happen(s: &mut Source, periods: [u64; CORES], apart: bool) -> (Vec<Happened>, Vec<Retired>) {
    let (pause, keys) = (1 + s.below(80), 1 + s.below(4));
    let (mut time, mut free, mut same) = (50 * CYCLE, [0; CORES], 0);
    let (mut events, mut retired, mut core) = (Vec::new(), Vec::new(), 0);
    let resets = s.percent(30);
    while events.len() < 150 {
        if same == 0 {
            time += if apart { (50 + s.below(50)) * CYCLE } else { s.below(pause * CYCLE) };
            core = s.below(CORES as u64) as usize;
            same = if !apart && s.percent(3) { 8 } else { 1 };
        }
        same -= 1;
        let reset = if resets && core < CORES - 1 && s.percent(6) { 1 + s.below(2) } else { 0 };
        let edge = time.max(free[core] + (2 + reset) * periods[core]).div_ceil(periods[core]);
        free[core] = (edge + 1) * periods[core];
        time = time.max(if apart { edge * periods[core] } else { 0 });
        let (point, args) = (s.below(4) as usize, [s.below(keys) as u32, s.below(keys) as u32]);
        let insn =
            |pc: u64, rd| ObservedInsn { pc, next_pc: pc + 4, insn: 0x13, len: 4, rd, ..ObservedInsn::default() };
        let insns =
            [insn(0, Some((10, args[0].into()))), insn(4, Some((11, args[1].into()))), insn(POINTS[point], None)];
        let mut steps: Vec<Option<ObservedInsn>> = insns.into_iter().map(Some).collect();
        if reset > 0 {
            steps.insert(2 * (reset as usize - 1), None);
        }
        if reset > 1 {
            // and before it writes them
            steps.insert(0, None);
        }
        let begin = edge + 1 - steps.len() as u64;
        for (n, insn) in steps.into_iter().enumerate() {
            retired.push(Retired { at: (begin + n as u64) * periods[core], core, insn });
        }
        let args = if reset > 1 { args.map(|a| a + 1) } else { args };
        events.push(Happened { time: edge * periods[core], core: core as u8, point, args });
    }
    events.sort_by_key(|e| (e.time, e.core));
    retired.sort_by_key(|r| r.at);
    (events, retired)
}

/// What the chip sees of it, and the time that it gives to each event; whether instructions are missing.
fn cross(events: &mut [Happened], retired: &[Retired], periods: [u64; CORES]) -> (Vec<(u8, Step)>, bool) {
    let (mut steps, mut missing) = (Vec::new(), false);
    let cycles = retired.last().map_or(0, |r| r.at / CYCLE + 100);
    for (core, period) in periods.into_iter().enumerate() {
        let own: Vec<&Retired> = retired.iter().filter(|r| r.core == core).collect();
        if core == CORES - 1 {
            // the edge ends the cycle
            let at = |r: &Retired| r.at / CYCLE - 1;
            let insns = own.iter().filter_map(|r| Some((at(r), r.insn?)));
            steps.extend(insns.map(|(at, i)| (at, core, Step::Retires(ObservedInsn { cycle: at, ..i }))));
            events.iter_mut().filter(|e| usize::from(e.core) == core).for_each(|e| e.time = e.time / CYCLE - 1);
            continue;
        }
        let mut times = events.iter_mut().filter(|e| usize::from(e.core) == core).map(|e| (e.time, &mut e.time));
        let (mut crossing, mut own, mut overrun) = (Crossing::default(), own.into_iter().peekable(), false);
        let mut edge = 0;
        for cycle in 0..cycles {
            // the edge of the chip is at the begin of the cycle
            let mut chip_edge = true;
            while chip_edge || edge * period < (cycle + 1) * CYCLE {
                let core_edge = edge * period < (cycle + 1) * CYCLE && (!chip_edge || edge * period == cycle * CYCLE);
                let item = own.next_if(|r| core_edge && r.at == edge * period);
                let reset = item.is_some_and(|r| r.insn.is_none());
                crossing.clock(if reset { Edge::Reset } else { core_edge.into() }, chip_edge, item.filter(|_| !reset));
                edge += u64::from(core_edge);
                chip_edge = false;
            }
            let cycle = cycle.saturating_sub(LATENCY);
            if crossing.overrun() && !overrun {
                (overrun, missing) = (true, true);
                steps.push((cycle, core, Step::Misses(cycle)));
            }
            if let Some(r) = crossing.output() {
                let insn = ObservedInsn { cycle, first: crossing.is_first(), ..r.insn.unwrap_or_default() };
                steps.push((cycle, core, Step::Retires(insn)));
                if POINTS.contains(&insn.pc) {
                    // those before it are missing
                    for (at, time) in times.by_ref() {
                        *time = if at == r.at { cycle } else { at / CYCLE };
                        if at == r.at {
                            break;
                        }
                    }
                }
            }
        }
        assert!(own.next().is_none(), "core {core} is not done");
        times.for_each(|(at, time)| *time = at / CYCLE);
    }
    steps.sort_by_key(|(cycle, core, step)| (*cycle, *core, matches!(step, Step::Retires(_))));
    (steps.into_iter().map(|(_, core, step)| (core as u8, step)).collect(), missing)
}

#[test]
fn what_is_printed_about_cores_with_other_clocks_is_true_or_marked() {
    let mut checked = Checked::default();
    let (mut overruns, mut other_order, mut known) = (0, 0, 0);
    for seed in 0..rounds(1_200, 100_000) {
        let mut s = Source::seeded(seed);
        let Some((parts, script)) = random_parts(&mut s) else { continue };
        let link_bits = *s.pick(&[3_000_000, 12_000_000, 100_000_000, 1_000_000_000]);
        let clocked = CORES as u8 - 1;
        let params = ChipParams { link_bits, clocked, ..ChipParams::new(CORES as u8) };
        let Some((app, layout)) = random_layout(&mut s, &script, &params) else { continue };
        // from seven times as fast as the chip to a seventh
        let mut period = || if s.percent(50) { CYCLE / 7 + s.below(CYCLE) } else { CYCLE + s.below(6 * CYCLE) };
        let periods = [period(), period(), CYCLE];
        let apart = s.percent(50);
        let (mut events, retired) = happen(&mut s, periods, apart);
        let (steps, missing) = cross(&mut events, &retired, periods);
        let end = events.iter().map(|e| e.time).max().unwrap_or(0);
        let noise = Noise::new(if s.percent(20) { 20 + s.below(500) as u16 } else { 0 }, seed);
        let (outputs, lost) = run_steps(&app, &layout, &params, steps, end, noise);
        let place =
            format!("seed {seed}, periods {periods:?}, {lost} lost, missing: {missing}, {:?}\n{script}", layout.cut);
        assert!(!missing || lost > 0, "{place}");
        if apart && lost == 0 && !app.order.on_chip {
            known += 1;
            assert!(outputs.iter().all(|o| !o.mark().any()), "marks without a reason: {place}\n{outputs:?}");
        }
        overruns += usize::from(missing);
        other_order += usize::from(events.windows(2).any(|e| e[0].time > e[1].time));
        checked.events += events.len();
        compare(&parts, (&events, end), (&outputs, lost), &place, &mut checked);
    }
    println!("{checked:?}, {overruns} overruns, {other_order} with another order of times, {known} in a known order");
    assert!(overruns > 20 && other_order > 100 && known > 100, "{overruns}, {other_order}, {known}");
    assert!(checked.marked * 5 < checked.results * 4 && checked.results > 500, "{checked:?}");
}
