//! Cycle-accurate model of the full event generator's circuit
//!
//! [`super::generator`] defines the events of an instruction; this model adds when they are made, and which are lost if
//! they come too fast. Every instruction enters a log of 16 entries, with the slots that it hits. A shadow copy of the
//! registers is updated at the log's output: one instruction per cycle leaves the log, or waits there, while its calls
//! are opened and closed and its events made, one word after the other. Triggers are not compared with the copy, so it
//! may be late relative to the core.
//!
//! * An instruction that hits nothing and ends no call takes one cycle, and the first after a reset of its core one more.
//! * A slot takes 4 cycles and 2 per captured word. A function whose return is a trigger takes 8, and 4 per word
//!   captured at the entry and 2 per other word. A call that may be the one that ends takes 4 (calls are looked up by 8
//!   bits of return address and stack pointer, then compared).
//! * At [`ALMOST_FULL`] instructions in the log, the remaining events of the oldest are lost and counted. Each instruction
//!   then takes one cycle, until [`RESUME_LEVEL`] are left: this makes room for the next events, otherwise none would ever be
//!   finished. Calls that these instructions may end are no longer watched, and are counted, too: no call stays open
//!   after its return.
//! * After [`DROP_CYCLES`] cycles of this, which happens when an instruction comes in nearly every cycle, the whole log is
//!   dropped: all hits of its instructions and each open call are lost and counted. The registers that they write are
//!   unknown until they are written again, and so is the stack.
//!
//! After an overflow of the FIFO, events are accepted again when it is half empty.
//!
//! A generator that stalls waits for room in the FIFO instead of losing the event, and holds its core from
//! [`STALL_LEVEL`] instructions in the log on. The core may retire [`STALL_SKID`] more; if it retires others, the log is
//! almost full, and events are lost and counted as above.
//!
//! # Source
//! Paper 004 section 4.1 and figure 6. The log and the order of work are this project's.

use super::generator::{captured_word, entry_word, Access, ObservedInsn, PreviousInsn};
use super::packet::{Args, Event};
use super::returns::{OpenCall, Returns};
use super::shadow::{stores_word_through_sp, Shadow};
use super::trigger::{GeneratorParams, Slot, SlotError, Trigger, CAPTURES};
use retire::isa::{self, Flow, Indirect};
use std::collections::VecDeque;

/// Fill level of the log at which events are dropped.
pub const ALMOST_FULL: usize = 14;
/// Fill level of the log at which events are made again.
pub const RESUME_LEVEL: usize = 4;
/// Cycles of dropping events after which the whole log is dropped.
pub const DROP_CYCLES: u8 = 64;
/// Fill level of the log at which a generator that stalls holds its core.
pub const STALL_LEVEL: usize = 8;
/// Instructions that a core may retire from the cycle in which it is held on, without a loss.
pub const STALL_SKID: usize = ALMOST_FULL - STALL_LEVEL - 1;
/// Depth of the log, instructions.
pub const LOG_ENTRIES: usize = 16;
/// Cycles to read an event from the FIFO.
const FIFO_READ_CYCLES: u8 = 8;

/// Hash by which calls are looked up.
pub fn tag(to: u64, sp: u64) -> u8 {
    (to >> 1 ^ sp >> 4) as u8
}

/// State of the work on the oldest instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Look,
    Next,
    CheckDone,
    Put,
    Search,
    To,
    Sp,
    Store,
    Write(u8),
    Begin,
    Done,
}

/// Use of the captured words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Check,
    Keep,
    Fire,
}

/// An entry of the log.
#[derive(Clone, Debug)]
struct Entry {
    seen: ObservedInsn,
    hits: u32,
    stores: u32,
    /// Slots for which a function entry is uncertain: a trap returned there.
    uncertain: u32,
    call: bool,
    back: bool,
}

/// Progress of the oldest instruction.
#[derive(Clone, Debug)]
struct Work {
    state: State,
    /// Slots that are still to be served, and those that a store hit.
    todo: u32,
    stores: u32,
    /// The slot being served; whether for its store.
    current: Option<(usize, bool)>,
    /// 0: calls are opened, 1, 2: closed by a call, a return, 3: events are made.
    phase: u8,
    mode: Mode,
    k: usize,
    candidates: u32,
    at: usize,
    ended: Vec<Option<OpenCall>>,
    words: [u32; CAPTURES],
}

/// The full event generator.
#[derive(Clone, Debug)]
pub struct Full {
    params: GeneratorParams,
    core: u8,
    slots: Vec<Slot>,
    shadow: Shadow,
    before: PreviousInsn,
    returns: Returns,
    log: VecDeque<Entry>,
    shown: bool,
    almost_full: bool,
    /// Cycles since `almost_full` began.
    almost_full_cycles: u8,
    /// The oldest instruction is the first after a reset, and what was known before is forgotten.
    forgot: bool,
    /// Registers written since the log was last empty.
    written: u32,
    work: Work,
    fifo: VecDeque<(u8, Event, bool)>,
    recovering: bool,
    stalls: bool,
    loading: u8,
    held: Option<(u8, Event, bool)>,
    unreported: u64,
    /// Lost in the previous cycle.
    lost_before: u64,
    /// Lost events, in all.
    pub lost: u64,
    /// Of these, lost because instructions came too fast.
    pub overload: u64,
    /// Number of times that the log was dropped.
    pub log_drops: u64,
    /// Of the lost events, those lost because a trap returned to the start of a function.
    pub uncertain: u64,
    /// Events made.
    pub made: u64,
}

impl Full {
    /// The generator of core `core`, with no slot set.
    pub fn new(params: GeneratorParams, core: u8) -> Self {
        let work = Work {
            state: State::Look,
            todo: 0,
            stores: 0,
            current: None,
            phase: 0,
            mode: Mode::Check,
            k: 0,
            candidates: 0,
            at: 0,
            ended: vec![None; params.returns.into()],
            words: [0; CAPTURES],
        };
        Self {
            params,
            core,
            slots: Vec::new(),
            shadow: Shadow::new(params.stack, params.xlen),
            before: PreviousInsn::default(),
            returns: Returns::new(params.returns.into()),
            log: VecDeque::new(),
            shown: false,
            work,
            fifo: VecDeque::new(),
            almost_full: false,
            almost_full_cycles: 0,
            forgot: false,
            written: 0,
            recovering: false,
            stalls: false,
            loading: 0,
            held: None,
            unreported: 0,
            lost_before: 0,
            lost: 0,
            overload: 0,
            log_drops: 0,
            uncertain: 0,
            made: 0,
        }
    }

    /// Sets all slots; forgets open calls.
    pub fn set(&mut self, slots: &[Slot]) -> Result<(), SlotError> {
        self.params.check(slots)?;
        self.slots = GeneratorParams::placed(slots);
        self.forget();
        Ok(())
    }

    /// Whether it holds its core instead of losing events that come too fast.
    pub fn set_stalls(&mut self, on: bool) {
        self.stalls = on && self.params.stalls;
    }

    /// Whether the core must wait.
    pub fn holds(&self) -> bool {
        self.stalls && self.log.len() >= STALL_LEVEL
    }

    /// Forgets open calls.
    pub fn forget(&mut self) {
        self.returns = Returns::new(self.params.returns.into());
    }

    /// Whether it is empty.
    pub fn is_idle(&self) -> bool {
        self.log.is_empty() && self.fifo.is_empty() && self.held.is_none()
    }

    /// The event at the output.
    pub fn result(&self) -> Option<(u8, Event)> {
        self.held.map(|(dest, event, _)| (dest, event))
    }

    /// Whether the event at the output yields to others.
    pub fn yields(&self) -> bool {
        self.held.is_some_and(|held| held.2)
    }

    /// One cycle, with the instruction that retires in it; `ready`: the event at the output is taken.
    pub fn clock(&mut self, seen: Option<&ObservedInsn>, ready: bool) {
        let waiting = self.fifo.len();
        let recovering = self.recovering;
        // the output
        let reported = self.unreported.min(u16::MAX.into());
        let mut pop = false;
        if self.held.is_some() {
            self.held = self.held.filter(|_| !ready);
        } else if self.loading == 0 {
            self.loading = if waiting > 0 { FIFO_READ_CYCLES } else { 0 };
        } else {
            self.loading -= 1;
            pop = self.loading == 0;
        }
        let lost = self.lost;
        let (length, shown) = (self.log.len(), self.shown);
        self.almost_full = length >= ALMOST_FULL || self.almost_full && length > RESUME_LEVEL;
        let patient = self.almost_full_cycles + 1 < DROP_CYCLES;
        self.almost_full_cycles = if self.almost_full && patient { self.almost_full_cycles + 1 } else { 0 };
        if self.almost_full && !patient {
            self.drop_log();
        } else if shown && self.work(self.almost_full, waiting, recovering) {
            let seen = self.log.pop_front().map(|e| e.seen).unwrap_or_default();
            if seen.first && !self.forgot {
                self.forget_core();
            }
            self.forgot = false;
            self.apply(&seen);
        }
        self.shown = !self.log.is_empty();
        if pop {
            let front = self.fifo.pop_front();
            self.held = front.map(|(dest, e, yields)| (dest, Event { lost: reported as u16, ..e }, yields));
            self.unreported -= reported;
            if waiting <= usize::from(self.params.fifo) / 2 + 1 {
                self.recovering = false;
            }
        }
        self.unreported += std::mem::replace(&mut self.lost_before, self.lost - lost);
        self.written = if self.log.is_empty() { 0 } else { self.written };
        if let Some(seen) = seen {
            assert!(self.log.len() < LOG_ENTRIES, "the log holds {LOG_ENTRIES}");
            self.written |= if seen.first { u32::MAX } else { seen.rd.map_or(0, |(rd, _)| 1 << rd) };
            self.before = if seen.first { PreviousInsn::default() } else { self.before };
            let entry = self.entry(seen);
            self.before = PreviousInsn::is(seen, self.params.xlen);
            self.log.push_back(entry);
        }
    }

    /// Drops the log, open calls and what is known of registers and stack.
    fn drop_log(&mut self) {
        let hits: u32 = self.log.drain(..).map(|e| e.hits.count_ones() + e.stores.count_ones()).sum();
        let lost = hits + self.returns.len() as u32;
        (0..self.work.ended.len()).for_each(|at| {
            self.returns.drop_call(at);
        });
        self.shadow.forget(self.written);
        self.lose(lost);
        self.overload += u64::from(lost);
        self.log_drops += 1;
        self.forgot = false;
    }

    fn entry(&self, seen: &ObservedInsn) -> Entry {
        let (flow, largest) = (isa::flow(seen.insn, self.params.xlen), self.params.largest());
        let (mut hits, mut stores, mut uncertain) = (0, 0, 0);
        for (n, slot) in self.slots.iter().enumerate() {
            let [load, store] = seen.accesses.map(|a| a.is_some_and(|a| slot.trigger.is_access(&a, largest)));
            let hit = match slot.trigger {
                Trigger::Pc(pc) | Trigger::Return(pc) => pc == seen.pc,
                Trigger::Entry { first, last } => {
                    let enters = self.before.enters(seen, first, last);
                    uncertain |= u32::from(enters.is_none()) << n;
                    enters != Some(false)
                }
                Trigger::ReturnFrom { first, last } => self.before.enters(seen, first, last) != Some(false),
                Trigger::Data { .. } => load,
                Trigger::Trap { .. } => slot.trigger.is_trap(seen),
                Trigger::TrapReturn => flow == Flow::TrapReturn,
            };
            hits |= u32::from(hit) << n;
            stores |= u32::from(store) << n;
        }
        let (call, back) = match flow {
            Flow::Jump { call, .. } => (call, false),
            Flow::Indirect(Indirect::Call) => (true, false),
            Flow::Indirect(Indirect::Return) => (false, true),
            Flow::Indirect(Indirect::CoSwap) => (true, true),
            Flow::Indirect(_) | Flow::Sequential | Flow::Conditional { .. } | Flow::TrapReturn => (false, false),
        };
        Entry { seen: *seen, hits, stores, uncertain, call, back }
    }

    fn apply(&mut self, seen: &ObservedInsn) {
        for access in seen.accesses.iter().flatten().filter(|a| a.store) {
            if stores_word_through_sp(seen.insn, seen.len, self.params.xlen) {
                self.shadow.push(access.addr, access.value);
            } else {
                self.shadow.touch(access.addr, access.last(self.params.largest()));
            }
        }
        if let Some((rd, value)) = seen.rd {
            self.shadow.write(rd, value);
        }
    }

    fn sp(&self) -> u64 {
        self.shadow.register(2).unwrap_or(0)
    }

    /// Bit mask of the open calls that may have the return address `to`.
    fn tag_matches(&self, to: u64) -> u32 {
        let t = tag(to, self.sp());
        let of = |(at, c): (usize, &Option<OpenCall>)| u32::from(c.is_some_and(|c| tag(c.to, c.sp) == t)) << at;
        self.returns.entries().iter().enumerate().map(of).sum()
    }

    /// Registers, stack and open calls are those from before a reset.
    fn forget_core(&mut self) {
        self.shadow.forget(u32::MAX);
        self.forget();
        self.forgot = true;
    }

    fn lose(&mut self, events: u32) {
        self.lost += u64::from(events);
    }

    /// One cycle of work on the oldest instruction. True: it is done.
    fn work(&mut self, overload: bool, waiting: usize, recovering: bool) -> bool {
        let entry = self.log[0].clone();
        let link = entry.seen.pc.wrapping_add(entry.seen.len.into()) & self.params.largest();
        if self.work.state == State::Look && entry.seen.first && !self.forgot && !overload {
            self.forget_core();
            return false;
        }
        if self.work.state == State::Look {
            let open = !self.returns.is_empty();
            let ends = match (entry.call, entry.back) {
                (false, false) => false,
                (true, true) => open,
                (call, _) => self.tag_matches(if call { link } else { entry.seen.next_pc }) != 0,
            };
            if entry.hits == 0 && entry.stores == 0 && !ends {
                return true;
            }
            self.work.todo = entry.hits;
            self.work.stores = entry.stores;
            self.work.current = None;
            self.work.phase = 0;
            self.work.ended.iter_mut().for_each(|e| *e = None);
        }
        if overload {
            let open = self.returns.entries().iter().enumerate().map(|(at, c)| u32::from(c.is_some()) << at).sum();
            let drop = match (entry.call, entry.back) {
                _ if self.work.phase == 3 => 0,
                (false, false) => 0,
                (true, true) => open,
                (call, _) => self.tag_matches(if call { link } else { entry.seen.next_pc }),
            };
            (0..self.work.ended.len()).filter(|at| drop >> at & 1 == 1).for_each(|at| {
                self.returns.drop_call(at);
            });
            let w = &self.work;
            let lost = w.todo.count_ones() + w.stores.count_ones() + u32::from(w.current.is_some()) + drop.count_ones();
            self.lose(lost);
            self.overload += u64::from(lost);
            self.work.state = State::Look;
            return true;
        }
        let slot = self.work.current.map(|c| self.slots[c.0].clone());
        self.work.state = match self.work.state {
            State::Look => State::Next,
            State::Next => match self.next(&entry, link) {
                Some(state) => state,
                None => {
                    self.work.state = State::Look;
                    return true;
                }
            },
            State::CheckDone => {
                if self.work.k == slot.as_ref().map_or(0, |s| s.captures.len()) {
                    match self.work.mode {
                        Mode::Check => {
                            let n = self.work.current.map_or(0, |c| c.0 as u8);
                            let mine = |at: &usize| self.returns.entries()[*at].is_some_and(|c| c.slot == n);
                            let mine: u32 = (0..self.work.ended.len()).filter(mine).map(|at| 1 << at).sum();
                            self.work.candidates = mine & self.tag_matches(self.shadow.register(1).unwrap_or(0));
                            State::Search
                        }
                        Mode::Keep => State::Write(3),
                        Mode::Fire => State::Done,
                    }
                } else {
                    State::Put
                }
            }
            State::Put => self.put(slot.as_ref(), &entry.seen),
            State::Search => match (self.work.candidates, self.work.phase) {
                (0, 0) => State::Store,
                (0, phase) => {
                    self.work.phase = phase + 1;
                    State::Next
                }
                (c, _) => {
                    self.work.at = c.trailing_zeros() as usize;
                    State::To
                }
            },
            State::To => State::Sp,
            State::Sp => self.compare(&entry, link),
            State::Store => {
                let (at, lost) = self.returns.make_entry();
                self.lose(lost.into());
                self.work.at = at;
                (self.work.mode, self.work.k) = (Mode::Keep, 0);
                State::CheckDone
            }
            State::Write(1) => {
                let call = OpenCall {
                    slot: self.work.current.map_or(0, |c| c.0 as u8),
                    to: self.shadow.register(1).unwrap_or(0),
                    sp: self.sp(),
                    cycle: entry.seen.cycle,
                    captured: self.work.words,
                };
                self.returns.put(self.work.at, call);
                self.work.current = None;
                State::Next
            }
            State::Write(n) => State::Write(n - 1),
            State::Begin => {
                let full = waiting == usize::from(self.params.fifo);
                if self.work.current.is_some_and(|c| entry.uncertain >> c.0 & 1 == 1) {
                    self.lose(1);
                    self.uncertain += 1;
                    self.work.current = None;
                    State::Next
                } else if recovering || full {
                    self.recovering |= full;
                    if self.stalls {
                        State::Begin
                    } else {
                        self.lose(1);
                        self.work.current = None;
                        State::Next
                    }
                } else {
                    (self.work.mode, self.work.k) = (Mode::Fire, 0);
                    State::CheckDone
                }
            }
            State::Done => {
                if let Some(slot) = slot {
                    let time = slot.stamped.then_some(entry.seen.cycle as u32);
                    let args = Args::of(&self.work.words[..slot.captures.len()]);
                    let event = Event { id: slot.event, core: self.core, time, args, ..Event::default() };
                    self.fifo.push_back((slot.dest, event, slot.yields));
                    self.made += 1;
                }
                self.work.current = None;
                State::Next
            }
        };
        false
    }

    /// Next state; `None`: the instruction is done.
    fn next(&mut self, entry: &Entry, link: u64) -> Option<State> {
        let w = &mut self.work;
        let is_return = |n: u32| self.slots[n as usize].trigger.is_return();
        match w.phase {
            0 => match (0..16).find(|n| w.todo >> n & 1 == 1 && is_return(*n)) {
                Some(n) => {
                    w.todo &= !(1 << n);
                    if self.shadow.register(1).is_none() || self.shadow.register(2).is_none() {
                        self.lose(1);
                        return Some(State::Next);
                    }
                    w.current = Some((n as usize, false));
                    (w.mode, w.k) = (Mode::Check, 0);
                    Some(State::CheckDone)
                }
                None => {
                    w.phase = 1;
                    Some(State::Next)
                }
            },
            1 | 2 => {
                let (does, to) = if w.phase == 1 { (entry.call, link) } else { (entry.back, entry.seen.next_pc) };
                if !does {
                    w.phase += 1;
                    return Some(State::Next);
                }
                let candidates = self.tag_matches(to);
                self.work.candidates = candidates;
                Some(State::Search)
            }
            _ => {
                let both = w.todo | w.stores;
                if both == 0 {
                    return None;
                }
                let n = both.trailing_zeros();
                let of_store = w.todo >> n & 1 == 0;
                *(if of_store { &mut w.stores } else { &mut w.todo }) &= !(1 << n);
                w.current = Some((n as usize, of_store));
                Some(State::Begin)
            }
        }
    }

    /// Stores a captured word.
    fn put(&mut self, slot: Option<&Slot>, seen: &ObservedInsn) -> State {
        let (Some(slot), Some((n, of_store))) = (slot, self.work.current) else { return State::Next };
        let k = self.work.k;
        let word = if self.work.mode == Mode::Fire {
            let access: Option<&Access> = seen.accesses[usize::from(of_store)].as_ref();
            let ended = self.work.ended.iter().flatten().find(|c| usize::from(c.slot) == n);
            captured_word(&self.shadow, slot, k, seen, access, ended)
        } else {
            entry_word(&self.shadow, slot.captures[k])
        };
        let Some(word) = word else {
            self.lose(1);
            self.work.current = None;
            return State::Next;
        };
        self.work.words[k] = word;
        self.work.k += 1;
        State::CheckDone
    }

    /// Compares return address and stack pointer of a call.
    fn compare(&mut self, entry: &Entry, link: u64) -> State {
        let at = self.work.at;
        let to = match self.work.phase {
            0 => self.shadow.register(1).unwrap_or(0),
            1 => link,
            _ => entry.seen.next_pc,
        };
        self.work.candidates &= self.work.candidates - 1;
        let same = self.returns.entries()[at].is_some_and(|c| (c.to, c.sp) == (to, self.sp()));
        match (same, self.work.phase) {
            (false, _) => State::Search,
            (true, 0) => {
                self.work.current = None;
                State::Next
            }
            (true, phase) => {
                let call = self.returns.drop_call(at);
                if phase == 2 {
                    self.work.todo |= call.map_or(0, |c| 1 << c.slot);
                    self.work.ended[at] = call;
                }
                State::Search
            }
        }
    }
}
