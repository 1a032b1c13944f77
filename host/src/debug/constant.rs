//! Constant memory of a run, from the program alone: code and read-only data

use crate::input::elf_bytes;
use crate::HostError;
use object::elf::PF_W;
use object::{Object, ObjectSection, ObjectSegment, SectionKind, SegmentFlags};

/// Memory contents that do not change during a run.
#[derive(Clone, Debug, Default)]
pub struct Constant(Vec<(u64, Vec<u8>)>);

impl Constant {
    /// Reads the sections of code and of read-only data of an ELF file or of `builtin:NAME`; if there are no sections,
    /// the segments that are not writable. Code counts as constant, as in replay.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(name: &str) -> Result<Self, HostError> {
        let elf = elf_bytes(name)?;
        let bad = |e: object::Error| HostError::Other(format!("{name}: {e}"));
        let file = object::File::parse(&*elf).map_err(bad)?;
        let mut parts = Vec::new();
        for s in file.sections() {
            if matches!(s.kind(), SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString) {
                parts.push((s.address(), s.data().map_err(bad)?.to_vec()));
            }
        }
        if file.sections().next().is_none() {
            for s in file.segments() {
                if matches!(s.flags(), SegmentFlags::Elf { p_flags, .. } if !p_flags.contains(PF_W)) {
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
    fn code_and_read_only_data_of_the_bank_are_constant_and_its_variables_are_not() {
        let c = Constant::open("builtin:bank").unwrap();
        let program = programs::find("bank").unwrap().load().unwrap();
        let code = program.segments.iter().find(|s| s.executable).unwrap();
        assert_eq!(c.read(code.addr, 256), code.data[..256]);
        let balance = crate::symbols::Symbols::data("builtin:bank", "balance").unwrap();
        assert!(c.read(balance.into(), 4).is_empty());
    }
}
