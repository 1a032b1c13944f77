//! The instruction of an event as text, for lines of descriptors

use crate::assembly::Assembly;
use crate::changes::Changes;
use crate::foreign;
use crate::input::Input;
use crate::progress::Progress;
use crate::run::Run;
use crate::HostError;
use retire::image::{Image, Positions};
use retire::FlowEvent;

/// The code of a run, and the positions of its harts.
pub(crate) struct Disassembly {
    image: Image,
    assembly: Assembly,
    positions: Positions,
}

impl Disassembly {
    /// That of a run.
    ///
    /// # Errors
    /// The run has no code, or code of another machine than RISC-V.
    pub fn of(run: &Run<'_>, progress: &dyn Progress) -> Result<Self, HostError> {
        let info = run.info();
        let refused = |why: &str| Err(HostError::Other(format!("`--disassemble`: {}: {why}", run.name())));
        let (image, riscv) = match run.input {
            Input::Program(named) => (named.image()?, named.machine.is_none()),
            Input::Recording(recording, Some(named)) => {
                (named.image_of(recording, Changes::default())?, named.machine.is_none())
            }
            Input::Recording(recording, None) => {
                let riscv = foreign::check_machine((&run.name(), foreign::RISCV), &run.name(), &info.source).is_ok();
                (recording.image(progress)?, riscv)
            }
        };
        if !riscv {
            return refused(
                "its code is not RISC-V; `goshawk capture run --disassemble` prints that of other machines",
            );
        }
        if image.is_learned() {
            return refused("contains no code; `--elf` names its program");
        }
        Ok(Self { image, assembly: Assembly::new(info.xlen), positions: Positions::new(info.harts) })
    }

    /// Goes on to the position after an event.
    pub fn pass(&mut self, e: &FlowEvent) {
        self.positions.pass(e);
    }

    /// Appends a blank and the instruction of `hart` at `pc`, if there is one, to a line.
    pub fn append(&self, hart: u8, pc: u64, line: &mut Vec<u8>) {
        let when = self.positions.of(hart).when;
        let text = self.image.instructions(pc, when).next().and_then(|i| self.assembly.text(i.bits(), i.len));
        if let Some(text) = text {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            line.push(b' ');
            line.extend_from_slice(text.as_bytes());
            line.push(b'\n');
        }
    }
}
