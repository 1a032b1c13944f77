//! Systems with a trace funnel under Verilator: a tool's writes, and cores that retire what a bench gives them

use fpga::cosim::{Cosim, Dir, Interface, Port};
use hdl::bus::wrap::Buses;
use hdl::emit::{emit_on, SystemOptions};
use hdl::options::facts;
use hdl::scheme::Circuit;
use hdl::verilog::Style;
use retire::elf::Program;
use retire::image::Image;
use retire::FlowEvent;
use sim::baseline::etrace::EtraceParams;
use sim::standard::ntrace::{Encoder, NtraceParams};
use sim::stimulus::run::Retired;
use sim::stimulus::Source;
use sim::tci::{Facts, Sink, ADDR_BITS, FUNNEL_PAGE};

/// The cycle in which the funnel becomes active: its counter begins in the next one.
pub const ACTIVE: usize = 12;
/// The first cycle in which cores retire.
pub const FIRST: usize = 120;
/// Cycles from the last instruction to the write that disables the first encoder, and to that which disables the funnel.
const LAST: usize = 60;
const EMPTY: usize = 5_000;
/// From this cycle after the last instruction on, the sink takes every word.
const TAKES: usize = 4_000;

/// A scheme of one of the standards.
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    /// E-Trace.
    E(EtraceParams),
    /// N-Trace.
    N(NtraceParams),
}

impl Scheme {
    /// That of an encoder before a funnel with this number of inputs.
    ///
    /// # Panics
    /// If the name is none of a scheme of the standards.
    pub fn new(name: &str, funnel: u8, xlen: u8, timestamps: bool) -> Self {
        match name.parse() {
            Ok(options) => Self::E(EtraceParams { funnel, timestamps, ..EtraceParams::new(1, xlen, options) }),
            Err(_) => {
                let params = NtraceParams::new(1, xlen, name.parse().expect("a scheme of a standard"));
                Self::N(NtraceParams { funnel, timestamps, ..params })
            }
        }
    }

    /// Its circuit.
    pub fn circuit(&self) -> &dyn Circuit {
        match self {
            Self::E(params) => params,
            Self::N(params) => params,
        }
    }

    /// The bytes of core `source`, without idle bytes.
    ///
    /// # Panics
    /// If the model refuses the events.
    pub fn golden(&self, source: u8, program: &Program, events: &[FlowEvent]) -> Vec<u8> {
        let own: Vec<FlowEvent> =
            events.iter().filter(|e| e.hart == source).map(|e| FlowEvent { hart: 0, ..*e }).collect();
        match self {
            Self::E(params) => {
                EtraceParams { source, ..*params }.bytes(program, &own).expect("the model takes the events")
            }
            Self::N(params) => {
                let image = Image::new(program);
                let mut encoder = Encoder::new(NtraceParams { source, ..*params }.options(0), params.xlen, &image);
                own.iter().for_each(|e| encoder.push(e));
                encoder.bytes().to_vec()
            }
        }
    }

    /// The messages in `bytes`, each with the number of its core; idle bytes are left out.
    ///
    /// # Panics
    /// If the last message of N-Trace has no end.
    pub fn messages<'a>(&self, bytes: &'a [u8]) -> Vec<(u8, &'a [u8])> {
        let (mut messages, mut rest) = (Vec::new(), bytes);
        while let [first, ..] = rest {
            let (length, source) = match self {
                Self::E(_) if first & 31 == 0 => (0, 0),
                Self::E(_) => (usize::from(first & 31) + 2, rest[1]),
                Self::N(_) if *first == 0xff => (0, 0),
                Self::N(params) => {
                    let length = rest.iter().position(|b| b & 3 == 3).expect("the end of a message") + 1;
                    // after the six bits of TCODE
                    (length, rest[1] >> 2 & ((1 << params.source_bits()) - 1))
                }
            };
            messages.extend((length > 0).then(|| (source, &rest[..length])));
            rest = &rest[length.max(1)..];
        }
        messages
    }

    /// The byte between messages.
    pub fn idle(&self) -> u8 {
        match self {
            Self::E(_) => 0,
            Self::N(_) => 0xff,
        }
    }
}

/// When cores retire their instructions.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// One instruction after the other, in the order of the list, with this number of cycles between them.
    InTurn {
        /// Cycles between two instructions.
        slow: usize,
    },
    /// Every core in every cycle in which it is not stalled.
    Free,
    /// In the cycle of each instruction, which counts from [`FIRST`].
    Timed,
}

/// A system, compiled.
pub struct FunnelSystem {
    cosim: Cosim,
    cores: u8,
    stalls: Vec<usize>,
}

/// A run of a system.
pub struct Played {
    /// The words.
    pub words: Vec<u32>,
    /// Cycle in which each instruction retired.
    pub cycles: Vec<usize>,
    /// Cycle of the write that disables each encoder.
    pub disabled: Vec<usize>,
}

/// The Verilog of a system with native ports, whose top module is `top`.
///
/// # Panics
/// If there is no such system.
pub fn emitted(circuit: &dyn Circuit, funnel: u8, options: &SystemOptions, sink: Sink) -> String {
    let facts = Facts { funnel, sink, ..facts(circuit, options) };
    let buses = Buses { tci: Some(facts), ..Buses::default() };
    emit_on(circuit, options, &Style { name: "top".into(), ..Style::default() }, buses).expect("a system")
}

/// The ports of the module `top`.
fn interface(text: &str) -> Interface {
    let body = text.split_once("module top (\n").and_then(|(_, rest)| rest.split_once(");")).map_or("", |b| b.0);
    let port = |line: &str| {
        let words: Vec<&str> = line.trim().trim_end_matches(',').split_whitespace().collect();
        let dir = if words[0] == "output" { Dir::Output } else { Dir::Input };
        let msb = words[2].strip_prefix('[').and_then(|w| w.split_once(':')?.0.parse::<u16>().ok());
        Port { name: words[words.len() - 1].into(), width: msb.map_or(1, |msb| msb + 1), dir }
    };
    let ports = body.lines().map(port).filter(|p| p.name != "clock").collect();
    Interface { clock: Some("clock".into()), ports }
}

impl FunnelSystem {
    /// Builds the system of `funnel` encoders, each of which is `circuit`.
    ///
    /// # Panics
    /// If there is no such system, or Verilator fails.
    pub fn new(circuit: &dyn Circuit, funnel: u8, options: &SystemOptions) -> Self {
        let text = emitted(circuit, funnel, options, Sink::None);
        let cosim = Cosim::build(&text, &interface(&text)).expect("Verilator").with_random_state(3);
        let stalls = (0..funnel).filter_map(|c| cosim.output(&format!("stall_{c}")).ok()).collect();
        Self { cosim, cores: funnel, stalls }
    }

    /// Plays instructions, with the sequences of the specification before and after them. The sink takes words in `ready` of 256 cycles; stalls
    /// are enabled with [`Pace::Free`].
    ///
    /// # Panics
    /// If the program of Verilator fails.
    pub fn play(&self, retired: &[Retired], pace: Pace, ready: u64) -> Played {
        let page = |n: u8| u64::from(n) << ADDR_BITS;
        let stall = if matches!(pace, Pace::Free) && !self.stalls.is_empty() { 1 << 13 } else { 0 };
        let mut writes: Vec<(usize, u64, u32)> = vec![(ACTIVE, page(FUNNEL_PAGE), 1)];
        writes.extend((0..self.cores).map(|c| (ACTIVE + 2 + usize::from(c), page(c), 1)));
        writes.push((ACTIVE + 20, page(FUNNEL_PAGE), 3));
        writes.extend((0..self.cores).map(|c| (ACTIVE + 22 + usize::from(c), page(c), 7 | stall)));
        let mut s = Source::seeded(77);
        let mut session = self.cosim.session().expect("it starts");
        let [valid, data] = ["valid", "data"].map(|name| self.cosim.output(name).expect("an output"));
        let mut schedule = Schedule::new(retired, pace, self.cores);
        let mut played = Played { words: Vec::new(), cycles: vec![0; retired.len()], disabled: Vec::new() };
        let mut stalled = vec![false; self.cores.into()];
        let (mut cycle, mut quiet) = (0_usize, 0_usize);
        while quiet < EMPTY + 1_000 {
            let now = if cycle < FIRST { Vec::new() } else { schedule.next(cycle, &stalled) };
            if now.is_empty() && schedule.is_done() {
                quiet += 1;
                if let Some(core) = quiet.checked_sub(LAST).filter(|n| *n < self.cores.into()) {
                    writes.push((cycle, page(core as u8), 5 | stall));
                    played.disabled.push(cycle);
                }
                // by then all that the encoders have is in the funnel
                if quiet == EMPTY {
                    writes.push((cycle, page(FUNNEL_PAGE), 1));
                }
            }
            let write = writes.iter().find(|w| w.0 == cycle);
            let takes = quiet >= TAKES || s.bits(8) < ready;
            let mut values: Vec<(String, u128)> = vec![
                ("reset".into(), (cycle < 6).into()),
                ("ready".into(), takes.into()),
                ("bus_write".into(), write.is_some().into()),
                ("bus_addr".into(), write.map_or(0, |w| w.1).into()),
                ("bus_wdata".into(), write.map_or(0, |w| w.2).into()),
            ];
            for i in now {
                let r = &retired[i];
                played.cycles[i] = cycle;
                for (name, value) in [
                    ("valid", 1),
                    ("intr", r.trapped.into()),
                    ("insn", r.insn.into()),
                    ("pc_rdata", r.pc.into()),
                    ("pc_wdata", r.next_pc.into()),
                ] {
                    values.push((format!("rvfi_{name}_{}", r.hart), value));
                }
            }
            let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
            let out = session.step(&self.cosim.vector(&values).expect("its ports")).expect("it runs");
            if cycle >= 6 {
                played.words.extend((out[valid] == 1 && takes).then_some(out[data] as u32));
                stalled.iter_mut().zip(&self.stalls).for_each(|(s, at)| *s = out[*at] == 1);
            }
            cycle += 1;
        }
        played
    }
}

/// What is still to retire.
struct Schedule<'a> {
    retired: &'a [Retired],
    pace: Pace,
    next: usize,
    pause: usize,
    /// Of each core, the last one first.
    queues: Vec<Vec<usize>>,
}

impl<'a> Schedule<'a> {
    fn new(retired: &'a [Retired], pace: Pace, cores: u8) -> Self {
        let mut queues = vec![Vec::new(); cores.into()];
        (0..retired.len()).rev().for_each(|i| queues[usize::from(retired[i].hart)].push(i));
        Self { retired, pace, next: 0, pause: 0, queues }
    }

    fn is_done(&self) -> bool {
        match self.pace {
            Pace::InTurn { .. } => self.next == self.retired.len(),
            Pace::Free | Pace::Timed => self.queues.iter().all(Vec::is_empty),
        }
    }

    /// The instructions of a cycle, at most one of each core.
    fn next(&mut self, cycle: usize, stalled: &[bool]) -> Vec<usize> {
        match self.pace {
            Pace::InTurn { slow } => {
                if self.pause > 0 || self.is_done() {
                    self.pause = self.pause.saturating_sub(1);
                    return Vec::new();
                }
                self.pause = slow;
                self.next += 1;
                vec![self.next - 1]
            }
            Pace::Free => {
                let free = self.queues.iter_mut().zip(stalled).filter(|(_, stalled)| !**stalled);
                free.filter_map(|(queue, _)| queue.pop()).collect()
            }
            Pace::Timed => {
                let due = |queue: &mut Vec<usize>| {
                    let first = *queue.last()?;
                    let due = self.retired[first].cycle as usize + FIRST <= cycle;
                    due.then(|| queue.pop()).flatten()
                };
                self.queues.iter_mut().filter_map(due).collect()
            }
        }
    }
}
