//! Machine-mode control and status registers
//!
//! # Source
//! RISC-V privileged ISA, chapters 2 and 3. M-mode only: no S or U mode. `medeleg`, `mideleg` and `satp` exist,
//! because start-up code for other boards writes them, but are always 0: nothing is delegated or translated. PMP and
//! triggers: [`super::guard`]; in the other profiles PMP registers are 0.
//!
//! [`Profile::Ibex`]: lowRISC, ibex, `rtl/ibex_cs_registers.sv`, without its debug, PMP and performance registers.
//! [`Profile::Vexriscv`]: C. Papon, VexRiscv, `CsrPlugin` of `VexRiscv_IMAC.v`; `misa` always has its reset value.

use super::guard::Guards;
use super::isa::{Isa, Profile};

/// `mstatus.MIE`.
pub const MIE: u64 = 1 << 3;
/// `mstatus.MPIE`.
pub const MPIE: u64 = 1 << 7;
const MPP: u64 = 3 << 11;
/// `mstatus.MPRV` and `mstatus.TW`, of a core with user mode.
const MPRV: u64 = 1 << 17;
const TW: u64 = 1 << 21;
/// `mstatus.FS`: 0 off, 3 dirty.
pub const FS: u64 = 3 << 13;
/// Software interrupt bit of `mip` and `mie`.
pub const MSI: u64 = 1 << 3;
/// Timer interrupt bit of `mip` and `mie`.
pub const MTI: u64 = 1 << 7;
const MEI: u64 = 1 << 11;
const BREAKPOINT: u32 = 3;

/// Whether a CSR changes by itself, at times that the ISA leaves open: `mip` and the time and cycle counters.
pub const fn is_open(number: u32) -> bool {
    matches!(number, 0x344 | 0xb00 | 0xb80 | 0xc00 | 0xc80 | 0xc01 | 0xc81)
}

/// The CSRs of one hart that software can write. The upper halves of 32-bit registers are 0.
#[derive(Clone, Debug)]
pub struct Csrs {
    pub isa: Isa,
    pub mstatus: u64,
    pub mie: u64,
    pub mtvec: u64,
    pub mscratch: u64,
    pub mepc: u64,
    pub mcause: u64,
    pub mtval: u64,
    /// Accrued exception flags of F and D.
    pub fflags: u8,
    /// Rounding mode.
    pub frm: u8,
    /// Added to the counted instructions and cycles, so that writes to `minstret` and `mcycle` take effect.
    pub instret_offset: u64,
    pub cycle_offset: u64,
    /// PMP and triggers.
    pub guards: Guards,
}

/// Values other than [`Csrs`] on which a CSR read can depend.
pub struct View {
    pub hart: u32,
    pub mip: u64,
    pub cycle: u64,
    pub instret: u64,
    pub time: u64,
}

/// Whether VexRiscv implements a CSR.
fn has_vexriscv(number: u32) -> bool {
    let counters = matches!(number & 0xf7f, 0xb00 | 0xb02 | 0xc00 | 0xc02);
    matches!(number, 0x300 | 0x301 | 0x304 | 0x305 | 0x340..=0x344 | 0xf11..=0xf14) || counters
}

impl Csrs {
    /// Reset values.
    pub fn new(isa: Isa) -> Self {
        let (mstatus, mtvec) = match isa.profile {
            Profile::Plain => (0, 0),
            Profile::Ibex => (MPIE, 1),
            Profile::Vexriscv => (MPP, 0),
        };
        Self {
            isa,
            mstatus,
            mie: 0,
            mtvec,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            fflags: 0,
            frm: 0,
            instret_offset: 0,
            cycle_offset: 0,
            guards: Guards::default(),
        }
    }

    /// Whether instructions of F and D are legal at present.
    #[inline]
    pub fn float_is_on(&self) -> bool {
        self.mstatus & FS != 0
    }

    /// All ones, of the register width.
    #[inline]
    fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.isa.xlen())
    }

    fn misa(&self) -> u64 {
        if self.isa.profile == Profile::Vexriscv {
            return 1 << 30 | 0x42;
        }
        if self.isa.profile == Profile::Ibex {
            // RV32, C, I, M, U
            return 1 << 30 | 1 << 2 | 1 << 8 | 1 << 12 | 1 << 20;
        }
        let letters = |text: &str| text.bytes().fold(0, |all, letter| all | 1 << (letter - b'A'));
        let float = if self.isa.float { letters("FD") } else { 0 };
        u64::from(self.isa.xlen() / 32) << (self.isa.xlen() - 2) | letters("IMAC") | float
    }

    /// Value of CSR `number`; `None` if it does not exist.
    pub fn read(&self, number: u32, view: &View) -> Option<u64> {
        if self.isa.profile == Profile::Vexriscv && !has_vexriscv(number) {
            return None;
        }
        let cycle = view.cycle.wrapping_add(self.cycle_offset);
        let instret = view.instret.wrapping_add(self.instret_offset);
        let rv32 = !self.isa.rv64;
        let value = match number {
            0x001..=0x003 if !self.isa.float || !self.float_is_on() => return None,
            0x001 => self.fflags.into(),
            0x002 => self.frm.into(),
            0x003 => u64::from(self.frm) << 5 | u64::from(self.fflags),
            0x300 if self.isa.profile != Profile::Plain => self.mstatus,
            0x300 => self.mstatus | MPP | if self.mstatus & FS == FS { 1 << (self.isa.xlen() - 1) } else { 0 },
            0x301 => self.misa(),
            0x304 => self.mie,
            0x305 => self.mtvec,
            0x3a0..=0x3a3 | 0x3b0..=0x3bf | 0x7a0..=0x7a4 if self.isa.profile == Profile::Plain => {
                return self.guards.read(number, !rv32);
            }
            0x180 | 0x302 | 0x303 if self.isa.profile == Profile::Plain => 0,
            0x306 | 0x320 | 0x3a0 | 0x3a2 | 0x3b0..=0x3bf => 0,
            0x310 | 0x3a1 | 0x3a3 if rv32 => 0,
            0x340 => self.mscratch,
            0x341 => self.mepc,
            0x342 => self.mcause,
            0x343 => self.mtval,
            0x344 => view.mip,
            0xb00 | 0xc00 => cycle,
            0xb80 | 0xc80 if rv32 => cycle >> 32,
            0xb02 | 0xc02 => instret,
            0xb82 | 0xc82 if rv32 => instret >> 32,
            0xc01 => view.time,
            0xc81 if rv32 => view.time >> 32,
            0xf12 if self.isa.profile != Profile::Plain => 22,
            0xf11 if self.isa.profile == Profile::Vexriscv => 11,
            0xf13 if self.isa.profile == Profile::Vexriscv => 33,
            0xf11..=0xf13 | 0xf15 => 0,
            0xf14 => view.hart.into(),
            // unimplemented performance counters and events read as 0
            0xb03..=0xb1f | 0x323..=0x33f => 0,
            0xb83..=0xb9f if rv32 => 0,
            _ => return None,
        };
        Some(value & self.ones())
    }

    /// Writes CSR `number`; `None` if it does not exist or is read-only.
    pub fn write(&mut self, number: u32, value: u64, view: &View) -> Option<()> {
        let rv32 = !self.isa.rv64;
        let split = |now: u64, high: bool| match (rv32, high) {
            (false, _) => value,
            (true, true) => value << 32 | now & 0xffff_ffff,
            (true, false) => now >> 32 << 32 | value,
        };
        match number {
            0x001..=0x003 => {
                if !self.isa.float || !self.float_is_on() {
                    return None;
                }
                if number != 0x002 {
                    self.fflags = value as u8 & 31;
                }
                if number != 0x001 {
                    self.frm = (value >> if number == 0x003 { 5 } else { 0 }) as u8 & 7;
                }
                self.mstatus |= FS;
            }
            _ if self.isa.profile == Profile::Vexriscv && !has_vexriscv(number) => return None,
            0x300 if self.isa.profile == Profile::Vexriscv => self.mstatus = value & (MIE | MPIE | MPP),
            0x305 if self.isa.profile == Profile::Vexriscv => self.mtvec = value,
            0x341 if self.isa.profile == Profile::Vexriscv => self.mepc = value,
            0x342 if self.isa.profile == Profile::Vexriscv => self.mcause = value & 0x8000_000f,
            0x300..=0x305 | 0x342 if self.isa.profile == Profile::Ibex => return self.write_ibex(number, value),
            0x3a0..=0x3a3 | 0x3b0..=0x3bf | 0x7a0..=0x7a4 if self.isa.profile == Profile::Plain => {
                return self.guards.write(number, value, !rv32);
            }
            0x180 | 0x302 | 0x303 if self.isa.profile == Profile::Plain => {}
            0x300 => self.mstatus = value & (MIE | MPIE | if self.isa.float { FS } else { 0 }),
            0x304 => self.mie = value & (MSI | MTI | MEI),
            // direct and vectored mode
            0x305 => self.mtvec = value & !2,
            0x340 => self.mscratch = value,
            0x341 => self.mepc = value & !1,
            0x342 => self.mcause = value,
            0x343 => self.mtval = value,
            0xb80 | 0xb82 if !rv32 => return None,
            0xb00 | 0xb80 => {
                let now = view.cycle.wrapping_add(self.cycle_offset);
                self.cycle_offset = split(now, number == 0xb80).wrapping_sub(view.cycle);
            }
            0xb02 | 0xb82 => {
                let now = view.instret.wrapping_add(self.instret_offset);
                // the write itself retires but is not counted
                self.instret_offset = split(now, number == 0xb82).wrapping_sub(view.instret).wrapping_sub(1);
            }
            0x301 | 0x306 | 0x320 | 0x344 | 0x3a0 | 0x3a2 | 0x3b0..=0x3bf => {}
            0x310 | 0x3a1 | 0x3a3 | 0xb83..=0xb9f if rv32 => {}
            0xb03..=0xb1f | 0x323..=0x33f => {}
            _ => return None,
        }
        Some(())
    }

    /// Writes the registers that differ in ibex.
    fn write_ibex(&mut self, number: u32, value: u64) -> Option<()> {
        match number {
            0x300 => {
                // there is no supervisor mode to return to
                let mpp = if value & MPP == MPP { MPP } else { 0 };
                self.mstatus = value & (MIE | MPIE | MPRV | TW) | mpp;
            }
            0x301 => {}
            // with the 15 fast interrupts
            0x304 => self.mie = value & (MSI | MTI | MEI | 0x7fff << 16),
            0x305 => self.mtvec = value & !0xff | 1,
            0x342 => self.mcause = value & 0x8000_001f,
            _ => return None,
        }
        Some(())
    }

    /// Takes a trap at `pc`; returns the handler's address.
    pub fn trap(&mut self, interrupt: bool, cause: u32, pc: u64, tval: u64) -> u64 {
        self.mepc = pc;
        self.mcause = u64::from(cause) | u64::from(interrupt) << (self.isa.xlen() - 1);
        let before = self.mtval;
        self.mtval = tval & self.ones();
        let mie = if self.mstatus & MIE != 0 { MPIE } else { 0 };
        self.mstatus = match self.isa.profile {
            Profile::Plain => self.mstatus & FS | mie,
            Profile::Ibex => {
                if !interrupt && cause == BREAKPOINT {
                    self.mtval = 0;
                }
                self.mstatus & (MPRV | TW) | MPP | mie
            }
            Profile::Vexriscv => {
                if interrupt {
                    self.mtval = before;
                }
                MPP | mie
            }
        };
        let base = self.mtvec & !3;
        if interrupt && self.mtvec & 1 == 1 && self.isa.profile != Profile::Vexriscv {
            base.wrapping_add(4 * u64::from(cause)) & self.ones()
        } else {
            base
        }
    }

    /// Executes `mret`; returns the address it jumps to.
    pub fn mret(&mut self) -> u64 {
        let mie = if self.mstatus & MPIE != 0 { MIE } else { 0 };
        self.mstatus = match self.isa.profile {
            Profile::Plain => self.mstatus & FS | mie | MPIE,
            Profile::Ibex => {
                let mprv = if self.mstatus & MPP == MPP { MPRV } else { 0 };
                self.mstatus & (mprv | TW) | mie | MPIE
            }
            Profile::Vexriscv => mie | MPIE,
        };
        self.mepc
    }
}
