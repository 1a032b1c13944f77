//! Single changes of emitted Verilog, for judging a test bench by what it finds
//!
//! A mutant is the text with one change: an operator, a condition, a constant, an assignment that is left out, a register one bit
//! narrower. Ports, comments and memories stay as they are. The list of a text is always the same; a sample of it depends on
//! the seed alone.

use std::fmt;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `&` and `|`, `==` and `!=`, `+` and `-`, `<` and `<=` for each other.
    Operator,
    /// A condition is negated.
    Condition,
    /// A negation is left out.
    Negation,
    /// A constant is one more.
    Constant,
    /// A register keeps its value instead of taking a new one.
    Assignment,
    /// A register or wire is one bit narrower.
    Width,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operator => "operator",
            Self::Condition => "condition",
            Self::Negation => "negation",
            Self::Constant => "constant",
            Self::Assignment => "assignment",
            Self::Width => "width",
        })
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is changed.
    pub kind: Kind,
    /// The line, from 1.
    pub line: usize,
    /// The line as it is, and as it becomes.
    pub lines: (String, String),
}

impl Mutant {
    /// The text with the change.
    pub fn apply(&self, text: &str) -> String {
        let changed = |(i, line)| if i + 1 == self.line { self.lines.1.as_str() } else { line };
        text.lines().enumerate().map(changed).flat_map(|line| [line, "\n"]).collect()
    }
}

const OPERATORS: [(&str, &str); 8] = [
    (" & ", " | "),
    (" | ", " & "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" < ", " <= "),
    (" > ", " >= "),
];

/// The constant `2'd3` that begins `text`: its length, and the text of one more, which wraps.
fn constant(text: &str) -> Option<(usize, String)> {
    let (width, rest) = text.split_once('\'')?;
    let bits: u32 = width.parse().ok().filter(|bits| (1..=64).contains(bits))?;
    let (radix, letter) = match rest.chars().next()? {
        'd' => (10, 'd'),
        'h' => (16, 'h'),
        _ => return None,
    };
    let digits: String = rest[1..].chars().take_while(|c| c.is_digit(radix)).collect();
    let value = u64::from_str_radix(&digits, radix).ok()?;
    let more = value.wrapping_add(1) & (u64::MAX >> (64 - bits));
    let more = if radix == 10 { more.to_string() } else { format!("{more:x}") };
    Some((width.len() + 2 + digits.len(), format!("{width}'{letter}{more}")))
}

/// The changes of a line of a module's body.
fn of_line(line: &str) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let code = line.trim_start();
    let declares = ["reg ", "wire "].iter().any(|w| code.starts_with(w));
    let at = |i: usize, len: usize, new: &str| format!("{}{new}{}", &line[..i], &line[i + len..]);
    if declares && !code.contains(" [0:") {
        let width = code.split_once('[').and_then(|(_, rest)| rest.split_once(":0]"));
        if let Some(high) = width.and_then(|(high, _)| high.parse::<u32>().ok()).filter(|high| *high > 0) {
            found.push((Kind::Width, line.replacen(&format!("[{high}:0]"), &format!("[{}:0]", high - 1), 1)));
        }
    }
    for (old, new) in OPERATORS {
        found.extend(line.match_indices(old).map(|(i, _)| (Kind::Operator, at(i, old.len(), new))));
    }
    for (i, _) in line.match_indices('!') {
        if !line[i..].starts_with("!=") {
            found.push((Kind::Negation, at(i, 1, "")));
        }
    }
    if let Some((before, rest)) = line.split_once("if (") {
        if let Some(condition) = rest.strip_suffix(") begin") {
            found.push((Kind::Condition, format!("{before}if (!({condition})) begin")));
        }
    }
    if code.contains(" <= ") && code.ends_with(';') && !code.contains('(') {
        found.push((Kind::Assignment, format!("{};", &line[..line.len() - code.len()])));
    }
    for (i, _) in line.match_indices('\'') {
        let start = line[..i].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |s| s + 1);
        if let Some((len, more)) = constant(&line[start..]) {
            found.push((Kind::Constant, at(start, len, &more)));
        }
    }
    found
}

/// All changes of a text, in its order.
pub fn mutants(text: &str) -> Vec<Mutant> {
    let (mut all, mut body) = (Vec::new(), false);
    for (i, line) in text.lines().enumerate() {
        let code = line.trim_start();
        // ports are declared before the first `);`
        match code {
            _ if code.starts_with("module ") => body = code.ends_with(");"),
            _ if code.starts_with("endmodule") => body = false,
            ");" => body = true,
            _ if body && !code.starts_with("//") && !code.starts_with('.') => {
                let of = |(kind, new)| Mutant { kind, line: i + 1, lines: (line.into(), new) };
                all.extend(of_line(line).into_iter().map(of).filter(|m| m.lines.0 != m.lines.1));
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module m (\n    input wire [3:0] a,\n    output wire b\n);\n    reg [7:0] c;\n    assign b = a == 4'd15 & !c[0];\n    \
                        always @(posedge clock) begin\n        if (b) begin\n            c <= 8'hff;\n        end\n    end\nendmodule\n";

    #[test]
    fn changes_are_those_of_the_body() {
        let all = mutants(TEXT);
        let said: Vec<String> = all.iter().map(|m| format!("{} {} {}", m.line, m.kind, m.lines.1.trim())).collect();
        assert_eq!(
            said,
            [
                "5 width reg [6:0] c;",
                "6 operator assign b = a == 4'd15 | !c[0];",
                "6 operator assign b = a != 4'd15 & !c[0];",
                "6 negation assign b = a == 4'd15 & c[0];",
                "6 constant assign b = a == 4'd0 & !c[0];",
                "8 condition if (!(b)) begin",
                "9 assignment ;",
                "9 constant c <= 8'h0;",
            ]
        );
        assert!(all[0].apply(TEXT).contains("    reg [6:0] c;\n") && all[0].apply(TEXT).ends_with("endmodule\n"));
    }
}
