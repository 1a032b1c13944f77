//! A front end behind an adapter for several instructions a clock: what a wide trace system holds one of per core
//!
//! As [`crate::cores`]. What a beat carries besides, how many instructions and clocks it stands for, waits here as long as
//! the beat is on its way through the front end. Of beats that found no place in the compressor's queue the
//! front end is told that there is none in its event FIFO: so they are lost as any others are.
//!
//! # Ports
//! Those of the adapter ([`crate::ingress`]) towards the core (`mode` and `space` of blocks are not looked at); `control` and `entry` of [`crate::spine::ports`] towards
//! the spine.
//!
//! # Timing
//! As the two parts.
//!
//! Golden model: [`sim::lane`] behind [`sim::beats::wide`].

use crate::ingress::beat::BeatOut;
use crate::ingress::blocks::{Blocks, BlocksTwo};
use crate::ingress::ports::with_ports;
use crate::ingress::rvfi_wide::{RvfiFour, RvfiTwo};
use crate::scheme::sc_lsp::front::StreamFront;
use crate::scheme::tr::front::FrontEnd;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::spine::Extras;
use crate::widget::delay::Delay;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

macro_rules! core {
    (
        [$($port:ident: [$($type:tt)+],)*] [$($also:ident)*] $ingress:ident,
        $(#[$doc:meta])* $name:ident, $front:ident $(, $entering:ident)?
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
            pub first: Signal<In, Bits<W>>,
            pub last: Signal<In, Bits<W>>,
            pub wanted: Signal<In, Bits<16>>,
            pub mask: Signal<In, Bits<16>>,
            pub control: ControlIn,
            pub entry: EntryOut<W>,
            ingress: $ingress<W>,
            front: $front<W>,
            more: Delay<10>,
            step: Delay<8>,
            lag: Delay<8>,
        }

        impl<const W: usize> $name<W> {
            /// The front end for `params`, with `extras`, which say how many instructions a clock retire.
            ///
            /// # Panics
            /// When `params` are refused, W is not `xlen`, or the adapter or the front end has none of the extras.
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let wait = $front::<W>::wait(params);
                Self {
                    ingress: $ingress::with(params, extras),
                    front: $front::with(params, extras),
                    more: Delay::new(wait),
                    step: Delay::new(wait),
                    lag: Delay::new(wait),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, ingress, front, more, step, lag);
                self.ingress.reset.next = self.reset.val();
                $(self.ingress.$also.next = self.$also.val();)*
                $(self.ingress.$port.next = self.$port.val();)*
                self.ingress.live.next = self.front.go.val();
                self.front.reset.next = self.reset.val();
                BeatOut::<W>::join(&mut self.ingress.beat, &mut self.front.beat);
                EntryOut::<W>::link(&mut self.entry, &mut self.front.entry);

                self.more.clear.next = self.reset.val();
                self.more.from.next = self.ingress.more.val();
                self.front.more[0].next = bit_cast::<24, 10>(self.more.to.val());
                self.step.clear.next = self.reset.val();
                self.step.from.next = self.ingress.step.val();
                self.front.step[0].next = bit_cast::<32, 8>(self.step.to.val());

                self.lag.clear.next = self.reset.val();
                self.lag.from.next = self.ingress.lag.val();
                self.front.lag[0].next = self.lag.to.val();
                $(self.front.$entering[0].next = self.ingress.more.val();)?

                self.front.control.enable.next = self.control.enable.val();
                self.front.control.full.next = self.control.full.val();
                // of what is not traced it would only put off the stop
                self.front.control.spent.next =
                    self.control.spent.val() | (self.ingress.choked.val() & self.ingress.beat.live.val());
                self.front.control.roomy.next = self.control.roomy.val();
                self.front.control.stop_go.next = self.control.stop_go.val();
                self.front.control.due.next = self.control.due.val();
                self.front.control.anew.next = self.control.anew.val();
                self.front.control.ask.next = self.control.ask.val();
                self.front.control.lead_lag.next = self.control.lead_lag.val();
                self.control.ready.next = self.front.control.ready.val();
                self.control.stop_ready.next = self.front.control.stop_ready.val();
                self.control.lost.next = self.front.control.lost.val();
                self.control.take.next = self.front.control.take.val();
                self.control.give.next = self.front.control.give.val();
                self.control.counted.next = self.front.control.counted.val();
                self.control.resynced.next = self.front.control.resynced.val();
                self.control.synced.next = self.front.control.synced.val();
                self.control.broken.next = self.front.control.broken.val();
                self.control.loses.next = self.front.control.loses.val();
                self.control.more.next = self.more.to.val();
                self.control.crowd.next = self.ingress.crowd.val();
                self.control.lag.next = self.lag.to.val();
            }
        }
    };
}

with_ports!(
    blocks, core, [hide modes first last wanted mask] Blocks,
    /// Front end behind the E-Trace instruction trace interface, of blocks of several instructions.
    BlocksCore, FrontEnd, entering
);
with_ports!(
    blocks_two, core, [hide modes first last wanted mask] BlocksTwo,
    /// Front end behind the same of two blocks a clock.
    BlocksTwoCore, FrontEnd, entering
);
with_ports!(
    blocks, core, [hide modes first last wanted mask] Blocks,
    /// Front end with a stream cache behind the E-Trace interface of blocks.
    BlocksStreamCore, StreamFront
);
with_ports!(
    blocks_two, core, [hide modes first last wanted mask] BlocksTwo,
    /// Front end with a stream cache behind the same of two blocks a clock.
    BlocksTwoStreamCore, StreamFront
);
with_ports!(
    rvfi_two, core, [hide mode modes space first last wanted mask] RvfiTwo,
    /// Front end behind RVFI of two channels.
    RvfiTwoCore, FrontEnd, entering
);
with_ports!(
    rvfi_four, core, [hide mode modes space first last wanted mask] RvfiFour,
    /// Front end behind RVFI of four channels.
    RvfiFourCore, FrontEnd, entering
);
with_ports!(
    rvfi_two, core, [hide mode modes space first last wanted mask] RvfiTwo,
    /// Front end with a stream cache behind RVFI of two channels.
    RvfiTwoStreamCore, StreamFront
);
with_ports!(
    rvfi_four, core, [hide mode modes space first last wanted mask] RvfiFour,
    /// Front end with a stream cache behind RVFI of four channels.
    RvfiFourStreamCore, StreamFront
);
