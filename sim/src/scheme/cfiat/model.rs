//! Golden model: encodes the retire stream, with its data and notes, as a stream of load values
//!
//! Data events must come in the order in which memory performed them, as the built-in simulator reports them. With private
//! caches, a store clears the flags of its lines in the caches of all other cores, before any later load of these cores.

use super::cache::Cache;
use super::descriptor::Descriptor;
use super::message::{write, Record};
use super::order::Order;
use super::signature::Signature;
use super::stats::CfiatStats;
use super::{header, is_open_csr, CfiatParams};
use crate::bits::BitWriter;
use crate::platform::ParamError;
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, Note, RetireSink};

/// State of one core without its cache.
#[derive(Clone, Copy, Debug, Default)]
struct Core {
    /// Values since the last record that the host knows.
    fah: u32,
    /// Known loads since the last record of a load.
    fah_loads: u32,
    signature: Signature,
}

/// Golden model of all cores.
#[derive(Clone, Debug)]
pub struct Recorder {
    params: CfiatParams,
    cores: Vec<Core>,
    /// One per core, or one for all.
    caches: Vec<Cache>,
    /// Of a shared cache.
    order: Option<Order>,
    out: BitWriter,
    stats: CfiatStats,
    descriptors: Option<Vec<Descriptor>>,
}

impl Recorder {
    /// State at reset, after the header.
    ///
    /// # Errors
    /// The parameters are not valid.
    pub fn new(params: &CfiatParams) -> Result<Self, ParamError> {
        params.check()?;
        let mut out = BitWriter::new();
        for word in header(params) {
            out.push(word.into(), 32);
        }
        let cores = usize::from(params.cores);
        let caches = if params.sizes.shared { 1 } else { cores };
        Ok(Self {
            params: *params,
            cores: vec![Core::default(); cores],
            caches: vec![Cache::new(&params.sizes); caches],
            order: Order::new(params),
            out,
            stats: CfiatStats::default(),
            descriptors: None,
        })
    }

    /// Also collects descriptors, for [`Recorder::take_descriptors`].
    #[must_use]
    pub fn with_descriptors(self) -> Self {
        Self { descriptors: Some(Vec::new()), ..self }
    }

    /// The descriptors since the last call.
    pub fn take_descriptors(&mut self) -> Vec<Descriptor> {
        self.descriptors.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Ends the stream: writes the stop of every core, and pads the last word.
    pub fn finish(&mut self) {
        for (i, core) in self.cores.iter().enumerate() {
            let stop = Record::Stop { fah: core.fah, signature: core.signature.value() };
            if let Some(order) = &mut self.order {
                order.record(&mut self.out);
            }
            write(&self.params, i as u8, &stop, &mut self.out);
        }
        self.out.pad();
        self.stats.bits = self.out.len();
        if let Some(order) = &self.order {
            (self.stats.turns, self.stats.order_bits) = (order.turns, order.bits);
        }
    }

    /// Takes the complete words.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.out.drain()
    }

    /// Counts so far; `bits` is set by [`Recorder::finish`].
    pub fn stats(&self) -> &CfiatStats {
        &self.stats
    }

    /// `core` does something whose order among the cores matters.
    fn step(&mut self, core: usize) {
        if let Some(order) = &mut self.order {
            order.step(core as u8, &mut self.out);
        }
    }

    /// Takes a value of `core`; returns whether it has a record.
    fn value(&mut self, core: usize, value: u64, size: u8, known: bool) -> bool {
        let me = &mut self.cores[core];
        me.signature.add(value, size);
        if known && me.fah < self.params.most() {
            me.fah += 1;
            return false;
        }
        self.stats.full += u64::from(known);
        self.stats.records += 1;
        let record = Record::Value { fah: std::mem::take(&mut me.fah), size, value };
        if let Some(order) = &mut self.order {
            order.record(&mut self.out);
        }
        write(&self.params, core as u8, &record, &mut self.out);
        true
    }

    fn load(&mut self, core: usize, size: u8, addr: u64, value: u64) {
        let known = if self.params.is_ram(addr, size) {
            self.step(core);
            let cache = if self.params.sizes.shared { 0 } else { core };
            let found = self.caches[cache].load(addr, size.into());
            let place = size.trailing_zeros() as usize;
            self.stats.loads[place].count(found.lines);
            if found.lines {
                self.stats.flags[place].count(found.flags);
            }
            found.known()
        } else {
            self.stats.outside += 1;
            false
        };
        let sent = self.value(core, value, size, known);
        let me = &mut self.cores[core];
        if !sent {
            me.fah_loads = me.fah_loads.saturating_add(1);
            return;
        }
        let fah = std::mem::take(&mut me.fah_loads);
        if let Some(list) = &mut self.descriptors {
            list.push(Descriptor { thread: core as u8, fah, size, value });
        }
    }

    fn store(&mut self, core: usize, size: u8, addr: u64) {
        if !self.params.is_ram(addr, size) {
            return;
        }
        self.step(core);
        let shared = self.params.sizes.shared;
        let found = self.caches[if shared { 0 } else { core }].store(addr, size.into());
        self.stats.stores[size.trailing_zeros() as usize].count(found.lines);
        for (other, cache) in self.caches.iter_mut().enumerate() {
            if !shared && other != core {
                cache.clear(addr, size.into());
            }
        }
    }
}

impl RetireSink for Recorder {
    const WANTS_DATA: bool = true;

    /// Clears the flags of these bytes in all caches.
    fn master(&mut self, store: &MasterStore) {
        self.stats.masters += 1;
        for lane in (0..4).filter(|lane| store.mask >> lane & 1 == 1) {
            self.caches.iter_mut().for_each(|cache| cache.clear(store.addr + lane, 1));
        }
    }

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.stats.instructions += u64::from(e.count);
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        let core = usize::from(d.hart);
        match d.kind {
            DataKind::Load { size, addr, value } => self.load(core, size, addr, value),
            DataKind::Store { size, addr, .. } => self.store(core, size, addr),
            DataKind::Csr { csr, value } if is_open_csr(csr.into()) => {
                self.stats.csrs += 1;
                self.value(core, value, self.params.xlen / 8, false);
            }
            DataKind::Csr { .. } | DataKind::Register { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {}
        }
    }

    fn note(&mut self, hart: u8, note: &Note) {
        if let Note::StoreConditional { stored } = *note {
            self.step(hart.into());
            self.stats.failed += u64::from(!stored);
            self.value(hart.into(), u64::from(!stored), self.params.xlen / 8, stored);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::read;
    use super::super::params::Sizes;
    use super::*;
    use crate::bits::BitReader;

    const VALUE: fn(u32, u8, u64) -> Record = |fah, size, value| Record::Value { fah, size, value };

    fn recorder(cores: u8, name: &str) -> Recorder {
        let sizes: Sizes = name.parse().unwrap();
        Recorder::new(&CfiatParams::new(cores, (0x1000, 0x1000), sizes)).unwrap().with_descriptors()
    }

    fn load(r: &mut Recorder, hart: u8, addr: u64, size: u8, value: u64) {
        r.data(&DataEvent { hart, kind: DataKind::Load { size, addr, value }, pc: 0, cycle: 0 });
    }

    fn store(r: &mut Recorder, hart: u8, addr: u64, size: u8) {
        r.data(&DataEvent { hart, kind: DataKind::Store { size, addr, value: 0 }, pc: 0, cycle: 0 });
    }

    /// All records except the stops.
    fn records(r: &mut Recorder) -> Vec<(u8, Record)> {
        r.finish();
        let words: Vec<u32> = r.drain().collect();
        assert_eq!(words[..3], header(&r.params));
        let mut reader = BitReader::new(words[3..].iter().copied());
        let mut order = super::super::order::Reader::new(&r.params);
        let mut found = Vec::new();
        let mut stops = 0;
        while stops < r.params.cores {
            if let Some(order) = &mut order {
                order.up_to_record(&mut reader).unwrap();
            }
            let (core, record) = read(&r.params, &mut reader).unwrap();
            match record {
                Record::Stop { .. } => stops += 1,
                Record::Value { .. } => found.push((core, record)),
            }
        }
        found
    }

    #[test]
    fn first_accesses_have_records_and_the_rest_is_counted() {
        let r = &mut recorder(1, "cfiat:32+ways2+line16");
        load(r, 0, 0x1000, 4, 7);
        load(r, 0, 0x1000, 4, 7);
        load(r, 0, 0x1000, 1, 7);
        load(r, 0, 0x1004, 4, 8);
        store(r, 0, 0x1008, 4);
        load(r, 0, 0x1008, 4, 0);
        // each load from a device has a record, and allocates nothing
        load(r, 0, 0x800, 1, 0x60);
        load(r, 0, 0x800, 1, 0x60);
        let found = records(r);
        let want = [VALUE(0, 4, 7), VALUE(2, 4, 8), VALUE(1, 1, 0x60), VALUE(0, 1, 0x60)];
        assert_eq!(found, want.map(|w| (0, w)));
        let s = r.stats();
        assert_eq!((s.records, s.outside, s.full, s.all_loads()), (4, 2, 0, 7));
        assert_eq!(s.flags[2], super::super::stats::Hits { hits: 2, misses: 1 });
        assert_eq!((s.loads[2].misses, s.stores[2].hits, s.flags[0].hits), (1, 1, 1));
    }

    #[test]
    fn another_cores_store_makes_a_record_and_a_shared_cache_does_not() {
        for (more, count) in [("", 4), ("+shared", 2)] {
            let r = &mut recorder(2, &format!("cfiat:32+ways2+line16{more}"));
            load(r, 0, 0x1000, 4, 7);
            load(r, 0, 0x1004, 4, 7);
            store(r, 1, 0x100c, 4);
            load(r, 0, 0x1000, 4, 7);
            load(r, 0, 0x1004, 4, 7);
            assert_eq!(records(r).len(), count, "{more}");
        }
    }

    #[test]
    fn conditional_stores_and_open_registers_are_values() {
        let r = &mut recorder(1, "cfiat");
        load(r, 0, 0x1000, 4, 7);
        r.note(0, &Note::StoreConditional { stored: true });
        r.note(0, &Note::StoreConditional { stored: false });
        let csr = |csr, value| DataEvent { hart: 0, kind: DataKind::Csr { csr, value }, pc: 0, cycle: 0 };
        r.data(&csr(0xc00, 99));
        r.data(&csr(0x340, 98));
        load(r, 0, 0x1000, 4, 7);
        load(r, 0, 0x1004, 4, 9);
        assert_eq!(r.take_descriptors().iter().map(|d| (d.fah, d.value)).collect::<Vec<_>>(), [(0, 7), (1, 9)]);
        let want = [VALUE(0, 4, 7), VALUE(1, 4, 1), VALUE(0, 4, 99), VALUE(1, 4, 9)];
        assert_eq!(records(r), want.map(|w| (0, w)));
    }

    #[test]
    fn a_full_count_makes_a_record_of_a_hit() {
        let r = &mut recorder(1, "cfiat:32k+count8");
        for _ in 0..300 {
            load(r, 0, 0x1000, 4, 7);
        }
        assert_eq!(records(r), [VALUE(0, 4, 7), VALUE(255, 4, 7)].map(|w| (0, w)));
        assert_eq!(r.stats().full, 1);
    }
}
