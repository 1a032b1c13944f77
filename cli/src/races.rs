//! `goshawk races`: accesses of two cores that nothing orders

use crate::args::recorded::{callers, ram, site, Recorded};
use crate::output::{count, plural, report_missing};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::trace::LossSummary;
use host::views::races::order::Order;
use host::views::races::{Access, Race, Races};
use retire::image::Image;
use serde_json::json;
use std::io::Write;

/// Find data races of a recorded run: accesses of two cores that nothing orders
///
/// Two accesses of different cores to the same bytes, at least one of them a store, race if no chain of synchronisation orders them:
/// atomics with acquire and release, loads and stores with fences, and software interrupts. Each pair of instructions is listed once,
/// with both call stacks and the values of its first occurrence.
///
/// Pairs in which both accesses are atomics, or are next to a fence, are not counted. Some reported races may be intended:
/// relaxed atomics that are plain loads and stores, `volatile` flags without fences, and order that comes from other devices or a
/// DMA (`--ignore` omits them). Races that the order of locks in this run hides are not found: record more runs (`--seed`).
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk races bank.gip --elf builtin:bank\n  \
    goshawk races bank.gip --elf builtin:bank --ignore balance --limit 5 --json\n  \
    goshawk races bank.gip --elf builtin:bank --exit-code || echo races")]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Function or variable whose races are not listed. May be repeated
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
    /// Maximum number of listed races
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Exit with code 1 if there is a race
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut session = args.recorded.open()?;
    let locations = args.recorded.locations()?;
    args.ignore.iter().try_for_each(|name| locations.check_name("--ignore", name))?;
    let order = Order::new(Image::new(&session.named.program), session.named.program.code());
    let mut races = Races::new(order, args.recorded.follower(&session)?, ram(&session), session.info.params.cores);
    let damage = session.run(&mut races, &Bars, |_| false).err();
    let ignored = |r: &Race| {
        let object = locations.objects.at(r.addr).map(|(name, _)| name);
        let is = |name: &String| object == Some(name) || r.accesses.iter().any(|a| locations.is_in(a.pc, name));
        args.ignore.iter().any(is)
    };
    let (found, omitted): (Vec<&Race>, Vec<&Race>) = races.found().into_iter().partition(|r| !ignored(r));
    let what = |a: &Access| match (a.synchronises, a.store) {
        (false, true) => "writes",
        (false, false) => "reads",
        (true, true) => "writes (synchronising)",
        (true, false) => "reads (synchronising)",
    };
    if args.json {
        let access = |a: &Access| {
            json!({
                "core": a.core, "store": a.store, "synchronises": a.synchronises, "value": a.value, "retired": a.retired,
                "stack": site(&locations, races.follower(), a.pc, a.path),
            })
        };
        let race = |r: &&Race| {
            json!({
                "address": format!("0x{:08x}", r.addr), "object": locations.objects.text(r.addr), "times": r.times,
                "words": r.words.len(), "accesses": r.accesses.iter().map(access).collect::<Vec<_>>(),
            })
        };
        let object = args.recorded.object("races").with("races", found.iter().take(args.limit).map(race).collect());
        let object = object.with("found", found.len().into()).with("ignored", omitted.len().into());
        object.with("synchronised", races.synchronised.into()).with("dropped", races.dropped.into()).print(out)?;
    } else {
        for (n, r) in found.iter().take(args.limit).enumerate() {
            let more = if r.words.len() > 1 { format!(", {} words", r.words.len()) } else { String::new() };
            writeln!(out, "race {}: {}, {}{more}", n + 1, locations.address(r.addr), plural(r.times, "time"))?;
            for a in &r.accesses {
                writeln!(out, "  core {} {} 0x{:x} at {}", a.core, what(a), a.value, locations.at(a.pc))?;
                for line in callers(&locations, races.follower(), a.path) {
                    writeln!(out, "      {line}")?;
                }
            }
        }
        writeln!(out, "{} in the program", plural(found.len() as u64, "race"))?;
        if found.len() > args.limit {
            writeln!(out, "the first {} are listed; `--limit` lists more", args.limit)?;
        }
        if !omitted.is_empty() {
            writeln!(out, "{} ignored", plural(omitted.len() as u64, "race"))?;
        }
        if races.dropped > 0 {
            writeln!(out, "{} more conflicts, of further pairs of instructions", count(races.dropped))?;
        }
    }
    match report_missing(&args.recorded.trace, &LossSummary::default(), damage.as_ref()) {
        Status::Done if args.exit_code && !found.is_empty() => Ok(Status::Different),
        status => Ok(status),
    }
}
