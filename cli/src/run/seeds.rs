//! Runs with many seeds: looks for a schedule of the harts in which the program ends in a certain way

use super::Args;
use crate::args::seeds::Seeds;
use crate::args::{MachineArgs, Platform, ProgramArgs, Source};
use crate::output::{count, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::halt::{find, End, Halt};
use host::progress::Progress;
use retire::NullSink;
use sim::riscv::Exit;
use std::io::Write;
use std::str::FromStr;

/// Instructions of a run, if no limit is given: a run that waits for ever ends, too.
const LIMIT: u64 = 100_000_000;

/// How a run must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// With this code, or with another one.
    Code(u32, bool),
    /// In an exception that no handler takes.
    Crash,
    /// With every hart waiting.
    Deadlock,
    /// At the instruction limit.
    Limit,
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let code = |rest: &str| rest.trim_start_matches('=').parse().ok();
        match text {
            "crash" => Some(Self::Crash),
            "deadlock" => Some(Self::Deadlock),
            "limit" => Some(Self::Limit),
            _ => match (text.strip_prefix("exit!="), text.strip_prefix("exit=")) {
                (Some(other), _) => code(other).map(|code| Self::Code(code, false)),
                (_, Some(same)) => code(same).map(|code| Self::Code(code, true)),
                _ => None,
            },
        }
        .ok_or_else(|| "expected exit!=CODE, exit=CODE, crash, deadlock or limit".into())
    }
}

impl Until {
    fn fits(self, end: End) -> bool {
        match (self, end) {
            (Self::Code(code, same), End::Finished(found)) => (found == code) == same,
            // what does not end has not ended with the code
            (Self::Code(_, same), End::Crash | End::Deadlock) => !same,
            (Self::Code(..), End::Limit) => false,
            (Self::Crash, _) => end == End::Crash,
            (Self::Deadlock, _) => end == End::Deadlock,
            (Self::Limit, _) => end == End::Limit,
        }
    }

    /// Whether it needs to know a crash from a deadlock, which takes a second run.
    fn distinguishes_crashes(self) -> bool {
        matches!(self, Self::Crash | Self::Deadlock)
    }
}

/// The settings of the run with a seed.
pub fn with_seed(args: &Args, seed: u64) -> MachineArgs {
    let max_instructions = args.machine.max_instructions.or(Some(LIMIT));
    MachineArgs { seed: Some(seed), max_instructions, ..args.machine.clone() }
}

/// The first seed with which the program ends as `--until` says; otherwise prints that there is none.
pub fn search(
    args: &Args,
    seeds: &Seeds,
    platform: &Platform,
    out: &mut dyn Write,
) -> Result<Result<u64, Status>, Failure> {
    let bar = Bars.begin("trying", "seeds", Some(seeds.end - seeds.first));
    let mut limits = 0;
    for seed in seeds.iter() {
        let mut source = Source::open(&args.program, &ProgramArgs::default(), &with_seed(args, seed))?;
        source.set_platform(platform, &args.program)?;
        let run = source.run()?;
        let totals = run.report_to(&mut NullSink, &Bars)?;
        if totals.stopped {
            eprintln!("goshawk: {}: stopped at seed {seed}; what follows has not run", args.program);
            return Ok(Err(Status::Partial));
        }
        if let Some(summary) = &totals.summary {
            limits += u64::from(summary.exit == Exit::Limit);
            let halted = summary.exit == Exit::Deadlock && args.until.distinguishes_crashes();
            let halt = if halted { find(&run, summary.exit, &Bars)? } else { Halt::default() };
            if args.until.fits(halt.end(summary.exit)) {
                return Ok(Ok(seed));
            }
        }
        bar.advance(1);
    }
    let (first, last) = (seeds.first, seeds.end - 1);
    if args.json {
        let object = Object::new("run", &args.program).with("seeds", vec![first, seeds.end].into());
        object.with("found", false.into()).with("at_limit", limits.into()).print(out)?;
    } else {
        writeln!(out, "{}: none of the runs with seeds {first} to {last} ended in this way", args.program)?;
        if limits > 0 {
            writeln!(out, "{} of them reached the instruction limit", count(limits))?;
        }
    }
    Ok(Err(Status::Done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_read_and_compared() {
        let until = |text: &str| text.parse::<Until>().unwrap();
        assert_eq!(
            (until("exit!=0"), until("exit=3"), until("exit==3")),
            (Until::Code(0, false), Until::Code(3, true), Until::Code(3, true))
        );
        assert!(until("exit!=0").fits(End::Finished(1)) && !until("exit!=0").fits(End::Finished(0)));
        assert!(until("exit!=0").fits(End::Deadlock) && !until("exit!=0").fits(End::Limit));
        assert!(until("crash").fits(End::Crash) && !until("crash").fits(End::Deadlock));
        assert!(until("deadlock").fits(End::Deadlock) && !until("deadlock").fits(End::Crash));
        for bad in ["", "exit", "exit!=", "exit!=-1", "fails"] {
            assert!(bad.parse::<Until>().is_err(), "{bad}");
        }
    }
}
