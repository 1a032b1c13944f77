//! `goshawk report fpga`: its numbers come from the files, and other files are refused

use crate::common::Place;
use serde_json::{json, Value};

fn soc() -> Value {
    json!({
        "tool": "goshawk 1", "command": "soc build", "input": "b1",
        "parameters": { "set": "small" },
        "soc": { "core": "picorv32", "cores": 2 },
        "built": {
            "board": "b1", "device": "D", "tools": ["yosys 1", "nextpnr 2"], "seed": 7, "clock_mhz": 36.0, "fmax_mhz": 59.84,
            "resources": { "lut4": 3000, "flip_flops": 2000, "block_ram": 9 }, "device_luts": 6000,
            "blocks": { "core_0": { "lut4": 900, "flip_flops": 500 }, "trace.back": { "lut4": 300, "flip_flops": 200 } },
            "critical_path": ["soc.a.b.c.d", "soc.a.b.c.e", "soc.b"], "trace_on_critical_path": false
        },
        "timing_met": true,
        "without_trace": { "resources": { "lut4": 2500 }, "fmax_mhz": 61.0 },
        "core_alone": { "lut4": 1000 }
    })
}

fn gates() -> Value {
    json!({
        "tool": "goshawk 1", "command": "gates", "input": "small",
        "gates": {
            "library": "nand2", "tool": "yosys 1", "gates": 6000.5, "memory_bits": 2590,
            "blocks": [{ "block": "encoder", "gates": 1333.0, "flip_flops": 87, "memory_bits": 62 }]
        },
        "place": [{
            "device": "hx8k", "nextpnr": "nextpnr 2", "seed": 1, "fmax_mhz": 93.58, "critical_path": [],
            "resources": { "lut4": 541, "flip_flops": 686, "block_ram": 13 },
            "blocks": [["encoder", { "lut4": 200, "flip_flops": 87, "block_ram": 0 }]]
        }]
    })
}

#[test]
fn page_markdown_and_json_have_the_numbers_of_the_files() {
    let place = Place::new();
    std::fs::write(place.path().join("all.json"), format!("{}\n{}\n", soc(), gates())).unwrap();
    let text = place.good("report fpga all.json -o r.html --markdown r.md --json");
    let o: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(o["tools"], "goshawk 1, nextpnr 2, yosys 1");
    let row = &o["socs"]["rows"][0];
    // additional LUT4, and their percentage of two cores
    assert_eq!((&row[14], &row[15]), (&json!(500), &json!(25.0)), "{row}");
    let markdown = std::fs::read_to_string(place.path().join("r.md")).unwrap();
    for line in [
        "| b1 | D | 2 picorv32 | small | 3000 | 50.0 | 2000 | 9 | 36.0 | 59.8 | met | no | 2500 | 61.0 | 500 | 25.0 | 7 |",
        "| b1 | trace.back | 300 | 200 |",
        "| b1 | soc.a.b > soc.b | 3 |",
        "| small | hx8k | encoder | 200 | 87 | 0 |  | 1 |",
        "| small | nand2 | all | 6000 |  | 2590 |",
    ] {
        assert!(markdown.contains(line), "{line} is not in\n{markdown}");
    }
    let page = std::fs::read_to_string(place.path().join("r.html")).unwrap();
    for part in ["lut-figure", "mhz-figure", "parts-figure", "socs-table", "gates-table"] {
        assert!(page.contains(&format!("id=\"{part}")), "{part}");
    }
}

#[test]
fn other_files_are_refused_and_the_page_stays() {
    let place = Place::new();
    std::fs::write(place.path().join("r.html"), "old").unwrap();
    std::fs::write(place.path().join("run.json"), "{\"command\": \"run\"}").unwrap();
    std::fs::write(place.path().join("cut.json"), &soc().to_string()[..100]).unwrap();
    std::fs::write(place.path().join("empty.json"), "").unwrap();
    for (file, text) in [
        ("run.json", "command is run; expected results of `soc build` and `gates`"),
        ("cut.json", "is not JSON (EOF while parsing"),
        ("empty.json", "is empty; expected the output of `goshawk soc build --json`"),
        ("missing.json", "missing.json"),
    ] {
        let o = place.command(&format!("report fpga {file} -o r.html")).output().unwrap();
        let said = String::from_utf8(o.stderr).unwrap();
        assert_eq!(o.status.code(), Some(2), "{said}");
        assert!(said.contains(text), "{said}");
        assert_eq!(std::fs::read_to_string(place.path().join("r.html")).unwrap(), "old");
    }
}
