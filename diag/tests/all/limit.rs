//! Scripts with as many triggers as a generator has, and with more: random scripts on random instructions, on real
//! generators

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::parse::parse;
use diag::plan::{fit, plan, Rates};
use diag::resolve::resolve;
use diag::runtime::{Output, Runtime, TextPart};
use diag::symbols::Symbols;
use sim::diag::chip::{ChipParams, FIRST_NODE};
use sim::diag::generator::{Access, Generator, ObservedInsn};
use sim::diag::node::{Node, NodeKind, Outbox};
use sim::diag::packet::{Event, HOST};
use sim::diag::trigger::GeneratorParams;
use sim::stimulus::Source;

const CORES: u8 = 2;
const CODE: u64 = 0x1000;
const DATA: u64 = 0x2000;
const POINTS: u64 = 24;
const NOP: u32 = 0x13;
const MRET: u32 = 0x3020_0073;

/// A random probe, and the fields that it has besides registers. Each memory word and each trap is probed in one way
/// only: if several probes waited for the same thing, sharing a trigger could change their order.
fn probe(s: &mut Source, few: bool) -> (String, &'static str) {
    let n = s.below(if few { 4 } else { POINTS });
    match s.below(if few { 20 } else { 6 }) {
        0 | 1 => {
            let kind = ["write", "read", "access"][n as usize % 3];
            (format!("{kind}:{}", DATA + 4 * (n % 12)), "value")
        }
        2 => (["interrupt:3", "interrupt:7", "exception:2", "exception:5"][n as usize % 4].into(), "pc"),
        3 if s.percent(20) => ("trapret".into(), "arg1"),
        _ => (format!("pc:{}", CODE + 16 * n), "arg1"),
    }
}

/// Clauses, machines, spans and logs whose names and texts start with `name`.
fn script(s: &mut Source, name: &str, few: bool) -> String {
    let mut text = String::new();
    let keyed = |s: &mut Source| {
        let (probe, field) = probe(s, few);
        format!("{probe}({})", *s.pick(&[field, "core"]))
    };
    if s.percent(40) {
        text += &format!("txn {name}t {{ open {} close {} }}\n", keyed(s), keyed(s));
        text += &format!("violation:{name}t {{ printf(\"{name} %d %d %d\", time, key, owner); }}\n");
    }
    if s.percent(40) {
        text += &format!("span {name}s {{ from {} to {} }}\n", keyed(s), keyed(s));
        text += &format!("span:{name}s {{ @{name}waits[key] = stats(elapsed); }}\n");
    }
    if s.percent(30) {
        text += &format!("log {name}l {{ keep {}, {} dump {} }}\n", keyed(s), keyed(s), keyed(s));
        text += &format!("log:{name}l {{ printf(\"{name} %d %d %d\", time, step, key); }}\n");
    }
    for n in 0..1 + s.below(if few { 6 } else { 36 }) {
        let (probe, field) = probe(s, few);
        let predicate = match s.below(4) {
            0 => "/core == 1/".to_string(),
            1 => format!("/{field} > 2 || core == 0/"),
            _ => String::new(),
        };
        let action = match s.below(4) {
            0 => format!("@{name}n{n}[core] = count();"),
            1 => format!("@{name}v[{field}] = count();"),
            2 => format!("@{name}s{n}[core] = sum({field}); @{name}m{n} = max({field});"),
            _ => format!("printf(\"{name}{n} %d %d %d\", time, core, {field});"),
        };
        text += &format!("{probe} {predicate} {{ {action} }}\n");
    }
    text
}

/// Instructions of two cores: first a write of every register, then points of the program, data, traps.
fn instructions(s: &mut Source) -> Vec<(u8, ObservedInsn)> {
    let mut all = Vec::new();
    for core in 0..CORES {
        let write =
            |rd: u8| ObservedInsn { pc: 0x100, insn: NOP, len: 4, rd: Some((rd, 5)), ..ObservedInsn::default() };
        all.extend((1..32).map(|rd| (core, write(rd))));
    }
    let mut cycle = 10;
    for _ in 0..600 {
        cycle += 1 + s.below(20);
        let pc = CODE + 16 * s.below(POINTS);
        let mut seen = ObservedInsn { cycle, pc, next_pc: pc + 4, insn: NOP, len: 4, ..ObservedInsn::default() };
        match s.below(8) {
            0 => seen.trap = Some((s.percent(50), *s.pick(&[2, 3, 5, 7]), 0x900)),
            1 => (seen.pc, seen.insn) = (0x800, MRET),
            2..=5 => {
                let size = *s.pick(&[1_u8, 2, 4]);
                let addr = (DATA + s.below(60)) & !(u64::from(size) - 1);
                let access = Access { addr, size, value: s.below(5), store: s.percent(50) };
                seen.accesses[usize::from(access.store)] = Some(access);
            }
            _ => seen.rd = Some((10 + s.below(2) as u8, s.below(6))),
        }
        all.push((s.below(CORES.into()) as u8, seen));
    }
    all
}

fn deliver(nodes: &mut [Node], runtime: &mut Runtime, (dest, event): (u8, Event)) {
    if dest == HOST {
        return runtime.take(&event);
    }
    let mut out = Outbox::new();
    nodes[usize::from(dest - FIRST_NODE)].take(&event, &mut out);
    out.into_iter().for_each(|o| deliver(nodes, runtime, o));
}

fn run(app: &App, layout: &Layout, params: GeneratorParams, all: &[(u8, ObservedInsn)]) -> Vec<Output> {
    let mut generators: Vec<Generator> = (0..CORES).map(|c| Generator::new(params, c)).collect();
    generators.iter_mut().for_each(|g| g.set(layout.slots.clone()).unwrap());
    let (mut nodes, mut runtime) = (layout.nodes.clone(), Runtime::new(app, layout));
    for (core, seen) in all {
        let g = &mut generators[usize::from(*core)];
        g.observe(seen);
        while !g.is_idle() {
            g.clock(None);
            while let Some(sent) = g.pop() {
                deliver(&mut nodes, &mut runtime, sent);
            }
        }
    }
    for n in 0..nodes.len() {
        let mut out = Outbox::new();
        nodes[n].flush(&mut out);
        out.into_iter().for_each(|o| deliver(&mut nodes, &mut runtime, o));
    }
    runtime.end(1_000_000);
    assert_eq!(runtime.lost + generators.iter().map(Generator::unreported).sum::<u64>(), 0);
    runtime.take_outputs()
}

fn app(text: &str) -> App {
    resolve(&parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}")), &Symbols::none(), 1)
        .unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

/// Generators with a slot for each use of a probe.
const EACH: GeneratorParams = GeneratorParams { slots: 64, wide: 64, queue: 64, fifo: 64, ..GeneratorParams::FULL };
const REAL: GeneratorParams = GeneratorParams { queue: 64, fifo: 64, ..GeneratorParams::FULL };

fn params() -> ChipParams {
    let mut params = ChipParams::new(CORES);
    for k in &mut params.nodes {
        if let NodeKind::Pair(n) = k {
            *n = 255;
        }
    }
    params
}

#[test]
fn a_script_prints_the_same_with_shared_triggers() {
    let (mut fits, mut unshared, mut widened, mut refused, mut tried) = (0, 0, 0, 0, 0);
    for seed in 0..250 {
        let mut s = Source::seeded(seed);
        let text = script(&mut s, "a", false);
        let wide = match resolve(&parse(&text).unwrap(), &Symbols::none(), 1) {
            Ok(wide) => wide,
            Err(e) => {
                assert!(e.what.contains("; it can have "), "{e:?} in {text}");
                continue;
            }
        };
        let all = instructions(&mut s);
        let mut fitted = wide.clone();
        if let Err(e) = fit(&mut fitted, &params(), "x.dx", &text) {
            let needs = e.what.split(' ').nth(3).and_then(|n| n.parse::<usize>().ok());
            assert!(needs.is_some_and(|n| n > 16) && e.what.contains(": without "), "{e}");
            refused += 1;
            continue;
        }
        // expected: what the script prints if each use of a probe has its own trigger
        let mut host = layout(&wide, &params().nodes, &Cut::host(&wide)).unwrap();
        (host.slots, host.shares) = each(&wide);
        let want = run(&wide, &host, EACH, &all);
        let rates = Rates::assumed(&fitted, 1);
        let best = plan(&fitted, &params(), &rates).unwrap().layout;
        fits += 1;
        unshared += usize::from(wide.uses.len() > 16 || wide.uses.iter().filter(|u| u.trigger.is_wide()).count() > 4);
        widened += usize::from(fitted.uses.iter().any(|u| u.original_trigger.is_some()));
        assert_eq!(run(&fitted, &best, REAL, &all), want, "seed {seed}, planned\n{text}");
        for _ in 0..8 {
            let mut cut = Cut::host(&fitted);
            let parts = [&mut cut.filters, &mut cut.maps, &mut cut.machines, &mut cut.spans, &mut cut.logs];
            parts.into_iter().flatten().for_each(|p| *p = s.percent(40));
            let Ok(cut) = layout(&fitted, &params().nodes, &cut) else { continue };
            if REAL.check(&cut.slots).is_ok() {
                tried += 1;
                assert_eq!(run(&fitted, &cut, REAL, &all), want, "seed {seed}, {:?}\n{text}", cut.cut);
            }
        }
    }
    println!(
        "{fits} scripts fit, {unshared} of them by sharing, {widened} with wider triggers, {tried} more cuts; {refused} refused"
    );
    assert!(
        unshared > 120 && widened > 100 && refused > 20 && tried > 60,
        "{fits} {unshared} {widened} {refused} {tried}"
    );
}

/// One slot for each use.
fn each(app: &App) -> (Vec<sim::diag::trigger::Slot>, Vec<diag::share::Share>) {
    let slot = |(n, u): (usize, &diag::app::Use)| sim::diag::trigger::Slot {
        trigger: u.trigger,
        event: n as u8,
        dest: HOST,
        captures: u.captures.clone(),
        stamped: u.stamped,
        yields: false,
    };
    (app.uses.iter().enumerate().map(slot).collect(), diag::share::Share::unshared(app))
}

/// Outputs of the script whose names start with `name`.
fn only(outputs: Vec<Output>, name: &str) -> Vec<Output> {
    let of = |o: &Output| match o {
        Output::Text { parts, .. } => matches!(parts.first(), Some(TextPart::Text(t)) if t.starts_with(name)),
        Output::Table { map, .. } => map.starts_with(name),
    };
    outputs.into_iter().filter(of).collect()
}

#[test]
fn two_scripts_print_together_what_they_print_alone_with_fewer_triggers() {
    let (mut pairs, mut alone, mut together, mut printed) = (0, 0, 0, 0);
    for seed in 0..200 {
        let mut s = Source::seeded(seed);
        let texts = ["a", "b"].map(|name| (name, script(&mut s, name, true)));
        let all = instructions(&mut s);
        let fitted = |text: &str| {
            let mut app = app(text);
            fit(&mut app, &params(), "x.dx", text).map(|()| app)
        };
        let both = format!("{}{}", texts[0].1, texts[1].1);
        let Ok(app) = fitted(&both) else { continue };
        let rates = |app: &App| Rates::assumed(app, 1);
        let host = layout(&app, &params().nodes, &Cut::host(&app)).unwrap();
        let best = plan(&app, &params(), &rates(&app)).unwrap().layout;
        (pairs, together) = (pairs + 1, together + host.slots.len());
        for (name, text) in &texts {
            let app_alone = fitted(text).unwrap();
            let one = layout(&app_alone, &params().nodes, &Cut::host(&app_alone)).unwrap();
            alone += one.slots.len();
            let want = run(&app_alone, &one, REAL, &all);
            printed += want.len();
            for layout in [&host, &best] {
                assert_eq!(only(run(&app, layout, REAL, &all), name), want, "seed {seed} of\n{both}");
            }
        }
    }
    println!("{pairs} pairs of scripts, {alone} triggers alone, {together} together, {printed} outputs");
    assert!(pairs > 150 && together * 4 < alone * 3 && printed > 2000, "{pairs} {alone} {together} {printed}");
}
