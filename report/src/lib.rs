//! Self-contained HTML pages with plots and tables, and SVG figures for papers
//!
//! A [`page::Page`] holds everything in one file: plotting library, style, scripts and data. It is built of
//! tables and [`figure::Figure`]s that are known when it is written, or of data and a script of one's own that
//! draws with the functions of `assets/page.js`. The same figures can be written as SVG.

pub mod figure;
pub mod markdown;
pub mod page;
mod svg;
pub mod trace;

/// Text for HTML: `&`, `<`, `>` and quotes are written as entities.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
