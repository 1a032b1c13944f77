//! ELF programs: loaded segments, entry point, and identity of the build
//!
//! Reads 32- and 64-bit little-endian RISC-V executables with the `object` crate.

use crate::file::{input, FileError};
use object::elf::{EF_RISCV_RVC, EM_RISCV, ET_EXEC, PF_W, PF_X, PT_LOAD, SHF_EXECINSTR};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};
use std::path::Path;

/// A loaded segment. Bytes after `data` are zero, up to `mem_size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Load address: where it is before the program starts.
    pub addr: u64,
    /// Address at which the program uses it. Differs from `addr` if the program copies it first, such as functions in
    /// RAM.
    pub virtual_addr: u64,
    /// Bytes from the file.
    pub data: Vec<u8>,
    /// Size in memory, bytes; at least `data.len()`.
    pub mem_size: u64,
    /// Contains code: its flags say so, or a section in it has code (linker scripts without program header flags).
    pub executable: bool,
    /// Its flags let the program write to it.
    pub writable: bool,
}

impl Segment {
    /// A code segment at `addr`, which can be written.
    pub fn code(addr: u64, data: Vec<u8>) -> Self {
        Self { addr, virtual_addr: addr, mem_size: data.len() as u64, data, executable: true, writable: true }
    }

    /// The segment with a size of `mem_size` bytes in memory.
    #[must_use]
    pub fn of_size(self, mem_size: u64) -> Self {
        Self { mem_size, ..self }
    }
}

/// A program, for execution and for replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// 32 or 64.
    pub xlen: u8,
    /// The ELF was built with the C extension.
    pub compressed: bool,
    /// Its build attributes include the M extension; also true if it has no attributes.
    pub multiplies: bool,
    /// The encodings of Zcmp and Zcmt mean these instructions, not `c.fsdsp`.
    pub zcm: bool,
    /// Where programs for the Berkeley host interface store their commands, if the program has the symbol `tohost`.
    pub tohost: Option<HostInterface>,
    /// Entry point.
    pub entry: u64,
    /// Segments in file order.
    pub segments: Vec<Segment>,
    /// Identifies the build: the GNU build id if there is one, otherwise CRC-32s of the segments.
    pub build_id: Vec<u8>,
}

/// Addresses of the Berkeley host interface (HTIF).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterface {
    /// Symbol `tohost`: commands to the host.
    pub to: u64,
    /// Symbol `fromhost`: answers of the host, for system calls.
    pub from: Option<u64>,
}

/// Error of reading a program that cannot be run or replayed.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no ELF, or a damaged one.
    #[error("not an ELF file, or a damaged one ({0}); expected a RISC-V executable")]
    NotElf(String),
    /// It is for another machine.
    #[error("ELF machine is {found}; expected a little-endian RISC-V executable (machine 243)")]
    WrongMachine {
        /// `e_machine`, with the class.
        found: String,
    },
    /// It is not linked to fixed addresses.
    #[error("ELF type is {0}; expected a statically linked executable (type 2, ET_EXEC){more}", more = independent(*.0))]
    NotExecutable(u16),
    /// It is linked to fixed addresses, and was to be moved.
    #[error("is linked to fixed addresses; expected a position-independent executable or shared object in front of `@0x{at:x}`")]
    Fixed {
        /// The address to which it was to be moved.
        at: u64,
    },
    /// No code segment.
    #[error("ELF has no loadable code segment")]
    NoCode,
}

/// What would be right for a position-independent executable or a shared object.
fn independent(kind: u16) -> &'static str {
    if kind == 3 {
        ", or this one with the address at which it was loaded, FILE@0xADDR"
    } else {
        ""
    }
}

impl Program {
    /// Reads the ELF file at `path`.
    pub fn read(path: &Path) -> Result<Self, ElfError> {
        Self::parse(&input::elf(path)?)
    }

    /// Parses an ELF image.
    pub fn parse(data: &[u8]) -> Result<Self, ElfError> {
        match object::FileKind::parse(data).map_err(|e| ElfError::NotElf(e.to_string()))? {
            object::FileKind::Elf32 => Self::parse_class::<object::elf::FileHeader32<Endianness>>(data, 32),
            object::FileKind::Elf64 => Self::parse_class::<object::elf::FileHeader64<Endianness>>(data, 64),
            other => Err(ElfError::NotElf(format!("it looks like {other:?}"))),
        }
    }

    fn parse_class<H: FileHeader<Endian = Endianness>>(data: &[u8], xlen: u8) -> Result<Self, ElfError> {
        let bad = |e: object::Error| ElfError::NotElf(e.to_string());
        let header = H::parse(data).map_err(bad)?;
        let endian = header.endian().map_err(bad)?;
        let machine = header.e_machine(endian);
        if machine != EM_RISCV || endian != Endianness::Little {
            let order = if endian == Endianness::Little { "little" } else { "big" };
            return Err(ElfError::WrongMachine { found: format!("{} ({xlen}-bit, {order}-endian)", machine.0) });
        }
        if header.e_type(endian) != ET_EXEC {
            return Err(ElfError::NotExecutable(header.e_type(endian).0));
        }
        let sections = header.sections(endian, data).map_err(bad)?;
        // file offsets of code sections
        let code: Vec<u64> = sections
            .iter()
            .filter(|s| s.sh_flags(endian).contains(SHF_EXECINSTR) && s.sh_size(endian).into() > 0)
            .map(|s| s.sh_offset(endian).into())
            .collect();
        let mut segments = Vec::new();
        for p in header.program_headers(endian, data).map_err(bad)? {
            if p.p_type(endian) != PT_LOAD || p.p_memsz(endian).into() == 0 {
                continue;
            }
            let bytes =
                p.data(endian, data).map_err(|()| ElfError::NotElf("a segment lies outside the file".into()))?;
            let file: std::ops::Range<u64> = p.p_offset(endian).into()..p.p_offset(endian).into() + bytes.len() as u64;
            segments.push(Segment {
                addr: p.p_paddr(endian).into(),
                virtual_addr: p.p_vaddr(endian).into(),
                data: bytes.to_vec(),
                mem_size: p.p_memsz(endian).into().max(bytes.len() as u64),
                executable: p.p_flags(endian).contains(PF_X) || code.iter().any(|at| file.contains(at)),
                writable: p.p_flags(endian).contains(PF_W),
            });
        }
        if !segments.iter().any(|s| s.executable) {
            return Err(ElfError::NoCode);
        }
        let file = object::File::parse(data).map_err(bad)?;
        let symbol = |name| file.symbol_by_name(name).filter(ObjectSymbol::is_definition).map(|s| s.address());
        let build_id = match file.build_id() {
            Ok(Some(id)) => id.to_vec(),
            _ => segments.iter().flat_map(|s| crc32fast::hash(&s.data).to_le_bytes()).collect(),
        };
        let attributes = file.section_by_name(".riscv.attributes").and_then(|s| s.data().ok());
        Ok(Self {
            xlen,
            multiplies: attributes.and_then(arch).is_none_or(|a| has_m(&a)),
            zcm: attributes.and_then(arch).is_some_and(|a| has_zcm(&a)),
            compressed: header.e_flags(endian).contains(EF_RISCV_RVC),
            tohost: symbol("tohost").map(|to| HostInterface { to, from: symbol("fromhost") }),
            entry: header.e_entry(endian).into(),
            segments,
            build_id,
        })
    }
}

impl Program {
    /// Code with the addresses at which it can run: first the addresses at which the program uses the segments, then
    /// the load addresses that differ.
    pub fn code(&self) -> impl Iterator<Item = (u64, &[u8])> + Clone {
        let code = self.segments.iter().filter(|s| s.executable);
        let loaded = code.clone().filter(|s| s.addr != s.virtual_addr).map(|s| (s.addr, s.data.as_slice()));
        code.map(|s| (s.virtual_addr, s.data.as_slice())).chain(loaded)
    }
}

/// `Tag_RISCV_arch` in a section `.riscv.attributes`, such as `rv32i2p1_m2p0`.
fn arch(section: &[u8]) -> Option<String> {
    let at = section.windows(3).position(|w| w == b"rv3" || w == b"rv6")?;
    let text = section[at..].split(|b| *b == 0).next()?;
    std::str::from_utf8(text).ok().map(str::to_owned)
}

/// Whether an architecture has Zcmp or Zcmt. If it has neither these nor the D extension, which uses the same
/// encodings, the encodings are reserved: code that executes them must be for a core that has Zcmp or Zcmt.
fn has_zcm(arch: &str) -> bool {
    let single = arch.split('_').next().unwrap_or_default();
    let d = |e: &str| e.strip_prefix('d').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()));
    let named = arch.split('_').any(|e| e.starts_with("zcmp") || e.starts_with("zcmt"));
    named
        || !(arch.split('_').any(d)
            || single.trim_start_matches("rv32").trim_start_matches("rv64").contains(['d', 'g']))
}

/// Whether an architecture has the M extension, a letter with a version.
fn has_m(arch: &str) -> bool {
    arch.split('_').skip(1).any(|e| e.strip_prefix('m').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_architecture_says_what_the_encodings_of_fsdsp_are() {
        for (arch, has) in [
            ("rv32i2p1_m2p0_c2p0_zicsr2p0_zca1p0_zcmp1p0", true),
            ("rv64i2p1_c2p0_zcmt1p0", true),
            ("rv32i2p1_m2p0_a2p1_c2p0_zicsr2p0", true),
            ("rv32i2p1_m2p0_f2p2_c2p0", true),
            ("rv32i2p1_m2p0_f2p2_d2p2_c2p0", false),
            ("rv64i2p0_m2p0_a2p0_f2p0_d2p0_c2p0", false),
            ("rv64gc", false),
            ("rv32imac", true),
        ] {
            assert_eq!(has_zcm(arch), has, "{arch}");
        }
    }
}
