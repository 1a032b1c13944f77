//! Predictors that follow the past: small tables, loops, a follower of past outcomes, and a target dictionary
//!
//! | module | what it is |
//! | --- | --- |
//! | [`arithmetic`] | the arithmetic coder |
//! | [`contexts`] | which predictor is believed |
//! | [`encoder`] | event entries to bits |
//! | [`entry`] | event entries of the scheme |
//! | [`folded`] | history folded to the width of an index or a tag |
//! | [`front`] | front end: retired instructions to event entries |
//! | [`late_bimodal`] | counters by address that learn late |
//! | [`loops`] | loops with a constant number of iterations |
//! | [`past`] | the outcomes after the last place where the path was the same |
//! | [`predictors`] | all predictors of one core |
//! | [`runs`] | runs of branches in an adaptive Rice code |
//! | [`stack`] | return addresses |
//! | [`tables`] | bimodal and tagged tables: predictions of conditionals |
//! | [`tagged`] | one table of counters by address and history |
//! | [`target_tables`] | targets by address, and by address and path |
//! | [`targets`] | targets of indirect branches, with their dictionary |

pub mod arithmetic;
pub mod contexts;
pub mod encoder;
pub mod entry;
pub(super) mod flow;
pub mod folded;
pub mod front;
pub mod late_bimodal;
pub mod loops;
pub mod past;
pub mod predictors;
pub mod runs;
pub mod stack;
pub mod tables;
pub mod tagged;
pub mod target_tables;
pub mod targets;
