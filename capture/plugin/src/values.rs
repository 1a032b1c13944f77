//! Value of a load or a store: with QEMU 7.2, the content of memory after it

use crate::guest::Guest;
use std::ffi::c_void;

/// Mark to store with an instruction's index for [`quick`] and [`slow`]: none.
pub fn mark(_: &[u8]) -> usize {
    0
}

/// The value of an access of at most 8 bytes.
#[inline(always)]
pub fn quick(guest: &Guest, _: u32, shift: u32, address: u64, _: *mut c_void) -> Option<u64> {
    let host = guest.host(address);
    // exactly as many bytes as were accessed: reading more than were just stored would stall store forwarding
    // SAFETY: the guest has just accessed these bytes. If threads run freely, another one may write them now; the value
    // is then documented to be inexact.
    unsafe {
        Some(match shift {
            0 => host.read().into(),
            1 => u16::from_le(host.cast::<u16>().read_unaligned()).into(),
            2 => u32::from_le(host.cast::<u32>().read_unaligned()).into(),
            3 => u64::from_le(host.cast::<u64>().read_unaligned()),
            _ => return None,
        })
    }
}

/// The value of any access: up to 8 bytes, from offset `part` on.
pub fn slow(guest: &Guest, _: u32, address: u64, part: usize, size: usize, _: *mut c_void) -> u64 {
    let mut value = [0; 8];
    let host = guest.host(address.wrapping_add(part as u64));
    // SAFETY: as in `quick`.
    unsafe { std::ptr::copy_nonoverlapping(host, value.as_mut_ptr(), size) };
    u64::from_le_bytes(value)
}
