//! `--trace` of `goshawk diag run`, `plan` and `test`: a trace that leaves by the link of the diagnosis chip
//!
//! The host finds points in it for which the event generators have no triggers.

use super::simulated::SIMULATED;
use crate::args::ParamArgs;
use crate::files::OutputPath;
use crate::output::{count, plural, TOOL};
use crate::{Failure, Status};
use ::diag::app::{App, Use};
use ::diag::points;
use ::diag::replayed::Replayed;
use ::diag::resolve::resolve;
use ::diag::symbols::Symbols;
use fpga::soc::check::{check_words, Checked};
use fpga::soc::diag::window::{self, Inside, Points};
use fpga::soc::diag::DiagRun;
use retire::elf::Program;
use retire::file::hex;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::diag::chip::FRAME_BYTES;
use sim::diag::node::trace::{write, ADDRESS, DEPTH};
use sim::diag::packet::{Body, Op, Packet, HOST};
use sim::diag::registers::{self, Writes};
use sim::diag::trigger::{GeneratorParams, Trigger};
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use sim::regs::register;

/// A trace with a script.
#[derive(clap::Args, Clone, Debug)]
pub struct TraceArgs {
    /// Also trace the cores over the same link, and write the trace to this file; the trace also reports the points of the
    /// script that get no trigger
    #[arg(help_heading = "Trace of the cores", long, value_name = "FILE", conflicts_with_all = ["processor", "damage", "log"])]
    trace: Option<OutputPath>,
    /// Scheme of the trace of --trace, as for `goshawk encode --scheme`
    #[arg(help_heading = "Trace of the cores", long, value_name = "NAME", default_value = SCHEME, requires = "trace")]
    trace_scheme: String,
    /// Retire file to write, to check the trace of --trace against
    #[arg(help_heading = "Trace of the cores", long, value_name = "FILE", requires = "trace")]
    retired: Option<OutputPath>,
    /// Function outside of which a core is not traced, as call:F; functions that it calls are traced. A trigger of the
    /// core's event generator starts the trace. Only with --soc and --trace
    #[arg(help_heading = "Trace of the cores", long, value_name = "POINT", requires = "trace", requires = "soc", conflicts_with_all = SIMULATED, conflicts_with = "trace_from")]
    trace_while: Option<String>,
    /// Point of the program at which the trace of a core starts: call:F, pc:F+N or pc:ADDRESS. Only with --soc and
    /// --trace
    #[arg(help_heading = "Trace of the cores", long, value_name = "POINT", requires = "trace", requires = "soc", conflicts_with_all = SIMULATED)]
    trace_from: Option<String>,
    /// Point of the program at which the trace of a core stops, until --trace-from or --trace-while starts it again.
    /// Only with --soc and --trace
    #[arg(help_heading = "Trace of the cores", long, value_name = "POINT", requires = "trace", requires = "soc", conflicts_with_all = SIMULATED)]
    trace_to: Option<String>,
}

/// Default scheme of a trace.
const SCHEME: &str = "tr_e:small";

/// A requested trace.
#[derive(Clone, Debug)]
pub struct TraceRequest {
    /// Parameters.
    pub params: TraceParams,
    /// Window that restricts the trace, if any.
    pub window: Option<Window>,
    set: Option<String>,
}

/// A window, opened and closed by triggers of the event generators.
#[derive(Clone, Debug)]
pub struct Window {
    /// Points of the window.
    pub points: Points,
    /// Options, as given by the user.
    name: String,
}

impl Window {
    /// Register writes for each generator, of whose slots the script uses `used`.
    pub fn set(&self, used: usize, generator: &GeneratorParams) -> Result<Writes, Failure> {
        let (free, needed) = (usize::from(generator.slots).saturating_sub(used), self.points.slots());
        if needed > free {
            return Err(Failure::Other(format!(
                "{}: takes {} of each event generator in addition to the {used} of the script; it has {}",
                self.name,
                plural(needed as u64, "trigger"),
                generator.slots
            )));
        }
        let Points { opens, closes, returns } = self.points;
        Ok(registers::window(used as u8, opens, closes, returns, generator.xlen))
    }
}

/// The address of a point of the program, given as in a script.
fn address(option: &str, text: &str, symbols: &Symbols) -> Result<u64, Failure> {
    let script = format!("{text} {{ @window[core] = count(); }}");
    let found = ::diag::parse::parse(&script).and_then(|items| resolve(&items, symbols, 1));
    let app = found.map_err(|e| Failure::Other(format!("{option} {text}: {}", e.what)))?;
    match app.uses.as_slice() {
        [Use { trigger: Trigger::Pc(pc) | Trigger::Entry { first: pc, .. }, .. }] => Ok(*pc),
        _ => Err(Failure::Other(format!(
            "{option} {text}: is not a single instruction of the program; expected call:F, pc:F+N or pc:ADDRESS"
        ))),
    }
}

impl TraceRequest {
    /// A trace of `cores` cores of `xlen` bits whose code addresses are multiples of 2^`align`.
    pub fn new(scheme: &str, (cores, xlen, align): (u8, u8, u8)) -> Result<Self, Failure> {
        let args = ParamArgs::of_scheme(scheme);
        let (params, set) = args.resolve_with(None, (cores, xlen, align))?;
        if params.data.is_some() {
            return Err(Failure::Other(format!(
                "--trace-scheme {scheme}: load values do not go over the link; a scheme of the control flow does"
            )));
        }
        Ok(Self { params, window: None, set })
    }

    /// The default trace.
    pub fn usual(of: (u8, u8, u8)) -> Result<Self, Failure> {
        Self::new(SCHEME, of)
    }
}

/// The traced run.
pub struct Observed<'a> {
    /// Program.
    pub program: &'a Program,
    /// Name of the input, and of the machine.
    pub names: (&'a str, String),
    /// Events that the cores retired, in commit order.
    pub flow: &'a [FlowEvent],
}

/// Result of a trace.
pub struct Traced {
    replayed: Replayed,
    check_result: TraceCheck,
    /// Bytes of its frames, and of all others.
    bytes: (u64, u64),
    /// Points of the script that were found in it.
    points: Vec<String>,
}

/// Result of the check of a trace.
enum TraceCheck {
    /// Check against all that the cores retired.
    Whole(Checked),
    /// Check against what they retired inside a window.
    Inside(Inside, String),
}

/// Bytes of the frames of a trace, and of the others.
pub fn bytes<'p>(packets: impl Iterator<Item = &'p Packet>) -> (u64, u64) {
    let mut bytes = (0, 0);
    for packet in packets {
        let frame = (2 * packet.to_words().len() + FRAME_BYTES) as u64;
        match packet.body {
            Body::Control { op: Op::Trace, .. } => bytes.0 += frame,
            Body::Control { .. } | Body::Event(_) => bytes.1 += frame,
        }
    }
    bytes
}

impl TraceArgs {
    /// Whether a trace is requested.
    pub fn is_given(&self) -> bool {
        self.trace.is_some()
    }

    /// The requested trace, as [`TraceRequest::new`].
    pub fn request(&self, of: (u8, u8, u8)) -> Result<Option<TraceRequest>, Failure> {
        self.is_given().then(|| TraceRequest::new(&self.trace_scheme, of)).transpose()
    }

    /// The requested window, for a program with `symbols`.
    pub fn window(&self, symbols: &Symbols) -> Result<Option<Window>, Failure> {
        let of = |option: &str, text: &Option<String>| {
            text.as_ref().map(|t| Ok::<_, Failure>((address(option, t, symbols)?, format!("{option} {t}")))).transpose()
        };
        let returns = of("--trace-while", &self.trace_while)?;
        let (opens, closes) = (of("--trace-from", &self.trace_from)?, of("--trace-to", &self.trace_to)?);
        let names = [&returns, &opens, &closes].map(|p| p.as_ref().map(|p| p.1.clone()));
        let points =
            Points { returns: returns.is_some(), opens: returns.or(opens).map(|p| p.0), closes: closes.map(|p| p.0) };
        let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
        Ok((points.slots() > 0).then_some(Window { points, name }))
    }

    /// Whether a window is requested.
    pub fn has_window(&self) -> bool {
        self.trace_while.is_some() || self.trace_from.is_some() || self.trace_to.is_some()
    }

    /// Writes the requested files.
    pub fn write(&self, request: &TraceRequest, of: &Observed<'_>, words: &[u32]) -> Result<(), Failure> {
        let (build_id, program) = (hex(&of.program.build_id), of.names.0.to_string());
        if let Some(path) = &self.trace {
            let (build_id, program) = (build_id.clone(), program.clone());
            let info =
                TraceInfo { tool: TOOL.into(), params: request.params, set: request.set.clone(), build_id, program };
            let mut writer = TraceWriter::create(path.as_ref(), &info)?;
            writer.write(words.iter().copied())?;
            writer.finish()?;
        }
        if let Some(path) = &self.retired {
            let info = RetireInfo {
                tool: TOOL.into(),
                harts: request.params.cores,
                xlen: 32,
                build_id,
                program,
                source: of.names.1.clone(),
                threads: Vec::new(),
                untimed: false,
            };
            let mut writer = RetireWriter::create(path.as_ref(), &info)?;
            of.flow.iter().for_each(|e| writer.event(e));
            writer.finish()?;
        }
        Ok(())
    }
}

/// Packets that start the trace, with or without a filter, and those that stop it and then flush the rest.
pub fn packets(filter: bool) -> (Packet, [Vec<Packet>; 2]) {
    let control = register("control");
    // with a filter, software selects the modes to trace
    let modes = if filter { 15 << control.field("modes").lsb } else { 0 };
    let control = control.addr;
    let rest = Packet::control(HOST, ADDRESS, Op::Flush, 0, &[1]);
    (write(control, modes | 1), [vec![write(control, 0)], vec![rest]])
}

impl Traced {
    /// Checks the trace against what the cores retired.
    pub fn check(
        request: &TraceRequest,
        of: &Observed<'_>,
        replayed: Replayed,
        bytes: (u64, u64),
        (app, script): (&App, &str),
    ) -> Result<Self, Failure> {
        let checked = check_words(&request.params, of.program, of.flow, &replayed.words);
        let checked = checked.map_err(|e| Failure::Other(e.to_string()))?;
        Ok(Self { replayed, check_result: TraceCheck::Whole(checked), bytes, points: points::names(app, script) })
    }

    /// Checks the trace against what they retired inside its window.
    pub fn inside(
        (request, window): (&TraceRequest, &Window),
        (image, run): (&Image, &DiagRun),
        replayed: Replayed,
        bytes: (u64, u64),
    ) -> Result<Self, Failure> {
        let inside = window::check(&request.params, image, run, window.points, &replayed.words);
        let inside = inside.map_err(|e| Failure::Other(e.to_string()))?;
        Ok(Self { replayed, check_result: TraceCheck::Inside(inside, window.name.clone()), bytes, points: Vec::new() })
    }

    /// Words of the trace.
    pub fn words(&self) -> &[u32] {
        &self.replayed.words
    }

    /// Results as text; `rate` formats a number of bytes as a rate.
    pub fn facts(&self, rate: impl Fn(u64) -> String) -> Vec<(&'static str, String)> {
        let all = (self.bytes.0 + self.bytes.1).max(1) as f64;
        let share = |bytes: u64| {
            format!("{} bytes, {}, {:.1} % of the link's bytes", count(bytes), rate(bytes), 100.0 * bytes as f64 / all)
        };
        let max_waiting = match self.replayed.max_waiting {
            None => String::new(),
            Some(words) if words <= u64::from(DEPTH) => format!(", up to {words} words waited for it"),
            Some(words) => format!(
                ", up to {} words waited for it, where a node has {DEPTH} entries and the golden trace system is unbounded",
                count(words)
            ),
        };
        let overflows = self.overflows();
        let replay = match &self.check_result {
            TraceCheck::Whole(c) => {
                let lost = match (c.overflows, self.replayed.missing) {
                    (0, 0) => "nothing lost".to_string(),
                    (o, m) => {
                        format!(
                            "{} instructions lost in {} overflows, {} packets missing",
                            count(c.lost),
                            count(o),
                            count(m)
                        )
                    }
                };
                format!("equal to the retire log, {} events; {lost}", count(c.events))
            }
            TraceCheck::Inside(i, name) => {
                let lost = match (i.lost, i.reopened, self.replayed.missing) {
                    (0, 0, 0) => "nothing lost".to_string(),
                    (lost, behind, 0) => {
                        format!("{} lost, {} directly after another window", count(lost), count(behind))
                    }
                    (lost, _, missing) => format!("{} lost, {} packets missing", count(lost), count(missing)),
                };
                format!(
                    "{name}: {} of {} instructions are inside, in {}; the trace has {} of them and no other, {lost}",
                    count(i.inside),
                    count(i.retired),
                    plural(i.windows, "window"),
                    count(i.traced)
                )
            }
        };
        let mut facts = vec![
            ("trace", format!("{} words; {}{max_waiting}", count(self.words().len() as u64), share(self.bytes.0))),
            ("diagnosis", share(self.bytes.1)),
            ("replay", replay),
        ];
        if !self.points.is_empty() {
            let unseen = if overflows == 0 { "" } else { "; of the lost instructions it knows none" };
            let found = format!("{} events of {}{unseen}", count(self.replayed.events), self.points.join(", "));
            facts.push(("points in it", found));
        }
        facts
    }

    /// Results as numbers.
    pub fn value(&self) -> serde_json::Value {
        serde_json::json!({
            "words": self.words().len(), "bytes": self.bytes.0, "diagnosis_bytes": self.bytes.1,
            "missing_packets": self.replayed.missing, "most_words_waiting": self.replayed.max_waiting, "points": self.points, "point_events": self.replayed.events,
            "check": match &self.check_result {
                TraceCheck::Whole(checked) => serde_json::json!(checked),
                TraceCheck::Inside(inside, window) => serde_json::json!({ "window": window, "inside": inside }),
            },
        })
    }

    /// Number of losses of instructions that should have been traced.
    fn overflows(&self) -> u64 {
        match &self.check_result {
            TraceCheck::Whole(c) => c.overflows,
            TraceCheck::Inside(i, _) => i.lost,
        }
    }

    /// Whether the trace is complete.
    pub fn status(&self) -> Status {
        if self.overflows() == 0 && self.replayed.missing == 0 {
            return Status::Done;
        }
        Status::Partial
    }
}
