//! Counts of a stream of inputs

use serde::Serialize;

/// Count of messages of one kind, and their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MessageCount {
    /// Number of messages.
    pub messages: u64,
    /// Their bits, including `Ti`.
    pub bits: u64,
}

/// Counts of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputsStats {
    /// Ends of episodes: the order between cores.
    pub episodes: MessageCount,
    /// Of these, episodes that ended because the table was full.
    pub full: u64,
    /// Values of loads and CSRs, and failed `sc`.
    pub inputs: MessageCount,
    /// Interrupts and refused accesses.
    pub traps: MessageCount,
    /// Checks of the state.
    pub checks: MessageCount,
    /// Stops.
    pub stops: MessageCount,
    /// Stores of bus masters that are not cores.
    pub masters: MessageCount,
    /// Stores of bus masters that changed RAM but were not recorded, because the parameters have no masters: replay is not possible.
    pub unrecorded: u64,
    /// Instructions, all cores.
    pub instructions: u64,
    /// Total bits, including header and padding; set when the stream is finished.
    pub bits: u64,
}

impl InputsStats {
    /// Total number of messages.
    pub fn messages(&self) -> u64 {
        [self.episodes, self.inputs, self.traps, self.checks, self.stops, self.masters].iter().map(|s| s.messages).sum()
    }
}
