//! Batches that another thread makes, so that Python takes them one at a time from what is pushed

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::Mutex;

/// Bytes of a batch.
const BATCH_BYTES: usize = 1 << 18;
/// Batches that wait for Python.
const WAITING: usize = 2;

/// Batches, in order. Memory does not grow with their number, and the thread ends when they are dropped.
#[pyclass]
pub struct Batches(Mutex<Receiver<Result<Vec<u8>, String>>>);

#[pymethods]
impl Batches {
    /// The next batch; `None` at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let next = py.detach(|| self.0.lock().map(|receiver| receiver.recv()).map_err(|e| e.to_string()));
        match next.map_err(PyValueError::new_err)? {
            Ok(Ok(bytes)) => Ok(Some(PyBytes::new(py, &bytes))),
            Ok(Err(message)) => Err(PyValueError::new_err(message)),
            // the thread has ended
            Err(_) => Ok(None),
        }
    }
}

/// The side of the thread.
pub struct Sender {
    channel: SyncSender<Result<Vec<u8>, String>>,
    bytes: Vec<u8>,
    /// Nobody takes more batches, or an error was passed on.
    pub is_closed: bool,
}

impl Sender {
    /// Takes the bytes of a record.
    #[inline]
    pub fn put(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        if self.bytes.len() >= BATCH_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.is_closed |= !bytes.is_empty() && self.channel.send(Ok(bytes)).is_err();
    }

    /// Ends the batches with an error, which comes after the records so far.
    pub fn fail(&mut self, message: String) {
        self.flush();
        self.is_closed |= self.channel.send(Err(message)).is_err();
    }
}

/// Batches of the records that `make` puts; an error comes after them.
pub fn batches(make: impl FnOnce(&mut Sender) -> Result<(), String> + Send + 'static) -> Batches {
    let (channel, receiver) = sync_channel(WAITING);
    let mut sender = Sender { channel, bytes: Vec::new(), is_closed: false };
    std::thread::spawn(move || match make(&mut sender) {
        Ok(()) => sender.flush(),
        Err(message) => sender.fail(message),
    });
    Batches(Mutex::new(receiver))
}
