//! Memory of the replayed harts: RAM, and the recorded inputs

use super::super::first::FirstAccesses;
use super::super::last::LastValues;
use super::super::message::unzigzag;
use super::super::start;
use super::super::{csr_location, insn_location, InputsParams};
use crate::riscv::bus::Bus;
use crate::riscv::csr::{self, View};
use crate::riscv::hart::{At, Break, Hart};
use crate::riscv::memory::Effect;
use crate::riscv::tohost::taken;
use retire::elf::HostInterface;
use retire::MasterStore;
use std::sync::Arc;

/// log2 of the bytes per page, the unit that checkpoints keep and share.
pub const PAGE_SHIFT: u32 = 12;
/// A page of a checkpoint.
pub type Page = Arc<[u8]>;

/// A slot whose value is not as predicted.
#[derive(Clone, Copy, Debug)]
pub struct Next {
    /// Slots before it.
    pub at: u32,
    /// Its value, once it is read.
    pub value: Option<u64>,
    /// The difference to its prediction, if it was read with its message.
    pub difference: Option<u64>,
}

/// A slot that waits for its value.
#[derive(Clone, Copy, Debug)]
pub struct AwaitedSlot {
    /// Bits of the value; 0: an `sc` that fails.
    pub bits: u32,
    /// Value in the table of last values.
    pub predicted: u64,
}

/// Inputs of one core.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub last: LastValues,
    /// Slots since the last one that was not as predicted.
    pub slots: u32,
    pub next: Option<Next>,
    pub awaited: Option<AwaitedSlot>,
    /// The next device access is refused.
    pub fault: bool,
    /// Total number of references.
    pub references: u64,
    /// Number of references at the end of the last episode.
    pub episode: u64,
    /// RAM bytes that the core has accessed; `None` if the recording began at reset.
    pub first: Option<FirstAccesses>,
    /// CSRs whose initial value was sent, by [`start::bit`].
    pub sent: u32,
    /// Number of references at the end of the episode that is being replayed; 0 for other messages. The value of the last
    /// reference may come later in the stream.
    pub until: u64,
    /// The slot for which look-ahead found no value: it is as predicted.
    pub predicted_slot: Option<u32>,
}

/// One bit per byte of a page.
pub type Bits = Arc<[u64; 1 << (PAGE_SHIFT - 6)]>;

/// A load whose recorded value differs from the contents of RAM.
#[derive(Clone, Copy, Debug)]
pub struct Contradiction {
    pub addr: u64,
    pub recorded: u8,
    pub held: u8,
}

/// The bus of the replayed harts: RAM and the recorded inputs.
#[derive(Clone, Debug)]
pub struct World {
    params: InputsParams,
    pub ram: Vec<u8>,
    /// Pages written since the last checkpoint was made or restored.
    dirty: Vec<bool>,
    pub inputs: Vec<Inputs>,
    /// Address of commands to the host, which reads back as 0.
    tohost: Option<HostInterface>,
    /// Bytes of RAM whose value is known, by page; empty if all are.
    pub known: Vec<Bits>,
    pub contradiction: Option<Contradiction>,
}

impl World {
    pub fn new(params: &InputsParams, ram: Vec<u8>, tohost: Option<HostInterface>) -> Self {
        let inputs = Inputs {
            last: LastValues::new(params.sizes.last),
            slots: 0,
            next: None,
            awaited: None,
            fault: false,
            references: 0,
            episode: 0,
            first: FirstAccesses::new(params),
            sent: 0,
            until: 0,
            predicted_slot: None,
        };
        let dirty = vec![true; ram.len() >> PAGE_SHIFT];
        let pages = if inputs.first.is_some() { dirty.len() } else { 0 };
        let known = vec![Bits::new([0; 1 << (PAGE_SHIFT - 6)]); pages];
        let inputs = vec![inputs; params.cores.into()];
        Self { params: *params, ram, dirty, inputs, tohost, known, contradiction: None }
    }

    /// Whether the byte at offset `at` of RAM is known.
    pub fn knows(&self, at: usize) -> bool {
        let bit = at & ((1 << PAGE_SHIFT) - 1);
        self.known.is_empty() || self.known[at >> PAGE_SHIFT][bit >> 6] >> (bit & 63) & 1 == 1
    }

    /// Marks the byte at offset `at` of RAM as known.
    pub fn learn(&mut self, at: usize) {
        let bit = at & ((1 << PAGE_SHIFT) - 1);
        if let Some(page) = self.known.get_mut(at >> PAGE_SHIFT) {
            Arc::make_mut(page)[bit >> 6] |= 1 << (bit & 63);
        }
    }

    /// RAM as pages; those that were not written since are shared with `before`.
    pub fn pages(&mut self, before: Option<&[Page]>) -> Vec<Page> {
        let dirty = std::mem::replace(&mut self.dirty, vec![false; self.ram.len() >> PAGE_SHIFT]);
        let page = |(i, dirty): (usize, bool)| match before {
            Some(pages) if !dirty => pages[i].clone(),
            _ => Page::from(&self.ram[i << PAGE_SHIFT..(i + 1) << PAGE_SHIFT]),
        };
        dirty.into_iter().enumerate().map(page).collect()
    }

    /// Restores RAM from `pages`, whatever it contains now.
    pub fn restore_all(&mut self, pages: &[Page]) {
        self.dirty.fill(true);
        self.restore(pages, pages);
    }

    /// Restores RAM from `pages`; `held` is the checkpoint that was made or restored last.
    pub fn restore(&mut self, pages: &[Page], held: &[Page]) {
        for (i, page) in pages.iter().enumerate() {
            if self.dirty[i] || !Arc::ptr_eq(page, &held[i]) {
                self.ram[i << PAGE_SHIFT..(i + 1) << PAGE_SHIFT].copy_from_slice(page);
                self.dirty[i] = false;
            }
        }
    }

    #[inline]
    fn offset<const N: usize>(&self, addr: u64) -> Option<usize> {
        let offset = addr.wrapping_sub(self.params.ram_base.into()) as usize;
        // RAM always has at least N bytes
        (offset <= self.ram.len() - N).then_some(offset)
    }

    #[inline]
    fn put<const N: usize>(&mut self, at: usize, value: u64) {
        self.dirty[at >> PAGE_SHIFT] = true;
        self.dirty[(at + N - 1) >> PAGE_SHIFT] = true;
        self.ram[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
        if self.tohost.is_some() {
            let addr = u64::from(self.params.ram_base) + at as u64;
            let taken = taken(self.tohost, addr, N);
            self.ram[at + taken.start..at + taken.end].fill(0);
        }
    }

    /// Performs a store of a bus master; returns false if its address is not RAM.
    pub fn master(&mut self, store: &MasterStore) -> bool {
        let Some(at) = self.offset::<4>(store.addr) else { return false };
        for lane in (0..4).filter(|lane| store.mask >> lane & 1 == 1) {
            self.put::<1>(at + lane, (store.value >> (8 * lane)).into());
            self.learn(at + lane);
        }
        true
    }

    /// Takes the recorded value of a load from RAM, if the host may not know it.
    #[cold]
    fn first<const N: usize>(&mut self, hart: usize, addr: u64, at: usize) -> Result<(), Break> {
        if self.inputs[hart].first.as_ref().is_none_or(|f| f.has(addr, N as u8)) {
            return Ok(());
        }
        let value = self.fill(hart, 8 * N as u32)?;
        if let Some(first) = &mut self.inputs[hart].first {
            first.set(addr, N as u8);
        }
        for (i, reported) in value.to_le_bytes()[..N].iter().enumerate() {
            let (place, held) = (at + i, self.ram[at + i]);
            if self.knows(place) && held != *reported {
                self.contradiction = Some(Contradiction { addr: addr + i as u64, recorded: *reported, held });
            }
            self.learn(place);
            self.dirty[place >> PAGE_SHIFT] = true;
            self.ram[place] = *reported;
        }
        Ok(())
    }

    /// Marks the bytes of a store to RAM as accessed and known.
    #[cold]
    fn stored<const N: usize>(&mut self, hart: usize, addr: u64, at: usize) {
        if let Some(first) = &mut self.inputs[hart].first {
            first.set(addr, N as u8);
        }
        for place in at..at + N {
            self.learn(place);
        }
    }

    /// Whether a CSR needs no slot: its initial value was sent, or never is.
    fn was_sent(&self, hart: usize, number: u32) -> bool {
        self.known.is_empty() || !start::is_sent_later(number) || self.inputs[hart].sent & start::bit(number) != 0
    }

    /// Takes a slot whose value is predicted as 0.
    fn fill(&mut self, hart: usize, bits: u32) -> Result<u64, Break> {
        let inputs = &mut self.inputs[hart];
        match inputs.next {
            Some(Next { at, difference: Some(difference), .. }) if at == inputs.slots => {
                (inputs.next, inputs.slots) = (None, 0);
                Ok(unzigzag(difference) & (u64::MAX >> (64 - bits)))
            }
            None if inputs.references + 1 == inputs.until && inputs.predicted_slot != Some(inputs.slots) => {
                Err(Break::Input)
            }
            _ => {
                inputs.slots += 1;
                Ok(0)
            }
        }
    }

    #[cold]
    fn slot(&mut self, hart: usize, place: u64, bits: u32) -> Result<u64, Break> {
        let inputs = &mut self.inputs[hart];
        let predicted = inputs.last.get(place);
        let reported = match inputs.next {
            Some(next) if next.at == inputs.slots => {
                let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
                let predicted = predicted.unwrap_or(0) & mask;
                inputs.awaited = Some(AwaitedSlot { bits, predicted });
                let value = next.difference.map(|d| predicted.wrapping_add(unzigzag(d)) & mask).or(next.value);
                Some(value.ok_or(Break::Input)?)
            }
            _ => None,
        };
        if let Some(value) = reported {
            (inputs.next, inputs.awaited, inputs.slots) = (None, None, 0);
            inputs.last.set(place, value);
            return Ok(value);
        }
        let value = predicted.ok_or(Break::Input)?;
        inputs.slots += 1;
        Ok(value)
    }
}

impl Bus for World {
    #[inline]
    fn half(&self, addr: u64) -> Option<u16> {
        let at = self.offset::<2>(addr)?;
        Some(u16::from_le_bytes([self.ram[at], self.ram[at + 1]]))
    }

    #[inline]
    fn in_ram<const N: usize>(&self, addr: u64) -> bool {
        self.offset::<N>(addr).is_some()
    }

    #[inline]
    fn takes_store<const N: usize>(&self, hart: usize, addr: u64) -> bool {
        self.offset::<N>(addr).is_some() && !self.inputs[hart].fault
    }

    #[inline]
    fn read<const N: usize>(&mut self, hart: usize, addr: u64, _: u64) -> Result<u64, Break> {
        if let Some(at) = self.offset::<N>(addr) {
            if !self.known.is_empty() {
                self.first::<N>(hart, addr, at)?;
            }
            self.inputs[hart].references += 1;
            let mut bytes = [0; 8];
            bytes[..N].copy_from_slice(&self.ram[at..at + N]);
            return Ok(u64::from_le_bytes(bytes));
        }
        if self.inputs[hart].fault {
            return Err(Break::Trap(5, addr));
        }
        self.slot(hart, addr, 8 * N as u32)
    }

    #[inline]
    fn write<const N: usize>(&mut self, hart: usize, addr: u64, value: u64, _: u64) -> Result<Effect, Break> {
        if self.inputs[hart].fault {
            return Err(Break::Trap(7, addr));
        }
        if let Some(at) = self.offset::<N>(addr) {
            self.put::<N>(at, value);
            if !self.known.is_empty() {
                self.stored::<N>(hart, addr, at);
            }
        }
        self.inputs[hart].references += 1;
        Ok(Effect::None)
    }

    #[inline]
    fn exchange<const N: usize>(
        &mut self,
        hart: usize,
        addr: u64,
        f: impl FnOnce(u64) -> u64,
        cycle: u64,
    ) -> Result<(u64, u64), Break> {
        let old = self.read::<N>(hart, addr, cycle)?;
        let new = f(old);
        if let Some(at) = self.offset::<N>(addr) {
            self.put::<N>(at, new);
            if !self.known.is_empty() {
                self.stored::<N>(hart, addr, at);
            }
        }
        Ok((old, new))
    }

    fn reserve(&mut self, _: usize, _: u64, _: u8) {}

    /// An `sc` stores, unless the recording has its failure.
    fn take_reservation(&mut self, hart: usize, _: u64) -> Result<bool, Break> {
        let inputs = &mut self.inputs[hart];
        match inputs.next {
            Some(next) if next.at == inputs.slots => {
                inputs.awaited = Some(AwaitedSlot { bits: 0, predicted: 0 });
                next.value.or(next.difference).ok_or(Break::Input)?;
                (inputs.next, inputs.awaited, inputs.slots) = (None, None, 0);
                Ok(false)
            }
            _ => {
                inputs.slots += 1;
                Ok(true)
            }
        }
    }

    fn view(&self, hart: &Hart, at: &At) -> View {
        View { hart: hart.index.into(), mip: 0, cycle: 0, instret: at.instret, time: 0 }
    }

    fn open_csr(&mut self, hart: usize, number: u32) -> Result<Option<u64>, Break> {
        if !self.was_sent(hart, number) {
            let value = self.fill(hart, self.params.xlen.into())?;
            self.inputs[hart].sent |= start::bit(number);
            return Ok(Some(value));
        }
        if !(csr::is_open(number) || !self.known.is_empty() && start::is_count(number)) {
            return Ok(None);
        }
        self.slot(hart, csr_location(number), self.params.xlen.into()).map(Some)
    }

    fn knows_csr(&self, hart: usize, number: u32) -> bool {
        self.was_sent(hart, number) && (self.known.is_empty() || !start::is_count(number))
    }

    fn unsent_mepc(&mut self, hart: usize) -> Result<Option<u64>, Break> {
        if self.was_sent(hart, start::MEPC) {
            return Ok(None);
        }
        self.open_csr(hart, start::MEPC)
    }

    fn unmodelled(&mut self, hart: usize, insn: u32, _: [u64; 2]) -> Result<u64, Break> {
        self.slot(hart, insn_location(insn), self.params.xlen.into())
    }
}
