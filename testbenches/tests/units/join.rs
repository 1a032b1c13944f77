//! `hdl/src/spine/{join,trace_framer}.rs` against queues: a plain encoder stands where a scheme's does
//!
//! The encoder here reads every field of each entry, sends the eight lowest bits of each in two slices, and signals
//! which entries are stop messages.

use fpga::cosim::Cosim;
use hdl::spine::entry::{EntryLayout, CONTROL_STOP, PRE_CONTROL};
use hdl::spine::join::Spine;
use hdl::spine::Extras;
use rust_hdl::prelude::*;
use sim::bits::BitWriter;
use sim::params::{TrParams, TraceParams};
use sim::regs::REGS;
use sim::stimulus::Source;
use sim::system::header;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::entry::Entry;
use testbenches::gates::emit_checked_system;

fn params(cores: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).timed().with(|p| p.cores = cores)
}

/// State of the encoder.
#[derive(Clone, Copy, Debug)]
enum Step {
    Wait,
    Read(u8),
    /// From which bit on, and how many.
    Send(u8, u8),
    Done,
}

struct Bench {
    d: Driver<Spine<32>>,
    p: TraceParams,
    s: Source,
    step: Step,
    /// Entries in order, with their cores.
    order: VecDeque<(usize, Entry)>,
    /// Bits of each accepted entry; words received.
    sent: BitWriter,
    got: Vec<u32>,
    /// Inputs of the front ends: enable, stop_go, full.
    seen: (bool, bool, Vec<bool>),
    taken: u64,
    /// Cycles in which the encoder reads a word; in others it is undefined.
    reads: Vec<bool>,
}

/// Inputs of the spine in one cycle, apart from entries and the encoder.
#[derive(Clone, Debug, Default)]
struct Inputs {
    bus: (u64, Option<u64>),
    ready: bool,
    stop_ready: bool,
    lost: usize,
    loses: usize,
    entries: Vec<(usize, Entry)>,
}

/// Addresses come together with the entry; `event_fifo.rs` and all systems have early ones.
fn layout(p: &TraceParams) -> EntryLayout {
    EntryLayout { early: false, ..EntryLayout::new(p) }
}

fn address(name: &str) -> u64 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

impl Bench {
    fn new(cores: u8, log2_depth: usize) -> Self {
        let p = params(cores);
        let spine = Spine::<32>::with(&p, &layout(&p), log2_depth, Extras::NONE);
        let d = Driver::new(spine, |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut sent = BitWriter::new();
        header(&p).iter().for_each(|w| sent.push((*w).into(), 32));
        let s = Source::seeded(cores.into());
        let seen = (false, false, vec![false; cores.into()]);
        Self {
            d,
            p,
            s,
            step: Step::Wait,
            order: VecDeque::new(),
            sent,
            got: Vec::new(),
            seen,
            taken: 0,
            reads: Vec::new(),
        }
    }

    fn word(&self, e: &Entry, field: u8) -> u64 {
        match field {
            0 => u64::from(e.bcnt) | u64::from(e.pre | e.post << 2) << self.p.count_bits,
            1 => e.icnt.into(),
            2 => e.pc,
            _ => e.target,
        }
    }

    /// Runs one cycle; returns the read data of the bus.
    fn cycle(&mut self, i: &Inputs) -> u64 {
        let (step, cores) = (self.step, self.seen.2.len());
        let oldest = self.order.front().copied();
        let take_word = self.s.percent(30);
        let (have, core, word, cc, ready, valid, data, bus, seen) = self
            .d
            .cycle(
                |u| {
                    u.bus.addr.next = i.bus.0.to_bits();
                    u.bus.write.next = i.bus.1.is_some();
                    u.bus.wdata.next = i.bus.1.unwrap_or(0).to_bits();
                    u.words.ready.next = take_word;
                    for c in 0..cores {
                        u.control[c].ready.next = i.ready;
                        u.control[c].stop_ready.next = i.stop_ready;
                        u.control[c].lost.next = i.lost >> c & 1 == 1;
                        u.control[c].loses.next = i.loses >> c & 1 == 1;
                        u.entry[c].push.next = false;
                    }
                    for (c, e) in &i.entries {
                        let port = &mut u.entry[*c];
                        port.push.next = true;
                        port.pre.next = u64::from(e.pre).to_bits();
                        port.post.next = u64::from(e.post).to_bits();
                        port.icnt.next = u64::from(e.icnt).to_bits();
                        port.bcnt.next = u64::from(e.bcnt).to_bits();
                        port.pc.next = e.pc.to_bits();
                        port.target.next = e.target.to_bits();
                        port.cc.next = u64::from(e.cc).to_bits();
                        port.hist.next = 0.into();
                    }
                    let field = if let Step::Read(k) = step { (k + 1).min(3) } else { 0 };
                    u.read.field.next = u64::from(field).to_bits();
                    u.read.done.next = matches!(step, Step::Done);
                    u.read.ends.next = oldest.is_some_and(|(_, e)| (e.pre, e.post) == (PRE_CONTROL, CONTROL_STOP));
                    u.coded.valid.next = matches!(step, Step::Send(..));
                    u.coded.busy.next = matches!(step, Step::Send(..));
                    if let (Step::Send(k, n), Some((_, e))) = (step, oldest) {
                        u.coded.count.next = u64::from(n).to_bits();
                        u.coded.data.next = u64::from(e.bcnt >> k & ((1 << n) - 1)).to_bits();
                    }
                },
                |u| {
                    (
                        u.read.have.val(),
                        u.read.core.val().index(),
                        u.read.word.val().to_u64(),
                        u.read.cc.val().to_u64(),
                        u.coded.ready.val(),
                        u.words.valid.val(),
                        u.words.data.val().to_u64() as u32,
                        u.bus.rdata.val().to_u64(),
                        (
                            u.control[0].enable.val(),
                            u.control[0].stop_go.val(),
                            u.control.iter().map(|c| c.full.val()).collect(),
                        ),
                    )
                },
            )
            .unwrap();
        self.seen = seen;
        self.reads.push(matches!(step, Step::Read(_)));
        if valid && take_word {
            self.got.push(data);
        }
        let place = format!("{cores} cores, cycle {}, {step:?}", self.d.cycles());
        self.step = match step {
            Step::Wait if have => Step::Read(0),
            Step::Wait => Step::Wait,
            Step::Read(k) => {
                let (from, e) = oldest.unwrap_or_else(|| panic!("{place}: nothing was pushed"));
                assert_eq!(core, from, "{place}: core");
                assert_eq!((word, cc), (self.word(&e, k), e.cc.into()), "{place}: {e:x?}");
                if k == 3 {
                    Step::Send(0, 1 + self.s.below(8) as u8)
                } else {
                    Step::Read(k + 1)
                }
            }
            Step::Send(k, n) if !ready => Step::Send(k, n),
            Step::Send(k, n) if k + n == 8 => Step::Done,
            Step::Send(k, n) => Step::Send(k + n, 8 - k - n),
            Step::Done => {
                let (_, e) = self.order.pop_front().unwrap();
                self.sent.push(u64::from(e.bcnt) & 0xff, 8);
                self.taken += 1;
                Step::Wait
            }
        };
        self.order.extend(&i.entries);
        bus
    }

    fn entry(&mut self) -> Entry {
        let count = self.p.count_bits.into();
        let address = self.p.address_bits();
        Entry {
            pre: self.s.below(3) as u8,
            post: self.s.bits(2) as u8,
            icnt: self.s.bits(count) as u32,
            bcnt: self.s.bits(count) as u32,
            pc: self.s.bits(address),
            target: self.s.bits(address),
            cc: self.s.bits(self.p.cc_bits.into()) as u32,
            context: 0,
            resync_pc: 0,
        }
    }

    fn read(&mut self, name: &str, i: &Inputs) -> u64 {
        let at = Inputs { bus: (address(name), None), ..i.clone() };
        self.cycle(&at);
        self.cycle(&at)
    }

    /// Runs a trace, with entries pushed in `percent` percent of cycles by each core, and checks the result.
    fn session(&mut self, clocks: u64, percent: u8) {
        let cores = self.seen.2.len();
        let idle = Inputs { ready: true, ..Inputs::default() };
        assert_eq!(self.read("status", &idle) & 7, 1 | 4, "ready and idle");
        self.cycle(&Inputs { bus: (address("control"), Some(1)), ..idle.clone() });
        for _ in 0..8 {
            self.cycle(&idle);
        }
        assert!(self.seen.0, "the front ends trace");
        for _ in 0..clocks {
            let mut entries = Vec::new();
            for c in 0..cores {
                if self.s.percent(percent) && !self.seen.2[c] {
                    entries.push((c, self.entry()));
                }
            }
            self.cycle(&Inputs { entries, ..idle.clone() });
        }
        self.cycle(&Inputs { bus: (address("control"), Some(0)), ..idle.clone() });
        self.cycle(&idle);
        self.cycle(&idle);
        assert!(!self.seen.0, "the front ends stop");
        while !self.order.is_empty() {
            self.cycle(&idle);
            assert!(!self.seen.1, "no core is ready to stop");
        }
        self.cycle(&Inputs { stop_ready: true, ..idle.clone() });
        assert!(self.seen.1, "all are");
        let stop = Entry { pre: PRE_CONTROL, post: CONTROL_STOP, bcnt: 0xa5, ..Entry::default() };
        self.cycle(&Inputs { entries: (0..cores).map(|c| (c, stop)).collect(), ..idle.clone() });
        let mut clocks = 0;
        while self.read("status", &idle) & 4 == 0 {
            clocks += 1;
            assert!(clocks < 5_000, "{cores} cores: never idle again");
        }
        self.sent.pad();
    }

    /// Checks the emitted Verilog with the same inputs, and random contents of all memories.
    fn check_verilog(&self) {
        let cosim = Cosim::of_block(&self.d.uut).unwrap().with_random_state(3);
        let inputs: Vec<_> = self.d.record().iter().map(|(i, _)| i.clone()).collect();
        for (cycle, (got, (_, want))) in cosim.run_all(&inputs).unwrap().iter().zip(self.d.record()).enumerate() {
            for (i, port) in cosim.outputs().iter().enumerate() {
                let defined = self.reads[cycle] || !matches!(port.name.as_str(), "read$word" | "read$cc");
                assert!(
                    !defined || got[i] == want[i],
                    "Verilog, cycle {cycle}, {}: {} for {}",
                    port.name,
                    got[i],
                    want[i]
                );
            }
        }
    }

    fn check(&mut self) {
        let want: Vec<u32> = self.sent.drain().collect();
        assert_eq!(self.got, want, "{} cores: words", self.seen.2.len());
    }
}

#[test]
fn entries_of_all_cores_come_in_order_and_become_words() {
    for (cores, log2_depth, percent) in [(1, 3, 30), (2, 4, 20), (3, 3, 10), (4, 5, 60), (8, 3, 3)] {
        let mut b = Bench::new(cores, log2_depth);
        b.session(6_000, percent);
        assert!(b.taken > 200, "{cores} cores: {} entries", b.taken);
        b.check();
        b.check_verilog();
    }
}

#[test]
fn a_second_trace_begins_with_a_header_of_its_own() {
    let mut b = Bench::new(2, 3);
    b.session(300, 10);
    let p = b.p;
    header(&p).iter().for_each(|w| b.sent.push((*w).into(), 32));
    b.session(0, 0);
    b.check();
    b.check_verilog();
}

#[test]
fn lost_messages_are_noted_by_core() {
    let mut b = Bench::new(4, 3);
    b.cycle(&Inputs { lost: 0b0100, ..Inputs::default() });
    b.cycle(&Inputs { lost: 0b0001, ..Inputs::default() });
    assert_eq!(b.read("overflow", &Inputs::default()), 0b0101);
    assert_eq!(b.read("status", &Inputs::default()) & 1, 0, "no front end is ready");
}

/// Losses of all cores are counted from the start of a trace.
#[test]
fn lost_instructions_are_counted() {
    let p = params(4);
    let extras = Extras { lost: true, ..Extras::default() };
    let mut b = Bench::new(4, 3);
    b.d =
        Driver::new(Spine::<32>::with(&p, &layout(&p), 3, extras), |u, c| u.clock.next = c.into()).unwrap().recording();
    let idle = Inputs { ready: true, ..Inputs::default() };
    b.cycle(&Inputs { loses: 0b1111, ..idle.clone() });
    // counted one cycle later
    b.cycle(&idle);
    assert_eq!(b.read("status", &idle) >> 8, 4);
    b.cycle(&Inputs { bus: (address("control"), Some(1)), ..idle.clone() });
    for _ in 0..8 {
        b.cycle(&idle);
    }
    assert_eq!(b.read("status", &idle) >> 8, 0, "a new trace");
    let mut want = 0;
    for clock in 0..500_u64 {
        let loses = b.s.bits(4) as usize & if clock % 3 == 0 { 15 } else { 5 };
        want += u64::from(loses.count_ones());
        b.cycle(&Inputs { loses, ..idle.clone() });
    }
    b.cycle(&idle);
    assert_eq!(b.read("status", &idle) >> 8, want);
    b.check_verilog();
}

#[test]
fn spines_pass_the_static_gates() {
    for cores in [1, 4] {
        let p = params(cores);
        emit_checked_system(&mut Spine::<32>::with(&p, &layout(&p), 8, Extras::NONE)).unwrap();
    }
}
