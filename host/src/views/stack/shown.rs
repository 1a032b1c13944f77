//! Stacks as a view shows them: only while a core is in selected contexts
//!
//! Calls are followed in all code. Where a core leaves the selected contexts, all its functions are left; where it returns to them, the
//! functions that are then on its stack are entered. So the times of disjoint selections add up to those of all contexts.

use super::Change;
use crate::contexts::Selection;
use retire::Context;

/// Selects what happens to the stacks of all cores.
#[derive(Clone, Debug)]
pub struct Shown {
    selection: Selection,
    by_space: bool,
    cores: Vec<Core>,
}

#[derive(Clone, Debug)]
struct Core {
    /// Functions on the stack.
    stack: Vec<u32>,
    shown: bool,
}

impl Shown {
    /// At the beginning of a run of `cores` cores: all contexts.
    pub fn new(cores: u8) -> Self {
        let core = Core { stack: Vec::new(), shown: true };
        Self { selection: Selection::default(), by_space: false, cores: vec![core; cores.into()] }
    }

    /// Only these contexts.
    #[must_use]
    pub fn only(mut self, selection: Selection) -> Self {
        let shown = selection.has(Context::RESET);
        self.cores.iter_mut().for_each(|core| core.shown = shown);
        Self { selection, ..self }
    }

    /// Each address space has its own stack: [`Change::Switch`] has the number of the space instead of the stack's.
    #[must_use]
    pub fn by_space(self) -> Self {
        Self { by_space: true, ..self }
    }

    /// Whether the next instructions of a core are shown.
    pub fn is_shown(&self, core: u8) -> bool {
        self.cores[usize::from(core)].shown
    }

    /// Turns the changes of an event of a core into those that are shown. `before`: the context of its instructions; `after`: of the next.
    /// What retired stays, for it is time that passes.
    pub fn select(&mut self, core: u8, before: Context, after: Context, changes: &mut Vec<Change>) {
        let by_space = self.by_space;
        if self.selection.is_all() && !by_space {
            return;
        }
        let Core { stack, shown } = &mut self.cores[usize::from(core)];
        let goes_on = self.selection.has(after);
        let cut = *shown != goes_on || by_space && before.id() != after.id();
        // all functions are left after the last instruction in the context
        let last = changes.iter().rposition(|change| matches!(change, Change::Retired(_)));
        let until = if cut { last.map_or(0, |last| last + 1) } else { usize::MAX };
        let mut out = Vec::with_capacity(changes.len());
        let mut visible = *shown;
        let leave_all = |out: &mut Vec<Change>, stack: &[u32]| out.extend(stack.iter().map(|_| Change::Leave));
        for (at, change) in changes.drain(..).enumerate() {
            if at == until && std::mem::take(&mut visible) {
                leave_all(&mut out, stack);
            }
            let kept = match change {
                Change::Retired(_) => true,
                Change::Enter(function) => {
                    stack.push(function);
                    visible
                }
                Change::Leave => stack.pop().is_some() && visible,
                Change::Switch(_) => !by_space,
            };
            out.extend(kept.then_some(change));
        }
        if cut {
            if visible {
                leave_all(&mut out, stack);
            }
            if by_space {
                out.push(Change::Switch(after.id()));
            }
            if goes_on {
                out.extend(stack.iter().map(|function| Change::Enter(*function)));
            }
        }
        *shown = goes_on;
        *changes = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const USER: Context = Context::new(0, 1);
    const KERNEL: Context = Context::new(1, 1);
    const OTHER: Context = Context::new(1, 2);

    fn selected(shown: &mut Shown, before: Context, after: Context, changes: &[Change]) -> Vec<Change> {
        let mut changes = changes.to_vec();
        shown.select(0, before, after, &mut changes);
        changes
    }

    #[test]
    fn functions_are_left_and_entered_where_the_selection_ends_and_begins() {
        use Change::{Enter, Leave, Retired, Switch};
        let mut shown = Shown::new(1).only(Selection { spaces: vec![], modes: vec![0] });
        assert!(!shown.is_shown(0));
        assert_eq!(selected(&mut shown, Context::RESET, USER, &[Retired(2), Enter(5)]), [Retired(2), Enter(5)]);
        assert_eq!(selected(&mut shown, USER, USER, &[Retired(1), Enter(6)]), [Retired(1), Enter(6)]);
        // a trap: its handler is not shown
        let trap = selected(&mut shown, USER, KERNEL, &[Retired(3), Enter(7)]);
        assert_eq!(trap, [Retired(3), Leave, Leave]);
        assert_eq!(selected(&mut shown, KERNEL, KERNEL, &[Retired(4), Enter(8)]), [Retired(4)]);
        let back = selected(&mut shown, KERNEL, USER, &[Retired(1), Leave, Leave]);
        assert_eq!(back, [Retired(1), Enter(5), Enter(6)]);
        // functions of an address space are entered in the next one
        let mut shown = Shown::new(1).by_space();
        assert_eq!(selected(&mut shown, KERNEL, KERNEL, &[Enter(5), Switch(3)]), [Enter(5)]);
        let moved = selected(&mut shown, KERNEL, OTHER, &[Retired(3)]);
        assert_eq!(moved, [Retired(3), Leave, Switch(2), Enter(5)]);
    }

    /// Instructions by the stack in which they retired.
    fn counted(changes: &[Vec<Change>]) -> std::collections::BTreeMap<Vec<u32>, u64> {
        let (mut stack, mut counts) = (Vec::new(), std::collections::BTreeMap::new());
        for change in changes.iter().flatten() {
            match change {
                Change::Retired(n) if !stack.is_empty() => *counts.entry(stack.clone()).or_insert(0) += u64::from(*n),
                Change::Enter(function) => stack.push(*function),
                Change::Leave => assert!(stack.pop().is_some(), "{changes:?}"),
                _ => {}
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn disjoint_selections_have_all_instructions(
            steps in prop::collection::vec((0u8..4, prop::collection::vec((0u8..3, 1u32..9), 0..5)), 1..40)
        ) {
            let contexts = [Context::RESET, USER, KERNEL, OTHER];
            let (mut depth, mut now, mut events) = (0, Context::RESET, Vec::new());
            for (next, changes) in steps {
                let mut made = Vec::new();
                for (kind, n) in changes {
                    made.push(match kind {
                        0 if depth > 0 => { depth -= 1; Change::Leave }
                        1 => { depth += 1; Change::Enter(n) }
                        _ => Change::Retired(n),
                    });
                }
                let after = contexts[usize::from(next)];
                events.push((now, after, made));
                now = after;
            }
            let all = |mut shown: Shown| {
                let changes = events.iter().map(|(before, after, changes)| selected(&mut shown, *before, *after, changes));
                counted(&changes.collect::<Vec<_>>())
            };
            let whole = all(Shown::new(1));
            prop_assert_eq!(&whole, &all(Shown::new(1).by_space()));
            for parts in [
                [0, 1, 3].map(|mode| Selection { spaces: vec![], modes: vec![mode] }),
                [0, 1, 2].map(|space| Selection { spaces: vec![space], modes: vec![] }),
            ] {
                let mut sum = std::collections::BTreeMap::new();
                for selection in parts {
                    for (stack, n) in all(Shown::new(1).only(selection)) {
                        *sum.entry(stack).or_insert(0) += n;
                    }
                }
                prop_assert_eq!(&sum, &whole);
            }
        }
    }
}
