//! Contexts from capture to replay: a kernel and two processes at the same addresses, captured, traced, replayed

use crate::common::Place;
use retire::file::retire::RetireReader;
use retire::{Context, FlowEvent, FlowKind};
use std::collections::HashMap;
use std::path::Path;

/// Contexts of instructions, with their counts.
fn shares(path: &Path) -> HashMap<Context, u64> {
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(path).unwrap().read_rest(&mut events).unwrap();
    let (mut now, mut next, mut shares) = (Context::RESET, Context::RESET, HashMap::new());
    for e in &events {
        *shares.entry(now).or_default() += u64::from(e.count);
        match e.kind {
            FlowKind::Context { context, alone } => {
                next = context;
                now = if alone { next } else { now };
            }
            _ => now = next,
        }
    }
    shares
}

#[test]
fn a_kernel_and_two_processes_come_back_instruction_for_instruction() {
    let place = Place::new();
    for name in ["kernel", "a", "b"] {
        let elf = format!("{}/../programs/paged/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(elf, place.path().join(format!("{name}.elf"))).unwrap();
    }
    let o = place.output("capture run --system --contexts --skip 6 -o paged.ret --json -- kernel.elf");
    let told = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(o.status.success() && told.contains("paged: result f006920d8a515dc1 ok"), "{told}");
    let shares = shares(&place.path().join("paged.ret"));
    for (privilege, id, least) in [(0, 1, 10_000), (0, 2, 10_000), (1, 1, 500), (1, 2, 500), (3, 1, 10)] {
        let share = shares.get(&Context::new(privilege, id)).copied().unwrap_or(0);
        assert!(share > least, "mode {privilege}, space {id}: {share} instructions of {shares:?}");
    }
    const CONTEXTS: &str = "--elf kernel.elf --space 1=a.elf --space 2=b.elf";
    for options in ["--context 2", "--context 16 --set large --sync-period 14", "--context 3 --encoding nx_b"] {
        place.good(&format!("encode paged.ret --elf kernel.elf {options} -o x.gtr"));
        let told = place.good(&format!("replay x.gtr {CONTEXTS} --check paged.ret"));
        assert!(told.contains("equal to paged.ret"), "{options}: {told}");
    }
    for trace in ["x.gtr", "paged.ret"] {
        let read = |options: &str| {
            let read = place.good(&format!("profile {trace} {CONTEXTS} {options} --json"));
            serde_json::from_str::<serde_json::Value>(&read).unwrap()
        };
        let profile = read("--by process");
        let mut counted = HashMap::new();
        for process in profile["processes"].as_array().unwrap() {
            let space = process["space"].as_u64().unwrap() as u32;
            for (privilege, mode) in [(0, "user"), (1, "supervisor"), (3, "machine")] {
                counted.insert(Context::new(privilege, space), process[mode].as_u64().unwrap());
            }
            if let Some((program, own)) = [(1, ("a.elf", "start")), (2, ("b.elf", "fold"))]
                .into_iter()
                .find_map(|(number, right)| (number == space).then_some(right))
            {
                assert_eq!(process["program"], program);
                let functions = process["functions"].as_array().unwrap();
                let has = |name: &str| functions.iter().any(|f| f["function"] == name);
                assert!(has(own) && has("kernel_trap"), "{trace} {space}: {functions:?}");
                assert!(space == 2 || !has("fold"), "{trace} {space}: {functions:?}");
            }
        }
        counted.retain(|_, n| *n > 0);
        assert_eq!(counted, shares, "{trace}");
        for (options, right) in [
            ("--process a.elf --mode u", vec![Context::new(0, 1)]),
            ("--process 2 --mode su", vec![Context::new(0, 2), Context::new(1, 2)]),
        ] {
            let right: u64 = right.iter().map(|context| shares[context]).sum();
            assert_eq!(read(options)["instructions"], right, "{trace} {options}");
        }
    }
    // swapped programs do not match the run
    let wrong = place.output("replay x.gtr --elf kernel.elf --space 1=b.elf --space 2=a.elf --check paged.ret");
    assert_ne!(wrong.status.code(), Some(0));
    // the listing has each process's own instructions
    let listed = place.good(&format!("replay x.gtr {CONTEXTS}"));
    for line in ["   0  context u:1", "   0  context u:2", "   0  context s:1", "   0  trap to 0x"] {
        assert!(listed.contains(line), "{line}");
    }
    let first = |context: &str| {
        let behind = listed.split(&format!("context {context}\n")).nth(1).unwrap();
        behind.lines().next().unwrap().to_string()
    };
    let (a, b) = (first("u:1"), first("u:2"));
    assert!(a.contains("0x00010000") && b.contains("0x00010000") && a != b, "{a} {b}");
    let messages = place.good(&format!("decode x.gtr {CONTEXTS}"));
    assert!(messages.contains("  context ") && messages.contains("context u:2"));
}

#[test]
fn what_contexts_cannot_be_says_what_would_be_right() {
    let place = Place::new();
    let says = |words: &str| {
        let o = place.output(words);
        assert_eq!(o.status.code(), Some(2), "{words}");
        String::from_utf8(o.stderr).unwrap()
    };
    place.good("encode p.elf -o plain.gtr");
    place.good("encode p.elf --context 4 -o told.gtr");
    place.good("replay told.gtr --elf p.elf --context sm:3=p.elf --summary");
    for (words, right) in [
        ("replay plain.gtr --elf p.elf --context 1=p.elf", "reports no contexts; `--context` of encode"),
        ("replay told.gtr --elf p.elf --context 16=p.elf", "reports 4 bits of the address space"),
        ("replay told.gtr --elf p.elf --context x=p.elf", "`x` is not an address space"),
        ("encode p.elf --context 9 -o x.gtr", "context = 9, expected 0 to 16"),
        (
            "encode p.elf --context 4 --encoding nexs -o x.gtr",
            "`--context 4`: only with a scheme that reports contexts, not `--encoding nexs`",
        ),
        ("profile plain.gtr --elf p.elf --by process", "plain.gtr: reports no contexts, which `--by process`"),
        ("profile told.gtr --elf p.elf --process x", "`--process x`: expected the number of an address space"),
        ("sim p.elf --context 4", "`--context 4`: not with a simulation"),
    ] {
        let said = says(words);
        assert!(said.contains(right), "{words}: {said}");
    }
}
