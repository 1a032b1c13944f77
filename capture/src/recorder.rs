//! What is kept of one process: its ring is read, and its words are stored

use crate::border::Border;
use crate::expand::{Expander, IgnoreAll};
use crate::layout::{self, SLOTS};
use crate::machine::{Executable, Machine};
use crate::routines::pieces;
use crate::run::{Captured, Ended, Options, Process, MAX_HARTS};
use crate::schedule::Schedule;
use crate::shared::Shared;
use crate::spool::SpoolWriter;
use crate::words::Words;
use crate::CaptureError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Settings of the plugin, the same for all processes.
pub(crate) struct Settings<'a> {
    pub(crate) options: &'a Options,
    code: u64,
    pieces: Vec<std::ops::Range<u64>>,
}

impl<'a> Settings<'a> {
    pub(crate) fn new(executable: &Executable, options: &'a Options) -> Result<Self, CaptureError> {
        Ok(Self { options, code: executable.code, pieces: pieces(&options.routines)? })
    }

    /// A control page and a ring. `files`: the registry of processes and the plugin, as descriptors; `slot`: the place
    /// in the registry.
    pub(crate) fn shared(&self, files: Option<[u32; 2]>, slot: Option<usize>) -> Result<Shared, CaptureError> {
        let options = self.options;
        Shared::new(|control| {
            let flag = |on: bool, flag| if on { flag } else { 0 };
            control.flags = flag(options.data, layout::WANT_DATA)
                | flag(options.text, layout::WANT_TEXT)
                | flag(options.own_image, layout::OWN_IMAGE)
                | flag(options.contexts, layout::CONTEXTS);
            match options.schedule {
                Schedule::Serial { quantum, jitter, seed } => {
                    control.quantum = quantum;
                    control.seed = seed;
                    control.flags |= flag(jitter, layout::JITTER);
                }
                Schedule::Free => control.flags |= layout::FREE,
            }
            control.skip = options.skipped();
            control.start_at = Border::address(options.start_at.as_ref());
            control.stop_at = Border::address(options.stop_at.as_ref());
            // a machine has no image: addresses are those of the harts
            control.code = if options.system.is_some() { 0 } else { self.code };
            control.range_count = self.pieces.len() as u64;
            control.ranges.iter_mut().zip(&self.pieces).for_each(|(to, piece)| *to = [piece.start, piece.end]);
            control.owner = std::process::id();
            [control.registry, control.plugin] = files.unwrap_or_default();
            control.slot = slot.unwrap_or(SLOTS) as u32;
        })
    }
}

/// The ring of a process, and the file in which its words are kept.
pub(crate) struct Recorder {
    pub(crate) shared: Shared,
    writer: SpoolWriter,
    parser: Words,
    counting: Option<Expander<'static, IgnoreAll>>,
    size: Option<u64>,
    borders: [Option<Border>; 2],
    time: Option<Duration>,
    /// When the trace began.
    begun: Option<Instant>,
    /// Set when the trace begins, for the search of the console.
    pub(crate) console_starts: Option<Arc<AtomicBool>>,
    pub(crate) failure: Option<CaptureError>,
    pub(crate) limit: Option<&'static str>,
}

impl Recorder {
    pub(crate) fn new(shared: Shared, machine: Machine, options: &Options) -> Result<Self, CaptureError> {
        let writer = SpoolWriter::create(&options.folder, options.data)?;
        // without a size, so that nothing is leaked
        let nothing = Box::leak(Box::new(IgnoreAll));
        let counting = options.length.map(|n| Expander::new(machine, MAX_HARTS, options.skipped(), Some(n), nothing));
        let (parser, size) = (Words::default(), options.size);
        let (borders, time) = (options.borders().map(Option::<&Border>::cloned), options.time);
        let (failure, limit, begun) = (None, None, None);
        let console_starts = None;
        Ok(Self { shared, writer, parser, counting, size, borders, time, begun, console_starts, failure, limit })
    }

    /// Whether nothing more is kept.
    pub(crate) fn is_over(&self) -> bool {
        self.failure.is_some() || self.limit.is_some()
    }

    /// Keeps new words, and returns how many there were.
    pub(crate) fn drain(&mut self) -> usize {
        let n = self.read();
        let control = self.shared.control();
        if control.hidden.load(Relaxed) == 0 {
            self.begun.get_or_insert_with(Instant::now);
            if let Some(starts) = &self.console_starts {
                starts.store(true, Relaxed);
            }
        }
        let [start, stop] = [&self.borders[0], &self.borders[1]].map(Option::as_ref);
        if Border::is_requested(start) {
            control.start.store(1, Relaxed);
        }
        if !self.is_over() {
            let is_late = || self.time.zip(self.begun).is_some_and(|(most, begun)| begun.elapsed() >= most);
            self.limit = match () {
                () if n == 0 && control.stopped_at.load(Relaxed) != 0 => Some("--stop-at"),
                () if Border::is_requested(stop) => Some("--stop-at"),
                () if is_late() => Some("--seconds"),
                () => None,
            };
            if self.limit.is_some() {
                control.stop.store(1, Relaxed);
                self.shared.wake();
            }
        }
        n
    }

    fn read(&mut self) -> usize {
        let Self { shared, writer, parser, counting, size, failure, limit, .. } = self;
        shared.read(|words| {
            if failure.is_some() || limit.is_some() {
                return words.len();
            }
            let taken = writer.write(words).unwrap_or_else(|e| {
                *failure = Some(e);
                words.len()
            });
            if let Some(counting) = counting {
                match parser.feed(&words[..taken], |entry| counting.take(entry)) {
                    Ok(true) => {}
                    Ok(false) => *limit = Some("instructions"),
                    Err(e) => *failure = Some(e),
                }
            }
            if size.is_some_and(|most| writer.size() > most) {
                *limit = Some("bytes");
            }
            if failure.is_some() || limit.is_some() {
                shared.control().stop.store(1, Relaxed);
                shared.wake();
            }
            taken
        })
    }

    /// The captured run of the process.
    pub(crate) fn finish(
        self,
        executable: Executable,
        options: &Options,
        qemu: String,
        ended: Ended,
        process: Process,
    ) -> Result<Captured, CaptureError> {
        let spool = self.writer.finish()?;
        let control = self.shared.control();
        Ok(Captured {
            qemu,
            schedule: options.schedule,
            ended,
            limit: self.limit,
            failure: self.failure,
            max_alive: control.max_alive.load(Relaxed),
            threads: control.threads.load(Relaxed),
            text: options.text,
            system: options.system,
            switches: control.switches.load(Relaxed),
            steals: control.steals.load(Relaxed),
            executed: control.written.executed(),
            no_registers: control.state.load(Relaxed) == layout::NO_REGISTERS,
            kept: spool.size,
            routines: options.routines.clone(),
            process,
            not_started: Vec::new(),
            skip: options.skipped(),
            length: options.length,
            executable,
            spool,
        })
    }
}
