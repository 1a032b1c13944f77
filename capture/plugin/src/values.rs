//! What a load or a store moved: under QEMU 7.2, what memory holds behind it

use crate::guest::Guest;
use std::ffi::c_void;

/// What stands beside an instruction's place for [`quick`] and [`slow`]: nothing.
pub fn mark(_: &[u8]) -> usize {
    0
}

/// The value of an access of at most 8 bytes.
#[inline(always)]
pub fn quick(guest: &Guest, _: u32, shift: u32, address: u64, _: *mut c_void) -> Option<u64> {
    let host = guest.host(address);
    // as many bytes as were accessed: more than have just been stored would have to wait until they are in the cache
    // SAFETY: the guest has just accessed these bytes. Another thread of it may write them now, if its threads run freely;
    // then the value is told to be inexact.
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

/// Of any access, `size` bytes (8 at most) from `part` of it.
pub fn slow(guest: &Guest, _: u32, address: u64, part: usize, size: usize, _: *mut c_void) -> u64 {
    let mut value = [0; 8];
    let host = guest.host(address.wrapping_add(part as u64));
    // SAFETY: as in `quick`.
    unsafe { std::ptr::copy_nonoverlapping(host, value.as_mut_ptr(), size) };
    u64::from_le_bytes(value)
}
