//! Speed of record and replay: recording, replay, and running backwards as a debugger does

use super::clock::{Stopwatch, Time};
use super::{Repeat, Speed};
use crate::debug::motion::{Kind, Motion, Stop, Watch};
use crate::input::{Input, InputOptions};
use crate::inputs::{record, Session};
use crate::machine::Settings;
use crate::progress::Quiet;
use crate::HostError;
use retire::NullSink;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::InputsError;
use std::path::Path;

/// An address that no program accesses: a watchpoint on it is never hit.
const UNUSED_ADDRESS: u32 = 0x0000_0100;

/// Measures `program` on `harts` cores with at most `limit` instructions; `path` is the file of the recording.
pub(super) fn measure(
    program: &str,
    (harts, limit): (u8, u64),
    repeat: Repeat,
    path: &Path,
) -> Result<Vec<Speed>, HostError> {
    let settings = Settings { max_instructions: Some(limit), ..Settings::default() };
    let input = Input::open(program)?;
    let mut instructions = 0;
    let recording = timed(repeat, || {
        let start = Stopwatch::start();
        let recorded = record(&input.run(harts, &settings)?, Sizes::default(), 0, Some(path), &Quiet)?;
        instructions = recorded.totals.instructions;
        Ok(start.time())
    })?;
    let open = || Session::open(path, InputOptions { elf: Some(program), any_build: false, ..InputOptions::default() });
    let replaying = timed(repeat, || {
        let mut session = open()?;
        let start = Stopwatch::start();
        session.run(&mut NullSink, &Quiet, |_| false)?;
        Ok(start.time())
    })?;
    let (mut back, mut held) = (Time::MAX, (0, 0));
    let on = timed(repeat, || {
        let mut motion = Motion::new(open()?.replay());
        motion.breakpoints.insert(UNUSED_ADDRESS.into());
        motion.watches.push(Watch { addr: UNUSED_ADDRESS, length: 4, kind: Kind::Write });
        let edge = |stop: Result<Stop, InputsError>| match stop {
            Ok(Stop::Edge) => Ok(()),
            Ok(stop) => Err(HostError::Other(format!("{program}: stopped unexpectedly by {stop:?}"))),
            Err(source) => Err(HostError::Inputs { path: path.display().to_string(), source }),
        };
        let start = Stopwatch::start();
        edge(motion.forwards(None, |_| false))?;
        let on = start.time();
        held = motion.line.held();
        let start = Stopwatch::start();
        edge(motion.backwards(None, |_| false))?;
        back = start.time();
        Ok(on)
    })?;
    let (bytes, checkpoints) = held;
    let cores = format!("inputs, {harts} core{}", if harts == 1 { "" } else { "s" });
    let speed = |what: String, time| Speed::of(format!("{cores}: {what}"), instructions, "instructions", time);
    Ok(vec![
        speed("run and record".into(), recording),
        speed("replay".into(), replaying),
        speed("continue to the end, a watchpoint and a breakpoint set".into(), on),
        speed(
            format!(
                "reverse-continue to the beginning ({:.2} s; {checkpoints} checkpoints, {:.1} MB)",
                back.wall.as_secs_f64(),
                bytes as f64 / 1e6
            ),
            back,
        ),
    ])
}

/// The best time of an operation that may fail.
fn timed(repeat: Repeat, mut work: impl FnMut() -> Result<Time, HostError>) -> Result<Time, HostError> {
    let mut failed = None;
    let time = repeat.best_of(|| match work() {
        Ok(time) => time,
        Err(e) => {
            failed.get_or_insert(e);
            Time::MAX
        }
    });
    failed.map_or(Ok(time), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_recorded_replayed_and_gone_back() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let speeds = measure("builtin:bank", (2, 300_000), Repeat::ONCE, file.path()).unwrap();
        assert_eq!(speeds.len(), 4);
        assert!(speeds.iter().all(|s| s.per_second > 1e3 && s.per_cpu_second.is_finite()), "{speeds:?}");
        assert!(speeds[3].what.contains("checkpoints, "), "{speeds:?}");
        let none = measure("builtin:none", (1, 1), Repeat::ONCE, file.path()).unwrap_err().to_string();
        assert!(none.contains("none"), "{none}");
    }
}
