//! What commands that measure the built-in programs and write a page of tables share

use crate::{Failure, Status};
use programs::{ProgramInfo, PROGRAMS};
use retire::file::Replacement;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Files to write and programs to measure.
#[derive(clap::Args, Debug)]
pub struct PageArgs {
    /// Markdown file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Also write every measured point as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only this built-in program; may be given several times
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Instructions of each run at most
    #[arg(long, value_name = "N")]
    pub instructions: Option<u64>,
    /// Text to put behind each table: a Markdown file whose headings are those of the tables
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
}

/// A page that is being measured.
pub struct Page<'a> {
    args: &'a PageArgs,
    file: Replacement,
    json: Option<Replacement>,
    notes: String,
    /// What to measure.
    pub programs: Vec<&'static ProgramInfo>,
}

impl PageArgs {
    /// Looks the programs up and opens the files: what cannot be done is told before the work, not after.
    pub fn begin(&self) -> Result<Page<'_>, Failure> {
        let names: Vec<&str> = self.program.iter().map(|p| p.trim_start_matches("builtin:")).collect();
        if let Some(unknown) = names.iter().find(|n| programs::find(n).is_none()) {
            return Err(Failure::unknown_program(unknown));
        }
        let notes = match &self.notes {
            Some(path) => std::fs::read_to_string(path).map_err(|e| Failure::io(path, e))?,
            None => String::new(),
        };
        Ok(Page {
            args: self,
            file: Replacement::create(&self.output)?,
            json: self.json.as_deref().map(Replacement::create).transpose()?,
            notes,
            programs: PROGRAMS.iter().filter(|p| names.is_empty() || names.contains(&p.name)).collect(),
        })
    }
}

impl Page<'_> {
    /// Writes `head` and the tables under their headings, each with its note; then the notes under `others`, of which
    /// there are no tables here. `points` is what `--json` writes.
    pub fn finish(
        mut self,
        head: &str,
        tables: &[(&str, String)],
        others: &[&str],
        points: impl FnOnce() -> Value,
    ) -> Result<Status, Failure> {
        let mut text = head.to_owned();
        for (heading, table) in tables {
            text.push_str(&format!("\n## {heading}\n\n{table}"));
            let note = note(&self.notes, heading);
            if !note.is_empty() {
                text.push_str(&format!("\n{note}\n"));
            }
        }
        for heading in others {
            let note = note(&self.notes, heading);
            if !note.is_empty() {
                text.push_str(&format!("\n## {heading}\n\n{note}\n"));
            }
        }
        self.file.write_all(text.as_bytes()).map_err(|e| Failure::io(&self.args.output, e))?;
        self.file.commit()?;
        if let (Some(mut file), Some(path)) = (self.json, &self.args.json) {
            writeln!(file, "{}", points()).map_err(|e| Failure::io(path, e))?;
            file.commit()?;
        }
        Ok(Status::Done)
    }
}

/// The section of `notes` under `heading`.
fn note<'a>(notes: &'a str, heading: &str) -> &'a str {
    let Some(at) = notes.find(&format!("## {heading}\n")) else { return "" };
    let body = &notes[at + heading.len() + 4..];
    body.find("\n## ").map_or(body, |end| &body[..end]).trim()
}
