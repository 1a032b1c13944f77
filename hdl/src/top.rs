//! Trace systems: the tops that are emitted
//!
//! N front ends behind one ingress, and the back end that joins them. A trace module is a system of one
//! core.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | synchronous; registers and memories have their values at power-up too |
//! | `rvfi_*[i]` | in | | RVFI of core i, see [`crate::ingress::rvfi`] |
//! | `itype[i]` .. `privilege[i]` | in | | E-Trace ingress of core i, see [`crate::ingress::etrace`] |
//! | `bus_addr`, `bus_write`, `bus_wdata`, `bus_rdata` | | 3, 1, 32, 32 | register bus, map in [`sim::regs`] |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 32 | trace words |
//!
//! # Timing
//! One retired instruction a core and clock, forever. `rdata` answers a clock after `addr`.
//!
//! Golden model: [`sim::system`].

use crate::cores::{EtraceCore, EtraceStreamCore, RvfiCore, RvfiStreamCore};
use crate::ingress::ports::with_ports;
use crate::spine::join::{BackEnd, StreamBackEnd};
use crate::widget::each::each;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

macro_rules! system {
    (
        [$($port:ident: [$($type:tt)+],)*]
        $(#[$doc:meta])* $name:ident, $core:ident, $back:ident
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
            _cores: usize,
            core: Vec<$core<W>>,
            back: $back<W>,
        }

        impl<const W: usize> $name<W> {
            /// The system for `params`, with event FIFOs of 2^`log2_depth` entries.
            ///
            /// # Panics
            /// When `params` are refused, or their `xlen` is not W.
            pub fn new(params: &TraceParams, log2_depth: usize) -> Self {
                assert_eq!(usize::from(params.xlen), W, "xlen");
                let cores = usize::from(params.cores);
                Self {
                    _cores: cores,
                    $($port: each(cores),)*
                    core: (0..cores).map(|_| $core::new(params)).collect(),
                    back: $back::new(params, log2_depth),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, back);
                self.back.reset.next = self.reset.val();
                self.back.bus_addr.next = self.bus_addr.val();
                self.back.bus_write.next = self.bus_write.val();
                self.back.bus_wdata.next = self.bus_wdata.val();
                self.bus_rdata.next = self.back.bus_rdata.val();
                self.valid.next = self.back.valid.val();
                self.back.ready.next = self.ready.val();
                self.data.next = self.back.data.val();
                for i in 0..self._cores {
                    self.core[i].clock.next = self.clock.val();
                    self.core[i].reset.next = self.reset.val();
                    $(self.core[i].$port.next = self.$port[i].val();)*
                    self.core[i].enable.next = self.back.enable.val();
                    self.core[i].full.next = self.back.full[i].val();
                    self.core[i].drained.next = self.back.empty[i].val();
                    self.core[i].stop_go.next = self.back.stop_go.val();
                    self.back.core_ready[i].next = self.core[i].ready.val();
                    self.back.stop_ready[i].next = self.core[i].stop_ready.val();
                    self.back.lost[i].next = self.core[i].lost.val();
                    self.back.entry_push[i].next = self.core[i].entry_push.val();
                    self.back.entry_pre[i].next = self.core[i].entry_pre.val();
                    self.back.entry_post[i].next = self.core[i].entry_post.val();
                    self.back.entry_icnt[i].next = self.core[i].entry_icnt.val();
                    self.back.entry_bcnt[i].next = self.core[i].entry_bcnt.val();
                    self.back.entry_pc[i].next = self.core[i].entry_pc.val();
                    self.back.entry_target[i].next = self.core[i].entry_target.val();
                    self.back.entry_cc[i].next = self.core[i].entry_cc.val();
                }
            }
        }
    };
}

with_ports!(
    rvfi, system,
    /// A trace system with RVFI ingress, for as many cores as the parameters say, with addresses of W = `xlen` bits.
    RvfiSystem, RvfiCore, BackEnd
);
with_ports!(
    rvfi, system,
    /// A trace system of the scheme `sc-lsp` with RVFI ingress, for as many cores as the parameters say, with addresses of W = `xlen` bits.
    RvfiStreamSystem, RvfiStreamCore, StreamBackEnd
);
with_ports!(
    etrace, system,
    /// A trace system with E-Trace ingress, for as many cores as the parameters say, with addresses of W = `xlen` bits.
    EtraceSystem, EtraceCore, BackEnd
);
with_ports!(
    etrace, system,
    /// A trace system of the scheme `sc-lsp` with E-Trace ingress, for as many cores as the parameters say, with addresses of W = `xlen` bits.
    EtraceStreamSystem, EtraceStreamCore, StreamBackEnd
);
