//! Scheme `cfiat`: the decoder reproduces every value of random accesses of several cores, and detects damage

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::{DataEvent, DataKind, Note, RetireSink};
use sim::scheme::cfiat::decoder::{Decoder, MismatchKind, Records, StreamError, View};
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::stimulus::rounds;
use std::collections::HashMap;

const BASE: u64 = 0x1000;

/// An action of a core.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Load { addr: u64, size: u8, value: u64 },
    Store { addr: u64, size: u8, value: u64 },
    Csr(u64),
    Conditional(bool),
}

/// Random actions of `cores` cores on a byte-addressed memory.
fn acts(rng: &mut ChaCha8Rng, params: &CfiatParams, count: usize) -> Vec<(u8, Act)> {
    let mut memory: HashMap<u64, u8> = HashMap::new();
    let span = [16, 64, 512, 4000][rng.random_range(0..4)];
    let wide = params.xlen / 32;
    let mut act = || {
        let core = rng.random_range(0..params.cores);
        let size = 1u8 << rng.random_range(0..2 + wide);
        // some are outside RAM, some cross its end
        let addr = BASE + rng.random_range(0..span + 1) - u64::from(rng.random_range(0..9) == 0) * 5;
        let value: u64 = rng.random::<u64>() >> rng.random_range(0..64) >> (64 - 8 * u32::from(size)).min(63);
        let value = value & (u64::MAX >> (64 - 8 * u32::from(size)));
        let read = |memory: &HashMap<u64, u8>| {
            (0..size).fold(0, |v, i| v | u64::from(*memory.get(&(addr + u64::from(i))).unwrap_or(&0)) << (8 * i))
        };
        let act = match rng.random_range(0..20) {
            0..=9 if params.is_ram(addr, size) => Act::Load { addr, size, value: read(&memory) },
            // a device
            0..=9 => Act::Load { addr, size, value },
            10..=16 => {
                // a store that crosses the end of RAM goes to a device
                for i in 0..if params.is_ram(addr, size) { size } else { 0 } {
                    memory.insert(addr + u64::from(i), (value >> (8 * i)) as u8);
                }
                Act::Store { addr, size, value }
            }
            17 => Act::Csr(value & u64::from(u32::MAX)),
            _ => Act::Conditional(rng.random_range(0..3) > 0),
        };
        (core, act)
    };
    (0..count).map(|_| act()).collect()
}

fn encode(params: &CfiatParams, acts: &[(u8, Act)]) -> Vec<u32> {
    let mut r = Recorder::new(params).unwrap();
    for (hart, act) in acts.iter().copied() {
        let mut data = |kind| r.data(&DataEvent { hart, kind, pc: 0, cycle: 0 });
        match act {
            Act::Load { addr, size, value } => data(DataKind::Load { size, addr, value }),
            Act::Store { addr, size, value } => data(DataKind::Store { size, addr, value }),
            Act::Csr(value) => data(DataKind::Csr { csr: 0xc00, value }),
            Act::Conditional(stored) => r.note(hart, &Note::StoreConditional { stored }),
        }
    }
    r.finish();
    r.drain().collect()
}

/// Decodes the values; returns the index of the first wrong one, or the detected error.
fn decode(params: &CfiatParams, view: View, acts: &[(u8, Act)], words: &[u32]) -> Result<Option<usize>, String> {
    let records = Records::read(params, words.iter().copied()).map_err(|e| e.to_string())?;
    let mut decoder = Decoder::new(params, view, records).map_err(|e| e.to_string())?;
    let mut wrong = None;
    for (i, (core, act)) in acts.iter().enumerate() {
        let same = match *act {
            Act::Load { addr, size, value } => decoder.load(*core, addr, size).map(|v| v == value),
            Act::Store { addr, size, value } => {
                decoder.store(*core, addr, size, value);
                Ok(true)
            }
            Act::Csr(value) => decoder.csr(*core).map(|v| v == value),
            Act::Conditional(stored) => decoder.conditional(*core).map(|v| v == stored),
        };
        if !same.map_err(|e| e.to_string())? && wrong.is_none() {
            wrong = Some(i);
        }
    }
    (0..params.cores).try_for_each(|core| decoder.finish(core).map_err(|e| e.to_string()))?;
    Ok(wrong)
}

fn name() -> impl Strategy<Value = String> {
    let coding = prop::sample::select(vec!["", "(fixed)", "(fah=1,1;value=4,4)", "(fah=16,16;value=16,16)"]);
    let more = prop::sample::select(vec!["", "+shared", "+round", "+shared+round"]);
    let count = prop::sample::select(vec![8, 20, 32]);
    (coding, 4u32..11, 0u32..4, 0u32..7, 0u32..4, more, count).prop_map(|(coding, b, w, l, g, more, count)| {
        format!("cfiat{coding}:{}+ways{}+line{}+gran{}+count{count}{more}", 1 << b, 1 << w, 1 << l, 1 << g)
    })
}

fn params() -> impl Strategy<Value = CfiatParams> {
    (name(), 1u8..=5, any::<bool>()).prop_filter_map("sizes that are possible", |(name, cores, wide)| {
        let sizes: Sizes = name.parse().ok()?;
        let (xlen, last) = (if wide { 64 } else { 32 }, BASE + 3999);
        Some(CfiatParams { cores, xlen, ram_base: BASE, ram_last: last, sizes })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(500, 20_000)))]
    #[test]
    fn every_value_is_decoded(params in params(), seed: u64, count in 0usize..2500) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let acts = acts(&mut rng, &params, count);
        let words = encode(&params, &acts);
        prop_assert_eq!(decode(&params, View::All, &acts, &words), Ok(None));
        if !params.sizes.shared {
            // each core alone, as if the others did not exist
            let mut own = acts.clone();
            own.sort_by_key(|(core, _)| *core);
            prop_assert_eq!(decode(&params, View::Own, &own, &words), Ok(None));
        }
    }

    #[test]
    fn no_flipped_bit_gives_a_wrong_value_that_nobody_notices(params in params(), seed: u64, at: prop::sample::Index) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let acts = acts(&mut rng, &params, 300);
        let mut words = encode(&params, &acts);
        let bit = at.index(32 * words.len());
        words[bit / 32] ^= 1 << (bit % 32);
        if let Ok(wrong) = decode(&params, View::All, &acts, &words) {
            prop_assert_eq!(wrong, None);
        }
    }

    #[test]
    fn any_words_end_in_an_error(params in params(), words in prop::collection::vec(any::<u32>(), 0..40)) {
        let mut stream = sim::scheme::cfiat::header(&params).to_vec();
        stream.extend(words);
        // no panic and no hang; a valid stream of so few actions is nearly impossible
        let _ = Records::read(&params, stream);
    }
}

/// A truncated stream is rejected, wherever it ends.
#[test]
fn cuts_are_refused_before_a_value_is_reported() {
    let params = CfiatParams::new(3, (BASE as u32, 4000), "cfiat:64+ways2".parse().unwrap());
    let acts = acts(&mut ChaCha8Rng::seed_from_u64(5), &params, 500);
    let words = encode(&params, &acts);
    for len in 0..words.len() {
        assert!(Records::read(&params, words[..len].iter().copied()).is_err(), "{len}");
    }
    let more = words.iter().copied().chain([0]);
    assert_eq!(Records::read(&params, more), Err(StreamError::Trailing));
}

/// 1 record, 255 hits, a record for a hit, 255 hits, and so on.
#[test]
fn a_full_count_is_no_end() {
    let params = CfiatParams::new(2, (BASE as u32, 4096), "cfiat:1k+count8".parse().unwrap());
    let mut run = vec![(1, Act::Load { addr: BASE, size: 4, value: 7 }); 1000];
    // a store conditional that stores when the count is full
    run[512].1 = Act::Conditional(true);
    let words = encode(&params, &run);
    let records = Records::read(&params, words.iter().copied()).unwrap();
    assert_eq!(records.values(), 4);
    for view in [View::All, View::Own] {
        assert_eq!(decode(&params, view, &run, &words), Ok(None));
    }
}

#[test]
fn each_kind_of_damage_has_its_error() {
    let sizes: Sizes = "cfiat(fixed):64+ways1+line16".parse().unwrap();
    let params = CfiatParams::new(1, (BASE as u32, 4096), sizes);
    let load = |addr, value| (0, Act::Load { addr, size: 4, value });
    let run = [load(BASE, 7), load(BASE, 7), load(BASE + 4, 9)];
    let words = encode(&params, &run);
    let try_acts = |acts: &[(u8, Act)], words: &[u32]| decode(&params, View::All, acts, words).unwrap_err();
    let kind = |e: &str, want: MismatchKind| assert!(e.ends_with(&want.to_string()), "{e}");
    kind(
        &try_acts(&[(0, Act::Load { addr: BASE, size: 2, value: 7 })], &words),
        MismatchKind::Size { found: 4, right: 2 },
    );
    kind(&try_acts(&[run[0], load(BASE + 4, 9)], &words), MismatchKind::Unknown);
    kind(&try_acts(&[run[0], run[1], run[1]], &words), MismatchKind::Redundant);
    kind(&try_acts(&[run[0], run[1], run[2], run[2]], &words), MismatchKind::More);
    kind(&try_acts(&run[..2], &words), MismatchKind::Fewer);
    // the value of the first record: bits 48 to 79 after the header
    let mut bad = words.clone();
    bad[3 + 1] ^= 1 << 16;
    assert!(try_acts(&run, &bad).contains("some value was wrong"));
}
