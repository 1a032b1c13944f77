//! Pages, public identifiers and their documentation are written in standard terms, numbers in prose are those of the tables, and files that a recipe names exist

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn find(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

/// Pages for users: the README and all of `docs/` but the maintainers' part, with their paths from the root.
fn pages() -> Vec<(String, String)> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    find(&root().join("docs"), "md", &mut found);
    found.sort();
    let named = found
        .iter()
        .map(|p| (p.strip_prefix(root()).unwrap().display().to_string(), std::fs::read_to_string(p).unwrap()));
    named.filter(|(name, _)| !name.starts_with("docs/maintainers/")).collect()
}

/// Home-made words, and what to write instead (docs/reference/glossary.md).
const TERMS: &[(&str, &str)] = &[
    ("told", "reported"),
    ("tells", "reports"),
    ("held to", "checked against"),
    ("anew", "again, or repeated"),
    ("beside", "with, next to, or in addition to"),
    ("besides", "in addition to"),
    ("behind", "after"),
    ("landing", "resync PC FIFO"),
    ("haste", "scale of the warm-up"),
    ("veil", "filter"),
    ("verdict", "decision"),
    ("roomy", "below the watermark"),
    ("goes by", "passes"),
    ("stands", "is, or holds"),
    ("mended", "fixed"),
    ("broad", "wide"),
];

/// Further words that are refused in the documentation of code and in public identifiers.
const CODE_TERMS: &[(&str, &str)] = &[
    ("tell", "report, show or read"),
    ("brim", "full"),
    ("crowd", "almost full"),
    ("so many", "the number, or this many"),
];

/// The words of a line, without code and link targets.
fn words(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let mut parts = prose.split("](");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        text.push(' ');
        text.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    split.filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

fn has(line: &str, term: &str) -> bool {
    contains(&words(line), term)
}

/// Whether the words of a term follow each other in `words`.
fn contains(words: &[String], term: &str) -> bool {
    let term: Vec<&str> = term.split(' ').collect();
    words.windows(term.len()).any(|w| w == term)
}

#[test]
fn pages_have_no_home_made_words() {
    let mut wrong = Vec::new();
    for (name, text) in &pages() {
        let mut code = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                code = !code;
            }
            let terms = TERMS.iter().filter(|(term, _)| !code && has(line, term));
            wrong.extend(terms.map(|(term, right)| format!("{name}:{}: `{term}`; write {right}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sources of the crates that are published, with their paths from the root: without tests, which are last in each file.
fn public_sources() -> Vec<(String, String)> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find_map(|l| l.strip_prefix("members = [")).expect("no members");
    let crates = members.split('"').skip(1).step_by(2).filter(|c| *c != "fuzz/targets");
    let mut found = Vec::new();
    crates.for_each(|c| find(&root().join(c).join("src"), "rs", &mut found));
    found.sort();
    found.dedup();
    let named = found.iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_string();
        (path.strip_prefix(root()).unwrap().display().to_string(), code)
    });
    named.collect()
}

/// The words of the identifier that a line makes public, if it makes one: `pub fn next_block` has `next` and `block`.
fn public_words(line: &str) -> Vec<String> {
    let Some(item) = line.trim_start().strip_prefix("pub ") else { return Vec::new() };
    let kinds = ["unsafe", "const", "async", "fn", "struct", "enum", "trait", "type", "mod", "static"];
    let name = item.split(|c: char| !c.is_alphanumeric() && c != '_').find(|w| !kinds.contains(w)).unwrap_or_default();
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if c == '_' || lower && c.is_uppercase() {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        words.last_mut().unwrap().extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    words
}

#[test]
fn public_items_have_no_home_made_words() {
    let sources = public_sources();
    assert!(sources.len() > 500, "{} sources are too few", sources.len());
    let (mut wrong, mut documented, mut named) = (Vec::new(), 0, 0);
    for (name, text) in &sources {
        for (number, line) in text.lines().enumerate() {
            let comment = ["///", "//!"].iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(words);
            let public = public_words(line);
            documented += usize::from(comment.is_some());
            named += usize::from(!public.is_empty());
            let read = comment.unwrap_or(public);
            let terms = TERMS.iter().chain(CODE_TERMS).filter(|(term, _)| contains(&read, term));
            wrong.extend(terms.map(|(term, right)| format!("{name}:{}: `{term}`; write {right}", number + 1)));
        }
    }
    assert!(documented > 10_000 && named > 3_000, "{documented} comments and {named} items are too few");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn identifiers_are_taken_apart() {
    assert_eq!(public_words("    pub fn toldNext_block(&self)"), ["told", "next", "block"]);
    assert_eq!(public_words("pub struct TraceParams {"), ["trace", "params"]);
    assert!(public_words("let pub_told = 1;").is_empty() && public_words("pub(crate) fn told()").is_empty());
}

#[test]
fn a_term_is_found_as_a_word_and_not_in_code() {
    assert!(has("What is Told, then", "told"));
    assert!(has("is [held](x.md) to it", "held to"));
    assert!(!has("untold, `told`, [x](told.md)", "told"));
}

/// The rows of the first table below the heading `section` of a reference page, its titles first.
fn table(page: &str, section: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(format!("docs/reference/{page}.md"))).unwrap();
    let below = text.split(&format!("## {section}\n")).nth(1).unwrap_or_else(|| panic!("{page}: no heading {section}"));
    let rows = below.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
    let cell = |c: &str| c.trim().trim_matches('*').to_string();
    rows.filter(|l| !l.starts_with("| ---")).map(|l| l.trim_matches('|').split('|').map(cell).collect()).collect()
}

/// A number, `rows PAGE/SECTION`, or a cell: `PAGE/SECTION/ROW/COLUMN`.
fn operand(text: &str) -> f64 {
    if let Ok(number) = text.parse() {
        return number;
    }
    if let Some((page, section)) = text.strip_prefix("rows ").and_then(|t| t.split_once('/')) {
        return table(page, section).len() as f64 - 1.0;
    }
    let [page, section, row, column] = text.split('/').collect::<Vec<_>>()[..] else { panic!("no operand: {text}") };
    let rows = table(page, section);
    let column = rows[0].iter().position(|c| c == column).unwrap_or_else(|| panic!("{text}: no such column"));
    let row = rows.iter().find(|r| r[0] == row).unwrap_or_else(|| panic!("{text}: no such row"));
    row[column].trim_end_matches([' ', '%']).parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The value of operands with ` + `, ` - `, ` * ` and ` / ` between them, from left to right.
fn value(text: &str) -> f64 {
    let (mut rest, mut operator, mut total) = (text, " + ", 0.0);
    loop {
        let next = [" + ", " - ", " * ", " / "].into_iter().filter_map(|o| Some((rest.find(o)?, o))).min();
        let number = operand(rest[..next.map_or(rest.len(), |n| n.0)].trim());
        match operator {
            " + " => total += number,
            " - " => total -= number,
            " * " => total *= number,
            _ => total /= number,
        }
        let Some((at, found)) = next else { return total };
        (operator, rest) = (found, &rest[at + 3..]);
    }
}

/// Numbers of a text as they are printed, and numbers that are words.
fn numbers(text: &str) -> BTreeSet<String> {
    let said = text.replace("eighteen", "18");
    let split = said.split(|c: char| !c.is_ascii_digit() && c != '.');
    split.map(|n| n.trim_matches('.').to_string()).filter(|n| !n.is_empty()).collect()
}

/// `<!-- claim: NUMBER = EXPRESSION -->` before a paragraph: the page has the number after it, and the tables give it.
#[test]
fn claims_in_prose_are_those_of_the_tables() {
    let mut claims = 0;
    for (name, text) in pages() {
        for (at, _) in text.match_indices("<!-- claim: ") {
            let rest = &text[at + "<!-- claim: ".len()..];
            let (claim, after) = rest.split_once(" -->").unwrap();
            let (printed, expression) = claim.split_once(" = ").unwrap();
            let digits = printed.split_once('.').map_or(0, |(_, d)| d.len());
            assert_eq!(format!("{:.digits$}", value(expression)), printed, "{name}: {expression}");
            assert!(numbers(after).contains(printed), "{name}: {printed} is not in the text after its claim");
            claims += 1;
        }
    }
    assert!(claims >= 8, "{claims} claims");
}

#[test]
fn expressions_are_computed_from_left_to_right() {
    assert_eq!(value("100 * 3 / 4 - 5"), 70.0);
    assert_eq!(operand("rows results/Programs"), 18.0);
}

/// Pages whose measured figures are copies of those of other pages, which have a head.
const COPIES: &[(&str, &[&str])] =
    &[("README.md", &["docs/reference/results.md", "docs/reference/real-programs.md", "docs/reference/fpga.md"])];

/// Whether a cell is a measured figure: a number with two decimals or more.
fn is_figure(cell: &str) -> bool {
    let number = cell.trim().trim_matches('*').trim_end_matches([' ', '%']).replace(',', "");
    number.parse::<f64>().is_ok() && number.split_once('.').is_some_and(|(_, decimals)| decimals.len() > 1)
}

#[test]
fn a_figure_is_a_number_with_decimals() {
    assert!(["0.1234", " *1.50 %* ", "1,024.00"].into_iter().all(is_figure));
    assert!(["12", "1.5", "sec. 2.10", "1.10.0", "0.12 ± 0.01"].into_iter().all(|c| !is_figure(c)));
}

/// Measured figures in the tables of a page. What a command prints is not part of them: its command is in the page.
fn figures(text: &str) -> Vec<&str> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        if !code && line.starts_with('|') {
            found.extend(line.split('|').map(|c| c.trim_matches([' ', '\\'])).filter(|c| is_figure(c)));
        }
    }
    found
}

#[test]
fn copied_figures_are_those_of_the_pages_they_come_from() {
    for (name, sources) in COPIES {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        let mut known = Vec::new();
        for source in *sources {
            let source = std::fs::read_to_string(root().join(source)).unwrap();
            known.extend(figures(&source).iter().map(|f| f.replace(',', "").parse::<f64>()).filter_map(Result::ok));
        }
        let copied = figures(&text);
        assert!(copied.len() > 3, "{name}: {copied:?}");
        for figure in copied {
            let digits = figure.split_once('.').map_or(0, |(_, d)| d.len());
            let found = known.iter().any(|k| format!("{k:.digits$}") == figure);
            assert!(found, "{name}: {figure} is not in {}", sources.join(" or "));
        }
    }
}

#[test]
fn pages_of_measured_tables_say_how_to_measure_them_again() {
    let mut wrong = Vec::new();
    let mut found = BTreeSet::new();
    for (name, text) in &pages() {
        if figures(text).len() < 3 || COPIES.iter().any(|(page, _)| page == name) {
            continue;
        }
        found.insert(name.clone());
        let head = text.split("<!-- made by -->\n").nth(1).and_then(|t| t.split("<!-- end of made by -->").next());
        match head {
            None => wrong.push(format!("{name}: no head; tools/made_by.py writes it")),
            Some(head) => {
                for row in ["commit", "command", "seeds", "packages", "traces"] {
                    let cell = head.lines().find_map(|l| l.strip_prefix(&format!("| {row} | "))).unwrap_or_default();
                    if cell.trim_matches([' ', '|']).is_empty() {
                        wrong.push(format!("{name}: its head has no {row}"));
                    }
                }
            }
        }
    }
    assert!(found.len() > 10, "{found:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table below `<!-- recipe: ... -->`: a file, and a text that it contains.
#[test]
fn files_and_lines_of_the_recipe_exist() {
    let text = std::fs::read_to_string(root().join("docs/how-to/extend.md")).unwrap();
    let below = text.split("<!-- recipe").nth(1).unwrap();
    let rows = below.lines().skip_while(|l| !l.starts_with('|')).skip(2).take_while(|l| l.starts_with('|'));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let file = cells[0].trim_start_matches("| ").trim_matches('`');
        let line = match cells[1].strip_prefix("`` ").and_then(|c| c.strip_suffix(" ``")) {
            Some(line) => line.trim(),
            None => &cells[1][1..cells[1].len() - 1],
        };
        let found = std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(found.contains(line), "{file} has no `{line}`");
        count += 1;
    }
    assert!(count > 8, "{count} rows");
}
