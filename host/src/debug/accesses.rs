//! Memory accesses of one instruction

use retire::{DataEvent, DataKind, FlowEvent, MasterStore, RetireSink};

/// A memory access of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it is a store; otherwise a load.
    pub store: bool,
    /// Byte address.
    pub addr: u32,
    /// Size, bytes.
    pub size: u8,
    /// Value read or written.
    pub value: u32,
    /// Address of the instruction; 0 for a bus master.
    pub pc: u32,
    /// Whether it is by a bus master other than a core, before the instruction.
    pub master: bool,
}

impl Access {
    /// Whether it overlaps `length` bytes from `addr` on.
    pub fn touches(&self, addr: u32, length: u32) -> bool {
        let (from, to) = (u64::from(self.addr), u64::from(self.addr) + u64::from(self.size));
        from < u64::from(addr) + u64::from(length) && u64::from(addr) < to
    }
}

/// Collects the accesses of an instruction; clear it before the next one.
#[derive(Clone, Debug, Default)]
pub struct Accesses(pub Vec<Access>);

impl RetireSink for Accesses {
    const WANTS_DATA: bool = true;

    #[inline]
    fn event(&mut self, _: &FlowEvent) {}

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        let (store, size, addr, value) = match d.kind {
            DataKind::Load { size, addr, value } => (false, size, addr, value),
            DataKind::Store { size, addr, value } => (true, size, addr, value),
            DataKind::Csr { .. } | DataKind::Register { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {
                return
            }
        };
        self.0.push(Access { store, addr: addr as u32, size, value: value as u32, pc: d.pc as u32, master: false });
    }

    /// Adds each contiguous group of stored bytes as an access.
    fn master(&mut self, s: &MasterStore) {
        let mut lane = 0;
        while lane < 4 {
            let size = (s.mask >> lane).trailing_ones() as u8;
            if size > 0 {
                let value = s.value >> (8 * lane) & (u32::MAX >> (32 - 8 * u32::from(size)));
                let addr = s.addr as u32 + u32::from(lane);
                self.0.push(Access { store: true, addr, size, value, pc: 0, master: true });
            }
            lane += size.max(1);
        }
    }
}
