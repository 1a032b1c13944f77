//! Interrupts, refused accesses, and the exceptions that replay finds itself

use super::super::message::Trap;
use super::signing::AnyOutput;
use super::{Fault, InputsError, Replay, TRAPS};
use crate::riscv::hart::{Break, State};
use retire::{FlowKind, Note};

impl Replay {
    /// Takes a recorded interrupt before the next instruction of `core`.
    #[cold]
    pub(super) fn interrupt(&mut self, core: usize, trap: Trap, to: &mut AnyOutput<'_>) {
        let retired = self.signed(core, trap);
        self.harts[core].trap(true, trap.cause.into(), 0);
        to.output.note(core as u8, &Note::Interrupt { cause: trap.cause, retired });
    }

    /// Raises the exception of a recorded refused access, or one that comes before it: a handler's first instruction may be refused.
    #[cold]
    pub(super) fn refused(&mut self, core: usize, trap: Trap, to: &mut AnyOutput<'_>) -> Result<(), InputsError> {
        self.world.inputs[core].fault = true;
        let (end, _) = self.single(core, to);
        self.world.inputs[core].fault = false;
        let Err(Break::Trap(cause, tval)) = end else {
            return Err(self.diverged(core, format!("no access with cause {} where one was refused", trap.cause)));
        };
        let pc = self.harts[core].at.pc;
        let raised = self.raised(core, cause, tval);
        if cause != u32::from(trap.cause) {
            return raised;
        }
        if self.harts[core].state == State::Locked {
            // the core crashed; cores that do not stop there repeat the trap
            self.cores[core].fault = Some(Fault { pc, cause: trap.cause });
            self.position += 1;
        } else {
            raised?;
        }
        self.cores[core].exceptions = 0;
        let retired = self.signed(core, trap);
        to.output.note(core as u8, &Note::AccessFault { cause: trap.cause, retired });
        Ok(())
    }

    /// Adds a recorded trap to the signature; the goal is reached. Returns the instructions of `core`.
    fn signed(&mut self, core: usize, trap: Trap) -> u64 {
        let retired = self.harts[core].at.instret;
        let me = &mut self.cores[core];
        let instructions = (retired - std::mem::replace(&mut me.counted, retired)) as u32;
        me.signature.trap(instructions, trap.interrupt, trap.cause);
        self.goal = None;
        retired
    }

    /// Takes the exception that the next instruction of `core` has raised: a step of its own.
    #[cold]
    pub(super) fn raised(&mut self, core: usize, cause: u32, tval: u64) -> Result<(), InputsError> {
        self.harts[core].trap(false, cause, tval);
        if self.harts[core].state == State::Locked {
            return Err(self.diverged(core, "its handler cannot be executed, but the run continues"));
        }
        self.cores[core].exceptions += 1;
        if self.cores[core].exceptions > TRAPS {
            return Err(self.diverged(core, "it traps without end, but the run continues"));
        }
        self.position += 1;
        Ok(())
    }

    /// Cores that took an interrupt with the last step, other than the one that retired its instruction.
    pub fn moved(&self) -> &[u8] {
        &self.moved
    }

    /// The instruction before which a core took a trap, if the next instruction is the first of its handler.
    pub fn trapped_at(&self, core: u8) -> Option<u64> {
        let pending = self.harts[usize::from(core)].pending?;
        matches!(pending.kind, FlowKind::Trap { .. }).then_some(pending.pc)
    }
}
