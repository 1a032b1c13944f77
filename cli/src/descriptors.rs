//! `encode --ascii` and `--binary` for a control-flow scheme: `mcfTRaptor` descriptors

use crate::args::{check_cores, ParamArgs, Source};
use crate::output::{count, facts, plural, short_id, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::descriptors::to_file;
use sim::analysis::ratio;
use sim::scheme::cfiat::descriptor::Form;
use std::io::Write;
use std::path::Path;

/// Writes the descriptors of a run.
///
/// # Errors
/// The scheme has no descriptors, or the run or the output failed.
pub fn encode(
    source: &Source,
    params: &ParamArgs,
    (form, disassemble, path): (Form, bool, &Path),
    as_json: bool,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let run = source.run()?;
    let info = run.info();
    check_cores(info.harts)?;
    if params.has("timestamps") {
        return Err(Failure::Other("`--timestamps`: descriptors have no time stamps".into()));
    }
    params.no_context("descriptors")?;
    let (params, set) = params.resolve_for(info.harts, info.xlen, source.input.likely_align()?)?;
    let written = to_file(&run, &params, (form, disassemble), path, &Bars)?;
    let (instructions, bits) = (written.totals.instructions, 8 * written.bytes);
    if as_json {
        Object::new("encode", &info.program)
            .with("build_id", info.build_id.into())
            .with("source", info.source.into())
            .with_params(&params, set.as_deref())
            .with("instructions", instructions.into())
            .with("outcomes", written.outcomes.into())
            .with("targets", written.targets.into())
            .with("exceptions", written.exceptions.into())
            .with("bytes", written.bytes.into())
            .with("bits_per_instruction", ratio(bits, instructions).into())
            .with("output", path.display().to_string().into())
            .print(out)?;
        return Ok(Status::Done);
    }
    facts(
        out,
        &[
            ("run", format!("{}, build {}, {}", info.program, short_id(&info.build_id), plural(info.harts, "core"))),
            ("parameters", params.canonical()),
            ("instructions", count(instructions)),
            (
                "descriptors",
                format!(
                    "{} of outcomes, {} of targets, {} of exceptions",
                    count(written.outcomes),
                    count(written.targets),
                    count(written.exceptions)
                ),
            ),
            ("bytes", format!("{}, {:.4} bits per instruction", count(written.bytes), ratio(bits, instructions))),
            ("written", path.display().to_string()),
        ],
    )?;
    Ok(Status::Done)
}
