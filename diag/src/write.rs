//! Writes scripts as text; parsing the text gives the same script except for positions

use crate::syntax::{Binary, Expr, ExprKind, Item, Keyed, Query, Stmt, Summary, Unary};
use std::fmt::{self, Display, Formatter};

/// A list separated by commas.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, item) in self.0.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Unary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negate => "-",
            Self::Not => "!",
            Self::Invert => "~",
        })
    }
}

impl Display for Binary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::BitAnd => "&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        })
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::Stats => "stats",
            Self::Hist => "hist",
            Self::Quantiles => "quantiles",
            Self::Lhist(_) => "lhist",
        })
    }
}

/// A map entry.
fn map(f: &mut Formatter<'_>, name: &str, key: &[Expr]) -> fmt::Result {
    match key {
        [] => write!(f, "@{name}"),
        key => write!(f, "@{name}[{}]", List(key)),
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Number(n) => n.fmt(f),
            ExprKind::Field(name) => f.write_str(name),
            ExprKind::Address(name) => write!(f, "&{name}"),
            ExprKind::Map(Query::Value, name, key) => map(f, name, key),
            ExprKind::Map(Query::HasKey, name, key) => {
                f.write_str("has_key(")?;
                map(f, name, key)?;
                f.write_str(")")
            }
            ExprKind::Map(Query::Len, name, _) => write!(f, "len(@{name})"),
            // in parentheses, so that `a - -b` is not read as another operator, and `/` does not end a predicate
            ExprKind::Text(text) => quoted(f, text),
            ExprKind::Scratch(name) => write!(f, "${name}"),
            ExprKind::Cast(number, a) => {
                let sign = if number.signed { "" } else { "u" };
                write!(f, "(({sign}int{}) {a})", 8 * number.size)
            }
            ExprKind::Choose(all) => write!(f, "({} ? {} : {})", all[0], all[1], all[2]),
            ExprKind::Unary(op, a) => write!(f, "({op}{a})"),
            ExprKind::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
        }
    }
}

/// A text in quotation marks.
fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    write!(f, "\"{text}\"")
}

impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sum { map: name, key, summary, value, .. } => {
                map(f, name, key)?;
                write!(f, " = {summary}(")?;
                value.iter().try_for_each(|v| v.fmt(f))?;
                if let Summary::Lhist(l) = summary {
                    write!(f, ", {}, {}, {}", l.min, l.max, l.step)?;
                }
                f.write_str(");")
            }
            Self::Set { map: name, key, value, .. } => {
                map(f, name, key)?;
                write!(f, " = {value};")
            }
            Self::Printf { format, values, .. } => {
                f.write_str("printf(")?;
                quoted(f, format)?;
                values.iter().try_for_each(|v| write!(f, ", {v}"))?;
                f.write_str(");")
            }
            Self::Print { map, rows: Some(rows), .. } => write!(f, "print(@{map}, {rows});"),
            Self::Print { map, rows: None, .. } => write!(f, "print(@{map});"),
            Self::Clear { map, .. } => write!(f, "clear(@{map});"),
            Self::Increment { map: name, key, .. } => {
                map(f, name, key)?;
                f.write_str("++;")
            }
            Self::Delete { map: name, key, .. } => {
                f.write_str("delete(")?;
                map(f, name, key)?;
                f.write_str(");")
            }
            Self::Let { name, value, .. } => write!(f, "${name} = {value};"),
            Self::If { condition, then, other } => {
                write!(f, "if ({condition}) {{")?;
                then.iter().try_for_each(|s| write!(f, " {s}"))?;
                f.write_str(" }")?;
                if !other.is_empty() {
                    f.write_str(" else {")?;
                    other.iter().try_for_each(|s| write!(f, " {s}"))?;
                    f.write_str(" }")?;
                }
                Ok(())
            }
            Self::Exit => f.write_str("exit();"),
        }
    }
}

impl Display for Keyed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.probe.fmt(f)?;
        self.key.iter().try_for_each(|k| write!(f, "({k})"))
    }
}

/// ` by field`, if there is one instance per value of the field.
struct By<'a>(&'a Option<Expr>);

impl Display for By<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|key| write!(f, " by {key}"))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clause { probes, predicate, body } => {
                List(probes).fmt(f)?;
                predicate.iter().try_for_each(|p| write!(f, " /{p}/"))?;
                f.write_str(" {")?;
                body.iter().try_for_each(|s| write!(f, " {s}"))?;
                f.write_str(" }")
            }
            Self::Txn { name, open, close, .. } => write!(f, "txn {name} {{ open {open} close {close} }}"),
            Self::Span { name, from, to, .. } => write!(f, "span {name} {{ from {from} to {to} }}"),
            Self::Machine { name, by, states, .. } => {
                write!(f, "machine {name}{} {{", By(by))?;
                for state in states {
                    let steps: Vec<String> = state.steps.iter().map(|(p, _, to)| format!("{p} -> {to}")).collect();
                    write!(f, " {}: {};", state.name, List(&steps))?;
                }
                f.write_str(" }")
            }
            Self::Log { name, by, keep, freezes, trigger, .. } => {
                let word = if *freezes { "freeze" } else { "dump" };
                write!(f, "log {name}{} {{ keep {} {word} {trigger} }}", By(by), List(keep))
            }
            Self::Ltl { name, by, formula } => write!(f, "ltl {name}{} {{ {formula} }}", By(by)),
        }
    }
}
