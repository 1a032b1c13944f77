//! Replay: re-executes the program with what it took from outside
//!
//! Each message lets its core advance to its position, and no further: the end of an episode to the last reference, an
//! input to the instruction that takes it, a trap or a stop to the instruction count. This is legal because
//! whatever conflicts with what a core did up to a message has ended an episode before it in the stream. Replay
//! therefore needs no look-ahead, and the execution depends on the stream alone: a position (the instructions and exceptions of all
//! cores in replay order) identifies one moment, for checkpoints and for going back.
//!
//! An exception is a step of its own: a debugger sees the instruction that raises it, and then the first instruction of the handler. An
//! interrupt belongs to the instruction before it, as do all messages that let no core advance.
//!
//! A recording that began in the middle of a run starts with the state of the cores (`start`). The value of a load that is the
//! last reference of its episode may follow messages of other cores: only for this message replay looks ahead.
//!
//! Stores of bus masters that are not cores are separate messages, and each is performed at its position in the stream.
//!
//! If the execution differs from that of a core, the error includes what was not yet checked. Replay never hangs, because
//! the stream must have a state check after a bounded number of instructions.

mod checkpoint;
mod error;
mod inspect;
mod signing;
mod start;
mod traps;
mod world;

pub use crate::timeline::MAX_CHECKPOINTS;
pub use checkpoint::Checkpoint;
pub use error::{InputsError, Stretches};
pub use inspect::Fault;

use super::master::{MasterMessage, Masters};
use super::message::{read_difference, read_value, Body, Coder, Trap};
use super::model::load;
use super::signature::Signature;
use super::{header, InputsParams};
use crate::bits::BitReader;
use crate::message::CodingError;
use crate::platform::ParamError;
use crate::riscv::code::CodeCache;
use crate::riscv::hart::{At, Break, Hart, Shared};
use crate::riscv::timing::{Caches, Timing};
use retire::elf::Program;
use retire::RetireSink;
use signing::{AnyOutput, Bounded, SigningSink};
use std::collections::VecDeque;
use std::sync::Arc;
use world::{Next, World};

/// Replay with checkpoints, which can go back.
pub type Timeline = crate::timeline::Timeline<Replay>;

/// Maximum number of consecutive exceptions without an instruction; more occur in no valid program.
const TRAPS: u32 = 1000;

/// The words of a stream, as an iterator that can be cloned at any position.
#[derive(Clone, Debug)]
struct Words {
    words: Arc<[u32]>,
    next: usize,
}

impl Iterator for Words {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let word = self.words.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }
}

/// How far a core advances for the last message that was read.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// To this number of references.
    References(u64),
    /// To the slot that takes the value.
    Input,
    /// To this number of instructions, then the interrupt or refused access.
    Trap(u64, Trap),
    /// To the event at which the check is due.
    Check(u32),
    /// To this number of instructions, then the stop.
    Stop(u64, u32),
}

/// A message of a core; if replay may look ahead, with the difference of an input.
#[derive(Clone, Copy, Debug)]
struct Message {
    core: usize,
    body: Body,
    difference: Option<u64>,
}

/// A message of a core, or of the bus masters.
#[derive(Clone, Copy, Debug)]
enum Read {
    Core(Message),
    Masters(MasterMessage),
}

/// What is known of one core.
#[derive(Clone, Debug)]
struct Core {
    coder: Coder,
    signature: Signature,
    /// Instruction count at the last trap or check.
    counted: u64,
    /// Instruction count at the last good check.
    checked: u64,
    stopped: bool,
    /// Exceptions since the last instruction.
    exceptions: u32,
    /// Where it stopped at an exception whose handler cannot be fetched.
    fault: Option<Fault>,
}

/// Replay of all cores.
#[derive(Clone, Debug)]
pub struct Replay {
    params: InputsParams,
    harts: Vec<Hart>,
    world: World,
    code: CodeCache,
    caches: Caches,
    timing: Timing,
    reader: BitReader<Words>,
    cores: Vec<Core>,
    /// If there are bus masters that are not cores; and whether their stop was read.
    masters: Option<(Masters, bool)>,
    goal: Option<(usize, Goal)>,
    /// Messages that were read ahead.
    queue: VecDeque<Read>,
    messages: u64,
    position: u64,
    /// Cores that took an interrupt with the last step, in which they retired nothing.
    moved: Vec<u8>,
    /// The error that comes before the next instruction.
    failed: Option<InputsError>,
    /// RAM pages of the checkpoint that was made or restored last.
    held: Option<Vec<world::Page>>,
}

impl Replay {
    /// State at reset, with `program` in RAM; reads the header.
    ///
    /// # Errors
    /// The parameters are not valid (outer error), or the header does not match them (inner error).
    pub fn new(
        params: &InputsParams,
        program: &Program,
        words: impl Into<Arc<[u32]>>,
    ) -> Result<Result<Self, InputsError>, ParamError> {
        params.check()?;
        params.check_xlen(program)?;
        let mut reader = BitReader::new(Words { words: words.into(), next: 0 });
        for (word, right) in header(params).into_iter().enumerate() {
            match reader.take(32) {
                Some(found) if found == u64::from(right) => {}
                found => {
                    let found = found.unwrap_or(0) as u32;
                    return Ok(Err(InputsError::Header { word, found, right }));
                }
            }
        }
        let core = Core {
            coder: Coder::new(params),
            signature: Signature::new(params.sizes.check),
            counted: 0,
            checked: 0,
            stopped: false,
            exceptions: 0,
            fault: None,
        };
        let timing = Timing::functional();
        let replay = Self {
            params: *params,
            harts: (0..params.cores).map(|h| Hart::new(h, params.isa(), program.entry, 0)).collect(),
            world: World::new(params, load(params, program), program.tohost),
            code: CodeCache::new(params.ram_base, params.ram_bytes, params.isa()),
            caches: Caches::new(&timing, 1),
            timing,
            reader,
            cores: vec![core; params.cores.into()],
            masters: params.sizes.masters.then(|| (Masters::new(params.ram_base), false)),
            goal: None,
            queue: VecDeque::new(),
            messages: 0,
            position: 0,
            moved: Vec::new(),
            failed: None,
            held: None,
        };
        Ok(if params.sizes.known == 0 { Ok(replay) } else { replay.begin(program) })
    }

    /// Instructions and exceptions of all cores so far; identifies this moment.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Parameters of the stream.
    pub fn params(&self) -> &InputsParams {
        &self.params
    }

    /// Messages read so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Bits read so far.
    pub fn bits(&self) -> u64 {
        self.reader.position()
    }

    /// For each core, the instruction count at its last good check, and in total.
    pub fn stretches(&self) -> Stretches {
        Stretches(self.cores.iter().zip(&self.harts).map(|(c, h)| (c.checked, h.at.instret)).collect())
    }

    fn diverged(&self, core: usize, what: impl Into<String>) -> InputsError {
        let (core, stretches) = (core as u8, self.stretches());
        InputsError::Diverged { core, message: self.messages, what: what.into(), stretches }
    }

    fn coding(&self, source: CodingError) -> InputsError {
        let (bit, stretches) = (self.reader.position(), self.stretches());
        InputsError::Coding { bit, message: self.messages, source, stretches }
    }

    /// Executes the next instruction in replay order and reports it to `sink`, or takes an exception. Returns its core, or `None`
    /// at the end.
    ///
    /// # Errors
    /// The stream is damaged or of another run. Nothing more can be replayed then.
    #[inline]
    pub fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, InputsError> {
        self.advance(sink, 1, |_, _| false)
    }

    /// Executes the next instructions in replay order, of one core, at least one and at most `most`. Exceptions count as instructions. Returns the
    /// core, or `None` at the end. After each of them except the last, `until` is called with the sink and the address of the core's
    /// next instruction; if it returns true, no more are executed.
    ///
    /// # Errors
    /// As [`Replay::step`].
    #[inline]
    pub fn advance<S: RetireSink>(
        &mut self,
        sink: &mut S,
        most: u64,
        until: impl FnMut(&mut S, u64) -> bool,
    ) -> Result<Option<u8>, InputsError> {
        let mut output = Bounded { sink, until };
        self.forward(&mut AnyOutput { output: &mut output, wants_data: S::WANTS_DATA }, most)
    }

    /// [`Replay::advance`] for all types of sinks.
    fn forward(&mut self, to: &mut AnyOutput<'_>, most: u64) -> Result<Option<u8>, InputsError> {
        if let Some(e) = &self.failed {
            return Err(e.clone());
        }
        self.moved.clear();
        // only at the beginning is there something left to do
        let Some((core, goal)) = self.settle(None, to)? else { return Ok(None) };
        match goal {
            Goal::Trap(at, trap) if self.harts[core].at.instret == at => self.refused(core, trap, to)?,
            _ if self.harts[core].must_single() || most <= 1 => self.execute(core, to)?,
            _ => self.burst(core, goal, most, to)?,
        }
        // so that the state depends on the position only, whether replay continues or ends here
        self.failed = self.settle(Some(core), to).err();
        Ok(Some(core as u8))
    }

    /// Does what comes before the next instruction or exception. Returns the core to advance, with its goal, or `None` at the
    /// end. `last`: the core that executed the last instruction.
    #[inline]
    fn settle(&mut self, last: Option<usize>, to: &mut AnyOutput<'_>) -> Result<Option<(usize, Goal)>, InputsError> {
        loop {
            let Some((core, goal)) = self.goal else {
                if !self.message(to)? {
                    return Ok(None);
                }
                continue;
            };
            let retired = self.harts[core].at.instret;
            match goal {
                Goal::References(until) if self.world.inputs[core].references == until => self.goal = None,
                Goal::Trap(at, trap) if retired == at && trap.interrupt => {
                    self.interrupt(core, trap, to);
                    if last != Some(core) {
                        self.moved.push(core as u8);
                    }
                }
                Goal::Stop(at, signature) if retired == at => self.stop(core, signature, to)?,
                Goal::References(_) | Goal::Input | Goal::Trap(..) | Goal::Check(_) | Goal::Stop(..) => {
                    return Ok(Some((core, goal)))
                }
            }
        }
    }

    /// Executes instructions of `core` towards its goal, with nothing pending, as [`Replay::advance`] does.
    fn burst(&mut self, core: usize, goal: Goal, most: u64, to: &mut AnyOutput<'_>) -> Result<(), InputsError> {
        let hart = &mut self.harts[core];
        let first = hart.at.instret;
        let (last, references) = match goal {
            Goal::References(until) => (u64::MAX, until),
            Goal::Trap(at, _) | Goal::Stop(at, _) => (at, u64::MAX),
            Goal::Input | Goal::Check(_) => (u64::MAX, u64::MAX),
        };
        let last = last.min(first.saturating_add(most));
        let input = matches!(goal, Goal::Input);
        let done = |at: &At, signing_sink: &mut SigningSink<'_>, world: &World| {
            let inputs = &world.inputs[core];
            at.instret >= last
                || signing_sink.due.is_some()
                || inputs.references >= references
                || input && inputs.next.is_none()
                || signing_sink.output.must_stop(at.pc)
        };
        let mut shared = Shared { memory: &mut self.world, caches: &mut self.caches, timing: &self.timing };
        let mut signing_sink = SigningSink::new(to, &mut self.cores[core].signature);
        hart.at.cycle = self.position;
        let end = if self.code.isa().rv64 {
            hart.follow::<_, _, true>(&mut shared, &mut self.code, &mut signing_sink, done)
        } else {
            hart.follow::<_, _, false>(&mut shared, &mut self.code, &mut signing_sink, done)
        };
        let (due, retired) = (signing_sink.due, hart.at.instret - first);
        self.position += retired;
        match end {
            // this instruction has had no effect yet; the caller was asked after the one before it
            Some(Break::Trap(..) | Break::Input) => return self.execute(core, to),
            Some(Break::FenceI) => self.code.clear(),
            None | Some(Break::Bound | Break::Interrupts | Break::Wait | Break::Exit(_)) => {}
        }
        self.retired_one(core, due)
    }

    /// Replays to the end, or until `until` returns true after an instruction.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn run<S: RetireSink>(&mut self, sink: &mut S, mut until: impl FnMut(&S) -> bool) -> Result<(), InputsError> {
        while self.advance(sink, u64::MAX, |sink, _| until(sink))?.is_some() {
            if until(sink) {
                break;
            }
        }
        Ok(())
    }

    /// Reads the next message from the stream.
    fn read(&mut self) -> Result<Read, InputsError> {
        let cores = self.params.cores;
        let found = self.reader.take(self.params.ti_bits()).ok_or(CodingError::Truncated);
        let found = found.map_err(|e| self.coding(e))?;
        if let (true, Some((masters, _))) = (found == u64::from(cores), &mut self.masters) {
            let message = masters.read(&mut self.reader);
            return message.map(Read::Masters).map_err(|e| self.coding(e));
        }
        if found >= cores.into() {
            return Err(self.coding(CodingError::Core { found, cores }));
        }
        let core = found as usize;
        let body = self.cores[core].coder.read(&mut self.reader).map_err(|e| self.coding(e))?;
        let difference = match body {
            Body::Input { .. } if self.params.sizes.known > 0 => {
                Some(read_difference(&mut self.reader).map_err(|e| self.coding(e))?)
            }
            _ => None,
        };
        Ok(Read::Core(Message { core, body, difference }))
    }

    /// Performs a message of the bus masters.
    fn run_master(&mut self, message: MasterMessage, to: &mut AnyOutput<'_>) -> Result<(), InputsError> {
        let Some((masters, ended)) = &mut self.masters else { return Ok(()) };
        let diverged_masters = |replay: &Self, what: String| {
            let (message, stretches) = (replay.messages, replay.stretches());
            Err(InputsError::Masters { message, what, stretches })
        };
        match message {
            _ if *ended => return diverged_masters(self, "a message after their end".into()),
            MasterMessage::Store(store) => {
                if !self.world.master(&store) {
                    return diverged_masters(self, format!("a store to 0x{:08x}, which is not RAM", store.addr));
                }
                to.output.master(&store);
            }
            MasterMessage::Stop { stores, signature } => {
                // the counts include stores in the queue, but none can follow the stop
                let found = (masters.stores, masters.signature);
                if found != (stores, signature) {
                    return diverged_masters(
                        self,
                        format!(
                            "{} stores with the signature 0x{:08x}, the run had {stores} with 0x{signature:08x}",
                            found.0, found.1
                        ),
                    );
                }
                *ended = true;
            }
        }
        Ok(())
    }

    /// Takes the next message; returns false at the end of the stream.
    fn message(&mut self, to: &mut AnyOutput<'_>) -> Result<bool, InputsError> {
        if self.cores.iter().all(|c| c.stopped) && self.masters.as_ref().is_none_or(|m| m.1) {
            // the last word is padded with zeros, and nothing follows
            let (rest, _) = self.reader.rest_of_word();
            if rest != 0 || !self.reader.at_end() {
                return Err(self.diverged(0, "the stream continues after the last stop"));
            }
            return Ok(false);
        }
        let read = match self.queue.pop_front() {
            Some(read) => read,
            None => self.read()?,
        };
        self.messages += 1;
        let Message { core, body, difference } = match read {
            Read::Core(message) => message,
            Read::Masters(message) => {
                self.run_master(message, to)?;
                return Ok(true);
            }
        };
        if self.cores[core].stopped {
            return Err(self.diverged(core, "a message after the core's stop"));
        }
        let counted = self.cores[core].counted;
        let inputs = &mut self.world.inputs[core];
        (inputs.until, inputs.predicted_slot) = (0, None);
        let goal = match body {
            Body::Episode(references) => {
                // includes references that were replayed with earlier messages of the episode
                inputs.episode += u64::from(references);
                inputs.until = inputs.episode;
                Goal::References(inputs.episode)
            }
            Body::Input { skipped } => {
                inputs.next = Some(Next { at: skipped, value: None, difference });
                Goal::Input
            }
            Body::Trap(trap) => Goal::Trap(counted + u64::from(trap.instructions), trap),
            Body::Check(signature) => Goal::Check(signature),
            Body::Stop { instructions, signature } => Goal::Stop(counted.saturating_add(instructions), signature),
        };
        let inputs = &self.world.inputs[core];
        let retired = self.harts[core].at.instret;
        let behind = match goal {
            Goal::References(until) => inputs.references > until,
            Goal::Input => inputs.next.is_some_and(|n| n.at < inputs.slots),
            Goal::Trap(at, _) | Goal::Stop(at, _) => at < retired,
            Goal::Check(_) => false,
        };
        if behind {
            return Err(
                self.diverged(core, format!("{body:?} is of an instruction that the core has already executed"))
            );
        }
        self.goal = Some((core, goal));
        Ok(true)
    }

    /// Executes one instruction of `core`, or takes the exception that it raises.
    #[inline]
    fn execute(&mut self, core: usize, to: &mut AnyOutput<'_>) -> Result<(), InputsError> {
        for _ in 0..TRAPS {
            let (end, due) = self.single(core, to);
            match end {
                Ok(()) | Err(Break::Bound | Break::Interrupts | Break::Wait | Break::Exit(_)) => {}
                Err(Break::FenceI) => self.code.clear(),
                Err(Break::Trap(cause, tval)) => return self.raised(core, cause, tval),
                Err(Break::Input) => {
                    self.value(core)?;
                    continue;
                }
            }
            self.position += 1;
            self.cores[core].exceptions = 0;
            return self.retired_one(core, due);
        }
        Err(self.diverged(core, "it takes inputs without end"))
    }

    #[inline]
    fn single(&mut self, core: usize, to: &mut AnyOutput<'_>) -> (Result<(), Break>, Option<u32>) {
        let hart = &mut self.harts[core];
        let mut shared = Shared { memory: &mut self.world, caches: &mut self.caches, timing: &self.timing };
        let mut signing_sink = SigningSink::new(to, &mut self.cores[core].signature);
        hart.at.cycle = self.position;
        let (code, sink) = (&mut self.code, &mut signing_sink);
        let end = match (hart.pending.is_some(), code.isa().rv64) {
            (true, false) => hart.single::<_, _, false, true, false>(&mut shared, code, sink),
            (false, false) => hart.single::<_, _, false, false, false>(&mut shared, code, sink),
            (true, true) => hart.single::<_, _, false, true, true>(&mut shared, code, sink),
            (false, true) => hart.single::<_, _, false, false, true>(&mut shared, code, sink),
        };
        (end, signing_sink.due)
    }

    /// Checks the state after an instruction of `core` has retired.
    #[inline]
    fn retired_one(&mut self, core: usize, due: Option<u32>) -> Result<(), InputsError> {
        if self.world.contradiction.is_some() {
            return self.contradiction(core);
        }
        match (self.goal, due) {
            (Some((_, Goal::Check(reported))), Some(found)) => {
                if reported != found {
                    return Err(self.diverged(
                        core,
                        format!("the signature of its state is 0x{found:08x}, the run's is 0x{reported:08x}"),
                    ));
                }
                let retired = self.harts[core].at.instret;
                (self.cores[core].counted, self.cores[core].checked) = (retired, retired);
                self.goal = None;
            }
            (_, Some(_)) => return Err(self.diverged(core, "a check is due, and the trace has none")),
            (Some((_, Goal::References(until))), None) if self.world.inputs[core].references > until => {
                return Err(self.diverged(core, "an instruction crosses the end of its episode"));
            }
            (Some((_, Goal::Input)), None) if self.world.inputs[core].next.is_none() => self.goal = None,
            (_, None) => {}
        }
        Ok(())
    }

    /// Reads the value of the slot that `core` has reached.
    #[cold]
    fn value(&mut self, core: usize) -> Result<(), InputsError> {
        if self.world.inputs[core].until > 0 && self.params.sizes.known > 0 {
            return self.look_ahead(core);
        }
        let Some(awaited) = self.world.inputs[core].awaited.take() else {
            let pc = self.harts[core].at.pc;
            return Err(self.diverged(core, format!("pc 0x{pc:08x} takes an input, and the trace has none for it")));
        };
        let value = match awaited.bits {
            0 => 0,
            bits => read_value(awaited.predicted, bits, &mut self.reader).map_err(|e| self.coding(e))?,
        };
        if let Some(next) = &mut self.world.inputs[core].next {
            next.value = Some(value);
        }
        Ok(())
    }

    /// Ends `core`.
    #[cold]
    fn stop(&mut self, core: usize, reported: u32, to: &mut AnyOutput<'_>) -> Result<(), InputsError> {
        self.goal = None;
        self.cores[core].fault = self.fault(core as u8).or_else(|| self.crash(core));
        self.cores[core].stopped = true;
        if let Some(stop) = self.harts[core].stop(self.position) {
            self.cores[core].signature.event(&stop);
            to.output.event(&stop);
        }
        let me = &mut self.cores[core];
        me.signature.stop(self.harts[core].at.instret - me.counted);
        let found = me.signature.value();
        if found != reported {
            let what =
                format!("the signature of its state at the stop is 0x{found:08x}, the run's is 0x{reported:08x}");
            return Err(self.diverged(core, what));
        }
        self.cores[core].checked = self.harts[core].at.instret;
        Ok(())
    }
}
