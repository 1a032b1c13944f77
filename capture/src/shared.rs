//! The memory shared with the plugin, from the owner's side
// The compiler does not know of memory that another process writes; each block states why it is sound.
#![allow(unsafe_code)]

use crate::layout::{self, Control, Registry, CONTROL_BYTES};
use crate::CaptureError;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;
use std::sync::atomic::{fence, AtomicU32, Ordering::*};
use std::time::Duration;

/// Wakes the thread that waits on a word.
fn wake(word: &AtomicU32) {
    // SAFETY: a word that both sides have mapped.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

/// The plugin, as built by the build script.
static PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin.so"));
/// The same for version 4 of the interface.
static PLUGIN_4: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin4.so"));

/// Size of the ring in words: 4 MiB, which fits in caches.
const WORDS: usize = 1 << 20;

/// An unnamed file in memory.
fn memory(name: &std::ffi::CStr) -> Result<File, CaptureError> {
    // SAFETY: the name is null-terminated; the descriptor is new and ours.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(CaptureError::System("shared memory", std::io::Error::last_os_error()));
    }
    // SAFETY: as above.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// A file that contains the plugin.
pub(crate) fn plugin(newer: bool) -> Result<File, CaptureError> {
    use std::io::Write;
    let plugin = if newer { PLUGIN_4 } else { PLUGIN };
    if plugin.is_empty() {
        return Err(CaptureError::Qemu("capture needs Linux, where QEMU has a user mode".into()));
    }
    let mut file = memory(c"goshawk-plugin")?;
    file.write_all(plugin).map_err(|e| CaptureError::System("shared memory", e))?;
    Ok(file)
}

/// The control page and the ring.
pub(crate) struct Shared {
    file: File,
    control: *mut Control,
    length: usize,
}

// SAFETY: fields that both sides write are atomics; the ring is read only below its head.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Creates the memory; `fill` initialises the plugin's settings.
    pub(crate) fn new(fill: impl FnOnce(&mut Control)) -> Result<Self, CaptureError> {
        let file = memory(c"goshawk-capture")?;
        let length = CONTROL_BYTES + 4 * WORDS;
        let failed = |e| CaptureError::System("shared memory", e);
        file.set_len(length as u64).map_err(failed)?;
        let map = |at, length, flags, offset| {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping of a new file, or one over the part of it that is beyond the end of the file.
            match unsafe { libc::mmap(at, length, rights, libc::MAP_SHARED | flags, file.as_raw_fd(), offset) } {
                libc::MAP_FAILED => Err(failed(std::io::Error::last_os_error())),
                place => Ok(place),
            }
        };
        let place = map(std::ptr::null_mut(), length + 4 * WORDS, 0, 0)?;
        map(place.wrapping_byte_add(length), 4 * WORDS, libc::MAP_FIXED, CONTROL_BYTES as i64)?;
        let control: *mut Control = place.cast();
        // SAFETY: zeros are a valid control page, and it is not shared yet.
        let page = unsafe { &mut *control };
        fill(page);
        page.words = WORDS as u64;
        *page.hidden.get_mut() = 1;
        page.magic = crate::layout::MAGIC;
        Ok(Self { file, control, length: length + 4 * WORDS })
    }

    /// The file, for the child to map.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The control page.
    pub(crate) fn control(&self) -> &Control {
        // SAFETY: mapped during the lifetime of this; only atomics change.
        unsafe { &*self.control }
    }

    /// Words written since the beginning.
    fn head(&self) -> u64 {
        let control = self.control();
        let (written, tail) = (&control.written, control.tail.0.load(Relaxed));
        if control.hidden.load(Acquire) == 0 {
            let at = written.cursor.load(Acquire).wrapping_sub(control.base.load(Relaxed)) / 4;
            // otherwise the cursor may refer to words that are not reported
            if control.hidden.load(Relaxed) == 0 {
                // the ring is never completely full
                return tail + (at.wrapping_sub(tail) & (WORDS as u64 - 1));
            }
        }
        written.head.load(Acquire)
    }

    /// Passes new words, in whole entries, to `take`, which returns how many words it took. Returns the number of new
    /// words.
    pub(crate) fn read(&self, take: impl FnOnce(&[u32]) -> usize) -> usize {
        let control = self.control();
        let (tail, head) = (control.tail.0.load(Relaxed), self.head());
        // must be valid even if the guest overwrites the control page
        let n = (head.wrapping_sub(tail) as usize).min(WORDS);
        if n == 0 {
            return 0;
        }
        let at = tail as usize & (WORDS - 1);
        // SAFETY: below the head, where the plugin does not write until the tail moves; the ring is mapped twice in
        // succession.
        let taken = take(unsafe {
            let ring = self.control.cast::<u8>().add(CONTROL_BYTES).cast::<u32>();
            std::slice::from_raw_parts(ring.add(at), n)
        });
        control.tail.0.store(tail + taken.min(n) as u64, Release);
        self.room();
        n
    }

    /// Wakes a writer that waits for space, if there is space.
    fn room(&self) {
        let control = self.control();
        // the tail first: a writer that misses the update of the tail is seen here
        fence(SeqCst);
        let used = self.head().wrapping_sub(control.tail.0.load(Relaxed));
        if control.full.load(Relaxed) != 0 && used <= WORDS as u64 / 2 {
            control.full.store(0, Relaxed);
            wake(&control.full);
        }
    }

    /// Wakes a waiting writer.
    pub(crate) fn wake(&self) {
        self.control().full.store(0, Relaxed);
        wake(&self.control().full);
    }

    /// Waits until enough words are written, at most for this time.
    pub(crate) fn sleep(&self, most: Duration) {
        let control = self.control();
        control.asleep.store(1, SeqCst);
        let written = self.head().wrapping_sub(control.tail.0.load(Relaxed));
        if written < layout::WAKE_WORDS {
            let time = libc::timespec { tv_sec: 0, tv_nsec: most.subsec_nanos().into() };
            // SAFETY: a word that both sides have mapped, and a time.
            unsafe {
                libc::syscall(libc::SYS_futex, control.asleep.as_ptr(), libc::FUTEX_WAIT, 1, &raw const time);
            }
        }
        control.asleep.store(0, Relaxed);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: our mapping; no borrow of it outlives this.
        unsafe { libc::munmap(self.control.cast(), self.length) };
    }
}

/// The registry of processes.
pub(crate) struct RegistryMemory {
    file: File,
    registry: *mut Registry,
}

impl RegistryMemory {
    /// Creates the memory, with empty slots. `root`: folder where QEMU finds files of the guest; empty: none.
    pub(crate) fn new(root: &Path) -> Result<Self, CaptureError> {
        let file = memory(c"goshawk-processes")?;
        let failed = |e| CaptureError::System("shared memory", e);
        let length = std::mem::size_of::<Registry>();
        file.set_len(length as u64).map_err(failed)?;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a new file, of zeros, which are a registry of empty slots; it is not shared yet.
        let registry: *mut Registry = unsafe {
            let place = libc::mmap(std::ptr::null_mut(), length, rights, libc::MAP_SHARED, file.as_raw_fd(), 0);
            if place == libc::MAP_FAILED {
                return Err(failed(std::io::Error::last_os_error()));
            }
            let registry: *mut Registry = place.cast();
            let bytes = root.as_os_str().as_encoded_bytes();
            let folder = &mut (&mut *registry).root;
            folder[..layout::PATH_BYTES - 1].iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
            registry
        };
        Ok(Self { file, registry })
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd() as u32
    }

    pub(crate) fn registry(&self) -> &Registry {
        // SAFETY: mapped during the lifetime of this; only atomics change.
        unsafe { &*self.registry }
    }
}

impl Drop for RegistryMemory {
    fn drop(&mut self) {
        // SAFETY: our mapping; no borrow of it outlives this.
        unsafe { libc::munmap(self.registry.cast(), std::mem::size_of::<Registry>()) };
    }
}

/// Passes files on to the child, and makes it end when this process does.
pub(crate) fn hand_over(command: &mut std::process::Command, files: [i32; 2]) {
    use std::os::unix::process::CommandExt;
    let parent = std::process::id();
    // SAFETY: these calls are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for fd in files {
                if libc::fcntl(fd, libc::F_SETFD, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGQUIT, libc::SIG_DFL);
            if libc::getppid() as u32 != parent {
                return Err(std::io::ErrorKind::NotFound.into());
            }
            Ok(())
        });
    }
}

/// Sends a signal to a process that has not ended.
pub(crate) fn send(signal: i32, to: u32) {
    // SAFETY: touches no memory.
    unsafe { libc::kill(to as libc::pid_t, signal) };
}

/// A guard during which SIGQUIT from the keyboard ends the guest but not this process, which must finish its files.
pub(crate) struct SignalGuard(libc::sighandler_t);

impl SignalGuard {
    pub(crate) fn new() -> Self {
        // SAFETY: installs no handler function.
        Self(unsafe { libc::signal(libc::SIGQUIT, libc::SIG_IGN) })
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        // SAFETY: restores the previous handler.
        unsafe { libc::signal(libc::SIGQUIT, self.0) };
    }
}
