//! Clients of the ring: a generator or a node with its network interface
//!
//! All have the ports of a seat, so that a chip has any of them at any place.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: nothing is set, nothing is on its way |
//! | `got_valid`, `got_word`, `got_ready` | in, in, out | 1, 16, 1 | packets that arrived, see [`crate::noc::ports`] |
//! | `put_valid`, `put_word`, `put_ready` | out, out, in | 1, 16, 1 | packets to send |
//! | `valid` to `value` | in | | of a generator: what its core retires, see [`super::ports`] |
//! | `hides` | out | 1 | of a generator with a window: a trace must not tell it, see [`super::generator::window`] |
//!
//! # Timing
//! As [`super::port`] and what is behind it.

use super::generator::full::Full;
use super::generator::lite::Lite;
use super::generator::window::Window;
use super::node::{
    aggregate::Aggregate, count::Count, filter::Filter, histogram::Histogram, log::Log, machine::Machine, pair::Pair,
    tick::Tick,
};
use super::port::Port;
use super::ports::{EventOut, ResultOut, WriteOut};
use super::processor::client::ProcessorClient;
use crate::widget::bundle::bundle;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::diag::node::aggregate::SUM_BITS;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;

bundle!(
    /// A seat at the ring.
    SeatOut "SeatIn" SeatIn
    {
        reset: Bit,
        got_valid: Bit,
        got_word: Bits<16>,
        put_ready: Bit,
    }
    { got_ready: Bit, put_valid: Bit, put_word: Bits<16>, }
);

bundle!(
    /// A seat of a generator.
    CoreSeatOut "CoreSeatIn" CoreSeatIn
    {
        reset: Bit,
        got_valid: Bit,
        got_word: Bits<16>,
        put_ready: Bit,
        valid: Bit,
        now: Bits<32>,
        pc: Bits<32>,
        target: Bits<32>,
        call: Bit,
        back: Bit,
        xret: Bit,
        through_sp: Bit,
        trap: Bit,
        cause: Bits<9>,
        came: Bits<32>,
        load: Bit,
        store: Bit,
        addr: Bits<32>,
        size: Bits<2>,
        loaded: Bits<32>,
        stored: Bits<32>,
        sets: Bit,
        rd: Bits<5>,
        value: Bits<32>,
    }
    { got_ready: Bit, put_valid: Bit, put_word: Bits<16>, hides: Bit, }
);

macro_rules! client {
    (
        $(#[$doc:meta])* $client:ident, $seat:ident, $name:literal, $inner:ident: $block:ident,
        [$($more:ident: $type:ty),*] $($kernel:tt)*
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $client {
            pub clock: Signal<In, Clock>,
            pub port: $seat,
            packets: Port,
            $inner: $block,
            $($more: $type,)*
        }

        impl Part<$seat> for $client {
            fn name(&self) -> &'static str {
                $name
            }
            fn latency(&self) -> usize {
                0
            }
            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }
            fn port(&mut self) -> &mut $seat {
                &mut self.port
            }
        }

        impl Logic for $client {
            $($kernel)*
        }
    };
}

macro_rules! node_client {
    ($(#[$doc:meta])* $client:ident, $name:literal, $inner:ident: $block:ident) => {
        client! { $(#[$doc])* $client, SeatIn, $name, $inner: $block, []
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, packets, $inner);
                self.packets.reset.next = self.port.reset.val();
                self.$inner.reset.next = self.port.reset.val();
                self.packets.got.valid.next = self.port.got_valid.val();
                self.packets.got.word.next = self.port.got_word.val();
                self.port.got_ready.next = self.packets.got.ready.val();
                self.port.put_valid.next = self.packets.put.valid.val();
                self.port.put_word.next = self.packets.put.word.val();
                self.packets.put.ready.next = self.port.put_ready.val();
                WriteOut::join(&mut self.packets.write, &mut self.$inner.write);
                EventOut::join(&mut self.packets.event, &mut self.$inner.event);
                ResultOut::join(&mut self.$inner.result, &mut self.packets.result);
            }
        }
    };
}

node_client! {
    /// A state machine.
    MachineClient, "machine_node", machine: Machine
}
node_client! {
    /// An aggregate.
    AggregateClient, "aggregate_node", aggregate: Aggregate
}
node_client! {
    /// Counters.
    CountClient, "count_node", count: Count
}
node_client! {
    /// A filter.
    FilterClient, "filter_node", filter: Filter
}
node_client! {
    /// A histogram.
    HistogramClient, "histogram_node", histogram: Histogram
}
node_client! {
    /// A pair.
    PairClient, "pair_node", pair: Pair
}
node_client! {
    /// A log buffer.
    LogClient, "log_node", log: Log
}
client! {
    /// A tick.
    TickClient, SeatIn, "tick_node", tick: Tick, []
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, packets, tick);
        self.packets.reset.next = self.port.reset.val();
        self.tick.reset.next = self.port.reset.val();
        self.packets.got.valid.next = self.port.got_valid.val();
        self.packets.got.word.next = self.port.got_word.val();
        self.port.got_ready.next = self.packets.got.ready.val();
        self.port.put_valid.next = self.packets.put.valid.val();
        self.port.put_word.next = self.packets.put.word.val();
        self.packets.put.ready.next = self.port.put_ready.val();
        WriteOut::join(&mut self.packets.write, &mut self.tick.write);
        ResultOut::join(&mut self.tick.result, &mut self.packets.result);
        self.packets.event.ready.next = false;
    }
}
client! {
    /// A lite event generator.
    LiteClient, CoreSeatIn, "lite_generator", lite: Lite, [window: Vec<Window>, _windows: usize]
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, packets, lite);
        self.packets.reset.next = self.port.reset.val();
        self.lite.reset.next = self.port.reset.val();
        self.packets.got.valid.next = self.port.got_valid.val();
        self.packets.got.word.next = self.port.got_word.val();
        self.port.got_ready.next = self.packets.got.ready.val();
        self.port.put_valid.next = self.packets.put.valid.val();
        self.port.put_word.next = self.packets.put.word.val();
        self.packets.put.ready.next = self.port.put_ready.val();
        WriteOut::join(&mut self.packets.write, &mut self.lite.write);
        ResultOut::join(&mut self.lite.result, &mut self.packets.result);
        self.packets.event.ready.next = false;
        self.lite.valid.next = self.port.valid.val();
        self.lite.pc.next = self.port.pc.val();
        self.lite.now.next = self.port.now.val();
        self.port.hides.next = false;
        for w in 0..self._windows {
            self.window[w].clock.next = self.clock.val();
            self.window[w].reset.next = self.port.reset.val();
            self.window[w].valid.next = self.port.valid.val();
            self.window[w].points.next = self.lite.points.val();
            self.window[w].call.next = self.port.call.val();
            self.window[w].back.next = self.port.back.val();
            WriteOut::join(&mut self.packets.write, &mut self.window[w].write);
            self.port.hides.next = self.window[w].hides.val();
        }
    }
}

client! {
    /// A full event generator.
    FullClient, CoreSeatIn, "full_generator", full: Full, [window: Vec<Window>, _windows: usize]
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, packets, full);
        self.packets.reset.next = self.port.reset.val();
        self.full.reset.next = self.port.reset.val();
        self.packets.got.valid.next = self.port.got_valid.val();
        self.packets.got.word.next = self.port.got_word.val();
        self.port.got_ready.next = self.packets.got.ready.val();
        self.port.put_valid.next = self.packets.put.valid.val();
        self.port.put_word.next = self.packets.put.word.val();
        self.packets.put.ready.next = self.port.put_ready.val();
        WriteOut::join(&mut self.packets.write, &mut self.full.write);
        ResultOut::join(&mut self.full.result, &mut self.packets.result);
        self.packets.event.ready.next = false;
        self.full.seen.valid.next = self.port.valid.val();
        self.full.seen.now.next = self.port.now.val();
        self.full.seen.pc.next = self.port.pc.val();
        self.full.seen.target.next = self.port.target.val();
        self.full.seen.call.next = self.port.call.val();
        self.full.seen.back.next = self.port.back.val();
        self.full.seen.xret.next = self.port.xret.val();
        self.full.seen.through_sp.next = self.port.through_sp.val();
        self.full.seen.trap.next = self.port.trap.val();
        self.full.seen.cause.next = self.port.cause.val();
        self.full.seen.came.next = self.port.came.val();
        self.full.seen.load.next = self.port.load.val();
        self.full.seen.store.next = self.port.store.val();
        self.full.seen.addr.next = self.port.addr.val();
        self.full.seen.size.next = self.port.size.val();
        self.full.seen.loaded.next = self.port.loaded.val();
        self.full.seen.stored.next = self.port.stored.val();
        self.full.seen.sets.next = self.port.sets.val();
        self.full.seen.rd.next = self.port.rd.val();
        self.full.seen.value.next = self.port.value.val();
        self.port.hides.next = false;
        for w in 0..self._windows {
            self.window[w].clock.next = self.clock.val();
            self.window[w].reset.next = self.port.reset.val();
            self.window[w].valid.next = self.port.valid.val();
            self.window[w].points.next = self.full.points.val();
            self.window[w].call.next = self.port.call.val();
            self.window[w].back.next = self.port.back.val();
            WriteOut::join(&mut self.packets.write, &mut self.window[w].write);
            self.port.hides.next = self.window[w].hides.val();
        }
    }
}

/// A generator of a core, lite or full, with a window or without.
pub fn generator(params: &GeneratorParams, core: u8, window: bool) -> Box<dyn Part<CoreSeatIn>> {
    let packets = Port::new([1, params.slots.into()], false);
    let _windows = usize::from(window);
    let window = (0.._windows).map(|_| Window::new()).collect();
    if !params.lite {
        return Box::new(FullClient { packets, full: Full::new(params, core), window, _windows, ..Default::default() });
    }
    Box::new(LiteClient { packets, lite: Lite::new(params, core), window, _windows, ..Default::default() })
}

/// A node of this kind, if there is a circuit of it: what there is of them a power of two.
pub fn node(kind: NodeKind) -> Option<Box<dyn Part<SeatIn>>> {
    let packets = Port::new(kind.registers(), true);
    let log2 =
        |n: u16, most: u32| (n.is_power_of_two() && n > 1 && n <= 1 << most).then(|| n.trailing_zeros() as usize);
    Some(match kind {
        NodeKind::Count(n) => {
            let count = Count::new(log2(n.into(), 7)?, u32::MAX);
            Box::new(CountClient { packets, count, ..Default::default() })
        }
        NodeKind::Aggregate(n) => {
            let aggregate = Aggregate::new(log2(n, 8)?, u32::MAX, SUM_BITS);
            Box::new(AggregateClient { packets, aggregate, ..Default::default() })
        }
        NodeKind::Machine(16) => Box::new(MachineClient { packets, machine: Machine::new(), ..Default::default() }),
        NodeKind::Filter(8) => Box::new(FilterClient { packets, filter: Filter::new(), ..Default::default() }),
        NodeKind::Pair(n) => {
            let pair = Pair::new(log2(n.into(), 6)?);
            Box::new(PairClient { packets, pair, ..Default::default() })
        }
        NodeKind::Histogram(n) => {
            let histogram = Histogram::new(log2(n.into(), 3)?, u32::MAX);
            Box::new(HistogramClient { packets, histogram, ..Default::default() })
        }
        NodeKind::Log(n) => Box::new(LogClient { packets, log: Log::new(log2(n, 7)?), ..Default::default() }),
        NodeKind::Tick(n @ 1..=63) => {
            // its event and the flushes
            let tick = Tick::new(usize::from(n + 1).next_power_of_two().trailing_zeros() as usize);
            Box::new(TickClient { packets: Port::of_tick(kind.registers()), tick, ..Default::default() })
        }
        NodeKind::Processor(_) => Box::new(ProcessorClient::new()),
        NodeKind::Machine(_) | NodeKind::Filter(_) | NodeKind::Tick(_) => return None,
    })
}
