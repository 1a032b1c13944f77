//! Value of a load or a store, which QEMU provides since version 4 of the plugin interface
//!
//! An atomic is reported as a load, with the old value, and a store. For a failed compare-and-swap, and for `sc`, QEMU
//! provides the value that would have been stored; so the value that an atomic stores is read from memory.
//!
//! Source: QEMU 10.0, `accel/tcg/atomic_template.h`, `include/qemu/qemu-plugin.h`.

use crate::guest::Guest;
use crate::layout::PLACE_BITS;
use crate::named4::Bytes;
use std::ffi::{c_int, c_void};

/// Mark: the instruction is an atomic.
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

/// Mark to store with an instruction's index for [`quick`] and [`slow`].
pub fn mark(code: &[u8]) -> usize {
    // RISC-V: opcode AMO
    match code.first() {
        Some(first) if first & 0x7f == 0x2f => ATOMIC,
        _ => 0,
    }
}

fn reads_memory(info: u32, place: *mut c_void) -> bool {
    // bit 17: a store
    place as usize & ATOMIC != 0 && info >> 17 & 1 == 1
}

/// The value of an access of at most 8 bytes, if QEMU provides it.
#[inline(always)]
pub fn quick(_: &Guest, info: u32, shift: u32, _: u64, place: *mut c_void) -> Option<u64> {
    (shift <= 3 && !reads_memory(info, place)).then(|| {
        // SAFETY: called in the callback of the access.
        let value = unsafe { qemu_plugin_mem_get_value(info) };
        value.parts[0] & u64::MAX >> (64 - (8 << shift))
    })
}

/// The value of any access: up to 8 bytes, from offset `part` on.
pub fn slow(_: &Guest, info: u32, address: u64, part: usize, size: usize, place: *mut c_void) -> u64 {
    if reads_memory(info, place) {
        // the memory of an atomic is accessible: it has just been accessed
        return Bytes::of_memory(address.wrapping_add(part as u64), size).unwrap_or(0);
    }
    // SAFETY: called in the callback of the access.
    let value = unsafe { qemu_plugin_mem_get_value(info) };
    value.parts[part / 8 % 2] & u64::MAX >> (64 - 8 * size)
}
