//! Packets from the host that configure a chip's circuits according to a layout, and that flush them
//!
//! The registers are those of [`sim::diag::registers`]. Neighbouring registers share a packet, up to 14 per packet.

use crate::layout::{Layout, Rules};
use sim::diag::chip::FIRST_NODE;
use sim::diag::master;
use sim::diag::packet::{Op, Packet, HOST, MAX_WORDS};
use sim::diag::registers::{self, Writes};

/// Words of a packet before its data: addresses, and operation with register.
const HEAD: usize = 2;

/// Packets that write registers of a ring client.
pub fn write(dest: u8, writes: &Writes) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut rest = writes.as_slice();
    while let Some(first) = rest.first() {
        let most = rest.len().min(MAX_WORDS - HEAD);
        let run = (1..most).find(|i| rest[*i].0 != first.0 + *i as u16).unwrap_or(most);
        let data: Vec<u16> = rest[..run].iter().map(|w| w.1).collect();
        packets.push(Packet::control(HOST, dest, Op::Write, first.0, &data));
        rest = &rest[run..];
    }
    packets
}

fn node(rules: &Rules) -> Writes {
    match rules {
        Rules::Filter(r) if !r.is_empty() => registers::filter(r),
        Rules::Count(r) if !r.is_empty() => registers::count(r),
        Rules::Pair(r) if !r.is_empty() => registers::pair(r),
        Rules::Aggregate(r) if !r.is_empty() => registers::aggregate(r),
        Rules::Histogram(r) if !r.is_empty() => registers::histogram(r),
        Rules::Machine(Some(table)) => registers::machine(table),
        Rules::Log(Some(rule)) => registers::log(rule),
        Rules::Tick(Some(rule)) => registers::tick(rule),
        _ => Writes::new(),
    }
}

/// Packets that configure nodes, then the generators of `cores` cores, so that nodes are ready before events are sent.
pub fn set(layout: &Layout, cores: u8, lite: bool) -> Vec<Packet> {
    let nodes = layout.rules.iter().enumerate().flat_map(|(n, r)| write(FIRST_NODE + n as u8, &node(r)));
    let slots =
        if lite { registers::lite(&layout.slots, layout.xlen) } else { registers::full(&layout.slots, layout.xlen) };
    nodes.chain((0..cores).flat_map(|c| write(c, &slots))).collect()
}

/// Packets that configure the generators of `masters` bus masters, on a chip with `cores` cores.
pub fn set_masters(layout: &Layout, cores: u8, masters: u8) -> Vec<Packet> {
    let slots = registers::full(&master::slots(&layout.slots), layout.xlen);
    (cores..cores + masters).flat_map(|m| write(m, &slots)).collect()
}

/// Packets that stop the tick and flush all tables; each table responds when it is empty.
pub fn flush(layout: &Layout) -> Vec<Packet> {
    let ticks = layout.rules.iter().enumerate().filter(|r| matches!(r.1, Rules::Tick(Some(_))));
    let stop = ticks.flat_map(|(n, _)| write(FIRST_NODE + n as u8, &vec![registers::control_off()]));
    let mut packets: Vec<Packet> = stop.collect();
    packets.extend(flushes(layout));
    packets
}

fn flushes(layout: &Layout) -> Vec<Packet> {
    layout.flushed.iter().map(|dest| Packet::control(HOST, *dest, Op::Flush, 0, &[1])).collect()
}
