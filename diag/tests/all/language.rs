//! Statements and operators of scripts: what they print on a program whose values follow from its source, on the chip,
//! with all of it on the host, and without a chip

use crate::harness::{printed, Observed, NAMES};
use diag::build::{self, arg, assign, begin, call, line, map, scratch, when, Script};
use diag::parse::parse;

fn text(script: &str) -> String {
    printed(NAMES, script).unwrap_or_else(|e| panic!("{script}\n{e}")).text
}

/// Lines without the spaces between columns.
fn lines(script: &str) -> Vec<String> {
    text(script).lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn maps_are_printed_at_the_end_without_being_asked() {
    // difference is called with 0 to 29 and 10
    assert_eq!(lines("call:difference { @n = count(); @last = arg0; }"), ["@n count", "30", "@last value", "29"]);
    // not if the script prints it, or clears it at its end
    assert_eq!(lines("call:difference { @n = count(); } end { clear(@n); }"), Vec::<String>::new());
    assert_eq!(lines("call:difference { @n[arg0] = count(); } end { print(@n, 1); }").len(), 3);
}

#[test]
fn entries_change_and_are_deleted() {
    let script =
        "call:difference { @sum += arg0; @down -= 1; @twice[arg0 % 2]++; @twice[arg0 % 2]--; @up++; @bits |= arg0; }
        call:difference /arg0 >= 3/ { delete(@all[arg0 - 3]); @all[arg0] = arg0 * 2; }";
    let want = [
        "@sum value",
        "435",
        "@down value",
        "-30",
        "@twice value",
        "0 0",
        "1 0",
        "@up count",
        "30",
        "@bits value",
        "31",
        "@all value",
        "27 54",
        "28 56",
        "29 58",
    ];
    assert_eq!(lines(script), want);
    let script = "call:difference { @m[arg0 % 2, 1] = 1; } end { delete(@m, 0, 1); print(@m); delete(@m); print(@m); }";
    assert_eq!(lines(script), ["@m value", "1, 1 1", "@m value"]);
}

#[test]
fn maps_are_asked_for_keys_and_sizes() {
    // 0 to 29
    let script = "call:difference { @times[arg0 % 7] += 1; if (has_key(@times[5]) && !has_key(@times, 6)) { @at = arg0; } @size = len(@times); }
        call:difference /len(@values) < 3/ { @values[arg0] = hist(arg0); }
        end { print(@at); print(@size); printf(\"%d %d %d\", len(@values), has_key(@values[2]), has_key(@values[3])); }";
    let all = lines(script);
    assert_eq!(all[..5], ["@at value", "5", "@size value", "7", "3 1 0"]);
    let wrong = printed(NAMES, "call:difference { @n[arg0] = count(); printf(\"%d\", len(@n[1])); }").unwrap_err();
    assert!(wrong.to_string().contains("`len` takes a map without a key: `len(@n)`"), "{wrong}");
}

#[test]
fn values_have_signs() {
    let script = "ret:difference { @least = min((int32)retval); @unsigned = max(retval); @by = hist((int32)retval); }";
    let all = lines(script);
    assert_eq!(all[..4], ["@least min", "-10", "@unsigned max", "4294967295"]);
    // -10 to 19
    assert_eq!(
        all[6..10].iter().map(|l| l.split(" #").next().unwrap()).collect::<Vec<_>>(),
        ["[-11, -9) 1", "[-9, -7) 2", "[-7, -6) 1", "[-6, -5) 1"]
    );
    assert!(all.iter().any(|l| l.starts_with("[0, 1) 1 ")) && all.last().unwrap().starts_with("[16, 20) 4 "));
    // state is a signed char of 0 to -29
    assert_eq!(
        lines("write:queue.state { @least = min((int8)value); @most = max((uint8)value); }")[1..4],
        ["-29", "@most max", "255"]
    );
    // a parameter by its name
    assert_eq!(lines("call:difference { @a = sum(args.a); @b = max(args.b - 20); }")[1..4], ["435", "@b max", "-10"]);
    assert_eq!(lines("ret:difference { @a = sum(args.a); }")[1], "435");
}

#[test]
fn conditions_choose() {
    let script = "call:difference { if (arg0 < 10) { @low = count(); } else if (arg0 == 20) { @twenty = count(); } else { @rest = count(); } }";
    assert_eq!(lines(script), ["@low count", "10", "@twenty count", "1", "@rest count", "19"]);
    let nested = "call:difference { $x = arg0 > 14 ? arg0 - 14 : 14 - arg0; if ($x > 10) { $x = 100; @far = count(); } @sum = sum($x); }";
    // 0 to 3 and 25 to 29 are far
    let near: i64 = (0..30).map(|n: i64| (n - 14).abs()).filter(|x| *x <= 10).sum();
    assert_eq!(lines(nested), ["@far count", "9", "@sum sum", &(near + 900).to_string()]);
}

/// A body of sums is divided, so that each can be on the chip.
#[test]
fn conditions_and_names_of_fields_are_on_the_chip() {
    let script = "call:difference { $who = arg0; if ($who < 10) { @low[core] = count(); } else { @rest[core] = count(); } @all = hist($who); }";
    let divided = script.replace("if ($who", "if (arg0");
    let planned = |script: &str| Observed::open(NAMES, script).unwrap().planned().cut;
    let cut = planned(&divided);
    assert_eq!((cut.maps, cut.filters), (vec![true, true, true], vec![true, true, false]));
    // a condition of a variable is not divided, and prints the same
    assert_eq!(planned(script).maps, [false, false, false]);
    assert_eq!(lines(script), lines(&divided));
}

#[test]
fn a_span_feeds_several_maps_on_the_chip() {
    let script = "span s { from call:difference(arg0) to ret:difference(arg0) }
        span:s { @h = hist(elapsed); @by[key] = stats(elapsed); @n = count(); }";
    let observed = Observed::open(NAMES, script).unwrap();
    let cut = observed.planned().cut;
    assert_eq!((cut.maps, cut.spans), (vec![true, true, true], vec![true]));
    let all = lines(script);
    assert_eq!((all[0].as_str(), all[1].as_str()), ("@h count", "30"));
    assert_eq!(all[all.len() - 2..], ["@n count", "30"]);
    assert_eq!(all.iter().filter(|l| l.split(' ').nth(1) == Some("1")).count(), 30);
    // with a text, too
    let printed = script.replace("@n = count();", "@n = count(); printf(\"%d\", key);");
    assert_eq!(lines(&printed).iter().filter(|l| l.parse::<u32>().is_ok()).count(), 32);
}

#[test]
fn texts_are_keys() {
    let script = "call:difference, ret:difference { @at[probe, arg0 == 5 ? \"five\" : \"other\"] = count(); }";
    let want = [
        "@at count",
        "call:difference, five 1",
        "call:difference, other 29",
        "ret:difference, five 1",
        "ret:difference, other 29",
    ];
    let mut found = lines(script);
    found[1..].sort();
    assert_eq!(found, want);
    assert_eq!(lines("call:*:step { @[func] = count(); }"), ["@ count", "names.c:step 30", "names2.c:step 60"]);
    let source = include_str!("../data/names.c");
    let depth = 1 + source.lines().position(|l| l.contains("queue.depth++")).unwrap();
    let by_line = lines("write:queue { @[line] = count(); @f[func] = count(); }");
    assert!(
        by_line.contains(&format!("names.c:{depth} 30")) && by_line.contains(&"enqueue 90".to_string()),
        "{by_line:?}"
    );
    // of one point it is known, so that the chip can count
    let observed = Observed::open(NAMES, "call:twice, call:difference { @[func] = count(); }").unwrap();
    assert_eq!(observed.planned().cut.maps, [false], "twice is at two places");
    let observed = Observed::open(NAMES, "call:difference { @[func] = count(); }").unwrap();
    assert_eq!(observed.planned().cut.maps, [true]);
    assert_eq!(
        lines("call:difference /func == \"difference\"/ { @m[(1, \"a\")] = count(); }"),
        ["@m count", "1, a 30"]
    );
}

#[test]
fn a_script_has_a_beginning_and_can_end_itself() {
    let script = "BEGIN { @limit = 5; printf(\"begins\"); } call:difference { @n++; if (@n >= @limit) { printf(\"%d\", arg0); exit(); @n++; } }
        call:difference { @after = count(); } END { printf(\"ends\"); }";
    assert_eq!(lines(script), ["begins", "4", "ends", "@limit value", "5", "@n count", "5", "@after count", "4"]);
    // the end has the time of the exit
    let times = text("call:difference /arg0 == 3/ { printf(\"%d\", time); exit(); } end { printf(\"%d\", time); }");
    let times: Vec<&str> = times.lines().collect();
    assert_eq!(times[0], times[1]);
}

#[test]
fn ticks_of_several_periods_share_the_chips_tick() {
    let script = "tick:400cycles { @fast++; } tick:1000cycles { @slow++; } BEGIN { @fast = 0; @slow = 0; }";
    let observed = Observed::open(NAMES, script).unwrap();
    assert_eq!((observed.app.tick, observed.app.clauses[0].every, observed.app.clauses[1].every), (Some(200), 2, 5));
    // a tick is at another place among the events of the chip, so that only the runs without one are compared
    let text = observed.text(&observed.reference());
    let all: Vec<&str> = text.lines().map(str::trim).collect();
    let number = |n: usize| all[n].parse::<u64>().unwrap();
    assert_eq!(number(1) * 400 / 1000, number(3), "{all:?}");
    assert!(number(3) > 3);
}

#[test]
fn distributions_have_ends_and_quantiles() {
    let script = "call:difference { @l = lhist(arg0, 5, 25, 10); @q = quantiles(arg0); }";
    let all = lines(script);
    let cells: Vec<&str> = all.iter().map(|l| l.split(" #").next().unwrap()).collect();
    // of 0 to 29 the 15th is 14, the 27th 26, the 30th 29, each with its bucket
    assert_eq!(
        cells,
        [
            "@l count",
            "30",
            "[.., 5) 5",
            "[5, 15) 10",
            "[15, 25) 10",
            "[25, ..) 5",
            "@q count p50 p90 p99",
            "30 15 27 31"
        ]
    );
    let planned = |script: &str| Observed::open(NAMES, script).unwrap().planned().cut.maps;
    assert_eq!(planned("call:difference { @q = quantiles(arg0); }"), [true]);
    assert_eq!(planned("call:difference { @l = lhist(arg0, 5, 25, 10); }"), [false]);
    assert_eq!(lines("call:difference { @q = quantiles(arg0); }")[..], all[6..]);
}

#[test]
fn texts_have_widths() {
    let script = "call:difference /arg0 == 12/ { printf(\"[%5d][%-5d][%05d][%x][%04x][%12s][%-4s]\", arg0, arg0, -3, arg0, 255, &main, \"ab\"); }";
    assert_eq!(text(script), "[   12][12   ][-0003][c][00ff][        main][ab  ]\n");
}

#[test]
fn built_scripts_are_those_of_their_text() {
    let script = Script::new()
        .on(begin(), [map("limit").set(5_u32)])
        .on(
            call("difference").when(arg(0).above(2_u32)),
            [
                assign("x", arg(0).above(10_u32).choose(1_u32, arg(0))),
                when(scratch("x").is(1_u32), [map("n").by("one").increment()], [build::exit()]),
                map("l").lhist(arg(0), -5..10, 5),
                map("q").quantiles(arg(1)),
                map("n").by("one").delete(),
            ],
        )
        .on(line("names.c", 40), [map("line").by(build::field("func")).count()]);
    let text = script.to_string();
    let again = parse(&text).unwrap();
    let shown: String = again.iter().map(|i| format!("{i}\n")).collect();
    assert_eq!(shown, text);
    assert!(
        text.contains("lhist(arg0, -5, 10, 5)") && text.contains("if (($x == 1)) { @n[\"one\"]++; } else { exit(); }"),
        "{text}"
    );
}
