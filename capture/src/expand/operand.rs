//! Operands of 16 and 32 bytes, which QEMU reports in parts of 8 bytes
//!
//! # Source
//! Paper 003, table 4.4: octaword and hexaword operands.

use super::Datum;
use crate::machine::Machine;
use retire::DataKind;

/// Sizes of the operands of one block.
pub(super) struct Operands {
    machine: Machine,
    /// Data that still belong to the last sequence of accesses.
    left: usize,
    /// Size of an operand that begins with one of them; 0 if they are parts of one operand.
    size: u8,
}

impl Operands {
    pub(super) fn new(machine: Machine) -> Self {
        Self { machine, left: 0, size: 0 }
    }

    /// Size of the operand that begins with the first of `data`; 0 if that continues the last one.
    ///
    /// Two or four accesses of 8 bytes by one instruction, in the same direction and at consecutive addresses, are one
    /// operand. On the other machines an instruction with several registers, such as `ldp`, accesses memory in this way, too.
    #[inline]
    pub(super) fn size(&mut self, data: &[Datum]) -> u8 {
        if self.left > 0 {
            self.left -= 1;
            return self.size;
        }
        let Some(first) = data.first() else { return 0 };
        let (DataKind::Load { size, .. } | DataKind::Store { size, .. }) = first.kind else { return 0 };
        if size < 8 || self.machine != Machine::X86 {
            return size;
        }
        let run = 1 + data.windows(2).take_while(|pair| follows(&pair[0], &pair[1])).count();
        self.left = run - 1;
        match run {
            2 | 4 => {
                self.size = 0;
                8 * run as u8
            }
            // one access, or an instruction that saves or loads several registers
            _ => {
                self.size = size;
                size
            }
        }
    }
}

/// Whether `next` is of the same instruction and direction as `part`, and begins where that ends.
fn follows(part: &Datum, next: &Datum) -> bool {
    let ends = |addr: u64| addr.wrapping_add(8);
    part.place == next.place
        && match (part.kind, next.kind) {
            (DataKind::Load { size: 8, addr, .. }, DataKind::Load { size: 8, addr: to, .. }) => ends(addr) == to,
            (DataKind::Store { size: 8, addr, .. }, DataKind::Store { size: 8, addr: to, .. }) => ends(addr) == to,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(place: usize, addr: u64) -> Datum {
        Datum { place, kind: DataKind::Load { size: 8, addr, value: 0 } }
    }

    fn store(place: usize, addr: u64) -> Datum {
        Datum { place, kind: DataKind::Store { size: 8, addr, value: 0 } }
    }

    fn sizes(machine: Machine, data: &[Datum]) -> Vec<u8> {
        let mut operands = Operands::new(machine);
        (0..data.len()).map(|i| operands.size(&data[i..])).collect()
    }

    #[test]
    fn parts_of_one_operand_are_counted_once() {
        // movups (%rax), %xmm0; movups %xmm0, (%rbx); vmovdqu (%rax), %ymm0
        let mut data = vec![load(0, 64), load(0, 72), store(1, 80), store(1, 88)];
        data.extend([load(2, 0), load(2, 8), load(2, 16), load(2, 24)]);
        assert_eq!(sizes(Machine::X86, &data), [16, 0, 16, 0, 32, 0, 0, 0]);
        // on AArch64 it may be ldp, which loads two registers
        assert_eq!(sizes(Machine::Aarch64, &data), [8; 8]);
    }

    #[test]
    fn other_accesses_are_operands_of_their_own() {
        // two instructions; another address; load and store; three parts
        let data = [load(0, 0), load(1, 8), load(2, 24), load(2, 8), load(3, 0), store(3, 8)];
        assert_eq!(sizes(Machine::X86, &data), [8; 6]);
        assert_eq!(sizes(Machine::X86, &[load(0, 0), load(0, 8), load(0, 16)]), [8; 3]);
        let byte = Datum { place: 0, kind: DataKind::Load { size: 1, addr: 0, value: 0 } };
        assert_eq!(sizes(Machine::X86, &[byte, byte]), [1, 1]);
    }
}
