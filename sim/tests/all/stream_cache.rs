//! Scheme `sc-lsp`: every record bit by bit, as worked out by hand from `docs/reference/stream.md`, and random walks

use crate::common;
use crate::common::damage::{self, encode, replay};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::bits::{as_bits, BitWriter};
use sim::message::Kind;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{Hash, StreamCacheParams, Variant};
use sim::system::StreamStats;

fn event(kind: FlowKind, count: u32, target: u64) -> FlowEvent {
    // pc and len do not matter to this scheme
    FlowEvent { hart: 0, kind, len: 4, count, pc: 0, target, cycle: 0 }
}

const TAKEN: FlowKind = FlowKind::Conditional { taken: true };
const NOT_TAKEN: FlowKind = FlowKind::Conditional { taken: false };
const TRAP: FlowKind = FlowKind::Trap { interrupt: true, cause: 7 };

/// Encodes `lines` in sequence and compares the bits of each; `None` is the stop. In a line, spaces are ignored and `z`
/// stands for 16 zeros.
fn check(params: &TraceParams, lines: &[(Option<FlowEvent>, &str)]) {
    let mut cores = params.flow.model(&params.platform);
    let (mut out, mut stats) = (BitWriter::new(), StreamStats::default());
    let mut want = String::new();
    let mut cycle = 0;
    for (i, (event, line)) in lines.iter().enumerate() {
        match event {
            Some(e) => {
                cycle = e.cycle;
                cores.event(e, &mut out, &mut stats);
            }
            None => cores.finish(cycle, &mut out, &mut stats),
        }
        want.push_str(&line.replace(' ', "").replace('z', &"0".repeat(16)));
        assert_eq!(out.len(), want.len() as u64, "line {i}: {line}");
    }
    let sent: u64 = stats.kinds.iter().map(|k| k.bits).sum();
    assert_eq!(sent, out.len());
    out.pad();
    let words: Vec<u32> = out.drain().collect();
    let got: String = as_bits(&words)[..want.len()].iter().map(|b| if *b { '1' } else { '0' }).collect();
    assert_eq!(got, want);
}

fn params(variant: Variant) -> TraceParams {
    TraceParams::sc_lsp(StreamCacheParams::new(variant, 32, 4))
}

#[test]
fn base_records() {
    check(
        &params(Variant::Base),
        &[
            // sync: SL 0, kind, PC 0x8
            (Some(event(FlowKind::Start, 0, 0x10)), "0 0000000 00000000 1 000 0001 z 00000000000"),
            // (0x10, 2): set 1 ^ 2 = 3, way 0; its start is known
            (Some(event(TAKEN, 2, 0x10)), "0 0000000 01000000"),
            // SCI 12
            (Some(event(TAKEN, 2, 0x10)), "0 0011000"),
            (Some(event(TAKEN, 2, 0x10)), "1"),
            (Some(event(NOT_TAKEN, 1, 0x14)), ""),
            (Some(event(FlowKind::Jump, 1, 0x44)), ""),
            (Some(event(FlowKind::Return, 1, 0x40)), "0 0000000 11000000"),
            // its start is unknown: SL 4, SA 0x40
            (Some(event(TAKEN, 4, 0x10)), "0 0000000 00100000 000001 z 000000000"),
            (Some(event(TAKEN, 2, 0x10)), "0 0011000"),
            // stream 12 was last followed by the one that returned
            (Some(event(TAKEN, 2, 0x10)), "0 0011000"),
            (Some(event(TAKEN, 2, 0x10)), "1"),
            // exception after 5 instructions, handler at 0x80
            (Some(event(TRAP, 5, 0x80)), "0 0000000 00000000 0 1010 z 0000001 z 00000000"),
            (Some(event(FlowKind::IndirectJump, 1, 0x100)), "0 0000000 10000000"),
            // and another directly after a jump to an unknown target: start 0x100, then handler 0x80
            (Some(event(TRAP, 0, 0x80)), "0 0000000 00000000 0 0000 z 00000001 z 0000000 0000001 z 00000000"),
            (Some(event(FlowKind::IndirectJump, 1, 0x100)), "0 0010010"),
            // stop after 2 instructions at 0x100
            (Some(event(FlowKind::Stop, 2, 0x104)), ""),
            (None, "0 0000000 00000000 1 010 0100 z 00000001 z 0000000"),
        ],
    );
}

#[test]
fn ebase_counts_hits_and_drops_upper_bits() {
    let stream = |line| (Some(event(TAKEN, 2, 0x10)), line);
    check(
        &params(Variant::Ebase),
        &[
            (Some(event(FlowKind::Start, 0, 0x10)), "0 0000000 00000000 1 000 0001 z 00000000000"),
            stream("0 0000000 01000000"),
            stream("0 0011000"),
            // two hits fill a 1-bit counter; after three full ones it has two bits
            stream(""),
            stream("1 1"),
            stream(""),
            stream("1 1"),
            stream(""),
            stream("1 1"),
            stream(""),
            stream(""),
            stream(""),
            stream("1 11"),
            stream(""),
            // a run of one hit ends with a miss: 1 - 1 = 0
            (Some(event(FlowKind::Return, 3, 0x8000_0040)), "1 00  0 0000000 11000000"),
            // the upper bits differ from their reset value 0: bit 0, all 31 bits of SA
            (Some(event(FlowKind::Return, 4, 0x8001_0000)), "0 0000000 00100000 0 000001 z 00000000 1"),
            // now they are equal: bit 1, 17 bits
            (Some(event(FlowKind::Return, 4, 0x10)), "0 0000000 00100000 1 000000000000000 10"),
            (None, "0 0000000 00000000 1 010 0000 z 0001 z 00000000000"),
        ],
    );
}

#[test]
fn rbase_misses_where_the_upper_bits_change() {
    let far = |line| (Some(event(TAKEN, 2, 0x8000_0010)), line);
    check(
        &params(Variant::Rbase),
        &[
            (Some(event(FlowKind::Start, 0, 0x10)), "0 0000000 00000000 1 000 0001 z 00000000000"),
            far("0 0000000 01000000"),
            // the entry exists, but with other upper bits
            far("0 0000000 01000000"),
            far(""),
            far("1 1"),
            (Some(event(FlowKind::Return, 2, 0x20)), ""),
            // sent in full, after the pending hit
            (Some(event(FlowKind::Return, 2, 0x30)), "1 0  0 0000000 01000000 0 00001 z 0000000000"),
            // the last upper bits were 0: 19 bits
            (Some(event(FlowKind::Return, 2, 0x30)), "0 0000000 01000000 1 00011 00000000000000"),
            (None, "0 0000000 00000000 1 010 0000 z 00011 z 0000000000"),
        ],
    );
}

#[test]
fn time_stamped_records_begin_with_the_cycles_since_the_last_one() {
    let p = params(Variant::Ebase).with(|p| (p.timestamps, p.cc_bits) = (true, 16));
    let at = |cycle, e: FlowEvent| Some(FlowEvent { cycle, ..e });
    let again = |cycle| at(cycle, event(TAKEN, 2, 0x10));
    check(
        &p,
        &[
            (at(5, event(FlowKind::Start, 0, 0x10)), "1010 0  0 0000000 00000000 1 000 0001 z 00000000000"),
            (again(21), "0000 1 10 0  0 0000000 01000000"),
            (again(22), "1000 0  0 0011000"),
            (again(24), ""),
            // the time of the hit that fills the counter
            (again(30), "0001 0  1 1"),
            // a single hit, but 2^15 cycles after the last record
            (again(30 + 32_768), "0000 1 00 1 00 1 00 1 00 1 00 1 01 0  1 0"),
            // the counter saturates at 2^16 - 1
            (again(132_798), "1111 1 11 1 11 1 11 1 11 1 11 1 11 0  1 0"),
            (again(132_800), ""),
            // the pending hit and the record that sends it have the same time
            (at(132_808, event(FlowKind::Return, 3, 0x40)), "0101 0  1 0  0000 0  0 0000000 11000000"),
            (None, "0000 0  0 0000000 00000000 1 010 0000 z 000001 z 000000000"),
        ],
    );
}

#[test]
fn several_cores_have_their_own_tables() {
    let mut p = params(Variant::Base);
    p.cores = 3;
    let of = |hart, e: FlowEvent| Some(FlowEvent { hart, ..e });
    check(
        &p,
        &[
            (of(2, event(FlowKind::Start, 0, 0x10)), "01 0 0000000 00000000 1 000 0001 z 00000000000"),
            (of(0, event(FlowKind::Start, 0, 0x10)), "00 0 0000000 00000000 1 000 0001 z 00000000000"),
            (of(2, event(TAKEN, 2, 0x10)), "01 0 0000000 01000000"),
            (of(0, event(TAKEN, 2, 0x10)), "00 0 0000000 01000000"),
            (of(2, event(TAKEN, 2, 0x10)), "01 0 0011000"),
            (of(2, event(TAKEN, 2, 0x10)), "01 1"),
            (
                None,
                "00 0 0000000 00000000 1 010 0000 z  10 0 0000000 00000000 1 010 0000 z  01 0 0000000 00000000 1 010 0000 z",
            ),
        ],
    );
}

#[test]
fn a_long_stream_ends_at_the_next_control_flow_instruction() {
    check(
        &params(Variant::Base),
        &[
            (Some(event(FlowKind::Start, 0, 0x10)), "0 0000000 00000000 1 000 0001 z 00000000000"),
            (Some(event(NOT_TAKEN, 253, 0x400)), ""),
            // 254 and more: 254 when the flow changes or at a jump, 255 at a conditional branch that is not taken
            (Some(event(FlowKind::Jump, 1, 0x10)), "0 0000000 01111111"),
            (Some(event(NOT_TAKEN, 1000, 0x800)), "0 0000000 11111111"),
            (Some(event(TAKEN, 254, 0x10)), "0 0000000 01111111"),
            // (0x10, 255): set 1 ^ 31, SCI 120
            (Some(event(NOT_TAKEN, 254, 0x800)), "0 0001111"),
            (Some(event(FlowKind::Return, 255, 0x10)), "1"),
            (None, "0 0000000 00000000 1 010 0000 z 0001 z 00000000000"),
        ],
    );
}

#[test]
fn all_parameters_are_in_the_line_of_the_fingerprint() {
    let p = params(Variant::Rbase);
    assert_eq!(
        p.canonical(),
        "sc-lsp variant=rbase sets=32 ways=4 sl=8 upper=12 hash=>>4 run=8 cores=1 xlen=32 align=1 count=20"
    );
    assert_eq!(p.timed().canonical(), p.canonical() + " timestamps=1 diffcc=4,2 cc=32");
}

/// Any valid shape.
fn random(rng: &mut ChaCha8Rng, cores: u8) -> TraceParams {
    let variant = Variant::ALL[rng.random_range(0..3)];
    let ways = 1u16 << rng.random_range(0..4);
    let entries = 1u16 << rng.random_range(5..11);
    let p = StreamCacheParams::new(variant, entries / ways, ways as u8);
    let own = variant != Variant::Base;
    let sc = StreamCacheParams {
        sl_bits: rng.random_range(6..=12),
        upper_bits: if own { rng.random_range(1..=14) } else { 0 },
        hash: if rng.random() { Hash::Right } else { Hash::Left },
        shift: rng.random_range(0..=8),
        run_bits: if own { rng.random_range(1..=8) } else { 0 },
        ..p
    };
    let (count_bits, cc_bits) = (rng.random_range(16..=24), rng.random_range(16..=32));
    TraceParams::sc_lsp(sc)
        .with(|p| (p.cores, p.count_bits, p.cc_bits, p.timestamps) = (cores, count_bits, cc_bits, rng.random()))
}

#[test]
fn random_walks_come_back_for_any_parameters() {
    let mut kinds = [0; Kind::ALL.len()];
    let mut long = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cores = [1, 2, 3, 4, 8, 16][seed as usize % 6];
        let params = random(&mut rng, cores);
        let program = common::program(seed, 400);
        let image = Image::new(&program);
        let events = common::walk(&image, 400, cores, seed, 3000);
        let (words, system) = encode(&params, &events);
        let (seen, summary) = replay(&image, &params, &words).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for hart in 0..cores {
            let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
            let (want, got) = (of(&events), of(&seen));
            for (i, (w, g)) in want.iter().zip(&got).enumerate() {
                assert!(w.same_flow(g), "seed {seed}, hart {hart}, event {i}:\n went in {w:?}\ncame back {g:?}");
            }
            assert_eq!(want.len(), got.len(), "seed {seed}, hart {hart}");
        }
        assert_eq!(summary.stats.bits, 32 * words.len() as u64, "seed {seed}");
        assert_eq!(&summary.stats, system.stats(), "seed {seed}");
        long += system.streams().iter().map(|c| c.long).sum::<u64>();
        for (n, k) in kinds.iter_mut().zip(summary.stats.kinds) {
            *n += k.messages;
        }
    }
    use Kind::{Descriptor, Exception, Hits, Index, Stop, Sync};
    for kind in Kind::ALL {
        let sent = [Exception, Sync, Stop, Hits, Index, Descriptor].contains(&kind);
        assert_eq!(kinds[kind as usize] > 0, sent, "{kind:?}: {} messages", kinds[kind as usize]);
    }
    assert!(long > 100, "{long} long streams");
}

#[test]
fn damaged_streams_neither_panic_nor_run_on() {
    damage::is_reported((0..12).map(|seed| random(&mut ChaCha8Rng::seed_from_u64(seed), 2)));
}

#[test]
fn the_header_shows_a_wrong_stream_cache() {
    let program = common::program(3, 300);
    let image = Image::new(&program);
    let events = common::walk(&image, 300, 1, 3, 600);
    let p = params(Variant::Rbase);
    let (words, _) = encode(&p, &events);
    let other = TraceParams::sc_lsp(StreamCacheParams { shift: 3, ..p.stream_cache().unwrap() });
    let e = replay(&image, &other, &words).unwrap_err().to_string();
    assert!(e.contains("the parameter fingerprint in the stream header is 0x"), "{e}");
}
