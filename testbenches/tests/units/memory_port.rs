//! `hdl/src/bus/{memory,split}.rs` against `sim::memory_port` and the rules of AXI4, clock by clock
//!
//! Registers are accessed at any time, ranges cross 4 KiB boundaries, every channel stalls at random, some responses
//! are errors, reset comes at any time. The memory contains what the port accepted.

use hdl::bus::memory::MemoryPort;
use hdl::bus::split::Split;
use rust_hdl::prelude::*;
use sim::memory_port::{Inputs, MemoryPort as Golden, Outputs};
use sim::stimulus::Source;
use std::collections::{BTreeMap, VecDeque};
use testbenches::driver::{CheckVerilog, Driver, DriverError};
use testbenches::gates::emit_checked;

/// Runs one cycle of the circuit.
fn clock(d: &mut Driver<MemoryPort>, i: &Inputs, s: &mut Source) -> Result<Outputs, DriverError> {
    let (noise, id) = (s.bits(32), s.percent(50));
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.words.valid.next = i.word.is_some();
            u.words.data.next = i.word.map_or(noise, u64::from).to_bits();
            u.awready.next = i.address_ready;
            u.wready.next = i.data_ready;
            u.bid.next = id;
            u.bvalid.next = i.response.is_some();
            u.bresp.next = i.response.map_or(noise & 3, u64::from).to_bits();
        },
        |u| {
            assert_eq!((u.awid.val(), u.awsize.val().to_u64(), u.awburst.val().to_u64()), (false, 2, 1));
            assert_eq!(u.wstrb.val().to_u64(), 15);
            Outputs {
                rdata: u.bus.rdata.val().to_u64() as u32,
                ready: u.words.ready.val(),
                address: u.awvalid.val().then(|| (u.awaddr.val().to_u64() as u32, u.awlen.val().to_u64() as u32)),
                data: u.wvalid.val().then(|| (u.wdata.val().to_u64() as u32, u.wlast.val())),
                response_ready: u.bready.val(),
                interrupt: u.irq.val(),
            }
        },
    )
}

/// The other side of the bus, which checks the port against AXI4 and stores what is written.
#[derive(Default)]
struct Memory {
    /// The current burst: its address and words.
    burst: Option<(u32, Vec<u32>, u32)>,
    answer: Option<u32>,
    /// Offers of the previous cycle that were not accepted.
    address: Option<(u32, u32)>,
    data: Option<(u32, bool)>,
    words: BTreeMap<u32, u32>,
    bursts: u32,
    /// Bursts of fewer than 16 words that end at a 4 KiB boundary.
    cut: u32,
}

impl Memory {
    fn edge(&mut self, i: &Inputs, o: &Outputs) {
        assert!(self.address.is_none() || self.address == o.address, "an address that was not taken went");
        assert!(self.data.is_none() || self.data == o.data, "a word that was not taken went");
        self.address = o.address.filter(|_| !i.address_ready);
        self.data = o.data.filter(|_| !i.data_ready);
        if let Some((at, len)) = o.address.filter(|_| i.address_ready) {
            assert!(self.burst.is_none() && self.answer.is_none(), "two bursts at a time");
            assert!(at % 4 == 0 && at % 4096 + 4 * (len + 1) <= 4096, "{at:x}: {} words go over 4 KiB", len + 1);
            self.cut += u32::from(at % 4096 + 4 * (len + 1) == 4096 && len < 15);
            self.burst = Some((at, Vec::new(), len + 1));
            self.bursts += 1;
        }
        if let Some((word, last)) = o.data.filter(|_| i.data_ready) {
            let burst = self.burst.as_mut().expect("a word without an address");
            burst.1.push(word);
            assert_eq!(last, burst.1.len() as u32 == burst.2, "WLAST");
        }
    }
}

fn draw(s: &mut Source, addr: u32) -> u32 {
    match addr {
        0 => (0x1_0000 - 4 * s.below(48) as u32) | s.bits(2) as u32,
        1 if s.percent(10) => s.bits(2) as u32,
        1 => 4 * s.between(1, 90) as u32,
        // writing 1 to enable has no effect while it is running
        2 => ((s.bits(2) << 1) | u64::from(s.percent(90))) as u32,
        7 => 4 * s.below(60) as u32,
        _ => s.bits(32) as u32,
    }
}

#[test]
fn the_circuit_is_the_golden_model_and_keeps_the_rules_of_axi4() {
    for seed in 0..2u64 {
        let mut s = Source::seeded(50 + seed);
        let mut d = Driver::new(MemoryPort::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut golden = Golden::default();
        let mut memory = Memory::default();
        let (mut word, mut rates) = (None, [50; 5]);
        let (mut errors, mut fulls, mut taken, mut named) = (0, 0, 0, 0);
        for cycle in 0..30_000 {
            if cycle % 400 == 0 {
                rates = std::array::from_fn(|_| [2, 30, 70, 100][s.below(4) as usize]);
            }
            if word.is_none() && s.percent([rates[0], 1][(cycle / 400) % 2]) {
                word = Some(s.bits(32) as u32);
            }
            let addr = s.bits(3) as u32;
            let i = Inputs {
                reset: s.per_64k(30),
                addr,
                write: s.percent(30),
                wdata: draw(&mut s, addr),
                word,
                address_ready: s.percent(rates[1]),
                data_ready: s.percent(rates[2]),
                response: memory.answer.filter(|_| s.percent(rates[3])),
            };
            let right = golden.outputs();
            let out = clock(&mut d, &i, &mut s).unwrap();
            assert_eq!(out, right, "seed {seed}, cycle {cycle}: {i:x?}");
            golden.step(&i);
            if i.reset {
                memory = Memory { bursts: memory.bursts, cut: memory.cut, ..Memory::default() };
                word = None;
                continue;
            }
            memory.edge(&i, &out);
            taken += u32::from(out.ready && word.is_some());
            word = word.filter(|_| !out.ready);
            if i.response.is_some() && out.response_ready {
                errors += u32::from(memory.answer.take() != Some(0));
            }
            if memory.burst.as_ref().is_some_and(|b| b.1.len() as u32 == b.2) {
                memory.burst = None;
                memory.answer = Some(if s.percent(8) { s.between(1, 3) as u32 } else { 0 });
            }
            // register 4 was addressed at the previous edge
            fulls += u32::from(named == 4 && out.rdata & 2 != 0);
            named = addr;
        }
        assert!(memory.bursts > 200 && memory.cut > 15 && taken > 1_500, "{} {} {taken}", memory.bursts, memory.cut);
        assert!(errors > 8 && fulls > 8, "{errors} errors, {fulls} times full");
        d.check_verilog().unwrap();
    }
}

/// No word is lost or duplicated while the memory stalls: a long session writes to a range that wraps many times.
#[test]
fn every_word_is_in_memory_once_and_in_order() {
    let mut s = Source::seeded(60);
    let mut d = Driver::new(MemoryPort::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (base, size) = (0x1f_f9d4_u32, 4 * 301_u32);
    for (addr, wdata) in [(0, base), (1, size), (7, 400), (2, 1)] {
        clock(&mut d, &Inputs { addr, write: true, wdata, ..Inputs::default() }, &mut s).unwrap();
    }
    let mut memory = Memory::default();
    let (mut went, mut came) = (VecDeque::new(), 0u32);
    let (mut word, mut at) = (0u32, 0u32);
    for cycle in 0..12_000 {
        let busy = cycle < 11_000;
        let i = Inputs {
            addr: 5,
            // the session ends in the middle of whatever is in progress
            write: cycle == 11_000,
            word: (busy && s.percent([100, 20][cycle / 1000 % 2])).then_some(word),
            address_ready: s.percent(50),
            data_ready: s.percent(60),
            response: memory.answer.filter(|_| s.percent(40)),
            ..Inputs::default()
        };
        let i = if cycle == 11_000 { Inputs { addr: 2, ..i } } else { i };
        let out = clock(&mut d, &i, &mut s).unwrap();
        memory.edge(&i, &out);
        if i.word.is_some() && out.ready {
            went.push_back(word);
            word += 1;
        }
        if i.response.is_some() && out.response_ready {
            memory.answer = None;
        }
        if let Some((from, words, _)) = memory.burst.take_if(|b| b.1.len() as u32 == b.2) {
            assert_eq!(from, base + at, "cycle {cycle}");
            for (n, w) in (0..).zip(words) {
                assert_eq!(Some(w), went.pop_front(), "cycle {cycle}");
                memory.words.insert(from + 4 * n, w);
                at = (at + 4) % size;
                came += 1;
            }
            memory.answer = Some(0);
        }
        assert!(out.interrupt || came < 130, "{came} words and no interrupt");
    }
    assert!(went.is_empty() && came == word && word > 2_000, "{came} of {word} words");
    let read = |d: &mut Driver<MemoryPort>, s: &mut Source, addr| {
        (0..2).map(|_| clock(d, &Inputs { addr, ..Inputs::default() }, s).unwrap().rdata).last().unwrap()
    };
    assert_eq!(read(&mut d, &mut s, 3), 0, "it still runs");
    assert_eq!((read(&mut d, &mut s, 5), read(&mut d, &mut s, 6)), (4 * (word % 301), word / 301));
    for n in word - 301..word {
        assert_eq!(memory.words[&(base + 4 * (n % 301))], n);
    }
}

#[test]
fn read_data_comes_from_the_addressed_half() {
    let mut s = Source::seeded(61);
    let mut d = Driver::new(Split::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut upper = false;
    for _ in 0..2_000 {
        let (reset, addr, write, value) = (s.percent(2), s.bits(4), s.percent(50), s.bits(32));
        let (low, high) = (s.bits(32), s.bits(32));
        let got = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.bus.addr.next = addr.to_bits();
                    u.bus.write.next = write;
                    u.bus.wdata.next = value.to_bits();
                    u.low.rdata.next = low.to_bits();
                    u.high.rdata.next = high.to_bits();
                },
                |u| {
                    assert_eq!((u.low.addr.val().to_u64(), u.high.addr.val().to_u64()), (addr & 7, addr & 7));
                    assert_eq!((u.low.wdata.val().to_u64(), u.high.wdata.val().to_u64()), (value, value));
                    (u.low.write.val(), u.high.write.val(), u.bus.rdata.val().to_u64())
                },
            )
            .unwrap();
        assert_eq!(got, (write && addr < 8, write && addr >= 8, if upper { high } else { low }));
        upper = addr >= 8 && !reset;
    }
    d.check_verilog().unwrap();
}

#[test]
fn the_port_passes_the_static_gates() {
    emit_checked(&mut MemoryPort::new()).unwrap();
    emit_checked(&mut Split::default()).unwrap();
}
