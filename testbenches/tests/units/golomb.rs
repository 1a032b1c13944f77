//! `hdl/src/scheme/tr/coder/golomb.rs` in its encoder against the golden coder

use crate::encoder_harness::tr::{contexts, passes_the_static_gates, platform, run};
use crate::part_harness::sends_what_the_model_sends;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim::params::{TrParams, TraceParams};
use sim::scheme::tr::coder::golomb::Orders;
use sim::scheme::tr::coder::CoderParams;
use sim::stimulus::rounds;

fn golomb(orders: Orders) -> TraceParams {
    TraceParams::tr(TrParams { coder: CoderParams::Golomb(orders), ..TrParams::sizes(512, 8, 0) })
}

fn params(seed: u64) -> TraceParams {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut k = || rng.random_range(0..=15);
    let mut p = golomb(Orders { b_cnt: k(), diff_ta: k(), diff_cc: k(), i_cnt: k() });
    platform(rng, &mut p);
    p
}

#[test]
fn random_entries_of_the_usual_orders_match_the_golden_coder() {
    run::<32>(&golomb(Orders::DEFAULT), 1, rounds(3_000, 50_000), false, false);
    run::<32>(&golomb(Orders::DEFAULT), 2, rounds(1_000, 2_000), true, true);
}

#[test]
fn random_entries_of_random_parameters_match_the_golden_coder() {
    for seed in 0..rounds(16, 30) {
        run::<32>(&params(seed), seed, rounds(250, 700), seed % 2 == 0, seed < 5);
    }
    for seed in 30..36 {
        run::<64>(&params(seed).with(|p| p.xlen = 64), seed, rounds(200, 300), seed % 2 == 0, seed < 32);
    }
}

#[test]
fn contexts_match_the_golden_coder() {
    for seed in 0..6 {
        let mut p = params(seed);
        contexts(&mut ChaCha8Rng::seed_from_u64(seed), &mut p);
        run::<32>(&p, seed, rounds(250, 400), seed % 2 == 0, seed < 2);
    }
}

#[test]
fn programs_on_whole_systems_send_what_the_model_sends() {
    sends_what_the_model_sends("golomb:s1");
}

#[test]
fn golomb_passes_the_static_gates() {
    passes_the_static_gates(&golomb(Orders::DEFAULT));
}
