//! Standard RISC-V trace protocols: E-Trace and N-Trace
//!
//! | module | protocol | source |
//! | --- | --- | --- |
//! | [`etrace`] | E-Trace 2.0, with its containers | Efficient Trace for RISC-V; Unformatted Trace & Diagnostic Data Packet Encapsulation |
//! | [`ntrace`] | N-Trace 1.0 | RISC-V N-Trace; IEEE-ISTO 5001 |
//!
//! Each has a decoder for traces of any maker, which reports the events of the harts and marks what is missing, and a
//! golden encoder. The two share no code, so that a test that passes checks both against the text.

pub mod etrace;
pub mod ntrace;
mod output;

pub use output::{Counts, Ordered};

/// Reason why a packet or message was refused. The hart's events continue at its next synchronization, after a gap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Invalid content.
    #[error("{0}")]
    Content(&'static str),
    /// The path leaves the program.
    #[error("pc 0x{0:08x} is outside the code of the ELF")]
    OutsideCode(u64),
    /// A value that is not defined.
    #[error("{what} {value}, expected {right}")]
    Value {
        /// The field.
        what: &'static str,
        /// Its value.
        value: u64,
        /// Valid values.
        right: &'static str,
    },
}

/// Jumps that may follow each other without a branch or a reported address; more are an endless loop.
const MAX_JUMPS: u32 = 1 << 12;

/// Refused packets, with their positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Number of refused packets, messages and stretches of bytes.
    pub count: u64,
    /// The first ones: byte, source of the trace, and why.
    pub first: Vec<(u64, u16, Fault)>,
}

impl Faults {
    /// Most that are kept.
    const KEPT: usize = 8;

    fn add(&mut self, at: u64, source: u16, fault: Fault) {
        self.count += 1;
        if self.first.len() < Self::KEPT {
            self.first.push((at, source, fault));
        }
    }
}

/// A trace of several harts in one stream of bytes.
pub trait Stream {
    /// Takes bytes from the beginning of `bytes` and returns their number; the rest is passed again, with more.
    /// `last`: none follow.
    fn feed(&mut self, bytes: &[u8], last: bool, sink: &mut impl retire::RetireSink) -> usize;
    /// Ends the events of all harts.
    fn finish(&mut self, sink: &mut impl retire::RetireSink);
    /// Counts of all harts.
    fn counts(&self) -> Counts;
    /// What was refused.
    fn faults(&self) -> &Faults;
}

/// Sources of a trace, each of which becomes a hart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(Vec<u16>);

impl Sources {
    /// Most harts of a recording.
    pub const MOST: usize = 16;

    /// Enters a source; `false` if there are too many.
    pub fn add(&mut self, source: u16) -> bool {
        match self.0.binary_search(&source) {
            Ok(_) => true,
            Err(_) if self.0.len() == Self::MOST => false,
            Err(at) => {
                self.0.insert(at, source);
                true
            }
        }
    }

    /// The sources, by hart.
    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }

    /// The hart of a source.
    pub fn hart(&self, source: u16) -> Option<usize> {
        self.0.binary_search(&source).ok()
    }
}
