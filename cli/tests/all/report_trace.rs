//! `goshawk report trace`: its numbers are those of the other views, and a reader can use it in Chromium

use crate::common::Place;
use retire::file::retire::{RetireReader, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::process::Command;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/bare");

/// The data of a page.
fn data(place: &Place, page: &str) -> Value {
    let text = std::fs::read_to_string(place.path().join(page)).unwrap();
    let (_, rest) = text.split_once("id=\"trace\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The sum of every fourth number from `at` on: of spans, their lengths or calls.
fn sum(spans: &Value, at: usize) -> u64 {
    spans.as_array().unwrap().iter().skip(at).step_by(4).map(number).sum()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Runs of every kind that a page can be made of.
fn recorded() -> Place {
    let place = Place::new();
    place.good("run builtin:bank --harts 2 --max-instructions 100000 -o x.ret");
    place.good("encode x.ret --elf builtin:bank -o x.gtr");
    place.good("encode x.ret --elf builtin:bank --timestamps -o timed.gtr");
    place.good("encode builtin:bank --harts 2 --max-instructions 100000 --scheme inputs -o x.gip");
    place
}

#[test]
fn numbers_are_those_of_profile_coverage_and_timeline() {
    let place = recorded();
    for file in ["x.ret", "x.gtr", "timed.gtr", "x.gip"] {
        let of = |command: &str, rest: &str| -> Value {
            let line = format!("{command} {file} --elf builtin:bank --json {rest}");
            serde_json::from_str(&place.good(&line)).unwrap()
        };
        let said = of("report trace", &format!("-o x.html --sources {SOURCES}"));
        let page = data(&place, "x.html");
        let profile = of("profile", "");
        assert_eq!(
            (&page["instructions"], &said["instructions"]),
            (&profile["instructions"], &profile["instructions"])
        );
        let shown: Vec<Value> = list(&page["functions"])
            .iter()
            .map(|f| json!({ "function": f["name"], "instructions": f["own"], "total": f["total"] }))
            .collect();
        assert_eq!(json!(shown), profile["functions"], "{file}");

        // the flame graph has the own instructions of each function
        let mut own = BTreeMap::new();
        for node in list(&page["flame"]["nodes"]) {
            *own.entry(page["names"][number(&node[1]) as usize].as_str().unwrap()).or_insert(0) += number(&node[2]);
        }
        for f in list(&profile["functions"]) {
            assert_eq!(own[f["function"].as_str().unwrap()], number(&f["instructions"]), "{file}: {f}");
        }

        let coverage = of("coverage", "-o x.info");
        for part in ["lines", "branches", "functions"] {
            assert_eq!(page["parts"][part], json!([coverage[part]["found"], coverage[part]["hit"]]), "{file}: {part}");
        }
        let info = std::fs::read_to_string(place.path().join("x.info")).unwrap();
        let mut lines = Vec::new();
        for source in list(&page["sources"]).iter().filter(|s| s["path"].as_str().unwrap().ends_with("bank.c")) {
            assert!(source["text"].as_str().unwrap().contains("int main"), "{file}: no text");
            lines.extend(list(&source["lines"]).iter().map(|l| format!("DA:{},{}", l[0], l[1])));
        }
        assert!(lines.len() > 20 && lines.iter().all(|l| info.lines().any(|i| i == l)), "{file}: {lines:?}");

        // every call of the timeline is in a span
        of("timeline", "--depth 32 -o x.json");
        let events: Value = serde_json::from_slice(&std::fs::read(place.path().join("x.json")).unwrap()).unwrap();
        let begins = |core: usize| list(&events).iter().filter(|e| e["ph"] == "B" && e["tid"] == core).count() as u64;
        for (core, track) in list(&page["timeline"]["cores"]).iter().enumerate() {
            let calls: u64 = list(&track["rows"]).iter().map(|row| sum(row, 3)).sum();
            assert_eq!(calls, begins(core), "{file}, core {core}");
        }
        let axis = if file == "x.ret" || file == "timed.gtr" { "cycles" } else { "instructions" };
        assert_eq!(page["timeline"]["axis"], axis, "{file}");
    }
}

#[test]
fn functions_without_source_are_listed_with_counts() {
    let place = Place::new();
    place.good("run p.elf -o p.ret");
    place.good("encode p.ret --elf p.elf -o p.gtr");
    let text = place.good("report trace p.gtr --elf p.elf -o p.html");
    assert!(text.contains("sources       0"), "{text}");
    let page = data(&place, "p.html");
    assert_eq!((&page["parts"], &page["sources"]), (&Value::Null, &json!([])));
    let code = list(&page["listings"][0]["code"]);
    let counts: u64 = code.iter().map(|i| number(&i[2])).sum();
    assert_eq!(json!(counts), page["instructions"]);
    // the loop of 40 rounds, whose branch is taken 39 times
    let branch = code.iter().find(|i| i[0] == "0x80000014").unwrap();
    assert_eq!((&branch[2], &branch[3]), (&json!(40), &json!([1, 39])));
}

#[test]
fn losses_and_damage_are_on_the_page() {
    let place = Place::new();
    place.good("run builtin:strsearch --max-instructions 1000000 -o x.ret");
    place.good("encode x.ret --encoding nx_b -o x.gtr");
    let file = std::fs::read(place.path().join("x.gtr")).unwrap();
    std::fs::write(place.path().join("cut.gtr"), &file[..file.len() - 40]).unwrap();
    let o = place.output("report trace cut.gtr --elf builtin:strsearch -o cut.html");
    assert_eq!(o.status.code(), Some(2));
    assert!(String::from_utf8(o.stderr).unwrap().contains("the output ends there"));
    let text = std::fs::read_to_string(place.path().join("cut.html")).unwrap();
    assert!(text.contains("role=\"alert\"") && text.contains("Damage ends it: cut.gtr: byte"), "no notice of damage");
    assert_eq!(data(&place, "cut.html")["timeline"]["damaged"], true);

    let gaps = lose(&place, "x.ret", "lossy.ret");
    let o = place.output("report trace lossy.ret --elf builtin:strsearch -o lossy.html");
    let (err, page) = (String::from_utf8(o.stderr).unwrap(), data(&place, "lossy.html"));
    let text = std::fs::read_to_string(place.path().join("lossy.html")).unwrap();
    let shown: u64 = list(&page["timeline"]["cores"]).iter().map(|c| sum(&c["gaps"], 3)).sum();
    assert_eq!((o.status.code(), shown), (Some(2), gaps), "{err}");
    let lost = format!("{} instructions, in {gaps} gaps", 7 * gaps);
    assert!(err.contains(&lost) && text.contains(&format!("<p>Lost: {lost}.")), "{err}");
}

/// Copies a recording with gaps of 7 instructions; returns their number.
fn lose(place: &Place, from: &str, to: &str) -> u64 {
    let mut reader = RetireReader::open(&place.path().join(from)).unwrap();
    let mut writer = RetireWriter::create(&place.path().join(to), reader.info()).unwrap();
    let mut events = Vec::new();
    reader.read_rest(&mut events).unwrap();
    let mut gaps = 0;
    for (n, e) in events.iter().enumerate() {
        writer.event(e);
        if n % 20_000 == 19_999 && e.kind.retires() {
            writer.event(&FlowEvent { pc: e.target, count: 0, kind: FlowKind::Gap { lost: 7 }, ..*e });
            gaps += 1;
        }
    }
    writer.finish().unwrap();
    assert!(gaps > 2, "{gaps}");
    gaps
}

/// Opens a page in Chromium, runs `script`, an asynchronous function, and returns its result.
fn browse(place: &Place, page: &str, options: &[&str], script: &str) -> Value {
    let html = std::fs::read_to_string(place.path().join(page)).unwrap();
    let failed = "<head><script>window.failed = []; onerror = (e) => { failed.push(String(e)); };</script>";
    let probe = format!(
        "<script>onload = async () => {{ const wait = (ms = 60) => new Promise((done) => setTimeout(done, ms)); await wait(200); let result; \
         try {{ result = await (async () => {{ {script} }})(); }} catch (e) {{ result = {{ failed: [String(e.stack)] }}; }} \
         document.body.append(page.make('pre', {{ id: 'probe' }}, JSON.stringify(result))); }};</script></body>"
    );
    let html = html.replacen("<head>", failed, 1).replacen("</body>", &probe, 1);
    let file = place.path().join("probe.html");
    std::fs::write(&file, html).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--virtual-time-budget=20000"])
        .args(options)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("chromium is needed to test pages; tools/setup installs it");
    let dom = String::from_utf8(output.stdout).unwrap();
    let start = dom.rfind("<pre id=\"probe\">").unwrap_or_else(|| panic!("no probe in the page"));
    let text = dom[start + 16..].split("</pre>").next().unwrap();
    serde_json::from_str(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

/// What a reader does, by mouse and keyboard, and what the page then shows.
const USE: &str = r##"
const id = (name) => document.getElementById(name);
const text = (name) => id(name).textContent;
const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const type = (name, value) => { id(name).value = value; id(name).dispatchEvent(new Event("input")); };
const tracks = id("tracks");
const span = () => views.timeline.view();
const seen = {};
seen.whole = span();
tracks.focus();
key(tracks, "+"); seen.half = span();
key(tracks, "ArrowRight"); seen.right = span();
key(tracks, "Home"); seen.home = span();
const box = tracks.getBoundingClientRect();
const wheel = { ctrlKey: true, deltaY: -200, clientX: box.left, clientY: box.top + 40, bubbles: true, cancelable: true };
tracks.dispatchEvent(new WheelEvent("wheel", wheel)); seen.wheel = span();
const point = (kind, x) => tracks.dispatchEvent(new PointerEvent(kind, { pointerId: 1, clientX: x, clientY: box.top + 40, bubbles: true }));
tracks.setPointerCapture = () => {};
point("pointerdown", box.left + 200); point("pointermove", box.left + 100); point("pointerup", box.left + 100);
seen.dragged = span();
id("timeline-whole").click();
type("timeline-search", "balance"); seen.matches = text("timeline-matches");
id("timeline-next").click(); seen.match = text("timeline-tip"); seen.matchView = span();
id("timeline-trap")?.click(); seen.trap = text("timeline-tip");
await wait();
const canvas = tracks.querySelector("canvas");
const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const colours = new Set();
for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] === 255) colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
seen.colours = colours.size;

const boxes = () => [...document.querySelectorAll("#flame .box")];
seen.boxes = boxes().length;
const inner = boxes().find((b) => b.textContent === "main");
inner.click(); seen.zoomed = views.flame.zoomed();
key(document.activeElement, "ArrowDown"); seen.down = document.activeElement.getAttribute("aria-label");
key(document.activeElement, "Escape"); seen.escaped = views.flame.zoomed();
type("flame-search", "main"); seen.found = text("flame-found");

const names = () => [...document.querySelectorAll("#function-table tbody tr")].map((tr) => tr.cells[0].textContent);
seen.first = names();
document.querySelector("#function-table th button").click();
seen.sorted = names(); seen.sort = document.querySelector("#function-table th").getAttribute("aria-sort");
type("function-filter", "balance"); seen.filtered = names();
type("function-filter", "main");
[...document.querySelectorAll("#function-table td button")].find((b) => b.textContent === "main").click();
seen.file = id("code-select").selectedOptions[0].textContent;
const here = document.querySelector("#code-table .here");
seen.line = here.previousElementSibling.querySelector(".text").textContent + here.querySelector(".text").textContent;
id("code-next").click(); seen.status = text("code-status");
seen.never = document.querySelectorAll("#code-table tr.never").length;
seen.coverage = text("coverage");

// every control has a name
seen.nameless = [...document.querySelectorAll("button, input, select, [tabindex]")].filter((e) =>
  !(e.textContent.trim() && e.tagName === "BUTTON") && !e.getAttribute("aria-label") && !document.querySelector(`label[for="${e.id}"]`)).map((e) => e.outerHTML.slice(0, 90));
seen.wide = [document.documentElement.scrollWidth, document.documentElement.clientWidth];
seen.paper = getComputedStyle(document.body).backgroundColor;
seen.fetched = performance.getEntriesByType("resource").length;
seen.failed = window.failed;
return seen;
"##;

#[test]
fn a_reader_zooms_searches_sorts_and_reads_code() {
    let place = recorded();
    place.good(&format!("report trace x.gip --elf builtin:bank -o x.html --sources {SOURCES}"));
    let seen = browse(&place, "x.html", &["--window-size=1280,1600"], USE);
    assert_eq!((&seen["failed"], &seen["fetched"], &seen["nameless"]), (&json!([]), &json!(0), &json!([])), "{seen}");
    let view = |name: &str| [0, 1].map(|i| seen[name][i].as_f64().unwrap_or_else(|| panic!("{name}: {seen}")));
    assert_eq!(view("whole"), [0.0, 100_000.0]);
    assert_eq!((view("half"), view("right")), ([25_000.0, 75_000.0], [35_000.0, 85_000.0]));
    assert_eq!((view("home"), view("wheel")), ([0.0, 100_000.0], [0.0, 50_000.0]));
    let [from, to] = view("dragged");
    assert!(from > 2_000.0 && to - from == 50_000.0, "{seen}");
    let text = |name: &str| seen[name].as_str().unwrap_or_else(|| panic!("{name}: {seen}"));
    assert!(text("matches").ends_with(" boxes") && text("match").contains("balance"), "{seen}");
    assert!(view("matchView")[1] - view("matchView")[0] < 100_000.0, "{seen}");
    assert!(seen["colours"].as_u64() > Some(10) && seen["boxes"].as_u64() > Some(5), "{seen}");
    assert_eq!(text("zoomed"), "main");
    assert!(text("down").contains(" instructions, "), "{seen}");
    assert_ne!(text("escaped"), "main");
    assert!(text("found").contains("instructions in matches"), "{seen}");
    let names = |name: &str| list(&seen[name]).iter().map(|n| n.as_str().unwrap().to_string()).collect::<Vec<_>>();
    let (mut first, sorted) = (names("first"), names("sorted"));
    assert_ne!(first, sorted);
    first.sort();
    let mut again = sorted.clone();
    again.sort();
    assert_eq!((first, text("sort")), (again, "ascending"));
    assert!(!names("filtered").is_empty() && names("filtered").iter().all(|n| n.contains("balance")), "{seen}");
    assert!(text("file").ends_with("bank.c") && text("line").contains("main"), "{seen}");
    assert!(text("coverage").contains(" lines, ") && seen["never"].as_u64() > Some(0), "{seen}");
    assert_eq!(text("paper"), "rgb(255, 255, 255)");

    // a narrow and dark screen has the same, and nothing leaves it
    let small = browse(&place, "x.html", &["--window-size=500,900", "--blink-settings=preferredColorScheme=0"], USE);
    assert_eq!((&small["failed"], &small["paper"]), (&json!([]), &json!("rgb(20, 24, 28)")));
    assert_eq!(small["wide"][0], small["wide"][1], "{small}");
    assert_eq!((&small["sorted"], &small["coverage"]), (&seen["sorted"], &seen["coverage"]));
}
