//! Writes the `mcfTRaptor` descriptors of a run to a file

use crate::disassembly::Disassembly;
use crate::progress::Progress;
use crate::run::{Run, RunTotals};
use crate::HostError;
use retire::file::Replacement;
use retire::{FlowEvent, RetireSink};
use sim::params::TraceParams;
use sim::scheme::cfiat::descriptor::Form;
use sim::scheme::tr::descriptor::{Descriptor, Descriptors, What};
use std::io::{self, Write};
use std::path::Path;

/// Number of events after which descriptors are written.
const DRAIN_INTERVAL: u32 = 1 << 14;

/// Result of writing descriptors.
#[derive(Clone, Debug)]
pub struct Written {
    /// The run.
    pub totals: RunTotals,
    /// Mispredicted outcomes.
    pub outcomes: u64,
    /// Mispredicted targets, and conditional indirect branches not taken.
    pub targets: u64,
    /// Exceptions and interrupts.
    pub exceptions: u64,
    /// Size of the file, bytes.
    pub bytes: u64,
}

/// A file that counts its bytes.
struct File {
    out: Replacement,
    bytes: u64,
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes descriptors to a file as they are made; keeps the first error.
struct ToFile {
    made: Descriptors,
    form: Form,
    file: File,
    error: Option<io::Error>,
    since: u32,
    kinds: [u64; 3],
    /// With it, each line ends with its instruction.
    disassembly: Option<Disassembly>,
}

impl ToFile {
    fn drain(&mut self) {
        for d in self.made.take() {
            self.kinds[kind(&d)] += 1;
            if self.error.is_none() {
                self.error = write(&d, self.form, &mut self.file).err();
            }
        }
    }

    /// Writes the descriptor of an event with its instruction.
    fn disassembled(&mut self, e: &FlowEvent) {
        let Some(disassembly) = &mut self.disassembly else { return };
        let mut line = Vec::new();
        for d in self.made.take() {
            self.kinds[kind(&d)] += 1;
            // writing to memory cannot fail
            let _ = write(&d, self.form, &mut line);
        }
        if !line.is_empty() {
            disassembly.append(e.hart, e.pc, &mut line);
        }
        disassembly.pass(e);
        if self.error.is_none() {
            self.error = self.file.write_all(&line).err();
        }
    }
}

/// Index of a descriptor's kind.
fn kind(d: &Descriptor) -> usize {
    match d.what {
        What::Outcome { .. } => 0,
        What::Target { .. } => 1,
        What::Exception { .. } => 2,
    }
}

fn write(d: &Descriptor, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Ascii => d.ascii(out),
        Form::Binary => d.binary(out),
    }
}

impl RetireSink for ToFile {
    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.made.event(e);
        if self.disassembly.is_some() {
            return self.disassembled(e);
        }
        self.since += 1;
        if self.since == DRAIN_INTERVAL {
            self.since = 0;
            self.drain();
        }
    }
}

/// Writes the descriptors of `run` into the file at `path`; with `disassemble`, each line with its instruction.
///
/// # Errors
/// The scheme is not T-raptor, so it has no descriptors, or the file cannot be written.
pub fn to_file(
    run: &Run<'_>,
    params: &TraceParams,
    (form, disassemble): (Form, bool),
    path: &Path,
    progress: &dyn Progress,
) -> Result<Written, HostError> {
    let Some((tr, shared)) = params.flow.predictors() else {
        return Err(HostError::Other(format!(
            "scheme `{}` has no descriptors; those of T-raptor have them, as tr_e:m4 and tr_e:m4+shared, and cfiat",
            params.flow
        )));
    };
    let disassembly = disassemble.then(|| Disassembly::of(run, progress)).transpose()?;
    let file = File { out: Replacement::create(path)?, bytes: 0 };
    let made = Descriptors::new(&tr, &params.platform, shared);
    let mut sink = ToFile { made, form, file, error: None, since: 0, kinds: [0; 3], disassembly };
    let totals = run.report_to(&mut sink, progress)?;
    sink.drain();
    if let Some(e) = sink.error {
        return Err(HostError::io(path, e));
    }
    let ([outcomes, targets, exceptions], bytes) = (sink.kinds, sink.file.bytes);
    sink.file.out.commit()?;
    Ok(Written { totals, outcomes, targets, exceptions, bytes })
}
