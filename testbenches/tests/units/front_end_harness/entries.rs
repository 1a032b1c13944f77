//! Converts event FIFO entries to messages

use hdl::scheme::sc_lsp::entry::*;
use hdl::spine::entry::*;
use retire::Context;
use sim::message::{Body, Escape, Message};
use sim::params::{FlowScheme, TraceParams};
use sim::scheme::sc_lsp::{Record, Variant};
use testbenches::entry::Entry;

/// Whether an entry of a front end with a stream cache is a resync.
pub fn resync(e: &Entry) -> bool {
    e.pre == PRE_CONTROL && matches!(e.post, CONTROL_RESYNC | CONTROL_EXCEPTION_RESYNC)
}

/// An entry as in a system in which no header is repeated.
pub fn unasked(e: Entry) -> Entry {
    let own = matches!(e.pre, PRE_EXCEPTION | PRE_CONTROL);
    Entry { bcnt: if own { e.bcnt & !(1 << 10) } else { e.bcnt }, ..e }
}

/// The records of an entry of a front end with a stream cache.
pub fn records(e: &Entry, p: &TraceParams) -> Vec<Message<Record>> {
    let base = p.stream_cache().is_some_and(|sc| sc.variant == Variant::Base);
    let field = |at: u32, bits: u32| e.bcnt >> at & ((1 << bits) - 1);
    let [pc, target] = [e.pc, e.target].map(|a| a << p.align);
    let i_cnt = u64::from(e.icnt);
    let signature = (p.signature > 0).then_some((field(0, 10) | e.context << 10) as u16);
    let mut out = Vec::new();
    let run = (field(20, 4) != u32::from(NO_RUN)).then_some(field(12, 8) + 1);
    // the first message after a repeated header contains the run itself
    let after_header = matches!(e.pre, PRE_EXCEPTION | PRE_CONTROL) && field(10, 1) == 1;
    if let Some(count) = run.filter(|_| !after_header) {
        out.push(Record::Hits { count, bits: field(20, 4) });
    }
    let start = (after_header || field(11, 1) == 0).then_some(target);
    let hits = after_header.then_some(run.unwrap_or(0));
    let mut tell = |start, hits, escape| out.push(Record::Escape { start, hits, escape });
    let mut escape = |start, escape| tell(start, if start.is_some() { hits } else { None }, escape);
    match e.pre {
        PRE_EXCEPTION => escape(start, Escape::Exception { i_cnt, target: pc, context: None }),
        PRE_SYNC => escape(None, Escape::Sync { i_cnt: 0, pc, context: None }),
        PRE_CONTROL if resync(e) => {
            let sync = Escape::Sync { i_cnt: 0, pc: e.resync_pc << p.align, context: None };
            if e.post == CONTROL_EXCEPTION_RESYNC {
                escape(start, Escape::Exception { i_cnt, target: pc, context: None });
                escape(None, Escape::Resync { i_cnt: 1, signature });
            } else {
                escape(start, Escape::Resync { i_cnt, signature });
            }
            escape(None, sync);
        }
        PRE_CONTROL if e.post == CONTROL_OVERFLOW => escape(start, Escape::Overflow { i_cnt, lost: e.pc }),
        PRE_CONTROL => escape(start, Escape::Stop { i_cnt, signature }),
        _ => {}
    }
    let length = field(0, 10);
    match e.post {
        _ if e.pre == PRE_CONTROL => {}
        POST_INDEX => out.push(Record::Index(length)),
        POST_MISS => out.push(Record::Miss { length, start: None }),
        POST_HIT if e.pre != PRE_NONE => out.push(Record::Hits { count: 1, bits: 0 }),
        // without a last-value register, the bit has no meaning
        POST_MISS_START => out.push(Record::Miss { length, start: Some((target, base || field(10, 1) == 1)) }),
        _ => {}
    }
    timed(e, p, out)
}

/// The messages of an entry.
pub fn messages(e: &Entry, p: &TraceParams) -> Vec<Message> {
    let (icnt, bcnt) = (u64::from(e.icnt), u64::from(e.bcnt));
    let (pc, target) = (e.pc << p.align, e.target << p.align);
    let nexus = match p.flow {
        FlowScheme::Tr(_) => false,
        FlowScheme::Nexus(_) => true,
        _ => panic!("its entries are records, or it has none"),
    };
    let mut bodies = Vec::new();
    let reported = p.reported(Context(e.context));
    let alone = p.context.is_some() && e.context >> p.context_bits() & 1 == 1;
    let context = p.context.map(|_| reported);
    let signature = (p.signature > 0).then_some(e.bcnt as u16);
    let resync =
        |i_cnt| [Escape::Resync { i_cnt, signature }, Escape::Sync { i_cnt: 0, pc: target, context }].map(Body::Escape);
    match e.pre {
        PRE_EXCEPTION if alone => bodies.push(Body::Escape(Escape::Context { i_cnt: icnt, context: reported })),
        PRE_EXCEPTION => bodies.push(Body::Escape(Escape::Exception { i_cnt: icnt, target: pc, context })),
        PRE_SYNC => bodies.push(Body::Escape(Escape::Sync { i_cnt: icnt, pc, context })),
        PRE_CONTROL if e.post == CONTROL_RESYNC => bodies.extend(resync(icnt)),
        PRE_CONTROL => bodies.push(Body::Escape(match e.post {
            CONTROL_STOP => Escape::Stop { i_cnt: icnt, signature },
            CONTROL_OVERFLOW => Escape::Overflow { i_cnt: icnt, lost: bcnt },
            other => panic!("control {other}"),
        })),
        _ => {}
    }
    match e.post {
        _ if e.pre == PRE_CONTROL => {}
        POST_OUTCOME if nexus => bodies.push(Body::Stream { length: bcnt, target: None }),
        POST_OUTCOME => bodies.push(Body::Outcome { count: bcnt }),
        POST_TARGET if nexus => bodies.push(Body::Stream { length: bcnt, target: Some(target) }),
        POST_TARGET => bodies.push(Body::Target { count: bcnt, target }),
        // the signature is in place of the count, which is always 1
        POST_RESYNC if e.pre == PRE_EXCEPTION => bodies.extend(resync(signature.map_or(bcnt, |_| 1))),
        POST_PROGRESS => bodies.push(Body::Escape(Escape::Progress { i_cnt: icnt, signature })),
        _ => {}
    }
    timed(e, p, bodies)
}

/// Adds times: that of the entry for its first message, 0 for the others.
fn timed<B>(e: &Entry, p: &TraceParams, bodies: Vec<B>) -> Vec<Message<B>> {
    let cc = if p.timestamps { u64::from(e.cc) } else { 0 };
    let message = |(k, body)| Message { core: 0, diff_cc: if k == 0 { cc } else { 0 }, body };
    bodies.into_iter().enumerate().map(message).collect()
}
