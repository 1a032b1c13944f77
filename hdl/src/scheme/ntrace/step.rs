//! Steps of the encoder

use rust_hdl::prelude::*;

/// The part of a message that is next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum NtraceStep {
    /// Nothing: the type of the entry is read.
    Open,
    /// Nothing: the history of the core is read.
    Wait,
    /// Nothing: whether the history of the core is counted, held or sent is decided.
    Check,
    /// TCODE.
    Code,
    /// Six bits of the head.
    Head,
    /// I-CNT, or ECODE.
    Count,
    /// An address.
    Address,
    /// HIST.
    History,
    /// HREPEAT.
    Repeat,
    /// PROCESS.
    Process,
    /// TSTAMP.
    Time,
}
