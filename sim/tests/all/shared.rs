//! Predictors shared by the cores: replay reproduces every core, whatever the order of the cores is

use crate::common;
use crate::common::damage::{encode, is_reported, replay};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::isa::Indirect;
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use sim::core_trace::Rates;
use sim::message::Kind;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::outcome::OutcomeParams;
use sim::scheme::tr::shared::SharedRates;
use sim::scheme::tr::target::TargetParams;
use sim::stimulus::rounds;

/// The same paths in other turns: each has up to `longest` events of a core; the next core follows or, rarely, any
/// other.
fn in_turns(events: &[FlowEvent], cores: u8, longest: usize, rng: &mut ChaCha8Rng) -> Vec<FlowEvent> {
    let mut left: Vec<Vec<FlowEvent>> =
        (0..cores).map(|hart| events.iter().rev().filter(|e| e.hart == hart).copied().collect()).collect();
    let (mut out, mut core) = (Vec::new(), 0);
    while left.iter().any(|l| !l.is_empty()) {
        for _ in 0..rng.random_range(0..=longest) {
            out.extend(left[core].pop().map(|e| FlowEvent { cycle: out.len() as u64, ..e }));
        }
        core = if rng.random_ratio(1, 9) { rng.random_range(0..cores.into()) } else { (core + 1) % usize::from(cores) };
    }
    out
}

/// Replaces some branches by conditional indirect ones, as on 32-bit ARM.
fn with_conditional_indirects(events: &mut [FlowEvent]) {
    for e in events {
        if let (FlowKind::Conditional { taken }, 0 | 1) = (e.kind, e.pc >> 1 & 3) {
            let how = [Indirect::Jump, Indirect::Return, Indirect::Call][(e.pc >> 2) as usize % 3];
            e.kind = FlowKind::ConditionalIndirect { how, taken };
        }
    }
}

fn sum(rates: &[Rates]) -> Rates {
    rates.iter().fold(Rates::default(), |mut all, r| {
        all += *r;
        all
    })
}

/// Encodes and replays; returns the number of messages of each kind.
fn comes_back(image: &Image, params: &TraceParams, events: &[FlowEvent]) -> [u64; Kind::ALL.len()] {
    let (words, system) = encode(params, events);
    let (seen, summary) = replay(image, params, &words).unwrap_or_else(|e| panic!("{}: {e}", params.name()));
    for hart in 0..params.cores {
        let of = |events: &[FlowEvent]| events.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (want, got) = (of(events), of(&seen));
        let differs = want.iter().zip(&got).position(|(w, g)| !w.same_flow(g));
        assert_eq!((differs, want.len()), (None, got.len()), "{}, hart {hart}", params.name());
    }
    assert_eq!(summary.stats, *system.stats(), "{}", params.name());
    // one predictor that gets the same events in the same order, without a stream
    let FlowScheme::TrShared(shared) = params.flow else { panic!("{} is not shared", params.name()) };
    let mut rates = SharedRates::new(&shared.0, &params.platform);
    events.iter().for_each(|e| rates.event(e));
    assert_eq!(sum(&system.rates()), rates.rates(), "{}", params.name());
    summary.stats.kinds.map(|k| k.messages)
}

fn params(name: &str, cores: u8, timestamps: bool) -> TraceParams {
    let flow: FlowScheme = name.parse().unwrap();
    assert_eq!(flow.name().parse(), Ok(flow), "{name}");
    TraceParams::new(Platform { cores, timestamps, count_bits: 16, ..Platform::RV32 }, flow)
}

fn name() -> impl Strategy<Value = String> {
    let of = |list: Vec<&'static str>| prop::sample::select(list);
    let more = of(vec!["", "+shift4", "+upper12", "+shift0+upper12"]);
    let [coders, outcomes] = [CoderParams::EXAMPLES.concat(), OutcomeParams::EXAMPLES.concat()];
    (of(coders), of(outcomes), of(TargetParams::EXAMPLES.concat()), more)
        .prop_map(|(coder, outcome, target, more)| format!("{coder}:{outcome}/{target}{more}+shared"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(150, 5000)))]
    #[test]
    fn every_core_comes_back(
        name in name(), cores in 1u8..=8, seed: u64, longest in prop::sample::select(vec![1, 2, 7, 50, 700]),
        timestamps: bool, indirects: bool,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let image = Image::new(&common::program(seed, 300));
        let mut events = in_turns(&common::walk(&image, 300, cores, seed, 1500), cores, longest, &mut rng);
        let params = params(&name, cores, timestamps);
        if indirects {
            with_conditional_indirects(&mut events);
            comes_back(&Image::from_events(&events).unwrap(), &params, &events);
        } else {
            comes_back(&image, &params, &events);
        }
    }

    #[test]
    fn no_flipped_bit_makes_a_panic(name in name(), seed: u64, at: prop::sample::Index) {
        let image = Image::new(&common::program(seed, 300));
        let events = common::walk(&image, 300, 3, seed, 300);
        let params = params(&name, 3, false);
        let (mut words, _) = encode(&params, &events);
        let bit = at.index(32 * words.len());
        words[bit / 32] ^= 1 << (bit % 32);
        let _ = replay(&image, &params, &words);
    }
}

#[test]
fn every_core_comes_back_for_chunks_of_any_size() {
    let mut tried = 0;
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cores = [1, 2, 3, 4, 8, 16][seed as usize % 6];
        let mut params = common::params(&mut rng, cores);
        let FlowScheme::Tr(tr) = params.flow else { continue };
        params.flow = FlowScheme::TrShared(sim::scheme::shared::SharedParams(tr));
        let image = Image::new(&common::program(seed, 400));
        let events = in_turns(&common::walk(&image, 400, cores, seed, 3000), cores, 40, &mut rng);
        comes_back(&image, &params, &events);
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// Splits off one instruction of what a hart retires up to its next event, by a change of context, which this stream
/// does not report.
fn with_contexts(events: &[FlowEvent]) -> Vec<FlowEvent> {
    let mut left: Vec<u32> = events.iter().map(|e| e.count).collect();
    let mut out = Vec::new();
    for (i, e) in events.iter().enumerate() {
        out.push(FlowEvent { count: left[i], ..*e });
        let next = (i + 1..events.len()).find(|n| events[*n].hart == e.hart);
        if let Some(next) = next.filter(|next| left[*next] > 1) {
            left[next] -= 1;
            let kind = FlowKind::Context { context: Context(i as u32), alone: true };
            out.push(FlowEvent { kind, len: 0, count: 1, ..*e });
        }
    }
    out
}

#[test]
fn unreported_instructions_count_in_the_next_turn() {
    let image = Image::new(&common::program(4, 300));
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let params = params("tr_e:m4+shared", 3, false);
    for longest in [1, 5, 50] {
        let events = in_turns(&common::walk(&image, 300, 3, 4, 2000), 3, longest, &mut rng);
        let with = with_contexts(&events);
        assert!(with.len() > events.len() + 500, "{} {}", with.len(), events.len());
        assert_eq!(encode(&params, &with).0, encode(&params, &events).0);
        comes_back(&image, &params, &events);
    }
}

#[test]
fn every_kind_of_message_is_sent() {
    let image = Image::new(&common::program(3, 400));
    let mut kinds = [0; Kind::ALL.len()];
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let events = in_turns(&common::walk(&image, 400, 4, seed, 3000), 4, 100, &mut rng);
        for (all, n) in kinds.iter_mut().zip(comes_back(&image, &params("tr_e:m4+shared", 4, false), &events)) {
            *all += n;
        }
    }
    for kind in [Kind::Outcome, Kind::Target, Kind::Exception, Kind::Sync, Kind::Stop, Kind::Turn] {
        assert!(kinds[kind as usize] > 0, "{kind:?}");
    }
}

#[test]
fn one_core_sends_what_it_sends_with_a_predictor_of_its_own() {
    let image = Image::new(&common::program(9, 300));
    let events = common::walk(&image, 300, 1, 9, 3000);
    let stream = |name: &str| encode(&params(name, 1, false), &events).0;
    // except for the fingerprint of the parameters
    assert_eq!(stream("tr_e:m4")[3..], stream("tr_e:m4+shared")[3..]);
}

#[test]
fn damage_is_reported() {
    let names = ["tr_e:m4+shared", "tr_b:small+shared", "golomb:512/last64+shared"];
    is_reported(names.into_iter().map(|name| params(name, 2, false)));
}

#[test]
fn unsupported_parameters_are_rejected() {
    let of = |context, timestamps| {
        let platform = Platform { cores: 2, context, timestamps, ..Platform::RV32 };
        TraceParams::new(platform, "tr_e:m4+shared".parse().unwrap()).check().map_err(|e| e.to_string())
    };
    assert_eq!(of(None, true), Ok(()));
    assert!(of(Some(3), false).unwrap_err().starts_with("context = 3, expected"));
    let say = |name: &str| name.parse::<FlowScheme>().unwrap_err().to_string();
    assert!(say("tr_e:huge+shared").contains("predictor set `huge`"), "{}", say("tr_e:huge+shared"));
    assert!(say("nx_b:m4+shared").starts_with("scheme `nx_b:m4+shared` is not known"));
    let period = Some(sim::core_trace::SyncPeriod::new(12).unwrap());
    let refused = params("tr_e:m4+shared", 2, false).check_period(period).unwrap_err().to_string();
    assert!(refused.starts_with("sync period = 12, expected none with +shared"), "{refused}");
    params("tr_e:m4", 2, false).check_period(period).unwrap();
}
