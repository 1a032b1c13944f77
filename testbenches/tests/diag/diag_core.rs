//! `hdl/src/diag/processor/core.rs` against the simulator's executor
//!
//! Random programs are compared instruction by instruction: address, register write, memory, cycles, and whether the
//! instruction is legal. Programs modify their own code, jump anywhere and access invalid addresses; loads and stores
//! are stalled, and the core is restarted in any cycle. The Verilog does the same from random registers and memories.

use crate::diag_harness::check_verilog_while;
use crate::diag_harness::code::instruction;
use hdl::diag::processor::core::Core as Circuit;
use rust_hdl::prelude::*;
use sim::diag::processor::core::{is_known, Core, End, Space};
use sim::diag::processor::{RAM_BYTES, SEND_AT, SLOTS_AT};
use sim::stimulus::{rounds, Source};
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// Sets all registers, then does anything.
fn program(s: &mut Source) -> Vec<u8> {
    let mut words: Vec<u32> = (1..32u32).map(|r| (s.bits(20) as u32) << 12 | r << 7 | 0x37).collect();
    for r in 1..32 {
        let base = if r <= 2 { s.below(900) as u32 * 4 } else { s.bits(12) as u32 };
        words.push(if r <= 2 { (base >> 12) << 12 | r << 7 | 0x37 } else { base << 20 | r << 15 | r << 7 | 0x13 });
        if r <= 2 {
            words.push((base & 0x7ff) << 20 | r << 15 | r << 7 | 0x13);
        }
    }
    words.resize_with(RAM_BYTES as usize / 4, || instruction(s));
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[derive(Clone, Copy, Debug, Default)]
struct ObservedInsn {
    pc: u32,
    busy: bool,
    fetch: bool,
    load: bool,
    store: bool,
    fault: bool,
    addr: u32,
    mask: u8,
    wdata: u32,
    set: Option<(u32, u32)>,
}

fn look(u: &Circuit) -> ObservedInsn {
    let word = |v: Bits<32>| v.to_u64() as u32;
    ObservedInsn {
        pc: word(u.pc.val()),
        busy: u.busy.val(),
        fetch: u.fetch.val(),
        load: u.load.val(),
        store: u.store.val(),
        fault: u.fault.val(),
        addr: word(u.addr.val()),
        mask: u.mask.val().to_u64() as u8,
        wdata: word(u.wdata.val()),
        set: u.sets.val().then(|| (u.rd.val().to_u64() as u32, word(u.value.val()))),
    }
}

/// Instructions, faults, restarts in the middle of an instruction.
type Counts = [u64; 3];

fn run(d: &mut Driver<Circuit>, s: &mut Source, steps: u64, counts: &mut Counts) {
    let mut restart = true;
    'programs: for _ in 0..steps {
        let (mut core, mut space) = (Core::default(), Space { ram: program(s), ..Space::default() });
        space.slots.iter_mut().flatten().for_each(|w| *w = s.bits(32) as u32);
        // the circuit's memory
        let mut ram = space.ram.clone();
        let holds = *s.pick(&[0, 30]);
        let mut before: Option<(u32, End)> = None;
        let (mut clocks, mut set) = (0, None);
        let mut rdata = s.bits(32) as u32;
        let mut left = s.between(80, 400);
        loop {
            let hold = s.percent(holds);
            let end = before.map(|b| b.1);
            let wrong = end == Some(End::Fault(4));
            let now = restart || s.per_64k(30);
            let go = s.percent(70);
            let seen = d
                .cycle(
                    |u| {
                        u.restart.next = now;
                        u.go.next = go;
                        u.hold.next = hold;
                        u.wrong.next = wrong;
                        u.rdata.next = u64::from(rdata).to_bits();
                    },
                    look,
                )
                .unwrap();
            if now {
                counts[2] += u64::from(!restart);
                restart = !restart && s.percent(50);
                continue 'programs;
            }
            rdata = s.bits(32) as u32;
            let place = format!("cycle {}: {seen:x?}, {before:x?}", d.cycles());
            if seen.fault {
                assert_eq!(end, Some(End::Fault(clocks)), "{place}");
                counts[1] += 1;
                restart = true;
                continue 'programs;
            }
            if seen.fetch {
                // the previous instruction is complete
                if let Some((_, end)) = before {
                    assert_eq!(end, End::Retired(clocks), "{place}");
                    assert_eq!(ram, space.ram, "{place}");
                    if let Some((rd, value)) = set.take() {
                        assert_eq!(core.register(rd), value, "{place}: x{rd}");
                    }
                    counts[0] += 1;
                    left -= 1;
                }
                assert_eq!(seen.pc, core.pc(), "{place}");
                if left == 0 {
                    restart = true;
                    continue 'programs;
                }
                let old: Vec<u32> = (0..32).map(|r| core.register(r)).collect();
                let end = core.step(&mut space, 1000);
                before = Some((seen.pc, end));
                clocks = 0;
                // registers that are not written keep their values
                set = (0..32).map(|r| (r, core.register(r))).find(|(r, v)| old[*r as usize] != *v);
                if end == End::Waits || space.sent.is_some() {
                    restart = true;
                    continue 'programs;
                }
            }
            if let Some(found) = seen.set {
                match set {
                    Some(want) => assert_eq!(found, want, "{place}"),
                    None => assert_eq!(found.1, core.register(found.0), "{place}"),
                }
                set = None;
            }
            if seen.busy && !((seen.load || seen.store) && hold && !wrong) {
                clocks += 1;
            }
            if seen.fetch || (seen.load && !wrong && !hold) {
                let at = seen.addr & !3;
                rdata = match at {
                    0..RAM_BYTES => u32::from_le_bytes(ram[at as usize..at as usize + 4].try_into().unwrap()),
                    _ if at & !0x1ff == SLOTS_AT => space.slots[at as usize / 32 % 16][at as usize / 4 % 8],
                    _ => space.time,
                };
            }
            if seen.store && !wrong && !hold && seen.addr & !0x1f != SEND_AT {
                for byte in (0..4).filter(|b| seen.mask >> b & 1 == 1) {
                    ram[(seen.addr as usize & !3) + byte] = seen.wdata.to_le_bytes()[byte];
                }
            }
        }
    }
}

#[test]
fn random_programs_do_what_the_simulators_executor_does() {
    let mut d = Driver::new(Circuit::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let (mut s, mut counts) = (Source::seeded(41), Counts::default());
    run(&mut d, &mut s, rounds(260, 2_000), &mut counts);
    println!("instructions, faults, restarts: {counts:?} in {} clocks", d.cycles());
    assert!(counts[0] > 8_000 && counts[1] > 20 && counts[2] > 3, "{counts:?}");
    check_verilog_while(&d, 41, |name, value| {
        let one = |names: &[&str]| names.iter().any(|n| value(n) == Some(1));
        match name {
            "addr" => one(&["fetch", "load", "store"]),
            "size" => one(&["load", "store"]),
            "mask" | "wdata" => one(&["store"]),
            "rd" | "value" => one(&["sets"]),
            "pc" => one(&["busy"]),
            _ => true,
        }
    });
}

#[test]
fn random_instructions_are_known_or_not_to_both() {
    let mut d = Driver::new(Circuit::new(), |u, c| u.clock.next = c.into()).unwrap();
    let mut s = Source::seeded(42);
    for _ in 0..rounds(3_000, 60_000) {
        // mostly almost legal encodings
        let near = instruction(&mut s) ^ if s.percent(70) { 1 << s.below(32) } else { 0 };
        let insn = if s.percent(10) { s.bits(32) as u32 } else { near };
        let mut faults = false;
        for clock in 0..6 {
            let seen = d
                .cycle(
                    |u| {
                        u.restart.next = clock == 0;
                        u.go.next = true;
                        u.hold.next = true;
                        u.wrong.next = false;
                        u.rdata.next = u64::from(insn).to_bits();
                    },
                    look,
                )
                .unwrap();
            faults |= seen.fault && clock == 5;
        }
        assert_eq!(!faults, is_known(insn), "{insn:08x}");
    }
}

#[test]
fn the_core_passes_the_static_gates() {
    emit_checked(&mut Circuit::new()).unwrap();
}
