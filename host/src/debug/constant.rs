//! Constant memory of a run, from the program alone: code
//!
//! A trace of the control flow has no stores. A constant in `.rodata` may be overwritten through a wrong pointer, where memory is not
//! protected, and is what a user then looks at: it is unknown.

use crate::input::elf_bytes;
use crate::HostError;
use object::elf::PF_X;
use object::{Object, ObjectSection, ObjectSegment, SectionKind, SegmentFlags};

/// Memory contents that do not change during a run.
#[derive(Clone, Debug, Default)]
pub struct Constant(Vec<(u64, Vec<u8>)>);

impl Constant {
    /// Reads the sections of code of an ELF file or of `builtin:NAME`; if there are no sections, the executable segments. Code counts
    /// as constant, as in replay.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(name: &str) -> Result<Self, HostError> {
        let elf = elf_bytes(name)?;
        let bad = |e: object::Error| HostError::Other(format!("{name}: {e}"));
        let file = object::File::parse(&*elf).map_err(bad)?;
        let mut parts = Vec::new();
        for s in file.sections() {
            if s.kind() == SectionKind::Text {
                parts.push((s.address(), s.data().map_err(bad)?.to_vec()));
            }
        }
        if file.sections().next().is_none() {
            for s in file.segments() {
                if matches!(s.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags.contains(PF_X)) {
                    parts.push((s.address(), s.data().map_err(bad)?.to_vec()));
                }
            }
        }
        parts.retain(|(_, data)| !data.is_empty());
        parts.sort();
        Ok(Self(parts))
    }

    /// Known bytes from `addr` on, without a hole: at most `most`, possibly none.
    pub fn read(&self, addr: u64, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let at = addr.wrapping_add(bytes.len() as u64);
            // the next part may start at the end of this one
            let part = self.0.iter().find_map(|(start, data)| {
                data.get(usize::try_from(at.checked_sub(*start)?).ok()?..).filter(|rest| !rest.is_empty())
            });
            let Some(part) = part else { break };
            bytes.extend_from_slice(&part[..part.len().min(most - bytes.len())]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_read_as_one_and_holes_end_it() {
        let c = Constant(vec![(0x10, vec![1, 2, 3]), (0x13, vec![4]), (0x20, vec![9])]);
        assert_eq!(c.read(0x11, 9), [2, 3, 4]);
        assert_eq!(c.read(0x11, 2), [2, 3]);
        assert!(c.read(0x14, 4).is_empty());
        assert!(c.read(0xf, 4).is_empty());
        assert!(c.read(u64::MAX, 4).is_empty());
    }

    #[test]
    fn code_of_the_bank_is_constant_and_its_data_is_not() {
        let c = Constant::open("builtin:bank").unwrap();
        let program = programs::find("bank").unwrap().load().unwrap();
        let code = program.segments.iter().find(|s| s.executable).unwrap();
        assert_eq!(c.read(code.addr, 256), code.data[..256]);
        let balance = crate::symbols::Symbols::data("builtin:bank", "balance").unwrap();
        assert!(c.read(balance.into(), 4).is_empty());
        // constants are in the segment of the code
        let elf = elf_bytes("builtin:bank").unwrap();
        let file = object::File::parse(&*elf).unwrap();
        let constants = file.section_by_name(".rodata").unwrap().address();
        assert!((code.addr..code.addr + code.data.len() as u64).contains(&constants));
        assert!(c.read(constants, 4).is_empty());
    }
}
