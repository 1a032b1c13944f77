//! Zcb, by cases worked by hand from the unprivileged ISA, chapter Zc: QEMU 7.2 does not have it

use retire::elf::{Program, Segment};
use retire::NullSink;
use sim::riscv::{Limits, Machine, MachineConfig};

const RAM: u64 = 0x8000_0000;

/// x8 to x15 after `code`, which begins with x8 = the address of `data` and x9 = `value`.
fn after(xlen: u8, value: i32, code: &[u16], data: [u8; 8]) -> ([u64; 8], [u8; 8]) {
    let upper = (value as u32).wrapping_add(0x800) & 0xffff_f000;
    let low = (value as u32) & 0xfff;
    let words: [u32; 4] = [
        8 << 7 | 0x17,                                                    // auipc x8, 0
        0x80 << 20 | 8 << 15 | 8 << 7 | 0x13,                             // addi x8, x8, 128
        upper | 9 << 7 | 0x37,                                            // lui x9
        low << 20 | 9 << 15 | 9 << 7 | 0x13 | u32::from(xlen == 64) << 3, // addi or addiw x9, x9
    ];
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.extend(code.iter().flat_map(|h| h.to_le_bytes()));
    bytes.extend(0xa001u16.to_le_bytes()); // j .
    bytes.resize(128, 0);
    bytes.extend(data);
    let program = Program {
        xlen,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: RAM,
        segments: vec![Segment::code(RAM, bytes)],
        build_id: vec![1],
    };
    let config = MachineConfig { harts: 1, ram_bytes: 1 << 16, ..MachineConfig::default() };
    let mut machine = Machine::new(&program, config).unwrap();
    let instructions = 4 + code.len() as u64 + 2;
    machine.run(&mut NullSink, Limits { instructions, ..Limits::default() }).unwrap();
    let state = &machine.states()[0];
    assert_eq!(state.pc, RAM + 16 + 2 * code.len() as u64, "{code:04x?} trapped");
    (state.registers[8..16].try_into().unwrap(), machine.memory()[128..136].try_into().unwrap())
}

/// Registers of three bits.
const X9: u16 = 1;
const X10: u16 = 2;

fn load(f3: u16, bit6: u16, bit5: u16) -> u16 {
    // from x8 to x10
    0x8000 | f3 << 10 | bit6 << 6 | bit5 << 5 | X10 << 2
}

fn unary(op: u16) -> u16 {
    // x9
    0x9c61 | X9 << 7 | op << 2
}

#[test]
fn loads_extend_and_have_their_offsets() {
    let data = [0x81, 0x92, 0xa3, 0xb4, 0x05, 0, 0, 0];
    for xlen in [32, 64] {
        let x10 = |code| after(xlen, 0, &[code], data).0[2];
        let sign = |value: i64| (value as u64) & (u64::MAX >> (64 - xlen));
        // c.lbu: bit 6 is bit 0 of the offset, bit 5 is bit 1
        let bytes = [x10(load(0, 0, 0)), x10(load(0, 1, 0)), x10(load(0, 0, 1)), x10(load(0, 1, 1))];
        assert_eq!(bytes, [0x81, 0x92, 0xa3, 0xb4]);
        // c.lhu, and c.lh with bit 6
        assert_eq!([x10(load(1, 0, 0)), x10(load(1, 0, 1))], [0x9281, 0xb4a3]);
        assert_eq!([x10(load(1, 1, 0)), x10(load(1, 1, 1))], [sign(-0x6d7f), sign(-0x4b5d)]);
    }
}

#[test]
fn stores_write_their_bytes_only() {
    for xlen in [32, 64] {
        let memory = |code| after(xlen, 0x1234_5678, &[code], [0xff; 8]).1;
        let store = |f3: u16, bit6: u16, bit5: u16| 0x8000 | f3 << 10 | bit6 << 6 | bit5 << 5 | X9 << 2;
        // c.sb to the offsets 0, 1 and 3; c.sh to 0 and 2
        assert_eq!(memory(store(2, 0, 0)), [0x78, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(memory(store(2, 1, 0)), [0xff, 0x78, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(memory(store(2, 1, 1)), [0xff, 0xff, 0xff, 0x78, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(memory(store(3, 0, 0)), [0x78, 0x56, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(memory(store(3, 0, 1)), [0xff, 0xff, 0x78, 0x56, 0xff, 0xff, 0xff, 0xff]);
    }
}

#[test]
fn one_register_is_extended_inverted_and_multiplied() {
    for xlen in [32, 64] {
        let mask = u64::MAX >> (64 - xlen);
        let x9 = |value: i32, code| after(xlen, value, &[code], [0; 8]).0[1];
        let value = 0x8765_c3a9u32 as i32;
        // c.zext.b, c.sext.b, c.zext.h, c.sext.h
        assert_eq!([x9(value, unary(0)), x9(value, unary(2))], [0xa9, 0xc3a9]);
        assert_eq!([x9(value, unary(1)), x9(value, unary(3))], [!0x56u64 & mask, !0x3c56u64 & mask]);
        assert_eq!([x9(0x7f, unary(1)), x9(0x7fff, unary(3))], [0x7f, 0x7fff]);
        // c.not
        assert_eq!(x9(value, unary(5)), 0x789a_3c56);
        // c.mul x9, x9
        assert_eq!(x9(-7, 0x9c41 | X9 << 7 | X9 << 2), 49);
        assert_eq!(x9(0x1_0001, 0x9c41 | X9 << 7 | X9 << 2), 0x1_0002_0001 & mask);
    }
    // c.zext.w
    assert_eq!(after(64, -2, &[unary(4)], [0; 8]).0[1], 0xffff_fffe);
}
