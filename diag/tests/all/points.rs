//! Scripts with more points than a chip has triggers, with a trace of the cores: random scripts on real programs,
//! compared with generators that have a trigger for each point

use diag::app::{App, Consumer, Stmt};
use diag::layout::{layout, Cut, Layout};
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::points::{self, units};
use diag::replayed;
use diag::resolve::resolve;
use diag::runtime::{Key, Mark, Output};
use diag::session::{Host, OnChip, Reference};
use diag::symbols::Symbols;
use diag::watch::Watcher;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, FlowKind, RetireSink};
use sim::diag::chip::{ChipParams, FIRST_NODE};
use sim::diag::generator::Generator;
use sim::diag::node::trace::{TraceNode, PACKET_WORDS};
use sim::diag::node::{Node, NodeKind, Outbox};
use sim::diag::packet::{Event, Packet, HOST};
use sim::diag::trigger::GeneratorParams;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::Source;
use sim::system::System;
use std::collections::BTreeMap;

const HZ: u64 = 50_000_000;

/// A program, and points of it.
struct Case {
    name: &'static str,
    cores: u8,
    functions: &'static [&'static str],
    variables: &'static [&'static str],
}

const CASES: [Case; 4] = [
    Case { name: "bank", cores: 4, functions: &["get_balance", "set_balance", "try_lock"], variables: &["balance"] },
    Case { name: "lockcont", cores: 2, functions: &["mutex_lock", "archive", "cut"], variables: &["queue_mutex"] },
    Case {
        name: "irq",
        cores: 2,
        functions: &["rt_trap", "software_interrupt", "checksum"],
        variables: &["received_sum"],
    },
    Case { name: "irq", cores: 1, functions: &["rt_trap", "on_timer", "checksum"], variables: &["received_sum"] },
];

fn image(program: &str) -> Image {
    Image::new(&programs::load(program).unwrap())
}

fn tell(case: &Case, instructions: u64, sink: &mut impl RetireSink) {
    let config = MachineConfig { harts: case.cores, ..MachineConfig::default() };
    let mut machine = Machine::new(&programs::load(case.name).unwrap(), config).unwrap();
    machine.run(sink, Limits { instructions, ..Limits::default() }).unwrap();
}

/// Addresses that retire, and their counts.
struct Retired(Watcher, BTreeMap<u64, u64>);

impl RetireSink for Retired {
    const WANTS_DATA: bool = true;
    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e, &mut |_, seen| *self.1.entry(seen.pc).or_default() += 1);
    }
    fn data(&mut self, d: &DataEvent) {
        self.0.data(d, &mut |_, seen| *self.1.entry(seen.pc).or_default() += 1);
    }
}

/// A random script with `points` clauses; `rich`: percentage of them that need what a trace does not have.
fn script(s: &mut Source, case: &Case, pcs: &[u64], points: u64, rich: u8) -> String {
    let mut text = String::new();
    let pc = |s: &mut Source| format!("pc:{}", s.pick(pcs));
    if s.percent(30) {
        let by = *s.pick(&["", "by core "]);
        text += &format!("machine m {by}{{ a: {} -> b; b: {} -> a, {} -> b; }}\n", pc(s), pc(s), pc(s));
        text += *s
            .pick(&["violation:m { @bad[state, step, core] = count(); }\n", "violation:m { printf(\"%d\", step); }\n"]);
    }
    if s.percent(30) {
        text += &format!("{} {{ @last[core] = pc; }}\n{} /@last[core] > 5/ {{ @after = count(); }}\n", pc(s), pc(s));
    }
    for n in 0..points {
        let valued = s.percent(rich);
        let function = *s.pick(case.functions);
        let probe = match s.below(12) {
            0 | 1 => format!("call:{function}"),
            2 if valued => format!("ret:{function}"),
            3 if valued => format!("{}:{}", s.pick(&["write", "read"]), s.pick(case.variables)),
            4 => (*s.pick(&["trap", "trapret"])).to_string(),
            _ => pc(s),
        };
        let word = if probe.starts_with("read") || probe.starts_with("write") { "value" } else { "sp" };
        let predicate = *s.pick(&["", "", "/core == 1/ ", "/pc > 4096 && core < 3/ "]);
        let predicate = if predicate.contains("pc") && probe.starts_with("ret:") { "" } else { predicate };
        let action = match s.below(6) {
            _ if valued => (*s.pick(&[
                &format!("@v{n}[{word}] = count();"),
                "printf(\"%d on %d\", time, core);",
                &format!("@late{n} = max(time);"),
            ]))
            .to_string(),
            0 => "@all = count();".into(),
            1 => "@by[core] = count();".into(),
            2 => "@at[pc] = count(); @all = count();".into(),
            3 => format!("@sum{} = stats(core + 1);", n % 5),
            4 => "@spread[core] = hist(core);".into(),
            _ => format!("@n{}[core] = count();", n % 8),
        };
        text += &format!("{probe} {predicate}{{ {action} }}\n");
    }
    text
}

fn app(text: &str, symbols: &Symbols) -> App {
    resolve(&parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}")), symbols, HZ)
        .unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

/// A chip without a ring, whose generators lose nothing, and the packets that leave it.
struct Chip {
    watcher: Watcher,
    generators: Vec<Generator>,
    nodes: Vec<Node>,
    system: System,
    trace: TraceNode,
    packets: Vec<Packet>,
    cycles: u64,
}

impl Chip {
    fn deliver(nodes: &mut [Node], packets: &mut Vec<Packet>, src: u8, (dest, event): (u8, Event)) {
        if dest == HOST {
            return packets.push(Packet::event(src, dest, event));
        }
        let mut out = Outbox::new();
        nodes[usize::from(dest - FIRST_NODE)].take(&event, &mut out);
        out.into_iter().for_each(|o| Self::deliver(nodes, packets, dest, o));
    }

    fn each(&mut self, f: impl FnOnce(&mut Watcher, &mut dyn FnMut(u8, &sim::diag::generator::ObservedInsn))) {
        let Self { watcher, generators, nodes, packets, cycles, .. } = self;
        f(watcher, &mut |core, seen| {
            *cycles = (*cycles).max(seen.cycle);
            let g = &mut generators[usize::from(core)];
            g.observe(seen);
            while !g.is_idle() {
                g.clock(None);
                while let Some(sent) = g.pop() {
                    Self::deliver(nodes, packets, core, sent);
                }
            }
        });
    }

    fn words(&mut self) {
        let Self { system, trace, packets, .. } = self;
        system.drain().for_each(|w| trace.word(w));
        packets.extend(std::iter::from_fn(|| trace.packet(PACKET_WORDS)));
    }

    fn finish(&mut self) {
        self.system.finish(self.cycles);
        self.words();
        self.packets.extend(self.trace.packet(1));
        for n in 0..self.nodes.len() {
            let mut out = Outbox::new();
            self.nodes[n].flush(&mut out);
            out.into_iter().for_each(|o| Self::deliver(&mut self.nodes, &mut self.packets, FIRST_NODE, o));
        }
    }
}

impl RetireSink for Chip {
    const WANTS_DATA: bool = true;
    fn event(&mut self, e: &FlowEvent) {
        self.each(|w, mut each| w.event(e, &mut each));
        self.system.event(e);
        self.words();
    }
    fn data(&mut self, d: &DataEvent) {
        self.each(|w, mut each| w.data(d, &mut each));
    }
}

fn traced(scheme: &str, cores: u8) -> TraceParams {
    let platform = Platform {
        timestamps: false,
        cores,
        xlen: 32,
        align: 1,
        count_bits: 20,
        cc_bits: 32,
        context: None,
        signature: 0,
    };
    TraceParams::new(platform, scheme.parse::<FlowScheme>().unwrap())
}

/// What the script prints on the chip, and the number of events from the trace.
fn run(app: &App, layout: &Layout, case: &Case, scheme: &str, instructions: u64) -> (Vec<Output>, u64) {
    let sizes = GeneratorParams { queue: 255, fifo: 255, returns: 64, stack: 64, ..GeneratorParams::FULL };
    let mut generators: Vec<Generator> = (0..case.cores).map(|c| Generator::new(sizes, c)).collect();
    generators.iter_mut().for_each(|g| g.set(layout.slots.clone()).unwrap());
    let params = traced(scheme, case.cores);
    let mut chip = Chip {
        watcher: Watcher::new(image(case.name), case.cores, 32),
        generators,
        nodes: layout.nodes.clone(),
        system: System::new(&params).unwrap(),
        trace: TraceNode::default(),
        packets: Vec::new(),
        cycles: 0,
    };
    tell(case, instructions, &mut chip);
    chip.finish();
    let mut host = Host::new(app, layout);
    let told = replayed::take(&mut host, layout, (&params, &image(case.name)), &chip.packets).unwrap();
    assert_eq!((told.missing, told.lost), (0, (0, 0)));
    host.finish(chip.cycles);
    (host.runtime().take_outputs(), told.events)
}

fn params(cores: u8) -> ChipParams {
    let mut params = ChipParams { trace: true, ..ChipParams::new(cores) };
    for k in &mut params.nodes {
        if let NodeKind::Pair(n) = k {
            *n = 255;
        }
    }
    params
}

#[test]
fn a_script_prints_the_same_with_points_from_the_trace() {
    const INSTRUCTIONS: u64 = 40_000;
    let (mut fits, mut by_trace, mut mixed, mut refused, mut told, mut stateful) = (0, 0, 0, 0, 0, 0);
    for (c, case) in CASES.iter().enumerate() {
        let symbols = Symbols::parse(programs::find(case.name).unwrap().elf).unwrap();
        let mut retired = Retired(Watcher::new(image(case.name), case.cores, 32), BTreeMap::new());
        tell(case, INSTRUCTIONS, &mut retired);
        let pcs: Vec<u64> = retired.1.iter().filter(|p| *p.1 < 3000).map(|p| *p.0).collect();
        for seed in 0..25 {
            let mut s = Source::seeded(1000 * c as u64 + seed);
            let (points, rich) = (4 + s.below(37), *s.pick(&[0_u8, 10, 30, 60]));
            let text = script(&mut s, case, &pcs, points, rich);
            let whole = app(&text, &symbols);
            if whole.uses.len().max(whole.clauses.len()) > 64 || whole.maps.len() > 32 {
                continue;
            }
            let (params, rates) = (params(case.cores), Rates::assumed(&whole, HZ).with_trace(case.cores, HZ));
            let mut fitted = whole.clone();
            if let Err(e) = points::fit(&mut fitted, &params, &rates, "x.dx", &text) {
                // more than 16 that a trace cannot provide
                let stay = units(&whole, case.cores).iter().filter(|u| u.missing_from_trace.is_some()).count();
                assert!(e.what.contains(" needs ") && e.what.contains(": without ") && stay > 4, "{e}\n{text}");
                refused += 1;
                continue;
            }
            let layout = plan(&fitted, &params, &rates).unwrap().layout;
            assert!(params.generator.check(&layout.slots).is_ok());
            if fitted.notes.len() > whole.notes.len() {
                // a loop iteration counts as a call, as the note says
                continue;
            }
            let host = layout_of(&whole);
            let mut reference = Reference::new(&whole, &host, case.cores, image(case.name)).unwrap();
            tell(case, INSTRUCTIONS, &mut reference);
            reference.finish().unwrap();
            let scheme = *s.pick(&["tr_e:small", "tr_b:medium", "sc-lsp:rbase-32x4"]);
            let (found, events) = run(&fitted, &layout, case, scheme, INSTRUCTIONS);
            // this chip reports no losses (words that are unknown at the start), after which the host withholds violations
            let lossy = reference.totals().lost() > 0;
            if !lossy || !text.contains("violation:") {
                let want = reference.runtime().take_outputs();
                assert_eq!(unmarked(found), unmarked(want), "{} {seed} {scheme}\n{text}", case.name);
            }
            let moved = fitted.uses.iter().filter(|u| u.traced).count();
            (fits, told) = (fits + 1, told + events);
            by_trace += usize::from(moved > 0);
            mixed += usize::from(moved > 0 && !layout.places.is_empty());
            stateful += usize::from(fitted.uses.iter().any(|u| {
                u.traced
                    && match u.consumer {
                        Consumer::Class(..) => true,
                        Consumer::Clause(c) => matches!(fitted.clauses[c].body[..], [Stmt::Set(..)]),
                        Consumer::Span(..) | Consumer::Log(..) => false,
                    }
            }));
        }
    }
    println!("{fits} scripts fit, {by_trace} by a trace, {mixed} with nodes of the chip, {stateful} with a state; {refused} refused; {told} events of the trace");
    assert!(
        by_trace > 30 && mixed > 15 && refused > 3 && told > 10_000 && stateful > 5,
        "{fits} {by_trace} {mixed} {refused} {told} {stateful}"
    );
}

fn unmarked(mut outputs: Vec<Output>) -> Vec<Output> {
    for output in &mut outputs {
        match output {
            Output::Text { mark, .. } | Output::Table { mark, .. } => *mark = Mark::default(),
        }
    }
    outputs
}

fn layout_of(app: &App) -> Layout {
    layout(app, &ChipParams::new(1).nodes, &Cut::host(app)).unwrap()
}

/// On the golden chip, with its ring and link: a tick may show trace events a period late, and none is missing.
#[test]
fn a_tick_waits_for_the_trace() {
    let case = Case { name: "lockcont", cores: 2, functions: &[], variables: &[] };
    let symbols = Symbols::parse(programs::find(case.name).unwrap().elf).unwrap();
    let calls =
        "archive barrier check cut exit hart_count lock main memcpy memset mutex_lock mutex_unlock parallel report \
        rt_main share try_lock unlock work";
    let calls: Vec<String> = calls.split_whitespace().map(|f| format!("call:{f}")).collect();
    let text = format!(
        "{} {{ @calls[pc] = count(); }} tick:20000cycles {{ print(@calls); clear(@calls); }} end {{ print(@calls); }}",
        calls.join(", ")
    );
    let params = ChipParams { link_bits: 100_000_000, ..params(case.cores) };
    let whole = app(&text, &symbols);
    let (mut fitted, rates) = (whole.clone(), Rates::assumed(&whole, HZ));
    points::fit(&mut fitted, &params, &rates, "x.dx", &text).unwrap();
    // lock is also inlined, so 19 functions have 20 places
    assert_eq!(points::names(&fitted, &text).len(), 4);
    let layout = plan(&fitted, &params, &rates).unwrap().layout;
    let trace = traced("tr_e:small", case.cores);
    let mut chip = OnChip::with_trace(&fitted, &layout, params, image(case.name), trace).unwrap();
    let mut reference = Reference::new(&whole, &layout_of(&whole), case.cores, image(case.name)).unwrap();
    tell(&case, 400_000, &mut chip);
    tell(&case, 400_000, &mut reference);
    chip.finish().unwrap();
    reference.finish().unwrap();
    assert_eq!(chip.totals().lost(), 0);
    let tables = |outputs: Vec<Output>| -> Vec<BTreeMap<Vec<Key>, u64>> {
        let table = |o: Output| match o {
            Output::Table { rows, .. } => rows.into_iter().map(|(k, sum)| (k, sum.count)).collect(),
            Output::Text { .. } => BTreeMap::new(),
        };
        outputs.into_iter().map(table).collect()
    };
    let (found, want) = (tables(chip.runtime().take_outputs()), tables(reference.runtime().take_outputs()));
    assert!(found.len() > 5 && found.len() == want.len(), "{} {}", found.len(), want.len());
    let sum = |tables: &[BTreeMap<Vec<Key>, u64>]| {
        let mut sum = BTreeMap::new();
        tables.iter().flatten().for_each(|(k, n)| *sum.entry(k.clone()).or_insert(0) += n);
        sum
    };
    assert_eq!(sum(&found), sum(&want));
    // the last tick shows what came before it, except what the trace system held back
    let early = sum(&found[..found.len() - 1]).values().sum::<u64>();
    let right = sum(&want[..want.len() - 1]).values().sum::<u64>();
    assert!(right > 100 && early * 10 > right * 9 && early <= right, "{early} of {right}");
}

/// Instructions lost in a trace are missing, and none before them.
#[test]
fn instructions_before_a_gap_are_seen() {
    let case = Case { name: "bank", cores: 1, functions: &[], variables: &[] };
    let mut flow: Vec<FlowEvent> = Vec::new();
    tell(&case, 5_000, &mut flow);
    let seen = |flow: &[FlowEvent]| {
        let (mut watcher, mut pcs) = (Watcher::new(image("bank"), 1, 32), Vec::new());
        flow.iter().for_each(|e| watcher.event(e, &mut |_, seen| pcs.push(seen.pc)));
        assert_eq!(watcher.error, None);
        pcs
    };
    let whole = seen(&flow);
    assert_eq!(whole.len(), 5_000);
    let mut gaps = 0;
    for at in (1..flow.len() - 1).filter(|n| flow[*n].kind.retires() && flow[*n].count > 2).take(40) {
        // the branch is lost, and everything before it is reported
        let mut lost = flow.clone();
        let e = &mut lost[at];
        (e.kind, e.count, e.len) = (FlowKind::Gap { lost: 1 }, e.count - 1, 0);
        let n: usize = flow[..=at].iter().map(|e| e.count as usize).sum();
        let mut want = whole.clone();
        want.remove(n - 1);
        assert_eq!(seen(&lost), want, "event {at}");
        gaps += 1;
    }
    assert_eq!(gaps, 40);
}
