//! `goshawk sweep`: output, continuation and errors

use crate::common::Place;
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

const SWEEP: &str = "sweep --trace p.elf,builtin:fft --max-instructions 50000 --encoding tr_e,nx_b --set s0,m4";

/// Exit code and standard error of the command.
fn refused(place: &Place, words: &str) -> (Option<i32>, String) {
    let output = place.command(words).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_sweep_prints_its_totals_and_goes_on_from_what_is_there() {
    let place = Place::new();
    let output = place.command(&format!("{SWEEP} -o s --harts 1,2")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("12 points in s/results.csv, 0 of them from before\n"), "{text}");
    let again = place.command(&format!("{SWEEP} -o s --harts 1,2 --json")).output().unwrap();
    let object: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&object["points"], &object["points_from_before"]), (&12.into(), &12.into()));
    // the totals equal those of the table, and the table that of the file
    let totals = object["totals"].as_array().unwrap();
    assert_eq!(totals.len(), 6);
    for t in totals {
        let (mut bits, mut instructions) = (0, 0);
        for record in csv::Reader::from_path(place.path().join("s/results.csv")).unwrap().records() {
            let r = record.unwrap();
            if r[2] == t["scheme"] && r[1].parse().ok() == t["harts"].as_u64() {
                bits += r[8].parse::<u64>().unwrap();
                instructions += r[6].parse::<u64>().unwrap();
                assert_eq!(&r[21], "equal");
            }
        }
        assert_eq!((&t["bits"], &t["instructions"]), (&bits.into(), &instructions.into()));
        assert!(text.contains(&format!("{:.4}", bits as f64 / instructions as f64)), "{t}\n{text}");
    }
}

#[test]
fn shards_merge_and_a_missing_one_is_reported() {
    let place = Place::new();
    for shard in 1..=3 {
        place.command(&format!("{SWEEP} -o part{shard} --shard {shard}/3")).assert().success();
    }
    place.command(&format!("{SWEEP} -o whole")).assert().success();
    place.command("sweep merge part3 part1 part2 -o merged").assert().success();
    let table = |folder: &str| -> Vec<Vec<String>> {
        let mut reader = csv::Reader::from_path(place.path().join(folder).join("results.csv")).unwrap();
        // all columns except the seconds
        reader
            .records()
            .map(|r| r.unwrap().iter().enumerate().filter(|c| c.0 != 23).map(|c| c.1.into()).collect())
            .collect()
    };
    assert_eq!(table("merged"), table("whole"));
    assert_eq!(table("merged").len(), 6);
    let (code, text) = refused(&place, "sweep merge part1 part3 -o merged");
    assert_eq!((code, text.as_str()), (Some(2), "goshawk: shard 2/3 is missing; all of them must be given\n"));
    let (code, text) = refused(&place, "sweep merge part1 whole part3 -o merged");
    assert_eq!(code, Some(2));
    assert_eq!(text, "goshawk: whole: its number of shards is not that of part1; shards of one sweep can be merged\n");
}

#[test]
fn a_sweep_that_left_points_out_says_so_and_does_not_exit_with_0() {
    let place = Place::new();
    let words = "sweep --trace p.elf --encoding tr_e:m4,gzip-1 --timestamps both";
    for more in ["-o s", "-o s --dry-run"] {
        let o = place.command(&format!("{words} {more}")).output().unwrap();
        let (text, error) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
        assert_eq!(o.status.code(), Some(2), "{error}");
        assert_eq!(error, "goshawk: left out: gzip-1 with time stamps: it has no time\n");
        assert!(text.contains("3 points"), "{text}");
    }
    let o = place.command(&format!("{words} -o s --json")).output().unwrap();
    let object: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert_eq!(object["left_out"], serde_json::json!(["gzip-1 with time stamps: it has no time"]));
    assert_eq!((&object["points"], &object["points_from_before"]), (&3.into(), &3.into()));
    // if its program is given, a recording can be measured with E-Trace
    place.good("run p.elf --timing functional -o p.ret");
    let etrace = "sweep --trace p.ret --encoding etrace -o e";
    let (code, error) = refused(&place, etrace);
    assert_eq!(code, Some(2));
    assert!(error.ends_with("it needs the program of this recording, in `--elf`\n"), "{error}");
    place.command(&format!("{etrace} --elf p.elf")).assert().success();
}

#[test]
fn what_cannot_be_swept_is_reported() {
    let place = Place::new();
    place.good("run p.elf --timing functional -o p.ret");
    let whole = std::fs::read(place.path().join("p.ret")).unwrap();
    std::fs::write(place.path().join("cut.ret"), &whole[..whole.len() - 5]).unwrap();
    std::fs::write(place.path().join("notes.txt"), "no trace at all").unwrap();
    std::fs::write(place.path().join("plan.toml"), "traces = [\"p.elf\"]\nschemes = [\"tr_e\"]\n").unwrap();
    std::fs::write(place.path().join("file"), "").unwrap();
    let commands = [
        "sweep",
        "sweep -o s",
        "sweep -o s --trace missing.elf",
        "sweep -o s --trace notes.txt",
        "sweep -o s --trace cut.ret",
        "sweep -o s --trace builtin:nothing",
        "sweep -o s --trace p.elf --set huge",
        "sweep -o s --trace p.elf --encoding morse",
        "sweep -o s --trace p.elf --harts 9",
        "sweep -o s --trace p.elf --shard 3/2",
        "sweep -o s --plan plan.toml",
        "sweep -o file --trace p.elf",
        "sweep -o /dev/full --trace p.elf",
        "sweep merge absent -o s",
    ];
    let text = commands.iter().fold(String::new(), |mut text, c| {
        let (code, error) = refused(&place, c);
        assert_eq!(code, Some(2), "{c}: {error}");
        let _ = writeln!(text, "$ goshawk {c}\n{error}");
        text
    });
    insta::assert_snapshot!(text);
    assert!(!place.path().join("s/results.csv").exists());
}

#[test]
fn names_say_widths_and_synchronisation_as_the_flags_of_encode_do() {
    let place = Place::new();
    place.good(
        "sweep --trace builtin:fft --max-instructions 300000 --encoding tr_e,nx_b+sync12,nexs+count16 \
        --set small,small+shift2+count16+align0+sync12,small+cc16 --timestamps both -o s",
    );
    let mut bits = std::collections::HashMap::new();
    for r in csv::Reader::from_path(place.path().join("s/results.csv")).unwrap().records().map(Result::unwrap) {
        assert_eq!(&r[21], "equal", "{r:?}");
        let timed = &r[5] == "true";
        bits.insert((r[2].to_string(), timed), r[8].parse::<u64>().unwrap());
    }
    assert_eq!(bits.len(), 10, "{bits:?}");
    for (scheme, flags) in [
        ("tr_e:small", "--set small"),
        (
            "tr_e:small+shift2+count16+align0+sync12",
            "--set small --pc-shift 2 --count-bits 16 --align 0 --sync-period 12",
        ),
        ("tr_e:small+cc16", "--set small --cc-bits 16"),
        ("nx_b+sync12", "--encoding nx_b --sync-period 12"),
        ("nexs+count16", "--encoding nexs --count-bits 16"),
    ] {
        for (timed, stamps) in [(false, ""), (true, "--timestamps")] {
            // the width of the cycle counter changes nothing without time stamps, where `stats` refuses it
            let flags = if timed { flags } else { flags.trim_end_matches(" --cc-bits 16") };
            let told = place.good(&format!("stats builtin:fft --max-instructions 300000 {flags} {stamps} --json"));
            let object: Value = serde_json::from_str(&told).unwrap();
            let found = bits[&(scheme.to_string(), timed)];
            assert_eq!(object["bits"], found, "{scheme} {timed}");
        }
    }
    let (code, error) =
        refused(&place, "sweep --trace builtin:fft --max-instructions 9000 --encoding nx_b+align2 --no-verify -o a");
    assert_eq!(code, Some(2));
    assert!(error.contains("nx_b+align2: branch targets of which only 1 low bits are 0"), "{error}");
}

#[test]
fn a_second_plan_does_not_replace_the_results_of_the_first() {
    let place = Place::new();
    let one = "sweep --trace p.elf --encoding nx_b";
    let other = "sweep --trace p.elf --encoding nexs";
    place.good(&format!("{one} -o s"));
    let kept = || ["results.csv", "sweep.json"].map(|f| std::fs::read(place.path().join("s").join(f)).unwrap());
    let before = kept();
    place.good(&format!("{other} -o t"));
    for words in [&format!("{other} -o s"), "sweep merge t -o s"] {
        let (code, error) = refused(&place, words);
        assert_eq!(code, Some(2), "{words}: {error}");
        assert!(
            error.contains("s: holds 1 point") && error.contains("`--output` must name another folder"),
            "{words}: {error}"
        );
        assert!(before == kept(), "{words}");
    }
    // a plan that extends the first one is accepted
    place.good("sweep --trace p.elf --encoding nx_b,nexs -o s");
    assert!(before != kept());
}

/// Runs a shell that mounts a file system of `size` at `disk`, if permitted: as root, or in a user namespace.
fn with_small_disk(place: &Place, size: &str, then: &str) -> Option<std::process::Output> {
    let script = format!("mount -t tmpfs -o size={size} tmpfs disk && echo mounted && {then}");
    std::fs::create_dir_all(place.path().join("disk")).unwrap();
    let output = Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(place.path()).output().ok()?;
    output.stdout.starts_with(b"mounted").then_some(output)
}

#[test]
fn finished_points_survive_a_full_disk_and_are_not_run_again() {
    let place = Place::new();
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    let sweep = format!("{} {SWEEP} --harts 1,2,4 --timestamps both -o disk/s", goshawk.display());
    // the second run has the space that a file took from the first one
    let script = format!(
        "head -c 400k /dev/zero >disk/ballast; {sweep} >&2; echo code $?; ls disk/s/points | wc -l; rm disk/ballast; {sweep} --json"
    );
    let Some(output) = with_small_disk(&place, "512k", &script) else {
        eprintln!(
            "finished_points_survive_a_full_disk_and_are_not_run_again: skipped, no small disk can be mounted here"
        );
        return;
    };
    let (text, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let mut lines = text.splitn(4, '\n').skip(1);
    assert_eq!(lines.next(), Some("code 2"), "{error}");
    let kept: usize = lines.next().unwrap().trim().parse().unwrap();
    assert!(error.contains("No space left on device"), "{error}");
    assert!(error.contains(&format!("{kept} of 36 points are kept, the same command continues from there")), "{error}");
    assert!((1..36).contains(&kept), "{kept} points fit");
    let object: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!((&object["points"], &object["points_from_before"]), (&36.into(), &kept.into()));
}

#[test]
fn a_killed_sweep_goes_on_from_its_finished_points() {
    let place = Place::new();
    // short traces first; the last one is still running when the command is killed
    let words = "sweep --trace p.elf,builtin:strsearch --encoding tr_e,tr_b,nx_b --set s0,m4 --threads 1 -o s";
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("goshawk"))
        .current_dir(place.path())
        .args(words.split_whitespace())
        .spawn()
        .unwrap();
    let points = place.path().join("s/points");
    let finished = || {
        let names = std::fs::read_dir(&points).into_iter().flatten().filter_map(Result::ok);
        names.filter(|f| f.path().extension().is_some_and(|e| e == "json")).count()
    };
    while finished() < 5 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = finished();
    assert!((5..10).contains(&kept), "{kept} of 10 points were finished at the kill");
    let before = place.output("report sweep s -o part.html");
    assert_eq!(String::from_utf8(before.stdout).unwrap(), format!("{kept} points of 10 in part.html\n"));
    let again = place.output(&format!("{words} --json"));
    let object: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&object["points"], &object["points_from_before"]), (&10.into(), &kept.into()));
}

#[test]
fn a_report_has_its_page_and_figures_or_says_why_not() {
    let place = Place::new();
    place.command(&format!("{SWEEP} -o s")).assert().success();
    let text = place.good("report sweep s -o s.html --figures f --title Two");
    assert_eq!(text, "6 points of 6 in s.html, 10 figures in f\n");
    let page = std::fs::read_to_string(place.path().join("s.html")).unwrap();
    assert!(page.contains("<h1>Two</h1>") && page.ends_with("</html>\n"));
    for entry in std::fs::read_dir(place.path().join("f")).unwrap() {
        let svg = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
    std::fs::write(place.path().join("gates.json"), "{}").unwrap();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let manifest = std::fs::read_to_string(place.path().join("s/sweep.json")).unwrap();
    std::fs::write(place.path().join("empty/sweep.json"), &manifest).unwrap();
    std::fs::create_dir(place.path().join("cut")).unwrap();
    std::fs::write(place.path().join("cut/sweep.json"), &manifest[..50]).unwrap();
    let text = [
        "report sweep absent -o x.html",
        "report sweep empty -o x.html",
        "report sweep cut -o x.html",
        "report sweep s -o absent/x.html",
        "report sweep s -o x.html --gates gates.json",
        "report sweep s -o /dev/full/x.html",
    ]
    .iter()
    .fold(String::new(), |mut text, c| {
        let (code, error) = refused(&place, c);
        assert_eq!(code, Some(2), "{c}: {error}");
        let _ = writeln!(text, "$ goshawk {c}\n{error}");
        text
    });
    insta::assert_snapshot!(text);
    assert!(!place.path().join("x.html").exists());
}

#[test]
fn the_command_at_a_point_of_the_page_repeats_it() {
    let place = Place::new();
    place.good("run p.elf -o own.ret");
    let words = "--trace p.elf,own.ret --max-instructions 5000 --caches l1_latency=9 --seed 3 --timestamps both";
    let o = place.output(&format!("sweep {words} --encoding tr_e,tr(bcnt=2,1) --set s0 -o s"));
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    place.good("report sweep s -o s.html");
    let page = std::fs::read_to_string(place.path().join("s.html")).unwrap();
    let (_, rest) = page.split_once("id=\"sweep\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let points = data["points"].as_array().unwrap();
    assert!(points.len() > 3, "{}", points.len());
    for (n, point) in points.iter().enumerate() {
        let line = point["repeat"].as_str().unwrap().replace('\'', "");
        let line = line.strip_prefix("goshawk ").unwrap().replace("-o again", &format!("-o again{n}"));
        let o = place.output(&line);
        assert!(o.status.success(), "{line}: {}", String::from_utf8_lossy(&o.stderr));
        let file = format!("again{n}/points/{}", point["file"].as_str().unwrap());
        let text = std::fs::read_to_string(place.path().join(&file)).unwrap_or_else(|e| panic!("{line}: {file}: {e}"));
        let again: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&again["bits"], &again["cycles"]), (&point["bits"], &point["cycles"]), "{line}");
    }
}

#[test]
fn a_bad_trace_is_named_and_the_others_are_measured() {
    let place = Place::new();
    place.good("run p.elf -o good.ret");
    let good = std::fs::read(place.path().join("good.ret")).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 0xff;
    let files = [("bad.ret", &bad[..]), ("cut.ret", &good[..good.len() - 20]), ("text.ret", b"text")];
    for (name, bytes) in files {
        std::fs::write(place.path().join(name), bytes).unwrap();
    }
    let line = "sweep --trace bad.ret,good.ret,cut.ret,text.ret,missing.ret --encoding tr_e --set small,large";
    let o = place.output(&format!("{line} -o s --json"));
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    for name in ["bad.ret", "cut.ret", "text.ret", "missing.ret"] {
        assert!(err.contains(&format!("goshawk: left out: {name}: ")), "{name}: {err}");
    }
    let object: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((&object["points"], object["left_out"].as_array().unwrap().len()), (&2.into(), 4));
    // none can be read: the first error ends the command
    let o = place.output("sweep --trace text.ret,bad.ret --encoding nx_b -o t");
    let err = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.code() == Some(2) && err.starts_with("goshawk: text.ret: "), "{err}");
    assert!(!place.path().join("t").exists());
}

#[test]
fn stats_measures_what_a_sweep_measures() {
    let place = Place::new();
    place.good("run p.elf -o p.ret");
    for scheme in ["edmtf(192,4)", "tslz(256x12,9)", "gzip-9", "etrace+ir8", "ntrace+ir8+rh", "tr_e:small+count18"] {
        let Ok(stats) = serde_json::from_str::<Value>(&place.good(&format!("stats p.elf --json --scheme {scheme}")))
        else {
            panic!("{scheme}");
        };
        let folder = format!("s-{}", scheme.len());
        place.good(&format!("sweep --trace p.elf --encoding {scheme} -o {folder}"));
        let results = std::fs::read_to_string(place.path().join(&folder).join("results.csv")).unwrap();
        let bits = stats["bits"].as_u64().unwrap();
        assert!(bits > 0 && results.contains(&format!(",{bits},")), "{scheme}: {bits}, {results}");
    }
    let text = place.good("stats p.elf --scheme shared:small");
    assert!(text.contains("outcomes missed") && text.contains("scheme           shared:small"), "{text}");
    // E-Trace of a recording needs the program
    let o = place.output("stats p.ret --scheme etrace");
    assert!(o.status.code() == Some(2) && String::from_utf8_lossy(&o.stderr).contains("`--elf`"));
    assert!(place.good("stats p.ret --elf p.elf --scheme etrace").contains("per instruction"));
}

#[test]
fn runs_with_several_seeds_have_their_spread_in_table_and_json() {
    let place = Place::new();
    let line = "sweep --trace builtin:lockcont --harts 2 --max-instructions 60000 --encoding tr_e,nx_b --set m4 -o s";
    let text = place.good(&format!("{line} --repeat 3 --startup 20000"));
    let heading = text.lines().next().unwrap();
    for column in ["runs", "windows", "start-up"] {
        assert!(heading.contains(column), "{heading}");
    }
    // the means of one trace are its own figure
    assert!(!heading.contains("arithmetic") && text.contains("\ntrace: builtin:lockcont\n"), "{text}");
    let two = place.good(&line.replace("builtin:lockcont", "builtin:lockcont,builtin:bank").replace("-o s", "-o two"));
    assert!(two.lines().next().unwrap().contains("arithmetic  geometric"), "{two}");
    assert!(two.contains("\ntraces: builtin:bank, builtin:lockcont\n"), "{two}");
    let row = text.lines().find(|l| l.starts_with("tr_e:m4")).unwrap();
    assert!(row.matches(" ± ").count() == 1 && row.contains(" to "), "{row}");
    // the same seeds by their numbers, all of them known
    let again: Value =
        serde_json::from_str(&place.good(&format!("{line} --seeds 1..4 --startup 20000 --json"))).unwrap();
    assert_eq!((&again["points"], &again["points_from_before"]), (&6.into(), &6.into()));
    let total = &again["totals"][0];
    assert_eq!((&total["runs"], &total["seeds"]), (&3.into(), &serde_json::json!([1, 2, 3])));
    assert!(total["total"]["ci95"].is_f64(), "{total}");
    let mean = total["total"]["mean"].as_f64().unwrap();
    assert!(row.contains(&format!("{mean:.4} ± ")), "{row}");
    // one run has no interval
    let text = place.good(&line.replace("-o s", "-o one"));
    assert!(!text.contains('±') && !text.contains("runs"), "{text}");
    place.good("run builtin:bank --max-instructions 3000 -o q.ret");
    let (code, error) = refused(&place, "sweep --trace q.ret --encoding nx_b --repeat 2 -o r");
    assert_eq!(
        (code, error.as_str()),
        (Some(2), "goshawk: q.ret: is a recording of a finished run; `--repeat` is for programs\n")
    );
}
