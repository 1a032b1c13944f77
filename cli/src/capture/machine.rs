//! Parts of the machine of `goshawk capture run --system`

use crate::Failure;
use ::capture::run::Parts;
use std::path::PathBuf;

/// Options of a whole machine, in addition to its program.
#[derive(clap::Args, Debug)]
pub struct MachineArgs {
    /// Kernel that the program starts, such as an Image of Linux; the program is a firmware for RISC-V, such as OpenSBI's
    /// fw_dynamic.elf. Only with --system
    #[arg(help_heading = "QEMU", long, value_name = "FILE", requires = "system")]
    kernel: Option<PathBuf>,
    /// Initial file system of the kernel. Only with --kernel, or if the program is a kernel of Linux (x86-64, AArch64)
    #[arg(help_heading = "QEMU", long, value_name = "FILE", requires = "system")]
    initrd: Option<PathBuf>,
    /// Command line of the kernel. Only with --kernel, or if the program is a kernel of Linux (x86-64, AArch64)
    #[arg(help_heading = "QEMU", long, value_name = "WORDS", requires = "system")]
    append: Option<String>,
    /// Disk image (raw), which becomes a virtio disk and is written by the program. May be repeated up to 8 times. Only with
    /// --system
    #[arg(help_heading = "QEMU", long, value_name = "FILE", requires = "system")]
    drive: Vec<PathBuf>,
    /// Memory of the machine, such as 512M or 2G. Only with --system [default: 128M]
    #[arg(help_heading = "QEMU", long, value_name = "SIZE", requires = "system", value_parser = ram_size)]
    ram_size: Option<String>,
    /// File that the program reads from the machine's serial port. Only with --system
    #[arg(help_heading = "QEMU", long, value_name = "FILE", requires = "system")]
    input: Option<PathBuf>,
}

/// Number of virtio devices of QEMU's machine `virt`.
const MAX_DRIVES: usize = 8;

/// A size in QEMU's words: a number of megabytes, or with a unit.
fn ram_size(text: &str) -> Result<String, String> {
    let number = text.strip_suffix(['M', 'G', 'm', 'g']).unwrap_or(text);
    match number.parse::<u32>() {
        Ok(1..) => Ok(text.into()),
        _ => Err("expected a number of megabytes, or a size such as 512M or 2G".into()),
    }
}

impl MachineArgs {
    /// Checks that the files exist, which QEMU would report after its start.
    pub fn check(&self) -> Result<(), Failure> {
        if self.drive.len() > MAX_DRIVES {
            let found = self.drive.len();
            return Err(Failure::Other(format!("`--drive`: given {found} times, expected at most {MAX_DRIVES}")));
        }
        let kernel = self.kernel.iter().map(|path| ("--kernel", path));
        let initrd = self.initrd.iter().map(|path| ("--initrd", path));
        let drives = self.drive.iter().map(|path| ("--drive", path));
        match kernel.chain(initrd).chain(drives).find(|(_, path)| !path.is_file()) {
            Some((option, path)) => Err(Failure::Other(format!("`{option} {}`: no such file", path.display()))),
            None => Ok(()),
        }
    }

    /// The parts.
    pub fn parts(&self) -> Parts {
        Parts {
            kernel: self.kernel.clone(),
            initrd: self.initrd.clone(),
            append: self.append.clone(),
            drives: self.drive.clone(),
            input: self.input.clone(),
            ram: self.ram_size.clone(),
        }
    }
}
