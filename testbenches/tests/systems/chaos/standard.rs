//! The systems of E-Trace and N-Trace under the same conditions
//!
//! Their streams have no headers: the decoder of `goshawk import` reads all traces between two resets in one go. Each stretch that it finds
//! must have retired, in this order and not while tracing was disabled.

use super::core::{Ports, SECRET};
use super::play::{play, Played};
use fpga::cosim::Cosim;
use hdl::any_top::AnyTop;
use hdl::emit::{Ingress, SystemOptions};
use hdl::scheme::{etrace, ntrace};
use hdl::spine::Extras;
use hdl::verilog::{write, Style};
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};
use rust_hdl::prelude::*;
use sim::baseline::etrace::EtraceParams;
use sim::params::{Platform, TraceParams};
use sim::regs::register;
use sim::standard::etrace::{Container, Scan as EtraceScan, Trace as EtraceTrace};
use sim::standard::ntrace::{NtraceParams, Scan as NtraceScan, Trace as NtraceTrace};
use sim::standard::{Faults, Stream};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::Retired;
use sim::stimulus::{rounds, Source};

/// A standard protocol.
enum Protocol {
    E(EtraceParams),
    N(NtraceParams),
}

fn finished(mut trace: impl Stream, bytes: &[u8]) -> (Vec<FlowEvent>, Faults) {
    let mut found = Vec::new();
    trace.feed(bytes, true, &mut found);
    trace.finish(&mut found);
    (found, trace.faults().clone())
}

/// The events with each context that a trap or a start enters after it.
fn contexts_after(events: &[FlowEvent]) -> Vec<FlowEvent> {
    let (mut out, mut held) = (Vec::new(), Vec::<FlowEvent>::new());
    for e in events {
        if let FlowKind::Context { alone: false, .. } = e.kind {
            held.push(*e);
            continue;
        }
        out.push(*e);
        if let Some(at) = held.iter().position(|context| context.hart == e.hart) {
            out.push(held.remove(at));
        }
    }
    out.extend(held);
    out
}

impl Protocol {
    fn new(name: &str, cores: u8) -> Self {
        match name.parse() {
            Ok(options) => Self::E(EtraceParams::new(cores, 32, options)),
            Err(_) => Self::N(NtraceParams::new(cores, 32, name.parse().unwrap())),
        }
    }

    fn build(&self, options: &SystemOptions) -> AnyTop {
        match self {
            Self::E(params) => etrace::circuit::build(params, options),
            Self::N(params) => ntrace::circuit::build(params, options),
        }
        .unwrap()
    }

    /// What the decoder finds, and what it refuses.
    fn decode(&self, image: &Image, bytes: &[u8]) -> (Vec<FlowEvent>, Faults) {
        match self {
            Self::E(params) => {
                let p = params.decoder();
                let mut scan = EtraceScan::new(Container::Smi, &p);
                scan.feed(bytes, true).unwrap();
                // all cores, in this order, also those that sent nothing
                (0..params.cores).for_each(|core| assert!(scan.sources.add(core.into())));
                let (found, faults) = finished(EtraceTrace::new(Container::Smi, &p, &scan.sources, image), bytes);
                (contexts_after(&found), faults)
            }
            Self::N(params) => {
                let p = params.decoder();
                let mut scan = NtraceScan::new(&p);
                scan.feed(bytes, true).unwrap();
                (0..params.cores).for_each(|core| assert!(scan.sources.add(core.into())));
                finished(NtraceTrace::new(&p, params.xlen, &scan.sources, image), bytes)
            }
        }
    }
}

/// How an instruction was shown: hidden, and its context in the bits that are reported.
type Attributes = (bool, Context);

/// Draws whether instructions are hidden, and their contexts, and enters them in the vectors. Returns those of the instructions that each core
/// retired.
fn attributes(
    cosim: &Cosim,
    p: &mut Played,
    seed: u64,
    extras: Extras,
    (context, modes): (Option<u8>, &[u8]),
) -> Vec<Vec<Attributes>> {
    let input = |name: &str| cosim.inputs().iter().position(|p| p.name == name);
    let [address, write, data] = ["bus_addr", "bus_write", "bus_wdata"].map(|name| input(name).unwrap());
    let mut s = Source::seeded(seed ^ 0x5a5a);
    for v in &mut p.vectors {
        if v[write] == 1 && v[address] == u128::from(register("control").addr) && v[data] == 1 {
            v[data] |= 0xf << 8;
        }
    }
    let mut all = Vec::new();
    for c in 0..p.retired.len() {
        let [valid, pc, hide, allow, mode, space] =
            ["rvfi_valid", "rvfi_pc_rdata", "hide", "allow_modes", "mode", "space"].map(|n| input(&format!("{n}_{c}")));
        let (mut hidden, mut now, mut own) = (0, Context::RESET, Vec::new());
        for v in &mut p.vectors {
            if hidden == 0 && extras.filter && s.per_64k(800) {
                hidden = *s.pick(&[1, 2, 3, 10, 60]);
            }
            if context.is_some() && s.per_64k(600) {
                now = Context::new(*s.pick(modes), s.bits(3) as u32);
            }
            let mut set = |at: Option<usize>, value: u128| at.into_iter().for_each(|at| v[at] = value);
            set(hide, (hidden > 0).into());
            set(allow, 0xf);
            set(mode, now.privilege().into());
            set(space, now.id().into());
            if v[valid.unwrap()] == 1 {
                if v[pc.unwrap()] >> SECRET.1 != u128::from(SECRET.0 >> SECRET.1) {
                    let id = context.map_or(0, |bits| now.id() & ((1 << bits) - 1));
                    own.push((hidden > 0, Context::new(now.privilege(), id)));
                }
                hidden = u64::saturating_sub(hidden, 1);
            }
        }
        assert_eq!(own.len(), p.retired[c].len());
        all.push(own);
    }
    all
}

/// Whether the instructions of a stretch that ends at index `end` are not hidden, and in the contexts that it reports, `context` before it.
fn is_shown(stretch: &[FlowEvent], all: &[Attributes], end: usize, context: Option<Context>) -> bool {
    let count: usize = stretch.iter().map(|e| e.count as usize).sum();
    let Some(mut at) = end.checked_sub(count) else { return false };
    let mut now = context;
    stretch.iter().all(|e| {
        let next = at + e.count as usize;
        let fits = all[at..next].iter().all(|(hidden, context)| !hidden && now.is_none_or(|now| now == *context));
        at = next;
        if let (FlowKind::Context { context, .. }, Some(now)) = (e.kind, &mut now) {
            *now = context;
        }
        fits
    })
}

/// Finds a stretch in what a core `retired`, from index `from` on, that `fits` with the index after it; returns this index.
fn place(stretch: &[FlowEvent], retired: &[Retired], from: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let ends = |e: &FlowEvent, i: usize| match e.kind {
        // before an instruction, or after all
        FlowKind::Context { .. } => retired.get(i).is_none_or(|r| r.pc == e.pc),
        FlowKind::Trap { .. } => retired.get(i).is_some_and(|r| r.pc == e.target && r.trapped),
        _ => i > 0 && retired.get(i - 1).is_some_and(|r| r.pc == e.pc && r.next_pc == e.target),
    };
    let (first, rest) = stretch.split_first()?;
    (from..=retired.len()).filter(|i| ends(first, *i)).find_map(|mut i| {
        let all = rest.iter().all(|e| {
            i += e.count as usize;
            ends(e, i)
        });
        (all && i <= retired.len() && fits(i)).then_some(i)
    })
}

/// Checks the traces between two resets; returns the stretches and losses, and instructions.
fn check(
    found: &[FlowEvent],
    (p, attributes, contexts): (&Played, &[Vec<Attributes>], bool),
    from: &mut [usize],
    place_of: &str,
) -> (usize, u64) {
    let (mut stretches, mut instructions) = (0, 0);
    for (hart, from) in from.iter_mut().enumerate() {
        let of: Vec<FlowEvent> = found.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
        let between = |e: &FlowEvent| matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Start | FlowKind::Stop);
        let mut context = contexts.then_some(Context::RESET);
        for stretch in of.split(between).filter(|s| !s.is_empty()) {
            let fits = |end| attributes.is_empty() || is_shown(stretch, &attributes[hart], end, context);
            *from = place(stretch, &p.retired[hart], *from, fits)
                .unwrap_or_else(|| panic!("{place_of}, core {hart}: did not retire after {from}: {stretch:x?}"));
            let last = stretch.iter().rev().find_map(|e| match e.kind {
                FlowKind::Context { context, .. } => Some(context),
                _ => None,
            });
            context = context.map(|before| last.unwrap_or(before));
            stretches += 1;
            instructions += stretch.iter().map(|e| u64::from(e.count)).sum::<u64>();
        }
    }
    (stretches, instructions)
}

fn survives(name: &str, cores: u8, fifo_address_bits: u8, ports: Ports, clocks: usize) {
    survives_with((name, cores), fifo_address_bits, ports, clocks, (false, None));
}

/// With a filter, and contexts of this many bits in addition to the privilege mode.
fn survives_with(
    (name, cores): (&str, u8),
    fifo_address_bits: u8,
    ports: Ports,
    clocks: usize,
    (filter, context): (bool, Option<u8>),
) {
    let mut protocol = Protocol::new(name, cores);
    // a decoder of E-Trace looks for a jump where the mode changes; random instructions have other ones, too
    let modes: &[u8] = match &mut protocol {
        Protocol::E(params) => {
            params.context = context;
            &[3]
        }
        Protocol::N(params) => {
            params.context = context;
            &[0, 1, 3]
        }
    };
    let ingress = if let Ports::One = ports { Ingress::Rvfi } else { Ingress::Etrace };
    let extras = Extras { session: true, stall: fifo_address_bits >= 4, lost: true, filter, ..Extras::default() };
    let mut top = protocol.build(&SystemOptions { ingress, fifo_address_bits, extras });
    top.connect_all();
    let cosim = Cosim::of_written(&write(&top, &Style::default()).unwrap()).unwrap();
    let [valid, data, read] = ["valid", "data", "bus_rdata"].map(|name| cosim.output(name).unwrap());
    let ready = cosim.inputs().iter().position(|p| p.name == "ready").unwrap();
    let idle = register("status").field("idle").lsb;
    let model = Model::new(&Shape::rv32(u64::from(cores)));
    let image = Image::new(&model.program);
    let platform = TraceParams::new(Platform { cores, ..Platform::RV32 }, "taken".parse().unwrap());
    let (mut stretches, mut instructions, mut resets) = (0, 0, 0);
    for seed in 1..=rounds(2, 20) {
        let place_of = format!("{name}, {cores} cores, {ports:?}, seed {seed}");
        let mut p = play(&cosim, &platform, (ports, extras), &model, seed, clocks);
        let shown = match filter || context.is_some() {
            true => attributes(&cosim, &mut p, seed, extras, (context, modes)),
            false => Vec::new(),
        };
        let (mut bytes, mut segments, mut status) = (Vec::new(), Vec::new(), 0);
        cosim
            .clone()
            .with_random_state(seed as u32)
            .run(p.vectors.iter().cloned(), |clock, out| {
                if out[valid] == 1 && p.vectors[clock as usize][ready] == 1 {
                    bytes.extend((out[data] as u32).to_le_bytes());
                }
                if p.resets.binary_search(&clock).is_ok() {
                    segments.push(std::mem::take(&mut bytes));
                }
                status = out[read] as u32;
            })
            .unwrap();
        assert_eq!(status >> idle & 1, 1, "{place_of}: it never becomes idle, status {status:#x}");
        segments.push(bytes);
        let mut from = vec![0; cores.into()];
        let last = segments.len() - 1;
        for (i, bytes) in segments.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
            let (found, faults) = protocol.decode(&image, bytes);
            // a reset may cut the last packet
            let cut = i < last && faults.count == 1 && faults.first[0].0 as usize + 40 > bytes.len();
            assert!(faults.count == 0 || cut, "{place_of}, segment {i} of {} bytes: {:?}", bytes.len(), faults.first);
            let (more, retired) =
                check(&found, (&p, &shown, context.is_some()), &mut from, &format!("{place_of}, segment {i}"));
            (stretches, instructions) = (stretches + more, instructions + retired);
        }
        resets += last;
    }
    eprintln!("{name}, {cores} cores: {stretches} stretches, {instructions} instructions, {resets} clocks of reset");
    assert!(stretches > 10 && instructions > 1_000 && resets > 10, "{name}: {stretches}, {instructions}, {resets}");
}

#[test]
fn e_trace_survives_chaos() {
    survives("etrace", 1, 3, Ports::One, 30_000);
    survives("etrace", 3, 4, Ports::One, 20_000);
    survives("etrace+sync64", 1, 3, Ports::One, 20_000);
    survives("etrace+sync64", 3, 4, Ports::One, 20_000);
}

#[test]
fn e_trace_with_implicit_return_survives_chaos() {
    survives("etrace+ir8", 1, 4, Ports::One, 20_000);
    survives("etrace+ir2", 2, 4, Ports::One, 20_000);
    // a recursive function that unwinds through more calls than the stack has
    survives("etrace+ir8+sync64", 3, 4, Ports::One, 20_000);
}

#[test]
fn e_trace_with_predictors_and_targets_survives_chaos() {
    survives("etrace+bp16+jtc4", 1, 4, Ports::One, 20_000);
    survives("etrace+ir8+bp8+jtc8+sync64", 3, 4, Ports::One, 20_000);
    survives("etrace+full+bp512+jtc2", 1, 3, Ports::Reports, 20_000);
}

#[test]
fn e_trace_with_filters_and_contexts_survives_chaos() {
    survives_with(("etrace", 1), 3, Ports::One, 20_000, (true, None));
    survives_with(("etrace+bp16+jtc4+sync64", 2), 4, Ports::One, 20_000, (true, None));
    survives_with(("etrace+full", 1), 4, Ports::One, 20_000, (false, Some(2)));
    survives_with(("etrace+ir8+jtc8", 1), 4, Ports::One, 20_000, (false, Some(1)));
    survives_with(("etrace+ir8+bp8+sync64", 3), 4, Ports::One, 20_000, (true, Some(4)));
}

#[test]
fn n_trace_survives_chaos() {
    survives("ntrace", 3, 4, Ports::One, 20_000);
    survives("ntrace+ir8", 1, 3, Ports::Reports, 20_000);
    survives("ntrace+ir8+sync64", 3, 4, Ports::One, 20_000);
}

#[test]
fn n_trace_with_optional_modes_survives_chaos() {
    survives("ntrace+ir8+rh+sync64", 3, 4, Ports::One, 20_000);
    survives("ntrace+btm+ir8+sync16", 2, 3, Ports::One, 20_000);
    survives("ntrace+rh", 1, 3, Ports::Reports, 20_000);
}

#[test]
fn n_trace_with_filters_and_contexts_survives_chaos() {
    survives_with(("ntrace+ir8", 1), 3, Ports::One, 20_000, (true, None));
    survives_with(("ntrace+btm+sync64", 2), 4, Ports::One, 20_000, (true, None));
    survives_with(("ntrace+ir8+rh", 1), 4, Ports::One, 20_000, (false, Some(2)));
    survives_with(("ntrace+ir8+rh+sync64", 3), 4, Ports::One, 20_000, (true, Some(4)));
}
