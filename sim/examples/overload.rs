//! Share of an execution that is traced on an overloaded link, by when a core resumes after a gap
//!
//! A cycle-based model of the trace module: golden core traces, event FIFOs of [`ENTRIES`] entries, the order between
//! them, and a link of fixed bit rate. For each load (demand as a percentage of the link's capacity) and each resume
//! rule: the share of all instructions that the stream reports, and the instructions lost per gap.
//!
//! `cargo run --release -p sim --example overload [THOUSANDS_OF_INSTRUCTIONS]`

use programs::PROGRAMS;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::bits::BitWriter;
use sim::message::Message;
use sim::params::{Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::cores::Cores;
use sim::scheme::{Encode, Scheme, SchemeVisitor};
use sim::system::System;
use std::collections::VecDeque;
use std::error::Error;

const SCHEMES: [&str; 4] = ["tr_e:small", "tr_e:large", "sc-lsp:rbase-32x4", "nx_b"];
/// Demand as a percentage of the link's capacity.
const LOADS: [u64; 7] = [101, 110, 125, 150, 200, 300, 500];
/// Usable entries of an event FIFO of depth 16.
const ENTRIES: usize = 12;

/// Rule by which a core resumes after a gap.
#[derive(Clone, Copy)]
struct ResumeRule {
    name: &'static str,
    /// Resumes when at most this number of entries wait.
    entries: usize,
}

const fn way(name: &'static str, entries: usize) -> ResumeRule {
    ResumeRule { name, entries }
}

const RESUME_RULES: [ResumeRule; 5] = [
    way("tables kept: from empty", 0),
    // an eighth of the depth, as in the circuit
    way("tables kept: from 1", 1),
    way("tables kept: from 3", 3),
    way("tables kept: from 6", 6),
    way("tables kept: from 9", 9),
];

/// Programs with a similar demand in each quarter of a run: for others a fixed rate does not force an overload.
const SOME: [&str; 6] = ["bank", "fsm", "irq", "parse", "lz", "strsearch"];

/// Results of a run.
#[derive(Clone, Copy, Default)]
struct Sum {
    reported: u64,
    all: u64,
    gaps: u64,
}

/// State of a core outside its core trace.
#[derive(Clone, Copy, Default)]
struct Core {
    held: usize,
    pc: u64,
    /// The core is in a gap.
    gap: bool,
}

fn run<S: Scheme>(scheme: &S, params: &TraceParams, events: &[FlowEvent], rate: f64, way: ResumeRule) -> Sum {
    let Cores { mut core_traces, mut end, .. } = Cores::new(scheme, &params.platform);
    let mut cores = vec![Core::default(); usize::from(params.cores)];
    // entries in order: their core, and the bits left to send
    let (mut queue, mut budget, mut clock) = (VecDeque::<(usize, f64)>::new(), 0.0, 0);
    let (mut out, mut sum) = (BitWriter::new(), Sum::default());
    for e in events {
        let of = usize::from(e.hart);
        budget += rate * (e.cycle - clock) as f64;
        clock = e.cycle;
        while let Some((core, bits)) = queue.front_mut() {
            if budget < *bits {
                *bits -= budget;
                budget = 0.0;
                break;
            }
            budget -= *bits;
            cores[*core].held -= 1;
            queue.pop_front();
        }
        // unused bits do not accumulate beyond one word
        budget = budget.min(32.0);
        let (core, core_trace) = (&mut cores[of], &mut core_traces[of]);
        sum.all += u64::from(e.count);
        let mut bits = 0;
        let mut send = |m: &Message<_>| {
            let before = out.len();
            end.coder.encode(m, &mut out);
            bits += out.len() - before;
        };
        if core.gap && core.held <= way.entries {
            core.gap = false;
            core_trace.overflow(clock, &mut send);
            let start = FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc: core.pc, target: core.pc, ..*e };
            core_trace.offer(&[start], false, &mut send);
        }
        let lost = core_trace.offer(&[*e], core.held >= ENTRIES, &mut send);
        if lost && !core.gap {
            core.gap = true;
            sum.gaps += 1;
        }
        core.pc = e.target;
        if bits > 0 {
            core.held += 1;
            queue.push_back((of, bits as f64));
            out.drain();
        }
    }
    sum.reported = core_traces.iter().map(|core_trace| core_trace.rates().instructions).sum();
    sum
}

/// [`run`] for any scheme.
struct Overloaded<'a> {
    params: &'a TraceParams,
    events: &'a [FlowEvent],
    rate: f64,
    way: ResumeRule,
}

impl SchemeVisitor for Overloaded<'_> {
    type Output = Sum;

    fn of<S: Scheme>(self, scheme: &S) -> Sum {
        run(scheme, self.params, self.events, self.rate, self.way)
    }
}

fn overloaded(params: &TraceParams, events: &[FlowEvent], rate: f64, way: ResumeRule) -> Sum {
    params.flow.visit(Overloaded { params, events, rate, way })
}

fn main() -> Result<(), Box<dyn Error>> {
    let thousands: u64 = std::env::args().nth(1).map_or(Ok(1_000), |n| n.parse())?;
    for harts in [1, 4] {
        let mut runs = Vec::new();
        for program in PROGRAMS.iter().filter(|p| SOME.contains(&p.name)) {
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let limits = Limits { instructions: thousands * 1_000, ..Limits::default() };
            let mut events: Vec<FlowEvent> = Vec::new();
            Machine::new(&program.load()?, config)?.run(&mut events, limits)?;
            runs.push(events);
        }
        for name in SCHEMES {
            let params = TraceParams::new(Platform { cores: harts, ..Platform::RV32 }, name.parse()?);
            println!("\n{name}, N = {harts}\n");
            println!("| behind a gap |{}", LOADS.map(|load| format!(" {load} % |")).concat());
            println!("| --- |{}", LOADS.map(|_| " ---: |").concat());
            let mut rates = Vec::new();
            for events in &runs {
                let mut system = System::new(&params)?;
                for e in events {
                    system.event(e);
                    system.drain();
                }
                let clocks = events.last().map_or(1, |e| e.cycle.max(1));
                rates.push(system.bits() as f64 / clocks as f64);
            }
            for way in RESUME_RULES {
                let cells = LOADS.map(|load| {
                    let mut sum = Sum::default();
                    for (events, asked) in runs.iter().zip(&rates) {
                        let s = overloaded(&params, events, asked * 100.0 / load as f64, way);
                        sum =
                            Sum { reported: sum.reported + s.reported, all: sum.all + s.all, gaps: sum.gaps + s.gaps };
                    }
                    let lost = (sum.all - sum.reported) / sum.gaps.max(1);
                    format!(" {:.1} %, {lost} |", 100.0 * sum.reported as f64 / sum.all as f64)
                });
                println!("| {} |{}", way.name, cells.concat());
            }
        }
    }
    Ok(())
}
