//! Moments of a hart, and the position of each hart in a run

use crate::{FlowEvent, FlowKind};

/// A moment of a hart, for code that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Hart.
    pub hart: u8,
    /// Instructions that it retired before; [`When::UNKNOWN`] after a loss of unknown length.
    pub retired: u64,
    /// Cycle of its last event; 0 in a trace without times.
    pub cycle: u64,
    /// Cycle before which it retires what follows, up to its next event with a time: not before `cycle`.
    pub until: u64,
}

impl When {
    /// Value of [`When::retired`].
    pub const UNKNOWN: u64 = u64::MAX;
    /// Before the first instruction of hart 0.
    pub const START: Self = Self { hart: 0, retired: 0, cycle: 0, until: 0 };

    /// This number of instructions later.
    #[inline]
    #[must_use]
    pub const fn after(self, instructions: u64) -> Self {
        Self { retired: self.retired.saturating_add(instructions), ..self }
    }

    /// Whether the number of instructions is known.
    pub const fn is_known(self) -> bool {
        self.retired != Self::UNKNOWN
    }
}

/// Position of a hart between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Address of the next instruction.
    pub pc: u64,
    /// Its moment.
    pub when: When,
}

impl Position {
    /// Goes on to the position after the next event of its hart.
    #[inline]
    pub fn pass(&mut self, e: &FlowEvent) {
        // the event that follows counts from before
        if matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            return;
        }
        self.pc = e.target;
        self.when = When { hart: e.hart, cycle: e.cycle, until: e.cycle, ..self.when };
        self.when = match e.kind {
            FlowKind::Gap { lost: 0 | u32::MAX } => When { retired: When::UNKNOWN, ..self.when },
            FlowKind::Gap { lost } => self.when.after(u64::from(e.count) + u64::from(lost)),
            _ => self.when.after(e.count.into()),
        };
    }
}

/// Positions of all harts, from their events.
#[derive(Clone, Debug)]
pub struct Positions(Vec<Position>);

impl Positions {
    /// Before the first event of `harts` harts.
    pub fn new(harts: u8) -> Self {
        Self(vec![Position::default(); harts.into()])
    }

    /// Position of `hart`.
    #[inline]
    pub fn of(&self, hart: u8) -> Position {
        self.0[usize::from(hart)]
    }

    /// Goes on to the position after the next event.
    #[inline]
    pub fn pass(&mut self, e: &FlowEvent) {
        self.0[usize::from(e.hart)].pass(e);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_with_a_context_counts_from_before_it() {
        let mut position = Position::default();
        let event = |kind, target| FlowEvent { hart: 0, kind, len: 0, count: 0, pc: 0, target, cycle: 0 };
        let context = |alone| FlowKind::Context { context: crate::Context::new(1, 2), alone };
        position.pass(&event(FlowKind::Jump, 0x80));
        position.pass(&event(context(false), 0x900));
        assert_eq!(position.pc, 0x80);
        position.pass(&event(context(true), 0x90));
        assert_eq!(position.pc, 0x90);
    }

    #[test]
    fn places_count_what_is_lost_until_a_loss_of_unknown_length() {
        let mut position = Position::default();
        let event = |kind, count| FlowEvent { hart: 2, kind, len: 0, count, pc: 0, target: 0x80, cycle: 0 };
        position.pass(&event(FlowKind::Jump, 3));
        position.pass(&event(FlowKind::Gap { lost: 10 }, 2));
        assert_eq!(position, Position { pc: 0x80, when: When { hart: 2, retired: 15, ..When::START } });
        position.pass(&event(FlowKind::Gap { lost: 0 }, 2));
        position.pass(&event(FlowKind::Jump, 3));
        assert!(!position.when.is_known());
    }
}
