//! Signatures from `encode` to `replay`: what they confirm, and an error that only they detect

use crate::common::Place;
use serde_json::Value;
use sim::file::{TraceInfo, TraceReader, TraceWriter};

const ENCODE: &str = "encode builtin:irq --max-instructions 40000 --sync-period 11 -o x.gtr";

/// Replays `x.gtr` with each bit of a word flipped in turn; returns whether it was accepted with other instructions,
/// and the output.
fn flipped(place: &Place, words: std::ops::Range<usize>) -> Vec<(bool, String)> {
    let path = place.path().join("x.gtr");
    let mut reader = TraceReader::<TraceInfo>::open(&path).unwrap();
    let right: Vec<u32> = reader.by_ref().collect();
    let mut found = Vec::new();
    std::fs::copy(&path, place.path().join("y.gtr")).unwrap();
    let list = || place.output("replay y.gtr --elf builtin:irq");
    let whole = list().stdout;
    for bit in words.flat_map(|word| (0..32).step_by(5).map(move |bit| 32 * word + bit)) {
        let mut damaged = right.clone();
        damaged[bit / 32] ^= 1 << (bit % 32);
        let mut writer = TraceWriter::create(&place.path().join("y.gtr"), reader.info()).unwrap();
        writer.write(damaged.iter().copied()).unwrap();
        writer.finish().unwrap();
        let o = list();
        found.push((o.status.success() && o.stdout != whole, String::from_utf8_lossy(&o.stderr).into_owned()));
    }
    found
}

#[test]
fn what_signatures_confirm_is_reported_and_only_they_find_some_faults() {
    let place = Place::new();
    place.good(ENCODE);
    let plain = flipped(&place, 6..12);
    assert!(plain.iter().any(|(accepted, _)| *accepted), "a fault that goes unnoticed without signatures");
    let text = String::from_utf8(place.output("replay x.gtr --elf builtin:irq --summary").stdout).unwrap();
    assert!(text.contains("signatures    none: damage is detected only where"), "{text}");

    place.good(&format!("{ENCODE} --signature 16"));
    let o = place.output("replay x.gtr --elf builtin:irq --summary --json");
    let json: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(json["signatures"]["unconfirmed"], 0);
    assert_eq!(json["signatures"]["confirmed"], json["instructions"]["total"]);
    let text = String::from_utf8(place.output("replay x.gtr --elf builtin:irq --summary").stdout).unwrap();
    assert!(text.contains("; 0 are unconfirmed"), "{text}");
    let signed = flipped(&place, 6..12);
    assert!(signed.iter().all(|(accepted, _)| !accepted), "{signed:?}");
    let by_signature: Vec<_> = signed.iter().filter(|(_, said)| said.contains("the signature is 0x")).collect();
    assert!(!by_signature.is_empty() && by_signature.iter().all(|(_, said)| said.contains("since the last good one")));
    assert!(signed.iter().any(|(_, said)| said.contains("not confirmed by a signature")), "{signed:?}");
}

#[test]
fn circuits_of_stream_caches_and_pc_chains_send_signatures() {
    let place = Place::new();
    // `gen` simulates sessions with losses and refuses to write words that are not the golden model's
    place.good("gen --scheme sc-lsp --signature 16 --sync -o x");
    place.good("gen --ingress pc-chain --signature 8 -o y");
    let signed = |folder: &str| {
        let text = std::fs::read_to_string(place.path().join(folder).join("goshawk_trace.v")).unwrap();
        text.contains("_signature")
    };
    assert!(signed("x") && signed("y"));
}
