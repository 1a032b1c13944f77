//! Encoder and packer against the golden coder

use hdl::back_end::encoder::Encoder;
use hdl::back_end::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC};
use hdl::back_end::packer::Packer;
use hdl::entry::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use sim::bits::BitWriter;
use sim::golden::system::header;
use sim::message::{Body, Escape, Message};
use sim::params::{Chunks, Coding, PredictorParams, Scheme, TraceParams};
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// Encoder and packer, as the system joins them.
#[derive(LogicBlock)]
struct Coder<const W: usize> {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    start: Signal<In, Bit>,
    started: Signal<Out, Bit>,
    have: Signal<In, Bit>,
    core: Signal<In, Bits<4>>,
    field: Signal<Out, Bits<2>>,
    word: Signal<In, Bits<W>>,
    cc: Signal<In, Bits<32>>,
    done: Signal<Out, Bit>,
    finished: Signal<Out, Bit>,
    idle: Signal<Out, Bit>,
    valid: Signal<Out, Bit>,
    ready: Signal<In, Bit>,
    data: Signal<Out, Bits<32>>,
    encoder: Encoder<W>,
    packer: Packer,
}

impl<const W: usize> Coder<W> {
    fn new(params: &TraceParams) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            started: Default::default(),
            have: Default::default(),
            core: Default::default(),
            field: Default::default(),
            word: Default::default(),
            cc: Default::default(),
            done: Default::default(),
            finished: Default::default(),
            idle: Default::default(),
            valid: Default::default(),
            ready: Default::default(),
            data: Default::default(),
            encoder: Encoder::new(params),
            packer: Packer::default(),
        }
    }
}

impl<const W: usize> Logic for Coder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, encoder, packer);
        self.encoder.reset.next = self.reset.val();
        self.packer.reset.next = self.reset.val();
        self.encoder.start.next = self.start.val();
        self.started.next = self.encoder.started.val();
        self.encoder.have.next = self.have.val();
        self.encoder.core.next = self.core.val();
        self.field.next = self.encoder.field.val();
        self.encoder.word.next = self.word.val();
        self.encoder.cc.next = self.cc.val();
        self.done.next = self.encoder.done.val();
        self.finished.next = self.encoder.finished.val();
        self.idle.next = self.encoder.idle.val();
        self.packer.bit_valid.next = self.encoder.bit_valid.val();
        self.packer.data_bit.next = self.encoder.data_bit.val();
        self.encoder.bit_ready.next = self.packer.bit_ready.val();
        self.encoder.aligned.next = self.packer.aligned.val();
        self.valid.next = self.packer.valid.val();
        self.packer.ready.next = self.ready.val();
        self.data.next = self.packer.data.val();
    }
}

/// The messages of an entry.
fn messages(params: &TraceParams, core: u8, e: &Entry) -> Vec<Message> {
    let nexus = matches!(params.scheme, Scheme::NxB(_));
    let address = |a: u64| a << params.align;
    let mut out = Vec::new();
    let mut add = |body| {
        let diff_cc = if params.timestamps && out.is_empty() { e.cc.into() } else { 0 };
        out.push(Message { core, diff_cc, body });
    };
    let (i_cnt, count) = (u64::from(e.icnt), u64::from(e.bcnt));
    match e.pre {
        PRE_EXCEPTION => add(Body::Escape(Escape::Exception { i_cnt, target: address(e.pc) })),
        PRE_SYNC => add(Body::Escape(Escape::Sync { i_cnt, pc: address(e.pc) })),
        PRE_CONTROL if e.post == CONTROL_OVERFLOW => {
            add(Body::Escape(Escape::Overflow { i_cnt, lost: count }));
            return out;
        }
        PRE_CONTROL => {
            add(Body::Escape(Escape::Stop { i_cnt }));
            return out;
        }
        _ => {}
    }
    match e.post {
        POST_OUTCOME if nexus => add(Body::Stream { length: count, target: None }),
        POST_TARGET if nexus => add(Body::Stream { length: count, target: Some(address(e.target)) }),
        POST_OUTCOME => add(Body::Outcome { count }),
        POST_TARGET => add(Body::Target { count, target: address(e.target) }),
        POST_PROGRESS => add(Body::Escape(Escape::Progress { i_cnt })),
        _ => {}
    }
    out
}

/// A number with corners: 0, 1, all ones, powers of two and one below, small ones.
fn number(rng: &mut impl Rng, bits: u32, least: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let v = match rng.random_range(0..8) {
        0 => least,
        1 => mask,
        2 => 1 << rng.random_range(0..bits),
        3 => (1 << rng.random_range(0..bits)) - 1,
        4 | 5 => rng.random_range(0..12),
        _ => rng.random::<u64>() >> rng.random_range(0..64),
    };
    (v & mask).max(least)
}

/// A random entry, legal in that counts of branches are at least 1.
fn entry(rng: &mut impl Rng, params: &TraceParams) -> Entry {
    let n = u32::from(params.count_bits);
    let (pre, post) = loop {
        let pre = [PRE_NONE, PRE_NONE, PRE_NONE, PRE_EXCEPTION, PRE_SYNC, PRE_CONTROL][rng.random_range(0..6)];
        let post = rng.random_range(0..4u8);
        let legal = match pre {
            PRE_NONE => post != POST_NONE,
            PRE_CONTROL => post == CONTROL_OVERFLOW,
            _ => post != POST_PROGRESS,
        };
        if legal {
            break (pre, post);
        }
    };
    let a = params.address_bits();
    Entry {
        pre,
        post,
        icnt: number(rng, n, 0) as u32,
        bcnt: number(rng, n, u64::from(pre != PRE_CONTROL)) as u32,
        pc: number(rng, a, 0),
        target: number(rng, a, 0),
        cc: if params.timestamps { number(rng, params.cc_bits.into(), 0) as u32 } else { 0 },
    }
}

/// What the event FIFO answers when it is asked for `field`.
fn word(params: &TraceParams, e: &Entry, field: u8) -> u64 {
    match field {
        FIELD_COUNT => u64::from(e.bcnt) | u64::from(e.pre | e.post << 2) << params.count_bits,
        FIELD_INSTRUCTIONS => e.icnt.into(),
        FIELD_PC => e.pc,
        _ => e.target,
    }
}

fn run<const W: usize>(params: &TraceParams, seed: u64, entries: usize, stalls: bool, verilog: bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut list: Vec<(u8, Entry)> =
        (0..entries).map(|_| (rng.random_range(0..params.cores), entry(&mut rng, params))).collect();
    for core in 0..params.cores {
        list.push((core, Entry { pre: PRE_CONTROL, post: CONTROL_STOP, icnt: 5, ..Entry::default() }));
    }
    let mut golden = BitWriter::new();
    header(params).iter().for_each(|w| golden.push((*w).into(), 32));
    let mut coder = sim::encoding::Encoder::new(params);
    for (core, e) in &list {
        messages(params, *core, e).iter().for_each(|m| coder.write(m, &mut golden));
    }
    golden.pad();
    let want: Vec<u32> = golden.drain().collect();

    let mut d = Driver::new(Coder::<W>::new(params), |u, c| u.clock.next = c.into()).unwrap();
    if verilog {
        d = d.recording();
    }
    let mut got = Vec::new();
    let (mut at, mut starting, mut finished) = (0, true, false);
    let (mut wait, mut asked) = (0, 0);
    for cycle in 0.. {
        assert!(cycle < 2000 * (entries as u64 + 20), "seed {seed}: the encoder hangs at entry {at}");
        let ready = !stalls || rng.random_ratio(1, 40);
        let offer = wait == 0 && !starting;
        let (started, done, fin, valid, data, field) = d
            .cycle(
                |u| {
                    u.reset.next = false;
                    u.start.next = starting;
                    u.ready.next = ready;
                    u.have.next = offer && at < list.len();
                    if let (true, Some((core, e))) = (offer, list.get(at)) {
                        u.core.next = u64::from(*core).to_bits();
                        u.word.next = word(params, e, asked).to_bits();
                        u.cc.next = u64::from(e.cc).to_bits();
                    }
                },
                |u| {
                    (
                        u.started.val(),
                        u.done.val(),
                        u.finished.val(),
                        u.valid.val(),
                        u.data.val().to_u64(),
                        u.field.val().to_u64() as u8,
                    )
                },
            )
            .unwrap();
        if valid && ready {
            got.push(data as u32);
        }
        asked = field;
        starting &= !started;
        wait = if done { 1 + rng.random_range(0..3) } else { wait.max(1) - 1 };
        at += usize::from(done);
        finished |= fin;
        if finished && got.len() >= want.len() {
            break;
        }
    }
    for (i, (w, g)) in want.iter().zip(&got).enumerate() {
        assert_eq!(w, g, "seed {seed}, {}: word {i}, bit {}", params.canonical(), 32 * i);
    }
    assert_eq!(want.len(), got.len());
    if verilog {
        d.check_verilog().unwrap();
    }
}

fn params(rng: &mut impl Rng) -> TraceParams {
    let mut c = || Chunks::new(rng.random_range(1..=16), rng.random_range(1..=16));
    let coding = Coding { b_cnt: c(), diff_ta: c(), diff_cc: c(), i_cnt: c() };
    let mut p = TraceParams::tr(PredictorParams::sizes(512, 8, 0), coding);
    if rng.random_ratio(1, 4) {
        p.scheme = Scheme::NxB(coding);
    }
    p.timestamps = rng.random();
    p.cores = [1, 2, 3, 4, 8, 16][rng.random_range(0..6)];
    p.align = rng.random_range(1..=2);
    p.count_bits = rng.random_range(16..=24);
    p.cc_bits = rng.random_range(16..=32);
    p
}

#[test]
fn random_entries_of_named_encodings_match_the_golden_coder() {
    for (i, coding) in [Coding::TR_E, Coding::TR_B].into_iter().enumerate() {
        let p = TraceParams::tr(PredictorParams::sizes(512, 8, 0), coding);
        run::<32>(&p, i as u64, 50_000, false, false);
        run::<32>(&p, i as u64 + 10, 2_000, true, true);
    }
}

#[test]
fn random_entries_of_random_parameters_match_the_golden_coder() {
    for seed in 0..40 {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, 1_000, seed % 2 == 0, false);
    }
    for seed in 40..46 {
        let p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        run::<32>(&p, seed, 1_000, seed % 2 == 0, true);
    }
}

#[test]
fn addresses_of_64_bits_match_the_golden_coder() {
    for seed in 0..6 {
        let mut p = params(&mut ChaCha8Rng::seed_from_u64(seed));
        p.xlen = 64;
        run::<64>(&p, seed, 500, seed % 2 == 0, seed < 2);
    }
}

#[test]
fn encoder_and_packer_pass_the_static_gates() {
    let mut p = TraceParams::tr(PredictorParams::sizes(512, 8, 0), Coding::TR_E);
    emit_checked(&mut Coder::<32>::new(&p)).unwrap();
    (p.cores, p.timestamps, p.xlen) = (4, true, 64);
    emit_checked(&mut Coder::<64>::new(&p)).unwrap();
}
