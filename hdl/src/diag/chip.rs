//! Chip: the on-chip diagnosis system, a ring of generators and nodes with a host interface
//!
//! On the ring are the host interface, external clients (generators or trace modules of another kind, processors), the
//! generators of the cores, lite or full, those of other bus masters, and the nodes. Packets to and from the host travel in frames of bytes.
//!
//! # Source
//! Paper 004 figure 3 and section 4.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: clears all settings and all packets; sets the time to 0 |
//! | `host_valid`, `host_octet`, `host_ready` | in, in, out | 1, 8, 1 | frames from the host, see [`super::line`] |
//! | `valid`, `octet`, `ready` | out, out, in | 1, 8, 1 | frames to the host, see [`super::framer`] |
//! | `put[i]`, `got[i]` | in, out | | packets of external client i, see [`crate::noc::ports`] |
//! | `pins[i]` | in | | pins of core i, see [`super::generator::observer`] |
//! | `core_clock[i]`, `core_reset[i]` | in | 1 | of core i, if it has a separate clock, see [`super::generator::crossing`] |
//! | `masters[i]` | in | | write port of bus master i, see [`super::generator::master`] |
//! | `stall[i]`, `master_stall[i]` | out | 1 | with generators that stall: core i, bus master i must wait; see [`super::generator::full`] |
//! | `hide[i]` | out | 1 | with windows: a trace must hide what core i retired one cycle before, see [`super::generator::window`] |
//!
//! # Timing
//! The time stamp of an event is the cycle in which its instruction was at the RVFI port, or its store at the master's,
//! counted from the end of the reset. For a core with a separate clock, it is the cycle of the chip in which the
//! instruction has passed the crossing, less the cycles that this takes if both clocks are the same: see
//! `sim::diag::crossing`.
//!
//! Golden models: those of the parts, and `sim::diag::chip`.

use super::client::{self, CoreRingPortIn, Generators, RingPortIn};
use super::framer::Framer;
use super::generator::crossing::Crossing;
use super::generator::master::{MasterObserver, MasterPins};
use super::generator::observer::{Observer, ObserverPins};
use super::line::Line;
use crate::noc::ports::{PacketIn, PacketOut};
use crate::noc::router::Router;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::slot::Slot;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::chip::FIRST_NODE;
use sim::diag::crossing::LATENCY;
use sim::diag::node::NodeKind;
use sim::diag::packet::HOST;
use sim::diag::trigger::GeneratorParams;
use sim::params::{Platform, TraceParams};
use std::fmt;

/// Parameters of a diagnosis chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagParams {
    /// Cores with one generator each, at addresses from 0; 0 to 16.
    pub cores: u8,
    /// Parameters of these generators.
    pub generator: GeneratorParams,
    /// Bus masters that are not cores, with one generator each for their stores, at the addresses after the cores'; with
    /// the cores up to 16.
    pub masters: u8,
    /// Addresses of external clients.
    pub outside: Vec<u8>,
    /// Nodes, at addresses from [`FIRST_NODE`].
    pub nodes: Vec<NodeKind>,
    /// Whether each generator has a window output for a trace system outside.
    pub windows: bool,
    /// Cores with a separate clock, the first ones; 0 to `cores`. The others have the clock of the chip.
    pub clocked: u8,
}

impl fmt::Display for DiagParams {
    /// `cores=4;generator=full;nodes=count:64,pair:16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generator = if self.generator.lite { "lite" } else { "full" };
        let nodes: Vec<String> = self.nodes.iter().map(NodeKind::to_string).collect();
        let xlen = if self.generator.xlen == 32 { String::new() } else { format!(";xlen={}", self.generator.xlen) };
        let windows = if self.windows { ";windows" } else { "" };
        let stalls = if self.generator.stalls { ";stall" } else { "" };
        let masters = if self.masters > 0 { format!(";masters={}", self.masters) } else { String::new() };
        let clocks = if self.clocked > 0 { format!(";core-clocks={}", self.clocked) } else { String::new() };
        let nodes = nodes.join(",");
        write!(f, "cores={};generator={generator};nodes={nodes}{windows}{masters}{stalls}{clocks}{xlen}", self.cores)
    }
}

impl DiagParams {
    /// Cores and bus masters: the number of generators.
    pub fn producers(&self) -> u8 {
        self.cores.saturating_add(self.masters)
    }
}

/// Error of an impossible chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChipError {
    /// No circuit of a node.
    #[error("`{0}:{1}` has no circuit; expected count:2 to 128, aggregate:2 to 256, pair:2 to 64, histogram:2 to 8, log:2 to 128 (powers of two), tick:1 to 63, filter:8, machine:16 or processor:16")]
    Node(&'static str, u16),
    /// A number outside its range.
    #[error("{0} {1} are outside {2}")]
    Number(usize, &'static str, &'static str),
    /// Lite generators have no register to stall.
    #[error("lite event generators cannot stall; full ones can")]
    LiteStalls,
    /// More clocks of cores than cores.
    #[error("{0} cores cannot have {1} separate clocks")]
    Clocks(u8, u8),
    /// A core with a separate clock, and an output that it must see in time.
    #[error("cores with a separate clock cannot have {0}: it would be cycles late at the core")]
    Late(&'static str),
    /// The circuit of a clock crossing is for cores of 32 bits.
    #[error("cores of 64 bits cannot have separate clocks")]
    WideClocks,
    /// Not the width of the circuit.
    #[error("this circuit is not for cores of {0} bits")]
    Width(u8),
    /// Two clients at one address.
    #[error("address {0} is used twice, or is not that of a client")]
    Address(u8),
}

/// A diagnosis chip of RV32 cores.
pub type DiagChip = Chip<32, 4, 107, 37, 104>;
/// A diagnosis chip of RV64 cores.
pub type WideDiagChip = Chip<64, 8, 171, 69, 208>;

/// A diagnosis chip: event generators, network, nodes and host interface. Cores have addresses of W bits; M, F, R and A as in
/// [`Crossing`].
#[derive(LogicBlock, Default)]
pub struct Chip<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub host_valid: Signal<In, Bit>,
    pub host_octet: Signal<In, Bits<8>>,
    pub host_ready: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    pub octet: Signal<Out, Bits<8>>,
    pub ready: Signal<In, Bit>,
    pub put: Vec<PacketIn>,
    pub got: Vec<PacketOut>,
    pub pins: Vec<ObserverPins<W, M>>,
    pub core_clock: Vec<Signal<In, Clock>>,
    pub core_reset: Vec<Signal<In, Bit>>,
    pub masters: Vec<MasterPins<W, M>>,
    pub hide: Vec<Signal<Out, Bit>>,
    pub stall: Vec<Signal<Out, Bit>>,
    pub master_stall: Vec<Signal<Out, Bit>>,
    clocks: DFF<Bits<W>>,
    crossing: Vec<Crossing<W, M, F, R, A>>,
    observer: Vec<Observer<W, M>>,
    router: Router,
    outer: Vec<Router>,
    generator_router: Vec<Router>,
    generator: Vec<Slot<CoreRingPortIn<W>>>,
    master_observer: Vec<MasterObserver<W, M>>,
    master_router: Vec<Router>,
    master_generator: Vec<Slot<CoreRingPortIn<W>>>,
    node_router: Vec<Router>,
    node: Vec<Slot<RingPortIn>>,
    framer: Framer,
    line: Line,
    hop_valid: Signal<Local, Bit>,
    hop_word: Signal<Local, Bits<16>>,
    one: Fixed<Bits<W>>,
    latency: Fixed<Bits<W>>,
    _outside: usize,
    _cores: usize,
    _clocked: usize,
    _masters: usize,
    _nodes: usize,
    _windows: usize,
    _stalls: usize,
    _master_stalls: usize,
}

impl<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> Chip<W, M, F, R, A>
where
    client::All: Generators<W>,
{
    /// The chip for `params`.
    ///
    /// # Errors
    /// There is no such chip, or its cores do not have W bits.
    pub fn new(params: &DiagParams) -> Result<Self, ChipError> {
        let (cores, nodes, outside) = (usize::from(params.cores), params.nodes.len(), params.outside.len());
        if cores > 16 {
            return Err(ChipError::Number(cores, "cores", "0 to 16"));
        }
        let producers = params.producers();
        if producers > 16 {
            return Err(ChipError::Number(producers.into(), "cores and bus masters", "0 to 16"));
        }
        if nodes > 40 {
            return Err(ChipError::Number(nodes, "nodes", "0 to 40"));
        }
        if params.generator.lite && params.generator.stalls {
            return Err(ChipError::LiteStalls);
        }
        if params.clocked > params.cores {
            return Err(ChipError::Clocks(params.cores, params.clocked));
        }
        if params.clocked > 0 && (params.generator.stalls || params.windows) {
            return Err(ChipError::Late(if params.windows { "trace windows" } else { "stalls" }));
        }
        let clocked = usize::from(params.clocked);
        let GeneratorParams { xlen, stalls, .. } = params.generator;
        if usize::from(xlen) != W {
            return Err(ChipError::Width(xlen));
        }
        if params.clocked > 0 && W == 64 {
            return Err(ChipError::WideClocks);
        }
        let of_master = GeneratorParams { xlen, stalls, ..GeneratorParams::MASTER };
        let (stalls, master_stalls) = match params.generator.stalls {
            true => (cores, usize::from(params.masters)),
            false => (0, 0),
        };
        let node_at = |n: usize| FIRST_NODE + n as u8;
        let mut taken: Vec<u8> = (0..producers).chain((0..nodes).map(node_at)).collect();
        for address in &params.outside {
            if *address >= sim::diag::packet::NODES || taken.contains(address) {
                return Err(ChipError::Address(*address));
            }
            taken.push(*address);
        }
        let ring_port = |k: &NodeKind| {
            let part = client::node(*k).ok_or(ChipError::Node(k.name(), k.registers()[1]))?;
            Ok(Slot::new(part))
        };
        let platform = Platform { xlen, ..Platform::RV32 };
        let rvfi = TraceParams::new(platform, "tr_e:small".parse().map_err(|_| ChipError::Address(0))?);
        Ok(Self {
            put: each(outside),
            got: each(outside),
            pins: each(cores),
            core_clock: each(clocked),
            core_reset: each(clocked),
            crossing: (0..clocked).map(|_| Crossing::new()).collect(),
            masters: each(params.masters.into()),
            hide: each(if params.windows { cores } else { 0 }),
            _windows: if params.windows { cores } else { 0 },
            stall: each(stalls),
            master_stall: each(master_stalls),
            _stalls: stalls,
            _master_stalls: master_stalls,
            observer: (0..cores).map(|_| Observer::new(&rvfi)).collect(),
            router: Router::new(HOST, 1, true),
            outer: params.outside.iter().map(|a| Router::new(*a, 1, false)).collect(),
            generator_router: (0..params.cores).map(|c| Router::new(c, 0, false)).collect(),
            generator: (0..params.cores)
                .map(|c| Slot::new(client::All::generator(&params.generator, c, params.windows)))
                .collect(),
            master_observer: (0..params.masters).map(|_| MasterObserver::new()).collect(),
            master_router: (params.cores..producers).map(|m| Router::new(m, 0, false)).collect(),
            master_generator: (params.cores..producers)
                .map(|m| Slot::new(client::All::generator(&of_master, m, false)))
                .collect(),
            node_router: (0..nodes).map(|n| Router::new(node_at(n), 2, false)).collect(),
            node: params.nodes.iter().map(ring_port).collect::<Result<_, _>>()?,
            framer: Framer::new(),
            line: Line::new(),
            one: Fixed::of(1u64),
            latency: Fixed::of(LATENCY),
            _outside: outside,
            _cores: cores,
            _clocked: clocked,
            _masters: params.masters.into(),
            _nodes: nodes,
            ..Default::default()
        })
    }
}

impl<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> Logic for Chip<W, M, F, R, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clocks);
        clock!(self, clock, router, framer, line);
        self.clocks.d.next = self.clocks.q.val() + self.one.val();

        self.router.reset.next = self.reset.val();
        self.router.withdraw.next = false;
        self.framer.reset.next = self.reset.val();
        self.line.reset.next = self.reset.val();
        self.line.valid.next = self.host_valid.val();
        self.line.octet.next = self.host_octet.val();
        self.host_ready.next = self.line.ready.val();
        PacketOut::join(&mut self.line.put, &mut self.router.put);
        PacketOut::join(&mut self.router.got, &mut self.line.got);
        PacketOut::join(&mut self.line.say, &mut self.framer.got);
        self.framer.status.next = self.line.status.val();
        self.framer.again.next = self.line.again.val();
        self.framer.expected.next = self.line.expected.val();
        self.framer.hold.next = self.line.hold.val();
        self.line.can_begin.next = self.framer.can_begin.val();
        self.line.newest.next = self.framer.newest.val();
        self.valid.next = self.framer.valid.val();
        self.octet.next = self.framer.octet.val();
        self.framer.ready.next = self.ready.val();

        // the order on the ring: host, external clients, generators of cores and masters, nodes
        self.hop_valid.next = self.router.to.valid.val();
        self.hop_word.next = self.router.to.word.val();
        for i in 0..self._outside {
            self.outer[i].clock.next = self.clock.val();
            self.outer[i].reset.next = self.reset.val();
            self.outer[i].withdraw.next = false;
            PacketIn::link(&mut self.put[i], &mut self.outer[i].put);
            PacketOut::link(&mut self.got[i], &mut self.outer[i].got);
            self.outer[i].from.valid.next = self.hop_valid.val();
            self.outer[i].from.word.next = self.hop_word.val();
            self.hop_valid.next = self.outer[i].to.valid.val();
            self.hop_word.next = self.outer[i].to.word.val();
        }
        for i in 0..self._cores {
            self.observer[i].clock.next = self.clock.val();
            self.observer[i].reset.next = self.reset.val();
            self.generator_router[i].clock.next = self.clock.val();
            self.generator_router[i].reset.next = self.reset.val();
            self.generator[i].clock.next = self.clock.val();
            self.generator[i].port.reset.next = self.reset.val();
            self.generator[i].port.valid.next = self.observer[i].seen.valid.val();
            self.generator[i].port.first.next = self.observer[i].seen.first.val();
            self.generator[i].port.now.next = self.observer[i].seen.now.val();
            self.generator[i].port.pc.next = self.observer[i].seen.pc.val();
            self.generator[i].port.target.next = self.observer[i].seen.target.val();
            self.generator[i].port.call.next = self.observer[i].seen.call.val();
            self.generator[i].port.back.next = self.observer[i].seen.back.val();
            self.generator[i].port.xret.next = self.observer[i].seen.xret.val();
            self.generator[i].port.through_sp.next = self.observer[i].seen.through_sp.val();
            self.generator[i].port.trap.next = self.observer[i].seen.trap.val();
            self.generator[i].port.cause.next = self.observer[i].seen.cause.val();
            self.generator[i].port.came.next = self.observer[i].seen.came.val();
            self.generator[i].port.load.next = self.observer[i].seen.load.val();
            self.generator[i].port.store.next = self.observer[i].seen.store.val();
            self.generator[i].port.addr.next = self.observer[i].seen.addr.val();
            self.generator[i].port.size.next = self.observer[i].seen.size.val();
            self.generator[i].port.loaded.next = self.observer[i].seen.loaded.val();
            self.generator[i].port.stored.next = self.observer[i].seen.stored.val();
            self.generator[i].port.sets.next = self.observer[i].seen.sets.val();
            self.generator[i].port.rd.next = self.observer[i].seen.rd.val();
            self.generator[i].port.value.next = self.observer[i].seen.value.val();
            PacketOut::join(&mut self.generator_router[i].got, &mut self.generator[i].port.got);
            PacketOut::join(&mut self.generator[i].port.put, &mut self.generator_router[i].put);
            self.generator[i].port.sent.next = self.generator_router[i].fate.delivered.val()
                | self.generator_router[i].fate.absent.val()
                | self.generator_router[i].fate.malformed.val();
            self.generator_router[i].withdraw.next = self.generator[i].port.withdraw.val();
            self.generator_router[i].from.valid.next = self.hop_valid.val();
            self.generator_router[i].from.word.next = self.hop_word.val();
            self.hop_valid.next = self.generator_router[i].to.valid.val();
            self.hop_word.next = self.generator_router[i].to.word.val();
        }
        for i in 0..self._clocked {
            self.crossing[i].core_clock.next = self.core_clock[i].val();
            self.crossing[i].core_reset.next = self.core_reset[i].val();
            self.crossing[i].clock.next = self.clock.val();
            self.crossing[i].reset.next = self.reset.val();
            ObserverPins::<W, M>::link(&mut self.pins[i], &mut self.crossing[i].pins);
            self.observer[i].now.next = self.clocks.q.val() - self.latency.val();
            self.observer[i].first.next = self.crossing[i].retired.first.val();
            self.observer[i].pins.rvfi.valid.next = self.crossing[i].retired.valid.val();
            self.observer[i].pins.rvfi.insn.next = self.crossing[i].retired.insn.val();
            self.observer[i].pins.rvfi.trap.next = self.crossing[i].retired.trap.val();
            self.observer[i].pins.rvfi_intr.next = self.crossing[i].retired.intr.val();
            self.observer[i].pins.rvfi_pc_rdata.next = self.crossing[i].retired.pc_rdata.val();
            self.observer[i].pins.rvfi_pc_wdata.next = self.crossing[i].retired.pc_wdata.val();
            self.observer[i].pins.rvfi.rd_addr.next = self.crossing[i].retired.rd_addr.val();
            self.observer[i].pins.rvfi.rd_wdata.next = self.crossing[i].retired.rd_wdata.val();
            self.observer[i].pins.rvfi.mem_addr.next = self.crossing[i].retired.mem_addr.val();
            self.observer[i].pins.rvfi.mem_rmask.next = self.crossing[i].retired.mem_rmask.val();
            self.observer[i].pins.rvfi.mem_wmask.next = self.crossing[i].retired.mem_wmask.val();
            self.observer[i].pins.rvfi.mem_rdata.next = self.crossing[i].retired.mem_rdata.val();
            self.observer[i].pins.rvfi.mem_wdata.next = self.crossing[i].retired.mem_wdata.val();
            self.observer[i].pins.cause.next = self.crossing[i].retired.cause.val();
            self.generator[i].port.overrun.next = self.crossing[i].overrun.val();
        }
        for i in self._clocked..self._cores {
            ObserverPins::<W, M>::link(&mut self.pins[i], &mut self.observer[i].pins);
            self.observer[i].now.next = self.clocks.q.val();
            self.observer[i].first.next = false;
            self.generator[i].port.overrun.next = false;
        }
        for i in 0..self._masters {
            self.master_observer[i].clock.next = self.clock.val();
            self.master_observer[i].now.next = self.clocks.q.val();
            MasterPins::<W, M>::link(&mut self.masters[i], &mut self.master_observer[i].pins);
            self.master_router[i].clock.next = self.clock.val();
            self.master_router[i].reset.next = self.reset.val();
            self.master_generator[i].clock.next = self.clock.val();
            self.master_generator[i].port.reset.next = self.reset.val();
            self.master_generator[i].port.overrun.next = false;
            self.master_generator[i].port.valid.next = self.master_observer[i].seen.valid.val();
            self.master_generator[i].port.first.next = self.master_observer[i].seen.first.val();
            self.master_generator[i].port.now.next = self.master_observer[i].seen.now.val();
            self.master_generator[i].port.pc.next = self.master_observer[i].seen.pc.val();
            self.master_generator[i].port.target.next = self.master_observer[i].seen.target.val();
            self.master_generator[i].port.call.next = self.master_observer[i].seen.call.val();
            self.master_generator[i].port.back.next = self.master_observer[i].seen.back.val();
            self.master_generator[i].port.xret.next = self.master_observer[i].seen.xret.val();
            self.master_generator[i].port.through_sp.next = self.master_observer[i].seen.through_sp.val();
            self.master_generator[i].port.trap.next = self.master_observer[i].seen.trap.val();
            self.master_generator[i].port.cause.next = self.master_observer[i].seen.cause.val();
            self.master_generator[i].port.came.next = self.master_observer[i].seen.came.val();
            self.master_generator[i].port.load.next = self.master_observer[i].seen.load.val();
            self.master_generator[i].port.store.next = self.master_observer[i].seen.store.val();
            self.master_generator[i].port.addr.next = self.master_observer[i].seen.addr.val();
            self.master_generator[i].port.size.next = self.master_observer[i].seen.size.val();
            self.master_generator[i].port.loaded.next = self.master_observer[i].seen.loaded.val();
            self.master_generator[i].port.stored.next = self.master_observer[i].seen.stored.val();
            self.master_generator[i].port.sets.next = self.master_observer[i].seen.sets.val();
            self.master_generator[i].port.rd.next = self.master_observer[i].seen.rd.val();
            self.master_generator[i].port.value.next = self.master_observer[i].seen.value.val();
            PacketOut::join(&mut self.master_router[i].got, &mut self.master_generator[i].port.got);
            PacketOut::join(&mut self.master_generator[i].port.put, &mut self.master_router[i].put);
            self.master_generator[i].port.sent.next = self.master_router[i].fate.delivered.val()
                | self.master_router[i].fate.absent.val()
                | self.master_router[i].fate.malformed.val();
            self.master_router[i].withdraw.next = self.master_generator[i].port.withdraw.val();
            self.master_router[i].from.valid.next = self.hop_valid.val();
            self.master_router[i].from.word.next = self.hop_word.val();
            self.hop_valid.next = self.master_router[i].to.valid.val();
            self.hop_word.next = self.master_router[i].to.word.val();
        }
        for w in 0..self._windows {
            self.hide[w].next = self.generator[w].port.hides.val();
        }
        for w in 0..self._stalls {
            self.stall[w].next = self.generator[w].port.holds.val();
        }
        for w in 0..self._master_stalls {
            self.master_stall[w].next = self.master_generator[w].port.holds.val();
        }
        for i in 0..self._nodes {
            self.node_router[i].clock.next = self.clock.val();
            self.node_router[i].reset.next = self.reset.val();
            self.node_router[i].withdraw.next = false;
            self.node[i].clock.next = self.clock.val();
            self.node[i].port.reset.next = self.reset.val();
            PacketOut::join(&mut self.node_router[i].got, &mut self.node[i].port.got);
            PacketOut::join(&mut self.node[i].port.put, &mut self.node_router[i].put);
            self.node_router[i].from.valid.next = self.hop_valid.val();
            self.node_router[i].from.word.next = self.hop_word.val();
            self.hop_valid.next = self.node_router[i].to.valid.val();
            self.hop_word.next = self.node_router[i].to.word.val();
        }
        self.router.from.valid.next = self.hop_valid.val();
        self.router.from.word.next = self.hop_word.val();
        if self.reset.val() {
            self.clocks.d.next = 0.into();
        }
    }
}
