//! Patches of a kernel: `PERF_RECORD_TEXT_POKE` in `perf.data`
//!
//! # Source
//! Linux, include/uapi/linux/perf_event.h; tools/perf/Documentation/perf.data-file-format.txt.

use super::fields::Fields;
use super::{Patch, Patches};

/// First bytes, as a little-endian machine writes them.
pub(super) const MAGIC: &[u8] = b"PERFILE2";
/// Size of the header of a file; of one that was written to a pipe, it is smaller.
const HEADER: u64 = 104;
const TEXT_POKE: u32 = 20;
/// A record that other data follow.
const AUXTRACE: u32 = 71;
const COMPRESSED: [u32; 2] = [81, 83];
/// Bits of an event's attributes.
const SAMPLE_ID_ALL: u64 = 1 << 18;
const WANTS_TEXT_POKE: u64 = 1 << 33;
/// Bits of `sample_type`: the time, and what follows it at the end of a record.
const TIME: u64 = 1 << 2;
const AFTER_TIME: u64 = 1 << 6 | 1 << 7 | 1 << 9 | 1 << 16;

/// Bytes from the time to the end of each record; `None` if records have no time.
fn time_from_end(attributes: &[u8], each: u64) -> Result<Option<u64>, String> {
    let each = usize::try_from(each).ok().filter(|each| *each >= 48).ok_or("has no attributes of its events")?;
    let mut events = Vec::new();
    for event in attributes.chunks_exact(each) {
        let mut fields = Fields(event);
        fields.take(24)?;
        let sample_type = fields.long()?;
        fields.take(8)?;
        events.push((sample_type, fields.long()?));
    }
    // the event that asked for patches; the others do not have them
    let of = events.iter().find(|(_, flags)| flags & WANTS_TEXT_POKE != 0).or(events.first());
    let timed = of.filter(|(sample_type, flags)| flags & SAMPLE_ID_ALL != 0 && sample_type & TIME != 0);
    Ok(timed.map(|(sample_type, _)| 8 * u64::from(1 + (sample_type & AFTER_TIME).count_ones())))
}

pub(super) fn parse(bytes: &[u8]) -> Result<Patches, String> {
    let mut header = Fields(bytes);
    header.take(8)?;
    let size = header.long()?;
    if size < HEADER {
        return Err(format!("has a header of {size} bytes, as written to a pipe; expected a file of `perf record -o`"));
    }
    let each = header.long()?;
    let mut section = || -> Result<&[u8], String> {
        let (offset, size) = (header.long()?, header.long()?);
        let mut file = Fields(bytes);
        file.take(offset)?;
        file.take(size)
    };
    let (attributes, data) = (section()?, section()?);
    let from_end = time_from_end(attributes, each)?;
    let mut patches = Patches::default();
    let mut data = Fields(data);
    while !data.0.is_empty() {
        let kind = data.word()?;
        data.half()?;
        let size = data.half()?;
        let size = size.checked_sub(8).ok_or(format!("has a record of {size} bytes, expected 8 or more"))?;
        let record = data.take(size.into())?;
        match kind {
            TEXT_POKE => patches.changes.push(patch(record, from_end)?),
            AUXTRACE => {
                let trace = Fields(record).long()?;
                data.take(trace)?;
            }
            _ if COMPRESSED.contains(&kind) => {
                return Err("has compressed records; expected a file of `perf record` without `-z`".into());
            }
            _ => {}
        }
    }
    Ok(patches)
}

fn patch(record: &[u8], from_end: Option<u64>) -> Result<Patch, String> {
    let mut fields = Fields(record);
    let (addr, old, new) = (fields.long()?, fields.half()?, fields.half()?);
    let (before, after) = (fields.take(old.into())?, fields.take(new.into())?);
    let time = match from_end {
        Some(n) if n <= fields.0.len() as u64 => Some(Fields(&record[record.len() - n as usize..]).long()?),
        Some(_) => return Err(format!("the patch at 0x{addr:x} has no time")),
        None => None,
    };
    if addr.checked_add(before.len().max(after.len()) as u64).is_none() {
        return Err(format!("the patch at 0x{addr:x} lies past the last address"));
    }
    Ok(Patch { time, addr, before: before.to_vec(), after: after.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longs(all: &[u64]) -> Vec<u8> {
        all.iter().flat_map(|long| long.to_le_bytes()).collect()
    }

    fn record(kind: u32, rest: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &[0, 0], &(8 + rest.len() as u16).to_le_bytes(), rest].concat()
    }

    /// A file of two events, the second of which asked for patches.
    fn file(records: &[Vec<u8>]) -> Vec<u8> {
        let event = |sample_type, flags| [longs(&[1, 0, 0, sample_type, 0, flags]), longs(&[0; 4])].concat();
        // thread, time, processor and identifier
        let with_time = 1 << 1 | TIME | 1 << 7 | 1 << 16;
        let events = [event(1, SAMPLE_ID_ALL), event(with_time, SAMPLE_ID_ALL | WANTS_TEXT_POKE)].concat();
        let data = records.concat();
        let header = longs(&[HEADER, 80, HEADER, events.len() as u64, HEADER + events.len() as u64, data.len() as u64]);
        let rest = vec![0; HEADER as usize - 8 - header.len()];
        [MAGIC, &header, &rest, &events, &data].concat()
    }

    fn poke(time: u64) -> Vec<u8> {
        let bytes = [0x13, 0, 0, 0, 0x6f, 0, 0xc0, 0, 0, 0, 0, 0];
        let sample = longs(&[7, time, 1, 99]);
        record(TEXT_POKE, &[longs(&[0x1000]), vec![4, 0, 4, 0], bytes.to_vec(), sample].concat())
    }

    #[test]
    fn patches_have_their_time_among_other_records() {
        let trace = [record(AUXTRACE, &longs(&[5, 0, 0])), vec![0xff; 5]].concat();
        let file = file(&[record(9, &[1; 16]), trace, poke(77), poke(80)]);
        let patch =
            |time| Patch { time: Some(time), addr: 0x1000, before: vec![0x13, 0, 0, 0], after: vec![0x6f, 0, 0xc0, 0] };
        assert_eq!(parse(&file).unwrap().changes, [patch(77), patch(80)]);
        for n in 8..file.len() {
            assert!(parse(&file[..n]).is_err(), "{n}");
        }
    }

    #[test]
    fn compressed_files_and_pipes_are_refused() {
        assert!(parse(&file(&[record(81, &[0; 8])])).unwrap_err().contains("without `-z`"));
        assert!(parse(&[MAGIC, &longs(&[16])].concat()).unwrap_err().contains("as written to a pipe"));
    }
}
