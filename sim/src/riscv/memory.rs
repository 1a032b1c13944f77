//! RAM, devices and load reservations

use super::dma::{Dma, DMA, DMA_BYTES};
use super::input::Input;
use super::semihosting::UnsupportedCall;
use retire::elf::HostInterface;
use retire::MasterStore;
use std::ops::Range;

/// Base of RAM for a program that fits in there.
pub const RAM_BASE: u32 = 0x8000_0000;
const CLINT: u32 = 0x0200_0000;
const UART: u32 = 0x1000_0000;
const FINISHER: u32 = 0x0010_0000;
/// First and last address of each device: RAM elsewhere must not cover one.
pub const DEVICES: [(u32, u32); 4] =
    [(FINISHER, FINISHER + 3), (CLINT, CLINT + 0xbfff), (UART, UART + 7), (DMA, DMA + DMA_BYTES - 1)];

/// Side effect of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// An interrupt may have become pending, or be no longer pending.
    Interrupts,
    /// The program ended with this code.
    Exit(u32),
    /// It is a system call of the host interface, to be performed by [`Memory::system_call`].
    Call,
}

/// The state that all harts share.
#[derive(Clone, Debug)]
pub struct Memory {
    pub ram: Vec<u8>,
    /// Address of the first byte of RAM, a multiple of 1 MiB.
    pub ram_base: u32,
    pub msip: Vec<bool>,
    pub mtimecmp: Vec<u64>,
    pub mtime_divider: u64,
    /// `mtime` as software last wrote it, and the clock tick of that write.
    mtime_written: (u64, u64),
    pub uart: Vec<u8>,
    /// Line control register; bit 7 maps the divisor latch to offsets 0 and 1.
    uart_lcr: u8,
    pub dma: Dma,
    /// Calls to the host that are not supported.
    pub unanswered: Vec<UnsupportedCall>,
    /// What the UART and the host's calls read.
    pub input: Input,
    /// What the host has stored to RAM and nobody has reported yet.
    pub host_stores: Vec<MasterStore>,
    /// Reserved bytes of each hart: address and count.
    pub reservations: Vec<(u64, u8)>,
    /// Parts of RAM that stores do not change: they are access faults.
    pub read_only: Vec<Range<u64>>,
    /// Whether a store to RAM can have an effect other than its bytes, or be refused: a reservation was made since all were cleared,
    /// stores can be commands to the host, or a part of RAM is read-only.
    watched: bool,
    /// Where commands to the host are stored.
    pub tohost: Option<HostInterface>,
    /// Block of the system call that was stored last.
    pub call: u64,
    /// Lower half of a command whose upper half has not been stored yet.
    pub command: u64,
    /// Results of instructions that are not modelled, from their bits and operands.
    pub unmodelled: Option<fn(u32, [u64; 2]) -> u64>,
}

/// The address of an atomic is never odd.
const NO_RESERVATION: (u64, u8) = (1, 0);

impl Memory {
    pub fn new(ram_base: u32, ram_bytes: u32, harts: usize, mtime_divider: u64) -> Self {
        Self {
            ram: vec![0; ram_bytes as usize],
            ram_base,
            msip: vec![false; harts],
            mtimecmp: vec![u64::MAX; harts],
            mtime_divider,
            mtime_written: (0, 0),
            uart: Vec::new(),
            uart_lcr: 0,
            dma: Dma::default(),
            unanswered: Vec::new(),
            input: Input::default(),
            host_stores: Vec::new(),
            reservations: vec![NO_RESERVATION; harts],
            read_only: Vec::new(),
            watched: false,
            tohost: None,
            call: 0,
            command: 0,
            unmodelled: None,
        }
    }

    pub fn mtime(&self, cycle: u64) -> u64 {
        let (value, tick) = self.mtime_written;
        (cycle / self.mtime_divider).wrapping_sub(tick).wrapping_add(value)
    }

    /// First cycle at which the timer of `hart` has fired; `u64::MAX` for never.
    pub fn timer_cycle(&self, hart: usize) -> u64 {
        let (value, tick) = self.mtime_written;
        let ticks = self.mtimecmp[hart].saturating_sub(value).saturating_add(tick);
        ticks.saturating_mul(self.mtime_divider)
    }

    /// Offset in RAM of an access of `N` bytes.
    #[inline]
    pub fn offset<const N: usize>(&self, addr: u64) -> Option<usize> {
        // RAM lies below 4 GiB: with a 32-bit number the compiler sees that `offset + N` does not wrap
        let offset = u32::try_from(addr).ok()?.wrapping_sub(self.ram_base) as usize;
        (offset + N <= self.ram.len()).then_some(offset)
    }

    /// Loads `N` bytes, little-endian, zero-extended; `None` is an access fault.
    #[inline]
    pub fn load<const N: usize>(&mut self, addr: u64, cycle: u64) -> Option<u64> {
        match self.offset::<N>(addr) {
            Some(at) => {
                let mut bytes = [0; 8];
                bytes[..N].copy_from_slice(&self.ram[at..at + N]);
                Some(u64::from_le_bytes(bytes))
            }
            None => self.load_devices(addr, N, cycle),
        }
    }

    /// Stores the low `N` bytes of `value`; `None` is an access fault.
    #[inline]
    pub fn store<const N: usize>(&mut self, addr: u64, value: u64, cycle: u64) -> Option<Effect> {
        match self.offset::<N>(addr) {
            Some(at) => {
                if self.watched {
                    return self.store_watched(addr, N, value);
                }
                self.ram[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
                Some(Effect::None)
            }
            None => self.store_devices(addr, N, value, cycle),
        }
    }

    pub fn reserve(&mut self, hart: usize, addr: u64, bytes: u8) {
        self.reservations[hart] = (addr, bytes);
        self.watched = true;
    }

    /// Whether `hart` still holds its reservation of `addr`. Clears the reservation.
    pub fn take_reservation(&mut self, hart: usize, addr: u64) -> bool {
        std::mem::replace(&mut self.reservations[hart], NO_RESERVATION).0 == addr
    }

    /// A store to RAM while [`Memory::watched`].
    #[cold]
    fn store_watched(&mut self, addr: u64, bytes: usize, value: u64) -> Option<Effect> {
        if self.is_read_only(addr, bytes) {
            return None;
        }
        let at = addr.wrapping_sub(self.ram_base.into()) as usize;
        self.ram[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        self.drop_reservations(addr, bytes);
        Some(self.handle_tohost_store(addr, bytes, value))
    }

    /// Whether one of `bytes` bytes from `addr` on is in a read-only part of RAM.
    fn is_read_only(&self, addr: u64, bytes: usize) -> bool {
        self.read_only.iter().any(|r| r.start < addr + bytes as u64 && addr < r.end)
    }

    /// Whether a store of `N` bytes at `addr` changes RAM.
    #[inline]
    pub fn takes_store<const N: usize>(&self, addr: u64) -> bool {
        self.offset::<N>(addr).is_some() && !(self.watched && self.is_read_only(addr, N))
    }

    fn drop_reservations(&mut self, addr: u64, bytes: usize) {
        let end = addr + bytes as u64;
        for r in self.reservations.iter_mut().filter(|r| r.0 < end && addr < r.0 + u64::from(r.1)) {
            *r = NO_RESERVATION;
        }
        self.watched = self.is_always_watched() || self.reservations.iter().any(|r| *r != NO_RESERVATION);
    }

    /// Treats stores to this address, if it is in RAM, as commands to the host.
    pub fn with_tohost(mut self, tohost: Option<HostInterface>) -> Self {
        self.tohost = tohost.filter(|host| self.offset::<8>(host.to).is_some());
        self.watched = self.is_always_watched();
        self
    }

    /// Refuses stores to these addresses.
    pub fn with_read_only(mut self, ranges: Vec<Range<u64>>) -> Self {
        self.read_only = ranges;
        self.watched = self.is_always_watched();
        self
    }

    /// Whether [`Memory::watched`] does not depend on reservations.
    fn is_always_watched(&self) -> bool {
        self.tohost.is_some() || !self.read_only.is_empty()
    }

    /// Whether an 8-byte access is one of `mtime` or `mtimecmp`: devices have 4-byte registers.
    fn is_wide(&self, addr: u32) -> bool {
        let compare = addr.wrapping_sub(CLINT + 0x4000) < 8 * self.msip.len() as u32;
        addr % 8 == 0 && (compare || addr == CLINT + 0xbff8)
    }

    #[cold]
    fn load_devices(&mut self, addr: u64, bytes: usize, cycle: u64) -> Option<u64> {
        let addr = u32::try_from(addr).ok()?;
        if bytes == 8 {
            let wide = self.is_wide(addr);
            let mut half = |addr| self.load_device(addr, 4, cycle).map(u64::from);
            return if wide { Some(half(addr)? | half(addr + 4)? << 32) } else { None };
        }
        self.load_device(addr, bytes, cycle).map(u64::from)
    }

    #[cold]
    fn store_devices(&mut self, addr: u64, bytes: usize, value: u64, cycle: u64) -> Option<Effect> {
        let addr = u32::try_from(addr).ok()?;
        if bytes == 8 {
            if !self.is_wide(addr) {
                return None;
            }
            self.store_device(addr, 4, value as u32, cycle)?;
            return self.store_device(addr + 4, 4, (value >> 32) as u32, cycle);
        }
        self.store_device(addr, bytes, value as u32, cycle)
    }

    fn load_device(&mut self, addr: u32, bytes: usize, cycle: u64) -> Option<u32> {
        if addr.wrapping_sub(UART) < 8 {
            return Some(match addr - UART {
                0 if self.uart_lcr & 0x80 == 0 => self.input.next().unwrap_or(0).into(),
                3 => self.uart_lcr.into(),
                5 => 0x60 | u32::from(self.input.left() > 0),
                _ => 0,
            });
        }
        if addr & 3 != 0 || bytes == 1 {
            return None;
        }
        if addr == FINISHER {
            return Some(0);
        }
        if bytes != 4 {
            return None;
        }
        if addr.wrapping_sub(DMA) < DMA_BYTES {
            return self.dma.load(addr - DMA);
        }
        let half = |v: u64, high: bool| if high { (v >> 32) as u32 } else { v as u32 };
        let harts = self.msip.len() as u32;
        match addr.checked_sub(CLINT)? {
            o if o < 4 * harts => Some(u32::from(self.msip[o as usize / 4])),
            o @ 0x4000.. if o < 0x4000 + 8 * harts => Some(half(self.mtimecmp[(o as usize - 0x4000) / 8], o & 4 != 0)),
            o @ (0xbff8 | 0xbffc) => Some(half(self.mtime(cycle), o & 4 != 0)),
            _ => None,
        }
    }

    fn store_device(&mut self, addr: u32, bytes: usize, value: u32, cycle: u64) -> Option<Effect> {
        if addr.wrapping_sub(UART) < 8 {
            // wider stores write only the register at their address
            match addr - UART {
                0 if self.uart_lcr & 0x80 == 0 => self.uart.push(value as u8),
                3 => self.uart_lcr = value as u8,
                _ => {}
            }
            return Some(Effect::None);
        }
        if addr & 3 != 0 || bytes == 1 {
            return None;
        }
        if addr == FINISHER {
            let value = if bytes == 2 { value & 0xffff } else { value };
            return Some(match value & 0xffff {
                0x5555 => Effect::Exit(0),
                0x3333 => Effect::Exit(value >> 16),
                _ => Effect::None,
            });
        }
        if bytes != 4 {
            return None;
        }
        if addr.wrapping_sub(DMA) < DMA_BYTES {
            // the next word may come before anything else happens
            return self.dma.store(addr - DMA, value, cycle).map(|()| Effect::Interrupts);
        }
        let merge = |old: u64, high: bool| {
            if high {
                old & 0xffff_ffff | u64::from(value) << 32
            } else {
                old >> 32 << 32 | u64::from(value)
            }
        };
        let harts = self.msip.len() as u32;
        match addr.checked_sub(CLINT)? {
            o if o < 4 * harts => self.msip[o as usize / 4] = value & 1 == 1,
            o @ 0x4000.. if o < 0x4000 + 8 * harts => {
                let cmp = &mut self.mtimecmp[(o as usize - 0x4000) / 8];
                *cmp = merge(*cmp, o & 4 != 0);
            }
            o @ (0xbff8 | 0xbffc) => {
                let new = merge(self.mtime(cycle), o & 4 != 0);
                self.mtime_written = (new, cycle / self.mtime_divider);
            }
            _ => return None,
        }
        Some(Effect::Interrupts)
    }
}
