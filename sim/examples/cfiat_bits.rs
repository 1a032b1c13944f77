//! Bits of load-value traces, for the built-in programs
//!
//! `cargo run --release -p sim --example cfiat_bits -- CORES INSTRUCTIONS NAME...`, with names such as
//! `cfiat:32k+line64`: prints a line per scheme (bits per instruction and per load, miss rates, state), and with
//! `GOSHAWK_PROGRAMS` one per program.

use retire::{DataEvent, FlowEvent, Note, RetireSink};
use sim::analysis::ratio;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::stats::{total, CfiatStats};
use sim::scheme::cfiat::{CfiatParams, Recorder};

/// A sink that passes one run to several recorders.
struct All(Vec<Recorder>);

impl RetireSink for All {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.iter_mut().for_each(|r| {
            r.event(e);
            r.drain();
        });
    }

    fn data(&mut self, d: &DataEvent) {
        self.0.iter_mut().for_each(|r| r.data(d));
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.iter_mut().for_each(|r| r.note(hart, note));
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    bits: u64,
    instructions: u64,
    loads: u64,
    references: [u64; 2],
    flags: [u64; 2],
    records: u64,
    outside: u64,
}

impl Sum {
    fn add(&mut self, s: &CfiatStats) {
        let (references, flags) = (total(&s.references()), total(&s.flags));
        // as in the table: without the order of the cores
        self.bits += s.bits - s.order_bits;
        self.instructions += s.instructions;
        self.loads += s.all_loads();
        self.references = [self.references[0] + references.misses, self.references[1] + references.all()];
        self.flags = [self.flags[0] + flags.misses, self.flags[1] + flags.all()];
        self.records += s.records;
        self.outside += s.outside + s.csrs + s.failed;
    }

    fn line(&self) -> String {
        let percent = |[a, b]: [u64; 2]| 100.0 * ratio(a, b);
        format!(
            "{:.4} | {:.4} | {:.3} % | {:.3} % | {:.1}",
            ratio(self.bits, self.instructions),
            ratio(self.bits, self.loads),
            percent(self.references),
            percent(self.flags),
            ratio(self.bits, self.records),
        )
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let harts: u8 = args.next().map_or(Ok(4), |n| n.parse())?;
    let instructions: u64 = args.next().map_or(Ok(1_000_000), |n| n.parse())?;
    let mut names: Vec<String> = args.collect();
    if names.is_empty() {
        names.push("cfiat".into());
    }
    let sizes = names.iter().map(|n| n.parse()).collect::<Result<Vec<Sizes>, _>>()?;
    let mut sums = vec![Sum::default(); sizes.len()];
    println!("scheme | bits per instruction | bits a load | cache misses | first-access misses | bits a record");
    for info in programs::PROGRAMS {
        let program = info.load()?;
        let mut machine = Machine::new(&program, MachineConfig { harts, ..MachineConfig::default() })?;
        let ram = machine.ram();
        let recorder = |s: &Sizes| Recorder::new(&CfiatParams::new(harts, ram, *s));
        let mut all = All(sizes.iter().map(recorder).collect::<Result<_, _>>()?);
        machine.run(&mut all, Limits { instructions, ..Limits::default() })?;
        for ((recorder, sum), name) in all.0.iter_mut().zip(&mut sums).zip(&names) {
            recorder.finish();
            sum.add(recorder.stats());
            if std::env::var_os("GOSHAWK_PROGRAMS").is_some() {
                let mut one = Sum::default();
                one.add(recorder.stats());
                println!("{:10} {name} | {}", info.name, one.line());
            }
        }
    }
    for (name, sum) in names.iter().zip(&sums) {
        let outside = 100.0 * ratio(sum.outside, sum.records);
        println!("{name} | {} ({outside:.1} % of the records are not of memory)", sum.line());
    }
    Ok(())
}
