//! Trace systems, the top modules of the emitted Verilog
//!
//! N ingress adapters and front ends, the spine that joins them, and the encoder. A trace module is a system of one
//! core.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | synchronous; at power-up, registers and memories also have their reset values |
//! | `pins[i]` | in | | pins of core i, see the adapters: [`crate::ingress::rvfi`], [`crate::ingress::rvfi_wide`], [`crate::ingress::etrace`], [`crate::ingress::blocks`], [`crate::ingress::chain`] |
//! | `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata` | | 3, 1, 32, 32 | register bus, map in [`sim::regs`] |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 32 | trace words |
//! | `session[0]` | out | 1 | with [`Extras::session`]: 1 from the header of a trace to its last bit |
//! | `hide[i]` | in | 1 | with [`Extras::filter`]: the instructions that retire in this cycle must be hidden |
//! | `mode[i]` | in | 2 | with [`Extras::filter`] or contexts: privilege mode, see [`crate::ingress::mode_filter`]; E-Trace: `privilege[i]` |
//! | `space[i]` | in | 16 | with contexts ([`sim::platform::Platform::context`]) or [`Extras::space`]: their address space identifier |
//! | `filter_first[i]`, `filter_last[i]` | in | W | with [`Extras::range`]: the address range to trace, see [`crate::ingress::address_filter`] |
//! | `filter_space[i]`, `filter_mask[i]` | in | 16 | with [`Extras::space`]: the address spaces to trace |
//! | `allow_modes[i]` | in | 4 | with [`Extras::filter`]: bit m: mode m may be traced, if `control.modes` also selects it |
//! | `time[0]`, `time_enable[0]` | in | 32, 1 | with [`Extras::time_input`]: the time of this cycle; messages have a time |
//! | `source[0]` | in | 4 | with [`Extras::source_input`]: the number of the core in messages |
//! | `stall[i]` | out | 1 | with [`Extras::stall`]: core i must stall, see Timing |
//!
//! # Timing
//! One retired instruction per core and cycle, without limit. `rdata` follows `addr` by one cycle.
//!
//! `stall[i]` comes from registers. With a FIFO of depth 2^k, it is high while 2^(k-1) - 2 entries or more are
//! occupied. Nothing is lost if the core retires at most 2^(k-1) - 2 instructions after the cycle in which it rises; so
//! k must be at least 4.
//!
//! With up to L instructions per cycle (for blocks, L is twice the number of blocks), it is also high while two or
//! more words wait in the retire queue of depth 2^q. Nothing is lost if the core retires in at most c cycles after that, where c
//! is the smaller of 2^q - 5 and (2^(k-1) - 2 - 5 L) / L.
//!
//! Golden model: [`sim::system`].

use crate::cores::Core;
use crate::ingress::pins::Pins;
use crate::scheme::flow;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::join::Spine;
use crate::spine::ports::{ControlOut, EntryOut, ReadOut, SliceOut};
use crate::spine::Extras;
use crate::widget::each::each;
use crate::widget::slot::Slot;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A trace system with cores of the pins `P`, and addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct System<P: Pins<W>, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pins: Vec<P>,
    pub bus_addr: Signal<In, Bits<3>>,
    pub bus_write: Signal<In, Bit>,
    pub bus_wdata: Signal<In, Bits<32>>,
    pub bus_rdata: Signal<Out, Bits<32>>,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub data: Signal<Out, Bits<32>>,
    pub hide: Vec<Signal<In, Bit>>,
    pub mode: Vec<Signal<In, Bits<2>>>,
    pub allow_modes: Vec<Signal<In, Bits<4>>>,
    pub space: Vec<Signal<In, Bits<16>>>,
    pub filter_first: Vec<Signal<In, Bits<W>>>,
    pub filter_last: Vec<Signal<In, Bits<W>>>,
    pub filter_space: Vec<Signal<In, Bits<16>>>,
    pub filter_mask: Vec<Signal<In, Bits<16>>>,
    pub time: Vec<Signal<In, Bits<32>>>,
    pub time_enable: Vec<Signal<In, Bit>>,
    pub source: Vec<Signal<In, Bits<4>>>,
    pub session: Vec<Signal<Out, Bit>>,
    pub stall: Vec<Signal<Out, Bit>>,
    _cores: usize,
    // number of pins that only some systems have: none or one for a session, a time and a number, none or one per core for the others
    _sessions: usize,
    _times: usize,
    _sources: usize,
    // cores with the time
    _timed: usize,
    _stalls: usize,
    _filters: usize,
    _modes: usize,
    _address_spaces: usize,
    _ranges: usize,
    _spaces: usize,
    core: Vec<Core<P, W>>,
    spine: Spine<W>,
    encoder: Slot<EncoderPort<W>>,
}

/// The circuits that all cores of a system share.
pub struct Parts<const W: usize> {
    /// The spine.
    pub spine: Spine<W>,
    /// The encoder.
    pub encoder: Slot<EncoderPort<W>>,
}

impl<P: Pins<W>, const W: usize> System<P, W> {
    /// The system for `params`, with event FIFOs of depth 2^`log2_depth`, and `extras`.
    ///
    /// # Panics
    /// If `params` are refused, their `xlen` is not W, or an extra has no circuit.
    pub fn new(params: &TraceParams, log2_depth: usize, extras: Extras) -> Self {
        let extras = Extras { ingress: P::CODE, ..extras };
        let parts = Parts {
            spine: Spine::with(params, &flow::layout(params), log2_depth, extras),
            encoder: flow::encoder(params, extras),
        };
        Self::of(params, extras, &|| flow::front(params, extras), parts)
    }

    /// As [`System::new`], with the parts of another scheme than that of `params`.
    ///
    /// # Panics
    /// As [`System::new`].
    pub fn of(params: &TraceParams, extras: Extras, front: &dyn Fn() -> Slot<FrontPort<W>>, parts: Parts<W>) -> Self {
        assert_eq!(usize::from(params.xlen), W, "xlen");
        let extras = Extras { ingress: P::CODE, ..extras };
        let cores = usize::from(params.cores);
        let of = |is: bool| if is { cores } else { 0 };
        let contexts = params.context.is_some();
        let (sessions, stalls, filters) = (usize::from(extras.session), of(extras.stall), of(extras.filter));
        let modes = of(P::MODE && (extras.filter || contexts));
        let address_spaces = of(P::SPACE && (extras.space || contexts));
        let (ranges, spaces) = (of(extras.range), of(extras.space));
        Self {
            pins: each(cores),
            hide: each(filters),
            mode: each(modes),
            allow_modes: each(filters),
            space: each(address_spaces),
            filter_first: each(ranges),
            filter_last: each(ranges),
            filter_space: each(spaces),
            filter_mask: each(spaces),
            time: each(extras.time_input.into()),
            time_enable: each(extras.time_input.into()),
            source: each(extras.source_input.into()),
            session: each(sessions),
            stall: each(stalls),
            _cores: cores,
            _sessions: sessions,
            _times: extras.time_input.into(),
            _sources: extras.source_input.into(),
            _timed: of(extras.time_input),
            _stalls: stalls,
            _filters: filters,
            _modes: modes,
            _address_spaces: address_spaces,
            _ranges: ranges,
            _spaces: spaces,
            core: (0..cores).map(|_| Core::of(params, extras, front())).collect(),
            spine: parts.spine,
            encoder: parts.encoder,
            ..Default::default()
        }
    }
}

impl<P: Pins<W>, const W: usize> Logic for System<P, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, spine, encoder);
        self.spine.reset.next = self.reset.val();
        self.encoder.port.reset.next = self.reset.val();
        self.encoder.port.time_enable.next = true;
        for t in 0..self._times {
            self.encoder.port.time_enable.next = self.time_enable[t].val();
        }
        self.spine.bus.addr.next = self.bus_addr.val();
        self.spine.bus.write.next = self.bus_write.val();
        self.spine.bus.wdata.next = self.bus_wdata.val();
        self.bus_rdata.next = self.spine.bus.rdata.val();
        self.valid.next = self.spine.words.valid.val();
        self.spine.words.ready.next = self.ready.val();
        self.data.next = self.spine.words.data.val();
        for c in 0..self._sources {
            self.spine.source[c].next = self.source[c].val();
        }
        for j in 0..self._sessions {
            self.session[j].next = self.spine.active.val();
        }
        for k in 0..self._stalls {
            self.stall[k].next = self.spine.half[k].val();
        }
        ReadOut::<W>::join(&mut self.spine.read, &mut self.encoder.port.entry);
        SliceOut::join(&mut self.encoder.port.bits, &mut self.spine.coded);
        for i in 0..self._cores {
            self.core[i].clock.next = self.clock.val();
            self.core[i].reset.next = self.reset.val();
            P::link(&mut self.pins[i], &mut self.core[i].pins);
            ControlOut::join(&mut self.spine.control[i], &mut self.core[i].control);
            self.core[i].hide.next = false;
            self.core[i].mode.next = 0.into();
            self.core[i].modes.next = 0.into();
            self.core[i].space.next = 0.into();
            self.core[i].first.next = 0.into();
            self.core[i].last.next = 0.into();
            self.core[i].wanted.next = 0.into();
            self.core[i].mask.next = 0.into();
            self.core[i].timestamp.next = 0.into();
            EntryOut::<W>::join(&mut self.core[i].entry, &mut self.spine.entry[i]);
        }
        for n in 0..self._timed {
            self.core[n].timestamp.next = self.time[0].val();
        }
        for f in 0..self._filters {
            self.core[f].hide.next = self.hide[f].val();
            self.core[f].modes.next = self.spine.modes.val() & self.allow_modes[f].val();
        }
        for m in 0..self._modes {
            self.core[m].mode.next = self.mode[m].val();
        }
        for a in 0..self._address_spaces {
            self.core[a].space.next = self.space[a].val();
        }
        for r in 0..self._ranges {
            self.core[r].first.next = self.filter_first[r].val();
            self.core[r].last.next = self.filter_last[r].val();
        }
        for s in 0..self._spaces {
            self.core[s].wanted.next = self.filter_space[s].val();
            self.core[s].mask.next = self.filter_mask[s].val();
        }
    }
}
