//! Assigns each cell of a flattened netlist to a block
//!
//! Yosys keeps the source lines of a cell through every rewrite, and the module of those lines gives the block. Cells
//! without source lines (multiplexers for clock enables) belong to the block that they drive.

use crate::flow::{instances, top_of, Cells, REST};
use serde_json::Value;
use std::collections::BTreeMap;

/// A cell of the netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: String,
}

/// The module of each line of `verilog`.
fn modules(verilog: &str) -> Vec<&str> {
    let mut module = "";
    let at = |line| {
        if let Some(rest) = str::strip_prefix(line, "module ") {
            module = rest.split([' ', '(', '#', ';']).next().unwrap_or("");
        }
        module
    };
    verilog.lines().map(at).collect()
}

/// First line of `top.v:12.3-14.5|...`.
fn line(source: &str) -> Option<usize> {
    source.split_once(':')?.1.split('.').next()?.parse().ok()
}

/// The cells of each block in `netlist`, a flattened top of `verilog` as written by `write_json`. A module that several
/// blocks contain belongs to the first.
pub(crate) fn of(verilog: &str, netlist: &Value, hierarchy: &Cells) -> BTreeMap<&'static str, Vec<Cell>> {
    let mut blocks: BTreeMap<String, &'static str> = BTreeMap::new();
    instances(hierarchy, top_of(verilog), &mut |block, module, _| {
        blocks.entry(module.to_string()).or_insert(block);
    });
    let lines = modules(verilog);
    let cells: Vec<(&String, &Value)> = netlist["cells"].as_object().into_iter().flatten().collect();
    let of_line = |cell: &Value| {
        let module = lines.get(line(cell["attributes"]["src"].as_str()?)?.checked_sub(1)?)?;
        blocks.get(*module).copied()
    };
    let mut found: Vec<Option<&'static str>> = cells.iter().map(|(_, c)| of_line(c)).collect();

    // bits that a cell without source lines drives, and the cells connected to each bit
    let mut at: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let bits = |port: &Value| -> Vec<u64> { port.as_array().into_iter().flatten().filter_map(Value::as_u64).collect() };
    for (i, (_, cell)) in cells.iter().enumerate() {
        for (port, to) in cell["connections"].as_object().into_iter().flatten() {
            if port != "Y" {
                bits(to).into_iter().for_each(|b| at.entry(b).or_default().push(i));
            }
        }
    }
    loop {
        let mut changed = false;
        for i in 0..cells.len() {
            if found[i].is_none() {
                let driven = bits(&cells[i].1["connections"]["Y"]);
                let mut readers = driven.iter().flat_map(|b| at.get(b).into_iter().flatten());
                found[i] = readers.find_map(|r| found[*r]);
                changed |= found[i].is_some();
            }
        }
        if !changed {
            break;
        }
    }
    let mut out: BTreeMap<&'static str, Vec<Cell>> = BTreeMap::new();
    for ((name, cell), block) in cells.into_iter().zip(found) {
        let kind = cell["type"].as_str().unwrap_or_default().to_string();
        out.entry(block.unwrap_or(REST)).or_default().push(Cell { name: name.clone(), kind });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_belong_to_the_block_of_their_line_or_of_what_they_drive() {
        let verilog = "module t (\n);\nendmodule\n\nmodule t_gshare (\n);\nendmodule\n";
        let inside = |list: &[(&str, u64)]| list.iter().map(|(c, n)| (c.to_string(), *n)).collect();
        let hierarchy =
            Cells::from([("t".to_string(), inside(&[("t_gshare", 1)])), ("t_gshare".to_string(), inside(&[]))]);
        let cell = |kind: &str, src: &str, a: u64, y: u64| json!({ "type": kind, "attributes": { "src": src }, "connections": { "A": [a], "Y": [y] } });
        let netlist = json!({ "cells": {
            "own": cell("$_NOT_", "top.v:2.1-2.9", 1, 2),
            "of_gshare": cell("$_NOT_", "top.v:6.1-6.9|top.v:2.1-2.9", 3, 4),
            "before_it": cell("$_NOT_", "", 5, 3),
            "before_that": cell("$_NOT_", "", 6, 5),
            "of_nothing": cell("$_NOT_", "", 7, 8),
        } });
        let parts = of(verilog, &netlist, &hierarchy);
        let names = |block: &str| {
            let mut names: Vec<&str> = parts[block].iter().map(|c| c.name.as_str()).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names("gshare"), ["before_it", "before_that", "of_gshare"]);
        assert_eq!(names(REST), ["of_nothing", "own"]);
    }
}
