//! Names of Verilog modules

pub use crate::keywords::KEYWORDS;

/// Checks that `name` is a valid name of a Verilog module.
///
/// # Errors
/// What is valid.
pub fn check(name: &str) -> Result<(), String> {
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !letters || !begins || name.len() > 64 {
        return Err("expected a letter and up to 63 letters, digits and _".into());
    }
    if KEYWORDS.contains(&name) {
        return Err("this is a keyword of Verilog".into());
    }
    Ok(())
}
