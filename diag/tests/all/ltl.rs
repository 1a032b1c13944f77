//! Temporal logic: compares the machines of formulas with an evaluator of formulas on finite runs, which has no states

use diag::app::{App, Consumer};
use diag::layout::{layout, Cut, Rules};
use diag::parse::parse;
use diag::resolve::resolve;
use diag::runtime::{Output, Runtime, TextPart};
use diag::symbols::Symbols;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Args, Event};
use sim::stimulus::Source;

const PROBES: [&str; 3] = ["pc:4096", "pc:8192", "pc:12288"];

/// A formula, independent of the tested code.
#[derive(Clone, Debug)]
enum F {
    Is(usize),
    Not(Box<F>),
    Two(&'static str, Box<F>, Box<F>),
    One(&'static str, Box<F>),
}

impl F {
    fn random(s: &mut Source, depth: u64, past: bool) -> Self {
        let past = past || s.percent(25);
        let sub = |s: &mut Source| Box::new(Self::random(s, depth - 1, past));
        if depth == 0 || s.percent(10) {
            return Self::Is(s.below(3) as usize);
        }
        match s.below(if past { 9 } else { 12 }) {
            0 => Self::Not(sub(s)),
            1 => Self::Two("&&", sub(s), sub(s)),
            2 => Self::Two("||", sub(s), sub(s)),
            3 => Self::Two("->", sub(s), sub(s)),
            4 | 5 if past => Self::One(["once", "historically", "previous"][s.below(3) as usize], sub(s)),
            6 if past => Self::Two("since", sub(s), sub(s)),
            4..=8 if past => Self::Is(s.below(3) as usize),
            4 | 5 => Self::One("always", sub(s)),
            6 | 7 => Self::One("next", sub(s)),
            8 | 9 => Self::Two("until", sub(s), sub(s)),
            10 => Self::Two("never after", sub(s), sub(s)),
            _ => Self::Two("never before", sub(s), sub(s)),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Is(n) => PROBES[*n].into(),
            Self::Not(a) => format!("!{}", a.text()),
            Self::One(op, a) => format!("{op} {}", a.text()),
            Self::Two("never after", a, b) => format!("(never {} after {})", a.text(), b.text()),
            Self::Two("never before", a, b) => format!("(never {} before {})", a.text(), b.text()),
            Self::Two(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
        }
    }

    /// Whether it holds at `i` of a run, if the unknown rest is as good (`hope`) or as bad as possible.
    fn holds(&self, run: &[usize], i: usize, hope: bool) -> bool {
        if i >= run.len() {
            return hope;
        }
        let at = |f: &F, j: usize| f.holds(run, j, hope);
        match self {
            Self::Is(n) => run[i] == *n,
            Self::Not(a) => !a.holds(run, i, !hope),
            Self::Two("&&", a, b) => at(a, i) && at(b, i),
            Self::Two("||", a, b) => at(a, i) || at(b, i),
            Self::Two("->", a, b) => !a.holds(run, i, !hope) || at(b, i),
            Self::One("next", a) => at(a, i + 1),
            // including the position after the last event
            Self::One("always", a) => (i..=run.len()).all(|j| at(a, j)),
            Self::Two("until", a, b) => at(b, i) || at(a, i) && self.holds(run, i + 1, hope),
            Self::Two("never before", a, b) => at(b, i) || !a.holds(run, i, !hope) && self.holds(run, i + 1, hope),
            Self::Two("never after", a, b) => {
                let came = |j: usize| (0..j).any(|k| b.holds(run, k, !hope));
                hope && (i..run.len()).all(|j| !came(j) || !a.holds(run, j, !hope))
            }
            Self::One("once", a) => (0..=i).any(|j| at(a, j)),
            Self::One("historically", a) => (0..=i).all(|j| at(a, j)),
            Self::One("previous", a) => i > 0 && at(a, i - 1),
            Self::Two("since", a, b) => (0..=i).any(|j| at(b, j) && (j + 1..=i).all(|k| at(a, k))),
            Self::One(op, _) | Self::Two(op, ..) => unreachable!("{op}"),
        }
    }
}

fn script(formula: &str) -> String {
    format!("ltl f {{ {formula} }}\nviolation:f {{ @v = count(); }}")
}

#[test]
fn machines_report_what_the_formula_says() {
    let (mut machines, mut reports, mut refused, mut sizes) = (0, 0, 0, [0; 17]);
    for seed in 0..3000 {
        let mut s = Source::seeded(seed);
        let f = F::random(&mut s, 3, false);
        let items = parse(&script(&f.text())).unwrap_or_else(|e| panic!("{e:?}: {}", f.text()));
        let app = match resolve(&items, &Symbols::none(), 1) {
            Ok(app) => app,
            Err(e) => {
                let known = ["requires a future event", "about the past holds one", "states; a machine has 16"];
                assert!(known.iter().any(|k| e.what.contains(k)), "{}: {e:?}", f.text());
                refused += 1;
                continue;
            }
        };
        let def = &app.machines[0];
        let table = def.steps.as_ref().unwrap();
        machines += 1;
        sizes[table.len()] += 1;
        for _ in 0..6 {
            let (mut state, mut run) = (0_usize, Vec::new());
            for _ in 0..14 {
                let class = s.below(def.classes.len() as u64) as usize;
                run.push(PROBES.iter().position(|p| *p == def.classes[class].0).unwrap());
                let want = !f.holds(&run, 0, true);
                let found = table[state][class];
                assert_eq!(found.is_none(), want, "seed {seed}: {} on {run:?}", f.text());
                state = found.map_or(0, usize::from);
                if want {
                    reports += 1;
                    run.clear();
                }
            }
        }
    }
    println!("{machines} machines by states {sizes:?}, {refused} formulas refused, {reports} reports");
    assert!(machines > 800 && reports > 5000 && sizes[3..].iter().sum::<u32>() > 100, "{machines} {reports} {sizes:?}");
}

/// The numbers that a script prints for events on the host; an event is a use, a key and a time.
fn printed(app: &App, events: &[(usize, u32, u64)]) -> Vec<Vec<i64>> {
    let host = layout(app, &[], &Cut::host(app)).unwrap();
    let mut runtime = Runtime::new(app, &host);
    for (u, key, time) in events {
        let args = Args::of(&vec![*key; app.uses[*u].captures.len()]);
        runtime.take(&Event { id: host.shares[*u].event, args, time: Some(*time as u32), ..Event::default() });
    }
    runtime.end(1 << 20);
    let numbers = |o: Output| match o {
        Output::Text { parts, .. } => {
            Some(parts.iter().filter_map(|p| if let TextPart::Number(n) = p { Some(*n) } else { None }).collect())
        }
        Output::Table { .. } => None,
    };
    runtime.take_outputs().into_iter().filter_map(numbers).collect()
}

#[test]
fn a_keyed_formula_has_an_instance_per_key() {
    let (mut machines, mut reports, mut keys) = (0, 0, [0; 4]);
    for seed in 0..1500 {
        let mut s = Source::seeded(seed);
        let f = F::random(&mut s, 3, false);
        let text = format!("ltl f by arg0 {{ {} }}\nviolation:f {{ printf(\"%d %d\", key, time); }}", f.text());
        let Ok(app) = resolve(&parse(&text).unwrap(), &Symbols::none(), 1) else { continue };
        machines += 1;
        let classes: Vec<usize> =
            app.machines[0].classes.iter().map(|c| PROBES.iter().position(|p| *p == c.0).unwrap()).collect();
        let (mut events, mut runs, mut want) = (Vec::new(), [(); 4].map(|()| Vec::new()), Vec::new());
        for time in 0..60 {
            let (class, key) = (s.below(classes.len() as u64) as usize, s.below(4) as u32);
            let u = app.uses.iter().position(|u| u.consumer == Consumer::Class(0, class)).unwrap();
            events.push((u, key, time));
            // the evaluator has a separate run for each key
            let run = &mut runs[key as usize];
            run.push(classes[class]);
            if !f.holds(run, 0, true) {
                run.clear();
                keys[key as usize] += 1;
                want.push(vec![i64::from(key), time as i64]);
            }
        }
        reports += want.len();
        assert_eq!(printed(&app, &events), want, "seed {seed}: {text}");
        // on the chip: the node has a state for each key
        let mut cut = Cut::host(&app);
        cut.machines[0] = true;
        let laid = layout(&app, &[NodeKind::Machine(16)], &cut).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(matches!(&laid.rules[0], Rules::Machine(Some(t)) if t.by_key));
    }
    println!("{machines} formulas by key, {reports} reports");
    assert!(machines > 800 && reports > 4000 && keys.iter().all(|k| *k > 500), "{machines} {reports} {keys:?}");
}

#[test]
fn a_keyed_log_has_the_last_events_of_its_key() {
    let text = |ending: &str| {
        format!("log g by arg0 {{ keep pc:4096, pc:8192 {ending} pc:12288 }} log:g {{ printf(\"%d %d %d\", key, step, time); }}")
    };
    for (seed, ending) in (0..40).flat_map(|n| [(n, "dump"), (n, "freeze")]) {
        let app = resolve(&parse(&text(ending)).unwrap(), &Symbols::none(), 1).unwrap();
        let mut s = Source::seeded(seed);
        let (mut events, mut kept, mut want) = (Vec::new(), [(); 3].map(|()| Vec::new()), Vec::new());
        let mut frozen = [false; 3];
        for time in 0..600 {
            let (u, key) = (if s.percent(4) { 2 } else { s.below(2) as usize }, s.below(3) as usize);
            events.push((u, key as u32, time));
            if frozen[key] {
                continue;
            }
            kept[key].push(vec![key as i64, u as i64, time as i64]);
            if u == 2 && ending == "dump" {
                let all = std::mem::take(&mut kept[key]);
                want.extend(all[all.len().saturating_sub(32)..].to_vec());
            }
            frozen[key] = u == 2 && ending == "freeze";
        }
        // frozen logs are reported at the end, key by key
        for key in (0..3).filter(|k| frozen[*k]) {
            want.extend(kept[key][kept[key].len().saturating_sub(32)..].to_vec());
        }
        assert!(want.len() > 8);
        assert_eq!(printed(&app, &events), want, "seed {seed}, {ending}");
    }
}

fn table(formula: &str) -> Vec<Vec<Option<u8>>> {
    let items = parse(&script(formula)).unwrap();
    let app = resolve(&items, &Symbols::none(), 1).unwrap();
    app.machines[0].steps.clone().unwrap()
}

#[test]
fn tables_are_those_worked_by_hand() {
    // p must be followed by q: waiting for p (or q), then for q
    assert_eq!(table("always (pc:1 -> next pc:2)"), [[Some(1), Some(0)], [None, Some(0)]]);
    // q ends it
    let three = table("(pc:1 until pc:2) && (pc:3 || !pc:3)");
    assert_eq!(three, [[Some(0), Some(1), None], [Some(1), Some(1), Some(1)]]);
    // every event is one of the two
    assert_eq!(table("pc:1 until pc:2"), [[Some(0), Some(0)]]);
    assert_eq!(table("never pc:1 after pc:2"), [[Some(0), Some(1)], [None, Some(1)]]);
    // the first event is allowed, a second one is a violation
    assert_eq!(table("never pc:1 after pc:1"), [[Some(1)], [None]]);
    assert_eq!(table("always (pc:1 -> once pc:2)"), [[None, Some(1)], [Some(1), Some(1)]]);
    // unlock only after lock and before the next unlock
    let held = "always (pc:2 -> previous (!pc:2 since pc:1))";
    assert_eq!(table(held), [[None, Some(1)], [Some(0), Some(1)]]);
}

#[test]
fn invalid_or_too_large_formulas_are_reported() {
    let wrong = |formula: &str| {
        let text = script(formula);
        let app = parse(&text).and_then(|items| resolve(&items, &Symbols::none(), 1));
        app.unwrap_err().in_script("x.dx", &text).to_string()
    };
    assert!(wrong("!always pc:1").contains("x.dx:1:10: `always` here requires a future event"));
    assert!(wrong("(always pc:1) -> pc:2").contains("it may follow `->`"));
    assert!(wrong("once next pc:1").contains("x.dx:1:9: an operator about the past holds one about the future"));
    let far = format!("always (pc:1 -> {} pc:2)", "next ".repeat(5));
    let told = wrong(&far);
    assert!(
        told.contains("`always (pc:1 -> next next next next next pc:2)` needs 32 states; a machine has 16"),
        "{told}"
    );
    let keyed = |text: &str| {
        parse(text).and_then(|i| resolve(&i, &Symbols::none(), 1)).unwrap_err().in_script("x.dx", text).to_string()
    };
    assert!(keyed("ltl f by value { always (trap -> next pc:1) }").contains("x.dx:1:10: `trap` has no field `value`"));
    assert!(keyed("ltl f by arg0 + 1 { never pc:1 }").contains("a key is a field: arg0, core, ..."));
    assert!(keyed("log l by arg0 { keep pc:1(arg1) dump pc:2 }")
        .contains("log l has a key after `by`; its probes cannot have one"));
    assert!(wrong("always").contains("expected a probe, found `}`"));
    assert!(wrong("pc:1 until").contains("expected"));
    let deep = wrong(&format!("{}pc:1", "!".repeat(80)));
    assert!(deep.contains("nested deeper than 64"), "{deep}");
    let many: Vec<String> = (0..70).map(|n| format!("next pc:{n}")).collect();
    assert!(wrong(&many.join(" && ")).contains("has 70 probes; a machine has 16 classes"));
    assert!(wrong(&format!("{}pc:1", "next ".repeat(61))).contains("has more than 60 operators"));
}
