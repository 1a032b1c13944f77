//! Read-ahead: files are read, checked and unpacked on a thread of their own

use super::FileError;
use std::sync::mpsc::{sync_channel, Receiver};

/// Most blocks that are read ahead.
const MAX_QUEUED: usize = 4;

/// A queue of blocks of bytes that a thread reads ahead.
#[derive(Debug)]
pub struct ReadAhead {
    blocks: Receiver<Result<Option<Vec<u8>>, FileError>>,
    over: bool,
}

impl ReadAhead {
    /// Starts calling `next` until it returns `None` or an error; the thread also ends when the reader is dropped.
    pub fn new(mut next: impl FnMut() -> Result<Option<Vec<u8>>, FileError> + Send + 'static) -> Self {
        let (sender, blocks) = sync_channel(MAX_QUEUED);
        std::thread::spawn(move || loop {
            let block = next();
            let last = !matches!(block, Ok(Some(_)));
            if sender.send(block).is_err() || last {
                break;
            }
        });
        Self { blocks, over: false }
    }

    /// The next block, or `None` at the end and after an error.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        if self.over {
            return Ok(None);
        }
        let block = self.blocks.recv().expect("the reading thread sends how it ends");
        self.over = !matches!(block, Ok(Some(_)));
        block
    }
}
