//! The diagnosis part of a chip: event generators, nodes and the host link on one ring
//!
//! The host interface is first on the ring, then the generators (address = core), those of bus masters (addresses after
//! the cores') and the nodes (from [`FIRST_NODE`] on). Packets to the host leave in frames over a link of a given rate. When the link is too slow, events queue up in
//! the generators, where losses are counted.
//!
//! Every node takes one event per cycle, unless its output queue is full. The results of a flush wait in the table.

pub use super::frame::FRAME_BYTES;
use super::generator::{Generator, ObservedInsn};
use super::interface::{Interface, Request};
use super::link_queue::LinkQueue;
use super::node::tick::{Rule, Tick};
use super::node::trace::{self, Bus, TraceNode, PACKET_WORDS};
use super::node::{Node, NodeKind, Outbox, Target};
use super::packet::{Body, Event, Op, Packet, HOST, NODES};
use super::ring::{Ring, RingNode};
use super::trigger::GeneratorParams;
use std::collections::VecDeque;

mod wait;

/// Address of the first node.
pub const FIRST_NODE: u8 = 16;
/// Identifier of the event of a tick.
pub const TICK_EVENT: u8 = 255;
/// Depth of the output queue of a node, for results.
const RESULTS: usize = 16;

/// Configuration of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipParams {
    /// Cores, 1 to 16, each with a generator.
    pub cores: u8,
    /// The generators.
    pub generator: GeneratorParams,
    /// Bus masters that are not cores, each with a generator for its stores: [`GeneratorParams::MASTER`]. With the cores
    /// up to 16.
    pub masters: u8,
    /// Cores with a separate clock, the first ones; 0 to `cores`. The instructions given to the chip are those that
    /// passed the crossing ([`super::crossing`]), at their times.
    pub clocked: u8,
    /// The nodes, up to 40.
    pub nodes: Vec<NodeKind>,
    /// Has a trace node.
    pub trace: bool,
    /// Clock frequency, Hz: only for rates and periods.
    pub clock_hz: u64,
    /// Rate of the link, bit/s.
    pub link_bits: u64,
}

impl ChipParams {
    /// One node of each kind, but two filters and machines; 50 MHz, a 12 Mbit/s serial link.
    pub fn new(cores: u8) -> Self {
        use NodeKind::*;
        let nodes = vec![
            Filter(8),
            Filter(8),
            Count(64),
            Pair(16),
            Aggregate(256),
            Histogram(4),
            Machine(16),
            Machine(16),
            Log(32),
            Tick(8),
        ];
        Self {
            cores,
            generator: GeneratorParams::FULL,
            masters: 0,
            clocked: 0,
            nodes,
            trace: false,
            clock_hz: 50_000_000,
            link_bits: 12_000_000,
        }
    }

    /// Cores and bus masters: the number of generators.
    pub fn producers(&self) -> u8 {
        self.cores + self.masters
    }
}

/// A packet that arrived at the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Cycle in which its frame ended.
    pub cycle: u64,
    /// The packet.
    pub packet: Packet,
}

#[derive(Clone, Debug)]
struct NodePort {
    node: Node,
    out: VecDeque<Packet>,
    lost: u64,
    interface: Interface,
}

/// The connection of a generator to the ring.
#[derive(Clone, Debug)]
struct GeneratorPort {
    interface: Interface,
    queue: LinkQueue,
    /// Events lost as there was no room in the queue.
    lost: u64,
}

impl GeneratorPort {
    fn new(address: u8, slots: u8) -> Self {
        let interface = Interface::new(address, [1, slots.into()], false);
        Self { interface, queue: LinkQueue::default(), lost: 0 }
    }

    /// One cycle, with a generator that has advanced.
    fn clock(&mut self, generator: &mut Generator, port: &mut RingNode) {
        let mut is_free = self.queue.clock(port, generator.yields() == Some(false));
        if is_free {
            if let Some(words) = port.receive() {
                if let Some(Request::Answer(packet) | Request::Write(.., packet)) = self.interface.take(&words) {
                    port.send(packet.to_words());
                    is_free = false;
                }
            }
        }
        if generator.yields() == Some(true) && (self.queue.has_room() || !generator.params().stalls) {
            if let Some((dest, event)) = generator.pop() {
                if self.queue.has_room() {
                    self.queue.push(self.interface.result(dest, event, true).to_words());
                } else {
                    self.interface.drop_event(&event);
                    self.queue.refuse();
                    self.lost += 1;
                }
            }
        }
        let other = generator.yields() == Some(false);
        if is_free && self.queue.is_next(other) {
            port.send(self.queue.send());
        } else if is_free && other {
            if let Some((dest, event)) = generator.pop() {
                port.send(self.interface.result(dest, event, false).to_words());
                self.queue.other_was_sent();
            }
        }
    }
}

/// A trace node with a stand-in for the trace system: registers that are memory, and an unbounded queue of trace words.
#[derive(Clone, Debug, Default)]
struct Traced {
    node: TraceNode,
    registers: Registers,
    words: VecDeque<u32>,
    out: VecDeque<Packet>,
}

#[derive(Clone, Debug, Default)]
struct Registers([u32; 8]);

impl Bus for Registers {
    fn read(&mut self, addr: u8) -> u32 {
        self.0[usize::from(addr)]
    }
    fn write(&mut self, addr: u8, value: u32) {
        self.0[usize::from(addr)] = value;
    }
}

impl Traced {
    fn clock(&mut self, port: &mut RingNode) {
        while port.fate().is_some() {}
        if self.node.is_ready() {
            self.words.pop_front().into_iter().for_each(|w| self.node.word(w));
        }
        if let Some(words) = port.receive() {
            self.out.extend(self.node.take(&words, &mut self.registers));
        }
        if port.ready() {
            if let Some(packet) = self.out.pop_front().or_else(|| self.node.packet(PACKET_WORDS)) {
                port.send(packet.to_words());
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.words.is_empty() && self.out.is_empty() && self.node.waits() < PACKET_WORDS
    }
}

/// The link: sends one packet at a time.
#[derive(Clone, Debug, Default)]
struct Link {
    sending: Option<Packet>,
    /// End of the packet that is being sent, in units of 1 / `link_bits` of a cycle.
    until: u128,
    bytes: u64,
    time: VecDeque<Packet>,
}

/// The golden model of a diagnosis chip.
#[derive(Clone, Debug)]
pub struct Chip {
    params: ChipParams,
    generators: Vec<Generator>,
    generator_ports: Vec<GeneratorPort>,
    node_ports: Vec<NodePort>,
    trace: Option<Traced>,
    /// The tick nodes count.
    ticking: bool,
    ring: Ring,
    link: Link,
    now: u64,
    arrived: Vec<Arrived>,
    requests: VecDeque<Packet>,
    /// Nothing was in flight at the last check, and nothing happens by itself before cycle `wake`.
    quiet: bool,
    wake: u64,
}

impl Chip {
    /// A chip without any rules.
    ///
    /// # Panics
    /// Unless it has 1 to 16 cores, up to 16 cores and bus masters, and up to 40 nodes.
    pub fn new(params: ChipParams) -> Self {
        assert!((1..=16).contains(&params.cores), "cores = {} is outside 1..=16", params.cores);
        assert!(params.producers() <= 16, "{} cores and bus masters are more than 16", params.producers());
        assert!(params.nodes.len() <= 40, "{} nodes are more than 40", params.nodes.len());
        let cores = (0..params.cores).map(|c| Generator::new(params.generator, c));
        let GeneratorParams { xlen, stalls, .. } = params.generator;
        let of_master = GeneratorParams { xlen, stalls, ..GeneratorParams::MASTER };
        let masters = (params.cores..params.producers()).map(|m| Generator::new(of_master, m));
        let generators: Vec<Generator> = cores.chain(masters).collect();
        let port_of = |(c, g): (usize, &Generator)| GeneratorPort::new(c as u8, g.params().slots);
        let generator_ports = generators.iter().enumerate().map(port_of).collect();
        let mut ring = vec![RingNode::new(HOST, 2)];
        ring.extend((0..params.producers()).map(|c| RingNode::new(c, 1)));
        ring.extend((0..params.nodes.len()).map(|n| RingNode::new(FIRST_NODE + n as u8, 4)));
        ring.extend(params.trace.then(|| RingNode::new(trace::ADDRESS, 2)));
        let node_port = |(n, k): (usize, &NodeKind)| {
            let interface = Interface::new(FIRST_NODE + n as u8, k.registers(), k.takes_events());
            NodePort { node: k.build(), out: VecDeque::new(), lost: 0, interface }
        };
        let node_ports = params.nodes.iter().enumerate().map(node_port).collect();
        let trace = params.trace.then(Traced::default);
        Self {
            params,
            generators,
            generator_ports,
            node_ports,
            trace,
            ticking: true,
            ring: Ring::new(ring),
            link: Link::default(),
            now: 0,
            arrived: Vec::new(),
            requests: VecDeque::new(),
            quiet: false,
            wake: 0,
        }
    }

    /// Configuration of the chip.
    pub fn params(&self) -> &ChipParams {
        &self.params
    }

    /// The event generator of a core, or, from the number of cores on, of a bus master.
    pub fn generator(&mut self, core: u8) -> &mut Generator {
        &mut self.generators[usize::from(core)]
    }

    /// All event generators.
    pub fn generators(&self) -> &[Generator] {
        &self.generators
    }

    /// A node; the first is 0.
    pub fn node(&mut self, n: usize) -> &mut Node {
        &mut self.node_ports[n].node
    }

    /// Ticks every `period` cycles and flushes the nodes at these addresses. False: no tick node can.
    pub fn set_tick(&mut self, period: u32, flush: &[u8]) -> bool {
        let rule = Rule { period, to: Target { dest: HOST, id: TICK_EVENT }, flushes: flush.to_vec() };
        self.ticks_mut().any(|t| t.set(Some(rule.clone())).is_ok())
    }

    fn ticks_mut(&mut self) -> impl Iterator<Item = &mut Tick> {
        self.node_ports.iter_mut().filter_map(|p| if let Node::Tick(t) = &mut p.node { Some(t) } else { None })
    }

    fn ticks(&self) -> impl Iterator<Item = &Tick> {
        self.node_ports.iter().filter_map(|p| if let Node::Tick(t) = &p.node { Some(t) } else { None })
    }

    /// Cycle of the next tick.
    fn next_tick(&self) -> u64 {
        self.ticks().map(|t| self.now.saturating_add(t.next())).min().unwrap_or(u64::MAX)
    }

    /// Cycle in which the next time packet is due: bit 31 of the clock changes.
    fn next_wrap(&self) -> u64 {
        ((self.now >> 31) + 1) << 31
    }

    /// Advances by cycles in which nothing happens.
    fn skip(&mut self, clocks: u64) {
        self.ring.skip(clocks);
        self.ticks_mut().for_each(|t| t.skip(clocks));
        self.now += clocks;
    }

    /// Takes words from the trace system. False: the chip has no trace node.
    pub fn trace(&mut self, words: &[u32]) -> bool {
        self.quiet &= words.is_empty();
        self.trace.as_mut().map(|t| t.words.extend(words)).is_some()
    }

    /// Events lost in nodes.
    pub fn node_losses(&self) -> u64 {
        let lost = |p: &NodePort| match &p.node {
            Node::Processor(ring_processor) => ring_processor.processor().dropped().into(),
            _ => p.lost,
        };
        self.node_ports.iter().map(lost).sum()
    }

    /// Lost events that no packet has reported yet.
    pub fn unreported(&self) -> u64 {
        let unreported = |p: &NodePort| match &p.node {
            Node::Processor(ring_processor) => ring_processor.processor().unreported(),
            _ => p.interface.unreported(),
        };
        self.node_ports.iter().map(unreported).sum::<u64>()
            + self.ticks().map(Tick::unreported).sum::<u64>()
            + (0..self.generators.len()).map(|g| self.unreported_of(g).0).sum::<u64>()
    }

    /// Lost events of a generator that no packet has reported yet; whether all of them yielded to others.
    pub fn unreported_of(&self, generator: usize) -> (u64, bool) {
        let (own, port) = (self.generators[generator].unreported(), &self.generator_ports[generator].interface);
        (own + port.unreported(), own == 0 && port.has_yielded())
    }

    /// Instructions of a core did not pass its clock crossing: from now on its events report losses.
    pub fn overrun(&mut self, core: u8) {
        self.generator_ports[usize::from(core)].interface.overrun();
    }

    /// Events lost because the link was busy, while others of the same generator were not.
    pub fn link_losses(&self) -> u64 {
        self.generator_ports.iter().map(|p| p.lost).sum()
    }

    /// Bytes sent, including frames.
    pub fn link_bytes(&self) -> u64 {
        self.link.bytes
    }

    /// Current cycle.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Packets that arrived at the host since the last call.
    pub fn take_arrived(&mut self) -> Vec<Arrived> {
        std::mem::take(&mut self.arrived)
    }

    /// Sends a control packet from the host.
    pub fn request(&mut self, dest: u8, op: Op, addr: u16, data: &[u16]) {
        self.requests.push_back(Packet::control(HOST, dest, op, addr, data));
    }

    /// Reads address, kind (1: generator) and capacity of every client on the ring, by a request to each address.
    pub fn discover(&mut self) -> Vec<(u8, u16, u16)> {
        (0..NODES).for_each(|a| self.request(a, Op::Read, 0, &[2]));
        self.drain();
        let answer = |a: Arrived| match a.packet.body {
            Body::Control { op: Op::ReadData, data, .. } if data.len() == 2 => Some((a.packet.src, data[0], data[1])),
            _ => None,
        };
        self.take_arrived().into_iter().filter_map(answer).collect()
    }

    /// Whether nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.link.sending.is_none()
            && self.requests.is_empty()
            && self.generators.iter().all(Generator::is_idle)
            && self.generator_ports.iter().all(|p| p.queue.is_empty())
            && self
                .node_ports
                .iter()
                .all(|p| p.out.is_empty() && !matches!(&p.node, Node::Processor(s) if !s.is_idle()))
            && self.ticks().all(Tick::is_idle)
            && self.trace.as_ref().is_none_or(Traced::is_idle)
            && self.link.time.is_empty()
            && self.ring.is_idle()
    }

    /// An instruction retires in cycle `seen.cycle`, which must not be before that of the last one.
    pub fn observe(&mut self, core: u8, seen: &ObservedInsn) {
        let core = usize::from(core);
        // with nothing in flight, time advances only when something is
        if self.quiet && seen.cycle < self.wake && seen.cycle >= self.now {
            let generator = &mut self.generators[core];
            generator.observe(seen);
            if !generator.is_idle() {
                self.skip(seen.cycle - self.now);
                self.quiet = false;
            }
            return;
        }
        self.advance(seen.cycle);
        self.generators[core].observe(seen);
        self.quiet = self.is_idle();
        self.wake = self.next_tick().min(self.next_wrap());
    }

    /// The cycle in which an instruction that would retire in `cycle` may retire: not before all generators that stall have
    /// room for it. The cores are held together, so that they go on in the same order.
    pub fn hold(&mut self, cycle: u64) -> u64 {
        if self.generators.iter().any(Generator::holds) {
            self.advance(cycle);
            while self.generators.iter().any(Generator::holds) {
                self.clock();
                self.skip_wait(u64::MAX);
            }
            return cycle.max(self.now);
        }
        cycle
    }

    /// Advances to `cycle`.
    pub fn advance(&mut self, cycle: u64) {
        while self.now < cycle {
            if self.is_idle() {
                let next = self.next_tick().min(cycle).min(self.next_wrap()).max(self.now + 1);
                self.skip(next - self.now - 1);
            }
            self.clock();
            self.skip_wait(self.next_tick().min(cycle));
        }
    }

    /// Advances until everything in flight has arrived at the host.
    pub fn drain(&mut self) {
        self.ticking = false;
        while !self.is_idle() {
            self.clock();
            self.skip_wait(u64::MAX);
        }
        self.ticking = true;
    }

    /// Flushes all nodes, first those that send to others, and drains.
    pub fn finish(&mut self) {
        self.drain();
        for n in 0..self.node_ports.len() {
            if let Node::Processor(ring_processor) = &mut self.node_ports[n].node {
                ring_processor.flush(FIRST_NODE + n as u8);
                self.drain();
                continue;
            }
            let mut out = Outbox::new();
            self.node_ports[n].node.flush(&mut out);
            let src = FIRST_NODE + n as u8;
            self.node_ports[n].out.extend(out.into_iter().map(|(dest, e)| Packet::event(src, dest, e)));
            self.drain();
        }
        if self.trace.is_some() {
            self.request(trace::ADDRESS, Op::Flush, 0, &[0]);
            self.drain();
        }
    }

    fn clock(&mut self) {
        self.now += 1;
        self.ring.clock();
        self.serve_host();
        let cores = self.generators.len();
        for (c, g) in self.generators.iter_mut().enumerate() {
            g.clock(None);
            self.generator_ports[c].clock(g, self.ring.node(1 + c));
        }
        for n in 0..self.node_ports.len() {
            self.serve_node(n, 1 + cores + n);
        }
        if let Some(trace) = &mut self.trace {
            trace.clock(self.ring.node(1 + cores + self.node_ports.len()));
        }
    }

    fn serve_node(&mut self, n: usize, at: usize) {
        let (port, node_port, src) = (self.ring.node(at), &mut self.node_ports[n], FIRST_NODE + n as u8);
        if let Node::Processor(ring_processor) = &mut node_port.node {
            return ring_processor.clock(src, self.now, port);
        }
        while port.fate().is_some() {}
        if let Node::Tick(tick) = &mut node_port.node {
            let sent = tick.sent().filter(|_| node_port.out.is_empty());
            tick.clock(self.now as u32, self.ticking, sent.is_some());
            node_port.out.extend(sent.map(|s| s.packet(src)));
        }
        let words = if node_port.out.len() < RESULTS { port.receive() } else { None };
        if let Some(words) = words {
            match node_port.interface.take(&words) {
                // losses of the producer are reported with the next result
                Some(Request::Event(event)) => {
                    let mut out = Outbox::new();
                    node_port.node.take(&event, &mut out);
                    // a pair counts its own losses and reports them in its results
                    let pairs = matches!(node_port.node, Node::Pair(_));
                    for (dest, event) in out {
                        let own = if pairs { u64::from(event.lost) } else { 0 };
                        node_port.lost += own;
                        node_port.interface.lose(own);
                        let event = Event { lost: 0, yielded: false, ..event };
                        node_port.out.push_back(Packet::event(src, dest, event));
                    }
                }
                Some(Request::Flush(done)) => {
                    let mut out = Outbox::new();
                    node_port.node.flush(&mut out);
                    node_port.out.extend(out.into_iter().map(|(dest, e)| Packet::event(src, dest, e)));
                    node_port.out.push_back(done);
                }
                Some(Request::Answer(packet) | Request::Write(.., packet)) => node_port.out.push_back(packet),
                None => {}
            }
        }
        if port.ready() {
            if let Some(packet) = node_port.out.pop_front() {
                port.send(match packet {
                    Packet { dest, body: Body::Event(e), .. } => node_port.interface.result(dest, e, false).to_words(),
                    other => other.to_words(),
                });
            }
        }
    }

    fn serve_host(&mut self) {
        let (now, clock, rate) =
            (u128::from(self.now), u128::from(self.params.clock_hz), u128::from(self.params.link_bits));
        let port = self.ring.node(0);
        while port.fate().is_some() {}
        if port.ready() {
            if let Some(packet) = self.requests.pop_front() {
                port.send(packet.to_words());
            }
        }
        if self.now & 0x7fff_ffff == 0 {
            let high = self.now >> 32;
            let words = [(self.now >> 31 & 1) as u16, high as u16, (high >> 16) as u16];
            self.link.time.push_back(Packet::control(HOST, HOST, Op::Time, 0, &words));
        }
        let link = &mut self.link;
        if let Some(packet) = &link.sending {
            if now * rate >= link.until {
                self.arrived.push(Arrived { cycle: self.now, packet: packet.clone() });
                link.sending = None;
            }
        }
        if link.sending.is_none() {
            let next = link.time.pop_front().or_else(|| {
                let words = port.receive()?;
                Packet::parse(&words).ok()
            });
            if let Some(packet) = next {
                let bytes = 2 * packet.to_words().len() + FRAME_BYTES;
                link.bytes += bytes as u64;
                link.until = link.until.max(now * rate) + 8 * bytes as u128 * clock;
                link.sending = Some(packet);
            }
        }
    }
}
