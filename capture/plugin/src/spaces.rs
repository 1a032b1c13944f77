//! Numbers of address spaces
//!
//! An address space is a value of `satp`: a root of page tables, and an ASID where the system uses them. It gets the next number when
//! it is used first. So an ASID that the system gives to another process is a new number, processes of a system without
//! ASIDs have numbers, and a thread of the kernel keeps that of the space in which it runs. 0 is code without translation.

use std::sync::Mutex;

/// Values of `satp`, by number from 1 on.
#[derive(Default)]
pub struct Spaces(Mutex<Vec<u64>>);

/// Numbers that fit above the privilege mode.
const MOST: usize = (1 << 30) - 1;

impl Spaces {
    /// The number of the address space of `satp`, of a machine with addresses of so many bytes. `last`: the last value of this
    /// processor with its number.
    pub fn number(&self, satp: u64, address: usize, last: (u64, u32)) -> u32 {
        // Sv32: mode in bit 31; Sv39 and wider: in bits 63:60
        let translates = if address == 4 { satp >> 31 & 1 != 0 } else { satp >> 60 != 0 };
        if !translates {
            return 0;
        }
        if last.0 == satp && last.1 > 0 {
            return last.1;
        }
        let Ok(mut known) = self.0.lock() else { return 0 };
        let at = known.iter().rposition(|of| *of == satp).unwrap_or_else(|| {
            if known.len() < MOST {
                known.push(satp);
            }
            known.len() - 1
        });
        at as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_root_or_asid_is_another_number() {
        let spaces = Spaces::default();
        let number = |satp| spaces.number(satp, 8, (0, 0));
        let satp = |asid: u64, root: u64| 8 << 60 | asid << 44 | root;
        // without ASIDs, with them, and an ASID that another process gets
        let all = [satp(0, 5), satp(0, 6), satp(1, 7), satp(2, 8), satp(1, 9), satp(0, 5), satp(1, 7)];
        assert_eq!(all.map(number), [1, 2, 3, 4, 5, 1, 3]);
        assert_eq!(number(0), 0);
        assert_eq!(spaces.number(satp(1, 9), 8, (satp(1, 9), 5)), 5);
        // of 32 bits, without and with translation
        assert_eq!([5, 1 << 31 | 5].map(|satp| spaces.number(satp, 4, (0, 0))), [0, 6]);
    }
}
