//! Input files: regular files, pipes and standard input alike
//!
//! Readers look at the first bytes of an input to identify it, and many read it more than once. A pipe can be read only
//! once, so the bytes read from it are kept in an unnamed temporary file, and [`open`] starts at the first byte each
//! time. Nothing is read before a reader asks for it.
//!
//! Devices other than a terminal are refused: `/dev/zero` has no end. `/dev/null` is an empty file.

use super::{io, FileError};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of standard input.
pub const STDIN: &str = "-";
/// First bytes of an ELF file.
pub const ELF_MAGIC: [u8; 4] = *b"\x7fELF";
/// Largest size of a program, bytes.
const MAX_ELF_BYTES: u64 = 1 << 31;

/// Whether `path` is standard input.
pub fn is_stdin(path: &Path) -> bool {
    [STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

/// The bytes read from a pipe so far.
#[derive(Debug)]
struct PipeBuffer {
    pipe: File,
    copy: File,
    size: u64,
    ended: bool,
}

impl PipeBuffer {
    fn read(&mut self, at: u64, buf: &mut [u8]) -> std::io::Result<usize> {
        if at < self.size {
            self.copy.seek(SeekFrom::Start(at))?;
            let most = usize::try_from(self.size - at).map_or(buf.len(), |n| n.min(buf.len()));
            return self.copy.read(&mut buf[..most]);
        }
        if self.ended {
            return Ok(0);
        }
        let n = self.pipe.read(buf)?;
        self.copy.seek(SeekFrom::Start(self.size))?;
        self.copy.write_all(&buf[..n])?;
        self.size += n as u64;
        self.ended = n == 0 && !buf.is_empty();
        Ok(n)
    }

    /// Reads up to `at`, or to the end.
    fn read_to(&mut self, at: u64) -> std::io::Result<()> {
        let mut buf = vec![0; 1 << 16];
        while self.size < at && !self.ended {
            let most = usize::try_from(at - self.size).map_or(buf.len(), |n| n.min(buf.len()));
            self.read(self.size, &mut buf[..most])?;
        }
        Ok(())
    }
}

/// Device and inode number of a pipe.
type Key = (u64, u64);

/// All pipes that have been opened.
static PIPES: Mutex<Vec<(Key, Arc<Mutex<PipeBuffer>>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
enum Backing {
    File(File),
    Pipe { kept: Arc<Mutex<PipeBuffer>>, at: u64 },
}

/// A file or a pipe, read from its first byte.
#[derive(Debug)]
pub struct Input(Backing);

impl Input {
    /// Size in bytes, if known.
    pub fn size(&self) -> Option<u64> {
        match &self.0 {
            Backing::File(file) => file.metadata().ok().map(|m| m.len()),
            Backing::Pipe { kept, .. } => {
                let kept = lock(kept);
                kept.ended.then_some(kept.size)
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.0 {
            Backing::File(file) => file.read(buf),
            Backing::Pipe { kept, at } => {
                let n = lock(kept).read(*at, buf)?;
                *at += n as u64;
                Ok(n)
            }
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match &mut self.0 {
            Backing::File(file) => file.seek(to),
            Backing::Pipe { kept, at } => {
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::Current(by) => at.checked_add_signed(by),
                    SeekFrom::End(by) => {
                        let mut kept = lock(kept);
                        kept.read_to(u64::MAX)?;
                        kept.size.checked_add_signed(by)
                    }
                };
                *at = place.ok_or(std::io::ErrorKind::InvalidInput)?;
                lock(kept).read_to(*at)?;
                Ok(*at)
            }
        }
    }
}

/// Paths that are not UTF-8, by their names.
static NAMES: Mutex<Vec<(String, PathBuf)>> = Mutex::new(Vec::new());

/// The name of an input: its path, as it is displayed. [`open`] maps the name of a non-UTF-8 path back to it.
///
/// # Errors
/// If another path has this name already.
pub fn name(path: &OsStr) -> Result<String, String> {
    if let Some(name) = path.to_str() {
        return Ok(name.into());
    }
    let name = path.to_string_lossy().into_owned();
    let mut names = lock(&NAMES);
    match names.iter().find(|(known, _)| *known == name) {
        Some((_, other)) if other != Path::new(path) => {
            Err("is displayed as another path of this command is: both have bytes that are not UTF-8".into())
        }
        Some(_) => Ok(name),
        None => {
            names.push((name.clone(), path.into()));
            Ok(name)
        }
    }
}

/// The path with the name `path`.
pub fn path_of(path: &Path) -> PathBuf {
    lock(&NAMES).iter().find(|(name, _)| Path::new(name) == path).map_or_else(|| path.into(), |(_, path)| path.clone())
}

/// Opens the file or the pipe at `path`; `-` and `/dev/stdin` are standard input.
///
/// # Errors
/// If the system cannot open it, or it is a device.
pub fn open(path: &Path) -> Result<Input, FileError> {
    #[cfg(unix)]
    return unix::open(path).map_err(io(path));
    #[cfg(not(unix))]
    Ok(Input(Backing::File(File::open(path_of(path)).map_err(io(path))?)))
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::{Error, ErrorKind, IsTerminal};
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    /// `/dev/null` of Linux.
    const NULL: u64 = 0x103;

    pub(super) fn open(path: &Path) -> std::io::Result<Input> {
        let stdin = is_stdin(path);
        let opened = || match stdin {
            true => Ok(File::from(std::io::stdin().as_fd().try_clone_to_owned()?)),
            false => File::open(path_of(path)),
        };
        // a pipe is not opened a second time: that would wait for another writer
        let before = match stdin {
            true => opened()?.metadata()?,
            false => std::fs::metadata(path_of(path))?,
        };
        let key = (before.dev(), before.ino());
        let mut pipes = lock(&PIPES);
        let known = pipes.iter().find(|(known, _)| *known == key).map(|(_, kept)| kept.clone());
        if let Some(kept) = known {
            return Ok(Input(Backing::Pipe { kept, at: 0 }));
        }
        if before.is_dir() {
            return Err(Error::new(ErrorKind::IsADirectory, "is a folder, expected a file"));
        }
        let file = opened()?;
        let kind = file.metadata()?.file_type();
        let device = kind.is_char_device() && !file.is_terminal() && before.rdev() != NULL;
        if device || kind.is_block_device() {
            return Err(Error::new(ErrorKind::InvalidInput, "is a device, expected a file or a pipe"));
        }
        if !stdin && !kind.is_fifo() && !kind.is_char_device() {
            return Ok(Input(Backing::File(file)));
        }
        let kept = PipeBuffer { pipe: file, copy: tempfile::tempfile()?, size: 0, ended: false };
        let kept = Arc::new(Mutex::new(kept));
        pipes.push((key, kept.clone()));
        Ok(Input(Backing::Pipe { kept, at: 0 }))
    }
}

/// The first `most` bytes, or all if there are fewer.
///
/// # Errors
/// If it cannot be read.
pub fn head(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let mut head = Vec::new();
    open(path)?.take(most).read_to_end(&mut head).map_err(io(path))?;
    Ok(head)
}

/// Whether `path` is not a regular file, so that its bytes can only be read in order.
///
/// # Errors
/// If it cannot be opened.
pub fn is_pipe(path: &Path) -> Result<bool, FileError> {
    Ok(matches!(open(path)?.0, Backing::Pipe { .. }))
}

/// All bytes, at most `most`; `what` names the expected kind of file in the error.
///
/// # Errors
/// If it cannot be read, or has more bytes.
pub fn read(path: &Path, most: u64, what: &str) -> Result<Vec<u8>, FileError> {
    let bytes = head(path, most + 1)?;
    if bytes.len() as u64 > most {
        let what = format!("has more than {most} bytes; {what} does not");
        return Err(FileError::Content { path: path.display().to_string(), at: most, what });
    }
    Ok(bytes)
}

/// As [`read`], for text.
///
/// # Errors
/// If it cannot be read, has more bytes, or is not UTF-8.
pub fn text(path: &Path, most: u64, what: &str) -> Result<String, FileError> {
    String::from_utf8(read(path, most, what)?).map_err(|e| {
        let (path, at) = (path.display().to_string(), e.utf8_error().valid_up_to() as u64);
        FileError::Content { path, at, what: format!("is not UTF-8 text; expected {what}") }
    })
}

/// The bytes of an ELF file; of any other file only its first bytes, which are enough to reject it.
///
/// # Errors
/// If it cannot be read, or is larger than any program.
pub fn elf(path: &Path) -> Result<Vec<u8>, FileError> {
    let head = head(path, 64)?;
    if head.starts_with(&ELF_MAGIC) {
        return read(path, MAX_ELF_BYTES, "a program");
    }
    Ok(head)
}
