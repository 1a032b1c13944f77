//! Front end of bus masters other than cores: turns their stores to RAM into event entries
//!
//! # Source
//! [`sim::scheme::inputs::master`]; `docs/reference/record-replay.md`, "Bus masters".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `reset` | in | 1 | | back to the state at power-up |
//! | `control` | | | | to the spine, see [`crate::spine::ports`] |
//! | `entry` | out | | S2 | event entries, see [`super::entry`] |
//! | `begun` | in | 1 | | the state of the cores has been sent; 1 where a recording begins at reset |
//! | `valid` | in | 1 | S0 | the memory bus carries a store of a master |
//! | `addr` | in | 32 | S0 | its byte address; the low two bits are ignored |
//! | `data`, `mask` | in | 32, 4 | S0 | the word, and the bytes of it that are stored |
//! | `pop` | in | 1 | | the encoder removes an entry of the masters |
//! | `store` | out | 1 | S0 | the store is to RAM, and is recorded; combinational |
//! | `foreign` | out | 1 | S1 | the reference at the tables is from a master |
//! | `hold` | out | 1 | | the masters must stop storing |
//!
//! # Timing
//! One store per cycle. Nothing is lost as long as `hold` is obeyed: after it rises there is space for half the event FIFO's
//! entries less 4.
//!
//! Golden model: [`sim::scheme::inputs::model`].

use super::level::Level;
use super::signature::SignatureRegister;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::master::WORD_BITS;
use sim::scheme::inputs::InputsParams;

/// The front end of all bus masters.
#[derive(LogicBlock, Default)]
pub struct Masters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub entry: EntryOut<32>,
    pub begun: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub addr: Signal<In, Bits<32>>,
    pub data: Signal<In, Bits<32>>,
    pub mask: Signal<In, Bits<4>>,
    pub pop: Signal<In, Bit>,
    pub store: Signal<Out, Bit>,
    pub foreign: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    level: Level,
    signature: SignatureRegister,
    // state, as in a core's front end
    live: Signal<Local, Bit>,
    live_1: DFF<Bit>,
    live_2: DFF<Bit>,
    recording: DFF<Bit>,
    stop_ready: DFF<Bit>,
    stop_due: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    // S0
    offset: Signal<Local, Bits<32>>,
    stores: Signal<Local, Bit>,
    // S1: a store to RAM; bytes that are not stored are 0
    store_1: DFF<Bit>,
    addr_1: DFF<Bits<32>>,
    data_1: DFF<Bits<32>>,
    mask_1: DFF<Bits<4>>,
    lanes: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    lane_1: Signal<Local, Bits<32>>,
    lane_2: Signal<Local, Bits<32>>,
    lane_3: Signal<Local, Bits<32>>,
    whole: Signal<Local, Bit>,
    word: Signal<Local, Bits<28>>,
    next_word: DFF<Bits<28>>,
    further: Signal<Local, Bits<28>>,
    twice: Signal<Local, Bits<28>>,
    distance: Signal<Local, Bits<28>>,
    last: DFF<Bits<32>>,
    difference: Signal<Local, Bits<32>>,
    doubled: Signal<Local, Bits<32>>,
    zigzag: Signal<Local, Bits<32>>,
    turned: Signal<Local, Bits<32>>,
    count: DFF<Bits<32>>,
    // S2
    push_2: DFF<Bit>,
    stop_2: DFF<Bit>,
    kind_2: DFF<Bits<2>>,
    distance_2: DFF<Bits<32>>,
    value_2: DFF<Bits<32>>,
    base: Fixed<Bits<32>>,
    top: Fixed<Bits<32>>,
    words: Fixed<Bits<32>>,
    ones: Fixed<Bits<32>>,
    input_kind: Fixed<Bits<2>>,
    part_kind: Fixed<Bits<2>>,
    stop_kind: Fixed<Bits<2>>,
    one_28: Fixed<Bits<28>>,
    one_32: Fixed<Bits<32>>,
}

impl Masters {
    /// The front end for `params`, with an event FIFO of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`, or `log2_depth` is outside 4..=8.
    pub fn new(params: &InputsParams, log2_depth: usize) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(WORD_BITS, 28, "the width of a word's number");
        Self {
            level: Level::new(log2_depth),
            signature: SignatureRegister::new(),
            base: Fixed::of(params.ram_base),
            top: Fixed::of(params.ram_bytes - 1),
            words: Fixed::of(!3u32),
            ones: Fixed::of(0xffu8),
            input_kind: Fixed::of(super::entry::INPUT),
            part_kind: Fixed::of(super::entry::PART),
            stop_kind: Fixed::of(super::entry::STOP),
            one_28: Fixed::of(1u8),
            one_32: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for Masters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, live_1, live_2, recording, stop_ready, store_1, addr_1, data_1, mask_1);
        dff_setup!(self, clock, next_word, last, count, push_2, stop_2, kind_2, distance_2, value_2);
        clock!(self, clock, level, signature);

        // state
        self.live.next = self.control.enable.val() & self.begun.val() & !self.reset.val();
        self.live_1.d.next = self.live.val();
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
        self.clear.next = self.stop_2.q.val() | self.reset.val();
        if self.reset.val() {
            self.recording.d.next = false;
            self.stop_ready.d.next = false;
        }
        self.control.ready.next = !self.recording.q.val();
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

        // S0: a store to RAM
        self.offset.next = self.addr.val() - self.base.val();
        self.stores.next =
            self.live.val() & self.valid.val() & self.mask.val().any() & (self.offset.val() <= self.top.val());
        self.store.next = self.stores.val();
        self.store_1.d.next = self.stores.val();
        self.addr_1.d.next = self.addr.val() & self.words.val();
        self.lane_0.next = 0.into();
        self.lane_1.next = 0.into();
        self.lane_2.next = 0.into();
        self.lane_3.next = 0.into();
        if self.mask.val().get_bit(0) {
            self.lane_0.next = self.ones.val();
        }
        if self.mask.val().get_bit(1) {
            self.lane_1.next = self.ones.val() << 8;
        }
        if self.mask.val().get_bit(2) {
            self.lane_2.next = self.ones.val() << 16;
        }
        if self.mask.val().get_bit(3) {
            self.lane_3.next = self.ones.val() << 24;
        }
        self.lanes.next = self.lane_0.val() | self.lane_1.val() | self.lane_2.val() | self.lane_3.val();
        self.data_1.d.next = self.data.val() & self.lanes.val();
        self.mask_1.d.next = self.mask.val();

        // S1: address and value, as differences
        self.foreign.next = self.store_1.q.val();
        self.whole.next = self.mask_1.q.val().all();
        self.word.next = self.addr_1.q.val().get_bits::<28>(2);
        self.further.next = self.word.val() - self.next_word.q.val();
        self.twice.next = self.further.val() << 1;
        self.distance.next = self.twice.val();
        if self.further.val().get_bit(27) {
            self.distance.next = !self.twice.val();
        }
        self.difference.next = self.data_1.q.val() - self.last.q.val();
        self.doubled.next = self.difference.val() << 1;
        self.zigzag.next = self.doubled.val();
        if self.difference.val().get_bit(31) {
            self.zigzag.next = !self.doubled.val();
        }
        self.turned.next = (self.data_1.q.val() << 16) | (self.data_1.q.val() >> 16);
        self.signature.load.next = false;
        self.signature.store.next = self.store_1.q.val();
        self.signature.sets.next = false;
        self.signature.flow.next = false;
        self.signature.loaded.next = 0.into();
        self.signature.stored.next =
            self.addr_1.q.val() ^ self.turned.val() ^ bit_cast::<32, 32>(bit_cast::<32, 4>(self.mask_1.q.val()) << 28);
        self.signature.set.next = 0.into();
        self.signature.flow_word.next = 0.into();
        self.signature.clear.next = self.clear.val();
        if self.store_1.q.val() {
            self.next_word.d.next = self.word.val() + self.one_28.val();
            self.last.d.next = self.data_1.q.val();
            self.count.d.next = self.count.q.val() + self.one_32.val();
        }
        self.push_2.d.next = self.store_1.q.val() | self.stop.val();
        self.stop_2.d.next = self.stop.val();
        self.kind_2.d.next = self.input_kind.val();
        self.distance_2.d.next = bit_cast::<32, 28>(self.distance.val());
        if !self.whole.val() {
            self.kind_2.d.next = self.part_kind.val();
            self.distance_2.d.next = bit_cast::<32, 32>(bit_cast::<32, 28>(self.distance.val()) << 4)
                | bit_cast::<32, 4>(self.mask_1.q.val());
        }
        self.value_2.d.next = self.zigzag.val();
        if self.stop.val() {
            self.kind_2.d.next = self.stop_kind.val();
            self.distance_2.d.next = self.count.q.val();
        }

        // S2: the entry
        self.entry.push.next = self.push_2.q.val();
        self.entry.bcnt.next = 0.into();
        self.entry.post.next = 1.into();
        self.entry.pre.next = self.kind_2.q.val();
        self.entry.pc.next = self.distance_2.q.val();
        self.entry.target.next = self.value_2.q.val();
        if self.stop_2.q.val() {
            self.entry.target.next = self.signature.value.val();
        }
        self.entry.icnt.next = 0.into();
        self.entry.resync_pc.next = 0.into();
        self.entry.context_value.next = 0.into();
        self.entry.cc.next = 0.into();
        self.entry.hist.next = 0.into();
        self.level.reset.next = self.reset.val();
        self.level.push.next = self.push_2.q.val();
        self.level.pop.next = self.pop.val();
        self.control.lost.next = self.push_2.q.val() & self.level.is_full.val();
        self.hold.next = self.level.half.val();
        if self.reset.val() {
            self.push_2.d.next = false;
            self.stop_2.d.next = false;
        }
        if self.clear.val() {
            self.next_word.d.next = 0.into();
            self.last.d.next = 0.into();
            self.count.d.next = 0.into();
        }
    }
}
