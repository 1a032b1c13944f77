//! `--trace` of `goshawk diag run --soc`: a trace that leaves by the link of the diagnosis

use super::common::OpenedSoc;
use super::soc::Driven;
use crate::args::ParamArgs;
use crate::files::OutputPath;
use crate::output::{count, TOOL};
use crate::{Failure, Status};
use fpga::soc::check::{check_words, Checked};
use fpga::soc::core::CoreKind;
use retire::file::hex;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, RetireSink};
use sim::diag::chip::FRAME_BYTES;
use sim::diag::node::trace::{write, Joined, ADDRESS};
use sim::diag::packet::{Op, Packet, HOST};
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use sim::regs::register;

/// A trace beside a script.
#[derive(clap::Args, Clone, Debug)]
pub struct TraceArgs {
    /// Trace the cores of --soc, too, over the same link, and write the trace to this file
    #[arg(long, value_name = "FILE", requires = "soc", conflicts_with_all = ["processor", "damage"])]
    trace: Option<OutputPath>,
    /// Scheme of that trace, as `goshawk encode --scheme` takes it
    #[arg(long, value_name = "NAME", default_value = "tr_e:small", requires = "trace")]
    trace_scheme: String,
    /// What the cores retired, as a retire file to check the trace with
    #[arg(long, value_name = "FILE", requires = "trace")]
    retired: Option<OutputPath>,
}

/// What is traced, and how.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Parameters.
    pub params: TraceParams,
    set: Option<String>,
}

/// What came of the trace.
pub struct Traced {
    words: usize,
    missing: u64,
    checked: Checked,
    /// Bytes of its frames, and of all others, while the cores ran and behind.
    bytes: (u64, u64),
}

impl TraceArgs {
    /// What is wanted for so many cores of a kind.
    pub fn wanted(&self, core: CoreKind, cores: u8) -> Result<Option<Wanted>, Failure> {
        if self.trace.is_none() {
            return Ok(None);
        }
        let scheme = Some(self.trace_scheme.clone());
        let args = ParamArgs { scheme, count_bits: 20, cc_bits: 32, ..ParamArgs::default() };
        let align = core.core().isa().align();
        let (params, set) = args.resolve_with(None, (cores, 32, align))?;
        if params.data.is_some() {
            let scheme = &self.trace_scheme;
            return Err(Failure::Other(format!(
                "--trace-scheme {scheme}: load values do not go over the link; a scheme of the control flow does"
            )));
        }
        Ok(Some(Wanted { params, set }))
    }

    /// Takes the trace out of what arrived, holds it to what the cores retired, and writes the files.
    pub fn take(
        &self,
        wanted: &Wanted,
        opened: &OpenedSoc,
        driven: &Driven,
        packets: &[Packet],
    ) -> Result<Traced, Failure> {
        let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
        let cores = opened.params.cores;
        let (mut joined, mut bytes) = (Joined::default(), (0, 0));
        for (n, packet) in packets.iter().enumerate() {
            let frame = (2 * packet.to_words().len() + FRAME_BYTES) as u64;
            match joined.take(packet) {
                _ if n < driven.before => {}
                true => bytes.0 += frame,
                false => bytes.1 += frame,
            }
        }
        let flow = driven.run.flow(&opened.program, cores).map_err(|e| other(&e))?;
        self.write(wanted, opened, &joined.words, &flow)?;
        let checked = check_words(&wanted.params, &opened.program, &flow, &joined.words).map_err(|e| other(&e))?;
        Ok(Traced { words: joined.words.len(), missing: joined.missing, checked, bytes })
    }

    fn write(&self, wanted: &Wanted, opened: &OpenedSoc, words: &[u32], flow: &[FlowEvent]) -> Result<(), Failure> {
        let (build_id, program) = (hex(&opened.program.build_id), opened.input.clone());
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
                harts: opened.params.cores,
                xlen: 32,
                build_id,
                program,
                source: format!("SoC of {} {}, Verilator", opened.params.cores, opened.core.name()),
                threads: Vec::new(),
                untimed: false,
            };
            let mut writer = RetireWriter::create(path.as_ref(), &info)?;
            flow.iter().for_each(|e| writer.event(e));
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
    /// For people: `rate` of a number of bytes.
    pub fn facts(&self, rate: impl Fn(u64) -> String) -> Vec<(&'static str, String)> {
        let c = &self.checked;
        let all = (self.bytes.0 + self.bytes.1).max(1) as f64;
        let share = |bytes: u64| {
            format!("{} bytes, {}, {:.1} % of the link's bytes", count(bytes), rate(bytes), 100.0 * bytes as f64 / all)
        };
        let lost = match (c.overflows, self.missing) {
            (0, 0) => "nothing lost".to_string(),
            (o, m) => {
                format!("{} instructions lost in {} overflows, {} packets missing", count(c.lost), count(o), count(m))
            }
        };
        let replay = format!("equal to the retire log, {} events; {lost}", count(c.events));
        vec![
            ("trace", format!("{} words; {}", count(self.words as u64), share(self.bytes.0))),
            ("diagnosis", share(self.bytes.1)),
            ("replay", replay),
        ]
    }

    /// As numbers.
    pub fn value(&self) -> serde_json::Value {
        serde_json::json!({
            "words": self.words, "bytes": self.bytes.0, "diagnosis_bytes": self.bytes.1, "missing_packets": self.missing,
            "check": self.checked,
        })
    }

    /// Whether all of it is there.
    pub fn status(&self) -> Status {
        if self.checked.overflows == 0 && self.missing == 0 {
            return Status::Done;
        }
        Status::Partial
    }
}
