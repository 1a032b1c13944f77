//! Shared predictors for all cores, on the command line: traced, replayed, damaged; and the descriptors of mcfTRaptor

use crate::common::Place;
use serde_json::Value;

const RUN: &str = "builtin:bank --harts 4 --max-instructions 40000";

fn json(place: &Place, words: &str) -> Value {
    serde_json::from_str(&place.good(words)).unwrap()
}

fn refused(place: &Place, words: &str, why: &str) {
    let output = place.output(words);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}: {said}");
    assert!(said.contains(why) && said.lines().count() == 1, "{words}: {said}");
}

#[test]
fn a_trace_with_its_order_gives_the_run_back() {
    let place = Place::new();
    place.good(&format!("run {RUN} -o bank.ret"));
    for timed in ["", " --timestamps"] {
        let encoded = json(&place, &format!("encode bank.ret --scheme tr_e:m4+shared{timed} -o bank.gtr --json"));
        let said = place.good("replay bank.gtr --elf builtin:bank --check bank.ret");
        assert!(said.contains("equal to bank.ret, event by event"), "{said}");
        let stats = json(&place, &format!("stats bank.ret --scheme tr_e:m4+shared{timed} --json"));
        assert_eq!(encoded["bits"], stats["bits"]);
        let of_trace = json(&place, "stats bank.gtr --elf builtin:bank --json");
        assert_eq!(of_trace["messages"], stats["messages"]);
        // the rates equal those counted next to the private ones
        let private = json(&place, "stats bank.ret --set m4 --json");
        for rate in ["conditionals", "outcome_misses", "indirects", "target_misses"] {
            assert_eq!(private["rates"]["shared"][rate], stats["rates"]["private"][rate], "{rate}");
        }
        let turns = stats["messages"]["turn"]["messages"].as_u64().unwrap();
        assert!(turns > 1000, "{turns}");
        let list = place.good("decode bank.gtr --elf builtin:bank");
        assert_eq!(list.lines().filter(|l| l.contains("turn")).count() as u64, turns);
    }
    // sweeps verify it, for several cores and for one
    place.good("sweep --trace bank.ret --encoding tr_e:m4+shared,golomb:small+shared -o swept");
    let results = std::fs::read_to_string(place.path().join("swept/results.csv")).unwrap();
    assert!(results.lines().count() == 3 && !results.contains("unverified"), "{results}");
}

#[test]
fn damage_and_missing_parts_are_reported() {
    let place = Place::new();
    place.good(&format!("run {RUN} -o bank.ret"));
    place.good("encode bank.ret --scheme tr_e:m4+shared -o bank.gtr");
    let bytes = std::fs::read(place.path().join("bank.gtr")).unwrap();
    std::fs::write(place.path().join("cut.gtr"), &bytes[..bytes.len() / 2]).unwrap();
    refused(&place, "replay cut.gtr --elf builtin:bank --summary", "cut.gtr");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    std::fs::write(place.path().join("flipped.gtr"), flipped).unwrap();
    refused(&place, "replay flipped.gtr --elf builtin:bank --summary", "checksum");
    place.good("run builtin:fft --harts 4 --max-instructions 1000 -o fft.ret");
    refused(&place, "replay bank.gtr --elf fft.ret --summary", "build");
    let of = |options: &str| format!("encode bank.ret --scheme tr_e:m4+shared {options} -o x.gtr");
    refused(&place, &of("--sync-period 12"), "sync period = 12, expected none with +shared");
    refused(&place, &of("--context 2"), "`--context 2`: only with a scheme that reports contexts");
    refused(&place, "stats bank.ret --scheme tr_e:m4+shared --sync-period 12", "expected none with +shared");
    refused(&place, "encode bank.ret --scheme nexs:m4+shared -o x.gtr", "scheme `nexs:m4+shared` is not known");
    refused(&place, "gen --scheme tr_e:m4+shared -o x", "scheme tr_e:m4+shared has a model and no circuit");
    assert!(!place.path().join("x.gtr").exists());
}

#[test]
fn descriptors_are_as_many_as_mispredictions() {
    let place = Place::new();
    place.good(&format!("run {RUN} -o bank.ret"));
    let rates = json(&place, "stats bank.ret --set m4 --json")["rates"].clone();
    for (name, kind) in [("tr_e:m4", "private"), ("tr_e:m4+shared", "shared")] {
        let told = json(&place, &format!("encode bank.ret --scheme {name} --binary -o d --json"));
        let n = |what: &str| told[what].as_u64().unwrap();
        assert_eq!(
            (&told["outcomes"], &told["targets"]),
            (&rates[kind]["outcome_misses"], &rates[kind]["target_misses"])
        );
        assert_eq!(n("bytes"), 6 * n("outcomes") + 15 * n("targets") + 18 * n("exceptions"));
        assert_eq!(n("bytes"), std::fs::metadata(place.path().join("d")).unwrap().len());
        place.good(&format!("encode bank.ret --scheme {name} --ascii -o t"));
        let text = std::fs::read_to_string(place.path().join("t")).unwrap();
        assert_eq!(text.lines().count() as u64, n("outcomes") + n("targets") + n("exceptions"));
        assert_eq!(text.lines().filter(|l| l.contains(", T, 0x")).count() as u64, n("targets"));
    }
    let of = |options: &str| format!("encode bank.ret {options} -o x");
    refused(&place, &of("--scheme nexs --ascii"), "scheme `nexs` has no descriptors");
    refused(&place, &of("--set m4 --timestamps --ascii"), "`--timestamps`: descriptors have no time stamps");
    refused(&place, &of("--set m4 --sync-period 12 --binary"), "`--sync-period`: not with `--binary`");
    assert!(!place.path().join("x").exists());
}
