//! E-Trace: round trips of random walks in every mode, and packet sizes worked out by hand

use crate::common;
use retire::elf::{Program, Segment};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use riscv_etrace::packet;
use riscv_etrace::packet::ext::{BranchCount, BranchKind, JumpTargetIndex};
use riscv_etrace::packet::payload::{AddressInfo, Branch, InstructionTrace, Payload};
use riscv_etrace::packet::unit::{ReferenceDOptions, ReferenceIOptions};
use riscv_etrace::types::branch;
use sim::baseline::etrace::{decode, encode, same, Options};
use sim::baseline::Encoded;

fn of_hart(events: &[FlowEvent], hart: u8) -> impl Iterator<Item = &FlowEvent> {
    events.iter().filter(move |e| e.hart == hart)
}

/// Merges traps that no instruction follows into the next one, and drops them at the end, as sources report them; walks
/// do not.
pub fn merge(events: Vec<FlowEvent>) -> Vec<FlowEvent> {
    let mut merged: Vec<FlowEvent> = Vec::new();
    for e in events {
        let before = merged.iter_mut().rev().find(|b| b.hart == e.hart);
        match (before, e.kind) {
            (Some(b), FlowKind::Trap { .. }) if e.count == 0 && matches!(b.kind, FlowKind::Trap { .. }) => {
                (b.kind, b.target) = (e.kind, e.target);
            }
            (Some(b), FlowKind::Trap { .. }) if e.count == 0 && b.kind == FlowKind::Start => {
                (b.pc, b.target) = (e.target, e.target);
            }
            (Some(b), FlowKind::Stop) if e.count == 0 && matches!(b.kind, FlowKind::Trap { .. }) => {
                (b.kind, b.target) = (e.kind, b.pc);
            }
            _ => merged.push(e),
        }
    }
    merged
}

#[test]
fn random_walks_come_back_in_every_mode() {
    let small = Options { return_stack: 1, predictors: 2, jump_targets: 1, sync: 6, ..Options::BASE };
    for seed in 0..200 {
        let program = common::program(seed, 400);
        let image = Image::new(&program);
        let harts = 1 + seed as u8 % 3;
        let events = merge(common::walk(&image, 400, harts, seed, 3000));
        for options in Options::ALL.into_iter().chain([small]) {
            let encoded = encode(&events, harts, options, program.xlen, &image).unwrap();
            for (hart, encoded) in encoded.iter().enumerate() {
                let place = format!("seed {seed}, hart {hart}, {options}");
                assert_eq!(encoded.bits, 8 * encoded.bytes.len() as u64, "{place}");
                let mut found: Vec<FlowEvent> = Vec::new();
                let result = decode(encoded, options, program.xlen, hart as u8, &image, &mut found);
                let want: Vec<_> = of_hart(&events, hart as u8).copied().collect();
                if result.is_err() || !same(&found, &want) {
                    let first = found.iter().zip(&want).position(|(f, w)| !f.same_flow(w)).unwrap_or(found.len());
                    let from = first.saturating_sub(3);
                    panic!(
                        "{place}: {result:?}, event {first} of {}\n{:#x?}\n{:#x?}",
                        want.len(),
                        &want[from..(first + 2).min(want.len())],
                        &found[from.min(found.len())..(first + 2).min(found.len())],
                    );
                }
            }
        }
    }
}

#[test]
fn a_loop_costs_what_the_packets_do() {
    // nop, and a branch back to it
    let data = [0x0000_0013u32, 0xfe00_0ee3].iter().flat_map(|w| w.to_le_bytes()).collect();
    let segments = vec![Segment::code(0x8000_0000, data).of_size(8)];
    let program = Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: 0x8000_0000,
        segments,
        build_id: Vec::new(),
    };
    let image = Image::new(&program);
    let event = |kind, len, count, pc, target| FlowEvent { hart: 0, kind, len, count, pc, target, cycle: 0 };
    let bits = |turns: u32, options| {
        let mut events = vec![event(FlowKind::Start, 0, 0, 0x8000_0000, 0x8000_0000)];
        let back = event(FlowKind::Conditional { taken: true }, 4, 2, 0x8000_0004, 0x8000_0000);
        events.extend((0..turns).map(|_| back));
        events.push(event(FlowKind::Stop, 0, 0, 0x8000_0000, 0x8000_0000));
        encode(&events, 1, options, 32, &image).unwrap()[0].bits
    };
    // a full map of taken branches: 01, no count, and zeros: one byte, and one byte of header
    assert_eq!(bits(31 * 100 + 7, Options::BASE) - bits(31 * 99 + 7, Options::BASE), 16);
    // a map, as the first branch is mispredicted; then they are counted: in 32 bits, as an address follows
    let predict = Options { predictors: 9, ..Options::BASE };
    assert_eq!(bits(10_000, predict), bits(31 + 31, predict));
}

#[test]
fn damaged_packets_are_other_events_or_an_error() {
    for seed in 0..20 {
        let program = common::program(seed, 200);
        let image = Image::new(&program);
        let events = merge(common::walk(&image, 200, 1, seed, 300));
        let options = Options::ALL_MODES;
        let encoded = encode(&events, 1, options, 32, &image).unwrap().remove(0);
        for bit in (0..encoded.bits as usize).step_by(3) {
            let mut damaged = encoded.clone();
            damaged.bytes[bit / 8] ^= 1 << (bit % 8);
            let mut found: Vec<FlowEvent> = Vec::new();
            let _ = decode(&damaged, options, 32, 0, &image, &mut found);
            assert!(found.len() <= 3 * events.iter().map(|e| e.count as usize).sum::<usize>(), "{}", found.len());
            damaged.bytes.truncate(bit / 8);
            let cut = decode(&damaged, options, 32, 0, &image, &mut Vec::<FlowEvent>::new());
            assert!(cut.is_err(), "seed {seed}, cut at byte {}", bit / 8);
        }
    }
}

/// Payloads as decoded by the reference crate.
fn payloads(encoded: &Encoded, options: Options) -> Vec<InstructionTrace<ReferenceIOptions, ReferenceDOptions>> {
    let parameters = options.parameters(32);
    let mut decoder = packet::builder().with_params(&parameters).decoder(&encoded.bytes);
    let mut found = Vec::new();
    while decoder.bytes_left() > 0 {
        match decoder.decode_smi_packet().unwrap().decode_payload().unwrap() {
            Payload::InstructionTrace(payload) => found.push(payload),
            Payload::DataTrace => panic!("no data is traced"),
        }
    }
    found
}

#[test]
fn counts_and_indices_are_sent_as_worked_by_hand() {
    let (nop, branch, jump) = (0x8000_0000, 0x8000_0004, 0x8000_0008);
    // nop; a branch to it; jr a5
    let data = [0x0000_0013u32, 0xfe00_0ee3, 0x0007_8067].iter().flat_map(|w| w.to_le_bytes()).collect();
    let segments = vec![Segment::code(nop, data).of_size(12)];
    let program = Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: nop,
        segments,
        build_id: Vec::new(),
    };
    let image = Image::new(&program);
    let event = |kind, len, count, pc, target| FlowEvent { hart: 0, kind, len, count, pc, target, cycle: 0 };
    let turn = |taken| event(FlowKind::Conditional { taken }, 4, 2, branch, if taken { nop } else { jump });
    let back = event(FlowKind::IndirectJump, 4, 1, jump, nop);
    let mut events = vec![event(FlowKind::Start, 0, 0, nop, nop)];
    events.extend([turn(true); 131]); // mispredicted, then 130 times as predicted
    events.push(turn(false)); // mispredicted again
    events.extend([back, turn(true), turn(false), back, turn(true)]);
    events.push(event(FlowKind::Stop, 0, 0, nop, nop));
    let options = Options { predictors: 4, jump_targets: 3, ..Options::BASE };
    let encoded = encode(&events, 1, options, 32, &image).unwrap().remove(0);
    let payloads = payloads(&encoded, options);
    let map = |outcomes: &[bool]| {
        let mut map = branch::Map::default();
        outcomes.iter().for_each(|taken| map.push_branch_taken(*taken).unwrap());
        map
    };
    let info = |address| AddressInfo { address, notify: false, updiscon: false, irdepth: None };
    let want: [InstructionTrace<ReferenceIOptions, ReferenceDOptions>; 5] = [
        // the first 31, one of which was mispredicted
        Branch { branch_map: map(&[true; 31]), address: None }.into(),
        // then 100 as predicted, and a mispredicted one, at the branch
        BranchCount { branch_count: 100 - 31, kind: BranchKind::NoAddr }.into(),
        // the first target is not in the cache; it is where the trace began
        info(0).into(),
        // two branches later it is, as entry 0
        JumpTargetIndex { index: 0, branch_map: map(&[true, false]), irdepth: None }.into(),
        // the last instruction
        Branch { branch_map: map(&[true]), address: Some(info(4)) }.into(),
    ];
    assert_eq!(payloads.len(), 8, "{payloads:?}");
    assert_eq!(payloads[2..7], want);
    let mut found: Vec<FlowEvent> = Vec::new();
    decode(&encoded, options, 32, 0, &image, &mut found).unwrap();
    assert!(same(&found, &events));
}
