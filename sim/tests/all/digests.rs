//! Streams do not change: every scheme, set and core count is compared with a checked-in list
//!
//! One line per scheme, platform and program: CRC-32 and length in words of the stream without its header, then the
//! fingerprint in the header. A change of the list is a change of the stream format.

use programs::PROGRAMS;
use retire::{FlowEvent, RetireSink};
use sim::params::{Platform, TraceParams, NAMED_SETS};
use sim::riscv::{Limits, Machine, MachineConfig};

use sim::system::System;
use std::fmt::Write;

/// Events and last cycle of a run of `program`, limited to `instructions`.
fn record(program: &programs::ProgramInfo, harts: u8, instructions: u64) -> (Vec<FlowEvent>, u64) {
    let mut events = Vec::new();
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut machine = Machine::new(&program.load().unwrap(), config).unwrap();
    let summary = machine.run(&mut events, Limits { instructions, ..Limits::default() }).unwrap();
    (events, summary.cycles)
}

/// Named sets of scheme `follow`.
const FOLLOW: [&str; 4] = ["follow:s", "follow:m", "follow:ml", "follow:l"];

/// Header words: magic, shape, fingerprint.
const HEADER: usize = 3;

fn line(name: &str, platform: &Platform, events: &[FlowEvent], cycles: u64) -> String {
    let params = TraceParams::new(*platform, name.parse().unwrap());
    let mut system = System::new(&params).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(cycles);
    let words: Vec<u32> = system.drain().collect();
    let bytes: Vec<u8> = words[HEADER..].iter().flat_map(|w| w.to_le_bytes()).collect();
    let time = if platform.timestamps { " timed" } else { "" };
    let cores = platform.cores;
    format!(
        "{name} N={cores}{time}: {:08x} {} words, fingerprint {:08x}",
        crc32fast::hash(&bytes),
        words.len() - HEADER,
        words[2]
    )
}

fn platforms(cores: u8) -> [Platform; 2] {
    [false, true].map(|timestamps| Platform { cores, timestamps, ..Platform::RV32 })
}

#[test]
fn every_set_scheme_and_core_count() {
    let mut names: Vec<String> =
        NAMED_SETS.iter().flat_map(|s| ["tr_e", "tr_b"].map(|e| format!("{e}:{}", s.name))).collect();
    names.extend(
        ["base", "ebase", "rbase"].iter().flat_map(|v| ["32x4", "256x1", "64x8"].map(|s| format!("sc-lsp:{v}-{s}"))),
    );
    names.extend(FOLLOW.map(String::from));
    names.extend(["nx_b", "nexs", "tr(bcnt=4,1;diffta=5,3;diffcc=2,5;icnt=1,7):m4+shift3+upper12"].map(String::from));
    let program = programs::find("vm").unwrap();
    let mut list = String::new();
    for cores in 1..=8 {
        let (events, cycles) = record(program, cores, 150_000 * u64::from(cores));
        for name in &names {
            for platform in platforms(cores) {
                let _ = writeln!(list, "{}", line(name, &platform, &events, cycles));
            }
        }
    }
    insta::assert_snapshot!(list);
}

#[test]
fn every_program() {
    let mut list = String::new();
    for program in PROGRAMS {
        let _ = writeln!(list, "{}", program.name);
        for cores in [1, 4] {
            let (events, cycles) = record(program, cores, 400_000 * u64::from(cores));
            for name in ["tr_e:small", "tr_e:large", "sc-lsp:rbase-32x4", "nx_b", "nexs", "follow:m"] {
                for platform in platforms(cores) {
                    let _ = writeln!(list, "  {}", line(name, &platform, &events, cycles));
                }
            }
        }
    }
    insta::assert_snapshot!(list);
}
