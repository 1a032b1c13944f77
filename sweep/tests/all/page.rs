//! The page of a sweep in headless Chromium: plots are drawn, numbers match the table, filters work

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use sweep::figures::figures;
use sweep::gates::GateList;
use sweep::plan::{Plan, Shard};
use sweep::point::{Point, Row};
use sweep::run::{run, Options, Provenance};
use sweep::store::{files, Manifest, Store};

/// A small sweep that covers everything that the page shows.
fn small(folder: &Path) -> Store {
    let texts = |t: &[&str]| t.iter().map(|t| t.to_string()).collect();
    let mut plan = Plan {
        traces: texts(&["builtin:fft", "builtin:vm", "builtin:strsearch"]),
        harts: vec![1, 2],
        encodings: texts(&["tr_e", "tr_b", "nx_b", "sc-lsp", "gzip-9", "shared"]),
        sets: texts(&["s1", "m4"]),
        timestamps: vec![false, true],
        ..Plan::default()
    };
    plan.settings.max_instructions = Some(80_000);
    let jobs = plan.jobs().unwrap().0;
    let store = Store::create(folder).unwrap();
    let made = Provenance { tool: "test".into(), command: "sweep <of a test>".into() };
    let options = Options { threads: 2, made: &made, progress: &|_| () };
    assert!(run(&jobs, &store, &options).unwrap().is_empty());
    let points = files(&jobs);
    let (tool, command) = (made.tool.clone(), made.command.clone());
    let total = points.len();
    let manifest = Manifest { tool, command, plan, shard: Shard::ALL, total, points, complete: false, seconds: 0.0 };
    store.finish(&manifest).unwrap();
    store
}

/// Opens the page in Chromium, runs `script` there and returns its result; `None` if there is no Chromium.
fn browse(folder: &Path, page: &str, hash: &str, script: &str) -> Option<Value> {
    let probe = format!(
        "<script>setTimeout(() => {{ const result = (() => {{ {script} }})(); \
         setTimeout(() => document.body.append(page.make('pre', {{ id: 'probe' }}, \
         JSON.stringify(result))), 0); }}, 500);</script></body>"
    );
    let page = page.replacen(
        "<head>",
        "<head><script>window.failed = []; onerror = (e) => { failed.push(String(e)); };</script>",
        1,
    );
    let (before, after) = page.rsplit_once("</body>").unwrap();
    let file = folder.join("probe.html");
    std::fs::write(&file, format!("{before}{probe}{after}")).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--window-size=1280,2000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("file://{}{hash}", file.display()))
        .output();
    let Ok(output) = output else {
        eprintln!("page: skipped, chromium is not installed; tools/setup installs it");
        return None;
    };
    let dom = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let start = dom.rfind("<pre id=\"probe\">").unwrap_or_else(|| panic!("no probe in the page: {error}"));
    let text = dom[start + 16..].split("</pre>").next().unwrap();
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(serde_json::from_str(&text).unwrap())
}

/// Script that reads the page: rows of tables, what was drawn, and errors.
const READ: &str = "const rows = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((tr) => \
    [...tr.children].map((td) => td.textContent)); \
    const count = (css) => document.querySelectorAll(css).length; \
    return { totals: rows('totals'), points: rows('points'), rates: rows('rates'), chunks: rows('chunk-table'), \
    kinds: rows('kinds'), chosen: document.getElementById('chosen').textContent, failed: window.failed, \
    fetched: performance.getEntriesByType('resource').length, hash: decodeURIComponent(location.hash), \
    bars: count('#by-trace .bars .point path'), lines: count('#time .scatterlayer .js-line'), \
    drawn: ['by-trace', 'by-harts', 'pareto', 'cdf-b_cnt', 'cdf-diff_ta', 'cdf-diff_cc', 'chunks', 'fields', 'time'] \
    .filter((id) => ['.trace.bars path', '.scatterlayer .js-line', '.scatterlayer path.point', '.heatmaplayer image'] \
    .some((mark) => count(`#${id} svg.main-svg ${mark}`) > 0)) };";

/// Selects functional and time-stamped points: by default, only the first kind is shown.
const ALL: &str = "#time=functional&time=stamped";

fn number(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

/// Compares the schemes of the page with the rows of the table.
fn totals_are_those_of(page: &Value, rows: &[&Row]) {
    let totals = page["totals"].as_array().unwrap();
    let (mut instructions, mut bits) = (0.0, 0.0);
    for t in totals {
        let name = t[0].as_str().unwrap();
        let mine: Vec<_> = rows
            .iter()
            .filter(|r| {
                let time = if r.timestamps { "t " } else { "" };
                let harts = if r.harts == 1 { "1 hart" } else { "2 harts" };
                r.bits.is_some() && name == format!("{time}{}, {harts}", r.scheme)
            })
            .collect();
        let sum = |f: fn(&Row) -> u64| mine.iter().map(|r| f(r)).sum::<u64>() as f64;
        let cell = |i: usize| t[i].as_str().unwrap();
        assert_eq!(number(cell(1)), mine.len() as f64, "{name}");
        assert_eq!(number(cell(3)), sum(|r| r.instructions), "{name}");
        assert_eq!(number(cell(4)), sum(|r| r.bits.unwrap()), "{name}");
        assert_eq!(cell(5), format!("{:.4}", sum(|r| r.bits.unwrap()) / sum(|r| r.instructions)), "{name}");
        let logs: f64 = mine.iter().map(|r| (r.bits.unwrap() as f64 / r.instructions as f64).ln()).sum();
        assert_eq!(cell(8), format!("{:.4}", (logs / mine.len() as f64).exp()), "{name}");
        assert_eq!(cell(18), format!("{0} of {0}", mine.len()), "{name}");
        instructions += number(cell(3));
        bits += number(cell(4));
    }
    let all = rows.iter().filter(|r| r.bits.is_some());
    assert_eq!(instructions, all.clone().map(|r| r.instructions).sum::<u64>() as f64);
    assert_eq!(bits, all.map(|r| r.bits.unwrap()).sum::<u64>() as f64);
}

#[test]
fn the_page_draws_every_plot_shows_the_table_s_numbers_and_filters() {
    let folder = tempfile::tempdir().unwrap();
    let store = small(&folder.path().join("s"));
    let (manifest, points) = (store.manifest().unwrap(), store.points().unwrap());
    let mut html = Vec::new();
    sweep::page::page("A sweep", &manifest, &points, &GateList::default()).write(&mut html).unwrap();
    let html = String::from_utf8(html).unwrap();
    let rows = store.rows().unwrap();
    let Some(whole) = browse(folder.path(), &html, ALL, READ) else { return };
    assert_eq!(whole["failed"], serde_json::json!([]));
    assert_eq!(whole["fetched"], 0, "the page needs the network");
    assert_eq!(
        whole["drawn"],
        serde_json::json!([
            "by-trace",
            "by-harts",
            "pareto",
            "cdf-b_cnt",
            "cdf-diff_ta",
            "cdf-diff_cc",
            "chunks",
            "fields",
            "time"
        ])
    );
    assert_eq!(whole["chosen"], format!("{0} of {0} points chosen", rows.len()));
    let all: Vec<&Row> = rows.iter().collect();
    totals_are_those_of(&whole, &all);
    // 3 traces, 2 numbers of harts; 7 functional streams and 6 time-stamped ones
    assert_eq!((whole["bars"].as_u64(), whole["lines"].as_u64()), (Some(3 * 2 * 13), Some(24)));
    for (shown, r) in whole["points"].as_array().unwrap().iter().zip(&rows) {
        assert_eq!((shown[2].as_str(), shown[13].as_str()), (Some(r.scheme.as_str()), Some(r.file.as_str())));
        let bits = r.bits.map_or(-1.0, |b| b as f64);
        assert_eq!(if bits < 0.0 { -1.0 } else { number(shown[7].as_str().unwrap()) }, bits, "{}", r.file);
        let rate = r.outcome_miss_percent.filter(|_| r.conditionals > 0);
        assert_eq!(shown[10], rate.map_or("–".into(), |v| format!("{v:.3}")), "{}", r.file);
    }
    // chunk sizes match the library's
    let field = whole["chunks"].as_array().unwrap().iter().find(|r| r[0] == "m4" && r[1] == "bCnt").unwrap();
    let mine = points.iter().map(|p| &p.1).filter(|p| p.scheme == "tr_e:m4");
    let mut lengths = sim::lengths::Lengths::default();
    mine.for_each(|p| lengths += &p.lengths.as_ref().unwrap().b_cnt);
    assert_eq!(number(field[2].as_str().unwrap()), lengths.total() as f64);
    assert_eq!(field[5], format!("({})", lengths.best(sweep::page::MAX_CHUNK).0));

    // click on two buttons, as a reader does
    let click = "const press = (f, v) => document.querySelector(`[data-facet=${f}][data-value='${v}']`).click(); \
        press('trace', 'fft'); press('encoding', 'tr_b');";
    let fewer = browse(folder.path(), &html, ALL, &format!("{click} {READ}")).unwrap();
    let left: Vec<&Row> = rows.iter().filter(|r| r.trace != "builtin:fft" && r.encoding != "tr_b").collect();
    assert_eq!(fewer["failed"], serde_json::json!([]));
    assert_eq!(fewer["chosen"], format!("{} of {} points chosen", left.len(), rows.len()));
    assert_eq!(fewer["points"].as_array().unwrap().len(), left.len());
    totals_are_those_of(&fewer, &left);
    assert_eq!(fewer["bars"].as_u64(), Some(2 * 2 * 9));
    // the URL after the clicks reproduces the same view
    let again = browse(folder.path(), &html, fewer["hash"].as_str().unwrap(), READ).unwrap();
    assert_eq!(again["totals"], fewer["totals"]);
    let first = browse(folder.path(), &html, "", READ).unwrap();
    let functional = rows.iter().filter(|r| !r.timestamps).collect::<Vec<_>>();
    totals_are_those_of(&first, &functional);
    // an empty selection is not an error
    let none = browse(folder.path(), &html, "#trace=", READ).unwrap();
    assert_eq!(
        (&none["failed"], &none["chosen"]),
        (&serde_json::json!([]), &format!("0 of {} points chosen", rows.len()).into())
    );
    assert_eq!(none["totals"], serde_json::json!([]));
}

#[test]
fn figures_have_the_numbers_of_the_points() {
    let folder = tempfile::tempdir().unwrap();
    let store = small(folder.path());
    let points = store.points().unwrap();
    let all = figures(&points, &GateList::default());
    let ids: Vec<&str> = all.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "bpi",
            "bpc",
            "bpi-stamped",
            "bpc-stamped",
            "fields",
            "fields-stamped",
            "pareto",
            "mispredictions",
            "cdf-b_cnt",
            "chunks-b_cnt",
            "cdf-diff_ta",
            "chunks-diff_ta",
            "cdf-diff_cc",
            "chunks-diff_cc",
            "time-fft",
            "time-vm",
            "time-strsearch"
        ]
    );
    let figure = |id: &str| all.iter().find(|f| f.id == id).unwrap();
    let sum = |f: &dyn Fn(&Point) -> u64, harts: u8| -> f64 {
        let mine =
            points.iter().map(|p| &p.1).filter(|p| p.scheme == "tr_e:m4" && p.harts == harts && !p.platform.timestamps);
        mine.map(f).sum::<u64>() as f64
    };
    let series = figure("bpi").series.iter().find(|s| s.name == "tr_e:m4").unwrap();
    for (x, harts) in [(0, 1), (1, 2)] {
        let right = sum(&|p| p.bits.unwrap(), harts) / sum(&|p| p.instructions, harts);
        assert_eq!(series.points[x], (x as f64, right));
        assert!(series.ranges[x].0 <= right && right <= series.ranges[x].1);
    }
    // the fields add up to the whole stream
    for id in ["fields", "fields-stamped"] {
        let stack = figure(id);
        let (m4, n) = stack.x.categories.iter().enumerate().map(|(n, c)| (c, n)).find(|c| c.0 == "tr_e:m4 2").unwrap();
        let height: f64 = stack.series.iter().map(|s| s.points[n].1).sum();
        let stamped = id == "fields-stamped";
        let mine: Vec<_> = points
            .iter()
            .map(|p| &p.1)
            .filter(|p| p.scheme == "tr_e:m4" && p.harts == 2 && p.platform.timestamps == stamped)
            .collect();
        let bits: u64 = mine.iter().map(|p| p.bits.unwrap()).sum();
        let right = bits as f64 / mine.iter().map(|p| p.instructions).sum::<u64>() as f64;
        assert!((height - right).abs() < 1e-9, "{id}, {m4}: {height} {right}");
    }
    for line in &figure("cdf-diff_cc").series {
        assert!(line.points.windows(2).all(|w| w[0].1 <= w[1].1) && line.points.last().unwrap().1 == 100.0);
    }
    for f in &all {
        assert!(f.to_svg().len() > 2000, "{}", f.id);
    }
}
