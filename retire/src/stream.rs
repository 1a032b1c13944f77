//! Dynamic basic streams: the `<SL, TA>` form of a retire stream, the input of the published compressors
//!
//! A stream consists of SL instructions, from its start address (SA) to a taken direct conditional branch or an
//! indirect branch. Direct jumps and calls do not end it, since the program contains their targets, and neither do
//! branches that are not taken. A trap, and the end of tracing, end a stream without a branch; it may then have no
//! instruction.
//!
//! Papers 001 and 002 write the same sequence in two ways: as descriptors `(SA|-, SL)` and as pairs `<SL, TA|->`, where
//! TA is the SA of the next stream. The address is omitted if the program determines it: after a direct branch
//! ([`Stream::known`]).
//!
//! # Source
//! Paper 001 section II, "Stream Detector"; paper 002 section 5.3. SL has no maximum here: coders define how they
//! encode a long one.

use crate::image::{ExitKind, Image};
use crate::{FlowEvent, FlowKind, RetireSink};

/// The end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// A taken direct conditional branch, or an indirect branch: the program shows which.
    Branch,
    /// A trap; `target` is its handler, where the next stream starts.
    Trap {
        /// Handler address.
        target: u64,
    },
    /// Tracing ends.
    Stop,
}

/// One dynamic basic stream of one hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Start address (SA).
    pub start: u64,
    /// Number of instructions (SL). 0 only at a trap or a stop.
    pub length: u32,
    /// The previous streams and the program determine SA: false for the first of a hart and after an indirect branch.
    pub known: bool,
    /// How it ends.
    pub end: End,
}

/// Divides the events of one hart into streams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detector {
    start: u64,
    length: u32,
    known: bool,
}

impl Detector {
    /// A detector before the start of the hart.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event of the hart; returns the stream that it ends.
    ///
    /// A `Gap` occurs only in replay; it ends a stream as a trap does.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent) -> Option<Stream> {
        self.length += e.count;
        let (end, known) = match e.kind {
            FlowKind::Conditional { taken: false }
            | FlowKind::ConditionalIndirect { taken: false, .. }
            | FlowKind::Jump
            | FlowKind::Call
            | FlowKind::Context { .. } => return None,
            FlowKind::Conditional { taken: true } => (End::Branch, true),
            FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn
            | FlowKind::ConditionalIndirect { taken: true, .. } => (End::Branch, false),
            FlowKind::Trap { .. } | FlowKind::Gap { .. } => (End::Trap { target: e.target }, true),
            FlowKind::Stop => (End::Stop, true),
            FlowKind::Start => {
                *self = Self { start: e.target, length: 0, known: false };
                return None;
            }
        };
        let stream = Stream { start: self.start, length: self.length, known: self.known, end };
        *self = Self { start: e.target, length: 0, known };
        Some(stream)
    }
}

/// Streams of every hart, by hart.
pub fn streams<'a>(events: impl IntoIterator<Item = &'a FlowEvent>, harts: u8) -> Vec<Vec<Stream>> {
    let mut detectors = vec![Detector::new(); usize::from(harts)];
    let mut streams = vec![Vec::new(); usize::from(harts)];
    for e in events {
        let hart = usize::from(e.hart);
        streams[hart].extend(detectors[hart].event(e));
    }
    streams
}

/// Error of a stream that is impossible in the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no stream of {length} instructions starts at 0x{start:08x}: the data are not of this program, or damaged")]
pub struct NoStream {
    /// Start address (SA).
    pub start: u64,
    /// Number of instructions (SL).
    pub length: u32,
}

/// Determines from the program where streams lead: the decoder's counterpart of the [`Detector`].
#[derive(Clone, Copy, Debug)]
pub struct Walker<'a> {
    image: &'a Image,
    /// SA of the next stream, if known.
    next: Option<u64>,
}

impl<'a> Walker<'a> {
    /// A walker before the first stream of a hart.
    pub fn new(image: &'a Image) -> Self {
        Self { image, next: None }
    }

    /// SA of the next stream, unless it must be sent.
    #[inline]
    pub fn known(&self) -> Option<u64> {
        self.next
    }

    /// Takes the next stream, which starts at `start` (ignored if SA is known), and walks to its end.
    pub fn take(&mut self, start: u64, length: u32, end: End) -> Result<Stream, NoStream> {
        let known = self.next.is_some();
        let start = self.next.unwrap_or(start);
        self.next = match end {
            End::Branch => self.after(start, length).ok_or(NoStream { start, length })?,
            End::Trap { target } => Some(target),
            End::Stop => None,
        };
        Ok(Stream { start, length, known, end })
    }

    /// Target of the branch that ends a stream; `Some(None)` if it is indirect.
    fn after(&self, mut pc: u64, mut length: u32) -> Option<Option<u64>> {
        loop {
            let (count, exit) = self.image.run(pc)?;
            length = length.checked_sub(count)?;
            pc = match (exit.kind, length) {
                (ExitKind::Conditional, 0) => return Some(Some(exit.target)),
                (ExitKind::Indirect(..) | ExitKind::ConditionalIndirect(_), 0) => return Some(None),
                (ExitKind::Conditional | ExitKind::ConditionalIndirect(_), _) => exit.pc.wrapping_add(exit.len.into()),
                (ExitKind::Jump | ExitKind::Call, 1..) => exit.target,
                _ => return None,
            };
        }
    }
}

/// Reports the events of a hart from its streams: the inverse of the [`Detector`], with cycle 0 and, as in all replay,
/// without the causes of traps.
pub fn report(streams: &[Stream], hart: u8, image: &Image, sink: &mut impl RetireSink) -> Result<(), NoStream> {
    if let Some(first) = streams.first() {
        let (pc, target) = (first.start, first.start);
        sink.event(&FlowEvent { hart, kind: FlowKind::Start, len: 0, count: 0, pc, target, cycle: 0 });
    }
    for (i, s) in streams.iter().enumerate() {
        let next = streams.get(i + 1).map_or(0, |s| s.start);
        report_stream(s, next, hart, image, sink).ok_or(NoStream { start: s.start, length: s.length })?;
    }
    Ok(())
}

/// Reports the events of one stream, after which the hart continues at `next`.
fn report_stream(s: &Stream, next: u64, hart: u8, image: &Image, sink: &mut impl RetireSink) -> Option<()> {
    let (mut pc, mut left) = (s.start, s.length);
    let mut event = |kind, len, count, pc, target| {
        sink.event(&FlowEvent { hart, kind, len, count, pc, target, cycle: 0 });
    };
    loop {
        let run = image.run(pc).filter(|(count, exit)| *count <= left && exit.kind != ExitKind::End);
        let Some((count, exit)) = run else { break };
        left -= count;
        let over = exit.pc.wrapping_add(exit.len.into());
        let last = left == 0 && s.end == End::Branch;
        let (kind, target) = match exit.kind {
            ExitKind::Conditional if last => (FlowKind::Conditional { taken: true }, exit.target),
            ExitKind::Conditional => (FlowKind::Conditional { taken: false }, over),
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) if last => (kind, next),
            ExitKind::ConditionalIndirect(how) => {
                (FlowKind::ConditionalIndirect { how, taken: last }, if last { next } else { over })
            }
            _ => return None,
        };
        event(kind, exit.len, count, exit.pc, target);
        if last && !matches!(exit.kind, ExitKind::Jump | ExitKind::Call) {
            return Some(());
        }
        pc = target;
    }
    let at = image.skip(pc, left)?;
    match s.end {
        End::Branch => return None,
        End::Trap { target } => event(FlowKind::Trap { interrupt: false, cause: 0 }, 0, left, at, target),
        End::Stop => event(FlowKind::Stop, 0, left, at, at),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: FlowKind, count: u32, pc: u64, target: u64) -> FlowEvent {
        let retires = !matches!(kind, FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Stop);
        FlowEvent { hart: 0, kind, len: if retires { 4 } else { 0 }, count, pc, target, cycle: 0 }
    }

    fn walk() -> Vec<FlowEvent> {
        let trap = FlowKind::Trap { interrupt: true, cause: 7 };
        vec![
            event(FlowKind::Start, 0, 0x100, 0x100),
            event(FlowKind::Conditional { taken: false }, 3, 0x108, 0x10c),
            event(FlowKind::Jump, 2, 0x110, 0x200),
            event(FlowKind::Conditional { taken: true }, 1, 0x200, 0x100),
            event(FlowKind::Conditional { taken: true }, 3, 0x108, 0x300),
            event(FlowKind::IndirectCall, 2, 0x304, 0x400),
            event(trap, 2, 0x408, 0x800),
            event(trap, 0, 0x800, 0x900),
            event(FlowKind::TrapReturn, 4, 0x90c, 0x408),
            event(FlowKind::Stop, 5, 0x41c, 0x41c),
        ]
    }

    #[test]
    fn streams_are_those_cut_by_hand() {
        let s = |start, length, known, end| Stream { start, length, known, end };
        let want = [
            s(0x100, 6, false, End::Branch),
            s(0x100, 3, true, End::Branch),
            s(0x300, 2, true, End::Branch),
            s(0x400, 2, false, End::Trap { target: 0x800 }),
            s(0x800, 0, true, End::Trap { target: 0x900 }),
            s(0x900, 4, true, End::Branch),
            s(0x408, 5, false, End::Stop),
        ];
        assert_eq!(streams(&walk(), 1), [want]);
    }

    #[test]
    fn the_program_tells_where_direct_branches_lead() {
        let events = walk();
        let image = Image::from_events(&events).unwrap();
        let mut walker = Walker::new(&image);
        for s in &streams(&events, 1)[0] {
            assert_eq!(walker.known(), s.known.then_some(s.start));
            assert_eq!(walker.take(s.start, s.length, s.end).unwrap(), *s);
        }
        let mut reported = Vec::new();
        report(&streams(&events, 1)[0], 0, &image, &mut reported).unwrap();
        assert_eq!(reported.len(), events.len());
        for (found, want) in reported.iter().zip(&events) {
            assert!(found.same_flow(want), "{found:?}, {want:?}");
        }
        let refused = Walker::new(&image).take(0x100, 4, End::Branch).unwrap_err();
        assert!(refused.to_string().starts_with("no stream of 4 instructions starts at 0x00000100"));
    }
}
