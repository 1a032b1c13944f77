//! Counts on the chip do not wait for what leaves it: they are complete while the link loses events

use crate::oracle::{Happened, POINTS};
use crate::order::run;
use diag::layout::{layout, Cut};
use diag::losses::LossKind;
use diag::noisy::Noise;
use diag::order;
use diag::output::{Key, Output};
use diag::parse::parse;
use diag::resolve::resolve;
use diag::session::OnChip;
use diag::symbols::Symbols;
use retire::image::Image;
use sim::diag::chip::ChipParams;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::{rounds, Source};
use std::collections::BTreeMap;

const HZ: u64 = 50_000_000;

/// Count and sum by key of each table.
fn tables(outputs: &[Output]) -> BTreeMap<String, BTreeMap<i64, (u64, i128)>> {
    let table = |o: &Output| match o {
        Output::Table { map, rows, mark, .. } => {
            assert!(!mark.any(), "@{map} is complete");
            let key = |k: &[Key]| match k {
                [Key::Number(n)] => *n,
                _ => 0,
            };
            Some((map.clone(), rows.iter().map(|(k, sum)| (key(k), (sum.count, sum.sum))).collect()))
        }
        Output::Text { .. } => None,
    };
    outputs.iter().filter_map(table).collect()
}

/// Events of cores in bursts of up to eight each, at a rate that the ring carries.
fn bursts(s: &mut Source, cores: u8) -> Vec<Happened> {
    let (mut time, mut events) = (100, Vec::new());
    for _ in 0..150 {
        for core in 0..cores {
            for n in 0..s.below(9) {
                let args = [s.below(6) as u32, s.bits(12) as u32];
                events.push(Happened { time: time + 8 * n, core, point: s.below(4) as usize, args });
            }
        }
        time += 600 + s.below(1_000);
    }
    events.sort_by_key(|e| (e.time, e.core));
    events
}

#[test]
fn counts_are_complete_while_prints_are_lost() {
    let (mut lossy, mut prints) = (0, 0);
    for seed in 0..rounds(40, 2_000) {
        let mut s = Source::seeded(seed);
        let cores = 1 + s.below(8) as u8;
        let [p, q, r, t] = POINTS;
        let predicate = if s.percent(50) { "/arg0 > 1/" } else { "" };
        let script = format!(
            "call:{p} {{ @a[core] = count(); }} call:{q} /arg0 == 1/ {{ @b = count(); }} \
             call:{r} {{ @c[arg0] = stats(arg1); }} call:{p}, call:{t} {predicate} {{ printf(\"%d %d\", core, arg1); }}"
        );
        let link_bits = *s.pick(&[20_000, 200_000, 2_000_000, 12_000_000]);
        let params = ChipParams { link_bits, ..ChipParams::new(cores) };
        let mut app = resolve(&parse(&script).unwrap(), &Symbols::none(), HZ).unwrap();
        order::require(&mut app, &params);
        // predicates are in filters, of which one sends to the host
        let mut cut = Cut::host(&app);
        cut.maps = vec![true; 3];
        cut.filters = app.clauses.iter().map(|c| c.predicate.is_some()).collect();
        let layout = layout(&app, &params.nodes, &cut).unwrap();
        assert!((0..3).all(|m| layout.counts(&app, m)), "{:?}", layout.slots);
        let events = bursts(&mut s, cores);
        let (outputs, lost) = run(&app, &layout, &params, &events, Noise::new(0, seed));
        let mut want: BTreeMap<String, BTreeMap<i64, (u64, i128)>> = BTreeMap::new();
        for e in &events {
            let mut add = |map: &str, key: u32, value: u32| {
                let row = want.entry(map.into()).or_default().entry(key.into()).or_default();
                (row.0, row.1) = (row.0 + 1, row.1 + i128::from(value));
            };
            match e.point {
                0 => add("a", e.core.into(), 0),
                1 if e.args[0] == 1 => add("b", 0, 0),
                2 => add("c", e.args[0], e.args[1]),
                _ => {}
            }
        }
        let counts = |t: BTreeMap<String, BTreeMap<i64, (u64, i128)>>| {
            let sums = |(map, rows): (String, BTreeMap<i64, (u64, i128)>)| {
                let counted = map != "c";
                let row = |(key, (n, sum))| (key, (n, if counted { 0 } else { sum }));
                (map, rows.into_iter().map(row).collect::<BTreeMap<i64, _>>())
            };
            t.into_iter().map(sums).collect::<BTreeMap<_, _>>()
        };
        let place = format!("seed {seed}, {cores} cores, {link_bits} bit/s, {lost} lost");
        assert_eq!(counts(tables(&outputs)), counts(want), "{place}");
        let texts = outputs.iter().filter(|o| matches!(o, Output::Text { .. })).count() as u64;
        let printed = |e: &&Happened| e.point == 0 || e.point == 3 && (predicate.is_empty() || e.args[0] > 1);
        let all = events.iter().filter(printed).count() as u64;
        assert!(texts + lost >= all && texts <= all, "{place}: {texts} of {all} lines");
        lossy += u64::from(lost > 0);
        prints += lost;
    }
    println!("{lossy} runs with losses, of {prints} lines");
    assert!(lossy > 20 && prints > 10_000, "{lossy} {prints}");
}

/// The counts of `lockcont` are those of all calls, whatever the link; what is lost is named without the map.
#[test]
fn a_slow_link_costs_no_counts() {
    let script = "ret:mutex_lock { @n[core] = count(); } call:mutex_unlock { printf(\"%d\", arg0); }";
    let elf = programs::find("lockcont").unwrap().elf;
    for link_bits in [100_000, 1_000_000, 12_000_000] {
        let params = ChipParams { link_bits, ..ChipParams::new(4) };
        let mut app = resolve(&parse(script).unwrap(), &Symbols::parse(elf).unwrap(), HZ).unwrap();
        order::require(&mut app, &params);
        let mut cut = Cut::host(&app);
        cut.maps[0] = true;
        let layout = layout(&app, &params.nodes, &cut).unwrap();
        let program = programs::load("lockcont").unwrap();
        let mut chip = OnChip::new(&app, &layout, params, Image::new(&program)).unwrap();
        let config = MachineConfig { harts: 4, ..MachineConfig::default() };
        Machine::new(&program, config).unwrap().run(&mut chip, Limits::default()).unwrap();
        chip.finish().unwrap();
        let outputs = chip.runtime().take_outputs();
        let counted: u64 = tables(&outputs)["n"].values().map(|row| row.0).sum();
        let lines = outputs.iter().filter(|o| matches!(o, Output::Text { .. })).count() as u64;
        let lost = chip.totals().lost();
        println!("{link_bits} bit/s: {counted} counted, {lines} printed, {lost} lost");
        assert_eq!((counted, lines + lost, chip.totals().reported), (9_823, 9_823, lost));
        assert!(lost > 1_000, "{lost}");
        let locations = chip.runtime().loss_locations();
        let named = |name: &str| locations.iter().any(|l| l.kind != LossKind::On && l.name == name);
        assert!(named("call:mutex_unlock") && !named("@n") && !named("ret:mutex_lock"), "{locations:?}");
    }
}
