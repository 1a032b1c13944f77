//! Core unit of a recording system: a core's RVFI adapters and its front end
//!
//! # Source
//! RVFI: see [`crate::ingress::rvfi`] and [`crate::ingress::rvfi_data`]. `sc`: RISC-V unprivileged ISA, "A" extension.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `pins.rvfi*` | in | | as in [`crate::ingress::rvfi`] and [`crate::ingress::rvfi_data`] |
//! | `pins.trap.valid` | in | 1 | in this cycle an interrupt is taken, or an access is refused. Nothing retires |
//! | `pins.trap.interrupt`, `pins.trap.cause` | in | 1, 4 | which of them; as in `mcause` |
//! | `begun`, `sends_item`, `item`, `rest` | in | | see [`super::start`] |
//! | `lookup` .. `again`, `pop`, `session`, `go`, `hold`, `control`, `entry` | | | as in [`super::front`] |
//!
//! # Timing
//! As [`super::front`], with ports one cycle before its S1.
//!
//! Golden model: [`sim::scheme::inputs::model`].

use super::front::InputsFront;
use super::state::TrackedState;
use crate::ingress::beat::BeatOut;
use crate::ingress::rvfi::Rvfi;
use crate::ingress::rvfi_data::{DataOut, RvfiData, RvfiDataChannel};
use crate::spine::ports::{ControlIn, EntryOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::scheme::inputs::InputsParams;

/// The trap port of a core.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct TrapPins {
    pub valid: Signal<In, Bit>,
    pub interrupt: Signal<In, Bit>,
    pub cause: Signal<In, Bits<4>>,
}

/// The pins of a core.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct InputsPins {
    pub rvfi: RvfiDataChannel<32, 4>,
    pub rvfi_pc_rdata: Signal<In, Bits<32>>,
    pub rvfi_pc_wdata: Signal<In, Bits<32>>,
    pub trap: TrapPins,
}

/// A front end with the RVFI adapters of its core.
#[derive(LogicBlock, Default)]
pub struct InputsCore {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub entry: EntryOut<32>,
    pub pins: InputsPins,
    pub begun: Signal<In, Bit>,
    pub sends_item: Signal<In, Bit>,
    pub item: Signal<In, Bits<6>>,
    pub rest: Signal<In, Bit>,
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
    core_state: TrackedState,
    mid_run: Fixed<Bit>,
    ingress: Rvfi<32>,
    memory: RvfiData<32, 4>,
    front: InputsFront,
    masked: Signal<Local, Bits<32>>,
    conditional: DFF<Bit>,
    returns: DFF<Bit>,
    sends_item_1: DFF<Bit>,
    rest_1: DFF<Bit>,
    trap: DFF<Bit>,
    cause: DFF<Bits<5>>,
    sc_mask: Fixed<Bits<32>>,
    sc_word: Fixed<Bits<32>>,
    mret: Fixed<Bits<32>>,
}

impl InputsCore {
    /// The unit for `params`, with an event FIFO of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// As [`InputsFront::new`].
    pub fn new(params: &InputsParams, log2_depth: usize) -> Self {
        // the adapter only needs the address width of a control-flow trace
        let flow = TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| p.cores = params.cores);
        Self {
            core_state: TrackedState::new(params),
            mid_run: Fixed::new(params.sizes.known > 0),
            mret: Fixed::of(0x3020_0073u32),
            ingress: Rvfi::new(&flow),
            memory: RvfiData::new(),
            front: InputsFront::new(params, log2_depth),
            // sc.w, whatever its registers and ordering bits
            sc_mask: Fixed::of(0xf800_707fu32),
            sc_word: Fixed::of(0x1800_202fu32),
            ..Default::default()
        }
    }
}

impl Logic for InputsCore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, conditional, trap, cause, returns, sends_item_1, rest_1);
        clock!(self, clock, ingress, memory, front, core_state);
        self.ingress.port.live.next = self.front.go.val();
        self.ingress.port.open.next = self.front.go.val();
        self.ingress.port.pins.rvfi.valid.next = self.pins.rvfi.valid.val();
        self.ingress.port.pins.rvfi.insn.next = self.pins.rvfi.insn.val();
        self.ingress.port.pins.rvfi.trap.next = self.pins.rvfi.trap.val();
        // traps are reported by the trap port
        self.ingress.port.pins.rvfi.intr.next = false;
        self.ingress.port.hide.next = false;
        self.ingress.port.mode.next = 0.into();
        self.ingress.port.modes.next = 0.into();
        self.ingress.port.space.next = 0.into();
        self.ingress.port.first.next = 0.into();
        self.ingress.port.last.next = 0.into();
        self.ingress.port.wanted.next = 0.into();
        self.ingress.port.mask.next = 0.into();
        self.ingress.port.reset.next = false;
        self.ingress.port.pins.rvfi.pc_rdata.next = self.pins.rvfi_pc_rdata.val();
        self.ingress.port.pins.rvfi.pc_wdata.next = self.pins.rvfi_pc_wdata.val();
        RvfiDataChannel::<32, 4>::link(&mut self.pins.rvfi, &mut self.memory.rvfi);
        self.masked.next = self.pins.rvfi.insn.val() & self.sc_mask.val();
        self.conditional.d.next = self.masked.val() == self.sc_word.val();
        self.trap.d.next = self.pins.trap.valid.val();
        self.cause.d.next = (bit_cast::<5, 4>(self.pins.trap.cause.val()) << 1)
            | bit_cast::<5, 1>(self.pins.trap.interrupt.val().into());

        self.front.reset.next = self.reset.val();
        BeatOut::<32>::join(&mut self.ingress.port.beat, &mut self.front.beat);
        DataOut::<32>::join(&mut self.memory.data, &mut self.front.data);
        ControlIn::link(&mut self.control, &mut self.front.control);
        EntryOut::<32>::link(&mut self.entry, &mut self.front.entry);
        self.front.conditional.next = self.conditional.q.val();
        self.returns.d.next = self.pins.rvfi.insn.val() == self.mret.val();
        self.sends_item_1.d.next = self.sends_item.val();
        self.rest_1.d.next = self.rest.val();
        self.front.returns.next = self.returns.q.val();
        self.front.begun.next = self.begun.val();
        self.front.sends_state.next = self.sends_item_1.q.val();
        self.front.rest.next = self.rest_1.q.val();
        self.core_state.reset.next = self.reset.val();
        self.core_state.valid.next = self.pins.rvfi.valid.val();
        self.core_state.insn.next = self.pins.rvfi.insn.val();
        self.core_state.target.next = self.pins.rvfi_pc_wdata.val();
        self.core_state.traps.next = self.pins.rvfi.trap.val();
        self.core_state.trap.next = self.pins.trap.valid.val();
        self.core_state.interrupt.next = self.pins.trap.interrupt.val();
        self.core_state.cause.next = self.pins.trap.cause.val();
        self.core_state.sets.next = self.memory.data.sets.val();
        self.core_state.rd.next = self.memory.data.rd.val();
        self.core_state.value.next = self.memory.data.value.val();
        self.core_state.item.next = self.item.val();
        self.core_state.sends_item.next = self.sends_item.val();
        self.front.state.next = 0.into();
        if self.mid_run.val() {
            self.front.state.next = self.core_state.state.val();
        }
        self.front.trap.next = self.trap.q.val();
        self.front.cause.next = self.cause.q.val();
        self.front.lookup.next = self.lookup.val();
        self.front.own.next = self.own.val();
        self.front.index.next = self.index.val();
        self.front.tag.next = self.tag.val();
        self.front.alters.next = self.alters.val();
        self.front.again.next = self.again.val();
        self.front.pop.next = self.pop.val();
        self.session.next = self.front.session.val();
        self.go.next = self.front.go.val();
        self.hold.next = self.front.hold.val();
    }
}
