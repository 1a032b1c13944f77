//! Reading ahead: files are read, checked and unpacked on a thread of their own

use super::FileError;
use std::sync::mpsc::{sync_channel, Receiver};

/// Blocks that wait at most.
const WAITING: usize = 4;

/// Blocks of bytes, as they become ready.
#[derive(Debug)]
pub struct Ahead {
    blocks: Receiver<Result<Option<Vec<u8>>, FileError>>,
    over: bool,
}

impl Ahead {
    /// Begins to call `next` until it gives `None` or an error; the thread ends with the reader, too.
    pub fn new(mut next: impl FnMut() -> Result<Option<Vec<u8>>, FileError> + Send + 'static) -> Self {
        let (sender, blocks) = sync_channel(WAITING);
        std::thread::spawn(move || loop {
            let block = next();
            let last = !matches!(block, Ok(Some(_)));
            if sender.send(block).is_err() || last {
                break;
            }
        });
        Self { blocks, over: false }
    }

    /// The next block, or `None` at the end and behind an error.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        if self.over {
            return Ok(None);
        }
        let block = self.blocks.recv().expect("the reading thread sends how it ends");
        self.over = !matches!(block, Ok(Some(_)));
        block
    }
}
