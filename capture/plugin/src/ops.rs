//! Code that QEMU generates to write blocks and accesses to the ring without a call
//!
//! A call of the plugin takes as long as a block of QEMU's own code. So before the call that QEMU makes for a block,
//! the plugin inserts operations of QEMU's code generator that write the block's number and skip the call, if the
//! processor may write without the lock and instructions are left. The call for an access of at most 8 bytes is
//! replaced by operations that write it. Accesses in helper functions of QEMU (atomics) still call the plugin.
//!
//! None of this is part of QEMU's plugin interface. It is found by symbol names; if anything differs from QEMU 7.2, the
//! code is left unchanged and the plugin is called.
//!
//! # Source
//! QEMU 7.2: `include/tcg/tcg.h`, `include/tcg/tcg-opc.h`, `accel/tcg/plugin-gen.c`.

use crate::blocks::Block;
use crate::layout::{escape, Written, ACCESS, LOADS, SIZE_SHIFT};
use crate::qemu::symbol;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem::offset_of;

/// A TCG operation.
#[repr(C)]
struct Op {
    /// Bits 7:0: the opcode.
    head: u32,
    next: *mut Op,
    /// Address of `next` of the previous operation.
    before: *mut c_void,
    args: [u64; 16],
}

/// A TCG temporary; only the fields that are used.
#[repr(C)]
struct Temp {
    /// Register, location, types.
    other: [u8; 4],
    /// Bits 2:0: the kind.
    kind: u8,
    /// Value of a constant.
    value: i64,
}

/// `TEMP_CONST`.
const CONSTANT: u8 = 5;
/// `TCG_TYPE_I32`, `TCG_TYPE_I64`.
const I32: c_int = 0;
const I64: c_int = 1;
/// `TCG_COND_NE`, `TCG_COND_LT`.
const NOT_EQUAL: u64 = 9;
const LESS: u64 = 2;
/// `PLUGIN_GEN_FROM_TB`, `PLUGIN_GEN_FROM_MEM`; `PLUGIN_GEN_CB_UDATA`, `PLUGIN_GEN_CB_MEM`.
const OF_BLOCK: [u64; 2] = [0, 0];
const OF_ACCESS: [u64; 2] = [2, 2];
/// Most operations of a block.
const MAX_OPS: usize = 1 << 16;
/// Most accesses of a block: each needs a constant, and QEMU has 512 temporaries.
const MAX_ACCESSES: usize = 64;

/// Opcodes.
#[derive(Clone, Copy)]
struct Codes {
    callback: u32,
    callback_end: u32,
    instruction: u32,
    call: u32,
    move_32: u32,
    move_64: u32,
    extend: u32,
    load_32: u32,
    /// Loads of 1, 2, 4, 8 bytes.
    load: [u32; 4],
    store_32: u32,
    store_64: u32,
    add: u32,
    branch_32: u32,
    branch_64: u32,
    jump: u32,
    label: u32,
    discard: u32,
}

/// Access to QEMU's code generator.
pub struct Ops {
    codes: Codes,
    emit: extern "C" fn(u32) -> *mut Op,
    insert: extern "C" fn(*mut c_void, *mut Op, u32) -> *mut Op,
    remove: extern "C" fn(*mut c_void, *mut Op),
    temp: extern "C" fn(c_int, bool) -> *mut Temp,
    constant: extern "C" fn(c_int, i64) -> *mut Temp,
    label: extern "C" fn() -> *mut u32,
    written: *const Written,
    base: *const u64,
}

// SAFETY: functions and addresses of the emulator, which are the same for all threads.
unsafe impl Send for Ops {}
// SAFETY: as above.
unsafe impl Sync for Ops {}

/// `TCGOpDef`.
#[repr(C)]
struct Definition {
    name: *const c_char,
    counts: [u8; 5],
    constraints: *const c_void,
}

/// Code generator context of the current thread, which translates.
fn context() -> *mut c_void {
    // thread-local, so it is looked up each time
    symbol(c"tcg_ctx").map_or(std::ptr::null_mut(), |place| {
        // SAFETY: a variable of the emulator.
        unsafe { *place.cast::<*mut c_void>() }
    })
}

/// A value that no guest program has as a constant: its temporary is the newest when it is created.
const NEW: i64 = 0x5a17_c0de_7e3a_91b5;

/// The operations of an access callback.
struct Access {
    first: *mut Op,
    call: *mut Op,
    last: *mut Op,
    /// Argument of `on_access`.
    info: u32,
    address: u64,
}

impl Ops {
    /// Finds the required symbols. `None`: this is not QEMU 7.2 on x86-64.
    pub fn find(written: &'static Written) -> Option<Self> {
        if !cfg!(target_arch = "x86_64") {
            return None;
        }
        let (definitions, count) = (symbol(c"tcg_op_defs")?, symbol(c"tcg_op_defs_max")?);
        // SAFETY: variables of the emulator.
        let definitions: &[Definition] = unsafe {
            let count = *count.cast::<usize>();
            if count > 256 {
                return None;
            }
            std::slice::from_raw_parts(definitions.cast(), count)
        };
        // SAFETY: names are null-terminated.
        let code = |name: &CStr| {
            definitions
                .iter()
                .position(|d| !d.name.is_null() && unsafe { CStr::from_ptr(d.name) } == name)
                .map(|i| i as u32)
        };
        let codes = Codes {
            callback: code(c"plugin_cb_start")?,
            callback_end: code(c"plugin_cb_end")?,
            instruction: code(c"insn_start")?,
            call: code(c"call")?,
            move_32: code(c"mov_i32")?,
            move_64: code(c"mov_i64")?,
            extend: code(c"extu_i32_i64")?,
            load_32: code(c"ld_i32")?,
            load: [code(c"ld8u_i64")?, code(c"ld16u_i64")?, code(c"ld32u_i64")?, code(c"ld_i64")?],
            store_32: code(c"st_i32")?,
            store_64: code(c"st_i64")?,
            add: code(c"add_i64")?,
            branch_32: code(c"brcond_i32")?,
            branch_64: code(c"brcond_i64")?,
            jump: code(c"br")?,
            label: code(c"set_label")?,
            discard: code(c"discard")?,
        };
        symbol(c"tcg_ctx")?;
        // SAFETY: types as in QEMU 7.2.
        unsafe {
            Some(Self {
                codes,
                emit: std::mem::transmute::<*mut c_void, extern "C" fn(u32) -> *mut Op>(symbol(c"tcg_emit_op")?),
                insert: std::mem::transmute::<*mut c_void, extern "C" fn(*mut c_void, *mut Op, u32) -> *mut Op>(
                    symbol(c"tcg_op_insert_before")?,
                ),
                remove: std::mem::transmute::<*mut c_void, extern "C" fn(*mut c_void, *mut Op)>(symbol(
                    c"tcg_op_remove",
                )?),
                temp: std::mem::transmute::<*mut c_void, extern "C" fn(c_int, bool) -> *mut Temp>(symbol(
                    c"tcg_temp_new_internal",
                )?),
                constant: std::mem::transmute::<*mut c_void, extern "C" fn(c_int, i64) -> *mut Temp>(symbol(
                    c"tcg_constant_internal",
                )?),
                label: std::mem::transmute::<*mut c_void, extern "C" fn() -> *mut u32>(symbol(c"gen_new_label")?),
                written,
                base: symbol(c"guest_base").map_or(std::ptr::null(), |base| base.cast_const().cast()),
            })
        }
    }

    /// Replaces callbacks of the block that is being translated. `begins`: the block to write at its beginning, if any.
    /// `accesses`: for each of the first instructions, the mark to write with its index; `None`: not replaced. `most`:
    /// the most accesses for which space is reserved.
    pub fn put(&self, begins: Option<&'static Block>, accesses: &[Option<usize>], most: usize) -> bool {
        // the symbol look-up takes longer than everything else here
        let context = context();
        let Some((start, found)) = self.look(context, accesses) else { return false };
        if found.len() > most.min(MAX_ACCESSES) {
            return false;
        }
        let values = Values::new(self, context);
        if let Some(block) = begins {
            if !self.begin(start, block, &values) {
                return false;
            }
        }
        for (access, what) in found {
            self.access(&access, what, &values);
        }
        true
    }

    /// Finds the callback of the block, and those of accesses to replace.
    fn look(&self, context: *mut c_void, accesses: &[Option<usize>]) -> Option<(*mut Op, Vec<(Access, usize)>)> {
        let codes = &self.codes;
        // SAFETY: operations of the block that is being translated, which is complete: a doubly linked list that
        // contains the callback of its beginning, since the emulator has inserted it.
        unsafe {
            let last = (self.emit)(codes.discard);
            let mut op = last;
            let mut start = std::ptr::null_mut();
            for _ in 0..MAX_OPS {
                op = (*op).before.cast::<u8>().sub(offset_of!(Op, next)).cast();
                if (*op).head & 0xff == codes.callback && [(*op).args[0], (*op).args[1]] == OF_BLOCK {
                    start = op;
                    break;
                }
            }
            (self.remove)(context, last);
            if start.is_null() {
                return None;
            }
            let (mut found, mut instruction) = (Vec::new(), 0usize);
            let mut op = start;
            while !op.is_null() {
                let code = (*op).head & 0xff;
                if code == codes.instruction {
                    instruction += 1;
                } else if code == codes.callback && [(*op).args[0], (*op).args[1]] == OF_ACCESS {
                    let what = instruction.checked_sub(1).and_then(|i| accesses.get(i).copied().flatten());
                    if let (Some(what), Some(access)) = (what, self.known_access(op)) {
                        found.push((access, what));
                    }
                }
                op = (*op).next;
            }
            Some((start, found))
        }
    }

    /// Matches the operations of an access callback: information (a constant), the plugin's data, processor, address,
    /// call. `None` if they differ, or if more than 8 bytes are accessed.
    unsafe fn known_access(&self, first: *mut Op) -> Option<Access> {
        let codes = &self.codes;
        let mut ops = [first; 7];
        for i in 1..7 {
            ops[i] = (*ops[i - 1]).next;
            if ops[i].is_null() {
                return None;
            }
        }
        let code = ops.map(|op| (*op).head & 0xff);
        let [_, reported, own, processor, address, call, last] = code;
        let right = reported == codes.move_32
            && own == codes.move_64
            && processor == codes.load_32
            && (address == codes.move_64 || address == codes.extend)
            && call == codes.call
            && last == codes.callback_end;
        if !right {
            return None;
        }
        let constant = (*ops[1]).args[1] as *const Temp;
        if (*constant).kind & 7 != CONSTANT {
            return None;
        }
        let info = (*constant).value as u32;
        let plain = info >> 4 & 7 <= 3 && matches!(info >> 16 & 3, 1 | 2);
        plain.then(|| Access { first, call: ops[5], last: ops[6], info, address: (*ops[4]).args[0] })
    }

    fn before(&self, context: *mut c_void, op: *mut Op, code: u32, args: &[u64]) {
        let new = (self.insert)(context, op, code);
        // SAFETY: a new operation of the emulator, with space for 16 arguments.
        unsafe { (&mut (*new).args)[..args.len()].copy_from_slice(args) };
    }

    fn number(&self, kind: c_int, value: i64) -> u64 {
        (self.constant)(kind, value) as u64
    }

    /// Adds a reference to a label.
    fn to(label: *mut u32) -> u64 {
        // SAFETY: a label of the emulator; bits 31:16 count its references.
        unsafe { *label += 1 << 16 };
        label as u64
    }

    fn begin(&self, start: *mut Op, block: &'static Block, values: &Values) -> bool {
        let codes = &self.codes;
        // SAFETY: operations of the callback, up to its end.
        let (processor, last) = unsafe {
            let (mut op, mut processor) = (start, None);
            loop {
                op = (*op).next;
                if op.is_null() {
                    return false;
                }
                match (*op).head & 0xff {
                    code if code == codes.load_32 => processor = Some([(*op).args[1], (*op).args[2]]),
                    code if code == codes.callback_end => break,
                    _ => {}
                }
            }
            (processor, op)
        };
        // SAFETY: the block has instructions after its callback.
        let behind = unsafe { (*last).next };
        let Some([environment, place]) = processor else { return false };
        if behind.is_null() {
            return false;
        }
        let (slow, done) = ((self.label)(), (self.label)());
        let Values { context, written, a, b, small, other } = *values;
        let reported = self.number(I64, std::ptr::from_ref(block) as i64);
        let put = |code, args: &[u64]| self.before(context, start, code, args);
        put(codes.load_32, &[small, environment, place]);
        put(codes.load_32, &[other, written, offset_of!(Written, gate) as u64]);
        put(codes.branch_32, &[small, other, NOT_EQUAL, Self::to(slow)]);
        put(codes.load[3], &[a, written, offset_of!(Written, left) as u64]);
        put(codes.load[3], &[b, reported, offset_of!(Block, cost) as u64]);
        put(codes.branch_64, &[a, b, LESS, Self::to(slow)]);
        put(codes.load[3], &[a, written, offset_of!(Written, left) as u64]);
        put(codes.add, &[a, a, self.number(I64, -i64::from(block.instructions))]);
        put(codes.store_64, &[a, written, offset_of!(Written, left) as u64]);
        put(codes.load[3], &[a, written, offset_of!(Written, cursor) as u64]);
        put(codes.store_32, &[self.number(I32, i64::from(block.number as i32)), a, 0]);
        put(codes.add, &[a, a, self.number(I64, 4)]);
        put(codes.store_64, &[a, written, offset_of!(Written, cursor) as u64]);
        put(codes.jump, &[Self::to(done)]);
        put(codes.label, &[slow as u64]);
        self.before(context, behind, codes.label, &[done as u64]);
        true
    }

    fn access(&self, access: &Access, what: usize, values: &Values) {
        let codes = &self.codes;
        let Values { context, written, a, b, .. } = *values;
        let shift = access.info >> 4 & 7;
        let head = escape(ACCESS, what as u32 | ((access.info >> 16 & 3) * LOADS) | (shift << SIZE_SHIFT));
        // SAFETY: a variable of the emulator that is set before it translates.
        let base = if self.base.is_null() { 0 } else { unsafe { *self.base } };
        let put = |code, args: &[u64]| self.before(context, access.call, code, args);
        // the base is an offset if it fits, otherwise it is added
        if let Ok(base) = i32::try_from(base) {
            put(codes.load[shift as usize], &[b, access.address, base as u64]);
        } else {
            put(codes.add, &[b, access.address, self.number(I64, base as i64)]);
            put(codes.load[shift as usize], &[b, b, 0]);
        }
        put(codes.load[3], &[a, written, offset_of!(Written, cursor) as u64]);
        put(codes.store_32, &[self.number(I32, i64::from(head as i32)), a, 0]);
        put(codes.store_64, &[access.address, a, 4]);
        put(codes.store_64, &[b, a, 12]);
        put(codes.add, &[a, a, self.number(I64, 20)]);
        put(codes.store_64, &[a, written, offset_of!(Written, cursor) as u64]);
        for op in [access.first, access.call, access.last] {
            (self.remove)(context, op);
        }
    }
}

/// Temporaries that nothing else in the block uses.
#[derive(Clone, Copy)]
struct Values {
    context: *mut c_void,
    written: u64,
    a: u64,
    b: u64,
    small: u64,
    other: u64,
}

impl Values {
    fn new(ops: &Ops, context: *mut c_void) -> Self {
        let newest = (ops.constant)(I64, NEW);
        // a freed temporary may still be in use at the access: so take one that was never used
        let new = |kind| loop {
            let temp = (ops.temp)(kind, false);
            if temp > newest {
                break temp as u64;
            }
        };
        let written = ops.number(I64, ops.written as i64);
        Self { context, written, a: new(I64), b: new(I64), small: new(I32), other: new(I32) }
    }
}

const _: () = assert!(offset_of!(Op, next) == 8 && offset_of!(Op, args) == 24 && offset_of!(Temp, value) == 8);
