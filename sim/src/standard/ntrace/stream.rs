//! A stream of bytes with the messages of one or more harts

use super::decoder::Decoder;
use super::message::{read, Kind, Message, MAX_MESSAGE};
use super::params::Parameters;
use crate::standard::{Counts, Fault, Faults, Sources, Stream};
use retire::image::Image;
use retire::RetireSink;

/// What the beginning of some bytes is.
enum Part {
    /// Idle bytes.
    Idle,
    /// A message.
    Message(Message),
    /// Bytes of no message.
    Bad(Fault),
}

/// Reader of messages.
#[derive(Clone, Debug)]
struct Messages {
    p: Parameters,
    /// Bytes up to the end of a message belong to one whose beginning is not known.
    inside: bool,
}

impl Messages {
    /// The part at the beginning of `bytes`, which are not empty, and its length. `None` if more bytes are needed.
    fn next(&mut self, bytes: &[u8], last: bool) -> Option<(Part, usize)> {
        if bytes[0] == 0xff {
            self.inside = false;
            return Some((Part::Idle, 1));
        }
        let window = &bytes[..bytes.len().min(MAX_MESSAGE)];
        let Some(end) = window.iter().position(|b| b & 3 == 3) else {
            if window.len() < MAX_MESSAGE && !last {
                return None;
            }
            let again = std::mem::replace(&mut self.inside, true);
            let bad = Part::Bad(Fault::Content("bytes without the end of a message"));
            return Some((if again { Part::Idle } else { bad }, window.len()));
        };
        if std::mem::take(&mut self.inside) {
            return Some((Part::Idle, end + 1));
        }
        let part = read(&bytes[..=end], &self.p).map_or_else(Part::Bad, Part::Message);
        Some((part, end + 1))
    }
}

/// Finds the sources of a stream; as [`Stream::feed`].
#[derive(Debug)]
pub struct Scan {
    messages: Messages,
    /// Those found.
    pub sources: Sources,
    /// Whether all messages have time stamps.
    timed: Option<bool>,
}

impl Scan {
    /// A scan of a stream.
    pub fn new(p: &Parameters) -> Self {
        Self { messages: Messages { p: p.clone(), inside: false }, sources: Sources::default(), timed: None }
    }

    /// Whether the messages, of which there are some, have time stamps.
    pub fn is_timed(&self) -> bool {
        self.timed == Some(true)
    }

    /// Takes bytes and returns their number.
    ///
    /// # Errors
    /// Too many sources.
    pub fn feed(&mut self, bytes: &[u8], last: bool) -> Result<usize, Fault> {
        let mut at = 0;
        while at < bytes.len() {
            let Some((part, length)) = self.messages.next(&bytes[at..], last) else { break };
            if let Part::Message(message) = part {
                if message.kind != Kind::Vendor {
                    self.timed = Some(self.timed != Some(false) && message.time.is_some());
                }
                if message.kind != Kind::Vendor && !self.sources.add(message.source) {
                    let right = "at most 16 different ones; is `trTeSrcBits` right?";
                    return Err(Fault::Value { what: "one more source,", value: message.source.into(), right });
                }
            }
            at += length;
        }
        Ok(at)
    }
}

/// Decoder of a stream.
#[derive(Debug)]
pub struct Trace<'a> {
    messages: Messages,
    sources: Sources,
    decoders: Vec<Decoder<'a>>,
    faults: Faults,
    at: u64,
    /// Whether there was a message: a buffer that wrapped begins inside one.
    begun: bool,
    /// Messages of vendors.
    vendor: u64,
}

impl<'a> Trace<'a> {
    /// A decoder of the messages of `sources`, which become harts in this order. `p` must be valid.
    pub fn new(p: &Parameters, xlen: u8, sources: &Sources, image: &'a Image) -> Self {
        let decoders = (0..).zip(sources.as_slice()).map(|(hart, _)| Decoder::new(p, hart, xlen, image)).collect();
        Self {
            messages: Messages { p: p.clone(), inside: false },
            sources: sources.clone(),
            decoders,
            faults: Faults::default(),
            at: 0,
            begun: false,
            vendor: 0,
        }
    }
}

impl Stream for Trace<'_> {
    fn feed(&mut self, bytes: &[u8], last: bool, sink: &mut impl RetireSink) -> usize {
        let mut done = 0;
        while done < bytes.len() {
            let Some((part, length)) = self.messages.next(&bytes[done..], last) else { break };
            match part {
                Part::Idle => {}
                Part::Message(Message { kind: Kind::Vendor, .. }) => self.vendor += 1,
                Part::Message(message) => {
                    if let Some(hart) = self.sources.hart(message.source) {
                        if let Err(fault) = self.decoders[hart].take(&message, sink) {
                            self.faults.add(self.at, message.source, fault);
                        }
                    }
                }
                // the end of a message whose beginning was overwritten
                Part::Bad(_) if !self.begun => {}
                Part::Bad(fault) => {
                    self.faults.add(self.at, 0, fault);
                    self.decoders.iter_mut().for_each(|d| d.lost(sink));
                }
            }
            self.begun = true;
            self.at += length as u64;
            done += length;
        }
        done
    }

    fn finish(&mut self, sink: &mut impl RetireSink) {
        self.decoders.iter_mut().for_each(|d| d.finish(sink));
    }

    fn counts(&self) -> Counts {
        let mut sum = Counts { other: self.vendor, ..Counts::default() };
        self.decoders.iter().for_each(|d| sum.add(d.counts()));
        sum
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }
}
