//! The shared memory, as its owner sees it
// Memory that another process writes is beyond what the compiler knows; each block says why it holds.
#![allow(unsafe_code)]

use crate::layout::{self, Control, CONTROL_BYTES};
use crate::CaptureError;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{fence, AtomicU32, Ordering::*};
use std::time::Duration;

/// Wakes who waits at a word.
fn wake(word: &AtomicU32) {
    // SAFETY: a word that both sides have mapped.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

/// The plugin, as the build script made it.
static PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin.so"));
/// The same for version 4 of the interface.
static PLUGIN_4: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin4.so"));

/// Words of the ring: 4 MiB, which caches hold.
const WORDS: usize = 1 << 20;

/// A file in memory, without a name.
fn memory(name: &std::ffi::CStr) -> Result<File, CaptureError> {
    // SAFETY: the name ends in 0; the descriptor is new and ours.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(CaptureError::System("shared memory", std::io::Error::last_os_error()));
    }
    // SAFETY: as above.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// A file that holds the plugin.
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

/// Control page and ring.
pub(crate) struct Shared {
    file: File,
    control: *mut Control,
    length: usize,
}

// SAFETY: what both sides write are atomics; the ring is read below its head only.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Makes it; `fill` writes what the plugin is told.
    pub(crate) fn new(fill: impl FnOnce(&mut Control)) -> Result<Self, CaptureError> {
        let file = memory(c"goshawk-capture")?;
        let length = CONTROL_BYTES + 4 * WORDS;
        let failed = |e| CaptureError::System("shared memory", e);
        file.set_len(length as u64).map_err(failed)?;
        let map = |at, length, flags, offset| {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping of a new file, or one over the part of it that is beyond the file's end.
            match unsafe { libc::mmap(at, length, rights, libc::MAP_SHARED | flags, file.as_raw_fd(), offset) } {
                libc::MAP_FAILED => Err(failed(std::io::Error::last_os_error())),
                place => Ok(place),
            }
        };
        let place = map(std::ptr::null_mut(), length + 4 * WORDS, 0, 0)?;
        map(place.wrapping_byte_add(length), 4 * WORDS, libc::MAP_FIXED, CONTROL_BYTES as i64)?;
        let control: *mut Control = place.cast();
        // SAFETY: zeros are a control page, and nobody else has it yet.
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
        // SAFETY: mapped as long as this lives; only atomics change.
        unsafe { &*self.control }
    }

    /// Words written since the beginning.
    fn head(&self) -> u64 {
        let control = self.control();
        let (written, tail) = (&control.written, control.tail.0.load(Relaxed));
        if control.hidden.load(Acquire) == 0 {
            let at = written.cursor.load(Acquire).wrapping_sub(control.base.load(Relaxed)) / 4;
            // else the cursor may be of what is not told
            if control.hidden.load(Relaxed) == 0 {
                // the ring is never full to its last word
                return tail + (at.wrapping_sub(tail) & (WORDS as u64 - 1));
            }
        }
        written.head.load(Acquire)
    }

    /// Hands out what was written since the last time, in whole entries, of which `take` says how many words it took; and
    /// how many there were; 0 where nothing was.
    pub(crate) fn read(&self, take: impl FnOnce(&[u32]) -> usize) -> usize {
        let control = self.control();
        let (tail, head) = (control.tail.0.load(Relaxed), self.head());
        // what a guest that writes at random makes of it must not be believed
        let n = (head.wrapping_sub(tail) as usize).min(WORDS);
        if n == 0 {
            return 0;
        }
        let at = tail as usize & (WORDS - 1);
        // SAFETY: below the head, where the plugin does not write until the tail moves; the ring is mapped twice, one
        // behind the other.
        let taken = take(unsafe {
            let ring = self.control.cast::<u8>().add(CONTROL_BYTES).cast::<u32>();
            std::slice::from_raw_parts(ring.add(at), n)
        });
        control.tail.0.store(tail + taken.min(n) as u64, Release);
        self.room();
        n
    }

    /// Wakes a writer that waits for room, when there is.
    fn room(&self) {
        let control = self.control();
        // the tail first: a writer that does not see it is seen
        fence(SeqCst);
        let used = self.head().wrapping_sub(control.tail.0.load(Relaxed));
        if control.full.load(Relaxed) != 0 && used <= WORDS as u64 / 2 {
            control.full.store(0, Relaxed);
            wake(&control.full);
        }
    }

    /// Wakes a writer that waits.
    pub(crate) fn wake(&self) {
        self.control().full.store(0, Relaxed);
        wake(&self.control().full);
    }

    /// Waits until more than a little was written, but not longer than this.
    pub(crate) fn sleep(&self, most: Duration) {
        let control = self.control();
        control.asleep.store(1, SeqCst);
        let written = self.head().wrapping_sub(control.tail.0.load(Relaxed));
        if written < layout::ENOUGH {
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
        // SAFETY: our mapping; nothing borrowed of it lives longer than this.
        unsafe { libc::munmap(self.control.cast(), self.length) };
    }
}

/// Lets the child have a file, and end when this process does.
pub(crate) fn hand_over(command: &mut std::process::Command, files: [i32; 2]) {
    use std::os::unix::process::CommandExt;
    let parent = std::process::id();
    // SAFETY: calls that may stand between fork and exec.
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

/// Sends a signal to a child that was not waited for.
pub(crate) fn send(signal: i32, to: &std::process::Child) {
    // SAFETY: no memory is touched; until it is waited for, the number is its own.
    unsafe { libc::kill(to.id() as libc::pid_t, signal) };
}

/// While it lives, the keyboard's signals end the guest and not this process, which has to finish its files.
pub(crate) struct Patient([(libc::c_int, libc::sighandler_t); 2]);

impl Patient {
    pub(crate) fn new() -> Self {
        // SAFETY: no handler of our own.
        Self([libc::SIGINT, libc::SIGQUIT].map(|s| (s, unsafe { libc::signal(s, libc::SIG_IGN) })))
    }
}

impl Drop for Patient {
    fn drop(&mut self) {
        for (signal, handler) in self.0 {
            // SAFETY: what was there before.
            unsafe { libc::signal(signal, handler) };
        }
    }
}
