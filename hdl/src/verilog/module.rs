//! A module under construction: signals, registers, instances and statements

use super::value::{not, Id, Value};

/// The role of a signal in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Input,
    Output,
    Local,
    /// Drives input `.1` of instance `.0`.
    To(usize, usize),
    /// Is driven by output `.1` of instance `.0`.
    From(usize, usize),
    /// The next value of register `.0`.
    Next(usize),
    /// The value of register `.0`.
    Held(usize),
    /// Clock of register `.0`.
    ClockOf(usize),
}

pub(super) struct Signal {
    /// Its name in rust-hdl: `rvfi_valid$0`, `child$port`, `register$q`.
    pub key: String,
    pub width: usize,
    pub role: Role,
}

pub(super) struct Register {
    /// The field of the block.
    pub name: String,
    pub next: Id,
    pub held: Id,
    pub clock: Id,
    pub initial: u128,
}

/// A port of a finished module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Port {
    /// rust-hdl's name.
    pub key: String,
    /// Name in Verilog.
    pub name: String,
    pub output: bool,
    /// Width of rust-hdl's port.
    pub declared: usize,
    /// Width of the port: a memory needs only a part of the declared bits.
    pub width: usize,
}

/// A port of rust-hdl's module that the written module does not have.
#[derive(Clone, PartialEq)]
pub(super) struct RemovedPort {
    /// rust-hdl's name.
    pub key: String,
    pub width: usize,
    /// The constant value of an output, 0 if it is not needed; `None` for an input that is not read.
    pub output: Option<u128>,
}

/// A module as its parent instantiates it.
#[derive(Clone, PartialEq)]
pub(super) struct Child {
    /// Module name with parameters; `None` for a memory of 0 bits.
    pub module: Option<String>,
    pub ports: Vec<Port>,
    pub removed: Vec<RemovedPort>,
    /// Registers and memories in it: path in rust-hdl's text, and path here.
    pub renamed: Vec<(String, String)>,
}

/// An instance, and the signals at its ports.
pub(super) struct Instance {
    pub name: String,
    pub child: Child,
    pub signals: Vec<Id>,
}

#[derive(Default)]
pub(super) struct Module {
    pub signals: Vec<Signal>,
    pub registers: Vec<Register>,
    pub instances: Vec<Instance>,
    pub statements: Vec<Statement>,
}

impl Module {
    pub fn signal(&mut self, key: String, width: usize, role: Role) -> Id {
        self.signals.push(Signal { key, width, role });
        self.signals.len() - 1
    }
}

/// A statement of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    /// An assignment; `part` is its first bit and its width.
    Assign {
        to: Id,
        part: Option<(Value, usize)>,
        value: Value,
    },
    If {
        test: Value,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// Arms with their labels; an arm without a label is the default.
    Case {
        test: Value,
        arms: Vec<(Option<Value>, Vec<Statement>)>,
    },
}

use Statement::{Assign, Case, If};

impl Statement {
    /// Calls `f` for every signal that it assigns.
    pub fn writes(&self, f: &mut impl FnMut(Id)) {
        match self {
            Assign { to, .. } => f(*to),
            If { then, otherwise, .. } => then.iter().chain(otherwise).for_each(|s| s.writes(f)),
            Case { arms, .. } => arms.iter().flat_map(|a| &a.1).for_each(|s| s.writes(f)),
        }
    }

    /// Calls `f` for every value that it reads.
    pub fn values(&mut self, f: &mut impl FnMut(&mut Value)) {
        match self {
            Assign { part, value, .. } => {
                if let Some((at, _)) = part {
                    f(at);
                }
                f(value);
            }
            If { test, then, otherwise } => {
                f(test);
                then.iter_mut().chain(otherwise).for_each(|s| s.values(f));
            }
            Case { test, arms } => {
                f(test);
                arms.iter_mut().flat_map(|a| &mut a.1).for_each(|s| s.values(f));
            }
        }
    }

    /// Calls `f` for every signal that it reads.
    pub fn reads(&self, f: &mut impl FnMut(Id)) {
        match self {
            Assign { part, value, .. } => {
                if let Some((at, _)) = part {
                    at.signals(f);
                }
                value.signals(f);
            }
            If { test, then, otherwise } => {
                test.signals(f);
                then.iter().chain(otherwise).for_each(|s| s.reads(f));
            }
            Case { test, arms } => {
                test.signals(f);
                arms.iter().flat_map(|a| &a.1).for_each(|s| s.reads(f));
            }
        }
    }

    pub fn does_write(&self, signal: Id) -> bool {
        let any = |list: &[Self]| list.iter().any(|s| s.does_write(signal));
        match self {
            Assign { to, .. } => *to == signal,
            If { then, otherwise, .. } => any(then) || any(otherwise),
            Case { arms, .. } => arms.iter().any(|a| any(&a.1)),
        }
    }

    pub fn does_read(&self, signal: Id) -> bool {
        let any = |list: &[Self]| list.iter().any(|s| s.does_read(signal));
        match self {
            Assign { part, value, .. } => part.iter().any(|(at, _)| at.does_read(signal)) || value.does_read(signal),
            If { test, then, otherwise } => test.does_read(signal) || any(then) || any(otherwise),
            Case { test, arms } => test.does_read(signal) || arms.iter().any(|a| any(&a.1)),
        }
    }

    /// An unconditional assignment to the whole signal `.0`.
    pub fn plain(&self) -> Option<(Id, &Value)> {
        match self {
            Assign { to, part: None, value } => Some((*to, value)),
            _ => None,
        }
    }
}

/// The assignments in `list` that `keep` selects, with the statements around them.
pub(super) fn filtered(list: &[Statement], keep: &impl Fn(Id) -> bool) -> Vec<Statement> {
    let mut out = Vec::new();
    for s in list {
        match s {
            Assign { to, .. } if keep(*to) => out.push(s.clone()),
            Assign { .. } => {}
            If { test, then, otherwise } => {
                let (then, otherwise) = (filtered(then, keep), filtered(otherwise, keep));
                match (then.is_empty(), otherwise.is_empty()) {
                    (true, true) => {}
                    (true, false) => out.push(If { test: not(test.clone()), then: otherwise, otherwise: Vec::new() }),
                    _ => out.push(If { test: test.clone(), then, otherwise }),
                }
            }
            Case { test, arms } => {
                let arms: Vec<_> = arms.iter().map(|(l, list)| (l.clone(), filtered(list, keep))).collect();
                if arms.iter().any(|a| !a.1.is_empty()) {
                    out.push(Case { test: test.clone(), arms });
                }
            }
        }
    }
    out
}
