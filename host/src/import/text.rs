//! Tests of importers of texts
#![cfg(test)]

use super::packed::Unpacked;
use super::{Format, Found, Opened, Sink};
use crate::input::Named;
use crate::progress::Quiet;
use crate::HostError;
use retire::file::rbt1::Record;
use std::io::Read;
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

/// Lines of 1,024 bytes that no log has, without an end.
struct Endless;

impl Read for Endless {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        // whole lines, but for a buffer that is shorter than one
        let size = if buf.len() < 1024 { buf.len() } else { buf.len() / 1024 * 1024 };
        buf[..size].iter_mut().enumerate().for_each(|(i, b)| *b = if i % 1024 == 1023 { b'\n' } else { b'y' });
        Ok(size)
    }
}

#[test]
fn text_without_end_that_is_no_log_is_refused() {
    let program = Named::open("builtin:irq").unwrap();
    let formats = [Format::Qemu, Format::Spike, Format::Bt9, Format::Perf, Format::Memtrace];
    for format in formats {
        let input = Unpacked::of(Box::new(Endless.take(1 << 30)), "endless");
        let opened = Opened { path: Path::new("endless"), input, others: Vec::new(), found: Found::Trace(format) };
        let elf = (format == Format::Qemu).then_some(&program);
        let e = opened.convert(elf, &Quiet, &mut |_| {}).unwrap_err().to_string();
        assert!(e.contains("the first 64 MiB are without a"), "{format:?}: {e}");
    }
}

#[test]
fn a_file_that_is_no_text_is_refused_as_such() {
    let program = Named::open("builtin:irq").unwrap();
    // without an end of line, which for a text would mean that it was cut
    let bytes: &[u8] = b"goshret1\0\0\x01\0";
    for format in [Format::Qemu, Format::Spike, Format::Perf, Format::Memtrace] {
        let input = Unpacked::of(Box::new(bytes), "x");
        let opened = Opened { path: Path::new("x"), input, others: Vec::new(), found: Found::Trace(format) };
        let elf = (format == Format::Qemu).then_some(&program);
        let e = opened.convert(elf, &Quiet, &mut |_| {}).unwrap_err().to_string();
        assert!(e.starts_with("x: line 1: is not text; expected a log with "), "{format:?}: {e}");
    }
}

/// A record.
pub(super) fn of(thread: u16, kind: u8, len: u8, count: u32, pc: u64, target: u64) -> Record {
    Record { kind, len, thread, count, pc, target }
}
