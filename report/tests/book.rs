//! All links between pages work, and every page of `docs/` is in the book

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
fn every_page_of_the_book_has_one_title() {
    let docs = root().join("docs");
    for path in pages().into_iter().filter(|p| p.starts_with(&docs) && !p.ends_with("SUMMARY.md")) {
        assert_eq!(read(&path).titles, 1, "{}", path.display());
    }
}
