//! Replay, stream by stream
//!
//! If a stream ends in an indirect branch, the next record gives its target: the start address of the next stream, from
//! the stream cache or as sent.
//!
//! # Source
//! Paper 001 section II; the stream: `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)".

use super::cache::Descriptor;
use super::reader::Reader;
use super::{Record, StreamCacheParams};
use crate::bits::BitReader;
use crate::core_trace::replay::{follow_straight, Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{CodingError, Escape, Message};
use crate::platform::Platform;
use crate::scheme::Decode;
use retire::image::{Exit, ExitKind, Image};
use retire::FlowKind;

/// Replay: the tables of all cores, and the indirect branches whose targets are not known yet.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    reader: Reader,
    open_branches: Vec<Option<&'a Exit>>,
    /// Cycles of records that are not the time of an event, to be added to the next, by core.
    pending_cycles: Vec<u64>,
    address: u64,
}

/// The path between streams: straight ahead.
struct Straight<'r> {
    reader: &'r mut Reader,
    core: u8,
}

impl Path for Straight<'_> {
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        follow_straight(hart, exit, sink)
    }

    fn reset(&mut self) {
        self.reader.reset(self.core);
    }

    fn rejoin(&mut self) {
        self.reader.rejoin(self.core);
    }
}

impl<'a> Replay<'a> {
    /// State at the beginning of a stream.
    pub fn new(sc: &StreamCacheParams, platform: &Platform) -> Self {
        Self {
            reader: Reader::new(sc, platform),
            open_branches: vec![None; platform.cores.into()],
            pending_cycles: vec![0; platform.cores.into()],
            address: u64::MAX >> (64 - platform.xlen),
        }
    }

    /// Resolves the indirect branch that waits for its target, if there is one: it went to `start`.
    #[inline]
    fn resolve_target(&mut self, core: u8, start: u64, hart: &mut Hart, sink: &mut impl ReplaySink) {
        let Some(exit) = self.open_branches[usize::from(core)].take() else { return };
        let kind = match exit.kind {
            ExitKind::Indirect(_, kind) => kind,
            ExitKind::ConditionalIndirect(how) => FlowKind::ConditionalIndirect { how, taken: true },
            ExitKind::Conditional | ExitKind::Jump | ExitKind::Call | ExitKind::End => return,
        };
        hart.report_exit(kind, exit, start & self.address, sink);
    }

    /// Replays the `hits` predicted streams of an escape record.
    fn unsent_streams(
        &mut self,
        harts: &mut Harts<'a>,
        core: u8,
        hits: u32,
        sink: &mut impl ReplaySink,
    ) -> Result<(), MessageError> {
        let Ok((image, hart)) = harts.running(core) else { return Ok(()) };
        for _ in 0..hits {
            let d = self.reader.predicted(core)?;
            self.stream((image, hart), core, d, 0, sink)?;
        }
        Ok(())
    }

    /// Replays the stream `d`, which ended `ahead` cycles after the last known time.
    #[inline]
    fn stream(
        &mut self,
        (image, hart): (&'a Image, &mut Hart),
        core: u8,
        d: Descriptor,
        ahead: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<(), MessageError> {
        self.resolve_target(core, d.start, hart, sink);
        if hart.pc != d.start {
            return Err(PathError::StartMismatch { start: d.start, pc: hart.pc }.into());
        }
        hart.message_done();
        let longest = self.reader.longest();
        self.open_branches[usize::from(core)] = if d.length < longest {
            let exit = hart.reach_stream_end(image, d.length.into(), sink)?;
            end_stream(hart, exit, ahead, sink)
        } else {
            long_stream(hart, image, longest, d.length > longest, ahead, sink)?
        };
        Ok(())
    }
}

/// Replays a stream that ends at the first control-flow instruction at which it has at least `longest` instructions.
/// `not_taken`: that is a conditional that is not taken.
fn long_stream<'a>(
    hart: &mut Hart,
    image: &'a Image,
    longest: u32,
    not_taken: bool,
    ahead: u64,
    sink: &mut impl ReplaySink,
) -> Result<Option<&'a Exit>, PathError> {
    let mut length = 0;
    loop {
        length += hart.next_run(image)?.0;
        let exit = hart.run(image)?;
        if length < longest {
            follow_straight(hart, exit, sink)?;
            continue;
        }
        if not_taken && !matches!(exit.kind, ExitKind::Conditional | ExitKind::ConditionalIndirect(_)) {
            return Err(PathError::NoBranch(exit.pc));
        }
        if not_taken || matches!(exit.kind, ExitKind::Jump | ExitKind::Call) {
            hart.cycle += ahead;
            follow_straight(hart, exit, sink)?;
            return Ok(None);
        }
        return Ok(end_stream(hart, exit, ahead, sink));
    }
}

/// Takes a conditional at the time of its record. An indirect branch is returned, until its target is known.
#[inline]
fn end_stream<'a>(hart: &mut Hart, exit: &'a Exit, ahead: u64, sink: &mut impl ReplaySink) -> Option<&'a Exit> {
    hart.cycle += ahead;
    if exit.kind == ExitKind::Conditional {
        hart.report_exit(FlowKind::Conditional { taken: true }, exit, exit.target, sink);
        return None;
    }
    Some(exit)
}

impl<'a> Decode<'a> for Replay<'a> {
    /// Reads one record and replays it.
    #[inline]
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let (diff_cc, core) = self.reader.core(bits)?;
        harts.current = Some(core);
        let at = usize::from(core);
        let pending_cycles = std::mem::take(&mut self.pending_cycles[at]) + diff_cc;
        harts.hart(core).begin(pending_cycles);
        // a stream that begins in the warm-up may end after it
        let in_warm_up = harts.hart(core).next_in_warm_up();
        let record = self.reader.record(core, self.open_branches[at].is_none(), !in_warm_up, bits)?;
        let message = Message { core, diff_cc, body: record.body() };
        if let Record::Escape { start, hits, escape } = record {
            match self.unsent_streams(harts, core, hits.unwrap_or(0), sink) {
                Err(MessageError::Path(e)) => {
                    harts.lose_path(core, e, sink)?;
                    self.open_branches[at] = None;
                }
                done => done?,
            }
            match (start, escape) {
                (Some(start), _) => self.resolve_target(core, start, harts.hart(core), sink),
                // the target of the branch is lost too
                (None, Escape::Sync { .. }) => self.open_branches[at] = None,
                (None, _) => {}
            }
            let path = &mut Straight { reader: &mut self.reader, core };
            harts.escape(&Message { diff_cc: pending_cycles, ..message }, path, sink)?;
            return Ok(message);
        }
        let (image, hart) =
            harts.running(core).map_err(|_| PathError::OutOfPlace("a stream is reported outside a sync"))?;
        match record {
            Record::Hits { count, bits } => {
                // a full counter was sent with its last stream, any other with the record that follows it
                let full = count == 1 << bits;
                for n in 1..=count {
                    let d = self.reader.predicted(core)?;
                    self.stream((image, hart), core, d, if full && n == count { pending_cycles } else { 0 }, sink)?;
                }
                if !full {
                    self.pending_cycles[at] = pending_cycles;
                }
            }
            Record::Index(index) => {
                let d = self.reader.indexed(core, index)?;
                self.stream((image, hart), core, d, pending_cycles, sink)?;
            }
            Record::Miss { length, start: sent } => {
                let start = sent.map_or(hart.pc, |s| s.0);
                let d = Descriptor { start, length };
                if !in_warm_up {
                    self.reader.missed(core, d)?;
                }
                self.stream((image, hart), core, d, pending_cycles, sink)?;
                if in_warm_up && !hart.in_warm_up() {
                    self.reader.missed(core, d)?;
                    if let Some((start, _)) = sent {
                        self.reader.learn_start(core, start);
                    }
                }
            }
            Record::Escape { .. } => {}
        }
        Ok(message)
    }

    fn header(&mut self) {
        self.reader.header();
        self.pending_cycles.fill(0);
    }

    fn end<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        Ok(())
    }
}
