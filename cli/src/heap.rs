//! `goshawk heap`: blocks that are never freed, freed twice, or used without being allocated

use crate::args::recorded::{callers, site, Recorded};
use crate::output::{count, facts, plural, report_missing};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::symbols::Symbols;
use host::trace::LossSummary;
use host::views::heap::{Allocator, Block, Error, Heap, Site, Wrong};
use host::views::stack::follower::Path;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::str::FromStr;

/// A function, and the number of its first argument that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    name: String,
    first: u8,
}

impl FromStr for Function {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let right = || "expected NAME or NAME:N, with the number of the argument from 0 to 6".to_string();
        let (name, first) = match text.split_once(':') {
            Some((name, n)) => (name, n.parse().ok().filter(|n| *n <= 6).ok_or_else(right)?),
            None => (text, 0),
        };
        if name.is_empty() {
            return Err(right());
        }
        Ok(Self { name: name.into(), first })
    }
}

/// Find errors with allocated memory in a recorded run
///
/// Reports blocks that were never freed, by the code location that allocated them; blocks that were freed twice, or freed but never
/// allocated; accesses to freed blocks, and to the 16 bytes after a block; and requests that got no memory. Accesses by an allocator itself
/// do not count.
///
/// Allocators are functions of the program, by name. In NAME:N, argument N (from 0) is the size or block: `--malloc _malloc_r:1`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk heap heap.gip --elf heap.elf\n  \
    goshawk heap heap.gip --elf heap.elf --malloc malloc:0 --free free:0 --exit-code || echo errors\n  \
    goshawk heap heap.gip --elf heap.elf --limit 5 --json")]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Function that allocates a block; its argument is the size. May be repeated [default: malloc and pvPortMalloc]
    #[arg(long, value_name = "NAME[:N]")]
    malloc: Vec<Function>,
    /// Function that allocates an array; its arguments are number and size. May be repeated [default: calloc and pvPortCalloc]
    #[arg(long, value_name = "NAME[:N]")]
    calloc: Vec<Function>,
    /// Function that changes the size of a block; its arguments are block and size. May be repeated [default: realloc]
    #[arg(long, value_name = "NAME[:N]")]
    realloc: Vec<Function>,
    /// Function that frees a block; its argument is the block. May be repeated [default: free and vPortFree]
    #[arg(long, value_name = "NAME[:N]")]
    free: Vec<Function>,
    /// Maximum number of listed errors, and of locations with blocks that were never freed
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Exit with code 1 if there is an error or a block that was never freed
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const fn words(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::FreedTwice => "freed twice",
        Wrong::NoBlock => "freed, and never allocated",
        Wrong::ReadAfterFree => "read after it was freed",
        Wrong::WriteAfterFree => "written after it was freed",
        Wrong::ReadAfterEnd => "read after the end of a block",
        Wrong::WriteAfterEnd => "written after the end of a block",
        Wrong::NoMemory => "no memory for a request",
    }
}

/// Blocks that were never freed, of one place.
#[derive(Default)]
struct Leak {
    blocks: u64,
    bytes: u64,
    first: Option<Block>,
}

/// The allocators by address.
fn allocators(args: &Args) -> Result<HashMap<u64, Allocator>, Failure> {
    let symbols = Symbols::open(&args.recorded.elf)?;
    let mut found = HashMap::new();
    type Kind = (&'static str, &'static [&'static str], fn(u8) -> Allocator);
    let kinds: [(&[Function], Kind); 4] = [
        (&args.malloc, ("malloc", &["malloc", "pvPortMalloc"], Allocator::Malloc)),
        (&args.calloc, ("calloc", &["calloc", "pvPortCalloc"], Allocator::Calloc)),
        (&args.realloc, ("realloc", &["realloc"], Allocator::Realloc)),
        (&args.free, ("free", &["free", "vPortFree"], Allocator::Free)),
    ];
    let elf = &args.recorded.elf;
    for (functions, (option, defaults, kind)) in kinds {
        for f in functions {
            let before = found.len();
            found.extend(symbols.ranges(&f.name).map(|range| (range.start, kind(f.first))));
            if found.len() == before {
                return Err(Failure::Other(format!("`--{option} {0}`: {elf} has no function `{0}`", f.name)));
            }
        }
        for name in defaults.iter().filter(|_| functions.is_empty()) {
            found.extend(symbols.ranges(name).map(|range| (range.start, kind(0))));
        }
    }
    if !found.values().any(|a| matches!(a, Allocator::Malloc(_) | Allocator::Calloc(_) | Allocator::Realloc(_))) {
        return Err(Failure::Other(format!(
            "{elf}: has no function `malloc` or `pvPortMalloc`; `--malloc NAME` and `--free NAME` name the allocator"
        )));
    }
    Ok(found)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut session = args.recorded.open()?;
    let allocators = allocators(args)?;
    let locations = args.recorded.locations()?;
    let mut heap = Heap::new(allocators, args.recorded.follower(&session)?, session.info.params.cores);
    let damage = session.run(&mut heap, &Bars, |_| false).err();
    let mut leaks: BTreeMap<(u64, Path), Leak> = BTreeMap::new();
    for block in heap.live() {
        let leak = leaks.entry((block.by.pc, block.by.path)).or_default();
        leak.blocks += 1;
        leak.bytes += block.size;
        leak.first = leak.first.filter(|f| f.by.retired <= block.by.retired).or(Some(*block));
    }
    let mut leaks: Vec<((u64, Path), Leak)> = leaks.into_iter().collect();
    leaks.sort_by_key(|(place, leak)| (std::cmp::Reverse(leak.bytes), *place));
    let errors = heap.errors();
    let trail = |s: &Site| callers(&locations, heap.follower(), s.path);
    if args.json {
        let place = |s: &Site| json!({ "core": s.core, "retired": s.retired, "stack": site(&locations, heap.follower(), s.pc, s.path) });
        let block = |b: &Block| {
            json!({
                "address": format!("0x{:08x}", b.addr), "size": b.size, "allocated": place(&b.by),
                "freed": b.freed.as_ref().map(place),
            })
        };
        let error = |e: &&Error| {
            json!({
                "error": words(e.wrong), "address": format!("0x{:08x}", e.addr), "times": e.times,
                "at": place(&e.at), "block": e.block.as_ref().map(block),
            })
        };
        let leak =
            |(_, l): &(_, Leak)| json!({ "blocks": l.blocks, "bytes": l.bytes, "first": l.first.as_ref().map(block) });
        let object = args.recorded.object("heap").with("allocations", heap.allocations.into());
        let object = object.with("bytes_at_most", heap.bytes.1.into()).with("bytes_at_end", heap.bytes.0.into());
        let object = object.with("errors", errors.iter().take(args.limit).map(error).collect());
        let object = object.with("never_freed", leaks.iter().take(args.limit).map(leak).collect());
        object.with("dropped", heap.dropped.into()).print(out)?;
    } else {
        facts(
            out,
            &[
                ("allocations", count(heap.allocations)),
                ("at most", plural(heap.bytes.1, "byte")),
                (
                    "at the end",
                    format!("{} in {}", plural(heap.bytes.0, "byte"), plural(heap.live().count() as u64, "block")),
                ),
            ],
        )?;
        for e in errors.iter().take(args.limit) {
            writeln!(
                out,
                "\n0x{:08x} {}, {}: core {} at {}",
                e.addr,
                words(e.wrong),
                plural(e.times, "time"),
                e.at.core,
                locations.at(e.at.pc)
            )?;
            for line in trail(&e.at) {
                writeln!(out, "  {line}")?;
            }
            if let Some(b) = &e.block {
                writeln!(
                    out,
                    "  block of {} at 0x{:08x}, allocated at {}",
                    plural(b.size, "byte"),
                    b.addr,
                    locations.at(b.by.pc)
                )?;
                for line in trail(&b.by) {
                    writeln!(out, "    {line}")?;
                }
                if let Some(f) = &b.freed {
                    writeln!(out, "  freed at {}", locations.at(f.pc))?;
                    for line in trail(f) {
                        writeln!(out, "    {line}")?;
                    }
                }
            }
        }
        for ((pc, _), leak) in leaks.iter().take(args.limit) {
            writeln!(
                out,
                "\n{} in {} never freed, allocated at {}",
                plural(leak.bytes, "byte"),
                plural(leak.blocks, "block"),
                locations.at(*pc)
            )?;
            if let Some(first) = &leak.first {
                for line in trail(&first.by) {
                    writeln!(out, "  {line}")?;
                }
            }
        }
        let more = errors.len().saturating_sub(args.limit) + leaks.len().saturating_sub(args.limit);
        if more > 0 || heap.dropped > 0 {
            writeln!(out, "\nmore was found than is listed; `--limit` lists more")?;
        }
        if errors.is_empty() && leaks.is_empty() {
            writeln!(out, "\nno errors, and all blocks were freed")?;
        }
    }
    match report_missing(&args.recorded.trace, &LossSummary::default(), damage.as_ref()) {
        Status::Done if args.exit_code && !(errors.is_empty() && leaks.is_empty()) => Ok(Status::Different),
        status => Ok(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_a_name_and_an_argument() {
        assert_eq!("_malloc_r:1".parse(), Ok(Function { name: "_malloc_r".into(), first: 1 }));
        assert_eq!("free".parse(), Ok(Function { name: "free".into(), first: 0 }));
        for bad in ["", ":1", "free:", "free:7", "free:x"] {
            assert!(bad.parse::<Function>().is_err(), "{bad}");
        }
    }
}
