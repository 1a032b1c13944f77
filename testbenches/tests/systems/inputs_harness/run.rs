//! Plays runs of programs through the ports of their cores, at random speeds

use super::beats::ports;
use super::Bench;
use crate::data_harness::{CorePorts, MemPorts};
use retire::elf::Program;
use retire::isa::{self, Flow, MRET};
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, Note, RetireSink};
use sim::beats::{Expander, Retired as Instruction};
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;
use std::collections::VecDeque;

/// A data access, and whether it changes RAM.
type Datum = (DataEvent, bool);

#[derive(Default)]
struct Hart {
    instructions: Vec<Instruction>,
    data: VecDeque<Datum>,
    conditionals: VecDeque<bool>,
    traps: VecDeque<(u64, bool, u8)>,
}

/// A step of a hart: its beat, and the bus accesses before it.
struct Step {
    beat: Beat,
    insn: u32,
    /// Its address, and that of the next instruction.
    pc: Option<(u32, u32)>,
    references: VecDeque<MemPorts>,
}

/// Collects a run.
pub struct Collect {
    p: InputsParams,
    ram: Vec<u8>,
    expander: Expander,
    harts: Vec<Hart>,
    /// The hart of each memory reference, in memory order; the number of harts stands for the bus master.
    order: VecDeque<u8>,
    /// Stores of the bus master.
    stores: VecDeque<MemPorts>,
}

impl Collect {
    pub fn new(p: &InputsParams, program: &Program) -> Self {
        let mut ram = vec![0; p.ram_bytes as usize];
        for s in &program.segments {
            let at = s.addr as usize - p.ram_base as usize;
            ram[at..at + s.data.len()].copy_from_slice(&s.data);
        }
        let harts = (0..p.cores).map(|_| Hart::default()).collect();
        Self {
            p: *p,
            ram,
            expander: Expander::new(program, p.cores),
            harts,
            order: VecDeque::new(),
            stores: VecDeque::new(),
        }
    }

    /// The blocks of an access, which the bus transfers one by one.
    fn blocks(&self, addr: u32, size: u8) -> Vec<u32> {
        let (last, block) = (addr + u32::from(size) - 1, u32::from(self.p.sizes.block));
        if addr / block == last / block {
            vec![addr]
        } else {
            vec![addr, last]
        }
    }
}

impl RetireSink for Collect {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let harts = &mut self.harts;
        self.expander.event(e, &mut |r| harts[usize::from(r.hart)].instructions.push(*r)).unwrap();
    }

    fn data(&mut self, d: &DataEvent) {
        let mut changes = false;
        let (addr, size, write) = match d.kind {
            DataKind::Load { addr, size, .. } => (addr as u32, size, false),
            DataKind::Store { addr, size, value } => {
                if self.p.is_ram(addr, size) {
                    let at = addr as usize - self.p.ram_base as usize;
                    let (old, new) = (&mut self.ram[at..][..size.into()], &value.to_le_bytes()[..size.into()]);
                    changes = *old != *new;
                    old.copy_from_slice(new);
                }
                (addr as u32, size, true)
            }
            _ => (0, 0, false),
        };
        if write || (size > 0 && self.p.is_ram(addr.into(), size)) {
            self.order.extend(self.blocks(addr, size).iter().map(|_| d.hart));
        }
        self.harts[usize::from(d.hart)].data.push_back((*d, changes));
    }

    fn note(&mut self, hart: u8, note: &Note) {
        let h = &mut self.harts[usize::from(hart)];
        match *note {
            Note::StoreConditional { stored } => h.conditionals.push_back(stored),
            Note::Interrupt { cause, retired } => h.traps.push_back((retired, true, cause)),
            Note::AccessFault { cause, retired } => h.traps.push_back((retired, false, cause)),
        }
    }

    fn master(&mut self, store: &MasterStore) {
        let at = store.addr as usize - self.p.ram_base as usize;
        let place: &mut [u8] = &mut self.ram[at..at + 4];
        // a store that changes nothing is not reported
        if *place != store.value.to_le_bytes() {
            place.copy_from_slice(&store.value.to_le_bytes());
            let (addr, data) = (store.addr as u32, store.value);
            self.order.push_back(self.p.cores);
            self.stores.push_back(MemPorts { valid: true, master: true, addr, data, mask: 15, ..MemPorts::default() });
        }
    }
}

impl Collect {
    /// The steps of a hart.
    fn steps(&mut self, hart: usize) -> VecDeque<Step> {
        let mut h = std::mem::take(&mut self.harts[hart]);
        let mut steps = VecDeque::new();
        let mut traps = |steps: &mut VecDeque<Step>, n: u64| {
            while h.traps.front().is_some_and(|t| t.0 == n) {
                let (_, interrupt, cause) = h.traps.pop_front().unwrap();
                let references = VecDeque::new();
                steps.push_back(Step { beat: Beat::Trap { interrupt, cause }, insn: 0, pc: None, references });
            }
        };
        for (n, i) in h.instructions.iter().enumerate() {
            traps(&mut steps, n as u64);
            let mut r = Retired::default();
            let mut references = VecDeque::new();
            let conditional = i.insn & 0xf800_707f == 0x1800_202f;
            if conditional {
                r.conditional = h.conditionals.pop_front();
            }
            // a failed sc to x0 has no data
            let none = r.conditional == Some(false) && i.insn >> 7 & 31 == 0;
            let cycle = h.data.front().map(|d| d.0.cycle);
            while !none && h.data.front().is_some_and(|(d, _)| d.pc == i.pc && Some(d.cycle) == cycle) {
                let (d, changes) = h.data.pop_front().unwrap();
                match d.kind {
                    DataKind::Load { size, addr, value } | DataKind::Store { size, addr, value } => {
                        let (addr, write) = (addr as u32, matches!(d.kind, DataKind::Store { .. }));
                        let access = Some(Access { size, addr, value: value as u32 });
                        if write || self.p.is_ram(addr.into(), size) {
                            for addr in self.blocks(addr, size) {
                                let again = !references.is_empty();
                                let core = hart as u8;
                                let reference =
                                    MemPorts { valid: true, core, addr, write, changes, again, ..MemPorts::default() };
                                references.push_back(reference);
                            }
                        }
                        *(if write { &mut r.store } else { &mut r.load }) = access;
                    }
                    DataKind::Csr { csr, value } => r.csr = Some((csr, value as u32)),
                    DataKind::Register { rd, value } => r.register = Some((rd, value as u32)),
                    DataKind::Float { .. } | DataKind::Imported { .. } => panic!("{d:?}"),
                }
            }
            r.csr = r.csr.filter(|_| r.register.is_some());
            if isa::flow(i.insn, 32) != Flow::Sequential {
                r.flow = Some((i.pc as u32, i.next_pc as u32));
                r.returns = i.insn == MRET;
            }
            let pc = Some((i.pc as u32, i.next_pc as u32));
            steps.push_back(Step { beat: Beat::Retired(r), insn: i.insn, pc, references });
        }
        traps(&mut steps, h.instructions.len() as u64);
        assert!(h.data.is_empty() && h.traps.is_empty() && h.conditionals.is_empty(), "hart {hart}: data is left");
        steps
    }

    /// Number of instructions and traps of each hart so far.
    pub fn so_far(&self) -> Vec<usize> {
        self.harts.iter().map(|h| h.instructions.len() + h.traps.len()).collect()
    }

    /// Whether each hart is at the target of its last instruction, and not before a handler that its port has not
    /// reported yet.
    pub fn stands(&self, states: &[CoreState]) -> bool {
        self.harts.iter().zip(states).all(|(h, s)| h.instructions.last().is_none_or(|i| i.next_pc == s.pc))
    }

    /// Plays the run to a system, at random speeds, with memory references in order. Recording begins after `before`
    /// steps of each hart.
    pub fn play(mut self, bench: &mut Bench, s: &mut Source, before: &[usize]) {
        let mut harts: Vec<VecDeque<Step>> = (0..self.harts.len()).map(|h| self.steps(h)).collect();
        let mut rest: Vec<VecDeque<Step>> = harts.iter_mut().zip(before).map(|(h, n)| h.split_off(*n)).collect();
        self.steps_of(bench, s, &mut harts);
        bench.begin();
        self.steps_of(bench, s, &mut rest);
        assert!(self.order.is_empty(), "references are left");
    }

    fn steps_of(&mut self, bench: &mut Bench, s: &mut Source, harts: &mut [VecDeque<Step>]) {
        let master = Some(harts.len() as u8);
        while harts.iter().any(|h| !h.is_empty()) || self.order.front().copied() == master {
            let mut mem = MemPorts::default();
            let mut said = Vec::new();
            let mut all: Vec<CorePorts> = Vec::new();
            let mut free = harts.iter().map(|h| h.front().is_some_and(|s| s.references.is_empty())).collect::<Vec<_>>();
            // whose turn it is on the bus, decided before cores proceed, so that a cycle has a single reference
            let turn = self.order.front().copied().filter(|_| !bench.hold && s.percent(80)).map(usize::from);
            if turn == Some(harts.len()) {
                mem = self.stores.pop_front().unwrap();
                self.order.pop_front();
            } else if let Some(step) = turn.and_then(|t| harts[t].front_mut()) {
                if let Some(reference) = step.references.pop_front() {
                    mem = reference;
                    self.order.pop_front();
                }
            }
            // with its reference, but for recordings from the middle
            if self.p.sizes.known == 0 {
                free = harts.iter().map(|h| h.front().is_some_and(|s| s.references.is_empty())).collect();
            }
            for (steps, free) in harts.iter_mut().zip(free) {
                let goes = !bench.hold && s.percent(85) && free;
                let step = if goes { steps.pop_front() } else { None };
                let pc = step.as_ref().and_then(|s| s.pc);
                let (beat, insn) = step.map_or((Beat::Idle, 0), |s| (s.beat, s.insn));
                let aligned = s.percent(50);
                let mut ports = ports(s, &beat, insn, aligned);
                // an instruction that traps would leave the core at its handler
                ports.valid &= self.p.sizes.known == 0 || !matches!(beat, Beat::Idle);
                all.push(CorePorts { pc: pc.unwrap_or(ports.pc), ..ports });
                said.push(beat);
            }
            bench.cycle(false, s.percent(70), mem, all, &said);
        }
    }
}
