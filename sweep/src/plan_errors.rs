//! Errors of a plan's file: line and setting, what was found, what would be right

use toml::de::{DeTable, DeValue};

/// Every setting: its name, and what it is, with a right value in backticks at the end.
const SETTINGS: [(&str, &str); 17] = [
    ("traces", "a list of traces, such as `[\"builtin:fft\", \"run.ret\"]`"),
    ("elfs", "a list of programs, such as `[\"firmware.elf\"]`"),
    ("any_build", "true or false, such as `true`"),
    ("harts", "a list of numbers of harts, 1 to 8, such as `[1, 4]`"),
    ("encodings", "a list of names, such as `[\"tr_e\", \"nx_b\"]`"),
    ("sets", "a list of predictor sets, such as `[\"small\", \"m4\"]`"),
    ("stream_caches", "a list of stream caches, such as `[\"rbase-32x4\"]`"),
    ("timestamps", "a list of true and false, such as `[false, true]`"),
    ("timing", "the name of a timing model, \"papers\" or \"functional\", such as `\"papers\"`"),
    ("caches", "a table of sizes and latencies, such as `{ l1_bytes = 16384 }`"),
    ("seed", "a number, such as `3`"),
    ("max_instructions", "a number of instructions, such as `1000000`"),
    ("seeds", "a list of numbers, such as `[1, 2, 3]`"),
    ("startup", "a number of instructions, such as `100000`"),
    ("verify", "true or false, such as `true`"),
    ("census", "true or false, such as `true`"),
    ("part", "a table, which begins with the line `[[part]]`"),
];

/// Whether a plan can have these settings.
type Check = fn(toml::Table) -> Result<(), toml::de::Error>;

/// Line of a byte, counted from 1.
fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

/// A piece of the file in one line: at most 60 characters.
fn excerpt(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    match words.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}

/// The error of a plan that cannot be read because of `e`.
pub(crate) fn explain(text: &str, e: &toml::de::Error, check: Check) -> String {
    let table = match DeTable::parse(text) {
        Err(syntax) => return not_toml(text, &syntax),
        Ok(table) => table,
    };
    let values = text.parse().unwrap_or_default();
    in_table(text, (table.get_ref(), &values), true, check).unwrap_or_else(|| e.message().to_string())
}

/// The error of a file that is not TOML.
fn not_toml(text: &str, e: &toml::de::Error) -> String {
    let span = e.span().unwrap_or_default();
    let what = match text.get(span.clone()).filter(|found| !found.trim().is_empty()) {
        Some(found) => format!("`{}`: {}", excerpt(found), e.message()),
        None => e.message().to_string(),
    };
    format!("line {}: {what}", line(text, span.start))
}

/// The first wrong setting of a table, which is given with the positions of its parts and without them. `outer`: it is
/// that of the whole file, which may have parts.
fn in_table(text: &str, (table, values): (&DeTable<'_>, &toml::Table), outer: bool, check: Check) -> Option<String> {
    let mut settings: Vec<_> = table.iter().collect();
    settings.sort_by_key(|(key, _)| key.span().start);
    settings.into_iter().find_map(|(key, placed)| {
        let name = key.get_ref().as_ref();
        let at = |found: &str, what: &str| {
            Some(format!("line {}: `{}`: {what}", line(text, key.span().start), excerpt(found)))
        };
        let Some((_, right)) = SETTINGS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
            return at(name, &format!("not a setting of a plan; expected one of {}", names.join(", ")));
        };
        let value = values.get(name)?;
        if name == "part" {
            let (DeValue::Array(parts), toml::Value::Array(values)) = (placed.get_ref(), value) else {
                return at(name, &format!("expected {right}"));
            };
            if !outer {
                return at(name, "a part has parts; expected each `[[part]]` outside of the others");
            }
            return parts.iter().zip(values).find_map(|(part, value)| match (part.get_ref(), value) {
                (DeValue::Table(part), toml::Value::Table(value)) => in_table(text, (part, value), false, check),
                _ => at(name, &format!("expected {right}")),
            });
        }
        let alone = toml::Table::from_iter([(name.to_string(), value.clone())]);
        let message = check(alone).err()?.message().to_string();
        // serde names a wrong member of a table
        let member = if message.starts_with("unknown field") { format!("{message}; ") } else { String::new() };
        at(&format!("{name} = {value}"), &format!("{member}expected {right}"))
    })
}
