//! Golden model: encodes the retire stream, with its data and notes, as a stream of inputs
//!
//! Order matters: data events must come in the order in which memory performed them, as the built-in simulator reports them.
//! A copy of RAM shows which stores change nothing; a circuit sees that on the bus.
//!
//! There are two interfaces with the same result: event by event as a [`RetireSink`], and cycle by cycle like the circuit
//! ([`Recorder::clock`]). A cycle has one reference of any core, and the port signals of each core. The messages of a cycle
//! are in core order; for each core the end of its episode comes first.
//!
//! Stores of bus masters that are not cores are passed to [`RetireSink::master`], or per cycle to [`Recorder::clock_master`].
//!
//! A recording that may begin in the middle of a run ([`super::params::Sizes::known`]) begins with the state of all cores
//! ([`Recorder::begin`]). First accesses to RAM and first reads of some CSRs are then slots too.

mod beats;
mod stats;

pub use beats::{Access, Beat, Reference, Retired};
pub use stats::{InputsStats, MessageCount};

use super::first::FirstAccesses;
use super::last::LastValues;
use super::master::Masters;
use super::message::{write_value, Body, Coder, Trap};
use super::signature::Signature;
use super::start;
use super::table::Table;
use super::{csr_location, header, insn_location, InputsParams};
use crate::bits::BitWriter;
use crate::platform::ParamError;
use crate::riscv::{csr, CoreState};
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, MasterStore, Note, RetireSink};

/// Number of references after which an episode ends in any case.
pub const MAX_REFERENCES: u32 = 1 << 20;

#[derive(Clone, Debug)]
struct Core {
    table: Table,
    references: u32,
    coder: Coder,
    last: LastValues,
    /// Slots since the last input message; all were as predicted.
    slots: u32,
    /// Instruction count at the last trap or check.
    counted: u64,
    signature: Signature,
    /// Cycle of the last load: a store in the same cycle is of the same instruction.
    loaded: Option<u64>,
    /// The last open CSR that was read, its value and the cycle: a slot if a register is written with it.
    open: Option<(u16, u64, u64)>,
    /// RAM bytes that it has accessed; `None` if the recording began at reset.
    first: Option<FirstAccesses>,
    /// CSRs whose initial value was sent, by [`start::bit`].
    sent_csrs: u32,
    /// Value and bits of an atomic's load, to be sent after its store, which may end episodes of other cores.
    atomic: Option<(u64, u32)>,
    /// Instructions before the recording, as counted in notes.
    before: u64,
    stopped: bool,
}

/// Golden model of a record-and-replay system.
#[derive(Clone, Debug)]
pub struct Recorder {
    params: InputsParams,
    cores: Vec<Core>,
    masters: Option<Masters>,
    ram: Vec<u8>,
    out: BitWriter,
    stats: InputsStats,
}

/// Whether an instruction of the extension A loads and stores.
fn is_atomic(insn: u32) -> bool {
    const LR: u32 = 2;
    insn & 0x7f == 0x2f && insn >> 27 != LR
}

/// Contents of RAM after loading a program.
pub(super) fn load(params: &InputsParams, program: &Program) -> Vec<u8> {
    let mut ram = vec![0; params.ram_bytes as usize];
    for s in &program.segments {
        // segments outside RAM do not matter here: loads from them are inputs
        let offset = s.addr.wrapping_sub(params.ram_base.into()) as usize;
        if let Some(place) = offset.checked_add(s.data.len()).and_then(|end| ram.get_mut(offset..end)) {
            place.copy_from_slice(&s.data);
        }
    }
    ram
}

impl Recorder {
    /// State at reset, with `program` in RAM, after the header.
    pub fn new(params: &InputsParams, program: &Program) -> Result<Self, ParamError> {
        params.check()?;
        params.check_xlen(program)?;
        let mut out = BitWriter::new();
        for word in header(params) {
            out.push(word.into(), 32);
        }
        let s = params.sizes;
        let core = Core {
            table: Table::new(s.entries, s.tag, s.block),
            references: 0,
            coder: Coder::new(params),
            last: LastValues::new(s.last),
            slots: 0,
            counted: 0,
            signature: Signature::new(s.check),
            loaded: None,
            open: None,
            first: FirstAccesses::new(params),
            sent_csrs: 0,
            atomic: None,
            before: 0,
            stopped: false,
        };
        let cores = vec![core; params.cores.into()];
        let masters = s.masters.then(|| Masters::new(params.ram_base));
        Ok(Self { params: *params, cores, masters, ram: load(params, program), out, stats: InputsStats::default() })
    }

    /// Sends the state of the cores, before anything else; `ram` is all of RAM as it is now. Required for parameters with
    /// [`super::params::Sizes::known`], and only allowed for them.
    pub fn begin(&mut self, ram: &[u8], mut states: Vec<CoreState>) {
        self.ram.copy_from_slice(ram);
        for (core, state) in self.cores.iter_mut().zip(&states) {
            core.before = state.retired;
        }
        let params = self.params;
        for (item, bits) in start::items(&params) {
            for (core, state) in states.iter_mut().enumerate().take(self.cores.len()) {
                self.fill(core, *item.of(state), bits);
            }
        }
    }

    /// Ends the stream: writes the stops that are missing, of cores that never began, and pads the last word.
    pub fn finish(&mut self) {
        for core in 0..self.cores.len() {
            if !self.cores[core].stopped {
                self.stop(core);
            }
        }
        if self.masters.is_some() {
            let sent = self.send_master(|masters, out| masters.stop(out));
            self.stats.stops.messages += 1;
            self.stats.stops.bits += sent;
        }
        self.out.pad();
        self.stats.bits = self.out.len();
    }

    /// Takes the complete words.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.out.drain()
    }

    /// Counts so far; `bits` is set by [`Recorder::finish`].
    pub fn stats(&self) -> &InputsStats {
        &self.stats
    }

    fn send(&mut self, core: usize, body: Body, value: Option<(u64, u64, u32)>) {
        let before = self.out.len();
        self.out.push(core as u64, self.params.ti_bits());
        self.cores[core].coder.write(&body, &mut self.out);
        if let Some((value, predicted, bits)) = value {
            write_value(value, predicted, bits, &mut self.out);
        }
        let sent = match body {
            Body::Episode(_) => &mut self.stats.episodes,
            Body::Input { .. } => &mut self.stats.inputs,
            Body::Trap(_) => &mut self.stats.traps,
            Body::Check(_) => &mut self.stats.checks,
            Body::Stop { .. } => &mut self.stats.stops,
        };
        sent.messages += 1;
        sent.bits += self.out.len() - before;
    }

    /// Sends a message of the masters; returns its bits.
    fn send_master(&mut self, write: impl FnOnce(&mut Masters, &mut BitWriter)) -> u64 {
        let before = self.out.len();
        if let Some(masters) = &mut self.masters {
            self.out.push(self.params.cores.into(), self.params.ti_bits());
            write(masters, &mut self.out);
        }
        self.out.len() - before
    }

    fn end_episode(&mut self, core: usize) {
        let references = std::mem::take(&mut self.cores[core].references);
        self.cores[core].table.clear();
        self.send(core, Body::Episode(references), None);
    }

    fn stop(&mut self, core: usize) {
        let me = &mut self.cores[core];
        let instructions = me.signature.instructions - me.counted;
        me.signature.stop(instructions);
        me.stopped = true;
        let signature = me.signature.value();
        self.send(core, Body::Stop { instructions, signature }, None);
    }

    /// Takes one cycle: its reference, if there is one, and the port signals of each core. `beats` may have fewer cores
    /// if there is no reference. A core that is [`Beat::Idle`] in all cycles counts as one that never began.
    pub fn clock(&mut self, reference: Option<&Reference>, beats: &[Beat]) {
        for core in 0..self.cores.len() {
            if reference.is_some_and(|r| self.ends_episode(core, r)) {
                self.end_episode(core);
            }
            match beats.get(core) {
                Some(Beat::Retired(retired)) => self.retire(core, retired),
                Some(&Beat::Trap { interrupt, cause }) => {
                    self.trap(core, interrupt, cause, self.cores[core].signature.instructions);
                }
                Some(Beat::Idle) | None => {}
            }
        }
        if let Some(r) = reference {
            self.touch(r);
        }
    }

    /// Takes a cycle in which a bus master that is not a core stores to RAM (a value that may differ from the contents), and
    /// the port signals of each core. The message of the store comes after those of the cores.
    pub fn clock_master(&mut self, store: &MasterStore, beats: &[Beat]) {
        let master = Reference { core: self.params.cores, addr: store.addr, changes: true, again: false };
        self.clock(Some(&master), beats);
        let sent = self.send_master(|masters, out| masters.store(store, out));
        self.stats.masters.messages += 1;
        self.stats.masters.bits += sent;
    }

    /// Whether `core` ends its episode before reference `r`.
    fn ends_episode(&mut self, core: usize, r: &Reference) -> bool {
        if !self.params.orders() {
            return false;
        }
        let c = &self.cores[core];
        if core == usize::from(r.core) {
            let full = !r.again && (c.table.is_full() || c.references == MAX_REFERENCES);
            self.stats.full += u64::from(full);
            full
        } else {
            c.references > 0 && c.table.hit(c.table.block(r.addr), !r.changes)
        }
    }

    /// Enters a reference into the table of its core.
    fn touch(&mut self, r: &Reference) {
        // masters have no table
        if let (true, Some(me)) = (self.params.orders(), self.cores.get_mut(usize::from(r.core))) {
            me.table.touch(me.table.block(r.addr), r.changes);
            me.references += u32::from(!r.again);
        }
    }

    /// Enters a reference of `bytes` bytes, block by block (three if eight bytes begin inside a block of four); `again`: its
    /// instruction has already made a reference.
    fn reference(&mut self, core: usize, addr: u64, bytes: u8, changes: bool, again: bool) {
        if !self.params.orders() {
            return;
        }
        let table = &self.cores[core].table;
        let last = addr.wrapping_add(u64::from(bytes) - 1);
        let more = table.block(last).saturating_sub(table.block(addr));
        for block in 0..=u64::from(more) {
            let addr = addr.saturating_add(block * u64::from(self.params.sizes.block)).min(last);
            self.clock(Some(&Reference { core: core as u8, addr, changes, again: again || block > 0 }), &[]);
        }
    }

    fn retire(&mut self, core: usize, r: &Retired) {
        self.stats.instructions += 1;
        self.cores[core].signature.retire();
        if let Some(stored) = r.conditional {
            self.conditional(core, stored);
        }
        if let Some(Access { size, addr, value }) = r.load {
            self.cores[core].signature.data(&DataKind::Load { size, addr: addr.into(), value: value.into() });
            let bits = 8 * u32::from(size);
            if !self.params.is_ram(addr.into(), size) {
                self.slot(core, addr.into(), value.into(), bits);
            } else if self.access_first(core, addr.into(), size) {
                self.fill(core, value.into(), bits);
            }
        }
        if let Some(Access { size, addr, value }) = r.store {
            self.cores[core].signature.data(&DataKind::Store { size, addr: addr.into(), value: value.into() });
            if self.params.is_ram(addr.into(), size) {
                self.access_first(core, addr.into(), size);
            }
        }
        if let Some((csr, value)) = r.csr {
            self.csr_read(core, csr, value.into());
        }
        if let Some((rd, value)) = r.register {
            self.cores[core].signature.data(&DataKind::Register { rd, value: value.into() });
        }
        if let Some((pc, target)) = r.flow {
            if r.returns {
                self.returned(core, target.into());
            }
            if self.cores[core].signature.flow(pc.into(), target.into()) {
                self.check(core);
            }
        }
    }

    fn check(&mut self, core: usize) {
        let me = &mut self.cores[core];
        me.counted = me.signature.instructions;
        let signature = me.signature.value();
        self.send(core, Body::Check(signature), None);
    }

    fn conditional(&mut self, core: usize, stored: bool) {
        if stored {
            self.cores[core].slots += 1;
        } else {
            let skipped = std::mem::take(&mut self.cores[core].slots);
            // if replay must look ahead, every input message has a value
            let value = self.cores[core].first.is_some().then_some((0, 0, 32));
            self.send(core, Body::Input { skipped }, value);
        }
    }

    /// Enters an access to RAM; returns whether some of its bytes are new to the core since a start in the middle of the run.
    #[inline]
    fn access_first(&mut self, core: usize, addr: u64, size: u8) -> bool {
        let Some(first) = &mut self.cores[core].first else { return false };
        let new = !first.has(addr, size);
        first.set(addr, size);
        new
    }

    /// Takes the read of a CSR into a register.
    fn csr_read(&mut self, core: usize, csr: u16, value: u64) {
        let number = u32::from(csr);
        let me = &mut self.cores[core];
        if me.first.is_some() && start::is_sent_later(number) {
            if me.sent_csrs & start::bit(number) == 0 {
                me.sent_csrs |= start::bit(number);
                self.fill(core, value, self.params.xlen.into());
            }
        } else if csr::is_open(number) || me.first.is_some() && start::is_count(number) {
            self.slot(core, csr_location(number), value, self.params.xlen.into());
        }
    }

    /// Takes an `mret` to `target`.
    fn returned(&mut self, core: usize, target: u64) {
        let me = &mut self.cores[core];
        if me.first.is_some() && me.sent_csrs & start::bit(start::MEPC) == 0 {
            me.sent_csrs |= start::bit(start::MEPC);
            self.fill(core, target, self.params.xlen.into());
        }
    }

    /// Takes a value that the host does not know because it predates the recording; predicted as 0.
    fn fill(&mut self, core: usize, value: u64, bits: u32) {
        let me = &mut self.cores[core];
        if value == 0 {
            me.slots += 1;
            return;
        }
        let skipped = std::mem::take(&mut me.slots);
        self.send(core, Body::Input { skipped }, Some((value, 0, bits)));
    }

    /// Takes a value from outside, of `bits` bits.
    fn slot(&mut self, core: usize, place: u64, value: u64, bits: u32) {
        let me = &mut self.cores[core];
        let predicted = me.last.get(place);
        if predicted == Some(value) {
            me.slots += 1;
            return;
        }
        let skipped = std::mem::take(&mut me.slots);
        me.last.set(place, value);
        // the last value may be of a wider access
        let predicted = predicted.unwrap_or(0) & (u64::MAX >> (64 - bits));
        self.send(core, Body::Input { skipped }, Some((value, predicted, bits)));
    }

    /// The instruction at `pc`, if the host does not execute it.
    fn unmodelled(&self, pc: u64) -> Option<u32> {
        let which = self.params.sizes.unmodelled?;
        self.insn(pc).filter(|insn| which.matches(*insn))
    }

    /// The four bytes at `pc`.
    fn insn(&self, pc: u64) -> Option<u32> {
        let offset = pc.wrapping_sub(self.params.ram_base.into()) as usize;
        let bytes = self.ram.get(offset..offset.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn trap(&mut self, core: usize, interrupt: bool, cause: u8, retired: u64) {
        // checks are frequent enough that the count fits 32 bits
        let me = &mut self.cores[core];
        let instructions = (retired - std::mem::replace(&mut me.counted, retired)) as u32;
        me.signature.trap(instructions, interrupt, cause);
        self.send(core, Body::Trap(Trap { instructions, interrupt, cause }), None);
    }
}

impl RetireSink for Recorder {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        self.stats.instructions += u64::from(e.count);
        if e.kind == FlowKind::TrapReturn {
            self.returned(core, e.target);
        }
        let due = self.cores[core].signature.event(e);
        if e.kind == FlowKind::Stop {
            self.stop(core);
        } else if due {
            self.check(core);
        }
    }

    fn data(&mut self, d: &DataEvent) {
        let core = usize::from(d.hart);
        self.cores[core].signature.data(&d.kind);
        match d.kind {
            DataKind::Load { size, addr, value } => {
                if self.params.is_ram(addr, size) {
                    self.cores[core].loaded = Some(d.cycle);
                    self.reference(core, addr, size, false, false);
                    if self.access_first(core, addr, size) {
                        let bits = 8 * u32::from(size);
                        match self.insn(d.pc).is_some_and(is_atomic) {
                            true => self.cores[core].atomic = Some((value, bits)),
                            false => self.fill(core, value, bits),
                        }
                    }
                } else {
                    self.slot(core, addr, value, 8 * u32::from(size));
                }
            }
            DataKind::Store { size, addr, value } => {
                let offset = addr.wrapping_sub(self.params.ram_base.into()) as usize;
                let bytes = usize::from(size);
                let mut silent = false;
                if self.params.is_ram(addr, size) {
                    let (old, new) = (&mut self.ram[offset..offset + bytes], &value.to_le_bytes()[..bytes]);
                    silent = *old == *new;
                    old.copy_from_slice(new);
                    self.access_first(core, addr, size);
                }
                let again = self.cores[core].loaded == Some(d.cycle);
                self.reference(core, addr, size, !silent, again);
                if let Some((value, bits)) = self.cores[core].atomic.take() {
                    self.fill(core, value, bits);
                }
            }
            DataKind::Csr { csr, value } => self.cores[core].open = Some((csr, value, d.cycle)),
            DataKind::Register { value, .. } => {
                if let Some((csr, value, cycle)) = self.cores[core].open.take() {
                    if cycle == d.cycle {
                        self.csr_read(core, csr, value);
                    }
                }
                if let Some(insn) = self.unmodelled(d.pc) {
                    self.slot(core, insn_location(insn), value, self.params.xlen.into());
                }
            }
            DataKind::Float { .. } | DataKind::Imported { .. } => {}
        }
    }

    fn note(&mut self, hart: u8, note: &Note) {
        let core = usize::from(hart);
        let before = self.cores[core].before;
        match *note {
            Note::StoreConditional { stored } => self.conditional(core, stored),
            Note::Interrupt { cause, retired } => self.trap(core, true, cause, retired - before),
            Note::AccessFault { cause, retired } => self.trap(core, false, cause, retired - before),
        }
    }

    fn master(&mut self, s: &MasterStore) {
        let at = s.addr.wrapping_sub(self.params.ram_base.into()) as usize;
        let Some(place) = at.checked_add(4).and_then(|end| self.ram.get_mut(at..end)) else { return };
        let old = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
        let new = old & !s.bits() | s.value & s.bits();
        place.copy_from_slice(&new.to_le_bytes());
        if new == old {
            return;
        }
        if self.masters.is_some() {
            self.clock_master(&MasterStore { value: s.value & s.bits(), ..*s }, &[]);
        } else {
            self.stats.unrecorded += 1;
        }
    }
}
