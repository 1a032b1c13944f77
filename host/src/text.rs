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

/// A number as people type it: digits, optionally with the separators of [`count`].
pub fn number(text: &str) -> Option<u64> {
    let n: u64 = text.replace(',', "").parse().ok()?;
    // a comma that is not where `count` has one may be a decimal point
    (!text.contains(',') || count(n) == text).then_some(n)
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
    fn numbers_are_read_with_and_without_separators() {
        let read = ["0", "1234567", "1,234,567", "12,34", "1,5", ",5", "5,", "", "-1", "1,000,000,000,000,000,000,000"];
        let numbers = [Some(0), Some(1_234_567), Some(1_234_567), None, None, None, None, None, None, None];
        assert_eq!(read.map(number), numbers);
    }

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
