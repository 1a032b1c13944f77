//! Replay of damaged streams: `cargo run --release -p sim --example damage [FAULTS [KIND]] [--resume]`
//!
//! Each line is a scheme with or without resyncs (every 2^12 instructions) and signatures. Streams of programs on one
//! and two cores get faults of every kind and are replayed up to the first mark (an error). The instructions reported
//! before the mark can be right, or wrong from some point on. A fault is silent if there is no mark although
//! instructions differ. Streams of the standard protocols, of one core, follow: they have no signatures. FAULTS is the number per kind and stream, 50 by default; the seed is fixed.
//!
//! With `--resume` replay continues at the next header after each mark, as `goshawk replay --resume` does, and each line is a scheme
//! with resyncs, with or without time stamps and signatures. What a fault costs a core are the instructions of the run between the
//! last reported one before which all are right and the first one after which all are right. There is nothing after a cut: it is left out.
//! Faults that change bytes on both sides of the beginning of a header damage two periods, and are counted apart. The last column is the
//! largest number of instructions of a core in a period.

mod standard;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;

const PROGRAMS: [(&str, u8); 4] = [("irq", 1), ("qsort", 1), ("vm", 1), ("bank", 2)];
const SCHEMES: [&str; 8] = [
    "tr_e:small",
    "tr_e:large",
    "golomb:small",
    "nx_b",
    "taken",
    "sc-lsp:rbase-32x4",
    "follow:m",
    "follow:m+arithmetic",
];
const KINDS: [&str; 9] = [
    "bit",
    "burst",
    "byte dropped",
    "byte doubled",
    "bytes swapped",
    "word dropped",
    "word doubled",
    "words swapped",
    "cut",
];
const INSTRUCTIONS: u64 = 50_000;
/// Bytes of the header, which detects its own damage.
const HEADER: usize = 12;

struct Stream {
    image: Image,
    events: Vec<FlowEvent>,
    harts: u8,
}

fn stream(name: &str, harts: u8) -> Stream {
    let program = programs::find(name).and_then(|p| p.load().ok()).expect("a program of this repository");
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
    let run = Machine::new(&program, config).and_then(|mut machine| machine.run(&mut events, limits));
    run.expect("it runs");
    Stream { image: Image::new(&program), events, harts }
}

fn encode(p: &TraceParams, events: &[FlowEvent], sync: bool) -> Vec<u8> {
    let period = sync.then(|| SyncPeriod::new(12).expect("12 is a period"));
    let mut system = System::new(p).expect("parameters that are legal").sync_every(p, period);
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().map_or(0, |e| e.cycle));
    system.drain().flat_map(u32::to_le_bytes).collect()
}

/// Applies one fault after a header. Returns the bytes and the offset of the first one that may differ.
fn damage(bytes: &[u8], header: usize, kind: &str, rng: &mut impl Rng) -> (Vec<u8>, usize) {
    let mut out = bytes.to_vec();
    let at = rng.random_range(header..bytes.len() - 8);
    let word = at / 4 * 4;
    match kind {
        "bit" => out[at] ^= 1 << rng.random_range(0..8),
        "burst" => (0..3).for_each(|i| out[at + i] ^= rng.random::<u8>()),
        "byte dropped" => _ = out.remove(at),
        "byte doubled" => out.insert(at, out[at]),
        "bytes swapped" => out.swap(at, at + 1),
        "word dropped" => _ = out.drain(word..word + 4),
        "word doubled" => _ = out.splice(word..word, bytes[word..word + 4].iter().copied()),
        "words swapped" => out[word..word + 8].rotate_left(4),
        _ => out.truncate(word),
    }
    (out, if kind.starts_with("word") { word } else { at })
}

/// Bytes that a fault of a kind changes at most; what follows a dropped or doubled one is displaced, and the same.
fn reach(kind: &str) -> usize {
    match kind {
        "bytes swapped" => 2,
        "burst" => 3,
        "words swapped" => 8,
        _ => 1,
    }
}

#[derive(Default)]
struct Counts {
    faults: u64,
    same: u64,
    marked: u64,
    marked_late: u64,
    wrong: u64,
    wrong_confirmed: u64,
    silent: u64,
}

impl Counts {
    /// Enters a fault: whether it was marked, instructions reported before that are wrong, and whether all of the run was reported.
    fn add(&mut self, marked: bool, wrong: u64, whole: bool) {
        self.faults += 1;
        match (marked, wrong) {
            (true, 0) => self.marked += 1,
            (true, _) => {
                self.marked_late += 1;
                self.wrong += wrong;
            }
            (false, _) if whole => self.same += 1,
            (false, _) => self.silent += 1,
        }
    }

    /// A row of the table.
    fn print(&self, scheme: &str, sync: bool, signature: &str, bytes: usize) {
        let Self { faults, same, marked, marked_late, wrong, wrong_confirmed, silent } = self;
        let mean = wrong.checked_div(*marked_late).unwrap_or(0);
        let sync = if sync { "2^12" } else { "-" };
        println!("| `{scheme}` | {sync} | {signature} | {bytes} | {faults} | {same} | {marked} | {marked_late} | {mean} | {wrong_confirmed} | {silent} |");
    }
}

/// The events of one core.
fn of(list: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    list.iter().filter(|e| e.hart == hart).copied().collect()
}

/// Number of instructions of events.
fn instructions(list: &[FlowEvent]) -> u64 {
    list.iter().map(|e| u64::from(e.count)).sum()
}

/// Of one core: how many of the reported instructions are those of the run, and how many were reported.
fn right(want: &[FlowEvent], got: &[FlowEvent], hart: u8) -> (u64, u64) {
    let (want, got) = (of(want, hart), of(got, hart));
    let equal = want.iter().zip(&got).take_while(|(w, g)| w.same_flow(g)).count();
    (instructions(&got[..equal]), instructions(&got))
}

fn play(s: &Stream, p: &TraceParams, bytes: &[u8], counts: &mut Counts) {
    let words = bytes.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let mut got: Vec<FlowEvent> = Vec::new();
    let mut sink = Events(&mut got);
    let (marked, confirmed) = match Replay::new(&s.image, p, words) {
        Err(_) => (true, None),
        Ok(mut replay) => {
            let mut step = replay.step(&mut sink);
            while let Ok(true) = step {
                step = replay.step(&mut sink);
            }
            (step.is_err(), replay.summary().confirmed)
        }
    };
    let mut wrong = 0;
    for hart in 0..s.harts {
        let (right, all) = right(&s.events, &got, hart);
        wrong += all - right;
        let confirmed = confirmed.as_ref().map_or(0, |by_core| by_core[usize::from(hart)]);
        // a sync confirms instructions of an event that is not reported yet
        counts.wrong_confirmed += confirmed.min(all).saturating_sub(right);
    }
    counts.add(marked, wrong, got.len() == s.events.len() && wrong == 0);
}

/// What a fault costs with `--resume`.
#[derive(Default)]
struct Costs {
    faults: u64,
    marked: u64,
    /// Largest number of instructions of a core in a period.
    period: u64,
    /// Faults that cost a core something, of those with a mark and without.
    costs: [u64; 2],
    sum: u64,
    /// The most that a fault within a period cost.
    most: u64,
    /// Faults on both sides of the beginning of a header, and the most that one of them cost.
    across: (u64, u64),
}

/// Of one core: instructions of the run between what is right at the beginning and what is right at the end.
fn cost(want: &[FlowEvent], got: &[FlowEvent], hart: u8) -> u64 {
    let (want, got) = (of(want, hart), of(got, hart));
    let front = want.iter().zip(&got).take_while(|(w, g)| w.same_flow(g)).count();
    let (want, got) = (&want[front..], &got[front..]);
    let back = want.iter().rev().zip(got.iter().rev()).take_while(|(w, g)| w.same_flow(g)).count();
    instructions(&want[..want.len() - back])
}

/// Offsets of the headers of a stream.
fn headers(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).step_by(4).filter(|at| bytes[*at..].starts_with(&bytes[..4])).collect()
}

/// The largest number of instructions of a core between two headers: from each, replay gives what retired after it.
fn longest_period(s: &Stream, p: &TraceParams, bytes: &[u8]) -> u64 {
    let after = |header: usize| -> Vec<u64> {
        let words = bytes[header..].chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let mut got: Vec<FlowEvent> = Vec::new();
        let mut replay = Replay::new(&s.image, p, words).expect("a header");
        while replay.step(&mut Events(&mut got)).expect("it is not damaged") {}
        (0..s.harts).map(|hart| instructions(&of(&got, hart))).collect()
    };
    let mut rest: Vec<Vec<u64>> = headers(bytes).into_iter().map(after).collect();
    rest.push(vec![0; s.harts.into()]);
    let longest = |w: &[Vec<u64>]| w[0].iter().zip(&w[1]).map(|(a, b)| a - b).max();
    rest.windows(2).filter_map(longest).max().unwrap_or(0)
}

fn play_on(s: &Stream, p: &TraceParams, (bytes, across): (&[u8], bool), costs: &mut Costs) {
    let words = bytes.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let mut got: Vec<FlowEvent> = Vec::new();
    let mut sink = Events(&mut got);
    let mut replay = Replay::new(&s.image, p, words).expect("the first header is not damaged");
    let mut marked = false;
    loop {
        match replay.step(&mut sink) {
            Ok(true) => continue,
            Ok(false) => break,
            Err(_) => marked = true,
        }
        if !replay.resume() {
            break;
        }
    }
    costs.faults += 1;
    costs.marked += u64::from(marked);
    let most = (0..s.harts).map(|hart| cost(&s.events, &got, hart)).max().unwrap_or(0);
    costs.costs[usize::from(!marked)] += u64::from(most > 0);
    costs.sum += most;
    if across {
        costs.across = (costs.across.0 + 1, costs.across.1.max(most));
    } else {
        costs.most = costs.most.max(most);
    }
}

/// Plays `per_kind` faults of each of `kinds` in the streams of `scheme`, with whether they are on both sides of the beginning of a
/// header; returns their bytes.
fn each_fault(
    streams: &[Stream],
    (scheme, sync, platform): (&str, bool, Platform),
    (kinds, per_kind): (&[&str], usize),
    mut play: impl FnMut(&Stream, &TraceParams, (&[u8], bool)),
) -> usize {
    let mut bytes = 0;
    for (i, s) in streams.iter().enumerate() {
        let p = TraceParams::new(Platform { cores: s.harts, ..platform }, scheme.parse().expect("a scheme"));
        let encoded = encode(&p, &s.events, sync);
        bytes += encoded.len();
        let headers = headers(&encoded);
        for (k, kind) in kinds.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64((100 * i + k) as u64);
            for _ in 0..per_kind {
                let (mut damaged, at) = damage(&encoded, HEADER, kind, &mut rng);
                damaged.resize(damaged.len().div_ceil(4) * 4, 0);
                play(s, &p, (&damaged, headers.iter().any(|h| at < *h && *h < at + reach(kind))));
            }
        }
    }
    bytes
}

fn resumed(streams: &[Stream], faults: (&[&str], usize)) {
    println!("| scheme | time stamps | signature | faults | marked | cost something, marked | cost something, not marked | instructions of a core, mean | most, within a period | across a header | most of these | longest period |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for scheme in SCHEMES {
        for (timestamps, signature) in [(false, 0), (false, 16), (true, 0), (true, 16)] {
            let mut costs = Costs::default();
            let platform = Platform { signature, timestamps, ..Platform::RV32 };
            // the arithmetic coder has no time stamps
            if TraceParams::new(platform, scheme.parse().expect("a scheme")).check().is_err() {
                continue;
            }
            each_fault(streams, (scheme, true, platform), faults, |s, p, fault| {
                play_on(s, p, fault, &mut costs);
            });
            for s in streams {
                let p = TraceParams::new(
                    Platform { cores: s.harts, signature: 0, ..platform },
                    scheme.parse().expect("a scheme"),
                );
                costs.period = costs.period.max(longest_period(s, &p, &encode(&p, &s.events, true)));
            }
            let Costs { faults, marked, period, costs: [seen, unseen], sum, most, across } = costs;
            let mean = sum.checked_div(seen + unseen).unwrap_or(0);
            let times = if timestamps { "yes" } else { "-" };
            println!(
                "| `{scheme}` | {times} | {signature} | {faults} | {marked} | {seen} | {unseen} | {mean} | {most} | {} | {} | {period} |",
                across.0, across.1
            );
        }
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let resume = args.iter().position(|a| a == "--resume").map(|at| args.remove(at)).is_some();
    let per_kind: usize = args.first().and_then(|n| n.parse().ok()).unwrap_or(50);
    let kinds: Vec<&str> = match args.get(1) {
        Some(kind) => KINDS.into_iter().filter(|k| k == kind).collect(),
        None => KINDS.to_vec(),
    };
    let streams: Vec<Stream> = PROGRAMS.iter().map(|(name, harts)| stream(name, *harts)).collect();
    if resume {
        let kinds: Vec<&str> = kinds.into_iter().filter(|k| *k != "cut").collect();
        return resumed(&streams, (&kinds, per_kind));
    }
    println!("| scheme | sync | signature | bytes | faults | no effect | marked, nothing wrong before | marked, some wrong before | wrong instructions before, mean | wrong and confirmed | silent |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for scheme in SCHEMES {
        for (sync, signature) in [(false, 0), (false, 8), (false, 16), (true, 0), (true, 8), (true, 16)] {
            let mut counts = Counts::default();
            let platform = Platform { signature, ..Platform::RV32 };
            let bytes = each_fault(&streams, (scheme, sync, platform), (&kinds, per_kind), |s, p, (bytes, _)| {
                play(s, p, bytes, &mut counts);
            });
            counts.print(scheme, sync, &signature.to_string(), bytes);
        }
    }
    standard::rows(&streams, &kinds, per_kind);
}
