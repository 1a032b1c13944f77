//! Last-value table of one core: predicts external values from the last value of the same location
//!
//! # Source
//! [`sim::scheme::inputs::last`]; `docs/reference/stream.md`, "Scheme `inputs`", message `input`.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `lookup` | in | 1 | S1 | an external value is valid |
//! | `csr` | in | 1 | S1 | it is from a CSR; else from a load |
//! | `location` | in | 32 | S1 | number of the CSR, or byte address |
//! | `value` | in | 32 | S1 | the value |
//! | `sweep`, `sweep_index` | in | 1, 6 | S2 | 1: clear entry `sweep_index`; has priority over a value |
//! | `hit` | out | 1 | S2 | the value equals the one stored for its location |
//! | `expected` | out | 32 | S2 | the stored value; 0 where none is stored |
//!
//! # Timing
//! One value per cycle. S1: the entry is read. S2: compared, and the value written if it differs. An entry that is
//! read in the cycle in which it is written is forwarded from the write.
//!
//! Golden model: [`sim::scheme::inputs::last::LastValues`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::InputsParams;

/// A table of the last external values of one core.
#[derive(LogicBlock, Default)]
pub struct LastTable {
    pub clock: Signal<In, Clock>,
    pub lookup: Signal<In, Bit>,
    pub csr: Signal<In, Bit>,
    pub location: Signal<In, Bits<32>>,
    pub value: Signal<In, Bits<32>>,
    pub sweep: Signal<In, Bit>,
    pub sweep_index: Signal<In, Bits<6>>,
    pub hit: Signal<Out, Bit>,
    pub expected: Signal<Out, Bits<32>>,
    // valid, from a CSR
    kinds: Mem<6, 2>,
    locations: Mem<6, 32>,
    values: Mem<6, 32>,
    low: Signal<Local, Bits<6>>,
    middle: Signal<Local, Bits<6>>,
    high: Signal<Local, Bits<6>>,
    index: Signal<Local, Bits<6>>,
    lookup_2: DFF<Bit>,
    kind_2: DFF<Bits<2>>,
    location_2: DFF<Bits<32>>,
    value_2: DFF<Bits<32>>,
    index_2: DFF<Bits<6>>,
    same_2: DFF<Bit>,
    old_kind: DFF<Bits<2>>,
    old_location: DFF<Bits<32>>,
    old_value: DFF<Bits<32>>,
    kind: Signal<Local, Bits<2>>,
    held: Signal<Local, Bits<32>>,
    there: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, Bits<6>>,
    wkind: Signal<Local, Bits<2>>,
    mask: Fixed<Bits<6>>,
    load: Fixed<Bits<2>>,
    open: Fixed<Bits<2>>,
}

impl LastTable {
    /// The table for `params`.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`.
    pub fn new(params: &InputsParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let bits = (params.sizes.last.trailing_zeros() as usize).max(1);
        Self {
            kinds: Mem::new(bits, 2),
            locations: Mem::new(bits, 32),
            values: Mem::new(bits, 32),
            mask: Fixed::of(params.sizes.last - 1),
            load: Fixed::of(1u8),
            open: Fixed::of(3u8),
            ..Default::default()
        }
    }
}

impl Logic for LastTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            lookup_2,
            kind_2,
            location_2,
            value_2,
            index_2,
            same_2,
            old_kind,
            old_location,
            old_value
        );
        clock!(self, clock, kinds, locations, values);

        // S1
        self.low.next = self.location.val().get_bits::<6>(0);
        self.middle.next = self.location.val().get_bits::<6>(2);
        self.high.next = self.location.val().get_bits::<6>(8);
        self.index.next = (self.low.val() ^ self.middle.val() ^ self.high.val()) & self.mask.val();
        self.kinds.raddr.next = self.index.val();
        self.locations.raddr.next = self.index.val();
        self.values.raddr.next = self.index.val();
        self.lookup_2.d.next = self.lookup.val();
        self.kind_2.d.next = self.load.val();
        if self.csr.val() {
            self.kind_2.d.next = self.open.val();
        }
        self.location_2.d.next = self.location.val();
        self.value_2.d.next = self.value.val();
        self.index_2.d.next = self.index.val();

        // S2
        self.kind.next = self.kinds.rdata.val();
        self.held.next = self.values.rdata.val();
        self.there.next = self.locations.rdata.val() == self.location_2.q.val();
        if self.same_2.q.val() {
            self.kind.next = self.old_kind.q.val();
            self.held.next = self.old_value.q.val();
            self.there.next = self.old_location.q.val() == self.location_2.q.val();
        }
        self.own.next = self.there.val() & (self.kind.val() == self.kind_2.q.val());
        self.hit.next = self.own.val() & (self.held.val() == self.value_2.q.val());
        self.expected.next = 0.into();
        if self.own.val() {
            self.expected.next = self.held.val();
        }

        // writes, also of a value that is stored already
        self.we.next = self.lookup_2.q.val() | self.sweep.val();
        self.waddr.next = self.index_2.q.val();
        self.wkind.next = self.kind_2.q.val();
        if self.sweep.val() {
            self.waddr.next = self.sweep_index.val();
            self.wkind.next = 0.into();
        }
        self.kinds.we.next = self.we.val();
        self.locations.we.next = self.we.val();
        self.values.we.next = self.we.val();
        self.kinds.waddr.next = self.waddr.val();
        self.locations.waddr.next = self.waddr.val();
        self.values.waddr.next = self.waddr.val();
        self.kinds.wdata.next = self.wkind.val();
        self.locations.wdata.next = self.location_2.q.val();
        self.values.wdata.next = self.value_2.q.val();
        self.same_2.d.next = self.we.val() & (self.waddr.val() == self.index.val());
        self.old_kind.d.next = self.wkind.val();
        self.old_location.d.next = self.location_2.q.val();
        self.old_value.d.next = self.value_2.q.val();
    }
}
