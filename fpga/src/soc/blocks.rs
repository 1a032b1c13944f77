//! LUT4s and flip-flops of a flattened netlist by part of the SoC

use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Cells of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cells {
    /// LUT4s.
    pub lut4: u64,
    /// Flip-flops.
    pub flip_flops: u64,
}

/// Output pin of a LUT, output and data pins of a flip-flop.
fn pins(cell: &str) -> Option<(&'static str, Option<&'static str>)> {
    match cell {
        "SB_LUT4" => Some(("O", None)),
        "LUT4" => Some(("Z", None)),
        "TRELLIS_FF" => Some(("Q", Some("DI"))),
        c if c.starts_with("SB_DFF") => Some(("Q", Some("D"))),
        _ => None,
    }
}

/// The part that a flattened name belongs to: `soc.<part>...`, with one more level inside the trace system.
fn part(name: &str) -> String {
    let mut names = name.split('.');
    match (names.next(), names.next(), names.next(), names.next()) {
        (Some("soc"), Some("trace"), Some(inner), Some(_)) => format!("trace.{}", inner.trim_start_matches("u_")),
        (Some("soc"), Some(part), Some(_), _) => part.to_string(),
        (Some("soc"), Some(_), ..) => "soc".into(),
        _ => "top".into(),
    }
}

/// Cells by part. A cell belongs to the part in the name of its output; a LUT with an unnamed output belongs to the
/// part of the flip-flop that it feeds, else to `unnamed`. `netlist` is the flattened output of Yosys' `write_json`.
pub fn blocks(netlist: &Value, top: &str) -> BTreeMap<String, Cells> {
    let module = &netlist["modules"][top];
    let (mut names, mut feeds) = (HashMap::<u64, &str>::new(), HashMap::<u64, u64>::new());
    let depth = |n: &str| (n.matches('.').count(), n.len());
    for (name, net) in module["netnames"].as_object().into_iter().flatten() {
        if net["hide_name"].as_u64() != Some(0) {
            continue;
        }
        for bit in net["bits"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            let best = names.entry(bit).or_insert(name);
            if depth(name) < depth(best) {
                *best = name;
            }
        }
    }
    let cells = || module["cells"].as_object().into_iter().flatten().map(|(_, c)| c);
    let bit = |cell: &Value, pin: &str| cell["connections"][pin][0].as_u64();
    for cell in cells() {
        if let Some((q, Some(d))) = pins(cell["type"].as_str().unwrap_or("")) {
            if let (Some(d), Some(q)) = (bit(cell, d), bit(cell, q)) {
                feeds.insert(d, q);
            }
        }
    }
    let mut parts = BTreeMap::<String, Cells>::new();
    for cell in cells() {
        let Some((out, data)) = pins(cell["type"].as_str().unwrap_or("")) else { continue };
        let named = bit(cell, out).and_then(|b| names.get(&b).or_else(|| names.get(feeds.get(&b)?)));
        let cells = parts.entry(named.map_or_else(|| "unnamed".into(), |n| part(n))).or_default();
        if data.is_some() {
            cells.flip_flops += 1;
        } else {
            cells.lut4 += 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cell_belongs_to_what_its_output_is_called() {
        let net = |bit: u64, hide: u64| json!({ "bits": [bit], "hide_name": hide });
        let netlist = json!({ "modules": { "top": {
            "netnames": {
                "soc.bus.owner": net(2, 0), "soc.m_addr": net(2, 0), "$abc$1": net(3, 1),
                "soc.trace.u_core_0.u_gshare.q": net(4, 0), "soc.core_1.pc": net(5, 0),
            },
            "cells": {
                "a": { "type": "SB_LUT4", "connections": { "O": [2] } },
                "b": { "type": "SB_LUT4", "connections": { "O": [3] } },
                "c": { "type": "SB_DFFESR", "connections": { "D": [3], "Q": [4] } },
                "d": { "type": "LUT4", "connections": { "Z": [5] } },
                "e": { "type": "LUT4", "connections": { "Z": [6] } },
                "f": { "type": "SB_RAM40_4K", "connections": { "RDATA": [7] } },
            }
        } } });
        let of = |lut4, flip_flops| Cells { lut4, flip_flops };
        let right = [("core_1", of(1, 0)), ("soc", of(1, 0)), ("trace.core_0", of(1, 1)), ("unnamed", of(1, 0))];
        assert_eq!(blocks(&netlist, "top"), right.map(|(n, c)| (n.to_string(), c)).into());
    }
}
