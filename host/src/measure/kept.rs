//! Storage of a stream until it is verified

use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// The words of a stream: in memory while it is small, then in an anonymous temporary file.
#[derive(Default)]
pub struct StoredStream {
    words: Vec<u32>,
    file: Option<std::fs::File>,
    error: Option<std::io::Error>,
    /// Total number of words.
    pub total: u64,
}

/// Maximum number of words in memory: 4 MiB.
const IN_MEMORY: usize = 1 << 20;

impl StoredStream {
    /// Adds words.
    pub fn add(&mut self, words: &[u32]) {
        self.total += words.len() as u64;
        self.words.extend_from_slice(words);
        if self.words.len() > IN_MEMORY && self.error.is_none() {
            self.error = self.spill().err();
        }
        if self.error.is_some() {
            self.words.clear();
        }
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let bytes: Vec<u8> = self.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        file.write_all(&bytes)?;
        self.words.clear();
        self.file = Some(file);
        Ok(())
    }

    /// Passes all words to `decode`.
    pub fn read<T>(
        &self,
        decode: impl FnOnce(&mut dyn Iterator<Item = u32>) -> Result<T, String>,
    ) -> Result<T, String> {
        let failed = |e: &std::io::Error| format!("temporary file of the stream: {e}");
        if let Some(e) = &self.error {
            return Err(failed(e));
        }
        let Some(mut file) = self.file.as_ref() else {
            return decode(&mut self.words.iter().copied());
        };
        file.seek(SeekFrom::Start(0)).map_err(|e| failed(&e))?;
        let (mut reader, mut error) = (BufReader::with_capacity(1 << 16, file), None);
        let in_file = self.total - self.words.len() as u64;
        let mut from_file = (0..in_file).map_while(|_| {
            let mut word = [0; 4];
            error = reader.read_exact(&mut word).err();
            error.is_none().then(|| u32::from_le_bytes(word))
        });
        let result = decode(&mut from_file.by_ref().chain(self.words.iter().copied()));
        error.map_or(result, |e| Err(failed(&e)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_stream_comes_back_from_memory_and_from_the_file() {
        for total in [0u32, 5, IN_MEMORY as u32 + 1, 2 * IN_MEMORY as u32 + 99] {
            let words: Vec<u32> = (0..total).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let mut kept = StoredStream::default();
            words.chunks(70_000).for_each(|c| kept.add(c));
            assert_eq!(kept.file.is_some(), total as usize > IN_MEMORY);
            assert_eq!(kept.read(|w| Ok(w.collect::<Vec<_>>())), Ok(words));
        }
    }
}
