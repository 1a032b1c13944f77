//! The plugin that QEMU loads: reports to the front end which blocks the threads of a guest begin, and what they load and store
//!
//! A plugin for QEMU 7.2, in user mode and for whole machines of RISC-V, x86-64 and AArch64, and (feature `api4`) for whole
//! machines of RISC-V under QEMU 10.0. It keeps no policy: a callback a block writes the block's number into a ring in
//! shared memory (`layout.rs`), one a memory access its address and value, one a system call what it does to the
//! thread; and `turns.rs` says which thread runs. What the numbers mean for the control flow is the front end's work.
//!
//! | module | what it is |
//! | --- | --- |
//! | here | what QEMU calls for each block and access, and first of all |
//! | `blocks` | translated blocks, each reported once |
//! | `calls` | calls of the system |
//! | `thread`, `turns`, `arrivals`, `place` | threads; whose turn it is; who is awaited; on which processor they run |
//! | `follow` | children, and programs that replace others |
//! | `ring`, `layout` | the ring and its contents |
//! | `ops` | code of QEMU's that writes there without a call |
//! | `guest`, `state`, `traps`, `values`, `hooked` | what differs from machine to machine |
//! | `spaces` | numbers of address spaces |
//! | `qemu` | QEMU's interface, and Linux's |
//!
//! It is compiled by the front end's build script with nothing but the standard library, and is carried in the
//! command, so that there is nothing to install.
// A plugin is foreign functions and memory of others throughout; each block says why it holds.
#![allow(unsafe_code, missing_docs, clippy::missing_docs_in_private_items)]

mod arrivals;
mod blocks;
mod calls;
mod follow;
mod guest;
#[cfg(not(feature = "api4"))]
mod hooked;
mod layout;
#[cfg(feature = "api4")]
mod named4;
#[cfg(not(feature = "api4"))]
mod ops;
mod place;
mod qemu;
mod ring;
mod spaces;
mod state;
mod thread;
#[cfg_attr(feature = "api4", path = "traps4.rs")]
mod traps;
mod turns;
#[cfg_attr(feature = "api4", path = "values4.rs")]
mod values;

use arrivals::Arrivals;
use blocks::{on_translate, Block, Blocks, CHANGES, HANDLER, NEVER, OUTSIDE, START, STOP};
use calls::{on_return, on_syscall};
use guest::{Guest, Interrupted};
use layout::*;
use place::Processors;
use qemu::*;
use ring::Ring;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use thread::{known_thread, on_thread, on_thread_end, thread, Thread};
use turns::{Progress, Turns};

/// The newest version of the interface that this plugin knows; QEMU looks for the name.
#[no_mangle]
pub static qemu_plugin_version: c_int = if cfg!(feature = "api4") { 4 } else { 1 };

/// Nothing more is reported: at the end, and in a child after a fork.
static OFF: AtomicBool = AtomicBool::new(false);
/// A whole machine, not a program.
static SYSTEM: AtomicBool = AtomicBool::new(false);
/// Set before any callback is registered, and leaked.
static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());
static TURNS: Turns = Turns::new();
static ARRIVALS: Arrivals = Arrivals::new();
// `on_access` takes both bits as QEMU has them.
const _: () = assert!(STORES == 2 * LOADS);
/// The lock of queued words.
type PendingGuard = MutexGuard<'static, Vec<(Option<u32>, Vec<u32>)>>;

struct State {
    ring: Ring,
    guest: Guest,
    flags: u32,
    quantum: u64,
    processors: Processors,
    blocks: Mutex<Blocks>,
    /// Addresses that are traced; nothing in it: all.
    traced: OnceLock<Vec<(u64, u64)>>,
    /// Processes are followed.
    registry: Option<&'static Registry>,
    #[cfg(not(feature = "api4"))]
    ops: Option<ops::Ops>,
}

#[inline(always)]
fn state() -> &'static State {
    // SAFETY: callbacks, which alone call this, are registered when it is set; it is never freed.
    unsafe { &*STATE.load(Relaxed) }
}

/// Ends all: nothing more is reported, and nobody waits for a turn.
fn off() {
    if !OFF.swap(true, SeqCst) {
        state().ring.end();
    }
    TURNS.end();
}

extern "C" fn on_block(vcpu: c_uint, data: *mut c_void) {
    // SAFETY: a leaked block, see `on_translate`.
    let block: &Block = unsafe { &*data.cast_const().cast() };
    let cost = block.cost.load(Relaxed);
    if cost != NEVER {
        if let Some(me) = known_thread(vcpu) {
            if state().ring.begin_unlocked(&me.writer, block.number, cost) {
                return;
            }
        }
    }
    begin(vcpu, block);
}

/// A block begins where the gate is not open: another thread's turn, the turn's end, a block that is not plain.
#[cold]
#[inline(never)]
fn begin(vcpu: c_uint, block: &'static Block) {
    if OFF.load(Relaxed) {
        // its accesses go where nobody reads
        state().ring.rest();
        return;
    }
    let (state, me) = (state(), thread(vcpu));
    state.announce(block);
    let serial = state.flags & FREE == 0;
    if serial {
        if let Some(come) = me.awaited_arrivals.take() {
            ARRIVALS.wait(come);
        }
        if !TURNS.is_of(me.id()) {
            me.take();
        }
    }
    if me.changed.get() {
        state.find_handlers(me);
    }
    let flags = block.flags.load(Relaxed);
    if flags & HANDLER != 0 && (flags & OUTSIDE == 0 || !me.outside.get()) {
        state.signal(vcpu, me);
    }
    if flags & START != 0 {
        state.ring.control().start.store(1, Relaxed);
    }
    if flags & STOP != 0 && state.ring.has_begun() {
        // so that the block before retires
        state.ring.report(&me.writer, &[escape(AHEAD, 0), block.number]);
        state.ring.control().stopped_at.store(1, Relaxed);
        off();
        return;
    }
    let wanted = serial && TURNS.wanted();
    if wanted {
        state.ring.taken();
    }
    if serial && (wanted || state.ring.executed() + u64::from(block.instructions) > me.end.get()) {
        if TURNS.waited_for() {
            if !me.outside.get() {
                state.ring.report(&me.writer, &[escape(AHEAD, 0), block.number]);
            }
            state.ring.control().switches.fetch_add(1, Relaxed);
            state.ring.close(&me.writer);
            me.bind();
            TURNS.hand_over(me.runner(), &state.ring);
        }
        me.renew(state.ring.executed() + u64::from(block.instructions));
    }
    let wanted = if flags & OUTSIDE == 0 {
        me.outside.set(false);
        // then the next block may not begin without the lock
        let changes = flags & CHANGES != 0;
        let open = (serial && !changes).then(|| me.end.get());
        let begun = state.ring.begin(&me.writer, block.number, block.instructions, open);
        if serial {
            block.set_reported();
        }
        if flags & HANDLER != 0 || me.changed.get() {
            me.changed.set(!state.context(vcpu, me));
        }
        if changes {
            me.changed.set(true);
        }
        begun
    } else {
        // they count for the turn, and for nothing else
        me.end.set(me.end.get().saturating_sub(block.instructions.into()));
        if !me.outside.replace(true) {
            state.ring.report(&me.writer, &[escape(LEAVE, 0), block.number])
        } else {
            !state.ring.stopped()
        }
    };
    if !wanted {
        off();
    }
}

extern "C" fn on_access(vcpu: c_uint, info: u32, address: u64, place: *mut c_void) {
    // bits 6:4: log2 of the size, as `known_layout` has found
    let shift = info >> 4 & 7;
    if let Some(value) = values::quick(&state().guest, info, shift, address, place) {
        if let Some(me) = known_thread(vcpu) {
            if state().ring.access_unlocked(&me.writer, what(info, place) | shift << SIZE_SHIFT, address, value) {
                return;
            }
        }
    }
    access(vcpu, info, address, place);
}

/// Place and kind of an access.
#[inline(always)]
fn what(info: u32, place: *mut c_void) -> u32 {
    // bits 17:16 in 7.2: 1 read, 2 write, 3 both
    ((place as usize as u32) & ((1 << PLACE_BITS) - 1)) | ((info >> 16 & 3) * LOADS)
}

/// A load or a store where the gate is not open, or of more than 8 bytes.
#[cold]
#[inline(never)]
fn access(vcpu: c_uint, info: u32, address: u64, place: *mut c_void) {
    if OFF.load(Relaxed) {
        return;
    }
    let (state, me) = (state(), thread(vcpu));
    let shift = (info >> 4 & 7).min(5);
    let size = 1usize << shift;
    for part in (0..size).step_by(8) {
        let at = address.wrapping_add(part as u64);
        let value = values::slow(&state.guest, info, address, part, size.min(8), place);
        let head = escape(ACCESS, what(info, place) | shift.min(3) << SIZE_SHIFT);
        state.ring.report(&me.writer, &[head, at as u32, (at >> 32) as u32, value as u32, (value >> 32) as u32]);
    }
}

impl State {
    /// Finds the handlers of a machine's traps, if they have changed.
    #[cold]
    fn find_handlers(&self, me: &Thread) {
        if let Some(vectors) = self.guest.vectors().filter(|now| me.vectors.replace(*now) != *now) {
            vectors.into_iter().flat_map(guest::starts).for_each(|start| self.handler(start));
        }
    }

    /// Reports the context of the block that a processor has begun, if it is wanted and has changed. False: the trace has not
    /// begun.
    #[cold]
    fn context(&self, vcpu: c_uint, me: &Thread) -> bool {
        if self.flags & CONTEXTS == 0 {
            return true;
        }
        if !self.ring.has_begun() {
            return false;
        }
        let context = self.guest.context(vcpu, &me.space);
        if let Some(context) = context.filter(|_| me.context.replace(context) != context) {
            self.ring.report(&me.writer, &[escape(CONTEXT, 0), context]);
        }
        true
    }

    /// A function that handles signals begins.
    #[cold]
    fn signal(&self, vcpu: c_uint, me: &Thread) {
        let Some(last) = self.guest.signal(vcpu) else { return };
        let mut reported = me.reported.borrow_mut();
        if let Some(at) = reported.iter().position(|context| *context == last.context) {
            // this handler was interrupted before its first instruction, and begins now
            reported.swap_remove(at);
            return;
        }
        let mut chain = vec![last];
        while chain.len() < 64 && self.begins_handler(chain[chain.len() - 1].pc) {
            let Some(before) = self.guest.before(vcpu, &chain[chain.len() - 1]) else { break };
            if reported.contains(&before.context) {
                break;
            }
            reported.push(before.context);
            chain.push(before);
        }
        for Interrupted { signal, caused, pc, .. } in chain.iter().rev() {
            let argument = signal | if *caused { CAUSED } else { 0 };
            self.ring.report(&me.writer, &[escape(SIGNAL, argument), *pc as u32, (*pc >> 32) as u32]);
        }
    }

    fn begins_handler(&self, pc: u64) -> bool {
        // of a whole machine the registers say it, also of a handler that never began yet
        self.guest.handles(pc) || self.blocks.lock().unwrap_or_else(PoisonError::into_inner).handlers.contains(&pc)
    }
}

/// The processor of a whole machine waits for an interrupt.
extern "C" fn on_idle(_: Id, vcpu: c_uint) {
    if !OFF.load(Relaxed) {
        #[cfg(not(feature = "api4"))]
        if let Some(hooked) = state().guest.hooked() {
            hooked.waits(vcpu, thread(vcpu));
        }
        thread(vcpu).give();
    }
}

extern "C" fn on_exit(_: Id, _: *mut c_void) {
    off();
}

/// Locks that a child needs, while a thread forks.
struct ForkLocks(#[allow(dead_code)] (MutexGuard<'static, Blocks>, PendingGuard, MutexGuard<'static, turns::Queue>));

/// The locks of the thread that forks; others wait for them.
static mut FORK_LOCKS: Option<ForkLocks> = None;

extern "C" fn before_fork() {
    let state = state();
    let pending = state.ring.lock_for_fork();
    let blocks = state.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: only the thread that has the locks uses it.
    unsafe { FORK_LOCKS = Some(ForkLocks((blocks, pending, TURNS.lock()))) };
}

extern "C" fn after_fork() {
    // SAFETY: as above.
    drop(unsafe {
        let locks = &raw mut FORK_LOCKS;
        (*locks).take()
    });
    state().ring.unlock_after_fork();
}

/// A child has the ring, too, and must not write to it: it gets another, or reports nothing.
extern "C" fn on_fork() {
    after_fork();
    let state = state();
    state.processors.restart();
    if OFF.load(Relaxed) || !follow::attach() {
        OFF.store(true, Relaxed);
        state.ring.part();
    }
}

/// A number given as `name=number`.
///
/// # Safety
/// `argv` holds `argc` strings.
unsafe fn argument(argc: c_int, argv: *const *const c_char, name: &str) -> Option<c_int> {
    (0..argc as usize).find_map(|i| {
        let text = CStr::from_ptr(*argv.add(i)).to_str().ok()?;
        text.strip_prefix(name)?.strip_prefix('=')?.parse().ok()
    })
}

/// Whether QEMU's description of an access has the size where `on_access` looks.
fn known_layout() -> bool {
    // SAFETY: a function of a number.
    (0..=5).all(|shift| unsafe { qemu_plugin_mem_size_shift(shift << 4) } == shift)
}

/// What QEMU calls first.
///
/// # Safety
/// Only QEMU calls it, with what its interface says.
#[no_mangle]
pub unsafe extern "C" fn qemu_plugin_install(
    id: Id,
    info: *const Info,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let Some(memory) = argument(argc, argv, "memory") else { return -1 };
    // a followed process opens the file itself; the first one inherits it, and the plugin
    let (file, plugin) = match argument(argc, argv, "owner") {
        Some(owner) => match follow::open(owner as u32, memory as u32) {
            Some(file) => (file.into_raw_fd(), None),
            None => return -1,
        },
        None => (memory, argument(argc, argv, "plugin")),
    };
    let name = CStr::from_ptr((*info).target_name).to_str().unwrap_or_default();
    let (Some(ring), Some(guest)) = (Ring::map(file), Guest::of(name, (*info).system_emulation)) else {
        return -1;
    };
    if !known_layout() {
        return -1;
    }
    // the guest must not see more open files than it would have
    close(file);
    if let Some(plugin) = plugin {
        close(plugin);
    }
    let control = ring.control();
    let state = if guest.shows_registers() { READY } else { NO_REGISTERS };
    ring.set_state(state);
    let registry = follow::registry(control);
    if let Some(slot) = registry.and_then(|r| r.slots.get(control.slot as usize)) {
        slot.state.store(RUNNING, Release);
    }
    let (flags, quantum) = (control.flags, u64::from(control.quantum.max(1)));
    let processors = Processors::of_this();
    let (blocks, traced) = (Mutex::default(), OnceLock::new());
    #[cfg(not(feature = "api4"))]
    let ops = if flags & FREE == 0 && ring.is_biased() { ops::Ops::find(&control.written) } else { None };
    let state = State {
        ring,
        guest,
        flags,
        quantum,
        processors,
        blocks,
        traced,
        registry,
        #[cfg(not(feature = "api4"))]
        ops,
    };
    let state = Box::new(state);
    STATE.store(Box::into_raw(state), Release);
    pthread_atfork(Some(before_fork), Some(after_fork), Some(on_fork));
    qemu_plugin_register_vcpu_init_cb(id, on_thread);
    if (*info).system_emulation {
        SYSTEM.store(true, Relaxed);
        qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    } else {
        qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
        qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
        if flags & FREE == 0 {
            qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit, std::ptr::null_mut());
    0
}
