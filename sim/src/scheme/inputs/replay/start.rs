//! Recordings that began in the middle of a run: the state of the cores, and values that come later in the stream

use super::super::start;
use super::world::{Contradiction, Next};
use super::{Body, InputsError, Message, Read, Replay};
use crate::message::CodingError;
use crate::riscv::csr::{View, FS};
use crate::riscv::CoreState;
use retire::elf::Program;

/// Maximum number of messages before the value of a load whose episode has ended: a load retires a few cycles after its
/// reference, and a core sends at most one message per cycle.
const AHEAD: usize = 1024;
/// Number of `fcsr`.
const FCSR: u32 = 0x003;

impl Replay {
    /// Reads the state of the cores. The contents of code segments are known: the program is in RAM.
    pub(super) fn begin(mut self, program: &Program) -> Result<Self, InputsError> {
        let items: Vec<_> = start::items(&self.params).collect();
        let cores = self.cores.len();
        let mut states = vec![CoreState::default(); cores];
        // items that were read, or skipped as 0, by core
        let mut reported = vec![0; cores];
        loop {
            let read = self.read()?;
            let Read::Core(Message { core, body: Body::Input { skipped }, difference: Some(difference) }) = read else {
                self.queue.push_back(read);
                break;
            };
            let at = reported[core] + skipped as usize;
            let Some((item, bits)) = items.get(at) else {
                self.queue.push_back(read);
                break;
            };
            *item.of(&mut states[core]) = super::super::message::unzigzag(difference) & (u64::MAX >> (64 - bits));
            reported[core] = at + 1;
            self.messages += 1;
        }
        for (core, state) in states.into_iter().enumerate() {
            self.world.inputs[core].slots = (items.len() - reported[core]) as u32;
            if state.pc != 0 {
                self.set(core, &state);
            }
        }
        for s in program.segments.iter().filter(|s| s.executable) {
            let offset = s.addr.wrapping_sub(self.params.ram_base.into()) as usize;
            let end = offset.saturating_add(s.data.len()).min(self.world.ram.len());
            (offset..end).for_each(|at| self.world.learn(at));
        }
        Ok(self)
    }

    fn set(&mut self, core: usize, state: &CoreState) {
        let hart = &mut self.harts[core];
        hart.at.pc = state.pc;
        if let Some(pending) = &mut hart.pending {
            pending.pc = state.pc;
        }
        hart.regs[1..32].copy_from_slice(&state.registers[1..]);
        hart.floats = state.floats;
        if hart.csrs.isa.float {
            // F and D are assumed to be enabled; a later read of `mstatus` gives its value
            hart.csrs.mstatus |= FS;
        }
        let view = View { hart: core as u32, mip: 0, cycle: 0, instret: 0, time: 0 };
        for (number, value) in [(start::MTVEC, state.mtvec), (FCSR, state.fcsr)] {
            if value != 0 {
                // without F there is no `fcsr`, and no value was sent
                let _ = hart.csrs.write(number, value, &view);
            }
        }
    }

    /// Reads the value of the slot that `core` has reached, at the last reference of its episode: it is in the next message of
    /// the core, which may come after those of others, or it is as predicted.
    #[cold]
    pub(super) fn look_ahead(&mut self, core: usize) -> Result<(), InputsError> {
        let slots = self.world.inputs[core].slots;
        for at in 0..AHEAD {
            if at == self.queue.len() {
                match self.read() {
                    Ok(read) => self.queue.push_back(read),
                    // damage is reported when replay gets there: nothing before it is of this core
                    Err(InputsError::Coding { source: CodingError::Truncated, .. }) => break,
                    Err(e) => return Err(e),
                }
            }
            let Read::Core(message) = self.queue[at] else { continue };
            if message.core == core {
                let Body::Input { skipped } = message.body else { break };
                if skipped != slots {
                    break;
                }
                self.queue.remove(at);
                self.messages += 1;
                self.world.inputs[core].next = Some(Next { at: skipped, value: None, difference: message.difference });
                return Ok(());
            }
        }
        self.world.inputs[core].predicted_slot = Some(slots);
        Ok(())
    }

    #[cold]
    pub(super) fn contradiction(&mut self, core: usize) -> Result<(), InputsError> {
        let Some(Contradiction { addr, recorded, held }) = self.world.contradiction.take() else { return Ok(()) };
        Err(self.diverged(core, format!("it loaded 0x{recorded:02x} from 0x{addr:08x}, where memory has 0x{held:02x}")))
    }
}
