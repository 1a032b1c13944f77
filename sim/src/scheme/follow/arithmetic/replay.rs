//! Replay: decodes the words of each core, and follows the program from decision to decision

use super::decoder::Decoder;
use super::front::context;
use super::probability::{Probabilities, Probability, IN_DICTIONARY, START};
use super::words::{ends, EscapeFields, SYNC_BITS, SYNC_ZEROS};
use crate::bits::BitReader;
use crate::core_trace::replay::{Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Escape, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Head, Reader};
use crate::scheme::follow::predictor::{Predictor, Question};
use crate::scheme::follow::record::Addresses;
use crate::scheme::follow::sizes::Sizes;
use crate::scheme::tr::replay::reach_branch;
use crate::scheme::Decode;
use retire::image::{Exit, ExitKind};
use retire::isa::Indirect;
use retire::FlowKind;

/// Replay of all cores.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    cores: Vec<Core<'a>>,
    ti_bits: u32,
    /// A word was read: a header that follows is inside what is read.
    begun: bool,
}

/// Replay of one core.
#[derive(Clone, Debug)]
struct Core<'a> {
    learnt: Learnt,
    code: Code,
    fields: Reader<EscapeFields>,
    /// There are several cores.
    several: bool,
    /// A branch that is reached, and whose target is not decoded completely.
    reached: Option<&'a Exit>,
    /// The header was repeated, and no code has begun with a sync since.
    after_header: bool,
    /// Reading began at that header, so the words up to there cannot be decoded.
    skips: bool,
}

/// What a core has learnt.
#[derive(Clone, Debug)]
struct Learnt {
    predictor: Predictor,
    probabilities: Probabilities,
}

/// The code of a core: its bytes that are not read, and the decoder.
#[derive(Clone, Debug)]
struct Code {
    /// A word of it was read.
    open: bool,
    /// It begins with the sync of the core after a repeated header.
    after_header: bool,
    bytes: Vec<u8>,
    decoder: Decoder,
    addresses: Addresses,
}

/// Why a target is not decoded.
enum NoTarget {
    /// The next word of the core is needed.
    Waits,
    Wrong(CodingError),
}

impl Path for Learnt {
    // every branch has a decision: what is passed without one are jumps
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        match exit.kind {
            ExitKind::Jump | ExitKind::Call | ExitKind::End => self.predictor.follow(hart, exit, sink),
            ExitKind::Indirect(..) if hart.inferred().is_some() => self.predictor.follow(hart, exit, sink),
            ExitKind::Conditional | ExitKind::Indirect(..) | ExitKind::ConditionalIndirect(_) => {
                Err(PathError::OutOfPlace("an escape message counts a branch that has no decision"))
            }
        }
    }

    fn reset(&mut self) {
        self.predictor.reset();
        self.probabilities = START;
    }

    fn rejoin(&mut self) {}
}

impl Code {
    /// Decodes the target of an indirect branch at `pc`.
    fn target(
        &mut self,
        probabilities: &mut Probabilities,
        (kind, pc): (Indirect, u64),
        question: Option<&Question<'_>>,
    ) -> Result<u64, NoTarget> {
        let Self { bytes, decoder, addresses, .. } = self;
        let in_dictionary = match question {
            Some(q) => {
                if decoder.decide(&mut probabilities[context(kind, q)], bytes).ok_or(NoTarget::Waits)? {
                    return Ok(q.predicted());
                }
                decoder.decide(&mut probabilities[IN_DICTIONARY], bytes).ok_or(NoTarget::Waits)?
            }
            None if decoder.decide(&mut Probability::default(), bytes).ok_or(NoTarget::Waits)? => {
                return Err(NoTarget::Wrong(CodingError::Redundant("a prediction in the warm-up")));
            }
            None => false,
        };
        let target = decoder.fields(bytes, Some(in_dictionary), |input| addresses.read(question, pc, input));
        target.map_err(NoTarget::Wrong)?.ok_or(NoTarget::Waits)
    }

    /// Ends the code: the next word begins another.
    fn end(&mut self) -> Result<(), CodingError> {
        let rest = self.bytes.drain(..).skip(self.decoder.read());
        (self.decoder, self.open) = (Decoder::default(), false);
        // evaluated completely: the bytes are removed in any case
        match rest.fold(0, |all, byte| all | byte) {
            0 => Ok(()),
            _ => Err(CodingError::Redundant("a byte after the end of a code")),
        }
    }
}

impl<'a> Core<'a> {
    fn new(sizes: &Sizes, platform: &Platform) -> Self {
        Self {
            learnt: Learnt { predictor: Predictor::new(sizes, platform), probabilities: START },
            code: Code {
                open: false,
                after_header: false,
                bytes: Vec::new(),
                decoder: Decoder::default(),
                addresses: Addresses::new(platform),
            },
            fields: Reader::new(&Platform { cores: 1, ..*platform }, EscapeFields),
            several: platform.cores > 1,
            reached: None,
            after_header: false,
            skips: false,
        }
    }

    /// Reads the next word of this core, and whether the code begins again with it, after a header.
    fn word<I: Iterator<Item = u32>>(&self, bits: &mut BitReader<I>) -> Result<(u32, bool), CodingError> {
        let mut take = |n| bits.take(n).ok_or(CodingError::Truncated);
        let begins = self.after_header && take(1)? == 1;
        Ok((take(32)? as u32, begins))
    }

    /// Takes a word, and returns the escape message with which the code ends in it. After a header, an error concerns this core alone: it waits for its sync.
    fn take(
        &mut self,
        core: u8,
        (word, begins): (u32, bool),
        harts: &mut Harts<'a>,
        sink: &mut impl ReplaySink,
    ) -> Result<Option<Escape>, MessageError> {
        if begins {
            if self.code.open && !self.skips {
                self.lose(core, PathError::OutOfPlace("a code begins inside another one"), harts, sink);
            }
            // the code that ended before was not decoded to its end
            if self.skips {
                harts.marker_unknown(core);
            }
            (self.after_header, self.skips) = (false, false);
        }
        if self.skips {
            return Ok(None);
        }
        if !self.code.open {
            (self.code.open, self.code.after_header) = (true, begins);
        }
        self.code.bytes.extend(word.to_le_bytes());
        match self.decode(core, harts, sink) {
            Err(e) if self.after_header => {
                let e = match e {
                    MessageError::Path(e) => e,
                    MessageError::Coding(_) => PathError::OutOfPlace("a code has bits that are never sent"),
                };
                self.lose(core, e, harts, sink);
                Ok(None)
            }
            done => done,
        }
    }

    /// Discards the path and the code of this core, up to the word with which a code begins.
    fn lose(&mut self, core: u8, e: PathError, harts: &mut Harts<'a>, sink: &mut impl ReplaySink) {
        // an error: the path was lost before, in this word, or at an overflow
        if harts.lose_path(core, e, sink).is_err() {
            sink.retract();
        }
        // what is discarded need not be valid
        _ = self.code.end();
        (self.reached, self.skips) = (None, true);
    }

    /// Decodes all that the bytes of the core have; returns the escape message with which the code ends.
    fn decode(
        &mut self,
        core: u8,
        harts: &mut Harts<'a>,
        sink: &mut impl ReplaySink,
    ) -> Result<Option<Escape>, MessageError> {
        while let Some(escape) = self.code.decoder.is_escape(&self.code.bytes) {
            if !escape {
                if self.branch(core, harts, sink)? {
                    continue;
                }
                break;
            }
            let Some(escape) = self.escape()? else { break };
            self.replay_escape(core, escape, harts, sink)?;
            harts.hart(core).message_done();
            if ends(&escape) {
                self.code.end()?;
                return Ok(Some(escape));
            }
            // an error in the path that an escape message reveals
            harts.running(core)?;
        }
        let read = self.code.decoder.read();
        self.code.bytes.drain(..read);
        self.code.decoder.forget(read);
        Ok(None)
    }

    /// Replays an escape message. The last word of a sync can come after a later header, so its code says whether the sync follows a header. The code of core 0
    /// ends with its marker before each header, so none of its syncs waits.
    fn replay_escape(
        &mut self,
        core: u8,
        escape: Escape,
        harts: &mut Harts<'a>,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        let message = Message { core, diff_cc: 0, body: Body::Escape(escape) };
        let is_sync = matches!(escape, Escape::Sync { .. }) && core > 0;
        if is_sync {
            harts.set_after_header(core, self.code.after_header);
        }
        let done = harts.escape(&message, &mut self.learnt, sink);
        if is_sync {
            harts.set_after_header(core, self.after_header);
        }
        done
    }

    /// Reads the escape that is next: `None` if more bytes are needed.
    fn escape(&mut self) -> Result<Option<Escape>, CodingError> {
        let Self { code: Code { bytes, decoder, .. }, fields, several, .. } = self;
        let (before, mut after) = (*decoder, fields.clone());
        decoder.escape();
        let escape = decoder.fields(bytes, None, |input| {
            let Head::Escape(Message { body: Body::Escape(escape), .. }) = after.head(input)? else {
                unreachable!("the count is 0, and is not sent");
            };
            while matches!(escape, Escape::Sync { .. }) && *several && input.position() < SYNC_BITS {
                match input.take(SYNC_ZEROS).ok_or(CodingError::Truncated)? {
                    0 => {}
                    _ => return Err(CodingError::Redundant("a bit after a sync")),
                }
            }
            Ok(escape)
        })?;
        match escape {
            Some(_) => *fields = after,
            None => *decoder = before,
        }
        Ok(escape)
    }

    /// Follows the program to the next branch and decodes it. Returns false if more bytes are needed.
    fn branch(&mut self, core: u8, harts: &mut Harts<'a>, sink: &mut impl ReplaySink) -> Result<bool, MessageError> {
        let (image, hart) = harts.running(core)?;
        let Self { learnt, code, reached, .. } = self;
        let exit = match *reached {
            Some(exit) => exit,
            None => reach_branch(hart, learnt, image, 1, sink)?,
        };
        *reached = Some(exit);
        let Learnt { predictor, probabilities } = learnt;
        let (link, in_warm_up) = (exit.pc + u64::from(exit.len), hart.in_warm_up());
        let (before, learnt_before) = (code.decoder, *probabilities);
        let resolved = match exit.kind {
            ExitKind::Indirect(how, kind) => predictor
                .indirect(how, exit.pc, link, in_warm_up, |q| code.target(probabilities, (how, exit.pc), q.as_ref()))
                .map(|target| (kind, target)),
            ExitKind::ConditionalIndirect(how) => match code.decoder.decide(&mut Probability::default(), &code.bytes) {
                None => Err(NoTarget::Waits),
                Some(false) => Ok((FlowKind::ConditionalIndirect { how, taken: false }, link)),
                Some(true) => predictor
                    .indirect(how, exit.pc, link, in_warm_up, |q| {
                        code.target(probabilities, (how, exit.pc), q.as_ref())
                    })
                    .map(|target| (FlowKind::ConditionalIndirect { how, taken: true }, target)),
            },
            ExitKind::Conditional | ExitKind::Jump | ExitKind::Call | ExitKind::End => {
                let Code { bytes, decoder, .. } = code;
                let taken = predictor.outcome(exit.pc, in_warm_up, |situation| {
                    let right = match situation {
                        Some(s) => decoder.decide(&mut probabilities[usize::from(s.context)], bytes),
                        None => decoder.decide(&mut Probability::default(), bytes),
                    };
                    let says = situation.is_some_and(|s| s.taken);
                    right.map(|right| says == right).ok_or(NoTarget::Waits)
                });
                taken.map(|taken| (FlowKind::Conditional { taken }, if taken { exit.target } else { link }))
            }
        };
        match resolved {
            Ok((kind, next)) => {
                *reached = None;
                hart.report_exit(kind, exit, next, sink);
                hart.message_done();
                Ok(true)
            }
            Err(NoTarget::Waits) => {
                (code.decoder, *probabilities) = (before, learnt_before);
                Ok(false)
            }
            Err(NoTarget::Wrong(e)) => Err(e.into()),
        }
    }
}

impl Replay<'_> {
    pub(super) fn new(sizes: &Sizes, platform: &Platform) -> Self {
        let cores = (0..platform.cores).map(|_| Core::new(sizes, platform)).collect();
        Self { cores, ti_bits: platform.ti_bits(), begun: false }
    }
}

impl<'a> Decode<'a> for Replay<'a> {
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        self.begun = true;
        let core = bits.take(self.ti_bits).ok_or(CodingError::Truncated)? as u8;
        let cores = self.cores.len() as u8;
        let this = self.cores.get_mut(usize::from(core)).ok_or(CodingError::Core { found: core.into(), cores })?;
        harts.current = Some(core);
        let (word, begins) = this.word(bits)?;
        let ends = this.take(core, (word, begins), harts, sink)?;
        Ok(Message { core, diff_cc: 0, body: ends.map_or(Body::Word { word }, Body::Escape) })
    }

    fn header(&mut self) {
        let begun = self.begun;
        for core in self.cores.iter_mut().skip(1) {
            (core.after_header, core.skips) = (true, core.skips || !begun);
        }
    }

    fn end<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        Ok(())
    }

    fn skips(&self, core: usize) -> bool {
        self.cores[core].skips
    }
}
