//! `goshawk recommend`: the choice by measured circuits and bits, and what is said if nothing fits

use crate::common::Place;
use serde_json::Value;

const RUN: &str = "builtin:fft --max-instructions 20000";

fn recommended(words: &str) -> Value {
    serde_json::from_str(&Place::new().good(&format!("recommend {RUN} {words} --json"))).unwrap()
}

/// Scheme, gates with memory, and bits of each candidate.
fn candidates(found: &Value) -> Vec<(String, u64, f64)> {
    let all = found["candidates"].as_array().unwrap().iter();
    all.map(|c| {
        let scheme = c["scheme"].as_str().unwrap().to_string();
        (scheme, c["gates_with_memory"].as_u64().unwrap(), c["bits_per_instruction"].as_f64().unwrap())
    })
    .collect()
}

#[test]
fn a_budget_of_gates_gives_the_fewest_bits() {
    let found = recommended("--max-gates 17200");
    let all = candidates(&found);
    assert!(all.len() > 5 && all.iter().all(|(_, gates, _)| *gates <= 17200), "{all:?}");
    let fewest = all.iter().min_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
    assert_eq!(found["chosen"], fewest.0);
    assert_eq!(found["generate"], format!("goshawk gen --scheme {} --fifo 16 -o trace", fewest.0));
    for (candidate, (scheme, gates, bits)) in found["candidates"].as_array().unwrap().iter().zip(&all) {
        let beaten = all.iter().any(|(_, g, b)| g <= gates && b <= bits && (g < gates || b < bits));
        assert_eq!(candidate["not_beaten"], !beaten, "{scheme}");
    }
    let stats: Value =
        serde_json::from_str(&Place::new().good(&format!("stats {RUN} --scheme {} --json", fewest.0))).unwrap();
    assert_eq!(stats["bits_per_instruction"].as_f64(), Some(fewest.2));
}

#[test]
fn a_budget_of_bits_gives_the_smallest_circuit() {
    let found = recommended("--max-bits 0.3");
    let all = candidates(&found);
    let smallest = all.iter().filter(|c| c.2 <= 0.3).min_by_key(|c| c.1).unwrap();
    assert_eq!(found["chosen"], smallest.0);
    let standard = recommended("--max-gates 20000 --ratified");
    assert!(candidates(&standard).iter().all(|(scheme, ..)| scheme.contains("trace")), "{standard}");
}

#[test]
fn what_does_not_fit_is_an_error_that_names_the_nearest() {
    for (words, expected) in [
        ("--max-gates 100", "no measured circuit fits `--max-gates 100`; nearest: "),
        ("--max-luts 5000 --min-mhz 300 --device ecp5", "`--min-mhz 300 --device ecp5`; nearest: "),
        ("--max-bits 0.0001", "no measured circuit fits `--max-bits 0.0001`; nearest: "),
        ("--max-bits 0", "`--max-bits 0`: expected a number above 0"),
        ("", "<--max-gates <N>|--max-luts <N>|--max-bits <BITS>>` is required"),
    ] {
        let o = Place::new().output(&format!("recommend {RUN} {words}"));
        let message = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(2), "{words}: {message}");
        assert!(message.contains(expected), "{words}: {message}");
        assert!(o.stdout.is_empty(), "{words}");
    }
}
