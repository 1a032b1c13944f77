//! Traces from folders and glob patterns

use crate::SweepError;
use host::recording::FileKind;
use retire::file::input;
use std::path::Path;

/// Whether a file can be swept: a recording or an ELF file.
fn is_trace(path: &Path) -> Result<bool, SweepError> {
    Ok(match FileKind::of(path)? {
        FileKind::Retire | FileKind::Rbt1 => true,
        FileKind::Trace | FileKind::Inputs | FileKind::Values => false,
        FileKind::Other => input::head(path, 4)? == input::ELF_MAGIC,
    })
}

fn name_of(path: &Path) -> Result<String, SweepError> {
    input::name(path.as_os_str()).map_err(|e| SweepError::Other(format!("{}: {e}", path.display())))
}

/// The traces of `name`, sorted by name: those in a folder, those that match a pattern, or itself.
///
/// # Errors
/// If a folder or a pattern has no trace, or a file cannot be read.
pub fn of(name: &str) -> Result<Vec<String>, SweepError> {
    let path = &*input::path_of(Path::new(name));
    let mut found = Vec::new();
    if path.is_dir() {
        for entry in path.read_dir().map_err(|e| SweepError::io(path, e))? {
            let file = entry.map_err(|e| SweepError::io(path, e))?.path();
            if file.is_file() && is_trace(&file)? {
                found.push(name_of(&file)?);
            }
        }
        found.sort();
    } else if name.contains(['*', '?', '[']) && !path.exists() {
        let paths = glob::glob(name).map_err(|e| SweepError::Other(format!("{name}: {e}")))?;
        for file in paths {
            let file = file.map_err(|e| SweepError::Other(format!("{name}: {e}")))?;
            found.push(name_of(&file)?);
        }
    } else {
        return Ok(vec![name.to_string()]);
    }
    if found.is_empty() {
        return Err(SweepError::Other(format!("{name}: has no trace; expected ELFs, retire files or rbt1 files")));
    }
    Ok(found)
}
