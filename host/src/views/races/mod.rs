//! Data races of a recorded run: conflicting accesses of two cores that nothing orders
//!
//! Happens-before over the loads, stores and atomics of the run, with vector clocks: two accesses of different cores to the same
//! byte, at least one of them a store, are a race if neither happened before the other. Order comes from
//!
//! * the program order of a core,
//! * an atomic with `rl`, or a store after a fence that orders earlier accesses before later stores, whose value is read by an
//!   atomic with `aq`, or by a load before a fence that orders earlier loads before later accesses; further atomics on the word
//!   continue what the first released,
//! * a store to the software interrupt of a core, and that interrupt or a read of `mip` or of the register.
//!
//! What is not counted: two accesses that both synchronise (atomics, and loads and stores next to such a fence). What is reported although the
//! program may be right: plain loads and stores that it means as relaxed atomics, `volatile` flags without fences, and order that comes from
//! other devices or from a DMA. What is not found: races that the order of locks in this run hides.
//!
//! | file | what is there |
//! | --- | --- |
//! | [`clock`] | vector clocks |
//! | [`order`] | fences and atomics of a program |
//!
//! # Source
//! C. Flanagan, S. N. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009: epochs of accesses; RISC-V
//! unprivileged ISA, chapter RVWMO: what fences and the bits of atomics order.

pub mod clock;
pub mod order;

use super::stack::follower::{Follower, Path};
use clock::Clock;
use order::{Fence, Kind, Order};
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Base of the software interrupts of the cores.
const MSIP: u64 = 0x0200_0000;
/// `mip`.
const MIP: u16 = 0x344;
/// Races that are kept; of further ones the number is counted.
const MOST: usize = 4096;
/// Addresses that are kept for a race.
const ADDRESSES: usize = 1024;

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Core.
    pub core: u8,
    /// Whether it stores; otherwise it loads.
    pub store: bool,
    /// Address of the instruction.
    pub pc: u64,
    /// Calls that led there.
    pub path: Path,
    /// Value that was loaded or stored.
    pub value: u64,
    /// Instructions that the core had retired at its last jump or branch before.
    pub retired: u64,
    /// Whether it is an atomic or next to a fence.
    pub synchronises: bool,
}

/// Two places in the program that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The accesses when it was first found, in the order of the run.
    pub accesses: [Access; 2],
    /// Address of the first word.
    pub addr: u64,
    /// How often it was found.
    pub times: u64,
    /// Words that raced.
    pub words: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    access: Access,
    epoch: u32,
    /// Bytes of the word.
    mask: u8,
}

#[derive(Clone, Debug, Default)]
struct Word {
    /// What the last store to it released.
    released: Option<Clock>,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Core {
    clock: Clock,
    /// What a fence has released for the stores after it.
    fenced: Option<Clock>,
    /// What loads have read that an acquire fence takes.
    read: Clock,
    /// What was sent with its software interrupt.
    interrupt: Clock,
    /// Address up to which fences have been executed.
    cursor: u64,
    retired: u64,
}

impl Core {
    fn fence(&mut self, me: usize, fence: Fence) {
        if fence.acquire {
            self.clock.join(&self.read);
        }
        if fence.release {
            self.fenced = Some(self.clock.clone());
            self.clock.advance(me);
        }
    }
}

/// Two accesses of the program: addresses, and whether they store.
type Pair = [(u64, bool); 2];

/// Finds the races of a run.
pub struct Races {
    order: Order,
    follower: Follower,
    ram: Range<u64>,
    cores: Vec<Core>,
    words: HashMap<u64, Word>,
    races: HashMap<Pair, Race>,
    /// Races of which no more was kept.
    pub dropped: u64,
    /// Conflicts of two accesses that both synchronise.
    pub synchronised: u64,
}

impl Races {
    /// At the beginning of a run with `cores` cores.
    pub fn new(order: Order, follower: Follower, ram: Range<u64>, cores: u8) -> Self {
        let all = usize::from(cores);
        let core = |me: usize| {
            let none = Clock::new(all);
            let mut clock = none.clone();
            clock.advance(me);
            Core { clock, fenced: None, read: none.clone(), interrupt: none, cursor: 0, retired: 0 }
        };
        Self {
            order,
            follower,
            ram,
            cores: (0..all).map(core).collect(),
            words: HashMap::new(),
            races: HashMap::new(),
            dropped: 0,
            synchronised: 0,
        }
    }

    /// The races, the most frequent first.
    pub fn found(&self) -> Vec<&Race> {
        let mut all: Vec<&Race> = self.races.values().collect();
        all.sort_by_key(|r| (std::cmp::Reverse(r.times), r.accesses[0].pc, r.accesses[1].pc));
        all
    }

    /// The calls of accesses.
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Executes the fences of a core up to before `pc`.
    fn advance(&mut self, core: usize, pc: u64) {
        let me = &mut self.cores[core];
        let fence = self.order.between(me.cursor, pc);
        me.fence(core, fence);
        me.cursor = pc;
    }

    fn race(&mut self, addr: u64, first: Access, second: Access) {
        if first.synchronises && second.synchronises {
            self.synchronised += 1;
            return;
        }
        let mut pair = [(first.pc, first.store), (second.pc, second.store)];
        pair.sort_unstable();
        if self.races.len() >= MOST && !self.races.contains_key(&pair) {
            self.dropped += 1;
            return;
        }
        let new = || Race { accesses: [first, second], addr, times: 0, words: BTreeSet::new() };
        let race = self.races.entry(pair).or_insert_with(new);
        race.times += 1;
        if race.words.len() < ADDRESSES {
            race.words.insert(addr);
        }
    }

    /// An access to the bytes `mask` of a word of RAM.
    fn word(&mut self, addr: u64, mask: u8, kind: Kind, access: Access) {
        let me = usize::from(access.core);
        let word = self.words.entry(addr).or_default();
        let core = &mut self.cores[me];
        let epoch = core.clock.of(me);
        let mut conflicts = Vec::new();
        let same = |e: &Entry| e.access.core == access.core && e.access.store == access.store;
        if !word.entries.iter().any(|e| same(e) && e.epoch == epoch && e.mask & mask == mask) {
            for e in &word.entries {
                let conflict = e.access.core != access.core && (e.access.store || access.store) && e.mask & mask != 0;
                if conflict && e.epoch > core.clock.of(e.access.core.into()) {
                    conflicts.push(e.access);
                }
            }
            word.entries.retain(|e| !(same(e) && e.mask & !mask == 0));
            word.entries.push(Entry { access, epoch, mask });
        }
        if access.store {
            let mut released = if kind.bits.release { Some(core.clock.clone()) } else { core.fenced.clone() };
            if let Some(released) = released.as_mut().filter(|_| kind.synchronises) {
                // who reads the value is after this store, too
                released.set(me, epoch);
            }
            word.released = match (word.released.take().filter(|_| kind.atomic), released) {
                (Some(mut before), Some(released)) => {
                    before.join(&released);
                    Some(before)
                }
                (before, released) => before.or(released),
            };
        } else if let Some(released) = &word.released {
            core.read.join(released);
            if kind.bits.acquire {
                core.clock.join(released);
            }
        }
        for first in conflicts {
            self.race(addr, first, access);
        }
    }

    /// An access to a device.
    fn device(&mut self, core: usize, addr: u64, store: bool) {
        let Some(of) = addr.checked_sub(MSIP).map(|offset| offset as usize / 4).filter(|of| *of < self.cores.len())
        else {
            return;
        };
        if store {
            let sent = self.cores[core].clock.clone();
            self.cores[of].interrupt.join(&sent);
            self.cores[core].clock.advance(core);
        } else {
            let sent = self.cores[of].interrupt.clone();
            self.cores[core].clock.join(&sent);
        }
    }

    fn interrupted(&mut self, core: usize) {
        let me = &mut self.cores[core];
        me.clock.join(&me.interrupt);
    }
}

impl RetireSink for Races {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        self.advance(core, e.pc);
        self.cores[core].cursor = e.target;
        self.cores[core].retired += u64::from(e.count);
        if matches!(e.kind, FlowKind::Trap { interrupt: true, cause: 3 }) {
            self.interrupted(core);
        }
        self.follower.event(e, |_| {});
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        let core = usize::from(d.hart);
        let (store, size, addr, value) = match d.kind {
            DataKind::Load { size, addr, value } => (false, size, addr, value),
            DataKind::Store { size, addr, value } => (true, size, addr, value),
            DataKind::Csr { csr: MIP, .. } => return self.interrupted(core),
            _ => return,
        };
        self.advance(core, d.pc);
        if !self.ram.contains(&addr) {
            return self.device(core, addr, store);
        }
        let kind = self.order.kind(d.pc);
        let (path, retired) = (self.follower.path(d.hart), self.cores[core].retired);
        let access = Access { core: d.hart, store, pc: d.pc, path, value, retired, synchronises: kind.synchronises };
        let (mut at, end) = (addr, addr + u64::from(size));
        while at < end {
            let word = at & !3;
            let upto = end.min(word + 4);
            let mask = (1u8 << (upto - word)) - (1 << (at - word));
            self.word(word, mask, kind, access);
            at = upto;
        }
        if store && kind.synchronises {
            self.cores[core].clock.advance(core);
        }
    }
}
