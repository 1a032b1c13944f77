//! Names of C++ and Rust symbols as in the source, and the ways to write them in a script

/// A symbol's name: as in the source, and what the compiler appended to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// As in the source, with parameters in C++.
    pub shown: String,
    /// `.constprop.0`, `.part.0`, ... of a copy that the compiler made.
    pub suffix: String,
}

impl Name {
    /// The name of a linker symbol.
    pub fn of(raw: &str) -> Self {
        let (base, suffix) = match raw.find('.') {
            Some(at) if at > 0 => raw.split_at(at),
            _ => (raw, ""),
        };
        let shown = demangled(base).unwrap_or_else(|| base.to_string());
        Self { shown, suffix: suffix.to_string() }
    }

    /// As it is printed.
    pub fn full(&self) -> String {
        format!("{}{}", self.shown, self.suffix)
    }

    /// Whether it is the part of a function that is only reached from inside of the function.
    pub fn is_rest(&self) -> bool {
        self.suffix.contains(".part.") || self.suffix.contains(".cold")
    }
}

fn demangled(raw: &str) -> Option<String> {
    if raw.starts_with("_Z") {
        let options = cpp_demangle::DemangleOptions::new().no_return_type();
        let name = cpp_demangle::Symbol::new(raw).ok()?.demangle_with_options(&options).ok();
        // the older mangling of Rust is one of C++
        return match rustc_demangle::try_demangle(raw) {
            Ok(rust) => Some(format!("{rust:#}")),
            Err(_) => name,
        };
    }
    rustc_demangle::try_demangle(raw).ok().map(|n| format!("{n:#}"))
}

/// The start of the last group of brackets at the end of a name.
fn last_group(name: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in name.char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The name without parameters.
fn without_parameters(shown: &str) -> &str {
    let end = shown.rfind(')').map_or(shown.len(), |at| at + 1);
    let rest_is_qualifier = shown[end..].chars().all(|c| c.is_ascii_lowercase() || c == ' ' || c == '&');
    match last_group(&shown[..end], '(', ')') {
        Some(at) if at > 0 && end > 0 && rest_is_qualifier => &shown[..at],
        _ => shown,
    }
}

/// The name without template arguments at its end.
fn without_arguments(name: &str) -> &str {
    match last_group(name, '<', '>') {
        Some(at) if at > 0 && name.ends_with('>') && !name[..at].ends_with("operator") => &name[..at],
        _ => name,
    }
}

/// Whether `pattern`, with `*` for any characters, is all of `text`.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// What a script may select with a name: `NAME`, `FILE:NAME`, either with `*` for any characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    file: Option<&'a str>,
    name: &'a str,
}

impl<'a> Query<'a> {
    pub fn new(text: &'a str) -> Self {
        let single = |at: &usize| !text[at + 1..].starts_with(':') && !text[..*at].ends_with(':');
        let colon = text.match_indices(':').map(|m| m.0).find(single);
        // a colon in C++ parameters does not end the name of a file
        match colon.filter(|at| !text[..*at].contains(['(', '<'])) {
            Some(at) => Self { file: Some(&text[..at]), name: &text[at + 1..] },
            None => Self { file: None, name: text },
        }
    }

    /// Whether it selects everything that matches.
    pub fn is_open(&self) -> bool {
        self.name.contains('*') || self.file.is_some_and(|f| f.contains('*'))
    }

    /// The name, without the file.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Whether a file matches: the end of its path.
    pub fn is_in(&self, path: Option<&str>) -> bool {
        let Some(file) = self.file else { return true };
        let Some(path) = path else { return file == "*" };
        let ends = path.match_indices('/').map(|m| &path[m.0 + 1..]);
        std::iter::once(path).chain(ends).any(|end| glob(file, end))
    }

    /// How well a name matches: 0 is the whole of it; `None` is not at all.
    pub fn rank(&self, raw: &str, name: &Name) -> Option<u8> {
        let plain = without_parameters(&name.shown);
        let keys = [raw, &name.shown, plain, without_arguments(plain)];
        if self.name.contains('*') {
            return keys.iter().any(|k| glob(self.name, k)).then_some(0);
        }
        if raw == self.name || name.shown == self.name {
            return Some(0);
        }
        let inner =
            |k: &&str| k.strip_suffix(self.name).is_some_and(|before| before.is_empty() || before.ends_with("::"));
        keys.iter().any(inner).then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        let full = |raw: &str| Name::of(raw).full();
        assert_eq!(full("_ZN4bank7Account7depositEii"), "bank::Account::deposit(int, int)");
        assert_eq!(full("_Z2mxIhET_S0_S0_"), "mx<unsigned char>(unsigned char, unsigned char)");
        assert_eq!(full("_ZL6helperi.constprop.0"), "helper(int).constprop.0");
        assert_eq!(full("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"), "core::fmt::Formatter::pad");
        assert_eq!(full("_RNvC7mycrate3foo"), "mycrate::foo");
        assert_eq!(full("counter.0"), "counter.0");
        assert_eq!(full("_start"), "_start");
    }

    #[test]
    fn a_query_matches_whole_names_before_their_ends() {
        let rank = |query: &str, raw: &str| Query::new(query).rank(raw, &Name::of(raw));
        let deposit = "_ZN4bank7Account7depositEii";
        for (query, want) in [
            (deposit, Some(0)),
            ("bank::Account::deposit(int, int)", Some(0)),
            ("bank::Account::deposit", Some(1)),
            ("deposit", Some(1)),
            ("posit", None),
            ("bank::*", Some(0)),
            ("*dep*int)", Some(0)),
            ("bank::Account::deposit(int)", None),
        ] {
            assert_eq!(rank(query, deposit), want, "{query}");
        }
        assert_eq!((rank("mx", "_Z2mxIiET_S0_S0_"), rank("mx<int>", "_Z2mxIiET_S0_S0_")), (Some(1), Some(1)));
        assert_eq!(rank("clonee", "clonee.constprop.0"), Some(0));
    }

    #[test]
    fn a_file_is_the_end_of_a_path() {
        let is_in = |query: &str| Query::new(query).is_in(Some("/src/a/q1.c"));
        assert!(is_in("q1.c:f") && is_in("a/q1.c:f") && is_in("*:f") && is_in("f") && is_in("ns::f"));
        assert!(!is_in("1.c:f") && !is_in("q2.c:ns::f"));
        assert_eq!(Query::new("q1.c:ns::f").name(), "ns::f");
        assert_eq!(Query::new("*:f").name(), "f");
    }
}
