//! Storage of the words of a run, compressed in an unnamed file
//!
//! The header of a file describes its harts, which are known at the end of the run. So the run is stored first: block
//! numbers compress to a fraction of a byte each.

use crate::pack::Packer;
use crate::unpack::Unpacker;
use crate::CaptureError;
use retire::file::input::Input;
use std::cell::RefCell;
use std::fmt::Debug;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Take, Write};
use std::ops::Range;
use std::path::Path;

/// zstd level: higher levels cost more than they save, as the input has few repetitions left.
const LEVEL: i32 = -1;
/// Largest size of a column of a frame, bytes; a frame is smaller, except for a block of code of 64 MB.
const MAX_COLUMN_BYTES: u32 = 1 << 28;

const DAMAGED: &str = "the packed words of the run are damaged";

/// Bytes that are compressed at a time.
const UNIT: usize = 1 << 18;

/// A writer for the words of a run.
pub(crate) struct SpoolWriter {
    packer: Packer,
    units: UnitWriter,
    data: bool,
    /// The file, for errors.
    name: String,
}

/// A writer of independently compressed units, each preceded by its length and its compressed length.
///
/// A single stream would search for repetitions in earlier units, of which there are few, and take half as long again.
struct UnitWriter {
    zstd: zstd::bulk::Compressor<'static>,
    bytes: Vec<u8>,
    packed: Vec<u8>,
    file: File,
}

impl UnitWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= UNIT {
            self.end()?;
        }
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(self.bytes.len()));
        let n = self.zstd.compress_to_buffer(&self.bytes, &mut self.packed)?;
        let lengths = [self.bytes.len() as u32, n as u32].map(u32::to_le_bytes);
        self.bytes.clear();
        self.file.write_all(lengths.as_flattened())?;
        self.file.write_all(&self.packed)
    }
}

/// What a stored run is read from.
trait Content: Read + Seek + Debug {}

impl<T: Read + Seek + Debug> Content for T {}

/// A stored run.
#[derive(Debug)]
pub(crate) struct Spool {
    content: RefCell<Box<dyn Content>>,
    /// Where it begins in the file.
    start: u64,
    /// Whether it has loads and stores.
    pub(crate) data: bool,
    /// The file, for errors.
    name: String,
    /// Compressed size, bytes.
    pub(crate) size: u64,
}

fn temporary(folder: &Path) -> String {
    format!("{} (temporary file)", folder.display())
}

fn failed(name: &str) -> impl Fn(std::io::Error) -> CaptureError + '_ {
    move |source| CaptureError::Io { path: name.into(), source }
}

impl SpoolWriter {
    /// Creates a file in `folder`, for a run with or without loads and stores.
    pub(crate) fn create(folder: &Path, data: bool) -> Result<Self, CaptureError> {
        let name = temporary(folder);
        let file = tempfile::tempfile_in(folder).map_err(failed(&name))?;
        let zstd = zstd::bulk::Compressor::new(LEVEL).map_err(failed(&name))?;
        let units = UnitWriter { zstd, bytes: Vec::new(), packed: Vec::new(), file };
        Ok(Self { packer: Packer::new(data), units, data, name })
    }

    /// Appends words, in whole entries, and returns how many were taken: all, or at least some.
    pub(crate) fn write(&mut self, words: &[u32]) -> Result<usize, CaptureError> {
        self.packer.pack(words, |frame| self.units.write(frame)).map_err(failed(&self.name))
    }

    /// Size of the file so far, bytes.
    pub(crate) fn size(&self) -> u64 {
        self.units.file.metadata().map_or(0, |m| m.len())
    }

    /// The stored run; after a failed write, everything before it.
    pub(crate) fn finish(self) -> Result<Spool, CaptureError> {
        let Self { mut packer, mut units, data, name } = self;
        // if the disk is full, everything before is kept
        let _ = packer.end(|frame| units.write(frame)).and_then(|()| units.end());
        let file = units.file;
        let size = file.metadata().map_err(failed(&name))?.len();
        Ok(Spool { content: RefCell::new(Box::new(file)), start: 0, data, name, size })
    }
}

/// A reader of compressed units.
struct UnitReader<R> {
    zstd: zstd::bulk::Decompressor<'static>,
    bytes: Vec<u8>,
    at: usize,
    packed: Vec<u8>,
    file: Take<R>,
}

impl<R: Read> Read for UnitReader<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.bytes.len() {
            let mut lengths = [0; 8];
            if !whole(&mut self.file, &mut lengths)? {
                return Ok(0);
            }
            let [length, packed] = [0, 4].map(|i| u32::from_le_bytes(std::array::from_fn(|j| lengths[i + j])));
            if length > MAX_COLUMN_BYTES || packed > MAX_COLUMN_BYTES {
                return Err(std::io::Error::new(ErrorKind::InvalidData, DAMAGED));
            }
            self.packed.resize(packed as usize, 0);
            // if the disk was full, the units before are complete
            if !whole(&mut self.file, &mut self.packed)? {
                return Ok(0);
            }
            (self.bytes, self.at) = (self.zstd.decompress(&self.packed, length as usize)?, 0);
        }
        let n = to.len().min(self.bytes.len() - self.at);
        to[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

impl Spool {
    /// A run that is stored at `place` of a file.
    pub(crate) fn stored(file: Input, path: &Path, data: bool, place: Range<u64>) -> Self {
        let (start, size) = (place.start, place.end - place.start);
        Self { content: RefCell::new(Box::new(file)), start, data, name: path.display().to_string(), size }
    }

    /// Passes the compressed bytes to `take` in portions.
    pub(crate) fn copy(
        &self,
        portion: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        let failed = failed(&self.name);
        let mut content = self.content.borrow_mut();
        content.seek(SeekFrom::Start(self.start)).map_err(&failed)?;
        let (mut bytes, mut rest) = (vec![0; portion], self.size);
        while rest > 0 {
            let n = rest.min(portion as u64) as usize;
            content.read_exact(&mut bytes[..n]).map_err(&failed)?;
            take(&bytes[..n])?;
            rest -= n as u64;
        }
        Ok(())
    }

    /// Passes all words to `take` in portions, until it returns false.
    pub(crate) fn read(&self, mut take: impl FnMut(&[u32]) -> Result<bool, CaptureError>) -> Result<(), CaptureError> {
        let failed = failed(&self.name);
        let mut content = self.content.borrow_mut();
        content.seek(SeekFrom::Start(self.start)).map_err(&failed)?;
        let file = (&mut **content).take(self.size);
        let zstd = zstd::bulk::Decompressor::new().map_err(&failed)?;
        let mut units = UnitReader { zstd, bytes: Vec::new(), at: 0, packed: Vec::new(), file };
        let mut unpacker = Unpacker::new(self.data);
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        loop {
            let mut lengths = [0; 16];
            // if the disk was full, the frames before are complete
            if !whole(&mut units, &mut lengths).map_err(&failed)? {
                return Ok(());
            }
            let lengths = [0, 4, 8, 12].map(|i| u32::from_le_bytes(std::array::from_fn(|j| lengths[i + j])));
            let damaged = || failed(std::io::Error::new(ErrorKind::InvalidData, DAMAGED));
            if lengths.iter().any(|n| *n > MAX_COLUMN_BYTES) {
                return Err(damaged());
            }
            bytes.resize(lengths.iter().map(|n| *n as usize).sum(), 0);
            if !whole(&mut units, &mut bytes).map_err(&failed)? {
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

/// Fills `bytes`; false at the end of the data.
fn whole(from: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{FRAME_WORDS, PORTION};

    #[test]
    fn memory_does_not_grow_with_a_regular_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SpoolWriter::create(folder.path(), false).unwrap();
        // a loop of one block
        let words = vec![3; PORTION];
        let all = 3 * FRAME_WORDS + 5 * PORTION;
        let mut written = 0;
        while written < all {
            written += writer.write(&words).unwrap();
        }
        let (mut read, mut longest) = (0, 0);
        let spool = writer.finish().unwrap();
        let mut take = |portion: &[u32]| {
            assert!(portion.iter().all(|word| *word == 3));
            read += portion.len();
            longest = longest.max(portion.len());
            Ok(true)
        };
        spool.read(&mut take).unwrap();
        assert_eq!(read, written);
        assert!(longest < FRAME_WORDS + PORTION, "{longest}");
        assert!(spool.size < 1 << 16, "{}", spool.size);
    }
}
