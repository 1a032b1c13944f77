//! A recorded run or a trace in GDB's remote protocol: one thread per core, known values readable, nothing writable

mod breakpoints;
mod tasks;

use super::arch::{description, Number, Regs, Riscv, FIRST_CSR, FIRST_FLOAT, PC};
use super::motion::{Kind, Motion, Stop};
use super::packets::Conditions;
use super::scene::Scene;
use super::tasks::{History, Left, Tasks};
use crate::text::{count, number};
use gdbstub::common::{Pid, Signal, Tid};
use gdbstub::outputln;
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::{BreakpointsOps, WatchKind};
use gdbstub::target::ext::extended_mode::{Args, AttachKind, ExtendedMode, ExtendedModeOps, ShouldTerminate};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::ThreadExtraInfoOps;
use gdbstub::target::{Target, TargetError, TargetResult};
use std::collections::BTreeMap;
use std::time::Duration;

const WRITTEN: &str = "registers and memory cannot be written: what was recorded is what it is";

/// How to continue.
#[derive(Clone, Copy, Debug)]
enum ResumeAction {
    On(Option<u8>),
    Back(Option<u8>),
    /// Nowhere: what was asked for is not there.
    Stay,
}

/// The target that GDB debugs.
pub struct Debugger<S: Scene> {
    motion: Motion<S>,
    go: ResumeAction,
    /// The core that GDB named last to continue or step.
    resumed: Option<u8>,
    /// The core of the last stop.
    current: u8,
    xml: String,
    report: Box<dyn Fn(&str)>,
    /// How often the moment is printed while the run is searched; `None`: never.
    progress: Option<Duration>,
    /// Moments by the names that the user gave them.
    marks: BTreeMap<String, u64>,
    tasks: Option<Tasks>,
    /// Switches of tasks, found when GDB first asks for threads.
    history: Option<History>,
    /// Registers of waiting tasks, of the moments at which they were left.
    parked: BTreeMap<(u64, u8), Parked>,
}

/// Registers of a task that waits.
struct Parked {
    registers: Regs,
    floats: Option<[u64; 32]>,
}

impl Parked {
    /// Writes a register that is known; returns its length.
    fn register(&self, id: Number, buf: &mut [u8]) -> Option<usize> {
        let (value, length) = match id.0 {
            n @ 0..PC => (self.registers.x?[n], self.registers.bytes),
            PC => (self.registers.pc?, self.registers.bytes),
            n @ FIRST_FLOAT..FIRST_CSR => (self.floats?[n - FIRST_FLOAT], 8),
            _ => return None,
        };
        buf[..length].copy_from_slice(&value.to_le_bytes()[..length]);
        Some(length)
    }
}

/// A thread.
enum Thread {
    Core(u8),
    Waiting { block: u64, left: Left },
}

/// A stop that GDB requested.
pub fn stopped() -> MultiThreadStopReason<u64> {
    MultiThreadStopReason::Signal(Signal::SIGINT)
}

fn tid(core: u8) -> Tid {
    Tid::new(usize::from(core) + 1).unwrap_or(Tid::MIN)
}

impl<S: Scene> Debugger<S> {
    /// `tasks`: where those of an operating system are, if values are known.
    pub fn new(scene: S, tasks: Option<Tasks>, report: Box<dyn Fn(&str)>) -> Self {
        let xml = description(scene.xlen(), S::VALUES, scene.floats(0).is_some());
        Self {
            motion: Motion::new(scene),
            go: ResumeAction::On(None),
            resumed: None,
            current: 0,
            xml,
            report,
            progress: None,
            marks: BTreeMap::new(),
            tasks: tasks.filter(|_| S::VALUES),
            history: None,
            parked: BTreeMap::new(),
        }
    }

    /// The thread that GDB named.
    fn thread(&self, tid: Tid) -> Result<Thread, TargetError<String>> {
        let waits = self.waiting().find(|(of, ..)| *of == tid);
        waits.map_or_else(|| self.core(tid).map(Thread::Core), |(_, block, left)| Ok(Thread::Waiting { block, left }))
    }

    /// The registers of a core.
    fn registers_of(scene: &S, core: u8) -> Regs {
        Regs { bytes: usize::from(scene.xlen() / 8), x: scene.registers(core), pc: scene.pc(core) }
    }

    /// The registers of a task that waits.
    fn parked(&mut self, left: Left) -> TargetResult<&Parked, Self> {
        let key = (left.moment, left.core);
        if !self.parked.contains_key(&key) {
            let here = self.replay().position();
            let failed = |e: S::Error| TargetError::Fatal(e.to_string());
            self.motion.line.seek(left.moment).map_err(failed)?;
            let scene = self.replay();
            let registers = Self::registers_of(scene, left.core);
            // at the first instruction of a handler, the task is where the trap was taken
            let pc = scene.trapped_at(left.core).or(registers.pc);
            let parked = Parked { registers: Regs { pc, ..registers }, floats: scene.floats(left.core) };
            self.motion.line.seek(here).map_err(failed)?;
            self.parked.insert(key, parked);
        }
        self.parked.get(&key).ok_or(TargetError::NonFatal)
    }

    fn replay(&self) -> &S {
        self.motion.line.replay()
    }

    /// How often to print how far [`Debugger::go`] is.
    pub fn progress(&self) -> Option<Duration> {
        self.progress
    }

    /// Goes on as GDB said; calls `incoming` with the moment up to which, or after which, nothing was found. `None` where something came from GDB meanwhile.
    pub fn go(&mut self, incoming: impl FnMut(u64) -> bool) -> Option<MultiThreadStopReason<u64>> {
        let (went, edge) = match self.go {
            ResumeAction::On(step) => (self.motion.forwards(step, incoming), ReplayLogPosition::End),
            ResumeAction::Back(step) => (self.motion.backwards(step, incoming), ReplayLogPosition::Begin),
            ResumeAction::Stay => (Ok(Stop::Step(self.current)), ReplayLogPosition::End),
        };
        if let Ok(Stop::Break(core) | Stop::Watch(core, _) | Stop::Step(core)) = went {
            self.current = core;
        }
        let at = Some(tid(self.current));
        Some(match went {
            Ok(Stop::Interrupted) => return None,
            Ok(Stop::Break(core)) => MultiThreadStopReason::SwBreak(tid(core)),
            Ok(Stop::Watch(core, watch)) => {
                let kind = match watch.kind {
                    Kind::Write => WatchKind::Write,
                    Kind::Read => WatchKind::Read,
                    Kind::Access => WatchKind::ReadWrite,
                };
                MultiThreadStopReason::Watch { tid: tid(core), kind, addr: watch.addr.into() }
            }
            Ok(Stop::Step(core)) => MultiThreadStopReason::SignalWithThread { tid: tid(core), signal: Signal::SIGTRAP },
            Ok(Stop::Edge) => match self.crashed().filter(|_| matches!(self.go, ResumeAction::On(_))) {
                Some((core, signal)) => {
                    self.current = core;
                    MultiThreadStopReason::SignalWithThread { tid: tid(core), signal }
                }
                None => MultiThreadStopReason::ReplayLog { tid: at, pos: edge },
            },
            Err(e) => self.broken(&e),
        })
    }

    /// A core that ended in a crash, with the signal that a system would send.
    fn crashed(&self) -> Option<(u8, Signal)> {
        let fault = |core| Some((core, self.replay().fault(core)?));
        let (core, fault) = (0..self.replay().cores()).find_map(fault)?;
        // causes of the privileged ISA: misaligned, illegal, breakpoint, system calls, the others access and page faults
        let signal = match fault.cause {
            0 | 4 | 6 => Signal::SIGBUS,
            2 => Signal::SIGILL,
            3 => Signal::SIGTRAP,
            8..=11 => Signal::SIGSYS,
            _ => Signal::SIGSEGV,
        };
        Some((core, signal))
    }

    /// A core that GDB named, where there is one.
    fn core(&self, tid: Tid) -> Result<u8, TargetError<String>> {
        let there = (1..=usize::from(self.replay().cores())).contains(&tid.get());
        if there {
            Ok((tid.get() - 1) as u8)
        } else if self.waiting().any(|(of, ..)| of == tid) {
            Err(self
                .refuse(&format!("thread {tid} is a task that waits: it cannot be stepped; the threads of cores can")))
        } else {
            Err(self.refuse(&format!("thread {tid} is none: there are {}, a core each", self.replay().cores())))
        }
    }

    /// Sets the conditions of breakpoints.
    pub fn set_conditions(&mut self, conditions: &Conditions) {
        self.motion.conditions.clone_from(conditions);
    }

    /// Says what went wrong.
    pub fn report(&self, what: &str) {
        (self.report)(what);
    }

    /// Forgets what a GDB that is gone has asked for.
    pub fn reset(&mut self) {
        self.motion.breakpoints.clear();
        self.motion.watches.clear();
        self.go = ResumeAction::On(None);
    }

    /// The recording cannot be followed any further: that is its end.
    fn broken(&self, e: &S::Error) -> MultiThreadStopReason<u64> {
        (self.report)(&e.to_string());
        MultiThreadStopReason::ReplayLog { tid: Some(tid(self.current)), pos: ReplayLogPosition::End }
    }

    /// Reports the reason for a refusal that GDB's protocol cannot carry.
    fn refuse(&self, why: &str) -> TargetError<String> {
        (self.report)(why);
        TargetError::NonFatal
    }

    /// Prints call stacks of cores, which GDB cannot unwind without registers.
    fn stack(&self, words: &str, out: &mut ConsoleOutput<'_>) {
        let cores = self.replay().cores();
        let asked = match words {
            "" => self.current..self.current + 1,
            "all" => 0..cores,
            n => match n.parse::<u8>() {
                Ok(n) if n < cores => n..n + 1,
                _ => {
                    outputln!(out, "`{n}` is not a core; expected a number below {cores}, or `all`");
                    return;
                }
            },
        };
        for core in asked {
            match self.replay().stack(core) {
                None => outputln!(out, "core {core}: registers are known, GDB's own `bt` shows the stack"),
                Some(frames) => {
                    outputln!(out, "core {core}, instruction {}", count(self.replay().retired(core)));
                    frames.iter().for_each(|frame| outputln!(out, "{frame}"));
                }
            }
        }
    }

    /// Sets how often the moment is printed.
    fn set_progress(&mut self, every: &str, out: &mut ConsoleOutput<'_>) {
        let seconds = every.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match (every, seconds) {
            ("off", _) => self.progress = None,
            (_, Some(seconds)) => self.progress = Some(seconds),
            _ => outputln!(out, "`monitor progress {every}`: expected a number of seconds, or `off`"),
        }
    }

    /// Goes to a moment, by its number or its mark.
    fn goto(&mut self, to: &str, out: &mut ConsoleOutput<'_>) {
        let Some(moment) = self.marks.get(to).copied().or_else(|| number(to)) else {
            outputln!(out, "`{to}` is no number of instructions and no mark; `monitor marks` lists the marks");
            return;
        };
        match self.motion.line.seek(moment) {
            Ok(()) => {
                let moment = count(self.replay().position());
                outputln!(out, "moment {moment}; `maintenance flush register-cache` shows it");
            }
            Err(e) => outputln!(out, "{e}"),
        }
    }
}

/// The commands of `monitor`, a line each.
const COMMANDS: [&str; 7] = [
    "monitor when                  shows the moment",
    "monitor goto MOMENT|MARK      goes to a moment, by its number or its mark",
    "monitor mark NAME             gives this moment a name",
    "monitor marks                 lists the marks",
    "monitor bt [CORE|all]         shows the call stack of this core, another one or all",
    "monitor tasks                 lists the tasks of an RTOS with their states",
    "monitor progress SECONDS|off  prints the moment while the run continues, forwards or backwards",
];

impl<S: Scene> Target for Debugger<S> {
    type Arch = Riscv;
    type Error = String;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_extended_mode(&mut self) -> Option<ExtendedModeOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(&mut self) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Scene> MultiThreadBase for Debugger<S> {
    fn read_registers(&mut self, regs: &mut Regs, tid: Tid) -> TargetResult<(), Self> {
        *regs = match self.thread(tid)? {
            Thread::Core(core) => Self::registers_of(self.replay(), core),
            Thread::Waiting { left, .. } => self.parked(left)?.registers.clone(),
        };
        Ok(())
    }

    fn write_registers(&mut self, _: &Regs, _: Tid) -> TargetResult<(), Self> {
        Err(self.refuse(WRITTEN))
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        // as many bytes as are known
        let memory = self.replay().memory(start, data.len());
        if memory.is_empty() {
            return Err(TargetError::NonFatal);
        }
        data[..memory.len()].copy_from_slice(&memory);
        Ok(memory.len())
    }

    fn write_addrs(&mut self, _: u64, _: &[u8], _: Tid) -> TargetResult<(), Self> {
        Err(self.refuse(WRITTEN))
    }

    fn list_active_threads(&mut self, active: &mut dyn FnMut(Tid)) -> Result<(), String> {
        // GDB does not say which thread runs backwards: it is the first one in this list
        let others = (0..self.replay().cores()).filter(|core| *core != self.current);
        std::iter::once(self.current).chain(others).map(tid).for_each(&mut *active);
        self.find_switches()?;
        self.waiting().for_each(|(tid, ..)| active(tid));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Scene> SingleRegisterAccess<Tid> for Debugger<S> {
    fn read_register(&mut self, tid: Tid, id: Number, buf: &mut [u8]) -> TargetResult<usize, Self> {
        let core = match self.thread(tid)? {
            Thread::Core(core) => core,
            Thread::Waiting { left, .. } => return self.parked(left)?.register(id, buf).ok_or(TargetError::NonFatal),
        };
        let scene = self.replay();
        if (FIRST_FLOAT..FIRST_CSR).contains(&id.0) {
            let floats = scene.floats(core).ok_or(TargetError::NonFatal)?;
            buf[..8].copy_from_slice(&floats[id.0 - FIRST_FLOAT].to_le_bytes());
            return Ok(8);
        }
        let value = match id.0 {
            n @ 0..PC => scene.registers(core).map(|x| x[n]),
            PC => scene.pc(core),
            n => match u16::try_from(n.wrapping_sub(FIRST_CSR)) {
                Ok(csr) => scene.csr(core, csr),
                Err(_) => None,
            },
        };
        let bytes = value.ok_or(TargetError::NonFatal)?.to_le_bytes();
        let length = usize::from(scene.xlen() / 8);
        buf[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }

    fn write_register(&mut self, _: Tid, _: Number, _: &[u8]) -> TargetResult<(), Self> {
        Err(self.refuse(WRITTEN))
    }
}

impl<S: Scene> MultiThreadResume for Debugger<S> {
    fn resume(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), String> {
        self.go = ResumeAction::On(None);
        (self.resumed, self.motion.only) = (None, None);
        Ok(())
    }

    fn set_resume_action_continue(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), String> {
        match self.core(tid) {
            Ok(core) => self.resumed = Some(core),
            Err(_) => self.go = ResumeAction::Stay,
        }
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }
}

impl<S: Scene> MultiThreadSingleStep for Debugger<S> {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), String> {
        let core = self.core(tid).ok();
        self.resumed = core;
        self.go = core.map_or(ResumeAction::Stay, |core| ResumeAction::On(Some(core)));
        Ok(())
    }
}

impl<S: Scene> MultiThreadSchedulerLocking for Debugger<S> {
    /// The order of the cores is that of the recording, so other cores always continue. They do not stop the run: GDB waits for the one
    /// that it named, with breakpoints at the end of an `lr`/`sc` sequence that others may be in, too.
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), String> {
        self.motion.only = self.resumed;
        Ok(())
    }
}

impl<S: Scene> ReverseCont<Tid> for Debugger<S> {
    fn reverse_cont(&mut self) -> Result<(), String> {
        self.go = ResumeAction::Back(None);
        Ok(())
    }
}

impl<S: Scene> ReverseStep<Tid> for Debugger<S> {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), String> {
        self.go = self.core(tid).map_or(ResumeAction::Stay, |core| ResumeAction::Back(Some(core)));
        Ok(())
    }
}

impl<S: Scene> TargetDescriptionXmlOverride for Debugger<S> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let rest = self.xml.as_bytes().get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(length).min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

/// `target extended-remote`: `run` begins the recording again.
impl<S: Scene> ExtendedMode for Debugger<S> {
    fn run(&mut self, _: Option<&[u8]>, _: Args<'_, '_>) -> TargetResult<Pid, Self> {
        self.restart().map_err(TargetError::Fatal)?;
        Ok(Pid::MIN)
    }

    fn attach(&mut self, _: Pid) -> TargetResult<(), Self> {
        Ok(())
    }

    fn query_if_attached(&mut self, _: Pid) -> TargetResult<AttachKind, Self> {
        Ok(AttachKind::Attach)
    }

    fn kill(&mut self, _: Option<Pid>) -> TargetResult<ShouldTerminate, Self> {
        self.reset();
        Ok(ShouldTerminate::No)
    }

    fn restart(&mut self) -> Result<(), String> {
        self.motion.line.seek(self.motion.line.first()).map_err(|e| e.to_string())
    }
}

impl<S: Scene> MonitorCmd for Debugger<S> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), String> {
        let words = String::from_utf8_lossy(command).trim().to_string();
        if words == "when" {
            let (bytes, checkpoints) = self.motion.line.held();
            let s = if checkpoints == 1 { "" } else { "s" };
            let (moment, bytes) = (count(self.replay().position()), count(bytes as u64));
            outputln!(out, "moment {moment}: {checkpoints} checkpoint{s}, {bytes} bytes");
        } else if let Some(asked) = words.strip_prefix("bt") {
            self.stack(asked.trim(), &mut out);
        } else if words == "tasks" {
            self.print_tasks(&mut out)?;
        } else if let Some(to) = words.strip_prefix("goto ") {
            self.goto(to.trim(), &mut out);
        } else if let Some(every) = words.strip_prefix("progress") {
            self.set_progress(every.trim(), &mut out);
        } else if words == "marks" {
            for (name, moment) in &self.marks {
                outputln!(out, "{name}: moment {}", count(*moment));
            }
        } else if let Some(name) = words.strip_prefix("mark ").map(str::trim).filter(|n| !n.is_empty()) {
            let moment = self.replay().position();
            self.marks.insert(name.to_string(), moment);
            outputln!(out, "{name}: moment {}", count(moment));
        } else {
            COMMANDS.iter().for_each(|line| outputln!(out, "{line}"));
        }
        Ok(())
    }
}
