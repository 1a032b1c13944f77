//! Schemes: ways to tell what a core did, each in a room of the name that it has in `sim`
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cfiat`] | load values by first-access flags |
//! | [`flow`] | front ends and encoders of the flow schemes, in slots |
//! | [`inputs`] | record and replay |
//! | [`sc_lsp`] | stream cache and last stream predictor |
//! | [`tr`] | T-raptor, and the Nexus-like schemes with its messages |

pub mod cfiat;
pub mod flow;
pub mod inputs;
pub mod sc_lsp;
pub mod tr;
