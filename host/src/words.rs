//! Raw trace words from user hardware, without a trace file: their parameters are in the `parameters.json` of `goshawk
//! gen`

use crate::recording::FileKind;
use crate::HostError;
use retire::file::input;
use serde::Deserialize;
use sim::file::{TraceInfo, TraceReader};
use sim::params::TraceParams;
use std::path::{Path, PathBuf};

/// Name of the parameter file that `goshawk gen` writes; it is searched next to the words.
pub const PARAMETERS: &str = "parameters.json";
/// Maximum size of a parameter file, bytes.
const MAX_SIZE: u64 = 1 << 16;

/// The parts of that file in use.
#[derive(Deserialize)]
struct Described {
    parameters: Parameters,
}

#[derive(Deserialize)]
struct Parameters {
    set: Option<String>,
    fingerprint: Option<String>,
    #[serde(flatten)]
    params: TraceParams,
}

/// The parameter file for the words at `path`: the named one, or one next to the words.
fn parameters_of(path: &Path, named: Option<&Path>) -> Option<PathBuf> {
    let adjacent = || Some(path.with_file_name(PARAMETERS)).filter(|p| p.is_file());
    named.map(Path::to_path_buf).or_else(adjacent)
}

/// Whether the file at `path` is a control-flow trace: a trace file, or words with their parameters.
///
/// # Errors
/// The file cannot be read.
pub fn are_trace(path: &Path, parameters: Option<&Path>) -> Result<bool, HostError> {
    match FileKind::of(path)? {
        FileKind::Trace => Ok(true),
        FileKind::Retire | FileKind::Rbt1 | FileKind::Inputs | FileKind::Values => Ok(false),
        FileKind::Other => Ok(parameters_of(path, parameters).is_some() && !is_elf(path)?),
    }
}

fn is_elf(path: &Path) -> Result<bool, HostError> {
    Ok(input::head(path, 4)? == input::ELF_MAGIC)
}

/// What is wrong with a parameter file, without the words of the parser for text that is not one JSON object.
fn unlike(error: &serde_json::Error) -> String {
    match error.is_data() {
        true => error.to_string(),
        false => format!("line {} does not belong to one JSON object", error.line()),
    }
}

/// Metadata of the words at `path`: they are of a run of `program` with build id `build_id`, with the parameters in the
/// file `named`, or next to the words.
///
/// # Errors
/// There are no parameters, or they are invalid.
pub fn info(path: &Path, named: Option<&Path>, program: &str, build_id: &str) -> Result<TraceInfo, HostError> {
    let Some(file) = parameters_of(path, named) else {
        let found = TraceReader::<TraceInfo>::open(path).err().map(|e| e.to_string());
        return Err(HostError::Other(format!(
            "{}; raw trace words need the {PARAMETERS} of `goshawk gen` in their folder, or `--parameters`",
            found.unwrap_or_else(|| format!("{}: is not a trace file", path.display()))
        )));
    };
    let refuse = |what: String| HostError::Other(format!("{}: {what}", file.display()));
    let text = input::text(&file, MAX_SIZE, &format!("a {PARAMETERS} of `goshawk gen`"))?;
    let described: Described = serde_json::from_str(&text)
        .map_err(|e| refuse(format!("is not a {PARAMETERS} as `goshawk gen` writes it: {}", unlike(&e))))?;
    let Parameters { set, fingerprint, params } = described.parameters;
    params.check().map_err(|e| refuse(e.to_string()))?;
    let own = format!("0x{:08x}", params.fingerprint());
    if let Some(found) = fingerprint.filter(|f| *f != own) {
        return Err(refuse(format!("the fingerprint of the stream is {found}, that of the parameters is {own}")));
    }
    let program = Path::new(program).file_name().map_or_else(|| program.into(), |n| n.to_string_lossy().into_owned());
    Ok(TraceInfo { tool: crate::TOOL.into(), params, set, build_id: build_id.into(), program })
}
