//! `goshawk capture run --follow`: the files of further processes

use super::summary::ended;
use crate::output::{count, Left, Right, Table, TOOL};
use ::capture::outputs::{self, OutputFiles, Unnumbered};
use ::capture::run::{Captured, Ended, Process};
use ::capture::CaptureError;
use retire::NullSink;
use serde_json::{json, Value};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A further process, whose files were written.
#[derive(Clone, Debug)]
pub struct Followed {
    process: Process,
    program: PathBuf,
    ended: Ended,
    instructions: u64,
    unexplained: u64,
    threads: u64,
    files: Vec<PathBuf>,
}

/// Files of processes.
pub struct Files<'a> {
    wanted: &'a OutputFiles,
    names: HashSet<String>,
    /// Processes, in the order of their ends.
    pub processes: Vec<Followed>,
    /// Files that were requested and not written.
    pub unnumbered: Vec<Unnumbered>,
}

/// `a.ret` of process 1207 with the program `ls`: `a.1207-ls.ret`.
fn named(path: &Path, name: &str) -> PathBuf {
    let mut file = path.file_stem().unwrap_or_default().to_owned();
    file.push(OsString::from(format!(".{name}")));
    if let Some(extension) = path.extension() {
        file.push(".");
        file.push(extension);
    }
    path.with_file_name(file)
}

impl<'a> Files<'a> {
    /// Files as these, of the first process.
    pub fn new(wanted: &'a OutputFiles) -> Self {
        Self { wanted, names: HashSet::new(), processes: Vec::new(), unnumbered: Vec::new() }
    }

    /// Writes the files of a process that has ended.
    pub fn write(&mut self, mut captured: Captured, harts: Option<u8>) -> Result<(), CaptureError> {
        let program = captured.executable.path.clone();
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = format!("{}-{name}", captured.process.pid);
        // a process can execute a program again and again
        let others = (2..).map(|n| format!("{first}-{n}"));
        let names = std::iter::once(first.clone()).chain(others);
        let Some(name) = names.into_iter().find(|name| self.names.insert(name.clone())) else { return Ok(()) };
        let place = |path: &Option<PathBuf>| path.as_ref().map(|path| named(path, &name));
        let of = self.wanted;
        let wanted = OutputFiles {
            packed: place(&of.packed),
            retire: place(&of.retire),
            rbt1: place(&of.rbt1),
            mcf: of.mcf.as_ref().map(|(path, form, pack)| (named(path, &name), *form, *pack)),
            mls: of.mls.as_ref().map(|(path, form, pack)| (named(path, &name), *form, *pack)),
            ..of.clone()
        };
        let harts = harts.unwrap_or_else(|| captured.harts(wanted.max_harts()));
        let outcome = outputs::write_packed::<CaptureError>(&mut captured, &wanted, harts, TOOL, |captured| {
            outputs::write(captured, &wanted, harts, TOOL, &mut NullSink, &mut |_| true)
        })?;
        self.unnumbered.extend(outcome.unnumbered);
        self.processes.push(Followed {
            process: captured.process,
            program,
            ended: captured.ended,
            instructions: outcome.expanded.instructions,
            unexplained: outcome.expanded.unexplained,
            threads: captured.threads,
            files: outcome.written.into_iter().map(|w| w.path).collect(),
        });
        Ok(())
    }
}

/// The processes for `--json`.
pub fn json(processes: &[Followed]) -> Value {
    let one = |p: &Followed| {
        let code = match p.ended {
            Ended::Code(code) => Some(code),
            _ => None,
        };
        json!({
            "pid": p.process.pid,
            "parent": p.process.parent,
            "program": p.program.display().to_string(),
            "ended": { "code": code, "replaced": p.ended == Ended::Replaced },
            "instructions": p.instructions,
            "unexplained": p.unexplained,
            "threads": p.threads,
            "files": p.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        })
    };
    processes.iter().map(one).collect()
}

/// Prints the processes, if there are any.
pub fn table(processes: &[Followed], out: &mut dyn Write) -> std::io::Result<()> {
    if processes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = [
        ("process", Right),
        ("parent", Right),
        ("program", Left),
        ("ended", Left),
        ("instructions", Right),
        ("file", Left),
    ];
    let mut t = Table::new(columns);
    for p in processes {
        t.row([
            p.process.pid.to_string(),
            p.process.parent.to_string(),
            p.program.display().to_string(),
            ended(p.ended),
            count(p.instructions),
            p.files.first().map_or_else(String::new, |f| f.display().to_string()),
        ]);
    }
    t.print(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_process_and_program_before_the_extension() {
        assert_eq!(named(Path::new("x/a.ret"), "7-ls"), Path::new("x/a.7-ls.ret"));
        assert_eq!(named(Path::new("a"), "7-ls"), Path::new("a.7-ls"));
    }
}
