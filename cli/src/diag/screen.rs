//! The display of `goshawk diag top`: tables of a run, updated live

use super::common::Opened;
use crate::{Failure, Status};
use ::diag::losses::LossLocation;
use ::diag::runtime::Output;
use ::diag::sink::{Format, Sink};
use std::io::{IsTerminal, Write};

/// The display of outputs; a terminal is cleared before each update, so that the tables keep their position.
pub struct Screen<'a> {
    opened: &'a Opened,
    out: &'a mut dyn Write,
    terminal: bool,
    /// An output is not assured.
    marked: bool,
    failed: Option<std::io::Error>,
}

impl<'a> Screen<'a> {
    /// Creates the display for an opened script.
    pub fn new(opened: &'a Opened, out: &'a mut dyn Write) -> Self {
        Self { opened, out, terminal: std::io::stdout().is_terminal(), marked: false, failed: None }
    }

    /// Shows outputs, and how many events were lost and where, unless there are none, or an earlier output failed.
    pub fn show(&mut self, outputs: &[Output], (lost, losses): (u64, &[LossLocation])) {
        self.marked |= outputs.iter().any(|o| o.mark().any());
        if outputs.is_empty() || self.failed.is_some() {
            return;
        }
        let mut text = Vec::new();
        let shown =
            Sink::new(&mut text, Format::Text, &self.opened.symbols, self.opened.params.clock_hz).and_then(|mut s| {
                outputs.iter().try_for_each(|o| s.put(o))?;
                s.lost(lost)?;
                s.losses(losses)
            });
        let clear: &[u8] = if self.terminal { b"\x1b[H\x1b[2J" } else { b"" };
        let written = shown.and_then(|()| self.out.write_all(clear)).and_then(|()| self.out.write_all(&text));
        self.failed = written.and_then(|()| self.out.flush()).err();
    }

    /// Returns an error if an output failed; otherwise done, or partial if events were lost or an output is not assured.
    pub fn finish(self, lost: u64) -> Result<Status, Failure> {
        let status = if lost > 0 || self.marked { Status::Partial } else { Status::Done };
        self.failed.map_or(Ok(status), |e| Err(e.into()))
    }
}
