//! Moves an ELF to the address at which it was loaded: position-independent executables and shared objects
//!
//! The headers, the symbols and the entry point get the addresses that the code had in the run. Debug information keeps those of the
//! linker: whoever reads it subtracts the address.

use crate::elf::ElfError;

/// `e_type` of an executable at fixed addresses.
const ET_EXEC: u16 = 2;
/// `e_type` of a shared object, and of a position-independent executable.
const ET_DYN: u16 = 3;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const SHF_ALLOC: u64 = 2;
const STT_TLS: u8 = 6;
/// Section indexes from here on are not of sections.
const SHN_LORESERVE: u16 = 0xff00;

/// Little-endian fields of a file of one class.
struct Fields<'a> {
    data: &'a mut [u8],
    wide: bool,
}

fn damaged() -> ElfError {
    ElfError::NotElf("a header or symbol lies outside the file".into())
}

impl Fields<'_> {
    fn bytes<const N: usize>(&self, at: u64) -> Result<[u8; N], ElfError> {
        let at = usize::try_from(at).map_err(|_| damaged())?;
        let bytes = self.data.get(at..).and_then(|b| b.first_chunk());
        bytes.copied().ok_or_else(damaged)
    }

    fn half(&self, at: u64) -> Result<u16, ElfError> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    /// An address, offset or size.
    fn word(&self, at: u64) -> Result<u64, ElfError> {
        match self.wide {
            true => self.bytes(at).map(u64::from_le_bytes),
            false => self.bytes(at).map(|b| u32::from_le_bytes(b).into()),
        }
    }

    /// Adds `by` to an address.
    fn add(&mut self, at: u64, by: u64) -> Result<(), ElfError> {
        let sum = self.word(at)?.wrapping_add(by);
        let place = at as usize;
        match self.wide {
            true => self.data[place..place + 8].copy_from_slice(&sum.to_le_bytes()),
            false => self.data[place..place + 4].copy_from_slice(&(sum as u32).to_le_bytes()),
        }
        Ok(())
    }

    /// The place of field `narrow` in a header of 32 bits, or `wide` in one of 64.
    fn pick(&self, narrow: u64, wide: u64) -> u64 {
        if self.wide {
            wide
        } else {
            narrow
        }
    }

    /// File offsets of the entries of a table.
    fn table(&self, offset: u64, size: u64, n: u64) -> impl Iterator<Item = u64> {
        (0..n).map_while(move |i| i.checked_mul(size)?.checked_add(offset))
    }

    /// Adds `by` to all addresses.
    fn shift(&mut self, by: u64) -> Result<(), ElfError> {
        self.add(24, by)?;
        let headers = (self.word(self.pick(28, 32))?, self.half(self.pick(42, 54))?, self.half(self.pick(44, 56))?);
        for p in self.table(headers.0, headers.1.into(), headers.2.into()) {
            self.add(p + self.pick(8, 16), by)?;
            self.add(p + self.pick(12, 24), by)?;
        }
        let sections = (self.word(self.pick(32, 40))?, self.half(self.pick(46, 58))?, self.half(self.pick(48, 60))?);
        for s in self.table(sections.0, sections.1.into(), sections.2.into()) {
            if self.word(s + 8)? & SHF_ALLOC != 0 {
                self.add(s + self.pick(12, 16), by)?;
            }
            if matches!(self.bytes(s + 4).map(u32::from_le_bytes)?, SHT_SYMTAB | SHT_DYNSYM) {
                let (offset, size) = (self.word(s + self.pick(16, 24))?, self.word(s + self.pick(20, 32))?);
                self.shift_symbols(offset, size, by)?;
            }
        }
        Ok(())
    }

    fn shift_symbols(&mut self, offset: u64, size: u64, by: u64) -> Result<(), ElfError> {
        let each = self.pick(16, 24);
        for s in self.table(offset, each, size / each) {
            let section = self.half(s + self.pick(14, 6))?;
            let [info] = self.bytes(s + self.pick(12, 4))?;
            // neither undefined, absolute nor an offset
            if (1..SHN_LORESERVE).contains(&section) && info & 0xf != STT_TLS {
                self.add(s + self.pick(4, 8), by)?;
            }
        }
        Ok(())
    }
}

/// Moves a position-independent ELF by `at`, the address at which its lowest segment, linked at 0, was loaded.
///
/// # Errors
/// It is no little-endian ELF, or linked to fixed addresses.
pub fn rebase(data: &mut [u8], at: u64) -> Result<(), ElfError> {
    let [magic @ .., class, order] = data.first_chunk::<6>().copied().unwrap_or_default();
    if magic != *b"\x7fELF" || !(1..=2).contains(&class) || order != 1 {
        return Err(ElfError::NotElf("it is not of 32 or 64 bits, little-endian".into()));
    }
    let mut fields = Fields { data, wide: class == 2 };
    match fields.half(16)? {
        ET_DYN => {}
        ET_EXEC => return Err(ElfError::Fixed { at }),
        other => return Err(ElfError::NotExecutable(other)),
    }
    fields.shift(at)?;
    fields.data[16..18].copy_from_slice(&ET_EXEC.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::Program;

    /// The program as a position-independent one: linked at 0.
    fn independent(elf: &[u8], base: u64) -> Vec<u8> {
        let mut data = elf.to_vec();
        Fields { data: &mut data, wide: elf[4] == 2 }.shift(base.wrapping_neg()).unwrap();
        data[16] = 3;
        data
    }

    #[test]
    fn a_moved_program_is_the_one_linked_there() {
        let elf = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/bare/elf/bank.elf")).unwrap();
        let program = Program::parse(&elf).unwrap();
        let base = program.segments.iter().map(|s| s.virtual_addr).min().unwrap();
        let mut moved = independent(&elf, base);
        assert!(matches!(Program::parse(&moved), Err(ElfError::NotExecutable(3))));
        rebase(&mut moved, base).unwrap();
        assert_eq!(moved, elf);
        let mut other = independent(&elf, base);
        rebase(&mut other, base + 0x1000).unwrap();
        let other = Program::parse(&other).unwrap();
        assert_eq!(
            (other.entry, other.tohost),
            (
                program.entry + 0x1000,
                program
                    .tohost
                    .map(|h| crate::elf::HostInterface { to: h.to + 0x1000, from: h.from.map(|a| a + 0x1000) })
            )
        );
        assert!(other.code().zip(program.code()).all(|(a, b)| a.0 == b.0 + 0x1000 && a.1 == b.1));
    }

    #[test]
    fn other_files_are_refused() {
        let elf = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/bare/elf/bank.elf")).unwrap();
        assert!(matches!(rebase(&mut elf.clone(), 0x1000), Err(ElfError::Fixed { at: 0x1000 })));
        assert!(rebase(&mut [0; 100], 0).unwrap_err().to_string().contains("little-endian"));
        let cut = independent(&elf, 0);
        for n in 0..cut.len().min(4000) {
            // an error or not, never a panic
            let _ = rebase(&mut cut[..n].to_vec(), 0x1000);
        }
    }
}
