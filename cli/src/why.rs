//! `goshawk why`: where a value comes from

use crate::args::counted;
use crate::args::recorded::Recorded;
use crate::locations::Locations;
use crate::output::{count, plural, report_missing};
use crate::{Failure, Status};
use host::assembly::csr_text;
use host::assembly::{Assembly, REGISTERS};
use host::debug::why::{How, Location, Slice, Slicer, Step};
use host::symbols::Symbols;
use host::trace::LossSummary;
use host::HostError;
use retire::elf::Program;
use retire::image::Image;
use serde_json::json;
use sim::scheme::inputs::replay::Timeline;
use std::io::Write;

/// Show where a value comes from: the instructions that made it, backwards, by source line
///
/// The list goes from a load to the store that wrote its bytes, from an arithmetic instruction to those that wrote its operands, and so on, across
/// cores, functions and bus masters, back to constants, devices and the program's initial data. Branches are not followed; registers that are
/// used as addresses are followed only with `--addresses`. Consecutive instructions of one source line are listed as one. A moment is a number of instructions and exceptions of all cores, in the
/// order of replay, as `monitor when` of `goshawk gdb` shows it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk why bank.gip balance --elf builtin:bank --limit 8\n  \
    goshawk why bank.gip a0 --core 1 --at 20000 --elf builtin:bank --instructions\n  \
    goshawk why bank.gip 0x80001000 --bytes 8 --elf builtin:bank --json")]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Address (0x and hexadecimal), symbol of the program with an optional +N bytes, or register (a0, sp, fa0, x10)
    #[arg(value_name = "ADDRESS|REGISTER")]
    what: String,
    /// Moment at which the value is examined: only what happened before counts [default: the end]
    #[arg(long, value_name = "MOMENT", value_parser = counted)]
    at: Option<u64>,
    /// Core of a register [default: 0]
    #[arg(long, value_name = "N")]
    core: Option<u8>,
    /// Number of bytes from an address on, 1 to 4096 [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    bytes: Option<u32>,
    /// Also follow registers that are used as addresses
    #[arg(long)]
    addresses: bool,
    /// List each instruction
    #[arg(long)]
    instructions: bool,
    /// Maximum number of listed lines
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Print one JSON object, with all instructions
    #[arg(long)]
    json: bool,
}

/// Instructions of a slice, at most: those of a line count once in the list.
const STEPS: usize = 100_000;

/// Names of float registers in the calling convention.
fn float(name: &str) -> Option<u8> {
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u8>().ok();
    match (number("ft"), number("fs"), number("fa")) {
        (Some(n @ 0..=7), ..) => Some(n),
        (Some(n @ 8..=11), ..) => Some(n + 20),
        (_, Some(n @ 0..=1), _) => Some(n + 8),
        (_, Some(n @ 2..=11), _) => Some(n + 16),
        (.., Some(n @ 0..=7)) => Some(n + 10),
        _ => number("f").filter(|n| *n < 32),
    }
}

/// The register of that name.
fn register(name: &str, core: u8) -> Option<Location> {
    let alias = if name == "fp" { "s0" } else { name };
    let by_name = REGISTERS.iter().position(|r| *r == alias).map(|n| n as u8);
    let by_number = || name.strip_prefix('x')?.parse::<u8>().ok().filter(|n| *n < 32);
    match by_name.or_else(by_number) {
        Some(n) => Some(Location::Register(core, n)),
        None => float(name).map(|n| Location::Float(core, n)),
    }
}

fn name(location: Location, named: &Locations) -> String {
    match location {
        Location::Byte(addr) => named.address(addr),
        Location::Register(core, n) => format!("{} of core {core}", REGISTERS[usize::from(n)]),
        Location::Float(core, n) => format!("f{n} of core {core}"),
    }
}

/// Where the value of a step is from, if not from other steps.
fn source(step: &Step, named: &Locations) -> String {
    match step.how {
        How::Device(addr) => format!("from the device at {}", named.address(addr)),
        How::Csr(csr) => format!("from CSR {}", csr_text(csr)),
        How::Master => "by a bus master that is not a core".into(),
        How::Computed => String::new(),
    }
}

/// Consecutive steps that are listed as one: indices of the first and after the last.
fn groups(slice: &Slice, named: &Locations, each: bool) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let same = |a: &Step, b: &Step| {
        let line = |s: &Step| named.line(s.pc);
        // each store that a value comes from is listed, as it may be the wrong one
        let stored = |s: &Step| s.store.map(|(addr, _)| addr);
        let same_store = b.store.is_none() || stored(a) == stored(b);
        same_store
            && a.core == b.core
            && a.how != How::Master
            && b.how != How::Master
            && line(a).is_some()
            && line(a) == line(b)
    };
    for (n, step) in slice.steps.iter().enumerate() {
        match groups.last_mut().filter(|(first, _)| !each && same(&slice.steps[*first], step)) {
            Some((_, end)) => *end = n + 1,
            None => groups.push((n, n + 1)),
        }
    }
    groups
}

/// Bytes of an initial value that are shown.
const BYTES: usize = 8;

/// What nobody wrote since the beginning: registers, and the bytes of one object or of successive addresses as one.
fn initial(slice: &Slice, named: &Locations, program: &Program) -> Vec<String> {
    let mut areas: Vec<(String, u64, Vec<Option<u8>>)> = Vec::new();
    let mut lines = Vec::new();
    for location in slice.initial.keys() {
        let Location::Byte(addr) = *location else {
            lines.push(format!("{}, as at the beginning of the recording", name(*location, named)));
            continue;
        };
        let (object, section) = (named.objects.at(addr), named.objects.area(addr).name);
        let text = match (object, section) {
            (Some((object, _)), _) => object.to_string(),
            (None, Some(section)) => format!("in {section}"),
            (None, None) => "no object of the program".into(),
        };
        let byte = program.segments.iter().find_map(|s| s.data.get(usize::try_from(addr.checked_sub(s.addr)?).ok()?));
        let next =
            |(last, start, bytes): &&mut (String, u64, Vec<_>)| *last == text && *start + bytes.len() as u64 == addr;
        match areas.last_mut().filter(next) {
            Some((.., bytes)) => bytes.push(byte.copied()),
            None => areas.push((text, addr, vec![byte.copied()])),
        }
    }
    lines.extend(areas.into_iter().map(|(text, start, bytes)| {
        let known: Option<Vec<u8>> = bytes.iter().copied().collect();
        let value = match known {
            Some(known) if known.len() <= BYTES => {
                let digits: String = known.iter().rev().map(|b| format!("{b:02x}")).collect();
                format!(" = 0x{digits}, initial data of the program")
            }
            Some(known) => format!(", {}, initial data of the program", plural(known.len() as u64, "byte")),
            None => format!(", {}, as at the beginning of the recording", plural(bytes.len() as u64, "byte")),
        };
        format!("0x{start:08x} ({text}){value}")
    }));
    lines
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let session = args.recorded.open()?;
    let cores = session.info.params.cores;
    let core = args.core.unwrap_or(0);
    if core >= cores {
        return Err(Failure::Other(format!("`--core {core}`: the run has cores 0 to {}", cores - 1)));
    }
    let named = args.recorded.locations()?;
    if args.what == "pc" {
        return Err(Failure::Other(
            "`pc`: expected a register with a value, or an address; `goshawk show --tail 20` lists the last jump, with the register that \
             it jumped to"
                .into(),
        ));
    }
    let locations: Vec<Location> = match register(&args.what, core) {
        Some(Location::Register(_, 0)) => return Err(Failure::Other(format!("`{}`: is always 0", args.what))),
        Some(_) if args.bytes.is_some() => {
            return Err(Failure::Other(format!("`--bytes`: `{}` is a register, expected an address", args.what)));
        }
        Some(location) => vec![location],
        None if args.core.is_some() => {
            return Err(Failure::Other(format!("`--core {core}`: `{}` is an address, expected a register", args.what)));
        }
        None => {
            let found = Symbols::address(&args.recorded.elf, &args.what);
            let addr =
                u64::from(found.map_err(|e| Failure::Other(format!("{e}, or a register such as a0, sp or fa0")))?);
            (addr..addr + u64::from(args.bytes.unwrap_or(4))).map(Location::Byte).collect()
        }
    };
    let program = session.named.program.clone();
    let image = Image::new(&program);
    let assembly = Assembly::new(program.xlen);
    let damage = session.damage().map(|damage| HostError::Other(damage.to_string()));
    let failure = |source| HostError::Inputs { path: args.recorded.trace.display().to_string(), source };
    let mut line = Timeline::new(session.replay());
    let damage = match line.seek(args.at.unwrap_or(u64::MAX)) {
        Ok(()) if args.at.is_some() => None,
        Ok(()) => damage,
        Err(e) => Some(damage.unwrap_or_else(|| failure(e))),
    };
    let moment = line.replay().position();
    if let Some(at) = args.at.filter(|at| *at > moment && damage.is_none()) {
        return Err(Failure::Other(format!("`--at {at}`: the run ends at moment {}", count(moment))));
    }
    let slice = Slicer::new(&mut line, image.clone(), args.addresses).slice(locations.iter().copied(), STEPS);
    let slice = slice.map_err(failure)?;
    let text = |step: &Step| match image.instruction(step.pc) {
        Some((bits, len)) if step.how != How::Master => assembly.text(bits, len).unwrap_or_default(),
        _ => String::new(),
    };
    let missing = || report_missing(&args.recorded.trace, &LossSummary::default(), damage.as_ref());
    let groups = groups(&slice, &named, args.instructions || args.json);
    let shown = groups.len().min(args.limit as usize);
    if args.json {
        let step = |s: &Step| {
            json!({
                "moment": s.moment, "core": s.core, "pc": format!("0x{:08x}", s.pc), "function": named.function(s.pc),
                "line": named.line(s.pc), "instruction": text(s), "value": s.value,
                "register": s.register.map(|r| name(r, &named)),
                "address": s.store.map(|(addr, _)| format!("0x{addr:08x}")), "source": source(s, &named),
                "used_by": s.used_by,
            })
        };
        let initial: Vec<_> = slice.initial.keys().map(|l| name(*l, &named)).collect();
        args.recorded
            .object("why")
            .with("what", args.what.clone().into())
            .with("moment", moment.into())
            .with("steps", slice.steps.iter().take(shown).map(step).collect())
            .with("initial", initial.into())
            .with("more", (slice.more || shown < groups.len()).into())
            .print(out)?;
        return Ok(missing());
    }
    writeln!(out, "{} before moment {}", args.what, count(moment))?;
    for (first, end) in groups.iter().take(shown) {
        let step = &slice.steps[*first];
        let target = match (step.register, step.store) {
            (_, Some((addr, _))) => named.address(addr),
            (Some(Location::Register(_, n)), None) => REGISTERS[usize::from(n)].into(),
            (Some(Location::Float(_, n)), None) => format!("f{n}"),
            (Some(Location::Byte(_)) | None, None) => String::new(),
        };
        let times = if end - first > 1 { format!(", {} instructions", end - first) } else { String::new() };
        let from = source(step, &named);
        let comma = if from.is_empty() { "" } else { ", " };
        writeln!(
            out,
            "{:>12}  core {}  {target} = 0x{:x}{comma}{from}{times}",
            count(step.moment),
            step.core,
            step.value
        )?;
        if step.how != How::Master {
            writeln!(out, "{:>12}  {}: {}", "", named.at(step.pc), text(step))?;
        }
    }
    if slice.more || shown < groups.len() {
        writeln!(out, "the chain continues; `--limit` lists more")?;
    } else {
        for text in initial(&slice, &named, &program) {
            writeln!(out, "{:>12}  {text}", "")?;
        }
    }
    Ok(missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_their_names_of_the_calling_convention() {
        for (text, wanted) in [
            ("a0", Location::Register(1, 10)),
            ("x10", Location::Register(1, 10)),
            ("fp", Location::Register(1, 8)),
            ("fa0", Location::Float(1, 10)),
            ("fs2", Location::Float(1, 18)),
            ("ft8", Location::Float(1, 28)),
            ("f31", Location::Float(1, 31)),
        ] {
            assert_eq!(register(text, 1), Some(wanted), "{text}");
        }
        for text in ["x32", "f32", "fs12", "balance", "a8"] {
            assert_eq!(register(text, 0), None, "{text}");
        }
    }
}
