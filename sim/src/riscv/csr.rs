//! Machine-mode control and status registers
//!
//! # Source
//! RISC-V privileged ISA, chapters 2 and 3. M-mode only: no S or U mode, no delegation. The PMP registers are there,
//! because start-up code for other boards writes them, and read 0: no entries.

/// `mstatus.MIE`.
pub const MIE: u32 = 1 << 3;
/// `mstatus.MPIE`.
pub const MPIE: u32 = 1 << 7;
const MPP: u32 = 3 << 11;
/// Software interrupt bit of `mip` and `mie`.
pub const MSI: u32 = 1 << 3;
/// Timer interrupt bit of `mip` and `mie`.
pub const MTI: u32 = 1 << 7;
const MEI: u32 = 1 << 11;

/// The registers of one hart that software can write.
#[derive(Clone, Debug, Default)]
pub struct Csrs {
    pub mstatus: u32,
    pub mie: u32,
    pub mtvec: u32,
    pub mscratch: u32,
    pub mepc: u32,
    pub mcause: u32,
    pub mtval: u32,
    /// Added to the counted instructions and cycles, so that writes of `minstret` and `mcycle` hold.
    pub instret_offset: u64,
    pub cycle_offset: u64,
}

/// What a read of a CSR can depend on besides [`Csrs`].
pub struct View {
    pub hart: u32,
    pub mip: u32,
    pub cycle: u64,
    pub instret: u64,
    pub time: u64,
}

impl Csrs {
    /// Value of CSR `number`; `None` where there is none.
    pub fn read(&self, number: u32, view: &View) -> Option<u32> {
        let cycle = view.cycle.wrapping_add(self.cycle_offset);
        let instret = view.instret.wrapping_add(self.instret_offset);
        Some(match number {
            0x300 => self.mstatus | MPP,
            // RV32IMAC
            0x301 => 1 << 30 | 1 << 8 | 1 << 12 | 1 | 1 << 2,
            0x304 => self.mie,
            0x305 => self.mtvec,
            0x306 | 0x310 | 0x320 | 0x3a0..=0x3a3 | 0x3b0..=0x3bf => 0,
            0x340 => self.mscratch,
            0x341 => self.mepc,
            0x342 => self.mcause,
            0x343 => self.mtval,
            0x344 => view.mip,
            0xb00 | 0xc00 => cycle as u32,
            0xb80 | 0xc80 => (cycle >> 32) as u32,
            0xb02 | 0xc02 => instret as u32,
            0xb82 | 0xc82 => (instret >> 32) as u32,
            0xc01 => view.time as u32,
            0xc81 => (view.time >> 32) as u32,
            0xf11..=0xf13 | 0xf15 => 0,
            0xf14 => view.hart,
            // performance counters and their events that do not exist read as 0
            0xb03..=0xb1f | 0xb83..=0xb9f | 0x323..=0x33f => 0,
            _ => return None,
        })
    }

    /// Writes CSR `number`; `None` where there is none or it is read-only.
    pub fn write(&mut self, number: u32, value: u32, view: &View) -> Option<()> {
        let split = |now: u64, high: bool| {
            if high {
                u64::from(value) << 32 | now & 0xffff_ffff
            } else {
                now >> 32 << 32 | u64::from(value)
            }
        };
        match number {
            0x300 => self.mstatus = value & (MIE | MPIE),
            0x304 => self.mie = value & (MSI | MTI | MEI),
            // direct and vectored mode
            0x305 => self.mtvec = value & !2,
            0x340 => self.mscratch = value,
            0x341 => self.mepc = value & !1,
            0x342 => self.mcause = value,
            0x343 => self.mtval = value,
            0xb00 | 0xb80 => {
                let now = view.cycle.wrapping_add(self.cycle_offset);
                self.cycle_offset = split(now, number == 0xb80).wrapping_sub(view.cycle);
            }
            0xb02 | 0xb82 => {
                let now = view.instret.wrapping_add(self.instret_offset);
                // the write itself retires, and is not counted
                self.instret_offset = split(now, number == 0xb82).wrapping_sub(view.instret).wrapping_sub(1);
            }
            0x301 | 0x306 | 0x310 | 0x320 | 0x344 | 0x3a0..=0x3a3 | 0x3b0..=0x3bf => {}
            0xb03..=0xb1f | 0xb83..=0xb9f | 0x323..=0x33f => {}
            _ => return None,
        }
        Some(())
    }

    /// Takes a trap at `pc`; returns the handler's address.
    pub fn trap(&mut self, interrupt: bool, cause: u32, pc: u32, tval: u32) -> u32 {
        self.mepc = pc;
        self.mcause = cause | u32::from(interrupt) << 31;
        self.mtval = tval;
        let mie = self.mstatus & MIE;
        self.mstatus = if mie != 0 { MPIE } else { 0 };
        let base = self.mtvec & !3;
        if interrupt && self.mtvec & 1 == 1 {
            base.wrapping_add(4 * cause)
        } else {
            base
        }
    }

    /// `mret`; returns where it goes.
    pub fn mret(&mut self) -> u32 {
        let mie = if self.mstatus & MPIE != 0 { MIE } else { 0 };
        self.mstatus = mie | MPIE;
        self.mepc
    }
}
