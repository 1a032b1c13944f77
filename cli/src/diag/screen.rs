//! What `goshawk diag top` shows: the tables of a run, as they come

use super::common::Opened;
use crate::{Failure, Status};
use ::diag::runtime::Output;
use ::diag::sink::{Format, Sink};
use std::io::{IsTerminal, Write};

/// Where outputs are shown; a terminal is cleared before each, so that the tables stay in their place.
pub struct Screen<'a> {
    opened: &'a Opened,
    out: &'a mut dyn Write,
    terminal: bool,
    failed: Option<std::io::Error>,
}

impl<'a> Screen<'a> {
    /// For what was `opened`.
    pub fn new(opened: &'a Opened, out: &'a mut dyn Write) -> Self {
        Self { opened, out, terminal: std::io::stdout().is_terminal(), failed: None }
    }

    /// Shows outputs, with the number of those `lost`, unless there are none, or something could not be shown before.
    pub fn show(&mut self, outputs: &[Output], lost: u64) {
        if outputs.is_empty() || self.failed.is_some() {
            return;
        }
        let mut text = Vec::new();
        let shown =
            Sink::new(&mut text, Format::Text, &self.opened.symbols, self.opened.params.clock_hz).and_then(|mut s| {
                outputs.iter().try_for_each(|o| s.put(o))?;
                s.lost(lost)
            });
        let clear: &[u8] = if self.terminal { b"\x1b[H\x1b[2J" } else { b"" };
        let written = shown.and_then(|()| self.out.write_all(clear)).and_then(|()| self.out.write_all(&text));
        self.failed = written.and_then(|()| self.out.flush()).err();
    }

    /// Whether all could be shown.
    pub fn finish(self) -> Result<Status, Failure> {
        self.failed.map_or(Ok(Status::Done), |e| Err(e.into()))
    }
}
