//! The golden models of front ends

use super::entries::{messages, records};
use hdl::scheme::flow::front;
use hdl::spine::Extras;
use retire::FlowEvent;
use sim::core_trace::{CoreTrace, Front};
use sim::message::{Body, Escape, Message};
use sim::params::{FlowScheme, TraceParams};
use sim::scheme::sc_lsp::{self, Record};
use sim::scheme::{nexus, tr, Scheme};
use std::fmt::Debug;
use testbenches::entry::Entry;

/// The golden model of a front end: a core trace.
pub trait Golden {
    /// The body of a message.
    type Body: Copy + Debug + PartialEq;
    /// Cycles from that decision to the entry.
    const TO_ENTRY: u64;
    /// Whether addresses of an entry are at the ports one cycle before it.
    const EARLY: bool;
    /// Cycles from an instruction at the ingress to the decision about a resync, if that is not the decision about its
    /// messages.
    const TO_RESYNC: Option<u64>;
    /// Whether a stop message reports when tracing ended, and not when it was sent.
    const STOP_HAS_END_TIME: bool;
    fn new(params: &TraceParams) -> Self;
    /// Cycles from an instruction at the ingress to the decision about its messages.
    fn to_decision(params: &TraceParams) -> u64;
    /// See [`CoreTrace::offer`].
    fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut Vec<Message<Self::Body>>) -> bool;
    /// See [`CoreTrace::hide`].
    fn hide(&mut self, before: u32);
    /// See [`CoreTrace::count_retired`].
    fn count_retired(&mut self, count: u32);
    /// See [`CoreTrace::overflow`].
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message<Self::Body>>);
    /// See [`CoreTrace::header_repeated`].
    fn header_repeated(&mut self, cycle: u64);
    /// See [`CoreTrace::request`].
    fn request(&mut self);
    /// See [`CoreTrace::stop`].
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message<Self::Body>>);
    /// Instructions lost according to a message.
    fn lost(message: &Message<Self::Body>) -> Option<u64>;
    /// The messages of an entry.
    fn messages(e: &Entry, params: &TraceParams) -> Vec<Message<Self::Body>>;
}

/// The golden model of core 0.
fn core_trace<S: Scheme>(scheme: &S, params: &TraceParams) -> CoreTrace<S::Front> {
    let mut core_trace = CoreTrace::new(0, &params.platform, scheme.front(&params.platform));
    core_trace.sync_every(scheme.warm_up(), None);
    core_trace
}

fn offer<F: Front<Body: Copy>>(
    core_trace: &mut CoreTrace<F>,
    events: &[FlowEvent],
    full: bool,
    out: &mut Vec<Message<F::Body>>,
) -> bool {
    core_trace.offer(events, full, &mut |m: &Message<F::Body>| out.push(*m))
}

/// The model of `FrontEnd`.
pub enum Predicting {
    Tr(Box<CoreTrace<tr::model::Front>>),
    Nexus(Box<CoreTrace<nexus::model::Front>>),
}

impl Golden for Predicting {
    type Body = Body;
    const TO_ENTRY: u64 = 0;
    const EARLY: bool = true;
    const TO_RESYNC: Option<u64> = None;
    const STOP_HAS_END_TIME: bool = false;
    fn new(p: &TraceParams) -> Self {
        match p.flow {
            FlowScheme::Tr(scheme) => Self::Tr(Box::new(core_trace(&scheme, p))),
            FlowScheme::Nexus(scheme) => Self::Nexus(Box::new(core_trace(&scheme, p))),
            _ => panic!("has a front end of its own, or none"),
        }
    }
    fn to_decision(p: &TraceParams) -> u64 {
        let latency = match p.xlen {
            32 => front::<32>(p, Extras::NONE).latency(),
            _ => front::<64>(p, Extras::NONE).latency(),
        };
        1 + latency as u64
    }
    fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut Vec<Message>) -> bool {
        match self {
            Self::Tr(core_trace) => offer(core_trace, events, full, out),
            Self::Nexus(core_trace) => offer(core_trace, events, full, out),
        }
    }
    fn hide(&mut self, before: u32) {
        match self {
            Self::Tr(core_trace) => core_trace.hide(before),
            Self::Nexus(core_trace) => core_trace.hide(before),
        }
    }
    fn count_retired(&mut self, count: u32) {
        match self {
            Self::Tr(core_trace) => core_trace.count_retired(count),
            Self::Nexus(core_trace) => core_trace.count_retired(count),
        }
    }
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message>) {
        match self {
            Self::Tr(core_trace) => core_trace.overflow(cycle, &mut |m: &Message| out.push(*m)),
            Self::Nexus(core_trace) => core_trace.overflow(cycle, &mut |m: &Message| out.push(*m)),
        }
    }
    fn header_repeated(&mut self, cycle: u64) {
        match self {
            Self::Tr(core_trace) => core_trace.header_repeated(cycle),
            Self::Nexus(core_trace) => core_trace.header_repeated(cycle),
        }
    }
    fn request(&mut self) {
        match self {
            Self::Tr(core_trace) => core_trace.request(),
            Self::Nexus(core_trace) => core_trace.request(),
        }
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message>) {
        match self {
            Self::Tr(core_trace) => core_trace.stop(cycle, &mut |m: &Message| out.push(*m)),
            Self::Nexus(core_trace) => core_trace.stop(cycle, &mut |m: &Message| out.push(*m)),
        }
    }
    fn lost(message: &Message) -> Option<u64> {
        match message.body {
            Body::Escape(Escape::Overflow { lost, .. }) => Some(lost),
            _ => None,
        }
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Message> {
        messages(e, p)
    }
}

/// The model of `StreamFront`.
pub type Streaming = CoreTrace<sc_lsp::Front>;

impl Golden for Streaming {
    type Body = Record;
    const TO_ENTRY: u64 = 1;
    const EARLY: bool = false;
    const TO_RESYNC: Option<u64> = Some(1);
    const STOP_HAS_END_TIME: bool = true;
    fn new(p: &TraceParams) -> Self {
        let scheme = p.stream_cache().expect("the scheme sc-lsp");
        core_trace(&scheme, p)
    }
    fn to_decision(_: &TraceParams) -> u64 {
        5
    }
    fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut Vec<Message<Record>>) -> bool {
        offer(self, events, full, out)
    }
    fn hide(&mut self, before: u32) {
        CoreTrace::hide(self, before);
    }
    fn count_retired(&mut self, count: u32) {
        CoreTrace::count_retired(self, count);
    }
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message<Record>>) {
        CoreTrace::overflow(self, cycle, &mut |m: &Message<Record>| out.push(*m));
    }
    fn header_repeated(&mut self, cycle: u64) {
        CoreTrace::header_repeated(self, cycle);
    }
    fn request(&mut self) {
        CoreTrace::request(self);
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message<Record>>) {
        CoreTrace::stop(self, cycle, &mut |m: &Message<Record>| out.push(*m));
    }
    fn lost(message: &Message<Record>) -> Option<u64> {
        match message.body {
            Record::Escape { escape: Escape::Overflow { lost, .. }, .. } => Some(lost),
            _ => None,
        }
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Message<Record>> {
        records(e, p)
    }
}
