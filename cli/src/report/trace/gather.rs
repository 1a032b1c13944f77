//! What the page of a trace shows, from one replay

use super::code::{parts, sources, Files, Listings, OfProgram};
use crate::args::contexts::Processes;
use crate::args::tasks::TaskArgs;
use crate::args::Execution;
use crate::progress::Bars;
use crate::Failure;
use host::contexts::Split;
use host::input::Named;
use host::views::coverage::{Coverage, Files as Found};
use host::views::lines::Lines;
use host::views::paths::Paths;
use host::views::profile::Profile;
use host::views::source::{Missing, Replayed};
use host::views::thinned::{cause_name, By, Part, Row, Rows, Shape, Thinned, INTERRUPT};
use report::trace::{Core, Flame, Function, Spans, Timeline, Trace};
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use std::path::Path;

/// Maximum number of nodes of the flame graph.
const NODES: usize = 20_000;

/// Maximum number of spans of the timeline of a page.
pub(super) const SPANS: usize = 100_000;

/// Maximum number of spans that are kept for a page that is served: 32 bytes each.
const SERVED_SPANS: usize = 16_000_000;

/// Maximum depth of the stacks of the timeline, in functions.
const DEPTH: usize = 32;

/// All views of one replay.
struct Views {
    profile: Profile,
    coverage: Split<Coverage>,
    thinned: Thinned,
}

impl RetireSink for Views {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.profile.event(e);
        self.coverage.event(e);
        self.thinned.event(e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.thinned.data(d);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.profile.stack_pointer(hart, sp);
        self.thinned.stack_pointer(hart, sp);
    }

    fn master(&mut self, store: &MasterStore) {
        self.thinned.master(store);
    }
}

/// The data of the page.
pub struct Gathered {
    /// The data.
    pub trace: Trace,
    /// What the trace lacks.
    pub missing: Missing,
    /// Number of spans in the timeline of the page.
    pub spans: usize,
    /// Sources and listings.
    pub files: Files,
    /// All that is kept of the timeline.
    pub thinned: Thinned,
}

/// Replays the trace once for all views. `served`: keeps more of the timeline than a page can have.
pub fn gather(
    execution: &Execution,
    (replayed, named, processes): (Replayed, Named, Processes),
    folder: &Path,
    served: bool,
) -> Result<Gathered, Failure> {
    let symbols = execution.symbols()?;
    let (cores, cycles, image) = (replayed.cores(), replayed.has_cycles(), replayed.image());
    let (elfs, numbers) = processes.numbered();
    let (selected, selection) = (processes.selected(elfs.len()), &processes.selection);
    let own = processes.open(&replayed)?;
    // a program without tasks is none that cannot be shown
    let tasks = TaskArgs::default().recorded(&execution.elf, &replayed, &named.program).ok().flatten();
    let shape = Shape { cycles, depth: DEPTH, most: if served { SERVED_SPANS } else { SPANS }, by: By::Core };
    let mut coverages = vec![Coverage::new(); 1 + elfs.len()];
    coverages.iter_mut().for_each(|coverage| coverage.begin(cores));
    let profile = Profile::new(symbols.clone(), Some(image.clone()), cores).with_contexts(own.clone());
    let thinned = Thinned::new(symbols.clone(), Some(image.clone()), cores, shape, tasks).with_contexts(own.clone());
    let mut views = Views {
        profile: profile.only(selection.clone()),
        coverage: Split::new(cores, coverages, numbers.clone(), selection.clone()),
        thinned: thinned.only(selection.clone()),
    };
    let missing = replayed.report_to(&mut views, &Bars)?;
    let Views { profile, coverage, thinned } = views;
    let (coverages, thinned) = (coverage.into_sinks(), thinned.finish());

    let number_of = |program: u32| {
        let context = own.get((program as usize).checked_sub(1)?)?.context;
        numbers.iter().find(|(of, _)| *of == context).map(|(_, number)| *number)
    };
    let shares = profile.flat();
    // number of each function's program, of which several contexts can have one
    let of: Vec<usize> = shares.iter().map(|share| number_of(share.program).unwrap_or(0)).collect();
    let mut functions: Vec<Function> = shares
        .into_iter()
        .map(|s| Function { name: s.function, own: s.own, total: s.total, source: None, listing: None })
        .collect();
    let mut programs = vec![OfProgram {
        lines: Lines::open(&execution.elf).ok(),
        symbols,
        assembly: named.assembly(),
        recorded: named.machine.is_some(),
        program: named.program,
        image,
        coverage: &coverages[0],
    }];
    for (elf, number) in elfs.iter().zip(1..) {
        let context = numbers.iter().find(|(_, of)| *of == number).map(|(context, _)| *context);
        let Some(own) = own.iter().find(|own| Some(own.context) == context) else { continue };
        let named = Named::open(elf)?;
        programs.push(OfProgram {
            lines: Lines::open(elf).ok(),
            symbols: own.symbols.clone(),
            assembly: named.assembly(),
            recorded: false,
            program: named.program,
            image: own.image.clone(),
            coverage: &coverages[number],
        });
    }
    let mut found: Option<Found> = None;
    for (program, _) in programs.iter().zip(&selected).filter(|(_, selected)| **selected) {
        let Some(lines) = &program.lines else { continue };
        let files = program.coverage.files(
            (&program.program, program.recorded.then_some(&program.image)),
            lines,
            &program.symbols,
            &Paths::default(),
        );
        found.get_or_insert_with(Found::default).add(files);
    }
    let mut files = Files::default();
    let all = found.as_ref().map_or_else(Vec::new, |f| sources(f, folder, &mut files));
    for (f, of) in functions.iter_mut().zip(&of) {
        let OfProgram { lines, symbols, .. } = &programs[*of];
        let Some(lines) = lines else { continue };
        let place = symbols.ranges(&f.name).next().and_then(|range| lines.at(range.start));
        f.source = place
            .and_then(|(path, line)| Some((all.iter().position(|s| s.path == path && s.text.is_some())? as u32, line)));
    }
    let mut listings = Listings::default();
    for (number, program) in programs.iter().enumerate() {
        let functions = functions.iter_mut().zip(&of).filter(|(_, of)| **of == number).map(|(f, _)| f);
        listings.add(functions, program, &mut files);
    }
    let timeline = Timeline { served, ..timeline(&thinned, missing.damage.is_some()) };
    let spans = timeline.cores.iter().map(|c| c.rows.iter().map(Vec::len).sum::<usize>() / 4).sum();
    let trace = Trace {
        instructions: functions.iter().map(|f| f.own).sum(),
        flame: flame(&profile),
        names: profile.names().map(String::from).collect(),
        functions,
        sources: all,
        parts: found.as_ref().map(|f| parts(&f.sums())),
        listings: listings.into_vec(),
        timeline,
    };
    Ok(Gathered { trace, missing, spans, files, thinned })
}

/// The nodes with the most instructions. Each comes after its parent; the counts of those left out are kept in it.
fn flame(profile: &Profile) -> Flame {
    let nodes: Vec<_> = profile.nodes().collect();
    let mut totals: Vec<u64> = nodes.iter().map(|(_, _, own)| *own).collect();
    for at in (0..nodes.len()).rev() {
        if let Some(parent) = nodes[at].0 {
            totals[parent as usize] += totals[at];
        }
    }
    let mut sorted = totals.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    // a parent has at least the total of its child, so that those above a limit are a tree
    let least = sorted.get(NODES).map_or(0, |limit| limit + 1);
    let mut flame = Flame::default();
    let mut kept = vec![None; nodes.len()];
    for (at, (parent, function, own)) in nodes.iter().enumerate() {
        let above = parent.map(|p| kept[p as usize]);
        if totals[at] >= least {
            let above = above.flatten().map_or(-1, |n: usize| n as i64);
            kept[at] = Some(flame.nodes.len());
            flame.nodes.push((above, *function, *own, 0));
            continue;
        }
        flame.omitted += 1;
        if let Some(Some(above)) = above {
            flame.nodes[above].3 += totals[at];
        }
    }
    flame
}

/// Spans as flat numbers.
fn spans(row: &Row) -> Spans {
    let mut end = 0;
    let mut out = Vec::with_capacity(4 * row.spans().len());
    for s in row.spans() {
        let start = s.start.max(end);
        out.extend([start - end, s.end.saturating_sub(start), s.name.into(), s.calls.into()]);
        end = s.end.max(start);
    }
    out
}

/// The cores of a part of the timeline.
pub(super) fn cores(thinned: &Thinned, part: &Part) -> Vec<Core> {
    let several = thinned.tasks().is_some() || thinned.has_stacks();
    let core = |rows: &Rows| Core {
        rows: rows.functions.iter().map(spans).collect(),
        tasks: if several { spans(&rows.tasks) } else { Spans::new() },
        traps: spans(&rows.traps),
        gaps: spans(&rows.gaps),
    };
    part.cores.iter().map(core).collect()
}

fn timeline(thinned: &Thinned, damaged: bool) -> Timeline {
    let tasks = thinned.tasks();
    let part = thinned.part(0..=u64::MAX, SPANS);
    let last = thinned.tracks().iter().flat_map(|t| t.tasks.spans()).map(|s| s.name).max().unwrap_or(0);
    let stacks = || (0..=last).map(|n| format!("stack {n}")).collect();
    let functions = thinned
        .tracks()
        .iter()
        .flat_map(|t| t.functions.values().flatten())
        .flat_map(|r| r.spans())
        .map(|s| s.name)
        .max();
    Timeline {
        axis: if thinned.shape().cycles { "cycles" } else { "instructions" }.into(),
        length: thinned.length(),
        width: part.width,
        depth: DEPTH,
        names: functions.map_or_else(Vec::new, |last| (0..=last).map(|f| thinned.name(f).to_string()).collect()),
        tasks: tasks.map_or_else(stacks, |names| names.map(String::from).collect()),
        causes: thinned.causes().iter().map(|(n, times)| (*n, cause_name(*n), *times)).collect(),
        interrupt: INTERRUPT,
        damaged,
        cores: cores(thinned, &part),
        served: false,
    }
}
