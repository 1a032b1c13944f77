//! The lint against the tools: random expressions that pass it have the same value in Verilog
//!
//! Expressions are built as the kernel macro builds them, evaluated as rust-hdl does (everything wraps at its width),
//! emitted by rust-hdl and run in Verilator.

use fpga::cosim::{Cosim, Interface};
use hdl::LogicBlock;
use rust_hdl::core::ast::{VerilogExpression as V, VerilogOp, VerilogOpUnary, VerilogStatement};
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use testbenches::lint::lint;

/// An expression of the kernel language; the width of `Lit` depends on its context.
#[derive(Clone, Debug)]
enum Expr {
    Sig(&'static str),
    Lit(u32),
    Bin(Box<Expr>, &'static str, Box<Expr>),
    Not(Box<Expr>),
    Reduce(&'static str, Box<Expr>),
    Cast(Box<Expr>, u32),
    Select(&'static str, Box<Expr>),
    Slice(&'static str, u32, u32),
    Replace(Box<Expr>, Box<Expr>, Box<Expr>),
}
use Expr::*;

/// Inputs by width; `c` is a single bit.
const SIGNALS: [(&str, u32); 7] = [("a", 8), ("b", 8), ("d", 16), ("e", 16), ("n", 3), ("c", 1), ("f", 1)];

fn width_of(name: &str) -> u32 {
    SIGNALS.iter().find(|s| s.0 == name).unwrap().1
}

fn signal(s: &mut Source, width: u32) -> Expr {
    let fit: Vec<_> = SIGNALS.iter().filter(|x| x.1 == width).collect();
    Sig(s.pick(&fit).0)
}

fn one_of(s: &mut Source, names: &[&'static str]) -> &'static str {
    names[s.below(names.len() as u64) as usize]
}

/// A random expression of `width` bits (1, 3, 8 or 16).
fn random(s: &mut Source, width: u32, depth: u32) -> Expr {
    if depth == 0 || s.percent(15) {
        return signal(s, width);
    }
    let sub = |s: &mut Source, w| Box::new(random(s, w, depth - 1));
    let value = |s: &mut Source, w: u32| if s.percent(30) { Box::new(Lit(s.bits(w) as u32)) } else { sub(s, w) };
    if width == 1 {
        return match s.below(6) {
            0 | 1 => {
                let w = *s.pick(&[3, 8, 16]);
                let op = one_of(s, &["==", "!=", "<", "<=", ">", ">="]);
                Bin(sub(s, w), op, value(s, w))
            }
            2 => Bin(sub(s, 1), one_of(s, &["&", "|", "^", "&&", "||", "=="]), sub(s, 1)),
            3 => Not(sub(s, 1)),
            4 => Reduce(one_of(s, &["any", "all", "xor"]), Box::new(reduced(s, depth))),
            _ => Select(one_of(s, &["a", "b"]), sub(s, 3)),
        };
    }
    match s.below(8) {
        0..=2 => Bin(sub(s, width), one_of(s, &["+", "-", "&", "|", "^"]), value(s, width)),
        3 => Not(sub(s, width)),
        4 => {
            let amount = if s.percent(50) { Lit(s.below(width.into()) as u32) } else { *sub(s, 3) };
            Bin(sub(s, width), one_of(s, &["<<", ">>"]), Box::new(amount))
        }
        5 => {
            let from = *s.pick(&[1, 3, 8, 16]);
            Cast(sub(s, from), width)
        }
        6 if width == 3 => Slice("d", 3, s.below(14) as u32),
        6 => Replace(sub(s, width), sub(s, 3), sub(s, 1)),
        _ => Bin(sub(s, width), "+", sub(s, 1)),
    }
}

/// The operand of a reduction, which is never a bare comparison.
fn reduced(s: &mut Source, depth: u32) -> Expr {
    let w = *s.pick(&[3, 8, 16]);
    random(s, w, depth - 1)
}

impl Expr {
    fn width(&self) -> Option<u32> {
        Some(match self {
            Sig(n) => width_of(n),
            Lit(_) => return None,
            Bin(l, "+" | "-" | "&" | "|" | "^" | "<<" | ">>", _) => return l.width(),
            Not(x) | Replace(x, ..) => return x.width(),
            Bin(..) | Reduce(..) | Select(..) => 1,
            Cast(_, w) | Slice(_, w, _) => *w,
        })
    }

    /// Evaluates it as rust-hdl's simulator does.
    fn eval(&self, env: &dyn Fn(&str) -> u64) -> u64 {
        let w = self.width().unwrap_or(32);
        let raw = match self {
            Sig(n) => env(n),
            Lit(v) => (*v).into(),
            Bin(l, op, r) => {
                let (x, y) = (l.eval(env), r.eval(env));
                match *op {
                    "+" => x.wrapping_add(y),
                    "-" => x.wrapping_sub(y),
                    "&" | "&&" => x & y,
                    "|" | "||" => x | y,
                    "^" => x ^ y,
                    "<<" => x << y,
                    ">>" => x >> y,
                    "==" => (x == y).into(),
                    "!=" => (x != y).into(),
                    "<" => (x < y).into(),
                    "<=" => (x <= y).into(),
                    ">" => (x > y).into(),
                    _ => (x >= y).into(),
                }
            }
            Not(x) => !x.eval(env),
            Reduce(op, x) => {
                let (v, w) = (x.eval(env), x.width().unwrap_or(32));
                match *op {
                    "any" => (v != 0).into(),
                    "all" => (v == (1 << w) - 1).into(),
                    _ => u64::from(v.count_ones() & 1),
                }
            }
            Cast(x, _) => x.eval(env),
            Select(n, i) => env(n) >> i.eval(env),
            Slice(n, _, offset) => env(n) >> offset,
            Replace(x, i, v) => {
                let i = i.eval(env);
                x.eval(env) & !(1 << i) | v.eval(env) << i
            }
        };
        raw & ((1 << w) - 1)
    }

    /// Precedence in Rust.
    fn strength(&self) -> u32 {
        match self {
            Bin(_, op, _) => match *op {
                "+" | "-" => 6,
                "<<" | ">>" => 5,
                "&" => 4,
                "^" => 3,
                "|" => 2,
                "&&" => 0,
                "||" => 0,
                _ => 1,
            },
            _ => 9,
        }
    }

    /// The tree that the kernel macro builds, with only the parentheses that Rust needs.
    fn tree(&self) -> V {
        let paren = |x: &Expr, need: bool| {
            let t = x.tree();
            Box::new(if need { V::Paren(Box::new(t)) } else { t })
        };
        let literal = |v: u32| Box::new(V::Literal((v as i32).into()));
        match self {
            Sig(n) => V::Signal((*n).into()),
            Lit(v) => *literal(*v),
            Bin(l, op, r) => {
                let mine = self.strength();
                // nested comparisons and `&& ||` are always parenthesised, as Rust or clippy requires
                let left = paren(l, l.strength() < mine || (mine <= 1 && l.strength() <= 1));
                let right = paren(r, r.strength() <= mine);
                V::Binary(left, verilog_op(op), right)
            }
            Not(x) => V::Unary(VerilogOpUnary::Not, paren(x, x.strength() < 9)),
            Reduce(op, x) => {
                let op = match *op {
                    "any" => VerilogOpUnary::Any,
                    "all" => VerilogOpUnary::All,
                    _ => VerilogOpUnary::Xor,
                };
                V::Unary(op, paren(x, x.strength() < 9 || matches!(**x, Not(_))))
            }
            Cast(x, w) => V::Cast(paren(x, false), *w as usize),
            Select(n, i) => V::Index(Box::new(V::Signal((*n).into())), paren(i, i.strength() < 9)),
            Slice(n, w, offset) => V::Slice(Box::new(V::Signal((*n).into())), *w as usize, literal(*offset)),
            Replace(x, i, v) => V::IndexReplace(paren(x, x.strength() < 9), paren(i, false), paren(v, false)),
        }
    }
}

fn verilog_op(op: &str) -> VerilogOp {
    match op {
        "+" => VerilogOp::Add,
        "-" => VerilogOp::Sub,
        "&" => VerilogOp::BitAnd,
        "|" => VerilogOp::BitOr,
        "^" => VerilogOp::BitXor,
        "<<" => VerilogOp::Shl,
        ">>" => VerilogOp::Shr,
        "==" => VerilogOp::Eq,
        "!=" => VerilogOp::Ne,
        "<" => VerilogOp::Lt,
        "<=" => VerilogOp::Le,
        ">" => VerilogOp::Gt,
        ">=" => VerilogOp::Ge,
        "&&" => VerilogOp::LogicalAnd,
        _ => VerilogOp::LogicalOr,
    }
}

/// A block whose kernel assigns each expression to the output of its width.
#[derive(LogicBlock, Default)]
struct Fuzz {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub d: Signal<In, Bits<16>>,
    pub e: Signal<In, Bits<16>>,
    pub n: Signal<In, Bits<3>>,
    pub c: Signal<In, Bit>,
    pub f: Signal<In, Bit>,
    pub x1: Vec<Signal<Out, Bit>>,
    pub x8: Vec<Signal<Out, Bits<8>>>,
    pub x16: Vec<Signal<Out, Bits<16>>>,
    _exprs: Vec<(u32, V)>,
}

impl Fuzz {
    fn new(exprs: &[(u32, Expr)]) -> Self {
        let mut f = Self::default();
        for (width, e) in exprs {
            match width {
                1 => f.x1.push(Default::default()),
                8 => f.x8.push(Default::default()),
                _ => f.x16.push(Default::default()),
            }
            f._exprs.push((*width, e.tree()));
        }
        f.connect_all();
        f
    }
}

impl Logic for Fuzz {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.x1.iter_mut().for_each(Signal::connect);
        self.x8.iter_mut().for_each(Signal::connect);
        self.x16.iter_mut().for_each(Signal::connect);
    }
    fn hdl(&self) -> Verilog {
        let mut counts = std::collections::BTreeMap::new();
        let assign = |(width, e): &(u32, V)| {
            let n = counts.entry(*width).or_insert(0);
            *n += 1;
            VerilogStatement::Assignment(V::Signal(format!("x{width}[{}]$next", *n - 1)), e.clone())
        };
        Verilog::Combinatorial(self._exprs.iter().map(assign).collect())
    }
}

#[test]
fn what_the_lint_passes_means_the_same_in_verilog() {
    let mut s = Source::seeded(2026);
    let (mut clean, mut flagged) = (Vec::new(), Vec::new());
    while clean.len() < 600 || flagged.len() < 300 {
        let width = *s.pick(&[1, 8, 16]);
        let e = random(&mut s, width, 4);
        let list = if lint(&Fuzz::new(&[(width, e.clone())])).is_empty() { &mut clean } else { &mut flagged };
        list.push((width, e));
    }
    flagged.truncate(300);
    let wrong = |exprs: &[(u32, Expr)], s: &mut Source| -> Vec<String> {
        let block = Fuzz::new(exprs);
        let cosim = Cosim::build(&generate_verilog_unchecked(&block), &Interface::of(&block)).unwrap();
        // outputs are ordered by width: order the expressions likewise
        let mut order: Vec<&(u32, Expr)> = exprs.iter().collect();
        order.sort_by_key(|e| e.0);
        let inputs: Vec<Vec<u128>> =
            (0..400).map(|_| cosim.inputs().iter().map(|p| s.wide(p.width.into())).collect()).collect();
        let outputs = cosim.run_all(&inputs).unwrap();
        let differs = |i: usize, e: &Expr| {
            inputs.iter().zip(&outputs).any(|(input, output)| {
                let env = |n: &str| input[SIGNALS.iter().position(|s| s.0 == n).unwrap()] as u64;
                u128::from(e.eval(&env)) != output[i]
            })
        };
        let bad = order.iter().enumerate().filter(|(i, (_, e))| differs(*i, e));
        bad.map(|(_, (w, e))| format!("{w} bits: {e:?}")).collect()
    };
    let missed = wrong(&clean, &mut s);
    assert!(missed.is_empty(), "{} of {} that pass are wrong, among them {}", missed.len(), clean.len(), missed[0]);
    let found = wrong(&flagged, &mut s).len();
    assert!(found > 100, "only {found} of {} flagged expressions are wrong", flagged.len());
}
