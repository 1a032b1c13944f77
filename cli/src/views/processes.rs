//! `goshawk profile --by process`: instructions by address space and privilege mode

use crate::args::contexts::Processes as Known;
use crate::args::tasks::TaskArgs;
use crate::args::Execution;
use crate::output::{count, percent, report_missing, Left, Limit, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::contexts::memory::SpaceNames;
use host::contexts::running::Running;
use host::contexts::ContextProgram;
use host::views::processes::{Process, Processes};
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use retire::file::Replacement;
use retire::{DataEvent, FlowEvent, RetireSink};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// What is shown.
pub struct Shown<'a> {
    /// The trace.
    pub execution: &'a Execution,
    /// Where names are in memory.
    pub tasks: &'a TaskArgs,
    /// Maximum number of lines.
    pub limit: Limit,
    /// File of names to write.
    pub names: Option<&'a Path>,
    /// As one JSON object.
    pub json: bool,
}

/// Counts by process, and finds their names where memory is known.
struct Counted {
    processes: Processes,
    names: Option<SpaceNames>,
}

impl RetireSink for Counted {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.processes.event(e);
        if let Some(names) = &mut self.names {
            names.event(e);
        }
    }

    fn data(&mut self, d: &DataEvent) {
        if let Some(names) = &mut self.names {
            names.data(d);
        }
    }
}

/// Counts by process. `running`: what cores run, where memory has the names of processes.
///
/// # Errors
/// The trace cannot be replayed, or the output fails.
pub fn profile(
    shown: &Shown<'_>,
    mut known: Known,
    replayed: Replayed,
    (programs, running): (Vec<ContextProgram>, Option<Running>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (execution, cores) = (shown.execution, replayed.cores());
    let follower = Follower::new(execution.symbols()?, Some(replayed.image()), cores).with_contexts(programs);
    let processes = Processes::new(follower, cores).only(known.selection.clone());
    // a file that cannot be written is an error before the replay
    let file = shown.names.map(|path| Ok::<_, Failure>((path, Replacement::create(path)?))).transpose()?;
    let mut counted = Counted { processes, names: running.map(|running| SpaceNames::new(running, cores)) };
    let missing = replayed.report_to(&mut counted, &Bars)?;
    let Counted { processes, names } = counted;
    if let Some(names) = names {
        if !names.is_pointed() {
            return Err(shown.tasks.not_stored(&execution.trace));
        }
        known.add_names(&names.names());
    }
    if let Some((path, mut file)) = file {
        file.write_all(known.names_file().as_bytes()).and_then(|()| file.flush()).map_err(|e| Failure::io(path, e))?;
        file.commit()?;
    }
    let found = processes.found();
    let all: u64 = found.iter().map(Process::instructions).sum();
    let program = |p: &Process| known.program(p.space);
    let name = |p: &Process| known.name(p.space);
    if shown.json {
        let process = |p: &Process| {
            let functions: Vec<_> =
                p.functions.iter().map(|(name, n)| json!({ "function": name, "instructions": n })).collect();
            let [user, supervisor, machine] = p.modes;
            json!({ "space": p.space, "name": name(p), "program": program(p), "instructions": p.instructions(), "user": user,
                "supervisor": supervisor, "machine": machine, "switches": p.switches, "functions": functions })
        };
        let object = execution.object("profile").with("instructions", all.into());
        object.with("processes", found.iter().map(process).collect()).print(out)?;
    } else {
        let columns = [("space", Right), ("process", Left), ("instructions", Right), ("", Right), ("user", Right)];
        let more = [("supervisor", Right), ("machine", Right), ("switches", Right), ("most in", Left)];
        let mut table = Table::of(&[&columns[..], &more].concat());
        for p in found.iter().take(shown.limit.lines()) {
            let most = p.functions.iter().max_by_key(|(name, n)| (**n, std::cmp::Reverse(*name)));
            let [user, supervisor, machine] = p.modes.map(count);
            table.row([
                p.space.to_string(),
                known.label(p.space).unwrap_or("-").to_string(),
                count(p.instructions()),
                percent(p.instructions(), all),
                user,
                supervisor,
                machine,
                count(p.switches),
                most.map_or_else(String::new, |(name, n)| format!("{name} {}", percent(*n, p.instructions()))),
            ]);
        }
        table.print(out)?;
        shown.limit.report_omitted(found.len(), "processes");
    }
    Ok(report_missing(&execution.trace, &missing.lost, missing.damage.as_ref()))
}
