//! Messages of T-raptor, and the encoder with its coder, framer and packer against their golden models

use crate::encoder_harness::{coder, extras, number, word};
use hdl::spine::entry::*;
use hdl::spine::event_fifo::FIELD_COUNT;
use hdl::spine::front_port::EncoderPort;
use hdl::spine::packer::Packer;
use hdl::spine::ports::{SliceOut, WordsOut};
use hdl::spine::trace_framer::TraceFramer;
use hdl::widget::slot::Slot;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::Context;
use rust_hdl::prelude::*;
use sim::bits::BitWriter;
use sim::message::{Body, Escape, Message, Report};
use sim::params::{FlowScheme, TraceParams};
use sim::scheme::{Encode, Scheme};
use sim::system::{header, repeated_header};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::entry::Entry;
use testbenches::gates::emit_checked_system;

coder!(Coder, |_: &Entry| false);

fn nexus(params: &TraceParams) -> bool {
    match params.flow {
        FlowScheme::Tr(_) => false,
        FlowScheme::Nexus(_) => true,
        _ => panic!("has a bench of its own, or none"),
    }
}

/// The messages of an entry.
fn messages(params: &TraceParams, core: u8, e: &Entry) -> Vec<Message> {
    let nexus = nexus(params);
    let address = |a: u64| a << params.align;
    let mut out = Vec::new();
    let mut add = |body| {
        let diff_cc = if params.timestamps && out.is_empty() { e.cc.into() } else { 0 };
        out.push(Message { core, diff_cc, body });
    };
    let (i_cnt, count) = (u64::from(e.icnt), u64::from(e.bcnt));
    let reported = params.reported(Context(e.context));
    let alone = params.context.is_some() && e.context >> params.context_bits() & 1 == 1;
    let context = params.context.map(|_| reported);
    // in place of the count
    let signature = (params.signature > 0).then_some(e.bcnt as u16);
    match e.pre {
        PRE_EXCEPTION if alone => add(Body::Escape(Escape::Context { i_cnt, context: reported })),
        PRE_EXCEPTION => add(Body::Escape(Escape::Exception { i_cnt, target: address(e.pc), context })),
        PRE_SYNC => add(Body::Escape(Escape::Sync { i_cnt, pc: address(e.pc), context })),
        PRE_CONTROL if e.post == CONTROL_OVERFLOW => {
            add(Body::Escape(Escape::Overflow { i_cnt, lost: count }));
            return out;
        }
        PRE_CONTROL if e.post == CONTROL_RESYNC => {
            add(Body::Escape(Escape::Resync { i_cnt, signature }));
            add(Body::Escape(Escape::Sync { i_cnt: 0, pc: address(e.target), context }));
            return out;
        }
        PRE_CONTROL => {
            add(Body::Escape(Escape::Stop { i_cnt, signature }));
            return out;
        }
        _ => {}
    }
    match e.post {
        POST_OUTCOME if nexus => add(Body::Stream { length: count, target: None }),
        POST_TARGET if nexus => add(Body::Stream { length: count, target: Some(address(e.target)) }),
        POST_OUTCOME => add(Body::Outcome { count }),
        POST_TARGET => add(Body::Target { count, target: address(e.target) }),
        POST_RESYNC if e.pre == PRE_EXCEPTION => {
            let i_cnt = signature.map_or(count, |_| 1);
            add(Body::Escape(Escape::Resync { i_cnt, signature }));
            add(Body::Escape(Escape::Sync { i_cnt: 0, pc: address(e.target), context }));
        }
        POST_PROGRESS => add(Body::Escape(Escape::Progress { i_cnt, signature })),
        _ => {}
    }
    out
}

/// A random entry; legal, in that counts of branches are at least 1.
fn entry(rng: &mut impl Rng, params: &TraceParams) -> Entry {
    let n = u32::from(params.count_bits);
    let (pre, post) = loop {
        let pre = [PRE_NONE, PRE_NONE, PRE_NONE, PRE_EXCEPTION, PRE_SYNC, PRE_CONTROL][rng.random_range(0..6)];
        let post = rng.random_range(0..4u8);
        let legal = match pre {
            PRE_NONE => post != POST_NONE,
            PRE_CONTROL => post == CONTROL_OVERFLOW || (extras(params).sync && post == CONTROL_RESYNC),
            PRE_EXCEPTION => post != POST_RESYNC || extras(params).sync,
            _ => post != POST_PROGRESS,
        };
        if legal {
            break (pre, post);
        }
    };
    let a = params.address_bits();
    // a signature has its own width
    let carries = matches!(
        (pre, post),
        (PRE_NONE, POST_PROGRESS) | (PRE_EXCEPTION, POST_RESYNC) | (PRE_CONTROL, CONTROL_STOP | CONTROL_RESYNC)
    );
    let bits = if carries && params.signature > 0 { params.signature.into() } else { n };
    Entry {
        pre,
        post,
        icnt: number(rng, n, 0) as u32,
        bcnt: number(rng, bits, u64::from(pre != PRE_CONTROL)) as u32,
        pc: number(rng, a, 0),
        target: number(rng, a, 0),
        cc: if params.timestamps { number(rng, params.cc_bits.into(), 0) as u32 } else { 0 },
        context: params.context.map_or(0, |_| number(rng, params.context_bits() + 1, 0) as u32),
        resync_pc: 0,
    }
}

/// Plays `entries` random entries to the circuit and compares its words with the golden model's.
pub fn run<const W: usize>(params: &TraceParams, seed: u64, entries: usize, stalls: bool, verilog: bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // a core begins with a sync, since no previous address is known
    let start = Entry { pre: PRE_SYNC, pc: 2, cc: u32::from(params.timestamps), ..Entry::default() };
    let mut list: Vec<(u8, Entry)> = (0..params.cores).map(|core| (core, start)).collect();
    list.extend((0..entries).map(|_| (rng.random_range(0..params.cores), entry(&mut rng, params))));
    for core in 0..params.cores {
        list.push((core, Entry { pre: PRE_CONTROL, post: CONTROL_STOP, icnt: 5, ..Entry::default() }));
    }
    let mut golden = BitWriter::new();
    header(params).iter().for_each(|w| golden.push((*w).into(), 32));
    let mut coder: Box<dyn Encode> = match params.flow {
        FlowScheme::Tr(p) => Box::new(p.coder(&params.platform)),
        FlowScheme::Nexus(p) => Box::new(p.coder(&params.platform)),
        _ => panic!("has a bench of its own, or none"),
    };
    for (core, e) in &list {
        for m in messages(params, *core, e) {
            coder.encode(&m, &mut golden);
            if *core == 0 && m.body.is_resync() {
                coder.flush(&mut golden);
                golden.pad();
                repeated_header(params).iter().for_each(|w| golden.push((*w).into(), 32));
            }
        }
    }
    golden.pad();
    let want: Vec<u32> = golden.drain().collect();

    let count_bits = params.count_bits.into();
    Coder::<W>::play(params, count_bits, &list, &want, seed, stalls, verilog);
}

/// A random platform, for any scheme.
pub fn platform(rng: &mut impl Rng, p: &mut TraceParams) {
    p.timestamps = rng.random();
    p.cores = [1, 2, 3, 4, 8, 16][rng.random_range(0..6)];
    p.align = rng.random_range(1..=2);
    p.count_bits = rng.random_range(16..=24);
    p.cc_bits = rng.random_range(16..=32);
}

/// Contexts of any width, in a 32-bit system, whose messages have space for them.
pub fn contexts(rng: &mut impl Rng, p: &mut TraceParams) {
    p.count_bits = rng.random_range(16..=24);
    p.context = Some(rng.random_range(0..=16.min(p.xlen - p.align - p.count_bits - 3)));
    p.check().unwrap();
}

/// Narrow and wide systems with the scheme of `p` pass the static checks.
pub fn passes_the_static_gates(p: &TraceParams) {
    emit_checked_system(&mut Coder::<32>::new(p)).unwrap();
    emit_checked_system(&mut Coder::<64>::new(&p.with(|p| (p.cores, p.timestamps, p.xlen) = (4, true, 64)))).unwrap();
}
