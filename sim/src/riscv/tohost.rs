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
//! | 0 | 0 | address of a block | with the symbol `fromhost`: a system call |
//!
//! The block of a system call has eight 64-bit words: number and arguments. The host stores the result to the first one,
//! and 1 to `fromhost`.
//!
//! | system call | number | arguments | what the machine does |
//! | --- | ---: | --- | --- |
//! | `read` | 63 | file, address, length | stores input there; the result is the number of bytes |
//! | `write` | 64 | file, address, length | prints these bytes, whatever the file; the result is the length |
//! | `exit` | 93 | code | ends the program |
//!
//! The result of other calls is -38, `ENOSYS`, and they are reported ([`UnsupportedCall`]). The host's stores are those of a bus
//! master that is no core.
//!
//! All other commands (the keyboard) do nothing. A store of all eight bytes is a command. With
//! 4-byte stores, a store of the upper half completes a command with the lower half that was stored before, and so does
//! a lower half stored twice in a row. The host takes a command at once: `tohost` then reads as 0 for every core, so
//! that a run can be executed again without recorded answers of the host. `fromhost` is ordinary RAM.

use super::memory::{Effect, Memory};
use super::semihosting::UnsupportedCall;
use retire::elf::HostInterface;
use retire::MasterStore;

/// System calls.
const READ: u64 = 63;
const WRITE: u64 = 64;
const EXIT: u64 = 93;
/// `-ENOSYS`.
const NOT_THERE: u64 = -38i64 as u64;

/// Bytes of `tohost`.
const BYTES: u64 = 8;

/// Which bytes of the store to `[addr, addr + bytes)` lie in `tohost`, as byte offsets in the store.
pub fn taken(tohost: Option<HostInterface>, addr: u64, bytes: usize) -> std::ops::Range<usize> {
    let Some(HostInterface { to: tohost, .. }) = tohost else { return 0..0 };
    let place = |at: u64| at.saturating_sub(addr).min(bytes as u64) as usize;
    place(tohost)..place(tohost.saturating_add(BYTES))
}

impl Memory {
    /// Handles a store of `bytes` bytes of `value` at `addr`, in RAM, that may be a command or half of one.
    #[cold]
    pub(super) fn handle_tohost_store(&mut self, addr: u64, bytes: usize, value: u64) -> Effect {
        let taken = taken(self.tohost, addr, bytes);
        let Some(HostInterface { to: tohost, from }) = self.tohost.filter(|_| !taken.is_empty()) else {
            return Effect::None;
        };
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
            0 if payload != 0 && from.is_some() => {
                self.call = payload;
                return Effect::Call;
            }
            0x0101 => self.uart.push(payload as u8),
            _ => {}
        }
        Effect::None
    }

    /// Performs the system call that was stored last.
    pub(super) fn system_call(&mut self, cycle: u64) -> Effect {
        let (block, Some(from)) = (self.call, self.tohost.and_then(|host| host.from)) else { return Effect::None };
        if self.offset::<8>(block).is_none() || self.offset::<8>(block.wrapping_add(56)).is_none() {
            return Effect::None;
        }
        let [number, first, second, third] = [0, 8, 16, 24].map(|at| self.load::<8>(block + at, cycle).unwrap_or(0));
        let result = match number {
            READ => {
                let bytes = self.input.take(if self.offset::<1>(second).is_some() { third } else { 0 });
                self.host_store(second, &bytes, cycle);
                bytes.len() as u64
            }
            WRITE => {
                self.print(second, third, false);
                third
            }
            EXIT => return Effect::Exit(first as u32),
            _ => {
                self.note_unsupported(UnsupportedCall { operation: number, file: None, proxied: true, count: 1 });
                NOT_THERE
            }
        };
        self.host_store(block, &result.to_le_bytes(), cycle);
        self.host_store(from, &1u64.to_le_bytes(), cycle);
        Effect::None
    }

    /// Stores bytes to RAM for the host, as a bus master. Those outside RAM are dropped.
    pub(super) fn host_store(&mut self, addr: u64, bytes: &[u8], cycle: u64) {
        let mut at = addr;
        for byte in bytes {
            if self.offset::<1>(at).is_some() && self.store::<1>(at, (*byte).into(), cycle).is_some() {
                let (word, lane) = (at & !3, at & 3);
                let last = self.host_stores.last_mut().filter(|s| s.addr == word && s.cycle == cycle && lane > 0);
                let (mask, value) = (1 << lane, u32::from(*byte) << (8 * lane));
                match last {
                    Some(last) => (last.mask, last.value) = (last.mask | mask, last.value | value),
                    None => self.host_stores.push(MasterStore { addr: word, value, mask, cycle }),
                }
            }
            at = at.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_a_store_puts_into_tohost() {
        let of = |addr, bytes| taken(Some(HostInterface { to: 0x1000, from: None }), addr, bytes);
        assert_eq!(of(0x1000, 8), 0..8);
        assert_eq!(of(0x1004, 4), 0..4);
        assert_eq!(of(0x0ffe, 4), 2..4);
        assert_eq!(of(0x1006, 4), 0..2);
        assert!(of(0x0ffc, 4).is_empty() && of(0x1008, 8).is_empty() && of(0, 1).is_empty());
        assert!(taken(None, 0x1000, 8).is_empty());
    }
}
