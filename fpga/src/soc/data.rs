//! The retire log with data: registers from the cores' own wires, memory accesses from the bus
//!
//! Like [`super::log`], it uses neither the adapters nor the trace. A loaded value is extracted from the bus word by
//! the address, computed from the registers of this log.

use super::log::{Code, LogError};
use retire::elf::Program;
use retire::isa::{flow, length, Flow, MRET};
use retire::{DataKind, MasterStore};
use sim::platform::ParamError;
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Access, Beat, InputsStats, Recorder, Reference, Retired};
use sim::scheme::inputs::start::TrackedState;
use sim::scheme::inputs::InputsParams;

/// A bus access of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusAccess {
    /// Clock cycle.
    pub cycle: u64,
    /// Core.
    pub core: u8,
    /// Address of the word.
    pub addr: u32,
    /// Data read or written.
    pub data: u32,
    /// Byte enables of a write; 0: a read.
    pub strobes: u8,
}

/// A retired instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Clock cycle.
    pub cycle: u64,
    /// Core.
    pub core: u8,
    /// Address.
    pub pc: u32,
    /// Address of the next instruction.
    pub npc: u32,
    /// Instruction bits.
    pub insn: u32,
    /// Register written (never 0) and its new value.
    pub register: Option<(u8, u32)>,
    /// Access that it loaded.
    pub load: Option<Access>,
    /// Access that it stored.
    pub store: Option<Access>,
}

impl Step {
    /// The data events of the instruction, as in replay.
    pub fn data(&self) -> impl Iterator<Item = DataKind> {
        let load = self.load.map(|a| DataKind::Load { size: a.size, addr: a.addr.into(), value: a.value.into() });
        let store = self.store.map(|a| DataKind::Store { size: a.size, addr: a.addr.into(), value: a.value.into() });
        let register = self.register.map(|(rd, value)| DataKind::Register { rd, value: value.into() });
        load.into_iter().chain(store).chain(register)
    }

    /// The CSR that it reads into its register, with the value.
    pub fn csr(&self) -> Option<(u16, u32)> {
        let reads = self.insn & 0x7f == 0x73 && self.insn >> 12 & 3 != 0;
        self.register.filter(|_| reads).map(|(_, value)| ((self.insn >> 20) as u16, value))
    }

    /// The instruction as the core's port reports it.
    fn beat(&self) -> Beat {
        Beat::Retired(Retired {
            load: self.load,
            store: self.store,
            csr: self.csr(),
            register: self.register,
            conditional: None,
            flow: (flow(self.insn, 32) != Flow::Sequential).then_some((self.pc, self.npc)),
            returns: self.insn == MRET,
        })
    }
}

#[derive(Clone, Debug)]
struct Core {
    registers: [u32; 32],
    /// Register write of the instruction that retires next.
    register: Option<(u8, u32)>,
    /// Accesses whose instruction has not yet retired.
    accesses: Vec<BusAccess>,
}

/// A retire log with registers and memory accesses.
#[derive(Clone, Debug)]
pub struct DataLog {
    code: Code,
    cores: Vec<Core>,
    /// Retired instructions, in order of cycles.
    pub steps: Vec<Step>,
    /// Bus accesses, in order of cycles.
    pub accesses: Vec<BusAccess>,
    /// Interrupts: cycle, core, cause.
    pub interrupts: Vec<(u64, u8, u8)>,
    /// Exceptions: cycle, core.
    exceptions: Vec<(u64, u8)>,
    /// Cycle in which the recording started.
    pub start_cycle: Option<u64>,
}

/// Base register and offset of an address.
type Address = (usize, u32);

/// For a load or store: size in bytes, whether it stores, and the register and offset of its address if the access can
/// be smaller than a word.
fn memory(insn: u32) -> Option<(u8, bool, Option<Address>)> {
    let rs1 = (insn >> 15 & 31) as usize;
    match (length(insn as u16), insn & 0x7f, insn >> 13 & 7) {
        (4, 0x03, _) => Some((1 << (insn >> 12 & 3), false, Some((rs1, (insn as i32 >> 20) as u32)))),
        (4, 0x23, _) => Some((1 << (insn >> 12 & 3), true, None)),
        // c.lw, c.lwsp; c.sw, c.swsp
        (2, op, 2) if op & 1 == 0 => Some((4, false, None)),
        (2, op, 6) if op & 1 == 0 => Some((4, true, None)),
        _ => None,
    }
}

impl DataLog {
    /// Creates a log of `cores` cores that run `program`; registers start at 0.
    pub fn new(program: &Program, cores: u8) -> Self {
        let core = Core { registers: [0; 32], register: None, accesses: Vec::new() };
        let (steps, accesses, interrupts) = (Vec::new(), Vec::new(), Vec::new());
        let (code, cores) = (Code::new(program), vec![core; cores.into()]);
        Self { code, cores, steps, accesses, interrupts, exceptions: Vec::new(), start_cycle: None }
    }

    /// The recording starts in `cycle`.
    pub fn start_recording(&mut self, cycle: u64) {
        self.start_cycle.get_or_insert(cycle);
    }

    /// The bus completes an access.
    pub fn access(&mut self, access: BusAccess) {
        self.accesses.push(access);
        if let Some(core) = self.cores.get_mut(usize::from(access.core)) {
            core.accesses.push(access);
        }
    }

    /// Register write of the instruction that core `core` retires in this cycle.
    pub fn register(&mut self, core: u8, rd: u32, value: u32) {
        self.cores[usize::from(core)].register = Some(((rd & 31) as u8, value));
    }

    /// Core `core` takes a trap; bit 4 of `cause`: an interrupt.
    pub fn trap(&mut self, core: u8, cycle: u64, cause: u32) {
        if cause >> 4 & 1 == 1 {
            self.interrupts.push((cycle, core, (cause & 15) as u8));
        } else {
            self.exceptions.push((cycle, core));
        }
    }

    /// Core `core` retires the instruction at `pc`.
    pub fn retired(&mut self, core: u8, cycle: u64, pc: u32, npc: u32) -> Result<(), LogError> {
        let insn = self.code.insn(pc).ok_or(LogError::NoCode { cycle, core, pc })?;
        let c = &mut self.cores[usize::from(core)];
        let wants = memory(insn);
        let made = c.accesses.len();
        if made != usize::from(wants.is_some()) {
            return Err(LogError::Accesses { cycle, core, pc, made });
        }
        let (mut load, mut store) = (None, None);
        if let (Some((size, stores, base)), Some(a)) = (wants, c.accesses.pop()) {
            let lane = match base {
                _ if stores => a.strobes.trailing_zeros() & 3,
                Some((rs1, offset)) => c.registers[rs1].wrapping_add(offset) & 3,
                None => 0,
            };
            let value = a.data >> (8 * lane) & (u32::MAX >> (32 - 8 * u32::from(size)));
            *(if stores { &mut store } else { &mut load }) = Some(Access { size, addr: (a.addr & !3) + lane, value });
        }
        let register = c.register.take().filter(|r| r.0 != 0);
        if let Some((rd, value)) = register {
            c.registers[usize::from(rd)] = value;
        }
        self.steps.push(Step { cycle, core, pc, npc, insn, register, load, store });
        Ok(())
    }

    /// The words and statistics of the golden model for this log.
    ///
    /// # Errors
    /// The parameters are invalid.
    pub fn golden(&self, params: &InputsParams, program: &Program) -> Result<(Vec<u32>, InputsStats), ParamError> {
        let mut model = Recorder::new(params, program)?;
        let start_cycle = self.start_cycle.unwrap_or(0);
        if params.sizes.known > 0 {
            let ram = self.ram(program, params.ram_base.into(), params.ram_bytes as usize, start_cycle);
            model.begin(&ram, self.states(params, start_cycle));
        }
        let mut step = self.steps.partition_point(|s| s.cycle < start_cycle);
        let mut access = self.accesses.partition_point(|a| a.cycle < start_cycle);
        let mut interrupt = self.interrupts.partition_point(|i| i.0 < start_cycle);
        let mut beats = vec![Beat::Idle; params.cores.into()];
        loop {
            let times = [
                self.steps.get(step).map(|s| s.cycle),
                self.accesses.get(access).map(|a| a.cycle),
                self.interrupts.get(interrupt).map(|i| i.0),
            ];
            let Some(now) = times.into_iter().flatten().min() else { break };
            beats.fill(Beat::Idle);
            while let Some(s) = self.steps.get(step).filter(|s| s.cycle == now) {
                beats[usize::from(s.core)] = s.beat();
                step += 1;
            }
            while let Some(&(_, core, cause)) = self.interrupts.get(interrupt).filter(|i| i.0 == now) {
                beats[usize::from(core)] = Beat::Trap { interrupt: true, cause };
                interrupt += 1;
            }
            let (mut reference, mut store) = (None, None);
            if let Some(a) = self.accesses.get(access).filter(|a| a.cycle == now) {
                let write = a.strobes != 0;
                // reads of a bus master are not recorded
                let of_master = a.core >= params.cores;
                if of_master && write && params.is_ram(a.addr.into(), 4) {
                    let word = MasterStore { addr: (a.addr & !3).into(), value: a.data, mask: a.strobes, cycle: now };
                    store = Some(MasterStore { value: a.data & word.bits(), ..word });
                }
                let there = !of_master && (write || params.is_ram(a.addr.into(), 4));
                // the bus does not know the previous content of RAM
                reference =
                    there.then_some(Reference { core: a.core, addr: a.addr.into(), changes: write, again: false });
                access += 1;
            }
            match store {
                Some(store) => model.clock_master(&store, &beats),
                None => model.clock(reference.as_ref(), &beats),
            }
        }
        model.finish();
        let words = model.drain().collect();
        Ok((words, *model.stats()))
    }

    /// States of the cores before `cycle`, as their ports report them.
    fn states(&self, params: &InputsParams, cycle: u64) -> Vec<CoreState> {
        enum What {
            Retires(u32, u32, Option<(u8, u32)>),
            Traps(bool, u8),
        }
        let steps = self.steps.iter().map(|s| (s.cycle, s.core, What::Retires(s.insn, s.npc, s.register)));
        let interrupts = self.interrupts.iter().map(|i| (i.0, i.1, What::Traps(true, i.2)));
        let exceptions = self.exceptions.iter().map(|e| (e.0, e.1, What::Traps(false, 0)));
        let mut all: Vec<_> = steps.chain(interrupts).chain(exceptions).filter(|w| w.0 < cycle).collect();
        all.sort_by_key(|w| w.0);
        let mut kept = vec![TrackedState::new(params.profile); params.cores.into()];
        for (_, core, what) in all {
            let kept = &mut kept[usize::from(core)];
            match what {
                What::Retires(insn, next, register) => kept.retired(insn, next, register),
                What::Traps(interrupt, cause) => kept.trap(interrupt, cause),
            }
        }
        kept.into_iter().map(|k| k.state).collect()
    }

    /// RAM before `cycle`: `bytes` bytes from `base`, initialised with `program`.
    pub fn ram(&self, program: &Program, base: u64, bytes: usize, cycle: u64) -> Vec<u8> {
        let mut ram = vec![0; bytes];
        for s in &program.segments {
            let at = s.addr.wrapping_sub(base) as usize;
            if let Some(place) = at.checked_add(s.data.len()).and_then(|end| ram.get_mut(at..end)) {
                place.copy_from_slice(&s.data);
            }
        }
        for a in self.accesses.iter().take_while(|a| a.cycle < cycle) {
            let at = u64::from(a.addr & !3).wrapping_sub(base) as usize;
            for lane in (0..4).filter(|lane| a.strobes >> lane & 1 == 1) {
                if let Some(byte) = ram.get_mut(at.wrapping_add(lane)) {
                    *byte = (a.data >> (8 * lane)) as u8;
                }
            }
        }
        ram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::elf::Segment;

    fn program(code: &[u32]) -> Program {
        let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let segment = Segment::code(0x8000_0000, data);
        Program {
            xlen: 32,
            compressed: false,
            multiplies: false,
            zcm: false,
            entry: 0x8000_0000,
            segments: vec![segment],
            build_id: vec![1],
            tohost: None,
        }
    }

    /// `lui x1, 0x80000`, `lh x2, 6(x1)`, `sb x2, 5(x1)`: half word 3 of the word at 4, then its byte 1.
    #[test]
    fn access_values_are_extracted_from_bus_words() {
        let mut log = DataLog::new(&program(&[0x8000_00b7, 0x0060_9103, 0x0020_82a3]), 1);
        log.register(0, 1, 0x8000_0000);
        log.retired(0, 3, 0x8000_0000, 0x8000_0004).unwrap();
        log.access(BusAccess { cycle: 4, core: 0, addr: 0x8000_0004, data: 0x8765_4321, strobes: 0 });
        log.register(0, 2, 0xffff_8765);
        log.retired(0, 7, 0x8000_0004, 0x8000_0008).unwrap();
        log.access(BusAccess { cycle: 8, core: 0, addr: 0x8000_0004, data: 0x6565_6565, strobes: 2 });
        log.retired(0, 9, 0x8000_0008, 0x8000_000c).unwrap();
        let data: Vec<DataKind> = log.steps.iter().flat_map(Step::data).collect();
        assert_eq!(
            data,
            [
                DataKind::Register { rd: 1, value: 0x8000_0000 },
                DataKind::Load { size: 2, addr: 0x8000_0006, value: 0x8765 },
                DataKind::Register { rd: 2, value: 0xffff_8765 },
                DataKind::Store { size: 1, addr: 0x8000_0005, value: 0x65 },
            ]
        );
        assert_eq!(log.ram(&program(&[]), 0x8000_0000, 8, u64::MAX), [0, 0, 0, 0, 0, 0x65, 0, 0]);
        let e = log.retired(0, 10, 0x8000_0004, 0x8000_0008).unwrap_err().to_string();
        assert_eq!(e, "cycle 10, core 0: 0x80000004 retires with 0 accesses of the bus before it");
    }
}
