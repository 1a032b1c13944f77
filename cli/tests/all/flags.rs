//! No option is accepted and ignored: each changes what a command prints, writes or returns, or is refused
//!
//! The options of a command are read from its help. Each is added to a line that runs, alone, with a value that differs
//! from the default; what then happens must differ from what the line does without it. Commands that need a board,
//! GDB, QEMU, Yosys or Verilator, or that run for minutes, are not tried.

use crate::common::Place;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Commands, each with a line that runs.
const LINES: &[(&str, &str)] = &[
    ("run", "run builtin:bank"),
    ("import", "import bank.rbt1 -o out.ret"),
    ("export", "export builtin:bank --harts 2 -o out.rbt1"),
    ("encode", "encode builtin:bank -o out.gtr"),
    ("replay", "replay bank.gtr --elf builtin:bank"),
    ("decode", "decode bank.gtr --elf builtin:bank"),
    ("stats", "stats builtin:bank"),
    ("who-wrote", "who-wrote bank.gip balance --elf builtin:bank"),
    ("why", "why slice.gip result --elf slice.elf"),
    ("races", "races racing.gip --elf racing.elf"),
    ("locks", "locks ordered.gip --elf ordered.elf"),
    ("heap", "heap leaking.gip --elf leaking.elf"),
    ("stack", "stack leaking.gip --elf leaking.elf"),
    ("latency", "latency wake.gip --elf wake.elf"),
    ("show", "show bank.gip --elf builtin:bank"),
    ("diff", "diff bank.gip again.gip --elf builtin:bank"),
    ("profile", "profile tasks.gip --elf tasks.elf"),
    ("coverage", "coverage bank.gip --elf builtin:bank -o out.info"),
    ("report trace", "report trace bank.gip --elf builtin:bank -o out.html"),
    ("timeline", "timeline tasks.gip --elf tasks.elf -o out.json"),
    ("vcd", "vcd bank.gip --elf builtin:bank -o out.vcd"),
    ("gen", "gen -o out"),
    ("check-port", "check-port port.txt"),
    ("sim", "sim builtin:bank"),
    ("programs", "programs"),
    ("baselines", "baselines builtin:bank --harts 2"),
    ("compare", "compare builtin:bank --harts 2"),
    ("recommend", "recommend builtin:bank --harts 2 --max-gates 18000 --max-bits 0.9"),
    ("sweep", "sweep --trace builtin:bank --encoding tr_e --set small -o out"),
    ("diag ls", "diag ls"),
    ("diag plan", "diag plan builtin:race builtin:bank"),
    ("diag run", "diag run builtin:race builtin:bank"),
    ("diag top", "diag top builtin:rate builtin:lockcont"),
    ("diag replay", "diag replay builtin:race builtin:bank"),
    ("diag test", "diag test builtin:race builtin:bank"),
    ("diag gen", "diag gen -o out"),
];

/// What lines end with that would otherwise run long; where `max-instructions` is tried, another number.
const SHORT: &str = "--max-instructions 3000";

/// Values that options are tried with.
const VALUES: &[(&str, &str)] = &[
    ("address-bits", "24"),
    ("align", "2"),
    ("at", "300"),
    ("bus", "apb"),
    ("bytes", "8"),
    ("caches", "l1_latency=9,memory_latency=500"),
    ("cc-bits", "20"),
    ("check", "bank.ret"),
    ("clock", "7"),
    ("container", "smi"),
    ("context", "2"),
    ("control", "tci"),
    ("core", "1"),
    ("core-clocks", "1"),
    ("cores", "2"),
    ("count-bits", "18"),
    ("damage", "1e-3"),
    ("data", "cfiat:1k"),
    ("depth", "2"),
    ("elf", "builtin:bank"),
    ("encoding", "tr_b"),
    ("engine", "verilator"),
    ("every", "5"),
    ("fifo", "32"),
    ("figures", "out.figures"),
    ("first", "5"),
    ("folded", "out.folded"),
    ("format", "json"),
    ("from", "5"),
    ("function", "rt_main"),
    ("gates", "gates.json"),
    ("harts", "3"),
    ("hash", "left2"),
    ("ingress", "etrace"),
    ("input", "bank.ret"),
    ("itype", "3"),
    ("last", "9"),
    ("limit", "2"),
    ("link", "100"),
    ("log", "out.log"),
    ("max-cycles", "90"),
    ("masters", "1"),
    ("max-instructions", "1000"),
    ("mode", "u"),
    ("memory", "bank.ret@0x10000000"),
    ("module-name", "acme"),
    ("nodes", "count:4"),
    ("output", "out.file"),
    ("pace", "3"),
    ("parameters", "parameters.json"),
    ("patches", "bank.map"),
    ("pc-shift", "2"),
    ("plan", "plan.toml"),
    ("port", "axi-stream"),
    ("pprof", "out.pprof"),
    ("process", "1"),
    ("process-names", "names.txt"),
    ("processor", "builtin:race"),
    ("ram", "0x80000000+0x10000"),
    ("record", "out.gip"),
    ("range", "0x80000000..0x80000010"),
    ("retire", "2"),
    ("retire-queue", "4"),
    ("retired", "out.retired"),
    ("serve", "0"),
    ("scheme", "nx_b"),
    ("scope", "tb"),
    ("seed", "5"),
    ("set", "m4"),
    ("sets", "64"),
    ("shard", "1/2"),
    ("signal", "rvfi_insn=other"),
    ("signature", "8"),
    ("skip", "4"),
    ("sources", "sources"),
    ("space", "1=p.elf"),
    ("speedscope", "out.speedscope"),
    ("sram-size", "1024"),
    ("stream-cache", "rbase-64x4"),
    ("sync-period", "10"),
    ("tail", "2"),
    ("threads", "1"),
    ("timestamps", "yes"),
    ("timing", "functional"),
    ("title", "Bank"),
    ("to", "9"),
    ("trace", "out.trace"),
    ("trace-from", "call:rt_main"),
    ("trace-scheme", "nx_b"),
    ("trace-to", "call:rt_main"),
    ("trace-while", "call:rt_main"),
    ("upper-bits", "12"),
    ("values", "out.values"),
    ("variant", "base"),
    ("vcd", "out.vcd"),
    ("watchdog", "100"),
    ("ways", "8"),
    ("window", "1000"),
    ("write-names", "out.names"),
    ("writes", "secure"),
    ("xlen", "64"),
];

/// Options of a command that are tried with another value, or with more on both lines.
const OTHERWISE: &[(&str, &str, &str, &str)] = &[
    ("encode", "cc-bits", "20", "--timestamps"),
    ("stats", "cc-bits", "20", "--timestamps"),
    ("check-port", "clock", "clk", ""),
    ("check-port", "elf", "builtin:bank", ""),
    ("diag plan", "trace", "", ""),
    ("diag test", "trace", "", ""),
    ("diag ls", "trace", "", ""),
    ("diag plan", "timing", "functional", "--calibrate"),
    ("diag plan", "unordered", "", "--harts 2"),
    ("diag plan", "core-clocks", "1", "--harts 2"),
    ("diag run", "unordered", "", "--harts 2"),
    ("diag test", "unordered", "", "--harts 2"),
    ("sim", "max-instructions", "200", ""),
    ("replay", "symbols", "", ""),
    ("who-wrote", "at", "100", ""),
    ("who-wrote", "limit", "2", "--bytes 64"),
    ("diag ls", "processor", "", ""),
    ("diag replay", "log", "bank.dlog", ""),
    ("diag run", "core", "ibex", ""),
    ("diag test", "core", "ibex", ""),
    ("gen", "check", "", ""),
    ("gen", "timestamps", "", ""),
    ("encode", "timestamps", "", ""),
    ("sim", "timestamps", "", ""),
    ("stats", "timestamps", "", ""),
    ("import", "format", "champsim", ""),
    ("replay", "values", "bank.glv", ""),
    ("run", "output", "out.ret", ""),
    ("profile", "by", "task", ""),
    ("profile", "task-pointer", "sum", "--by task"),
    ("profile", "task-name", "0", "--by task"),
    ("latency", "limit", "1", ""),
    ("latency", "task-pointer", "sum", ""),
    ("latency", "task-name", "0", ""),
    ("timeline", "format", "perfetto", ""),
    ("timeline", "by", "task", "--format perfetto"),
    ("timeline", "task-pointer", "sum", "--format perfetto"),
    ("timeline", "task-name", "0", "--format perfetto"),
    ("recommend", "max-gates", "12000", ""),
    ("recommend", "max-luts", "800", ""),
    ("recommend", "max-bits", "0.000001", ""),
    ("recommend", "min-mhz", "99", ""),
    ("recommend", "device", "ecp5", ""),
    ("coverage", "include", "*bank.c", ""),
    ("coverage", "exclude", "*bank.c", ""),
    ("coverage", "map", "./src/=sources/", ""),
    ("coverage", "limit", "1", ""),
    ("run", "seeds", "1..3", ""),
    ("run", "until", "limit", "--seeds 1..3 --harts 2"),
    ("why", "at", "100", ""),
    ("why", "bytes", "64", ""),
    ("why", "core", "1", ""),
    ("why", "limit", "1", "--instructions"),
    ("races", "ignore", "counter", ""),
    ("locks", "acquire", "meet", "--acquire lock --release unlock"),
    ("locks", "release", "lock", "--acquire lock --release unlock"),
    ("heap", "malloc", "numbers", ""),
    ("heap", "calloc", "numbers", ""),
    ("heap", "realloc", "numbers", ""),
    ("heap", "free", "keep", ""),
    ("sweep", "set", "m4", ""),
    ("sweep", "seeds", "1..3", ""),
    ("sweep", "repeat", "2", ""),
    ("sweep", "startup", "1000", ""),
    ("sweep", "trace", "p.elf", ""),
    ("vcd", "registers", "", ""),
];

/// Options that change nothing on these lines, and why that is right.
const SAME: &[(&str, &str, &str)] = &[
    ("*", "any-build", "the build is the right one"),
    ("replay", "resume", "the trace is not damaged"),
    ("decode", "resume", "the trace is not damaged"),
    ("*", "patches", "the function that it names does not run"),
    ("*", "memory", "no instruction of the trace is at that address"),
    ("*", "input", "the program reads nothing"),
    ("*", "read-only", "the program does not store to its code"),
    ("*", "process-names", "no process has one of these names"),
    ("stack", "exit-code", "no stack is left"),
    ("report trace", "sources", "the sources of built-in programs are not in either folder"),
    ("show", "sources", "the sources of built-in programs are not in either folder"),
    ("check-port", "xlen", "the addresses of the log fit both"),
    ("check-port", "scope", "a text has no hierarchy"),
    ("check-port", "clock", "a text has no clock"),
    ("baselines", "seed", "the same instructions retire, and nothing has a time"),
    ("baselines", "caches", "the same instructions retire, and nothing has a time"),
    ("baselines", "timing", "the same instructions retire, and nothing has a time"),
    ("compare", "seed", "the same instructions retire, and nothing has a time"),
    ("compare", "caches", "the same instructions retire, and nothing has a time"),
    ("compare", "timing", "the same instructions retire, and nothing has a time"),
    ("recommend", "seed", "the same instructions retire, and nothing has a time"),
    ("recommend", "caches", "the same instructions retire, and nothing has a time"),
    ("recommend", "timing", "the same instructions retire, and nothing has a time"),
    ("sweep", "threads", "the results are those of any number of threads"),
    ("diag plan", "clock", "the script has no tick, whose rate depends on it"),
    ("diag plan", "link", "the rates fit the link"),
    ("diag plan", "harts", "the plan is that of each core"),
    ("diag run", "on-host", "the output is that of the chip"),
    ("diag run", "clock", "the script prints no time"),
    ("diag run", "link", "the rates fit the link"),
    ("diag run", "timing", "the script prints no time"),
    ("diag run", "caches", "the script prints no time"),
    ("diag run", "seed", "the script prints no time"),
    ("diag top", "link", "the rates fit the link"),
    ("diag top", "lite", "the script needs addresses only"),
    ("diag top", "harts", "the others do not take locks so early"),
    ("diag top", "timing", "the program ends before a tick"),
    ("diag top", "caches", "the program ends before a tick"),
    ("diag top", "seed", "the program ends before a tick"),
    ("diag top", "unordered", "the script has no state that several cores feed"),
    ("diag replay", "clock", "the script prints no time"),
    ("diag replay", "timing", "the script prints no time"),
    ("diag replay", "caches", "the script prints no time"),
    ("diag replay", "seed", "the script prints no time"),
    ("diag run", "core-clocks", "no events are so close that their order is not known"),
    ("diag test", "core-clocks", "no events are so close that their order is not known"),
    ("diag top", "core-clocks", "the script has no state that depends on the order of cores"),
    ("diag plan", "masters", "the script watches no variable"),
    ("diag run", "masters", "the script watches no variable"),
    ("diag top", "masters", "the script watches no variable"),
    ("diag test", "masters", "the script watches no variable"),
    ("diag plan", "stall", "the rates fit the link"),
    ("diag run", "stall", "the rates fit the link"),
    ("diag top", "stall", "the rates fit the link"),
    ("diag test", "stall", "the rates fit the link"),
    ("diag test", "trace", "chip and host print the same"),
    ("diag test", "clock", "chip and host print the same"),
    ("diag test", "link", "the rates fit the link"),
    ("diag test", "timing", "chip and host print the same"),
    ("diag test", "caches", "chip and host print the same"),
    ("diag test", "seed", "chip and host print the same"),
];

/// An option of a help text: its name, and whether it takes a value.
fn options(help: &str) -> Vec<(String, bool)> {
    let line = |l: &str| {
        let l = l.trim_start();
        let l = l.strip_prefix("-").filter(|rest| !rest.starts_with('-')).map_or(l, |rest| rest.get(3..).unwrap_or(""));
        let (name, rest) = l.strip_prefix("--")?.split_once([' ', '\n']).unwrap_or((l.get(2..)?, ""));
        Some((name.trim().to_string(), rest.starts_with('<')))
    };
    let found = help.lines().filter(|l| l.starts_with("  ") && l.trim_start().starts_with('-')).filter_map(line);
    found.filter(|(name, _)| !["help", "version", "json"].contains(&name.as_str())).collect()
}

/// Everything that a line leaves: exit code, output without times, and files.
type Effect = (Option<i32>, String, BTreeMap<String, Vec<u8>>);

fn effect(from: &Path, line: &str) -> Effect {
    let place = Place::new();
    for entry in from.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, place.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let o = place.output(line);
    let text = [o.stdout, o.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
    let without_cycles = |l: &&str| !["second", "took", "speed"].iter().any(|word| l.contains(word));
    let mut files = BTreeMap::new();
    let mut folders = vec![place.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !from.join(path.strip_prefix(place.path()).unwrap()).exists() {
                files.insert(
                    path.strip_prefix(place.path()).unwrap().display().to_string(),
                    std::fs::read(path).unwrap(),
                );
            }
        }
    }
    (o.status.code(), text.lines().filter(without_cycles).collect::<Vec<_>>().join("\n"), files)
}

#[test]
fn no_option_is_accepted_and_ignored() {
    let place = Place::new();
    for (name, harts) in [("leaking", 1), ("slice", 2), ("racing", 4), ("ordered", 2), ("tasks", 1), ("wake", 1)] {
        std::fs::copy(crate::halt::program(name), place.path().join(format!("{name}.elf"))).unwrap();
        place.good(&format!("encode {name}.elf --harts {harts} --scheme inputs -o {name}.gip"));
    }
    for line in [
        "run builtin:bank --max-instructions 3000 --harts 2 -o bank.ret",
        "export bank.ret -o bank.rbt1",
        "encode bank.ret --elf builtin:bank -o bank.gtr",
        "encode builtin:bank --max-instructions 3000 --harts 2 --scheme inputs -o bank.gip",
        "encode builtin:bank --max-instructions 2000 --harts 2 --scheme inputs -o again.gip",
        "encode builtin:bank --max-instructions 3000 --harts 2 -o values.gtr --values bank.glv",
        "diag run builtin:race builtin:bank --max-instructions 3000 --log bank.dlog",
        "gen -o system",
    ] {
        let o = place.output(line);
        assert_eq!(o.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&o.stderr));
    }
    std::fs::copy(place.path().join("system/parameters.json"), place.path().join("parameters.json")).unwrap();
    let parameters = std::fs::read_to_string(place.path().join("parameters.json")).unwrap();
    let gates = format!("{{\"parameters\": {parameters}, \"gates_with_memory\": 9000.0}}");
    std::fs::write(place.path().join("gates.json"), gates).unwrap();
    std::fs::write(place.path().join("names.txt"), "7 sh\n").unwrap();
    std::fs::write(place.path().join("bank.map"), "10 10 elsewhere\n").unwrap();
    std::fs::write(place.path().join("plan.toml"), "max_instructions = 1000\n").unwrap();
    std::fs::write(
        place.path().join("port.txt"),
        "rvfi_valid rvfi_insn rvfi_pc_rdata rvfi_pc_wdata rvfi_intr rvfi_trap\n1 13 80000000 80000004 0 0\n",
    )
    .unwrap();
    let tried: Vec<(&str, String, String, String)> = LINES
        .par_iter()
        .flat_map_iter(|(command, line)| {
            let help = String::from_utf8(place.output(&format!("{command} --help")).stdout).unwrap();
            let all = options(&help);
            assert!(help.contains("Usage:"), "{command}");
            let long = all.iter().any(|(name, _)| name == "max-instructions");
            let given = |name: &str| line.contains(&format!("--{name} ")) || name == "output" && line.contains(" -o ");
            let new = all.into_iter().filter(move |(name, _)| !given(name)).collect::<Vec<_>>();
            new.into_iter().map(move |(name, takes)| {
                let other = OTHERWISE.iter().find(|o| o.0 == *command && o.1 == name);
                let value = VALUES.iter().find(|v| v.0 == name).map(|v| v.1);
                let (value, more) = match other {
                    Some(o) => (o.2, o.3),
                    None if takes => (value.unwrap_or_else(|| panic!("no value for {command} --{name}")), ""),
                    None => ("", ""),
                };
                let short = match (long && name != "max-instructions", *command) {
                    (false, _) => "",
                    (true, "sim") => "--max-instructions 300",
                    (true, "diag plan") if !more.contains("--calibrate") => "",
                    (true, _) => SHORT,
                };
                let without = format!("{line} {more} {short}");
                let with = format!("{without} --{name} {value}");
                (*command, name, without, with)
            })
        })
        .collect();
    assert!(tried.len() > 250, "{}", tried.len());
    let same = |command: &str, name: &str| SAME.iter().any(|s| (s.0 == command || s.0 == "*") && s.1 == name);
    let lines: BTreeSet<&String> = tried.iter().map(|(_, _, without, _)| without).collect();
    let before: BTreeMap<&String, Effect> =
        lines.into_par_iter().map(|line| (line, effect(place.path(), line))).collect();
    for (line, (code, text, _)) in &before {
        assert!(matches!(code, Some(0 | 1)), "{line}: {text}");
    }
    let mut ignored: Vec<String> = tried
        .par_iter()
        .filter(|(command, name, ..)| !same(command, name))
        .filter_map(|(_, name, without, with)| {
            let after = effect(place.path(), with);
            // a value that the option does not take shows nothing
            let value = with.rsplit(&format!("--{name} ")).next().unwrap_or_default();
            let wrong = after.1.contains(&format!("`--{name} {value}`: expected"));
            (before[without] == after || wrong).then(|| format!("{with}: {}", if wrong { &after.1 } else { "ignored" }))
        })
        .collect();
    ignored.sort();
    assert!(ignored.is_empty(), "{} options:\n{}", ignored.len(), ignored.join("\n"));
}
