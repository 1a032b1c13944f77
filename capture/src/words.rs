//! Decoder for the words of the ring ([`crate::layout`])

use crate::layout::{self, ARGUMENT, ESCAPE};
use crate::CaptureError;

/// One entry of the ring. Its thread is that of the last [`Entry::Thread`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// The thread begins a block.
    Begin(u32),
    /// A block was translated.
    Block {
        /// Its number: one more than that of the previous block.
        number: u32,
        /// Address.
        start: u64,
        /// Number of instructions.
        instructions: u32,
        /// State of the processor, see [`layout::INSTRUCTIONS`].
        state: u32,
        /// Size of the code, bytes.
        code: u32,
        /// Size of the text, bytes.
        text: u32,
        /// Sizes, code and text, each padded to words.
        rest: &'a [u32],
    },
    /// The entries that follow are of this thread.
    Thread(u32),
    /// The thread's next block; others run before it.
    Ahead(u32),
    /// A signal handler begins.
    Signal {
        /// Signal number.
        signal: u8,
        /// The thread's own instruction caused it.
        caused: bool,
        /// Address at which the thread was interrupted.
        pc: u64,
    },
    /// A system call: [`layout::ORDINARY`] and the like.
    Syscall(u32),
    /// A load, a store, or both.
    Access {
        /// Index of the instruction in the block.
        place: u16,
        /// Size in bytes: 1, 2, 4 or 8.
        size: u8,
        /// Loads.
        loads: bool,
        /// Stores.
        stores: bool,
        /// Address.
        address: u64,
        /// Content of memory after the access.
        value: u64,
    },
    /// A thread has ended.
    Exit(u32),
    /// This number of instructions was skipped.
    Skipped(u64),
    /// The thread continues in a block that is not traced.
    Leave(u32),
    /// Context of the block that the thread has begun, and of all that follow.
    Context(u32),
}

fn wide(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// Length of the entry that begins with `word`, in words.
pub(crate) fn length(word: u32) -> Result<usize, String> {
    if word & ESCAPE == 0 {
        return Ok(1);
    }
    Ok(match word >> 24 & 0x7f {
        layout::BLOCK => 1 + (word & ARGUMENT) as usize,
        layout::THREAD | layout::SYSCALL | layout::EXIT => 1,
        layout::AHEAD | layout::LEAVE | layout::CONTEXT => 2,
        layout::SIGNAL | layout::BEGIN => 3,
        layout::ACCESS => 5,
        kind => return Err(format!("escape {kind} is not defined")),
    })
}

/// The first entry and its length; `None` if the words end inside it.
#[inline]
pub fn entry(words: &[u32]) -> Result<Option<(Entry<'_>, usize)>, String> {
    let Some(&word) = words.first() else { return Ok(None) };
    if word & ESCAPE == 0 {
        return Ok(Some((Entry::Begin(word), 1)));
    }
    let n = length(word)?;
    let Some(words) = words.get(1..n) else { return Ok(None) };
    let argument = word & ARGUMENT;
    let entry = match word >> 24 & 0x7f {
        layout::BLOCK => block(words)?,
        layout::THREAD => Entry::Thread(argument),
        layout::AHEAD => Entry::Ahead(words[0]),
        layout::SIGNAL => {
            Entry::Signal { signal: argument as u8, caused: argument & layout::CAUSED != 0, pc: wide(words) }
        }
        layout::SYSCALL => Entry::Syscall(argument),
        layout::ACCESS => Entry::Access {
            place: (argument & ((1 << layout::PLACE_BITS) - 1)) as u16,
            size: 1 << (argument >> layout::SIZE_SHIFT & 3),
            loads: argument & layout::LOADS != 0,
            stores: argument & layout::STORES != 0,
            address: wide(words),
            value: wide(&words[2..]),
        },
        layout::EXIT => Entry::Exit(argument),
        layout::BEGIN => Entry::Skipped(wide(words)),
        layout::CONTEXT => Entry::Context(words[0]),
        _ => Entry::Leave(words[0]),
    };
    Ok(Some((entry, n)))
}

fn block(words: &[u32]) -> Result<Entry<'_>, String> {
    let &[number, low, high, instructions, code, text, ref rest @ ..] = words else {
        return Err(format!("a block of {} words; it has 6 at least", words.len()));
    };
    let (instructions, state) = (instructions & layout::INSTRUCTIONS, instructions / (layout::INSTRUCTIONS + 1));
    let bytes = (u64::from(instructions) + u64::from(code)).div_ceil(4) + u64::from(text).div_ceil(4);
    if bytes != rest.len() as u64 || instructions == 0 {
        return Err(format!("a block of {instructions} instructions in {} words", rest.len()));
    }
    Ok(Entry::Block { number, start: wide(&[low, high]), instructions, state, code, text, rest })
}

/// A decoder that takes words in any portions and returns whole entries.
#[derive(Debug, Default)]
pub struct Words {
    rest: Vec<u32>,
    at: u64,
}

impl Words {
    /// Passes each complete entry to `take`, until it returns false.
    pub fn feed(
        &mut self,
        words: &[u32],
        mut take: impl FnMut(Entry<'_>) -> Result<bool, String>,
    ) -> Result<bool, CaptureError> {
        let joined;
        let mut words = words;
        if !self.rest.is_empty() {
            self.rest.extend_from_slice(words);
            joined = std::mem::take(&mut self.rest);
            words = &joined;
        }
        let bad = |at, what| CaptureError::Words { at, what };
        while let Some((entry, n)) = entry(words).map_err(|what| bad(self.at, what))? {
            if !take(entry).map_err(|what| bad(self.at, what))? {
                return Ok(false);
            }
            words = &words[n..];
            self.at += n as u64;
        }
        self.rest.extend_from_slice(words);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::escape;

    fn reported(portions: &[&[u32]]) -> Result<Vec<String>, String> {
        let mut words = Words::default();
        let mut found = Vec::new();
        for portion in portions {
            let fed = words.feed(portion, |e| {
                found.push(format!("{e:?}"));
                Ok(true)
            });
            fed.map_err(|e| e.to_string())?;
        }
        Ok(found)
    }

    #[test]
    fn entries_do_not_depend_on_where_the_words_are_cut() {
        let words = [
            escape(layout::BLOCK, 8),
            0,
            0x10000,
            1,
            2,
            4,
            0,
            0x1302_0202,
            0x0513,
            escape(layout::THREAD, 3),
            0,
            escape(layout::ACCESS, 1 | 3 << layout::SIZE_SHIFT | layout::LOADS),
            0x40,
            0,
            7,
            8,
            escape(layout::SIGNAL, 11 | layout::CAUSED),
            0x1234,
            0,
            escape(layout::SYSCALL, layout::SIGRETURN),
            escape(layout::EXIT, 3),
        ];
        let whole = reported(&[&words]).unwrap();
        assert_eq!(whole.len(), 7);
        assert!(
            whole[3].contains("size: 8, loads: true, stores: false, address: 64, value: 34359738375"),
            "{}",
            whole[3]
        );
        for cut in 0..words.len() {
            assert_eq!(reported(&[&words[..cut], &words[cut..]]).unwrap(), whole);
        }
        let single: Vec<&[u32]> = words.chunks(1).collect();
        assert_eq!(reported(&single).unwrap(), whole);
    }

    #[test]
    fn words_without_sense_are_refused() {
        for bad in
            [&[escape(99, 0)][..], &[escape(layout::BLOCK, 2), 0, 0], &[escape(layout::BLOCK, 6), 0, 0, 0, 9, 1, 0]]
        {
            assert!(reported(&[bad]).is_err(), "{bad:x?}");
        }
    }
}
