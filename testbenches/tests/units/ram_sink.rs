//! `hdl/src/bus/ram_sink.rs` against `sim::tci::ram`, cycle by cycle, and as a tool of the specification uses it
//!
//! Registers are read and written in any order, with any value, while words come in bursts with gaps.

use hdl::bus::ram_sink::RamSink;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use sim::tci::ram::{Inputs, RamSink as Golden};
use sim::tci::ram_map::{register, REGS};
use sim::tci::{Facts, Sink};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn facts(sram: u32) -> Facts {
    Facts { cores: 1, sink: Sink::Sram(sram), ..Facts::default() }
}

fn driver(sram: u32) -> Driver<RamSink> {
    Driver::new(RamSink::new(&facts(sram)), |u, c| u.clock.next = c.into()).unwrap()
}

/// Runs one cycle of the circuit and returns its read data.
fn clock(d: &mut Driver<RamSink>, i: &Inputs) -> u32 {
    let (ready, rdata) = d
        .cycle(
            |u| {
                u.reset.next = i.reset;
                u.bus.addr.next = u64::from(i.addr).to_bits();
                u.bus.write.next = i.write;
                u.bus.wdata.next = u64::from(i.wdata).to_bits();
                u.read.next = i.read;
                u.words.valid.next = i.word.is_some();
                u.words.data.next = u64::from(i.word.unwrap_or_default()).to_bits();
            },
            |u| (u.words.ready.val(), u.bus.rdata.val().to_u64() as u32),
        )
        .unwrap();
    assert!(ready, "a word is taken in every cycle");
    rdata
}

/// A register, the one that is addressed again, or any address.
fn address(s: &mut Source, before: u32) -> u32 {
    match s.below(10) {
        0 => s.bits(10) as u32,
        1..=3 => u32::from(register("ram_data").offset) / 4,
        4..=5 => before,
        _ => u32::from(REGS[s.below(REGS.len() as u64) as usize].offset) / 4,
    }
}

#[test]
fn the_circuit_is_the_golden_model() {
    for (seed, sram) in [(80, 256), (81, 1024), (82, 65_536)] {
        let mut s = Source::seeded(seed);
        let (mut d, mut golden) = (driver(sram).recording(), Golden::new(facts(sram)));
        let (mut wraps, mut stops, mut reads, mut before) = (0, 0, 0, 0);
        for cycle in 0..20_000 {
            // stretches in which words come, and others in which the memory is read
            let fills = cycle / 512 % 2 == 0;
            let addr = address(&mut s, before);
            before = addr;
            let bits = s.bits(32) as u32;
            let control = if fills { [3, 0x103][s.below(2) as usize] } else { 1 };
            let i = Inputs {
                reset: s.per_64k(20),
                addr,
                write: s.percent(if addr == 0 { 40 } else { 3 }),
                wdata: if s.percent(90) { control } else { bits },
                read: s.percent(50),
                word: s.percent(60).then_some(bits),
            };
            golden.step(&i);
            clock(&mut d, &i);
            // outputs of this cycle come from registers: compare those after the edge
            let idle = Inputs { addr, ..Inputs::default() };
            let got = clock(&mut d, &idle);
            assert_eq!(got, golden.rdata(), "{sram} bytes, seed {seed}, cycle {cycle}: {i:x?}");
            golden.step(&idle);
            let control = register("ram_control").offset;
            wraps += u32::from(addr == 8 && got & 1 == 1);
            stops += u32::from(addr == u32::from(control) && got & 0x103 == 0x101);
            reads += u32::from(addr == 16 && got != 0);
        }
        assert!(reads > 500, "{reads} words were read");
        assert!(sram > 1024 || wraps > 20 && stops > 20, "{wraps} times wrapped, {stops} times stopped");
        d.check_verilog().unwrap();
    }
}

/// The order of the specification: activate, find the size and that the memory is read by `trRamData`, enable; after the trace,
/// disable and read from the oldest word on.
#[test]
fn a_tool_finds_the_memory_and_reads_it() {
    let mut d = driver(512);
    let mut access = |offset: u32, write: Option<u32>, word: Option<u32>| {
        let (wdata, write) = (write.unwrap_or_default(), write.is_some());
        clock(&mut d, &Inputs { addr: offset / 4, write, wdata, read: !write, word, ..Inputs::default() });
        clock(&mut d, &Inputs { addr: offset / 4, ..Inputs::default() })
    };
    access(0x000, Some(0), None);
    access(0x000, Some(1), None);
    assert_eq!(access(0x000, None, None), 9, "active and empty");
    assert_eq!(access(0x004, None, None) & 0x3fff, 0x1901, "version 1.0, RAM sink, has SRAM");
    for offset in [0x010, 0x014, 0x01c, 0x024, 0x02c] {
        access(offset, Some(u32::MAX), None);
        assert_eq!(access(offset, None, None), 0, "{offset:#x}");
    }
    let mut range = |offset: u32| {
        let mut after = |value| {
            access(offset, Some(value), None);
            access(offset, None, None)
        };
        (after(0), after(u32::MAX))
    };
    assert_eq!(range(0x018), (0x1fc, 0x1fc), "the size is fixed");
    assert_eq!(range(0x020), (0, 0x1fc));
    assert_eq!(range(0x028), (0, 0x1fc), "the limit can be the read pointer: the memory is read by trRamData");
    access(0x020, Some(0), None);
    access(0x000, Some(3), None);
    for word in 0..200 {
        access(0x000, None, Some(word));
    }
    access(0x000, Some(1), None);
    let wp = access(0x020, None, None);
    assert_eq!(wp, 72 * 4 + 1, "wrapped");
    access(0x028, Some(wp & !3), None);
    let words: Vec<u32> = (0..128).map(|_| access(0x040, None, None)).collect();
    assert_eq!(words, (72..200).collect::<Vec<_>>());
}

#[test]
fn the_sink_passes_the_static_gates() {
    emit_checked(&mut RamSink::new(&facts(1024))).unwrap();
}
