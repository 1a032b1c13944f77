//! A recorded run and a trace in GDB: forwards, backwards, each core as a thread

use crate::common::{elf_of, Place, RISCV};
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = r"
set pagination off
set confirm off
set style enabled off
target remote | goshawk gdb bank.gip --elf builtin:bank --stdio
break set_balance
ignore 1 20
continue
print src
print value
info threads
delete
watch -l mailbox[src].value
reverse-continue
info threads
bt 2
delete
monitor when
stepi
reverse-stepi
monitor when
reverse-continue
print $pc
print $mhartid
set var balance = 7
";

/// GDB repeats a packet that is not answered in two seconds, which a busy machine may need to start the server.
const REMOTE: &str = "set remotetimeout 60";

/// GDB's output for `script` and `bank.elf`.
fn gdb(place: &Place) -> String {
    let bin = assert_cmd::cargo::cargo_bin("goshawk");
    let folder = bin.parent().unwrap_or(Path::new("."));
    let output = Command::new("gdb-multiarch")
        .args(["-nx", "-batch", "-ex", REMOTE, "-x", "script", "bank.elf"])
        .current_dir(place.path())
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()))
        .output()
        .expect("gdb-multiarch (tools/setup installs it)");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// GDB's standard output and standard error when each line of `script` is run, even after errors.
fn gdb_line_by_line(place: &Place, script: &str) -> (String, String) {
    let bin = assert_cmd::cargo::cargo_bin("goshawk");
    let folder = bin.parent().unwrap_or(Path::new("."));
    let output = Command::new("gdb-multiarch")
        .args(["-nx", "-batch", "-ex", REMOTE])
        .args(script.lines().filter(|l| !l.is_empty()).flat_map(|l| ["-ex", l]))
        .arg("bank.elf")
        .current_dir(place.path())
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()))
        .output()
        .expect("gdb-multiarch (tools/setup installs it)");
    (String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into())
}

/// All of `expected` occur in `said`, in this order.
fn in_order(said: &str, expected: &[&str]) {
    let mut rest = said;
    for expected in expected {
        let at = rest.find(expected).unwrap_or_else(|| panic!("no `{expected}` in the rest of:\n{said}"));
        rest = &rest[at + expected.len()..];
    }
}

/// In `bank.elf`, 21 messages of tellers have set the balance at the breakpoint, and one core sent the last.
#[test]
fn gdb_goes_back_from_the_bank_to_the_teller() {
    let place = Place::new();
    place.good("encode builtin:bank --harts 4 --max-instructions 400000 --scheme inputs -o bank.gip");
    let elf = programs::find("bank").unwrap().elf;
    std::fs::write(place.path().join("bank.elf"), elf).unwrap();
    std::fs::write(place.path().join("script"), SCRIPT).unwrap();
    let said = gdb(&place);
    in_order(
        &said,
        &[
            "Thread 1 hit Breakpoint 1, set_balance (src=",
            "(core 1, instruction ",
            "Hardware watchpoint 2: -location mailbox[src].value",
            "Old value = ",
            "in teller_step",
            "No more reverse-execution history",
            "$3 = (void (*)()) 0x80000000 <_start>",
            "moment ",
            "moment ",
            "Cannot access memory at address",
        ],
    );
    // a step and a step back lead to the same moment
    let moments: Vec<&str> = said.lines().filter(|l| l.starts_with("moment ")).collect();
    assert_eq!(moments[0].split(':').next(), moments[1].split(':').next(), "{said}");
}

#[test]
fn what_is_no_recorded_run_is_refused_with_what_would_be_one() {
    let place = Place::new();
    place.good("encode builtin:vm --max-instructions 1000 -o vm.gtr");
    let say = |words: &str| {
        let output = place.output(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        String::from_utf8(output.stderr).unwrap()
    };
    let refused = say("who-wrote vm.gtr 0x80001000 --elf builtin:vm");
    assert!(refused.contains("is a trace of the control flow, which has no registers and no memory"), "{refused}");
    let refused = say("gdb vm.gtr --elf builtin:lu --stdio");
    assert!(refused.contains("vm.gtr: is of builtin:vm with build id "), "{refused}");
    let refused = say("who-wrote p.elf 0x80001000 --elf p.elf");
    assert!(refused.contains("is not a recorded run; `goshawk encode --scheme inputs` makes one"), "{refused}");
    place.good("encode builtin:bank --max-instructions 1000 --scheme inputs -o bank.gip");
    let refused = say("replay bank.gip --elf builtin:lu");
    assert!(refused.contains("bank.gip: is of builtin:bank with build id "), "{refused}");
    let refused = say("who-wrote bank.gip nobody --elf builtin:bank");
    assert!(refused.contains("has no symbol `nobody`"), "{refused}");
}

const FLOW_SCRIPT: &str = r"
set pagination off
set confirm off
set style enabled off
target remote | goshawk gdb bank.gtr --elf builtin:bank --stdio
print $pc
break set_balance
ignore 1 20
continue
monitor when
monitor bt 0
info threads
print $sp
print balance
x/2i $pc
info symbol $pc
stepi
reverse-stepi
monitor when
reverse-continue
delete
hbreak teller_step
continue
monitor bt all
delete
continue
reverse-continue
print $pc
monitor goto 1000
monitor when
monitor bt 99
watch balance
continue
set var balance = 7
";

/// Every control-flow scheme, and what GDB can know of it.
#[test]
fn gdb_goes_along_a_trace_of_the_control_flow_in_both_directions() {
    let place = Place::new();
    std::fs::write(place.path().join("bank.elf"), programs::find("bank").unwrap().elf).unwrap();
    for scheme in ["tr_e:large", "nx_b", "nexs", "sc-lsp:rbase-32x4"] {
        place.good(&format!("encode builtin:bank --harts 4 --max-instructions 400000 --scheme {scheme} -o bank.gtr"));
        let (said, told) = gdb_line_by_line(&place, FLOW_SCRIPT);
        in_order(
            &said,
            &[
                "$1 = (void (*)()) 0x80000000 <_start>",
                "hit Breakpoint 1, ",
                "(core 1, instruction ",
                "<unavailable>",
                "=> 0x",
                "set_balance",
                "Hardware assisted breakpoint 2",
                "hit Breakpoint 2, ",
                " = (void (*)()) 0x80000000 <_start>",
            ],
        );
        in_order(
            &told,
            &[
                "moment ",
                " in set_balance at ",
                " in bank_step at ",
                " in main at ",
                " in _start",
                "Cannot access memory at address",
                " in teller_step at ",
                "moment 1,000:",
                "`99` is not a core; expected a number below 4",
                "has no memory to watch",
                "Cannot access memory at address",
            ],
        );
        let moments: Vec<&str> =
            told.lines().filter(|l| l.starts_with("moment ")).filter_map(|l| l.split(':').next()).collect();
        assert_eq!(moments[0], moments[1], "{scheme}: a step and a step back are the same moment\n{told}");
    }
}

/// At a `fsd fa5, IMM(a4)` the register equals what the store then leaves in memory, and is a number.
#[test]
fn gdb_reads_the_float_registers_of_a_recorded_run() {
    let place = Place::new();
    let elf = programs::RV64.iter().find(|p| p.name == "float").unwrap().elf;
    std::fs::write(place.path().join("bank.elf"), elf).unwrap();
    place.good("encode bank.elf --max-instructions 200000 --scheme inputs -o float.gip");
    let program = retire::elf::Program::parse(elf).unwrap();
    let code = program.segments.iter().find(|s| s.executable).unwrap();
    let fsd = |at: &usize| {
        let word = u32::from_le_bytes(code.data[*at..at + 4].try_into().unwrap());
        (word & 0x01ff_f07f == 0x00f7_3027)
            .then(|| (code.addr + *at as u64, (word & 0xfe00_0000 | (word & 0xf80) << 13) as i32 >> 20))
    };
    let (pc, offset) = (0..code.data.len() - 4).step_by(2).find_map(|at| fsd(&at)).unwrap();
    let script = format!(
        "set pagination off\ntarget remote | goshawk gdb float.gip --elf bank.elf --stdio\nbreak *{pc}\ncontinue\ncontinue\n\
         print/x $fa5\nprint $fa5\nset $at = $a4 + {offset}\nstepi\nprint/x *(long *)$at\ninfo registers fa5\nreverse-stepi\nprint $fs11\n"
    );
    std::fs::write(place.path().join("script"), script).unwrap();
    let said = gdb(&place);
    let of = |start: &str| {
        said.lines().find_map(|l| l.strip_prefix(start)).unwrap_or_else(|| panic!("no {start} in\n{said}"))
    };
    let (register, stored) = (of("$1 = "), of("$3 = "));
    assert!(register.contains(stored) && stored.len() > 10, "{said}");
}

const LATE_SCRIPT: &str = r"
set pagination off
set confirm off
set style enabled off
target remote | goshawk gdb late.gip --elf builtin:bank --stdio
print $sp > 0x80000000
print balance
print $mscratch
break set_balance
continue
finish
print balance > 0
reverse-continue
monitor when
";

/// From the middle of a run: what no core has reached yet is unknown, and becomes known.
#[test]
fn a_recording_from_the_middle_of_a_run_tells_what_it_knows() {
    let place = Place::new();
    place.good(
        "encode builtin:bank --harts 4 --scheme inputs:512+known4096 --skip 500000 --max-instructions 200000 -o late.gip",
    );
    std::fs::write(place.path().join("bank.elf"), programs::find("bank").unwrap().elf).unwrap();
    let said = place.good("replay late.gip --elf builtin:bank --json");
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["instructions"]["total"], 200_000);
    let (said, errors) = gdb_line_by_line(&place, LATE_SCRIPT);
    in_order(&said, &["$1 = 1", "hit Breakpoint 1, set_balance", "= 1", "hit Breakpoint 1, set_balance"]);
    assert!(errors.contains("Cannot access memory at address"), "{errors}");
    // no store is found in the recording, and earlier ones are unknown
    let said = place.good("who-wrote late.gip balance --elf builtin:bank --at 10");
    assert!(said.contains("what was stored before the recording began is not known"), "{said}");
    let say = |words: &str| {
        let output = place.output(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        String::from_utf8(output.stderr).unwrap()
    };
    let refused = say("encode builtin:bank --scheme inputs --skip 5 -o x.gip");
    assert!(refused.contains("begins at reset") && refused.contains("inputs:512+known4096 does"), "{refused}");
    let refused = say("encode builtin:bank --skip 5 -o x.gtr");
    assert!(refused.contains("only with `--scheme inputs:256+known4096`"), "{refused}");
    let refused = say("encode builtin:bank --scheme inputs:512+known4096 --skip 999999999 -o x.gip");
    assert!(
        refused.contains("ends after 11658034 instructions; --skip 999999999 leaves nothing to record"),
        "{refused}"
    );
    place.good("run builtin:bank --max-instructions 1000 -o bank.ret");
    let refused = say("stats bank.ret --scheme inputs:512+known4096 --skip 5");
    assert!(refused.contains("a recording does not have the values"), "{refused}");
    let refused = say("gen --scheme inputs:512+known131072 -o x");
    assert!(refused.contains("known above 65536"), "{refused}");
    let refused = say("soc sim --core picorv32 --program bank --scheme inputs --record-after 1000");
    assert!(refused.contains("needs scheme inputs with +known4096"), "{refused}");
}

/// Numbers of frames, which only a DMA stores: watched forwards and backwards.
const DMA_SCRIPT: &str = "\
target remote | goshawk gdb late.gip --elf builtin:dma --stdio
watch *(unsigned *) 0x80000ce0
continue
continue
print *(unsigned *) 0x80000ce0
reverse-continue
print *(unsigned *) 0x80000ce0
";

#[test]
fn stores_of_a_bus_master_are_watched_and_found() {
    let place = Place::new();
    place.good("encode builtin:dma --harts 2 --scheme inputs:256+masters -o late.gip");
    std::fs::write(place.path().join("bank.elf"), programs::find("dma").unwrap().elf).unwrap();
    let said = place.good("who-wrote late.gip frame+252 --elf builtin:dma --at 40000 --last 2 --json");
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    let stores = &told["stores"];
    // the script's address
    assert_eq!((&stores[0]["address"], &stores[0]["bus_master"]), (&"0x80000ce0".into(), &true.into()), "{said}");
    assert_eq!(stores[0]["value"].as_u64().unwrap(), 1 + stores[1]["value"].as_u64().unwrap(), "{said}");
    assert!(stores[0]["core"].is_null() && stores[0]["moment"].as_u64() < Some(40_000), "{said}");
    let (said, errors) = gdb_line_by_line(&place, DMA_SCRIPT);
    assert!(said.matches("atchpoint 1").count() >= 3, "{said}{errors}");
    in_order(&said, &["$1 = 2", "$2 = 1"]);
    let refused = place.session("encode builtin:dma --harts 2 --scheme inputs:256 -o x.gip");
    assert!(
        refused.contains("a DMA stored 1536 words that inputs:256 does not record; inputs:256+masters does"),
        "{refused}"
    );
    assert!(refused.ends_with("exit code 2\n") && !place.path().join("x.gip").exists(), "{refused}");
}

/// `programs/faults/tasks.c`: three tasks, of which two wait while one runs.
#[test]
fn a_task_that_waits_is_a_thread_with_the_registers_that_it_had() {
    let place = Place::new();
    std::fs::copy(crate::halt::program("tasks"), place.path().join("bank.elf")).unwrap();
    place.good("encode bank.elf --scheme inputs -o tasks.gip");
    let script = "set pagination off\nset style enabled off\n\
        target remote | goshawk gdb tasks.gip --elf bank.elf --stdio\n\
        break work if n == 50\nignore 1 11\ncontinue\ninfo threads\nthread apply all backtrace\nprint now\n";
    let (said, errors) = gdb_line_by_line(&place, script);
    in_order(
        &said,
        &[
            "hit Breakpoint 1, work (n=n@entry=50)",
            // the running task, and where the others were interrupted
            "(core 0, instruction ",
            ", task slow)",
            "(task fast, state unknown, not running since moment ",
            "(task IDLE, state unknown, not running since moment ",
            "$1 = 1",
        ],
    );
    let stack = |thread: &str| {
        let at = said.find(&format!("(Thread {thread} (")).unwrap_or_else(|| panic!("{thread}: {said}{errors}"));
        said[at..].split("\n\n").next().unwrap().to_string()
    };
    let [slow, fast, idle] = ["1.1", "1.2", "1.4"].map(stack);
    assert!(slow.contains("work (n=n@entry=50)") && slow.contains(" in slow ()"), "{slow}");
    assert!(fast.contains(" fast ()") && !fast.contains("trap_entry"), "{fast}");
    assert!(idle.contains(" idle ()") && !idle.contains("trap_entry"), "{idle}");
}

/// `programs/faults/states.c`: one task in each state, in the words of three systems.
#[test]
fn tasks_have_the_states_of_their_system_at_any_moment() {
    for (system, waits, sleeps, notify) in [
        ("freertos", "blocked (object)", "blocked (delay or notification)", "blocked (notification)"),
        ("threadx", "blocked (queue)", "blocked (sleep)", "blocked (mutex)"),
        ("zephyr", "blocked (object)", "blocked (sleep)", "blocked (object)"),
    ] {
        let place = Place::new();
        let program = crate::halt::program(&format!("states-{system}"));
        std::fs::copy(program, place.path().join("bank.elf")).unwrap();
        place.good("encode bank.elf --scheme inputs -o s.gip");
        let script = "set pagination off\nset style enabled off\n\
            target remote | goshawk gdb s.gip --elf bank.elf --stdio\n\
            monitor tasks\nbreak checkpoint\ncontinue\nmonitor tasks\ncontinue\nmonitor tasks\ninfo threads\n\
            reverse-continue\nmonitor tasks\n";
        let (said, tasks) = gdb_line_by_line(&place, script);
        let rows: Vec<Vec<&str>> = tasks.lines().map(|l| l.split("  ").filter(|w| !w.is_empty()).collect()).collect();
        let states = |task: &str| -> Vec<&str> {
            rows.iter().filter(|r| r.len() > 1 && r[0] == task).map(|r| r[1].trim()).collect()
        };
        assert_eq!(states("main"), ["running on core 0"; 3], "{system}: {tasks}");
        for (task, state) in [("waits", waits), ("sleeps", sleeps), ("gone", "ended"), ("notify", notify)] {
            assert_eq!(states(task), [state; 3], "{system}, {task}: {tasks}");
        }
        // the program resumes it between the two stops, and going back undoes that
        assert_eq!(states("parked"), ["suspended", "ready", "suspended"], "{system}: {tasks}");
        // it never runs, so that it is no thread
        assert_eq!(states("fresh"), ["ready"; 3], "{system}: {tasks}");
        assert_eq!(tasks.matches("has not run").count(), 3, "{system}: {tasks}");
        assert_eq!(tasks.matches("no task is known at this moment").count(), 1, "{system}: {tasks}");
        let thread =
            |task: &str, state: &str| said.contains(&format!("(task {task}, {state}, not running since moment "));
        assert!(thread("parked", "ready") && thread("sleeps", sleeps) && !said.contains("fresh"), "{system}: {said}");
    }
}

/// Programs that crash without a handler stop before the instruction; others do not.
#[test]
fn a_crash_stops_before_its_instruction_with_a_signal() {
    let place = Place::new();
    let first = "0x80000004";
    let none = "No more reverse-execution history";
    for (name, code, stop, pc) in [
        ("illegal instruction", &[0x0000_0013, 0x0000_0057][..], "SIGILL", first),
        ("no such CSR", &[0x0000_0013, 0x7c00_1073], "SIGILL", first),
        ("ebreak", &[0x0000_0013, 0x0010_0073], "SIGTRAP", first),
        ("ecall", &[0x0000_0013, 0x0000_0073], "SIGSYS", first),
        ("load", &[0x4000_0537, 0x0105_2583], "SIGSEGV", first),
        ("store", &[0x4000_0537, 0xfea5_2e23], "SIGSEGV", first),
        ("jump", &[0x0000_12b7, 0x0002_80e7], "SIGSEGV", "0x1000"),
        // auipc a0, 0; addi a0, a0, 1; lr.w a2, (a0)
        ("misaligned", &[0x0000_0517, 0x0015_0513, 0x1005_262f], "SIGBUS", "0x80000008"),
        // waits, and does not come to the ebreak
        ("wfi", &[0x1050_0073, 0x0010_0073], none, first),
        ("limit", &[0x0000_0013, 0x0000_006f], none, first),
    ] {
        std::fs::write(place.path().join("bank.elf"), elf_of(RISCV, code)).unwrap();
        place.good("encode bank.elf --scheme inputs --max-instructions 1000 -o x.gip");
        let script =
            "target remote | goshawk gdb x.gip --elf bank.elf --stdio\ncontinue\nprint/x $pc\nstepi\nprint/x $pc\n";
        let (said, errors) = gdb_line_by_line(&place, script);
        in_order(&said, &[stop, &format!("$1 = {pc}"), &format!("$2 = {pc}")]);
        assert_eq!(said.contains("received signal"), stop != none, "{name}: {said}{errors}");
    }
}
