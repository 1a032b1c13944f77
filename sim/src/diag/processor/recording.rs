//! A recording of what the core executes: the input of a debugger
//!
//! The stream is that of scheme [`inputs`](crate::scheme::inputs) for a machine of one hart. Its RAM reaches to the end of
//! the slots, so that replay has the events too: the DMA that fills the slots is a bus master, whose stores are recorded.
//! All other loads, of [`NEXT_AT`](super::NEXT_AT) and [`TIME_AT`](super::TIME_AT), are inputs. A handler that is aborted
//! ends with an interrupt, whose handler is at address 0.

use super::{FAULT, SLOTS, SLOTS_AT};
use crate::platform::ParamError;
use crate::scheme::inputs::model::InputsStats;
use crate::scheme::inputs::params::Sizes;
use crate::scheme::inputs::{InputsParams, Recorder};
use retire::elf::Program;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// Interrupt of a handler that the watchdog ends.
pub const WATCHDOG_INTERRUPT: u8 = 14;
/// Interrupt of a handler that ends with a fault.
pub const FAULT_INTERRUPT: u8 = 15;

/// The interrupt that a recording has in place of an abort.
pub(super) fn interrupt(cause: u32) -> u8 {
    if cause == FAULT {
        FAULT_INTERRUPT
    } else {
        WATCHDOG_INTERRUPT
    }
}

/// A finished recording.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Parameters of the stream.
    pub params: InputsParams,
    /// Its words.
    pub words: Vec<u32>,
    /// Its statistics.
    pub stats: InputsStats,
}

/// What an instruction does, until it is known whether it retires.
#[derive(Clone, Debug)]
enum Seen {
    Flow(FlowEvent),
    Data(DataEvent),
}

/// Takes what the current instruction does.
#[derive(Clone, Debug, Default)]
pub(super) struct Instruction(Vec<Seen>);

impl RetireSink for Instruction {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.0.push(Seen::Flow(*event));
    }

    fn data(&mut self, data: &DataEvent) {
        self.0.push(Seen::Data(*data));
    }
}

/// A recording that continues.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    params: InputsParams,
    recorder: Recorder,
    pub instruction: Instruction,
}

impl Recording {
    /// Begins with `program` in memory.
    pub fn new(program: &Program) -> Result<Self, ParamError> {
        let sizes = Sizes { masters: true, ..Sizes::default() };
        let bytes = (SLOTS_AT + 32 * SLOTS as u32).next_multiple_of(4096);
        let params = InputsParams::new(1, 32, (0, bytes), sizes);
        let recorder = Recorder::new(&params, program)?;
        Ok(Self { params, recorder, instruction: Instruction::default() })
    }

    /// The instruction retires, or has no effect.
    pub fn end_instruction(&mut self, retires: bool) {
        for seen in self.instruction.0.drain(..).filter(|_| retires) {
            match seen {
                Seen::Flow(event) => self.recorder.event(&event),
                Seen::Data(data) => self.recorder.data(&data),
            }
        }
    }

    /// The DMA stores an event in a slot.
    pub fn slot(&mut self, slot: usize, words: &[u32; 8], cycle: u64) {
        let first = u64::from(SLOTS_AT) + 32 * slot as u64;
        for (addr, value) in (first..).step_by(4).zip(words) {
            self.recorder.master(&MasterStore { addr, value: *value, mask: 15, cycle });
        }
    }

    /// An interrupt follows this number of instructions.
    pub fn interrupt(&mut self, cause: u8, retired: u64) {
        self.recorder.note(0, &Note::Interrupt { cause, retired });
    }

    /// Ends after an event, if anything retired since the last one.
    pub fn finish(mut self, stop: Option<FlowEvent>) -> Recorded {
        stop.iter().for_each(|s| self.recorder.event(s));
        self.recorder.finish();
        let words = self.recorder.drain().collect();
        Recorded { params: self.params, words, stats: *self.recorder.stats() }
    }
}
