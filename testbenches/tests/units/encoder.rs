//! `hdl/src/scheme/tr/{encoder,fields}.rs` and `hdl/src/scheme/tr/coder/{chunked,digits}.rs` with
//! `hdl/src/spine/{trace_framer,packer,packer_wide,stamp}.rs` against the golden coder

use crate::encoder_harness::extras;
use crate::encoder_harness::tr::{contexts, passes_the_static_gates, platform, run};
use hdl::spine::slices::{fits, Slices};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim::params::{Chunks, Coding, FlowScheme, NexusParams, TrParams, TraceParams};
use sim::stimulus::rounds;

fn params(rng: &mut impl Rng) -> TraceParams {
    let mut c = || Chunks::new(rng.random_range(1..=16), rng.random_range(1..=16));
    let coding = Coding { b_cnt: c(), diff_ta: c(), diff_cc: c(), i_cnt: c() };
    let mut p = TraceParams::tr(TrParams::sizes(512, 8, 0).coded(coding));
    if rng.random_ratio(1, 4) {
        p.flow = FlowScheme::Nexus(NexusParams::NxB(coding));
    }
    platform(rng, &mut p);
    p.signature = [0, 8, 16][rng.random_range(0..3)];
    p
}

#[test]
fn random_entries_of_named_encodings_match_the_golden_coder() {
    for (i, coding) in [Coding::TR_E, Coding::TR_B].into_iter().enumerate() {
        let p = TraceParams::tr(TrParams::sizes(512, 8, 0).coded(coding));
        run::<32>(&p, i as u64, rounds(2_000, 12_000), false, false);
        run::<32>(&p, i as u64 + 10, rounds(1_000, 2_000), true, true);
    }
}

#[test]
fn random_entries_of_random_parameters_match_the_golden_coder() {
    for seed in 0..rounds(20, 40) {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, rounds(200, 1_000), seed % 2 == 0, false);
    }
    for seed in 40..46 {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, rounds(400, 1_000), seed % 2 == 0, true);
    }
}

/// One core, first chunks of at most four bits, further ones of two or four bits: the digit coder.
fn short(rng: &mut impl Rng) -> TraceParams {
    let mut c = |most| Chunks::new(rng.random_range(1..=most), 2 << rng.random_range(0..2));
    let coding = Coding { b_cnt: c(3), diff_ta: c(4), diff_cc: c(4), i_cnt: c(3) };
    let mut p = TraceParams::tr(TrParams::sizes(512, 8, 0).coded(coding));
    platform(rng, &mut p);
    p.signature = [0, 8, 16][rng.random_range(0..3)];
    (p.cores, p.timestamps) = (1, false);
    assert!(fits(&coding, &p));
    p
}

#[test]
fn random_entries_of_one_core_in_short_chunks_match_the_golden_coder() {
    for seed in 0..8 {
        let p = short(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, 300, seed % 2 == 0, false);
    }
    for seed in 8..10 {
        let p = short(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, 300, seed % 2 == 0, true);
    }
}

/// No target predictor, but times or several cores: wide slices.
fn wide_slices(rng: &mut impl Rng) -> TraceParams {
    let mut c = |most| Chunks::new(rng.random_range(1..=most), rng.random_range(1..=16));
    let coding = Coding { b_cnt: c(16), diff_ta: c(16), diff_cc: c(6), i_cnt: c(16) };
    let mut p = TraceParams::tr(TrParams::sizes(512, 0, 0).coded(coding));
    platform(rng, &mut p);
    p.signature = [0, 8, 16][rng.random_range(0..3)];
    p.timestamps |= p.cores == 1;
    assert_eq!(Slices::of(&p, &extras(&p)), Slices::Wide);
    p
}

#[test]
fn random_entries_in_broad_pieces_match_the_golden_coder() {
    for seed in 0..rounds(12, 40) {
        let p = wide_slices(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, rounds(200, 1_000), seed % 2 == 0, seed < 4);
    }
    let p = wide_slices(&mut ChaCha8Rng::seed_from_u64(40)).with(|p| p.xlen = 64);
    run::<64>(&p, 40, 400, true, true);
}

#[test]
fn contexts_match_the_golden_coder() {
    for seed in 0..6 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut p = if seed % 3 == 0 { short(rng) } else { params(rng) };
        contexts(rng, &mut p);
        run::<32>(&p, seed, 300, seed % 2 == 0, seed < 3);
        p.xlen = 64;
        contexts(rng, &mut p);
        run::<64>(&p, seed, 150, seed % 2 == 0, seed == 3);
    }
}

#[test]
fn addresses_of_64_bits_match_the_golden_coder() {
    for seed in 0..6 {
        let mut p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        p.xlen = 64;
        run::<64>(&p, seed, rounds(250, 500), seed % 2 == 0, seed < 2);
    }
}

#[test]
fn encoder_and_packer_pass_the_static_gates() {
    passes_the_static_gates(&TraceParams::tr(TrParams::sizes(512, 8, 0)));
}
