//! `hdl/src/scheme/sc_lsp/{encoder,fields}.rs`, session and packer against the golden coder

use crate::encoder_harness::{coder, extras, number, word};
use crate::front_end_harness::entries::{records, resync};
use hdl::scheme::sc_lsp::entry::{CONTROL_EXCEPTION_RESYNC, NO_RUN, POST_HIT, POST_INDEX};
use hdl::spine::entry::*;
use hdl::spine::event_fifo::FIELD_COUNT;
use hdl::spine::front_port::EncoderPort;
use hdl::spine::packer::Packer;
use hdl::spine::ports::{SliceOut, WordsOut};
use hdl::spine::trace_framer::TraceFramer;
use hdl::widget::slot::Slot;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use sim::bits::BitWriter;
use sim::message::{Message, Report};
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{StreamCacheParams, Variant};
use sim::scheme::{Encode, Scheme};
use sim::stimulus::rounds;
use sim::system::{header, repeated_header};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::entry::Entry;
use testbenches::gates::emit_checked_system;

coder!(StreamCoder, resync);

/// A random entry; legal, in that indices and lengths are not 0 and it has nothing that `base` lacks.
fn entry(rng: &mut impl Rng, p: &TraceParams) -> Entry {
    let sc = p.stream_cache().unwrap();
    let base = sc.variant == Variant::Base;
    let pre = [PRE_NONE, PRE_NONE, PRE_NONE, PRE_EXCEPTION, PRE_SYNC, PRE_CONTROL][rng.random_range(0..6)];
    let post = match pre {
        PRE_CONTROL if extras(p).sync => rng.random_range(CONTROL_OVERFLOW..=CONTROL_EXCEPTION_RESYNC),
        PRE_CONTROL => CONTROL_OVERFLOW,
        // only `base` has predicted streams alone after an exception
        PRE_EXCEPTION | PRE_SYNC if !base => rng.random_range(0..POST_HIT),
        _ => rng.random_range(0..4),
    };
    let mut run = u32::from(NO_RUN) << 8;
    if (pre, post) == (PRE_NONE, 0) || rng.random_ratio(1, 4) {
        let k = if base { 0 } else { rng.random_range(1..=u32::from(sc.run_bits)) };
        run = k << 8 | rng.random_range(0..1 << k);
    }
    let width = if post == POST_INDEX { sc.index_bits() } else { sc.sl_bits.into() };
    let value = number(rng, width, 1) as u32;
    let signature: u32 = if p.signature == 0 { 0 } else { rng.random_range(0..1 << p.signature) };
    let value = if p.signature > 0 && pre == PRE_CONTROL { signature & 0x3ff } else { value };
    let (a, n) = (p.address_bits(), u32::from(p.count_bits));
    let overflow = (pre, post) == (PRE_CONTROL, CONTROL_OVERFLOW);
    let mut flags = rng.random_range(0..4);
    if extras(p).sync && flags & 1 == 1 && matches!(pre, PRE_EXCEPTION | PRE_CONTROL) && run >> 8 != u32::from(NO_RUN) {
        // a full counter is sent at once, and in base no stream waits
        let waits = (run & 0xff).min((1u32 << (run >> 8)).saturating_sub(2));
        run = if base || run >> 8 == 0 { u32::from(NO_RUN) << 8 } else { run & !0xff | waits };
    }
    if !extras(p).sync && matches!(pre, PRE_EXCEPTION | PRE_CONTROL) {
        // no header is repeated
        flags &= 2;
    }
    Entry {
        pre,
        post,
        icnt: number(rng, n, 0) as u32,
        bcnt: value | flags << 10 | run << 12,
        pc: if overflow { number(rng, n, 0) } else { number(rng, a, 0) },
        target: number(rng, a, 0),
        cc: if p.timestamps { number(rng, p.cc_bits.into(), 0) as u32 } else { 0 },
        // only stop and resync have a signature; the other bits do not count
        context: signature >> 10,
        resync_pc: number(rng, a, 0),
    }
}

fn run<const W: usize>(p: &TraceParams, seed: u64, entries: usize, stalls: bool, verilog: bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut list: Vec<(u8, Entry)> = (0..entries).map(|_| (rng.random_range(0..p.cores), entry(&mut rng, p))).collect();
    for core in 0..p.cores {
        let no_run = u32::from(NO_RUN) << 20;
        let signature = if p.signature == 0 { 0 } else { rng.random_range(0..1u32 << p.signature) };
        let (bcnt, context) = (no_run | signature & 0x3ff, signature >> 10);
        let stop =
            Entry { pre: PRE_CONTROL, post: CONTROL_STOP, icnt: 5, bcnt, target: 9, context, ..Entry::default() };
        list.push((core, stop));
    }
    let mut golden = BitWriter::new();
    header(p).iter().for_each(|w| golden.push((*w).into(), 32));
    let mut coder = p.stream_cache().unwrap().coder(&p.platform);
    for (core, e) in &list {
        for m in records(e, p) {
            coder.encode(&Message { core: *core, ..m }, &mut golden);
            if *core == 0 && m.body.is_resync() {
                golden.pad();
                repeated_header(p).iter().for_each(|w| golden.push((*w).into(), 32));
            }
        }
    }
    golden.pad();
    let want: Vec<u32> = golden.drain().collect();
    StreamCoder::<W>::play(p, COUNT_PORT_BITS, &list, &want, seed, stalls, verilog);
}

/// Random parameters for which there are circuits.
fn params(rng: &mut impl Rng) -> TraceParams {
    let variant = Variant::ALL[rng.random_range(0..3)];
    let ways = 1u16 << rng.random_range(0..4);
    let entries = 1u16 << rng.random_range(5..11);
    let own = variant != Variant::Base;
    let sc = StreamCacheParams {
        sl_bits: rng.random_range(6..=10),
        upper_bits: if own { rng.random_range(1..=14) } else { 0 },
        run_bits: if own { rng.random_range(1..=8) } else { 0 },
        ..StreamCacheParams::new(variant, entries / ways, ways as u8)
    };
    let mut p = TraceParams::sc_lsp(sc);
    p.timestamps = rng.random();
    p.cores = [1, 2, 4, 8][rng.random_range(0..4)];
    p.align = rng.random_range(1..=2);
    p.count_bits = rng.random_range(16..=24);
    p.cc_bits = rng.random_range(16..=32);
    p.signature = [0, 8, 16][rng.random_range(0..3)];
    p
}

#[test]
fn random_entries_of_every_variant_match_the_golden_coder() {
    for (i, variant) in Variant::ALL.into_iter().enumerate() {
        let p = TraceParams::sc_lsp(StreamCacheParams::new(variant, 32, 4));
        run::<32>(&p, i as u64, rounds(2_000, 35_000), false, false);
        run::<32>(&p.with(|p| (p.timestamps, p.cores) = (true, 4)), i as u64 + 10, rounds(1_000, 2_000), true, true);
    }
}

#[test]
fn random_entries_of_random_parameters_match_the_golden_coder() {
    for seed in 0..20 {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, rounds(250, 1_000), seed % 2 == 0, seed < 6);
    }
}

#[test]
fn addresses_of_64_bits_match_the_golden_coder() {
    for seed in 0..6 {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed)).with(|p| p.xlen = 64);
        run::<64>(&p, seed, rounds(250, 500), seed % 2 == 0, seed < 2);
    }
}

#[test]
fn encoder_and_packer_pass_the_static_gates() {
    for variant in Variant::ALL {
        let p = TraceParams::sc_lsp(StreamCacheParams::new(variant, 32, 4));
        emit_checked_system(&mut StreamCoder::<32>::new(&p)).unwrap();
        emit_checked_system(&mut StreamCoder::<64>::new(&p.with(|p| (p.cores, p.timestamps, p.xlen) = (4, true, 64))))
            .unwrap();
    }
}
