//! The words of a run in a file without a name, packed
//!
//! What a file says of its harts stands at its beginning, and is known at the end of the run. So the run is kept first:
//! block numbers pack to a fraction of a byte each.

use crate::pack::{Packer, Unpacker};
use crate::CaptureError;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

/// zstd: higher levels cost more than they save. What comes here has few repetitions left.
const LEVEL: i32 = -1;
/// Bytes that a column of a frame has at most; a frame has less, but for a block of code of 64 MB.
const MOST: u32 = 1 << 28;

/// Takes the words of a run.
pub(crate) struct SpoolWriter {
    packer: Packer,
    zstd: zstd::Encoder<'static, File>,
    /// The same file.
    file: File,
    data: bool,
    folder: String,
}

/// A run that was kept.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    data: bool,
    folder: String,
    /// Packed, bytes.
    pub(crate) size: u64,
}

fn failed(folder: &str) -> impl Fn(std::io::Error) -> CaptureError + '_ {
    move |source| CaptureError::Io { path: format!("{folder} (temporary file)"), source }
}

impl SpoolWriter {
    /// A new file in `folder`, for a run with loads and stores or without.
    pub(crate) fn create(folder: &Path, data: bool) -> Result<Self, CaptureError> {
        let name = folder.display().to_string();
        let file = tempfile::tempfile_in(folder).map_err(failed(&name))?;
        let zstd = zstd::Encoder::new(file.try_clone().map_err(failed(&name))?, LEVEL).map_err(failed(&name))?;
        Ok(Self { packer: Packer::new(data), zstd, file, data, folder: name })
    }

    /// Appends words: whole entries.
    pub(crate) fn write(&mut self, words: &[u32]) -> Result<(), CaptureError> {
        self.packer.pack(words, |frame| self.zstd.write_all(frame)).map_err(failed(&self.folder))
    }

    /// Bytes in the file so far.
    pub(crate) fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |m| m.len())
    }

    /// All that was written; also after a write that failed, up to there.
    pub(crate) fn finish(self) -> Result<Spool, CaptureError> {
        let Self { mut packer, mut zstd, file, data, folder } = self;
        // a disk that is full has kept what came before
        let _ = packer.end(|frame| zstd.write_all(frame)).and_then(|()| zstd.finish());
        let size = file.metadata().map_err(failed(&folder))?.len();
        Ok(Spool { file, data, folder, size })
    }
}

impl Spool {
    /// Hands all words to `take` in portions, until that says false.
    pub(crate) fn read(&self, mut take: impl FnMut(&[u32]) -> Result<bool, CaptureError>) -> Result<(), CaptureError> {
        let failed = failed(&self.folder);
        let mut file = &self.file;
        file.rewind().map_err(&failed)?;
        let mut zstd = zstd::Decoder::new(file).map_err(&failed)?;
        let mut unpacker = Unpacker::new(self.data);
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        loop {
            let mut lengths = [0; 16];
            // where the disk was full, the frames before are whole
            if !whole(&mut zstd, &mut lengths).map_err(&failed)? {
                return Ok(());
            }
            let lengths = [0, 4, 8, 12].map(|i| u32::from_le_bytes(std::array::from_fn(|j| lengths[i + j])));
            let damaged = || failed(std::io::Error::new(ErrorKind::InvalidData, "what was kept is damaged"));
            if lengths.iter().any(|n| *n > MOST) {
                return Err(damaged());
            }
            bytes.resize(lengths.iter().map(|n| *n as usize).sum(), 0);
            if !whole(&mut zstd, &mut bytes).map_err(&failed)? {
                return Ok(());
            }
            let mut rest = &bytes[..];
            let columns = lengths.map(|n| {
                let (column, behind) = rest.split_at(n as usize);
                rest = behind;
                column
            });
            words.clear();
            unpacker.unpack(columns, &mut words).ok_or_else(damaged)?;
            if !take(&words)? {
                return Ok(());
            }
        }
    }
}

/// Fills `bytes`; false where there are not so many.
fn whole(from: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}
