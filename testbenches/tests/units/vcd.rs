//! VCDs written by the driver, read back: the changes of signals are those that the bench saw

use hdl::LogicBlock;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use testbenches::driver::{Driver, CYCLE_PS};

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Mood {
    Calm,
    Busy,
    Full,
}

/// Adds `a` to a total while `on`; `mood` follows.
#[derive(LogicBlock, Default)]
struct Adder {
    pub clock: Signal<In, Clock>,
    pub on: Signal<In, Bit>,
    pub a: Signal<In, Bits<8>>,
    pub total: Signal<Out, Bits<40>>,
    sum: DFF<Bits<40>>,
    mood: DFF<Mood>,
}

impl Logic for Adder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sum, mood);
        if self.on.val() {
            self.sum.d.next = self.sum.q.val() + bit_cast::<40, 8>(self.a.val());
        }
        match self.mood.q.val() {
            Mood::Calm => {
                if self.on.val() {
                    self.mood.d.next = Mood::Busy;
                }
            }
            Mood::Busy => {
                self.mood.d.next = Mood::Full;
            }
            Mood::Full => {
                self.mood.d.next = Mood::Calm;
            }
        }
        self.total.next = self.sum.q.val();
    }
}

/// A writer whose bytes can be read back.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Changes of `on`, `total` and `mood`: time in ps, value.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    on: Vec<(u64, u64)>,
    total: Vec<(u64, u64)>,
    mood: Vec<(u64, String)>,
}

fn note<T: PartialEq>(list: &mut Vec<(u64, T)>, time: u64, value: T) {
    if list.last().is_none_or(|(_, last)| *last != value) {
        list.push((time, value));
    }
}

/// 400 cycles of random input; returns the VCD and what the bench saw.
fn run() -> (Vec<u8>, Seen) {
    let file = Shared::default();
    let mut d = Driver::with_vcd(Adder::default(), |u, c| u.clock.next = c.into(), file.clone()).unwrap();
    let mut s = Source::seeded(1);
    let mut seen = Seen::default();
    let mut look = |u: &Adder, time| {
        note(&mut seen.on, time, u64::from(u.on.val()));
        note(&mut seen.total, time, u64::from(u.total.val()));
        note(&mut seen.mood, time, format!("{:?}", u.mood.q.val()));
    };
    look(&d.uut, 0);
    for cycle in 0..400 {
        d.uut.on.next = s.percent(40);
        d.uut.a.next = s.bits(8).to_bits();
        d.low().unwrap();
        look(&d.uut, cycle * CYCLE_PS);
        d.high().unwrap();
        look(&d.uut, cycle * CYCLE_PS + CYCLE_PS / 2);
    }
    d.finish_vcd().unwrap();
    let bytes = file.0.lock().unwrap().clone();
    assert!(seen.on.len() > 100 && seen.total.len() > 100 && seen.mood.len() > 100);
    (bytes, seen)
}

#[test]
fn the_vcd_crate_reads_back_every_change() {
    let (bytes, seen) = run();
    let mut parser = vcd::Parser::new(&bytes[..]);
    let header = parser.parse_header().unwrap();
    assert_eq!(header.timescale, Some((1, vcd::TimescaleUnit::PS)));
    let code = |path: &[&str]| header.find_var(path).unwrap_or_else(|| panic!("no {path:?}")).code;
    let (on, total, mood) = (code(&["uut", "on"]), code(&["uut", "total"]), code(&["uut", "mood", "q"]));
    let (mut read, mut time) = (Seen::default(), 0);
    for command in parser {
        match command.unwrap() {
            vcd::Command::Timestamp(t) => time = t,
            vcd::Command::ChangeScalar(id, v) if id == on => note(&mut read.on, time, (v == vcd::Value::V1).into()),
            vcd::Command::ChangeVector(id, v) if id == total => {
                let value = v.iter().fold(0, |n, bit| n << 1 | u64::from(bit == vcd::Value::V1));
                note(&mut read.total, time, value);
            }
            vcd::Command::ChangeString(id, v) if id == mood => note(&mut read.mood, time, v),
            _ => {}
        }
    }
    assert_eq!(read, seen);
    assert_eq!(time, 400 * CYCLE_PS);
}

#[test]
fn wellen_reads_back_every_change() {
    let (bytes, seen) = run();
    let mut wave = wellen::simple::read_from_reader(Cursor::new(bytes)).unwrap();
    let mut changes = |path: &[&str], name: &str| -> Vec<(u64, String)> {
        let var = wave.hierarchy().lookup_var(path, name).unwrap_or_else(|| panic!("no {path:?} {name}"));
        let signal = wave.hierarchy()[var].signal_ref();
        wave.load_signals(&[signal]);
        let times = wave.time_table();
        let mut list = Vec::new();
        for (index, value) in wave.get_signal(signal).unwrap().iter_changes() {
            note(&mut list, times[index as usize], value.to_string());
        }
        list
    };
    let bits = |list: Vec<(u64, String)>| -> Vec<(u64, u64)> {
        list.into_iter().map(|(t, v)| (t, u64::from_str_radix(&v, 2).unwrap())).collect()
    };
    let read = Seen {
        on: bits(changes(&["uut"], "on")),
        total: bits(changes(&["uut"], "total")),
        mood: changes(&["uut", "mood"], "q"),
    };
    assert_eq!(read, seen);
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    assert_eq!(run().0, run().0);
}

/// A writer that accepts 10,000 bytes, then is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > 10_000 {
            return Err(io::Error::other("disk full"));
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_not_a_panic() {
    let mut d = Driver::with_vcd(Adder::default(), |u, c| u.clock.next = c.into(), Full(0)).unwrap();
    let mut result = Ok(());
    for cycle in 0..2000_u64 {
        d.uut.a.next = (cycle & 0xff).to_bits();
        d.uut.on.next = true;
        result = d.clock();
        if result.is_err() {
            break;
        }
    }
    assert_eq!(result.unwrap_err().to_string(), "vcd: disk full");
}
