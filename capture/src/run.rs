//! Runs a program under QEMU, and keeps the words that the plugin reports

use crate::expand::{Expanded, Expander, IgnoreAll, Sink};
use crate::layout;
use crate::machine::{self, Executable};
use crate::routines::{pieces, Routine};
use crate::schedule::Schedule;
use crate::shared::{hand_over, plugin, send, Shared, SignalGuard};
use crate::spool::{Spool, SpoolWriter};
use crate::words::Words;
use crate::CaptureError;
use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Sleep when few words were written, at first and at most: the writer wakes this side when there are enough.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(5)];
/// Time that a program has to end after it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// Most harts of a recording.
pub const MAX_HARTS: u8 = 16;

/// What to run, and what to capture.
#[derive(Clone, Debug)]
pub struct Options {
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Replaces the `qemu-NAME` found on the path.
    pub qemu: Option<PathBuf>,
    /// Folder where QEMU finds libraries; replaces the default.
    pub sysroot: Option<PathBuf>,
    /// Schedule of threads.
    pub schedule: Schedule,
    /// Capture loads and stores.
    pub data: bool,
    /// Capture the text of instructions.
    pub text: bool,
    /// Only code in the image of the program.
    pub own_image: bool,
    /// Only code in these routines of the program; empty: everything.
    pub routines: Vec<Routine>,
    /// Instructions before the first traced one; blocks that are left early count as a whole.
    pub skip: u64,
    /// Instructions to trace.
    pub length: Option<u64>,
    /// Largest size of the stored run, bytes.
    pub size: Option<u64>,
    /// Run the program bare-metal on a whole machine with so many harts, QEMU's `virt`.
    pub system: Option<u8>,
    /// Report privilege mode and address space of a whole machine's harts.
    pub contexts: bool,
    /// End the program with the trace.
    pub end_with_trace: bool,
    /// Redirect the output of the program to standard error.
    pub to_stderr: bool,
    /// Folder for the stored run, an unnamed file.
    pub folder: PathBuf,
    /// Returns the signal that requests the end, which is passed on to the program; the program is killed if it does
    /// not end.
    pub asked: fn() -> Option<i32>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// When the trace ended.
    Trace,
}

/// A captured run.
#[derive(Debug)]
pub struct Captured {
    /// The program.
    pub executable: Executable,
    /// Version of QEMU.
    pub qemu: String,
    /// Schedule of threads.
    pub schedule: Schedule,
    /// How the program ended.
    pub ended: Ended,
    /// Limit that ended the trace before the program ended: instructions, or bytes.
    pub limit: Option<&'static str>,
    /// Error because of which the run is incomplete.
    pub failure: Option<CaptureError>,
    /// Most threads at a time.
    pub max_alive: u32,
    /// Number of threads.
    pub threads: u64,
    /// Turns that ended while other threads waited.
    pub switches: u64,
    /// Turns taken from a thread that made no progress.
    pub steals: u64,
    /// Instructions of all blocks that were begun, traced or not.
    pub executed: u64,
    /// The addresses at which signals were taken are unknown.
    pub no_registers: bool,
    /// Size of the stored run, bytes.
    pub kept: u64,
    /// Routines to which the trace was restricted.
    pub routines: Vec<Routine>,
    system: Option<u8>,
    skip: u64,
    length: Option<u64>,
    spool: Spool,
}

/// The guest process, which is killed when this is dropped.
struct Guest(Child);

impl Drop for Guest {
    fn drop(&mut self) {
        // does nothing if it has ended
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(
    executable: &Executable,
    options: &Options,
    qemu: &Path,
    shared: Option<(&Shared, &std::fs::File)>,
) -> Command {
    let mut command = Command::new(qemu);
    if let Some((shared, plugin)) = shared {
        let (memory, plugin) = (shared.file().as_raw_fd(), plugin.as_raw_fd());
        command.arg("-plugin").arg(format!("/proc/self/fd/{plugin},memory={memory},plugin={plugin}"));
        hand_over(&mut command, [memory, plugin]);
    }
    if let Some(harts) = options.system {
        command.args(["-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "stdio"]);
        command.args(["-no-reboot", "-accel", "tcg,thread=multi", "-smp"]).arg(harts.to_string());
        command.arg("-kernel").arg(&executable.path).stdin(Stdio::null());
    } else {
        let found = executable.sysroot().map(PathBuf::from);
        if let Some(root) = options.sysroot.clone().or(found) {
            command.arg("-L").arg(root);
        }
        command.arg(&executable.path).args(&options.arguments);
    }
    if options.to_stderr {
        command.stdout(std::io::stderr());
    }
    command
}

/// Runs the program without a plugin, to measure its time.
pub fn run_plain(executable: &Executable, options: &Options) -> Result<ExitStatus, CaptureError> {
    let (qemu, _) = executable.qemu(options.qemu.as_deref(), options.system.is_some())?;
    let mut command = command(executable, options, &qemu, None);
    command.stdout(Stdio::null());
    command.status().map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))
}

/// Runs the program and captures it. `tell` is called with the number of instructions from time to time.
pub fn capture(executable: Executable, options: &Options, tell: &mut dyn FnMut(u64)) -> Result<Captured, CaptureError> {
    let (qemu, version) = executable.qemu(options.qemu.as_deref(), options.system.is_some())?;
    let newer = machine::is_newer(&version);
    if options.data && options.system.is_some() && !newer {
        let what =
            format!("version {version} shows a plugin no memory of a machine; --data with --system needs QEMU 10.0");
        return Err(CaptureError::Qemu(format!("{}: {what}", qemu.display())));
    }
    let plugin = plugin(newer)?;
    let pieces = pieces(&options.routines)?;
    let shared = Shared::new(|control| {
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
        control.skip = options.skip;
        control.code = executable.code;
        control.range_count = pieces.len() as u64;
        control.ranges.iter_mut().zip(&pieces).for_each(|(to, piece)| *to = [piece.start, piece.end]);
    })?;
    let writer = SpoolWriter::create(&options.folder, options.data)?;
    let _patient = SignalGuard::new();
    let child = command(&executable, options, &qemu, Some((&shared, &plugin)))
        .spawn()
        .map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))?;
    let mut drain = Drain { shared: &shared, options, writer, failure: None, limit: None };
    let mut nothing = IgnoreAll;
    let mut counting =
        options.length.map(|n| Expander::new(executable.machine, MAX_HARTS, options.skip, Some(n), &mut nothing));
    let ended = drain.run(Guest(child), counting.as_mut(), tell)?;
    let Drain { writer, failure, limit, .. } = drain;
    let control = shared.control();
    let state = control.state.load(Relaxed);
    if state == 0 {
        let what = "QEMU ended before the plugin started; its messages are above";
        return Err(CaptureError::Qemu(format!("{}: {what}", qemu.display())));
    }
    let spool = writer.finish()?;
    Ok(Captured {
        qemu: version,
        schedule: options.schedule,
        ended,
        limit,
        failure,
        max_alive: control.max_alive.load(Relaxed),
        threads: control.threads.load(Relaxed),
        system: options.system,
        switches: control.switches.load(Relaxed),
        steals: control.steals.load(Relaxed),
        executed: control.written.executed(),
        no_registers: state == layout::NO_REGISTERS,
        kept: spool.size,
        routines: options.routines.clone(),
        skip: options.skip,
        length: options.length,
        executable,
        spool,
    })
}

struct Drain<'a> {
    shared: &'a Shared,
    options: &'a Options,
    writer: SpoolWriter,
    failure: Option<CaptureError>,
    limit: Option<&'static str>,
}

impl Drain<'_> {
    fn run<S: Sink>(
        &mut self,
        mut guest: Guest,
        mut counting: Option<&mut Expander<'_, S>>,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Ended, CaptureError> {
        let control = self.shared.control();
        let (mut parser, mut reported) = (Words::default(), 0);
        let (mut pause, mut asked) = (PAUSES[0], None);
        loop {
            match (asked, (self.options.asked)()) {
                (None, Some(signal)) => {
                    send(signal, &guest.0);
                    asked = Some(Instant::now());
                }
                // it may have ended in the meantime
                (Some(at), _) if at.elapsed() > GRACE => drop(guest.0.kill()),
                _ => {}
            }
            // checked first, so that everything written before the end is in the ring
            let status = guest.0.try_wait().map_err(|e| CaptureError::System("the guest", e))?;
            let n = self.shared.read(|words| {
                if self.failure.is_some() || self.limit.is_some() {
                    return words.len();
                }
                let taken = self.keep(words, &mut parser, counting.as_deref_mut());
                if self.failure.is_some() || self.limit.is_some() {
                    control.stop.store(1, Relaxed);
                    if self.options.end_with_trace {
                        // it may have ended in the meantime
                        let _ = guest.0.kill();
                    }
                    self.shared.wake();
                }
                taken
            });
            let executed = control.written.executed();
            tell(executed.saturating_sub(reported));
            reported = reported.max(executed);
            match status {
                Some(status) if n == 0 => {
                    if self.options.end_with_trace && self.limit.is_some() {
                        return Ok(Ended::Trace);
                    }
                    let signal = status.signal().unwrap_or(0);
                    return Ok(status.code().map_or(Ended::Signal(signal), Ended::Code));
                }
                // for small portions, the overhead exceeds the work
                None if (n as u64) < layout::WAKE_WORDS => {
                    self.shared.sleep(pause);
                    pause = (2 * pause).min(PAUSES[1]);
                }
                _ => pause = PAUSES[0],
            }
        }
    }

    /// Stores words, and returns how many.
    fn keep<S: Sink>(&mut self, words: &[u32], parser: &mut Words, counting: Option<&mut Expander<'_, S>>) -> usize {
        let taken = self.writer.write(words).unwrap_or_else(|e| {
            self.failure = Some(e);
            words.len()
        });
        let words = &words[..taken];
        if let Some(counting) = counting {
            match parser.feed(words, |entry| counting.take(entry)) {
                Ok(true) => {}
                Ok(false) => self.limit = Some("instructions"),
                Err(e) => self.failure = Some(e),
            }
        }
        if self.options.size.is_some_and(|most| self.writer.size() > most) {
            self.limit = Some("bytes");
        }
        taken
    }
}

impl Captured {
    /// Description of the source of a run, for retire files.
    pub fn source(&self) -> String {
        let name = self.executable.machine.name();
        let system = if self.system.is_some() { "system-" } else { "" };
        let mut text = format!("captured under qemu-{system}{name} {}, schedule {}", self.qemu, self.schedule);
        if !self.routines.is_empty() {
            let names: Vec<&str> = self.routines.iter().map(|r| r.name.as_str()).collect();
            text.push_str(&format!(", only in {}", names.join(", ")));
        }
        if self.skip > 0 {
            text.push_str(&format!(", after {} instructions", self.skip));
        }
        if let Some(n) = self.length {
            text.push_str(&format!(", {n} instructions at most"));
        }
        text
    }

    /// Number of harts such that each thread has its own, at most `most`.
    pub fn harts(&self, most: u8) -> u8 {
        if let Some(harts) = self.system {
            return harts;
        }
        self.max_alive.clamp(1, most.into()) as u8
    }

    /// Passes the whole run to `sink`.
    pub fn tell(
        &self,
        harts: u8,
        sink: &mut impl Sink,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Expanded, CaptureError> {
        let mut expander = Expander::new(self.executable.machine, harts, self.skip, self.length, sink);
        if self.system.is_some() {
            expander = expander.with_numbers();
        }
        let (mut words, mut reported) = (Words::default(), 0);
        self.spool.read(|portion| {
            let more = words.feed(portion, |entry| expander.take(entry))?;
            progress(expander.instructions() - reported);
            reported = expander.instructions();
            Ok(more)
        })?;
        Ok(expander.finish())
    }
}
