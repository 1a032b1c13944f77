//! The golden models behind front ends

use super::entries::{messages, records};
use hdl::spine::entry::Entry;
use retire::FlowEvent;
use sim::golden::core::Core;
use sim::message::{Body, Escape, Message};
use sim::params::TraceParams;
use sim::stream_cache::{self, Record};

/// The golden model of a front end.
pub trait Golden: Clone {
    /// With its `diffCC`.
    type Message: Copy + std::fmt::Debug + PartialEq;
    /// Clocks from an instruction at the ingress to the decision about its messages; one more to its entry.
    const TO_DECISION: u64;
    /// A stop message tells when tracing ended, not when it was its turn.
    const TELLS_THE_END: bool;
    fn new(params: &TraceParams) -> Self;
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Self::Message>);
    fn stop(&mut self, cycle: u64, out: &mut Vec<Self::Message>);
    /// What is sent in `cycle` when the messages of the next event were lost.
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Self::Message>);
    /// The messages of an entry.
    fn messages(e: &Entry, params: &TraceParams) -> Vec<Self::Message>;
    /// `lost` of an overflow message that ends `messages`.
    fn lost(messages: &[Self::Message]) -> Option<u64>;
}

/// The model of `RvfiCore`, and the instructions since its last message.
#[derive(Clone)]
pub struct Predicting {
    core: Core,
    since: u64,
    last: u64,
    cc_max: u64,
    timestamps: bool,
}

impl Golden for Predicting {
    type Message = Message;
    const TO_DECISION: u64 = 4;
    const TELLS_THE_END: bool = false;
    fn new(p: &TraceParams) -> Self {
        let cc_max = (1 << p.cc_bits) - 1;
        Self { core: Core::new(0, p), since: 0, last: 0, cc_max, timestamps: p.timestamps }
    }
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Message>) {
        self.since += u64::from(e.count);
        let before = out.len();
        self.core.event(e, &mut |m| out.push(*m));
        if out.len() > before {
            (self.since, self.last) = (0, e.cycle);
        }
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message>) {
        self.core.stop(cycle, &mut |m| out.push(*m));
    }
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Message>) {
        let diff_cc = if self.timestamps { (cycle - self.last).min(self.cc_max) } else { 0 };
        out.push(Message { core: 0, diff_cc, body: Body::Escape(Escape::Overflow { i_cnt: self.since, lost }) });
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Message> {
        messages(e, p)
    }
    fn lost(messages: &[Message]) -> Option<u64> {
        match messages {
            [Message { body: Body::Escape(Escape::Overflow { lost, .. }), .. }] => Some(*lost),
            _ => None,
        }
    }
}

impl Golden for stream_cache::Core {
    type Message = (u64, Record);
    const TO_DECISION: u64 = 5;
    const TELLS_THE_END: bool = true;
    fn new(p: &TraceParams) -> Self {
        stream_cache::Core::new(p)
    }
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Self::Message>) {
        stream_cache::Core::event(self, e, &mut |cc, r| out.push((cc, *r)));
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Self::Message>) {
        stream_cache::Core::stop(self, cycle, &mut |cc, r| out.push((cc, *r)));
    }
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Self::Message>) {
        stream_cache::Core::overflow(self, cycle, lost, &mut |cc, r| out.push((cc, *r)));
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Self::Message> {
        records(e, p)
    }
    fn lost(records: &[Self::Message]) -> Option<u64> {
        match records.last() {
            Some((_, Record::Escape { escape: Escape::Overflow { lost, .. }, .. })) => Some(*lost),
            _ => None,
        }
    }
}
