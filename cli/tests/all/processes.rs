//! Views of single processes: what they show of a kernel and two processes at the same addresses = retired events by pc and context

use crate::common::Place;
use host::debug::flow::FlowSession;
use host::debug::scene::Scene;
use host::input::{InputOptions, Named};
use host::progress::Quiet;
use host::symbols::Symbols;
use retire::file::retire::RetireReader;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind, NullSink};
use sim::timeline::Seekable;
use std::collections::BTreeMap;

/// Executions by context and address.
type Counts = BTreeMap<(Context, u64), u64>;

pub(crate) const PROGRAMS: &str = "--elf kernel.elf --space 1=a.elf --space 2=b.elf";
const USER_A: Context = Context::new(0, 1);
const USER_B: Context = Context::new(0, 2);

/// Captures the kernel and its processes as `name`.ret, and encodes them.
fn capture(place: &Place, name: &str) {
    place.good(&format!("capture run --system --contexts --skip 6 -o {name}.ret -- kernel.elf"));
    place.good(&format!("encode {name}.ret --elf kernel.elf --context 2 -o {name}.gtr"));
}

pub(crate) fn captured() -> Place {
    let place = Place::new();
    for name in ["kernel", "a", "b"] {
        let elf = format!("{}/../programs/paged/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(elf, place.path().join(format!("{name}.elf"))).unwrap();
    }
    capture(&place, "paged");
    place
}

/// Counts the events of paged.ret.
fn counted(place: &Place) -> Counts {
    let image = |name: &str| Image::new(&Named::open(&place.path().join(name).display().to_string()).unwrap().program);
    let [kernel, a, b] = ["kernel.elf", "a.elf", "b.elf"].map(image);
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&place.path().join("paged.ret")).unwrap().read_rest(&mut events).unwrap();
    let (mut now, mut next, mut pc, mut counts) = (Context::RESET, Context::RESET, 0, Counts::new());
    for e in &events {
        let image = match now {
            USER_A => &a,
            USER_B => &b,
            _ => &kernel,
        };
        for _ in 0..e.count {
            *counts.entry((now, pc)).or_insert(0) += 1;
            pc += u64::from(image.instruction(pc).unwrap().1);
        }
        // the event that follows counts from before
        if !matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            pc = e.target;
        }
        match e.kind {
            FlowKind::Context { context, alone: true } => (now, next) = (context, context),
            FlowKind::Context { context, alone: false } => next = context,
            _ => now = next,
        }
    }
    counts
}

/// Those of one context, by address.
fn of(counts: &Counts, context: Context) -> BTreeMap<u64, u64> {
    counts.iter().filter(|((of, _), _)| *of == context).map(|((_, pc), n)| (*pc, *n)).collect()
}

/// Listed instructions by address.
pub(crate) fn listed(text: &str) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some("0"), Some(pc)) = (words.next(), words.next().and_then(|word| word.strip_prefix("0x"))) {
            *counts.entry(u64::from_str_radix(pc, 16).unwrap()).or_insert(0) += 1;
        }
    }
    counts
}

fn symbols(place: &Place, elf: &str) -> Symbols {
    Symbols::open(&place.path().join(elf).display().to_string()).unwrap()
}

#[test]
fn each_view_has_what_the_selected_process_retired() {
    let place = captured();
    let counts = counted(&place);
    let total = |context| of(&counts, context).values().sum::<u64>();
    assert!(total(USER_A) > 10_000 && total(USER_B) > 10_000);
    let supervisor_b = Context::new(1, 2);
    for trace in ["paged.gtr", "paged.ret"] {
        for (options, context) in [
            ("--process a.elf --mode u", USER_A),
            ("--process 2 --mode u", USER_B),
            ("--process b.elf --mode s", supervisor_b),
        ] {
            let shown = place.good(&format!("show {trace} {PROGRAMS} {options}"));
            assert_eq!(listed(&shown), of(&counts, context), "show {trace} {options}");
            // lines are those of the right program
            let sources = ["a.c", "b.c", "kernel.c"].map(|name| shown.contains(&format!("  ./{name}:")));
            assert_eq!(sources, [context == USER_A, context == USER_B, context == supervisor_b], "{options}");
            if trace == "paged.gtr" {
                let replayed = place.good(&format!("replay {trace} {PROGRAMS} {options}"));
                assert_eq!(listed(&replayed), of(&counts, context), "replay {options}");
            }
            coverage(&place, trace, options, context, &counts);
            let stats = place.good(&format!(
                "stats {trace} {} {options} --json",
                if trace == "paged.gtr" { PROGRAMS } else { SPACES }
            ));
            let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
            assert_eq!(stats["instructions"], total(context), "stats {trace} {options}");
        }
    }
    // functions are looked up in each program
    let fold = symbols(&place, "b.elf").ranges("fold").next().unwrap();
    let shown = listed(&place.good(&format!("show paged.gtr {PROGRAMS} --function fold")));
    let right: BTreeMap<u64, u64> = of(&counts, USER_B).into_iter().filter(|(pc, _)| fold.contains(pc)).collect();
    assert_eq!(shown, right);
    parts_of_the_stream_add_up(&place);
    messages(&place);
    waves(&place);
    debugger(&place, &counts);
}

/// Messages of a process, from those of all, which say where the context changes.
fn messages(place: &Place) {
    let all = place.good(&format!("decode paged.gtr {PROGRAMS}"));
    for (options, modes, space) in
        [("--process b.elf --mode u", "u", Some("2")), ("--process 1", "usm", Some("1")), ("--mode sm", "sm", None)]
    {
        let has = |context: &str| {
            let (mode, of) = context.split_once(':').unwrap();
            modes.contains(mode) && space.is_none_or(|space| space == of)
        };
        let mut context = "m:0";
        let mut right = vec![all.lines().next().unwrap()];
        for line in all.lines().skip(1) {
            let before = context;
            // the last one is the field, not the kind of message
            let field = line.rsplit_once("  context ").and_then(|(_, rest)| rest.split_whitespace().next());
            context = field.unwrap_or(before);
            right.extend(has(before).then_some(line));
        }
        assert!(right.len() > 100 && right.len() < all.lines().count(), "{options}");
        let listed = place.good(&format!("decode paged.gtr {PROGRAMS} {options}"));
        assert!(listed.lines().eq(right), "{options}");
    }
}

const SPACES: &str = "--space 1=a.elf --space 2=b.elf";

/// Calls of functions in the tracefile = executions of their first instructions.
fn coverage(place: &Place, trace: &str, options: &str, context: Context, counts: &Counts) {
    place.good(&format!("coverage {trace} {PROGRAMS} {options} -o x.info"));
    let info = std::fs::read_to_string(place.path().join("x.info")).unwrap();
    let elf = match context {
        USER_A => "a.elf",
        USER_B => "b.elf",
        _ => "kernel.elf",
    };
    let counts = of(counts, context);
    let symbols = symbols(place, elf);
    let mut called = 0;
    for line in info.lines().filter_map(|line| line.strip_prefix("FNDA:")) {
        let (calls, name) = line.split_once(',').unwrap();
        let (start, _) = symbols.all().find(|(_, known)| *known == name).unwrap_or_else(|| panic!("{elf}: no {name}"));
        assert_eq!(calls.parse::<u64>().unwrap(), counts.get(&start).copied().unwrap_or(0), "{trace} {options} {name}");
        called += u64::from(calls != "0");
    }
    assert!(called > 0, "{trace} {options}: {info}");
}

/// Disjoint selections have all messages.
fn parts_of_the_stream_add_up(place: &Place) {
    for (trace, programs) in [("paged.gtr", PROGRAMS), ("paged.ret", "")] {
        let sums = |options: &str| {
            let stats = place.good(&format!("stats {trace} {programs} {options} --json"));
            let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
            let kinds = stats["messages"].as_object().unwrap().values();
            let messages: u64 = kinds.map(|kind| kind["messages"].as_u64().unwrap()).sum();
            let rates = &stats["rates"]["private"];
            let number = |value: &serde_json::Value| value.as_u64().unwrap();
            [messages, number(&stats["instructions"]), number(&rates["conditionals"]), number(&rates["target_misses"])]
        };
        let parts = ["u", "s", "m"].map(|mode| sums(&format!("--mode {mode}")));
        let added = [0, 1, 2, 3].map(|at| parts.iter().map(|part| part[at]).sum::<u64>());
        assert_eq!(added, sums(""), "{trace}");
        assert!(parts.iter().all(|part| part[0] > 0 && part[1] > 0), "{trace}: {parts:?}");
    }
}

/// A core has values in the selected process only.
fn waves(place: &Place) {
    place.good(&format!("vcd paged.gtr {PROGRAMS} --process a.elf --mode u -o x.vcd"));
    let dump = std::fs::read_to_string(place.path().join("x.vcd")).unwrap();
    let symbols = symbols(place, "a.elf");
    let mut values = (0, 0);
    for line in dump.lines() {
        if let Some(name) = line.strip_prefix('s').and_then(|rest| rest.split(' ').next()) {
            assert!(name == "-" || symbols.all().any(|(_, known)| known == name), "{name}");
            values.0 += 1;
        }
        if let Some(bits) = line.strip_prefix('b').and_then(|rest| rest.split(' ').next()) {
            let pc = u64::from_str_radix(bits, 2).ok();
            assert!(pc.is_none_or(|pc| (0x10000..0x20000).contains(&pc)), "{line}");
            values.1 += 1;
        }
    }
    assert!(values.0 > 2 && values.1 > 10_000, "{values:?}");
}

/// The instruction that traps to the kernel.
const ECALL: u32 = 0x73;

/// Steps of the debugger are the instructions of the selected process.
fn debugger(place: &Place, counts: &Counts) {
    let path = |name: &str| place.path().join(name);
    let elfs = [(USER_A, "a.elf"), (USER_B, "b.elf")].map(|(of, elf)| (of, path(elf).display().to_string()));
    let options = InputOptions { contexts: &elfs, ..InputOptions::default() };
    let kernel = path("kernel.elf").display().to_string();
    let session = FlowSession::open(&path("paged.gtr"), &kernel, options, &Quiet).unwrap();
    let session = session.only(host::contexts::Selection { spaces: vec![1], modes: vec![0] });
    let mut flow = session.begin().unwrap();
    let mut stepped = BTreeMap::new();
    let mut bytes = None;
    loop {
        let pc = flow.pc(0).unwrap();
        let is_call = flow.memory(pc, 4) == ECALL.to_le_bytes();
        if flow.step(&mut NullSink).unwrap().is_none() {
            break;
        }
        // an `ecall` is a step, and does not retire; what retires outside of the process is part of a step
        *stepped.entry(pc).or_insert(0u64) += u64::from(!is_call);
        let at = flow.pc(0).unwrap();
        bytes = bytes.or_else(|| Some((at, flow.memory(at, 4))));
    }
    stepped.retain(|_, count| *count > 0);
    assert_eq!(stepped, of(counts, USER_A));
    // memory is that of the process, too
    let (at, bytes) = bytes.unwrap();
    let own = Named::open(&elfs[0].1).unwrap().program.segments;
    let own = own.iter().find(|s| (s.virtual_addr..s.virtual_addr + s.data.len() as u64).contains(&at)).unwrap();
    assert_eq!(bytes[..2], own.data[(at - own.virtual_addr) as usize..][..2]);
}

#[test]
fn a_process_is_the_same_in_two_runs_with_other_interrupts() {
    let place = captured();
    capture(&place, "again");
    for traces in ["paged.gtr again.gtr", "paged.ret again.gtr"] {
        let same = place.good(&format!("diff {traces} {PROGRAMS} --process a.elf --mode u"));
        assert!(same.contains("the same in every instruction"), "{same}");
    }
    // the timer of the machine interrupts it elsewhere
    let o = place.output(&format!("diff paged.gtr again.gtr {PROGRAMS}"));
    assert_eq!(o.status.code(), Some(1), "{}", String::from_utf8_lossy(&o.stdout));
}

#[test]
fn processes_have_names_from_a_file() {
    let place = captured();
    let counts = counted(&place);
    std::fs::write(place.path().join("names.txt"), "1 primes a.elf  # the first\n2 fold\n").unwrap();
    let read = |options: &str| {
        let read =
            place.good(&format!("profile paged.gtr --elf kernel.elf --process-names names.txt {options} --json"));
        serde_json::from_str::<serde_json::Value>(&read).unwrap()
    };
    let options = "--space fold=b.elf";
    let profile = read(&format!("{options} --by process"));
    let named: Vec<_> = profile["processes"].as_array().unwrap().iter().map(|p| (&p["space"], &p["name"])).collect();
    for (space, name) in [(1, "primes"), (2, "fold")] {
        assert!(named.iter().any(|(s, n)| **s == space && **n == name), "{named:?}");
    }
    let selected = read(&format!("{options} --process primes --mode u"));
    assert_eq!(selected["instructions"], of(&counts, USER_A).values().sum::<u64>());
    let shown = place.good("profile paged.gtr --elf kernel.elf --process-names names.txt --space 2=b.elf --by process");
    assert!(shown.contains("primes") && shown.contains("fold"), "{shown}");
    for (options, right) in [
        ("--space sh=a.elf", "`--space sh=a.elf`: `sh` is not an address space"),
        ("--process sh", "`--process sh`: expected the number of an address space"),
        ("--process-names kernel.elf", "kernel.elf: "),
    ] {
        let o = place.output(
            &format!("profile paged.gtr --elf kernel.elf --process-names names.txt {options}")
                .replace("--process-names names.txt --process-names", "--process-names"),
        );
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.code() == Some(2) && said.contains(right), "{options}: {said}");
    }
}

#[test]
fn a_root_that_another_process_uses_is_a_new_number() {
    let place = Place::new();
    let elf = format!("{}/../programs/paged/elf/reuse.elf", env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(elf, place.path().join("reuse.elf")).unwrap();
    place.good("capture run --system --contexts --skip 6 -o reuse.ret -- reuse.elf");
    let profile = place.good("profile reuse.ret --elf reuse.elf --by process --mode u --json");
    let profile: serde_json::Value = serde_json::from_str(&profile).unwrap();
    let user = |p: &serde_json::Value| (p["space"].as_u64().unwrap(), p["user"].as_u64().unwrap());
    let found: BTreeMap<u64, u64> = profile["processes"].as_array().unwrap().iter().map(user).collect();
    // the first process runs once, the second twice, and the third twice with the root of the first
    assert_eq!(found, BTreeMap::from([(1, 201), (2, 402), (3, 402)]));
}
