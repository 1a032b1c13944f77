//! Front end of the scheme `inputs`: turns the events at a core's port into event entries
//!
//! # Source
//! [`sim::scheme::inputs::model`]; `docs/reference/record-replay.md`, "The circuit".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `reset` | in | 1 | | back to the state at power-up |
//! | `control` | | | | to the spine, see [`crate::spine::ports`] |
//! | `entry` | out | | S2 | event entries, see [`super::entry`] |
//! | `beat`, `data` | in | | S1 | from the ingress, see [`crate::ingress`] |
//! | `conditional` | in | 1 | S1 | the instruction is an `sc` |
//! | `trap`, `cause` | in | 1, 5 | S1 | a trap is reported; its cause as in [`super::entry`]. Nothing retires then |
//! | `begun` | in | 1 | | the state of the cores has been sent, and they are recorded; 1 where a recording begins at reset |
//! | `sends_state`, `state`, `rest` | in | 1, 32, 1 | S1 | an item of the core's state, and the items after the last one; see [`super::start`] |
//! | `returns` | in | 1 | S1 | the instruction is an `mret` |
//! | `lookup` .. `again` | in | | S1 | the reference of all cores, see [`super::table`] |
//! | `pop` | in | 1 | | the encoder removes an entry of this core |
//! | `session` | out | 1 | | a recording is requested, or has not ended |
//! | `go` | out | 1 | S0 | this cycle is recorded |
//! | `hold` | out | 1 | | the core must stop making references and messages: see Timing |
//!
//! # Timing
//! One instruction and one reference per cycle. Nothing is lost as long as the core obeys `hold`: after it rises there is space
//! for half the event FIFO's entries less 4, and for 15 episodes.

use super::first::FirstAccessTable;
use super::last::LastTable;
use super::level::Level;
use super::signature::SignatureRegister;
use super::state::MTVEC;
use super::table::EpisodeTable;
use crate::ingress::beat::BeatIn;
use crate::ingress::rvfi_data::DataIn;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::start::items;
use sim::scheme::inputs::InputsParams;

/// The front end of one core.
#[derive(LogicBlock, Default)]
pub struct InputsFront {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub entry: EntryOut<32>,
    pub beat: BeatIn<32>,
    pub data: DataIn<32>,
    pub conditional: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub cause: Signal<In, Bits<5>>,
    pub begun: Signal<In, Bit>,
    pub sends_state: Signal<In, Bit>,
    pub state: Signal<In, Bits<32>>,
    pub rest: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub lookup: Signal<In, Bit>,
    pub own: Signal<In, Bit>,
    pub index: Signal<In, Bits<12>>,
    pub tag: Signal<In, Bits<16>>,
    pub alters: Signal<In, Bit>,
    pub again: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub session: Signal<Out, Bit>,
    pub go: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    first_accesses: FirstAccessTable,
    episodes: EpisodeTable,
    last: LastTable,
    signature: SignatureRegister,
    // state: recorded now, one cycle and two cycles ago; a stop message is due
    live_1: DFF<Bit>,
    live_2: DFF<Bit>,
    recording: DFF<Bit>,
    stop_ready: DFF<Bit>,
    stop_due: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    // clears the table of last values
    sweep: DFF<Bits<7>>,
    swept: Signal<Local, Bit>,
    tables_clear: Signal<Local, Bit>,
    // S1: the instruction that retires
    retires: Signal<Local, Bit>,
    flows: Signal<Local, Bit>,
    trap_1: Signal<Local, Bit>,
    offset: Signal<Local, Bits<32>>,
    limit: Signal<Local, Bits<32>>,
    outside: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    slot: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    first_clear: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    // instructions since the last trap or check; since the last check
    count: DFF<Bits<32>>,
    counted: Signal<Local, Bits<32>>,
    since: DFF<Bits<32>>,
    since_now: Signal<Local, Bits<32>>,
    due: Signal<Local, Bit>,
    check: Signal<Local, Bit>,
    // words of the signature
    register_word: Signal<Local, Bits<32>>,
    swapped_load: Signal<Local, Bits<32>>,
    swapped_store: Signal<Local, Bits<32>>,
    swapped_flow: Signal<Local, Bits<32>>,
    pc: Signal<Local, Bits<32>>,
    target: Signal<Local, Bits<32>>,
    // S2
    slot_2: DFF<Bit>,
    sends_state_2: DFF<Bit>,
    rest_2: DFF<Bit>,
    fill: Signal<Local, Bit>,
    expected: Signal<Local, Bits<32>>,
    stored_2: DFF<Bit>,
    fails_2: DFF<Bit>,
    has_message_2: DFF<Bit>,
    kind_2: DFF<Bits<2>>,
    count_2: DFF<Bits<32>>,
    cause_2: DFF<Bits<5>>,
    value_2: DFF<Bits<32>>,
    size_2: DFF<Bits<2>>,
    miss: Signal<Local, Bit>,
    slots: DFF<Bits<32>>,
    difference: Signal<Local, Bits<32>>,
    raised: Signal<Local, Bits<32>>,
    doubled: Signal<Local, Bits<32>>,
    negative: Signal<Local, Bit>,
    zigzag: Signal<Local, Bits<32>>,
    keep: Signal<Local, Bits<32>>,
    push: Signal<Local, Bit>,
    message: Signal<Local, Bit>,
    level: Level,
    base: Fixed<Bits<32>>,
    limit_1: Fixed<Bits<32>>,
    limit_2: Fixed<Bits<32>>,
    limit_4: Fixed<Bits<32>>,
    period: Fixed<Bits<32>>,
    period_mask: Fixed<Bits<32>>,
    // open CSRs: mip, and mcycle, cycle, time and their upper halves
    csr_mip: Fixed<Bits<12>>,
    csr_mcycle: Fixed<Bits<12>>,
    csr_cycle: Fixed<Bits<12>>,
    csr_time: Fixed<Bits<12>>,
    but_high: Fixed<Bits<12>>,
    keep_1: Fixed<Bits<32>>,
    keep_2: Fixed<Bits<32>>,
    keep_4: Fixed<Bits<32>>,
    trap_kind: Fixed<Bits<2>>,
    check_kind: Fixed<Bits<2>>,
    stop_kind: Fixed<Bits<2>>,
    one: Fixed<Bits<32>>,
    // 1: a recording may begin in the middle of a run
    mid_run: Fixed<Bit>,
    // number of state items that these cores do not have: float registers
    floats: Fixed<Bits<32>>,
    one_7: Fixed<Bits<7>>,
}

impl InputsFront {
    /// The front end for `params`, with an event FIFO of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`, or `log2_depth` is outside 4..=8; and as [`FirstAccessTable::new`].
    pub fn new(params: &InputsParams, log2_depth: usize) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let limit = |bytes| Fixed::of(params.ram_bytes - bytes);
        let period = 1u32 << params.sizes.check;
        let mid_run = params.sizes.known > 0;
        let floats = items(params).count() - usize::from(MTVEC) - 1;
        Self {
            first_accesses: when(mid_run, || FirstAccessTable::new(params)),
            mid_run: Fixed::new(mid_run),
            floats: Fixed::of(floats as u32),
            episodes: EpisodeTable::new(params),
            last: LastTable::new(params),
            signature: SignatureRegister::new(),
            base: Fixed::of(params.ram_base),
            limit_1: limit(1),
            limit_2: limit(2),
            limit_4: limit(4),
            period: Fixed::of(period),
            period_mask: Fixed::of(2 * period - 1),
            csr_mip: Fixed::of(0x344u16),
            csr_mcycle: Fixed::of(0xb00u16),
            csr_cycle: Fixed::of(0xc00u16),
            csr_time: Fixed::of(0xc01u16),
            but_high: Fixed::of(0xf7fu16),
            keep_1: Fixed::of(0xffu8),
            keep_2: Fixed::of(0xffffu16),
            keep_4: Fixed::of(u32::MAX),
            trap_kind: Fixed::of(super::entry::TRAP),
            check_kind: Fixed::of(super::entry::CHECK),
            stop_kind: Fixed::of(super::entry::STOP),
            one: Fixed::of(1u8),
            one_7: Fixed::of(1u8),
            level: Level::new(log2_depth),
            ..Default::default()
        }
    }
}

impl Logic for InputsFront {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, live_1, live_2, recording, stop_ready, sweep, count, since);
        dff_setup!(
            self,
            clock,
            slot_2,
            stored_2,
            fails_2,
            has_message_2,
            kind_2,
            count_2,
            cause_2,
            value_2,
            size_2,
            slots
        );
        dff_setup!(self, clock, sends_state_2, rest_2);
        clock!(self, clock, episodes, last, signature, level, first_accesses);

        // state
        self.live_1.d.next = self.control.enable.val() & self.begun.val() & !self.reset.val();
        self.live_2.d.next = self.live_1.q.val();
        self.stop_due.next = self.recording.q.val()
            & self.begun.val()
            & !self.control.enable.val()
            & !self.live_1.q.val()
            & !self.live_2.q.val()
            & !self.control.full.val();
        self.stop.next = self.stop_due.val() & self.control.stop_go.val();
        self.stop_ready.d.next = self.stop_due.val() & !self.stop.val();
        self.recording.d.next = (self.recording.q.val() | self.control.enable.val()) & !self.stop.val();
        self.clear.next = self.has_message_2.q.val() & (self.kind_2.q.val() == self.stop_kind.val());
        if self.reset.val() {
            self.clear.next = true;
            self.recording.d.next = false;
            self.stop_ready.d.next = false;
        }
        self.swept.next = self.sweep.q.val().get_bit(6);
        if !self.swept.val() {
            self.sweep.d.next = self.sweep.q.val() + self.one_7.val();
        }
        if self.clear.val() {
            self.sweep.d.next = 0.into();
        }
        self.first_clear.next = true;
        if self.mid_run.val() {
            self.first_clear.next = self.first_accesses.cleared.val();
        }
        self.tables_clear.next = self.swept.val() & self.episodes.cleared.val() & self.first_clear.val();
        self.session.next = self.recording.q.val();
        self.go.next = self.control.enable.val() & self.begun.val() & !self.reset.val();
        self.control.ready.next = self.tables_clear.val() & !self.recording.q.val();
        self.control.stop_ready.next = self.stop_ready.q.val();
        self.control.take.next = false;
        self.control.give_back.next = false;
        self.control.counted.next = false;
        self.control.resynced.next = false;
        self.control.synced.next = false;
        self.control.discontinuity.next = false;
        self.control.loses.next = false;
        self.control.more.next = 0.into();
        self.control.almost_full.next = false;
        self.control.lag.next = 0.into();

        // S1: the instruction that retires, and its external values
        self.retires.next = self.beat.valid.val() & self.beat.live.val();
        self.flows.next = self.beat.branch.val()
            | self.beat.lookup.val()
            | self.beat.push.val()
            | self.beat.pop.val()
            | self.beat.jump.val();
        self.trap_1.next = self.trap.val() & self.live_1.q.val();
        self.offset.next = self.data.addr.val() - self.base.val();
        self.limit.next = self.limit_4.val();
        if self.data.size.val() == 0 {
            self.limit.next = self.limit_1.val();
        }
        if self.data.size.val() == 1 {
            self.limit.next = self.limit_2.val();
        }
        self.outside.next = self.offset.val() > self.limit.val();
        self.takes.next = self.retires.val() & self.data.load.val() & self.outside.val();
        self.open.next = (self.data.csr_addr.val() == self.csr_mip.val())
            | ((self.data.csr_addr.val() & self.but_high.val()) == self.csr_mcycle.val())
            | ((self.data.csr_addr.val() & self.but_high.val()) == self.csr_cycle.val())
            | ((self.data.csr_addr.val() & self.but_high.val()) == self.csr_time.val());
        self.first_accesses.load.next = self.retires.val() & self.data.load.val() & !self.outside.val();
        self.first_accesses.store.next = self.retires.val() & self.data.store.val() & !self.outside.val();
        self.first_accesses.addr.next = self.data.addr.val();
        self.first_accesses.size.next = self.data.size.val();
        self.first_accesses.csr.next = self.retires.val() & self.data.csr.val();
        self.first_accesses.csr_addr.next = self.data.csr_addr.val();
        self.first_accesses.returns.next = self.retires.val() & self.returns.val();
        self.first_accesses.clear.next = self.clear.val();
        self.counts.next = false;
        if self.mid_run.val() {
            self.counts.next = self.first_accesses.counts.val();
        }
        self.reads.next = self.retires.val() & self.data.csr.val() & (self.open.val() | self.counts.val());
        self.slot.next = self.takes.val() | self.reads.val();
        self.fails.next = self.retires.val() & self.conditional.val() & !self.data.store.val();

        self.last.lookup.next = self.slot.val();
        self.last.csr.next = self.data.csr.val();
        self.last.location.next = self.data.addr.val();
        self.last.value.next = self.data.loaded.val();
        if self.data.csr.val() {
            self.last.location.next = bit_cast::<32, 12>(self.data.csr_addr.val());
            self.last.value.next = self.data.value.val();
        }
        self.last.sweep.next = !self.swept.val();
        self.last.sweep_index.next = self.sweep.q.val().get_bits::<6>(0);

        // instruction counts
        self.counted.next = self.count.q.val();
        self.since_now.next = self.since.q.val();
        if self.retires.val() {
            self.counted.next = self.count.q.val() + self.one.val();
            if !(self.since.q.val() & self.period.val()).any() {
                self.since_now.next = (self.since.q.val() + self.one.val()) & self.period_mask.val();
            }
        }
        self.due.next = (self.since_now.val() & self.period.val()).any();
        self.check.next = self.retires.val() & self.flows.val() & self.due.val();
        self.count.d.next = self.counted.val();
        self.since.d.next = self.since_now.val();
        if self.check.val() | self.trap_1.val() {
            self.count.d.next = 0.into();
        }
        if self.check.val() {
            self.since.d.next = 0.into();
        }

        // the signature; for a trap or the end, the count replaces a register's word
        self.register_word.next =
            self.data.value.val() ^ bit_cast::<32, 32>(bit_cast::<32, 5>(self.data.rd.val()) << 27);
        if self.trap_1.val() | self.stop.val() {
            self.register_word.next = self.count.q.val();
        }
        if self.trap_1.val() {
            self.register_word.next = self.count.q.val()
                ^ (bit_cast::<32, 1>(self.cause.val().get_bit(0).into()) << 31)
                ^ (bit_cast::<32, 4>(self.cause.val().get_bits::<4>(1)) << 24);
        }
        self.pc.next = self.beat.pc.val() << 1;
        self.target.next = self.beat.target.val() << 1;
        self.swapped_load.next = (self.data.loaded.val() << 16) | (self.data.loaded.val() >> 16);
        self.swapped_store.next = (self.data.stored.val() << 16) | (self.data.stored.val() >> 16);
        self.swapped_flow.next = (self.target.val() << 16) | (self.target.val() >> 16);
        self.signature.load.next = self.retires.val() & self.data.load.val();
        self.signature.store.next = self.retires.val() & self.data.store.val();
        self.signature.sets.next = (self.retires.val() & self.data.sets.val()) | self.trap_1.val() | self.stop.val();
        self.signature.flow.next = self.retires.val() & self.flows.val();
        self.signature.loaded.next = self.data.addr.val() ^ self.swapped_load.val();
        self.signature.stored.next = self.data.addr.val() ^ self.swapped_store.val();
        self.signature.set.next = self.register_word.val();
        self.signature.flow_word.next = self.pc.val() ^ self.swapped_flow.val();
        self.signature.clear.next = self.clear.val();

        // the references
        self.episodes.clear.next = self.clear.val();
        self.episodes.lookup.next = self.lookup.val();
        self.episodes.own.next = self.own.val();
        self.episodes.index.next = self.index.val();
        self.episodes.tag.next = self.tag.val();
        self.episodes.alters.next = self.alters.val();
        self.episodes.again.next = self.again.val();

        self.slot_2.d.next = self.slot.val();
        self.stored_2.d.next = self.retires.val() & self.conditional.val() & self.data.store.val();
        self.fails_2.d.next = self.fails.val();
        self.has_message_2.d.next = self.trap_1.val() | self.check.val() | self.stop.val();
        self.kind_2.d.next = self.check_kind.val();
        if self.trap_1.val() {
            self.kind_2.d.next = self.trap_kind.val();
        }
        if self.stop.val() {
            self.kind_2.d.next = self.stop_kind.val();
        }
        self.count_2.d.next = self.counted.val();
        self.cause_2.d.next = self.cause.val();
        self.value_2.d.next = self.last.value.val();
        self.size_2.d.next = self.data.size.val();
        if self.data.csr.val() {
            self.size_2.d.next = 2.into();
        }
        self.sends_state_2.d.next = self.sends_state.val();
        self.rest_2.d.next = self.rest.val();
        if self.mid_run.val() & self.returns.val() {
            self.value_2.d.next = self.target.val();
            self.size_2.d.next = 2.into();
        }
        if self.mid_run.val() & self.sends_state.val() {
            self.value_2.d.next = self.state.val();
            self.size_2.d.next = 2.into();
        }

        // S2: values that were not predicted
        self.fill.next = false;
        if self.mid_run.val() {
            self.fill.next = self.first_accesses.fill.val() | self.sends_state_2.q.val();
        }
        self.miss.next = (self.slot_2.q.val() & !self.last.hit.val()) | (self.fill.val() & self.value_2.q.val().any());
        if self.stored_2.q.val()
            | (self.slot_2.q.val() & self.last.hit.val())
            | (self.fill.val() & !self.value_2.q.val().any())
        {
            self.slots.d.next = self.slots.q.val() + self.one.val();
        }
        if self.mid_run.val() & self.rest_2.q.val() {
            self.slots.d.next = self.slots.q.val() + self.floats.val();
        }
        if self.miss.val() | self.fails_2.q.val() | self.clear.val() {
            self.slots.d.next = 0.into();
        }
        // with the value shifted to the top of a word, bit 31 of the difference is its sign
        self.expected.next = self.last.expected.val();
        if self.fill.val() {
            self.expected.next = 0.into();
        }
        self.difference.next = self.value_2.q.val() - self.expected.val();
        self.raised.next = self.difference.val();
        self.keep.next = self.keep_4.val();
        if self.size_2.q.val() == 0 {
            self.raised.next = self.difference.val() << 24;
            self.keep.next = self.keep_1.val();
        }
        if self.size_2.q.val() == 1 {
            self.raised.next = self.difference.val() << 16;
            self.keep.next = self.keep_2.val();
        }
        self.negative.next = self.raised.val().get_bit(31);
        self.doubled.next = self.difference.val() << 1;
        self.zigzag.next = self.doubled.val() & self.keep.val();
        if self.negative.val() {
            self.zigzag.next = !self.doubled.val() & self.keep.val();
        }

        self.message.next = self.has_message_2.q.val() | self.fails_2.q.val() | self.miss.val();
        self.push.next = self.message.val() | self.episodes.ends.val();
        self.entry.push.next = self.push.val();
        self.entry.bcnt.next = 0.into();
        if self.episodes.ends.val() {
            self.entry.bcnt.next = self.episodes.references.val();
        }
        self.entry.pre.next = 0.into();
        self.entry.pc.next = self.slots.q.val();
        self.entry.target.next = self.zigzag.val();
        if self.has_message_2.q.val() {
            self.entry.pre.next = self.kind_2.q.val();
            self.entry.pc.next = self.count_2.q.val();
            self.entry.target.next = self.signature.value.val();
            if self.kind_2.q.val() == self.trap_kind.val() {
                self.entry.target.next = bit_cast::<32, 5>(self.cause_2.q.val());
            }
        }
        self.entry.post.next =
            bit_cast::<2, 1>(self.message.val().into()) | (bit_cast::<2, 1>(self.fails_2.q.val().into()) << 1);
        // replay that looks ahead needs every value
        if self.mid_run.val() {
            self.entry.post.next = bit_cast::<2, 1>(self.message.val().into());
        }
        if self.mid_run.val() & self.fails_2.q.val() {
            self.entry.target.next = 0.into();
        }
        self.entry.icnt.next = 0.into();
        self.entry.resync_pc.next = 0.into();
        self.entry.context_value.next = 0.into();
        self.entry.cc.next = 0.into();
        self.entry.hist.next = 0.into();

        // fill level of the FIFO
        self.level.reset.next = self.reset.val();
        self.level.push.next = self.push.val();
        self.level.pop.next = self.pop.val();
        self.control.lost.next = (self.push.val() & self.level.is_full.val()) | self.episodes.overrun.val();
        self.hold.next = self.episodes.late.val() | self.level.half.val();
        if self.reset.val() {
            self.has_message_2.d.next = false;
            self.slot_2.d.next = false;
            self.stored_2.d.next = false;
            self.fails_2.d.next = false;
            self.sends_state_2.d.next = false;
            self.rest_2.d.next = false;
        }
        // a trace begins with all counts 0; `clear` comes after the stop message, when nothing retires
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.since.d.next = 0.into();
        }
    }
}
