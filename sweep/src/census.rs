//! Statistics of a run: branches, and the streams of paper 001 table 1

use retire::stream::{Detector, End};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Statistics of a run, over all harts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Direct jumps and calls.
    pub direct_unconditional: u64,
    /// Direct conditional branches.
    pub direct_conditional: u64,
    /// Indirect branches.
    pub indirect: u64,
    /// Traps.
    pub traps: u64,
    /// Streams, including those that a trap or the end cuts short.
    pub all_streams: u64,
    /// Streams that end with a branch.
    pub streams: u64,
    /// Number of different streams among them.
    pub unique: u64,
    /// Length of the longest, instructions.
    pub longest: u32,
    /// Instructions in all of them.
    pub in_streams: u64,
    /// Number of different streams that account for 90 % of the dynamic ones.
    pub cdf_90: u64,
}

/// Collects the statistics of a run.
#[derive(Clone, Debug)]
pub struct CensusBuilder {
    counted: Census,
    detectors: Vec<Detector>,
    /// How often each stream occurred, by start and length.
    seen: HashMap<(u64, u32), u64>,
}

impl CensusBuilder {
    /// A collector for `harts` harts, before their start.
    pub fn new(harts: u8) -> Self {
        let detectors = vec![Detector::new(); usize::from(harts)];
        Self { counted: Census::default(), detectors, seen: HashMap::new() }
    }

    /// The statistics at the end.
    pub fn finish(self) -> Census {
        let mut c = self.counted;
        c.unique = self.seen.len() as u64;
        let mut counts: Vec<u64> = self.seen.into_values().collect();
        counts.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
        let mut left = (c.streams * 9).div_ceil(10);
        for n in counts {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(n);
            c.cdf_90 += 1;
        }
        c
    }
}

impl RetireSink for CensusBuilder {
    fn event(&mut self, e: &FlowEvent) {
        let c = &mut self.counted;
        match e.kind {
            FlowKind::Jump | FlowKind::Call => c.direct_unconditional += 1,
            FlowKind::Conditional { .. } => c.direct_conditional += 1,
            FlowKind::Trap { .. } => c.traps += 1,
            FlowKind::Start | FlowKind::Stop | FlowKind::Context { .. } | FlowKind::Gap { .. } => {}
            FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn
            | FlowKind::ConditionalIndirect { .. } => c.indirect += 1,
        }
        let Some(s) = self.detectors[usize::from(e.hart)].event(e) else { return };
        c.all_streams += 1;
        if s.end == End::Branch {
            *self.seen.entry((s.start, s.length)).or_default() += 1;
            c.streams += 1;
            c.longest = c.longest.max(s.length);
            c.in_streams += u64::from(s.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_counted_as_by_hand() {
        let event = |kind, count, pc, target| FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 };
        let taken = FlowKind::Conditional { taken: true };
        let mut events = vec![event(FlowKind::Start, 0, 0x100, 0x100)];
        events.extend([event(taken, 5, 0x110, 0x100); 17]); // one stream, 17 times
        events.push(event(FlowKind::Conditional { taken: false }, 5, 0x110, 0x114));
        events.push(event(FlowKind::Jump, 1, 0x114, 0x200));
        events.push(event(FlowKind::IndirectJump, 2, 0x204, 0x300)); // 0x100, 8 instructions
        events.push(event(FlowKind::Return, 3, 0x308, 0x100)); // 0x300, 3 instructions
        events.push(event(FlowKind::Trap { interrupt: true, cause: 7 }, 1, 0x104, 0x400)); // does not end with a branch
        events.push(event(taken, 1, 0x400, 0x400));
        let mut census_builder = CensusBuilder::new(1);
        events.iter().for_each(|e| census_builder.event(e));
        let c = census_builder.finish();
        assert_eq!((c.direct_unconditional, c.direct_conditional, c.indirect, c.traps), (1, 19, 2, 1));
        assert_eq!((c.streams, c.unique, c.longest, c.in_streams), (20, 4, 8, 17 * 5 + 8 + 3 + 1));
        assert_eq!(c.all_streams, 21);
        // 17 of 20 are 85 %; one more is 90 %
        assert_eq!(c.cdf_90, 2);
    }
}
