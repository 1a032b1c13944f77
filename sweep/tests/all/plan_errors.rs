//! Errors of a plan's file

use sweep::plan::Plan;

fn error(text: &str) -> String {
    Plan::parse(text).unwrap_err()
}

#[test]
fn errors_name_line_setting_and_what_would_be_right() {
    assert_eq!(error("traces = [\"builtin:fft\""), "line 1: unclosed array, expected `]`");
    assert_eq!(error("seed = 1\n\nseed = 2\n"), "line 3: `seed`: duplicate key");
    assert!(error("\ntracs = []").starts_with("line 2: `tracs`: not a setting of a plan; expected one of traces, "));
    assert_eq!(
        error("seed = 1\nharts = [\"a\"]\n"),
        "line 2: `harts = [\"a\"]`: expected a list of numbers of harts, 1 to 8, such as `[1, 4]`"
    );
    assert_eq!(
        error("[[part]]\nseed = 1\n[[part]]\nharts = [300]\n"),
        "line 4: `harts = [300]`: expected a list of numbers of harts, 1 to 8, such as `[1, 4]`"
    );
    assert!(error("timing = \"fast\"").ends_with("\"papers\" or \"functional\", such as `\"papers\"`"));
    let e = error("[caches]\nl3 = 1\n");
    assert!(e.starts_with("line 1: `caches = { l3 = 1 }`: unknown field `l3`, expected one of "), "{e}");
    assert_eq!(error("part = 1"), "line 1: `part`: expected a table, which begins with the line `[[part]]`");
}

#[test]
fn every_example_is_right_and_every_setting_is_known() {
    let all = error("x = 1");
    let (_, all) = all.split_once("expected one of ").unwrap();
    let names: Vec<&str> = all.split(", ").collect();
    let mut text = String::new();
    for name in names.iter().filter(|name| **name != "part") {
        // a number with a fraction is right for none
        let e = error(&format!("{name} = 1.5"));
        let example =
            e.rsplit_once("such as `").and_then(|(_, e)| e.strip_suffix('`')).unwrap_or_else(|| panic!("{e}"));
        text += &format!("{name} = {example}\n");
    }
    let plan = Plan { part: vec![Plan::default()], ..Plan::parse(&text).unwrap() };
    let written = toml::to_string(&plan).unwrap();
    let written: toml::Table = written.parse().unwrap();
    let sorted = |mut names: Vec<&str>| {
        names.sort_unstable();
        names.join(" ")
    };
    assert_eq!(sorted(written.keys().map(String::as_str).collect()), sorted(names.clone()));
}
