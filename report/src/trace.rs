//! The page of a trace: flame graph, functions, source or disassembly, and a timeline
//!
//! The page holds the data in one object; `assets/trace.js` draws it. Times and counts are exact where the data are; what was thinned
//! or left out is stated on the page.

use crate::page::Page;
use serde::Serialize;

const SCRIPTS: [&str; 5] = [
    include_str!("../assets/trace/start.js"),
    include_str!("../assets/trace/flame.js"),
    include_str!("../assets/trace/functions.js"),
    include_str!("../assets/trace/code.js"),
    include_str!("../assets/trace/timeline.js"),
];
const STYLE: &str = include_str!("../assets/trace/trace.css");

/// A tree of stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Flame {
    /// Parent, which precedes the node, or -1; function; own instructions, and those of omitted nodes.
    pub nodes: Vec<(i64, u32, u64, u64)>,
    /// Number of nodes that were left out.
    pub omitted: u64,
}

/// Instruction counts of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Instructions of the function itself.
    pub own: u64,
    /// Instructions including called functions.
    pub total: u64,
    /// File of the source, by number, and line.
    pub source: Option<(u32, u32)>,
    /// Number of its listing.
    pub listing: Option<u32>,
}

/// Parts of a total: found, and executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Lines with code, and those that were executed.
    pub lines: (u64, u64),
    /// Outcomes of conditional branches, and those that occurred.
    pub branches: (u64, u64),
    /// Functions, and those that were executed.
    pub functions: (u64, u64),
}

/// A source file of a page, with the counts of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Path, as the compiler was given it.
    pub path: String,
    /// Its totals.
    pub parts: Parts,
    /// Lines with code: number, executions, and of each branch how often it was not taken and taken.
    pub lines: Vec<(u32, u64, Vec<[u64; 2]>)>,
    /// Its text, if it is at hand.
    pub text: Option<String>,
}

/// The disassembly of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The function.
    pub name: String,
    /// Address in hexadecimal, instruction, executions, and of a branch how often it was not taken and taken.
    pub code: Vec<(String, String, u64, Option<[u64; 2]>)>,
}

/// Spans of a row, flat: distance from the end of the span before, length, name, number of calls.
pub type Spans = Vec<u64>;

/// A core on the time axis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Core {
    /// Functions, by depth.
    pub rows: Vec<Spans>,
    /// Tasks or stacks; empty if there is only one.
    pub tasks: Spans,
    /// Traps; names are causes.
    pub traps: Spans,
    /// Gaps; names are lost instructions, 0 where unknown.
    pub gaps: Spans,
}

/// Functions of all cores over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// What the axis counts.
    pub axis: String,
    /// Length of the axis.
    pub length: u64,
    /// Shorter calls are merged.
    pub width: u64,
    /// Maximum depth.
    pub depth: usize,
    /// Names of functions, by number.
    pub names: Vec<String>,
    /// Names of tasks or stacks, by number.
    pub tasks: Vec<String>,
    /// Causes of traps: number in spans, name, count.
    pub causes: Vec<(u32, String, u64)>,
    /// Number in spans from which on causes are interrupts.
    pub interrupt: u32,
    /// The trace ends early, in damage.
    pub damaged: bool,
    /// Cores.
    pub cores: Vec<Core>,
    /// The page is served, and asks for [`Level`]s.
    pub served: bool,
}

/// What a server has of a range of the time axis, with fewer merged calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Shorter calls are merged.
    pub width: u64,
    /// Cores.
    pub cores: Vec<Core>,
}

/// The data of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Instructions, of all cores.
    pub instructions: u64,
    /// Stacks.
    pub flame: Flame,
    /// Names of functions in the tree, by number.
    pub names: Vec<String>,
    /// Functions, by own instructions.
    pub functions: Vec<Function>,
    /// Source files.
    pub sources: Vec<Source>,
    /// Totals of all files; `None` if the program has no line tables.
    pub parts: Option<Parts>,
    /// Functions without source.
    pub listings: Vec<Listing>,
    /// Cores over time.
    pub timeline: Timeline,
}

/// The page of a trace. `facts`: how it was made; `missing`: what the trace lacks; `thinned`: what the page does not show.
pub fn page(title: &str, facts: &[(&str, String)], missing: &[String], thinned: &[String], trace: &Trace) -> Page {
    let mut page = Page::without_plots(title);
    page.style(STYLE);
    if !missing.is_empty() {
        page.raw("<div class=\"missing\" role=\"alert\"><strong>The trace is incomplete.</strong>\n");
        missing.iter().for_each(|text| {
            page.text(text);
        });
        page.raw("</div>\n");
    }
    page.raw("<details class=\"facts\"><summary>How this page was made</summary>\n").facts(facts);
    thinned.iter().for_each(|text| {
        page.text(text);
    });
    page.raw("</details>\n<nav aria-label=\"Sections\" id=\"sections\"></nav>\n");
    for (id, heading) in
        [("timeline", "Timeline"), ("flame", "Flame graph"), ("functions", "Functions"), ("code", "Source")]
    {
        page.raw(&format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{heading}</h2>\n"
        ));
        page.place(&format!("{id}-body")).raw("</section>\n");
    }
    page.data("trace", trace);
    for script in SCRIPTS {
        page.script(script);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(missing: &[String]) -> String {
        let mut out = Vec::new();
        let trace = Trace { names: vec!["</script>".into()], ..Trace::default() };
        page("t", &[("a", "b".into())], missing, &["c < d".into()], &trace).write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_page_has_no_plotting_library_and_names_are_not_markup() {
        let text = text(&[]);
        assert!(text.len() < 200_000, "{}", text.len());
        assert!(text.contains("\\u003c/script>") && text.contains("c &lt; d"));
        assert!(!text.contains("role=\"alert\""));
    }

    #[test]
    fn what_is_missing_comes_first() {
        let text = text(&["lost <3> instructions".into()]);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}"));
        assert!(at("role=\"alert\"") < at("lost &lt;3&gt; instructions"));
        assert!(at("lost &lt;3&gt; instructions") < at("How this page was made"));
    }
}
