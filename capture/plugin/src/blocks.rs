//! Blocks: split where traced code begins and ends, reported once each, and recognised when translated again

use crate::layout::*;
use crate::qemu::*;
use crate::state::State as Begins;
use crate::{on_access, on_block, state, values, State, OFF};
use std::collections::{HashMap, HashSet};
use std::ffi::{c_void, CStr};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::*};
use std::sync::PoisonError;

/// Flag: a signal handler may begin here.
pub const HANDLER: u32 = 1;
/// Flag: outside the traced image or routines.
pub const OUTSIDE: u32 = 2;
/// Flag: it contains an instruction that can change the context of a machine's processor, or where its traps lead.
pub const CHANGES: u32 = 4;
/// Flag: the trace starts here.
pub const START: u32 = 8;
/// Flag: the trace ends here.
pub const STOP: u32 = 16;

/// Whether an instruction may change what [`CHANGES`] says.
fn changes(code: &[u8], begins: Begins, contexts: bool) -> bool {
    let guest = &state().guest;
    #[cfg(not(feature = "api4"))]
    if let Some(hooked) = guest.hooked() {
        return contexts && hooked.changes(code, begins);
    }
    let _ = begins;
    guest.is_machine() && riscv_changes(code, contexts)
}

/// RISC-V: whether an instruction may write `stvec` or `mtvec` or, if `contexts` are wanted, writes `satp` or returns from a
/// trap.
fn riscv_changes(code: &[u8], contexts: bool) -> bool {
    let &[a, b, c, d] = code else { return false };
    let insn = u32::from_le_bytes([a, b, c, d]);
    let (opcode, funct3, source, csr) = (insn & 0x7f, insn >> 12 & 7, insn >> 15 & 31, insn >> 20);
    match (opcode, funct3) {
        // mret, sret
        (0x73, 0) => contexts && matches!(csr, 0x302 | 0x102),
        // csrrs and csrrc with x0 or 0 only read
        (0x73, 2 | 3 | 6 | 7) if source == 0 => false,
        (0x73, 4) => false,
        (0x73, _) => matches!(csr, 0x105 | 0x305) || contexts && csr == 0x180,
        _ => false,
    }
}

/// A translated block. Never freed: QEMU keeps pointers to it.
#[repr(C)]
pub struct Block {
    /// Instructions that must be left to begin it without the lock; [`NEVER`] if it must not be.
    pub cost: AtomicI64,
    pub number: u32,
    pub instructions: u32,
    pub start: u64,
    pub flags: AtomicU32,
    /// The front end knows it.
    pub announced: AtomicBool,
    /// Its entry, for children; empty if processes are not followed.
    pub entry: Box<[u32]>,
}

/// More than any number of instructions left.
pub const NEVER: i64 = i64::MAX;

impl Block {
    /// The block has been reported: from now on it may be begun without the lock, if it has no flags.
    pub fn set_reported(&self) {
        if self.flags.load(SeqCst) == 0 {
            self.cost.store(self.instructions.into(), SeqCst);
            // it may have become a handler in the meantime
            if self.flags.load(SeqCst) != 0 {
                self.cost.store(NEVER, SeqCst);
            }
        }
    }
}

#[derive(Default)]
pub struct Blocks {
    /// Blocks by start, state, and sizes and code: QEMU translates the same block again after it has dropped its
    /// translations.
    pub known: HashMap<(u64, u32, Vec<u8>), &'static Block>,
    pub at: HashMap<u64, Vec<&'static Block>>,
    pub handlers: HashSet<u64>,
}

/// Ends the emulator, with a message.
fn give_up(why: &str) -> ! {
    eprintln!("goshawk: {why}");
    std::process::exit(1);
}

pub extern "C" fn on_translate(_: Id, tb: *mut Tb) {
    let state = state();
    if OFF.load(Relaxed) {
        return;
    }
    #[cfg(not(feature = "api4"))]
    if state.guest.hooked().is_some_and(|hooked| !hooked.install()) {
        give_up("this emulator is not QEMU 7.2 as Debian builds it; interrupts would not be seen");
    }
    let Some(mut begins) = state.guest.state() else {
        give_up("the machine executes code of 32 bits (AArch32), which is not captured");
    };
    state.ring.control().begun.store(1, Relaxed);
    let data = state.flags & WANT_DATA != 0;
    // SAFETY: QEMU's objects, valid during this call.
    let (start, insns) = unsafe {
        let insns = (0..qemu_plugin_tb_n_insns(tb)).map(|i| qemu_plugin_tb_get_insn(tb, i));
        (qemu_plugin_tb_vaddr(tb), insns.collect::<Vec<_>>())
    };
    // SAFETY: as above.
    let codes: Vec<Vec<u8>> = insns.iter().map(|i| unsafe { code(*i) }).collect();
    let codes: Vec<&[u8]> = codes.iter().map(|code| begins.only(code)).collect();
    let (mut first, mut at) = (0, start);
    let (mut begins_here, mut accesses) = (None, vec![None; insns.len()]);
    // traced code that begins or ends inside a block of QEMU's has a block of its own
    while first < insns.len() {
        let outside = state.is_outside(at);
        let (mut end, mut next) = (first, at);
        // a block begins where the trace starts or ends
        while end < insns.len() && state.is_outside(next) == outside && (end == first || state.border(next) == 0) {
            next = next.wrapping_add(codes[end].len() as u64);
            end += 1;
        }
        let (codes, insns) = (&codes[first..end], &insns[first..end]);
        let sizes = codes.iter().map(|c| c.len() as u8);
        let bytes: Vec<u8> = sizes.chain(codes.concat()).collect();
        let changes = codes.iter().any(|code| changes(code, begins, state.flags & CONTEXTS != 0));
        let block = state.block(at, begins, bytes, insns, (outside, changes));
        begins = codes.iter().fold(begins, |s, code| s.after(code));
        let reported = std::ptr::from_ref(block).cast_mut().cast();
        // SAFETY: QEMU's objects; the block and the number live as long as the process.
        unsafe {
            if first == 0 {
                qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, READS_REGS, reported);
            } else {
                qemu_plugin_register_vcpu_insn_exec_cb(insns[0], on_block, READS_REGS, reported);
            }
            if first == 0 && !outside {
                begins_here = Some(block);
            }
            if data && !outside {
                for (place, insn) in insns.iter().enumerate() {
                    accesses[first + place] = Some(place);
                    let place = place | values::mark(codes[place]);
                    qemu_plugin_register_vcpu_mem_cb(*insn, on_access, NO_REGS, MEM_RW, place as *mut c_void);
                }
            }
        }
        (first, at) = (end, next);
    }
    #[cfg(not(feature = "api4"))]
    if let Some(ops) = &state.ops {
        // space is reserved for so many
        let most = insns.len() * (crate::ring::MAX_WORDS[1] as usize - 1) / 5;
        ops.put(begins_here, &accesses, most);
    }
    #[cfg(feature = "api4")]
    let _ = (begins_here, accesses);
}

impl State {
    /// Whether the trace starts or ends at `pc`: [`START`], [`STOP`].
    fn border(&self, pc: u64) -> u32 {
        let control = self.ring.control();
        if control.start_at == 0 && control.stop_at == 0 {
            return 0;
        }
        // an image can be loaded at any address, but only as a whole
        // SAFETY: a simple query; the image is loaded before the first block.
        let moved = unsafe { qemu_plugin_start_code() }.wrapping_sub(control.code);
        let is_at = |at: u64| at != 0 && pc == at.wrapping_add(moved);
        let flag = |on, flag| if on { flag } else { 0 };
        flag(is_at(control.start_at), START) | flag(is_at(control.stop_at), STOP)
    }

    /// Whether the instruction at `pc` is not traced.
    fn is_outside(&self, pc: u64) -> bool {
        let control = self.ring.control();
        let ranges = &control.ranges[..(control.range_count as usize).min(MAX_RANGES)];
        let traced = self.traced.get_or_init(|| {
            if ranges.is_empty() && self.flags & OWN_IMAGE == 0 {
                return Vec::new();
            }
            // SAFETY: simple queries; the image is loaded before the first block.
            let (start, end) = unsafe { (qemu_plugin_start_code(), qemu_plugin_end_code()) };
            if ranges.is_empty() {
                return vec![(start, end)];
            }
            // an image can be loaded at any address, but only as a whole
            let moved = start.wrapping_sub(control.code);
            ranges.iter().map(|[from, to]| (from.wrapping_add(moved), to.wrapping_add(moved))).collect()
        });
        !traced.is_empty() && !traced.iter().any(|(from, to)| (*from..*to).contains(&pc))
    }

    /// The block of these instructions: a known one, or a new one that is reported. `bytes`: sizes, then code;
    /// `changes`: see [`CHANGES`].
    fn block(
        &self,
        start: u64,
        state: Begins,
        bytes: Vec<u8>,
        insns: &[*mut Insn],
        (outside, changes): (bool, bool),
    ) -> &'static Block {
        let instructions = insns.len();
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (start, state.reported(), bytes);
        if let Some(block) = blocks.known.get(&key) {
            return block;
        }
        let bytes = &key.2;
        let number = blocks.known.len() as u32;
        let handles = blocks.handlers.contains(&start) || self.guest.handles(start);
        let mut flags = if handles { HANDLER } else { 0 };
        if outside {
            flags |= OUTSIDE;
        }
        if changes {
            flags |= CHANGES;
        }
        flags |= self.border(start);
        let mut text = Vec::new();
        if self.flags & WANT_TEXT != 0 {
            for insn in insns {
                // SAFETY: QEMU returns a string that we must free.
                unsafe {
                    let line = qemu_plugin_insn_disas(*insn);
                    text.extend_from_slice(CStr::from_ptr(line).to_bytes());
                    free(line.cast());
                }
                text.push(b'\n');
            }
        }
        let code = bytes.len() - instructions;
        let counted = instructions as u32 | (state.reported() * (INSTRUCTIONS + 1));
        let mut words = vec![number, start as u32, (start >> 32) as u32, counted, code as u32, text.len() as u32];
        for part in [bytes, &text] {
            let padded = part.chunks(4).map(|c| {
                let mut word = [0; 4];
                word[..c.len()].copy_from_slice(c);
                u32::from_le_bytes(word)
            });
            words.extend(padded);
        }
        words.insert(0, escape(BLOCK, words.len() as u32));
        let entry = if self.registry.is_some() { words.clone().into() } else { Box::default() };
        self.ring.report_later(None, words);
        let (cost, flags, announced) = (AtomicI64::new(NEVER), AtomicU32::new(flags), AtomicBool::new(true));
        let block = Block { cost, number, instructions: instructions as u32, start, flags, announced, entry };
        let block: &'static Block = Box::leak(Box::new(block));
        blocks.known.insert(key, block);
        blocks.at.entry(start).or_default().push(block);
        block
    }

    /// In a child after a fork: its front end knows no block.
    pub fn forget_reported(&self) {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        for block in blocks.known.values() {
            block.announced.store(false, Relaxed);
            block.cost.store(NEVER, Relaxed);
        }
    }

    /// Reports a block that the parent has translated.
    pub fn announce(&self, block: &Block) {
        if !block.announced.load(Relaxed) && !block.announced.swap(true, Relaxed) {
            self.ring.report_later(None, block.entry.to_vec());
        }
    }

    /// Marks a function of the guest as a signal handler.
    pub fn handler(&self, start: u64) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.handlers.insert(start);
        for block in blocks.at.get(&start).into_iter().flatten() {
            debug_assert_eq!(block.start, start);
            block.flags.fetch_or(HANDLER, SeqCst);
            block.cost.store(NEVER, SeqCst);
        }
    }
}
