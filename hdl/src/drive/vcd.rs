//! VCD of a whole rust-hdl hierarchy, with reported write errors and portable enums

use rust_hdl::core::vcd_probe::VCDProbe;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;

/// State of the output. rust-hdl unwraps every write, so the first error is stored here instead.
struct State {
    inner: BufWriter<Box<dyn Write>>,
    error: Option<io::Error>,
    /// The header so far, while it is being written.
    header: Option<Vec<u8>>,
}

impl State {
    fn put(&mut self, bytes: &[u8]) {
        match (&mut self.header, &self.error) {
            (Some(header), _) => header.extend_from_slice(bytes),
            (None, None) => self.error = self.inner.write_all(bytes).err(),
            _ => {}
        }
    }

    /// rust-hdl declares an enum, whose values are strings, as a wire of 0 bits. Not every reader accepts that, but all
    /// accept a string variable.
    fn end_header(&mut self) {
        let header = self.header.take().unwrap_or_default();
        let text = String::from_utf8_lossy(&header).replace("$var wire 0 ", "$var string 1 ");
        self.put(text.as_bytes());
    }

    fn check(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}

struct Shared(Rc<RefCell<State>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().put(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A VCD being written. Scope names begin with `uut`; the time unit is a picosecond.
pub(crate) struct VcdSink {
    /// Always `Some` between calls: rust-hdl's functions take it and return it.
    probe: Option<VCDProbe<Shared>>,
    state: Rc<RefCell<State>>,
}

impl VcdSink {
    /// Writes the header and all values of `uut` at time 0.
    pub(crate) fn new(writer: Box<dyn Write>, uut: &dyn Block) -> io::Result<Self> {
        let state = State { inner: BufWriter::new(writer), error: None, header: Some(Vec::new()) };
        let state = Rc::new(RefCell::new(state));
        let mut probe = write_vcd_header(Shared(Rc::clone(&state)), uut);
        state.borrow_mut().end_header();
        probe.timestamp(0)?;
        let probe = Some(write_vcd_dump(probe, uut));
        state.borrow_mut().check()?;
        Ok(Self { probe, state })
    }

    /// Writes what changed since the last call.
    pub(crate) fn change(&mut self, time_ps: u64, uut: &dyn Block) -> io::Result<()> {
        if let Some(mut probe) = self.probe.take() {
            probe.timestamp(time_ps)?;
            self.probe = Some(write_vcd_change(probe, uut));
        }
        self.state.borrow_mut().check()
    }

    /// Writes the end time and flushes the buffer.
    pub(crate) fn finish(mut self, time_ps: u64) -> io::Result<()> {
        if let Some(mut probe) = self.probe.take() {
            probe.timestamp(time_ps)?;
        }
        let mut state = self.state.borrow_mut();
        state.check()?;
        state.inner.flush()
    }
}
