//! A self-contained HTML page

use crate::escape;
use crate::figure::{Figure, COLOURS};
use serde::Serialize;
use std::io::{self, Write};

const PLOTLY: &str = include_str!("../assets/plotly-cartesian.min.js");
const SCRIPT: &str = include_str!("../assets/page.js");
const STYLE: &str = include_str!("../assets/page.css");

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Heading.
    pub title: String,
    /// Digits after the decimal point; `None` for text.
    pub digits: Option<u8>,
}

impl Column {
    /// A text column.
    pub fn words(title: &str) -> Self {
        Self { title: title.into(), digits: None }
    }

    /// A numeric column with this number of digits after the decimal point.
    pub fn numbers(title: &str, digits: u8) -> Self {
        Self { title: title.into(), digits: Some(digits) }
    }
}

/// A table that the reader can sort.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Identifier of its element in the page.
    pub id: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Cells: strings, numbers or null.
    pub rows: Vec<Vec<serde_json::Value>>,
}

/// An HTML page under construction.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    tail: String,
    /// Whether it has the plotting library.
    plots: bool,
    style: String,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Self { title: title.into(), body: String::new(), tail: String::new(), plots: true, style: String::new() }
    }

    /// An empty page without the plotting library, which is most of a page's size. It can have no [`Page::figure`].
    pub fn without_plots(title: &str) -> Self {
        Self { plots: false, ..Self::new(title) }
    }

    /// Adds rules to the style sheet.
    pub fn style(&mut self, rules: &str) -> &mut Self {
        self.style += rules;
        self
    }

    /// Appends a heading of a section.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.body += &format!("<h2>{}</h2>\n", escape(text));
        self
    }

    /// Appends a paragraph.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.body += &format!("<p>{}</p>\n", escape(text));
        self
    }

    /// Appends names and values: how the page was made.
    pub fn facts(&mut self, facts: &[(&str, String)]) -> &mut Self {
        self.body += "<dl class=\"facts\">\n";
        for (name, value) in facts {
            self.body += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
        }
        self.body += "</dl>\n";
        self
    }

    /// Appends raw HTML.
    pub fn raw(&mut self, html: &str) -> &mut Self {
        self.body += html;
        self
    }

    /// Appends an empty element for a script to draw in.
    pub fn place(&mut self, id: &str) -> &mut Self {
        self.body += &format!("<div id=\"{}\"></div>\n", escape(id));
        self
    }

    /// Appends a table.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        self.place(&table.id).data(&format!("{}-table", table.id), table);
        self.script(&format!("page.table(\"{0}\", page.data(\"{0}-table\"));", table.id))
    }

    /// Appends an interactive figure.
    pub fn figure(&mut self, figure: &Figure) -> &mut Self {
        self.place(&figure.id).data(&format!("{}-figure", figure.id), figure);
        self.script(&format!("page.figure(\"{0}\", page.data(\"{0}-figure\"));", figure.id))
    }

    /// Adds data for scripts, accessible as `page.data(id)`.
    pub fn data(&mut self, id: &str, value: &impl Serialize) -> &mut Self {
        // serialization of numbers, strings and maps with string keys cannot fail; `<` could end the element
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".into()).replace('<', "\\u003c");
        self.tail += &format!("<script type=\"application/json\" id=\"{}\">{json}</script>\n", escape(id));
        self
    }

    /// Adds a script that runs when the page is loaded.
    pub fn script(&mut self, code: &str) -> &mut Self {
        self.tail += &format!("<script>{code}</script>\n");
        self
    }

    /// Writes the page.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = escape(&self.title);
        let colours: Vec<String> = COLOURS.iter().map(|(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}")).collect();
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{}</style>\n{}</head>\n\
             <body>\n<main>\n<h1>{title}</h1>\n{}</main>\n<script>const COLOURS = {};\n{SCRIPT}</script>\n{}\
             </body>\n</html>\n",
            self.style,
            if self.plots { format!("<script>{PLOTLY}</script>\n") } else { String::new() },
            self.body,
            serde_json::json!(colours),
            self.tail,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_page_is_taken_for_markup_and_nothing_is_fetched() {
        let mut page = Page::new("a < b");
        page.text("<b>&").data("d", &"</script>").facts(&[("x", "\"y\"".into())]);
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("<title>a &lt; b</title>"));
        assert!(text.contains("<p>&lt;b&gt;&amp;</p>"));
        assert!(text.contains("<script type=\"application/json\" id=\"d\">\"\\u003c/script>\"</script>"));
        assert!(text.contains("<dt>x</dt><dd>&quot;y&quot;</dd>"));
        for fetched in ["<link", "src=\"http", "@import", "url(http"] {
            assert!(!text[..2000].contains(fetched) && !text[text.len() - 2000..].contains(fetched), "{fetched}");
        }
    }
}
