//! What QEMU loads: tells the front end which blocks the threads of a guest begin, and what they load and store
//!
//! A plugin for QEMU 7.2, in user mode and for whole machines of RISC-V, and (feature `api4`) for whole machines under
//! QEMU 10.0. It keeps no policy: a callback a block writes the block's number into a ring in
//! shared memory (`layout.rs`), one a memory access its address and value, one a system call what it does to the
//! thread; and `turns.rs` says which thread runs. What the numbers mean for the control flow is the front end's work.
//!
//! It is compiled by the front end's build script with nothing but the standard library, and is carried in the
//! command, so that there is nothing to install.
// A plugin is foreign functions and memory of others throughout; each block says why it holds.
#![allow(unsafe_code, missing_docs, clippy::missing_docs_in_private_items)]

mod guest;
mod layout;
#[cfg(feature = "api4")]
mod named4;
mod place;
mod qemu;
mod ring;
mod state;
#[cfg_attr(feature = "api4", path = "traps4.rs")]
mod traps;
mod turns;
#[cfg_attr(feature = "api4", path = "values4.rs")]
mod values;
mod woken;

use guest::{Call, Guest, Interrupted};
use layout::*;
use place::{Place, Processors};
use qemu::*;
use ring::{Ring, Writer};
use state::State as Begins;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};
use std::sync::{Mutex, OnceLock, PoisonError};
use turns::Turns;
use woken::Woken;

/// The newest version of the interface that this plugin knows; QEMU looks for the name.
#[no_mangle]
pub static qemu_plugin_version: c_int = if cfg!(feature = "api4") { 4 } else { 1 };

/// Nothing more is told: at the end, and in a child after a fork.
static OFF: AtomicBool = AtomicBool::new(false);
/// A whole machine, not a program.
static SYSTEM: AtomicBool = AtomicBool::new(false);
/// Set before any callback is registered, and leaked.
static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());
static TURNS: Turns = Turns::new();
static WOKEN: Woken = Woken::new();
/// Thread by QEMU's index of it, which is used again when a thread has ended. Only the thread itself looks here, between
/// its beginning and its end.
static THREADS: [AtomicPtr<Thread>; MOST_THREADS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST_THREADS];
static NEXT_THREAD: AtomicU32 = AtomicU32::new(0);
/// Threads that live now.
static ALIVE: AtomicU32 = AtomicU32::new(0);

/// Threads at one time.
const MOST_THREADS: usize = 4096;

// `on_access` takes both bits as QEMU has them.
const _: () = assert!(STORES == 2 * LOADS);

/// A handler of signals may begin here.
const HANDLER: u32 = 1;
/// Not of the image or the routines that are traced.
const OUTSIDE: u32 = 2;
/// Its context is looked at.
const LOOKED: u32 = 4;

struct State {
    ring: Ring,
    guest: Guest,
    flags: u32,
    quantum: u64,
    processors: Processors,
    blocks: Mutex<Blocks>,
    /// Addresses that are traced; nothing in it: all.
    traced: OnceLock<Vec<(u64, u64)>>,
}

#[inline(always)]
fn state() -> &'static State {
    // SAFETY: callbacks, which alone call this, are registered when it is set; it is never freed.
    unsafe { &*STATE.load(Relaxed) }
}

/// A translated block, for good: QEMU keeps pointers to it.
struct Block {
    number: u32,
    instructions: u32,
    start: u64,
    flags: AtomicU32,
}

#[derive(Default)]
struct Blocks {
    /// By start, state, sizes and code: QEMU translates the same again after it has dropped its translations.
    known: HashMap<(u64, u32, Vec<u8>), &'static Block>,
    at: HashMap<u64, Vec<&'static Block>>,
    handlers: HashSet<u64>,
}

/// A thread of the guest, which is a thread of the host.
struct Thread {
    writer: Writer,
    /// Instructions of all threads at which its turn is over.
    end: Cell<u64>,
    random: Cell<u64>,
    outside: Cell<bool>,
    /// What it was in last, as told.
    context: Cell<Option<u32>>,
    place: Cell<Place>,
    /// What it has called the system for, and who had come then.
    called: Cell<Option<(Call, u32)>>,
    /// It is one of the woken, and has not waited for its turn yet.
    comes: Cell<bool>,
    /// Who must have come before it goes on.
    awaits: Cell<Option<u32>>,
    /// Frames of handlers that were interrupted before they began, and are told.
    told: RefCell<Vec<u64>>,
}

#[inline(always)]
fn known_thread(vcpu: c_uint) -> Option<&'static Thread> {
    // SAFETY: null, or leaked by `on_thread`.
    unsafe { THREADS[vcpu as usize % MOST_THREADS].load(Relaxed).as_ref() }
}

fn thread(vcpu: c_uint) -> &'static Thread {
    known_thread(vcpu).unwrap_or_else(|| new_thread(vcpu))
}

#[cold]
fn new_thread(vcpu: c_uint) -> &'static Thread {
    on_thread(0, vcpu);
    // SAFETY: leaked by `on_thread`.
    unsafe { &*THREADS[vcpu as usize % MOST_THREADS].load(Relaxed) }
}

impl Thread {
    fn new(id: u32) -> Self {
        let seed = state().ring.control().seed;
        let random = (seed ^ (u64::from(id) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self {
            writer: Writer::new(id),
            end: Cell::new(0),
            random: Cell::new(random),
            outside: Cell::new(false),
            context: Cell::new(None),
            place: Cell::default(),
            called: Cell::new(None),
            comes: Cell::new(true),
            awaits: Cell::new(None),
            told: RefCell::default(),
        }
    }

    fn id(&self) -> u32 {
        self.writer.id
    }

    /// A new turn, which begins when `executed` instructions were; with jitter of 1/2 to 3/2 of the quantum.
    fn renew(&self, executed: u64) {
        let State { quantum, flags, .. } = *state();
        let length = if flags & JITTER != 0 {
            // xorshift64
            let mut x = self.random.get();
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            self.random.set(x);
            quantum / 2 + x % (quantum + 1)
        } else {
            quantum
        };
        self.end.set(executed + length.max(1));
    }

    /// Waits for a turn.
    fn take(&self) {
        let ring = &state().ring;
        if ALIVE.load(Relaxed) > 1 {
            self.bind();
        }
        let comes = self.comes.take();
        TURNS.take(self.id(), ring, || {
            if comes {
                WOKEN.one();
            }
        });
        self.renew(ring.executed());
    }

    /// Runs where the others run.
    fn bind(&self) {
        if self.place.get() == Place::Free {
            self.place.set(state().processors.bind(Place::Free));
        }
    }

    /// Runs where it would.
    fn release(&self) {
        self.place.set(state().processors.release(self.place.get()));
    }

    /// Ends the turn, if it is this thread's.
    fn give(&self) {
        state().ring.close(&self.writer);
        TURNS.give(self.id());
    }
}

fn off() {
    OFF.store(true, Relaxed);
    TURNS.end();
}

extern "C" fn on_block(vcpu: c_uint, data: *mut c_void) {
    // SAFETY: a leaked block, see `on_translate`.
    let block: &Block = unsafe { &*data.cast_const().cast() };
    if block.flags.load(Relaxed) == 0 {
        if let Some(me) = known_thread(vcpu) {
            if state().ring.begin_behind_gate(&me.writer, block.number, block.instructions) {
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
        return;
    }
    let (state, me) = (state(), thread(vcpu));
    let serial = state.flags & FREE == 0;
    if serial {
        if let Some(come) = me.awaits.take() {
            WOKEN.wait(come);
        }
        if !TURNS.is_of(me.id()) {
            me.take();
        }
    }
    let flags = block.flags.load(Relaxed);
    if flags & HANDLER != 0 && (flags & OUTSIDE == 0 || !me.outside.get()) {
        state.signal(vcpu, me);
    }
    if serial && state.ring.executed() + u64::from(block.instructions) > me.end.get() {
        if TURNS.waited_for() {
            if !me.outside.get() {
                state.ring.tell(&me.writer, &[escape(AHEAD, 0), block.number]);
            }
            state.ring.control().switches.fetch_add(1, Relaxed);
            state.ring.close(&me.writer);
            me.bind();
            TURNS.hand_over(me.id(), &state.ring);
        }
        me.renew(state.ring.executed() + u64::from(block.instructions));
    }
    let wanted = if flags & OUTSIDE == 0 {
        me.outside.set(false);
        let open = serial.then(|| me.end.get());
        let begun = state.ring.begin(&me.writer, block.number, block.instructions, open);
        if flags & LOOKED != 0 {
            state.context(vcpu, me);
        }
        begun
    } else {
        // they count for the turn, and for nothing else
        me.end.set(me.end.get().saturating_sub(block.instructions.into()));
        if !me.outside.replace(true) {
            state.ring.tell(&me.writer, &[escape(LEAVE, 0), block.number])
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
            if state().ring.access_behind_gate(&me.writer, what(info, place) | shift << SIZE_SHIFT, address, value) {
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
        state.ring.tell(&me.writer, &[head, at as u32, (at >> 32) as u32, value as u32, (value >> 32) as u32]);
    }
}

extern "C" fn on_translate(_: Id, tb: *mut Tb) {
    let state = state();
    if OFF.load(Relaxed) {
        return;
    }
    let data = state.flags & WANT_DATA != 0;
    // SAFETY: QEMU's own, for the time of this call.
    let (start, insns) = unsafe {
        let insns = (0..qemu_plugin_tb_n_insns(tb)).map(|i| qemu_plugin_tb_get_insn(tb, i));
        (qemu_plugin_tb_vaddr(tb), insns.collect::<Vec<_>>())
    };
    let mut begins = state.guest.state();
    // SAFETY: as above.
    let codes: Vec<Vec<u8>> = insns.iter().map(|i| unsafe { code(*i) }).collect();
    let codes: Vec<&[u8]> = codes.iter().map(|code| begins.only(code)).collect();
    let (mut first, mut at) = (0, start);
    // what begins or ends inside a block of QEMU's is a block of its own
    while first < insns.len() {
        let outside = state.is_outside(at);
        let (mut end, mut next) = (first, at);
        while end < insns.len() && state.is_outside(next) == outside {
            next = next.wrapping_add(codes[end].len() as u64);
            end += 1;
        }
        let (codes, insns) = (&codes[first..end], &insns[first..end]);
        let sizes = codes.iter().map(|c| c.len() as u8);
        let bytes: Vec<u8> = sizes.chain(codes.concat()).collect();
        let block = state.block(at, begins, bytes, insns, outside);
        begins = codes.iter().fold(begins, |s, code| s.behind(code));
        let told = std::ptr::from_ref(block).cast_mut().cast();
        // SAFETY: QEMU's own; the block and the number live as long as the process.
        unsafe {
            if first == 0 {
                qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, READS_REGS, told);
            } else {
                qemu_plugin_register_vcpu_insn_exec_cb(insns[0], on_block, READS_REGS, told);
            }
            if data && !outside {
                for (place, insn) in insns.iter().enumerate() {
                    let place = place | values::mark(codes[place]);
                    qemu_plugin_register_vcpu_mem_cb(*insn, on_access, NO_REGS, MEM_RW, place as *mut c_void);
                }
            }
        }
        (first, at) = (end, next);
    }
}

impl State {
    /// Tells the context of the block that a processor has begun, where it is another.
    #[cold]
    fn context(&self, vcpu: c_uint, me: &Thread) {
        // while instructions are skipped nothing is told
        if self.ring.executed() <= self.ring.control().skip {
            return;
        }
        let context = self.guest.context(vcpu);
        if let Some(context) = context.filter(|_| me.context.replace(context) != context) {
            self.ring.tell(&me.writer, &[escape(CONTEXT, 0), context]);
        }
    }

    /// A function that handles signals begins.
    #[cold]
    fn signal(&self, vcpu: c_uint, me: &Thread) {
        let Some(last) = self.guest.signal(vcpu) else { return };
        let mut told = me.told.borrow_mut();
        if let Some(at) = told.iter().position(|context| *context == last.context) {
            // this handler was interrupted before its first instruction, and begins now
            told.swap_remove(at);
            return;
        }
        let mut chain = vec![last];
        while chain.len() < 64 && self.begins_handler(chain[chain.len() - 1].pc) {
            let Some(before) = self.guest.before(vcpu, &chain[chain.len() - 1]) else { break };
            if told.contains(&before.context) {
                break;
            }
            told.push(before.context);
            chain.push(before);
        }
        for Interrupted { signal, caused, pc, .. } in chain.iter().rev() {
            let argument = signal | if *caused { CAUSED } else { 0 };
            self.ring.tell(&me.writer, &[escape(SIGNAL, argument), *pc as u32, (*pc >> 32) as u32]);
        }
    }

    fn begins_handler(&self, pc: u64) -> bool {
        // of a whole machine the registers say it, also of a handler that never began yet
        self.guest.handles(pc) || self.blocks.lock().unwrap_or_else(PoisonError::into_inner).handlers.contains(&pc)
    }

    /// Whether the instruction at `pc` is one that is not traced.
    fn is_outside(&self, pc: u64) -> bool {
        let control = self.ring.control();
        let pieces = &control.pieces[..(control.piece_count as usize).min(MOST_PIECES)];
        let traced = self.traced.get_or_init(|| {
            if pieces.is_empty() && self.flags & OWN_IMAGE == 0 {
                return Vec::new();
            }
            // SAFETY: plain questions; the image is loaded before the first block.
            let (start, end) = unsafe { (qemu_plugin_start_code(), qemu_plugin_end_code()) };
            if pieces.is_empty() {
                return vec![(start, end)];
            }
            // an image is loaded anywhere, but as a whole
            let moved = start.wrapping_sub(control.code);
            pieces.iter().map(|[from, to]| (from.wrapping_add(moved), to.wrapping_add(moved))).collect()
        });
        !traced.is_empty() && !traced.iter().any(|(from, to)| (*from..*to).contains(&pc))
    }

    /// The block of these instructions: known, or told now. `bytes`: sizes, then code.
    fn block(&self, start: u64, state: Begins, bytes: Vec<u8>, insns: &[*mut Insn], outside: bool) -> &'static Block {
        let instructions = insns.len();
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (start, state.told(), bytes);
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
        if self.flags & CONTEXTS != 0 {
            flags |= LOOKED;
        }
        let mut text = Vec::new();
        if self.flags & WANT_TEXT != 0 {
            for insn in insns {
                // SAFETY: QEMU gives a string that is ours to free.
                unsafe {
                    let line = qemu_plugin_insn_disas(*insn);
                    text.extend_from_slice(CStr::from_ptr(line).to_bytes());
                    free(line.cast());
                }
                text.push(b'\n');
            }
        }
        let code = bytes.len() - instructions;
        let counted = instructions as u32 | (state.told() * (INSTRUCTIONS + 1));
        let mut words = vec![number, start as u32, (start >> 32) as u32, counted, code as u32, text.len() as u32];
        for part in [bytes, &text] {
            let padded = part.chunks(4).map(|c| {
                let mut word = [0; 4];
                word[..c.len()].copy_from_slice(c);
                u32::from_le_bytes(word)
            });
            words.extend(padded);
        }
        self.ring.describe(&words);
        let block = Block { number, instructions: instructions as u32, start, flags: AtomicU32::new(flags) };
        let block: &'static Block = Box::leak(Box::new(block));
        blocks.known.insert(key, block);
        blocks.at.entry(start).or_default().push(block);
        block
    }

    /// A function of the guest will handle signals.
    fn handler(&self, start: u64) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.handlers.insert(start);
        for block in blocks.at.get(&start).into_iter().flatten() {
            debug_assert_eq!(block.start, start);
            block.flags.fetch_or(HANDLER, Relaxed);
        }
    }
}

extern "C" fn on_syscall(
    _: Id,
    vcpu: c_uint,
    number: i64,
    a1: u64,
    a2: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) {
    if OFF.load(Relaxed) {
        return;
    }
    let state = state();
    let me = thread(vcpu);
    let call = state.guest.call(number, [a1, a2]);
    let kind = match call {
        Call::Sigreturn => SIGRETURN,
        Call::Exec => EXEC,
        Call::ExitAll => EXIT_ALL,
        _ => ORDINARY,
    };
    if !me.outside.get() || call == Call::ExitAll {
        state.ring.tell(&me.writer, &[escape(SYSCALL, kind)]);
    }
    if call == Call::Sigaction && a2 > 4096 && state.guest.readable(a2) {
        // SAFETY: looked at just before; a guest that unmaps it meanwhile is refused by the kernel's own reading too.
        let handler = unsafe { state.guest.address_at(a2) };
        // 0 and 1: default and ignore
        if handler > 1 {
            state.handler(state.guest.code(handler));
        }
    }
    match call {
        Call::Exec => me.release(),
        Call::Place { sets } if state.flags & FREE == 0 => {
            me.release();
            if sets {
                me.place.set(Place::Own);
            }
        }
        _ => {}
    }
    me.called.set(Some((call, WOKEN.so_far())));
    if matches!(call, Call::Wakes | Call::Makes) {
        // it keeps its turn until who comes has come
        state.ring.close(&me.writer);
    } else {
        me.give();
    }
    if call == Call::ExitAll {
        // QEMU waits for all threads to leave their blocks
        off();
    }
}

extern "C" fn on_return(_: Id, vcpu: c_uint, _: i64, result: i64) {
    if OFF.load(Relaxed) {
        return;
    }
    let me = thread(vcpu);
    match me.called.take() {
        Some((Call::Waits, _)) if result == 0 => me.comes.set(true),
        Some((Call::Wakes, come)) if result > 0 => me.awaits.set(Some(come.wrapping_add(result as u32))),
        Some((Call::Makes, come)) if result > 0 => me.awaits.set(Some(come.wrapping_add(1))),
        _ => {}
    }
}

extern "C" fn on_thread(_: Id, vcpu: c_uint) {
    // of a whole machine they are made in any order
    let next = NEXT_THREAD.fetch_add(1, Relaxed);
    let id = if SYSTEM.load(Relaxed) { vcpu } else { next };
    THREADS[vcpu as usize % MOST_THREADS].store(Box::into_raw(Box::new(Thread::new(id))), Release);
    let alive = ALIVE.fetch_add(1, Relaxed) + 1;
    let control = state().ring.control();
    control.threads.store(u64::from(next) + 1, Relaxed);
    control.most_alive.fetch_max(alive, Relaxed);
}

extern "C" fn on_thread_end(_: Id, vcpu: c_uint) {
    if OFF.load(Relaxed) {
        return;
    }
    let state = state();
    let me = thread(vcpu);
    ALIVE.fetch_sub(1, Relaxed);
    state.ring.tell(&me.writer, &[escape(EXIT, me.id())]);
    me.give();
}

/// The processor of a whole machine waits for an interrupt.
extern "C" fn on_idle(_: Id, vcpu: c_uint) {
    if !OFF.load(Relaxed) {
        thread(vcpu).give();
    }
}

extern "C" fn on_exit(_: Id, _: *mut c_void) {
    off();
}

/// A child has the ring, too, and must not write to it.
extern "C" fn on_fork() {
    OFF.store(true, Relaxed);
    let state = state();
    state.ring.close_for_all();
    state.processors.release(Place::Free);
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

/// Whether what QEMU tells of an access has the size where `on_access` looks.
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
    let (Some(memory), Some(plugin)) = (argument(argc, argv, "memory"), argument(argc, argv, "plugin")) else {
        return -1;
    };
    let name = CStr::from_ptr((*info).target_name).to_str().unwrap_or_default();
    let (Some(ring), Some(guest)) = (Ring::map(memory), Guest::of(name, (*info).system_emulation)) else {
        return -1;
    };
    if !known_layout() {
        return -1;
    }
    // the guest must not see more open files than it would have
    close(memory);
    close(plugin);
    let control = ring.control();
    let state = if guest.shows_registers() { READY } else { NO_REGISTERS };
    control.state.store(state, Relaxed);
    let (flags, quantum) = (control.flags, u64::from(control.quantum.max(1)));
    let processors = Processors::of_this();
    let (blocks, traced) = (Mutex::default(), OnceLock::new());
    let state = Box::new(State { ring, guest, flags, quantum, processors, blocks, traced });
    STATE.store(Box::into_raw(state), Release);
    pthread_atfork(None, None, Some(on_fork));
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
