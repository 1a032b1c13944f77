//! RISC-V registers in GDB's remote protocol, where values may be unknown

use gdbstub::arch::{Arch, RegId, Registers};
use std::num::NonZeroUsize;

/// Integer registers and pc of a `g` packet. `None` is sent as `x`: unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regs {
    /// Size of a register in bytes: 4 or 8.
    pub bytes: usize,
    /// x0 to x31.
    pub x: Option<[u64; 32]>,
    /// Address of the next instruction.
    pub pc: Option<u64>,
}

impl Default for Regs {
    fn default() -> Self {
        Self { bytes: 4, x: None, pc: None }
    }
}

impl Registers for Regs {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.pc.unwrap_or(0)
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        let mut write = |value: Option<u64>| {
            let bytes = value.map(u64::to_le_bytes);
            (0..self.bytes).for_each(|i| write_byte(bytes.map(|b| b[i])));
        };
        for i in 0..32 {
            write(self.x.map(|x| x[i]));
        }
        write(self.pc);
    }

    /// Registers cannot be written, so nothing is read.
    fn gdb_deserialize(&mut self, _: &[u8]) -> Result<(), ()> {
        Ok(())
    }
}

/// Register number of GDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        Some((Self(id), None))
    }
}

/// The architecture; addresses have 64 bits in the protocol, for any core.
#[derive(Clone, Copy, Debug)]
pub enum Riscv {}

impl Arch for Riscv {
    type Usize = u64;
    type Registers = Regs;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// CSRs shown to GDB if values are known: those that replay models.
const CSRS: [(&str, u16); 10] = [
    ("mstatus", 0x300),
    ("misa", 0x301),
    ("mie", 0x304),
    ("mtvec", 0x305),
    ("mscratch", 0x340),
    ("mepc", 0x341),
    ("mcause", 0x342),
    ("mtval", 0x343),
    ("minstret", 0xb02),
    ("mhartid", 0xf14),
];
/// GDB's number of the pc.
pub const PC: usize = 32;
/// GDB's number of f0.
pub const FIRST_FLOAT: usize = 33;
/// GDB's number of CSR 0.
pub const FIRST_CSR: usize = 65;

/// Target description of the registers in GDB's XML; `floats`: including the 64-bit registers of F and D.
pub fn description(xlen: u8, csrs: bool, floats: bool) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n\
         <architecture>riscv:rv{xlen}</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n"
    );
    let register = |name: &str, kind: &str, number: usize| {
        format!("<reg name=\"{name}\" bitsize=\"{xlen}\" type=\"{kind}\" regnum=\"{number}\"/>\n")
    };
    let names = "zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6";
    for (number, name) in names.split(' ').enumerate() {
        let kind = match name {
            "ra" => "code_ptr",
            "sp" | "gp" | "tp" | "fp" => "data_ptr",
            _ => "int",
        };
        xml.push_str(&register(name, kind, number));
    }
    xml.push_str(&register("pc", "code_ptr", PC));
    xml.push_str("</feature>\n");
    if floats {
        xml.push_str("<feature name=\"org.gnu.gdb.riscv.fpu\">\n");
        let names = "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 \
                     fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11";
        for (i, name) in names.split_whitespace().enumerate() {
            let number = FIRST_FLOAT + i;
            xml.push_str(&format!("<reg name=\"{name}\" bitsize=\"64\" type=\"ieee_double\" regnum=\"{number}\"/>\n"));
        }
        xml.push_str("</feature>\n");
    }
    if csrs {
        xml.push_str("<feature name=\"org.gnu.gdb.riscv.csr\">\n");
        for (name, csr) in CSRS {
            xml.push_str(&register(name, "int", FIRST_CSR + usize::from(csr)));
        }
        xml.push_str("</feature>\n");
    }
    xml.push_str("</target>\n");
    xml
}
