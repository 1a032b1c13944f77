//! Output files: a complete file appears at its path, or none

use super::scratch::Scratch;
use super::{io, FileError};
use std::fs::{File, Metadata};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of standard output.
pub const STDOUT: &str = "-";

/// Whether `path` is standard output.
pub fn is_stdout(path: &Path) -> bool {
    [STDOUT, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn is_stderr(path: &Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| path == Path::new(name))
}

/// A temporary file for the contents until they are complete.
#[derive(Debug)]
enum Temporary {
    /// An unnamed file, so that nothing remains of it however the process ends.
    Unnamed(File),
    /// A named file, if the file system does not support unnamed ones.
    Named(Scratch),
}

impl Temporary {
    /// A file in `folder`, from where it can be moved to its path.
    fn new_in(folder: &Path) -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = linux::unnamed_file(folder) {
            return Ok(Self::Unnamed(file));
        }
        let mut builder = tempfile::Builder::new();
        // an ordinary file, not only for its owner; the umask applies
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::Named(Scratch::of(|| builder.tempfile_in(folder))?))
    }

    fn file(&mut self) -> &mut File {
        match self {
            Self::Unnamed(file) => file,
            Self::Named(scratch) => scratch.as_file_mut(),
        }
    }

    fn persist(self, path: &Path) -> Result<(), FileError> {
        match self {
            Self::Named(scratch) => scratch.persist(path),
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => linux::name(&file, path).map_err(io(path)),
            #[cfg(not(target_os = "linux"))]
            Self::Unnamed(_) => Err(io(path)(std::io::ErrorKind::Unsupported.into())),
        }
    }
}

impl Write for Temporary {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.file().write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file().flush()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use rustix::fs::{linkat, openat, AtFlags, Mode, OFlags, CWD};
    use std::os::fd::AsRawFd;

    pub(super) fn unnamed_file(folder: &Path) -> std::io::Result<File> {
        // required to give the file its name
        std::fs::metadata("/proc/self/fd")?;
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(CWD, folder, flags, Mode::from_raw_mode(0o666))?;
        Ok(File::from(file))
    }

    /// Gives the file its name. A link cannot replace a file, so the file is linked under another name and renamed.
    pub(super) fn name(file: &File, path: &Path) -> std::io::Result<()> {
        let from = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = |to: &Path| Ok(linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW)?);
        if link(path).is_ok() {
            return Ok(());
        }
        let named = tempfile::Builder::new().make_in(folder_of(path), link).map_err(strip)?;
        named.persist(path).map(drop).map_err(|e| e.error)
    }
}

/// Destination of the contents.
#[derive(Debug)]
enum Destination {
    Stdout,
    Stderr,
    /// Anything except a regular file, such as `/dev/null` or a pipe: the contents are written to it.
    InPlace,
    /// The file itself, after symbolic links.
    File(PathBuf),
}

/// A file that appears at its path when it is complete; `-` is standard output.
///
/// An existing file stays until then. A symbolic link remains a link, and a replaced file passes its permissions on to
/// the new one.
#[derive(Debug)]
pub struct Replacement {
    file: BufWriter<Temporary>,
    path: PathBuf,
    place: Destination,
}

impl Replacement {
    /// Starts a file for `path`; its folder must exist and be writable.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let place = match path {
            p if is_stdout(p) => Destination::Stdout,
            p if is_stderr(p) => Destination::Stderr,
            p if is_written_in_place(p) => Destination::InPlace,
            p => Destination::File(resolve_links(p)),
        };
        let file = match &place {
            Destination::File(path_of_file) => {
                if path_of_file.is_dir() {
                    let wrong = std::io::Error::new(std::io::ErrorKind::IsADirectory, "is a folder, expected a file");
                    return Err(io(path)(wrong));
                }
                let folder = folder_of(path_of_file);
                // reports an error of the folder rather than of a temporary file in it
                std::fs::metadata(folder).map_err(io(path))?;
                Temporary::new_in(folder).map_err(|e| io(path)(strip(e)))?
            }
            _ => Temporary::Unnamed(tempfile::tempfile().map_err(|e| io(path)(strip(e)))?),
        };
        Ok(Self { file: BufWriter::new(file), path: path.to_path_buf(), place })
    }

    /// Moves the file to its path; returns its size in bytes.
    ///
    /// # Errors
    /// If the system cannot move it, or cannot write the last bytes.
    pub fn commit(self) -> Result<u64, FileError> {
        let path = self.path;
        let mut file = self.file.into_inner().map_err(|e| io(&path)(e.into_error()))?;
        let size = file.file().metadata().map_err(io(&path))?.len();
        let mut copy = |to: &mut dyn Write| -> std::io::Result<()> {
            file.file().rewind()?;
            std::io::copy(file.file(), to)?;
            to.flush()
        };
        match self.place {
            Destination::Stdout => copy(&mut std::io::stdout().lock()).map_err(io(&path))?,
            Destination::Stderr => copy(&mut std::io::stderr().lock()).map_err(io(&path))?,
            Destination::InPlace => {
                let mut to = std::fs::OpenOptions::new().write(true).open(&path).map_err(io(&path))?;
                copy(&mut to).map_err(io(&path))?;
            }
            Destination::File(at) => {
                if let Some(before) = std::fs::metadata(&at).ok().filter(Metadata::is_file) {
                    file.file().set_permissions(before.permissions()).map_err(io(&path))?;
                }
                file.persist(&at)?;
            }
        }
        Ok(size)
    }
}

impl Write for Replacement {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Longest chain of symbolic links, as in Linux.
const MAX_LINKS: usize = 40;

/// The file to which `path` leads; it need not exist.
fn resolve_links(path: &Path) -> PathBuf {
    let mut at = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&at) {
            Ok(link) => at = folder_of(&at).join(link),
            Err(_) => break,
        }
    }
    at
}

/// Whether the path is something that a file must not replace. A folder does not count: writing to it fails. A path
/// below `/dev` may be a link to a file.
fn is_written_in_place(path: &Path) -> bool {
    let link = path.starts_with("/dev") && path.is_symlink();
    std::fs::metadata(path).is_ok_and(|found| !found.is_dir() && (link || !found.is_file()))
}

/// The error without the name of the temporary file.
fn strip(e: std::io::Error) -> std::io::Error {
    e.raw_os_error().map_or_else(|| std::io::Error::from(e.kind()), std::io::Error::from_raw_os_error)
}
