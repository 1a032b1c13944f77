//! Entries that wait in the event FIFO of one core, by how many clocks a coder takes for the fields of a message
//!
//! A model of a queue around the golden lane, without the circuit's pipeline: an entry leaves when its last bit is sent.
//! Every test program at an instruction a clock, as in `examples/rate.rs`. For each coder: the most entries that wait, and the share
//! of all clocks in which it is busy. A FIFO of 16 places takes 14, those that instructions under way may need among them.
//! `cargo run --release -p testbenches --example queue [SCHEME]...`

use retire::FlowEvent;
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

/// A field: which one, its value, and its bits where they are fixed.
type Sent = (Field, u64, Option<u32>);

/// Notes the fields of messages.
#[derive(Clone, Default)]
struct Spy(Rc<RefCell<Vec<Sent>>>);

impl Code for Spy {
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

/// How a coder does it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A chunk a clock.
    Chunk,
    /// Two bits of a number a clock.
    Pair,
    /// A bit a clock.
    Bit,
    /// Two bits a clock of a field that stays in the FIFO, for all digits of an address twice.
    Walk,
}

const WAYS: [(&str, Way); 4] =
    [("a chunk", Way::Chunk), ("two bits", Way::Pair), ("a bit", Way::Bit), ("two bits out of the FIFO", Way::Walk)];

/// Clocks of a field of 31 or fewer bits; `sign` of an address, that it is negative.
fn clocks(way: Way, chunks: Chunks, value: u64, sign: Option<bool>) -> u64 {
    let (first, next) = (u64::from(chunks.first), u64::from(chunks.next));
    let more = u64::from(64 - value.leading_zeros()).saturating_sub(first).div_ceil(next);
    let pairs = (first + more * next).div_ceil(2);
    let digits = if sign.is_some() { 8 } else { 0 };
    let negative = if sign == Some(true) { 8 } else { 0 };
    match way {
        Way::Chunk => 2 + digits + negative + 1 + more,
        Way::Pair if value == 0 && sign.is_none() => 2,
        Way::Pair => 1 + u64::from(first < 3) + digits + negative + pairs,
        Way::Bit => 1 + if sign.is_some() { 31 } else { 0 } + first + more * next + 1 + more,
        Way::Walk if sign.is_some() => 2 + 8 + pairs + (16 - pairs.min(16)) / 2,
        // of a larger count its highest digit is looked for
        Way::Walk => 2 + pairs + if value < 16 { 0 } else { 6 },
    }
}

fn entry(way: Way, coding: &Coding, fields: &[Sent]) -> u64 {
    let of = |(i, &(field, value, bits)): (usize, &Sent)| match (field, bits) {
        (Field::Core | Field::Sign, _) => 0,
        (_, Some(bits)) => {
            if way == Way::Bit {
                1 + u64::from(bits)
            } else {
                3
            }
        }
        (Field::DiffTa, None) => clocks(way, coding.diff_ta, value, Some(fields[i + 1].1 == 1)),
        (Field::Count, None) => clocks(way, coding.b_cnt, value, None),
        (_, None) => clocks(way, coding.i_cnt, value, None),
    };
    1 + fields.iter().enumerate().map(of).sum::<u64>()
}

fn main() {
    let mut schemes: Vec<String> = std::env::args().skip(1).collect();
    if schemes.is_empty() {
        schemes = ["tr_e:small", "tr_e:medium", "tr_e:large"].map(String::from).to_vec();
    }
    for name in schemes {
        let params = TraceParams::new(Platform::RV32, name.parse().expect("a scheme such as tr_e:small"));
        let FlowScheme::Tr(scheme) = &params.flow else { panic!("{name} is no set of T-raptor") };
        println!("\n| {name} |{}", WAYS.map(|(way, _)| format!(" {way} |")).concat());
        println!("| --- |{}", " ---: |".repeat(WAYS.len()));
        for info in programs::PROGRAMS {
            let (events, _): (Vec<FlowEvent>, _) = run(&info.load().expect("a built-in program"), 1, INSTRUCTIONS);
            let (spy, mut out) = (Spy::default(), BitWriter::new());
            let Cores { mut lanes, .. } = Cores::new(scheme, &params.platform);
            let mut writer = Writer::new(&params.platform, spy.clone());
            let mut entries = Vec::new();
            for e in &events {
                lanes[0].offer(&[*e], false, &mut |m: &Message| writer.encode(m, &mut out));
                let fields = spy.0.take();
                if !fields.is_empty() {
                    entries.push((e.cycle, fields));
                }
            }
            let all = events.last().map_or(1, |e| e.cycle.max(1));
            let cells = WAYS.map(|(_, way)| {
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
