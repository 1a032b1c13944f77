//! A part of a thinned timeline, thinned further: what a page shows of a range of time

use super::{Row, Thinned};
use std::ops::RangeInclusive;

/// Rows of a core within a range of time.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Functions by depth.
    pub functions: Vec<Row>,
    /// Tasks, or stacks by number.
    pub tasks: Row,
    /// Traps.
    pub traps: Row,
    /// Gaps.
    pub gaps: Row,
}

/// A range of time with a bounded number of spans.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Calls that are shorter may be merged.
    pub width: u64,
    /// Cores.
    pub cores: Vec<Rows>,
}

impl Row {
    /// The spans of a range of time, also those that only begin or end in it.
    fn within(&self, range: &RangeInclusive<u64>) -> &[super::Span] {
        let first = self.0.partition_point(|span| span.end < *range.start());
        let rest = &self.0[first..];
        &rest[..rest.partition_point(|span| span.start <= *range.end())]
    }

    fn part(&self, range: &RangeInclusive<u64>, width: u64) -> Self {
        let mut part = Self::default();
        for span in self.within(range) {
            part.push(*span, width);
        }
        part
    }
}

impl Rows {
    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.functions.iter().chain([&self.tasks, &self.traps, &self.gaps])
    }

    fn thin(&mut self, width: u64) {
        for row in self.functions.iter_mut().chain([&mut self.tasks, &mut self.traps, &mut self.gaps]) {
            row.thin(width);
        }
    }
}

impl Thinned {
    /// A range of time with the smallest width with which it has about `most` spans. The width is that of the whole timeline if this has
    /// no more spans in the range.
    pub fn part(&self, range: RangeInclusive<u64>, most: usize) -> Part {
        let kept: usize = self
            .tracks
            .iter()
            .flat_map(|track| {
                let functions = track.functions.values().flatten();
                functions.chain([&track.tasks, &track.traps, &track.gaps])
            })
            .map(|row| row.within(&range).len())
            .sum();
        let mut width = self.width;
        if kept > most {
            // a row can have three spans for each width of the range, so that widths far below this one are too small
            let length = self.now.min(*range.end()).saturating_sub(*range.start());
            let least = length / (most.max(1) as u64).saturating_mul(16);
            while width < least {
                width = (2 * width).max(1);
            }
        }
        let rows = |track: &super::Track| Rows {
            functions: track.functions.values().flatten().map(|row| row.part(&range, width)).collect(),
            tasks: track.tasks.part(&range, width),
            traps: track.traps.part(&range, width),
            gaps: track.gaps.part(&range, width),
        };
        let mut part = Part { width, cores: self.tracks.iter().map(rows).collect() };
        while part.spans() > most && part.width <= self.now {
            part.width = (2 * part.width).max(1);
            part.cores.iter_mut().for_each(|core| core.thin(part.width));
        }
        part
    }
}

impl Part {
    /// Number of spans, of all rows.
    pub fn spans(&self) -> usize {
        self.cores.iter().flat_map(Rows::rows).map(|row| row.0.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, Span, Track};
    use super::*;
    use crate::symbols::Symbols;

    /// A core with a call of 3 in each 10, of two functions in turn.
    fn calls(number: u64) -> Thinned {
        let shape = Shape { most: usize::MAX, depth: 4, ..Shape::default() };
        let mut thinned = Thinned::new(Symbols::default(), None, 1, shape, None);
        let mut row = Row::default();
        for n in 0..number {
            row.push(Span::new(10 * n, 10 * n + 3, (n % 2) as u32), 0);
        }
        thinned.tracks = vec![Track { functions: [(0, vec![row])].into(), ..Track::default() }];
        thinned.now = 10 * number;
        thinned
    }

    #[test]
    fn a_short_range_has_each_call_and_a_long_one_all_of_them_in_fewer_spans() {
        let thinned = calls(10_000);
        let part = thinned.part(500..=599, 100);
        let shown: Vec<_> = part.cores[0].functions[0].spans().iter().map(|s| (s.start, s.end, s.calls)).collect();
        assert_eq!((part.width, shown.len()), (0, 10));
        assert_eq!((shown[0], shown[9]), ((500, 503, 1), (590, 593, 1)));

        let whole = thinned.part(0..=100_000, 100);
        let spans = whole.cores[0].functions[0].spans();
        assert!(whole.width > 0 && (20..=100).contains(&spans.len()), "{} of width {}", spans.len(), whole.width);
        assert_eq!(spans.iter().map(|s| u64::from(s.calls)).sum::<u64>(), 10_000);
        assert_eq!((spans[0].start, spans[spans.len() - 1].end), (0, 99_993));
    }

    #[test]
    fn a_range_has_what_overlaps_it() {
        let thinned = calls(10);
        let starts = |range: RangeInclusive<u64>| -> Vec<u64> {
            let part = thinned.part(range, 100);
            part.cores[0].functions[0].spans().iter().map(|s| s.start).collect()
        };
        assert_eq!(starts(13..=20), [10, 20]);
        assert!(starts(14..=19).is_empty());
        assert_eq!(starts(0..=u64::MAX).len(), 10);
        assert!(starts(200..=300).is_empty());
    }
}
