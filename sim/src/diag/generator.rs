//! The CPU event generator: watches the instructions that a core retires, and makes events
//!
//! An instruction can hit several slots in one cycle. Its hits, with their captured words, wait in a queue of
//! instructions; from there one event per cycle enters the FIFO to the ring. Events that do not fit are counted, and
//! the count leaves with the next event. After an overflow of the FIFO, events are accepted again when it is half
//! empty: a link that is too slow then carries events rather than counts of lost ones. A generator that stalls loses
//! none of these: its core does not retire an instruction while the queue is full ([`Generator::holds`]).
//!
//! An event is complete or it is lost. An event that captures an unknown word (a register that was never written, an
//! argument that was not seen being passed) counts as lost, and so does a call whose return cannot be watched.
//!
//! # Source
//! Paper 004 section 4.1 and figure 6; overload: section 3.7.

use super::packet::{Args, Event};
use super::returns::{OpenCall, Returns};
use super::shadow::{stores_word_through_sp, Shadow};
use super::trigger::{Capture, GeneratorParams, Number, Slot, SlotError, Trigger, CAPTURES};
use retire::isa::{self, Flow, Indirect};
use std::collections::VecDeque;

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Byte address.
    pub addr: u64,
    /// Bytes: 1, 2, 4 or, on RV64, 8.
    pub size: u8,
    /// Value read or written.
    pub value: u64,
    /// True: a store; false: a load.
    pub store: bool,
}

impl Access {
    /// Address of its last byte, on a core with addresses up to `largest`.
    pub fn last(&self, largest: u64) -> u64 {
        self.addr.wrapping_add(u64::from(self.size) - 1) & largest
    }
}

/// A retired instruction, as an ingress port with data reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObservedInsn {
    /// Cycle in which it retires.
    pub cycle: u64,
    /// Address.
    pub pc: u64,
    /// Address of the next instruction.
    pub next_pc: u64,
    /// Encoding; 16 bits if the length is 2 bytes.
    pub insn: u32,
    /// Length, 2 or 4 bytes.
    pub len: u8,
    /// Set on the first instruction after a trap: interrupt, cause, and the address at which it was taken.
    pub trap: Option<(bool, u8, u64)>,
    /// The register that it writes, with the value.
    pub rd: Option<(u8, u64)>,
    /// Its load and its store.
    pub accesses: [Option<Access>; 2],
    /// It is the first after a reset of its core: registers, stack and open calls are not those from before.
    pub first: bool,
}

/// How control left the previous instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transition {
    /// None was seen, or it was a call.
    Enters,
    /// It returned from a trap.
    Resumes,
    /// Any other way.
    Other,
}

/// The previous instruction: where control came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PreviousInsn {
    pc: u64,
    way: Transition,
}

impl Default for PreviousInsn {
    fn default() -> Self {
        Self { pc: 0, way: Transition::Enters }
    }
}

impl PreviousInsn {
    /// `seen` retires on a core of `xlen` bits and becomes the previous instruction.
    pub(super) fn is(seen: &ObservedInsn, xlen: u8) -> Self {
        let way = match isa::flow(seen.insn, xlen) {
            Flow::Jump { call: true, .. } | Flow::Indirect(Indirect::Call | Indirect::CoSwap) => Transition::Enters,
            Flow::TrapReturn => Transition::Resumes,
            Flow::Jump { .. } | Flow::Indirect(_) | Flow::Sequential | Flow::Conditional { .. } => Transition::Other,
        };
        Self { pc: seen.pc, way }
    }

    /// Whether the next instruction to retire, `seen`, enters the function `first..=last` at its start. `None`:
    /// unknown, as a trap returned there.
    pub(super) fn enters(self, seen: &ObservedInsn, first: u64, last: u64) -> Option<bool> {
        if seen.pc != first {
            return Some(false);
        }
        match self.way {
            _ if seen.trap.is_some() => Some(true),
            Transition::Enters => Some(true),
            Transition::Resumes => None,
            Transition::Other => Some(!(first..=last).contains(&self.pc)),
        }
    }
}

/// Lost events, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Instructions with triggers came too fast.
    pub queue: u64,
    /// The ring accepted events too slowly.
    pub fifo: u64,
    /// More calls were open than can be watched.
    pub returns: u64,
    /// A captured word was unknown, or it was unknown whether a function was entered.
    pub unknown: u64,
}

impl Losses {
    /// Sum of all causes.
    pub fn total(&self) -> u64 {
        self.queue + self.fifo + self.returns + self.unknown
    }
}

/// A hit with its event.
#[derive(Clone, Copy, Debug)]
struct Hit {
    dest: u8,
    yields: bool,
    event: Event,
}

/// The golden model of an event generator.
#[derive(Clone, Debug)]
pub struct Generator {
    params: GeneratorParams,
    core: u8,
    slots: Vec<Slot>,
    enabled: bool,
    shadow: Shadow,
    before: PreviousInsn,
    returns: Returns,
    queue: VecDeque<Vec<Hit>>,
    fifo: VecDeque<Hit>,
    recovering: bool,
    losses: Losses,
    reported: u64,
    made: u64,
}

impl Generator {
    /// The generator of core `core`, with no slot set.
    pub fn new(params: GeneratorParams, core: u8) -> Self {
        Self {
            params,
            core,
            slots: Vec::new(),
            enabled: true,
            shadow: Shadow::new(params.stack, params.xlen),
            before: PreviousInsn::default(),
            returns: Returns::new(params.returns.into()),
            queue: VecDeque::new(),
            fifo: VecDeque::new(),
            recovering: false,
            losses: Losses::default(),
            reported: 0,
            made: 0,
        }
    }

    /// Sets all slots; forgets open calls.
    pub fn set(&mut self, slots: Vec<Slot>) -> Result<(), SlotError> {
        self.params.check(&slots)?;
        self.slots = GeneratorParams::placed(&slots);
        self.returns = Returns::new(self.params.returns.into());
        Ok(())
    }

    /// Sizes of the generator.
    pub fn params(&self) -> &GeneratorParams {
        &self.params
    }

    /// Enables events. When disabled it only tracks the registers.
    pub fn enable(&mut self, on: bool) {
        self.enabled = on;
    }

    /// Lost events by cause, and events made.
    pub fn counts(&self) -> (Losses, u64) {
        (self.losses, self.made)
    }

    /// Calls known to have ended without a return.
    pub fn abandoned(&self) -> u64 {
        self.returns.abandoned
    }

    /// Lost events that no event has reported yet.
    pub fn unreported(&self) -> u64 {
        self.losses.total() - self.reported
    }

    /// Whether its queues are empty.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.fifo.is_empty()
    }

    /// Instructions whose events wait for the FIFO, and events in it.
    pub fn queued(&self) -> (usize, usize) {
        (self.queue.len(), self.fifo.len())
    }

    /// One cycle, with the instruction that retires in it.
    pub fn clock(&mut self, seen: Option<&ObservedInsn>) {
        self.fill_fifo();
        if let Some(seen) = seen {
            self.observe(seen);
        }
    }

    /// Whether the next event to send yields to others; `None`: there is no event.
    pub fn yields(&self) -> Option<bool> {
        self.fifo.front().map(|hit| hit.yields)
    }

    /// Takes the next event to send, with its destination.
    pub fn pop(&mut self) -> Option<(u8, Event)> {
        let mut hit = self.fifo.pop_front()?;
        if self.fifo.len() <= usize::from(self.params.fifo) / 2 {
            self.recovering = false;
        }
        let lost = self.unreported().min(u16::MAX.into());
        hit.event.lost = lost as u16;
        self.reported += lost;
        Some((hit.dest, hit.event))
    }

    /// Whether its core must not retire an instruction now.
    pub fn holds(&self) -> bool {
        self.params.stalls && self.queue.len() >= usize::from(self.params.queue)
    }

    fn fill_fifo(&mut self) {
        if self.params.stalls && self.fifo.len() == usize::from(self.params.fifo) {
            return;
        }
        let Some(front) = self.queue.front_mut() else { return };
        let hit = front.remove(0);
        if front.is_empty() {
            self.queue.pop_front();
        }
        if self.fifo.len() == usize::from(self.params.fifo) {
            self.recovering = true;
        }
        if self.recovering {
            self.losses.fifo += 1;
        } else {
            self.made += 1;
            self.fifo.push_back(hit);
        }
    }

    /// An instruction retires in this cycle.
    pub fn observe(&mut self, seen: &ObservedInsn) {
        if seen.first {
            self.shadow.forget(u32::MAX);
            self.before = PreviousInsn::default();
            self.returns = Returns::new(self.params.returns.into());
        }
        if self.enabled && !self.slots.is_empty() {
            let hits = self.hits(seen);
            if !hits.is_empty() {
                if self.queue.len() == usize::from(self.params.queue) {
                    self.losses.queue += hits.len() as u64;
                } else {
                    self.queue.push_back(hits);
                }
            }
        }
        let (xlen, largest) = (self.params.xlen, self.params.largest());
        self.before = PreviousInsn::is(seen, xlen);
        for access in seen.accesses.iter().flatten().filter(|a| a.store) {
            if stores_word_through_sp(seen.insn, seen.len, xlen) {
                self.shadow.push(access.addr, access.value);
            } else {
                self.shadow.touch(access.addr, access.last(largest));
            }
        }
        if let Some((rd, value)) = seen.rd {
            self.shadow.write(rd, value);
        }
    }

    /// The hits of an instruction, by slot.
    fn hits(&mut self, seen: &ObservedInsn) -> Vec<Hit> {
        let (flow, largest) = (isa::flow(seen.insn, self.params.xlen), self.params.largest());
        let ends = self.follow_calls(seen, flow);
        let mut hits = Vec::new();
        for (n, slot) in self.slots.iter().enumerate() {
            let mut fire = |access: Option<&Access>, call: Option<&OpenCall>| match captured(
                &self.shadow,
                slot,
                seen,
                access,
                call,
            ) {
                Some(words) => hits.push(Hit {
                    dest: slot.dest,
                    yields: slot.yields,
                    event: Event {
                        id: slot.event,
                        core: self.core,
                        lost: 0,
                        yielded: false,
                        time: slot.stamped.then_some(seen.cycle as u32),
                        args: Args::of(&words[..slot.captures.len()]),
                    },
                }),
                None => self.losses.unknown += 1,
            };
            match slot.trigger {
                Trigger::Pc(pc) => {
                    if pc == seen.pc {
                        fire(None, None);
                    }
                }
                Trigger::Entry { first, last } => match self.before.enters(seen, first, last) {
                    Some(true) => fire(None, None),
                    Some(false) => {}
                    None => self.losses.unknown += 1,
                },
                Trigger::Return(_) | Trigger::ReturnFrom { .. } => {
                    for call in ends.iter().filter(|c| usize::from(c.slot) == n) {
                        fire(None, Some(call));
                    }
                }
                Trigger::Data { .. } => {
                    for a in seen.accesses.iter().flatten().filter(|a| slot.trigger.is_access(a, largest)) {
                        fire(Some(a), None);
                    }
                }
                Trigger::Trap { .. } => {
                    if slot.trigger.is_trap(seen) {
                        fire(None, None);
                    }
                }
                Trigger::TrapReturn => {
                    if flow == Flow::TrapReturn {
                        fire(None, None);
                    }
                }
            }
        }
        hits
    }

    /// Opens and closes calls; returns those that end here.
    fn follow_calls(&mut self, seen: &ObservedInsn, flow: Flow) -> Vec<OpenCall> {
        if self.params.returns == 0 {
            return Vec::new();
        }
        for (n, slot) in self.slots.iter().enumerate() {
            let entered = match slot.trigger {
                Trigger::Return(pc) => pc == seen.pc,
                Trigger::ReturnFrom { first, last } => self.before.enters(seen, first, last) != Some(false),
                _ => false,
            };
            if !entered {
                continue;
            }
            let mut call = OpenCall { slot: n as u8, to: 0, sp: 0, cycle: seen.cycle, captured: [0; CAPTURES] };
            let (Some(to), Some(sp)) = (self.shadow.register(1), self.shadow.register(2)) else {
                self.losses.returns += 1;
                continue;
            };
            (call.to, call.sp) = (to, sp);
            let mut known = true;
            for (word, c) in call.captured.iter_mut().zip(&slot.captures) {
                let value = entry_word(&self.shadow, *c);
                known &= value.is_some();
                *word = value.unwrap_or(0);
            }
            if !known {
                self.losses.unknown += 1;
            } else if self.returns.enter(call) {
                self.losses.returns += 1;
            }
        }
        let Some(sp) = self.shadow.register(2) else { return Vec::new() };
        match flow {
            Flow::Jump { call: true, .. } | Flow::Indirect(Indirect::Call | Indirect::CoSwap) => {
                self.returns.call(seen.pc.wrapping_add(seen.len.into()) & self.params.largest(), sp);
            }
            _ => {}
        }
        match flow {
            Flow::Indirect(Indirect::Return | Indirect::CoSwap) => self.returns.leave(seen.next_pc, sp),
            _ => Vec::new(),
        }
    }
}

impl Trigger {
    /// Whether this data trigger matches the access, on a core with addresses up to `largest`.
    pub(super) fn is_access(&self, a: &Access, largest: u64) -> bool {
        let Self::Data { first, last, loads, stores, value } = *self else { return false };
        let touched = a.addr <= last && a.last(largest) >= first;
        touched && (if a.store { stores } else { loads }) && value.is_none_or(|v| v == a.value)
    }

    /// Whether this trap trigger matches the trap before this instruction.
    pub(super) fn is_trap(&self, seen: &ObservedInsn) -> bool {
        let (Self::Trap { interrupt, cause }, Some((i, c, _))) = (self, seen.trap) else { return false };
        interrupt.is_none_or(|want| want == i) && cause.is_none_or(|want| want == c)
    }
}

/// The captured words of an event; `None` if one is unknown.
fn captured(
    shadow: &Shadow,
    slot: &Slot,
    seen: &ObservedInsn,
    access: Option<&Access>,
    call: Option<&OpenCall>,
) -> Option<[u32; CAPTURES]> {
    let mut words = [0; CAPTURES];
    for (i, word) in words.iter_mut().enumerate().take(slot.captures.len()) {
        *word = captured_word(shadow, slot, i, seen, access, call)?;
    }
    Some(words)
}

/// The word of the entry of a function that a slot of its return captures; 0: the word is not of the entry.
pub(super) fn entry_word(shadow: &Shadow, capture: Capture) -> Option<u32> {
    let number = match capture.number() {
        Some(Number::EntryRegister(r)) => shadow.register(r)?,
        Some(Number::EntryStack(n)) => shadow.stack(n)?,
        _ => 0,
    };
    Some(capture.half(number))
}

/// The i-th captured word.
pub(super) fn captured_word(
    shadow: &Shadow,
    slot: &Slot,
    i: usize,
    seen: &ObservedInsn,
    access: Option<&Access>,
    call: Option<&OpenCall>,
) -> Option<u32> {
    let capture = slot.captures[i];
    let Some(number) = capture.number() else {
        return match capture {
            Capture::Cause => seen.trap.map(|(i, c, _)| u32::from(i) << 31 | u32::from(c)),
            _ => Some(u32::try_from(seen.cycle.saturating_sub(call?.cycle)).unwrap_or(u32::MAX)),
        };
    };
    Some(capture.half(match number {
        Number::Register(r) => shadow.register(r)?,
        Number::Stack(n) => shadow.stack(n)?,
        Number::EntryRegister(_) | Number::EntryStack(_) => return Some(call?.captured[i]),
        Number::Pc => seen.trap.filter(|_| matches!(slot.trigger, Trigger::Trap { .. })).map_or(seen.pc, |t| t.2),
        Number::Address => access?.addr,
        Number::Value => access?.value,
    }))
}
