//! `hdl/src/bus/{apb,axi_lite,wishbone,octets,atb,crossing,packets,lock}.rs` against the rules of their standards and a register file
//!
//! Masters wait, withdraw and write parts of words at random, and reset comes at any time. Responses match the contents
//! of the registers, a response is stable until it is accepted, and there is no response without a request.

use hdl::bus::apb::Apb;
use hdl::bus::atb::{Atb, FLUSH_CYCLES};
use hdl::bus::axi_lite::AxiLite;
use hdl::bus::crossing::Crossing;
use hdl::bus::lock::Lock;
use hdl::bus::octets::Octets;
use hdl::bus::packets::{AxiStream, Packets};
use hdl::bus::wishbone::Wishbone;
use hdl::bus::Writers;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

const OKAY: u64 = 0;
const SLVERR: u64 = 2;

/// Registers that can be read back, at the system's register bus: read data follows one cycle later.
#[derive(Clone, Default)]
struct Held {
    words: [u32; 8],
    answer: u32,
}

impl Held {
    fn new(s: &mut Source) -> Self {
        Self { words: std::array::from_fn(|_| s.bits(32) as u32), answer: 0 }
    }

    fn cycle(&mut self, addr: usize, write: bool, data: u32) {
        self.answer = self.words[addr];
        if write {
            self.words[addr] = data;
        }
    }
}

/// An access: byte address, data and byte enables.
#[derive(Clone, Copy, Debug)]
struct Access {
    addr: u64,
    write: Option<(u32, u64)>,
    /// Protection: bit 0 is privileged, bit 1 not secure.
    prot: u64,
}

impl Access {
    fn draw(s: &mut Source) -> Self {
        let addr = if s.percent(15) { s.bits(12) } else { s.bits(5) };
        let strobe = if s.percent(20) { s.bits(4) } else { 15 };
        Self { addr, write: s.percent(50).then(|| (s.bits(32) as u32, strobe)), prot: s.bits(3) }
    }

    /// Whether the write is refused by a bus that accepts those of `writers`.
    fn refused(&self, writers: Writers) -> bool {
        let (privileged, secure) = (self.prot & 1 != 0, self.prot & 2 == 0);
        match writers {
            Writers::Any => false,
            Writers::Privileged => !privileged,
            Writers::Secure => !secure,
            Writers::PrivilegedSecure => !(privileged && secure),
        }
    }

    /// Performs the access; returns whether it is an error, and the read data.
    fn done(&self, words: &mut [u32; 8], writers: Writers) -> (bool, u32) {
        let beyond = self.addr >> 5 != 0;
        match self.write {
            Some((_, strobe)) if beyond || strobe != 15 || self.refused(writers) => (true, 0),
            Some((data, _)) => {
                words[self.addr as usize >> 2] = data;
                (false, 0)
            }
            None if beyond => (true, 0),
            None => (false, words[self.addr as usize >> 2]),
        }
    }
}

macro_rules! native {
    ($u:ident) => {
        ($u.bus.addr.val().index(), $u.bus.write.val(), $u.bus.wdata.val().to_u64() as u32)
    };
}

#[test]
fn apb_answers_in_two_clocks() {
    Writers::ALL.into_iter().for_each(apb);
}

fn apb(writers: Writers) {
    let mut s = Source::seeded(1);
    let mut d = Driver::new(Apb::<3, 12>::new(writers, false), |_, _| ()).unwrap().recording();
    let mut held = Held::new(&mut s);
    let mut golden = held.words;
    for _ in 0..1_500 {
        let access = Access::draw(&mut s);
        let (data, strobe) = access.write.unwrap_or((s.bits(32) as u32, s.bits(4)));
        let idle = s.below(3);
        for phase in 0..2 + idle {
            let answer = held.answer;
            let now = d
                .cycle(
                    |u| {
                        u.psel.next = phase < 2;
                        // ignored without `psel`
                        u.penable.next = if phase < 2 { phase == 1 } else { strobe & 1 != 0 };
                        u.pwrite.next = access.write.is_some();
                        u.paddr.next = access.addr.to_bits();
                        u.pwdata.next = u64::from(data).to_bits();
                        u.pstrb.next = strobe.to_bits();
                        u.pprot.next = access.prot.to_bits();
                        u.bus.rdata.next = u64::from(answer).to_bits();
                    },
                    |u| (native!(u), u.prdata.val().to_u64() as u32, u.pready.val(), u.pslverr.val()),
                )
                .unwrap();
            let ((addr, write, value), read, ready, error) = now;
            held.cycle(addr, write, value);
            if phase == 1 {
                let (wrong, right) = access.done(&mut golden, writers);
                assert!(ready);
                assert_eq!(error, wrong, "{access:x?}");
                assert!(access.write.is_some() || read == right, "{access:x?}: {read:x}, {right:x} is right");
            } else {
                assert!(!error && !write, "{access:x?}");
            }
        }
        assert_eq!(held.words, golden, "{access:x?}");
    }
    d.check_verilog().unwrap();
}

#[test]
fn wishbone_answers_every_cycle_once() {
    let mut s = Source::seeded(2);
    let mut d = Driver::new(Wishbone::<3, 10>::new(false), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut held = Held::new(&mut s);
    let mut golden = held.words;
    let mut under_way: Option<Access> = None;
    let (mut answers, mut waited) = (0, 0);
    for _ in 0..8_000 {
        let reset = s.percent(2);
        if under_way.is_none() && s.percent(70) {
            under_way = Some(Access::draw(&mut s));
            waited = 0;
        }
        let access = under_way.unwrap_or_else(|| Access::draw(&mut s));
        let (data, sel) = access.write.unwrap_or((s.bits(32) as u32, s.bits(4)));
        // outside of a cycle, one of `cyc` and `stb` may be high
        let half = s.below(3);
        let on = under_way.is_some();
        let answer = held.answer;
        let (native, read, ack, err) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.cyc.next = on || half == 1;
                    u.stb.next = on || half == 2;
                    u.we.next = access.write.is_some();
                    u.adr.next = (access.addr >> 2).to_bits();
                    u.dat_w.next = u64::from(data).to_bits();
                    u.sel.next = sel.to_bits();
                    u.bus.rdata.next = u64::from(answer).to_bits();
                },
                |u| (native!(u), u.dat_r.val().to_u64() as u32, u.ack.val(), u.err.val()),
            )
            .unwrap();
        held.cycle(native.0, native.1, native.2);
        assert!(!(ack && err));
        if ack || err {
            let access = under_way.take().expect("an answer to nothing");
            let (wrong, right) = access.done(&mut golden, Writers::Any);
            assert_eq!(err, wrong, "{access:x?}");
            assert!(access.write.is_some() || read == right, "{access:x?}: {read:x}, {right:x} is right");
            assert_eq!(held.words, golden, "{access:x?}");
            answers += 1;
        } else if on {
            waited = if reset { 0 } else { waited + 1 };
            assert!(waited < 2, "{access:x?} waits");
        }
    }
    assert!(answers > 1_500, "{answers}");
    d.check_verilog().unwrap();
}

/// The sender of a channel: an offer is stable until it is accepted.
#[derive(Default)]
struct Offer<T> {
    now: Option<T>,
    later: VecDeque<T>,
}

impl<T: Copy> Offer<T> {
    fn offer(&mut self, s: &mut Source, percent: u8) -> Option<T> {
        if self.now.is_none() && s.percent(percent) {
            self.now = self.later.pop_front();
        }
        self.now
    }
}

#[test]
fn axi_lite_answers_every_transaction_once_in_order() {
    for (seed, writers) in (0..4u64).zip(Writers::ALL) {
        let mut s = Source::seeded(30 + seed);
        let mut d =
            Driver::new(AxiLite::<3, 12>::new(writers, false), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut held = Held::new(&mut s);
        let rates: [u8; 5] = std::array::from_fn(|i| [100, 30, 70, 90, 50][(i + seed as usize) % 5]);
        let (mut aw, mut w, mut ar) = (Offer::default(), Offer::default(), Offer::default());
        // responses that are due: for writes whether they are refused, for reads the address
        let (mut writes, mut reads) = (VecDeque::new(), VecDeque::new());
        let mut answered = (0, 0);
        let (mut last_b, mut last_r) = (None, None);
        for cycle in 0..9_000 {
            let access = Access::draw(&mut s);
            match access.write {
                Some((data, strobe)) if writes.len() < 4 => {
                    aw.later.push_back((access.addr, access.prot));
                    w.later.push_back((data, strobe));
                    let wrong = access.addr >> 5 != 0 || strobe != 15 || access.refused(writers);
                    writes.push_back((wrong, access.addr, data));
                }
                None if reads.len() < 4 => {
                    ar.later.push_back(access.addr);
                    reads.push_back((access.addr, Vec::new()));
                }
                _ => {}
            }
            let (to, value, from) = (aw.offer(&mut s, rates[0]), w.offer(&mut s, rates[1]), ar.offer(&mut s, rates[2]));
            let (b_ready, r_ready) = (s.percent(rates[3]), s.percent(rates[4]));
            let reset = s.per_64k(100);
            let answer = held.answer;
            let (native, readies, b, r) = d
                .cycle(
                    |u| {
                        u.reset.next = reset;
                        u.awvalid.next = to.is_some();
                        u.awaddr.next = to.map_or(access.addr, |t| t.0).to_bits();
                        u.awprot.next = to.map_or(access.prot, |t| t.1).to_bits();
                        u.wvalid.next = value.is_some();
                        u.wdata.next = u64::from(value.map_or(!0, |v| v.0)).to_bits();
                        u.wstrb.next = value.map_or(15, |v| v.1).to_bits();
                        u.bready.next = b_ready;
                        u.arvalid.next = from.is_some();
                        u.araddr.next = from.unwrap_or(access.addr).to_bits();
                        u.rready.next = r_ready;
                        u.bus.rdata.next = u64::from(answer).to_bits();
                    },
                    |u| {
                        (
                            native!(u),
                            [u.awready.val(), u.wready.val(), u.arready.val()],
                            u.bvalid.val().then(|| u.bresp.val().to_u64()),
                            u.rvalid.val().then(|| (u.rresp.val().to_u64(), u.rdata.val().to_u64() as u32)),
                        )
                    },
                )
                .unwrap();
            let before = held.words;
            // the oldest read may return any value that its register has had since the previous one was answered
            if let Some((addr, had)) = reads.front_mut() {
                had.push(held.words[(*addr as usize >> 2) % 8]);
            }
            held.cycle(native.0, native.1, native.2);
            if reset {
                (aw, w, ar) = (Offer::default(), Offer::default(), Offer::default());
                (writes, reads) = (VecDeque::new(), VecDeque::new());
                (last_b, last_r) = (None, None);
                continue;
            }
            if readies[0] {
                aw.now = None;
            }
            if readies[2] {
                ar.now = None;
            }
            if readies[1] {
                w.now = None;
            }
            if native.1 {
                let due = writes.iter().find(|x| !x.0).expect("a write of nothing");
                assert_eq!((native.0 as u64, native.2), (due.1 >> 2, due.2), "cycle {cycle}");
            }
            assert!(last_b.is_none() || last_b == b, "cycle {cycle}: a response went");
            assert!(last_r.is_none() || last_r == r, "cycle {cycle}: read data went");
            (last_b, last_r) = (b.filter(|_| !b_ready), r.filter(|_| !r_ready));
            if let Some(resp) = b.filter(|_| b_ready) {
                let (wrong, addr, data) = writes.pop_front().expect("a response to nothing");
                assert_eq!(resp, if wrong { SLVERR } else { OKAY }, "cycle {cycle}");
                assert!(wrong || before[addr as usize >> 2] == data, "cycle {cycle}: nothing was written");
                answered.0 += 1;
            }
            if let Some((resp, data)) = r.filter(|_| r_ready) {
                let (addr, had): (u64, Vec<u32>) = reads.pop_front().expect("data for nothing");
                if addr >> 5 != 0 {
                    assert_eq!((resp, data), (SLVERR, 0), "cycle {cycle}");
                } else {
                    assert_eq!(resp, OKAY, "cycle {cycle}");
                    answered.1 += 1;
                    assert!(had.contains(&data), "cycle {cycle}: {data:x} of {addr:x}");
                }
            }
        }
        assert!(answered.0 > 500 && answered.1 > 200, "{answered:?}");
        d.check_verilog().unwrap();
    }
}

#[test]
fn bytes_are_the_words() {
    let mut s = Source::seeded(4);
    let mut d = Driver::new(Octets::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let (mut went, mut came) = (Vec::new(), Vec::new());
    let mut word: Option<u32> = None;
    for _ in 0..6_000 {
        let (reset, ready) = (s.per_64k(60), s.percent(60));
        if word.is_none() && s.percent(50) {
            word = Some(s.bits(32) as u32);
        }
        let (taken, byte) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.words.valid.next = word.is_some();
                    u.words.data.next = u64::from(word.unwrap_or(0xdead_beef)).to_bits();
                    u.ready.next = ready;
                },
                |u| (u.words.ready.val(), u.valid.val().then(|| u.data.val().to_u64() as u8)),
            )
            .unwrap();
        came.extend(byte.filter(|_| ready));
        if let Some(w) = word.filter(|_| taken) {
            went.extend(w.to_le_bytes());
            word = None;
        }
        if reset {
            // a reset also ends the current word
            came.truncate(went.len());
            word = None;
        }
    }
    assert!(went.len() > 1_000);
    assert_eq!(came[..went.len()], went);
    d.check_verilog().unwrap();
}

#[test]
fn atb_flushes_when_nothing_came_for_a_while() {
    let mut s = Source::seeded(5);
    let mut d = Driver::new(Atb::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let (mut flush, mut quiet, mut seldom, mut acks) = (false, 0, 20, 0);
    let mut before = false;
    for cycle in 0..20_000 {
        let reset = s.per_64k(40);
        if cycle % 700 == 0 {
            seldom = [0, 1, 3, 50][s.below(4) as usize];
        }
        if s.percent(if flush { 1 } else { 5 }) {
            flush = !flush;
        }
        let (valid, ready, word) = (s.percent(seldom), s.percent(50), s.bits(32));
        let got = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.words.valid.next = valid;
                    u.words.data.next = word.to_bits();
                    u.atready.next = ready;
                    u.afvalid.next = flush;
                },
                |u| {
                    let port = (u.atvalid.val(), u.atdata.val().to_u64(), u.words.ready.val());
                    (port, u.atbytes.val().to_u64(), u.afready.val())
                },
            )
            .unwrap();
        assert_eq!((got.0, got.1), ((valid, word, ready), 3));
        assert!(!got.2 || before || quiet >= FLUSH_CYCLES, "cycle {cycle}: flushed after {quiet} clocks");
        assert!(quiet <= FLUSH_CYCLES || got.2, "cycle {cycle}: {quiet} clocks without an answer");
        acks += u32::from(got.2 && !before);
        before = got.2 && flush && !reset;
        // cycles of this flush without a word
        quiet = if reset || !flush || (valid && !before) { 0 } else { quiet + 1 };
    }
    assert!(acks > 20, "{acks}");
    d.check_verilog().unwrap();
}

/// Traces of one or more words, whose session ends with the last word or later, for one cycle or longer. The Verilog is
/// proved (`tests/units/formal.rs`) and played by cocotb (`cli/tests/all/buses.rs`).
#[test]
fn the_last_word_of_each_trace_is_marked() {
    const LAST: u64 = 1 << 32;
    for seed in 0..3 {
        let mut s = Source::seeded(seed);
        let mut d = Driver::new(Packets::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let (mut session, mut left, mut word, mut held) = (false, 0, None, None);
        let (mut right, mut came, mut lasts, mut again) = (Vec::new(), Vec::new(), 0, 0);
        let (mut talks, mut takes) = (50, 50);
        for clock in 0..20_000 {
            if clock % 200 == 0 {
                (talks, takes) = (*s.pick(&[10, 50, 100]), *s.pick(&[10, 50, 100]));
            }
            let reset = clock < 2 || s.per_64k(100);
            if !session && s.percent(40) {
                (session, left) = (true, s.between(1, 6));
                again += u64::from(word.is_some());
            } else if session && left == 0 && s.percent(50) {
                session = false;
            }
            if session && left > 0 && word.is_none() && s.percent(talks) {
                left -= 1;
                word = Some(s.bits(32) | if left == 0 { LAST } else { 0 });
            }
            let ready = s.percent(takes);
            let (taken, out) = d
                .cycle(
                    |u| {
                        u.reset.next = reset;
                        u.session.next = session;
                        u.words.valid.next = word.is_some();
                        u.words.data.next = (word.unwrap_or(0) & (LAST - 1)).to_bits();
                        u.out.ready.next = ready;
                    },
                    |u| (u.words.ready.val(), u.out.valid.val().then(|| u.out.data.val().to_u64())),
                )
                .unwrap();
            if reset {
                (session, left, word, held) = (false, 0, None, None);
                right.truncate(came.len());
                continue;
            }
            assert!(held.is_none() || held == out, "clock {clock}: {held:x?} became {out:x?}");
            held = out.filter(|_| !ready);
            came.extend(out.filter(|_| ready));
            lasts += u64::from(out.is_some_and(|w| ready && w & LAST != 0));
            if taken {
                right.extend(word.take());
            }
            assert!(right.starts_with(&came) && right.len() <= came.len() + 1, "clock {clock}: {came:x?}");
        }
        assert!(came.len() > 2_000 && lasts > 500 && again > 50, "{} words, {lasts} packets, {again}", came.len());
        d.check_verilog_from_random(seed as u32 + 1).unwrap();
    }
}

#[test]
fn words_cross_in_order_at_any_ratio() {
    for (here, there) in [(1, 7), (2, 3), (5, 5), (3, 2), (7, 1)] {
        let mut s = Source::seeded(10 * here + there);
        let mut d = Driver::new(Crossing::<32>::new(), |_, _| ()).unwrap();
        let (mut word, mut went, mut came) = (None, Vec::new(), Vec::new());
        let phase = s.below(2 * there);
        for time in 0..40_000 {
            let edge = |period: u64, at: u64| (at % period == 0).then_some((at / period) % 2 == 0);
            let (a, b) = (edge(here, time), edge(there, time + phase));
            let reset = time < 40;
            d.uut.reset.next = reset;
            d.uut.port_reset.next = reset;
            // values before an edge are those that the edge captures
            if a == Some(true) && !reset {
                went.extend(word.filter(|_| d.uut.words.ready.val()).inspect(|_| word = None));
            }
            if b == Some(true) && !reset && d.uut.out.valid.val() && d.uut.out.ready.val() {
                came.push(d.uut.out.data.val().to_u64() as u32);
            }
            a.into_iter().for_each(|high| d.uut.clock.next = high.into());
            b.into_iter().for_each(|high| d.uut.port_clock.next = high.into());
            d.settle().unwrap();
            if a == Some(true) {
                if word.is_none() && s.percent(60) {
                    word = Some(s.bits(32) as u32);
                }
                d.uut.words.valid.next = word.is_some();
                d.uut.words.data.next = u64::from(word.unwrap_or(0)).to_bits();
            }
            if b == Some(true) {
                d.uut.out.ready.next = s.percent(70);
            }
            d.settle().unwrap();
        }
        assert!(came.len() > 700, "{here}:{there}: {} words", came.len());
        assert!(went.len() - came.len() <= 4, "{here}:{there}: {} of {} words", came.len(), went.len());
        assert_eq!(went[..came.len()], came, "{here}:{there}");
    }
}

#[test]
fn a_lock_ends_what_is_not_allowed() {
    let mut s = Source::seeded(8);
    let mut d = Driver::new(Lock::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    // of the system after the lock: whether it is enabled, and its read data
    let (mut enabled, mut begun, mut taken, mut answer) = (false, false, false, 0);
    let (mut allow, mut begins, mut ends, mut dropped) = (false, 0, 0, 0);
    for cycle in 0..20_000 {
        let reset = cycle == 0 || s.per_64k(60);
        allow = if s.percent(3) { !allow } else { allow };
        let (addr, write, wdata) = (s.below(4), s.percent(30), s.bits(32));
        let (out, rdata) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.allow.next = allow;
                    u.bus.addr.next = addr.to_bits();
                    u.bus.write.next = write;
                    u.bus.wdata.next = wdata.to_bits();
                    u.out.rdata.next = u64::from(answer).to_bits();
                },
                |u| {
                    let out = (u.out.addr.val().to_u64(), u.out.write.val(), u.out.wdata.val().to_u64());
                    (out, u.bus.rdata.val().to_u64() as u32)
                },
            )
            .unwrap();
        assert_eq!(rdata, if taken { 0 } else { answer }, "cycle {cycle}");
        let (controls, asks) = (write && addr == 2, write && addr == 2 && wdata & 1 == 1);
        let right = if begun && !allow {
            ends += 1;
            (2, true, 0)
        } else {
            dropped += u32::from(asks && !allow);
            (addr, write && (allow || !asks), wdata)
        };
        assert_eq!(out, right, "cycle {cycle}: allow {allow}, begun {begun}");
        taken = begun && !allow && !reset;
        begun = !reset && allow && if controls { asks } else { begun };
        if out.1 && out.0 == 2 {
            begins += u32::from(!enabled && out.2 & 1 == 1);
            enabled = out.2 & 1 == 1;
        }
        enabled &= !reset;
        assert!(allow || !enabled, "cycle {cycle}: enabled although it is not allowed");
        answer = s.bits(32) as u32;
    }
    assert!(begins > 200 && ends > 50 && dropped > 200, "{begins}, {ends}, {dropped}");
    d.check_verilog().unwrap();
}

#[test]
fn buses_pass_the_static_gates() {
    emit_checked(&mut Apb::<3, 12>::new(Writers::PrivilegedSecure, false)).unwrap();
    emit_checked(&mut Wishbone::<3, 10>::new(false)).unwrap();
    emit_checked(&mut AxiLite::<3, 12>::new(Writers::PrivilegedSecure, false)).unwrap();
    emit_checked(&mut Octets::new()).unwrap();
    emit_checked(&mut Atb::new()).unwrap();
    emit_checked(&mut Packets::new()).unwrap();
    emit_checked(&mut AxiStream::default()).unwrap();
    emit_checked(&mut Crossing::<32>::new()).unwrap();
    emit_checked(&mut Lock::new()).unwrap();
}
