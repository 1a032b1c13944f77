//! What a debugger sees at a moment of a recorded run or a control-flow trace

use sim::scheme::inputs::replay::{Fault, Replay};
use sim::timeline::Seekable;
use std::fmt::Display;

/// A moment as a debugger sees it. Unknown values are `None`.
pub trait Scene: Seekable<Error: Display> {
    /// Whether registers and memory are known, and so can be watched.
    const VALUES: bool;
    /// Number of cores.
    fn cores(&self) -> u8;
    /// Address width, bits: 32 or 64.
    fn xlen(&self) -> u8;
    /// Address of the next instruction of a core.
    fn pc(&self, core: u8) -> Option<u64>;
    /// The exception that ended a core, if it crashed; [`Scene::pc`] is then the instruction that raised it.
    fn fault(&self, _: u8) -> Option<Fault> {
        None
    }
    /// Instructions that a core has retired.
    fn retired(&self, core: u8) -> u64;
    /// Clock cycle of a core's last event, if there are time stamps.
    fn cycle(&self, core: u8) -> Option<u64>;
    /// Cores, other than the stepped one, whose address changed with the last step.
    fn moved(&self) -> &[u8];
    /// The instruction before which a core took a trap, if its next one is the first of the handler.
    fn trapped_at(&self, _: u8) -> Option<u64> {
        None
    }
    /// Registers x0 to x31 of a core.
    fn registers(&self, core: u8) -> Option<[u64; 32]>;
    /// Registers f0 to f31 of a core that has F and D; a 32-bit number has its upper bits set.
    fn floats(&self, _: u8) -> Option<[u64; 32]> {
        None
    }
    /// A CSR of a core.
    fn csr(&self, core: u8, number: u16) -> Option<u64>;
    /// Known bytes of memory from `addr` on: at most `most`, possibly none.
    fn memory(&self, addr: u64, most: usize) -> Vec<u8>;
    /// Call stack of a core, one line per frame, innermost first; `None` if GDB unwinds it itself.
    fn stack(&self, core: u8) -> Option<Vec<String>>;
}

impl Scene for Replay {
    const VALUES: bool = true;

    fn cores(&self) -> u8 {
        self.params().cores
    }

    fn xlen(&self) -> u8 {
        self.params().xlen
    }

    #[inline]
    fn pc(&self, core: u8) -> Option<u64> {
        Some(self.fault(core).map_or_else(|| Replay::pc(self, core), |fault| fault.pc))
    }

    fn fault(&self, core: u8) -> Option<Fault> {
        Replay::fault(self, core)
    }

    fn retired(&self, core: u8) -> u64 {
        Replay::retired(self, core)
    }

    fn cycle(&self, _: u8) -> Option<u64> {
        None
    }

    #[inline]
    fn moved(&self) -> &[u8] {
        Replay::moved(self)
    }

    fn trapped_at(&self, core: u8) -> Option<u64> {
        Replay::trapped_at(self, core)
    }

    fn registers(&self, core: u8) -> Option<[u64; 32]> {
        Some(Replay::registers(self, core))
    }

    fn floats(&self, core: u8) -> Option<[u64; 32]> {
        self.params().isa().float.then(|| Replay::floats(self, core))
    }

    fn csr(&self, core: u8, number: u16) -> Option<u64> {
        Replay::csr(self, core, number)
    }

    fn memory(&self, addr: u64, most: usize) -> Vec<u8> {
        let Ok(addr) = u32::try_from(addr) else { return Vec::new() };
        (0..=most).rev().find_map(|n| Replay::memory(self, addr, n)).unwrap_or_default().to_vec()
    }

    fn stack(&self, _: u8) -> Option<Vec<String>> {
        None
    }
}
