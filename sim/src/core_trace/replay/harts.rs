//! All harts of a stream, and their escape messages

use super::hart::State;
use super::{Hart, Path, PathError, ReplaySink};
use crate::message::{Body, Escape, Message};
use crate::platform::Platform;
use retire::image::{Exit, Image};
use retire::{Context, FlowKind};

/// The code of all contexts.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// Code of all contexts that have no image of their own.
    pub common: &'a Image,
    /// Images of single contexts.
    pub of: &'a [(Context, Image)],
}

impl<'a> From<&'a Image> for Images<'a> {
    fn from(common: &'a Image) -> Self {
        Self { common, of: &[] }
    }
}

impl<'a> Images<'a> {
    /// Image of `context`.
    pub fn find(&self, context: Context) -> &'a Image {
        self.of.iter().find(|(of, _)| *of == context).map_or(self.common, |(_, image)| image)
    }
}

/// All harts of a stream.
#[derive(Clone, Debug)]
pub struct Harts<'a> {
    images: Images<'a>,
    /// Image of the current context of each core.
    current_images: Vec<&'a Image>,
    harts: Vec<Hart>,
    /// Branches of resyncs that wait for the sync, by core.
    open: Vec<Option<&'a Exit>>,
    stopped: usize,
    /// Core of the message that is being read, once known.
    pub(crate) current: Option<u8>,
    /// Error in the path of a core that a valid message has revealed.
    contradiction: Option<PathError>,
}

impl<'a> Harts<'a> {
    /// State before the first message.
    pub fn new(images: Images<'a>, platform: &Platform, warm_up: u32) -> Self {
        let harts: Vec<_> = (0..platform.cores).map(|i| Hart::new(i, platform, warm_up)).collect();
        let current_images = harts.iter().map(|h| images.find(h.context)).collect();
        let open = vec![None; platform.cores.into()];
        Self { images, current_images, harts, open, stopped: 0, current: None, contradiction: None }
    }

    /// Infers jumps from the instruction before them, with addresses of `xlen` bits.
    #[must_use]
    pub fn inferring(mut self, xlen: u8) -> Self {
        self.harts.iter_mut().for_each(|hart| hart.infers = Some(u64::MAX >> (64 - xlen)));
        self
    }

    /// Sets the length of the warm-up after a resync.
    pub fn set_warm_up(&mut self, instructions: u32) {
        self.harts.iter_mut().for_each(|hart| hart.warm_up = instructions.into());
    }

    /// Begins reading after a header, with no valid path; `repeated`: it is a repeated header.
    pub fn join(&mut self, repeated: bool) {
        self.stopped = 0;
        self.open.fill(None);
        for (core, hart) in self.harts.iter_mut().enumerate() {
            if let Some(signature_check) = &mut hart.signature_check {
                signature_check.known = !repeated && hart.state == State::Waiting;
                // the marker of core 0 is before its header
                signature_check.marker = (repeated && core == 0).then_some((None, 0));
                signature_check.maybe_marker = false;
            }
            let gap = !matches!(hart.state, State::Waiting | State::Stopped | State::Joining { gap: false, .. });
            hart.after_header = repeated;
            hart.state = match (repeated, gap) {
                (true, gap) => State::Joining { gap },
                (false, true) => State::Lost(0),
                (false, false) => State::Waiting,
            };
            hart.restart_cycles(repeated);
            hart.since = 0;
            hart.run = 0;
            (hart.pc, hart.instructions) = hart.accepted;
        }
    }

    /// Of the cores that had no message since reading began at a repeated header, `stopped` ones have stopped before, and others
    /// that are not `known` have not begun.
    pub(crate) fn assume(&mut self, known: &[bool], stopped: &[bool]) {
        for (core, hart) in self.harts.iter_mut().enumerate() {
            if hart.state == (State::Joining { gap: false }) {
                if stopped[core] {
                    hart.state = State::Stopped;
                    self.stopped += 1;
                } else if !known[core] {
                    hart.state = State::Waiting;
                }
            }
        }
    }

    /// The header was repeated: the times of all cores restart from there.
    pub fn header(&mut self) {
        let cycle = self.harts[0].cycle;
        for hart in &mut self.harts {
            hart.cycle = cycle;
            hart.after_header = true;
        }
    }

    /// Instructions that signatures have confirmed, by core; `None` if messages carry no signatures.
    pub fn confirmed(&self) -> Option<Vec<u64>> {
        self.harts.iter().map(|h| h.signature_check.as_ref().map(|signature_check| signature_check.confirmed)).collect()
    }

    /// Instructions of accepted messages, by core.
    pub fn instructions(&self) -> Vec<u64> {
        self.harts.iter().map(|h| h.accepted.1).collect()
    }

    /// Whether every core has stopped.
    #[inline]
    pub fn ended(&self) -> bool {
        self.stopped == self.harts.len()
    }

    /// Whether every core has stopped that is not `unseen`.
    pub(crate) fn ended_but(&self, unseen: impl Fn(usize) -> bool) -> bool {
        self.harts.iter().enumerate().all(|(core, hart)| hart.state == State::Stopped || unseen(core))
    }

    /// Hart `core`.
    #[inline]
    pub fn hart(&mut self, core: u8) -> &mut Hart {
        &mut self.harts[usize::from(core)]
    }

    /// The program and hart `core`, for a branch that is reported.
    #[inline]
    pub fn running(&mut self, core: u8) -> Result<(&'a Image, &mut Hart), PathError> {
        self.current = Some(core);
        let hart = &mut self.harts[usize::from(core)];
        if hart.state != State::Running {
            return Err(PathError::OutOfPlace("a branch is reported outside a sync"));
        }
        Ok((self.current_images[usize::from(core)], hart))
    }

    /// Takes the error in the path of a core that the last message has revealed. The message is valid: the core continues
    /// with its sync, after a gap.
    #[inline]
    pub fn contradiction(&mut self) -> Option<PathError> {
        self.contradiction.take()
    }

    /// Discards the path of `core`, which has error `e`. After a header, the messages of a core up to its sync do not depend on
    /// its path, so only this core has lost it.
    pub fn lose_path(&mut self, core: u8, e: PathError, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let hart = &mut self.harts[usize::from(core)];
        if !hart.after_header || !matches!(hart.state, State::Running | State::Resync) {
            return Err(e);
        }
        hart.lose_path();
        self.open[usize::from(core)] = None;
        self.contradiction = Some(e);
        sink.retract();
        Ok(())
    }

    /// Sets whether the header was repeated since the last sync of `core` was made.
    pub fn set_after_header(&mut self, core: u8, after_header: bool) {
        self.hart(core).after_header = after_header;
    }

    /// What `core` sent before the sync that is next was not decoded, so that it may have been a marker.
    pub fn marker_unknown(&mut self, core: u8) {
        if let Some(signature_check) = &mut self.harts[usize::from(core)].signature_check {
            (signature_check.marker, signature_check.maybe_marker) = (None, true);
        }
    }

    /// Replays an escape message; `path` belongs to its core.
    pub fn escape(
        &mut self,
        message: &Message,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        let hart = self.hart(message.core);
        hart.begin(message.diff_cc);
        let cycle = hart.cycle;
        match self.replay_escape(message, path, sink) {
            Err(e) => {
                self.lose_path(message.core, e, sink)?;
                self.hart(message.core).cycle = cycle;
                self.replay_escape(message, path, sink)
            }
            done => done,
        }
    }

    fn replay_escape(
        &mut self,
        message: &Message,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        let Body::Escape(escape) = message.body else { return Ok(()) };
        self.current = Some(message.core);
        let hart = &mut self.harts[usize::from(message.core)];
        if let Some(why) = hart.misplaced(&escape) {
            return Err(PathError::OutOfPlace(why));
        }
        let open = &mut self.open[usize::from(message.core)];
        let current = &mut self.current_images[usize::from(message.core)];
        let image = *current;
        match (hart.state, escape) {
            (State::Running, Escape::Resync { i_cnt, .. }) => *open = Some(hart.reach(image, i_cnt, path, sink)?),
            (State::Running, _) => hart.advance(image, escape.i_cnt(), path, sink)?,
            // the count begins before the header
            (State::Joining { .. }, _) => {}
            (State::Waiting | State::Resync | State::Lost(_) | State::Stopped, _) if escape.i_cnt() == 0 => {}
            _ => return Err(PathError::OutOfPlace("instructions are counted outside a sync")),
        }
        hart.cycle += message.diff_cc;
        let pc = hart.pc;
        // for a core that is not known yet, its sync reports this
        let known = !matches!(hart.state, State::Joining { .. });
        match escape {
            Escape::Exception { target, context, .. } if known => {
                if let Some(context) = context {
                    hart.enter(context, false, target, sink);
                }
                hart.report(FlowKind::Trap { interrupt: false, cause: 0 }, pc, 0, target, sink);
                hart.sign_first(target, escape.i_cnt(), context);
            }
            Escape::Context { context, .. } if known => {
                hart.enter(context, true, pc, sink);
                hart.sign_first(pc, escape.i_cnt(), Some(context));
            }
            Escape::Exception { .. } | Escape::Context { .. } => {}
            Escape::Sync { pc: target, context, .. } => {
                if let Some(context) = context.filter(|_| hart.state != State::Resync) {
                    hart.enter(context, false, target, sink);
                }
                let keeps = !hart.after_header && matches!(hart.state, State::Lost(_));
                match hart.state {
                    State::Resync => {
                        if let Some(exit) = open.take() {
                            hart.resolve(exit, target, sink)?;
                        }
                        let marker = hart.signature_check.as_ref().and_then(|signature_check| signature_check.marker);
                        if let Some((sent, i_cnt)) = marker {
                            hart.check(i_cnt, 1, sent)?;
                        }
                    }
                    State::Waiting | State::Running | State::Stopped => {
                        hart.report(FlowKind::Start, target, 0, target, sink);
                    }
                    State::Lost(lost) => {
                        hart.lose(lost);
                        hart.report(FlowKind::Gap { lost }, pc, 0, target, sink);
                    }
                    State::Joining { gap } => {
                        hart.lose(0);
                        let kind = if gap { FlowKind::Gap { lost: 0 } } else { FlowKind::Start };
                        hart.report(kind, if gap { pc } else { target }, 0, target, sink);
                    }
                }
                let resets_warm_up = std::mem::take(&mut hart.after_header);
                if keeps {
                    path.rejoin();
                } else {
                    path.reset();
                    hart.warm_up_end = if resets_warm_up { hart.instructions + hart.warm_up } else { 0 };
                }
                if let Some(signature_check) = &mut hart.signature_check {
                    signature_check.sync(target, keeps, context, hart.instructions);
                }
                hart.state = State::Running;
            }
            Escape::Resync { i_cnt, signature } => {
                if let Some(signature_check) = &mut hart.signature_check {
                    signature_check.marker = Some((signature, i_cnt));
                }
                match &mut hart.state {
                    State::Joining { .. } => {}
                    state => *state = State::Resync,
                }
            }
            Escape::Overflow { lost, i_cnt } => match &mut hart.state {
                State::Joining { .. } => {}
                state => {
                    *state = State::Lost(lost.try_into().unwrap_or(u32::MAX));
                    hart.check(i_cnt, 0, None)?;
                }
            },
            Escape::Stop { i_cnt, signature } => {
                hart.check(i_cnt, 0, signature)?;
                match hart.state {
                    State::Running => hart.report(FlowKind::Stop, pc, 0, pc, sink),
                    // the trace ends inside a gap: the position of the hart is not known
                    State::Lost(lost) => hart.report(FlowKind::Gap { lost }, pc, 0, pc, sink),
                    State::Waiting | State::Joining { .. } | State::Resync | State::Stopped => {}
                }
                hart.state = State::Stopped;
                self.stopped += 1;
            }
            Escape::Progress { i_cnt, signature } => hart.check(i_cnt, 1, signature)?,
        }
        *current = self.images.find(hart.context);
        Ok(())
    }
}
