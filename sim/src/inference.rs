//! Inferable jumps: removes indirect jumps from the events of a trace whose target the instruction before them determines
//!
//! With the option `+inferable` of a scheme, a jump is direct for the predictors if the instruction before it loads its register with
//! `lui`, `c.lui` or `auipc` and both retire in one run. A run begins at the first instruction after a control-flow instruction, a trap, a
//! sync, or a reported change of context.
//!
//! # Source
//! `docs/reference/stream.md`, "Inferable jumps"; why: `docs/maintainers/decisions/0088-inferable-jumps.md`.

use crate::core_trace::replay::Images;
use crate::platform::Platform;
use crate::sequential;
use retire::image::{Image, Position, Positions};
use retire::{Context, FlowEvent, FlowKind};
use std::sync::Arc;

/// Where the run of a hart begins.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: Position,
    /// Context as it is reported.
    context: Context,
}

/// The code of all contexts.
#[derive(Clone, Debug)]
struct Code {
    common: Image,
    of: Vec<(Context, Image)>,
}

/// An inferable jump that went elsewhere than its code says: the code is not that of the events, and a stream of them cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the jump at {0:#x} went elsewhere than its code says; the program is another one, or its code changed during the run")]
pub struct WrongJump(pub u64);

/// The runs of all harts, with the code.
#[derive(Clone, Debug)]
pub struct Inference {
    code: Arc<Code>,
    positions: Positions,
    runs: Vec<Run>,
    platform: Platform,
    wrong: Option<WrongJump>,
}

impl Inference {
    /// Before the first event of the harts of `platform`, which execute `code`.
    pub fn new<'i>(platform: &Platform, code: impl Into<Images<'i>>) -> Self {
        let Images { common, of } = code.into();
        let run = Run { from: Position::default(), context: platform.reported(Context::RESET) };
        Self {
            code: Arc::new(Code { common: common.clone(), of: of.to_vec() }),
            positions: Positions::new(platform.cores),
            runs: vec![run; platform.cores.into()],
            platform: *platform,
            wrong: None,
        }
    }

    /// The event as the predictors take it: that of an inferable jump is the event of a direct one.
    pub fn event(&mut self, e: &FlowEvent) -> FlowEvent {
        let kind = if sequential::may_be_inferable(e.kind) && self.infers(e) { direct(e.kind) } else { e.kind };
        self.positions.pass(e);
        let (run, next) = (&mut self.runs[usize::from(e.hart)], self.positions.of(e.hart));
        let begins = match e.kind {
            FlowKind::Context { context, .. } => {
                let context = self.platform.reported(context);
                self.platform.context.is_some() && std::mem::replace(&mut run.context, context) != context
            }
            FlowKind::Stop => false,
            FlowKind::Start
            | FlowKind::Conditional { .. }
            | FlowKind::Jump
            | FlowKind::Call
            | FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn
            | FlowKind::ConditionalIndirect { .. }
            | FlowKind::Trap { .. }
            | FlowKind::Gap { .. } => true,
        };
        if begins {
            run.from = next;
        }
        FlowEvent { kind, ..*e }
    }

    fn infers(&mut self, e: &FlowEvent) -> bool {
        let Run { from: Position { pc, when }, context } = self.runs[usize::from(e.hart)];
        let image = Images { common: &self.code.common, of: &self.code.of }.find(context);
        let Some((_, exit)) = image.run_at(pc, when).filter(|(_, exit)| exit.pc == e.pc) else { return false };
        let mask = u64::MAX >> (64 - self.platform.xlen);
        let target = sequential::exit_target(image, (pc, when), exit, mask);
        if target.is_some_and(|target| target != e.target) {
            self.wrong = self.wrong.or(Some(WrongJump(e.pc)));
        }
        target.is_some()
    }

    /// Refuses events whose code is another one.
    ///
    /// # Errors
    /// The first inferable jump that went elsewhere than its code says.
    pub fn check(&self) -> Result<(), WrongJump> {
        self.wrong.map_or(Ok(()), Err)
    }
}

/// The direct kind of an indirect jump or call.
fn direct(kind: FlowKind) -> FlowKind {
    match kind {
        FlowKind::IndirectCall => FlowKind::Call,
        _ => FlowKind::Jump,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::elf::{Program, Segment};

    /// 0x100: nop; 0x104: lui a5, 0x2; 0x108: jalr a5; 0x10c: auipc t1, 0; 0x110: jr 4(t1); 0x114: jr t1.
    fn code() -> Image {
        let words = [0x0000_0013_u32, 0x0000_27b7, 0x0007_80e7, 0x0000_0317, 0x0043_0067, 0x0003_0067];
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let program = Program {
            xlen: 32,
            compressed: true,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: 0x100,
            segments: vec![Segment::code(0x100, bytes)],
            build_id: Vec::new(),
        };
        Image::new(&program)
    }

    fn kinds(platform: Platform, events: &[(FlowKind, u32, u64, u64)]) -> (Vec<FlowKind>, Result<(), WrongJump>) {
        let mut inference = Inference::new(&platform, &code());
        let kinds = events.iter().map(|&(kind, count, pc, target)| {
            inference.event(&FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 }).kind
        });
        (kinds.collect(), inference.check())
    }

    const START: (FlowKind, u32, u64, u64) = (FlowKind::Start, 0, 0x100, 0x100);
    const CALL: (FlowKind, u32, u64, u64) = (FlowKind::IndirectCall, 1, 0x108, 0x2000);

    #[test]
    fn a_jump_is_inferred_only_in_the_run_of_its_load() {
        use FlowKind::{Call, Conditional, Gap, IndirectCall, IndirectJump, Jump, Start, Stop, Trap};
        let last = |before: &[(FlowKind, u32, u64, u64)], jump| {
            let events = [before, &[jump]].concat();
            let (kinds, wrong) = kinds(Platform::RV32, &events);
            assert_eq!(wrong, Ok(()));
            kinds[events.len() - 1]
        };
        assert_eq!(last(&[START], (IndirectCall, 3, 0x108, 0x2000)), Call);
        let trap = Trap { interrupt: true, cause: 7 };
        // the jump is the first of its run
        for before in
            [(Conditional { taken: true }, 1, 0, 0x108), (trap, 2, 0x108, 0x108), (Gap { lost: 2 }, 0, 0, 0x108)]
        {
            assert_eq!(last(&[START, before], CALL), IndirectCall, "{before:?}");
        }
        // the load is
        for before in [(Conditional { taken: true }, 1, 0, 0x10c), (trap, 2, 0x108, 0x10c), (Start, 0, 0, 0x10c)] {
            assert_eq!(last(&[START, before], (IndirectJump, 2, 0x110, 0x110)), Jump, "{before:?}");
        }
        // another register was loaded before it; a jump is between them
        assert_eq!(last(&[START, (Jump, 1, 0, 0x114)], (IndirectJump, 1, 0x114, 0x10c)), IndirectJump);
        assert_eq!(last(&[START], (Stop, 2, 0x108, 0x108)), Stop);
    }

    #[test]
    fn a_change_of_context_begins_a_run_where_it_is_reported() {
        let context = |id| (FlowKind::Context { context: Context::new(3, id), alone: true }, 2, 0x108, 0x108);
        let kind = |bits, id| kinds(Platform { context: bits, ..Platform::RV32 }, &[START, context(id), CALL]).0[2];
        assert_eq!(kind(Some(4), 1), FlowKind::IndirectCall);
        // not in the bits that are reported, or no contexts are
        assert_eq!(kind(Some(4), 16), FlowKind::Call);
        assert_eq!(kind(None, 1), FlowKind::Call);
    }

    #[test]
    fn a_jump_that_contradicts_its_code_is_found() {
        let (kinds, wrong) = kinds(Platform::RV32, &[START, (FlowKind::IndirectCall, 3, 0x108, 0x3000)]);
        assert_eq!((kinds[1], wrong), (FlowKind::Call, Err(WrongJump(0x108))));
    }
}
