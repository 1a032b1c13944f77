//! A recorded run or a trace as GDB's remote protocol has it: a thread a core, what is known readable, nothing writable

use super::arch::{description, Number, Regs, Riscv, FIRST_CSR, FIRST_FLOAT, PC};
use super::motion::{Kind, Motion, Stop, Watch};
use super::scene::Scene;
use gdbstub::common::{Signal, Tid};
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
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};

const WRITTEN: &str = "registers and memory cannot be written: what was recorded is what it is";
const WATCHED: &str =
    "a trace of the control flow has no memory to watch; `goshawk encode --scheme inputs` records a run that has";

/// How to go on.
#[derive(Clone, Copy, Debug)]
enum Go {
    On(Option<u8>),
    Back(Option<u8>),
}

/// What GDB talks to.
pub struct Debugger<S: Scene> {
    motion: Motion<S>,
    go: Go,
    /// The core that stopped last.
    current: u8,
    xml: String,
    tell: Box<dyn Fn(&str)>,
}

/// Stopped because GDB asked for it.
pub fn stopped() -> MultiThreadStopReason<u64> {
    MultiThreadStopReason::Signal(Signal::SIGINT)
}

fn tid(core: u8) -> Tid {
    Tid::new(usize::from(core) + 1).unwrap_or(Tid::MIN)
}

impl<S: Scene> Debugger<S> {
    pub fn new(scene: S, tell: Box<dyn Fn(&str)>) -> Self {
        let xml = description(scene.xlen(), S::VALUES, scene.floats(0).is_some());
        Self { motion: Motion::new(scene), go: Go::On(None), current: 0, xml, tell }
    }

    fn replay(&self) -> &S {
        self.motion.line.replay()
    }

    /// The core that a thread is, if there is one.
    fn core(&self, tid: Tid) -> Option<u8> {
        u8::try_from(tid.get() - 1).ok().filter(|core| *core < self.replay().cores())
    }

    /// The same of a thread that is to go on.
    fn moved(&self, tid: Tid) -> Result<u8, String> {
        self.core(tid).ok_or_else(|| format!("thread {tid} does not exist: there are {} cores", self.replay().cores()))
    }

    /// Goes on as GDB said; `None` where something came from GDB meanwhile.
    pub fn go(&mut self, incoming: impl FnMut() -> bool) -> Option<MultiThreadStopReason<u64>> {
        let (went, edge) = match self.go {
            Go::On(step) => (self.motion.forwards(step, incoming), ReplayLogPosition::End),
            Go::Back(step) => (self.motion.backwards(step), ReplayLogPosition::Begin),
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
            Ok(Stop::Edge) => MultiThreadStopReason::ReplayLog { tid: at, pos: edge },
            Err(e) => self.broken(&e),
        })
    }

    /// The recording cannot be followed any further: that is its end.
    fn broken(&self, e: &S::Error) -> MultiThreadStopReason<u64> {
        (self.tell)(&e.to_string());
        MultiThreadStopReason::ReplayLog { tid: Some(tid(self.current)), pos: ReplayLogPosition::End }
    }

    /// Says why not, where GDB has no words for it.
    fn refuse(&self, why: &str) -> TargetError<String> {
        (self.tell)(why);
        TargetError::NonFatal
    }

    /// The functions that a core is in, as GDB would show them if it had registers.
    fn stack(&self, words: &str, out: &mut ConsoleOutput<'_>) {
        let cores = self.replay().cores();
        let asked = match words {
            "" => self.current..self.current + 1,
            "all" => 0..cores,
            n => match n.parse::<u8>() {
                Ok(n) if n < cores => n..n + 1,
                _ => {
                    outputln!(out, "`{n}` is no core: there are {cores}, counted from 0; `all` is all of them");
                    return;
                }
            },
        };
        for core in asked {
            match self.replay().stack(core) {
                None => outputln!(out, "core {core}: registers are known, GDB's own `bt` shows the stack"),
                Some(frames) => {
                    outputln!(out, "core {core}, instruction {}", self.replay().retired(core));
                    frames.iter().for_each(|frame| outputln!(out, "{frame}"));
                }
            }
        }
    }

    fn moment(&self, words: &str) -> Option<u64> {
        words.strip_prefix("goto ").and_then(|n| n.trim().parse().ok())
    }
}

impl<S: Scene> Target for Debugger<S> {
    type Arch = Riscv;
    type Error = String;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
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
        let (scene, core) = (self.replay(), self.core(tid).ok_or(TargetError::NonFatal)?);
        *regs = Regs { bytes: usize::from(scene.xlen() / 8), x: scene.registers(core), pc: scene.pc(core) };
        Ok(())
    }

    fn write_registers(&mut self, _: &Regs, _: Tid) -> TargetResult<(), Self> {
        Err(self.refuse(WRITTEN))
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        // as much as there is
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
        // GDB does not say which thread it goes back with: the first one here is it
        let others = (0..self.replay().cores()).filter(|core| *core != self.current);
        std::iter::once(self.current).chain(others).map(tid).for_each(active);
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
        let (scene, core) = (self.replay(), self.core(tid).ok_or(TargetError::NonFatal)?);
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
        self.go = Go::On(None);
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), String> {
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
        self.go = Go::On(Some(self.moved(tid)?));
        Ok(())
    }
}

impl<S: Scene> MultiThreadSchedulerLocking for Debugger<S> {
    /// The order of the cores is the recorded one: others go on as they did.
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), String> {
        Ok(())
    }
}

impl<S: Scene> ReverseCont<Tid> for Debugger<S> {
    fn reverse_cont(&mut self) -> Result<(), String> {
        self.go = Go::Back(None);
        Ok(())
    }
}

impl<S: Scene> ReverseStep<Tid> for Debugger<S> {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), String> {
        self.go = Go::Back(Some(self.moved(tid)?));
        Ok(())
    }
}

impl<S: Scene> Breakpoints for Debugger<S> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Scene> SwBreakpoint for Debugger<S> {
    fn add_sw_breakpoint(&mut self, addr: u64, _: usize) -> TargetResult<bool, Self> {
        self.motion.breakpoints.insert(addr);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, addr: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.motion.breakpoints.remove(&addr))
    }
}

impl<S: Scene> HwBreakpoint for Debugger<S> {
    fn add_hw_breakpoint(&mut self, addr: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(addr, kind)
    }

    fn remove_hw_breakpoint(&mut self, addr: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(addr, kind)
    }
}

/// `None` outside the memory of a 32-bit core.
fn watch(addr: u64, length: u64, kind: WatchKind) -> Option<Watch> {
    let kind = match kind {
        WatchKind::Write => Kind::Write,
        WatchKind::Read => Kind::Read,
        WatchKind::ReadWrite => Kind::Access,
    };
    Some(Watch { addr: addr.try_into().ok()?, length: length.try_into().ok()?, kind })
}

impl<S: Scene> HwWatchpoint for Debugger<S> {
    fn add_hw_watchpoint(&mut self, addr: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        if !S::VALUES {
            return Err(self.refuse(WATCHED));
        }
        self.motion.watches.push(watch(addr, length, kind).ok_or(TargetError::NonFatal)?);
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, addr: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let at = self.motion.watches.iter().position(|w| Some(*w) == watch(addr, length, kind));
        Ok(at.map(|at| self.motion.watches.swap_remove(at)).is_some())
    }
}

impl<S: Scene> ThreadExtraInfo for Debugger<S> {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, String> {
        let (scene, core) = (self.replay(), self.moved(tid)?);
        let cycle = scene.cycle(core).map(|c| format!(", cycle {c}")).unwrap_or_default();
        let text = format!("core {core}, instruction {}{cycle}", scene.retired(core));
        let n = text.len().min(buf.len());
        buf[..n].copy_from_slice(&text.as_bytes()[..n]);
        Ok(n)
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

impl<S: Scene> MonitorCmd for Debugger<S> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), String> {
        let words = String::from_utf8_lossy(command).trim().to_string();
        if words == "when" {
            let (bytes, checkpoints) = self.motion.line.held();
            outputln!(out, "moment {}: {checkpoints} checkpoints, {bytes} bytes", self.replay().position());
        } else if let Some(asked) = words.strip_prefix("bt") {
            self.stack(asked.trim(), &mut out);
        } else if let Some(moment) = self.moment(&words) {
            match self.motion.line.seek(moment) {
                Ok(()) => {
                    outputln!(out, "moment {}; `maintenance flush register-cache` shows it", self.replay().position())
                }
                Err(e) => outputln!(out, "{e}"),
            }
        } else {
            outputln!(
                out,
                "`monitor when` tells the moment, `monitor goto N` goes to one, `monitor bt [CORE|all]` shows the stack"
            );
        }
        Ok(())
    }
}
