//! `rbt1` files: replay without an ELF

use proptest::prelude::*;
use retire::file::rbt1::{Rbt1Reader, Rbt1Writer};
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::system::System;

/// A walk of `harts` harts through an invented program with instructions of 1 to 15 bytes, as a source would report it.
fn walk(seed: u64, harts: u8, steps: u32) -> Vec<FlowEvent> {
    let mut state = seed | 1;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    // blocks of instructions: addresses, and the end of the block
    let blocks: Vec<(u64, Vec<u64>, u64)> = (0..40u64)
        .map(|b| {
            let base = 0x40_0000 + b * 0x1000 + random(7);
            let lengths = (0..=random(9)).map(|_| 1 + random(15)).collect();
            (base, lengths, random(8))
        })
        .collect();
    // the block after each, by address: falls through to a jump back
    let mut events = Vec::new();
    let mut at = vec![0usize; usize::from(harts)];
    let mut cycle = 0;
    for h in 0..harts {
        at[usize::from(h)] = usize::from(h) * 3;
        let pc = blocks[usize::from(h) * 3].0;
        cycle += 1;
        events.push(FlowEvent { hart: h, kind: FlowKind::Start, len: 0, count: 0, pc, target: pc, cycle });
    }
    for _ in 0..steps {
        let h = random(harts.into()) as usize;
        let (base, lengths, kind) = &blocks[at[h]];
        let last = lengths.len() - 1;
        let pc = base + lengths[..last].iter().sum::<u64>();
        let (len, mut count) = (lengths[last] as u8, lengths.len() as u32);
        let hart = h as u8;
        if count > 2 && random(20) == 0 {
            // a trap in the middle of the block, and the return from it
            let pc = base + lengths[0];
            let trap = FlowKind::Trap { interrupt: false, cause: 0 };
            cycle += 1;
            events.push(FlowEvent { hart, kind: trap, len: 0, count: 1, pc, target: 0x10, cycle });
            cycle += 2;
            events.push(FlowEvent { hart, kind: FlowKind::TrapReturn, len: 2, count: 2, pc: 0x13, target: pc, cycle });
            count -= 1;
        }
        let fixed = (at[h] * 7 + 3) % 40;
        let free = random(40) as usize;
        let fall = pc + u64::from(len);
        let (kind, to) = match kind {
            0..=2 => (FlowKind::Conditional { taken: random(3) > 0 }, fixed),
            3 => (FlowKind::Jump, fixed),
            4 => (FlowKind::Call, fixed),
            5 => (FlowKind::IndirectJump, free),
            6 => (FlowKind::IndirectCall, free),
            _ => (FlowKind::Return, free),
        };
        let target = if kind == (FlowKind::Conditional { taken: false }) { fall } else { blocks[to].0 };
        cycle += u64::from(count);
        events.push(FlowEvent { hart, kind, len, count, pc, target, cycle });
        if target == fall {
            cycle += 1;
            let jump = FlowKind::Jump;
            events.push(FlowEvent { hart, kind: jump, len: 5, count: 1, pc: fall, target: blocks[fixed].0, cycle });
        }
        at[h] = to;
        if target == fall {
            at[h] = fixed;
        }
    }
    for h in 0..harts {
        let base = blocks[at[usize::from(h)]].0;
        events.push(FlowEvent { hart: h, kind: FlowKind::Stop, len: 0, count: 0, pc: base, target: base, cycle });
    }
    events
}

fn params(flow: FlowScheme, harts: u8) -> TraceParams {
    TraceParams::new(Platform { cores: harts, xlen: 64, align: 0, ..Platform::RV32 }, flow)
}

fn by_hart(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).map(|e| FlowEvent { cycle: 0, ..*e }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn events_come_back_from_a_file_and_from_every_stream_without_an_elf(
        seed in any::<u64>(), harts in 1u8..=8, compressed in any::<bool>()
    ) {
        let events = walk(seed, harts, 3000);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let mut writer = Rbt1Writer::create(&path, compressed, &[]).unwrap();
        events.iter().for_each(|e| writer.event(e));
        writer.finish().unwrap();
        let mut back: Vec<FlowEvent> = Vec::new();
        Rbt1Reader::open(&path).unwrap().read_rest(&mut back).unwrap();
        prop_assert_eq!(back.len(), events.len());
        for (b, e) in back.iter().zip(&events) {
            prop_assert_eq!(FlowEvent { cycle: 0, ..*b }, FlowEvent { cycle: 0, ..*e });
        }
        prop_assert!(back.windows(2).all(|w| w[0].cycle < w[1].cycle || w[1].kind == FlowKind::Stop));
        let image = Image::from_events(&back).unwrap();
        for scheme in ["tr_e:medium", "nx_b", "nexs"].map(|name| name.parse().unwrap()) {
            let params = params(scheme, harts);
            let mut system = System::new(&params).unwrap();
            back.iter().for_each(|e| system.event(e));
            system.finish(back.last().unwrap().cycle);
            let words: Vec<u32> = system.drain().collect();
            let mut reported = Events(Vec::new());
            Replay::new(&image, &params, words.into_iter()).unwrap().run(&mut reported).unwrap();
            for hart in 0..harts {
                prop_assert_eq!(by_hart(&reported.0, hart), by_hart(&back, hart));
            }
        }
    }
}

#[test]
fn records_of_two_different_codes_are_refused() {
    let events = walk(1, 1, 500);
    let at = |f: &dyn Fn(&FlowEvent) -> bool| events.iter().rposition(f).unwrap();
    let refused = |events: &[FlowEvent]| Image::from_events(events).unwrap_err().to_string();
    let mut counted = events.clone();
    let i = at(&|e| matches!(e.kind, FlowKind::Jump | FlowKind::Call) && e.len != 5);
    counted[i].count += 1;
    let text = refused(&counted);
    assert!(text.contains("instructions from 0x") && text.starts_with(&format!("event {i}, hart 0")), "{text}");
    let mut moved = events.clone();
    moved[i].target += 0x40;
    assert!(refused(&moved).contains("that went to 0x"), "{}", refused(&moved));
    let mut longer = events;
    longer[i].len = 1 + longer[i].len % 15;
    assert!(refused(&longer).contains("bytes before"), "{}", refused(&longer));
}
