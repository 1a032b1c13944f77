//! Recording system: the top of the scheme `inputs`
//!
//! It connects N front ends with RVFI, the snoop of their memory bus, the spine and the encoder.
//!
//! # Source
//! `docs/reference/record-replay.md`, "The circuit".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | synchronous; registers and memories also have defined values at power-up |
//! | `pins[i]` | in | | of core i, see [`super::core`] |
//! | `mem_valid` | in | 1 | the memory bus carries a load or store of a core |
//! | `mem_core` .. `mem_again` | in | | see [`super::snoop`] |
//! | `master_*[0]` | in | | with bus masters other than cores: a store of one, see [`super::master`]; `mem_valid` is then 0 |
//! | `recording` | out | 1 | the cores are recorded: they begin after it has risen |
//! | `hold` | out | 1 | the cores must wait; with a start in the middle of a run, also before `recording` rises |
//! | `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata` | | 3, 1, 32, 32 | register bus, map in [`sim::regs`] |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 32 | trace words |
//! | `session[0]` | out | 1 | [`InputsSystem::with_session`]: 1 from the header of a recording to its last bit |
//!
//! # Timing
//! One instruction per core and one reference per cycle. A core's reference is on the bus before it retires or with it, and
//! not before earlier instructions retire. `hold` comes from a register.
//!
//! Where a recording may begin in the middle of a run, a core's reference must be on the bus a cycle before it retires: the value of
//! a first load is sent at the retirement, and the messages of a cycle are in core order, so that it could come before the end of the
//! episode of a core that has stored there. No instruction may retire later than 60 cycles after `hold` has risen, and the
//! cores may only be reset together with this system: it tracks their state from then on.
//!
//! Golden model: [`sim::scheme::inputs::Recorder::clock`].

use super::core::{InputsCore, InputsPins};
use super::encoder::InputsEncoder;
use super::entry::LAYOUT;
use super::master::Masters;
use super::snoop::Snoop;
use super::start::Start;
use crate::spine::join::Spine;
use crate::spine::ports::{ControlOut, EntryOut, ReadOut, SliceOut};
use crate::spine::Stream;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::InputsParams;

/// The recording system of all cores.
#[derive(LogicBlock, Default)]
pub struct InputsSystem {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pins: Vec<InputsPins>,
    pub mem_valid: Signal<In, Bit>,
    pub mem_core: Signal<In, Bits<3>>,
    pub mem_addr: Signal<In, Bits<32>>,
    pub mem_write: Signal<In, Bit>,
    pub mem_changes: Signal<In, Bit>,
    pub mem_again: Signal<In, Bit>,
    pub master_valid: Vec<Signal<In, Bit>>,
    pub master_addr: Vec<Signal<In, Bits<32>>>,
    pub master_data: Vec<Signal<In, Bits<32>>>,
    pub master_mask: Vec<Signal<In, Bits<4>>>,
    pub recording: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    pub bus_addr: Signal<In, Bits<3>>,
    pub bus_write: Signal<In, Bit>,
    pub bus_wdata: Signal<In, Bits<32>>,
    pub bus_rdata: Signal<Out, Bits<32>>,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub data: Signal<Out, Bits<32>>,
    pub session: Vec<Signal<Out, Bit>>,
    _cores: usize,
    _sessions: usize,
    core: Vec<InputsCore>,
    snoop: Snoop,
    start: Start,
    mid_run: Fixed<Bit>,
    masters: Vec<Masters>,
    _senders: usize,
    foreign: Signal<Local, Bit>,
    spine: Spine<32>,
    encoder: InputsEncoder,
    holds: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    filled: DFF<Bit>,
    begun: Signal<Local, Bit>,
    sends_item: Signal<Local, Bit>,
    item: Signal<Local, Bits<6>>,
    rest: Signal<Local, Bit>,
    held: DFF<Bit>,
}

impl InputsSystem {
    /// The system for `params`, with event FIFOs of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`, they have 64-bit cores or a mask of unmodelled instructions, or `log2_depth` is
    /// outside 4..=8; or `known` is above [`super::first::MAX_TRACKED_BYTES`].
    pub fn new(params: &InputsParams, log2_depth: usize) -> Self {
        assert!(params.xlen == 32 && params.sizes.unmodelled.is_none(), "no circuit for 64 bits, nor for a mask");
        let cores = usize::from(params.cores);
        let masters = usize::from(params.sizes.masters);
        Self {
            masters: (0..masters).map(|_| Masters::new(params, log2_depth)).collect(),
            _senders: cores + masters,
            master_valid: each(masters),
            master_addr: each(masters),
            master_data: each(masters),
            master_mask: each(masters),
            start: Start::new(),
            mid_run: Fixed::new(params.sizes.known > 0),
            _cores: cores,
            pins: each(cores),
            core: (0..cores).map(|_| InputsCore::new(params, log2_depth)).collect(),
            snoop: Snoop::new(params),
            spine: Spine::of(&Stream::from(params), &LAYOUT, log2_depth),
            encoder: InputsEncoder::new(params),
            ..Default::default()
        }
    }

    /// Adds an output that shows that a recording is in progress.
    pub fn with_session(mut self) -> Self {
        (self.session, self._sessions) = (each(1), 1);
        self
    }
}

impl Logic for InputsSystem {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, filled);
        clock!(self, clock, snoop, spine, encoder, start);
        self.spine.reset.next = self.reset.val();
        self.encoder.port.reset.next = self.reset.val();
        self.encoder.port.time_enable.next = true;
        self.spine.bus.addr.next = self.bus_addr.val();
        self.spine.bus.write.next = self.bus_write.val();
        self.spine.bus.wdata.next = self.bus_wdata.val();
        self.bus_rdata.next = self.spine.bus.rdata.val();
        self.valid.next = self.spine.words.valid.val();
        self.spine.words.ready.next = self.ready.val();
        self.data.next = self.spine.words.data.val();
        for q in 0..self._sessions {
            self.session[q].next = self.spine.active.val();
        }
        ReadOut::<32>::join(&mut self.spine.read, &mut self.encoder.port.entry);
        SliceOut::join(&mut self.encoder.port.bits, &mut self.spine.coded);

        self.snoop.live.next = self.core[0].go.val();
        self.snoop.valid.next = self.mem_valid.val();
        self.snoop.core.next = self.mem_core.val();
        self.snoop.addr.next = self.mem_addr.val();
        self.snoop.write.next = self.mem_write.val();
        self.snoop.changes.next = self.mem_changes.val();
        self.snoop.again.next = self.mem_again.val();
        self.recording.next = self.core[0].go.val();

        self.holds.next = false;
        self.begun.next = true;
        self.sends_item.next = false;
        self.item.next = 0.into();
        self.rest.next = false;
        self.start.reset.next = self.reset.val();
        self.start.session.next = self.core[0].session.val();
        self.start.full.next = self.filled.q.val();
        if self.mid_run.val() {
            self.begun.next = self.start.begun.val();
            self.sends_item.next = self.start.sends_item.val();
            self.item.next = self.start.item.val();
            self.rest.next = self.start.rest.val();
            self.holds.next = self.start.hold.val();
        }
        self.fills.next = false;
        self.foreign.next = false;
        // bus masters, if any, come after the cores
        for i in self._cores..self._senders {
            self.masters[0].clock.next = self.clock.val();
            self.masters[0].reset.next = self.reset.val();
            self.masters[0].begun.next = self.begun.val();
            self.masters[0].valid.next = self.master_valid[0].val();
            self.masters[0].addr.next = self.master_addr[0].val();
            self.masters[0].data.next = self.master_data[0].val();
            self.masters[0].mask.next = self.master_mask[0].val();
            self.masters[0].pop.next = self.encoder.port.entry.done.val() & (self.spine.read.core.val() == i.to_bits());
            ControlOut::join(&mut self.spine.control[i], &mut self.masters[0].control);
            EntryOut::<32>::join(&mut self.masters[0].entry, &mut self.spine.entry[i]);
            if self.masters[0].store.val() {
                self.snoop.valid.next = true;
                self.snoop.addr.next = self.master_addr[0].val();
                self.snoop.write.next = true;
                self.snoop.changes.next = true;
                self.snoop.again.next = false;
            }
            self.foreign.next = self.masters[0].foreign.val();
            if self.masters[0].hold.val() {
                self.holds.next = true;
                self.fills.next = true;
            }
        }
        for i in 0..self._cores {
            self.core[i].clock.next = self.clock.val();
            self.core[i].reset.next = self.reset.val();
            InputsPins::link(&mut self.pins[i], &mut self.core[i].pins);
            self.core[i].lookup.next = self.snoop.lookup.val();
            self.core[i].own.next = (self.snoop.out_core.val() == i.to_bits()) & !self.foreign.val();
            self.core[i].index.next = self.snoop.index.val();
            self.core[i].tag.next = self.snoop.tag.val();
            self.core[i].alters.next = self.snoop.alters.val();
            self.core[i].again.next = self.snoop.more.val();
            self.core[i].pop.next = self.encoder.port.entry.done.val() & (self.spine.read.core.val() == i.to_bits());
            ControlOut::join(&mut self.spine.control[i], &mut self.core[i].control);
            EntryOut::<32>::join(&mut self.core[i].entry, &mut self.spine.entry[i]);
            self.core[i].begun.next = self.begun.val();
            self.core[i].sends_item.next = self.sends_item.val();
            self.core[i].item.next = self.item.val();
            self.core[i].rest.next = self.rest.val();
            if self.core[i].hold.val() {
                self.holds.next = true;
                self.fills.next = true;
            }
        }
        self.filled.d.next = self.fills.val();
        self.held.d.next = self.holds.val();
        self.hold.next = self.held.q.val();
    }
}
