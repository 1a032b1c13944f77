//! Runs a program under QEMU, and keeps the words that the plugin reports

use crate::border::Border;
use crate::console::{self, Console};
use crate::expand::{Expanded, Expander, Sink, LATE};
use crate::follow::{Finished, Follow, Others};
use crate::layout;
use crate::machine::{self, Executable, Machine};
use crate::recorder::{Recorder, Settings};
use crate::routines::Routine;
use crate::schedule::Schedule;
use crate::shared::{hand_over, plugin, send, Shared, SignalGuard};
use crate::spool::Spool;
use crate::words::Words;
use crate::CaptureError;
use serde::{Deserialize, Serialize};
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

/// Program to run, and options of the capture.
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
    /// Where the trace starts, instead of after [`Options::skip`].
    pub start_at: Option<Border>,
    /// Where the trace ends.
    pub stop_at: Option<Border>,
    /// How long it takes from its start.
    pub time: Option<Duration>,
    /// Instructions to trace.
    pub length: Option<u64>,
    /// Largest size of the stored run, bytes.
    pub size: Option<u64>,
    /// Run the program on a whole machine with this number of harts, see [`crate::boot`].
    pub system: Option<u8>,
    /// What such a machine has in addition to the program.
    pub parts: Parts,
    /// Report privilege mode and address space of a whole machine's harts.
    pub contexts: bool,
    /// End the program with the trace.
    pub end_with_trace: bool,
    /// Redirect the output of the program to standard error.
    pub to_stderr: bool,
    /// Folder for the stored run, an unnamed file.
    pub folder: PathBuf,
    /// Which further processes are captured.
    pub follow: Follow,
    /// Returns the last signal that requests the end.
    pub requested: fn() -> Option<Request>,
}

/// Parts of a whole machine.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The kernel that the program, a firmware, starts.
    pub kernel: Option<PathBuf>,
    /// Its initial file system.
    pub initrd: Option<PathBuf>,
    /// Its command line.
    pub append: Option<String>,
    /// Images of its disks.
    pub drives: Vec<PathBuf>,
    /// What its console reads.
    pub input: Option<PathBuf>,
    /// Size of its memory, in QEMU's words; 128 MiB otherwise.
    pub ram: Option<String>,
}

impl Options {
    /// Instructions that are skipped, for the plugin and for [`Expander`].
    pub(crate) fn skipped(&self) -> u64 {
        if self.start_at.is_some() {
            LATE
        } else {
            self.skip
        }
    }

    /// Start and end.
    pub(crate) fn borders(&self) -> [Option<&Border>; 2] {
        [self.start_at.as_ref(), self.stop_at.as_ref()]
    }

    /// Whether the trace starts or ends at a text on the console.
    fn watches_console(&self) -> bool {
        self.borders().iter().any(|border| Border::console(*border).is_some())
    }
}

/// A signal that requests the end of a capture.
///
/// It is passed on to the program. After SIGTERM or SIGHUP the program is killed if it does not end soon, or at a second
/// signal. SIGINT it may handle as it likes; two in quick succession kill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the signal.
    pub signal: i32,
    /// How many have arrived, with this one.
    pub count: u32,
    /// The program has received it, too, as SIGINT from a terminal.
    pub delivered: bool,
}

/// End of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// When the trace ended.
    Trace,
    /// It did not end on this signal, and was killed.
    Killed(i32),
    /// Another program took its place (`exec`), with a separate recording.
    Replaced,
    /// In an unknown way, for example by a signal: it is not a child of this process.
    Unknown,
}

/// Which process of a run this is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number; 0: the first one.
    pub pid: u32,
    /// The process that created it; itself if it replaced its program.
    pub parent: u32,
    /// Of the first one: how many children could not be captured.
    pub missed: u32,
}

/// A captured run: its temporary recording, from which files are written.
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
    /// Which process of the run it is.
    pub process: Process,
    /// Of the first process: programs of others that QEMU could not start.
    pub not_started: Vec<PathBuf>,
    /// It has the text of instructions.
    pub text: bool,
    pub(crate) system: Option<u8>,
    pub(crate) skip: u64,
    pub(crate) length: Option<u64>,
    pub(crate) spool: Spool,
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
) -> Result<Command, CaptureError> {
    let mut command = Command::new(qemu);
    if let Some((shared, plugin)) = shared {
        let (memory, plugin) = (shared.file().as_raw_fd(), plugin.as_raw_fd());
        command.arg("-plugin").arg(format!("/proc/self/fd/{plugin},memory={memory},plugin={plugin}"));
        hand_over(&mut command, [memory, plugin]);
    }
    if let Some(harts) = options.system {
        command.args(["-display", "none", "-monitor", "none", "-serial", "stdio"]);
        command.args(["-no-reboot", "-accel", "tcg,thread=multi", "-smp"]).arg(harts.to_string());
        command.args(executable.machine_arguments(&options.parts)).stdin(match &options.parts.input {
            Some(path) => console::from_file(path)?,
            None => Stdio::null(),
        });
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
    if options.watches_console() {
        command.stdout(Stdio::piped());
    }
    Ok(command)
}

/// Refuses what cannot be started.
fn check(executable: &Executable, options: &Options) -> Result<(), CaptureError> {
    match options.system {
        Some(_) => executable.check_machine(&options.parts),
        None => Ok(()),
    }
}

/// Runs the program without a plugin, to measure its time.
pub fn run_plain(executable: &Executable, options: &Options) -> Result<ExitStatus, CaptureError> {
    check(executable, options)?;
    let (qemu, _) = executable.qemu(options.qemu.as_deref(), options.system.is_some())?;
    let mut command = command(executable, options, &qemu, None)?;
    command.stdout(Stdio::null());
    command.status().map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))
}

/// Runs the program and captures it. `tell` is called with the number of instructions from time to time.
pub fn capture(executable: Executable, options: &Options, tell: &mut dyn FnMut(u64)) -> Result<Captured, CaptureError> {
    capture_all(executable, options, tell, &mut |_| Ok(()))
}

/// As [`capture`]; `finished` gets every other process that is followed, when it has ended.
pub fn capture_all(
    executable: Executable,
    options: &Options,
    tell: &mut dyn FnMut(u64),
    finished: &mut Finished<'_>,
) -> Result<Captured, CaptureError> {
    check(&executable, options)?;
    let (qemu, version) = executable.qemu(options.qemu.as_deref(), options.system.is_some())?;
    let newer = machine::is_newer(&version);
    if options.data && options.system.is_some() && !newer {
        let is_riscv = matches!(executable.machine, Machine::Riscv32 | Machine::Riscv64);
        let right = if is_riscv { "" } else { ", and a program for RISC-V" };
        return Err(CaptureError::Qemu(format!(
            "{}: version {version} does not report loads and stores of whole machines; `--data` with `--system` needs QEMU \
             10.0{right}",
            qemu.display()
        )));
    }
    let plugin = plugin(newer)?;
    let settings = Settings::new(&executable, options)?;
    let mut others = match options.follow {
        Follow::None => None,
        _ => Some(Others::new(&settings, &executable, &version, &plugin, finished)?),
    };
    let shared = settings.shared(others.as_ref().map(Others::files), None)?;
    let mut recorder = Recorder::new(shared, executable.machine, options)?;
    let _patient = SignalGuard::new();
    let mut child = command(&executable, options, &qemu, Some((&recorder.shared, &plugin)))?
        .spawn()
        .map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))?;
    if let Some(others) = &mut others {
        others.first = child.id();
    }
    let output = child.stdout.take();
    let mut console = output.map(|output| Console::watch(output, options.borders(), options.to_stderr));
    recorder.console_starts = console.as_ref().map(|console| console.begun.clone());
    let ended = drain(&mut recorder, Guest(child), options, &mut others, tell)?;
    if let Some(console) = &mut console {
        console.finish();
    }
    let control = recorder.shared.control();
    if control.state.load(Relaxed) == 0 || control.begun.load(Relaxed) == 0 {
        return Err(not_started(&executable, options, &qemu, ended));
    }
    let missed = others.as_ref().map_or(0, Others::missed);
    let not_started = others.map(|others| others.not_started).unwrap_or_default();
    let process = Process { missed, ..Process::default() };
    Ok(Captured { not_started, ..recorder.finish(executable, options, version, ended, process)? })
}

/// The error if QEMU ended before the first instruction of the program.
fn not_started(executable: &Executable, options: &Options, qemu: &Path, ended: Ended) -> CaptureError {
    let program = executable.path.display();
    let how = match ended {
        Ended::Code(code) => format!("exit code {code}"),
        Ended::Signal(signal) | Ended::Killed(signal) => format!("signal {signal}"),
        Ended::Trace | Ended::Replaced | Ended::Unknown => "end of the trace".into(),
    };
    let found = executable.sysroot().map(PathBuf::from);
    let root = options.sysroot.clone().or(found).unwrap_or_else(|| "/".into());
    let missing = executable.interpreter.as_ref().filter(|path| !root.join(path.trim_start_matches('/')).exists());
    let why = match missing {
        Some(path) => {
            format!("{program} needs {path}, which is not in {}; expected --sysroot DIR with it", root.display())
        }
        None => format!("{program} was not started; QEMU's messages are above"),
    };
    CaptureError::Qemu(format!("{}: ended before the first instruction ({how}): {why}", qemu.display()))
}

/// Passes requests to end on to the program.
#[derive(Default)]
struct EndRequests {
    /// Requests that were handled.
    seen: u32,
    /// The last one, and when it was passed on.
    last: Option<(i32, Instant)>,
    /// The request because of which the program was killed.
    killed_for: Option<i32>,
}

impl EndRequests {
    /// Calls `send` with the signals that the program must get.
    fn check(&mut self, request: Option<Request>, send: &mut dyn FnMut(i32)) {
        let new = request.filter(|r| r.count > self.seen);
        let is_over = match (self.last, new) {
            (None, _) => false,
            (Some((signal, at)), None) => signal != libc::SIGINT && at.elapsed() > GRACE,
            (Some((signal, at)), Some(_)) => signal != libc::SIGINT || at.elapsed() <= GRACE,
        };
        if let Some(Request { signal, count, delivered }) = new {
            self.seen = count;
            self.last = Some((signal, Instant::now()));
            if !delivered {
                send(signal);
            }
        }
        if is_over && self.killed_for.is_none() {
            self.killed_for = self.last.map(|(signal, _)| signal);
            send(libc::SIGKILL);
        }
    }
}

/// Runs until the program has ended and all words are kept.
fn drain(
    recorder: &mut Recorder,
    mut guest: Guest,
    options: &Options,
    others: &mut Option<Others<'_>>,
    tell: &mut dyn FnMut(u64),
) -> Result<Ended, CaptureError> {
    let mut reported = 0;
    let (mut pause, mut end) = (PAUSES[0], EndRequests::default());
    loop {
        end.check((options.requested)(), &mut |signal| {
            send(signal, guest.0.id());
            others.iter().for_each(|others| others.send(signal));
        });
        // checked first, so that everything written before the end is in the ring
        let status = guest.0.try_wait().map_err(|e| CaptureError::System("the guest", e))?;
        let before = recorder.is_over();
        let mut n = recorder.drain();
        if recorder.is_over() && !before && options.end_with_trace {
            // it may have ended in the meantime
            let _ = guest.0.kill();
        }
        let executed = recorder.shared.control().written.executed();
        tell(executed.saturating_sub(reported));
        reported = reported.max(executed);
        if let Some(others) = others {
            n += others.serve()?;
        }
        match status {
            Some(status) if n == 0 => {
                while others.as_ref().is_some_and(Others::is_busy) {
                    end.check((options.requested)(), &mut |signal| {
                        others.iter().for_each(|others| others.send(signal));
                    });
                    let n = others.as_mut().map_or(Ok(0), Others::serve)?;
                    if (n as u64) < layout::WAKE_WORDS {
                        std::thread::sleep(PAUSES[0]);
                    }
                }
                if options.end_with_trace && recorder.limit.is_some() {
                    return Ok(Ended::Trace);
                }
                let signal = status.signal().unwrap_or(0);
                return Ok(match (status.code(), end.killed_for) {
                    (Some(code), _) => Ended::Code(code),
                    (None, Some(signal)) => Ended::Killed(signal),
                    (None, None) => Ended::Signal(signal),
                });
            }
            // for small portions, the overhead exceeds the work
            None if (n as u64) < layout::WAKE_WORDS => {
                recorder.shared.sleep(pause);
                pause = (2 * pause).min(PAUSES[1]);
            }
            _ => pause = PAUSES[0],
        }
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
        if self.skip == LATE {
            text.push_str(", from a point");
        } else if self.skip > 0 {
            text.push_str(&format!(", after {} instructions", self.skip));
        }
        let Process { pid, parent, .. } = self.process;
        if pid != 0 {
            let how = if parent == pid { "after exec".into() } else { format!("child of {parent}") };
            text.push_str(&format!(", process {pid}, {how}"));
        }
        if let Some(n) = self.length {
            text.push_str(&format!(", {n} instructions at most"));
        }
        text
    }

    /// Whether the trace starts at a function or a signal.
    pub fn starts_late(&self) -> bool {
        self.skip == LATE
    }

    /// Whether it has loads and stores.
    pub fn has_data(&self) -> bool {
        self.spool.data
    }

    /// Number of harts such that each thread has its own, at most `most`.
    pub fn harts(&self, most: u8) -> u8 {
        if let Some(harts) = self.system {
            return harts;
        }
        self.max_alive.clamp(1, most.into()) as u8
    }

    /// Instructions to expect from [`Captured::expand_to`], at most.
    pub fn expected(&self) -> u64 {
        let skipped = if self.skip == LATE { 0 } else { self.skip };
        self.executed.saturating_sub(skipped).min(self.length.unwrap_or(u64::MAX))
    }

    /// Ends the run after this number of instructions.
    pub fn shorten(&mut self, instructions: u64) {
        self.length = Some(self.expected().min(instructions));
    }

    /// Passes the run to `sink`, until `progress`, which gets numbers of instructions, returns false.
    pub fn expand_to(
        &self,
        harts: u8,
        sink: &mut impl Sink,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Expanded, CaptureError> {
        let mut expander = Expander::new(self.executable.machine, harts, self.skip, self.length, sink);
        if self.system.is_some() {
            expander = expander.with_numbers();
        }
        let (mut words, mut reported) = (Words::default(), 0);
        self.spool.read(|portion| {
            let more = words.feed(portion, |entry| expander.take(entry))?;
            let goes_on = progress(expander.instructions() - reported);
            reported = expander.instructions();
            Ok(more && goes_on)
        })?;
        Ok(expander.finish())
    }
}
