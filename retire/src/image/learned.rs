//! An image learned from a recorded run, for use without an ELF
//!
//! Imported traces contain branches, but not the instructions between them, and with variable-length instructions the
//! distance of two addresses does not determine the number of instructions. So every address at which a run of
//! instructions begins (a *run start*: the target of a branch, a fall-through, a trap handler, a start) is recorded
//! with the branch at the end of the run and the number of instructions up to it; if a trap or a stop cuts a run short,
//! with the address of the cut. All records of one run start or one branch must agree: self-modifying code and missing
//! records are rejected.
//!
//! The target of a direct branch that is never taken is unknown, and is never needed.

use super::{Exit, ExitKind, Image};
use crate::isa::Indirect;
use crate::{FlowEvent, FlowKind, RetireSink};
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

#[inline]
fn hash(v: u64) -> u64 {
    // a table uses bits of both ends
    let product = v.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// A hasher of addresses: one multiplication; the standard hash would cost more than the rest of replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(v.into());
    }
    #[inline]
    fn write_u64(&mut self, v: u64) {
        self.0 = hash(self.0 ^ v);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A hash map of addresses.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// No exit is known: the run was always cut short.
const NO_EXIT: u32 = u32::MAX;
/// No run start: the slot is free.
const FREE: u32 = NO_EXIT - 1;

/// A run by its start: a slot of [`RunStarts`].
#[derive(Clone, Copy, Debug)]
struct Slot {
    pc: u64,
    /// Instructions up to and including the exit.
    count: u32,
    /// Index of the exit, [`NO_EXIT`], or [`FREE`].
    exit: u32,
}

impl Slot {
    const FREE: Self = Self { pc: 0, count: 0, exit: FREE };
}

/// Run starts by address, in open addressing: at most half of the slots are taken, so that nearly always the first one is
/// right.
#[derive(Clone, Debug)]
struct RunStarts(Box<[Slot]>);

impl Default for RunStarts {
    fn default() -> Self {
        Self::new(std::iter::empty(), 0)
    }
}

impl RunStarts {
    fn new(all: impl Iterator<Item = Slot>, number: usize) -> Self {
        let mut slots = vec![Slot::FREE; (2 * number).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for slot in all {
            let mut at = hash(slot.pc) as usize & mask;
            while slots[at].exit != FREE {
                at = (at + 1) & mask;
            }
            slots[at] = slot;
        }
        Self(slots.into())
    }

    #[inline]
    fn get(&self, pc: u64) -> Option<&Slot> {
        let mut at = hash(pc) as usize;
        loop {
            // the number of slots is a power of two
            let slot = &self.0[at & (self.0.len() - 1)];
            if slot.exit == FREE {
                return None;
            }
            if slot.pc == pc {
                return Some(slot);
            }
            at = at.wrapping_add(1);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct RunStart {
    /// Instructions up to and including the exit; without an exit, the longest part seen.
    count: u32,
    /// Index of the exit, or [`NO_EXIT`].
    exit: u32,
    /// Index of the event from which this was learned.
    event: u64,
}

/// The run starts and branches of a recording.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    exits: Vec<Exit>,
    run_starts: RunStarts,
    parts: Map<(u64, u32), u64>,
    open_end: Option<Exit>,
}

impl Learned {
    #[inline]
    pub(super) fn run(&self, pc: u64) -> Option<(u32, &Exit)> {
        let Slot { count, exit, .. } = *self.run_starts.get(pc)?;
        let exit = if exit == NO_EXIT { self.open_end.as_ref()? } else { &self.exits[exit as usize] };
        Some((count, exit))
    }

    pub(super) fn skip(&self, pc: u64, count: u32) -> Option<u64> {
        if count == 0 {
            return Some(pc);
        }
        self.parts.get(&(pc, count)).copied()
    }
}

/// Error of two records that cannot be from the same code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event}, hart {hart}, pc 0x{pc:x}: {what}; without an ELF all records must be of one unchanged code")]
pub struct Inconsistent {
    /// Index of the event, from 0.
    pub event: u64,
    /// Hart of the event.
    pub hart: u8,
    /// PC of the event.
    pub pc: u64,
    /// The contradiction.
    pub what: String,
}

/// Slots of the [`Cache`]: what fits the second level of a machine's cache.
const CACHED: usize = 1 << 13;

/// What a branch event says, apart from its hart and its time; the target only if the code contains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lesson {
    at: u64,
    pc: u64,
    target: u64,
    count: u32,
    /// [`FlowKind::code`].
    kind: u8,
    len: u8,
}

/// Lessons that were learned before. Branches repeat, and a lesson that was once without a contradiction says nothing new:
/// what is known of a run start with a branch, and of a branch with its target, never changes.
#[derive(Clone)]
struct Cache(Box<[Lesson]>);

impl Default for Cache {
    fn default() -> Self {
        Self(vec![Lesson::default(); CACHED].into())
    }
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cache({} slots)", self.0.len())
    }
}

impl Cache {
    /// The slot of `lesson`.
    #[inline]
    fn slot(&mut self, lesson: &Lesson) -> &mut Lesson {
        &mut self.0[hash(lesson.at ^ lesson.target.rotate_left(16)) as usize % CACHED]
    }
}

/// Learns an image from events; as a [`RetireSink`] it keeps the first contradiction for [`Learner::finish`].
#[derive(Clone, Debug, Default)]
pub struct Learner {
    exits: Vec<Exit>,
    branches: Map<u64, u32>,
    run_starts: Map<u64, RunStart>,
    parts: Map<(u64, u32), u64>,
    /// Last run start of each hart.
    at: Vec<Option<u64>>,
    events: u64,
    cache: Cache,
    error: Option<Inconsistent>,
}

/// Class of a branch, and whether its target is fixed; `None` for anything else.
pub(super) fn exit_kind(kind: FlowKind) -> Option<(ExitKind, bool)> {
    let indirect = |i| Some((ExitKind::Indirect(i, kind), false));
    match kind {
        FlowKind::Conditional { taken } => Some((ExitKind::Conditional, taken)),
        FlowKind::Jump => Some((ExitKind::Jump, true)),
        FlowKind::Call => Some((ExitKind::Call, true)),
        FlowKind::IndirectJump | FlowKind::TrapReturn => indirect(Indirect::Jump),
        FlowKind::IndirectCall => indirect(Indirect::Call),
        FlowKind::Return => indirect(Indirect::Return),
        FlowKind::CoSwap => indirect(Indirect::CoSwap),
        FlowKind::ConditionalIndirect { how, .. } => Some((ExitKind::ConditionalIndirect(how), false)),
        FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Context { .. } | FlowKind::Gap { .. } | FlowKind::Stop => {
            None
        }
    }
}

impl Learner {
    /// A learner without any events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether no event has contradicted another one yet.
    pub fn is_consistent(&self) -> bool {
        self.error.is_none()
    }

    /// The image, or the first contradiction.
    pub fn finish(self) -> Result<Image, Inconsistent> {
        if let Some(e) = self.error {
            return Err(e);
        }
        let number = self.run_starts.len();
        let slots = self.run_starts.into_iter().map(|(pc, l)| Slot { pc, count: l.count, exit: l.exit });
        let run_starts = RunStarts::new(slots, number);
        let open_end = Some(Exit { pc: 0, target: 0, kind: ExitKind::End, len: 0 });
        Ok(Image::learned(Learned { exits: self.exits, run_starts, parts: self.parts, open_end }))
    }

    /// Index of the branch of `e`.
    fn branch(&mut self, e: &FlowEvent, kind: ExitKind, fixed: bool) -> Result<u32, String> {
        match self.branches.entry(e.pc) {
            Entry::Vacant(v) => {
                let index = self.exits.len() as u32;
                let target = if fixed { e.target } else { 0 };
                self.exits.push(Exit { pc: e.pc, target, kind, len: e.len });
                v.insert(index);
                Ok(index)
            }
            Entry::Occupied(o) => {
                let exit = &mut self.exits[*o.get() as usize];
                if exit.kind != kind || exit.len != e.len {
                    return Err(format!(
                        "{:?} of {} bytes, but it was {:?} of {} bytes before",
                        kind, e.len, exit.kind, exit.len
                    ));
                }
                if fixed && exit.target == 0 {
                    exit.target = e.target;
                }
                if fixed && exit.target != e.target {
                    return Err(format!(
                        "a direct branch to 0x{:x}, that went to 0x{:x} before",
                        e.target, exit.target
                    ));
                }
                Ok(*o.get())
            }
        }
    }

    fn learn(&mut self, e: &FlowEvent) -> Result<(), String> {
        let hart = usize::from(e.hart);
        if self.at.len() <= hart {
            self.at.resize(hart + 1, None);
        }
        let at = self.at[hart].replace(e.target);
        if let FlowKind::Start = e.kind {
            return Ok(());
        }
        let at = at.ok_or("the hart has no start")?;
        let Some((kind, fixed)) = exit_kind(e.kind) else {
            return match e.kind {
                FlowKind::Trap { .. } | FlowKind::Stop => self.part(at, e),
                _ => Err(format!("{:?} cannot be replayed without an ELF", e.kind)),
            };
        };
        let target = if fixed { e.target } else { 0 };
        let lesson = Lesson { at, pc: e.pc, target, count: e.count, kind: e.kind.code(), len: e.len };
        if *self.cache.slot(&lesson) == lesson {
            return Ok(());
        }
        let exit = self.branch(e, kind, fixed)?;
        let (count, event) = (e.count, self.events);
        match self.run_starts.entry(at) {
            Entry::Vacant(v) => {
                v.insert(RunStart { count, exit, event });
            }
            Entry::Occupied(mut o) => {
                let known = *o.get();
                if known.exit == NO_EXIT {
                    if known.count >= count {
                        return Err(format!(
                            "the branch comes {count} instructions after 0x{at:x}, but event {} went {} without one",
                            known.event, known.count
                        ));
                    }
                    o.insert(RunStart { count, exit, event });
                } else if (known.count, known.exit) != (count, exit) {
                    return Err(format!(
                        "{count} instructions from 0x{at:x} to this branch, but event {} says {} to the branch at 0x{:x}",
                        known.event, known.count, self.exits[known.exit as usize].pc
                    ));
                }
            }
        }
        // a target of 0 counts as unknown
        if !fixed || target != 0 {
            *self.cache.slot(&lesson) = lesson;
        }
        Ok(())
    }

    /// The run from `at` is cut short after `e.count` instructions, at `e.pc`.
    fn part(&mut self, at: u64, e: &FlowEvent) -> Result<(), String> {
        if e.count == 0 {
            return if e.pc == at { Ok(()) } else { Err(format!("no instruction since 0x{at:x}")) };
        }
        let run_start =
            self.run_starts.entry(at).or_insert(RunStart { count: e.count, exit: NO_EXIT, event: self.events });
        if run_start.exit == NO_EXIT {
            run_start.count = run_start.count.max(e.count);
        } else if run_start.count <= e.count {
            return Err(format!(
                "{} instructions from 0x{at:x} without a branch, but event {} says that the {}th is one",
                e.count, run_start.event, run_start.count
            ));
        }
        let known = *self.parts.entry((at, e.count)).or_insert(e.pc);
        if known != e.pc {
            return Err(format!("{} instructions after 0x{at:x}, where 0x{known:x} was before", e.count));
        }
        Ok(())
    }
}

impl RetireSink for Learner {
    fn event(&mut self, e: &FlowEvent) {
        if self.error.is_none() {
            if let Err(what) = self.learn(e) {
                self.error = Some(Inconsistent { event: self.events, hart: e.hart, pc: e.pc, what });
            }
        }
        self.events += 1;
    }
}

impl Image {
    /// Learns the code from a run: see [`crate::image::learned`].
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a FlowEvent>) -> Result<Self, Inconsistent> {
        let mut learner = Learner::new();
        events.into_iter().for_each(|e| learner.event(e));
        learner.finish()
    }
}
