//! A file with the data of a link, which can be evaluated again without chip and run
//!
//! The format: eight bytes `GSHDLOG2`; the length of a JSON object in 32 bits, and the object: script, cut and cycles;
//! then the frames as they left the chip ([`crate::link`]). A damaged frame affects no other and is counted.

use crate::app::App;
use crate::layout::{Cut, Layout};
use crate::link::FrameReader;
use crate::session::Host;
use serde_json::{json, Value};

const MAGIC: &[u8; 8] = b"GSHDLOG2";
/// Magic of the earlier format, in which each probe had a slot of its own.
const OLD_MAGIC: &[u8; 8] = b"GSHDLOG1";

/// Header of a log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Text of the script.
    pub script: String,
    /// Parts of it that ran on the chip.
    pub cut: Cut,
    /// Last cycle of the run.
    pub cycles: u64,
    /// Number of events lost on the chip.
    pub lost: u64,
}

/// Damage found in a log file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Missing frames.
    pub frames: u64,
    /// Bytes outside frames.
    pub bytes: u64,
}

fn bits(v: &[bool]) -> String {
    v.iter().map(|b| if *b { '1' } else { '0' }).collect()
}

/// Writes a log file of frames.
pub fn write(header: &Header, frames: &[u8]) -> Vec<u8> {
    let Header { script, cut, cycles, lost } = header;
    let cut = [&cut.filters, &cut.maps, &cut.machines, &cut.spans, &cut.logs].map(|v| bits(v));
    let text = json!({ "script": script, "cut": cut, "cycles": cycles, "lost": lost }).to_string();
    [MAGIC, &(text.len() as u32).to_le_bytes()[..], text.as_bytes(), frames].concat()
}

/// The header of a log file, and its frames.
pub fn read(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    if bytes.starts_with(OLD_MAGIC) {
        return Err(
            "is a log of an earlier version (GSHDLOG1), in which no probes shared a trigger; record it again".into()
        );
    }
    let rest = bytes.strip_prefix(MAGIC).ok_or("is not a diagnosis log (GSHDLOG2)")?;
    let cut_off = "ends inside its header; it was cut";
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(cut_off)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (text, frames) = rest.split_at_checked(length).ok_or(cut_off)?;
    let damaged = |what: &str| format!("its header has no {what}; it was damaged");
    let value: Value = serde_json::from_slice(text).map_err(|e| format!("its header is not JSON: {e}"))?;
    let list = |n: usize| -> Result<Vec<bool>, String> {
        let text = value["cut"][n].as_str().ok_or_else(|| damaged("cut"))?;
        Ok(text.chars().map(|c| c == '1').collect())
    };
    // files from before the `log` item have no list of logs
    let logs = if value["cut"][4].is_null() { Vec::new() } else { list(4)? };
    let number = |what: &str| value[what].as_u64().ok_or_else(|| damaged(what));
    let header = Header {
        script: value["script"].as_str().ok_or_else(|| damaged("script"))?.into(),
        cut: Cut { filters: list(0)?, maps: list(1)?, machines: list(2)?, spans: list(3)?, logs },
        cycles: number("cycles")?,
        lost: number("lost")?,
    };
    Ok((header, frames))
}

/// Whether a cut belongs to this application.
pub fn fits(cut: &Cut, app: &App) -> bool {
    let host = Cut::host(app);
    let sizes = |c: &Cut| [c.filters.len(), c.maps.len(), c.machines.len(), c.spans.len(), c.logs.len()];
    sizes(cut) == sizes(&host)
}

/// Passes the frames of a log file to the host.
pub fn replay(app: &App, layout: &Layout, header: &Header, frames: &[u8]) -> (Host, Damage) {
    let (mut host, mut reader) = (Host::new(app, layout), FrameReader::from_start());
    for chunk in frames.chunks(1 << 12) {
        for (missing, packet) in reader.push_with_gaps(chunk) {
            host.runtime().miss(missing);
            host.take(&packet);
        }
    }
    host.finish(header.cycles);
    let unknown = host.runtime().unknown;
    (host, Damage { frames: reader.lost + reader.malformed + unknown, bytes: reader.skipped })
}
