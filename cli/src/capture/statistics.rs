//! `goshawk capture run --statistics`: the counts in the statistics files of the thesis' tools
//!
//! # Source
//! Paper 003, figures 4.3 (branches by kind), 4.14 (operands by size) and 4.38 (hit rates of load values).

use crate::cfiat;
use crate::output::{count, facts, percent, plural, short_id, stream_parameters, Left, Object, Right, Table};
use crate::Failure;
use ::capture::outputs::{Outcome, Written};
use ::capture::run::Captured;
use ::capture::statistics::{Counts, BRANCHES, KIND_NAMES, OPERANDS, SIZES};
use retire::file::{FileError, Replacement};
use retire::{DataEvent, FlowEvent, RetireSink};
use serde_json::{json, Map, Value};
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use std::io::Write;
use std::path::Path;

/// Number of events after which words are discarded.
const DRAIN_INTERVAL: u32 = 1 << 16;

/// Measures the size of load values, if requested.
pub struct Values {
    recorder: Option<(CfiatParams, Recorder)>,
    since: u32,
}

impl Values {
    /// Creates caches for `harts` harts.
    ///
    /// # Errors
    /// The parameters are invalid.
    pub fn new(sizes: Option<Sizes>, harts: u8, xlen: u8) -> Result<Self, Failure> {
        // devices are unknown, so everything counts as memory
        let params = sizes.map(|sizes| CfiatParams::all_memory(harts, xlen, sizes));
        let recorder = params.map(|p| Ok::<_, Failure>((p, Recorder::new(&p)?))).transpose()?;
        Ok(Self { recorder, since: 0 })
    }
}

impl RetireSink for Values {
    const WANTS_DATA: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        if let Some((_, recorder)) = &mut self.recorder {
            recorder.event(e);
            self.since += 1;
            if self.since == DRAIN_INTERVAL {
                self.since = 0;
                // only counted
                recorder.drain();
            }
        }
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        if let Some((_, recorder)) = &mut self.recorder {
            recorder.data(d);
        }
    }
}

/// Results of a run.
pub struct Statistics<'a> {
    /// The captured run.
    pub captured: &'a Captured,
    /// Its outputs.
    pub outcome: &'a Outcome,
    /// Whether loads and stores were captured.
    pub data: bool,
    /// Load values.
    pub values: Values,
}

fn named<const N: usize>(names: &[&str; N], counts: &[u64; N]) -> Map<String, Value> {
    let mut map: Map<_, _> = names.iter().zip(counts).map(|(name, n)| (name.to_string(), json!(n))).collect();
    map.insert("all".into(), counts.iter().sum::<u64>().into());
    map
}

impl Statistics<'_> {
    /// Writes the statistics file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, path: &Path) -> Result<Written, Failure> {
        if let Some((_, recorder)) = &mut self.values.recorder {
            recorder.finish();
        }
        let mut text = Vec::new();
        if path.extension().is_some_and(|e| e == "json") {
            self.object().print(&mut text)?;
        } else {
            self.table(&mut text)?;
        }
        let io = |source| FileError::Io { path: path.display().to_string(), source };
        let mut file = Replacement::create(path)?;
        file.write_all(&text).map_err(io)?;
        file.commit()?;
        Ok(Written { path: path.into(), records: None, unpacked: None, size: text.len() as u64 })
    }

    /// Instructions and counts of every thread, including threads without branches.
    fn threads(&self) -> impl Iterator<Item = (usize, u64, Counts)> + '_ {
        let (counts, instructions) = (&self.outcome.statistics.threads, &self.outcome.expanded.by_thread);
        let at = |i| (i, instructions.get(i).copied().unwrap_or(0), counts.get(i).copied().unwrap_or_default());
        (0..counts.len().max(instructions.len())).map(at)
    }

    fn object(&self) -> Object {
        let (c, e, all) = (self.captured, &self.outcome.expanded, self.outcome.statistics.all());
        let operands = |of: &[u64; SIZES]| if self.data { named(&OPERANDS, of).into() } else { Value::Null };
        let counts = |n: u64, of: &Counts| {
            json!({
                "instructions": n,
                "branches": named(&KIND_NAMES, &of.branches),
                "loads": operands(&of.loads),
                "stores": operands(&of.stores),
            })
        };
        let values = self.values.recorder.as_ref().map(|(params, recorder)| {
            let s = recorder.stats();
            json!({
                "parameters": stream_parameters(params),
                "cache_references": cfiat::by_size(&s.references()),
                "cache_loads": cfiat::by_size(&s.loads),
                "first_access_flags": cfiat::by_size(&s.flags),
            })
        });
        Object::new("capture run", &c.executable.path.display().to_string())
            .with("build_id", c.executable.build_id.clone().into())
            .with("source", c.source().into())
            .with("skipped", e.skipped.into())
            .with("harts", self.outcome.harts.into())
            .with("all", counts(e.instructions, &all))
            .with("branches_by_class", named(&BRANCHES, &all.classes()).into())
            .with("threads", self.threads().map(|(_, n, t)| counts(n, &t)).collect())
            .with("load_values", values.into())
    }

    fn table(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let (c, e, all) = (self.captured, &self.outcome.expanded, self.outcome.statistics.all());
        let mut lines = vec![
            ("program", format!("{}, build {}", c.executable.path.display(), short_id(&c.executable.build_id))),
            ("run", c.source()),
            ("instructions", format!("{}, {} skipped", count(e.instructions), count(e.skipped))),
            ("threads", format!("{}, on {}", count(c.threads), plural(self.outcome.harts, "hart"))),
        ];
        if let Some((params, _)) = &self.values.recorder {
            lines.push(("load values", params.canonical()));
        }
        facts(out, &lines)?;
        writeln!(out)?;
        let mut t = Table::new([("branches", Left), ("number", Right), ("of all", Right)]);
        let sum = all.all_branches();
        for (name, n) in
            BRANCHES.iter().zip(all.classes()).chain(KIND_NAMES[2..].iter().zip(all.branches[2..].to_vec()))
        {
            t.row([name.to_string(), count(n), percent(n, sum)]);
        }
        t.row(["all".into(), count(sum), String::new()]);
        t.write(out)?;
        writeln!(out)?;
        let columns =
            ["instructions", "taken", "not taken", "jump", "call", "indirect jump", "indirect call", "return", "swap"];
        let heading = std::iter::once(("thread", Left)).chain(columns.map(|c| (c, Right))).collect::<Vec<_>>();
        let mut t = Table::of(&heading);
        for (i, n, counts) in self.threads() {
            t.cells([i.to_string(), count(n)].into_iter().chain(counts.branches.map(count)));
        }
        t.cells(["all".into(), count(e.instructions)].into_iter().chain(all.branches.map(count)));
        t.write(out)?;
        if self.data {
            writeln!(out)?;
            self.operands(&all).write(out)?;
        }
        if let Some((_, recorder)) = &self.values.recorder {
            writeln!(out)?;
            cfiat::table(recorder.stats()).write(out)?;
        }
        Ok(())
    }

    fn operands(&self, all: &Counts) -> Table {
        let heading = ["loads", "stores"].map(|of| OPERANDS.map(|size| format!("{of}, {size}")));
        let first = [("thread", Left)];
        let heading: Vec<_> = first.into_iter().chain(heading.iter().flatten().map(|h| (h.as_str(), Right))).collect();
        let mut t = Table::of(&heading);
        let cells = |counts: &Counts| counts.loads.map(count).into_iter().chain(counts.stores.map(count));
        for (i, _, counts) in self.threads() {
            t.cells(std::iter::once(i.to_string()).chain(cells(&counts)));
        }
        t.cells(std::iter::once("all".into()).chain(cells(all)));
        let share = |of: [u64; SIZES]| of.map(|n| percent(n, of.iter().sum()));
        t.cells(std::iter::once("of all".into()).chain(share(all.loads)).chain(share(all.stores)));
        t
    }
}
