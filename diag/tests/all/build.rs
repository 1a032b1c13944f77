//! Applications built as Rust values equal those of scripts: the scripts that come with Goshawk, and random ones

use diag::app::App;
use diag::build::*;
use diag::parse::parse;
use diag::resolve::resolve;
use diag::symbols::Symbols;
use sim::stimulus::Source;

const CLOCK: u64 = 50_000_000;

/// Clears positions, which refer to a text.
fn placeless(mut app: App) -> App {
    app.uses.iter_mut().for_each(|u| u.at = 0);
    app.notes.iter_mut().for_each(|n| n.at = 0);
    app
}

/// Checks that a script and a built application are the same, through the built one's text and without it.
fn same(text: &str, built: &Script, symbols: &Symbols) {
    let parsed = parse(text).and_then(|items| resolve(&items, symbols, CLOCK));
    let want = placeless(parsed.unwrap_or_else(|e| panic!("{e:?} in {text}")));
    let got = built.resolve(symbols, CLOCK).unwrap_or_else(|e| panic!("{e} of {text}"));
    assert_eq!(placeless(got), want, "{text}\nis not\n{built}");
    let items = resolve(built.items(), symbols, CLOCK).unwrap_or_else(|e| panic!("{e:?} of {text}"));
    assert_eq!(placeless(items), want, "{text}");
}

fn account(script: Script) -> Script {
    script.txn("account", call("get_balance").key(arg(0)), ret("set_balance").key(arg(0)))
}

fn along(name: &str) -> Script {
    let s = Script::new();
    match name {
        "atomic" => s
            .ltl("atomic", always(happens(call("get_balance")).implies(next(ret("set_balance")))))
            .on(violation("atomic"), [map("broken").by(state()).by(step()).count()]),
        "calls" => s
            .on(ret("cut"), [map("cut").stats(elapsed())])
            .on(ret("archive"), [map("archive").stats(elapsed()), map("archive_clocks").hist(elapsed())])
            .on(ret("mutex_lock"), [map("mutex_lock").stats(elapsed())]),
        "interrupts" => s
            .span("latency", call("software_interrupt").key(arg(0)), interrupt(3).key(core()))
            .on(span("latency"), [map("latency").hist(elapsed())])
            .span("handler", trap().key(core()), trap_return().key(core()))
            .on(span("handler"), [map("handler").hist(elapsed())]),
        "locks" => {
            s.on(ret("mutex_lock"), [map("locks").by(arg(0)).stats(elapsed())]).on(end(), [map("locks").top(10)])
        }
        "messages" => s
            .on(call("get_balance"), [printf("core %d: get_balance(%d)", [core(), arg(0)])])
            .on(ret("set_balance"), [printf("core %d: set_balance(%d, %d)", [core(), arg(0), arg(1)])]),
        "nested" => s
            .machine(
                "order",
                [state_of("free", [(ret("mutex_lock"), "held")]), state_of("held", [(call("mutex_unlock"), "free")])],
            )
            .on(violation("order"), [map("violations").by(state()).by(step()).count()]),
        "postmortem" => account(s)
            .log(
                "before",
                [call("get_balance").key(arg(0)), ret("set_balance").key(arg(0))],
                freeze(violation("account")),
            )
            .on(log("before"), [printf("%d: core %d step %d thread %d", [time(), core(), step(), key()])]),
        "race-count" => account(s).on(violation("account"), [map("races").count()]),
        "race" => account(s).on(violation("account"), [map("races").by(key()).by(owner()).count()]),
        "rate" => s
            .on(call("archive"), [map("chunks").by(core()).count()])
            .on(every(Period::Ms(1)), [printf("clock %d", [time()]), map("chunks").print(), map("chunks").clear()]),
        "stack" => {
            s.on(any([call("archive"), call("mutex_lock"), call("lock")]), [map("lowest_sp").by(core()).min(sp())])
        }
        "writers" => {
            s.on(write("balance"), [map("writers").by(field("pc")).count(), map("values").by(field("pc")).max(value())])
        }
        other => panic!("{other} is not built"),
    }
}

#[test]
fn bundled_scripts_are_built_the_same() {
    for (name, text) in diag::scripts::SCRIPTS {
        let program = ["bank", "lockcont", "irq"].into_iter().find(|p| {
            let symbols = Symbols::parse(programs::find(p).unwrap().elf).unwrap();
            parse(text).and_then(|items| resolve(&items, &symbols, CLOCK)).is_ok()
        });
        let symbols = Symbols::parse(programs::find(program.unwrap()).unwrap().elf).unwrap();
        same(text, &along(name), &symbols);
    }
}

/// A random value in two forms: as script text, and built. Text marked `tight` needs no parentheses next to any
/// operator.
fn number(s: &mut Source) -> (String, Value) {
    let n = s.bits(8) as i32 - 100;
    (n.to_string(), Value::from(n))
}

fn term(s: &mut Source, depth: u32) -> (String, Value) {
    match s.below(if depth == 0 { 5 } else { 18 }) {
        0 => ("core".into(), core()),
        1 => ("time".into(), time()),
        2 => ("arg1".into(), arg(1)),
        3 => ("sp".into(), sp()),
        4 => number(s),
        5 => {
            let (text, value) = term(s, depth - 1);
            (format!("!({text})"), !value)
        }
        6 => {
            let (text, value) = term(s, depth - 1);
            (format!("~({text})"), value.invert())
        }
        n => {
            let ((a, va), (b, vb)) = (term(s, depth - 1), term(s, depth - 1));
            let (op, value) = match n {
                7 => ("+", va + vb),
                8 => ("-", va - vb),
                9 => ("*", va * vb),
                10 => ("/", va / vb),
                11 => ("%", va % vb),
                12 => ("&", va & vb),
                13 => ("<<", va << vb),
                14 => ("==", va.is(vb)),
                15 => (">=", va.at_least(vb)),
                16 => ("||", va.or(vb)),
                _ => ("<", va.below(vb)),
            };
            (format!("({a} {op} {b})"), value)
        }
    }
}

fn formula(s: &mut Source, depth: u32) -> (String, Holds) {
    let probe = |s: &mut Source| match s.below(3) {
        0 => ("call:4096".to_string(), happens(call(4096))),
        1 => ("ret:8192".into(), happens(ret(8192))),
        _ => ("pc:0x3000".into(), happens(pc(0x3000))),
    };
    if depth == 0 {
        return probe(s);
    }
    let (a, fa) = formula(s, depth - 1);
    match s.below(8) {
        0 => (format!("!({a})"), !fa),
        1 => (format!("next ({a})"), next(fa)),
        2 => {
            let (b, fb) = probe(s);
            (format!("({a} && {b})"), fa.and(fb))
        }
        3 => {
            let (b, fb) = probe(s);
            (format!("({a} -> {b})"), fa.implies(fb))
        }
        4 => {
            let (b, fb) = probe(s);
            (format!("({a} until {b})"), fa.until(fb))
        }
        5 => {
            let (b, fb) = probe(s);
            (format!("({b} || {a})"), fb.or(fa))
        }
        _ => probe(s),
    }
}

fn random(s: &mut Source) -> (String, Script) {
    let (mut text, mut built) = (String::new(), Script::new());
    let mut named = Vec::new();
    if s.percent(40) {
        text += "txn t { open call:4096(arg0) close ret:0x2000(core) }\n";
        built = built.txn("t", call(4096).key(arg(0)), ret(0x2000).key(core()));
        named.push("t");
    }
    if s.percent(40) {
        let (of, holds) = formula(s, 2);
        let by = s.percent(40);
        text += &format!("ltl l{} {{ never ({of}) }}\n", if by { " by core" } else { "" });
        built = built.ltl("l", never(holds));
        built = if by { built.by(core()) } else { built };
    }
    if s.percent(30) {
        text += "machine m { a: call:4096+4 -> b, interrupt -> a; b: pc:12 -> a; }\n";
        let first = state_of("a", [(call(4096).plus(4), "b"), (interrupts(), "a")]);
        built = built.machine("m", [first, state_of("b", [(pc(12), "a")])]);
        named.push("m");
    }
    if s.percent(30) {
        let freezes = s.percent(50);
        text += &format!(
            "log g {{ keep call:4096(arg1), exception:2 {} trapret }}\n",
            ["dump", "freeze"][usize::from(freezes)]
        );
        let kept = [call(4096).key(arg(1)), exception(2).into()];
        built = built.log("g", kept, if freezes { freeze(trap_return()) } else { dump(trap_return()) });
        text += "log:g { printf(\"100%% of \\\"%x\\\"\\n\", key); }\n";
        built = built.on(log("g"), [printf("100%% of \"%x\"\n", [key()])]);
    }
    for name in named {
        text += &format!("violation:{name} {{ @bad[state, step]++; }}\n");
        built = built.on(violation(name), [map("bad").by(state()).by(step()).count()]);
    }
    for n in 0..1 + s.below(3) {
        let (name, point) = s.pick(&[("call:4096", call(4096)), ("pc:77+8", pc(77).plus(8)), ("trap", trap())]).clone();
        // a trap has no argument
        let arguments = name != "trap";
        let value = |s: &mut Source| loop {
            let found = term(s, 3);
            if arguments || !found.0.contains("arg1") {
                return found;
            }
        };
        let mut on = On::from(point);
        text += name;
        if s.percent(50) {
            let (of, predicate) = value(s);
            text += &format!(" /({of})/");
            on = on.when(predicate);
        }
        let ((of, v), (by, k)) = (value(s), value(s));
        let (summary, stmt) = match s.below(5) {
            0 => (format!("= sum({of})"), map(&format!("s{n}")).by(k).sum(v)),
            1 => (format!("= avg({of})"), map(&format!("s{n}")).by(k).avg(v)),
            2 => (format!("= hist({of})"), map(&format!("s{n}")).by(k).hist(v)),
            3 => ("= count()".into(), map(&format!("s{n}")).by(k).count()),
            _ => (format!("= {of}"), map(&format!("s{n}")).by(k).set(v)),
        };
        let mut body = vec![stmt];
        text += &format!(" {{ @s{n}[{by}] {summary};");
        if s.percent(30) {
            text += &format!(" printf(\"%d\", @s{n}[core] + 1);");
            body = vec![body.remove(0), printf("%d", [map(&format!("s{n}")).by(core()).get() + 1])];
            // averages and histograms are not numbers
            if summary.contains("avg") || summary.contains("hist") {
                body.pop();
                text.truncate(text.rfind(" printf").unwrap_or(text.len()));
            }
        }
        text += " }\n";
        built = built.on(on, body);
    }
    if s.percent(50) {
        text += "tick:5us { print(@s0, 3); clear(@s0); }\n";
        built = built.on(every(Period::Us(5)), [map("s0").top(3), map("s0").clear()]);
    }
    (text, built)
}

#[test]
fn random_scripts_are_built_the_same() {
    let (mut equal, mut refused) = (0, 0);
    for seed in 0..2000 {
        let mut s = Source::seeded(seed);
        let (text, built) = random(&mut s);
        let symbols = Symbols::none();
        match parse(&text).and_then(|items| resolve(&items, &symbols, CLOCK)) {
            Ok(_) => {
                same(&text, &built, &symbols);
                equal += 1;
            }
            // formulas with too many states, or that no run violates: both forms refuse them, with the same message
            Err(mistake) => {
                let other = built.resolve(&symbols, CLOCK).expect_err(&text);
                if !mistake.what.starts_with('`') {
                    assert_eq!(other.what, mistake.what, "{text}");
                }
                refused += 1;
            }
        }
    }
    println!("{equal} scripts are equal, {refused} are refused");
    assert!(equal > 1000 && refused > 20, "{equal} {refused}");
}
