//! Self-contained HTML pages with plots and tables, and SVG figures for papers
//!
//! A [`page::Page`] holds everything in one file: plotting library, style, scripts and data. It is built of
//! tables and [`figure::Figure`]s that are known when it is written, or of data and a script of the caller that
//! draws with the functions of `assets/page.js`. The same figures can be written as SVG.
//!
//! # Example
//! A page with a table that the reader can sort.
//! ```
//! use report::page::{Column, Page, Table};
//!
//! # fn main() -> std::io::Result<()> {
//! let mut page = Page::without_plots("Cycles");
//! page.heading("By program").table(&Table {
//!     id: "cycles".into(),
//!     columns: vec![Column::words("program"), Column::numbers("cycles", 0)],
//!     rows: vec![vec!["fft".into(), 4_088_522.into()], vec!["vm".into(), 1_309.into()]],
//! });
//! let mut html = Vec::new();
//! page.write(&mut html)?;
//! assert!(String::from_utf8_lossy(&html).contains("<h2>By program</h2>"));
//! # Ok(())
//! # }
//! ```

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
