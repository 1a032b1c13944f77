//! `goshawk diag`: output and exit codes

use crate::common::Place;
use std::path::Path;
use std::process::Command;

const SHORT: &str = "--max-instructions 400000";

#[test]
fn chip_and_host_print_the_same() {
    let place = Place::new();
    for (script, program) in [("locks", "lockcont --harts 2"), ("writers", "bank --harts 2"), ("nested", "lockcont")] {
        let text = place.good(&format!("diag test builtin:{script} builtin:{program} {SHORT}"));
        assert!(text.starts_with("chip and host  equal"), "{text}");
    }
    let json = place.good(&format!("diag test builtin:locks builtin:lockcont {SHORT} --json"));
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((object["equal"].as_bool(), object["lost"].as_u64()), (Some(true), Some(0)));
}

#[test]
fn outputs_have_the_form_that_was_asked_for() {
    let place = Place::new();
    let run = |format: &str| place.output(&format!("diag run builtin:messages builtin:bank {SHORT} --format {format}"));
    let text = String::from_utf8(run("text").stdout).unwrap();
    assert!(text.starts_with("core 0: get_balance(") && text.contains("\nlost: "), "{text}");
    let json = String::from_utf8(run("json").stdout).unwrap();
    assert!(json.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()));
    assert_eq!(json.lines().count(), text.lines().count());
    let csv = run("csv").stdout;
    let rows = csv::Reader::from_reader(&csv[..]).records().map(|r| r.unwrap().len()).collect::<Vec<_>>();
    assert!(rows.len() + 1 > text.lines().count() - 1 && rows.iter().all(|n| *n == 6));
    assert_eq!(run("perfetto").stdout[0], 0x0a);
}

#[test]
fn a_log_says_what_the_run_said() {
    let place = Place::new();
    let run = place.good(&format!("diag run builtin:messages builtin:bank {SHORT} --log x.dlog"));
    let replay = |place: &Place| place.output("diag replay builtin:messages builtin:bank --log x.dlog");
    assert_eq!(String::from_utf8(replay(&place).stdout).unwrap(), run);
    let other = place.output("diag replay builtin:race builtin:bank --log x.dlog");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("x.dlog: is of another script"));
    let path = place.path().join("x.dlog");
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.clone();
    let replayed = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let output = replay(&place);
        assert_eq!(output.status.code(), Some(2));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let at = bytes.len() - 200;
    bytes[at] ^= 1;
    let [text, err] = replayed(&bytes);
    assert!(err.contains("x.dlog: 1 frames are missing"), "{err}");
    assert!(text.ends_with("lost of ret:set_balance: at most 1\n"), "{text}");
    let [text, err] = replayed(&whole[..at]);
    assert!(err.starts_with("goshawk: x.dlog: has no end mark, it was cut; what came after is missing\n"), "{err}");
    assert!(run.starts_with(text.lines().next().unwrap()));
    let [_, err] = replayed(b"GSHDLOG2");
    assert!(err.contains("x.dlog: is a log of an earlier version (GSHDLOG2)"), "{err}");
    std::fs::write(&path, whole).unwrap();
    for (option, want) in [
        ("--harts 2", "x.dlog: is of a run with 1 harts, not 2; `--harts 1` replays it"),
        ("--seed 3", "`--seed`: not with `--log`, which has the run; only `--harts`"),
        ("--clock 20", "cannot be used with"),
    ] {
        let output = place.output(&format!("diag replay builtin:messages builtin:bank --log x.dlog {option}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(want), "{option}: {err}");
    }
}

#[test]
fn losses_have_places_and_exit_code_2() {
    let place = Place::new();
    let run = |words: &str| {
        let output = place.output(words);
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    let script = "-e call:get_balance,call:set_balance{@n[core]=count()} builtin:bank --harts 2 --link 20 --on-host";
    let (text, code) = run(&format!("diag run {script} {SHORT}"));
    let numbers = |start: &str| -> Vec<u64> {
        let numbers = text.lines().filter_map(|l| l.strip_prefix(start)?.rsplit(' ').next()?.parse().ok());
        numbers.collect()
    };
    let lost = numbers("lost on core ");
    assert!(!lost.is_empty() && code == Some(2), "{text}");
    let sum = lost.iter().sum::<u64>();
    assert_eq!(
        (numbers("lost for @n: at most "), numbers("lost of call:get_balance: at most ")),
        (vec![sum], vec![sum]),
        "{text}"
    );
    assert!(text.contains("\n@n is incomplete: events were lost\n"), "{text}");
    let (csv, _) = run(&format!("diag run {script} {SHORT} --format csv"));
    assert!(csv.contains(&format!(",lost,,@n,at most,{sum}\n")), "{csv}");
    let (json, _) = run(&format!("diag run {script} {SHORT} --format json"));
    assert!(json.contains(&format!("{{\"lost_for\":\"@n\",\"at_most\":{sum}}}\n")), "{json}");
    let (object, _) = run(&format!("diag run {script} {SHORT} --json"));
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    let places = object["losses"].as_array().unwrap();
    assert!(places.contains(&serde_json::json!({ "lost_of": "call:set_balance", "at_most": sum })), "{places:?}");
    let trace = place.output(&format!("diag run {script} {SHORT} --format perfetto")).stdout;
    assert!(String::from_utf8_lossy(&trace).contains(&format!("lost for @n: at most {sum}")));
    for words in ["diag top builtin:messages builtin:bank", "diag run --processor builtin:race builtin:bank --on-host"]
    {
        let (text, code) = run(&format!("{words} --harts 2 --link 1 {SHORT}"));
        assert!(code == Some(2) && !text.ends_with("lost: 0 events\n"), "{words}: {text}");
    }
    // options of a chip are not those of a replay
    for option in ["--link 1", "--lite", "--unordered"] {
        let (text, code) = run(&format!("diag replay builtin:race builtin:bank {option} {SHORT}"));
        assert_eq!((text.as_str(), code), ("", Some(2)), "{option}");
    }
}

#[test]
fn a_plan_says_what_a_slow_link_cannot_carry_and_what_to_move() {
    let place = Place::new();
    let text = place.good("diag plan builtin:messages builtin:bank --link 100");
    let warning = text.lines().find(|l| l.starts_with("warning: ")).unwrap_or_else(|| panic!("{text}"));
    for part in
        ["the link carries 100.00 kbit/s, less than", "events on their way to the host: ", "a predicate, or a table"]
    {
        assert!(warning.contains(part), "{warning}");
    }
    let text = place.good("diag plan builtin:race-count builtin:bank --harts 2 --link 100");
    assert!(text.contains("; with --unordered ") && text.contains(" on the chip: "), "{text}");
    let text = place.good("diag plan --processor builtin:race builtin:bank --calibrate --link 10");
    assert!(text.contains("warning: the link carries 10.00 kbit/s"), "{text}");
    let text = place.good("diag plan builtin:race builtin:bank");
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn mistakes_are_one_message_with_exit_code_2() {
    let place = Place::new();
    let points: String = (0..15).map(|n| format!("pc:main+{} {{ @n[pc] = count(); }}\n", 4 * n)).collect();
    std::fs::write(place.path().join("many.dx"), points).unwrap();
    for (words, want) in [
        ("diag run -e call:nowhere{@=count()} builtin:bank", "goshawk: -e:1:1: the program has no symbol `nowhere`"),
        ("diag run -e pc:main+1{@=count()} builtin:bank", "is inside of the instruction at 0x"),
        ("diag run -e line:bank.c:1{@=count()} builtin:bank", "line 1 of bank.c has no code; line "),
        ("diag run -e write:accounts.x{@=count()} builtin:bank", "no symbol `accounts.x`"),
        ("diag run builtin:none builtin:bank", "built-in script `none` is not known; expected one of atomic, calls, interrupts"),
        ("diag run missing.dx builtin:bank", "missing.dx: "),
        ("diag run builtin:race", "the observed program is missing"),
        (
            "diag run builtin:interrupts builtin:irq --soc",
            "`--program irq`: needs interrupts and exceptions, which picorv32 does not have",
        ),
        ("diag run builtin:race builtin:bank --core ibex", "--soc"),
        ("diag run builtin:race builtin:bank --soc --core arm", "`--core arm`: expected picorv32, vexriscv"),
        (
            "diag run builtin:race builtin:bank --soc --core serv",
            "a full event generator needs a core that exposes registers and memory, picorv32 or ibex",
        ),
        ("diag test builtin:rate builtin:lockcont --soc", "the script has a tick"),
        ("diag run builtin:race builtin:bank --soc --harts 9", "`--harts 9`: expected 1 to 8"),
        ("diag test builtin:race builtin:bank --soc --elf x", "cannot be used with"),
        (
            "diag run builtin:race builtin:bank --soc --core-clocks 1",
            "`--core-clocks 1`: not with `--soc`, whose cores have one clock",
        ),
        ("diag run builtin:race builtin:bank --soc --seed 1", "cannot be used with"),
        ("diag run builtin:race builtin:bank --damage 1e-3", "--soc"),
        ("diag run builtin:race builtin:bank --soc --damage 2", "`--damage 2`: expected a rate of damaged bytes"),
        ("diag run builtin:race builtin:bank --soc --damage 1e-3,seed=x", "expected a rate of damaged bytes"),
        ("diag run builtin:race builtin:bank --max-cycles 1", "--soc"),
        ("diag run builtin:race builtin:none --soc", "`none`"),
        ("diag test builtin:rate builtin:lockcont", "the script has a tick"),
        ("diag run builtin:locks builtin:lockcont --lite", "a lite event generator has addresses"),
        ("diag run builtin:locks builtin:bank", "the program has no symbol `mutex_lock`"),
        (
            "diag run --processor builtin:locks builtin:bank",
            "builtin:locks: DIAG_ON(acquired, \"ret:mutex_lock\", \"arg0, elapsed\"): the program has no symbol `mutex_lock`",
        ),
        (
            "diag run --processor builtin:none builtin:bank",
            "`--processor builtin:none`: expected one of chaos, held, locks, race",
        ),
        ("diag run --processor builtin:chaos builtin:bank", "goshawk: builtin:chaos: DIAG_ON(echo, \"\", \"\"): "),
        ("diag run --processor builtin:chaos builtin:bank", "\n  DIAG_ON(breaks, \"\", \"\"): "),
        ("diag run --processor builtin:held builtin:bank", "\n  DIAG_ON(gives, \"call:mutex_unlock\", \"arg0, time\"): "),
        ("diag run builtin:race builtin:bank --record x.gip", "--processor <ELF|builtin:NAME>"),
        ("diag run --processor builtin:race builtin:bank --soc --record x.gip", "cannot be used with"),
        ("diag run --processor missing.elf builtin:bank", "missing.elf: "),
        ("diag run --processor builtin:race builtin:race builtin:bank", "`--processor` replaces the script"),
        ("diag run --processor builtin:race", "the observed program is missing"),
        ("diag run builtin:race builtin:bank --trace x.gtr --log x", "cannot be used with"),
        ("diag run builtin:race builtin:bank --soc --trace x.gtr --damage 1e-3", "cannot be used with"),
        ("diag run builtin:race builtin:bank --trace x.gtr --trace-scheme none:x", "`none:x`"),
        ("diag plan --processor builtin:race builtin:bank --trace", "cannot be used with"),
        ("diag run --processor builtin:race builtin:bank --soc --trace x.gtr", "cannot be used with"),
        (
            "diag run builtin:race builtin:bank --soc --trace x.gtr --trace-scheme tr_e:small,cfiat:16k",
            "load values do not go over the link",
        ),
        ("diag run builtin:race builtin:bank --trace x.gtr --trace-while call:lock", "--soc"),
        ("diag run builtin:race builtin:bank --soc --trace-from call:lock", "--trace <FILE>"),
        (
            "diag run builtin:race builtin:bank --soc --trace x.gtr --trace-while call:lock --trace-from call:lock",
            "cannot be used with",
        ),
        (
            "diag run builtin:race builtin:bank --soc --trace x.gtr --trace-while call:nowhere",
            "goshawk: --trace-while call:nowhere: the program has no symbol `nowhere`",
        ),
        (
            "diag run builtin:race builtin:bank --soc --trace x.gtr --trace-to ret:lock",
            "goshawk: --trace-to ret:lock: is not a single instruction of the program; expected call:F, pc:F+N or pc:ADDRESS",
        ),
        (
            "diag run many.dx builtin:bank --soc --trace x.gtr --trace-from call:lock --trace-to call:unlock",
            "goshawk: --trace-from call:lock --trace-to call:unlock: takes 2 triggers of each event generator in addition to the 15 of \
             the script; it has 16",
        ),
        ("diag run --processor builtin:race builtin:bank --log x", "not with --log, or --on-host and --soc"),
        ("diag run --processor builtin:race builtin:bank --soc --on-host", "not with --log, or --on-host and --soc"),
        ("diag run --processor builtin:race builtin:bank --watchdog 1", "`--watchdog 1`: expected 64 to 4194304"),
        ("diag top builtin:rate builtin:bank --every 2", "--processor"),
    ] {
        let output = place.output(words);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {err}");
        assert!(err.contains(want), "{words}: {err}");
    }
    place.good("run builtin:bank --max-instructions 100000 -o plain.ret");
    let output = place.output("diag replay builtin:race plain.ret --elf builtin:bank");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("plain.ret: has no data; `goshawk run --data` records them")
    );
}

#[test]
fn programs_and_recordings_of_64_bits_run() {
    let place = Place::new();
    let elf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/bare/elf/rv64imac/qsort.elf");
    std::fs::copy(elf, place.path().join("q64.elf")).unwrap();
    place.good("run q64.elf --max-instructions 100000 --data -o q64.ret");
    let one = place.good("diag replay -e call:main{@[(int32)arg0]=count()} q64.ret --elf q64.elf");
    for words in ["run", "run --on-host", "run --lite --on-host", "top", "replay"] {
        let (command, more) = words.split_once(' ').unwrap_or((words, ""));
        let script = if more.contains("lite") { "call:main{@=count()}" } else { "call:main{@[(int32)arg0]=count()}" };
        let text = place.good(&format!("diag {command} -e {script} q64.elf --max-instructions 100000 {more}"));
        assert!(more.contains("lite") || command == "top" || text == one, "{words}: {text}");
    }
    let output = place.output("diag run -e call:main{@=count()} q64.elf --soc");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{err}");
    assert!(err.contains("; expected rv32im, which picorv32 executes") && err.lines().count() == 1, "{err}");
}

/// A script with 20 points, one of them at two places, and a table that needs values.
fn many(place: &Place) {
    let calls = "archive barrier check cut exit hart_count lock main memcpy memset mutex_lock mutex_unlock parallel report rt_main \
        share try_lock unlock work";
    let calls: Vec<String> = calls.split_whitespace().map(|f| format!("call:{f}")).collect();
    let text = format!(
        "ret:mutex_lock {{ @locks[arg0] = stats(elapsed); }}\n{} {{ @calls[pc] = count(); }}\n",
        calls.join(",\n")
    );
    std::fs::write(place.path().join("many.dx"), text).unwrap();
}

#[test]
fn a_script_of_more_points_than_triggers_runs_beside_a_trace_and_is_refused_without() {
    let place = Place::new();
    many(&place);
    let program = format!("builtin:lockcont --harts 2 {SHORT}");
    let output = place.output(&format!("diag run many.dx {program}"));
    let err = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("needs 21 triggers") && err.contains("with `--trace` it fits: "), "{err}");
    assert!(err.lines().next().unwrap().contains("call:"), "{err}");
    // the same as if each point had a trigger
    let want = place.good(&format!("diag replay many.dx {program}"));
    assert!(want.contains("mutex_unlock ") && want.contains("@locks"), "{want}");
    let text = place.good(&format!("diag run many.dx {program} --link 96000 --trace many.gtr --retired many.ret"));
    assert!(text.starts_with(&want), "{text}\n{want}");
    assert!(text.contains("; nothing lost\n") && text.contains("\npoints in it  "), "{text}");
    place.good("replay many.gtr --elf builtin:lockcont --check many.ret --summary");
    let test = place.good(&format!("diag test many.dx {program} --link 96000 --trace"));
    assert!(test.starts_with("chip and host  equal, "), "{test}");
    // the plan lists these points, and the cost of the trace
    let words = format!("diag plan many.dx {program} --trace --calibrate");
    let plan: serde_json::Value = serde_json::from_str(&place.good(&format!("{words} --json"))).unwrap();
    let from = |plan: &serde_json::Value| {
        plan["parts"].as_array().unwrap().iter().filter(|p| p["place"] == "host: trace of the cores").count()
    };
    assert!(from(&plan) >= 4, "{plan}");
    let object = place.good(&format!("diag run many.dx {program} --link 96000 --trace many.gtr --rates --json"));
    let run: serde_json::Value = serde_json::from_str(&object).unwrap();
    let rate = 8.0 * run["trace"]["bytes"].as_f64().unwrap() * 50e6 / run["rates"]["cycles"].as_f64().unwrap();
    let expected = plan["trace_bits_per_second"].as_f64().unwrap();
    assert!((rate / expected - 1.0).abs() < 0.02, "{rate} in place of {expected}");
    assert!(run["trace"]["point_events"].as_u64().unwrap() > 0 && run["lost"] == 0, "{run}");
    assert_eq!(run["trace"]["points"].as_array().unwrap().len(), 5, "{run}");
    // the error names what a trace lacks, and the point
    let starts = [0, 4, 6, 8, 12, 16, 20, 24, 26, 28, 30, 32, 34, 38, 42, 46, 48, 52];
    let clause = |(n, at): (usize, &u32)| format!("pc:main+{at} {{ @n{n}[arg{}] = count(); }}\n", n % 8);
    let script: String = starts.iter().enumerate().map(clause).collect();
    std::fs::write(place.path().join("values.dx"), script).unwrap();
    let output = place.output(&format!("diag run values.dx {program} --trace x.gtr"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    let want =
        "without pc:main+48 (line 17), pc:main+52 (line 18) it fits; none of its points can come from a trace of the \
        control flow: pc:main+48 (line 17) needs `arg0`, pc:main+52 (line 18) needs `arg1`";
    assert!(err.starts_with("goshawk: values.dx:17:1: ") && err.contains(want), "{err}");
}

#[test]
fn an_object_has_what_the_text_has() {
    let place = Place::new();
    let words = format!("diag run builtin:locks builtin:lockcont --harts 4 --rates {SHORT}");
    let text = place.good(&words);
    let object: serde_json::Value = serde_json::from_str(&place.good(&format!("{words} --json"))).unwrap();
    assert_eq!((object["command"].as_str(), object["lost"].as_u64()), (Some("diag run"), Some(0)));
    let table = &object["outputs"][0];
    assert_eq!(table["map"], "locks");
    let rows = table["rows"].as_array().unwrap();
    let columns = ["name", "count", "sum", "avg", "min", "max"];
    for (line, row) in text.lines().skip(1).zip(rows) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        for (cell, column) in cells.iter().zip(columns) {
            let value = &row[column];
            let same = value.as_str().map_or_else(|| cell.parse::<f64>().ok() == value.as_f64(), |name| name == *cell);
            assert!(same, "{column} of {line}: {value}");
        }
    }
    assert!(rows.len() >= 2 && text.lines().nth(rows.len() + 1).unwrap() == "lost: 0 events", "{text}");
    let rates = &object["rates"];
    let grouped = |value: &serde_json::Value| {
        let digits = value.as_u64().unwrap().to_string();
        digits.as_bytes().rchunks(3).rev().map(|c| std::str::from_utf8(c).unwrap()).collect::<Vec<_>>().join(",")
    };
    let run = format!("{} instructions, {} clocks", grouped(&rates["instructions"]), grouped(&rates["cycles"]));
    assert!(text.contains(&run), "{run}: {text}");
    assert!(text.contains(&format!("{} events, ", grouped(&rates["events"]))), "{text}");
    let link = rates["link"]["rate"].as_f64().unwrap() / 1000.0;
    assert!(text.contains(&format!("{} bytes, {link:.2} kbit/s", grouped(&rates["link"]["bytes"]))), "{text}");
}

/// Output of the generated bench in Icarus.
fn icarus(folder: &Path) -> String {
    let run = |tool: &str, args: &[&str]| {
        let out = Command::new(tool).args(args).current_dir(folder).output().unwrap_or_else(|e| panic!("{tool}: {e}"));
        assert!(out.status.success(), "{tool}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    run("iverilog", &["-g2005", "-o", "tb", "goshawk_diag_tb.v", "goshawk_diag.v"]);
    run("vvp", &["tb"])
}

#[test]
fn a_written_chip_passes_its_bench_and_fails_when_a_byte_is_changed() {
    let place = Place::new();
    let words = "diag gen --cores 2 --lite --nodes count:16,machine --module-name acme --no-initial -o out";
    let text = place.good(words);
    assert!(text.contains("chip               2 cores, lite event generators, 2 nodes\n"), "{text}");
    let out = place.path().join("out");
    let verilog = std::fs::read_to_string(out.join("goshawk_diag.v")).unwrap();
    assert!(!verilog.contains("initial") && !verilog.contains("goshawk_"), "a name or a value is left");
    assert!(verilog.contains("\nmodule acme (") && verilog.contains("\nmodule acme_router ("));
    let said = icarus(&out);
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
    let bytes = out.join("bytes.hex");
    let mut lines: Vec<String> = std::fs::read_to_string(&bytes).unwrap().lines().map(String::from).collect();
    let right = std::mem::replace(&mut lines[100], "xx".into());
    std::fs::write(&bytes, lines.join("\n")).unwrap();
    let said = icarus(&out);
    assert!(said.contains(&format!("FAIL: byte 100 is {right}, xx is right")), "{said}");
    // one byte too many
    lines[100] = right;
    lines.pop();
    std::fs::write(&bytes, lines.join("\n")).unwrap();
    assert!(icarus(&out).contains(&format!("FAIL: byte {} is ", lines.len())));
    let registers = std::fs::read_to_string(out.join("registers.md")).unwrap();
    for line in ["| 1 | lite event generator | 1 | 12 triggers |", "| 17 | machine | 7 | 16 states |", "# Frames"] {
        assert!(registers.contains(line), "{line}: {registers}");
    }
}

/// Full generators and every node, with unknown initial register values.
#[test]
fn a_chip_of_everything_passes_its_bench_and_has_its_ports_listed() {
    let place = Place::new();
    let object: serde_json::Value = serde_json::from_str(&place.good("diag gen --no-initial -o out --json")).unwrap();
    assert_eq!(object["parameters"]["clients"].as_array().unwrap().len(), 11);
    let out = place.path().join("out");
    for file in object["files"].as_array().unwrap() {
        let there = std::fs::metadata(out.join(file["name"].as_str().unwrap())).unwrap().len();
        assert_eq!(file["bytes"].as_u64(), Some(there), "{file}");
    }
    let said = icarus(&out);
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
    let ports = std::fs::read_to_string(out.join("ports.md")).unwrap();
    let (table, instance) = ports.split_once("## An instance").unwrap();
    let rows: Vec<&str> = table.lines().filter(|l| l.starts_with("| `")).collect();
    assert_eq!(rows.len(), 22, "{table}");
    assert!(rows.iter().all(|r| !r.ends_with("|  |")), "{table}");
    assert!(instance.contains("goshawk_diag diag (") && instance.contains(".cause_0(core0_cause)"), "{instance}");
}

/// The bench has one clock for all, with which the crossings change no time.
#[test]
fn a_chip_with_clocks_of_cores_passes_its_bench_and_has_constraints() {
    let place = Place::new();
    let text = place.good("diag gen --cores 3 --core-clocks 2 --nodes count:16 --no-initial -o out");
    assert!(text.contains("3 cores (2 with separate clocks), full event generators, 1 node\n"), "{text}");
    let out = place.path().join("out");
    let said = icarus(&out);
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
    let ports = std::fs::read_to_string(out.join("ports.md")).unwrap();
    assert!(ports.contains(".core_clock_1(core1_clock)") && !ports.contains(".core_clock_2("), "{ports}");
    let constraints = std::fs::read_to_string(out.join("crossing.sdc")).unwrap();
    for line in [
        "    -from [get_clocks $goshawk_core_clock_1] -to [get_clocks $goshawk_clock]\n",
        "    -from [get_clocks $goshawk_clock] -to [get_clocks $goshawk_core_clock_1]\n",
        "set_max_delay {*}$goshawk_options $goshawk_core_period_1 \\\n",
    ] {
        assert_eq!(constraints.matches(line).count(), 1, "{line}: {constraints}");
    }
}

#[test]
fn chips_for_64_bits_pass_their_benches() {
    for words in ["--masters 1 --cores 2 --nodes count:16", "--lite --nodes count:16", "--stall --no-nodes"] {
        let place = Place::new();
        place.good(&format!("diag gen --xlen 64 --no-initial -o out {words}"));
        let said = icarus(&place.path().join("out"));
        assert!(said.contains("PASS") && !said.contains("FAIL"), "{words}: {said}");
    }
}

#[test]
fn chips_that_there_are_not_are_refused_before_anything_is_written() {
    let place = Place::new();
    for (words, want) in [
        ("--nodes count:3", "`--nodes`: `count:3` has no circuit; expected count:2 to 128"),
        ("--nodes log:3", "`--nodes`: `log:3` has no circuit"),
        ("--nodes sum", "node `sum` is not known; expected one of filter, count, pair"),
        ("--nodes count:x", "count: `x` is not a number of counters"),
        ("--nodes count --no-nodes", "cannot be used with"),
        ("--cores 2 --core-clocks 3", "`--core-clocks 3`: there are only 2 cores"),
        ("--core-clocks 1 --xlen 64", "`--core-clocks 1`: not with `--xlen 64`"),
        ("--core-clocks 1 --stall", "cannot be used with"),
        ("--core-clocks 1 --windows", "cannot be used with"),
        ("--cores 17", "`--cores 17`: expected 1 to 16"),
        ("--module-name 1st", "a letter and up to 63 letters"),
        (&format!("--nodes {}", ["pair"; 41].join(",")), "`--nodes`: 41 nodes are outside 0 to 40"),
    ] {
        let output = place.output(&format!("diag gen {words} -o none"));
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {err}");
        assert!(err.contains(want), "{words}: {err}");
        assert!(!place.path().join("none").exists());
    }
    assert_eq!(place.output("diag run builtin:race builtin:bank --json --format csv").status.code(), Some(2));
}

/// A missing tool is reported before anything is built.
#[test]
fn a_soc_without_verilator_is_one_message() {
    let place = Place::new();
    let mut command = place.command("diag run builtin:race builtin:bank --soc");
    let output = command.env("VERILATOR", "/none/verilator").env("GOSHAWK_SOC_CACHE", place.path()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.lines().count() == 1 && err.contains("/none/verilator"), "{err}");
}

/// Verilator builds for minutes.
#[test]
#[ignore = "long: Verilator builds SoCs for minutes"]
fn circuits_print_what_the_retire_log_says() {
    let place = Place::new();
    for (script, program) in [("race", "bank"), ("locks", "lockcont"), ("calls", "lockcont"), ("writers", "bank")] {
        let words = format!("diag test builtin:{script} builtin:{program} --soc --harts 4 --max-cycles 1500000");
        let text = place.good(&words);
        assert!(text.starts_with("chip and host  equal") && text.ends_with("lost           0\n"), "{words}: {text}");
        assert!(!text.contains("events         0"), "{words}: {text}");
    }
    // a machine with a state for each key
    for key in ["core", "arg0"] {
        let script = format!("machine m by {key} {{ a: call:get_balance -> b; b: call:set_balance -> b; }}\n");
        std::fs::write(place.path().join("m.dx"), script + "violation:m { @v[key, state, step] = count(); }\n")
            .unwrap();
        let text = place.good("diag test m.dx builtin:bank --soc --harts 2 --max-cycles 400000");
        assert!(text.starts_with("chip and host  equal") && text.ends_with("lost           0\n"), "{key}: {text}");
        assert!(!text.contains("equal, 2 lines") || key == "core", "{text}");
    }
    let text = place.good("diag run builtin:race builtin:bank --soc --harts 4 --max-cycles 400000 --rates");
    assert!(text.contains("lost: 0 events\n") && text.contains("over the link"), "{text}");

    // with a trace on the same link the script prints the same, and the trace matches what the cores retired
    let elf = place.path().join("bank.elf");
    std::fs::write(elf, programs::find("bank").unwrap().soc.get("rv32im").unwrap()).unwrap();
    let words = "diag run builtin:race-count bank.elf --soc --harts 4 --max-cycles 400000 --link 24000";
    let alone = place.good(words);
    let text = place.good(&format!("{words} --trace bank.gtr --retired bank.ret"));
    assert!(
        text.starts_with(&alone) && text.contains("equal to the retire log, 63,462 events; nothing lost"),
        "{text}"
    );
    place.good("replay bank.gtr --elf bank.elf --check bank.ret --summary");
    // of a function only, and of the functions that it calls; the script prints the same
    let text = place.good(&format!("{words} --trace get.gtr --trace-while call:get_balance"));
    let replay = text.lines().find(|l| l.starts_with("replay")).unwrap();
    assert!(text.starts_with(&alone) && replay.contains(" and no other, nothing lost"), "{text}");
    let text = place
        .good(&format!("{words} --trace get.gtr --trace-from call:get_balance --trace-to call:set_balance --json"));
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    let inside = &run["trace"]["check"]["inside"];
    assert!(inside["windows"].as_u64() > Some(50) && inside["lost"] == 0, "{inside}");
    // points for which no trigger is left are found in the trace
    let pcs: String = (0..4).map(|n| format!("pc:main+{} {{ @n[pc] = count(); }}\n", 4 * n)).collect();
    let functions =
        "check get_balance hart_count lock main memset parallel park report round rt_main set_balance share \
        teller_step try_lock unlock work";
    let calls: Vec<String> = functions.split_whitespace().map(|f| format!("call:{f}")).collect();
    let text =
        format!("{pcs}{} {{ @calls[pc] = count(); }}\nret:set_balance {{ @set[arg0] = count(); }}\n", calls.join(", "));
    std::fs::write(place.path().join("many.dx"), text).unwrap();
    let test = place.good("diag test many.dx bank.elf --soc --harts 4 --max-cycles 400000 --link 24000 --trace");
    assert!(test.starts_with("chip and host  equal, ") && test.ends_with("lost           0\n"), "{test}");
    // a link that is too slow for the trace loses instructions, which are all counted, but no events
    let slow = words.replace("24000", "6000");
    let output = place.output(&format!("{slow} --trace slow.gtr --retired slow.ret"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.starts_with(&alone) && text.contains(" instructions lost in "), "{text}");
}

#[test]
fn a_program_on_the_processor_prints_what_a_script_does() {
    let place = Place::new();
    let run = |words: &str| place.good(&format!("diag {words} {SHORT}"));
    let script = "txn a { open call:get_balance(arg0) close ret:set_balance(arg0) }
        violation:a { printf(\"race: %d while %d owns\", key, owner); }";
    std::fs::write(place.path().join("a.dx"), script).unwrap();
    let want = run("replay a.dx builtin:bank --harts 4");
    assert!(want.lines().count() > 50, "{want}");
    let replayed = run("replay --processor builtin:race builtin:bank --harts 4");
    assert_eq!(replayed, want);
    let text = run("test --processor builtin:locks builtin:lockcont --harts 2");
    assert!(text.starts_with("chip and host  equal, ") && text.ends_with("lost           0\n"), "{text}");
    let rates = run("run --processor builtin:locks builtin:lockcont --harts 2 --rates");
    assert!(rates.contains(": count ") && rates.contains("over the link"), "{rates}");
    // the program on the host, behind the same link
    let there = run("run --processor builtin:locks builtin:lockcont --harts 2");
    assert_eq!(run("run --processor builtin:locks builtin:lockcont --harts 2 --on-host --link 48000"), there);
    // tables are requested at each tick; those at the end are complete
    let top = run("top --processor builtin:locks builtin:lockcont --harts 2 --every 2");
    assert!(top.matches("lost: 0 events\n").count() > 2 && top.ends_with(&there), "{top}");
    // a handler has less time than it needs: each of its events is lost and reported
    let hung = run("run --processor builtin:locks builtin:lockcont --harts 2 --watchdog 64");
    assert!(hung.contains("handler acquired took too long at 0x") && !hung.contains("outside of"), "{hung}");
    // its run is a recorded run
    assert_eq!(run("run --processor builtin:locks builtin:lockcont --harts 2 --record locks.gip"), there);
    std::fs::write(place.path().join("locks.elf"), programs::handlers("locks").unwrap()).unwrap();
    let profile = place.good("profile locks.gip --elf locks.elf");
    assert!(profile.contains("acquired") && profile.contains("diag_run"), "{profile}");
    // a program for another machine
    let path = place.path().join("wrong.elf");
    std::fs::write(path, programs::find("bank").unwrap().soc.rv32imc).unwrap();
    let output = place.output("diag run --processor wrong.elf builtin:bank");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("wrong.elf: is built with the C extension"));
}

#[test]
fn the_ring_and_a_plan_are_listed() {
    let place = Place::new();
    let text = place.good("diag ls --harts 3");
    assert_eq!(text.matches("event generator").count(), 3);
    assert!(!text.contains("processor"), "{text}");
    assert!(place.good("diag ls --processor").contains("     26  processor              16  slots\n"));
    let plan = place.good("diag plan builtin:locks builtin:lockcont");
    assert!(plan.contains("chip: aggregate (node 20)") && plan.contains("expected over the link: "), "{plan}");
    let cuts = place.good("diag plan builtin:locks builtin:lockcont --cuts");
    assert!(cuts.contains("  @locks\n") && cuts.contains("100.00 %  triggers only\n"), "{cuts}");
    // for both locations of a program, the expected rate is that of the link in a run
    let program = format!("--processor builtin:race builtin:bank --harts 4 --link 48000 {SHORT}");
    let plan: serde_json::Value =
        serde_json::from_str(&place.good(&format!("diag plan {program} --calibrate --cuts --json"))).unwrap();
    assert!(plan["parts"].to_string().contains("chip: processor (node 26)"), "{plan}");
    for (n, at) in ["", "--on-host"].into_iter().enumerate() {
        let run: serde_json::Value =
            serde_json::from_str(&place.good(&format!("diag run {program} --rates --json {at}"))).unwrap();
        let (want, found) =
            (plan["cuts"][n]["bits_per_second"].as_f64().unwrap(), run["rates"]["link"]["rate"].as_f64().unwrap());
        assert!((found / want - 1.0).abs() < 0.05, "{at}: {found} in place of {want}");
    }
}
