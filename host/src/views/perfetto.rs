//! A timeline of bounded size in Perfetto's format, encoded with Protocol Buffers
//!
//! A core, or a task, is a track with its functions as nested slices; tasks, traps and gaps of a core are tracks below its own. A slice
//! that represents several short calls has their number as its argument `calls`. Times are nanoseconds in this format: an instruction, or a
//! cycle, is 1,000 of them.
//!
//! # Source
//! `protos/perfetto/trace` of github.com/google/perfetto: the fields in use of messages `Trace`, `TracePacket`, `TrackEvent`,
//! `TrackDescriptor`, `InternedData` and `DebugAnnotation`.

use super::thinned::{cause_name, By, Row, Span, Thinned, Track};
use prost::Message;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// `TrackEvent.type`: a slice begins.
const BEGIN: i32 = 1;
/// `TrackEvent.type`: a slice ends.
const END: i32 = 2;
/// `TrackEvent.type`: an instant.
const INSTANT: i32 = 3;
/// `TracePacket.sequence_flags`: the first packet, after which names are interned.
const CLEARED: u32 = 1;
/// `TracePacket.sequence_flags`: the packet uses interned names.
const INTERNED: u32 = 2;
/// Nanoseconds of an instruction or cycle: one microsecond, as in the timeline as JSON.
const UNIT: u64 = 1_000;
/// Interned name of the number of calls.
const CALLS: u64 = 1;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<Event>,
    #[prost(message, optional, tag = "12")]
    interned_data: Option<Interned>,
    #[prost(uint32, optional, tag = "13")]
    sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<Descriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct Event {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<Annotation>,
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct Annotation {
    #[prost(uint64, optional, tag = "1")]
    name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct Interned {
    #[prost(message, repeated, tag = "2")]
    event_names: Vec<Name>,
    #[prost(message, repeated, tag = "3")]
    debug_annotation_names: Vec<Name>,
}

#[derive(Clone, PartialEq, Message)]
struct Name {
    #[prost(uint64, optional, tag = "1")]
    iid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Descriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
}

/// Writes packets.
struct Writer<'a> {
    out: &'a mut dyn Write,
    tracks: u64,
    names: HashMap<String, u64>,
    slices: u64,
}

impl Writer<'_> {
    fn packet(&mut self, packet: Packet) -> io::Result<()> {
        let packet = Packet { trusted_packet_sequence_id: Some(1), ..packet };
        self.out.write_all(&Trace { packet: vec![packet] }.encode_to_vec())
    }

    /// Begins a track; returns its number.
    fn track(&mut self, name: &str, parent_uuid: Option<u64>) -> io::Result<u64> {
        self.tracks += 1;
        let uuid = self.tracks;
        let track_descriptor = Some(Descriptor { uuid: Some(uuid), name: Some(name.to_string()), parent_uuid });
        self.packet(Packet { track_descriptor, ..Packet::default() })?;
        Ok(uuid)
    }

    fn event(&mut self, track: u64, time: u64, event: Event, interned_data: Option<Interned>) -> io::Result<()> {
        self.packet(Packet {
            timestamp: Some(time * UNIT),
            track_event: Some(Event { track_uuid: Some(track), ..event }),
            interned_data,
            sequence_flags: Some(INTERNED),
            ..Packet::default()
        })
    }

    /// Begins a slice, or marks an instant. The first use of a name carries it.
    fn named(&mut self, track: u64, kind: i32, time: u64, name: &str, calls: u32) -> io::Result<()> {
        let known = self.names.get(name).copied();
        let iid = known.unwrap_or(self.names.len() as u64 + 1);
        let interned = known.is_none().then(|| {
            self.names.insert(name.to_string(), iid);
            let event_names = vec![Name { iid: Some(iid), name: Some(name.to_string()) }];
            Interned { event_names, debug_annotation_names: Vec::new() }
        });
        let calls = (calls > 1).then(|| Annotation { name_iid: Some(CALLS), uint_value: Some(calls.into()) });
        let debug_annotations = calls.into_iter().collect();
        self.slices += 1;
        self.event(
            track,
            time,
            Event { debug_annotations, r#type: Some(kind), name_iid: Some(iid), track_uuid: None },
            interned,
        )
    }

    fn end(&mut self, track: u64, time: u64) -> io::Result<()> {
        self.event(track, time, Event { r#type: Some(END), ..Event::default() }, None)
    }

    /// Writes rows of functions as nested slices. Merged spans of one row may end after the merged span above them: they then end with it.
    fn nested(&mut self, track: u64, rows: &[Row], name: &dyn Fn(u32) -> String) -> io::Result<()> {
        let mut next = vec![0; rows.len()];
        self.below(track, rows, &mut next, 0..u64::MAX, u64::MAX, name)
    }

    /// Writes the spans of the first of `rows` that begin before `last`, with what is below them, within `time`: that of the slice above, whose
    /// span lasts up to `last`.
    fn below(
        &mut self,
        track: u64,
        rows: &[Row],
        next: &mut [usize],
        time: std::ops::Range<u64>,
        last: u64,
        name: &dyn Fn(u32) -> String,
    ) -> io::Result<()> {
        let Some((row, rows)) = rows.split_first() else { return Ok(()) };
        let Some((at, next)) = next.split_first_mut() else { return Ok(()) };
        let mut from = time.start;
        while let Some(span) = row.spans().get(*at).filter(|s| s.start < last || s.end <= last) {
            *at += 1;
            let (start, end) = (span.start.clamp(from, time.end), span.end.clamp(from, time.end));
            self.named(track, BEGIN, start, &name(span.name), span.calls)?;
            self.below(track, rows, next, start..end, span.end, name)?;
            self.end(track, end)?;
            from = end;
        }
        Ok(())
    }

    /// Writes a row on a track of its own, if it has spans. Those without length are instants.
    fn row(&mut self, title: &str, parent: u64, row: &Row, name: &dyn Fn(&Span) -> String) -> io::Result<()> {
        if row.spans().is_empty() {
            return Ok(());
        }
        let track = self.track(title, Some(parent))?;
        for span in row.spans() {
            let kind = if span.start == span.end { INSTANT } else { BEGIN };
            self.named(track, kind, span.start, &name(span), span.calls)?;
            if kind == BEGIN {
                self.end(track, span.end)?;
            }
        }
        Ok(())
    }
}

/// Name of a task, or of a stack where tasks are not known.
fn task(names: Option<&[String]>, number: u32) -> String {
    names.map_or_else(|| format!("stack {number}"), |names| names[number as usize].clone())
}

/// Writes the timeline; `process` names address spaces. Returns the number of slices and instants.
///
/// # Errors
/// `out` failed.
pub fn write(thinned: &Thinned, process: &dyn Fn(u32) -> String, out: &mut dyn Write) -> io::Result<u64> {
    let mut to = Writer { out, tracks: 0, names: HashMap::new(), slices: 0 };
    let calls = Name { iid: Some(CALLS), name: Some("calls".into()) };
    let interned = Interned { event_names: Vec::new(), debug_annotation_names: vec![calls] };
    to.packet(Packet { interned_data: Some(interned), sequence_flags: Some(CLEARED), ..Packet::default() })?;
    let names: Option<Vec<String>> = thinned.tasks().map(|names| names.map(String::from).collect());
    let by = thinned.shape().by;
    // without address spaces, all rows of spaces are one span of space 0
    let (spaces, several) = (thinned.has_spaces(), names.is_some() || thinned.has_stacks());
    let function = |number: u32| thinned.name(number).to_string();
    for (core, track) in thinned.tracks().iter().enumerate() {
        let above = to.track(&format!("core {core}"), None)?;
        if by == By::Core {
            for rows in track.functions.values() {
                to.nested(above, rows, &function)?;
            }
        }
        if spaces {
            to.row("processes", above, &track.spaces, &|span| process(span.name))?;
        }
        if several && by != By::Process {
            to.row("tasks", above, &track.tasks, &|span| task(names.as_deref(), span.name))?;
        }
        to.row("traps", above, &track.traps, &|span| cause_name(span.name))?;
        to.row("gaps", above, &track.gaps, &|span| match span.name {
            0 | u32::MAX => "lost instructions".to_string(),
            n => format!("{n} lost instructions"),
        })?;
    }
    let tracks = thinned.tracks();
    match by {
        By::Core => {}
        By::Task => {
            // a stack is that of one core
            let of_one = names.is_none() && tracks.len() > 1;
            by_owner(&mut to, tracks, of_one, &|number| task(names.as_deref(), number), &function)?;
        }
        By::Process => by_owner(&mut to, tracks, false, process, &function)?,
    }
    Ok(to.slices)
}

/// A track for each task or process; of one that several cores ran, or `each_core`, one for each of them.
fn by_owner(
    to: &mut Writer<'_>,
    tracks: &[Track],
    each_core: bool,
    name: &dyn Fn(u32) -> String,
    function: &dyn Fn(u32) -> String,
) -> io::Result<()> {
    let mut found: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (core, track) in tracks.iter().enumerate() {
        track.functions.keys().for_each(|number| found.entry(*number).or_default().push(core));
    }
    for (number, cores) in found {
        for core in &cores {
            let mut title = name(number);
            if cores.len() > 1 || each_core {
                title = format!("{title}, core {core}");
            }
            let track = to.track(&title, None)?;
            to.nested(track, &tracks[*core].functions[&number], function)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::thinned::Shape;
    use super::*;
    use crate::symbols::Symbols;
    use retire::{FlowEvent, FlowKind, RetireSink};

    /// Bytes derived by hand from the wire format: field 1 is 0a, 8 as a number 40, 10 is 50, 11 as bytes 5a, 13 is 68; 3,000 is b8 17.
    #[test]
    fn a_packet_is_the_bytes_worked_by_hand() {
        let mut bytes = Vec::new();
        let mut to = Writer { out: &mut bytes, tracks: 0, names: HashMap::new(), slices: 0 };
        to.end(2, 3).unwrap();
        assert_eq!(bytes, [0x0a, 13, 0x40, 0xb8, 0x17, 0x50, 1, 0x5a, 4, 0x48, 2, 0x58, 2, 0x68, 2]);
    }

    /// Slices of each track, with their nesting checked: name, start, end, depth.
    fn slices(bytes: &[u8]) -> BTreeMap<String, Vec<(String, u64, u64, usize)>> {
        let (mut tracks, mut names) = (BTreeMap::new(), BTreeMap::new());
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut found: BTreeMap<String, Vec<(String, u64, u64, usize)>> = BTreeMap::new();
        for packet in Trace::decode(bytes).unwrap().packet {
            if let Some(d) = packet.track_descriptor {
                tracks.insert(d.uuid.unwrap(), d.name.unwrap());
            }
            for name in packet.interned_data.into_iter().flat_map(|i| i.event_names) {
                assert_eq!(names.insert(name.iid.unwrap(), name.name.unwrap()), None);
            }
            let Some(event) = packet.track_event else { continue };
            let (track, now) = (event.track_uuid.unwrap(), packet.timestamp.unwrap() / UNIT);
            let all = found.entry(tracks[&track].clone()).or_default();
            let open = open.entry(track).or_default();
            match event.r#type.unwrap() {
                BEGIN => {
                    let above = open.last().map(|at| all[*at].clone());
                    assert!(all.last().is_none_or(|last| now >= last.1) && above.is_none_or(|above| now >= above.1));
                    open.push(all.len());
                    all.push((names[&event.name_iid.unwrap()].clone(), now, u64::MAX, open.len()));
                }
                END => {
                    let at = open.pop().unwrap();
                    assert!(all[at + 1..].iter().all(|inner| inner.2 <= now) && now >= all[at].1);
                    all[at].2 = now;
                }
                _ => all.push((names[&event.name_iid.unwrap()].clone(), now, now, 0)),
            }
        }
        assert!(open.values().all(Vec::is_empty));
        found
    }

    fn timeline(most: usize, by: By, events: &[(FlowKind, u64, u64)]) -> (Thinned, Vec<u8>) {
        let shape = Shape { cycles: false, depth: 16, most, by };
        let mut thinned = Thinned::new(Symbols::default(), None, 1, shape, None);
        for (kind, pc, target) in events {
            thinned.event(&FlowEvent { hart: 0, kind: *kind, len: 4, count: 1, pc: *pc, target: *target, cycle: 0 });
        }
        let thinned = thinned.finish();
        let mut bytes = Vec::new();
        write(&thinned, &|space| format!("space {space}"), &mut bytes).unwrap();
        (thinned, bytes)
    }

    /// Two tasks, the second of which begins at 0x600.
    const TURNS: [(FlowKind, u64, u64); 8] = [
        (FlowKind::Start, 0, 0x100),
        (FlowKind::Call, 0x100, 0x200),
        (FlowKind::Trap { interrupt: true, cause: 7 }, 0x208, 0x400),
        (FlowKind::TrapReturn, 0x410, 0x600),
        (FlowKind::Call, 0x604, 0x700),
        (FlowKind::Trap { interrupt: true, cause: 7 }, 0x70c, 0x400),
        (FlowKind::TrapReturn, 0x410, 0x208),
        (FlowKind::Return, 0x20c, 0x104),
    ];

    #[test]
    fn functions_are_nested_slices_of_their_core_or_task() {
        let slice = |name: &str, start, end, depth| (name.to_string(), start, end, depth);
        let by_core = slices(&timeline(1_000, By::Core, &TURNS).1);
        assert_eq!(
            by_core["core 0"][..3],
            [slice("0x00000100", 1, 4, 1), slice("0x00000200", 2, 4, 2), slice("0x00000400", 3, 4, 3)]
        );
        assert_eq!(by_core["traps"], [slice("timer interrupt", 3, 3, 0), slice("timer interrupt", 6, 6, 0)]);
        assert_eq!(
            by_core["tasks"].iter().map(|s| (s.0.as_str(), s.1, s.2)).collect::<Vec<_>>(),
            [("stack 0", 0, 4), ("stack 1", 4, 7), ("stack 0", 7, 8)]
        );
        let by_task = slices(&timeline(1_000, By::Task, &TURNS).1);
        assert!(!by_task.contains_key("core 0"), "{by_task:?}");
        assert_eq!(
            by_task["stack 1"],
            [slice("0x00000600", 4, 7, 1), slice("0x00000700", 5, 7, 2), slice("0x00000400", 6, 7, 3)]
        );
        let all = |found: &BTreeMap<String, Vec<(String, u64, u64, usize)>>, name: &str| {
            found.iter().filter(|(track, _)| track.starts_with(name)).map(|(_, all)| all.len()).sum::<usize>()
        };
        assert_eq!(all(&by_task, "stack"), all(&by_core, "core"));
    }

    #[test]
    fn merged_slices_are_nested_and_count_their_calls() {
        let mut events = vec![(FlowKind::Start, 0, 0x100)];
        for n in 0..5_000u64 {
            events.push((FlowKind::Call, 0x100, 0x200));
            (0..n % 7).for_each(|_| events.push((FlowKind::Call, 0x200, 0x300)));
            (0..n % 7).for_each(|_| events.push((FlowKind::Return, 0x300, 0x204)));
            events.push((FlowKind::Return, 0x204, 0x104));
        }
        let (thinned, bytes) = timeline(300, By::Core, &events);
        assert!(thinned.width() > 0);
        let found = &slices(&bytes)["core 0"];
        assert!((20..=300).contains(&found.len()), "{}", found.len());
        assert_eq!((found[0].1, found[0].2), (1, thinned.length()), "the outermost is whole");
        let calls: u64 = Trace::decode(&*bytes)
            .unwrap()
            .packet
            .iter()
            .filter_map(|p| p.track_event.as_ref())
            .filter(|e| e.r#type == Some(BEGIN))
            .map(|e| e.debug_annotations.first().map_or(1, |a| a.uint_value.unwrap()))
            .sum();
        assert_eq!(calls, 1 + 5_000 + (0..5_000u64).map(|n| n % 7).sum::<u64>(), "no call is lost");
    }
}
