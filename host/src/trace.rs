//! A trace file with the program it is of, replayed

use crate::input::{check_build_id, Beside, Named, BUILTIN};
use crate::progress::{Progress, Words};
use crate::recording::{FileKind, Recording};
use crate::HostError;
use retire::image::Image;
use sim::file::{TraceInfo, TraceReader};
use sim::replay::{Replay, ReplaySink, ReplaySummary};
use std::path::{Path, PathBuf};

/// A trace file with the program it is of.
pub struct Trace {
    reader: TraceReader,
    info: TraceInfo,
    image: Image,
    path: PathBuf,
    resume: bool,
}

impl Trace {
    /// Opens both; the program may be a recording of the run, from which the code is learned.
    pub fn open(trace: &Path, beside: Beside<'_>, progress: &dyn Progress) -> Result<Self, HostError> {
        let reader = TraceReader::<TraceInfo>::open(trace)?;
        let info = reader.info().clone();
        let name = trace.display().to_string();
        let Some(elf) = beside.elf else {
            return Err(HostError::Other(format!("{name}: is a trace file; --elf must name its program")));
        };
        let check = |found: &str| {
            if beside.any_build {
                return Ok(());
            }
            check_build_id(&name, &info.program, &info.build_id, elf, found)
        };
        let kind = if elf.starts_with(BUILTIN) { FileKind::Other } else { FileKind::of(Path::new(elf))? };
        let image = match kind {
            FileKind::Retire | FileKind::Rbt1 => {
                let recording = Recording::open(Path::new(elf))?;
                check(&recording.info().build_id)?;
                recording.image(progress)?
            }
            FileKind::Trace | FileKind::Inputs | FileKind::Values | FileKind::Other => {
                let named = Named::open(elf)?;
                check(&named.build_id)?;
                Image::new(&named.program)
            }
        };
        Ok(Self { reader, info, image, path: trace.to_path_buf(), resume: false })
    }

    /// What the file says of itself.
    pub fn info(&self) -> &TraceInfo {
        &self.info
    }

    /// The program, as replay walks it.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Goes on at the next header where the stream is damaged, if `resume` says so.
    #[must_use]
    pub fn resuming(self, resume: bool) -> Self {
        Self { resume, ..self }
    }

    /// Replays message by message until the stream ends or `stop` says so.
    pub fn replay<S: ReplaySink>(
        mut self,
        sink: &mut S,
        progress: &dyn Progress,
        mut stop: impl FnMut(&mut S) -> bool,
    ) -> Result<ReplaySummary, HostError> {
        let total = std::fs::metadata(&self.path).map_or(0, |m| m.len() / 4);
        let words = Words::new(&mut self.reader, progress.begin("replaying", "words", Some(total)));
        let replayed = Replay::new(&self.image, &self.info.params, words).and_then(|mut replay| loop {
            match replay.step(sink) {
                Ok(true) if !stop(sink) => {}
                Ok(_) => return Ok(replay.summary()),
                Err(_) if self.resume && replay.resume() => {}
                Err(e) => return Err(e),
            }
        });
        // a damaged file is the reason of what replay says then, so it is told first
        if let Some(e) = self.reader.error() {
            return Err(e.into());
        }
        replayed.map_err(|source| HostError::Replay { path: self.path.display().to_string(), source })
    }
}
