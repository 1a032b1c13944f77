//! Occupancy of one core's event FIFO, by the number of cycles that a coder takes for the fields of a message
//!
//! A queue model around the golden lane, without the circuit's pipeline: an entry leaves when its last bit is sent.
//! Every test program runs at one instruction per cycle, as in `examples/rate.rs`. For each coder: the maximum number
//! of entries, and the share of cycles in which it is busy. A FIFO of depth 16 holds 14 entries, including those
//! reserved for instructions in the pipeline.
//!
//! `cargo run --release -p testbenches --example queue [SCHEME]...`
//!
//! With `--retire N`, cores retire up to N instructions per cycle, with the stalls of the timing model or, with
//! `--full`, without any, through an adapter and a retire queue of 16 words. In that case the counts include entries
//! reserved for instructions in the pipeline, as in `hdl/src/spine/credits.rs`.

use retire::elf::Program;
use retire::isa::{flow, Flow};
use retire::FlowEvent;
use sim::beats::wide::{pace, Compressor, Pace};
use sim::beats::{Expander, Retired};
use sim::bits::{BitReader, BitWriter};
use sim::message::{CodingError, Message};
use sim::params::{Chunks, Coding, FlowScheme, Platform, TraceParams};
use sim::scheme::cores::Cores;
use sim::scheme::fields::{Code, Field, Writer};
use sim::scheme::Encode;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use testbenches::check::run;

/// Instructions of each program.
const INSTRUCTIONS: u64 = 100_000;

/// A field, its value, and its number of bits if that is fixed.
type Sent = (Field, u64, Option<u32>);

/// A coder that records the fields of messages.
#[derive(Clone, Default)]
struct FieldRecorder(Rc<RefCell<Vec<Sent>>>);

impl Code for FieldRecorder {
    fn number(&mut self, field: Field, value: u64, _: &mut BitWriter) {
        self.0.borrow_mut().push((field, value, None));
    }
    fn bits(&mut self, field: Field, value: u64, bits: u32, _: &mut BitWriter) {
        self.0.borrow_mut().push((field, value, Some(bits)));
    }
    fn flush(&mut self, _: &mut BitWriter) {}
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        _: u32,
        _: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        unreachable!("it only writes")
    }
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        _: u32,
        _: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        unreachable!("it only writes")
    }
    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        unreachable!("it only writes")
    }
}

/// How a coder works.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CoderKind {
    /// One chunk per cycle.
    Chunk,
    /// Two bits of a number per cycle.
    Pair,
    /// One bit per cycle.
    Bit,
    /// Two bits per cycle of a field that stays in the FIFO while its digits are sent. An address is read once before
    /// that, and twice if its difference is negative. The next field is present while the last digit is sent.
    Walk,
    /// The coder of several cores: four bits of a chunk per cycle, and addresses subtracted in one step.
    Whole,
}

const WAYS: [(&str, CoderKind); 5] = [
    ("a chunk", CoderKind::Chunk),
    ("two bits", CoderKind::Pair),
    ("a bit", CoderKind::Bit),
    ("two bits out of the FIFO", CoderKind::Walk),
    ("the coder of several cores", CoderKind::Whole),
];

/// Cycles for a field of up to 31 bits; `sign`: for an address, whether it is negative.
fn clocks(way: CoderKind, chunks: Chunks, value: u64, sign: Option<bool>) -> u64 {
    let (first, next) = (u64::from(chunks.first), u64::from(chunks.next));
    let more = u64::from(64 - value.leading_zeros()).saturating_sub(first).div_ceil(next);
    let pairs = (first + more * next).div_ceil(2);
    let digits = if sign.is_some() { 8 } else { 0 };
    let negative = if sign == Some(true) { 8 } else { 0 };
    match way {
        CoderKind::Chunk => 2 + digits + negative + 1 + more,
        CoderKind::Pair if value == 0 && sign.is_none() => 2,
        CoderKind::Pair => 1 + u64::from(first < 3) + digits + negative + pairs,
        CoderKind::Bit => 1 + if sign.is_some() { 31 } else { 0 } + first + more * next + 1 + more,
        CoderKind::Walk => 3 + digits + negative + 2 * u64::from((63 - (value | 1).leading_zeros()) / 4),
        CoderKind::Whole => 1 + more + sign.map_or(0, |negative| 2 + u64::from(negative)),
    }
}

fn entry(way: CoderKind, coding: &Coding, fields: &[Sent]) -> u64 {
    let of = |(i, &(field, value, bits)): (usize, &Sent)| match (field, bits) {
        (Field::Core | Field::Sign, _) => 0,
        (_, Some(bits)) => match way {
            CoderKind::Bit => 1 + u64::from(bits),
            CoderKind::Whole => 1,
            _ => 3,
        },
        (Field::DiffTa, None) => clocks(way, coding.diff_ta, value, Some(fields[i + 1].1 == 1)),
        (Field::Count, None) => clocks(way, coding.b_cnt, value, None),
        (_, None) => clocks(way, coding.i_cnt, value, None),
    };
    1 + fields.iter().enumerate().map(of).sum::<u64>()
}

/// The cycle in which each event is reported, for a core of `width` instructions per cycle.
fn report_cycles(program: &Program, events: &[FlowEvent], width: usize, rule: Pace) -> Vec<u64> {
    let (mut expander, mut retired) = (Expander::new(program, 1), Vec::<Retired>::new());
    events.iter().for_each(|e| expander.event(e, &mut |r| retired.push(*r)).expect("its own events"));
    expander.finish(&mut |r| retired.push(*r)).expect("its own events");
    let cycles: Vec<u64> = retired.iter().map(|r| r.cycle).collect();
    let is_sequential: Vec<bool> = retired.iter().map(|r| r.next_pc == r.pc.wrapping_add(r.len.into())).collect();
    let clocks = pace(&cycles, &is_sequential, width, rule);
    let mut queue = Compressor::new(4);
    let mut at = vec![u64::MAX; retired.len()];
    let mut i = 0;
    for clock in 0..=clocks.last().unwrap_or(&0) + 5_000 {
        let from = i;
        i += clocks[i..].iter().take_while(|c| **c == clock).count();
        let event = |r: &Retired| r.trapped || flow(r.insn, 32) != Flow::Sequential;
        let row = queue.clock((from..i).map(|k| (k, event(&retired[k]))), true);
        if let Some(k) = row.event {
            at[k] = clock;
        }
    }
    let mut count = 0;
    let event = |e: &FlowEvent| {
        count += e.count as usize;
        // a start or trap is reported with the instruction after it
        at.get(if e.len != 0 { count - 1 } else { count }).copied().unwrap_or(u64::MAX)
    };
    events.iter().map(event).collect()
}

/// Cycles from where an instruction reserves an entry to where it writes or releases it.
const PIPELINE_CYCLES: u64 = 3;

/// Maximum number of entries in use or reserved, for events reported in cycles `report_cycles` with the fields that they send.
fn max_entries(way: CoderKind, coding: &Coding, report_cycles: &[(u64, Vec<Sent>)]) -> i32 {
    let (mut changes, mut free) = (Vec::new(), 0);
    for (at, fields) in report_cycles.iter().filter(|(at, _)| *at != u64::MAX) {
        changes.push((*at, 1));
        if fields.is_empty() {
            changes.push((at + PIPELINE_CYCLES, -1));
        } else {
            // read one cycle after it was written, counted one cycle after it left
            free = free.max(at + PIPELINE_CYCLES + 1) + entry(way, coding, fields);
            changes.push((free + 1, -1));
        }
    }
    changes.sort_unstable();
    changes.iter().fold((0, 0), |(used, most), (_, change)| (used + change, most.max(used + change))).1
}

fn main() {
    let mut schemes: Vec<String> = std::env::args().skip(1).collect();
    let full = schemes.iter().position(|s| s == "--full").map(|i| schemes.remove(i)).is_some();
    let width = schemes.iter().position(|s| s == "--retire").map(|i| {
        schemes.remove(i);
        schemes.remove(i).parse().expect("--retire takes a number of instructions")
    });
    if schemes.is_empty() {
        schemes = ["tr_e:small", "tr_e:medium", "tr_e:large"].map(String::from).to_vec();
    }
    for name in schemes {
        let params = TraceParams::new(Platform::RV32, name.parse().expect("a scheme such as tr_e:small"));
        let FlowScheme::Tr(scheme) = &params.flow else { panic!("{name} is no set of T-raptor") };
        println!("\n| {name} |{}", WAYS.map(|(way, _)| format!(" {way} |")).concat());
        println!("| --- |{}", " ---: |".repeat(WAYS.len()));
        for info in programs::PROGRAMS {
            let program = info.load().expect("a built-in program");
            let (events, _): (Vec<FlowEvent>, _) = run(&program, 1, INSTRUCTIONS);
            let report_cycles =
                width.map(|n| report_cycles(&program, &events, n, if full { Pace::Full } else { Pace::Timed }));
            let (spy, mut out) = (FieldRecorder::default(), BitWriter::new());
            let Cores { mut core_traces, .. } = Cores::new(scheme, &params.platform);
            let mut writer = Writer::new(&params.platform, spy.clone());
            let mut entries = Vec::new();
            let mut wide: Vec<(u64, Vec<Sent>)> = Vec::new();
            for (i, e) in events.iter().enumerate() {
                core_traces[0].offer(&[*e], false, &mut |m: &Message| writer.encode(m, &mut out));
                let fields = spy.0.take();
                if let Some(report_cycles) = &report_cycles {
                    wide.push((report_cycles[i], fields));
                } else if !fields.is_empty() {
                    entries.push((e.cycle, fields));
                }
            }
            let all = events.last().map_or(1, |e| e.cycle.max(1));
            let cells = WAYS.map(|(_, way)| {
                if width.is_some() {
                    return format!(" {} |", max_entries(way, &Coding::TR_E, &wide));
                }
                let (mut leave, mut free, mut most, mut busy) = (VecDeque::new(), 0, 0, 0);
                for (at, fields) in &entries {
                    while leave.front().is_some_and(|l| l <= at) {
                        leave.pop_front();
                    }
                    let takes = entry(way, &Coding::TR_E, fields);
                    busy += takes;
                    free = at.max(&free) + takes;
                    leave.push_back(free);
                    most = most.max(leave.len());
                }
                format!(" {most}, {} % |", 100 * busy / all)
            });
            println!("| `{}` |{}", info.name, cells.concat());
        }
    }
}
