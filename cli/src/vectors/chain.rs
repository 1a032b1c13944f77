//! Events of cores that show only instructions and addresses (PC chain)
//!
//! An instruction is reported when the next one retires, and the last one of a core is not. The address of the next instruction is all that
//! is known of traps: outcomes and targets before a trap are those that the adapter derives from it
//! ([`hdl::ingress::chain`]).

use retire::isa::{flow, Flow};
use retire::{FlowEvent, FlowKind};
use sim::beats::chain::Chain;
use sim::params::TraceParams;
use sim::stimulus::run::{Retired, Step};

/// The chain of a core, with what is not reported yet.
struct Core {
    chain: Chain,
    held: Option<Step>,
    started: bool,
    /// Instructions since the last event.
    count: u32,
    /// Where the last reported instruction leads, unless a trap is taken.
    next: u64,
}

/// The chains of all cores.
pub struct Chains<'a> {
    params: &'a TraceParams,
    cores: Vec<Core>,
}

impl<'a> Chains<'a> {
    /// With Zcmp and Zcmt where `zcm`.
    pub fn new(params: &'a TraceParams, zcm: bool) -> Self {
        let core =
            || Core { chain: Chain::new(params.xlen).with_zcm(zcm), held: None, started: false, count: 0, next: 0 };
        Self { params, cores: (0..params.cores).map(|_| core()).collect() }
    }

    /// The events that an instruction completes, which retires in `cycle`: those of the one before.
    pub fn push(&mut self, step: &Step, cycle: u64) -> Vec<FlowEvent> {
        let core = &mut self.cores[usize::from(step.retired.hart)];
        let known = core.chain.push(&step.retired);
        let held = core.held.replace(*step);
        let (Some(r), Some(held)) = (known, held) else { return Vec::new() };
        let own = FlowEvent { hart: r.hart, kind: FlowKind::Start, len: 0, count: 0, pc: r.pc, target: r.pc, cycle };
        let before = if !core.started {
            core.started = true;
            Some(own)
        } else if r.trapped {
            let kind = FlowKind::Trap { interrupt: false, cause: 0 };
            Some(FlowEvent { kind, count: std::mem::take(&mut core.count), pc: core.next, ..own })
        } else {
            None
        };
        core.count += 1;
        let event = held.event.map(|e| {
            let (kind, target) = derived(self.params, &r, &e);
            FlowEvent { kind, target, count: std::mem::take(&mut core.count), cycle, ..e }
        });
        core.next = event.map_or(r.pc + u64::from(r.len), |e| e.target);
        before.into_iter().chain(event).collect()
    }

    /// The ends of the traces of all cores.
    pub fn stop(self) -> Vec<FlowEvent> {
        let stop = |(hart, core): (usize, Core)| {
            let pc = core.held.map_or(0, |s| s.retired.pc);
            FlowEvent { hart: hart as u8, kind: FlowKind::Stop, len: 0, count: core.count, pc, target: pc, cycle: 0 }
        };
        self.cores.into_iter().enumerate().map(stop).collect()
    }
}

/// What the adapter derives from the address of the next instruction: kind and target of the event `e` of instruction `r`, whose `next_pc`
/// is that address.
fn derived(params: &TraceParams, r: &Retired, e: &FlowEvent) -> (FlowKind, u64) {
    let next = e.fall_through();
    match e.kind {
        FlowKind::Conditional { .. } => {
            let taken = (r.next_pc ^ next) >> params.align & 0xfff != 0;
            match flow(r.insn, params.xlen) {
                // where the outcome leads, a trap or not; with a signature, a branch to the next instruction is not taken
                Flow::Conditional { offset } => {
                    let target = r.pc.wrapping_add_signed(offset.into()) & (u64::MAX >> (64 - params.xlen));
                    let target = if taken { target } else { next };
                    let taken = taken && (params.signature == 0 || target != next);
                    (FlowKind::Conditional { taken }, target)
                }
                _ => (FlowKind::Conditional { taken }, r.next_pc),
            }
        }
        FlowKind::Jump | FlowKind::Call => (e.kind, e.target),
        kind => (kind, r.next_pc),
    }
}
