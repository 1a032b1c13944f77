//! A stream of bytes with the packets of one or more harts

use super::container::{Container, Frame, Frames, MAX_FRAME};
use super::decoder::Decoder;
use super::packet::MAX_PAYLOAD;
use super::params::Parameters;
use crate::standard::{Counts, Fault, Faults, Sources, Stream};
use retire::image::Image;
use retire::RetireSink;

/// Decoder of a stream.
#[derive(Debug)]
pub struct Trace<'a> {
    container: Container,
    frames: Frames,
    sources: Sources,
    decoders: Vec<Decoder<'a>>,
    faults: Faults,
    /// Position of the next byte.
    at: u64,
    /// Whether the last frame was bad: what follows belongs to it up to the next packet.
    bad: bool,
    other: u64,
}

/// Finds the sources of a stream; as [`Stream::feed`]. `Err`: more than [`Sources::MOST`].
#[derive(Debug)]
pub struct Scan {
    frames: Frames,
    raw: bool,
    /// Those found.
    pub sources: Sources,
}

impl Scan {
    /// A scan of a stream.
    pub fn new(container: Container, p: &Parameters) -> Self {
        let mut sources = Sources::default();
        let raw = container == Container::Raw;
        if raw {
            sources.add(0);
        }
        Self { frames: Frames::new(container, p), raw, sources }
    }

    /// Takes bytes and returns their number.
    ///
    /// # Errors
    /// Too many sources.
    pub fn feed(&mut self, bytes: &[u8], last: bool) -> Result<usize, Fault> {
        if self.raw {
            return Ok(bytes.len());
        }
        let mut at = 0;
        while at < bytes.len() {
            let Some((frame, length)) = self.frames.next(&bytes[at..], last) else { break };
            if let Frame::Packet { source, .. } = frame {
                if !self.sources.add(source) {
                    let right = "at most 16 different ones; is `source_width` right?";
                    return Err(Fault::Value { what: "one more source,", value: source.into(), right });
                }
            }
            at += length;
        }
        Ok(at)
    }
}

impl<'a> Trace<'a> {
    /// A decoder of the packets of `sources`, which become harts in this order. `p` must be valid, and have a width of
    /// addresses.
    pub fn new(container: Container, p: &Parameters, sources: &Sources, image: &'a Image) -> Self {
        let strict = matches!(container, Container::Smi | Container::Utdd);
        let decoders = (0..).zip(sources.as_slice()).map(|(hart, _)| Decoder::new(p, hart, strict, image)).collect();
        Self {
            container,
            frames: Frames::new(container, p),
            sources: sources.clone(),
            decoders,
            faults: Faults::default(),
            at: 0,
            bad: false,
            other: 0,
        }
    }

    fn all_lost(&mut self, sink: &mut impl RetireSink) {
        self.decoders.iter_mut().for_each(|d| d.lost(sink));
    }

    /// Takes a payload; returns its length without compression.
    fn packet(&mut self, source: u16, payload: &[u8], sink: &mut impl RetireSink) -> usize {
        let Some(hart) = self.sources.hart(source) else { return payload.len() };
        let (used, taken) = self.decoders[hart].take(payload, sink);
        if let Err(fault) = taken {
            self.faults.add(self.at, source, fault);
        }
        used
    }
}

impl Stream for Trace<'_> {
    fn feed(&mut self, bytes: &[u8], last: bool, sink: &mut impl RetireSink) -> usize {
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            if self.container == Container::Raw && rest.len() < MAX_PAYLOAD && !last {
                break;
            }
            let Some((frame, length)) = self.frames.next(rest, last) else { break };
            let mut length = length;
            match frame {
                Frame::Idle => {}
                Frame::Other => self.other += 1,
                Frame::Lost => self.all_lost(sink),
                Frame::Bad(why) if !self.bad => {
                    self.bad = true;
                    self.faults.add(self.at, 0, Fault::Content(why));
                    self.all_lost(sink);
                }
                Frame::Bad(_) => {}
                Frame::Packet { source, payload, shift, time } => {
                    self.bad = false;
                    if let (Some(time), Some(hart)) = (time, self.sources.hart(source)) {
                        self.decoders[hart].at(time);
                    }
                    if self.container == Container::Raw {
                        let used = self.packet(source, &rest[..rest.len().min(MAX_PAYLOAD)], sink);
                        length = used.min(rest.len());
                        if used > rest.len() {
                            self.faults.add(self.at, source, Fault::Content("the bytes end inside a packet"));
                            self.all_lost(sink);
                        }
                    } else if shift == 0 {
                        self.packet(source, &rest[payload], sink);
                    } else {
                        let shifted = shift_down(&rest[payload], shift);
                        self.packet(source, &shifted, sink);
                    }
                }
            }
            self.at += length as u64;
            done += length;
        }
        debug_assert!(last || bytes.len() - done < MAX_FRAME.max(MAX_PAYLOAD));
        done
    }

    fn finish(&mut self, sink: &mut impl RetireSink) {
        self.decoders.iter_mut().for_each(|d| d.finish(sink));
    }

    fn counts(&self) -> Counts {
        let mut sum = Counts { other: self.other, ..Counts::default() };
        self.decoders.iter().for_each(|d| sum.add(d.counts()));
        sum
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }
}

/// The bits of `bytes` from bit `shift` on, with the last one repeated.
fn shift_down(bytes: &[u8], shift: u8) -> Vec<u8> {
    let sign = bytes.last().map_or(0, |b| if b & 0x80 == 0 { 0 } else { 0xffu8 });
    let next = bytes.iter().skip(1).chain([&sign]);
    bytes.iter().zip(next).map(|(low, high)| low >> shift | high << (8 - shift)).collect()
}
