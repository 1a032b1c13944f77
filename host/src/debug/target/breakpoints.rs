//! Breakpoints and watchpoints of the target

use super::super::motion::{Kind, Watch};
use super::super::scene::Scene;
use super::Debugger;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::{TargetError, TargetResult};

const WATCHED: &str =
    "a trace of the control flow has no memory to watch; `goshawk encode --scheme inputs` records a run that has";

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

/// A watchpoint; `None` outside the memory of a 32-bit core.
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
