//! `goshawk capture run`: every command takes what it wrote; what is refused or cut says so

mod common;

use common::Place;
use serde_json::Value;
use std::process::Command;

/// A folder with a program of the crate `capture`'s tests in it, compiled.
fn place(name: &str, compiler: &str) -> Place {
    let place = Place::new();
    let source = format!("{}/../capture/tests/guests/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(compiler);
    command.args(["-O1", "-static", "-pthread", "-o", "guest"]).arg(source).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// As `good`, where the program writes to standard error.
fn captured(place: &Place, words: &str) -> Value {
    let o = place.output(words);
    assert_eq!(o.status.code(), Some(0), "{words}: {}", String::from_utf8_lossy(&o.stderr));
    json(&String::from_utf8(o.stdout).unwrap())
}

/// Encodes, decodes back and compares, counts, sweeps.
fn goes_through(place: &Place, file: &str) {
    for scheme in ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4"] {
        place.good(&format!("encode {file} --scheme {scheme} -o x.gtr"));
        let told = place.good(&format!("replay x.gtr --elf {file} --check {file}"));
        assert!(told.contains("equal") || told.contains("checked"), "{file} {scheme}: {told}");
    }
    let stats = json(&place.good(&format!("stats {file} --json")));
    assert!(stats["instructions"].as_u64().unwrap() > 5000, "{file}");
    // the order of its events is no time
    assert!(stats["cycles"].is_null() && stats["bits_per_cycle"].is_null(), "{file}: {stats}");
    let folder = format!("{file}.sweep");
    let o = place.output(&format!("sweep --trace {file} --encoding tr_e,golomb --set small -o {folder}"));
    assert_eq!(o.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&o.stderr));
    let results = std::fs::read_to_string(place.path().join(folder).join("results.csv")).unwrap();
    assert_eq!(results.lines().count(), 3, "{results}");
    assert!(!results.contains("unverified"), "{results}");
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
    // with the program itself in the place of what is learned from the recording
    place.good("encode a.ret -o x.gtr");
    place.good("replay x.gtr --elf guest --check a.ret");
    // descriptors: as many as were counted, of the size that the thesis says
    let sum = |name: &str| told[name].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum::<u64>();
    let size = |file: &str| std::fs::metadata(place.path().join(file)).unwrap().len();
    assert_eq!(size("a.mcf"), 18 * sum("branches"));
    let files = told["files"].as_array().unwrap();
    assert_eq!(files[3]["records"].as_u64().unwrap(), sum("loads") + sum("stores"));
    assert!(size("a.mls") > 20 * (sum("loads") + sum("stores")));
    // how it was made is in the file, and is shown
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
    // a dynamic executable, and its own image alone
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
        ("", "abort", "guest: was ended by signal 6", 0),
        ("", "kill", "guest: was ended by signal 9", 0),
        ("", "exec", "guest: called exec", 0),
        ("--length 3000", "x", "guest: the limit of instructions was reached; 3000 instructions captured", 0),
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
        if code == 0 {
            place.good("stats a.ret");
            place.good("encode a.ret -o x.gtr");
            place.good("replay x.gtr --elf a.ret --check a.ret");
        }
    }
    std::fs::write(place.path().join("text"), "x").unwrap();
    let o = place.output("capture run -o t.ret -- ./text");
    assert_eq!(o.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&o.stderr).starts_with("goshawk: ./text: is no ELF file"));
    assert!(!place.path().join("t.ret").exists());
}

#[test]
fn a_disk_that_is_full_leaves_no_file_behind() {
    let place = place("flow", "riscv64-linux-gnu-gcc");
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    // files of at most 18 MB: enough for the ring, not for the descriptors
    let line = "trap '' XFSZ; ulimit -f 36000; exec $G capture run --mls l.txt -a -- sh -c \
                'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); done'";
    let o = Command::new("sh").args(["-c", line]).env("G", goshawk).current_dir(place.path()).output().unwrap();
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("l.txt: File too large"), "{err}");
    assert!(!place.path().join("l.txt").exists());
    let left: Vec<_> = place.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|n| ["guest", "p.elf"].iter().any(|k| n == k)), "{left:?}");
}
