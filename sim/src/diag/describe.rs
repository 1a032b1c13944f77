//! Reference page of registers and packets: the module docs of their sources, with numbers in place of names

use super::processor;
use super::registers::{ALL, ANY, CAPACITY, CONTROL, KIND, RECORDS, STEPS, TARGET, UPPER};
use super::window::WINDOW;

/// The module doc of a source file, without its first line.
pub fn head(source: &str) -> String {
    let lines = source.lines().map_while(|l| l.strip_prefix("//!")).skip(1);
    let line = |l: &str| format!("{}\n", l.strip_prefix(' ').unwrap_or(l));
    // a heading of a file is one level lower on the page
    lines.map(line).map(|l| if l.starts_with("# ") { format!("##{}", &l[1..]) } else { l }).collect()
}

/// Reference of the packets and registers of a chip, as Markdown.
pub fn markdown() -> String {
    let hex = |address: u16| format!("0x{address:03x}");
    let wide = |address: u32| format!("0x{address:x}");
    let mut text = format!(
        "# Packets\n{}\n# Registers\n{}\n# Windows\n{}\n# Trace node\n{}\n# Processor\n{}",
        head(include_str!("packet.rs")),
        head(include_str!("registers.rs")),
        head(include_str!("window.rs")),
        head(include_str!("node/trace.rs")),
        head(include_str!("processor/mod.rs")),
    );
    for (name, number) in [
        ("KIND", hex(KIND)),
        ("CAPACITY", hex(CAPACITY)),
        ("CONTROL", hex(CONTROL)),
        ("RAM_BYTES", wide(processor::RAM_BYTES)),
        ("SLOTS_AT", wide(processor::SLOTS_AT)),
        ("SEND_AT", wide(processor::SEND_AT)),
        ("NEXT_AT", wide(processor::NEXT_AT)),
        ("TIME_AT", wide(processor::TIME_AT)),
        ("LIMIT", processor::LIMIT.to_string()),
        ("TRIP_EVENT", processor::TRIP_EVENT.to_string()),
        ("TARGET", hex(TARGET)),
        ("RECORDS", hex(RECORDS)),
        ("STEPS", hex(STEPS)),
        ("UPPER", hex(UPPER)),
        ("WINDOW", hex(WINDOW)),
        ("super::registers::CONTROL", "the control register".into()),
        ("ALL", format!("{ALL} (all terms)")),
        ("ANY", format!("{ANY} (any of them)")),
        ("super::node::NodeKind::registers", "in the table above".into()),
        ("Trigger::is_wide", "data, traps and entries".into()),
    ] {
        text = text.replace(&format!("[`{name}`]"), &number);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_numbers_and_no_names_of_the_source() {
        let text = markdown();
        assert!(!text.contains("[`") && !text.contains("::"), "{text}");
        for line in ["| 0x002 | 0 | 1: it works.", "| 0x400 + 16 n + k | 16 |", "\n## A record\n", "W0   LEN[15:12]"] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
