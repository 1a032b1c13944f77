//! Scripts with mistakes get one message with the position

use diag::parse::parse;
use diag::plan::fit;
use diag::resolve::resolve;
use diag::symbols::Symbols;
use sim::diag::chip::ChipParams;
use sim::diag::trigger::{GeneratorParams, Trigger};

fn wrong(script: &str) -> String {
    let elf = programs::find("bank").unwrap().elf;
    let symbols = Symbols::parse(elf).unwrap();
    let app = parse(script).and_then(|items| resolve(&items, &symbols, 50_000_000));
    match app {
        Err(e) => e.in_script("x.dx", script).to_string(),
        Ok(mut app) => fit(&mut app, &ChipParams::new(4), "x.dx", script).unwrap_err().to_string(),
    }
}

#[test]
fn mistakes_are_reported_with_their_position() {
    let cases = [
        ("", "x.dx:1:1: the script is empty"),
        ("call:get_balance { @n = count() ", "x.dx:1:33: expected `;` or `}`, found the end"),
        (
            "# one\ncall:get_balanc { @n = count(); }",
            "x.dx:2:1: the program has no symbol `get_balanc`: did you mean get_balance?",
        ),
        ("call:bank_step { @n = sum(arg0); }", "every call of call:bank_step was inlined, at 0x"),
        ("ret:bank_step { @n = count(); }", "every call of bank_step was inlined, at 0x"),
        ("call:balance { @n = count(); }", "balance is data; `call` needs a function"),
        ("write:main { @n = count(); }", "main is code; `write` needs a variable"),
        ("calls:main { @n = count(); }", "`calls` is not a probe; expected call, ret"),
        ("call:main { @n = counts(); }", "x.dx:1:18: `counts` is not known; expected count, sum"),
        ("call:main { @n = sum(); }", "count() has no value"),
        ("call:main { @n = sum(arg9); }", "x.dx:1:22: `call:main` has no field `arg9`; it has arg0 to arg7"),
        ("call:main { @n = sum(retval); }", "has no field `retval`"),
        ("call:main { @n = count(); @n = sum(arg0); }", "@n is written in another way before"),
        ("call:main { print(@m); }", "@m is never written"),
        ("call:main { printf(\"%d %q\", 1); }", "`%q` is not a placeholder"),
        ("call:main { printf(\"%d\", 1, 2); }", "the format has 1 placeholder; values given: 2"),
        ("call:main { printf(\"%d, 1); }", "this text has no end"),
        ("call:main { stop(); }", "`stop` is not a statement; expected `@map = ...`, `$name = ...`, `if`, "),
        ("call:main { @n = lhist(arg0, 5, 1, 1); }", "x.dx:1:18: lhist: 5 to 1 in steps of 1 is not a range"),
        ("call:main { @n = lhist(arg0, 5); }", "expected lhist(value, least, greatest, size)"),
        ("call:main { @n[$x] = count(); }", "x.dx:1:16: $x is not set before"),
        ("call:main { $x = 1; $x = \"a\"; }", "$x is a number in one place and a text in another"),
        ("call:main { @n = sum(probe); }", "x.dx:1:22: this is a text; a number is needed"),
        ("call:main { @n[1] = count(); @n[\"a\"] = count(); }", "key 1 of @n is a text here"),
        ("call:main { printf(\"%d\", func); }", "this is a text; %s shows it, not %d"),
        ("call:main /probe == 1/ { @n = count(); }", "a number cannot be compared with a text"),
        ("call:main { @n = sum(arg0 ? 1 : \"a\"); }", "one of the two is a number and the other a text"),
        ("call:main { if (arg0) @n = count(); }", "expected `{`, found `@`"),
        ("call:get_balance { @n = sum(args.none); }", "call:get_balance has no parameter `none`; it has src"),
        ("write:balance { @n = sum(args.x); }", "`args` are those of call: and ret:"),
        ("span s { from tick:1ms(time) to call:main(arg0) }", "a tick cannot be used here"),
        ("call:main /@s == 1/ { @s = stats(arg0); }", "@s is not a number; it can be printed"),
        ("violation:t { printf(\"x\"); }", "there is no `txn`, `machine` or `ltl` of the name `t`"),
        ("txn t { open call:main close ret:main(arg0) }", "a key in parentheses is needed after this probe"),
        ("machine m { a: call:main -> b; }", "machine m has no state `b`"),
        ("tick:5 { }", "`5` is not a period"),
        ("tick:1ms { } tick:50001cycles { }", "x.dx:1:14: the periods of the ticks have only 1 cycles in common"),
        ("call:main+2000000 { @n = count(); }", "+2000000 is outside"),
        (
            "call:main { @n = sum(arg0 + arg1 + arg2 + arg3 + arg4 + arg5); }",
            "this needs 6 words of call:main; an event carries 5",
        ),
        (
            "call:main { @n = count(); } $",
            "expected a probe (call:NAME), `txn`, `span`, `machine`, `ltl` or `log`, found `$`",
        ),
        ("call:main { é }", "unexpected `é`"),
    ];
    for (script, want) in cases {
        let found = wrong(script);
        assert!(found.contains(want), "{script}\n{found}\nwanted {want}");
    }
    let symbols = Symbols::parse(programs::find("bank").unwrap().elf).unwrap();
    let main = symbols.find("main").unwrap().0;
    let starts = (0..).filter(|n| symbols.instruction_at(main + n) == Some(main + n)).take(17);
    let many: String = starts.map(|n| format!("pc:main+{n} {{ @n[{n}] = count(); }}\n")).collect();
    assert!(
        wrong(&many).contains(
            "x.dx:17:1: the script needs 17 triggers, one for each point of the program; an event generator has 16: without \
             pc:main+46 (line 17) it fits"
        ),
        "{}",
        wrong(&many)
    );
    assert!(wrong("call:main {\n\t@n = counts(); }").ends_with("\n  \t@n = counts(); }\n  \t     ^"));
    let maps: String = (0..33).map(|n| format!("call:main {{ @n{n} = count(); }}\n")).collect();
    assert!(wrong(&maps).contains("x.dx:33:1: the script has 33 maps; it can have 32"), "{}", wrong(&maps));
    let nested = format!("call:main {{ {} }}", "if (1) { ".repeat(100));
    assert!(wrong(&nested).contains("nested deeper"));
    let deep = format!("call:main /{}1{}/ {{ }}", "(".repeat(500), ")".repeat(500));
    assert!(wrong(&deep).contains("nested deeper"));
}

#[test]
fn random_text_is_refused_or_parsed() {
    let mut s = sim::stimulus::Source::seeded(5);
    let words = [
        "call", ":", "main", "{", "}", "@n", "=", "count", "(", ")", ";", "/", "arg0", "==", "1", "txn", "[", "]",
        "\"", "%d", "->", ",", "$x", "if", "else", "?", "++", "+=", "lhist", "delete", "exit", "*", "-", "int8",
        "probe",
    ];
    for _ in 0..20_000 {
        let text: String = (0..s.below(30)).map(|_| format!("{} ", s.pick(&words))).collect();
        let _ = parse(&text).map(|items| resolve(&items, &Symbols::none(), 1));
    }
}

fn app(program: &str, script: &str) -> diag::app::App {
    let symbols = Symbols::parse(programs::find(program).unwrap().elf).unwrap();
    resolve(&parse(script).unwrap(), &symbols, 50_000_000).unwrap()
}

#[test]
fn a_variable_ends_behind_an_offset_where_it_ends_without() {
    let last = |script| match app("bank", script).uses[0].trigger {
        Trigger::Data { first, last, .. } => (first, last),
        other => panic!("{other:?}"),
    };
    let (first, end) = last("write:mailbox { @n = count(); }");
    assert_eq!(last("write:mailbox+8 { @n = count(); }"), (first + 8, end));
}

/// Where calls are distinguished from loop iterations, and the note where a chip cannot.
#[test]
fn a_loop_at_the_entry_of_a_function_is_no_call() {
    // try_lock starts with lr.w, to which the branch after a failed sc.w jumps
    let fitted = |script: &str, params: &ChipParams| {
        let mut app = app("bank", script);
        fit(&mut app, params, "x.dx", script).unwrap();
        let entries =
            app.uses.iter().filter(|u| matches!(u.trigger, Trigger::Entry { .. } | Trigger::ReturnFrom { .. })).count();
        (entries, app.notes.into_iter().map(|n| (n.at, n.what)).collect::<Vec<_>>())
    };
    let full = ChipParams::new(4);
    let call = "call:try_lock { @n = count(); }";
    assert_eq!(fitted(call, &full), (1, vec![]));
    assert_eq!(fitted("ret:try_lock { @n = count(); }", &full), (1, vec![]));
    for script in ["ret:main { @n = count(); }", "pc:try_lock { @n = count(); } call:main { @m = count(); }"] {
        assert_eq!(fitted(script, &full), (0, vec![]));
    }
    let lite = ChipParams { generator: GeneratorParams::LITE, ..full.clone() };
    let (entries, notes) = fitted(call, &lite);
    assert_eq!((entries, notes.len(), notes[0].0), (0, 1, 0));
    assert!(notes[0].1.ends_with("each iteration counts as a call"), "{notes:?}");
    // data come first
    let data = "write:mailbox { @a = count(); } read:mailbox { @b = count(); } write:mailbox+4 { @c = count(); } ";
    assert_eq!(fitted(&format!("{call} {data}"), &full), (1, vec![]));
    // two variables share a trigger; a load and a store do not
    assert_eq!(fitted(&format!("{call} {data} read:mailbox+4 {{ @d = count(); }}"), &full), (1, vec![]));
    let others = "access:mailbox { @d = count(); } trap { @e = count(); }";
    let (entries, notes) = fitted(&format!("{call} {data} {others}"), &full);
    assert_eq!((entries, notes.len()), (0, 1));
    // a return is detected without it
    assert_eq!(fitted(&format!("ret:try_lock {{ @n = count(); }} {data} {others}"), &full), (0, vec![]));
}
