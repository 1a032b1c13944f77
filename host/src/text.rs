//! Numbers in text for people

/// `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// `1 core`, `2,000 cores`.
pub fn plural(n: impl Into<u64>, what: &str) -> String {
    let n = n.into();
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_nouns_their_number() {
        let texts = [0, 999, 1000, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [plural(1u8, "core"), plural(0u8, "core"), plural(2000u64, "gap")],
            ["1 core", "0 cores", "2,000 gaps"]
        );
    }
}
