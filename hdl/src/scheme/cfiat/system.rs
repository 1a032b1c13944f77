//! System of load values: the top of the scheme `cfiat`
//!
//! It connects N cores with RVFI, their front end, the spine and the encoder.
//!
//! # Source
//! `docs/reference/load-values.md`, "The circuit".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | synchronous; registers and memories also have defined values at power-up |
//! | `pins[i]` | in | | of core i, see [`crate::ingress::rvfi_data`] |
//! | `recording` | out | 1 | the cores are traced: instructions to be replayed must come after it has risen |
//! | `hold` | out | 1 | the cores must wait |
//! | `lost` | out | 1 | a core did not wait, and the trace has ended |
//! | `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata` | | 3, 1, 32, 32 | register bus, map in [`sim::regs`] |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 32 | trace words |
//! | `session[0]` | out | 1 | [`CfiatSystem::with_session`]: 1 from the header of a trace to its last bit |
//!
//! # Timing
//! As [`super::front`], with ports one cycle earlier. Accesses of one cycle are ordered by core index: with private
//! caches, a store clears the flags of its line in the other cores' caches in this order.
//!
//! Golden model: [`sim::scheme::cfiat::Recorder`].

use super::core::CfiatCore;
use super::encoder::CfiatEncoder;
use super::entry::LAYOUT;
use super::front::CfiatFront;
use crate::ingress::rvfi_data::RvfiDataChannel;
use crate::spine::join::Spine;
use crate::spine::ports::{ControlOut, EntryOut, ReadOut, SliceOut};
use crate::spine::Stream;
use crate::widget::each::each;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::cfiat::CfiatParams;

/// The pins of a core.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct CfiatPins {
    pub rvfi: RvfiDataChannel<32, 4>,
}

/// The system of load values of all cores.
#[derive(LogicBlock, Default)]
pub struct CfiatSystem {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pins: Vec<CfiatPins>,
    pub recording: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    pub lost: Signal<Out, Bit>,
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
    core: Vec<CfiatCore>,
    front: CfiatFront,
    spine: Spine<32>,
    encoder: CfiatEncoder,
}

impl CfiatSystem {
    /// The system for `params`, with access queues and event FIFOs of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// When [`CfiatParams::check`] or the circuit refuses `params`, or `log2_depth` is outside 4..=8.
    pub fn new(params: &CfiatParams, log2_depth: usize) -> Self {
        assert!((4..=8).contains(&log2_depth), "log2_depth = {log2_depth} is outside 4..=8");
        let cores = usize::from(params.cores);
        Self {
            pins: each(cores),
            _cores: cores,
            core: (0..cores).map(|_| CfiatCore::new(params)).collect(),
            front: CfiatFront::new(params, log2_depth),
            spine: Spine::of(&Stream::from(params), &LAYOUT, log2_depth),
            encoder: CfiatEncoder::new(params),
            ..Default::default()
        }
    }

    /// Adds an output that shows that a trace is in progress.
    pub fn with_session(mut self) -> Self {
        (self.session, self._sessions) = (each(1), 1);
        self
    }
}

impl Logic for CfiatSystem {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, spine, encoder);
        self.front.reset.next = self.reset.val();
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
        for i in 0..self._cores {
            self.core[i].clock.next = self.clock.val();
            RvfiDataChannel::<32, 4>::link(&mut self.pins[i].rvfi, &mut self.core[i].rvfi);
            self.front.push[i].next = self.core[i].push.val();
            self.front.access[i].next = self.core[i].access.val();
            ControlOut::join(&mut self.spine.control[i], &mut self.front.control[i]);
            EntryOut::<32>::join(&mut self.front.entry[i], &mut self.spine.entry[i]);
        }
        self.recording.next = self.front.go.val();
        self.hold.next = self.front.hold.val();
        self.lost.next = self.front.lost.val();
    }
}
