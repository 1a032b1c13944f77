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
//! | `pins.master_addr` | in | 32 | address of the aligned word, or of the first byte |
//! | `pins.master_mask` | in | 4 | stored bytes, adjacent ones: 1, 2 or 4, from bit 0 or at their place in the word |
//! | `pins.master_data` | in | 32 | the word, or the bytes from bit 0 |
//! | `now` | in | 32 | the current cycle |
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

/// The write port of a bus master.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct MasterPins {
    pub master_valid: Signal<In, Bit>,
    pub master_addr: Signal<In, Bits<32>>,
    pub master_mask: Signal<In, Bits<4>>,
    pub master_data: Signal<In, Bits<32>>,
}

/// An observer of a bus master.
#[derive(LogicBlock, Default)]
pub struct MasterObserver {
    pub clock: Signal<In, Clock>,
    pub now: Signal<In, Bits<32>>,
    pub pins: MasterPins,
    pub seen: SeenOut,
    values: RvfiData<32, 4>,
    now_2: DFF<Bits<32>>,
    nowhere: Fixed<Bits<32>>,
}

impl MasterObserver {
    /// The observer.
    pub fn new() -> Self {
        Self { values: RvfiData::new(), nowhere: Fixed::of(no_pc(32)), ..Default::default() }
    }
}

impl Logic for MasterObserver {
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
