//! `hdl/src/scheme/sc_lsp/detector.rs` against a plain model

use hdl::scheme::sc_lsp::detector::Detector;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{StreamCacheParams, Variant};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn sc(sl_bits: u8) -> StreamCacheParams {
    StreamCacheParams { sl_bits, ..StreamCacheParams::new(Variant::Rbase, 32, 4) }
}

fn params(sl_bits: u8) -> TraceParams {
    TraceParams::sc_lsp(sc(sl_bits))
}

/// Control flow of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sequential,
    Branch(bool),
    Jump,
    Indirect,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    live: bool,
    /// `None`: nothing retires.
    kind: Option<Kind>,
    intr: bool,
    /// Whether a resync is due: it is made if the instruction is control flow and not the first one.
    due: bool,
    pc: u64,
    target: u64,
}

/// The current stream, by the rules of paper 001 in `docs/reference/stream.md`.
struct Golden {
    /// Maximum SL.
    longest: u64,
    /// Whether nothing has retired since tracing began.
    idle: bool,
    start: u64,
    count: u64,
    known: bool,
}

/// A stream that ended: start, SL.
type Ended = Option<(u64, u64)>;

impl Golden {
    fn resyncs(&self, s: &Step) -> bool {
        s.due && s.live && !self.idle && s.kind.is_some_and(|kind| kind != Kind::Sequential)
    }

    fn step(&mut self, s: &Step) -> Ended {
        let resyncs = self.resyncs(s);
        let Some(kind) = s.kind.filter(|_| s.live) else {
            self.idle |= !s.live;
            return None;
        };
        if self.idle || s.intr {
            (self.start, self.count, self.known) = (s.pc, 0, true);
        }
        self.idle = false;
        self.count += 1;
        if resyncs {
            (self.start, self.count, self.known) = (s.target, 0, true);
            return None;
        }
        let leaves = matches!(kind, Kind::Branch(true) | Kind::Indirect);
        let saturated = self.count >= self.longest && kind != Kind::Sequential;
        if !leaves && !saturated {
            return None;
        }
        // in a saturated stream, the lowest bit tells whether the last instruction is a conditional branch that was not
        // taken
        let stays = u64::from(kind == Kind::Branch(false));
        let length = if self.count >= self.longest { self.longest | stays } else { self.count };
        let ended = (self.start, length);
        (self.start, self.count, self.known) = (s.target, 0, kind != Kind::Indirect);
        Some(ended)
    }
}

fn play(sl_bits: u8, steps: impl Iterator<Item = Step>) -> (Driver<Detector<32>>, [u64; 2]) {
    let p = params(sl_bits);
    let longest = sc(sl_bits).longest().into();
    let mut d = Driver::new(Detector::<32>::new(&p), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut golden = Golden { longest, idle: true, start: 0, count: 0, known: false };
    let idle = Step { live: false, kind: None, intr: false, due: false, pc: 0, target: 0 };
    let (mut seen, mut first) = ([0; 2], true);
    for step in std::iter::once(idle).chain(steps) {
        let resyncs = golden.resyncs(&step);
        let on = |want: fn(Kind) -> bool| step.live && step.kind.is_some_and(want);
        let set = |u: &mut Detector<32>| {
            u.live.next = step.live;
            u.valid.next = step.kind.is_some();
            u.intr.next = step.intr;
            u.branch.next = on(|k| matches!(k, Kind::Branch(_)));
            u.taken.next = step.kind == Some(Kind::Branch(true));
            u.indirect.next = on(|k| k == Kind::Indirect);
            u.jump.next = on(|k| k == Kind::Jump);
            u.resync.next = resyncs;
            u.pc.next = step.pc.to_bits();
            u.target.next = step.target.to_bits();
        };
        let (ends, own, length, count, start, known) = d
            .cycle(set, |u| {
                let own = (u.own_start.val().to_u64(), u.length.val().to_u64());
                (u.ends.val(), own.0, own.1, u.count.val().to_u64(), u.start.val().to_u64(), u.known.val())
            })
            .unwrap();
        let place = format!("SL of {sl_bits} bits, cycle {}: {step:x?}", d.cycles());
        if !first && !golden.idle {
            // a resync that does not begin a stream counts its own instruction
            let own = u64::from(resyncs && !step.intr);
            assert_eq!((start, count, known), (golden.start, golden.count + own, golden.known), "{place}: before it");
        }
        let want = golden.step(&step);
        assert_eq!(ends.then_some((own, length)), want, "{place}: stream that ends");
        seen[0] += u64::from(want.is_some());
        seen[1] += u64::from(want.is_some_and(|w| w.1 >= longest));
        first = false;
    }
    (d, seen)
}

#[test]
fn random_instructions_match_the_rules() {
    for (sl_bits, leave) in [(6u8, 100), (8, 20), (10, 4)] {
        let mut s = Source::seeded(sl_bits.into());
        let mut live = false;
        let steps = (0..30_000).map(|_| {
            live = if live { !s.per_64k(20) } else { s.percent(20) };
            let kind = match s.below(10_000) {
                n if n < leave => Kind::Indirect,
                n if n < 2 * leave => Kind::Branch(true),
                n if n < 1_200 => Kind::Branch(false),
                n if n < 2_000 => Kind::Jump,
                _ => Kind::Sequential,
            };
            let (kind, intr, due) =
                (s.percent(80).then_some(kind), s.per_64k(20), s.per_64k(if sl_bits == 10 { 60 } else { 900 }));
            Step { live, kind, intr, due, pc: s.bits(31), target: s.bits(31) }
        });
        let (d, seen) = play(sl_bits, steps);
        assert!(seen[0] > 20 && seen[1] > 4, "SL of {sl_bits} bits: {seen:?} streams, saturated ones are too few");
        d.check_verilog_from_random(9).unwrap();
    }
}

#[test]
fn a_stream_saturates_and_ends_at_the_next_branch_whatever_that_does() {
    for last in [Kind::Branch(false), Kind::Branch(true), Kind::Jump, Kind::Indirect] {
        let longest = sc(6).longest();
        for before in [longest - 2, longest - 1, longest, 200] {
            let of = |kind, pc| Step { live: true, kind: Some(kind), intr: false, due: false, pc, target: 0x400 };
            let sequential = (0..u64::from(before)).map(|i| of(Kind::Sequential, 0x80 + i));
            let steps = sequential.chain([of(last, 0x300), of(Kind::Sequential, 0x400)]);
            let (d, _) = play(6, steps);
            d.check_verilog().unwrap();
        }
    }
}

#[test]
fn detectors_pass_the_static_gates() {
    for sl_bits in [6, 10] {
        emit_checked(&mut Detector::<32>::new(&params(sl_bits))).unwrap();
    }
}
