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
//! | `control` | in | | to the spine, see [`crate::spine::ports`] |
//! | `go` | out | 1 | this cycle is traced: for the ingress adapter, which answers a cycle later |
//! | `beat` | in | | its beats, see [`crate::ingress::beat`] |
//! | `more[0]`, `step[0]`, `lag[0]` | in | 24, 32, 8 | with [`Extras::retire`]: to [`super::messages`], of the beat in S5 |
//! | `entering[0]` | in | 10 | with it: `more` of the beat in S2 |
//! | `entry` | out | | event entries, see [`crate::spine::entry`] |
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter: decodes, `link`, `taken`; ends in the registers that drive the beat |
//! | S2 | hashes; predictors ask their tables, upper bits of the target compared |
//! | S3 .. S4 | until both predictors have answered: as many clocks as the slower one takes |
//! | S4 | whether there is anything to tell |
//! | S5 | counters, decision ([`super::messages`]); its addresses went to the FIFO from S4, see [`crate::spine::event_fifo`] |
//!
//! Golden model: [`sim::scheme::tr::model`] in a [`sim::lane`].

use crate::ingress::beat::BeatIn;
use crate::scheme::tr::messages::Messages;
use crate::scheme::tr::outcome::OutcomeIn;
use crate::scheme::tr::parts::Parts;
use crate::scheme::tr::target::TargetIn;
use crate::spine::life::Life;
use crate::spine::ports::{ControlIn, EntryOut, VerdictOut};
use crate::spine::settle::Settle;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct FrontEnd<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub go: Signal<Out, Bit>,
    pub beat: BeatIn<W>,
    pub entry: EntryOut<W>,
    pub more: Vec<Signal<In, Bits<24>>>,
    pub step: Vec<Signal<In, Bits<32>>>,
    pub lag: Vec<Signal<In, Bits<8>>>,
    pub entering: Vec<Signal<In, Bits<10>>>,
    _wides: usize,
    keeps: Vec<Signal<Local, Bit>>,
    // Blocks
    life: Life,
    outcome: Slot<OutcomeIn>,
    target: Slot<TargetIn<W>>,
    messages: Messages<W>,
    // with resyncs, one that holds the predictors behind them
    settle: Settle,
    settles: Fixed<Bit>,
    hold: Signal<Local, Bit>,
    holding: Signal<Local, Bit>,
    // S2: of the beat what is not lost
    live_2: Signal<Local, Bit>,
    valid_2: Signal<Local, Bit>,
    branch_2: Signal<Local, Bit>,
    look_2: Signal<Local, Bit>,
    push_2: Signal<Local, Bit>,
    pop_2: Signal<Local, Bit>,
    jump_2: Signal<Local, Bit>,
    asks_target: Signal<Local, Bit>,
    // S2
    pc_low: Signal<Local, Bits<18>>,
    pc_up: Signal<Local, Bits<18>>,
    pc_hash: Signal<Local, Bits<18>>,
    hash: Signal<Local, Bits<14>>,
    upper: DFF<Bits<W>>,
    target_upper: Signal<Local, Bits<W>>,
    same_upper: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    // what waits for the predictors' answers, and the answer that waits for the other one
    flags: Delay<9>,
    pcs: Delay<W>,
    targets: Delay<W>,
    misses: Delay<1>,
    // where contexts are told: the one, and above it whether it is new
    turns: Vec<Delay<19>>,
    _turns: usize,
    hits: Delay<1>,
    // S4: live, valid, intr, reported, flow, conditional taken, indirect, same upper bits, predictors held
    flags_4: Signal<Local, Bits<9>>,
    live_4: Signal<Local, Bit>,
    indirect_4: Signal<Local, Bit>,
    hit_4: Signal<Local, Bit>,
    // S5
    live_5: DFF<Bit>,
    valid_5: DFF<Bit>,
    intr_5: DFF<Bit>,
    reported_5: DFF<Bit>,
    flow_5: DFF<Bit>,
    outcome_5: DFF<Bit>,
    miss_5: DFF<Bit>,
    taken_5: DFF<Bit>,
    indirect_5: DFF<Bit>,
    held_5: DFF<Bit>,
    untold: Signal<Local, Bit>,
    // Parameters: PC shift as a left and a right one, address bits of the upper register, scheme
    shift_up: Fixed<Bits<3>>,
    shift_down: Fixed<Bits<3>>,
    upper_mask: Fixed<Bits<W>>,
    nexus: Fixed<Bit>,
    sync: Fixed<Bit>,
    /// Whether the target predictor is clear before the outcome predictor is.
    sooner: Fixed<Bit>,
}

impl<const W: usize> FrontEnd<W> {
    /// The front end for `params`, any that are legal.
    ///
    /// # Panics
    /// When [`TraceParams::check`] or [`Parts::of`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`FrontEnd::new`], with `extras`.
    ///
    /// # Panics
    /// As [`FrontEnd::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        let sync = extras.sync;
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let parts = Parts::of(params).unwrap_or_else(|e| panic!("{e}"));
        let (align, shift) = (params.align, parts.pc_shift);
        let address = params.address_bits() as usize;
        let low = address - usize::from(parts.upper_bits);
        let ones = |bits: usize| if bits == 0 { Bits::<W>::default() } else { Bits::<W>::mask() >> (W - bits) as u64 };
        let (outcome, target) = (parts.outcome(), parts.target::<W>(low));
        // where nothing is predicted, nothing is to be cleared
        let wides = usize::from(extras.retire.is_some());
        let settles = sync && params.flow.settle() > 0;
        let turns = usize::from(params.context.is_some());
        let latency = outcome.latency().max(target.latency());
        Self {
            flags: Delay::new(latency),
            pcs: Delay::new(latency),
            targets: Delay::new(latency),
            turns: (0..turns).map(|_| Delay::new(latency + 1)).collect(),
            _turns: turns,
            misses: Delay::new(latency - outcome.latency()),
            hits: Delay::new(latency - target.latency()),
            outcome,
            target,
            life: Life::new(false, extras),
            messages: Messages::with(params, extras),
            more: each(wides),
            step: each(wides),
            lag: each(wides),
            entering: each(wides),
            keeps: each(wides),
            _wides: wides,
            settle: when(settles, || Settle::new(params.flow.settle() << extras.haste(params), wides > 0)),
            settles: Fixed::new(settles),
            sync: Fixed::new(sync),
            shift_up: Fixed::of(align.saturating_sub(shift)),
            shift_down: Fixed::of(shift.saturating_sub(align)),
            upper_mask: Fixed::new(ones(address) ^ ones(low)),
            nexus: Fixed::new(parts.nexus),
            sooner: Fixed::new(parts.target_clears_sooner()),
            ..Default::default()
        }
    }

    /// Clocks from a beat to what `more` and `step` say of it.
    ///
    /// # Panics
    /// As [`FrontEnd::new`].
    pub fn wait(params: &TraceParams) -> usize {
        let parts = Parts::of(params).unwrap_or_else(|e| panic!("{e}"));
        1 + parts.outcome().latency().max(parts.target::<W>(params.address_bits() as usize).latency())
    }
}

impl<const W: usize> Logic for FrontEnd<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upper);
        dff_setup!(self, clock, live_5, valid_5, intr_5, reported_5, flow_5, outcome_5, miss_5);
        dff_setup!(self, clock, taken_5, indirect_5, held_5);
        clock!(self, clock, life, outcome, target, messages, settle, flags, pcs, targets, misses, hits);

        self.life.reset.next = self.reset.val();
        ControlIn::link(&mut self.control, &mut self.life.control);
        self.life.able.next = self.outcome.port.ready.val() & (self.target.port.ready.val() | self.sooner.val());
        self.go.next = self.life.go.val();
        self.life.broken.next = self.beat.broken.val() & self.beat.live.val();
        self.life.live.next = self.live_5.q.val();
        self.life.live_next.next = self.flags.to.val().get_bit(0);
        self.life.valid.next = self.valid_5.q.val();
        self.life.intr.next = self.intr_5.q.val();

        // S2: what is lost enters no predictor; while it is, they stand
        self.life.here.next = self.beat.live.val();
        self.life.enter.next = self.beat.live.val() & self.beat.valid.val();
        self.life.hide.next = self.beat.hide.val();
        // resyncs are decided in the last stage
        self.life.flow.next = false;
        self.life.resynced.next = false;
        self.life.began.next = false;
        self.life.may.next = self.beat.intr.val()
            | self.beat.branch.val()
            | self.beat.look.val()
            | self.beat.pop.val()
            | self.beat.jump.val();
        for j in 0..self._turns {
            self.life.may.next = self.beat.turns.val()
                | self.beat.intr.val()
                | self.beat.branch.val()
                | self.beat.look.val()
                | self.beat.pop.val()
                | self.beat.jump.val();
            self.turns[j].clock.next = self.clock.val();
            self.turns[j].clear.next = self.reset.val();
            self.turns[j].from.next =
                bit_cast::<19, 18>(self.beat.belongs.val()) | (bit_cast::<19, 1>(self.beat.turns.val().into()) << 18);
            self.messages.turns[j].next = self.turns[j].to.val().get_bit(18);
            self.messages.belongs[j].next = self.turns[j].to.val().get_bits::<18>(0);
        }
        // all of these may make an entry
        self.live_2.next = self.life.seen.val();
        self.valid_2.next = self.beat.valid.val() & self.life.counts.val();
        self.branch_2.next = self.beat.branch.val() & !self.life.shut.val();
        self.look_2.next = self.beat.look.val() & !self.life.shut.val();
        self.push_2.next = self.beat.push.val() & !self.life.shut.val();
        self.pop_2.next = self.beat.pop.val() & !self.life.shut.val();
        self.jump_2.next = self.beat.jump.val() & !self.life.shut.val();

        // behind a resync
        self.settle.reset.next = self.reset.val();
        self.settle.resync.next = self.life.verdict.resync.val();
        self.settle.fresh.next = self.life.verdict.fresh.val();
        self.settle.cancel.next = self.life.verdict.stop.val();
        self.settle.enter.next = self.live_2.val() & self.valid_2.val();
        self.settle.entering.next = 0.into();
        self.settle.leave.next = self.live_5.q.val() & self.valid_5.q.val();
        self.settle.leaving.next = 0.into();
        for w in 0..self._wides {
            self.settle.entering.next = self.entering[w].val();
            self.settle.leaving.next = self.more[w].val().get_bits::<10>(0);
        }
        self.hold.next = false;
        self.holding.next = false;
        if self.settles.val() {
            self.hold.next = self.settle.hold.val();
            self.holding.next = self.settle.holding.val();
        }
        self.asks_target.next = (self.live_2.val() | self.life.away.val()) & !self.hold.val();
        for k in 0..self._wides {
            // behind a gap it can take a while until an instruction is told
            self.keeps[k].next = self.life.verdict.losing.val();
            self.asks_target.next = (self.live_2.val() | self.life.away.val() | self.keeps[k].val()) & !self.hold.val();
        }

        // S2: PC >> s, of which the lowest bits are dropped already
        self.pc_low.next = self.beat.pc.val().get_bits::<18>(0);
        self.pc_up.next = self.pc_low.val() << self.shift_up.val();
        self.pc_hash.next = self.pc_up.val() >> self.shift_down.val();
        self.hash.next = self.pc_hash.val().get_bits::<14>(0);
        self.outcome.port.branch.next = self.branch_2.val() & !self.hold.val();
        self.outcome.port.taken.next = self.beat.taken.val();
        self.outcome.port.hash.next = self.hash.val();
        self.outcome.port.clear.next = self.life.clear.val() | self.reset.val();
        self.target.port.live.next = self.asks_target.val();
        self.target.port.look.next = self.look_2.val() & !self.hold.val();
        self.target.port.push.next = self.push_2.val() & !self.hold.val();
        self.target.port.pop.next = self.pop_2.val() & !self.hold.val();
        self.target.port.branch.next = self.branch_2.val() & !self.hold.val();
        self.target.port.taken.next = self.beat.taken.val();
        self.target.port.hash.next = self.hash.val();
        self.target.port.link.next = self.beat.link.val();
        self.target.port.target.next = self.beat.target.val();
        self.target.port.clear.next = self.life.clear.val() | self.reset.val();

        // upper address bits of the last indirect target
        self.indirect.next = self.look_2.val() | self.pop_2.val();
        self.reported.next = self.branch_2.val() | self.indirect.val();
        self.target_upper.next = self.beat.target.val() & self.upper_mask.val();
        self.same_upper.next = self.target_upper.val() == self.upper.q.val();
        if self.indirect.val() {
            self.upper.d.next = self.target_upper.val();
        }
        if !self.asks_target.val() {
            self.upper.d.next = 0.into();
        }

        // all else waits until both predictors have answered
        self.flags.clear.next = self.reset.val();
        self.flags.from.next = bit_cast::<9, 1>(self.live_2.val().into())
            | (bit_cast::<9, 1>(self.valid_2.val().into()) << 1)
            | (bit_cast::<9, 1>(self.beat.intr.val().into()) << 2)
            | (bit_cast::<9, 1>(self.reported.val().into()) << 3)
            | (bit_cast::<9, 1>((self.jump_2.val() | self.reported.val()).into()) << 4)
            | (bit_cast::<9, 1>((self.branch_2.val() & self.beat.taken.val()).into()) << 5)
            | (bit_cast::<9, 1>(self.indirect.val().into()) << 6)
            | (bit_cast::<9, 1>(self.same_upper.val().into()) << 7)
            | (bit_cast::<9, 1>(self.hold.val().into()) << 8);
        self.pcs.clear.next = false;
        self.pcs.from.next = self.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.beat.target.val();
        self.misses.clear.next = false;
        self.misses.from.next = bit_cast::<1, 1>(self.outcome.port.miss.val().into());
        self.hits.clear.next = false;
        self.hits.from.next = bit_cast::<1, 1>(self.target.port.hit.val().into());

        // S4: a Nexus-like trace sends all that is taken, whatever was predicted
        self.flags_4.next = self.flags.to.val();
        self.live_4.next = self.flags_4.val().get_bit(0);
        self.indirect_4.next = self.flags_4.val().get_bit(6);
        self.hit_4.next = self.hits.to.val().any() & self.flags_4.val().get_bit(7);
        self.live_5.d.next = self.live_4.val() & !self.reset.val();
        self.valid_5.d.next = self.flags_4.val().get_bit(1);
        self.intr_5.d.next = self.flags_4.val().get_bit(2);
        self.reported_5.d.next = self.flags_4.val().get_bit(3);
        self.flow_5.d.next = self.flags_4.val().get_bit(4);
        self.outcome_5.d.next = self.misses.to.val().any();
        self.miss_5.d.next = self.indirect_4.val() & !self.hit_4.val();
        self.taken_5.d.next = self.flags_4.val().get_bit(5);
        self.indirect_5.d.next = self.indirect_4.val();
        self.held_5.d.next = self.flags_4.val().get_bit(8);
        if self.nexus.val() {
            self.outcome_5.d.next = self.flags_4.val().get_bit(5);
            self.miss_5.d.next = self.indirect_4.val();
        }

        // S5
        self.messages.live.next = self.live_5.q.val();
        self.messages.valid.next = self.valid_5.q.val();
        self.messages.reported.next = self.reported_5.q.val();
        self.messages.flow.next = self.flow_5.q.val();
        self.messages.outcome.next = self.outcome_5.q.val();
        self.messages.miss.next = self.miss_5.q.val();
        self.untold.next = false;
        if self.sync.val() & !self.nexus.val() {
            // held when it was asked, or since
            self.untold.next = self.held_5.q.val() | self.holding.val() | self.life.verdict.fresh.val();
            if self.untold.val() {
                self.messages.outcome.next = self.taken_5.q.val();
                self.messages.miss.next = self.indirect_5.q.val();
            }
        }
        self.messages.ask.next = self.control.ask.val();
        self.messages.pc.next = self.pcs.to.val();
        self.messages.target.next = self.targets.to.val();
        for j in 0..self._wides {
            self.messages.more[j].next = self.more[j].val();
            self.messages.step[j].next = self.step[j].val();
            self.messages.lag[j].next = self.lag[j].val();
            self.messages.lead_lag[j].next = self.control.lead_lag.val();
        }
        VerdictOut::join(&mut self.life.verdict, &mut self.messages.verdict);
        EntryOut::<W>::link(&mut self.entry, &mut self.messages.entry);
    }
}
