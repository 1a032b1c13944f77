//! Observer of a bus master: its stores, as an event generator sees them
//!
//! A store is to the generator an instruction without effect on registers, at an address where no program is. The
//! generator is a full one with data triggers only.
//!
//! # Source
//! Original to this project. Paper 004 section 3.1 has events of any functional unit.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `pins.master_valid` | in | 1 | the master stores: the cycle in which the bus accepts it |
//! | `pins.master_addr` | in | W | address of the aligned word, or of the first byte |
//! | `pins.master_mask` | in | M | stored bytes, adjacent ones: 1, 2, 4 or, with W = 64, 8, from bit 0 or at their place in the word |
//! | `pins.master_data` | in | W | the word, or the bytes from bit 0 |
//! | `now` | in | W | the current cycle |
//! | `seen` | out | | see [`crate::diag::ports`] |
//!
//! # Timing
//! One store per cycle, at `seen` one cycle later.
//!
//! Golden model: `sim::diag::master`.

use crate::diag::ports::SeenOut;
use crate::ingress::rvfi_data::RvfiData;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::master::no_pc;

/// The write port of a bus master, of W bits and M = W / 8 bytes.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct MasterPins<const W: usize, const M: usize> {
    pub master_valid: Signal<In, Bit>,
    pub master_addr: Signal<In, Bits<W>>,
    pub master_mask: Signal<In, Bits<M>>,
    pub master_data: Signal<In, Bits<W>>,
}

/// An observer of a bus master with addresses of W bits, M = W / 8.
#[derive(LogicBlock, Default)]
pub struct MasterObserver<const W: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub now: Signal<In, Bits<W>>,
    pub pins: MasterPins<W, M>,
    pub seen: SeenOut<W>,
    values: RvfiData<W, M>,
    now_2: DFF<Bits<W>>,
    nowhere: Fixed<Bits<W>>,
}

impl<const W: usize, const M: usize> MasterObserver<W, M> {
    /// The observer.
    pub fn new() -> Self {
        Self { values: RvfiData::new(), nowhere: Fixed::of(no_pc(W as u8)), ..Default::default() }
    }
}

impl<const W: usize, const M: usize> Logic for MasterObserver<W, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now_2);
        clock!(self, clock, values);
        self.now_2.d.next = self.now.val();
        self.values.rvfi.valid.next = self.pins.master_valid.val();
        self.values.rvfi.insn.next = 0.into();
        self.values.rvfi.trap.next = false;
        self.values.rvfi.rd_addr.next = 0.into();
        self.values.rvfi.rd_wdata.next = 0.into();
        self.values.rvfi.mem_addr.next = self.pins.master_addr.val();
        self.values.rvfi.mem_rmask.next = 0.into();
        self.values.rvfi.mem_wmask.next = self.pins.master_mask.val();
        self.values.rvfi.mem_rdata.next = 0.into();
        self.values.rvfi.mem_wdata.next = self.pins.master_data.val();

        self.seen.valid.next = self.values.data.store.val();
        self.seen.first.next = false;
        self.seen.now.next = self.now_2.q.val();
        self.seen.pc.next = self.nowhere.val();
        self.seen.target.next = self.nowhere.val();
        self.seen.call.next = false;
        self.seen.back.next = false;
        self.seen.xret.next = false;
        self.seen.through_sp.next = false;
        self.seen.trap.next = false;
        self.seen.cause.next = 0.into();
        self.seen.came.next = 0.into();
        self.seen.load.next = false;
        self.seen.store.next = self.values.data.store.val();
        self.seen.addr.next = self.values.data.addr.val();
        self.seen.size.next = self.values.data.size.val();
        self.seen.loaded.next = 0.into();
        self.seen.stored.next = self.values.data.stored.val();
        self.seen.sets.next = false;
        self.seen.rd.next = 0.into();
        self.seen.value.next = 0.into();
    }
}
