//! Named temporary files, and their removal when a signal ends the process
//!
//! An unnamed file disappears when it is closed. A file that needs a name, for a tool or to be opened again, is created here.

use super::{io, FileError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, TempDir};

/// The existing temporary files and folders.
static TEMPORARY_PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn now() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY_PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files and folders, for a process that is about to end. No more can be created afterwards.
pub fn remove_all() {
    let now = now();
    for path in now.iter() {
        // one that no longer exists needs no removal
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
    std::mem::forget(now);
}

/// A path that is in the list until it is dropped.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    /// The result of `make`, and its entry in the list.
    fn of<T>(make: impl FnOnce() -> std::io::Result<T>, path: impl Fn(&T) -> &Path) -> std::io::Result<(T, Self)> {
        let mut now = now();
        let made = make()?;
        let path = path(&made).to_path_buf();
        now.push(path.clone());
        Ok((made, Self(path)))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        now().retain(|path| *path != self.0);
    }
}

/// A temporary folder.
#[derive(Debug)]
pub struct Folder {
    // must be dropped before its list entry
    folder: TempDir,
    _listed: Listed,
}

impl Folder {
    /// Creates a temporary folder.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub fn new() -> std::io::Result<Self> {
        let (folder, listed) = Listed::of(tempfile::tempdir, TempDir::path)?;
        Ok(Self { folder, _listed: listed })
    }

    /// Creates a folder in `place`, whose name begins with `prefix`.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub fn new_in(place: &Path, prefix: &str) -> std::io::Result<Self> {
        let make = || tempfile::Builder::new().prefix(prefix).tempdir_in(place);
        let (folder, listed) = Listed::of(make, TempDir::path)?;
        Ok(Self { folder, _listed: listed })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A temporary file.
#[derive(Debug)]
pub struct Scratch {
    file: NamedTempFile,
    _listed: Listed,
}

impl Scratch {
    /// Creates a file whose name ends in `suffix`.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub fn new(suffix: &str) -> std::io::Result<Self> {
        Self::of(|| tempfile::Builder::new().suffix(suffix).tempfile())
    }

    /// Adds the result of `make` to the list.
    pub(super) fn of(make: impl FnOnce() -> std::io::Result<NamedTempFile>) -> std::io::Result<Self> {
        let (file, listed) = Listed::of(make, NamedTempFile::path)?;
        Ok(Self { file, _listed: listed })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Moves it to `path`.
    pub(super) fn persist(self, path: &Path) -> Result<(), FileError> {
        self.file.persist(path).map(drop).map_err(|e| io(path)(e.error))
    }

    /// The open file.
    pub fn as_file_mut(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }
}

impl Write for Scratch {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_leaves_the_list() {
        let (folder, file) = (Folder::new().unwrap(), Scratch::new(".x").unwrap());
        let paths = [folder.path().to_path_buf(), file.path().to_path_buf()];
        assert!(paths.iter().all(|p| p.exists() && now().contains(p)));
        drop((folder, file));
        assert!(paths.iter().all(|p| !p.exists() && !now().contains(p)));
    }
}
