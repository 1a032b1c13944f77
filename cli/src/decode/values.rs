//! Lists the records of a file of load values, which needs no program

use super::Args;
use crate::args::check_core;
use crate::output::{report_missing, stream_parameters, Object};
use crate::{Failure, Status};
use host::trace::LossSummary;
use host::HostError;
use sim::file::{TraceReader, ValuesInfo};
use sim::scheme::cfiat::decoder::{Located, RecordReader};
use sim::scheme::cfiat::message::Record;
use std::io::Write;

/// Options that only a trace of the control flow has.
fn refuse(args: &Args) -> Result<(), Failure> {
    let given = |option, given: bool| given.then_some(option);
    let first = given("--elf", args.elf.is_some())
        .or_else(|| args.processes.given())
        .or_else(|| given("--any-build", args.any_build))
        .or_else(|| given("--parameters", args.parameters.is_some()))
        .or_else(|| given("--resume", args.resume));
    match first {
        Some(option) => Err(Failure::Other(format!(
            "{}: `{option}`: not with a file of load values, whose records are listed without the program",
            args.trace.display()
        ))),
        None => Ok(()),
    }
}

/// Prints a record.
fn print(json: bool, index: u64, found: &Located, out: &mut dyn Write) -> std::io::Result<()> {
    let Located { bit, core, record } = found;
    let (kind, fah, fields) = match *record {
        Record::Value { fah, size, value } => (
            "value",
            fah,
            [("size", size.to_string()), ("value", format!("0x{value:0w$x}", w = 2 * usize::from(size)))],
        ),
        Record::Stop { fah, signature } => {
            ("stop", fah, [("signature", format!("0x{signature:08x}")), ("", String::new())])
        }
    };
    let fields = fields.iter().filter(|(name, _)| !name.is_empty());
    if json {
        write!(out, "{{\"record\":{index},\"bit\":{bit},\"core\":{core},\"kind\":\"{kind}\",\"fields\":")?;
        write!(out, "{{\"fahCnt\":\"{fah}\"")?;
        for (name, value) in fields {
            write!(out, ",\"{name}\":\"{value}\"")?;
        }
        return out.write_all(b"}}\n");
    }
    write!(out, "{index:>8} {bit:>10} {core:>4}  {kind:<5}  fahCnt {fah}")?;
    for (name, value) in fields {
        write!(out, "  {name} {value}")?;
    }
    out.write_all(b"\n")
}

/// Lists the records of the file, one after the other.
///
/// # Errors
/// The file cannot be read, or its records are damaged: what comes before is listed.
pub(super) fn list(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    refuse(args)?;
    let mut reader = TraceReader::<ValuesInfo>::open(&args.trace)?;
    let info = reader.info().clone();
    check_core(&args.trace, args.core, info.params.cores)?;
    if args.json {
        Object::new("decode", &args.trace.display().to_string())
            .with("program", info.program.into())
            .with("build_id", info.build_id.into())
            .with("parameters", stream_parameters(&info.params))
            .line(out)?;
    } else {
        writeln!(out, "{:>8} {:>10} {:>4}  {:<5}  fields", "record", "bit", "core", "kind")?;
    }
    let (mut index, mut left) = (0, args.limit.unwrap_or(u64::MAX));
    let mut wrong = None;
    match RecordReader::new(&info.params, reader.by_ref()) {
        Err(e) => wrong = Some(e),
        Ok(mut records) => {
            while left > 0 {
                let found = match records.next_record() {
                    Ok(Some(found)) => found,
                    Ok(None) => break,
                    Err(e) => {
                        wrong = Some(e);
                        break;
                    }
                };
                if args.core.is_none_or(|core| core == found.core) {
                    print(args.json, index, &found, out)?;
                    left -= 1;
                }
                index += 1;
            }
        }
    }
    out.flush()?;
    // a damaged block ends the words, so that the records seem to be truncated
    let damage = match (wrong, reader.error()) {
        (None, _) => None,
        (Some(_), Some(file)) => Some(HostError::from(file)),
        (Some(wrong), None) => Some(HostError::Other(format!("{}: {wrong}", args.trace.display()))),
    };
    Ok(report_missing(&args.trace, &LossSummary::default(), damage.as_ref()))
}
