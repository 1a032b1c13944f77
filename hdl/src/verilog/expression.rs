//! Prints values and statements

use super::module::Statement;
use super::names::Names;
use super::value::{Op, Reduce, Test, Value};

/// Precedence of an operator; a lower one inside a higher one needs parentheses.
fn strength(v: &Value) -> u8 {
    match v {
        Value::Number { .. } | Value::Named { .. } | Value::Slice { .. } | Value::Element { .. } => 12,
        Value::Concat(_) | Value::Low(..) => 12,
        Value::Not(_) | Value::Negative(_) | Value::Reduce(..) => 11,
        Value::Binary(op, ..) => match op {
            Op::Mul => 10,
            Op::Add | Op::Sub => 9,
            Op::And => 5,
            Op::Xor => 4,
            Op::Or => 3,
        },
        Value::Shift { .. } => 8,
        Value::Test(test, ..) => match test {
            Test::Lt | Test::Le | Test::Gt | Test::Ge => 7,
            Test::Eq | Test::Ne => 6,
            Test::Both => 2,
            Test::Either => 1,
        },
    }
}

/// A number as `8'h3f`; small ones in decimal.
pub(super) fn number(value: u128, width: usize) -> String {
    if value < 10 || width == 1 {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

impl Names {
    fn inner(&self, v: &Value, outer: &Value) -> String {
        let text = self.value(v);
        // no parentheses for the same associative operator; otherwise for lower or similar precedence
        let same =
            matches!((v, outer), (Value::Binary(a, ..), Value::Binary(b, ..)) if a == b && !matches!(a, Op::Sub));
        if same || strength(v) > 11 || matches!(v, Value::Not(_) | Value::Negative(_)) {
            text
        } else {
            format!("({text})")
        }
    }

    pub fn value(&self, v: &Value) -> String {
        match v {
            Value::Number { value, width } => number(*value, *width),
            Value::Named { name, .. } => self.constants.get(name).cloned().unwrap_or_default(),
            Value::Slice { signal, of, low, width } => {
                let name = self.signal(*signal);
                match (*low, *width) {
                    (0, w) if w == *of => name.to_string(),
                    (l, 1) => format!("{name}[{l}]"),
                    (l, w) => format!("{name}[{}:{l}]", l + w - 1),
                }
            }
            Value::Element { signal, at, width, .. } => {
                let (name, at) = (self.signal(*signal), self.value(at));
                if *width == 1 {
                    format!("{name}[{at}]")
                } else {
                    format!("{name}[{at} +: {width}]")
                }
            }
            Value::Concat(parts) => {
                format!("{{{}}}", parts.iter().map(|p| self.value(p)).collect::<Vec<_>>().join(", "))
            }
            Value::Not(x) if x.width() == 1 => format!("!{}", self.inner(x, v)),
            Value::Not(x) => format!("~{}", self.inner(x, v)),
            Value::Negative(x) => format!("-{}", self.inner(x, v)),
            Value::Reduce(how, x) => {
                let sign = match how {
                    Reduce::All => '&',
                    Reduce::Any => '|',
                    Reduce::Odd => '^',
                };
                format!("{sign}{}", self.inner_of_reduction(x))
            }
            Value::Binary(op, a, b) => {
                let sign = match op {
                    Op::And => "&",
                    Op::Or => "|",
                    Op::Xor => "^",
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Mul => "*",
                };
                // a difference or sum on the right keeps its parentheses
                let right = match **b {
                    Value::Binary(Op::Add | Op::Sub, ..) => format!("({})", self.value(b)),
                    _ => self.inner(b, v),
                };
                format!("{} {sign} {right}", self.inner(a, v))
            }
            Value::Test(test, a, b) => {
                let sign = match test {
                    Test::Eq => "==",
                    Test::Ne => "!=",
                    Test::Lt => "<",
                    Test::Le => "<=",
                    Test::Gt => ">",
                    Test::Ge => ">=",
                    Test::Both => "&&",
                    Test::Either => "||",
                };
                format!("{} {sign} {}", self.inner(a, v), self.inner(b, v))
            }
            Value::Shift { left, value, by } => {
                let sign = if *left { "<<" } else { ">>" };
                format!("{} {sign} {}", self.inner(value, v), self.inner(by, v))
            }
            // refused earlier
            Value::Low(x, _) => self.value(x),
        }
    }

    /// The operand of a reduction, in parentheses if it begins with an operator: two operators in a row would be read
    /// as one.
    fn inner_of_reduction(&self, v: &Value) -> String {
        match v {
            Value::Slice { .. } | Value::Concat(_) | Value::Element { .. } => self.value(v),
            _ => format!("({})", self.value(v)),
        }
    }

    pub fn signal(&self, id: usize) -> &str {
        self.signals.get(&id).map_or("", String::as_str)
    }

    /// `list`, indented by `depth`; `sign` is `=` or `<=`, and `target` names the signal that is assigned.
    pub fn statements(&self, list: &[Statement], depth: usize, sign: &str, target: &dyn Fn(usize) -> String) -> String {
        let mut out = String::new();
        for s in list {
            self.statement(s, depth, sign, target, &mut out);
        }
        out
    }

    fn statement(&self, s: &Statement, depth: usize, sign: &str, target: &dyn Fn(usize) -> String, out: &mut String) {
        let pad = "    ".repeat(depth);
        match s {
            Statement::Assign { to, part, value } => {
                let part = match part {
                    None => String::new(),
                    Some((at, 1)) => format!("[{}]", self.place(at)),
                    Some((at, width)) => match at.constant() {
                        Some(low) => format!("[{}:{low}]", low + *width as u128 - 1),
                        None => format!("[{} +: {width}]", self.value(at)),
                    },
                };
                out.push_str(&format!("{pad}{}{part} {sign} {};\n", target(*to), self.value(value)));
            }
            Statement::If { test, then, otherwise } => {
                out.push_str(&format!("{pad}if ({}) begin\n", self.value(test)));
                out.push_str(&self.statements(then, depth + 1, sign, target));
                let mut rest = otherwise.as_slice();
                while let [Statement::If { test, then, otherwise }] = rest {
                    out.push_str(&format!("{pad}end else if ({}) begin\n", self.value(test)));
                    out.push_str(&self.statements(then, depth + 1, sign, target));
                    rest = otherwise;
                }
                if !rest.is_empty() {
                    out.push_str(&format!("{pad}end else begin\n"));
                    out.push_str(&self.statements(rest, depth + 1, sign, target));
                }
                out.push_str(&format!("{pad}end\n"));
            }
            Statement::Case { test, arms } => {
                out.push_str(&format!("{pad}case ({})\n", self.value(test)));
                for (label, list) in arms {
                    let label = label.as_ref().map_or("default".into(), |l| self.value(l));
                    if list.is_empty() {
                        out.push_str(&format!("{pad}    {label}: ;\n"));
                        continue;
                    }
                    out.push_str(&format!("{pad}    {label}: begin\n"));
                    out.push_str(&self.statements(list, depth + 2, sign, target));
                    out.push_str(&format!("{pad}    end\n"));
                }
                out.push_str(&format!("{pad}endcase\n"));
            }
        }
    }

    fn place(&self, at: &Value) -> String {
        at.constant().map_or_else(|| self.value(at), |c| c.to_string())
    }
}
