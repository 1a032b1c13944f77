//! Loops without a branch, of which a trace does not say how often they ran

use super::super::MAX_JUMPS;
use super::tables::Returns;
use crate::sequential;
use retire::image::{ExitKind, Image};
use retire::FlowKind;

/// What packets leave out in addition to direct jumps and calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Omitted {
    /// Returns to the top of the stack.
    pub(super) returns: Option<Returns>,
    /// Sequentially inferable jumps.
    pub(super) sijump: bool,
}

/// Whether the path from `start` leads back there with no instruction on it that a packet reports, so that the address may mean any of its
/// visits.
pub(super) fn leads_back(image: &Image, start: u64, mut omitted: Omitted) -> bool {
    let depth = |omitted: &Omitted| omitted.returns.as_ref().map(Returns::depth);
    let first = depth(&omitted);
    let mut pc = start;
    for jumps in 0..MAX_JUMPS {
        let Some((count, exit)) = image.run(pc) else { return false };
        let passes = || (0..count).any(|n| image.skip(pc, n) == Some(start));
        if jumps > 0 && depth(&omitted) == first && (pc..=exit.pc).contains(&start) && passes() {
            return true;
        }
        let link = exit.pc.wrapping_add(exit.len.into());
        let target = match exit.kind {
            ExitKind::Jump | ExitKind::Call => Some(exit.target),
            ExitKind::Indirect(_, kind) => {
                let inferred = || sequential::target(image, pc, exit.pc);
                let returns = omitted.returns.as_mut().filter(|_| kind == FlowKind::Return);
                (omitted.sijump.then(inferred).flatten()).or_else(|| returns.and_then(Returns::pop))
            }
            ExitKind::Conditional | ExitKind::ConditionalIndirect(_) | ExitKind::End => None,
        };
        if let (ExitKind::Call | ExitKind::Indirect(_, FlowKind::IndirectCall), Some(returns)) =
            (exit.kind, &mut omitted.returns)
        {
            returns.call(link);
        }
        let Some(target) = target else { return false };
        pc = target;
    }
    false
}
