//! Measured gate counts of schemes, from the output of `goshawk gates --json`

use crate::point::Point;
use crate::SweepError;
use retire::file::input;
use serde::Deserialize;
use sim::params::TraceParams;
use std::path::Path;

#[derive(Clone, Debug, Deserialize)]
struct Measured {
    parameters: TraceParams,
    gates_with_memory: f64,
}

/// Gate counts of one core, by parameters.
#[derive(Clone, Debug, Default)]
pub struct GateList(Vec<Measured>);

/// Largest size of such a file, bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Whether two schemes have the same circuit: chunk sizes are constants of it and hardly change its size.
fn same_circuit(a: &TraceParams, b: &TraceParams) -> bool {
    a.flow.with_default_chunks() == b.flow.with_default_chunks() && a.timestamps == b.timestamps
}

impl GateList {
    /// Reads outputs of `goshawk gates --json`: one or several concatenated objects per file.
    pub fn read(paths: &[impl AsRef<Path>]) -> Result<Self, SweepError> {
        let mut list = Vec::new();
        for path in paths {
            let path = path.as_ref();
            let text = input::text(path, MAX_FILE_BYTES, "a file of gates")?;
            for object in serde_json::Deserializer::from_str(&text).into_iter::<Measured>() {
                list.push(object.map_err(|e| {
                    SweepError::Other(format!(
                        "{}: is not JSON of sizes ({e}); expected the output of `goshawk gates --json`",
                        path.display()
                    ))
                })?);
            }
        }
        Ok(Self(list))
    }

    /// NAND2 equivalents per core, with 1.5 per bit of memory; `None` if it was not measured. Cores that share predictors
    /// have those of a system with as many.
    pub fn of(&self, point: &Point) -> Option<f64> {
        self.of_circuit(&TraceParams::new(point.platform, point.flow?))
    }

    fn of_circuit(&self, params: &TraceParams) -> Option<f64> {
        let alike = |m: &&Measured| {
            same_circuit(&m.parameters, params) && (!params.flow.takes_turns() || m.parameters.cores == params.cores)
        };
        let found = self.0.iter().find(alike)?;
        Some(found.gates_with_memory / f64::from(found.parameters.cores))
    }

    /// Description of the gate counts of a page.
    pub fn describe(&self) -> String {
        match self.0.len() {
            0 => "estimated by the papers' rule, 1.5 gates per bit of state; `--gates` takes measured ones".into(),
            n => format!("measured for {n} circuits, with 1.5 gates per bit of memory; for the others estimated by the papers' rule, 1.5 gates per bit of state"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::params::{named_set, Coding};

    #[test]
    fn gates_are_found_by_the_circuit_whatever_the_chunks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gates.json");
        let m4 = named_set("m4").unwrap().params;
        let two = TraceParams::tr(m4).with(|p| p.cores = 2);
        let object = serde_json::json!({ "tool": "x", "parameters": two, "gates_with_memory": 9000.0 });
        std::fs::write(&path, object.to_string()).unwrap();
        let list = GateList::read(&[&path]).unwrap();
        assert_eq!(list.of_circuit(&TraceParams::tr(m4.coded(Coding::TR_B))), Some(4500.0));
        assert_eq!(list.of_circuit(&two.timed()), None);
        assert_eq!(list.of_circuit(&TraceParams::tr(named_set("m3").unwrap().params)), None);
        std::fs::write(&path, "{\"tool\": 3}").unwrap();
        let e = GateList::read(&[&path]).unwrap_err().to_string();
        assert!(e.contains("gates.json") && e.contains("expected the output of `goshawk gates --json`"), "{e}");
    }
}
