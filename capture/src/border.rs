//! Where a trace starts and ends

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

/// Start or end of a trace.
#[derive(Clone, Debug)]
pub enum Border {
    /// Before the instruction at this address: of the ELF, or of a whole machine the virtual one.
    Address(u64),
    /// When this returns true.
    Request(fn() -> bool),
    /// When a whole machine has printed this text on its console.
    Console(ConsoleText),
}

impl Border {
    /// The address, or 0.
    pub(crate) fn address(this: Option<&Self>) -> u64 {
        match this {
            Some(Self::Address(at)) => *at,
            _ => 0,
        }
    }

    /// Whether it is requested, or the text is printed.
    pub(crate) fn is_requested(this: Option<&Self>) -> bool {
        match this {
            Some(Self::Request(request)) => request(),
            Some(Self::Console(text)) => text.is_printed(),
            Some(Self::Address(_)) | None => false,
        }
    }

    /// The text on the console.
    pub(crate) fn console(this: Option<&Self>) -> Option<&ConsoleText> {
        match this {
            Some(Self::Console(text)) => Some(text),
            _ => None,
        }
    }
}

/// A text on the console of a machine, and whether it has been printed.
#[derive(Clone, Debug)]
pub struct ConsoleText {
    text: Vec<u8>,
    printed: Arc<AtomicBool>,
}

impl ConsoleText {
    /// This text, not printed yet; `None` if it is empty.
    pub fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self { text: text.into(), printed: Arc::default() })
    }

    fn is_printed(&self) -> bool {
        self.printed.load(Relaxed)
    }

    /// The search for it in what is printed from now on.
    pub(crate) fn search(&self) -> Search {
        Search { text: self.clone(), end: Vec::new() }
    }
}

/// Search for a text in a stream of bytes.
pub(crate) struct Search {
    text: ConsoleText,
    /// The last bytes of the stream, fewer than the text has.
    end: Vec<u8>,
}

impl Search {
    /// Searches the next bytes; returns how many of them were needed to find the text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let (text, before) = (&self.text.text, self.end.len());
        self.end.extend_from_slice(bytes);
        let found = self.end.windows(text.len()).position(|window| window == text.as_slice());
        if let Some(at) = found {
            self.text.printed.store(true, Relaxed);
            return Some(at + text.len() - before);
        }
        let superfluous = self.end.len().saturating_sub(text.len() - 1);
        self.end.drain(..superfluous);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_wherever_the_stream_is_divided() {
        let stream = b"lologin login: root\n";
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let text = ConsoleText::new("login: ").unwrap();
                let mut search = text.search();
                let parts = [&stream[..first], &stream[first..second], &stream[second..]];
                let mut read = 0;
                let found = parts.iter().find_map(|part| match search.feed(part) {
                    Some(needed) => Some(read + needed),
                    None => {
                        read += part.len();
                        None
                    }
                });
                assert_eq!((found, text.is_printed()), (Some(15), true), "{first}, {second}");
            }
        }
        let text = ConsoleText::new("login: ").unwrap();
        assert_eq!((text.search().feed(b"login root: "), text.is_printed()), (None, false));
        assert!(ConsoleText::new("").is_none());
    }
}
