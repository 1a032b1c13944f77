//! The built-in simulator and QEMU execute the same random instructions with the same results
//!
//! One program of thousands of instructions. Before each, its operands are loaded; after it, its results are stored:
//! the integer and the float register of its destination, `fcsr`, cause and value of a trap. Encodings are random
//! within the opcodes of RV32/RV64 IMAFDC, Zfh and Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx. Many are illegal, and must trap in both. The program
//! sends its results through the UART. Zcb and Zicond are not compared, as QEMU 7.2 does not have them.
//!
//! `GOSHAWK_LONG=1` runs more seeds.

use crate::qemu_support::{assert_equal, program};
use sim::stimulus::rounds;

fn seeds() -> u64 {
    rounds(1, 40)
}

#[test]
fn rv64_is_in_step_with_qemu() {
    for seed in 0..seeds() {
        assert_equal(&program(64, seed, 12_000));
    }
}

#[test]
fn rv32_is_in_step_with_qemu() {
    for seed in 0..seeds() {
        assert_equal(&program(32, seed, 12_000));
    }
}
