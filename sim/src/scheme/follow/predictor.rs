//! Outcomes and targets of one core, as encoder and replay run them
//!
//! For a conditional, in this order: the look-ups of tables, loops and past; the context; its outcome; contexts, loops, tables (which learn
//! the conditional before), past, history. For an indirect branch: the look-up, its target, the tables, and the history if it is a jump or call.
//!
//! With `upper` bits in a register, the tables hold addresses without them. A target is predicted if its lower bits are, and the register
//! holds its upper bits; each target sets the register.

use super::context::{self, Contexts, Situation};
use super::dictionary::Dictionary;
use super::hash::{self, History};
use super::loops::{self, Loops};
use super::past::{self, Past};
use super::sizes::Sizes;
use super::tables::{self, Tables};
use super::targets::{self, Targets};
use crate::platform::Platform;
use retire::isa::Indirect;

/// Predictor of one core.
#[derive(Clone, Debug)]
pub struct Predictor {
    tables: Tables,
    loops: Loops,
    past: Past,
    contexts: Contexts,
    targets: Targets,
    history: History,
    upper: u64,
    /// Mask of the lower bits of a byte address, which the tables hold.
    low_mask: u64,
}

/// Predictions of the target of an indirect branch that is not resolved yet.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    found: targets::LookUp,
    dictionary: &'a Dictionary,
    upper: u64,
    low_mask: u64,
}

/// What the tables say about the outcome of a conditional that is not resolved yet.
struct Asked {
    tables: tables::LookUp,
    sure_loop: Option<loops::Prediction>,
    past: Option<past::Prediction>,
    situation: Situation,
}

impl Question<'_> {
    /// The predicted target.
    #[inline]
    pub fn predicted(&self) -> u64 {
        self.found.target | self.upper
    }

    /// Whether the table that predicts was right several times.
    #[inline]
    pub fn is_sure(&self) -> bool {
        self.found.sure
    }

    /// The target that the table predicts whose prediction was not taken, if it is in another slot.
    #[inline]
    pub fn other(&self) -> Option<u64> {
        self.found.other.map(|low| low | self.upper)
    }

    /// Width of a slot of the dictionary, bits.
    pub fn slot_bits(&self) -> u32 {
        self.dictionary.log2()
    }

    /// The target in a slot of the dictionary.
    pub fn in_slot(&self, slot: u8) -> u64 {
        self.dictionary.address(slot) | self.upper
    }

    /// The slot of a target, if it is in the dictionary.
    pub fn slot(&self, target: u64) -> Option<u8> {
        let slot = self.dictionary.slot(target & self.low_mask);
        (self.in_slot(slot) == target).then_some(slot)
    }
}

impl Predictor {
    /// State after reset.
    pub fn new(sizes: &Sizes, platform: &Platform) -> Self {
        Self {
            tables: Tables::new(sizes.bimodal.ilog2(), sizes.tables, sizes.tagged.ilog2()),
            loops: Loops::new(sizes.loops),
            past: Past::new(sizes.past, sizes.pointers.ilog2()),
            contexts: Contexts::default(),
            targets: Targets::new(sizes.targets()),
            history: History::default(),
            upper: 0,
            low_mask: u64::MAX >> (64 - (platform.xlen - sizes.upper)),
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.tables.reset();
        self.loops.reset();
        self.past.reset();
        self.contexts = Contexts::default();
        self.targets.reset();
        self.history = History::default();
        self.upper = 0;
    }

    /// A direct conditional at `pc`: predicts, calls `resolve` with the prediction to get the outcome, learns, and returns the outcome.
    /// In the warm-up it predicts not taken, and learns nothing.
    #[inline]
    pub fn conditional(&mut self, pc: u64, in_warm_up: bool, resolve: impl FnOnce(bool) -> bool) -> bool {
        if in_warm_up {
            return resolve(false);
        }
        let pr = hash::address(pc);
        let asked = self.ask(pr);
        let Situation { taken: says, context } = asked.situation;
        // a branch, and not a value: the processor that runs this predicts it, and looks up the next conditional before it knows the outcome of this one
        if resolve(says ^ self.contexts.turns(context)) {
            self.contexts.learn(context, says);
            self.learn::<true>(pr, asked);
            true
        } else {
            self.contexts.learn(context, !says);
            self.learn::<false>(pr, asked);
            false
        }
    }

    /// As [`Predictor::conditional`], but `resolve` gets the situation, `None` in the warm-up, and the contexts are the caller's. If it returns an error,
    /// nothing is learnt.
    #[inline(always)]
    pub fn outcome<E>(
        &mut self,
        pc: u64,
        in_warm_up: bool,
        resolve: impl FnOnce(Option<Situation>) -> Result<bool, E>,
    ) -> Result<bool, E> {
        if in_warm_up {
            return resolve(None);
        }
        let pr = hash::address(pc);
        let asked = self.ask(pr);
        let taken = resolve(Some(asked.situation))?;
        if taken {
            self.learn::<true>(pr, asked);
        } else {
            self.learn::<false>(pr, asked);
        }
        Ok(taken)
    }

    #[inline(always)]
    fn ask(&self, pr: u32) -> Asked {
        let tables = self.tables.look_up(pr);
        let sure_loop = self.loops.look_up(pr);
        let past = self.past.look_up();
        Asked { tables, sure_loop, past, situation: context::situation(&tables, sure_loop, past) }
    }

    #[inline(always)]
    fn learn<const TAKEN: bool>(&mut self, pr: u32, asked: Asked) {
        self.loops.retire(pr, asked.sure_loop, asked.tables.taken, TAKEN);
        self.tables.retire(asked.tables, TAKEN);
        self.past.retire(pr, asked.past, TAKEN);
        self.push(TAKEN);
    }

    /// A direct call; `link` is the address after it.
    #[inline]
    pub fn call(&mut self, link: u64, in_warm_up: bool) {
        if !in_warm_up {
            self.targets.call(link & self.low_mask);
        }
    }

    /// An indirect branch at `pc`: calls `resolve` with the prediction to get the target, learns, and returns the target. `link` is the
    /// address after the branch. If `resolve` returns `None`, nothing is learnt and `None` is returned. In the warm-up nothing is predicted
    /// or learnt.
    #[inline(always)]
    pub fn indirect<E>(
        &mut self,
        kind: Indirect,
        pc: u64,
        link: u64,
        in_warm_up: bool,
        resolve: impl FnOnce(Option<Question<'_>>) -> Result<u64, E>,
    ) -> Result<u64, E> {
        if in_warm_up {
            return resolve(None);
        }
        let pr = hash::address(pc);
        let found = self.targets.look_up(kind, pr);
        let Self { upper, low_mask, .. } = *self;
        let dictionary = self.targets.dictionary();
        let target = resolve(Some(Question { found, dictionary, upper, low_mask }))?;
        let low = target & low_mask;
        self.targets.retire(kind, pr, &found, (low, link & low_mask), found.target | upper == target);
        self.upper = target & !low_mask;
        if let Indirect::Jump | Indirect::Call = kind {
            self.push(History::of_target(target));
        }
        Ok(target)
    }

    #[inline(always)]
    fn push(&mut self, bit: bool) {
        self.tables.push(bit, self.history);
        self.targets.push(bit, self.history);
        self.history.push(bit);
    }
}
