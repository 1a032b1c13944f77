//! Where harts are when a run ends early, stacks that overflow, and seeds with which a program fails

use crate::common::{elf_of, Place, RISCV};
use serde_json::Value;

/// A program of `programs/faults`.
pub fn program(name: &str) -> String {
    format!("{}/../programs/faults/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"))
}

fn json(place: &Place, words: &str) -> Value {
    serde_json::from_str(&place.good(&format!("{words} --json"))).unwrap()
}

#[test]
fn at_the_limit_each_hart_has_a_place_and_loops_with_their_begin() {
    let place = Place::new();
    let text = place.good(&format!("run {} --harts 2 --max-instructions 100000", program("waiting")));
    for wanted in [
        " in ready (./waiting.c:8), after ",
        "the last load is of 0x80008100 (flag): 0x0\n",
        "called from pc 0x80000090 in wait_for_flag+0x8 (./waiting.c:13)\n",
        "in the loop at ./waiting.c:13 of wait_for_flag since instruction 76: ",
        "position      hart 1: waits in wfi at pc 0x80000078 in _start",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    let found = json(&place, &format!("run {} --harts 2 --max-instructions 100000", program("order")));
    assert_eq!(found["exit"], "limit");
    let mut waits: Vec<(String, u64)> = Vec::new();
    for hart in found["positions"].as_array().unwrap() {
        let levels = hart["levels"].as_array().unwrap();
        let names: Vec<&str> = levels.iter().map(|l| l["function"].as_str().unwrap()).collect();
        assert_eq!((names[0], names[2], names[3]), ("lock", "main", "_start"));
        waits.push((
            format!("{} waits for {}", names[1], hart["load"]["object"].as_str().unwrap()),
            hart["load"]["value"].as_u64().unwrap(),
        ));
        let spins = &levels[0]["loops"][0];
        assert!(spins["since"].as_u64().unwrap() < 1000 && spins["rounds"].as_u64().unwrap() > 10_000, "{hart}");
        // the loop of main began earlier, and goes on
        assert!(levels[2]["loops"].as_array().unwrap().len() <= 1, "{hart}");
    }
    assert_eq!(waits, [("forwards waits for second".to_string(), 1), ("backwards waits for first".to_string(), 1)]);
    // a file with the run is made without a second run
    let text = place.good(&format!("run {} --max-instructions 1000 -o x.ret", program("waiting")));
    assert!(!text.contains("position"), "{text}");
}

#[test]
fn a_trace_that_ends_at_the_limit_says_where_all_harts_wait() {
    let place = Place::new();
    for scheme in ["tr_e:small", "inputs"] {
        let text = place.good(&format!(
            "encode {} --harts 2 --max-instructions 100000 --scheme {scheme} -o x.out",
            program("waiting")
        ));
        let ended = text.lines().find(|line| line.starts_with("ended")).unwrap_or_else(|| panic!("{text}"));
        for wanted in [
            " at the instruction limit, where all harts wait; ",
            "hart 0: in the loop at ./waiting.c:13 of wait_for_flag since instruction 76; ",
            "hart 1: waits at pc 0x80000078 in _start",
            "; `--harts N` runs the program on more harts",
        ] {
            assert!(ended.contains(wanted), "{wanted}\n{ended}");
        }
    }
    // a program that works is only cut
    let text = place.good("encode builtin:vm --max-instructions 100000 -o vm.gtr");
    assert!(!text.contains("ended"), "{text}");
}

#[test]
fn a_recorded_crash_is_reported_and_its_last_instructions_are_shown() {
    let place = Place::new();
    let elf = program("overflow");
    let text = place.good(&format!("encode {elf} --scheme inputs -o x.gip"));
    assert!(
        text.contains("\nended            in a crash: no hart can continue; hart 0: store fault (cause 7) at pc 0x"),
        "{text}"
    );
    let all = place.good(&format!("show x.gip --elf {elf}"));
    let tail = place.good(&format!("show x.gip --elf {elf} --tail 3"));
    let instructions =
        |text: &str| text.lines().filter(|l| l.starts_with("       0  0x")).map(str::to_string).collect::<Vec<_>>();
    let (all, last) = (instructions(&all), instructions(&tail));
    assert_eq!((last.len(), &last[..]), (3, &all[all.len() - 3..]));
    assert!(tail.starts_with("core 0  ./overflow.c:") && !tail.contains(" \n"), "{tail}");
    let done = place.good(&format!("encode {} --scheme inputs --harts 2 -o y.gip", program("late")));
    assert!(!done.contains("\nended "), "{done}");
}

#[test]
fn a_stack_pointer_that_leaves_its_stack_is_reported_with_its_function() {
    let place = Place::new();
    let words = format!("run {}", program("overflow"));
    let text = place.good(&words);
    assert!(
        text.contains("stack overflow  hart 0: the stack pointer, 0x80000010, left stack_hart0 (0x80000120 to "),
        "{text}"
    );
    assert!(text.contains("in recurse+0x30 (./overflow.c:11)"), "{text}");
    assert!(text.contains("stack overflow: the stack pointer, 0x7fffff00, is below RAM\n"), "{text}");
    let found = json(&place, &words);
    assert_eq!(found["overflows"][0]["stack"], "stack_hart0");
    assert_eq!(found["overflows"].as_array().unwrap().len(), 1);
    // the harts of programs that switch stacks do not leave them
    for name in ["tasks", "coroutines", "nested", "longjmp"] {
        let elf = format!("{}/../programs/stacks/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        let found = json(&place, &format!("run {elf} --max-instructions 2000"));
        assert_eq!(found["overflows"], serde_json::json!([]), "{name}");
    }
}

#[test]
fn seeds_are_tried_until_a_run_ends_in_the_wanted_way() {
    let place = Place::new();
    let late = program("late");
    let found = json(&place, &format!("run {late} --harts 2 --seeds 0..20 --until exit!=0"));
    let seed = found["source"].as_str().unwrap().split_once("seed ").unwrap().1.split(',').next().unwrap().to_string();
    assert_eq!(found["exit"]["code"], 1);
    assert_ne!(seed, "0");
    // the seed does it again, and all before it do not
    let with = |seed: &str| place.output(&format!("run {late} --harts 2 --seed {seed} --exit-code")).status.code();
    assert_eq!(with(&seed), Some(1));
    assert!((0..seed.parse().unwrap()).all(|before: u32| with(&before.to_string()) == Some(0)));
    let none = place.good(&format!("run {late} --harts 2 --seeds 0..3 --until exit=7"));
    assert!(none.ends_with("none of the runs with seeds 0 to 2 ended in this way\n"), "{none}");
    let text =
        place.good(&format!("run {} --harts 2 --seeds 3..9 --until limit --max-instructions 20000", program("order")));
    assert!(text.contains("seed          3\n") && text.contains("hart 1: pc "), "{text}");
    // a crash is not a deadlock, in all that names an end
    let crash = program("overflow");
    let found = json(&place, &format!("run {crash} --seeds 1..3 --until crash"));
    assert_eq!((&found["exit"], found["faults"].as_array().map(Vec::len)), (&Value::from("crash"), Some(1)));
    let text = place.good(&format!("run {crash} --seeds 1..3 --until deadlock"));
    assert!(text.ends_with("none of the runs with seeds 1 to 2 ended in this way\n"), "{text}");
    for (words, wanted) in [
        ("--seeds 5..5 --until crash", "`--seeds 5..5`: expected A..B with A below B, as 1..200"),
        ("--seeds 0..5 --until fails", "`--until fails`: expected exit!=CODE, exit=CODE, crash, deadlock or limit"),
    ] {
        let text = place.session(&format!("run {late} {words}"));
        assert!(text.contains(wanted) && text.ends_with("exit code 2\n"), "{text}");
    }
}

/// `lui t0, 0x80000`, `sw t0, 0(t0)`, `j .`, in a segment without write permission.
#[test]
fn a_store_to_a_read_only_segment_is_a_fault_on_request() {
    let place = Place::new();
    std::fs::write(place.path().join("x.elf"), elf_of(RISCV, &[0x8000_02b7, 0x0052_a023, 0x0000_006f])).unwrap();
    assert!(!place.good("run x.elf").contains("crash"));
    let text = place.good("run x.elf --read-only");
    for wanted in [
        "store fault (cause 7) at pc 0x80000004, after 1 instruction\n",
        "sw t0, 0(t0): address 0x80000000\n",
        "the segment 0x80000000 to 0x8000000c is read-only (`--read-only`)\n",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    assert_eq!(json(&place, "run x.elf --read-only")["faults"][0]["read_only"], true);
    // the recording has the fault; its replay needs no option
    place.good("encode x.elf --read-only --scheme inputs -o x.gip");
    place.good("replay x.gip --elf x.elf --summary");
    let refused = place.session(&format!("run {} --read-only", program("order")));
    assert!(
        refused.contains("`--read-only`: all segments have write permission") && refused.ends_with("exit code 2\n"),
        "{refused}"
    );
    let refused = place.session("encode x.gip --elf x.elf --read-only -o y.gtr");
    assert!(refused.contains("--read-only") && refused.ends_with("exit code 2\n"), "{refused}");
}

#[test]
fn an_illegal_instruction_names_what_is_not_there() {
    let place = Place::new();
    for (name, code, wanted) in [
        ("sret", 0x1020_0073, "the simulator has no supervisor mode (sret): harts run in machine mode only"),
        ("stvec", 0x1050_1073, "CSR stvec, 0x105: the simulator does not have supervisor mode"),
        ("vector", 0x0000_0057, "the simulator does not have the V extension"),
        ("float", 0x0000_0053, "floating point is off: the program must set mstatus.FS"),
    ] {
        std::fs::write(place.path().join("x.elf"), elf_of(RISCV, &[0x0000_0013, code])).unwrap();
        let text = place.good("run x.elf");
        assert!(
            text.contains(wanted) && text.contains("illegal instruction (cause 2) at pc 0x80000004"),
            "{name}: {text}"
        );
    }
}
