//! Shared by commands that measure a plan: the run, and a page of tables

use crate::args::{check_cores, MachineArgs};
use crate::files::{input_name, OutputPath};
use crate::output::TOOL;
use crate::progress::bar;
use crate::{Failure, Status};
use ::sweep::plan::Plan;
use ::sweep::run::{Options, Provenance};
use ::sweep::tables::{plan, Measured};
use ::sweep::SweepError;
use report::markdown;
use retire::file::{input, Replacement};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Measures a plan in memory; the second list has what had to be left out.
pub fn measure(command: &str, plan: &Plan) -> Result<(Measured, Vec<String>), Failure> {
    let bar = bar("measuring", "points", None);
    let made = Provenance { tool: TOOL.into(), command: format!("goshawk {command}") };
    let measured = Measured::take(plan, &Options::new(&made, &|_| bar.inc(1)));
    bar.finish_and_clear();
    Ok(measured?)
}

/// Traces to measure in several schemes, and how.
#[derive(clap::Args, Debug)]
pub struct TraceArgs {
    /// Retire files, branch traces (rbt1), RISC-V executables, or builtin:NAME [default: all built-in programs]
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME", value_parser = input_name())]
    pub inputs: Vec<String>,
    /// Program of the recordings with its build ID, which E-Trace and N-Trace need. May be repeated
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Vec<String>,
    /// Accept a program with another build ID than the trace or recording names. The one program is used for all
    /// recordings
    #[arg(long, requires = "elf")]
    any_build: bool,
    /// Skip decoding of the streams: faster, but unverified
    #[arg(long = "no-verify", alias = "no-check")]
    pub no_check: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl TraceArgs {
    /// The plan `text` for these traces, each with at most `most` instructions unless an option says otherwise.
    pub fn plan(&self, text: &str, most: Option<u64>) -> Result<Plan, Failure> {
        let harts = self.machine.harts.unwrap_or(1);
        check_cores(harts)?;
        let mut settings = self.machine.settings();
        settings.max_instructions = settings.max_instructions.or(most);
        let mut plan = plan(text, &self.inputs, settings.max_instructions)?;
        self.machine.refuse_for_recordings(plan.part.iter().chain([&plan]).flat_map(|p| &p.traces))?;
        plan.each(|p| {
            (p.settings, p.harts, p.verify) = (settings.clone(), vec![harts], !self.no_check);
            (p.elfs, p.any_build) = (self.elf.clone(), self.any_build);
        });
        Ok(plan)
    }
}

/// Files to write and programs to measure.
#[derive(clap::Args, Debug)]
pub struct PageArgs {
    /// Markdown file to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Also write every measured point as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutputPath>,
    /// Traces to measure instead of the built-in programs: ELFs, retire or rbt1 files, folders, patterns as
    /// 'traces/*.ret'
    #[arg(long, value_name = "TRACE", value_delimiter = ',', conflicts_with = "program", value_parser = input_name())]
    trace: Vec<String>,
    /// Program of the recordings with its build ID, which E-Trace needs. May be repeated
    #[arg(long, value_name = "ELF|builtin:NAME", requires = "trace", value_parser = input_name())]
    elf: Vec<String>,
    /// Built-in program to measure. May be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Instruction limit, of all harts together, in each run [default: none]
    #[arg(long, alias = "instructions", value_name = "N")]
    max_instructions: Option<u64>,
    /// Markdown file with text to insert after each table, under the headings of the tables
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
}

impl PageArgs {
    /// The head of a page for the user's traces: title, what was measured, and what could not be.
    fn own_head(&self, head: &str, plan: &Plan, left_out: &[String]) -> String {
        let title = head.lines().next().unwrap_or_default();
        let mut traces: Vec<&str> = Vec::new();
        for t in plan.part.iter().chain([plan]).flat_map(|p| &p.traces) {
            if !traces.contains(&t.as_str()) {
                traces.push(t);
            }
        }
        let mut text = format!(
            "{title}\n\nMade with {TOOL} from these traces: {}. Bits are the lengths of the streams. Rows in italics are \
             published figures, of other programs and machines. A recording is listed under its number of harts.\n",
            traces.join(", ")
        );
        if !left_out.is_empty() {
            text.push_str("\nLeft out:\n\n");
            left_out.iter().for_each(|l| text.push_str(&format!("* {l}\n")));
        }
        text
    }

    /// Measures the plan and writes `head` and its tables, each with its note; then the notes under `others`, which
    /// have no tables here. Files are opened first, so that errors are reported before the work.
    pub fn write(
        &self,
        command: &str,
        text: &str,
        head: &str,
        others: &[&str],
        tables: impl Fn(&Measured) -> Result<Vec<(&'static str, String)>, SweepError>,
    ) -> Result<Status, Failure> {
        let names: Vec<&str> = self.program.iter().map(|p| p.trim_start_matches("builtin:")).collect();
        if let Some(unknown) = names.iter().find(|n| programs::find(n).is_none()) {
            return Err(Failure::unknown_program_option(unknown));
        }
        let notes = match &self.notes {
            Some(path) => input::text(path, 1 << 20, "a file of notes")?,
            None => String::new(),
        };
        let mut page = Replacement::create(&self.output)?;
        let json = self.json.as_deref().map(Replacement::create).transpose()?;
        // in the order of the list of programs
        let mine = programs::PROGRAMS.iter().filter(|p| names.contains(&p.name));
        let own = !self.trace.is_empty();
        let traces: Vec<String> =
            if own { self.trace.clone() } else { mine.map(|p| format!("builtin:{}", p.name)).collect() };
        let mut plan = plan(text, &traces, self.max_instructions)?;
        plan.each(|p| p.elfs.clone_from(&self.elf));
        let (measured, left_out) = measure(command, &plan)?;
        if !left_out.is_empty() && !own {
            return Err(Failure::Other(format!(
                "the plan contains points that cannot be measured: {}",
                left_out.join(", ")
            )));
        }
        let head = if own { self.own_head(head, &plan, &left_out) } else { head.to_owned() };
        let text = markdown::page(&head, &tables(&measured)?, &notes, others);
        page.write_all(text.as_bytes()).map_err(|e| Failure::io(&self.output, e))?;
        page.commit()?;
        if let (Some(mut file), Some(path)) = (json, &self.json) {
            let object = json!({ "tool": TOOL, "plan": plan, "points": measured.points });
            writeln!(file, "{object}").map_err(|e| Failure::io(path, e))?;
            file.commit()?;
        }
        Ok(Status::Done)
    }
}
