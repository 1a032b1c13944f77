//! Guest registers by name, and guest memory: functions of versions 2 to 4 of the plugin interface
//!
//! Source: QEMU 10.0, `include/qemu/qemu-plugin.h`.

use crate::qemu::ByteArray;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};

/// `qemu_plugin_reg_descriptor`.
#[repr(C)]
struct Descriptor {
    handle: *mut c_void,
    name: *const c_char,
    feature: *const c_char,
}

/// `GArray`.
#[repr(C)]
struct Array {
    data: *const Descriptor,
    length: c_uint,
}

extern "C" {
    fn qemu_plugin_get_registers() -> *mut Array;
    fn qemu_plugin_read_register(handle: *mut c_void, to: *mut ByteArray) -> c_int;
    fn qemu_plugin_read_memory_vaddr(address: u64, to: *mut ByteArray, length: usize) -> bool;
    fn g_array_free(array: *mut Array, all: c_int) -> *mut c_char;
    fn g_byte_array_new() -> *mut ByteArray;
    fn g_byte_array_free(array: *mut ByteArray, all: c_int) -> *mut u8;
}

/// QEMU's register handles for the current processor; `None` if one is missing.
pub fn registers_named<const N: usize>(names: [&CStr; N]) -> Option<[usize; N]> {
    let mut handles = [0; N];
    // SAFETY: on the thread of a processor; we must free the array, its strings are permanent.
    unsafe {
        let array = qemu_plugin_get_registers();
        let found = std::slice::from_raw_parts((*array).data, (*array).length as usize);
        for (handle, name) in handles.iter_mut().zip(names) {
            let mut right = found.iter().filter(|d| CStr::from_ptr(d.name) == name);
            *handle = right.next().map_or(0, |d| d.handle as usize);
        }
        g_array_free(array, 1);
    }
    (!handles.contains(&0)).then_some(handles)
}

/// A GLib byte array that QEMU fills.
pub struct Bytes(*mut ByteArray);

impl Bytes {
    fn new() -> Self {
        // SAFETY: the emulator is linked with GLib.
        Self(unsafe { g_byte_array_new() })
    }

    fn number(&self) -> u64 {
        let mut wide = [0; 8];
        // SAFETY: filled by QEMU.
        let bytes = unsafe { std::slice::from_raw_parts((*self.0).data, ((*self.0).length as usize).min(8)) };
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    }

    /// Reads a register of the current processor.
    pub fn of_register(handle: usize) -> Option<u64> {
        let bytes = Self::new();
        // SAFETY: a handle from QEMU.
        let size = unsafe { qemu_plugin_read_register(handle as *mut c_void, bytes.0) };
        (size > 0).then(|| bytes.number())
    }

    /// Reads up to 8 bytes of memory as the current processor sees it.
    pub fn of_memory(address: u64, length: usize) -> Option<u64> {
        let bytes = Self::new();
        // SAFETY: QEMU checks whether the memory exists.
        unsafe { qemu_plugin_read_memory_vaddr(address, bytes.0, length) }.then(|| bytes.number())
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { g_byte_array_free(self.0, 1) };
    }
}
