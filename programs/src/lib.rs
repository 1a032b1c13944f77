//! The test programs of `programs/bare`, inside the binary
//!
//! Bare-metal RV32IMAC for the platform of QEMU's `virt` board. Each checks its own result, prints
//! `name: result <hex> ok` last (the same for any number of harts) and ends with exit code 0.
//! `programs/bare/README.md` says what each exercises and how many instructions it retires.
//!
//! # Example
//! ```
//! let program = programs::load("fft").expect("it is built in");
//! assert_eq!(program.entry, 0x8000_0000);
//! assert_eq!(programs::PROGRAMS.len(), 18);
//! ```

use retire::elf::{ElfError, Program};

/// One checked-in program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramInfo {
    /// Name of its source and ELF, without the extension.
    pub name: &'static str,
    /// The ELF file.
    pub elf: &'static [u8],
    /// Its builds for the project's SoC.
    pub soc: SocBuilds,
    /// Harts it can use, from 1 up to this.
    pub max_harts: u8,
    /// Its work is shared out over the harts; otherwise hart 0 works and the others wait.
    pub parallel: bool,
    /// The last line it prints when its result is right, without the line end.
    pub output: &'static str,
    /// What it exercises.
    pub doc: &'static str,
}

/// Builds of one program for the softcores of the project's SoC, by instruction set: the same C files with the SoC's
/// device addresses and locks, without the A extension.
#[derive(Clone, Copy, Debug)]
pub struct SocBuilds {
    /// RV32IMC with machine mode.
    pub rv32imc: &'static [u8],
    /// RV32IM without machine mode; `irq`, which is nothing but traps, has none.
    pub rv32im: Option<&'static [u8]>,
    /// RV32I with machine mode, of whose interrupts only the timer's.
    pub rv32i: &'static [u8],
}

impl SocBuilds {
    /// The build for an instruction set by its name, where there is one.
    pub fn get(&self, isa: &str) -> Option<&'static [u8]> {
        match isa {
            "rv32imc" => Some(self.rv32imc),
            "rv32im" => self.rv32im,
            "rv32i" => Some(self.rv32i),
            _ => None,
        }
    }
}

impl ProgramInfo {
    /// The program, ready to be loaded or replayed.
    pub fn load(&self) -> Result<Program, ElfError> {
        Program::parse(self.elf)
    }
}

macro_rules! program {
    ($name:literal, $result:literal, $doc:literal) => {
        program!($name, $result, $doc, Some(include_bytes!(concat!("../bare/elf/rv32im/", $name, ".elf"))))
    };
    ($name:literal, $result:literal, $doc:literal, $rv32im:expr) => {
        ProgramInfo {
            name: $name,
            elf: include_bytes!(concat!("../bare/elf/", $name, ".elf")),
            soc: SocBuilds {
                rv32imc: include_bytes!(concat!("../bare/elf/rv32imc/", $name, ".elf")),
                rv32im: $rv32im,
                rv32i: include_bytes!(concat!("../bare/elf/rv32i/", $name, ".elf")),
            },
            max_harts: 8,
            parallel: true,
            output: concat!($name, ": result ", $result, " ok"),
            doc: $doc,
        }
    };
}

/// Every program, by name.
pub const PROGRAMS: &[ProgramInfo] = &[
    program!("bank", "11fcd366", "bank account race of DiaSys 5.1: lost updates without the lock, none with it"),
    program!("codec", "cd26a9dd", "adaptive speech coding and a cosine-transform picture coder, forth and back"),
    program!("crypt", "5af6c44e", "CRC-32, SHA-256, ChaCha20 and a multiplying hash, held to published values"),
    program!("dijkstra", "730fc995", "shortest paths with a binary heap over a road-like graph, and Bellman-Ford"),
    program!("fft", "cd2fd8bb", "fixed-point Fourier transform forth and back, a barrier a stage, CORDIC sine table"),
    program!("fsm", "b6f6507b", "lexers as a switch and as state functions, and a table-driven frame receiver"),
    program!(
        "irq",
        "c8b679f8",
        "timer and software interrupts between harts, nested; exceptions inside the handler",
        None
    ),
    program!("listwalk", "d7aa39a4", "shuffled lists, list sort, a treap and a shared hash table with striped locks"),
    program!("lockcont", "2c424b33", "lock contention in a deduplicating archiver, after DiaSys 5.2"),
    program!("lu", "75c67469", "LU decomposition modulo a prime with pivoting, then a solution, both checked"),
    program!("lz", "a2a2d68d", "sliding-window matches and canonical Huffman codes, forth and back"),
    program!("matmul", "962b0439", "matrix product three ways: loop nests, blocking, a skipped quarter of rows"),
    program!("parse", "faa14c54", "recursive descent over generated expressions, with a tree walk as the check"),
    program!("qsort", "4337b895", "quicksort over a task pool; merge and heap sort through comparison functions"),
    program!("radix", "9d21b75c", "radix sort: parallel from the last digit, recursive from the first"),
    program!("stencil", "eada63ab", "heat flow, game of life and a median filter over a grid"),
    program!("strsearch", "ab23b3c6", "five string searches that must agree"),
    program!("vm", "29fc2871", "byte-code interpreter, dispatch by switch and by function pointers"),
];

/// A program built for RV64.
#[derive(Clone, Copy, Debug)]
pub struct Rv64Program {
    /// Name of its source and ELF, without the extension.
    pub name: &'static str,
    /// The ELF file.
    pub elf: &'static [u8],
    /// The last line it prints when its result is right, without the line end.
    pub output: &'static str,
}

macro_rules! rv64 {
    ($isa:literal: $($name:literal $result:literal),+ $(,)?) => {
        &[$(Rv64Program {
            name: $name,
            elf: include_bytes!(concat!("../bare/elf/", $isa, "/", $name, ".elf")),
            output: concat!($name, ": result ", $result, " ok"),
        }),+]
    };
}

/// Every program for RV64 with M, A, F, D and C, by name: those above but `irq`, with the same results, and `float`.
pub const RV64: &[Rv64Program] = rv64!("rv64imafdc":
    "bank" "11fcd366",
    "codec" "cd26a9dd",
    "crypt" "5af6c44e",
    "dijkstra" "730fc995",
    "fft" "cd2fd8bb",
    "float" "2600ac2e",
    "fsm" "b6f6507b",
    "listwalk" "d7aa39a4",
    "lockcont" "2c424b33",
    "lu" "75c67469",
    "lz" "a2a2d68d",
    "matmul" "962b0439",
    "parse" "faa14c54",
    "qsort" "4337b895",
    "radix" "9d21b75c",
    "stencil" "eada63ab",
    "strsearch" "ab23b3c6",
    "vm" "29fc2871",
);

/// Programs for the RV64 cores of `fpga::tile`, without F and D and with their devices' addresses: some of those above with
/// the same results, and `traps`.
pub const TILE: &[Rv64Program] = rv64!("rv64imac":
    "crypt" "5af6c44e",
    "dijkstra" "730fc995",
    "fft" "cd2fd8bb",
    "fsm" "b6f6507b",
    "lockcont" "2c424b33",
    "lz" "a2a2d68d",
    "matmul" "962b0439",
    "qsort" "4337b895",
    "radix" "9d21b75c",
    "strsearch" "ab23b3c6",
    "traps" "30bf946b",
    "vm" "29fc2871",
);

/// Looks a program of [`TILE`] up by name.
pub fn find_tile(name: &str) -> Option<&'static Rv64Program> {
    TILE.iter().find(|p| p.name == name)
}

/// No test program, and not in the list: its result is right in most runs.
pub const RACE: &ProgramInfo = &ProgramInfo {
    output: "race: 0 updates lost",
    ..program!("race", "", "an update without its lock, on a path that is seldom taken")
};

/// No test program, and not in the list: QEMU has no such device.
pub const DMA: &ProgramInfo = &program!("dma", "", "frames that a DMA stores and all harts wait for");

/// Looks a program up by name, [`RACE`] and [`DMA`] too.
pub fn find(name: &str) -> Option<&'static ProgramInfo> {
    PROGRAMS.iter().chain([RACE, DMA]).find(|p| p.name == name)
}

/// Loads a program by name; `None` when there is none of that name.
///
/// # Panics
/// When a checked-in ELF is damaged, which the tests of this module rule out.
pub fn load(name: &str) -> Option<Program> {
    find(name).map(|p| p.load().expect("the checked-in ELF files are tested"))
}

/// Programs of `programs/diag` for the diagnosis processor, by name.
pub const HANDLERS: [(&str, &[u8]); 4] = [
    ("chaos", include_bytes!("../diag/elf/chaos.elf")),
    ("held", include_bytes!("../diag/elf/held.elf")),
    ("locks", include_bytes!("../diag/elf/locks.elf")),
    ("race", include_bytes!("../diag/elf/race.elf")),
];

/// The ELF of one of [`HANDLERS`].
pub fn handlers(name: &str) -> Option<&'static [u8]> {
    HANDLERS.iter().find(|h| h.0 == name).map(|h| h.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_loads_at_the_start_of_ram_with_a_build_id() {
        for p in PROGRAMS {
            let program = p.load().unwrap_or_else(|e| panic!("{}: {e}", p.name));
            assert_eq!(program.entry, 0x8000_0000, "{}", p.name);
            assert_eq!((program.xlen, program.compressed), (32, true), "{}", p.name);
            assert_eq!(program.build_id.len(), 20, "{}: a GNU build id is a SHA-1", p.name);
        }
    }

    #[test]
    fn builds_for_the_softcores_have_their_instruction_sets() {
        for p in PROGRAMS {
            assert_eq!(p.soc.rv32im.is_none(), p.name == "irq");
            assert_eq!(p.soc.get("rv64gc"), None);
            for isa in ["rv32imc", "rv32im", "rv32i"] {
                let Some(elf) = p.soc.get(isa) else { continue };
                let program = Program::parse(elf).unwrap_or_else(|e| panic!("{}, {isa}: {e}", p.name));
                let what = (program.entry, program.xlen, program.compressed, program.multiplies);
                assert_eq!(what, (0x8000_0000, 32, isa.ends_with('c'), isa != "rv32i"), "{}, {isa}", p.name);
            }
        }
    }

    #[test]
    fn programs_for_rv64_have_the_results_of_rv32() {
        let names: Vec<&str> = PROGRAMS.iter().map(|p| p.name).filter(|n| *n != "irq").chain(["float"]).collect();
        assert!(names.iter().all(|n| RV64.iter().any(|p| p.name == *n)) && RV64.len() == names.len());
        for p in RV64 {
            let program = Program::parse(p.elf).unwrap_or_else(|e| panic!("{}: {e}", p.name));
            assert_eq!((program.entry, program.xlen, program.compressed), (0x8000_0000, 64, true), "{}", p.name);
            assert!(p.name == "float" || find(p.name).is_some_and(|rv32| rv32.output == p.output), "{}", p.name);
        }
    }

    #[test]
    fn programs_for_tiles_have_the_results_of_rv32() {
        for p in TILE {
            let program = Program::parse(p.elf).unwrap_or_else(|e| panic!("{}: {e}", p.name));
            assert_eq!((program.entry, program.xlen, program.compressed), (0x8000_0000, 64, true), "{}", p.name);
            assert!(p.name == "traps" || find(p.name).is_some_and(|rv32| rv32.output == p.output), "{}", p.name);
        }
    }

    #[test]
    fn every_source_has_an_entry_and_names_are_sorted() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/bare/src");
        let mut sources: Vec<String> = std::fs::read_dir(folder)
            .expect("the sources are checked in")
            .map(|f| f.expect("a readable folder").file_name().into_string().expect("an ASCII name"))
            .filter_map(|f| f.strip_suffix(".c").map(str::to_owned))
            .filter(|name| ![RACE.name, DMA.name].contains(&name.as_str()))
            .collect();
        sources.sort();
        let names: Vec<&str> = PROGRAMS.iter().map(|p| p.name).collect();
        assert_eq!(names, sources);
    }

    #[test]
    fn each_program_prints_its_own_name() {
        for p in PROGRAMS {
            assert!(p.output.starts_with(&format!("{}: result ", p.name)), "{}", p.output);
            // The format strings of the runtime are in the image, so a wrong file would show.
            assert!(p.elf.windows(p.name.len()).any(|w| w == p.name.as_bytes()), "{}", p.name);
        }
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert!(load("no such program").is_none());
        assert!(load("vm").is_some());
    }
}
