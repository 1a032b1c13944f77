//! `--scheme sc-lsp` on the command line: traced, replayed, simulated, refused

use crate::common::Place;

const SCHEME: &str = "--scheme sc-lsp";

#[test]
fn every_variant_replays_to_the_listing_of_t_raptor() {
    let place = Place::new();
    place.good("run p.elf --harts 2 -o p.ret");
    place.good("encode p.ret -o p.gtr");
    let want = place.good("replay p.gtr --elf p.elf --core 0");
    for variant in ["base", "ebase --sets 8 --ways 8", "rbase --sets 64 --ways 1 --hash left2", "rbase --timestamps"] {
        place.good(&format!("encode p.ret -o p.gtr {SCHEME} --variant {variant}"));
        assert_eq!(place.good("replay p.gtr --elf p.elf --core 0"), want, "{variant}");
        let checked = place.good("replay p.gtr --elf p.elf --check p.ret");
        assert!(checked.contains("equal to p.ret, event by event"), "{checked}");
    }
}

#[test]
fn hit_rates_are_shown_in_place_of_mispredictions() {
    let place = Place::new();
    let stats = place.good(&format!("stats p.elf {SCHEME}"));
    for word in ["cache hits", "streams predicted", "stream descriptor", "variant=rbase sets=32 ways=4"] {
        assert!(stats.contains(word), "{word}: {stats}");
    }
    assert!(!stats.contains("missed"), "{stats}");
    let json: serde_json::Value = serde_json::from_str(&place.good(&format!("stats p.elf {SCHEME} --json"))).unwrap();
    let (streams, messages) = (&json["streams"], &json["messages"]);
    let misses = streams["streams"].as_u64().unwrap() - streams["cache_hits"].as_u64().unwrap();
    assert_eq!(messages["stream descriptor"]["messages"].as_u64(), Some(misses));
    let indexed = streams["cache_hits"].as_u64().unwrap() - streams["predicted"].as_u64().unwrap();
    assert_eq!(messages["stream index"]["messages"].as_u64(), Some(indexed));
}

#[test]
fn what_cannot_be_made_is_refused_with_what_would_be_right() {
    let place = Place::new();
    for (words, why) in [
        ("--sets 64", "`--sets 64`: only with `--scheme sc-lsp`"),
        ("--scheme sc-lsp --sets 48", "`--sets 48`: expected 4, 8"),
        ("--scheme sc-lsp --ways 3", "`--ways 3`: expected 1, 2"),
        ("--scheme sc-lsp --sets 512", "`--sets 512`: sets times ways is 2048, expected 32 to 1024"),
        ("--scheme sc-lsp --hash up4", "`--hash up4`: expected right0 to right8 or left0 to left8"),
    ] {
        let session = place.session(&format!("encode p.elf -o p.gtr {words}"));
        assert!(session.contains(&format!("goshawk: {why}")) && session.ends_with("\nexit code 2\n"), "{session}");
    }
    let session = place.session("gen -o out --scheme sc-lsp --cores 9");
    assert!(session.contains("`--cores 9`: expected 1 to 8"), "{session}");
}

#[test]
fn verilog_and_vectors_are_written() {
    let place = Place::new();
    let said = place.good("gen -o out --scheme sc-lsp --variant base --cores 2");
    assert!(said.contains("sc-lsp variant=base sets=32 ways=4"), "{said}");
    let verilog = std::fs::read_to_string(place.path().join("out/goshawk_trace.v")).unwrap();
    assert!(verilog.contains("\nmodule goshawk_stream_cache "));
    assert!(verilog.contains("\n    goshawk_core u_core_1 ("));
}
