//! Input of the program: bytes that the UART receives, and that calls to the host read

use std::sync::Arc;

/// Input, and how much of it was read.
#[derive(Clone, Debug, Default)]
pub struct Input {
    bytes: Arc<[u8]>,
    read: usize,
}

impl Input {
    pub fn new(bytes: Arc<[u8]>) -> Self {
        Self { bytes, read: 0 }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.read
    }

    /// The next byte.
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.read).copied();
        self.read += usize::from(byte.is_some());
        byte
    }

    /// The next bytes, at most `most`.
    pub fn take(&mut self, most: u64) -> Vec<u8> {
        let n = self.left().min(usize::try_from(most).unwrap_or(usize::MAX));
        let taken = self.bytes[self.read..self.read + n].to_vec();
        self.read += n;
        taken
    }
}
