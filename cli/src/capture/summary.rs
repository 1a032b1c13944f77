//! What `goshawk capture run` and `goshawk capture expand` print

use crate::output::{count, facts, percent, plural, short_id, Left, Object, Right, Table};
use crate::{signals, Failure};
use ::capture::cost::Cost;
use ::capture::outputs::{self, Outcome};
use ::capture::routines::Routine;
use ::capture::run::{Captured, Ended};
use ::capture::statistics::{BRANCHES, OPERANDS};
use serde_json::{json, Value};
use std::borrow::Cow;
use std::io::Write;

/// Number of sizes of operands that have a row even if there are none.
const COMMON_SIZES: usize = 4;

/// A captured run and its files.
pub struct Summary<'a> {
    /// Name of the command.
    pub command: &'static str,
    /// The program or the packed recording.
    pub input: Cow<'a, str>,
    /// The run.
    pub captured: &'a Captured,
    /// Its files.
    pub outcome: &'a Outcome,
    /// It has loads and stores.
    pub data: bool,
    /// CPU time of the program without capture.
    pub plain: Option<Cost>,
    /// CPU time of the run and of its files.
    pub cost: [Cost; 2],
}

/// How a program ended, in words.
pub fn ended(ended: Ended) -> String {
    match ended {
        Ended::Code(code) => format!("with code {code}"),
        Ended::Signal(signal) => format!("by signal {signal}"),
        Ended::Killed(signal) => format!("killed after {}", signals::name(signal)),
        Ended::Trace => "with the trace".into(),
        Ended::Replaced => "by exec".into(),
        Ended::Unknown => "by a signal".into(),
    }
}

/// A routine of the ELF: start address, and total size of its pieces.
fn routine(r: &Routine) -> Value {
    let bytes: u64 = r.pieces.iter().map(|p| p.end - p.start).sum();
    json!({ "name": r.name, "address": format!("0x{:x}", r.pieces[0].start), "bytes": bytes, "pieces": r.pieces.len() })
}

fn files(o: &Outcome) -> Vec<Value> {
    let one = |w: &outputs::Written| json!({ "path": w.path.display().to_string(), "records": w.records, "unpacked": w.unpacked, "bytes": w.size });
    o.written.iter().map(one).collect()
}

impl Summary<'_> {
    /// Before a number of instructions: it is exact only after expansion.
    fn at_most(&self) -> &'static str {
        if self.outcome.is_expanded {
            ""
        } else {
            "at most "
        }
    }

    /// Prints unusual circumstances of the run on standard error.
    pub fn print_warnings(&self) {
        let (c, o) = (self.captured, self.outcome);
        let program = c.executable.path.display();
        let captured = format!("{}{} captured", self.at_most(), plural(o.expanded.instructions, "instruction"));
        if let Some(e) = &c.failure {
            eprintln!("goshawk: {e}; {captured} up to there");
        }
        if let Some(what) = c.limit.filter(|what| what.starts_with("--")) {
            eprintln!("goshawk: {program}: the trace ended at {what}; {captured}");
        } else if let Some(what) = c.limit {
            eprintln!("goshawk: {program}: the limit of {what} was reached; {captured}");
        } else if o.full {
            eprintln!("goshawk: {program}: a file of descriptors reached --size-limit; {captured}");
        }
        match c.ended {
            Ended::Signal(signal) => {
                eprintln!("goshawk: {program}: was ended by signal {signal}; {captured} up to there");
            }
            Ended::Killed(signal) => {
                let name = signals::name(signal);
                eprintln!("goshawk: {program}: was killed, because it did not end on {name}; {captured} up to there");
            }
            Ended::Code(_) | Ended::Trace | Ended::Replaced | Ended::Unknown => {}
        }
        for path in &c.not_started {
            eprintln!("goshawk: {}: QEMU could not start it, and its process has no recording", path.display());
        }
        if c.process.missed > 0 {
            eprintln!("goshawk: {} not captured: too many at a time", plural(c.process.missed, "process"));
        }
        if c.starts_late() && o.expanded.instructions == 0 {
            eprintln!("goshawk: {program}: --start-at was not reached; nothing was captured");
        }
        if c.no_registers && o.is_expanded && o.expanded.signals == 0 {
            eprintln!(
                "goshawk: this QEMU does not show registers: handlers of signals look like traps without a cause"
            );
        }
        if !c.routines.is_empty() && o.expanded.instructions == 0 {
            eprintln!(
                "goshawk: {program}: no routine of --routine was executed{}",
                if o.expanded.skipped > 0 { " behind --skip" } else { "" }
            );
        }
        if o.expanded.unexplained > 0 {
            eprintln!(
                "goshawk: {program}: {} went where no branch leads; they are recorded as traps of cause 0",
                plural(o.expanded.unexplained, "block")
            );
        }
    }

    /// The results as an object.
    pub fn json(&self) -> Object {
        let Self { captured: c, outcome: o, plain, cost, .. } = *self;
        let (code, signal) = match c.ended {
            Ended::Code(code) => (Some(code), None),
            Ended::Signal(signal) | Ended::Killed(signal) => (None, Some(signal)),
            Ended::Trace | Ended::Replaced | Ended::Unknown => (None, None),
        };
        let s = o.statistics.all();
        let named = |names: &[&str], counts: &[u64]| -> serde_json::Map<String, Value> {
            names.iter().zip(counts).map(|(name, n)| (name.to_string(), json!(n))).collect()
        };
        let when = |counts: Value| if o.is_expanded { counts } else { Value::Null };
        Object::new(self.command, &self.input)
            .with("build_id", c.executable.build_id.clone().into())
            .with("machine", c.executable.machine.name().into())
            .with("qemu", c.qemu.clone().into())
            .with("source", c.source().into())
            .with("schedule", c.schedule.to_string().into())
            .with("routines", json!(c.routines.iter().map(routine).collect::<Vec<_>>()))
            .with("ended", json!({ "code": code, "signal": signal, "with_trace": c.ended == Ended::Trace }))
            .with("limit", if o.full { "bytes".into() } else { c.limit.into() })
            .with("failure", c.failure.as_ref().map(ToString::to_string).into())
            .with("threads", c.threads.into())
            .with("harts", o.harts.into())
            .with("executed_instructions", c.executed.into())
            .with("expanded", when(json!(o.expanded)))
            .with("turns", json!({ "handed_over": c.switches, "taken": c.steals }))
            .with("branches", when(named(&BRANCHES, &s.classes()).into()))
            .with("loads", when(named(&OPERANDS, &s.loads).into()))
            .with("stores", when(named(&OPERANDS, &s.stores).into()))
            .with("files", files(o).into())
            .with("kept_bytes", c.kept.into())
            .with(
                "cpu_seconds",
                json!({ "plain": plain.map(|p| p.seconds), "captured": cost[0].seconds, "files": cost[1].seconds }),
            )
    }

    /// Prints the results.
    pub fn text(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let Self { captured: c, outcome: o, plain, cost, .. } = *self;
        let e = &o.expanded;
        let mut lines = vec![
            ("program", format!("{}, build {}", c.executable.path.display(), short_id(&c.executable.build_id))),
            ("machine", format!("{}, QEMU {}", c.executable.machine.name(), c.qemu)),
            ("schedule", c.schedule.to_string()),
            ("ended", ended(c.ended)),
            ("threads", format!("{}, on {}", count(c.threads), plural(o.harts, "hart"))),
            ("instructions", format!("{}{}", self.at_most(), count(e.instructions))),
        ];
        for r in &c.routines {
            let bytes: u64 = r.pieces.iter().map(|p| p.end - p.start).sum();
            lines.push(("only in", format!("{} at 0x{:x}, {}", r.name, r.pieces[0].start, plural(bytes, "byte"))));
        }
        if e.skipped > 0 {
            lines.push(("skipped", count(e.skipped)));
        }
        if e.signals > 0 {
            lines.push(("signals", count(e.signals)));
        }
        if c.threads > 1 {
            let (passed, taken) = (count(c.switches), count(c.steals));
            let slices = format!("{passed} passed to another thread, {taken} taken from a sleeping thread");
            lines.push(("time slices", slices));
        }
        if let Some(plain) = plain {
            let whole = cost[0].seconds + cost[1].seconds;
            let rate = if plain.seconds > 0.0 { whole / plain.seconds } else { 0.0 };
            let [run, files] = cost.map(|c| c.seconds);
            let text = format!(
                "{whole:.2} s (run {run:.2}, files {files:.2}), {:.2} s without capture: {rate:.2} times",
                plain.seconds
            );
            lines.push(("CPU time", text));
        }
        facts(out, &lines)?;
        if o.is_expanded {
            self.counts(out)?;
        }
        if !o.written.is_empty() {
            writeln!(out)?;
            let cell = |n: Option<u64>| n.map_or_else(String::new, count);
            // a column that no file has is left out
            let records = o.written.iter().any(|w| w.records.is_some());
            let unpacked = o.written.iter().any(|w| w.unpacked.is_some());
            let columns = [(true, "written", Left), (records, "records", Right), (unpacked, "unpacked", Right)];
            let columns = columns.into_iter().chain([(true, "bytes", Right)]).filter(|(used, ..)| *used);
            let mut t = Table::of(&columns.map(|(_, name, align)| (name, align)).collect::<Vec<_>>());
            for w in &o.written {
                let cells =
                    [(true, w.path.display().to_string()), (records, cell(w.records)), (unpacked, cell(w.unpacked))];
                let cells = cells.into_iter().chain([(true, count(w.size))]).filter(|(used, _)| *used);
                t.cells(cells.map(|(_, text)| text));
            }
            t.print(out)?;
        }
        Ok(())
    }

    /// Prints the numbers of branches and operands.
    fn counts(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let s = self.outcome.statistics.all();
        writeln!(out)?;
        let mut t = Table::new([("branches", Left), ("number", Right), ("of all", Right)]);
        let all = s.all_branches();
        for (name, n) in BRANCHES.iter().zip(s.classes()) {
            t.row([name.to_string(), count(n), percent(n, all)]);
        }
        t.row(["all".into(), count(all), String::new()]);
        t.print(out)?;
        if self.data {
            writeln!(out)?;
            let columns =
                [("operands", Left), ("loads", Right), ("of all", Right), ("stores", Right), ("of all", Right)];
            let mut t = Table::new(columns);
            let [loads, stores]: [u64; 2] = [s.loads.iter().sum(), s.stores.iter().sum()];
            for (i, name) in OPERANDS.iter().enumerate() {
                let (l, w) = (s.loads[i], s.stores[i]);
                // few programs have them
                if i >= COMMON_SIZES && l + w == 0 {
                    continue;
                }
                t.row([name.to_string(), count(l), percent(l, loads), count(w), percent(w, stores)]);
            }
            t.row(["all".into(), count(loads), String::new(), count(stores), String::new()]);
            t.print(out)?;
        }
        Ok(())
    }
}
