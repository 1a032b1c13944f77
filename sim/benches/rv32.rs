//! Benchmark of the built-in simulator, in instructions per second: functional and timed, one hart and four
//!
//! The program is an endless mix: an inner loop of arithmetic, a load, a store and a shift-and-xor generator, a call
//! and a return, an unpredictable branch. `events` keeps every event; the others drop them.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use retire::elf::{Program, Segment};
use retire::{FlowEvent, NullSink, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig, Timing};

const INSTRUCTIONS: u64 = 2_000_000;

/// Assembled from:
/// ```text
///     slli a1, a0, 12        # 4 KiB of data a hart
///     lui  a2, 0x80100
///     add  a1, a1, a2
///     li   a3, 1
/// 1:  jal  ra, 2f
///     andi a4, a3, 1
///     beqz a4, 1b
///     addi a5, a5, 1
///     j    1b
/// 2:  slli a4, a3, 13
///     xor  a3, a3, a4
///     srli a4, a3, 17
///     xor  a3, a3, a4
///     slli a4, a3, 5
///     xor  a3, a3, a4
///     andi a4, a3, 0x3fc
///     add  a4, a4, a1
///     lw   a6, 0(a4)
///     add  a6, a6, a3
///     sw   a6, 0(a4)
///     ret
/// ```
const CODE: [u32; 21] = [
    0x00c5_1593,
    0x8010_0637,
    0x00c5_85b3,
    0x0010_0693,
    0x0140_00ef,
    0x0016_f713,
    0xfe07_0ce3,
    0x0017_8793,
    0xff1f_f06f,
    0x00d6_9713,
    0x00e6_c6b3,
    0x0116_d713,
    0x00e6_c6b3,
    0x0056_9713,
    0x00e6_c6b3,
    0x3fc6_f713,
    0x00b7_0733,
    0x0007_2803,
    0x00d8_0833,
    0x0107_2023,
    0x0000_8067,
];

/// Counts events, as cheaply as a sink that looks at them can.
struct Count(u64);

impl RetireSink for Count {
    fn event(&mut self, event: &FlowEvent) {
        self.0 += u64::from(event.count);
    }
}

fn speed(c: &mut Criterion) {
    let data = CODE.iter().flat_map(|insn| insn.to_le_bytes()).collect::<Vec<_>>();
    let segments = vec![Segment::code(0x8000_0000, data)];
    let program = Program {
        xlen: 32,
        compressed: false,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: 0x8000_0000,
        segments,
        build_id: vec![0],
    };
    let limits = Limits { instructions: INSTRUCTIONS, cycles: u64::MAX };
    let mut group = c.benchmark_group("rv32");
    group.throughput(Throughput::Elements(INSTRUCTIONS)).sample_size(10);
    for (name, timing) in [("functional", Timing::functional()), ("timed", Timing::default())] {
        for harts in [1, 4] {
            let config = MachineConfig { harts, timing: timing.clone(), ..MachineConfig::default() };
            let machine = || Machine::new(&program, config.clone()).expect("the machine can be built");
            group.bench_function(format!("{name}_{harts}"), |b| {
                b.iter_batched_ref(machine, |m| m.run(&mut NullSink, limits), criterion::BatchSize::LargeInput);
            });
            group.bench_function(format!("{name}_{harts}_events"), |b| {
                b.iter_batched_ref(machine, |m| m.run(&mut Count(0), limits), criterion::BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, speed);
criterion_main!(benches);
