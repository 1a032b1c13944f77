//! A recorded run as GDB's remote protocol has it: a thread a core, everything readable, nothing writable

use super::motion::{Kind, Motion, Stop, Watch};
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
use gdbstub_arch::riscv::reg::id::RiscvRegId;
use gdbstub_arch::riscv::reg::RiscvCoreRegs;
use gdbstub_arch::riscv::Riscv32;
use sim::scheme::inputs::replay::{InputsError, Replay};

/// CSRs that GDB is told of: those that replay knows.
const CSRS: [(&str, u16); 10] = [
    ("mstatus", 0x300),
    ("misa", 0x301),
    ("mie", 0x304),
    ("mtvec", 0x305),
    ("mscratch", 0x340),
    ("mepc", 0x341),
    ("mcause", 0x342),
    ("mtval", 0x343),
    ("minstret", 0xb02),
    ("mhartid", 0xf14),
];
/// GDB's number of CSR 0.
const FIRST_CSR: u16 = 65;

/// How to go on.
#[derive(Clone, Copy, Debug)]
enum Go {
    On(Option<u8>),
    Back(Option<u8>),
}

/// What GDB talks to.
pub struct Debugger {
    motion: Motion,
    go: Go,
    /// The core that stopped last.
    current: u8,
    xml: String,
    tell: Box<dyn Fn(&str)>,
}

/// Stopped because GDB asked for it.
pub fn stopped() -> MultiThreadStopReason<u32> {
    MultiThreadStopReason::Signal(Signal::SIGINT)
}

fn tid(core: u8) -> Tid {
    Tid::new(usize::from(core) + 1).unwrap_or(Tid::MIN)
}

fn core(tid: Tid) -> u8 {
    (tid.get() - 1) as u8
}

/// The registers, as GDB's target descriptions have them.
fn xml() -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n\
         <architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n",
    );
    let names = "zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6";
    for (number, name) in names.split(' ').enumerate() {
        let kind = match name {
            "ra" => "code_ptr",
            "sp" | "gp" | "tp" | "fp" => "data_ptr",
            _ => "int",
        };
        xml.push_str(&format!("<reg name=\"{name}\" bitsize=\"32\" type=\"{kind}\" regnum=\"{number}\"/>\n"));
    }
    xml.push_str("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/>\n</feature>\n");
    xml.push_str("<feature name=\"org.gnu.gdb.riscv.csr\">\n");
    for (name, csr) in CSRS {
        let number = FIRST_CSR + csr;
        xml.push_str(&format!("<reg name=\"{name}\" bitsize=\"32\" type=\"int\" regnum=\"{number}\"/>\n"));
    }
    xml.push_str("</feature>\n</target>\n");
    xml
}

impl Debugger {
    pub fn new(replay: Replay, tell: Box<dyn Fn(&str)>) -> Self {
        Self { motion: Motion::new(replay), go: Go::On(None), current: 0, xml: xml(), tell }
    }

    fn replay(&self) -> &Replay {
        self.motion.line.replay()
    }

    /// Goes on as GDB said; `None` where something came from GDB meanwhile.
    pub fn go(&mut self, incoming: impl FnMut() -> bool) -> Option<MultiThreadStopReason<u32>> {
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
                MultiThreadStopReason::Watch { tid: tid(core), kind, addr: watch.addr }
            }
            Ok(Stop::Step(core)) => MultiThreadStopReason::SignalWithThread { tid: tid(core), signal: Signal::SIGTRAP },
            Ok(Stop::Edge) => MultiThreadStopReason::ReplayLog { tid: at, pos: edge },
            Err(e) => self.broken(&e),
        })
    }

    /// The recording cannot be followed any further: that is its end.
    fn broken(&self, e: &InputsError) -> MultiThreadStopReason<u32> {
        (self.tell)(&e.to_string());
        MultiThreadStopReason::ReplayLog { tid: Some(tid(self.current)), pos: ReplayLogPosition::End }
    }

    fn moment(&self, words: &str) -> Option<u64> {
        words.strip_prefix("goto ").and_then(|n| n.trim().parse().ok())
    }
}

impl Target for Debugger {
    type Arch = Riscv32;
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

impl MultiThreadBase for Debugger {
    fn read_registers(&mut self, regs: &mut RiscvCoreRegs<u32>, tid: Tid) -> TargetResult<(), Self> {
        regs.x = self.replay().registers(core(tid));
        regs.pc = self.replay().pc(core(tid));
        Ok(())
    }

    /// What was recorded is what it is.
    fn write_registers(&mut self, _: &RiscvCoreRegs<u32>, _: Tid) -> TargetResult<(), Self> {
        Err(TargetError::NonFatal)
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        // as much as there is
        let there = (0..=data.len()).rev().find_map(|n| self.replay().memory(start, n)).filter(|m| !m.is_empty());
        let memory = there.ok_or(TargetError::NonFatal)?;
        data[..memory.len()].copy_from_slice(memory);
        Ok(memory.len())
    }

    fn write_addrs(&mut self, _: u32, _: &[u8], _: Tid) -> TargetResult<(), Self> {
        Err(TargetError::NonFatal)
    }

    fn list_active_threads(&mut self, active: &mut dyn FnMut(Tid)) -> Result<(), String> {
        // GDB does not say which thread it goes back with: the first one here is it
        let others = (0..self.replay().params().cores).filter(|core| *core != self.current);
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

impl SingleRegisterAccess<Tid> for Debugger {
    fn read_register(&mut self, tid: Tid, id: RiscvRegId<u32>, buf: &mut [u8]) -> TargetResult<usize, Self> {
        let value = match id {
            RiscvRegId::Gpr(n) => self.replay().registers(core(tid)).get(usize::from(n)).copied(),
            RiscvRegId::Pc => Some(self.replay().pc(core(tid))),
            RiscvRegId::Csr(number) => self.replay().csr(core(tid), number),
            _ => None,
        };
        let bytes = value.ok_or(TargetError::NonFatal)?.to_le_bytes();
        buf[..4].copy_from_slice(&bytes);
        Ok(4)
    }

    fn write_register(&mut self, _: Tid, _: RiscvRegId<u32>, _: &[u8]) -> TargetResult<(), Self> {
        Err(TargetError::NonFatal)
    }
}

impl MultiThreadResume for Debugger {
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

impl MultiThreadSingleStep for Debugger {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), String> {
        self.go = Go::On(Some(core(tid)));
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for Debugger {
    /// The order of the cores is the recorded one: others go on as they did.
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), String> {
        Ok(())
    }
}

impl ReverseCont<Tid> for Debugger {
    fn reverse_cont(&mut self) -> Result<(), String> {
        self.go = Go::Back(None);
        Ok(())
    }
}

impl ReverseStep<Tid> for Debugger {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), String> {
        self.go = Go::Back(Some(core(tid)));
        Ok(())
    }
}

impl Breakpoints for Debugger {
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

impl SwBreakpoint for Debugger {
    fn add_sw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        self.motion.breakpoints.insert(addr);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.motion.breakpoints.remove(&addr))
    }
}

impl HwBreakpoint for Debugger {
    fn add_hw_breakpoint(&mut self, addr: u32, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(addr, kind)
    }

    fn remove_hw_breakpoint(&mut self, addr: u32, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(addr, kind)
    }
}

fn watch(addr: u32, length: u32, kind: WatchKind) -> Watch {
    let kind = match kind {
        WatchKind::Write => Kind::Write,
        WatchKind::Read => Kind::Read,
        WatchKind::ReadWrite => Kind::Access,
    };
    Watch { addr, length, kind }
}

impl HwWatchpoint for Debugger {
    fn add_hw_watchpoint(&mut self, addr: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.motion.watches.push(watch(addr, length, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, addr: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let at = self.motion.watches.iter().position(|w| *w == watch(addr, length, kind));
        Ok(at.map(|at| self.motion.watches.swap_remove(at)).is_some())
    }
}

impl ThreadExtraInfo for Debugger {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, String> {
        let text = format!("core {}, instruction {}", core(tid), self.replay().retired(core(tid)));
        let n = text.len().min(buf.len());
        buf[..n].copy_from_slice(&text.as_bytes()[..n]);
        Ok(n)
    }
}

impl TargetDescriptionXmlOverride for Debugger {
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

impl MonitorCmd for Debugger {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), String> {
        let words = String::from_utf8_lossy(command).trim().to_string();
        if words == "when" {
            let (bytes, checkpoints) = self.motion.line.held();
            outputln!(out, "moment {}: {checkpoints} checkpoints, {bytes} bytes", self.replay().position());
        } else if let Some(moment) = self.moment(&words) {
            match self.motion.line.seek(moment) {
                Ok(()) => {
                    outputln!(out, "moment {}; `maintenance flush register-cache` shows it", self.replay().position())
                }
                Err(e) => outputln!(out, "{e}"),
            }
        } else {
            outputln!(out, "`monitor when` tells the moment, `monitor goto N` goes to one");
        }
        Ok(())
    }
}
