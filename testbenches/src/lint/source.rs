//! Source scan for `..=` in `#[hdl_gen]` functions

use super::{Finding, Rule};
use std::io;
use std::path::Path;

/// Scans every `.rs` file under `root`. Findings contain the path below `root` and the line.
pub fn inclusive_ranges(root: &Path) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                findings.extend(scan_text(&name, &std::fs::read_to_string(&path)?));
            }
        }
    }
    findings.sort();
    Ok(findings)
}

/// Scans one source text called `name`.
pub fn scan_text(name: &str, text: &str) -> Vec<Finding> {
    let code = blank(text);
    let mut findings = Vec::new();
    let mut rest = 0;
    while let Some(found) = code[rest..].find("#[hdl_gen]") {
        let start = rest + found;
        let end = body_end(&code, start);
        for (at, _) in code[start..end].match_indices("..=") {
            let line = code[..start + at].matches('\n').count() + 1;
            let what = text.lines().nth(line - 1).unwrap_or_default().trim().to_string();
            findings.push(Finding { place: format!("{name}:{line}"), rule: Rule::InclusiveRange, what });
        }
        rest = end.max(start + 1);
    }
    findings
}

/// End of the first brace block after `start`.
fn body_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (i, c) in code[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return start + i + 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    code.len()
}

/// The text with comments and strings replaced by spaces, so that positions do not change.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let rest = &bytes[i..];
        let end = if rest.starts_with(b"//") {
            i + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            i + rest.windows(2).position(|w| w == b"*/").map_or(rest.len(), |p| p + 2)
        } else if rest[0] == b'"' {
            let mut j = i + 1;
            while j < bytes.len() && bytes[j] != b'"' {
                j += if bytes[j] == b'\\' { 2 } else { 1 };
            }
            (j + 1).min(bytes.len())
        } else if rest.starts_with(b"'\"'") || rest.starts_with(b"'{'") || rest.starts_with(b"'}'") {
            i + 3
        } else {
            i += 1;
            continue;
        };
        out[i..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        i = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}
