//! Periodic synchronisation: a decoder may begin at any header, and then gives the same as from the whole stream

use crate::common;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::bits::as_bits;
use sim::core_trace::SyncPeriod;
use sim::message::{Body, Escape, Message};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::replay::{Replay, ReplaySink, ReplaySummary};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::{repeated_header, System};

const SCHEMES: [&str; 13] = [
    "tr_e:s0",
    // the next resync comes before its tables are cleared
    "tr_e:large",
    "tr_b:m4+upper12",
    "golomb:bimodal256/last16",
    "nx_b",
    "nexs",
    "taken",
    "follow:s",
    "follow:m+upper9",
    "follow:m+arithmetic",
    "sc-lsp:base-64x1",
    "sc-lsp:ebase-8x4",
    "sc-lsp:rbase-32x4",
];

/// Events, and the position of each header: word, and events of core 0 before it.
#[derive(Default)]
struct Seen {
    events: Vec<FlowEvent>,
    headers: Vec<(usize, usize)>,
    /// Bytes were lost: word positions in the stream and in the reader may differ.
    unaligned: bool,
    /// Events up to the last accepted message.
    accepted: usize,
}

impl ReplaySink for Seen {
    fn event(&mut self, event: &FlowEvent) {
        self.events.push(*event);
    }
    fn message(&mut self, _: u64, _: &Message) {
        self.accepted = self.events.len();
    }
    fn header(&mut self, bit: u64) {
        assert!(bit % 32 == 0 || self.unaligned && bit % 8 == 0);
        self.headers.push(((bit / 32) as usize, of(&self.events, 0).len()));
    }
}

/// Whether a stream of scheme `name` is time-stamped; an arithmetic code has no times.
fn timed(name: &str, seed: u64) -> bool {
    seed % 2 == 1 && !name.ends_with("+arithmetic")
}

fn encode(params: &TraceParams, events: &[FlowEvent], log2: u8) -> Vec<u32> {
    encode_every(params, events, SyncPeriod::new(log2).unwrap())
}

fn encode_every(params: &TraceParams, events: &[FlowEvent], period: SyncPeriod) -> Vec<u32> {
    // any value: a decoder finds it in the header
    let warm_up_scale = (params.fingerprint() % 4) as u8;
    let mut system = System::with_warm_up_scale(params, warm_up_scale).unwrap().sync_every(params, Some(period));
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().unwrap().cycle);
    system.drain().collect()
}

fn replay(image: &Image, p: &TraceParams, words: &[u32], what: &str) -> (Seen, ReplaySummary) {
    let mut seen = Seen::default();
    let replayed = Replay::new(image, p, words.iter().copied()).and_then(|r| r.run(&mut seen));
    (seen, replayed.unwrap_or_else(|e| panic!("{what}: {e}")))
}

fn of(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).copied().collect()
}

fn same(want: &[FlowEvent], got: &[FlowEvent], what: &str) {
    for (i, (w, g)) in want.iter().zip(got).enumerate() {
        assert!(w.same_flow(g), "{what}, event {i}:\nwant {w:?}\n got {g:?}");
    }
    assert_eq!(want.len(), got.len(), "{what}");
}

/// Events from the header on before which core 0 had `before` events.
fn behind(events: &[FlowEvent], before: usize) -> &[FlowEvent] {
    let mut own = (0..events.len()).filter(|i| events[*i].hart == 0);
    &events[own.nth(before).unwrap()..]
}

/// Checks that the whole stream gives `events`, and every `step`-th header gives the events after it. Returns the
/// number of headers.
fn holds(image: &Image, p: &TraceParams, events: &[FlowEvent], period: SyncPeriod, step: usize) -> usize {
    let what = format!("{}, N = {}, timed {}", p.flow, p.cores, p.timestamps);
    let words = encode_every(p, events, period);
    let (whole, summary) = replay(image, p, &words, &what);
    for hart in 0..p.cores {
        same(&of(events, hart), &of(&whole.events, hart), &format!("{what}, hart {hart}"));
    }
    assert_eq!((summary.skipped, summary.headers as usize), (0, 1 + whole.headers.len()));
    for (i, &(word, before)) in whole.headers.iter().enumerate().step_by(step) {
        // words from the middle, which begin after an earlier header
        let from = if i == 0 { 3 } else { whole.headers[i - 1].0 + 1 };
        let what = format!("{what}, header {i} at word {word}");
        for from in [from, word] {
            let (cut, summary) = replay(image, p, &words[from..], &what);
            assert_eq!(summary.skipped as usize, word - from, "{what}");
            let behind = behind(events, before);
            let mut count = 0;
            for hart in 0..p.cores {
                // nothing is known up to the first control-flow instruction, including traps
                let mut want = of(behind, hart);
                let traps = want.iter().take_while(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
                want.drain(..traps);
                let got = of(&cut.events, hart);
                if want[0].kind == FlowKind::Stop {
                    assert!(got.is_empty(), "{what}");
                    continue;
                }
                // the first one is where the core was reported again: here its start
                want[0] = FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc: want[0].target, ..want[0] };
                same(&want, &got, &format!("{what}, hart {hart}"));
                if p.timestamps {
                    let whole = of(&whole.events, hart);
                    let whole = &whole[whole.len() - got.len()..];
                    let cycle = behind[0].cycle;
                    assert!(whole.iter().zip(&got).all(|(w, g)| w.cycle - cycle == g.cycle), "{what}, hart {hart}");
                }
                count += got.iter().map(|e| u64::from(e.count)).sum::<u64>();
            }
            assert_eq!(count, summary.instructions.iter().sum::<u64>(), "{what}");
        }
    }
    whole.headers.len()
}

#[test]
fn decoding_can_begin_at_every_header_of_a_random_walk() {
    let mut headers = 0;
    for (seed, name) in (0..).zip(SCHEMES.iter().cycle().take(27)) {
        let image = Image::new(&common::program(seed, 300));
        let flow: FlowScheme = name.parse().unwrap();
        for cores in [1, 2, 4] {
            let events = common::walk(&image, 300, cores, seed, 9000);
            let platform = Platform { cores, timestamps: timed(name, seed), count_bits: 16, ..Platform::RV32 };
            headers += holds(&image, &TraceParams::new(platform, flow), &events, SyncPeriod::new(10).unwrap(), 1);
        }
    }
    assert!(headers > 500, "{headers} headers are too few to trust these runs");
}

/// `events` in another order: `few` events of each other core between `many` ones of core 0.
fn with_sleepers(events: &[FlowEvent], cores: u8, few: usize, many: usize) -> Vec<FlowEvent> {
    let mut others: Vec<_> = (1..cores).map(|hart| of(events, hart).into_iter()).collect();
    // the cores stop together
    let stops: Vec<_> = events.iter().filter(|e| e.hart > 0 && e.kind == FlowKind::Stop).collect();
    others
        .iter_mut()
        .for_each(|other| *other = other.clone().filter(|e| e.kind != FlowKind::Stop).collect::<Vec<_>>().into_iter());
    let mut out = Vec::new();
    for (i, e) in of(events, 0).into_iter().enumerate() {
        out.push(e);
        // each at another time
        for (k, other) in others.iter_mut().enumerate().filter(|(k, _)| i % many == many / cores as usize * k) {
            out.extend(other.by_ref().take(few + (i / many + k) % 2));
            // a start or a trap is of the instruction that follows
            while out.last().is_some_and(|e| !e.kind.retires()) {
                let Some(e) = other.next() else { break };
                out.push(e);
            }
        }
    }
    out.extend(others.into_iter().flatten().chain(stops.into_iter().copied()));
    out.iter().enumerate().map(|(i, e)| FlowEvent { cycle: 2 * i as u64 + 5, ..*e }).collect()
}

/// Headers come between the events of a core, so its messages after one sync can be sent after the next header. After the last headers it only stops.
#[test]
fn cores_that_sleep_are_known_from_every_header_on() {
    let mut headers = 0;
    for (seed, name) in (0..).zip(SCHEMES.iter().cycle().take(26)) {
        let image = Image::new(&common::program(seed, 300));
        let flow: FlowScheme = name.parse().unwrap();
        for (cores, few, many) in [(2, 1, 40), (3, 2, 90), (4, 4, 60), (3, 4000, 50)] {
            let events = with_sleepers(&common::walk(&image, 300, cores, seed, 1500), cores, few, many);
            let platform = Platform { cores, timestamps: timed(name, seed), count_bits: 16, ..Platform::RV32 };
            let p = TraceParams::new(platform, flow);
            headers += holds(&image, &p, &events, SyncPeriod::of_bytes(6).unwrap(), 1);
        }
    }
    assert!(headers > 500, "{headers} headers are too few");
}

/// A resync comes at the first control-flow instruction of core 0 before which so many bytes are complete, and at no
/// other.
#[test]
fn a_period_of_bytes_is_over_when_they_are_complete() {
    let mut headers = 0;
    for (seed, name) in (0..).zip(SCHEMES) {
        let image = Image::new(&common::program(seed, 300));
        for (cores, log2) in [(1, 9), (3, 8)] {
            let period = SyncPeriod::of_bytes(log2).unwrap();
            let events = common::walk(&image, 300, cores, seed, 5000);
            let platform = Platform { cores, timestamps: timed(name, seed), ..Platform::RV32 };
            let p = TraceParams::new(platform, name.parse().unwrap());
            headers += holds(&image, &p, &events, period, 3);
            let (mut system, again) = (System::new(&p).unwrap().sync_every(&p, Some(period)), repeated_header(&p));
            let (mut words, mut from) = (Vec::new(), 0);
            for e in &events {
                words.extend(system.drain());
                let (before, over) = (words.len(), 4 * (words.len() - from) >= 1 << log2);
                system.event(e);
                words.extend(system.drain());
                let header = (before..words.len()).find(|&i| words[i..].starts_with(&again));
                let due = over && e.hart == 0 && e.kind.retires();
                assert_eq!(header.is_some(), due, "{name}, N = {cores}, word {before} behind word {from}: {e:?}");
                from = header.unwrap_or(from);
            }
        }
    }
    assert!(headers > 100, "{headers} headers are too few");
}

#[test]
fn decoding_can_begin_at_every_header_of_a_program() {
    for name in ["vm", "irq", "qsort"] {
        let program = programs::find(name).unwrap().load().unwrap();
        let image = Image::new(&program);
        for harts in [1, 2, 4] {
            let mut events = Vec::new();
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let limits = Limits { instructions: 150_000 * u64::from(harts), ..Limits::default() };
            Machine::new(&program, config).unwrap().run(&mut events, limits).unwrap();
            for scheme in ["tr_e:small", "sc-lsp:rbase-32x4"] {
                let p = TraceParams::new(Platform { cores: harts, ..Platform::RV32 }, scheme.parse().unwrap());
                assert!(holds(&image, &p, &events, SyncPeriod::new(12).unwrap(), 5) > 10, "{name}, {harts} harts");
            }
        }
    }
}

/// Damages the words between two headers: replay resumes at the next header.
#[test]
fn replay_resumes_at_the_next_header_after_damage() {
    let image = Image::new(&common::program(3, 300));
    for name in SCHEMES {
        let p = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, name.parse().unwrap());
        let events = common::walk(&image, 300, 2, 3, 20_000);
        let mut words = encode(&p, &events, 10);
        let (whole, _) = replay(&image, &p, &words, name);
        let (third, after) = (whole.headers[2].0, whole.headers[3]);
        // words of all ones, as core index or address, are never valid
        words[third + 4..after.0].fill(u32::MAX);
        let mut seen = Seen::default();
        let mut replay = Replay::new(&image, &p, words.iter().copied()).unwrap();
        let mut damage = 0;
        loop {
            match replay.step(&mut seen) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => {
                    damage += 1;
                    assert!(replay.resume(), "{name}: no header was found");
                }
            }
        }
        // a core whose path was wrong up to its sync is reported separately
        assert!((1..=2).contains(&damage), "{name}: {damage}");
        for hart in 0..2 {
            let (want, got) = (of(behind(&events, after.1), hart), of(&seen.events, hart));
            let first = want.iter().position(|e| e.kind.retires()).unwrap();
            let gap = got.iter().rposition(|e| e.kind == FlowKind::Gap { lost: 0 }).unwrap();
            same(&want[first + 1..], &got[gap + 1..], name);
        }
    }
}

/// A fault of a link or a storage medium.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Flipped,
    Burst,
    Dropped,
    Doubled,
    Swapped,
    WordDropped,
    WordDoubled,
    WordsSwapped,
}

impl Fault {
    const ALL: [Self; 8] = [
        Self::Flipped,
        Self::Burst,
        Self::Dropped,
        Self::Doubled,
        Self::Swapped,
        Self::WordDropped,
        Self::WordDoubled,
        Self::WordsSwapped,
    ];

    /// Applies the fault at byte `at`.
    fn apply(self, bytes: &mut Vec<u8>, at: usize) {
        let word = at / 4 * 4;
        match self {
            Self::Flipped => bytes[at] ^= 1 << (at * 7 % 8),
            Self::Burst => bytes[at..at + 3].iter_mut().for_each(|b| *b ^= 0xd5),
            Self::Dropped => _ = bytes.remove(at),
            Self::Doubled => bytes.insert(at, bytes[at]),
            Self::Swapped => bytes.swap(at, at + 1),
            Self::WordDropped => _ = bytes.drain(word..word + 4),
            Self::WordDoubled => {
                let copy = bytes[word..word + 4].to_vec();
                bytes.splice(word..word, copy);
            }
            Self::WordsSwapped => bytes[word..word + 8].rotate_left(4),
        }
    }
}

/// Replays to the end, across all damage. Returns the number of damaged places.
fn resume(image: &Image, p: &TraceParams, words: &[u32], seen: &mut Seen) -> u64 {
    let mut replay = Replay::new(image, p, words.iter().copied()).unwrap();
    loop {
        let step = replay.step(seen);
        assert_eq!(seen.events.len(), seen.accepted, "a refused message leaves no events");
        match step {
            Ok(true) => {}
            Err(_) if replay.resume() => {}
            // an end that is not at a word boundary counts, too
            Ok(false) | Err(_) => {
                let summary = replay.summary();
                let counted: u64 = seen.events.iter().map(|e| u64::from(e.count)).sum();
                assert!(counted <= summary.instructions.iter().sum(), "of refused messages none are counted");
                return summary.damaged;
            }
        }
    }
}

/// One fault between two headers loses at most what is between them: after the second, every core has its events.
#[test]
fn one_fault_costs_at_most_one_period() {
    let (mut found, mut runs) = (0, 0);
    for (seed, name) in (0..).zip(SCHEMES) {
        let image = Image::new(&common::program(seed, 300));
        for cores in [1, 3] {
            let platform = Platform { cores, timestamps: timed(name, seed), ..Platform::RV32 };
            let p = TraceParams::new(platform, name.parse().unwrap());
            let events = common::walk(&image, 300, cores, seed, 12_000);
            let words = encode(&p, &events, 10);
            let (whole, _) = replay(&image, &p, &words, name);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            for (i, fault) in Fault::ALL.into_iter().cycle().take(64).enumerate() {
                let k = i % (whole.headers.len() - 2);
                let (from, (to, before)) = (whole.headers[k].0 + 3, whole.headers[k + 1]);
                let mut bytes = bytes.clone();
                fault.apply(&mut bytes, 4 * from + i * 37 % (4 * (to - from) - 8));
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                let words: Vec<u32> =
                    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
                let what = format!("{name}, N = {cores}, fault {i}: {fault:?} behind header {k}");
                let mut seen = Seen { unaligned: true, ..Seen::default() };
                found += u64::from(resume(&image, &p, &words, &mut seen) > 0);
                runs += 1;
                for hart in 0..cores {
                    let (want, got) = (of(behind(&events, before), hart), of(&seen.events, hart));
                    // at its sync, a core may have a gap
                    let first = want.iter().position(|e| e.kind.retires()).unwrap_or(want.len() - 1);
                    let want = &want[first + 1..];
                    let from = got.len().checked_sub(want.len());
                    let same = from.is_some_and(|from| want.iter().zip(&got[from..]).all(|(w, g)| w.same_flow(g)));
                    assert!(same, "{what}, hart {hart}: {} events behind the header", want.len());
                }
            }
        }
    }
    assert!(found * 10 > runs * 8, "{found} of {runs}");
}

#[test]
fn a_stream_without_a_header_says_how_one_begins() {
    let image = Image::new(&common::program(3, 300));
    let p = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    let words = encode(&p, &common::walk(&image, 300, 1, 3, 600), 31);
    let e = Replay::new(&image, &p, words[3..].iter().copied()).map(|_| ()).unwrap_err();
    assert!(e.to_string().ends_with("and contains no header; expected 0x4b485347"), "{e}");
}

/// A core that takes another path between two syncs is detected, though no message is wrong.
#[test]
fn a_sync_that_is_not_where_the_path_is_is_refused() {
    let image = Image::new(&common::program(9, 300));
    let p = TraceParams::new(Platform::RV32, "tr_e:s0".parse().unwrap());
    let mut events = common::walk(&image, 300, 1, 9, 6000);
    let words = encode(&p, &events, 10);
    let (whole, _) = replay(&image, &p, &words, "s0");
    // the jump at which the first resync occurs goes somewhere else
    let at = whole.headers.iter().find(|h| matches!(events[h.1].kind, FlowKind::Jump | FlowKind::Call)).unwrap().1;
    events[at].target ^= 4;
    let words = encode(&p, &events, 10);
    let e = Replay::new(&image, &p, words.into_iter()).unwrap().run(&mut sim::replay::Ignore).unwrap_err();
    assert!(e.to_string().contains("the core is synced at pc 0x8"), "{e}");
}

/// After a resync every branch is reported for K instructions; then the core is as after its start.
#[test]
fn nothing_is_learnt_before_the_tables_are_clear() {
    let image = Image::new(&common::program(4, 300));
    let tail = common::walk(&image, 300, 1, 4, 3000);
    for (name, k) in [("tr_e:s0", 272), ("tr_b:m4+upper12", 528), ("tr_e:256/last16", 272), ("sc-lsp:rbase-32x4", 144)]
    {
        let p = TraceParams::new(Platform::RV32, name.parse().unwrap());
        assert_eq!(p.flow.warm_up(), k, "{name}");
        let again = |count, pc| FlowEvent {
            hart: 0,
            kind: FlowKind::Conditional { taken: true },
            len: 4,
            count,
            pc,
            target: tail[0].pc,
            cycle: 0,
        };
        let mut fresh = System::new(&p).unwrap();
        let mut system = fresh.clone().sync_every(&p, Some(SyncPeriod::new(10).unwrap()));
        fresh.event(&tail[0]);
        system.event(&tail[0]);
        system.event(&again(1025, 0x100));
        assert_eq!(system.stats().messages(), 3, "{name}: sync, marker and sync");
        for i in 0..u64::from(k) {
            system.event(&again(1, 0x100 + 4 * (i % 3)));
            assert_eq!(system.stats().messages(), 4 + i, "{name}, instruction {i}");
        }
        let before = system.stats().messages() - 1;
        // up to the next resync
        let mut count = 0;
        for e in tail[1..].iter().take_while(|e| {
            count += e.count;
            count + k < 1024
        }) {
            fresh.event(e);
            system.event(e);
            assert_eq!(system.stats().messages() - before, fresh.stats().messages(), "{name}: {e:?}");
        }
        assert!(fresh.stats().messages() > 40, "{name}");
    }
}

/// Bits as worked out by hand from `docs/reference/stream.md`; spaces are ignored.
#[test]
fn the_first_record_of_a_core_behind_a_header_needs_nothing_from_before() {
    const TAKEN: FlowKind = FlowKind::Conditional { taken: true };
    const NOT_TAKEN: FlowKind = FlowKind::Conditional { taken: false };
    let event = |hart, kind, count, target| FlowEvent { hart, kind, len: 4, count, pc: 0, target, cycle: 0 };
    let p = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, "sc-lsp:ebase-32x4".parse().unwrap());
    let mut system = System::new(&p).unwrap().sync_every(&p, Some(SyncPeriod::new(10).unwrap()));
    let zeros = |n| "0".repeat(n);
    let (escape, known) = ("0 0000000 00000000", "1 0 0000000");
    let pc = |low: &str| format!("{low} {}", zeros(31 - low.len()));
    let lines = [
        (event(0, FlowKind::Start, 0, 0x10), format!("0 {escape} 1000 {}", pc("0001"))),
        (event(1, FlowKind::Start, 0, 0x10), format!("1 {escape} 1000 {}", pc("0001"))),
        (event(1, TAKEN, 2, 0x10), format!("{known} 01000000")),
        (event(1, TAKEN, 2, 0x10), "1 0 0011000".into()),
        // a predicted stream is pending
        (event(1, TAKEN, 2, 0x10), String::new()),
        // more than 1,024 instructions: iCnt 1025, nothing lost; then the header, and the sync at 0x18
        (
            event(0, NOT_TAKEN, 1025, 0x18),
            format!("0 {escape} 1100 1000000000 1000000000 {}  0 {escape} 1000 {}", zeros(20), pc("0011")),
        ),
        // kind, one pending stream, iCnt 2, SA 0x10, nothing lost; sync at 0x10
        (
            event(1, TAKEN, 2, 0x10),
            format!(
                "1 {escape} 1100 10000000 01{} {} {}  1 {escape} 1000 {}",
                zeros(18),
                pc("0001"),
                zeros(20),
                pc("0001")
            ),
        ),
        // the same twice: not learned
        (event(1, TAKEN, 2, 0x10), format!("{known} 01000000")),
        (event(1, TAKEN, 2, 0x10), format!("{known} 01000000")),
        // the last of 144 instructions, and a stream that ends after them
        (event(1, NOT_TAKEN, 140, 0x20), String::new()),
        (event(1, TAKEN, 2, 0x10), format!("{known} 01110001")),
        // that was learned: set 1 ^ 142, SCI 60
        (event(1, TAKEN, 142, 0x10), "1 0 0011110".into()),
    ];
    for (e, _) in &lines {
        system.event(e);
    }
    let want = lines.map(|(_, line)| line.replace(' ', "")).concat();
    system.finish(0);
    let words: Vec<u32> = system.drain().collect();
    let text = |words: &[u32]| as_bits(words).iter().map(|b| if *b { '1' } else { '0' }).collect::<String>();
    let again = (3..words.len()).find(|i| words[*i..].starts_with(&repeated_header(&p))).unwrap();
    let (before, behind) = (text(&words[3..again]), text(&words[again + 3..]));
    // two syncs, a descriptor, an index, the marker
    let (first, second) = want.split_at(2 * 52 + 17 + 9 + 61);
    assert_eq!(before.trim_end_matches('0'), first.trim_end_matches('0'));
    assert!(before.len() - first.len() < 32);
    assert_eq!(behind[..second.len()], *second);
}

/// Runs that are predicted for different times before a resync have streams that differ in its marker alone. So if that is damaged, no decoder knows the
/// path since the message before.
#[test]
fn only_the_marker_counts_the_instructions_before_it() {
    #[derive(Default)]
    struct Markers(Vec<(u64, bool)>);
    impl ReplaySink for Markers {
        fn message(&mut self, bit: u64, message: &Message) {
            self.0.push((bit, matches!(message.body, Body::Escape(Escape::Resync { .. }))));
        }
    }
    let taken = FlowKind::Conditional { taken: true };
    let branch = FlowEvent { hart: 0, kind: taken, len: 4, count: 8, pc: 0x11c, target: 0x100, cycle: 0 };
    let start = FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc: 0x100, ..branch };
    let last = FlowEvent { kind: FlowKind::Conditional { taken: false }, target: 0x120, ..branch };
    let image = Image::from_events(&[start, branch, last]).unwrap();
    for name in ["tr_e:small", "golomb:m4", "follow:m", "follow:l"] {
        let p = TraceParams::new(Platform::RV32, name.parse().unwrap());
        let run = |before: usize| {
            let mut system = System::new(&p).unwrap().sync_every(&p, Some(SyncPeriod::new(31).unwrap()));
            system.event(&start);
            (0..before).for_each(|_| system.event(&branch));
            system.request();
            (0..800).for_each(|_| system.event(&branch));
            system.event(&last);
            system.finish(0);
            system.drain().collect::<Vec<u32>>()
        };
        let (short, long) = (run(1000), run(1040));
        assert_eq!(short.len(), long.len(), "{name}");
        let mut seen = Markers::default();
        Replay::new(&image, &p, short.iter().copied()).unwrap().run(&mut seen).unwrap();
        let marker = seen.0.iter().position(|m| m.1).unwrap();
        let inside = seen.0[marker].0..seen.0[marker + 1].0;
        let differs: Vec<u64> = (0..32 * short.len() as u64)
            .filter(|&i| as_bits(&short)[i as usize] != as_bits(&long)[i as usize])
            .collect();
        assert!(
            !differs.is_empty() && differs.iter().all(|bit| inside.contains(bit)),
            "{name}: {differs:?}, {inside:?}"
        );
    }
}
