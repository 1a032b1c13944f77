//! Earlier results of `goshawk bench --json`, to compare with

use crate::Failure;
use retire::file::input;
use serde_json::Value;
use std::path::Path;

/// Most bytes of such a file.
const MAX_SIZE: u64 = 1 << 24;

/// Speeds by program and by what was measured, in units per second of CPU time.
#[derive(Debug)]
pub struct Earlier(Vec<(String, String, f64)>);

/// What a speed is of: numbers in parentheses, such as times, differ from run to run.
fn name(what: &str) -> &str {
    what.split(" (").next().unwrap_or(what)
}

impl Earlier {
    /// Reads a file of one object, or of several, one after the other.
    ///
    /// # Errors
    /// It cannot be read, or is no such result.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let text = input::text(path, MAX_SIZE, "a result of `bench --json`")?;
        let refused = |line: usize, found: &str| {
            Failure::Other(format!(
                "`--compare {}`: line {line}: {found}; expected a result of `bench --json`",
                path.display()
            ))
        };
        let mut speeds = Vec::new();
        let mut objects = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let line = |at: usize| 1 + text[..at].matches('\n').count();
        let mut at = 0;
        while let Some(object) = objects.next() {
            let object = object.map_err(|e| refused(e.line(), &format!("is not JSON ({e})")))?;
            let begin = line(at + text[at..].len() - text[at..].trim_start().len());
            at = objects.byte_offset();
            if object["command"] != "bench" {
                return Err(refused(begin, "is of another command"));
            }
            let (Some(program), Some(all)) = (object["input"].as_str(), object["speeds"].as_array()) else {
                return Err(refused(begin, "has no speeds of a program"));
            };
            for speed in all {
                let (Some(what), Some(n)) = (speed["what"].as_str(), speed["per_cpu_second"].as_f64()) else {
                    return Err(refused(begin, "has a speed without `what` or `per_cpu_second`"));
                };
                speeds.push((program.to_string(), name(what).to_string(), n));
            }
        }
        if speeds.is_empty() {
            return Err(refused(1, "has no speeds"));
        }
        Ok(Self(speeds))
    }

    /// The speed of `program` in `what`, if it was measured.
    pub fn speed(&self, program: &str, what: &str) -> Option<f64> {
        self.0.iter().find(|(of, known, _)| of == program && known == name(what)).map(|(.., n)| *n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<Earlier, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Earlier::open(file.path()).map_err(|e| e.to_string())
    }

    #[test]
    fn speeds_are_found_by_program_and_name_and_other_files_are_refused() {
        let of = |input: &str, n: u32| {
            format!(
                r#"{{"command":"bench","input":"{input}","speeds":[{{"what":"back (0.1 s)","per_cpu_second":{n}}}]}}"#
            )
        };
        let both = open(&format!("{}\n{}\n", of("builtin:lz", 5), of("builtin:vm", 7))).unwrap();
        let found = ["builtin:lz", "builtin:vm", "builtin:no"].map(|p| both.speed(p, "back (0.2 s)"));
        assert_eq!(found, [Some(5.0), Some(7.0), None]);
        assert_eq!(both.speed("builtin:lz", "forth"), None);
        for (text, what) in [
            ("", "line 1: has no speeds"),
            ("elf", "line 1: is not JSON"),
            (r#"{"command":"stats"}"#, "line 1: is of another command"),
            (&format!("{}\n{{}}", of("builtin:lz", 5)), "line 2: is of another command"),
            (&of("builtin:lz", 5).replace("per_cpu_second", "per_second"), "without `what` or `per_cpu_second`"),
        ] {
            let e = open(text).unwrap_err();
            assert!(e.contains(what) && e.contains("expected a result of `bench --json`"), "{what}: {e}");
        }
    }
}
