//! Programs of machines other than RISC-V, for recordings and traces that contain the code that ran
//!
//! Such a program gives names and source lines. Its instructions are not decoded: replay uses the code in the recording, with which
//! the program's bytes are compared.

use crate::code::{compare, Comparison};
use crate::error::HostError;
use object::{Architecture, Object, ObjectKind, ObjectSegment, SegmentFlags};
use retire::code::Code;
use retire::elf::{Program, Segment};

/// The machine of an ELF file that is not for RISC-V, as QEMU calls it; `None` if it is for RISC-V or a machine whose programs are not captured.
pub fn machine(data: &[u8]) -> Option<&'static str> {
    let file = object::File::parse(data).ok().filter(Object::is_little_endian)?;
    match file.architecture() {
        Architecture::X86_64 | Architecture::X86_64_X32 => Some("x86_64"),
        Architecture::I386 => Some("i386"),
        Architecture::Aarch64 => Some("aarch64"),
        Architecture::Arm => Some("arm"),
        _ => None,
    }
}

/// A program for one of these machines.
///
/// # Errors
/// Why it cannot be used.
pub fn program(data: &[u8]) -> Result<Program, String> {
    let bad = |e: object::Error| format!("not an ELF file, or a damaged one ({e})");
    let file = object::File::parse(data).map_err(bad)?;
    if file.kind() != ObjectKind::Executable {
        return Err("is not linked to fixed addresses; expected an executable, or this one with the address at which it was loaded, FILE@0xADDR".into());
    }
    let mut segments = Vec::new();
    for segment in file.segments() {
        let SegmentFlags::Elf { p_flags, .. } = segment.flags() else { continue };
        let data = segment.data().map_err(bad)?.to_vec();
        let mut of = Segment::code(segment.address(), data).of_size(segment.size());
        of.executable = p_flags.contains(object::elf::PF_X);
        of.writable = p_flags.contains(object::elf::PF_W);
        segments.push(of);
    }
    // as `goshawk capture` identifies it
    let build_id = match file.build_id() {
        Ok(Some(id)) => id.to_vec(),
        _ => crc32fast::hash(data).to_be_bytes().to_vec(),
    };
    Ok(Program {
        xlen: if file.is_64() { 64 } else { 32 },
        compressed: false,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: file.entry(),
        segments,
        build_id,
    })
}

/// RISC-V, as the machine of a program.
pub const RISCV: &str = "RISC-V";

/// The machine on which a run was captured, as QEMU calls it, if `source` says how that was.
pub fn captured(source: &str) -> Option<&str> {
    // as `goshawk capture` writes it
    let captured = source.strip_prefix("captured under qemu-")?;
    captured.split([' ', ',']).next().map(|machine| machine.trim_start_matches("system-"))
}

/// Refuses a program for another machine than that on which a run was captured, if `source` says how that was. `elf`: its name and machine.
///
/// # Errors
/// It is refused.
pub fn check_machine(elf: (&str, &str), recording: &str, source: &str) -> Result<(), HostError> {
    let Some(captured) = captured(source) else { return Ok(()) };
    if captured == elf.1 || elf.1 == RISCV && captured.starts_with("riscv") {
        return Ok(());
    }
    Err(HostError::Other(format!(
        "{recording}: was captured on a machine {captured}, but {} is a program for {}",
        elf.0, elf.1
    )))
}

/// Refuses a program that is not for RISC-V where the code that ran is not known, or is not the program's. `elf`: its name and machine.
///
/// # Errors
/// It is refused.
pub fn check_code(code: Option<&Code>, program: &Program, elf: (&str, &str), recording: &str) -> Result<(), HostError> {
    let (elf, machine) = elf;
    let Some(code) = code else {
        return Err(HostError::Other(format!(
            "{recording}: does not contain the code that ran, and {elf} is a program for {machine}; expected a RISC-V program, or a \
             recording of `goshawk capture`"
        )));
    };
    match compare(code, program, &[]) {
        Comparison::Differs { pc, changed: false, .. } => {
            Err(HostError::Other(format!("{recording}: other code ran at 0x{pc:08x} than {elf} has there")))
        }
        _ => Ok(()),
    }
}
