//! Inferable jumps: streams are shorter, and give the events back, whatever happens between a load and its jump

use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::message::Message;
use sim::params::{ParamError, Platform, TraceParams};
use sim::replay::{Replay, ReplaySink};
use sim::stimulus::pairs;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use sim::stimulus::Source;
use sim::system::{repeated_header, System};

const SCHEMES: [&str; 7] = [
    "tr_e:small+inferable",
    "tr_b:m4+upper12+inferable",
    "golomb:bimodal256/last16+inferable",
    "tr_e:m4+inferable+shared",
    "follow:s+inferable",
    "follow:m+inferable",
    "follow:m+inferable+arithmetic",
];

fn without(name: &str) -> String {
    name.replace("+inferable", "")
}

fn model(xlen: u8, seed: u64) -> Model {
    // most pairs have 4 bytes each
    let compressed = seed % 2 == 1;
    let shape = Shape { compressed, ..if xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) } };
    let mut model = Model::new(&shape);
    pairs::insert(&mut model, seed);
    model
}

/// Events in which, of some control-flow instructions, the instructions before them are lost, or the context changes before them.
fn disturbed(events: &[FlowEvent], image: &Image, contexts: bool, seed: u64) -> Vec<FlowEvent> {
    let mut source = Source::seeded(seed);
    let (mut out, mut from) = (Vec::new(), vec![0; 16]);
    for e in events {
        let from = &mut from[usize::from(e.hart)];
        let before = source.between(1, 2).min(e.count.saturating_sub(1).into()) as u32;
        if !e.kind.retires() || before == 0 || !source.percent(4) {
            *from = e.target;
            out.push(*e);
            continue;
        }
        let known = e.count - 1 - before;
        let at = |count| image.skip(*from, count).unwrap();
        let rest = if contexts && source.percent(50) {
            let context = Context::new(3, source.bits(3) as u32);
            let (pc, count) = (at(e.count - 1), e.count - 1);
            out.push(FlowEvent {
                kind: FlowKind::Context { context, alone: true },
                len: 0,
                count,
                pc,
                target: pc,
                ..*e
            });
            1
        } else {
            // the load is lost, or only what is before it
            let lost = source.between(1, u64::from(before)) as u32;
            let (pc, target) = (at(known), at(known + lost));
            out.push(FlowEvent { kind: FlowKind::Gap { lost }, len: 0, count: known, pc, target, ..*e });
            1 + before - lost
        };
        out.push(FlowEvent { count: rest, ..*e });
        *from = e.target;
    }
    out
}

fn encode(p: &TraceParams, image: &Image, events: &[FlowEvent], period: Option<u8>) -> Vec<u32> {
    let period = period.map(|log2| SyncPeriod::new(log2).unwrap());
    let mut system = System::with_code(p, 0, image).unwrap().sync_every(p, period);
    events.iter().for_each(|e| system.event(e));
    assert_eq!(system.check_jumps(), Ok(()));
    system.finish(events.last().unwrap().cycle);
    system.drain().collect()
}

#[derive(Default)]
struct Seen(Vec<FlowEvent>, u64);

impl ReplaySink for Seen {
    fn event(&mut self, event: &FlowEvent) {
        self.0.push(*event);
    }
    fn message(&mut self, _: u64, _: &Message) {
        self.1 += 1;
    }
}

fn replay(p: &TraceParams, image: &Image, words: &[u32]) -> Seen {
    let mut seen = Seen::default();
    let replay = Replay::new(image, p, words.iter().copied()).unwrap();
    replay.run(&mut seen).unwrap_or_else(|e| panic!("{}: {e}", p.canonical()));
    seen
}

fn of(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).copied().collect()
}

/// A context event that is not reported is not replayed: its count belongs to the next event.
fn same(p: &TraceParams, want: &[FlowEvent], got: &[FlowEvent]) {
    for hart in 0..p.cores {
        let (want, got) = (of(want, hart), of(got, hart));
        let (mut context, mut carried) = (p.reported(Context::RESET), 0);
        let mut got = got.iter();
        for (i, w) in want.iter().enumerate() {
            if let FlowKind::Context { context: next, .. } = w.kind {
                if p.context.is_none() || std::mem::replace(&mut context, p.reported(next)) == p.reported(next) {
                    carried += w.count;
                    continue;
                }
            }
            let mut w = FlowEvent { count: w.count + std::mem::take(&mut carried), ..*w };
            if let FlowKind::Context { context: next, alone } = w.kind {
                w.kind = FlowKind::Context { context: p.reported(next), alone };
            }
            let g = got.next();
            assert!(
                g.is_some_and(|g| w.same_flow(g)),
                "{}, hart {hart}, event {i}:\nwant {w:?}\n got {g:?}",
                p.canonical()
            );
        }
        assert_eq!(got.next(), None);
    }
}

#[test]
fn traces_come_back_and_are_shorter() {
    for (seed, name) in SCHEMES.into_iter().enumerate() {
        let mut words_of = [0; 2];
        for (xlen, cores, timestamps, signature) in [(32, 1, false, 0), (64, 3, true, 16), (32, 2, false, 8)] {
            let timestamps = timestamps && !name.ends_with("+arithmetic");
            let platform = Platform { xlen, cores, timestamps, signature, ..Platform::RV32 };
            let model = model(xlen, seed as u64);
            let image = Image::new(&model.program);
            let run = record(&model, &Config { trap_per_64k: 1_500, ..Config::new(cores, seed as u64) }, 40_000);
            let [p, other] =
                [name.into(), without(name)].map(|name: String| TraceParams::new(platform, name.parse().unwrap()));
            assert_ne!(p.fingerprint(), other.fingerprint());
            let [words, longer] = [&p, &other].map(|p| encode(p, &image, &run.events, None));
            words_of = [words_of[0] + words.len(), words_of[1] + longer.len()];
            same(&p, &run.events, &replay(&p, &image, &words).0);
            if name.ends_with("+shared") {
                continue;
            }
            let events = disturbed(&run.events, &image, false, seed as u64);
            same(&p, &events, &replay(&p, &image, &encode(&p, &image, &events, Some(10))).0);
        }
        assert!(words_of[0] < words_of[1], "{name}: {words_of:?} words with inferable jumps and without");
    }
}

#[test]
fn a_change_of_context_before_a_jump_comes_back() {
    for (seed, name) in
        ["tr_e:m4+inferable", "follow:m+inferable", "follow:s+inferable+arithmetic"].into_iter().enumerate()
    {
        for (bits, period) in [(Some(3), None), (Some(1), Some(10)), (None, Some(10))] {
            let platform = Platform { cores: 2, context: bits, ..Platform::RV32 };
            let model = model(32, seed as u64);
            let image = Image::new(&model.program);
            let run = record(&model, &Config::new(2, seed as u64), 40_000);
            let events = disturbed(&run.events, &image, true, 7);
            let p = TraceParams::new(platform, name.parse().unwrap());
            same(&p, &events, &replay(&p, &image, &encode(&p, &image, &events, period)).0);
        }
    }
}

#[test]
fn a_decoder_can_begin_at_every_header() {
    for (seed, name) in
        ["tr_e:large+inferable", "follow:s+inferable", "follow:m+inferable+arithmetic"].into_iter().enumerate()
    {
        let p = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, name.parse().unwrap());
        let model = model(32, seed as u64);
        let image = Image::new(&model.program);
        let run = record(&model, &Config::new(2, seed as u64), 40_000);
        let words = encode(&p, &image, &run.events, Some(10));
        let head = repeated_header(&p);
        let headers: Vec<usize> = (0..words.len()).filter(|&i| words[i..].starts_with(&head)).collect();
        assert!(headers.len() > 10, "{name}: {}", headers.len());
        for &from in headers.iter().step_by(3) {
            let seen = replay(&p, &image, &words[from..]);
            // the end of the run of core 0, after its first event
            let (want, got) = (of(&run.events, 0), of(&seen.0, 0));
            let tail = &want[want.len() + 1 - got.len()..];
            assert!(tail.iter().zip(&got[1..]).all(|(w, g)| w.same_flow(g)), "{name}, header at word {from}");
        }
    }
}

#[test]
fn what_cannot_be_inferred_is_refused() {
    let params = |name: &str, align| TraceParams::new(Platform { align, ..Platform::RV32 }, name.parse().unwrap());
    for name in ["tr_e:m4+inferable", "follow:m+inferable", "follow:m+inferable+arithmetic"] {
        let e = params(name, 0).check().unwrap_err().to_string();
        assert_eq!(e, "align = 0, expected 1 or 2 with +inferable, which is for RISC-V");
        assert_eq!(System::new(&params(name, 1)).err(), Some(ParamError::NoCode(name.into())));
        let e = ParamError::NoCode(name.into()).to_string();
        assert_eq!(e, format!("scheme `{name}`: infers jumps from the program's code (+inferable), and there is none"));
    }
    for name in ["nx_b+inferable", "taken+inferable", "sc-lsp:rbase-32x4+inferable"] {
        assert!(name.parse::<sim::params::FlowScheme>().is_err(), "{name}");
    }
}
