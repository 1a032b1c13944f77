//! The reference page of the options, `docs/reference/options.md`

use crate::table::OPTIONS;
use crate::{Group, ValueKind};
use std::fmt::Write;

/// The page, in Markdown.
pub fn page() -> String {
    let mut page = String::from(
        "# Options of trace systems\n\n\
         The options of `goshawk gen` and `goshawk gates`. `goshawk help COMMAND` lists those of other commands. An option \
         that would have no effect is refused.\n\n\
         Generated from the table of options by `cargo run --release -p hdl --example options > docs/reference/options.md`.\n",
    );
    for group in Group::ALL {
        let _ = writeln!(
            page,
            "\n## {}\n\n| option | values | default | meaning |\n| --- | --- | --- | --- |",
            group.heading()
        );
        for option in OPTIONS.iter().filter(|o| o.group == group) {
            let value = if option.unit.is_empty() { String::new() } else { format!(" {}", option.unit) };
            let values = match option.takes {
                ValueKind::One(values) => values.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "),
                ValueKind::Text { .. } if !(option.list)().is_empty() => (option.list)(),
                ValueKind::Switch | ValueKind::Range(..) | ValueKind::Text { .. } => option.takes.values(),
            };
            let default = if option.default.is_empty() { String::new() } else { format!("`{}`", option.default) };
            let mut meaning = format!("{}.", option.help);
            for rule in option.rules.iter().chain(option.circuit) {
                let _ = write!(meaning, " {}: {}.", rule.text(), rule.why());
            }
            let row = [format!("`--{}{value}`", option.name), values, default, meaning];
            let _ = writeln!(page, "| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
        }
    }
    page
}
