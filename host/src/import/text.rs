//! Tests of importers of texts
#![cfg(test)]

use super::packed::Unpacked;
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::path::Path;

/// The records and notes of a text, or the message of its error.
pub(super) fn converted(
    text: &str,
    convert: impl FnOnce(&Path, Unpacked, Sink<'_>) -> Result<Vec<String>, HostError>,
) -> Result<(Vec<Record>, Vec<String>), String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut found = Vec::new();
    let input = Unpacked::open(file.path()).unwrap();
    let notes = convert(file.path(), input, &mut |r| found.push(*r)).map_err(|e| e.to_string())?;
    Ok((found, notes))
}

/// A record.
pub(super) fn of(thread: u16, kind: u8, len: u8, count: u32, pc: u64, target: u64) -> Record {
    Record { kind, len, thread, count, pc, target }
}
