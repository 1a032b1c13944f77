//! A file with the data of a link, which can be evaluated again without chip and run
//!
//! | bytes | what |
//! | ---: | --- |
//! | 8 | `GSHDLOG3` |
//! | 4 + n | n in 32 bits, low byte first, and a JSON object of n bytes: script, cut and chip |
//! | | the frames as they left the chip ([`crate::link`]) |
//! | m | a JSON object: the last cycle, the number of frames, of lost events, and of those that no packet reported, and which of these yielded |
//! | 4, 4 | m; CRC-32 of everything before it, both low byte first |
//! | 8 | `GSHDEND3` |
//!
//! A damaged frame affects no other and is counted. What is missing at the end is detected by the number of frames, or by
//! the missing end mark.

use crate::app::App;
use crate::arrivals::unreported;
use crate::layout::{Cut, Layout};
use crate::link::{FrameReader, FrameWriter};
use crate::losses::Unreported;
use crate::session::Host;
use crc::{Crc, CRC_32_ISO_HDLC};
use serde_json::{json, Value};
use sim::diag::chip::Chip;
use sim::diag::packet::Packet;

const MAGIC: &[u8; 8] = b"GSHDLOG3";
const END: &[u8; 8] = b"GSHDEND3";
/// Magic of the earlier formats: 1 had a slot for each probe, 2 no end mark.
const OLD_MAGICS: [&[u8; 8]; 2] = [b"GSHDLOG1", b"GSHDLOG2"];
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Header of a log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Text of the script.
    pub script: String,
    /// Parts of it that ran on the chip.
    pub cut: Cut,
    /// Cores of the chip.
    pub cores: u8,
    /// Clock frequency of the chip, Hz.
    pub clock_hz: u64,
    /// Its event generators have no data.
    pub lite: bool,
    /// State that depends on the order of cores could be on the chip.
    pub unordered: bool,
    /// Bus masters with generators.
    pub masters: u8,
    /// Cores with a separate clock.
    pub clocked: u8,
}

/// Totals at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Last cycle of the run.
    pub cycles: u64,
    /// Number of frames.
    pub frames: u64,
    /// Number of events lost on the chip.
    pub lost: u64,
    /// Lost events that no packet reported: of each core, then of the nodes.
    pub unreported: Vec<Unreported>,
}

/// A log file: the frames of a run, which can be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log<'a> {
    /// The header.
    pub header: Header,
    /// The frames.
    pub frames: &'a [u8],
    /// The end; `None`: the file has no end mark.
    pub end: Option<End>,
    /// Whether the checksum of the file is right.
    pub intact: bool,
}

/// Damage found in a log file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Missing frames.
    pub frames: u64,
    /// Bytes outside frames.
    pub bytes: u64,
    /// It has no end mark.
    pub cut: bool,
    /// Its checksum is wrong, or the lost events in its frames are not as many as at its end.
    pub differs: bool,
}

/// Frames that are recorded.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    writer: FrameWriter,
    bytes: Vec<u8>,
    frames: u64,
}

impl Recorder {
    /// Records a packet.
    pub fn packet(&mut self, packet: &Packet) {
        self.bytes.extend(self.writer.frame(packet));
        self.frames += 1;
    }

    /// The log file of a chip whose run ended in cycle `cycles` with `lost` lost events.
    pub fn file(&self, header: &Header, chip: &Chip, cycles: u64, lost: u64) -> Vec<u8> {
        let unreported = unreported(chip);
        write(header, &self.bytes, &End { cycles, frames: self.frames, lost, unreported })
    }
}

fn bits(v: &[bool]) -> String {
    v.iter().map(|b| if *b { '1' } else { '0' }).collect()
}

/// Writes a log file of frames.
pub fn write(header: &Header, frames: &[u8], end: &End) -> Vec<u8> {
    let Header { script, cut, cores, clock_hz, lite, unordered, masters, clocked } = header;
    let cut = [&cut.filters, &cut.maps, &cut.machines, &cut.spans, &cut.logs].map(|v| bits(v));
    let mut chip = json!({ "cores": cores, "clock_hz": clock_hz, "lite": lite, "unordered": unordered });
    if *masters > 0 {
        chip["masters"] = (*masters).into();
    }
    if *clocked > 0 {
        chip["core_clocks"] = (*clocked).into();
    }
    let head = json!({ "script": script, "cut": cut, "chip": chip }).to_string();
    let End { cycles, frames: number, lost, unreported } = end;
    let (events, yielded): (Vec<u64>, Vec<bool>) = unreported.iter().map(|u| (u.events, u.yielded)).unzip();
    let mut tail = json!({ "cycles": cycles, "frames": number, "lost": lost, "unreported": events });
    if yielded.contains(&true) {
        tail["yielded"] = yielded.into();
    }
    let tail = tail.to_string();
    let length = |text: &str| (text.len() as u32).to_le_bytes();
    let mut file = [MAGIC, &length(&head)[..], head.as_bytes(), frames, tail.as_bytes(), &length(&tail)].concat();
    let sum = CRC.checksum(&file);
    file.extend(sum.to_le_bytes());
    file.extend(END);
    file
}

/// Reads a log file.
pub fn read(bytes: &[u8]) -> Result<Log<'_>, String> {
    if let Some(old) = OLD_MAGICS.iter().find(|m| bytes.starts_with(**m)) {
        let old = String::from_utf8_lossy(*old);
        return Err(format!("is a log of an earlier version ({old}), which has no end mark; record it again"));
    }
    let rest = bytes.strip_prefix(MAGIC).ok_or("does not begin with GSHDLOG3, as a log of `diag run --log` does")?;
    let cut_off = "ends inside its header; it was cut";
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(cut_off)?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(cut_off)?;
    let header = header(text)?;
    let Some((frames, end)) = end(rest) else { return Ok(Log { header, frames: rest, end: None, intact: true }) };
    let sum = bytes.len() - END.len() - 4;
    let intact = bytes[sum..].starts_with(&CRC.checksum(&bytes[..sum]).to_le_bytes());
    Ok(Log { header, frames, end: Some(end), intact })
}

fn header(text: &[u8]) -> Result<Header, String> {
    let damaged = |what: &str| format!("its header has no {what}; it was damaged");
    let value: Value = serde_json::from_slice(text).map_err(|e| format!("its header is not JSON: {e}"))?;
    let list = |n: usize| -> Result<Vec<bool>, String> {
        let text = value["cut"][n].as_str().ok_or_else(|| damaged("cut"))?;
        Ok(text.chars().map(|c| c == '1').collect())
    };
    let number = |what: &str| value["chip"][what].as_u64().ok_or_else(|| damaged(what));
    let flag = |what: &str| value["chip"][what].as_bool().ok_or_else(|| damaged(what));
    let cores = u8::try_from(number("cores")?).ok().filter(|c| (1..=16).contains(c));
    // a chip without generators of bus masters, or without cores with separate clocks, has no such number
    let optional = |what: &str| u8::try_from(value["chip"][what].as_u64().unwrap_or(0)).ok();
    let (masters, clocked) = (optional("masters"), optional("core_clocks"));
    let room = 16 - cores.unwrap_or(0);
    Ok(Header {
        script: value["script"].as_str().ok_or_else(|| damaged("script"))?.into(),
        cut: Cut { filters: list(0)?, maps: list(1)?, machines: list(2)?, spans: list(3)?, logs: list(4)? },
        cores: cores.ok_or_else(|| damaged("number of cores from 1 to 16"))?,
        clock_hz: number("clock_hz")?,
        lite: flag("lite")?,
        unordered: flag("unordered")?,
        masters: masters.filter(|m| *m <= room).ok_or_else(|| damaged("number of bus masters that fits"))?,
        clocked: clocked.filter(|c| Some(*c) <= cores).ok_or_else(|| damaged("number of core clocks that fits"))?,
    })
}

/// Splits what is after the header into frames and end.
fn end(rest: &[u8]) -> Option<(&[u8], End)> {
    let (rest, _sum) = rest.strip_suffix(END)?.split_last_chunk::<4>()?;
    let (rest, length) = rest.split_last_chunk::<4>()?;
    let (frames, text) = rest.split_at_checked(rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?)?;
    let value: Value = serde_json::from_slice(text).ok()?;
    // sums of more would not fit
    let number = |v: &Value| v.as_u64().filter(|n| *n < 1 << 48);
    let unreported = value["unreported"].as_array()?.iter().map(number).collect::<Option<Vec<_>>>();
    let unreported = unreported.filter(|u| u.len() <= 17)?;
    let yielded = |n: usize| value["yielded"][n].as_bool().unwrap_or(false);
    let of = |(n, events): (usize, &u64)| Unreported { events: *events, yielded: yielded(n) };
    let unreported = unreported.iter().enumerate().map(of).collect();
    let number = |what: &str| number(&value[what]);
    Some((frames, End { cycles: number("cycles")?, frames: number("frames")?, lost: number("lost")?, unreported }))
}

/// Whether a cut belongs to this application.
pub fn fits(cut: &Cut, app: &App) -> bool {
    let host = Cut::host(app);
    let sizes = |c: &Cut| [c.filters.len(), c.maps.len(), c.machines.len(), c.spans.len(), c.logs.len()];
    sizes(cut) == sizes(&host)
}

/// Passes the frames of a log file to the host, and counts what was lost again.
pub fn replay(app: &App, layout: &Layout, log: &Log<'_>) -> (Host, Damage) {
    let (mut host, mut reader) = (Host::new(app, layout), FrameReader::from_start());
    let mut arrived = 0;
    for chunk in log.frames.chunks(1 << 12) {
        for (missing, packet) in reader.push_with_gaps(chunk) {
            arrived += 1 + missing;
            host.runtime().miss(missing);
            host.take(&packet);
        }
    }
    // more than 255 frames in a row are missing without a trace in their numbers
    let missing = log.end.as_ref().map_or(0, |end| end.frames.saturating_sub(arrived));
    host.runtime().miss(missing);
    let frames = missing + reader.lost + reader.malformed + host.runtime().unknown;
    let mut damage = Damage { frames, bytes: reader.skipped, cut: log.end.is_none(), differs: !log.intact };
    match &log.end {
        Some(end) => {
            host.unreported(&end.unreported);
            damage.differs |=
                frames == 0 && host.lost() + end.unreported.iter().map(|u| u.events).sum::<u64>() < end.lost;
            host.finish(end.cycles);
        }
        None => {
            host.runtime().miss_the_rest();
            let last = host.runtime().time();
            host.finish(last);
        }
    }
    (host, damage)
}
