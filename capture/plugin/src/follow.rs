//! Processes: a child gets a ring of its own, and so does a program that replaces another
//!
//! The front end prepares slots in the [`Registry`]. A child after a fork takes one and maps its memory in place of its
//! parent's, at the same addresses, which generated code contains. Its threads, turns and ring start again; blocks that
//! its parent has translated are reported when they are begun.
//!
//! QEMU 7.2 executes a program as the host would, without an emulator, so the plugin executes QEMU with the program
//! instead. Files of the front end are opened by their path in `/proc`, so that the guest inherits none.

use crate::guest::Guest;
use crate::layout::*;
use crate::qemu::mmap;
use crate::{state, ARRIVALS, TURNS};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void, CString, OsStr, OsString};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::*;
use std::time::Duration;

/// Longest wait for a slot.
const WAIT_LIMIT: Duration = Duration::from_secs(5);
/// Longest chain of interpreters, as in Linux.
const MAX_SCRIPTS: usize = 5;
/// Most bytes of the arguments or the environment of a program.
const MAX_STRINGS: usize = 1 << 23;

extern "C" {
    fn execve(path: *const c_char, argv: *const *const c_char, envp: *const *const c_char) -> c_int;
    fn getppid() -> c_int;
}

thread_local! {
    /// QEMU's index of the thread's processor, as of its last system call.
    static PROCESSOR: Cell<c_uint> = const { Cell::new(0) };
}

/// Path of a file that the front end has open.
pub fn file_of(owner: u32, fd: u32) -> String {
    format!("/proc/{owner}/fd/{fd}")
}

/// Opens a file of the front end.
pub fn open(owner: u32, fd: u32) -> Option<std::fs::File> {
    std::fs::File::options().read(true).write(true).open(file_of(owner, fd)).ok()
}

/// The registry that this control page names.
pub fn registry(control: &Control) -> Option<&'static Registry> {
    if control.registry == 0 {
        return None;
    }
    let file = open(control.owner, control.registry)?;
    // SAFETY: a new mapping of a file that has this size; only atomics change.
    unsafe {
        let place = mmap(std::ptr::null_mut(), std::mem::size_of::<Registry>(), 3, 1, file.as_raw_fd(), 0);
        (place as isize != -1).then(|| &*place.cast_const().cast())
    }
}

/// Notes the processor of a thread that makes a system call.
pub fn note(vcpu: c_uint) {
    PROCESSOR.set(vcpu);
}

/// Takes a slot.
fn take(registry: &Registry, parent: u32, path: &[u8]) -> Option<usize> {
    let mut waited = Duration::ZERO;
    loop {
        let free = |slot: &Slot| slot.state.compare_exchange(FREE_SLOT, TAKEN, AcqRel, Relaxed).is_ok();
        if let Some(i) = registry.slots.iter().position(free) {
            let slot = &registry.slots[i];
            let bytes = path.iter().take(PATH_BYTES - 1).chain(&[0]);
            slot.path.iter().zip(bytes).for_each(|(to, byte)| to.store(*byte, Relaxed));
            slot.parent.store(parent, Relaxed);
            slot.pid.store(std::process::id(), Release);
            return Some(i);
        }
        if waited >= WAIT_LIMIT {
            registry.missed.fetch_add(1, Relaxed);
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
        waited += Duration::from_millis(1);
    }
}

/// Returns a slot that was not used.
fn give_back(slot: &Slot) {
    slot.pid.store(0, Relaxed);
    slot.state.store(FREE_SLOT, Release);
}

/// In a child after a fork, which has one thread: gives it a ring of its own. False: it has none, and is not captured.
pub fn attach() -> bool {
    let state = state();
    let Some(registry) = state.registry else { return false };
    let owner = state.ring.control().owner;
    // SAFETY: a simple query.
    let parent = unsafe { getppid() } as u32;
    let Some(slot) = take(registry, parent, &[]).map(|i| &registry.slots[i]) else { return false };
    let attached = open(owner, slot.memory.load(Relaxed)).is_some_and(|file| state.ring.replace(file.as_raw_fd()));
    if !attached {
        give_back(slot);
        return false;
    }
    ARRIVALS.restart();
    TURNS.restart();
    state.forget_reported();
    crate::thread::restart(PROCESSOR.get());
    slot.state.store(RUNNING, Release);
    true
}

/// Strings of the guest that end in zero.
struct Strings<'a>(&'a Guest);

impl Strings<'_> {
    fn readable(&self, address: u64, size: u64) -> bool {
        address > 4095 && self.0.readable(address) && self.0.readable(address.wrapping_add(size - 1))
    }

    fn one(&self, address: u64) -> Option<CString> {
        let mut bytes = Vec::new();
        loop {
            let at = address.wrapping_add(bytes.len() as u64);
            if (bytes.is_empty() || at % 4096 == 0) && !self.readable(at, 1) || bytes.len() >= MAX_STRINGS {
                return None;
            }
            // SAFETY: its page was checked.
            match unsafe { self.0.host(at).read_volatile() } {
                0 => return CString::new(bytes).ok(),
                byte => bytes.push(byte),
            }
        }
    }

    /// A list of them that ends in a null pointer.
    fn list(&self, address: u64) -> Option<Vec<CString>> {
        let (mut list, mut size) = (Vec::new(), 0);
        if address == 0 {
            return Some(list);
        }
        loop {
            let at = address.wrapping_add((list.len() * self.0.address) as u64);
            if !self.readable(at, self.0.address as u64) || size > MAX_STRINGS {
                return None;
            }
            // SAFETY: checked just before.
            match unsafe { self.0.address_at(at) } {
                0 => return Some(list),
                pointer => list.push(self.one(pointer)?),
            }
            size += list[list.len() - 1].as_bytes().len() + 1;
        }
    }
}

/// What the system would execute: program, and arguments before those that follow the first.
fn resolve(guest: &Guest, root: &Path, path: PathBuf, first: OsString) -> Option<(PathBuf, Vec<OsString>)> {
    let mut path = path;
    let mut arguments = vec![first];
    for _ in 0..MAX_SCRIPTS {
        if let Some(inside) = path.strip_prefix("/").ok().filter(|_| root != Path::new("")).map(|p| root.join(p)) {
            if inside.is_file() {
                path = inside;
            }
        }
        let data = std::fs::metadata(&path).ok()?;
        if !data.is_file() || data.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let mut head = Vec::new();
        std::fs::File::open(&path).ok()?.take(256).read_to_end(&mut head).ok()?;
        if guest.runs(&head) {
            return Some((path, arguments));
        }
        // one argument at most, as in Linux
        let line = head.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (interpreter, argument) = (&line[..end], line[end..].trim_ascii());
        arguments[0] = path.into_os_string();
        if !argument.is_empty() {
            arguments.insert(0, OsStr::from_bytes(argument).into());
        }
        arguments.insert(0, OsStr::from_bytes(interpreter).into());
        path = OsStr::from_bytes(interpreter).into();
    }
    None
}

/// Executes QEMU with the program that the guest executes. Returns if that is not possible: then QEMU does as always.
pub fn execute(path: u64, argv: u64, envp: u64) {
    let state = state();
    let (Some(registry), control) = (state.registry, state.ring.control()) else { return };
    let strings = Strings(&state.guest);
    let (Some(path), Some(argv), Some(envp)) = (strings.one(path), strings.list(argv), strings.list(envp)) else {
        return;
    };
    let root = registry.root.split(|b| *b == 0).next().unwrap_or_default();
    let root = Path::new(OsStr::from_bytes(root));
    let first = argv.first().map_or_else(OsString::new, |a| OsStr::from_bytes(a.as_bytes()).into());
    let path = PathBuf::from(OsStr::from_bytes(path.as_bytes()));
    let Some((program, arguments)) = resolve(&state.guest, root, path, first) else { return };
    let (Ok(absolute), Ok(qemu)) = (std::path::absolute(&program), std::fs::read_link("/proc/self/exe")) else {
        return;
    };
    let Some(i) = take(registry, std::process::id(), absolute.as_os_str().as_bytes()) else { return };
    let slot = &registry.slots[i];
    let owner = control.owner;
    let memory = slot.memory.load(Relaxed);
    let plugin = format!("{},owner={owner},memory={memory}", file_of(owner, control.plugin));
    let mut words: Vec<OsString> = vec![qemu.clone().into(), "-plugin".into(), plugin.into()];
    if root != Path::new("") {
        words.extend(["-L".into(), root.into()]);
    }
    words.push("-0".into());
    words.push(arguments[0].clone());
    words.push(program.into());
    words.extend(arguments.into_iter().skip(1));
    let words = words.into_iter().map(|w| CString::new(w.into_vec()).ok()).collect::<Option<Vec<_>>>();
    if let (Some(mut words), Ok(qemu)) = (words, CString::new(qemu.into_os_string().into_vec())) {
        words.extend(argv.into_iter().skip(1));
        let pointers = |list: &[CString]| -> Vec<*const c_char> {
            list.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
        };
        // SAFETY: strings and lists that live as long as the call.
        unsafe { execve(qemu.as_ptr(), pointers(&words).as_ptr(), pointers(&envp).as_ptr()) };
    }
    give_back(slot);
}

/// Reads and writes.
const READ_WRITE: c_int = 3;
/// A shared mapping, in place of another.
const SHARED_FIXED: c_int = 0x11;

/// Maps a control page and its ring, twice in succession, in place of others.
///
/// # Safety
/// The mappings at `control` and `words` are those of a ring of the same size, and nobody uses them.
pub unsafe fn map_in_place(fd: c_int, control: *mut c_void, words: *mut c_void, length: usize) -> bool {
    let second = words.cast::<u8>().add(length).cast::<c_void>();
    let at = |place: *mut c_void, length, offset| mmap(place, length, READ_WRITE, SHARED_FIXED, fd, offset) == place;
    let ring = CONTROL_BYTES as i64;
    at(control, CONTROL_BYTES, 0) && at(words, length, ring) && at(second, length, ring)
}
