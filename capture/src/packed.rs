//! Packed recordings: a run as the plugin reported it, before it is expanded
//!
//! Expanding a run to events takes several times as long as the run. A packed recording has the words of the run, packed as
//! they are in the temporary file, so that the files can be made later, at another place, or never. They are the same,
//! byte for byte, as those that are written after the run.
//!
//! | part | content |
//! | --- | --- |
//! | header | `GSHKCAP`, version 1, and a JSON object with what is known of the run ([`retire::file::write_header`]) |
//! | words | the packed words; `bytes` of the header is their length |
//! | end | CRC-32 of the packed words, little-endian |

use crate::machine::Executable;
use crate::outputs::Written;
use crate::routines::Routine;
use crate::run::{Captured, Ended, Process};
use crate::spool::Spool;
use crate::CaptureError;
use retire::file::{input, io, write_header, FileError, Replacement, Source};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// First 8 bytes, with the version.
pub const MAGIC: [u8; 8] = *b"GSHKCAP\x01";
/// Bytes that are copied at a time.
const PORTION: usize = 1 << 18;
/// Limits at which a trace ends, as in [`Captured::limit`].
const LIMITS: [&str; 4] = ["instructions", "bytes", "--stop-at", "--seconds"];

/// The fields of [`Captured`], with the length of the packed words.
#[derive(Serialize, Deserialize)]
struct Header {
    tool: String,
    executable: Executable,
    qemu: String,
    schedule: String,
    ended: Ended,
    limit: Option<String>,
    failure: Option<String>,
    max_alive: u32,
    threads: u64,
    switches: u64,
    steals: u64,
    executed: u64,
    no_registers: bool,
    routines: Vec<Routine>,
    process: Process,
    system: Option<u8>,
    skip: u64,
    length: Option<u64>,
    data: bool,
    text: bool,
    bytes: u64,
}

/// Writes a run as a packed recording. `tool`: the tool version in the file.
pub fn write(captured: &Captured, path: &Path, tool: &str) -> Result<Written, CaptureError> {
    let c = captured;
    let header = Header {
        tool: tool.into(),
        executable: c.executable.clone(),
        qemu: c.qemu.clone(),
        schedule: c.schedule.to_string(),
        ended: c.ended,
        limit: c.limit.map(Into::into),
        failure: c.failure.as_ref().map(ToString::to_string),
        max_alive: c.max_alive,
        threads: c.threads,
        switches: c.switches,
        steals: c.steals,
        executed: c.executed,
        no_registers: c.no_registers,
        routines: c.routines.clone(),
        process: c.process,
        system: c.system,
        skip: c.skip,
        length: c.length,
        data: c.has_data(),
        text: c.text,
        bytes: c.spool.size,
    };
    let mut file = Replacement::create(path)?;
    write_header(&mut file, MAGIC, &header).map_err(io(path))?;
    let mut crc = crc32fast::Hasher::new();
    c.spool.copy(PORTION, |bytes| {
        crc.update(bytes);
        Ok(file.write_all(bytes).map_err(io(path))?)
    })?;
    file.write_all(&crc.finalize().to_le_bytes()).map_err(io(path))?;
    Ok(Written { path: path.into(), records: None, unpacked: None, size: file.commit()? })
}

/// Opens a packed recording, and checks all of it.
pub fn open(path: &Path) -> Result<Captured, CaptureError> {
    let mut source = Source::new(input::open(path)?, path);
    let (_, header) = source.header::<Header>("packed recording", MAGIC)?;
    let schedule = header.schedule.parse().map_err(|e| source.content(format!("schedule {}: {e}", header.schedule)))?;
    let limit = match &header.limit {
        None => None,
        Some(found) => match LIMITS.iter().find(|limit| *limit == found) {
            Some(limit) => Some(*limit),
            None => return Err(source.content(format!("the limit {found} is not known")).into()),
        },
    };
    let start = source.at;
    check(&mut source, header.bytes)?;
    Ok(Captured {
        executable: header.executable,
        qemu: header.qemu,
        schedule,
        ended: header.ended,
        limit,
        failure: header.failure.map(CaptureError::Incomplete),
        max_alive: header.max_alive,
        threads: header.threads,
        switches: header.switches,
        steals: header.steals,
        executed: header.executed,
        no_registers: header.no_registers,
        kept: header.bytes,
        routines: header.routines,
        process: header.process,
        not_started: Vec::<PathBuf>::new(),
        text: header.text,
        system: header.system,
        skip: header.skip,
        length: header.length,
        spool: Spool::stored(source.inner, path, header.data, start..start + header.bytes),
    })
}

/// Reads the packed words and compares their checksum.
fn check(source: &mut Source<impl Read>, bytes: u64) -> Result<(), FileError> {
    const INSIDE: &str = "the packed words";
    let (start, mut crc, mut rest) = (source.at, crc32fast::Hasher::new(), bytes);
    let mut portion = vec![0; PORTION];
    while rest > 0 {
        let n = rest.min(PORTION as u64) as usize;
        source.exact(&mut portion[..n], INSIDE)?;
        crc.update(&portion[..n]);
        rest -= n as u64;
    }
    let found = crc.finalize();
    match source.u32(INSIDE)? {
        right if right == found => Ok(()),
        right => Err(FileError::Checksum { path: source.path.clone(), at: start, what: INSIDE, found, right }),
    }
}
