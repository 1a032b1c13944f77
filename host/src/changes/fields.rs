//! Little-endian fields of binary records

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// The next `n` bytes.
    pub fn take(&mut self, n: u64) -> Result<&'a [u8], String> {
        let n = usize::try_from(n).ok().filter(|n| *n <= self.0.len());
        let n = n.ok_or("a record ends before its last field; the file is cut or damaged")?;
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    pub fn half(&mut self) -> Result<u16, String> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn word(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn long(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }
}
