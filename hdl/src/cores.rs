//! A front end with its ingress adapter: what a trace system holds one of per core
//!
//! # Ports
//! Those of the adapter ([`crate::ingress`]) towards the core (`mode`, which RVFI alone has, and `hide`, `modes` and `space`, which E-Trace has too, stand at all); `control` and `entry` of
//! [`crate::spine::ports`] towards the spine.
//!
//! # Timing
//! As the two parts.
//!
//! Golden model: [`sim::lane`].

use crate::ingress::beat::BeatOut;
use crate::ingress::chain::Chain;
use crate::ingress::etrace::Etrace;
use crate::ingress::ports::with_ports;
use crate::ingress::rvfi::Rvfi;
use crate::scheme::sc_lsp::front::StreamFront;
use crate::scheme::tr::front::FrontEnd;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::spine::Extras;
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
            pub hide: Signal<In, Bit>,
            pub mode: Signal<In, Bits<2>>,
            pub modes: Signal<In, Bits<4>>,
            pub space: Signal<In, Bits<16>>,
            pub control: ControlIn,
            pub entry: EntryOut<W>,
            ingress: $ingress<W>,
            front: $front<W>,
        }

        impl<const W: usize> $name<W> {
            /// The front end for `params`, any that are legal.
            ///
            /// # Panics
            /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
            pub fn new(params: &TraceParams) -> Self {
                Self::with(params, Extras::default())
            }

            /// As the one above, with `extras`.
            ///
            /// # Panics
            /// As the one above, or when the adapter or the front end has none of them.
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                Self {
                    ingress: $ingress::with(params, extras),
                    front: $front::with(params, extras),
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
                self.ingress.live.next = self.front.go.val();
                self.front.reset.next = self.reset.val();
                BeatOut::<W>::join(&mut self.ingress.beat, &mut self.front.beat);
                ControlIn::link(&mut self.control, &mut self.front.control);
                EntryOut::<W>::link(&mut self.entry, &mut self.front.entry);
            }
        }
    };
}

with_ports!(
    rvfi, core, [hide mode modes space] Rvfi,
    /// Front end behind RVFI.
    RvfiCore, FrontEnd
);
with_ports!(
    rvfi, core, [hide mode modes space] Rvfi,
    /// Front end with a stream cache behind RVFI.
    RvfiStreamCore, StreamFront
);
with_ports!(
    etrace, core, [reset hide modes space] Etrace,
    /// Front end behind the E-Trace instruction trace interface.
    EtraceCore, FrontEnd
);
with_ports!(
    etrace, core, [reset hide modes space] Etrace,
    /// Front end with a stream cache behind the E-Trace instruction trace interface.
    EtraceStreamCore, StreamFront
);
with_ports!(
    chain, core, [reset] Chain,
    /// Front end behind a PC chain.
    ChainCore, FrontEnd
);
with_ports!(
    chain, core, [reset] Chain,
    /// Front end with a stream cache behind a PC chain.
    ChainStreamCore, StreamFront
);
