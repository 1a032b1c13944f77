//! `tohost`, the host interface of Berkeley's test programs (HTIF): eight bytes of RAM that take commands
//!
//! If an ELF has the symbol `tohost`, commands are stored there: bits 63:56 are the device, 55:48 the command, the rest
//! is the payload.
//!
//! | device | command | payload | what the machine does |
//! | ---: | ---: | --- | --- |
//! | 0 | 0 | bit 0 set | ends the program, with code `payload >> 1` |
//! | 1 | 1 | a byte | prints it |
//!
//! All other commands (proxied system calls, the keyboard) do nothing. A store of all eight bytes is a command. With
//! 4-byte stores, a store of the upper half completes a command with the lower half that was stored before, and so does
//! a lower half stored twice in a row. The host takes a command at once: `tohost` then reads as 0 for every core, so
//! that a run can be executed again without recorded answers of the host. `fromhost` is ordinary RAM.

use super::memory::{Effect, Memory};

/// Bytes of `tohost`.
const BYTES: u64 = 8;

/// Which bytes of the store to `[addr, addr + bytes)` lie in `tohost`, as byte offsets in the store.
pub fn taken(tohost: Option<u64>, addr: u64, bytes: usize) -> std::ops::Range<usize> {
    let Some(tohost) = tohost else { return 0..0 };
    let place = |at: u64| at.saturating_sub(addr).min(bytes as u64) as usize;
    place(tohost)..place(tohost.saturating_add(BYTES))
}

impl Memory {
    /// Handles a store of `bytes` bytes of `value` at `addr`, in RAM, that may be a command or half of one.
    #[cold]
    pub(super) fn handle_tohost_store(&mut self, addr: u64, bytes: usize, value: u64) -> Effect {
        let taken = taken(self.tohost, addr, bytes);
        let Some(tohost) = self.tohost.filter(|_| !taken.is_empty()) else { return Effect::None };
        let at = addr.wrapping_sub(self.ram_base.into()) as usize;
        self.ram[at + taken.start..at + taken.end].fill(0);
        let low = self.command as u32;
        let whole = match (addr.wrapping_sub(tohost), bytes) {
            (0, 8) => value,
            (4, 4) => value << 32 | u64::from(low),
            (0, 4) if low != 0 => low.into(),
            (0, 4) => {
                self.command = value & 0xffff_ffff;
                return Effect::None;
            }
            _ => return Effect::None,
        };
        self.command = 0;
        let payload = whole & 0xffff_ffff_ffff;
        match whole >> 48 {
            0 if payload & 1 == 1 => return Effect::Exit((payload >> 1) as u32),
            0x0101 => self.uart.push(payload as u8),
            _ => {}
        }
        Effect::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_a_store_puts_into_tohost() {
        let of = |addr, bytes| taken(Some(0x1000), addr, bytes);
        assert_eq!(of(0x1000, 8), 0..8);
        assert_eq!(of(0x1004, 4), 0..4);
        assert_eq!(of(0x0ffe, 4), 2..4);
        assert_eq!(of(0x1006, 4), 0..2);
        assert!(of(0x0ffc, 4).is_empty() && of(0x1008, 8).is_empty() && of(0, 1).is_empty());
        assert!(taken(None, 0x1000, 8).is_empty());
    }
}
