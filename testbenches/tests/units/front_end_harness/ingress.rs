//! Port values of each adapter for what retires

use hdl::cores::Core;
use hdl::ingress::chain::ChainPins;
use hdl::ingress::etrace::EtracePins;
use hdl::ingress::rvfi::RvfiPins;
use hdl::sweep::Ports;
use retire::isa::{flow, Flow};
use retire::{Context, FlowEvent, FlowKind};
use rust_hdl::prelude::*;
use sim::beats::chain::Chain;
use sim::params::TraceParams;
use sim::stimulus::run::{Retired, Step};
use testbenches::entry::Entry;

pub type RvfiCore<const W: usize> = Core<RvfiPins<W>, W>;
pub type EtraceCore<const W: usize> = Core<EtracePins<W>, W>;
pub type ChainCore<const W: usize> = Core<ChainPins<W>, W>;

/// What is at the ports of an ingress in one cycle.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    Nothing,
    /// An instruction that traps, at this address.
    Trap(u64),
    /// An instruction that retires. The first one after a trap is marked by `intr` for RVFI; for E-Trace, `then_trap`
    /// of the previous one announces it.
    Retire {
        r: Retired,
        kind: Option<FlowKind>,
        intr: bool,
        then_trap: bool,
    },
}

/// Whether an instruction is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hide {
    /// Not hidden.
    No,
    /// Hidden by its own signal.
    Own,
    /// Hidden by its privilege mode.
    Mode,
}

/// When an instruction retires for the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportTime {
    /// This many cycles after its report.
    After(u64),
    /// With the next instruction that has an address.
    WithNext,
}

/// The common interface of all front ends with adapters.
pub trait Ingress: Ports {
    /// Whether an instruction is marked as the first after a trap.
    const INTR: bool;
    /// When an instruction of this kind retires for the trace; `all`: the target of every control-flow instruction is
    /// needed.
    fn told(kind: Option<FlowKind>, all: bool) -> ReportTime;
    /// Whether a hidden instruction, too, retires for the trace with the next one.
    const HIDDEN_WAITS: bool = false;
    /// Whether traps are signalled; otherwise they are visible by the address of the next instruction.
    const TRAPS_SIGNALLED: bool = true;
    fn set_clock(&mut self, c: bool);
    fn set(&mut self, show: &Show);
    /// Hides what retires in this cycle, if the adapter has a filter.
    fn hide(&mut self, hide: Hide);
    /// Sets mode and address space of what retires in this cycle, if the adapter reports contexts; see
    /// [`Ingress::hide`] for the mode.
    fn context(&mut self, context: Context, hide: Hide);
    fn control(&mut self, enable: bool, no_credit: bool, below_watermark: bool, go: bool);
    /// A resync is due; the core follows; the header is repeated.
    fn sync(&mut self, due: bool, follows: bool, header_repeated: bool);
    /// Whether an entry is reserved, is released.
    fn places(&self) -> (bool, bool);
    /// Whether a resync is sent in this cycle, a sync is sent.
    fn synced(&self) -> (bool, bool);
    fn ready(&self) -> bool;
    fn stop_ready(&self) -> bool;
    fn entry(&self) -> Option<Entry>;
    /// PC of the resync of this cycle, if that bypasses the entry.
    fn resync_pc(&self) -> u64;
    /// Addresses at the ports.
    fn addresses(&self) -> (u64, u64);
}

macro_rules! common {
    ($($mode:ident).+) => {
        fn set_clock(&mut self, c: bool) {
            self.clock.next = c.into();
        }
        fn hide(&mut self, hide: Hide) {
            self.hide.next = hide == Hide::Own;
            self.$($mode).+.next = (if hide == Hide::Mode { 3u64 } else { 1 }).to_bits();
            self.modes.next = 0b0010_u64.to_bits();
        }
        fn context(&mut self, context: Context, hide: Hide) {
            self.$($mode).+.next = u64::from(context.privilege()).to_bits();
            self.space.next = u64::from(context.id()).to_bits();
            let modes = if hide == Hide::Mode { 0b1111 & !(1u64 << context.privilege()) } else { 0b1111 };
            self.modes.next = modes.to_bits();
        }
        fn control(&mut self, enable: bool, no_credit: bool, below_watermark: bool, go: bool) {
            self.control.enable.next = enable;
            self.control.full.next = false;
            self.control.no_credit.next = no_credit;
            self.control.below_watermark.next = below_watermark;
            self.control.stop_go.next = go;
        }
        fn sync(&mut self, due: bool, follows: bool, header_repeated: bool) {
            self.control.due.next = due;
            self.control.after_header.next = follows;
            self.control.header_repeated.next = header_repeated;
        }
        fn places(&self) -> (bool, bool) {
            (self.control.take.val(), self.control.give_back.val())
        }
        fn synced(&self) -> (bool, bool) {
            (self.control.resynced.val(), self.control.synced.val())
        }
        fn ready(&self) -> bool {
            self.control.ready.val()
        }
        fn stop_ready(&self) -> bool {
            self.control.stop_ready.val()
        }
        fn entry(&self) -> Option<Entry> {
            self.entry.push.val().then(|| Entry {
                pre: self.entry.pre.val().index() as u8,
                post: self.entry.post.val().index() as u8,
                icnt: self.entry.icnt.val().index() as u32,
                bcnt: self.entry.bcnt.val().index() as u32,
                pc: to_u64(self.entry.pc.val()),
                target: to_u64(self.entry.target.val()),
                cc: self.entry.cc.val().index() as u32,
                context: self.entry.context_value.val().index() as u32,
                resync_pc: 0,
            })
        }
        fn resync_pc(&self) -> u64 {
            to_u64(self.entry.resync_pc.val())
        }
        fn addresses(&self) -> (u64, u64) {
            (to_u64(self.entry.pc.val()), to_u64(self.entry.target.val()))
        }
    };
}

pub fn to_u64<const W: usize>(b: Bits<W>) -> u64 {
    (0..W).fold(0, |v, i| v | u64::from(b.get_bit(i)) << i)
}

impl<const W: usize> Ingress for RvfiCore<W> {
    const INTR: bool = true;
    common!(mode);
    fn told(_: Option<FlowKind>, _: bool) -> ReportTime {
        ReportTime::After(0)
    }
    fn set(&mut self, show: &Show) {
        self.pins.rvfi.valid.next = !matches!(show, Show::Nothing);
        self.pins.rvfi.trap.next = matches!(show, Show::Trap(_));
        match show {
            Show::Retire { r, intr, .. } => {
                // the upper half of a compressed instruction may have any value
                let high = if r.len == 2 { 0x9a5f_0000 } else { 0 };
                self.pins.rvfi.insn.next = u64::from(r.insn | high).to_bits();
                self.pins.rvfi.pc_rdata.next = r.pc.to_bits();
                self.pins.rvfi.pc_wdata.next = r.next_pc.to_bits();
                self.pins.rvfi.intr.next = *intr;
            }
            // noise that must be ignored: a call to nowhere
            _ => {
                self.pins.rvfi.insn.next = 0x0000_80e7_u64.to_bits();
                self.pins.rvfi.pc_rdata.next = 0x1234_u64.to_bits();
                self.pins.rvfi.pc_wdata.next = 0x5678_u64.to_bits();
                self.pins.rvfi.intr.next = false;
            }
        }
    }
}

impl<const W: usize> Ingress for EtraceCore<W> {
    const INTR: bool = false;
    common!(pins.privilege);
    fn told(kind: Option<FlowKind>, all: bool) -> ReportTime {
        match kind {
            None => ReportTime::After(1),
            Some(FlowKind::Conditional { .. } | FlowKind::Call | FlowKind::Jump) if !all => ReportTime::After(1),
            Some(_) => ReportTime::WithNext,
        }
    }
    fn set(&mut self, show: &Show) {
        let (itype, iaddr, iretire, last) = match show {
            Show::Nothing => (0, 0x4321, 0, false),
            Show::Trap(pc) => (1 + (pc >> 2 & 1), *pc, 0, false),
            Show::Retire { r, kind, then_trap, .. } => {
                let itype = match kind {
                    None if *then_trap => 1 + (r.pc >> 2 & 1),
                    None => 0,
                    Some(FlowKind::TrapReturn) => 3,
                    Some(FlowKind::Conditional { taken }) => 4 + u64::from(*taken),
                    Some(FlowKind::IndirectCall) => 8,
                    Some(FlowKind::Call) => 9,
                    Some(FlowKind::Jump) => 11 + (r.pc & 4),
                    Some(FlowKind::CoSwap) => 12,
                    Some(FlowKind::Return) => 13,
                    Some(FlowKind::IndirectJump) => 10 + (r.pc & 4),
                    other => panic!("{other:?} has no itype"),
                };
                (itype, r.pc, u64::from(r.len / 2), r.len == 4)
            }
        };
        self.pins.itype.next = itype.to_bits();
        self.pins.iaddr.next = iaddr.to_bits();
        self.pins.iretire.next = iretire.to_bits();
        self.pins.ilastsize.next = last;
    }
}

impl<const W: usize> Ingress for ChainCore<W> {
    const INTR: bool = false;
    const HIDDEN_WAITS: bool = true;
    const TRAPS_SIGNALLED: bool = false;
    common!(mode);
    fn told(_: Option<FlowKind>, _: bool) -> ReportTime {
        ReportTime::WithNext
    }
    fn set(&mut self, show: &Show) {
        self.pins.retire_valid.next = matches!(show, Show::Retire { .. });
        let (insn, pc) = match show {
            Show::Retire { r, .. } => (r.insn | if r.len == 2 { 0x9a5f_0000 } else { 0 }, r.pc),
            _ => (0x0000_80e7, 0x1234),
        };
        self.pins.retire_insn.next = u64::from(insn).to_bits();
        self.pins.retire_pc.next = pc.to_bits();
    }
}

/// The steps as a PC chain reports them; `from_code`: the target of a branch before a trap is where its outcome leads.
pub fn chained(steps: &[Step], params: &TraceParams, from_code: bool) -> Vec<Step> {
    let mut chain = Chain::new(params.xlen);
    let known = steps.iter().filter_map(|s| chain.push(&s.retired)).collect::<Vec<_>>();
    let mut known = known.into_iter();
    let told = |step: &Step| {
        // the last one is never released
        let Some(r) = known.next() else { return *step };
        let start = step.before.filter(|e| e.kind == FlowKind::Start);
        let kind = FlowKind::Trap { interrupt: false, cause: 0 };
        let trap = FlowEvent { hart: 0, kind, len: 0, count: 0, pc: r.pc, target: r.pc, cycle: r.cycle };
        let event = step.event.map(|e| match e.kind {
            FlowKind::Conditional { .. } => {
                let apart = r.next_pc ^ r.pc.wrapping_add(r.len.into());
                let taken = apart >> params.align & 0xfff != 0;
                let next = r.pc.wrapping_add(r.len.into());
                let (taken, target) = match flow(r.insn, params.xlen) {
                    // a branch to the next instruction is not taken
                    Flow::Conditional { offset } if from_code => {
                        let at = if taken { r.pc.wrapping_add_signed(offset.into()) } else { next };
                        (at != next, at & (u64::MAX >> (64 - params.xlen)))
                    }
                    _ => (taken, r.next_pc),
                };
                FlowEvent { kind: FlowKind::Conditional { taken }, target, ..e }
            }
            FlowKind::Jump | FlowKind::Call => e,
            _ => FlowEvent { target: r.next_pc, ..e },
        });
        Step { retired: r, before: start.or(r.trapped.then_some(trap)), event }
    };
    steps.iter().map(told).collect()
}
