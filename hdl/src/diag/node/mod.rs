//! Processing nodes, which reduce events
//!
//! | module | what it is |
//! | --- | --- |
//! | [`aggregate`] | count, sum, minimum and maximum by key |
//! | [`count`] | counters of events |
//! | [`filter`] | passes events whose arguments match |
//! | [`histogram`] | distribution of values by key |
//! | [`log`] | the last events before a trigger event |
//! | [`machine`] | state machine in a table |
//! | [`pair`] | cycles between two events with the same key |
//! | [`tick`] | periodic event and flushes |
//! | [`trace`] | a trace system on the ring, with its network interface |
//!
//! All but the last have the same ports, except that a tick receives no events. Golden models: `sim::diag::node`.

pub mod aggregate;
pub mod count;
pub mod filter;
pub mod histogram;
pub mod log;
pub mod machine;
pub mod pair;
pub mod tick;
pub mod trace;
