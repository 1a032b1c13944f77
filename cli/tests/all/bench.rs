//! `goshawk bench`: commands measured on a recording, and compared with an earlier result

use crate::common::Place;
use serde_json::Value;

#[test]
fn a_recording_is_measured_by_all_commands_that_need_no_program() {
    let place = Place::new();
    place.good("run builtin:fsm --harts 2 --max-instructions 60000 -o a.ret");
    let before = place.good("bench --quick --part files --program a.ret --json");
    std::fs::write(place.path().join("before.json"), &before).unwrap();
    let measured = |text: &str| -> Vec<Value> {
        serde_json::from_str::<Value>(text).unwrap()["speeds"].as_array().unwrap().clone()
    };
    let names: Vec<String> = measured(&before).iter().map(|s| s["what"].as_str().unwrap().to_string()).collect();
    let wanted =
        ["encode to tr_e, medium", "stats", "replay --summary", "replay --check", "replay, listing", "decode --json"];
    assert_eq!(names, wanted.map(|name| format!("command, 2 cores: {name}")));
    assert!(measured(&before).iter().all(|s| s["per_cpu_second"].as_f64().unwrap() > 0.0));
    let after = measured(&place.good("bench --quick --part files --program a.ret --compare before.json --json"));
    assert!(after.iter().all(|s| s["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0)), "{after:?}");

    let refused = place.output("bench --part models --program a.ret");
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("a.ret: is a recording; `--part models` is for programs"), "{text}");
}

#[test]
fn a_command_that_fails_is_named_with_its_message() {
    let place = Place::new();
    let program = place.path().join("a.ret");
    place.good("run builtin:fsm --max-instructions 5000 -o a.ret");
    let mut bytes = std::fs::read(&program).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x55;
    std::fs::write(&program, bytes).unwrap();
    let failed = place.output("bench --part files --program a.ret");
    assert_eq!(failed.status.code(), Some(2));
    let text = String::from_utf8(failed.stderr).unwrap();
    assert!(text.starts_with("goshawk: goshawk encode a.ret"), "{text}");
}
