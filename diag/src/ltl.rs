//! Temporal logic: converts formulas over the events of a script to state-machine tables
//!
//! A position of a run is an event of one of the formula's probes; `next` refers to the next of these. A formula is
//! violated by the first event after which it is false whatever follows. After that event it starts again.
//!
//! | formula | holds now, if |
//! | --- | --- |
//! | `always f`, `never f` | `f` holds from now on; never holds |
//! | `never f after g`, `never f before g` | `f` never holds after `g` has held; not before `g` holds |
//! | `next f` | `f` holds at the next event |
//! | `f until g` | `f` holds at each event up to the first at which `g` holds, which may never come |
//! | `once f`, `historically f` | `f` held at some event so far; at all events so far |
//! | `previous f` | there was an event before, and `f` held then |
//! | `f since g` | `g` held, and `f` at each event after that |
//!
//! The method is progression. The formula is rewritten with `!` only at its leaves. At each event it is split into what
//! must hold now and what must hold at the next event. A state is a set of alternatives, each a set of formulas that
//! must hold, together with the memory of the past operators. Equivalent states are merged.
//!
//! # Source
//! F. Bacchus, F. Kabanza, "Using temporal logics to express search control knowledge for planning", Artificial
//! Intelligence 116 (2000): progression. O. Kupferman, M. Vardi, "Model checking of safety properties" (2001): every
//! run that violates a formula of this form has a prefix that shows it.

use crate::formula::{Formula, Kind};
use crate::probe::Probe;
use crate::Mistake;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of states of a machine.
pub const MAX_STATES: usize = 16;
/// Maximum number of states before merging.
const MAX_UNMERGED_STATES: usize = 5000;
/// Maximum number of alternatives of a state.
const MAX_ALTERNATIVES: usize = 256;
/// Maximum number of operators of a formula.
const MAX_OPERATORS: usize = 60;

/// Next states by state and class; `None`: the formula is violated, and starts again.
pub type Steps = Vec<Vec<Option<u8>>>;

/// A formula with `!` only at its leaves; operands are indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// A formula about the present and past: its index in `Automaton::past`, and whether it is negated.
    Now(usize, bool),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Always(usize),
    Until(usize, usize),
}

/// A formula about the present and past.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Past {
    Is(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    /// From here on: operators with one bit of memory.
    Once(usize),
    Historically(usize),
    Previous(usize),
    Since(usize, usize),
}

/// Alternatives, each a set of formula indices. No alternative: it cannot hold; an empty alternative: nothing more is
/// required.
type Alternatives = BTreeSet<u64>;
/// Alternatives, and the memory of past operators.
type State = (Alternatives, u64);

struct Automaton<'a> {
    classes: &'a [String],
    nodes: Vec<Node>,
    past: Vec<Past>,
}

/// The classes of a formula, in the order of their position.
pub fn classes(f: &Formula) -> Vec<&Probe> {
    let mut all = Vec::new();
    f.probes(&mut |p| all.push(p));
    all.sort_by_key(|p| p.at);
    let mut found: Vec<&Probe> = Vec::new();
    for p in all {
        if !found.iter().any(|o| o.to_string() == p.to_string()) {
            found.push(p);
        }
    }
    found
}

/// Steps of a formula's machine; `classes` are its probes in textual form.
pub fn steps(f: &Formula, classes: &[String]) -> Result<Steps, Mistake> {
    let mut a = Automaton { classes, nodes: Vec::new(), past: Vec::new() };
    let root = a.node(f, false)?;
    if a.nodes.len().max(a.past.len()) > MAX_OPERATORS {
        return Err(Mistake::new(f.at, format!("`{f}` has more than {MAX_OPERATORS} operators")));
    }
    let memory = a.past.iter().enumerate().filter(|p| matches!(p.1, Past::Historically(_)));
    let first: State = (BTreeSet::from([1 << root]), memory.fold(0, |m, (n, _)| m | 1 << n));
    let mut number: HashMap<State, usize> = HashMap::from([(first.clone(), 0)]);
    let (mut states, mut table) = (vec![first], Vec::new());
    while let Some(state) = states.get(table.len()).cloned() {
        let mut row = Vec::new();
        for class in 0..classes.len() {
            let next = a.step(&state, class);
            if next.0.is_empty() {
                row.push(None);
                continue;
            }
            if next.0.len() > MAX_ALTERNATIVES || states.len() > MAX_UNMERGED_STATES {
                let what = format!("`{f}` needs more than {MAX_UNMERGED_STATES} states; a machine has {MAX_STATES}");
                return Err(Mistake::new(f.at, what));
            }
            let n = *number.entry(next.clone()).or_insert(states.len());
            if n == states.len() {
                states.push(next);
            }
            row.push(Some(n));
        }
        table.push(row);
    }
    let merged = merge(&table);
    if merged.len() > MAX_STATES {
        let what = format!("`{f}` needs {} states; a machine has {MAX_STATES}", merged.len());
        return Err(Mistake::new(f.at, what));
    }
    let byte = |row: &Vec<Option<usize>>| row.iter().map(|n| n.map(|n| n as u8)).collect();
    Ok(merged.iter().map(byte).collect())
}

/// Minimises the machine; its first state stays first.
fn merge(table: &[Vec<Option<usize>>]) -> Vec<Vec<Option<usize>>> {
    let mut group = vec![0; table.len()];
    let mut groups = 1;
    loop {
        let mut known = HashMap::new();
        let of = |s: usize| (group[s], table[s].iter().map(|n| n.map(|n| group[n])).collect::<Vec<_>>());
        let next: Vec<usize> = (0..table.len())
            .map(|s| {
                let n = known.len();
                *known.entry(of(s)).or_insert(n)
            })
            .collect();
        let found = known.len();
        group = next;
        if found == groups {
            break;
        }
        groups = found;
    }
    let first = |g: usize| group.iter().position(|x| *x == g).unwrap_or(0);
    (0..groups).map(|g| table[first(g)].iter().map(|n| n.map(|n| group[n])).collect()).collect()
}

impl Automaton<'_> {
    fn add(&mut self, node: Node) -> usize {
        self.nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn remember(&mut self, past: Past) -> usize {
        self.past.iter().position(|n| *n == past).unwrap_or_else(|| {
            self.past.push(past);
            self.past.len() - 1
        })
    }

    /// Converts a formula, or with `not` its negation.
    fn node(&mut self, f: &Formula, not: bool) -> Result<usize, Mistake> {
        if !f.has_future() {
            let past = self.past(f)?;
            return Ok(self.add(Node::Now(past, not)));
        }
        let never = |what: &str, right: &str| {
            let what = format!("`{what}` here requires a future event, which no unfinished run violates; {right}");
            Err(Mistake::new(f.at, what))
        };
        let node = match &f.kind {
            Kind::Not(a) => return self.node(a, !not),
            Kind::And(a, b) | Kind::Or(a, b) => {
                let (x, y) = (self.node(a, not)?, self.node(b, not)?);
                if matches!(f.kind, Kind::And(..)) != not {
                    Node::And(x, y)
                } else {
                    Node::Or(x, y)
                }
            }
            Kind::Implies(a, b) => {
                let (x, y) = (self.node(a, !not)?, self.node(b, not)?);
                if not {
                    Node::And(x, y)
                } else {
                    Node::Or(x, y)
                }
            }
            Kind::Next(a) => Node::Next(self.node(a, not)?),
            Kind::Always(a) if !not => Node::Always(self.node(a, false)?),
            Kind::Until(a, b) if !not => Node::Until(self.node(a, false)?, self.node(b, false)?),
            Kind::Always(_) => return never("always", "it may follow `->`, but not precede it or follow `!`"),
            Kind::Until(..) => return never("until", "it may follow `->`, but not precede it or follow `!`"),
            Kind::Once(_) | Kind::Historically(_) | Kind::Previous(_) | Kind::Since(..) => {
                let what = "an operator about the past holds one about the future; the other way round is possible";
                return Err(Mistake::new(f.at, what));
            }
            Kind::Probe(_) => return Err(Mistake::new(f.at, "a probe is about now")),
        };
        Ok(self.add(node))
    }

    fn past(&mut self, f: &Formula) -> Result<usize, Mistake> {
        let past = match &f.kind {
            Kind::Probe(p) => {
                let class = self.classes.iter().position(|c| *c == p.to_string());
                Past::Is(class.ok_or_else(|| Mistake::new(f.at, "this probe is none of the formula's"))?)
            }
            Kind::Not(a) => Past::Not(self.past(a)?),
            Kind::And(a, b) => Past::And(self.past(a)?, self.past(b)?),
            Kind::Or(a, b) => Past::Or(self.past(a)?, self.past(b)?),
            Kind::Implies(a, b) => {
                let a = self.past(a)?;
                let (a, b) = (self.remember(Past::Not(a)), self.past(b)?);
                Past::Or(a, b)
            }
            Kind::Once(a) => Past::Once(self.past(a)?),
            Kind::Historically(a) => Past::Historically(self.past(a)?),
            Kind::Previous(a) => Past::Previous(self.past(a)?),
            Kind::Since(a, b) => Past::Since(self.past(a)?, self.past(b)?),
            Kind::Next(_) | Kind::Always(_) | Kind::Until(..) => {
                return Err(Mistake::new(f.at, "this is about the future"))
            }
        };
        Ok(self.remember(past))
    }

    /// The state after an event of a class.
    fn step(&self, (alternatives, memory): &State, class: usize) -> State {
        // operands of past formulas precede them in the list
        let (mut now, mut next) = (vec![false; self.past.len()], 0);
        for (n, p) in self.past.iter().enumerate() {
            let before = memory >> n & 1 == 1;
            now[n] = match p {
                Past::Is(c) => *c == class,
                Past::Not(a) => !now[*a],
                Past::And(a, b) => now[*a] && now[*b],
                Past::Or(a, b) => now[*a] || now[*b],
                Past::Once(a) => before || now[*a],
                Past::Historically(a) => before && now[*a],
                Past::Previous(_) => before,
                Past::Since(a, b) => now[*b] || before && now[*a],
            };
            let kept = match p {
                Past::Previous(a) => now[*a],
                Past::Once(_) | Past::Historically(_) | Past::Since(..) => now[n],
                Past::Is(_) | Past::Not(_) | Past::And(..) | Past::Or(..) => false,
            };
            next |= u64::from(kept) << n;
        }
        let mut all = Alternatives::new();
        let mut known = BTreeMap::new();
        for alternative in alternatives {
            let members = (0..self.nodes.len()).filter(|n| alternative >> n & 1 == 1);
            let each = members.map(|n| self.progress(n, &now, &mut known));
            all.extend(each.fold(Alternatives::from([0]), |sum, w| both(&sum, &w)));
        }
        let all = minimal(&all);
        // if nothing more is required, the memory is not needed
        let next = if all.contains(&0) { 0 } else { next };
        (all, next)
    }

    /// What must hold at the next event, so that a formula holds now.
    fn progress(&self, n: usize, now: &[bool], known: &mut BTreeMap<usize, Alternatives>) -> Alternatives {
        if let Some(w) = known.get(&n) {
            return w.clone();
        }
        let later = |n: usize| Alternatives::from([1 << n]);
        let w = match &self.nodes[n] {
            Node::Now(p, not) if now[*p] != *not => Alternatives::from([0]),
            Node::Now(..) => Alternatives::new(),
            Node::And(a, b) => both(&self.progress(*a, now, known), &self.progress(*b, now, known)),
            Node::Or(a, b) => either(&self.progress(*a, now, known), &self.progress(*b, now, known)),
            Node::Next(a) => later(*a),
            Node::Always(a) => both(&self.progress(*a, now, known), &later(n)),
            Node::Until(a, b) => {
                either(&self.progress(*b, now, known), &both(&self.progress(*a, now, known), &later(n)))
            }
        };
        known.insert(n, w.clone());
        w
    }
}

fn either(a: &Alternatives, b: &Alternatives) -> Alternatives {
    minimal(&a.union(b).copied().collect())
}

fn both(a: &Alternatives, b: &Alternatives) -> Alternatives {
    minimal(&a.iter().flat_map(|x| b.iter().map(move |y| x | y)).collect())
}

/// Removes alternatives that are supersets of another.
fn minimal(w: &Alternatives) -> Alternatives {
    w.iter().filter(|x| !w.iter().any(|y| y != *x && y & *x == *y)).copied().collect()
}
