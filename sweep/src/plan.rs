//! What a sweep measures, and its parts in a fixed order

use crate::source::{Settings, Trace};
use crate::{Builtin, SweepError};
use serde::{Deserialize, Serialize};
use sim::scheme::{Family, Platform, SchemeSpec};
use std::path::Path;

/// A sweep as a TOML file or the command line says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// `builtin:NAME`, ELF or retire files.
    pub traces: Vec<String>,
    /// Harts that run a program; recordings have theirs.
    pub harts: Vec<u8>,
    /// `tr_e`, `tr_b`, `tr(...)` and `shared`, each with every set; `sc-lsp` with every stream cache; `nx_b`,
    /// `nexs`, baselines; or whole names, as `tr_e:m4`.
    pub encodings: Vec<String>,
    /// Predictor sets.
    pub sets: Vec<String>,
    /// Stream caches, as `rbase-32x4`.
    pub stream_caches: Vec<String>,
    /// Functional (`false`) and time-stamped (`true`) streams.
    pub timestamps: Vec<bool>,
    /// How programs are run.
    #[serde(flatten)]
    pub settings: Settings,
    /// Decode every stream and hold it to what went in.
    pub verify: bool,
}

impl Default for Plan {
    fn default() -> Self {
        let texts = |t: &[&str]| t.iter().map(|t| t.to_string()).collect();
        Self {
            traces: Vec::new(),
            harts: vec![1],
            encodings: texts(&["tr_e", "tr_b", "nx_b", "nexs", "sc-lsp"]),
            sets: texts(&["small", "medium", "large"]),
            stream_caches: texts(&["rbase-32x4"]),
            timestamps: vec![false],
            settings: Settings::default(),
            verify: true,
        }
    }
}

/// One trace that is produced once.
#[derive(Clone, Debug)]
pub struct Job {
    /// The trace.
    pub trace: Trace,
    /// Harts.
    pub harts: u8,
    /// What is measured on it.
    pub tasks: Vec<Task>,
}

/// One point to be measured.
#[derive(Clone, Debug)]
pub struct Task {
    /// The scheme.
    pub spec: SchemeSpec,
    /// Its platform.
    pub platform: Platform,
    /// Name of its file.
    pub file: String,
}

/// Results are not taken over when this changes: it goes with what is measured and how it is stored.
const RESULTS: u32 = 1;

/// FNV-1a, 64 bits: names of files that must stay the same from one version of Rust to the next.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Letters and digits of a name, for file names.
fn slug(text: &str) -> String {
    let name = Path::new(text.trim_start_matches("builtin:")).file_name().map_or(text.into(), |n| n.to_string_lossy());
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(40).collect()
}

impl Plan {
    /// Reads a TOML file.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let text = std::fs::read_to_string(path).map_err(|e| SweepError::io(path, e))?;
        toml::from_str(&text).map_err(|e| SweepError::Other(format!("{}: {}", path.display(), e.to_string().trim())))
    }

    /// Every scheme of the plan, in order, each once.
    pub fn schemes(&self) -> Result<Vec<SchemeSpec>, SweepError> {
        let mut names: Vec<String> = Vec::new();
        for e in &self.encodings {
            let with: &[String] = match e.as_str() {
                e if e.contains(':') => &[],
                "sc-lsp" => &self.stream_caches,
                e if e.starts_with("tr") || e == "shared" => &self.sets,
                _ => &[],
            };
            if with.is_empty() {
                names.push(e.clone());
            }
            names.extend(with.iter().map(|w| format!("{e}:{w}")));
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|n| seen.insert(n.clone()));
        names.iter().map(|n| Ok(SchemeSpec::parse(n)?)).collect()
    }

    /// All jobs with their tasks. What a scheme cannot do on a platform (time stamps with a compressor in software) is
    /// left out and told in the second list.
    pub fn jobs(&self, builtin: Builtin) -> Result<(Vec<Job>, Vec<String>), SweepError> {
        if self.traces.is_empty() {
            return Err(SweepError::Other("the plan has no trace; --trace builtin:fft names one".into()));
        }
        let schemes = self.schemes()?;
        let (mut jobs, mut left_out) = (Vec::new(), Vec::new());
        for name in &self.traces {
            let trace = Trace::open(name, &self.settings, builtin)?;
            let harts = trace.harts().map_or_else(|| self.harts.clone(), |n| vec![n]);
            for harts in harts {
                trace.check(harts, &self.settings)?;
                let mut tasks = Vec::new();
                for timestamps in &self.timestamps {
                    let platform =
                        Platform { cores: harts, xlen: trace.xlen, align: trace.align, timestamps: *timestamps };
                    for spec in &schemes {
                        let params = spec.params(&platform);
                        if let Err(source) = params.check() {
                            if !timestamps {
                                return Err(SweepError::Params { name: spec.name.clone(), source });
                            }
                            let what = format!("{} with time stamps: {source}", spec.name);
                            if !left_out.contains(&what) {
                                left_out.push(what);
                            }
                            continue;
                        }
                        if *timestamps && spec.family() == Family::Shared {
                            continue;
                        }
                        if *timestamps && spec.family() == Family::Baseline {
                            let what = format!("{} with time stamps: it knows no time", spec.name);
                            if !left_out.contains(&what) {
                                left_out.push(what);
                            }
                            continue;
                        }
                        if spec.needs_program() && trace.harts().is_some() {
                            let what =
                                format!("{} of {name}: it needs the program, and this is a recording", spec.name);
                            if !left_out.contains(&what) {
                                left_out.push(what);
                            }
                            continue;
                        }
                        let key = format!("{RESULTS} {} {harts} {} {}", trace.identity, spec.name, params.canonical());
                        let stamp = if *timestamps { "-t" } else { "" };
                        let file =
                            format!("{}-{harts}-{}{stamp}-{:016x}.json", slug(name), slug(&spec.name), fnv(&key));
                        tasks.push(Task { spec: spec.clone(), platform, file });
                    }
                }
                if !tasks.is_empty() {
                    jobs.push(Job { trace: trace.clone(), harts, tasks });
                }
            }
        }
        Ok((jobs, left_out))
    }
}

/// Part `index` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// Parts.
    pub of: u32,
}

impl Shard {
    /// The whole.
    pub const ALL: Self = Self { index: 1, of: 1 };

    /// Its part of the tasks: one run of neighbours, so that most traces are produced for one shard only.
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
        let wrong = || format!("`{text}` is no shard; 2/4 is the second of four");
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
        let jobs = plan.jobs(|name| programs::find(name).map(|p| p.elf)).unwrap().0;
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
    fn a_plan_in_toml_is_the_plan_and_a_wrong_word_is_told() {
        let text =
            "traces = [\"builtin:fft\"]\nharts = [1, 4]\nsets = [\"m4\"]\ntimestamps = [false, true]\nseed = 3\n";
        let plan: Plan = toml::from_str(text).unwrap();
        assert_eq!((plan.harts.as_slice(), plan.settings.seed), ([1, 4].as_slice(), 3));
        let e = toml::from_str::<Plan>("tracs = []").unwrap_err().to_string();
        assert!(e.contains("tracs"), "{e}");
    }
}
