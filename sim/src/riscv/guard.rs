//! Physical memory protection (PMP) and triggers: what a hart refuses before an instruction is executed
//!
//! Harts are in machine mode, in which only locked PMP entries count. There are 16 entries with a granularity of 4 bytes,
//! and two triggers of type 2 (`mcontrol`) that compare the address of an instruction, load or store with `tdata2` and
//! raise a breakpoint exception. They do so only while `mstatus.MIE` is 1, so that a trap handler is not interrupted.
//!
//! # Source
//! RISC-V privileged ISA, section "Physical Memory Protection"; RISC-V Debug Specification, chapter "Sdtrig".

use super::decode::{Code, Op};
use super::hart::Break;

/// Entries.
const ENTRIES: usize = 16;
/// `pmpcfg.R`, `W`, `X` and `L`.
const R: u8 = 1;
const W: u8 = 2;
const X: u8 = 4;
const L: u8 = 1 << 7;
/// Bits of `pmpcfg` that exist.
const CFG: u8 = L | 3 << 3 | X | W | R;
/// Triggers.
const TRIGGERS: usize = 2;
/// Bits of `tdata1`: load, store, execute, and machine mode.
const LOAD: u64 = 1;
const STORE: u64 = 1 << 1;
const EXECUTE: u64 = 1 << 2;
const MACHINE: u64 = 1 << 6;

/// One trigger.
#[derive(Clone, Copy, Debug, Default)]
struct Trigger {
    control: u64,
    address: u64,
}

/// PMP and trigger registers of one hart.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    cfg: [u8; ENTRIES],
    addr: [u64; ENTRIES],
    triggers: [Trigger; TRIGGERS],
    selected: u8,
    /// Whether anything can be refused.
    active: bool,
}

/// An access to memory.
struct Access {
    addr: u64,
    size: u64,
    loads: bool,
    stores: bool,
}

/// The access of a load, store or atomic.
fn access(op: &Op, rs1: u64, ones: u64) -> Option<Access> {
    use Code::*;
    let atomic = (Lr..=AmoMaxu).contains(&op.code);
    let size = match op.code {
        Lb | Lbu | Sb => 1,
        Lh | Lhu | Sh | Flh | Fsh => 2,
        Lw | Lwu | Sw | Flw | Fsw => 4,
        Ld | Sd | Fld | Fsd => 8,
        _ if atomic => 1 << op.sub,
        _ => return None,
    };
    let stores = matches!(op.code, Sb | Sh | Sw | Sd | Fsh | Fsw | Fsd) || atomic && op.code != Lr;
    let offset = if atomic { 0 } else { op.imm as u64 };
    Some(Access { addr: rs1.wrapping_add(offset) & ones, size, loads: !stores || atomic && op.code != Sc, stores })
}

impl Guards {
    /// Whether [`Guards::refuse`] has to be asked before each instruction.
    #[inline]
    pub fn are_active(&self) -> bool {
        self.active
    }

    /// The exception that the instruction `op` at `pc` raises before it is executed; `rs1` is the value of its first operand.
    #[cold]
    pub fn refuse(&self, op: &Op, pc: u64, rs1: u64, ones: u64, interrupts: bool) -> Option<Break> {
        let len = u64::from(op.len);
        let accessed = access(op, rs1, ones);
        let triggered = |a: &Access| {
            let kinds = if a.loads { LOAD } else { 0 } | if a.stores { STORE } else { 0 };
            self.triggers(kinds, |at| at.wrapping_sub(a.addr) < a.size)
        };
        if interrupts {
            if let Some(at) = self.triggers(EXECUTE, |at| at == pc).or_else(|| triggered(accessed.as_ref()?)) {
                return Some(Break::Trap(3, at));
            }
        }
        if !self.allows(pc, len, X) {
            return Some(Break::Trap(1, pc));
        }
        let a = accessed?;
        if a.stores && !self.allows(a.addr, a.size, W) {
            Some(Break::Trap(7, a.addr))
        } else if a.loads && !self.allows(a.addr, a.size, R) {
            Some(Break::Trap(5, a.addr))
        } else {
            None
        }
    }

    /// Address of a trigger for one of `kinds` that matches.
    fn triggers(&self, kinds: u64, matches: impl Fn(u64) -> bool) -> Option<u64> {
        let on = |t: &&Trigger| t.control & MACHINE != 0 && t.control & kinds != 0 && matches(t.address);
        self.triggers.iter().find(on).map(|t| t.address)
    }

    /// First and last address of a PMP entry; none if it is off or empty.
    fn range(&self, entry: usize) -> Option<(u64, u64)> {
        let addr = self.addr[entry];
        match self.cfg[entry] >> 3 & 3 {
            1 => {
                let first = if entry == 0 { 0 } else { self.addr[entry - 1] };
                (first < addr).then(|| (first << 2, (addr << 2) - 1))
            }
            2 => Some((addr << 2, (addr << 2) + 3)),
            3 => {
                let ones = addr.trailing_ones().min(54);
                let first = (addr >> ones << ones) << 2;
                Some((first, first + ((8 << ones) - 1)))
            }
            _ => None,
        }
    }

    /// Whether an access of `size` bytes needs no more than `permission`: the first entry with one of its bytes decides.
    fn allows(&self, addr: u64, size: u64, permission: u8) -> bool {
        let last = addr.saturating_add(size - 1);
        let found = (0..ENTRIES).find_map(|entry| {
            let (first, end) = self.range(entry)?;
            (first <= last && addr <= end).then_some((self.cfg[entry], first <= addr && last <= end))
        });
        found.is_none_or(|(cfg, whole)| cfg & L == 0 || whole && cfg & permission != 0)
    }

    /// Value of a PMP or trigger register; `None` if there is no such register.
    pub fn read(&self, number: u32, rv64: bool) -> Option<u64> {
        let trigger = &self.triggers[usize::from(self.selected)];
        Some(match number {
            0x3a1 | 0x3a3 if rv64 => return None,
            0x3a0..=0x3a3 => {
                let first = (number as usize - 0x3a0) * 4;
                let bytes = &self.cfg[first..first + if rv64 { 8 } else { 4 }];
                bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
            }
            0x3b0..=0x3bf => self.addr[number as usize - 0x3b0],
            0x7a0 => self.selected.into(),
            0x7a1 => 2 << if rv64 { 60 } else { 28 } | trigger.control,
            0x7a2 => trigger.address,
            0x7a3 => 0,
            // `tinfo`: type 2
            0x7a4 => 1 << 2,
            _ => return None,
        })
    }

    /// Writes a PMP or trigger register; `None` if there is no such register.
    pub fn write(&mut self, number: u32, value: u64, rv64: bool) -> Option<()> {
        let trigger = &mut self.triggers[usize::from(self.selected)];
        match number {
            0x3a1 | 0x3a3 if rv64 => return None,
            0x3a0..=0x3a3 => {
                let first = (number as usize - 0x3a0) * 4;
                let bytes = value.to_le_bytes();
                for (entry, byte) in self.cfg[first..].iter_mut().zip(&bytes[..if rv64 { 8 } else { 4 }]) {
                    if *entry & L == 0 {
                        // write without read is reserved
                        *entry = byte & CFG & if byte & R == 0 { !W } else { !0 };
                    }
                }
            }
            0x3b0..=0x3bf => {
                let entry = number as usize - 0x3b0;
                // a locked range also locks the address where it begins
                let begins = self.cfg.get(entry + 1).is_some_and(|next| next & L != 0 && next >> 3 & 3 == 1);
                if self.cfg[entry] & L == 0 && !begins {
                    self.addr[entry] = value & if rv64 { (1 << 54) - 1 } else { 0xffff_ffff };
                }
            }
            0x7a0 => self.selected = if value < TRIGGERS as u64 { value as u8 } else { self.selected },
            0x7a1 => trigger.control = value & (MACHINE | EXECUTE | STORE | LOAD),
            0x7a2 => trigger.address = value,
            0x7a3 | 0x7a4 => {}
            _ => return None,
        }
        let armed = |t: &Trigger| t.control & MACHINE != 0 && t.control & (EXECUTE | STORE | LOAD) != 0;
        self.active = self.cfg.iter().any(|cfg| cfg & L != 0) || self.triggers.iter().any(armed);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(addr: u64) -> (Op, u64) {
        (Op { code: Code::Sw, len: 4, ..Op::default() }, addr)
    }

    fn refused(guards: &Guards, (op, rs1): (Op, u64), interrupts: bool) -> Option<Break> {
        guards.refuse(&op, 0x1000, rs1, u64::MAX, interrupts)
    }

    /// 16 bytes from 0x2000 on, read-only: the address has one 1 at its end. In machine mode it counts once it is locked.
    #[test]
    fn a_locked_range_refuses_stores_and_stays() {
        let mut g = Guards::default();
        g.write(0x3b0, 0x2000 >> 2 | 1, false).unwrap();
        g.write(0x3a0, 0x19, false).unwrap();
        assert!(!g.are_active() && refused(&g, store(0x2000), false).is_none());
        g.write(0x3a0, 0x99, false).unwrap();
        assert!(g.are_active());
        assert_eq!(refused(&g, store(0x200c), false), Some(Break::Trap(7, 0x200c)));
        // the last two bytes only; and the first address after it
        assert_eq!(refused(&g, store(0x1ffe), false), Some(Break::Trap(7, 0x1ffe)));
        assert_eq!(refused(&g, store(0x2010), false), None);
        let load = Op { code: Code::Lw, len: 4, ..Op::default() };
        assert_eq!(refused(&g, (load, 0x2004), false), None);
        g.write(0x3a0, 0, false).unwrap();
        g.write(0x3b0, 0, false).unwrap();
        assert_eq!((g.read(0x3a0, false), g.read(0x3b0, false)), (Some(0x99), Some(0x801)));
    }

    #[test]
    fn ranges_by_hand() {
        let mut g = Guards::default();
        g.write(0x3b0, 0x400, true).unwrap();
        g.write(0x3b1, 0x500, true).unwrap();
        // entry 1 from the address of entry 0 on; entry 2 four bytes; entry 3 everything
        g.write(0x3b2, 0x700, true).unwrap();
        g.write(0x3b3, u64::MAX, true).unwrap();
        g.write(0x3a0, 0x1f11_0f00, true).unwrap();
        assert_eq!(g.range(0), None);
        assert_eq!(g.range(1), Some((0x1000, 0x13ff)));
        assert_eq!(g.range(2), Some((0x1c00, 0x1c03)));
        assert_eq!(g.range(3), Some((0, (1 << 57) - 1)));
        assert_eq!(g.read(0x3a0, true), Some(0x1f11_0f00));
        assert_eq!((g.read(0x3a1, true), g.read(0x3a1, false), g.read(0x3a4, false)), (None, Some(0), None));
    }

    #[test]
    fn a_trigger_matches_the_bytes_of_an_access_while_interrupts_are_on() {
        let mut g = Guards::default();
        g.write(0x7a0, 1, false).unwrap();
        g.write(0x7a0, 2, false).unwrap();
        assert_eq!(g.read(0x7a0, false), Some(1));
        g.write(0x7a2, 0x2002, false).unwrap();
        g.write(0x7a1, u64::from(u32::MAX), false).unwrap();
        assert_eq!(g.read(0x7a1, false), Some(0x2000_0047));
        g.write(0x7a1, MACHINE | STORE, false).unwrap();
        assert_eq!(refused(&g, store(0x2000), true), Some(Break::Trap(3, 0x2002)));
        assert_eq!((refused(&g, store(0x2000), false), refused(&g, store(0x2004), true)), (None, None));
        g.write(0x7a1, MACHINE | EXECUTE, false).unwrap();
        g.write(0x7a2, 0x1000, false).unwrap();
        assert_eq!(refused(&g, store(0x2000), true), Some(Break::Trap(3, 0x1000)));
        g.write(0x7a1, EXECUTE, false).unwrap();
        assert!(!g.are_active());
    }
}
