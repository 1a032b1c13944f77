//! QEMU 7.2's plugin interface (version 1), and further functions that it exports
//!
//! Declared here, because no package contains its header. Source: QEMU 7.2, `include/qemu/qemu-plugin.h`.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr};

/// Identifier of the plugin.
pub type Id = u64;
/// A block during its translation.
pub enum Tb {}
/// An instruction during its translation.
pub enum Insn {}

/// Description of the running QEMU.
#[repr(C)]
pub struct Info {
    /// `riscv64`, `x86_64`.
    pub target_name: *const c_char,
    /// Oldest and newest version of the interface.
    pub version: [c_int; 2],
    /// Not a user-mode emulator.
    pub system_emulation: bool,
    /// Numbers of processors, in system mode.
    pub vcpus: [c_int; 2],
}

/// `QEMU_PLUGIN_CB_NO_REGS`; 7.2 ignores it.
pub const NO_REGS: c_int = 0;
/// `QEMU_PLUGIN_CB_R_REGS`: free at the start of a block, where all registers are in memory.
pub const READS_REGS: c_int = 1;
/// `QEMU_PLUGIN_MEM_RW`. One callback for both: of two, 7.2 skips those after the first that does not match.
pub const MEM_RW: c_int = 3;

/// Callback of a system call: number and arguments.
pub type SyscallCallback = extern "C" fn(Id, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

extern "C" {
    pub fn qemu_plugin_register_vcpu_init_cb(id: Id, callback: extern "C" fn(Id, c_uint));
    pub fn qemu_plugin_register_vcpu_exit_cb(id: Id, callback: extern "C" fn(Id, c_uint));
    pub fn qemu_plugin_register_vcpu_idle_cb(id: Id, callback: extern "C" fn(Id, c_uint));
    pub fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, callback: extern "C" fn(Id, *mut Tb));
    pub fn qemu_plugin_register_vcpu_tb_exec_cb(
        tb: *mut Tb,
        callback: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_insn_exec_cb(
        insn: *mut Insn,
        callback: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_mem_cb(
        insn: *mut Insn,
        callback: extern "C" fn(c_uint, u32, u64, *mut c_void),
        flags: c_int,
        rw: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_syscall_cb(id: Id, callback: SyscallCallback);
    pub fn qemu_plugin_register_vcpu_syscall_ret_cb(id: Id, callback: extern "C" fn(Id, c_uint, i64, i64));
    pub fn qemu_plugin_register_atexit_cb(id: Id, callback: extern "C" fn(Id, *mut c_void), data: *mut c_void);
    pub fn qemu_plugin_tb_n_insns(tb: *const Tb) -> usize;
    pub fn qemu_plugin_tb_vaddr(tb: *const Tb) -> u64;
    pub fn qemu_plugin_tb_get_insn(tb: *const Tb, index: usize) -> *mut Insn;
    #[cfg(not(feature = "api4"))]
    fn qemu_plugin_insn_data(insn: *const Insn) -> *const c_void;
    // since version 3
    #[cfg(feature = "api4")]
    fn qemu_plugin_insn_data(insn: *const Insn, to: *mut c_void, length: usize) -> usize;
    pub fn qemu_plugin_insn_size(insn: *const Insn) -> usize;
    pub fn qemu_plugin_insn_disas(insn: *const Insn) -> *mut c_char;
    pub fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
    pub fn qemu_plugin_start_code() -> u64;
    pub fn qemu_plugin_end_code() -> u64;
}

// Functions of the C library, with which the emulator is linked.
extern "C" {
    pub fn mmap(addr: *mut c_void, length: usize, prot: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    pub fn close(fd: c_int) -> c_int;
    pub fn free(memory: *mut c_void);
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    pub fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// The bytes of an instruction.
///
/// # Safety
/// QEMU must be translating it.
pub unsafe fn code(insn: *const Insn) -> Vec<u8> {
    let size = qemu_plugin_insn_size(insn);
    // none on its page of helpers for ARM
    if size == 0 {
        return Vec::new();
    }
    #[cfg(not(feature = "api4"))]
    return std::slice::from_raw_parts(qemu_plugin_insn_data(insn).cast::<u8>(), size).to_vec();
    #[cfg(feature = "api4")]
    {
        let mut bytes = vec![0; size];
        let given = qemu_plugin_insn_data(insn, bytes.as_mut_ptr().cast(), size);
        bytes.truncate(given);
        bytes
    }
}

/// A symbol of the emulator or of its libraries.
pub fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is null-terminated; a null handle (RTLD_DEFAULT) searches all loaded objects.
    let found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// `cpu_physical_memory_rw`: address, buffer, length, and whether it writes.
type Access = extern "C" fn(u64, *mut c_void, u64, bool);

/// Reads a machine's physical memory: not part of the plugin interface.
#[derive(Clone, Copy)]
pub struct Physical(Access);

impl Physical {
    /// Finds the required symbol.
    pub fn find() -> Option<Self> {
        let access = symbol(c"cpu_physical_memory_rw")?;
        // SAFETY: type as in QEMU's `include/exec/cpu-common.h`, from 7.2 on.
        Some(Self(unsafe { std::mem::transmute::<*mut c_void, Access>(access) }))
    }

    /// Reads memory; where nothing answers, QEMU gives zeros.
    pub fn read(self, at: u64, bytes: &mut [u8]) {
        (self.0)(at, bytes.as_mut_ptr().cast(), bytes.len() as u64, false);
    }
}

/// Reads guest registers as QEMU's own GDB server does: not part of the plugin interface before version 2.
#[derive(Clone, Copy)]
pub struct Registers {
    cpu: extern "C" fn(c_int) -> *mut c_void,
    read: extern "C" fn(*mut c_void, *mut ByteArray, c_int) -> c_int,
    new: extern "C" fn() -> *mut ByteArray,
    free: extern "C" fn(*mut ByteArray, c_int) -> *mut u8,
}

/// `GByteArray`.
#[repr(C)]
pub struct ByteArray {
    pub data: *mut u8,
    pub length: c_uint,
}

impl Registers {
    /// Finds the required symbols; `read` is the name of the machine's function.
    pub fn find(read: &CStr) -> Option<Self> {
        let [cpu, read] = [symbol(c"qemu_get_cpu")?, symbol(read)?];
        let [new, free] = [symbol(c"g_byte_array_new")?, symbol(c"g_byte_array_free")?];
        // SAFETY: types as in QEMU 7.2 (include/hw/core/cpu.h) and GLib 2.
        unsafe {
            Some(Self {
                cpu: std::mem::transmute::<*mut c_void, extern "C" fn(c_int) -> *mut c_void>(cpu),
                read: std::mem::transmute::<*mut c_void, extern "C" fn(*mut c_void, *mut ByteArray, c_int) -> c_int>(
                    read,
                ),
                new: std::mem::transmute::<*mut c_void, extern "C" fn() -> *mut ByteArray>(new),
                free: std::mem::transmute::<*mut c_void, extern "C" fn(*mut ByteArray, c_int) -> *mut u8>(free),
            })
        }
    }

    /// Reads registers by their GDB numbers; at the start of a block they are up to date.
    pub fn read<const N: usize>(&self, vcpu: c_uint, numbers: [c_int; N]) -> Option<[u64; N]> {
        self.read_of(self.cpu(vcpu), numbers)
    }

    /// QEMU's structure of a processor.
    pub fn cpu(&self, vcpu: c_uint) -> *mut c_void {
        (self.cpu)(vcpu as c_int)
    }

    /// The processor of the current thread; `None` if it has none.
    pub fn current() -> Option<*mut c_void> {
        // thread-local, so it is looked up each time
        let current: *mut *mut c_void = symbol(c"current_cpu")?.cast();
        // SAFETY: a variable of the emulator (include/hw/core/cpu.h).
        let cpu = unsafe { *current };
        (!cpu.is_null()).then_some(cpu)
    }

    /// Address in the emulator of the general registers of a processor, 32 of them with `bytes` bytes: where memory
    /// matches the values from `read`. `None`: not found.
    #[cfg(not(feature = "api4"))]
    pub fn place(&self, cpu: *mut c_void, bytes: usize) -> Option<*mut c_void> {
        /// Upper bound of the size of a processor's structure.
        const LONGEST: usize = 1 << 15;
        let numbers = std::array::from_fn::<c_int, 32, _>(|i| i as c_int);
        let values = self.read_of(cpu, numbers)?;
        // mostly zeros would match in many places
        if values.iter().filter(|v| **v != 0).count() < 3 {
            return None;
        }
        let wanted: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()[..bytes].to_vec()).collect();
        let cpu = cpu.cast::<u8>();
        (0..LONGEST).step_by(8).map(|at| cpu.wrapping_add(at)).find_map(|place| {
            // SAFETY: inside the structure, which contains the registers: the search ends there.
            let found = unsafe { std::slice::from_raw_parts(place, wanted.len()) };
            (found == wanted).then_some(place.cast())
        })
    }

    /// Reads registers of the current thread, which translates: their values at the start of the block.
    pub fn read_current<const N: usize>(&self, numbers: [c_int; N]) -> Option<[u64; N]> {
        self.read_of(Self::current()?, numbers)
    }

    /// As [`Registers::read`], of a processor of which QEMU's structure is known.
    pub fn read_of<const N: usize>(&self, cpu: *mut c_void, numbers: [c_int; N]) -> Option<[u64; N]> {
        if cpu.is_null() {
            return None;
        }
        let mut values = [0; N];
        for (value, number) in values.iter_mut().zip(numbers) {
            let array = (self.new)();
            let size = (self.read)(cpu, array, number);
            // SAFETY: GLib's array, which `read` filled with `size` bytes.
            unsafe {
                let bytes = std::slice::from_raw_parts((*array).data, ((*array).length as usize).min(8));
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                *value = u64::from_le_bytes(wide);
            }
            (self.free)(array, 1);
            if size <= 0 {
                return None;
            }
        }
        Some(values)
    }
}

/// Waiting on words shared between the two processes
///
/// Source: Linux, `futex(2)`.
pub mod futex {
    use std::ffi::{c_int, c_long};
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }

    #[cfg(target_arch = "x86_64")]
    const NUMBER: c_long = 202;
    #[cfg(not(target_arch = "x86_64"))]
    // the generic number, of aarch64 and riscv
    const NUMBER: c_long = 98;

    const WAIT: c_int = 0;
    const WAKE: c_int = 1;

    /// Sleeps while the word is `value`, until woken; at most for this time.
    pub fn wait(word: &AtomicU32, value: u32, most: Duration) {
        // `timespec`
        let time: [c_long; 2] = [most.as_secs() as c_long, c_long::from(most.subsec_nanos() as i32)];
        // SAFETY: a word and a time that live as long as the call.
        unsafe { syscall(NUMBER, word.as_ptr(), WAIT, value, time.as_ptr()) };
    }

    /// Wakes the sleeping thread.
    pub fn wake(word: &AtomicU32) {
        // SAFETY: a word.
        unsafe { syscall(NUMBER, word.as_ptr(), WAKE, 1 as c_int) };
    }
}

/// A memory barrier on every processor that runs a thread of this process, so that the threads themselves need none
///
/// Source: Linux, `membarrier(2)`.
pub mod membarrier {
    use std::ffi::{c_int, c_long};

    extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }

    #[cfg(target_arch = "x86_64")]
    const NUMBER: c_long = 324;
    #[cfg(not(target_arch = "x86_64"))]
    // the generic number, of aarch64 and riscv
    const NUMBER: c_long = 283;

    const PRIVATE_EXPEDITED: c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

    fn call(command: c_int) -> bool {
        // SAFETY: takes two numbers and touches no memory.
        unsafe { syscall(NUMBER, command, 0 as c_int, 0 as c_int) == 0 }
    }

    /// Registers for the barrier; returns whether it is available.
    pub fn register() -> bool {
        cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
            && call(REGISTER_PRIVATE_EXPEDITED)
    }

    /// Executes the barrier.
    pub fn all() {
        // cannot fail after registration
        let _ = call(PRIVATE_EXPEDITED);
    }
}
