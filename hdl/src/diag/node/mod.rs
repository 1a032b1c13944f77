//! Nodes that turn events into fewer events
//!
//! | module | what it is |
//! | --- | --- |
//! | [`aggregate`] | count, sum, least and greatest by key |
//! | [`count`] | counters of events |
//! | [`filter`] | lets events pass whose arguments fit |
//! | [`histogram`] | numbers of values by size and key |
//! | [`log`] | the last events before an event |
//! | [`machine`] | state machine in a table |
//! | [`pair`] | clocks between two events with the same key |
//! | [`tick`] | an event and flushes a period |
//! | [`trace`] | a trace system at the ring, with its network interface |
//!
//! All but the last have the same ports, but a tick takes no events; golden models: `sim::diag::node`.

pub mod aggregate;
pub mod count;
pub mod filter;
pub mod histogram;
pub mod log;
pub mod machine;
pub mod pair;
pub mod tick;
pub mod trace;
