//! Events of a recording that a program contradicts
//!
//! A recording without the code that ran is encoded and replayed with a program alone. Where the program has other instructions than
//! those that ran, as after a patch, replay would take another path without notice. So each event is compared with the program
//! while it is encoded. Addresses where the program has no code are not contradictions: replay ends there with an error.

use retire::image::{Exit, ExitKind, Image, Position};
use retire::{FlowEvent, FlowKind};

/// Compares events with a program, up to the first that contradicts it.
#[derive(Clone, Debug)]
pub struct Contradictions {
    image: Image,
    /// Where each hart is, if that is known.
    positions: Vec<Option<Position>>,
    retired: Vec<u64>,
    found: Option<String>,
}

/// Whether an event is one of the instruction `exit`.
fn is_of(exit: &Exit, e: &FlowEvent) -> bool {
    let known = match exit.kind {
        ExitKind::Conditional => matches!(e.kind, FlowKind::Conditional { .. }),
        ExitKind::Jump => e.kind == FlowKind::Jump,
        ExitKind::Call => e.kind == FlowKind::Call,
        ExitKind::Indirect(_, kind) => e.kind == kind,
        ExitKind::ConditionalIndirect(_) | ExitKind::End => false,
    };
    let next = match e.kind {
        FlowKind::Conditional { taken: false } => exit.link(),
        FlowKind::Conditional { taken: true } | FlowKind::Jump | FlowKind::Call => exit.target,
        _ => e.target,
    };
    known && exit.pc == e.pc && exit.len == e.len && next == e.target
}

impl Contradictions {
    /// Before the first event of `harts` harts.
    pub fn new(image: Image, harts: u8) -> Self {
        let harts = usize::from(harts);
        Self { image, positions: vec![None; harts], retired: vec![0; harts], found: None }
    }

    /// Takes the next event.
    pub fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        if self.found.is_some() || hart >= self.positions.len() {
            return;
        }
        if let Some(position) = self.positions[hart] {
            self.found = self
                .contradicts(position, e)
                .map(|what| format!("core {}, after {} instructions: {what}", e.hart, self.retired[hart]));
        }
        self.retired[hart] += u64::from(e.count);
        let mut position = self.positions[hart].unwrap_or_default();
        match e.kind {
            // the event that follows counts from before
            FlowKind::Context { alone: false, .. } => {}
            // the code of an address space is not the program's
            FlowKind::Context { context, .. } if context.id() != 0 => self.positions.clear(),
            FlowKind::Stop => self.positions[hart] = None,
            _ => {
                position.pass(e);
                self.positions[hart] = Some(position);
            }
        }
    }

    /// What the program has in place of what ran.
    fn contradicts(&self, position: Position, e: &FlowEvent) -> Option<String> {
        let (count, exit) = self.image.run_at(position.pc, position.when)?;
        let of_program = match exit.kind {
            ExitKind::End if count < e.count => return None,
            ExitKind::End => "no branch".to_string(),
            _ => format!("one at 0x{:08x}, {count} instructions after 0x{:08x}", exit.pc, position.pc),
        };
        // a system call that returns from a handler is none in its bytes
        if e.count == 0 || matches!(e.kind, FlowKind::TrapReturn | FlowKind::Gap { .. }) {
            return None;
        }
        if !e.kind.retires() {
            let straight = e.count < count || e.count == count && exit.kind == ExitKind::End;
            let there = straight && self.image.skip_at(position.pc, e.count, position.when) == Some(e.pc);
            let what = || format!("0x{:08x} was reached without a branch, but the program has {of_program}", e.pc);
            return (!there).then(what);
        }
        let what =
            || format!("a branch at 0x{:08x} went to 0x{:08x}, but the program has {of_program}", e.pc, e.target);
        (count != e.count || !is_of(exit, e)).then(what)
    }

    /// The first contradiction.
    pub fn found(self) -> Option<String> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::elf::{Program, Segment};

    const NOP: u32 = 0x13;
    const RET: u32 = 0x8067;
    const JUMP_12: u32 = 0x00c0_006f;

    fn found(events: &[(FlowKind, u32, u64, u64)]) -> Option<String> {
        let code = [NOP, JUMP_12, NOP, NOP, RET].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
        let program = Program {
            xlen: 64,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: 0x100,
            segments: vec![Segment::code(0x100, code)],
            build_id: vec![],
        };
        let mut all = Contradictions::new(Image::new(&program), 1);
        for (kind, count, pc, target) in events {
            let len = if kind.retires() { 4 } else { 0 };
            all.event(&FlowEvent { hart: 0, kind: *kind, len, count: *count, pc: *pc, target: *target, cycle: 0 });
        }
        all.found()
    }

    #[test]
    fn the_first_event_that_the_program_does_not_have_is_found() {
        let start = (FlowKind::Start, 0, 0x100, 0x100);
        let jump = (FlowKind::Jump, 2, 0x104, 0x110);
        let trap = |count, pc| (FlowKind::Trap { interrupt: true, cause: 7 }, count, pc, 0x900);
        assert_eq!(
            found(&[start, jump, (FlowKind::Return, 1, 0x110, 0x900), (FlowKind::Return, 3, 0x908, 0x100)]),
            None
        );
        assert_eq!(found(&[start, trap(1, 0x104)]), None);
        // a nop in place of the jump, with a return, a trap or the end after it
        let why =
            "core 0, after 0 instructions: a branch at 0x00000110 went to 0x00000900, but the program has one at \
                   0x00000104, 2 instructions after 0x00000100";
        assert_eq!(found(&[start, (FlowKind::Return, 5, 0x110, 0x900)]).as_deref(), Some(why));
        let why = found(&[start, jump, (FlowKind::Return, 1, 0x110, 0x100), trap(3, 0x10c)]).unwrap();
        assert!(why.starts_with("core 0, after 3 instructions: 0x0000010c was reached without a branch"), "{why}");
        assert!(found(&[start, (FlowKind::Jump, 2, 0x104, 0x10c)]).is_some());
    }
}
