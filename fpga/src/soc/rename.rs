//! Several rust-hdl circuits in one Verilog text
//!
//! rust-hdl names every top module `top` and every other one by its path from there.

use rust_hdl::prelude::*;

/// Verilog of a circuit whose top module is called `name`; an error is rust-hdl's.
pub fn emitted<T: Block>(mut block: T, name: &str) -> Result<String, String> {
    block.connect_all();
    check_all(&block).map_err(|e| format!("{e:?}"))?;
    Ok(renamed(&generate_verilog(&block), name))
}

/// The text with module `top` and all below it renamed.
pub fn renamed(verilog: &str, name: &str) -> String {
    let identifier = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut out = String::with_capacity(verilog.len() + verilog.len() / 8);
    let mut rest = verilog;
    while let Some(at) = rest.find("top") {
        let (before, after) = (&rest[..at], &rest[at + 3..]);
        out.push_str(before);
        let begins = !before.chars().next_back().is_some_and(identifier);
        let ends = after.starts_with('$') || !after.chars().next().is_some_and(identifier);
        out.push_str(if begins && ends { name } else { "top" });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_renamed_and_other_names_kept() {
        let text = "module top(stop$go, topic);\ntop$core$0 core$0(.top_a(x));\nendmodule // top\n";
        let right = "module t(stop$go, topic);\nt$core$0 core$0(.top_a(x));\nendmodule // t\n";
        assert_eq!(renamed(text, "t"), right);
    }
}
