//! Clients of the ring: a generator or a node with its network interface
//!
//! All have the same ports, so any client fits at any position of the ring.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: clears all settings and all packets |
//! | `got` | in | | packets that arrived, see [`crate::noc::ports`] |
//! | `put` | out | | packets to send |
//! | `sent`, `withdraw` | in, out | 1 | only of a generator: see [`super::link_queue`] |
//! | `overrun` | in | 1 | only of a generator: an instruction is missing, see [`super::generator::crossing`] |
//! | `valid` to `value` | in | | only of a generator: what its core retires, see [`super::ports`] |
//! | `holds` | out | 1 | only of a generator that stalls: the core must wait |
//! | `hides` | out | 1 | only of a generator with a window: a trace must hide the instruction, see [`super::generator::window`] |
//!
//! # Timing
//! As [`super::port`] and the block it connects.

use super::generator::full::{Full, WideFull};
use super::generator::lite::{Lite, WideLite};
use super::generator::window::Window;
use super::link_queue::LinkQueue;
use super::node::{
    aggregate::Aggregate, count::Count, filter::Filter, histogram::Histogram, log::Log, machine::Machine, pair::Pair,
    tick::Tick,
};
use super::port::Port;
use super::ports::{EventOut, ResultOut, WriteOut};
use super::processor::node::Processor;
use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::widget::slot::Part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::node::aggregate::SUM_BITS;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;

/// The ring port of a node.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RingPortIn {
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
}

/// The ring port of a generator of a core of W bits.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct CoreRingPortIn<const W: usize> {
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
    pub sent: Signal<In, Bit>,
    pub withdraw: Signal<Out, Bit>,
    pub overrun: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub now: Signal<In, Bits<W>>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub call: Signal<In, Bit>,
    pub back: Signal<In, Bit>,
    pub xret: Signal<In, Bit>,
    pub through_sp: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub cause: Signal<In, Bits<9>>,
    pub came: Signal<In, Bits<W>>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub addr: Signal<In, Bits<W>>,
    pub size: Signal<In, Bits<2>>,
    pub loaded: Signal<In, Bits<W>>,
    pub stored: Signal<In, Bits<W>>,
    pub sets: Signal<In, Bit>,
    pub rd: Signal<In, Bits<5>>,
    pub value: Signal<In, Bits<W>>,
    pub hides: Signal<Out, Bit>,
    pub holds: Signal<Out, Bit>,
}

macro_rules! client {
    (
        $(#[$doc:meta])* $client:ident, $ring_port:ty, $name:literal, $inner:ident: $block:ty,
        [$($more:ident: $type:ty),*] $($kernel:tt)*
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $client {
            pub clock: Signal<In, Clock>,
            pub port: $ring_port,
            $inner: $block,
            $($more: $type,)*
        }

        impl Part<$ring_port> for $client {
            fn name(&self) -> &'static str {
                $name
            }
            fn latency(&self) -> usize {
                0
            }
            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }
            fn port(&mut self) -> &mut $ring_port {
                &mut self.port
            }
        }

        impl Logic for $client {
            $($kernel)*
        }
    };
}

macro_rules! node_client {
    ($(#[$doc:meta])* $client:ident, $name:literal, $inner:ident: $block:ty) => {
        client! { $(#[$doc])* $client, RingPortIn, $name, $inner: $block, [packets: Port]
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, packets, $inner);
                self.packets.reset.next = self.port.reset.val();
                self.$inner.reset.next = self.port.reset.val();
                PacketIn::link(&mut self.port.got, &mut self.packets.got);
                PacketOut::link(&mut self.port.put, &mut self.packets.put);
                WriteOut::join(&mut self.packets.write, &mut self.$inner.write);
                EventOut::join(&mut self.packets.event, &mut self.$inner.event);
                ResultOut::join(&mut self.$inner.result, &mut self.packets.result);
                self.packets.yields.next = false;
                self.packets.room.next = true;
                self.packets.waits.next = false;
                self.packets.overrun.next = false;
            }
        }
    };
}

node_client! {
    /// A client with a state machine.
    MachineClient, "machine_node", machine: Machine
}
node_client! {
    /// A client with an aggregate.
    AggregateClient, "aggregate_node", aggregate: Aggregate
}
node_client! {
    /// A client with counters.
    CountClient, "count_node", count: Count
}
node_client! {
    /// A client with a filter.
    FilterClient, "filter_node", filter: Filter
}
node_client! {
    /// A client with a histogram.
    HistogramClient, "histogram_node", histogram: Histogram
}
node_client! {
    /// A client with a pair.
    PairClient, "pair_node", pair: Pair
}
node_client! {
    /// A client with a log buffer.
    LogClient, "log_node", log: Log
}
client! {
    /// A client with a tick.
    TickClient, RingPortIn, "tick_node", tick: Tick, [packets: Port]
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, packets, tick);
        self.packets.reset.next = self.port.reset.val();
        self.tick.reset.next = self.port.reset.val();
        PacketIn::link(&mut self.port.got, &mut self.packets.got);
        PacketOut::link(&mut self.port.put, &mut self.packets.put);
        WriteOut::join(&mut self.packets.write, &mut self.tick.write);
        ResultOut::join(&mut self.tick.result, &mut self.packets.result);
        self.packets.event.ready.next = false;
        self.packets.yields.next = false;
        self.packets.room.next = true;
        self.packets.waits.next = false;
        self.packets.overrun.next = false;
    }
}
client! {
    /// A client with a diagnosis processor, which contains its network interface.
    ProcessorClient, RingPortIn, "processor_node", processor: Processor, []
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, processor);
        self.processor.reset.next = self.port.reset.val();
        PacketIn::link(&mut self.port.got, &mut self.processor.got);
        PacketOut::link(&mut self.port.put, &mut self.processor.put);
    }
}
macro_rules! lite_client {
    ($(#[$doc:meta])* $client:ident, $w:tt, $block:ty) => {
        client! {
            $(#[$doc])*
            $client, CoreRingPortIn<$w>, "lite_generator", lite: $block,
            [packets: Port, queue: LinkQueue, window: Window, windowed: Fixed<Bit>]
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, packets, queue, lite, window);
                self.queue.reset.next = self.port.reset.val();
                self.packets.reset.next = self.port.reset.val();
                self.lite.reset.next = self.port.reset.val();
                PacketIn::link(&mut self.port.got, &mut self.packets.got);
                PacketOut::join(&mut self.packets.put, &mut self.queue.put);
                PacketOut::link(&mut self.port.put, &mut self.queue.out);
                self.queue.to_queue.next = self.packets.to_queue.val();
                self.queue.drops.next = self.packets.drops.val();
                self.queue.sent.next = self.port.sent.val();
                self.port.withdraw.next = self.queue.withdraw.val();
                self.packets.room.next = self.queue.room.val();
                self.packets.yields.next = self.lite.yields.val();
                self.packets.waits.next = false;
                self.packets.overrun.next = self.port.overrun.val();
                WriteOut::join(&mut self.packets.write, &mut self.lite.write);
                ResultOut::join(&mut self.lite.result, &mut self.packets.result);
                self.packets.event.ready.next = false;
                self.lite.valid.next = self.port.valid.val();
                self.lite.pc.next = self.port.pc.val();
                self.lite.now.next = self.port.now.val();
                self.port.holds.next = false;
                self.window.reset.next = self.port.reset.val();
                self.window.valid.next = self.port.valid.val();
                self.window.points.next = self.lite.points.val();
                self.window.call.next = self.port.call.val();
                self.window.back.next = self.port.back.val();
                WriteOut::join(&mut self.packets.write, &mut self.window.write);
                self.port.hides.next = false;
                if self.windowed.val() {
                    self.port.hides.next = self.window.hides.val();
                }
            }
        }
    };
}

lite_client! {
    /// A client with a lite event generator.
    LiteClient, 32, Lite<32>
}
lite_client! {
    /// A client with a lite event generator of a core of 64 bits.
    WideLiteClient, 64, WideLite
}

macro_rules! full_client {
    ($(#[$doc:meta])* $client:ident, $w:tt, $block:ty) => {
        client! {
            $(#[$doc])*
            $client, CoreRingPortIn<$w>, "full_generator", full: $block,
            [packets: Port, queue: LinkQueue, window: Window, windowed: Fixed<Bit>]
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, packets, queue, full, window);
                self.queue.reset.next = self.port.reset.val();
                self.packets.reset.next = self.port.reset.val();
                self.full.reset.next = self.port.reset.val();
                PacketIn::link(&mut self.port.got, &mut self.packets.got);
                PacketOut::join(&mut self.packets.put, &mut self.queue.put);
                PacketOut::link(&mut self.port.put, &mut self.queue.out);
                self.queue.to_queue.next = self.packets.to_queue.val();
                self.queue.drops.next = self.packets.drops.val();
                self.queue.sent.next = self.port.sent.val();
                self.port.withdraw.next = self.queue.withdraw.val();
                self.packets.room.next = self.queue.room.val();
                self.packets.yields.next = self.full.yields.val();
                self.packets.waits.next = self.full.stalling.val();
                self.packets.overrun.next = self.port.overrun.val();
                WriteOut::join(&mut self.packets.write, &mut self.full.write);
                ResultOut::join(&mut self.full.result, &mut self.packets.result);
                self.packets.event.ready.next = false;
                self.full.seen.valid.next = self.port.valid.val();
                self.full.seen.first.next = self.port.first.val();
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
                self.port.holds.next = self.full.holds.val();
                self.window.reset.next = self.port.reset.val();
                self.window.valid.next = self.port.valid.val();
                self.window.points.next = self.full.points.val();
                self.window.call.next = self.port.call.val();
                self.window.back.next = self.port.back.val();
                WriteOut::join(&mut self.packets.write, &mut self.window.write);
                self.port.hides.next = false;
                if self.windowed.val() {
                    self.port.hides.next = self.window.hides.val();
                }
            }
        }
    };
}

full_client! {
    /// A client with a full event generator.
    FullClient, 32, Full
}
full_client! {
    /// A client with a full event generator of a core of 64 bits.
    WideFullClient, 64, WideFull
}

/// Circuits of generators, by the width of addresses and registers.
pub trait Generators<const W: usize> {
    /// The generator of a core, lite or full, with or without a window.
    fn generator(params: &GeneratorParams, core: u8, window: bool) -> Box<dyn Part<CoreRingPortIn<W>>>;
}

/// All circuits of generators.
pub struct All;

macro_rules! generators {
    ($w:tt, $lite:ident, $lite_client:ident, $full:ident, $full_client:ident) => {
        impl Generators<$w> for All {
            fn generator(params: &GeneratorParams, core: u8, window: bool) -> Box<dyn Part<CoreRingPortIn<$w>>> {
                let (packets, queue) = (Port::new([1, params.slots.into()], false), LinkQueue::new());
                let (windowed, window) = (Fixed::new(window), Window::new());
                if params.lite {
                    let lite = $lite::new(params, core);
                    return Box::new($lite_client { packets, queue, lite, window, windowed, ..Default::default() });
                }
                let full = $full::new(params, core);
                Box::new($full_client { packets, queue, full, window, windowed, ..Default::default() })
            }
        }
    };
}
generators!(32, Lite, LiteClient, Full, FullClient);
generators!(64, WideLite, WideLiteClient, WideFull, WideFullClient);

/// The generator of a core of 32 bits, lite or full, with or without a window.
pub fn generator(params: &GeneratorParams, core: u8, window: bool) -> Box<dyn Part<CoreRingPortIn<32>>> {
    All::generator(params, core, window)
}

/// A node of this kind; `None` if there is no circuit for it. Its number of entries must be a power of two.
pub fn node(kind: NodeKind) -> Option<Box<dyn Part<RingPortIn>>> {
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
            // one record for the event, and one for each flush
            let tick = Tick::new(usize::from(n + 1).next_power_of_two().trailing_zeros() as usize);
            Box::new(TickClient { packets: Port::of_tick(kind.registers()), tick, ..Default::default() })
        }
        NodeKind::Processor(_) => Box::new(ProcessorClient { processor: Processor::new(), ..Default::default() }),
        NodeKind::Machine(_) | NodeKind::Filter(_) | NodeKind::Tick(_) => return None,
    })
}
