//! Episode table of one core: tracks the reads and writes of its episode, and decides when it ends
//!
//! # Source
//! [`sim::scheme::inputs::table`], [`sim::scheme::inputs::model`]; `docs/reference/record-replay.md`, "The circuit".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: reset all state, and clear the table |
//! | `lookup` | in | 1 | S1 | a reference of any core is valid |
//! | `own` | in | 1 | S1 | it is this core's |
//! | `index`, `tag` | in | 12, 16 | S1 | its entry |
//! | `alters`, `again` | in | 1 | S1 | it may change the stored value; its instruction has made a reference before |
//! | `ends` | out | 1 | S2 | the episode ends before this reference |
//! | `references` | out | 24 | S2 | length of the episode |
//! | `late` | out | 1 | | the sweep needs cycles without references |
//! | `overrun` | out | 1 | S2 | it did not get them: from here on episodes may end too often |
//! | `cleared` | out | 1 | | the table is clear, and references may come |
//!
//! # Timing
//! One reference per cycle. S1: the entry is read. S2: compared and written. An entry that is read in the cycle in which it
//! is written is forwarded from the write. After `clear` the table is cleared, one entry per cycle.
//!
//! # Numbers of episodes
//! An entry holds the number of the episode that touched it: 6 bits, 0 for none. The numbers wrap around, so old entries must be
//! removed in time: while numbers are in one half, a sweep removes the entries of the other half, one in each cycle
//! without a reference. `late` requests such cycles from the middle of a half on, which leaves 15 episodes.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::model::MAX_REFERENCES;
use sim::scheme::inputs::InputsParams;

/// The episode table of one core.
#[derive(LogicBlock, Default)]
pub struct EpisodeTable {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub lookup: Signal<In, Bit>,
    pub own: Signal<In, Bit>,
    pub index: Signal<In, Bits<12>>,
    pub tag: Signal<In, Bits<16>>,
    pub alters: Signal<In, Bit>,
    pub again: Signal<In, Bit>,
    pub ends: Signal<Out, Bit>,
    pub references: Signal<Out, Bits<24>>,
    pub late: Signal<Out, Bit>,
    pub overrun: Signal<Out, Bit>,
    pub cleared: Signal<Out, Bit>,
    entries: Mem<12, 24>,
    // S1
    at: Signal<Local, Bits<12>>,
    sweeps: Signal<Local, Bit>,
    // S2
    lookup_2: DFF<Bit>,
    own_2: DFF<Bit>,
    index_2: DFF<Bits<12>>,
    tag_2: DFF<Bits<16>>,
    alters_2: DFF<Bit>,
    again_2: DFF<Bit>,
    sweep_2: DFF<Bit>,
    same_2: DFF<Bit>,
    written: DFF<Bits<24>>,
    word: Signal<Local, Bits<24>>,
    number: Signal<Local, Bits<6>>,
    wrote: Signal<Local, Bit>,
    several: Signal<Local, Bit>,
    mark: Signal<Local, Bits<16>>,
    current: Signal<Local, Bit>,
    match_tag: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    touches: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    new_wrote: Signal<Local, Bit>,
    new_several: Signal<Local, Bit>,
    new_mark: Signal<Local, Bits<16>>,
    new_word: Signal<Local, Bits<24>>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, Bits<12>>,
    // the episode
    episode: DFF<Bits<6>>,
    following: Signal<Local, Bits<6>>,
    new_episode: Signal<Local, Bits<6>>,
    half_changes: Signal<Local, Bit>,
    used: DFF<Bits<13>>,
    used_before: Signal<Local, Bits<13>>,
    count: DFF<Bits<21>>,
    count_before: Signal<Local, Bits<21>>,
    // sweep, or clearing
    ready: DFF<Bit>,
    swept: DFF<Bit>,
    pointer: DFF<Bits<12>>,
    full_mask: Fixed<Bits<13>>,
    last: Fixed<Bits<12>>,
    many: Fixed<Bit>,
    one_6: Fixed<Bits<6>>,
    one_12: Fixed<Bits<12>>,
    one_13: Fixed<Bits<13>>,
    one_21: Fixed<Bits<21>>,
}

impl EpisodeTable {
    /// The table for `params`; with one core it is not built.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`.
    pub fn new(params: &InputsParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(MAX_REFERENCES, 1 << 20, "the top bit of `count`");
        let (s, many) = (params.sizes, params.orders());
        let width = if many { params.table_bits() / u32::from(s.entries) } else { 0 };
        Self {
            entries: Mem::new(s.entries.trailing_zeros() as usize, width as usize).in_block(),
            full_mask: Fixed::of(3 * s.entries / 4),
            last: Fixed::of(s.entries - 1),
            many: Fixed::new(many),
            one_6: Fixed::of(1u8),
            one_12: Fixed::of(1u8),
            one_13: Fixed::of(1u8),
            one_21: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for EpisodeTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lookup_2, own_2, index_2, tag_2, alters_2, again_2, sweep_2, same_2, written);
        dff_setup!(self, clock, episode, used, count, ready, swept, pointer);
        self.entries.clock.next = self.clock.val();

        // S1: the entry of a reference, or of the sweep, is read
        self.sweeps.next = self.many.val() & self.ready.q.val() & !self.swept.q.val() & !self.lookup.val();
        self.at.next = self.index.val();
        if self.sweeps.val() {
            self.at.next = self.pointer.q.val();
        }
        self.entries.raddr.next = self.at.val();
        self.lookup_2.d.next = self.lookup.val() & self.many.val() & self.ready.q.val();
        self.own_2.d.next = self.own.val();
        self.index_2.d.next = self.at.val();
        self.tag_2.d.next = self.tag.val();
        self.alters_2.d.next = self.alters.val();
        self.again_2.d.next = self.again.val();
        self.sweep_2.d.next = self.sweeps.val();

        // S2: the entry
        self.word.next = self.entries.rdata.val();
        if self.same_2.q.val() {
            self.word.next = self.written.q.val();
        }
        self.number.next = self.word.val().get_bits::<6>(0);
        self.wrote.next = self.word.val().get_bit(6);
        self.several.next = self.word.val().get_bit(7);
        self.mark.next = self.word.val().get_bits::<16>(8);
        self.current.next = self.number.val() == self.episode.q.val();
        self.match_tag.next = self.mark.val() == self.tag_2.q.val();

        // whether the episode ends
        self.full.next =
            ((self.used.q.val() & self.full_mask.val()) == self.full_mask.val()) | self.count.q.val().get_bit(20);
        self.over.next = false;
        if self.lookup_2.q.val() {
            if self.own_2.q.val() {
                self.over.next = self.full.val() & !self.again_2.q.val();
            } else {
                self.over.next = self.count.q.val().any()
                    & self.current.val()
                    & (self.wrote.val() | self.alters_2.q.val())
                    & (self.several.val() | self.match_tag.val());
            }
        }
        self.following.next = self.episode.q.val() + self.one_6.val();
        self.new_episode.next = self.episode.q.val();
        if self.over.val() {
            self.new_episode.next = self.following.val();
            if self.episode.q.val().all() {
                self.new_episode.next = self.one_6.val();
            }
        }
        self.half_changes.next = self.new_episode.val().get_bit(5) != self.episode.q.val().get_bit(5);

        // the new entry
        self.touches.next = self.lookup_2.q.val() & self.own_2.q.val();
        self.known.next = self.current.val() & !self.over.val();
        self.new_wrote.next = self.alters_2.q.val() | (self.known.val() & self.wrote.val());
        self.new_several.next = self.known.val() & (self.several.val() | !self.match_tag.val());
        self.new_mark.next = self.tag_2.q.val();
        if self.known.val() {
            self.new_mark.next = self.mark.val();
        }
        self.stale.next = self.sweep_2.q.val()
            & self.number.val().any()
            & (self.number.val().get_bit(5) != self.episode.q.val().get_bit(5));
        self.new_word.next = bit_cast::<24, 6>(self.new_episode.val())
            | (bit_cast::<24, 1>(self.new_wrote.val().into()) << 6)
            | (bit_cast::<24, 1>(self.new_several.val().into()) << 7)
            | (bit_cast::<24, 16>(self.new_mark.val()) << 8);
        self.waddr.next = self.index_2.q.val();
        self.we.next = self.touches.val() | self.stale.val();
        if !self.touches.val() {
            self.new_word.next = 0.into();
        }
        if !self.ready.q.val() {
            self.waddr.next = self.pointer.q.val();
            self.new_word.next = 0.into();
            self.we.next = self.many.val();
        }
        self.entries.we.next = self.we.val();
        self.entries.waddr.next = self.waddr.val();
        self.entries.wdata.next = self.new_word.val();
        self.same_2.d.next = self.we.val() & (self.waddr.val() == self.at.val());
        self.written.d.next = self.new_word.val();

        // the new state of the episode
        self.used_before.next = self.used.q.val();
        self.count_before.next = self.count.q.val();
        if self.over.val() {
            self.used_before.next = 0.into();
            self.count_before.next = 0.into();
        }
        self.used.d.next = self.used_before.val();
        self.count.d.next = self.count_before.val();
        if self.touches.val() {
            if !self.known.val() {
                self.used.d.next = self.used_before.val() + self.one_13.val();
            }
            if !self.again_2.q.val() {
                self.count.d.next = self.count_before.val() + self.one_21.val();
            }
        }
        self.episode.d.next = self.new_episode.val();

        // sweep and clearing
        if self.sweeps.val() | !self.ready.q.val() {
            self.pointer.d.next = self.pointer.q.val() + self.one_12.val();
            if self.pointer.q.val() == self.last.val() {
                self.pointer.d.next = 0.into();
                self.swept.d.next = true;
                self.ready.d.next = true;
            }
        }
        if self.half_changes.val() {
            self.swept.d.next = false;
            self.pointer.d.next = 0.into();
        }
        if self.clear.val() | !self.ready.q.val() {
            self.episode.d.next = self.one_6.val();
            self.used.d.next = 0.into();
            self.count.d.next = 0.into();
            self.lookup_2.d.next = false;
            self.sweep_2.d.next = false;
        }
        if self.clear.val() {
            self.ready.d.next = false;
            self.swept.d.next = false;
            self.pointer.d.next = 0.into();
        }

        self.ends.next = self.over.val();
        self.references.next = bit_cast::<24, 21>(self.count.q.val());
        self.late.next = self.many.val() & !self.swept.q.val() & self.episode.q.val().get_bit(4);
        self.overrun.next = self.half_changes.val() & !self.swept.q.val();
        self.cleared.next = self.ready.q.val();
    }
}
