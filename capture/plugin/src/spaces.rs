//! Numbers of address spaces
//!
//! An address space is a value of `satp`: a root of page tables, and an ASID where the system uses them. It gets the next number when
//! it is used first. So an ASID that the system gives to another process is a new number, processes of a system without
//! ASIDs have numbers, and a thread of the kernel keeps that of the space in which it runs. 0 is code without translation.
//!
//! A system that frees a root may use its page for another process, with the same ASID: systems without ASIDs do so often. A process keeps
//! the tables to which its root points as long as it lives, at least that of its stack. So if a root comes back and points to none
//! of the tables that it pointed to before, it is that of another process, and gets a new number. Compared are the entries of
//! the lower half, because the upper half is that of the kernel in systems that share it.

use std::sync::Mutex;

/// An address space.
struct Space {
    satp: u64,
    /// Tables to which the root points: index and page number.
    tables: Vec<u64>,
}

/// Address spaces, by number from 1 on.
#[derive(Default)]
pub struct Spaces(Mutex<Vec<Space>>);

/// Numbers that fit above the privilege mode.
const MOST: usize = (1 << 30) - 1;
/// Bytes of a page of page tables.
const PAGE: usize = 4096;
/// Bits of an entry: valid; readable, writable or executable, which means that it points to no table.
const VALID: u64 = 1;
const LEAF: u64 = 0xe;

/// Tables to which a root points in its lower half. `address`: bytes of an entry.
fn tables(root: &[u8], address: usize) -> Vec<u64> {
    let entries = root[..root.len() / 2].chunks_exact(address).zip(0u64..);
    let entry = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    // the page number is in bits 53:10; above it are attributes
    let page = |entry: u64| entry >> 10 & ((1 << 44) - 1);
    let pointers = entries.map(|(bytes, index)| (entry(bytes), index)).filter(|(e, _)| e & (VALID | LEAF) == VALID);
    pointers.map(|(e, index)| index << 44 | page(e)).collect()
}

impl Spaces {
    /// The number of the address space of `satp`, of a machine with addresses of `address` bytes. `last`: the last value of this
    /// processor with its number. `read` reads physical memory, if it can.
    pub fn number(
        &self,
        satp: u64,
        address: usize,
        last: (u64, u32),
        read: impl FnOnce(u64, &mut [u8]) -> Option<()>,
    ) -> u32 {
        // Sv32: mode in bit 31, root in bits 21:0; Sv39 and wider: in bits 63:60 and 43:0
        let (translates, root) = match address {
            4 => (satp >> 31 & 1 != 0, satp & ((1 << 22) - 1)),
            _ => (satp >> 60 != 0, satp & ((1 << 44) - 1)),
        };
        if !translates {
            return 0;
        }
        if last.0 == satp && last.1 > 0 {
            return last.1;
        }
        let mut bytes = [0; PAGE];
        let found = read(root * PAGE as u64, &mut bytes).map(|()| tables(&bytes, address));
        let Ok(mut known) = self.0.lock() else { return 0 };
        if let Some(at) = known.iter().rposition(|space| space.satp == satp) {
            let before = &mut known[at].tables;
            match &found {
                // another process
                Some(now) if !before.is_empty() && !before.iter().any(|table| now.contains(table)) => {}
                _ => {
                    *before = found.unwrap_or_default();
                    return at as u32 + 1;
                }
            }
        }
        if known.len() < MOST {
            known.push(Space { satp, tables: found.unwrap_or_default() });
        }
        known.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_root_or_asid_is_another_number() {
        let spaces = Spaces::default();
        let number = |satp| spaces.number(satp, 8, (0, 0), |_, _| None);
        let satp = |asid: u64, root: u64| 8 << 60 | asid << 44 | root;
        // without ASIDs, with them, and an ASID that another process gets
        let all = [satp(0, 5), satp(0, 6), satp(1, 7), satp(2, 8), satp(1, 9), satp(0, 5), satp(1, 7)];
        assert_eq!(all.map(number), [1, 2, 3, 4, 5, 1, 3]);
        assert_eq!(number(0), 0);
        assert_eq!(spaces.number(satp(1, 9), 8, (satp(1, 9), 5), |_, _| None), 5);
        // of 32 bits, without and with translation
        assert_eq!([5, 1 << 31 | 5].map(|satp| spaces.number(satp, 4, (0, 0), |_, _| None)), [0, 6]);
    }

    #[test]
    fn a_root_that_points_to_other_tables_only_is_of_another_process() {
        for (address, satp) in [(8, 8 << 60 | 0x80123), (4, 1 << 31 | 0x80123)] {
            let spaces = Spaces::default();
            // entries by index: a table has no permission
            let number = |entries: &[(usize, u64)]| {
                spaces.number(satp, address, (0, 0), |at, root| {
                    assert_eq!(at, 0x8012_3000);
                    for (index, entry) in entries {
                        root[index * address..][..address].copy_from_slice(&entry.to_le_bytes()[..address]);
                    }
                    Some(())
                })
            };
            let table = |page: u64| page << 10 | 1;
            let kernel = (2, 0x80000 << 10 | 0xf);
            let upper = (PAGE / address - 1, table(9));
            assert_eq!(number(&[kernel, upper]), 1);
            // tables are added and taken away, one stays
            assert_eq!(number(&[(0, table(5)), kernel, upper]), 1);
            assert_eq!(number(&[(0, table(5)), (3, table(6)), kernel, upper]), 1);
            assert_eq!(number(&[(3, table(6)), (5, table(7)), upper]), 1);
            // the same tables elsewhere, or others there
            assert_eq!(number(&[(0, table(6)), (3, table(5)), kernel, upper]), 2);
            assert_eq!(number(&[(0, table(6)), upper]), 2);
            // cleared
            assert_eq!(number(&[kernel, upper]), 3);
        }
    }
}
