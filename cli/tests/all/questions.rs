//! Questions that a recorded run answers: races, locks, allocated memory, stacks, and where a value comes from

use crate::common::Place;
use crate::halt::program;
use serde_json::Value;

/// Records a program of `programs/faults` on this number of harts, as `NAME.gip`.
fn record(place: &Place, name: &str, harts: u8, more: &str) {
    place.good(&format!("encode {} --harts {harts} --scheme inputs -o {name}.gip {more}", program(name)));
}

fn text(place: &Place, command: &str, name: &str, more: &str) -> String {
    place.good(&format!("{command} {name}.gip --elf {} {more}", program(name)))
}

fn json(place: &Place, command: &str, name: &str, more: &str) -> Value {
    serde_json::from_str(&text(place, command, name, &format!("{more} --json"))).unwrap()
}

fn function(access: &Value) -> String {
    access["stack"][0]["function"].as_str().unwrap().split('+').next().unwrap().to_string()
}

#[test]
fn races_are_found_in_the_program_that_has_them_and_not_in_the_other() {
    let place = Place::new();
    record(&place, "races", 4, "");
    let clean = json(&place, "races", "races", "");
    assert_eq!(clean["found"], 0, "{clean}");
    assert!(clean["synchronised"].as_u64().unwrap() > 0, "{clean}");
    record(&place, "racing", 4, "");
    let found = json(&place, "races", "racing", "");
    let mut pairs: Vec<(String, String, String)> = found["races"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            let mut names = [&r["accesses"][0], &r["accesses"][1]].map(function);
            names.sort();
            let [a, b] = names;
            (r["object"].as_str().unwrap().split('+').next().unwrap().to_string(), a, b)
        })
        .collect();
    pairs.sort();
    pairs.dedup();
    let of = |o: &str, a: &str, b: &str| (o.to_string(), a.to_string(), b.to_string());
    assert!(pairs.contains(&of("counter", "add", "add_fast")), "{pairs:?}");
    assert!(pairs.contains(&of("table", "exchange", "exchange")), "{pairs:?}");
    assert!(pairs.contains(&of("ready", "publish", "receive")), "{pairs:?}");
    assert!(pairs.contains(&of("message", "publish", "receive")), "{pairs:?}");
    assert!(
        pairs.iter().all(|(object, ..)| ["counter", "table", "ready", "message"].contains(&object.as_str())),
        "{pairs:?}"
    );
    let listed = text(&place, "races", "racing", "--ignore table --ignore message --ignore ready");
    assert!(
        listed.contains("race 1: 0x") && listed.contains("(counter), ") && listed.contains("called from pc 0x"),
        "{listed}"
    );
    assert!(!listed.contains("(table") && listed.contains(" ignored\n"), "{listed}");
    // a function by any of its names, and names that are none
    let by_function = json(&place, "races", "racing", "--ignore exchange");
    assert!(by_function["races"].as_array().unwrap().iter().all(|r| function(&r["accesses"][0]) != "exchange"));
    for (name, near) in [("tabel", "; near: `table`"), ("Exchange", "; near: `exchange`"), ("zzzzzzzz", "name\n")] {
        let refused = place.session(&format!("races racing.gip --elf {} --ignore {name}", program("racing")));
        let wanted = format!("`--ignore {name}`: the program has no function or variable of this name");
        assert!(refused.contains(&wanted) && refused.contains(near), "{refused}");
        assert!(refused.ends_with("exit code 2\n"), "{refused}");
    }
    let code =
        |name: &str| place.output(&format!("races {name}.gip --elf {} --exit-code", program(name))).status.code();
    assert_eq!((code("races"), code("racing")), (Some(0), Some(1)));
    // a counter that the last core resets with a plain store, after it has read what the others added
    place.good("encode builtin:bank --harts 4 --scheme inputs --max-instructions 2000000 -o bank.gip");
    let bank = place.good("races bank.gip --elf builtin:bank");
    assert_eq!(bank, "0 races in the program\n");
    // a trace without values cannot answer
    place.good(&format!("encode {} --max-instructions 1000 -o flow.gtr", program("races")));
    let refused = place.session(&format!("races flow.gtr --elf {}", program("races")));
    assert!(refused.contains("is a trace of the control flow") && refused.ends_with("exit code 2\n"), "{refused}");
}

#[test]
fn locks_show_holders_waits_and_orders() {
    let place = Place::new();
    record(&place, "order", 2, "--max-instructions 20000");
    let found = json(&place, "locks", "order", "");
    let lock = |name: &str| found["locks"].as_array().unwrap().iter().find(|l| l["name"] == name).unwrap().clone();
    assert_eq!(
        (lock("first")["holder"]["core"].as_u64(), lock("second")["holder"]["core"].as_u64()),
        (Some(0), Some(1))
    );
    assert_eq!(
        (lock("first")["waiting"][0]["core"].as_u64(), lock("second")["waiting"][0]["core"].as_u64()),
        (Some(1), Some(0))
    );
    assert_eq!(found["deadlock"].as_array().unwrap().len(), 2);
    // the orders are inverted without a deadlock in the run, too
    record(&place, "ordered", 2, "");
    let found = json(&place, "locks", "ordered", "");
    assert_eq!(found["deadlock"], serde_json::json!([]));
    let cycle = found["inversions"][0].as_array().unwrap();
    let mut steps: Vec<(&str, &str, u64)> = cycle
        .iter()
        .map(|s| (s["held"].as_str().unwrap(), s["taken"].as_str().unwrap(), s["taken_by"]["core"].as_u64().unwrap()))
        .collect();
    steps.sort_unstable();
    assert_eq!(steps, [("first", "second", 0), ("second", "first", 1)]);
    let names: Vec<&str> = found["locks"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2, "the barrier is no lock: {names:?}");
    let listed = text(&place, "locks", "ordered", "");
    assert!(listed.contains("order of 2 locks: ") && listed.contains("was taken while "), "{listed}");
    // the same by the functions
    let found = json(&place, "locks", "ordered", "--acquire lock --release unlock");
    assert_eq!(found["inversions"].as_array().unwrap().len(), 1, "{found}");
    // a program that takes its locks in one order; every lock is released
    record(&place, "races", 4, "");
    let found = json(&place, "locks", "races", "");
    let guard = &found["locks"][0];
    assert_eq!(
        (guard["name"].as_str(), guard["taken"].as_u64(), &guard["holder"]),
        (Some("guard"), Some(80), &Value::Null)
    );
    assert_eq!((&found["inversions"], &found["deadlock"]), (&serde_json::json!([]), &serde_json::json!([])));
    record(&place, "heap", 1, "");
    assert_eq!(text(&place, "locks", "heap", ""), "no locks found\n");
    let refused = place.session(&format!("locks races.gip --elf {} --acquire take --release unlock", program("races")));
    assert!(refused.contains("`--acquire take`: ") && refused.ends_with("exit code 2\n"), "{refused}");
}

#[test]
fn errors_with_allocated_memory_are_found() {
    let place = Place::new();
    record(&place, "heap", 1, "");
    let clean = json(&place, "heap", "heap", "");
    assert_eq!((&clean["errors"], &clean["never_freed"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!((clean["allocations"].as_u64(), clean["bytes_at_end"].as_u64()), (Some(7), Some(0)));
    record(&place, "leaking", 1, "");
    let found = json(&place, "heap", "leaking", "");
    let mut errors: Vec<(String, String)> = found["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["error"].as_str().unwrap().to_string(), function(&e["at"])))
        .collect();
    errors.sort();
    let of = |error: &str, at: &str| (error.to_string(), at.to_string());
    let wanted = [
        of("freed twice", "late"),
        of("read after it was freed", "late"),
        of("written after the end of a block", "over"),
    ];
    assert_eq!(errors, wanted);
    let leaks = found["never_freed"].as_array().unwrap();
    // the loop of main is unrolled, the largest block is the first
    let bytes: Vec<u64> = leaks.iter().map(|l| l["bytes"].as_u64().unwrap()).collect();
    assert_eq!((bytes, found["bytes_at_end"].as_u64()), (vec![48, 36, 24, 12], Some(120)));
    let by = leaks[0]["first"]["allocated"]["stack"].as_array().unwrap();
    let names: Vec<&str> = by.iter().map(|f| f["function"].as_str().unwrap().split('+').next().unwrap()).collect();
    assert_eq!(names, ["numbers", "keep", "main", "_start"]);
    let listed = text(&place, "heap", "leaking", "");
    assert!(listed.contains("\n48 bytes in 1 block never freed, allocated at pc 0x"), "{listed}");
    assert!(listed.contains(" read after it was freed, 1 time: core 0 at pc 0x"), "{listed}");
    let none = place.session(&format!(
        "heap leaking.gip --elf {} --malloc pvPortMalloc --calloc a --realloc b",
        program("leaking")
    ));
    assert!(none.contains("has no function `pvPortMalloc`") && none.ends_with("exit code 2\n"), "{none}");
}

#[test]
fn a_value_is_followed_back_to_where_it_comes_from() {
    let place = Place::new();
    record(&place, "slice", 2, "");
    let why = |what: &str, more: &str| -> Value {
        let words = format!("why slice.gip {what} --elf {} {more} --json", program("slice"));
        serde_json::from_str(&place.good(&words)).unwrap()
    };
    let found = why("result", "");
    let of = |found: &Value, key: &str| -> Vec<String> {
        found["steps"].as_array().unwrap().iter().map(|s| s[key].as_str().unwrap_or_default().to_string()).collect()
    };
    let functions: Vec<String> =
        of(&found, "function").iter().map(|f| f.split('+').next().unwrap().to_string()).collect();
    let mut order = functions.clone();
    order.dedup();
    assert_eq!(order, ["main", "twice", "main", "prepare"], "{found}");
    let steps = found["steps"].as_array().unwrap();
    // 5 + 2 = 7 by hart 1, doubled and 100 more by hart 0
    assert_eq!((steps[0]["value"].as_u64(), steps[0]["core"].as_u64()), (Some(114), Some(0)));
    let stored = steps.iter().find(|s| s["address"].is_string() && s["core"] == 1).unwrap();
    assert_eq!(stored["value"], 7);
    let moments: Vec<u64> = steps.iter().map(|s| s["moment"].as_u64().unwrap()).collect();
    assert!(moments.windows(2).all(|m| m[0] > m[1]), "{moments:?}");
    for (n, step) in steps.iter().enumerate().skip(1) {
        let users = step["used_by"].as_array().unwrap();
        assert!(!users.is_empty() && users.iter().all(|u| u.as_u64().unwrap() < n as u64), "{step}");
    }
    let names: Vec<&str> = found["initial"].as_array().unwrap().iter().map(|i| i.as_str().unwrap()).collect();
    assert!(names.len() == 4 && names.iter().all(|n| n.contains("(input")), "{names:?}");
    // what the run does not use is not in it
    assert!(!of(&found, "instruction").is_empty());
    let lines = place.good(&format!("why slice.gip result --elf {}", program("slice")));
    assert!(
        lines.starts_with("result before moment ")
            && lines.ends_with(" (input) = 0x00000005, initial data of the program\n"),
        "{lines}"
    );
    assert!(lines.contains("(./slice.c:27): sw ") && lines.contains("in twice (./slice.c:10): "), "{lines}");
    // a register at a moment: before the store the value is in one
    let moment = steps[0]["moment"].as_u64().unwrap();
    let source = steps[0]["instruction"].as_str().unwrap().split([' ', ',']).nth(1).unwrap().to_string();
    let by_register = why(&source, &format!("--core 0 --at {moment}"));
    assert_eq!(by_register["steps"].as_array().unwrap()[0]["moment"], steps[1]["moment"]);
    let short = why("result", "--limit 2");
    assert_eq!((short["steps"].as_array().unwrap().len(), &short["more"]), (2, &Value::Bool(true)));
    for (words, wanted) in [
        ("nobody", "has no symbol `nobody`"),
        ("a0 --core 2", "`--core 2`: the run has cores 0 to 1"),
        ("zero", "`zero`: is always 0"),
    ] {
        let refused = place.session(&format!("why slice.gip {words} --elf {}", program("slice")));
        assert!(refused.contains(wanted) && refused.ends_with("exit code 2\n"), "{refused}");
    }
}

#[test]
fn stacks_have_their_depth() {
    let place = Place::new();
    record(&place, "leaking", 1, "");
    let found = json(&place, "stack", "leaking", "");
    let stacks = found["stacks"].as_array().unwrap();
    assert_eq!(
        (stacks.len(), stacks[0]["stack"].as_str(), stacks[0]["size"].as_u64()),
        (1, Some("stack_hart0"), Some(8192))
    );
    let used = stacks[0]["used"].as_u64().unwrap();
    assert!((32..=128).contains(&used), "{found}");
    assert_eq!(stacks[0]["overflow"], Value::Null);
    record(&place, "overflow", 1, "--max-instructions 2000");
    let listed = text(&place, "stack", "overflow", "");
    assert!(listed.contains("stack overflow: hart 0: the stack pointer, 0x80000010, left stack_hart0 "), "{listed}");
    // tasks on stacks of their own: bytes at most, by the stack pointer of every instruction
    let tasks = format!("{}/../programs/stacks/elf/tasks.elf", env!("CARGO_MANIFEST_DIR"));
    place.good(&format!("encode {tasks} --scheme inputs -o tasks.gip"));
    let found: Value = serde_json::from_str(&place.good(&format!("stack tasks.gip --elf {tasks} --json"))).unwrap();
    let names: Vec<&str> = found["stacks"].as_array().unwrap().iter().map(|s| s["stack"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(found["stacks"].as_array().unwrap().iter().all(|s| s["overflow"].is_null()), "{found}");
}

/// `programs/faults/kernel.c`: two tasks that measure their stacks, which lie in one array.
#[test]
fn tasks_of_known_systems_have_names_and_stacks() {
    let place = Place::new();
    for name in ["freertos", "threadx", "zephyr"] {
        record(&place, name, 1, "");
        let found = json(&place, "stack", name, "");
        let stacks = found["stacks"].as_array().unwrap();
        for (task, stored) in [("deep", "depth"), ("flat", "depth+4")] {
            let gip = format!("who-wrote {name}.gip {stored} --elf {} --json", program(name));
            let measured: Value = serde_json::from_str(&place.good(&gip)).unwrap();
            let stack = stacks.iter().find(|s| s["stack"] == task).unwrap_or_else(|| panic!("{name}: {found}"));
            assert_eq!(stack["size"], 1024, "{name}: {found}");
            assert_eq!(stack["used"], measured["stores"][0]["value"], "{name} {task}: {found}");
            assert_eq!(stack["overflow"], Value::Null, "{name}: {found}");
        }
        let found = json(&place, "profile", name, "--by task");
        let mut names: Vec<&str> =
            found["tasks"].as_array().unwrap().iter().map(|t| t["task"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["before the first task", "deep", "flat"], "{name}");
    }
}

#[test]
fn tasks_have_their_names_and_shares() {
    let place = Place::new();
    record(&place, "tasks", 1, "");
    let found = json(&place, "profile", "tasks", "--by task");
    let tasks = found["tasks"].as_array().unwrap();
    let mut names: Vec<&str> = tasks.iter().map(|t| t["task"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["IDLE", "before the first task", "fast", "slow"]);
    let switches: Vec<u64> = tasks.iter().map(|t| t["switches"].as_u64().unwrap()).collect();
    // 91 entries of the scheduler, the last of which ends the run, and the first task
    assert_eq!(switches.iter().sum::<u64>(), 91, "{found}");
    let by_function = json(&place, "profile", "tasks", "");
    assert_eq!(by_function["instructions"], found["instructions"]);
    let own = |name: &str| tasks.iter().find(|t| t["task"] == name).unwrap();
    let functions = |name: &str| -> Vec<String> {
        own(name)["functions"].as_array().unwrap().iter().map(|f| f["function"].as_str().unwrap().to_string()).collect()
    };
    assert!(functions("slow").contains(&"slow".to_string()) && !functions("slow").contains(&"fast".to_string()));
    // the offset of the name is that of the structure
    assert_eq!(json(&place, "profile", "tasks", "--by task --task-name 8")["tasks"], found["tasks"]);
    // a trace without values has stacks
    place.good(&format!("run {} -o tasks.ret", program("tasks")));
    place.good("encode tasks.ret -o tasks.gtr");
    let listed = place.good(&format!("profile tasks.gtr --elf {} --by task", program("tasks")));
    assert!(listed.contains("core 0, stack 0") && listed.contains("core 0, stack 1"), "{listed}");
    for (words, wanted) in
        [("--task-pointer none", "has no symbol `none`"), ("--task-name none", "no structure has a member `none`")]
    {
        let refused = place.session(&format!("profile tasks.gip --elf {} --by task {words}", program("tasks")));
        assert!(refused.contains(wanted) && refused.ends_with("exit code 2\n"), "{refused}");
    }
}

#[test]
fn a_timeline_has_the_same_calls_in_both_formats() {
    let place = Place::new();
    record(&place, "tasks", 1, "");
    place.good(&format!("timeline tasks.gip --elf {} -o every.json", program("tasks")));
    let text = std::fs::read_to_string(place.path().join("every.json")).unwrap();
    let every: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let calls = every.iter().filter(|e| e["ph"] == "B").count();
    for by in ["core", "task"] {
        let found = json(&place, "timeline", "tasks", &format!("--format perfetto --by {by} -o bounded.pftrace"));
        // 91 switches make 92 spans of tasks, and each is in a trap
        assert_eq!(found["slices"], calls + 92 + 91, "{found}");
        assert_eq!(found["merged_below"], 0, "{found}");
        let bytes = std::fs::read(place.path().join("bounded.pftrace")).unwrap();
        let named = |name: &str| bytes.windows(name.len()).any(|w| w == name.as_bytes());
        assert!(bytes[0] == 0x0a && named("timer interrupt") && named("IDLE") && named("slow"));
    }
    for (words, wanted) in [
        ("--by task", "`--by task`: only with `--format perfetto`"),
        ("--task-name 8", "`--task-name 8`: only with `--format perfetto` of a recorded run"),
        ("--format perfetto --by task --task-pointer none", "has no symbol `none`"),
    ] {
        let refused = place.session(&format!("timeline tasks.gip --elf {} {words} -o x.json", program("tasks")));
        assert!(refused.contains(wanted) && refused.ends_with("exit code 2\n"), "{refused}");
    }
}

#[test]
fn latencies_reach_from_a_handler_to_the_task() {
    let place = Place::new();
    record(&place, "wake", 1, "");
    let found = json(&place, "latency", "wake", "");
    let rows = found["latencies"].as_array().unwrap();
    let of = |row: &Value| (row["interrupt"].as_str().unwrap().to_string(), row["task"].as_str().unwrap().to_string());
    let pair = |interrupt: &str, task: &str| (interrupt.to_string(), task.to_string());
    let names: Vec<_> = rows.iter().map(of).collect();
    assert_eq!(names, [pair("software interrupt", "sensor"), pair("timer interrupt", "logger")]);
    assert_eq!((rows[0]["times"].as_u64(), rows[0]["cycles"].is_null()), (Some(40), true), "{found}");
    assert_eq!(found["measured"], "tasks that a handler put into a ready list");
    // the worst is at the handler's first instruction
    let worst = &rows[1]["worst"];
    let (moment, retired) = (worst["moment"].as_u64().unwrap(), worst["retired"].as_u64().unwrap());
    // exceptions count as moments
    assert_eq!(moment, retired + 10, "{found}");
    let shown = text(&place, "show", "wake", &format!("--skip {retired} --limit 1"));
    assert!(shown.contains("trap_entry"), "{shown}");
    let listed = text(&place, "latency", "wake", "");
    assert!(
        listed.contains(&format!("core 0, instruction {}, moment {}", grouped(retired), grouped(moment))),
        "{listed}"
    );
    // without lists
    record(&place, "tasks", 1, "");
    let found = json(&place, "latency", "tasks", "");
    assert_eq!(found["measured"], "tasks to which a handler switched");
    assert!(found["latencies"].as_array().unwrap().iter().all(|l| l["interrupt"] == "timer interrupt"), "{found}");
    // a recording of the control flow has cycles; a trace has them with time stamps, and does not know what a trap is
    place.good(&format!("run {} -o wake.ret", program("wake")));
    let found = json_of(&place, "latency wake.ret --elf", &program("wake"));
    let cycles = |row: &Value| row["cycles"]["min"].as_u64().zip(row["instructions"]["min"].as_u64());
    assert!(
        found["latencies"].as_array().unwrap().iter().all(|l| cycles(l).is_some_and(|(c, n)| c >= n - 1)),
        "{found}"
    );
    place.good("encode wake.ret --timestamps -o timed.gtr");
    let timed = json_of(&place, "latency timed.gtr --elf", &program("wake"));
    assert!(timed["latencies"].as_array().unwrap().iter().all(|l| l["interrupt"] == "trap"), "{timed}");
    let refused = place.session(&format!("latency timed.gtr --elf {} --task-name 0", program("wake")));
    assert!(
        refused.contains("`--task-name 0`: only with a recorded run") && refused.ends_with("exit code 2\n"),
        "{refused}"
    );
}

fn json_of(place: &Place, words: &str, elf: &str) -> Value {
    serde_json::from_str(&place.good(&format!("{words} {elf} --json"))).unwrap()
}

/// A number with commas.
fn grouped(n: u64) -> String {
    let (thousands, rest) = (n / 1000, n % 1000);
    if thousands == 0 {
        return rest.to_string();
    }
    format!("{},{rest:03}", grouped(thousands))
}
