//! Scripts whose state depends on the order of events, and on losses: what is printed is true, or marked
//!
//! Random scripts on random events of several cores go through the golden chip with a random cut, link and line. What is
//! printed is what the oracle says of the complete list of events, or it is marked.

use crate::chip_end::ChipEnd;
use crate::oracle::{Happened, Part, Rows, POINTS, TICK};
use diag::app::App;
use diag::arrivals::{unreported, Host};
use diag::layout::{layout, Cut, Layout};
use diag::noisy::{Noise, NoisyHost};
use diag::order;
use diag::output::{Key, Mark, Output, TextPart};
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::session::{OnChip, Reference};
use diag::symbols::Symbols;
use diag::syntax::Summary;
use retire::image::Image;
use sim::diag::chip::{Chip, ChipParams};
use sim::diag::generator::ObservedInsn;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::{rounds, Source};

const HZ: u64 = 50_000_000;

/// Events of some cores, a few clocks apart, at times in bursts.
fn events(s: &mut Source, cores: u8) -> Vec<Happened> {
    // some streams are longer than the window
    let number = if s.percent(10) { 4000 } else { 100 + s.below(300) as usize };
    let (pause, keys) = (1 + s.below(60), 1 + s.below(4));
    let (mut time, mut free) = (10, [0_u64; 16]);
    let mut events = Vec::new();
    while events.len() < number {
        time += if s.percent(5) { s.below(20 * pause) } else { s.below(pause) };
        let core = s.below(cores.into()) as u8;
        // three instructions make an event
        let at = time.max(free[usize::from(core)]);
        free[usize::from(core)] = at + 3;
        let args = [s.below(keys) as u32, s.below(keys) as u32];
        events.push(Happened { time: at, core, point: s.below(4) as usize, args });
    }
    events.sort_by_key(|e| (e.time, e.core));
    events
}

/// The instructions of events: two write the arguments, the third is the point.
fn instructions(events: &[Happened]) -> Vec<(u8, ObservedInsn)> {
    let insn =
        |pc: u64, cycle| ObservedInsn { cycle, pc, next_pc: pc + 4, insn: 0x13, len: 4, ..ObservedInsn::default() };
    let mut all = Vec::new();
    for e in events {
        all.push((e.core, ObservedInsn { rd: Some((10, e.args[0].into())), ..insn(0, e.time - 2) }));
        all.push((e.core, ObservedInsn { rd: Some((11, e.args[1].into())), ..insn(4, e.time - 1) }));
        all.push((e.core, insn(POINTS[e.point], e.time)));
    }
    all.sort_by_key(|(core, i)| (i.cycle, *core));
    all
}

/// Exchanges bytes until everything that was sent has arrived, and the chip holds its frames.
fn settle(line: &mut NoisyHost, end: &mut ChipEnd) {
    line.send_held(&[]);
    let mut rounds = 0;
    while let Some(bytes) = line.answer() {
        line.receive(&end.take(&bytes));
        rounds += 1;
        assert!(rounds < 10_000, "{line:?}");
    }
}

/// What happens at a core.
pub enum Step {
    /// An instruction.
    Retires(ObservedInsn),
    /// Instructions before this cycle are missing.
    Misses(u64),
}

/// Runs events on the chip. Returns the outputs, and the number of lost events and packets.
pub fn run(app: &App, layout: &Layout, params: &ChipParams, events: &[Happened], noise: Noise) -> (Vec<Output>, u64) {
    let steps = instructions(events).into_iter().map(|(core, seen)| (core, Step::Retires(seen))).collect();
    run_steps(app, layout, params, steps, events.last().map_or(0, |e| e.time), noise)
}

/// As [`run`], with what happens at cores in the order of its cycles, up to `end`.
pub fn run_steps(
    app: &App,
    layout: &Layout,
    params: &ChipParams,
    steps: Vec<(u8, Step)>,
    end: u64,
    noise: Noise,
) -> (Vec<Output>, u64) {
    let mut chip = Chip::new(params.clone());
    for core in 0..params.cores {
        chip.generator(core).set(layout.slots.clone()).unwrap();
    }
    for (n, node) in layout.nodes.iter().enumerate() {
        *chip.node(n) = node.clone();
    }
    let (mut host, mut line, mut chip_end) = (Host::new(app, layout), NoisyHost::new(noise), ChipEnd::default());
    for (core, step) in steps {
        match step {
            Step::Retires(seen) => chip.observe(core, &seen),
            Step::Misses(cycle) => {
                chip.advance(cycle);
                chip.overrun(core);
            }
        }
        chip.take_arrived().iter().for_each(|a| line.receive(&chip_end.send(&a.packet)));
    }
    // the chip holds its frames before it sends tables
    settle(&mut line, &mut chip_end);
    chip.finish();
    chip.take_arrived().iter().for_each(|a| line.receive(&chip_end.send(&a.packet)));
    let before = line.lost();
    settle(&mut line, &mut chip_end);
    assert_eq!(line.lost().0, before.0, "rows are lost");
    let (mut gaps, packets) = (line.gaps().into_iter().peekable(), line.take());
    for (n, packet) in packets.iter().enumerate() {
        gaps.next_if(|gap| gap.0 == n).into_iter().for_each(|gap| host.runtime().miss(gap.1));
        host.take(packet);
    }
    gaps.for_each(|gap| host.runtime().miss(gap.1));
    let lost = host.lost() + chip.unreported() + line.lost().0;
    host.unreported(&unreported(&chip));
    host.finish(end);
    (host.runtime().take_outputs(), lost)
}

/// Tables of a map, each with its time and mark.
fn tables(outputs: &[Output], name: &str) -> Vec<(u64, Rows, Mark)> {
    let table = |o: &Output| match o {
        Output::Table { map, summary, rows, mark, time, .. } if map == name => {
            let number = |k: &Key| match k {
                Key::Number(number) => *number,
                Key::Text(text) => panic!("{text}"),
            };
            let row = |(key, sum): &(Vec<Key>, diag::output::Sum)| -> Vec<(Vec<i64>, Vec<i64>)> {
                let key: Vec<i64> = key.iter().map(number).collect();
                let numbers = match summary {
                    // a row for each bucket
                    Some(Summary::Hist) => {
                        let of =
                            |(least, count): (&i64, &u64)| ([key.as_slice(), &[*least]].concat(), vec![*count as i64]);
                        return sum.buckets.iter().map(of).collect();
                    }
                    Some(Summary::Stats) => vec![sum.count as i64, sum.sum as i64, sum.minimum, sum.maximum],
                    Some(_) => vec![sum.count as i64],
                    None => vec![sum.sum as i64],
                };
                vec![(key, numbers)]
            };
            Some((*time, rows.iter().flat_map(row).collect(), *mark))
        }
        _ => None,
    };
    outputs.iter().filter_map(table).collect()
}

/// Texts that begin with a number and a colon, each with its mark.
fn lines(outputs: &[Output], n: usize) -> Vec<(String, Mark)> {
    let line = |o: &Output| match o {
        Output::Text { parts, mark, .. } => {
            let part = |p: &TextPart| match p {
                TextPart::Text(t) => t.clone(),
                TextPart::Number(n) | TextPart::Hex(n) | TextPart::Symbol(n) => n.to_string(),
                TextPart::Wide(..) => panic!("{p:?}"),
            };
            Some((parts.iter().map(part).collect::<String>(), *mark))
        }
        Output::Table { .. } => None,
    };
    outputs.iter().filter_map(line).filter(|l| l.0.starts_with(&format!("{n}: "))).collect()
}

/// A random cut that a chip can hold.
fn random_cut(s: &mut Source, app: &App, params: &ChipParams) -> Layout {
    let mut cut = Cut::host(app);
    for _ in 0..20 {
        let mut tried = cut.clone();
        for part in [&mut tried.filters, &mut tried.maps, &mut tried.machines, &mut tried.spans, &mut tried.logs] {
            if !part.is_empty() && s.percent(40) {
                let n = s.below(part.len() as u64) as usize;
                part[n] = true;
            }
        }
        let fits = layout(app, &params.nodes, &tried).is_ok_and(|l| params.generator.check(&l.slots).is_ok());
        if fits && order::check(app, &tried).is_ok() {
            cut = tried;
        }
    }
    layout(app, &params.nodes, &cut).unwrap()
}

/// Number of results that were checked, and of those that were marked.
#[derive(Debug, Default)]
pub struct Checked {
    pub events: usize,
    pub results: usize,
    pub marked: usize,
    pub lossy: usize,
    pub partly: usize,
}

/// Random parts that make one script, and its text; `None`: they do not.
pub fn random_parts(s: &mut Source) -> Option<(Vec<Part>, String)> {
    let mut parts: Vec<Part> = (0..1 + s.below(3)).map(|_| Part::random(s)).collect();
    // a state that takes no event has no text
    parts.retain(|p| !matches!(p, Part::Machine { next, .. } if next.contains(&[None; 2])));
    let script: String = parts.iter().enumerate().map(|(n, p)| p.text(n)).collect();
    (!parts.is_empty() && script.matches("tick:").count() <= 1).then_some((parts, script))
}

/// The application of a script with a random cut; `None`: its triggers do not fit.
pub fn random_layout(s: &mut Source, script: &str, params: &ChipParams) -> Option<(App, Layout)> {
    let items = parse(script).unwrap_or_else(|e| panic!("{e:?} in {script}"));
    let mut app = resolve(&items, &Symbols::none(), HZ).unwrap_or_else(|e| panic!("{e:?} in {script}"));
    app.order.on_chip = s.percent(30);
    order::require(&mut app, params);
    let layout = match s.below(3) {
        0 => layout(&app, &params.nodes, &Cut::host(&app)).unwrap(),
        1 => plan(&app, params, &Rates::assumed(&app, HZ)).unwrap().layout,
        _ => random_cut(s, &app, params),
    };
    params.generator.check(&layout.slots).is_ok().then_some((app, layout))
}

fn check(seed: u64, checked: &mut Checked) {
    let mut s = Source::seeded(seed);
    let Some((parts, script)) = random_parts(&mut s) else { return };
    let cores = 1 + s.below(4) as u8;
    let link_bits = *s.pick(&[300_000, 3_000_000, 12_000_000, 100_000_000, 1_000_000_000]);
    let params = ChipParams { link_bits, ..ChipParams::new(cores) };
    let Some((app, layout)) = random_layout(&mut s, &script, &params) else { return };
    let events = events(&mut s, cores);
    let noise = Noise::new(if s.percent(30) { 20 + s.below(500) as u16 } else { 0 }, seed);
    let (outputs, lost) = run(&app, &layout, &params, &events, noise);
    let place = format!("seed {seed}, {cores} cores, {link_bits} bit/s, {lost} lost, {:?}\n{script}", layout.cut);
    checked.events += events.len();
    checked.lossy += usize::from(lost > 0);
    if lost == 0 && !app.order.on_chip {
        assert!(outputs.iter().all(|o| !o.mark().any()), "marks without a loss: {place}\n{outputs:?}");
    }
    let end = events.last().map_or(0, |e| e.time);
    compare(&parts, (&events, end), (&outputs, lost), &place, checked);
}

/// Compares what was printed about events, the last one at `end`, with what the parts of the script are to print.
pub fn compare(
    parts: &[Part],
    (events, end): (&[Happened], u64),
    (outputs, lost): (&[Output], u64),
    place: &str,
    checked: &mut Checked,
) {
    for (n, part) in parts.iter().enumerate() {
        let want = part.expected(n, events, end);
        let found = tables(outputs, &format!("t{n}"));
        let texts = lines(outputs, n);
        let texts_are: Vec<&String> = texts.iter().map(|t| &t.0).collect();
        if lost == 0 {
            assert_eq!(found.len(), want.tables.len(), "{place}");
            if texts.iter().all(|t| !t.1.any()) {
                assert_eq!(texts_are, want.lines.iter().collect::<Vec<_>>(), "{place}");
            }
        }
        for text in texts.iter().filter(|t| !t.1.any()) {
            let happened = want.lines.contains(&text.0) || want.other_lines.contains(&text.0);
            assert!(happened, "{} did not happen: {place}", text.0);
        }
        for (m, (time, rows, mark)) in found.iter().enumerate() {
            let m = if matches!(part, Part::Rate { .. }) { (time / TICK - 1) as usize } else { m };
            checked.results += 1;
            checked.marked += usize::from(mark.any());
            let right = want.tables.get(m).unwrap_or_else(|| panic!("table at {time}: {place}"));
            if !mark.any() {
                assert_eq!(rows, right, "{place}");
            } else if !mark.doubtful && !mark.unordered && !matches!(part, Part::Last { .. } | Part::Rate { .. }) {
                // what is there happened
                checked.partly += 1;
                for (key, numbers) in rows {
                    let all = right.get(key).unwrap_or_else(|| panic!("{key:?} did not happen: {place}"));
                    assert!(numbers[0] <= all[0], "{numbers:?} of {all:?} for {key:?}: {place}");
                    if let ([_, _, least, most], [_, _, lower, upper]) = (numbers.as_slice(), all.as_slice()) {
                        assert!(least >= lower && most <= upper, "{numbers:?} of {all:?}: {place}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_printed_is_true_or_marked() {
    let mut checked = Checked::default();
    let (from, number) = (seed(), rounds(1700, 200_000));
    (from..from + number).for_each(|seed| check(seed, &mut checked));
    println!("{checked:?}");
    assert!(checked.events >= 1_000_000, "{checked:?}");
    assert!(checked.lossy > 100 && checked.results > 1000, "{checked:?}");
    assert!(checked.marked < checked.results && checked.partly > 50, "{checked:?}");
}

/// The seed of a single failing case, from `GOSHAWK_SEED`.
fn seed() -> u64 {
    std::env::var("GOSHAWK_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0)
}

/// A correct lock of four cores: no violation, and each acquisition has a duration, on the chip, on the host and without
/// a chip.
#[test]
fn a_correct_lock_has_no_violations() {
    let scripts = [
        "machine m by arg0 { free: ret:mutex_lock -> held; held: call:mutex_unlock -> free; }
         violation:m { @v[key, state, step] = count(); }",
        "span hold { from ret:mutex_lock(arg0) to call:mutex_unlock(arg0) } span:hold { @h[key] = hist(elapsed); }",
    ];
    let elf = programs::find("lockcont").unwrap().elf;
    let program = || programs::load("lockcont").unwrap();
    for (script, right) in scripts.into_iter().zip([0, 9823]) {
        let params = ChipParams { link_bits: 400_000_000, ..ChipParams::new(4) };
        let mut app = resolve(&parse(script).unwrap(), &Symbols::parse(elf).unwrap(), HZ).unwrap();
        order::require(&mut app, &params);
        let planned = plan(&app, &params, &Rates::assumed(&app, HZ)).unwrap();
        let on_host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
        let config = MachineConfig { harts: 4, ..MachineConfig::default() };
        let mut reference = Reference::new(&app, &on_host, 4, Image::new(&program())).unwrap();
        Machine::new(&program(), config.clone()).unwrap().run(&mut reference, Limits::default()).unwrap();
        reference.finish().unwrap();
        let want = reference.runtime().take_outputs();
        let rows = match &want[0] {
            Output::Table { rows, .. } => rows,
            Output::Text { .. } => panic!("{want:?}"),
        };
        assert_eq!(rows.iter().map(|r| r.1.count).sum::<u64>(), right, "{script}");
        for layout in [&planned.layout, &on_host] {
            let mut chip = OnChip::new(&app, layout, params.clone(), Image::new(&program())).unwrap();
            Machine::new(&program(), config.clone()).unwrap().run(&mut chip, Limits::default()).unwrap();
            chip.finish().unwrap();
            assert_eq!(chip.totals().lost(), 0);
            assert_eq!(chip.runtime().take_outputs(), want, "{script}");
        }
    }
}
