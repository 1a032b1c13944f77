//! A script prints the same for every cut: random scripts on random events, at every legal cut

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::runtime::{Output, Runtime};
use diag::symbols::Symbols;
use sim::diag::chip::{ChipParams, FIRST_NODE};
use sim::diag::node::{Node, NodeKind, Outbox};
use sim::diag::packet::{Args, Event, HOST};
use sim::diag::trigger::{Capture, Trigger};
use sim::stimulus::Source;

const PROBES: [&str; 5] = ["call:4096", "ret:4096", "call:8192", "ret:8192", "pc:12288"];

/// An occurrence: a point of the program on a core, with values; or a tick.
struct Occurrence {
    trigger: Option<Trigger>,
    core: u8,
    time: u64,
    values: [u32; 8],
}

fn script(s: &mut Source) -> String {
    let mut text = String::new();
    if s.percent(50) {
        text += "txn t { open call:4096(arg0) close ret:8192(arg0) }\nviolation:t { ";
        text += *s.pick(&["printf(\"%d %d\", key, owner);", "@races = count();", "@races = count(); printf(\"x\");"]);
        text += " }\n";
    }
    if s.percent(40) {
        text += "span s { from call:4096(arg1) to call:8192(arg1) }\nspan:s ";
        text += *s.pick(&["", "/elapsed > 100/ "]);
        text += *s.pick(&["{ @waits[key] = stats(elapsed); }\n", "{ @waits = hist(elapsed) }\n"]);
    }
    if s.percent(30) {
        text += "machine m";
        text += *s.pick(&["", " by core", " by arg0"]);
        text += " { a: call:4096 -> b; b: ret:4096 -> a, pc:12288 -> b; }\nviolation:m { @bad[state] = count(); }\n";
    }
    if s.percent(30) {
        text += "ltl l";
        text += *s.pick(&["", " by arg0"]);
        text += " { always (call:4096 -> next (ret:4096 || pc:12288)) }\n";
        text += *s.pick(&[
            "violation:l { @unlike[state] = count(); }\n",
            "violation:l { printf(\"%d %d\", state, step); }\n",
        ]);
    }
    if s.percent(40) {
        let violation = text.contains("ltl l").then_some("violation:l");
        let trigger = violation.filter(|_| s.percent(70)).unwrap_or("ret:8192(arg0)");
        text += &format!("log g {{ keep call:4096(arg1), pc:12288 {} {trigger} }}\n", s.pick(&["dump", "freeze"]));
        text += "log:g { printf(\"%d: %d %d on %d\", time, step, key, core); }\n";
    }
    let sums = [
        "@n = count();",
        "@cores[core] = count();",
        "@keys[arg0] = count();",
        "@stats[arg0] = stats(arg1);",
        "@sum = sum(arg1);",
        "@least[core] = min(arg1);",
        "@greatest = max(arg0);",
        "@mean[arg1] = avg(arg0);",
        "@sizes = hist(arg1);",
        "@sizes_by[arg0] = hist(arg1);",
        "@odd[arg0 * 2] = count();",
        "@two[arg0, core] = sum(arg1 - 3);",
        "@last[core] = arg0;",
        "printf(\"%d at %d on %d\", arg0, time, core);",
    ];
    let predicates = [
        "",
        "/arg0 < 4/",
        "/arg0 != 2 && core == 1/",
        "/(arg0 & 3) == 1/",
        "/arg0 == 1 || arg1 > 500/",
        "/arg0 * 2 > 5/",
        "/arg0 != 0 && arg0 * 3 < 9 && core < 3/",
        "/3 >= arg1/",
        "/arg0 == -1/",
        "/!(arg0 == 1)/",
        "/@last[core] != arg0/",
        "/time % 7 == 3/",
    ];
    for _ in 0..1 + s.below(4) {
        let predicate = *s.pick(&predicates);
        if predicate.contains("@last") {
            text += "pc:12288 { @last[core] = arg0; }\n";
        }
        text += &format!("{} {predicate} {{", s.pick(&PROBES));
        for _ in 0..1 + s.below(2) {
            text += &format!(" {}", s.pick(&sums));
        }
        text += " }\n";
    }
    if s.percent(50) {
        let names = ["n", "cores", "keys", "stats", "sizes", "sum"];
        let known: Vec<&str> = names
            .into_iter()
            .filter(|n| text.contains(&format!("@{n} =")) || text.contains(&format!("@{n}[")))
            .collect();
        if !known.is_empty() {
            let name = *s.pick(&known);
            text += &format!(
                "tick:1000cycles {{ print(@{name}, 3); {} }}\n",
                if s.percent(50) { format!("clear(@{name});") } else { String::new() }
            );
        }
    }
    text
}

fn deliver(nodes: &mut [Node], runtime: &mut Runtime, (dest, event): (u8, Event)) {
    if dest == HOST {
        runtime.take(&event);
        return;
    }
    let mut out = Outbox::new();
    nodes[usize::from(dest - FIRST_NODE)].take(&event, &mut out);
    out.into_iter().for_each(|o| deliver(nodes, runtime, o));
}

fn flush(nodes: &mut [Node], runtime: &mut Runtime) {
    for n in 0..nodes.len() {
        let mut out = Outbox::new();
        nodes[n].flush(&mut out);
        out.into_iter().for_each(|o| deliver(nodes, runtime, o));
    }
}

fn run(app: &App, layout: &Layout, stream: &[Occurrence]) -> (Vec<Output>, u64) {
    let mut runtime = ran(app, layout, stream);
    (runtime.take_outputs(), runtime.lost)
}

fn ran(app: &App, layout: &Layout, stream: &[Occurrence]) -> Runtime {
    let mut nodes = layout.nodes.clone();
    let mut runtime = Runtime::new(app, layout);
    for o in stream {
        let Some(trigger) = o.trigger else {
            flush(&mut nodes, &mut runtime);
            runtime.tick(o.time);
            continue;
        };
        for slot in layout.slots.iter().filter(|s| s.trigger == trigger) {
            let value = |c: &Capture| match c {
                Capture::Register(r) | Capture::EntryRegister(r) => o.values[usize::from(*r) % 8],
                _ => o.values[7],
            };
            let args: Vec<u32> = slot.captures.iter().map(value).collect();
            let time = slot.stamped.then_some(o.time as u32);
            let event = Event { id: slot.event, core: o.core, time, args: Args::of(&args), ..Event::default() };
            deliver(&mut nodes, &mut runtime, (slot.dest, event));
        }
    }
    flush(&mut nodes, &mut runtime);
    runtime.end(stream.last().map_or(0, |o| o.time));
    runtime
}

/// All combinations of parts on the chip and on the host.
fn cuts(app: &App) -> Vec<Cut> {
    let host = Cut::host(app);
    let sizes = [app.clauses.len(), app.maps.len(), app.machines.len(), app.spans.len(), app.logs.len()];
    let bits: usize = sizes.iter().sum();
    assert!(bits <= 24, "{bits}");
    (0_u32..1 << bits)
        .map(|choice| {
            let mut all = (0..bits).map(|n| choice >> n & 1 == 1);
            let mut take = |n: usize| all.by_ref().take(n).collect::<Vec<_>>();
            let [filters, maps, machines, spans, logs] = sizes.map(&mut take);
            Cut { filters, maps, machines, spans, logs }
        })
        .filter(|c| layout(app, &ChipParams::new(4).nodes, c).is_ok() || *c == host)
        .collect()
}

#[test]
fn a_script_prints_the_same_wherever_it_is_cut() {
    let (mut legal, mut keyed, mut scripts, mut printed) = (0, 0, 0, 0);
    for seed in 0..120 {
        let mut s = Source::seeded(seed);
        let text = script(&mut s);
        let items = parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let app = resolve(&items, &Symbols::none(), 50_000_000).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let ways = app.clauses.len() + app.maps.len() + app.machines.len() + app.spans.len() + app.logs.len();
        if ways > 15 {
            continue;
        }
        scripts += 1;
        let (mut time, mut tick) = (0, 1000);
        let mut stream = Vec::new();
        for _ in 0..400 {
            time += s.below(60);
            if time >= tick && app.tick.is_some() {
                stream.push(Occurrence { trigger: None, core: 0, time: tick, values: [0; 8] });
                tick += 1000;
            }
            let small = s.percent(80);
            let value = |s: &mut Source| if small { s.below(6) as u32 } else { s.bits(32) as u32 };
            let trigger = *s.pick(&[
                Trigger::Pc(4096),
                Trigger::Return(4096),
                Trigger::Pc(8192),
                Trigger::Return(8192),
                Trigger::Pc(12288),
            ]);
            let values = std::array::from_fn(|_| value(&mut s));
            stream.push(Occurrence { trigger: Some(trigger), core: s.below(4) as u8, time, values });
        }
        // a small aggregate, so that keys compete for entries
        let mut kinds = ChipParams::new(4).nodes;
        for k in &mut kinds {
            match k {
                NodeKind::Aggregate(n) => *n = 4,
                NodeKind::Histogram(n) => *n = 2,
                NodeKind::Pair(n) => *n = 255,
                _ => {}
            }
        }
        let host = layout(&app, &kinds, &Cut::host(&app)).unwrap();
        let want = run(&app, &host, &stream);
        printed += want.0.len();
        for cut in cuts(&app) {
            let Ok(layout) = layout(&app, &kinds, &cut) else { continue };
            legal += 1;
            keyed += usize::from(cut.machines.iter().zip(&app.machines).any(|(on, m)| *on && m.by_key));
            assert_eq!(run(&app, &layout, &stream), want, "seed {seed}, {cut:?}\n{text}");
        }
        // the planner's choice
        let params = ChipParams { nodes: kinds, ..ChipParams::new(4) };
        let best = plan(&app, &params, &Rates::assumed(&app, 50_000_000)).unwrap();
        assert!(best.bits <= best.host_bits);
        assert_eq!(run(&app, &best.layout, &stream), want, "seed {seed}, planned\n{text}");
    }
    println!(
        "{scripts} scripts, {legal} cuts, {keyed} of them with a state for each key on the chip, {printed} outputs"
    );
    assert!(keyed > scripts, "{keyed}");
    assert!(scripts > 80 && legal > 4 * scripts && printed > 10 * scripts, "{scripts} {legal} {printed}");
}

#[test]
fn keys_beyond_a_machines_capacity_are_handled_by_the_host() {
    let of = |by: &str, rest: &str| {
        let text = format!(
            "machine m by {by} {{ a: call:4096 -> b; b: ret:4096 -> a, pc:12288 -> b; }}
             violation:m {{ @bad[key] = count(); }}
             violation:m {{ printf(\"%d: %d %d\", time, key, state); }} {rest}"
        );
        resolve(&parse(&text).unwrap(), &Symbols::none(), 50_000_000).unwrap()
    };
    let on_chip = |app: &App| {
        let mut cut = Cut::host(app);
        cut.machines[0] = true;
        cut
    };
    let kinds = ChipParams::new(4).nodes;
    for (by, keys) in [("arg0", 12), ("arg0", 16), ("arg0", 17), ("arg0", 40), ("core", 1000)] {
        let app = of(by, "");
        let mut s = Source::seeded(keys);
        let triggers = [Trigger::Pc(4096), Trigger::Return(4096), Trigger::Pc(12288)];
        let occurrence = |n: u64| Occurrence {
            trigger: Some(*s.pick(&triggers)),
            core: s.bits(4) as u8,
            time: 10 * n,
            values: [s.below(keys) as u32; 8],
        };
        let stream: Vec<Occurrence> = (0..2000).map(occurrence).collect();
        let [mut host, mut chip] =
            [Cut::host(&app), on_chip(&app)].map(|cut| ran(&app, &layout(&app, &kinds, &cut).unwrap(), &stream));
        let arrived: Vec<u64> = [&host, &chip].map(|r| r.tally().uses.iter().sum()).to_vec();
        println!("by {by}, {keys} keys: {arrived:?} events at the host, {:?} reports", chip.tally().reports);
        assert_eq!(host.take_outputs(), chip.take_outputs(), "by {by}, {keys} keys");
        assert_eq!(arrived[0], 2000);
        assert_eq!(arrived[1] > 0, by == "arg0" && keys > 16, "{arrived:?}");
        assert!(chip.tally().reports[0] > 500);
    }
    // a log would not see violations that the host finds; those with the key `core` are all found on the chip
    let log = "log g { keep call:4096 dump violation:m } log:g { printf(\"%d\", step); }";
    for (by, why) in
        [("arg0", Some("log g is on the chip, and violations of machine m come from the host, too")), ("core", None)]
    {
        let app = of(by, log);
        let cut = Cut { logs: vec![true], ..on_chip(&app) };
        assert_eq!(layout(&app, &kinds, &cut).err().as_deref(), why, "{by}");
    }
    // two classes of one event, which would pass twice
    let text = "machine m by arg0 { a: call:4096 -> b; b: pc:4096 -> a; } violation:m { printf(\"%d\", key); }";
    let app = resolve(&parse(text).unwrap(), &Symbols::none(), 1).unwrap();
    let error = layout(&app, &kinds, &on_chip(&app)).unwrap_err();
    assert_eq!(error, "two probes of machine m are one event, which a node passes to the host as one");
}

/// Numbers are checked on arrival, since a damaged frame can pass its checksum by chance.
#[test]
fn events_with_unassigned_identifiers_are_counted() {
    let texts = [
        "call:4096 { @n[arg0] = count(); }",
        "txn t { open call:4096(arg0) close ret:8192(arg0) }\nviolation:t { @races[key] = count(); }",
        "span s { from call:4096(arg0) to ret:4096(arg0) }\nspan:s { @w[key] = hist(elapsed); }",
        "log g { keep call:4096(arg0) dump ret:4096(arg0) }\nlog:g { printf(\"%d %d\", time, key); }",
    ];
    let mut s = Source::seeded(33);
    for text in texts {
        let app =
            resolve(&parse(text).unwrap(), &Symbols::none(), 50_000_000).unwrap_or_else(|e| panic!("{e:?}: {text}"));
        let kinds = ChipParams::new(2).nodes;
        let layout = layout(&app, &kinds, &Cut::host(&app)).unwrap();
        let mut runtime = Runtime::new(&app, &layout);
        for id in (0..=u8::MAX).chain(0..=u8::MAX) {
            let args = Args::of(&(0..s.below(6)).map(|_| s.bits(32) as u32).collect::<Vec<_>>());
            let (core, lost, yielded) = (s.bits(4) as u8, s.bits(16) as u16, s.percent(50));
            let time = s.percent(50).then(|| s.bits(32) as u32);
            runtime.take(&Event { id, core, lost, yielded, time, args });
        }
        assert!(runtime.unknown > 60, "{text}: {}", runtime.unknown);
    }
}
