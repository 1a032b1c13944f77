//! Processes whose speed is measured
// Calls the system; the block states why it is sound.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

/// Runs `command` to its end. It gets SIGTERM if this process ends first.
///
/// # Errors
/// It cannot be started.
pub fn output(command: &mut Command) -> io::Result<Output> {
    #[cfg(target_os = "linux")]
    {
        let parent = std::process::id();
        // SAFETY: the closure calls `prctl` and `getppid`, which are allowed between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                match libc::getppid() as u32 == parent {
                    true => Ok(()),
                    false => Err(io::ErrorKind::NotFound.into()),
                }
            });
        }
    }
    command.output()
}
