//! Lint for constructs that simulate correctly in rust-hdl but emit wrong Verilog
//!
//! rust-hdl simulates the Rust code and emits a separate text as Verilog. Rust wraps at N bits; Verilog evaluates in
//! the width of the widest operand, and rust-hdl emits most literals with 32 bits. This lint walks the syntax tree that
//! `hdl()` returns for every block of a hierarchy and finds places where the two can differ, or where the Verilog will
//! not compile.
//!
//! The coding rule that avoids findings: assign the result of `+ - << !` directly to a `.next`, or pass it through a
//! `bit_cast` of its own width; make a named signal of everything that is sliced, compared with a literal, widened,
//! shifted right or reduced.
//!
//! [`inclusive_ranges`] scans sources for `..=`, which leaves no trace in the tree.

mod expression;
mod hierarchy;
mod names;
mod source;

pub use source::{inclusive_ranges, scan_text};

use rust_hdl::core::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogExpression, VerilogStatement,
};
use rust_hdl::prelude::Block;
use std::fmt;

/// The rule that a finding breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The result of `+ - << !` meets a wider operand in a comparison.
    Compared,
    /// It is widened by a cast or by a wider operand of a sum.
    Widened,
    /// It is shifted right: bits that should have wrapped shift back in.
    ShiftedRight,
    /// It is a shift amount or an index, not wrapped.
    Amount,
    /// It is reduced (`.all()`, `.any()`, `.xor()`), or a reduction sees a wide literal.
    Reduced,
    /// It is the value of `replace_bit`: it overwrites the bits above.
    Replaced,
    /// `a & b == c` without parentheses: `&` binds tighter than `==` in Rust, looser in Verilog.
    Precedence,
    /// Bit select of an expression: not Verilog.
    SelectOfExpression,
    /// Bit select of a one-bit signal: not Verilog.
    SelectOfBit,
    /// The emitted module does not declare this name.
    Undeclared,
    /// An array index after the first is not translated.
    SecondIndex,
    /// A loop variable has the name of a signal, which is replaced by a number.
    Captured,
    /// The name is a keyword of Verilog or SystemVerilog, or not a simple identifier.
    Keyword,
    /// Two enums of one name with different variants.
    EnumTwice,
    /// `..=`: the emitted loop lacks its last iteration.
    InclusiveRange,
}

impl Rule {
    fn text(self) -> &'static str {
        match self {
            Self::Compared => "unwrapped result of + - << ! is compared with something wider; name it first",
            Self::Widened => "unwrapped result of + - << ! is widened; name it first",
            Self::ShiftedRight => "unwrapped result of + - << ! is shifted right; name it first",
            Self::Amount => "unwrapped result of + - << ! is a shift amount or an index; name it first",
            Self::Reduced => "reduction of an expression that is wider in Verilog; name it first",
            Self::Replaced => "replace_bit with an unwrapped value clobbers the bits above; name it first",
            Self::Precedence => "& ^ | bind tighter than a comparison in Rust, looser in Verilog; add parentheses",
            Self::SelectOfExpression => "bit select of an expression; name it first",
            Self::SelectOfBit => "bit select of a one-bit signal; use .into()",
            Self::Undeclared => "name that the module does not declare; use a signal or a Constant field",
            Self::SecondIndex => "only the first array index is translated; flatten the array",
            Self::Captured => "loop variable with the name of a signal; rename it",
            Self::Keyword => "keyword of Verilog or SystemVerilog, or no plain identifier; rename it",
            Self::EnumTwice => "two enums of this name with different variants; rename one",
            Self::InclusiveRange => "`..=` in an hdl_gen function loses its last round; use `..`",
        }
    }
}

/// A finding of the lint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Module path as emitted (`top$fifo`), or file and line.
    pub place: String,
    /// The rule that is broken.
    pub rule: Rule,
    /// The expression or name, as Verilog.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.place, self.what, self.rule.text())
    }
}

/// All findings in `block` and everything below it, sorted; empty if there are none.
///
/// The block must be connected (`connect_all`), as for emission.
pub fn lint(block: &dyn Block) -> Vec<Finding> {
    let modules = hierarchy::modules(block);
    let mut findings = names::check(&modules);
    for (path, module) in &modules {
        if let Verilog::Combinatorial(code) = &module.code {
            let mut linter = Linter { module, path, loops: Vec::new(), findings: &mut findings };
            linter.block(code);
        }
    }
    findings.sort();
    findings.dedup();
    findings
}

/// Checks the statements of one module.
struct Linter<'a> {
    module: &'a hierarchy::Module,
    path: &'a str,
    /// Current loop variables, outermost first.
    loops: Vec<String>,
    findings: &'a mut Vec<Finding>,
}

impl Linter<'_> {
    fn report(&mut self, rule: Rule, what: impl fmt::Display) {
        self.findings.push(Finding { place: self.path.into(), rule, what: what.to_string() });
    }

    fn block(&mut self, block: &VerilogBlock) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(left, right) => {
                self.expression(left);
                self.expression(right);
            }
            VerilogStatement::SliceAssignment { base, offset, replacement, .. } => {
                self.expression(base);
                self.amount(offset);
                self.expression(replacement);
            }
            VerilogStatement::If(c) => {
                self.expression(&c.test);
                self.block(&c.then);
                match &c.otherwise {
                    VerilogBlockOrConditional::Block(b) => self.block(b),
                    VerilogBlockOrConditional::Conditional(s) => self.statement(s),
                    VerilogBlockOrConditional::None => {}
                }
            }
            VerilogStatement::Match(m) => self.matching(&m.test, &m.cases),
            // a loop without iterations is not emitted, so the names in it need not exist
            VerilogStatement::Loop(l) if l.from.as_usize() >= l.to.as_usize() => {}
            VerilogStatement::Loop(l) => {
                if self.module.declares(&l.index) {
                    self.report(Rule::Captured, &l.index);
                }
                self.loops.push(l.index.clone());
                self.block(&l.block);
                self.loops.pop();
            }
            VerilogStatement::Macro(b) => self.block(b),
            VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
        }
    }

    fn matching(&mut self, test: &VerilogExpression, cases: &[VerilogCase]) {
        self.expression(test);
        let numbered = cases.iter().any(|c| c.condition.starts_with(|d: char| d.is_ascii_digit()));
        // a number in a case label is 32 bits wide
        if numbered && self.dirty(test) {
            self.report(Rule::Compared, expression::text(test));
        }
        for case in cases {
            if case.condition != "default" {
                self.name(&case.condition);
            }
            self.block(&case.block);
        }
    }
}
