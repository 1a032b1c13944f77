//! `goshawk profile --by process`: instructions by address space and privilege mode

use crate::args::contexts::Processes as Known;
use crate::args::Execution;
use crate::output::{count, percent, report_missing, Left, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::contexts::ContextProgram;
use host::views::processes::{Process, Processes};
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use serde_json::json;
use std::io::Write;

/// What is shown.
pub struct Shown<'a> {
    /// The trace.
    pub execution: &'a Execution,
    /// Names, programs, and what is selected.
    pub processes: &'a Known,
    /// Maximum number of lines.
    pub limit: usize,
    /// As one JSON object.
    pub json: bool,
}

/// Counts by process.
///
/// # Errors
/// The trace cannot be replayed, or the output fails.
pub fn profile(
    shown: &Shown<'_>,
    replayed: Replayed,
    programs: Vec<ContextProgram>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (execution, cores) = (shown.execution, replayed.cores());
    let follower = Follower::new(execution.symbols()?, Some(replayed.image()), cores).with_contexts(programs);
    let mut processes = Processes::new(follower, cores).only(shown.processes.selection.clone());
    let missing = replayed.report_to(&mut processes, &Bars)?;
    let found = processes.found();
    let all: u64 = found.iter().map(Process::instructions).sum();
    let program = |p: &Process| shown.processes.program(p.space);
    let name = |p: &Process| shown.processes.name(p.space);
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
        for p in found.iter().take(shown.limit) {
            let most = p.functions.iter().max_by_key(|(name, n)| (**n, std::cmp::Reverse(*name)));
            let [user, supervisor, machine] = p.modes.map(count);
            table.row([
                p.space.to_string(),
                name(p).or_else(|| program(p)).unwrap_or("-").to_string(),
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
    }
    Ok(report_missing(&execution.trace, &missing.lost, missing.damage.as_ref()))
}
