//! Which source files a result has, and under which paths

/// Patterns and replacements of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Files that one of these matches are in the result; without any, all are.
    pub include: Vec<String>,
    /// Files that one of these matches are not.
    pub exclude: Vec<String>,
    /// Beginnings of paths, and what replaces them; the first that fits counts.
    pub map: Vec<(String, String)>,
    /// Files that do not exist are not in the result.
    pub existing: bool,
}

/// Result of the selection of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// In the result, by this path.
    Here(String),
    /// Left out by a pattern.
    Excluded,
    /// Left out because the file does not exist.
    Missing,
}

/// Whether `text` fits `pattern`: `*` is any text, `?` any character.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // the last `*`, and how much of the text it takes
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    (p, t) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

impl Paths {
    /// What becomes of the path of a source file, as the compiler wrote it.
    pub fn select(&self, path: &str) -> Selected {
        let mapped =
            self.map.iter().find_map(|(from, to)| path.strip_prefix(from.as_str()).map(|rest| format!("{to}{rest}")));
        let path = mapped.unwrap_or_else(|| path.to_string());
        let any = |patterns: &[String]| patterns.iter().any(|p| matches(p, &path));
        if !self.include.is_empty() && !any(&self.include) || any(&self.exclude) {
            return Selected::Excluded;
        }
        if self.existing && !std::path::Path::new(&path).is_file() {
            return Selected::Missing;
        }
        Selected::Here(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_text() {
        for (pattern, text, wanted) in [
            ("*.c", "src/a.c", true),
            ("src/*", "src/x/a.c", true),
            ("*/x/*.c", "src/x/a.c", true),
            ("a?c", "abc", true),
            ("*", "", true),
            ("*ab*ab", "abxab", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "xab", false),
            ("src", "src/a.c", false),
            ("a?c", "ac", false),
        ] {
            assert_eq!(matches(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn a_path_is_replaced_and_then_selected() {
        let list = |text: &[&str]| text.iter().map(ToString::to_string).collect();
        let paths = Paths {
            include: list(&["src/*"]),
            exclude: list(&["*test*"]),
            map: vec![("/build/".into(), "src/".into()), ("/".into(), "no/".into())],
            existing: false,
        };
        assert_eq!(paths.select("/build/a.c"), Selected::Here("src/a.c".into()));
        assert_eq!(paths.select("/build/test.c"), Selected::Excluded);
        assert_eq!(paths.select("/other/a.c"), Selected::Excluded);
        let existing = Paths { existing: true, ..Paths::default() };
        assert_eq!(existing.select("/no/such/file.c"), Selected::Missing);
    }
}
