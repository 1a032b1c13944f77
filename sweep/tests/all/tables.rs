//! The tables of a short run, figure by figure; no table without its measurements

use report::markdown::page;
use sweep::run::{Options, Provenance};
use sweep::tables::{baselines, papers, plan, results, stream_caches, Measured, Selection};
use sweep::tables::{BASELINES, PAPERS, RESULTS, STREAM_CACHES};

fn measure(text: &str, traces: &[&str]) -> (sweep::plan::Plan, Measured, Vec<String>) {
    let traces: Vec<String> = traces.iter().map(|t| t.to_string()).collect();
    let plan = plan(text, &traces, Some(100_000)).unwrap();
    let made = Provenance { tool: "test".into(), command: "test".into() };
    let (m, left_out) = Measured::take(&plan, &Options { threads: 2, made: &made, progress: &|_| () }).unwrap();
    (plan, m, left_out)
}

#[test]
fn the_papers_tables_have_every_figure_of_their_points() {
    let (_, m, left_out) = measure(PAPERS, &["builtin:fft", "builtin:strsearch", "builtin:parse"]);
    assert!(left_out.is_empty(), "{left_out:?}");
    let tables = papers::tables(&m).unwrap();
    assert_eq!(tables.len(), 14);
    insta::assert_snapshot!(page("", &tables, "", &[]));
    // without any lengths, a table of chunk sizes would claim that 1-bit chunks are best and cost nothing
    let chunks = &tables.iter().find(|t| t.0 == "Paper 002, table 4: chunk sizes").unwrap().1;
    let rows: Vec<&str> = chunks.lines().skip(2).collect();
    assert_eq!(rows.len(), 15);
    for row in rows {
        let cost = row.rsplit(' ').nth(1).unwrap().parse::<f64>().unwrap();
        assert!(cost >= 1.0, "{row}");
    }
}

#[test]
fn the_results_tables_have_every_figure_of_their_points() {
    let (_, m, _) = measure(RESULTS, &["builtin:fft", "builtin:strsearch", "builtin:parse"]);
    let tables = results::tables(&m).unwrap();
    insta::assert_snapshot!(page("", &tables, "", &[]));
}

#[test]
fn the_stream_caches_tables_have_every_figure_of_their_points() {
    let (_, m, _) = measure(STREAM_CACHES, &["builtin:fft", "builtin:strsearch", "builtin:parse"]);
    let tables = stream_caches::tables(&m).unwrap();
    insta::assert_snapshot!(page("", &tables, "", &[]));
    let mut points = m.points.clone();
    points.iter_mut().for_each(|p| p.streams = None);
    let e = stream_caches::tables(&Measured::new(points)).unwrap_err().to_string();
    assert!(e.starts_with("the hits of a stream cache of sc-lsp:rbase-32x4 on builtin:fft"), "{e}");
    // another hash gives another stream; a shape without one has the paper's shift to the right
    let bits = |scheme: &str| m.sum(None, Selection::new(scheme, 1)).unwrap().bits;
    assert_ne!(bits("sc-lsp:rbase-32x4+left4"), bits("sc-lsp:rbase-32x4"));
}

#[test]
fn what_was_not_measured_makes_no_table() {
    let (_, whole, _) = measure(PAPERS, &["builtin:fft"]);
    type Spoil = fn(&mut sweep::point::Point);
    let cases: [(&str, Spoil, &str); 5] = [
        (
            "tr_e:m4",
            |p| p.lengths = None,
            "the lengths of the fields of tr_e:m4 on builtin:fft, 1 hart, was not measured",
        ),
        ("tr_e:m4", |p| p.bits = None, "the length of a stream of tr_e:m4 on builtin:fft, 1 hart, was not measured"),
        ("tr_e:m4", |p| p.scheme = "tr_e:x".into(), "tr_e:m4 on builtin:fft, 1 hart, was not measured"),
        ("nx_b", |p| p.trace = "builtin:vm".into(), "on builtin:vm"),
        (
            "gzip-9",
            |p| p.verified = sweep::point::Verified::Unverified,
            "a decoded stream of gzip-9 on builtin:fft, 1 hart, was not measured",
        ),
    ];
    for (scheme, spoil, why) in cases {
        let mut points = whole.points.clone();
        points.iter_mut().filter(|p| p.scheme == scheme).for_each(spoil);
        let e = papers::tables(&Measured::new(points)).unwrap_err().to_string();
        assert!(e.contains(why) && e.ends_with("no table is made"), "{scheme}: {e}");
    }
    let mut points = whole.points.clone();
    points.iter_mut().for_each(|p| p.census = None);
    let e = papers::tables(&Measured::new(points)).unwrap_err().to_string();
    assert!(e.starts_with("the census of a run on builtin:fft"), "{e}");
}

#[test]
fn a_compressor_is_left_out_only_where_it_lacks_the_program() {
    let (plan, m, left_out) = measure(BASELINES, &["builtin:fft"]);
    let rows = baselines::rows(&plan, &m, &left_out).unwrap();
    assert_eq!((rows.len(), rows[0].bits.len()), (2, 17));
    assert!(rows.iter().all(|r| r.bits.iter().all(|b| b.1.is_some())));
    let mut points = m.points.clone();
    points.retain(|p| p.scheme != "etrace");
    let fewer = Measured::new(points);
    let e = baselines::rows(&plan, &fewer, &[]).unwrap_err().to_string();
    assert_eq!(e, "etrace of builtin:fft was not measured: no table is made");
    let excused = baselines::rows(&plan, &fewer, &["etrace of builtin:fft: it needs the program".into()]).unwrap();
    assert!(excused.iter().all(|r| r.bits.iter().filter(|b| b.1.is_none()).count() == 1));
}
