//! In each view, processes together are the whole: so are privilege modes, since each instruction is of one of them

use crate::common::Place;
use crate::processes::{captured, listed, PROGRAMS};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;

/// What a view counts, by its name there.
type Counts = BTreeMap<String, u64>;

/// Selections of which each instruction is in one.
const PARTS: [[&str; 3]; 2] = [["--process 0", "--process 1", "--process 2"], ["--mode u", "--mode s", "--mode m"]];

/// Compares what all parts have with the whole.
fn add_up(what: &str, count: impl Fn(&str) -> Counts) {
    let whole = count("");
    assert!(!whole.is_empty(), "{what}");
    for parts in PARTS {
        let (mut sums, mut most) = (Counts::new(), 0);
        for part in parts {
            let counts = count(part);
            most = most.max(counts.values().sum());
            for (name, n) in counts {
                *sums.entry(name).or_insert(0) += n;
            }
        }
        sums.retain(|name, n| *n > 0 || whole.contains_key(name));
        let other: Vec<_> = sums
            .keys()
            .chain(whole.keys())
            .filter(|name| sums.get(*name) != whole.get(*name))
            .map(|name| (name, sums.get(name), whole.get(name)))
            .collect();
        assert!(other.is_empty(), "{what} {parts:?}: {:?}", &other[..other.len().min(9)]);
        assert!(most < whole.values().sum(), "{what} {parts:?}: a selection selects nothing");
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_string()
}

/// Adds up pairs.
fn sums(pairs: impl IntoIterator<Item = (String, u64)>) -> Counts {
    let mut counts = Counts::new();
    for (name, n) in pairs {
        *counts.entry(name).or_insert(0) += n;
    }
    counts
}

impl Place {
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.good(line)).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }
}

#[test]
fn profiles_of_all_processes_add_up() {
    let place = captured();
    for trace in ["paged.gtr", "paged.ret"] {
        let line = format!("profile {trace} {PROGRAMS}");
        add_up("profile", |part| {
            let profile = place.json(&format!("{line} {part} --json"));
            sums(list(&profile["functions"]).iter().map(|f| (text(&f["function"]), number(&f["instructions"]))))
        });
        add_up("profile --by process", |part| {
            let profile = place.json(&format!("{line} {part} --by process --json"));
            let modes =
                |p: &Value| ["user", "supervisor", "machine"].map(|m| (format!("{} {m}", p["space"]), number(&p[m])));
            sums(list(&profile["processes"]).iter().flat_map(modes))
        });
        add_up("profile --by task", |part| {
            let profile = place.json(&format!("{line} {part} --by task --json"));
            sums(list(&profile["tasks"]).iter().map(|t| (text(&t["task"]), number(&t["instructions"]))))
        });
        add_up("profile --folded", |part| {
            place.good(&format!("{line} {part} --folded x.folded"));
            let folded = String::from_utf8(place.bytes("x.folded")).unwrap();
            let lines = folded.lines().map(|line| line.rsplit_once(' ').unwrap());
            sums(lines.map(|(stack, n)| (stack.to_string(), n.parse().unwrap())))
        });
        add_up("profile --speedscope", |part| {
            place.good(&format!("{line} {part} --speedscope x.json"));
            let file: Value = serde_json::from_slice(&place.bytes("x.json")).unwrap();
            let profile = &file["profiles"][0];
            let name = |frame: &Value| text(&file["shared"]["frames"][number(frame) as usize]["name"]);
            let stack = |sample: &Value| list(sample).iter().map(name).collect::<Vec<_>>().join(";");
            sums(list(&profile["samples"]).iter().map(stack).zip(list(&profile["weights"]).iter().map(number)))
        });
        add_up("profile --pprof", |part| {
            place.good(&format!("{line} {part} --pprof x.pprof"));
            pprof(&place.bytes("x.pprof"))
        });
    }
}

/// Fields of a message in Protocol Buffers: number, value of a number, bytes of all else.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (value, length) = match key & 7 {
            0 => (varint(&mut bytes), 0),
            2 => (0, varint(&mut bytes) as usize),
            other => panic!("wire type {other}"),
        };
        let (content, rest) = bytes.split_at(length);
        all.push((key >> 3, value, content));
        bytes = rest;
    }
    all
}

/// Numbers that are packed in a field.
fn packed(bytes: &[u8]) -> Vec<u64> {
    // each with the key of a number before it
    let mut keyed = vec![0x08];
    for (at, byte) in bytes.iter().enumerate() {
        keyed.push(*byte);
        if byte & 0x80 == 0 && at + 1 < bytes.len() {
            keyed.push(0x08);
        }
    }
    fields(&keyed).into_iter().map(|(_, value, _)| value).collect()
}

/// Instructions by the program, outermost function and line of the innermost location.
fn pprof(file: &[u8]) -> Counts {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let all = fields(&bytes);
    let strings: Vec<&str> = all.iter().filter(|f| f.0 == 6).map(|f| std::str::from_utf8(f.2).unwrap()).collect();
    let field = |message: &[u8], wanted| fields(message).iter().find(|f| f.0 == wanted).map_or(0, |f| f.1);
    let by_id =
        |wanted| all.iter().filter(move |f| f.0 == wanted).map(|f| (field(f.2, 1), f.2)).collect::<BTreeMap<_, _>>();
    let (mappings, locations, functions) = (by_id(3), by_id(4), by_id(5));
    let name = |location: u64| {
        let location = locations[&location];
        let program = strings[field(mappings[&field(location, 2)], 5) as usize];
        let line = fields(location).into_iter().rfind(|f| f.0 == 4).unwrap().2;
        let function = functions[&field(line, 1)];
        format!(
            "{program} {} {}:{}",
            strings[field(function, 2) as usize],
            strings[field(function, 4) as usize],
            field(line, 2)
        )
    };
    sums(all.iter().filter(|f| f.0 == 2).map(|(_, _, sample)| {
        let sample = fields(sample);
        let values = |wanted| packed(sample.iter().find(|f| f.0 == wanted).unwrap().2);
        (name(values(1)[0]), values(2)[0])
    }))
}

#[test]
fn pprof_has_the_functions_and_lines_of_each_program() {
    let place = captured();
    place.good(&format!("profile paged.gtr {PROGRAMS} --pprof x.pprof"));
    let found = pprof(&place.bytes("x.pprof"));
    let has = |program: &str, function: &str, source: &str| {
        found.keys().any(|name| name.starts_with(&format!("{program} {function} {source}")))
    };
    assert!(has("a.elf", "start", "./a.c:") && has("b.elf", "fold", "./b.c:"), "{found:?}");
    assert!(has("kernel.elf", "kernel_trap", "./kernel.c:"), "{found:?}");
    assert!(!has("kernel.elf", "start", "./a.c:") && !has("a.elf", "fold", ""), "{found:?}");
}

/// Time of each core in each stack of functions, from begins and ends: track, name of what begins, time.
fn times(events: impl Iterator<Item = (u64, Option<String>, u64)>) -> Counts {
    let mut tracks: BTreeMap<u64, (Vec<String>, u64)> = BTreeMap::new();
    let mut counts = Counts::new();
    for (track, begins, now) in events {
        let (stack, since) = tracks.entry(track).or_default();
        if !stack.is_empty() && now > *since {
            *counts.entry(format!("{track} {}", stack.join(";"))).or_insert(0) += now - *since;
        }
        *since = now;
        match begins {
            Some(name) => stack.push(name),
            None => assert!(stack.pop().is_some(), "an end without a begin"),
        }
    }
    assert!(tracks.values().all(|(stack, _)| stack.is_empty()));
    counts
}

#[test]
fn timelines_of_all_processes_add_up() {
    let place = captured();
    for trace in ["paged.gtr", "paged.ret"] {
        let line = format!("timeline {trace} {PROGRAMS}");
        add_up("timeline", |part| {
            place.good(&format!("{line} {part} --depth 99 -o x.json"));
            let events: Value = serde_json::from_slice(&place.bytes("x.json")).unwrap();
            let event = |e: &Value| {
                let begins = (e["ph"] == "B").then(|| text(&e["name"]));
                (e["ph"] != "M").then(|| (number(&e["tid"]), begins, number(&e["ts"])))
            };
            times(list(&events).iter().filter_map(event))
        });
        for by in ["core", "process"] {
            add_up(&format!("timeline --by {by}"), |part| {
                place.good(&format!("{line} {part} --format perfetto --by {by} --depth 99 -o x.pftrace"));
                let (tracks, slices) = perfetto(&place.bytes("x.pftrace"));
                // numbers of tracks depend on which of them have slices
                let named = |(stack, time): (String, u64)| {
                    let (track, stack) = stack.split_once(' ').unwrap();
                    (format!("{}: {stack}", tracks[&track.parse::<u64>().unwrap()]), time)
                };
                sums(times(slices.into_iter()).into_iter().map(named))
            });
        }
    }
}

/// Begin or end of a slice: track, name if it begins, time.
type Slice = (u64, Option<String>, u64);

/// Names of tracks, and all slices in their order.
fn perfetto(file: &[u8]) -> (BTreeMap<u64, String>, Vec<Slice>) {
    let (mut tracks, mut names, mut slices) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let of = |message: &[u8], wanted| fields(message).iter().find(|f| f.0 == wanted).map(|f| f.1);
    let string = |message: &[u8], wanted| {
        let found = fields(message).into_iter().find(|f| f.0 == wanted).unwrap();
        String::from_utf8(found.2.to_vec()).unwrap()
    };
    for (_, _, packet) in fields(file) {
        for (field, _, content) in fields(packet) {
            match field {
                60 => {
                    tracks.insert(of(content, 1).unwrap(), string(content, 2));
                }
                12 => {
                    for (_, _, name) in fields(content).into_iter().filter(|f| f.0 == 2) {
                        names.insert(of(name, 1).unwrap(), string(name, 2));
                    }
                }
                _ => {}
            }
        }
        for (_, _, event) in fields(packet).into_iter().filter(|f| f.0 == 11) {
            let begins = match of(event, 9).unwrap() {
                1 => Some(names[&of(event, 10).unwrap()].clone()),
                2 => None,
                // instants: traps
                _ => continue,
            };
            slices.push((of(event, 11).unwrap(), begins, of(packet, 8).unwrap() / 1000));
        }
    }
    (tracks, slices)
}

#[test]
fn a_track_of_a_process_has_its_functions() {
    let place = captured();
    std::fs::write(place.path().join("names.txt"), "1 primes\n").unwrap();
    let line = format!("timeline paged.gtr {PROGRAMS} --process-names names.txt --format perfetto");
    place.good(&format!("{line} --by process -o x.pftrace"));
    let (tracks, slices) = perfetto(&place.bytes("x.pftrace"));
    let of = |name: &str| {
        let track = tracks.iter().find(|(_, known)| *known == name).unwrap_or_else(|| panic!("{name}: {tracks:?}")).0;
        slices.iter().filter(|s| s.0 == *track).filter_map(|s| s.1.clone()).collect::<std::collections::BTreeSet<_>>()
    };
    let (a, b, kernel) = (of("primes, space 1"), of("b.elf, space 2"), of("space 0"));
    // where the kernel changes to another process, what it was called by is still on its stack
    assert!(a.contains("start") && a.contains("kernel_trap"), "{a:?}");
    assert!(b.contains("fold") && b.contains("kernel_trap"), "{b:?}");
    assert!(kernel.contains("kernel_main") && !kernel.contains("fold"), "{kernel:?}");
    // which process the core runs: as long as the process's instructions
    let core = tracks.iter().find(|(_, name)| *name == "processes").unwrap().0;
    let ran = times(slices.iter().filter(|s| s.0 == *core).cloned());
    let profile = place.json(&format!("profile paged.gtr {PROGRAMS} --by process --json"));
    for (space, name) in [(0, "space 0"), (1, "primes, space 1"), (2, "b.elf, space 2")] {
        let process = list(&profile["processes"]).iter().find(|p| p["space"] == space).unwrap();
        assert_eq!(ran[&format!("{core} {name}")], number(&process["instructions"]), "{name}");
    }
    for (words, message) in [
        (
            format!("timeline paged.gtr {PROGRAMS} --by process -o x.json"),
            "`--by process`: only with `--format perfetto`",
        ),
        (
            "timeline p.gtr --elf p.elf --by process --format perfetto -o x".into(),
            "p.gtr: reports no contexts, which `--by process` needs",
        ),
        (
            "timeline p.gtr --elf p.elf --mode u -o x".into(),
            "p.gtr: reports no contexts, which `--process` and `--mode` need",
        ),
        (
            "report trace p.gtr --elf p.elf --process 1 -o x".into(),
            "p.gtr: reports no contexts, which `--process` and `--mode` need",
        ),
        (format!("report trace paged.gtr {PROGRAMS} --process sh -o x"), "`--process sh`: expected the number"),
    ] {
        place.good("encode p.elf -o p.gtr");
        let o = place.output(&words);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.code() == Some(2) && said.contains(message), "{words}: {said}");
        assert!(!place.path().join("x").exists(), "{words}");
    }
}

/// The data of a page.
fn page(place: &Place) -> Value {
    let text = String::from_utf8(place.bytes("x.html")).unwrap();
    let (_, rest) = text.split_once("id=\"trace\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn pages_of_all_processes_add_up() {
    let place = captured();
    for trace in ["paged.gtr", "paged.ret"] {
        add_up("report trace", |part| {
            place.good(&format!("report trace {trace} {PROGRAMS} {part} -o x.html"));
            let page = page(&place);
            let mut all = sums(list(&page["functions"]).iter().map(|f| (text(&f["name"]), number(&f["own"]))));
            for node in list(&page["flame"]["nodes"]) {
                *all.entry(format!("flame {}", page["names"][number(&node[1]) as usize])).or_insert(0) +=
                    number(&node[2]);
            }
            let timeline = &page["timeline"];
            assert_eq!(timeline["width"], 0);
            for (depth, row) in list(&timeline["cores"][0]["rows"]).iter().enumerate() {
                for span in list(row).chunks_exact(4) {
                    let name = &timeline["names"][number(&span[2]) as usize];
                    *all.entry(format!("depth {depth} {name}")).or_insert(0) += number(&span[1]);
                }
            }
            // causes of several modes have one name
            for cause in list(&timeline["causes"]) {
                *all.entry(format!("trap {}", cause[1])).or_insert(0) += number(&cause[2]);
            }
            all.retain(|_, n| *n > 0);
            all
        });
    }
    place.good(&format!("report trace paged.gtr {PROGRAMS} --process b.elf --mode u -o x.html"));
    let page = page(&place);
    let sources: Vec<String> = list(&page["sources"]).iter().map(|s| text(&s["path"])).collect();
    assert!(
        sources.iter().any(|s| s == "./b.c") && !sources.iter().any(|s| s == "./a.c" || s == "./kernel.c"),
        "{sources:?}"
    );
    let html = String::from_utf8(place.bytes("x.html")).unwrap();
    assert!(html.contains("--process b.elf --mode u") && html.contains("a.elf, b.elf"));
    // code without source is that of the process's program, with its counts
    let listings = list(&page["listings"]);
    let fold = listings.iter().find(|l| l["name"] == "fold").unwrap_or_else(|| panic!("{listings:?}"));
    let counted: u64 = list(&fold["code"]).iter().map(|i| number(&i[2])).sum();
    let own = list(&page["functions"]).iter().find(|f| f["name"] == "fold").unwrap();
    assert_eq!(counted, number(&own["own"]));
}

#[test]
fn listings_coverage_and_counts_of_all_processes_add_up() {
    let place = captured();
    for trace in ["paged.gtr", "paged.ret"] {
        add_up("coverage", |part| {
            place.good(&format!("coverage {trace} {PROGRAMS} {part} -o x.info"));
            let info = String::from_utf8(place.bytes("x.info")).unwrap();
            let calls = info.lines().filter_map(|line| line.strip_prefix("FNDA:"));
            let calls = calls.map(|line| line.split_once(',').unwrap());
            let mut all = sums(calls.map(|(n, name)| (name.to_string(), n.parse().unwrap())));
            all.retain(|_, n| *n > 0);
            all
        });
        let programs = if trace == "paged.gtr" { PROGRAMS } else { "" };
        add_up("stats", |part| {
            let stats = place.json(&format!("stats {trace} {programs} {part} --json"));
            let kinds = stats["messages"].as_object().unwrap().iter();
            let kinds = kinds.map(|(kind, n)| (kind.clone(), number(&n["messages"])));
            sums(kinds.chain([("instructions".into(), number(&stats["instructions"]))]).filter(|(_, n)| *n > 0))
        });
        let pcs = |text: &str| listed(text).into_iter().map(|(pc, n)| (format!("{pc:x}"), n)).collect();
        add_up("show", |part| pcs(&place.good(&format!("show {trace} {PROGRAMS} {part}"))));
        if trace == "paged.gtr" {
            add_up("replay", |part| pcs(&place.good(&format!("replay {trace} {PROGRAMS} {part}"))));
        }
        add_up("vcd", |part| {
            place.good(&format!("vcd {trace} {PROGRAMS} {part} -o x.vcd"));
            let dump = String::from_utf8(place.bytes("x.vcd")).unwrap();
            let pcs = dump.lines().filter_map(|line| line.strip_prefix('b')?.split(' ').next());
            sums(pcs.filter(|bits| bits.contains('1')).map(|bits| (bits.to_string(), 1)))
        });
    }
}
