//! Trace systems: the tops that are emitted
//!
//! N front ends behind their ingress, the spine that joins them, and the encoder. A trace module is a system of
//! one core.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | synchronous; registers and memories have their values at power-up too |
//! | `rvfi_*[i]` | in | | RVFI of core i, see [`crate::ingress::rvfi`] |
//! | `rvfi<j>_*[i]` | in | | channel j of its RVFI, where several instructions retire a clock, see [`crate::ingress::rvfi_wide`] |
//! | `itype[i]` .. `privilege[i]` | in | | E-Trace ingress of core i, see [`crate::ingress::etrace`] |
//! | `iretire[i]` .. `hart_reset[i]` | in | | the same of blocks of several instructions, see [`crate::ingress::blocks`] |
//! | `block<j>_*[i]` | in | | block j of these, where two retire a clock |
//! | `retire_*[i]` | in | | PC chain of core i, see [`crate::ingress::chain`] |
//! | `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata` | | 3, 1, 32, 32 | register bus, map in [`sim::regs`] |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 32 | trace words |
//! | `session[0]` | out | 1 | with [`Extras::session`]: from the header of a trace to its last bit |
//! | `hide[i]` | in | 1 | with [`Extras::filter`]: the instruction that retires, or all of the clock, must not be told |
//! | `mode[i]` | in | 2 | with it, and where contexts are told: its privilege mode, `rvfi_mode`; see [`crate::ingress::veil`]; an E-Trace port has `privilege[i]` |
//! | `space[i]` | in | 16 | where contexts are told ([`sim::platform::Platform::context`]), and with [`Extras::space`]: the number of its address space |
//! | `filter_first[i]`, `filter_last[i]` | in | W | with [`Extras::range`]: the addresses that are told, see [`crate::ingress::gate`] |
//! | `filter_space[i]`, `filter_mask[i]` | in | 16 | with [`Extras::space`]: the address spaces that are told |
//! | `allow_modes[i]` | in | 4 | with [`Extras::filter`]: bit m: instructions of mode m may be told, if `control.modes` asks for them |
//! | `stall[i]` | out | 1 | with [`Extras::stall`]: core i is to wait, see Timing |
//!
//! # Timing
//! One retired instruction a core and clock, forever. `rdata` answers a clock after `addr`.
//!
//! `stall[i]` is high while half of the places of a FIFO but two, or more, are taken, and comes from registers. With 2^k places, nothing
//! of a core is lost that retires at most 2^(k-1) - 2 instructions in the clocks behind that in which it is high; so k is 4 or more.
//! Where up to L instructions a clock come in (of blocks twice as many as blocks), it is high, too, while two words wait in the queue of 2^q
//! places, and nothing is lost of a core that retires in at most c clocks behind: c is the lesser of 2^q - 5 and (2^(k-1) - 2 - 5 L) / L.
//!
//! Golden model: [`sim::system`].

use crate::cores::{ChainCore, ChainStreamCore, EtraceCore, EtraceStreamCore, RvfiCore, RvfiStreamCore};
use crate::cores_wide::{
    BlocksCore, BlocksStreamCore, BlocksTwoCore, BlocksTwoStreamCore, RvfiFourCore, RvfiFourStreamCore, RvfiTwoCore,
    RvfiTwoStreamCore,
};
use crate::ingress::gate::Gate;
use crate::ingress::ports::with_ports;
use crate::scheme::sc_lsp::encoder::StreamEncoder;
use crate::scheme::sc_lsp::entry::layout;
use crate::scheme::tr::encoder::Encoder;
use crate::spine::entry::EntryLayout;
use crate::spine::join::Spine;
use crate::spine::ports::{ControlOut, EntryOut, PieceOut, ReadOut};
use crate::spine::Extras;
use crate::widget::each::each;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

macro_rules! system {
    (
        [$($port:ident: [$($type:tt)+],)*]
        $(#[$doc:meta])* $name:ident, $core:ident, $encoder:ident, $layout:path, $code:literal $(, $pc:ident)? $(; $wide:ident)?
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            $(pub $port: Vec<Signal<In, $($type)+>>,)*
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
            pub session: Vec<Signal<Out, Bit>>,
            pub stall: Vec<Signal<Out, Bit>>,
            _cores: usize,
            _sessions: usize,
            _stalls: usize,
            _filters: usize,
            _modes: usize,
            _mode_contexts: usize,
            _contexts: usize,
            _gates: usize,
            _ranges: usize,
            _spaces: usize,
            _wide_spaces: usize,
            gate: Vec<Gate<W>>,
            core: Vec<$core<W>>,
            spine: Spine<W>,
            encoder: $encoder<W>,
        }

        impl<const W: usize> $name<W> {
            /// The system for `params`, with event FIFOs of 2^`log2_depth` places, and `extras`.
            ///
            /// # Panics
            /// When `params` are refused, their `xlen` is not W, or there is no circuit of an extra.
            pub fn new(params: &TraceParams, log2_depth: usize, extras: Extras) -> Self {
                assert_eq!(usize::from(params.xlen), W, "xlen");
                let cores = usize::from(params.cores);
                // a port of blocks has its own
                let contexts = if params.context.is_some() && $code != 2 { cores } else { 0 };
                let of = |is: bool| if is { cores } else { 0 };
                // which gates its addresses itself, as each of its lanes has some
                let gates = of((extras.range || extras.space) && extras.retire.is_none());
                // E-Trace has a port for the mode itself
                let modes = of(extras.filter && $code == 0);
                let mode_contexts = if $code == 1 { 0 } else { contexts };
                let extras = Extras { ingress: $code, ..extras };
                Self {
                    _cores: cores,
                    session: each(usize::from(extras.session)),
                    _sessions: usize::from(extras.session),
                    stall: each(if extras.stall { cores } else { 0 }),
                    _stalls: if extras.stall { cores } else { 0 },
                    hide: each(if extras.filter { cores } else { 0 }),
                    mode: each(modes.max(mode_contexts)),
                    _modes: modes,
                    _mode_contexts: mode_contexts,
                    allow_modes: each(if extras.filter { cores } else { 0 }),
                    _filters: if extras.filter { cores } else { 0 },
                    space: each(contexts.max(of(extras.space && $code != 2))),
                    _contexts: contexts,
                    filter_first: each(of(extras.range)),
                    filter_last: each(of(extras.range)),
                    filter_space: each(of(extras.space)),
                    filter_mask: each(of(extras.space)),
                    _gates: gates,
                    _ranges: of(extras.range),
                    _spaces: of(extras.space),
                    _wide_spaces: of(extras.space && extras.retire.is_some() && $code != 2),
                    gate: (0..gates).map(|_| Gate::new(&extras)).collect(),
                    $($port: each(cores),)*
                    core: (0..cores).map(|_| $core::with(params, extras)).collect(),
                    spine: Spine::with(params, &$layout(params), log2_depth, extras),
                    encoder: $encoder::with(params, extras),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, spine, encoder);
                self.spine.reset.next = self.reset.val();
                self.encoder.reset.next = self.reset.val();
                self.spine.bus.addr.next = self.bus_addr.val();
                self.spine.bus.write.next = self.bus_write.val();
                self.spine.bus.wdata.next = self.bus_wdata.val();
                self.bus_rdata.next = self.spine.bus.rdata.val();
                self.valid.next = self.spine.words.valid.val();
                self.spine.words.ready.next = self.ready.val();
                self.data.next = self.spine.words.data.val();
                for j in 0..self._sessions {
                    self.session[j].next = self.spine.active.val();
                }
                for k in 0..self._stalls {
                    self.stall[k].next = self.spine.half[k].val();
                }
                ReadOut::<W>::join(&mut self.spine.read, &mut self.encoder.entry);
                PieceOut::join(&mut self.encoder.bits, &mut self.spine.coded);
                for i in 0..self._cores {
                    self.core[i].clock.next = self.clock.val();
                    self.core[i].reset.next = self.reset.val();
                    $(self.core[i].$port.next = self.$port[i].val();)*
                    ControlOut::join(&mut self.spine.control[i], &mut self.core[i].control);
                    self.core[i].hide.next = false;
                    self.core[i].mode.next = 0.into();
                    self.core[i].modes.next = 0.into();
                    self.core[i].space.next = 0.into();
                    EntryOut::<W>::join(&mut self.core[i].entry, &mut self.spine.entry[i]);
                }
                for p in 0..self._mode_contexts {
                    self.core[p].mode.next = self.mode[p].val();
                }
                for n in 0..self._contexts {
                    self.core[n].space.next = self.space[n].val();
                }
                for m in 0..self._filters {
                    self.core[m].hide.next = self.hide[m].val();
                    self.core[m].modes.next = self.spine.modes.val() & self.allow_modes[m].val();
                }
                for o in 0..self._modes {
                    self.core[o].mode.next = self.mode[o].val();
                }
                $(
                    for w in 0..self.$wide {
                        self.core[w].first.next = 0.into();
                        self.core[w].last.next = 0.into();
                        self.core[w].wanted.next = 0.into();
                        self.core[w].mask.next = 0.into();
                    }
                    for x in 0..self._ranges {
                        self.core[x].first.next = self.filter_first[x].val();
                        self.core[x].last.next = self.filter_last[x].val();
                    }
                    for y in 0..self._spaces {
                        self.core[y].wanted.next = self.filter_space[y].val();
                        self.core[y].mask.next = self.filter_mask[y].val();
                    }
                    for z in 0..self._wide_spaces {
                        self.core[z].space.next = self.space[z].val();
                    }
                )?
                $(
                    for g in 0..self._gates {
                        self.gate[g].hide.next = self.hide[g].val();
                        self.gate[g].pc.next = self.$pc[g].val();
                        self.gate[g].first.next = 0.into();
                        self.gate[g].last.next = 0.into();
                        self.gate[g].space.next = 0.into();
                        self.gate[g].wanted.next = 0.into();
                        self.gate[g].mask.next = 0.into();
                        self.core[g].hide.next = self.gate[g].hides.val();
                    }
                    for r in 0..self._ranges {
                        self.gate[r].first.next = self.filter_first[r].val();
                        self.gate[r].last.next = self.filter_last[r].val();
                    }
                    for s in 0..self._spaces {
                        self.gate[s].space.next = self.space[s].val();
                        self.gate[s].wanted.next = self.filter_space[s].val();
                        self.gate[s].mask.next = self.filter_mask[s].val();
                    }
                )?
            }
        }
    };
}

with_ports!(
    rvfi, system,
    /// A trace system with RVFI ingress, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    RvfiSystem, RvfiCore, Encoder, EntryLayout::new, 0, rvfi_pc_rdata
);
with_ports!(
    rvfi_two, system,
    /// A trace system with RVFI of two instructions a clock, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    RvfiTwoSystem, RvfiTwoCore, Encoder, EntryLayout::new, 0; _cores
);
with_ports!(
    rvfi_four, system,
    /// A trace system with RVFI of four instructions a clock, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    RvfiFourSystem, RvfiFourCore, Encoder, EntryLayout::new, 0; _cores
);
with_ports!(
    rvfi, system,
    /// A trace system of the scheme `sc-lsp` with RVFI ingress, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    RvfiStreamSystem, RvfiStreamCore, StreamEncoder, layout, 0, rvfi_pc_rdata
);
with_ports!(
    etrace, system,
    /// A trace system with E-Trace ingress, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    EtraceSystem, EtraceCore, Encoder, EntryLayout::new, 1, iaddr
);
with_ports!(
    etrace, system,
    /// A trace system of the scheme `sc-lsp` with E-Trace ingress, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    EtraceStreamSystem, EtraceStreamCore, StreamEncoder, layout, 1, iaddr
);
with_ports!(
    blocks, system,
    /// A trace system with E-Trace ingress of blocks of several instructions, for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    BlocksSystem, BlocksCore, Encoder, EntryLayout::new, 2; _cores
);
with_ports!(
    blocks_two, system,
    /// The same of two blocks a clock.
    BlocksTwoSystem, BlocksTwoCore, Encoder, EntryLayout::new, 2; _cores
);
with_ports!(
    blocks, system,
    /// A trace system of the scheme `sc-lsp` with E-Trace ingress of blocks of several instructions, for all cores of the parameters,
    /// with addresses of W = `xlen` bits.
    BlocksStreamSystem, BlocksStreamCore, StreamEncoder, layout, 2; _cores
);
with_ports!(
    blocks_two, system,
    /// The same of two blocks a clock.
    BlocksTwoStreamSystem, BlocksTwoStreamCore, StreamEncoder, layout, 2; _cores
);
with_ports!(
    chain, system,
    /// A trace system with a PC chain for all cores of the parameters, with addresses of W = `xlen` bits.
    ChainSystem, ChainCore, Encoder, EntryLayout::new, 3
);
with_ports!(
    chain, system,
    /// A trace system of the scheme `sc-lsp` with a PC chain for all cores of the parameters, with addresses of
    /// W = `xlen` bits.
    ChainStreamSystem, ChainStreamCore, StreamEncoder, layout, 3
);
with_ports!(
    rvfi_two, system,
    /// A trace system of the scheme `sc-lsp` with RVFI of two instructions a clock, for all cores of the parameters, with
    /// addresses of W = `xlen` bits.
    RvfiTwoStreamSystem, RvfiTwoStreamCore, StreamEncoder, layout, 0; _cores
);
with_ports!(
    rvfi_four, system,
    /// The same of four instructions a clock.
    RvfiFourStreamSystem, RvfiFourStreamCore, StreamEncoder, layout, 0; _cores
);
