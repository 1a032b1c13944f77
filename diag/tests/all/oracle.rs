//! An oracle for random scripts, which shares no code with `diag`: what a script prints about a list of events
//!
//! A script is made of a few kinds of parts on four points of the program. Their meaning is written here once more, on the
//! complete list of events in the order of time.

use sim::stimulus::Source;
use std::collections::BTreeMap;

/// Addresses of the points.
pub const POINTS: [u64; 4] = [4096, 8192, 12288, 16384];

/// An event: a core reaches a point, with two arguments.
#[derive(Clone, Copy, Debug)]
pub struct Happened {
    pub time: u64,
    pub core: u8,
    pub point: usize,
    pub args: [u32; 2],
}

/// A key: the core or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Core,
    Arg(usize),
}

impl By {
    fn of(self, e: &Happened) -> i64 {
        match self {
            Self::Core => e.core.into(),
            Self::Arg(n) => e.args[n].into(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Core => "core".into(),
            Self::Arg(n) => format!("arg{n}"),
        }
    }

    fn random(s: &mut Source) -> Self {
        *s.pick(&[Self::Core, Self::Arg(0), Self::Arg(1)])
    }
}

/// A part of a script.
#[derive(Clone, Debug)]
pub enum Part {
    /// Races of transactions by intruder and owner.
    Txn { open: usize, close: usize },
    /// Violations of a machine of two states by state and step, or by key, too; `next[state][class]`.
    Machine { by: Option<By>, points: [usize; 2], next: [[Option<usize>; 2]; 2] },
    /// Durations by key.
    Span { from: usize, to: usize, by: By },
    /// Distribution of durations by key.
    Hist { from: usize, to: usize, by: By },
    /// The last events before one, as text.
    Log { keep: [usize; 2], dump: usize, by: Option<By> },
    /// Each duration, as text.
    Lines { from: usize, to: usize, by: By },
    /// `always (a -> next b)`.
    Ltl { a: usize, b: usize },
    /// Numbers of events.
    Count { point: usize, by: By, above: Option<u32> },
    /// The last argument.
    Last { point: usize },
    /// Number of events whose argument is not that of the last one.
    Changes { point: usize },
    /// Events since the last tick.
    Rate { point: usize },
}

/// Rows of a table: numbers by key.
pub type Rows = BTreeMap<Vec<i64>, Vec<i64>>;

/// What is expected of a part.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Tables, in order.
    pub tables: Vec<Rows>,
    /// Texts, in order.
    pub lines: Vec<String>,
    /// Texts that are true, but are printed only if others are missing.
    pub other_lines: Vec<String>,
}

pub const TICK: u64 = 1000;
/// Events that a log keeps.
const LOG: usize = 32;

/// Least value of a duration's bucket: powers of two, each in four parts.
fn bucket(clocks: u64) -> i64 {
    let least = |b: u64| if b < 4 { b } else { (4 + b % 4) << (b / 4 - 1) };
    (0..).map(least).take_while(|v| *v <= clocks).last().unwrap_or(0) as i64
}

impl Part {
    /// A random part.
    pub fn random(s: &mut Source) -> Self {
        let [a, b] = [s.below(4) as usize, s.below(3) as usize];
        // another point
        let b = (a + 1 + b) % 4;
        let by = By::random(s);
        match s.below(11) {
            0 => Self::Txn { open: a, close: b },
            1 => {
                let mut step = || if s.percent(60) { Some(s.below(2) as usize) } else { None };
                let next = [[step(), step()], [step(), step()]];
                Self::Machine { by: s.percent(60).then_some(by), points: [a, b], next }
            }
            2 => Self::Span { from: a, to: b, by },
            3 => Self::Lines { from: a, to: b, by },
            4 => Self::Ltl { a, b },
            5 => Self::Count { point: a, by, above: s.percent(50).then_some(1) },
            6 => Self::Last { point: a },
            7 => Self::Changes { point: a },
            8 => Self::Hist { from: a, to: b, by },
            9 => {
                let points: Vec<usize> = (0..4).filter(|p| *p != a).collect();
                let skipped = s.below(3) as usize;
                let keep = [points[skipped], points[(skipped + 1) % 3]];
                Self::Log { keep, dump: a, by: s.percent(50).then_some(by) }
            }
            _ => Self::Rate { point: a },
        }
    }

    /// Its text, with names that end in `n`.
    pub fn text(&self, n: usize) -> String {
        let p = |point: &usize| format!("call:{}", POINTS[*point]);
        match self {
            Self::Txn { open, close } => format!(
                "txn x{n} {{ open {}(arg0) close {}(arg0) }} violation:x{n} {{ @t{n}[key, owner] = count(); }}\n",
                p(open),
                p(close)
            ),
            Self::Machine { by, points, next } => {
                let of = by.map_or(String::new(), |by| format!(" by {}", by.text()));
                let state = |state: usize| {
                    let step = |class: usize| next[state][class].map(|to| format!("{} -> s{to}", p(&points[class])));
                    let steps: Vec<String> = [0, 1].into_iter().filter_map(step).collect();
                    format!("s{state}: {};", steps.join(", "))
                };
                let key = if by.is_some() { "key, " } else { "" };
                format!(
                    "machine x{n}{of} {{ {} {} }} violation:x{n} {{ @t{n}[{key}state] = count(); }}\n",
                    state(0),
                    state(1)
                )
            }
            Self::Span { from, to, by } => {
                let by = by.text();
                format!(
                    "span x{n} {{ from {}({by}) to {}({by}) }} span:x{n} {{ @t{n}[key] = stats(elapsed); }}\n",
                    p(from),
                    p(to)
                )
            }
            Self::Hist { from, to, by } => {
                let by = by.text();
                format!(
                    "span x{n} {{ from {}({by}) to {}({by}) }} span:x{n} {{ @t{n}[key] = hist(elapsed); }}\n",
                    p(from),
                    p(to)
                )
            }
            Self::Log { keep: [first, second], dump, by } => format!(
                "log x{n}{} {{ keep {}, {} dump {} }} log:x{n} {{ printf(\"{n}: %d %d %d\", step, core, time); }}\n",
                by.map_or(String::new(), |by| format!(" by {}", by.text())),
                p(first),
                p(second),
                p(dump)
            ),
            Self::Lines { from, to, by } => {
                let by = by.text();
                format!(
                    "span x{n} {{ from {}({by}) to {}({by}) }} \
                     span:x{n} {{ printf(\"{n}: %d %d %d %d\", time, core, key, elapsed); }}\n",
                    p(from),
                    p(to)
                )
            }
            Self::Ltl { a, b } => {
                format!("ltl x{n} {{ always ({} -> next {}) }} violation:x{n} {{ @t{n} = count(); }}\n", p(a), p(b))
            }
            Self::Count { point, by, above } => {
                let predicate = above.map_or(String::new(), |a| format!("/arg1 > {a}/ "));
                format!("{} {predicate}{{ @t{n}[{}] = count(); }}\n", p(point), by.text())
            }
            Self::Last { point } => format!("{} {{ @t{n} = arg0; }} end {{ print(@t{n}); }}\n", p(point)),
            Self::Changes { point } => {
                format!("{0} /@l{n} != arg0/ {{ @t{n} = count(); }} {0} {{ @l{n} = arg0; }}\n", p(point))
            }
            Self::Rate { point } => format!(
                "{} {{ @t{n}[core] = count(); }} tick:{TICK}cycles {{ print(@t{n}); clear(@t{n}); }}\n",
                p(point)
            ),
        }
    }

    /// What it prints about events in the order of time, the last one at `end`.
    pub fn expected(&self, n: usize, events: &[Happened], end: u64) -> Expected {
        let mut rows = Rows::new();
        let mut found = Expected::default();
        let mut count = |key: Vec<i64>| rows.entry(key).or_insert_with(|| vec![0])[0] += 1;
        match *self {
            Self::Txn { open, close } => {
                let mut owner: Option<i64> = None;
                let mut last = 0;
                for e in events.iter().filter(|e| e.point == open || e.point == close) {
                    let key = i64::from(e.args[0]);
                    if e.point == open {
                        if owner.is_some_and(|o| o != key) {
                            count(vec![key, last]);
                        }
                        (owner, last) = (Some(key), key);
                    } else if owner == Some(key) {
                        owner = None;
                    } else {
                        count(vec![key, last]);
                    }
                }
            }
            Self::Machine { by, points, next } => {
                let mut states: BTreeMap<i64, usize> = BTreeMap::new();
                // a probe that no state takes is none of the machine's
                let used = |class: usize| next.iter().any(|row| row[class].is_some());
                for e in events {
                    let Some(class) = (0..2).find(|c| points[*c] == e.point && used(*c)) else { continue };
                    let key = by.map_or(0, |by| by.of(e));
                    let state = states.entry(key).or_default();
                    match next[*state][class] {
                        Some(to) => *state = to,
                        None if by.is_some() => count(vec![key, *state as i64]),
                        None => count(vec![*state as i64]),
                    }
                }
            }
            Self::Log { keep, dump, by } => {
                let mut kept: BTreeMap<i64, Vec<String>> = BTreeMap::new();
                for e in events {
                    let Some(step) = [keep[0], keep[1], dump].iter().position(|p| *p == e.point) else { continue };
                    let line = format!("{n}: {step} {} {}", e.core, e.time);
                    found.other_lines.push(line.clone());
                    let last = kept.entry(by.map_or(0, |by| by.of(e))).or_default();
                    last.push(line);
                    if e.point == dump {
                        found.lines.extend(last.drain(..).rev().take(LOG).collect::<Vec<_>>().into_iter().rev());
                    }
                }
            }
            Self::Span { from, to, by } | Self::Hist { from, to, by } | Self::Lines { from, to, by } => {
                let mut open: BTreeMap<i64, u64> = BTreeMap::new();
                for e in events {
                    let key = by.of(e);
                    if e.point == from {
                        open.insert(key, e.time);
                    } else if e.point == to {
                        let Some(since) = open.remove(&key) else { continue };
                        // events of cores with separate clocks may have times in another order
                        let clocks = e.time.saturating_sub(since) as i64;
                        if matches!(self, Self::Lines { .. }) {
                            found.lines.push(format!("{n}: {} {} {key} {clocks}", e.time, e.core));
                            continue;
                        }
                        if matches!(self, Self::Hist { .. }) {
                            rows.entry(vec![key, bucket(clocks as u64)]).or_insert_with(|| vec![0])[0] += 1;
                            continue;
                        }
                        let row = rows.entry(vec![key]).or_insert_with(|| vec![0, 0, i64::MAX, 0]);
                        *row = vec![row[0] + 1, row[1] + clocks, row[2].min(clocks), row[3].max(clocks)];
                    }
                }
            }
            Self::Ltl { a, b } => {
                let mut waits = false;
                for e in events.iter().filter(|e| e.point == a || e.point == b) {
                    if waits && e.point == a {
                        count(vec![]);
                        waits = false;
                    } else {
                        waits = e.point == a;
                    }
                }
            }
            Self::Count { point, by, above } => {
                for e in events.iter().filter(|e| e.point == point && above.is_none_or(|a| e.args[1] > a)) {
                    count(vec![by.of(e)]);
                }
            }
            Self::Last { point } => {
                if let Some(e) = events.iter().rev().find(|e| e.point == point) {
                    rows.insert(vec![], vec![e.args[0].into()]);
                }
            }
            Self::Changes { point } => {
                let mut last = 0;
                for e in events.iter().filter(|e| e.point == point) {
                    if e.args[0] != last {
                        count(vec![]);
                    }
                    last = e.args[0];
                }
            }
            Self::Rate { point } => {
                for tick in 1..=end / TICK {
                    let mut period = Rows::new();
                    let inside = (tick - 1) * TICK..tick * TICK;
                    for e in events.iter().filter(|e| e.point == point && inside.contains(&e.time)) {
                        period.entry(vec![e.core.into()]).or_insert_with(|| vec![0])[0] += 1;
                    }
                    found.tables.push(period);
                }
                return found;
            }
        }
        if !matches!(self, Self::Lines { .. } | Self::Log { .. }) {
            found.tables.push(rows);
        }
        found
    }
}
