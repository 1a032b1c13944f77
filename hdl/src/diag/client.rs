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
//! | `retires`, `pc`, `now` | in | 1, 32, 32 | what the core of a generator retires, and when; a node does not look at it |
//!
//! # Timing
//! As [`super::port`] and what is behind it.

use super::generator::lite::Lite;
use super::node::{
    aggregate::Aggregate, count::Count, filter::Filter, histogram::Histogram, machine::Machine, pair::Pair,
};
use super::port::Port;
use super::ports::{EventOut, ResultOut, WriteOut};
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
        retires: Bit,
        pc: Bits<32>,
        now: Bits<32>,
    }
    { got_ready: Bit, put_valid: Bit, put_word: Bits<16>, }
);

macro_rules! client {
    ($(#[$doc:meta])* $client:ident, $name:literal, $inner:ident: $block:ident, $($kernel:tt)*) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $client {
            pub clock: Signal<In, Clock>,
            pub port: SeatIn,
            packets: Port,
            $inner: $block,
        }

        impl Part<SeatIn> for $client {
            fn name(&self) -> &'static str {
                $name
            }
            fn latency(&self) -> usize {
                0
            }
            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }
            fn port(&mut self) -> &mut SeatIn {
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
        client! { $(#[$doc])* $client, $name, $inner: $block,
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
client! {
    /// A lite event generator.
    LiteClient, "lite_generator", lite: Lite,
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
        self.lite.valid.next = self.port.retires.val();
        self.lite.pc.next = self.port.pc.val();
        self.lite.now.next = self.port.now.val();
    }
}

/// A lite generator of a core.
pub fn lite(params: &GeneratorParams, core: u8) -> Box<dyn Part<SeatIn>> {
    let registers = [1, params.slots.into()];
    Box::new(LiteClient { packets: Port::new(registers, false), lite: Lite::new(params, core), ..Default::default() })
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
        NodeKind::Machine(_) | NodeKind::Filter(_) | NodeKind::Log(_) => return None,
    })
}
