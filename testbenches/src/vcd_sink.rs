//! VCD of a whole rust-hdl hierarchy, with write errors reported instead of panics

use rust_hdl::core::vcd_probe::VCDProbe;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;

/// rust-hdl unwraps every write: this takes all bytes, and keeps the first error for [`VcdSink`].
struct Keeper {
    inner: BufWriter<Box<dyn Write>>,
    error: Rc<RefCell<Option<io::Error>>>,
}

impl Keeper {
    fn keep(&self, result: io::Result<()>) {
        if let Err(e) = result {
            self.error.borrow_mut().get_or_insert(e);
        }
    }
}

impl Write for Keeper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.borrow().is_none() {
            let result = self.inner.write_all(bytes);
            self.keep(result);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        let result = self.inner.flush();
        self.keep(result);
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// A VCD being written. Scope names begin at `uut`; one time unit is a picosecond.
pub(crate) struct VcdSink {
    /// Always `Some` between calls: rust-hdl's functions take and give it back.
    probe: Option<VCDProbe<Keeper>>,
    error: Rc<RefCell<Option<io::Error>>>,
}

impl VcdSink {
    /// Writes the header and all values of `uut` at time 0.
    pub(crate) fn new(writer: Box<dyn Write>, uut: &dyn Block) -> io::Result<Self> {
        let error = Rc::new(RefCell::new(None));
        let keeper = Keeper { inner: BufWriter::new(writer), error: Rc::clone(&error) };
        let mut probe = write_vcd_header(keeper, uut);
        probe.timestamp(0)?;
        let probe = write_vcd_dump(probe, uut);
        let sink = Self { probe: Some(probe), error };
        sink.check()?;
        Ok(sink)
    }

    /// Writes what changed since the last call.
    pub(crate) fn change(&mut self, time_ps: u64, uut: &dyn Block) -> io::Result<()> {
        if let Some(mut probe) = self.probe.take() {
            probe.timestamp(time_ps)?;
            self.probe = Some(write_vcd_change(probe, uut));
        }
        self.check()
    }

    /// Writes the end time and all that is buffered.
    pub(crate) fn finish(mut self, time_ps: u64) -> io::Result<()> {
        if let Some(mut probe) = self.probe.take() {
            probe.timestamp(time_ps)?;
        }
        self.check()
    }

    fn check(&self) -> io::Result<()> {
        self.error.borrow_mut().take().map_or(Ok(()), Err)
    }
}
