//! The data that the built-in simulator reports are the values that instructions read and wrote

use crate::rv32_support::*;
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::HashMap;

#[test]
fn each_kind_of_instruction_tells_what_it_read_and_wrote() {
    let mut asm = Asm::new();
    asm.put(&[lui(S0, DATA), lui(T0, 0x8765_4000), addi(T0, T0, 0x321), sw(T0, S0, 4), store(0, T0, S0, 9)]);
    asm.put(&[load(0, T1, S0, 7), load(5, T1, S0, 4), addi(A0, S0, 4), amo(0, T2, A0, T1), sc(A1, A0, T1)]);
    asm.put(&[csrw(MSCRATCH, T0), csrr(T1, MSCRATCH), csr(2, 0, MSCRATCH, 0), csr(1, T2, MSCRATCH, T1)]);
    asm.put(&[addi(0, T0, 1), jal(RA, 4), lr(A2, A0)]).exit();
    let log = asm.run();
    let register = |rd, value: u32| DataKind::Register { rd, value: value.into() };
    let at = |offset: u32| u64::from(DATA + offset);
    let scratch = DataKind::Csr { csr: 0x340, value: 0x8765_4321 };
    let (word, sum) = (0x8765_4321u32, 0x8765_4321 + 0x4321);
    let want: Vec<(u32, DataKind)> = vec![
        (0, register(8, DATA)),
        (4, register(5, 0x8765_4000)),
        (8, register(5, word)),
        (12, DataKind::Store { size: 4, addr: at(4), value: word.into() }),
        (16, DataKind::Store { size: 1, addr: at(9), value: 0x21 }),
        (20, DataKind::Load { size: 1, addr: at(7), value: 0x87 }),
        (20, register(6, 0xffff_ff87)),
        (24, DataKind::Load { size: 2, addr: at(4), value: 0x4321 }),
        (24, register(6, 0x4321)),
        (28, register(10, DATA + 4)),
        (32, DataKind::Load { size: 4, addr: at(4), value: word.into() }),
        (32, DataKind::Store { size: 4, addr: at(4), value: sum.into() }),
        (32, register(7, word)),
        (36, register(11, 1)), // no reservation, so no store
        // 40 only writes the CSR
        (44, scratch),
        (44, register(6, word)),
        (48, scratch),
        (52, scratch),
        (52, register(7, word)),
        // 56 writes x0
        (60, register(1, BASE + 64)),
        (64, DataKind::Load { size: 4, addr: at(4), value: sum.into() }),
        (64, register(12, sum)),
    ];
    let found: Vec<(u32, DataKind)> = log.data.iter().map(|d| (d.pc as u32 - BASE, d.kind)).collect();
    assert_eq!(found[..want.len()], want);
}

/// Memory according to the stores, compared with every load.
#[derive(Default)]
struct Memory {
    bytes: HashMap<u64, u8>,
    loads: u64,
    last: (u64, u8),
}

impl RetireSink for Memory {
    const WANTS_DATA: bool = true;
    fn event(&mut self, e: &FlowEvent) {
        assert!(self.last <= (e.cycle, e.hart), "{e:?} after {:?}", self.last);
        self.last = (e.cycle, e.hart);
    }
    fn data(&mut self, d: &DataEvent) {
        assert!(self.last <= (d.cycle, d.hart), "{d:?} after {:?}", self.last);
        self.last = (d.cycle, d.hart);
        match d.kind {
            DataKind::Load { size, addr, value } if addr >= BASE.into() => {
                for i in 0..u64::from(size) {
                    let byte = self.bytes.get(&(addr + i)).copied().unwrap_or(0);
                    assert_eq!((value >> (8 * i)) as u8, byte, "{d:?}, byte {i}");
                }
                self.loads += 1;
            }
            DataKind::Store { size, addr, value } => {
                self.bytes.extend((0..u64::from(size)).map(|i| (addr + i, (value >> (8 * i)) as u8)));
            }
            _ => {}
        }
    }
}

#[test]
fn every_load_is_what_was_stored_last_on_four_harts() {
    for name in ["listwalk", "lockcont"] {
        let program = programs::load(name).expect("a built-in program");
        let bytes = program.segments.iter().flat_map(|s| (s.addr..).zip(s.data.iter().copied())).collect();
        let mut memory = Memory { bytes, ..Memory::default() };
        let mut machine =
            Machine::new(&program, MachineConfig { harts: 4, ..MachineConfig::default() }).expect("it can be built");
        machine.run(&mut memory, Limits { instructions: 1_000_000, ..Limits::default() }).expect("it runs");
        assert!(memory.loads > 100_000, "{name}: {} loads", memory.loads);
    }
}
