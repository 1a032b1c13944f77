//! Every baseline is lossless on random programs, and rejects damaged data without a panic

use proptest::prelude::*;
use retire::image::Image;
use retire::stream::{self, Stream};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::baseline::{decode, verify, Encoded, Harts, Params};

/// A random walk through `blocks` blocks; block b starts at `base(b)`, and holds 1 to 5000 instructions.
fn walk(seed: u64, harts: u8, steps: u32, blocks: u64, xlen: u8) -> Vec<FlowEvent> {
    let mut state = seed | 1;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let high = if xlen == 64 { 0x0012_3456_0000_0000 } else { 0 };
    let base = |b: u64| 0x8000_0000 + b % 7 * 0x0010_0000 + b * 0x1_0000 + if b % 3 == 0 { high } else { 0 };
    let length = |b: u64| if b % 11 == 10 { 4094 + b as u32 % 3 } else { 1 + b as u32 * 37 % 300 };
    let end = |b: u64| base(b) + 4 * u64::from(length(b) - 1);
    let event = |hart, kind, count, pc, target| {
        let retires = !matches!(kind, FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Stop);
        FlowEvent { hart, kind, len: if retires { 4 } else { 0 }, count, pc, target, cycle: 0 }
    };
    let mut at: Vec<u64> = (0..u64::from(harts)).map(|h| h % blocks).collect();
    let mut events: Vec<FlowEvent> =
        at.iter().enumerate().map(|(h, b)| event(h as u8, FlowKind::Start, 0, base(*b), base(*b))).collect();
    for _ in 0..steps {
        let hart = random(harts.into()) as u8;
        let b = at[usize::from(hart)];
        let mut count = length(b);
        if count > 4 && random(9) == 0 {
            let trap = FlowKind::Trap { interrupt: true, cause: 7 };
            let (cut, handler) = (3, 0x7000_0000);
            let pc = base(b) + 4 * u64::from(cut);
            events.push(event(hart, trap, cut, pc, handler));
            events.push(event(hart, FlowKind::TrapReturn, 9, handler + 32, pc));
            count -= cut;
        }
        let fixed = (b * 5 + 1) % blocks;
        let (kind, to) = match b % 5 {
            0 | 1 if random(3) == 0 => (FlowKind::Conditional { taken: false }, fixed),
            0 | 1 => (FlowKind::Conditional { taken: true }, fixed),
            2 => (FlowKind::Call, fixed),
            3 => (FlowKind::IndirectJump, random(blocks)),
            _ => (FlowKind::Return, random(4) % blocks),
        };
        if kind == (FlowKind::Conditional { taken: false }) {
            events.push(event(hart, kind, count, end(b), end(b) + 4));
            events.push(event(hart, FlowKind::Jump, 1, end(b) + 4, base(fixed)));
        } else {
            events.push(event(hart, kind, count, end(b), base(to)));
        }
        at[usize::from(hart)] = to;
    }
    for (h, b) in at.iter().enumerate() {
        events.push(event(h as u8, FlowKind::Stop, 0, base(*b), base(*b)));
    }
    events
}

fn encode(events: &[FlowEvent], params: &Params, harts: u8, xlen: u8, align: u8) -> Vec<Encoded> {
    let mut coders = Harts::new(params, harts, xlen, align).unwrap();
    events.iter().for_each(|e| coders.event(e));
    coders.finish().unwrap()
}

fn decoded(encoded: &[Encoded], params: &Params, xlen: u8, align: u8, image: &Image) -> Vec<Vec<Stream>> {
    encoded.iter().map(|e| decode(e, params, xlen, align, image).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn streams_come_back_from_every_baseline(
        seed in any::<u64>(), harts in 1u8..=4, blocks in 1u64..300, wide in any::<bool>(), align in 0u8..=2
    ) {
        let xlen = if wide { 64 } else { 32 };
        let events = walk(seed, harts, 2000, blocks, xlen);
        let image = Image::from_events(&events).unwrap();
        let want = stream::streams(&events, harts);
        for params in Params::ALL {
            let encoded = encode(&events, &params, harts, xlen, align);
            for e in &encoded {
                prop_assert_eq!(e.bits.div_ceil(8), e.bytes.len() as u64, "{}", params);
            }
            prop_assert_eq!(&decoded(&encoded, &params, xlen, align, &image), &want, "{}", params);
            let mut reported: Vec<FlowEvent> = Vec::new();
            verify(&encoded, &params, xlen, align, &image, &mut reported).unwrap();
            let in_order = (0..harts).flat_map(|h| events.iter().filter(move |e| e.hart == h));
            prop_assert_eq!(reported.len(), events.len());
            for (found, event) in reported.iter().zip(in_order) {
                prop_assert!(found.same_flow(event), "{}: {:?}, {:?}", params, found, event);
            }
        }
    }

    #[test]
    fn damaged_data_are_other_streams_or_an_error(seed in any::<u64>(), at in any::<prop::sample::Index>(), cut in any::<bool>()) {
        let events = walk(seed, 1, 300, 40, 32);
        let image = Image::from_events(&events).unwrap();
        for params in Params::ALL {
            let mut encoded = encode(&events, &params, 1, 32, 1).remove(0);
            let bit = at.index(encoded.bits as usize);
            if cut {
                // also the last bit, which a byte-oriented compressor or a field of zeros does not need
                for bits in [encoded.bits - 1, bit as u64] {
                    encoded.bits = bits;
                    encoded.bytes.truncate(bits.div_ceil(8) as usize);
                    // the remaining complete records may be right
                    if let Ok(streams) = decode(&encoded, &params, 32, 1, &image) {
                        prop_assert!(streams.len() < stream::streams(&events, 1)[0].len(), "{}, {} bits", params, bits);
                    }
                }
            } else {
                encoded.bytes[bit / 8] ^= 1 << (bit % 8);
                let _ = decode(&encoded, &params, 32, 1, &image);
            }
        }
    }
}

#[test]
fn a_loop_costs_what_the_formats_say() {
    // one stream of 10 instructions, a million times
    let event = |kind, count, pc, target| FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 };
    let mut events = vec![event(FlowKind::Start, 0, 0x100, 0x100)];
    events.extend((0..1_000_000).map(|_| event(FlowKind::Conditional { taken: true }, 10, 0x124, 0x100)));
    let bits = |params| encode(&events, &params, 1, 32, 1)[0].bits;
    let [tslz, _, edmtf, plain, ..] = Params::ALL;
    // SL, SA in 3 symbols, and the SL after them are literals; then 999,998 symbols form 111,111 matches of 9
    assert_eq!(bits(tslz), 5 * 13 + 111_111 * 12);
    assert_eq!(bits(plain), 8 * (1_000_000 + 4));
    assert!(bits(edmtf) < 5000, "{}", bits(edmtf));
}
