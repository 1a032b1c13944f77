//! Machines: their QEMU names, and the control flow of their instructions
//!
//! Only the last instruction of a block can branch, and QEMU provides its bytes.
//!
//! # Source
//! RISC-V: [`retire::isa`]. AArch64: Arm ARM (DDI 0487), C4.1 "Branches, Exception Generating and System instructions".
//! 32-bit ARM: module `arm`. x86-64: module `x86`.

use crate::boot::{self, Boot};
pub use crate::flow::Flow;
use crate::{arm, x86, CaptureError};
use object::elf;
use retire::file::input;
use retire::isa::{self, Indirect};
use retire::FlowKind;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Supported QEMU version, in user mode.
pub const QEMU: &str = "7.2";
/// Supported QEMU versions for whole machines.
pub const QEMU_SYSTEM: [&str; 2] = [QEMU, NEWER];
/// The QEMU version with version 4 of the plugin interface.
const NEWER: &str = "10.0";

/// Whether a version of QEMU uses version 4 of the plugin interface, which provides the values of a machine's memory
/// accesses.
pub fn is_newer(version: &str) -> bool {
    is_of(version, NEWER)
}

/// Whether a version of QEMU is of this series.
pub(crate) fn is_of(version: &str, wanted: &str) -> bool {
    version.split('.').take(2).eq(wanted.split('.'))
}

/// A machine for which a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Machine {
    /// 32-bit RISC-V.
    Riscv32,
    /// 64-bit RISC-V.
    Riscv64,
    /// x86-64.
    X86,
    /// 64-bit Arm.
    Aarch64,
    /// 32-bit Arm: A32 and Thumb.
    Arm,
}

/// Properties of a program that are needed before it is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Executable {
    /// Path.
    pub path: PathBuf,
    /// Its machine.
    pub machine: Machine,
    /// Lowest address of its code, according to the ELF.
    pub code: u64,
    /// From the lowest to the highest physical address to which its code is loaded, together with what is in the same segments. Not
    /// stored: only the start of a machine needs it.
    #[serde(skip)]
    pub load: Range<u64>,
    /// Path of the dynamic linker that it needs.
    pub interpreter: Option<String>,
    /// GNU build id or CRC-32 of the file, hex; the same as in [`retire::elf::Program`] if that can read it.
    pub build_id: String,
    /// What kind of file it is. Not stored, as above.
    #[serde(skip)]
    pub boot: Boot,
}

impl Machine {
    /// All machines.
    pub const ALL: [Self; 5] = [Self::Riscv32, Self::Riscv64, Self::X86, Self::Aarch64, Self::Arm];

    /// Name in QEMU.
    pub fn name(self) -> &'static str {
        match self {
            Self::Riscv32 => "riscv32",
            Self::Riscv64 => "riscv64",
            Self::X86 => "x86_64",
            Self::Aarch64 => "aarch64",
            Self::Arm => "arm",
        }
    }

    /// Address width, bits.
    pub fn xlen(self) -> u8 {
        match self {
            Self::Riscv32 | Self::Arm => 32,
            Self::Riscv64 | Self::X86 | Self::Aarch64 => 64,
        }
    }

    /// Folder of Debian's libraries for other machines.
    fn sysroot(self) -> &'static str {
        match self {
            Self::Riscv32 => "/usr/riscv32-linux-gnu",
            Self::Riscv64 => "/usr/riscv64-linux-gnu",
            Self::X86 => "/usr/x86_64-linux-gnu",
            Self::Aarch64 => "/usr/aarch64-linux-gnu",
            Self::Arm => "/usr/arm-linux-gnueabihf",
        }
    }

    /// Mask of the address bits of a code address.
    pub(crate) fn code_mask(self) -> u64 {
        // on ARM, bit 0 selects Thumb
        u64::from(self != Self::Arm) | !1
    }

    /// The cause of the trap that the last instruction of a block is made for (`int`, `syscall`), if it is made for one
    /// and continues in a handler of a whole machine. Arguments: as those of [`Machine::flow`].
    pub fn enters(self, codes: &[&[u8]], pc: u64, state: u32) -> Option<u8> {
        let code = codes.last().filter(|_| self == Self::X86)?;
        x86::enters(code, pc, state)
    }

    /// Control flow of the last instruction of a block. `codes`: its instructions; `pc`: address of the last one;
    /// `state`: processor state that the plugin reported with the block.
    pub fn flow(self, codes: &[&[u8]], pc: u64, state: u32) -> Flow {
        let (code, before) = codes.split_last().map_or((&[][..], &[][..]), |(code, before)| (*code, before));
        match self {
            Self::Riscv32 | Self::Riscv64 => riscv(code, pc, self.xlen()),
            Self::X86 => x86::flow(code, pc, state),
            Self::Aarch64 => aarch64(code, pc),
            Self::Arm => {
                let state = before.iter().fold(arm::state(state), |state, code| state.after(code));
                arm::flow(code, pc, state)
            }
        }
    }
}

fn word(code: &[u8]) -> u32 {
    let mut wide = [0; 4];
    let n = code.len().min(4);
    wide[..n].copy_from_slice(&code[..n]);
    u32::from_le_bytes(wide)
}

fn riscv(code: &[u8], pc: u64, xlen: u8) -> Flow {
    let mask = u64::MAX >> (64 - xlen);
    let to = |offset: i32| pc.wrapping_add(i64::from(offset) as u64) & mask;
    match isa::flow(word(code), xlen) {
        isa::Flow::Sequential => Flow::Sequential,
        isa::Flow::Conditional { offset } => Flow::Conditional(to(offset)),
        isa::Flow::Jump { offset, call: false } => Flow::Jump(to(offset)),
        isa::Flow::Jump { offset, call: true } => Flow::Call(to(offset)),
        isa::Flow::Indirect(Indirect::Jump) => Flow::Indirect(FlowKind::IndirectJump),
        isa::Flow::Indirect(Indirect::Call) => Flow::Indirect(FlowKind::IndirectCall),
        isa::Flow::Indirect(Indirect::Return) => Flow::Indirect(FlowKind::Return),
        isa::Flow::Indirect(Indirect::CoSwap) => Flow::Indirect(FlowKind::CoSwap),
        isa::Flow::TrapReturn => Flow::Indirect(FlowKind::TrapReturn),
    }
}

fn aarch64(code: &[u8], pc: u64) -> Flow {
    let insn = word(code);
    // an immediate field of the given width and position, times 4, sign-extended
    let to = |at: u32, bits: u32| {
        let words = ((insn >> at) << (32 - bits)) as i32 >> (32 - bits);
        pc.wrapping_add((i64::from(words) * 4) as u64)
    };
    match insn >> 24 {
        // B, BL
        0x14..=0x17 => Flow::Jump(to(0, 26)),
        0x94..=0x97 => Flow::Call(to(0, 26)),
        // B.cond, CBZ and CBNZ, TBZ and TBNZ
        0x54 | 0x34 | 0x35 | 0xb4 | 0xb5 => Flow::Conditional(to(5, 19)),
        0x36 | 0x37 | 0xb6 | 0xb7 => Flow::Conditional(to(5, 14)),
        // BR, BLR, RET, and with pointer authentication (bit 24, bits 11:10)
        0xd6 | 0xd7 => match insn >> 21 & 0x7 {
            0 => Flow::Indirect(FlowKind::IndirectJump),
            1 => Flow::Indirect(FlowKind::IndirectCall),
            2 => Flow::Indirect(FlowKind::Return),
            // ERET, which only whole machines execute
            4 => Flow::Indirect(FlowKind::TrapReturn),
            _ => Flow::Sequential,
        },
        _ => Flow::Sequential,
    }
}

/// Finds a program as a shell does.
fn find(name: &Path) -> PathBuf {
    if name.components().count() == 1 && !name.exists() {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        if let Some(found) = std::env::split_paths(&folders).map(|f| f.join(name)).find(|p| p.is_file()) {
            return found;
        }
    }
    name.to_path_buf()
}

impl Executable {
    /// Reads the properties of the program.
    pub fn open(name: &Path) -> Result<Self, CaptureError> {
        let path = find(name);
        let program = path.display().to_string();
        let bad = |what: String| CaptureError::Program { program: program.clone(), what };
        if input::is_pipe(&path)? {
            return Err(bad("is a pipe; QEMU runs a file".into()));
        }
        let data = input::elf(&path)?;
        const RIGHT: &str = "expected a Linux executable of riscv64, riscv32, x86-64, aarch64 or arm";
        if data.starts_with(b"#!") {
            return Err(bad(format!("is a script; {RIGHT}: its interpreter, with the script as its argument")));
        }
        let Header { machine, code, load, interpreter } = match object::FileKind::parse(&*data) {
            Ok(object::FileKind::Elf32) => header::<elf::FileHeader32<object::Endianness>>(&data),
            Ok(object::FileKind::Elf64) => header::<elf::FileHeader64<object::Endianness>>(&data),
            _ => Err(format!("is not an ELF file; {RIGHT}")),
        }
        .map_err(|what| bad(if what.contains("expected") { what } else { format!("{what}; {RIGHT}") }))?;
        Ok(Self { build_id: build_id(&data), path, machine, code, load, interpreter, boot: Boot::Elf })
    }

    /// The path and version of `qemu-NAME`, or with `system` of `qemu-system-NAME`; `given` replaces the path.
    pub fn qemu(&self, given: Option<&Path>, system: bool) -> Result<(PathBuf, String), CaptureError> {
        let (mode, package, word) = match system {
            true => ("of whole machines", boot::package(self.machine), "system-"),
            false => ("in user mode", "qemu-user", ""),
        };
        let name = format!("qemu-{word}{}", self.machine.name());
        let qemu = given.map_or_else(|| find(Path::new(&name)), Path::to_path_buf);
        let shown = qemu.display();
        let said = Command::new(&qemu).arg("--version").output().map_err(|e| {
            let reason = retire::file::system_error(&e);
            CaptureError::Qemu(format!("{shown}: {reason}; QEMU {QEMU} {mode} is needed (Debian's package {package})"))
        })?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let version = said.split("version ").nth(1).and_then(|v| v.split([' ', '\n']).next()).unwrap_or_default();
        // the emulator of a whole machine does not print which machine
        let begins = if system { "QEMU emulator" } else { name.as_str() };
        let known: &[&str] = if system { boot::versions(self.machine) } else { &[QEMU] };
        let right = if system { boot::is_supported(self.machine, version) } else { is_of(version, QEMU) };
        let right = said.starts_with(begins) && right;
        if right {
            return Ok((qemu, version.to_string()));
        }
        let first = said.lines().next().unwrap_or("nothing");
        Err(CaptureError::Qemu(format!(
            "{shown}: `--version` prints `{first}`; expected {name} version {}",
            known.join(" or ")
        )))
    }

    /// The folder where QEMU finds the dynamic linker, unless the host has it at its usual path.
    pub fn sysroot(&self) -> Option<&'static str> {
        let interpreter = self.interpreter.as_deref()?;
        let root = self.machine.sysroot();
        let missing = !Path::new(interpreter).exists() && std::env::var_os("QEMU_LD_PREFIX").is_none();
        (missing && Path::new(&format!("{root}{interpreter}")).exists()).then_some(root)
    }
}

/// What the header of an ELF file says, as in [`Executable`].
struct Header {
    machine: Machine,
    code: u64,
    load: Range<u64>,
    interpreter: Option<String>,
}

fn header<H: object::read::elf::FileHeader<Endian = object::Endianness>>(data: &[u8]) -> Result<Header, String> {
    use object::read::elf::ProgramHeader;
    let bad = |e: object::Error| format!("is a damaged ELF file ({e})");
    let header = H::parse(data).map_err(bad)?;
    let endian = header.endian().map_err(bad)?;
    let wide = header.is_type_64();
    let machine = match (header.e_machine(endian), wide) {
        _ if endian != object::Endianness::Little => return Err("is big-endian".into()),
        (elf::EM_RISCV, false) => Machine::Riscv32,
        (elf::EM_RISCV, true) => Machine::Riscv64,
        (elf::EM_X86_64, true) => Machine::X86,
        (elf::EM_AARCH64, true) => Machine::Aarch64,
        (elf::EM_ARM, false) => Machine::Arm,
        (other, _) => return Err(format!("is of ELF machine {} ({}-bit)", other.0, if wide { 64 } else { 32 })),
    };
    let kind = header.e_type(endian);
    if kind != elf::ET_EXEC && kind != elf::ET_DYN {
        return Err(format!("is of ELF type {}, no executable", kind.0));
    }
    let segments = header.program_headers(endian, data).map_err(bad)?;
    let interpreter = segments.iter().find(|s| s.p_type(endian) == elf::PT_INTERP);
    let text = interpreter.and_then(|s| s.data(endian, data).ok());
    let text = text.map(|t| String::from_utf8_lossy(t.strip_suffix(b"\0").unwrap_or(t)).into_owned());
    let is_code = |s: &&H::ProgramHeader| s.p_type(endian) == elf::PT_LOAD && s.p_flags(endian).contains(elf::PF_X);
    let code = segments.iter().filter(is_code).map(|s| s.p_vaddr(endian).into()).min().unwrap_or(0);
    let start = segments.iter().filter(is_code).map(|s| s.p_paddr(endian).into()).min().unwrap_or(0);
    let end = |s: &H::ProgramHeader| s.p_paddr(endian).into().saturating_add(s.p_memsz(endian).into());
    let load = start..segments.iter().filter(is_code).map(end).max().unwrap_or(0);
    Ok(Header { machine, code, load, interpreter: text })
}

fn build_id(data: &[u8]) -> String {
    use object::Object;
    if let Ok(program) = retire::elf::Program::parse(data) {
        return retire::file::hex(&program.build_id);
    }
    match object::File::parse(data).map(|f| f.build_id().map(|id| id.map(retire::file::hex))) {
        Ok(Ok(Some(id))) => id,
        _ => {
            let mut crc = flate2::Crc::new();
            crc.update(data);
            format!("{:08x}", crc.sum())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Bytes from `objdump -d` of assembled code.
    #[test]
    fn branches_of_x86_are_recognised_by_their_bytes() {
        let at = |code: &[u8]| Machine::X86.flow(&[code], 0x4004ec, 0);
        // thesis figure 4.12: jnbe 0x4004f1 at 0x4004ec would be 77 03 with 2 bytes; 0f 87 with 6 bytes
        assert_eq!(at(&[0x77, 0x03]), Flow::Conditional(0x4004f1));
        assert_eq!(at(&[0x0f, 0x87, 0xff, 0xff, 0xff, 0xff]), Flow::Conditional(0x4004f1));
        assert_eq!(at(&[0xe2, 0xfe]), Flow::Conditional(0x4004ec)); // loop .
        assert_eq!(at(&[0xe3, 0x00]), Flow::Conditional(0x4004ee)); // jrcxz
        assert_eq!(at(&[0xeb, 0x10]), Flow::Jump(0x4004fe));
        assert_eq!(at(&[0xe8, 0, 0, 0, 0]), Flow::Call(0x4004f1));
        assert_eq!(at(&[0xff, 0xd0]), Flow::Indirect(FlowKind::IndirectCall)); // call rax
        assert_eq!(at(&[0xff, 0xe0]), Flow::Indirect(FlowKind::IndirectJump)); // jmp rax
        assert_eq!(at(&[0xf3, 0xc3]), Flow::Indirect(FlowKind::Return)); // rep ret
        assert_eq!(at(&[0xc2, 8, 0]), Flow::Indirect(FlowKind::Return)); // ret 8
        assert_eq!(at(&[0x0f, 0x05]), Flow::Sequential); // syscall
        assert_eq!(at(&[0xf3, 0xa4]), Flow::Sequential); // rep movsb
    }

    #[test]
    fn branches_of_aarch64_are_recognised_by_their_bits() {
        let at = |insn: u32| Machine::Aarch64.flow(&[&insn.to_le_bytes()], 0x1000, 0);
        assert_eq!(at(0x1400_0002), Flow::Jump(0x1008)); // b .+8
        assert_eq!(at(0x97ff_ffff), Flow::Call(0xffc)); // bl .-4
        assert_eq!(at(0x54ff_ffe1), Flow::Conditional(0xffc)); // b.ne .-4
        assert_eq!(at(0xb400_0040), Flow::Conditional(0x1008)); // cbz x0, .+8
        assert_eq!(at(0x3607_fff0), Flow::Conditional(0xffc)); // tbz w16, #0, .-4
        assert_eq!(at(0xb707_ffe1), Flow::Conditional(0xffc)); // tbnz x1, #32, .-4
        assert_eq!(at(0xd61f_0220), Flow::Indirect(FlowKind::IndirectJump)); // br x17
        assert_eq!(at(0xd63f_0000), Flow::Indirect(FlowKind::IndirectCall)); // blr x0
        assert_eq!(at(0xd65f_03c0), Flow::Indirect(FlowKind::Return)); // ret
        assert_eq!(at(0xd65f_0bff), Flow::Indirect(FlowKind::Return)); // retaa
        assert_eq!(at(0xd400_0001), Flow::Sequential); // svc #0
        assert_eq!(at(0xd503_201f), Flow::Sequential); // nop
        assert_eq!(at(0xf940_0000), Flow::Sequential); // ldr x0, [x0]
    }
}
