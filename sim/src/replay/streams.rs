//! Replay of the scheme `sc-lsp`: streams, one after the other
//!
//! Where a stream ends in an indirect branch, the next record tells where that went: with the start address
//! of the next stream, from the stream cache or sent.
//!
//! # Source
//! Paper 001 section II; the stream: `docs/stream.md`, "Messages (scheme `sc-lsp`)".

use super::hart::{PathError, State};
use super::{Replay, ReplayErrorKind, ReplaySink};
use crate::message::{Escape, Message};
use crate::params::TraceParams;
use crate::stream_cache::cache::Descriptor;
use crate::stream_cache::reader::Reader;
use crate::stream_cache::Record;
use retire::image::Exit;

/// Tables of all cores, and the indirect branches that wait for their targets.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    reader: Reader,
    waiting: Vec<Option<&'a Exit>>,
    /// Cycles of records that tell no time of an event, by core.
    owed: Vec<u64>,
    address: u64,
}

impl Streams<'_> {
    pub(super) fn new(params: &TraceParams) -> Self {
        Self {
            reader: Reader::new(params),
            waiting: vec![None; params.cores.into()],
            owed: vec![0; params.cores.into()],
            address: u64::MAX >> (64 - params.xlen),
        }
    }
}

impl<'a, I: Iterator<Item = u32>> Replay<'a, I> {
    /// Reads one record and replays it.
    #[inline]
    pub(super) fn record(
        &mut self,
        core: &mut Option<u8>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, ReplayErrorKind> {
        let Self { streams: Some(streams), bits, .. } = self else {
            unreachable!("only called with a stream cache");
        };
        let (diff_cc, c) = streams.reader.core(bits)?;
        *core = Some(c);
        let owed = std::mem::take(&mut streams.owed[usize::from(c)]) + diff_cc;
        let known = streams.waiting[usize::from(c)].is_none();
        let record = streams.reader.record(c, known, bits)?;
        let message = Message { core: c, diff_cc, body: record.body() };
        match record {
            Record::Escape { start, escape } => {
                match (start, escape) {
                    (Some(start), _) => self.arrive(c, start, sink),
                    // what the branch did is lost with the rest
                    (None, Escape::Sync { .. }) => {
                        if let Some(streams) = &mut self.streams {
                            streams.waiting[usize::from(c)] = None;
                        }
                    }
                    (None, _) => {}
                }
                self.escape(&Message { diff_cc: owed, ..message }, sink)?;
            }
            _ if self.harts[usize::from(c)].state != State::Running => {
                return Err(PathError::OutOfPlace("a stream is reported outside a sync").into());
            }
            Record::Hits { count, bits } => {
                // a full counter was sent with its last stream, another one with the record that follows
                let full = count == 1 << bits;
                for n in 1..=count {
                    let d = self.reader().predicted(c)?;
                    self.stream(c, d, if full && n == count { owed } else { 0 }, sink)?;
                }
                if let (false, Some(streams)) = (full, &mut self.streams) {
                    streams.owed[usize::from(c)] = owed;
                }
            }
            Record::Index(index) => {
                let d = self.reader().indexed(c, index)?;
                self.stream(c, d, owed, sink)?;
            }
            Record::Miss { length, start } => {
                let start = start.map_or(self.harts[usize::from(c)].pc, |s| s.0);
                let d = Descriptor { start, length };
                self.reader().missed(c, d)?;
                self.stream(c, d, owed, sink)?;
            }
        }
        Ok(message)
    }

    #[inline]
    fn reader(&mut self) -> &mut Reader {
        match &mut self.streams {
            Some(streams) => &mut streams.reader,
            None => unreachable!("only called with a stream cache"),
        }
    }

    /// The indirect branch that waits, if one does, went to `start`.
    #[inline]
    fn arrive(&mut self, core: u8, start: u64, sink: &mut impl ReplaySink) {
        if let Some(streams) = &mut self.streams {
            if let Some(exit) = streams.waiting[usize::from(core)].take() {
                self.harts[usize::from(core)].resolve_indirect(exit, start & streams.address, sink);
            }
        }
    }

    /// Replays the stream `d`, which ended `ahead` cycles after the last known time.
    #[inline]
    fn stream(
        &mut self,
        core: u8,
        d: Descriptor,
        ahead: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<(), ReplayErrorKind> {
        self.arrive(core, d.start, sink);
        let longest = self.reader().longest();
        let hart = &mut self.harts[usize::from(core)];
        if hart.pc != d.start {
            return Err(PathError::OtherStart { start: d.start, pc: hart.pc }.into());
        }
        hart.message_done();
        hart.ahead = ahead;
        let waits = if d.length < longest {
            hart.short_stream(self.image, d.length.into(), sink)?
        } else {
            hart.long_stream(self.image, longest, d.length > longest, sink)?
        };
        if let Some(streams) = &mut self.streams {
            streams.waiting[usize::from(core)] = waits;
        }
        Ok(())
    }
}
