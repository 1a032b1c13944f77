//! External tools: finds them, runs them, and reports their output

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Error of an external tool.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The tool is not installed.
    #[error(
        "{tool}: not found ({}); `tools/setup` installs it, or set {variable} to its name",
        retire::file::system_error(source)
    )]
    Missing {
        /// Command that was run.
        tool: String,
        /// Environment variable that overrides the name.
        variable: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The tool exited with an error.
    #[error("{tool}: {status}\n{output}")]
    Failed {
        /// Command that was run.
        tool: String,
        /// Exit status.
        status: String,
        /// Output of both streams.
        output: String,
    },
}

/// Name of a tool: the value of the environment variable `variable`, else the first of `names` that is on PATH, else
/// the last of them.
pub fn tool_name(variable: &str, names: &[&str]) -> String {
    if let Some(name) = std::env::var(variable).ok().filter(|n| !n.is_empty()) {
        return name;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = names.iter().find(|n| std::env::split_paths(&path).any(|d| d.join(n).is_file()));
    found.or(names.last()).map_or_else(String::new, |n| (*n).to_string())
}

/// Runs `tool` in `dir` and returns what it printed, standard output first.
pub fn run<S: AsRef<OsStr>>(
    tool: &str,
    variable: &'static str,
    dir: &Path,
    args: impl IntoIterator<Item = S>,
) -> Result<String, ToolError> {
    let out = Command::new(tool)
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| ToolError::Missing { tool: tool.into(), variable, source })?;
    let mut output = String::from_utf8_lossy(&out.stdout).into_owned();
    output.push_str(&String::from_utf8_lossy(&out.stderr));
    if out.status.success() {
        Ok(output)
    } else {
        Err(ToolError::Failed { tool: tool.into(), status: out.status.to_string(), output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_says_how_to_get_it() {
        let e = run("no-such-tool", "YOSYS", Path::new("."), ["-V"]).unwrap_err().to_string();
        assert!(e.starts_with("no-such-tool: not found (") && e.ends_with("or set YOSYS to its name"), "{e}");
        assert!(e.contains("tools/setup"));
    }

    #[test]
    fn a_failing_tool_is_an_error_with_its_output() {
        let e = run("sh", "SH", Path::new("."), ["-c", "echo out; echo err >&2; exit 3"]).unwrap_err().to_string();
        assert_eq!(e, "sh: exit status: 3\nout\nerr\n");
    }

    #[test]
    fn the_first_name_on_the_path_is_taken() {
        assert_eq!(tool_name("GOSHAWK_NO_SUCH_VARIABLE", &["no-such-tool", "sh", "ls"]), "sh");
        assert_eq!(tool_name("GOSHAWK_NO_SUCH_VARIABLE", &["no-such-tool", "nor-this"]), "nor-this");
    }
}
