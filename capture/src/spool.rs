//! The words of a run in a file without a name, packed
//!
//! What a file says of its harts stands at its beginning, and is known at the end of the run. So the run is kept first:
//! block numbers pack to a fraction of a byte each.

use crate::CaptureError;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

/// zstd: higher levels cost more than they save.
const LEVEL: i32 = 1;
/// Words read at once.
const PORTION: usize = 1 << 16;

/// Takes the words of a run.
pub(crate) struct SpoolWriter {
    zstd: zstd::Encoder<'static, File>,
    /// The same file.
    file: File,
    bytes: Vec<u8>,
    folder: String,
}

/// A run that was kept.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    folder: String,
    /// Packed, bytes.
    pub(crate) size: u64,
}

fn failed(folder: &str) -> impl Fn(std::io::Error) -> CaptureError + '_ {
    move |source| CaptureError::Io { path: format!("{folder} (temporary file)"), source }
}

impl SpoolWriter {
    /// A new file in `folder`.
    pub(crate) fn create(folder: &Path) -> Result<Self, CaptureError> {
        let name = folder.display().to_string();
        let file = tempfile::tempfile_in(folder).map_err(failed(&name))?;
        let zstd = zstd::Encoder::new(file.try_clone().map_err(failed(&name))?, LEVEL).map_err(failed(&name))?;
        Ok(Self { zstd, file, bytes: Vec::new(), folder: name })
    }

    /// Appends words.
    pub(crate) fn write(&mut self, words: &[u32]) -> Result<(), CaptureError> {
        self.bytes.resize(4 * words.len(), 0);
        for (bytes, word) in self.bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        self.zstd.write_all(&self.bytes).map_err(failed(&self.folder))
    }

    /// Bytes in the file so far.
    pub(crate) fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |m| m.len())
    }

    /// All that was written; also after a write that failed, up to there.
    pub(crate) fn finish(self) -> Result<Spool, CaptureError> {
        let Self { zstd, file, folder, .. } = self;
        // a disk that is full has kept what came before
        let _ = zstd.finish();
        let size = file.metadata().map_err(failed(&folder))?.len();
        Ok(Spool { file, folder, size })
    }
}

impl Spool {
    /// Hands all words to `take` in portions, until that says false.
    pub(crate) fn read(&self, mut take: impl FnMut(&[u32]) -> Result<bool, CaptureError>) -> Result<(), CaptureError> {
        let failed = failed(&self.folder);
        let mut file = &self.file;
        file.rewind().map_err(&failed)?;
        let mut zstd = zstd::Decoder::new(file).map_err(&failed)?;
        let (mut bytes, mut words) = (vec![0; 4 * PORTION], Vec::with_capacity(PORTION));
        loop {
            let mut got = 0;
            while got < bytes.len() {
                match zstd.read(&mut bytes[got..]) {
                    Ok(0) => break,
                    Ok(n) => got += n,
                    // the disk was full: the words before are whole
                    Err(e) if e.kind() == ErrorKind::UnexpectedEof => break,
                    Err(e) => return Err(failed(e)),
                }
            }
            words.clear();
            words.extend(bytes[..got].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
            if !take(&words)? || got < bytes.len() {
                return Ok(());
            }
        }
    }
}
