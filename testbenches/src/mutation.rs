//! Single changes of emitted Verilog, for judging a test bench by what it finds
//!
//! A mutant is the text with one change: an operator, a condition, a constant, an assignment that is left out, a register one bit
//! narrower. Ports, comments and memories stay as they are, and so do power-up values: a system is reset before it is used, and
//! [`without_power_up`] is the text without them, from which a bench has to pass as well. The list of a text is always the same; a
//! sample of it depends on the seed alone.
//!
//! A mutant is equivalent if no bench can find it, which is proved with Yosys ([`crate::equal`], [`crate::bounded`]). That nothing looks at a
//! constant ([`Mutant::unknown`]) is seen in simulation, and is no proof.

use std::fmt;

/// Kind of change that a mutant makes.
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
    /// Kind of change that a mutant makes.
    pub kind: Kind,
    /// The line, from 1.
    pub line: usize,
    /// The line as it is, and as it becomes.
    pub lines: (String, String),
}

impl Mutant {
    /// Where a register takes a constant in a clock, the same with an unknown value. A bench that takes no unknown bit for a right one passes
    /// only if nothing that it compares depends on the value; a condition takes an unknown bit as 0.
    pub fn unknown(&self) -> Option<Self> {
        let code = self.lines.0.trim();
        let (register, value) = code.split_once(" <= ")?;
        let (width, _) = value.strip_suffix(';')?.split_once('\'').filter(|_| self.kind == Kind::Constant)?;
        let plain = constant(value).is_some_and(|(len, _)| len + 1 == value.len()) && !register.contains(' ');
        let line = self.lines.0.replace(value, &format!("{width}'bx;"));
        plain.then(|| Self { lines: (self.lines.0.clone(), line), ..self.clone() })
    }

    /// Where a register takes a value in a clock, the same with the end of the simulation when it does so: whether a bench comes here.
    pub fn ending(&self) -> Option<Self> {
        let assigns = self.lines.0.contains(" <= ") && self.lines.0.ends_with(';');
        assigns.then(|| Self { lines: (self.lines.0.clone(), format!("{} $finish;", self.lines.0)), ..self.clone() })
    }

    /// Where a register or wire becomes narrower, its name and the bit that it loses.
    pub fn lost_bit(&self) -> Option<(&str, u32)> {
        let (_, rest) = self.lines.0.split_once('[').filter(|_| self.kind == Kind::Width)?;
        let (high, rest) = rest.split_once(":0]")?;
        Some((rest.trim().strip_suffix(';')?, high.parse().ok()?))
    }

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

/// The text without power-up values: without the `initial` blocks of its modules.
pub fn without_power_up(text: &str) -> String {
    let mut initial = false;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        initial |= line == "    initial begin";
        if !initial {
            out.push_str(line);
            out.push('\n');
        }
        initial &= line != "    end";
    }
    out
}

/// All changes of a text, in its order.
pub fn mutants(text: &str) -> Vec<Mutant> {
    let (mut all, mut body, mut initial) = (Vec::new(), false, false);
    for (i, line) in text.lines().enumerate() {
        let code = line.trim_start();
        initial |= code == "initial begin";
        // ports are declared before the first `);`
        match code {
            _ if code.starts_with("module ") => body = code.ends_with(");"),
            _ if code.starts_with("endmodule") => body = false,
            ");" => body = true,
            _ if initial => initial = line != "    end",
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
    fn power_up_values_are_left_out_and_stay() {
        let text =
            TEXT.replace("endmodule", "    initial begin\n        c = 8'h1;\n    end\n    assign d = c;\nendmodule");
        assert_eq!(without_power_up(&text), TEXT.replace("endmodule", "    assign d = c;\nendmodule"));
        assert_eq!(mutants(&text).len(), mutants(TEXT).len());
    }

    #[test]
    fn a_constant_that_a_register_takes_can_be_unknown() {
        let mutant = |line: &str| Mutant { kind: Kind::Constant, line: 1, lines: (line.into(), String::new()) };
        let unknown = |line: &str| mutant(line).unknown().map(|m| m.lines.1);
        assert_eq!(unknown("  a <= 4'd3;").as_deref(), Some("  a <= 4'bx;"));
        assert_eq!(unknown("  a <= 12'h3f;").as_deref(), Some("  a <= 12'bx;"));
        assert_eq!(unknown("  a <= b + 4'd3;"), None);
        assert_eq!(unknown("  assign a = 4'd3;"), None);
        let ending = |line: &str| mutant(line).ending().map(|m| m.lines.1);
        assert_eq!(ending("  a <= 4'd3;").as_deref(), Some("  a <= 4'd3; $finish;"));
    }

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
        assert_eq!((all[0].lost_bit(), all[1].lost_bit()), (Some(("c", 7)), None));
        assert!(all[0].apply(TEXT).contains("    reg [6:0] c;\n") && all[0].apply(TEXT).ends_with("endmodule\n"));
    }
}
