//! `hdl/src/scheme/follow/runs.rs` against `sim/src/scheme/follow/runs.rs`

use hdl::scheme::follow::runs::Runs;
use hdl::scheme::tr::coder::chunked::NEAR;
use hdl::scheme::tr::coder::{ADDRESS, COUNT, CYCLES, INSTRUCTIONS, RAW};
use rust_hdl::prelude::*;
use sim::bits::{as_bits, BitWriter};
use sim::chunk;
use sim::params::{Platform, TraceParams};
use sim::scheme::fields::{Code, Field};
use sim::scheme::follow::record::DIFFERENCE;
use sim::scheme::follow::runs;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked_system;

/// A field for the coder.
#[derive(Clone, Copy, Debug)]
struct Item {
    kind: u8,
    value: u64,
    /// Bits of a raw field.
    bits: u32,
    /// The address that is subtracted.
    other: u64,
    core: u8,
    lead: bool,
    zero: bool,
}

fn params(cores: u8) -> TraceParams {
    let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    params.with(|p| (p.cores, p.count_bits) = (cores, 24))
}

/// Circuit, and the bits of the model.
struct Pair {
    d: Driver<Runs<32>>,
    golden: runs::Runs,
    out: BitWriter,
    got: Vec<bool>,
    cores: u8,
    ti_bits: u32,
    /// Core of the current entry, which is known a cycle before its first field.
    core: u8,
    /// Whether the last message of that core is taken in this cycle.
    end: bool,
    mask: u64,
}

impl Pair {
    fn new(cores: u8) -> Self {
        Self::with(&params(cores))
    }

    fn with(params: &TraceParams) -> Self {
        let cores = params.cores;
        Self {
            d: Driver::new(Runs::new(params), |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: runs::Runs::new(cores),
            out: BitWriter::new(),
            got: Vec::new(),
            cores,
            ti_bits: params.ti_bits(),
            core: 0,
            end: false,
            mask: u64::MAX >> (64 - params.address_bits()),
        }
    }

    /// One cycle; returns whether the field was taken, and whether bits are still to come.
    fn cycle(&mut self, item: Option<Item>, taken: bool, (reset, start): (bool, bool)) -> (bool, bool) {
        let (mask, end, core) = (self.mask, self.end, self.core);
        let i =
            item.unwrap_or(Item { kind: RAW, value: 0, bits: 1, other: 0, core: self.core, lead: false, zero: false });
        let (ready, have, count, data, busy) = self
            .d
            .cycle(
                |u| {
                    u.port.reset.next = reset;
                    u.start.next = start;
                    u.trace_end.next = end;
                    u.next_core.next = u64::from(core).to_bits();
                    u.port.valid.next = item.is_some();
                    u.port.kind.next = u64::from(i.kind).to_bits();
                    u.port.size.next = u64::from(i.bits - 1).to_bits();
                    u.port.value.next = i.value.to_bits();
                    u.port.zero.next = i.zero;
                    u.port.minus.next = (!i.other & mask).to_bits();
                    u.port.no_difference.next = false;
                    u.port.lead.next = i.lead;
                    u.port.core.next = u64::from(i.core).to_bits();
                    u.port.taken.next = taken;
                },
                |u| {
                    let number = |b: u64| b as u32;
                    let (count, data) = (number(u.port.count.val().into()), number(u.port.data.val().into()));
                    (u.port.ready.val(), u.port.have.val(), count, data, u.port.busy.val())
                },
            )
            .unwrap();
        if have && taken {
            assert!(count > 0 && data >> count == 0, "cycle {}: {data:#x} in {count} bits", self.d.cycles());
            self.got.extend((0..count).map(|b| data >> b & 1 == 1));
        }
        (item.is_some() && ready, busy)
    }

    /// Sends a field to both; `percent` of the cycles take bits.
    fn send(&mut self, s: &mut Source, i: Item, percent: u8) {
        let value = if i.zero { 0 } else { i.value };
        if i.lead && self.ti_bits > 0 {
            self.golden.bits(Field::Core, i.core.into(), self.ti_bits, &mut self.out);
        }
        let difference = {
            let d = value.wrapping_sub(i.other) & self.mask;
            if d > self.mask >> 1 {
                (d.wrapping_neg() & self.mask, true)
            } else {
                (d, false)
            }
        };
        match i.kind {
            COUNT => self.golden.number(Field::Count, value, &mut self.out),
            CYCLES => self.golden.number(Field::DiffCc, value, &mut self.out),
            INSTRUCTIONS => self.golden.number(Field::ICnt, value, &mut self.out),
            ADDRESS | NEAR => {
                if i.kind == NEAR {
                    chunk::write(difference.0, DIFFERENCE, &mut self.out);
                } else {
                    self.golden.number(Field::DiffTa, difference.0, &mut self.out);
                }
                self.out.push(difference.1.into(), 1);
            }
            _ => self.out.push(value, i.bits),
        }
        // of a target, the address that is subtracted follows it
        for _ in 0..if i.kind == NEAR { 2 } else { 1 } {
            for cycle in 0.. {
                assert!(cycle < 3_000, "{i:?} is not taken");
                if self.cycle(Some(i), s.percent(percent), (false, false)).0 {
                    break;
                }
            }
            if i.kind == NEAR {
                self.idle(s);
            }
        }
    }

    /// Waits for the last bits, and compares all since the last time.
    fn compare(&mut self) {
        while self.cycle(None, true, (false, false)).1 {}
        let n = self.out.len() as usize;
        self.out.pad();
        let words: Vec<u32> = self.out.drain().collect();
        let want: Vec<bool> = as_bits(&words)[..n].iter().map(|b| *b).collect();
        assert_eq!(self.got, want, "cycle {}", self.d.cycles());
        self.got.clear();
        self.out = BitWriter::new();
    }

    /// Messages with random fields; the mean of the runs is about 2^`scale`.
    fn run(&mut self, s: &mut Source, messages: u64, scale: u32, percent: u8) {
        for _ in 0..messages {
            let core = s.below(u64::from(self.cores)) as u8;
            self.core = core;
            self.cycle(None, s.percent(percent), (false, false));
            let run = s.bits(scale + 1) << if s.percent(2) { 6 } else { 0 };
            let count = Item {
                kind: COUNT,
                value: run & 0xff_ffff,
                bits: 1,
                other: 0,
                core,
                lead: self.cores > 1,
                zero: s.percent(5),
            };
            if s.percent(30) {
                let value = s.bits(9);
                self.send(s, Item { kind: CYCLES, value, lead: false, zero: false, ..count }, percent);
            }
            self.send(s, count, percent);
            for _ in 0..s.below(4) {
                let bits = *s.pick(&[1, 2, 4]);
                let kind = *s.pick(&[RAW, RAW, INSTRUCTIONS, ADDRESS, NEAR]);
                let value = match kind {
                    RAW => s.bits(bits),
                    INSTRUCTIONS => s.bits(12),
                    _ => s.bits(31),
                };
                let other = if s.percent(50) { value ^ s.bits(9) } else { s.bits(31) };
                self.send(s, Item { kind, value, bits, other, lead: false, zero: false, ..count }, percent);
                self.idle(s);
            }
        }
        self.compare();
    }

    /// Ends the trace of all cores.
    fn end(&mut self) {
        for core in 0..self.cores {
            (self.core, self.end) = (core, true);
            self.cycle(None, true, (false, false));
        }
        self.end = false;
        self.golden.reset();
    }

    fn idle(&mut self, s: &mut Source) {
        while s.percent(10) {
            self.cycle(None, s.percent(80), (false, false));
        }
    }
}

#[test]
fn random_fields_become_the_bits_of_the_model() {
    for cores in [1, 2, 4, 8] {
        let (mut pair, mut s) = (Pair::new(cores), Source::seeded(cores.into()));
        for percent in [100, 60, 20] {
            for scale in [3, 0, 7, 12, 1, 16] {
                pair.run(&mut s, 60, scale, percent);
            }
            // the header comes again: all means are as at first
            pair.cycle(None, true, (false, true));
            pair.golden.reset();
            pair.run(&mut s, 40, 2, percent);
            // so they are in the next trace
            pair.run(&mut s, 40, 9, percent);
            pair.end();
            pair.run(&mut s, 40, 2, percent);
        }
        // a reset in the middle of a field
        let count =
            Item { kind: COUNT, value: 0x1234, bits: 1, other: 0, core: cores - 1, lead: cores > 1, zero: false };
        (0..9).for_each(|_| _ = pair.cycle(Some(count), true, (false, false)));
        pair.cycle(None, false, (true, false));
        pair.got.clear();
        pair.golden.reset();
        pair.run(&mut s, 100, 5, 100);
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn every_length_of_a_run_is_sent() {
    let (mut pair, mut s) = (Pair::new(1), Source::seeded(9));
    for bits in 0..24 {
        for near in [0, 1, 2] {
            let value = ((1_u64 << bits) + near - 1) & 0xff_ffff;
            pair.send(&mut s, Item { kind: COUNT, value, bits: 1, other: 0, core: 0, lead: false, zero: false }, 100);
            pair.cycle(None, true, (false, false));
            // a run of 1 between, so that the mean falls again
            (0..40).for_each(|_| {
                pair.send(
                    &mut s,
                    Item { kind: COUNT, value: 1, bits: 1, other: 0, core: 0, lead: false, zero: false },
                    100,
                );
                pair.cycle(None, true, (false, false));
            });
        }
    }
    pair.compare();
    pair.d.check_verilog().unwrap();
}

#[test]
fn a_mean_of_the_longest_runs_fits() {
    for count_bits in [16, 20] {
        let mut pair = Pair::with(&params(1).with(|p| p.count_bits = count_bits));
        let mut s = Source::seeded(count_bits.into());
        let count = |value| Item { kind: COUNT, value, bits: 1, other: 0, core: 0, lead: false, zero: false };
        for value in std::iter::repeat_n((1 << count_bits) - 1, 300).chain([1, 0, 5]) {
            pair.send(&mut s, count(value), 100);
            pair.cycle(None, true, (false, false));
        }
        pair.compare();
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn every_number_of_cores_passes_the_static_gates() {
    for cores in [1, 2, 4, 8] {
        emit_checked_system(&mut Runs::<32>::new(&params(cores))).unwrap_or_else(|e| panic!("{cores}: {e}"));
    }
}
