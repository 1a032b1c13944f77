//! Random programs of several harts that share words, swap, reserve, poll devices, interrupt each other and trap

use crate::rv32_support::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::{Program, Segment};

/// Registers that the random part does not write: data, CLINT, UART, hart, temporaries of the handler.
const SHARED: u32 = 18;
const CLINT_BASE: u32 = 19;
const UART_BASE: u32 = 20;
const HART: u32 = 21;
const TMP: u32 = 22;
const TMP2: u32 = 23;
/// The DMA device.
const DMA: u32 = 0x1001_0000;

/// A random instruction, or a short sequence.
fn some(rng: &mut ChaCha8Rng, words: u32, harts: u32, left: i32, dma: bool) -> Vec<u32> {
    let reg = |rng: &mut ChaCha8Rng| [0, 5, 6, 7, 8, 9, 10, 11, 12, 13][rng.random_range(0..10)];
    let (rd, rs) = (reg(rng), reg(rng));
    let word = 4 * rng.random_range(0..words) as i32;
    match rng.random_range(0..if dma { 27 } else { 24 }) {
        0..=3 => vec![load([0, 1, 2, 4, 5][rng.random_range(0..5)], rd, SHARED, word + rng.random_range(0..4))],
        4..=6 => vec![store(rng.random_range(0..3), rs, SHARED, word + rng.random_range(0..4))],
        // often the same value: a silent store
        7 => vec![store(2, 0, SHARED, word)],
        8 => vec![addi(TMP, SHARED, word), amo([0, 1, 4, 8, 12, 16, 20, 24, 28][rng.random_range(0..9)], rd, TMP, rs)],
        9 => vec![addi(TMP, SHARED, word), lr(rd, TMP), addi(TMP2, rd, 1), sc(rd, TMP, TMP2)],
        10 => vec![addi(TMP, SHARED, word), sc(0, TMP, rs)],
        // mtime, the hart's own msip, LSR, an address without a device
        11 => vec![lui(TMP, 0x0200_c000), lw(rd, TMP, -8)],
        12 => vec![lw(rd, CLINT_BASE, 4 * rng.random_range(0..harts) as i32)],
        13 => vec![load(4, rd, UART_BASE, 5)],
        14 => vec![lw(rd, 0, 0x10 + 4 * rng.random_range(0..2))],
        15 => vec![sw(rs, 0, 0x10)],
        // to the console
        16 => vec![store(0, rs, UART_BASE, 0)],
        17 => vec![csrr(rd, [0xc00, 0xb00, 0xc01, MIP, 0xc02, 0xf14][rng.random_range(0..6)])],
        // interrupt a hart
        18 => vec![addi(TMP, 0, 1), sw(TMP, CLINT_BASE, 4 * rng.random_range(0..harts) as i32)],
        19 => vec![[ECALL, EBREAK, 0, csr(1, rd, 0xc00, rs)][rng.random_range(0..4)]],
        20 if left > 2 => vec![branch([0, 1, 4, 5][rng.random_range(0..4)], rd, rs, 4 * rng.random_range(2..left + 1))],
        20 | 21 => vec![r(0, 0, rd, rd, HART)],
        // start a copy of some words, among those that the harts load and store; read its progress
        24 | 25 => {
            let (other, many) = (4 * rng.random_range(0..words) as i32, rng.random_range(0..40));
            let mut code = vec![lui(TMP, DMA), addi(TMP2, SHARED, word), sw(TMP2, TMP, 0), addi(TMP2, SHARED, other)];
            code.extend([sw(TMP2, TMP, 4), addi(TMP2, 0, many), sw(TMP2, TMP, 8)]);
            code
        }
        26 => vec![lui(TMP, DMA), lw(rd, TMP, 4 * rng.random_range(0..3))],
        _ => vec![r([0, 1][rng.random_range(0..2)], rng.random_range(0..8), rd, rd, rs)],
    }
}

/// An endless loop of random instructions on every hart, with a handler that continues after the trapping instruction.
pub fn program(seed: u64, harts: u32) -> Program {
    with(seed, harts, false)
}

/// As [`program`]; with `dma` the harts also start copies.
pub fn with(seed: u64, harts: u32, dma: bool) -> Program {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let words = [2, 8, 64, 400][seed as usize % 4];
    // the handler: an interrupt clears its causes, an exception continues after its instruction
    let handler = [
        csrr(24, MCAUSE),
        branch(4, 24, 0, 20), // blt: the sign bit is set for interrupts
        csrr(24, MEPC),
        addi(24, 24, 4),
        csrw(MEPC, 24),
        MRET,
        // msip of this hart
        i(0x13, 1, 24, HART, 2),
        r(0, 0, 24, 24, CLINT_BASE),
        sw(0, 24, 0),
        // mtimecmp of this hart: a little later than now
        i(0x13, 1, 24, HART, 3),
        r(0, 0, 24, 24, CLINT_BASE),
        lui(25, 0x4000),
        r(0, 0, 24, 24, 25),
        lui(25, 0x0200_c000),
        lw(25, 25, -8),
        addi(25, 25, 300),
        sw(0, 24, 4),
        sw(25, 24, 0),
        MRET,
    ];
    let mut code = vec![jal(0, 4 * (1 + handler.len() as i32))];
    code.extend(handler);
    code.extend([auipc(24, 0), addi(24, 24, -4 * handler.len() as i32), csrw(MTVEC, 24)]);
    code.extend([addi(HART, A0, 0), lui(SHARED, DATA), lui(CLINT_BASE, CLINT), lui(UART_BASE, UART)]);
    code.extend([addi(24, 0, 0x88), csrw(MIE, 24)]);
    let top = code.len();
    let mut left = 150;
    while left > 0 {
        let more = some(&mut rng, words, harts, left.min(6), dma);
        left -= more.len() as i32;
        code.extend(more);
    }
    // space for branches past the end
    code.extend([NOP; 8]);
    code.push(csr(6, 0, 0x300, 8));
    code.push(jal(0, 4 * (top as i32 - code.len() as i32)));
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let segments = vec![Segment::code(BASE.into(), data)];
    Program {
        xlen: 32,
        compressed: false,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: BASE.into(),
        segments,
        build_id: vec![0],
    }
}
