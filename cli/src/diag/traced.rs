//! `--trace` of `goshawk diag run`, `plan` and `test`: a trace that leaves by the link of the diagnosis
//!
//! What the event generators have no triggers for, the host finds in it.

use crate::args::ParamArgs;
use crate::files::OutputPath;
use crate::output::{count, TOOL};
use crate::{Failure, Status};
use ::diag::app::App;
use ::diag::points;
use ::diag::replayed::Replayed;
use fpga::soc::check::{check_words, Checked};
use retire::elf::Program;
use retire::file::hex;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, RetireSink};
use sim::diag::chip::FRAME_BYTES;
use sim::diag::node::trace::{write, ADDRESS, PLACES};
use sim::diag::packet::{Body, Op, Packet, HOST};
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use sim::regs::register;

/// A trace beside a script.
#[derive(clap::Args, Clone, Debug)]
pub struct TraceArgs {
    /// Trace the cores, too, over the same link, and write the trace to this file; points of the script for which no
    /// trigger is left are found in it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["processor", "damage", "log"])]
    trace: Option<OutputPath>,
    /// Scheme of that trace, as `goshawk encode --scheme` takes it
    #[arg(long, value_name = "NAME", default_value = SCHEME, requires = "trace")]
    trace_scheme: String,
    /// What the cores retired, as a retire file to check the trace with
    #[arg(long, value_name = "FILE", requires = "trace")]
    retired: Option<OutputPath>,
}

/// The scheme of a trace, where none is asked for.
const SCHEME: &str = "tr_e:small";

/// What is traced, and how.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Parameters.
    pub params: TraceParams,
    set: Option<String>,
}

impl Wanted {
    /// A trace of so many cores whose code begins at multiples of 2 to the `align`.
    pub fn new(scheme: &str, cores: u8, align: u8) -> Result<Self, Failure> {
        let args = ParamArgs { scheme: Some(scheme.into()), count_bits: 20, cc_bits: 32, ..ParamArgs::default() };
        let (params, set) = args.resolve_with(None, (cores, 32, align))?;
        if params.data.is_some() {
            return Err(Failure::Other(format!(
                "--trace-scheme {scheme}: load values do not go over the link; a scheme of the control flow does"
            )));
        }
        Ok(Self { params, set })
    }

    /// The one that is taken where none is asked for.
    pub fn usual(cores: u8, align: u8) -> Result<Self, Failure> {
        Self::new(SCHEME, cores, align)
    }
}

/// The run that is traced.
pub struct Observed<'a> {
    /// Program.
    pub program: &'a Program,
    /// What the run is called, and what ran it.
    pub names: (&'a str, String),
    /// What the cores retired, in commit order.
    pub flow: &'a [FlowEvent],
}

/// What came of the trace.
pub struct Traced {
    replayed: Replayed,
    checked: Checked,
    /// Bytes of its frames, and of all others.
    bytes: (u64, u64),
    /// Points of the script that it told.
    points: Vec<String>,
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
    /// Whether there is to be a trace.
    pub fn is_wanted(&self) -> bool {
        self.trace.is_some()
    }

    /// What is wanted for so many cores.
    pub fn wanted(&self, cores: u8, align: u8) -> Result<Option<Wanted>, Failure> {
        self.is_wanted().then(|| Wanted::new(&self.trace_scheme, cores, align)).transpose()
    }

    /// Writes the files that are wanted.
    pub fn write(&self, wanted: &Wanted, of: &Observed<'_>, words: &[u32]) -> Result<(), Failure> {
        let (build_id, program) = (hex(&of.program.build_id), of.names.0.to_string());
        if let Some(path) = &self.trace {
            let (build_id, program) = (build_id.clone(), program.clone());
            let info =
                TraceInfo { tool: TOOL.into(), params: wanted.params, set: wanted.set.clone(), build_id, program };
            let mut writer = TraceWriter::create(path.as_ref(), &info)?;
            writer.write(words.iter().copied())?;
            writer.finish()?;
        }
        if let Some(path) = &self.retired {
            let info = RetireInfo {
                tool: TOOL.into(),
                harts: wanted.params.cores,
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

/// Packets that begin the trace, and those that end it and then bring the rest of it.
pub fn packets() -> (Packet, [Vec<Packet>; 2]) {
    let control = register("control").addr;
    let rest = Packet::control(HOST, ADDRESS, Op::Flush, 0, &[1]);
    (write(control, 1), [vec![write(control, 0)], vec![rest]])
}

impl Traced {
    /// Holds what the trace told to what the cores retired.
    pub fn check(
        wanted: &Wanted,
        of: &Observed<'_>,
        replayed: Replayed,
        bytes: (u64, u64),
        (app, script): (&App, &str),
    ) -> Result<Self, Failure> {
        let checked = check_words(&wanted.params, of.program, of.flow, &replayed.words);
        let checked = checked.map_err(|e| Failure::Other(e.to_string()))?;
        Ok(Self { replayed, checked, bytes, points: points::names(app, script) })
    }

    /// Its words.
    pub fn words(&self) -> &[u32] {
        &self.replayed.words
    }

    /// For people: `rate` of a number of bytes.
    pub fn facts(&self, rate: impl Fn(u64) -> String) -> Vec<(&'static str, String)> {
        let c = &self.checked;
        let all = (self.bytes.0 + self.bytes.1).max(1) as f64;
        let share = |bytes: u64| {
            format!("{} bytes, {}, {:.1} % of the link's bytes", count(bytes), rate(bytes), 100.0 * bytes as f64 / all)
        };
        let waited = match self.replayed.waited {
            None => String::new(),
            Some(words) if words <= u64::from(PLACES) => format!(", up to {words} words waited for it"),
            Some(words) => format!(
                ", up to {} words waited for it, where a node has {PLACES} places and the golden trace system any number",
                count(words)
            ),
        };
        let lost = match (c.overflows, self.replayed.missing) {
            (0, 0) => "nothing lost".to_string(),
            (o, m) => {
                format!("{} instructions lost in {} overflows, {} packets missing", count(c.lost), count(o), count(m))
            }
        };
        let replay = format!("equal to the retire log, {} events; {lost}", count(c.events));
        let mut facts = vec![
            ("trace", format!("{} words; {}{waited}", count(self.words().len() as u64), share(self.bytes.0))),
            ("diagnosis", share(self.bytes.1)),
            ("replay", replay),
        ];
        if !self.points.is_empty() {
            let unseen = if c.overflows == 0 { "" } else { "; of the lost instructions it knows none" };
            let found = format!("{} events of {}{unseen}", count(self.replayed.events), self.points.join(", "));
            facts.push(("points in it", found));
        }
        facts
    }

    /// As numbers.
    pub fn value(&self) -> serde_json::Value {
        serde_json::json!({
            "words": self.words().len(), "bytes": self.bytes.0, "diagnosis_bytes": self.bytes.1,
            "missing_packets": self.replayed.missing, "most_words_waiting": self.replayed.waited, "points": self.points, "point_events": self.replayed.events,
            "check": self.checked,
        })
    }

    /// Whether all of it is there.
    pub fn status(&self) -> Status {
        if self.checked.overflows == 0 && self.replayed.missing == 0 {
            return Status::Done;
        }
        Status::Partial
    }
}
