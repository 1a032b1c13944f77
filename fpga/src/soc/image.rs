//! Memory images: converts an ELF for the SoC's RAM

use super::core::CoreKind;
use super::top::RAM_BASE;
use retire::elf::Program;
use std::fmt::Write;

/// Error of a program that a SoC cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The program has another register width.
    #[error("the program is for RV{0}; the softcores are RV32")]
    Xlen(u8),
    /// The program has another entry point.
    #[error("the entry point is 0x{0:08x}; the cores start at 0x{RAM_BASE:08x}")]
    Entry(u64),
    /// The program has code that the core cannot run.
    #[error("the program is built for {extension}; expected {isa}, which {core} executes")]
    Isa {
        /// Extension that the program uses.
        extension: &'static str,
        /// Name of the core.
        core: &'static str,
        /// Instruction set of the core.
        isa: &'static str,
    },
    /// The program does not fit in RAM.
    #[error("the program needs 0x{first:08x} to 0x{last:08x}; RAM is {bytes} bytes, 0x{RAM_BASE:08x} to 0x{end:08x}", end = RAM_BASE + bytes - 1)]
    Size {
        /// First byte of the segment that does not fit.
        first: u64,
        /// Last byte of that segment.
        last: u64,
        /// RAM size, bytes.
        bytes: u64,
    },
}

/// Refuses a program with instructions that `core` does not have.
pub fn check_supported(program: &Program, core: CoreKind) -> Result<(), ImageError> {
    let isa = core.core().isa();
    let refuse = |extension| Err(ImageError::Isa { extension, core: core.name(), isa: isa.name() });
    if program.compressed && !isa.compressed() {
        return refuse("compressed instructions (C extension)");
    }
    if program.multiplies && !isa.multiplies() {
        return refuse("multiplication and division (M extension)");
    }
    Ok(())
}

/// Converts `program` to `$readmemh` text for a RAM of `ram_bytes`, one word per line.
pub fn hex(program: &Program, ram_bytes: u64) -> Result<String, ImageError> {
    if program.xlen != 32 {
        return Err(ImageError::Xlen(program.xlen));
    }
    if program.entry != RAM_BASE {
        return Err(ImageError::Entry(program.entry));
    }
    let mut ram = Vec::new();
    for s in &program.segments {
        let (first, last) = (s.addr, s.addr.saturating_add(s.mem_size.saturating_sub(1)));
        if first < RAM_BASE || last >= RAM_BASE + ram_bytes {
            return Err(ImageError::Size { first, last, bytes: ram_bytes });
        }
        let at = (first - RAM_BASE) as usize;
        if ram.len() < at + s.data.len() {
            ram.resize(at + s.data.len(), 0);
        }
        ram[at..at + s.data.len()].copy_from_slice(&s.data);
    }
    let mut text = String::with_capacity(ram.len() * 9 / 4 + 9);
    for word in ram.chunks(4) {
        let mut bytes = [0; 4];
        bytes[..word.len()].copy_from_slice(word);
        // the last line needs a newline too, or Verilator 5.006 drops the word
        let _ = writeln!(text, "{:08x}", u32::from_le_bytes(bytes));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::elf::Segment;

    fn program(addr: u64, data: &[u8], mem_size: u64) -> Program {
        let segment = Segment::code(addr, data.to_vec()).of_size(mem_size);
        Program {
            xlen: 32,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: RAM_BASE,
            segments: vec![segment],
            build_id: vec![1],
        }
    }

    #[test]
    fn words_are_little_endian_and_every_line_is_ended() {
        let text = hex(&program(RAM_BASE, &[0x13, 1, 2, 3, 0xff], 8), 1024).unwrap();
        assert_eq!(text, "03020113\n000000ff\n");
    }

    #[test]
    fn a_program_larger_than_memory_is_refused() {
        let e = hex(&program(RAM_BASE, &[0; 4], 1025), 1024).unwrap_err().to_string();
        assert_eq!(e, "the program needs 0x80000000 to 0x80000400; RAM is 1024 bytes, 0x80000000 to 0x800003ff");
    }

    #[test]
    fn a_program_outside_ram_is_refused() {
        let mut p = program(RAM_BASE, &[0; 4], 4);
        p.entry = 0x1000;
        assert_eq!(
            hex(&p, 1024).unwrap_err().to_string(),
            "the entry point is 0x00001000; the cores start at 0x80000000"
        );
    }
}
