//! Speed of the commands as a user runs them: each is a process of its own, from file to file

use crate::Failure;
use host::input::Input;
use host::machine::Settings;
use host::progress::Quiet;
use host::speed::{folder, process, Repeat, Speed};
use retire::file::retire::RetireWriter;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// A measured command.
struct Row {
    /// Its name in the table.
    what: &'static str,
    /// Whether it needs an executable: a recording that contains its code is not enough.
    symbols: bool,
    /// Its arguments: the run, the program or the run that contains its code, the trace of the run, a file to write.
    arguments: fn(run: &str, elf: &str, trace: &str, out: &str) -> Vec<String>,
}

/// The words of a command.
macro_rules! words {
    ($($word:expr),* $(,)?) => { vec![$($word.to_string()),*] };
}

/// What is measured, in this order: the first command writes the trace that the others read.
const ROWS: [Row; 10] = [
    Row {
        what: "encode to tr_e, medium",
        symbols: false,
        arguments: |run, _, trace, _| words!["encode", run, "--set", "medium", "-o", trace, "--json"],
    },
    Row { what: "stats", symbols: false, arguments: |run, _, _, _| words!["stats", run, "--set", "medium"] },
    Row {
        what: "replay --summary",
        symbols: false,
        arguments: |_, elf, trace, _| words!["replay", trace, "--elf", elf, "--summary"],
    },
    Row {
        what: "replay --check",
        symbols: false,
        arguments: |run, elf, trace, _| words!["replay", trace, "--elf", elf, "--check", run],
    },
    Row {
        what: "replay, listing",
        symbols: false,
        arguments: |_, elf, trace, _| words!["replay", trace, "--elf", elf],
    },
    Row {
        what: "decode --json",
        symbols: false,
        arguments: |_, elf, trace, _| words!["decode", trace, "--elf", elf, "--json"],
    },
    Row { what: "show", symbols: true, arguments: |_, elf, trace, _| words!["show", trace, "--elf", elf] },
    Row { what: "profile", symbols: true, arguments: |_, elf, trace, _| words!["profile", trace, "--elf", elf] },
    Row {
        what: "coverage",
        symbols: true,
        arguments: |_, elf, trace, out| words!["coverage", trace, "--elf", elf, "-o", out],
    },
    Row {
        what: "timeline",
        symbols: true,
        arguments: |_, elf, trace, out| words!["timeline", trace, "--elf", elf, "-o", out],
    },
];

/// Runs this program with `arguments`, and returns what it prints if that is `wanted`.
fn goshawk(arguments: &[String], wanted: bool) -> Result<Vec<u8>, Failure> {
    let own = std::env::current_exe().map_err(|e| Failure::Other(format!("the file of this program: {e}")))?;
    let stdout = if wanted { Stdio::piped() } else { Stdio::null() };
    let mut child = Command::new(own);
    let output = process::output(child.args(arguments).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()));
    let command = || format!("goshawk {}", arguments.join(" "));
    let output = output.map_err(|e| Failure::Other(format!("{}: {e}", command())))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Other(format!("{}: {}", command(), message.trim())));
    }
    Ok(output.stdout)
}

/// Measures all commands on `name`, a program or a recording: a program with one core and with four, at most `limit` instructions;
/// a recording as it is.
pub(super) fn measure(name: &str, limit: u64, repeat: Repeat) -> Result<Vec<Speed>, Failure> {
    let folder = folder()?;
    let input = Input::open(name)?;
    if let Some(harts) = input.harts() {
        return commands((name, name), harts, false, repeat, folder.path());
    }
    let run = folder.path().join("run.ret");
    let settings = Settings { max_instructions: Some(limit), ..Settings::default() };
    let mut speeds = Vec::new();
    for harts in [1, 4] {
        // not a process of its own: it can be long, and ends with this one
        let recorded = input.run(harts, &settings)?;
        let mut writer = RetireWriter::create(&run, &recorded.info())?;
        recorded.report_to(&mut writer, &Quiet)?;
        writer.finish()?;
        speeds.extend(commands((&run.display().to_string(), name), harts, true, repeat, folder.path())?);
    }
    Ok(speeds)
}

/// Measures all commands on the recording `run` of `harts` cores; `elf` is its program, or a recording that contains its code.
fn commands(
    (run, elf): (&str, &str),
    harts: u8,
    symbols: bool,
    repeat: Repeat,
    folder: &Path,
) -> Result<Vec<Speed>, Failure> {
    let file = |name: &str| folder.join(name).display().to_string();
    let (trace, out) = (file("run.gtr"), file("out"));
    let mut instructions = 0;
    let mut speeds = Vec::new();
    for row in ROWS.iter().filter(|row| symbols || !row.symbols) {
        let arguments = (row.arguments)(run, elf, &trace, &out);
        if speeds.is_empty() {
            let printed: Value = serde_json::from_slice(&goshawk(&arguments, true)?)
                .map_err(|e| Failure::Other(format!("goshawk {}: {e}", arguments.join(" "))))?;
            let none = || Failure::Other(format!("goshawk {}: prints no `instructions`", arguments.join(" ")));
            instructions = printed["instructions"].as_u64().ok_or_else(none)?;
        }
        let mut done = Ok(());
        let time = repeat.best(|| {
            if done.is_ok() {
                done = goshawk(&arguments, false).map(|_| ());
            }
        });
        done?;
        let cores = if harts == 1 { "1 core".into() } else { format!("{harts} cores") };
        speeds.push(Speed::of(format!("command, {cores}: {}", row.what), instructions, "instructions", time));
    }
    Ok(speeds)
}
