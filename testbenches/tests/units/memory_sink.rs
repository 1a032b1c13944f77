//! `hdl/src/bus/memory_sink.rs` against `sim::tci::memory_sink`, cycle by cycle, and as a tool of the specification uses it
//!
//! Registers are read and written in any order, with any value, while words come in bursts with gaps; the channels of the memory stall,
//! respond with errors, and reset comes at any time.

use hdl::bus::memory_sink::MemorySink;
use rust_hdl::prelude::*;
use sim::memory_port::{Inputs, Outputs};
use sim::stimulus::Source;
use sim::tci::memory_map::{register, REGS};
use sim::tci::memory_sink::MemorySink as Golden;
use sim::tci::{Facts, Sink};
use std::collections::BTreeMap;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn facts() -> Facts {
    Facts { cores: 1, sink: Sink::Memory, ..Facts::default() }
}

fn driver() -> Driver<MemorySink> {
    Driver::new(MemorySink::new(&facts()), |u, c| u.clock.next = c.into()).unwrap()
}

/// Runs one cycle of the circuit and returns its outputs.
fn clock(d: &mut Driver<MemorySink>, i: &Inputs) -> Outputs {
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.words.valid.next = i.word.is_some();
            u.words.data.next = u64::from(i.word.unwrap_or_default()).to_bits();
            u.awready.next = i.address_ready;
            u.wready.next = i.data_ready;
            u.bid.next = false;
            u.bvalid.next = i.response.is_some();
            u.bresp.next = u64::from(i.response.unwrap_or_default()).to_bits();
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
    .unwrap()
}

/// A value for a register: most often one that a driver would write, of a small buffer near a boundary of 4 KiB.
fn value(s: &mut Source, addr: u32) -> u32 {
    let bits = s.bits(32) as u32;
    match 4 * addr {
        0 => *s.pick(&[3, 3, 3, 3, 0x103, 0x103, 0x103, 0x103, 1, 1, 1, 0x101, 0, bits]),
        0x010 if s.percent(90) => 0x1f00 + 4 * s.below(40) as u32,
        0x018 if s.percent(90) => 0x1fc0 + 4 * s.below(40) as u32,
        _ => bits,
    }
}

#[test]
fn the_circuit_is_the_golden_model() {
    for seed in [90, 91, 92] {
        let mut s = Source::seeded(seed);
        let (mut d, mut golden) = (driver().recording(), Golden::new(facts()));
        // `word` waits until it is taken; a response follows the last word of a burst
        let (mut word, mut last_taken, mut rates) = (None, false, [50; 4]);
        let (mut wraps, mut fulls, mut errors, mut bursts, mut enabled) = (0, 0, 0, 0, 0);
        for cycle in 0..30_000 {
            if cycle % 300 == 0 {
                rates = std::array::from_fn(|_| [5, 40, 80, 100][s.below(4) as usize]);
            }
            let addr = match s.below(10) {
                0 => s.bits(10) as u32,
                1..=3 => 0,
                _ => u32::from(REGS[s.below(REGS.len() as u64) as usize].offset) / 4,
            };
            if word.is_none() && s.percent(rates[0]) {
                word = Some(s.bits(32) as u32);
            }
            let response =
                (last_taken && s.percent(rates[3])).then(|| if s.percent(4) { s.between(2, 3) as u32 } else { 0 });
            let i = Inputs {
                reset: s.per_64k(15),
                addr,
                write: s.percent(if cycle / 300 % 3 == 0 { 30 } else { 2 }),
                wdata: value(&mut s, addr),
                word,
                address_ready: s.percent(rates[1]),
                data_ready: s.percent(rates[2]),
                response,
            };
            let (right, got) = (golden.outputs(), clock(&mut d, &i));
            assert_eq!(got, right, "seed {seed}, cycle {cycle}: {i:x?}");
            golden.step(&i);
            last_taken = !i.reset
                && if got.response_ready {
                    last_taken && response.is_none()
                } else {
                    got.data.is_some_and(|(_, last)| last && i.data_ready)
                };
            if got.ready {
                word = None;
            }
            bursts += u32::from(got.address.is_some() && i.address_ready);
            let read = |name: &str, mask: u32| {
                addr * 4 == u32::from(register(name).offset) && golden.outputs().rdata & mask == mask
            };
            wraps += u32::from(read("ram_wp_low", 1));
            fulls += u32::from(read("goshawk_ram_events", 2));
            errors += u32::from(read("goshawk_ram_events", 0x24));
            enabled += u32::from(read("ram_control", 3));
        }
        assert!(bursts > 300 && enabled > 500, "{bursts} bursts, {enabled} times enabled");
        assert!(wraps > 20 && fulls > 20 && errors > 5, "{wraps} wraps, {fulls} full, {errors} errors");
        d.check_verilog().unwrap();
    }
}

/// The order of the specification: activate, find that it writes to system memory and how wide the addresses are, set the buffer,
/// enable; after the trace, disable, wait until it is empty, and read memory from the oldest word on.
#[test]
fn a_tool_finds_the_sink_and_reads_the_trace_from_memory() {
    let mut d = driver();
    let (mut memory, mut at) = (BTreeMap::new(), 0);
    let mut cycle = |i: Inputs| {
        let o = clock(&mut d, &Inputs { address_ready: true, data_ready: true, response: Some(0), ..i });
        at = o.address.map_or(at, |(at, _)| at);
        if let Some((word, _)) = o.data {
            memory.insert(at, word);
            at += 4;
        }
        o
    };
    let mut access = |offset: u32, write: Option<u32>, word: Option<u32>| {
        let (wdata, write) = (write.unwrap_or_default(), write.is_some());
        let taken = cycle(Inputs { addr: offset / 4, write, wdata, word, ..Inputs::default() }).ready;
        (cycle(Inputs { addr: offset / 4, ..Inputs::default() }).rdata, taken)
    };
    access(0x000, Some(0), None);
    access(0x000, Some(1), None);
    assert_eq!(access(0x000, None, None).0, 0x19, "active, empty, system memory");
    assert_eq!(access(0x004, None, None).0 & 0x3fff, 0x2901, "version 1.0, RAM sink, has SMEM");
    // which bits can be written, of all registers but the control register
    for offset in (4..4096).step_by(4) {
        let found = [u32::MAX, 0].map(|v| {
            access(offset, Some(v), None);
            access(offset, None, None).0
        });
        let bits = match offset {
            0x004 => (0x2901, 0x2901),
            0x010 | 0x018 => (0xffff_fffc, 0),
            _ => (0, 0),
        };
        // the write pointer follows the start of the buffer, which the loop has left at 0
        assert_eq!((found[0], found[1]), bits, "{offset:#x}");
    }
    access(0x010, Some(0x2000), None);
    access(0x018, Some(0x21fc), None);
    access(0x020, Some(0x2000), None);
    access(0x000, Some(3), None);
    assert_eq!(access(0x000, None, None).0 & 3, 3);
    for word in 0..200 {
        while !access(0x000, None, Some(word)).1 {}
    }
    access(0x000, Some(1), None);
    while access(0x000, None, None).0 & 8 == 0 {}
    let wp = access(0x020, None, None).0;
    assert_eq!(wp, 0x2000 + 72 * 4 + 1, "wrapped");
    let oldest = wp & !3;
    let words: Vec<u32> = (oldest..0x2200).chain(0x2000..oldest).step_by(4).map(|a| memory[&a]).collect();
    assert_eq!(words, (72..200).collect::<Vec<_>>());
    assert_eq!(memory.len(), 128, "nothing was written elsewhere");
}

#[test]
fn the_sink_passes_the_static_gates() {
    emit_checked(&mut MemorySink::new(&facts())).unwrap();
}
