//! Listings with filters, traces with losses and damage, files on standard output, completions and manual pages

use crate::common::Place;

/// A trace of `strsearch`, and its program.
fn traced() -> Place {
    let place = Place::new();
    place.good("run builtin:strsearch --max-instructions 20000 -o x.ret");
    place.good("encode x.ret -o x.gtr");
    place
}

#[test]
fn filters_list_what_they_say() {
    let place = traced();
    let replay = |rest: &str| place.good(&format!("replay x.gtr --elf builtin:strsearch {rest}"));
    // traps are listed between instructions
    let lines = |text: &str| text.lines().filter(|l| !l.contains("trap to")).map(str::to_string).collect::<Vec<_>>();
    let all = lines(&replay(""));
    assert_eq!(all.len(), 20_000);
    assert_eq!(lines(&replay("--first 100 --last 199")), all[100..200]);
    assert_eq!(lines(&replay("--first 100 --limit 3")), all[100..103]);
    let at = |line: &str| {
        let pc = line.split_whitespace().nth(1).unwrap();
        u64::from_str_radix(&pc[2..], 16).unwrap()
    };
    let from = at(&all[10_000]);
    let some: Vec<String> = all.iter().filter(|l| (from..from + 8).contains(&at(l))).cloned().collect();
    assert!(some.len() > 1);
    assert_eq!(lines(&replay(&format!("--range 0x{from:x}..0x{:x}", from + 8))), some);
    let named = replay("--function rt_main --symbols");
    assert!(lines(&named).len() > 3 && lines(&named).iter().all(|l| l.contains("rt_main")), "{named}");
    let shown = place.good("show x.gtr --elf builtin:strsearch --function rt_main --limit 5");
    assert!(shown.contains("rt_main") && shown.contains("  c."), "{shown}");
    for (words, wanted) in [
        ("--function nobody", "has no function `nobody`"),
        ("--range 5..3", "`--range 5..3`: expected FROM..TO with FROM below TO, as 0x80000100..0x80000200"),
        ("--first 9 --last 3", "the range is empty"),
    ] {
        let told = place.session(&format!("replay x.gtr --elf builtin:strsearch {words}"));
        assert!(told.contains(wanted) && told.ends_with("exit code 2\n"), "{told}");
    }
}

#[test]
fn a_profile_says_when_it_omits_functions() {
    let place = Place::new();
    place.good("run builtin:fsm --max-instructions 300000 -o x.ret");
    let profile = |words: &str| {
        let output = place.output(&format!("profile x.ret --elf builtin:fsm {words}"));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(profile(""), "goshawk: 20 of 25 functions; `--limit N` lists more\n");
    assert_eq!(profile("--limit 3"), "");
    assert_eq!(profile("--json"), "");
}

#[test]
fn times_part_a_listing() {
    let place = Place::new();
    place.good("run builtin:strsearch --harts 2 --max-instructions 20000 -o x.ret");
    place.good("encode x.ret --timestamps -o x.gtr");
    let of = |command: &str, rest: &str| place.good(&format!("{command} x.gtr --elf builtin:strsearch {rest}"));
    let lines = |text: &str| text.lines().filter(|l| l.starts_with("   ") && l.contains("0x")).count();
    for command in ["replay", "show"] {
        let parts = ["--to 4999", "--from 5000 --to 7999", "--from 8000"].map(|p| of(command, p));
        let counts = parts.each_ref().map(|p| lines(p));
        assert_eq!(counts.iter().sum::<usize>(), lines(&of(command, "")), "{counts:?}");
        assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
    }
    let shown = of("show", "--from 5000 --to 7999");
    let cycles: Vec<u64> =
        shown.lines().filter_map(|l| l.split_once("  cycle ")?.1.split(' ').next()?.parse().ok()).collect();
    assert!(cycles.len() > 10 && cycles.iter().all(|c| (5000..8000).contains(c)), "{cycles:?}");
    place.good("encode x.ret -o plain.gtr");
    for (words, wanted) in [
        ("replay x.gtr --elf builtin:strsearch --from 9 --to 3", "the range is empty"),
        ("show plain.gtr --elf builtin:strsearch --from 9", "plain.gtr: has no time stamps for `--from` and `--to`"),
        ("replay plain.gtr --elf builtin:strsearch --to 9", "plain.gtr: has no time stamps for `--from` and `--to`"),
    ] {
        let told = place.session(words);
        assert!(told.contains(wanted) && told.ends_with("exit code 2\n"), "{told}");
    }
}

#[test]
fn damage_ends_the_listing_and_is_located() {
    let place = Place::new();
    // longer than a block of the file, so that the first block can be read
    place.good("run builtin:strsearch --max-instructions 1000000 -o x.ret");
    place.good("encode x.ret --encoding nx_b -o x.gtr");
    let whole = place.good("replay x.gtr --elf builtin:strsearch");
    let file = std::fs::read(place.path().join("x.gtr")).unwrap();
    assert!(file.len() > 80_000, "{}", file.len());
    std::fs::write(place.path().join("cut.gtr"), &file[..file.len() - 40]).unwrap();
    let o = place.output("replay cut.gtr --elf builtin:strsearch");
    let (out, err) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
    assert_eq!(o.status.code(), Some(2));
    assert!(err.contains("cut.gtr: byte") && err.contains("the output ends there"), "{err}");
    assert!(out.lines().count() > 1000 && whole.starts_with(&out[..out.len() / 2]), "a listing up to the damage");
    for words in [
        "replay cut.gtr --elf builtin:strsearch --summary",
        "replay cut.gtr --elf builtin:strsearch --check x.ret",
        "profile cut.gtr --elf builtin:strsearch",
        "coverage cut.gtr --elf builtin:strsearch -o cut.info",
        "timeline cut.gtr --elf builtin:strsearch -o cut.json",
        "vcd cut.gtr --elf builtin:strsearch -o cut.vcd",
        "decode cut.gtr --elf builtin:strsearch --json",
    ] {
        let o = place.output(words);
        let err = String::from_utf8(o.stderr).unwrap();
        assert_eq!((o.status.code(), err.matches("the output ends there").count()), (Some(2), 1), "{words}: {err}");
    }
    for file in ["cut.info", "cut.json", "cut.vcd"] {
        assert!(std::fs::metadata(place.path().join(file)).unwrap().len() > 100, "{file}");
    }
}

#[test]
fn losses_are_in_the_last_line_and_in_the_exit_code() {
    use sim::file::{TraceInfo, TraceReader, TraceWriter};
    let place = Place::new();
    place.good("encode builtin:strsearch --max-instructions 60000 --sync-period 12 -o x.gtr");
    let path = place.path().join("x.gtr");
    let mut reader = TraceReader::<TraceInfo>::open(&path).unwrap();
    let info = reader.info().clone();
    let words: Vec<u32> = reader.by_ref().collect();
    let mut seen = 0;
    for at in (words.len() / 4..words.len() / 2).step_by(8) {
        // wrong words with the right checksum, as from a noisy line
        let mut words = words.clone();
        words[at] ^= 0x0f0f_0f0f;
        let mut writer = TraceWriter::create(&path, &info).unwrap();
        writer.write(words).unwrap();
        writer.finish().unwrap();
        let o = place.output("replay x.gtr --elf builtin:strsearch --resume --summary");
        let (out, err) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
        if err.contains("damaged, read on") && out.contains("speed") {
            seen += 1;
            assert_eq!(o.status.code(), Some(2), "{out}{err}");
            assert!(out.lines().last().unwrap().starts_with("lost "), "{out}");
            assert!(err.lines().last().unwrap().contains("the trace lost "), "{err}");
        }
    }
    assert!(seen > 0);
}

#[test]
fn messages_are_lines_of_json() {
    let place = traced();
    let text = place.good("decode x.gtr --elf builtin:strsearch --json");
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["command"], "decode");
    assert!(lines.len() > 10 && lines[1..].iter().enumerate().all(|(i, m)| m["message"] == i), "{text}");
    let listed = place.good("decode x.gtr --elf builtin:strsearch");
    assert_eq!(listed.lines().count(), lines.len());
}

#[test]
fn a_minus_is_standard_output() {
    let place = traced();
    for words in [
        "run builtin:strsearch --max-instructions 20000 -o",
        "encode x.ret -o",
        "export x.ret -o",
        "coverage x.gtr --elf builtin:strsearch -o",
        "timeline x.gtr --elf builtin:strsearch -o",
        "profile x.gtr --elf builtin:strsearch --folded",
    ] {
        assert_eq!(place.output(&format!("{words} file")).status.code(), Some(0), "{words}");
        let o = place.output(&format!("{words} -"));
        assert_eq!(o.status.code(), Some(0), "{words}");
        assert_eq!(o.stdout, std::fs::read(place.path().join("file")).unwrap(), "{words}");
    }
    assert!(!place.path().join("-").exists());
}

#[test]
fn shells_and_man_get_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = place.good(&format!("completions {shell}"));
        assert!(text.contains("who-wrote") && text.contains("max-instructions"), "{shell}");
    }
    place.good("man pages/man1");
    let page = std::fs::read_to_string(place.path().join("pages/man1/goshawk-run.1")).unwrap();
    assert!(page.contains("exit") && page.contains("0x80000000"), "{page}");
    assert!(place.path().join("pages/man1/goshawk-soc-sim.1").exists());
}

#[test]
fn two_plans_in_one_folder_do_not_replace_each_others_results() {
    let place = Place::new();
    place.good("sweep --trace p.elf --set small,m4 -o s");
    let before = std::fs::read_to_string(place.path().join("s/results.csv")).unwrap();
    let told = place.session("sweep --trace p.elf --set s0 -o s");
    assert!(told.contains(" points of another plan") && told.ends_with("exit code 2\n"), "{told}");
    assert_eq!(std::fs::read_to_string(place.path().join("s/results.csv")).unwrap(), before);
    // a plan that contains all earlier points continues the sweep
    place.good("sweep --trace p.elf --set small,m4,s0 -o s");
    let after = std::fs::read_to_string(place.path().join("s/results.csv")).unwrap();
    assert!(after.lines().count() > before.lines().count() && before.lines().all(|l| after.contains(l)), "{after}");
}

#[test]
fn the_version_names_the_commit_or_nothing() {
    let place = Place::new();
    let text = place.good("--version");
    let rest = text.trim().strip_prefix(concat!("goshawk ", env!("CARGO_PKG_VERSION"))).unwrap();
    let commit = rest.strip_prefix(" (").and_then(|r| r.strip_suffix(')'));
    assert!(
        rest.is_empty() || commit.is_some_and(|c| c.len() >= 10 && c.bytes().all(|b| b.is_ascii_hexdigit())),
        "{text}"
    );
}

/// Runs a Debian tool in the folder; `tools/setup` installs it.
fn tool(place: &Place, folder: &str, words: &str) -> String {
    let mut words = words.split(' ');
    let mut command = std::process::Command::new(words.next().unwrap());
    let output = command.args(words).current_dir(place.path().join(folder)).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn genhtml_reads_coverage() {
    let place = Place::new();
    place.good("encode builtin:bank --harts 4 --scheme inputs --max-instructions 100000 -o bank.gip");
    let told = place.good("coverage bank.gip --elf builtin:bank -o bank.info");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/bare");
    let to = place.path().join("pages");
    let info = place.path().join("bank.info");
    let words = format!("genhtml --branch-coverage --quiet --output-directory {} {}", to.display(), info.display());
    tool(&place, sources, &words);
    let index = std::fs::read_to_string(to.join("index.html")).unwrap();
    // `lines     212 of 315, 67.30 %`, and the same for branches
    for line in told.lines().take(2) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for n in [words[1], words[3].trim_end_matches(',')] {
            assert!(index.contains(&format!("headerCovTableEntry\">{n}</td>")), "{n} of {line}");
        }
    }
    assert!(to.join("src/bank.c.gcov.html").exists());
}

/// Line 2 is inlined in two places; line 3 has two conditions.
const CONDITIONS: &str = "volatile unsigned input[6] = {1, 0, 3, 1, 5, 6}, output;
static inline void note(unsigned n) { if (n > 4) output += n; }
static void both(unsigned a, unsigned b) { if (a && b) output = 1; else output = 2; }
int main(void)
{
    for (unsigned i = 0; i < 6; i++) { unsigned a = input[i]; note(a); both(a, i); }
    note(input[0]);
    return 0;
}
";

/// Builds [`CONDITIONS`] and measures its coverage; returns the branches of lines 2 and 3.
fn conditions(place: &Place, level: &str) -> Vec<String> {
    let faults = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/faults");
    std::fs::write(place.path().join("conditions.c"), CONDITIONS).unwrap();
    tool(
        place,
        ".",
        &format!(
            "riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32 {level} -g -ffreestanding -nostdlib -static \
             -Wl,--no-warn-rwx-segments -T {faults}/link.ld {faults}/start.S conditions.c -o conditions.elf"
        ),
    );
    place.good("encode conditions.elf --scheme inputs -o conditions.gip");
    let name = format!("{}.info", &level[1..]);
    place.good(&format!("coverage conditions.gip --elf conditions.elf --include *conditions.c -o {name}"));
    let text = std::fs::read_to_string(place.path().join(name)).unwrap();
    let branches = text.lines().filter(|l| l.starts_with("BRDA:2,") || l.starts_with("BRDA:3,"));
    branches.map(str::to_string).collect()
}

#[test]
fn copies_of_a_condition_are_added_and_columns_number_the_conditions_of_a_line() {
    let place = Place::new();
    // 4 >= n, so `4 < n` does not hold for five of seven values; a is 0 once, and i is 0 in another round
    let plain = ["BRDA:2,42,0,5", "BRDA:2,42,1,2", "BRDA:3,47,0,5", "BRDA:3,47,1,1", "BRDA:3,50,0,4", "BRDA:3,50,1,1"];
    let builds = ["-O0", "-O1"].map(|level| conditions(&place, level));
    assert_eq!(builds[0], plain);
    // an optimised build decides some conditions at compile time; those of line 2 and all names are the same
    assert_eq!(builds[1][..2], plain[..2]);
    let split = |branch: &String| {
        let (name, count) = branch.rsplit_once(',').unwrap();
        (name.to_string(), count.parse::<u64>().unwrap())
    };
    let added = builds[0].iter().zip(&builds[1]).map(|(a, b)| {
        let ((name, a), (same, b)) = (split(a), split(b));
        assert_eq!(name, same);
        format!("{name},{}", a + b)
    });
    // the comparisons of the two builds are opposite in part
    tool(&place, ".", "lcov --quiet --rc lcov_branch_coverage=1 -a O0.info -a O1.info -o both.info");
    let both = std::fs::read_to_string(place.path().join("both.info")).unwrap();
    let merged = both.lines().filter(|l| l.starts_with("BRDA:2,") || l.starts_with("BRDA:3,")).collect::<Vec<_>>();
    assert_eq!(merged, added.collect::<Vec<_>>());
}

#[test]
fn coverage_selects_files_and_adds_runs() {
    let place = Place::new();
    place.good("encode builtin:bank --harts 2 --scheme inputs --max-instructions 50000 -o a.gip");
    place.good("encode builtin:bank --harts 2 --scheme inputs --max-instructions 20000 -o b.gip");
    let json = |words: &str| -> serde_json::Value {
        serde_json::from_str(&place.good(&format!("coverage {words} --elf builtin:bank -o x.info --json"))).unwrap()
    };
    let info = || std::fs::read_to_string(place.path().join("x.info")).unwrap();
    let all = json("a.gip");
    let paths: Vec<String> =
        all["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap().to_string()).collect();
    assert!(paths.len() > 1 && info().matches("SF:").count() == paths.len(), "{paths:?}");
    let one = json("a.gip --include *bank.c --map ./src/=code/");
    assert_eq!((one["files"].as_array().unwrap().len(), one["files"][0]["path"].as_str()), (1, Some("code/bank.c")));
    assert!(info().contains("SF:code/bank.c\n") && info().contains(",get_balance\n"), "{}", info());
    let functions = |found: &serde_json::Value, key: &str| found["functions"][key].as_u64().unwrap();
    assert_eq!(info().matches("\nFN:").count() as u64, functions(&one, "found"));
    let rest = json("a.gip --exclude *bank.c");
    assert_eq!(functions(&one, "found") + functions(&rest, "found"), functions(&all, "found"));
    // calls of two runs are added
    let calls = |words: &str| -> u64 {
        json(words);
        let text = info();
        let line = text.lines().find(|l| l.starts_with("FNDA:") && l.ends_with(",get_balance")).unwrap().to_string();
        line[5..].split(',').next().unwrap().parse().unwrap()
    };
    assert_eq!(calls("a.gip b.gip"), calls("a.gip") + calls("b.gip"));
    let listed = place.good("coverage a.gip --elf builtin:bank -o x.info --limit 1");
    assert!(listed.contains("functions ") && listed.lines().last().unwrap().starts_with(&paths[0]), "{listed}");
    let none = place.session("coverage a.gip --elf builtin:bank -o x.info --skip-missing");
    assert!(none.contains("left out source files that do not exist: ") && none.ends_with("exit code 2\n"), "{none}");
    std::fs::create_dir(place.path().join("src")).unwrap();
    std::fs::write(place.path().join("src/bank.c"), "").unwrap();
    let some = place.output("coverage a.gip --elf builtin:bank -o x.info --skip-missing");
    assert_eq!((some.status.code(), info().matches("SF:").count()), (Some(0), 1));
}

#[test]
fn gtkwave_reads_a_vcd_and_gives_back_every_change() {
    let place = Place::new();
    place.good("encode builtin:bank --harts 4 --scheme inputs --max-instructions 20000 -o bank.gip");
    place.good("vcd bank.gip --elf builtin:bank --registers --to 3000 -o bank.vcd");
    // from a pipe, as docs/how-to/replay.md shows
    let pipe = std::process::Command::new("bash")
        .args(["-c", "cat bank.vcd | vcd2fst - bank.fst"])
        .current_dir(place.path())
        .status();
    assert!(pipe.unwrap().success());
    tool(&place, ".", "fst2vcd bank.fst -o back.vcd");
    let changes = |file: &str| {
        let text = std::fs::read_to_string(place.path().join(file)).unwrap();
        let body = text.split("$enddefinitions $end").nth(1).unwrap().to_string();
        let (mut time, mut all) = (String::new(), Vec::new());
        for line in body.lines() {
            match line.as_bytes().first() {
                Some(b'#') => time = line.into(),
                // the initial values are in another order
                Some(b'b' | b's') if time != "#0" => all.push(format!("{time} {line}")),
                _ => {}
            }
        }
        all.sort();
        all
    };
    let (ours, theirs) = (changes("bank.vcd"), changes("back.vcd"));
    assert!(ours.len() > 3000, "{}", ours.len());
    assert_eq!(ours.len(), theirs.len());
    for (a, b) in ours.iter().zip(&theirs) {
        assert_eq!(a, b);
    }
}

#[test]
fn folders_and_patterns_name_traces() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("runs")).unwrap();
    place.good("run p.elf -o runs/b.ret");
    place.good("run p.elf --harts 2 -o runs/a.ret");
    place.good("export p.elf -o runs/c.rbt1");
    place.good("encode p.elf -o runs/d.gtr");
    std::fs::write(place.path().join("runs/notes.txt"), "no trace").unwrap();
    let traces = |words: &str| {
        let text = place.good(&format!("sweep --trace {words} --dry-run --json -o s"));
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        let all = object["traces"].as_array().unwrap().iter().map(|t| t["trace"].as_str().unwrap().to_string());
        all.collect::<Vec<_>>()
    };
    assert_eq!(traces("runs"), ["runs/a.ret", "runs/b.ret", "runs/c.rbt1"]);
    assert_eq!(traces("runs/*.ret,p.elf"), ["runs/a.ret", "runs/b.ret", "p.elf"]);
    std::fs::create_dir(place.path().join("none")).unwrap();
    for words in ["none", "none/*.ret", "x[*"] {
        let told = place.session(&format!("sweep --trace {words} --dry-run -o s"));
        assert!(told.contains(words) && told.ends_with("exit code 2\n"), "{told}");
    }
}

/// Traces and recordings that were cut are summed up, checked and compared up to the cut.
#[test]
fn a_file_that_was_cut_is_compared_up_to_the_cut() {
    let place = Place::new();
    let run = "builtin:bank --harts 2 --max-instructions 300000";
    place.good(&format!("run {run} -o whole.ret"));
    place.good(&format!("encode {run} --scheme inputs -o whole.gip"));
    place.good(&format!("encode {run} -o whole.gtr"));
    for kind in ["gip", "gtr"] {
        let bytes = std::fs::read(place.path().join(format!("whole.{kind}"))).unwrap();
        std::fs::write(place.path().join(format!("cut.{kind}")), &bytes[..bytes.len() * 2 / 3]).unwrap();
        for (words, wanted) in [
            (format!("replay cut.{kind} --elf builtin:bank --summary"), "\ninstructions  "),
            (format!("replay cut.{kind} --elf builtin:bank --check whole.ret"), ", event by event, up to the damage\n"),
            (
                format!("diff cut.{kind} whole.{kind} --elf builtin:bank"),
                "the same in every instruction of 2 cores, up to the damage\n",
            ),
            (
                format!("diff whole.{kind} cut.{kind} --elf builtin:bank"),
                "the same in every instruction of 2 cores, up to the damage\n",
            ),
        ] {
            let output = place.output(&words);
            let [said, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            assert!(said.contains(wanted), "{words}: {said}{error}");
            assert!(
                error.contains("it was cut; the output ends there") && !said.contains("300,000"),
                "{words}: {error}"
            );
            assert_eq!(output.status.code(), Some(2), "{words}");
        }
        let found: serde_json::Value = serde_json::from_slice(
            &place.output(&format!("diff cut.{kind} whole.{kind} --elf builtin:bank --json")).stdout,
        )
        .unwrap();
        assert!(found["equal"].is_null() && found["damage"][0].is_string() && found["damage"][1].is_null(), "{found}");
    }
}

#[test]
fn a_trace_may_go_on_after_the_end_of_the_recording() {
    let place = Place::new();
    place.good("run builtin:bank --max-instructions 1000 -o short.ret");
    place.good("encode builtin:bank --max-instructions 2000 -o long.gtr");
    let text = place.good("replay long.gtr --elf builtin:bank --check short.ret");
    assert!(text.contains("equal up to the end of short.ret (1,000 instructions); the trace goes on\n"), "{text}");
    let text = place.good("replay long.gtr --elf builtin:bank --check short.ret --json");
    let check = &serde_json::from_str::<serde_json::Value>(&text).unwrap()["check"];
    assert_eq!((&check["equal"], &check["goes_on"]), (&serde_json::json!(true), &serde_json::json!(true)));
    // a trace that ends before the recording is different
    place.good("run builtin:bank --max-instructions 2000 -o long.ret");
    place.good("encode builtin:bank --max-instructions 1000 -o short.gtr");
    let text = place.session("replay short.gtr --elf builtin:bank --check long.ret");
    assert!(text.contains("event ") && text.ends_with("exit code 1\n"), "{text}");
}

#[test]
fn time_stamps_are_refused_for_a_recording_without_cycles() {
    let place = Place::new();
    place.good("export builtin:bank -o bank.rbt1");
    for words in ["encode bank.rbt1 --timestamps -o x.gtr", "stats bank.rbt1 --timestamps"] {
        let text = place.session(words);
        assert!(text.contains("bank.rbt1: has no cycles, ") && text.ends_with("exit code 2\n"), "{text}");
    }
    assert!(!place.path().join("x.gtr").exists());
}
