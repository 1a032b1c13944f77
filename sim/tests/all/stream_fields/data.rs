//! Schemes of data: `inputs`, its bus masters, and load values

use super::flow::some;
use super::grammar::{low, zigzag, Names, Table};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use retire::MasterStore;
use sim::bits::BitWriter;
use sim::scheme::cfiat::message::{write, Record};
use sim::scheme::cfiat::{params::Coding, CfiatParams};
use sim::scheme::inputs::master::Masters;
use sim::scheme::inputs::message::{write_value, Body, Coder, Trap};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::InputsParams;

/// Mean of the lengths of a Rice code, in units of 1/16.
struct Mean(u64);

impl Mean {
    /// `rice(n)` with the current mean.
    fn code(&self) -> impl Fn(u64) -> String {
        let k = (self.0 >> 4).max(1).ilog2();
        move |n| match n >> k {
            q @ 0..12 => "1".repeat(q as usize) + "0" + &low(n, k),
            _ => "1".repeat(12) + &low(n, 32),
        }
    }

    fn learn(&mut self, n: u64) {
        self.0 = self.0 - self.0 / 8 + 2 * n;
    }
}

#[test]
fn messages_of_inputs_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut table = Table::of("stream", "fields inputs", 1, "");
    for cores in [1, 1, 4, 4] {
        let params = InputsParams::new(cores, 32, (0x8000_0000, 1 << 24), Sizes::default());
        let (mut coder, mut references, mut instructions) = (Coder::new(&params), Mean(256 << 4), Mean(256 << 4));
        let mut last = None;
        for _ in 0..300 {
            // the index of the core is written by its caller
            let names = Names::default().field("Ti", "").code("rice'", instructions.code());
            let names = match cores {
                1 => names.code("rice", |_| String::new()),
                _ => names.code("rice", references.code()),
            };
            let (signature, count) = (rng.random::<u32>(), some(&mut rng, 20));
            let names =
                names.field("signature", low(signature.into(), 32)).number("iCnt", count).number("skipped", count);
            let mut out = BitWriter::new();
            match rng.random_range(0..5) {
                0 if cores > 1 => {
                    coder.write(&Body::Episode(1 + count as u32), &mut out);
                    table.compare("episode", &names.number("references", 1 + count), out);
                    references.learn(1 + count);
                }
                0 | 1 => {
                    coder.write(&Body::Input { skipped: count as u32 }, &mut out);
                    if rng.random() {
                        table.compare("input: an `sc` that failed", &names, out);
                    } else {
                        let bits = [8, 16, 32, 64][rng.random_range(0..4)];
                        let (value, predicted) = (some(&mut rng, bits), some(&mut rng, bits));
                        write_value(value, predicted, bits, &mut out);
                        let zigzag = zigzag(value.wrapping_sub(predicted), bits);
                        table.compare("input", &names.number("zigzag", zigzag), out);
                    }
                }
                2 => {
                    let (interrupt, cause) = (rng.random(), rng.random_range(5..8));
                    let trap = Trap { instructions: count as u32, interrupt, cause };
                    coder.write(&Body::Trap(trap), &mut out);
                    let same = last.replace((interrupt, cause)) == Some((interrupt, cause));
                    let row =
                        if same { "trap with the cause of the core's previous one" } else { "trap with another cause" };
                    let names = names.field("interrupt", low(interrupt.into(), 1)).field("cause", low(cause.into(), 4));
                    table.compare(row, &names, out);
                    instructions.learn(count);
                }
                3 => {
                    coder.write(&Body::Check(signature), &mut out);
                    table.compare("check", &names, out);
                }
                _ => {
                    coder.write(&Body::Stop { instructions: count, signature }, &mut out);
                    table.compare("stop", &names, out);
                }
            }
        }
    }
    table.end();
}

#[test]
fn messages_of_bus_masters_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut table = Table::of("stream", "fields masters", 1, "");
    let mut masters = Masters::new(0x8000_0000);
    let (mut after, mut last, mut stores) = (0u64, 0u32, 0);
    for _ in 0..1000 {
        let names = Names::default().field("Ti", "");
        let mut out = BitWriter::new();
        if rng.random_range(0..10) == 0 {
            masters.stop(&mut out);
            let names = names.number("stores", stores).field("signature", low(masters.signature.into(), 32));
            table.compare("stop", &names, out);
            continue;
        }
        let mask = if rng.random() { 15 } else { rng.random_range(1..15) };
        let bytes: u32 = (0..4).filter(|i| mask >> i & 1 == 1).map(|i| 0xff << (8 * i)).sum();
        let value = some(&mut rng, 32) as u32 & bytes;
        let addr = 0x8000_0000 + some(&mut rng, 24) / 4 * 4;
        masters.store(&MasterStore { addr, value, mask, cycle: 0 }, &mut out);
        let further = zigzag((addr >> 2).wrapping_sub(after), 28);
        let names = names
            .number("zigzag(further)", further)
            .number("zigzag(further) << 4 | mask", further << 4 | u64::from(mask))
            .number("zigzag(value - last)", zigzag(u64::from(value.wrapping_sub(last)), 32));
        table.compare(if mask == 15 { "store of a word" } else { "store of some bytes" }, &names, out);
        (after, last, stores) = ((addr >> 2) + 1, value, stores + 1);
    }
    table.end();
}

#[test]
fn records_of_load_values_have_the_fields_of_their_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut chunks = Table::of("load-values", "fields cfiat", 1, "");
    let mut fixed = Table::of("load-values", "fields cfiat", 2, "");
    for name in ["cfiat:16k", "cfiat(fah=4,4;value=8,8):16k", "cfiat(fixed):16k"] {
        for (cores, xlen) in [(1, 32), (4, 32), (5, 64)] {
            let params = CfiatParams::all_memory(cores, xlen, name.parse().unwrap());
            for _ in 0..200 {
                let core = rng.random_range(0..cores);
                let (fah, size, signature) = (some(&mut rng, 20) as u32, 1 << rng.random_range(0..4), rng.random());
                let bits = 8 * u32::from(size);
                let value = some(&mut rng, bits);
                let (row, record) =
                    [("value", Record::Value { fah, size, value }), ("stop", Record::Stop { fah, signature })]
                        [rng.random_range(0..2)];
                let size_field = match (u32::from(size), xlen) {
                    (8, 64) | (4, 32) => "0".into(),
                    (1, _) => "1".to_string() + &low(0, 2),
                    (2, _) => "1".to_string() + &low(1, 2),
                    _ => "1".to_string() + &low(2, 2),
                };
                let names = Names::default()
                    .field("Ti", low(core.into(), params.ti_bits()))
                    .field("tid", low(core.into(), 8))
                    .field("size", size_field)
                    .field("bytes", low(size.into(), 8))
                    .field("fahCnt", low(fah.into(), 32))
                    .field("value", low(value, bits))
                    .field("signature", low(u64::from(signature), 32))
                    .number("fahCnt", fah.into())
                    .number("value", value);
                let mut out = BitWriter::new();
                write(&params, core, &record, &mut out);
                match params.sizes.coding {
                    Coding::Fixed => fixed.compare(row, &names, out),
                    Coding::Chunks { fah, value } => {
                        let names = names.sizes("fah", fah.first, fah.next).sizes("value", value.first, value.next);
                        chunks.compare(row, &names, out);
                    }
                }
            }
        }
    }
    chunks.end();
    fixed.end();
}
