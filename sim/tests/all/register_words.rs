//! Consistent wording: the register list, its SystemRDL, its Markdown and the pages in `docs` agree

use sim::params::{named_set, TraceParams};
use sim::regmap::Map;
use sim::regs::{list, MEMORY_REGS, REGS};
use std::path::Path;

/// A field in a document: register, byte offset, field, highest and lowest bit, meaning.
type Said = (String, u32, String, u8, u8, String);

fn declared() -> Vec<Said> {
    let field = |r: &sim::regs::Reg, f: &sim::regs::Field| {
        (r.name.into(), 4 * u32::from(r.addr), f.name.into(), f.lsb + f.bits - 1, f.lsb, f.doc.into())
    };
    list(true).flat_map(|r| r.fields.iter().map(move |f| field(r, f))).collect()
}

fn params() -> TraceParams {
    TraceParams::tr(named_set("small").unwrap().params)
}

/// The text between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text:?}")).1;
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} in {text:?}")).0
}

#[test]
fn systemrdl_has_the_words_of_the_list() {
    let (mut reported, mut fields, mut of_register) = (Vec::<Said>::new(), Vec::new(), Vec::new());
    for line in Map::native(&params(), true, 0).systemrdl().lines().map(str::trim) {
        if line.starts_with("field ") {
            let place = line.rsplit_once("} ").unwrap().1;
            let (name, bits) = place.split_once('[').unwrap();
            let (high, low) = between(bits, "", "]").split_once(':').unwrap();
            fields.push((
                name.to_string(),
                high.parse().unwrap(),
                low.parse().unwrap(),
                between(line, "desc = \"", "\""),
            ));
        } else if line.starts_with("desc = ") {
            of_register.push(between(line, "\"", "\"").to_string());
        } else if let Some((name, offset)) = line.strip_prefix("} ").and_then(|l| l.split_once("_reg @ 0x")) {
            let offset = u32::from_str_radix(offset.trim_end_matches(';'), 16).unwrap();
            let whole = |(f, high, low, doc): (String, u8, u8, &str)| (name.into(), offset, f, high, low, doc.into());
            reported.extend(fields.drain(..).map(whole));
        }
    }
    assert_eq!(reported, declared());
    assert_eq!(of_register, list(true).map(|r| r.doc).collect::<Vec<_>>());
}

#[test]
fn markdown_has_the_words_of_the_list() {
    let (mut reported, mut registers, mut now) = (Vec::<Said>::new(), Vec::new(), String::new());
    for line in Map::native(&params(), true, 0).markdown().lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|c| c.trim().trim_matches('`')).collect();
        if let Some(name) = line.strip_prefix("## ") {
            now = name.trim_matches('`').into();
        } else if now.is_empty() && cells.len() == 6 && cells[1].starts_with("0x") {
            let offset = u32::from_str_radix(cells[1].trim_start_matches("0x"), 16).unwrap();
            registers.push((cells[2].to_string(), offset, cells[5].to_string()));
        } else if !now.is_empty() && cells.len() == 3 && cells[0].starts_with(|c: char| c.is_ascii_digit()) {
            let (high, low) = cells[0].split_once(':').unwrap_or((cells[0], cells[0]));
            let offset = registers.iter().find(|r| r.0 == now).unwrap().1;
            reported.push((
                now.clone(),
                offset,
                cells[1].into(),
                high.parse().unwrap(),
                low.parse().unwrap(),
                cells[2].into(),
            ));
        }
    }
    assert_eq!(reported, declared());
    let right = list(true).map(|r| (r.name.to_string(), 4 * u32::from(r.addr), r.doc.to_string()));
    assert_eq!(registers, right.collect::<Vec<_>>());
}

/// Collects every page of a folder.
fn pages(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            pages(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "md") {
            found.push((entry.display().to_string(), std::fs::read_to_string(&entry).unwrap()));
        }
    }
}

#[test]
fn pages_call_registers_and_bits_by_their_names_and_numbers() {
    let mut found = Vec::new();
    pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs"), &mut found);
    let (mut names, mut numbers, mut bits) = (0, 0, 0);
    for (page, text) in &found {
        // register `NAME`
        for name in text.split("register `").skip(1).map(|t| between(t, "", "`")) {
            assert!(list(true).any(|r| r.name == name), "{page}: there is no register `{name}`");
            names += 1;
        }
        // `NAME` (register N)
        for (before, after) in text.match_indices(" (register ").map(|(at, m)| (&text[..at], &text[at + m.len()..])) {
            let name = before.trim_end_matches('`').rsplit('`').next().unwrap();
            let Ok(number) = between(after, "", ")").parse::<u8>() else { continue };
            let right = list(true).find(|r| r.addr == number).map(|r| r.name);
            assert_eq!(Some(name), right, "{page}: register {number}");
            numbers += 1;
        }
        // bit N `NAME`
        for (at, m) in text.match_indices("bit ") {
            let rest = &text[at + m.len()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (Ok(lsb), Some(name)) = (rest[..digits].parse::<u8>(), rest[digits..].strip_prefix(" `")) else {
                continue;
            };
            let name = between(name, "", "`");
            let known = list(true).flat_map(|r| r.fields).any(|f| f.name == name && f.lsb == lsb);
            assert!(known, "{page}: bit {lsb} is not `{name}`");
            bits += 1;
        }
    }
    // a page in other words must not make this test vacuous
    assert!(names >= 2 && numbers >= 4 && bits >= 2, "{names} names, {numbers} numbers, {bits} bits");
}

/// A system without a memory port has none of its registers.
#[test]
fn documents_of_other_systems_have_no_registers_of_the_memory_port() {
    let map = Map::native(&params(), false, 0);
    for text in [map.markdown(), map.systemrdl()] {
        assert!(REGS.iter().all(|r| text.contains(r.name)) && MEMORY_REGS.iter().all(|r| !text.contains(r.name)));
    }
}
