//! Snoop: maps the references of all cores, in memory order, to entries of the episode tables
//!
//! There is one for all cores: the memory bus carries at most one reference per cycle, and its entry is the same in every table.
//!
//! # Source
//! `docs/reference/stream.md`, "Scheme `inputs`"; the hash is the one of [`sim::scheme::inputs::table`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live` | in | 1 | this cycle is recorded |
//! | `valid` | in | 1 | the bus carries a load or store of a core, within one block |
//! | `core` | in | 3 | index of the core |
//! | `addr` | in | 32 | byte address |
//! | `write`, `changes` | in | 1 | it is a store; it changes the stored value. The latter may always be 1 |
//! | `again` | in | 1 | its instruction has made a reference before |
//! | `lookup` | out | 1 | a reference: a store, or a load from RAM |
//! | `out_core` | out | 3 | `core` |
//! | `index`, `tag` | out | 12, 16 | its table entry |
//! | `alters`, `more` | out | 1 | it may change the stored value; `again` |
//!
//! # Timing
//! Outputs come from registers, one cycle later.
//!
//! Golden model: [`sim::scheme::inputs::model`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::InputsParams;

/// The snoop of the memory bus.
#[derive(LogicBlock, Default)]
pub struct Snoop {
    pub clock: Signal<In, Clock>,
    pub live: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub core: Signal<In, Bits<3>>,
    pub addr: Signal<In, Bits<32>>,
    pub write: Signal<In, Bit>,
    pub changes: Signal<In, Bit>,
    pub again: Signal<In, Bit>,
    pub lookup: Signal<Out, Bit>,
    pub out_core: Signal<Out, Bits<3>>,
    pub index: Signal<Out, Bits<12>>,
    pub tag: Signal<Out, Bits<16>>,
    pub alters: Signal<Out, Bit>,
    pub more: Signal<Out, Bit>,
    offset: Signal<Local, Bits<32>>,
    in_ram: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    block: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<32>>,
    top: Signal<Local, Bits<32>>,
    folded: Signal<Local, Bits<32>>,
    table_index: Signal<Local, Bits<32>>,
    mark: Signal<Local, Bits<32>>,
    lookup_1: DFF<Bit>,
    core_1: DFF<Bits<3>>,
    index_1: DFF<Bits<12>>,
    tag_1: DFF<Bits<16>>,
    alters_1: DFF<Bit>,
    again_1: DFF<Bit>,
    base: Fixed<Bits<32>>,
    last: Fixed<Bits<32>>,
    block_shift: Fixed<Bits<5>>,
    index_bits: Fixed<Bits<5>>,
    tag_bits: Fixed<Bits<5>>,
    index_mask: Fixed<Bits<32>>,
    tag_mask: Fixed<Bits<32>>,
}

impl Snoop {
    /// The snoop for the RAM and the tables of `params`.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`.
    pub fn new(params: &InputsParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let s = params.sizes;
        Self {
            base: Fixed::of(params.ram_base),
            last: Fixed::of(params.ram_bytes - 1),
            block_shift: Fixed::of(s.block.trailing_zeros()),
            index_bits: Fixed::of(s.entries.trailing_zeros()),
            tag_bits: Fixed::of(s.tag),
            index_mask: Fixed::of(s.entries - 1),
            tag_mask: Fixed::of((1u32 << s.tag) - 1),
            ..Default::default()
        }
    }
}

impl Logic for Snoop {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lookup_1, core_1, index_1, tag_1, alters_1, again_1);
        self.offset.next = self.addr.val() - self.base.val();
        self.in_ram.next = self.offset.val() <= self.last.val();
        self.outside.next = !self.in_ram.val();
        // the index is folded from all address bits of the block; the tag from those above the index
        self.block.next = self.addr.val() >> self.block_shift.val();
        self.upper.next = self.block.val() >> self.index_bits.val();
        self.top.next = self.upper.val() >> self.index_bits.val();
        self.folded.next = self.upper.val() >> self.tag_bits.val();
        self.table_index.next = (self.block.val() ^ self.upper.val() ^ self.top.val()) & self.index_mask.val();
        self.mark.next = (self.upper.val() ^ self.folded.val()) & self.tag_mask.val();

        self.lookup_1.d.next = self.live.val() & self.valid.val() & (self.write.val() | self.in_ram.val());
        self.core_1.d.next = self.core.val();
        self.index_1.d.next = self.table_index.val().get_bits::<12>(0);
        self.tag_1.d.next = self.mark.val().get_bits::<16>(0);
        self.alters_1.d.next = self.write.val() & (self.changes.val() | self.outside.val());
        self.again_1.d.next = self.again.val();

        self.lookup.next = self.lookup_1.q.val();
        self.out_core.next = self.core_1.q.val();
        self.index.next = self.index_1.q.val();
        self.tag.next = self.tag_1.q.val();
        self.alters.next = self.alters_1.q.val();
        self.more.next = self.again_1.q.val();
    }
}
