//! Functions and variables of one name, in C, C++ and assembler code: all are found, or the message lists them

use crate::harness::{only_number, printed, ARGUMENTS, NAMES, OVERLOADS};
use diag::symbols::{SiteKind, Symbols};

fn count(elf: &[u8], probe: &str) -> i64 {
    only_number(elf, &format!("{probe} {{ @n = count(); }}"))
}

fn refused(elf: &[u8], script: &str) -> String {
    match printed(elf, script) {
        Err(message) => message,
        Ok(printed) => panic!("{script}: {printed:?}"),
    }
}

/// The counts follow from the loops in the sources.
#[test]
fn a_name_counts_every_call_of_its_function() {
    for (probe, want) in [
        // in main, and 10 through the pointer
        ("call:twice", 40),
        ("call:scaled", 30),
        ("call:scaled.constprop.0", 30),
        ("ret:scaled", 30),
        ("call:names.c:step", 30),
        ("call:names2.c:step", 60),
        ("call:*:step", 90),
        ("ret:*:step", 90),
        ("call:*step", 120),
        ("call:\"names2.c:step\"", 60),
        // two calls, of 20 and 1 iterations
        ("call:count_down", 2),
        ("ret:count_down", 2),
        ("pc:count_down", 21),
        ("write:names.c:hits", 30),
        ("write:names2.c:hits", 60),
        ("write:*:hits", 90),
        ("write:calls", 30),
    ] {
        assert_eq!(count(NAMES, probe), want, "{probe}");
    }
    for (probe, want) in [
        ("call:bank::Account::deposit*", 100),
        ("call:\"bank::Account::deposit(int, int)\"", 50),
        ("call:_ZN4bank7Account7depositEi", 50),
        ("call:bank::*", 100),
        ("call:*:deposit", 100),
        ("call:\"greater<int>\"", 50),
        ("call:greater*", 100),
        ("call:overloads.cpp:helper", 50),
        ("call:overloads2.cpp:helper", 150),
        ("ret:*:helper", 200),
        ("call:bump", 50),
        ("write:bump()::counter", 50),
        ("write:counter", 50),
    ] {
        let probe = probe.replace("write:bump()::counter", "write:\"bump()::counter\"");
        assert_eq!(count(OVERLOADS, &probe), want, "{probe}");
    }
}

#[test]
fn a_name_of_several_is_refused_with_the_ways_to_name_one() {
    for (elf, script, want) in [
        (
            NAMES,
            "call:step { @n = count(); }",
            "x.dx:1:1: `step` is the name of 2 functions: names.c:step at 0x80000054, names2.c:step at 0x80000200; \
             name one of them, or all with *:step",
        ),
        (NAMES, "write:hits { @n = count(); }", "`hits` is the name of 2 variables: names.c:hits at "),
        (NAMES, "call:main { @n[&step] = count(); }", "x.dx:1:16: `step` is the name of 2 functions"),
        (
            OVERLOADS,
            "call:bank::Account::deposit { @n = count(); }",
            "2 functions: \"bank::Account::deposit(int)\" at 0x80000078, \"bank::Account::deposit(int, int)\" at 0x8000008c; \
             name one of them, or all with *:bank::Account::deposit",
        ),
        (OVERLOADS, "call:greater { @n = count(); }", "\"greater<unsigned char>(unsigned char, unsigned char)\" at "),
        (OVERLOADS, "call:helper { @n = count(); }", "\"overloads2.cpp:helper(int)\" at "),
        (OVERLOADS, "call:bank::Account::withdraw { @n = count(); }", "no symbol `bank::Account::withdraw`"),
        (NAMES, "call:names3.c:step { @n = count(); }", "no symbol `names3.c:step`"),
    ] {
        let found = refused(elf, script);
        assert!(found.contains(want), "{script}\n{found}");
    }
    // what the message lists can be used
    assert_eq!(count(OVERLOADS, "call:\"overloads2.cpp:helper(int)\""), 150);
}

#[test]
fn what_an_inlined_copy_cannot_give_is_noted() {
    let with = |script: &str| printed(NAMES, script).unwrap();
    assert_eq!(with("call:twice { @n = count(); }").notes, Vec::<String>::new());
    // an argument is in a register only where the function is called
    let arguments = with("call:twice { @n[arg0 % 3] = count(); }");
    assert!(arguments.text.contains("10"), "{arguments:?}");
    assert_eq!(arguments.notes.len(), 1);
    assert!(
        arguments.notes[0]
            .starts_with("call:twice was inlined at 1 other location, where no register has its arguments"),
        "{arguments:?}"
    );
    assert!(arguments.notes[0].ends_with("not seen: 0x80000130 (main+0x3c)"), "{arguments:?}");
    let returns = with("ret:twice { @n = count(); }");
    assert!(
        returns.text.contains("10")
            && returns.notes[0].starts_with("twice was inlined at 1 other location, where it does not return")
    );
    // without debug information nothing is known of the copy
    let stripped = Symbols::parse(programs::find("bank").unwrap().elf).unwrap();
    let inlined = stripped.functions("bank_step").unwrap();
    assert!(!inlined.is_empty() && inlined.iter().all(|s| s.kind == SiteKind::Inlined));
}

#[test]
fn an_address_without_an_instruction_is_refused() {
    for (script, want) in [
        ("pc:twice+2 { @n = count(); }", "0x80000072 is inside of the instruction at 0x80000070 (twice)"),
        ("pc:twice+400 { @n = count(); }", "twice has 28 bytes; +400 is outside"),
        ("pc:0x80000001 { @n = count(); }", "0x80000001 is inside of the instruction at 0x80000000 (_start)"),
        ("pc:0x80000290 { @n = count(); }", "0x80000290 is not the address of an instruction"),
        ("pc:0x1000 { @n = count(); }", "0x1000 is not the address of an instruction"),
        ("call:0x80000002 { @n = count(); }", "0x80000002 is inside of the instruction"),
        ("pc:*:step+4 { @n = count(); }", "an offset needs one function"),
    ] {
        let found = refused(NAMES, script);
        assert!(found.contains(want) && found.ends_with('^'), "{script}\n{found}");
    }
    assert_eq!(count(NAMES, "pc:twice+4"), 10);
}

#[test]
fn members_and_lines_are_points() {
    let total = |probe: &str| count(NAMES, probe);
    assert_eq!(total("write:queue"), 90);
    assert_eq!(total("write:queue.depth"), 30);
    // 30 calls over 4 slots
    assert_eq!([0, 1, 2, 3].map(|n| total(&format!("write:queue.slots[{n}].owner"))), [8, 8, 7, 7]);
    assert_eq!(total("write:queue.slots"), 30);
    assert_eq!(total("write:queue.slots[1]"), 8);
    assert_eq!((total("write:queue.state"), total("read:queue.depth")), (30, 30));
    for (probe, want) in [
        ("write:queue.length", "queue: there is no member `length`; it has depth, slots, state"),
        ("write:queue.slots[4]", "queue: `[4]`: it has 4 elements"),
        ("write:queue.depth.x", "queue: there is no member `x`; it has none"),
        ("write:queue[0]", "queue: `[0]`: it is not an array"),
        ("line:names.c:1", "line 1 of names.c has no code; line "),
        ("line:none.c:1", "the program has no source file `none.c`; it has names.c, names2.c"),
        ("line:names.c", "`names.c` is not a source line; expected FILE:LINE"),
    ] {
        let found = refused(NAMES, &format!("{probe} {{ @n = count(); }}"));
        assert!(found.contains(want), "{probe}\n{found}");
    }
    let source = include_str!("../data/names.c");
    let line = |text: &str| 1 + source.lines().position(|l| l.contains(text)).unwrap();
    for (text, want) in [("return a - b;", 30), ("queue.depth++;", 30), ("total ^= x;", 40)] {
        assert_eq!(total(&format!("line:names.c:{}", line(text))), want, "{text}");
    }
}

/// `args.NAME` is the word that the function gets for the parameter, or is refused.
#[test]
fn parameters_are_in_the_registers_that_the_compiler_chose() {
    let sum = |elf, probe: &str, value: &str| only_number(elf, &format!("{probe} {{ @n = sum({value}); }}"));
    let wrong = |elf, probe: &str, name: &str| refused(elf, &format!("{probe} {{ @n = sum(args.{name}); }}"));
    let [optimised, plain] = ARGUMENTS;
    for (elf, probe, name, want) in [
        (optimised, "call:kept", "used", 190),
        (plain, "call:kept", "used", 190),
        (plain, "call:kept", "unused", 19_000),
        (optimised, "ret:kept", "used", 190),
        // after the address of the result
        (optimised, "call:filled", "first", 190),
        (plain, "call:filled", "first", 190),
        (plain, "ret:filled", "first", 190),
        // after a parameter of two registers
        (optimised, "call:after", "next", -190),
        // after `this`
        (OVERLOADS, "call:\"bank::Account::deposit(int, int)\"", "x", 1225),
        (OVERLOADS, "call:\"bank::Account::deposit(int, int)\"", "y", 150),
    ] {
        assert_eq!(sum(elf, probe, &format!("args.{name}")), want, "{probe} {name}");
    }
    let message = wrong(optimised, "call:kept", "unused");
    assert!(message.contains("`args.unused`: no register has it where kept.constprop.0 is entered"), "{message}");
    for (elf, name) in [(optimised, "wide"), (plain, "wide"), (plain, "next")] {
        let message = wrong(elf, "call:after", name);
        assert!(message.contains("is not a number in one register"), "{message}");
    }
    // of several functions, if it is the same word
    assert_eq!(sum(OVERLOADS, "call:*:helper", "args.x"), 1225 + 3825);
    let message = wrong(OVERLOADS, "call:greater*", "a");
    assert!(message.contains("name one of them"), "{message}");
}
