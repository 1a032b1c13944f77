//! Python module: recordings and traces as batches of packed records, and the sizes of traces
//!
//! The records have no padding, so that numpy reads the bytes without a copy (`goshawk/__init__.py` has their fields). A batch is a
//! block of the file, so that memory does not grow with the run.

mod batches;
mod instructions;
mod trace;

use batches::{batches, Batches};
use host::changes::Changes;
use host::input::Named;
use host::measure::SchemeSpec;
use host::progress::Quiet;
use host::recording::{Events, Recording};
use instructions::Walker;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::platform::Platform;
use std::path::Path;
use std::sync::Mutex;

fn error(e: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(e.to_string())
}

/// Number of a kind: that of `rbt1` where there is one. The second is the cause of a trap, or an outcome.
fn kind(kind: FlowKind) -> (u8, u8) {
    match kind {
        FlowKind::Conditional { taken } => (u8::from(taken), 0),
        FlowKind::Jump => (2, 0),
        FlowKind::Call => (3, 0),
        FlowKind::IndirectJump => (4, 0),
        FlowKind::IndirectCall => (5, 0),
        FlowKind::Return => (6, 0),
        FlowKind::Trap { interrupt, cause } => (7, cause | u8::from(interrupt) << 7),
        FlowKind::TrapReturn => (8, 0),
        FlowKind::CoSwap => (9, 0),
        FlowKind::ConditionalIndirect { taken, .. } => (10, u8::from(taken)),
        FlowKind::Start => (11, 0),
        FlowKind::Stop => (12, 0),
        FlowKind::Context { .. } => (13, 0),
        FlowKind::Gap { .. } => (14, 0),
    }
}

/// The bytes of an event.
fn pack(e: &FlowEvent) -> [u8; 32] {
    let (kind, cause) = kind(e.kind);
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&[e.hart, kind, e.len, cause]);
    bytes[4..8].copy_from_slice(&e.count.to_le_bytes());
    for (at, number) in [e.pc, e.target, e.cycle].into_iter().enumerate() {
        bytes[8 + 8 * at..16 + 8 * at].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// Packs events (`data` false) or data.
struct Packer {
    data: bool,
    bytes: Vec<u8>,
}

impl RetireSink for Packer {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        if !self.data {
            self.bytes.extend(pack(e));
        }
    }

    fn data(&mut self, d: &DataEvent) {
        let (kind, size, number, value) = match d.kind {
            DataKind::Load { size, addr, value } => (0, size, addr, value),
            DataKind::Store { size, addr, value } => (1, size, addr, value),
            DataKind::Csr { csr, value } => (2, 0, csr.into(), value),
            DataKind::Register { rd, value } => (3, 0, rd.into(), value),
            DataKind::Float { rd, value } => (4, 0, rd.into(), value),
            DataKind::Imported { .. } => return,
        };
        if self.data {
            self.bytes.extend([d.hart, kind, size, 0]);
            self.bytes.extend([d.pc, number, value, d.cycle].iter().flat_map(|n| n.to_le_bytes()));
        }
    }
}

/// Blocks of a recording, packed.
#[pyclass]
struct Blocks {
    /// Python may share the object between threads.
    events: Mutex<Events>,
    data: bool,
}

#[pymethods]
impl Blocks {
    /// The next block that holds something; `None` at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut events = self.events.lock().map_err(error)?;
        let mut packer = Packer { data: self.data, bytes: Vec::new() };
        while packer.bytes.is_empty() {
            if !events.next_block(&mut packer).map_err(error)? {
                return Ok(None);
            }
        }
        Ok(Some(PyBytes::new(py, &packer.bytes)))
    }
}

/// A recording or a branch trace.
#[pyclass(name = "RawRecording")]
struct RawRecording(Recording);

#[pymethods]
impl RawRecording {
    #[new]
    fn open(path: &str) -> PyResult<Self> {
        Recording::open(Path::new(path)).map(Self).map_err(error)
    }

    /// Its metadata, as JSON.
    fn info(&self) -> PyResult<String> {
        serde_json::to_string(self.0.info()).map_err(error)
    }

    /// Its events, or its data.
    fn blocks(&self, data: bool) -> PyResult<Blocks> {
        Ok(Blocks { events: Mutex::new(self.0.events().map_err(error)?), data })
    }

    /// Its instructions, with the code of `program`, or that which it has.
    fn instructions(&self, program: Option<String>) -> Batches {
        let path = self.0.path().to_path_buf();
        batches(move |sender| {
            let text = |e: &dyn std::fmt::Display| e.to_string();
            let recording = Recording::open(&path).map_err(|e| text(&e))?;
            let image = match program {
                Some(name) => {
                    let named = Named::open_any(&name).map_err(|e| text(&e))?;
                    named.image_of(&recording, Changes::default())
                }
                None => recording.image(&Quiet),
            };
            let image = image.map_err(|e| text(&e))?;
            let mut walker = Walker::new(&image, recording.info().harts, sender);
            let mut events = recording.events().map_err(|e| text(&e))?;
            while !walker.is_over() && events.next_block(&mut walker).map_err(|e| text(&e))? {}
            walker.failed.map_or(Ok(()), Err)
        })
    }

    /// Measures a scheme on it; what was measured, as JSON. With `verify`, the stream is decoded and compared.
    fn encode(&self, py: Python<'_>, scheme: &str, verify: bool) -> PyResult<String> {
        let measured = py.detach(|| self.measure(scheme, verify)).map_err(PyValueError::new_err)?;
        Ok(measured.to_string())
    }
}

/// Passes events on to a scheme.
struct Pushed<'a> {
    scheme: Box<dyn host::measure::TraceScheme + 'a>,
    batch: Vec<FlowEvent>,
    digest: host::measure::FlowDigest,
    instructions: u64,
    cycle: u64,
}

impl RetireSink for Pushed<'_> {
    fn event(&mut self, e: &FlowEvent) {
        self.batch.push(*e);
        self.digest_event(e);
        if self.batch.len() == 4096 {
            self.flush();
        }
    }
}

impl Pushed<'_> {
    fn digest_event(&mut self, e: &FlowEvent) {
        self.instructions += u64::from(e.count);
        self.cycle = self.cycle.max(e.cycle);
        self.digest.event(e);
    }

    fn flush(&mut self) {
        self.scheme.push(&self.batch);
        self.batch.clear();
    }
}

impl RawRecording {
    fn measure(&self, scheme: &str, verify: bool) -> Result<serde_json::Value, String> {
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let info = self.0.info();
        let spec = SchemeSpec::parse(scheme).map_err(|e| text(&e))?;
        let align = self.0.align(u64::MAX).map_err(|e| text(&e))?;
        let platform = Platform { cores: info.harts, xlen: info.xlen, align, timestamps: false, ..Platform::RV32 };
        let image = (verify || spec.needs_program()).then(|| self.0.image(&Quiet)).transpose().map_err(|e| text(&e))?;
        let built = spec.build(&platform, verify, image.as_ref()).map_err(|e| text(&e))?;
        let digest = host::measure::FlowDigest::new(info.harts);
        let mut sink = Pushed { scheme: built, batch: Vec::new(), digest, instructions: 0, cycle: 0 };
        self.0.report_to(&mut sink).map_err(|e| text(&e))?;
        sink.flush();
        let measured = sink.scheme.finish(sink.cycle)?;
        let equal = match image.as_ref().filter(|_| verify).and_then(|image| sink.scheme.verify(image)) {
            Some(decoded) => Some(decoded?.value() == sink.digest.value()),
            None => None,
        };
        let mut object = serde_json::to_value(&measured).map_err(|e| text(&e))?;
        object["scheme"] = spec.canonical(&platform).into();
        object["instructions"] = sink.instructions.into();
        object["bits_per_instruction"] =
            measured.bits.filter(|_| sink.instructions > 0).map(|b| b as f64 / sink.instructions as f64).into();
        object["decoded_equal"] = equal.into();
        Ok(object)
    }
}

/// The module.
#[pymodule]
fn _goshawk(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("MESSAGES", trace::kinds())?;
    m.add_class::<RawRecording>()?;
    m.add_class::<trace::RawTrace>()?;
    m.add_class::<Batches>()?;
    m.add_class::<Blocks>()
}
