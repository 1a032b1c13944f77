//! The papers' tables: made from a short run, with notes, and with reasons for what is missing

use crate::common::Place;

#[test]
fn tables_have_our_rows_beside_the_papers_and_notes_behind_them() {
    let place = Place::new();
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("n.md"), "# Notes\n\n## Paper 002, table 4: chunk sizes\n\nof a short run\n").unwrap();
    place.good("papers --program fft --instructions 20000 --notes n.md --json p.json -o p.md");
    let page = std::fs::read_to_string(file("p.md")).unwrap();
    assert_eq!(page.matches("\n## Paper ").count(), 13);
    for row in ["\n| fft | 0.0 |", "\n| *fft, paper 000* | *0.803* | *0.007* |", "\n| b4 | 3994 | 5991 | *6,382* |"] {
        assert!(page.contains(row), "{row}");
    }
    assert!(!page.contains("| - |") && !page.contains("NaN") && page.contains("\n\nof a short run\n"), "{page}");
    // the table equals the file of points
    let o: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file("p.json")).unwrap()).unwrap();
    let bits = |scheme: &str| {
        let mine = |p: &&serde_json::Value| p["scheme"] == scheme && p["harts"] == 1 && p["instructions"] == 20000;
        o["points"].as_array().unwrap().iter().find(mine).unwrap()["bits"].as_f64().unwrap()
    };
    let (nexs, m4) = (bits("nexs") / 20000.0, bits("tr_e:m4") / 20000.0);
    let text = |x: f64| if x < 0.01 { format!("{x:.4}") } else { format!("{x:.3}") };
    let (row, cell) = (format!("\n| fft | {} |", text(nexs)), format!(" | {} | ", text(m4)));
    assert!(page.contains(&row) && page.contains(&cell), "{row:?} {cell:?}");
}

#[test]
fn chunk_sizes_are_chosen_from_lengths_that_were_counted() {
    let place = Place::new();
    place.good("papers --program fft --instructions 20000 -o p.md");
    let page = std::fs::read_to_string(place.path().join("p.md")).unwrap();
    // a table of chunk sizes without any lengths would claim that one-bit chunks are best, and cost nothing
    let (_, chunks) = page.split_once("table 4: chunk sizes\n").unwrap();
    let rows: Vec<&str> = chunks.split("\n## ").next().unwrap().lines().filter(|l| l.contains(", ")).skip(1).collect();
    assert_eq!(rows.len(), 15);
    for row in rows {
        let cost = row.rsplit(' ').nth(1).unwrap().parse::<f64>().unwrap();
        assert!(cost >= 1.0, "{row}");
    }
}

#[test]
fn programs_and_folders_that_do_not_exist_are_refused() {
    let place = Place::new();
    let text = place.session("papers --program nosuch -o p.md");
    assert!(text.contains("nosuch") && text.ends_with("exit code 2\n"), "{text}");
    let text = place.session("papers --program fft -o no/p.md");
    assert!(text.contains("\ngoshawk: no/p.md: ") && text.ends_with("exit code 2\n"), "{text}");
}
