//! Formats of `printf`: literal text, and how values are shown

use crate::runtime::TextPart;
use std::fmt;

/// Least width of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width {
    /// Characters.
    pub least: u8,
    /// Whether it is filled after the value, instead of before it.
    pub left: bool,
    /// Whether it is filled with zeros.
    pub zeros: bool,
}

impl Width {
    /// Fills a text.
    pub fn fill(self, text: &str) -> String {
        let width = usize::from(self.least);
        let missing = width.saturating_sub(text.chars().count());
        match text.strip_prefix('-') {
            _ if self.left => format!("{text:<width$}"),
            Some(number) if self.zeros => format!("-{}{number}", "0".repeat(missing)),
            None if self.zeros => format!("{}{text}", "0".repeat(missing)),
            _ => format!("{text:>width$}"),
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.left { "-" } else { "" })?;
        f.write_str(if self.zeros { "0" } else { "" })?;
        if self.least > 0 {
            write!(f, "{}", self.least)
        } else {
            Ok(())
        }
    }
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// The next value, in decimal.
    Decimal(Width),
    /// The same; of a word without a sign, if the values are words.
    Unsigned(Width),
    /// The next value, in hexadecimal.
    Hex(Width),
    /// The symbol at the next value, or the text that the next value is.
    Symbol(Width),
}

impl Part {
    /// Whether it shows a value.
    pub fn takes_value(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// The value of a word that a program sends: `%d` shows its sign.
    pub fn of_word(&self, word: u32) -> i64 {
        match self {
            Self::Decimal(_) => (word as i32).into(),
            Self::Text(_) | Self::Unsigned(_) | Self::Hex(_) | Self::Symbol(_) => word.into(),
        }
    }

    /// The part of a text with a value; `text` is what a value of a text is.
    pub fn shown(&self, value: i64, text: Option<&str>) -> TextPart {
        let of = |part: TextPart, width: Width| match width.least {
            0 => part,
            _ => TextPart::Wide(Box::new(part), width),
        };
        match (self, text) {
            (Self::Text(t), _) => TextPart::Text(t.clone()),
            (Self::Decimal(w) | Self::Unsigned(w), _) => of(TextPart::Number(value), *w),
            (Self::Hex(w), _) => of(TextPart::Hex(value), *w),
            (Self::Symbol(w), Some(text)) => of(TextPart::Text(text.into()), *w),
            (Self::Symbol(w), None) => of(TextPart::Symbol(value), *w),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Decimal(w) => write!(f, "%{w}d"),
            Self::Unsigned(w) => write!(f, "%{w}u"),
            Self::Hex(w) => write!(f, "%{w}x"),
            Self::Symbol(w) => write!(f, "%{w}s"),
        }
    }
}

/// Parts of a format string.
pub fn parts(format: &str) -> Result<Vec<Part>, String> {
    let (mut parts, mut text, mut chars) = (Vec::new(), String::new(), format.chars().peekable());
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            text.push('%');
            continue;
        }
        let (mut width, mut written) = (Width::default(), String::new());
        while let Some(c) = chars.next_if(|c| matches!(c, '-' | '0'..='9')) {
            written.push(c);
        }
        let digits = written.trim_start_matches('-');
        (width.left, width.zeros) = (written.starts_with('-'), digits.starts_with('0') && !written.starts_with('-'));
        if !digits.is_empty() {
            width.least = digits.parse().map_err(|_| format!("`%{written}`: a width is 1 to 255"))?;
        }
        // the length of a C type means nothing here
        while chars.next_if(|c| matches!(c, 'l' | 'h')).is_some() {}
        let part = match chars.next() {
            Some('d' | 'i') => Part::Decimal(width),
            Some('u') => Part::Unsigned(width),
            Some('x' | 'p') => Part::Hex(width),
            Some('s') => Part::Symbol(width),
            other => {
                let other = other.map_or(String::new(), String::from);
                return Err(format!(
                    "`%{written}{other}` is not a placeholder; expected %d, %x, %s (symbol) or %%, with a width as in %-8d or %08x"
                ));
            }
        };
        parts.extend([Part::Text(std::mem::take(&mut text)), part]);
    }
    parts.push(Part::Text(text));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_c() {
        let all = parts("%5d|%-6s|%08llx|%d%%").unwrap();
        assert_eq!(all.iter().map(Part::to_string).collect::<String>(), "%5d|%-6s|%08x|%d%");
        let fill = |format: &str, text: &str| match parts(format).unwrap()[1] {
            Part::Decimal(w) | Part::Unsigned(w) | Part::Hex(w) | Part::Symbol(w) => w.fill(text),
            Part::Text(_) => unreachable!("a placeholder follows the text before it"),
        };
        assert_eq!((fill("%5d", "-7"), fill("%05d", "-7")), ("   -7".into(), "-0007".to_string()));
        assert_eq!((fill("%-5d", "7"), fill("%2d", "12345")), ("7    ".into(), "12345".to_string()));
        let of_word = |format: &str| parts(format).unwrap()[1].of_word(u32::MAX - 2);
        assert_eq!((of_word("%d"), of_word("%u"), of_word("%x")), (-3, 4_294_967_293, 4_294_967_293));
        assert!(parts("%999d").unwrap_err().contains("a width is 1 to 255"));
        assert!(parts("%5q").unwrap_err().starts_with("`%5q` is not a placeholder"));
    }
}
