//! Track events in Perfetto's format, encoded with Protocol Buffers
//!
//! # Source
//! `protos/perfetto/trace` of github.com/google/perfetto: the fields in use of messages `Trace`, `TracePacket`,
//! `TrackEvent` and `TrackDescriptor`.

use prost::Message;

/// `TrackEvent.type`: an instant.
const INSTANT: i32 = 3;
/// `TrackEvent.type`: a value of a counter.
const COUNTER: i32 = 4;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<Packet>,
}

/// A packet of a trace.
#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<Event>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<Descriptor>,
}

/// An event on a track.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Event {
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(int64, optional, tag = "30")]
    counter_value: Option<i64>,
}

/// Description of a track.
#[derive(Clone, PartialEq, Message)]
struct Descriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {}

/// Uuid of a track; 0 is reserved.
fn uuid(track: u32) -> Option<u64> {
    Some(u64::from(track) + 1)
}

fn file(timestamp: u64, packet: Packet) -> Vec<u8> {
    let packet = Packet { timestamp: Some(timestamp), trusted_packet_sequence_id: Some(1), ..packet };
    Trace { packet: vec![packet] }.encode_to_vec()
}

/// Bytes of a track description.
pub(crate) fn track(track: u32, name: &str, counter: bool) -> Vec<u8> {
    let counter = counter.then(CounterDescriptor::default);
    let track_descriptor = Some(Descriptor { uuid: uuid(track), name: Some(name.into()), counter });
    file(0, Packet { track_descriptor, ..Packet::default() })
}

fn event(time: u64, track: u32, event: Event) -> Vec<u8> {
    let track_event = Some(Event { track_uuid: uuid(track), ..event });
    file(time, Packet { track_event, ..Packet::default() })
}

/// Bytes of an instant event with a text; time in nanoseconds.
pub(crate) fn instant(time: u64, track: u32, name: &str) -> Vec<u8> {
    event(time, track, Event { r#type: Some(INSTANT), name: Some(name.into()), ..Event::default() })
}

/// Bytes of a counter value; time in nanoseconds.
pub(crate) fn counter(time: u64, track: u32, value: i64) -> Vec<u8> {
    event(time, track, Event { r#type: Some(COUNTER), counter_value: Some(value), ..Event::default() })
}
