//! Arranges the statements of a kernel the way a person would write them
//!
//! A kernel is a single list of statements, executed from the top for every change of an input. Here, a signal that is
//! assigned once becomes a port connection or an `assign`, statements that only feed a register move to its clock edge,
//! and the rest is split into `always` blocks that share no signal. Every reader still sees the same value, that of the
//! end of the list; otherwise reader and writer stay in one block.

use super::module::{filtered, Module, Role, Statement};
use super::numbers::numbers;
use super::refused::Unsupported;
use super::value::{Id, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The statements of a module, arranged.
#[derive(Default)]
pub(super) struct Arranged {
    /// Values connected directly to ports of instances, in place of the signal.
    pub connected: BTreeMap<Id, Value>,
    /// Continuous assignments.
    pub assigns: Vec<(Id, Value)>,
    /// Combinational `always` blocks.
    pub blocks: Vec<Vec<Statement>>,
    /// By clock: assignments to its registers, in order.
    pub edges: BTreeMap<Id, Vec<Statement>>,
    /// Registers in use, by number.
    pub registers: BTreeSet<usize>,
    /// Signals in use.
    pub live: BTreeSet<Id>,
    /// Outputs of instances that are not read.
    pub unread: BTreeSet<Id>,
}

/// Arranges the statements of `module`.
pub(super) fn arrange(module: &mut Module) -> Result<Arranged, Unsupported> {
    let mut out = Arranged::default();
    let mut list = std::mem::take(&mut module.statements);
    while numbers(module, &mut list) {
        overwritten(&mut list);
    }
    forward(module, &mut list);
    chained(&mut list);
    overwritten(&mut list);
    while numbers(module, &mut list) {
        overwritten(&mut list);
    }
    connect(module, &mut list, &mut out);
    live(module, &mut list, &mut out)?;
    place(module, list, &mut out)?;
    Ok(out)
}

fn writers(list: &[Statement], signal: Id) -> Vec<usize> {
    list.iter().enumerate().filter(|(_, s)| s.does_write(signal)).map(|(i, _)| i).collect()
}

fn replace(list: &mut [Statement], signal: Id, by: &Value) {
    for s in list {
        s.values(&mut |v| {
            v.each(&mut |v| {
                if v.signal() == Some(signal) {
                    *v = by.clone();
                }
            });
        });
    }
}

/// Whether `signal` is read in part or at a computed index, and so needs a name of its own.
fn read_in_part(list: &mut [Statement], signal: Id) -> bool {
    let mut found = false;
    for s in list {
        s.values(&mut |v| {
            v.each(&mut |v| match v {
                Value::Slice { signal: s, of, width, .. } if of != width => found |= *s == signal,
                Value::Element { signal: s, .. } => found |= *s == signal,
                _ => {}
            });
        });
    }
    found
}

/// A local that carries one signal after another: its readers read these signals directly.
fn forward(module: &Module, list: &mut [Statement]) {
    let writes = Writes::new(module, list);
    let several = |s: &Id| module.signals[*s].role == Role::Local && writes.count(*s) > 1;
    for signal in (0..module.signals.len()).filter(several) {
        let at = writers(list, signal);
        let copies: Vec<Id> = at.iter().filter_map(|i| list[*i].plain()?.1.signal()).collect();
        let stay = |(i, from): (&usize, &Id)| !list[i + 1..].iter().any(|s| s.does_write(*from));
        if copies.len() < at.len() || !at.iter().zip(&copies).all(stay) || read_in_part(list, signal) {
            continue;
        }
        for (n, from) in copies.iter().enumerate() {
            let end = at.get(n + 1).copied().map_or(list.len(), |e| e + 1);
            replace(&mut list[at[n] + 1..end], signal, &Value::whole(*from, module.signals[*from].width));
        }
    }
}

/// Merges a value into the next assignment to the same signal, which builds upon it.
fn chained(list: &mut [Statement]) {
    for i in 0..list.len() {
        let Some((to, value)) = list[i].plain().map(|(to, v)| (to, v.clone())) else { continue };
        let Some(n) = list[i + 1..].iter().position(|s| s.does_write(to)) else { continue };
        let next = i + 1 + n;
        let mut stays = list[next].plain().is_some() && list[next].does_read(to);
        value.signals(&mut |r| stays &= r != to && !list[i + 1..next].iter().any(|s| s.does_write(r)));
        if stays && !read_in_part(&mut list[next..=next], to) {
            replace(&mut list[next..=next], to, &value);
            list[next].values(&mut |v| *v = std::mem::replace(v, Value::number(0, 1)).again());
        }
    }
}

/// Removes assignments that are overwritten before they are read.
fn overwritten(list: &mut Vec<Statement>) {
    /// What comes next for a signal, seen from a statement.
    #[derive(Clone, Copy, PartialEq)]
    enum Next {
        End,
        Read,
        Overwritten,
    }
    fn at(next: &mut Vec<Next>, id: Id) -> &mut Next {
        if next.len() <= id {
            next.resize(id + 1, Next::End);
        }
        &mut next[id]
    }
    let mut next = Vec::new();
    let mut keep = vec![true; list.len()];
    for (s, keep) in list.iter().zip(&mut keep).rev() {
        if let Some((to, _)) = s.plain() {
            *keep = std::mem::replace(at(&mut next, to), Next::Overwritten) != Next::Overwritten;
        }
        s.reads(&mut |id| *at(&mut next, id) = Next::Read);
    }
    let mut keep = keep.into_iter();
    list.retain(|_| keep.next() != Some(false));
}

/// Where signals are written in a list of statements.
struct Writes {
    /// By signal: the number of statements that write it, and the index of the last one.
    of: Vec<(usize, usize)>,
}

impl Writes {
    fn new(module: &Module, list: &[Statement]) -> Self {
        let mut of = vec![(0, 0); module.signals.len()];
        for (i, s) in list.iter().enumerate() {
            s.writes(&mut |id| {
                let (count, last) = &mut of[id];
                if *count == 0 || *last != i {
                    (*count, *last) = (*count + 1, i);
                }
            });
        }
        Self { of }
    }

    fn count(&self, id: Id) -> usize {
        self.of[id].0
    }

    /// Whether a statement after the one with index `i` writes the signal.
    fn after(&self, i: usize, id: Id) -> bool {
        let (count, last) = self.of[id];
        count > 0 && last > i
    }
}

/// Whether `list[i]` can stand on its own: nothing else assigns to its signal, and what it reads is not written later.
fn standalone<'a>(list: &'a [Statement], writes: &Writes, i: usize) -> Option<(Id, &'a Value)> {
    let (to, value) = list[i].plain()?;
    let mut free = writes.count(to) == 1;
    value.signals(&mut |s| free &= s != to && !writes.after(i, s));
    free.then_some((to, value))
}

/// Turns copies to and from instances into port connections.
fn connect(module: &mut Module, list: &mut Vec<Statement>, out: &mut Arranged) {
    let mut i = 0;
    let mut writes = Writes::new(module, list);
    while i < list.len() {
        let found = standalone(list, &writes, i).map(|(to, value)| (to, value.clone()));
        let Some((to, value)) = found else {
            i += 1;
            continue;
        };
        let role = module.signals[to].role;
        if matches!(role, Role::To(..) | Role::ClockOf(_)) {
            let read = list.iter().any(|s| s.does_read(to)) || out.connected.values().any(|v| v.does_read(to));
            let done = match &value {
                Value::Slice { .. } if value.signal().is_some() => true,
                Value::Slice { .. } | Value::Number { .. } | Value::Named { .. } => !read,
                _ => false,
            };
            if done {
                if let Some(from) = value.signal() {
                    rename(list, to, from);
                    out.connected.values_mut().for_each(|v| renamed(v, to, from));
                }
                out.connected.insert(to, value);
                list.remove(i);
                writes = Writes::new(module, list);
                continue;
            }
        }
        // an output that copies an instance's output: the instance drives it directly; if there are several, the first
        if let (Role::Output, Some(from)) = (role, value.signal()) {
            if matches!(module.signals[from].role, Role::From(..)) && !out.connected.contains_key(&from) {
                rename(list, from, to);
                out.connected.values_mut().for_each(|v| renamed(v, from, to));
                out.connected.insert(from, Value::whole(to, module.signals[to].width));
                list.remove(i);
                writes = Writes::new(module, list);
                continue;
            }
        }
        i += 1;
    }
}

fn renamed(v: &mut Value, old: Id, new: Id) {
    v.each(&mut |v| match v {
        Value::Slice { signal, .. } | Value::Element { signal, .. } if *signal == old => *signal = new,
        _ => {}
    });
}

fn rename(list: &mut [Statement], old: Id, new: Id) {
    list.iter_mut().for_each(|s| s.values(&mut |v| renamed(v, old, new)));
}

/// Finds the signals that outputs and instances depend on, and removes the rest.
fn live(module: &Module, list: &mut Vec<Statement>, out: &mut Arranged) -> Result<(), Unsupported> {
    let mut open: Vec<Id> = Vec::new();
    for (id, signal) in module.signals.iter().enumerate() {
        match signal.role {
            Role::Output => open.push(id),
            Role::To(..) => match out.connected.get(&id) {
                Some(value) => value.signals(&mut |s| open.push(s)),
                None => open.push(id),
            },
            _ => {}
        }
    }
    while let Some(id) = open.pop() {
        if !out.live.insert(id) {
            continue;
        }
        if let Role::Held(r) = module.signals[id].role {
            out.registers.insert(r);
            let register = &module.registers[r];
            open.push(register.next);
            match out.connected.get(&register.clock).and_then(Value::signal) {
                Some(clock) => open.push(clock),
                None => return Err(Unsupported(format!("the clock of {} is not a plain signal", register.name))),
            }
        }
        for s in list.iter().filter(|s| s.does_write(id)) {
            filtered(std::slice::from_ref(s), &|to| to == id).iter().for_each(|s| s.reads(&mut |r| open.push(r)));
        }
    }
    *list = filtered(list, &|to| out.live.contains(&to));
    for (id, signal) in module.signals.iter().enumerate() {
        if matches!(signal.role, Role::From(..)) && !out.connected.contains_key(&id) && out.live.insert(id) {
            out.unread.insert(id);
        }
    }
    Ok(())
}

/// Moves statements to `assign`, to clock edges or to `always` blocks.
fn place(module: &Module, list: Vec<Statement>, out: &mut Arranged) -> Result<(), Unsupported> {
    let register_of = |id: Id| match module.signals[id].role {
        Role::Next(r) => Some(r),
        _ => None,
    };
    let connected: BTreeSet<Id> = out.connected.values().filter_map(Value::signal).collect();
    let read = |id: Id| connected.contains(&id) || list.iter().any(|s| s.does_read(id));
    let free: BTreeSet<Id> = (0..module.signals.len()).filter(|id| register_of(*id).is_some() && !read(*id)).collect();

    // statements that can stand on their own
    let mut rest: Vec<Statement> = Vec::new();
    let mut edges: Vec<(usize, Vec<Statement>)> = Vec::new();
    let writes = Writes::new(module, &list);
    let singles: Vec<bool> = (0..list.len()).map(|i| standalone(&list, &writes, i).is_some()).collect();
    for (single, s) in singles.into_iter().zip(list) {
        match s.plain().map(|(to, value)| (to, value.clone())) {
            Some((to, _)) if single && free.contains(&to) => edges.push((rest.len(), vec![s])),
            Some((to, value)) if single => out.assigns.push((to, value)),
            _ => rest.push(s),
        }
    }
    let rest: Vec<Statement> = rest.into_iter().flat_map(|s| split_registers(s, &free)).collect();

    let mut groups = Groups::new(rest.len());
    for (i, s) in rest.iter().enumerate() {
        s.writes(&mut |w| {
            rest[..i].iter().enumerate().filter(|(_, o)| o.does_write(w)).for_each(|(j, _)| groups.join(i, j))
        });
        s.reads(&mut |r| {
            rest.iter().enumerate().skip(i + 1).filter(|(_, o)| o.does_write(r)).for_each(|(j, _)| groups.join(i, j));
        });
    }
    // next values that stay in combinational blocks, because they read a signal that changes within the block
    let mut among: BTreeSet<Id> = BTreeSet::new();
    for members in groups.all() {
        let block: Vec<Statement> = members.iter().map(|i| rest[*i].clone()).collect();
        let mut written = BTreeSet::new();
        block.iter().for_each(|s| s.writes(&mut |w| written.extend([w])));
        if written.iter().all(|w| free.contains(w)) {
            edges.push((members[0], block));
        } else {
            let mut reads = false;
            block.iter().for_each(|s| s.reads(&mut |_| reads = true));
            if !reads {
                return Err(Unsupported(format!(
                    "{} is constant in many steps",
                    module.signals[block_first(&written)].key
                )));
            }
            among.extend(written.iter().filter(|w| free.contains(w)));
            out.blocks.push(block);
        }
    }
    edges.sort_by_key(|(at, _)| *at);
    for r in &out.registers {
        let register = &module.registers[*r];
        if !free.contains(&register.next) || among.contains(&register.next) {
            let value = Value::whole(register.next, module.signals[register.next].width);
            edges.push((usize::MAX, vec![Statement::Assign { to: register.next, part: None, value }]));
        }
    }
    for (_, block) in edges {
        let mut begun = BTreeSet::new();
        for s in block {
            let mut written = BTreeSet::new();
            s.writes(&mut |w| written.extend([w]));
            let registers: Vec<_> = written.iter().filter_map(|w| Some(&module.registers[register_of(*w)?])).collect();
            let clocks: BTreeSet<Id> =
                registers.iter().filter_map(|r| out.connected.get(&r.clock).and_then(Value::signal)).collect();
            let (Some(clock), 1) = (clocks.first(), clocks.len()) else {
                return Err(Unsupported("registers of several clocks in one statement".into()));
            };
            // a register keeps its value without a statement
            let holds = s.plain().is_some_and(|(to, v)| !begun.contains(&to) && v.signal() == Some(registers[0].held));
            begun.extend(written);
            if !holds {
                out.edges.entry(*clock).or_default().push(s);
            }
        }
    }
    Ok(())
}

fn block_first(written: &BTreeSet<Id>) -> Id {
    written.first().copied().unwrap_or_default()
}

/// Splits a statement into a part without and a part with assignments that only feed registers, if the first does not
/// change what the second reads.
fn split_registers(s: Statement, free: &BTreeSet<Id>) -> Vec<Statement> {
    let mut others = BTreeSet::new();
    let mut any_free = false;
    s.writes(&mut |w| {
        if free.contains(&w) {
            any_free = true;
        } else {
            others.insert(w);
        }
    });
    if !any_free || others.is_empty() {
        return vec![s];
    }
    let list = [s];
    let registers = filtered(&list, &|to| free.contains(&to));
    let mut clear = true;
    registers.iter().for_each(|r| r.reads(&mut |id| clear &= !others.contains(&id)));
    if !clear {
        return list.into();
    }
    let mut out = filtered(&list, &|to| !free.contains(&to));
    out.extend(registers);
    out
}

/// Sets of statements that stay in one block.
struct Groups(Vec<usize>);

impl Groups {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn root(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The sets, in the order of their first members.
    fn all(&self) -> Vec<Vec<usize>> {
        let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for i in 0..self.0.len() {
            out.entry(self.root(i)).or_default().push(i);
        }
        out.into_values().collect()
    }
}
