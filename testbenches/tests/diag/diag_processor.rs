//! `hdl/src/diag/processor/{dma,node}.rs` against the golden processor
//!
//! Random packets come word by word with gaps, and are accepted in random cycles; handlers send, take their time, hang
//! and fail. Outgoing packets, responses, reported losses and registers match `sim::diag::processor::node` for the same
//! packets, with resets in any cycle, with more packets than slots, and with handlers of random instructions.

use crate::diag_harness::code::instruction;
use crate::diag_harness::{check_verilog, random_event};
use hdl::diag::processor::node::Processor as Circuit;
use retire::elf::Program;
use rust_hdl::prelude::*;
use sim::diag::packet::{Args, Body, Event, Op, Packet, HOST};
use sim::diag::processor::node::{start, Processor};
use sim::diag::processor::{MEMORY, RAM_BYTES, SLOTS};
use sim::diag::registers::{Writes, CONTROL};
use sim::stimulus::{rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

const ADDRESS: u8 = 20;

fn image(name: &str) -> Vec<u8> {
    let program = Program::parse(programs::handlers(name).unwrap()).unwrap();
    let mut bytes = vec![0; RAM_BYTES as usize];
    for s in &program.segments {
        bytes[s.addr as usize..][..s.data.len()].copy_from_slice(&s.data);
    }
    bytes
}

/// The packet as the processor sends it; the router fills in the source.
fn unsent(packet: &Packet) -> Packet {
    Packet { src: 0, ..packet.clone() }
}

struct Bench {
    d: Driver<Circuit>,
    s: Source,
    golden: Processor,
    /// Words of packets on their way to the processor, and the current packet.
    come: VecDeque<Vec<u16>>,
    word: usize,
    events: VecDeque<Packet>,
    answers: VecDeque<Packet>,
    sent: Vec<u16>,
    told: u64,
    takes: u8,
    gaps: u8,
    /// Packets, events that came back, aborted handlers reported, cycles in which a word had to wait.
    counts: [u64; 4],
    /// Whether all registers are compared, but for the count of packets that waited; that count.
    exact: bool,
    full: u16,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let d = Driver::new(Circuit::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut bench = Self {
            d,
            s: Source::seeded(seed),
            golden: Processor::new(ADDRESS),
            come: VecDeque::new(),
            word: 0,
            events: VecDeque::new(),
            answers: VecDeque::new(),
            sent: Vec::new(),
            told: 0,
            takes: 80,
            gaps: 20,
            counts: [0; 4],
            exact: false,
            full: 0,
        };
        bench.reset();
        bench
    }

    fn reset(&mut self) {
        self.clock(true);
        // a reset does not change memory
        self.golden = Processor::new(ADDRESS);
        (self.come, self.word, self.events, self.answers, self.sent, self.told) = Default::default();
    }

    fn clock(&mut self, reset: bool) {
        let (gap, take, noise) = (self.s.percent(self.gaps), self.s.percent(self.takes), self.s.bits(16));
        let word = self.come.front().map(|p| p[self.word]).filter(|_| !gap);
        let (ready, put) = self
            .d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.got.valid.next = word.is_some();
                    u.got.word.next = word.map_or(noise, u64::from).to_bits();
                    u.put.ready.next = take;
                },
                |u| (u.got.ready.val(), u.put.valid.val().then(|| u.put.word.val().to_u64() as u16)),
            )
            .unwrap();
        if reset {
            return;
        }
        if word.is_some() && ready {
            self.word += 1;
            if self.word == self.come[0].len() {
                self.word = 0;
                let packet = self.come.pop_front().unwrap();
                self.counts[0] += 1;
                self.answers.extend(self.golden.take(&packet));
                let mut out = Vec::new();
                self.golden.run(0, false, &mut out);
                for p in out {
                    if matches!(p.body, Body::Event(_)) {
                        self.events.push_back(p);
                    } else {
                        self.answers.push_back(p);
                    }
                }
            }
        } else if word.is_some() {
            self.counts[3] += 1;
        }
        if let (Some(word), true) = (put, take) {
            self.sent.push(word);
            if self.sent.len() == usize::from(self.sent[0] >> 12) + 2 {
                let mut found = Packet::parse(&std::mem::take(&mut self.sent)).expect("a packet");
                let place = format!("cycle {}", self.d.cycles());
                let want = if let Body::Event(e) = &mut found.body {
                    self.told += u64::from(std::mem::take(&mut e.lost));
                    self.counts[1 + usize::from(e.id == 254)] += 1;
                    self.events.pop_front()
                } else {
                    self.answers.pop_front()
                };
                let want = want.unwrap_or_else(|| panic!("{place}: {found:x?} is too much"));
                // registers that change by themselves are not compared
                if let (Body::Control { op: Op::ReadData, data: found, .. }, Body::Control { data: want, .. }) =
                    (&found.body, &want.body)
                {
                    assert_eq!(found.len(), want.len(), "{place}");
                    if self.exact {
                        self.full = found[7];
                        assert_eq!((&found[..7], found[8]), (&want[..7], want[8]), "{place}: registers");
                    }
                } else {
                    assert_eq!(found, unsent(&want), "{place}");
                }
            }
        }
    }

    /// Runs until all that the golden processor has is sent and answered, and for `more` cycles.
    fn drain(&mut self, more: u64) {
        for _ in 0..400_000 {
            if self.come.is_empty() && self.events.is_empty() && self.answers.is_empty() {
                break;
            }
            self.clock(false);
        }
        let left = (self.come.len(), &self.events, &self.answers);
        assert!(self.come.is_empty() && self.events.is_empty() && self.answers.is_empty(), "never sent: {left:?}");
        (0..more).for_each(|_| self.clock(false));
        assert_eq!(self.sent, [0; 0], "half a packet");
    }

    fn write(&mut self, writes: &Writes) {
        self.come.extend(::diag::load::write(ADDRESS, writes).iter().map(Packet::to_words));
        self.drain(0);
    }

    /// Compares registers while nothing is in progress, but for the count of packets that waited; all losses must have
    /// been reported.
    fn settle(&mut self) {
        self.drain(3_000);
        self.settle_registers();
        if self.golden.is_running() {
            let e = Event { id: 0, args: Args::of(&[1]), ..Event::default() };
            self.come.push_back(Packet::event(2, ADDRESS, e).to_words());
            self.drain(3_000);
            assert_eq!(self.told, self.golden.unreported(), "cycle {}: lost events", self.d.cycles());
        }
    }

    fn settle_registers(&mut self) {
        self.exact = true;
        self.come.push_back(Packet::control(HOST, ADDRESS, Op::Read, 0, &[9]).to_words());
        self.drain(0);
        self.exact = false;
    }

    fn packet(&mut self) -> Vec<u16> {
        let s = &mut self.s;
        let data = |s: &mut Source, n: u64| (0..n).map(|_| s.bits(16) as u16).collect::<Vec<_>>();
        let src = *s.pick(&[HOST, 3, 40]);
        match s.below(40) {
            0 => {
                let (first, n) = (s.below(11) as u16, s.below(11) as u16);
                Packet::control(src, ADDRESS, Op::Read, first, &[n]).to_words()
            }
            1 => {
                // of the writable addresses only memory, which is not written now
                let (n, addr) =
                    (s.below(15), if s.percent(50) { s.below(2) as u16 } else { MEMORY + s.bits(9) as u16 });
                let n = if addr < 2 { n.min(1) } else { n };
                Packet::control(src, ADDRESS, Op::Write, addr, &data(s, n)).to_words()
            }
            2 => {
                let n = s.below(3);
                Packet::control(src, ADDRESS, Op::Flush, s.bits(12) as u16, &data(s, n)).to_words()
            }
            3 => {
                let op = *s.pick(&[Op::ReadData, Op::Written, Op::Error, Op::Time]);
                let n = s.below(4);
                Packet::control(src, ADDRESS, op, 0, &data(s, n)).to_words()
            }
            4 => {
                let n = s.below(15);
                let mut words = vec![(n as u16) << 12, *s.pick(&[0xf000, 0x2000, 0x6000, 0x1003, 0x5001, 0x0002])];
                words.extend(data(s, n));
                words
            }
            _ => {
                let mut e = random_event(s, 2);
                e.id = if s.percent(85) { e.id } else { s.below(6) as u8 };
                e.lost = if s.percent(70) || e.words() > 15 { 0 } else { s.below(2_000) as u16 };
                Packet::event(src, ADDRESS, e).to_words()
            }
        }
    }
}

#[test]
fn handlers_do_what_the_golden_processor_does() {
    let mut bench = Bench::new(51);
    let program = start(&image("chaos"), 64);
    for round in 0..rounds(4, 60) {
        bench.write(&program);
        (bench.takes, bench.gaps) = *bench.s.pick(&[(100, 0), (30, 10), (80, 80)]);
        for _ in 0..40 {
            let packet = bench.packet();
            bench.come.push_back(packet);
        }
        if round % 3 == 1 {
            let clocks = bench.s.between(200, 4_000);
            (0..clocks).for_each(|_| bench.clock(false));
            bench.reset();
        } else {
            bench.settle();
        }
    }
    println!("packets, events, handlers ended, waits: {:?} in {} clocks", bench.counts, bench.d.cycles());
    assert!(bench.counts.iter().zip([80, 60, 6, 200]).all(|(n, least)| *n > least), "{:?}", bench.counts);
    check_verilog(&bench.d, 51);
}

#[test]
fn more_events_than_slots_wait_and_are_not_lost() {
    let mut bench = Bench::new(52);
    bench.write(&start(&image("chaos"), 200));
    (bench.takes, bench.gaps) = (20, 0);
    for n in 0..3 * SLOTS as u32 {
        let e = Event { id: u8::from(n == 0) * 2, args: Args::of(&[3, n]), ..Event::default() };
        bench.come.push_back(Packet::event(2, ADDRESS, e).to_words());
    }
    bench.settle();
    assert!(bench.counts[3] > 1_000 && bench.full > 10 && bench.full <= 3 * SLOTS as u16, "{} waited", bench.full);
    assert_eq!((bench.golden.trips(), bench.golden.register(4)), (1, 3 * SLOTS as u16));
}

#[test]
fn what_does_not_run_drops_and_counts() {
    let mut bench = Bench::new(53);
    let echo = Event { id: 0, lost: 5, args: Args::of(&[1]), ..Event::default() };
    let send = |bench: &mut Bench| bench.come.push_back(Packet::event(2, ADDRESS, echo).to_words());
    (0..3).for_each(|_| send(&mut bench));
    bench.come.push_back(Packet::control(HOST, ADDRESS, Op::Flush, 0, &[7]).to_words());
    bench.settle();
    assert_eq!((bench.golden.dropped(), bench.golden.unreported()), (3, 18));
    // an invalid program is stopped at once, which is reported to the host; then a working one reports earlier losses
    bench.write(&vec![(MEMORY, 0), (MEMORY + 1, 0), (CONTROL, 1)]);
    send(&mut bench);
    bench.settle();
    assert!(!bench.golden.is_running() && bench.golden.trips() == 1);
    bench.write(&start(&image("chaos"), 0));
    send(&mut bench);
    bench.settle();
    assert_eq!((bench.told, bench.golden.register(4)), (29, 2));
}

/// A handler that takes an event, forwards it, and then does anything.
fn random_handler(s: &mut Source) -> Vec<u8> {
    let lui = |rd: u32, high: u32| high << 12 | rd << 7 | 0x37;
    let store = |rs2: u32, rs1: u32, offset: u32| rs2 << 20 | rs1 << 15 | 2 << 12 | offset << 7 | 0x23;
    let load = |rd: u32, rs1: u32, offset: u32| offset << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x03;
    let mut words = vec![lui(1, 0x30), load(3, 1, 0), load(4, 3, 0), load(5, 3, 8), load(6, 3, 12)];
    words.extend((7..32).map(|r| lui(r, s.bits(20) as u32)));
    // all words of the event to send, which a reset does not clear; x4 has source and losses
    words.push(lui(3, 0x20));
    words.extend([7, 8, 5, 6, 4, 9, 10, 11].iter().zip(0..).map(|(r, n)| store(*r, 3, 4 * n)));
    // two valid addresses: in the code below, and after it
    words.extend([1, 2].map(|r| (r * 512) << 20 | r << 7 | 0x13));
    words.extend((0..40).map(|_| instruction(s)));
    words.extend([lui(1, 0x30), (s.below(8) as u32 * 0x10_0000) | 8 << 7 | 0x13, store(8, 1, 0)]);
    let back = (-4 * words.len() as i32) as u32;
    words.push((back >> 20 & 1) << 31 | (back >> 1 & 0x3ff) << 21 | (back >> 11 & 1) << 20 | back & 0xff000 | 0x6f);
    words.resize_with(RAM_BYTES as usize / 4, || instruction(s));
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[test]
fn handlers_of_random_instructions_cost_nothing_but_themselves() {
    let mut bench = Bench::new(54);
    let (mut stopped, mut handled) = (0, 0);
    for _ in 0..rounds(8, 200) {
        let code = random_handler(&mut bench.s);
        let watchdog = bench.s.between(4, 8) as u16;
        bench.write(&start(&code, watchdog));
        for _ in 0..6 {
            let e = random_event(&mut bench.s, 256);
            bench.come.push_back(Packet::event(2, ADDRESS, e).to_words());
            bench.drain(600);
        }
        bench.settle_registers();
        handled += bench.golden.register(4);
        stopped += u16::from(!bench.golden.is_running());
    }
    println!("{handled} handled, {stopped} stopped, {:?} in {} clocks", bench.counts, bench.d.cycles());
    assert!(handled > 5 && bench.counts[2] > 5, "{handled} handled, {:?}", bench.counts);
    check_verilog(&bench.d, 54);
}

#[test]
fn the_processor_passes_the_static_gates() {
    emit_checked(&mut Circuit::new()).unwrap();
}
