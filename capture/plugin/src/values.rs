//! What a load or a store moved: under QEMU 7.2, what memory holds behind it

use crate::guest::Guest;
use std::ffi::c_void;

/// What stands beside an instruction's place for [`quick`] and [`slow`]: nothing.
pub fn mark(_: &[u8]) -> usize {
    0
}

/// The value of an access of at most 8 bytes that is not at a page's end, behind which there may be none.
#[inline(always)]
pub fn quick(guest: &Guest, _: u32, shift: u32, address: u64, _: *mut c_void) -> Option<u64> {
    let host = guest.host(address);
    (shift <= 3 && host as usize & 4095 <= 4088).then(|| {
        // SAFETY: the guest has just accessed bytes of this page. Another thread of it may write them now, if its
        // threads run freely; then the value is told to be inexact.
        let value = unsafe { u64::from_le(host.cast::<u64>().read_unaligned()) };
        value & u64::MAX >> (64 - (8 << shift))
    })
}

/// Of any access, `size` bytes (8 at most) from `part` of it.
pub fn slow(guest: &Guest, _: u32, address: u64, part: usize, size: usize, _: *mut c_void) -> u64 {
    let mut value = [0; 8];
    let host = guest.host(address.wrapping_add(part as u64));
    // SAFETY: as in `quick`.
    unsafe { std::ptr::copy_nonoverlapping(host, value.as_mut_ptr(), size) };
    u64::from_le_bytes(value)
}
