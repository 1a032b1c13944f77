//! `goshawk diag`: what is printed, and with which exit code

mod common;

use common::Place;

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
    let at = bytes.len() - 100;
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let hurt = replay(&place);
    assert_eq!(hurt.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&hurt.stderr).contains("x.dlog: 1 frames are missing"));
}

#[test]
fn mistakes_are_one_message_with_exit_code_2() {
    let place = Place::new();
    for (words, want) in [
        ("diag run -e call:nowhere{@=count()} builtin:bank", "goshawk: -e:1:1: the program has no symbol `nowhere`"),
        ("diag run builtin:none builtin:bank", "built-in script `none` is not known; calls, interrupts"),
        ("diag run missing.dx builtin:bank", "missing.dx: "),
        ("diag run builtin:race", "what is observed is missing"),
        (
            "diag run builtin:interrupts builtin:irq --soc",
            "irq needs interrupts and exceptions, which picorv32 has not",
        ),
        ("diag run builtin:rate builtin:lockcont --soc", "builtin:rate: has a tick, of which there is no circuit"),
        ("diag run builtin:race builtin:bank --soc --harts 9", "cores = 9 is outside"),
        ("diag test builtin:race builtin:bank --soc --elf x", "cannot be used with"),
        ("diag run builtin:race builtin:bank --soc --seed 1", "cannot be used with"),
        ("diag run builtin:race builtin:bank --cycles 1", "--soc"),
        ("diag run builtin:race builtin:none --soc", "`none`"),
        ("diag test builtin:rate builtin:lockcont", "the script has a tick"),
        ("diag run builtin:locks builtin:lockcont --lite", "a lite event generator knows addresses"),
        ("diag run builtin:locks builtin:bank", "the program has no symbol `mutex_lock`"),
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

/// What is missing is told before anything is built.
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
fn circuits_print_what_the_retire_log_says() {
    if std::env::var_os("GOSHAWK_LONG").is_none() {
        return;
    }
    let place = Place::new();
    for (script, program) in [("race", "bank"), ("locks", "lockcont"), ("calls", "lockcont"), ("writers", "bank")] {
        let words = format!("diag test builtin:{script} builtin:{program} --soc --harts 4 --cycles 1500000");
        let text = place.good(&words);
        assert!(text.starts_with("chip and host  equal") && text.ends_with("lost           0\n"), "{words}: {text}");
        assert!(!text.contains("events         0"), "{words}: {text}");
    }
    let text = place.good("diag run builtin:race builtin:bank --soc --harts 4 --cycles 400000 --rates");
    assert!(text.contains("lost: 0 events\n") && text.contains("over the link"), "{text}");
}

#[test]
fn the_ring_and_a_plan_are_listed() {
    let place = Place::new();
    let text = place.good("diag ls --harts 3");
    assert_eq!(text.matches("event generator").count(), 3);
    let plan = place.good("diag plan builtin:locks builtin:lockcont");
    assert!(plan.contains("chip: aggregate (node 20)") && plan.contains("expected over the link: "), "{plan}");
}
