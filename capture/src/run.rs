//! A program is run under QEMU, and what the plugin tells is kept

use crate::expand::{Expanded, Expander, Nothing, Sink};
use crate::layout;
use crate::machine::{self, Executable};
use crate::routines::{pieces, Routine};
use crate::schedule::Schedule;
use crate::shared::{hand_over, plugin, send, Patient, Shared};
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

/// How long to wait when little was told, at first and at most: who writes wakes this side when it is enough.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(5)];
/// How long a program has to end where it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// Harts that a recording can have.
pub const MOST_HARTS: u8 = 16;

/// What is run, and what is wanted of it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// In place of the `qemu-NAME` that is found.
    pub qemu: Option<PathBuf>,
    /// Where QEMU finds libraries, in place of what is found.
    pub sysroot: Option<PathBuf>,
    /// How threads take turns.
    pub schedule: Schedule,
    /// Loads and stores.
    pub data: bool,
    /// The text of instructions.
    pub text: bool,
    /// Only what is in the image of the program.
    pub own_image: bool,
    /// Only what is in these routines of the program; none: all.
    pub routines: Vec<Routine>,
    /// Instructions before the first that is traced; blocks that are left early are counted whole.
    pub skip: u64,
    /// Instructions that are traced.
    pub length: Option<u64>,
    /// Bytes that the kept run may have.
    pub size: Option<u64>,
    /// The program runs on a whole machine of so many harts, QEMU's `virt`, without a system.
    pub system: Option<u8>,
    /// Privilege mode and address space of a whole machine's harts are told.
    pub contexts: bool,
    /// The program ends with the trace, not by itself.
    pub end_with_trace: bool,
    /// What the program prints goes to standard error.
    pub to_stderr: bool,
    /// Where the run is kept, in a file without a name.
    pub folder: PathBuf,
    /// The signal that asks for the end, which the program gets too; it is killed where it does not end by that.
    pub asked: fn() -> Option<i32>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// With the trace.
    Trace,
}

/// A run that was kept.
#[derive(Debug)]
pub struct Captured {
    /// The program.
    pub executable: Executable,
    /// Version of QEMU.
    pub qemu: String,
    /// How threads took turns.
    pub schedule: Schedule,
    /// How it ended.
    pub ended: Ended,
    /// The trace ended before the program did: instructions, or bytes.
    pub limit: Option<&'static str>,
    /// Why not all was kept.
    pub failure: Option<CaptureError>,
    /// Most threads at one time.
    pub most_alive: u32,
    /// Threads.
    pub threads: u64,
    /// Turns that ended with others waiting.
    pub switches: u64,
    /// Turns that were taken from a thread that made no progress.
    pub steals: u64,
    /// Instructions of all blocks that were begun, whether traced or not.
    pub executed: u64,
    /// The place a signal came at is not known.
    pub no_registers: bool,
    /// Bytes that the kept run has.
    pub kept: u64,
    /// Routines that alone were traced.
    pub routines: Vec<Routine>,
    system: Option<u8>,
    skip: u64,
    length: Option<u64>,
    spool: Spool,
}

/// The guest, which ends when this does.
struct Guest(Child);

impl Drop for Guest {
    fn drop(&mut self) {
        // nothing to be done where it has ended
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

/// Runs the program without a plugin, for its time.
pub fn run_plain(executable: &Executable, options: &Options) -> Result<ExitStatus, CaptureError> {
    let (qemu, _) = executable.qemu(options.qemu.as_deref(), options.system.is_some())?;
    let mut command = command(executable, options, &qemu, None);
    command.stdout(Stdio::null());
    command.status().map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))
}

/// Runs the program and keeps what it does. `tell` hears of instructions, now and then.
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
        control.piece_count = pieces.len() as u64;
        control.pieces.iter_mut().zip(&pieces).for_each(|(to, piece)| *to = [piece.start, piece.end]);
    })?;
    let writer = SpoolWriter::create(&options.folder, options.data)?;
    let _patient = Patient::new();
    let child = command(&executable, options, &qemu, Some((&shared, &plugin)))
        .spawn()
        .map_err(|e| CaptureError::Qemu(format!("{}: {e}", qemu.display())))?;
    let mut drain = Drain { shared: &shared, options, writer, failure: None, limit: None };
    let mut nothing = Nothing;
    let mut counting =
        options.length.map(|n| Expander::new(executable.machine, MOST_HARTS, options.skip, Some(n), &mut nothing));
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
        most_alive: control.most_alive.load(Relaxed),
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
        let (mut parser, mut told) = (Words::default(), 0);
        let (mut pause, mut asked) = (PAUSES[0], None);
        loop {
            match (asked, (self.options.asked)()) {
                (None, Some(signal)) => {
                    send(signal, &guest.0);
                    asked = Some(Instant::now());
                }
                // it may have ended meanwhile
                (Some(at), _) if at.elapsed() > GRACE => drop(guest.0.kill()),
                _ => {}
            }
            // asked first: what was told before the end is then in the ring
            let status = guest.0.try_wait().map_err(|e| CaptureError::System("the guest", e))?;
            let n = self.shared.read(|words| {
                if self.failure.is_some() || self.limit.is_some() {
                    return words.len();
                }
                let taken = self.keep(words, &mut parser, counting.as_deref_mut());
                if self.failure.is_some() || self.limit.is_some() {
                    control.stop.store(1, Relaxed);
                    if self.options.end_with_trace {
                        // it may have ended meanwhile
                        let _ = guest.0.kill();
                    }
                    self.shared.wake();
                }
                taken
            });
            let executed = control.written.executed();
            tell(executed.saturating_sub(told));
            told = told.max(executed);
            match status {
                Some(status) if n == 0 => {
                    if self.options.end_with_trace && self.limit.is_some() {
                        return Ok(Ended::Trace);
                    }
                    let signal = status.signal().unwrap_or(0);
                    return Ok(status.code().map_or(Ended::Signal(signal), Ended::Code));
                }
                // what comes in small portions costs more to take than it is
                None if (n as u64) < layout::ENOUGH => {
                    self.shared.sleep(pause);
                    pause = (2 * pause).min(PAUSES[1]);
                }
                _ => pause = PAUSES[0],
            }
        }
    }

    /// Keeps words, and says how many.
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
    /// What a retire file says of how it was made.
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

    /// Harts that it takes for each thread to have one; at most `most`.
    pub fn harts(&self, most: u8) -> u8 {
        if let Some(harts) = self.system {
            return harts;
        }
        self.most_alive.clamp(1, most.into()) as u8
    }

    /// Tells the whole run to `sink`.
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
        let (mut words, mut told) = (Words::default(), 0);
        self.spool.read(|portion| {
            let more = words.feed(portion, |entry| expander.take(entry))?;
            progress(expander.instructions() - told);
            told = expander.instructions();
            Ok(more)
        })?;
        Ok(expander.finish())
    }
}
