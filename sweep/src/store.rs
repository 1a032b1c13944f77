//! The folder of a sweep: one file per finished point, the table, and how it was made
//!
//! | file | content |
//! | --- | --- |
//! | `points/*.json` | one [`Point`] each, complete or absent |
//! | `results.csv` | one [`Row`] each, in the plan's order |
//! | `results.parquet` | the same, with the feature `parquet` |
//! | `sweep.json` | tool, command, plan, shard, names of all points, whether all are complete |

use crate::plan::{Job, Plan, Shard, Task};
use crate::point::{Point, Row, Verified};
use crate::SweepError;
use retire::file::{input, Replacement};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A store of finished points.
pub trait PointStore: Sync {
    /// Whether a point is already there and need not be run.
    fn has(&self, task: &Task) -> bool;
    /// Stores a finished point.
    fn put(&self, file: &str, point: &Point) -> Result<(), SweepError>;
}

/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<HashMap<String, Point>>);

impl MemoryStore {
    /// The points of `jobs`, in their order.
    pub fn into_points(self, jobs: &[Job]) -> Vec<Point> {
        let mut points = self.0.into_inner().unwrap_or_else(|e| e.into_inner());
        files(jobs).iter().filter_map(|f| points.remove(f)).collect()
    }
}

impl PointStore for MemoryStore {
    fn has(&self, task: &Task) -> bool {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).contains_key(&task.file)
    }

    fn put(&self, file: &str, point: &Point) -> Result<(), SweepError> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).insert(file.to_string(), point.clone());
        Ok(())
    }
}

/// Contents of `sweep.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the tool.
    pub tool: String,
    /// Command line.
    pub command: String,
    /// The plan.
    pub plan: Plan,
    /// The shard that this folder holds.
    pub shard: Shard,
    /// Number of points of the whole plan.
    pub total: usize,
    /// Files of the points of this shard, in order.
    pub points: Vec<String>,
    /// Whether all of them are present.
    pub complete: bool,
    /// Duration of the last run, seconds.
    pub seconds: f64,
}

/// Largest size of a file of a sweep, bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// A store in a folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Creates the folder if it does not exist.
    pub fn create(folder: &Path) -> Result<Self, SweepError> {
        let points = folder.join("points");
        std::fs::create_dir_all(&points).map_err(|e| SweepError::io(&points, e))?;
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// Opens an existing folder.
    pub fn open(folder: &Path) -> Result<Self, SweepError> {
        let store = Self { folder: folder.to_path_buf() };
        store.manifest()?;
        Ok(store)
    }

    /// Its path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether `path` is one of the sweep's own files.
    pub fn holds(&self, path: &Path) -> bool {
        let own = |p: &Path| p.canonicalize().ok();
        let Some(path) = own(path) else { return false };
        let tables = ["sweep.json", "results.csv", "results.parquet"].map(|name| own(&self.folder.join(name)));
        tables.contains(&Some(path.clone())) || path.parent().map(Path::to_path_buf) == own(&self.folder.join("points"))
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.join("points").join(file)
    }

    fn write(path: &Path, text: &[u8]) -> Result<(), SweepError> {
        let mut file = Replacement::create(path)?;
        file.write_all(text).and_then(|()| file.flush()).map_err(|e| SweepError::io(path, e))?;
        file.commit()?;
        Ok(())
    }

    /// A finished point; `None` if it is missing or its file is damaged.
    pub fn point(&self, file: &str) -> Option<Point> {
        let text = input::read(&self.path(file), MAX_FILE_BYTES, "a point").ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Reads `sweep.json`.
    pub fn manifest(&self) -> Result<Manifest, SweepError> {
        let path = self.folder.join("sweep.json");
        if !path.exists() {
            let folder = self.folder.display();
            return Err(SweepError::Other(format!("{folder}: has no sweep.json; expected the folder of a sweep")));
        }
        let text = input::read(&path, MAX_FILE_BYTES, "the list of a sweep")?;
        serde_json::from_slice(&text).map_err(|e| SweepError::Other(format!("{}: {e}", path.display())))
    }

    /// Finished points of an earlier sweep in this folder that are not among `points`: one of them, and their number.
    pub fn left_out(&self, points: &[String]) -> Option<(String, u64)> {
        let earlier = self.manifest().ok()?.points;
        let mut left = earlier.into_iter().filter(|p| !points.contains(p) && self.point(p).is_some());
        let first = left.next()?;
        Some((first, 1 + left.count() as u64))
    }

    /// Writes `sweep.json`, and `results.csv` of the points that are present.
    pub fn finish(&self, manifest: &Manifest) -> Result<usize, SweepError> {
        let path = self.folder.join("results.csv");
        let csv_error = |e: csv::Error| SweepError::Other(format!("{}: {e}", path.display()));
        let mut table = csv::Writer::from_writer(Vec::new());
        let points = manifest.points.iter().filter_map(|file| Some(self.point(file)?.row(file)));
        let rows: Vec<Row> = points.collect();
        let found = rows.len();
        for row in &rows {
            table.serialize(row).map_err(csv_error)?;
        }
        let bytes = table.into_inner().map_err(|e| csv_error(e.into_error().into()))?;
        Self::write(&path, &bytes)?;
        #[cfg(feature = "parquet")]
        Self::write(&self.folder.join("results.parquet"), &crate::columns::bytes(&rows)?)?;
        let manifest = Manifest { complete: found == manifest.points.len(), ..manifest.clone() };
        let text = serde_json::to_vec_pretty(&manifest).map_err(|e| SweepError::Other(e.to_string()))?;
        Self::write(&self.folder.join("sweep.json"), &text)?;
        Ok(found)
    }

    /// All points that are present, with their files, in order.
    pub fn points(&self) -> Result<Vec<(String, Point)>, SweepError> {
        let manifest = self.manifest()?;
        Ok(manifest.points.into_iter().filter_map(|f| self.point(&f).map(|p| (f, p))).collect())
    }

    /// The rows of `results.csv`.
    pub fn rows(&self) -> Result<Vec<Row>, SweepError> {
        let path = self.folder.join("results.csv");
        let error = |e: csv::Error| SweepError::Other(format!("{}: {e}", path.display()));
        let mut reader = csv::Reader::from_path(&path).map_err(error)?;
        reader.deserialize().collect::<Result<_, _>>().map_err(error)
    }
}

impl PointStore for Store {
    fn has(&self, task: &Task) -> bool {
        self.point(&task.file).is_some_and(|p| {
            (!task.verify || p.verified != Verified::Unverified) && (!task.census || p.census.is_some())
        })
    }

    fn put(&self, file: &str, point: &Point) -> Result<(), SweepError> {
        let text = serde_json::to_vec(point).map_err(|e| SweepError::Other(format!("{file}: {e}")))?;
        Self::write(&self.path(file), &text)
    }
}

/// File names of the points of jobs.
pub fn files(jobs: &[Job]) -> Vec<String> {
    jobs.iter().flat_map(|j| j.tasks.iter().map(|t| t.file.clone())).collect()
}

/// Merges the shards of one sweep into `output`; returns the number of points.
///
/// Rejects shards of different plans, a missing or unfinished shard, one given twice, and shards that were made from
/// different traces with the same name.
pub fn merge(output: &Path, folders: &[PathBuf]) -> Result<usize, SweepError> {
    let stores: Vec<Store> = folders.iter().map(|f| Store::open(f)).collect::<Result<_, _>>()?;
    let mut shards = Vec::new();
    for store in &stores {
        shards.push((store, store.manifest()?));
    }
    shards.sort_by_key(|(_, m)| m.shard.index);
    let Some((home, first)) = shards.first().cloned() else {
        return Err(SweepError::Other("no shard to merge is given".into()));
    };
    let of = first.shard.of;
    for (store, m) in &shards {
        let other = |what| {
            let (this, home) = (store.folder.display(), home.folder.display());
            SweepError::Other(format!("{this}: {what} is not that of {home}; shards of one sweep can be merged"))
        };
        if m.plan != first.plan {
            return Err(other("its plan"));
        }
        if m.shard.of != of || m.total != first.total {
            return Err(other("its number of shards"));
        }
    }
    let all: Vec<u32> = shards.iter().map(|(_, m)| m.shard.index).collect();
    if let Some(index) = (1..=of).find(|i| !all.contains(i)) {
        return Err(SweepError::Other(format!("shard {index}/{of} is missing; all of them must be given")));
    }
    if let Some(twice) = all.windows(2).find(|w| w[0] == w[1]) {
        return Err(SweepError::Other(format!("shard {}/{of} is given twice", twice[0])));
    }
    let out = Store::create(output)?;
    let points: Vec<String> = shards.iter().flat_map(|(_, m)| m.points.iter().cloned()).collect();
    if let Some((lost, kept)) = out.left_out(&points) {
        return Err(SweepError::Other(format!(
            "{}: holds {kept} point{} of another plan, which the results would lose ({lost}); `--output` must name another folder",
            output.display(),
            if kept == 1 { "" } else { "s" }
        )));
    }
    let mut digests: HashMap<(String, u8, Option<u64>), (String, &Path)> = HashMap::new();
    for (store, m) in &shards {
        for file in &m.points {
            let folder = store.folder.display();
            let point = store.point(file).ok_or_else(|| {
                let index = m.shard.index;
                SweepError::Other(format!(
                    "{folder}: shard {index}/{of} is not finished: {file} is missing or damaged; run it again"
                ))
            })?;
            let digest = (point.trace_hash.clone(), store.folder.as_path());
            let known = digests.entry((point.trace.clone(), point.harts, point.seed())).or_insert(digest);
            if known.0 != point.trace_hash {
                let (trace, home) = (&point.trace, known.1.display());
                return Err(SweepError::Other(format!("{folder}: its trace {trace} is not the one of {home}")));
            }
            out.put(file, &point)?;
        }
    }
    let manifest =
        Manifest { shard: Shard::ALL, points, seconds: shards.iter().map(|(_, m)| m.seconds).sum(), ..first.clone() };
    out.finish(&manifest)
}
