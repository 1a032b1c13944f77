//! `goshawk report trace`: its numbers are those of the other views, and a reader can use it in Chromium

use crate::common::Place;
use retire::file::retire::{RetireReader, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

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
    let html = probed(&std::fs::read_to_string(place.path().join(page)).unwrap(), script);
    let file = place.path().join("probe.html");
    std::fs::write(&file, html).unwrap();
    chromium(&format!("file://{}", file.display()), options)
}

/// A page that runs `script` and shows its result.
fn probed(html: &str, script: &str) -> String {
    let failed = "<head><script>window.failed = []; onerror = (e) => { failed.push(String(e)); };</script>";
    let probe = format!(
        "<script>onload = async () => {{ const wait = (ms = 60) => new Promise((done) => setTimeout(done, ms)); await wait(200); let result; \
         try {{ result = await (async () => {{ {script} }})(); }} catch (e) {{ result = {{ failed: [String(e.stack)] }}; }} \
         document.body.append(page.make('pre', {{ id: 'probe' }}, JSON.stringify(result))); }};</script></body>"
    );
    html.replacen("<head>", failed, 1).replacen("</body>", &probe, 1)
}

/// The result of the script of a page.
fn chromium(address: &str, options: &[&str]) -> Value {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--virtual-time-budget=20000"])
        .args(options)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(address)
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

/// A page that the command serves, until it is dropped.
struct Server {
    child: Child,
    said: Value,
    address: String,
}

impl Server {
    fn start(place: &Place, line: &str) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
        command.current_dir(place.path()).args(line.split_whitespace()).args(["--serve", "0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut text = String::new();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        while !text.ends_with("\n}\n") {
            text += &lines.next().expect("the command ended").unwrap();
            text.push('\n');
        }
        let said: Value = serde_json::from_str(&text).unwrap();
        let address =
            said["address"].as_str().unwrap().strip_prefix("http://").unwrap().trim_end_matches('/').to_string();
        Self { child, said, address }
    }

    /// Status line and body of the response to a request.
    fn ask(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_string(), body.to_string())
    }

    fn get(&self, target: &str) -> (String, String) {
        self.ask(&format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    /// The exit code after Ctrl-C.
    fn interrupt(mut self) -> Option<i32> {
        assert!(Command::new("kill").arg("-INT").arg(self.child.id().to_string()).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes requests on to a server, and adds the script to its page.
fn between(server: &Server, script: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().to_string();
    let (to, from) = (server.address.clone(), own.clone());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (to, from) = (to.clone(), from.clone());
            // a connection that the browser opens without a request must not keep others waiting
            std::thread::spawn(move || -> std::io::Result<()> {
                let mut lines = BufReader::new(stream.try_clone()?).lines();
                let first = lines.next().transpose()?.unwrap_or_default();
                for line in lines {
                    if line?.is_empty() {
                        break;
                    }
                }
                let mut other = TcpStream::connect(&to)?;
                write!(other, "{first}\r\nHost: {from}\r\n\r\n")?;
                let mut text = String::new();
                other.read_to_string(&mut text)?;
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                let body = if first.starts_with("GET / ") { probed(body, script) } else { body.to_string() };
                let kind = head.lines().find(|line| line.starts_with("Content-Type")).unwrap();
                let status = head.lines().next().unwrap();
                write!(
                    stream,
                    "{status}\r\n{kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                )
            });
        }
    });
    format!("http://{own}/")
}

/// Zooms in until the page has fetched a part, and back.
const ZOOM: &str = r##"
const tracks = document.getElementById("tracks");
const key = (key) => tracks.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const legend = () => document.getElementById("timeline-merged").textContent;
const seen = { merged: trace.timeline.width, whole: legend() };
for (let n = 0; n < 12; n++) key("+");
seen.view = views.timeline.view();
for (let n = 0; n < 100 && legend() === seen.whole; n++) await wait(50);
seen.part = legend();
seen.status = document.getElementById("timeline-status").textContent;
key("Home");
await wait(200);
seen.back = legend();
seen.fetched = performance.getEntriesByType("resource").map((e) => new URL(e.name)).filter((url) => url.pathname !== "/favicon.ico").map((url) => url.pathname + url.search);
seen.failed = window.failed;
return seen;
"##;

#[test]
fn a_served_page_fetches_the_calls_of_what_it_shows() {
    let place = Place::new();
    place.good("run builtin:qsort --harts 2 --max-instructions 9000000 -o q.ret");
    place.good("encode q.ret --elf builtin:qsort -o q.gtr");
    let server = Server::start(&place, "report trace q.gtr --elf builtin:qsort");
    assert!(number(&server.said["merged_below"]) > 0, "{}", server.said);
    let seen = chromium(&between(&server, ZOOM), &["--window-size=1280,1600"]);
    assert_eq!(seen["failed"], json!([]), "{seen}");
    assert_eq!(seen["merged"], server.said["merged_below"]);
    let text = |name: &str| seen[name].as_str().unwrap_or_else(|| panic!("{name}: {seen}"));
    assert!(text("whole").starts_with("merged calls, each shorter than "), "{seen}");
    assert_eq!((text("part"), text("back")), ("merged calls: none here", text("whole")), "{seen}");
    // the view, and as much on both sides
    let [from, to] = [0, 1].map(|i| seen["view"][i].as_f64().unwrap());
    let part = format!("/timeline?from={}&to={}", (2.0 * from - to).floor(), (2.0 * to - from).ceil());
    assert_eq!(seen["fetched"], json!([part]), "{seen}");

    // the part has the calls that `timeline` has
    let (status, body) = server.get("/timeline?from=8000000&to=8002000");
    let level: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status.as_str(), number(&level["width"])), ("HTTP/1.1 200 OK", 0));
    place.good("timeline q.gtr --elf builtin:qsort --depth 32 -o q.json");
    let events: Value = serde_json::from_slice(&std::fs::read(place.path().join("q.json")).unwrap()).unwrap();
    for core in 0..2 {
        let mut open = Vec::new();
        let mut calls = 0;
        for e in list(&events).iter().filter(|e| e["tid"] == core) {
            match e["ph"].as_str() {
                Some("B") => open.push(number(&e["ts"])),
                Some("E") => calls += u64::from(open.pop().unwrap() <= 8_002_000 && number(&e["ts"]) >= 8_000_000),
                _ => {}
            }
        }
        let shown: u64 = list(&level["cores"][core]["rows"]).iter().map(|row| sum(row, 3)).sum();
        assert_eq!(shown, calls, "core {core}");
        assert!(calls > 40, "core {core}: {calls}");
    }
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn a_server_answers_only_this_computer_and_only_what_it_has() {
    let place = recorded();
    let server = Server::start(&place, "report trace x.gip --elf builtin:bank");
    let page = server.get("/");
    assert!(page.0 == "HTTP/1.1 200 OK" && page.1.starts_with("<!DOCTYPE html>"), "{}", page.0);
    assert!(server.address.starts_with("127.0.0.1:"));
    for (target, status) in [
        ("/other", "404 Not Found"),
        ("/../Cargo.toml", "404 Not Found"),
        ("/timeline", "400 Bad Request"),
        ("/timeline?from=5&to=4", "400 Bad Request"),
        ("/timeline?from=-1&to=4", "400 Bad Request"),
        ("/timeline?from=0&to=18446744073709551615", "200 OK"),
    ] {
        assert_eq!(server.get(target).0, format!("HTTP/1.1 {status}"), "{target}");
    }
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "403 Forbidden"),
        ("GET / HTTP/1.1\r\n\r\n", "403 Forbidden"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
        ("nonsense\r\n\r\n", "400 Bad Request"),
    ] {
        assert_eq!(server.ask(request).0, format!("HTTP/1.1 {status}"), "{request}");
    }
    let head = server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(head, ("HTTP/1.1 200 OK".into(), String::new()));

    // the port is taken
    let o = place.output(&format!("report trace x.gip --elf builtin:bank --serve {}", server.address));
    let err = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(err.contains(&format!("`--serve {}`: ", server.address)), "{err}");
    for (given, message) in [
        ("0.0.0.0:80", "0.0.0.0 is not a loopback address"),
        ("example.org:80", "expected a port, or a loopback address and a port"),
        ("99999", "expected a port"),
    ] {
        let o = place.output(&format!("report trace x.gip --elf builtin:bank --serve {given}"));
        let err = String::from_utf8(o.stderr).unwrap();
        assert!(o.status.code() == Some(2) && err.contains(message) && err.contains(given), "{err}");
    }
    assert_eq!(server.interrupt(), Some(0));
}
