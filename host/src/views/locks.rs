//! Locks of a recorded run: who held them, who waited, and in which order they were taken
//!
//! A lock is found by what is done with it: a word that an atomic changes from 0 to another value (taken), that only its holder
//! changes to 0 (released), and that others leave as it is until then (waiting). A word with which something else is done, as a counter, is no lock.
//! Locks of other kinds, as queues of an operating system, are given as functions that take and release what their first argument
//! points to.

use super::stack::follower::{Follower, Path};
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A place, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Core.
    pub core: u8,
    /// Instructions that it had retired, at its last jump or branch.
    pub retired: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// Calls that led there.
    pub path: Path,
}

/// A lock: how often and how long it was held, and which cores wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// How often it was taken.
    pub taken: u64,
    /// How often a core had to wait for it.
    pub waits: u64,
    /// Instructions that cores executed while they waited: all, and the longest wait.
    pub waited: (u64, u64),
    /// Instructions that holders executed while they held it: all, and the longest.
    pub held: (u64, u64),
    /// Who holds it at the end.
    pub holder: Option<Site>,
    /// Cores that wait for it at the end.
    pub waiting: BTreeMap<u8, Site>,
    /// How often it was released.
    released: u64,
    /// It is no lock.
    refused: bool,
}

/// One lock taken while another was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested {
    /// Where the first was taken.
    pub first: Site,
    /// Where the second was taken.
    pub second: Site,
    /// How often.
    pub times: u64,
}

#[derive(Clone, Debug, Default)]
struct Core {
    retired: u64,
    /// Load half of the instruction: address of the instruction, of the word, and value.
    load: Option<(u64, u64, u64)>,
    /// Locks that it holds, in order.
    holds: Vec<u64>,
    /// Arguments of calls.
    a0: u64,
    /// A call of a function that takes a lock: the lock, its return address, and where it was called.
    taking: Option<(u64, u64, Site)>,
}

/// Follows the locks of a run.
pub struct Locks {
    follower: Follower,
    cores: Vec<Core>,
    locks: BTreeMap<u64, Lock>,
    /// Functions that take (true) and release a lock; without any, locks are found by their atomics.
    functions: HashMap<u64, bool>,
    /// Whether an instruction is an atomic.
    atomic: Box<dyn Fn(u64) -> bool>,
    nested: BTreeMap<(u64, u64), Nested>,
}

impl Locks {
    /// At the beginning of a run with `cores` cores. `atomic` says whether the instruction at an address is an atomic.
    pub fn new(follower: Follower, cores: u8, functions: HashMap<u64, bool>, atomic: Box<dyn Fn(u64) -> bool>) -> Self {
        let cores = vec![Core::default(); cores.into()];
        Self { follower, cores, locks: BTreeMap::new(), functions, atomic, nested: BTreeMap::new() }
    }

    /// The calls of sites.
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Locks by address.
    pub fn locks(&self) -> impl Iterator<Item = (u64, &Lock)> {
        let is = |l: &Lock| !l.refused && l.taken > 0 && (l.released > 0 || l.waits > 0);
        self.locks.iter().filter(move |(_, l)| is(l)).map(|(addr, l)| (*addr, l))
    }

    fn is_lock(&self, addr: u64) -> bool {
        self.locks.get(&addr).is_some_and(|l| !l.refused)
    }

    /// Locks that were taken in different orders: each a cycle, with how each lock was taken while the one before it was held.
    pub fn inversions(&self) -> Vec<Vec<(u64, u64, Nested)>> {
        let mut found: BTreeMap<BTreeSet<u64>, Vec<(u64, u64, Nested)>> = BTreeMap::new();
        let real = |a: u64, b: u64| self.is_lock(a) && self.is_lock(b);
        for (&(a, b), nested) in self.nested.iter().filter(|((a, b), _)| real(*a, *b)) {
            // the shortest way from b back to a
            let mut from: BTreeMap<u64, u64> = BTreeMap::from([(b, b)]);
            let mut next = std::collections::VecDeque::from([b]);
            while let Some(at) = next.pop_front().filter(|_| !from.contains_key(&a)) {
                for &(_, to) in self.nested.keys().filter(|(f, t)| *f == at && real(*f, *t)) {
                    if let std::collections::btree_map::Entry::Vacant(entry) = from.entry(to) {
                        entry.insert(at);
                        next.push_back(to);
                    }
                }
            }
            if !from.contains_key(&a) {
                continue;
            }
            let (mut cycle, mut at) = (Vec::new(), a);
            while at != b {
                let before = from[&at];
                cycle.push((before, at, self.nested[&(before, at)]));
                at = before;
            }
            cycle.push((a, b, *nested));
            cycle.reverse();
            found.entry(cycle.iter().map(|c| c.0).collect()).or_insert(cycle);
        }
        found.into_values().collect()
    }

    /// Cores that wait for each other at the end: core, the lock that it waits for, and its holder.
    pub fn deadlock(&self) -> Vec<(u8, u64, u8)> {
        let waits: BTreeMap<u8, (u64, u8)> = self
            .locks()
            .flat_map(|(addr, l)| l.waiting.keys().filter_map(move |core| Some((*core, (addr, l.holder?.core)))))
            .collect();
        for &start in waits.keys() {
            let (mut chain, mut at) = (Vec::new(), start);
            while let Some(&(addr, holder)) = waits.get(&at).filter(|_| chain.len() < waits.len()) {
                chain.push((at, addr, holder));
                at = holder;
                if at == start {
                    return chain;
                }
            }
        }
        Vec::new()
    }

    fn site(&self, core: u8, pc: u64) -> Site {
        Site { core, retired: self.cores[usize::from(core)].retired, pc, path: self.follower.path(core) }
    }

    fn take(&mut self, addr: u64, site: Site) {
        let lock = self.locks.entry(addr).or_default();
        lock.taken += 1;
        if let Some(since) = lock.waiting.remove(&site.core) {
            let waited = site.retired - since.retired;
            lock.waited = (lock.waited.0 + waited, lock.waited.1.max(waited));
        }
        lock.holder = Some(site);
        for first in self.cores[usize::from(site.core)].holds.clone() {
            let Some(at) = self.locks.get(&first).and_then(|l| l.holder).filter(|_| first != addr) else { continue };
            let nested = Nested { first: at, second: site, times: 0 };
            self.nested.entry((first, addr)).or_insert(nested).times += 1;
        }
        self.cores[usize::from(site.core)].holds.push(addr);
    }

    fn release(&mut self, addr: u64, retired: u64) {
        let Some(lock) = self.locks.get_mut(&addr) else { return };
        if let Some(holder) = lock.holder.take() {
            let held = retired.saturating_sub(holder.retired);
            lock.held = (lock.held.0 + held, lock.held.1.max(held));
            lock.released += 1;
            self.cores[usize::from(holder.core)].holds.retain(|at| *at != addr);
        }
    }

    fn wait(&mut self, addr: u64, site: Site) {
        let lock = self.locks.entry(addr).or_default();
        if let std::collections::btree_map::Entry::Vacant(entry) = lock.waiting.entry(site.core) {
            entry.insert(site);
            lock.waits += 1;
        }
    }

    fn refuse(&mut self, addr: u64) {
        let lock = self.locks.entry(addr).or_default();
        lock.refused = true;
        lock.waiting.clear();
        for core in &mut self.cores {
            core.holds.retain(|at| *at != addr);
        }
    }

    /// A store, which with `old` is that of an atomic that read this.
    fn store(&mut self, site: Site, addr: u64, old: Option<u64>, new: u64) {
        let holder = self.locks.get(&addr).filter(|l| !l.refused).map(|l| l.holder.map(|h| h.core));
        match (holder, old) {
            // nobody holds it
            (None | Some(None), Some(0)) if new != 0 => {
                if !self.locks.get(&addr).is_some_and(|l| l.refused) {
                    self.take(addr, site);
                }
            }
            (Some(Some(core)), _) if core == site.core && new == 0 => self.release(addr, site.retired),
            (Some(Some(core)), Some(old)) if core != site.core && new == old => self.wait(addr, site),
            (Some(None), None) if new == 0 => {}
            (Some(_), _) => self.refuse(addr),
            (None, _) => {}
        }
    }
}

impl RetireSink for Locks {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let me = usize::from(e.hart);
        self.cores[me].retired += u64::from(e.count);
        // of a call at the end of a function the frame is replaced
        let path = self.follower.path(e.hart);
        self.follower.event(e, |_| {});
        if self.functions.is_empty() {
            return;
        }
        if let Some((addr, _, site)) = self.cores[me].taking.filter(|(_, back, _)| *back == e.target) {
            self.cores[me].taking = None;
            self.take(addr, Site { retired: self.cores[me].retired, ..site });
        }
        let Some(takes) = self.functions.get(&e.target).copied() else { return };
        let Some(top) = self.follower.stack(e.hart).frames().last().filter(|f| f.function.start == e.target) else {
            return;
        };
        let (back, addr) = (top.back, self.cores[me].a0);
        let site = Site { path, ..self.site(e.hart, e.pc) };
        if takes {
            if self.locks.get(&addr).is_some_and(|l| l.holder.is_some()) {
                self.wait(addr, site);
            }
            self.cores[me].taking = Some((addr, back, site));
        } else {
            self.release(addr, site.retired);
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        let me = usize::from(d.hart);
        match d.kind {
            DataKind::Register { rd: 10, value } => self.cores[me].a0 = value,
            _ if !self.functions.is_empty() => {}
            DataKind::Load { addr, value, .. } => {
                self.cores[me].load = Some((d.pc, addr, value));
                // a load in a loop that waits; an atomic reports its store
                let other = |l: &Lock| !l.refused && l.holder.is_some_and(|h| h.core != d.hart);
                if value != 0 && self.locks.get(&addr).is_some_and(other) && (self.atomic)(d.pc) {
                    let site = self.site(d.hart, d.pc);
                    self.wait(addr, site);
                }
            }
            DataKind::Store { addr, value, .. } => {
                let atomic = (self.atomic)(d.pc);
                if !atomic && !self.locks.contains_key(&addr) {
                    return;
                }
                // the store of a reservation has its load before it
                let old = self.cores[me].load.filter(|(_, at, _)| atomic && *at == addr).map(|(.., value)| value);
                let site = self.site(d.hart, d.pc);
                self.store(site, addr, old, value);
            }
            _ => {}
        }
    }
}
