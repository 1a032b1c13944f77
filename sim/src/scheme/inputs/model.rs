//! Golden model: takes the retire stream with its data and notes, and writes the stream of inputs
//!
//! Order is what counts: data must come in the order in which memory took them, as the built-in simulator tells them.
//! A copy of RAM says which stores change nothing; a circuit sees that at the bus.

use super::last::LastValues;
use super::message::{write_value, Body, Coder, Trap};
use super::signature::Signature;
use super::table::Table;
use super::{csr_place, header, insn_place, is_open_csr, InputsParams};
use crate::bits::BitWriter;
use crate::platform::ParamError;
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, Note, RetireSink};
use serde::Serialize;

/// References after which a core ends its episode itself.
pub const LONGEST: u32 = 1 << 20;

/// What was sent: messages and their bits, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// How many.
    pub messages: u64,
    /// Bits of them, `Ti` included.
    pub bits: u64,
}

/// What a stream is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputsStats {
    /// Ends of episodes: the order between cores.
    pub episodes: Sent,
    /// Episodes that ended because the table was full, among them.
    pub full: u64,
    /// Values of loads and CSRs, failed `sc`.
    pub inputs: Sent,
    /// Interrupts and refused accesses.
    pub traps: Sent,
    /// Checks of the state.
    pub checks: Sent,
    /// Stops.
    pub stops: Sent,
    /// Instructions, all cores.
    pub instructions: u64,
    /// Bits in all, header and padding included; known when the stream is finished.
    pub bits: u64,
}

impl InputsStats {
    /// Messages of all kinds.
    pub fn messages(&self) -> u64 {
        [self.episodes, self.inputs, self.traps, self.checks, self.stops].iter().map(|s| s.messages).sum()
    }
}

#[derive(Clone, Debug)]
struct Core {
    table: Table,
    references: u32,
    coder: Coder,
    last: LastValues,
    /// Slots since the last input message, all as predicted.
    slots: u32,
    /// Instructions at the last trap or check.
    counted: u64,
    signature: Signature,
    /// Cycle of the last load: a store in it is of the same instruction.
    loaded: Option<u64>,
    stopped: bool,
}

/// Golden model of a record-and-replay system.
#[derive(Clone, Debug)]
pub struct Recorder {
    params: InputsParams,
    cores: Vec<Core>,
    ram: Vec<u8>,
    out: BitWriter,
    stats: InputsStats,
}

/// RAM as a program is loaded into it.
pub(super) fn load(params: &InputsParams, program: &Program) -> Vec<u8> {
    let mut ram = vec![0; params.ram_bytes as usize];
    for s in &program.segments {
        // a segment outside RAM is of no concern here: its loads are inputs
        let offset = s.addr.wrapping_sub(params.ram_base.into()) as usize;
        if let Some(place) = offset.checked_add(s.data.len()).and_then(|end| ram.get_mut(offset..end)) {
            place.copy_from_slice(&s.data);
        }
    }
    ram
}

impl Recorder {
    /// At reset, with `program` in RAM, the header sent.
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
            stopped: false,
        };
        let cores = vec![core; params.cores.into()];
        Ok(Self { params: *params, cores, ram: load(params, program), out, stats: InputsStats::default() })
    }

    /// Ends the stream: cores that never began stop too, and the last word is filled.
    pub fn finish(&mut self) {
        for core in 0..self.cores.len() {
            if !self.cores[core].stopped {
                let signature = self.cores[core].signature.value();
                let instructions = self.cores[core].signature.told - self.cores[core].counted;
                self.send(core, Body::Stop { instructions, signature }, None);
                self.cores[core].stopped = true;
            }
        }
        self.out.pad();
        self.stats.bits = self.out.len();
    }

    /// Takes the complete words that wait.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.out.drain()
    }

    /// What was sent so far; `bits` is filled in by [`Recorder::finish`].
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

    fn end_episode(&mut self, core: usize) {
        let references = std::mem::take(&mut self.cores[core].references);
        self.cores[core].table.clear();
        self.send(core, Body::Episode(references), None);
    }

    /// A reference of `core`; `again`: by an instruction that made one already.
    fn reference(&mut self, core: usize, addr: u64, bytes: u8, write: bool, again: bool) {
        if self.cores.len() == 1 {
            return;
        }
        let me = &self.cores[core];
        let (first, last) = (me.table.block(addr), me.table.block(addr.wrapping_add(u64::from(bytes) - 1)));
        if !again && (me.table.is_full() || me.references == LONGEST) {
            self.stats.full += 1;
            self.end_episode(core);
        }
        for other in 0..self.cores.len() {
            let them = &self.cores[other];
            let hit = |block| them.table.hit(block, !write);
            if other != core && them.references > 0 && (first..=last).any(hit) {
                self.end_episode(other);
            }
        }
        let me = &mut self.cores[core];
        // three where eight bytes begin inside a block of four
        for block in first..=last {
            me.table.touch(block, write);
        }
        me.references += u32::from(!again);
    }

    /// A value from outside, of `bits` bits; 0: an `sc`, which is predicted to store.
    fn slot(&mut self, core: usize, place: u64, value: u64, bits: u32) {
        let me = &mut self.cores[core];
        let predicted = me.last.get(place);
        if predicted == Some(value) {
            me.slots += 1;
            return;
        }
        let skipped = std::mem::take(&mut me.slots);
        me.last.set(place, value);
        // the entry may be of a wider access
        let predicted = predicted.unwrap_or(0) & (u64::MAX >> (64 - bits));
        self.send(core, Body::Input { skipped }, Some((value, predicted, bits)));
    }

    /// The instruction at `pc`, where it is one that the host does not execute.
    fn unmodelled(&self, pc: u64) -> Option<u32> {
        let which = self.params.sizes.unmodelled?;
        let offset = pc.wrapping_sub(self.params.ram_base.into()) as usize;
        let bytes = self.ram.get(offset..offset.checked_add(4)?)?;
        let insn = u32::from_le_bytes(bytes.try_into().ok()?);
        which.matches(insn).then_some(insn)
    }

    fn trap(&mut self, core: usize, interrupt: bool, cause: u8, retired: u64) {
        // checks come more often than 32 bits are full
        let instructions = (retired - std::mem::replace(&mut self.cores[core].counted, retired)) as u32;
        self.send(core, Body::Trap(Trap { instructions, interrupt, cause }), None);
    }
}

impl RetireSink for Recorder {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        self.stats.instructions += u64::from(e.count);
        let due = self.cores[core].signature.event(e);
        let me = &self.cores[core];
        let signature = me.signature.value();
        if e.kind == FlowKind::Stop {
            let instructions = me.signature.told - me.counted;
            self.send(core, Body::Stop { instructions, signature }, None);
            self.cores[core].stopped = true;
        } else if due {
            self.cores[core].counted = self.cores[core].signature.told;
            self.send(core, Body::Check(signature), None);
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
                }
                let again = self.cores[core].loaded == Some(d.cycle);
                self.reference(core, addr, size, !silent, again);
            }
            DataKind::Csr { csr, value } if is_open_csr(csr.into()) => {
                self.slot(core, csr_place(csr.into()), value, self.params.xlen.into());
            }
            DataKind::Register { value, .. } => {
                if let Some(insn) = self.unmodelled(d.pc) {
                    self.slot(core, insn_place(insn), value, self.params.xlen.into());
                }
            }
            DataKind::Csr { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {}
        }
    }

    fn note(&mut self, hart: u8, note: &Note) {
        let core = usize::from(hart);
        match *note {
            Note::StoreConditional { stored: true } => self.cores[core].slots += 1,
            Note::StoreConditional { stored: false } => {
                let skipped = std::mem::take(&mut self.cores[core].slots);
                self.send(core, Body::Input { skipped }, None);
            }
            Note::Interrupt { cause, retired } => self.trap(core, true, cause, retired),
            Note::AccessFault { cause, retired } => self.trap(core, false, cause, retired),
        }
    }
}
