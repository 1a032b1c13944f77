//! The golden models of front ends

use super::entries::{messages, records};
use hdl::scheme::flow::front;
use hdl::spine::Extras;
use retire::FlowEvent;
use sim::lane::{Front, Lane};
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
    const TELLS_THE_END: bool;
    fn new(params: &TraceParams) -> Self;
    /// Cycles from an instruction at the ingress to the decision about its messages.
    fn to_decision(params: &TraceParams) -> u64;
    /// See [`Lane::offer`].
    fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut Vec<Message<Self::Body>>) -> bool;
    /// See [`Lane::hide`].
    fn hide(&mut self, before: u32);
    /// See [`Lane::pass`].
    fn pass(&mut self, count: u32);
    /// See [`Lane::overflow`].
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message<Self::Body>>);
    /// See [`Lane::ask`].
    fn ask(&mut self, cycle: u64);
    /// See [`Lane::request`].
    fn request(&mut self);
    /// See [`Lane::stop`].
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message<Self::Body>>);
    /// Instructions lost according to a message.
    fn lost(message: &Message<Self::Body>) -> Option<u64>;
    /// The messages of an entry.
    fn messages(e: &Entry, params: &TraceParams) -> Vec<Message<Self::Body>>;
}

/// The golden model of core 0.
fn lane<S: Scheme>(scheme: &S, params: &TraceParams) -> Lane<S::Front> {
    let mut lane = Lane::new(0, &params.platform, scheme.front(&params.platform));
    lane.sync_every(scheme.settle(), None);
    lane
}

fn offer<F: Front<Body: Copy>>(
    lane: &mut Lane<F>,
    events: &[FlowEvent],
    full: bool,
    out: &mut Vec<Message<F::Body>>,
) -> bool {
    lane.offer(events, full, &mut |m: &Message<F::Body>| out.push(*m))
}

/// The model of `FrontEnd`.
pub enum Predicting {
    Tr(Box<Lane<tr::model::Front>>),
    Nexus(Box<Lane<nexus::model::Front>>),
}

impl Golden for Predicting {
    type Body = Body;
    const TO_ENTRY: u64 = 0;
    const EARLY: bool = true;
    const TO_RESYNC: Option<u64> = None;
    const TELLS_THE_END: bool = false;
    fn new(p: &TraceParams) -> Self {
        match p.flow {
            FlowScheme::Tr(scheme) => Self::Tr(Box::new(lane(&scheme, p))),
            FlowScheme::Nexus(scheme) => Self::Nexus(Box::new(lane(&scheme, p))),
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
            Self::Tr(lane) => offer(lane, events, full, out),
            Self::Nexus(lane) => offer(lane, events, full, out),
        }
    }
    fn hide(&mut self, before: u32) {
        match self {
            Self::Tr(lane) => lane.hide(before),
            Self::Nexus(lane) => lane.hide(before),
        }
    }
    fn pass(&mut self, count: u32) {
        match self {
            Self::Tr(lane) => lane.pass(count),
            Self::Nexus(lane) => lane.pass(count),
        }
    }
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message>) {
        match self {
            Self::Tr(lane) => lane.overflow(cycle, &mut |m: &Message| out.push(*m)),
            Self::Nexus(lane) => lane.overflow(cycle, &mut |m: &Message| out.push(*m)),
        }
    }
    fn ask(&mut self, cycle: u64) {
        match self {
            Self::Tr(lane) => lane.ask(cycle),
            Self::Nexus(lane) => lane.ask(cycle),
        }
    }
    fn request(&mut self) {
        match self {
            Self::Tr(lane) => lane.request(),
            Self::Nexus(lane) => lane.request(),
        }
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message>) {
        match self {
            Self::Tr(lane) => lane.stop(cycle, &mut |m: &Message| out.push(*m)),
            Self::Nexus(lane) => lane.stop(cycle, &mut |m: &Message| out.push(*m)),
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
pub type Streaming = Lane<sc_lsp::Front>;

impl Golden for Streaming {
    type Body = Record;
    const TO_ENTRY: u64 = 1;
    const EARLY: bool = false;
    const TO_RESYNC: Option<u64> = Some(1);
    const TELLS_THE_END: bool = true;
    fn new(p: &TraceParams) -> Self {
        let scheme = p.stream_cache().expect("the scheme sc-lsp");
        lane(&scheme, p)
    }
    fn to_decision(_: &TraceParams) -> u64 {
        5
    }
    fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut Vec<Message<Record>>) -> bool {
        offer(self, events, full, out)
    }
    fn hide(&mut self, before: u32) {
        Lane::hide(self, before);
    }
    fn pass(&mut self, count: u32) {
        Lane::pass(self, count);
    }
    fn overflow(&mut self, cycle: u64, out: &mut Vec<Message<Record>>) {
        Lane::overflow(self, cycle, &mut |m: &Message<Record>| out.push(*m));
    }
    fn ask(&mut self, cycle: u64) {
        Lane::ask(self, cycle);
    }
    fn request(&mut self) {
        Lane::request(self);
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message<Record>>) {
        Lane::stop(self, cycle, &mut |m: &Message<Record>| out.push(*m));
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
