//! Runs forwards and backwards to breakpoints and watchpoints
//!
//! All cores go together, in replay's order. A breakpoint is reached when its address is the next of a core and a condition of it holds; a watchpoint
//! is reached after the access forwards, and before it backwards, so that the change can be seen from both sides. A write
//! watchpoint is reached only where the value changes.

use super::accesses::{Access, Accesses};
use super::agent;
use super::packets::Conditions;
use super::scene::Scene;
use sim::timeline::{Back, Timeline};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Accesses that trigger a watchpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Stores that change it.
    Write,
    /// Loads.
    Read,
    /// Both.
    Access,
}

/// A watched memory range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// First byte.
    pub addr: u32,
    /// Size, bytes.
    pub length: u32,
    /// Accesses that trigger it.
    pub kind: Kind,
}

impl Watch {
    fn is_hit(&self, a: &Access) -> bool {
        let kind = match self.kind {
            Kind::Write => a.store,
            Kind::Read => !a.store,
            Kind::Access => true,
        };
        kind && a.touches(self.addr, self.length)
    }
}

/// Reason for a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The core is about to execute an instruction with a breakpoint.
    Break(u8),
    /// The core made a watched access, or when running backwards is about to make it.
    Watch(u8, Watch),
    /// The core completed its step.
    Step(u8),
    /// The beginning or the end of the recording was reached.
    Edge,
    /// The user interrupted it.
    Interrupted,
}

/// A timeline with breakpoints and watchpoints.
pub struct Motion<S: Scene> {
    /// The timeline.
    pub line: Timeline<S>,
    /// Addresses of instructions.
    pub breakpoints: BTreeSet<u64>,
    /// Conditions of some of them.
    pub conditions: Conditions,
    /// Watched memory.
    pub watches: Vec<Watch>,
    /// The core whose breakpoints and accesses stop the run forwards; `None`: all. The others go on with it in any case.
    pub only: Option<u8>,
}

/// The last known contents of the watched memory, for write watchpoints.
#[derive(Default)]
struct Values(Vec<Vec<u8>>);

impl Values {
    fn of(scene: &impl Scene, watches: &[Watch]) -> Self {
        Self(watches.iter().map(|w| Self::bytes(scene, w)).collect())
    }

    fn bytes(scene: &impl Scene, watch: &Watch) -> Vec<u8> {
        match watch.kind {
            Kind::Write => scene.memory(watch.addr.into(), watch.length as usize),
            Kind::Read | Kind::Access => Vec::new(),
        }
    }

    /// The first watch that the accesses of the last instruction reach.
    fn hit(&mut self, scene: &impl Scene, watches: &[Watch], accesses: &Accesses) -> Option<Watch> {
        let mut first = None;
        for (watch, value) in watches.iter().zip(&mut self.0) {
            if !accesses.0.iter().any(|a| watch.is_hit(a)) {
                continue;
            }
            let now = Self::bytes(scene, watch);
            if watch.kind != Kind::Write || now != *value {
                first = first.or(Some(*watch));
            }
            *value = now;
        }
        first
    }
}

/// Instructions between two looks whether to stop.
const CHECK_INTERVAL: u64 = 1 << 14;

impl<S: Scene> Motion<S> {
    /// Starts at the beginning.
    pub fn new(replay: S) -> Self {
        Self {
            line: Timeline::new(replay),
            breakpoints: BTreeSet::new(),
            conditions: Conditions::new(),
            watches: Vec::new(),
            only: None,
        }
    }

    /// Whether an instruction's accesses touch what is watched.
    fn touched(watches: &[Watch], accesses: &Accesses) -> bool {
        accesses.0.iter().any(|a| watches.iter().any(|w| w.is_hit(a)))
    }

    /// The core that is before a breakpoint after a step of `core`; `only`: if it is this one.
    #[inline]
    fn at_break(
        breakpoints: &BTreeSet<u64>,
        conditions: &Conditions,
        replay: &S,
        core: u8,
        only: Option<u8>,
    ) -> Option<u8> {
        if breakpoints.is_empty() {
            return None;
        }
        let is_true = |code: &Vec<u8>, core| agent::holds(code, replay, core).unwrap_or(true);
        let stops = |core, pc| conditions.get(&pc).is_none_or(|all| all.iter().any(|code| is_true(code, core)));
        let stands = |core: &u8| replay.pc(*core).is_some_and(|pc| breakpoints.contains(&pc) && stops(*core, pc));
        let moved = std::iter::once(core).chain(replay.moved().iter().copied());
        moved.filter(|core| only.is_none_or(|only| only == *core)).find(stands)
    }

    /// Returns a function that selects instructions to examine, and clears the accesses of others. `all`: selects every
    /// instruction.
    fn until<'a>(
        breakpoints: &'a BTreeSet<u64>,
        watches: &'a [Watch],
        all: bool,
    ) -> impl FnMut(&mut Accesses, u64) -> bool + 'a {
        move |accesses, pc| {
            let hit = !accesses.0.is_empty() && Self::touched(watches, accesses);
            if all || hit || breakpoints.contains(&pc) {
                return true;
            }
            accesses.0.clear();
            false
        }
    }

    /// Runs forwards until something stops it, or for one instruction of core `step`, if given. `interrupted` is called
    /// from time to time, with the moment.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn forwards(&mut self, step: Option<u8>, mut interrupted: impl FnMut(u64) -> bool) -> Result<Stop, S::Error> {
        let mut accesses = Accesses::default();
        let mut values = Values::of(self.line.replay(), &self.watches);
        loop {
            accesses.0.clear();
            let most = if step.is_some() { 1 } else { CHECK_INTERVAL - self.line.replay().position() % CHECK_INTERVAL };
            let until = Self::until(&self.breakpoints, &self.watches, false);
            let Some(core) = self.line.advance(&mut accesses, most, until)? else { return Ok(Stop::Edge) };
            let counts = self.only.is_none_or(|only| only == core);
            if let Some(watch) = values.hit(self.line.replay(), &self.watches, &accesses).filter(|_| counts) {
                return Ok(Stop::Watch(core, watch));
            }
            let replay = self.line.replay();
            if step == Some(core) {
                return Ok(Stop::Step(core));
            }
            if let Some(core) = Self::at_break(&self.breakpoints, &self.conditions, replay, core, self.only) {
                return Ok(Stop::Break(core));
            }
            if replay.position() % CHECK_INTERVAL == 0 && interrupted(replay.position()) {
                return Ok(Stop::Interrupted);
            }
        }
    }

    /// Runs backwards until something stops it, or for one instruction of core `step`, if given. `interrupted` is called from
    /// time to time, with a moment after which nothing was found.
    ///
    /// # Errors
    /// Where the recording is damaged.
    pub fn backwards(&mut self, step: Option<u8>, interrupted: impl FnMut(u64) -> bool) -> Result<Stop, S::Error> {
        let here = self.line.replay().position();
        let mut stop = Stop::Edge;
        let (breakpoints, conditions, watches) = (&self.breakpoints, &self.conditions, &self.watches);
        let values = RefCell::new(Values::default());
        let begin = |replay: &S, _: &mut Accesses| *values.borrow_mut() = Values::of(replay, watches);
        let found = |replay: &S, core: u8, accesses: &mut Accesses| {
            let watch = values.borrow_mut().hit(replay, watches, accesses);
            accesses.0.clear();
            let (before, next_moment) = (replay.position() - 1, replay.position());
            let (moment, why) = match (watch, step) {
                (_, Some(step)) if step == core => (before, Stop::Step(core)),
                (_, Some(_)) => return None,
                (watch, None) => match (Self::at_break(breakpoints, conditions, replay, core, None), watch) {
                    (Some(core), _) if next_moment < here => (next_moment, Stop::Break(core)),
                    (_, Some(watch)) => (before, Stop::Watch(core, watch)),
                    (_, None) => return None,
                },
            };
            stop = why;
            Some(moment)
        };
        let until = Self::until(breakpoints, watches, step.is_some());
        Ok(match self.line.seek_back(&mut Accesses::default(), begin, until, found, interrupted)? {
            Back::Found => stop,
            Back::First => Stop::Edge,
            Back::Stopped => Stop::Interrupted,
        })
    }
}
