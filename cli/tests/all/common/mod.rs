//! A small program, and the command in a temporary folder

pub mod damage;
pub mod foreign;

use std::path::Path;
use std::process::Output;

/// Calls a function 40 times in a loop, prints `ok` and ends; harts other than 0 spin.
const CODE: [u32; 22] = [
    0xf140_22f3, // csrr x5, mhartid
    0x0402_9063, // bnez x5, wait
    0x0280_0413, // li x8, 40
    0x03c0_00ef, // loop: jal x1, func
    0xfff4_0413, // addi x8, x8, -1
    0xfe04_1ce3, // bnez x8, loop
    0x1000_0537, // lui x10, 0x10000
    0x06f0_0593, // li x11, 'o'
    0x00b5_0023, // sb x11, 0(x10)
    0x06b0_0593, // li x11, 'k'
    0x00b5_0023, // sb x11, 0(x10)
    0x00a0_0593, // li x11, '\n'
    0x00b5_0023, // sb x11, 0(x10)
    0x0010_02b7, // lui x5, 0x100
    0x0000_5337, // lui x6, 0x5
    0x5553_0313, // addi x6, x6, 0x555
    0x0062_a023, // sw x6, 0(x5)
    0x0000_006f, // wait: j wait
    0x0034_7393, // func: andi x7, x8, 3
    0x0003_9463, // bnez x7, out
    0x0014_8493, // addi x9, x9, 1
    0x0000_8067, // out: ret
];

/// ELF32 with [`CODE`]; `change` is added to a word of it, to make another build.
pub fn elf(machine: u16, change: u32) -> Vec<u8> {
    let mut code = CODE;
    code[2] += change;
    elf_of(machine, &code)
}

/// ELF32 with `code` at 0x80000000.
pub fn elf_of(machine: u16, code: &[u32]) -> Vec<u8> {
    elf_of_segments(machine, &[(0x8000_0000, 0x8000_0000, code)])
}

/// ELF32 with these segments of code: load address, virtual address, instructions.
pub fn elf_of_segments(machine: u16, segments: &[(u32, u32, &[u32])]) -> Vec<u8> {
    let mut e = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |e: &mut Vec<u8>, v: u16| e.extend(v.to_le_bytes());
    let word = |e: &mut Vec<u8>, v: u32| e.extend(v.to_le_bytes());
    half(&mut e, 2); // ET_EXEC
    half(&mut e, machine);
    for v in [1, 0x8000_0000, 52, 0, 0] {
        word(&mut e, v); // version, entry, program headers, section headers, flags
    }
    for v in [52, 32, segments.len() as u16, 40, 0, 0] {
        half(&mut e, v);
    }
    let mut offset = 52 + 32 * segments.len() as u32;
    for (load, address, code) in segments {
        let size = 4 * code.len() as u32;
        for v in [1, offset, *address, *load, size, size, 5, 4] {
            word(&mut e, v); // PT_LOAD, offset, addresses, sizes, R+X, alignment
        }
        offset += size;
    }
    for v in segments.iter().flat_map(|(_, _, code)| *code) {
        word(&mut e, *v);
    }
    e
}

/// RISC-V in an ELF header.
pub const RISCV: u16 = 243;

/// A folder with `p.elf`, in which the command is run.
pub struct Place(tempfile::TempDir);

impl Place {
    /// Creates the folder with `p.elf`.
    pub fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::write(place.path().join("p.elf"), elf(RISCV, 0)).unwrap();
        place
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// `goshawk` with these arguments, in the folder.
    pub fn command(&self, words: &str) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::cargo_bin("goshawk").unwrap();
        command.current_dir(self.path()).args(words.split_whitespace());
        command
    }

    /// Runs the command.
    pub fn output(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// Everything that a user sees: the command, its standard output, its standard error, its exit code.
    pub fn session(&self, words: &str) -> String {
        let o = self.output(words);
        let (out, err) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
        format!("$ goshawk {words}\n{out}{err}exit code {}\n", o.status.code().unwrap())
    }

    /// As [`Place::session`], for commands that must succeed without output on standard error.
    pub fn good(&self, words: &str) -> String {
        let o = self.output(words);
        let err = String::from_utf8(o.stderr).unwrap();
        assert_eq!((o.status.code(), err.as_str()), (Some(0), ""), "{words}");
        String::from_utf8(o.stdout).unwrap()
    }

    /// Flips bits of a file.
    pub fn flip(&self, file: &str, byte: usize, bits: u8) {
        let path = self.path().join(file);
        let mut data = std::fs::read(&path).unwrap();
        data[byte] ^= bits;
        std::fs::write(&path, data).unwrap();
    }
}
