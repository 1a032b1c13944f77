//! Schemes of the control flow: header, `follow`, `sc-lsp`, and the turns of shared predictors

use super::grammar::{chunked, difference, golomb, low, rows, written, Names, Table};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use retire::Context;
use sim::bits::BitWriter;
use sim::message::{Body, Escape, Message};
use sim::params::{Platform, StreamCacheParams, TrParams, TraceParams};
use sim::scheme::follow::record::{Coder, Form, Record, Target};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::InputsParams;
use sim::scheme::sc_lsp::record as stream;
use sim::scheme::sc_lsp::{params::PRESETS, record::Writer};
use sim::scheme::shared::SharedParams;
use sim::scheme::{cfiat, inputs, Encode, Scheme};
use sim::system::{header, repeated_header, shape_with_scale};

/// A number of `bits` bits or fewer, small ones as often as large ones.
pub fn some(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    let width = rng.random_range(0..=bits);
    rng.random::<u64>().checked_shr(64 - width).unwrap_or(0)
}

fn platform(rng: &mut ChaCha8Rng) -> Platform {
    Platform {
        timestamps: rng.random(),
        cores: [1, 4, 5][rng.random_range(0..3)],
        xlen: [32, 64][rng.random_range(0..2)],
        align: rng.random_range(0..3),
        signature: [0, 8, 16][rng.random_range(0..3)],
        ..Platform::RV32
    }
}

/// The fields before each message, with `diffCC` in chunks of `tr_e`.
fn start(p: &Platform, core: u8, diff_cc: u64) -> Names {
    let time = if p.timestamps { chunked(diff_cc, (4, 2)) } else { String::new() };
    Names::default().field("diffCC", time).field("Ti", low(core.into(), p.ti_bits()))
}

/// An escape, the row of it, and its `iCnt`.
fn escape(rng: &mut ChaCha8Rng, p: &Platform, kinds: u8) -> (&'static str, Escape, Option<u16>) {
    let i_cnt = some(rng, p.count_bits.into());
    let address = some(rng, p.xlen.into()) >> p.align << p.align;
    let context = p.context.map(|_| Context(rng.random::<u32>() & ((1 << p.context_bits()) - 1)));
    let signature = (p.signature > 0).then(|| some(rng, p.signature.into()) as u16);
    match rng.random_range(0..kinds) {
        0 => ("exception or interrupt", Escape::Exception { i_cnt, target: address, context }, None),
        1 => ("sync", Escape::Sync { i_cnt, pc: address, context }, None),
        2 => ("resync", Escape::Resync { i_cnt, signature }, signature),
        3 => ("overflow", Escape::Overflow { i_cnt, lost: 1 + some(rng, 18) }, None),
        4 => ("stop", Escape::Stop { i_cnt, signature }, signature),
        5 => ("progress", Escape::Progress { i_cnt, signature }, signature),
        _ => ("context", Escape::Context { i_cnt, context: context.unwrap_or(Context::RESET) }, None),
    }
}

fn signature_bits(p: &Platform, signature: Option<u16>) -> String {
    signature.map_or_else(String::new, |s| low(s.into(), p.signature.into()))
}

#[test]
fn messages_of_follow_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut table = Table::of("stream", "fields follow", 1, "");
    let mut targets = Table::of("stream", "fields follow target", 1, "");
    let mut escapes = Table::of("stream", "messages tr", 1, "chunked(0; b_cnt)");
    let mut contexts = Table::of("stream", "messages context", 1, "");
    for _ in 0..60 {
        let mut p = platform(&mut rng);
        p.context = rng.random::<bool>().then(|| rng.random_range(0..=16));
        let cores = usize::from(p.cores);
        let (mut coder, mut means, mut pta) = (Coder::new(&p), vec![16 << 4; cores], vec![0; cores]);
        for _ in 0..60 {
            let core = rng.random_range(0..p.cores);
            let diff_cc = if p.timestamps { some(&mut rng, 32) } else { 0 };
            let mean: &mut u64 = &mut means[usize::from(core)];
            let k = (*mean >> 4).max(1).ilog2();
            let run = move |n: u64| match n >> k {
                q @ 0..12 => "1".repeat(q as usize) + "0" + &low(n, k),
                q => "1".repeat(12) + &golomb(q - 12, 0) + &low(n, k),
            };
            let names = start(&p, core, diff_cc).code("run", run);
            let mut out = BitWriter::new();
            if rng.random_range(0..3) == 0 {
                let (row, escape, signature) = escape(&mut rng, &p, if p.context.is_some() { 7 } else { 6 });
                let context = match escape {
                    Escape::Exception { context, .. } | Escape::Sync { context, .. } => context,
                    Escape::Context { context, .. } => Some(context),
                    _ => None,
                };
                let from = if matches!(escape, Escape::Sync { .. }) { 0 } else { pta[usize::from(core)] };
                let (bits, align) = (p.address_bits(), p.align);
                let mut names = names
                    .sizes("b_cnt", 3, 2)
                    .field("iCnt", chunked(escape.i_cnt(), (2, 2)))
                    .field("signature", signature_bits(&p, signature))
                    .number("0", 0)
                    .sizes("i_cnt", 2, 2)
                    .code("addr", move |a| {
                        let (d, sign) = difference(from, a >> align, bits);
                        chunked(d, (3, 4)) + &sign
                    });
                if let Some(context) = context {
                    names = names.field("ctx", low(context.0.into(), p.context_bits()));
                }
                match escape {
                    Escape::Exception { target: a, .. } | Escape::Sync { pc: a, .. } => {
                        pta[usize::from(core)] = a >> align;
                        names = names.number("ETA", a).number("PC", a);
                    }
                    Escape::Overflow { lost, .. } => names = names.field("lost", chunked(lost, (2, 2))),
                    _ => {}
                }
                coder.encode(&Message { core, diff_cc, body: Record::Escape(escape) }, &mut out);
                let of = if context.is_some() { &mut contexts } else { &mut escapes };
                of.compare_with(row, |fields| fields.replace("chunked(0; b_cnt)", "run(0)"), &names, out);
                continue;
            }
            let count = 1 + some(&mut rng, 20);
            *mean = *mean - *mean / 16 + count;
            let pc = some(&mut rng, p.xlen.into()) >> p.align << p.align;
            let address = some(&mut rng, p.xlen.into()) >> p.align << p.align;
            let (slot, bits) = (rng.random_range(0..16), 4);
            let (d, sign) = difference(pc >> p.align, address >> p.align, p.address_bits());
            let words =
                Names::default().field("slot", low(slot.into(), bits)).number("abs(TA - pc)", d).field("sign", sign);
            let (form, row) = [
                (Form::Other, "prediction of the other table"),
                (Form::Slot { slot, bits, other: false }, "in the dictionary, and the other table has no prediction"),
                (
                    Form::Slot { slot, bits, other: true },
                    "in the dictionary, and the other table has another prediction",
                ),
                (Form::Difference { pc }, "any other; in the K instructions after a resync, every target"),
            ][rng.random_range(0..4)];
            let names = names.number("bCnt", count).field("target", targets.bits(row, &words));
            let target = Target { address, form };
            let (row, body) = [
                ("outcome mispredicted", Record::Outcome { count }),
                ("target mispredicted", Record::Target { count, target }),
                ("conditional indirect, not taken", Record::ConditionalIndirect { count, target: None }),
                (
                    "conditional indirect, taken, target mispredicted",
                    Record::ConditionalIndirect { count, target: Some(target) },
                ),
            ][rng.random_range(0..4)];
            coder.encode(&Message { core, diff_cc, body }, &mut out);
            table.compare(row, &names, out);
        }
    }
    [table, targets, escapes, contexts].iter().for_each(Table::end);
}

#[test]
fn messages_of_sc_lsp_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut table = Table::of("stream", "fields sc-lsp", 1, "");
    for sc in PRESETS {
        let p = platform(&mut rng);
        let mut writer = Writer::new(&sc, &p);
        for _ in 0..60 {
            sc_lsp_message(&mut rng, &sc, &p, &mut writer, &mut table);
        }
    }
    table.end();
}

fn sc_lsp_message(rng: &mut ChaCha8Rng, sc: &StreamCacheParams, p: &Platform, writer: &mut Writer, table: &mut Table) {
    let core = rng.random_range(0..p.cores);
    let diff_cc = if p.timestamps { some(rng, 32) } else { 0 };
    let width = p.address_bits();
    let address = |a: u64| low(a >> p.align, width);
    let start_address = some(rng, p.xlen.into()) >> p.align << p.align;
    let known = rng.random::<bool>();
    let sent = rng.random::<bool>();
    let (index, length) = (some(rng, sc.index_bits()) as u32, some(rng, sc.sl_bits.into()) as u32);
    let names = start(p, core, diff_cc)
        .field("SCI", low(index.into(), sc.index_bits()))
        .field("SL", low(length.into(), sc.sl_bits.into()));
    let (row, body, names) = match rng.random_range(0..5) {
        0 => {
            let bits = rng.random_range(0..=u32::from(sc.run_bits));
            let count = 1 + some(rng, bits) as u32;
            let names = names.field("n - 1", low(u64::from(count) - 1, bits));
            ("n predicted streams", stream::Record::Hits { count, bits }, names)
        }
        1 => ("stream in the cache", stream::Record::Index(index), names),
        2 => {
            let sa = match (sent, sc.upper_bits) {
                (false, _) => String::new(),
                (true, 0) => address(start_address),
                (true, u) if known => low(1, 1) + &low(start_address >> p.align, width - u32::from(u)),
                (true, _) => low(0, 1) + &address(start_address),
            };
            let start = sent.then_some((start_address, known));
            ("stream not in the cache", stream::Record::Miss { length, start }, names.field("SA", sa))
        }
        _ => {
            let (row, escape, signature) = escape(rng, p, 5);
            let is_sync = matches!(escape, Escape::Sync { .. });
            let waiting = (rng.random::<bool>() && !is_sync).then(|| some(rng, sc.run_bits.into()) as u32);
            let start = (!is_sync && (sent || waiting.is_some())).then_some(start_address);
            let mut names = names
                .field("waiting", waiting.map_or_else(String::new, |n| low(n.into(), sc.run_bits.into())))
                .field("SA", start.map_or_else(String::new, address))
                .field("iCnt", low(escape.i_cnt(), p.count_bits.into()))
                .field("signature", signature_bits(p, signature))
                .field("lost", low(0, p.count_bits.into()));
            match escape {
                Escape::Exception { target: a, .. } | Escape::Sync { pc: a, .. } => {
                    names = names.field("ETA", address(a)).field("PC", address(a));
                }
                Escape::Overflow { lost, .. } => names = names.field("lost", low(lost, p.count_bits.into())),
                _ => {}
            }
            (row, stream::Record::Escape { start, hits: waiting, escape }, names)
        }
    };
    let mut out = BitWriter::new();
    writer.encode(&Message { core, diff_cc, body }, &mut out);
    table.compare(row, &names, out);
}

#[test]
fn turns_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut table = Table::of("stream", "fields shared", 1, "");
    let scheme = TrParams::parse("tr_e", Some("m4")).unwrap().unwrap();
    for cores in [2, 5, 8] {
        let p = Platform { cores, ..Platform::RV32 };
        let mut shared = SharedParams(scheme).coder(&p);
        let mut alone = scheme.coder(&Platform { cores: 1, ..p });
        let mut next_of: Vec<u8> = (0..cores).map(|core| (core + 1) % cores).collect();
        let mut before = vec![0u64; cores.into()];
        let (mut core, mut bits, mut numbers) = (0u8, 0u32, 0u32);
        for _ in 0..200 {
            let message = Message { core, diff_cc: 0, body: Body::Outcome { count: 1 + some(&mut rng, 18) } };
            let (mut out, mut same) = (BitWriter::new(), BitWriter::new());
            shared.encode(&message, &mut out);
            alone.encode(&Message { core: 0, ..message }, &mut same);
            table.compare("each of those above", &Names::default().field("message", written(same)), out);

            let at = usize::from(core);
            let next = (core + rng.random_range(1..cores)) % cores;
            let length = 1 + some(&mut rng, 20);
            let d = length.wrapping_sub(before[at]) as i64;
            let folded = if d < 0 { -2 * d - 1 } else { 2 * d } as u64;
            let k = bits.checked_div(numbers).unwrap_or(0).saturating_sub(1);
            bits += folded.checked_ilog2().map_or(0, |log2| log2 + 1);
            numbers += 1;
            if numbers == 32 {
                (bits, numbers) = (bits / 2, numbers / 2);
            }
            let follows = if next == next_of[at] { low(0, 1) } else { low(1, 1) + &low(next.into(), p.ti_bits()) };
            let names = Names::default().field("next", follows).field("length", golomb(folded, k));
            let mut out = BitWriter::new();
            shared.encode(&Message { core, diff_cc: 0, body: Body::Turn { length, next } }, &mut out);
            table.compare("turn", &names, out);
            (next_of[at], before[at], core) = (next, length, next);
        }
    }
    table.end();
}

/// The value of a row of the header's table, such as `| 1 | 15:8 |`.
fn header_field(words: [u32; 3], row: &[String]) -> (usize, u32, u32) {
    let word: usize = row[0].parse().unwrap();
    let (high, lowest) = row[1].split_once(':').unwrap_or((&row[1], &row[1]));
    let (high, lowest): (u32, u32) = (high.parse().unwrap(), lowest.parse().unwrap());
    let mask = u32::MAX >> (31 - (high - lowest)) << lowest;
    (word, mask, (words[word] & mask) >> lowest)
}

proptest! {
    #[test]
    fn headers_have_the_fields_of_their_table(cores in 1u8..=8, timestamps: bool, repeated: bool, scale in 0u8..16, kind in 0..3) {
        let params = TraceParams::schemes("tr_e:small").unwrap().0;
        let params = TraceParams::new(Platform { cores, timestamps, ..Platform::RV32 }, params);
        let recorded = InputsParams::new(cores, 32, (0x8000_0000, 1 << 24), Sizes::default());
        let values = cfiat::CfiatParams::all_memory(cores, 32, "cfiat:16k".parse().unwrap());
        let (words, fingerprint) = match kind {
            0 => {
                let [magic, shape, rest] = if repeated { repeated_header(&params) } else { header(&params) };
                ([magic, shape_with_scale(shape, scale), rest], params.fingerprint())
            }
            1 => (inputs::header(&recorded), recorded.fingerprint()),
            _ => (cfiat::header(&values), values.fingerprint()),
        };
        let flow = u32::from(kind == 0);
        let (mut masks, mut found) = ([0; 3], 0);
        for row in rows("stream", "fields header") {
            let (word, mask, value) = header_field(words, &row);
            prop_assert_eq!(masks[word] & mask, 0, "{:?} overlaps another field", row);
            masks[word] |= mask;
            let right = match row[2].split([':', ',']).map(str::trim).collect::<Vec<_>>()[..] {
                ["`0x4b485347`", ..] => 0x4b48_5347,
                ["format version", version] => version.parse().unwrap(),
                ["number of cores N"] => cores.into(),
                ["1", "time-stamped"] => flow * u32::from(timestamps),
                ["1", "not the first header of its stream", ..] => flow * u32::from(repeated),
                ["1", "scheme [`inputs`](#scheme-inputs)"] => (kind == 1).into(),
                ["1", "[load values](load-values.md#the-stream-to-the-bit)"] => (kind == 2).into(),
                ["h", ..] => flow * u32::from(scale),
                ["parameter fingerprint", ..] => fingerprint,
                _ => panic!("what is {row:?}?"),
            };
            prop_assert_eq!(value, right, "{:?}", row);
            found += 1;
        }
        prop_assert_eq!(found, 9);
        (0..3).for_each(|word| assert_eq!(words[word] & !masks[word], 0, "word {word} has bits that no row has"));
    }
}
