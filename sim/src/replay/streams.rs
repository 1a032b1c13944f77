//! Replay of the scheme `sc-lsp`: streams, one after the other
//!
//! Where a stream ends in an indirect branch, the next record tells where that went: with the start address
//! of the next stream, from the stream cache or sent.
//!
//! # Source
//! Paper 001 section II; the stream: `docs/stream.md`, "Messages (scheme `sc-lsp`)".

use super::hart::{PathError, State};
use super::image::Exit;
use super::{Replay, ReplayErrorKind, ReplaySink};
use crate::message::{Escape, Message};
use crate::params::TraceParams;
use crate::stream_cache::cache::Descriptor;
use crate::stream_cache::reader::Reader;
use crate::stream_cache::Record;

/// Tables of all cores, and the indirect branches that wait for their targets.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    reader: Reader,
    waiting: Vec<Option<&'a Exit>>,
    address: u64,
}

impl Streams<'_> {
    pub(super) fn new(params: &TraceParams) -> Self {
        Self {
            reader: Reader::new(params),
            waiting: vec![None; params.cores.into()],
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
        let c = streams.reader.core(bits)?;
        *core = Some(c);
        let known = streams.waiting[usize::from(c)].is_none();
        let record = streams.reader.record(c, known, bits)?;
        let message = Message { core: c, diff_cc: 0, body: record.body() };
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
                self.escape(&message, sink)?;
            }
            _ if self.harts[usize::from(c)].state != State::Running => {
                return Err(PathError::OutOfPlace("a stream is reported outside a sync").into());
            }
            Record::Hits { count, .. } => {
                for _ in 0..count {
                    let d = self.reader().predicted(c)?;
                    self.stream(c, d, sink)?;
                }
            }
            Record::Index(index) => {
                let d = self.reader().indexed(c, index)?;
                self.stream(c, d, sink)?;
            }
            Record::Miss { length, start } => {
                let start = start.map_or(self.harts[usize::from(c)].pc, |s| s.0);
                let d = Descriptor { start, length };
                self.reader().missed(c, d)?;
                self.stream(c, d, sink)?;
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

    /// Replays the stream `d`.
    #[inline]
    fn stream(&mut self, core: u8, d: Descriptor, sink: &mut impl ReplaySink) -> Result<(), ReplayErrorKind> {
        self.arrive(core, d.start, sink);
        let longest = self.reader().longest();
        let hart = &mut self.harts[usize::from(core)];
        if hart.pc != d.start {
            return Err(PathError::OtherStart { start: d.start, pc: hart.pc }.into());
        }
        hart.message_done();
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
