//! All links between pages work, every page of `docs/` is in the book, and code that pages name exists

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            find(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// All pages of the project.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    find(&root(), &mut found);
    found
}

/// The links of a page, and the anchors of its headings.
#[derive(Debug, Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
    titles: usize,
}

fn read(path: &Path) -> Page {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut page, mut heading) = (Page::default(), None::<String>);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.to_string())
            }
            Event::Start(Tag::Heading { level, .. }) => {
                page.titles += usize::from(level == HeadingLevel::H1);
                heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) => {
                page.anchors.extend(heading.take().map(|h| slug(&h)));
            }
            Event::Text(t) | Event::Code(t) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&t);
                }
            }
            _ => {}
        }
    }
    page
}

/// The anchor of a heading in GitHub and mdBook.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Why `link` on the page at `path` is broken, if it is.
fn dead(path: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
    let target = if file.is_empty() { path.to_path_buf() } else { path.parent().unwrap().join(file) };
    let Ok(target) = target.canonicalize() else { return Some("there is no such file".into()) };
    let docs = root().join("docs");
    if path.starts_with(&docs) && !target.starts_with(&docs) {
        return Some("leads out of docs/, where the book has nothing".into());
    }
    let anchor = anchor?;
    (!read(&target).anchors.contains(anchor)).then(|| format!("there is no heading `{anchor}`"))
}

#[test]
fn no_link_is_dead() {
    let mut wrong = Vec::new();
    let mut links = 0;
    for path in pages() {
        for link in read(&path).links {
            links += 1;
            if let Some(why) = dead(&path, &link) {
                wrong.push(format!("{}: {link}: {why}", path.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(links > 50, "{links} links");
}

#[test]
fn dead_links_are_found() {
    let page = root().join("docs/README.md");
    let why = |link: &str| dead(&page, link);
    assert_eq!(why("reference/stream.md"), None);
    assert_eq!(why("reference/stream.md#words-and-bits"), None);
    assert_eq!(why("reference/stream.md#no-such-heading"), Some("there is no heading `no-such-heading`".into()));
    assert_eq!(why("no-such-page.md"), Some("there is no such file".into()));
    assert!(why("../README.md").is_some(), "the book holds docs/ only");
}

#[test]
fn every_page_of_the_book_is_in_its_summary_once() {
    let docs = root().join("docs");
    let mut listed = read(&docs.join("SUMMARY.md")).links;
    listed.sort();
    let of_docs = pages().into_iter().filter(|p| p.starts_with(&docs) && !p.ends_with("SUMMARY.md"));
    let mut all: Vec<String> = of_docs.map(|p| p.strip_prefix(&docs).unwrap().display().to_string()).collect();
    all.sort();
    assert_eq!(listed, all);
}

#[test]
fn pages_about_boards_say_that_none_was_tried() {
    let constraints = root().join("constraints").read_dir().unwrap();
    let mut words: Vec<String> =
        constraints.map(|e| e.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    words.push("/dev/tty".into());
    assert!(words.len() > 5, "{words:?}");
    let docs = root().join("docs");
    let mut about = 0;
    for path in pages().iter().filter(|p| p.starts_with(&docs) && !p.starts_with(docs.join("maintainers"))) {
        let text = std::fs::read_to_string(path).unwrap();
        // generated from the options: pages that it links to say so
        if path.ends_with("reference/command-line.md") || !words.iter().any(|w| text.contains(w.as_str())) {
            continue;
        }
        about += 1;
        assert!(text.to_lowercase().contains("not run on a board"), "{}: lacks `not run on a board`", path.display());
    }
    assert!(about > 4, "{about} pages");
}

#[test]
fn every_page_of_the_book_has_one_title() {
    let docs = root().join("docs");
    for path in pages().into_iter().filter(|p| p.starts_with(&docs) && !p.ends_with("SUMMARY.md")) {
        assert_eq!(read(&path).titles, 1, "{}", path.display());
    }
}

/// Crates whose modules and files pages name.
const CRATES: [&str; 12] =
    ["capture", "cli", "diag", "fpga", "hdl", "host", "programs", "report", "retire", "sim", "sweep", "testbenches"];

/// The Rust files under `folder`.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The text of all Rust files under `folder`.
fn sources(folder: &Path) -> String {
    let mut files = Vec::new();
    rust_files(folder, &mut files);
    files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(of_word) && !text[at + word.len()..].starts_with(of_word))
}

/// The first segment of a path such as `sim::replay::{a, b}` that is neither a module nor an identifier of its module.
fn unknown_segment(path: &str) -> Option<String> {
    let mut folder = root().join(path.split("::").next()?).join("src");
    let mut text = None::<String>;
    for segment in path.split("::").skip(1) {
        for name in segment.split(['{', '}', ',', ' ', '(', ')', '<']).filter(|n| !n.is_empty()) {
            let (file, inner) = (folder.join(format!("{name}.rs")), folder.join(name));
            if text.is_none() && (file.is_file() || inner.is_dir()) {
                continue;
            }
            let all = text.get_or_insert_with(|| sources(&folder));
            if !has_word(all, name) {
                return Some(name.into());
            }
        }
        if text.is_none() {
            let (file, inner) = (folder.join(format!("{segment}.rs")), folder.join(segment));
            text = (!inner.is_dir()).then(|| std::fs::read_to_string(file).unwrap_or_default());
            folder = inner;
        }
    }
    None
}

/// What `code`, an inline code of a page, names that does not exist: a path of a crate or a file.
fn missing_code(code: &str) -> Option<String> {
    let known = |rest: &str, separator: &str| CRATES.iter().any(|c| rest.starts_with(&format!("{c}{separator}")));
    if known(code, "::") && !code.contains(['=', '\n']) {
        return unknown_segment(code).map(|name| format!("`{code}`: there is no `{name}`"));
    }
    let is_file = [".rs", ".md", ".py", ".v"].iter().any(|e| code.ends_with(e)) && !code.contains([' ', '*', '<']);
    (is_file && known(code, "/") && !root().join(code).exists()).then(|| format!("there is no file `{code}`"))
}

#[test]
fn code_that_pages_name_exists() {
    let (mut wrong, mut named) = (Vec::new(), 0);
    // decisions and the changelog describe the code of their time
    let now = |p: &PathBuf| !p.ends_with("CHANGELOG.md") && !p.components().any(|c| c.as_os_str() == "maintainers");
    for path in pages().into_iter().filter(now) {
        let text = std::fs::read_to_string(&path).unwrap();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            if let Event::Code(code) = event {
                named += usize::from(code.contains("::"));
                wrong.extend(
                    missing_code(&code).map(|w| format!("{}: {w}", path.strip_prefix(root()).unwrap().display())),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 50, "{named} paths");
}

#[test]
fn missing_code_is_found() {
    assert_eq!(missing_code("sim::replay"), None);
    assert_eq!(missing_code("hdl::scheme::tr::{outcome,target}"), None);
    assert_eq!(missing_code("sim::params::TraceParams"), None);
    assert_eq!(
        missing_code("hdl::spine::no_such_module"),
        Some("`hdl::spine::no_such_module`: there is no `no_such_module`".into())
    );
    assert_eq!(
        missing_code("sim::params::NoSuchType"),
        Some("`sim::params::NoSuchType`: there is no `NoSuchType`".into())
    );
    assert_eq!(missing_code("sim/tests/all/no_such.rs"), Some("there is no file `sim/tests/all/no_such.rs`".into()));
}

/// The text of a Rust file, with each comment on one line.
fn joined(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        match ["//! ", "/// ", "// "].iter().find_map(|mark| line.strip_prefix(mark)) {
            Some(comment) => all.push_str(comment),
            None => all.push('\n'),
        }
        all.push(' ');
    }
    all
}

/// What comments of `text` name that does not exist: a page of `docs/`, or after it, in quotation marks, a heading of
/// that page or the beginning of one.
fn missing_pages(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let text = joined(text);
    for (at, _) in text.match_indices("`docs/") {
        let Some((page, after)) = text[at + 1..].split_once('`') else { continue };
        if !page.ends_with(".md") {
            continue;
        }
        let path = root().join(page);
        let Ok(page_text) = std::fs::read_to_string(&path) else {
            wrong.push(format!("there is no page {page}"));
            continue;
        };
        let plain = |text: &str| text.replace('`', "");
        let headings: Vec<String> =
            page_text.lines().filter(|l| l.starts_with('#')).map(|l| plain(l.trim_start_matches('#').trim())).collect();
        let mut rest = after;
        while let Some((heading, next)) = rest.strip_prefix(", \"").and_then(|r| r.split_once('"')) {
            if !headings.iter().any(|h| h.starts_with(&plain(heading))) {
                wrong.push(format!("{page} has no heading \"{heading}\""));
            }
            rest = next;
        }
    }
    wrong
}

#[test]
fn pages_and_headings_that_comments_name_exist() {
    let mut files = Vec::new();
    for name in CRATES {
        rust_files(&root().join(name), &mut files);
    }
    let mut wrong = Vec::new();
    for path in files.iter().filter(|p| !p.ends_with("report/tests/book.rs")) {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        wrong.extend(missing_pages(&text).into_iter().map(|w| format!("{name}: {w}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn missing_headings_are_found() {
    let found = |comment: &str| missing_pages(&format!("//! {comment}"));
    assert!(found("`docs/reference/stream.md`, \"Words and bits\".").is_empty());
    assert!(found("`docs/reference/stream.md`, \"Header\", \"Words\n//! and bits\".").is_empty());
    assert_eq!(found("`docs/no.md`"), ["there is no page docs/no.md"]);
    assert_eq!(
        found("`docs/reference/stream.md`, \"Nothing\""),
        ["docs/reference/stream.md has no heading \"Nothing\""]
    );
}
