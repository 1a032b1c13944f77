//! How QEMU starts a whole machine with a program: for each instruction set, another machine and other files
//!
//! | instruction set | machine | program |
//! | --- | --- | --- |
//! | riscv32, riscv64 | `virt`, without firmware | ELF file in its RAM; with a kernel, the firmware |
//! | x86-64 | `pc`, with the BIOS of the package | ELF file with a PVH entry, bzImage of Linux, or disk with a boot sector |
//! | AArch64 | `virt`, Cortex-A57 | ELF file in its RAM, or Image of Linux |
//!
//! # Source
//! QEMU 7.2: `docs/system/target-i386.rst`, `hw/i386/x86.c`, `hw/arm/boot.c`. Linux: `Documentation/x86/boot.rst`,
//! `Documentation/arm64/booting.rst`. Xen: `xen/include/public/elfnote.h`.

use crate::machine::{self, Executable, Machine, QEMU, QEMU_SYSTEM};
use crate::run::Parts;
use crate::CaptureError;
use object::elf;
use retire::file::input;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What kind of file a program is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boot {
    /// An ELF file.
    #[default]
    Elf,
    /// A kernel in the form of Linux.
    Linux,
    /// The image of a disk that a BIOS starts.
    Disk,
}

/// Bytes that are read to know the kind of a file.
const HEAD: u64 = 1024;
/// `XEN_ELFNOTE_PHYS32_ENTRY`: the note of a PVH entry.
const PVH: elf::NoteType = elf::NoteType(18);

/// Kind and machine of a file that begins with these bytes; `None`: not one that starts a machine without being an ELF file.
fn kind(head: &[u8]) -> Option<(Boot, Machine)> {
    let has = |at: usize, bytes: &[u8]| head.get(at..at + bytes.len()) == Some(bytes);
    if has(0x202, b"HdrS") {
        Some((Boot::Linux, Machine::X86))
    } else if has(56, b"ARM\x64") {
        Some((Boot::Linux, Machine::Aarch64))
    } else if has(510, &[0x55, 0xaa]) {
        Some((Boot::Disk, Machine::X86))
    } else {
        None
    }
}

/// Whether an ELF file has a note with a PVH entry.
fn has_pvh(data: &[u8]) -> Result<bool, object::Error> {
    use object::read::elf::{FileHeader, ProgramHeader};
    let header = elf::FileHeader64::<object::Endianness>::parse(data)?;
    let endian = header.endian()?;
    for segment in header.program_headers(endian, data)? {
        let Some(mut notes) = segment.notes(endian, data)? else { continue };
        while let Some(note) = notes.next()? {
            if note.name() == b"Xen" && note.n_type(endian) == PVH {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// First address of the memory of QEMU's machine, where it loads a program; `None`: it is anywhere.
fn memory(machine: Machine) -> Option<u64> {
    match machine {
        Machine::Riscv32 | Machine::Riscv64 => Some(0x8000_0000),
        Machine::Aarch64 => Some(0x4000_0000),
        Machine::X86 | Machine::Arm => None,
    }
}

/// Versions of QEMU for whole machines of this instruction set.
pub(crate) fn versions(machine: Machine) -> &'static [&'static str] {
    match machine {
        Machine::Riscv32 | Machine::Riscv64 => &QEMU_SYSTEM,
        // interrupts are seen where that version calls them
        Machine::X86 | Machine::Aarch64 | Machine::Arm => &[QEMU],
    }
}

/// Debian's package with the emulator of whole machines.
pub(crate) fn package(machine: Machine) -> &'static str {
    match machine {
        Machine::Riscv32 | Machine::Riscv64 => "qemu-system-misc",
        Machine::X86 => "qemu-system-x86",
        Machine::Aarch64 | Machine::Arm => "qemu-system-arm",
    }
}

impl Executable {
    /// As [`Executable::open`], for a whole machine: also a kernel of Linux, and a disk.
    pub fn open_machine(name: &Path) -> Result<Self, CaptureError> {
        // QEMU opens the file, too
        if !name.is_file() {
            return Self::open(name);
        }
        let head = input::head(name, HEAD)?;
        let Some((boot, machine)) = kind(&head).filter(|_| !head.starts_with(&input::ELF_MAGIC)) else {
            return Self::open(name);
        };
        let mut crc = flate2::CrcWriter::new(std::io::sink());
        std::io::copy(&mut input::open(name)?, &mut crc)
            .map_err(|source| CaptureError::Io { path: name.display().to_string(), source })?;
        let build_id = format!("{:08x}", crc.crc().sum());
        let path = name.to_path_buf();
        Ok(Self { path, machine, code: 0, load: 0..0, interpreter: None, build_id, boot })
    }

    /// Refuses a program that no whole machine starts.
    pub(crate) fn check_machine(&self, parts: &Parts) -> Result<(), CaptureError> {
        let refused = |what| Err(CaptureError::Program { program: self.path.display().to_string(), what });
        let name = self.machine.name();
        if self.machine == Machine::Arm {
            let needed = "`--system` needs a program for riscv32, riscv64, x86-64 or aarch64";
            return refused(format!("is for {name}; {needed}"));
        }
        if let Some(interpreter) = &self.interpreter {
            return refused(format!(
                "is loaded by {interpreter}, so by a system; a whole machine has none, and runs a bare-metal program: \
                 without --system is expected"
            ));
        }
        let is_riscv = matches!(self.machine, Machine::Riscv32 | Machine::Riscv64);
        if parts.kernel.is_some() && !is_riscv {
            return refused(format!(
                "`--kernel` is for firmware of RISC-V; a machine for {name} starts its program, which can be a kernel"
            ));
        }
        if parts.kernel.is_none() && self.boot != Boot::Linux {
            let given = [("--initrd", parts.initrd.is_some()), ("--append", parts.append.is_some())];
            if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
                return refused(format!("is no kernel of Linux, and there is no `--kernel`; `{option}` is for one"));
            }
        }
        if parts.kernel.is_some() || self.boot != Boot::Elf {
            return Ok(());
        }
        if self.machine == Machine::X86 {
            let data = input::elf(&self.path)?;
            return match has_pvh(&data) {
                Ok(true) => Ok(()),
                _ => refused(
                    "has no PVH entry (an ELF note `Xen` of type 18), at which QEMU starts a program; expected one, a bzImage \
                     of Linux, or a disk with a boot sector. A program for Linux runs without --system"
                        .into(),
                ),
            };
        }
        // the first page can be that of the ELF header, below the code
        match memory(self.machine) {
            Some(ram) if self.load.end <= ram => refused(format!(
                "has code at 0x{:x}, but the memory of the machine begins at 0x{ram:x}: `--system` needs a bare-metal \
                 program that is linked there; a program for Linux runs without --system",
                self.load.start
            )),
            _ => Ok(()),
        }
    }

    /// Arguments of QEMU for the machine, its parts and this program.
    pub(crate) fn machine_arguments(&self, parts: &Parts) -> Vec<OsString> {
        let mut all: Vec<OsString> = Vec::new();
        let mut add = |option: &str, value: &OsStr| all.extend([option.into(), value.into()]);
        let virtio = match self.machine {
            Machine::X86 => {
                add("-M", "pc".as_ref());
                // its firmware would be executed, too
                add("-nic", "none".as_ref());
                "virtio-blk-pci"
            }
            Machine::Aarch64 => {
                add("-M", "virt".as_ref());
                // by default the machine has a processor of 32 bits
                add("-cpu", "cortex-a57".as_ref());
                "virtio-blk-device"
            }
            Machine::Riscv32 | Machine::Riscv64 | Machine::Arm => {
                add("-M", "virt".as_ref());
                let bios = if parts.kernel.is_some() { self.path.as_os_str() } else { "none".as_ref() };
                add("-bios", bios);
                "virtio-blk-device"
            }
        };
        // QEMU separates properties by commas
        let escaped = |path: &Path| path.to_string_lossy().replace(',', ",,");
        match (&parts.kernel, self.boot) {
            (Some(kernel), _) => add("-kernel", kernel.as_os_str()),
            (None, Boot::Elf | Boot::Linux) => add("-kernel", self.path.as_os_str()),
            // what is written there is dropped
            (None, Boot::Disk) => {
                add("-drive", format!("file={},if=ide,format=raw,snapshot=on", escaped(&self.path)).as_ref());
            }
        }
        if let Some(initrd) = &parts.initrd {
            add("-initrd", initrd.as_os_str());
        }
        if let Some(append) = &parts.append {
            add("-append", append.as_ref());
        }
        if let Some(ram) = &parts.ram {
            add("-m", ram.as_ref());
        }
        if !parts.drives.is_empty() && self.machine != Machine::X86 {
            // the interface of virtio 1.0, which Linux and xv6 have
            add("-global", "virtio-mmio.force-legacy=false".as_ref());
        }
        for (i, path) in parts.drives.iter().enumerate() {
            let bus = if self.machine == Machine::X86 { String::new() } else { format!(",bus=virtio-mmio-bus.{i}") };
            add("-drive", format!("file={},if=none,format=raw,id=drive{i}", escaped(path)).as_ref());
            add("-device", format!("{virtio},drive=drive{i}{bus}").as_ref());
        }
        all
    }
}

/// Whether a version is one of [`versions`].
pub(crate) fn is_supported(machine: Machine, version: &str) -> bool {
    versions(machine).iter().any(|wanted| machine::is_of(version, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_first_bytes() {
        let with = |at: usize, bytes: &[u8]| {
            let mut head = vec![0; HEAD as usize];
            head[510..512].copy_from_slice(&[0x55, 0xaa]);
            head[at..at + bytes.len()].copy_from_slice(bytes);
            head
        };
        assert_eq!(kind(&with(0x202, b"HdrS")), Some((Boot::Linux, Machine::X86)));
        assert_eq!(kind(&with(56, b"ARM\x64")), Some((Boot::Linux, Machine::Aarch64)));
        assert_eq!(kind(&with(0, &[0xfa])), Some((Boot::Disk, Machine::X86)));
        assert_eq!(kind(&with(510, &[0, 0])), None);
        assert_eq!(kind(b"short"), None);
    }
}
