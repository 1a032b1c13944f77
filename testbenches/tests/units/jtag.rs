//! `hdl/src/bus/jtag/{tap,dtm,drain,port}.rs` against `sim::jtag`, clock by clock
//!
//! A host scans instructions and data registers of right and wrong lengths, rests, walks at random and resets; TCK has
//! phases of four or more cycles, of varying length. Registers and trace words are connected to the other side.

use hdl::bus::jtag::port::{Jtag, JtagWords};
use rust_hdl::prelude::*;
use sim::jtag::{Action, JtagPort, State, BYPASS_IR, DMIRESET, DMI_IR, DTMCS_IR, IDCODE_IR, READ, WORDS_IR, WRITE};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Inputs of a cycle: reset, TCK, TMS, TDI, TRST, read data, a word.
#[derive(Clone, Copy, Default)]
struct In {
    reset: bool,
    pins: [bool; 4],
    rdata: u32,
    word: Option<u32>,
}

/// Outputs of a cycle: TDO while it is driven, the register bus, whether a word is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Out {
    tdo: Option<bool>,
    bus: (u32, bool, u32),
    taken: bool,
}

/// TMS and TDI of the next TCK cycles.
struct Host {
    bits: VecDeque<(bool, bool)>,
    state: State,
    ir: u32,
}

impl Host {
    fn push(&mut self, tms: bool, tdi: bool) {
        self.bits.push_back((tms, tdi));
        self.state = self.state.next(tms);
    }

    /// Goes to a state by the shortest path.
    fn go(&mut self, to: State, s: &mut Source) {
        let mut ways = VecDeque::from([(self.state, Vec::new())]);
        let way = loop {
            let (at, way) = ways.pop_front().unwrap();
            if at == to {
                break way;
            }
            for tms in [false, true] {
                let mut longer = way.clone();
                longer.push(tms);
                ways.push_back((at.next(tms), longer));
            }
        };
        way.into_iter().for_each(|tms| self.push(tms, s.percent(50)));
    }

    /// Shifts `bits` of `value` and updates, sometimes with a pause in the middle.
    fn scan(&mut self, ir: bool, value: u64, bits: u32, s: &mut Source) {
        let (shift, pause, update) = match ir {
            true => (State::ShiftIr, State::PauseIr, State::UpdateIr),
            false => (State::ShiftDr, State::PauseDr, State::UpdateDr),
        };
        self.go(State::RunTestIdle, s);
        self.go(shift, s);
        let rest = s.percent(20).then(|| s.below(u64::from(bits)) as u32);
        for i in 0..bits {
            let last = i + 1 == bits || rest == Some(i);
            self.push(last, value >> i & 1 != 0);
            if last && i + 1 != bits {
                self.go(pause, s);
                self.go(shift, s);
            }
        }
        // a scan may end in a reset instead of the update
        self.go(if s.percent(4) { State::TestLogicReset } else { update }, s);
        self.go(State::RunTestIdle, s);
    }

    /// Scans the data register of the current instruction.
    fn data(&mut self, s: &mut Source) {
        let op = [0, READ, READ, WRITE, WRITE, 3][s.below(6) as usize];
        let address = if s.percent(10) { s.bits(7) } else { s.bits(3) };
        let (value, bits) = match self.ir {
            DMI_IR => (address << 34 | s.bits(32) << 2 | op, 41),
            DTMCS_IR => (u64::from(DMIRESET) << s.below(2) & s.bits(20), 32),
            WORDS_IR => (s.bits(33), 33),
            IDCODE_IR => (s.bits(32), 32),
            _ => (s.bits(8), 1 + s.below(8) as u32),
        };
        let bits = if s.percent(5) { 1 + s.below(60) as u32 } else { bits };
        self.scan(false, value, bits, s);
    }

    /// Draws the next action.
    fn draw(&mut self, s: &mut Source) {
        match s.below(16) {
            0 => (0..s.below(30)).for_each(|_| self.push(s.percent(50), s.percent(50))),
            1 => (0..5).for_each(|_| self.push(true, s.percent(50))),
            2 => (0..s.below(6)).for_each(|_| self.push(false, s.percent(50))),
            3 => {
                let bits = if s.percent(50) { s.below(12) as u32 + 1 } else { 5 };
                self.scan(true, s.bits(5), bits, s);
            }
            _ => {
                let list =
                    [IDCODE_IR, WORDS_IR, WORDS_IR, DTMCS_IR, DMI_IR, DMI_IR, DMI_IR, BYPASS_IR, s.bits(5) as u32];
                self.ir = list[s.below(list.len() as u64) as usize];
                self.scan(true, self.ir.into(), 5, s);
                (0..1 + s.below(4)).for_each(|_| self.data(s));
            }
        }
    }
}

/// Compares a port, which `clock` drives, with the golden one.
fn run(mut clock: impl FnMut(&In) -> Out, words: bool, seed: u64, clocks: u64) {
    let mut s = Source::seeded(seed);
    let mut golden = JtagPort::new(8, words);
    let mut host = Host { bits: VecDeque::new(), state: State::TestLogicReset, ir: IDCODE_IR };
    // TCK, TMS, TDI, TRST after each flip-flop
    let idle = [false, true, false, false];
    let (mut near, mut here, mut before) = (idle, idle, false);
    let (mut tck, mut left, mut pins) = (false, 4, [false, true, false, false]);
    let mut registers: [u32; 8] = std::array::from_fn(|_| s.bits(32) as u32);
    let (mut read_data, mut pending): (u32, Option<Action>) = (0, None);
    let mut word: Option<u32> = None;
    let (mut shortest, mut acts) = (true, [0; 3]);
    for now in 0..clocks {
        let reset = now < 2 || s.per_64k(20);
        if left == 0 {
            tck = !tck;
            shortest = if s.percent(1) { !shortest } else { shortest };
            left = if shortest { 4 } else { 4 + s.below(9) };
            if tck {
                // TDO is stable since the last falling edge passed through
                assert!(!near[0] && !here[0] && !before);
            } else {
                if host.bits.is_empty() {
                    host.draw(&mut s);
                }
                let (tms, tdi) = host.bits.pop_front().unwrap_or((false, false));
                (pins[1], pins[2]) = (tms, tdi);
            }
        }
        left -= 1;
        pins[0] = tck;
        pins[3] = s.per_64k(12);
        if word.is_none() && s.percent(2) {
            word = Some(s.bits(32) as u32);
        }
        let i = In { reset, pins, rdata: read_data, word };
        let out = clock(&i);

        let tdo = golden.tdo;
        if here[0] && !before {
            golden.rise(here[1], here[2], word);
        }
        let act = if !here[0] && before { golden.fall() } else { None };
        if here[3] {
            golden.test_reset();
        }
        assert_eq!(out.tdo, tdo, "clock {now}, {golden:x?}");
        assert_eq!(out.taken, act == Some(Action::Take), "clock {now}");
        let write = match pending {
            Some(Action::Write(address, data)) => Some((address, true, data)),
            _ => None,
        };
        assert_eq!(out.bus.1, write.is_some(), "clock {now}: {pending:x?}");
        assert!(write.is_none_or(|w| w == out.bus), "clock {now}: {:x?}, {pending:x?}", out.bus);
        read_data = registers[out.bus.0 as usize];
        if let Some((address, _, data)) = write {
            registers[address as usize] = data;
        }
        match act {
            Some(Action::Read(address)) => golden.read_data(registers[address as usize]),
            Some(Action::Take) => word = None,
            Some(Action::Write(..)) | None => {}
        }
        pending = act;
        acts[0] += u32::from(matches!(act, Some(Action::Read(_))));
        acts[1] += u32::from(matches!(act, Some(Action::Write(..))));
        acts[2] += u32::from(act == Some(Action::Take));
        (before, here, near) = (here[0], near, pins);
        if reset {
            golden = JtagPort::new(8, words);
            (near, here, before, pending) = (idle, idle, false, None);
        }
    }
    let least = clocks as u32 / 20_000;
    assert!(acts[0] > least && acts[1] > least && (acts[2] > least) == words, "{acts:?} of {clocks}");
}

macro_rules! pins {
    ($u:ident, $i:ident) => {
        $u.reset.next = $i.reset;
        $u.tck.next = $i.pins[0];
        $u.tms.next = $i.pins[1];
        $u.tdi.next = $i.pins[2];
        $u.trst_n.next = !$i.pins[3];
        $u.bus.rdata.next = u64::from($i.rdata).to_bits();
    };
}

macro_rules! out {
    ($u:ident, $taken:expr) => {
        Out {
            tdo: $u.tdo_enable.val().then(|| $u.tdo.val()),
            bus: ($u.bus.addr.val().index() as u32, $u.bus.write.val(), $u.bus.wdata.val().to_u64() as u32),
            taken: $taken,
        }
    };
}

#[test]
fn registers_and_words_by_a_host_at_random() {
    let mut d = Driver::new(JtagWords::<3>::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let clock = |i: &In| {
        d.cycle(
            |u| {
                pins!(u, i);
                u.words.valid.next = i.word.is_some();
                u.words.data.next = u64::from(i.word.unwrap_or(0xdead_beef)).to_bits();
            },
            |u| out!(u, u.words.ready.val()),
        )
        .unwrap()
    };
    run(clock, true, 1, 220_000);
    d.check_verilog_from_random(3).unwrap();
}

#[test]
fn registers_alone_by_a_host_at_random() {
    let mut d = Driver::new(Jtag::<3>::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let clock = |i: &In| {
        d.cycle(
            |u| {
                pins!(u, i);
            },
            |u| out!(u, false),
        )
        .unwrap()
    };
    run(clock, false, 2, 120_000);
    d.check_verilog_from_random(4).unwrap();
}

#[test]
fn verilog_is_accepted() {
    emit_checked(&mut JtagWords::<3>::new()).unwrap();
    emit_checked(&mut Jtag::<4>::new()).unwrap();
}
