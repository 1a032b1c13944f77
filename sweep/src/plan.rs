//! The plan of a sweep, and its jobs in a fixed order

use crate::files;
use crate::plan_errors;
use crate::SweepError;
use host::input::{Input, InputOptions, Named};
use host::machine::Settings;
use host::measure::SchemeSpec;
use retire::file::input;
use serde::{Deserialize, Serialize};
use sim::platform::Platform;
use sim::scheme::Family;
use std::path::Path;
use std::sync::Arc;

/// A sweep as described by a TOML file or the command line: traces x harts x schemes x time stamps.
///
/// A file may have several such grids, one per `[[part]]`; a part inherits the settings before the parts. A trace that
/// several parts use is produced once, and a point that several parts request is measured once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// `builtin:NAME`, ELF files or recordings.
    pub traces: Vec<String>,
    /// Programs of the recordings: each recording uses the one with its build id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elfs: Vec<String>,
    /// Accepts other builds: the only program is used for all recordings.
    #[serde(skip_serializing_if = "is_false")]
    pub any_build: bool,
    /// Numbers of harts that run a program; recordings have their own.
    pub harts: Vec<u8>,
    /// `tr_e`, `tr_b`, `tr(...)` and `shared`, each with every set; `sc-lsp` with every stream cache; `nx_b`, `nexs`,
    /// baselines; or full names such as `tr_e:m4`.
    pub encodings: Vec<String>,
    /// Predictor sets.
    pub sets: Vec<String>,
    /// Stream caches, such as `rbase-32x4`.
    pub stream_caches: Vec<String>,
    /// Functional (`false`) and time-stamped (`true`) streams.
    pub timestamps: Vec<bool>,
    /// Settings for running programs.
    #[serde(flatten)]
    pub settings: Settings,
    /// Seeds with each of which every program runs, instead of the one of the settings: repetitions for the spread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
    /// Instructions of all harts that are measured apart, as the start-up of a run.
    #[serde(skip_serializing_if = "is_zero")]
    pub startup: u64,
    /// Decodes every stream and compares it with the input.
    pub verify: bool,
    /// Also collects statistics of each run.
    #[serde(skip_serializing_if = "is_false")]
    pub census: bool,
    /// Grids that replace the one above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub part: Vec<Plan>,
}

fn is_false(b: &bool) -> bool {
    !b
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Default for Plan {
    fn default() -> Self {
        let texts = |t: &[&str]| t.iter().map(|t| t.to_string()).collect();
        Self {
            traces: Vec::new(),
            elfs: Vec::new(),
            any_build: false,
            harts: vec![1],
            encodings: texts(&["tr_e", "tr_b", "nx_b", "nexs", "sc-lsp"]),
            sets: texts(&["small", "medium", "large"]),
            stream_caches: texts(&["rbase-32x4"]),
            timestamps: vec![false],
            settings: Settings::default(),
            seeds: Vec::new(),
            startup: 0,
            verify: true,
            census: false,
            part: Vec::new(),
        }
    }
}

/// A trace that can be produced repeatedly.
#[derive(Debug)]
pub struct Trace {
    /// Name, as given.
    pub name: String,
    /// Kind of input.
    pub input: Input,
    /// Settings for running a program.
    pub settings: Settings,
    /// Identifies contents and settings: equal identities give equal events.
    pub identity: String,
    /// Address width, bits.
    pub xlen: u8,
    /// Address bits that are always 0.
    pub align: u8,
}

/// A trace that is produced once, for several tasks.
#[derive(Clone, Debug)]
pub struct Job {
    /// The trace.
    pub trace: Arc<Trace>,
    /// Harts.
    pub harts: u8,
    /// Instructions that are measured apart.
    pub startup: u64,
    /// Points to measure on it.
    pub tasks: Vec<Task>,
}

/// A point to measure.
#[derive(Clone, Debug)]
pub struct Task {
    /// The scheme.
    pub spec: SchemeSpec,
    /// Its platform.
    pub platform: Platform,
    /// Name of the result file.
    pub file: String,
    /// Decodes the stream.
    pub verify: bool,
    /// Collects statistics of the run.
    pub census: bool,
}

/// Version of the results: earlier results are not reused. Increased when the measurement or the format changes.
const RESULTS: u32 = 3;

/// FNV-1a, 64 bits: for file names that must not change between versions of Rust.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Letters and digits of a name, for file names.
fn slug(text: &str) -> String {
    let name = Path::new(text.trim_start_matches("builtin:")).file_name().map_or(text.into(), |n| n.to_string_lossy());
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(40).collect()
}

/// Jobs, descriptions of omitted points, and errors of omitted traces.
pub type Planned = (Vec<Job>, Vec<String>, Vec<SweepError>);

/// The jobs of a plan under construction.
#[derive(Default)]
struct Jobs {
    traces: Vec<Arc<Trace>>,
    jobs: Vec<Job>,
    left_out: Vec<String>,
    bad: Vec<SweepError>,
}

impl Jobs {
    /// The trace with this name and these settings, opened once.
    fn trace(
        &mut self,
        name: &str,
        settings: &Settings,
        plan: &Plan,
        elfs: &[Named],
    ) -> Result<Arc<Trace>, SweepError> {
        if let Some(known) = self.traces.iter().find(|t| t.name == name && t.settings == *settings) {
            return Ok(known.clone());
        }
        let mut input = Input::open(name)?;
        if let Input::Recording(recording, _) = &input {
            let mine = |n: &&Named| plan.any_build || n.build_id == recording.info().build_id;
            if let Some(named) = elfs.iter().find(mine) {
                input = Input::open_with(
                    name,
                    InputOptions { elf: Some(&named.name), any_build: plan.any_build, ..InputOptions::default() },
                )?;
            }
        }
        let align = input.align()?;
        if let (Input::Recording(recording, _), 0) = (&input, align) {
            // detects a truncated recording now, not after hours
            recording.report_to(&mut retire::NullSink)?;
        }
        let trace = Arc::new(Trace {
            name: name.to_string(),
            identity: input.identity(settings)?,
            xlen: input.xlen(),
            align,
            settings: settings.clone(),
            input,
        });
        self.traces.push(trace.clone());
        Ok(trace)
    }

    /// Rejects a program that no recording uses.
    fn check_used(&mut self, plan: &Plan, elfs: &[Named], named: &Named) -> Result<(), SweepError> {
        let mut unread = None;
        for name in &plan.traces {
            // the program may be that of one that cannot be read, which is reported later
            let trace = match self.trace(name, &plan.settings, plan, elfs) {
                Ok(trace) => trace,
                Err(e) => {
                    unread.get_or_insert(e);
                    continue;
                }
            };
            if trace.input.is_recording() && trace.input.named().is_some_and(|n| n.build_id == named.build_id) {
                return Ok(());
            }
        }
        if self.traces.is_empty() {
            return unread.map_or(Ok(()), Err);
        }
        if unread.is_some() {
            return Ok(());
        }
        let Named { name, build_id, .. } = named;
        Err(SweepError::Other(format!(
            "{name}: no recording is of its build id {build_id}; --any-build takes it all the same"
        )))
    }

    fn leave_out(&mut self, what: String) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    /// Adds one point, or the reason why there is none.
    fn add(
        &mut self,
        plan: &Plan,
        trace: &Arc<Trace>,
        harts: u8,
        spec: &SchemeSpec,
        timestamps: bool,
    ) -> Result<(), SweepError> {
        let platform = Platform { cores: harts, xlen: trace.xlen, align: trace.align, timestamps, ..Platform::RV32 };
        let platform = spec.on(&platform);
        if let Err(source) = spec.check(&platform) {
            if !timestamps {
                return Err(SweepError::Params { name: spec.name.clone(), source });
            }
            self.leave_out(format!("{} with time stamps: {source}", spec.name));
            return Ok(());
        }
        if timestamps && spec.family() == Family::Shared {
            if !plan.timestamps.contains(&false) {
                self.leave_out(format!("{} with time stamps: its rates are those of functional traces", spec.name));
            }
            return Ok(());
        }
        if timestamps && !trace.input.run(harts, &trace.settings)?.has_cycles() {
            self.leave_out(format!("{} with time stamps: it has no cycles", trace.name));
            return Ok(());
        }
        if plan.startup > 0 && spec.family() == Family::Baseline {
            self.leave_out(format!("{} with a start-up apart: its bits are known at the end of a run only", spec.name));
            return Ok(());
        }
        if timestamps && spec.family() == Family::Baseline {
            self.leave_out(format!("{} with time stamps: it has no time", spec.name));
            return Ok(());
        }
        if spec.needs_program() && trace.input.named().is_none() {
            self.leave_out(format!(
                "{} of {}: it needs the program of this recording, in `--elf`",
                spec.name, trace.name
            ));
            return Ok(());
        }
        let shape = spec.canonical(&platform);
        // points without start-up keep the names that they had before it could be measured
        let startup = if plan.startup == 0 { String::new() } else { format!(" after {}", plan.startup) };
        let key = format!("{RESULTS} {} {harts} {} {shape}{startup}", trace.identity, spec.name);
        let stamp = if timestamps { "-t" } else { "" };
        let file = format!("{}-{harts}-{}{stamp}-{:016x}.json", slug(&trace.name), slug(&spec.name), fnv(&key));
        let task = Task { spec: spec.clone(), platform, file, verify: plan.verify, census: plan.census };
        let same = |j: &&mut Job| Arc::ptr_eq(&j.trace, trace) && (j.harts, j.startup) == (harts, plan.startup);
        match self.jobs.iter_mut().find(same) {
            None => self.jobs.push(Job { trace: trace.clone(), harts, startup: plan.startup, tasks: vec![task] }),
            Some(job) => match job.tasks.iter_mut().find(|t| t.file == task.file) {
                None => job.tasks.push(task),
                Some(known) => {
                    known.verify |= task.verify;
                    known.census |= task.census;
                }
            },
        }
        Ok(())
    }

    fn add_all(&mut self, plan: &Plan) -> Result<(), SweepError> {
        if plan.traces.is_empty() {
            return Err(SweepError::Other(
                "`--trace` is required, or `traces` in the plan, such as builtin:fft".into(),
            ));
        }
        let schemes = plan.schemes()?;
        let elfs = plan.elfs.iter().map(|e| Named::open(e)).collect::<Result<Vec<_>, _>>()?;
        if plan.any_build && elfs.len() > 1 {
            return Err(SweepError::Other(format!(
                "`--any-build` needs a single program, but {} are given",
                elfs.len()
            )));
        }
        for named in &elfs {
            self.check_used(plan, &elfs, named)?;
        }
        for (name, settings) in plan.runs() {
            let trace = match self.trace(name, &settings, plan, &elfs) {
                Ok(trace) => trace,
                Err(e) => {
                    self.bad.push(e);
                    continue;
                }
            };
            if trace.input.is_recording() && settings.seed != plan.first_seed() {
                continue; // a finished run, which has no seed to change
            }
            let harts = trace.input.harts().map_or_else(|| plan.harts.clone(), |n| vec![n]);
            for harts in harts {
                trace.input.run(harts, &trace.settings)?;
                for timestamps in &plan.timestamps {
                    for spec in &schemes {
                        self.add(plan, &trace, harts, spec, *timestamps)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Plan {
    /// The seed of the first run of each trace.
    fn first_seed(&self) -> u64 {
        self.seeds.first().copied().unwrap_or(self.settings.seed)
    }

    /// Every trace with the settings of each of its runs.
    fn runs(&self) -> impl Iterator<Item = (&String, Settings)> {
        let seeds = if self.seeds.is_empty() { std::slice::from_ref(&self.settings.seed) } else { &self.seeds };
        let with = |seed: &u64| Settings { seed: *seed, ..self.settings.clone() };
        self.traces.iter().flat_map(move |name| seeds.iter().map(move |seed| (name, with(seed))))
    }

    /// Reads a TOML file.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let text = input::text(path, 1 << 20, "a plan")?;
        Self::parse(&text).map_err(|e| SweepError::Other(format!("{}: {}", path.display(), e.trim())))
    }

    /// Reads TOML.
    pub fn parse(text: &str) -> Result<Self, String> {
        // as a plan, for its messages; then part by part, each with the settings before the parts
        let explain = |e: toml::de::Error| plan_errors::explain(text, &e, |table| table.try_into::<Self>().map(|_| ()));
        let mut plan: Self = toml::from_str(text).map_err(explain)?;
        if plan.part.iter().any(|p| !p.part.is_empty()) {
            return Err("a part has parts; parts cannot be nested".into());
        }
        let mut common: toml::Table = toml::from_str(text).map_err(explain)?;
        let Some(toml::Value::Array(parts)) = common.remove("part") else { return Ok(plan) };
        plan.part.clear();
        for part in parts {
            let mut whole = common.clone();
            if let toml::Value::Table(part) = part {
                whole.extend(part);
            }
            plan.part.push(whole.try_into().map_err(explain)?);
        }
        Ok(plan)
    }

    /// Changes the grid, or every part of it.
    pub fn each(&mut self, change: impl Fn(&mut Self)) {
        change(self);
        self.part.iter_mut().for_each(&change);
    }

    /// Replaces the trace `all` by the built-in programs, and folders and patterns by their files.
    ///
    /// # Errors
    /// If a folder or a pattern has no trace.
    pub fn expand(&mut self) -> Result<(), SweepError> {
        for p in std::iter::once(&mut self.traces).chain(self.part.iter_mut().map(|p| &mut p.traces)) {
            if p.iter().any(|t| t == "all") {
                p.retain(|t| t != "all");
                p.extend(host::input::builtins());
            }
            *p = p.iter().map(|t| files::of(t)).collect::<Result<Vec<_>, _>>()?.concat();
        }
        Ok(())
    }

    /// Every scheme of the grid, in order, without repetitions.
    pub fn schemes(&self) -> Result<Vec<SchemeSpec>, SweepError> {
        let mut names: Vec<(String, String)> = Vec::new();
        for e in &self.encodings {
            let with: &[String] = match e.as_str() {
                "sc-lsp" => &self.stream_caches,
                // a name that is only valid with a set
                e if SchemeSpec::parse(e).is_err() && SchemeSpec::parse(&format!("{e}:small")).is_ok() => &self.sets,
                _ => &[],
            };
            if with.is_empty() {
                names.push((e.clone(), format!("`--encoding {e}`")));
            }
            let option = if e == "sc-lsp" { "--stream-cache" } else { "--set" };
            names.extend(with.iter().map(|w| (format!("{e}:{w}"), format!("`{option} {w}`"))));
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|(name, _)| seen.insert(name.clone()));
        let parse = |(name, from): &(String, String)| {
            SchemeSpec::parse(name).map_err(|e| SweepError::Other(format!("{from}: {e}")))
        };
        names.iter().map(parse).collect()
    }

    /// All jobs with their tasks. Combinations that a scheme does not support (time stamps with a software compressor)
    /// are omitted and described in the second list. Traces that cannot be read are omitted, too, with their errors.
    ///
    /// # Errors
    /// The plan is wrong, or no trace can be read.
    pub fn jobs(&self) -> Result<Planned, SweepError> {
        let mut jobs = Jobs::default();
        let parts = if self.part.is_empty() { std::slice::from_ref(self) } else { &self.part };
        parts.iter().try_for_each(|p| jobs.add_all(p))?;
        match jobs.bad.pop() {
            Some(e) if jobs.traces.is_empty() => Err(if jobs.bad.is_empty() { e } else { jobs.bad.swap_remove(0) }),
            last => {
                jobs.bad.extend(last);
                Ok((jobs.jobs, jobs.left_out, jobs.bad))
            }
        }
    }
}

/// A shard of a sweep: part `index` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Index, from 1.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
}

impl Shard {
    /// The whole sweep.
    pub const ALL: Self = Self { index: 1, of: 1 };

    /// The tasks of this shard: contiguous ones, so that most traces are produced for only one shard.
    pub fn part(&self, jobs: Vec<Job>) -> Vec<Job> {
        let total = jobs.iter().map(|j| j.tasks.len()).sum::<usize>() as u64;
        let bound = |i: u32| total * u64::from(i) / u64::from(self.of);
        let mine = bound(self.index - 1)..bound(self.index);
        let mut number = 0;
        let mut part = Vec::new();
        for mut job in jobs {
            job.tasks.retain(|_| {
                number += 1;
                mine.contains(&(number - 1))
            });
            if !job.tasks.is_empty() {
                part.push(job);
            }
        }
        part
    }
}

impl std::str::FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected I/N with I from 1 to N, as 2/4 for the second of four".to_string();
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (u32, u32) = (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if index == 0 || index > of {
            return Err(wrong());
        }
        Ok(Self { index, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_meet_the_sets_they_can_have() {
        let plan = Plan { sets: vec!["s1".into(), "m4".into()], ..Plan::default() };
        let names: Vec<String> = plan.schemes().unwrap().into_iter().map(|s| s.name).collect();
        assert_eq!(names, ["tr_e:s1", "tr_e:m4", "tr_b:s1", "tr_b:m4", "nx_b", "nexs", "sc-lsp:rbase-32x4"]);
    }

    #[test]
    fn shards_have_every_task_once_and_in_order() {
        let plan = Plan { traces: vec!["builtin:fft".into()], harts: vec![1, 2], ..Plan::default() };
        let jobs = plan.jobs().unwrap().0;
        let files = |jobs: &[Job]| -> Vec<String> {
            jobs.iter().flat_map(|j| j.tasks.iter().map(|t| t.file.clone())).collect()
        };
        assert_eq!(files(&jobs).len(), 18);
        for of in [1, 2, 4, 5, 18, 30] {
            let parts: Vec<_> = (1..=of).flat_map(|index| files(&Shard { index, of }.part(jobs.clone()))).collect();
            assert_eq!(parts, files(&jobs), "{of} shards");
        }
        for bad in ["", "1", "0/2", "3/2", "a/b", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, of: 4 }));
    }

    #[test]
    fn toml_plans_parse_and_unknown_keys_are_errors() {
        let text =
            "traces = [\"builtin:fft\"]\nharts = [1, 4]\nsets = [\"m4\"]\ntimestamps = [false, true]\nseed = 3\n";
        let plan: Plan = toml::from_str(text).unwrap();
        assert_eq!((plan.harts.as_slice(), plan.settings.seed), ([1, 4].as_slice(), 3));
        let e = toml::from_str::<Plan>("tracs = []").unwrap_err().to_string();
        assert!(e.contains("tracs"), "{e}");
    }

    #[test]
    fn parts_inherit_the_settings_before_them() {
        let plan = Plan::parse(
            "traces = [\"builtin:fft\"]\nseed = 3\nsets = [\"m4\"]\n\
             [[part]]\nharts = [1, 2]\nencodings = [\"tr_e\"]\n\
             [[part]]\nencodings = [\"tr_e\", \"nexs\"]\nverify = false\ncensus = true\n",
        )
        .unwrap();
        assert_eq!(plan.part.len(), 2);
        assert!(plan.part.iter().all(|p| p.settings.seed == 3 && p.sets == ["m4"] && p.traces == ["builtin:fft"]));
        let (jobs, left_out, _) = plan.jobs().unwrap();
        assert!(left_out.is_empty());
        let found: Vec<_> = jobs
            .iter()
            .flat_map(|j| j.tasks.iter().map(|t| (j.harts, t.spec.name.as_str(), t.verify, t.census)))
            .collect();
        // the trace of one hart is produced once, and the point that both parts request has the options of both
        assert_eq!(found, [(1, "tr_e:m4", true, true), (1, "nexs", false, true), (2, "tr_e:m4", true, false)]);
        let e = Plan::parse("[[part]]\n[[part.part]]\n").unwrap_err();
        assert_eq!(e, "a part has parts; parts cannot be nested");
    }

    #[test]
    fn unsupported_combinations_are_reported_as_omitted() {
        let plan = |timestamps: &[bool]| Plan {
            traces: vec!["builtin:fft".into()],
            encodings: vec!["shared:m4".into()],
            timestamps: timestamps.into(),
            ..Plan::default()
        };
        let (jobs, left_out, _) = plan(&[false, true]).jobs().unwrap();
        assert_eq!((jobs.len(), left_out.len()), (1, 0));
        let (jobs, left_out, _) = plan(&[true]).jobs().unwrap();
        assert_eq!((jobs.len(), left_out.len()), (0, 1));
    }
}
