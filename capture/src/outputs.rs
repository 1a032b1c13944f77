//! The output files of a run: recordings and descriptors, written in one pass

use crate::descriptor::{self, Form};
use crate::expand::{Expanded, Origin, Sink};
use crate::packed;
use crate::run::Captured;
use crate::statistics::Statistics;
use crate::CaptureError;
use retire::code::{Change, CodeBlock};
use retire::file::rbt1::Rbt1Writer;
use retire::file::retire::{DataWriter, RetireInfo, RetireWriter};
use retire::file::{io, FileError, Replacement};
use retire::{DataEvent, FlowEvent, RetireSink};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compression of descriptor files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Uncompressed.
    None,
    /// As `gzip -6`.
    Gzip,
    /// As `zstd -3`.
    Zstd,
    /// As `bzip2 -9`.
    Bzip2,
    /// As `xz -6`.
    Xz,
}

impl Compression {
    /// All compressions, with their names.
    pub const ALL: [(&'static str, Self); 5] =
        [("none", Self::None), ("gzip", Self::Gzip), ("zstd", Self::Zstd), ("bzip2", Self::Bzip2), ("xz", Self::Xz)];
}

enum Packed {
    None(Replacement),
    Gzip(flate2::write::GzEncoder<Replacement>),
    Zstd(zstd::Encoder<'static, Replacement>),
    Bzip2(bzip2::write::BzEncoder<Replacement>),
    Xz(liblzma::write::XzEncoder<Replacement>),
}

impl Packed {
    fn new(file: Replacement, compression: Compression) -> std::io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(file),
            Compression::Gzip => Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::new(6))),
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(file, 3)?),
            Compression::Bzip2 => Self::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::best())),
            Compression::Xz => Self::Xz(liblzma::write::XzEncoder::new(file, 6)),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::None(w) => w.write_all(bytes),
            Self::Gzip(w) => w.write_all(bytes),
            Self::Zstd(w) => w.write_all(bytes),
            Self::Bzip2(w) => w.write_all(bytes),
            Self::Xz(w) => w.write_all(bytes),
        }
    }

    fn finish(self) -> std::io::Result<Replacement> {
        match self {
            Self::None(w) => Ok(w),
            Self::Gzip(w) => w.finish(),
            Self::Zstd(w) => w.finish(),
            Self::Bzip2(w) => w.finish(),
            Self::Xz(w) => w.finish(),
        }
    }
}

/// Bytes that are compressed at a time.
const COMPRESS_BYTES: usize = 1 << 16;

/// A file of descriptors.
struct Descriptors {
    form: Form,
    packed: Packed,
    buffer: Vec<u8>,
    error: Option<FileError>,
    path: PathBuf,
    count: u64,
    bytes: u64,
    /// First thread whose number does not fit into a descriptor.
    unnumbered: Option<u32>,
}

impl Descriptors {
    fn create(path: &Path, form: Form, compression: Compression) -> Result<Self, FileError> {
        let packed = Packed::new(Replacement::create(path)?, compression).map_err(io(path))?;
        let path = path.into();
        Ok(Self { form, packed, buffer: Vec::new(), error: None, path, count: 0, bytes: 0, unnumbered: None })
    }

    #[inline]
    fn add(&mut self, thread: u32, put: impl FnOnce(Form, &mut Vec<u8>) -> bool) {
        if self.unnumbered.is_some() || !put(self.form, &mut self.buffer) {
            return;
        }
        self.count += 1;
        if thread > descriptor::MAX_BINARY_THREAD && !self.form.ascii {
            // the file is given up, but not the others
            self.unnumbered = Some(thread);
            self.buffer.clear();
        }
        if self.buffer.len() >= COMPRESS_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.bytes += self.buffer.len() as u64;
        if self.error.is_none() {
            self.error = self.packed.write_all(&self.buffer).map_err(io(&self.path)).err();
        }
        self.buffer.clear();
    }

    /// Completes the file, unless it is given up.
    fn finish(mut self) -> Result<Result<Written, Unnumbered>, FileError> {
        if let Some(thread) = self.unnumbered {
            return Ok(Err(Unnumbered { path: self.path, thread }));
        }
        self.flush();
        if let Some(e) = self.error {
            return Err(e);
        }
        let mut file = self.packed.finish().map_err(io(&self.path))?;
        file.flush().map_err(io(&self.path))?;
        let size = file.commit()?;
        Ok(Ok(Written { path: self.path, records: Some(self.count), unpacked: Some(self.bytes), size }))
    }
}

/// The files that a capture is requested to write.
#[derive(Clone, Debug, Default)]
pub struct OutputFiles {
    /// Packed recording.
    pub packed: Option<PathBuf>,
    /// Branches and operands are counted, even if no file but the packed recording is requested.
    pub counts: bool,
    /// Retire file.
    pub retire: Option<PathBuf>,
    /// The retire file contains loads and stores.
    pub data: bool,
    /// Branch trace.
    pub rbt1: Option<PathBuf>,
    /// Control-flow descriptors.
    pub mcf: Option<(PathBuf, Form, Compression)>,
    /// Load and store descriptors.
    pub mls: Option<(PathBuf, Form, Compression)>,
    /// Largest size of a file of descriptors before compression, bytes.
    pub size: Option<u64>,
}

impl OutputFiles {
    /// Whether the run must be expanded. Without any file, its branches are counted.
    pub fn needs_events(&self) -> bool {
        let has_file = self.retire.is_some() || self.rbt1.is_some() || self.mcf.is_some() || self.mls.is_some();
        has_file || self.counts || self.packed.is_none()
    }

    /// Most harts that all requested files support.
    pub fn max_harts(&self) -> u8 {
        match self.rbt1 {
            Some(_) => retire::file::rbt1::MAX_THREADS as u8,
            None => crate::run::MAX_HARTS,
        }
    }
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Path.
    pub path: PathBuf,
    /// Number of descriptors or records.
    pub records: Option<u64>,
    /// Size before compression, bytes.
    pub unpacked: Option<u64>,
    /// Size, bytes.
    pub size: u64,
}

/// A file of binary descriptors that was not written, because a thread has no number in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unnumbered {
    /// Path.
    pub path: PathBuf,
    /// The first such thread.
    pub thread: u32,
}

impl std::fmt::Display for Unnumbered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let most = descriptor::MAX_BINARY_THREAD;
        let Self { path, thread } = self;
        write!(
            f,
            "{}: not written: binary descriptors have one byte for the thread, 0 to {most}, and the run has thread {thread}; \
             `--ascii` writes every number",
            path.display()
        )
    }
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Counts of the expansion; if there was none, only the number of instructions, in which blocks that were left early
    /// count as a whole.
    pub expanded: Expanded,
    /// The run was expanded.
    pub is_expanded: bool,
    /// Branch and operand counts.
    pub statistics: Statistics,
    /// Number of harts in the recordings.
    pub harts: u8,
    /// The files, in the order of [`OutputFiles`].
    pub written: Vec<Written>,
    /// Files that were requested and not written.
    pub unnumbered: Vec<Unnumbered>,
    /// A file of descriptors reached its limit.
    pub full: bool,
}

impl Outcome {
    /// Result of a run of which only a packed recording is written.
    fn packed(captured: &Captured, harts: u8, written: Written) -> Self {
        Self {
            expanded: Expanded { instructions: captured.expected(), ..Expanded::default() },
            is_expanded: false,
            statistics: Statistics::default(),
            harts,
            written: vec![written],
            unnumbered: Vec::new(),
            full: false,
        }
    }
}

enum Recording {
    Flow(Box<RetireWriter>),
    Data(Box<DataWriter>),
}

struct All<'a, S> {
    retire: Option<Recording>,
    rbt1: Option<Rbt1Writer>,
    mcf: Option<Descriptors>,
    mls: Option<Descriptors>,
    statistics: Statistics,
    also: &'a mut S,
    most: u64,
}

impl<S: RetireSink> Sink for All<'_, S> {
    #[inline]
    fn event(&mut self, of: &Origin<'_>, event: &FlowEvent) {
        self.statistics.event(of.thread, event.kind);
        self.also.event(event);
        match &mut self.retire {
            Some(Recording::Flow(w)) => w.event(event),
            Some(Recording::Data(w)) => w.event(event),
            None => {}
        }
        if let Some(w) = &mut self.rbt1 {
            w.event(event);
        }
        if let Some(d) = &mut self.mcf {
            d.add(of.thread, |form, out| descriptor::mcf(form, of, event, out));
        }
    }

    #[inline]
    fn data(&mut self, of: &Origin<'_>, data: &DataEvent) {
        self.statistics.data(of.thread, of.operand, data);
        self.also.data(data);
        if let Some(Recording::Data(w)) = &mut self.retire {
            w.data(data);
        }
        if let Some(d) = &mut self.mls {
            d.add(of.thread, |form, out| descriptor::mls(form, of, data, out));
        }
    }

    fn wants_code(&self) -> bool {
        self.retire.is_some()
    }

    fn code_block(&mut self, block: &CodeBlock) {
        match &mut self.retire {
            Some(Recording::Flow(w)) => w.code_block(block),
            Some(Recording::Data(w)) => w.code_block(block),
            None => {}
        }
    }

    fn code_change(&mut self, change: Change) {
        match &mut self.retire {
            Some(Recording::Flow(w)) => w.code_change(change),
            Some(Recording::Data(w)) => w.code_change(change),
            None => {}
        }
    }

    fn is_full(&self) -> bool {
        let full = |d: &Descriptors| d.bytes + d.buffer.len() as u64 >= self.most || d.error.is_some();
        let failed = match &self.retire {
            Some(Recording::Flow(w)) => w.has_failed(),
            Some(Recording::Data(w)) => w.has_failed(),
            None => false,
        };
        let failed = failed || self.rbt1.as_ref().is_some_and(Rbt1Writer::has_failed);
        failed || self.mcf.as_ref().is_some_and(full) || self.mls.as_ref().is_some_and(full)
    }
}

/// Writes the packed recording of a run, if it is requested, and `others` after it unless nothing else is.
pub fn write_packed<E: From<CaptureError>>(
    captured: &mut Captured,
    wanted: &OutputFiles,
    harts: u8,
    tool: &str,
    others: impl FnOnce(&mut Captured) -> Result<Outcome, E>,
) -> Result<Outcome, E> {
    let packed = wanted.packed.as_ref().map(|path| packed::write(captured, path, tool)).transpose()?;
    match packed {
        Some(packed) if !wanted.needs_events() => Ok(Outcome::packed(captured, harts, packed)),
        packed => {
            let mut outcome = others(captured)?;
            outcome.written.splice(0..0, packed);
            Ok(outcome)
        }
    }
}

/// Writes all requested files of a run but the packed recording, and also passes the run to `also`. `tool`: the tool
/// version in the files.
///
/// `progress` gets numbers of instructions; when it returns false, the files end there. When a file cannot be written,
/// for example because the disk is full, no more are read, and no file appears.
pub fn write(
    captured: &Captured,
    wanted: &OutputFiles,
    harts: u8,
    tool: &str,
    also: &mut impl RetireSink,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Outcome, CaptureError> {
    let executable = &captured.executable;
    let info = RetireInfo {
        tool: tool.into(),
        harts,
        xlen: executable.machine.xlen(),
        build_id: executable.build_id.clone(),
        program: executable.path.display().to_string(),
        source: captured.source(),
        threads: Vec::new(),
        // serialised turns are not simultaneous execution
        untimed: true,
    };
    let retire = match &wanted.retire {
        Some(path) if wanted.data => Some(Recording::Data(Box::new(DataWriter::create_with_code(path, &info)?))),
        Some(path) => Some(Recording::Flow(Box::new(RetireWriter::create_with_code(path, &info)?))),
        None => None,
    };
    let packs = |path: &Path| path.extension().is_some_and(|e| e == "zst");
    let rbt1 = wanted.rbt1.as_ref().map(|path| Rbt1Writer::create(path, packs(path), &[])).transpose()?;
    let descriptors = |d: &Option<(PathBuf, Form, Compression)>| {
        d.as_ref().map(|(path, form, compression)| Descriptors::create(path, *form, *compression)).transpose()
    };
    let mut all = All {
        retire,
        rbt1,
        mcf: descriptors(&wanted.mcf)?,
        mls: descriptors(&wanted.mls)?,
        statistics: Statistics::default(),
        also,
        most: wanted.size.unwrap_or(u64::MAX),
    };
    let expanded = captured.expand_to(harts, &mut all, progress)?;
    let full = all.is_full();
    let mut written = Vec::new();
    let done = |path: &Path, records, size| Written { path: path.into(), records, unpacked: None, size };
    if let (Some(writer), Some(path)) = (all.retire, &wanted.retire) {
        let size = match writer {
            Recording::Flow(w) => w.finish()?,
            Recording::Data(w) => w.finish()?,
        };
        written.push(done(path, None, size));
    }
    if let (Some(writer), Some(path)) = (all.rbt1, &wanted.rbt1) {
        let rbt1 = writer.finish()?;
        written.push(done(path, Some(rbt1.records), rbt1.size));
    }
    let mut unnumbered = Vec::new();
    for descriptors in [all.mcf, all.mls].into_iter().flatten() {
        match descriptors.finish()? {
            Ok(file) => written.push(file),
            Err(file) => unnumbered.push(file),
        }
    }
    Ok(Outcome { expanded, is_expanded: true, statistics: all.statistics, harts, written, unnumbered, full })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of descriptors of a branch of each thread.
    fn of_threads(threads: &[u32], ascii: bool) -> (Result<Written, Unnumbered>, Option<Vec<u8>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcf");
        let form = Form { ascii, address: 4, text: false, loads: false, stores: false };
        let mut file = Descriptors::create(&path, form, Compression::None).unwrap();
        for thread in threads {
            let kind = retire::FlowKind::Jump;
            let event = FlowEvent { hart: 0, kind, len: 4, count: 1, pc: 0x1000, target: 0x2000, cycle: 1 };
            let of = Origin { thread: *thread, text: "", operand: 0, direct: 0x2000 };
            file.add(*thread, |form, out| descriptor::mcf(form, &of, &event, out));
        }
        let finished = file.finish().unwrap();
        (finished, std::fs::read(&path).ok())
    }

    #[test]
    fn a_thread_beyond_one_byte_never_gets_the_number_of_another() {
        let (file, bytes) = of_threads(&[0, 255], false);
        assert_eq!(file.unwrap().records, Some(2));
        let bytes = bytes.unwrap();
        assert_eq!((bytes.len(), bytes[0], bytes[10]), (20, 0, 255));
        let (file, bytes) = of_threads(&[0, 256, 1, 300], false);
        let refused = file.unwrap_err();
        assert_eq!((refused.thread, bytes), (256, None));
        assert!(refused.to_string().ends_with(
            "a.mcf: not written: binary descriptors have one byte for the thread, 0 to 255, and the run has thread 256; \
             `--ascii` writes every number"
        ));
        let (file, bytes) = of_threads(&[0, 256], true);
        assert_eq!(file.unwrap().records, Some(2));
        assert_eq!(bytes.unwrap(), b"0, 0x00001000, 0x00002000, U, D, T\n256, 0x00001000, 0x00002000, U, D, T\n");
    }
}
