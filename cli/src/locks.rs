//! `goshawk locks`: holders, waits, and orders in which locks were taken

use crate::args::recorded::{callers, site, Recorded};
use crate::output::{count, plural, report_missing, Left, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::symbols::Symbols;
use host::trace::LossSummary;
use host::views::locks::{Locks, Site};
use retire::image::Image;
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;

/// Show the locks of a recorded run: holders, waits, and orders that can end in a deadlock
///
/// A lock is a word that an atomic changes from 0 to another value, that only its holder changes back, and that others leave as it is
/// until then. With `--acquire` and `--release`, a lock is instead the object to which the first argument of these functions points. Times are
/// instructions of the core that waits or holds, counted at its jumps and branches.
///
/// Two locks that were taken in both orders, and longer cycles, can end in a deadlock in another run. Cores that wait for each other at the
/// end of this run are in a deadlock.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk locks bank.gip --elf builtin:bank\n  \
    goshawk locks bank.gip --elf builtin:bank --json\n  \
    goshawk locks bank.gip --elf builtin:bank --acquire lock --release unlock")]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Function that returns when it holds the lock that its first argument points to. May be repeated
    #[arg(long, value_name = "NAME", requires = "release")]
    acquire: Vec<String>,
    /// Function that releases the lock that its first argument points to. May be repeated
    #[arg(long, value_name = "NAME", requires = "acquire")]
    release: Vec<String>,
    /// Exit with code 1 if locks were taken in different orders, or cores wait for each other
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The functions that take (true) and release locks.
fn functions(args: &Args) -> Result<HashMap<u64, bool>, Failure> {
    let symbols = Symbols::open(&args.recorded.elf)?;
    let mut found = HashMap::new();
    for (option, names, takes) in [("--acquire", &args.acquire, true), ("--release", &args.release, false)] {
        for name in names {
            found.extend(symbols.ranges(name).map(|range| (range.start, takes)));
            if symbols.ranges(name).next().is_none() {
                return Err(Failure::Other(format!("`{option} {name}`: {} has no such function", args.recorded.elf)));
            }
        }
    }
    Ok(found)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut session = args.recorded.open()?;
    let functions = functions(args)?;
    let locations = args.recorded.locations()?;
    let image = Image::new(&session.named.program);
    let atomic = Box::new(move |pc| image.instruction(pc).is_some_and(|(bits, len)| len == 4 && bits & 0x7f == 0x2f));
    let mut locks = Locks::new(args.recorded.follower(&session)?, session.info.params.cores, functions, atomic);
    let damage = session.run(&mut locks, &Bars, |_| false).err();
    let (inversions, deadlock) = (locks.inversions(), locks.deadlock());
    let name = |addr: u64| locations.objects.text(addr);
    if args.json {
        let place = |s: &Site| json!({ "core": s.core, "retired": s.retired, "stack": site(&locations, locks.follower(), s.pc, s.path) });
        let lock = |(addr, l): (u64, &host::views::locks::Lock)| {
            json!({
                "address": format!("0x{addr:08x}"), "name": name(addr), "taken": l.taken, "waits": l.waits,
                "waited": l.waited.0, "longest_wait": l.waited.1, "held": l.held.0, "longest_hold": l.held.1,
                "holder": l.holder.as_ref().map(place), "waiting": l.waiting.values().map(place).collect::<Vec<_>>(),
            })
        };
        let cycle = |c: &Vec<(u64, u64, host::views::locks::Nested)>| {
            let step = |(a, b, n): &(u64, u64, host::views::locks::Nested)| json!({ "held": name(*a), "taken": name(*b), "times": n.times, "held_by": place(&n.first), "taken_by": place(&n.second) });
            c.iter().map(step).collect::<Vec<_>>()
        };
        let waits =
            |(core, addr, holder): &(u8, u64, u8)| json!({ "core": core, "waits_for": name(*addr), "holder": holder });
        let object = args.recorded.object("locks").with("locks", locks.locks().map(lock).collect());
        let object = object.with("inversions", inversions.iter().map(cycle).collect());
        object.with("deadlock", deadlock.iter().map(waits).collect()).print(out)?;
    } else if locks.locks().next().is_none() {
        writeln!(out, "no locks found")?;
    } else {
        let mut table = Table::new([
            ("lock", Left),
            ("taken", Right),
            ("waits", Right),
            ("waited", Right),
            ("longest wait", Right),
            ("held", Right),
            ("longest hold", Right),
            ("holder at the end", Left),
        ]);
        for (addr, l) in locks.locks() {
            table.row([
                name(addr),
                count(l.taken),
                count(l.waits),
                count(l.waited.0),
                count(l.waited.1),
                count(l.held.0),
                count(l.held.1),
                l.holder.map_or_else(String::new, |h| format!("core {} at {}", h.core, locations.at(h.pc))),
            ]);
        }
        table.print(out)?;
        let mut at = |what: String, s: &Site| -> std::io::Result<()> {
            writeln!(out, "  {what} by core {} at {}", s.core, locations.at(s.pc))?;
            callers(&locations, locks.follower(), s.path).iter().try_for_each(|line| writeln!(out, "      {line}"))
        };
        for cycle in &inversions {
            at(
                format!("order of {}: {} was taken", plural(cycle.len() as u64, "lock"), name(cycle[0].0)),
                &cycle[0].2.first,
            )?;
            for (held, taken, nested) in cycle {
                at(
                    format!(
                        "{} was taken while {} was held, {},",
                        name(*taken),
                        name(*held),
                        plural(nested.times, "time")
                    ),
                    &nested.second,
                )?;
            }
        }
        for (core, addr, holder) in &deadlock {
            writeln!(out, "deadlock: core {core} waits for {}, which core {holder} holds", name(*addr))?;
        }
        if inversions.is_empty() && deadlock.is_empty() {
            writeln!(out, "locks were taken in one order")?;
        }
    }
    match report_missing(&args.recorded.trace, &LossSummary::default(), damage.as_ref()) {
        Status::Done if args.exit_code && !(inversions.is_empty() && deadlock.is_empty()) => Ok(Status::Different),
        status => Ok(status),
    }
}
