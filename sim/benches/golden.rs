//! Benchmark of the golden model, in reported branches per second
//!
//! A synthetic walk (loops of four lengths, a biased branch, calls, an indirect call with two targets), in a buffer
//! that fits in the cache, so that the model is measured and not the memory.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::core_trace::CoreTrace;
use sim::params::{named_set, Platform, TraceParams};
use sim::scheme::tr::model::Front;
use sim::system::System;

/// `n` events of one hart, including the start.
fn walk(n: usize) -> Vec<FlowEvent> {
    let event = |kind, pc: u64, target: u64| FlowEvent { hart: 0, kind, len: 4, count: 5, pc, target, cycle: 0 };
    let mut events = vec![FlowEvent { count: 0, len: 0, ..event(FlowKind::Start, 0x8000_0000, 0x8000_0000) }];
    let mut seed = 1u64;
    while events.len() < n {
        for (i, trips) in [3u64, 17, 6, 40].into_iter().enumerate() {
            let pc = 0x8000_0100 + 0x40 * i as u64;
            for trip in 0..trips {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let biased = seed >> 60 < 15;
                events.push(event(FlowKind::Conditional { taken: biased }, pc + 8, pc + 16));
                events.push(event(FlowKind::Conditional { taken: trip + 1 < trips }, pc + 32, pc));
            }
            let callee = 0x8000_2000 + 0x100 * (seed >> 63);
            events.push(event(FlowKind::IndirectCall, pc + 36, callee));
            events.push(event(FlowKind::Call, callee + 12, 0x8000_3000));
            events.push(event(FlowKind::Return, 0x8000_3010, callee + 16));
            events.push(event(FlowKind::Return, callee + 20, pc + 40));
        }
    }
    events
}

fn golden(c: &mut Criterion) {
    let events = walk(20_000);
    let reported = events.iter().filter(|e| !matches!(e.kind, FlowKind::Start | FlowKind::Call)).count();
    let mut group = c.benchmark_group("golden");
    group.throughput(Throughput::Elements(reported as u64));
    for name in ["small", "medium", "large"] {
        let set = named_set(name).expect("named");
        let params = TraceParams::tr(set.params);
        let mut core = CoreTrace::new(0, &Platform::RV32, Front::new(&set.params, &Platform::RV32));
        group.bench_function(format!("core {name}"), |b| {
            b.iter(|| {
                let mut messages = 0u64;
                for e in &events {
                    core.event(e, &mut |_| messages += 1);
                }
                messages
            });
        });
        let mut system = System::new(&params).expect("legal");
        group.bench_function(format!("system {name}"), |b| {
            b.iter(|| {
                events.iter().for_each(|e| system.event(e));
                system.drain().count()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, golden);
criterion_main!(benches);
