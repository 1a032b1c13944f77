//! The built-in simulator in step with QEMU: the same random instructions in both, and everything that they wrote equal
//!
//! One program of thousands of instructions, each between loads of its operands and stores of what it left: the integer
//! and the float register of its destination, `fcsr`, cause and value of a trap. Its encodings are random within the
//! opcodes of RV32/RV64 IMAFDC and Zba, Zbb, Zbc, Zbs, many not legal: that both trap is part of it. The program sends
//! its results through the UART. Not compared here, as QEMU 7.2 does not have them: Zcb and Zicond.
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
