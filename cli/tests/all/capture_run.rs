//! `goshawk capture run`: all commands accept its files; refused or interrupted runs are reported

use crate::common::Place;
use retire::file::retire::RetireReader;
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::process::Command;

/// A folder with a compiled program of the crate `capture`'s tests.
fn place(name: &str, compiler: &str) -> Place {
    let place = Place::new();
    let source = format!("{}/../capture/tests/guests/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let words: Vec<&str> = compiler.split(' ').collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["-O1", "-static", "-pthread", "-o", "guest"]).arg(source).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// As `good`, for programs that write to standard error and have their own exit code.
fn captured(place: &Place, words: &str) -> Value {
    let o = place.output(words);
    let told = json(&String::from_utf8(o.stdout).unwrap());
    let code = o.status.code().unwrap();
    // 0 if it was ended by the trace limit
    assert_eq!(
        told["ended"]["code"].as_i64().unwrap_or(0),
        i64::from(code),
        "{words}: {}",
        String::from_utf8_lossy(&o.stderr)
    );
    told
}

/// Encodes, replays and compares, counts, sweeps.
fn goes_through(place: &Place, file: &str) {
    for scheme in ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4", "tr_e:m4+shared"] {
        place.good(&format!("encode {file} --scheme {scheme} -o x.gtr"));
        let told = place.good(&format!("replay x.gtr --elf {file} --check {file}"));
        assert!(told.contains("equal") || told.contains("checked"), "{file} {scheme}: {told}");
    }
    let stats = json(&place.good(&format!("stats {file} --json")));
    assert!(stats["instructions"].as_u64().unwrap() > 5000, "{file}");
    // the order of its events is not a time
    assert!(stats["cycles"].is_null() && stats["bits_per_cycle"].is_null(), "{file}: {stats}");
    let folder = format!("{file}.sweep");
    let o = place.output(&format!("sweep --trace {file} --encoding tr_e,golomb --set small -o {folder}"));
    assert_eq!(o.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&o.stderr));
    let results = std::fs::read_to_string(place.path().join(folder).join("results.csv")).unwrap();
    assert_eq!(results.lines().count(), 3, "{results}");
    assert!(!results.contains("unverified"), "{results}");
}

#[test]
fn programs_of_other_machines_give_names() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    let source = "__attribute__((noinline)) int fib(int n)\n{\n    return n < 2 ? n : fib(n - 1) + fib(n - 2);\n}\n\
        int never(int n)\n{\n    return 3 * n;\n}\n\nint main(void)\n{\n    return fib(10) != 55;\n}\n";
    std::fs::write(place.path().join("fib.c"), source).unwrap();
    let gcc = ["-g", "-O1", "-fno-optimize-sibling-calls", "-fno-inline", "-static", "-o", "fib", "fib.c"];
    assert!(Command::new("gcc").args(gcc).current_dir(place.path()).status().unwrap().success());
    let told = captured(&place, "capture run -o a.ret --json -- ./fib");
    place.good("encode a.ret -o a.gtr");
    let mut profiles = Vec::new();
    for file in ["a.ret", "a.gtr"] {
        let found = json(&place.good(&format!("profile {file} --elf fib --limit 10000 --json")));
        let functions = found["functions"].as_array().unwrap();
        let of =
            |name: &str| functions.iter().find(|f| f["function"] == name).unwrap_or_else(|| panic!("{name}: {found}"));
        let own: u64 = functions.iter().map(|f| f["instructions"].as_u64().unwrap()).sum();
        assert_eq!(json(&own.to_string()), told["expanded"]["instructions"], "{file}");
        assert!(of("fib")["instructions"].as_u64() > Some(177 * 5), "{found}");
        profiles.push(found["functions"].clone());
        let shown = place.good(&format!("show {file} --elf fib --function fib --limit 1"));
        assert!(shown.contains("fib.c:"), "{shown}");
        // fib(10) makes 177 calls; stderr says that branches are missing which did not run
        let said = place.output(&format!("coverage {file} --elf fib --include *fib.c -o a.info"));
        let missing = "goshawk: fib: is for x86_64; its branches that did not run are not counted\n";
        assert_eq!((said.status.code(), String::from_utf8_lossy(&said.stderr).as_ref()), (Some(0), missing));
        let info = std::fs::read_to_string(place.path().join("a.info")).unwrap();
        for line in ["FNDA:177,fib\n", "FNDA:1,main\n", "FNDA:0,never\n", "DA:3,177\n", "DA:7,0\n"] {
            assert!(info.contains(line), "{line}: {info}");
        }
        let ways =
            info.lines().filter(|l| l.starts_with("BRDA:3,")).filter_map(|l| l.rsplit(',').next()?.parse::<u64>().ok());
        let mut ways: Vec<u64> = ways.collect();
        ways.sort_unstable();
        // 89 of them for n < 2
        assert_eq!(ways, [88, 89], "{info}");
        place.good(&format!("timeline {file} --elf fib -o a.json"));
        assert!(std::fs::read_to_string(place.path().join("a.json")).unwrap().contains("\"fib\""));
        place.good(&format!("report trace {file} --elf fib -o a.html"));
        place.good(&format!("vcd {file} --elf fib -o a.vcd"));
    }
    assert_eq!(profiles[0], profiles[1]);
    // programs of other builds and machines
    std::fs::write(place.path().join("arm.elf"), crate::common::elf_of(40, &[0x13])).unwrap();
    for (words, wanted) in [
        ("profile a.ret --elf builtin:bank", "a.ret: is of ./fib with build id "),
        ("profile a.gtr --elf builtin:bank", "a.gtr: is of ./fib with build id "),
        (
            "profile a.ret --elf builtin:bank --any-build",
            "a.ret: was captured on a machine x86_64, but builtin:bank is a program for RISC-V",
        ),
        (
            "profile a.ret --elf arm.elf --any-build",
            "a.ret: was captured on a machine x86_64, but arm.elf is a program for arm",
        ),
        (
            "gdb a.gtr --elf fib --stdio",
            "fib: ELF machine is 62 (64-bit, little-endian); expected a little-endian RISC-V",
        ),
        ("run fib", "fib: ELF machine is 62 (64-bit, little-endian); expected a little-endian RISC-V"),
    ] {
        let refused = place.session(words);
        assert!(refused.contains(wanted) && refused.ends_with("exit code 2\n"), "{words}: {refused}");
    }
    // a trace that does not contain the code that ran
    place.good("encode builtin:bank --max-instructions 1000 -o b.gtr");
    let refused = place.session("profile b.gtr --elf fib --any-build");
    assert!(
        refused.contains("b.gtr: does not contain the code that ran, and fib is a program for x86_64"),
        "{refused}"
    );
}

#[test]
fn every_command_takes_what_threads_of_rv64_did() {
    let place = place("threads", "riscv64-linux-gnu-gcc");
    let words =
        "capture run --schedule serial:100,jitter,seed=5 --data -o a.ret --rbt1 a.rbt1.zst --mcf a.mcf --mls a.mls \
                 --json -- ./guest 3";
    let told = captured(&place, words);
    assert_eq!((&told["threads"], &told["harts"]), (&json("7"), &json("4")));
    assert_eq!(told["expanded"]["unexplained"], 0);
    assert_eq!(told["schedule"], "serial:100,jitter,seed=5");
    goes_through(&place, "a.ret");
    goes_through(&place, "a.rbt1.zst");
    // with the program itself instead of code learned from the recording
    place.good("encode a.ret -o x.gtr");
    place.good("replay x.gtr --elf guest --check a.ret");
    // descriptors: as many as were counted, with the size given in the thesis
    let sum = |name: &str| told[name].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum::<u64>();
    let size = |file: &str| std::fs::metadata(place.path().join(file)).unwrap().len();
    assert_eq!(size("a.mcf"), 18 * sum("branches"));
    let files = told["files"].as_array().unwrap();
    assert_eq!(files[3]["records"].as_u64().unwrap(), sum("loads") + sum("stores"));
    assert!(size("a.mls") > 20 * (sum("loads") + sum("stores")));
    // the file records how it was made, which is shown
    let made = json(&place.good("export a.ret -o again.rbt1 --json"));
    assert_eq!(made["harts"], 4);
    let encoded = json(&place.good("encode a.ret -o x.gtr --json"));
    let source = encoded["source"].as_str().unwrap();
    assert!(
        source.starts_with("captured under qemu-riscv64 7.2") && source.contains("serial:100,jitter,seed=5"),
        "{source}"
    );
}

#[test]
fn every_command_takes_what_programs_of_other_machines_did() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = place("signals", "gcc");
    let told = captured(&place, "capture run -o a.ret --rbt1 a.rbt1 --json -- ./guest");
    assert_eq!((&told["machine"], &told["expanded"]["signals"]), (&json("\"x86_64\""), &json("7")));
    assert_eq!(told["expanded"]["unexplained"], 0);
    goes_through(&place, "a.ret");
    goes_through(&place, "a.rbt1");
    // a dynamically linked executable, and its own image alone
    let all = captured(&place, "capture run -o b.ret --json -- /bin/true");
    let own = captured(&place, "capture run --own-image -o c.ret --json -- /bin/true");
    let count = |v: &Value| v["expanded"]["instructions"].as_u64().unwrap();
    assert!(count(&own) > 50 && 10 * count(&own) < count(&all), "{} {}", count(&own), count(&all));
    for file in ["b.ret", "c.ret"] {
        place.good(&format!("encode {file} -o x.gtr"));
        place.good(&format!("replay x.gtr --elf {file} --check {file}"));
    }
}

#[test]
fn every_command_takes_conditional_indirect_branches() {
    for set in ["-mthumb", "-marm"] {
        let place = place("arm", &format!("arm-linux-gnueabihf-gcc {set}"));
        let told = captured(&place, "capture run -o a.ret --mcf a.txt -a --json -- ./guest");
        assert_eq!((&told["machine"], &told["expanded"]["unexplained"]), (&json("\"arm\""), &json("0")));
        goes_through(&place, "a.ret");
        for scheme in ["tr_b:large", "nexs", "sc-lsp:ebase-8x4", "tr_e:m4+upper12"] {
            place.good(&format!("encode a.ret --scheme {scheme} -o x.gtr"));
            place.good("replay x.gtr --elf a.ret --check a.ret");
        }
        let text = std::fs::read_to_string(place.path().join("a.txt")).unwrap();
        assert!(text.lines().any(|l| l.ends_with("C, I, NT")) && text.lines().any(|l| l.ends_with("C, I, T")));
        let o = place.output("capture run --rbt1 a.rbt1 -- ./guest");
        let err = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(2) && err.contains("a.rbt1"), "{err}");
        assert!(!place.path().join("a.rbt1").exists());
    }
}

#[test]
fn a_whole_machine_is_captured_encoded_and_replayed() {
    let place = Place::new();
    let elf = format!("{}/../programs/bare/elf/irq.elf", env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(elf, place.path().join("irq.elf")).unwrap();
    let words = "capture run --system --harts 2 --schedule serial:1000 --length 5000000 --end-with-trace -o a.ret --json -- ./irq.elf";
    let told = captured(&place, words);
    assert_eq!((&told["harts"], &told["expanded"]["unexplained"]), (&json("2"), &json("0")));
    assert!(told["source"].as_str().unwrap().starts_with("captured under qemu-system-riscv32 7.2"), "{told}");
    assert!(told["expanded"]["signals"].as_u64().unwrap() > 100, "{told}");
    goes_through(&place, "a.ret");
    for (words, message) in [
        (
            "capture run --system --data -o a.ret -- ./irq.elf",
            "does not report loads and stores of whole machines; `--data` with `--system` needs QEMU 10.0",
        ),
        ("capture run --system -o a.ret -- ./irq.elf x", "x: a program without a system (--system) takes no arguments"),
        (
            "capture run --system --qemu /nowhere/q -o a.ret -- ./irq.elf",
            "of whole machines is needed (Debian's package",
        ),
    ] {
        let o = place.output(words);
        let err = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(2) && err.contains(message), "{words}: {err}");
    }
}

#[test]
fn descriptors_are_lines_and_packed_as_asked() {
    let place = place("flow", "riscv64-linux-gnu-gcc");
    let run = |words: &str| captured(&place, &format!("capture run --length 2000 --json {words} -- ./guest"));
    run("--mcf m.txt --mls l.txt -a -d");
    let text = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    let (m, l) = (text("m.txt"), text("l.txt"));
    for line in m.lines() {
        let fields: Vec<&str> = line.splitn(6, ", ").collect();
        assert!(fields.len() == 6 && fields[0] == "0" && fields[1].len() == 18 && fields[2].len() == 18, "{line}");
        assert!(fields[5].starts_with("T ") || fields[5].starts_with("NT "), "{line}");
    }
    assert!(l.lines().all(|l| l.starts_with("0, L, 0x") || l.starts_with("0, S, 0x")), "{l}");
    assert!(m.lines().any(|l| l.contains("U, D, T j")), "{m}");
    for (name, unpack) in [("gzip", "gzip -dc"), ("zstd", ""), ("bzip2", ""), ("xz", "")] {
        let told = run(&format!("--mcf p --compress {name} -a -d"));
        assert_eq!(told["files"][0]["unpacked"].as_u64().unwrap() as usize, m.len(), "{name}");
        let size = std::fs::metadata(place.path().join("p")).unwrap().len() as usize;
        assert!(size * 3 < m.len(), "{name}: {size}");
        if !unpack.is_empty() {
            let o =
                Command::new("sh").args(["-c", &format!("{unpack} <p")]).current_dir(place.path()).output().unwrap();
            assert_eq!(String::from_utf8(o.stdout).unwrap(), m);
        }
    }
    // loads alone have no letter
    run("--mls o.txt -a --operands loads");
    assert!(text("o.txt").lines().all(|l| l.starts_with("0, 0x")));
}

#[test]
fn what_ends_early_says_so_and_is_readable() {
    let place = place("end", "riscv64-linux-gnu-gcc");
    for (options, how, message, code) in [
        // the exit code is the program's, as for a child of a shell
        ("", "abort", "guest: was ended by signal 6", 128 + 6),
        ("", "kill", "guest: was ended by signal 9", 128 + 9),
        ("", "exec", "guest: called exec", 9),
        ("--length 3000", "x", "guest: the limit of instructions was reached; 3,000 instructions captured", 0),
        ("--mcf m -a -f 1", "work", "", 0),
        ("--qemu /nowhere/q", "x", "/nowhere/q: No such file or directory", 2),
        ("-o /dev/full/x", "x", "/dev/full/x: not a directory", 2),
    ] {
        let o = if options.contains("-o ") {
            place.output(&format!("capture run {options} -- ./guest {how}"))
        } else {
            place.output(&format!("capture run {options} -o a.ret -- ./guest {how}"))
        };
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(code), "{options} {how}: {err}");
        assert!(err.contains(message), "{options} {how}: {err}");
        if code != 2 {
            place.good("stats a.ret");
            place.good("encode a.ret -o x.gtr");
            place.good("replay x.gtr --elf a.ret --check a.ret");
        }
    }
    if std::env::consts::ARCH == "x86_64" {
        std::fs::write(place.path().join("exit.sh"), "exit $1").unwrap();
        for code in [0, 1, 2, 77] {
            let o = place.output(&format!("capture run --json -- /bin/sh exit.sh {code}"));
            assert_eq!(o.status.code(), Some(code), "{}", String::from_utf8_lossy(&o.stderr));
            assert_eq!(json(&String::from_utf8(o.stdout).unwrap())["ended"]["code"], code);
        }
    }
    std::fs::write(place.path().join("text"), "x").unwrap();
    let o = place.output("capture run -o t.ret -- ./text");
    assert_eq!(o.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&o.stderr).starts_with("goshawk: ./text: is not an ELF file"));
    assert!(!place.path().join("t.ret").exists());
}

#[test]
fn a_disk_that_fills_while_the_program_runs_leaves_what_came_before() {
    let place = place("flow", "riscv64-linux-gnu-gcc");
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    // temporary files of the run are on a disk of 256 KiB
    std::fs::create_dir(place.path().join("small")).unwrap();
    let line =
        "mount -t tmpfs -o size=256k none small || exit 77; TMPDIR=$PWD/small exec $G capture run --data -o a.ret -- \
                sh -c 'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); done'";
    let mut command = Command::new("unshare");
    let o = command.args(["-rm", "sh", "-c", line]).env("G", goshawk).current_dir(place.path()).output().unwrap();
    let err = String::from_utf8_lossy(&o.stderr);
    if !o.status.success() && (o.status.code() == Some(77) || err.contains("unshare")) {
        eprintln!("no disk can be mounted here: {err}");
        return;
    }
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("small (temporary file): No space left on device"), "{err}");
    assert!(err.contains("captured up to there"), "{err}");
    let stats = json(&place.good("stats a.ret --json"));
    assert!(stats["instructions"].as_u64().unwrap() > 10_000, "{stats}");
    place.good("encode a.ret -o x.gtr");
    place.good("replay x.gtr --elf a.ret --check a.ret");
}

/// `capture`'s program with routines, compiled with these additional arguments.
fn routines(place: &Place, name: &str, more: &[&str]) {
    let source = |s: &str| format!("{}/../capture/tests/guests/{s}.c", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("riscv64-linux-gnu-gcc");
    command.args(["-O1", "-static", "-pthread", "-g"]).args(more).args(["-o", name]);
    command.args(["routines", "routines_other"].map(source)).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
}

#[test]
fn routines_alone_are_recorded_encoded_and_replayed() {
    let place = Place::new();
    routines(&place, "guest", &[]);
    let run = "capture run --schedule serial:50,jitter,seed=2 --data -o a.ret --json";
    let told = captured(&place, &format!("{run} --routine work --routine leaf -- ./guest"));
    let names: Vec<&str> = told["routines"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["work", "leaf"]);
    assert!(told["source"].as_str().unwrap().contains(", only in work, leaf"), "{told}");
    assert_eq!(told["expanded"]["unexplained"], 0);
    goes_through(&place, "a.ret");
    // the program itself instead of learned code, and the address of each instruction
    place.good("encode a.ret -o x.gtr");
    place.good("replay x.gtr --elf guest --check a.ret");
    // a table, and a routine that is not reached
    let text = place.output("capture run --routine faulty -- ./guest");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("only in") && text.contains("faulty at 0x"), "{text}");
    let o = place.output("capture run --routine work --skip 9999999 -o none.ret -- ./guest");
    let err = String::from_utf8_lossy(&o.stderr);
    assert!(err.contains("no routine of --routine was executed"), "{err}");
    assert_eq!(json(&place.good("stats none.ret --json"))["instructions"], 0);
    // refused before anything is run or written
    routines(&place, "bare", &["-s"]);
    for (program, name, message) in [
        ("guest", "wrok", "no routine `wrok` in its symbols or debug information; there is `work`"),
        ("guest", "twice", "routine `twice` is at 0x"),
        ("guest", "nowhere", "routine `nowhere` was inlined wherever it is called (at 0x"),
        ("bare", "work", "no routine `work`: it has no symbols; expected a program that is not stripped"),
    ] {
        let o = place.output(&format!("capture run --routine {name} -o no.ret -- ./{program}"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!((o.status.code(), err.lines().count()), (Some(2), 1), "{err}");
        assert!(err.starts_with(&format!("goshawk: ./{program}: {message}")) && o.stdout.is_empty(), "{err}");
        assert!(!place.path().join("no.ret").exists());
    }
}

/// Counts a recording independently of the tested code.
#[derive(Default)]
struct Counted {
    /// By the number of a kind in the file.
    kinds: [u64; 16],
    instructions: u64,
    loads: HashMap<u64, u64>,
    stores: HashMap<u64, u64>,
    /// Bytes in the cache of a hart, and those known to its host: for a cache that holds everything, with one byte per
    /// line.
    present: HashSet<(u8, u64)>,
    known: HashSet<(u8, u64)>,
    /// By size: cache hits and misses, hits and misses of flags.
    hits: HashMap<u64, [u64; 4]>,
}

impl RetireSink for Counted {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.kinds[usize::from(e.kind.code())] += 1;
        self.instructions += u64::from(e.count);
    }

    fn data(&mut self, d: &DataEvent) {
        let (size, addr, load) = match d.kind {
            DataKind::Load { size, addr, .. } => (size, addr, true),
            DataKind::Store { size, addr, .. } => (size, addr, false),
            other => panic!("{other:?}"),
        };
        *if load { &mut self.loads } else { &mut self.stores }.entry(size.into()).or_default() += 1;
        let (mut lines, mut flags) = (true, true);
        for byte in addr..addr + u64::from(size) {
            lines &= !self.present.insert((d.hart, byte));
            flags &= !self.known.insert((d.hart, byte));
            for other in (0..16).filter(|h| *h != d.hart && !load) {
                self.known.remove(&(other, byte));
            }
        }
        let hits = self.hits.entry(size.into()).or_default();
        hits[usize::from(!lines)] += 1;
        if load && lines {
            hits[2 + usize::from(!flags)] += 1;
        }
    }
}

const SIZES: [(&str, u64); 4] = [("byte", 1), ("word", 2), ("doubleword", 4), ("quadword", 8)];
const KINDS: [(&str, usize); 8] = [
    ("conditional, not taken", 1),
    ("conditional, taken", 2),
    ("jump", 3),
    ("call", 4),
    ("indirect jump", 5),
    ("indirect call", 6),
    ("return", 7),
    ("swap", 8),
];

#[test]
fn statistics_are_what_the_recording_and_the_descriptors_say() {
    let place = place("threads", "riscv64-linux-gnu-gcc");
    captured(
        &place,
        "capture run --schedule serial:100,jitter,seed=5 --data -o a.ret --mcf m.txt --mls l.txt -a --json \
         --statistics s.json --scheme cfiat:4096k+ways16+line1+gran1 -- ./guest 3",
    );
    let text = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    let found = json(&text("s.json"));
    // totals, from the recording
    let mut counted = Counted::default();
    let mut reader = RetireReader::open(&place.path().join("a.ret")).unwrap();
    reader.read_rest(&mut counted).unwrap();
    let all = &found["all"];
    for (name, code) in KINDS {
        assert_eq!(all["branches"][name], counted.kinds[code], "{name}");
    }
    assert!(KINDS[..7].iter().all(|(_, code)| counted.kinds[*code] > 0), "{:?}", counted.kinds);
    assert_eq!(all["branches"]["all"], counted.kinds[1..9].iter().sum::<u64>());
    assert_eq!(all["instructions"], counted.instructions);
    let of = |map: &HashMap<u64, u64>, size| map.get(&size).copied().unwrap_or(0);
    let values = &found["load_values"];
    let mut flag_misses = 0;
    for (name, size) in SIZES {
        assert_eq!(all["loads"][name], of(&counted.loads, size), "{name}");
        assert_eq!(all["stores"][name], of(&counted.stores, size), "{name}");
        let [hits, misses, flag_hits, flags] = counted.hits.get(&size).copied().unwrap_or_default();
        let pair = |hits, misses| serde_json::json!({ "hits": hits, "misses": misses });
        assert_eq!(values["cache_references"][name], pair(hits, misses), "{name}");
        assert_eq!(values["first_access_flags"][name], pair(flag_hits, flags), "{name}");
        flag_misses += flags;
    }
    assert!(flag_misses > 100 && of(&counted.loads, 8) > 1000, "{flag_misses}");
    // the same with another command, for caches that do not hold everything
    captured(
        &place,
        "capture run --length 20000 -o b.ret --json --data --statistics b.json --scheme cfiat:1k -- ./guest 3",
    );
    let (mine, right) = (json(&text("b.json")), json(&place.good("stats b.ret --scheme cfiat:1k --json")));
    for name in ["cache_references", "cache_loads", "first_access_flags"] {
        assert!(right[name]["total"]["misses"].as_u64().unwrap() > 50, "{right}");
        assert_eq!(mine["load_values"][name], right[name], "{name}");
    }
    // by thread, from the descriptors
    let mut branches: HashMap<(usize, String), u64> = HashMap::new();
    for line in text("m.txt").lines() {
        let fields: Vec<&str> = line.splitn(4, ", ").collect();
        *branches.entry((fields[0].parse().unwrap(), fields[3].to_string())).or_default() += 1;
    }
    let mut operands: HashMap<(usize, bool, u64), u64> = HashMap::new();
    for line in text("l.txt").lines() {
        let fields: Vec<&str> = line.split(", ").collect();
        *operands.entry((fields[0].parse().unwrap(), fields[1] == "L", fields[4].parse().unwrap())).or_default() += 1;
    }
    let threads = found["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 7);
    let number = |v: &Value| v.as_u64().unwrap();
    for (i, thread) in threads.iter().enumerate() {
        let b = &thread["branches"];
        let right = |class: &str| branches.get(&(i, class.to_string())).copied().unwrap_or(0);
        assert_eq!(number(&b["conditional, taken"]), right("C, D, T"), "{i}");
        assert_eq!(number(&b["conditional, not taken"]), right("C, D, NT"), "{i}");
        assert_eq!(number(&b["jump"]) + number(&b["call"]), right("U, D, T"), "{i}");
        let indirect = ["indirect jump", "indirect call", "return", "swap"].map(|k| number(&b[k]));
        assert_eq!(indirect.iter().sum::<u64>(), right("U, I, T"), "{i}");
        for (name, size) in SIZES {
            let of = |load| operands.get(&(i, load, size)).copied().unwrap_or(0);
            assert_eq!((number(&thread["loads"][name]), number(&thread["stores"][name])), (of(true), of(false)), "{i}");
        }
    }
    let instructions: u64 = threads.iter().map(|t| number(&t["instructions"])).sum();
    assert_eq!(instructions, counted.instructions);
}

#[test]
fn operands_of_16_and_32_bytes_are_counted_once() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    let told = captured(&place, "capture run --mls a.txt --ascii --json -- /bin/true");
    let number = |of: &str, name: &str| told[of][name].as_u64().unwrap();
    assert!(number("loads", "octaword") > 10 && number("stores", "octaword") > 10, "{told}");
    // as many bytes as in the descriptors, which have the parts
    let text = std::fs::read_to_string(place.path().join("a.txt")).unwrap();
    let mut bytes: HashMap<&str, u64> = HashMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(", ").collect();
        *bytes.entry(fields[1]).or_default() += fields[4].parse::<u64>().unwrap();
    }
    for (of, letter) in [("loads", "L"), ("stores", "S")] {
        let names = ["byte", "word", "doubleword", "quadword", "octaword", "hexaword"];
        let sum: u64 = (0..).zip(names).map(|(i, name)| number(of, name) << i).sum();
        assert_eq!(sum, bytes[letter], "{of}");
    }
}

#[test]
fn statistics_are_a_table_too() {
    let place = place("flow", "riscv64-linux-gnu-gcc");
    let run = |options: &str| captured(&place, &format!("capture run --json {options} -- ./guest"));
    let text = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    run("--data --statistics s.json");
    run("--data --statistics s.txt --scheme cfiat:1k");
    run("--statistics flow.txt");
    let (found, table, flow) = (json(&text("s.json")), text("s.txt"), text("flow.txt"));
    // the program always does the same: the row of all threads equals that of the object
    let digits = |line: &str| {
        let words = line.split_whitespace().filter_map(|w| w.replace(',', "").parse::<u64>().ok());
        words.collect::<Vec<_>>()
    };
    let rows: Vec<Vec<u64>> = table.lines().filter(|l| l.starts_with("all ")).map(digits).collect();
    let all = &found["all"];
    let named = |of: &str, names: &[&str]| names.iter().map(|n| all[of][n].as_u64().unwrap()).collect::<Vec<_>>();
    let kinds = [
        "conditional, taken",
        "conditional, not taken",
        "jump",
        "call",
        "indirect jump",
        "indirect call",
        "return",
        "swap",
    ];
    let sizes = ["byte", "word", "doubleword", "quadword", "octaword", "hexaword"];
    let first = [vec![all["instructions"].as_u64().unwrap()], named("branches", &kinds)].concat();
    assert_eq!(rows, [named("branches", &["all"]), first, [named("loads", &sizes), named("stores", &sizes)].concat()]);
    assert!(table.contains("cache hits") && !flow.contains("loads") && !flow.contains("cache hits"), "{table}{flow}");
    assert!(found["load_values"].is_null() && !table.contains('\u{1b}'));
    let o = place.output("capture run --statistics /dev/full/x -- ./guest");
    let err = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.code() == Some(2) && err.contains("/dev/full/x: not a directory"), "{err}");
    let o = place.output("capture run --scheme cfiat:1k -- ./guest");
    assert_eq!(o.status.code(), Some(2));
}
