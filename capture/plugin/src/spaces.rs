//! Numbers of address spaces
//!
//! An address space is a root of page tables, and an ASID where the system uses them: a value of `satp` (RISC-V), of CR3 (x86-64; its
//! PCID only if CR4.PCIDE is set), or of `TTBR0_EL1` (AArch64). It gets the next number when it is used first. So an ASID that the system gives to another process is a new number, processes of a system without
//! ASIDs have numbers, and a thread of the kernel keeps that of the space in which it runs. 0 is code without translation.
//!
//! A system that frees a root may use its page for another process, with the same ASID: systems without ASIDs do so often. A process keeps
//! the tables to which its root points as long as it lives, at least that of its stack. So if a root comes back and points to none
//! of the tables that it pointed to before, it is that of another process, and gets a new number. Compared are the entries of
//! the lower half, because the upper half is that of the kernel in systems that share it.

use std::sync::Mutex;

/// What selects the address space of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The root and the ASID; 0 without translation.
    pub value: u64,
    /// Physical address of the root.
    pub page: u64,
    pub tables: Tables,
}

/// Form of the entries in the page of a root.
#[allow(dead_code)] // only RISC-V with version 4 of the plugin interface
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// RISC-V, and the bytes of an entry.
    Riscv(usize),
    /// Levels 4 and 5 of x86-64.
    X86Long,
    /// AArch64, with pages of 4 KiB.
    Aarch64,
    /// Not compared: 32-bit x86.
    Unknown,
}

impl Root {
    /// Without translation.
    pub const NONE: Self = Self { value: 0, page: 0, tables: Tables::Unknown };

    /// That of a value of `satp`, in a machine with addresses of `address` bytes.
    pub fn of_satp(satp: u64, address: usize) -> Self {
        // Sv32: mode in bit 31, root in bits 21:0; Sv39 and wider: in bits 63:60 and 43:0
        let (translates, root) = match address {
            4 => (satp >> 31 & 1 != 0, satp & ((1 << 22) - 1)),
            _ => (satp >> 60 != 0, satp & ((1 << 44) - 1)),
        };
        let page = root * PAGE as u64;
        if translates {
            Self { value: satp, page, tables: Tables::Riscv(address) }
        } else {
            Self::NONE
        }
    }
}

/// An address space.
struct Space {
    value: u64,
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

/// Tables to which a root points in its lower half, or in AArch64, whose upper half has another root, in all of it.
fn tables(root: &[u8], form: Tables) -> Vec<u64> {
    let (bytes, half) = match form {
        Tables::Riscv(bytes) => (bytes, 2),
        Tables::X86Long => (8, 2),
        Tables::Aarch64 => (8, 1),
        Tables::Unknown => return Vec::new(),
    };
    let entries = root[..root.len() / half].chunks_exact(bytes).zip(0u64..);
    let entry = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    let pointers = entries.filter_map(|(bytes, index)| {
        let entry = entry(bytes);
        let page = match form {
            // valid, not readable, writable or executable; the page number is in bits 53:10, above it are attributes
            Tables::Riscv(_) => (entry & 0xf == 1).then_some(entry >> 10 & ((1 << 44) - 1)),
            // present; bits 51:12
            Tables::X86Long => (entry & 1 == 1).then_some(entry >> 12 & ((1 << 40) - 1)),
            // a table, no block; bits 47:12
            Tables::Aarch64 => (entry & 3 == 3).then_some(entry >> 12 & ((1 << 36) - 1)),
            Tables::Unknown => None,
        };
        page.map(|page| index << 44 | page)
    });
    pointers.collect()
}

impl Spaces {
    /// The number of an address space. `last`: the last root of this processor, with its number. `read` reads physical
    /// memory, if it can.
    pub fn number(&self, root: Root, last: (u64, u32), read: impl FnOnce(u64, &mut [u8]) -> Option<()>) -> u32 {
        let Root { value, page, tables: form } = root;
        if value == 0 {
            return 0;
        }
        if last.0 == value && last.1 > 0 {
            return last.1;
        }
        let mut bytes = [0; PAGE];
        let found = if form == Tables::Unknown { None } else { read(page, &mut bytes) };
        let found = found.map(|()| tables(&bytes, form));
        let Ok(mut known) = self.0.lock() else { return 0 };
        if let Some(at) = known.iter().rposition(|space| space.value == value) {
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
            known.push(Space { value, tables: found.unwrap_or_default() });
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
        let number = |satp| spaces.number(Root::of_satp(satp, 8), (0, 0), |_, _| None);
        let satp = |asid: u64, root: u64| 8 << 60 | asid << 44 | root;
        // without ASIDs, with them, and an ASID that another process gets
        let all = [satp(0, 5), satp(0, 6), satp(1, 7), satp(2, 8), satp(1, 9), satp(0, 5), satp(1, 7)];
        assert_eq!(all.map(number), [1, 2, 3, 4, 5, 1, 3]);
        assert_eq!(number(0), 0);
        assert_eq!(spaces.number(Root::of_satp(satp(1, 9), 8), (satp(1, 9), 5), |_, _| None), 5);
        // of 32 bits, without and with translation
        assert_eq!([5, 1 << 31 | 5].map(|satp| spaces.number(Root::of_satp(satp, 4), (0, 0), |_, _| None)), [0, 6]);
    }

    #[test]
    fn a_root_that_points_to_other_tables_only_is_of_another_process() {
        for (address, satp) in [(8, 8 << 60 | 0x80123), (4, 1 << 31 | 0x80123)] {
            let spaces = Spaces::default();
            // entries by index: a table has no permission
            let number = |entries: &[(usize, u64)]| {
                spaces.number(Root::of_satp(satp, address), (0, 0), |at, root| {
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

    #[test]
    fn tables_of_other_machines_are_compared() {
        for form in [Tables::X86Long, Tables::Aarch64] {
            let spaces = Spaces::default();
            let number = |value: u64, entries: &[(usize, u64)]| {
                let root = Root { value, page: 0x5000, tables: form };
                spaces.number(root, (0, 0), |at, page| {
                    assert_eq!(at, 0x5000);
                    for (index, entry) in entries {
                        page[index * 8..][..8].copy_from_slice(&entry.to_le_bytes());
                    }
                    Some(())
                })
            };
            // bits 0 and 1 of a table; above an address are attributes
            let table = |page: u64| 1 << 63 | page << 12 | 7;
            assert_eq!(number(0, &[]), 0);
            assert_eq!(number(1, &[(0, table(5)), (300, table(9))]), 1);
            assert_eq!(number(2, &[(0, table(5)), (300, table(9))]), 2);
            assert_eq!(number(1, &[(0, table(5)), (1, table(6)), (300, table(9))]), 1);
            // the upper half of x86-64 is the kernel's
            let shared = if form == Tables::X86Long { 3 } else { 1 };
            assert_eq!(number(1, &[(0, table(7)), (300, table(9))]), shared);
        }
    }
}
