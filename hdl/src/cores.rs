//! A front end with its ingress adapter: what a trace system holds one of per core
//!
//! # Ports
//! Those of the adapter ([`crate::ingress`]) towards the core, and those of
//! [`FrontEnd`] towards the event FIFO and for control.
//!
//! # Timing
//! As the two parts.
//!
//! Golden model: [`sim::lane`].

use crate::ingress::etrace::Etrace;
use crate::ingress::ports::with_ports;
use crate::ingress::rvfi::Rvfi;
use crate::scheme::sc_lsp::front::StreamFront;
use crate::scheme::tr::front::FrontEnd;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// `$also`: ports of the front end that the adapter takes too.
macro_rules! core {
    (
        [$($port:ident: [$($type:tt)+],)*] [$($also:ident)*] $ingress:ident,
        $(#[$doc:meta])* $name:ident, $front:ident
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            $(pub $port: Signal<In, $($type)+>,)*
            pub enable: Signal<In, Bit>,
            pub ready: Signal<Out, Bit>,
            pub full: Signal<In, Bit>,
            pub drained: Signal<In, Bit>,
            pub stop_ready: Signal<Out, Bit>,
            pub stop_go: Signal<In, Bit>,
            pub lost: Signal<Out, Bit>,
            pub entry_push: Signal<Out, Bit>,
            pub entry_pre: Signal<Out, Bits<2>>,
            pub entry_post: Signal<Out, Bits<2>>,
            pub entry_icnt: Signal<Out, Bits<24>>,
            pub entry_bcnt: Signal<Out, Bits<24>>,
            pub entry_pc: Signal<Out, Bits<W>>,
            pub entry_target: Signal<Out, Bits<W>>,
            pub entry_cc: Signal<Out, Bits<32>>,
            ingress: $ingress<W>,
            front: $front<W>,
        }

        impl<const W: usize> $name<W> {
            /// The front end for `params`, any that are legal.
            ///
            /// # Panics
            /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
            pub fn new(params: &TraceParams) -> Self {
                Self {
                    ingress: $ingress::new(params),
                    front: $front::new(params),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, ingress, front);
                $(self.ingress.$also.next = self.$also.val();)*
                $(self.ingress.$port.next = self.$port.val();)*
                self.ingress.live.next = self.front.live.val();
                self.front.beat_live.next = self.ingress.beat_live.val();
                self.front.valid.next = self.ingress.valid.val();
                self.front.intr.next = self.ingress.intr.val();
                self.front.branch.next = self.ingress.branch.val();
                self.front.taken.next = self.ingress.taken.val();
                self.front.look.next = self.ingress.look.val();
                self.front.push.next = self.ingress.push.val();
                self.front.pop.next = self.ingress.pop.val();
                self.front.jump.next = self.ingress.jump.val();
                self.front.pc.next = self.ingress.pc.val();
                self.front.link.next = self.ingress.link.val();
                self.front.target.next = self.ingress.target.val();
                self.front.reset.next = self.reset.val();
                self.front.enable.next = self.enable.val();
                self.ready.next = self.front.ready.val();
                self.front.full.next = self.full.val();
                self.front.drained.next = self.drained.val();
                self.stop_ready.next = self.front.stop_ready.val();
                self.front.stop_go.next = self.stop_go.val();
                self.lost.next = self.front.lost.val();
                self.entry_push.next = self.front.entry_push.val();
                self.entry_pre.next = self.front.entry_pre.val();
                self.entry_post.next = self.front.entry_post.val();
                self.entry_icnt.next = self.front.entry_icnt.val();
                self.entry_bcnt.next = self.front.entry_bcnt.val();
                self.entry_pc.next = self.front.entry_pc.val();
                self.entry_target.next = self.front.entry_target.val();
                self.entry_cc.next = self.front.entry_cc.val();
            }
        }
    };
}

with_ports!(
    rvfi, core, [] Rvfi,
    /// Front end behind RVFI.
    RvfiCore, FrontEnd
);
with_ports!(
    rvfi, core, [] Rvfi,
    /// Front end with a stream cache behind RVFI.
    RvfiStreamCore, StreamFront
);
with_ports!(
    etrace, core, [reset] Etrace,
    /// Front end behind the E-Trace instruction trace interface.
    EtraceCore, FrontEnd
);
with_ports!(
    etrace, core, [reset] Etrace,
    /// Front end with a stream cache behind the E-Trace instruction trace interface.
    EtraceStreamCore, StreamFront
);
