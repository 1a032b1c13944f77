//! What a load or a store moved, as QEMU tells it since version 4 of the interface
//!
//! An atomic is told as a load, with the value of before, and a store. Of a compare-and-swap that failed, and so of `sc`,
//! QEMU tells as stored what would have been: so what an atomic has stored is read from memory.
//!
//! Source: QEMU 10.0, `accel/tcg/atomic_template.h`, `include/qemu/qemu-plugin.h`.

use crate::guest::Guest;
use crate::layout::PLACE_BITS;
use crate::named4::Bytes;
use std::ffi::{c_int, c_void};

/// Beside an instruction's place: it is an atomic.
const ATOMIC: usize = 1 << PLACE_BITS;

/// `qemu_plugin_mem_value`.
#[repr(C)]
struct Value {
    kind: c_int,
    parts: [u64; 2],
}

extern "C" {
    fn qemu_plugin_mem_get_value(info: u32) -> Value;
}

/// What stands beside an instruction's place for [`quick`] and [`slow`].
pub fn mark(code: &[u8]) -> usize {
    // RISC-V: opcode AMO
    match code.first() {
        Some(first) if first & 0x7f == 0x2f => ATOMIC,
        _ => 0,
    }
}

fn reads_memory(info: u32, place: *mut c_void) -> bool {
    // bit 17: it stores
    place as usize & ATOMIC != 0 && info >> 17 & 1 == 1
}

/// The value of an access of at most 8 bytes that QEMU tells.
#[inline(always)]
pub fn quick(_: &Guest, info: u32, shift: u32, _: u64, place: *mut c_void) -> Option<u64> {
    (shift <= 3 && !reads_memory(info, place)).then(|| {
        // SAFETY: of the access whose callback this is.
        let value = unsafe { qemu_plugin_mem_get_value(info) };
        value.parts[0] & u64::MAX >> (64 - (8 << shift))
    })
}

/// Of any access, `size` bytes (8 at most) from `part` of it.
pub fn slow(_: &Guest, info: u32, address: u64, part: usize, size: usize, place: *mut c_void) -> u64 {
    if reads_memory(info, place) {
        // an atomic's memory is there: it has just been accessed
        return Bytes::of_memory(address.wrapping_add(part as u64), size).unwrap_or(0);
    }
    // SAFETY: of the access whose callback this is.
    let value = unsafe { qemu_plugin_mem_get_value(info) };
    value.parts[part / 8 % 2] & u64::MAX >> (64 - 8 * size)
}
