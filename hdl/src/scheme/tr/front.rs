//! Front end of one core: retired instructions to event entries
//!
//! Runs the predictors on every retired instruction and hands what must be sent to the event FIFO. One
//! instruction a clock, forever: nothing here can stall.
//!
//! # Source
//! `docs/trace-module.md`; paper 000 figure 5, paper 002 section 5 and (upper address bits) section 5.4.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `enable` | in | 1 | 1: trace, from when `ready`; 0: end the trace with a stop message |
//! | `ready` | out | 1 | the predictors are in their reset state, tracing can begin |
//! | `live` | out | 1 | this cycle is traced: for the ingress adapter, which answers a cycle later with `beat_live` |
//! | beat: `beat_live`, `valid` | in | 1 | that cycle is traced; an instruction retires |
//! | `intr` | in | 1 | it is the first after a trap |
//! | `branch`, `taken` | in | 1 | it is a direct conditional; its outcome |
//! | `look` | in | 1 | it is an indirect jump, call or trap return: uses the iBTB |
//! | `push`, `pop` | in | 1 | it is a call; a return; both: pops, then pushes |
//! | `jump` | in | 1 | it is a direct jump or call |
//! | `pc`, `link`, `target` | in | W | its address, the one after it, where it went; `align` low bits dropped |
//! | `full` | in | 1 | fewer than two entries are free by the event FIFO's registered count |
//! | `drained` | in | 1 | all entries of this core have left the trace system's buffers |
//! | `stop_ready` | out | 1 | this core is ready to send its stop message |
//! | `stop_go` | in | 1 | all cores of the system are: send it now |
//! | `lost` | out | 1 | messages are being lost |
//! | `entry_*` | out | | an event entry, see [`crate::spine::entry`] |
//!
//! `branch`, `look`, `push`, `pop` and `jump` must be 0 unless `valid` and `beat_live`.
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter: decodes, `link`, `taken`; ends in the registers that drive the beat |
//! | S2 | hashes, history and path; tables read; return stack read and written |
//! | S3 | outcome and return compared; counters, tags and targets written; target read |
//! | S4 | target compared |
//! | S5 | counters, decision ([`super::messages`]); ends in the registers that drive `entry_*` |
//!
//! `enable` may rise and fall at any time; a trace that has begun always ends with a stop message before
//! the next begins. When an entry finds `full`, the core loses messages, clears its predictors, waits for
//! `drained`, and goes on with overflow and sync.
//!
//! Golden model: [`sim::scheme::tr::model`] in a [`sim::lane`].

use crate::scheme::tr::messages::Messages;
use crate::scheme::tr::outcome::gshare::Gshare;
use crate::scheme::tr::parts::Parts;
use crate::scheme::tr::target::ibtb::Ibtb;
use crate::scheme::tr::target::ras::Ras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct FrontEnd<const W: usize> {
    pub clock: Signal<In, Clock>,
    // Control
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub live: Signal<Out, Bit>,
    // Beat
    pub beat_live: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub look: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub jump: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub link: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    // Event FIFO
    pub full: Signal<In, Bit>,
    pub drained: Signal<In, Bit>,
    pub stop_ready: Signal<Out, Bit>,
    pub stop_go: Signal<In, Bit>,
    pub lost: Signal<Out, Bit>,
    pub entry_push: Signal<Out, Bit>,
    pub entry_pre: Signal<Out, Bits<2>>,
    pub entry_post: Signal<Out, Bits<2>>,
    pub entry_icnt: Signal<Out, Bits<24>>,
    pub entry_bcnt: Signal<Out, Bits<24>>,
    pub entry_pc: Signal<Out, Bits<W>>,
    pub entry_target: Signal<Out, Bits<W>>,
    pub entry_cc: Signal<Out, Bits<32>>,
    // Blocks
    gshare: Gshare,
    ras: Ras<W>,
    ibtb: Ibtb<W>,
    messages: Messages<W>,
    // State
    run: DFF<Bit>,
    stopping: DFF<Bit>,
    resume: DFF<Bit>,
    start: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    // S2
    pc_low: Signal<Local, Bits<18>>,
    pc_up: Signal<Local, Bits<18>>,
    pc_hash: Signal<Local, Bits<18>>,
    hash: Signal<Local, Bits<14>>,
    // S3
    live_3: DFF<Bit>,
    valid_3: DFF<Bit>,
    intr_3: DFF<Bit>,
    branch_3: DFF<Bit>,
    look_3: DFF<Bit>,
    pop_3: DFF<Bit>,
    flow_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    pc_3: DFF<Bits<W>>,
    target_3: DFF<Bits<W>>,
    upper: DFF<Bits<W>>,
    target_upper: Signal<Local, Bits<W>>,
    same_upper: Signal<Local, Bit>,
    // S4
    live_4: DFF<Bit>,
    valid_4: DFF<Bit>,
    intr_4: DFF<Bit>,
    reported_4: DFF<Bit>,
    flow_4: DFF<Bit>,
    outcome_4: DFF<Bit>,
    return_miss_4: DFF<Bit>,
    look_4: DFF<Bit>,
    same_upper_4: DFF<Bit>,
    pc_4: DFF<Bits<W>>,
    target_4: DFF<Bits<W>>,
    // S5
    live_5: DFF<Bit>,
    valid_5: DFF<Bit>,
    intr_5: DFF<Bit>,
    reported_5: DFF<Bit>,
    flow_5: DFF<Bit>,
    outcome_5: DFF<Bit>,
    miss_5: DFF<Bit>,
    pc_5: DFF<Bits<W>>,
    target_5: DFF<Bits<W>>,
    // Parameters: PC shift as a left and a right one, address bits of the upper register, scheme
    shift_up: Fixed<Bits<3>>,
    shift_down: Fixed<Bits<3>>,
    upper_mask: Fixed<Bits<W>>,
    nexus: Fixed<Bit>,
}

impl<const W: usize> FrontEnd<W> {
    /// The front end for `params`, any that are legal.
    ///
    /// # Panics
    /// When [`TraceParams::check`] or [`Parts::of`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let parts = Parts::of(params).unwrap_or_else(|e| panic!("{e}"));
        let (align, shift) = (params.align, parts.pc_shift);
        let address = params.address_bits() as usize;
        let low = address - usize::from(parts.upper_bits);
        let ones = |bits: usize| if bits == 0 { Bits::<W>::default() } else { Bits::<W>::mask() >> (W - bits) as u64 };
        Self {
            gshare: Gshare::new(&parts.gshare),
            ras: Ras::new(parts.ras_ibtb.ras, low),
            ibtb: Ibtb::new(&parts.ras_ibtb, low),
            messages: Messages::new(params),
            shift_up: Fixed::of(align.saturating_sub(shift)),
            shift_down: Fixed::of(shift.saturating_sub(align)),
            upper_mask: Fixed::new(ones(address) ^ ones(low)),
            nexus: Fixed::new(parts.nexus),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for FrontEnd<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, run, stopping, resume);
        dff_setup!(self, clock, live_3, valid_3, intr_3, branch_3, look_3, pop_3, flow_3, taken_3, pc_3, target_3);
        dff_setup!(self, clock, upper, live_4, valid_4, intr_4, reported_4, flow_4, outcome_4, return_miss_4);
        dff_setup!(self, clock, look_4, same_upper_4, pc_4, target_4);
        dff_setup!(self, clock, live_5, valid_5, intr_5, reported_5, flow_5, outcome_5, miss_5, pc_5, target_5);
        clock!(self, clock, gshare, ras, ibtb, messages);

        // which cycles are traced
        self.start.next = self.enable.val() & self.gshare.ready.val() & !self.run.q.val();
        self.active.next = self.start.val() | (self.run.q.val() & self.enable.val() & !self.stopping.q.val());
        self.resume.d.next =
            self.messages.lost.val() & (self.resume.q.val() | (self.drained.val() & self.gshare.ready.val()));
        self.live.next = self.active.val() & !self.reset.val();
        if self.messages.lost.val() {
            self.live.next = self.resume.q.val();
        }
        if self.start.val() {
            self.run.d.next = true;
        }
        if self.run.q.val() & !self.enable.val() {
            self.stopping.d.next = true;
        }
        if self.messages.stopped.val() | self.reset.val() {
            self.run.d.next = false;
            self.stopping.d.next = false;
        }
        self.ready.next = self.gshare.ready.val();

        // S2: PC >> s, of which the lowest bits are dropped already
        self.pc_low.next = self.pc.val().get_bits::<18>(0);
        self.pc_up.next = self.pc_low.val() << self.shift_up.val();
        self.pc_hash.next = self.pc_up.val() >> self.shift_down.val();
        self.hash.next = self.pc_hash.val().get_bits::<14>(0);
        self.gshare.branch.next = self.branch.val();
        self.gshare.taken.next = self.taken.val();
        self.gshare.hash.next = self.hash.val().get_bits::<12>(0);
        self.gshare.clear.next = self.messages.clear.val() | self.reset.val();
        self.ras.live.next = self.beat_live.val();
        self.ras.push.next = self.push.val();
        self.ras.pop.next = self.pop.val();
        self.ras.link.next = self.link.val();
        self.ibtb.live.next = self.beat_live.val();
        self.ibtb.look.next = self.look.val();
        self.ibtb.branch.next = self.branch.val();
        self.ibtb.taken.next = self.taken.val();
        self.ibtb.hash.next = self.hash.val();
        self.live_3.d.next = self.beat_live.val() & !self.reset.val();
        self.valid_3.d.next = self.valid.val();
        self.intr_3.d.next = self.intr.val();
        self.branch_3.d.next = self.branch.val();
        self.look_3.d.next = self.look.val();
        self.pop_3.d.next = self.pop.val();
        self.flow_3.d.next = self.jump.val() | self.branch.val() | self.look.val() | self.pop.val();
        self.taken_3.d.next = self.taken.val();
        self.pc_3.d.next = self.pc.val();
        self.target_3.d.next = self.target.val();

        // S3: upper address bits of the last indirect target
        self.ras.target.next = self.target_3.q.val();
        self.ibtb.target.next = self.target_3.q.val();
        self.ibtb.sweep.next = self.gshare.sweep.val();
        self.ibtb.index.next = self.gshare.index.val().get_bits::<5>(0);
        self.target_upper.next = self.target_3.q.val() & self.upper_mask.val();
        self.same_upper.next = self.target_upper.val() == self.upper.q.val();
        if self.look_3.q.val() | self.pop_3.q.val() {
            self.upper.d.next = self.target_upper.val();
        }
        if !self.live_3.q.val() {
            self.upper.d.next = 0.into();
        }
        self.live_4.d.next = self.live_3.q.val() & !self.reset.val();
        self.valid_4.d.next = self.valid_3.q.val();
        self.intr_4.d.next = self.intr_3.q.val();
        self.reported_4.d.next = self.branch_3.q.val() | self.look_3.q.val() | self.pop_3.q.val();
        self.flow_4.d.next = self.flow_3.q.val();
        // a Nexus-like trace sends all that is taken, whatever was predicted
        self.outcome_4.d.next = self.gshare.miss.val();
        self.return_miss_4.d.next = self.pop_3.q.val() & !(self.ras.hit.val() & self.same_upper.val());
        if self.nexus.val() {
            self.outcome_4.d.next = self.branch_3.q.val() & self.taken_3.q.val();
            self.return_miss_4.d.next = self.pop_3.q.val();
        }
        self.look_4.d.next = self.look_3.q.val();
        self.same_upper_4.d.next = self.same_upper.val() & !self.nexus.val();
        self.pc_4.d.next = self.pc_3.q.val();
        self.target_4.d.next = self.target_3.q.val();

        // S4
        self.live_5.d.next = self.live_4.q.val() & !self.reset.val();
        self.valid_5.d.next = self.valid_4.q.val();
        self.intr_5.d.next = self.intr_4.q.val();
        self.reported_5.d.next = self.reported_4.q.val();
        self.flow_5.d.next = self.flow_4.q.val();
        self.outcome_5.d.next = self.outcome_4.q.val();
        self.miss_5.d.next =
            self.return_miss_4.q.val() | (self.look_4.q.val() & !(self.ibtb.hit.val() & self.same_upper_4.q.val()));
        self.pc_5.d.next = self.pc_4.q.val();
        self.target_5.d.next = self.target_4.q.val();

        // S5
        self.messages.reset.next = self.reset.val();
        self.messages.live.next = self.live_5.q.val();
        self.messages.live_next.next = self.live_4.q.val();
        self.messages.valid.next = self.valid_5.q.val();
        self.messages.intr.next = self.intr_5.q.val();
        self.messages.reported.next = self.reported_5.q.val();
        self.messages.flow.next = self.flow_5.q.val();
        self.messages.outcome.next = self.outcome_5.q.val();
        self.messages.miss.next = self.miss_5.q.val();
        self.messages.pc.next = self.pc_5.q.val();
        self.messages.target.next = self.target_5.q.val();
        self.messages.full.next = self.full.val();
        self.messages.stop_go.next = self.stop_go.val();
        self.stop_ready.next = self.messages.stop_ready.val();
        self.lost.next = self.messages.lost.val();
        self.entry_push.next = self.messages.entry_push.val();
        self.entry_pre.next = self.messages.entry_pre.val();
        self.entry_post.next = self.messages.entry_post.val();
        self.entry_icnt.next = self.messages.entry_icnt.val();
        self.entry_bcnt.next = self.messages.entry_bcnt.val();
        self.entry_pc.next = self.messages.entry_pc.val();
        self.entry_target.next = self.messages.entry_target.val();
        self.entry_cc.next = self.messages.entry_cc.val();
    }
}
