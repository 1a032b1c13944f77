//! Trace files with their program: events and messages

use crate::batches::{batches, Batches, Sender};
use crate::instructions::Walker;
use crate::{error, pack};
use host::input::InputOptions;
use host::progress::Quiet;
use host::trace::Trace;
use pyo3::prelude::*;
use retire::FlowEvent;
use sim::message::{Body, Escape, Kind, Message};
use sim::replay::ReplaySink;
use std::path::PathBuf;

/// A trace file, and where its code is.
#[pyclass(name = "RawTrace")]
pub struct RawTrace {
    files: Files,
    info: String,
}

#[derive(Clone)]
struct Files {
    trace: PathBuf,
    program: Option<String>,
}

impl Files {
    fn open(&self) -> Result<Trace, String> {
        let options = InputOptions { elf: self.program.as_deref(), ..InputOptions::default() };
        Trace::open(&self.trace, options, &Quiet).map_err(|e| e.to_string())
    }

    /// Replays to the end, to damage, or until nobody takes more.
    fn replay<S: ReplaySink>(&self, sink: &mut S, is_over: impl Fn(&S) -> bool) -> Result<(), String> {
        let replayed = self.open()?.replay_to_damage(sink, &Quiet, |sink| is_over(sink)).map_err(|e| e.to_string())?;
        replayed.damage.map_or(Ok(()), |damage| Err(damage.to_string()))
    }
}

/// Puts events.
struct FlowEvents<'a>(&'a mut Sender);

impl ReplaySink for FlowEvents<'_> {
    fn event(&mut self, e: &FlowEvent) {
        self.0.put(&pack(e));
    }
}

/// Puts messages: core, kind, six bytes of 0, bit, cycle, count, number.
struct Messages<'a> {
    sender: &'a mut Sender,
    /// Cycle of each core.
    cycles: Vec<u64>,
}

/// The count of a message, and its other number: an address, instructions that were lost, a core, or a word.
fn numbers(body: &Body) -> (u64, u64) {
    match *body {
        Body::Outcome { count } | Body::NotTaken { count } => (count, 0),
        Body::Target { count, target } | Body::Taken { count, target } => (count, target),
        Body::Stream { length, target } => (length, target.unwrap_or(0)),
        Body::Turn { length, next } => (length, next.into()),
        Body::Word { word } => (0, word.into()),
        Body::Hits { count } => (count.into(), 0),
        Body::Index { index } => (0, index.into()),
        Body::Descriptor { length, start } => (length.into(), start.unwrap_or(0)),
        Body::Escape(escape) => match escape {
            Escape::Exception { i_cnt, target: at, .. } | Escape::Sync { i_cnt, pc: at, .. } => (i_cnt, at),
            Escape::Overflow { i_cnt, lost } => (i_cnt, lost),
            Escape::Context { i_cnt, .. }
            | Escape::Resync { i_cnt, .. }
            | Escape::Stop { i_cnt, .. }
            | Escape::Progress { i_cnt, .. } => (i_cnt, 0),
        },
    }
}

impl ReplaySink for Messages<'_> {
    fn event(&mut self, _: &FlowEvent) {}

    fn header(&mut self, _: u64) {
        let now = self.cycles[0];
        self.cycles.fill(now);
    }

    fn message(&mut self, bit: u64, message: &Message) {
        let cycle = &mut self.cycles[usize::from(message.core)];
        *cycle += message.diff_cc;
        let kind = Kind::ALL.iter().position(|k| *k == message.body.kind()).unwrap_or_default();
        let (count, number) = numbers(&message.body);
        let mut record = [0; 40];
        (record[0], record[1]) = (message.core, kind as u8);
        for (at, value) in [bit, *cycle, count, number].into_iter().enumerate() {
            record[8 + 8 * at..16 + 8 * at].copy_from_slice(&value.to_le_bytes());
        }
        self.sender.put(&record);
    }
}

#[pymethods]
impl RawTrace {
    #[new]
    fn open(path: PathBuf, program: Option<String>) -> PyResult<Self> {
        let files = Files { trace: path, program };
        let trace = files.open().map_err(error)?;
        let info = trace.info();
        let info = serde_json::json!({
            "tool": info.tool,
            "program": info.program,
            "build_id": info.build_id,
            "harts": info.params.cores,
            "xlen": info.params.xlen,
            "timestamps": info.params.timestamps,
            "parameters": info.params.canonical(),
        });
        Ok(Self { files, info: info.to_string() })
    }

    /// Its metadata, as JSON.
    fn info(&self) -> &str {
        &self.info
    }

    /// Its events.
    fn events(&self) -> Batches {
        let files = self.files.clone();
        batches(move |sender| files.replay(&mut FlowEvents(sender), |events| events.0.is_closed))
    }

    /// Its messages.
    fn messages(&self) -> Batches {
        let files = self.files.clone();
        batches(move |sender| {
            let cycles = vec![0; files.open()?.info().params.cores.into()];
            files.replay(&mut Messages { sender, cycles }, |messages| messages.sender.is_closed)
        })
    }

    /// Its instructions.
    fn instructions(&self) -> Batches {
        let files = self.files.clone();
        batches(move |sender| {
            let code = files.open()?;
            let mut walker = Walker::new(code.image(), code.info().params.cores, sender);
            let replayed = files.replay(&mut walker, Walker::is_over);
            walker.failed.map_or(replayed, Err)
        })
    }
}

/// Names of the kinds of messages, by number.
pub fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|k| k.name()).collect()
}
