//! Markdown pages of tables, each followed by a note

use std::fmt::Write;

/// Appends a row of a table.
pub fn row(out: &mut String, cells: impl IntoIterator<Item = String>) {
    out.push('|');
    for c in cells {
        let _ = write!(out, " {c} |");
    }
    out.push('\n');
}

/// Appends the head of a table: the first column is text, the others are numbers.
pub fn head(out: &mut String, first: &str, rest: &[String]) {
    row(out, std::iter::once(first.to_string()).chain(rest.iter().cloned()));
    row(out, std::iter::once("---".to_string()).chain(rest.iter().map(|_| "---:".to_string())));
}

/// The section of `notes` under `heading`.
fn note<'a>(notes: &'a str, heading: &str) -> &'a str {
    let Some(at) = notes.find(&format!("## {heading}\n")) else { return "" };
    let body = &notes[at + heading.len() + 4..];
    body.find("\n## ").map_or(body, |end| &body[..end]).trim()
}

/// A page of `head`, then the tables under their headings, each followed by its note, then the notes under `others`,
/// which have no table here.
pub fn page(head: &str, tables: &[(&str, String)], notes: &str, others: &[&str]) -> String {
    let mut text = head.to_owned();
    for (heading, table) in tables {
        let _ = write!(text, "\n## {heading}\n\n{table}");
        let note = note(notes, heading);
        if !note.is_empty() {
            let _ = write!(text, "\n{note}\n");
        }
    }
    for heading in others {
        let note = note(notes, heading);
        if !note.is_empty() {
            let _ = write!(text, "\n## {heading}\n\n{note}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_follow_their_tables_and_other_notes_come_last() {
        let mut table = String::new();
        head(&mut table, "a", &["b".into()]);
        row(&mut table, ["x".into(), "1".into()]);
        let notes = "# N\n\n## One\n\nof one\n\n## Else\n\nmore\n\n## Unused\n\nno\n";
        let text = page("# H\n", &[("One", table), ("Two", "t\n".into())], notes, &["Else", "Absent"]);
        let right =
            "# H\n\n## One\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n\nof one\n\n## Two\n\nt\n\n## Else\n\nmore\n";
        assert_eq!(text, right);
    }
}
