//! Steps of the encoder

use rust_hdl::prelude::*;

/// What is sent, or read.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum PacketStep {
    /// Nothing: the kinds of the entry are read.
    Open,
    /// Nothing: the last field is read.
    Load,
    /// The header.
    Header,
    /// The core.
    Source,
    /// The fields from the format to the map or address; of a count the low five bits.
    Format,
    /// The rest of an index and of the number of branches.
    Index,
    /// The address space of a synchronization.
    Context,
    /// The other fields of a trap before its address.
    Cause,
    /// The map, or the other bits of a count and `branch_fmt`.
    Map,
    /// The last field: an address, or a map without one.
    Last,
    /// The header of a support packet.
    SupportHeader,
    /// The core.
    SupportSource,
    /// Its first byte.
    Support,
    /// Its second byte: which modes are active.
    SupportOptions,
    /// The time of a synchronization.
    Time,
}
